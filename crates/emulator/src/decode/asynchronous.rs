//! Accesses that are done at some later time: none runs yet.

use super::{Decoded, Refusal, Support};
use crate::decode::code::Op;
use warpgrid_isa::AsyncOp;

pub(super) fn supports(op: AsyncOp) -> Support {
    match op {
        AsyncOp::Store => Support::not_yet("asynchronous stores"),
    }
}

pub(super) fn decode(op: AsyncOp) -> Decoded<Op> {
    match op {
        AsyncOp::Store => Err(Refusal::NotYet(None)),
    }
}
