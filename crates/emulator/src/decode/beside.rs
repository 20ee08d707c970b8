//! Decoder of operations of other units of the device, one file per instruction family.

use crate::code::op::Op;
use crate::contract::support::Support;
use crate::decode::{
    Decoded, Decoder, asynchronous, memory, stack, tensor_copy, tensor_memory, texture,
    warp_product,
};
use warpgrid_isa::{AsyncOp, MultimemOp, UnitOp};

pub(crate) fn supports(op: UnitOp) -> Support {
    match op {
        UnitOp::TensorCopy(op) => tensor_copy::supports(op),
        UnitOp::TensorMap(op) => tensor_copy::supports_map(op),
        UnitOp::Stack(op) => stack::supports(op),
        UnitOp::Launch(op) => stack::supports_launch(op),
        UnitOp::Warpgroup(op) => warp_product::supports(op),
        UnitOp::Multimem(_) | UnitOp::TensorMemory(_) | UnitOp::Texture(_) | UnitOp::Surface(_) => {
            Support::Runs
        }
        // The fabric has no effect on a single device, because all writes are visible immediately.
        UnitOp::Fabric => Support::Runs,
    }
}

/// Decodes accesses to the memory of several devices. A multicast address denotes all of its members, and any other
/// address only itself.
fn multimem(d: &mut Decoder<'_>, op: MultimemOp) -> Decoded<Op> {
    match op {
        MultimemOp::LoadReduce
        | MultimemOp::Store
        | MultimemOp::AsyncStore
        | MultimemOp::Reduction
        | MultimemOp::AsyncReduction => memory::multimem(d, op),
        MultimemOp::BulkCopy => asynchronous::decode(d, AsyncOp::BulkCopy),
        MultimemOp::BulkReduction => asynchronous::decode(d, AsyncOp::BulkReduction),
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: UnitOp) -> Decoded<Op> {
    match op {
        UnitOp::TensorCopy(op) => tensor_copy::decode(d, op),
        UnitOp::TensorMap(op) => tensor_copy::decode_map(d, op),
        UnitOp::Warpgroup(op) => warp_product::decode(d, op),
        UnitOp::TensorMemory(op) => tensor_memory::decode(d, op),
        UnitOp::Stack(op) => stack::decode(d, op),
        UnitOp::Launch(op) => stack::decode_launch(d, op),
        UnitOp::Multimem(op) => multimem(d, op),
        UnitOp::Texture(op) => texture::decode(d, op),
        UnitOp::Surface(op) => texture::decode_surface(d, op),
        UnitOp::Fabric => Ok(Op::Nop),
    }
}
