//! Diagnostics for syntax errors: codes W0001 to W0099, which distinguish the constructs that the reference assembler reports as
//! "syntax error".

use crate::diagnostics::diagnostic_codes;
use warpgrid_program::{Diagnostic, Edit, Fix, Severity, Span};

diagnostic_codes! {
    /// A source is limited to 4 GiB minus two bytes, because source offsets are 32-bit integers.
    SOURCE_TOO_LARGE = "W0001", "source too large", "a source of 5 GiB", "a source below 4 GiB";

    /// Only the first 1,000 diagnostics are reported. Usually the first few errors cause all others, or the source is not PTX.
    TOO_MANY = "W0002", "too many syntax errors", "a binary file", "a PTX module";

    /// PTX allows only ASCII characters outside comments, including strings such as file names. Typographic quotation marks, dashes and
    /// spaces often result from copying from a text editor or web page.
    FOREIGN_CHARACTER = "W0003", "non-ASCII character", "mov.u32 %r1,\u{a0}1;", "mov.u32 %r1, 1;";

    /// A comment that starts with `/*` ends at the next `*/`. Without `*/`, the rest of the source is part of the comment.
    UNCLOSED_COMMENT = "W0004", "unterminated comment", "/* a note", "/* a note */";

    /// A string must end with a quotation mark on the same line. Escape sequences are not supported.
    UNCLOSED_STRING = "W0005", "unterminated string", ".pragma \"nounroll;", ".pragma \"nounroll\";";

    /// Integers are decimal, octal (leading `0`), hexadecimal (`0x`) or binary (`0b`), with the suffix `U` for unsigned constants. `0f`
    /// is followed by exactly 8 hexadecimal digits, and `0d` is followed by exactly 16. The digits are the bit pattern of the value.
    /// Decimal floating-point numbers have a decimal point or an exponent and no suffix.
    MALFORMED_NUMBER = "W0006", "malformed number", "mov.f32 %f1, 0f3F8;", "mov.f32 %f1, 0f3F800000;";

    /// Integer constants have 64 bits, and floating-point constants have double precision. The constant exceeds the range of its type.
    CONSTANT_OVERFLOW = "W0007", "constant too large", "mov.b64 %rd1, 0xFFFFFFFFFFFFFFFFF;", "mov.b64 %rd1, 0xFFFFFFFFFFFFFFFF;";

    /// The constant has more than 64 bits. `ptxas` truncates the constant to 64 bits without a warning if the value before the last
    /// digit fits in 63 bits. The PTX ISA manual allows at most 64 bits.
    CONSTANT_WRAPS = "W0008", "constant truncated to 64 bits", "mov.b64 %rd1, 0x1FFFFFFFFFFFFFFFF;", "mov.b64 %rd1, 0xFFFFFFFFFFFFFFFF;";

    /// The source is in a language other than PTX and SASS, such as CUDA C++, and the message explains how to compile it to PTX. No
    /// other diagnostics are reported for this source. The code also covers PTX that was copied together with line numbers, HTML or
    /// Markdown, and demangled names.
    OTHER_LANGUAGE = "W0009", "source in another language", "__global__ void k(float *x) { x[threadIdx.x] = 1.0f; }", "st.global.f32 [%rd1], 1.0;";

    /// Instructions, declarations and most directives must end with a semicolon. A line break does not terminate a statement.
    MISSING_SEMICOLON = "W0010", "missing semicolon", "ret", "ret;";

    /// The grammar does not allow this token here. The message lists the expected tokens.
    UNEXPECTED_TOKEN = "W0011", "unexpected token", "add.u32 %r1, %r2 %r3;", "add.u32 %r1, %r2, %r3;";

    /// Function bodies and the blocks in them must be enclosed in braces.
    UNCLOSED_BRACE = "W0012", "unclosed `{`", ".entry k() { ret;", ".entry k() { ret; }";

    /// Every `}` must close a `{`.
    UNMATCHED_BRACE = "W0013", "unmatched `}`", ".entry k() { ret; } }", ".entry k() { ret; }";

    /// A bracket, brace or parenthesis within a statement must be closed before the semicolon.
    UNCLOSED_GROUP = "W0014", "unclosed bracket", "ld.global.u32 %r1, [%rd1;", "ld.global.u32 %r1, [%rd1];";

    /// An address is a name, optionally plus a constant expression. The grammar does not allow subtraction. Write a negative offset as
    /// the addition of a negative constant.
    SUBTRACTED_OFFSET = "W0015", "subtracted offset", "ld.global.u32 %r1, [%rd1-8];", "ld.global.u32 %r1, [%rd1+-8];";

    /// An address contains exactly one name, and the name must be the first part of the address. Compute sums of two registers and
    /// scaled indices with a separate instruction.
    ADDRESS_FORM = "W0016", "address that is not `name+constant`", "ld.global.u32 %r1, [4+%rd1];", "ld.global.u32 %r1, [%rd1+4];";

    /// An operand is a register, a variable, a constant expression, an address in brackets or a vector in braces. Expressions
    /// cannot contain registers or addresses of variables, except in the form `name+constant`.
    OPERAND_FORM = "W0017", "expression that is not an operand", "add.u32 %r1, %r2, %r3*4;", "mad.lo.u32 %r1, %r3, 4, %r2;";

    /// A vector must contain at least one element, and an address must contain a name or a constant.
    EMPTY_GROUP = "W0018", "empty brackets or braces", "st.global.v2.u32 [%rd1], {};", "st.global.v2.u32 [%rd1], {%r1, %r2};";

    /// The elements of a vector must be registers, constants or `_`. Nested vectors, addresses and address expressions are not allowed.
    VECTOR_ELEMENT = "W0019", "operand not allowed in a vector", "mov.b64 %rd1, {%r1, {%r2}};", "mov.b64 %rd1, {%r1, %r2};";

    /// The sink `_` denotes a discarded result. The sink cannot be an address, an index or part of an expression.
    MISPLACED_SINK = "W0020", "sink `_` in place of a value", "ld.global.u32 %r1, [_];", "ld.global.u32 %r1, [%rd1];";

    /// Vectors and special registers have the components `.x .y .z .w` (or `.r .g .b .a`). Video instructions
    /// select `.b0` to `.b3`, `.h0` and `.h1`. Component names are lower case and cannot be combined.
    UNKNOWN_COMPONENT = "W0021", "unknown component", "mov.u32 %r1, %tid.X;", "mov.u32 %r1, %tid.x;";

    /// A modifier is a dot followed by a name of letters, digits and underscores that starts with a letter. Parts of a
    /// modifier are joined by `::`.
    MALFORMED_MODIFIER = "W0022", "malformed modifier", "ld.global..u32 %r1, [%rd1];", "ld.global.u32 %r1, [%rd1];";

    /// Keywords of declarations and directives, such as `.reg`, cannot be part of an opcode.
    DIRECTIVE_IN_OPCODE = "W0023", "directive in an opcode", "ld.reg.u32 %r1, %r2;", "mov.u32 %r1, %r2;";

    /// The body of a function consists of instructions, labels, declarations, blocks and a few directives.
    STATEMENT_EXPECTED = "W0024", "statement expected", "4;", "mov.u32 %r1, 4;";

    /// A semicolon terminates a statement. Empty statements are not allowed.
    STRAY_SEMICOLON = "W0025", "semicolon without a statement", "ret;;", "ret;";

    /// A guard is `@` or `@!` followed by a predicate register. A guard applies to one instruction, not to a block or a label.
    MALFORMED_GUARD = "W0026", "malformed guard", "@%p1 { ret; }", "@%p1 ret;";

    /// Instructions and labels must be in the body of a function. However, a source without a module header and without functions is
    /// parsed as a function body.
    OUTSIDE_FUNCTION = "W0027", "instruction outside a function", ".version 8.0 ret;", ".version 8.0 .target sm_90 .entry k() { ret; }";

    /// A module must start with `.version`, `.target` and `.address_size`, in this order and only once. `.file`, `.section` and
    /// function definitions are allowed only at module scope. Performance directives must be between the header and the body of a
    /// function.
    MISPLACED_DIRECTIVE = "W0028", "directive in the wrong place", ".entry k() { .version 8.0 ret; }", ".version 8.0 .target sm_90 .entry k() { ret; }";

    /// No directive has this name. Names are case-sensitive.
    UNKNOWN_DIRECTIVE = "W0029", "unknown directive", ".globl .u32 v;", ".global .u32 v;";

    /// A declaration must have one fundamental type directly before the names: `.pred`, `.b8` to `.b128`, `.u8` to `.u64`,
    /// `.s8` to `.s64`, `.f16`, `.f16x2`, `.f32`, `.f64`. Values of alternate formats such as `.bf16` are stored in `.b` registers.
    DECLARED_TYPE = "W0030", "missing or invalid type in a declaration", ".reg .bf16 %h1;", ".reg .b16 %h1;";

    /// A declaration must have exactly one state space: `.reg`, `.const`, `.global`, `.local`, `.param` or `.shared`.
    DECLARED_SPACE = "W0031", "missing, duplicate or invalid state space", ".global .shared .u32 v;", ".shared .u32 v;";

    /// A declaration starts with the state space, `.align` and `.attribute`. `.v2` or `.v4`, the type and the names follow in this
    /// order.
    DECLARATION_ORDER = "W0032", "declaration in the wrong order", ".global .u32 .align 16 v;", ".global .align 16 .u32 v;";

    /// A name is a letter followed by letters, digits, `_` and `$`, or one of `_ $ %` followed by at least one of these.
    NAME_EXPECTED = "W0033", "missing or invalid name", ".global .u32 4v;", ".global .u32 v4;";

    /// The size of an array is an integer literal, not an expression. Only the first size of an array may be omitted. `<n>` specifies
    /// the number of registers, not the size of an array.
    ARRAY_SIZE = "W0034", "malformed array size", ".shared .b8 s[2*8];", ".shared .b8 s[16];";

    /// A variable or function at module scope may have one linkage directive: `.visible`, `.extern`, `.weak` or `.common`. `.common` is
    /// allowed only for variables. Linkage directives are not allowed inside functions.
    MISPLACED_LINKAGE = "W0035", "linkage directive not allowed here", ".visible .weak .func f();", ".visible .func f();";

    /// A call prototype and the target list of an indirect call or branch must be preceded by a label.
    LABEL_NEEDED = "W0036", "directive without a label", ".branchtargets a, b;", "table: .branchtargets a, b;";

    /// The snippet contains a line of prose between instructions, as in the listings of a manual. Warpgrid ignores the line. `ptxas`
    /// accepts such lines only as comments.
    PROSE = "W0037", "prose between instructions", "Examples", "// Examples";

    /// The PTX ISA manual uses `...` as an ellipsis. In a list of numbered names, `...` denotes all names in between. An instruction
    /// with `...` in place of operands cannot be run and is skipped in a snippet.
    ELLIPSIS = "W0038", "omitted operands", "wmma.mma.sync.aligned.m16n16k16.row.col.f32.f32 {d0, d1, d2, d3, d4, d5, d6, d7}, ...;", "// wmma.mma.sync.aligned.m16n16k16.row.col.f32.f32 {d0, d1, d2, d3, d4, d5, d6, d7}, ...;";

    /// Constant expressions are evaluated at compile time, and division by zero has no result.
    DIVISION_BY_ZERO = "W0040", "division by zero in a constant", "mov.u32 %r1, 4 / 0;", "mov.u32 %r1, 4 / 2;";

    /// Both operands of an operator must be integers, or both must be floating-point numbers.
    CONSTANT_MISMATCH = "W0041", "constants of different types", "mov.f64 %fd1, 1.5 + 1;", "mov.f64 %fd1, 1.5 + 1.0;";

    /// Offsets, shifts, bit operations and conditions require integers.
    INTEGER_CONSTANT = "W0042", "expected an integer constant", "ld.shared.u32 %r1, [s+1.5];", "ld.shared.u32 %r1, [s+4];";

    /// Constants can be cast only to `.s64` or `.u64`.
    CONSTANT_CAST = "W0043", "unsupported cast of a constant", "mov.u32 %r1, (.u32)1;", "mov.u32 %r1, (.u64)1;";

    /// The nesting depth of blocks, initializers and expressions is limited to a few hundred levels.
    NESTED_TOO_DEEP = "W0044", "nested too deeply", "mov.u32 %r1, ((((((...))))));", "mov.u32 %r1, (1);";

    /// A variable is initialized by a constant expression, the address of a variable or function (`name`, `name+4`,
    /// `generic(name)`, `0xFF00(name)` for one byte of it), or a list of such values in braces.
    INITIALIZER = "W0045", "malformed initializer", ".global .b8 v[4] = \"abc\";", ".global .b8 v[4] = {97, 98, 99, 0};";

    /// The directive does not accept this argument. The message describes the expected argument.
    DIRECTIVE_ARGUMENT = "W0046", "invalid argument of a directive", ".maxntid sixteen", ".maxntid 32";

    /// `.loc`, `.file` and the directives of a function header are not followed by a semicolon.
    SEMICOLON_NOT_ALLOWED = "W0047", "unexpected semicolon", ".loc 1 2 3;", ".loc 1 2 3";

    /// PTX has no `if`, `for` or `while`. Write a loop as a label and a predicated branch back to the label. Write a condition as
    /// predicated instructions, or as a predicated branch around the instructions. Use `bra` instead of `goto`, `break` and `continue`,
    /// and `ret` instead of `return`.
    C_CONTROL_FLOW = "W0048", "C control flow", "if (%r1 == 0) { mov.u32 %r2, 1; }", "@%p1 mov.u32 %r2, 1;";

    /// Names of registers, variables, labels and functions consist of letters, digits, `_` and `$`. A dot terminates a name. For
    /// example, `%v.x` is component `x` of the vector `%v`.
    DOT_IN_NAME = "W0049", "dot in a name", ".reg .b32 %a.b;", ".reg .b32 %a_b;";

    /// The source consists of one hexadecimal constant, such as a matrix descriptor. The Layout Explorer and `warpgrid descriptor` decode
    /// matrix descriptors. No other diagnostics are reported for this source.
    BARE_CONSTANT = "W0050", "constant without a statement", "0x4000004000010040", "mov.b64 %rd1, 0x4000004000010040;";
}

/// Returns the diagnostic for a control-flow statement of C.
pub fn c_control_flow(span: Span, word: &str) -> Diagnostic {
    let message = format!("found `{word}`, expected an instruction or a label");
    Diagnostic::error(C_CONTROL_FLOW, span, message).help(match word {
        "for" | "while" | "do" => "PTX has no loops; write a label before the loop body and a predicated branch to the label after the loop body, such as `@%p bra LOOP;`",
        _ => {
            "PTX has no `if`; compare with `setp`, and predicate the instructions (`@%p`) or branch around the instructions (`@!%p bra END;`)"
        }
    })
}

/// Returns the diagnostic for a jump statement of C.
pub fn c_jump(span: Span, word: &str) -> Diagnostic {
    let message = format!("found `{word}`, expected an instruction or a label");
    let found = Diagnostic::error(C_CONTROL_FLOW, span, message);
    match word {
        "goto" => found
            .help("use `bra` to branch to a label")
            .fix("replace `goto` with `bra`", span, "bra"),
        "return" => found
            .help("store the results in the return parameters and use `ret`")
            .fix("replace `return` with `ret`", span, "ret"),
        "continue" => found.help(
            "PTX has no loops; write a label before the loop increment and branch to the label, such as `bra NEXT;`",
        ),
        _ => found.help("PTX has no loops; write a label after the loop and branch to the label, such as `bra END;`"),
    }
}

/// Returns the diagnostic for a name with a dot.
pub fn dot_in_name(span: Span, name: &str) -> Diagnostic {
    let message = format!("found `{name}`, expected a name without a dot");
    let fixed = name.replace('.', "_");
    Diagnostic::error(DOT_IN_NAME, span, message).help(format!("write `{fixed}`"))
}

/// Token with its description for messages.
#[derive(Clone, Debug)]
pub struct FoundToken {
    pub span: Span,
    /// Description: `` `ret` `` or `the end of the source`.
    pub name: String,
}

/// Returns the diagnostic for a source whose offsets exceed 32 bits.
pub fn source_too_large(n_bytes: usize) -> Diagnostic {
    Diagnostic::error(
        SOURCE_TOO_LARGE,
        Span::at(0),
        format!("found a source of {n_bytes} bytes, expected at most 4294967294 bytes"),
    )
}

/// Returns the note at `span` that further diagnostics are omitted.
pub fn too_many(span: Span) -> Diagnostic {
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::error(
            TOO_MANY,
            span,
            "only the first 1,000 diagnostics are reported",
        )
    }
}

/// Returns the diagnostic for a source in a language other than PTX, which the word at `span` identifies.
pub fn other_language(span: Span, language: &str, way_to_ptx: &str) -> Diagnostic {
    let message = format!("found {language}, expected PTX or a SASS listing");
    Diagnostic::error(OTHER_LANGUAGE, span, message).help(way_to_ptx)
}

/// Returns the diagnostic for a source that consists of a constant.
pub fn bare_constant(span: Span, constant: &str) -> Diagnostic {
    let message = format!("found the constant `{constant}`, expected PTX or a SASS listing");
    Diagnostic::error(BARE_CONSTANT, span, message).help(format!(
        "decode a matrix descriptor with `warpgrid descriptor {constant}` or in the Layout Explorer of the page"
    ))
}

/// Returns the diagnostic for PTX that was copied with surrounding text, which starts at `span`.
pub fn wrapped(span: Span, wrapping: &str) -> Diagnostic {
    let message = format!("found {wrapping} around the source, expected only PTX");
    Diagnostic::error(OTHER_LANGUAGE, span, message).help("copy only the kernel")
}

/// Returns the diagnostic for PTX whose lines start with line numbers, with a fix that removes the numbers.
pub fn numbered_lines(first: Span, numbers: Vec<Span>) -> Diagnostic {
    let edits = numbers.into_iter().map(|span| Edit {
        span,
        text: String::new(),
    });
    let mut diagnostic = wrapped(first, "line numbers");
    diagnostic.fixes.push(Fix {
        title: "remove the line numbers".to_owned(),
        edits: edits.collect(),
    });
    diagnostic
}

/// Returns the diagnostic for PTX with demangled C++ names.
pub fn demangled(span: Span) -> Diagnostic {
    let message = "found demangled C++ names, expected PTX identifiers";
    Diagnostic::error(OTHER_LANGUAGE, span, message).help(
        "disable identifier demangling in the tool that displays the listing, and copy the PTX again",
    )
}

/// Returns the diagnostic for a byte-order mark.
pub fn byte_order_mark(span: Span) -> Diagnostic {
    let message = "the source begins with a byte-order mark (U+FEFF), which PTX does not allow";
    Diagnostic::error(FOREIGN_CHARACTER, span, message).fix("remove the byte-order mark", span, "")
}

/// Returns the diagnostic for characters outside of the PTX character set.
pub fn foreign_character(span: Span, text: &str) -> Diagnostic {
    let message = match text.chars().next() {
        Some(c) if c.is_ascii() => format!(
            "found the control character 0x{:02x}, which is not allowed in PTX",
            c as u32
        ),
        Some(c) => format!(
            "found `{}` (U+{:04X}), expected only ASCII characters outside comments",
            c.escape_debug(),
            c as u32
        ),
        None => "found a non-ASCII character".to_owned(),
    };
    Diagnostic::error(FOREIGN_CHARACTER, span, message)
}

/// Returns the diagnostic for a string with non-ASCII characters, which the assembler rejects in every string.
pub fn string_outside_ascii(span: Span, source: &str) -> Option<Diagnostic> {
    let text = span.text(source);
    let (offset, first) = text.char_indices().find(|(_, c)| !c.is_ascii())?;
    let start = span.start + offset as u32;
    let message = format!(
        "found `{}` (U+{:04X}) in a string, expected only ASCII characters",
        first.escape_debug(),
        first as u32
    );
    let spelled: String = text
        .chars()
        .map(|c| match c.is_ascii() {
            true => c.to_string(),
            false => format!("u{:04x}", c as u32),
        })
        .collect();
    let place = Span::new(start, start + first.len_utf8() as u32);
    Some(
        Diagnostic::error(FOREIGN_CHARACTER, place, message)
            .help("non-ASCII characters are allowed in comments only")
            .fix(format!("write {spelled}"), span, spelled),
    )
}

/// Returns the diagnostic for an unterminated comment, of which only `/*` is marked.
pub fn unclosed_comment(span: Span) -> Diagnostic {
    let opening = Span::new(span.start, span.end.min(span.start + 2));
    Diagnostic::error(
        UNCLOSED_COMMENT,
        opening,
        "expected `*/` to end this comment",
    )
    .help("the rest of the source is part of the comment")
}

/// Returns the diagnostic for a string that is not terminated on its line.
pub fn unclosed_string(span: Span, text: &str) -> Diagnostic {
    let swallowed = text.len() - text.trim_end_matches([';', ' ', '\t', '\r']).len();
    let end = span.end - swallowed as u32;
    Diagnostic::error(
        UNCLOSED_STRING,
        span,
        "expected `\"` to end this string on its line",
    )
    .fix("close the string", Span::at(end), "\"")
}

/// Returns the diagnostic for a malformed literal, with the reason.
pub fn malformed_number(span: Span, text: &str, reason: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        MALFORMED_NUMBER,
        span,
        format!("`{text}` is not a number: {reason}"),
    );
    match text.strip_suffix('u') {
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => diagnostic.fix(
            "use an upper-case suffix",
            Span::new(span.end - 1, span.end),
            "U",
        ),
        _ => diagnostic,
    }
}

/// Returns whether a number has the syntax of a decimal floating-point literal.
pub(crate) fn is_decimal_float(text: &str) -> bool {
    !text.starts_with("0x") && text.contains(['.', 'e', 'E'])
}

/// Returns the diagnostic for a literal that exceeds 64 bits or the range of `f64`.
pub fn constant_overflow(span: Span, text: &str) -> Diagnostic {
    let float = is_decimal_float(text);
    Diagnostic::error(
        CONSTANT_OVERFLOW,
        span,
        format!(
            "`{text}` {}",
            if float {
                "exceeds the range of double precision"
            } else {
                "does not fit in 64 bits"
            }
        ),
    )
}

/// Returns the diagnostic for a number that is too large for its directive.
pub(crate) fn argument_overflow(span: Span, text: &str, n_bits: u32) -> Diagnostic {
    let message = format!("`{text}` does not fit in {n_bits} bits");
    Diagnostic::error(CONSTANT_OVERFLOW, span, message)
}

/// Returns the diagnostic for a label in debug data that is too narrow for an address.
pub(crate) fn address_in_debug_data(span: Span, n_bits: u32) -> Diagnostic {
    let message = format!("found a label in `.b{n_bits}` data, expected `.b32` or `.b64`");
    Diagnostic::error(DIRECTIVE_ARGUMENT, span, message)
}

/// Returns the diagnostic for a literal that the assembler truncates.
pub fn constant_wraps(span: Span, text: &str, value: u64) -> Diagnostic {
    Diagnostic::warning(
        CONSTANT_WRAPS,
        span,
        format!(
            "`{text}` does not fit in 64 bits, so `ptxas` truncates the constant to {value:#x}"
        ),
    )
}

/// Returns the diagnostic for a statement without a semicolon, which the fix inserts at `end`.
pub fn missing_semicolon(end: u32, what: &str, next: &FoundToken) -> Diagnostic {
    let last = Span::new(end.saturating_sub(1), end);
    Diagnostic::error(
        MISSING_SEMICOLON,
        last,
        format!("expected `;` to end this {what}, found {}", next.name),
    )
    .label(next.span, "found here")
    .fix("insert `;`", Span::at(end), ";")
}

/// Converts an error for notation of manuals, which the reference assembler rejects, to a warning: a snippet is run as if its fix
/// were applied.
pub fn tolerated(found: Diagnostic) -> Diagnostic {
    let help =
        "`ptxas` rejects this form, but the fix is applied automatically when a snippet is run";
    Diagnostic {
        severity: Severity::Warning,
        help: Some(help.to_owned()),
        is_tolerated: true,
        ..found
    }
}

/// Returns the diagnostic for typographic characters, each with its ASCII equivalent.
pub fn typeset(found: &[(Span, &str)]) -> Diagnostic {
    let first = found.first().map_or(Span::at(0), |(span, _)| *span);
    let message = match found.len() {
        1 => "found a typographic character, expected an ASCII character".to_owned(),
        n => format!("found {n} typographic characters, expected ASCII characters"),
    };
    let edits = found.iter().map(|(span, text)| Edit {
        span: *span,
        text: (*text).to_owned(),
    });
    let mut diagnostic = Diagnostic::error(FOREIGN_CHARACTER, first, message)
        .help("chat programs, documents and web pages replace spaces, quotation marks, dashes and pairs of letters with typographic characters");
    diagnostic.fixes.push(Fix {
        title: "replace typographic characters with ASCII".to_owned(),
        edits: edits.collect(),
    });
    diagnostic
}

/// Returns the diagnostic for a binary file of machine code.
pub fn compiled_file(mark: Span) -> Diagnostic {
    Diagnostic::error(OTHER_LANGUAGE, mark, "found a compiled file (ELF), expected text").help(
        "extract the PTX with `cuobjdump -ptx` or the SASS with `cuobjdump -sass` and paste the output",
    )
}

/// Returns the diagnostic for an assembler message without the module.
pub fn assembler_message(line: Span) -> Diagnostic {
    Diagnostic::error(
        OTHER_LANGUAGE,
        line,
        "found an assembler message, expected PTX",
    )
    .help("paste the PTX module to see the line of each error")
}

/// Returns the diagnostic for a line of prose in a snippet.
pub fn prose(line: Span) -> Diagnostic {
    Diagnostic::error(
        PROSE,
        line,
        "found prose, expected an instruction or a comment",
    )
    .fix("convert to a comment", Span::at(line.start), "// ")
}

/// Returns the diagnostic for `...` in place of operands. `line_starts` contains the start offset of each line of the statement.
pub fn operands_left_out(dots: Span, line_starts: &[u32]) -> Diagnostic {
    let mut found = Diagnostic::error(
        ELLIPSIS,
        dots,
        "found `...` in place of operands, so the instruction is skipped when the snippet is run",
    );
    let edits = line_starts.iter().map(|start| Edit {
        span: Span::at(*start),
        text: "// ".to_owned(),
    });
    found.fixes.push(Fix {
        title: "convert to a comment".to_owned(),
        edits: edits.collect(),
    });
    found
}

/// Returns the diagnostic for `...` in a list of numbered names, which represents `names`.
pub fn elements_left_out(dots: Span, names: &str) -> Diagnostic {
    Diagnostic::error(ELLIPSIS, dots, format!("found `...`, expected `{names}`")).fix(
        "replace `...` with the names",
        dots,
        names,
    )
}

/// Returns the diagnostic for an unexpected token.
pub fn unexpected(found: &FoundToken, expected: &str) -> Diagnostic {
    Diagnostic::error(
        UNEXPECTED_TOKEN,
        found.span,
        format!("found {}, expected {expected}", found.name),
    )
}

/// Returns the diagnostic for a function or block without its closing brace.
pub fn unclosed_brace(open: Span, found: &FoundToken) -> Diagnostic {
    Diagnostic::error(
        UNCLOSED_BRACE,
        found.span,
        format!("found {}, expected `}}` to close an open `{{`", found.name),
    )
    .label(open, "this `{` is not closed")
    .fix("insert `}`", Span::at(found.span.start), "}\n")
}

/// Returns the diagnostic for a `}` without an open `{`.
pub fn unmatched_brace(span: Span) -> Diagnostic {
    Diagnostic::error(UNMATCHED_BRACE, span, "found `}` without an open `{`").fix(
        "remove `}`",
        span,
        "",
    )
}

/// Returns the diagnostic for a bracket that is not closed.
pub fn unclosed_group(open: Span, close: &str, found: &FoundToken) -> Diagnostic {
    Diagnostic::error(
        UNCLOSED_GROUP,
        found.span,
        format!("found {}, expected {close}", found.name),
    )
    .label(open, "opened here")
}

/// Returns the diagnostic for `name-8` in an address or operand. `minus` is the span of the minus sign.
pub fn subtracted_offset(source: &str, minus: Span) -> Diagnostic {
    let found = Diagnostic::error(
        SUBTRACTED_OFFSET,
        minus,
        "found `-`, expected `+`; write a negative offset as `+-8`",
    );
    let rest = source.get(minus.end as usize..).unwrap_or("");
    let is_in_name = rest.starts_with(|c: char| c.is_ascii_alphabetic())
        && source
            .get(..minus.start as usize)
            .is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric()));
    if is_in_name {
        // The manual contains names such as `cache-policy`.
        let message = "found `-`, which cannot be part of a name";
        return Diagnostic::error(SUBTRACTED_OFFSET, minus, message)
            .help("names consist of letters, digits, `_`, `$` and `%`; write an offset with `+`")
            .fix("write `_`", minus, "_");
    }
    match rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        true => found.fix("write `+-`", minus, "+-"),
        false => found.help("an offset is a constant after `+`"),
    }
}

/// Returns the diagnostic for a second name in an address, or a name in place of the offset.
pub fn name_as_offset(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_FORM,
        span,
        format!("found `{text}`, expected a constant offset"),
    )
    .help("compute the sum in a register first")
}

/// Returns the diagnostic for a constant before the name in an address: `[4+%rd1]`.
pub fn constant_before_name(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_FORM,
        span,
        format!("found `{text}` after a constant, expected the name first, such as `[{text}+4]`"),
    )
}

/// Returns the diagnostic for any other construct that is not an address.
pub fn address_form(found: &FoundToken) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_FORM,
        found.span,
        format!(
            "found {}, expected an address, which is a name or a constant",
            found.name
        ),
    )
    .help("an address is `[name]` or `[name+constant]`")
}

/// Returns the diagnostic for an operator after a name.
pub fn operator_on_name(operator: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        OPERAND_FORM,
        operator,
        format!("found `{text}` after a name, expected `name+constant`"),
    )
}

/// Returns the diagnostic for a name within a constant expression.
pub fn name_in_constant(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        OPERAND_FORM,
        span,
        format!("found `{text}`, expected a constant"),
    )
}

/// Returns the diagnostic for an empty list or address: `{}` or `[]`.
pub fn empty_group(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(
        EMPTY_GROUP,
        span,
        format!("{what} needs at least one element"),
    )
}

/// Returns the diagnostic for a list element that is not a register, constant or sink.
pub fn vector_element(found: &FoundToken, holder: &str) -> Diagnostic {
    Diagnostic::error(
        VECTOR_ELEMENT,
        found.span,
        format!(
            "found {} in {holder}, expected a register, a constant or `_`",
            found.name
        ),
    )
}

/// Returns the diagnostic for `_` as an address, a name or a part of an expression.
pub fn misplaced_sink(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(MISPLACED_SINK, span, format!("found `_`, expected {what}"))
}

/// Returns the diagnostic for an unknown component such as `.foo`.
pub fn unknown_component(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(UNKNOWN_COMPONENT, span, format!("unknown component `{text}`"))
        .help("valid components are `.x .y .z .w` and `.r .g .b .a`, and for video instructions `.b0` to `.b3`, `.h0` and `.h1`")
}

/// Returns the diagnostic for a component in an address or list that accepts only whole registers or variables.
pub fn component_not_allowed(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        UNKNOWN_COMPONENT,
        span,
        format!("found `{text}`, expected a register or variable without a component"),
    )
}

/// Returns the diagnostic for a dot that does not start a modifier.
pub fn lone_dot(span: Span) -> Diagnostic {
    Diagnostic::error(
        MALFORMED_MODIFIER,
        span,
        "expected a modifier directly after `.`",
    )
}

/// Returns the diagnostic for a modifier that does not start with a letter, or that has an invalid `::`.
pub fn malformed_modifier(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        MALFORMED_MODIFIER,
        span,
        format!(
            "`{text}` is not a modifier, because a modifier starts with a letter and consists of parts that are joined by `::`"
        ),
    )
}

/// Returns the diagnostic for a keyword of declarations in an opcode.
pub fn directive_in_opcode(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        DIRECTIVE_IN_OPCODE,
        span,
        format!("`{text}` is a directive and cannot be a modifier"),
    )
}

/// Returns the diagnostic for a token in a body that does not start a statement.
pub fn statement_expected(found: &FoundToken) -> Diagnostic {
    Diagnostic::error(
        STATEMENT_EXPECTED,
        found.span,
        format!(
            "found {}, expected an instruction, a label or a declaration",
            found.name
        ),
    )
}

/// Returns the diagnostic for an empty statement: `;;`.
pub fn stray_semicolon(span: Span) -> Diagnostic {
    Diagnostic::error(STRAY_SEMICOLON, span, "found `;` without a statement").fix(
        "remove `;`",
        span,
        "",
    )
}

/// Returns the diagnostic for a malformed guard, or a guard before a statement other than an instruction.
pub fn malformed_guard(found: &FoundToken, expected: &str) -> Diagnostic {
    Diagnostic::error(
        MALFORMED_GUARD,
        found.span,
        format!("found {} after `@`, expected {expected}", found.name),
    )
}

/// Returns the diagnostic for an instruction or label at module scope.
pub fn outside_function(span: Span) -> Diagnostic {
    Diagnostic::error(
        OUTSIDE_FUNCTION,
        span,
        "found an instruction or label outside a function",
    )
    .help("move the instruction or label into the body of an `.entry` or `.func`")
}

/// Returns the diagnostic for a directive in an invalid position. `place` describes the permitted position.
pub fn misplaced_directive(span: Span, text: &str, place: &str) -> Diagnostic {
    Diagnostic::error(MISPLACED_DIRECTIVE, span, format!("`{text}` {place}"))
}

/// Returns the diagnostic for an unknown directive.
pub fn unknown_directive(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        UNKNOWN_DIRECTIVE,
        span,
        format!("unknown directive `{text}`"),
    )
}

/// Returns the diagnostic for a declaration without a type.
pub fn type_expected(found: &FoundToken) -> Diagnostic {
    Diagnostic::error(
        DECLARED_TYPE,
        found.span,
        format!(
            "found {}, expected the type of the declaration, such as `.u32`",
            found.name
        ),
    )
}

/// Returns the diagnostic for a type that declarations cannot have, with the type to use instead.
pub fn undeclarable_type(span: Span, text: &str, instead: Option<&'static str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        DECLARED_TYPE,
        span,
        format!("variables and registers cannot have the type `{text}`"),
    );
    match instead {
        Some(instead) => diagnostic.fix(format!("declare it as `{instead}`"), span, instead),
        None => diagnostic,
    }
}

/// Returns the diagnostic for a declaration without a state space.
pub fn space_expected(span: Span) -> Diagnostic {
    Diagnostic::error(
        DECLARED_SPACE,
        span,
        "expected a state space in this declaration",
    )
    .help("start the declaration with `.reg`, `.const`, `.global`, `.local`, `.param` or `.shared`")
}

/// Returns the diagnostic for a declaration with two state spaces.
pub fn several_spaces(second: Span, first: Span) -> Diagnostic {
    Diagnostic::error(
        DECLARED_SPACE,
        second,
        "found a second state space, expected only one",
    )
    .label(first, "the first state space")
}

/// Returns the diagnostic for a state space with a suffix, or one that cannot be declared.
pub fn undeclarable_space(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        DECLARED_SPACE,
        span,
        format!("variables and registers cannot be declared in `{text}`"),
    )
}

/// Returns the diagnostic for a specifier that must precede or follow another one.
pub fn declaration_order(span: Span, text: &str, place: &str) -> Diagnostic {
    Diagnostic::error(
        DECLARATION_ORDER,
        span,
        format!("`{text}` must be specified {place}"),
    )
}

/// Returns the diagnostic for a missing name.
pub fn name_expected(found: &FoundToken, what: &str) -> Diagnostic {
    Diagnostic::error(
        NAME_EXPECTED,
        found.span,
        format!("found {}, expected the name of {what}", found.name),
    )
}

/// Returns the diagnostic for a reserved name.
pub fn reserved_name(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        NAME_EXPECTED,
        span,
        format!("`{text}` is a PTX keyword and cannot be declared"),
    )
}

/// Returns the diagnostic for an array size or register count that is not a literal.
pub fn array_size(found: &FoundToken, expected: &str) -> Diagnostic {
    Diagnostic::error(
        ARRAY_SIZE,
        found.span,
        format!("found {}, expected {expected}", found.name),
    )
}

/// Returns the diagnostic for a misplaced linkage directive.
pub fn misplaced_linkage(span: Span, text: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(MISPLACED_LINKAGE, span, format!("`{text}` {reason}"))
}

/// Returns the diagnostic for `.branchtargets` or a similar directive without a label.
pub fn label_needed(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        LABEL_NEEDED,
        span,
        format!("expected a label directly before `{text}`"),
    )
}

/// Returns the diagnostic for a division by zero: `/ 0` or `% 0`.
pub fn division_by_zero(span: Span) -> Diagnostic {
    Diagnostic::error(
        DIVISION_BY_ZERO,
        span,
        "division by zero in a constant expression",
    )
}

/// Returns the diagnostic for an operator with an integer and a floating-point operand.
pub fn constant_mismatch(span: Span) -> Diagnostic {
    Diagnostic::error(
        CONSTANT_MISMATCH,
        span,
        "found an integer and a floating-point number, expected operands of the same type",
    )
    .help("write `1.0` instead of `1`")
}

/// Returns the diagnostic for a floating-point number in place of an integer.
pub fn integer_constant(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(
        INTEGER_CONSTANT,
        span,
        format!("expected an integer constant for {what}"),
    )
}

/// Returns the diagnostic for a cast to a type other than a 64-bit integer.
pub fn constant_cast(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        CONSTANT_CAST,
        span,
        format!("constants cannot be cast to `{text}`, only to `.s64` or `.u64`"),
    )
}

/// Returns the diagnostic for a construct that exceeds the maximum nesting depth.
pub fn nested_too_deep(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(
        NESTED_TOO_DEEP,
        span,
        format!("{what} are nested too deeply"),
    )
}

/// Returns the diagnostic for an invalid initializer.
pub fn initializer(found: &FoundToken, expected: &str) -> Diagnostic {
    Diagnostic::error(
        INITIALIZER,
        found.span,
        format!("found {}, expected {expected}", found.name),
    )
}

/// Returns the diagnostic for an invalid argument of a directive.
pub fn directive_argument(found: &FoundToken, directive: &str, expected: &str) -> Diagnostic {
    Diagnostic::error(
        DIRECTIVE_ARGUMENT,
        found.span,
        format!(
            "found {}, expected {expected} for `{directive}`",
            found.name
        ),
    )
}

/// Returns the diagnostic for a `;` after `.loc` or a similar directive.
pub fn semicolon_not_allowed(span: Span, directive: &str) -> Diagnostic {
    Diagnostic::error(
        SEMICOLON_NOT_ALLOWED,
        span,
        format!("unexpected `;` after `{directive}`"),
    )
    .fix("remove `;`", span, "")
}
