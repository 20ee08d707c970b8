//! Notes of a run: what it did that no fault is, such as an aligned barrier to which a warp came in parts. In: what steps found;
//! out: notes, each once for an instruction.

use crate::contract::inspect::{Note, NoteKind};
use crate::exec::barrier::{Part, waiting_parts};
use crate::run::machine::Machine;
use crate::state::notes::add_once;
use crate::state::schedule::WarpPlace;
use crate::state::tensor_memory::n_columns_in_use;

impl Machine {
    fn note(&mut self, place: WarpPlace, kind: NoteKind) {
        let state = &mut self.state;
        let note = Note {
            step: state.position,
            block: state.blocks.get(place.block).map_or(0, |block| block.index),
            warp: place.warp as u32,
            kind,
        };
        add_once(&mut state.notes, note, self.setup.limits.max_notes);
    }

    /// Notes the parts of warps that came to aligned barriers of the block in this place.
    pub(crate) fn note_parts(&mut self, block: usize, parts: &[Part]) {
        for part in parts {
            let (function, instruction) = self.setup.code.origin(part.pc);
            let kind = NoteKind::BarrierInParts {
                function,
                instruction,
                came: part.came.count_ones(),
                of: part.of.count_ones(),
            };
            let warp = part.warp;
            self.note(WarpPlace { block, warp }, kind);
        }
    }

    /// Notes the parts of warps that wait at aligned barriers for ever.
    pub(crate) fn note_stuck_parts(&mut self) {
        for place in 0..self.state.blocks.len() {
            let Some(block) = self.state.blocks.get(place) else {
                return;
            };
            let parts = waiting_parts(&self.setup.code, block, |_| true);
            self.note_parts(place, &parts);
        }
    }

    /// Notes the columns of tensor memory that a block has not given back at its end.
    pub(crate) fn note_kept_columns(&mut self, place: WarpPlace) {
        let n = match self.state.tensor.get(place.block) {
            Some(memory) if memory.len() > 0 => n_columns_in_use(memory),
            _ => 0,
        };
        if n > 0 {
            self.note(place, NoteKind::ColumnsKept { n });
        }
    }
}
