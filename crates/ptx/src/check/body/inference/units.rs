//! Inference for operands of specialized units: refines the uses of names to tensor maps, textures, surfaces and tensor boxes,
//! and determines the types of operands.

use crate::check::body::inference::place::Place;
use crate::check::body::inference::{Use, What};
use crate::check::plans::plan::{Expect, Plan};
use warpgrid_isa::form::UnitOperand;
use warpgrid_isa::{ScalarType, StateSpace, TensorCopyOp};

/// Refines the uses of an operand: a pointer to a tensor map, the handle of a texture or surface, or a tensor box in shared
/// memory, which all lanes share.
pub(crate) fn point_to_objects(plan: &Plan, expect: Expect, uses: &mut [Use]) {
    let Some(op) = plan.does.unit() else {
        return;
    };
    let is_copy = op.tensor_copy().is_some();
    for used in uses {
        match (&mut used.what, expect) {
            (What::Value(ScalarType::B64, _), Expect::Unit(what, _))
                if object_of(what).is_some() =>
            {
                used.what = What::Pointer(Place {
                    space: StateSpace::Global,
                    bytes: 0,
                    offsets: (0, 0),
                    is_stored: false,
                    loaded: None,
                    barrier: None,
                    object: object_of(what),
                });
            }
            (What::Pointer(place), _) if is_copy => {
                let is_source = op.tensor_copy() != Some(TensorCopyOp::Load);
                place.bytes = 0;
                place.loaded = is_source.then_some(ScalarType::F32);
            }
            // Each lane has a separate multimem address.
            (What::Pointer(_), _) if op.multimem().is_some() => {}
            (What::Pointer(place), _) => place.bytes = 0,
            (What::Value(..), _) => {}
        }
    }
}

/// Returns the kind of object to which an operand of a specialized unit refers.
fn object_of(what: UnitOperand) -> Option<&'static str> {
    match what {
        UnitOperand::TensorPlace => Some("a tensor map"),
        UnitOperand::TexturePlace => Some("a texture"),
        UnitOperand::SurfacePlace => Some("a surface"),
        UnitOperand::Reference => Some("a texture, a sampler or a surface"),
        _ => None,
    }
}

/// Returns the type of a name in an operand of a specialized unit.
pub(crate) fn unit_type(plan: &Plan, what: UnitOperand) -> ScalarType {
    use UnitOperand as U;
    match what {
        U::Register(slot) | U::Values(slot) | U::Widened(slot) => {
            let bound = plan.bound.as_ref();
            let ty = bound.and_then(|bound| bound.scalar(slot));
            ty.unwrap_or(ScalarType::B32)
        }
        U::Packed => ScalarType::B128,
        U::Mask | U::ImageOffsets => ScalarType::B16,
        U::Reference
        | U::TexturePlace
        | U::SurfacePlace
        | U::Descriptor
        | U::ZeroColumns
        | U::Factor
        | U::TensorPlace
        | U::AddressOrName(_) => ScalarType::B64,
        U::Texels => plan.modifiers.ty.unwrap_or(ScalarType::B32),
        U::Condition => ScalarType::Pred,
        U::Alignment
        | U::Columns
        | U::TensorAddress
        | U::InstructionDescriptor
        | U::Bytes
        | U::Words
        | U::Reduced
        | U::Lanes
        | U::Sums
        | U::WarpgroupFactor
        | U::Metadata
        | U::Sign
        | U::Constant
        | U::SumScale
        | U::SparseScale
        | U::Level
        | U::Sampled
        | U::Detail
        | U::Gradient
        | U::TextureOffset
        | U::Compared
        | U::NumberUpTo(_)
        | U::NumberBy(..) => ScalarType::B32,
    }
}
