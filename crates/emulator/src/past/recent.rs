//! The recent past of a run whose snapshots are large: the small parts of the state at a few positions, and what steps
//! overwrote in global memory between them. A store to scattered places changes a few bytes of many pages, so that
//! copies of the pages would take a second where the bytes take a millisecond.

use crate::past::snapshot::Snapshot;
use crate::state::State;
use std::collections::VecDeque;

/// Positions that are kept.
const MOST: usize = 64;

/// Positions that can be gone back to by taking back changes; the memory's undo log has a segment for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recent {
    /// By position, each with the bytes that it takes.
    snapshots: VecDeque<(Snapshot, u64)>,
    bytes: u64,
}

impl Recent {
    pub(crate) fn is_empty(&self) -> bool {
        self.snapshots.is_empty()
    }

    /// The latest position at or before `n`.
    pub(crate) fn nearest(&self, n: u64) -> Option<u64> {
        let after = self
            .snapshots
            .partition_point(|(snapshot, _)| snapshot.position <= n);
        let (snapshot, _) = self.snapshots.get(after.checked_sub(1)?)?;
        Some(snapshot.position)
    }

    /// Keeps the present position, and forgets the oldest where all take more than `most_bytes`.
    pub(crate) fn keep(&mut self, state: &mut State, base: &mut Snapshot, most_bytes: u64) {
        if self.nearest(u64::MAX) == Some(state.position) {
            return;
        }
        let (snapshot, bytes) = Snapshot::take_without_memory(state, base);
        *base = snapshot.clone();
        state.global.arena.begin_undo();
        self.snapshots.push_back((snapshot, bytes));
        self.bytes += bytes;
        while self.snapshots.len() > 1
            && (self.snapshots.len() > MOST || self.size(state) > most_bytes)
        {
            let (_, bytes) = self
                .snapshots
                .pop_front()
                .expect("there are several candidates");
            self.bytes -= bytes;
            if let Some(undo) = state.global.arena.undo_mut() {
                undo.forget_oldest();
            }
        }
    }

    /// Memory that the positions and the changes take.
    pub(crate) fn size(&self, state: &State) -> u64 {
        self.bytes + state.global.arena.undo_bytes()
    }

    /// Goes back to the latest position at or before `n`, which there must be.
    pub(crate) fn go_back(&mut self, n: u64, state: &mut State, base: &mut Snapshot) {
        while let Some((snapshot, bytes)) = self.snapshots.back() {
            state.global.arena.take_back();
            if snapshot.position <= n {
                snapshot.restore_without_memory(state, base);
                *base = Snapshot {
                    global: base.global.clone(),
                    ..snapshot.clone()
                };
                return;
            }
            self.bytes -= bytes;
            self.snapshots.pop_back();
            if let Some(undo) = state.global.arena.undo_mut() {
                undo.end_segment();
            }
        }
    }

    /// Keeps nothing any more.
    pub(crate) fn forget(&mut self, state: &mut State) {
        *self = Recent::default();
        state.global.arena.end_undo();
    }
}
