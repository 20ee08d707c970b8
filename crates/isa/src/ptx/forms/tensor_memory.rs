//! Tensor memory, and matrix multiplications with accumulators in tensor memory (PTX ISA, "tcgen05").

use super::device_units::{CTA_GROUP, TENSOR_MEMORY};
use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::B32_ONLY;
use crate::form::rule::{Rule, RuleKind::*, any, assembler, of, rule};
use crate::form::{AddressCheck, DeviceUnitOperand::*, Form, Gate, SlotName as S};
use crate::modifier::Flag::{self, Multicast as Blocks, Pack16, Unpack16};
use crate::modifier::{
    CtaGroup::One, MatrixCount::*, MmaKind, ReduceOp, ScaleVector as Scales,
    TensorMemoryAccessShape::*, TensorMemoryCopyShape::*, Unpacking::*, WarpMulticast,
};
use crate::operation::{
    DeviceUnitOp::TensorMemory,
    TensorMemoryOp::{self, Allocate, Deallocate, Store},
};
use crate::space::StateSpace::{Shared, SharedCluster};
use crate::target::TargetRequirement as On;

/// Targets that support tensor memory loads with a reduction (`tcgen05.ld.red`).
const REDUCING: On = On::OneOf(&[On::Family(103), On::Family(107), On::Family(110)]);
/// Architecture-specific targets with tensor memory.
const SPECIFIC: On = On::OneOf(&[
    On::Only(100),
    On::Only(101),
    On::Only(103),
    On::Only(107),
    On::Only(110),
]);
const INTEGERS: Gate = since(8, 6).on(On::OneOf(&[On::Only(100), On::Only(101), On::Only(110)]));
const GATE: Gate = TENSOR_MEMORY.assembler("13.5");
const UNCHECKED: Gate = ALWAYS.assembler("13.5");

set! { ONE_GROUP: Group "CTA group"; "cta_group::1", CtaGroup(One), ALWAYS, "a single block participates"; }
set! { IN_CTA: Space "state space"; "shared::cta", Space(Shared), ALWAYS, "uses a `.shared::cta` address instead of a generic address"; }
set! { IN_CLUSTER: Space "state space"; "shared::cluster", Space(SharedCluster), ALWAYS, "uses a `.shared::cluster` address instead of a generic address"; }
set! { ARRIVES: Completion "completion mechanism"; "mbarrier::arrive::one", Word, ALWAYS, "triggers one arrival at the mbarrier on completion"; }
set! { COPIED: Shape "shape";
    "128x256b", CopyShape(L128x256), ALWAYS, "128 lanes with 256 bits each";
    "4x256b",   CopyShape(L4x256), ALWAYS, "4 lanes with 256 bits each";
    "128x128b", CopyShape(L128x128), ALWAYS, "128 lanes with 128 bits each";
    "64x128b",  CopyShape(L64x128), ALWAYS, "64 lanes with 128 bits each, which are multicast to two warps";
    "32x128b",  CopyShape(L32x128), ALWAYS, "32 lanes with 128 bits each, which are multicast to four warps";
}
set! { WARPS: Multicast "warps";
    "warpx2::02_13", Warps(WarpMulticast::X2Even), ALWAYS, "multicasts one half of the data to warps 0 and 2, and the other half to warps 1 and 3";
    "warpx2::01_23", Warps(WarpMulticast::X2Halves), ALWAYS, "multicasts one half of the data to warps 0 and 1, and the other half to warps 2 and 3";
    "warpx4",        Warps(WarpMulticast::X4), ALWAYS, "multicasts the data to all four warps of the warpgroup";
}
set! { UNPACKING: Unpacking "format in memory";
    "b6x16_p32", Unpacking(B6), ALWAYS, "chunks of 16 elements with 6 bits each, followed by 32 bits of padding";
    "b4x16_p64", Unpacking(B4), ALWAYS, "chunks of 16 elements with 4 bits each, followed by 64 bits of padding";
}
set! { MOVED: Shape "shape";
    "32x32b",  MoveShape(M32x32), ALWAYS, "32 lanes with 32 bits each";
    "16x64b",  MoveShape(M16x64), ALWAYS, "16 lanes with 64 bits each";
    "16x128b", MoveShape(M16x128), ALWAYS, "16 lanes with 128 bits each";
    "16x256b", MoveShape(M16x256), ALWAYS, "16 lanes with 256 bits each";
}
set! { REDUCED: Shape "shape"; "32x32b", MoveShape(M32x32), ALWAYS, "32 lanes with 32 bits each"; }
set! { SPLIT: Shape "shape"; "16x32bx2", MoveShape(M16x32x2), ALWAYS, "two halves of 16 lanes with 32 bits each"; }
set! { COUNT: Count "repetitions";
    "x1",   Count(X1),   ALWAYS, "does not repeat the access";
    "x2",   Count(X2),   ALWAYS, "repeats the access twice along the columns";
    "x4",   Count(X4),   ALWAYS, "repeats the access 4 times along the columns";
    "x8",   Count(X8),   ALWAYS, "repeats the access 8 times along the columns";
    "x16",  Count(X16),  ALWAYS, "repeats the access 16 times along the columns";
    "x32",  Count(X32),  ALWAYS, "repeats the access 32 times along the columns";
    "x64",  Count(X64),  ALWAYS, "repeats the access 64 times along the columns";
    "x128", Count(X128), ALWAYS, "repeats the access 128 times along the columns";
}
set! { PACK: Packing "packing"; "pack::16b", Flag(Pack16), ALWAYS, "packs two 16-bit columns into one register"; }
set! { UNPACK: Packing "packing"; "unpack::16b", Flag(Unpack16), ALWAYS, "unpacks the halves of a register into two 16-bit columns"; }
set! { LAYOUT: Layout "layout";
    "row", Word, UNCHECKED, "undocumented modifier";
    "col", Word, UNCHECKED, "undocumented modifier";
}
set! { EXTREME: Op "reduction";
    "min", Reduce(ReduceOp::Min), ALWAYS, "computes the minimum of the row";
    "max", Reduce(ReduceOp::Max), ALWAYS, "computes the maximum of the row";
}
types!(SINGLES, Type, F32);
types!(WORDS, Type, U32 S32);
types!(B64_ONLY, Type, B64);
set! { HALVES: Kind "kind";
    "kind::f16",  Kind(MmaKind::F16), ALWAYS, "elements of `.f16` or `.bf16`";
    "kind::tf32", Kind(MmaKind::Tf32), ALWAYS, "elements of `.tf32`";
}
set! { BYTES: Kind "kind"; "kind::f8f6f4", Kind(MmaKind::F8f6f4), ALWAYS, "8-bit, 6-bit or 4-bit floats"; }
set! { WHOLE: Kind "kind"; "kind::i8", Kind(MmaKind::I8), INTEGERS, "8-bit integers"; }
set! { KEPT: Kind "kind";
    "kind::f16",    Kind(MmaKind::F16), ALWAYS,   "elements of `.f16` or `.bf16`";
    "kind::tf32",   Kind(MmaKind::Tf32), ALWAYS,   "elements of `.tf32`";
    "kind::f8f6f4", Kind(MmaKind::F8f6f4), ALWAYS,   "8-bit, 6-bit or 4-bit floats";
    "kind::i8",     Kind(MmaKind::I8), INTEGERS, "8-bit integers";
}
set! { SCALED: Kind "kind";
    "kind::mxf8f6f4", Kind(MmaKind::Mxf8f6f4), ALWAYS,               "block-scaled 8-bit, 6-bit or 4-bit floats";
    "kind::mxf4",     Kind(MmaKind::Mxf4), ALWAYS,               "block-scaled 4-bit floats";
    "kind::mxf4nvf4", Kind(MmaKind::Mxf4nvf4), since(8, 7), "block-scaled 4-bit floats with `ue8m0` or `ue4m3` scale factors";
}
set! { SPARSE_SCALED: Kind "kind";
    "kind::mxf8f6f4", Kind(MmaKind::Mxf8f6f4), ALWAYS,                   "block-scaled 8-bit, 6-bit or 4-bit floats";
    "kind::mxf4",     Kind(MmaKind::Mxf4), since(8, 6).on(SPECIFIC), "block-scaled 4-bit floats";
    "kind::mxf4nvf4", Kind(MmaKind::Mxf4nvf4), since(8, 7).on(SPECIFIC), "block-scaled 4-bit floats with `ue8m0` or `ue4m3` scale factors";
}
set! { FACTORS: ScaleVector "factors";
    "scale_vec::1X", ScaleVector(Scales::X1), since(8, 6).on(SPECIFIC), "one scale factor per row of A and per column of B";
    "scale_vec::2X", ScaleVector(Scales::X2), since(8, 6).on(SPECIFIC), "two scale factors per row of A and per column of B";
    "scale_vec::4X", ScaleVector(Scales::X4), since(8, 7).on(SPECIFIC), "four scale factors per row of A and per column of B";
    "block16",       ScaleVector(Scales::Block16), since(8, 8),   "one scale factor per 16 elements";
    "block32",       ScaleVector(Scales::Block32), since(8, 8),   "one scale factor per 32 elements";
}
set! { COLLECTED: Collector "collector";
    "collector::a::fill",    Word, ALWAYS, "loads matrix A into the collector buffer";
    "collector::a::use",     Word, ALWAYS, "reads matrix A from the collector buffer";
    "collector::a::lastuse", Word, ALWAYS, "reads matrix A from the collector buffer and then discards the buffer contents";
    "collector::a::discard", Word, ALWAYS, "does not keep matrix A in the collector buffer (the default)";
}
/// Values of the collector buffer modifiers of matrix B.
macro_rules! collectors {
    ($($b:literal)*) => {
        set! { COLLECTORS: Collector "collector";
            $((concat!("collector::", $b, "::fill")),    Word, ALWAYS, "loads matrix B into this collector buffer";
            (concat!("collector::", $b, "::use")),     Word, ALWAYS, "reads matrix B from this collector buffer";
            (concat!("collector::", $b, "::lastuse")), Word, ALWAYS, "reads matrix B from this collector buffer and then discards the buffer contents";
            (concat!("collector::", $b, "::discard")), Word, ALWAYS, "does not keep matrix B in this collector buffer";)*
        }
    };
}
collectors! { "b0" "b1" "b2" "b3" }

#[rustfmt::skip]
const SHAPES: &[Rule] = &[
    assembler(Requires { when: of(S::Shape, &["64x128b"]), slot: S::Multicast, among: &["warpx2::02_13", "warpx2::01_23"] }, "data of shape `64x128b` is multicast to two warps"),
    assembler(Requires { when: of(S::Shape, &["32x128b"]), slot: S::Multicast, among: &["warpx4"] }, "data of shape `32x128b` is multicast to four warps"),
    assembler(Conflict { a: of(S::Shape, &["128x256b", "4x256b", "128x128b"]), b: any(S::Multicast) }, "data of this shape is not multicast"),
    rule(Requires { when: any(S::Unpacking), slot: S::Literal(Flag::B8x16), among: &[] }, "a conversion during the copy requires both the source and the destination format"),
    rule(Requires { when: any(S::Literal(Flag::B8x16)), slot: S::Unpacking, among: &[] }, "a conversion during the copy requires both the source and the destination format"),
    assembler(Before { first: S::Literal(Flag::B8x16), second: S::Unpacking }, "the destination format is specified before the source format"),
];
#[rustfmt::skip]
const REGISTERS: &[Rule] = &[
    rule(Restricts { when: of(S::Shape, &["16x128b"]), slot: S::Count, among: &["x1", "x2", "x4", "x8", "x16", "x32", "x64"] }, "one instruction can transfer at most 128 registers"),
    rule(Restricts { when: of(S::Shape, &["16x256b"]), slot: S::Count, among: &["x1", "x2", "x4", "x8", "x16", "x32"] }, "one instruction can transfer at most 128 registers"),
];
#[rustfmt::skip]
const REDUCES: &[Rule] = &[
    assembler(Restricts { when: any(S::Shape), slot: S::Count, among: &["x2", "x4", "x8", "x16", "x32", "x64", "x128"] }, "the reduction combines the columns of a row, so the instruction must load at least two columns"),
];
#[rustfmt::skip]
const PRODUCT: &[Rule] = &[
    rule(Conflict { a: of(S::Collector, &["collector::a::use", "collector::a::fill"]), b: any(S::Literal(Flag::AShift)) }, "a shifted matrix A cannot be kept in the collector buffer"),
    rule(Restricts { when: of(S::Kind, &["kind::mxf8f6f4"]), slot: S::ScaleVector, among: &["scale_vec::1X", "block32"] }, "this kind has one scale factor per 32 elements"),
    rule(Restricts { when: of(S::Kind, &["kind::mxf4"]), slot: S::ScaleVector, among: &["scale_vec::2X", "block32"] }, "this kind has one scale factor per 32 elements"),
    rule(Requires { when: of(S::Kind, &["kind::mxf4nvf4"]), slot: S::ScaleVector, among: &["scale_vec::2X", "scale_vec::4X", "block16", "block32"] }, "this kind has one scale factor per 16 or 32 elements"),
];

operands! {
    ALLOCATED: "columns" Unit(Columns);
    FREED: "taddr" Unit(TensorAddress), "columns" Unit(Columns);
    COMMITTED: "blocks" Unit(Mask);
    DESCRIBED: "source" Unit(Descriptor);
    LOADED: "r" Unit(Words), "half" Unit(Constant), "reduced" Unit(Reduced);
    LOADED_BY: "r" Unit(Words), "half" Unit(Constant);
    MULTIPLIED_BYTES: "a" Unit(MatrixOperand), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "lanes" Unit(DisableOutputLane);
    MULTIPLIED_SCALED: "a" Unit(MatrixOperand), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor);
    MULTIPLIED: "a" Unit(MatrixOperand), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "lanes" Unit(DisableOutputLane), "scale-d" Unit(ScaleInputD);
    MULTIPLIED_INTEGERS: "a" Unit(MatrixOperand), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "lanes" Unit(DisableOutputLane), "scale-d" Unit(Constant);
    SPARSE_INTEGERS: "a" Unit(MatrixOperand), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "lanes" Unit(DisableOutputLane), "scale-d" Unit(SparseScale);
    KEPT_PRODUCT: "a" Unit(MatrixOperand), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "zero-columns" Unit(ZeroColumns);
}

const PERMIT: &str =
    "tensorcore-5th-generation-instructions-tcgen05-alloc-dealloc-relinquish-alloc-permit";
const FENCES: &str = "tensorcore-5th-generation-instructions-tcgen05-fence";
const WAITS: &str = "tensorcore-5th-generation-instructions-tcgen05-wait";
const PRODUCTS: &str = "tensorcore-5th-generation-instructions-tcgen05-mma";
const SPARSE: &str = "tensorcore-5th-generation-instructions-tcgen05-mma-sp";
const STATIONARY: &str = "tensorcore-5th-generation-instructions-tcgen05-mma-ws";
const LOADS: &str = "tensorcore-5th-generation-instructions-tcgen05-ld";

/// Form: syntax, sets, number of name modifiers, any other field, help, section.
macro_rules! row {
    ($does:ident $syntax:literal, [$($set:expr),*], $leads:literal $(, $field:ident: $value:expr)*; $help:literal, $section:expr $(; $($example:ident: $given:expr),*)?) => {
        form!($syntax, [$($set),*], Unit(TensorMemory(TensorMemoryOp::$does)), n_name_modifiers: $leads, destination_operands: &[], operand_extensions: &[NoAddress] $(, $field: $value)*; $help, $section $(; $($example: $given),*)?)
    };
}

/// Form of `tcgen05.ld`.
macro_rules! load {
    ($does:ident $syntax:literal, [$($set:expr),*], $leads:literal, $writes:expr $(, $field:ident: $value:expr)*; $help:literal $(; $($example:ident: $given:expr),*)?) => {
        form!($syntax, [$($set),*], Unit(TensorMemory(TensorMemoryOp::$does)), n_name_modifiers: $leads, destination_operands: $writes, address: Tensor, types: LOADED $(, $field: $value)*; $help, LOADS $(; $($example: $given),*)?)
    };
}

/// Instruction forms of tensor memory.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("tcgen05.alloc.cta_group.sync.aligned{.ss}.type [a], columns", [CTA_GROUP, IN_CTA, B32_ONLY], Unit(TensorMemory(Allocate)), n_name_modifiers: 1, gate: GATE, destination_operands: &[], address: Strict, types: ALLOCATED;
        "Allocates tensor memory columns and writes their address to shared memory.", PERMIT;
        rejected_examples: &[("tcgen05.alloc.cta_group::1.sync.aligned.b32 [d], 33;", "W0110")]),
    form!("tcgen05.dealloc.cta_group.sync.aligned.type taddr, columns", [CTA_GROUP, B32_ONLY], Unit(TensorMemory(Deallocate)), n_name_modifiers: 1, gate: GATE, destination_operands: &[], types: FREED;
        "Deallocates tensor memory columns.", PERMIT),
    row!(Relinquish "tcgen05.relinquish_alloc_permit.cta_group.sync.aligned", [CTA_GROUP], 1, gate: GATE;
        "Relinquishes the right of the block to allocate tensor memory columns.", PERMIT),
    row!(Commit "tcgen05.commit.cta_group.completion_mechanism{.multicast::cluster}{.ss}.type [mbar]{, blocks}", [CTA_GROUP, ARRIVES, IN_CLUSTER, B64_ONLY], 1,
        gate: GATE, address: Strict, types: COMMITTED, flag_gated_operands: &[("blocks", Blocks)];
        "Triggers an arrival at an mbarrier when all prior asynchronous `tcgen05` operations of the thread are complete.", "tensorcore-5th-generation-instructions-tcgen05-commit";
        rejected_examples: &[("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [d], 1;", "W0108")]),
    row!(Copy "tcgen05.cp.cta_group.shape{.multicast}{.b8x16}{.src_fmt} [taddr], source", [CTA_GROUP, COPIED, WARPS, UNPACKING], 1, gate: GATE, address: Tensor,
        types: DESCRIBED, rules: SHAPES;
        "Starts an asynchronous copy of a matrix from shared memory to tensor memory.", "tensorcore-5th-generation-instructions-tcgen05-cp";
        rejected_examples: &[("tcgen05.cp.cta_group::1.64x128b [r], d;", "W0301")]),
    row!(Shift "tcgen05.shift.cta_group.down [taddr]", [CTA_GROUP], 1, gate: since(8, 6).on(SPECIFIC).assembler("13.5"), address: Tensor;
        "Starts an asynchronous shift of the rows of a matrix in tensor memory down by one.", "tensorcore-5th-generation-instructions-tcgen05-shift"),
    row!(Fence "tcgen05.fence::before_thread_sync", [], 1, gate: GATE;
        "Orders prior `tcgen05` operations before a following thread synchronization.", FENCES),
    row!(Fence "tcgen05.fence::after_thread_sync", [], 1, gate: GATE;
        "Orders subsequent `tcgen05` operations after a preceding thread synchronization.", FENCES),
    row!(Wait "tcgen05.wait::ld.sync.aligned", [], 1, gate: GATE; "Waits until all prior tensor memory loads of the thread are complete.", WAITS),
    row!(Wait "tcgen05.wait::st.sync.aligned", [], 1, gate: GATE; "Waits until all prior tensor memory stores of the thread are complete.", WAITS),
    load!(Load "tcgen05.ld.sync.aligned.shape.num{.packing}{.layout}.type r, [taddr]", [MOVED, COUNT, PACK, LAYOUT, B32_ONLY], 1, &["r"], gate: GATE, rules: REGISTERS;
        "Loads lanes of tensor memory into registers of a warp.";
        rejected_examples: &[("tcgen05.ld.sync.aligned.32x32b.x2.b32 {r}, [r];", "W0126")]),
    load!(Load "tcgen05.ld.sync.aligned.shape.num{.packing}{.layout}.type r, [taddr], half", [SPLIT, COUNT, PACK, LAYOUT, B32_ONLY], 1, &["r"], gate: GATE;
        "Loads lanes of tensor memory into registers of a warp. Each half of the warp accesses a separate range of columns."),
    load!(LoadReduce "tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.type r, reduced, [taddr]", [REDUCED, COUNT, EXTREME, SINGLES], 2, &["r", "reduced"], gate: since(8, 8).on(REDUCING).assembler("13.5"), rules: REDUCES;
        "Loads lanes of tensor memory and computes the floating-point minimum or maximum of each lane."),
    load!(LoadReduce "tcgen05.ld.red.sync.aligned.shape.num.op.type r, reduced, [taddr]", [REDUCED, COUNT, EXTREME, WORDS], 2, &["r", "reduced"], gate: since(8, 8).on(REDUCING).assembler("13.5"), rules: REDUCES;
        "Loads lanes of tensor memory and computes the integer minimum or maximum of each lane."),
    load!(LoadReduce "tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.type r, reduced, [taddr], half", [SPLIT, COUNT, EXTREME, SINGLES], 2, &["r", "reduced"], gate: since(8, 8).on(REDUCING).assembler("13.5"), rules: REDUCES;
        "Loads lanes of tensor memory and computes the floating-point minimum or maximum of each lane. Each half of the warp accesses a separate range of columns."),
    load!(LoadReduce "tcgen05.ld.red.sync.aligned.shape.num.op.type r, reduced, [taddr], half", [SPLIT, COUNT, EXTREME, WORDS], 2, &["r", "reduced"], gate: since(8, 8).on(REDUCING).assembler("13.5"), rules: REDUCES;
        "Loads lanes of tensor memory and computes the integer minimum or maximum of each lane. Each half of the warp accesses a separate range of columns."),
    form!("tcgen05.st.sync.aligned.shape.num{.packing}{.layout}.type [taddr], r", [MOVED, COUNT, UNPACK, LAYOUT, B32_ONLY], Unit(TensorMemory(Store)), n_name_modifiers: 1, gate: GATE,
        destination_operands: &[], address: Tensor, types: LOADED_BY, rules: REGISTERS;
        "Stores registers of a warp to lanes of tensor memory.", "tensorcore-5th-generation-instructions-tcgen05-st"),
    form!("tcgen05.st.sync.aligned.shape.num{.packing}{.layout}.type [taddr], half, r", [SPLIT, COUNT, UNPACK, LAYOUT, B32_ONLY], Unit(TensorMemory(Store)), n_name_modifiers: 1, gate: GATE,
        destination_operands: &[], address: Tensor, types: LOADED_BY;
        "Stores registers of a warp to lanes of tensor memory. Each half of the warp accesses a separate range of columns.", "tensorcore-5th-generation-instructions-tcgen05-st"),
    row!(Mma "tcgen05.mma.cta_group.kind{.ashift}{.collector_usage} [d], a, b, idesc{, lanes}, {!}add{, scale-d}", [CTA_GROUP, HALVES, COLLECTED], 1,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: MULTIPLIED, rules: PRODUCT;
        "Starts an asynchronous matrix multiply-accumulate of half-precision or `.tf32` values with accumulators in tensor memory.", PRODUCTS),
    row!(Mma "tcgen05.mma.cta_group.kind{.ashift}{.collector_usage} [d], a, b, idesc{, lanes}, {!}add", [CTA_GROUP, BYTES, COLLECTED], 1,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: MULTIPLIED_BYTES, rules: PRODUCT;
        "Starts an asynchronous matrix multiply-accumulate of narrow floats with accumulators in tensor memory.", PRODUCTS),
    row!(Mma "tcgen05.mma.cta_group.kind{.ashift}{.collector_usage} [d], a, b, idesc{, lanes}, {!}add{, scale-d}", [CTA_GROUP, WHOLE, COLLECTED], 1,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: MULTIPLIED_INTEGERS, rules: PRODUCT;
        "Starts an asynchronous matrix multiply-accumulate of integers with accumulators in tensor memory.", PRODUCTS),
    row!(MmaBlockScaled "tcgen05.mma.cta_group.kind.block_scale{.scale_vec_size}{.collector_usage} [d], a, b, idesc, [scale-a], [scale-b], {!}add", [CTA_GROUP, SCALED, FACTORS, COLLECTED], 1,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: MULTIPLIED_SCALED, rules: PRODUCT;
        "Starts an asynchronous block-scaled matrix multiply-accumulate of 8-bit, 6-bit or 4-bit floats with accumulators in tensor memory.", PRODUCTS),
    row!(MmaSparse "tcgen05.mma.sp.cta_group.kind{.ashift}{.collector_usage} [d], a, b, [metadata], idesc{, lanes}, {!}add{, scale-d}", [CTA_GROUP, HALVES, COLLECTED], 1,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: MULTIPLIED, rules: PRODUCT;
        "Starts an asynchronous sparse matrix multiply-accumulate of half-precision or `.tf32` values.", SPARSE),
    row!(MmaSparse "tcgen05.mma.sp.cta_group.kind{.ashift}{.collector_usage} [d], a, b, [metadata], idesc{, lanes}, {!}add", [CTA_GROUP, BYTES, COLLECTED], 1,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: MULTIPLIED_BYTES, rules: PRODUCT;
        "Starts an asynchronous sparse matrix multiply-accumulate of narrow floats.", SPARSE),
    row!(MmaSparse "tcgen05.mma.sp.cta_group.kind{.ashift}{.collector_usage} [d], a, b, [metadata], idesc{, lanes}, {!}add{, scale-d}", [CTA_GROUP, WHOLE, COLLECTED], 1,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: SPARSE_INTEGERS, rules: PRODUCT;
        "Starts an asynchronous sparse matrix multiply-accumulate of integers.", SPARSE),
    row!(MmaSparseBlockScaled "tcgen05.mma.sp.cta_group.kind.block_scale{.scale_vec_size}{.collector_usage} [d], a, b, [metadata], idesc, [scale-a], [scale-b], {!}add", [CTA_GROUP, SPARSE_SCALED, FACTORS, COLLECTED], 1,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: MULTIPLIED_SCALED, rules: PRODUCT;
        "Starts an asynchronous block-scaled sparse matrix multiply-accumulate of 8-bit, 6-bit or 4-bit floats with accumulators in tensor memory.", SPARSE),
    row!(MmaWeightStationary "tcgen05.mma.ws.cta_group.kind{.collector_usage} [d], a, b, idesc, {!}add{, zero-columns}", [ONE_GROUP, KEPT, COLLECTORS], 2,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: KEPT_PRODUCT;
        "Starts an asynchronous weight-stationary matrix multiply-accumulate, which can keep matrix B in a collector buffer.", STATIONARY),
    row!(MmaWeightStationarySparse "tcgen05.mma.ws.sp.cta_group.kind{.collector_usage} [d], a, b, [metadata], idesc, {!}add{, zero-columns}", [ONE_GROUP, KEPT, COLLECTORS], 2,
        gate: GATE, address: AddressCheck::TensorMemoryMma, types: KEPT_PRODUCT;
        "Starts an asynchronous weight-stationary sparse matrix multiply-accumulate, which can keep matrix B in a collector buffer.", STATIONARY),
];
