//! The modifier sets that several families share, and the short ways to write a row's sets.

use crate::form::{Gate, Meaning, Set, Value};
use crate::modifier::{BoolOp, CacheOp, CompareOp, EvictionPriority, Rounding, Scope, VectorWidth};
use crate::modifier::{Flag, PrefetchSize};
use crate::space::StateSpace;
use crate::types::ScalarType;

/// A value with its own gate.
pub const fn value(text: &'static str, meaning: Meaning, gate: Gate, help: &'static str) -> Value {
    Value {
        text,
        meaning,
        gate,
        help,
    }
}

/// A value that exists wherever its form does.
pub const fn plain(text: &'static str, meaning: Meaning, help: &'static str) -> Value {
    value(text, meaning, Gate::ALWAYS, help)
}

/// A type as a value of a slot, from a gate on.
pub const fn ty_from(ty: ScalarType, gate: Gate) -> Value {
    value(ty.name(), Meaning::Type(ty), gate, type_help(ty))
}

/// A type as a value of a slot.
pub const fn ty(ty: ScalarType) -> Value {
    let gate = match ty {
        ScalarType::F64 => Gate::ALWAYS.sm(13),
        ScalarType::B128 => Gate::ptx(8, 3).sm(70),
        _ => Gate::ALWAYS,
    };
    ty_from(ty, gate)
}

const fn type_help(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::B8 => "8 untyped bits",
        ScalarType::B16 => "16 untyped bits",
        ScalarType::B32 => "32 untyped bits",
        ScalarType::B64 => "64 untyped bits",
        ScalarType::B128 => "128 untyped bits",
        ScalarType::U8 => "8-bit unsigned integer",
        ScalarType::U16 => "16-bit unsigned integer",
        ScalarType::U32 => "32-bit unsigned integer",
        ScalarType::U64 => "64-bit unsigned integer",
        ScalarType::S8 => "8-bit signed integer",
        ScalarType::S16 => "16-bit signed integer",
        ScalarType::S32 => "32-bit signed integer",
        ScalarType::S64 => "64-bit signed integer",
        ScalarType::F16 => "half-precision float",
        ScalarType::F16x2 => "two half-precision floats in 32 bits",
        ScalarType::Bf16 => "bfloat16",
        ScalarType::Bf16x2 => "two bfloat16 in 32 bits",
        ScalarType::Tf32 => "tensor float in 32 bits",
        ScalarType::F32 => "single-precision float",
        ScalarType::F32x2 => "two single-precision floats in 64 bits",
        ScalarType::F64 => "double-precision float",
        ScalarType::E4m3 => "8-bit float, 4 exponent bits",
        ScalarType::E5m2 => "8-bit float, 5 exponent bits",
        ScalarType::E4m3x2 => "two 8-bit floats (e4m3) in 16 bits",
        ScalarType::E5m2x2 => "two 8-bit floats (e5m2) in 16 bits",
        ScalarType::U16x2 => "two 16-bit unsigned integers in 32 bits",
        ScalarType::S16x2 => "two 16-bit signed integers in 32 bits",
        ScalarType::B1 => "single bits",
        ScalarType::U4 => "4-bit unsigned integer",
        ScalarType::S4 => "4-bit signed integer",
        ScalarType::Pred => "predicate",
    }
}

/// A set of plain types: `types!(NAME, "slot", U16 U32)`.
macro_rules! types {
    ($name:ident, $slot:literal, $($ty:ident)*) => {
        pub static $name: $crate::form::Set = $crate::form::Set {
            slot: $slot,
            title: "type",
            values: &[$($crate::forms::sets::ty($crate::types::ScalarType::$ty),)*],
        };
    };
}
pub(super) use types;

/// A set of values: `set!(NAME, "slot", "title", [values])`.
macro_rules! set {
    ($name:ident, $slot:literal, $title:literal, [$($value:expr),* $(,)?]) => {
        pub static $name: $crate::form::Set = $crate::form::Set {
            slot: $slot,
            title: $title,
            values: &[$($value,)*],
        };
    };
}
pub(super) use set;

set!(ROUND_FLOAT, "rnd", "rounding", [RN, RZ, RM, RP]);
set!(ROUND_NEAREST, "rnd", "rounding", [RN]);
set!(
    ROUND_INTEGER,
    "irnd",
    "integer rounding",
    [RNI, RZI, RMI, RPI]
);

/// Round to nearest even.
pub const RN: Value = plain(
    "rn",
    Meaning::Round(Rounding::Rn),
    "round to nearest, ties to even",
);
/// Round towards zero.
pub const RZ: Value = plain("rz", Meaning::Round(Rounding::Rz), "round towards zero");
/// Round towards negative infinity.
pub const RM: Value = plain(
    "rm",
    Meaning::Round(Rounding::Rm),
    "round towards negative infinity",
);
/// Round towards positive infinity.
pub const RP: Value = plain(
    "rp",
    Meaning::Round(Rounding::Rp),
    "round towards positive infinity",
);
const RNI: Value = plain(
    "rni",
    Meaning::Round(Rounding::Rni),
    "to the nearest integer, ties to even",
);
const RZI: Value = plain(
    "rzi",
    Meaning::Round(Rounding::Rzi),
    "to an integer, towards zero",
);
const RMI: Value = plain(
    "rmi",
    Meaning::Round(Rounding::Rmi),
    "to an integer, downwards",
);
const RPI: Value = plain(
    "rpi",
    Meaning::Round(Rounding::Rpi),
    "to an integer, upwards",
);

const fn compare(op: CompareOp, help: &'static str) -> Value {
    plain(op.name(), Meaning::Compare(op), help)
}

set!(
    COMPARE_INTEGER,
    "cmp",
    "comparison",
    [
        compare(CompareOp::Eq, "a equals b"),
        compare(CompareOp::Ne, "a differs from b"),
        compare(CompareOp::Lt, "a is less than b"),
        compare(CompareOp::Le, "a is at most b"),
        compare(CompareOp::Gt, "a is greater than b"),
        compare(CompareOp::Ge, "a is at least b"),
        compare(CompareOp::Lo, "a is lower than b, unsigned"),
        compare(CompareOp::Ls, "a is lower than or the same as b, unsigned"),
        compare(CompareOp::Hi, "a is higher than b, unsigned"),
        compare(CompareOp::Hs, "a is higher than or the same as b, unsigned"),
    ]
);
set!(
    COMPARE_FLOAT,
    "cmp",
    "comparison",
    [
        compare(CompareOp::Eq, "a equals b, false for NaN"),
        compare(CompareOp::Ne, "a differs from b, false for NaN"),
        compare(CompareOp::Lt, "a is less than b, false for NaN"),
        compare(CompareOp::Le, "a is at most b, false for NaN"),
        compare(CompareOp::Gt, "a is greater than b, false for NaN"),
        compare(CompareOp::Ge, "a is at least b, false for NaN"),
        compare(CompareOp::Equ, "a equals b, true for NaN"),
        compare(CompareOp::Neu, "a differs from b, true for NaN"),
        compare(CompareOp::Ltu, "a is less than b, true for NaN"),
        compare(CompareOp::Leu, "a is at most b, true for NaN"),
        compare(CompareOp::Gtu, "a is greater than b, true for NaN"),
        compare(CompareOp::Geu, "a is at least b, true for NaN"),
        compare(CompareOp::Num, "neither a nor b is NaN"),
        compare(CompareOp::Nan, "a or b is NaN"),
    ]
);
set!(
    BOOL,
    "bool",
    "combination with a predicate",
    [
        plain("and", Meaning::Bool(BoolOp::And), "the result and c"),
        plain("or", Meaning::Bool(BoolOp::Or), "the result or c"),
        plain(
            "xor",
            Meaning::Bool(BoolOp::Xor),
            "the result exclusive-or c"
        ),
    ]
);

/// A state space as a value of a slot.
pub const fn space(text: &'static str, space: StateSpace, gate: Gate, help: &'static str) -> Value {
    value(text, Meaning::Space(space), gate, help)
}

/// `.const`
pub const CONST: Value = space("const", StateSpace::Const, Gate::ALWAYS, "constant memory");
/// `.global`
pub const GLOBAL: Value = space(
    "global",
    StateSpace::Global,
    Gate::ALWAYS,
    "global memory, seen by every thread",
);
/// `.local`
pub const LOCAL: Value = space(
    "local",
    StateSpace::Local,
    Gate::ALWAYS,
    "memory private to each thread",
);
/// `.shared`
pub const SHARED: Value = space(
    "shared",
    StateSpace::Shared,
    Gate::ALWAYS,
    "memory shared by the block",
);
/// `.shared::cta`
pub const SHARED_CTA: Value = space(
    "shared::cta",
    StateSpace::Shared,
    Gate::ptx(7, 8),
    "memory shared by the block",
);
/// `.shared::cluster`
pub const SHARED_CLUSTER: Value = space(
    "shared::cluster",
    StateSpace::SharedCluster,
    Gate::ptx(7, 8).sm(90),
    "shared memory of any block of the cluster",
);
/// `.param`; whether of a kernel or a function is decided by the variable.
pub const PARAM: Value = space("param", StateSpace::ParamFunc, Gate::ALWAYS, "parameters");
/// `.param::entry`
pub const PARAM_ENTRY: Value = space(
    "param::entry",
    StateSpace::ParamEntry,
    Gate::ptx(8, 3),
    "parameters of a kernel",
);
/// `.param::func`
pub const PARAM_FUNC: Value = space(
    "param::func",
    StateSpace::ParamFunc,
    Gate::ptx(8, 3),
    "parameters of a function",
);

set!(
    SCOPE,
    "scope",
    "scope",
    [
        plain(
            "cta",
            Meaning::Scope(Scope::Cta),
            "with the threads of the block"
        ),
        value(
            "cluster",
            Meaning::Scope(Scope::Cluster),
            Gate::ptx(7, 8).sm(90),
            "with the threads of the cluster"
        ),
        plain(
            "gpu",
            Meaning::Scope(Scope::Gpu),
            "with the threads of the device"
        ),
        plain(
            "sys",
            Meaning::Scope(Scope::Sys),
            "with every thread of the system, the host included"
        ),
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
            Gate::ptx(8, 8),
            "eight elements"
        ),
    ]
);

const fn evict_l1(text: &'static str, priority: EvictionPriority, help: &'static str) -> Value {
    value(
        text,
        Meaning::EvictL1(priority),
        Gate::ptx(7, 4).sm(70),
        help,
    )
}
const fn evict_l2(text: &'static str, priority: EvictionPriority, help: &'static str) -> Value {
    value(
        text,
        Meaning::EvictL2(priority),
        Gate::ptx(8, 8).sm(100),
        help,
    )
}

set!(
    EVICT_L1,
    "level1::eviction_priority",
    "first-level eviction priority",
    [
        evict_l1(
            "L1::evict_normal",
            EvictionPriority::Normal,
            "level 1: normal priority"
        ),
        evict_l1(
            "L1::evict_unchanged",
            EvictionPriority::Unchanged,
            "level 1: leave the priority as it is"
        ),
        evict_l1(
            "L1::evict_first",
            EvictionPriority::First,
            "level 1: likely to be evicted first"
        ),
        evict_l1(
            "L1::evict_last",
            EvictionPriority::Last,
            "level 1: kept as long as possible"
        ),
        evict_l1(
            "L1::no_allocate",
            EvictionPriority::NoAllocate,
            "level 1: do not allocate"
        ),
    ]
);
set!(
    EVICT_L2,
    "level2::eviction_priority",
    "second-level eviction priority",
    [
        evict_l2(
            "L2::evict_normal",
            EvictionPriority::Normal,
            "level 2: normal priority"
        ),
        evict_l2(
            "L2::evict_first",
            EvictionPriority::First,
            "level 2: likely to be evicted first"
        ),
        evict_l2(
            "L2::evict_last",
            EvictionPriority::Last,
            "level 2: kept as long as possible"
        ),
    ]
);
set!(
    CACHE_HINT,
    "level::cache_hint",
    "cache hint",
    [value(
        "L2::cache_hint",
        Meaning::Flag(Flag::CacheHint),
        Gate::ptx(7, 4).sm(80),
        "the last operand is a cache policy"
    ),]
);
set!(
    PREFETCH_SIZE,
    "level::prefetch_size",
    "prefetch size",
    [
        value(
            "L2::64B",
            Meaning::Prefetch(PrefetchSize::B64),
            Gate::ptx(7, 4).sm(75),
            "prefetch 64 bytes into level 2"
        ),
        value(
            "L2::128B",
            Meaning::Prefetch(PrefetchSize::B128),
            Gate::ptx(7, 4).sm(75),
            "prefetch 128 bytes into level 2"
        ),
        value(
            "L2::256B",
            Meaning::Prefetch(PrefetchSize::B256),
            Gate::ptx(7, 4).sm(80),
            "prefetch 256 bytes into level 2"
        ),
    ]
);

/// A cache operator as a value of a slot.
pub const fn cache(op: CacheOp, help: &'static str) -> Value {
    value(op.name(), Meaning::Cache(op), Gate::ptx(2, 0).sm(20), help)
}

set!(
    CACHE_LOAD,
    "cop",
    "cache operator",
    [
        cache(CacheOp::Ca, "cache at all levels"),
        cache(CacheOp::Cg, "cache at level 2 only"),
        cache(CacheOp::Cs, "streaming, likely to be read once"),
        cache(CacheOp::Lu, "last use"),
        cache(CacheOp::Cv, "do not cache, fetch again"),
    ]
);

/// One set, to be named in a row.
pub type SetRef = &'static Set;

/// A row in the short: syntax, sets, meaning, help, section; then any other field of [`crate::Form`].
macro_rules! form {
    ($syntax:literal, [$($set:expr),*], $does:expr, $help:literal, $section:literal $(, $field:ident: $value:expr)* $(,)?) => {{
        #[allow(clippy::needless_update, reason = "rows name only the fields that differ")]
        const ROW: $crate::form::Form = $crate::form::Form {
            $($field: $value,)*
            syntax: $syntax,
            sets: &[$(&$set),*],
            does: { use $crate::does::Does::*; $does },
            help: $help,
            section: $section,
            ..$crate::forms::sets::BLANK
        };
        ROW
    }};
}
pub(super) use form;

/// What a row is where it says nothing.
pub const BLANK: crate::form::Form = crate::form::Form {
    syntax: "",
    sets: &[],
    types: &[],
    gate: Gate::ALWAYS,
    does: crate::does::Does::Unknown,
    rules: &[],
    help: "",
    section: "",
    good: &[],
    bad: &[],
};

/// A set of types that share a gate: `types_from!(NAME, "slot", gate, F16 F16x2)`.
macro_rules! types_from {
    ($name:ident, $slot:literal, $gate:expr, $($ty:ident)*) => {
        pub static $name: $crate::form::Set = $crate::form::Set {
            slot: $slot,
            title: "type",
            values: &[$($crate::forms::sets::ty_from($crate::types::ScalarType::$ty, $gate),)*],
        };
    };
}
pub(super) use types_from;

types!(B32_ONLY, "type", B32);
types!(PRED_ONLY, "type", Pred);
types!(F32_ONLY, "type", F32);
types!(F64_ONLY, "type", F64);
types!(INTEGERS, "type", U16 U32 U64 S16 S32 S64);
