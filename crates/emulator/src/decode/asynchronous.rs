//! Decoder of asynchronous copies, stores and reductions, and of the waits for them.

use crate::code::decoded_op::DecodedOp;
use crate::code::{
    AccessPlan, ArrivalCount, AsyncPayload, AsyncPlan, CopySource, PredicateOperand,
    RegisterOperand,
};
use crate::contract::pending::{AsyncGroupKind, GroupWait, Reduction};
use crate::contract::support::Support;
use crate::decode::memory::{AddressOperands, access_plan};
use crate::decode::{DecodeError, DecodeResult, Decoder};
use warpgrid_isa::{AsyncOp, AtomicOp, Completion, Flag, ScalarType, Sem, StateSpace};
use warpgrid_program::OperandValue;

/// Alignment of the addresses and sizes of bulk copies (PTX ISA, "cp.async.bulk").
const BULK_ALIGNMENT: u32 = 16;

pub(crate) fn supports(op: AsyncOp) -> Support {
    match op {
        AsyncOp::Store
        | AsyncOp::Reduction
        | AsyncOp::Copy
        | AsyncOp::CopyCommit
        | AsyncOp::CopyWait
        | AsyncOp::CopyWaitAll
        | AsyncOp::CopyArrive
        | AsyncOp::BulkCopy
        | AsyncOp::BulkReduction
        | AsyncOp::BulkCommit
        | AsyncOp::BulkWait => Support::Runs,
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: AsyncOp) -> DecodeResult<DecodedOp> {
    let plan = match op {
        AsyncOp::Store | AsyncOp::Reduction => registers(d)?,
        AsyncOp::Copy => copy(d)?,
        AsyncOp::BulkCopy | AsyncOp::BulkReduction => bulk_copy(d)?,
        AsyncOp::CopyArrive => arrival(d)?,
        AsyncOp::CopyCommit => return Ok(d.commit(AsyncGroupKind::Copies)),
        AsyncOp::BulkCommit => return Ok(d.commit(AsyncGroupKind::Bulk)),
        AsyncOp::CopyWait => return wait(d, AsyncGroupKind::Copies),
        AsyncOp::CopyWaitAll => {
            return Ok(DecodedOp::AsyncWait(GroupWait {
                kind: AsyncGroupKind::Copies,
                latest: None,
                reads: false,
            }));
        }
        AsyncOp::BulkWait => return wait(d, AsyncGroupKind::Bulk),
    };
    Ok(DecodedOp::StartAsync(d.code.starts.add(plan)))
}

fn wait(d: &mut Decoder<'_>, kind: AsyncGroupKind) -> DecodeResult<DecodedOp> {
    let latest = Some(d.immediate(0)? as u32);
    let reads = d.modifiers.has(Flag::Read);
    Ok(DecodedOp::AsyncWait(GroupWait {
        kind,
        latest,
        reads,
    }))
}

/// Decodes the operands of `st.async` and `red.async`: `[a], b{, [mbar]}`.
fn registers(d: &mut Decoder<'_>) -> DecodeResult<AsyncPlan> {
    let ty = d.modifiers.ty.ok_or_else(|| DecodeError::missing("type"))?;
    let (elements, operands) = d.sources(1, ty.width_bits())?;
    let to = access_plan(
        d,
        AddressOperands::address(0),
        ty,
        Sem::Weak,
        elements,
        operands,
    )?;
    let mbarrier = match d.operand(2) {
        OperandValue::Address(_) => Some(object(d, 2)?),
        _ => None,
    };
    let reduces = d.modifiers.atomic.map(|op| reduction(op, ty));
    Ok(AsyncPlan {
        to: Some(to),
        mbarrier,
        transfer: AsyncPayload::Registers,
        reduces,
        group: None,
    })
}

/// Decodes an mbarrier operand in the state space of the instruction.
pub(crate) fn object(d: &mut Decoder<'_>, index: usize) -> DecodeResult<AccessPlan> {
    let elements = vec![RegisterOperand::SINK];
    let none = Vec::new();
    access_plan(
        d,
        AddressOperands::address(index),
        ScalarType::B64,
        Sem::Release,
        elements,
        none,
    )
}

/// Decodes an address operand with the given state space and alignment.
pub(crate) fn place(
    d: &mut Decoder<'_>,
    index: usize,
    space: StateSpace,
    alignment: u32,
) -> DecodeResult<AccessPlan> {
    let mut plan = access_plan(
        d,
        AddressOperands::address(index),
        ScalarType::B8,
        Sem::Weak,
        vec![RegisterOperand::SINK],
        Vec::new(),
    )?;
    plan.space = space;
    plan.width_bytes = alignment;
    Ok(plan)
}

/// Decodes `cp.async [dst], [src], size{, source-size}{, cache-policy}`.
fn copy(d: &mut Decoder<'_>) -> DecodeResult<AsyncPlan> {
    let size = d.immediate(2)? as u32;
    let to = place(d, 0, StateSpace::Shared, size)?;
    let from = place(d, 1, StateSpace::Global, size)?;
    let (mut read, mut ignores) = (None, None);
    match d.operand(3) {
        OperandValue::Absent => {}
        OperandValue::Predicate { .. } => ignores = Some(d.predicate(3)?),
        _ => read = Some(d.element(3, 32)?),
    }
    Ok(AsyncPlan {
        to: Some(to),
        mbarrier: None,
        transfer: AsyncPayload::Copy(CopySource {
            from,
            size: d.number(u64::from(size), 32),
            read,
            address_counts: d.modifiers.has(Flag::ZeroFill),
            ignore_source: ignores,
            blocks: None,
            byte_mask: None,
            ignore_bytes: None,
        }),
        reduces: None,
        group: Some(AsyncGroupKind::Copies),
    })
}

/// Decodes `cp.async.bulk` and `cp.reduce.async.bulk`. The operand positions depend on the direction of the copy.
fn bulk_copy(d: &mut Decoder<'_>) -> DecodeResult<AsyncPlan> {
    let modifiers = d.modifiers;
    let missing = || DecodeError::missing("state space");
    let to_space = modifiers.space.ok_or_else(missing)?;
    let from_space = modifiers.source_space.ok_or_else(missing)?;
    let to = place(d, 0, to_space, BULK_ALIGNMENT)?;
    let from = place(d, 1, from_space, BULK_ALIGNMENT)?;
    let size = d.element(2, 32)?;
    let counts = modifiers.completion == Some(Completion::MbarrierCompleteTxBytes);
    // Copies to shared memory have two optional operands for ignored bytes before the mbarrier operand.
    let address = match (to_space, from_space) {
        (StateSpace::Shared, _) => 5,
        _ => 3,
    };
    let mbarrier = match counts {
        true => Some(AccessPlan {
            space: to_space,
            ..object(d, address)?
        }),
        false => None,
    };
    // `multimem` copies have no cache policy operand before the byte mask.
    let mask_at = if d.is_absent(4) { 3 } else { 4 };
    let masked = |d: &mut Decoder<'_>, flag: Flag| match d.modifiers.has(flag) {
        true => Ok(Some(d.element(mask_at, 16)?)),
        false => Ok(None),
    };
    let blocks = masked(d, Flag::Multicast)?;
    let byte_mask = masked(d, Flag::CpMask)?;
    let left_out = match modifiers.has(Flag::IgnoreOob) {
        true => Some([d.element(3, 32)?, d.element(4, 32)?]),
        false => None,
    };
    let reduces = match (modifiers.atomic, modifiers.ty) {
        (Some(op), Some(ty)) => Some(reduction(op, ty)),
        _ => None,
    };
    Ok(AsyncPlan {
        to: Some(to),
        mbarrier,
        transfer: AsyncPayload::Copy(CopySource {
            from,
            size,
            read: None,
            address_counts: false,
            ignore_source: None::<PredicateOperand>,
            blocks,
            byte_mask,
            ignore_bytes: left_out,
        }),
        reduces,
        group: (!counts).then_some(AsyncGroupKind::Bulk),
    })
}

/// Returns a reduction for an element type. The reduction does not flush subnormal numbers.
fn reduction(op: AtomicOp, ty: ScalarType) -> Reduction {
    Reduction {
        op,
        ty,
        flushes: false,
    }
}

/// Decodes `cp.async.mbarrier.arrive{.noinc} [addr]`.
fn arrival(d: &mut Decoder<'_>) -> DecodeResult<AsyncPlan> {
    Ok(AsyncPlan {
        to: None,
        mbarrier: Some(object(d, 0)?),
        transfer: AsyncPayload::Arrival(match d.modifiers.has(Flag::Noinc) {
            true => ArrivalCount::Expected,
            false => ArrivalCount::Added,
        }),
        reduces: None,
        group: None,
    })
}
