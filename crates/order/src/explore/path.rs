//! Symbolic execution of one thread along one path. Input: code, registers, and the values that the reads return.
//! Output: the events of the thread.
//!
//! The emulator executes instructions that only change registers. This module handles control flow, and tracks the
//! dependencies of values.

use crate::explore::cells::Cells;
use crate::explore::exchange::Given;
use crate::explore::origins::{Origins, Writes};
use crate::explore::question::{ExploreError, Question, ThreadSpec};
use crate::explore::step::{Step, Trace};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use warpgrid_emulator::{Launch, Lone, ThreadPlace};
use warpgrid_isa::{ControlOp, Does, Modifiers, MoveOp};
use warpgrid_program::{Function, Instruction, Operand, OperandValue, RegisterId, Source};

/// Values that each cell can hold, with their provenance.
pub(crate) type Domain = Vec<BTreeMap<u64, Origins>>;

/// Reason for which a path stops.
pub(crate) enum Halt {
    Failed(ExploreError),
    /// A cell must be split at this address first.
    Cut(u64),
}

impl From<ExploreError> for Halt {
    fn from(error: ExploreError) -> Halt {
        Halt::Failed(error)
    }
}

/// State that all paths of a thread share.
pub(crate) struct Walker<'a> {
    pub(crate) question: &'a Question,
    pub(crate) index: usize,
    pub(crate) thread: &'a ThreadSpec,
    pub(crate) function: &'a Function,
    pub(crate) cells: &'a Cells,
    pub(crate) domain: Cow<'a, Domain>,
    /// Numbering of writes.
    pub(crate) writes: &'a Writes,
    /// Values that other lanes can supply.
    pub(crate) given: &'a Given,
    /// Whether each cell is a counter, as far as the search uses this.
    pub(crate) counters: &'a [bool],
    /// Instructions before which a fence can be inserted.
    pub(crate) places: &'a [bool],
    /// Targets of back edges.
    heads: BTreeSet<u32>,
    /// Whether a loop was truncated.
    pub(crate) bounded: bool,
    /// Whether some path executes each instruction.
    pub(crate) reached: Vec<bool>,
    /// Paths that wait forever as far as known. Their writes are visible to the other threads, which may end the wait.
    pub(crate) waiting: Vec<Trace>,
    known_waiting: HashSet<Trace>,
}

/// Loop that contains the current instruction.
#[derive(Clone)]
struct Head {
    at: u32,
    n_steps: usize,
    control: u64,
    /// Register contents at the start of each iteration that had no visible effect.
    seen: Vec<Vec<u64>>,
    rounds: usize,
}

/// Execution path of a thread.
#[derive(Clone)]
pub(crate) struct Path {
    pub(crate) lone: Lone,
    pc: u32,
    executed: u32,
    pub(crate) steps: Vec<Step>,
    /// Dependencies of each register, followed by the dependencies of the carry flag.
    taints: Vec<u64>,
    /// Control dependencies of the path.
    pub(crate) control: u64,
    pub(crate) instance: u32,
    heads: Vec<Head>,
    /// Uncommitted asynchronous copies, and the committed groups.
    pub(crate) bulk: Groups,
    pub(crate) copies: Groups,
    /// Dependencies of the current instruction: guard and operands.
    pub(crate) depends: u64,
}

/// Groups of asynchronous copies, as event numbers.
#[derive(Clone, Default)]
pub(crate) struct Groups {
    pub(crate) open: Vec<usize>,
    pub(crate) made: Vec<Vec<usize>>,
}

/// State of the fixed-point iteration over all threads.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) cells: &'a Cells,
    pub(crate) domain: &'a Domain,
    pub(crate) writes: &'a Writes,
    pub(crate) given: &'a Given,
    /// Whether each cell is a counter whose decreasing traces are skipped.
    pub(crate) counters: &'a [bool],
}

/// Successor paths of an instruction.
pub(crate) type Ways = Result<Vec<Path>, Halt>;

impl<'a> Walker<'a> {
    pub(crate) fn new(
        question: &'a Question,
        index: usize,
        known: Known<'a>,
        places: &'a [bool],
    ) -> Option<Walker<'a>> {
        let thread = question.threads.get(index)?;
        let function = question.program.functions.get(thread.function.0 as usize)?;
        Some(Walker {
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
            heads: heads_of(function),
            bounded: false,
            reached: vec![false; function.instructions.len()],
            waiting: Vec::new(),
            known_waiting: HashSet::new(),
        })
    }

    /// Returns the path of the thread before its first instruction.
    pub(crate) fn start(&self) -> Result<Path, ExploreError> {
        let launch = Launch {
            entry: self.thread.function,
            ..self.question.launch.clone()
        };
        let place = ThreadPlace {
            block: self.thread.block,
            thread: self.thread.thread,
        };
        let lone = Lone::new(&self.question.program, &launch, place);
        let mut lone = lone.map_err(ExploreError::Launch)?;
        for (register, value) in &self.thread.registers {
            lone.set_register(*register, *value);
        }
        Ok(Path {
            lone,
            pc: 0,
            executed: 0,
            steps: Vec::new(),
            taints: vec![0; self.function.registers.len() + 1],
            control: 0,
            instance: 0,
            heads: Vec::new(),
            bulk: Groups::default(),
            copies: Groups::default(),
            depends: 0,
        })
    }

    /// Returns the traces of all paths of a thread.
    pub(crate) fn walk(&mut self, start: Path) -> Result<Vec<Trace>, Halt> {
        let mut open = vec![start];
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        while let Some(path) = open.pop() {
            let limit = self.question.limits.ways;
            if found.len() + open.len() > limit {
                let thread = self.index;
                return Err(ExploreError::TooManyWays { thread, limit }.into());
            }
            match self.next(path)? {
                Next::Ended(trace) => {
                    let is_possible = self.writes.allow(self.index, &trace, &self.domain);
                    if is_possible && seen.insert(trace.clone()) {
                        found.push(trace);
                    }
                }
                Next::Ways(ways) => open.extend(ways),
            }
        }
        Ok(found)
    }

    /// Executes one instruction.
    pub(crate) fn next(&mut self, mut path: Path) -> Result<Next, Halt> {
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
            return Ok(Next::Ended(self.end(path)));
        };
        if self.heads.contains(&pc) && path.heads.last().is_none_or(|head| head.at != pc) {
            self.enter(&mut path, 0);
        }
        if self.places.get(pc as usize) == Some(&true) {
            self.add_place(&mut path);
        }
        path.pc += 1;
        path.instance += 1;
        path.depends = path.control;
        if let Some(guard) = instruction.guard {
            path.depends |= path.taint(guard.predicate);
            let holds = path.lone.register(guard.predicate) != 0;
            if holds == guard.negated {
                return Ok(Next::Ways(self.skip(path, instruction)));
            }
        }
        if let Some(reached) = self.reached.get_mut(pc as usize) {
            *reached = true;
        }
        self.execute(path, instruction)
    }

    /// Skips an instruction with a false guard. Its destinations depend on the guard nevertheless.
    fn skip(&self, mut path: Path, instruction: &Instruction) -> Vec<Path> {
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
        let action = self.question.program.action(instruction);
        action.and_then(|action| action.does.control())
    }

    fn execute(&mut self, mut path: Path, instruction: &'a Instruction) -> Result<Next, Halt> {
        let Some(action) = self.question.program.action(instruction) else {
            return Err(self
                .no_place(
                    &path,
                    "the PTX ISA manual does not define the semantics of this instruction: remove the instruction",
                )
                .into());
        };
        path.depends |= self.taint_of_operands(&path, instruction);
        let at = At {
            instruction,
            words: &action.modifiers,
            number: path.pc - 1,
        };
        let ways = match action.does {
            Does::Memory(op) => self.memory(path, &at, op)?,
            Does::Mbarrier(op) => self.mbarrier(path, &at, op)?,
            Does::Async(op) => self.start_async(path, &at, op)?,
            Does::Sync(op) => self.sync(path, &at, op)?,
            Does::Control(op) => return self.control(path, &at, op),
            Does::Move(MoveOp::MapToRank) => self.map_to_rank(path, &at)?,
            Does::Carry(_) => {
                path.depend_on_carry();
                let ways = self.compute(path, &at)?;
                ways.into_iter().map(Path::carried).collect()
            }
            Does::Arithmetic(_) | Does::Video(..) | Does::Compare(_) | Does::Move(_) => {
                self.compute(path, &at)?
            }
            Does::Hint(_) => vec![path],
            Does::Warp(op) => self.exchange(path, &at, op)?,
            Does::Matrix(_) | Does::Unit(_) | Does::Machine(_) | Does::Unknown => {
                return Err(self.refuse(&path, &action.opcode).into());
            }
        };
        Ok(Next::Ways(ways))
    }

    fn compute(&self, mut path: Path, at: &At<'_>) -> Ways {
        if !path.lone.compute(at.number) {
            let action = self.question.program.action(at.instruction);
            let opcode = action.map_or("an instruction", |action| &action.opcode);
            return Err(self.refuse(&path, opcode).into());
        }
        let depends = path.depends;
        self.taint_results(&mut path, at.instruction, depends);
        Ok(vec![path])
    }

    /// Executes `mapa`, which maps an address to the shared memory of another block.
    fn map_to_rank(&self, mut path: Path, at: &At<'_>) -> Ways {
        let place = self.value(&mut path, at, 1)?;
        let rank = self.value(&mut path, at, 2)?;
        let results = self.function.destinations(at.instruction);
        for register in results {
            let there = path.lone.map_to_rank(place, rank as u32);
            path.lone.set_register(register, there);
            let depends = path.depends;
            path.set_taint(register, depends);
        }
        Ok(vec![path])
    }

    fn control(&mut self, path: Path, at: &At<'_>, op: ControlOp) -> Result<Next, Halt> {
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
                    self.no_place(
                        &path,
                        "the branch has no label as its target: branch to a label of the same thread",
                    )
                })?;
                Ok(Next::Ways(self.branch(path, target)))
            }
            ControlOp::Return | ControlOp::Exit => Ok(Next::Ended(self.end(path))),
            ControlOp::BranchIndexed
            | ControlOp::Call
            | ControlOp::Trap
            | ControlOp::Breakpoint
            | ControlOp::PushReconvergence
            | ControlOp::Reconverge
            | ControlOp::ReconvergeUnlessYielded
            | ControlOp::GiveWay
            | ControlOp::LeaveReconvergence
            | ControlOp::BranchIndirect
            | ControlOp::BranchDivergent => {
                let action = self.question.program.action(at.instruction);
                let opcode = action.map_or("an instruction", |action| &action.opcode);
                Err(self.refuse(&path, opcode).into())
            }
        }
    }

    /// Branches to a label. A loop iteration that only reads is discarded, so that the loop is represented by its last
    /// iteration.
    fn branch(&mut self, mut path: Path, target: u32) -> Vec<Path> {
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
        let most = self.question.limits.rounds;
        let Some(head) = path.heads.last_mut() else {
            return vec![path];
        };
        let n_steps = head.n_steps;
        let round = path.steps.get(n_steps..).unwrap_or(&[]);
        if round.iter().all(Step::is_quiet) {
            if head.seen.contains(&registers) {
                self.waits(path);
                return Vec::new();
            }
            if head.seen.len() > most {
                self.bounded = true;
                self.waits(path);
                return Vec::new();
            }
            head.seen.push(registers);
            path.control = head.control;
            path.steps.truncate(n_steps);
            let kept = low_bits(n_steps);
            path.taints.iter_mut().for_each(|taint| *taint &= kept);
            return vec![path];
        }
        let rounds = head.rounds + 1;
        path.heads.pop();
        // A loop whose condition does not depend on a read terminates, or exceeds the limit of events.
        if rounds >= most && path.control != 0 {
            self.bounded = true;
            return Vec::new();
        }
        self.enter(&mut path, rounds);
        vec![path]
    }

    /// Records the writes and supplied values of a waiting path.
    pub(crate) fn waits(&mut self, path: Path) {
        let trace = Trace {
            steps: path.steps,
            registers: Vec::new(),
        };
        let tells = trace.steps.iter().any(Step::tells_others);
        if tells && self.known_waiting.insert(trace.clone()) {
            self.waiting.push(trace);
        }
    }

    fn enter(&self, path: &mut Path, rounds: usize) {
        let seen = vec![self.snapshot(path)];
        path.heads.push(Head {
            at: path.pc,
            n_steps: path.steps.len(),
            control: path.control,
            seen,
            rounds,
        });
    }

    fn snapshot(&self, path: &mut Path) -> Vec<u64> {
        let all = 0..self.function.registers.len() as u32;
        all.map(|id| path.lone.register(RegisterId(id))).collect()
    }

    fn end(&self, mut path: Path) -> Trace {
        use crate::explore::question::Observed;
        let own = |observed: &Observed| match observed {
            Observed::Register { thread, register } if *thread == self.index => Some(*register),
            Observed::Register { .. } | Observed::Memory { .. } => None,
        };
        let registers = self.question.observed.iter().filter_map(own);
        let registers = registers.map(|id| id.map_or(0, |id| path.lone.register(id)));
        Trace {
            registers: registers.collect(),
            steps: path.steps,
        }
    }

    pub(crate) fn operands(&self, at: &At<'_>) -> &'a [Operand] {
        self.function.operands_of(at.instruction.operands)
    }

    /// Returns the dependencies of the operands of an instruction, including addresses.
    fn taint_of_operands(&self, path: &Path, instruction: &Instruction) -> u64 {
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

    /// Sets the dependencies of the destinations of an instruction. The dependencies of the guard cover the previous
    /// value of a predicated destination.
    pub(crate) fn taint_results(&self, path: &mut Path, instruction: &Instruction, taint: u64) {
        for register in self.function.destinations(instruction) {
            path.set_taint(register, taint);
        }
    }

    /// Returns the value of a source operand.
    pub(crate) fn value(&self, path: &mut Path, at: &At<'_>, index: usize) -> Result<u64, Halt> {
        let operand = self.operands(at).get(index).map(|operand| &operand.value);
        match operand.and_then(|value| path.value_of(value)) {
            Some(value) => Ok(value),
            None => Err(self
                .no_place(
                    path,
                    "the operand is neither a register nor a number: move the value into a register first",
                )
                .into()),
        }
    }

    pub(crate) fn no_place(&self, path: &Path, why: &str) -> ExploreError {
        ExploreError::NoPlace {
            thread: self.index,
            instruction: path.pc.saturating_sub(1),
            why: why.to_owned(),
        }
    }
}

/// Result of executing one instruction.
pub(crate) enum Next {
    Ended(Trace),
    Ways(Vec<Path>),
}

/// Instruction under execution.
pub(crate) struct At<'a> {
    pub(crate) instruction: &'a Instruction,
    pub(crate) words: &'a Modifiers,
    pub(crate) number: u32,
}

impl Path {
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
                Source::Register(run) => Some(self.lone.register(run.first)),
                Source::Immediate(bits) => Some(*bits),
                Source::RegisterOffset { register, offset } => {
                    Some(self.lone.register(*register).wrapping_add(*offset as u64))
                }
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

    /// Sets the dependencies of the carry flag to those of the current instruction.
    fn carried(mut self) -> Path {
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
    pub(crate) fn push(&mut self, step: Step) -> usize {
        let depends = self.depends;
        self.steps.push(Step { depends, ..step });
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

/// Returns the targets of back edges.
fn heads_of(function: &Function) -> BTreeSet<u32> {
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
