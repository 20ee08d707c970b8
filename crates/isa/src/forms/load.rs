//! Loads and cache control (PTX ISA, "ld", "ld.global.nc", "ldu", "prefetch", "applypriority", "discard",
//! "createpolicy").

use super::sets::{
    CACHE_HINT, CACHE_LOAD, CONST, EVICT_L1, EVICT_L2, GLOBAL, LOCAL, PARAM, PARAM_ENTRY,
    PARAM_FUNC, PREFETCH_SIZE, SCOPE, SHARED, SHARED_CLUSTER, SHARED_CTA, VECTOR, form, plain, set,
    types, value,
};
use crate::does::{HintOp, MemoryOp, MoveOp};
use crate::form::{Form, Gate, Meaning, OperandType};
use crate::modifier::Sem;
use crate::modifier::{CacheLevel, EvictionPriority, Flag};
use crate::types::ScalarType;

types!(TYPE, "type", B8 B16 B32 B64 B128 U8 U16 U32 U64 S8 S16 S32 S64 F32 F64);
types!(B64_ONLY, "type", B64);
set!(
    SPACE,
    "ss",
    "state space",
    [
        CONST,
        GLOBAL,
        LOCAL,
        SHARED,
        SHARED_CTA,
        SHARED_CLUSTER,
        PARAM,
        PARAM_ENTRY,
        PARAM_FUNC,
    ]
);
set!(GLOBAL_ONLY, "ss", "state space", [GLOBAL]);
set!(PREFETCHED, "ss", "state space", [GLOBAL, LOCAL]);
set!(
    SEM,
    "sem",
    "memory order",
    [
        value(
            "weak",
            Meaning::Sem(Sem::Weak),
            Gate::ptx(5, 1).sm(70),
            "no synchronisation; what is meant without a word"
        ),
        plain(
            "volatile",
            Meaning::Sem(Sem::Volatile),
            "done as written, neither left out nor merged"
        ),
        value(
            "relaxed",
            Meaning::Sem(Sem::Relaxed),
            Gate::ptx(5, 1).sm(70),
            "strong, without ordering other accesses"
        ),
        value(
            "acquire",
            Meaning::Sem(Sem::Acquire),
            Gate::ptx(5, 1).sm(70),
            "strong, before all that comes after it"
        ),
    ]
);
set!(
    MMIO,
    "mmio",
    "device access",
    [value(
        "mmio",
        Meaning::Flag(Flag::Mmio),
        Gate::ptx(8, 2).sm(70),
        "memory-mapped input and output"
    ),]
);
set!(
    LEVEL,
    "level",
    "cache level",
    [
        plain(
            "L1",
            Meaning::CacheLevel(CacheLevel::L1),
            "into the first-level cache"
        ),
        plain(
            "L2",
            Meaning::CacheLevel(CacheLevel::L2),
            "into the second-level cache"
        ),
    ]
);
set!(
    PREFETCH_PRIORITY,
    "level::eviction_priority",
    "eviction priority",
    [
        value(
            "L2::evict_last",
            Meaning::EvictL2(EvictionPriority::Last),
            Gate::ptx(7, 4).sm(80),
            "level 2, kept as long as possible"
        ),
        value(
            "L2::evict_normal",
            Meaning::EvictL2(EvictionPriority::Normal),
            Gate::ptx(7, 4).sm(80),
            "level 2, normal priority"
        ),
    ]
);
set!(
    DISCARDED,
    "level",
    "cache level",
    [plain(
        "L2",
        Meaning::CacheLevel(CacheLevel::L2),
        "of the second-level cache"
    )]
);
set!(
    PRIMARY,
    "level::primary_priority",
    "priority",
    [
        plain(
            "L2::evict_last",
            Meaning::EvictL2(EvictionPriority::Last),
            "kept as long as possible"
        ),
        plain(
            "L2::evict_normal",
            Meaning::EvictL2(EvictionPriority::Normal),
            "normal priority"
        ),
        plain(
            "L2::evict_first",
            Meaning::EvictL2(EvictionPriority::First),
            "evicted first"
        ),
        plain(
            "L2::evict_unchanged",
            Meaning::EvictL2(EvictionPriority::Unchanged),
            "priority left as it is"
        ),
    ]
);
set!(
    SECONDARY,
    "level::secondary_priority",
    "priority of the rest",
    [
        plain(
            "L2::evict_first",
            Meaning::EvictL2(EvictionPriority::First),
            "evicted first"
        ),
        plain(
            "L2::evict_unchanged",
            Meaning::EvictL2(EvictionPriority::Unchanged),
            "priority left as it is"
        ),
    ]
);

const LOADED: &[(&str, OperandType)] = &[
    ("d", OperandType::Custom),
    ("cache-policy", OperandType::CachePolicy),
];
const UNIFORM: &[(&str, OperandType)] = &[("d", OperandType::Custom)];
const SIZE: &[(&str, OperandType)] = &[("size", OperandType::Bits(32))];
const POLICY: Gate = Gate::ptx(7, 4).sm(80);

/// The forms of loads and cache control.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("ld{.mmio}{.sem}{.scope}{.ss}{.cop}{.nc}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}",
        [MMIO, SEM, SCOPE, SPACE, CACHE_LOAD, EVICT_L1, EVICT_L2, CACHE_HINT, PREFETCH_SIZE, VECTOR, TYPE], Memory(MemoryOp::Load), "Loads from memory at a.", "data-movement-and-conversion-instructions-ld", types: LOADED,
        good: &["ld.global.u32 r, [d];", "ld.u8 r, [d+4];", "ld.global.v4.f32 {f, f, f, f}, [d];", "ld.volatile.shared.u32 r, [r];", "ld.relaxed.gpu.global.b32 r, [d];", "ld.global.nc.f32 f, [d];", "ld.global.L1::no_allocate.L2::cache_hint.b32 r, [d], d;"],
        bad: &[("ld.global.u32 h, [d];", "W0109"), ("ld.relaxed.global.u32 r, [d];", "W0131"), ("ld.global.v2.u32 r, [d];", "W0126"), ("ld.global.u32 r, d;", "W0110"), ("ld.globl.u32 r, [d];", "W0101"), ("ld.global.u32 r, [d], d;", "W0128"), ("ld.global.u32 r, [f];", "W0132")]),
    form!("ldu{.ss}{.vec}.type d, [a]", [GLOBAL_ONLY, VECTOR, TYPE], Memory(MemoryOp::Load), "Loads from memory that no thread writes, at the same address in all lanes.", "data-movement-and-conversion-instructions-ldu", types: UNIFORM, gate: Gate::ptx(2, 0).sm(20), good: &["ldu.global.f32 f, [d];"]),
    form!("prefetch{.ss}.level [a]", [PREFETCHED, LEVEL], Hint(HintOp::Prefetch), "Brings a line into a cache.", "data-movement-and-conversion-instructions-prefetch-prefetchu", gate: Gate::ptx(2, 0).sm(20), good: &["prefetch.global.L2 [d];", "prefetch.L1 [d];"]),
    form!("prefetch.ss.level::eviction_priority [a]", [GLOBAL_ONLY, PREFETCH_PRIORITY], Hint(HintOp::Prefetch), "Brings a line into the second-level cache with a priority.", "data-movement-and-conversion-instructions-prefetch-prefetchu", good: &["prefetch.global.L2::evict_last [d];"]),
    form!("prefetchu.L1 [a]", [], Hint(HintOp::Prefetch), "Brings a line into the uniform cache.", "data-movement-and-conversion-instructions-prefetch-prefetchu", gate: Gate::ptx(2, 0).sm(20), good: &["prefetchu.L1 [d];"]),
    form!("applypriority{.ss}.level::eviction_priority [a], size", [GLOBAL_ONLY, PREFETCH_PRIORITY], Hint(HintOp::ApplyPriority), "Gives a line another eviction priority.", "data-movement-and-conversion-instructions-applypriority", types: SIZE, gate: POLICY, good: &["applypriority.global.L2::evict_normal [d], 128;"]),
    form!("discard{.ss}.level [a], size", [GLOBAL_ONLY, DISCARDED], Hint(HintOp::Discard), "Drops a line without writing it back.", "data-movement-and-conversion-instructions-discard", types: SIZE, gate: POLICY, good: &["discard.global.L2 [d], 128;"]),
    form!("createpolicy.fractional.level::primary_priority{.level::secondary_priority}.type d{, fraction}", [PRIMARY, SECONDARY, B64_ONLY], Move(MoveOp::CreatePolicy), "Makes a cache policy for a fraction of the accesses.", "data-movement-and-conversion-instructions-createpolicy", types: &[("fraction", OperandType::Fixed(ScalarType::F32))], gate: POLICY, good: &["createpolicy.fractional.L2::evict_first.b64 d, 1.0;", "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 d;"]),
    form!("createpolicy.range{.ss}.level::primary_priority{.level::secondary_priority}.type d, [a], primary, total", [GLOBAL_ONLY, PRIMARY, SECONDARY, B64_ONLY], Move(MoveOp::CreatePolicy), "Makes a cache policy for a range of addresses.", "data-movement-and-conversion-instructions-createpolicy", types: &[("primary", OperandType::Bits(32)), ("total", OperandType::Bits(32))], gate: POLICY, good: &["createpolicy.range.global.L2::evict_last.b64 d, [d], 128, 256;"]),
    form!("createpolicy.cvt.L2.type d, a", [B64_ONLY], Move(MoveOp::CreatePolicy), "Makes a cache policy of an access property.", "data-movement-and-conversion-instructions-createpolicy", gate: POLICY, good: &["createpolicy.cvt.L2.b64 d, d;"]),
];
