//! Bulk copies through the asynchronous proxy (PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk").

use super::atomic::{ADD, BITWISE, COUNT, EXTREME};
use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{B32_ONLY, CACHE_HINT, GLOBAL, U32_ONLY};
use crate::form::rule::{Rule, RuleKind::*, assembler};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::Completion::*;
use crate::modifier::Flag::{
    CacheHint as Hint, CpMask as ByteMask, IgnoreOob as Oob, Multicast as Blocks,
};
use crate::operation::{AsyncOp::*, HintOp::BulkPrefetch};
use crate::space::StateSpace::{Global, Shared, SharedCluster};
use crate::types::ScalarType::U16;

pub(super) const BULK: Gate = since(8, 0).sm(90);
/// Gate of copies to the shared memory of the executing CTA (`.shared::cta`).
pub(super) const TO_BLOCK: Gate = since(8, 6).sm(90);
/// Maximum size of a bulk copy in bytes: the largest multiple of 16 that fits into 20 bits.
pub(super) const MAX_BULK_BYTES: u64 = 0xf_fff0;

set! { TO_GLOBAL: Destination "destination"; "global", Space(Global), ALWAYS, "to global memory"; }
set! { TO_CLUSTER: Destination "destination"; "shared::cluster", Space(SharedCluster), ALWAYS, "to shared memory of any block of the cluster"; }
set! { TO_CTA: Destination "destination"; "shared::cta", Space(Shared), ALWAYS, "to shared memory of the block"; }
set! { FROM_GLOBAL: Source "source"; "global", SourceSpace(Global), ALWAYS, "from global memory"; }
set! { FROM_CTA: Source "source"; "shared::cta", SourceSpace(Shared), ALWAYS, "from shared memory of the block"; }
set! { MBARRIER: Completion "completion mechanism";
    "mbarrier::complete_tx::bytes", Completion(MbarrierCompleteTxBytes), ALWAYS, "decrements the tx-count of the mbarrier by the number of bytes on completion";
}
set! { GROUP: Completion "completion mechanism";
    "bulk_group", Completion(BulkGroup), ALWAYS, "tracks completion with a bulk async-group of the thread";
}
set! { CP_MASK: Mode "byte mask"; "cp_mask", Flag(ByteMask), since(8, 6).sm(100), "writes only the bytes of each 16-byte chunk that are selected by a byte mask"; }
set! { OUT_OF_BOUNDS: Mode "out-of-bounds bytes"; "ignore_oob", Flag(Oob), since(9, 2).sm(90).assembler("13.5"), "ignores the specified numbers of bytes at both ends of the source"; }
set! { GLOBAL_ONLY: Space "state space"; GLOBAL; }
types!(BITS, Type, B32 B64);
types!(ADDED, Type, U32 S32 U64 F32 F64);
types!(HALVES, Type, F16 Bf16);
types!(EXTREMES, Type, U32 S32 U64 S64 F16 Bf16);
types!(CLUSTER_ADDED, Type, U32 S32 U64);
types!(CLUSTER_EXTREMES, Type, U32 S32);

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    assembler(Before { first: S::Destination, second: S::Source }, "the destination state space is specified before the source state space"),
];

operands! {
    GLOBAL_TO_CLUSTER: "dst" AddressIn(SharedCluster), "src" AddressIn(Global), "size" Number(MultipleUpTo(16, MAX_BULK_BYTES)), "mbar" MbarrierIn(SharedCluster),
        "blocks" Fixed(U16), "cache-policy" CachePolicy;
    GLOBAL_TO_BLOCK: "dst" AddressIn(Shared), "src" AddressIn(Global), "size" Number(MultipleUpTo(16, MAX_BULK_BYTES)), "left" Number(UpTo(15)), "right" Number(UpTo(15)),
        "mbar" MbarrierIn(Shared), "cache-policy" CachePolicy;
    BLOCK_TO_CLUSTER: "dst" AddressIn(SharedCluster), "src" AddressIn(Shared), "size" Number(MultipleUpTo(16, MAX_BULK_BYTES)), "mbar" MbarrierIn(SharedCluster);
    BLOCK_TO_GLOBAL: "dst" AddressIn(Global), "src" AddressIn(Shared), "size" Number(MultipleUpTo(16, MAX_BULK_BYTES)), "cache-policy" CachePolicy, "bytes" Fixed(U16);
    REDUCED_TO_GLOBAL: "dst" AddressIn(Global), "src" AddressIn(Shared), "size" Number(MultipleUpTo(16, MAX_BULK_BYTES)), "cache-policy" CachePolicy;
    PREFETCHED: "size" Number(MultipleUpTo(16, MAX_BULK_BYTES)), "cache-policy" CachePolicy;
    GROUPS: "n" Literal(32);
}

const COPY: &str = "data-movement-and-conversion-instructions-cp-async-bulk";
const REDUCE: &str = "data-movement-and-conversion-instructions-cp-reduce-async-bulk";

/// Instruction forms of bulk copies.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("cp.async.bulk.dst.src.completion_mechanism{.multicast::cluster}{.level::cache_hint} [dst], [src], size, [mbar]{, blocks}{, cache-policy}",
        [TO_CLUSTER, FROM_GLOBAL, MBARRIER, CACHE_HINT], Async(BulkCopy), gate: BULK, n_name_modifiers: 2, flag_gated_operands: &[("blocks", Blocks), ("cache-policy", Hint)],
        address: AsyncCopy, types: GLOBAL_TO_CLUSTER, rules: RULES;
        "Starts an asynchronous copy from global memory to shared memory of one or more blocks of the cluster.", COPY;
        accepted_examples: &["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [d], [d], 64, [d];"],
        rejected_examples: &[("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [d], [d], 8, [d];", "W0144"),
            ("cp.async.bulk.shared::cluster.global [d], [d], 64, [d];", "W0105"),
            ("cp.async.bulk.global.shared::cluster.mbarrier::complete_tx::bytes [d], [d], 64, [d];", "W0388")]),
    form!("cp.async.bulk.dst.src.completion_mechanism{.mode}{.level::cache_hint} [dst], [src], size{, left}{, right}, [mbar]{, cache-policy}",
        [TO_CTA, FROM_GLOBAL, MBARRIER, OUT_OF_BOUNDS, CACHE_HINT], Async(BulkCopy), gate: TO_BLOCK, n_name_modifiers: 2,
        flag_gated_operands: &[("left", Oob), ("right", Oob), ("cache-policy", Hint)], address: AsyncCopy, types: GLOBAL_TO_BLOCK, rules: RULES;
        "Starts an asynchronous copy from global memory to shared memory of the block.", COPY;
        accepted_examples: &["cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [d], [d], 64, [d];"]),
    form!("cp.async.bulk.dst.src.completion_mechanism [dst], [src], size, [mbar]", [TO_CLUSTER, FROM_CTA, MBARRIER], Async(BulkCopy), gate: BULK, n_name_modifiers: 2,
        address: AsyncCopy, types: BLOCK_TO_CLUSTER, rules: RULES;
        "Starts an asynchronous copy from shared memory of the block to shared memory of another block of the cluster.", COPY;
        accepted_examples: &["cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [d], [d], 64, [d];"]),
    form!("cp.async.bulk.dst.src.completion_mechanism{.level::cache_hint}{.mode} [dst], [src], size{, cache-policy}{, bytes}",
        [TO_GLOBAL, FROM_CTA, GROUP, CACHE_HINT, CP_MASK], Async(BulkCopy), gate: BULK, n_name_modifiers: 2, flag_gated_operands: &[("cache-policy", Hint), ("bytes", ByteMask)],
        address: AsyncCopy, types: BLOCK_TO_GLOBAL, rules: RULES;
        "Starts an asynchronous copy from shared memory of the block to global memory.", COPY;
        accepted_examples: &["cp.async.bulk.global.shared::cta.bulk_group [d], [d], 64;"], rejected_examples: &[("cp.async.bulk.global.shared::cta.bulk_group [d], [d], 64, [d];", "W0108")]),
    form!("cp.reduce.async.bulk.dst.src.completion_mechanism.op.type [dst], [src], size, [mbar]", [TO_CLUSTER, FROM_CTA, MBARRIER, BITWISE, B32_ONLY],
        Async(BulkReduction), gate: BULK, n_name_modifiers: 3, address: AsyncCopy, types: BLOCK_TO_CLUSTER, rules: RULES;
        "Starts an asynchronous bitwise reduction. The source is in shared memory of the block, the destination in shared memory of any block of the cluster.", REDUCE;
        accepted_examples: &["cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [d], [d], 64, [d];"]),
    form!("cp.reduce.async.bulk.dst.src.completion_mechanism.op.type [dst], [src], size, [mbar]", [TO_CLUSTER, FROM_CTA, MBARRIER, ADD, CLUSTER_ADDED],
        Async(BulkReduction), gate: BULK, n_name_modifiers: 3, address: AsyncCopy, types: BLOCK_TO_CLUSTER, rules: RULES;
        "Starts an asynchronous addition. The source is in shared memory of the block, the destination in shared memory of any block of the cluster.", REDUCE;
        accepted_examples: &["cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [d], [d], 64, [d];"]),
    form!("cp.reduce.async.bulk.dst.src.completion_mechanism.op.type [dst], [src], size, [mbar]", [TO_CLUSTER, FROM_CTA, MBARRIER, COUNT, U32_ONLY],
        Async(BulkReduction), gate: BULK, n_name_modifiers: 3, address: AsyncCopy, types: BLOCK_TO_CLUSTER, rules: RULES;
        "Starts an asynchronous reduction that increments or decrements values in shared memory of a block of the cluster with wraparound.", REDUCE;
        accepted_examples: &["cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [d], [d], 64, [d];"]),
    form!("cp.reduce.async.bulk.dst.src.completion_mechanism.op.type [dst], [src], size, [mbar]", [TO_CLUSTER, FROM_CTA, MBARRIER, EXTREME, CLUSTER_EXTREMES],
        Async(BulkReduction), gate: BULK, n_name_modifiers: 3, address: AsyncCopy, types: BLOCK_TO_CLUSTER, rules: RULES;
        "Starts an asynchronous minimum or maximum reduction from shared memory of the block to shared memory of a block of the cluster.", REDUCE;
        accepted_examples: &["cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.s32 [d], [d], 64, [d];"]),
    form!("cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.type [dst], [src], size{, cache-policy}",
        [TO_GLOBAL, FROM_CTA, GROUP, CACHE_HINT, BITWISE, BITS], Async(BulkReduction), gate: BULK, n_name_modifiers: 3, flag_gated_operands: &[("cache-policy", Hint)],
        address: AsyncCopy, types: REDUCED_TO_GLOBAL, rules: RULES;
        "Starts an asynchronous bitwise reduction from shared memory of the block to global memory.", REDUCE;
        accepted_examples: &["cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [d], [d], 64;"]),
    form!("cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.type [dst], [src], size{, cache-policy}",
        [TO_GLOBAL, FROM_CTA, GROUP, CACHE_HINT, ADD, ADDED], Async(BulkReduction), gate: BULK, n_name_modifiers: 3, flag_gated_operands: &[("cache-policy", Hint)],
        address: AsyncCopy, types: REDUCED_TO_GLOBAL, rules: RULES;
        "Starts an asynchronous addition reduction from shared memory of the block to global memory.", REDUCE;
        accepted_examples: &["cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [d], [d], 64;"]),
    form!("cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.noftz.type [dst], [src], size{, cache-policy}",
        [TO_GLOBAL, FROM_CTA, GROUP, CACHE_HINT, ADD, HALVES], Async(BulkReduction), gate: BULK, n_name_modifiers: 3, flag_gated_operands: &[("cache-policy", Hint)],
        address: AsyncCopy, types: REDUCED_TO_GLOBAL, rules: RULES;
        "Starts an asynchronous addition reduction of 16-bit floats from shared memory of the block to global memory.", REDUCE;
        accepted_examples: &["cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [d], [d], 64;"],
        rejected_examples: &[("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [d], [d], 64;", "W0104")]),
    form!("cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.type [dst], [src], size{, cache-policy}",
        [TO_GLOBAL, FROM_CTA, GROUP, CACHE_HINT, COUNT, U32_ONLY], Async(BulkReduction), gate: BULK, n_name_modifiers: 3, flag_gated_operands: &[("cache-policy", Hint)],
        address: AsyncCopy, types: REDUCED_TO_GLOBAL, rules: RULES;
        "Starts an asynchronous reduction that increments or decrements values in global memory with wraparound.", REDUCE;
        accepted_examples: &["cp.reduce.async.bulk.global.shared::cta.bulk_group.dec.u32 [d], [d], 64;"]),
    form!("cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.op.type [dst], [src], size{, cache-policy}",
        [TO_GLOBAL, FROM_CTA, GROUP, CACHE_HINT, EXTREME, EXTREMES], Async(BulkReduction), gate: BULK, n_name_modifiers: 3, flag_gated_operands: &[("cache-policy", Hint)],
        address: AsyncCopy, types: REDUCED_TO_GLOBAL, rules: RULES;
        "Starts an asynchronous minimum or maximum reduction from shared memory of the block to global memory.", REDUCE;
        accepted_examples: &["cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64 [d], [d], 64;"]),
    form!("cp.async.bulk.prefetch.L2.ss{.level::cache_hint} [a], size{, cache-policy}", [GLOBAL_ONLY, CACHE_HINT], Hint(BulkPrefetch), gate: BULK, n_name_modifiers: 3,
        flag_gated_operands: &[("cache-policy", Hint)], address: AsyncCopy, types: PREFETCHED;
        "Prefetches a range of global memory into the L2 cache.", "data-movement-and-conversion-instructions-cp-async-bulk-prefetch";
        accepted_examples: &["cp.async.bulk.prefetch.L2.global [d], 64;"], rejected_examples: &[("cp.async.bulk.prefetch.L2.global [d], 8;", "W0144")]),
    form!("cp.async.bulk.commit_group", [], Async(BulkCommit), gate: BULK, n_name_modifiers: 3;
        "Commits all prior uncommitted bulk asynchronous operations of the thread to a bulk async-group.",
        "data-movement-and-conversion-instructions-cp-async-bulk-commit-group";
        accepted_examples: &["cp.async.bulk.commit_group;"]),
    form!("cp.async.bulk.wait_group{.read} n", [], Async(BulkWait), gate: BULK, n_name_modifiers: 3, types: GROUPS;
        "Waits until at most the `n` most recent bulk async-groups of the thread are pending. With `.read`, waits only until the groups have read their sources.",
        "data-movement-and-conversion-instructions-cp-async-bulk-wait-group";
        accepted_examples: &["cp.async.bulk.wait_group 0;", "cp.async.bulk.wait_group.read 0;"]),
];
