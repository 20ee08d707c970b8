//! Matrix instructions: codes W0500 to W0599.

use super::catalogue;
use super::strict_address::AddressCodes;
use warpgrid_isa::{ScalarType, Version};
use warpgrid_program::{Diagnostic, Span};

catalogue! {
    /// The words of a name such as `wmma.store.d` come first; the modifiers follow in any order.
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
    /// One lane in four or two of a sparse product gives its metadata: the selector says which, so its range is small.
    SELECTOR = "W0516", "selector out of range", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f1, %f2}, {b, b}, {b, b}, {%f1, %f2, %f1, %f2}, b, 5;", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f1, %f2}, {b, b}, {b, b}, {%f1, %f2, %f1, %f2}, b, 1;";
    /// Metadata and factors of blocks are in a register of 32 bits.
    DATA = "W0517", "32-bit register expected", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f1, %f2}, {b, b}, {b, b}, {%f1, %f2, %f1, %f2}, 3, 0;", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f1, %f2}, {b, b}, {b, b}, {%f1, %f2, %f1, %f2}, b, 0;";
    /// Which byte of which lane holds a factor is said by two 16-bit values in braces. Numbers have a range: the byte is at a
    /// multiple of the factors of a row, and two lanes of four give those of A.
    PLACES = "W0518", "place of a scale", ".version 9.0\n.target sm_120a\n.address_size 64\n.entry k()\n{\n.reg .f32 f; .reg .b32 r;\nmma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {f, f, f, f}, {r, r, r, r}, {r, r}, {f, f, f, f}, r, {1, 0}, r, {0, 0};\n}", ".version 9.0\n.target sm_120a\n.address_size 64\n.entry k()\n{\n.reg .f32 f; .reg .b32 r;\nmma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {f, f, f, f}, {r, r, r, r}, {r, r}, {f, f, f, f}, r, {2, 0}, r, {0, 0};\n}";
    /// Products of floating-point numbers took `.satfinite` before PTX ISA 6.5; it clamped results to finite numbers.
    SATFINITE_REMOVED = "W0519", "`.satfinite` of floats from version 6.5 on", "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite {b, b, b, b}, {b, b, b, b, b, b, b, b}, {b, b, b, b, b, b, b, b}, {b, b, b, b};", "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {b, b, b, b}, {b, b, b, b, b, b, b, b}, {b, b, b, b, b, b, b, b}, {b, b, b, b};";
    /// Two words of an opcode have a fixed order among themselves: `.popc` follows `.xor` or `.and`, since bits are combined before
    /// they are counted, and the format in registers, `.b8x16`, comes before that in memory.
    WORD_ORDER = "W0520", "words in the wrong order", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.popc.xor {b, b}, {b}, {b}, {b, b};", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {b, b}, {b}, {b}, {b, b};";
}

/// What can be wrong with an address.
pub(crate) const ADDRESS: AddressCodes = AddressCodes {
    no_address: NO_ADDRESS,
    address_type: ADDRESS_TYPE,
    address_space: ADDRESS_SPACE,
    constant_address: CONSTANT_ADDRESS,
};

/// `wmma.store.sync.d`
pub fn name_order(span: Span, name: &str, ordered: &str) -> Diagnostic {
    Diagnostic::error(
        NAME_ORDER,
        span,
        format!("the words `{name}` belong together, in this order, before all modifiers"),
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
        match found {
            1 => format!("found 1 register, expected {expected}: {why}"),
            _ => format!("found {found} registers, expected {expected}: {why}"),
        },
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

/// An operand is not a list.
pub fn no_fragment(span: Span, expected: Option<usize>) -> Diagnostic {
    let registers = match expected {
        Some(1) => "one register".to_owned(),
        Some(n) => format!("{n} registers"),
        None => "registers".to_owned(),
    };
    Diagnostic::error(
        NO_FRAGMENT,
        span,
        format!("expected a list of {registers} in braces"),
    )
    .help("each lane holds its share of the matrix in these registers")
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

/// No register is written at all.
pub fn only_sinks(span: Span) -> Diagnostic {
    Diagnostic::error(
        NO_REGISTER,
        span,
        "found nothing but sinks, expected a register among them",
    )
    .help("the registers say how wide the values are")
}

/// A number that selects no lanes.
pub fn selector(span: Span, found: u64, most: u64) -> Diagnostic {
    let expected = match most {
        0 => "0".to_owned(),
        most => format!("a number from 0 to {most}"),
    };
    Diagnostic::error(
        SELECTOR,
        span,
        format!("found {found}, expected {expected}: it selects the lanes that give the metadata"),
    )
    .help("of every four lanes one, two or all give metadata, as shape and type say")
}

/// The selector is not a number.
pub fn selector_literal(span: Span) -> Diagnostic {
    Diagnostic::error(
        SELECTOR,
        span,
        "the selector is a number, known before the run",
    )
    .help("of every four lanes one, two or all give metadata, as shape and type say")
}

/// Metadata or factors that are not in a 32-bit register.
pub fn data(span: Span, found: &str, what: &str) -> Diagnostic {
    Diagnostic::error(
        DATA,
        span,
        format!("found {found}, expected a 32-bit register with {what}"),
    )
    .help("a `.b32` register, the same one in all lanes")
}

/// Not a list of two 16-bit values.
pub fn places(span: Span) -> Diagnostic {
    Diagnostic::error(
        PLACES,
        span,
        "expected two 16-bit values in braces: the byte in the register, and the lane of four",
    )
    .help("numbers, or `.b16` registers that are the same in all lanes")
}

/// A number that is no place of a factor.
pub fn place(span: Span, found: u64, what: &str, allowed: &str) -> Diagnostic {
    Diagnostic::error(
        PLACES,
        span,
        format!("found {found}, expected {allowed} for the {what} of a scale"),
    )
    .help("the braces hold the byte in the register, and the lane of four")
}

/// `.satfinite` with floats, from 6.5 on.
pub fn satfinite_removed(dotted: Span, version: Version) -> Diagnostic {
    Diagnostic::error(
        SATFINITE_REMOVED,
        Span::new(dotted.start + 1, dotted.end),
        format!("products of floats have no `.satfinite` in PTX {version}: it went with 6.5"),
    )
    .fix("leave out `.satfinite`", dotted, "")
    .help("products of integers still have it")
}

/// `.popc.xor`
pub fn popc_order(popc: Span, op: Span) -> Diagnostic {
    Diagnostic::error(
        WORD_ORDER,
        popc,
        "`.popc` comes after the operation whose bits it counts",
    )
    .label(op, "the bit operation")
    .help("write `.xor.popc` or `.and.popc`")
}

/// `.b4x16_p64.b8x16`
pub fn format_order(from: Span, to: Span) -> Diagnostic {
    Diagnostic::error(
        WORD_ORDER,
        from,
        "the format in memory comes after that in registers",
    )
    .label(to, "the format in registers")
    .help("write `.b8x16` first")
}
