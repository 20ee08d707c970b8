//! Diagnostics of stores: codes W1100 to W1119.

use crate::syntax::{Register, RegisterFile, RegisterNumber};
use crate::target_abi::TargetAbi;
use warpgrid_isa::sass::{AddressShape, MnemonicSlot, StoreOpcode};
use warpgrid_isa::{Target, TargetRequirement};
use warpgrid_program::{Diagnostic, DiagnosticDoc, Requirement, Span};

/// Reference pages. A rejected example specifies an architecture if the diagnostic depends on the architecture.
#[rustfmt::skip]
pub(crate) const PAGES: &[DiagnosticDoc] = &[
    DiagnosticDoc::page("W1100", "store not available on the architecture", "The opcode is not available on the architecture.", ".target sm_35\nSTG.E [R2], R5;", ".target sm_35\nST.E [R2], R5;"),
    DiagnosticDoc::page("W1101", "unknown modifier", "The store does not support this modifier.", "STG.E.EH [R2], R5;", "STG.E.EF [R2], R5;"),
    DiagnosticDoc::page("W1102", "unknown width", "Stores support the widths `.8`, `.U8`, `.S8`, `.16`, `.U16`, `.S16`, `.32`, `.64` and `.128`. Stores to global memory on `sm_100` and later also support `.ENL2.256`, `.EFL2.256` and `.ELL2.256`.", "STS.96 [R4], R4;", "STS.128 [R4], R4;"),
    DiagnosticDoc::page("W1103", "cache operator on a store to shared memory", "Shared memory is not cached, so `STS` supports neither cache operators nor eviction priorities.", "STS.CG [R2], R5;", "STS [R2], R5;"),
    DiagnosticDoc::page("W1104", "modifier not available on the architecture", "The modifier is not available on the architecture. Cache operators require `sm_62` or earlier, and scopes and eviction priorities require `sm_70` or later.", ".target sm_80\nSTG.E.CG [R2.64], R5;", ".target sm_80\nSTG.E.STRONG.GPU [R2.64], R5;"),
    DiagnosticDoc::page("W1105", "duplicate kind of modifier", "A store can have at most one width, one cache operator, one eviction priority and one scope.", "STS.64.128 [R4], R4;", "STS.128 [R4], R4;"),
    DiagnosticDoc::page("W1106", "address form not supported by the store", "The store does not support this address form on any architecture.", "STL [R2.64], R5;", "STL [R2], R5;"),
    DiagnosticDoc::page("W1107", "address form not available on the architecture", "The address form is not available on the architecture. Scaled registers require `sm_89` or earlier, uniform registers require `sm_75` or later, and descriptors require `sm_80` or later.", ".target sm_90\nSTS [R7.X4], R0;", ".target sm_86\nSTS [R7.X4], R0;"),
    DiagnosticDoc::page("W1108", "unaligned address register", "A 64-bit address is stored in a register pair, whose first register must have an even index.", ".target sm_90\nSTG.E desc[UR4][R3.64], R5;", ".target sm_90\nSTG.E desc[UR4][R2.64], R5;"),
    DiagnosticDoc::page("W1109", "unaligned register range", "The index of the first register must be even for 64 bits and a multiple of 4 for 128 bits.", "STS.64 [R4], R3;", "STS.64 [R4], R2;"),
    DiagnosticDoc::page("W1110", "register index out of range", "Valid registers are `R0` to `R254`, uniform registers `UR0` to `UR62` (`UR254` on `sm_100` and later), and predicates `P0` to `P6`. A register range must not extend beyond the last register.", "STS [R4], R255;", "STS [R4], R254;"),
    DiagnosticDoc::page("W1111", "offset out of range", "An offset after a register is a signed 24-bit integer from -0x800000 to 0x7fffff bytes.", "STS [R4+0x800000], R5;", "STS [R4+0x7fffff], R5;"),
    DiagnosticDoc::page("W1112", "absolute address out of range", "An address without a register is an unsigned 24-bit integer of at most 0xffffff.", ".target sm_50\nSTS [0x1000000], R5;", ".target sm_50\nSTS [0xffffff], R5;"),
    DiagnosticDoc::page("W1113", "operand that is not an address", "The first operand of a store must be an address in brackets.", "STS R4, R5;", "STS [R4], R5;"),
    DiagnosticDoc::page("W1114", "operand that is not a data register", "The second operand of a store must be a register from `R0` to `R254`, or `RZ` for zero.", "STS [R4], 0x5;", "STS [R4], R5;"),
    DiagnosticDoc::page("W1115", "wrong number of operands", "A store has an address operand and a data operand. `STG.E.ENL2.256` has a second register range and optionally a mask of eight words. `ST` on `sm_50` to `sm_62` optionally ends with a predicate.", "STS [R4];", "STS [R4], R5;"),
    DiagnosticDoc::page("W1116", "missing comma", "The operands of a store must be separated by commas.", "STS [R4] R5;", "STS [R4], R5;"),
    DiagnosticDoc::page("W1117", "weak store without `.SYS`", "On `sm_70` to `sm_75`, weak stores to global and generic addresses have the modifier `.SYS`.", ".target sm_75\nSTG.E [R4], R5;", ".target sm_75\nSTG.E.SYS [R4], R5;"),
    DiagnosticDoc::page("W1118", "modifiers in a different order", "Disassemblers print the modifiers of a store in the order of its syntax line.", "STG.64.E [R4], R6;", "STG.E.64 [R4], R6;"),
];

fn on(target: &Target) -> String {
    format!("`{}`", target.name)
}

/// Adds a note to the diagnostic that lists the architectures which satisfy the requirement.
fn needs(mut diagnostic: Diagnostic, gate: TargetRequirement) -> Diagnostic {
    if let TargetRequirement::From(_) = gate {
        let target = gate.lowest().map(|target| target.name);
        diagnostic.needs = Requirement {
            version: None,
            target,
            targets: gate,
        };
        return diagnostic;
    }
    match gate.text() {
        Some(text) => diagnostic.help(format!("available on {text}")),
        None => diagnostic,
    }
}

/// Reports a store opcode that the architecture does not support, such as `STG` on Kepler.
pub(crate) fn opcode_target(span: Span, store: &StoreOpcode, target: &Target) -> Diagnostic {
    let message = format!("`{}` is not available on {}", store.opcode, on(target));
    needs(Diagnostic::error("W1100", span, message), store.on)
}

/// Reports a modifier that the store does not accept.
pub(crate) fn unknown_word(
    span: Span,
    store: &StoreOpcode,
    found: &str,
    near: Option<&str>,
) -> Diagnostic {
    let message = format!(
        "`{}` does not support the modifier `.{found}`",
        store.opcode
    );
    let diagnostic = Diagnostic::error("W1101", span, message);
    match near {
        Some(near) => diagnostic.fix(format!("replace `.{found}` with `.{near}`"), span, near),
        None => diagnostic.help(words_help(store)),
    }
}

fn words_help(store: &StoreOpcode) -> String {
    let words = store.slots.iter().flat_map(|slot| slot.words);
    let words: Vec<String> = words.map(|word| format!("`.{}`", word.text)).collect();
    format!("expected {}", words.join(", "))
}

/// Reports an incomplete modifier: `.STRONG` without its scope.
pub(crate) fn incomplete_word(span: Span, found: &str, whole: &[&str]) -> Diagnostic {
    let whole: Vec<String> = whole.iter().map(|word| format!("`.{word}`")).collect();
    let message = format!("`.{found}` is incomplete, expected {}", whole.join(", "));
    Diagnostic::error("W1101", span, message)
}

/// Reports an invalid width such as `.96`.
pub(crate) fn unknown_width(span: Span, store: &StoreOpcode, found: &str) -> Diagnostic {
    let message = format!("unknown width `.{found}` of `{}`", store.opcode);
    Diagnostic::error("W1102", span, message)
        .help("expected `.8`, `.U8`, `.S8`, `.16`, `.U16`, `.S16`, `.32`, `.64` or `.128`")
}

/// Reports a cache operator on a store that does not support cache operators, such as `.CG` on `STS`.
pub(crate) fn not_cached(
    span: Span,
    store: &StoreOpcode,
    found: &str,
    slot: &MnemonicSlot,
    with_dot: Span,
) -> Diagnostic {
    let message = format!(
        "`{}` does not support the {} `.{found}`",
        store.opcode, slot.title
    );
    Diagnostic::error("W1103", span, message)
        .help("shared memory is not cached")
        .fix(format!("remove `.{found}`"), with_dot, "")
}

/// Reports a modifier that exists only on other architectures.
pub(crate) fn word_target(
    span: Span,
    store: &StoreOpcode,
    found: &str,
    gate: TargetRequirement,
    target: &Target,
) -> Diagnostic {
    let message = format!(
        "the modifier `.{found}` of `{}` is not available on {}",
        store.opcode,
        on(target)
    );
    needs(Diagnostic::error("W1104", span, message), gate)
}

/// Reports two modifiers for the same slot.
pub(crate) fn repeated(span: Span, slot: &MnemonicSlot, found: &str, first: Span) -> Diagnostic {
    let message = format!("`.{found}` is a second {}", slot.title);
    Diagnostic::error("W1105", span, message).label(first, "first specified here")
}

/// Reports an address form that the store does not support, such as `[R2.64]` of `STL`.
pub(crate) fn address_form(span: Span, store: &StoreOpcode, shape: AddressShape) -> Diagnostic {
    let message = format!(
        "`{}` does not support the address form `{}`",
        store.opcode,
        shape.syntax()
    );
    let forms: Vec<String> = store
        .addresses
        .iter()
        .map(|form| format!("`{}`", form.shape.syntax()))
        .collect();
    Diagnostic::error("W1106", span, message).help(format!("expected {}", forms.join(", ")))
}

/// Reports an address operand that the store does not accept.
pub(crate) fn address_parts(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error("W1106", span, reason).help(
        "an address consists of at most one register, one uniform register and one offset, and the register can have the modifier `.64`, `.U32`, `.X4`, `.X8` or `.X16`",
    )
}

/// Reports an address form that exists only on other architectures, such as `[R7.X4]` of `STS` on Hopper.
pub(crate) fn address_target(
    span: Span,
    store: &StoreOpcode,
    shape: AddressShape,
    gate: TargetRequirement,
    target: &Target,
) -> Diagnostic {
    let message = format!(
        "`{}` with the address form `{}` is not available on {}",
        store.opcode,
        shape.syntax(),
        on(target)
    );
    needs(Diagnostic::error("W1107", span, message), gate)
}

/// Reports an odd register as a 64-bit address, such as `R3`.
pub(crate) fn odd_address(span: Span, found: Register, token: Span, last: u16) -> Diagnostic {
    let message =
        format!("found `{found}`, expected a register with an even index for a 64-bit address");
    let diagnostic = Diagnostic::error("W1108", span, message);
    with_aligned(diagnostic, found, token, 2, last)
}

/// Reports a misaligned data register, such as `R3` for 64 bits.
pub(crate) fn unaligned_run(
    span: Span,
    found: Register,
    n_registers: u32,
    last: u16,
) -> Diagnostic {
    let bits = n_registers * 32;
    let message = match n_registers {
        2 => format!("found `{found}`, expected a register with an even index for {bits} bits"),
        _ => format!(
            "found `{found}`, expected a register whose index is a multiple of 4, as required for {bits} bits"
        ),
    };
    with_aligned(
        Diagnostic::error("W1109", span, message),
        found,
        span,
        n_registers as u16,
        last,
    )
}

/// Suggests the nearest aligned registers below and above.
fn with_aligned(
    mut diagnostic: Diagnostic,
    found: Register,
    token: Span,
    multiple: u16,
    last: u16,
) -> Diagnostic {
    let RegisterNumber::Number(number) = found.number else {
        return diagnostic;
    };
    // Largest number of a register with which an aligned register tuple can start.
    let largest = (last + 1 - multiple) / multiple * multiple;
    let below = number - number % multiple;
    let fitting = [below, below + multiple]
        .into_iter()
        .filter(|&number| number <= largest);
    for number in fitting {
        let register = Register {
            number: RegisterNumber::Number(number),
            ..found
        };
        diagnostic = diagnostic.fix(
            format!("replace `{found}` with `{register}`"),
            token,
            register.to_string(),
        );
    }
    diagnostic
}

/// Returns the number of the last register of a register file.
pub(crate) fn last_number(file: RegisterFile, target: &Target) -> u16 {
    match file {
        RegisterFile::General => 254,
        RegisterFile::Uniform => TargetAbi::of(target).last_uniform_register,
        RegisterFile::Predicate | RegisterFile::UniformPredicate => 6,
        RegisterFile::Barrier => 15,
        RegisterFile::Scoreboard => 5,
    }
}

/// Reports `R255`, or a register run that extends beyond the last register.
pub(crate) fn beyond_last(span: Span, found: Register, n_registers: u32, last: u16) -> Diagnostic {
    let prefix = found.file.prefix();
    let message = match n_registers {
        1 => format!(
            "register `{found}` does not exist, because the last register is `{prefix}{last}`"
        ),
        n => {
            format!(
                "{n} registers that start at `{found}` extend beyond the last register `{prefix}{last}`"
            )
        }
    };
    Diagnostic::error("W1110", span, message)
}

/// Reports an address offset that exceeds the range of signed 24-bit numbers.
pub(crate) fn offset_range(span: Span, found: i128) -> Diagnostic {
    let sign = if found < 0 { "-" } else { "" };
    let message = format!(
        "the offset {sign}{:#x} does not fit in a signed 24-bit integer",
        found.unsigned_abs()
    );
    Diagnostic::error("W1111", span, message)
        .help("expected an offset from -0x800000 to 0x7fffff bytes")
}

/// Reports an absolute address that is negative or has more than 24 bits.
pub(crate) fn absolute_range(span: Span, found: i128) -> Diagnostic {
    let message = match found < 0 {
        true => "found a negative absolute address".to_owned(),
        false => {
            format!("the absolute address {found:#x} does not fit in an unsigned 24-bit integer")
        }
    };
    Diagnostic::error("W1112", span, message).help("expected an address from 0 to 0xffffff")
}

/// Reports a first operand that is not an address.
pub(crate) fn not_an_address(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(
        "W1113",
        span,
        format!("found `{found}`, expected an address in brackets"),
    )
}

/// Reports a second operand that is not a register.
pub(crate) fn not_data(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(
        "W1114",
        span,
        format!("found `{found}`, expected a data register"),
    )
}

/// Reports a wrong number of operands.
pub(crate) fn n_operands(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error("W1115", span, message)
}

/// Reports a trailing predicate operand on an architecture that does not support this operand.
pub(crate) fn trailing_predicate(span: Span, store: &StoreOpcode, target: &Target) -> Diagnostic {
    let message = format!(
        "`{}` does not support a trailing predicate on {}",
        store.opcode,
        on(target)
    );
    let diagnostic = Diagnostic::error("W1115", span, message);
    match store.trailing_predicate {
        Some(gate) => needs(diagnostic, gate),
        None => diagnostic,
    }
}

/// Reports a missing comma between operands.
pub(crate) fn no_comma(span: Span, after: u32) -> Diagnostic {
    Diagnostic::error("W1116", span, "expected a comma before this operand").fix(
        "insert a comma",
        Span::at(after),
        ",",
    )
}

/// Reports a weak store without `.SYS` on Volta or Turing.
pub(crate) fn plain_without_scope(span: Span, target: &Target, end: u32) -> Diagnostic {
    let message = format!(
        "expected the modifier `.SYS` for a weak store on {}",
        on(target)
    );
    Diagnostic::warning("W1117", span, message).fix("add `.SYS`", Span::at(end), ".SYS")
}

/// Reports modifiers whose order differs from the order in disassembler output.
pub(crate) fn word_order(span: Span, mnemonic: &str) -> Diagnostic {
    let message = format!("disassemblers print this instruction as `{mnemonic}`");
    Diagnostic::warning("W1118", span, message).fix(format!("write `{mnemonic}`"), span, mnemonic)
}
