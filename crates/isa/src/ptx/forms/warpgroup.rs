//! Matrix multiply-accumulate of a warpgroup (PTX ISA, "wgmma").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use crate::form::rule::{Rule, RuleKind::*, assembler, of, rule};
use crate::form::{DeviceUnitOperand::*, Form, Gate, SlotName as S};
use crate::modifier::AtomicOp;
use crate::operation::DeviceUnitOp::{Fabric, Warpgroup};
use crate::operation::WarpgroupOp::*;

const HOPPER: Gate = since(8, 0).arch_specific(90).assembler("13.5");
const SPARSE: Gate = since(8, 2).arch_specific(90).assembler("13.5");
const UNCHECKED: Gate = ALWAYS.assembler("13.5");
/// Gate of 8-bit integers with mixed signedness.
const MIXED: Gate = since(8, 4).arch_specific(90);

/// Set of the matrix shapes with these numbers of columns N.
macro_rules! shapes {
    ($name:ident, $depth:literal, $help:literal, $($n:literal)*) => {
        set! { $name: Shape "matrix shape"; $((concat!("m64n", $n, "k", $depth)), Shape(64, $n, $depth), ALWAYS, $help;)* }
    };
}
/// All numbers of columns N that `wgmma` supports.
macro_rules! wide {
    ($name:ident, $depth:literal, $help:literal) => {
        shapes!($name, $depth, $help, 8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128 136 144 152 160 168 176 184 192 200 208 216 224 232 240 248 256);
    };
}
/// Numbers of columns N that `wgmma` supports for integer types.
macro_rules! even {
    ($name:ident, $depth:literal, $help:literal) => {
        shapes!($name, $depth, $help, 8 16 24 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256);
    };
}
wide!(EIGHT, 8, "64 x N matrix D with K = 8");
wide!(SIXTEEN, 16, "64 x N matrix D with K = 16");
wide!(THIRTY_TWO, 32, "64 x N matrix D with K = 32");
wide!(SIXTY_FOUR, 64, "64 x N matrix D with K = 64");
even!(INTEGERS, 32, "64 x N matrix D with K = 32");
even!(SPARSE_INTEGERS, 64, "64 x N matrix D with K = 64");
even!(SINGLE_BITS, 256, "64 x N matrix D with K = 256");
types!(D_FLOAT, DType, F16 F32);
types!(D_SINGLE, DType, F32);
types!(D_INTEGER, DType, S32);
types!(A_HALF, AType, F16);
types!(B_HALF, BType, F16);
types!(A_BRAIN, AType, Bf16);
types!(B_BRAIN, BType, Bf16);
types!(A_TF32, AType, Tf32);
types!(B_TF32, BType, Tf32);
types!(A_BYTE, AType, E4m3 E5m2);
types!(B_BYTE, BType, E4m3 E5m2);
types!(A_INTEGER, AType, S8 U8);
types!(B_INTEGER, BType, S8 U8);
types!(A_BIT, AType, B1);
types!(B_BIT, BType, B1);
set! { A_LAYOUT: ALayout "layout of A";
    "row", Word, UNCHECKED, "undocumented modifier";
    "col", Word, UNCHECKED, "undocumented modifier";
}
set! { B_LAYOUT: BLayout "layout of B";
    "row", Word, UNCHECKED, "undocumented modifier";
    "col", Word, UNCHECKED, "undocumented modifier";
}
set! { BIT_OP: BitOp "bit operation"; "and", Atomic(AtomicOp::And), ALWAYS, "counts the bits that are set in both operands"; }

#[rustfmt::skip]
const SIGNS: &[Rule] = &[
    rule(CombinationGate { a: of(S::AType, &["s8"]), b: of(S::BType, &["u8"]), gate: MIXED }, "operands with different signedness were introduced in PTX 8.4"),
    rule(CombinationGate { a: of(S::AType, &["u8"]), b: of(S::BType, &["s8"]), gate: MIXED }, "operands with different signedness were introduced in PTX 8.4"),
];
#[rustfmt::skip]
const BITS: &[Rule] = &[
    assembler(Before { first: S::BitOp, second: S::Literal(crate::modifier::Flag::Popc) }, "the bit operation is specified before `.popc`"),
];

operands! {
    FACTORS: "d" Unit(Accumulators), "a" Unit(WarpgroupMatrixOperand), "b" Unit(Descriptor), "scale-d" Unit(PredicateOrBool), "scale-a" Unit(Sign), "scale-b" Unit(Sign),
        "trans-a" Unit(NumberUpTo(1)), "trans-b" Unit(NumberUpTo(1));
    PLAIN: "d" Unit(Accumulators), "a" Unit(WarpgroupMatrixOperand), "b" Unit(Descriptor), "scale-d" Unit(PredicateOrBool), "scale-a" Unit(Sign), "scale-b" Unit(Sign);
    WHOLE: "d" Unit(Accumulators), "a" Unit(WarpgroupMatrixOperand), "b" Unit(Descriptor), "scale-d" Unit(PredicateOrBool);
    SPARSE_FACTORS: "d" Unit(Accumulators), "a" Unit(WarpgroupMatrixOperand), "b" Unit(Descriptor), "metadata" Unit(Metadata), "selector" Unit(NumberUpTo(1)),
        "scale-d" Unit(PredicateOrBool), "scale-a" Unit(Sign), "scale-b" Unit(Sign), "trans-a" Unit(NumberUpTo(1)), "trans-b" Unit(NumberUpTo(1));
    SPARSE_PLAIN: "d" Unit(Accumulators), "a" Unit(WarpgroupMatrixOperand), "b" Unit(Descriptor), "metadata" Unit(Metadata), "selector" Unit(NumberUpTo(1)),
        "scale-d" Unit(PredicateOrBool), "scale-a" Unit(Sign), "scale-b" Unit(Sign);
    SPARSE_BYTES: "d" Unit(Accumulators), "a" Unit(WarpgroupMatrixOperand), "b" Unit(Descriptor), "metadata" Unit(Metadata), "selector" Unit(NumberUpTo(0)),
        "scale-d" Unit(PredicateOrBool), "scale-a" Unit(Sign), "scale-b" Unit(Sign);
    SPARSE_WHOLE: "d" Unit(Accumulators), "a" Unit(WarpgroupMatrixOperand), "b" Unit(Descriptor), "metadata" Unit(Metadata), "selector" Unit(NumberUpTo(0)),
        "scale-d" Unit(PredicateOrBool);
    GROUPS: "n" Unit(NumberUpTo(u64::MAX >> 1));
}

const DENSE: &str = "asynchronous-warpgroup-level-matrix-instructions-wgmma-mma-async";
const HALF: &str = "asynchronous-warpgroup-level-matrix-instructions-wgmma-mma-async-sp";

/// Form of `wgmma.mma_async`.
macro_rules! product {
    ($syntax:literal, [$($set:expr),*], $types:expr, $rules:expr, $help:literal) => {
        form!($syntax, [A_LAYOUT, B_LAYOUT, $($set),*], Unit(Warpgroup(MmaAsync)), gate: HOPPER, n_name_modifiers: 1, types: $types, rules: $rules, operand_extensions: &[NoAddress]; $help, DENSE)
    };
}

/// Form of `wgmma.mma_async.sp`.
macro_rules! sparse {
    ($syntax:literal, [$($set:expr),*], $types:expr, $rules:expr, $help:literal) => {
        form!($syntax, [A_LAYOUT, B_LAYOUT, $($set),*], Unit(Warpgroup(MmaAsyncSparse)), gate: SPARSE, n_name_modifiers: 1, types: $types, rules: $rules; $help, HALF)
    };
}

/// Instruction forms of `wgmma`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    product!("wgmma.mma_async.sync{.aligned}.shape{.alayout}{.blayout}.dtype.atype.btype d, a, b, scale-d, scale-a, scale-b{, trans-a}, trans-b", [SIXTEEN, D_FLOAT, A_HALF, B_HALF], FACTORS, &[],
        "Starts an asynchronous warpgroup matrix multiply-accumulate of `f16` values."),
    product!("wgmma.mma_async.sync{.aligned}.shape{.alayout}{.blayout}.dtype.atype.btype d, a, b, scale-d, scale-a, scale-b{, trans-a}, trans-b", [SIXTEEN, D_SINGLE, A_BRAIN, B_BRAIN], FACTORS, &[],
        "Starts an asynchronous warpgroup matrix multiply-accumulate of `bf16` values."),
    product!("wgmma.mma_async.sync{.aligned}.shape{.alayout}{.blayout}.dtype.atype.btype d, a, b, scale-d, scale-a, scale-b", [EIGHT, D_SINGLE, A_TF32, B_TF32], PLAIN, &[],
        "Starts an asynchronous warpgroup matrix multiply-accumulate of `tf32` values."),
    product!("wgmma.mma_async.sync{.aligned}.shape{.alayout}{.blayout}.dtype.atype.btype d, a, b, scale-d, scale-a, scale-b", [THIRTY_TWO, D_FLOAT, A_BYTE, B_BYTE], PLAIN, &[],
        "Starts an asynchronous warpgroup matrix multiply-accumulate of 8-bit floats."),
    product!("wgmma.mma_async.sync{.aligned}.shape{.alayout}{.blayout}{.satfinite}.dtype.atype.btype d, a, b, scale-d", [INTEGERS, D_INTEGER, A_INTEGER, B_INTEGER], WHOLE, SIGNS,
        "Starts an asynchronous warpgroup matrix multiply-accumulate of 8-bit integers."),
    product!("wgmma.mma_async.sync{.aligned}.shape{.alayout}{.blayout}.dtype.atype.btype.bitOp.popc d, a, b, scale-d", [SINGLE_BITS, D_INTEGER, A_BIT, B_BIT, BIT_OP], WHOLE, BITS,
        "Starts an asynchronous warpgroup matrix multiply-accumulate of single bits."),
    sparse!("wgmma.mma_async.sp.sync{.aligned}.shape{.alayout}{.blayout}.dtype.atype.btype d, a, b, metadata, selector, scale-d, scale-a, scale-b{, trans-a}, trans-b", [THIRTY_TWO, D_FLOAT, A_HALF, B_HALF], SPARSE_FACTORS, &[],
        "Starts an asynchronous sparse warpgroup matrix multiply-accumulate of `f16` values."),
    sparse!("wgmma.mma_async.sp.sync{.aligned}.shape{.alayout}{.blayout}.dtype.atype.btype d, a, b, metadata, selector, scale-d, scale-a, scale-b{, trans-a}, trans-b", [THIRTY_TWO, D_SINGLE, A_BRAIN, B_BRAIN], SPARSE_FACTORS, &[],
        "Starts an asynchronous sparse warpgroup matrix multiply-accumulate of `bf16` values."),
    sparse!("wgmma.mma_async.sp.sync{.aligned}.shape{.alayout}{.blayout}.dtype.atype.btype d, a, b, metadata, selector, scale-d, scale-a, scale-b", [SIXTEEN, D_SINGLE, A_TF32, B_TF32], SPARSE_PLAIN, &[],
        "Starts an asynchronous sparse warpgroup matrix multiply-accumulate of `tf32` values."),
    sparse!("wgmma.mma_async.sp.sync{.aligned}.shape{.alayout}{.blayout}.dtype.atype.btype d, a, b, metadata, selector, scale-d, scale-a, scale-b", [SIXTY_FOUR, D_FLOAT, A_BYTE, B_BYTE], SPARSE_BYTES, &[],
        "Starts an asynchronous sparse warpgroup matrix multiply-accumulate of 8-bit floats."),
    sparse!("wgmma.mma_async.sp.sync{.aligned}.shape{.alayout}{.blayout}{.satfinite}.dtype.atype.btype d, a, b, metadata, selector, scale-d", [SPARSE_INTEGERS, D_INTEGER, A_INTEGER, B_INTEGER], SPARSE_WHOLE, SIGNS,
        "Starts an asynchronous sparse warpgroup matrix multiply-accumulate of 8-bit integers."),
    form!("wgmma.fence.sync{.aligned}", [], Unit(Warpgroup(Fence)), gate: HOPPER, n_name_modifiers: 1;
        "Orders prior register and shared memory accesses before subsequent `wgmma.mma_async` instructions.", "asynchronous-warpgroup-level-matrix-instructions-wgmma-fence"),
    form!("wgmma.commit_group.sync{.aligned}", [], Unit(Warpgroup(Commit)), gate: HOPPER, n_name_modifiers: 1;
        "Commits all prior uncommitted `wgmma.mma_async` operations of the warp to a wgmma-group.", "asynchronous-warpgroup-level-matrix-instructions-wgmma-commit-group"),
    form!("wgmma.wait_group.sync{.aligned} n", [], Unit(Warpgroup(Wait)), gate: HOPPER, n_name_modifiers: 1, types: GROUPS;
        "Waits until at most the `n` most recent wgmma-groups of the warp are pending.", "asynchronous-warpgroup-level-matrix-instructions-wgmma-wait-group";
        rejected_examples: &[("wgmma.wait_group.sync.aligned r;", "W0110")]),
    form!("fabric.submit", [], Unit(Fabric), gate: since(9, 3).sm(100).assembler("13.5"), n_name_modifiers: 1;
        "Submits pending accesses to the inter-device fabric.", "data-movement-and-conversion-instructions-fabric-submit"),
    form!("fabric.submit.commit_group", [], Unit(Fabric), gate: since(9, 5).sm(100).assembler("13.5"), n_name_modifiers: 2;
        "Submits pending accesses to the inter-device fabric and commits them to a group.", "data-movement-and-conversion-instructions-fabric-submit"),
];
