//! Warp-wide matrix stores: codes W0500 to W0599.

use super::catalogue;
use super::strict_address::AddressCodes;
use warpgrid_isa::{ScalarType, Version};
use warpgrid_program::{Diagnostic, Span};

catalogue! {
    /// The instruction is called `wmma.store.d`; the modifiers follow in any order.
    NAME_ORDER = "W0500", "words of the name out of order", "wmma.store.sync.d.aligned.row.m8n8k32.s32 [a], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// From PTX ISA 6.3 on, the promise that all lanes of the warp execute this very instruction must be written.
    ALIGNED_MISSING = "W0501", "missing `.aligned`", "wmma.store.d.sync.row.m8n8k32.s32 [a], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// Before PTX ISA 6.3 `.aligned` was understood and could not be written.
    ALIGNED_TOO_EARLY = "W0502", "`.aligned` before version 6.3", ".version 6.2\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .b64 a; .reg .b32 b;\nwmma.store.d.sync.aligned.row.m16n16k16.f16 [a], {b, b, b, b};\n}", ".version 6.2\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .b64 a; .reg .b32 b;\nwmma.store.d.sync.row.m16n16k16.f16 [a], {b, b, b, b};\n}";
    /// Each lane holds as many registers of the matrix as shape and type say: 8 for 16 by 16 elements of 32 bits, 4 when
    /// two halves share a register, 2 for 8 by 8 elements.
    FRAGMENT_SIZE = "W0503", "wrong number of registers", "wmma.store.d.sync.aligned.row.m16n16k16.f16 [a], {b, c};", "wmma.store.d.sync.aligned.row.m16n16k16.f16 [a], {b, c, b, c};";
    /// The registers of a fragment have the type of the elements, or are untyped bits of that width; halves come in pairs.
    FRAGMENT_TYPE = "W0504", "register of another type", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {%f1, %f2};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// All registers of a fragment have one type; only untyped bits mix with others.
    FRAGMENT_CLASH = "W0505", "registers of different types", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {%f1, %u1};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {%u1, %u2};";
    /// The fragment is a list of registers in braces, also where it could be a vector register.
    NO_FRAGMENT = "W0506", "list of registers expected", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], b;", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// The elements of a fragment are registers.
    NO_REGISTER = "W0507", "fragment element that is not a register", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, _};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// The stride is an integer of 32 bits: a register or a constant. It counts elements, not bytes.
    STRIDE_TYPE = "W0508", "stride of another type", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c}, %rd1;", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c}, %u1;";
    /// The address of the matrix is in brackets: a register or a variable, and a constant offset.
    NO_ADDRESS = "W0509", "address expected", "wmma.store.d.sync.aligned.row.m8n8k32.s32 a, {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// An address is an integer of 32 or 64 bits.
    ADDRESS_TYPE = "W0510", "register that cannot hold an address", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%f1], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1], {b, c};";
    /// The variable is in another state space than the one the instruction names.
    ADDRESS_SPACE = "W0511", "variable in another space", "wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [tile], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.shared.s32 [tile], {b, c};";
    /// A bare number is an address only in local memory, where matrices are not stored.
    CONSTANT_ADDRESS = "W0512", "number as an address", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [0], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// The reference assembler accepts the instruction, but the manual does not describe it: its effect may change.
    BEYOND_MANUAL = "W0513", "not in the manual", "wmma.store.d.sync.aligned.row.m8n8k32.f32 [a], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// With a stride below the length of a line, lines overlap: the manual calls that undefined. The stride must also keep
    /// every line aligned to 16 bytes. The reference assembler does not check it.
    STRIDE_VALUE = "W0514", "stride that breaks the layout", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c}, 4;", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c}, 8;";
    /// A vector width, which the manual does not have here, must be the number of registers in the braces.
    VECTOR_WIDTH = "W0515", "vector width of a fragment", "wmma.store.d.sync.aligned.row.m8n8k32.v4.s32 [a], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
}

/// What can be wrong with an address.
pub(crate) const ADDRESS: AddressCodes = AddressCodes {
    no_address: NO_ADDRESS,
    address_type: ADDRESS_TYPE,
    address_space: ADDRESS_SPACE,
    constant_address: CONSTANT_ADDRESS,
};

/// `wmma.store.sync.d`
pub fn name_order(span: Span, ordered: &str) -> Diagnostic {
    Diagnostic::error(
        NAME_ORDER,
        span,
        "the words `wmma.store.d` belong together, in this order, before all modifiers",
    )
    .fix("put the words in order", span, ordered)
    .help("other modifiers follow in any order")
}

/// From 6.3 on. `after` is the end of the word that it follows.
pub fn aligned_missing(name: Span, after: u32, version: Version) -> Diagnostic {
    Diagnostic::error(
        ALIGNED_MISSING,
        name,
        format!("`.aligned` is required from PTX 6.3 on, found version {version}"),
    )
    .fix("add `.aligned`", Span::at(after), ".aligned")
    .help("it promises that all lanes of the warp execute this instruction together")
}

/// Before 6.3.
pub fn aligned_too_early(dotted: Span, version: Version) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        ALIGNED_TOO_EARLY,
        Span::new(dotted.start + 1, dotted.end),
        format!("`.aligned` is implied in PTX {version} and cannot be written"),
    )
    .fix("leave out `.aligned`", dotted, "");
    diagnostic.needs.version = Some(Version::new(6, 3));
    diagnostic.help("it is required from PTX 6.3 on")
}

/// Too few or too many registers.
pub fn fragment_size(span: Span, found: usize, expected: usize, why: &str) -> Diagnostic {
    Diagnostic::error(
        FRAGMENT_SIZE,
        span,
        format!("found {found} registers, expected {expected}: {why}"),
    )
    .help("each lane holds its share of the matrix")
}

/// A register of another type.
pub fn fragment_type(span: Span, found: &str, ty: ScalarType, expected: &str) -> Diagnostic {
    Diagnostic::error(
        FRAGMENT_TYPE,
        span,
        format!("found {found}, expected {expected} for elements `.{ty}`"),
    )
    .help("untyped bits of the same width are always compatible")
}

/// Two registers that are not compatible.
pub fn fragment_clash(first: Span, second: Span, width: bool) -> Diagnostic {
    let what = match width {
        true => "registers of different widths",
        false => "registers of different types",
    };
    Diagnostic::error(FRAGMENT_CLASH, second, format!("{what} in one fragment"))
        .help("untyped bits (`.b32`) are compatible with every type of their width")
        .label(first, "not compatible with this")
}

/// The second operand is not a list.
pub fn no_fragment(span: Span, expected: usize) -> Diagnostic {
    Diagnostic::error(
        NO_FRAGMENT,
        span,
        format!("expected a list of {expected} registers in braces"),
    )
    .help("the registers that `wmma.mma` wrote, in the same order")
}

/// An element is not a register.
pub fn no_register(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(
        NO_REGISTER,
        span,
        format!("found {found}, expected a register"),
    )
    .help("every lane has a value for each of its elements")
}

/// The stride is not a 32-bit integer.
pub fn stride_type(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(
        STRIDE_TYPE,
        span,
        format!("found {found}, expected a 32-bit integer register or an integer constant"),
    )
    .help("the stride counts elements from one line of the matrix to the next")
}

/// The assembler accepts it, the manual does not describe it.
pub fn beyond_manual(span: Span, what: &str) -> Diagnostic {
    Diagnostic::warning(
        BEYOND_MANUAL,
        span,
        format!("{what} is not in the manual, although the reference assembler 13.5 accepts it"),
    )
}

/// A constant stride that the manual excludes.
pub fn stride_value(span: Span, problem: &str) -> Diagnostic {
    Diagnostic::warning(STRIDE_VALUE, span, problem)
}

/// A vector width that is not the number of registers.
pub fn vector_width(dotted: Span, n: usize) -> Diagnostic {
    Diagnostic::error(
        VECTOR_WIDTH,
        Span::new(dotted.start + 1, dotted.end),
        format!("expected `.v{n}`: a vector width must be the number of registers"),
    )
    .fix("leave out the vector width", dotted, "")
    .help("the manual has no vector width here")
}
