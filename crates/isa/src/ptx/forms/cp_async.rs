//! Asynchronous copies of 4, 8 and 16 bytes to shared memory, and the async-groups of these copies (PTX ISA, "cp.async").

use super::form_macros::{ALWAYS, form, operands, set, since, types};
use super::modifier_sets::{CACHE_HINT, PREFETCH_SIZE, SHARED, SHARED_CTA};
use crate::form::rule::{Rule, RuleKind::*, assembler};
use crate::form::{Form, Gate, SlotName as S};
use crate::modifier::{CacheOp::*, Flag::CacheHint as Hint};
use crate::operation::AsyncOp::*;
use crate::space::StateSpace as Memory;
use crate::space::StateSpace::Global;

const COPIES: Gate = since(7, 0).sm(80);

types!(B64_ONLY, Type, B64);
set! { TO: Destination "destination";
    "shared", Space(Memory::Shared), ALWAYS, "to shared memory of the block";
    "shared::cta", Space(Memory::Shared), ALWAYS, "to shared memory of the block";
}
set! { FROM: Source "source";
    "global", SourceSpace(Global), ALWAYS, "from global memory";
}
set! { CACHED: CacheOp "cache operator";
    "ca", Cache(Ca), ALWAYS, "caches the data at all levels";
    "cg", Cache(Cg), ALWAYS, "caches the data in L2 only";
}
set! { OWN: Space "state space"; SHARED; SHARED_CTA; }

#[rustfmt::skip]
const RULES: &[Rule] = &[
    assembler(Before { first: S::Destination, second: S::Source }, "the destination state space is specified before the source state space"),
];

operands! {
    COPIED: "dst" AddressIn(Memory::Shared), "src" AddressIn(Global), "size" Number(Between(4, 16)), "source-size" Number(PredicateOrUpTo(16)),
        "cache-policy" CachePolicy;
    GROUPS: "n" Literal(32);
}

/// Instruction forms of `cp.async`.
#[rustfmt::skip]
pub static FORMS: &[Form] = &[
    form!("cp.async.cop.dst.src{.level::cache_hint}{.level::prefetch_size}{.L1::32B} [dst], [src], size{, source-size}{, cache-policy}",
        [CACHED, TO, FROM, CACHE_HINT, PREFETCH_SIZE], Async(Copy), gate: COPIES, n_name_modifiers: 1, flag_gated_operands: &[("cache-policy", Hint)],
        address: AsyncCopy, types: COPIED, rules: RULES;
        "Starts an asynchronous copy of 4, 8 or 16 bytes. Bytes beyond `source-size` are filled with zeros, and all bytes are if the ignore-src predicate is true.",
        "data-movement-and-conversion-instructions-cp-async";
        accepted_examples: &["cp.async.ca.shared.global [r], [d], 4;", "cp.async.cg.shared.global [r], [d], 16, r;", "cp.async.cg.shared.global [r], [d], 16, p;"],
        rejected_examples: &[("cp.async.cg.shared.global [r], [d], 4;", "W0144"), ("cp.async.shared.global [r], [d], 4;", "W0105"), ("cp.async.ca.global.shared [d], [r], 4;", "W0388")]),
    form!("cp.async.commit_group", [], Async(CopyCommit), gate: COPIES, n_name_modifiers: 2;
        "Commits all prior uncommitted `cp.async` operations of the thread to a cp.async-group.", "data-movement-and-conversion-instructions-cp-async-commit-group";
        accepted_examples: &["cp.async.commit_group;"]),
    form!("cp.async.wait_group n", [], Async(CopyWait), gate: COPIES, n_name_modifiers: 2, types: GROUPS;
        "Waits until at most the `n` most recent cp.async-groups of the thread are pending.", "data-movement-and-conversion-instructions-cp-async-wait-group";
        accepted_examples: &["cp.async.wait_group 1;"], rejected_examples: &[("cp.async.wait_group r;", "W0110")]),
    form!("cp.async.wait_all", [], Async(CopyWaitAll), gate: COPIES, n_name_modifiers: 2;
        "Waits until all prior `cp.async` operations of the thread are complete.", "data-movement-and-conversion-instructions-cp-async-wait-group";
        accepted_examples: &["cp.async.wait_all;"]),
    form!("cp.async.mbarrier.arrive{.noinc}{.ss}.type [addr]", [OWN, B64_ONLY], Async(CopyArrive), gate: COPIES, n_name_modifiers: 3, address: AsyncCopy;
        "Triggers an arrival at an mbarrier when all prior `cp.async` operations of the thread are complete. Without `.noinc`, the pending count is incremented first.",
        "parallel-synchronization-and-communication-instructions-cp-async-mbarrier-arrive";
        accepted_examples: &["cp.async.mbarrier.arrive.noinc.shared.b64 [d];"]),
];
