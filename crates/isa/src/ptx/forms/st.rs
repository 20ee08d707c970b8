//! Stores (PTX ISA, "st"). One row holds all spellings, since the assembler takes modifiers in any order; what the
//! manual's six syntax lines keep apart, the rules say.

use super::sets::{
    CACHE_HINT, CACHED, EVICT_L1, EVICT_L2, GLOBAL, LOCAL, SCOPE, SHARED, SHARED_CLUSTER,
    SHARED_CTA,
};
use super::table::{ALWAYS, form, operands, set, since, types, values};
use crate::does::MemoryOp::{Store, StoreBulk};
use crate::form::rule::{Rule, RuleKind::*, Wide, any, assembler, manual, of, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{CacheOp::*, Flag::Mmio, Sem::*, VectorWidth::*};
use crate::space::StateSpace::ParamFunc;
use crate::target::Feature;

/// The assembler whose verdicts the facts below rest on where the manual is silent or differs.
const ASSEMBLER: &str = "13.5";

types!(TYPE, Type, B8 B16 B32 B64 B128 U8 U16 U32 U64 S8 S16 S32 S64 F32; ALWAYS.assembler(ASSEMBLER) => F64);

/// Stores to parameters came with the call interface of `sm_20`.
const CALLS: Gate = since(2, 0)
    .with(Feature::GenericAddressing)
    .assembler(ASSEMBLER);

values! {
    PARAM:      "param",       Space(ParamFunc), CALLS,              "arguments for a call, or what a function returns";
    PARAM_FUNC: "param::func", Space(ParamFunc), since(8, 3).sm(20), "arguments for a call, or what a function returns";
}
set! { SPACE: Space "state space";
    GLOBAL; LOCAL; SHARED; SHARED_CTA; SHARED_CLUSTER; PARAM; PARAM_FUNC;
}
set! { CACHE_STORE: CacheOp "cache operator";
    "wb", Cache(Wb), CACHED, "write back at all coherent levels";
    "cg", Cache(Cg), CACHED, "cache at level 2 only";
    "cs", Cache(Cs), CACHED, "streaming, likely to be written once";
    "wt", Cache(Wt), CACHED, "write through to system memory";
}

const MODEL: Gate = since(5, 1).with(Feature::MemoryModel).assembler(ASSEMBLER);

set! { SEM: Sem "memory order";
    "weak",     Sem(Weak),     MODEL,       "no synchronisation; the default";
    "volatile", Sem(Volatile), since(1, 1), "performed as written, neither omitted nor merged";
    "relaxed",  Sem(Relaxed),  MODEL,       "strong, without ordering other accesses";
    "release",  Sem(Release),  MODEL,       "strong; orders all earlier accesses before it";
}
// Modules before 2.3 have 32-bit addresses, and the assemblers that still take those know no `.v8`.
set! { VECTOR: Vector "vector width";
    "v2", Vector(V2), ALWAYS,                           "two elements";
    "v4", Vector(V4), ALWAYS,                           "four elements";
    "v8", Vector(V8), since(2, 3).assembler(ASSEMBLER), "eight elements";
}

set! { MMIO: Mmio "device access";
    "mmio", Flag(Mmio), since(8, 2).with(Feature::MemoryModel), "memory-mapped input and output: each access reaches the device once";
}

/// The 256-bit accesses.
pub static WIDE: Wide = Wide {
    bits: 256,
    shapes: &[("v8", 32), ("v4", 64)],
    gate: since(8, 8).with(Feature::Vector256),
    spaces: &["global"],
};

const STRONG: &[&str] = &["relaxed", "release"];
const SHARED_SPACES: &[&str] = &["global", "shared", "shared::cta", "shared::cluster"];
const VOLATILE_SPACES: &[&str] = &[
    "global",
    "shared",
    "shared::cta",
    "shared::cluster",
    "local",
];
const NOT_SMALL: &[&str] = &[
    "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64", "b128",
];
/// What holds between the modifiers of `st`.
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    rule(Empty { slot: S::Space, gate: since(2, 0).with(Feature::GenericAddressing) }, "without a state space the address is generic"),
    // Order and scope.
    rule(Needs { when: of(S::Sem, STRONG), slot: S::Scope, among: &[] }, "a strong store needs a scope"),
    rule(Needs { when: any(S::Scope), slot: S::Sem, among: STRONG }, "only a strong store takes a scope"),
    rule(Only { when: of(S::Sem, STRONG), slot: S::Space, among: SHARED_SPACES }, "only the own thread accesses this space, so no ordering applies"),
    rule(Only { when: of(S::Sem, &["volatile"]), slot: S::Space, among: VOLATILE_SPACES }, "parameters do not change"),
    rule(Together { a: of(S::Sem, &["volatile"]), b: of(S::Space, &["local"]), gate: since(9, 1) }, "PTX 9.1 introduced volatile accesses to local memory"),
    manual(From { when: of(S::Sem, &["weak", "relaxed", "release"]), gate: since(6, 0).with(Feature::MemoryModel) }, "the memory model was added later"),
    // Memory-mapped input and output.
    rule(Needs { when: any(S::Mmio), slot: S::Sem, among: STRONG }, "`.mmio` is a kind of `.relaxed` access"),
    assembler(Together { a: any(S::Mmio), b: of(S::Sem, &["release"]), gate: since(9, 3) }, "before, `.mmio` was legal with `.relaxed` only"),
    manual(Only { when: any(S::Mmio), slot: S::Sem, among: &["relaxed"] }, "the manual pairs `.mmio` with `.relaxed` only"),
    rule(Only { when: any(S::Mmio), slot: S::Scope, among: &["sys"] }, "memory-mapped I/O needs `.sys` scope"),
    rule(Only { when: any(S::Mmio), slot: S::Space, among: &["global"] }, "memory-mapped I/O is in global memory"),
    rule(Clash { a: any(S::Mmio), b: any(S::Vector) }, "memory-mapped I/O takes scalar accesses only"),
    // Caches.
    rule(Clash { a: any(S::CacheOp), b: of(S::Sem, &["volatile", "relaxed", "release"]) }, "cache operators go with weak stores"),
    rule(Clash { a: any(S::Level1Priority), b: any(S::CacheOp) }, "a store has a cache operator or a level 1 priority"),
    rule(Clash { a: any(S::Level1Priority), b: of(S::Sem, &["volatile"]) }, "volatile stores take no priority"),
    rule(Clash { a: any(S::Level1Priority), b: any(S::Mmio) }, "memory-mapped I/O bypasses the caches"),
    rule(Only { when: any(S::Level1Priority), slot: S::Space, among: &["global"] }, "only global memory has these priorities"),
    rule(WideOnly { when: any(S::Level2Priority), wide: &WIDE }, "level 2 priorities belong to 256-bit stores"),
    manual(Clash { a: any(S::Level2Priority), b: of(S::Sem, &["volatile"]) }, "the manual has no priority on volatile stores"),
    manual(Clash { a: any(S::Level2Priority), b: any(S::CacheOp) }, "the manual has either a cache operator or priorities"),
    rule(Clash { a: any(S::CacheHint), b: of(S::Sem, &["volatile"]) }, "volatile stores take no cache policy"),
    rule(Clash { a: any(S::CacheHint), b: any(S::Mmio) }, "memory-mapped I/O bypasses the caches"),
    rule(Only { when: any(S::CacheHint), slot: S::Space, among: &["global"] }, "cache policies apply to global memory only"),
    // Widths.
    rule(VectorBits { most: 128, wide: &WIDE }, "one access has at most this many bits"),
    manual(Only { when: of(S::Vector, &["v8"]), slot: S::Type, among: NOT_SMALL }, "the manual has `.v8` for 32-bit types only"),
    rule(Together { a: of(S::Type, &["b128"]), b: of(S::Scope, &["sys"]), gate: since(8, 4) }, "128-bit accesses at system scope need it"),
    manual(From { when: of(S::Type, &["f64"]), gate: since(1, 0).with(Feature::DoublePrecision) }, "double precision was added later"),
    manual(From { when: of(S::Space, &["shared::cta"]), gate: since(7, 8).sm(30) }, "the manual has it for these targets"),
    // What people try.
    rule(Refused { words: &["const", "param::entry"] }, "a kernel cannot write this space"),
    rule(Refused { words: &["ca", "lu", "cv", "nc"] }, "a cache operator of loads; stores take `.wb`, `.cg`, `.cs` or `.wt`"),
    rule(Refused { words: &["acquire", "acq_rel"] }, "acquiring is for loads; a store can be `.release`"),
    rule(Refused { words: &["sc"] }, "sequential consistency comes from `fence.sc`; a store can be `.relaxed` or `.release`"),
    rule(Refused { words: &["f16", "bf16"] }, "stored as `.b16`"),
    rule(Refused { words: &["f16x2", "bf16x2", "tf32"] }, "stored as `.b32`"),
    rule(Refused { words: &["pred"] }, "a predicate cannot be stored; convert it with `selp` first"),
];

operands! {
    STORED: "a" Custom("address"), "b" Custom("value, or as many in braces as `.vec` says"), "cache-policy" CachePolicy;
    ZEROED: "a" Custom("address"), "size" Custom("number of bytes"), "initval" Custom("constant 0");
}

/// The forms of `st` and of `st.bulk`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("st{.mmio}{.sem}{.scope}{.ss}{.cop}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type [a], b{, cache-policy}",
        [MMIO, SEM, SCOPE, SPACE, CACHE_STORE, EVICT_L1, EVICT_L2, CACHE_HINT, VECTOR, TYPE], Memory(Store), address: Stored, takes: &[ArrayElement], types: STORED, rules: RULES;
        "Each active lane writes b to memory at a.", "data-movement-and-conversion-instructions-st";
        good: &["st.global.u32 [a], b;", "st.f32.global [a], f;", "st.relaxed.gpu.shared.u32 [s], b;", "st.global.v4.f32 [a], {f, f, f, f};"],
        bad: &[("st.const.u32 [a], b;", "W0309"), ("st.relaxed.u32 [a], b;", "W0301"), ("st.gpu.u32 [a], b;", "W0301"),
            ("st.volatile.cg.u32 [a], b;", "W0300"), ("st.mmio.relaxed.gpu.u32 [a], b;", "W0302")]),
    form!("st.bulk{.weak}{.shared::cta} [a], size, initval", [], Memory(StoreBulk), leads: 1,
        gate: since(8, 6).sm(100), address: Strict, types: ZEROED;
        "Zeroes `size` bytes of shared memory.", "data-movement-and-conversion-instructions-st-bulk";
        good: &["st.bulk.weak [a], 64, 0;"], bad: &[("st.bulk.b32 [a], 64, 0;", "W0102")]),
];
