//! Diagnostics of syntax errors: codes W1000 to W1009.

use crate::syntax::{SyntaxError, SyntaxErrorKind};
use warpgrid_program::{Diagnostic, DiagnosticDoc, Span};

/// Reference pages of these diagnostics.
#[rustfmt::skip]
pub(crate) const PAGES: &[DiagnosticDoc] = &[
    DiagnosticDoc::page("W1000", "not a line of SASS", "A line must be an instruction, a label, a directive, or a header line that disassemblers print between functions. The line is ignored when the listing is run.", "=> 3 STS", "STS [R2], R3;"),
    DiagnosticDoc::page("W1001", "guard without a predicate", "`@` or `@!` must be followed by a predicate: `P0` to `P6`, `PT`, `UP0` to `UP6` or `UPT`.", "@R1 STS [R2], R3;", "@P1 STS [R2], R3;"),
    DiagnosticDoc::page("W1002", "no opcode", "A guard must be followed by an opcode.", "@P0 ;", "@P0 EXIT;"),
    DiagnosticDoc::page("W1003", "not an operand", "An operand must be a register, a number, an address, a constant `c[0x0][0x160]`, a label or a keyword. Commas are allowed only between operands.", "STS [R2], ;", "STS [R2], R3;"),
    DiagnosticDoc::page("W1004", "not an address", "An address in brackets consists of registers and at most one offset, joined by `+` or `-`.", "STS [R2 * 4], R3;", "STS [R2.X4], R3;"),
    DiagnosticDoc::page("W1005", "unclosed bracket", "Brackets, bars, braces and parentheses must be closed on the same line.", "STS [R2, R3;", "STS [R2], R3;"),
    DiagnosticDoc::page("W1006", "missing modifier after a dot", "A dot must be followed by a modifier.", "STS. [R2], R3;", "STS [R2], R3;"),
    DiagnosticDoc::page("W1007", "malformed number", "Numbers must be decimal, hexadecimal with `0x`, or floating-point, and fit in 64 bits.", "MOV R1, 0xz;", "MOV R1, 0xf;"),
    DiagnosticDoc::page("W1008", "unterminated comment", "A comment that starts with `/*` must end with `*/` before the next comment.", "STS [R2], R3; /* data", "STS [R2], R3; /* data */"),
];

/// Reports a syntax error.
pub(crate) fn syntax(error: &SyntaxError) -> Diagnostic {
    let span = error.span;
    let report = |code, message: &str| Diagnostic::error(code, span, message);
    match error.kind {
        SyntaxErrorKind::NotAStatement => report(
            "W1000",
            "expected an instruction, a label, a directive or a header line",
        ),
        SyntaxErrorKind::Guard => report("W1001", "expected a predicate after `@`")
            .help("expected `P0` to `P6`, `PT`, `UP0` to `UP6` or `UPT`"),
        SyntaxErrorKind::NoOpcode => report("W1002", "expected an opcode"),
        SyntaxErrorKind::Operand => report("W1003", "expected an operand"),
        SyntaxErrorKind::Address => report("W1004", "expected a register or an offset")
            .help("write an address such as `[R2+0x10]`, `[R2.64+-0x8]` or `desc[UR4][R2.64]`"),
        SyntaxErrorKind::Open(open) => report("W1005", &format!("unclosed `{open}`")),
        SyntaxErrorKind::Modifier => report("W1006", "expected a modifier after the dot"),
        SyntaxErrorKind::Number => report("W1007", "malformed number"),
        SyntaxErrorKind::Comment => report("W1008", "unterminated comment"),
    }
}

/// Reports a control-flow graph in Graphviz syntax instead of a disassembly listing.
pub(crate) fn graph(source: &str) -> Option<Diagnostic> {
    const KEYWORD: &str = "digraph";
    let start = source.len() - source.trim_start().len();
    let is_graph = source[start..].strip_prefix(KEYWORD)?.starts_with(' ');
    let span = Span::new(start as u32, (start + KEYWORD.len()) as u32);
    let message = "found a control-flow graph, expected a SASS listing";
    let help = "run `nvdisasm` without `-cfg` and `-bbcfg`";
    is_graph.then(|| Diagnostic::error("W1000", span, message).help(help))
}
