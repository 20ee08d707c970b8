//! Issue of asynchronous operations (PTX ISA, "Asynchronous Operations"). An operation reads registers when it is
//! issued, and reads memory when the scheduler executes it.

use crate::code::{AccessPlan, ArrivalCount, AsyncPayload, AsyncPlan, CopySource};
use crate::contract::agent::{AsyncOperationId, WarpId};
use crate::contract::fault::{AccessKind, FaultKind, MbarrierFault};
use crate::contract::mbarrier::MbarrierState;
use crate::contract::pending::{
    AsyncGroupKind, AsyncSource, CompletionMechanism, SourceConversion,
};
use crate::exec::context::with_memory_context;
use crate::exec::context::{ExecutionContext, IssuedInstruction};
use crate::exec::copy::async_operation_builder::{
    AsyncOperationBuilder, CompletionTarget, PieceData,
};
use crate::exec::mbarrier::{MbarrierWriteBuffer, block_of, object_place, own_object_place};
use crate::exec::memory::address_translation::{AccessMode, Backing, ResolvedAccess};
use crate::exec::memory::load::addresses;
use crate::exec::memory_context::{ExecResult, ExecutionFault, MemoryContext};
use crate::exec::operand_rows::{read64, read128};
use crate::semantics::registers::{LaneRegisters, Row64, lanes_of};
use crate::state::memory::AttemptedAccess;
use crate::state::multicast::members_of;
use crate::state::warp::Warp;
use warpgrid_isa::StateSpace;

/// Number of consecutive bytes to which the bits of a bulk copy's byte mask apply.
const MASKED_BYTES: usize = 16;

/// Pending operation on which a new operation depends: its ID, its lanes, and the step of its completion.
type EarlierOperation = (AsyncOperationId, u32, u64);

/// Executes an instruction that issues asynchronous operations.
#[inline(never)]
pub(crate) fn start(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    plan: &AsyncPlan,
    choice: &IssuedInstruction<'_>,
    step: u64,
) -> ExecResult {
    let origin = around.origin(warp.index, choice.pc, step);
    let own = WarpId {
        block: around.block,
        warp: warp.index,
    };
    let copies = around
        .starter
        .in_flight
        .grouped(own, AsyncGroupKind::Copies);
    let earlier: Vec<EarlierOperation> = copies
        .map(|(pending, lanes, _)| (pending.id, lanes, pending.completes_at))
        .collect();
    let mut groups = [0; 32];
    if let (Some(kind), Some(made)) = (plan.group, &warp.groups) {
        groups = std::array::from_fn(|lane| made.made(kind, lane));
    }
    let mut starting = AsyncStart {
        plan,
        groups,
        operations: AsyncOperationBuilder::new(origin, plan.reduces),
    };
    let run = |reach: &mut MemoryContext<'_>, lanes: &mut LaneRegisters<'_>| match &plan.transfer {
        AsyncPayload::Registers => starting.registers(reach, lanes),
        AsyncPayload::Copy(source) => starting.copy(reach, lanes, source),
        AsyncPayload::Arrival(count) => starting.arrival(reach, lanes, *count, &earlier),
    };
    with_memory_context(around, warp, choice, step, run)?;
    let operations = starting.operations;
    for operation in operations.list {
        around.starter.start(operation);
    }
    Ok(())
}

/// Checks whether the size of a copy is a multiple of the destination's access width.
fn check_size(to: &AccessPlan, size: u64, lane: usize) -> ExecResult {
    let unit = to.width_bytes;
    if size.is_multiple_of(u64::from(unit)) {
        return Ok(());
    }
    let kind = FaultKind::InvalidCopySize {
        bytes: size,
        multiple: unit,
    };
    Err(ExecutionFault::new(kind, 1 << lane))
}

/// Asynchronous copy that an instruction issues for one lane.
struct LaneCopy<'b> {
    to: &'b AccessPlan,
    /// Resolved completion mbarriers of all lanes, with the access plan of the mbarrier operand.
    objects: Option<&'b (ResolvedAccess, &'b AccessPlan)>,
    lane: usize,
    address: u64,
    size: u64,
    brought: &'b [PieceData],
}

struct AsyncStart<'p> {
    plan: &'p AsyncPlan,
    /// Number of async-groups that each lane has committed before this instruction.
    groups: [u32; 32],
    operations: AsyncOperationBuilder,
}

impl<'p> AsyncStart<'p> {
    /// `st.async` and `red.async`: issues a store or a reduction for the elements of each lane.
    fn registers(&mut self, reach: &mut MemoryContext<'_>, l: &LaneRegisters<'_>) -> ExecResult {
        let Some(to) = &self.plan.to else {
            return Err(ExecutionFault::internal(
                "no destination for an asynchronous store",
                l.mask,
            ));
        };
        let mut target = ResolvedAccess::UNKNOWN;
        reach.find(AccessKind::Store, l, to, &mut target)?;
        let objects = self.objects(reach, l)?;
        let addresses = addresses(l, to);
        let rows: Vec<_> = to.elements.iter().map(|e| read128(l, *e)).collect();
        let size = to.element_bytes as usize;
        for lane in lanes_of(l.mask) {
            let (backing, at) = target.of_lane(lane, to.width_bytes as usize);
            let landing = landing(reach, backing, at, addresses[lane])
                .ok_or_else(|| wrong_space(to, addresses[lane], lane))?;
            let pieces = rows.iter().enumerate().map(|(index, row)| {
                let bytes = row[lane].to_le_bytes();
                PieceData {
                    distance: index * size,
                    bytes: bytes.get(..size).unwrap_or(&[]).to_vec(),
                    source: None,
                }
            });
            let completion = self.completion(reach, lane, objects.as_ref(), backing)?;
            let n_counted = (rows.len() * size) as u32;
            self.operations
                .add(lane, landing, completion, n_counted, pieces);
        }
        Ok(())
    }

    /// Issues the copies of all lanes. The function checks the addresses at issue, but the copies read the source bytes
    /// later.
    fn copy(
        &mut self,
        reach: &mut MemoryContext<'_>,
        l: &LaneRegisters<'_>,
        source: &CopySource,
    ) -> ExecResult {
        let Some(to) = &self.plan.to else {
            return Err(ExecutionFault::internal(
                "no destination for a copy",
                l.mask,
            ));
        };
        let objects = self.objects(reach, l)?;
        let sizes = read64(l, source.size);
        let read = source.read.map(|element| read64(l, element));
        let blocks = source.blocks.map(|element| read64(l, element));
        let byte_masks = source.byte_mask.map(|element| read64(l, element));
        let left_out = source
            .ignore_bytes
            .map(|ends| ends.map(|end| read64(l, end)));
        let ignored = source.ignore_source.map_or(0, |p| {
            let lanes = l.predicate(p.slot);
            if p.negated { !lanes } else { lanes }
        });
        let (to_rows, from_rows) = (addresses(l, to), addresses(l, &source.from));
        for lane in lanes_of(l.mask) {
            let size = sizes[lane] & 0xffff_ffff;
            check_size(to, size, lane)?;
            if size == 0 {
                continue;
            }
            let n_read = match &read {
                _ if ignored >> lane & 1 != 0 => 0,
                Some(row) => (row[lane] & 0xffff_ffff).min(size),
                None => size,
            };
            let (address, n_read) = match source.address_counts {
                true => {
                    let left_out = from_rows[lane] & (size - 1);
                    (from_rows[lane] - left_out, n_read.saturating_sub(left_out))
                }
                false => (from_rows[lane], n_read),
            };
            let ends = match &left_out {
                Some(rows) => left_out_of(rows, lane)?,
                None => [0, 0],
            };
            let brought = brought(reach, &source.from, address, n_read, size, ends, lane)?;
            let copy = LaneCopy {
                to,
                objects: objects.as_ref(),
                address: to_rows[lane],
                size,
                lane,
                brought: &brought,
            };
            match &blocks {
                Some(blocks) => self.copy_to_ranks(reach, &copy, blocks[lane])?,
                None => {
                    let mask = byte_masks.map_or(u64::MAX, |row| row[lane]);
                    self.copy_to_members(reach, &copy, mask)?;
                }
            }
        }
        Ok(())
    }

    /// Issues a copy to a single address, or one copy to the memory of each device of a multicast address.
    fn copy_to_members(
        &mut self,
        reach: &MemoryContext<'_>,
        copy: &LaneCopy<'_>,
        mask: u64,
    ) -> ExecResult {
        let LaneCopy { to, lane, size, .. } = *copy;
        for address in members_of(reach.multicasts, copy.address, size) {
            let (backing, at) = find(reach, to, address, size, lane, AccessMode::Write)?;
            let landing = landing(reach, backing, at, address)
                .ok_or_else(|| wrong_space(to, address, lane))?;
            let completion = self.completion(reach, lane, copy.objects, backing)?;
            let pieces = copy.brought.iter().cloned();
            let pieces = pieces.flat_map(|piece| masked(piece, mask));
            self.operations
                .add(lane, landing, completion, size as u32, pieces);
        }
        Ok(())
    }

    /// Issues copies to the same shared memory offset in several blocks of the cluster, which are given by their ranks.
    fn copy_to_ranks(
        &mut self,
        reach: &MemoryContext<'_>,
        copy: &LaneCopy<'_>,
        ranks: u64,
    ) -> ExecResult {
        let LaneCopy {
            to,
            lane,
            address,
            size,
            ..
        } = *copy;
        let (backing, at) = find(reach, to, address, size, lane, AccessMode::Write)?;
        let landing =
            landing(reach, backing, at, address).ok_or_else(|| wrong_space(to, address, lane))?;
        for rank in (0..16).filter(|rank| ranks >> rank & 1 != 0) {
            if rank >= reach.peers.n_ranks() {
                return Err(fault(to, FaultKind::OutOfBounds, address, lane));
            }
            let own = reach.peers.own_rank();
            let block = reach.shape.peer(reach.block, own, rank);
            let completion = self.completion_in(lane, copy.objects, block)?;
            let place = (StateSpace::Shared, block, landing.2);
            let pieces = copy.brought.iter().map(PieceData::clone);
            self.operations
                .add(lane, place, completion, size as u32, pieces);
        }
        Ok(())
    }

    /// `cp.async.mbarrier.arrive`: issues arrivals that trigger after all earlier copies of the lanes have completed.
    fn arrival(
        &mut self,
        reach: &mut MemoryContext<'_>,
        l: &mut LaneRegisters<'_>,
        count: ArrivalCount,
        earlier: &[EarlierOperation],
    ) -> ExecResult {
        let Some((target, access)) = self.objects(reach, l)? else {
            return Err(ExecutionFault::internal(
                "no mbarrier for an arrival",
                l.mask,
            ));
        };
        let addresses = addresses(l, access);
        let mut objects = MbarrierWriteBuffer::new();
        let mut changes = Vec::new();
        for lane in lanes_of(l.mask) {
            let place = own_object_place(&target, lane)
                .map_err(|kind| fault(access, kind, addresses[lane], lane))?;
            let word = objects.word(reach, place);
            let misuse = |problem| {
                let fault = MbarrierFault {
                    block: reach.block,
                    address: place.1 as u64,
                    problem,
                    held: MbarrierState::read(word),
                };
                ExecutionFault::new(FaultKind::Mbarrier(fault), 1 << lane)
            };
            let state = MbarrierState::read(word);
            let no_object = crate::contract::mbarrier::MbarrierMisuse::NotAnMbarrier;
            let mut state = state.ok_or(no_object).map_err(misuse)?;
            if count == ArrivalCount::Added {
                state.add_pending(1).map_err(misuse)?;
                objects.set(place, state.word());
                changes.push((lane, place, state.word()));
            }
            let before = earlier
                .iter()
                .filter(|(_, lanes, _)| lanes >> lane & 1 != 0);
            let after: Vec<AsyncOperationId> = before.clone().map(|(id, ..)| *id).collect();
            let lands_after = before.map(|(_, _, at)| *at).max().unwrap_or(0);
            let completion = CompletionMechanism::Arrival {
                block: reach.block,
                address: place.1 as u64,
                count: 1,
            };
            self.operations.add_arrival(completion, after, lands_after);
        }
        for (lane, place, word) in changes {
            reach.write(place.0, place.1, lane, &word.to_le_bytes());
        }
        Ok(())
    }

    /// Resolves the addresses of the completion mbarriers. Returns `None` if the instruction has no mbarrier operand.
    fn objects(
        &self,
        reach: &MemoryContext<'_>,
        l: &LaneRegisters<'_>,
    ) -> Result<Option<(ResolvedAccess, &'p AccessPlan)>, Box<ExecutionFault>> {
        let Some(access) = &self.plan.mbarrier else {
            return Ok(None);
        };
        let mut target = ResolvedAccess::UNKNOWN;
        reach.find(AccessKind::Atomic, l, access, &mut target)?;
        Ok(Some((target, access)))
    }

    /// Returns the completion mechanism of a lane's operation. The mbarrier must be in the same memory as the
    /// destination (PTX ISA, "st.async", "cp.async.bulk").
    fn completion(
        &self,
        reach: &MemoryContext<'_>,
        lane: usize,
        objects: Option<&(ResolvedAccess, &AccessPlan)>,
        backing: Backing,
    ) -> Result<CompletionMechanism, Box<ExecutionFault>> {
        if let Some((target, _)) = objects {
            let place = object_place(target, lane);
            let (at, _) = place.map_err(|kind| ExecutionFault::new(kind, 1 << lane))?;
            if at != backing {
                return Err(ExecutionFault::new(
                    FaultKind::MbarrierInOtherBlock,
                    1 << lane,
                ));
            }
        }
        self.completion_in(lane, objects, block_of(reach, backing))
    }

    fn completion_in(
        &self,
        lane: usize,
        objects: Option<&(ResolvedAccess, &AccessPlan)>,
        block: u64,
    ) -> Result<CompletionMechanism, Box<ExecutionFault>> {
        if let Some((target, _)) = objects {
            let place = object_place(target, lane);
            let (_, at) = place.map_err(|kind| ExecutionFault::new(kind, 1 << lane))?;
            return Ok(CompletionMechanism::Mbarrier {
                block,
                address: at as u64,
                bytes: 0,
            });
        }
        Ok(match self.plan.group {
            Some(kind) => CompletionMechanism::AsyncGroup {
                kind,
                number: self.groups[lane & 31],
            },
            None => CompletionMechanism::None,
        })
    }
}

/// Splits data into the contiguous ranges that a byte mask selects. The mask applies to each group of 16 bytes.
fn masked(brought: PieceData, mask: u64) -> Vec<PieceData> {
    if mask & 0xffff == 0xffff {
        return vec![brought];
    }
    let is_written = |at: usize| mask >> ((brought.distance + at) % MASKED_BYTES) & 1 != 0;
    let mut runs: Vec<PieceData> = Vec::new();
    let bytes = brought.bytes.iter().enumerate();
    for (at, byte) in bytes.filter(|(at, _)| is_written(*at)) {
        match runs.last_mut() {
            Some(run) if run.distance + run.bytes.len() == brought.distance + at => {
                run.bytes.push(*byte);
            }
            _ => runs.push(PieceData {
                distance: brought.distance + at,
                bytes: vec![*byte],
                source: brought.source.map(|source| AsyncSource {
                    address: source.address + at as u64,
                    ..source
                }),
            }),
        }
    }
    runs
}

/// Returns the number of ignored bytes at the start and at the end of a copy. Each number must be less than 16 (PTX
/// ISA, "cp.async.bulk").
fn left_out_of(rows: &[Row64; 2], lane: usize) -> Result<[u64; 2], Box<ExecutionFault>> {
    let ends = [0, 1].map(|end: usize| rows[end][lane] & 0xffff_ffff);
    match ends.into_iter().find(|n| *n >= MASKED_BYTES as u64) {
        None => Ok(ends),
        Some(bytes) => Err(ExecutionFault::new(
            FaultKind::InvalidIgnoreBytes { bytes },
            1 << lane,
        )),
    }
}

/// Returns the destination of an asynchronous operation, or `None` if the destination is in local memory.
fn landing(
    reach: &MemoryContext<'_>,
    backing: Backing,
    at: usize,
    address: u64,
) -> Option<CompletionTarget> {
    match backing {
        Backing::Arena => Some((StateSpace::Global, 0, address)),
        Backing::Shared | Backing::Peer(_) => {
            Some((StateSpace::Shared, block_of(reach, backing), at as u64))
        }
        Backing::Stack => None,
    }
}

/// Resolves the address range that a lane reads or writes. The access width in the plan is the required alignment.
pub(crate) fn find(
    reach: &MemoryContext<'_>,
    plan: &AccessPlan,
    address: u64,
    n_bytes: u64,
    lane: usize,
    purpose: AccessMode,
) -> Result<(Backing, usize), Box<ExecutionFault>> {
    let memories = reach.memories();
    let alignment = u64::from(plan.width_bytes);
    let found = memories.examine_range(plan.space, address, alignment, n_bytes, purpose);
    match found {
        Ok((backing, at)) => Ok((backing, at as usize)),
        Err(kind) => {
            let access = match purpose {
                AccessMode::Read => AccessKind::Load,
                AccessMode::Write => AccessKind::Store,
            };
            let width = match kind {
                FaultKind::Misaligned => plan.width_bytes,
                _ => n_bytes as u32,
            };
            Err(Box::new(ExecutionFault {
                kind,
                lanes: 1 << lane,
                access: Some(AttemptedAccess {
                    kind: access,
                    space: plan.space,
                    address,
                    width_bytes: width,
                }),
            }))
        }
    }
}

/// Returns the data of a copy: `n_read` bytes of the source without the ignored bytes at both ends, padded with zeros
/// to `size` bytes.
fn brought(
    reach: &MemoryContext<'_>,
    plan: &AccessPlan,
    address: u64,
    n_read: u64,
    size: u64,
    [left, right]: [u64; 2],
    lane: usize,
) -> Result<Vec<PieceData>, Box<ExecutionFault>> {
    let mut pieces = Vec::new();
    let n_copied = n_read.saturating_sub(left + right);
    if n_copied > 0 {
        if !address.is_multiple_of(u64::from(plan.width_bytes)) {
            let access = AttemptedAccess {
                kind: AccessKind::Load,
                space: plan.space,
                address,
                width_bytes: plan.width_bytes,
            };
            return Err(ExecutionFault::of_access(
                access,
                FaultKind::Misaligned,
                lane,
            ));
        }
        // Resolve the source without an alignment check, because the first byte after the ignored bytes may be
        // misaligned.
        let bytewise = AccessPlan {
            width_bytes: 1,
            ..plan.clone()
        };
        let address = address + left;
        let (backing, at) = find(reach, &bytewise, address, n_copied, lane, AccessMode::Read)?;
        let bytes = reach.bytes_of(backing).get(at..at + n_copied as usize);
        let source = landing(reach, backing, at, address);
        pieces.push(PieceData {
            distance: left as usize,
            bytes: bytes.unwrap_or(&[]).to_vec(),
            source: source.map(|(space, block, address)| AsyncSource {
                space,
                block,
                address,
                form: SourceConversion::Bytes,
            }),
        });
    }
    if n_read < size {
        pieces.push(PieceData {
            distance: n_read as usize,
            bytes: vec![0; (size - n_read) as usize],
            source: None,
        });
    }
    Ok(pieces)
}

fn fault(plan: &AccessPlan, kind: FaultKind, address: u64, lane: usize) -> Box<ExecutionFault> {
    let access = AttemptedAccess {
        kind: AccessKind::Store,
        space: plan.space,
        address,
        width_bytes: plan.width_bytes,
    };
    ExecutionFault::of_access(access, kind, lane)
}

fn wrong_space(plan: &AccessPlan, address: u64, lane: usize) -> Box<ExecutionFault> {
    fault(plan, FaultKind::WrongSpace, address, lane)
}
