//! Stores (PTX ISA, "st"). One form covers all variants, because the assembler accepts modifiers in any order. The rules express the
//! differences between the six syntax lines of the manual.

use super::form_macros::{ALWAYS, form, operands, set, since, types, values};
use super::modifier_sets::{
    CACHE_HINT, CACHED, EVICT_L1, EVICT_L2, GLOBAL, LOCAL, SCOPE, SHARED, SHARED_CLUSTER,
    SHARED_CTA,
};
use crate::form::rule::{Rule, RuleKind::*, WideAccess, any, assembler, manual, of, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{CacheOp::*, Flag::Mmio, Sem::*, VectorWidth::*};
use crate::operation::MemoryOp::{Store, StoreBulk};
use crate::space::StateSpace::ParamFunc;
use crate::target::Feature;

/// Assembler release that is the source of entries for which the manual is silent or differs from the assembler.
const ASSEMBLER: &str = "13.5";

types!(TYPE, Type, B8 B16 B32 B64 B128 U8 U16 U32 U64 S8 S16 S32 S64 F32; ALWAYS.assembler(ASSEMBLER) => F64);

/// Gate of stores to parameters, which require the calling convention of `sm_20`.
const CALLS: Gate = since(2, 0)
    .with(Feature::GenericAddressing)
    .assembler(ASSEMBLER);

values! {
    PARAM:      "param",       Space(ParamFunc), CALLS,              "parameters of a device function: arguments of a call or return values";
    PARAM_FUNC: "param::func", Space(ParamFunc), since(8, 3).sm(20), "parameters of a device function: arguments of a call or return values";
}
set! { SPACE: Space "state space";
    GLOBAL; LOCAL; SHARED; SHARED_CTA; SHARED_CLUSTER; PARAM; PARAM_FUNC;
}
set! { CACHE_STORE: CacheOp "cache operator";
    "wb", Cache(Wb), CACHED, "writes the data back at all coherent cache levels";
    "cg", Cache(Cg), CACHED, "caches the data in L2 only";
    "cs", Cache(Cs), CACHED, "caches the data as streaming data, which is likely to be written once";
    "wt", Cache(Wt), CACHED, "writes the data through to system memory";
}

const MODEL: Gate = since(5, 1).with(Feature::MemoryModel).assembler(ASSEMBLER);

set! { SEM: Sem "memory order";
    "weak",     Sem(Weak),     MODEL,       "weak access (the default), which does not synchronize with other threads";
    "volatile", Sem(Volatile), since(1, 1), "volatile access, which is neither omitted nor merged with other accesses";
    "relaxed",  Sem(Relaxed),  MODEL,       "strong access with relaxed semantics, which do not order other memory accesses";
    "release",  Sem(Release),  MODEL,       "strong access with release semantics, which order all earlier memory accesses before the store";
}
// Modules before PTX 2.3 have 32-bit addresses. The assembler releases that still accept 32-bit addresses do not support `.v8`.
set! { VECTOR: Vector "vector width";
    "v2", Vector(V2), ALWAYS,                           "two elements";
    "v4", Vector(V4), ALWAYS,                           "four elements";
    "v8", Vector(V8), since(2, 3).assembler(ASSEMBLER), "eight elements";
}

set! { MMIO: Mmio "memory-mapped access";
    "mmio", Flag(Mmio), since(8, 2).with(Feature::MemoryModel), "memory-mapped I/O access, which is performed exactly once";
}

/// 256-bit accesses, which may exceed the general limit of 128 bits.
pub static WIDE: WideAccess = WideAccess {
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
/// Rules between the modifiers of `st`.
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    rule(OmissionGate { slot: S::Space, gate: since(2, 0).with(Feature::GenericAddressing) }, "an address without a state space is a generic address"),
    // Rules for memory ordering and scope.
    rule(Requires { when: of(S::Sem, STRONG), slot: S::Scope, among: &[] }, "a strong store requires a scope"),
    rule(Requires { when: any(S::Scope), slot: S::Sem, among: STRONG }, "only strong stores have a scope"),
    rule(Restricts { when: of(S::Sem, STRONG), slot: S::Space, among: SHARED_SPACES }, "memory ordering does not apply to state spaces that are private to a thread"),
    rule(Restricts { when: of(S::Sem, &["volatile"]), slot: S::Space, among: VOLATILE_SPACES }, "parameters are not modified concurrently"),
    rule(CombinationGate { a: of(S::Sem, &["volatile"]), b: of(S::Space, &["local"]), gate: since(9, 1) }, "volatile accesses to local memory were introduced in PTX 9.1"),
    manual(ValueGate { when: of(S::Sem, &["weak", "relaxed", "release"]), gate: since(6, 0).with(Feature::MemoryModel) }, "the memory consistency model was introduced in PTX 6.0"),
    // Rules for memory-mapped I/O.
    rule(Requires { when: any(S::Mmio), slot: S::Sem, among: STRONG }, "memory-mapped I/O requires strong accesses"),
    assembler(CombinationGate { a: any(S::Mmio), b: of(S::Sem, &["release"]), gate: since(9, 3) }, "PTX versions before 9.3 allow `.mmio` with `.relaxed` only"),
    manual(Restricts { when: any(S::Mmio), slot: S::Sem, among: &["relaxed"] }, "the PTX ISA manual documents `.mmio` with `.relaxed` only"),
    rule(Restricts { when: any(S::Mmio), slot: S::Scope, among: &["sys"] }, "memory-mapped I/O requires system scope (`.sys`)"),
    rule(Restricts { when: any(S::Mmio), slot: S::Space, among: &["global"] }, "memory-mapped I/O accesses global memory only"),
    rule(Conflict { a: any(S::Mmio), b: any(S::Vector) }, "memory-mapped I/O supports scalar accesses only"),
    // Rules for cache operators and eviction priorities.
    rule(Conflict { a: any(S::CacheOp), b: of(S::Sem, &["volatile", "relaxed", "release"]) }, "cache operators are available on weak stores only"),
    rule(Conflict { a: any(S::Level1Priority), b: any(S::CacheOp) }, "a store can have either a cache operator or an L1 eviction priority"),
    rule(Conflict { a: any(S::Level1Priority), b: of(S::Sem, &["volatile"]) }, "volatile stores do not support eviction priorities"),
    rule(Conflict { a: any(S::Level1Priority), b: any(S::Mmio) }, "memory-mapped I/O bypasses the caches"),
    rule(Restricts { when: any(S::Level1Priority), slot: S::Space, among: &["global"] }, "eviction priorities apply to global memory only"),
    rule(WideOnly { when: any(S::Level2Priority), wide: &WIDE }, "L2 eviction priorities are available on 256-bit stores only"),
    manual(Conflict { a: any(S::Level2Priority), b: of(S::Sem, &["volatile"]) }, "the PTX ISA manual does not document eviction priorities on volatile stores"),
    manual(Conflict { a: any(S::Level2Priority), b: any(S::CacheOp) }, "the PTX ISA manual does not document a cache operator together with eviction priorities"),
    rule(Conflict { a: any(S::CacheHint), b: of(S::Sem, &["volatile"]) }, "volatile stores do not support cache policies"),
    rule(Conflict { a: any(S::CacheHint), b: any(S::Mmio) }, "memory-mapped I/O bypasses the caches"),
    rule(Restricts { when: any(S::CacheHint), slot: S::Space, among: &["global"] }, "cache policies apply to global memory only"),
    // Rules for access widths.
    rule(VectorBits { most: 128, wide: &WIDE }, "a wider access must be split into several instructions"),
    manual(Restricts { when: of(S::Vector, &["v8"]), slot: S::Type, among: NOT_SMALL }, "the PTX ISA manual documents `.v8` for 32-bit types only"),
    rule(CombinationGate { a: of(S::Type, &["b128"]), b: of(S::Scope, &["sys"]), gate: since(8, 4) }, "128-bit accesses at system scope were introduced in PTX 8.4"),
    manual(ValueGate { when: of(S::Type, &["f64"]), gate: since(1, 0).with(Feature::DoublePrecision) }, "double precision was introduced with `sm_13`"),
    manual(ValueGate { when: of(S::Space, &["shared::cta"]), gate: since(7, 8).sm(30) }, "the PTX ISA manual requires a newer version or target for `.shared::cta`"),
    // Modifiers that users commonly try.
    rule(ForeignModifier { words: &["const", "param::entry"] }, "constant memory and kernel parameters are read-only in kernels"),
    rule(ForeignModifier { words: &["ca", "lu", "cv", "nc"] }, "use `.wb`, `.cg`, `.cs` or `.wt`; the other cache operators are available on loads only"),
    rule(ForeignModifier { words: &["acquire", "acq_rel"] }, "use `.release`; acquire semantics are available on loads only"),
    rule(ForeignModifier { words: &["sc"] }, "use `.relaxed` or `.release`, and `fence.sc` for sequential consistency"),
    rule(ForeignModifier { words: &["f16", "bf16"] }, "values of this type are stored as `.b16`"),
    rule(ForeignModifier { words: &["f16x2", "bf16x2", "tf32"] }, "values of this type are stored as `.b32`"),
    rule(ForeignModifier { words: &["pred"] }, "a predicate cannot be stored; convert the predicate to an integer with `selp` first"),
];

operands! {
    STORED: "a" Custom("address"), "b" Custom("value, or brace-enclosed list of values whose length is given by `.vec`"), "cache-policy" CachePolicy;
    ZEROED: "a" Custom("address"), "size" Custom("number of bytes"), "initval" Custom("constant 0");
}

/// Instruction forms of `st` and `st.bulk`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("st{.mmio}{.sem}{.scope}{.ss}{.cop}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type [a], b{, cache-policy}",
        [MMIO, SEM, SCOPE, SPACE, CACHE_STORE, EVICT_L1, EVICT_L2, CACHE_HINT, VECTOR, TYPE], Memory(Store), address: Store, operand_extensions: &[ArrayElement], types: STORED, rules: RULES;
        "Stores the value b to memory.", "data-movement-and-conversion-instructions-st";
        accepted_examples: &["st.global.u32 [a], b;", "st.f32.global [a], f;", "st.relaxed.gpu.shared.u32 [s], b;", "st.global.v4.f32 [a], {f, f, f, f};"],
        rejected_examples: &[("st.const.u32 [a], b;", "W0309"), ("st.relaxed.u32 [a], b;", "W0301"), ("st.gpu.u32 [a], b;", "W0301"),
            ("st.volatile.cg.u32 [a], b;", "W0300"), ("st.mmio.relaxed.gpu.u32 [a], b;", "W0302")]),
    form!("st.bulk{.weak}{.shared::cta} [a], size, initval", [], Memory(StoreBulk), n_name_modifiers: 1,
        gate: since(8, 6).sm(100), address: Strict, types: ZEROED;
        "Fills `size` bytes of shared memory with zeros.", "data-movement-and-conversion-instructions-st-bulk";
        accepted_examples: &["st.bulk.weak [a], 64, 0;"], rejected_examples: &[("st.bulk.b32 [a], 64, 0;", "W0102")]),
];
