//! Asynchronous reductions (PTX ISA, "red.async"): to distributed shared memory with an mbarrier, and to global memory with release
//! semantics.

use super::atomic::{ADD, BITWISE, COUNT, EXTREME};
use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{B32_ONLY, GLOBAL, SHARED_CLUSTER, U32_ONLY};
use crate::form::rule::{Rule, RuleKind::*, any, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{Completion::*, Flag::Mmio, Scope::*, Sem::*};
use crate::operation::AsyncOp::Reduction;
use crate::space::StateSpace::SharedCluster as ClusterMemory;
use crate::target::Feature::{StAsync, StAsyncRelease};

const SECTION: &str = "parallel-synchronization-and-communication-instructions-red-async";
const MBARRIER: Gate = since(8, 1).with(StAsync);
const RELEASE: Gate = since(8, 7).with(StAsyncRelease);

set! { RELAXED: Sem "memory order"; "relaxed", Sem(Relaxed), ALWAYS, "relaxed semantics, which do not order other memory accesses"; }
set! { RELEASES: Sem "memory order"; "release", Sem(Release), ALWAYS, "release semantics, which order all earlier memory accesses of the thread before the operation"; }
set! { CLUSTER: Scope "scope"; "cluster", Scope(Cluster), ALWAYS, "all threads of the cluster"; }
set! { DEVICE: Scope "scope";
    "gpu", Scope(Gpu), ALWAYS, "all threads of the device";
    "sys", Scope(Sys), ALWAYS, "all threads of the system, including the host";
}
set! { MMIO: Mmio "memory-mapped I/O"; "mmio", Flag(Mmio), ALWAYS, "memory-mapped I/O access, which is performed exactly once with this width"; }
set! { IN_CLUSTER: Space "state space"; SHARED_CLUSTER; }
set! { IN_GLOBAL: Space "state space"; GLOBAL; }
set! { COMPLETION: Completion "completion mechanism";
    "mbarrier::complete_tx::bytes", Completion(MbarrierCompleteTxBytes), ALWAYS, "decrements the tx-count of the mbarrier by the number of bytes on completion";
}
types!(ADDED, Type, U32 S32 U64);
types!(EXTREMES, Type, U32 S32);
types!(RELEASED, Type, U32 S32 U64 S64);

#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule(Restricts { when: any(S::Mmio), slot: S::Scope, among: &["sys"] }, "memory-mapped I/O requires system scope (`.sys`)"),
];

operands! {
    COUNTED: "mbar" AddressIn(ClusterMemory);
}

/// Instruction forms of `red.async`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("red.async.sem.scope{.ss}.completion_mechanism.op.type [a], b{, [mbar]}", [RELAXED, CLUSTER, IN_CLUSTER, COMPLETION, BITWISE, B32_ONLY],
        Async(Reduction), gate: MBARRIER, n_name_modifiers: 1, address: Strict, types: COUNTED;
        "Starts an asynchronous bitwise reduction on shared memory of the cluster and signals completion on an mbarrier.", SECTION;
        accepted_examples: &["red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [d], r, [d];"],
        rejected_examples: &[("red.async.relaxed.cluster.shared::cluster.or.b32 [d], r, [d];", "W0105")]),
    form!("red.async.sem.scope{.ss}.completion_mechanism.op.type [a], b{, [mbar]}", [RELAXED, CLUSTER, IN_CLUSTER, COMPLETION, ADD, ADDED],
        Async(Reduction), gate: MBARRIER, n_name_modifiers: 1, address: Strict, types: COUNTED;
        "Starts an asynchronous addition to shared memory of the cluster and signals completion on an mbarrier.", SECTION;
        accepted_examples: &["red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32 [d], r, [d];"]),
    form!("red.async.sem.scope{.ss}.completion_mechanism.op.type [a], b{, [mbar]}", [RELAXED, CLUSTER, IN_CLUSTER, COMPLETION, COUNT, U32_ONLY],
        Async(Reduction), gate: MBARRIER, n_name_modifiers: 1, address: Strict, types: COUNTED;
        "Starts an asynchronous increment or decrement in shared memory of the cluster and signals completion on an mbarrier.", SECTION;
        accepted_examples: &["red.async.relaxed.cluster.mbarrier::complete_tx::bytes.inc.u32 [d], r, [d];"]),
    form!("red.async.sem.scope{.ss}.completion_mechanism.op.type [a], b{, [mbar]}", [RELAXED, CLUSTER, IN_CLUSTER, COMPLETION, EXTREME, EXTREMES],
        Async(Reduction), gate: MBARRIER, n_name_modifiers: 1, address: Strict, types: COUNTED;
        "Starts an asynchronous minimum or maximum reduction on shared memory of the cluster and signals completion on an mbarrier.", SECTION;
        accepted_examples: &["red.async.relaxed.cluster.mbarrier::complete_tx::bytes.min.u32 [d], r, [d];"]),
    form!("red.async{.mmio}.sem.scope{.ss}.op.type [a], b", [MMIO, RELEASES, DEVICE, IN_GLOBAL, ADD, RELEASED],
        Async(Reduction), gate: RELEASE, n_name_modifiers: 1, address: Strict, rules: RULES;
        "Starts an asynchronous addition to global memory with release semantics.", SECTION;
        accepted_examples: &["red.async.release.gpu.global.add.u32 [d], r;"], rejected_examples: &[("red.async.mmio.release.gpu.global.add.u32 [d], r;", "W0302")]),
];
