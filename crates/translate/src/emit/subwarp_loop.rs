//! Loop over the subwarps of a warp. The module takes the dispatch loop over the basic blocks, and generates the code
//! at the start and at the end of each subwarp, and the transition to the next subwarp. One call of the region function
//! executes all subwarps that take the same path.

use crate::emit::{Emitter, FixedLocals, NUMBER, RECORD};
use crate::instructions::{at, splat32};
use crate::layout::{ALL_BYTES, SUBWARP_LANES, SUBWARPS_PER_WARP, cell, record};
use crate::runtime;
use wasm_encoder::{BlockType, Instruction as I};

impl Emitter<'_> {
    /// Emits the initialization that the region function executes once for all subwarps of the warp.
    pub(crate) fn begin(&mut self) {
        let phase = self.names.phase;
        self.ops([I::I32Const(0), I::V128Load32Splat(at(cell::PHASE))]);
        self.ops([splat32(ALL_BYTES), I::V128Or]);
        self.set(phase);
        self.begin_names();
        // The counts of diverged lanes always continue from the previous region call, so the code treats all of their
        // context records as executed.
        self.op(I::I32Const(-1));
        self.ops([I::I32Const(0), I::I32Load(at(cell::RAN_CONTEXTS))]);
        self.get(NUMBER);
        self.ops([I::I32Const(SUBWARPS_PER_WARP as i32), I::I32GeU, I::Select]);
        self.set(self.names.ran_contexts);
        for (from, to) in [(NUMBER, self.names.started), (RECORD, self.names.before)] {
            self.get(from);
            self.set(to);
        }
    }

    pub(crate) fn begin_subwarp(&mut self) {
        let FixedLocals {
            pc,
            start_entry: began,
            mask,
            current_epoch: me,
            ..
        } = self.names;
        self.get(RECORD);
        self.op(I::I32Load(at(record::ENTRY)));
        self.tee(pc);
        self.set(began);
        self.get(RECORD);
        self.op(I::I32Load(at(record::MASK)));
        self.set(mask);
        // After a reconvergence, all counters of a subwarp are zero. The path hash starts at one, so that a path that
        // begins with an untaken branch differs from an empty path.
        for (local, _, is_wide) in self.counts() {
            self.op(match is_wide {
                true => I::I64Const(0),
                false => I::I32Const(i32::from(local == self.names.path)),
            });
            self.set(local);
        }
        self.get_all([self.names.ran_contexts, NUMBER]);
        self.ops([I::I32ShrU, I::I32Const(1), I::I32And]);
        self.op(I::If(BlockType::Empty));
        self.load_counts();
        self.ops([I::End, I::I32Const(0)]);
        self.get(RECORD);
        self.ops([
            I::I32Load(at(record::ANCESTOR_EPOCHS)),
            I::I32Store(at(cell::ANCESTOR_EPOCHS)),
        ]);
        // Compute the first epoch of the subwarp since the last reconvergence, and add the number of the current epoch.
        self.ops([
            I::I32Const(0),
            I::I32Const(0),
            I::I32Load(at(cell::WARP_SYNC_EPOCH)),
        ]);
        self.get(RECORD);
        self.op(I::I32Load(at(record::SUBWARP)));
        self.ops(runtime::first_epoch());
        self.op(I::I32Add);
        self.get(RECORD);
        self.ops([
            I::I32Load(at(record::EPOCH)),
            I::I32Add,
            I::I32Store(at(cell::CURRENT_EPOCH)),
        ]);
        self.read_name(me);
    }

    /// Loads the first epoch of the warp in this barrier interval, and its first epoch since the last warp-level
    /// synchronization.
    pub(crate) fn begin_names(&mut self) {
        if !self.flow.has_warp_operations() {
            return;
        }
        let FixedLocals {
            warp_start, since, ..
        } = self.names;
        for (local, cell) in [
            (warp_start, cell::WARP_INTERVAL_EPOCH),
            (since, cell::WARP_SYNC_EPOCH),
        ] {
            self.ops([I::I32Const(0), I::V128Load32Splat(at(cell))]);
            self.ops([splat32(ALL_BYTES), I::V128Or]);
            self.set(local);
        }
    }

    pub(crate) fn read_name(&mut self, me: u32) {
        self.ops([I::I32Const(0), I::V128Load32Splat(at(cell::CURRENT_EPOCH))]);
        self.ops([splat32(ALL_BYTES), I::V128Or]);
        self.set(me);
    }

    /// Saves the next entry of the subwarp and the number of the synchronization point at which it waits, and ends the
    /// execution of the subwarp in this region.
    pub(crate) fn exit_region(&mut self, entry: i32, waits_for: u32) {
        self.op(I::I32Const(entry));
        self.set(self.names.pc);
        self.op(I::I32Const(waits_for as i32));
        self.set(self.names.waits_for);
        self.op(I::Br(self.depth_of_loop() + 2));
    }

    /// Marks the lanes of the subwarp as exited.
    pub(crate) fn exit_subwarp(&mut self) {
        self.ops([I::I32Const(0), I::I32Const(1), I::I32Store(at(cell::ENDED))]);
        self.exit_region(-1, 0);
    }

    /// Emits the end of a subwarp's execution, which stores the next entry in the context record. The code continues
    /// with the next subwarp of the warp if this subwarp took the same path as the previous subwarp, the next subwarp
    /// starts at the same entry, and no deferred check is pending.
    pub(crate) fn end_subwarp(&mut self) {
        let FixedLocals {
            pc,
            start_entry: began,
            waits_for,
            mask,
            is_converged: alike,
            ..
        } = self.names;
        let next = [(pc, record::ENTRY), (waits_for, record::SUSPEND_CODE)];
        let lanes = self.can_diverge().then_some((mask, record::MASK));
        for (local, offset) in next.into_iter().chain(lanes) {
            self.get_all([RECORD, local]);
            self.op(I::I32Store(at(offset)));
        }
        self.save_counts(RECORD);
        self.count_lanes();
        self.check_convergence();
        let record_bytes = self.places.record_bytes;
        self.get(NUMBER);
        self.ops([I::I32Const(1), I::I32Add]);
        self.tee(NUMBER);
        self.ops([I::I32Const(SUBWARPS_PER_WARP as i32), I::I32LtU]);
        self.get(alike);
        self.op(I::I32And);
        self.get(RECORD);
        self.op(I::I32Load(at(record_bytes + record::ENTRY)));
        self.get(began);
        self.ops([I::I32Eq, I::I32And]);
        self.get(RECORD);
        self.op(I::I32Load(at(record_bytes + record::SUSPEND_CODE)));
        self.ops([I::I32Const(0), I::I32Load(at(cell::VALUE_CHECKS))]);
        self.ops([I::I32Or, I::I32Eqz, I::I32And]);
        self.get(RECORD);
        self.ops([I::I32Const(record_bytes as i32), I::I32Add]);
        self.set(RECORD);
        self.op(I::BrIf(0));
    }

    /// Adds the lane-instructions that the subwarp has executed since the last reconvergence to the total. The code
    /// skips a subwarp that waits for a host call, because its count continues after the call.
    fn count_lanes(&mut self) {
        let first_of_host = self.flow.wait_numbers().first_of_host;
        let may_go_on = first_of_host <= self.flow.n_waits();
        if may_go_on {
            self.get(self.names.waits_for);
            self.ops([I::I32Const(first_of_host as i32), I::I32LtU]);
            self.op(I::If(BlockType::Empty));
        }
        self.add_lane_instructions(self.names.mask);
        if may_go_on {
            self.op(I::End);
        }
    }

    /// Adds the steps since the last reconvergence to the lane-instruction count, once for each lane in the mask that
    /// the local `lanes` contains.
    pub(crate) fn add_lane_instructions(&mut self, lanes: u32) {
        let FixedLocals {
            lane_instructions,
            steps,
            ..
        } = self.names;
        self.get_all([lane_instructions, steps, lanes]);
        self.ops([I::I32Popcnt, I::I64ExtendI32U, I::I64Mul, I::I64Add]);
        self.set(lane_instructions);
    }

    /// Checks whether lanes of a subwarp can diverge or exit early.
    fn can_diverge(&mut self) -> bool {
        (0..self.flow.blocks.len()).any(|block| self.diverging_branch(block).is_some())
    }

    /// Compares the results in the context record with the results of the previous subwarp. The code compares the first
    /// subwarp with itself, because it has no previous subwarp.
    fn check_convergence(&mut self) {
        let FixedLocals {
            waits_for,
            mask,
            path,
            stores,
            steps,
            before,
            live,
            is_converged: alike,
            ..
        } = self.names;
        self.get(before);
        self.op(I::I32Load(at(record::SUSPEND_CODE)));
        self.get(waits_for);
        self.op(I::I32Xor);
        self.get(before);
        self.op(I::I32Load(at(record::PATH)));
        self.get(path);
        self.ops([I::I32Xor, I::I32Or, I::I64ExtendI32U]);
        for (own, offset) in [(stores, record::STORES), (steps, record::STEPS)] {
            self.get(before);
            self.op(I::I64Load(at(offset)));
            self.get(own);
            self.ops([I::I64Xor, I::I64Or]);
        }
        self.op(I::I64Eqz);
        self.set(alike);
        self.get(RECORD);
        self.set(before);
        // Collect the live lanes of all subwarps, because warp-level operations read this mask.
        if self.flow.has_warp_operations() {
            self.get(live);
            self.ops([I::I32Const(SUBWARP_LANES as i32), I::I32ShrU]);
            self.get(mask);
            self.ops([
                I::I32Const((SUBWARPS_PER_WARP as i32 - 1) * SUBWARP_LANES as i32),
                I::I32Shl,
            ]);
            self.op(I::I32Or);
            self.set(live);
        }
    }

    /// Stores the set of context records that have run, and whether all subwarps of the warp took the same path to the
    /// same synchronization point.
    pub(crate) fn end_subwarps(&mut self) {
        let FixedLocals {
            waits_for,
            first,
            live,
            is_converged: alike,
            ..
        } = self.names;
        self.op(I::I32Const(1));
        self.get(self.names.started);
        self.op(I::I32Shl);
        self.set(first);
        self.ops([
            I::I32Const(0),
            I::I32Const(0),
            I::I32Load(at(cell::RAN_CONTEXTS)),
        ]);
        self.op(I::I32Const(1));
        self.get(NUMBER);
        self.op(I::I32Shl);
        self.get(first);
        self.ops([I::I32Sub, I::I32Or, I::I32Store(at(cell::RAN_CONTEXTS))]);
        self.op(I::I32Const(0));
        self.get(live);
        self.ops([I::I32Store(at(cell::ALIKE_LIVE)), I::I32Const(0)]);
        self.get_all([alike, self.names.started]);
        self.ops([I::I32Eqz, I::I32And]);
        self.get(NUMBER);
        self.ops([I::I32Const(SUBWARPS_PER_WARP as i32), I::I32Eq, I::I32And]);
        self.get(waits_for);
        let first_of_host = self.flow.wait_numbers().first_of_host;
        self.ops([I::I32Const(first_of_host as i32), I::I32LtU, I::I32And]);
        self.ops([I::I32Const(0), I::I32Load(at(cell::N_CONTEXTS))]);
        self.ops([
            I::I32Const(self.places.n_subwarps as i32),
            I::I32Eq,
            I::I32And,
        ]);
        self.ops([I::I32Const(0), I::I32Load(at(cell::DETOURS))]);
        self.ops([I::I32Eqz, I::I32And]);
        self.op(I::I32Store(at(cell::IS_CONVERGED)));
        let lane_instructions = self.names.lane_instructions;
        let counted = runtime::add(cell::LANE_INSTRUCTIONS, &[I::LocalGet(lane_instructions)]);
        self.out.extend(counted);
    }

    /// Returns the counters of a subwarp: the local, the offset in a context record, and whether the counter has 64
    /// bits.
    fn counts(&self) -> impl Iterator<Item = (u32, u32, bool)> + use<> {
        let names = &self.names;
        let counts = [
            (names.path, record::PATH, false),
            (names.stores, record::STORES, true),
            (names.steps, record::STEPS, true),
        ];
        let furthest = (names.furthest, record::FURTHEST_BLOCK, false);
        let is_tracked = self.first_without_wait.is_some();
        counts.into_iter().chain(is_tracked.then_some(furthest))
    }

    fn load_counts(&mut self) {
        for (local, offset, is_wide) in self.counts() {
            self.get(RECORD);
            self.op(match is_wide {
                true => I::I64Load(at(offset)),
                false => I::I32Load(at(offset)),
            });
            self.set(local);
        }
    }

    pub(crate) fn save_counts(&mut self, to: u32) {
        for (local, offset, is_wide) in self.counts() {
            self.get_all([to, local]);
            self.op(match is_wide {
                true => I::I64Store(at(offset)),
                false => I::I32Store(at(offset)),
            });
        }
    }
}
