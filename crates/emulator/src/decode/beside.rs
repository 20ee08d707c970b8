//! What units of the device do beside the lanes, none of which is emulated. In: the unit; out: its name, as a run that
//! stops there says it.

use super::support::Support;
use warpgrid_isa::UnitOp;

pub(super) fn supports(op: UnitOp) -> Support {
    Support::not_yet(match op {
        UnitOp::Stack => "space on the stack",
        UnitOp::LaunchControl => "blocks that have not started",
        UnitOp::Multimem => "memory of several devices",
        UnitOp::TensorCopy => "copies of tensors",
        UnitOp::TensorMap => "descriptions of tensors",
        UnitOp::Warpgroup => "products of four warps",
        UnitOp::TensorMemory => "tensor memory",
        UnitOp::Texture => "textures",
        UnitOp::Surface => "surfaces",
        UnitOp::Fabric => "the fabric between devices",
    })
}
