//! Diagnostics of a run, which describe undefined behavior that does not fault, such as the arrival of only a part of a
//! warp at an aligned barrier. The machine records each diagnostic once per instruction.

use crate::contract::inspect::{RunDiagnostic, RunDiagnosticKind};
use crate::exec::barrier::{DivergentArrival, divergent_arrivals};
use crate::run::machine::Machine;
use crate::state::notes::add_once;
use crate::state::scheduler::WarpSlot;
use crate::state::tensor_memory::n_columns_in_use;

impl Machine {
    fn note(&mut self, place: WarpSlot, kind: RunDiagnosticKind) {
        let state = &mut self.state;
        let note = RunDiagnostic {
            step: state.position,
            block: state.blocks.get(place.block).map_or(0, |block| block.index),
            warp: place.warp as u32,
            kind,
        };
        add_once(&mut state.diagnostics, note, self.setup.limits.max_notes);
    }

    /// Records a diagnostic for each partial warp that has arrived at an aligned barrier of the block in this resident
    /// slot.
    pub(crate) fn report_divergent_arrivals(&mut self, block: usize, parts: &[DivergentArrival]) {
        for part in parts {
            let (function, instruction) = self.setup.code.origin(part.pc);
            let kind = RunDiagnosticKind::DivergentBarrierArrival {
                function,
                instruction,
                came: part.came.count_ones(),
                of: part.of.count_ones(),
            };
            let warp = part.warp;
            self.note(WarpSlot { block, warp }, kind);
        }
    }

    /// Records a diagnostic for each partial warp that waits at an aligned barrier when a deadlock is detected.
    pub(crate) fn note_stuck_parts(&mut self) {
        for place in 0..self.state.blocks.len() {
            let Some(block) = self.state.blocks.get(place) else {
                return;
            };
            let parts = divergent_arrivals(&self.setup.code, block, |_| true);
            self.report_divergent_arrivals(place, &parts);
        }
    }

    /// Records a diagnostic if a finished block has not deallocated all columns of its tensor memory.
    pub(crate) fn note_kept_columns(&mut self, place: WarpSlot) {
        let n = match self.state.tensor.get(place.block) {
            Some(memory) if memory.len() > 0 => n_columns_in_use(memory),
            _ => 0,
        };
        if n > 0 {
            self.note(place, RunDiagnosticKind::UnfreedTensorColumns { n });
        }
    }
}
