//! Detection of memory updates by several instructions. An update consists of a load, arithmetic on the loaded value, and a store to the
//! same address. The module takes a program and the accesses of a run, and returns the updates, and the information whether another thread
//! stored between the load and the store of an update, so that its store was lost.

use crate::session::Session;
use std::collections::{HashMap, HashSet};
use warpgrid_emulator::{AccessAction, AccessEvent, Agent, EventMask, MemoryId, Observer};
use warpgrid_isa::{AccessKind, MoveOp, Operation};
use warpgrid_program::{
    Function, FunctionId, Instruction, OperandValue, Program, RegisterId, RegisterTuple, Source,
};

/// Maximum number of instructions on the data-dependence chain from a store back to its load.
const MAX_CHAIN: usize = 6;

/// Update of memory: a load, the instructions that compute a value from the loaded value, and the store of the computed value. The fields
/// identify these instructions by their indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    pub(crate) function: FunctionId,
    pub(crate) load: u32,
    /// Instructions on the data-dependence chain between the load and the store, in program order: arithmetic, moves and conversions.
    pub(crate) chain: Vec<u32>,
    pub(crate) store: u32,
}

/// Returns the possible updates of a program. The result contains one update for each store of one register and each load from which the
/// stored value derives.
pub(crate) fn updates_of(program: &Program) -> Vec<Update> {
    let mut all = Vec::new();
    for (id, function) in program.functions.iter().enumerate() {
        let id = FunctionId(id as u32);
        for (index, instruction) in function.instructions.iter().enumerate() {
            if access_kind(program, instruction) == Some(AccessKind::Store)
                && let Some(register) = stored_register(function, instruction)
            {
                let mut chain = Vec::new();
                let at = (index as u32, register);
                add_chains(
                    program,
                    (id, function),
                    index as u32,
                    at,
                    &mut chain,
                    &mut all,
                );
            }
        }
    }
    all
}

/// Follows the definitions of a register backwards from an instruction, and adds an update for each load that the chain reaches.
fn add_chains(
    program: &Program,
    (id, function): (FunctionId, &Function),
    store: u32,
    (before, register): (u32, RegisterId),
    chain: &mut Vec<u32>,
    all: &mut Vec<Update>,
) {
    if chain.len() > MAX_CHAIN {
        return;
    }
    let Some(index) = definition_before(function, register, before) else {
        return;
    };
    let Some(instruction) = function.instructions.get(index as usize) else {
        return;
    };
    if access_kind(program, instruction) == Some(AccessKind::Load) {
        if !chain.is_empty() {
            all.push(Update {
                function: id,
                load: index,
                chain: chain.iter().rev().copied().collect(),
                store,
            });
        }
        return;
    }
    let operation = program.opcode(instruction).map(|action| action.operation);
    let computes = |operation: Operation| {
        operation.arithmetic().is_some() || operation.moves().is_some_and(MoveOp::keeps_value)
    };
    if !operation.is_some_and(computes) {
        return;
    }
    chain.push(index);
    for source in function.sources(instruction) {
        add_chains(program, (id, function), store, (index, source), chain, all);
    }
    chain.pop();
}

/// Returns the last instruction before `before` in program order that defines a register.
fn definition_before(function: &Function, register: RegisterId, before: u32) -> Option<u32> {
    let earlier = function.instructions.get(..before as usize)?;
    let found = earlier
        .iter()
        .rposition(|instruction| function.destinations(instruction).contains(&register));
    found.map(|index| index as u32)
}

fn access_kind(program: &Program, instruction: &Instruction) -> Option<AccessKind> {
    program.opcode(instruction)?.operation.memory()?.access()
}

/// Returns the source register of a store that writes one element.
fn stored_register(function: &Function, instruction: &Instruction) -> Option<RegisterId> {
    match function.operands_of(instruction.operands).get(1)?.value {
        OperandValue::Source(Source::Register(RegisterTuple { first, .. }), _) => Some(first),
        _ => None,
    }
}

/// Thread, identified by its block, warp and lane.
type Thread = (u64, u32, u8);
/// Instruction, identified by its function and its index in the function.
type Place = (FunctionId, u32);

/// Last store to an address, with the thread that executed the store.
#[derive(Clone, Copy)]
struct LastStore {
    thread: Thread,
    /// Number of stores to the address up to this time.
    count: u64,
}

/// Observer that finds updates whose load and store have equal addresses, and updates that lose the store of another thread.
pub(crate) struct UpdateObserver {
    loads_of: HashMap<Place, Vec<u32>>,
    loads: HashSet<Place>,
    /// For each load and each thread, the memory and address of the last execution of the load, and the number of stores to this address at
    /// that time.
    loaded: HashMap<(Place, Thread), (MemoryId, u64, u64)>,
    stores: HashMap<(MemoryId, u64), LastStore>,
    /// Pairs of a load and a store whose addresses were equal at least once, and (in `different`) pairs whose addresses differed at least
    /// once.
    equal: HashSet<(Place, u32)>,
    different: HashSet<(Place, u32)>,
    /// Whether a store of an update has overwritten a value that another thread stored after the load of the update.
    pub(crate) loses_update: bool,
}

impl UpdateObserver {
    pub(crate) fn new(updates: &[Update]) -> UpdateObserver {
        let mut loads_of: HashMap<Place, Vec<u32>> = HashMap::new();
        for update in updates {
            let loads = loads_of.entry((update.function, update.store)).or_default();
            loads.push(update.load);
        }
        UpdateObserver {
            loads_of,
            loads: updates.iter().map(|own| (own.function, own.load)).collect(),
            loaded: HashMap::new(),
            stores: HashMap::new(),
            equal: HashSet::new(),
            different: HashSet::new(),
            loses_update: false,
        }
    }

    /// Checks whether the load and the store of an update were executed, and accessed the same address in each execution.
    pub(crate) fn is_update(&self, update: &Update) -> bool {
        let pair = ((update.function, update.load), update.store);
        self.equal.contains(&pair) && !self.different.contains(&pair)
    }
}

impl Observer for UpdateObserver {
    fn interest(&self) -> EventMask {
        EventMask::ACCESSES
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let Agent::Warp { block, warp } = event.agent else {
            return;
        };
        let place = (event.function, event.instruction);
        if event.action == AccessAction::Load && !self.loads.contains(&place) {
            return;
        }
        let loads = self.loads_of.get(&place);
        for piece in event.pieces {
            let thread = (block, warp, piece.data_lane);
            let key = (piece.memory, piece.address);
            let last = self.stores.get(&key).copied();
            let count = last.map_or(0, |last| last.count);
            if event.action == AccessAction::Load {
                let now = (piece.memory, piece.address, count);
                self.loaded.insert((place, thread), now);
                continue;
            }
            if !piece.written {
                continue;
            }
            for load in loads.into_iter().flatten() {
                let of_load = (event.function, *load);
                let Some(&(memory, address, then)) = self.loaded.get(&(of_load, thread)) else {
                    continue;
                };
                let pair = (of_load, event.instruction);
                if (memory, address) != key {
                    self.different.insert(pair);
                    continue;
                }
                self.equal.insert(pair);
                self.loses_update |= then < count && last.is_some_and(|last| last.thread != thread);
            }
            let count = count + 1;
            self.stores.insert(key, LastStore { thread, count });
        }
    }
}

impl Session {
    /// Checks whether the run has lost an update so far: another thread stored to the same address between the load and the store of an
    /// update.
    pub(crate) fn loses_update(&mut self) -> bool {
        let updates = updates_of(&self.program);
        if updates.is_empty() {
            return false;
        }
        let mut observer = UpdateObserver::new(&updates);
        let seen = self.steps_seen();
        self.timeline.replay(0, seen, &mut observer);
        observer.loses_update
    }
}
