//! Effects of other threads between the first and the last entry of a tested thread into the selected lines. The module takes the steps
//! between these entries, and returns memory and mbarrier contents for the test, which correspond to a run in which the other threads
//! execute these steps before the first entry.

use crate::memory_model::litmus::extraction::access_watch::{LineSelection, ThreadKey};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::{
    AccessEvent, EventMask, MbarrierOperation, MbarrierState, MemoryId, Observer, SyncEvent,
    SyncKind, WarpId,
};

/// Maximum number of bytes whose writes the observer tracks.
const MAX_BYTES: usize = 1 << 16;

/// Write of a thread that is not part of the test.
#[derive(Clone, Copy, Debug)]
struct ExternalWrite {
    address: u64,
    n_bytes: usize,
    /// Value after the write, and the difference from the value before the write. The difference is relevant for atomics, because an atomic
    /// of another thread can add to a value that a tested thread has stored.
    after: u64,
    more: Option<u64>,
}

/// Number of arrivals of the tested threads at an mbarrier object, and number of completed phases of this object.
#[derive(Clone, Copy, Debug, Default)]
struct ArrivalCounts {
    /// Number of arrivals of the tested threads in the present phase, and the maximum number of their arrivals in one phase.
    now: u32,
    most: u32,
    /// Number of phases that the mbarrier object has completed.
    phases: u32,
}

/// Observer of the memory effects of all other threads, and of the mbarrier arrivals of the tested threads.
pub(crate) struct ExternalEffects {
    lines: LineSelection,
    test_threads: BTreeSet<ThreadKey>,
    /// Last step of the run whose memory effects the observer records.
    until: u64,
    changes: BTreeMap<MemoryId, Vec<ExternalWrite>>,
    objects: BTreeMap<(u64, u64), ArrivalCounts>,
    n_bytes: usize,
}

impl ExternalEffects {
    /// Returns an observer for the steps after the first entry into the lines. The observer records memory effects up to step `until`, in
    /// which the last thread enters the lines.
    pub(crate) fn new(
        lines: LineSelection,
        own: impl Iterator<Item = ThreadKey>,
        until: u64,
    ) -> ExternalEffects {
        ExternalEffects {
            lines,
            test_threads: own.collect(),
            until,
            changes: BTreeMap::new(),
            objects: BTreeMap::new(),
            n_bytes: 0,
        }
    }

    /// Applies the writes of other threads to a memory range with the value `held`, and returns the resulting value.
    pub(crate) fn applied(&self, memory: MemoryId, start: u64, held: u64, n: usize) -> u64 {
        let keep = u64::MAX >> (64 - 8 * n.clamp(1, 8));
        let mut value = held;
        for change in self.changes.get(&memory).map_or(&[][..], |all| all) {
            let end = change.address + change.n_bytes as u64;
            if change.address <= start && start + n as u64 <= end {
                let low = 8 * (start - change.address);
                value = match change.more {
                    Some(more) => value.wrapping_add(more >> low),
                    None => change.after >> low,
                };
            } else if start <= change.address && end <= start + n as u64 {
                let low = 8 * (change.address - start);
                let mask = (u64::MAX >> (64 - 8 * change.n_bytes.clamp(1, 8))) << low;
                value = value & !mask | change.after << low & mask;
            }
            value &= keep;
        }
        value
    }

    /// Modifies the state `state` of an mbarrier object so that the object expects only the arrivals of the tested threads.
    pub(crate) fn object(&self, block: u64, address: u64, state: MbarrierState) -> MbarrierState {
        let Some(arrivals) = self.objects.get(&(block, address)) else {
            return state;
        };
        let own = arrivals.most.max(arrivals.now);
        let is_done = own == 0 && arrivals.phases > 0;
        let count = own.max(1);
        let mut new = state;
        new.expected = count;
        new.pending = count;
        if is_done {
            new.parity = !state.parity;
            new.bytes = 0;
        }
        new
    }
}

impl Observer for ExternalEffects {
    fn interest(&self) -> EventMask {
        EventMask::ORDER
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let is_chosen = self.lines.has(event.function, event.instruction);
        if !event.action.writes() || event.step >= self.until {
            return;
        }
        for piece in event.pieces.iter().filter(|piece| piece.written) {
            let is_own = event.warp().map(|WarpId { block, warp }| {
                let thread = warp * 32 + u32::from(piece.address_lane);
                self.test_threads.contains(&ThreadKey { block, thread })
            });
            if is_own.unwrap_or(is_chosen) || self.n_bytes > MAX_BYTES {
                continue;
            }
            let (before, after) = (event.before(piece), event.bytes(piece));
            let parts = before.chunks(8).zip(after.chunks(8)).enumerate();
            for (part, (before, after)) in parts {
                let (old, new) = (number(before), number(after));
                self.n_bytes += after.len();
                self.changes
                    .entry(piece.memory)
                    .or_default()
                    .push(ExternalWrite {
                        address: piece.address + 8 * part as u64,
                        n_bytes: after.len(),
                        after: new,
                        more: event.action.is_atomic().then(|| new.wrapping_sub(old)),
                    });
            }
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        let (act, touched) = match event.what {
            SyncKind::Mbarrier { act, touched } => (act, touched),
            SyncKind::Completed {
                pending,
                signal: Some([before, after]),
            } => {
                if let Some(at) =
                    crate::memory_model::litmus::extraction::access_watch::object_of(pending)
                {
                    let arrivals = self.objects.entry(at).or_default();
                    if before.parity != after.parity {
                        arrivals.end_phase();
                    }
                }
                return;
            }
            _ => return,
        };
        for touch in touched {
            let thread = ThreadKey {
                block: event.block,
                thread: event.warp * 32 + u32::from(touch.lane),
            };
            let is_own = self.test_threads.contains(&thread)
                && self.lines.has(event.function, event.instruction);
            let arrives = matches!(
                act,
                MbarrierOperation::Arrive | MbarrierOperation::ArriveExpecting
            );
            let arrivals = self
                .objects
                .entry((touch.block, touch.address))
                .or_default();
            if let (true, true, Some(before)) = (is_own, arrives, touch.before) {
                let left = touch.after.map_or(0, |after| after.pending);
                arrivals.now += match touch.ends_phase() {
                    true => before.pending,
                    false => before.pending.saturating_sub(left),
                };
            }
            if touch.ends_phase() {
                arrivals.end_phase();
            }
        }
    }
}

impl ArrivalCounts {
    fn end_phase(&mut self) {
        self.most = self.most.max(self.now);
        self.now = 0;
        self.phases += 1;
    }
}

fn number(bytes: &[u8]) -> u64 {
    let all = bytes.iter().rev();
    all.fold(0, |value, byte| value << 8 | u64::from(*byte))
}
