//! Operations on mbarrier objects in shared memory (PTX ISA, "mbarrier"). Lanes execute sequentially, and each lane
//! observes the effects of the preceding lanes. The operation writes memory only after it has validated the operations
//! of all lanes.

use crate::code::{MbarrierAction, MbarrierPlan, PhaseSelector};
use crate::contract::fault::{AccessKind, FaultKind, MbarrierFault};
use crate::contract::mbarrier::{MbarrierMisuse, MbarrierState};
use crate::contract::observer::{AccessAction, ElementAccessHeader};
use crate::contract::sync_event::{MbarrierAccess, MbarrierOperation, SyncKind};
use crate::exec::memory::address_translation::{Backing, ResolvedAccess};
use crate::exec::memory::load::addresses;
use crate::exec::memory_context::{ExecutionFault, MemoryContext};
use crate::exec::operand_rows::{read64, write64};
use crate::semantics::registers::{LANES, LaneRegisters, lanes_of};
use crate::state::memory::AttemptedAccess;
use warpgrid_isa::ScalarType;

/// Size in bytes of an mbarrier object.
pub(crate) const OBJECT_BYTES: usize = 8;

/// Location in the shared memory of a block in the cluster.
pub(crate) type SharedLocation = (Backing, usize);

/// Buffer for the modifications of mbarrier objects by the lanes that have executed so far, which are written to memory
/// at the end of the instruction.
pub(crate) struct MbarrierWriteBuffer {
    changed: [(SharedLocation, u64); LANES],
    n: usize,
}

impl MbarrierWriteBuffer {
    pub(crate) fn new() -> MbarrierWriteBuffer {
        MbarrierWriteBuffer {
            changed: [((Backing::Shared, 0), 0); LANES],
            n: 0,
        }
    }

    /// Returns the 64-bit value at a location. Pending modifications take precedence over the contents of memory.
    pub(crate) fn word(&self, reach: &MemoryContext<'_>, place: SharedLocation) -> u64 {
        let changed = self.changed.iter().take(self.n).rev();
        let found = changed.clone().find(|(at, _)| *at == place);
        found.map_or_else(
            || {
                let bytes = reach.read_lane(place.0, place.1, OBJECT_BYTES);
                bytes.first_chunk().map_or(0, |b| u64::from_le_bytes(*b))
            },
            |(_, word)| *word,
        )
    }

    pub(crate) fn set(&mut self, place: SharedLocation, word: u64) {
        if let Some(changed) = self.changed.get_mut(self.n) {
            *changed = (place, word);
            self.n += 1;
        }
    }
}

/// Returns the location of a lane's mbarrier object. The object must be in the shared memory of a block in the cluster.
pub(crate) fn object_place(
    target: &ResolvedAccess,
    lane: usize,
) -> Result<SharedLocation, FaultKind> {
    let place = target.of_lane(lane, OBJECT_BYTES);
    match place.0 {
        Backing::Shared | Backing::Peer(_) => Ok(place),
        Backing::Arena | Backing::Stack => Err(FaultKind::WrongSpace),
    }
}

/// Returns the location of a lane's mbarrier object. The object must be in the shared memory of the executing block.
pub(crate) fn own_object_place(
    target: &ResolvedAccess,
    lane: usize,
) -> Result<SharedLocation, FaultKind> {
    match object_place(target, lane)? {
        place @ (Backing::Shared, _) => Ok(place),
        _ => Err(FaultKind::WrongSpace),
    }
}

/// Returns the linear index of the block that owns a shared memory.
pub(crate) fn block_of(reach: &MemoryContext<'_>, backing: Backing) -> u64 {
    match backing {
        Backing::Peer(rank) => {
            let own = reach.peers.own_rank();
            reach.shape.peer(reach.block, own, rank.into())
        }
        Backing::Shared | Backing::Arena | Backing::Stack => reach.block,
    }
}

/// Effects of an mbarrier instruction apart from the modified objects, which the caller handles.
pub(crate) struct Performed {
    /// Whether the operation completed a phase.
    pub(crate) ends_phase: bool,
    /// Shared memory offset of a live object that the operation initialized again.
    pub(crate) reinitialized: Option<u64>,
}

/// Returns the access kind of an operation on mbarrier objects, and the function that resolves the locations of the
/// objects.
fn access_of(action: MbarrierAction) -> (AccessKind, AccessAction, FindPlace) {
    let (load, atomic) = (AccessKind::Load, AccessKind::Atomic);
    match action {
        MbarrierAction::Test { .. } | MbarrierAction::CheckLayout => {
            (load, AccessAction::Load, own_object_place)
        }
        MbarrierAction::Init | MbarrierAction::Inval => {
            (atomic, AccessAction::Atomic, own_object_place)
        }
        MbarrierAction::Arrive { .. }
        | MbarrierAction::ExpectAndArrive { .. }
        | MbarrierAction::Expect
        | MbarrierAction::Complete => (atomic, AccessAction::Atomic, object_place),
    }
}

type FindPlace = fn(&ResolvedAccess, usize) -> Result<SharedLocation, FaultKind>;

/// Executes an operation on mbarrier objects.
#[inline(never)]
pub(crate) fn mbarrier(
    reach: &mut MemoryContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &MbarrierPlan,
) -> Result<Performed, Box<ExecutionFault>> {
    let (kind, action, find_place) = access_of(plan.action);
    let mut target = ResolvedAccess::UNKNOWN;
    reach.find(kind, l, &plan.access, &mut target)?;
    let addresses = addresses(l, &plan.access);
    let values = read64(l, plan.value);
    let has_value = plan.value.slot.is_some();
    let mut objects = MbarrierWriteBuffer::new();
    let mut results = [0; LANES];
    let mut performed = Performed {
        ends_phase: false,
        reinitialized: None,
    };
    let mut touched = Vec::new();
    for lane in lanes_of(l.mask) {
        let place = find_place(&target, lane).map_err(|fault| {
            let access = AttemptedAccess {
                kind,
                space: plan.access.space,
                address: addresses[lane],
                width_bytes: plan.access.width_bytes,
            };
            ExecutionFault::of_access(access, fault, lane)
        })?;
        let word = objects.word(reach, place);
        if plan.action == MbarrierAction::Init && is_live(reach, place, word) {
            performed.reinitialized = Some(place.1 as u64);
        }
        let value = if has_value { values[lane] } else { 1 };
        let misuse = |problem| misused(reach, place, word, problem, lane);
        let done = perform(plan.action, word, value).map_err(misuse)?;
        results[lane] = done.result;
        performed.ends_phase |= done.ends_phase;
        if reach.interest.syncs {
            touched.push(MbarrierAccess {
                lane: lane as u8,
                value: value as u32,
                ..touch_of(reach, place, word, &done)
            });
        }
        if let Some(word) = done.word {
            objects.set(place, word);
        }
    }
    report(reach, l, plan, &target, &objects, action);
    write_objects(reach, l.mask, plan.action, &objects);
    write64(l, plan.result, &results);
    if reach.interest.syncs {
        let sync_kind = SyncKind::Mbarrier {
            act: act_of(plan.action),
            touched: &touched,
        };
        reach.report_sync(l.mask, sync_kind);
    }
    Ok(performed)
}

/// Returns the data of the synchronization event for an mbarrier operation.
fn touch_of(
    reach: &MemoryContext<'_>,
    place: SharedLocation,
    word: u64,
    done: &MbarrierOutcome,
) -> MbarrierAccess {
    MbarrierAccess {
        lane: 0,
        block: block_of(reach, place.0),
        address: place.1 as u64,
        value: 0,
        before: MbarrierState::read(word),
        after: MbarrierState::read(done.word.unwrap_or(word)),
        passed: done.result == 1,
    }
}

/// Returns the fault for an operation that the state of its mbarrier object does not permit.
fn misused(
    reach: &MemoryContext<'_>,
    place: SharedLocation,
    word: u64,
    problem: MbarrierMisuse,
    lane: usize,
) -> Box<ExecutionFault> {
    let fault = MbarrierFault {
        block: block_of(reach, place.0),
        address: place.1 as u64,
        problem,
        held: MbarrierState::read(word),
    };
    ExecutionFault::new(FaultKind::Mbarrier(fault), 1 << lane)
}

/// Writes the modified objects to memory.
fn write_objects(
    reach: &mut MemoryContext<'_>,
    mask: u32,
    action: MbarrierAction,
    objects: &MbarrierWriteBuffer,
) {
    let lanes: Vec<usize> = lanes_of(mask).collect();
    for (lane, (place, word)) in lanes.iter().zip(objects.changed.iter().take(objects.n)) {
        reach.write(place.0, place.1, *lane, &word.to_le_bytes());
        // Update the set of live objects of the executing block, which only initialization and invalidation change.
        match action {
            MbarrierAction::Init => reach.shared.add_object(place.1 as u64),
            MbarrierAction::Inval => reach.shared.remove_object(place.1 as u64),
            MbarrierAction::Arrive { .. }
            | MbarrierAction::ExpectAndArrive { .. }
            | MbarrierAction::Expect
            | MbarrierAction::Complete
            | MbarrierAction::CheckLayout
            | MbarrierAction::Test { .. } => {}
        }
    }
}

/// Checks whether a location contains an object that was initialized and not invalidated. The check uses the recorded
/// history, because ordinary data may have the bit pattern of an object. An ordinary store that clears the mark in the
/// bits of an object also ends the lifetime of the object.
fn is_live(reach: &MemoryContext<'_>, place: SharedLocation, word: u64) -> bool {
    let objects = reach.shared.objects();
    objects.binary_search(&(place.1 as u64)).is_ok() && MbarrierState::read(word).is_some()
}

/// Returns the operation kind that synchronization events report for an action.
fn act_of(action: MbarrierAction) -> MbarrierOperation {
    match action {
        MbarrierAction::Init => MbarrierOperation::Init,
        MbarrierAction::Inval => MbarrierOperation::Invalidate,
        MbarrierAction::Arrive { .. } => MbarrierOperation::Arrive,
        MbarrierAction::ExpectAndArrive { .. } => MbarrierOperation::ArriveExpecting,
        MbarrierAction::Expect => MbarrierOperation::Expect,
        MbarrierAction::Complete => MbarrierOperation::Complete,
        MbarrierAction::Test { .. } => MbarrierOperation::Test,
        MbarrierAction::CheckLayout => MbarrierOperation::Query,
    }
}

/// Result of one lane's operation on an mbarrier object: the new bits of the object, and the value for the destination
/// register.
struct MbarrierOutcome {
    /// Bits of the object after the operation, or `None` if the operation does not modify the object.
    word: Option<u64>,
    /// Value of the destination register: the state of the object before the operation, or for a test, whether the
    /// tested phase is complete.
    result: u64,
    ends_phase: bool,
}

impl MbarrierOutcome {
    /// Creates the result of an operation that does not complete a phase.
    const fn new(word: Option<u64>, result: u64) -> MbarrierOutcome {
        MbarrierOutcome {
            word,
            result,
            ends_phase: false,
        }
    }
}

fn perform(
    action: MbarrierAction,
    word: u64,
    value: u64,
) -> Result<MbarrierOutcome, MbarrierMisuse> {
    let held = MbarrierState::read(word);
    if action == MbarrierAction::Init {
        let made = MbarrierState::new(value as u32)?;
        return Ok(MbarrierOutcome::new(Some(made.word()), 0));
    }
    let mut state = held.ok_or(MbarrierMisuse::NotAnMbarrier)?;
    let count = value as u32;
    let ends_phase = match action {
        MbarrierAction::Init => false,
        MbarrierAction::Inval => return Ok(MbarrierOutcome::new(Some(0), 0)),
        // The layout check always succeeds, because the emulator supports only one layout of mbarrier objects.
        MbarrierAction::CheckLayout => return Ok(MbarrierOutcome::new(None, 1)),
        MbarrierAction::Test { phase, .. } => {
            let is_complete = state.is_complete(parity_of(phase, value));
            return Ok(MbarrierOutcome::new(None, is_complete.into()));
        }
        MbarrierAction::Arrive { drops, no_complete } => {
            if drops {
                state.drop_expected(count)?;
            }
            match no_complete {
                true => state.arrive_before_last(count)?,
                false => state.arrive(count)?,
            }
        }
        MbarrierAction::ExpectAndArrive { drops } => {
            state.expect(count)?;
            if drops {
                state.drop_expected(1)?;
            }
            state.arrive(1)?
        }
        MbarrierAction::Expect => {
            state.expect(count)?;
            false
        }
        MbarrierAction::Complete => state.complete(count)?,
    };
    Ok(MbarrierOutcome {
        word: Some(state.word()),
        // An arrival returns the state of the object before the operation.
        result: word,
        ends_phase,
    })
}

/// Returns the parity of the phase for which an instruction waits.
pub(crate) fn parity_of(phase: PhaseSelector, value: u64) -> bool {
    match phase {
        PhaseSelector::Parity => value & 1 != 0,
        PhaseSelector::State => MbarrierState::read(value).is_some_and(|state| state.parity),
    }
}

fn report(
    reach: &mut MemoryContext<'_>,
    l: &LaneRegisters<'_>,
    plan: &MbarrierPlan,
    target: &ResolvedAccess,
    objects: &MbarrierWriteBuffer,
    action: AccessAction,
) {
    let interest = reach.interest;
    if !interest.covers(action) || interest.mbarriers_as_syncs || !plan.is_in_source {
        return;
    }
    reach.events.clear();
    let addresses = addresses(l, &plan.access);
    let mut changed = objects.changed.iter().take(objects.n);
    for lane in lanes_of(l.mask) {
        let (backing, at) = target.of_lane(lane, OBJECT_BYTES);
        let old = reach.read_lane(backing, at, OBJECT_BYTES);
        let old = old
            .first_chunk::<OBJECT_BYTES>()
            .copied()
            .unwrap_or([0; OBJECT_BYTES]);
        let new = match action.writes() {
            true => changed.next().map_or(old, |(_, word)| word.to_le_bytes()),
            false => old,
        };
        let (memory, address) = reach.place_of(target, &addresses, lane, OBJECT_BYTES);
        let piece = ElementAccessHeader {
            address_lane: lane as u8,
            data_lane: lane as u8,
            element: 0,
            written: action.writes(),
            ty: ScalarType::B64,
            operand: None,
            memory,
            address,
        };
        reach.events.add(piece, &new, &old);
    }
    reach.report(action, l.mask, &plan.access);
}
