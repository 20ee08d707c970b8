//! Comparison of two positions of a run. The result contains the cells and registers that differ, with the last writers of the cells.

use crate::analysis::memory_diff::{FinalMemory, differing, memories_of};
use crate::session::Session;
use crate::session::inspect::go_to;
use crate::session::memory_id::MemoryKey;
use crate::session::step::warp::readable;
use warpgrid_emulator::LaneMaskDisplay;
use warpgrid_program::{FunctionId, RegisterId};

/// Maximum number of differing cells that a comparison lists per memory.
const MAX_CELLS: usize = 64;
/// Maximum number of differing registers that a comparison lists.
const MAX_REGISTERS: usize = 64;
/// Maximum number of warps whose registers a comparison includes.
const MAX_WARPS: usize = 64;

/// Memory cells and registers that differ between two positions of a run, which hosts display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDiff {
    /// Compared positions. The end of the run replaces a position beyond the end.
    pub positions: [u64; 2],
    pub memories: Vec<MemoryChange>,
    pub registers: Vec<RegisterChange>,
    /// Number of differing registers that the result does not list.
    pub n_more_registers: u64,
    /// Number of warps whose registers the comparison includes, or `None` if it includes all warps of the launch.
    pub n_first_warps: Option<usize>,
}

/// Memory in which cells differ between the two positions of a [`StateDiff`], with the first of these cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryChange {
    pub memory: MemoryKey,
    pub title: String,
    /// First differing cells of the memory, up to the maximum number of listed cells.
    pub cells: Vec<CellChange>,
    /// Total number of differing cells of the memory.
    pub n_cells: u64,
}

/// Memory cell whose value differs between the two positions of a [`StateDiff`], with both values and the last writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellChange {
    pub index: u64,
    /// Name of the element: `rows[2][4]`.
    pub name: String,
    pub values: [String; 2],
    pub writer: Option<CellWriter>,
}

/// Store that wrote the later value of a cell, with its position, its lane and its source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellWriter {
    /// Position of the run directly after the store.
    pub position: u64,
    pub lane: u8,
    pub line: u32,
}

/// Register whose value differs between the two positions of a [`StateDiff`] in some lanes of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterChange {
    pub name: String,
    pub block: u64,
    pub warp: u32,
    /// Mask of the lanes in which the value differs.
    pub lanes: u32,
    /// Values of the register at both positions in the first lane whose value differs.
    pub values: [String; 2],
}

impl RegisterChange {
    /// Formats the lanes in which the value of the register differs: `lanes 0 to 7`.
    pub fn lane_words(&self) -> String {
        LaneMaskDisplay(self.lanes).to_string()
    }
}

/// Copy of the memories and registers of the run at one of the two compared positions.
struct StateSample {
    memories: Vec<FinalMemory>,
    warps: Vec<WarpRegisters>,
    has_more_warps: bool,
}

/// Values of the named registers of the function that a warp executes.
struct WarpRegisters {
    block: u64,
    warp: u32,
    function: FunctionId,
    /// Named registers, each with its value in every lane of the warp.
    rows: Vec<(RegisterId, [u128; 32])>,
}

impl Session {
    /// Returns the differences between two positions. The earlier position comes first in the result. After the call, the session is at the
    /// later position.
    pub fn moments(&mut self, positions: [u64; 2]) -> Result<StateDiff, String> {
        let [from, to] = match positions {
            [from, to] if from > to => [to, from],
            both => both,
        };
        go_to(self, from)?;
        let (from, before) = (self.position(), self.moment());
        go_to(self, to)?;
        let (to, after) = (self.position(), self.moment());
        let (registers, n_more_registers) = self.register_changes(&before, &after);
        let mut memories = self.memory_changes(&before, &after);
        self.find_lines(&mut memories);
        go_to(self, to)?;
        Ok(StateDiff {
            positions: [from, to],
            memories,
            registers,
            n_more_registers,
            n_first_warps: (before.has_more_warps || after.has_more_warps).then_some(MAX_WARPS),
        })
    }

    fn moment(&self) -> StateSample {
        let machine = self.timeline.machine();
        let blocks = machine.blocks().into_iter();
        let mut warps =
            blocks.flat_map(|block| (0..block.n_warps).map(move |warp| (block.index, warp)));
        let taken = warps.by_ref().take(MAX_WARPS);
        let found = taken.filter_map(|(block, warp)| self.registers_of(block, warp));
        let found = found.collect();
        StateSample {
            memories: memories_of(self, |_| true),
            warps: found,
            has_more_warps: warps.next().is_some(),
        }
    }

    fn registers_of(&self, block: u64, warp: u32) -> Option<WarpRegisters> {
        let machine = self.timeline.machine();
        let state = machine.warp(block, warp)?;
        let function = self.function_of(&state);
        let registers = &machine
            .program()
            .functions
            .get(function.0 as usize)?
            .registers;
        let all = (0..registers.len() as u32).map(RegisterId);
        let row = |id: RegisterId| Some((id, machine.register_row(block, warp, function, id)?));
        Some(WarpRegisters {
            block,
            warp,
            function,
            rows: all
                .filter(|id| registers.is_named(*id))
                .filter_map(row)
                .collect(),
        })
    }

    fn register_changes(
        &self,
        before: &StateSample,
        after: &StateSample,
    ) -> (Vec<RegisterChange>, u64) {
        let mut changes = Vec::new();
        let mut n_more = 0;
        for warp in &after.warps {
            let is_same = |other: &&WarpRegisters| {
                (other.block, other.warp, other.function) == (warp.block, warp.warp, warp.function)
            };
            let was = before.warps.iter().find(is_same);
            for (at, (id, now)) in warp.rows.iter().enumerate() {
                // If the warp had not started at the earlier position, it has no earlier register values.
                let was = was
                    .and_then(|was| was.rows.get(at))
                    .map_or([0; 32], |(_, row)| *row);
                let lanes = (0..32).filter(|lane| was[*lane] != now[*lane]);
                let lanes = lanes.fold(0_u32, |lanes, lane| lanes | 1 << lane);
                if lanes != 0 && changes.len() < MAX_REGISTERS {
                    let first = lanes.trailing_zeros() as usize;
                    let values = [was[first], now[first]];
                    changes.extend(self.register_change(warp, *id, lanes, values));
                } else if lanes != 0 {
                    n_more += 1;
                }
            }
        }
        (changes, n_more)
    }

    fn register_change(
        &self,
        of: &WarpRegisters,
        id: RegisterId,
        lanes: u32,
        bits: [u128; 2],
    ) -> Option<RegisterChange> {
        let functions = &self.timeline.machine().program().functions;
        let registers = &functions.get(of.function.0 as usize)?.registers;
        let scalar = registers.get(id.0 as usize)?.ty;
        Some(RegisterChange {
            name: registers.name(id).to_owned(),
            block: of.block,
            warp: of.warp,
            lanes,
            values: bits.map(|bits| readable(scalar, bits)),
        })
    }

    fn memory_changes(&self, before: &StateSample, after: &StateSample) -> Vec<MemoryChange> {
        let pairs = after.memories.iter().map(|now| {
            let was = before.memories.iter().find(|was| was.id == now.id);
            (was, now)
        });
        let change =
            |(was, now): (Option<&FinalMemory>, &FinalMemory)| self.memory_change(was, now);
        pairs.filter_map(change).collect()
    }

    /// Returns the differing cells of a memory. If the memory did not exist at the earlier position, because its block had not started, the
    /// function compares with zeros.
    fn memory_change(&self, was: Option<&FinalMemory>, now: &FinalMemory) -> Option<MemoryChange> {
        let memory = self.memory_with(&now.id)?;
        let zeros = || FinalMemory {
            bytes: vec![0; now.bytes.len()],
            ..now.clone()
        };
        let made = was.is_none().then(zeros);
        let was = was.or(made.as_ref())?;
        let width = now.ty.width_bytes().max(1);
        let mut all = differing(now.ty, [&was.bytes, &now.bytes]);
        let cell = |(index, was, is): (usize, &[u8], &[u8])| {
            let bytes = (index * width) as u64..((index + 1) * width) as u64;
            CellChange {
                index: index as u64,
                name: format!(
                    "{}{}",
                    memory.view.title,
                    memory.view.subscript(index as u64)
                ),
                values: [was, is].map(|bytes| now.ty.text(now.ty.bits(bytes))),
                writer: self.writer_of(&now.id, bytes),
            }
        };
        let cells: Vec<CellChange> = all.by_ref().take(MAX_CELLS).map(cell).collect();
        let n_cells = cells.len() as u64 + all.count() as u64;
        (n_cells > 0).then(|| MemoryChange {
            memory: now.id.clone(),
            title: memory.view.title.clone(),
            cells,
            n_cells,
        })
    }

    /// Seeks to each distinct store in `memories` one time to determine the source line of the store.
    fn find_lines(&mut self, memories: &mut [MemoryChange]) {
        let cells = memories.iter_mut().flat_map(|memory| &mut memory.cells);
        let writers = cells.filter_map(|cell| cell.writer.as_mut());
        for writer in writers {
            if self.position() != writer.position {
                self.seek(writer.position);
            }
            writer.line = self.last_line().unwrap_or(0);
        }
    }

    /// Returns the last store to a byte in the range `bytes` of a memory.
    fn writer_of(&self, id: &MemoryKey, bytes: std::ops::Range<u64>) -> Option<CellWriter> {
        let (step, lane) = bytes.filter_map(|byte| self.last_writer(id, byte)).max()?;
        Some(CellWriter {
            position: step + 1,
            lane,
            line: 0,
        })
    }
}
