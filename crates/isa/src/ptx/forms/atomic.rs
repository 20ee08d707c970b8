//! Atomics (PTX ISA, "atom", "red").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{CACHE_HINT, GLOBAL, SCOPE, SHARED, SHARED_CLUSTER, SHARED_CTA};
use crate::form::rule::{Rule, RuleKind::*, SlotPredicate, any, assembler, of, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{AtomicOp::*, Sem::*, VectorWidth::*};
use crate::operation::MemoryOp::{Atomic, Reduction};
use crate::target::Feature;

const MODEL: Gate = since(5, 1).with(Feature::MemoryModel).assembler("13.5");

/// Gate of atomics, which require `sm_11`.
const ATOMICS: Gate = since(1, 1).sm(11);

set! { SPACE: Space "state space"; GLOBAL; SHARED; SHARED_CTA; SHARED_CLUSTER; }
set! { SEM: Sem "memory order";
    "relaxed", Sem(Relaxed), MODEL, "relaxed semantics, which do not order other memory accesses";
    "acquire", Sem(Acquire), MODEL, "acquire semantics, which order all later memory accesses after the operation";
    "release", Sem(Release), MODEL, "release semantics, which order all earlier memory accesses before the operation";
    "acq_rel", Sem(AcqRel),  MODEL, "acquire and release semantics";
}
set! { RED_SEM: Sem "memory order";
    "relaxed", Sem(Relaxed), MODEL, "relaxed semantics, which do not order other memory accesses";
    "release", Sem(Release), MODEL, "release semantics, which order all earlier memory accesses before the operation";
}
set! { BITWISE: Op "operation";
    "and", Atomic(And), ALWAYS, "computes the bitwise AND";
    "or",  Atomic(Or),  ALWAYS, "computes the bitwise OR";
    "xor", Atomic(Xor), ALWAYS, "computes the bitwise XOR";
}
set! { EXCHANGE: Op "operation";
    "exch", Atomic(Exch), ALWAYS, "replaces the value in memory with b";
}
set! { COMPARE_EXCHANGE: Op "operation";
    "cas", Atomic(Cas), ALWAYS, "replaces the value in memory with c if the value equals b";
}
set! { ADD: Op "operation";
    "add", Atomic(Add), ALWAYS, "adds the operand to the value in memory";
}
set! { COUNT: Op "operation";
    "inc", Atomic(Inc), ALWAYS, "increments the value in memory, and wraps to zero if the value is greater than or equal to the operand";
    "dec", Atomic(Dec), ALWAYS, "decrements the value in memory, and wraps to the operand if the value is zero or greater than the operand";
}
set! { EXTREME: Op "operation";
    "min", Atomic(Min), ALWAYS, "stores the minimum of both values";
    "max", Atomic(Max), ALWAYS, "stores the maximum of both values";
}
types!(BITS, Type, B32; since(3, 1).sm(32) => B64);
types!(EXCHANGED, Type, B32 B64; since(8, 3).sm(90) => B128);
types!(COMPARED, Type; since(6, 3).sm(70) => B16; ALWAYS => B32 B64; since(8, 3).sm(90) => B128);
types!(ADDED, Type, U32 S32 U64; since(2, 0).sm(20) => F32; since(5, 0).sm(60) => F64);
types!(HALVES, Type; since(6, 3).sm(70) => F16; since(6, 2).sm(60) => F16x2; since(7, 8).sm(90) => Bf16 Bf16x2);
types!(COUNTED, Type, U32);
types!(EXTREMES, Type, U32 S32 U64 S64);

const VECTORS: Gate = since(8, 1).with(Feature::Clusters);
types!(F32_VECTOR, Type; VECTORS => F32);
types!(HALF_VECTOR, Type; VECTORS => F16 Bf16);
types!(PAIR_VECTOR, Type; VECTORS => F16x2 Bf16x2);
set! { GLOBAL_ONLY: Space "state space"; GLOBAL; }
set! { UP_TO_4: Vector "vector width";
    "v2", Vector(V2), ALWAYS, "two elements";
    "v4", Vector(V4), ALWAYS, "four elements";
}
set! { UP_TO_8: Vector "vector width";
    "v2", Vector(V2), ALWAYS, "two elements";
    "v4", Vector(V4), ALWAYS, "four elements";
    "v8", Vector(V8), ALWAYS, "eight elements";
}
set! { HALF_OPS: Op "operation";
    "add", Atomic(Add), ALWAYS, "adds b to the value in memory";
    "min", Atomic(Min), ALWAYS, "stores the minimum of both values";
    "max", Atomic(Max), ALWAYS, "stores the maximum of both values";
}
const IN_SHARED: SlotPredicate = of(S::Space, &["shared", "shared::cta", "shared::cluster"]);
const OF_64: SlotPredicate = of(S::Type, &["b64", "u64"]);
#[rustfmt::skip]
pub(super) const GENERIC: Rule = rule(OmissionGate { slot: S::Space, gate: since(2, 0).sm(20) }, "an address without a state space is a generic address");
#[rustfmt::skip]
const SHARED_FIRST: Rule = rule(CombinationGate { a: IN_SHARED, b: any(S::Op), gate: since(1, 2).sm(12) }, "older architectures support atomic operations on global memory only");
#[rustfmt::skip]
const LONG_FIRST: Rule = rule(CombinationGate { a: OF_64, b: any(S::Op), gate: since(1, 2).sm(12) }, "older architectures support 32-bit atomic operations only");
#[rustfmt::skip]
const LONG_SHARED_FIRST: Rule = rule(CombinationGate { a: OF_64, b: IN_SHARED, gate: since(2, 0).sm(20) }, "older architectures support 64-bit atomic operations on global memory only");
/// Rules between the modifiers of atomics.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    assembler(Conflict { a: any(S::CacheHint), b: of(S::Space, &["shared", "shared::cta", "shared::cluster"]) }, "cache policies apply to global memory only"),
    assembler(CombinationGate { a: any(S::Scope), b: any(S::Op), gate: since(5, 0).sm(60) }, "scopes of atomic operations were introduced in PTX 5.0 for `sm_60`"),
    GENERIC, SHARED_FIRST, LONG_FIRST, LONG_SHARED_FIRST,
    assembler(CombinationGate { a: of(S::Type, &["b128"]), b: of(S::Scope, &["sys"]), gate: since(8, 4) }, "128-bit accesses at system scope were introduced in PTX 8.4"),
];
#[rustfmt::skip]
const EXTREME_RULES: &[Rule] = &[
    assembler(Conflict { a: any(S::CacheHint), b: of(S::Space, &["shared", "shared::cta", "shared::cluster"]) }, "cache policies apply to global memory only"),
    assembler(CombinationGate { a: any(S::Scope), b: any(S::Op), gate: since(5, 0).sm(60) }, "scopes of atomic operations were introduced in PTX 5.0 for `sm_60`"),
    GENERIC, SHARED_FIRST,
    assembler(CombinationGate { a: of(S::Type, &["u64", "s64"]), b: any(S::Op), gate: since(1, 2).sm(32) }, "64-bit minimum and maximum operations require PTX 1.2 and `sm_32`"),
];

operands! {
    RED_VECTOR: "b" Elements(Type), "cache-policy" CachePolicy;
    VECTOR: "d" Elements(Type), "b" Elements(Type), "cache-policy" CachePolicy;
    POLICY: "cache-policy" CachePolicy;
}

/// Instruction forms of atomics.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}",
        [SEM, SCOPE, SPACE, BITWISE, CACHE_HINT, BITS], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: POLICY, rules: RULES;
        "Atomically performs a bitwise operation on a value in memory and returns the original value in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.global.and.b32 r, [d], r;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}",
        [SEM, SCOPE, SPACE, EXCHANGE, CACHE_HINT, EXCHANGED], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: POLICY, rules: RULES;
        "Atomically replaces the value in memory with b and returns the original value in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.exch.b64 d, [d], d;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b, c{, cache-policy}",
        [SEM, SCOPE, SPACE, COMPARE_EXCHANGE, CACHE_HINT, COMPARED], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: POLICY, rules: RULES;
        "Atomically replaces the value in memory with c if the value equals b, and returns the original value in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.shared.cas.b32 r, [r], r, r;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}",
        [SEM, SCOPE, SPACE, ADD, CACHE_HINT, ADDED], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: POLICY, rules: RULES;
        "Atomically adds b to the value in memory and returns the original value in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.global.gpu.acq_rel.add.u32 r, [d], 1;", "atom.add.f32 _, [d], f;"], rejected_examples: &[("atom.global.add.b32 r, [d], r;", "W0104")]),
    form!("atom{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.type d, [a], b{, cache-policy}",
        [SEM, SCOPE, SPACE, ADD, CACHE_HINT, HALVES], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: POLICY, rules: RULES;
        "Atomically adds half-precision values to memory and returns the original values in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.global.add.noftz.f16x2 r, [d], r;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}",
        [SEM, SCOPE, SPACE, COUNT, CACHE_HINT, COUNTED], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: POLICY, rules: RULES;
        "Atomically increments or decrements a value in memory with wraparound and returns the original value in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.inc.u32 r, [d], 7;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.type d, [a], b{, cache-policy}",
        [SEM, SCOPE, SPACE, EXTREME, CACHE_HINT, EXTREMES], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: POLICY, rules: EXTREME_RULES;
        "Atomically replaces a value in memory with the minimum or maximum of the value and b, and returns the original value in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.global.max.u32 r, [d], r;"]),
    form!("red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, cache-policy}",
        [RED_SEM, SCOPE, SPACE, BITWISE, CACHE_HINT, BITS], Memory(Reduction), gate: ATOMICS, types: POLICY, rules: RULES;
        "Atomically performs a bitwise operation on a value in memory.", "parallel-synchronization-and-communication-instructions-red";
        accepted_examples: &["red.global.or.b32 [d], r;"]),
    form!("red{.sem}{.scope}{.ss}.op{.noftz}{.level::cache_hint}.type [a], b{, cache-policy}",
        [RED_SEM, SCOPE, SPACE, ADD, CACHE_HINT, ADDED], Memory(Reduction), gate: ATOMICS, types: POLICY, rules: RULES;
        "Atomically adds b to the value in memory.", "parallel-synchronization-and-communication-instructions-red";
        accepted_examples: &["red.global.add.f32 [d], f;"]),
    form!("red{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.type [a], b{, cache-policy}",
        [RED_SEM, SCOPE, SPACE, ADD, CACHE_HINT, HALVES], Memory(Reduction), gate: ATOMICS, types: POLICY, rules: RULES;
        "Atomically adds half-precision values to memory.", "parallel-synchronization-and-communication-instructions-red";
        accepted_examples: &["red.global.add.noftz.f16x2 [d], r;"]),
    form!("red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, cache-policy}",
        [RED_SEM, SCOPE, SPACE, COUNT, CACHE_HINT, COUNTED], Memory(Reduction), gate: ATOMICS, types: POLICY, rules: RULES;
        "Atomically increments or decrements a value in memory with wraparound.", "parallel-synchronization-and-communication-instructions-red";
        accepted_examples: &["red.dec.u32 [d], 7;"]),
    form!("red{.sem}{.scope}{.ss}.op{.level::cache_hint}.type [a], b{, cache-policy}",
        [RED_SEM, SCOPE, SPACE, EXTREME, CACHE_HINT, EXTREMES], Memory(Reduction), gate: ATOMICS, types: POLICY, rules: EXTREME_RULES;
        "Atomically replaces a value in memory with the minimum or maximum of the value and b.", "parallel-synchronization-and-communication-instructions-red";
        accepted_examples: &["red.global.min.s32 [d], r;"]),
    form!("atom{.sem}{.scope}{.ss}.op{.level::cache_hint}.vec.type d, [a], b{, cache-policy}",
        [SEM, SCOPE, GLOBAL_ONLY, ADD, CACHE_HINT, UP_TO_4, F32_VECTOR], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: VECTOR, rules: RULES;
        "Atomically adds each element of a vector of single-precision values to memory and returns the original vector in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.global.add.v2.f32 {f, f}, [d], {f, f};"], rejected_examples: &[("atom.shared.add.v2.f32 {f, f}, [d], {f, f};", "W0102")]),
    form!("atom{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.vec.type d, [a], b{, cache-policy}",
        [SEM, SCOPE, GLOBAL_ONLY, HALF_OPS, CACHE_HINT, UP_TO_8, HALF_VECTOR], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: VECTOR, rules: RULES;
        "Atomically combines each element of a vector of half-precision values with memory and returns the original vector in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.global.min.noftz.v8.f16 {h, h, h, h, h, h, h, h}, [d], {h, h, h, h, h, h, h, h};"]),
    form!("atom{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.vec.type d, [a], b{, cache-policy}",
        [SEM, SCOPE, GLOBAL_ONLY, HALF_OPS, CACHE_HINT, UP_TO_4, PAIR_VECTOR], Memory(Atomic), gate: ATOMICS, operand_extensions: &[Sink], types: VECTOR, rules: RULES;
        "Atomically combines each element of a vector of packed half-precision pairs with memory and returns the original vector in d.", "parallel-synchronization-and-communication-instructions-atom";
        accepted_examples: &["atom.global.add.noftz.v4.f16x2 {r, r, r, r}, [d], {r, r, r, r};"]),
    form!("red{.sem}{.scope}{.ss}.op{.noftz}{.level::cache_hint}.vec.type [a], b{, cache-policy}",
        [RED_SEM, SCOPE, GLOBAL_ONLY, ADD, CACHE_HINT, UP_TO_4, F32_VECTOR], Memory(Reduction), gate: ATOMICS, types: RED_VECTOR, rules: RULES;
        "Atomically adds each element of a vector of single-precision values to memory.", "parallel-synchronization-and-communication-instructions-red";
        accepted_examples: &["red.global.add.v2.f32 [d], {f, f};"], rejected_examples: &[("red.shared.add.v2.f32 [d], {f, f};", "W0102")]),
    form!("red{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.vec.type [a], b{, cache-policy}",
        [RED_SEM, SCOPE, GLOBAL_ONLY, HALF_OPS, CACHE_HINT, UP_TO_8, HALF_VECTOR], Memory(Reduction), gate: ATOMICS, types: RED_VECTOR, rules: RULES;
        "Atomically combines each element of a vector of half-precision values with memory.", "parallel-synchronization-and-communication-instructions-red";
        accepted_examples: &["red.global.min.noftz.v8.f16 [d], {h, h, h, h, h, h, h, h};"]),
    form!("red{.sem}{.scope}{.ss}.op.noftz{.level::cache_hint}.vec.type [a], b{, cache-policy}",
        [RED_SEM, SCOPE, GLOBAL_ONLY, HALF_OPS, CACHE_HINT, UP_TO_4, PAIR_VECTOR], Memory(Reduction), gate: ATOMICS, types: RED_VECTOR, rules: RULES;
        "Atomically combines each element of a vector of packed half-precision pairs with memory.", "parallel-synchronization-and-communication-instructions-red";
        accepted_examples: &["red.global.add.noftz.v4.f16x2 [d], {r, r, r, r};"]),
];
