//! Operands of specialized units: texture units, tensor memory, tensor copies, multimem operations (assembler 13.5). If the
//! elements of a list have only been checked, `value` converts them.

pub(crate) mod lists;
pub(crate) mod numbers;
pub(crate) mod places;
pub(crate) mod products;
pub(crate) mod textures;
pub(crate) mod value;

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{register, source};
use crate::check::body::operand::Site;
use crate::check::body::units::lists::{Count, ListRule};
use crate::check::names::binding::Binding;
use crate::check::plans::plan::Plan;
use crate::diagnostics::check as diagnose;
use crate::tree::operand::{Operand, OperandKind, Written};
use warpgrid_isa::form::UnitOperand;
use warpgrid_isa::{Fit, Role, ScalarType};
use warpgrid_program::{OperandValue, Source};

/// Description of an operand of a specialized unit in a table row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitSlot {
    pub(crate) what: UnitOperand,
    pub(crate) role: Role,
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks and lowers an operand; returns `None` after reporting an error. Not inlined: the function is large and rarely
    /// called, so that inlining would slow down the operands of all instructions.
    #[cold]
    pub(crate) fn unit_operand(
        &mut self,
        site: &Site<'a>,
        slot: UnitSlot,
        written: Written<'a>,
    ) -> Option<OperandValue> {
        match self.compared_operand(site, slot, written)? {
            OperandValue::Absent => {
                let ty = literal_type(slot.what, site.plan);
                Some(self.kept(written, slot.role, ty))
            }
            value => Some(value),
        }
    }

    /// Checks an operand, and returns its value, or [`OperandValue::Absent`] if its parts have only been checked.
    fn compared_operand(
        &mut self,
        site: &Site<'a>,
        slot: UnitSlot,
        written: Written<'a>,
    ) -> Option<OperandValue> {
        use UnitOperand as U;
        let UnitSlot { what, role } = slot;
        let bound = site.plan.bound.as_ref()?;
        let (operand, children) = written;
        match what {
            U::Alignment
            | U::Columns
            | U::Bytes
            | U::Mask
            | U::SumScale
            | U::SparseScale
            | U::NumberUpTo(_)
            | U::NumberBy(..)
            | U::Constant
            | U::Sign
            | U::Condition
            | U::Level
            | U::TensorAddress
            | U::InstructionDescriptor => self.unit_number(site, what, written),
            U::Register(slot) => self.own_register(site, operand, bound.scalar(slot)?),
            U::Packed => self.whole_bits(site, operand, children),
            U::Values(slot) => {
                let ty = bound.scalar(slot)?;
                self.values(site, written, ty, role)
            }
            U::Widened(slot) => self.widened(site, operand, bound.scalar(slot)?),
            U::AddressOrName(space) => self.address_or_name(site, operand, space),
            U::TensorPlace => self.tensor_place(&site.plan.modifiers, written),
            U::ImageOffsets => {
                let unit = &site.plan.modifiers.unit;
                let n = unit.load_mode().n_offsets(unit.n_dimensions());
                self.listed(
                    written,
                    &ListRule::of(Count::Exactly(n), ScalarType::U16, Fit::Exact),
                )
            }
            U::Reference => self.queried(operand, bound),
            U::SurfacePlace => self.surface_place(written, site.plan.modifiers.unit.geometry?),
            U::Texels => {
                let ty = site.plan.modifiers.ty?;
                self.texels(site, written, ty, role)
            }
            U::Words
            | U::Reduced
            | U::Lanes
            | U::Descriptor
            | U::ZeroColumns
            | U::Factor
            | U::Sums
            | U::WarpgroupFactor
            | U::Metadata => self.product_operand(site, slot, written),
            U::Sampled
            | U::TexturePlace
            | U::Detail
            | U::Gradient
            | U::TextureOffset
            | U::Compared => self.texture_operand(site, what, written),
        }
    }

    /// Checks a register of exactly this width; literals are rejected.
    fn own_register(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        match self.written(site, operand, ty, Fit::Exact)? {
            Some(found) => Some(source(register(found))),
            None => {
                self.report_sink(site, operand);
                None
            }
        }
    }

    /// Checks a value that is widened to the width of the type without rounding of floating-point values.
    fn widened(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        let value = self.source(site, operand, ty, Fit::Wider)?;
        let width = ty.width_bits();
        let rounds = match value {
            Source::Register(run) => {
                let have = self.body.type_of(run.first);
                have.width_bits() != width && (ty.is_float() || have.is_float())
            }
            Source::Immediate(_) => ty == ScalarType::F32,
            _ => false,
        };
        let value = source(value);
        match rounds {
            true => self.expect_that(false, operand, "a value that is converted without rounding"),
            false => Some(value),
        }
    }

    /// Reports the expected operand if the condition is false.
    fn expect_that(
        &mut self,
        holds: bool,
        operand: &Operand,
        expected: &str,
    ) -> Option<OperandValue> {
        if holds {
            return Some(match operand.kind {
                OperandKind::Integer { value, .. } => source(Source::Immediate(value)),
                _ => OperandValue::Absent,
            });
        }
        if operand.kind != OperandKind::Error {
            let found = diagnose::describe(operand.kind);
            self.report(diagnose::unit_operand(operand.span, found, expected));
        }
        None
    }

    /// Returns whether the operand is the name of a register with a suitable type.
    fn is_register(&mut self, operand: &Operand, fits: impl Fn(ScalarType) -> bool) -> bool {
        let OperandKind::Name(name) = operand.kind else {
            return false;
        };
        match self.binding(name, operand.span) {
            Binding::Register(register) => fits(self.body.type_of(register)),
            _ => false,
        }
    }

    /// Checks a 32-bit integer other than `.f16x2`.
    fn plain_word(&mut self, site: &Site<'a>, operand: &Operand) -> Option<OperandValue> {
        let value = self.source(site, operand, ScalarType::U32, Fit::Integer)?;
        Some(source(value))
    }

    /// Checks the 64-bit descriptor of a matrix.
    fn descriptor(&mut self, site: &Site<'a>, operand: &Operand) -> Option<OperandValue> {
        if let OperandKind::Sum { name, .. } = operand.kind
            && matches!(self.binding(name, operand.span), Binding::Variable(_))
        {
            return self.expect_that(false, operand, "a 64-bit register");
        }
        let value = self.source(site, operand, ScalarType::U64, Fit::Exact)?;
        Some(source(value))
    }

    /// Returns whether an operand is a list, in braces or as a vector register.
    fn is_list(&mut self, operand: &Operand) -> bool {
        match operand.kind {
            OperandKind::Vector { .. } => true,
            OperandKind::Name(name) => {
                matches!(self.binding(name, operand.span), Binding::Vector { .. })
            }
            _ => false,
        }
    }
}

/// Returns the type of the literals in an operand whose parts are converted.
fn literal_type(what: UnitOperand, plan: &Plan) -> ScalarType {
    use UnitOperand as U;
    let modifiers = &plan.modifiers;
    let ty = match what {
        U::Values(_) | U::Widened(_) | U::Texels => modifiers.ty,
        U::Detail => modifiers.c_type,
        U::Gradient | U::Compared => Some(ScalarType::F32),
        // A layer index and an offset are integers for every coordinate type; a floating-point literal specifies its own type.
        _ => None,
    };
    ty.unwrap_or(ScalarType::B32)
}
