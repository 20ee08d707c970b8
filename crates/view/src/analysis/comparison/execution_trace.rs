//! Execution trace of one block: for each step, the values that the step wrote to registers, and its memory accesses. The module takes a
//! session and returns the trace, in which the search for the first differing instruction finds definitions and uses.

use crate::session::Session;
use std::collections::{BTreeMap, HashMap};
use warpgrid_emulator::{
    AccessAction, AccessEvent, Agent, EventMask, MemoryId, Observer, OperandIndex, StepEvent,
    WarpId,
};
use warpgrid_isa::{ControlOp, MoveOp, SassOp, SpecialRegister};
use warpgrid_program::{FunctionId, OpcodeInfo, OperandValue, Program, RegisterId, Source};

/// Maximum number of steps that a trace contains. A step takes about 300 bytes.
const MAX_RECORDS: usize = 1 << 16;
/// Size in bytes of the unit for which the trace records the last writer in memory.
pub(crate) const WORD_BYTES: u64 = 4;
/// Maximum size in words of an element that one lane accesses.
const MAX_WORDS: usize = 4;
const LANES: usize = 32;

/// Register operands of the instructions that the emulator executes in one step.
#[derive(Debug, Default)]
pub(crate) struct StepFlow {
    /// Registers from which the results are computed, including guard predicates.
    pub(crate) sources: Vec<RegisterId>,
    /// Registers of addresses.
    pub(crate) addresses: Vec<RegisterId>,
    /// Predicates that decide whether the instructions are executed, or to which instruction a branch leads.
    pub(crate) conditions: Vec<RegisterId>,
    pub(crate) destinations: Vec<RegisterId>,
    /// Special registers whose values differ between threads.
    pub(crate) specials: Vec<SpecialRegister>,
    /// Whether the results of a lane depend on the sources of other lanes.
    pub(crate) is_collective: bool,
    /// Whether the results are written in all lanes of the warp.
    pub(crate) is_uniform: bool,
    /// Whether the step only copies a value.
    pub(crate) is_move: bool,
}

impl StepFlow {
    fn of(program: &Program, function: FunctionId, instruction: u32) -> StepFlow {
        let mut flow = StepFlow::default();
        let Some(function) = program.functions.get(function.0 as usize) else {
            return flow;
        };
        let is_named = |register: &RegisterId| function.registers.is_named(*register);
        let mut n_operations = 0;
        for index in function.instructions_of_step(instruction) {
            let Some(instruction) = function.instructions.get(index) else {
                continue;
            };
            let Some(action) = program.opcode(instruction) else {
                continue;
            };
            n_operations += 1;
            flow.add_operation(action);
            let control = action.operation.control();
            let is_branch = control.is_some_and(ControlOp::transfers_control);
            flow.destinations.extend(
                function
                    .destinations(instruction)
                    .iter()
                    .filter(|id| is_named(id)),
            );
            let guard = instruction.guard.map(|guard| guard.predicate);
            flow.sources.extend(guard.iter().filter(|id| is_named(id)));
            flow.conditions
                .extend(guard.iter().filter(|id| is_named(id)));
            for operand in function.operands_of(instruction.operands) {
                let read = function.operand_sources(&operand.value);
                let read = read.iter().filter(|id| is_named(id));
                match operand.value {
                    OperandValue::Address(_) => flow.addresses.extend(read),
                    _ if is_branch => flow.conditions.extend(read),
                    _ => flow.sources.extend(read),
                }
                if let OperandValue::Source(Source::Special(special), _) = operand.value
                    && is_thread_index(special)
                {
                    flow.specials.push(special);
                }
            }
        }
        flow.is_move &= n_operations == 1;
        flow
    }

    fn add_operation(&mut self, action: &OpcodeInfo) {
        let operation = action.operation;
        let machine = operation.machine();
        self.is_collective |= operation.warp().is_some()
            || operation.matrix().is_some()
            || machine == Some(SassOp::ReadFirstLane);
        self.is_uniform |= machine == Some(SassOp::BroadcastToWarp);
        self.is_move |= operation.moves() == Some(MoveOp::Mov);
    }
}

fn is_thread_index(special: SpecialRegister) -> bool {
    use SpecialRegister as S;
    matches!(special, S::Tid(_) | S::Ctaid(_) | S::Laneid | S::Warpid)
}

/// Store of a lane, as the index of its record and the lane.
pub(crate) type StoreRef = (u32, u8);

/// Access of one lane to an element of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TracedAccess {
    pub(crate) lane: u8,
    pub(crate) memory: MemoryId,
    pub(crate) address: u64,
    pub(crate) n_bytes: u32,
    pub(crate) action: AccessAction,
    pub(crate) operand: Option<OperandIndex>,
    /// For each word of the element, the store that wrote the word before this access.
    pub(crate) previous: [Option<StoreRef>; MAX_WORDS],
}

impl TracedAccess {
    /// Returns the store that wrote the word at `address` before this access.
    pub(crate) fn previous_store(&self, address: u64) -> Option<StoreRef> {
        let index = (address / WORD_BYTES).checked_sub(self.address / WORD_BYTES)?;
        *self.previous.get(usize::try_from(index).ok()?)?
    }

    pub(crate) fn contains(&self, memory: MemoryId, address: u64) -> bool {
        let end = self.address.saturating_add(self.n_bytes.into());
        self.memory == memory && (self.address..end).contains(&address)
    }
}

/// Executed step of the traced block.
#[derive(Debug)]
pub(crate) struct StepRecord {
    pub(crate) step: u64,
    pub(crate) warp: WarpId,
    pub(crate) function: FunctionId,
    pub(crate) instruction: u32,
    pub(crate) executed: u32,
    /// Lanes whose registers the step wrote.
    written: u32,
    /// Destination registers with their values in all lanes.
    values: Vec<(RegisterId, [u64; LANES])>,
    pub(crate) accesses: Vec<TracedAccess>,
}

/// Value that a step wrote to a register of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Definition {
    /// Index into [`ExecutionTrace::records`].
    pub(crate) record: u32,
    pub(crate) register: RegisterId,
    pub(crate) lane: u8,
}

/// Register of a warp.
type WarpRegister = (WarpId, FunctionId, RegisterId);

/// Steps of one block in the order of their execution.
#[derive(Debug, Default)]
pub(crate) struct ExecutionTrace {
    pub(crate) records: Vec<StepRecord>,
    flows: HashMap<(FunctionId, u32), StepFlow>,
    /// For each register, the records that wrote the register, with the lanes that they wrote.
    writers: HashMap<WarpRegister, Vec<(u32, u32)>>,
    /// For each instruction, the records of its executions.
    executions: HashMap<(FunctionId, u32), Vec<u32>>,
}

impl ExecutionTrace {
    /// Executes the steps of a session up to `end`, and records the steps of a block. Returns `None` if the block executes more than
    /// [`MAX_RECORDS`] steps. The session is at position `end` afterwards.
    pub(crate) fn record(session: &mut Session, block: u64, end: u64) -> Option<ExecutionTrace> {
        let program = session.program.clone();
        let mut trace = ExecutionTrace::default();
        let mut last_stores = HashMap::new();
        session.seek(0);
        let mut recorder = StepRecorder {
            block,
            ..StepRecorder::default()
        };
        while session.position() < end {
            let before = session.position();
            recorder.event = None;
            recorder.accesses.clear();
            session.timeline.step(&mut recorder);
            if session.position() == before {
                break;
            }
            let n_records = trace.records.len() as u32;
            for access in &mut recorder.accesses {
                access.update(&mut last_stores, recorder.event.map(|_| n_records));
            }
            if let Some(event) = recorder.event {
                if trace.records.len() == MAX_RECORDS {
                    return None;
                }
                trace.add(session, &program, &event, &recorder.accesses);
            }
        }
        Some(trace)
    }

    fn add(
        &mut self,
        session: &Session,
        program: &Program,
        event: &StepEvent,
        accesses: &[TracedAccess],
    ) {
        let (function, instruction) = (event.function, event.instruction);
        let flow = self.flows.entry((function, instruction));
        let flow = flow.or_insert_with(|| StepFlow::of(program, function, instruction));
        let machine = session.timeline.machine();
        let index = self.records.len() as u32;
        let written = match flow.is_uniform {
            true => u32::MAX,
            false => event.executed,
        };
        let mut values = Vec::with_capacity(flow.destinations.len());
        for register in &flow.destinations {
            let row = machine.register_row(event.block, event.warp, function, *register);
            let Some(row) = row.filter(|_| written != 0) else {
                continue;
            };
            values.push((*register, row.map(|value| value as u64)));
            let writers = self.writers.entry((event.warp_id(), function, *register));
            writers.or_default().push((index, written));
        }
        let executions = self.executions.entry((function, instruction));
        executions.or_default().push(index);
        self.records.push(StepRecord {
            step: event.position,
            warp: event.warp_id(),
            function,
            instruction,
            executed: event.executed,
            written,
            values,
            accesses: accesses.to_vec(),
        });
    }

    pub(crate) fn record_of(&self, definition: Definition) -> Option<&StepRecord> {
        self.records.get(definition.record as usize)
    }

    pub(crate) fn flow(&self, record: &StepRecord) -> Option<&StepFlow> {
        self.flows.get(&(record.function, record.instruction))
    }

    pub(crate) fn value(&self, definition: Definition) -> Option<u64> {
        let mut values = self.record_of(definition)?.values.iter();
        let (_, row) = values.find(|(register, _)| *register == definition.register)?;
        row.get(usize::from(definition.lane)).copied()
    }

    /// Returns the value that a register of a lane contains before a record, as the definition that wrote the value.
    pub(crate) fn reaching_definition(
        &self,
        record: u32,
        register: RegisterId,
        lane: u8,
    ) -> Option<Definition> {
        let reader = self.records.get(record as usize)?;
        let writers = self
            .writers
            .get(&(reader.warp, reader.function, register))?;
        let n_before = writers.partition_point(|(writer, _)| *writer < record);
        let mut before = writers.iter().take(n_before);
        let (writer, _) = before.rfind(|(_, lanes)| lanes >> lane & 1 != 0)?;
        Some(Definition {
            record: *writer,
            register,
            lane,
        })
    }

    /// Returns the record of the first execution of the instruction of `definition`.
    pub(crate) fn first_execution(&self, definition: Definition) -> Option<u32> {
        let own = self.record_of(definition)?;
        let executions = self.executions.get(&(own.function, own.instruction))?;
        executions.first().copied()
    }

    /// Returns the definitions of the same register by all executions of the instruction of `definition`, grouped by warp and lane in the
    /// order of their execution.
    pub(crate) fn instances(
        &self,
        definition: Definition,
    ) -> BTreeMap<(WarpId, u8), Vec<Definition>> {
        let mut instances: BTreeMap<(WarpId, u8), Vec<Definition>> = BTreeMap::new();
        let own = self.record_of(definition);
        let executions = own.and_then(|own| self.executions.get(&(own.function, own.instruction)));
        for index in executions.into_iter().flatten().copied() {
            let Some(record) = self.records.get(index as usize) else {
                continue;
            };
            for lane in (0..LANES as u8).filter(|lane| record.written >> lane & 1 != 0) {
                instances
                    .entry((record.warp, lane))
                    .or_default()
                    .push(Definition {
                        record: index,
                        lane,
                        ..definition
                    });
            }
        }
        instances
    }

    /// Returns the definitions that a record wrote in a lane.
    pub(crate) fn definitions(&self, record: u32, lane: u8) -> impl Iterator<Item = Definition> {
        let found = self.records.get(record as usize);
        let found = found.filter(|found| found.written >> lane & 1 != 0);
        let values = found.map_or(&[][..], |found| &found.values).iter();
        values.map(move |(register, _)| Definition {
            record,
            register: *register,
            lane,
        })
    }
}

/// Words of memory with the record and the lane that last wrote each word.
type LastStores = HashMap<(MemoryId, u64), StoreRef>;

impl TracedAccess {
    /// Sets the previous writer of the accessed memory, and records a store. `record` is the index of the record of the access, or `None`
    /// for an access of another block or of an asynchronous operation.
    fn update(&mut self, last_stores: &mut LastStores, record: Option<u32>) {
        let words = self.address / WORD_BYTES
            ..=self
                .address
                .saturating_add(self.n_bytes.saturating_sub(1).into())
                / WORD_BYTES;
        for (previous, word) in self.previous.iter_mut().zip(words.clone()) {
            *previous = last_stores.get(&(self.memory, word)).copied();
        }
        if !self.action.writes() {
            return;
        }
        for word in words {
            match record {
                Some(record) => last_stores.insert((self.memory, word), (record, self.lane)),
                None => last_stores.remove(&(self.memory, word)),
            };
        }
    }
}

/// Observer that records the step of a block, and the accesses of a step.
#[derive(Default)]
struct StepRecorder {
    block: u64,
    event: Option<StepEvent>,
    accesses: Vec<TracedAccess>,
}

impl Observer for StepRecorder {
    fn interest(&self) -> EventMask {
        EventMask {
            steps: true,
            ..EventMask::ACCESSES
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let is_own = event.warp().is_some_and(|warp| warp.block == self.block);
        let pieces = event.pieces.iter();
        let pieces = pieces.filter(|piece| is_own || piece.written);
        self.accesses.extend(pieces.map(|piece| TracedAccess {
            lane: piece.data_lane,
            memory: piece.memory,
            address: piece.address,
            n_bytes: piece.n_bytes,
            action: match piece.written {
                true => event.action,
                false => AccessAction::Load,
            },
            operand: piece.operand,
            previous: [None; MAX_WORDS],
        }));
    }

    fn step(&mut self, event: &StepEvent) {
        let is_warp = matches!(event.agent, Agent::Warp { .. });
        if is_warp && event.block == self.block && event.consumes_step() {
            self.event = Some(*event);
        }
    }
}
