//! Selects the decoder of an instruction by its semantics.

use crate::code::op::Op;
use crate::decode::support::supports;
use crate::decode::{
    Decoded, Decoder, Refusal, arithmetic, asynchronous, beside, carry, compare, control, hint,
    machine, matrix, mbarrier, memory, moves, sync, video, warp,
};
use warpgrid_isa::Does;
use warpgrid_program::Action;

pub(crate) fn operation(d: &mut Decoder<'_>, action: &Action) -> Decoded<Op> {
    if !supports(action).runs() {
        return Err(Refusal::NotYet(None));
    }
    match action.does {
        Does::Arithmetic(op) => arithmetic::decode(d, op),
        Does::Carry(op) => carry::decode(d, op),
        Does::Video(op, lanes) => video::decode(d, op, lanes),
        Does::Compare(form) => compare::decode(d, form),
        Does::Move(op) => moves::decode(d, op),
        Does::Memory(op) => memory::decode(d, op),
        Does::Async(op) => asynchronous::decode(d, op),
        Does::Mbarrier(op) => mbarrier::decode(d, op),
        Does::Matrix(op) => matrix::decode(d, op),
        Does::Control(op) => control::decode(d, op),
        Does::Sync(op) => sync::decode(d, op),
        Does::Warp(op) => warp::decode(d, op),
        Does::Hint(op) => Ok(hint::decode(op)),
        Does::Machine(op) => machine::decode(d, op),
        Does::Unit(op) => beside::decode(d, op),
        Does::Unknown => Err(Refusal::NotYet(None)),
    }
}
