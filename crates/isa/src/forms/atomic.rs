//! Atomics (PTX ISA, "atom", "red").

use super::sets::{
    CACHE_HINT, GLOBAL, SCOPE, SHARED, SHARED_CLUSTER, SHARED_CTA, form, plain, set, ty, ty_from,
    types, value,
};
use crate::does::MemoryOp;
use crate::form::{Form, Gate, Meaning, OperandType};
use crate::modifier::AtomicOp;
use crate::modifier::Sem;
use crate::types::ScalarType;

const MODEL: Gate = Gate::ptx(6, 0).sm(70);

set!(
    SPACE,
    "ss",
    "state space",
    [GLOBAL, SHARED, SHARED_CTA, SHARED_CLUSTER]
);
set!(
    SEM,
    "sem",
    "memory order",
    [
        value(
            "relaxed",
            Meaning::Sem(Sem::Relaxed),
            MODEL,
            "without ordering other accesses"
        ),
        value(
            "acquire",
            Meaning::Sem(Sem::Acquire),
            MODEL,
            "before all that comes after it"
        ),
        value(
            "release",
            Meaning::Sem(Sem::Release),
            MODEL,
            "after all that came before it"
        ),
        value(
            "acq_rel",
            Meaning::Sem(Sem::AcqRel),
            MODEL,
            "both acquiring and releasing"
        ),
    ]
);
set!(
    RED_SEM,
    "sem",
    "memory order",
    [
        value(
            "relaxed",
            Meaning::Sem(Sem::Relaxed),
            MODEL,
            "without ordering other accesses"
        ),
        value(
            "release",
            Meaning::Sem(Sem::Release),
            MODEL,
            "after all that came before it"
        ),
    ]
);
set!(
    BITWISE,
    "op",
    "operation",
    [
        plain("and", Meaning::Atomic(AtomicOp::And), "bitwise and"),
        plain("or", Meaning::Atomic(AtomicOp::Or), "bitwise or"),
        plain(
            "xor",
            Meaning::Atomic(AtomicOp::Xor),
            "bitwise exclusive or"
        ),
    ]
);
set!(
    EXCHANGE,
    "op",
    "operation",
    [plain(
        "exch",
        Meaning::Atomic(AtomicOp::Exch),
        "replaces the value"
    )]
);
set!(
    COMPARE_EXCHANGE,
    "op",
    "operation",
    [plain(
        "cas",
        Meaning::Atomic(AtomicOp::Cas),
        "replaces the value where it equals b"
    )]
);
set!(
    ADD,
    "op",
    "operation",
    [plain("add", Meaning::Atomic(AtomicOp::Add), "adds b")]
);
set!(
    COUNT,
    "op",
    "operation",
    [
        plain(
            "inc",
            Meaning::Atomic(AtomicOp::Inc),
            "adds one, back to zero after b"
        ),
        plain(
            "dec",
            Meaning::Atomic(AtomicOp::Dec),
            "takes one away, back to b after zero"
        ),
    ]
);
set!(
    EXTREME,
    "op",
    "operation",
    [
        plain("min", Meaning::Atomic(AtomicOp::Min), "keeps the smaller"),
        plain("max", Meaning::Atomic(AtomicOp::Max), "keeps the larger"),
    ]
);
types!(BITS, "type", B32 B64);
set!(
    EXCHANGED,
    "type",
    "type",
    [
        ty(ScalarType::B32),
        ty(ScalarType::B64),
        ty_from(ScalarType::B128, Gate::ptx(8, 3).sm(90)),
    ]
);
set!(
    COMPARED,
    "type",
    "type",
    [
        ty_from(ScalarType::B16, Gate::ptx(6, 3).sm(70)),
        ty(ScalarType::B32),
        ty(ScalarType::B64),
        ty_from(ScalarType::B128, Gate::ptx(8, 3).sm(90)),
    ]
);
set!(
    ADDED,
    "type",
    "type",
    [
        ty(ScalarType::U32),
        ty(ScalarType::S32),
        ty(ScalarType::U64),
        ty(ScalarType::F32),
        ty_from(ScalarType::S64, Gate::ptx(1, 1)),
        ty_from(ScalarType::F64, Gate::ptx(5, 0).sm(60)),
    ]
);
set!(
    HALVES,
    "type",
    "type",
    [
        ty_from(ScalarType::F16, Gate::ptx(6, 3).sm(70)),
        ty_from(ScalarType::F16x2, Gate::ptx(6, 2).sm(60)),
        ty_from(ScalarType::Bf16, Gate::ptx(7, 8).sm(90)),
        ty_from(ScalarType::Bf16x2, Gate::ptx(7, 8).sm(90)),
    ]
);
types!(COUNTED, "type", U32);
types!(EXTREMES, "type", U32 S32 U64 S64);

const POLICY: &[(&str, OperandType)] = &[("cache-policy", OperandType::CachePolicy)];

/// The forms of atomics.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}", [SEM, SCOPE, SPACE, BITWISE, CACHE_HINT, BITS], Memory(MemoryOp::Atomic), "Combines bits with memory; d is the value before.", "parallel-synchronization-and-communication-instructions-atom", types: POLICY, good: &["atom.global.and.b32 r, [d], r;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}", [SEM, SCOPE, SPACE, EXCHANGE, CACHE_HINT, EXCHANGED], Memory(MemoryOp::Atomic), "Replaces memory; d is the value before.", "parallel-synchronization-and-communication-instructions-atom", types: POLICY, good: &["atom.exch.b64 d, [d], d;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b, c{, cache-policy}", [SEM, SCOPE, SPACE, COMPARE_EXCHANGE, CACHE_HINT, COMPARED], Memory(MemoryOp::Atomic), "Replaces memory by c where it equals b; d is the value before.", "parallel-synchronization-and-communication-instructions-atom", types: POLICY, good: &["atom.shared.cas.b32 r, [r], r, r;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}", [SEM, SCOPE, SPACE, ADD, CACHE_HINT, ADDED], Memory(MemoryOp::Atomic), "Adds to memory; d is the value before.", "parallel-synchronization-and-communication-instructions-atom", types: POLICY, good: &["atom.global.gpu.acq_rel.add.u32 r, [d], 1;", "atom.add.f32 _, [d], f;"], bad: &[("atom.global.add.b32 r, [d], r;", "W0104")]),
    form!("atom{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.type d, [a], b{, cache-policy}", [SEM, SCOPE, SPACE, ADD, CACHE_HINT, HALVES], Memory(MemoryOp::Atomic), "Adds halves to memory; d is the value before.", "parallel-synchronization-and-communication-instructions-atom", types: POLICY, good: &["atom.global.add.noftz.f16x2 r, [d], r;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}", [SEM, SCOPE, SPACE, COUNT, CACHE_HINT, COUNTED], Memory(MemoryOp::Atomic), "Counts up or down in memory; d is the value before.", "parallel-synchronization-and-communication-instructions-atom", types: POLICY, good: &["atom.inc.u32 r, [d], 7;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}", [SEM, SCOPE, SPACE, EXTREME, CACHE_HINT, EXTREMES], Memory(MemoryOp::Atomic), "Keeps the smaller or larger in memory; d is the value before.", "parallel-synchronization-and-communication-instructions-atom", types: POLICY, good: &["atom.global.max.u32 r, [d], r;"]),
    form!("red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, cache-policy}", [RED_SEM, SCOPE, SPACE, BITWISE, CACHE_HINT, BITS], Memory(MemoryOp::Reduction), "Combines bits with memory.", "parallel-synchronization-and-communication-instructions-red", types: POLICY, good: &["red.global.or.b32 [d], r;"]),
    form!("red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, cache-policy}", [RED_SEM, SCOPE, SPACE, ADD, CACHE_HINT, ADDED], Memory(MemoryOp::Reduction), "Adds to memory.", "parallel-synchronization-and-communication-instructions-red", types: POLICY, good: &["red.global.add.f32 [d], f;"]),
    form!("red{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.type [a], b{, cache-policy}", [RED_SEM, SCOPE, SPACE, ADD, CACHE_HINT, HALVES], Memory(MemoryOp::Reduction), "Adds halves to memory.", "parallel-synchronization-and-communication-instructions-red", types: POLICY, good: &["red.global.add.noftz.f16x2 [d], r;"]),
    form!("red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, cache-policy}", [RED_SEM, SCOPE, SPACE, COUNT, CACHE_HINT, COUNTED], Memory(MemoryOp::Reduction), "Counts up or down in memory.", "parallel-synchronization-and-communication-instructions-red", types: POLICY, good: &["red.dec.u32 [d], 7;"]),
    form!("red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, cache-policy}", [RED_SEM, SCOPE, SPACE, EXTREME, CACHE_HINT, EXTREMES], Memory(MemoryOp::Reduction), "Keeps the smaller or larger in memory.", "parallel-synchronization-and-communication-instructions-red", types: POLICY, good: &["red.global.min.s32 [d], r;"]),
];
