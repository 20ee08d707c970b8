//! One way through one thread. In: its code, its registers, and for each read the value that it is to return; out: its events.
//!
//! Instructions that change registers alone are those of the emulator. Here are the ways that a thread can go, and what its values depend on.

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

/// What a thread could read in each cell: values, each with the ways in which it can come about.
pub(crate) type Domain = Vec<BTreeMap<u64, Origins>>;

/// Why a way goes no further.
pub(crate) enum Halt {
    Failed(ExploreError),
    /// A cell must be cut first, here.
    Cut(u64),
}

impl From<ExploreError> for Halt {
    fn from(error: ExploreError) -> Halt {
        Halt::Failed(error)
    }
}

/// What all ways through a thread share.
pub(crate) struct Walker<'a> {
    pub(crate) question: &'a Question,
    pub(crate) index: usize,
    pub(crate) thread: &'a ThreadSpec,
    pub(crate) function: &'a Function,
    pub(crate) cells: &'a Cells,
    pub(crate) domain: Cow<'a, Domain>,
    /// The numbers of writes.
    pub(crate) writes: &'a Writes,
    /// What other lanes could give.
    pub(crate) given: &'a Given,
    /// By cell: whether it counts up, as far as that is used.
    pub(crate) counters: &'a [bool],
    /// Instructions before which a fence may be put.
    pub(crate) places: &'a [bool],
    /// Where branches go back to.
    heads: BTreeSet<u32>,
    /// Whether a loop was cut off after its last round.
    pub(crate) bounded: bool,
    /// By instruction: whether some way executes it.
    pub(crate) reached: Vec<bool>,
    /// Ways that wait for ever, as far as is known: what they have written is there for others, who may end the wait.
    pub(crate) waiting: Vec<Trace>,
    known_waiting: HashSet<Trace>,
}

/// A loop that a way is in.
#[derive(Clone)]
struct Head {
    at: u32,
    n_steps: usize,
    control: u64,
    /// What the registers held each time that a round began with nothing done.
    seen: Vec<Vec<u64>>,
    rounds: usize,
}

/// A way through a thread, so far.
#[derive(Clone)]
pub(crate) struct Path {
    pub(crate) lone: Lone,
    pc: u32,
    executed: u32,
    pub(crate) steps: Vec<Step>,
    /// By register, what it depends on; the carry flag comes last.
    taints: Vec<u64>,
    /// What the way itself depends on.
    pub(crate) control: u64,
    pub(crate) instance: u32,
    heads: Vec<Head>,
    /// Asynchronous copies without a group, and the groups.
    pub(crate) bulk: Groups,
    pub(crate) copies: Groups,
    /// The dependences of the instruction at hand: guard and operands.
    pub(crate) depends: u64,
}

/// Groups of asynchronous copies, by numbers of their events.
#[derive(Clone, Default)]
pub(crate) struct Groups {
    pub(crate) open: Vec<usize>,
    pub(crate) made: Vec<Vec<usize>>,
}

/// What is known so far of all threads.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) cells: &'a Cells,
    pub(crate) domain: &'a Domain,
    pub(crate) writes: &'a Writes,
    pub(crate) given: &'a Given,
    /// By cell: whether it is a counter whose ways back are left out.
    pub(crate) counters: &'a [bool],
}

/// The ways on from an instruction.
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

    /// The thread before its first instruction.
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

    /// All ways from the start to the end.
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

    /// A guard that does not hold: what would have been written depends on it all the same.
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

    /// `mapa`: the same place in the shared memory of another block.
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

    /// Goes to a label. A round of a loop that did nothing but read is forgotten: it counts as its last round.
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
        // What no read decides ends by itself, or has too many events.
        if rounds >= most && path.control != 0 {
            self.bounded = true;
            return Vec::new();
        }
        self.enter(&mut path, rounds);
        vec![path]
    }

    /// Keeps what a way that waits has written and given.
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

    /// What the operands of an instruction depend on, registers that it reads and addresses.
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

    /// What an instruction wrote now depends on this; under a guard also on what was there before, which the dependence of the guard covers.
    pub(crate) fn taint_results(&self, path: &mut Path, instruction: &Instruction, taint: u64) {
        for register in self.function.destinations(instruction) {
            path.set_taint(register, taint);
        }
    }

    /// The value of a source among the operands.
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

/// What became of a way.
pub(crate) enum Next {
    Ended(Trace),
    Ways(Vec<Path>),
}

/// The instruction that is executed.
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

    /// The value of a source, where it is a register or a number.
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

    /// What is computed now depends on the carry flag.
    fn depend_on_carry(&mut self) {
        self.depends |= self.taints.last().copied().unwrap_or(0);
    }

    /// The carry flag depends on what was computed.
    fn carried(mut self) -> Path {
        if let Some(taint) = self.taints.last_mut() {
            *taint = self.depends;
        }
        self
    }

    /// The rounds of the loops that it is in.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.heads.iter().map(|head| (head.at, head.rounds))
    }

    /// The instruction that comes next.
    pub(crate) fn place(&self) -> u32 {
        self.pc
    }

    /// Adds an event of the instruction at hand, and says its number.
    pub(crate) fn push(&mut self, step: Step) -> usize {
        let depends = self.depends;
        self.steps.push(Step { depends, ..step });
        self.steps.len() - 1
    }
}

/// Bits below a number.
pub(crate) const fn low_bits(n: usize) -> u64 {
    match n {
        0 => 0,
        1..64 => (1 << n) - 1,
        _ => u64::MAX,
    }
}

/// Instructions that some branch goes back to.
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
