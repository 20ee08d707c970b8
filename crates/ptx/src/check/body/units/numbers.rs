//! Numeric operands of specialized units: checks the ranges of sizes, masks, scales and signs.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::source;
use crate::check::body::operand::InstructionSite;
use crate::diagnostics::rules::special_gate;
use crate::tree::operand::{Operand, OperandKind, OperandWithChildren};
use warpgrid_isa::form::{DeviceUnitOperand, Gate};
use warpgrid_isa::target::TargetRequirement::{Family, OneOf, Only};
use warpgrid_isa::{ScalarType, TypeMatch};
use warpgrid_program::OperandValue;

/// Required version and targets for the accumulator scale of an MMA in tensor memory.
const SCALED_INPUT: Gate =
    Gate::ptx(8, 6).on(OneOf(&[Family(100), Only(100), Only(103), Only(107)]));

impl<'a> BodyChecker<'a, '_> {
    /// Checks a number, or a register if the operand permits a register.
    pub(crate) fn unit_number(
        &mut self,
        site: &InstructionSite<'a>,
        what: DeviceUnitOperand,
        (operand, children): OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        use DeviceUnitOperand as U;
        match what {
            U::Alignment => self.number_that(operand, u64::is_power_of_two, "a power of two"),
            U::NumberUpTo(most) => self.number_that(operand, |n| n <= most, "a smaller number"),
            U::NumberBy(most, gate, more) => {
                let most = if gate.met_by(self.module.target) {
                    more
                } else {
                    most
                };
                self.number_that(operand, |n| n <= most, "a smaller number")
            }
            U::Constant => self.number_that(operand, |_| true, "a number"),
            U::Sign => self.number_that(operand, |n| matches!(n as i64, 1 | -1), "1 or -1"),
            U::ScaleInputD => self.sum_scale(operand),
            U::SparseScale => self.sparse_scale(site, operand),
            U::Columns if is_number(operand) => {
                let is_right = |n: u64| n.is_power_of_two() && (32..=512).contains(&n);
                self.number_that(operand, is_right, "a power of two from 32 to 512")
            }
            U::Bytes if is_number(operand) => {
                let is_right = |n: u64| n.is_multiple_of(16) && n < 1 << 20;
                self.number_that(operand, is_right, "a multiple of 16 below 1048576")
            }
            U::Mask if is_number(operand) => {
                let fits = |n| n <= u64::from(u16::MAX);
                self.number_that(operand, fits, "a 16-bit constant")
            }
            U::Mask => {
                let value = self.source(site, operand, ScalarType::U16, TypeMatch::Exact)?;
                Some(source(value))
            }
            U::PredicateOrBool if is_number(operand) => {
                self.number_that(operand, |n| n <= 1, "0, 1 or a predicate")
            }
            U::PredicateOrBool => self.predicate(site, operand),
            // If the operand is a list, the assembler uses its first element as the level of detail (assembler 13.5).
            U::Level => match (operand.kind, children.clone().next()) {
                (OperandKind::Vector { .. }, Some((first, _)))
                    if matches!(children.count(), 1 | 2 | 4) =>
                {
                    self.plain_word(site, first)
                }
                _ => self.plain_word(site, operand),
            },
            _ => self.plain_word(site, operand),
        }
    }

    fn number_that(
        &mut self,
        operand: &Operand,
        is_right: impl Fn(u64) -> bool,
        expected: &str,
    ) -> Option<OperandValue> {
        let holds = matches!(operand.kind, OperandKind::Integer { value, .. } if is_right(value));
        self.expect_that(holds, operand, expected)
    }

    /// Checks the accumulator scale, which is the binary logarithm of the divisor of the accumulators.
    fn sum_scale(&mut self, operand: &Operand) -> Option<OperandValue> {
        if !self.module.meets(SCALED_INPUT) {
            let subject = "an accumulator scale";
            self.report(special_gate(
                subject,
                operand.span,
                SCALED_INPUT,
                self.module,
            ));
            return None;
        }
        self.number_that(operand, |n| n <= 15, "a constant from 0 to 15")
    }

    /// Checks a scale that is permitted only if the instruction has no disable-output-lane mask.
    fn sparse_scale(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
    ) -> Option<OperandValue> {
        let mut operands = site.operands;
        let has_lanes = operands.any(|(other, _)| matches!(other.kind, OperandKind::Vector { .. }));
        let subject = "a constant without a disable-output-lane mask";
        self.number_that(operand, |_| !has_lanes, subject)
    }
}

const fn is_number(operand: &Operand) -> bool {
    matches!(operand.kind, OperandKind::Integer { .. })
}
