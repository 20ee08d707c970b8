//! Syntax: codes W0001 to W0099. What the reference assembler calls a "syntax error", by kind.

use super::catalogue;
use warpgrid_program::{Diagnostic, Edit, Fix, Severity, Span};

catalogue! {
    /// A source may hold at most 4 GiB less two bytes, since places in it are 32-bit numbers.
    SOURCE_TOO_LARGE = "W0001", "source too large", "a text of 5 GiB", "a text below 4 GiB";

    /// Only the first 1,000 diagnostics are reported. Usually the first few explain all others, or the text is not PTX.
    TOO_MANY = "W0002", "too many syntax errors", "a binary file", "a PTX module";

    /// PTX is written in ASCII, also in strings such as file names; comments may contain any characters. Other characters
    /// often come from a text editor or a web page: typographic quotation marks, dashes and spaces.
    FOREIGN_CHARACTER = "W0003", "character outside of ASCII", "mov.u32 %r1,\u{a0}1;", "mov.u32 %r1, 1;";

    /// A comment that starts with `/*` runs to the next `*/`; without one the rest of the text is lost.
    UNCLOSED_COMMENT = "W0004", "comment without an end", "/* a note", "/* a note */";

    /// A string ends with a quotation mark on the same line. There are no escapes.
    UNCLOSED_STRING = "W0005", "string without an end", ".pragma \"nounroll;", ".pragma \"nounroll\";";

    /// Integers are decimal, octal (leading `0`), hexadecimal (`0x`) or binary (`0b`), with an upper-case `U` after
    /// them to make them unsigned. `0f` takes exactly 8 hexadecimal digits, `0d` exactly 16; they are the
    /// bits of the value. Decimal floating-point numbers have a point or an exponent and no suffix.
    MALFORMED_NUMBER = "W0006", "malformed number", "mov.f32 %f1, 0f3F8;", "mov.f32 %f1, 0f3F800000;";

    /// Integer constants have 64 bits, floating-point ones are doubles; this one fits neither.
    CONSTANT_OVERFLOW = "W0007", "constant too large", "mov.b64 %rd1, 0xFFFFFFFFFFFFFFFFF;", "mov.b64 %rd1, 0xFFFFFFFFFFFFFFFF;";

    /// The constant has more than 64 bits. The reference assembler cuts it to 64 bits without a warning, as long as the value
    /// before the last digit fits 63 bits; the manual allows 64 bits only.
    CONSTANT_WRAPS = "W0008", "constant cut to 64 bits", "mov.b64 %rd1, 0x1FFFFFFFFFFFFFFFF;", "mov.b64 %rd1, 0xFFFFFFFFFFFFFFFF;";

    /// The text is in a language that compilers turn into PTX, or in one beside it. Only PTX and machine code can be
    /// shown here; the message says how to get PTX from the text. Nothing else is reported about it. The same is said of PTX
    /// that was copied with what was around it: line numbers, HTML, the fence of a document; and of names that a page made readable.
    OTHER_LANGUAGE = "W0009", "text in another language", "__global__ void k(float *x) { x[threadIdx.x] = 1.0f; }", "st.global.f32 [%rd1], 1.0;";

    /// Instructions, declarations and most directives end with a semicolon; the end of the line does not end them.
    MISSING_SEMICOLON = "W0010", "missing semicolon", "ret", "ret;";

    /// The grammar allows something else here. The message names what was found and what is expected.
    UNEXPECTED_TOKEN = "W0011", "unexpected token", "add.u32 %r1, %r2 %r3;", "add.u32 %r1, %r2, %r3;";

    /// The body of a function, and each block in it, is enclosed in braces.
    UNCLOSED_BRACE = "W0012", "`{` without its `}`", ".entry k() { ret;", ".entry k() { ret; }";

    /// Every `}` closes a `{`.
    UNMATCHED_BRACE = "W0013", "`}` without its `{`", ".entry k() { ret; } }", ".entry k() { ret; }";

    /// A bracket, brace or parenthesis within a statement is closed before the semicolon.
    UNCLOSED_GROUP = "W0014", "bracket that is not closed", "ld.global.u32 %r1, [%rd1;", "ld.global.u32 %r1, [%rd1];";

    /// An address is a name, optionally plus a constant expression. The grammar has no minus there: a negative offset is
    /// the sum with a negative constant.
    SUBTRACTED_OFFSET = "W0015", "offset with a minus", "ld.global.u32 %r1, [%rd1-8];", "ld.global.u32 %r1, [%rd1+-8];";

    /// An address has one name and it comes first. Sums of two registers and scaled indices have
    /// to be computed by an instruction before.
    ADDRESS_FORM = "W0016", "address that is not `name+constant`", "ld.global.u32 %r1, [4+%rd1];", "ld.global.u32 %r1, [%rd1+4];";

    /// An operand is a register, a variable, a constant expression, an address in brackets or a vector in braces. Constant
    /// expressions may be computed, but not with registers or the addresses of variables, except `name+constant`.
    OPERAND_FORM = "W0017", "expression that is not an operand", "add.u32 %r1, %r2, %r3*4;", "mad.lo.u32 %r1, %r3, 4, %r2;";

    /// Vectors hold at least one element, addresses a name or constant.
    EMPTY_GROUP = "W0018", "nothing between the brackets", "st.global.v2.u32 [%rd1], {};", "st.global.v2.u32 [%rd1], {%r1, %r2};";

    /// The elements of a vector are registers, constants or `_`: no vectors, no addresses, no sums with names.
    VECTOR_ELEMENT = "W0019", "operand that cannot be in a vector", "mov.b64 %rd1, {%r1, {%r2}};", "mov.b64 %rd1, {%r1, %r2};";

    /// `_` marks a result that is discarded. It cannot be an address, an index or part of an expression.
    MISPLACED_SINK = "W0020", "`_` where a value is needed", "ld.global.u32 %r1, [_];", "ld.global.u32 %r1, [%rd1];";

    /// Vectors and special registers have the components `.x .y .z .w` (or `.r .g .b .a`), video instructions
    /// select `.b0` to `.b3`, `.h0` and `.h1`. All are lower case, one at a time.
    UNKNOWN_COMPONENT = "W0021", "unknown component", "mov.u32 %r1, %tid.X;", "mov.u32 %r1, %tid.x;";

    /// Each modifier is a dot and, directly after it, a word of letters, digits and underscores that
    /// starts with a letter. Parts of a modifier are joined by `::`.
    MALFORMED_MODIFIER = "W0022", "malformed modifier", "ld.global..u32 %r1, [%rd1];", "ld.global.u32 %r1, [%rd1];";

    /// Some words belong to declarations and directives only and are never part of an opcode.
    DIRECTIVE_IN_OPCODE = "W0023", "directive in an opcode", "ld.reg.u32 %r1, %r2;", "mov.u32 %r1, %r2;";

    /// The body of a function has instructions, labels, declarations, blocks and a few directives.
    STATEMENT_EXPECTED = "W0024", "no statement starts like this", "4;", "mov.u32 %r1, 4;";

    /// A semicolon ends a statement; there is no empty statement.
    STRAY_SEMICOLON = "W0025", "semicolon without a statement", "ret;;", "ret;";

    /// A guard is `@` and a predicate register, or `@!` and one; it applies to one instruction, not to a block or a label.
    MALFORMED_GUARD = "W0026", "malformed guard", "@%p1 { ret; }", "@%p1 ret;";

    /// Instructions and labels belong in the body of a function. (A text without any header and function is
    /// read as the body of one.)
    OUTSIDE_FUNCTION = "W0027", "instruction outside of a function", ".version 8.0 ret;", ".version 8.0 .target sm_90 .entry k() { ret; }";

    /// `.version`, `.target` and `.address_size` come first, once, in this order. `.file`, `.section` and function bodies
    /// belong outside of functions. Performance directives belong between the head and the body of a function.
    MISPLACED_DIRECTIVE = "W0028", "directive in the wrong place", ".entry k() { .version 8.0 ret; }", ".version 8.0 .target sm_90 .entry k() { ret; }";

    /// No directive has this name. Names are case-sensitive.
    UNKNOWN_DIRECTIVE = "W0029", "unknown directive", ".globl .u32 v;", ".global .u32 v;";

    /// A declaration has one fundamental type, directly before the names: `.pred`, `.b8` to `.b128`, `.u8` to `.u64`,
    /// `.s8` to `.s64`, `.f16`, `.f16x2`, `.f32`, `.f64`. Values of alternate formats such as `.bf16` are held in `.b` registers.
    DECLARED_TYPE = "W0030", "declaration without a type it can have", ".reg .bf16 %h1;", ".reg .b16 %h1;";

    /// A declaration names the state space of the variable once: `.reg`, `.const`, `.global`, `.local`, `.param` or `.shared`.
    DECLARED_SPACE = "W0031", "declaration without exactly one state space", ".global .shared .u32 v;", ".shared .u32 v;";

    /// State space, `.align` and `.attribute` come first, then `.v2` or `.v4`, then the type, then the names.
    DECLARATION_ORDER = "W0032", "declaration in the wrong order", ".global .u32 .align 16 v;", ".global .align 16 .u32 v;";

    /// A name is a letter followed by letters, digits, `_` and `$`, or one of `_ $ %` followed by at least one of these.
    NAME_EXPECTED = "W0033", "name expected", ".global .u32 4v;", ".global .u32 v4;";

    /// The size of an array is an integer literal, not an expression; only the first may be left out. `<n>` counts registers.
    ARRAY_SIZE = "W0034", "malformed array size", ".shared .b8 s[2*8];", ".shared .b8 s[16];";

    /// `.visible`, `.extern`, `.weak` and `.common` apply to names of the module; one of them may precede
    /// a variable or function (`.common` only before a variable), and none within a function.
    MISPLACED_LINKAGE = "W0035", "linkage that does not belong here", ".visible .weak .func f();", ".visible .func f();";

    /// The prototype of an indirect call and the lists of its or a branch's targets are named by a label before them.
    LABEL_NEEDED = "W0036", "directive without its label", ".branchtargets a, b;", "table: .branchtargets a, b;";

    /// A line of words between instructions, as a manual has above and below its listings. It is read over in a snippet; the reference
    /// assembler takes comments only.
    PROSE = "W0037", "text between instructions", "Examples", "// Examples";

    /// A manual leaves operands out with `...`. In a list of numbered names the names between the two beside it are meant. In place of
    /// whole operands it makes the instruction one that cannot run: a snippet goes on without it.
    ELLIPSIS = "W0038", "operands left out", "wmma.mma.sync.aligned.m16n16k16.row.col.f32.f32 {d0, d1, d2, d3, d4, d5, d6, d7}, ...;", "// wmma.mma.sync.aligned.m16n16k16.row.col.f32.f32 {d0, d1, d2, d3, d4, d5, d6, d7}, ...;";

    /// Constant expressions are computed when the text is read, and division by zero has no result.
    DIVISION_BY_ZERO = "W0040", "division by zero in a constant", "mov.u32 %r1, 4 / 0;", "mov.u32 %r1, 4 / 2;";

    /// Both sides of an operator are integers, or both are floating-point numbers.
    CONSTANT_MISMATCH = "W0041", "constants of different kinds", "mov.f64 %fd1, 1.5 + 1;", "mov.f64 %fd1, 1.5 + 1.0;";

    /// Offsets, shifts, bit operations and conditions take integers.
    INTEGER_CONSTANT = "W0042", "integer constant expected", "ld.shared.u32 %r1, [s+1.5];", "ld.shared.u32 %r1, [s+4];";

    /// Constants are cast with `(.s64)` or `(.u64)` only.
    CONSTANT_CAST = "W0043", "unsupported cast of a constant", "mov.u32 %r1, (.u32)1;", "mov.u32 %r1, (.u64)1;";

    /// Blocks, initialisers and expressions may be nested some hundred levels deep.
    NESTED_TOO_DEEP = "W0044", "nested too deeply", "mov.u32 %r1, ((((((...))))));", "mov.u32 %r1, (1);";

    /// A variable is initialised by a constant expression, the address of a variable or function (`name`, `name+4`,
    /// `generic(name)`, `0xFF00(name)` for one byte of it), or a list of such values in braces.
    INITIALIZER = "W0045", "malformed initialiser", ".global .b8 v[4] = \"abc\";", ".global .b8 v[4] = {97, 98, 99, 0};";

    /// Each directive takes its own arguments; the message says which.
    DIRECTIVE_ARGUMENT = "W0046", "wrong argument of a directive", ".maxntid sixteen", ".maxntid 32";

    /// `.loc` and `.file` end with their line, without a semicolon; so do the directives of a function's head.
    SEMICOLON_NOT_ALLOWED = "W0047", "semicolon that is not allowed", ".loc 1 2 3;", ".loc 1 2 3";

    /// PTX has no `if`, `for` or `while`: a loop is a label and a predicated branch back to it, a condition is a predicated
    /// instruction or a predicated branch over the instructions that depend on it. `bra` to a label takes the place of `goto`, `break`
    /// and `continue`, `ret` that of `return`.
    C_CONTROL_FLOW = "W0048", "control flow of C", "if (%r1 == 0) { mov.u32 %r2, 1; }", "@%p1 mov.u32 %r2, 1;";

    /// Names of registers, variables, labels and functions have letters, digits, `_` and `$`. A dot ends a name: `%v.x` is
    /// component `x` of the vector `%v`.
    DOT_IN_NAME = "W0049", "dot in a name", ".reg .b32 %a.b;", ".reg .b32 %a_b;";
}

/// A control structure of C.
pub fn c_control_flow(span: Span, word: &str, is_loop: bool) -> Diagnostic {
    let message = format!("found `{word}`, expected an instruction or a label");
    Diagnostic::error(C_CONTROL_FLOW, span, message).help(match is_loop {
        true => "PTX has no loops: write a label, and after the body a predicated branch back to it, `@%p bra LOOP;`",
        false => {
            "PTX has no `if`: compare with `setp`, and guard instructions (`@%p`) or branch over them (`@!%p bra END;`)"
        }
    })
}

/// A jump of C.
pub fn c_jump(span: Span, word: &str) -> Diagnostic {
    let message = format!("found `{word}`, expected an instruction or a label");
    let found = Diagnostic::error(C_CONTROL_FLOW, span, message);
    match word {
        "goto" => found
            .help("write `bra`: it branches to a label")
            .fix("replace `goto` by `bra`", span, "bra"),
        "return" => found
            .help("write `ret`: results are stored in the return parameters before it")
            .fix("replace `return` by `ret`", span, "ret"),
        "continue" => found.help(
            "PTX has no loops: write a label before the increment of the loop, and branch to it, `bra NEXT;`",
        ),
        _ => found.help("PTX has no loops: write a label after the loop, and branch to it, `bra END;`"),
    }
}

/// A name with a dot.
pub fn dot_in_name(span: Span, name: &str) -> Diagnostic {
    let message = format!("found `{name}`, expected a name without a dot: names end at a dot");
    let fixed = name.replace('.', "_");
    Diagnostic::error(DOT_IN_NAME, span, message).help(format!("write `{fixed}`"))
}

/// A token, as messages name it.
#[derive(Clone, Debug)]
pub struct Found {
    pub span: Span,
    /// `` `ret` `` or `the end of the text`.
    pub name: String,
}

/// The text does not fit 32-bit offsets.
pub fn source_too_large(n_bytes: usize) -> Diagnostic {
    Diagnostic::error(
        SOURCE_TOO_LARGE,
        Span::at(0),
        format!("found a source of {n_bytes} bytes, expected at most 4294967294"),
    )
}

/// The limit of diagnostics is reached at `span`.
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

/// A text that is not PTX, known by the word at `span`.
pub fn other_language(span: Span, language: &str, way_to_ptx: &str) -> Diagnostic {
    let message = format!("found {language}, expected PTX or a listing of machine code");
    Diagnostic::error(OTHER_LANGUAGE, span, message).help(way_to_ptx)
}

/// PTX that was copied with what is around it on a page; `span` is where that is first seen.
pub fn wrapped(span: Span, wrapping: &str) -> Diagnostic {
    let message = format!("found {wrapping} around the text, expected PTX alone");
    Diagnostic::error(OTHER_LANGUAGE, span, message).help("copy the kernel without it")
}

/// PTX whose names a page shows as those of C++.
pub fn demangled(span: Span) -> Diagnostic {
    let message = "found names of C++ with their parameters, expected those of the PTX";
    Diagnostic::error(OTHER_LANGUAGE, span, message)
        .help("a page made them readable: turn off its option to demangle identifiers, and copy the text again")
}

/// A byte order mark before the text.
pub fn byte_order_mark(span: Span) -> Diagnostic {
    let message = "the text begins with a byte order mark (U+FEFF), which PTX does not allow";
    Diagnostic::error(FOREIGN_CHARACTER, span, message).fix("remove the byte order mark", span, "")
}

/// Bytes outside of the character set.
pub fn foreign_character(span: Span, text: &str) -> Diagnostic {
    let message = match text.chars().next() {
        Some(c) if c.is_ascii() => format!(
            "found the control character 0x{:02x}, which is not allowed in PTX",
            c as u32
        ),
        Some(c) => format!(
            "found `{}` (U+{:04X}), expected ASCII outside of comments",
            c.escape_debug(),
            c as u32
        ),
        None => "found a character outside of ASCII".to_owned(),
    };
    Diagnostic::error(FOREIGN_CHARACTER, span, message)
}

/// A string with characters outside of ASCII, which the assembler rejects in every string.
pub fn string_outside_ascii(span: Span, source: &str) -> Option<Diagnostic> {
    let text = span.text(source);
    let (offset, first) = text.char_indices().find(|(_, c)| !c.is_ascii())?;
    let start = span.start + offset as u32;
    let message = format!(
        "found `{}` (U+{:04X}) in a string, expected ASCII",
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
            .help("comments may contain any characters")
            .fix(format!("write {spelled}"), span, spelled),
    )
}

/// `/*` up to the end of the text.
pub fn unclosed_comment(span: Span) -> Diagnostic {
    let opening = Span::new(span.start, span.end.min(span.start + 2));
    Diagnostic::error(
        UNCLOSED_COMMENT,
        opening,
        "expected `*/` to end this comment",
    )
    .help("the rest of the text is part of the comment")
}

/// A string up to the end of its line.
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

/// A literal that cannot be read, with the reason.
pub fn malformed_number(span: Span, text: &str, reason: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        MALFORMED_NUMBER,
        span,
        format!("`{text}` is not a number: {reason}"),
    );
    match text.strip_suffix('u') {
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => diagnostic.fix(
            "write the suffix in upper case",
            Span::new(span.end - 1, span.end),
            "U",
        ),
        _ => diagnostic,
    }
}

/// Whether a number is written as a decimal floating-point literal.
pub(crate) fn is_decimal_float(text: &str) -> bool {
    !text.starts_with("0x") && text.contains(['.', 'e', 'E'])
}

/// A literal beyond 64 bits or the largest double.
pub fn constant_overflow(span: Span, text: &str) -> Diagnostic {
    let float = is_decimal_float(text);
    Diagnostic::error(
        CONSTANT_OVERFLOW,
        span,
        format!(
            "`{text}` {}",
            if float {
                "is larger than the largest double"
            } else {
                "does not fit 64 bits"
            }
        ),
    )
}

/// A number that is too large for its directive.
pub(crate) fn argument_overflow(span: Span, text: &str, n_bits: u32) -> Diagnostic {
    let message = format!("`{text}` does not fit {n_bits} bits");
    Diagnostic::error(CONSTANT_OVERFLOW, span, message)
}

/// A label where there is no room for an address.
pub(crate) fn address_in_debug_data(span: Span, n_bits: u32) -> Diagnostic {
    let message = format!("found a label in `.b{n_bits}` data, expected `.b32` or `.b64`");
    Diagnostic::error(DIRECTIVE_ARGUMENT, span, message)
}

/// A literal that the assembler cuts.
pub fn constant_wraps(span: Span, text: &str, value: u64) -> Diagnostic {
    Diagnostic::warning(
        CONSTANT_WRAPS,
        span,
        format!("`{text}` does not fit 64 bits; the assembler reads it as {value:#x}"),
    )
}

/// A statement that just stops. `end` is where the semicolon belongs.
pub fn missing_semicolon(end: u32, what: &str, next: &Found) -> Diagnostic {
    let last = Span::new(end.saturating_sub(1), end);
    Diagnostic::error(
        MISSING_SEMICOLON,
        last,
        format!("expected `;` to end this {what}, found {}", next.name),
    )
    .label(next.span, "found here")
    .fix("insert `;`", Span::at(end), ";")
}

/// A finding about what manuals print and the reference assembler refuses: a snippet runs as if its fix were applied.
pub fn tolerated(found: Diagnostic) -> Diagnostic {
    let help = "the reference assembler refuses this; a snippet runs as if it were mended";
    Diagnostic {
        severity: Severity::Warning,
        help: Some(help.to_owned()),
        is_tolerated: true,
        ..found
    }
}

/// Characters of typeset text in place of those of a program, each with the text that it means.
pub fn typeset(found: &[(Span, &str)]) -> Diagnostic {
    let first = found.first().map_or(Span::at(0), |(span, _)| *span);
    let message = match found.len() {
        1 => "found a character of typeset text, expected ASCII".to_owned(),
        n => format!("found {n} characters of typeset text, expected ASCII"),
    };
    let edits = found.iter().map(|(span, text)| Edit {
        span: *span,
        text: (*text).to_owned(),
    });
    let mut diagnostic = Diagnostic::error(FOREIGN_CHARACTER, first, message)
        .help("chats, documents and pages write such spaces, quotation marks and dashes");
    diagnostic.fixes.push(Fix {
        title: "write them in ASCII".to_owned(),
        edits: edits.collect(),
    });
    diagnostic
}

/// A file of machine code as it is.
pub fn compiled_file(mark: Span) -> Diagnostic {
    Diagnostic::error(OTHER_LANGUAGE, mark, "found a compiled file (ELF), expected text").help(
        "print its PTX with `cuobjdump -ptx` or its machine code with `cuobjdump -sass`, and paste what comes out",
    )
}

/// What an assembler says of a module, without the module.
pub fn assembler_message(line: Span) -> Diagnostic {
    Diagnostic::error(
        OTHER_LANGUAGE,
        line,
        "found a message of the assembler, expected PTX",
    )
    .help("paste the PTX that the message is about: what is wrong is said at its line")
}

/// A line of words in a snippet.
pub fn prose(line: Span) -> Diagnostic {
    Diagnostic::error(
        PROSE,
        line,
        "found text, expected an instruction or a comment",
    )
    .fix("make it a comment", Span::at(line.start), "// ")
}

/// `...` in place of operands; `line_starts` are where the lines of the statement begin.
pub fn operands_left_out(dots: Span, line_starts: &[u32]) -> Diagnostic {
    let mut found = Diagnostic::error(
        ELLIPSIS,
        dots,
        "found `...` in place of operands: this instruction is left out of the run",
    );
    let edits = line_starts.iter().map(|start| Edit {
        span: Span::at(*start),
        text: "// ".to_owned(),
    });
    found.fixes.push(Fix {
        title: "make it a comment".to_owned(),
        edits: edits.collect(),
    });
    found
}

/// `...` between two numbered names of a list, which means `names`.
pub fn elements_left_out(dots: Span, names: &str) -> Diagnostic {
    Diagnostic::error(ELLIPSIS, dots, format!("found `...`, expected `{names}`")).fix(
        "write the names",
        dots,
        names,
    )
}

/// Something else is expected here.
pub fn unexpected(found: &Found, expected: &str) -> Diagnostic {
    Diagnostic::error(
        UNEXPECTED_TOKEN,
        found.span,
        format!("found {}, expected {expected}", found.name),
    )
}

/// The text ends within a function or block.
pub fn unclosed_brace(open: Span, found: &Found) -> Diagnostic {
    Diagnostic::error(
        UNCLOSED_BRACE,
        found.span,
        format!("found {}, expected `}}` to close an open `{{`", found.name),
    )
    .label(open, "this `{` is not closed")
    .fix("insert `}`", Span::at(found.span.start), "}\n")
}

/// A `}` too many.
pub fn unmatched_brace(span: Span) -> Diagnostic {
    Diagnostic::error(UNMATCHED_BRACE, span, "found `}` without an open `{`").fix(
        "remove `}`",
        span,
        "",
    )
}

/// A bracket that is open when something else comes.
pub fn unclosed_group(open: Span, close: &str, found: &Found) -> Diagnostic {
    Diagnostic::error(
        UNCLOSED_GROUP,
        found.span,
        format!("found {}, expected {close}", found.name),
    )
    .label(open, "opened here")
}

/// `name-8` in an address or operand; `minus` is the place of the minus.
pub fn subtracted_offset(source: &str, minus: Span) -> Diagnostic {
    let found = Diagnostic::error(
        SUBTRACTED_OFFSET,
        minus,
        "found `-`, expected `+`: a negative offset is added, `+-8`",
    );
    let rest = source.get(minus.end as usize..).unwrap_or("");
    let is_in_name = rest.starts_with(|c: char| c.is_ascii_alphabetic())
        && source
            .get(..minus.start as usize)
            .is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric()));
    if is_in_name {
        // The manual itself writes `cache-policy`.
        let message = "found `-`, which cannot be part of a name";
        return Diagnostic::error(SUBTRACTED_OFFSET, minus, message)
            .help("names have letters, digits, `_`, `$` and `%`; offsets are added")
            .fix("write `_`", minus, "_");
    }
    match rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        true => found.fix("write `+-`", minus, "+-"),
        false => found.help("an offset is a constant after `+`"),
    }
}

/// Two names in an address, or a name where the offset belongs.
pub fn name_as_offset(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_FORM,
        span,
        format!("found `{text}`, expected a constant: an address has one name"),
    )
    .help("compute the sum into a register first")
}

/// `[4+%rd1]`
pub fn constant_before_name(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_FORM,
        span,
        format!("found `{text}` after a constant, expected the name first: `[{text}+4]`"),
    )
}

/// Anything else that is not an address.
pub fn address_form(found: &Found) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_FORM,
        found.span,
        format!(
            "found {}, expected an address: a name or a constant",
            found.name
        ),
    )
    .help("an address is `[name]` or `[name+constant]`")
}

/// An operator after a name.
pub fn operator_on_name(operator: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        OPERAND_FORM,
        operator,
        format!("found `{text}` after a name: the only expression with a name is `name+constant`"),
    )
}

/// A name within a constant expression.
pub fn name_in_constant(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        OPERAND_FORM,
        span,
        format!("found `{text}`, expected a constant"),
    )
}

/// `[]`, `{}`
pub fn empty_group(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(
        EMPTY_GROUP,
        span,
        format!("{what} needs at least one element"),
    )
}

/// An element that is more than a register or constant.
pub fn vector_element(found: &Found, holder: &str) -> Diagnostic {
    Diagnostic::error(
        VECTOR_ELEMENT,
        found.span,
        format!(
            "found {} in {holder}, expected a register, a constant or `_`",
            found.name
        ),
    )
}

/// `_` in an address, an expression, as a name.
pub fn misplaced_sink(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(MISPLACED_SINK, span, format!("found `_`, expected {what}"))
}

/// `.foo` after a name.
pub fn unknown_component(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(UNKNOWN_COMPONENT, span, format!("unknown component `{text}`"))
        .help("components are `.x .y .z .w`, `.r .g .b .a`, and `.b0` to `.b3`, `.h0`, `.h1` of video instructions")
}

/// A component in an address or list, where a plain name belongs.
pub fn component_not_allowed(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        UNKNOWN_COMPONENT,
        span,
        format!("found `{text}`, expected a register or variable without a component"),
    )
}

/// A dot without a word after it.
pub fn lone_dot(span: Span) -> Diagnostic {
    Diagnostic::error(
        MALFORMED_MODIFIER,
        span,
        "found `.`, expected a modifier directly after it",
    )
}

/// A modifier that starts with a digit or the like, or a broken `::`.
pub fn malformed_modifier(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        MALFORMED_MODIFIER,
        span,
        format!(
            "`{text}` is not a modifier: a modifier starts with a letter, and its parts are joined by `::`"
        ),
    )
}

/// A word of declarations in an opcode.
pub fn directive_in_opcode(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        DIRECTIVE_IN_OPCODE,
        span,
        format!("`{text}` is a directive and cannot be a modifier"),
    )
}

/// Something in a body that does not start a statement.
pub fn statement_expected(found: &Found) -> Diagnostic {
    Diagnostic::error(
        STATEMENT_EXPECTED,
        found.span,
        format!(
            "found {}, expected an instruction, a label or a declaration",
            found.name
        ),
    )
}

/// `;;`
pub fn stray_semicolon(span: Span) -> Diagnostic {
    Diagnostic::error(STRAY_SEMICOLON, span, "found `;` without a statement").fix(
        "remove `;`",
        span,
        "",
    )
}

/// A malformed guard, or a guard before something else than an instruction.
pub fn malformed_guard(found: &Found, expected: &str) -> Diagnostic {
    Diagnostic::error(
        MALFORMED_GUARD,
        found.span,
        format!("found {} after `@`, expected {expected}", found.name),
    )
}

/// An instruction or label at module level.
pub fn outside_function(span: Span) -> Diagnostic {
    Diagnostic::error(
        OUTSIDE_FUNCTION,
        span,
        "found an instruction or label outside of a function",
    )
    .help("move it between the `{` and `}` of an `.entry` or `.func`")
}

/// A directive that belongs elsewhere, with where.
pub fn misplaced_directive(span: Span, text: &str, place: &str) -> Diagnostic {
    Diagnostic::error(MISPLACED_DIRECTIVE, span, format!("`{text}` {place}"))
}

/// A directive that does not exist.
pub fn unknown_directive(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        UNKNOWN_DIRECTIVE,
        span,
        format!("unknown directive `{text}`"),
    )
}

/// A declaration whose type is missing.
pub fn type_expected(found: &Found) -> Diagnostic {
    Diagnostic::error(
        DECLARED_TYPE,
        found.span,
        format!(
            "found {}, expected the type of the declaration, such as `.u32`",
            found.name
        ),
    )
}

/// A type of instructions that declarations do not have, with one to use instead.
pub fn undeclarable_type(span: Span, text: &str, instead: Option<&'static str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        DECLARED_TYPE,
        span,
        format!("a variable or register cannot have the type `{text}`"),
    );
    match instead {
        Some(instead) => diagnostic.fix(format!("declare it as `{instead}`"), span, instead),
        None => diagnostic,
    }
}

/// A declaration without a state space.
pub fn space_expected(span: Span) -> Diagnostic {
    Diagnostic::error(
        DECLARED_SPACE,
        span,
        "expected a state space in this declaration",
    )
    .help("begin it with `.reg`, `.const`, `.global`, `.local`, `.param` or `.shared`")
}

/// Two state spaces.
pub fn several_spaces(second: Span, first: Span) -> Diagnostic {
    Diagnostic::error(
        DECLARED_SPACE,
        second,
        "found a second state space, expected one",
    )
    .label(first, "the first one")
}

/// A state space with a suffix, or one that variables do not have.
pub fn undeclarable_space(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        DECLARED_SPACE,
        span,
        format!("a variable or register cannot be declared in `{text}`"),
    )
}

/// A specifier after the place where it belongs.
pub fn declaration_order(span: Span, text: &str, place: &str) -> Diagnostic {
    Diagnostic::error(
        DECLARATION_ORDER,
        span,
        format!("`{text}` must come {place}"),
    )
}

/// A name is missing.
pub fn name_expected(found: &Found, what: &str) -> Diagnostic {
    Diagnostic::error(
        NAME_EXPECTED,
        found.span,
        format!("found {}, expected the name of {what}", found.name),
    )
}

/// A name that PTX reserves.
pub fn reserved_name(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        NAME_EXPECTED,
        span,
        format!("`{text}` is a word of PTX and cannot be declared"),
    )
}

/// An array size or register count that is not a literal.
pub fn array_size(found: &Found, expected: &str) -> Diagnostic {
    Diagnostic::error(
        ARRAY_SIZE,
        found.span,
        format!("found {}, expected {expected}", found.name),
    )
}

/// A linkage word in the wrong place.
pub fn misplaced_linkage(span: Span, text: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(MISPLACED_LINKAGE, span, format!("`{text}` {reason}"))
}

/// `.branchtargets` or a similar directive without a label.
pub fn label_needed(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        LABEL_NEEDED,
        span,
        format!("expected a label directly before `{text}`"),
    )
}

/// `/ 0` or `% 0`
pub fn division_by_zero(span: Span) -> Diagnostic {
    Diagnostic::error(DIVISION_BY_ZERO, span, "this constant divides by zero")
}

/// An integer and a floating-point number.
pub fn constant_mismatch(span: Span) -> Diagnostic {
    Diagnostic::error(
        CONSTANT_MISMATCH,
        span,
        "found an integer and a floating-point number, expected two of one kind",
    )
    .help("write `1.0` instead of `1`")
}

/// A floating-point number where an integer belongs.
pub fn integer_constant(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(
        INTEGER_CONSTANT,
        span,
        format!("expected an integer constant for {what}"),
    )
}

/// A cast to something else than a 64-bit integer.
pub fn constant_cast(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(
        CONSTANT_CAST,
        span,
        format!("constants cannot be cast to `{text}`, only to `.s64` or `.u64`"),
    )
}

/// The limit of nesting is reached.
pub fn nested_too_deep(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(
        NESTED_TOO_DEEP,
        span,
        format!("{what} are nested too deeply"),
    )
}

/// Something that is not an initialiser.
pub fn initializer(found: &Found, expected: &str) -> Diagnostic {
    Diagnostic::error(
        INITIALIZER,
        found.span,
        format!("found {}, expected {expected}", found.name),
    )
}

/// An argument that the directive does not take.
pub fn directive_argument(found: &Found, directive: &str, expected: &str) -> Diagnostic {
    Diagnostic::error(
        DIRECTIVE_ARGUMENT,
        found.span,
        format!(
            "found {}, expected {expected} for `{directive}`",
            found.name
        ),
    )
}

/// `;` after `.loc` and similar directives.
pub fn semicolon_not_allowed(span: Span, directive: &str) -> Diagnostic {
    Diagnostic::error(
        SEMICOLON_NOT_ALLOWED,
        span,
        format!("found `;` after `{directive}`, which ends without one"),
    )
    .fix("remove `;`", span, "")
}
