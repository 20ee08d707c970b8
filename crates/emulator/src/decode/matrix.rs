//! Matrix operations of a warp: none runs yet.

use super::{Decoded, Refusal, Support};
use crate::decode::code::Op;
use warpgrid_isa::MatrixOp;

pub(super) fn supports(op: MatrixOp) -> Support {
    match op {
        MatrixOp::WmmaStore => Support::not_yet("stores of matrix fragments"),
    }
}

pub(super) fn decode(op: MatrixOp) -> Decoded<Op> {
    match op {
        MatrixOp::WmmaStore => Err(Refusal::NotYet(None)),
    }
}
