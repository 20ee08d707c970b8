//! Diagnostics for `st.async`: codes W0400 to W0499, for operands, their number and the position of `.async`. Rules for
//! combinations of modifiers are in the instruction tables, and `rules.rs` contains their diagnostics.

use crate::diagnostics::strict_address::AddressCodes;
use crate::diagnostics::{MismatchedProperty, diagnostic_codes};
use warpgrid_isa::ScalarType;
use warpgrid_program::{Diagnostic, Span, counted};

diagnostic_codes! {
    /// The opcode is `st.async`. Blanks are allowed between its modifiers, but not within the opcode.
    ASYNC_PLACE = "W0400", "blank within `st.async`", "st .async.release.gpu.u32 [a], b;", "st.async.release.gpu.u32 [a], b;";
    /// With an mbarrier operand and generic addressing, the store accesses shared memory of the cluster. Stores to shared memory of the
    /// cluster require an explicit completion mechanism.
    BARRIER_WITHOUT_MECHANISM = "W0401", "mbarrier without completion mechanism", "st.async.u32 [a], b, [m];", "st.async.mbarrier::complete_tx::bytes.u32 [a], b, [m];";
    /// An mbarrier tracks stores to shared memory. A store to global memory has no mbarrier operand.
    BARRIER_WITH_GLOBAL = "W0402", "mbarrier for a store to global memory", "st.async.release.gpu.global.u32 [a], b, [m];", "st.async.release.gpu.global.u32 [a], b;";
    /// A store that completes on an mbarrier must have at least 32 bits. 8-bit and 16-bit types require the form without an mbarrier
    /// operand.
    NARROW_WITH_BARRIER = "W0403", "narrow type with an mbarrier", "st.async.mbarrier::complete_tx::bytes.u16 [a], 5, [m];", "st.async.mbarrier::complete_tx::bytes.u32 [a], 5, [m];";
    /// The form of `st.async` without an mbarrier operand does not support vectors.
    VECTOR_WITHOUT_BARRIER = "W0404", "vector without an mbarrier", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b, c};", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b, c}, [m];";
    /// `.b128` requires the form with an mbarrier operand, without a vector width.
    QUAD_WITHOUT_BARRIER = "W0405", "128 bits without an mbarrier", "st.async.release.gpu.b128 [a], q;", "st.async.mbarrier::complete_tx::bytes.u64 [a], %rd1, [m];";
    /// The value must have the width of the type. Unlike `st`, `st.async` does not accept wider registers. Untyped bits of the same
    /// width are always compatible.
    SOURCE_TYPE = "W0406", "value of the wrong type", "st.async.release.gpu.u32 [a], %rd1;", "st.async.release.gpu.u64 [a], %rd1;";
    /// The stored value must be a register or a constant. Move the address of a variable into a register first.
    NO_VALUE = "W0407", "value to store expected", "st.async.release.gpu.u64 [a], buffer;", "mov.u64 %rd1, buffer; st.async.release.gpu.u64 [a], %rd1;";
    /// The number of elements in braces must match the vector width, two or four.
    ELEMENT_COUNT = "W0408", "wrong number of elements", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b}, [m];", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b, c}, [m];";
    /// All elements in braces must have the same type. Only untyped bits can be combined with other types.
    ELEMENT_CLASH = "W0409", "elements of different types", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {%f1, %u1}, [m];", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {%u1, %u2}, [m];";
    /// The addresses of the store and of the mbarrier must be in brackets. An address is a register or a variable, optionally plus a
    /// constant offset.
    NO_ADDRESS = "W0410", "address expected", "st.async.release.gpu.u32 a, b;", "st.async.release.gpu.u32 [a], b;";
    /// An address register must be a 32-bit or 64-bit integer register, not a floating-point, predicate or narrower register.
    ADDRESS_TYPE = "W0411", "register that cannot hold an address", "st.async.release.gpu.u32 [%f1], b;", "st.async.release.gpu.u32 [%rd1], b;";
    /// The variable is declared in a different state space than the one that the instruction specifies.
    ADDRESS_SPACE = "W0412", "variable in the wrong state space", "st.async.release.gpu.global.u32 [tile], b;", "st.async.release.gpu.global.u32 [buffer], b;";
    /// Constant addresses are allowed only in local memory, but `st.async` cannot access local memory.
    CONSTANT_ADDRESS = "W0413", "constant as an address", "st.async.release.gpu.u32 [16], b;", "st.async.release.gpu.u32 [%rd1+16], b;";
    /// `ptxas` accepts the instruction, but the PTX ISA manual does not document this form. The behaviour may change in later releases.
    BEYOND_MANUAL = "W0414", "undocumented form", "st.async.shared::cta.u32 [a], b;", "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], b, [m];";
    /// The instruction has a vector width but a single value. `ptxas` accepts the instruction, but the values of the other elements are
    /// undocumented.
    ONE_VALUE_FOR_VECTOR = "W0415", "one value for a vector", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], b, [m];", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b, b}, [m];";
}

/// Codes of the diagnostics for addresses.
pub(crate) const ADDRESS: AddressCodes = AddressCodes {
    no_address: NO_ADDRESS,
    address_type: ADDRESS_TYPE,
    address_space: ADDRESS_SPACE,
    constant_address: CONSTANT_ADDRESS,
};

/// Returns the diagnostic for a blank between `st` and `.async`.
pub fn async_place(opcode: Span, dotted: Span) -> Diagnostic {
    let name = Span::new(opcode.start, dotted.end);
    Diagnostic::error(
        ASYNC_PLACE,
        name,
        "found a blank within the opcode, expected `st.async`",
    )
    .fix("write `st.async`", name, "st.async")
    .help("blanks are allowed between modifiers only")
}

/// Returns the diagnostic for an mbarrier operand with generic addressing and without a completion mechanism, which the fix
/// inserts at `at`.
pub fn barrier_without_mechanism(barrier: Span, at: u32) -> Diagnostic {
    Diagnostic::error(
        BARRIER_WITHOUT_MECHANISM,
        barrier,
        "an mbarrier operand needs `.mbarrier::complete_tx::bytes` if no state space is specified",
    )
    .help("add `.mbarrier::complete_tx::bytes`, or specify `.shared::cta`, which does not need a completion mechanism")
    .fix(
        "add `.mbarrier::complete_tx::bytes`",
        Span::at(at),
        ".mbarrier::complete_tx::bytes",
    )
}

/// Returns the diagnostic for an mbarrier operand of a store to global memory.
pub fn barrier_with_global(barrier: Span, removed: Span, because: Span) -> Diagnostic {
    Diagnostic::error(
        BARRIER_WITH_GLOBAL,
        barrier,
        "a store to global memory cannot have an mbarrier operand",
    )
    .label(because, "accesses global memory")
    .fix("remove the mbarrier", removed, "")
    .help("an mbarrier can track only stores to shared memory")
}

/// Returns the diagnostic for an 8-bit or 16-bit type with an mbarrier.
pub fn narrow_with_barrier(ty: ScalarType, at: Span, barrier: Span) -> Diagnostic {
    Diagnostic::error(
        NARROW_WITH_BARRIER,
        at,
        format!("type `.{ty}` is too narrow for a store that completes on an mbarrier"),
    )
    .label(barrier, "the mbarrier")
    .help("a store that completes on an mbarrier requires a 32-bit type, a 64-bit type or `.b128`")
}

/// Returns the diagnostic for a vector without an mbarrier operand.
pub fn vector_without_barrier(at: Span) -> Diagnostic {
    Diagnostic::error(
        VECTOR_WITHOUT_BARRIER,
        at,
        "a vector needs an mbarrier as the third operand",
    )
    .help("without an mbarrier, `st.async` stores one element")
}

/// Returns the diagnostic for `.b128` without an mbarrier operand.
pub fn quad_without_barrier(at: Span) -> Diagnostic {
    Diagnostic::error(
        QUAD_WITHOUT_BARRIER,
        at,
        "type `.b128` needs an mbarrier as the third operand",
    )
    .help("without an mbarrier, `st.async` stores at most 64 bits")
}

/// Returns the diagnostic for a register or constant of an incompatible type.
pub fn source_type(span: Span, found: &str, ty: ScalarType, declared: Option<Span>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        SOURCE_TYPE,
        span,
        format!("found {found}, expected a value of type `.{ty}`"),
    )
    .help(format!(
        "`st.async` does not accept wider registers, but registers of type `.{}` are always compatible",
        ty.to_bits()
    ));
    match declared {
        Some(place) => diagnostic.label(place, "declared here"),
        None => diagnostic,
    }
}

/// Returns the diagnostic for an operand that is not a value.
pub fn no_value(span: Span, found: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        NO_VALUE,
        span,
        format!("found {found}, expected a register or a constant"),
    );
    match found.starts_with("the ") || found.starts_with("a special") {
        true => diagnostic.help("move the value into a register with `mov` first"),
        false => diagnostic
            .help("write a vector as a brace-enclosed list, and compute a sum with `add` first"),
    }
}

/// Returns the diagnostic for an invalid number of elements.
pub fn element_count(span: Span, found: usize, expected: &str) -> Diagnostic {
    Diagnostic::error(
        ELEMENT_COUNT,
        span,
        format!("found {}, expected {expected}", counted(found, "element")),
    )
    .help("use `.v2` or `.v4`; without a vector width, `st.async` stores one value")
}

/// Returns the diagnostic for two incompatible elements.
pub fn element_clash(first: Span, second: Span, mismatch: MismatchedProperty) -> Diagnostic {
    let noun = mismatch.noun();
    Diagnostic::error(
        ELEMENT_CLASH,
        second,
        format!("a vector cannot contain elements of different {noun}"),
    )
    .help("untyped bits (`.b32`) are compatible with every type of the same width")
    .label(first, "conflicts with this element")
}

/// Returns the diagnostic for a form that the assembler accepts although the manual does not document it.
pub fn beyond_manual(span: Span, what: &str) -> Diagnostic {
    Diagnostic::warning(
        BEYOND_MANUAL,
        span,
        format!(
            "{what} is not documented in the PTX ISA manual, although `ptxas` 13.5 accepts this form"
        ),
    )
}

/// Returns the diagnostic for a single value in a store with a vector width.
pub fn one_value_for_vector(span: Span) -> Diagnostic {
    Diagnostic::warning(
        ONE_VALUE_FOR_VECTOR,
        span,
        "found one value for a vector, which `ptxas` accepts with undocumented behaviour",
    )
}
