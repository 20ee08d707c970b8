//! Decoder of barriers and fences. Steps are sequentially consistent, so that a fence does not affect the results of a
//! run.

use crate::code::decoded_op::DecodedOp;
use crate::code::{BarrierMode, BarrierPlan};
use crate::contract::support::Support;
use crate::decode::tensor_copy::decode_acquire;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use crate::semantics::registers::OperandSlot;
use warpgrid_isa::{BarrierReduce, Flag, Proxy, Sem, SyncOp};

pub(crate) fn supports(op: SyncOp) -> Support {
    match op {
        SyncOp::Bar
        | SyncOp::Barrier
        | SyncOp::WarpBarrier
        | SyncOp::Fence
        | SyncOp::Membar
        | SyncOp::ClusterArrive
        | SyncOp::ClusterWait => Support::Runs,
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: SyncOp) -> DecodeResult<DecodedOp> {
    match op {
        SyncOp::Bar | SyncOp::Barrier => barrier(d, op),
        SyncOp::WarpBarrier => Ok(DecodedOp::WarpBarrier {
            mask: d.source(0, 32)?,
        }),
        SyncOp::Fence | SyncOp::Membar => fence(d),
        SyncOp::ClusterArrive => Ok(DecodedOp::ClusterArrive),
        SyncOp::ClusterWait => Ok(DecodedOp::ClusterWait),
    }
}

/// Decodes a fence. A fence that acquires a tensor map has an address operand.
fn fence(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let acquires = matches!(d.modifiers.sem, Some(Sem::Acquire | Sem::AcqRel));
    match d.modifiers.proxy {
        Some(Proxy::Tensormap) if acquires => decode_acquire(d),
        _ => Ok(DecodedOp::Fence),
    }
}

/// Decodes `bar` and `barrier`. The operands are `a{, b}`, or `d, a{, b}, c` for reductions.
fn barrier(d: &mut Decoder<'_>, op: SyncOp) -> DecodeResult<DecodedOp> {
    let reduces = d.modifiers.has(Flag::Red);
    let first = usize::from(reduces);
    let kind = if reduces {
        reduction(d)?
    } else if d.modifiers.has(Flag::Arrive) {
        BarrierMode::Arrive
    } else {
        BarrierMode::Sync
    };
    let plan = BarrierPlan {
        id: d.source(first, 32)?,
        threads: d.source_or_none(first + 1, 32)?,
        kind,
        is_aligned: op == SyncOp::Bar || d.modifiers.has(Flag::Aligned),
    };
    Ok(DecodedOp::Barrier(d.code.barriers.add(plan)))
}

fn reduction(d: &mut Decoder<'_>) -> DecodeResult<BarrierMode> {
    let op = d.modifiers.barrier_reduce;
    let op = op.ok_or_else(|| DecodeError::missing("operation"))?;
    let bits = match op {
        BarrierReduce::Popc => 32,
        BarrierReduce::And | BarrierReduce::Or => 1,
    };
    let predicate = d.predicate(3)?;
    let to: OperandSlot = d.target(0, bits)?;
    Ok(BarrierMode::Reduce {
        op,
        d: to,
        predicate,
    })
}
