//! Blocks that are written twice: a quick way for whole gangs whose accesses lie where their sites look first, without calls, so that engines keep
//! its values in registers; and a careful one, which does all else. In: a block; out: the quick way, which goes over to the careful one at
//! the access that is none of these.

use crate::emit::memory::quick::Quick;
use crate::emit::{ALL, Emitter};
use crate::instructions::at;
use crate::place::PINNED;
use crate::refusal::Refusal;
use crate::registers::{Register, Writes};
use std::collections::BTreeMap;
use warpgrid_emulator::plain::{Bank, Instr, Op, SlotPlace};
use wasm_encoder::{BlockType, Instruction as I};

/// Accesses at which a quick way may end, at most: at each of them engines bring together what both ways have in registers.
const MOST_ENDS: usize = 16;

/// Rows that are loaded before a result is pinned: engines load in the order of the code, and compute as late as they can, so that sums of many loads would have all of them wait
/// in memory for the last one.
const LOADS_BEFORE_PIN: usize = 8;

/// The two ways of a block.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    /// Which is written.
    is_quick: bool,
    /// The quick accesses, by their places in the code.
    accesses: BTreeMap<u32, Quick>,
    /// Those at which the quick way may end, in the order of the code.
    ends: Vec<u32>,
    /// How many constructs are open around all, and around the quick way, which are those that lead to the careful one.
    outer: u32,
    inner: u32,
    /// How many constructs are open at the first instruction of the quick way, and what it does before: looks by registers that are not written until then.
    start: u32,
    early: Vec<I<'static>>,
    /// Rows that the quick way has loaded since a result was pinned.
    n_loaded: usize,
    /// The locals in which both ways keep how bases lie, by the access that looks first.
    pub(crate) lies: BTreeMap<(u32, Register), [u32; 3]>,
}

impl Ways {
    /// How many constructs are open within the one that leads to a place of the careful way: its start, an access, its last instruction.
    fn level(&self, place: usize) -> u32 {
        self.inner - place as u32
    }

    /// The number of an access among those at which the quick way may end.
    fn end_at(&self, at: u32) -> Option<usize> {
        self.ends.binary_search(&at).ok()
    }
}

impl Emitter<'_> {
    /// A block. Around a block that branches to itself, a loop construct is open.
    pub(crate) fn write_ways(&mut self, index: usize) -> Result<(), Refusal> {
        let accesses = self.quick_accesses(index);
        // What is noted takes as long on both ways.
        let is_worth = accesses.iter().any(|access| !access.is_noted);
        let ends = accesses.iter().filter(|access| access.may_end());
        let ends: Vec<u32> = ends.map(|access| access.at).collect();
        if self.writes != Writes::Strip || !is_worth || ends.len() > MOST_ENDS {
            self.body(index)?;
            return self.end_block(index);
        }
        let n_places = ends.len() as u32 + 2;
        let outer = self.nest;
        for _ in 0..n_places {
            self.op(I::Block(BlockType::Empty));
        }
        self.nest += n_places;
        self.ways = Some(Ways {
            is_quick: true,
            accesses: accesses
                .into_iter()
                .map(|access| (access.at, access))
                .collect(),
            ends,
            outer,
            inner: self.nest,
            start: 0,
            early: Vec::new(),
            n_loaded: 0,
            lies: BTreeMap::new(),
        });
        // Both ways share sites.
        let n_sites = self.sites.len();
        self.quick_way(index)?;
        self.sites.truncate(n_sites);
        self.lies.clear();
        if let Some(ways) = &mut self.ways {
            ways.is_quick = false;
        }
        self.close();
        self.body(index)?;
        self.close();
        self.ways = None;
        self.end_block(index)
    }

    /// The careful way takes over at the access at hand, where the quick one ends.
    pub(crate) fn take_over(&mut self) {
        let ways = self.ways.as_ref();
        if ways.is_some_and(|ways| !ways.is_quick && ways.end_at(self.at).is_some()) {
            self.close();
        }
    }

    /// How many bytes the look at a range must find for the access at hand and those that share it, and the power of two that they are a
    /// multiple of: zeros where it does not look for itself.
    pub(crate) fn quick_look(&self) -> [u32; 2] {
        let found = self.ways.as_ref().and_then(|ways| {
            let access = ways.accesses.get(&self.at)?;
            (access.leader == self.at).then_some(access)
        });
        found.map_or([0; 2], |access| [access.bytes, access.align])
    }

    /// The access at hand, where it is written for the quick way.
    pub(crate) fn on_quick_way(&self) -> Option<Quick> {
        let ways = self.ways.as_ref().filter(|ways| ways.is_quick)?;
        ways.accesses.get(&self.at).copied()
    }

    /// From here on what is left where something does not hold is the quick way, for the access at hand.
    pub(crate) fn leave_to_careful(&mut self) {
        self.leaves_to = self.ways.as_ref().and_then(|ways| {
            let end = ways.end_at(self.at)?;
            Some(ways.level(1 + end))
        });
    }

    /// Writes a look before all else that the quick way does. What does not hold there is left to the careful way as a whole.
    pub(crate) fn look_early(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some(ways) = &mut self.ways else {
            return Ok(());
        };
        let (level, start) = (ways.level(0), ways.start);
        let early = std::mem::take(&mut ways.early);
        let out = std::mem::replace(&mut self.out, early);
        let nest = std::mem::replace(&mut self.nest, start);
        let leaves_to = self.leaves_to.replace(level);
        let done = look(self);
        self.leaves_to = leaves_to;
        self.nest = nest;
        let early = std::mem::replace(&mut self.out, out);
        if let Some(ways) = &mut self.ways {
            ways.early = early;
        }
        done
    }

    /// Counts what the quick way has loaded.
    pub(crate) fn count_loads(&mut self, n_rows: usize) {
        if let Some(ways) = &mut self.ways {
            ways.n_loaded += n_rows;
        }
    }

    /// Stores the result of the instruction at hand where it is never read, if it is one of arithmetic and much has been loaded.
    pub(crate) fn pin_result(&mut self, op: &Op) -> Result<(), Refusal> {
        let Op::Float32 { slots: [d, ..], .. } = *op else {
            return Ok(());
        };
        let ways = self.ways.as_mut().filter(|ways| ways.is_quick);
        let Some(ways) = ways.filter(|ways| ways.n_loaded >= LOADS_BEFORE_PIN) else {
            return Ok(());
        };
        ways.n_loaded = 0;
        self.op(I::I32Const(0));
        self.read_any_nan(d)?;
        self.op(I::V128Store(at(PINNED)));
        Ok(())
    }

    /// Branches to the last instruction of the careful way: always, or where the number on the stack is not zero.
    fn go_to_last(&mut self, branch: fn(u32) -> I<'static>) {
        if let Some(ways) = &self.ways {
            let depth = self.nest - (ways.outer + 1);
            self.op(branch(depth));
        }
    }

    fn quick_way(&mut self, index: usize) -> Result<(), Refusal> {
        let block = &self.flow.blocks[index];
        let last = block.end - 1;
        let code = self.code;
        let last_instr = code.get(last).map(|placed| &placed.instr);
        let is_loop = last_instr.is_some_and(|instr| block.loops_to_itself(instr));
        self.get(self.names.mask);
        self.ops([I::I32Const(ALL), I::I32Ne, I::BrIf(0)]);
        if is_loop {
            self.op(I::Loop(BlockType::Empty));
            self.nest += 1;
        }
        let start = self.nest;
        if let Some(ways) = &mut self.ways {
            ways.start = start;
        }
        let first = self.out.len();
        self.body(index)?;
        if let Some(ways) = &mut self.ways {
            let early = std::mem::take(&mut ways.early);
            self.out.splice(first..first, early);
        }
        match last_instr {
            Some(instr) if matches!(instr.op, Op::Branch { .. }) => {
                self.branch_quickly(index, instr, is_loop.then_some(start))?;
            }
            _ if self.goes_on(index) && last + 1 < code.len() => self.go(index + 1),
            _ => self.go_to_last(I::Br),
        }
        if is_loop {
            self.close();
        }
        Ok(())
    }

    /// A branch at the end of a block that all lanes of the gang take, or none; others are left to the careful way. `back_to` is how
    /// many constructs are open at the start of the loop that it ends.
    fn branch_quickly(
        &mut self,
        index: usize,
        instr: &Instr,
        back_to: Option<u32>,
    ) -> Result<(), Refusal> {
        let Op::Branch { target } = instr.op else {
            return Ok(());
        };
        let Some(block) = self.flow.block_at(target as usize) else {
            return self.refuse("a branch target outside the code");
        };
        let is_guarded = instr.guard.place() != SlotPlace::None;
        if is_guarded {
            let active = self.names.active;
            self.push_taken(instr)?;
            self.set(active);
            if self.scalar(Bank::Predicate, instr.guard).is_none() {
                self.get(active);
                self.ops([I::I32Const(ALL), I::I32Ne]);
                self.get(active);
                self.ops([I::I32Const(0), I::I32Ne, I::I32And]);
                self.go_to_last(I::BrIf);
            }
            self.add_to_path(active);
            self.get(active);
            self.op(I::If(BlockType::Empty));
            self.nest += 1;
        }
        if target <= self.at {
            self.go_back();
        }
        match back_to {
            Some(start) => self.op(I::Br(self.nest - start)),
            None => self.go(block),
        }
        if is_guarded {
            self.close();
            self.go(index + 1);
        }
        Ok(())
    }
}
