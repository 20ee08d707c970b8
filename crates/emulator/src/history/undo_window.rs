//! Undo log for runs with large snapshots. The log stores the small parts of the state at a few positions, and the
//! bytes of global memory that the steps between these positions overwrite. If scattered stores change a few bytes in
//! many pages, copying the pages would take a second, whereas logging the bytes takes a millisecond.

use crate::history::snapshot::Snapshot;
use crate::state::MachineState;
use std::collections::VecDeque;

/// Maximum number of positions to which the undo log can return.
const MAX_POSITIONS: usize = 64;

/// Window of recent positions to which a timeline can return with the undo log. The undo log of global memory has one
/// segment for each position.
#[derive(Clone, Debug, Default)]
pub(crate) struct UndoWindow {
    /// Snapshots without global memory, ordered by position, and their sizes in bytes.
    snapshots: VecDeque<(Snapshot, u64)>,
    bytes: u64,
}

impl UndoWindow {
    pub(crate) fn is_empty(&self) -> bool {
        self.snapshots.is_empty()
    }

    /// Returns the latest recorded position at or before `n`.
    pub(crate) fn nearest(&self, n: u64) -> Option<u64> {
        let after = self
            .snapshots
            .partition_point(|(snapshot, _)| snapshot.position <= n);
        let (snapshot, _) = self.snapshots.get(after.checked_sub(1)?)?;
        Some(snapshot.position)
    }

    /// Records the current position. Drops the oldest positions while the total size exceeds `most_bytes`.
    pub(crate) fn keep(&mut self, state: &mut MachineState, base: &mut Snapshot, most_bytes: u64) {
        if self.nearest(u64::MAX) == Some(state.position) {
            return;
        }
        let (snapshot, bytes) = Snapshot::take_without_memory(state, base);
        *base = snapshot.clone();
        state.global.arena.begin_undo();
        self.snapshots.push_back((snapshot, bytes));
        self.bytes += bytes;
        while self.snapshots.len() > 1
            && (self.snapshots.len() > MAX_POSITIONS || self.size(state) > most_bytes)
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

    /// Returns the size of the snapshots and of the undo log in bytes.
    pub(crate) fn size(&self, state: &MachineState) -> u64 {
        self.bytes + state.global.arena.undo_bytes()
    }

    /// Returns to the latest recorded position at or before `n`, which must exist.
    pub(crate) fn go_back(&mut self, n: u64, state: &mut MachineState, base: &mut Snapshot) {
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

    /// Drops all recorded positions, and disables the undo log of global memory.
    pub(crate) fn forget(&mut self, state: &mut MachineState) {
        *self = UndoWindow::default();
        state.global.arena.end_undo();
    }
}
