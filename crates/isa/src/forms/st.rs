//! Stores (PTX ISA, "st").

use super::sets::{
    CACHE_HINT, EVICT_L1, EVICT_L2, GLOBAL, LOCAL, PARAM, PARAM_ENTRY, PARAM_FUNC, SCOPE, SHARED,
    SHARED_CLUSTER, SHARED_CTA, VECTOR, cache, plain, set, types, value,
};
use crate::form::{Does, Form, Gate, Meaning, OperandType};
use crate::modifier::{CacheOp, Sem};

types!(TYPE, "type", B8 B16 B32 B64 B128 U8 U16 U32 U64 S8 S16 S32 S64 F32 F64);
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
        PARAM_ENTRY,
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
set!(
    SEM,
    "sem",
    "memory order",
    [
        value(
            "weak",
            Meaning::Sem(Sem::Weak),
            Gate::ptx(5, 1).sm(70),
            "no synchronisation"
        ),
        plain(
            "volatile",
            Meaning::Sem(Sem::Volatile),
            "may not be left out or combined"
        ),
        value(
            "relaxed",
            Meaning::Sem(Sem::Relaxed),
            Gate::ptx(6, 0).sm(70),
            "strong, without ordering other accesses"
        ),
        value(
            "release",
            Meaning::Sem(Sem::Release),
            Gate::ptx(6, 0).sm(70),
            "orders all earlier accesses before it"
        ),
    ]
);

/// The forms of `st`.
pub static FORMS: &[Form] = &[Form {
    syntax: "st{.mmio}{.sem}{.scope}{.ss}{.cop}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type [a], b{, cache-policy}",
    sets: &[
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
        ("b", OperandType::Custom),
        ("cache-policy", OperandType::CachePolicy),
    ],
    gate: Gate::ALWAYS,
    does: Does::Store,
    help: "Each active lane writes b to memory at a.",
    section: "data-movement-and-conversion-instructions-st",
    good: &["st.global.u32 [a], b;"],
    bad: &[],
}];
