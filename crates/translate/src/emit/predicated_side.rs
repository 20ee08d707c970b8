//! Code generation for the predicated sides of if-converted branches. The module takes the basic blocks between a
//! branch and its join block, and generates code that executes the blocks of each side under a guard, and continues at
//! the join block with all lanes.

use crate::bailout::BailoutReason;
use crate::emit::{Emitter, FixedLocals};
use crate::if_conversion::IfConversion;
use crate::layout::cell;
use std::ops::Range;
use warpgrid_emulator::translation_view::{DecodedInstruction, DecodedOp};
use wasm_encoder::{BlockType, Instruction as I};

impl Emitter<'_> {
    /// If-converts the current branch, which the lanes in the local `active` take. Returns `false` if the code between
    /// the branch and its join block is too long.
    pub(crate) fn emit_if_converted(&mut self) -> Result<bool, BailoutReason> {
        let Some(detour) = self.detours.get(&self.block).cloned() else {
            return Ok(false);
        };
        let FixedLocals {
            active,
            mask,
            detour: lanes,
            others,
            ..
        } = self.names;
        // The lanes of a subwarp that executes predicated sides have different step counts.
        self.ops([
            I::I32Const(0),
            I::I32Const(1),
            I::I32Store(crate::instructions::at(cell::DETOURS)),
        ]);
        // Lanes that were inactive before the branch execute neither side.
        for (there, local) in [(mask, lanes), (active, others)] {
            self.spread_lanes(there);
            self.set(local);
        }
        self.get_all([lanes, others]);
        self.op(I::V128AndNot);
        self.set(lanes);
        let (block, at) = (self.block, self.at as usize);
        self.emit_side(&detour, detour.fallthrough_blocks.clone())?;
        if !detour.taken_blocks.is_empty() {
            self.get(others);
            self.set(lanes);
            self.emit_side(&detour, detour.taken_blocks.clone())?;
        }
        self.block = block;
        self.set_current_instruction(at);
        self.address_patterns.clear();
        self.branch_to(detour.join_block);
        Ok(true)
    }

    /// Emits the basic blocks of one side of an if-converted branch. The code executes these blocks while at least one
    /// lane of the side is active.
    fn emit_side(
        &mut self,
        detour: &IfConversion,
        side: Range<usize>,
    ) -> Result<(), BailoutReason> {
        let end = side.end;
        for block in side {
            self.block = block;
            self.address_patterns.clear();
            self.predicated_side = Some(detour.kept(block, self.live));
            self.body(block)?;
            self.predicated_side = None;
            let last = self.flow.blocks[block].end - 1;
            let code = self.code;
            let Some(last) = code.get(last).filter(|_| block + 1 < end) else {
                continue;
            };
            if matches!(last.instr.op, DecodedOp::Branch { .. }) {
                self.exit_side(&last.instr, detour.join_block)?;
            }
        }
        Ok(())
    }

    /// Emits a branch within a side of an if-converted branch. Lanes that take the branch are inactive until the end of
    /// the side. If no active lane remains, the code branches to the end of the side.
    fn exit_side(&mut self, branch: &DecodedInstruction, end: usize) -> Result<(), BailoutReason> {
        let FixedLocals {
            mask,
            detour: lanes,
            ..
        } = self.names;
        self.get(lanes);
        self.read_guard(branch)?;
        self.op(I::V128AndNot);
        self.tee(lanes);
        self.op(I::I32x4Bitmask);
        self.get(mask);
        self.ops([I::I32And, I::I32Eqz, I::If(BlockType::Empty)]);
        self.nest += 1;
        self.branch_to(end);
        self.close();
        Ok(())
    }
}
