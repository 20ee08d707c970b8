//! Control-flow graphs: the basic blocks of a function or of a range of its instructions, with their successors.

use crate::function::{Function, Instruction, Module};
use crate::operand::OperandValue;
use std::ops::Range;
use warpgrid_isa::ControlOp;

/// Instructions that are always executed in sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicBlock {
    /// Indices into [`Function::instructions`].
    pub range: Range<usize>,
    /// Indices of the blocks that may be executed next.
    pub successors: Vec<usize>,
    /// Whether the block may leave the function or the range.
    pub exits: bool,
}

impl Module {
    /// Returns the basic blocks of a function, in the order of its instructions; the first one is the entry.
    pub fn basic_blocks(&self, function: &Function) -> Vec<BasicBlock> {
        self.basic_blocks_in(function, 0..function.instructions.len())
    }

    /// Returns the basic blocks of a range of instructions, in the order of the instructions.
    pub fn basic_blocks_in(&self, function: &Function, range: Range<usize>) -> Vec<BasicBlock> {
        let n = function.instructions.len().min(range.end);
        let control = |instruction: &Instruction| self.opcode(instruction)?.operation.control();
        let mut starts = vec![false; n + 1];
        if let Some(first) = starts.get_mut(range.start) {
            *first = true;
        }
        let instructions = function.instructions.iter().enumerate();
        for (index, instruction) in instructions.take(n).skip(range.start) {
            let targets = branch_targets(function, instruction);
            let ends =
                !targets.is_empty() || control(instruction).is_some_and(ControlOp::exits_function);
            let next = ends.then_some(index + 1);
            for start in targets.into_iter().chain(next) {
                if let Some(place) = starts.get_mut(start) {
                    *place = true;
                }
            }
        }
        let firsts: Vec<usize> = (range.start..n)
            .filter(|index| starts.get(*index) == Some(&true))
            .collect();
        let block_at = |instruction: usize| firsts.binary_search(&instruction).ok();
        let ranges = firsts.iter().zip(firsts.iter().skip(1).chain([&n]));
        let blocks = ranges.map(|(first, end)| {
            let own = function.instructions.get(*first..*end).unwrap_or(&[]);
            let (mut targets, mut exits) = (Vec::new(), false);
            if let Some(last) = own.last() {
                let jumps = matches!(
                    control(last),
                    Some(ControlOp::Branch | ControlOp::BranchIndexed)
                );
                exits = control(last).is_some_and(ControlOp::exits_function);
                let falls_through = last.guard.is_some() || !(jumps || exits);
                targets = branch_targets(function, last);
                targets.extend(falls_through.then_some(*end));
            }
            let successors: Vec<usize> = targets.iter().filter_map(|at| block_at(*at)).collect();
            BasicBlock {
                range: *first..*end,
                exits: exits || successors.len() < targets.len(),
                successors,
            }
        });
        blocks.collect()
    }
}

/// Computes the nodes that are reachable from `start`, including `start`, in a graph of `n` nodes: one flag per node.
pub fn reachable<S: IntoIterator<Item = usize>>(
    n: usize,
    start: usize,
    successors: impl Fn(usize) -> S,
) -> Vec<bool> {
    let mut is_reachable = vec![false; n];
    let mut pending = vec![start];
    while let Some(node) = pending.pop() {
        match is_reachable.get_mut(node) {
            Some(seen) if !*seen => *seen = true,
            Some(_) | None => continue,
        }
        pending.extend(successors(node));
    }
    is_reachable
}

/// Computes the basic blocks that are reachable from the entry: one flag per block.
pub fn reachable_blocks(blocks: &[BasicBlock]) -> Vec<bool> {
    reachable(blocks.len(), 0, |index| {
        let block = blocks.get(index);
        block.map_or(Vec::new(), |block| block.successors.clone())
    })
}

/// Returns the branch targets of an instruction as instruction indices.
fn branch_targets(function: &Function, instruction: &Instruction) -> Vec<usize> {
    let mut found = Vec::new();
    let mut add = |value: &OperandValue| {
        if let OperandValue::Label(target) = value {
            found.push(*target as usize);
        }
    };
    for operand in function.operands_of(instruction.operands) {
        add(&operand.value);
        if let OperandValue::List(list) = operand.value {
            let elements = function.operands_of(list).iter();
            elements.for_each(|element| add(&element.value));
        }
    }
    found
}
