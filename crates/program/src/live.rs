//! What of a function's registers still matters. In: a function, and some of its instructions; out: for each of them the registers that some
//! way on from it reads before it writes them.

use crate::flow::BasicBlock;
use crate::function::{Function, Instruction, Parameter, Program};
use crate::ids::RegisterId;
use crate::operand::OperandValue;
use std::ops::Range;
use warpgrid_isa::ControlOp;

impl Program {
    /// By instruction of a range, and after the last: the registers whose values matter there, in order. `at_end` are those that matter where
    /// the range or the function ends.
    pub fn live_registers(
        &self,
        function: &Function,
        range: Range<u32>,
        at_end: &[RegisterId],
    ) -> Vec<Vec<RegisterId>> {
        let n_registers = function.registers.len();
        let mut end = vec![false; n_registers];
        for register in at_end {
            set_live(&mut end, *register);
        }
        let within = range.start as usize..range.end as usize;
        let instructions = function.instructions.get(within).unwrap_or(&[]);
        let mut live = vec![vec![false; n_registers]; instructions.len()];
        live.push(end);
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (index, instruction) in instructions.iter().enumerate().rev() {
                let here = self.live_before(function, instruction, index, range.start, &live);
                if let Some(known) = live.get_mut(index)
                    && *known != here
                {
                    *known = here;
                    has_changed = true;
                }
            }
        }
        let numbers = |row: &Vec<bool>| {
            let all = row.iter().zip(0..).filter(|(is_live, _)| **is_live);
            all.map(|(_, number)| RegisterId(number)).collect()
        };
        live.iter().map(numbers).collect()
    }

    /// Checks whether a register may be read before it is written, that is, whether it is live at the entry of the function.
    pub fn reads_unwritten_register(&self, function: &Function) -> bool {
        let blocks = self.basic_blocks(function);
        let liveness = Liveness::of(function, &blocks, &[], |_| Vec::new());
        let is_passed = |register: &RegisterId| {
            let parameter = Parameter::Register(*register);
            function.parameters.contains(&parameter)
        };
        let at_entry = liveness.at_start.first().into_iter().flatten().zip(0..);
        let mut registers = at_entry.flat_map(|(word, index)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 != 0);
            bits.map(move |bit| RegisterId(index * 64 + bit))
        });
        registers.any(|register| !is_passed(&register))
    }

    /// What matters before an instruction, by what matters after it and where it may go.
    fn live_before(
        &self,
        function: &Function,
        instruction: &Instruction,
        index: usize,
        first: u32,
        live: &[Vec<bool>],
    ) -> Vec<bool> {
        let action = self.action(instruction);
        let control = action.and_then(|action| action.does.control());
        let leaves = control.is_some_and(ControlOp::leaves);
        let next = match leaves && instruction.guard.is_none() {
            true => live.last(),
            false => live.get(index + 1),
        };
        let mut here = next.cloned().unwrap_or_default();
        let mut add = |row: Option<&Vec<bool>>| {
            for (own, other) in here.iter_mut().zip(row.into_iter().flatten()) {
                *own |= other;
            }
        };
        if leaves {
            add(live.last());
        }
        for operand in function.operands_of(instruction.operands) {
            if let OperandValue::Label(target) = operand.value {
                let target = target.checked_sub(first);
                add(target.and_then(|target| live.get(target as usize)));
            }
        }
        if instruction.guard.is_none() {
            for register in function.destinations(instruction) {
                if let Some(is_live) = here.get_mut(register.0 as usize) {
                    *is_live = false;
                }
            }
        }
        for register in function.sources(instruction) {
            set_live(&mut here, register);
        }
        here
    }
}

/// Live registers at the starts and ends of basic blocks, one bit per register. A predicated write does not kill a register.
pub struct Liveness<'f, R> {
    function: &'f Function,
    blocks: &'f [BasicBlock],
    /// Returns registers that an instruction reads in addition to its source operands.
    also_reads: R,
    at_start: Vec<Vec<u64>>,
    at_end: Vec<Vec<u64>>,
}

impl<'f, R: Fn(&Instruction) -> Vec<RegisterId>> Liveness<'f, R> {
    /// Computes the liveness of the registers of a function. `results` are live wherever the function ends. `also_reads` returns
    /// registers that an instruction reads in addition to its source operands: accumulators, which are destination operands.
    pub fn of(
        function: &'f Function,
        blocks: &'f [BasicBlock],
        results: &[RegisterId],
        also_reads: R,
    ) -> Liveness<'f, R> {
        let n_words = function.registers.len().div_ceil(64);
        let empty = vec![0; n_words];
        let mut live_at_exit = empty.clone();
        for register in results {
            set_bit(&mut live_at_exit, *register);
        }
        let mut liveness = Liveness {
            function,
            blocks,
            also_reads,
            at_start: vec![empty.clone(); blocks.len()],
            at_end: vec![empty; blocks.len()],
        };
        let accesses: Vec<BlockAccesses> = blocks
            .iter()
            .map(|block| liveness.accesses(block.range.clone()))
            .collect();
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (index, (block, own)) in blocks.iter().zip(&accesses).enumerate().rev() {
                let mut live = match block.successors.is_empty() {
                    true => live_at_exit.clone(),
                    false => vec![0; n_words],
                };
                for next in &block.successors {
                    let next = liveness.at_start.get(*next).into_iter().flatten();
                    live.iter_mut()
                        .zip(next)
                        .for_each(|(own, next)| *own |= next);
                }
                if let Some(end) = liveness.at_end.get_mut(index) {
                    end.clone_from(&live);
                }
                own.step_back(&mut live);
                if let Some(start) = liveness.at_start.get_mut(index)
                    && *start != live
                {
                    *start = live;
                    has_changed = true;
                }
            }
        }
        liveness
    }

    /// Returns the registers that are live after an instruction of a block.
    pub fn after(&self, block: usize, instruction: usize) -> LiveRegisters {
        let mut live = self.at_end.get(block).cloned().unwrap_or_default();
        if let Some(block) = self.blocks.get(block) {
            let rest = instruction + 1..block.range.end;
            self.accesses(rest).step_back(&mut live);
        }
        LiveRegisters(live)
    }

    fn accesses(&self, range: Range<usize>) -> BlockAccesses {
        let n_words = self.function.registers.len().div_ceil(64);
        let mut accesses = BlockAccesses {
            uses: vec![0; n_words],
            kills: vec![0; n_words],
        };
        for instruction in self.function.instructions.get(range).unwrap_or(&[]) {
            let mut reads = self.function.sources(instruction);
            reads.extend((self.also_reads)(instruction));
            for register in reads {
                if !has_bit(&accesses.kills, register) {
                    set_bit(&mut accesses.uses, register);
                }
            }
            if instruction.guard.is_none() {
                for register in self.function.destinations(instruction) {
                    set_bit(&mut accesses.kills, register);
                }
            }
        }
        accesses
    }
}

/// The registers that are live at a point.
pub struct LiveRegisters(Vec<u64>);

impl LiveRegisters {
    /// Checks whether a register is live.
    pub fn contains(&self, register: RegisterId) -> bool {
        has_bit(&self.0, register)
    }
}

/// Registers that a range of instructions accesses, one bit each.
struct BlockAccesses {
    /// Read before a write without a guard.
    uses: Vec<u64>,
    /// Written by an instruction without a guard.
    kills: Vec<u64>,
}

impl BlockAccesses {
    /// Replaces the registers that are live after the range with the registers that are live before the range.
    fn step_back(&self, live: &mut [u64]) {
        for ((live, killed), used) in live.iter_mut().zip(&self.kills).zip(&self.uses) {
            *live = *live & !killed | used;
        }
    }
}

fn set_bit(bits: &mut [u64], register: RegisterId) {
    if let Some(word) = bits.get_mut(register.0 as usize / 64) {
        *word |= 1 << (register.0 % 64);
    }
}

fn has_bit(bits: &[u64], register: RegisterId) -> bool {
    let word = bits.get(register.0 as usize / 64);
    word.is_some_and(|word| word >> (register.0 % 64) & 1 != 0)
}

fn set_live(row: &mut [bool], register: RegisterId) {
    if let Some(is_live) = row.get_mut(register.0 as usize) {
        *is_live = true;
    }
}
