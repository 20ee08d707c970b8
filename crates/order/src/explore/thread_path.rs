//! Symbolic execution of one thread along one path. The execution derives the events of the thread from its code, its initial registers,
//! and the values that its reads return.
//!
//! The emulator executes instructions that only change registers. This module handles control flow, and tracks the
//! dependencies of values.

use crate::explore::event::{ThreadTrace, TraceEvent};
use crate::explore::lane_exchange::PublishedValues;
use crate::explore::memory_cells::CellPartition;
use crate::explore::query::{ExploreError, LitmusQuery, ThreadSpec};
use crate::explore::value_origins::{ValueOrigins, WriteNumbering};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use warpgrid_emulator::{Launch, SingleThread, ThreadCoordinates};
use warpgrid_isa::{ControlOp, Modifiers, MoveOp, Operation};
use warpgrid_program::{Function, Instruction, Operand, OperandValue, RegisterId, Source};

/// Values that each cell can contain, with the provenance of each value.
pub(crate) type ValueDomain = Vec<BTreeMap<u64, ValueOrigins>>;

/// Reason why the execution of a path stops before the thread ends.
pub(crate) enum PathExit {
    Failed(ExploreError),
    /// A cell must be split at this address before the path can be executed.
    Cut(u64),
}

impl From<ExploreError> for PathExit {
    fn from(error: ExploreError) -> PathExit {
        PathExit::Failed(error)
    }
}

/// Explorer for the paths of one thread: the inputs of the exploration, and the state that all paths share.
pub(crate) struct PathExplorer<'a> {
    pub(crate) question: &'a LitmusQuery,
    pub(crate) index: usize,
    pub(crate) thread: &'a ThreadSpec,
    pub(crate) function: &'a Function,
    pub(crate) cells: &'a CellPartition,
    pub(crate) domain: Cow<'a, ValueDomain>,
    /// Numbering of the writes of all threads.
    pub(crate) writes: &'a WriteNumbering,
    /// Values that other lanes can supply in exchanges.
    pub(crate) given: &'a PublishedValues,
    /// Whether the search treats each cell as a counter and skips decreasing values of the cell.
    pub(crate) counters: &'a [bool],
    /// Whether a fence can be inserted before each instruction of the thread.
    pub(crate) places: &'a [bool],
    /// Targets of the back edges of the function.
    heads: BTreeSet<u32>,
    /// Whether the exploration has stopped a loop at the iteration limit.
    pub(crate) bounded: bool,
    /// For each instruction of the thread, whether some path executes it.
    pub(crate) reached: Vec<bool>,
    /// Paths that wait for values that no known trace writes. The writes of these paths are visible to the other
    /// threads, so these threads may write the awaited values on additional paths.
    pub(crate) waiting: Vec<ThreadTrace>,
    known_waiting: HashSet<ThreadTrace>,
}

/// Loop that contains the current instruction of a path, with its iterations so far.
#[derive(Clone)]
struct LoopHead {
    at: u32,
    n_steps: usize,
    control: u64,
    /// Register contents at the start of each iteration that had no visible effect.
    seen: Vec<Vec<u64>>,
    rounds: usize,
}

/// Execution path of a thread under exploration: its next instruction, its registers, and the events so far.
#[derive(Clone)]
pub(crate) struct ThreadPath {
    pub(crate) emulator: SingleThread,
    pc: u32,
    executed: u32,
    pub(crate) steps: Vec<TraceEvent>,
    /// Bit masks of the events on which each register depends, followed by the bit mask for the carry flag.
    taints: Vec<u64>,
    /// Bit mask of the reads on which the conditions of the executed branches depend.
    pub(crate) control: u64,
    pub(crate) instance: u32,
    heads: Vec<LoopHead>,
    /// Uncommitted bulk copies, and the committed bulk async-groups.
    pub(crate) bulk: CopyGroups,
    pub(crate) copies: CopyGroups,
    /// Bit mask of the events on which the guard and the operands of the current instruction depend.
    pub(crate) depends: u64,
}

/// Event numbers of the asynchronous copies of a thread, by async-group.
#[derive(Clone, Default)]
pub(crate) struct CopyGroups {
    pub(crate) open: Vec<usize>,
    pub(crate) made: Vec<Vec<usize>>,
}

/// State of the fixed-point iteration over all threads, which the exploration of each thread reads.
#[derive(Clone, Copy)]
pub(crate) struct ExplorationState<'a> {
    pub(crate) cells: &'a CellPartition,
    pub(crate) domain: &'a ValueDomain,
    pub(crate) writes: &'a WriteNumbering,
    pub(crate) given: &'a PublishedValues,
    /// Whether each cell is a counter. The iteration skips traces in which a counter decreases.
    pub(crate) counters: &'a [bool],
}

/// Successor paths of an instruction.
pub(crate) type Successors = Result<Vec<ThreadPath>, PathExit>;

impl<'a> PathExplorer<'a> {
    pub(crate) fn new(
        question: &'a LitmusQuery,
        index: usize,
        known: ExplorationState<'a>,
        places: &'a [bool],
    ) -> Option<PathExplorer<'a>> {
        let thread = question.threads.get(index)?;
        let function = question.program.functions.get(thread.function.0 as usize)?;
        Some(PathExplorer {
            question,
            index,
            thread,
            function,
            cells: known.cells,
            domain: Cow::Borrowed(known.domain),
            writes: known.writes,
            given: known.given,
            counters: known.counters,
            places,
            heads: loop_heads(function),
            bounded: false,
            reached: vec![false; function.instructions.len()],
            waiting: Vec::new(),
            known_waiting: HashSet::new(),
        })
    }

    /// Returns the path of the thread before its first instruction.
    pub(crate) fn start(&self) -> Result<ThreadPath, ExploreError> {
        let launch = Launch {
            entry: self.thread.function,
            ..self.question.launch.clone()
        };
        let place = ThreadCoordinates {
            block: self.thread.block,
            thread: self.thread.thread,
        };
        let lone = SingleThread::new(&self.question.program, &launch, place);
        let mut lone = lone.map_err(ExploreError::Launch)?;
        for (register, value) in &self.thread.registers {
            lone.set_register(*register, *value);
        }
        Ok(ThreadPath {
            emulator: lone,
            pc: 0,
            executed: 0,
            steps: Vec::new(),
            taints: vec![0; self.function.registers.len() + 1],
            control: 0,
            instance: 0,
            heads: Vec::new(),
            bulk: CopyGroups::default(),
            copies: CopyGroups::default(),
            depends: 0,
        })
    }

    /// Returns the traces of all paths of a thread.
    pub(crate) fn walk(&mut self, start: ThreadPath) -> Result<Vec<ThreadTrace>, PathExit> {
        let mut open = vec![start];
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        while let Some(path) = open.pop() {
            let limit = self.question.limits.paths_per_thread;
            if found.len() + open.len() > limit {
                let thread = self.index;
                return Err(ExploreError::TooManyWays { thread, limit }.into());
            }
            match self.next(path)? {
                StepResult::Ended(trace) => {
                    let is_possible =
                        self.writes
                            .is_thin_air_free(self.index, &trace, &self.domain);
                    if is_possible && seen.insert(trace.clone()) {
                        found.push(trace);
                    }
                }
                StepResult::Ways(ways) => open.extend(ways),
            }
        }
        Ok(found)
    }

    /// Executes one instruction of a thread path.
    pub(crate) fn next(&mut self, mut path: ThreadPath) -> Result<StepResult, PathExit> {
        let limits = &self.question.limits;
        let (thread, limit) = (self.index, limits.steps);
        if path.executed >= limit {
            return Err(ExploreError::TooManySteps { thread, limit }.into());
        }
        if path.steps.len() > limits.events_per_thread {
            let limit = limits.events_per_thread;
            return Err(ExploreError::TooManyEvents { thread, limit }.into());
        }
        path.executed += 1;
        let pc = path.pc;
        let Some(instruction) = self.function.instructions.get(pc as usize) else {
            return Ok(StepResult::Ended(self.end(path)));
        };
        if self.heads.contains(&pc) && path.heads.last().is_none_or(|head| head.at != pc) {
            self.enter(&mut path, 0);
        }
        if self.places.get(pc as usize) == Some(&true) {
            self.add_fence_slot(&mut path);
        }
        path.pc += 1;
        path.instance += 1;
        path.depends = path.control;
        if let Some(guard) = instruction.guard {
            path.depends |= path.taint(guard.predicate);
            let holds = path.emulator.register(guard.predicate) != 0;
            if holds == guard.negated {
                return Ok(StepResult::Ways(self.skip(path, instruction)));
            }
        }
        if let Some(reached) = self.reached.get_mut(pc as usize) {
            *reached = true;
        }
        self.execute(path, instruction)
    }

    /// Skips an instruction with a false guard. The destination registers depend on the guard although the instruction
    /// does not write them.
    fn skip(&self, mut path: ThreadPath, instruction: &Instruction) -> Vec<ThreadPath> {
        let depends = path.depends;
        for register in self.function.destinations(instruction) {
            let taint = path.taint(register) | depends;
            path.set_taint(register, taint);
        }
        if self.control_of(instruction).is_some() {
            path.control |= depends;
        }
        vec![path]
    }

    fn control_of(&self, instruction: &Instruction) -> Option<ControlOp> {
        let action = self.question.program.opcode(instruction);
        action.and_then(|action| action.operation.control())
    }

    fn execute(
        &mut self,
        mut path: ThreadPath,
        instruction: &'a Instruction,
    ) -> Result<StepResult, PathExit> {
        let Some(action) = self.question.program.opcode(instruction) else {
            return Err(self
                .unsupported_error(
                    &path,
                    "the PTX ISA manual does not define the semantics of this instruction: remove the instruction",
                )
                .into());
        };
        path.depends |= self.taint_of_operands(&path, instruction);
        let at = CurrentInstruction {
            instruction,
            words: &action.modifiers,
            number: path.pc - 1,
        };
        let ways = match action.operation {
            Operation::Memory(op) => self.memory(path, &at, op)?,
            Operation::Mbarrier(op) => self.mbarrier(path, &at, op)?,
            Operation::Async(op) => self.start_async(path, &at, op)?,
            Operation::Sync(op) => self.sync(path, &at, op)?,
            Operation::Control(op) => return self.control(path, &at, op),
            Operation::Move(MoveOp::Mapa) => self.map_to_rank(path, &at)?,
            Operation::Carry(_) => {
                path.depend_on_carry();
                let ways = self.compute(path, &at)?;
                ways.into_iter().map(ThreadPath::carried).collect()
            }
            Operation::Arithmetic(_)
            | Operation::Video(..)
            | Operation::Compare(_)
            | Operation::Move(_) => self.compute(path, &at)?,
            Operation::Hint(_) => vec![path],
            Operation::Warp(op) => self.exchange(path, &at, op)?,
            Operation::Matrix(_)
            | Operation::Unit(_)
            | Operation::Machine(_)
            | Operation::Unknown => {
                return Err(self.refuse(&path, &action.opcode).into());
            }
        };
        Ok(StepResult::Ways(ways))
    }

    fn compute(&self, mut path: ThreadPath, at: &CurrentInstruction<'_>) -> Successors {
        if !path.emulator.execute_alu(at.number) {
            let action = self.question.program.opcode(at.instruction);
            let opcode = action.map_or("an instruction", |action| &action.opcode);
            return Err(self.refuse(&path, opcode).into());
        }
        let depends = path.depends;
        self.taint_results(&mut path, at.instruction, depends);
        Ok(vec![path])
    }

    /// Executes `mapa`, which maps an address to the shared memory of another block.
    fn map_to_rank(&self, mut path: ThreadPath, at: &CurrentInstruction<'_>) -> Successors {
        let place = self.value(&mut path, at, 1)?;
        let rank = self.value(&mut path, at, 2)?;
        let results = self.function.destinations(at.instruction);
        for register in results {
            let mapped = path.emulator.map_to_rank(place, rank as u32);
            path.emulator.set_register(register, mapped);
            let depends = path.depends;
            path.set_taint(register, depends);
        }
        Ok(vec![path])
    }

    fn control(
        &mut self,
        path: ThreadPath,
        at: &CurrentInstruction<'_>,
        op: ControlOp,
    ) -> Result<StepResult, PathExit> {
        match op {
            ControlOp::Branch => {
                let target = self
                    .operands(at)
                    .iter()
                    .find_map(|operand| match operand.value {
                        OperandValue::Label(target) => Some(target),
                        _ => None,
                    });
                let target = target.ok_or_else(|| {
                    self.unsupported_error(
                        &path,
                        "the branch has no label as its target: branch to a label of the same thread",
                    )
                })?;
                Ok(StepResult::Ways(self.branch(path, target)))
            }
            ControlOp::Return | ControlOp::Exit => Ok(StepResult::Ended(self.end(path))),
            ControlOp::BranchIndexed
            | ControlOp::Call
            | ControlOp::Trap
            | ControlOp::Breakpoint
            | ControlOp::PushReconvergence
            | ControlOp::Reconverge
            | ControlOp::ReconvergeYieldable
            | ControlOp::Yield
            | ControlOp::BreakReconvergence
            | ControlOp::BranchIndirect
            | ControlOp::BranchDivergent => {
                let action = self.question.program.opcode(at.instruction);
                let opcode = action.map_or("an instruction", |action| &action.opcode);
                Err(self.refuse(&path, opcode).into())
            }
        }
    }

    /// Branches to a label. If the loop only reads memory, the function discards the events of the previous iteration,
    /// so that the path contains only the last iteration of a polling loop.
    fn branch(&mut self, mut path: ThreadPath, target: u32) -> Vec<ThreadPath> {
        path.control |= path.depends;
        let from = path.pc - 1;
        path.pc = target;
        if target > from {
            return vec![path];
        }
        while path.heads.last().is_some_and(|head| head.at != target) {
            path.heads.pop();
        }
        let registers = self.snapshot(&mut path);
        let most = self.question.limits.loop_iterations;
        let Some(head) = path.heads.last_mut() else {
            return vec![path];
        };
        let n_steps = head.n_steps;
        let round = path.steps.get(n_steps..).unwrap_or(&[]);
        if round.iter().all(TraceEvent::is_side_effect_free) {
            if head.seen.contains(&registers) {
                self.record_blocked_path(path);
                return Vec::new();
            }
            if head.seen.len() > most {
                self.bounded = true;
                self.record_blocked_path(path);
                return Vec::new();
            }
            head.seen.push(registers);
            path.control = head.control;
            path.steps.truncate(n_steps);
            let mask = low_bits(n_steps);
            path.taints.iter_mut().for_each(|taint| *taint &= mask);
            return vec![path];
        }
        let rounds = head.rounds + 1;
        path.heads.pop();
        // The iteration limit applies only to loops whose condition depends on a read. All other loops terminate, or
        // exceed the limit of events.
        if rounds >= most && path.control != 0 {
            self.bounded = true;
            return Vec::new();
        }
        self.enter(&mut path, rounds);
        vec![path]
    }

    /// Records a path that waits for a value. The writes of this path, and the values that it supplies to other lanes,
    /// are visible to other threads.
    pub(crate) fn record_blocked_path(&mut self, path: ThreadPath) {
        let trace = ThreadTrace {
            steps: path.steps,
            registers: Vec::new(),
        };
        let tells = trace.steps.iter().any(TraceEvent::is_visible_to_others);
        if tells && self.known_waiting.insert(trace.clone()) {
            self.waiting.push(trace);
        }
    }

    fn enter(&self, path: &mut ThreadPath, rounds: usize) {
        let seen = vec![self.snapshot(path)];
        path.heads.push(LoopHead {
            at: path.pc,
            n_steps: path.steps.len(),
            control: path.control,
            seen,
            rounds,
        });
    }

    fn snapshot(&self, path: &mut ThreadPath) -> Vec<u64> {
        let all = 0..self.function.registers.len() as u32;
        all.map(|id| path.emulator.register(RegisterId(id)))
            .collect()
    }

    fn end(&self, mut path: ThreadPath) -> ThreadTrace {
        use crate::explore::query::ObservedValue;
        let own = |observed: &ObservedValue| match observed {
            ObservedValue::Register { thread, register } if *thread == self.index => {
                Some(*register)
            }
            ObservedValue::Register { .. } | ObservedValue::Memory { .. } => None,
        };
        let registers = self.question.observed.iter().filter_map(own);
        let registers = registers.map(|id| id.map_or(0, |id| path.emulator.register(id)));
        ThreadTrace {
            registers: registers.collect(),
            steps: path.steps,
        }
    }

    pub(crate) fn operands(&self, at: &CurrentInstruction<'_>) -> &'a [Operand] {
        self.function.operands_of(at.instruction.operands)
    }

    /// Returns the dependencies of the operands of an instruction, including addresses.
    fn taint_of_operands(&self, path: &ThreadPath, instruction: &Instruction) -> u64 {
        let mut taint = 0;
        for operand in self.function.operands_of(instruction.operands) {
            taint |= path.taint_of(&operand.value);
            if let OperandValue::List(list) = operand.value {
                let elements = self.function.operands_of(list);
                taint |= elements
                    .iter()
                    .fold(0, |all, e| all | path.taint_of(&e.value));
            }
        }
        taint
    }

    /// Sets the dependencies of the destinations of an instruction. The previous value of a predicated destination
    /// needs no separate treatment, because the dependencies of the guard cover it.
    pub(crate) fn taint_results(
        &self,
        path: &mut ThreadPath,
        instruction: &Instruction,
        taint: u64,
    ) {
        for register in self.function.destinations(instruction) {
            path.set_taint(register, taint);
        }
    }

    /// Returns the value of a source operand.
    pub(crate) fn value(
        &self,
        path: &mut ThreadPath,
        at: &CurrentInstruction<'_>,
        index: usize,
    ) -> Result<u64, PathExit> {
        let operand = self.operands(at).get(index).map(|operand| &operand.value);
        match operand.and_then(|value| path.value_of(value)) {
            Some(value) => Ok(value),
            None => Err(self
                .unsupported_error(
                    path,
                    "the operand is neither a register nor a number: move the value into a register first",
                )
                .into()),
        }
    }

    pub(crate) fn unsupported_error(&self, path: &ThreadPath, reason: &str) -> ExploreError {
        ExploreError::Unsupported {
            thread: self.index,
            instruction: path.pc.saturating_sub(1),
            why: reason.to_owned(),
        }
    }
}

/// Result of executing one instruction of a thread path: the successor paths, or the end of the thread.
pub(crate) enum StepResult {
    Ended(ThreadTrace),
    Ways(Vec<ThreadPath>),
}

/// Instruction that a thread path executes, with its modifiers and its index in the function.
pub(crate) struct CurrentInstruction<'a> {
    pub(crate) instruction: &'a Instruction,
    pub(crate) words: &'a Modifiers,
    pub(crate) number: u32,
}

impl ThreadPath {
    pub(crate) fn taint(&self, register: RegisterId) -> u64 {
        self.taints.get(register.0 as usize).copied().unwrap_or(0)
    }

    pub(crate) fn set_taint(&mut self, register: RegisterId, taint: u64) {
        if let Some(place) = self.taints.get_mut(register.0 as usize) {
            *place = taint;
        }
    }

    pub(crate) fn taint_of(&self, value: &OperandValue) -> u64 {
        use warpgrid_program::AddressBase;
        let of_source = |source: &Source| match source {
            Source::Register(run) => run.registers().fold(0, |all, r| all | self.taint(r)),
            Source::RegisterOffset { register, .. } => self.taint(*register),
            _ => 0,
        };
        match value {
            OperandValue::Source(source, _) | OperandValue::Predicate { source, .. } => {
                of_source(source)
            }
            OperandValue::Address(address) => match address.base {
                AddressBase::Register(run) => run.registers().fold(0, |all, r| all | self.taint(r)),
                AddressBase::Variable(_) | AddressBase::Bank { .. } | AddressBase::None => 0,
            },
            OperandValue::Absent
            | OperandValue::Destination(_)
            | OperandValue::Pair(..)
            | OperandValue::List(_)
            | OperandValue::Label(_)
            | OperandValue::Callee(_) => 0,
        }
    }

    /// Returns the value of a register or literal operand.
    pub(crate) fn value_of(&mut self, value: &OperandValue) -> Option<u64> {
        match value {
            OperandValue::Source(source, _) => match source {
                Source::Register(run) => Some(self.emulator.register(run.first)),
                Source::Immediate(bits) => Some(*bits),
                Source::RegisterOffset { register, offset } => Some(
                    self.emulator
                        .register(*register)
                        .wrapping_add(*offset as u64),
                ),
                Source::Sink => Some(0),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds the dependencies of the carry flag to the current instruction.
    fn depend_on_carry(&mut self) {
        self.depends |= self.taints.last().copied().unwrap_or(0);
    }

    /// Sets the dependencies of the carry flag to the dependencies of the current instruction.
    fn carried(mut self) -> ThreadPath {
        if let Some(taint) = self.taints.last_mut() {
            *taint = self.depends;
        }
        self
    }

    /// Returns the iteration counts of the loops that contain the current instruction.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.heads.iter().map(|head| (head.at, head.rounds))
    }

    /// Returns the index of the next instruction.
    pub(crate) fn place(&self) -> u32 {
        self.pc
    }

    /// Appends an event of the current instruction. Returns its number.
    pub(crate) fn push_event(&mut self, step: TraceEvent) -> usize {
        let depends = self.depends;
        self.steps.push(TraceEvent { depends, ..step });
        self.steps.len() - 1
    }
}

/// Returns a mask of the bits below `n`.
pub(crate) const fn low_bits(n: usize) -> u64 {
    match n {
        0 => 0,
        1..64 => (1 << n) - 1,
        _ => u64::MAX,
    }
}

/// Returns the targets of the back edges of a function.
fn loop_heads(function: &Function) -> BTreeSet<u32> {
    let mut heads = BTreeSet::new();
    for (index, instruction) in function.instructions.iter().enumerate() {
        for operand in function.operands_of(instruction.operands) {
            if let OperandValue::Label(target) = operand.value
                && target as usize <= index
            {
                heads.insert(target);
            }
        }
    }
    heads
}
