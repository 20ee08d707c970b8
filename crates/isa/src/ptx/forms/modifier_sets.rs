//! Modifier sets shared by several families.

use super::form_macros::{ALWAYS, set, since, types, values};
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
    RN:  "rn",  Round(Rn),  ALWAYS, "rounds to the nearest value, ties to even";
    RZ:  "rz",  Round(Rz),  ALWAYS, "rounds towards zero";
    RM:  "rm",  Round(Rm),  ALWAYS, "rounds towards negative infinity";
    RP:  "rp",  Round(Rp),  ALWAYS, "rounds towards positive infinity";
    RNA: "rna", Round(Rna), ALWAYS, "rounds to the nearest value, ties away from zero";
    RS:  "rs",  Round(Rs),  ALWAYS, "rounds stochastically, using random bits";
    RNI: "rni", Round(Rni), ALWAYS, "rounds to the nearest integer, ties to even";
    RZI: "rzi", Round(Rzi), ALWAYS, "rounds to an integer, towards zero";
    RMI: "rmi", Round(Rmi), ALWAYS, "rounds to an integer, towards negative infinity";
    RPI: "rpi", Round(Rpi), ALWAYS, "rounds to an integer, towards positive infinity";
}
set! { ROUND_FLOAT: Round "rounding"; RN; RZ; RM; RP; }
set! { ROUND_NEAREST: Round "rounding"; RN; }
set! { ROUND_INTEGER: IntegerRound "integer rounding"; RNI; RZI; RMI; RPI; }

set! { COMPARE_INTEGER: Compare "comparison";
    "eq", Compare(Eq), ALWAYS, "true if a is equal to b";
    "ne", Compare(Ne), ALWAYS, "true if a is not equal to b";
    "lt", Compare(Lt), ALWAYS, "true if a is less than b";
    "le", Compare(Le), ALWAYS, "true if a is less than or equal to b";
    "gt", Compare(Gt), ALWAYS, "true if a is greater than b";
    "ge", Compare(Ge), ALWAYS, "true if a is greater than or equal to b";
    "lo", Compare(Lo), ALWAYS, "true if a is less than b in an unsigned comparison";
    "ls", Compare(Ls), ALWAYS, "true if a is less than or equal to b in an unsigned comparison";
    "hi", Compare(Hi), ALWAYS, "true if a is greater than b in an unsigned comparison";
    "hs", Compare(Hs), ALWAYS, "true if a is greater than or equal to b in an unsigned comparison";
}
set! { COMPARE_FLOAT: Compare "comparison";
    "eq",  Compare(Eq),  ALWAYS, "true if a is equal to b and neither is NaN";
    "ne",  Compare(Ne),  ALWAYS, "true if a is not equal to b and neither is NaN";
    "lt",  Compare(Lt),  ALWAYS, "true if a is less than b and neither is NaN";
    "le",  Compare(Le),  ALWAYS, "true if a is less than or equal to b and neither is NaN";
    "gt",  Compare(Gt),  ALWAYS, "true if a is greater than b and neither is NaN";
    "ge",  Compare(Ge),  ALWAYS, "true if a is greater than or equal to b and neither is NaN";
    "equ", Compare(Equ), ALWAYS, "true if a is equal to b, or if a or b is NaN";
    "neu", Compare(Neu), ALWAYS, "true if a is not equal to b, or if a or b is NaN";
    "ltu", Compare(Ltu), ALWAYS, "true if a is less than b, or if a or b is NaN";
    "leu", Compare(Leu), ALWAYS, "true if a is less than or equal to b, or if a or b is NaN";
    "gtu", Compare(Gtu), ALWAYS, "true if a is greater than b, or if a or b is NaN";
    "geu", Compare(Geu), ALWAYS, "true if a is greater than or equal to b, or if a or b is NaN";
    "num", Compare(Num), ALWAYS, "true if neither a nor b is NaN";
    "nan", Compare(Nan), ALWAYS, "true if a or b is NaN";
}
set! { BOOL: Bool "combination with a predicate";
    "and", Bool(And), ALWAYS, "ANDs the comparison result with predicate c";
    "or",  Bool(Or),  ALWAYS, "ORs the comparison result with predicate c";
    "xor", Bool(Xor), ALWAYS, "XORs the comparison result with predicate c";
}

values! {
    CONST:          "const",           Space(Const),         ALWAYS,                     "constant memory";
    GLOBAL:         "global",          Space(Global),        ALWAYS,                     "global memory, accessible to all threads";
    LOCAL:          "local",           Space(Local),         ALWAYS,                     "local memory, private to each thread";
    SHARED:         "shared",          Space(Shared),        ALWAYS,                     "shared memory of the block";
    SHARED_CTA:     "shared::cta",     Space(Shared),        since(7, 8),                "shared memory of the block";
    SHARED_CLUSTER: "shared::cluster", Space(SharedCluster), since(7, 8).with(Clusters), "shared memory of any block of the cluster";
    /// `.param` denotes parameters of kernels and of device functions. The variable in the address determines which of the two applies.
    PARAM:          "param",           Space(ParamFunc),     ALWAYS,                     "parameters";
    PARAM_ENTRY:    "param::entry",    Space(ParamEntry),    since(8, 3),                "kernel parameters";
    PARAM_FUNC:     "param::func",     Space(ParamFunc),     since(8, 3),                "parameters of a device function";
}

set! { SCOPE: Scope "scope";
    "cta",     Scope(Cta),     ALWAYS,                     "all threads of the block";
    "cluster", Scope(Cluster), since(7, 8).with(Clusters), "all threads of the cluster";
    "gpu",     Scope(Gpu),     ALWAYS,                     "all threads of the device";
    "sys",     Scope(Sys),     ALWAYS,                     "all threads of the system, including the host";
}
set! { VECTOR: Vector "vector width";
    "v2", Vector(V2), ALWAYS,      "two elements";
    "v4", Vector(V4), ALWAYS,      "four elements";
    "v8", Vector(V8), since(8, 8), "eight elements";
}

const LEVEL_1: Gate = since(7, 4).sm(70);
const LEVEL_2: Gate = since(8, 8).sm(100);
/// Gate of cache operators, which require the caches of `sm_20`.
pub(super) const CACHED: Gate = since(2, 0).with(GenericAddressing);

set! { EVICT_L1: Level1Priority "L1 eviction priority";
    "L1::evict_normal",    EvictL1(Normal),     LEVEL_1, "gives the data normal eviction priority in L1";
    "L1::evict_unchanged", EvictL1(Unchanged),  LEVEL_1, "leaves the eviction priority in L1 unchanged";
    "L1::evict_first",     EvictL1(First),      LEVEL_1, "makes the data likely to be evicted first from L1";
    "L1::evict_last",      EvictL1(Last),       LEVEL_1, "makes the data likely to be evicted last from L1";
    "L1::no_allocate",     EvictL1(NoAllocate), LEVEL_1, "does not allocate an L1 cache line";
}
set! { EVICT_L2: Level2Priority "L2 eviction priority";
    "L2::evict_normal", EvictL2(Normal), LEVEL_2, "gives the data normal eviction priority in L2";
    "L2::evict_first",  EvictL2(First),  LEVEL_2, "makes the data likely to be evicted first from L2";
    "L2::evict_last",   EvictL2(Last),   LEVEL_2, "makes the data likely to be evicted last from L2";
}
set! { CACHE_HINT: CacheHint "cache hint";
    "L2::cache_hint", Flag(CacheHint), since(7, 4).sm(80), "applies the cache policy in the last operand";
}
set! { PREFETCH_SIZE: PrefetchSize "prefetch size";
    "L2::64B",  Prefetch(PrefetchSize::B64),  since(7, 4).sm(75), "prefetches 64 bytes into L2";
    "L2::128B", Prefetch(PrefetchSize::B128), since(7, 4).sm(75), "prefetches 128 bytes into L2";
    "L2::256B", Prefetch(PrefetchSize::B256), since(7, 4).sm(80), "prefetches 256 bytes into L2";
}
set! { CACHE_LOAD: CacheOp "cache operator";
    "ca", Cache(Ca), CACHED, "caches the data at all levels";
    "cg", Cache(Cg), CACHED, "caches the data in L2 only";
    "cs", Cache(Cs), CACHED, "caches the data as streaming data, which is likely to be read once";
    "lu", Cache(Lu), CACHED, "marks the access as the last use of the data";
    "cv", Cache(Cv), CACHED, "does not cache the data, so that each load fetches the data again";
}
