//! Calls of functions, for a translator that puts functions in the places of their calls. In: calls of the decoded code; out: functions, the
//! values that go there and come back, and where frames lie.

use crate::code::FrameAddress;
use crate::code::op::Op;
use crate::code::plans::PlanId;
use crate::code::{Bank, Instr};
use crate::plain::Plain;
use crate::plain::registers::RegisterName;
use crate::semantics::registers::{Slot, SlotPlace};
use std::ops::Range;

pub(crate) use crate::code::{CallPlan, Place};

/// A call of a function that the text names.
#[derive(Clone, Copy, Debug)]
pub struct Call<'m> {
    /// Its number; the kernel's is 0.
    pub function: u32,
    /// From places of the caller to places of the function.
    pub arguments: &'m [(Place, Place)],
    /// From places of the function to places of the caller.
    pub returns: &'m [(Place, Place)],
}

impl<'m> Plain<'m> {
    /// The code of the kernel and of all functions that it may call; branches and [`Plain::function`] name places in it.
    pub fn all_instructions(self) -> &'m [Instr] {
        &self.code().instructions
    }

    /// Where the code of a function lies.
    pub fn function(self, number: u32) -> Range<usize> {
        let functions = &self.code().functions;
        let start = |number: usize| functions.get(number).map(|f| f.start as usize);
        let end = self.code().instructions.len();
        let first = start(number as usize).unwrap_or(end);
        first..start(number as usize + 1).unwrap_or(end)
    }

    /// Bytes of a function's variables on the stack. The next frame begins after them, at a multiple of 16 bytes.
    pub fn frame_bytes(self, number: u32) -> u64 {
        let function = self.code().functions.get(number as usize);
        function.map_or(0, |function| function.frame_bytes.into())
    }

    /// Registers of a function that hold addresses on the stack from its start on, each with what it is beyond the start of the frame; no
    /// instruction writes them.
    pub fn frame_addresses(self, number: u32) -> impl Iterator<Item = (RegisterName, u64)> + 'm {
        let function = self.code().functions.get(number as usize);
        let all = function.map_or(&[][..], |function| &function.frame_addresses);
        let register = |address: &FrameAddress| match address.slot.place() {
            SlotPlace::Register(index) => Some(((address.bank, index), address.addend)),
            SlotPlace::Constant(_) | SlotPlace::Special(_) | SlotPlace::None => None,
        };
        all.iter().filter_map(register)
    }

    /// A call, unless registers say what is called.
    pub fn call(self, plan: PlanId<CallPlan>) -> Option<Call<'m>> {
        let plan = self.code().calls.get(plan)?;
        let [target] = plan.targets.as_slice() else {
            return None;
        };
        (!plan.register.slot.is_some()).then_some(Call {
            function: target.function,
            arguments: &target.arguments,
            returns: &target.returns,
        })
    }

    /// How many registers of a bank a frame has at most: of the kernel, and of a function.
    pub fn most_registers(self, bank: Bank) -> [u32; 2] {
        let code = self.code();
        [code.entry_sizes, code.frame_sizes].map(|sizes| match bank {
            Bank::B32 => sizes.r32,
            Bank::B64 => sizes.r64,
            Bank::B128 => sizes.r128,
            Bank::Predicate => sizes.predicates,
        })
    }
}

impl Instr {
    /// A branch to a place, in the same step as the instruction that is there.
    pub fn within_step(target: u32) -> Instr {
        Instr {
            op: Op::Branch { target },
            guard: Slot::NONE,
            negated: false,
            is_plain: true,
            reads_clock: false,
            with_next: true,
        }
    }
}
