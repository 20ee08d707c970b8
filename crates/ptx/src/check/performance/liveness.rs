//! Live registers and reachable blocks of a function with `wgmma`, whose accumulators are operands in both directions. In: a function
//! with its basic blocks; out: which registers are live after an instruction.

use super::{is_product, warpgroup};
use warpgrid_isa::WarpgroupOp;
use warpgrid_program::{
    BasicBlock, Function, Instruction, Module, OperandValue, RegisterId, Source,
};

/// One bit per register.
type Bits = Vec<u64>;

/// Live registers at the ends of basic blocks.
pub(super) struct Liveness<'f> {
    module: &'f Module,
    function: &'f Function,
    blocks: &'f [BasicBlock],
    at_end: Vec<Bits>,
}

impl<'f> Liveness<'f> {
    pub(super) fn of(
        module: &'f Module,
        function: &'f Function,
        blocks: &'f [BasicBlock],
    ) -> Liveness<'f> {
        let n_words = function.registers.len().div_ceil(64);
        let mut results = vec![0; n_words];
        for register in &function.results {
            set(&mut results, *register, true);
        }
        let ends_function = |block: &BasicBlock| block.successors.is_empty();
        let at_end = blocks.iter().map(|block| match ends_function(block) {
            true => results.clone(),
            false => vec![0; n_words],
        });
        let mut liveness = Liveness {
            module,
            function,
            blocks,
            at_end: at_end.collect(),
        };
        let mut at_start = vec![vec![0; n_words]; blocks.len()];
        let mut is_new = true;
        while is_new {
            is_new = false;
            for (index, block) in blocks.iter().enumerate().rev() {
                let mut live = liveness.at_end.get(index).cloned().unwrap_or_default();
                for next in &block.successors {
                    let next = at_start.get(*next).into_iter().flatten();
                    live.iter_mut()
                        .zip(next)
                        .for_each(|(own, next)| *own |= next);
                }
                if let Some(end) = liveness.at_end.get_mut(index) {
                    end.clone_from(&live);
                }
                liveness.step_back(&mut live, block.range.start, block.range.end);
                if let Some(start) = at_start.get_mut(index)
                    && *start != live
                {
                    *start = live;
                    is_new = true;
                }
            }
        }
        liveness
    }

    /// Returns whether each register is live after an instruction of a block.
    pub(super) fn after(&self, block: usize, instruction: usize) -> LiveRegisters {
        let mut live = self.at_end.get(block).cloned().unwrap_or_default();
        if let Some(block) = self.blocks.get(block) {
            self.step_back(&mut live, instruction + 1, block.range.end);
        }
        LiveRegisters(live)
    }

    /// Turns the registers that are live after a range of instructions into those that are live before it.
    fn step_back(&self, live: &mut Bits, start: usize, end: usize) {
        let instructions = self.function.instructions.get(start..end).unwrap_or(&[]);
        for instruction in instructions.iter().rev() {
            let sums = accumulators(self.module, self.function, instruction);
            if instruction.guard.is_none() {
                for register in self.function.destinations(instruction) {
                    set(live, register, false);
                }
            }
            if adds_to_accumulators(self.module, self.function, instruction) {
                sums.iter().for_each(|register| set(live, *register, true));
            }
            for register in self.function.sources(instruction) {
                set(live, register, true);
            }
        }
    }
}

/// The registers that are live at a point.
pub(super) struct LiveRegisters(Bits);

impl LiveRegisters {
    pub(super) fn contains(&self, register: RegisterId) -> bool {
        let word = self.0.get(register.0 as usize / 64);
        word.is_some_and(|word| word >> (register.0 % 64) & 1 != 0)
    }
}

/// Returns the accumulators of a product; none for other instructions.
pub(super) fn accumulators(
    module: &Module,
    function: &Function,
    instruction: &Instruction,
) -> Vec<RegisterId> {
    let action = module.action(instruction);
    match action.is_some_and(|action| is_product(action.does)) {
        true => function.destinations(instruction),
        false => Vec::new(),
    }
}

/// Whether a product reads its accumulators: unless `scale-d` is the constant 0.
fn adds_to_accumulators(module: &Module, function: &Function, instruction: &Instruction) -> bool {
    let action = module.action(instruction);
    let operation = action.and_then(|action| warpgroup(action.does));
    let Some(at) = operation.and_then(WarpgroupOp::scale_operand) else {
        return false;
    };
    let scale = function.operands_of(instruction.operands).get(at);
    !matches!(
        scale.map(|operand| &operand.value),
        Some(OperandValue::Source(Source::Immediate(0), _))
    )
}

/// By block: whether a path from the entry reaches it.
pub(super) fn reachable_blocks(blocks: &[BasicBlock]) -> Vec<bool> {
    let mut is_reachable = vec![false; blocks.len()];
    let mut pending = vec![0];
    while let Some(index) = pending.pop() {
        match is_reachable.get_mut(index) {
            Some(seen) if !*seen => *seen = true,
            Some(_) | None => continue,
        }
        let block = blocks.get(index);
        pending.extend(block.into_iter().flat_map(|block| &block.successors));
    }
    is_reachable
}

fn set(bits: &mut Bits, register: RegisterId, is_live: bool) {
    if let Some(word) = bits.get_mut(register.0 as usize / 64) {
        let bit = 1 << (register.0 % 64);
        match is_live {
            true => *word |= bit,
            false => *word &= !bit,
        }
    }
}
