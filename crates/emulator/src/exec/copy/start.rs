//! Issue of asynchronous operations (PTX ISA, "Asynchronous Operations"). Registers are read at issue, and memory when
//! the scheduler executes the operation.

use crate::code::{AccessPlan, ArrivalCount, AsyncPlan, Source, Transfer};
use crate::contract::event::{PendingId, WarpId};
use crate::contract::fault::{AccessKind, FaultKind, MbarrierFault};
use crate::contract::mbarrier::MbarrierState;
use crate::contract::pending::{GroupKind, PendingCompletion, PendingSource, SourceForm};
use crate::exec::context::reaching;
use crate::exec::context::{Choice, Surroundings};
use crate::exec::copy::started::{Brought, Landing, Operations};
use crate::exec::elements::{read64, read128};
use crate::exec::mbarrier::{Objects, block_of, object_place, own_object_place};
use crate::exec::memory::load::addresses;
use crate::exec::memory::resolve::{Backing, Purpose, Target};
use crate::exec::reach::{Executed, Halt, Reach};
use crate::semantics::registers::{Lanes, Row64, lanes_of};
use crate::state::memory::TriedAccess;
use crate::state::multicast::members_of;
use crate::state::warp::Warp;
use warpgrid_isa::StateSpace;

/// Number of bytes that the byte mask of a bulk copy covers.
const MASKED_BYTES: usize = 16;

/// Earlier operation: ID, lanes, and step of its completion.
type Earlier = (PendingId, u32, u64);

/// Executes an instruction that issues asynchronous operations.
#[inline(never)]
pub(crate) fn start(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    plan: &AsyncPlan,
    choice: &Choice<'_>,
    step: u64,
) -> Executed {
    let origin = around.origin(warp.index, choice.pc, step);
    let own = WarpId {
        block: around.block,
        warp: warp.index,
    };
    let copies = around.starter.in_flight.grouped(own, GroupKind::Copies);
    let earlier: Vec<Earlier> = copies
        .map(|(pending, lanes, _)| (pending.id, lanes, pending.lands_at))
        .collect();
    let mut groups = [0; 32];
    if let (Some(kind), Some(made)) = (plan.group, &warp.groups) {
        groups = std::array::from_fn(|lane| made.made(kind, lane));
    }
    let mut starting = Starting {
        plan,
        groups,
        operations: Operations::new(origin, plan.reduces),
    };
    let run = |reach: &mut Reach<'_>, lanes: &mut Lanes<'_>| match &plan.transfer {
        Transfer::Registers => starting.registers(reach, lanes),
        Transfer::Copy(source) => starting.copy(reach, lanes, source),
        Transfer::Arrival(count) => starting.arrival(reach, lanes, *count, &earlier),
    };
    reaching(around, warp, choice, step, run)?;
    let operations = starting.operations;
    for operation in operations.list {
        around.starter.start(operation);
    }
    Ok(())
}

/// Checks whether the size of a copy is a multiple of the width of its destination.
fn check_size(to: &AccessPlan, size: u64, lane: usize) -> Executed {
    let unit = to.width_bytes;
    if size.is_multiple_of(u64::from(unit)) {
        return Ok(());
    }
    let kind = FaultKind::BadCopySize {
        bytes: size,
        multiple: unit,
    };
    Err(Halt::new(kind, 1 << lane))
}

/// Copy of one lane.
struct LaneCopy<'b> {
    to: &'b AccessPlan,
    /// Completion mbarriers of the lanes, and the access with their addresses.
    objects: Option<&'b (Target, &'b AccessPlan)>,
    lane: usize,
    address: u64,
    size: u64,
    brought: &'b [Brought],
}

struct Starting<'p> {
    plan: &'p AsyncPlan,
    /// Number of groups that each lane has committed before.
    groups: [u32; 32],
    operations: Operations,
}

impl<'p> Starting<'p> {
    /// `st.async`, `red.async`: issues stores or reductions of the elements of each lane.
    fn registers(&mut self, reach: &mut Reach<'_>, l: &Lanes<'_>) -> Executed {
        let Some(to) = &self.plan.to else {
            return Err(Halt::internal(
                "no destination for an asynchronous store",
                l.mask,
            ));
        };
        let mut target = Target::UNKNOWN;
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
                Brought {
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

    /// Issues copies. Addresses are checked at issue, and the bytes are read later.
    fn copy(&mut self, reach: &mut Reach<'_>, l: &Lanes<'_>, source: &Source) -> Executed {
        let Some(to) = &self.plan.to else {
            return Err(Halt::internal("no destination for a copy", l.mask));
        };
        let objects = self.objects(reach, l)?;
        let sizes = read64(l, source.size);
        let read = source.read.map(|element| read64(l, element));
        let blocks = source.blocks.map(|element| read64(l, element));
        let byte_masks = source.byte_mask.map(|element| read64(l, element));
        let left_out = source.left_out.map(|ends| ends.map(|end| read64(l, end)));
        let ignored = source.ignores.map_or(0, |p| {
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

    /// Copies to the memory of each device of a multicast address, or to a single address.
    fn copy_to_members(&mut self, reach: &Reach<'_>, copy: &LaneCopy<'_>, mask: u64) -> Executed {
        let LaneCopy { to, lane, size, .. } = *copy;
        for address in members_of(reach.multicasts, copy.address, size) {
            let (backing, at) = find(reach, to, address, size, lane, Purpose::Write)?;
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

    /// Copies to the same offset in the blocks with these ranks.
    fn copy_to_ranks(&mut self, reach: &Reach<'_>, copy: &LaneCopy<'_>, ranks: u64) -> Executed {
        let LaneCopy {
            to,
            lane,
            address,
            size,
            ..
        } = *copy;
        let (backing, at) = find(reach, to, address, size, lane, Purpose::Write)?;
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
            let pieces = copy.brought.iter().map(Brought::clone);
            self.operations
                .add(lane, place, completion, size as u32, pieces);
        }
        Ok(())
    }

    /// `cp.async.mbarrier.arrive`: issues arrivals after all earlier copies of the lanes.
    fn arrival(
        &mut self,
        reach: &mut Reach<'_>,
        l: &mut Lanes<'_>,
        count: ArrivalCount,
        earlier: &[Earlier],
    ) -> Executed {
        let Some((target, access)) = self.objects(reach, l)? else {
            return Err(Halt::internal("no mbarrier for an arrival", l.mask));
        };
        let addresses = addresses(l, access);
        let mut objects = Objects::new();
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
                Halt::new(FaultKind::Mbarrier(fault), 1 << lane)
            };
            let state = MbarrierState::read(word);
            let no_object = crate::contract::mbarrier::MbarrierMisuse::NoObject;
            let mut state = state.ok_or(no_object).map_err(misuse)?;
            if count == ArrivalCount::Added {
                state.add_pending(1).map_err(misuse)?;
                objects.set(place, state.word());
                changes.push((lane, place, state.word()));
            }
            let before = earlier
                .iter()
                .filter(|(_, lanes, _)| lanes >> lane & 1 != 0);
            let after: Vec<PendingId> = before.clone().map(|(id, ..)| *id).collect();
            let lands_after = before.map(|(_, _, at)| *at).max().unwrap_or(0);
            let completion = PendingCompletion::Arrival {
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

    /// Resolves the completion mbarriers of the lanes. Returns `None` if the instruction has no mbarrier.
    fn objects(
        &self,
        reach: &Reach<'_>,
        l: &Lanes<'_>,
    ) -> Result<Option<(Target, &'p AccessPlan)>, Box<Halt>> {
        let Some(access) = &self.plan.mbarrier else {
            return Ok(None);
        };
        let mut target = Target::UNKNOWN;
        reach.find(AccessKind::Atomic, l, access, &mut target)?;
        Ok(Some((target, access)))
    }

    /// Returns the completion mechanism of a lane. The mbarrier must be in the same memory as the destination (PTX ISA,
    /// "st.async", "cp.async.bulk").
    fn completion(
        &self,
        reach: &Reach<'_>,
        lane: usize,
        objects: Option<&(Target, &AccessPlan)>,
        backing: Backing,
    ) -> Result<PendingCompletion, Box<Halt>> {
        if let Some((target, _)) = objects {
            let place = object_place(target, lane);
            let (at, _) = place.map_err(|kind| Halt::new(kind, 1 << lane))?;
            if at != backing {
                return Err(Halt::new(FaultKind::DistantMbarrier, 1 << lane));
            }
        }
        self.completion_in(lane, objects, block_of(reach, backing))
    }

    fn completion_in(
        &self,
        lane: usize,
        objects: Option<&(Target, &AccessPlan)>,
        block: u64,
    ) -> Result<PendingCompletion, Box<Halt>> {
        if let Some((target, _)) = objects {
            let place = object_place(target, lane);
            let (_, at) = place.map_err(|kind| Halt::new(kind, 1 << lane))?;
            return Ok(PendingCompletion::Mbarrier {
                block,
                address: at as u64,
                bytes: 0,
            });
        }
        Ok(match self.plan.group {
            Some(kind) => PendingCompletion::AsyncGroup {
                kind,
                number: self.groups[lane & 31],
            },
            None => PendingCompletion::None,
        })
    }
}

/// Returns the contiguous ranges that a byte mask selects. The mask applies to each group of 16 bytes.
fn masked(brought: Brought, mask: u64) -> Vec<Brought> {
    if mask & 0xffff == 0xffff {
        return vec![brought];
    }
    let is_written = |at: usize| mask >> ((brought.distance + at) % MASKED_BYTES) & 1 != 0;
    let mut runs: Vec<Brought> = Vec::new();
    let bytes = brought.bytes.iter().enumerate();
    for (at, byte) in bytes.filter(|(at, _)| is_written(*at)) {
        match runs.last_mut() {
            Some(run) if run.distance + run.bytes.len() == brought.distance + at => {
                run.bytes.push(*byte);
            }
            _ => runs.push(Brought {
                distance: brought.distance + at,
                bytes: vec![*byte],
                source: brought.source.map(|source| PendingSource {
                    address: source.address + at as u64,
                    ..source
                }),
            }),
        }
    }
    runs
}

/// Returns the number of ignored bytes at both ends, which must be below the alignment of 16 (PTX ISA,
/// "cp.async.bulk").
fn left_out_of(rows: &[Row64; 2], lane: usize) -> Result<[u64; 2], Box<Halt>> {
    let ends = [0, 1].map(|end: usize| rows[end][lane] & 0xffff_ffff);
    match ends.into_iter().find(|n| *n >= MASKED_BYTES as u64) {
        None => Ok(ends),
        Some(bytes) => Err(Halt::new(FaultKind::LeftOutBytes { bytes }, 1 << lane)),
    }
}

/// Returns the destination of an asynchronous operation, or `None` for the stacks.
fn landing(reach: &Reach<'_>, backing: Backing, at: usize, address: u64) -> Option<Landing> {
    match backing {
        Backing::Arena => Some((StateSpace::Global, 0, address)),
        Backing::Shared | Backing::Peer(_) => {
            Some((StateSpace::Shared, block_of(reach, backing), at as u64))
        }
        Backing::Stack => None,
    }
}

/// Resolves the range that a lane reads or writes. The width of the plan is the required alignment.
pub(crate) fn find(
    reach: &Reach<'_>,
    plan: &AccessPlan,
    address: u64,
    n_bytes: u64,
    lane: usize,
    purpose: Purpose,
) -> Result<(Backing, usize), Box<Halt>> {
    let memories = reach.memories();
    let alignment = u64::from(plan.width_bytes);
    let found = memories.examine_range(plan.space, address, alignment, n_bytes, purpose);
    match found {
        Ok((backing, at)) => Ok((backing, at as usize)),
        Err(kind) => {
            let access = match purpose {
                Purpose::Read => AccessKind::Load,
                Purpose::Write => AccessKind::Store,
            };
            let width = match kind {
                FaultKind::Misaligned => plan.width_bytes,
                _ => n_bytes as u32,
            };
            Err(Box::new(Halt {
                kind,
                lanes: 1 << lane,
                access: Some(TriedAccess {
                    kind: access,
                    space: plan.space,
                    address,
                    width_bytes: width,
                }),
            }))
        }
    }
}

/// Returns the data of a copy: `n_read` bytes of its source except for the ignored ends, padded with zeros to `size`.
fn brought(
    reach: &Reach<'_>,
    plan: &AccessPlan,
    address: u64,
    n_read: u64,
    size: u64,
    [left, right]: [u64; 2],
    lane: usize,
) -> Result<Vec<Brought>, Box<Halt>> {
    let mut found = Vec::new();
    let n_copied = n_read.saturating_sub(left + right);
    if n_copied > 0 {
        if !address.is_multiple_of(u64::from(plan.width_bytes)) {
            let access = TriedAccess {
                kind: AccessKind::Load,
                space: plan.space,
                address,
                width_bytes: plan.width_bytes,
            };
            return Err(Halt::of_access(access, FaultKind::Misaligned, lane));
        }
        // The address is aligned, but the first byte after the ignored bytes may not be.
        let bytewise = AccessPlan {
            width_bytes: 1,
            ..plan.clone()
        };
        let address = address + left;
        let (backing, at) = find(reach, &bytewise, address, n_copied, lane, Purpose::Read)?;
        let bytes = reach.bytes_of(backing).get(at..at + n_copied as usize);
        let source = landing(reach, backing, at, address);
        found.push(Brought {
            distance: left as usize,
            bytes: bytes.unwrap_or(&[]).to_vec(),
            source: source.map(|(space, block, address)| PendingSource {
                space,
                block,
                address,
                form: SourceForm::Bytes,
            }),
        });
    }
    if n_read < size {
        found.push(Brought {
            distance: n_read as usize,
            bytes: vec![0; (size - n_read) as usize],
            source: None,
        });
    }
    Ok(found)
}

fn fault(plan: &AccessPlan, kind: FaultKind, address: u64, lane: usize) -> Box<Halt> {
    let access = TriedAccess {
        kind: AccessKind::Store,
        space: plan.space,
        address,
        width_bytes: plan.width_bytes,
    };
    Halt::of_access(access, kind, lane)
}

fn wrong_space(plan: &AccessPlan, address: u64, lane: usize) -> Box<Halt> {
    fault(plan, FaultKind::WrongSpace, address, lane)
}
