//! Dynamic backward slice of a stored value: the register definitions from which a run computed the value, with the initial memory contents
//! and thread indices that each definition depends on (B. Korel and J. Laski, "Dynamic Program Slicing", 1988). The slice follows values
//! through memory, and ignores addresses and control flow unless the caller requests them.

use crate::analysis::comparison::execution_trace::{
    Definition, ExecutionTrace, StepRecord, TracedAccess, WORD_BYTES,
};
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::{MemoryDescriptor, locate};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use warpgrid_emulator::{MemoryId, WarpId};
use warpgrid_isa::{ScalarType, SpecialRegister};
use warpgrid_program::{Function, Program, RegisterId};

/// Maximum number of definitions of a slice. A slice contains only the latest definitions beyond this limit.
const MAX_DEFINITIONS: usize = 1 << 13;

/// Value that a run does not compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Origin {
    /// Initial contents of a word in a compared memory, as the index of the memory and of the word. Constants are no origins, since machine
    /// code reads them from constant banks.
    Memory(usize, u64),
    /// Index of the thread or block.
    Special(SpecialRegister),
}

/// Dependences that a slice contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SliceKind {
    /// Only the operands of computations.
    Values,
    /// Also the registers of addresses, and the predicates of earlier branches and guards of the lane.
    AddressesAndConditions,
}

/// Run whose values a slice follows.
pub(crate) struct TracedRun<'a> {
    pub(crate) program: &'a Program,
    pub(crate) trace: &'a ExecutionTrace,
    pub(crate) memories: &'a [MemoryDescriptor],
    /// Memories that exist in both runs.
    pub(crate) compared: &'a [MemoryKey],
}

/// Definitions from which a value was computed, in the order of their execution, with their dependences and origins.
#[derive(Debug, Default)]
pub(crate) struct ValueSlice {
    pub(crate) definitions: Vec<Definition>,
    sources: BTreeMap<Definition, Vec<Definition>>,
    origins: HashMap<Definition, Rc<BTreeSet<Origin>>>,
}

/// Direct dependences of a definition.
#[derive(Debug, Default)]
struct Dependences {
    /// Definitions from which the value was computed.
    definitions: Vec<Definition>,
    /// Definitions of addresses.
    addresses: Vec<Definition>,
    origins: BTreeSet<Origin>,
}

impl ValueSlice {
    /// Returns the definitions on which a definition directly depends.
    pub(crate) fn sources(&self, definition: Definition) -> &[Definition] {
        self.sources.get(&definition).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn origins(&self, definition: Definition) -> Option<&BTreeSet<Origin>> {
        self.origins.get(&definition).map(Rc::as_ref)
    }

    /// Computes the slice of the values `roots`. The origins of a value are those of its computation, without its address.
    pub(crate) fn of(
        run: &TracedRun<'_>,
        roots: impl IntoIterator<Item = Definition>,
        kind: SliceKind,
    ) -> ValueSlice {
        let mut direct: BTreeMap<Definition, Dependences> = BTreeMap::new();
        let mut pending: BTreeSet<Definition> = roots.into_iter().collect();
        // Definitions are visited from the last to the first, so that the limit excludes the earliest definitions.
        while let Some(next) = pending.pop_last() {
            if direct.len() == MAX_DEFINITIONS {
                break;
            }
            let found = run.dependences(next);
            let addresses = match kind {
                SliceKind::Values => [].iter(),
                SliceKind::AddressesAndConditions => found.addresses.iter(),
            };
            let followed = found.definitions.iter().chain(addresses);
            pending.extend(followed.filter(|id| !direct.contains_key(id)).copied());
            direct.insert(next, found);
        }
        let mut slice = ValueSlice::default();
        for (definition, dependences) in direct {
            // A predicate selects a value, for which compilers also use branches, so the origins of predicates are no origins of the value.
            let values = dependences.definitions.iter();
            let values = values.filter(|source| !run.is_predicate(**source));
            let mut inherited = values.filter_map(|source| slice.origins.get(source));
            let first = inherited.next().cloned().unwrap_or_default();
            let mut origins = first;
            let own = dependences.origins;
            for others in inherited.map(Rc::as_ref).chain([&own]) {
                if !others.is_subset(&origins) {
                    Rc::make_mut(&mut origins).extend(others);
                }
            }
            slice.origins.insert(definition, origins);
            slice.sources.insert(definition, dependences.definitions);
            slice.definitions.push(definition);
        }
        slice
    }
}

impl TracedRun<'_> {
    /// Returns the width in bits of the register of a definition. Predicates have one bit.
    pub(crate) fn width_bits(&self, definition: Definition) -> u32 {
        let record = self.trace.record_of(definition);
        let function = record.and_then(|own| self.program.functions.get(own.function.0 as usize));
        function.map_or(0, |function| register_width(function, definition.register))
    }

    fn is_predicate(&self, definition: Definition) -> bool {
        self.width_bits(definition) == 1
    }

    /// Returns the definitions that the access `access` of a store or load transfers at `address`: the registers of the operand that
    /// contain the word.
    fn operand_registers(
        &self,
        record: &StepRecord,
        access: &TracedAccess,
        address: u64,
    ) -> Vec<RegisterId> {
        let functions = &self.program.functions;
        let Some(function) = functions.get(record.function.0 as usize) else {
            return Vec::new();
        };
        let operand = access.operand.and_then(|operand| operand.of(function));
        let Some(operand) = operand else {
            return Vec::new();
        };
        let registers = function.operand_registers(&operand.value);
        let words = u64::from(access.n_bytes) / WORD_BYTES;
        // A tuple of registers contains one word in each register.
        match registers.len() as u64 == words {
            true => {
                let index = address.saturating_sub(access.address) / WORD_BYTES;
                registers.get(index as usize).copied().into_iter().collect()
            }
            false => registers,
        }
    }

    /// Returns the definitions that a store wrote to memory at `address`.
    pub(crate) fn stored(
        &self,
        record: u32,
        lane: u8,
        memory: MemoryId,
        address: u64,
    ) -> Vec<Definition> {
        let Some(found) = self.trace.records.get(record as usize) else {
            return Vec::new();
        };
        let mut accesses = found.accesses.iter().rev();
        let access = accesses.find(|access| {
            access.lane == lane && access.action.writes() && access.contains(memory, address)
        });
        let Some(access) = access else {
            return Vec::new();
        };
        let registers = self.operand_registers(found, access, address);
        let mut stored: Vec<Definition> = registers
            .into_iter()
            .filter_map(|register| self.trace.reaching_definition(record, register, lane))
            .collect();
        // An atomic operation combines its operand with the previous contents.
        if access.action.is_atomic()
            && let Some((previous, lane)) = access.previous_store(address)
            && previous < record
        {
            stored.extend(self.stored(previous, lane, memory, address));
        }
        stored
    }

    fn dependences(&self, definition: Definition) -> Dependences {
        let mut found = Dependences::default();
        let Some((record, flow)) = self
            .trace
            .record_of(definition)
            .and_then(|record| Some((record, self.trace.flow(record)?)))
        else {
            return found;
        };
        found
            .origins
            .extend(flow.specials.iter().copied().map(Origin::Special));
        let lanes = match (flow.is_collective, flow.is_uniform) {
            (true, _) => record.executed,
            (false, true) => record.executed & record.executed.wrapping_neg(),
            (false, false) => 1 << definition.lane,
        };
        let reaching = |registers: &[RegisterId]| -> Vec<Definition> {
            let lanes = (0..32u8).filter(|lane| lanes >> lane & 1 != 0);
            let pairs =
                lanes.flat_map(|lane| registers.iter().map(move |register| (*register, lane)));
            let found = pairs.filter_map(|(register, lane)| {
                self.trace
                    .reaching_definition(definition.record, register, lane)
            });
            found.collect()
        };
        found.definitions = reaching(&flow.sources);
        found.addresses = reaching(&flow.addresses);
        let loads = record
            .accesses
            .iter()
            .filter(|access| access.action.reads());
        for access in loads.filter(|access| access.lane == definition.lane) {
            self.add_loaded(&mut found, record, access, definition);
        }
        found.definitions.sort_unstable();
        found.definitions.dedup();
        // A definition depends only on earlier definitions, except within a collective operation that reads its own destination.
        found
            .definitions
            .retain(|source| source.record < definition.record);
        found
            .addresses
            .retain(|source| source.record < definition.record);
        found
    }

    /// Adds the definitions and the initial memory contents that a load transferred to the register of `definition`.
    fn add_loaded(
        &self,
        found: &mut Dependences,
        record: &StepRecord,
        access: &TracedAccess,
        definition: Definition,
    ) {
        let last = access.address + u64::from(access.n_bytes.max(1)) - 1;
        for word in access.address / WORD_BYTES..=last / WORD_BYTES {
            let address = (word * WORD_BYTES).max(access.address);
            let registers = self.operand_registers(record, access, address);
            if !registers.contains(&definition.register) {
                continue;
            }
            if let Some((store, lane)) = access.previous_store(address) {
                found
                    .definitions
                    .extend(self.stored(store, lane, access.memory, address));
            } else if access.memory == MemoryId::Global
                && let Some((memory, offset)) = locate(self.memories, access.memory, address)
                && let Some(index) = self.compared.iter().position(|id| *id == memory.view.id)
            {
                found
                    .origins
                    .insert(Origin::Memory(index, offset / WORD_BYTES));
            }
        }
    }

    /// Returns the definitions of the predicates and addresses that controlled the execution of a lane in the first `n_records` records, and
    /// of the addresses of its stores.
    pub(crate) fn conditions(&self, warp: WarpId, lane: u8, n_records: u32) -> Vec<Definition> {
        let records = self.trace.records.iter().zip(0..n_records);
        let own = records.filter(|(record, _)| record.warp == warp);
        let found = own.flat_map(|(record, index)| {
            let flow = self.trace.flow(record);
            let conditions = flow.map_or(&[][..], |flow| &flow.conditions).iter();
            let stores = record.accesses.iter().any(|access| access.action.writes());
            let addresses = flow
                .filter(|_| stores)
                .map_or(&[][..], |flow| &flow.addresses);
            let registers = conditions.chain(addresses);
            registers
                .filter_map(move |register| self.trace.reaching_definition(index, *register, lane))
        });
        found.collect()
    }
}

/// Returns the width in bits of a register. Predicates have one bit.
pub(crate) fn register_width(function: &Function, register: RegisterId) -> u32 {
    let found = function.registers.get(register.0 as usize);
    found.map_or(0, |found| match found.ty {
        ScalarType::Pred => 1,
        ty => ty.width_bits(),
    })
}
