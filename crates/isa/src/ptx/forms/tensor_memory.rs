//! Tensor memory, and products whose sums it keeps (PTX ISA, "tcgen05").

use super::sets::B32_ONLY;
use super::table::{ALWAYS, form, operands, set, since, types};
use super::units::{CTA_GROUP, TENSOR_MEMORY};
use crate::does::{
    TensorMemoryOp::{self, Allocate, Free, Store},
    UnitOp::TensorMemory,
};
use crate::form::rule::{Rule, RuleKind::*, any, assembler, of, rule};
use crate::form::{Addressing, Form, Gate, SlotName as S, UnitOperand::*};
use crate::modifier::Flag::{self, Multicast as Blocks, Pack16, Unpack16};
use crate::modifier::{
    CopyShape::*, CtaGroup::One, MatrixCount::*, MmaKind, MoveShape::*, ReduceOp,
    ScaleVector as Scales, Unpacking::*, WarpMulticast,
};
use crate::space::StateSpace::{Shared, SharedCluster};
use crate::target::TargetGate as On;

/// Targets that reduce what they load from tensor memory.
const REDUCING: On = On::OneOf(&[On::Family(103), On::Family(107), On::Family(110)]);
/// Targets that have what is specific to one of them.
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

set! { ONE_GROUP: Group "group of blocks"; "cta_group::1", CtaGroup(One), ALWAYS, "the block alone"; }
set! { IN_CTA: Space "state space"; "shared::cta", Space(Shared), ALWAYS, "an address in shared memory of the block, not a generic one"; }
set! { IN_CLUSTER: Space "state space"; "shared::cluster", Space(SharedCluster), ALWAYS, "an address in shared memory of the cluster, not a generic one"; }
set! { ARRIVES: Completion "completion mechanism"; "mbarrier::arrive::one", Word, ALWAYS, "arrives once at the mbarrier"; }
set! { COPIED: Shape "shape";
    "128x256b", CopyShape(L128x256), ALWAYS, "128 lanes of 256 bits";
    "4x256b",   CopyShape(L4x256), ALWAYS, "4 lanes of 256 bits";
    "128x128b", CopyShape(L128x128), ALWAYS, "128 lanes of 128 bits";
    "64x128b",  CopyShape(L64x128), ALWAYS, "64 lanes of 128 bits, to two warps each";
    "32x128b",  CopyShape(L32x128), ALWAYS, "32 lanes of 128 bits, to four warps each";
}
set! { WARPS: Multicast "warps";
    "warpx2::02_13", Warps(WarpMulticast::X2Even), ALWAYS, "to warps 0 and 2, and to warps 1 and 3";
    "warpx2::01_23", Warps(WarpMulticast::X2Halves), ALWAYS, "to warps 0 and 1, and to warps 2 and 3";
    "warpx4",        Warps(WarpMulticast::X4), ALWAYS, "to all four warps";
}
set! { UNPACKING: Unpacking "format in memory";
    "b6x16_p32", Unpacking(B6), ALWAYS, "16 elements of 6 bits, then 32 bits that mean nothing";
    "b4x16_p64", Unpacking(B4), ALWAYS, "16 elements of 4 bits, then 64 bits that mean nothing";
}
set! { MOVED: Shape "shape";
    "32x32b",  MoveShape(M32x32), ALWAYS, "32 lanes of 32 bits";
    "16x64b",  MoveShape(M16x64), ALWAYS, "16 lanes of 64 bits";
    "16x128b", MoveShape(M16x128), ALWAYS, "16 lanes of 128 bits";
    "16x256b", MoveShape(M16x256), ALWAYS, "16 lanes of 256 bits";
}
set! { REDUCED: Shape "shape"; "32x32b", MoveShape(M32x32), ALWAYS, "32 lanes of 32 bits"; }
set! { SPLIT: Shape "shape"; "16x32bx2", MoveShape(M16x32x2), ALWAYS, "two halves of 16 lanes of 32 bits"; }
set! { COUNT: Count "repetitions";
    "x1",   Count(X1),   ALWAYS, "once";
    "x2",   Count(X2),   ALWAYS, "twice";
    "x4",   Count(X4),   ALWAYS, "4 times along the columns";
    "x8",   Count(X8),   ALWAYS, "8 times along the columns";
    "x16",  Count(X16),  ALWAYS, "16 times along the columns";
    "x32",  Count(X32),  ALWAYS, "32 times along the columns";
    "x64",  Count(X64),  ALWAYS, "64 times along the columns";
    "x128", Count(X128), ALWAYS, "128 times along the columns";
}
set! { PACK: Packing "packing"; "pack::16b", Flag(Pack16), ALWAYS, "two columns of 16 bits into one register"; }
set! { UNPACK: Packing "packing"; "unpack::16b", Flag(Unpack16), ALWAYS, "the halves of a register into two columns"; }
set! { LAYOUT: Layout "layout";
    "row", Word, UNCHECKED, "not in the manual";
    "col", Word, UNCHECKED, "not in the manual";
}
set! { EXTREME: Op "reduction";
    "min", Reduce(ReduceOp::Min), ALWAYS, "the smallest of the row";
    "max", Reduce(ReduceOp::Max), ALWAYS, "the largest of the row";
}
types!(SINGLES, Type, F32);
types!(WORDS, Type, U32 S32);
types!(B64_ONLY, Type, B64);
set! { HALVES: Kind "kind";
    "kind::f16",  Kind(MmaKind::F16), ALWAYS, "elements of `.f16` or `.bf16`";
    "kind::tf32", Kind(MmaKind::Tf32), ALWAYS, "elements of `.tf32`";
}
set! { BYTES: Kind "kind"; "kind::f8f6f4", Kind(MmaKind::F8f6f4), ALWAYS, "floats of 8, 6 or 4 bits"; }
set! { WHOLE: Kind "kind"; "kind::i8", Kind(MmaKind::I8), INTEGERS, "8-bit integers"; }
set! { KEPT: Kind "kind";
    "kind::f16",    Kind(MmaKind::F16), ALWAYS,   "elements of `.f16` or `.bf16`";
    "kind::tf32",   Kind(MmaKind::Tf32), ALWAYS,   "elements of `.tf32`";
    "kind::f8f6f4", Kind(MmaKind::F8f6f4), ALWAYS,   "floats of 8, 6 or 4 bits";
    "kind::i8",     Kind(MmaKind::I8), INTEGERS, "8-bit integers";
}
set! { SCALED: Kind "kind";
    "kind::mxf8f6f4", Kind(MmaKind::Mxf8f6f4), ALWAYS,               "block-scaled 8-, 6- or 4-bit floats";
    "kind::mxf4",     Kind(MmaKind::Mxf4), ALWAYS,               "block-scaled 4-bit floats";
    "kind::mxf4nvf4", Kind(MmaKind::Mxf4nvf4), since(8, 7), "block-scaled 4-bit floats, with scales of either type";
}
set! { SPARSE_SCALED: Kind "kind";
    "kind::mxf8f6f4", Kind(MmaKind::Mxf8f6f4), ALWAYS,                   "block-scaled 8-, 6- or 4-bit floats";
    "kind::mxf4",     Kind(MmaKind::Mxf4), since(8, 6).on(SPECIFIC), "block-scaled 4-bit floats";
    "kind::mxf4nvf4", Kind(MmaKind::Mxf4nvf4), since(8, 7).on(SPECIFIC), "block-scaled 4-bit floats, with scales of either type";
}
set! { FACTORS: ScaleVector "factors";
    "scale_vec::1X", ScaleVector(Scales::X1), since(8, 6).on(SPECIFIC), "one scale per row of A and column of B";
    "scale_vec::2X", ScaleVector(Scales::X2), since(8, 6).on(SPECIFIC), "two scales per row of A and column of B";
    "scale_vec::4X", ScaleVector(Scales::X4), since(8, 7).on(SPECIFIC), "four scales per row of A and column of B";
    "block16",       ScaleVector(Scales::Block16), since(8, 8),   "one scale per 16 elements";
    "block32",       ScaleVector(Scales::Block32), since(8, 8),   "one scale per 32 elements";
}
set! { COLLECTED: Collector "collector";
    "collector::a::fill",    Word, ALWAYS, "A is kept in the collector";
    "collector::a::use",     Word, ALWAYS, "A is the one in the collector";
    "collector::a::lastuse", Word, ALWAYS, "A is the one in the collector, for the last time";
    "collector::a::discard", Word, ALWAYS, "A is not kept; the default";
}
/// The collectors of B.
macro_rules! collectors {
    ($($b:literal)*) => {
        set! { COLLECTORS: Collector "collector";
            $((concat!("collector::", $b, "::fill")),    Word, ALWAYS, "B is kept in this collector";
            (concat!("collector::", $b, "::use")),     Word, ALWAYS, "B is the one in this collector";
            (concat!("collector::", $b, "::lastuse")), Word, ALWAYS, "B is the one in this collector, for the last time";
            (concat!("collector::", $b, "::discard")), Word, ALWAYS, "B is not kept in this collector";)*
        }
    };
}
collectors! { "b0" "b1" "b2" "b3" }

#[rustfmt::skip]
const SHAPES: &[Rule] = &[
    assembler(Needs { when: of(S::Shape, &["64x128b"]), slot: S::Multicast, among: &["warpx2::02_13", "warpx2::01_23"] }, "two warps get each row"),
    assembler(Needs { when: of(S::Shape, &["32x128b"]), slot: S::Multicast, among: &["warpx4"] }, "four warps get each row"),
    assembler(Clash { a: of(S::Shape, &["128x256b", "4x256b", "128x128b"]), b: any(S::Multicast) }, "one warp gets each row"),
    rule(Needs { when: any(S::Unpacking), slot: S::Literal(Flag::B8x16), among: &[] }, "both formats of the conversion must be named"),
    rule(Needs { when: any(S::Literal(Flag::B8x16)), slot: S::Unpacking, among: &[] }, "both formats of the conversion must be named"),
    assembler(Before { first: S::Literal(Flag::B8x16), second: S::Unpacking }, "the destination is named first"),
];
#[rustfmt::skip]
const REGISTERS: &[Rule] = &[
    rule(Only { when: of(S::Shape, &["16x128b"]), slot: S::Count, among: &["x1", "x2", "x4", "x8", "x16", "x32", "x64"] }, "at most 128 registers can be moved at once"),
    rule(Only { when: of(S::Shape, &["16x256b"]), slot: S::Count, among: &["x1", "x2", "x4", "x8", "x16", "x32"] }, "at most 128 registers can be moved at once"),
];
#[rustfmt::skip]
const REDUCES: &[Rule] = &[
    assembler(Only { when: any(S::Shape), slot: S::Count, among: &["x2", "x4", "x8", "x16", "x32", "x64", "x128"] }, "one column is no row to reduce"),
];
#[rustfmt::skip]
const PRODUCT: &[Rule] = &[
    rule(Clash { a: of(S::Collector, &["collector::a::use", "collector::a::fill"]), b: any(S::Literal(Flag::AShift)) }, "a shifted matrix A cannot stay in its collector"),
    rule(Only { when: of(S::Kind, &["kind::mxf8f6f4"]), slot: S::ScaleVector, among: &["scale_vec::1X", "block32"] }, "each 32 elements share one scale"),
    rule(Only { when: of(S::Kind, &["kind::mxf4"]), slot: S::ScaleVector, among: &["scale_vec::2X", "block32"] }, "each 32 elements share one scale"),
    rule(Needs { when: of(S::Kind, &["kind::mxf4nvf4"]), slot: S::ScaleVector, among: &["scale_vec::2X", "scale_vec::4X", "block16", "block32"] }, "each 16 or 32 elements share one scale"),
];

operands! {
    ALLOCATED: "columns" Unit(Columns);
    FREED: "taddr" Unit(TensorAddress), "columns" Unit(Columns);
    COMMITTED: "blocks" Unit(Mask);
    DESCRIBED: "source" Unit(Descriptor);
    LOADED: "r" Unit(Words), "half" Unit(Constant), "reduced" Unit(Reduced);
    LOADED_BY: "r" Unit(Words), "half" Unit(Constant);
    MULTIPLIED_BYTES: "a" Unit(Factor), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "lanes" Unit(Lanes);
    MULTIPLIED_SCALED: "a" Unit(Factor), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor);
    MULTIPLIED: "a" Unit(Factor), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "lanes" Unit(Lanes), "scale-d" Unit(SumScale);
    MULTIPLIED_INTEGERS: "a" Unit(Factor), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "lanes" Unit(Lanes), "scale-d" Unit(Constant);
    SPARSE_INTEGERS: "a" Unit(Factor), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "lanes" Unit(Lanes), "scale-d" Unit(SparseScale);
    KEPT_PRODUCT: "a" Unit(Factor), "b" Unit(Descriptor), "idesc" Unit(InstructionDescriptor), "zero-columns" Unit(ZeroColumns);
}

const PERMIT: &str =
    "tensorcore-5th-generation-instructions-tcgen05-alloc-dealloc-relinquish-alloc-permit";
const FENCES: &str = "tensorcore-5th-generation-instructions-tcgen05-fence";
const WAITS: &str = "tensorcore-5th-generation-instructions-tcgen05-wait";
const PRODUCTS: &str = "tensorcore-5th-generation-instructions-tcgen05-mma";
const SPARSE: &str = "tensorcore-5th-generation-instructions-tcgen05-mma-sp";
const STATIONARY: &str = "tensorcore-5th-generation-instructions-tcgen05-mma-ws";
const LOADS: &str = "tensorcore-5th-generation-instructions-tcgen05-ld";

/// A row: syntax, sets, words of the name, any other field, help, section.
macro_rules! row {
    ($does:ident $syntax:literal, [$($set:expr),*], $leads:literal $(, $field:ident: $value:expr)*; $help:literal, $section:expr $(; $($example:ident: $given:expr),*)?) => {
        form!($syntax, [$($set),*], Unit(TensorMemory(TensorMemoryOp::$does)), leads: $leads, writes: &[], takes: &[NoAddress] $(, $field: $value)*; $help, $section $(; $($example: $given),*)?)
    };
}

/// A row of `tcgen05.ld`.
macro_rules! load {
    ($does:ident $syntax:literal, [$($set:expr),*], $leads:literal, $writes:expr $(, $field:ident: $value:expr)*; $help:literal $(; $($example:ident: $given:expr),*)?) => {
        form!($syntax, [$($set),*], Unit(TensorMemory(TensorMemoryOp::$does)), leads: $leads, writes: $writes, address: Tensor, types: LOADED $(, $field: $value)*; $help, LOADS $(; $($example: $given),*)?)
    };
}

/// The forms of tensor memory.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("tcgen05.alloc.cta_group.sync.aligned{.ss}.type [a], columns", [CTA_GROUP, IN_CTA, B32_ONLY], Unit(TensorMemory(Allocate)), leads: 1, gate: GATE, writes: &[], address: Strict, types: ALLOCATED;
        "Allocates columns of tensor memory, and writes their address to shared memory.", PERMIT;
        bad: &[("tcgen05.alloc.cta_group::1.sync.aligned.b32 [d], 33;", "W0110")]),
    form!("tcgen05.dealloc.cta_group.sync.aligned.type taddr, columns", [CTA_GROUP, B32_ONLY], Unit(TensorMemory(Free)), leads: 1, gate: GATE, writes: &[], types: FREED;
        "Frees columns of tensor memory.", PERMIT),
    row!(Relinquish "tcgen05.relinquish_alloc_permit.cta_group.sync.aligned", [CTA_GROUP], 1, gate: GATE;
        "Gives up the right to allocate columns, so that other blocks can.", PERMIT),
    row!(Commit "tcgen05.commit.cta_group.completion_mechanism{.multicast::cluster}{.ss}.type [mbar]{, blocks}", [CTA_GROUP, ARRIVES, IN_CLUSTER, B64_ONLY], 1,
        gate: GATE, address: Strict, types: COMMITTED, announced: &[("blocks", Blocks)];
        "Arrives at an mbarrier once all earlier operations on tensor memory are complete.", "tensorcore-5th-generation-instructions-tcgen05-commit";
        bad: &[("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [d], 1;", "W0108")]),
    row!(Copy "tcgen05.cp.cta_group.shape{.multicast}{.b8x16}{.src_fmt} [taddr], source", [CTA_GROUP, COPIED, WARPS, UNPACKING], 1, gate: GATE, address: Tensor,
        types: DESCRIBED, rules: SHAPES;
        "Starts a copy of a matrix of shared memory to tensor memory.", "tensorcore-5th-generation-instructions-tcgen05-cp";
        bad: &[("tcgen05.cp.cta_group::1.64x128b [r], d;", "W0301")]),
    row!(Shift "tcgen05.shift.cta_group.down [taddr]", [CTA_GROUP], 1, gate: since(8, 6).on(SPECIFIC).assembler("13.5"), address: Tensor;
        "Moves rows of tensor memory down by one.", "tensorcore-5th-generation-instructions-tcgen05-shift"),
    row!(Fence "tcgen05.fence::before_thread_sync", [], 1, gate: GATE;
        "Orders earlier operations on tensor memory before a synchronisation of threads that follows.", FENCES),
    row!(Fence "tcgen05.fence::after_thread_sync", [], 1, gate: GATE;
        "Orders later operations on tensor memory after a synchronisation of threads before it.", FENCES),
    row!(Wait "tcgen05.wait::ld.sync.aligned", [], 1, gate: GATE; "Waits until all loads from tensor memory of the thread are done.", WAITS),
    row!(Wait "tcgen05.wait::st.sync.aligned", [], 1, gate: GATE; "Waits until all stores to tensor memory of the thread are done.", WAITS),
    load!(Load "tcgen05.ld.sync.aligned.shape.num{.packing}{.layout}.type r, [taddr]", [MOVED, COUNT, PACK, LAYOUT, B32_ONLY], 1, &["r"], gate: GATE, rules: REGISTERS;
        "Reads lanes of tensor memory into registers of a warp.";
        bad: &[("tcgen05.ld.sync.aligned.32x32b.x2.b32 {r}, [r];", "W0126")]),
    load!(Load "tcgen05.ld.sync.aligned.shape.num{.packing}{.layout}.type r, [taddr], half", [SPLIT, COUNT, PACK, LAYOUT, B32_ONLY], 1, &["r"], gate: GATE;
        "Reads two halves of lanes of tensor memory into registers of a warp."),
    load!(LoadReduce "tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.type r, reduced, [taddr]", [REDUCED, COUNT, EXTREME, SINGLES], 2, &["r", "reduced"], gate: since(8, 8).on(REDUCING).assembler("13.5"), rules: REDUCES;
        "Reads lanes of tensor memory, and the smallest or largest float of each."),
    load!(LoadReduce "tcgen05.ld.red.sync.aligned.shape.num.op.type r, reduced, [taddr]", [REDUCED, COUNT, EXTREME, WORDS], 2, &["r", "reduced"], gate: since(8, 8).on(REDUCING).assembler("13.5"), rules: REDUCES;
        "Reads lanes of tensor memory, and the smallest or largest integer of each."),
    load!(LoadReduce "tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.type r, reduced, [taddr], half", [SPLIT, COUNT, EXTREME, SINGLES], 2, &["r", "reduced"], gate: since(8, 8).on(REDUCING).assembler("13.5"), rules: REDUCES;
        "Reads two halves of lanes, and the smallest or largest float of each."),
    load!(LoadReduce "tcgen05.ld.red.sync.aligned.shape.num.op.type r, reduced, [taddr], half", [SPLIT, COUNT, EXTREME, WORDS], 2, &["r", "reduced"], gate: since(8, 8).on(REDUCING).assembler("13.5"), rules: REDUCES;
        "Reads two halves of lanes, and the smallest or largest integer of each."),
    form!("tcgen05.st.sync.aligned.shape.num{.packing}{.layout}.type [taddr], r", [MOVED, COUNT, UNPACK, LAYOUT, B32_ONLY], Unit(TensorMemory(Store)), leads: 1, gate: GATE,
        writes: &[], address: Tensor, types: LOADED_BY, rules: REGISTERS;
        "Writes registers of a warp to lanes of tensor memory.", "tensorcore-5th-generation-instructions-tcgen05-st"),
    form!("tcgen05.st.sync.aligned.shape.num{.packing}{.layout}.type [taddr], half, r", [SPLIT, COUNT, UNPACK, LAYOUT, B32_ONLY], Unit(TensorMemory(Store)), leads: 1, gate: GATE,
        writes: &[], address: Tensor, types: LOADED_BY;
        "Writes registers of a warp to two halves of lanes of tensor memory.", "tensorcore-5th-generation-instructions-tcgen05-st"),
    row!(Product "tcgen05.mma.cta_group.kind{.ashift}{.collector_usage} [d], a, b, idesc{, lanes}, {!}add{, scale-d}", [CTA_GROUP, HALVES, COLLECTED], 1,
        gate: GATE, address: Addressing::Product, types: MULTIPLIED, rules: PRODUCT;
        "Starts a matrix multiply-accumulate of halves or `.tf32`, with sums in tensor memory.", PRODUCTS),
    row!(Product "tcgen05.mma.cta_group.kind{.ashift}{.collector_usage} [d], a, b, idesc{, lanes}, {!}add", [CTA_GROUP, BYTES, COLLECTED], 1,
        gate: GATE, address: Addressing::Product, types: MULTIPLIED_BYTES, rules: PRODUCT;
        "Starts a matrix multiply-accumulate of narrow floats, with sums in tensor memory.", PRODUCTS),
    row!(Product "tcgen05.mma.cta_group.kind{.ashift}{.collector_usage} [d], a, b, idesc{, lanes}, {!}add{, scale-d}", [CTA_GROUP, WHOLE, COLLECTED], 1,
        gate: GATE, address: Addressing::Product, types: MULTIPLIED_INTEGERS, rules: PRODUCT;
        "Starts a matrix multiply-accumulate of integers, with sums in tensor memory.", PRODUCTS),
    row!(ScaledProduct "tcgen05.mma.cta_group.kind.block_scale{.scale_vec_size}{.collector_usage} [d], a, b, idesc, [scale-a], [scale-b], {!}add", [CTA_GROUP, SCALED, FACTORS, COLLECTED], 1,
        gate: GATE, address: Addressing::Product, types: MULTIPLIED_SCALED, rules: PRODUCT;
        "Starts a block-scaled matrix multiply-accumulate of 8-, 6- or 4-bit floats, with sums in tensor memory.", PRODUCTS),
    row!(SparseProduct "tcgen05.mma.sp.cta_group.kind{.ashift}{.collector_usage} [d], a, b, [metadata], idesc{, lanes}, {!}add{, scale-d}", [CTA_GROUP, HALVES, COLLECTED], 1,
        gate: GATE, address: Addressing::Product, types: MULTIPLIED, rules: PRODUCT;
        "Starts a sparse matrix multiply-accumulate of halves or `.tf32`.", SPARSE),
    row!(SparseProduct "tcgen05.mma.sp.cta_group.kind{.ashift}{.collector_usage} [d], a, b, [metadata], idesc{, lanes}, {!}add", [CTA_GROUP, BYTES, COLLECTED], 1,
        gate: GATE, address: Addressing::Product, types: MULTIPLIED_BYTES, rules: PRODUCT;
        "Starts a sparse matrix multiply-accumulate of narrow floats.", SPARSE),
    row!(SparseProduct "tcgen05.mma.sp.cta_group.kind{.ashift}{.collector_usage} [d], a, b, [metadata], idesc{, lanes}, {!}add{, scale-d}", [CTA_GROUP, WHOLE, COLLECTED], 1,
        gate: GATE, address: Addressing::Product, types: SPARSE_INTEGERS, rules: PRODUCT;
        "Starts a sparse matrix multiply-accumulate of integers.", SPARSE),
    row!(SparseScaledProduct "tcgen05.mma.sp.cta_group.kind.block_scale{.scale_vec_size}{.collector_usage} [d], a, b, [metadata], idesc, [scale-a], [scale-b], {!}add", [CTA_GROUP, SPARSE_SCALED, FACTORS, COLLECTED], 1,
        gate: GATE, address: Addressing::Product, types: MULTIPLIED_SCALED, rules: PRODUCT;
        "Starts a block-scaled sparse matrix multiply-accumulate of 8-, 6- or 4-bit floats, with sums in tensor memory.", SPARSE),
    row!(StationaryProduct "tcgen05.mma.ws.cta_group.kind{.collector_usage} [d], a, b, idesc, {!}add{, zero-columns}", [ONE_GROUP, KEPT, COLLECTORS], 2,
        gate: GATE, address: Addressing::Product, types: KEPT_PRODUCT;
        "Starts a weight-stationary matrix multiply-accumulate: operand B may stay in a collector.", STATIONARY),
    row!(StationarySparseProduct "tcgen05.mma.ws.sp.cta_group.kind{.collector_usage} [d], a, b, [metadata], idesc, {!}add{, zero-columns}", [ONE_GROUP, KEPT, COLLECTORS], 2,
        gate: GATE, address: Addressing::Product, types: KEPT_PRODUCT;
        "Starts a weight-stationary sparse matrix multiply-accumulate: operand B may stay in a collector.", STATIONARY),
];
