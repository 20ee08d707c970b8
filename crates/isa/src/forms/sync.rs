//! Barriers, fences and warp-wide exchange (PTX ISA, "Parallel Synchronization and Communication Instructions").

use super::sets::GLOBAL;
use super::sets::{B32_ONLY, SCOPE, SHARED_CLUSTER, SHARED_CTA, form, plain, set, types, value};
use crate::does::{SyncOp, WarpOp};
use crate::form::{Form, Gate, Meaning, OperandType};
use crate::modifier::{BarrierReduce, Proxy, ReduceOp, Scope, Sem};
use crate::modifier::{ShuffleMode, VoteMode};
use crate::types::ScalarType;

types!(U32_ONLY, "type", U32);
types!(PRED_TYPE, "type", Pred);
types!(BITS, "type", B32 B64);
types!(WORDS, "type", U32 S32);
set!(
    POPC,
    "op",
    "reduction",
    [plain(
        "popc",
        Meaning::BarrierReduce(BarrierReduce::Popc),
        "in how many threads the predicate holds"
    )]
);
set!(
    BOTH,
    "op",
    "reduction",
    [
        plain(
            "and",
            Meaning::BarrierReduce(BarrierReduce::And),
            "whether the predicate holds in all threads"
        ),
        plain(
            "or",
            Meaning::BarrierReduce(BarrierReduce::Or),
            "whether the predicate holds in some thread"
        ),
    ]
);
set!(
    LEVEL,
    "level",
    "level",
    [
        plain("cta", Meaning::Scope(Scope::Cta), "for the block"),
        plain("gl", Meaning::Scope(Scope::Gpu), "for the device"),
        plain("sys", Meaning::Scope(Scope::Sys), "for the system"),
    ]
);
set!(
    FENCE_SEM,
    "sem",
    "memory order",
    [
        plain("sc", Meaning::Sem(Sem::Sc), "sequentially consistent"),
        plain(
            "acq_rel",
            Meaning::Sem(Sem::AcqRel),
            "acquiring and releasing"
        ),
        value(
            "acquire",
            Meaning::Sem(Sem::Acquire),
            Gate::ptx(8, 6).sm(90),
            "acquiring"
        ),
        value(
            "release",
            Meaning::Sem(Sem::Release),
            Gate::ptx(8, 6).sm(90),
            "releasing"
        ),
    ]
);
set!(
    PROXY,
    "proxykind",
    "proxy",
    [
        plain(
            "alias",
            Meaning::Proxy(Proxy::Alias),
            "virtual aliases of memory"
        ),
        plain("async", Meaning::Proxy(Proxy::Async), "asynchronous copies"),
        plain(
            "generic",
            Meaning::Proxy(Proxy::Generic),
            "generic accesses"
        ),
        plain(
            "constant",
            Meaning::Proxy(Proxy::Constant),
            "constant memory"
        ),
        plain("texture", Meaning::Proxy(Proxy::Texture), "textures"),
        plain("surface", Meaning::Proxy(Proxy::Surface), "surfaces"),
    ]
);
set!(
    PROXY_SPACE,
    "ss",
    "state space",
    [GLOBAL, SHARED_CTA, SHARED_CLUSTER]
);
set!(
    SHUFFLE,
    "mode",
    "mode",
    [
        plain(
            "up",
            Meaning::Shuffle(ShuffleMode::Up),
            "from the lane so many below"
        ),
        plain(
            "down",
            Meaning::Shuffle(ShuffleMode::Down),
            "from the lane so many above"
        ),
        plain(
            "bfly",
            Meaning::Shuffle(ShuffleMode::Bfly),
            "from the lane whose number differs in these bits"
        ),
        plain(
            "idx",
            Meaning::Shuffle(ShuffleMode::Idx),
            "from the lane with this number"
        ),
    ]
);
set!(
    VOTE,
    "mode",
    "mode",
    [
        plain(
            "all",
            Meaning::Vote(VoteMode::All),
            "whether it holds in all lanes"
        ),
        plain(
            "any",
            Meaning::Vote(VoteMode::Any),
            "whether it holds in some lane"
        ),
        plain(
            "uni",
            Meaning::Vote(VoteMode::Uni),
            "whether it is the same in all lanes"
        ),
    ]
);
set!(
    BALLOT,
    "mode",
    "mode",
    [plain(
        "ballot",
        Meaning::Vote(VoteMode::Ballot),
        "the lanes in which it holds"
    )]
);
set!(
    REDUCED,
    "op",
    "operation",
    [
        plain("add", Meaning::Reduce(ReduceOp::Add), "the sum"),
        plain("min", Meaning::Reduce(ReduceOp::Min), "the smallest"),
        plain("max", Meaning::Reduce(ReduceOp::Max), "the largest"),
    ]
);
set!(
    REDUCED_BITS,
    "op",
    "operation",
    [
        plain("and", Meaning::Reduce(ReduceOp::And), "bits set in all"),
        plain("or", Meaning::Reduce(ReduceOp::Or), "bits set in some"),
        plain(
            "xor",
            Meaning::Reduce(ReduceOp::Xor),
            "bits set in an odd number"
        ),
    ]
);

const SYNC: &[(&str, OperandType)] = &[("a", OperandType::Bits(32)), ("b", OperandType::Bits(32))];
const POPC_TYPES: &[(&str, OperandType)] = &[
    ("d", OperandType::Bits(32)),
    ("a", OperandType::Bits(32)),
    ("b", OperandType::Custom),
    ("c", OperandType::Custom),
];
const BOTH_TYPES: &[(&str, OperandType)] = &[
    ("d", OperandType::Predicate),
    ("a", OperandType::Bits(32)),
    ("b", OperandType::Custom),
    ("c", OperandType::Custom),
];
const MASK: &[(&str, OperandType)] = &[("membermask", OperandType::Bits(32))];
const SHUFFLED: &[(&str, OperandType)] = &[
    ("b", OperandType::Fixed(ScalarType::U32)),
    ("c", OperandType::Fixed(ScalarType::U32)),
    ("membermask", OperandType::Bits(32)),
];
const MATCHED: &[(&str, OperandType)] = &[
    ("d", OperandType::Bits(32)),
    ("membermask", OperandType::Bits(32)),
];
const ELECTED: &[(&str, OperandType)] = &[
    ("d", OperandType::Bits(32)),
    ("membermask", OperandType::Bits(32)),
];
const VOLTA: Gate = Gate::ptx(6, 0).sm(30);

/// The forms of barriers, fences and warp-wide exchange.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("bar{.cta}.sync a{, b}", [], Sync(SyncOp::Bar), "Waits until all (or b) threads of the block are here.", "parallel-synchronization-and-communication-instructions-bar", types: SYNC, good: &["bar.sync 0;", "bar.sync 1, 64;"], bad: &[("bar.sync 16;", "W0133")]),
    form!("bar{.cta}.arrive a, b", [], Sync(SyncOp::Bar), "Tells a barrier that this thread is here, without waiting.", "parallel-synchronization-and-communication-instructions-bar", types: SYNC, gate: Gate::ptx(2, 0).sm(20), good: &["bar.arrive 1, 64;"]),
    form!("bar{.cta}.red.op.type d, a{, b}, c", [POPC, U32_ONLY], Sync(SyncOp::Bar), "Waits, and counts the threads where c holds.", "parallel-synchronization-and-communication-instructions-bar", types: POPC_TYPES, gate: Gate::ptx(2, 0).sm(20), good: &["bar.red.popc.u32 r, 0, p;", "bar.red.popc.u32 r, 1, 64, !p;"]),
    form!("bar{.cta}.red.op.type d, a{, b}, c", [BOTH, PRED_TYPE], Sync(SyncOp::Bar), "Waits, and asks whether c holds everywhere or anywhere.", "parallel-synchronization-and-communication-instructions-bar", types: BOTH_TYPES, gate: Gate::ptx(2, 0).sm(20), good: &["bar.red.and.pred p, 0, p;"]),
    form!("barrier{.cta}.sync{.aligned} a{, b}", [], Sync(SyncOp::Barrier), "As `bar.sync`; lanes of a warp may come one by one.", "parallel-synchronization-and-communication-instructions-bar", types: SYNC, gate: VOLTA, good: &["barrier.sync 0;", "barrier.sync.aligned 0;"]),
    form!("barrier{.cta}.arrive{.aligned} a, b", [], Sync(SyncOp::Barrier), "As `bar.arrive`; lanes of a warp may come one by one.", "parallel-synchronization-and-communication-instructions-bar", types: SYNC, gate: VOLTA, good: &["barrier.arrive 0, 64;"]),
    form!("barrier{.cta}.red.op{.aligned}.type d, a{, b}, c", [POPC, U32_ONLY], Sync(SyncOp::Barrier), "As `bar.red.popc`; lanes of a warp may come one by one.", "parallel-synchronization-and-communication-instructions-bar", types: POPC_TYPES, gate: VOLTA, good: &["barrier.red.popc.u32 r, 0, p;"]),
    form!("barrier{.cta}.red.op{.aligned}.type d, a{, b}, c", [BOTH, PRED_TYPE], Sync(SyncOp::Barrier), "As `bar.red.and` and `bar.red.or`; lanes of a warp may come one by one.", "parallel-synchronization-and-communication-instructions-bar", types: BOTH_TYPES, gate: VOLTA, good: &["barrier.red.or.pred p, 0, p;"]),
    form!("bar.warp.sync membermask", [], Sync(SyncOp::WarpBarrier), "Waits until the lanes of the mask are here.", "parallel-synchronization-and-communication-instructions-bar-warp-sync", types: MASK, gate: VOLTA, good: &["bar.warp.sync 0xffffffff;"]),
    form!("membar.level", [LEVEL], Sync(SyncOp::Fence), "Orders memory accesses before and after it.", "parallel-synchronization-and-communication-instructions-membar-fence", good: &["membar.gl;"]),
    form!("membar.proxy.proxykind", [PROXY], Sync(SyncOp::Fence), "Orders accesses through different proxies.", "parallel-synchronization-and-communication-instructions-membar-fence", gate: Gate::ptx(7, 5).sm(70), good: &["membar.proxy.alias;"]),
    form!("fence{.sem}.scope", [FENCE_SEM, SCOPE], Sync(SyncOp::Fence), "Orders memory accesses before and after it.", "parallel-synchronization-and-communication-instructions-membar-fence", gate: Gate::ptx(6, 0).sm(70), good: &["fence.acq_rel.gpu;", "fence.sc.sys;"], bad: &[("fence.sc;", "W0105")]),
    form!("fence.proxy.proxykind{.ss}", [PROXY, PROXY_SPACE], Sync(SyncOp::Fence), "Orders accesses through different proxies.", "parallel-synchronization-and-communication-instructions-membar-fence", gate: Gate::ptx(7, 5).sm(70), good: &["fence.proxy.async.shared::cta;"]),
    form!("fence.mbarrier_init.release.scope", [SCOPE], Sync(SyncOp::Fence), "Makes initialised barriers known to the cluster.", "parallel-synchronization-and-communication-instructions-membar-fence", gate: Gate::ptx(8, 0).sm(90), good: &["fence.mbarrier_init.release.cluster;"]),
    form!("shfl.sync.mode.type d{|p}, a, b, c, membermask", [SHUFFLE, B32_ONLY], Warp(WarpOp::Shuffle), "Takes the value of another lane.", "data-movement-and-conversion-instructions-shfl-sync", types: SHUFFLED, gate: VOLTA, good: &["shfl.sync.bfly.b32 r, r, 16, 31, -1;", "shfl.sync.up.b32 f|p, f, r, 0, r;"], bad: &[("shfl.sync.b32 r, r, 1, 31, -1;", "W0105")]),
    form!("shfl.mode.type d{|p}, a, b, c", [SHUFFLE, B32_ONLY], Warp(WarpOp::Shuffle), "Takes the value of another lane; from before masks.", "data-movement-and-conversion-instructions-shfl", types: SHUFFLED, gate: Gate::ptx(3, 0).sm(30), bad: &[("shfl.idx.b32 r, r, 0, 31;", "W0141")]),
    form!("vote.sync.mode.type d, {!}a, membermask", [VOTE, PRED_TYPE], Warp(WarpOp::Vote), "Asks in which lanes a predicate holds.", "parallel-synchronization-and-communication-instructions-vote-sync", types: MASK, gate: VOLTA, good: &["vote.sync.all.pred p, !q, -1;"]),
    form!("vote.sync.mode.type d, {!}a, membermask", [BALLOT, B32_ONLY], Warp(WarpOp::Vote), "The lanes in which a predicate holds, as bits.", "parallel-synchronization-and-communication-instructions-vote-sync", types: MASK, gate: VOLTA, good: &["vote.sync.ballot.b32 r, p, r;"]),
    form!("vote.mode.type d, {!}a", [VOTE, PRED_TYPE], Warp(WarpOp::Vote), "As `vote.sync`, from before masks.", "parallel-synchronization-and-communication-instructions-vote", gate: Gate::ptx(1, 2).sm(12), bad: &[("vote.any.pred p, q;", "W0141")]),
    form!("vote.mode.type d, {!}a", [BALLOT, B32_ONLY], Warp(WarpOp::Vote), "As `vote.sync.ballot`, from before masks.", "parallel-synchronization-and-communication-instructions-vote", gate: Gate::ptx(2, 0).sm(20), bad: &[("vote.ballot.b32 r, p;", "W0141")]),
    form!("match.any.sync.type d, a, membermask", [BITS], Warp(WarpOp::Match), "The lanes that hold the same value.", "parallel-synchronization-and-communication-instructions-match-sync", types: MATCHED, gate: Gate::ptx(6, 0).sm(70), good: &["match.any.sync.b64 r, d, -1;"]),
    form!("match.all.sync.type d{|p}, a, membermask", [BITS], Warp(WarpOp::Match), "The mask where all lanes hold the same value.", "parallel-synchronization-and-communication-instructions-match-sync", types: MATCHED, gate: Gate::ptx(6, 0).sm(70), good: &["match.all.sync.b32 r|p, r, -1;"]),
    form!("activemask.type d", [B32_ONLY], Warp(WarpOp::ActiveMask), "The lanes that execute this instruction together.", "parallel-synchronization-and-communication-instructions-activemask", gate: Gate::ptx(6, 2).sm(30), good: &["activemask.b32 r;"]),
    form!("redux.sync.op.type d, a, membermask", [REDUCED, WORDS], Warp(WarpOp::Redux), "Reduces the values of the lanes.", "parallel-synchronization-and-communication-instructions-redux-sync", types: MASK, gate: Gate::ptx(7, 0).sm(80), good: &["redux.sync.add.s32 r, r, -1;"]),
    form!("redux.sync.op.type d, a, membermask", [REDUCED_BITS, B32_ONLY], Warp(WarpOp::Redux), "Combines the bits of the lanes.", "parallel-synchronization-and-communication-instructions-redux-sync", types: MASK, gate: Gate::ptx(7, 0).sm(80), good: &["redux.sync.or.b32 r, r, r;"]),
    form!("elect.sync d|p, membermask", [], Warp(WarpOp::Elect), "Elects one lane of the mask.", "parallel-synchronization-and-communication-instructions-elect-sync", types: ELECTED, gate: Gate::ptx(8, 0).sm(90), good: &["elect.sync r|p, -1;", "elect.sync _|p, -1;"]),
];
