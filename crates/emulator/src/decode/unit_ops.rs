//! Decoder of operations of other device units. Each instruction family has a separate file.

use crate::code::decoded_op::DecodedOp;
use crate::contract::support::Support;
use crate::decode::{
    DecodeResult, Decoder, asynchronous, memory, stack, tensor_copy, tensor_memory, texture,
    warpgroup_mma,
};
use warpgrid_isa::{AsyncOp, DeviceUnitOp, MultimemOp};

pub(crate) fn supports(op: DeviceUnitOp) -> Support {
    match op {
        DeviceUnitOp::TensorCopy(op) => tensor_copy::supports(op),
        DeviceUnitOp::TensorMap(op) => tensor_copy::supports_map(op),
        DeviceUnitOp::Stack(op) => stack::supports(op),
        DeviceUnitOp::ClusterLaunchControl(op) => stack::supports_launch(op),
        DeviceUnitOp::Warpgroup(op) => warpgroup_mma::supports(op),
        DeviceUnitOp::Multimem(_)
        | DeviceUnitOp::TensorMemory(_)
        | DeviceUnitOp::Texture(_)
        | DeviceUnitOp::Surface(_) => Support::Runs,
        // Fabric operations have no effect on a single device, because all writes are visible immediately.
        DeviceUnitOp::Fabric => Support::Runs,
    }
}

/// Decodes accesses to the memory of several devices. A multicast address denotes the addresses of all of its members,
/// and any other address denotes a single location.
fn multimem(d: &mut Decoder<'_>, op: MultimemOp) -> DecodeResult<DecodedOp> {
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

pub(crate) fn decode(d: &mut Decoder<'_>, op: DeviceUnitOp) -> DecodeResult<DecodedOp> {
    match op {
        DeviceUnitOp::TensorCopy(op) => tensor_copy::decode(d, op),
        DeviceUnitOp::TensorMap(op) => tensor_copy::decode_map(d, op),
        DeviceUnitOp::Warpgroup(op) => warpgroup_mma::decode(d, op),
        DeviceUnitOp::TensorMemory(op) => tensor_memory::decode(d, op),
        DeviceUnitOp::Stack(op) => stack::decode(d, op),
        DeviceUnitOp::ClusterLaunchControl(op) => stack::decode_launch(d, op),
        DeviceUnitOp::Multimem(op) => multimem(d, op),
        DeviceUnitOp::Texture(op) => texture::decode(d, op),
        DeviceUnitOp::Surface(op) => texture::decode_surface(d, op),
        DeviceUnitOp::Fabric => Ok(DecodedOp::Nop),
    }
}
