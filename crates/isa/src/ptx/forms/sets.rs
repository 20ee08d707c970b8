//! The modifier sets that several families share.

use super::table::{ALWAYS, set, since, types, values};
use crate::form::Gate;
use crate::modifier::{BoolOp::*, CacheOp::*, CompareOp::*, EvictionPriority::*};
use crate::modifier::{Flag::CacheHint, PrefetchSize, Rounding::*, Scope::*, VectorWidth::*};
use crate::space::StateSpace::{
    Const, Global, Local, ParamEntry, ParamFunc, Shared, SharedCluster,
};
use crate::target::Feature::{Clusters, GenericAddressing};

types!(B32_ONLY, Type, B32);
types!(PRED_ONLY, Type, Pred);
types!(U32_ONLY, Type, U32);
types!(F32_ONLY, Type, F32);
types!(F64_ONLY, Type, F64);
types!(INTEGERS, Type, U16 U32 U64 S16 S32 S64);

values! {
    RN:  "rn",  Round(Rn),  ALWAYS, "round to nearest, ties to even";
    RZ:  "rz",  Round(Rz),  ALWAYS, "round towards zero";
    RM:  "rm",  Round(Rm),  ALWAYS, "round towards negative infinity";
    RP:  "rp",  Round(Rp),  ALWAYS, "round towards positive infinity";
    RNA: "rna", Round(Rna), ALWAYS, "round to nearest, ties away from zero";
    RS:  "rs",  Round(Rs),  ALWAYS, "stochastic rounding with random bits";
    RNI: "rni", Round(Rni), ALWAYS, "to the nearest integer, ties to even";
    RZI: "rzi", Round(Rzi), ALWAYS, "to the nearest integer towards zero";
    RMI: "rmi", Round(Rmi), ALWAYS, "to the nearest integer towards negative infinity";
    RPI: "rpi", Round(Rpi), ALWAYS, "to the nearest integer towards positive infinity";
}
set! { ROUND_FLOAT: Round "rounding"; RN; RZ; RM; RP; }
set! { ROUND_NEAREST: Round "rounding"; RN; }
set! { ROUND_INTEGER: IntegerRound "integer rounding"; RNI; RZI; RMI; RPI; }

set! { COMPARE_INTEGER: Compare "comparison";
    "eq", Compare(Eq), ALWAYS, "a equals b";
    "ne", Compare(Ne), ALWAYS, "a differs from b";
    "lt", Compare(Lt), ALWAYS, "a is less than b";
    "le", Compare(Le), ALWAYS, "a is less than or equal to b";
    "gt", Compare(Gt), ALWAYS, "a is greater than b";
    "ge", Compare(Ge), ALWAYS, "a is greater than or equal to b";
    "lo", Compare(Lo), ALWAYS, "a is lower than b, unsigned";
    "ls", Compare(Ls), ALWAYS, "a is lower than or the same as b, unsigned";
    "hi", Compare(Hi), ALWAYS, "a is higher than b, unsigned";
    "hs", Compare(Hs), ALWAYS, "a is higher than or the same as b, unsigned";
}
set! { COMPARE_FLOAT: Compare "comparison";
    "eq",  Compare(Eq),  ALWAYS, "a equals b, false for NaN";
    "ne",  Compare(Ne),  ALWAYS, "a is not equal to b, false for NaN";
    "lt",  Compare(Lt),  ALWAYS, "a is less than b, false for NaN";
    "le",  Compare(Le),  ALWAYS, "a is less than or equal to b, false for NaN";
    "gt",  Compare(Gt),  ALWAYS, "a is greater than b, false for NaN";
    "ge",  Compare(Ge),  ALWAYS, "a is greater than or equal to b, false for NaN";
    "equ", Compare(Equ), ALWAYS, "a equals b, true for NaN";
    "neu", Compare(Neu), ALWAYS, "a is not equal to b, true for NaN";
    "ltu", Compare(Ltu), ALWAYS, "a is less than b, true for NaN";
    "leu", Compare(Leu), ALWAYS, "a is less than or equal to b, true for NaN";
    "gtu", Compare(Gtu), ALWAYS, "a is greater than b, true for NaN";
    "geu", Compare(Geu), ALWAYS, "a is greater than or equal to b, true for NaN";
    "num", Compare(Num), ALWAYS, "neither a nor b is NaN";
    "nan", Compare(Nan), ALWAYS, "a or b is NaN";
}
set! { BOOL: Bool "combination with a predicate";
    "and", Bool(And), ALWAYS, "AND of the result and c";
    "or",  Bool(Or),  ALWAYS, "OR of the result and c";
    "xor", Bool(Xor), ALWAYS, "XOR of the result and c";
}

values! {
    CONST:          "const",           Space(Const),         ALWAYS,                     "constant memory";
    GLOBAL:         "global",          Space(Global),        ALWAYS,                     "global memory, accessible to all threads";
    LOCAL:          "local",           Space(Local),         ALWAYS,                     "local memory, private to each thread";
    SHARED:         "shared",          Space(Shared),        ALWAYS,                     "shared memory of the block";
    SHARED_CTA:     "shared::cta",     Space(Shared),        since(7, 8),                "shared memory of the block";
    SHARED_CLUSTER: "shared::cluster", Space(SharedCluster), since(7, 8).with(Clusters), "shared memory of a block of the cluster";
    /// Whether the parameter is that of a kernel or of a function is decided by the variable.
    PARAM:          "param",           Space(ParamFunc),     ALWAYS,                     "parameters";
    PARAM_ENTRY:    "param::entry",    Space(ParamEntry),    since(8, 3),                "kernel parameters";
    PARAM_FUNC:     "param::func",     Space(ParamFunc),     since(8, 3),                "parameters of a device function";
}

set! { SCOPE: Scope "scope";
    "cta",     Scope(Cta),     ALWAYS,                     "with the threads of the block";
    "cluster", Scope(Cluster), since(7, 8).with(Clusters), "with the threads of the cluster";
    "gpu",     Scope(Gpu),     ALWAYS,                     "with all threads of the device";
    "sys",     Scope(Sys),     ALWAYS,                     "with all threads of the system, including the host";
}
set! { VECTOR: Vector "vector width";
    "v2", Vector(V2), ALWAYS,      "two elements";
    "v4", Vector(V4), ALWAYS,      "four elements";
    "v8", Vector(V8), since(8, 8), "eight elements";
}

const LEVEL_1: Gate = since(7, 4).sm(70);
const LEVEL_2: Gate = since(8, 8).sm(100);
/// Cache operators came with the caches of `sm_20`.
pub(super) const CACHED: Gate = since(2, 0).with(GenericAddressing);

set! { EVICT_L1: Level1Priority "L1 eviction priority";
    "L1::evict_normal",    EvictL1(Normal),     LEVEL_1, "L1: normal priority";
    "L1::evict_unchanged", EvictL1(Unchanged),  LEVEL_1, "L1: priority unchanged";
    "L1::evict_first",     EvictL1(First),      LEVEL_1, "L1: likely to be evicted first";
    "L1::evict_last",      EvictL1(Last),       LEVEL_1, "L1: likely to be evicted last";
    "L1::no_allocate",     EvictL1(NoAllocate), LEVEL_1, "L1: do not allocate a cache line";
}
set! { EVICT_L2: Level2Priority "L2 eviction priority";
    "L2::evict_normal", EvictL2(Normal), LEVEL_2, "L2: normal priority";
    "L2::evict_first",  EvictL2(First),  LEVEL_2, "L2: likely to be evicted first";
    "L2::evict_last",   EvictL2(Last),   LEVEL_2, "L2: likely to be evicted last";
}
set! { CACHE_HINT: CacheHint "cache hint";
    "L2::cache_hint", Flag(CacheHint), since(7, 4).sm(80), "the last operand is a cache policy";
}
set! { PREFETCH_SIZE: PrefetchSize "prefetch size";
    "L2::64B",  Prefetch(PrefetchSize::B64),  since(7, 4).sm(75), "prefetch 64 bytes into L2";
    "L2::128B", Prefetch(PrefetchSize::B128), since(7, 4).sm(75), "prefetch 128 bytes into L2";
    "L2::256B", Prefetch(PrefetchSize::B256), since(7, 4).sm(80), "prefetch 256 bytes into L2";
}
set! { CACHE_LOAD: CacheOp "cache operator";
    "ca", Cache(Ca), CACHED, "cache at all levels";
    "cg", Cache(Cg), CACHED, "cache in L2 only";
    "cs", Cache(Cs), CACHED, "streaming, likely to be read once";
    "lu", Cache(Lu), CACHED, "last use";
    "cv", Cache(Cv), CACHED, "do not cache, fetch again";
}
