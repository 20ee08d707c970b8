//! Diagnostics for matrix instructions: codes W0500 to W0599.

use crate::diagnostics::strict_address::AddressCodes;
use crate::diagnostics::{MismatchedProperty, diagnostic_codes};
use warpgrid_isa::{ScalarType, Version};
use warpgrid_program::{Diagnostic, Span};

diagnostic_codes! {
    /// An instruction must start with all parts of its opcode, such as `wmma.store.d`. The modifiers may follow in any order.
    NAME_ORDER = "W0500", "parts of the opcode out of order", "wmma.store.sync.d.aligned.row.m8n8k32.s32 [a], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// From PTX ISA 6.3 on, `.aligned` is required. The modifier asserts that all threads of the warp execute the same instruction.
    ALIGNED_MISSING = "W0501", "missing `.aligned`", "wmma.store.d.sync.row.m8n8k32.s32 [a], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// Before PTX ISA 6.3, `.aligned` was implied and could not be specified.
    ALIGNED_TOO_EARLY = "W0502", "`.aligned` before version 6.3", ".version 6.2\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .b64 a; .reg .b32 b;\nwmma.store.d.sync.aligned.row.m16n16k16.f16 [a], {b, b, b, b};\n}", ".version 6.2\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .b64 a; .reg .b32 b;\nwmma.store.d.sync.row.m16n16k16.f16 [a], {b, b, b, b};\n}";
    /// The shape and the type determine the number of registers per lane. 16 x 16 elements of 32 bits require 8 registers, 16 x 16
    /// elements of type `.f16` require 4 registers, and 8 x 8 elements require 2 registers.
    FRAGMENT_SIZE = "W0503", "wrong number of registers", "wmma.store.d.sync.aligned.row.m16n16k16.f16 [a], {b, c};", "wmma.store.d.sync.aligned.row.m16n16k16.f16 [a], {b, c, b, c};";
    /// The registers of a fragment must have the element type, or must be untyped bits of the same width. For `.f16`, each register
    /// contains two elements.
    FRAGMENT_TYPE = "W0504", "register of the wrong type", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {%f1, %f2};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// All registers of a fragment must have the same type. Only untyped bits can be combined with other types.
    FRAGMENT_CLASH = "W0505", "registers of different types", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {%f1, %u1};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {%u1, %u2};";
    /// The fragment must be a list of registers in braces. A vector register is not accepted.
    NO_FRAGMENT = "W0506", "list of registers expected", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], b;", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// The elements of a fragment must be registers.
    NO_REGISTER = "W0507", "fragment element that is not a register", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, _};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// The stride must be a 32-bit integer register or constant. The stride is a number of elements, not bytes.
    STRIDE_TYPE = "W0508", "stride of the wrong type", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c}, %rd1;", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c}, %u1;";
    /// The address of the matrix must be in brackets. An address is a register or a variable, optionally plus a constant offset.
    NO_ADDRESS = "W0509", "address expected", "wmma.store.d.sync.aligned.row.m8n8k32.s32 a, {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// An address register must be a 32-bit or 64-bit integer register.
    ADDRESS_TYPE = "W0510", "register that cannot hold an address", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%f1], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [%rd1], {b, c};";
    /// The variable is declared in a different state space than the one that the instruction specifies.
    ADDRESS_SPACE = "W0511", "variable in the wrong state space", "wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [tile], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.shared.s32 [tile], {b, c};";
    /// Constant addresses are allowed only in local memory, but matrices cannot be stored in local memory.
    CONSTANT_ADDRESS = "W0512", "constant as an address", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [0], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// `ptxas` accepts the instruction, but the PTX ISA manual does not document this form. The behaviour may change in later releases.
    BEYOND_MANUAL = "W0513", "undocumented form", "wmma.store.d.sync.aligned.row.m8n8k32.f32 [a], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// If the stride is less than the length of a row (or column), the behaviour is undefined. The stride must also align every row (or
    /// column) to 16 bytes. `ptxas` does not check the stride.
    STRIDE_VALUE = "W0514", "invalid stride", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c}, 4;", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c}, 8;";
    /// A vector width, which the PTX ISA manual does not document here, must equal the number of registers in braces.
    VECTOR_WIDTH = "W0515", "vector width of a fragment", "wmma.store.d.sync.aligned.row.m8n8k32.v4.s32 [a], {b, c};", "wmma.store.d.sync.aligned.row.m8n8k32.s32 [a], {b, c};";
    /// The sparsity selector selects which threads of each group of four threads provide the metadata. The range of the selector is
    /// therefore small.
    SELECTOR = "W0516", "sparsity selector out of range", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f1, %f2}, {b, b}, {b, b}, {%f1, %f2, %f1, %f2}, b, 5;", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f1, %f2}, {b, b}, {b, b}, {%f1, %f2, %f1, %f2}, b, 1;";
    /// Sparsity metadata and block scale factors must be in a 32-bit register.
    DATA = "W0517", "32-bit register expected", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f1, %f2}, {b, b}, {b, b}, {%f1, %f2, %f1, %f2}, 3, 0;", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f1, %f2}, {b, b}, {b, b}, {%f1, %f2, %f1, %f2}, b, 0;";
    /// Two 16-bit values in braces, the byte ID and the thread ID, select the byte and the lane that contain a scale factor. The byte
    /// ID must be a multiple of the number of scale factors per row, and two of every four lanes provide the scale factors of A.
    PLACES = "W0518", "invalid selector of a scale factor", ".version 9.0\n.target sm_120a\n.address_size 64\n.entry k()\n{\n.reg .f32 f; .reg .b32 r;\nmma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {f, f, f, f}, {r, r, r, r}, {r, r}, {f, f, f, f}, r, {1, 0}, r, {0, 0};\n}", ".version 9.0\n.target sm_120a\n.address_size 64\n.entry k()\n{\n.reg .f32 f; .reg .b32 r;\nmma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {f, f, f, f}, {r, r, r, r}, {r, r}, {f, f, f, f}, r, {2, 0}, r, {0, 0};\n}";
    /// PTX ISA 6.5 removed `.satfinite` for floating-point `wmma`. The modifier clamped results to finite values.
    SATFINITE_REMOVED = "W0519", "`.satfinite` for floating-point `wmma`", "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite {b, b, b, b}, {b, b, b, b, b, b, b, b}, {b, b, b, b, b, b, b, b}, {b, b, b, b};", "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {b, b, b, b}, {b, b, b, b, b, b, b, b}, {b, b, b, b, b, b, b, b}, {b, b, b, b};";
    /// Some modifiers have a fixed relative order. `.popc` follows `.xor` or `.and`, and the destination format `.b8x16` precedes the
    /// source format.
    WORD_ORDER = "W0520", "modifiers in the wrong order", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.popc.xor {b, b}, {b}, {b}, {b, b};", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {b, b}, {b}, {b}, {b, b};";
}

/// Codes of the diagnostics for addresses.
pub(crate) const ADDRESS: AddressCodes = AddressCodes {
    no_address: NO_ADDRESS,
    address_type: ADDRESS_TYPE,
    address_space: ADDRESS_SPACE,
    constant_address: CONSTANT_ADDRESS,
};

/// Returns the diagnostic for a misordered opcode such as `wmma.store.sync.d`.
pub fn name_order(span: Span, name: &str, ordered: &str) -> Diagnostic {
    Diagnostic::error(
        NAME_ORDER,
        span,
        format!("the parts of the opcode `{name}` must be written in this order and before all modifiers"),
    )
    .fix("reorder the opcode", span, ordered)
    .help("the modifiers may follow in any order")
}

/// Returns the diagnostic for a missing `.aligned` since PTX 6.3, which the fix inserts at `after`.
pub fn aligned_missing(name: Span, after: u32, version: Version) -> Diagnostic {
    Diagnostic::error(
        ALIGNED_MISSING,
        name,
        format!("`.aligned` is required from PTX 6.3 on, found PTX {version}"),
    )
    .fix("add `.aligned`", Span::at(after), ".aligned")
    .help("`.aligned` asserts that all threads of the warp execute the same instruction")
}

/// Returns the diagnostic for `.aligned` before PTX 6.3.
pub fn aligned_too_early(dotted: Span, version: Version) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        ALIGNED_TOO_EARLY,
        Span::new(dotted.start + 1, dotted.end),
        format!("`.aligned` is implied in PTX {version} and cannot be specified"),
    )
    .fix("remove `.aligned`", dotted, "");
    diagnostic.needs.version = Some(Version::new(6, 3));
    diagnostic.help("`.aligned` is required from PTX 6.3 on")
}

/// Returns the diagnostic for an invalid number of registers.
pub fn fragment_size(span: Span, found: usize, expected: usize, reason: &str) -> Diagnostic {
    Diagnostic::error(
        FRAGMENT_SIZE,
        span,
        match found {
            1 => format!("found 1 register, expected {expected}, because {reason}"),
            _ => format!("found {found} registers, expected {expected}, because {reason}"),
        },
    )
    .help("these registers of each lane hold a fragment of the matrix")
}

/// Returns the diagnostic for a register of an incompatible type.
pub fn fragment_type(span: Span, found: &str, ty: ScalarType, expected: &str) -> Diagnostic {
    Diagnostic::error(
        FRAGMENT_TYPE,
        span,
        format!("found {found}, expected {expected} for elements of type `.{ty}`"),
    )
    .help("untyped bits of the same width are always compatible")
}

/// Returns the diagnostic for two incompatible registers.
pub fn fragment_clash(first: Span, second: Span, mismatch: MismatchedProperty) -> Diagnostic {
    let noun = mismatch.noun();
    Diagnostic::error(
        FRAGMENT_CLASH,
        second,
        format!("a fragment cannot contain registers of different {noun}"),
    )
    .help("untyped bits (`.b32`) are compatible with every type of the same width")
    .label(first, "conflicts with this register")
}

/// Returns the diagnostic for an operand that is not a list.
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
    .help("these registers of each lane hold a fragment of the matrix")
}

/// Returns the diagnostic for an element that is not a register.
pub fn no_register(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(
        NO_REGISTER,
        span,
        format!("found {found}, expected a register"),
    )
    .help("each element of a fragment must be a register")
}

/// Returns the diagnostic for a stride that is not a 32-bit integer.
pub fn stride_type(span: Span, found: &str) -> Diagnostic {
    Diagnostic::error(
        STRIDE_TYPE,
        span,
        format!("found {found}, expected a 32-bit integer register or an integer constant"),
    )
    .help("the stride is the distance between rows or columns in elements")
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

/// Returns the diagnostic for a constant stride that the manual excludes.
pub fn stride_value(span: Span, problem: &str) -> Diagnostic {
    Diagnostic::warning(STRIDE_VALUE, span, problem)
}

/// Returns the diagnostic for a vector width other than the number of registers.
pub fn vector_width(dotted: Span, n: usize) -> Diagnostic {
    Diagnostic::error(
        VECTOR_WIDTH,
        Span::new(dotted.start + 1, dotted.end),
        format!("expected `.v{n}`, because the vector width must equal the number of registers"),
    )
    .fix("remove the vector width", dotted, "")
    .help("the PTX ISA manual does not document a vector width for this instruction")
}

/// Returns the diagnostic for a destination that contains only sinks.
pub fn only_sinks(span: Span) -> Diagnostic {
    Diagnostic::error(
        NO_REGISTER,
        span,
        "found only sinks `_`, expected at least one register",
    )
    .help("the width of the register determines the width of the values")
}

/// Returns the diagnostic for a sparsity selector out of range.
pub fn selector(span: Span, found: u64, most: u64) -> Diagnostic {
    let expected = match most {
        0 => "0".to_owned(),
        most => format!("a constant from 0 to {most}"),
    };
    Diagnostic::error(
        SELECTOR,
        span,
        format!("found the sparsity selector {found}, expected {expected}"),
    )
    .help("the selector specifies which threads of each group of four provide the metadata; the range of the selector depends on shape and type")
}

/// Returns the diagnostic for a sparsity selector that is not a literal.
pub fn selector_literal(span: Span) -> Diagnostic {
    Diagnostic::error(
        SELECTOR,
        span,
        "the sparsity selector must be a constant",
    )
    .help("the selector specifies which threads of each group of four provide the metadata; the range of the selector depends on shape and type")
}

/// Returns the diagnostic for metadata or scale factors that are not in a 32-bit register.
pub fn data(span: Span, found: &str, what: &str) -> Diagnostic {
    Diagnostic::error(
        DATA,
        span,
        format!("found {found}, expected a 32-bit register with {what}"),
    )
    .help("use a `.b32` register")
}

/// Returns the diagnostic for an operand that is not a list of two 16-bit values.
pub fn places(span: Span) -> Diagnostic {
    Diagnostic::error(
        PLACES,
        span,
        "expected the byte ID and the thread ID of the scale factors as two 16-bit values in braces",
    )
    .help("use constants, or `.b16` registers with the same value in all lanes")
}

/// Returns the diagnostic for an invalid byte or lane of a scale factor.
pub fn place(span: Span, found: u64, what: &str, allowed: &str) -> Diagnostic {
    Diagnostic::error(
        PLACES,
        span,
        format!("found the value {found}, expected {allowed} for the {what} of a scale factor"),
    )
    .help("the values in braces are the byte ID and the thread ID")
}

/// Returns the diagnostic for `.satfinite` of a floating-point MMA since PTX 6.5.
pub fn satfinite_removed(dotted: Span, version: Version) -> Diagnostic {
    Diagnostic::error(
        SATFINITE_REMOVED,
        Span::new(dotted.start + 1, dotted.end),
        format!(
            "`.satfinite` for floating-point `wmma` was removed in PTX 6.5, found PTX {version}"
        ),
    )
    .fix("remove `.satfinite`", dotted, "")
    .help("integer `wmma` still supports `.satfinite`")
}

/// Returns the diagnostic for `.popc` before the bit operation: `.popc.xor`.
pub fn popc_order(popc: Span, op: Span) -> Diagnostic {
    Diagnostic::error(WORD_ORDER, popc, "`.popc` must follow the bit operation")
        .label(op, "the bit operation")
        .help("write `.xor.popc` or `.and.popc`")
}

/// Returns the diagnostic for the source format before the destination format: `.b4x16_p64.b8x16`.
pub fn format_order(from: Span, to: Span) -> Diagnostic {
    Diagnostic::error(
        WORD_ORDER,
        from,
        "the source format must follow the destination format",
    )
    .label(to, "the destination format")
    .help("write `.b8x16` before the source format")
}
