//! Stores (PTX ISA, "st"). One row holds all spellings, since the assembler takes modifiers in any order; what the
//! manual's six syntax lines keep apart, the rules say.

use super::sets::{
    CACHE_HINT, EVICT_L1, EVICT_L2, GLOBAL, LOCAL, SCOPE, SHARED, SHARED_CLUSTER, SHARED_CTA,
    cache, plain, set, space, ty, ty_from, value,
};
use crate::does::Does;
use crate::does::MemoryOp;
use crate::form::rule::{Rule, RuleKind, Wide, any, assembler, manual, of, rule};
use crate::form::{Form, Gate, Meaning, OperandType, Value};
use crate::modifier::Flag;
use crate::modifier::{CacheOp, Sem, VectorWidth};
use crate::space::StateSpace;
use crate::types::ScalarType;

/// The assembler whose verdicts the facts below rest on where the manual is silent or differs.
const ASSEMBLER: &str = "13.5";

set!(
    TYPE,
    "type",
    "type",
    [
        ty(ScalarType::B8),
        ty(ScalarType::B16),
        ty(ScalarType::B32),
        ty(ScalarType::B64),
        ty(ScalarType::B128),
        ty(ScalarType::U8),
        ty(ScalarType::U16),
        ty(ScalarType::U32),
        ty(ScalarType::U64),
        ty(ScalarType::S8),
        ty(ScalarType::S16),
        ty(ScalarType::S32),
        ty(ScalarType::S64),
        ty(ScalarType::F32),
        ty_from(ScalarType::F64, Gate::ALWAYS.assembler(ASSEMBLER)),
    ]
);

/// Stores to parameters came with the call interface of `sm_20`.
const PARAM_GATE: Gate = Gate::ptx(2, 0).sm(20).assembler(ASSEMBLER);

const PARAM: Value = space(
    "param",
    StateSpace::ParamFunc,
    PARAM_GATE,
    "arguments for a call, or what a function returns",
);
const PARAM_FUNC: Value = space(
    "param::func",
    StateSpace::ParamFunc,
    Gate::ptx(8, 3).sm(20),
    "arguments for a call, or what a function returns",
);

set!(
    SPACE,
    "ss",
    "state space",
    [
        GLOBAL,
        LOCAL,
        SHARED,
        SHARED_CTA,
        SHARED_CLUSTER,
        PARAM,
        PARAM_FUNC,
    ]
);
set!(
    CACHE_STORE,
    "cop",
    "cache operator",
    [
        cache(CacheOp::Wb, "write back at all coherent levels"),
        cache(CacheOp::Cg, "cache at level 2 only"),
        cache(CacheOp::Cs, "streaming, likely to be written once"),
        cache(CacheOp::Wt, "write through to system memory"),
    ]
);

const fn sem(sem: Sem, help: &'static str) -> Value {
    let gate = Gate::ptx(5, 1).sm(70).assembler(ASSEMBLER);
    value(sem.name(), Meaning::Sem(sem), gate, help)
}

set!(
    SEM,
    "sem",
    "memory order",
    [
        sem(
            Sem::Weak,
            "no synchronisation; what is meant without a word"
        ),
        value(
            "volatile",
            Meaning::Sem(Sem::Volatile),
            Gate::ptx(1, 1),
            "done as written, neither left out nor merged"
        ),
        sem(Sem::Relaxed, "strong, without ordering other accesses"),
        sem(Sem::Release, "strong, after all that came before it"),
    ]
);
set!(
    VECTOR,
    "vec",
    "vector width",
    [
        plain("v2", Meaning::Vector(VectorWidth::V2), "two elements"),
        plain("v4", Meaning::Vector(VectorWidth::V4), "four elements"),
        value(
            "v8",
            Meaning::Vector(VectorWidth::V8),
            // Older modules have 32-bit addresses, and the assemblers that still take those know no `.v8`.
            Gate::ptx(2, 3).assembler(ASSEMBLER),
            "eight elements"
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
        "memory-mapped input and output: each access reaches the device once"
    ),]
);

/// The 256-bit accesses.
pub static WIDE: Wide = Wide {
    bits: 256,
    shapes: &[("v8", 32), ("v4", 64)],
    gate: Gate::ptx(8, 8).sm(100),
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
const L1: &str = "level1::eviction_priority";
const L2: &str = "level2::eviction_priority";
const HINT: &str = "level::cache_hint";

/// What holds between the modifiers of `st`.
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    rule(RuleKind::Empty { slot: "ss", gate: Gate::ptx(2, 0).sm(20) }, "without a state space the address is generic"),
    // Order and scope.
    rule(RuleKind::Needs { when: of("sem", STRONG), slot: "scope", among: &[] }, "a strong store says with whom it synchronises"),
    rule(RuleKind::Needs { when: any("scope"), slot: "sem", among: STRONG }, "only strong stores synchronise, so only they take a scope"),
    rule(RuleKind::Only { when: of("sem", STRONG), slot: "ss", among: SHARED_SPACES }, "no other thread sees this space"),
    rule(RuleKind::Only { when: of("sem", &["volatile"]), slot: "ss", among: VOLATILE_SPACES }, "parameters cannot be volatile"),
    rule(RuleKind::Together { a: of("sem", &["volatile"]), b: of("ss", &["local"]), gate: Gate::ptx(9, 1) }, "local memory can be volatile since then"),
    manual(RuleKind::From { when: of("sem", &["weak", "relaxed", "release"]), gate: Gate::ptx(6, 0).sm(70) }, "the memory model came with it"),
    // Memory-mapped input and output.
    rule(RuleKind::Needs { when: any("mmio"), slot: "sem", among: STRONG }, "`.mmio` is a way of `.relaxed`"),
    assembler(RuleKind::Together { a: any("mmio"), b: of("sem", &["release"]), gate: Gate::ptx(9, 3) }, "`.mmio` went with `.relaxed` only before"),
    manual(RuleKind::Only { when: any("mmio"), slot: "sem", among: &["relaxed"] }, "the manual pairs `.mmio` with `.relaxed` only"),
    rule(RuleKind::Only { when: any("mmio"), slot: "scope", among: &["sys"] }, "a device is seen by the whole system"),
    rule(RuleKind::Only { when: any("mmio"), slot: "ss", among: &["global"] }, "devices are mapped into global memory"),
    rule(RuleKind::Clash { a: any("mmio"), b: any("vec") }, "a device sees one access, so there are no vectors"),
    // Caches.
    rule(RuleKind::Clash { a: any("cop"), b: of("sem", &["volatile", "relaxed", "release"]) }, "cache operators go with weak stores"),
    rule(RuleKind::Clash { a: any(L1), b: any("cop") }, "a store has a cache operator or a level 1 priority"),
    rule(RuleKind::Clash { a: any(L1), b: of("sem", &["volatile"]) }, "volatile stores take no priority"),
    rule(RuleKind::Clash { a: any(L1), b: any("mmio") }, "a device is not cached"),
    rule(RuleKind::Only { when: any(L1), slot: "ss", among: &["global"] }, "only global memory is cached so"),
    rule(RuleKind::WideOnly { when: any(L2), wide: &WIDE }, "level 2 priorities belong to 256-bit stores"),
    manual(RuleKind::Clash { a: any(L2), b: of("sem", &["volatile"]) }, "the manual has no priority on volatile stores"),
    manual(RuleKind::Clash { a: any(L2), b: any("cop") }, "the manual has either a cache operator or priorities"),
    rule(RuleKind::Clash { a: any(HINT), b: of("sem", &["volatile"]) }, "volatile stores take no cache policy"),
    rule(RuleKind::Clash { a: any(HINT), b: any("mmio") }, "a device is not cached"),
    rule(RuleKind::Only { when: any(HINT), slot: "ss", among: &["global"] }, "cache policies are for global memory"),
    // Widths.
    rule(RuleKind::VectorBits { most: 128, wide: &WIDE }, "one access has at most this many bits"),
    manual(RuleKind::Only { when: of("vec", &["v8"]), slot: "type", among: NOT_SMALL }, "the manual has `.v8` for 32-bit types only"),
    rule(RuleKind::Together { a: of("type", &["b128"]), b: of("scope", &["sys"]), gate: Gate::ptx(8, 4) }, "128 bits reach the system since then"),
    manual(RuleKind::From { when: of("type", &["f64"]), gate: Gate::ptx(1, 0).sm(13) }, "double precision came with it"),
    manual(RuleKind::From { when: of("ss", &["shared::cta"]), gate: Gate::ptx(7, 8).sm(30) }, "the manual has it for these targets"),
    // What people try.
    rule(RuleKind::Refused { words: &["const", "param::entry"] }, "a kernel cannot write this space"),
    rule(RuleKind::Refused { words: &["ca", "lu", "cv", "nc"] }, "a cache operator of loads; stores take `.wb`, `.cg`, `.cs` or `.wt`"),
    rule(RuleKind::Refused { words: &["acquire", "acq_rel"] }, "acquiring is for loads; a store can be `.release`"),
    rule(RuleKind::Refused { words: &["sc"] }, "sequential consistency comes from `fence.sc`; a store can be `.relaxed` or `.release`"),
    rule(RuleKind::Refused { words: &["f16", "bf16"] }, "stored as `.b16`"),
    rule(RuleKind::Refused { words: &["f16x2", "bf16x2", "tf32"] }, "stored as `.b32`"),
    rule(RuleKind::Refused { words: &["pred"] }, "predicates have no bits in memory; `selp` makes a number of one"),
];

/// What holds between the modifiers of `st.bulk`.
pub static BULK_RULES: &[Rule] = &[assembler(
    RuleKind::Leads { slot: "bulk" },
    "`st.bulk` is one opcode, its modifiers follow",
)];

const BULK: Form = Form {
    syntax: "st.bulk{.weak}{.shared::cta} [a], size, initval",
    sets: &[],
    types: &[
        ("a", OperandType::Custom),
        ("size", OperandType::Custom),
        ("initval", OperandType::Custom),
    ],
    gate: Gate::ptx(8, 6).sm(100),
    does: Does::Memory(MemoryOp::StoreBulk),
    rules: BULK_RULES,
    help: "Sets so many bytes of shared memory to zero.",
    section: "data-movement-and-conversion-instructions-st-bulk",
    good: &["st.bulk.weak [a], 64, 0;"],
    bad: &[("st.bulk.b32 [a], 64, 0;", "W0102")],
};

/// The forms of `st` and of `st.bulk`.
pub static FORMS: &[Form] = &[STORE, BULK];

const STORE: Form = Form {
    syntax: "st{.mmio}{.sem}{.scope}{.ss}{.cop}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type [a], b{, cache-policy}",
    sets: &[
        &MMIO,
        &SEM,
        &SCOPE,
        &SPACE,
        &CACHE_STORE,
        &EVICT_L1,
        &EVICT_L2,
        &CACHE_HINT,
        &VECTOR,
        &TYPE,
    ],
    types: &[
        ("a", OperandType::Custom),
        ("b", OperandType::Custom),
        ("cache-policy", OperandType::Custom),
    ],
    gate: Gate::ALWAYS,
    does: Does::Memory(MemoryOp::Store),
    rules: RULES,
    help: "Each active lane writes b to memory at a.",
    section: "data-movement-and-conversion-instructions-st",
    good: &[
        "st.global.u32 [a], b;",
        "st.f32.global [a], f;",
        "st.relaxed.gpu.shared.u32 [s], b;",
        "st.global.v4.f32 [a], {f, f, f, f};",
    ],
    bad: &[
        ("st.const.u32 [a], b;", "W0309"),
        ("st.relaxed.u32 [a], b;", "W0301"),
        ("st.gpu.u32 [a], b;", "W0301"),
        ("st.volatile.cg.u32 [a], b;", "W0300"),
        ("st.mmio.relaxed.gpu.u32 [a], b;", "W0302"),
    ],
};
