//! Lane by lane: the way that finds any place. In: addresses; out: bytes or registers.

use super::{Access, Way, scalar_load};
use crate::Refusal;
use crate::emit::{Emitter, at};
use warpgrid_emulator::plain::{AccessPlan, SlotPlace};
use wasm_encoder::Instruction as I;

impl Emitter<'_> {
    /// Lane by lane.
    pub(super) fn move_lanes(&mut self, access: &Access<'_>) -> Result<(), Refusal> {
        if access.lie.is_some() {
            self.find_addresses(access)?;
        }
        self.resolve_lanes(access, u32::from(access.way == Way::Store));
        for index in 0..access.plan.elements.len() as u32 {
            match access.way {
                Way::Load => self.load_lanes(access.plan, index),
                Way::Store => self.store_lanes(access.plan, index)?,
            }
        }
        Ok(())
    }

    pub(super) fn load_lanes(&mut self, plan: &AccessPlan, index: u32) {
        let element = plan.elements[index as usize];
        if element.slot.place() == SlotPlace::None {
            return;
        }
        let pointers = self.names.pointers;
        let offset = index * plan.element_bytes;
        if plan.element_bytes == 8 {
            for half in 0..2 {
                self.each_wide_lane(|e, lane| {
                    e.get(pointers);
                    e.ops([I::I32x4ExtractLane(2 * half + lane), I::I64Load(at(offset))]);
                });
                self.write64(element.slot, half.into());
            }
            return;
        }
        self.each_lane(|e, lane| {
            e.get(pointers);
            e.op(I::I32x4ExtractLane(lane));
            e.op(scalar_load(plan, offset));
        });
        self.write_loaded(plan, element);
    }

    pub(super) fn store_lanes(&mut self, plan: &AccessPlan, index: u32) -> Result<(), Refusal> {
        let element = plan.elements[index as usize];
        let offset = at(index * plan.element_bytes);
        for lane in 0..4 {
            self.get(self.names.pointers);
            self.op(I::I32x4ExtractLane(lane));
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
