//! Lane-by-lane accesses, which support arbitrary addresses. The generated code takes addresses, and produces stored
//! bytes or loaded registers.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::emit::memory::{AccessDirection, SubwarpAccess, scalar_load};
use crate::instructions::at;
use crate::runtime;
use warpgrid_emulator::translation_view::{AccessPlan, OperandLocation};
use wasm_encoder::Instruction as I;

impl Emitter<'_> {
    /// Emits an access lane by lane.
    pub(crate) fn move_lanes(&mut self, access: &SubwarpAccess<'_>) -> Result<(), BailoutReason> {
        if access.pattern.is_some() {
            self.find_addresses(access)?;
        }
        let calm = match self.flow.shared[self.block].stores {
            true => 0,
            false => runtime::NO_STORES_IN_INTERVAL,
        };
        self.resolve_lanes(
            access,
            calm | u32::from(access.way == AccessDirection::Store),
        );
        for index in 0..access.plan.elements.len() as u32 {
            match access.way {
                AccessDirection::Load => self.load_lanes(access.plan, index),
                AccessDirection::Store => self.store_lanes(access.plan, index)?,
            }
        }
        Ok(())
    }

    /// Emits the loads of one element in each lane, from the addresses in the local `pointers`.
    pub(crate) fn load_lanes(&mut self, plan: &AccessPlan, index: u32) {
        self.load_each(plan, index, |e, lane| {
            e.get(e.names.pointers);
            e.op(I::I32x4ExtractLane(lane));
            0
        });
    }

    /// Emits the stores of one element of each lane, to the addresses in the local `pointers`.
    pub(crate) fn store_lanes(
        &mut self,
        plan: &AccessPlan,
        index: u32,
    ) -> Result<(), BailoutReason> {
        self.store_each(plan, index, |e, lane| {
            e.get(e.names.pointers);
            e.op(I::I32x4ExtractLane(lane));
            0
        })
    }

    /// Emits the loads of one element in each lane. `place` pushes a base address and returns a constant offset, whose
    /// sum is the address of the lane's bytes.
    pub(crate) fn load_each(
        &mut self,
        plan: &AccessPlan,
        index: u32,
        place: impl Fn(&mut Self, u8) -> u32,
    ) {
        let element = plan.elements[index as usize];
        if element.slot.place() == OperandLocation::None {
            return;
        }
        let offset = index * plan.element_bytes;
        if plan.element_bytes == 8 {
            for half in 0..2 {
                self.each_wide_lane(|e, lane| {
                    let further = place(e, 2 * half + lane);
                    e.op(I::I64Load(at(offset + further)));
                });
                self.write64(element.slot, half.into());
            }
            return;
        }
        self.each_lane(|e, lane| {
            let further = place(e, lane);
            e.op(scalar_load(plan, offset + further));
        });
        self.write_loaded(plan, element);
    }

    /// Emits the stores of one element of each lane. `place` pushes a base address and returns a constant offset, whose
    /// sum is the address of the lane's bytes.
    pub(crate) fn store_each(
        &mut self,
        plan: &AccessPlan,
        index: u32,
        place: impl Fn(&mut Self, u8) -> u32,
    ) -> Result<(), BailoutReason> {
        let element = plan.elements[index as usize];
        for lane in 0..4 {
            let further = place(self, lane);
            let offset = at(index * plan.element_bytes + further);
            if plan.element_bytes == 8 {
                self.read64(element.slot, u32::from(lane / 2))?;
                self.ops([I::I64x2ExtractLane(lane % 2), I::I64Store(offset)]);
                continue;
            }
            self.read_element32(element)?;
            self.op(I::I32x4ExtractLane(lane));
            self.op(match plan.element_bytes {
                4 => I::I32Store(offset),
                2 => I::I32Store16(offset),
                _ => I::I32Store8(offset),
            });
        }
        Ok(())
    }
}
