//! Issue of tensor copies (PTX ISA, "cp.async.bulk.tensor"). A pending copy stores only a description. Its completion
//! computes the addresses from this description.

use crate::code::{AccessPlan, TensorCopyPlan};
use crate::contract::fault::{AccessKind, FaultKind, InvalidCoordinate};
use crate::contract::pending::{
    AsyncEffect, AsyncGroupKind, AsyncOperation, CompletionMechanism, Reduction,
};
use crate::contract::tensor_map::{MAX_RANK, TensorMap, TensorMode, TensorType};
use crate::contract::tensor_transfer::{TensorCopy, TensorCopyDirection};
use crate::exec::context::with_memory_context;
use crate::exec::context::{ExecutionContext, IssuedInstruction};
use crate::exec::copy::start::find;
use crate::exec::copy::tensor_map::{report_use, tensor_map};
use crate::exec::mbarrier::block_of;
use crate::exec::memory::address_translation::{AccessMode, Backing};
use crate::exec::memory::load::addresses;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::read64;
use crate::semantics::registers::{LaneRegisters, Row64, lanes_of};
use crate::state::memory::AttemptedAccess;
use crate::state::warp::Warp;
use warpgrid_isa::{AtomicOp, LoadMode, ScalarType};
use warpgrid_program::counted;

/// Executes an instruction that issues one tensor copy per lane.
#[inline(never)]
pub(crate) fn start(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    plan: &TensorCopyPlan,
    choice: &IssuedInstruction<'_>,
    step: u64,
) -> ExecResult {
    let origin = around.origin(warp.index, choice.pc, step);
    let groups: [u32; 32] = match &warp.groups {
        Some(made) => std::array::from_fn(|lane| made.made(AsyncGroupKind::Bulk, lane)),
        None => [0; 32],
    };
    let mut started = Vec::new();
    let run = |reach: &mut MemoryContext<'_>, lanes: &mut LaneRegisters<'_>| {
        let rows = OperandRows::read(lanes, plan);
        report_use(reach, &rows.map, lanes.mask);
        for lane in lanes_of(lanes.mask) {
            copy(
                reach,
                plan,
                &rows,
                lane,
                groups[lane],
                |work, completion| {
                    started.push(AsyncOperation {
                        origin,
                        pieces: Vec::new(),
                        work: AsyncEffect::Tensor(Box::new(work)),
                        completion,
                        earliest_step: step + 1,
                        depends_on: Vec::new(),
                    });
                },
            )?;
        }
        Ok(())
    };
    with_memory_context(around, warp, choice, step, run)?;
    for operation in started {
        around.starter.start(operation);
    }
    Ok(())
}

/// Values of the register operands of a tensor copy in all lanes.
struct OperandRows {
    map: Row64,
    shared: Row64,
    mbarrier: Option<Row64>,
    coordinates: Vec<Row64>,
    offsets: Vec<Row64>,
    blocks: Option<Row64>,
}

impl OperandRows {
    fn read(l: &LaneRegisters<'_>, plan: &TensorCopyPlan) -> OperandRows {
        let rows = |elements: &[_]| elements.iter().map(|e| read64(l, *e)).collect();
        OperandRows {
            map: read64(l, plan.map),
            shared: addresses(l, &plan.shared),
            mbarrier: plan.mbarrier.as_ref().map(|object| addresses(l, object)),
            coordinates: rows(&plan.coordinates),
            offsets: rows(&plan.offsets),
            blocks: plan.blocks.map(|element| read64(l, element)),
        }
    }
}

/// Returns the description of a lane's tensor copy. The caller sets the location in shared memory later.
fn transfer_of(
    reach: &MemoryContext<'_>,
    plan: &TensorCopyPlan,
    rows: &OperandRows,
    lane: usize,
) -> Result<TensorCopy, Box<ExecutionFault>> {
    let map = tensor_map(reach, rows.map[lane], lane)?;
    let wrong =
        |reason: String| ExecutionFault::new(FaultKind::TensorCopy { why: reason }, 1 << lane);
    check(&map, plan).map_err(wrong)?;
    let mut transfer = TensorCopy {
        mode: plan.mode,
        direction: plan.direction,
        coordinates: [0; MAX_RANK],
        offsets: [0; 3],
        lane: lane as u32,
        blocks: Vec::new(),
        shared: 0,
        reduces: reduction(&map, plan.reduces).map_err(wrong)?,
        map,
    };
    for (to, row) in transfer.coordinates.iter_mut().zip(&rows.coordinates) {
        *to = (row[lane] as u32 as i32).into();
    }
    for (to, row) in transfer.offsets.iter_mut().zip(&rows.offsets) {
        *to = (row[lane] & 0xffff) as i64;
    }
    check_place(&transfer)
        .map_err(|reason| ExecutionFault::new(FaultKind::IllegalInstruction(reason), 1 << lane))?;
    Ok(transfer)
}

/// Issues the tensor copies of one lane, with one copy for each completion mbarrier.
fn copy(
    reach: &MemoryContext<'_>,
    plan: &TensorCopyPlan,
    rows: &OperandRows,
    lane: usize,
    group: u32,
    mut start: impl FnMut(TensorCopy, CompletionMechanism),
) -> ExecResult {
    let mut transfer = transfer_of(reach, plan, rows, lane)?;
    let n_bytes = transfer.shared_bytes();
    let backing = place_transfer(reach, plan, rows, &mut transfer)?;
    let Some(mbarriers) = &rows.mbarrier else {
        transfer.blocks.push(block_of(reach, backing));
        let completion = CompletionMechanism::AsyncGroup {
            kind: AsyncGroupKind::Bulk,
            number: group,
        };
        start(transfer, completion);
        return Ok(());
    };
    let object = plan.mbarrier.as_ref().unwrap_or(&plan.shared);
    let write = AccessMode::Write;
    let (of_object, object_at) = shared_place(reach, object, mbarriers[lane], 8, lane, write)?;
    let ranks: Vec<u32> = match &rows.blocks {
        None => vec![rank_of(reach, backing)],
        Some(masks) => (0..16)
            .filter(|rank| masks[lane] >> rank & 1 != 0)
            .collect(),
    };
    if !plan.is_pair && rows.blocks.is_none() && of_object != backing {
        return Err(ExecutionFault::new(
            FaultKind::MbarrierInOtherBlock,
            1 << lane,
        ));
    }
    for rank in ranks {
        if rank >= reach.peers.n_ranks() {
            let access = AttemptedAccess {
                kind: AccessKind::Store,
                space: plan.shared.space,
                address: rows.shared[lane],
                width_bytes: n_bytes as u32,
            };
            return Err(ExecutionFault::of_access(
                access,
                FaultKind::OutOfBounds,
                lane,
            ));
        }
        // For a pair of blocks, select the block that counts the bytes by the parity of the rank of the mbarrier's
        // block (PTX ISA, "cp.async.bulk.tensor").
        let counts = match plan.is_pair {
            true => rank & !1 | rank_of(reach, of_object) & 1,
            false => rank,
        };
        let completion = CompletionMechanism::Mbarrier {
            block: block_at(reach, counts.min(reach.peers.n_ranks().saturating_sub(1))),
            address: object_at,
            bytes: n_bytes as u32,
        };
        let transfer = TensorCopy {
            blocks: vec![block_at(reach, rank)],
            ..transfer.clone()
        };
        start(transfer, completion);
    }
    Ok(())
}

/// Resolves the shared memory location of a tensor copy, and checks that the box of the copy is within the bounds of
/// global memory.
fn place_transfer(
    reach: &MemoryContext<'_>,
    plan: &TensorCopyPlan,
    rows: &OperandRows,
    transfer: &mut TensorCopy,
) -> Result<Backing, Box<ExecutionFault>> {
    let lane = transfer.lane as usize;
    let purpose = match plan.direction {
        TensorCopyDirection::Load => AccessMode::Write,
        TensorCopyDirection::Store => AccessMode::Read,
    };
    let (backing, at) = shared_place(
        reach,
        &plan.shared,
        rows.shared[lane],
        transfer.shared_extent(),
        lane,
        purpose,
    )?;
    transfer.shared = at;
    match transfer.outside(reach.global) {
        Some(access) => Err(ExecutionFault::of_access(
            access,
            FaultKind::OutOfBounds,
            lane,
        )),
        None => Ok(backing),
    }
}

/// Returns the cluster rank of the block that owns a shared memory.
fn rank_of(reach: &MemoryContext<'_>, backing: Backing) -> u32 {
    match backing {
        Backing::Peer(rank) => rank.into(),
        Backing::Shared | Backing::Arena | Backing::Stack => reach.peers.own_rank(),
    }
}

/// Returns the linear index of the block with a given rank in the cluster.
fn block_at(reach: &MemoryContext<'_>, rank: u32) -> u64 {
    let own = reach.peers.own_rank();
    reach.shape.peer(reach.block, own, rank)
}

/// Checks the start coordinates of a tensor copy. On an H100, invalid coordinates cause an illegal instruction error.
fn check_place(transfer: &TensorCopy) -> Result<(), InvalidCoordinate> {
    let alignment = InvalidCoordinate::ALIGNMENT_BYTES;
    let unit = transfer.map.unit();
    let coordinate = transfer.coordinates[0];
    let offset_bytes = coordinate.saturating_mul(unit.global_bytes as i64);
    if unit.n_values == 1 && !offset_bytes.unsigned_abs().is_multiple_of(alignment) {
        return Err(InvalidCoordinate::Misaligned {
            coordinate,
            offset_bytes,
            ty: transfer.map.ty,
            multiple_elements: alignment / unit.global_bytes.max(1),
        });
    }
    let is_store = transfer.direction == TensorCopyDirection::Store;
    match transfer.least_place().filter(|_| is_store) {
        Some((dimension, coordinate)) if coordinate < 0 => Err(InvalidCoordinate::NegativeStart {
            dimension,
            coordinate,
        }),
        _ => Ok(()),
    }
}

/// Checks whether an instruction supports a tensor map. Returns the reason otherwise.
fn check(map: &TensorMap, plan: &TensorCopyPlan) -> Result<(), String> {
    if let Some(problem) = map.problem() {
        return Err(format!("invalid tensor map: {problem}"));
    }
    let expected = match plan.mode {
        LoadMode::Tile | LoadMode::Gather4 | LoadMode::Scatter4 => TensorMode::Tiled,
        LoadMode::Im2col | LoadMode::Im2colNoOffsets => TensorMode::Im2col,
        LoadMode::Im2colW => TensorMode::Im2colW,
        LoadMode::Im2colW128 => TensorMode::Im2colW128,
    };
    if map.mode != expected {
        return Err(format!(
            "found a tensor map in mode `{}`, expected `{}`",
            map.mode.name(),
            expected.name()
        ));
    }
    let is_gathered = matches!(plan.mode, LoadMode::Gather4 | LoadMode::Scatter4);
    let n = match is_gathered {
        true => 2,
        false => plan.coordinates.len(),
    };
    if map.rank != n {
        return Err(format!(
            "found a tensor map with {}, expected {n}",
            counted(map.rank, "dimension")
        ));
    }
    if is_gathered && map.box_extents[1] != 1 {
        let n = map.box_extents[1];
        return Err(format!(
            "found a box with {n} rows, expected 1 for gather and scatter"
        ));
    }
    Ok(())
}

/// Returns the reduction of a tensor copy for the element type of the tensor map. Combinations that an H100 does not
/// support are errors.
fn reduction(map: &TensorMap, op: Option<AtomicOp>) -> Result<Option<Reduction>, String> {
    use AtomicOp as A;
    use TensorType as T;
    let Some(op) = op else { return Ok(None) };
    let ty = match map.ty {
        T::U32 => Some(ScalarType::U32),
        T::S32 => Some(ScalarType::S32),
        T::U64 => Some(ScalarType::U64),
        T::S64 => Some(ScalarType::S64),
        T::F16 => Some(ScalarType::F16),
        T::Bf16 => Some(ScalarType::Bf16),
        T::F32 | T::F32Ftz | T::Tf32 | T::Tf32Ftz => Some(ScalarType::F32),
        T::F64 => Some(ScalarType::F64),
        T::U8 | T::U16 | T::U4Align8 | T::U4Align16 | T::U6Align16 => None,
    };
    let taken = ty.filter(|ty| match op {
        A::Add => !matches!(ty, ScalarType::S64),
        A::Min | A::Max => !matches!(ty, ScalarType::F32 | ScalarType::F64),
        A::Inc | A::Dec => matches!(ty, ScalarType::U32),
        A::And | A::Or | A::Xor => !ty.is_float() && !matches!(ty, ScalarType::S64),
        A::Exch | A::Cas => false,
    });
    match taken {
        Some(ty) => Ok(Some(Reduction {
            op,
            ty,
            flushes: matches!(map.ty, T::F32Ftz | T::Tf32Ftz),
        })),
        None => Err(format!(
            "`.{}` does not support elements of type `{}`",
            op.name(),
            map.ty.name()
        )),
    }
}

/// Resolves a range of shared memory to its block and its offset.
pub(crate) fn shared_place(
    reach: &MemoryContext<'_>,
    plan: &AccessPlan,
    address: u64,
    n_bytes: u64,
    lane: usize,
    purpose: AccessMode,
) -> Result<(Backing, u64), Box<ExecutionFault>> {
    match find(reach, plan, address, n_bytes, lane, purpose)? {
        (backing @ (Backing::Shared | Backing::Peer(_)), at) => Ok((backing, at as u64)),
        (Backing::Arena | Backing::Stack, _) => {
            let access = match purpose {
                AccessMode::Read => AccessKind::Load,
                AccessMode::Write => AccessKind::Store,
            };
            let access = AttemptedAccess {
                kind: access,
                space: plan.space,
                address,
                width_bytes: n_bytes as u32,
            };
            Err(ExecutionFault::of_access(
                access,
                FaultKind::WrongSpace,
                lane,
            ))
        }
    }
}
