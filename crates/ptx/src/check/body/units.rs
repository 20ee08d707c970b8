//! Operands of specialized units: texture units, tensor memory, tensor copies, multimem operations (assembler 13.5). This module only
//! checks the elements of lists. The module `value` converts these elements to sources.

pub(crate) mod coordinates;
pub(crate) mod lists;
pub(crate) mod mma;
pub(crate) mod numbers;
pub(crate) mod textures;
pub(crate) mod value;

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{register, source};
use crate::check::body::operand::InstructionSite;
use crate::check::body::units::lists::{ListLength, ListRule};
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::resolved_opcode::ResolvedOpcode;
use crate::diagnostics::check as diagnose;
use crate::tree::operand::{Operand, OperandKind, OperandWithChildren};
use warpgrid_isa::form::DeviceUnitOperand;
use warpgrid_isa::{OperandAccess, ScalarType, TypeMatch};
use warpgrid_program::{OperandValue, Source};

/// Kind, type and position of an operand of a specialized unit, as specified by a table row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitOperandSpec {
    pub(crate) what: DeviceUnitOperand,
    pub(crate) role: OperandAccess,
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks and lowers an operand. Returns `None` after reporting an error. This function is not inlined, because it is large and rarely
    /// called, so that inlining would slow down the check of all other operands.
    #[cold]
    pub(crate) fn unit_operand(
        &mut self,
        site: &InstructionSite<'a>,
        slot: UnitOperandSpec,
        written: OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        match self.compared_operand(site, slot, written)? {
            OperandValue::Absent => {
                let ty = literal_type(slot.what, site.plan);
                Some(self.lower_unchecked(written, slot.role, ty))
            }
            value => Some(value),
        }
    }

    /// Checks an operand, and returns its value, or [`OperandValue::Absent`] if the elements of the operand have been checked but not
    /// converted.
    fn compared_operand(
        &mut self,
        site: &InstructionSite<'a>,
        slot: UnitOperandSpec,
        written: OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        use DeviceUnitOperand as U;
        let UnitOperandSpec { what, role } = slot;
        let bound = site.plan.bound.as_ref()?;
        let (operand, children) = written;
        match what {
            U::Alignment
            | U::Columns
            | U::Bytes
            | U::Mask
            | U::ScaleInputD
            | U::SparseScale
            | U::NumberUpTo(_)
            | U::NumberBy(..)
            | U::Constant
            | U::Sign
            | U::PredicateOrBool
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
            U::TensorCoordinates => self.tensor_place(&site.plan.modifiers, written),
            U::Im2colOffsets => {
                let unit = &site.plan.modifiers.unit;
                let n = unit.load_mode().n_offsets(unit.n_dimensions());
                self.listed(
                    written,
                    &ListRule::of(ListLength::Exactly(n), ScalarType::U16, TypeMatch::Exact),
                )
            }
            U::Reference => self.queried(operand, bound),
            U::SurfaceCoordinates => {
                self.surface_place(written, site.plan.modifiers.unit.geometry?)
            }
            U::Texels => {
                let ty = site.plan.modifiers.ty?;
                self.texels(site, written, ty, role)
            }
            U::Words
            | U::Reduced
            | U::DisableOutputLane
            | U::Descriptor
            | U::ZeroColumns
            | U::MatrixOperand
            | U::Accumulators
            | U::WarpgroupMatrixOperand
            | U::Metadata => self.product_operand(site, slot, written),
            U::TexelResult
            | U::TextureCoordinates
            | U::LevelOfDetail
            | U::Gradient
            | U::TextureOffset
            | U::DepthReference => self.texture_operand(site, what, written),
        }
    }

    /// Checks that an operand is a register of exactly the given width. Literals are rejected.
    fn own_register(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        match self.written(site, operand, ty, TypeMatch::Exact)? {
            Some(found) => Some(source(register(found))),
            None => {
                self.report_sink(site, operand);
                None
            }
        }
    }

    /// Checks a value whose width may differ from the width of the type `ty`. A floating-point value must have the width of the type,
    /// because a conversion could round it.
    fn widened(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        let value = self.source(site, operand, ty, TypeMatch::Wider)?;
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

    /// Reports an operand as unexpected if `holds` is false. The message contains `expected`, the description of the expected operand.
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

    /// Checks an operand that is a 32-bit integer. A `.f16x2` register is rejected.
    fn plain_word(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
    ) -> Option<OperandValue> {
        let value = self.source(site, operand, ScalarType::U32, TypeMatch::Integer)?;
        Some(source(value))
    }

    /// Checks the 64-bit descriptor of a matrix.
    fn descriptor(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
    ) -> Option<OperandValue> {
        if let OperandKind::Sum { name, .. } = operand.kind
            && matches!(self.binding(name, operand.span), Binding::Variable(_))
        {
            return self.expect_that(false, operand, "a 64-bit register");
        }
        let value = self.source(site, operand, ScalarType::U64, TypeMatch::Exact)?;
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

/// Returns the type of the literals in an operand whose elements are converted separately.
fn literal_type(what: DeviceUnitOperand, plan: &ResolvedOpcode) -> ScalarType {
    use DeviceUnitOperand as U;
    let modifiers = &plan.modifiers;
    let ty = match what {
        U::Values(_) | U::Widened(_) | U::Texels => modifiers.ty,
        U::LevelOfDetail => modifiers.c_type,
        U::Gradient | U::DepthReference => Some(ScalarType::F32),
        // Layer indices and offsets are integers, regardless of the type of the coordinates. The spelling of a floating-point literal
        // determines its type.
        _ => None,
    };
    ty.unwrap_or(ScalarType::B32)
}
