//! Checks and lowers the operands of `st.bulk`.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::source;
use crate::check::body::operand::InstructionSite;
use crate::diagnostics::check as diagnose;
use warpgrid_isa::{Flag, ScalarType};
use warpgrid_program::{Address, AddressBase, OperandValue, Source};

impl<'a> BodyChecker<'a, '_> {
    /// Checks `st.bulk [a], size, initval`: the size is a multiple of 8 up to 16 MiB, and the initial value is zero (assembler
    /// 13.5).
    pub(crate) fn store_bulk(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        const MAX: u64 = 1 << 24;
        self.count_operands(site)?;
        let mut ok = true;
        for (index, (operand, _)) in site.operands.enumerate() {
            let value = match index {
                0 => OperandValue::Address(self.filled_place(site, operand)?),
                _ => source(self.loose_source(operand)?),
            };
            let problem = match (index, &value) {
                (1, OperandValue::Source(Source::Immediate(size), _)) => {
                    let is_whole = *size <= MAX && size % 8 == 0;
                    (!is_whole).then(|| diagnose::bulk_size(operand.span, *size))
                }
                (1, OperandValue::Source(Source::Register(run), _)) => {
                    let ty = self.body.type_of(run.first);
                    let is_size = ty.is_integer() && matches!(ty.width_bits(), 32 | 64);
                    (!is_size).then(|| diagnose::type_mismatch(operand.span, ty, ScalarType::U64))
                }
                (2, OperandValue::Source(Source::Immediate(0), _)) | (0, _) => None,
                (1, _) => Some(diagnose::expected_register(operand.span, "a variable")),
                (_, _) => Some(diagnose::literal_expected(operand.span)),
            };
            if let Some(problem) = problem {
                self.report(problem);
                ok = false;
            }
            self.body.push(value, operand.span);
        }
        ok.then_some(())
    }

    /// Checks the start address of `st.bulk`. If the opcode specifies a state space, the address register must have at least 32 bits
    /// (assembler 13.5).
    fn filled_place(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &crate::tree::operand::Operand,
    ) -> Option<Address> {
        let address = self.address(site, operand)?;
        if !site.plan.modifiers.has(Flag::SharedCta) {
            return Some(address);
        }
        let problem = match address.base {
            AddressBase::Register(run) => {
                let ty = self.body.type_of(run.first);
                (ty.width_bits() < 32).then(|| diagnose::address_type(operand.span, ty))
            }
            AddressBase::Variable(_) | AddressBase::Bank { .. } | AddressBase::None => {
                let found = "an address without a register";
                Some(diagnose::expected_register(operand.span, found))
            }
        };
        match problem {
            Some(problem) => {
                self.report(problem);
                None
            }
            None => Some(address),
        }
    }
}
