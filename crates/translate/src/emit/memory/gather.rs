//! Gather loads on the fast path of a basic block. Contiguous and uniform addresses are checked first. Otherwise, one
//! check tests all four addresses against the cached range of the access site, or against the bounds of shared memory.
//! The generated code takes addresses, and produces loaded registers. If a check fails, execution continues on the slow
//! path at the same access.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::memory::SubwarpAccess;
use crate::emit::memory::address_pattern::CachedBound;
use crate::emit::memory::fast_access::FastAccess;
use crate::instructions::{at, high_words, low_words, splat32};
use crate::layout::site;
use wasm_encoder::Instruction as I;

impl Emitter<'_> {
    /// Emits a load with an unknown address pattern. If the readers must be recorded in shadow memory, the slow path
    /// executes loads that are neither contiguous nor uniform.
    pub(crate) fn emit_gather(
        &mut self,
        access: &SubwarpAccess<'_>,
        quick: FastAccess,
    ) -> Result<(), BailoutReason> {
        let width = access.width();
        self.count_loads(access.plan.elements.len());
        self.open_block();
        if quick.may_be_row() {
            self.open_block();
            self.check_addresses(access, width);
            self.find_place(access, 4 * width, CachedBound::Row);
            self.record_reads_fast(access, 4 * width);
            self.load_row(access.plan);
            self.op(I::Br(1));
            self.close();
        }
        if quick.may_be_one() {
            self.open_block();
            self.check_addresses(access, 0);
            self.find_place(access, width, CachedBound::Range);
            self.record_reads_fast(access, width);
            self.load_one(access.plan);
            self.op(I::Br(1));
            self.close();
        }
        self.branch_to_slow_path();
        self.find_addresses(access)?;
        match access.is_narrow {
            true => self.find_shared_places(width),
            false => self.find_places(access, quick),
        }
        self.fallback_label = None;
        let (pointers, beyond) = (self.names.pointers, self.place_of_all(access));
        for index in 0..access.plan.elements.len() as u32 {
            self.load_each(access.plan, index, |e, lane| {
                e.get(pointers);
                e.op(I::I32x4ExtractLane(lane));
                beyond
            });
        }
        self.close();
        Ok(())
    }

    /// Records the subwarp as a reader of the loaded words in shadow memory, or exits to the slow path.
    fn record_reads_fast(&mut self, access: &SubwarpAccess<'_>, bytes: u32) {
        self.branch_to_slow_path();
        self.record_range_access(access, bytes);
        self.fallback_label = None;
    }

    /// Exits the current path if the row on the stack is nonzero in an active lane.
    fn leave_if_any(&mut self) {
        if let Some(guard) = self.guard {
            self.get(guard);
            self.op(I::V128And);
        }
        self.op(I::V128AnyTrue);
        self.leave_if();
    }

    /// Pushes the row in a local after replacing the values of the inactive lanes with zeros.
    fn get_taking_part(&mut self, row: u32) {
        self.get(row);
        if let Some(guard) = self.guard {
            self.get(guard);
            self.op(I::V128And);
        }
    }

    /// Emits the check of the shared memory offsets of all active lanes, and stores these offsets in the local for lane
    /// addresses, relative to the start of shared memory.
    fn find_shared_places(&mut self, width: u32) {
        let [low, _] = self.names.addresses;
        match self.places.shared_bytes.checked_sub(width) {
            Some(last) => {
                self.get(low);
                self.ops([splat32(last), I::I32x4GtU]);
                self.get(low);
                self.ops([splat32(width - 1), I::V128And, splat32(0), I::I32x4Ne]);
                self.op(I::V128Or);
            }
            None => self.op(splat32(u32::MAX)),
        }
        self.leave_if_any();
        self.get_taking_part(low);
        self.set(self.names.pointers);
    }

    /// Computes the linear-memory addresses of all lanes within the cached range of the access site.
    fn find_places(&mut self, access: &SubwarpAccess<'_>, quick: FastAccess) {
        let [low, high] = self.names.addresses;
        let offsets = self.names.vectors[4];
        for local in [low, high] {
            self.get(local);
            self.ops([
                I::I32Const(0),
                I::V128Load64Splat(at(access.site + site::ADDRESS)),
                I::I64x2Sub,
            ]);
            self.set(local);
        }
        self.get_all([low, high]);
        self.op(low_words());
        self.tee(offsets);
        self.ops([
            I::I32Const(quick.align as i32),
            I::I32x4ShrU,
            I::I32Const(0),
        ]);
        self.ops([
            I::V128Load32Splat(at(access.site + site::FAST_OFFSETS)),
            I::I32x4GeU,
        ]);
        self.get_all([low, high]);
        self.op(high_words());
        self.get(offsets);
        self.ops([splat32(access.width() - 1), I::V128And, I::V128Or]);
        self.ops([splat32(0), I::I32x4Ne, I::V128Or]);
        self.leave_if_any();
        self.get_taking_part(offsets);
        self.ops([
            I::I32Const(0),
            I::V128Load32Splat(at(access.site + site::PLACE)),
            I::I32x4Add,
        ]);
        self.set(self.names.pointers);
    }
}
