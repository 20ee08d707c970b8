//! Selects the decoder of an instruction by its semantics.

use crate::code::decoded_op::DecodedOp;
use crate::decode::support::supports;
use crate::decode::{
    DecodeError, DecodeResult, Decoder, arithmetic, asynchronous, compare, control, data_movement,
    extended_precision, hint, matrix, mbarrier, memory, sass, sync, unit_ops, video, warp,
};
use warpgrid_isa::Operation;
use warpgrid_program::OpcodeInfo;

pub(crate) fn operation(d: &mut Decoder<'_>, action: &OpcodeInfo) -> DecodeResult<DecodedOp> {
    if !supports(action).runs() {
        return Err(DecodeError::NotYet(None));
    }
    match action.operation {
        Operation::Arithmetic(op) => arithmetic::decode(d, op),
        Operation::Carry(op) => extended_precision::decode(d, op),
        Operation::Video(op, lanes) => video::decode(d, op, lanes),
        Operation::Compare(form) => compare::decode(d, form),
        Operation::Move(op) => data_movement::decode(d, op),
        Operation::Memory(op) => memory::decode(d, op),
        Operation::Async(op) => asynchronous::decode(d, op),
        Operation::Mbarrier(op) => mbarrier::decode(d, op),
        Operation::Matrix(op) => matrix::decode(d, op),
        Operation::Control(op) => control::decode(d, op),
        Operation::Sync(op) => sync::decode(d, op),
        Operation::Warp(op) => warp::decode(d, op),
        Operation::Hint(op) => Ok(hint::decode(op)),
        Operation::Machine(op) => sass::decode(d, op),
        Operation::Unit(op) => unit_ops::decode(d, op),
        Operation::Unknown => Err(DecodeError::NotYet(None)),
    }
}
