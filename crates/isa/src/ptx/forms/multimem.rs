//! Operations on multimem addresses, which denote memory of several devices (PTX ISA, "multimem").

use super::atomic::{ADD, BITS, BITWISE, COUNT, EXTREME};
use super::cp_async_bulk::{CP_MASK, FROM_CTA, RULES as COPIES, TO_GLOBAL};
use super::device_units::BULK_GROUP;
use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{GLOBAL, SCOPE, U32_ONLY};
use crate::form::rule::{Rule, RuleKind::*, any, assembler, of, rule};
use crate::form::{
    DeviceUnitOperand::{self, *},
    Form, Gate, SlotName as S,
};
use crate::modifier::{AtomicOp::*, Flag::CpMask as ByteMask, Scope::*, Sem::*, VectorWidth::*};
use crate::operation::{DeviceUnitOp::Multimem, MultimemOp::*};
use crate::space::StateSpace::{Global, Shared};
use crate::target::TargetRequirement as On;
use crate::types::ScalarType::{F16, F32, U16};

const MULTIMEM: Gate = since(8, 1).sm(90).assembler("13.5");
const COPY: Gate = since(9, 1).sm(90).assembler("13.5");
const ASYNC: Gate = since(9, 3).sm(100).assembler("13.5");
/// Gate of forms with 8-bit floats.
const BYTES: Gate = since(8, 6).on(On::OneOf(&[
    On::Family(100),
    On::Family(101),
    On::Only(120),
    On::Only(121),
]));
const SECTION: &str = "data-movement-and-conversion-instructions-multimem";

set! { ON_GLOBAL: Space "state space"; GLOBAL; }
set! { LOADS: Sem "memory order";
    "weak",    Sem(Weak),    ALWAYS, "weak access (the default), which does not synchronize with other threads";
    "relaxed", Sem(Relaxed), ALWAYS, "relaxed semantics, which do not order other memory accesses";
    "acquire", Sem(Acquire), ALWAYS, "acquire semantics, which order all later memory accesses after the operation";
}
set! { STORES: Sem "memory order";
    "weak",    Sem(Weak),    ALWAYS, "weak access (the default), which does not synchronize with other threads";
    "relaxed", Sem(Relaxed), ALWAYS, "relaxed semantics, which do not order other memory accesses";
    "release", Sem(Release), ALWAYS, "release semantics, which order all earlier memory accesses before the operation";
}
set! { REDUCES: Sem "memory order";
    "relaxed", Sem(Relaxed), ALWAYS, "relaxed semantics, which do not order other memory accesses";
    "release", Sem(Release), ALWAYS, "release semantics, which order all earlier memory accesses before the operation";
}
set! { RELEASES: Sem "memory order"; "release", Sem(Release), ALWAYS, "release semantics, which order all earlier memory accesses before the operation"; }
set! { FAR: Scope "scope";
    "gpu", Scope(Gpu), ALWAYS, "all threads of the device";
    "sys", Scope(Sys), ALWAYS, "all threads of the system, including the host";
}
set! { ANY_OP: Op "operation";
    "add", Atomic(Add), ALWAYS, "computes the sum of the values";
    "min", Atomic(Min), ALWAYS, "computes the minimum of the values";
    "max", Atomic(Max), ALWAYS, "computes the maximum of the values";
}
set! { PRECISION: Accumulator "accumulator";
    "acc::f16", Accumulator(F16), ALWAYS,             "accumulates in half precision";
    "acc::f32", Accumulator(F32), since(8, 2).sm(90), "accumulates in single precision";
}
set! { PAIRS: Vector "vector width";
    "v2", Vector(V2), ALWAYS, "two elements";
    "v4", Vector(V4), ALWAYS, "four elements";
}
set! { HALVES_OF: Vector "vector width";
    "v2", Vector(V2), ALWAYS, "two elements";
    "v4", Vector(V4), ALWAYS, "four elements";
    "v8", Vector(V8), ALWAYS, "eight elements";
}
types!(SUMS, Type, U32 S32 U64 F32 F64);
types!(EXTREMES, Type, U32 S32 U64 S64);
types!(PACKED, Type, F16x2 Bf16x2);
types!(PACKED_BYTES, Type, F16x2 Bf16x2; BYTES => E4m3x4 E5m2x4);
types!(HALVES, Type, F16 Bf16);
types!(HALVES_BYTES, Type, F16 Bf16; BYTES => E4m3x2 E5m2x2);
types!(SINGLES, Type, F32);
types!(STORED, Type, B32 U32 S32 B64 U64 S64 F32 F64 F16x2 Bf16x2; BYTES => E4m3x4 E5m2x4);
types!(STORED_PACKED, Type, F32 F16x2 Bf16x2; BYTES => E4m3x4 E5m2x4);
types!(STORED_LATER, Type, B32 U32 S32 F32 B64 U64 S64 F64);
types!(COUNTED, Type, U32 S32 U64);
types!(EXTREMES_COPIED, Type, U32 S32 U64 S64 F16 Bf16);

#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule(Requires { when: of(S::Sem, &["relaxed", "acquire"]), slot: S::Scope, among: &[] }, "a strong access requires a scope"),
    rule(Requires { when: any(S::Scope), slot: S::Sem, among: &["relaxed", "acquire"] }, "only strong accesses have a scope"),
    assembler(Restricts { when: any(S::Accumulator), slot: S::Op, among: &["add"] }, "the accumulation precision applies to additions only"),
    rule(Restricts { when: of(S::Accumulator, &["acc::f32"]), slot: S::Type, among: &["f16", "f16x2", "bf16", "bf16x2"] }, "`.acc::f32` applies to additions of `.f16` and `.bf16` only"),
    rule(Restricts { when: of(S::Accumulator, &["acc::f16"]), slot: S::Type, among: &["e4m3x2", "e5m2x2", "e4m3x4", "e5m2x4"] }, "`.acc::f16` applies to additions of 8-bit floats only"),
];
#[rustfmt::skip]
const ORDERED: &[Rule] = &[
    rule(Requires { when: of(S::Sem, &["relaxed", "release"]), slot: S::Scope, among: &[] }, "a strong access requires a scope"),
    rule(Requires { when: any(S::Scope), slot: S::Sem, among: &["relaxed", "release"] }, "only strong accesses have a scope"),
];

operands! {
    VALUES: "d" Unit(DeviceUnitOperand::Values(Type));
    TAKEN: "b" Unit(DeviceUnitOperand::Values(Type));
    LATER: "b" Unit(DeviceUnitOperand::Widened(Type));
    COPIED: "dst" AddressIn(Global), "src" AddressIn(Shared), "size" Unit(Bytes), "bytes" Fixed(U16);
    COMBINED: "dst" AddressIn(Global), "src" AddressIn(Shared), "size" Unit(Bytes);
}

/// Form of `multimem.ld_reduce`.
macro_rules! load {
    ($syntax:literal, [$($set:expr),*], $help:literal, $good:expr, $bad:expr) => {
        form!($syntax, [LOADS, SCOPE, ON_GLOBAL, PRECISION, $($set),*], Unit(Multimem(LoadReduce)), gate: MULTIMEM, n_name_modifiers: 1, address: Load, types: VALUES, rules: RULES;
            $help, SECTION; accepted_examples: $good, rejected_examples: $bad)
    };
}

/// Form of `multimem.red`.
macro_rules! reduce {
    ($syntax:literal, [$($set:expr),*], $help:literal) => {
        form!($syntax, [REDUCES, SCOPE, ON_GLOBAL, $($set),*], Unit(Multimem(Reduction)), gate: MULTIMEM, n_name_modifiers: 1, address: Full, operand_extensions: &[ArrayElement], types: TAKEN, rules: ORDERED;
            $help, SECTION)
    };
}

/// Form of `multimem.st`.
macro_rules! store {
    ($syntax:literal, [$($set:expr),*], $help:literal) => {
        form!($syntax, [STORES, SCOPE, ON_GLOBAL, $($set),*], Unit(Multimem(Store)), gate: MULTIMEM, n_name_modifiers: 1, types: TAKEN, rules: ORDERED;
            $help, SECTION)
    };
}

/// Form of `multimem.cp.reduce.async.bulk`.
macro_rules! combine {
    ($syntax:literal, [$($set:expr),*], $help:literal) => {
        form!($syntax, [TO_GLOBAL, FROM_CTA, BULK_GROUP, $($set),*], Unit(Multimem(BulkReduction)), gate: COPY, n_name_modifiers: 4, address: AsyncCopy, types: COMBINED, rules: COPIES;
            $help, SECTION)
    };
}

/// Instruction forms of `multimem`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    load!("multimem.ld_reduce{.sem}{.scope}{.ss}.op{.acc_prec}.type d, [a]", [ADD, SUMS], "Loads the values of all devices and returns the sum.",
        &["multimem.ld_reduce.add.u32 r, [d];"], &[("multimem.ld_reduce.relaxed.add.u32 r, [d];", "W0301")]),
    load!("multimem.ld_reduce{.sem}{.scope}{.ss}.op{.acc_prec}.type d, [a]", [EXTREME, EXTREMES], "Loads the values of all devices and returns the minimum or maximum.",
        &["multimem.ld_reduce.relaxed.gpu.global.min.s64 d, [d];"], &[("multimem.ld_reduce.min.f32 f, [d];", "W0104")]),
    load!("multimem.ld_reduce{.sem}{.scope}{.ss}.op{.acc_prec}.type d, [a]", [BITWISE, BITS], "Loads the values of all devices and returns the bitwise reduction.", &[], &[]),
    load!("multimem.ld_reduce{.sem}{.scope}{.ss}.op{.acc_prec}.type d, [a]", [ANY_OP, PACKED_BYTES], "Loads the packed floating-point values of all devices and returns the reduction.", &[], &[]),
    load!("multimem.ld_reduce{.sem}{.scope}{.ss}.op{.acc_prec}.vec.type d, [a]", [ADD, PAIRS, SINGLES], "Loads the vectors of all devices and returns the sum of each element.", &[], &[]),
    load!("multimem.ld_reduce{.sem}{.scope}{.ss}.op{.acc_prec}.vec.type d, [a]", [ANY_OP, PAIRS, PACKED_BYTES], "Loads the vectors of packed floating-point values of all devices and returns the reduction of each element.", &[], &[]),
    load!("multimem.ld_reduce{.sem}{.scope}{.ss}.op{.acc_prec}.vec.type d, [a]", [ANY_OP, HALVES_OF, HALVES_BYTES], "Loads the vectors of floating-point values of all devices and returns the reduction of each element.", &[], &[]),
    reduce!("multimem.red{.sem}{.scope}{.ss}.op.type [a], b", [ADD, SUMS], "Adds b to the value on each device."),
    reduce!("multimem.red{.sem}{.scope}{.ss}.op.type [a], b", [EXTREME, EXTREMES], "Replaces the value on each device with the minimum or maximum of the value and b."),
    reduce!("multimem.red{.sem}{.scope}{.ss}.op.type [a], b", [BITWISE, BITS], "Performs a bitwise operation on the value on each device."),
    reduce!("multimem.red{.sem}{.scope}{.ss}.op.type [a], b", [ADD, PACKED], "Adds packed floating-point values to the values on each device."),
    reduce!("multimem.red{.sem}{.scope}{.ss}.op.vec.type [a], b", [ADD, PAIRS, SINGLES], "Adds a vector of floating-point values to the values on each device."),
    reduce!("multimem.red{.sem}{.scope}{.ss}.op.vec.type [a], b", [ANY_OP, PAIRS, PACKED], "Combines a vector of packed floating-point values with the values on each device."),
    reduce!("multimem.red{.sem}{.scope}{.ss}.op.vec.type [a], b", [ANY_OP, HALVES_OF, HALVES], "Combines a vector of half-precision values with the values on each device."),
    store!("multimem.st{.sem}{.scope}{.ss}.type [a], b", [STORED], "Stores a value to memory of each device."),
    store!("multimem.st{.sem}{.scope}{.ss}.vec.type [a], b", [PAIRS, STORED_PACKED], "Stores a vector to memory of each device."),
    store!("multimem.st{.sem}{.scope}{.ss}.vec.type [a], b", [HALVES_OF, HALVES_BYTES], "Stores a vector of narrow floats to memory of each device."),
    form!("multimem.red.async.sem.scope{.ss}.op.type [a], b", [RELEASES, FAR, ON_GLOBAL, ADD, COUNTED], Unit(Multimem(AsyncReduction)), gate: ASYNC, n_name_modifiers: 2,
        address: Plain, operand_extensions: &[NoAddress];
        "Starts an asynchronous addition of a value to memory of each device.", SECTION),
    form!("multimem.st.async.sem.scope{.ss}.type [a], b", [RELEASES, FAR, ON_GLOBAL, STORED_LATER], Unit(Multimem(AsyncStore)), gate: ASYNC, n_name_modifiers: 2,
        address: Plain, types: LATER;
        "Starts an asynchronous store of a value to memory of each device.", SECTION),
    form!("multimem.cp.async.bulk.dst.src.completion_mechanism{.mode} [dst], [src], size{, bytes}", [TO_GLOBAL, FROM_CTA, BULK_GROUP, CP_MASK],
        Unit(Multimem(BulkCopy)), gate: COPY, n_name_modifiers: 3, flag_gated_operands: &[("bytes", ByteMask)], address: AsyncCopy, types: COPIED, rules: COPIES, operand_extensions: &[NoAddress];
        "Starts an asynchronous copy from shared memory of the block to memory of each device.", SECTION),
    combine!("multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.type [dst], [src], size", [BITWISE, BITS], "Starts an asynchronous bitwise reduction from shared memory to memory of each device."),
    combine!("multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.type [dst], [src], size", [ADD, SUMS], "Starts an asynchronous addition from shared memory to memory of each device."),
    combine!("multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op{.noftz}.type [dst], [src], size", [ADD, SINGLES], "Starts an asynchronous addition of floating-point values from shared memory to memory of each device."),
    combine!("multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.noftz.type [dst], [src], size", [ADD, HALVES], "Starts an asynchronous addition of half-precision values from shared memory to memory of each device."),
    combine!("multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.type [dst], [src], size", [COUNT, U32_ONLY], "Starts an asynchronous increment or decrement with wraparound in memory of each device."),
    combine!("multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.op.type [dst], [src], size", [EXTREME, EXTREMES_COPIED], "Starts an asynchronous minimum or maximum reduction to memory of each device."),
];
