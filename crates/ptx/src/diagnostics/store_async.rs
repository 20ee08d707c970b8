//! Asynchronous stores: codes W0400 to W0499. The rules between modifiers are rows of the table and reported by the store
//! catalogue; here is what operands, their number and the place of `async` add.

use super::catalogue;
use super::strict_address::AddressCodes;
use warpgrid_isa::ScalarType;
use warpgrid_program::{Diagnostic, Span};

catalogue! {
    /// The opcode is `st.async`, in one word: blanks are allowed between its modifiers, but not within the opcode.
    ASYNC_PLACE = "W0400", "blank within `st.async`", "st .async.release.gpu.u32 [a], b;", "st.async.release.gpu.u32 [a], b;";
    /// With an mbarrier operand and generic addressing the store goes to shared memory of the cluster, and there the way
    /// of reporting completion must be written.
    BARRIER_WITHOUT_MECHANISM = "W0401", "mbarrier without completion mechanism", "st.async.u32 [a], b, [m];", "st.async.mbarrier::complete_tx::bytes.u32 [a], b, [m];";
    /// An mbarrier is in shared memory and tracks stores to shared memory. A store to global memory has none.
    BARRIER_WITH_GLOBAL = "W0402", "mbarrier for a store to global memory", "st.async.release.gpu.global.u32 [a], b, [m];", "st.async.release.gpu.global.u32 [a], b;";
    /// Transactions of an mbarrier are counted in units of 32 bits or more, so 8- and 16-bit types go without one.
    NARROW_WITH_BARRIER = "W0403", "narrow type with an mbarrier", "st.async.mbarrier::complete_tx::bytes.u16 [a], 5, [m];", "st.async.mbarrier::complete_tx::bytes.u32 [a], 5, [m];";
    /// Vectors are for the form with an mbarrier operand.
    VECTOR_WITHOUT_BARRIER = "W0404", "vector without an mbarrier", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b, c};", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b, c}, [m];";
    /// `.b128` is for the form with an mbarrier operand, one element at a time.
    QUAD_WITHOUT_BARRIER = "W0405", "128 bits without an mbarrier", "st.async.release.gpu.b128 [a], q;", "st.async.mbarrier::complete_tx::bytes.u64 [a], %rd1, [m];";
    /// The value must have the width of the type: `st.async`, unlike `st`, takes no wider register. Untyped bits of the
    /// same width are always compatible.
    SOURCE_TYPE = "W0406", "value of another type", "st.async.release.gpu.u32 [a], %rd1;", "st.async.release.gpu.u64 [a], %rd1;";
    /// What is stored is a register or a constant. The address of a variable must be moved into a register first.
    NO_VALUE = "W0407", "value to store expected", "st.async.release.gpu.u64 [a], buffer;", "mov.u64 %rd1, buffer; st.async.release.gpu.u64 [a], %rd1;";
    /// A brace list has as many elements as the vector width says: two or four.
    ELEMENT_COUNT = "W0408", "wrong number of elements", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b}, [m];", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b, c}, [m];";
    /// All elements of a brace list have one type; only untyped bits mix with others.
    ELEMENT_CLASH = "W0409", "elements of different types", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {%f1, %u1}, [m];", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {%u1, %u2}, [m];";
    /// The address of the store and that of the mbarrier are in brackets: a register or a variable, and a constant offset.
    NO_ADDRESS = "W0410", "address expected", "st.async.release.gpu.u32 a, b;", "st.async.release.gpu.u32 [a], b;";
    /// An address is an integer of 32 or 64 bits. Floating-point numbers, predicates and narrow integers are none.
    ADDRESS_TYPE = "W0411", "register that cannot hold an address", "st.async.release.gpu.u32 [%f1], b;", "st.async.release.gpu.u32 [%rd1], b;";
    /// The variable is in another state space than the one the instruction names.
    ADDRESS_SPACE = "W0412", "variable in another space", "st.async.release.gpu.global.u32 [tile], b;", "st.async.release.gpu.global.u32 [buffer], b;";
    /// A bare number is an address only in local memory, where asynchronous stores do not go.
    CONSTANT_ADDRESS = "W0413", "number as an address", "st.async.release.gpu.u32 [16], b;", "st.async.release.gpu.u32 [%rd1+16], b;";
    /// The reference assembler accepts the instruction, but the manual does not describe it: its effect may change.
    BEYOND_MANUAL = "W0414", "not in the manual", "st.async.shared::cta.u32 [a], b;", "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], b, [m];";
    /// A vector width with a single value: the assembler accepts it, but the values of the other elements are not documented.
    ONE_VALUE_FOR_VECTOR = "W0415", "one value for a vector", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], b, [m];", "st.async.mbarrier::complete_tx::bytes.v2.u32 [a], {b, b}, [m];";
}

/// What can be wrong with an address.
pub(crate) const ADDRESS: AddressCodes = AddressCodes {
    no_address: NO_ADDRESS,
    address_type: ADDRESS_TYPE,
    address_space: ADDRESS_SPACE,
    constant_address: CONSTANT_ADDRESS,
};

/// A blank between `st` and `.async`.
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

/// Three operands, generic addressing, no mechanism. `at` is where it would be inserted.
pub fn barrier_without_mechanism(barrier: Span, at: u32) -> Diagnostic {
    Diagnostic::error(
        BARRIER_WITHOUT_MECHANISM,
        barrier,
        "an mbarrier operand needs `.mbarrier::complete_tx::bytes` when no state space is named",
    )
    .help("or name the space: `.shared::cta` takes the mbarrier without the mechanism")
    .fix(
        "add `.mbarrier::complete_tx::bytes`",
        Span::at(at),
        ".mbarrier::complete_tx::bytes",
    )
}

/// Three operands for global memory.
pub fn barrier_with_global(barrier: Span, removed: Span, because: Span) -> Diagnostic {
    Diagnostic::error(
        BARRIER_WITH_GLOBAL,
        barrier,
        "a store to global memory has no mbarrier operand",
    )
    .label(because, "goes to global memory")
    .fix("leave out the mbarrier", removed, "")
    .help("an mbarrier tracks stores to shared memory")
}

/// 8 or 16 bits with an mbarrier.
pub fn narrow_with_barrier(ty: ScalarType, at: Span, barrier: Span) -> Diagnostic {
    Diagnostic::error(
        NARROW_WITH_BARRIER,
        at,
        format!("type `.{ty}` is too narrow for a store that reports to an mbarrier"),
    )
    .label(barrier, "the mbarrier")
    .help("types of 32 and 64 bits, and `.b128`, are allowed with an mbarrier")
}

/// A vector with two operands.
pub fn vector_without_barrier(at: Span) -> Diagnostic {
    Diagnostic::error(
        VECTOR_WITHOUT_BARRIER,
        at,
        "a vector needs an mbarrier as the third operand",
    )
    .help("without an mbarrier, `st.async` stores one element")
}

/// `.b128` with two operands.
pub fn quad_without_barrier(at: Span) -> Diagnostic {
    Diagnostic::error(
        QUAD_WITHOUT_BARRIER,
        at,
        "type `.b128` needs an mbarrier as the third operand",
    )
    .help("without an mbarrier, at most 64 bits are stored")
}

/// A register or constant of another type.
pub fn source_type(span: Span, found: &str, ty: ScalarType, declared: Option<Span>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        SOURCE_TYPE,
        span,
        format!("found {found}, expected a value of type `.{ty}`"),
    )
    .help(format!(
        "`st.async` takes no wider register; `.{}` is always compatible",
        ty.to_bits()
    ));
    match declared {
        Some(place) => diagnostic.label(place, "declared here"),
        None => diagnostic,
    }
}

/// Something that is not a value.
pub fn no_value(span: Span, found: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        NO_VALUE,
        span,
        format!("found {found}, expected a register or a constant"),
    );
    match found.starts_with("the ") || found.starts_with("a special") {
        true => diagnostic.help("move it into a register first: `mov`"),
        false => diagnostic.help("a vector is a list in braces; a sum is computed by `add` first"),
    }
}

/// Too few or too many elements.
pub fn element_count(span: Span, found: usize, expected: &str) -> Diagnostic {
    Diagnostic::error(
        ELEMENT_COUNT,
        span,
        format!("found {found} elements, expected {expected}"),
    )
    .help("the width of the vector is `.v2` or `.v4`; without one, a single value is stored")
}

/// Two elements that are not compatible.
pub fn element_clash(first: Span, second: Span, width: bool) -> Diagnostic {
    let what = match width {
        true => "elements of different widths",
        false => "elements of different types",
    };
    Diagnostic::error(ELEMENT_CLASH, second, format!("{what} in one vector"))
        .help("untyped bits (`.b32`) are compatible with every type of their width")
        .label(first, "not compatible with this")
}

/// The assembler accepts it, the manual does not describe it.
pub fn beyond_manual(span: Span, what: &str) -> Diagnostic {
    Diagnostic::warning(
        BEYOND_MANUAL,
        span,
        format!("{what} is not in the manual, although the reference assembler 13.5 accepts it"),
    )
}

/// `.v2` with a single value.
pub fn one_value_for_vector(span: Span) -> Diagnostic {
    Diagnostic::warning(
        ONE_VALUE_FOR_VECTOR,
        span,
        "found one value for a vector; the reference assembler accepts it, but its effect is not documented",
    )
}
