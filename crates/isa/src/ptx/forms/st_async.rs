//! Asynchronous stores (PTX ISA, "st.async").
//!
//! The first two forms are those of the manual. The third form covers instructions that the reference assembler accepts in addition: the
//! completion mechanism is optional unless the state space is `.shared::cluster`, and the shared memory of the CTA is a valid destination.

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{GLOBAL, SHARED, SHARED_CLUSTER, SHARED_CTA};
use crate::form::rule::{Rule, RuleKind::*, WideAccess, any, assembler, of, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{Completion::*, Flag::Mmio, Scope::*, Sem::*, VectorWidth::*};
use crate::operation::AsyncOp::Store;
use crate::target::Feature::{Clusters, StAsync, StAsyncRelease};

const ASSEMBLER: &str = "13.5";
const SECTION: &str = "data-movement-and-conversion-instructions-st-async";
/// Gate of stores with an mbarrier.
const MBARRIER: Gate = since(8, 1).with(StAsync);
/// Gate of stores to global memory with release semantics.
const RELEASE: Gate = since(8, 7).with(StAsyncRelease);
/// Gate of forms that the assembler accepts beyond the manual.
const BEYOND: Gate = MBARRIER.assembler(ASSEMBLER);
/// Gate of forms with 128-bit elements.
const ELEMENTS_OF_128_BITS: Gate = since(9, 2).with(StAsync).assembler(ASSEMBLER);

set! { WEAK: Weak "memory order";
    "weak", Sem(Weak), ALWAYS, "weak store, which does not order other accesses and whose completion is observed through the mbarrier";
}
set! { SEM_RELEASE: Sem "memory order";
    "release", Sem(Release), RELEASE, "release semantics, which order all earlier memory accesses of the thread before the store";
}
set! { MMIO: Mmio "memory-mapped I/O";
    "mmio", Flag(Mmio), RELEASE, "memory-mapped I/O access, which is performed exactly once with this width";
}
set! { VECTOR: Vector "vector width";
    "v2", Vector(V2), ALWAYS, "two elements";
    "v4", Vector(V4), ALWAYS, "four elements";
}
set! { COMPLETION: Completion "completion mechanism";
    "mbarrier::complete_tx::bytes", Completion(MbarrierCompleteTxBytes), since(8, 0).with(StAsync),
        "decrements the tx-count of the mbarrier by the number of bytes on completion";
}
set! { SCOPE_CLUSTER: Scope "scope";
    "cluster", Scope(Cluster), since(7, 8).with(Clusters).assembler(ASSEMBLER), "all threads of the cluster";
}
set! { SCOPE_DEVICE: Scope "scope";
    "gpu", Scope(Gpu), RELEASE, "all threads of the device";
    "sys", Scope(Sys), RELEASE, "all threads of the system, including the host";
}
set! { SCOPE_PLAIN: Scope "scope";
    "gpu", Scope(Gpu), BEYOND, "all threads of the device";
    "sys", Scope(Sys), BEYOND, "all threads of the system, including the host";
}
set! { SPACE_CLUSTER: Space "state space";
    SHARED_CLUSTER; (SHARED.since(BEYOND)); (SHARED_CTA.since(BEYOND));
}
set! { SPACE_GLOBAL: Space "state space"; (GLOBAL.since(RELEASE)); }
set! { SPACE_PLAIN: Space "state space";
    (GLOBAL.since(RELEASE.assembler(ASSEMBLER))); (SHARED.since(BEYOND)); (SHARED_CTA.since(BEYOND));
}
// The assembler accepts types narrower than 32 bits only without an mbarrier operand.
types!(TYPE_MBARRIER, Type, B32 B64 U32 U64 S32 S64 F32 F64;
    ELEMENTS_OF_128_BITS => B128; BEYOND => B8 B16 U8 U16 S8 S16);
types!(TYPE_RELEASE, Type, B8 B16 B32 B64 U8 U16 U32 U64 S8 S16 S32 S64 F32 F64; ELEMENTS_OF_128_BITS => B128);

/// Accesses wider than 128 bits: none.
static WIDE: WideAccess = WideAccess {
    bits: 128,
    shapes: &[],
    gate: MBARRIER,
    spaces: &[],
};

/// Rules between the modifiers of `st.async`.
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    assembler(Conflict { a: any(S::Weak), b: any(S::Scope) }, "a weak store does not synchronize, so a scope is not applicable"),
    assembler(Restricts { when: of(S::Scope, &["cluster"]), slot: S::Space, among: &["shared::cluster"] },
        "cluster scope requires shared memory of the cluster"),
    rule(Restricts { when: of(S::Scope, &["gpu", "sys"]), slot: S::Space, among: &["global"] }, "the scopes `.gpu` and `.sys` apply to global memory only"),
    rule(Restricts { when: any(S::Mmio), slot: S::Scope, among: &["sys"] }, "memory-mapped I/O requires system scope (`.sys`)"),
    rule(VectorBits { most: 128, wide: &WIDE }, "a wider access must be split into several instructions"),
    rule(ForeignModifier { words: &["volatile", "relaxed", "acquire", "acq_rel", "sc"] }, "an asynchronous store must be `.weak` or `.release`"),
    rule(ForeignModifier { words: &["cta"] }, "the scope of an asynchronous store must be larger than the block"),
    rule(ForeignModifier { words: &["const", "local", "param", "param::func", "param::entry"] },
        "asynchronous stores access shared or global memory only"),
    rule(ForeignModifier { words: &["wb", "cg", "cs", "wt", "ca", "L2::cache_hint"] },
        "asynchronous stores support neither cache operators nor cache policies"),
    rule(ForeignModifier { words: &["f16", "bf16"] }, "values of this type are stored as `.b16`"),
    rule(ForeignModifier { words: &["f16x2", "bf16x2", "tf32"] }, "values of this type are stored as `.b32`"),
    rule(ForeignModifier { words: &["pred"] }, "a predicate cannot be stored; convert the predicate to an integer with `selp` first"),
];

// Functions of the checker validate these operands, because the permitted operands depend on the number of operands.
operands! {
    OPERANDS: "a" Custom("address"), "b" Custom("value, or brace-enclosed list of values whose length is given by `.vec`"), "mbar" Custom("address of an mbarrier object in shared memory");
    NO_BARRIER: "a" Custom("address"), "b" Custom("value, or brace-enclosed list of values whose length is given by `.vec`");
}

/// Instruction forms of `st.async`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("st.async{.weak}{.scope}{.ss}.completion_mechanism{.vec}.type [a], b{, [mbar]}",
        [WEAK, SCOPE_CLUSTER, SPACE_CLUSTER, COMPLETION, VECTOR, TYPE_MBARRIER], Async(Store), n_name_modifiers: 1, gate: MBARRIER,
        types: OPERANDS, address: Strict, reports: Everything, rules: RULES;
        "Starts an asynchronous store to shared memory of the cluster and signals completion on an mbarrier.", SECTION;
        accepted_examples: &["st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], b, [mbar];",
            "st.async.weak.mbarrier::complete_tx::bytes.v4.f32 [a], {b, b, b, b}, [mbar];"],
        rejected_examples: &[("st.async.shared::cluster.u32 [a], b, [mbar];", "W0105"),
            ("st.async.weak.cluster.mbarrier::complete_tx::bytes.u32 [a], b, [mbar];", "W0300")]),
    // A third operand would be an mbarrier. Instead of an operand-count error, the checker of this family reports a specific diagnostic.
    form!("st.async{.mmio}.sem.scope{.ss}.type [a], b",
        [MMIO, SEM_RELEASE, SCOPE_DEVICE, SPACE_GLOBAL, TYPE_RELEASE], Async(Store), n_name_modifiers: 1, gate: RELEASE,
        types: NO_BARRIER, address: Strict, reports: Everything, extra_operands: 1, rules: RULES;
        "Starts an asynchronous store to global memory with release semantics.", SECTION;
        accepted_examples: &["st.async.release.gpu.global.u32 [a], b;", "st.async.mmio.release.sys.global.u32 [a], b;"],
        rejected_examples: &[("st.async.release.global.u32 [a], b;", "W0105"), ("st.async.mmio.release.gpu.u32 [a], b;", "W0302")]),
    form!("st.async{.weak}{.scope}{.ss}{.vec}.type [a], b{, [mbar]}",
        [WEAK, SCOPE_PLAIN, SPACE_PLAIN, VECTOR, TYPE_RELEASE], Async(Store), n_name_modifiers: 1, gate: BEYOND,
        types: OPERANDS, address: Strict, reports: Everything, rules: RULES;
        "Starts an asynchronous store without a completion mechanism. This form is undocumented, but `ptxas` accepts it.", SECTION;
        accepted_examples: &["st.async.shared::cta.u32 [a], b, [mbar];"],
        rejected_examples: &[("st.async.u32 [a], b, [mbar];", "W0401")]),
];
