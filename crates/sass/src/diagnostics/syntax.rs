//! What cannot be read: codes W1000 to W1009.

use crate::syntax::{SyntaxError, SyntaxErrorKind};
use warpgrid_program::{CodeFacts, Diagnostic, Span};

/// The reference pages.
#[rustfmt::skip]
pub(crate) const PAGES: &[CodeFacts] = &[
    CodeFacts::page("W1000", "not a line of SASS", "A line is an instruction, a label, a directive, or one of the lines that disassemblers print between functions. The line is kept and left out of the run.", "=> 3 STS", "STS [R2], R3;"),
    CodeFacts::page("W1001", "guard without a predicate", "After `@` or `@!` comes a predicate: `P0` to `P6`, `PT`, `UP0` to `UP6` or `UPT`.", "@R1 STS [R2], R3;", "@P1 STS [R2], R3;"),
    CodeFacts::page("W1002", "no opcode", "After the guard comes the opcode.", "@P0 ;", "@P0 EXIT;"),
    CodeFacts::page("W1003", "not an operand", "An operand is a register, a number, an address, a constant `c[0x0][0x160]`, a label or a word. Commas are between operands only.", "STS [R2], ;", "STS [R2], R3;"),
    CodeFacts::page("W1004", "not an address", "Between brackets are registers and at most one offset, joined by `+` or `-`.", "STS [R2 * 4], R3;", "STS [R2.X4], R3;"),
    CodeFacts::page("W1005", "bracket without an end", "Brackets, bars, braces and parentheses are closed on the line that opens them.", "STS [R2, R3;", "STS [R2], R3;"),
    CodeFacts::page("W1006", "dot without a word", "A dot begins a modifier.", "STS. [R2], R3;", "STS [R2], R3;"),
    CodeFacts::page("W1007", "number that cannot be read", "Numbers are decimal, hexadecimal after `0x`, or floats, and fit 64 bits.", "MOV R1, 0xz;", "MOV R1, 0xf;"),
    CodeFacts::page("W1008", "comment without an end", "A comment that begins with `/*` ends with `*/` before the next one begins.", "STS [R2], R3; /* data", "STS [R2], R3; /* data */"),
];

/// A place that could not be read.
pub(crate) fn syntax(error: &SyntaxError) -> Diagnostic {
    let span = error.span;
    let report = |code, message: &str| Diagnostic::error(code, span, message);
    match error.kind {
        SyntaxErrorKind::NotAStatement => report(
            "W1000",
            "this line is no instruction, label, directive or header",
        ),
        SyntaxErrorKind::Guard => report("W1001", "expected a predicate after `@`")
            .help("predicates are `P0` to `P6`, `PT`, `UP0` to `UP6` and `UPT`"),
        SyntaxErrorKind::NoOpcode => report("W1002", "expected an opcode"),
        SyntaxErrorKind::Operand => report("W1003", "expected an operand"),
        SyntaxErrorKind::Address => report("W1004", "expected a register or an offset")
            .help("an address is such as `[R2+0x10]`, `[R2.64+-0x8]` or `desc[UR4][R2.64]`"),
        SyntaxErrorKind::Open(open) => report("W1005", &format!("`{open}` is not closed")),
        SyntaxErrorKind::Modifier => report("W1006", "expected a modifier after the dot"),
        SyntaxErrorKind::Number => report("W1007", "this number cannot be read"),
        SyntaxErrorKind::Comment => report("W1008", "this comment has no end"),
    }
}

/// A control-flow graph in the language of Graphviz, in place of a listing.
pub(crate) fn graph(source: &str) -> Option<Diagnostic> {
    const KEYWORD: &str = "digraph";
    let start = source.len() - source.trim_start().len();
    let is_graph = source[start..].strip_prefix(KEYWORD)?.starts_with(' ');
    let span = Span::new(start as u32, (start + KEYWORD.len()) as u32);
    let message = "found a control-flow graph, expected a listing";
    let help = "`nvdisasm` without `-cfg` and `-bbcfg` prints a listing";
    is_graph.then(|| Diagnostic::error("W1000", span, message).help(help))
}
