//! Warp-level operations, and the code between them. The generated code takes the context records of a converged warp,
//! and produces the registers of the warp after a sequence of operations, each of which is executed for all subwarps at
//! once. The code between two operations executes one subwarp after the other, without a call of a region function.

pub(crate) mod byte_gather;
pub(crate) mod collective;
pub(crate) mod matrix;
pub(crate) mod mma;

use crate::bailout::BailoutReason;
use crate::control_flow_graph::{HostCallSites, accesses_memory};
use crate::emit::{Emitter, FixedLocals, RECORD};
use crate::inlined_code::{InlinedCode, InlinedInstruction};
use crate::instructions::{at, splat32};
use crate::layout::stop;
use crate::layout::{SUBWARPS_PER_WARP, cell, record};
use crate::registers::{RegisterKey, parts};
use crate::runtime;
use crate::runtime::advance_epochs;
use std::collections::BTreeSet;
use warpgrid_emulator::translation_view::{
    CollectiveKind, DecodedInstruction, DecodedOp, MatrixOperation, OperandLocation, OperandSlot,
    RegisterBank, RegisterUseDef, TranslationView,
};
use warpgrid_isa::ScalarType;
use wasm_encoder::{BlockType, Instruction as I, ValType};

pub(crate) const FULL: i32 = -1;

/// Returns the positions of the warp-level operations that the host executes.
pub(crate) fn operations_of_host(
    plain: TranslationView<'_>,
    code: &InlinedCode<'_>,
) -> HostCallSites {
    let code = (0..).zip(code.all());
    let warps = code.filter(|(_, placed)| is_done_by_host(plain, &placed.instr.op));
    HostCallSites {
        lanes: BTreeSet::new(),
        warps: warps.map(|(at, _)| at).collect(),
    }
}

fn is_done_by_host(plain: TranslationView<'_>, op: &DecodedOp) -> bool {
    match *op {
        DecodedOp::Collective(plan) => plain.collective(plan).is_some_and(|plan| match plan.kind {
            CollectiveKind::Reduce { reduction, .. } => reduction.ty == ScalarType::F32,
            CollectiveKind::Match { a, .. } => a.bank != RegisterBank::B32,
            CollectiveKind::Shuffle { .. }
            | CollectiveKind::Vote { .. }
            | CollectiveKind::Elect { .. }
            | CollectiveKind::Transpose { .. } => false,
        }),
        DecodedOp::Matrix(plan) => matches!(plain.matrix(plan), MatrixOperation::OtherProduct),
        _ => false,
    }
}

impl Emitter<'_> {
    /// Returns the registers that the current operation reads and writes, and adds them to the register sets of its
    /// basic block.
    pub(crate) fn note_operation(
        &mut self,
    ) -> Result<(BTreeSet<RegisterKey>, BTreeSet<RegisterKey>), BailoutReason> {
        let registers = self.own_registers()?;
        let is_address = |register: &RegisterKey| self.local_address(*register).is_some();
        if registers.read.iter().any(is_address) {
            return self.unsupported("an operation on a local memory address");
        }
        for register in &registers.read {
            self.read_register(*register);
        }
        for register in &registers.written {
            self.home(*register);
            self.touched[self.block].written.insert(*register);
            let places = self.definitions.entry(*register).or_default();
            places.insert(self.at);
        }
        let (read, written) = (registers.read.into_iter(), registers.written.into_iter());
        Ok((read.collect(), written.collect()))
    }

    /// Returns the registers that the current operation reads and writes, in the numbering of the inlined code.
    fn own_registers(&self) -> Result<RegisterUseDef, BailoutReason> {
        let mut registers = self.operation_registers()?;
        for (bank, index) in registers.read.iter_mut().chain(&mut registers.written) {
            (*bank, *index) = self.frame_register(*bank, *index);
        }
        Ok(registers)
    }

    fn operation_registers(&self) -> Result<RegisterUseDef, BailoutReason> {
        let placed = self.code.get(self.at as usize);
        match placed.map(|placed| placed.instr.op) {
            Some(
                DecodedOp::WarpBarrier { .. }
                | DecodedOp::ActiveMask { .. }
                | DecodedOp::AsyncCommit(_),
            ) => {}
            Some(DecodedOp::AsyncWait(wait)) => {
                // Leave a wait for groups that are never committed to the interpreter, which reports a diagnostic.
                if wait.latest.is_some() && !self.plain.makes_groups(wait.kind) {
                    return self.unsupported("a wait for groups that are never committed");
                }
            }
            Some(DecodedOp::Matrix(plan)) => match self.plain.matrix(plan) {
                MatrixOperation::Lines(_) | MatrixOperation::Rows(_) => {}
                MatrixOperation::Product(_) | MatrixOperation::OtherProduct => {
                    return self.registers_alone();
                }
                MatrixOperation::Other => {
                    return self.unsupported("a matrix operation of this kind");
                }
            },
            _ => return self.registers_alone(),
        }
        Ok(self.plain.registers_at(self.code.origin(self.at)))
    }

    fn registers_alone(&self) -> Result<RegisterUseDef, BailoutReason> {
        match self.plain.register_use_def(self.code.origin(self.at)) {
            Some(found) => Ok(found),
            None => self.unsupported("an operation with these operands"),
        }
    }

    /// Emits all sequences of warp-level operations as the function `WARP`: its parameters are the address of the
    /// first context record and the number of the operation, and its result is the exit code or zero.
    pub(crate) fn emit_warp_operations(&mut self) -> Result<(), BailoutReason> {
        let base = self.local(ValType::I32);
        let subwarp = self.local(ValType::I32);
        let stride = self.places.record_bytes;
        self.get(RECORD);
        self.set(base);
        let n = self.flow.warp_op_sequences.len() as u32;
        for _ in 0..=n {
            self.op(I::Block(BlockType::Empty));
        }
        self.get(crate::emit::NUMBER);
        self.ops([I::I32Const(1), I::I32Sub]);
        let targets: Vec<u32> = (0..n).collect();
        self.op(I::BrTable(targets.into(), n));
        let flow = self.flow;
        for sequence in &flow.warp_op_sequences {
            self.op(I::End);
            self.emit_sequence(
                sequence.blocks.clone(),
                WarpContexts {
                    base,
                    subwarp,
                    stride,
                },
            )?;
        }
        self.ops([I::End, I::Unreachable, I::End]);
        Ok(())
    }

    fn emit_sequence(
        &mut self,
        blocks: std::ops::Range<usize>,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let mut steps = 0;
        self.stores = 0;
        self.did_store.clear();
        // Whether the warp's latest epochs are unused, because no access has been recorded since the warp received
        // them.
        let mut names_are_new = true;
        for index in blocks.clone() {
            let block = &self.flow.blocks[index];
            let code = self.code.range(block.start..block.end);
            let Some((last, rest)) = code.split_last() else {
                continue;
            };
            self.block = index;
            if index > blocks.start {
                steps += u64::from(block.steps);
                if accesses_memory(self.plain, rest) {
                    if !names_are_new {
                        self.ops(advance_epochs());
                    }
                    names_are_new = false;
                }
                self.emit_between_ops(index, rest, warp)?;
            }
            self.set_current_instruction(block.end - 1);
            if accesses_memory(self.plain, std::slice::from_ref(last)) {
                if !names_are_new {
                    self.ops(advance_epochs());
                }
                names_are_new = false;
                self.start_warp_epoch();
            }
            let is_store = self.warp_operation(&last.instr, warp)?;
            self.stores += u64::from(is_store);
            steps += u64::from(!last.instr.continues_bundle);
        }
        if !names_are_new {
            self.ops(advance_epochs());
        }
        self.leave_chain(steps)
    }

    /// Emits the end of a sequence, which counts the steps and stores the entry at which the lanes of the warp
    /// continue.
    fn leave_chain(&mut self, steps: u64) -> Result<(), BailoutReason> {
        let next = self.flow.block_at(self.at as usize + 1);
        let Some(entry) = next.and_then(|next| self.flow.entry(next)) else {
            return self.unsupported("an operation without a successor");
        };
        self.ops([
            I::I32Const(0),
            I::I32Const(entry as i32),
            I::I32Store(at(cell::NEXT_ENTRY)),
        ]);
        self.count_steps_of_warp(steps);
        self.ops([
            I::I32Const(0),
            I::I32Const(0),
            I::I64Load(at(cell::STORES)),
            I::I64Const(self.stores as i64),
            I::I64Add,
        ]);
        for (did_store, what) in std::mem::take(&mut self.did_store) {
            self.get(did_store);
            self.ops([
                I::I64ExtendI32U,
                I::I64Const(what as i64),
                I::I64Mul,
                I::I64Add,
            ]);
        }
        self.ops([I::I64Store(at(cell::STORES)), I::I32Const(0), I::Return]);
        Ok(())
    }

    /// Counts steps of the converged warp.
    fn count_steps_of_warp(&mut self, steps: u64) {
        let of_lanes = [
            I::I32Const(0),
            I::I32Load(at(cell::LIVE)),
            I::I32Popcnt,
            I::I64ExtendI32U,
            I::I64Const(steps as i64),
            I::I64Mul,
        ];
        let counted = runtime::add(cell::LANE_INSTRUCTIONS, &of_lanes);
        self.out.extend(counted);
        let counted = runtime::add(cell::STEPS, &[I::I64Const(steps as i64)]);
        self.out.extend(counted);
    }

    /// Emits the instructions between two warp-level operations as a loop over the subwarps.
    fn emit_between_ops(
        &mut self,
        index: usize,
        code: &[InlinedInstruction<'_>],
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        if code.is_empty() {
            return Ok(());
        }
        let flow = self.flow;
        let block = &flow.blocks[index];
        // Save only the registers that the next warp-level operation reads, and the registers that are live after this
        // operation.
        self.set_current_instruction(block.end - 1);
        let operation = self.own_registers()?;
        let live = self.live.get(index + 1).cloned().unwrap_or_default();
        let read = self.reads.get(index).cloned().unwrap_or_default();
        let mask = self.names.mask;
        self.get(warp.base);
        self.set(RECORD);
        self.op(I::I32Const(0));
        self.set(warp.subwarp);
        self.op(I::Loop(BlockType::Empty));
        self.get(RECORD);
        self.ops([
            I::I32Load(at(record::ENTRY)),
            I::I32Const(0),
            I::I32GeS,
            I::If(BlockType::Empty),
        ]);
        self.get(RECORD);
        self.op(I::I32Load(at(record::MASK)));
        self.set(mask);
        if accesses_memory(self.plain, code) {
            self.name_subwarp(warp);
        }
        self.load(&read);
        self.address_patterns.clear();
        self.touched[index].written.clear();
        for (offset, placed) in code.iter().enumerate() {
            self.set_current_instruction(block.start + offset);
            self.emit_straight_line(&placed.instr)?;
        }
        let mut written = std::mem::take(&mut self.touched[index].written);
        written.retain(|register| operation.read.contains(register) || live.contains(register));
        self.save(RECORD, &written);
        self.op(I::End);
        self.get(RECORD);
        self.ops([I::I32Const(warp.stride as i32), I::I32Add]);
        self.set(RECORD);
        self.get(warp.subwarp);
        self.ops([I::I32Const(1), I::I32Add]);
        self.tee(warp.subwarp);
        self.ops([
            I::I32Const(SUBWARPS_PER_WARP as i32),
            I::I32LtU,
            I::BrIf(0),
            I::End,
        ]);
        Ok(())
    }

    /// Sets the current epoch for the accesses of a subwarp up to the next warp-level operation.
    fn name_subwarp(&mut self, warp: WarpContexts) {
        let FixedLocals {
            current_epoch: me,
            phase,
            ..
        } = self.names;
        self.begin_names();
        self.ops([
            I::I32Const(0),
            I::I32Const(0),
            I::I32Store(at(cell::ANCESTOR_EPOCHS)),
            I::I32Const(0),
            I::I32Const(0),
            I::I32Load(at(cell::WARP_SYNC_EPOCH)),
        ]);
        self.get(warp.subwarp);
        self.ops(runtime::first_epoch());
        self.ops([I::I32Add, I::I32Store(at(cell::CURRENT_EPOCH))]);
        self.read_name(me);
        self.ops([I::I32Const(0), I::V128Load32Splat(at(cell::PHASE))]);
        self.ops([splat32(crate::layout::ALL_BYTES), I::V128Or]);
        self.set(phase);
    }

    /// Starts a new epoch for an access that all lanes of the warp perform together.
    fn start_warp_epoch(&mut self) {
        self.ops([
            I::I32Const(0),
            I::I32Const(0),
            I::I32Load(at(cell::WARP_SYNC_EPOCH)),
            I::I32Const(8),
            I::I32Add,
            I::I32Store(at(cell::CURRENT_EPOCH)),
            I::I32Const(0),
            I::I32Const(0),
            I::I32Store(at(cell::ANCESTOR_EPOCHS)),
        ]);
    }

    /// Emits a warp-level operation for all subwarps. Returns whether the operation stores to memory.
    fn warp_operation(
        &mut self,
        instr: &DecodedInstruction,
        warp: WarpContexts,
    ) -> Result<bool, BailoutReason> {
        if is_done_by_host(self.plain, &instr.op) {
            self.count_steps_of_warp(u64::from(!instr.continues_bundle));
            self.ops([I::I32Const(stop::CALL_FOR_WARP as i32), I::Return]);
            return Ok(false);
        }
        match instr.op {
            DecodedOp::WarpBarrier { mask } => {
                self.check_mask(mask, MaskGrouping::MakeNoDifference, warp)?;
                Ok(false)
            }
            DecodedOp::ActiveMask { d } => {
                self.bail_out_if_diverged();
                self.write_same(d, warp, |e| {
                    e.ops([I::I32Const(0), I::V128Load32Splat(at(cell::LIVE))]);
                });
                Ok(false)
            }
            DecodedOp::Collective(plan) => {
                let Some(plan) = self.plain.collective(plan) else {
                    return self
                        .unsupported("a warp-level operation with an invalid internal identifier");
                };
                let groups = match plan.kind {
                    CollectiveKind::Shuffle { .. } => MaskGrouping::MakeNoDifference,
                    _ => MaskGrouping::Matter,
                };
                self.check_mask(plan.mask, groups, warp)?;
                self.collective(&plan.kind, warp)?;
                Ok(false)
            }
            DecodedOp::AsyncCommit(_) => {
                self.call_groups(runtime::COMMITS);
                Ok(false)
            }
            DecodedOp::AsyncWait(wait) => {
                let n = match wait.latest {
                    None => runtime::WAITS_FOR_ALL,
                    Some(latest) => latest.min(i32::MAX as u32) as i32,
                };
                self.call_groups(n);
                Ok(false)
            }
            DecodedOp::Matrix(plan) => {
                self.stop_unless_all(stop::FAULT);
                match self.plain.matrix(plan) {
                    MatrixOperation::Lines(lines) => self.emit_wmma_transfer(&lines, warp),
                    MatrixOperation::Rows(rows) => self.rows_of_matrices(&rows, warp),
                    MatrixOperation::Product(product) => {
                        self.product(&product, warp)?;
                        Ok(false)
                    }
                    MatrixOperation::OtherProduct | MatrixOperation::Other => {
                        self.unsupported("a matrix operation of this kind")
                    }
                }
            }
            _ => self.unsupported("a warp-level operation"),
        }
    }

    /// Returns the lowest scheduling priority of the basic blocks that end with a warp-level operation that does not
    /// wait for all lanes.
    pub(crate) fn find_first_without_wait(&mut self) -> Option<u32> {
        let flow = self.flow;
        let starts = flow
            .warp_op_sequences
            .iter()
            .map(|sequence| sequence.blocks.start);
        let passed = starts.filter(|block| {
            self.set_current_instruction(flow.blocks[*block].end - 1);
            let instr = self.code.get(self.at as usize).map(|placed| &placed.instr);
            instr.is_some_and(|instr| self.may_be_passed(&instr.op))
        });
        passed.map(|block| flow.number(block)).min()
    }

    /// Checks whether a warp-level operation may execute without waiting for all lanes of the warp.
    fn may_be_passed(&self, op: &DecodedOp) -> bool {
        let names_all = |mask: OperandSlot| {
            mask.place() != OperandLocation::None && self.known32(mask) == Some(u32::MAX)
        };
        match *op {
            DecodedOp::Matrix(_) => false,
            DecodedOp::WarpBarrier { mask } => !names_all(mask),
            DecodedOp::Collective(plan) => {
                let plan = self.plain.collective(plan);
                plan.is_none_or(|plan| !names_all(plan.mask))
            }
            _ => true,
        }
    }

    /// Commits the `cp.async` copies of the warp as an async-group, or waits for async-groups.
    fn call_groups(&mut self, what: i32) {
        self.bail_out_if_diverged();
        self.ops([I::I32Const(what), I::Call(runtime::GROUPS)]);
        self.return_if_nonzero(self.names.first);
    }

    /// Emits code that returns from the function with the exit code `reason` if the number on the stack is not zero.
    pub(crate) fn stop_if(&mut self, reason: u32) {
        self.ops(runtime::stops_if(reason));
    }

    /// Bails out if the lanes of a warp may have reached an operation separately although the operation does not wait
    /// for all lanes. The scheduler prioritizes lanes at lower positions in the code. Therefore, all lanes are
    /// converged at the operation unless some lanes have already passed the operation.
    fn bail_out_if_diverged(&mut self) {
        if self.is_first_of_chain() {
            let own = self.flow.number(self.block);
            self.ops([
                I::I32Const(0),
                I::I32Load(at(cell::FURTHEST_BLOCK)),
                I::I32Const(own as i32 + 1),
                I::I32GtU,
            ]);
            self.stop_if(stop::UNSUPPORTED);
        }
    }

    /// Checks whether the warp-level operation at the end of the current basic block is the first operation of its
    /// sequence.
    fn is_first_of_chain(&self) -> bool {
        self.flow.sequence_at(self.block).is_some()
    }

    /// Bails out if the lanes of the warp may have diverged and a lane in the mask on the stack has exited since the
    /// last reconvergence. The mask contains the lanes for which the operation does not wait.
    fn bail_out_if_exited(&mut self) {
        if !self.is_first_of_chain() {
            return self.op(I::Drop);
        }
        self.ops([
            I::I32Const(0),
            I::I32Load(at(cell::LIVE_AT_LAST_SYNC)),
            I::I32And,
        ]);
        self.op(I::If(BlockType::Empty));
        self.bail_out_if_diverged();
        self.op(I::End);
    }

    /// Bails out if the member mask of an active lane does not contain the lane itself.
    fn check_own_bits(
        &mut self,
        mask: OperandSlot,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        self.op(splat32(0));
        for subwarp in 0..SUBWARPS_PER_WARP {
            let bit = |lane: u32| (1u128 << (4 * subwarp + lane)) << (32 * lane);
            let bits = I::V128Const((bit(0) | bit(1) | bit(2) | bit(3)) as i128);
            self.push_row(mask, subwarp, warp)?;
            self.ops([bits, I::V128And, splat32(0), I::I32x4Eq]);
            self.push_lanes(subwarp);
            self.ops([I::V128And, I::V128Or]);
        }
        self.op(I::V128AnyTrue);
        self.stop_if(stop::UNSUPPORTED);
        Ok(())
    }

    /// Bails out unless the member mask contains all live lanes. The member masks of converged lanes may differ if the
    /// result of the operation does not depend on the groups of lanes with equal masks.
    fn check_mask(
        &mut self,
        mask: OperandSlot,
        groups: MaskGrouping,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        let live = [I::I32Const(0), I::I32Load(at(cell::LIVE))];
        match self.known32(mask) {
            _ if mask.place() == OperandLocation::None => self.bail_out_if_diverged(),
            Some(u32::MAX) => {}
            Some(known) => {
                self.ops(live);
                self.ops([I::I32Const(!known as i32), I::I32And]);
                self.stop_if(stop::UNSUPPORTED);
                self.op(I::I32Const(!known as i32));
                self.bail_out_if_exited();
            }
            None => {
                // Replace the member masks of inactive lanes with all ones, because these masks have no effect.
                self.op(splat32(u32::MAX));
                for subwarp in 0..SUBWARPS_PER_WARP {
                    self.push_row(mask, subwarp, warp)?;
                    self.push_lanes(subwarp);
                    self.ops([I::V128Not, I::V128Or, I::V128And]);
                }
                let row = self.names.vectors[0];
                self.set(row);
                for lane in 0..4 {
                    self.get(row);
                    self.op(I::I32x4ExtractLane(lane));
                    if lane > 0 {
                        self.op(I::I32And);
                    }
                }
                self.ops([I::I32Const(-1), I::I32Xor]);
                self.tee(self.names.first);
                self.ops(live);
                self.ops([I::I32And, I::If(BlockType::Empty)]);
                match groups {
                    MaskGrouping::Matter => {
                        self.ops([I::I32Const(stop::UNSUPPORTED as i32), I::Return])
                    }
                    MaskGrouping::MakeNoDifference => {
                        self.bail_out_if_diverged();
                        self.check_own_bits(mask, warp)?;
                    }
                }
                self.op(I::End);
                self.get(self.names.first);
                self.bail_out_if_exited();
            }
        }
        Ok(())
    }
}

/// Whether the result of a warp-level operation depends on the groups of lanes with equal member masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MaskGrouping {
    Matter,
    MakeNoDifference,
}

/// Access to the context records of a warp: the local with the address of the first record, the local that counts
/// subwarps, and the size of a record.
#[derive(Clone, Copy)]
pub(crate) struct WarpContexts {
    base: u32,
    subwarp: u32,
    stride: u32,
}

impl WarpContexts {
    /// Returns the offset of a part of a subwarp's register relative to the first context record.
    fn offset(self, subwarp: u32, offset: u32, part: u32) -> u32 {
        subwarp * self.stride + record::REGISTERS + offset + 16 * part
    }
}

impl Emitter<'_> {
    /// Pushes a mask of the live lanes of a subwarp.
    fn push_lanes(&mut self, subwarp: u32) {
        self.ops([
            I::I32Const(0),
            I::I32Load(at(cell::LIVE)),
            I::I32Const((4 * subwarp) as i32),
            I::I32ShrU,
        ]);
        self.ops(runtime::spread_lanes());
    }

    /// Pushes a row of 32-bit lanes of a subwarp.
    fn push_row(
        &mut self,
        slot: OperandSlot,
        subwarp: u32,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        match slot.place() {
            OperandLocation::Register(index) => {
                self.push_part(
                    self.frame_register(RegisterBank::B32, index),
                    subwarp,
                    0,
                    warp,
                );
            }
            OperandLocation::Special(_) => {
                return self.unsupported("a warp-level special register");
            }
            OperandLocation::Constant(_) | OperandLocation::None => self.read32(slot)?,
        }
        Ok(())
    }

    /// Pushes a predicate of a subwarp.
    fn push_predicate(
        &mut self,
        slot: OperandSlot,
        subwarp: u32,
        warp: WarpContexts,
    ) -> Result<(), BailoutReason> {
        match slot.place() {
            OperandLocation::Register(index) => {
                self.push_part(
                    self.frame_register(RegisterBank::Predicate, index),
                    subwarp,
                    0,
                    warp,
                );
            }
            _ => self.read_predicate(slot)?,
        }
        Ok(())
    }

    /// Pushes a part of a register for a subwarp.
    fn push_part(&mut self, register: RegisterKey, subwarp: u32, part: u32, warp: WarpContexts) {
        let offset = self.home(register).offset;
        self.get(warp.base);
        self.op(I::V128Load(at(warp.offset(subwarp, offset, part))));
    }

    /// Writes a part of a subwarp's register. `push` emits code that pushes the value.
    fn write_part(
        &mut self,
        register: RegisterKey,
        subwarp: u32,
        part: u32,
        warp: WarpContexts,
        push: impl FnOnce(&mut Self),
    ) {
        let offset = self.home(register).offset;
        debug_assert!(part < parts(register));
        self.get(warp.base);
        push(self);
        self.op(I::V128Store(at(warp.offset(subwarp, offset, part))));
    }

    /// Writes a 32-bit register of a subwarp. `push` emits code that pushes the row of lanes.
    fn write_row(
        &mut self,
        slot: OperandSlot,
        subwarp: u32,
        warp: WarpContexts,
        push: impl FnOnce(&mut Self),
    ) {
        if let OperandLocation::Register(index) = slot.place() {
            self.write_part(
                self.frame_register(RegisterBank::B32, index),
                subwarp,
                0,
                warp,
                push,
            );
        }
    }

    /// Writes the same row of 32-bit lanes to a register of every subwarp. `push` emits code that pushes the row.
    fn write_same(&mut self, slot: OperandSlot, warp: WarpContexts, push: impl FnOnce(&mut Self)) {
        let row = self.names.vectors[0];
        push(self);
        self.set(row);
        for subwarp in 0..SUBWARPS_PER_WARP {
            self.write_row(slot, subwarp, warp, |e| e.get(row));
        }
    }

    /// Writes a predicate register of a subwarp. `push` emits code that pushes the row of truth values.
    fn write_row_predicate(
        &mut self,
        slot: OperandSlot,
        subwarp: u32,
        warp: WarpContexts,
        push: impl FnOnce(&mut Self),
    ) {
        if let OperandLocation::Register(index) = slot.place() {
            self.write_part(
                self.frame_register(RegisterBank::Predicate, index),
                subwarp,
                0,
                warp,
                push,
            );
        }
    }
}
