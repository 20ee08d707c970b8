//! Commutative atomics: integer additions and logic operations whose result register is not read. The generated code
//! takes the addresses of four lanes, and produces updated bytes, and shadow memory that reserves the words for one
//! kind of operation.

use crate::bailout::BailoutReason;
use crate::emit::memory::SubwarpAccess;
use crate::emit::{Emitter, FixedLocals};
use crate::instructions::at;
use crate::layout::{AccessSite, STORE, holds};
use crate::runtime;
use warpgrid_emulator::translation_view::{
    AtomicPlan, OperandLocation, PlanId, RegisterBank, RegisterOperand,
};
use warpgrid_isa::{AtomicOp, StateSpace};
use wasm_encoder::{BlockType, Instruction as I};

/// Returns the number of the kind of an atomic operation. Atomic operations of the same kind commute. The numbers of
/// all kinds are less than the first epoch of any subwarp, so that a shadow word can contain either a kind or an epoch.
fn kind_of(op: AtomicOp, bytes: u32) -> Option<u32> {
    match (op, bytes) {
        (AtomicOp::Add, 4) => Some(1),
        (AtomicOp::Add, 8) => Some(2),
        (AtomicOp::And, 4 | 8) => Some(3),
        (AtomicOp::Or, 4 | 8) => Some(4),
        (AtomicOp::Xor, 4 | 8) => Some(5),
        _ => None,
    }
}

impl Emitter<'_> {
    pub(crate) fn atomic(&mut self, id: PlanId<AtomicPlan>) -> Result<(), BailoutReason> {
        let Some(plan) = self.plain.atomic(id) else {
            return self.unsupported("an atomic operation with an invalid internal identifier");
        };
        let access = &plan.access;
        let bytes = access.element_bytes;
        let kind = kind_of(plan.op, bytes).filter(|_| !plan.ty.is_float());
        let (Some(kind), [b]) = (kind, plan.b.as_slice()) else {
            return self
                .unsupported("an atomic operation whose result depends on the thread order");
        };
        for old in &access.elements {
            if let OperandLocation::Register(index) = old.slot.place() {
                let register = self.frame_register(old.bank, index);
                self.unused_atomic_results.push((register, self.at));
            }
        }
        let accepts = match access.space {
            StateSpace::Global => holds::GLOBAL,
            StateSpace::Shared => holds::SHARED,
            StateSpace::Generic => holds::GLOBAL | holds::WINDOW,
            other => return self.unsupported(format!("an atomic operation on {other:?} memory")),
        };
        self.has_global_atomics |= accepts & holds::GLOBAL != 0;
        let access = self.begin_access(
            access,
            crate::emit::memory::AccessDirection::Store,
            AccessSite::of_any(accepts),
        );
        self.set_active_lanes();
        if self.guard.is_some() {
            self.add_to_path(self.names.active);
            self.get(self.names.active);
            self.op(I::If(BlockType::Empty));
        }
        self.count_store(STORE);
        self.find_addresses(&access)?;
        self.resolve_lanes(&access, 1 | kind << runtime::ATOMIC_SHIFT);
        for lane in 0..4 {
            self.update_lane(plan, *b, lane)?;
        }
        if self.guard.is_some() {
            self.op(I::End);
        }
        Ok(())
    }

    /// Emits the atomic update of one lane, which combines the bytes in memory with the source operand.
    fn update_lane(
        &mut self,
        plan: &AtomicPlan,
        b: RegisterOperand,
        lane: u8,
    ) -> Result<(), BailoutReason> {
        let pointers = self.names.pointers;
        // Push the address twice, for the load and for the store.
        for _ in 0..2 {
            self.get(pointers);
            self.op(I::I32x4ExtractLane(lane));
        }
        let is_wide = plan.access.element_bytes == 8;
        if is_wide {
            self.op(I::I64Load(at(0)));
            if b.bank != RegisterBank::B64 {
                return self.unsupported("an atomic operation with this kind of source");
            }
            self.read64(b.slot, u32::from(lane / 2))?;
            self.op(I::I64x2ExtractLane(lane % 2));
        } else {
            self.op(I::I32Load(at(0)));
            self.read_element32(b)?;
            self.op(I::I32x4ExtractLane(lane));
        }
        let (and, or, xor, add, store) = match is_wide {
            true => (
                I::I64And,
                I::I64Or,
                I::I64Xor,
                I::I64Add,
                I::I64Store(at(0)),
            ),
            false => (
                I::I32And,
                I::I32Or,
                I::I32Xor,
                I::I32Add,
                I::I32Store(at(0)),
            ),
        };
        self.op(match plan.op {
            AtomicOp::And => and,
            AtomicOp::Or => or,
            AtomicOp::Xor => xor,
            _ => add,
        });
        self.op(store);
        Ok(())
    }

    /// Stores the linear-memory addresses of four lanes in `pointers`, or bails out. Inactive lanes receive a dummy
    /// address. `flags` is the flag operand of the address translation.
    pub(crate) fn resolve_lanes(&mut self, access: &SubwarpAccess<'_>, flags: u32) {
        let FixedLocals {
            active, pointers, ..
        } = self.names;
        let [low, high] = self.names.addresses;
        if access.is_narrow {
            self.get(low);
            self.op(I::I64x2ExtendLowI32x4U);
            self.get(low);
            self.op(I::I64x2ExtendHighI32x4U);
        } else {
            self.get_all([low, high]);
        }
        self.ops([
            I::I32Const(access.site as i32),
            I::I32Const(access.width() as i32),
            I::I32Const(flags as i32),
        ]);
        self.get(active);
        self.op(I::Call(runtime::RESOLVE_ALL));
        self.tee(pointers);
        self.op(I::I32x4AllTrue);
        self.ops(runtime::return_if_unresolved());
    }
}
