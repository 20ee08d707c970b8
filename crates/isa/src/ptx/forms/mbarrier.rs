//! Operations on mbarrier objects (PTX ISA, "mbarrier").

use super::form_macros::{ALWAYS, form, operands, set, since, types, values};
use super::modifier_sets::{SHARED, SHARED_CTA};
use crate::form::rule::{Rule, RuleKind::*, any, rule};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{Scope::*, Sem::*};
use crate::operation::MbarrierOp::*;
use crate::space::StateSpace::SharedCluster;

/// Gate of mbarrier objects in the shared memory of the CTA.
const OBJECTS: Gate = since(7, 0).sm(80);
/// Gate of mbarrier objects in distributed shared memory, and of transaction counts.
const CLUSTERS: Gate = since(8, 0).sm(90);
const ORDERED: Gate = since(8, 0).sm(80);
const RELAXED: Gate = since(8, 6).sm(90);
const LAYOUT: Gate = since(9, 3).sm(90).assembler("13.5");

types!(B64_ONLY, Type, B64);
values! {
    IN_CLUSTER: "shared::cluster", Space(SharedCluster), CLUSTERS, "shared memory of any block of the cluster";
    BLOCK: "cta", Scope(Cta), ALWAYS, "all threads of the block";
    CLUSTER: "cluster", Scope(Cluster), CLUSTERS, "all threads of the cluster";
}
set! { OWN: Space "state space"; SHARED; SHARED_CTA; }
set! { ANY: Space "state space"; SHARED; SHARED_CTA; IN_CLUSTER; }
set! { SCOPE: Scope "scope"; BLOCK; CLUSTER; }
set! { ARRIVES: Sem "memory order";
    "release", Sem(Release), ORDERED, "release semantics (the default), which order all earlier memory accesses before the operation";
    "relaxed", Sem(Relaxed), RELAXED, "relaxed semantics, which do not order other memory accesses";
}
set! { WAITS: Sem "memory order";
    "acquire", Sem(Acquire), ORDERED, "acquire semantics (the default), which order all later memory accesses after the operation";
    "relaxed", Sem(Relaxed), RELAXED, "relaxed semantics, which do not order other memory accesses";
}
set! { COUNTS: Sem "memory order";
    "relaxed", Sem(Relaxed), ALWAYS, "relaxed semantics (the default), which do not order other memory accesses";
}

/// Rules between the modifiers of `mbarrier`: memory order and scope require each other.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule(Requires { when: any(S::Sem), slot: S::Scope, among: &[] }, "a memory order requires a scope"),
    rule(Requires { when: any(S::Scope), slot: S::Sem, among: &[] }, "a scope requires a memory order such as `.release`"),
];

operands! {
    MADE: "count" Number(Within(1, 0xf_ffff));
    ARRIVAL: "d" Bits(64), "count" Number(Within(1, 0x7fff_ffff));
    EXPECTED: "d" Bits(64), "bytes" Bits(32);
    COUNTED: "bytes" Bits(32);
    STATE: "p" Predicate, "state" Bits(64);
    PARITY: "p" Predicate, "parity" Number(Within(0, 1));
    TIMED_STATE: "p" Predicate, "state" Bits(64), "time" Bits(32);
    TIMED_PARITY: "p" Predicate, "parity" Number(Within(0, 1)), "time" Bits(32);
    PENDING: "d" Bits(32), "state" Bits(64);
    LAYOUTS: "p" Predicate;
}

const PREFIX: &str = "parallel-synchronization-and-communication-instructions-mbarrier";
const INIT: &str = "parallel-synchronization-and-communication-instructions-mbarrier-init";
const INVAL: &str = "parallel-synchronization-and-communication-instructions-mbarrier-inval";
const ARRIVE: &str = "parallel-synchronization-and-communication-instructions-mbarrier-arrive";
const DROP: &str = "parallel-synchronization-and-communication-instructions-mbarrier-arrive-drop";
const EXPECT: &str = "parallel-synchronization-and-communication-instructions-mbarrier-expect-tx";
const COMPLETE: &str =
    "parallel-synchronization-and-communication-instructions-mbarrier-complete-tx";
const WAIT: &str =
    "parallel-synchronization-and-communication-instructions-mbarrier-test-wait-try-wait";
const PENDED: &str =
    "parallel-synchronization-and-communication-instructions-mbarrier-pending-count";

/// Instruction forms of `mbarrier`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("mbarrier.init{.ss}.type [addr], count", [OWN, B64_ONLY], Mbarrier(Init), gate: OBJECTS, n_name_modifiers: 1, types: MADE;
        "Initializes an mbarrier object with an expected arrival count of `count`.", INIT;
        accepted_examples: &["mbarrier.init.shared.b64 [d], 1;"], rejected_examples: &[("mbarrier.init.shared.b64 [d], 0;", "W0144"), ("mbarrier.init.shared.b32 [d], 1;", "W0104"),
            ("mbarrier.init.global.b64 [d], 1;", "W0102")]),
    form!("mbarrier.init.layout::v1{.ss}.type [addr], count", [OWN, B64_ONLY], Mbarrier(Init), gate: LAYOUT, n_name_modifiers: 1, types: MADE;
        "Initializes an mbarrier object with the first layout version. This form is undocumented, but `ptxas` accepts it.", INIT;
        accepted_examples: &["mbarrier.init.layout::v1.shared.b64 [d], 1;"]),
    form!("mbarrier.inval{.ss}.type [addr]", [OWN, B64_ONLY], Mbarrier(Inval), gate: OBJECTS, n_name_modifiers: 1;
        "Invalidates an mbarrier object so that its memory can be reused.", INVAL;
        accepted_examples: &["mbarrier.inval.shared.b64 [d];"], rejected_examples: &[("mbarrier.inval.shared.b64 d;", "W0110")]),
    form!("mbarrier.arrive{.sem}{.scope}{.ss}.type d, [addr]{, count}", [ARRIVES, SCOPE, ANY, B64_ONLY], Mbarrier(Arrive),
        gate: OBJECTS, n_name_modifiers: 1, operand_extensions: &[Sink, FourWords], types: ARRIVAL, rules: RULES;
        "Arrives at an mbarrier once or `count` times and returns the phase state in d.", ARRIVE;
        accepted_examples: &["mbarrier.arrive.shared.b64 d, [d];", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [d], 2;"],
        rejected_examples: &[("mbarrier.arrive.release.shared.b64 d, [d];", "W0301"), ("mbarrier.arrive.cta.shared.b64 d, [d];", "W0301"),
            ("mbarrier.arrive.shared::cluster.b64 d, [d];", "W0145")]),
    form!("mbarrier.arrive.noComplete{.sem}{.scope}{.ss}.type d, [addr], count", [ARRIVES, SCOPE, OWN, B64_ONLY], Mbarrier(Arrive),
        gate: OBJECTS, n_name_modifiers: 1, operand_extensions: &[Sink, FourWords], types: ARRIVAL, rules: RULES;
        "Arrives at an mbarrier `count` times without completing the phase and returns the phase state in d.", ARRIVE;
        accepted_examples: &["mbarrier.arrive.noComplete.shared.b64 d, [d], 1;"], rejected_examples: &[("mbarrier.arrive.noComplete.shared.b64 d, [d];", "W0108")]),
    form!("mbarrier.arrive.expect_tx{.sem}{.scope}{.ss}.type d, [addr], bytes", [ARRIVES, SCOPE, ANY, B64_ONLY], Mbarrier(Arrive),
        gate: CLUSTERS, n_name_modifiers: 2, operand_extensions: &[Sink], types: EXPECTED, rules: RULES;
        "Increases the tx-count of an mbarrier by a number of bytes, arrives once, and returns the phase state in d.", ARRIVE;
        accepted_examples: &["mbarrier.arrive.expect_tx.shared.b64 _, [d], 64;"]),
    form!("mbarrier.arrive_drop{.sem}{.scope}{.ss}.type d, [addr]{, count}", [ARRIVES, SCOPE, ANY, B64_ONLY], Mbarrier(ArriveDrop),
        gate: OBJECTS, n_name_modifiers: 1, operand_extensions: &[Sink, FourWords], types: ARRIVAL, rules: RULES;
        "Arrives at an mbarrier once or `count` times and reduces the expected arrival count of later phases by the same number.", DROP;
        accepted_examples: &["mbarrier.arrive_drop.shared.b64 d, [d];"]),
    form!("mbarrier.arrive_drop.noComplete{.sem}{.scope}{.ss}.type d, [addr], count", [ARRIVES, SCOPE, OWN, B64_ONLY], Mbarrier(ArriveDrop),
        gate: OBJECTS, n_name_modifiers: 1, operand_extensions: &[Sink, FourWords], types: ARRIVAL, rules: RULES;
        "Performs the operation of `mbarrier.arrive_drop`, but must not complete the phase.", DROP;
        accepted_examples: &["mbarrier.arrive_drop.noComplete.shared.b64 d, [d], 1;"]),
    form!("mbarrier.arrive_drop.expect_tx{.sem}{.scope}{.ss}.type d, [addr], bytes", [ARRIVES, SCOPE, ANY, B64_ONLY], Mbarrier(ArriveDrop),
        gate: CLUSTERS, n_name_modifiers: 2, operand_extensions: &[Sink], types: EXPECTED, rules: RULES;
        "Increases the tx-count of an mbarrier by a number of bytes, arrives once, and decrements the expected arrival count of later phases.", DROP;
        accepted_examples: &["mbarrier.arrive_drop.expect_tx.shared.b64 _, [d], 64;"]),
    form!("mbarrier.expect_tx{.sem}{.scope}{.ss}.type [addr], bytes", [COUNTS, SCOPE, ANY, B64_ONLY], Mbarrier(ExpectTx),
        gate: CLUSTERS, n_name_modifiers: 1, types: COUNTED, rules: RULES;
        "Increases the tx-count of an mbarrier by a number of bytes.", EXPECT;
        accepted_examples: &["mbarrier.expect_tx.relaxed.cta.shared.b64 [d], 64;"], rejected_examples: &[("mbarrier.expect_tx.release.cta.shared.b64 [d], 64;", "W0102")]),
    form!("mbarrier.complete_tx{.sem}{.scope}{.ss}.type [addr], bytes", [COUNTS, SCOPE, ANY, B64_ONLY], Mbarrier(CompleteTx),
        gate: CLUSTERS, n_name_modifiers: 1, types: COUNTED, rules: RULES;
        "Decreases the tx-count of an mbarrier by a number of bytes, which simulates the completion of an asynchronous operation.", COMPLETE;
        accepted_examples: &["mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [d], 64;"]),
    form!("mbarrier.test_wait{.sem}{.scope}{.ss}.type p, [addr], state", [WAITS, SCOPE, OWN, B64_ONLY], Mbarrier(TestWait),
        gate: OBJECTS, n_name_modifiers: 1, destination_operands: &["p"], types: STATE, rules: RULES;
        "Tests whether the mbarrier phase identified by a state operand is complete.", WAIT;
        accepted_examples: &["mbarrier.test_wait.shared.b64 p, [d], d;"], rejected_examples: &[("mbarrier.test_wait.shared.b64 p, [d], r;", "W0109")]),
    form!("mbarrier.test_wait.parity{.sem}{.scope}{.ss}.type p, [addr], parity", [WAITS, SCOPE, OWN, B64_ONLY], Mbarrier(TestWait),
        gate: since(7, 1).sm(80), n_name_modifiers: 2, destination_operands: &["p"], types: PARITY, rules: RULES;
        "Tests whether the mbarrier phase identified by its parity, either the current or the preceding phase, is complete.", WAIT;
        accepted_examples: &["mbarrier.test_wait.parity.shared.b64 p, [d], 0;"], rejected_examples: &[("mbarrier.test_wait.parity.shared.b64 p, [d], 2;", "W0144")]),
    form!("mbarrier.try_wait{.sem}{.scope}{.ss}.type p, [addr], state{, time}", [WAITS, SCOPE, OWN, B64_ONLY], Mbarrier(TryWait),
        gate: since(7, 8).sm(90), n_name_modifiers: 1, destination_operands: &["p"], types: TIMED_STATE, rules: RULES;
        "Waits with a time limit for the mbarrier phase identified by a state operand. p is true if the phase is complete.", WAIT;
        accepted_examples: &["mbarrier.try_wait.shared.b64 p, [d], d;"]),
    form!("mbarrier.try_wait.parity{.sem}{.scope}{.ss}.type p, [addr], parity{, time}", [WAITS, SCOPE, OWN, B64_ONLY], Mbarrier(TryWait),
        gate: since(7, 8).sm(90), n_name_modifiers: 2, destination_operands: &["p"], types: TIMED_PARITY, rules: RULES;
        "Waits with a time limit for the mbarrier phase identified by its parity. p is true if the phase is complete.", WAIT;
        accepted_examples: &["mbarrier.try_wait.parity.acquire.cta.shared.b64 p, [d], 0, 100;"]),
    form!("mbarrier.pending_count.type d, state", [B64_ONLY], Mbarrier(PendingCount), gate: OBJECTS, n_name_modifiers: 1, types: PENDING;
        "Extracts the pending arrival count from a phase state.", PENDED;
        accepted_examples: &["mbarrier.pending_count.b64 r, d;"], rejected_examples: &[("mbarrier.pending_count.b64 d, d;", "W0109")]),
    form!("mbarrier.check_layout{.ss}.layout::v1.type p, [addr]", [OWN, B64_ONLY], Mbarrier(CheckLayout), gate: LAYOUT, n_name_modifiers: 1,
        destination_operands: &["p"], types: LAYOUTS;
        "Tests whether an mbarrier object has a particular layout version. This form is undocumented, but `ptxas` accepts it.", PREFIX;
        accepted_examples: &["mbarrier.check_layout.shared.layout::v1.b64 p, [d];"], rejected_examples: &[("mbarrier.check_layout.shared.b64 p, [d];", "W0105")]),
];

/// Gate of count operands without `.noComplete`. The checker applies this gate, because the gate depends on operands and modifiers.
pub const COUNT: Gate = since(7, 8).sm(90);
/// Gate of the sink symbol `_` as the destination of `.noComplete` arrivals. The checker applies this gate.
pub const NO_COMPLETE_SINK: Gate = since(7, 1).sm(80).assembler("13.5");
