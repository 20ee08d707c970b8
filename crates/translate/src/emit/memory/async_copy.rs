//! Start of `cp.async` copies from global to shared memory. The generated code takes the addresses of four lanes, and
//! produces the copied bytes, and shadow memory that marks these bytes as in flight. If the bytes are accessed before
//! the warp has waited for the copy, the access causes a bailout.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::memory::AccessDirection;
use crate::instructions::splat32;
use crate::layout::{AccessSite, LANDING, holds};
use crate::runtime;
use warpgrid_emulator::translation_view::{AsyncCopyAccess, AsyncPlan, PlanId};
use wasm_encoder::{BlockType, Instruction as I};

impl Emitter<'_> {
    pub(crate) fn copy(&mut self, id: PlanId<AsyncPlan>) -> Result<(), BailoutReason> {
        let Some(copy) = self.plain.copy(id) else {
            return self.unsupported("an asynchronous operation of this kind");
        };
        let to = self.begin_access(
            copy.to,
            AccessDirection::Store,
            AccessSite::of_any(holds::SHARED),
        );
        let from = self.begin_access(
            copy.from,
            AccessDirection::Load,
            AccessSite::of_any(holds::GLOBAL),
        );
        self.set_active_lanes();
        let active = self.names.active;
        if self.guard.is_some() {
            self.add_to_path(active);
            self.get(active);
            self.op(I::If(BlockType::Empty));
        }
        self.count_store(LANDING);
        self.find_addresses(&to)?;
        let ends = self.names.addresses;
        let [to_low, to_high, n_read, ..] = self.names.vectors;
        for (end, kept) in ends.into_iter().zip([to_low, to_high]) {
            self.get(end);
            self.set(kept);
        }
        self.find_addresses(&from)?;
        self.read_sizes(&copy)?;
        self.set(n_read);
        for lane in 0..4u8 {
            let half = usize::from(lane / 2);
            self.get(active);
            self.ops([I::I32Const(1 << lane), I::I32And, I::If(BlockType::Empty)]);
            if to.is_narrow {
                self.get(to_low);
                self.ops([I::I32x4ExtractLane(lane), I::I64ExtendI32U]);
            } else {
                self.get([to_low, to_high][half]);
                self.op(I::I64x2ExtractLane(lane % 2));
            }
            self.op(I::I32Const(to.site as i32));
            self.get(ends[half]);
            self.ops([
                I::I64x2ExtractLane(lane % 2),
                I::I32Const(from.site as i32),
                I::I32Const(to.width() as i32),
            ]);
            self.get(n_read);
            self.ops([I::I32x4ExtractLane(lane), I::Call(runtime::COPY)]);
            self.return_if_nonzero(self.names.first);
            self.op(I::End);
        }
        if self.guard.is_some() {
            self.op(I::End);
        }
        Ok(())
    }

    /// Pushes the number of source bytes that each lane reads.
    fn read_sizes(&mut self, copy: &AsyncCopyAccess<'_>) -> Result<(), BailoutReason> {
        self.op(splat32(copy.to.width_bytes));
        if let Some(read) = copy.read {
            self.read_element32(read)?;
            self.op(I::I32x4MinU);
        }
        if let Some(ignores) = copy.ignores {
            self.read_predicate(ignores.slot)?;
            if ignores.negated {
                self.op(I::V128Not);
            }
            self.op(I::V128AndNot);
        }
        Ok(())
    }
}
