//! Diagnostics of architectures and opcodes: codes W1010 to W1019.

use warpgrid_isa::Target;
use warpgrid_program::{Diagnostic, DiagnosticDoc, Severity, Span, counted};

/// Reference pages of these diagnostics.
#[rustfmt::skip]
pub(crate) const PAGES: &[DiagnosticDoc] = &[
    DiagnosticDoc::page("W1010", "unknown architecture", "The listing is for an unknown architecture. Warpgrid uses the rules of the nearest older architecture.", ".target sm_999", ".target sm_90"),
    DiagnosticDoc::page("W1011", "unspecified architecture", "SASS is specific to an architecture, which `.target` or `code for` specifies. Without these lines, Warpgrid assumes the newest architecture that supports all stores of the listing.", "STS [R2.X4], R3;", ".target sm_86\nSTS [R2.X4], R3;"),
    DiagnosticDoc::page("W1012", "several architectures", "Each part of the listing is checked for its own architecture. Only one architecture can be run.", ".target sm_75\nEXIT;\n.target sm_90\nEXIT;", ".target sm_75\nEXIT;"),
    DiagnosticDoc::page("W1013", "unknown opcode", "The opcode is unknown. The instruction is not analysed, but the rest of the listing is analysed.", "STX [R2], R3;", "STS [R2], R3;"),
    DiagnosticDoc::page("W1014", "opcode in lower case", "Disassemblers print opcodes and registers in upper case.", "sts [R2], R3;", "STS [R2], R3;"),
    DiagnosticDoc::page("W1015", "instruction not supported by the emulator", "The instruction is recognized, but its effect is undocumented or not supported by the emulator. Execution stops at this instruction.", ".target sm_100\nPIXLD.COVMASK R0;", ".target sm_90\nLDG.E R4, desc[UR4][R2.64];"),
    DiagnosticDoc::page("W1016", "NaN with unknown bits", "The disassembler prints `QNAN` for every immediate with the exponent of a NaN, for example the upper word of a double-precision infinity. `QNAN` does not specify the bits of the immediate, but the encoding that `-hex` prints does. Without the encoding, Warpgrid assumes the canonical NaN.", "FSEL R5, R5, -QNAN, P0;", "FSEL R5, R5, RZ, P0;"),
];

fn information(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.severity = Severity::Information;
    diagnostic
}

/// Reports an architecture that is not in the tables.
pub(crate) fn unknown_target(span: Span, found: &str, taken: &Target) -> Diagnostic {
    let message = format!("unknown architecture `{found}`");
    Diagnostic::warning("W1010", span, message).help(format!(
        "the listing is checked for `{}`; specify an architecture such as `sm_90`",
        taken.name
    ))
}

/// Reports a source that does not specify an architecture.
pub(crate) fn target_not_stated(span: Span, taken: &Target) -> Diagnostic {
    let message = format!(
        "the listing specifies no architecture, so it is checked for `{}`",
        taken.name
    );
    information(Diagnostic::error("W1011", span, message)).fix(
        format!("add `.target {}`", taken.name),
        Span::at(0),
        format!(".target {}\n", taken.name),
    )
}

/// Reports a second architecture in the same source.
pub(crate) fn several_targets(span: Span, first: &Target, found: &Target) -> Diagnostic {
    let message = format!(
        "the listing is for `{}` before this line and for `{}` from this line on",
        first.name, found.name
    );
    information(Diagnostic::error("W1012", span, message))
        .help("each part of the listing is checked for its own architecture")
}

/// Reports an opcode that is not in the table.
pub(crate) fn unknown_opcode(span: Span, found: &str, near: Option<&str>) -> Diagnostic {
    let message = format!("unknown opcode `{found}`, so the instruction is not analysed");
    let diagnostic = Diagnostic::warning("W1013", span, message);
    match near {
        Some(near) => diagnostic.fix(format!("replace `{found}` with `{near}`"), span, near),
        None => diagnostic,
    }
}

/// Reports an opcode that is written in lower case.
pub(crate) fn lower_case(span: Span, found: &str) -> Diagnostic {
    let upper = found.to_ascii_uppercase();
    let message = format!("found `{found}`, expected the upper-case spelling `{upper}`");
    Diagnostic::error("W1014", span, message).fix(format!("write `{upper}`"), span, upper)
}

/// Reports the first of `n` NaN literals whose bits the listing does not contain.
pub(crate) fn undetermined_literal(span: Span, found: &str, n: usize) -> Diagnostic {
    let others = match n {
        0 | 1 => String::new(),
        n => format!(" and {}", counted(n - 1, "other immediate")),
    };
    let found = found.trim();
    let message = format!("the bits of `{found}`{others} are unknown");
    Diagnostic::warning("W1016", span, message).help(
        "disassemble with `nvdisasm -hex`, which prints the encoding; without the encoding, the canonical NaN is assumed, although `QNAN` can also be the upper word of a double-precision infinity",
    )
}

/// Reports an instruction that the emulator does not support. `what` is the unsupported modifier or operand.
pub(crate) fn not_run(span: Span, mnemonic: &str, what: &str) -> Diagnostic {
    let message = format!("`{mnemonic}` is not supported by the emulator: {what}");
    Diagnostic::warning("W1015", span, message).help("execution stops at this instruction")
}
