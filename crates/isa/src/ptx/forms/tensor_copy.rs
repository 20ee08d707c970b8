//! Tensor copies (PTX ISA, "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk.prefetch.tensor").

use super::cp_async_bulk::{
    BULK, FROM_CTA, FROM_GLOBAL, GLOBAL_ONLY, TO_BLOCK, TO_CLUSTER, TO_CTA, TO_GLOBAL,
};
use super::device_units::{BULK_GROUP, MBARRIER, TENSOR_MEMORY};
use super::form_macros::{ALWAYS, form, operands, set, since};
use super::modifier_sets::CACHE_HINT;
use crate::form::rule::{Rule, RuleKind::*, assembler, of, rule};
use crate::form::{DeviceUnitOperand::*, Form, Gate, SlotName as S};
use crate::modifier::AtomicOp::*;
use crate::modifier::CtaGroup::*;
use crate::modifier::Flag::{CacheHint as Hint, Multicast as Blocks};
use crate::modifier::LoadMode::*;
use crate::operation::DeviceUnitOp::TensorCopy;
use crate::operation::TensorCopyOp;
use crate::space::StateSpace::{Shared, SharedCluster};

const UNCHECKED: Gate = ALWAYS.assembler("13.5");
/// Gate of the load modes `tile::gather4` and `im2col::w` for copies to the shared memory of the executing CTA. Unlike in copies to a
/// cluster, these modes do not require an architecture-specific or family-specific target.
const TO_OWN: Gate = since(8, 6).sm(100).assembler("13.5");
const COPY: &str = "data-movement-and-conversion-instructions-cp-async-bulk-tensor";

set! { DIMENSION: Dimension "dimensionality of the tensor";
    "1d", Dimensions(1), ALWAYS, "one dimension";
    "2d", Dimensions(2), ALWAYS, "two dimensions";
    "3d", Dimensions(3), ALWAYS, "three dimensions";
    "4d", Dimensions(4), ALWAYS, "four dimensions";
    "5d", Dimensions(5), ALWAYS, "five dimensions";
}
set! { LOADED: LoadMode "load mode";
    "tile",          LoadMode(Tile), ALWAYS,        "tiled mode (the default)";
    "tile::gather4", LoadMode(Gather4), TENSOR_MEMORY, "gather mode, which combines four rows of the source tensor";
}
set! { IMAGE: LoadMode "load mode";
    "im2col",         LoadMode(Im2col), ALWAYS,        "im2col mode, which accesses the elements of an image as columns of a matrix";
    "im2col::w",      LoadMode(Im2colW), TENSOR_MEMORY, "im2col mode in which the bounding box extends along the W dimension only";
    "im2col::w::128", LoadMode(Im2colW128), TENSOR_MEMORY, "im2col mode along the W dimension with 128 elements";
}
set! { LOADED_HERE: LoadMode "load mode";
    "tile",          LoadMode(Tile), ALWAYS,    "tiled mode (the default)";
    "tile::gather4", LoadMode(Gather4), TO_OWN, "gather mode, which combines four rows of the source tensor";
}
set! { IMAGE_HERE: LoadMode "load mode";
    "im2col",         LoadMode(Im2col), ALWAYS,            "im2col mode, which accesses the elements of an image as columns of a matrix";
    "im2col::w",      LoadMode(Im2colW), TO_OWN,           "im2col mode in which the bounding box extends along the W dimension only";
    "im2col::w::128", LoadMode(Im2colW128), TENSOR_MEMORY, "im2col mode along the W dimension with 128 elements";
}
set! { STORED: LoadMode "load mode";
    "tile",           LoadMode(Tile), ALWAYS,        "tiled mode (the default)";
    "tile::scatter4", LoadMode(Scatter4), TENSOR_MEMORY, "scatter mode, which distributes the data to four rows of the destination tensor";
    "im2col_no_offs", LoadMode(Im2colNoOffsets), ALWAYS,        "im2col mode without offsets";
}
set! { REDUCED: LoadMode "load mode";
    "tile",           LoadMode(Tile), ALWAYS, "tiled mode (the default)";
    "im2col_no_offs", LoadMode(Im2colNoOffsets), ALWAYS, "im2col mode without offsets";
}
set! { PAIR: Group "CTA group";
    "cta_group::1", CtaGroup(One), TENSOR_MEMORY, "requires the mbarrier in the same block as the destination";
    "cta_group::2", CtaGroup(Two), TENSOR_MEMORY, "allows the mbarrier in either block of the CTA pair";
}
set! { ANY_SCOPE: Scope "scope";
    "cta", Word, UNCHECKED, "undocumented";
    "gpu", Word, UNCHECKED, "undocumented";
    "sys", Word, UNCHECKED, "undocumented";
}
set! { ANY_OP: Op "operation";
    "add", Atomic(Add), ALWAYS, "adds the operand to the value in memory";
    "min", Atomic(Min), ALWAYS, "stores the minimum of both values";
    "max", Atomic(Max), ALWAYS, "stores the maximum of both values";
    "inc", Atomic(Inc), ALWAYS, "increments the value in memory with wraparound";
    "dec", Atomic(Dec), ALWAYS, "decrements the value in memory with wraparound";
    "and", Atomic(And), ALWAYS, "computes the bitwise AND";
    "or",  Atomic(Or),  ALWAYS, "computes the bitwise OR";
    "xor", Atomic(Xor), ALWAYS, "computes the bitwise XOR";
}

#[rustfmt::skip]
const RULES: &[Rule] = &[
    assembler(Before { first: S::Destination, second: S::Source }, "the destination state space is specified before the source state space"),
    rule(Restricts { when: of(S::LoadMode, &["tile::gather4", "tile::scatter4"]), slot: S::Dimension, among: &["2d"] }, "gather and scatter modes require a two-dimensional tensor"),
    rule(Restricts { when: of(S::LoadMode, &["im2col", "im2col::w", "im2col::w::128", "im2col_no_offs"]), slot: S::Dimension, among: &["3d", "4d", "5d"] }, "im2col modes require a tensor with three to five dimensions"),
];

operands! {
    TO_CLUSTER_FROM: "dst" Unit(AddressOrName(SharedCluster)), "tensorMap, coordinates" Unit(TensorCoordinates), "mbar" Unit(AddressOrName(SharedCluster)),
        "offsets" Unit(Im2colOffsets), "blocks" Unit(Mask), "cache-policy" CachePolicy;
    TO_BLOCK_FROM: "dst" Unit(AddressOrName(Shared)), "tensorMap, coordinates" Unit(TensorCoordinates), "mbar" Unit(AddressOrName(Shared)),
        "offsets" Unit(Im2colOffsets), "cache-policy" CachePolicy;
    FROM_BLOCK: "tensorMap, coordinates" Unit(TensorCoordinates), "src" Unit(AddressOrName(Shared)), "cache-policy" CachePolicy;
    PREFETCHED: "tensorMap, coordinates" Unit(TensorCoordinates), "offsets" Unit(Im2colOffsets), "cache-policy" CachePolicy;
}

/// Form of a tensor copy.
macro_rules! copy {
    ($does:ident $syntax:literal, [$($set:expr),*], $gate:expr, $leads:expr, [$($announced:expr),*], $types:expr, $help:literal, $section:expr) => {
        form!($syntax, [DIMENSION, CACHE_HINT, $($set),*], Unit(TensorCopy(TensorCopyOp::$does)), gate: $gate.assembler("13.5"), n_name_modifiers: $leads, address: AsyncCopy, types: $types,
            flag_gated_operands: &[$($announced,)* ("cache-policy", Hint)], rules: RULES, operand_extensions: &[NoAddress]; $help, $section)
    };
}

/// Instruction forms of tensor copies.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    copy!(Load "cp.async.bulk.tensor.dim.dst.src{.load_mode}.completion_mechanism{.multicast::cluster}{.cta_group}{.level::cache_hint}{.scope} [dst], [tensorMap, coordinates], [mbar]{, blocks}{, cache-policy}",
        [TO_CLUSTER, FROM_GLOBAL, LOADED, MBARRIER, PAIR, ANY_SCOPE], BULK, 3, [("blocks", Blocks)], TO_CLUSTER_FROM,
        "Starts an asynchronous copy of a tensor tile to shared memory of one or more blocks of the cluster.", COPY),
    copy!(Load "cp.async.bulk.tensor.dim.dst.src.load_mode.completion_mechanism{.multicast::cluster}{.cta_group}{.level::cache_hint}{.scope} [dst], [tensorMap, coordinates], [mbar], offsets{, blocks}{, cache-policy}",
        [TO_CLUSTER, FROM_GLOBAL, IMAGE, MBARRIER, PAIR, ANY_SCOPE], BULK, 3, [("blocks", Blocks)], TO_CLUSTER_FROM,
        "Starts an asynchronous im2col copy of a tensor to shared memory of one or more blocks of the cluster.", COPY),
    copy!(Load "cp.async.bulk.tensor.dim.dst.src{.load_mode}.completion_mechanism{.cta_group}{.level::cache_hint}{.scope} [dst], [tensorMap, coordinates], [mbar]{, cache-policy}",
        [TO_CTA, FROM_GLOBAL, LOADED_HERE, MBARRIER, PAIR, ANY_SCOPE], TO_BLOCK, 3, [], TO_BLOCK_FROM,
        "Starts an asynchronous copy of a tensor tile to shared memory of the block.", COPY),
    copy!(Load "cp.async.bulk.tensor.dim.dst.src.load_mode.completion_mechanism{.cta_group}{.level::cache_hint}{.scope} [dst], [tensorMap, coordinates], [mbar], offsets{, cache-policy}",
        [TO_CTA, FROM_GLOBAL, IMAGE_HERE, MBARRIER, PAIR, ANY_SCOPE], TO_BLOCK, 3, [], TO_BLOCK_FROM,
        "Starts an asynchronous im2col copy of a tensor to shared memory of the block.", COPY),
    copy!(Store "cp.async.bulk.tensor.dim.dst.src{.load_mode}.completion_mechanism{.level::cache_hint}{.scope} [tensorMap, coordinates], [src]{, cache-policy}",
        [TO_GLOBAL, FROM_CTA, STORED, BULK_GROUP, ANY_SCOPE], BULK, 3, [], FROM_BLOCK,
        "Starts an asynchronous copy of a tile in shared memory of the block to a tensor.", COPY),
    copy!(Prefetch "cp.async.bulk.prefetch.tensor.dim.L2.ss{.load_mode}{.level::cache_hint} [tensorMap, coordinates]{, cache-policy}",
        [GLOBAL_ONLY, LOADED], BULK, 4, [], PREFETCHED,
        "Prefetches a tensor tile into the L2 cache.", "data-movement-and-conversion-instructions-cp-async-bulk-prefetch-tensor"),
    copy!(Prefetch "cp.async.bulk.prefetch.tensor.dim.L2.ss.load_mode{.level::cache_hint} [tensorMap, coordinates], offsets{, cache-policy}",
        [GLOBAL_ONLY, IMAGE], BULK, 4, [], PREFETCHED,
        "Prefetches tensor elements in im2col mode into the L2 cache.", "data-movement-and-conversion-instructions-cp-async-bulk-prefetch-tensor"),
    copy!(Reduction "cp.reduce.async.bulk.tensor.dim.dst.src.op{.load_mode}.completion_mechanism{.level::cache_hint} [tensorMap, coordinates], [src]{, cache-policy}",
        [TO_GLOBAL, FROM_CTA, ANY_OP, REDUCED, BULK_GROUP], BULK, 4, [], FROM_BLOCK,
        "Starts an asynchronous reduction of a tile in shared memory of the block to a tensor.", "data-movement-and-conversion-instructions-cp-reduce-async-bulk-tensor"),
];
