//! Architectures and opcodes: codes W1010 to W1019.

use warpgrid_isa::Target;
use warpgrid_program::{CodeFacts, Diagnostic, Severity, Span};

/// The reference pages.
#[rustfmt::skip]
pub(crate) const PAGES: &[CodeFacts] = &[
    CodeFacts::page("W1010", "unknown architecture", "The text is for an architecture that the tables do not have. It is checked for the nearest older one.", ".target sm_999", ".target sm_90"),
    CodeFacts::page("W1011", "architecture not stated", "Machine code is of one architecture, and a text without `.target` or `code for` does not say which. The newest one that has all stores of the text was taken.", "STS [R2.X4], R3;", ".target sm_86\nSTS [R2.X4], R3;"),
    CodeFacts::page("W1012", "several architectures", "Each part of the text is checked for the architecture that it states; one of them runs.", ".target sm_75\nEXIT;\n.target sm_90\nEXIT;", ".target sm_75\nEXIT;"),
    CodeFacts::page("W1013", "unknown opcode", "The tables do not have the opcode. The instruction is kept and not analysed; the rest of the text is.", "STX [R2], R3;", "STS [R2], R3;"),
    CodeFacts::page("W1014", "opcode in lower case", "Disassemblers print opcodes and registers in upper case.", "sts [R2], R3;", "STS [R2], R3;"),
    CodeFacts::page("W1015", "instruction that is not run", "The instruction is read, and what it does is not known or not emulated. The others run; a run that comes to this one stops there.", ".target sm_100\nPIXLD.COVMASK R0;", ".target sm_90\nLDG.E R4, desc[UR4][R2.64];"),
    CodeFacts::page("W1016", "NaN without its bits", "The disassembler prints `QNAN` for every literal that has the exponent of a NaN, for example for the upper word of an infinity in double precision. `QNAN` does not state the bits; the encoding, which `-hex` prints, contains them. Without the encoding, the literal is the canonical NaN.", "FSEL R5, R5, -QNAN, P0;", "FSEL R5, R5, RZ, P0;"),
];

fn information(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.severity = Severity::Information;
    diagnostic
}

/// An architecture that the tables do not have.
pub(crate) fn unknown_target(span: Span, found: &str, taken: &Target) -> Diagnostic {
    let message = format!("found architecture `{found}`, which the tables do not have");
    Diagnostic::warning("W1010", span, message).help(format!(
        "the text is checked for `{}`; expected one such as `sm_90`",
        taken.name
    ))
}

/// No architecture.
pub(crate) fn target_not_stated(span: Span, taken: &Target) -> Diagnostic {
    let message = format!(
        "no architecture is stated: the text is checked for `{}`",
        taken.name
    );
    information(Diagnostic::error("W1011", span, message)).fix(
        format!("state `.target {}`", taken.name),
        Span::at(0),
        format!(".target {}\n", taken.name),
    )
}

/// A second architecture.
pub(crate) fn several_targets(span: Span, first: &Target, found: &Target) -> Diagnostic {
    let message = format!(
        "the text is for `{}` above and for `{}` from here on",
        first.name, found.name
    );
    information(Diagnostic::error("W1012", span, message))
        .help("each part is checked for its own architecture")
}

/// An opcode that the table does not have.
pub(crate) fn unknown_opcode(span: Span, found: &str, near: Option<&str>) -> Diagnostic {
    let message = format!("unknown opcode `{found}`: the instruction is kept and not analysed");
    let diagnostic = Diagnostic::warning("W1013", span, message);
    match near {
        Some(near) => diagnostic.fix(format!("replace `{found}` by `{near}`"), span, near),
        None => diagnostic,
    }
}

/// An opcode in lower case.
pub(crate) fn lower_case(span: Span, found: &str) -> Diagnostic {
    let upper = found.to_ascii_uppercase();
    let message = format!("found `{found}`, expected upper case: `{upper}`");
    Diagnostic::error("W1014", span, message).fix(format!("write `{upper}`"), span, upper)
}

/// A NaN literal without its bits, the first of `n`.
pub(crate) fn undetermined_literal(span: Span, found: &str, n: usize) -> Diagnostic {
    let others = match n {
        0 | 1 => String::new(),
        2 => "; so is 1 other literal".to_owned(),
        n => format!("; so are {} other literals", n - 1),
    };
    let found = found.trim();
    let message = format!("`{found}` is printed without its bits{others}");
    Diagnostic::warning("W1016", span, message).help(
        "the canonical NaN is taken, but the upper word of an infinity in double precision is printed so, too; list the code with `nvdisasm -hex`, which prints the encoding",
    )
}

/// An instruction that cannot be executed: what of it is not known.
pub(crate) fn not_run(span: Span, mnemonic: &str, what: &str) -> Diagnostic {
    let message = format!("`{mnemonic}` is not run: {what}");
    Diagnostic::warning("W1015", span, message)
        .help("the other instructions run; a run that comes to this one stops there")
}
