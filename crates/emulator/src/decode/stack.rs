//! Decoder of stack operations and cluster launch control.

use crate::code::decoded_op::DecodedOp;
use crate::code::stack::CancelResponseField;
use crate::code::{AccessPlan, ClusterLaunchPlan, RegisterOperand, StackPlan};
use crate::contract::support::Support;
use crate::decode::asynchronous::object;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use warpgrid_isa::{BlockIndex, ClusterLaunchControlOp, Flag, ScalarType, StackOp};
use warpgrid_program::OperandValue;

/// Default alignment in bytes of a dynamic stack allocation.
const ALIGNMENT: u64 = 8;
/// Size in bytes, and alignment, of a cluster launch control response (PTX ISA, "clusterlaunchcontrol.try_cancel").
const ANSWER_BYTES: u32 = 16;

pub(crate) fn supports(op: StackOp) -> Support {
    match op {
        StackOp::Allocate | StackOp::Save | StackOp::Restore => Support::Runs,
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: StackOp) -> DecodeResult<DecodedOp> {
    let plan = match op {
        StackOp::Allocate => StackPlan::Allocate {
            d: d.destination(0)?,
            size: d.element(1, d.modifiers.ty.map_or(64, ScalarType::width_bits))?,
            alignment: match d.operand(2) {
                OperandValue::Absent => ALIGNMENT,
                _ => d.immediate(2)?.max(1),
            },
        },
        StackOp::Save => StackPlan::Save(d.destination(0)?),
        StackOp::Restore => StackPlan::Restore(d.element(0, 64)?),
    };
    Ok(DecodedOp::Stack(d.code.stacks.add(plan)))
}

pub(crate) fn supports_launch(op: ClusterLaunchControlOp) -> Support {
    match op {
        ClusterLaunchControlOp::TryCancel
        | ClusterLaunchControlOp::IsCanceled
        | ClusterLaunchControlOp::FirstBlock => Support::Runs,
    }
}

pub(crate) fn decode_launch(
    d: &mut Decoder<'_>,
    op: ClusterLaunchControlOp,
) -> DecodeResult<DecodedOp> {
    let plan = match op {
        ClusterLaunchControlOp::TryCancel => ClusterLaunchPlan::TryCancel {
            to: AccessPlan {
                width_bytes: ANSWER_BYTES,
                ..object(d, 0)?
            },
            mbarrier: object(d, 1)?,
            to_all: d.modifiers.has(Flag::MulticastAll),
        },
        ClusterLaunchControlOp::IsCanceled => ClusterLaunchPlan::Read {
            answer: answer(d)?,
            parts: vec![(d.destination(0)?, CancelResponseField::IsCanceled)],
        },
        ClusterLaunchControlOp::FirstBlock => {
            let answer = answer(d)?;
            let part = match d.modifiers.unit.block {
                Some(BlockIndex::X) => Some(CancelResponseField::Block(0)),
                Some(BlockIndex::Y) => Some(CancelResponseField::Block(1)),
                Some(BlockIndex::Z) => Some(CancelResponseField::Block(2)),
                Some(BlockIndex::Whole) | None => None,
            };
            let parts = match part {
                Some(part) => vec![(d.destination(0)?, part)],
                // Do not modify the fourth word of the result, which is undefined.
                None => {
                    let (elements, _) = d.destinations(0)?;
                    elements
                        .into_iter()
                        .zip((0..3).map(CancelResponseField::Block))
                        .collect()
                }
            };
            ClusterLaunchPlan::Read { answer, parts }
        }
    };
    Ok(DecodedOp::Launch(d.code.launches.add(plan)))
}

/// Decodes the 128-bit response operand: one register, or several registers in braces.
fn answer(d: &mut Decoder<'_>) -> DecodeResult<RegisterOperand> {
    let OperandValue::List(_) = d.operand(1) else {
        return d.element(1, 128);
    };
    let (elements, _) = d.sources(1, 32)?;
    let n = elements.len() as u32;
    if n == 0 || 128 % n != 0 {
        return Err(DecodeError::missing("components of a response"));
    }
    let packed = d.hidden(128);
    let elements = d.pack(elements);
    d.before.push(DecodedOp::Pack {
        d: packed,
        elements,
        element_bits: (128 / n) as u8,
    });
    Ok(packed)
}
