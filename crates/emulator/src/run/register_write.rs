//! Replacement of register values by the host, for analyses that test the effect of a value on the rest of a run.

use crate::exec::context::lanes_at;
use crate::exec::operand_rows::write64;
use crate::run::machine::Machine;
use crate::semantics::registers::LANES;
use warpgrid_program::{FunctionId, RegisterId};

impl Machine {
    /// Replaces the value of a register of at most 64 bits in the lanes `lanes` of a warp. The value is truncated to the width of the register, and
    /// [`Machine::register_row`] defines the frame that contains the register. Returns `false` without an effect if the warp is not
    /// resident or has not executed a step, or if the function has no such register.
    ///
    /// A [`Timeline`](crate::Timeline) does not record the replacement, so callers replace registers only in a clone of a machine.
    pub fn set_register(
        &mut self,
        (block, warp): (u64, u32),
        lanes: u32,
        (function, register): (FunctionId, RegisterId),
        value: u64,
    ) -> bool {
        let code = &self.setup.code;
        let found = code.functions.iter().position(|f| f.id == function);
        let operand = found.and_then(|index| {
            let registers = &code.functions.get(index)?.registers;
            registers.get(register.0 as usize).copied()
        });
        let Some((index, operand)) = found.zip(operand) else {
            return false;
        };
        let mut blocks = self.state.blocks.iter_mut();
        let block = blocks.find(|own| own.index == block);
        let Some(warp) = block.and_then(|block| block.warps.get_mut(warp as usize)) else {
            return false;
        };
        if warp.has_not_run {
            return false;
        }
        let splits = warp.splits;
        let in_function = splits
            .all()
            .iter()
            .filter(|split| code.origin(split.pc).0 == function);
        let mut frames: Vec<(u32, u32)> = in_function
            .map(|split| (split.depth, split.mask & lanes))
            .collect();
        if index == 0 {
            let covered = frames.iter().fold(0, |all, (_, mask)| all | mask);
            frames.push((0, lanes & !covered));
        }
        for (depth, mask) in frames {
            let mut registers = lanes_at(code, warp, depth, mask);
            write64(&mut registers, operand, &[value; LANES]);
        }
        true
    }
}
