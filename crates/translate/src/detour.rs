//! If-conversion of short branches: finds hammocks and diamonds whose lanes reconverge after a few instructions, so
//! that the lanes of a divergent lane vector need no separate records. Input: the control-flow graph. Output: the sides
//! of each branch, by the block that ends with the branch.

use crate::code::Code;
use crate::flow::{Flow, Meeting, accesses_memory, is_guarded, leads_away};
use crate::registers::{Register, Touched};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use warpgrid_emulator::plain::{Op, Plain};

/// If-converted branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detour {
    /// Blocks of the fallthrough side; a branch may leave the side early towards the join block.
    pub(crate) near: Range<usize>,
    /// Blocks of the taken side, between the fallthrough side and the join block.
    pub(crate) far: Range<usize>,
    /// Join block, in which the lanes reconverge.
    pub(crate) end: usize,
}

/// If-converted branches by the block that ends with the branch.
pub(crate) type Detours = BTreeMap<usize, Detour>;

/// Maximum number of instructions of a side. The sides are emitted twice, the second time in predicated form.
const LONGEST_SIDE: usize = 32;

/// Maximum number of duplicated instructions per kernel.
const MOST_AGAIN: usize = 1024;

impl Detour {
    /// Returns the blocks of both sides.
    fn blocks(&self) -> impl Iterator<Item = usize> + use<> {
        self.near.clone().chain(self.far.clone())
    }

    /// Returns the registers that inactive lanes must keep while other lanes execute a block.
    pub(crate) fn kept(&self, block: usize, live: &[BTreeSet<Register>]) -> BTreeSet<Register> {
        let mut kept = live.get(self.end).cloned().unwrap_or_default();
        if self.near.contains(&block)
            && !self.far.is_empty()
            && let Some(far) = live.get(self.far.start)
        {
            kept.extend(far);
        }
        kept
    }

    /// Returns the registers in which the lanes of a lane vector may differ at the join block, because they took
    /// different sides.
    fn mixed(&self, touched: &[Touched], live: &[BTreeSet<Register>]) -> BTreeSet<Register> {
        let mixed = self.blocks().flat_map(|block| {
            let written = touched.get(block).map(|touched| touched.written.clone());
            let kept = self.kept(block, live);
            let written = written.into_iter().flatten();
            written.filter(move |register| kept.contains(register))
        });
        mixed.collect()
    }
}

/// Returns the registers in which lanes may differ after each if-converted branch, by the block that ends with the
/// branch.
pub(crate) fn mixed_registers(
    detours: &Detours,
    touched: &[Touched],
    live: &[BTreeSet<Register>],
) -> BTreeMap<usize, BTreeSet<Register>> {
    let all = detours.iter();
    all.map(|(at, detour)| (*at, detour.mixed(touched, live)))
        .collect()
}

/// Returns the branches that are if-converted.
pub(crate) fn find_detours(code: &Code<'_>, flow: &Flow) -> Detours {
    let mut found = Detours::new();
    let mut n_again = 0;
    for index in 0..flow.blocks.len() {
        let Some(detour) = detour_at(code, flow, index) else {
            continue;
        };
        let blocks = detour.blocks().filter_map(|block| flow.blocks.get(block));
        n_again += blocks.map(|block| block.end - block.start).sum::<usize>();
        if n_again > MOST_AGAIN {
            break;
        }
        found.insert(index, detour);
    }
    found
}

/// Returns the number of additional access sites for the duplicated sides.
pub(crate) fn sites_of(plain: Plain<'_>, code: &Code<'_>, flow: &Flow, detours: &Detours) -> u32 {
    let blocks = detours.values().flat_map(Detour::blocks);
    let blocks = blocks.filter_map(|block| flow.blocks.get(block));
    let placed = blocks.flat_map(|block| code.range(block.start..block.end));
    let accesses = placed.filter(|placed| accesses_memory(plain, std::slice::from_ref(placed)));
    accesses.count() as u32
}

fn detour_at(code: &Code<'_>, flow: &Flow, index: usize) -> Option<Detour> {
    let block = flow.blocks.get(index)?;
    let last = &code.get(block.end - 1)?.instr;
    let target = match last.op {
        Op::Branch { target } if is_guarded(last) => flow.block_at(target as usize)?,
        _ => return None,
    };
    if target <= index + 1 {
        return None;
    }
    let near = index + 1..target;
    let side = Side { code, flow };
    let detour = match side.jump_from(target - 1) {
        // In a diamond, the fallthrough side jumps over the taken side.
        Some(end) if near.len() == 1 && end > target => Detour {
            near,
            far: target..end,
            end,
        },
        Some(_) => return None,
        None => Detour {
            near,
            far: target..target,
            end: target,
        },
    };
    let is_short = |blocks: Range<usize>| {
        let blocks = flow.blocks.get(blocks)?;
        let n = blocks.iter().map(|b| b.end - b.start).sum::<usize>();
        (n <= LONGEST_SIDE).then_some(())
    };
    is_short(detour.near.clone())?;
    is_short(detour.far.clone())?;
    let is_plain = detour.blocks().all(|block| side.is_plain(block, &detour));
    // The interpreter must schedule the blocks in this order.
    let all = detour.blocks().chain([detour.end]);
    let numbers: Vec<u32> = all.map(|block| flow.number(block)).collect();
    (is_plain && detour.end < flow.blocks.len() && numbers.is_sorted()).then_some(detour)
}

struct Side<'a, 'p> {
    code: &'a Code<'p>,
    flow: &'a Flow,
}

impl Side<'_, '_> {
    /// Returns the target of a block that ends with an unconditional branch.
    fn jump_from(&self, block: usize) -> Option<usize> {
        let last = &self.code.get(self.flow.blocks.get(block)?.end - 1)?.instr;
        match last.op {
            Op::Branch { target } if !is_guarded(last) => self.flow.block_at(target as usize),
            _ => None,
        }
    }

    /// Checks whether some lanes can execute a block while others wait at the join block: the block contains no
    /// synchronization point, and has no other successors. The last block of the fallthrough side jumps over the taken
    /// side unconditionally.
    fn is_plain(&self, index: usize, detour: &Detour) -> bool {
        let Some(block) = self.flow.blocks.get(index) else {
            return false;
        };
        let jumps = !detour.far.is_empty() && index + 1 == detour.far.start;
        let code = self.code.range(block.start..block.end);
        let is_simple = code.iter().all(|placed| {
            let leads_to_end = match placed.instr.op {
                Op::Branch { target } => {
                    let leads_on = jumps != is_guarded(&placed.instr);
                    leads_on && self.flow.block_at(target as usize) == Some(detour.end)
                }
                _ => !leads_away(&placed.instr),
            };
            let is_left_out = matches!(
                placed.instr.op,
                Op::Atomic(_) | Op::StartAsync(_) | Op::Trap | Op::SystemCall { .. }
            );
            leads_to_end && !is_left_out && placed.moves.values.is_empty()
        });
        block.meets == Meeting::None && is_simple
    }
}
