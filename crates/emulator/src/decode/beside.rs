//! What units of the device do beside the lanes: each family has a file of its own.

use super::{
    Decoded, Decoder, Refusal, Support, asynchronous, memory, stack, tensor_copy, tensor_memory,
    texture, warp_product,
};
use crate::decode::code::Op;
use warpgrid_isa::{AsyncOp, Flag, MemoryOp, Modifiers, MultimemOp, UnitOp};

pub(super) fn supports(op: UnitOp, modifiers: &Modifiers) -> Support {
    match op {
        UnitOp::TensorCopy(op) => tensor_copy::supports(op),
        UnitOp::TensorMap(op) => tensor_copy::supports_map(op),
        UnitOp::Stack(op) => stack::supports(op),
        UnitOp::Launch(op) => stack::supports_launch(op),
        UnitOp::Multimem(op) => multimem_support(op, modifiers),
        UnitOp::Warpgroup(op) => warp_product::supports(op),
        UnitOp::TensorMemory(op) => tensor_memory::supports(op, modifiers),
        UnitOp::Texture(op) => texture::supports(op, modifiers),
        UnitOp::Surface(op) => texture::supports_surface(op, modifiers),
        UnitOp::Fabric => Support::not_yet("the fabric between devices"),
    }
}

/// Memory of several devices is that of the one device that runs: what is combined is what it holds.
fn multimem_support(op: MultimemOp, modifiers: &Modifiers) -> Support {
    match op {
        MultimemOp::LoadReduce
        | MultimemOp::Reduction
        | MultimemOp::Store
        | MultimemOp::AsyncReduction
        | MultimemOp::AsyncStore
        | MultimemOp::BulkReduction => Support::Runs,
        MultimemOp::BulkCopy if modifiers.has(Flag::CpMask) => {
            Support::not_yet("masked copies to several devices")
        }
        MultimemOp::BulkCopy => Support::Runs,
    }
}

fn multimem(d: &mut Decoder<'_>, op: MultimemOp) -> Decoded<Op> {
    match op {
        MultimemOp::LoadReduce => memory::decode(d, MemoryOp::Load),
        MultimemOp::Store | MultimemOp::AsyncStore => memory::decode(d, MemoryOp::Store),
        MultimemOp::Reduction | MultimemOp::AsyncReduction => {
            memory::decode(d, MemoryOp::Reduction)
        }
        MultimemOp::BulkCopy => asynchronous::decode(d, AsyncOp::BulkCopy),
        MultimemOp::BulkReduction => asynchronous::decode(d, AsyncOp::BulkReduction),
    }
}

pub(super) fn decode(d: &mut Decoder<'_>, op: UnitOp) -> Decoded<Op> {
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
        UnitOp::Fabric => Err(Refusal::NotYet(None)),
    }
}
