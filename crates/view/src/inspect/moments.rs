//! Two moments of a run compared: the cells and the registers that differ between them, with who wrote a cell last.

use super::go_to;
use crate::analysis::difference::{Left, differing, memories_of};
use crate::memory_id::MemoryId;
use crate::session::Session;
use crate::step::warp::readable;
use std::collections::BTreeMap;
use warpgrid_isa::ScalarType;
use warpgrid_program::{FunctionId, RegisterId};

/// Cells of a memory that are listed.
const MAX_CELLS: usize = 64;
/// Registers that are listed.
const MAX_REGISTERS: usize = 64;
/// Warps whose registers are compared.
const MAX_WARPS: usize = 64;

/// What differs between two positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    /// Where the run was: at most its end.
    pub positions: [u64; 2],
    pub memories: Vec<MemoryChange>,
    pub registers: Vec<RegisterChange>,
    /// Registers that differ and are not listed.
    pub n_more_registers: u64,
    /// Whether there are more warps than are compared.
    pub has_more_warps: bool,
}

/// A memory with cells that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryChange {
    pub memory: MemoryId,
    pub title: String,
    /// The first of them.
    pub cells: Vec<CellChange>,
    /// How many there are.
    pub n_cells: u64,
}

/// A cell that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellChange {
    pub index: u64,
    /// `rows[2][4]`.
    pub name: String,
    pub values: [String; 2],
    pub writer: Option<CellWriter>,
}

/// The store that a cell has its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellWriter {
    /// Just after it.
    pub position: u64,
    pub lane: u8,
    pub line: u32,
}

/// A register that differs in lanes of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterChange {
    pub name: String,
    pub block: u64,
    pub warp: u32,
    /// Lanes in which it differs.
    pub lanes: u32,
    /// Its values in the first of them.
    pub values: [String; 2],
}

/// What a moment holds.
struct Moment {
    memories: Vec<Left>,
    registers: BTreeMap<Register, [u128; 32]>,
    has_more_warps: bool,
}

/// A register of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Register {
    block: u64,
    warp: u32,
    function: u32,
    register: u32,
}

impl Session {
    /// What differs between two positions; the earlier one comes first. The run is at the later one afterwards.
    pub fn moments(&mut self, positions: [u64; 2]) -> Result<Moments, String> {
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
        Ok(Moments {
            positions: [from, to],
            memories,
            registers,
            n_more_registers,
            has_more_warps: before.has_more_warps || after.has_more_warps,
        })
    }

    fn moment(&self) -> Moment {
        let machine = self.timeline.machine();
        let blocks = machine.blocks().into_iter();
        let mut warps =
            blocks.flat_map(|block| (0..block.n_warps).map(move |warp| (block.index, warp)));
        let mut registers = BTreeMap::new();
        for (block, warp) in warps.by_ref().take(MAX_WARPS) {
            registers.extend(self.registers_of(block, warp));
        }
        Moment {
            memories: memories_of(self, |_| true),
            registers,
            has_more_warps: warps.next().is_some(),
        }
    }

    /// The registers of the function that a warp is in.
    fn registers_of(&self, block: u64, warp: u32) -> Vec<(Register, [u128; 32])> {
        let machine = self.timeline.machine();
        let Some(state) = machine.warp(block, warp) else {
            return Vec::new();
        };
        let entries = machine.program().entries().map(|(id, _)| id);
        let function = state.groups.first().map(|group| group.function);
        let Some(function) = function.or_else(|| entries.into_iter().next()) else {
            return Vec::new();
        };
        let of = machine.program().functions.get(function.0 as usize);
        let all = of.map_or(0, |of| of.registers.len()) as u32;
        let named = |id: &u32| of.is_some_and(|of| of.registers.is_named(RegisterId(*id)));
        let row = |register: u32| {
            let key = Register {
                block,
                warp,
                function: function.0,
                register,
            };
            let row = machine.register_row(block, warp, function, RegisterId(register))?;
            Some((key, row))
        };
        (0..all).filter(named).filter_map(row).collect()
    }

    fn register_changes(&self, before: &Moment, after: &Moment) -> (Vec<RegisterChange>, u64) {
        let mut changes = Vec::new();
        let mut n_more = 0;
        for (key, now) in &after.registers {
            // A warp that had not started had nothing in its registers.
            let was = before.registers.get(key).copied().unwrap_or([0; 32]);
            let lanes = (0..32).filter(|lane| was[*lane] != now[*lane]);
            let lanes = lanes.fold(0_u32, |lanes, lane| lanes | 1 << lane);
            if lanes == 0 {
                continue;
            }
            if changes.len() == MAX_REGISTERS {
                n_more += 1;
                continue;
            }
            let first = lanes.trailing_zeros() as usize;
            let values = [was, *now].map(|row| row.get(first).copied().unwrap_or(0));
            changes.extend(self.register_change(*key, lanes, values));
        }
        (changes, n_more)
    }

    fn register_change(
        &self,
        key: Register,
        lanes: u32,
        bits: [u128; 2],
    ) -> Option<RegisterChange> {
        let functions = &self.timeline.machine().program().functions;
        let registers = &functions
            .get(FunctionId(key.function).0 as usize)?
            .registers;
        let scalar = registers.get(key.register as usize)?.ty;
        let text = |bits: u128| match scalar {
            ScalarType::Pred => (bits & 1).to_string(),
            _ => readable(scalar, bits),
        };
        Some(RegisterChange {
            name: registers.name(RegisterId(key.register)).to_owned(),
            block: key.block,
            warp: key.warp,
            lanes,
            values: bits.map(text),
        })
    }

    fn memory_changes(&self, before: &Moment, after: &Moment) -> Vec<MemoryChange> {
        let pairs = after.memories.iter().map(|now| {
            let was = before.memories.iter().find(|was| was.id == now.id);
            (was, now)
        });
        let change = |(was, now): (Option<&Left>, &Left)| self.memory_change(was, now);
        pairs.filter_map(change).collect()
    }

    /// A memory that began between the moments, as that of a block, began with zeros.
    fn memory_change(&self, was: Option<&Left>, now: &Left) -> Option<MemoryChange> {
        let memory = self.memory_with(&now.id)?;
        let zeros = || Left {
            bytes: vec![0; now.bytes.len()],
            ..now.clone()
        };
        let made = was.is_none().then(zeros);
        let was = was.or(made.as_ref())?;
        let width = now.ty.width_bytes().max(1);
        let mut all = differing(was, now);
        let cell = |(index, was, is): (usize, &[u8], &[u8])| {
            let bytes = (index * width) as u64..((index + 1) * width) as u64;
            CellChange {
                index: index as u64,
                name: format!(
                    "{}{}",
                    memory.view.title,
                    subscript(&memory.view.shape, index as u64)
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

    /// Goes to each store once, for its line.
    fn find_lines(&mut self, memories: &mut [MemoryChange]) {
        let cells = memories.iter_mut().flat_map(|memory| &mut memory.cells);
        let mut writers: Vec<&mut CellWriter> =
            cells.filter_map(|cell| cell.writer.as_mut()).collect();
        writers.sort_by_cached_key(|writer| writer.position);
        for writer in writers {
            if self.position() != writer.position {
                self.seek(writer.position);
            }
            writer.line = self.last_line().unwrap_or(0);
        }
    }

    /// The last store to any of these bytes.
    fn writer_of(&self, id: &MemoryId, bytes: std::ops::Range<u64>) -> Option<CellWriter> {
        let (step, lane) = bytes.filter_map(|byte| self.last_writer(id, byte)).max()?;
        Some(CellWriter {
            position: step + 1,
            lane,
            line: 0,
        })
    }
}

/// `[5]`, or `[2][4]` in a memory of several extents.
fn subscript(shape: &[u64], index: u64) -> String {
    if shape.len() < 2 {
        return format!("[{index}]");
    }
    let mut rest = index;
    let mut parts = Vec::new();
    for extent in shape.iter().rev() {
        parts.push(format!("[{}]", rest % (*extent).max(1)));
        rest /= (*extent).max(1);
    }
    parts.reverse();
    parts.concat()
}
