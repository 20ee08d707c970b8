//! Liveness analysis of registers. A register is live if some path reads its value before overwriting it.

use crate::flow::BasicBlock;
use crate::function::{Function, Instruction, Parameter, Program};
use crate::ids::RegisterId;
use std::ops::Range;

impl Program {
    /// Returns the registers that are live before each instruction of a range and after its last instruction, in ascending order.
    /// `at_end` contains the registers that are live at the exits of the range or of the function.
    pub fn live_registers(
        &self,
        function: &Function,
        range: Range<u32>,
        at_end: &[RegisterId],
    ) -> Vec<Vec<RegisterId>> {
        let range = range.start as usize..range.end as usize;
        let blocks = self.basic_blocks_in(function, range.clone());
        let liveness = Liveness::of(function, &blocks, at_end, |_| Vec::new());
        let mut all = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            all.extend(block.range.clone().map(|at| liveness.before(index, at)));
        }
        all.push(LiveRegisters(liveness.at_exit.clone()));
        all.iter().map(|live| live.iter().collect()).collect()
    }

    /// Checks whether a register may be read before it is written, that is, whether it is live at the entry of the function.
    pub fn reads_unwritten_register(&self, function: &Function) -> bool {
        let blocks = self.basic_blocks(function);
        let liveness = Liveness::of(function, &blocks, &[], |_| Vec::new());
        let is_passed = |register: &RegisterId| {
            let parameter = Parameter::Register(*register);
            function.parameters.contains(&parameter)
        };
        let at_entry = LiveRegisters(liveness.at_start.first().cloned().unwrap_or_default());
        at_entry.iter().any(|register| !is_passed(&register))
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
    /// Registers that are live at the exits of the function or of the range.
    at_exit: Vec<u64>,
}

impl<'f, R: Fn(&Instruction) -> Vec<RegisterId>> Liveness<'f, R> {
    /// Computes the liveness of the registers of a function. `results` are live at each exit of the function. `also_reads`
    /// returns registers that an instruction reads in addition to its source operands: accumulators, which are destination
    /// operands.
    pub fn of(
        function: &'f Function,
        blocks: &'f [BasicBlock],
        results: &[RegisterId],
        also_reads: R,
    ) -> Liveness<'f, R> {
        let n_words = function.registers.len().div_ceil(64);
        let empty = vec![0; n_words];
        let mut at_exit = empty.clone();
        for register in results {
            set_bit(&mut at_exit, *register);
        }
        let mut liveness = Liveness {
            function,
            blocks,
            also_reads,
            at_start: vec![empty.clone(); blocks.len()],
            at_end: vec![empty; blocks.len()],
            at_exit,
        };
        let accesses: Vec<BlockAccesses> = blocks
            .iter()
            .map(|block| liveness.accesses(block.range.clone()))
            .collect();
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (index, (block, own)) in blocks.iter().zip(&accesses).enumerate().rev() {
                let mut live = match block.exits {
                    true => liveness.at_exit.clone(),
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

    /// Returns the registers that are live before an instruction of a block.
    fn before(&self, block: usize, instruction: usize) -> LiveRegisters {
        let LiveRegisters(mut live) = self.after(block, instruction);
        self.accesses(instruction..instruction + 1)
            .step_back(&mut live);
        LiveRegisters(live)
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

/// Registers that are live at a program point.
pub struct LiveRegisters(Vec<u64>);

impl LiveRegisters {
    /// Returns the registers in ascending order.
    fn iter(&self) -> impl Iterator<Item = RegisterId> {
        self.0.iter().zip(0..).flat_map(|(word, index)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 != 0);
            bits.map(move |bit| RegisterId(index * 64 + bit))
        })
    }

    /// Checks whether a register is live.
    pub fn contains(&self, register: RegisterId) -> bool {
        has_bit(&self.0, register)
    }
}

/// Registers that a range of instructions accesses, one bit per register.
struct BlockAccesses {
    /// Registers that are read before an unguarded write.
    uses: Vec<u64>,
    /// Registers that an unguarded instruction writes.
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
