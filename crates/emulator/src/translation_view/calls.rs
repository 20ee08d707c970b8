//! View of direct calls for the JIT compiler, which inlines functions: called functions, arguments, return values and
//! stack frames.

use crate::code::StackAddressRegister;
use crate::code::decoded_op::DecodedOp;
use crate::code::plan_table::PlanId;
use crate::code::{DecodedInstruction, RegisterBank};
use crate::semantics::registers::{OperandLocation, OperandSlot};
use crate::translation_view::TranslationView;
use crate::translation_view::registers::BankRegister;
use std::ops::Range;

pub(crate) use crate::code::{CallPlan, CallValueLocation};

/// Direct call, for which the JIT compiler inlines the called function and copies arguments and return values.
#[derive(Clone, Copy, Debug)]
pub struct Call<'m> {
    /// Index of the called function. The kernel has index 0.
    pub function: u32,
    /// Copies of arguments from registers of the caller to registers of the called function.
    pub arguments: &'m [(CallValueLocation, CallValueLocation)],
    /// Copies of return values from registers of the called function to registers of the caller.
    pub returns: &'m [(CallValueLocation, CallValueLocation)],
}

impl<'m> TranslationView<'m> {
    /// Returns the code of the kernel and of all functions that it may call. Branch targets and
    /// [`TranslationView::function`] index this code.
    pub fn all_instructions(self) -> &'m [DecodedInstruction] {
        &self.code().instructions
    }

    /// Returns the range of indices of a function's instructions in the code.
    pub fn function(self, number: u32) -> Range<usize> {
        let functions = &self.code().functions;
        let start = |number: usize| functions.get(number).map(|f| f.start as usize);
        let end = self.code().instructions.len();
        let first = start(number as usize).unwrap_or(end);
        first..start(number as usize + 1).unwrap_or(end)
    }

    /// Returns the size of the stack frame of a function in bytes. The next stack frame starts at the next multiple of
    /// 16 bytes.
    pub fn frame_bytes(self, number: u32) -> u64 {
        let function = self.code().functions.get(number as usize);
        function.map_or(0, |function| function.frame_bytes.into())
    }

    /// Returns the registers of a function that contain the addresses of stack variables, with the offsets of these
    /// variables from the start of the stack frame. The addresses are set at function entry, and no instruction writes
    /// these registers.
    pub fn frame_addresses(self, number: u32) -> impl Iterator<Item = (BankRegister, u64)> + 'm {
        let function = self.code().functions.get(number as usize);
        let all = function.map_or(&[][..], |function| &function.frame_addresses);
        let register = |address: &StackAddressRegister| match address.slot.place() {
            OperandLocation::Register(index) => Some(((address.bank, index), address.addend)),
            OperandLocation::Constant(_) | OperandLocation::Special(_) | OperandLocation::None => {
                None
            }
        };
        all.iter().filter_map(register)
    }

    /// Returns the direct call of a call plan. Returns `None` for indirect calls.
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

    /// Returns the number of registers of a bank in the stack frame of the kernel, and the maximum number in the stack
    /// frames of called functions.
    pub fn most_registers(self, bank: RegisterBank) -> [u32; 2] {
        let code = self.code();
        [code.entry_sizes, code.frame_sizes].map(|sizes| match bank {
            RegisterBank::B32 => sizes.r32,
            RegisterBank::B64 => sizes.r64,
            RegisterBank::B128 => sizes.r128,
            RegisterBank::Predicate => sizes.predicates,
        })
    }
}

impl DecodedInstruction {
    /// Returns a branch that is executed in the same step as its target instruction.
    pub fn same_step_branch(target: u32) -> DecodedInstruction {
        DecodedInstruction {
            op: DecodedOp::Branch { target },
            guard: OperandSlot::NONE,
            negated: false,
            is_plain: true,
            reads_clock: false,
            continues_bundle: true,
        }
    }
}
