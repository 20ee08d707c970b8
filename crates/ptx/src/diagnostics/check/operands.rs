//! Diagnostics for operands: number, kinds, types and values.

use crate::diagnostics::check::{
    ADDRESS_TYPE, BARRIER_NUMBER, DUPLICATE, GUARD_TYPE, HINT_AND_POLICY, LITERAL_TYPE,
    NEEDS_VERSION, NO_STATE, OPERAND_COUNT, OUT_OF_RANGE, PACKING, SINK, SPACE_MISMATCH,
    SPECIAL_REGISTER, TYPE_MISMATCH, UNKNOWN_LABEL, UNKNOWN_SYMBOL, VECTOR_SIZE, WRONG_OPERAND,
    space_name, suggest,
};
use std::ops::RangeInclusive;
use warpgrid_isa::form::Gate;
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{Diagnostic, Span, counted};

/// Returns the diagnostic for a number of operands that is not within `range`. `syntax` is the syntax line of the form.
pub(crate) fn operand_count(
    opcode: &str,
    span: Span,
    found: usize,
    range: RangeInclusive<usize>,
    syntax: &str,
) -> Diagnostic {
    let (least, most) = range.into_inner();
    let wanted = match least == most {
        true => format!("{least}"),
        false => format!("{least} to {most}"),
    };
    let noun = if found == 1 { "operand" } else { "operands" };
    let message = format!("found {found} {noun}, expected {wanted} for `{opcode}`");
    Diagnostic::error(OPERAND_COUNT, span, message).help(format!("the syntax is `{syntax}`"))
}

pub(crate) fn type_mismatch(span: Span, have: ScalarType, want: ScalarType) -> Diagnostic {
    let message = format!("found a `.{have}` register, expected `.{want}`");
    Diagnostic::error(TYPE_MISMATCH, span, message)
}

pub(crate) fn expected_register(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        format!("found {found}, expected a register"),
    )
}

pub(crate) fn expected_value(span: Span, ty: ScalarType, found: &str) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        format!("found {found}, expected a `.{ty}` value"),
    )
}

pub(crate) fn expected_pair(span: Span) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        "expected two destinations, such as `%r1|%p1`",
    )
}

pub(crate) fn expected_address(span: Span) -> Diagnostic {
    Diagnostic::error(WRONG_OPERAND, span, "expected an address in brackets")
}

pub(crate) fn constant_address(span: Span) -> Diagnostic {
    let message = "constant addresses are allowed in `.local` memory only";
    Diagnostic::error(WRONG_OPERAND, span, message).help("move the address into a register first")
}

pub(crate) fn expected_label(span: Span) -> Diagnostic {
    Diagnostic::error(WRONG_OPERAND, span, "expected a label")
}

pub(crate) fn literal_expected(span: Span) -> Diagnostic {
    Diagnostic::error(WRONG_OPERAND, span, "expected an integer literal")
}

/// Returns the diagnostic for a constant out of range. `found` is its source spelling.
pub(crate) fn out_of_range(
    opcode: &str,
    span: Span,
    found: &str,
    range: RangeInclusive<u64>,
) -> Diagnostic {
    let (least, most) = range.into_inner();
    let message = match least == most {
        true => format!("found the constant {found}, expected {least} for `{opcode}`"),
        false => format!(
            "found the constant {found}, expected a constant from {least} to {most} for `{opcode}`"
        ),
    };
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

/// Returns the diagnostic for a literal that is not a fraction of 1.
pub(crate) fn not_a_fraction(opcode: &str, span: Span, found: f32) -> Diagnostic {
    let message = format!(
        "found the constant {found}, expected a fraction greater than 0 and at most 1 for `{opcode}`"
    );
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

pub(crate) fn vector_not_allowed(opcode: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        format!("found a vector register, expected a scalar value for `{opcode}`"),
    )
    .help("select a component such as `.x`")
}

/// Returns the diagnostic for a nonexistent component. `special` is the special register with this name, which the declared
/// register hides.
pub(crate) fn no_component(span: Span, special: Option<&str>) -> Diagnostic {
    let Some(special) = special else {
        let message = "the vector does not have this component";
        return Diagnostic::error(WRONG_OPERAND, span, message);
    };
    let (declared, _) = special.split_once('.').unwrap_or((special, ""));
    let message = format!(
        "found the declared register `{declared}`, expected the special register `{special}`, which is shadowed by the declaration"
    );
    Diagnostic::error(WRONG_OPERAND, span, message)
        .help(format!("rename the register `{declared}`"))
}

pub(crate) fn address_of_type(opcode: &str, span: Span, ty: ScalarType) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        format!("found an address, expected a `.{ty}` value for `{opcode}`"),
    )
}

pub(crate) fn unknown_symbol(text: &str, span: Span, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::error(UNKNOWN_SYMBOL, span, format!("unknown name `{text}`"));
    suggest(found, text, span, nearest)
}

pub(crate) fn unknown_label(text: &str, span: Span, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::error(UNKNOWN_LABEL, span, format!("unknown label `{text}`"));
    suggest(found, text, span, nearest)
}

pub(crate) fn duplicate(text: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(DUPLICATE, span, format!("`{text}` is declared twice"))
        .label(first, "previously declared here")
}

pub(crate) fn space_mismatch(
    opcode: &str,
    span: Span,
    have: StateSpace,
    want: StateSpace,
) -> Diagnostic {
    let message = format!(
        "found a variable in {} memory, expected {} memory for `{opcode}`",
        space_name(have),
        space_name(want)
    );
    Diagnostic::error(SPACE_MISMATCH, span, message)
}

pub(crate) fn special_not_allowed(opcode: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        SPECIAL_REGISTER,
        span,
        format!("`{opcode}` does not accept a special register"),
    )
    .help("move the special register into a register with `mov` first")
}

pub(crate) fn literal_type(span: Span, found: &str, ty: ScalarType, source: &str) -> Diagnostic {
    let message = format!("found {found} literal, expected a `.{ty}` value");
    let problem = Diagnostic::error(LITERAL_TYPE, span, message);
    let text = span.text(source);
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match ty {
        ScalarType::F32 | ScalarType::F64 if digits => {
            problem.fix(format!("write `{text}.0`"), span, format!("{text}.0"))
        }
        _ => problem,
    }
}

pub(crate) fn guard_type(span: Span, have: ScalarType) -> Diagnostic {
    Diagnostic::error(
        GUARD_TYPE,
        span,
        format!("found a `.{have}` register, expected a predicate register as the guard"),
    )
}

pub(crate) fn vector_size(span: Span, found: usize, want: usize) -> Diagnostic {
    let message = match found {
        0 => format!("expected a vector of {want} elements"),
        _ => format!("found {}, expected {want}", counted(found, "element")),
    };
    Diagnostic::error(VECTOR_SIZE, span, message)
}

pub(crate) fn sink_not_allowed(opcode: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        SINK,
        span,
        format!("found the sink `_`, expected a destination register for `{opcode}`"),
    )
}

pub(crate) fn sink_required(opcode: &str, span: Span) -> Diagnostic {
    let message = format!("expected the sink `_`, because `{opcode}` returns no state");
    Diagnostic::error(NO_STATE, span, message).fix(
        "replace the destination with `_`".to_owned(),
        span,
        "_",
    )
}

pub(crate) fn not_a_multiple(opcode: &str, span: Span, found: u64, of: u64) -> Diagnostic {
    let message = format!("found the constant {found}, expected a multiple of {of} for `{opcode}`");
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

pub(crate) fn copy_size(span: Span, found: u64, sizes: &str) -> Diagnostic {
    let message = format!("found {found} bytes, expected {sizes}");
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

pub(crate) fn operand_needs(opcode: &str, span: Span, what: &str, gate: Gate) -> Diagnostic {
    let message = format!("{what} of `{opcode}` needs {}", gate.text());
    Diagnostic::error(NEEDS_VERSION, span, message)
}

pub(crate) fn hint_without_policy(opcode: &str, span: Span) -> Diagnostic {
    let message =
        format!("`{opcode}` has the modifier `.L2::cache_hint`, but no cache policy operand");
    Diagnostic::error(HINT_AND_POLICY, span, message)
}

pub(crate) fn policy_without_hint(opcode: &str, span: Span) -> Diagnostic {
    let message =
        format!("`{opcode}` has a cache policy operand, but no `.L2::cache_hint` modifier");
    Diagnostic::error(HINT_AND_POLICY, span, message)
}

pub(crate) fn bulk_size(span: Span, size: u64) -> Diagnostic {
    let message = format!("found {size} bytes, expected a multiple of 8 up to 16777216");
    Diagnostic::error(OUT_OF_RANGE, span, message)
}

pub(crate) fn address_type(span: Span, ty: ScalarType) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_TYPE,
        span,
        format!("found a `.{ty}` register, expected an integer address"),
    )
}

pub(crate) fn narrow_address(span: Span, ty: ScalarType) -> Diagnostic {
    let message = format!("found a `.{ty}` register, expected a 64-bit address");
    match ty.width_bits() {
        32 => Diagnostic::error(ADDRESS_TYPE, span, message),
        _ => Diagnostic::warning(ADDRESS_TYPE, span, message),
    }
}

pub(crate) fn barrier_number(span: Span, id: u64) -> Diagnostic {
    Diagnostic::error(
        BARRIER_NUMBER,
        span,
        format!("found barrier {id}, expected a barrier number from 0 to 15"),
    )
}

pub(crate) fn barrier_threads(span: Span, threads: u64) -> Diagnostic {
    let expected = match threads {
        0 => "at least one warp",
        _ => "a multiple of 32",
    };
    let message = format!("found {threads} threads, expected {expected}");
    Diagnostic::error(BARRIER_NUMBER, span, message)
        .help("the thread count of a barrier must be a multiple of the warp size")
}

pub(crate) fn cannot_pack(opcode: &str, span: Span, ty: ScalarType, n: u32) -> Diagnostic {
    Diagnostic::error(
        PACKING,
        span,
        format!("`{opcode}` cannot pack {n} elements into `.{ty}`"),
    )
}

/// Returns the diagnostic for an invalid operand of a specialized unit.
pub(crate) fn unit_operand(span: Span, found: &str, expected: &str) -> Diagnostic {
    Diagnostic::error(
        WRONG_OPERAND,
        span,
        format!("found {found}, expected {expected}"),
    )
}
