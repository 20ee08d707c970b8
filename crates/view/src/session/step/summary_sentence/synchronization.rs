//! Phrases about synchronization: barriers, mbarriers, fences, async-groups, and the issue and completion of asynchronous operations.

use super::SentenceContext;
use super::builder::Sentence;
use crate::analysis::run_timeline::descriptions::pending_text;
use crate::session::step::effects::SyncEffect;
use std::collections::BTreeMap;
use warpgrid_emulator::{
    ArrivalMode, AsyncGroupKind, CompletionMechanism, GroupWait, InFlightOperation, MbarrierAccess,
    MbarrierOperation, MbarrierState, ends_phase,
};
use warpgrid_isa::Operation;
use warpgrid_program::counted;

/// Appends the synchronization of the step to the sentence, or returns the unchanged sentence as an error if the step has no
/// synchronization event.
pub(super) fn describe_synchronization(
    sentence: Sentence,
    around: &SentenceContext<'_>,
) -> Result<Sentence, Sentence> {
    let lanes = counted(around.executed.count_ones(), "lane");
    for effect in around.effects {
        return Ok(match effect {
            SyncEffect::Completed { operation, signal } => {
                completed(sentence, operation, *signal, around)
            }
            SyncEffect::Issued(_) => issued(sentence, around),
            SyncEffect::Mbarrier {
                operation,
                accesses,
            } => mbarrier(sentence, *operation, accesses, around),
            SyncEffect::BarrierArrived { id, mode } => {
                let sentence = sentence
                    .strong(lanes)
                    .plain(format!(" arrived at barrier {id}"));
                barrier(sentence, *id, *mode, around)
            }
            SyncEffect::WarpBarrierCompleted { n_lanes } => sentence
                .strong(counted(*n_lanes, "lane"))
                .plain(" synchronized"),
            SyncEffect::ClusterArrived => {
                let sentence = sentence
                    .strong(lanes)
                    .plain(" arrived at the cluster barrier");
                let mut effects = around.effects.iter();
                match effects.any(|effect| matches!(effect, SyncEffect::ClusterBarrierCompleted)) {
                    true => sentence.plain("; the barrier completed"),
                    false => sentence,
                }
            }
            SyncEffect::ClusterWaited => sentence
                .strong(lanes)
                .plain(" completed the wait at the cluster barrier"),
            SyncEffect::Committed(kind) => sentence.strong(lanes).plain(format!(
                " committed their operations as {}",
                one_group(*kind)
            )),
            SyncEffect::Waited(wait) => sentence
                .strong(lanes)
                .plain(format!(" completed the wait: {}", wait_text(*wait))),
            SyncEffect::Fence => sentence
                .plain("ordered the memory accesses of ")
                .strong(lanes),
            SyncEffect::Exited => sentence.strong(lanes).plain(" exited"),
            SyncEffect::BarrierCompleted { .. } | SyncEffect::ClusterBarrierCompleted => continue,
        });
    }
    Err(sentence)
}

fn barrier(
    sentence: Sentence,
    id: u32,
    mode: ArrivalMode,
    around: &SentenceContext<'_>,
) -> Sentence {
    let is_completion = |effect: &SyncEffect| matches!(effect, SyncEffect::BarrierCompleted { id: of } if *of == id);
    if around.effects.iter().any(is_completion) {
        return sentence.plain("; the barrier completed");
    }
    let (expected, arrived) = (around.barrier)(id);
    let waiting = match mode {
        ArrivalMode::Yes => ", waiting",
        ArrivalMode::No => "",
    };
    sentence
        .plain(": ")
        .strong(format!("{arrived} of {expected}"))
        .plain(format!(" threads have arrived{waiting}"))
}

/// Appends an mbarrier operation to the sentence, with the last state of each object.
fn mbarrier(
    sentence: Sentence,
    operation: MbarrierOperation,
    accesses: &[MbarrierAccess],
    around: &SentenceContext<'_>,
) -> Sentence {
    let mut objects: BTreeMap<(u64, u64), &MbarrierAccess> = BTreeMap::new();
    for access in accesses {
        objects.insert((access.block, access.address), access);
    }
    let named = match &objects.keys().collect::<Vec<_>>()[..] {
        [(block, address)] => object_name(*block, *address, around),
        all => counted(all.len(), "mbarrier"),
    };
    let lanes = counted(accesses.len(), "lane");
    // Operands of different lanes are listed only if they agree.
    let first = accesses.first().map_or(0, |access| access.value);
    let value = Some(first).filter(|value| accesses.iter().all(|access| access.value == *value));
    let bytes = value.map_or("bytes".to_owned(), |value| counted(value, "byte"));
    let sentence = match operation {
        MbarrierOperation::Init => {
            let count = value.map_or("different arrival counts".to_owned(), |value| {
                counted(value, "expected arrival")
            });
            return sentence
                .strong(lanes)
                .plain(format!(" initialized {named}: "))
                .strong(count);
        }
        MbarrierOperation::Invalidate => {
            return sentence
                .strong(lanes)
                .plain(format!(" invalidated {named}"));
        }
        MbarrierOperation::Arrive => sentence.strong(lanes).plain(format!(" arrived at {named}")),
        MbarrierOperation::ArriveExpecting => sentence
            .strong(lanes)
            .plain(format!(" arrived at {named}, expecting "))
            .strong(bytes),
        MbarrierOperation::Expect => sentence
            .strong(lanes)
            .plain(" expected ")
            .strong(bytes)
            .plain(format!(" at {named}")),
        MbarrierOperation::Complete => sentence
            .strong(lanes)
            .plain(" completed ")
            .strong(bytes)
            .plain(format!(" at {named}")),
        MbarrierOperation::Test => {
            let n_passed = accesses.iter().filter(|access| access.passed).count();
            let sentence = sentence
                .strong(lanes)
                .plain(format!(" tested the phase of {named}: "));
            return match n_passed {
                0 => state(sentence.strong("not complete").plain(", "), &objects),
                n if n == accesses.len() => sentence.strong("complete"),
                n => sentence
                    .strong("complete")
                    .plain(format!(" for {}", counted(n, "lane"))),
            };
        }
        MbarrierOperation::Query => {
            return sentence
                .strong(lanes)
                .plain(format!(" read the state of {named}"));
        }
    };
    let ended: Vec<&MbarrierAccess> = accesses
        .iter()
        .filter(|access| access.ends_phase())
        .collect();
    match &ended[..] {
        [] => state(sentence.plain(": "), &objects),
        [only] => phase_completed(sentence.plain(": "), only.before),
        several => sentence.plain(format!(": {} completed", counted(several.len(), "phase"))),
    }
}

/// Appends the pending arrivals and bytes of an mbarrier to the sentence, if the step accessed only one object.
fn state(sentence: Sentence, objects: &BTreeMap<(u64, u64), &MbarrierAccess>) -> Sentence {
    let mut states = objects.values().filter_map(|access| access.after);
    match (states.next(), states.next()) {
        (Some(state), None) => sentence.strong(pending_text(&state)),
        _ => sentence.plain("pending arrivals remain"),
    }
}

fn phase_completed(sentence: Sentence, before: Option<MbarrierState>) -> Sentence {
    let parity = before.map_or(0, |state| u32::from(state.parity));
    sentence.strong(format!("phase with parity {parity} completed"))
}

/// Returns the name of an mbarrier, with its block if the block differs from the block of the step.
fn object_name(block: u64, address: u64, around: &SentenceContext<'_>) -> String {
    let name = (around.mbarrier_name)(address);
    match around.block == block {
        true => name,
        false => format!("{name} of block {block}"),
    }
}

/// Returns the noun for the asynchronous operation of the step.
fn noun(around: &SentenceContext<'_>) -> &'static str {
    let noun = around.operation.and_then(Operation::asynchronous_noun);
    noun.unwrap_or("operation")
}

/// Appends the issued asynchronous operations to the sentence.
fn issued(sentence: Sentence, around: &SentenceContext<'_>) -> Sentence {
    let operations: Vec<&InFlightOperation> = around
        .effects
        .iter()
        .filter_map(|effect| match effect {
            SyncEffect::Issued(operation) => Some(&**operation),
            _ => None,
        })
        .collect();
    let n_bytes: usize = operations
        .iter()
        .map(|operation| written_bytes(operation))
        .sum();
    let sentence = sentence
        .plain(format!("{} issued by ", noun(around)))
        .strong(counted(around.executed.count_ones(), "lane"));
    let sentence = match n_bytes {
        0 => sentence,
        n => sentence.plain(": ").strong(counted(n, "byte")),
    };
    match operations.last() {
        Some(operation) => announced(sentence, operation, around),
        None => sentence,
    }
}

/// Appends the completion mechanism of an issued operation to the sentence.
pub(super) fn announced(
    sentence: Sentence,
    operation: &InFlightOperation,
    around: &SentenceContext<'_>,
) -> Sentence {
    match completion_text(operation.operation.completion, around) {
        Some(text) => sentence.plain(format!(", {text}")),
        None => sentence,
    }
}

/// Appends the completion of an asynchronous operation to the sentence.
fn completed(
    sentence: Sentence,
    operation: &InFlightOperation,
    signal: Option<[MbarrierState; 2]>,
    around: &SentenceContext<'_>,
) -> Sentence {
    let sentence = sentence.plain(noun(around)).plain(" completed");
    let sentence = match written_bytes(operation) {
        0 => sentence,
        n => sentence.plain(": ").strong(counted(n, "byte")),
    };
    let sentence = match around.written {
        [] => sentence,
        ids => sentence.plain(" to ").memories(ids),
    };
    signaled(sentence, operation.operation.completion, signal, around)
}

/// Appends the state of the mbarrier that the completion of an asynchronous operation updated.
pub(super) fn signaled(
    sentence: Sentence,
    completion: CompletionMechanism,
    signal: Option<[MbarrierState; 2]>,
    around: &SentenceContext<'_>,
) -> Sentence {
    let (Some([before, after]), Some((block, address))) = (signal, mbarrier_of(completion)) else {
        return sentence;
    };
    let sentence = sentence.plain(format!("; {}: ", object_name(block, address, around)));
    match ends_phase(Some(before), Some(after)) {
        true => phase_completed(sentence, Some(before)),
        false => sentence.plain(pending_text(&after)),
    }
}

const fn mbarrier_of(completion: CompletionMechanism) -> Option<(u64, u64)> {
    match completion {
        CompletionMechanism::Mbarrier { block, address, .. }
        | CompletionMechanism::Arrival { block, address, .. } => Some((block, address)),
        CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => None,
    }
}

/// Returns the completion mechanism of an operation: `completes on mbarrier full`.
fn completion_text(
    completion: CompletionMechanism,
    around: &SentenceContext<'_>,
) -> Option<String> {
    match completion {
        CompletionMechanism::None => None,
        CompletionMechanism::Mbarrier { block, address, .. }
        | CompletionMechanism::Arrival { block, address, .. } => Some(format!(
            "completes on {}",
            object_name(block, address, around)
        )),
        CompletionMechanism::AsyncGroup { kind, number } => {
            Some(format!("{} {number}", group_name(kind)))
        }
    }
}

/// Returns the number of bytes that an operation writes.
fn written_bytes(operation: &InFlightOperation) -> usize {
    let pieces = operation.operation.all_pieces();
    pieces.iter().map(|piece| piece.bytes.len()).sum()
}

const fn group_name(kind: AsyncGroupKind) -> &'static str {
    match kind {
        AsyncGroupKind::Copies => "async-group",
        AsyncGroupKind::Bulk => "bulk async-group",
        AsyncGroupKind::Products => "wgmma-group",
    }
}

fn one_group(kind: AsyncGroupKind) -> String {
    let article = match kind {
        AsyncGroupKind::Copies => "an",
        AsyncGroupKind::Bulk | AsyncGroupKind::Products => "a",
    };
    format!("{article} {}", group_name(kind))
}

fn wait_text(wait: GroupWait) -> String {
    let name = group_name(wait.kind);
    let what = match wait.reads {
        true => "unread",
        false => "pending",
    };
    match wait.latest {
        None => "all operations completed".to_owned(),
        Some(0) => format!("no {name} is {what}"),
        Some(1) => format!("at most 1 {name} is {what}"),
        Some(n) => format!("at most {n} {name}s are {what}"),
    }
}
