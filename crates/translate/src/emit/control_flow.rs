//! Control flow: blocks, branches, barriers and exits. The module takes the control-flow graph, and generates a
//! dispatch loop over the basic blocks of each group. When a subwarp waits or exits, the code saves its state in its
//! context record.

use crate::bailout::BailoutReason;
use crate::control_flow_graph::{SuspendKind, is_guarded, is_terminator};
use crate::dirty_registers::DirtyRegisters;
use crate::emit::{Emitter, FixedLocals, RECORD};
use crate::instructions::{at, splat32};
use crate::layout::cell;
use crate::layout::stop;
use crate::registers::EmitMode;
use crate::registers::{BlockUseDef, RegisterKey, parts};
use crate::runtime;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::translation_view::{
    BarrierMode, BarrierPlan, DecodedInstruction, DecodedOp, OperandLocation, PlanId, RegisterBank,
};
use wasm_encoder::{BlockType, Instruction as I};

/// Target of control flow within a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BranchTarget {
    /// Region entry, identified by its number.
    Entry(usize),
    /// Kernel start.
    Start,
    Block(usize),
}

/// Minimum number of instructions of a region that is split into several functions. In a shorter region, the calls
/// between the functions take more time than the engine saves by compiling smaller functions.
const MAX_INSTRUCTIONS_PER_FUNCTION: usize = 200;

/// Maximum total number of branch table entries in all functions of a region. A region whose branch tables exceed this
/// size is compiled to a single function.
const MAX_TABLE_ENTRIES: usize = 1 << 15;

impl Emitter<'_> {
    /// Emits the region as a single function, or, if its code is long, as one function per group of basic blocks, so
    /// that the engine's register allocator processes one group at a time.
    pub(crate) fn emit_region(&mut self) -> Result<(), BailoutReason> {
        if self.writes == EmitMode::Region {
            self.first_without_wait = self.find_first_without_wait();
        }
        let mut groups = vec![0; self.flow.blocks.len()];
        if self.code.len() >= MAX_INSTRUCTIONS_PER_FUNCTION {
            let apart = self.flow.groups();
            let n_groups = apart.iter().max().map_or(0, |last| last + 1);
            if n_groups * self.targets().count() <= MAX_TABLE_ENTRIES {
                groups = apart;
            }
        }
        let n_groups = groups.iter().max().map_or(1, |last| last + 1);
        self.groups = groups;
        for group in 0..n_groups {
            self.emit_region_of(group)?;
            let code = std::mem::take(&mut self.out);
            self.regions.push(code);
        }
        Ok(())
    }

    /// Computes the dirty registers of each basic block from the registers that the blocks read and write.
    pub(crate) fn find_changed(
        &mut self,
        loops: &BTreeMap<usize, BTreeSet<usize>>,
        touched: &[BlockUseDef],
    ) {
        let blocks = 0..self.flow.blocks.len();
        let put_aside = Vec::from_iter(blocks.map(|block| self.put_aside_at(block)));
        self.changed = DirtyRegisters::new(self.flow, loops, touched, self.live, &put_aside);
    }

    /// Returns the last instruction of a basic block if a subwarp may diverge at this instruction.
    pub(crate) fn diverging_branch(&mut self, index: usize) -> Option<&DecodedInstruction> {
        let (at, code) = (self.flow.blocks[index].end - 1, self.code);
        self.set_current_instruction(at);
        let last = code.get(at).map(|placed| &placed.instr);
        last.filter(|last| is_terminator(last) && is_guarded(last))
            .filter(|last| self.scalar(RegisterBank::Predicate, last.guard).is_none())
    }

    /// Returns the registers that are saved in the context records of lanes that diverge at the end of a basic block.
    /// On a side of an if-converted branch, the inactive lanes must keep the values of these registers.
    fn put_aside_at(&mut self, index: usize) -> BTreeSet<RegisterKey> {
        let Some(DecodedOp::Branch { target }) = self.diverging_branch(index).map(|last| last.op)
        else {
            return BTreeSet::new();
        };
        let end = self.detours.get(&index).map(|detour| detour.join_block);
        let target = self.flow.block_at(target as usize);
        let held = [target, end].into_iter().flatten();
        held.filter_map(|block| self.live.get(block))
            .flatten()
            .copied()
            .collect()
    }

    /// Returns all branch targets in the order of their numbers in context records and dispatch loops: first the
    /// entries, then the kernel start, then the basic blocks.
    fn targets(&self) -> impl Iterator<Item = BranchTarget> + use<> {
        let entries = (0..self.flow.entries.len()).map(BranchTarget::Entry);
        let blocks = (0..self.flow.blocks.len()).map(BranchTarget::Block);
        entries.chain([BranchTarget::Start]).chain(blocks)
    }

    /// Returns the group of basic blocks that contains a branch target.
    fn group_of(&self, target: BranchTarget) -> usize {
        let block = match target {
            BranchTarget::Entry(number) => {
                self.flow.entries.get(number).copied().unwrap_or_default()
            }
            BranchTarget::Start => 0,
            BranchTarget::Block(block) => block,
        };
        self.groups.get(block).copied().unwrap_or_default()
    }

    /// Returns the group of each entry, followed by the group of the kernel start.
    pub(crate) fn groups_of_entries(&self) -> Vec<usize> {
        let is_block = |target: &BranchTarget| matches!(target, BranchTarget::Block(_));
        let entries = self.targets().take_while(|target| !is_block(target));
        entries.map(|target| self.group_of(target)).collect()
    }

    /// Emits the region function of a group: first the entries, then the basic blocks in topological order. A forward
    /// branch exits one or several WebAssembly constructs, and a back edge continues the enclosing loop.
    fn emit_region_of(&mut self, group: usize) -> Result<(), BailoutReason> {
        let n_before = self.flow.entries.len() + 1;
        let mut own: Vec<(usize, BranchTarget)> =
            self.targets().enumerate().take(n_before).collect();
        let blocks = self.flow.topological_order().into_iter();
        own.extend(blocks.map(|block| (n_before + block, BranchTarget::Block(block))));
        own.retain(|(_, target)| self.group_of(*target) == group);
        let mut places = vec![None; self.targets().count()];
        for (place, (number, _)) in own.iter().enumerate() {
            if let Some(found) = places.get_mut(*number) {
                *found = Some(place);
            }
        }
        self.n_targets = own.len();
        self.target_index = places;
        self.loop_headers.clear();
        self.begin();
        self.op(I::Loop(BlockType::Empty));
        self.begin_subwarp();
        let n_at_start = self.out.len();
        self.ops([
            I::Block(BlockType::Empty),
            I::Block(BlockType::Empty),
            I::Loop(BlockType::Empty),
        ]);
        for _ in &own {
            self.op(I::Block(BlockType::Empty));
        }
        self.get(self.names.pc);
        let table_at = self.out.len();
        self.op(I::Nop);
        for (place, (_, target)) in own.into_iter().enumerate() {
            self.op(I::End);
            self.place = place;
            self.nest = 0;
            match target {
                BranchTarget::Entry(number) => self.load_entry(number)?,
                BranchTarget::Start => {
                    self.clear_registers([0].into());
                    self.branch_to(0);
                }
                BranchTarget::Block(block) => {
                    self.block = block;
                    self.address_patterns.clear();
                    match self.writes != EmitMode::Draft && self.flow.is_within_chain(block) {
                        true => self.op(I::Unreachable),
                        false => self.block_code(block)?,
                    }
                    self.fall_through(block);
                }
            }
        }
        self.ops([I::End, I::End, I::Unreachable, I::End]);
        self.end_subwarp();
        self.op(I::End);
        self.end_subwarps();
        self.ops([I::I32Const(0), I::End]);
        if let Some(place) = self.out.get_mut(table_at) {
            *place = table_of(&self.target_index, n_before, &self.loop_headers);
        }
        // At the entry of a region function, locals still contain values of the previous subwarp. Zero the registers
        // that are live at the targets of back edges, so that no such value is visible.
        let rest = self.out.split_off(n_at_start);
        self.clear_registers(self.loop_headers.clone());
        self.out.extend(rest);
        Ok(())
    }

    /// Zeroes the registers that are live at the start of the given basic blocks.
    fn clear_registers(&mut self, blocks: BTreeSet<usize>) {
        let live = self.live;
        let registers: BTreeSet<RegisterKey> = blocks
            .iter()
            .filter_map(|block| live.get(*block))
            .flatten()
            .copied()
            .collect();
        self.clear_scalars(&registers);
        for register in registers {
            if self.is_scalar(register) {
                continue;
            }
            let home = self.home(register);
            for part in 0..parts(register) {
                self.op(splat32(0));
                self.set(home.local + part);
            }
        }
    }

    /// Loads the registers that are live at an entry from the context record.
    fn load_entry(&mut self, number: usize) -> Result<(), BailoutReason> {
        let Some(block) = self.flow.entries.get(number).copied() else {
            return self.unsupported("a missing entry point");
        };
        let wanted = self.changed.upward_exposed(block).clone();
        self.load(&wanted);
        self.branch_to(block);
        Ok(())
    }

    /// Branches to a basic block of the same group. A forward branch exits WebAssembly constructs, and a back edge
    /// continues the enclosing loop.
    pub(crate) fn branch_to(&mut self, block: usize) {
        let target = self.flow.entries.len() + 1 + block;
        let Some(Some(place)) = self.target_index.get(target).copied() else {
            self.op(I::Unreachable);
            return;
        };
        if place > self.place {
            self.op(I::Br((place - self.place - 1) as u32 + self.nest));
            return;
        }
        self.loop_headers.insert(block);
        self.op(I::I32Const(target as i32));
        self.set(self.names.pc);
        self.op(I::Br(self.depth_of_loop()));
    }

    /// Returns the number of WebAssembly constructs that are open within the dispatch loop.
    pub(crate) fn depth_of_loop(&self) -> u32 {
        (self.n_targets - 1 - self.place) as u32 + self.nest
    }

    /// Branches from the end of a basic block to the next block in code order, if any lanes continue there.
    fn fall_through(&mut self, index: usize) {
        let block = &self.flow.blocks[index];
        if block.suspends_for == SuspendKind::None && block.successors.contains(&(index + 1)) {
            self.branch_to(index + 1);
        }
    }

    fn block_code(&mut self, index: usize) -> Result<(), BailoutReason> {
        let block = &self.flow.blocks[index];
        let Some((last, _)) = self.code.range(block.start..block.end).split_last() else {
            return Ok(());
        };
        if !block.loops_to_itself(&last.instr) {
            return self.emit_dual_path(index);
        }
        self.op(I::Loop(BlockType::Empty));
        self.nest += 1;
        self.emit_dual_path(index)?;
        self.close();
        Ok(())
    }

    /// Emits the instructions of a basic block. The last instruction is not emitted if it is a terminator or a
    /// synchronization point.
    pub(crate) fn body(&mut self, index: usize) -> Result<(), BailoutReason> {
        let block = &self.flow.blocks[index];
        let code = self.code.range(block.start..block.end);
        self.count(index);
        let Some((last, rest)) = code.split_last() else {
            return Ok(());
        };
        for (offset, placed) in rest.iter().enumerate() {
            self.set_current_instruction(block.start + offset);
            self.emit_straight_line(&placed.instr)?;
            self.force_result(&placed.instr.op)?;
        }
        self.set_current_instruction(block.end - 1);
        self.emit_call_moves(last.moves)?;
        if self.goes_on(index) {
            self.emit_straight_line(&last.instr)?;
        }
        let before_loop = self.changed.spill_before_loop(index).clone();
        self.save(RECORD, &before_loop);
        Ok(())
    }

    /// Checks whether the last instruction of a basic block is an ordinary instruction: neither a terminator nor a
    /// synchronization point.
    pub(crate) fn goes_on(&self, index: usize) -> bool {
        let block = &self.flow.blocks[index];
        let last = self.code.get(block.end - 1);
        block.suspends_for == SuspendKind::None
            && !last.is_some_and(|last| is_terminator(&last.instr))
    }

    /// Emits the terminator or the synchronization point of a basic block.
    pub(crate) fn end_block(&mut self, index: usize) -> Result<(), BailoutReason> {
        let block = &self.flow.blocks[index];
        let Some(last) = self.code.get(block.end - 1) else {
            return Ok(());
        };
        let last = &last.instr;
        match last.op {
            _ if block.suspends_for == SuspendKind::Warp => self.suspend_at_warp_op(last),
            _ if block.suspends_for == SuspendKind::Host => self.suspend_for_host(),
            DecodedOp::Branch { target } => self.branch(index, last, target),
            DecodedOp::Return | DecodedOp::Exit => self.exit(last),
            DecodedOp::Barrier(plan) => self.barrier(last, plan),
            _ if block.end == self.code.len() => self.unsupported("code without a terminator"),
            _ => Ok(()),
        }
    }

    /// Emits code that counts the steps of a basic block. On a side of an if-converted branch, the lane-instructions of
    /// the inactive lanes are subtracted from the count.
    pub(crate) fn count(&mut self, index: usize) {
        let steps = self.names.steps;
        let n_steps = self.flow.blocks[index].steps;
        self.get(steps);
        self.ops([I::I64Const(i64::from(n_steps)), I::I64Add]);
        self.set(steps);
        if self.predicated_side.is_some() {
            let FixedLocals {
                lane_instructions,
                detour,
                mask,
                ..
            } = self.names;
            self.get_all([lane_instructions, detour]);
            self.op(I::I32x4Bitmask);
            self.get(mask);
            self.ops([I::I32Xor, I::I32Popcnt, I::I64ExtendI32U]);
            self.ops([I::I64Const(i64::from(n_steps)), I::I64Mul, I::I64Sub]);
            self.set(lane_instructions);
        }
        self.note_furthest(index);
    }

    /// Records the number of an executed basic block if a block with a lower number ends with a warp-level operation
    /// that does not wait for all lanes.
    fn note_furthest(&mut self, index: usize) {
        let number = self.flow.number(index);
        if self.first_without_wait.is_none_or(|first| number <= first) {
            return;
        }
        let furthest = self.names.furthest;
        let number = I::I32Const(number as i32 + 1);
        self.get(furthest);
        self.op(number.clone());
        self.get(furthest);
        self.ops([number, I::I32GtU, I::Select]);
        self.set(furthest);
    }

    /// Pushes the mask of the active lanes whose guard is true.
    pub(crate) fn push_taken(&mut self, instr: &DecodedInstruction) -> Result<(), BailoutReason> {
        if let Some(scalar) = self.scalar(RegisterBank::Predicate, instr.guard) {
            self.get(scalar.local);
            if instr.negated {
                self.ops([I::I32Const(-1), I::I32Xor]);
            }
        } else {
            self.read_guard(instr)?;
            self.op(I::I32x4Bitmask);
        }
        self.get(self.names.mask);
        self.op(I::I32And);
        Ok(())
    }

    fn branch(
        &mut self,
        index: usize,
        instr: &DecodedInstruction,
        target: u32,
    ) -> Result<(), BailoutReason> {
        let Some(block) = self.flow.block_at(target as usize) else {
            return self.unsupported("a branch target outside the code");
        };
        let is_back = target <= self.at;
        let FixedLocals { active, mask, .. } = self.names;
        if instr.guard.place() == OperandLocation::None {
            if is_back {
                self.emit_back_edge();
            }
            match block == index {
                true => self.op(I::Br(0)),
                false => self.branch_to(block),
            }
            return Ok(());
        }
        self.push_taken(instr)?;
        self.set(active);
        self.open_block();
        self.add_to_path(active);
        self.get(active);
        self.ops([I::I32Eqz, I::BrIf(0)]);
        // If the guard is uniform, the lanes cannot diverge at the branch.
        if self.scalar(RegisterBank::Predicate, instr.guard).is_none() {
            self.get_all([active, mask]);
            self.ops([I::I32Ne, I::If(BlockType::Empty)]);
            self.nest += 1;
            if !self.emit_if_converted()? {
                self.emit_divergence(block)?;
                self.op(I::Br(1));
            }
            self.close();
        }
        if is_back {
            self.emit_back_edge();
        }
        match block == index {
            // The guard is compiled to a nested `if` block, so the enclosing loop has branch depth 1 instead of 0.
            true => self.op(I::Br(1)),
            false => self.branch_to(block),
        }
        self.close();
        Ok(())
    }

    /// Adds the outcome of a guarded branch to the hash of the executed path.
    pub(crate) fn add_to_path(&mut self, taken: u32) {
        if self.writes == EmitMode::Warp {
            return;
        }
        let path = self.names.path;
        self.get(path);
        self.ops([I::I32Const(0x9e37_79b1u32 as i32), I::I32Mul]);
        self.get(taken);
        self.ops([I::I32Const(0), I::I32Ne, I::I32Add]);
        self.set(path);
    }

    /// Emits the check of the step limit at a back edge. If the run has exceeded the limit, the region function
    /// returns.
    pub(crate) fn emit_back_edge(&mut self) {
        self.get(self.names.steps);
        self.ops([
            I::I32Const(0),
            I::I64Load(at(cell::FUEL)),
            I::I64GtU,
            I::If(BlockType::Empty),
            I::I32Const(stop::STEPS as i32),
            I::Return,
            I::End,
        ]);
    }

    /// Moves the lanes in `active` to a separate context record, which continues at the given block later. The other
    /// lanes continue with the current code.
    fn emit_divergence(&mut self, block: usize) -> Result<(), BailoutReason> {
        let FixedLocals {
            active,
            mask,
            current_epoch: me,
            path,
            ..
        } = self.names;
        self.create_context(block)?;
        self.get_all([mask, active]);
        self.op(I::I32Xor);
        self.set(mask);
        // The path hash of the remaining lanes records that they have not taken the branch.
        self.get(path);
        self.ops([I::I32Const(1), I::I32Sub]);
        self.set(path);
        self.read_name(me);
        Ok(())
    }

    /// Creates a context record for the lanes in `active`, which continues at the given block.
    fn create_context(&mut self, block: usize) -> Result<(), BailoutReason> {
        let FixedLocals {
            active, pointer, ..
        } = self.names;
        let Some(entry) = self.flow.entry(block) else {
            return self.unsupported("a branch target without an entry point");
        };
        self.get(RECORD);
        self.op(I::I32Const(entry as i32));
        self.get(active);
        self.op(I::Call(runtime::FN_SPLIT_CONTEXT));
        self.tee(pointer);
        self.ops([
            I::I32Eqz,
            I::If(BlockType::Empty),
            I::I32Const(stop::UNSUPPORTED as i32),
            I::Return,
            I::End,
        ]);
        self.save_counts(pointer);
        if let Some(live) = self.live.get(block) {
            self.save(pointer, live);
        }
        Ok(())
    }

    fn exit(&mut self, instr: &DecodedInstruction) -> Result<(), BailoutReason> {
        if instr.guard.place() == OperandLocation::None {
            self.exit_subwarp();
            return Ok(());
        }
        let FixedLocals { active, mask, .. } = self.names;
        self.push_taken(instr)?;
        self.set(active);
        self.add_to_path(active);
        self.get_all([mask, active]);
        self.ops([I::I32Eq, I::If(BlockType::Empty)]);
        self.nest += 1;
        self.exit_subwarp();
        self.close();
        self.add_lane_instructions(active);
        self.get_all([mask, active]);
        self.op(I::I32Xor);
        self.set(mask);
        Ok(())
    }

    fn barrier(
        &mut self,
        instr: &DecodedInstruction,
        plan: PlanId<BarrierPlan>,
    ) -> Result<(), BailoutReason> {
        let plan = self.plain.barrier(plan);
        let is_whole = plan.is_some_and(|plan| {
            matches!(plan.kind, BarrierMode::Sync)
                && plan.threads.place() == OperandLocation::None
                && self.known32(plan.id).is_some_and(|id| id < 16)
        });
        if !is_whole || instr.guard.place() != OperandLocation::None {
            return self.unsupported("a barrier with an explicit thread count");
        }
        self.suspend(&BTreeSet::new(), &BTreeSet::new())
    }

    /// Leaves the region at the synchronization point that ends the current basic block. The instruction at the
    /// synchronization point reads and writes the given registers.
    fn suspend(
        &mut self,
        read: &BTreeSet<RegisterKey>,
        written: &BTreeSet<RegisterKey>,
    ) -> Result<(), BailoutReason> {
        let next = self.flow.block_at(self.at as usize + 1);
        let entry = next.and_then(|next| Some((next, self.flow.entry(next)?)));
        let Some((block, entry)) = entry else {
            return self.unsupported("a barrier without a successor");
        };
        let mut held: BTreeSet<RegisterKey> = self.live.get(block).cloned().unwrap_or_default();
        held.retain(|register| !written.contains(register));
        held.extend(read);
        let number = self.wait_number(&held);
        let at_end = self.changed.dirty_out(self.block);
        let changed = held.intersection(at_end).copied().collect();
        self.save(RECORD, &changed);
        self.exit_region(entry as i32, number);
        Ok(())
    }

    /// Returns the number of the synchronization point that ends the current basic block. At this synchronization
    /// point, context records contain the registers in `held`.
    fn wait_number(&mut self, held: &BTreeSet<RegisterKey>) -> u32 {
        let number = self.flow.wait_number(self.block);
        let held = held.iter().copied();
        let held: Vec<(RegisterKey, u32)> = held.map(|r| (r, self.home(r).offset)).collect();
        self.waits.insert(number, held);
        number
    }

    /// Emits the synchronization point of a warp-level operation.
    fn suspend_at_warp_op(&mut self, instr: &DecodedInstruction) -> Result<(), BailoutReason> {
        if instr.guard.place() != OperandLocation::None {
            return self.unsupported("a predicated warp-level operation");
        }
        self.reads[self.block] = self.touched[self.block].read.clone();
        let (read, written) = self.note_operation()?;
        self.suspend(&read, &written)
    }

    /// Emits the synchronization point of a host call for the current instruction.
    fn suspend_for_host(&mut self) -> Result<(), BailoutReason> {
        let (read, written) = self.note_operation()?;
        self.suspend(&read, &written)
    }
}

/// Returns the branch table that maps the number of an entry or basic block to its position. The table contains all
/// entries of the region, and the targets of back edges. `n_before` is the number of targets that precede the blocks.
fn table_of(
    places: &[Option<usize>],
    n_before: usize,
    returned_to: &BTreeSet<usize>,
) -> I<'static> {
    let n_own = places.iter().flatten().count();
    let elsewhere = n_own as u32 + 1;
    let is_reached = |number: usize| {
        let block = number.checked_sub(n_before);
        block.is_none_or(|block| returned_to.contains(&block))
    };
    let depth = |(number, place): (usize, &Option<usize>)| match place {
        Some(place) if is_reached(number) => *place as u32,
        _ => elsewhere,
    };
    let table: Vec<u32> = places.iter().enumerate().map(depth).collect();
    I::BrTable(table.into(), elsewhere)
}
