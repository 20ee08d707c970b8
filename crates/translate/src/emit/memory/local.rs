//! Accesses to local memory and function parameters, which are private to each thread and require no shadow memory. The
//! generated code takes the local-memory offsets of four lanes, and produces stored bytes or loaded registers.

use crate::bailout::BailoutReason;
use crate::emit::memory::{AccessDirection, SubwarpAccess};
use crate::emit::{Emitter, FixedLocals};
use crate::instructions::{at, high_words, low_words, splat32, splat64};
use crate::layout::stop;
use crate::layout::{SUBWARP_LANES, cell, record};
use warpgrid_emulator::translation_view::AccessPlan;
use warpgrid_isa::StateSpace;
use wasm_encoder::{BlockType, Instruction as I};

impl Emitter<'_> {
    pub(crate) fn access_local(
        &mut self,
        plan: &AccessPlan,
        way: AccessDirection,
    ) -> Result<(), BailoutReason> {
        let access = SubwarpAccess {
            plan,
            way,
            accepts: 0,
            site: 0,
            is_narrow: !plan.has_64_bit_base,
            pattern: None,
        };
        // Count a store to a function parameter as a load, because the store count excludes function parameters.
        let counts_as = match plan.space {
            StateSpace::ParamFunc => AccessDirection::Load,
            _ => way,
        };
        self.emit_guarded(counts_as, |e| {
            e.find_addresses(&access)?;
            e.move_local(plan, way)
        })
    }

    /// Transfers bytes of local memory at the computed offsets.
    fn move_local(&mut self, plan: &AccessPlan, way: AccessDirection) -> Result<(), BailoutReason> {
        self.find_local(plan);
        for index in 0..plan.elements.len() as u32 {
            match way {
                AccessDirection::Load => self.load_lanes(plan, index),
                AccessDirection::Store => self.store_lanes(plan, index)?,
            }
        }
        Ok(())
    }

    /// Emits the code that executes an access if the generic addresses of all active lanes are in local memory. After
    /// the access, the code exits the enclosing WebAssembly block.
    pub(crate) fn access_window(
        &mut self,
        access: &SubwarpAccess<'_>,
    ) -> Result<(), BailoutReason> {
        let FixedLocals {
            active,
            addresses,
            vectors: [a, b, ..],
            ..
        } = self.names;
        let window = self.plain.local_window();
        let last = (window.end - window.start)
            .saturating_sub(1)
            .min(u32::MAX.into());
        self.op(I::Block(BlockType::Empty));
        for (address, offset) in addresses.into_iter().zip([a, b]) {
            self.get(address);
            self.ops([splat64(window.start), I::I64x2Sub]);
            self.set(offset);
        }
        self.get_all([a, b]);
        self.ops([high_words(), splat32(0), I::I32x4Ne]);
        self.get_all([a, b]);
        self.ops([low_words(), splat32(last as u32), I::I32x4GtU, I::V128Or]);
        self.op(I::I32x4Bitmask);
        self.get(active);
        self.ops([I::I32And, I::BrIf(0)]);
        for (address, offset) in addresses.into_iter().zip([a, b]) {
            self.get(offset);
            self.set(address);
        }
        self.move_local(access.plan, access.way)?;
        self.ops([I::Br(1), I::End]);
        Ok(())
    }

    /// Stores the linear-memory addresses of four lanes in `pointers`, or bails out. Inactive lanes receive a dummy
    /// address.
    fn find_local(&mut self, plan: &AccessPlan) {
        let FixedLocals {
            active,
            pointers,
            vectors: [_, _, _, _, lanes, offsets],
            ..
        } = self.names;
        let lane_bytes = self.places.local_bytes;
        // Compute the mask of the active lanes as a vector with one element per lane.
        self.spread_lanes(active);
        self.set(lanes);
        self.push_misplaced(plan);
        self.get(lanes);
        self.ops([I::V128And, I::V128AnyTrue]);
        self.stop_if(stop::FAULT);
        let [b, c, d] = [1, 2, 3].map(|lane| u128::from(lane * lane_bytes));
        self.get(crate::emit::RECORD);
        self.ops([
            I::I32Load(at(record::SUBWARP)),
            I::I32Const((SUBWARP_LANES * lane_bytes) as i32),
            I::I32Mul,
            I::I32Const(self.places.local as i32),
            I::I32Add,
            I::I32x4Splat,
            I::V128Const((b << 32 | c << 64 | d << 96) as i128),
            I::I32x4Add,
        ]);
        self.get(offsets);
        self.ops([I::I32x4Add, splat32(cell::INACTIVE_LANE_TARGET)]);
        self.get(lanes);
        self.op(I::V128Bitselect);
        self.set(pointers);
    }

    /// Pushes a row that is nonzero in each lane whose accessed bytes exceed the lane's local memory or are misaligned.
    /// The code also saves the offsets in a local.
    fn push_misplaced(&mut self, plan: &AccessPlan) {
        let FixedLocals {
            vectors: [.., offsets],
            addresses: [low, high],
            ..
        } = self.names;
        let width = plan.width_bytes;
        if plan.has_64_bit_base {
            self.get_all([low, high]);
            self.op(low_words());
        } else {
            self.get(low);
        }
        self.tee(offsets);
        let stack_bytes = self.code.stack_bytes(self.frame) as u32;
        match stack_bytes.checked_sub(width) {
            Some(last) => self.ops([splat32(last), I::I32x4GtU]),
            None => self.ops([I::Drop, splat32(u32::MAX)]),
        }
        self.get(offsets);
        self.ops([
            splat32(width.next_power_of_two() - 1),
            I::V128And,
            splat32(0),
            I::I32x4Ne,
            I::V128Or,
        ]);
        if plan.has_64_bit_base {
            self.get_all([low, high]);
            self.ops([high_words(), splat32(0), I::I32x4Ne, I::V128Or]);
        }
    }
}
