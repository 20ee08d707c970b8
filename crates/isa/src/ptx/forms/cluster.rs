//! Cluster barrier, distributed shared memory addresses, and register reallocation (PTX ISA, "barrier.cluster", "mapa", "getctarank",
//! "setmaxnreg").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use crate::form::{Form, Gate};
use crate::modifier::Sem::*;
use crate::operation::{HintOp::SetMaxRegisters, MoveOp::*, RegisterCountDirection, SyncOp::*};
use crate::space::StateSpace::SharedCluster;
use crate::target::TargetRequirement::{Family, OneOf, Only};

const CLUSTERS: Gate = since(7, 8).sm(90);
const ORDERED: Gate = since(8, 0).sm(90);
/// Gate of `setmaxnreg`: targets that support register reallocation between warps.
const REGISTERS: Gate = since(8, 0)
    .on(OneOf(&[Family(100), Family(101), Family(120), Only(90)]))
    .assembler("13.5");

set! { ARRIVES: Sem "memory order";
    "release", Sem(Release), ORDERED, "release semantics (the default), which order all earlier memory accesses before the operation";
    "relaxed", Sem(Relaxed), ORDERED, "relaxed semantics, which do not order other memory accesses";
}
set! { WAITS: Sem "memory order";
    "acquire", Sem(Acquire), ORDERED, "acquire semantics (the default), which order all later memory accesses after the operation";
}
set! { IN_CLUSTER: Space "state space";
    "shared::cluster", Space(SharedCluster), ALWAYS, "uses a `.shared::cluster` address instead of a generic address";
}
types!(MAPPED, Type, U32 U64; ALWAYS.assembler("13.5") => S32 S64);
types!(LOCATED, Type, U32 U64);
types!(U32_ONLY, Type, U32);

operands! {
    TO_RANK: "b" Bits(32);
    RANK: "d" Bits(32);
    COUNT: "count" Number(Multiple(8, 24, 256));
}

/// Instruction forms of cluster instructions.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("barrier.cluster.arrive{.sem}{.aligned}", [ARRIVES], Sync(ClusterArrive), gate: CLUSTERS, n_name_modifiers: 2;
        "Arrives at the cluster barrier without waiting for other threads.", "parallel-synchronization-and-communication-instructions-barrier-cluster";
        accepted_examples: &["barrier.cluster.arrive;", "barrier.cluster.arrive.relaxed.aligned;"], rejected_examples: &[("barrier.cluster.arrive.acquire;", "W0102")]),
    form!("barrier.cluster.wait{.sem}{.aligned}", [WAITS], Sync(ClusterWait), gate: CLUSTERS, n_name_modifiers: 2;
        "Waits until all threads of the cluster have arrived at the cluster barrier.", "parallel-synchronization-and-communication-instructions-barrier-cluster";
        accepted_examples: &["barrier.cluster.wait;", "barrier.cluster.wait.acquire.aligned;"]),
    form!("mapa{.ss}.type d, a, b", [IN_CLUSTER, MAPPED], Move(Mapa), gate: CLUSTERS, operand_extensions: &[VariableAddress, ArrayElement], types: TO_RANK;
        "Maps a shared memory address to the corresponding address in the block with rank b in the cluster.", "data-movement-and-conversion-instructions-mapa";
        accepted_examples: &["mapa.shared::cluster.u32 r, r, 1;", "mapa.u64 d, d, r;"], rejected_examples: &[("mapa.shared.u32 r, r, 1;", "W0102"), ("mapa.u64 d, d, d;", "W0109")]),
    form!("getctarank{.ss}.type d, a", [IN_CLUSTER, LOCATED], Move(GetCtaRank), gate: CLUSTERS, operand_extensions: &[VariableAddress, ArrayElement], types: RANK;
        "Returns the rank in the cluster of the block whose shared memory contains the address.", "data-movement-and-conversion-instructions-getctarank";
        accepted_examples: &["getctarank.shared::cluster.u32 r, r;", "getctarank.u64 r, d;"], rejected_examples: &[("getctarank.u64 d, d;", "W0109")]),
    form!("setmaxnreg.inc.sync.aligned.type count", [U32_ONLY], Hint(SetMaxRegisters(RegisterCountDirection::Increase)), gate: REGISTERS, n_name_modifiers: 1, types: COUNT;
        "Requests an increase of the maximum number of registers per thread to `count`.", "miscellaneous-instructions-setmaxnreg";
        rejected_examples: &[("setmaxnreg.inc.sync.aligned.u32 25;", "W0144")]),
    form!("setmaxnreg.dec.sync.aligned.type count", [U32_ONLY], Hint(SetMaxRegisters(RegisterCountDirection::Decrease)), gate: REGISTERS, n_name_modifiers: 1, types: COUNT;
        "Releases registers to reduce the maximum number of registers per thread to `count`.", "miscellaneous-instructions-setmaxnreg"),
];
