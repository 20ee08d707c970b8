//! Operations on tensor maps (PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy").

use super::cp_async_bulk::{FROM_CTA, RULES, TO_GLOBAL};
use super::device_units::BLACKWELL;
use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{GLOBAL, SCOPE};
use crate::form::{DeviceUnitOperand::*, Form, Gate};
use crate::modifier::{LoadMode::Tile, Sem::Release, TensorMapField::*};
use crate::operation::{DeviceUnitOp::TensorMap, TensorMapOp::*};
use crate::space::StateSpace::{self, Shared};
use crate::target::TargetRequirement::{Family, OneOf, Only};
use crate::types::ScalarType::U32;

const REPLACED: Gate = since(8, 3)
    .on(OneOf(&[Family(100), Family(101), Family(120), Only(90)]))
    .assembler("13.5");
const REPLACE: &str = "data-movement-and-conversion-instructions-tensormap-replace";

set! { TILE: LoadMode "mode"; "tile", LoadMode(Tile), ALWAYS, "tensor map in tiled mode"; }
set! { PLACES: Space "state space"; GLOBAL; "shared::cta", Space(Shared), ALWAYS, "shared memory of the block"; }
set! { WHOLE: Size "size of the tensor map"; "b1024", Word, ALWAYS, "1024 bits"; }
set! { BASE: Field "field"; "global_address", Field(Address), ALWAYS, "global address of the tensor"; }
set! { RANK: Field "field"; "rank", Field(Rank), ALWAYS, "number of dimensions minus one"; }
set! { SIZES: Field "field";
    "box_dim",        Field(Box), ALWAYS, "box size along one dimension, in elements";
    "global_dim",     Field(Extent), ALWAYS, "tensor size along one dimension, in elements";
    "element_stride", Field(ElementStride), ALWAYS, "element stride along one dimension";
}
set! { STRIDE: Field "field"; "global_stride", Field(Stride), ALWAYS, "global stride along one dimension, in bytes"; }
set! { ELEMENTS: Field "field"; "elemtype", Field(ElementType), ALWAYS, "element type"; }
set! { INTERLEAVED: Field "field"; "interleave_layout", Field(Interleave), ALWAYS, "interleave layout"; }
set! { SWIZZLES: Field "field"; "swizzle_mode", Field(Swizzle), ALWAYS, "shared memory swizzle mode"; }
set! { ATOMICITIES: Field "field"; "swizzle_atomicity", Field(Atomicity), since(8, 6).on(BLACKWELL), "atomicity of the swizzle"; }
set! { FILLS: Field "field"; "fill_mode", Field(Fill), ALWAYS, "fill mode of out-of-bounds elements"; }
set! { GENERIC: ProxyKind "proxy"; "tensormap::generic", Word, ALWAYS, "synchronization from the generic proxy to the tensormap proxy"; }
set! { RELEASES: Sem "memory order"; "release", Sem(Release), ALWAYS, "release semantics, which order all earlier memory accesses before the operation"; }
types!(WORD, Type, B32);
types!(LONG, Type, B64);

operands! {
    LONG_VALUE: "value" Slot(Type);
    VALUE: "value" Fixed(U32);
    SIZE_VALUE: "dimension" Unit(NumberUpTo(4)), "value" Fixed(U32);
    STRIDE_VALUE: "dimension" Unit(NumberUpTo(4)), "value" Slot(Type);
    UP_TO_15: "value" Unit(NumberUpTo(15));
    SWIZZLE: "value" Unit(NumberBy(3, Only(103), 4));
    UP_TO_3: "value" Unit(NumberUpTo(3));
    UP_TO_2: "value" Unit(NumberUpTo(2));
    UP_TO_1: "value" Unit(NumberUpTo(1));
    COPIED: "dst" AddressIn(StateSpace::Global), "src" AddressIn(Shared), "size" Number(Between(128, 128));
}

/// Form of `tensormap.replace`.
macro_rules! replace {
    ($syntax:literal, $field:expr, $ty:expr, $types:expr, $help:literal) => {
        form!($syntax, [TILE, $field, PLACES, WHOLE, $ty], Unit(TensorMap(Replace)), gate: REPLACED, n_name_modifiers: 1, address: Strict, types: $types; $help, REPLACE)
    };
}

/// Instruction forms of tensor-map operations.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    replace!("tensormap.replace.load_mode.field{.ss}.size.type [addr], value", BASE, LONG, LONG_VALUE, "Replaces the field of a tensor map for the global address of the tensor."),
    replace!("tensormap.replace.load_mode.field{.ss}.size.type [addr], value", RANK, WORD, VALUE, "Replaces the field of a tensor map for the number of dimensions."),
    replace!("tensormap.replace.load_mode.field{.ss}.size.type [addr], dimension, value", SIZES, WORD, SIZE_VALUE, "Replaces the field of a tensor map for a size or element stride along one dimension."),
    replace!("tensormap.replace.load_mode.field{.ss}.size.type [addr], dimension, value", STRIDE, LONG, STRIDE_VALUE, "Replaces the field of a tensor map for the global stride along one dimension."),
    replace!("tensormap.replace.load_mode.field{.ss}.size.type [addr], value", ELEMENTS, WORD, UP_TO_15, "Replaces the field of a tensor map for the element type."),
    replace!("tensormap.replace.load_mode.field{.ss}.size.type [addr], value", SWIZZLES, WORD, SWIZZLE, "Replaces the field of a tensor map for the swizzle mode."),
    replace!("tensormap.replace.load_mode.field{.ss}.size.type [addr], value", ATOMICITIES, WORD, UP_TO_3, "Replaces the field of a tensor map for the swizzle atomicity."),
    replace!("tensormap.replace.load_mode.field{.ss}.size.type [addr], value", INTERLEAVED, WORD, UP_TO_2, "Replaces the field of a tensor map for the interleave layout."),
    replace!("tensormap.replace.load_mode.field{.ss}.size.type [addr], value", FILLS, WORD, UP_TO_1, "Replaces the field of a tensor map for the fill mode of out-of-bounds elements."),
    form!("tensormap.cp_fenceproxy.dst.src.proxykind.sem.scope.sync.aligned [dst], [src], size", [TO_GLOBAL, FROM_CTA, GENERIC, RELEASES, SCOPE], Unit(TensorMap(CopyFenceProxy)),
        gate: since(8, 3).sm(90).assembler("13.5"), n_name_modifiers: 1, address: AsyncCopy, types: COPIED, rules: RULES;
        "Copies a tensor map to global memory and orders later accesses through the tensormap proxy.",
        "parallel-synchronization-and-communication-instructions-tensormap-cp-fenceproxy";
        rejected_examples: &[("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [d], [d], 64;", "W0144")]),
];
