//! Inference for operands of specialized units: determines which names refer to tensor maps, textures, surfaces and tensor boxes, and which
//! types the operands have.

use crate::check::body::inference::memory_use::MemoryUse;
use crate::check::body::inference::{ExpectedUse, NameUse};
use crate::check::resolved_opcodes::resolved_opcode::{OperandExpectation, ResolvedOpcode};
use warpgrid_isa::form::DeviceUnitOperand;
use warpgrid_isa::{ScalarType, StateSpace, TensorCopyOp};

/// Determines the objects to which the names in an operand refer: tensor maps, texture or surface handles, or tensor boxes in shared
/// memory. All lanes share a tensor box.
pub(crate) fn point_to_objects(
    plan: &ResolvedOpcode,
    expect: OperandExpectation,
    uses: &mut [NameUse],
) {
    let Some(op) = plan.operation.unit() else {
        return;
    };
    let is_copy = op.tensor_copy().is_some();
    for used in uses {
        match (&mut used.what, expect) {
            (ExpectedUse::Value(ScalarType::B64, _), OperandExpectation::Unit(what, _))
                if object_of(what).is_some() =>
            {
                used.what = ExpectedUse::Pointer(MemoryUse {
                    space: StateSpace::Global,
                    bytes: 0,
                    offsets: (0, 0),
                    is_stored: false,
                    loaded: None,
                    barrier: None,
                    object: object_of(what),
                });
            }
            (ExpectedUse::Pointer(place), _) if is_copy => {
                let is_source = op.tensor_copy() != Some(TensorCopyOp::Load);
                place.bytes = 0;
                place.loaded = is_source.then_some(ScalarType::F32);
            }
            // Multimem operations access a separate location per lane, so the number of bytes per lane is kept.
            (ExpectedUse::Pointer(_), _) if op.multimem().is_some() => {}
            (ExpectedUse::Pointer(place), _) => place.bytes = 0,
            (ExpectedUse::Value(..), _) => {}
        }
    }
}

/// Returns the kind of object to which an operand of a specialized unit refers.
fn object_of(what: DeviceUnitOperand) -> Option<&'static str> {
    match what {
        DeviceUnitOperand::TensorCoordinates => Some("a tensor map"),
        DeviceUnitOperand::TextureCoordinates => Some("a texture"),
        DeviceUnitOperand::SurfaceCoordinates => Some("a surface"),
        DeviceUnitOperand::Reference => Some("a texture, a sampler or a surface"),
        _ => None,
    }
}

/// Returns the type of a name in an operand of a specialized unit.
pub(crate) fn unit_type(plan: &ResolvedOpcode, what: DeviceUnitOperand) -> ScalarType {
    use DeviceUnitOperand as U;
    match what {
        U::Register(slot) | U::Values(slot) | U::Widened(slot) => {
            let bound = plan.bound.as_ref();
            let ty = bound.and_then(|bound| bound.scalar(slot));
            ty.unwrap_or(ScalarType::B32)
        }
        U::Packed => ScalarType::B128,
        U::Mask | U::Im2colOffsets => ScalarType::B16,
        U::Reference
        | U::TextureCoordinates
        | U::SurfaceCoordinates
        | U::Descriptor
        | U::ZeroColumns
        | U::MatrixOperand
        | U::TensorCoordinates
        | U::AddressOrName(_) => ScalarType::B64,
        U::Texels => plan.modifiers.ty.unwrap_or(ScalarType::B32),
        U::PredicateOrBool => ScalarType::Pred,
        U::Alignment
        | U::Columns
        | U::TensorAddress
        | U::InstructionDescriptor
        | U::Bytes
        | U::Words
        | U::Reduced
        | U::DisableOutputLane
        | U::Accumulators
        | U::WarpgroupMatrixOperand
        | U::Metadata
        | U::Sign
        | U::Constant
        | U::ScaleInputD
        | U::SparseScale
        | U::Level
        | U::TexelResult
        | U::LevelOfDetail
        | U::Gradient
        | U::TextureOffset
        | U::DepthReference
        | U::NumberUpTo(_)
        | U::NumberBy(..) => ScalarType::B32,
    }
}
