//! Barriers, fences and warp-wide exchange (PTX ISA, "Parallel Synchronization and Communication Instructions").

use super::form_macros::{ALWAYS, form, operands, set, since, types, values};
use super::ldmatrix::LAYOUT;
use super::modifier_sets::{
    B32_ONLY, F32_ONLY, GLOBAL, PRED_ONLY, SCOPE, SHARED_CLUSTER, SHARED_CTA, U32_ONLY,
};
use crate::form::{Form, Gate};
use crate::modifier::{
    BarrierReduce::*, Flag::Cta as BlockOnly, Proxy::*, ReduceOp, Scope::*, Sem::*,
};
use crate::modifier::{ShuffleMode::*, VoteMode::*};
use crate::operation::{SyncOp::*, WarpOp::*};
use crate::types::ScalarType::{B32, U32};

types!(BITS, Type, B32 B64);
types!(WORDS, Type, U32 S32);
/// Gate of modifiers that the assembler accepts and ignores.
const UNUSED: Gate = ALWAYS.assembler("13.5");

set! { POPC: Op "reduction";
    "popc", BarrierReduce(Popc), ALWAYS, "counts the threads with a true predicate";
}
set! { BOTH: Op "reduction";
    "and", BarrierReduce(And), ALWAYS, "returns true if the predicate is true in all threads";
    "or",  BarrierReduce(Or),  ALWAYS, "returns true if the predicate is true in at least one thread";
}
// Vote modes that the assembler accepts and ignores on `bar.sync`.
set! { UNREAD_MODE: Mode "vote";
    "all", Vote(All), ALWAYS.assembler("13.5"), "undocumented modifier";
    "any", Vote(Any), ALWAYS.assembler("13.5"), "undocumented modifier";
}
set! { LEVEL: Level "level";
    "cta", Scope(Cta), ALWAYS, "orders memory accesses for all threads of the block";
    "gl",  Scope(Gpu), ALWAYS, "orders memory accesses for all threads of the device";
    "sys", Scope(Sys), ALWAYS, "orders memory accesses for all threads of the system, including the host";
}
set! { BLOCK: Level "level";
    "cta", Flag(BlockOnly), since(7, 8), "synchronizes the threads of the block";
}
set! { FENCE_SEM: Sem "memory order";
    "sc",      Sem(Sc),      ALWAYS,             "sequentially consistent semantics";
    "acq_rel", Sem(AcqRel),  ALWAYS,             "acquire and release semantics";
    "acquire", Sem(Acquire), since(8, 6).sm(90), "acquire semantics";
    "release", Sem(Release), since(8, 6).sm(90), "release semantics";
}
values! {
    ALIAS: "alias", Proxy(Alias), ALWAYS, "accesses through virtual aliases of a memory location";
    ASYNC: "async", Proxy(Async), since(8, 0).sm(90).assembler("13.5"), "accesses through the async proxy, such as asynchronous copies";
}
set! { PROXY: ProxyKind "proxy"; ALIAS; ASYNC; }
set! { ALIAS_PROXY: ProxyKind "proxy"; ALIAS; }
set! { ASYNC_PROXY: ProxyKind "proxy"; ASYNC; }
set! { TENSORMAP: ProxyKind "proxy";
    "tensormap::generic", Proxy(Tensormap), ALWAYS, "synchronization from the generic proxy to the tensormap proxy";
}
set! { ASYNC_GENERIC: ProxyKind "proxy";
    "async::generic", Proxy(AsyncGeneric), ALWAYS, "synchronization between the async proxy and the generic proxy";
}
set! { ACQUIRES: Sem "memory order"; "acquire", Sem(Acquire), ALWAYS, "acquire semantics"; "acq_rel", Sem(AcqRel), ALWAYS, "acquire and release semantics"; }
set! { ACQUIRE: Sem "memory order"; "acquire", Sem(Acquire), ALWAYS, "acquire semantics"; }
set! { RELEASE: Sem "memory order"; "release", Sem(Release), ALWAYS, "release semantics"; }
set! { CLUSTER: Scope "scope"; "cluster", Scope(Cluster), ALWAYS, "all threads of the cluster"; }
set! { PROXY_SPACE: Space "state space"; GLOBAL; SHARED_CTA; SHARED_CLUSTER; }
set! { UNUSED_SPACE: Space "state space";
    "global",          Word, UNUSED, "undocumented modifier without effect";
    "shared",          Word, UNUSED, "undocumented modifier without effect";
    "shared::cta",     Word, UNUSED, "undocumented modifier without effect";
    "shared::cluster", Word, UNUSED, "undocumented modifier without effect";
}
set! { UNUSED_LIMIT: Level "limit";
    "sync_restrict::shared::cta",     Word, UNUSED, "undocumented modifier without effect";
    "sync_restrict::shared::cluster", Word, UNUSED, "undocumented modifier without effect";
}
set! { SHUFFLE: Mode "mode";
    "up",   Shuffle(Up),   ALWAYS, "reads the value of lane `laneid - b`";
    "down", Shuffle(Down), ALWAYS, "reads the value of lane `laneid + b`";
    "bfly", Shuffle(Bfly), ALWAYS, "reads the value of lane `laneid ^ b`";
    "idx",  Shuffle(Idx),  ALWAYS, "reads the value of lane `b`";
}
set! { VOTE: Mode "mode";
    "all", Vote(All), ALWAYS, "returns true if the predicate is true in all lanes";
    "any", Vote(Any), ALWAYS, "returns true if the predicate is true in at least one lane";
    "uni", Vote(Uni), ALWAYS, "returns true if the predicate has the same value in all lanes";
}
set! { BALLOT: Mode "mode";
    "ballot", Vote(Ballot), ALWAYS, "returns the mask of the lanes with a true predicate";
}
set! { REDUCED: Op "operation";
    "add", Reduce(ReduceOp::Add), ALWAYS, "computes the sum";
    "min", Reduce(ReduceOp::Min), ALWAYS, "computes the minimum";
    "max", Reduce(ReduceOp::Max), ALWAYS, "computes the maximum";
}
set! { REDUCED_FLOATS: Op "operation";
    "min", Reduce(ReduceOp::Min), ALWAYS, "computes the minimum";
    "max", Reduce(ReduceOp::Max), ALWAYS, "computes the maximum";
}
set! { REDUCED_BITS: Op "operation";
    "and", Reduce(ReduceOp::And), ALWAYS, "computes the bitwise AND";
    "or",  Reduce(ReduceOp::Or),  ALWAYS, "computes the bitwise OR";
    "xor", Reduce(ReduceOp::Xor), ALWAYS, "computes the bitwise XOR";
}

set! { M8N8: Shape "matrix shape";
    "m8n8", Shape(8, 8, 0), ALWAYS, "8 x 8 matrix";
}
types!(B16_ONLY, Type; ALWAYS => B16);

operands! {
    SYNC: "a" Bits(32), "b" Bits(32);
    POPC_TYPES: "d" Fixed(U32), "a" Bits(32), "b" Fixed(U32);
    BOTH_TYPES: "d" Predicate, "a" Bits(32), "b" Fixed(U32);
    MASK: "membermask" Bits(32);
    REDUCED_WORDS: "d" Bits(32), "a" Bits(32), "membermask" Bits(32);
    SIZE: "size" Number(Between(128, 128));
    UNMASKED: "b" Fixed(B32), "c" Fixed(B32);
    SHUFFLED: "b" Fixed(B32), "c" Fixed(B32), "membermask" Bits(32);
    GATHERED: "d" Bits(32), "membermask" Bits(32);
    ROWS: "d" FragmentRegister, "a" FragmentRegister;
}
/// Gate of `.sync` votes. Assembler 13.5 accepts PTX 5.1, although the manual specifies PTX 6.0.
const VOTED: Gate = since(5, 1).assembler("13.5");
const VOLTA: Gate = VOTED.sm(30);
const BARRIER: Gate = since(6, 0).sm(30);

/// Instruction forms of barriers, fences and warp-wide exchange.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("bar{.level}.sync{.mode} a{, b}", [BLOCK, UNREAD_MODE], Sync(Bar), n_name_modifiers: 1, types: SYNC;
        "Waits until all threads of the block, or b threads if b is specified, have arrived at the barrier.", "parallel-synchronization-and-communication-instructions-bar";
        accepted_examples: &["bar.sync 0;", "bar.sync 1, 64;", "bar.sync.any 0;"], rejected_examples: &[("bar.sync 16;", "W0133")]),
    form!("bar{.level}.arrive a, b", [BLOCK], Sync(Bar), gate: since(2, 0).sm(20), n_name_modifiers: 2, types: SYNC;
        "Arrives at the barrier without waiting for other threads.", "parallel-synchronization-and-communication-instructions-bar";
        accepted_examples: &["bar.arrive 1, 64;"]),
    form!("bar{.level}.red.op.type d, a{, b}, {!}c", [BLOCK, POPC, U32_ONLY], Sync(Bar), gate: since(2, 0).sm(20), n_name_modifiers: 2, types: POPC_TYPES;
        "Waits at the barrier and counts the threads whose predicate c is true.", "parallel-synchronization-and-communication-instructions-bar";
        accepted_examples: &["bar.red.popc.u32 r, 0, p;", "bar.red.popc.u32 r, 1, 64, !p;"]),
    form!("bar{.level}.red.op.type d, a{, b}, {!}c", [BLOCK, BOTH, PRED_ONLY], Sync(Bar), gate: since(2, 0).sm(20), n_name_modifiers: 2, types: BOTH_TYPES;
        "Waits at the barrier and tests whether predicate c is true in all threads or in at least one thread.", "parallel-synchronization-and-communication-instructions-bar";
        accepted_examples: &["bar.red.and.pred p, 0, p;"]),
    form!("barrier{.level}.sync{.aligned} a{, b}", [BLOCK], Sync(Barrier), gate: BARRIER, n_name_modifiers: 1, types: SYNC;
        "Performs the operation of `bar.sync`, but allows the threads of a warp to arrive separately.", "parallel-synchronization-and-communication-instructions-bar";
        accepted_examples: &["barrier.sync 0;", "barrier.sync.aligned 0;"]),
    form!("barrier{.level}.arrive{.aligned} a, b", [BLOCK], Sync(Barrier), gate: BARRIER, n_name_modifiers: 2, types: SYNC;
        "Performs the operation of `bar.arrive`, but allows the threads of a warp to arrive separately.", "parallel-synchronization-and-communication-instructions-bar";
        accepted_examples: &["barrier.arrive 0, 64;"]),
    form!("barrier{.level}.red.op{.aligned}.type d, a{, b}, {!}c", [BLOCK, POPC, U32_ONLY], Sync(Barrier), gate: BARRIER, n_name_modifiers: 2, types: POPC_TYPES;
        "Performs the operation of `bar.red.popc`, but allows the threads of a warp to arrive separately.", "parallel-synchronization-and-communication-instructions-bar";
        accepted_examples: &["barrier.red.popc.u32 r, 0, p;"]),
    form!("barrier{.level}.red.op{.aligned}.type d, a{, b}, {!}c", [BLOCK, BOTH, PRED_ONLY], Sync(Barrier), gate: BARRIER, n_name_modifiers: 2, types: BOTH_TYPES;
        "Performs the operation of `bar.red.and` or `bar.red.or`, but allows the threads of a warp to arrive separately.", "parallel-synchronization-and-communication-instructions-bar";
        accepted_examples: &["barrier.red.or.pred p, 0, p;"]),
    form!("bar.warp.sync membermask", [], Sync(WarpBarrier), gate: VOLTA, n_name_modifiers: 1, types: MASK;
        "Waits until all lanes of the member mask have arrived at the barrier.", "parallel-synchronization-and-communication-instructions-bar-warp-sync";
        accepted_examples: &["bar.warp.sync 0xffffffff;"]),
    form!("membar.level", [LEVEL], Sync(Membar);
        "Orders all memory accesses that precede the fence before all memory accesses that follow the fence.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["membar.gl;"]),
    form!("membar.proxy.proxykind", [PROXY], Sync(Membar), gate: since(7, 5).sm(60).assembler("13.5"), n_name_modifiers: 1;
        "Orders memory accesses that are performed through different proxies.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["membar.proxy.alias;"], rejected_examples: &[("membar.proxy.async.global;", "W0102")]),
    form!("fence{.sem}.scope", [FENCE_SEM, SCOPE], Sync(Fence), gate: VOTED.sm(70);
        "Orders all memory accesses that precede the fence before all memory accesses that follow the fence.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.acq_rel.gpu;", "fence.sc.sys;"], rejected_examples: &[("fence.sc;", "W0105")]),
    form!("fence{.sem}.async.scope", [FENCE_SEM, SCOPE], Sync(Fence), gate: since(8, 0).sm(90).assembler("13.5");
        "Orders memory accesses through the generic and the async proxy that precede the fence before those that follow the fence.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.sc.async.cluster;"], rejected_examples: &[("fence.acquire.async;", "W0105")]),
    form!("fence.sem.sync_restrict::shared::cluster.scope", [ACQUIRE, CLUSTER], Sync(Fence), gate: since(8, 6).sm(90);
        "Performs an acquire fence that applies only to shared memory of the cluster.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.acquire.sync_restrict::shared::cluster.cluster;"], rejected_examples: &[("fence.release.sync_restrict::shared::cluster.cluster;", "W0102")]),
    form!("fence.sem.sync_restrict::shared::cta.scope", [RELEASE, CLUSTER], Sync(Fence), gate: since(8, 6).sm(90);
        "Performs a release fence that applies only to shared memory of the block.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.release.sync_restrict::shared::cta.cluster;"]),
    form!("fence.proxy.proxykind", [PROXY], Sync(Fence), gate: since(7, 5).sm(70), n_name_modifiers: 1;
        "Orders memory accesses that are performed through different proxies.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.proxy.async;"], rejected_examples: &[("fence.proxy.alias.shared::cta;", "W0102")]),
    form!("fence.proxy.proxykind.ss", [ASYNC_PROXY, PROXY_SPACE], Sync(Fence), gate: since(8, 0).sm(90), n_name_modifiers: 1;
        "Orders memory accesses to one state space that are performed through different proxies.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.proxy.async.shared::cta;"]),
    form!("fence.proxy.proxykind.sem.scope [a], size", [TENSORMAP, ACQUIRES, SCOPE], Sync(Fence), gate: since(8, 3).sm(90), n_name_modifiers: 1,
        address: TensorMap, types: SIZE;
        "Performs an acquire fence for accesses to a tensor map through the tensormap proxy.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.proxy.tensormap::generic.acquire.gpu [d], 128;"], rejected_examples: &[("fence.proxy.tensormap::generic.acquire.gpu [d], 64;", "W0144")]),
    form!("fence.proxy.proxykind.sem.scope{.ss}{.level}", [TENSORMAP, RELEASE, SCOPE, UNUSED_SPACE, UNUSED_LIMIT], Sync(Fence), gate: since(8, 3).sm(90), n_name_modifiers: 1;
        "Performs a release fence for modifications of a tensor map.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.proxy.tensormap::generic.release.cta;"]),
    form!("fence.proxy.proxykind.sem.scope", [ALIAS_PROXY, RELEASE, SCOPE], Sync(Fence), gate: since(8, 3).sm(90).assembler("13.5"), n_name_modifiers: 1;
        "Orders memory accesses through virtual aliases. This form is undocumented, but `ptxas` accepts it.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.proxy.alias.release.sys;"]),
    form!("fence.proxy.proxykind.sem.sync_restrict::shared::cluster.scope", [ASYNC_GENERIC, ACQUIRE, CLUSTER], Sync(Fence), gate: since(8, 6).sm(90), n_name_modifiers: 1;
        "Performs an acquire fence between the async and generic proxies for shared memory of the cluster.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;"],
        rejected_examples: &[("fence.proxy.async::generic.acquire.cluster;", "W0105")]),
    form!("fence.proxy.proxykind.sem.sync_restrict::shared::cta.scope", [ASYNC_GENERIC, RELEASE, CLUSTER], Sync(Fence), gate: since(8, 6).sm(90), n_name_modifiers: 1;
        "Performs a release fence between the async and generic proxies for shared memory of the block.", "parallel-synchronization-and-communication-instructions-membar-fence"),
    form!("fence.mbarrier_init.release.scope", [CLUSTER], Sync(Fence), gate: since(8, 0).sm(90);
        "Makes prior `mbarrier.init` operations visible to the other threads of the cluster.", "parallel-synchronization-and-communication-instructions-membar-fence";
        accepted_examples: &["fence.mbarrier_init.release.cluster;"], rejected_examples: &[("fence.mbarrier_init.release.cta;", "W0102")]),
    form!("shfl.sync.mode.type d{|p}, a, b, c, membermask", [SHUFFLE, B32_ONLY], Warp(Shuffle), gate: VOLTA, types: SHUFFLED;
        "Reads a register of another lane of the warp.", "data-movement-and-conversion-instructions-shfl-sync";
        accepted_examples: &["shfl.sync.bfly.b32 r, r, 16, 31, -1;", "shfl.sync.up.b32 f|p, f, r, 0, r;"], rejected_examples: &[("shfl.sync.b32 r, r, 1, 31, -1;", "W0105")]),
    form!("shfl.mode.type d{|p}, a, b, c", [SHUFFLE, B32_ONLY], Warp(Shuffle), gate: since(3, 0).sm(30), types: UNMASKED;
        "Reads a register of another lane of the warp. This form has no member mask.", "data-movement-and-conversion-instructions-shfl";
        rejected_examples: &[("shfl.idx.b32 r, r, 0, 31;", "W0141")]),
    form!("vote.sync.mode.type d, {!}a, membermask", [VOTE, PRED_ONLY], Warp(Vote), gate: VOLTA, operand_extensions: &[Halves], types: MASK;
        "Reduces a predicate over the lanes of the member mask.", "parallel-synchronization-and-communication-instructions-vote-sync";
        accepted_examples: &["vote.sync.all.pred p, !q, -1;"]),
    form!("vote.sync.mode.type d, {!}a, membermask", [BALLOT, B32_ONLY], Warp(Vote), gate: VOLTA, types: MASK;
        "Returns the mask of the lanes whose predicate is true.", "parallel-synchronization-and-communication-instructions-vote-sync";
        accepted_examples: &["vote.sync.ballot.b32 r, p, r;"]),
    form!("vote.mode.type d, {!}a", [VOTE, PRED_ONLY], Warp(Vote), gate: since(1, 2).sm(12);
        "Reduces a predicate over the active lanes of the warp. This form has no member mask.", "parallel-synchronization-and-communication-instructions-vote";
        rejected_examples: &[("vote.any.pred p, q;", "W0141")]),
    form!("vote.mode.type d, {!}a", [BALLOT, B32_ONLY], Warp(Vote), gate: since(2, 0).sm(20);
        "Returns the mask of the active lanes whose predicate is true. This form has no member mask.", "parallel-synchronization-and-communication-instructions-vote";
        rejected_examples: &[("vote.ballot.b32 r, p;", "W0141")]),
    form!("match.any.sync.type d, a, membermask", [BITS], Warp(Match), gate: VOTED.sm(70), types: GATHERED;
        "Returns the mask of the lanes that have the same value as the executing lane.", "parallel-synchronization-and-communication-instructions-match-sync";
        accepted_examples: &["match.any.sync.b64 r, d, -1;"]),
    form!("match.all.sync.type d{|p}, a, membermask", [BITS], Warp(Match), gate: VOTED.sm(70), operand_extensions: &[Sink], types: GATHERED;
        "Returns the member mask if all lanes of the mask have the same value, and zero otherwise.", "parallel-synchronization-and-communication-instructions-match-sync";
        accepted_examples: &["match.all.sync.b32 r|p, r, -1;"]),
    form!("activemask.type d", [B32_ONLY], Warp(ActiveMask), gate: since(6, 2).sm(30);
        "Returns the mask of the active lanes of the warp.", "parallel-synchronization-and-communication-instructions-activemask";
        accepted_examples: &["activemask.b32 r;"]),
    form!("redux.sync.op.type d, a, membermask", [REDUCED, WORDS], Warp(Redux), gate: since(7, 0).sm(80), types: REDUCED_WORDS;
        "Reduces a value over the lanes of the member mask.", "parallel-synchronization-and-communication-instructions-redux-sync";
        accepted_examples: &["redux.sync.add.s32 r, r, -1;"]),
    form!("redux.sync.op.type d, a, membermask", [REDUCED_BITS, B32_ONLY], Warp(Redux), gate: since(7, 0).sm(80), types: REDUCED_WORDS;
        "Reduces a value over the lanes of the member mask with a bitwise operation.", "parallel-synchronization-and-communication-instructions-redux-sync";
        accepted_examples: &["redux.sync.or.b32 r, r, r;"], rejected_examples: &[("redux.sync.or.b32 f, r, r;", "W0109"), ("redux.sync.or.b32 r, f, r;", "W0109")]),
    form!("redux.sync.op{.abs}{.NaN}.type d, a, membermask", [REDUCED_FLOATS, F32_ONLY], Warp(Redux),
        gate: since(8, 6).family(100).assembler("13.5"), types: MASK;
        "Computes the minimum or maximum of a value over the lanes of the member mask.", "parallel-synchronization-and-communication-instructions-redux-sync";
        rejected_examples: &[("redux.sync.add.f32 f, f, -1;", "W0104")]),
    form!("elect.sync d|p, membermask", [], Warp(Elect), gate: since(8, 0).sm(90), operand_extensions: &[Sink], types: GATHERED;
        "Elects a leader lane from the lanes of the member mask.", "parallel-synchronization-and-communication-instructions-elect-sync";
        accepted_examples: &["elect.sync r|p, -1;", "elect.sync _|p, -1;"]),
    form!("movmatrix.sync.aligned.shape.trans{.layout}.type d, a", [M8N8, LAYOUT, B16_ONLY], Warp(Movmatrix), gate: since(7, 8).sm(75), types: ROWS;
        "Transposes an 8 x 8 matrix of 16-bit elements. Each lane holds two adjacent elements of a row.", "warp-level-matrix-instructions-movmatrix";
        accepted_examples: &["movmatrix.sync.aligned.m8n8.trans.b16 r, r;", "movmatrix.sync.aligned.m8n8.trans.b16 r, p;"],
        rejected_examples: &[("movmatrix.sync.aligned.m8n8.b16 r, r;", "W0105"), ("movmatrix.sync.aligned.m8n8.trans.b16 r, 7;", "W0116"), ("movmatrix.sync.aligned.m8n8.trans.b16 d, r;", "W0109")]),
];
