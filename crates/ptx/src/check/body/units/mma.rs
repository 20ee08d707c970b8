//! Operands of warpgroup MMAs and of tensor memory instructions: checks the number and the types of the registers.

use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::InstructionSite;
use crate::check::body::units::UnitOperandSpec;
use crate::check::body::units::lists::{ListLength, ListRule, SpecialRegisterRule};
use crate::tree::operand::{Operand, OperandKind, OperandWithChildren};
use warpgrid_isa::form::DeviceUnitOperand;
use warpgrid_isa::{CtaGroup, Flag, Modifiers, OperandAccess, ScalarType, StateSpace, TypeMatch};
use warpgrid_program::OperandValue;

/// Number of registers of a matrix operand of a warpgroup MMA.
const FACTOR_REGISTERS: usize = 4;

impl<'a> BodyChecker<'a, '_> {
    /// Checks an operand of a warpgroup MMA or of an instruction that accesses tensor memory.
    pub(crate) fn product_operand(
        &mut self,
        site: &InstructionSite<'a>,
        UnitOperandSpec { what, role }: UnitOperandSpec,
        written: OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        use DeviceUnitOperand as U;
        let (operand, children) = written;
        match what {
            U::Words => {
                let n = n_words(&site.plan.modifiers)?;
                self.words(written, n, role, SpecialRegisterRule::Refused)
            }
            U::Reduced => match operand.kind {
                OperandKind::Vector { .. } => {
                    self.words(written, 1, role, SpecialRegisterRule::Refused)
                }
                _ => {
                    let fits = |ty: ScalarType| ty.width_bits() == 32 && ty != ScalarType::Pred;
                    let is_word = self.is_register(operand, fits);
                    self.expect_that(is_word, operand, "a 32-bit register")
                }
            },
            U::DisableOutputLane => self.lanes(site, role, written),
            U::MatrixOperand => self.factor(site, operand),
            U::Accumulators => {
                let (n, ty) = sums(&site.plan.modifiers)?;
                let fit = match ty {
                    ScalarType::S32 => TypeMatch::Integer,
                    _ => TypeMatch::Exact,
                };
                self.fragment(written, ListRule::of(ListLength::Exactly(n), ty, fit), role)
            }
            U::WarpgroupMatrixOperand => self.warpgroup_factor(site, role, written),
            U::Metadata => self.metadata(site, operand, children),
            _ => self.descriptor(site, operand),
        }
    }

    /// Checks a disable-output-lane mask. If all optional operands are present, the assembler accepts a predicate in place of the mask.
    fn lanes(
        &mut self,
        site: &InstructionSite<'a>,
        role: OperandAccess,
        written: OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        let operand = written.0;
        if !matches!(operand.kind, OperandKind::Vector { .. }) {
            return match self.is_predicate(operand) {
                true => self.predicate(site, operand),
                false => self.expect_that(false, operand, "registers in braces"),
            };
        }
        let group = site.plan.modifiers.unit.group.unwrap_or(CtaGroup::One);
        self.words(
            written,
            group.n_lane_masks(),
            role,
            SpecialRegisterRule::Taken,
        )
    }

    /// Checks a matrix operand in tensor memory, or the descriptor of a matrix in shared memory.
    fn factor(&mut self, site: &InstructionSite<'a>, operand: &Operand) -> Option<OperandValue> {
        if site.plan.modifiers.has(Flag::AShift)
            && !matches!(operand.kind, OperandKind::Address { .. })
        {
            let expected = "a matrix in tensor memory, as required by `.ashift`";
            return self.expect_that(false, operand, expected);
        }
        match operand.kind {
            OperandKind::Address { .. } | OperandKind::AbsoluteAddress { .. } => {
                let address = self.address_in(site, operand, StateSpace::Generic)?;
                Some(OperandValue::Address(address))
            }
            _ => self.descriptor(site, operand),
        }
    }

    /// Checks the registers of a matrix operand, or the descriptor of a matrix in shared memory.
    fn warpgroup_factor(
        &mut self,
        site: &InstructionSite<'a>,
        role: OperandAccess,
        written: OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        let operand = written.0;
        let list = self.is_list(operand);
        let has_both = site.operands.count() == site.plan.max_operands;
        if list == has_both && site.plan.max_operands != site.plan.min_operands {
            let expected = match list {
                true => {
                    "a descriptor, because the instruction has transpose operands for both A and B"
                }
                false => "registers, because the instruction has a transpose operand for B only",
            };
            return self.expect_that(false, operand, expected);
        }
        if !list {
            return self.descriptor(site, operand);
        }
        let ty = match site.plan.modifiers.a_type? {
            ScalarType::F16 | ScalarType::Bf16 => ScalarType::F16x2,
            ty if ty.is_float() => ScalarType::Tf32,
            _ => ScalarType::B32,
        };
        let rule = ListRule::of(ListLength::Exactly(FACTOR_REGISTERS), ty, TypeMatch::Exact);
        self.fragment(written, rule, role)
    }
}

/// Returns the number and the type of the accumulator registers of a warpgroup MMA.
fn sums(modifiers: &Modifiers) -> Option<(usize, ScalarType)> {
    let columns = usize::from(modifiers.shape?.columns);
    Some(match modifiers.d_type? {
        ScalarType::F16 => (columns / 4, ScalarType::F16x2),
        ty => (columns / 2, ty),
    })
}

/// Returns the number of registers that an access to tensor memory transfers.
fn n_words(modifiers: &Modifiers) -> Option<usize> {
    Some(modifiers.unit.moved?.registers() * modifiers.count?.number())
}
