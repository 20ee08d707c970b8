//! Loads and cache control (PTX ISA, "ld", "ld.global.nc", "ldu", "prefetch", "applypriority", "discard",
//! "createpolicy").

use super::atomic::GENERIC;
use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{
    CACHE_HINT, CACHE_LOAD, CONST, EVICT_L1, EVICT_L2, GLOBAL, LOCAL, PARAM, PARAM_ENTRY,
    PARAM_FUNC, PREFETCH_SIZE, SCOPE, SHARED, SHARED_CLUSTER, SHARED_CTA,
};
use super::st::WIDE;
use crate::form::rule::{Rule, RuleKind::*, WideAccess, any, assembler, of, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{
    CacheLevel::*,
    EvictionPriority::*,
    Flag::{L1Prefetch, Mmio, NonCoherent, Readonly},
    Sem::*,
    VectorWidth::*,
};
use crate::operation::{HintOp::*, MemoryOp::Load, MoveOp::CreatePolicy};
use crate::target::Feature;

// As for stores, the assembler accepts vectors of eight elements narrower than 32 bits in every version with 64-bit addresses.
set! { VECTOR: Vector "vector width";
    "v2", Vector(V2), ALWAYS,                        "two elements";
    "v4", Vector(V4), ALWAYS,                        "four elements";
    "v8", Vector(V8), since(2, 3).assembler("13.5"), "eight elements";
}
types!(TYPE, Type, B8 B16 B32 B64 B128 U8 U16 U32 U64 S8 S16 S32 S64 F32 F64);
types!(B64_ONLY, Type, B64);
set! { SPACE: Space "state space";
    CONST; GLOBAL; LOCAL; SHARED; SHARED_CTA; SHARED_CLUSTER; PARAM; PARAM_ENTRY; PARAM_FUNC;
}
set! { GLOBAL_ONLY: Space "state space"; GLOBAL; }
set! { PREFETCHED: Space "state space"; GLOBAL; LOCAL; }
set! { DESCRIBED: Space "state space"; CONST; PARAM; }
/// Gate of memory ordering and scopes.
const MODEL: Gate = since(5, 1).with(Feature::MemoryModel);

set! { SEM: Sem "memory order";
    "weak",     Sem(Weak),     MODEL,  "weak access (the default), which does not synchronize with other threads";
    "volatile", Sem(Volatile), ALWAYS, "volatile access, which is neither omitted nor merged with other accesses";
    "relaxed",  Sem(Relaxed),  MODEL,  "strong access with relaxed semantics, which do not order other memory accesses";
    "acquire",  Sem(Acquire),  MODEL,  "strong access with acquire semantics, which order all later memory accesses after the load";
}
set! { MMIO: Mmio "memory-mapped access";
    "mmio", Flag(Mmio), since(8, 2).with(Feature::MemoryModel), "memory-mapped I/O access, which is performed exactly once";
}
set! { LEVEL: Level "cache level";
    "L1", CacheLevel(L1), ALWAYS, "prefetches the cache line into L1";
    "L2", CacheLevel(L2), ALWAYS, "prefetches the cache line into L2";
}
set! { PREFETCH_PRIORITY: LevelPriority "eviction priority";
    "L2::evict_last",   EvictL2(Last),   since(7, 4).sm(80), "makes the data likely to be evicted last from L2";
    "L2::evict_normal", EvictL2(Normal), since(7, 4).sm(80), "gives the data normal eviction priority in L2";
}
set! { APPLIED: LevelPriority "eviction priority";
    "L2::evict_normal", EvictL2(Normal), since(7, 4).sm(80), "gives the data normal eviction priority in L2";
}
set! { DISCARDED: Level "cache level";
    "L2", CacheLevel(L2), ALWAYS, "discards the cache line in L2";
}
set! { PRIMARY: PrimaryPriority "priority";
    "L2::evict_last",      EvictL2(Last),      ALWAYS, "makes the accessed data likely to be evicted last from L2";
    "L2::evict_normal",    EvictL2(Normal),    ALWAYS, "gives the accessed data normal eviction priority in L2";
    "L2::evict_first",     EvictL2(First),     ALWAYS, "makes the accessed data likely to be evicted first from L2";
    "L2::evict_unchanged", EvictL2(Unchanged), ALWAYS, "leaves the eviction priority in L2 unchanged";
}
set! { SECONDARY: SecondaryPriority "priority of the other accesses";
    "L2::evict_first",     EvictL2(First),     ALWAYS, "makes the accessed data likely to be evicted first from L2";
    "L2::evict_unchanged", EvictL2(Unchanged), ALWAYS, "leaves the eviction priority in L2 unchanged";
}

/// Accesses wider than 128 bits: none, because `ldu` does not support them.
static NARROW: WideAccess = WideAccess {
    bits: 128,
    shapes: &[],
    gate: ALWAYS,
    spaces: &[],
};
const GLOBALS: &[&str] = &["global"];

/// Rules between the modifiers of `ld`.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    GENERIC,
    rule(CombinationGate { a: of(S::Sem, &["volatile"]), b: of(S::Space, &["local"]), gate: since(9, 1) }, "volatile accesses to local memory were introduced in PTX 9.1"),
    // Rules for memory-mapped I/O.
    rule(Requires { when: any(S::Mmio), slot: S::Sem, among: &["relaxed", "acquire"] }, "memory-mapped I/O requires strong accesses"),
    assembler(CombinationGate { a: any(S::Mmio), b: of(S::Sem, &["acquire"]), gate: since(9, 3) }, "PTX versions before 9.3 allow `.mmio` with `.relaxed` only"),
    rule(Restricts { when: any(S::Mmio), slot: S::Scope, among: &["sys"] }, "memory-mapped I/O requires system scope (`.sys`)"),
    rule(Restricts { when: any(S::Mmio), slot: S::Space, among: GLOBALS }, "memory-mapped I/O accesses global memory only"),
    rule(Conflict { a: any(S::Mmio), b: any(S::Vector) }, "memory-mapped I/O supports scalar accesses only"),
    rule(Conflict { a: any(S::Mmio), b: any(S::CacheOp) }, "memory-mapped I/O bypasses the caches"),
    rule(Conflict { a: any(S::Mmio), b: any(S::Level1Priority) }, "memory-mapped I/O bypasses the caches"),
    rule(Conflict { a: any(S::Mmio), b: any(S::PrefetchSize) }, "memory-mapped I/O bypasses the caches"),
    rule(Conflict { a: any(S::Mmio), b: any(S::CacheHint) }, "memory-mapped I/O bypasses the caches"),
    // Rules for cache operators and eviction priorities.
    rule(Conflict { a: any(S::Level1Priority), b: any(S::CacheOp) }, "a load can have either a cache operator or an L1 eviction priority"),
    rule(WideOnly { when: any(S::Level2Priority), wide: &WIDE }, "L2 eviction priorities are available on 256-bit loads only"),
    assembler(Restricts { when: any(S::PrefetchSize), slot: S::Space, among: GLOBALS }, "prefetch size hints apply to global memory only"),
    assembler(Restricts { when: any(S::Literal(L1Prefetch)), slot: S::Space, among: GLOBALS }, "prefetch size hints apply to global memory only"),
    assembler(CombinationGate { a: any(S::Literal(L1Prefetch)), b: any(S::Type), gate: since(7, 4).sm(75) }, "prefetching into L1 was introduced in PTX 7.4 for `sm_75`"),
    assembler(Restricts { when: any(S::Literal(Readonly)), slot: S::Space, among: GLOBALS }, "loads through the read-only proxy access global memory only"),
    assembler(CombinationGate { a: any(S::Literal(Readonly)), b: any(S::Type), gate: since(9, 4).sm(90) }, "the read-only proxy was introduced in PTX 9.4 for `sm_90`"),
    assembler(Conflict { a: any(S::Literal(Readonly)), b: of(S::Sem, &["volatile"]) }, "a volatile location may be modified concurrently, so it cannot be read through the read-only proxy"),
    assembler(Requires { when: any(S::Literal(NonCoherent)), slot: S::Space, among: GLOBALS }, "the non-coherent cache supports global memory only"),
    assembler(Conflict { a: any(S::Literal(NonCoherent)), b: of(S::CacheOp, &["lu"]) }, "the non-coherent cache does not support the last-use cache operator `.lu`"),
    assembler(CombinationGate { a: any(S::Literal(NonCoherent)), b: any(S::Type), gate: since(2, 0).sm(32) }, "the non-coherent cache was introduced in PTX 2.0 for `sm_32`"),
    // Rules for access widths.
    rule(VectorBits { most: 128, wide: &WIDE }, "a wider access must be split into several instructions"),
];
/// Rules between the modifiers of `ldu`.
#[rustfmt::skip]
const UNIFORM_RULES: &[Rule] = &[
    rule(VectorBits { most: 128, wide: &NARROW }, "a wider access must be split into several instructions"),
];

operands! {
    LOADED: "d" Vector(Type), "cache-policy" CachePolicy;
    UNIFORM: "d" Vector(Type);
    SIZE: "size" Number(Between(128, 128));
    FRACTION: "fraction" Number(Fraction);
    PART: "primary" Bits(32), "total" Bits(32);
    PROPERTY: "a" CachePolicy;
}
const POLICY: Gate = since(7, 4).sm(80);

/// Instruction forms of loads and cache control.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("ld{.mmio}{.sem}{.scope}{.ss}{.cop}{.nc}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}{.L1::32B}{.proxy::readonly}{.vec}.type d, [a]{, cache-policy}",
        [MMIO, SEM, SCOPE, SPACE, CACHE_LOAD, EVICT_L1, EVICT_L2, CACHE_HINT, PREFETCH_SIZE, VECTOR, TYPE], Memory(Load), address: Load, operand_extensions: &[ArrayElement], types: LOADED, rules: RULES;
        "Loads a value from memory.", "data-movement-and-conversion-instructions-ld";
        accepted_examples: &["ld.global.u32 r, [d];", "ld.u8 r, [d+4];", "ld.global.v4.f32 {f, f, f, f}, [d];", "ld.volatile.shared.u32 r, [r];",
            "ld.relaxed.gpu.global.b32 r, [d];", "ld.global.nc.f32 f, [d];", "ld.global.L1::no_allocate.L2::cache_hint.b32 r, [d], d;",
            "ld.global.L1::32B.u32 r, [d];", "ld.relaxed.mmio.sys.global.u32 r, [d];"],
        rejected_examples: &[("ld.global.u32 h, [d];", "W0109"), ("ld.relaxed.global.u32 r, [d];", "W0131"), ("ld.global.v2.u32 r, [d];", "W0126"),
            ("ld.global.u32 r, d;", "W0110"), ("ld.globl.u32 r, [d];", "W0101"), ("ld.global.u32 r, [d], d;", "W0128"),
            ("ld.global.u32 r, [f];", "W0132")]),
    form!("ldu{.ss}{.vec}.type d, [a]", [GLOBAL_ONLY, VECTOR, TYPE], Memory(Load), gate: since(2, 0).sm(20), address: Load, operand_extensions: &[ArrayElement], types: UNIFORM, rules: UNIFORM_RULES;
        "Loads a value from read-only memory at an address that is the same for all threads of the warp.", "data-movement-and-conversion-instructions-ldu";
        accepted_examples: &["ldu.global.f32 f, [d];"]),
    form!("prefetch{.ss}.level [a]", [PREFETCHED, LEVEL], Hint(Prefetch), gate: since(2, 0).sm(20);
        "Prefetches a cache line.", "data-movement-and-conversion-instructions-prefetch-prefetchu";
        accepted_examples: &["prefetch.global.L2 [d];", "prefetch.L1 [d];"]),
    form!("prefetch{.ss}.level::eviction_priority [a]", [GLOBAL_ONLY, PREFETCH_PRIORITY], Hint(Prefetch);
        "Prefetches a cache line into L2 and assigns an eviction priority to the line.", "data-movement-and-conversion-instructions-prefetch-prefetchu";
        accepted_examples: &["prefetch.global.L2::evict_last [d];"]),
    form!("prefetch{.ss}.tensormap [a]", [DESCRIBED], Hint(Prefetch), gate: since(8, 0).sm(90);
        "Prefetches a tensor map.", "data-movement-and-conversion-instructions-prefetch-prefetchu";
        accepted_examples: &["prefetch.tensormap [d];", "prefetch.const.tensormap [d];"], rejected_examples: &[("prefetch.global.tensormap [d];", "W0102")]),
    form!("prefetchu.L1 [a]", [], Hint(Prefetch), gate: since(2, 0).sm(20);
        "Prefetches a cache line into the uniform cache.", "data-movement-and-conversion-instructions-prefetch-prefetchu";
        accepted_examples: &["prefetchu.L1 [d];"]),
    form!("applypriority{.ss}.level::eviction_priority [a], size", [GLOBAL_ONLY, APPLIED], Hint(ApplyPriority),
        gate: POLICY, types: SIZE;
        "Assigns an eviction priority to a cache line.", "data-movement-and-conversion-instructions-applypriority";
        accepted_examples: &["applypriority.global.L2::evict_normal [d], 128;"], rejected_examples: &[("applypriority.global.L2::evict_normal [d], 64;", "W0144")]),
    form!("discard{.ss}.level [a], size", [GLOBAL_ONLY, DISCARDED], Hint(Discard), gate: POLICY, types: SIZE;
        "Discards a cache line without writing it back.", "data-movement-and-conversion-instructions-discard";
        accepted_examples: &["discard.global.L2 [d], 128;"]),
    form!("createpolicy.fractional.level::primary_priority{.level::secondary_priority}.type d{, fraction}",
        [PRIMARY, SECONDARY, B64_ONLY], Move(CreatePolicy), gate: POLICY, n_name_modifiers: 1, types: FRACTION;
        "Creates a cache policy that applies an eviction priority to a fraction of the accesses.", "data-movement-and-conversion-instructions-createpolicy";
        accepted_examples: &["createpolicy.fractional.L2::evict_first.b64 d, 1.0;", "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 d;"],
        rejected_examples: &[("createpolicy.fractional.L2::evict_first.b64 d, 2.0;", "W0144")]),
    form!("createpolicy.range{.ss}.level::primary_priority{.level::secondary_priority}.type d, [a], primary, total",
        [GLOBAL_ONLY, PRIMARY, SECONDARY, B64_ONLY], Move(CreatePolicy), gate: POLICY, n_name_modifiers: 1, address: AnyWidth, types: PART;
        "Creates a cache policy that applies an eviction priority to the accesses to an address range.", "data-movement-and-conversion-instructions-createpolicy";
        accepted_examples: &["createpolicy.range.global.L2::evict_last.b64 d, [d], 128, 256;"]),
    form!("createpolicy.cvt.L2.type d, a", [B64_ONLY], Move(CreatePolicy), gate: POLICY, n_name_modifiers: 1, types: PROPERTY;
        "Creates a cache policy from an access property of the CUDA API.", "data-movement-and-conversion-instructions-createpolicy";
        accepted_examples: &["createpolicy.cvt.L2.b64 d, d;"]),
];
