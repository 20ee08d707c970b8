//! A guessed launch is rehearsed before anyone sees it: where the kernel runs over the edge of something that was only
//! guessed, the guess grows; where it takes a number for an address, the number becomes a buffer. What was stated stays
//! as it was stated, and so do its faults. A run that shows nothing, since it stores nothing, spins or stops itself, is tried
//! again with other numbers.

use crate::annotations::lines_of;
use crate::guess;
use crate::prepare;
use crate::reading::{Base, Reader, Reading};
use crate::scenario::{Buffer, Init, Misaligned, Parameter, RegisterStart, Scenario};
use crate::value::{ElementType, Literal};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use warpgrid_emulator::{
    AccessAction, AccessEvent, AccessFault, Agent, BufferIndex, Decoded, Fault, FaultKind,
    Interest, Limits, Machine, MemoryId, MemoryRegion, Observer, Region, Status, StepEvent,
    SyncEvent, SyncKind,
};
use warpgrid_isa::ScalarType;
use warpgrid_program::{FunctionId, Program};

/// Steps of one rehearsal; of a longer run only the beginning is rehearsed.
const MAX_STEPS: u64 = 200_000;
/// Steps of a run with another number: enough to see it store something.
const MAX_STEPS_OF_TRIAL: u64 = 20_000;
/// Steps of all rehearsals of one launch.
const MAX_STEPS_IN_ALL: u64 = 1_000_000;
/// No guessed buffer grows beyond this.
const MAX_BUFFER_BYTES: u64 = 4 << 20;
/// Elements that a buffer grows by at its start, at least.
const MIN_ELEMENTS: u64 = 32;
/// The most numbers that are tried.
const MAX_TRIALS: usize = 24;
/// What a parameter costs in steps: the machine makes a buffer of most.
const COST_OF_PARAMETER: u64 = 100;
/// Instructions of a kernel, at most, for which it is looked which of them a run reaches.
const MAX_INSTRUCTIONS: usize = 20_000;
/// Threads of a block, at most.
const MAX_BLOCK: u32 = 1024;
/// How far after a number an access may lie that took it for an address.
const REACH_BYTES: u64 = 1 << 20;

/// The parts of a scenario that are guessed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guessed {
    /// One entry per parameter of the kernel, in order.
    pub(crate) parameters: Vec<bool>,
    pub(crate) dynamic_shared: bool,
    pub(crate) grid: bool,
    pub(crate) cluster: bool,
    pub(crate) block: bool,
    /// What becomes of misaligned addresses.
    pub(crate) misaligned: bool,
    /// Registers of loose machine code that nothing sets.
    pub(crate) registers: Vec<RegisterStart>,
}

impl Guessed {
    /// Every guess, those within structures one by one.
    fn leaves<'a>(
        &'a self,
        parameters: &'a mut [Parameter],
    ) -> impl Iterator<Item = &'a mut Parameter> {
        let guessed = parameters.iter_mut().zip(&self.parameters);
        let guesses = guessed.filter(|(_, guessed)| **guessed).map(|(p, _)| p);
        guesses.flat_map(|parameter| match parameter {
            Parameter::Struct { fields, .. } => {
                let members = fields.iter_mut().map(|field| &mut field.parameter);
                members.collect::<Vec<_>>()
            }
            other => vec![other],
        })
    }

    /// The guesses as the lines that would state them, each starting with `mark`.
    pub(crate) fn lines(&self, scenario: &Scenario, mark: &str) -> Vec<String> {
        let launch = self.launch_line(scenario, mark);
        let guessed = scenario.params.iter().zip(&self.parameters);
        let parameters = guessed.filter(|(_, guessed)| **guessed);
        let lines = parameters.flat_map(|(parameter, _)| {
            let array = parameter.array();
            let mut arrays = scenario.arrays.iter();
            let array = array.and_then(|name| arrays.find(|array| array.name == name));
            let array = array.map(|array| format!("{mark} array {}", array.line()));
            array.into_iter().chain(lines_of(parameter, mark))
        });
        let registers = self.registers.iter();
        let registers = registers.map(|r| format!("{mark} register {} = {}", r.name, r.value));
        launch.into_iter().chain(lines).chain(registers).collect()
    }

    /// Returns the line that states the inferred part of the launch; `None` if all of it is stated.
    pub(crate) fn launch_line(&self, scenario: &Scenario, mark: &str) -> Option<String> {
        let mut launch = String::new();
        if self.grid {
            launch += &format!(" grid={}", extents(scenario.grid.unwrap_or([1; 3])));
        }
        if let Some(cluster) = scenario.cluster.filter(|_| self.cluster) {
            launch += &format!(" cluster={}", extents(cluster));
        }
        if let Some(block) = scenario.block.filter(|_| self.block) {
            launch += &format!(" block={}", extents(block));
        }
        if self.dynamic_shared && scenario.dynamic_shared > 0 {
            launch += &format!(" shared={}", scenario.dynamic_shared);
        }
        if let Some(Misaligned::Force) = scenario.misaligned.filter(|_| self.misaligned) {
            launch += " misaligned=force";
        }
        (!launch.is_empty()).then(|| format!("{mark} launch{launch}"))
    }
}

/// `16x16`, without the extents of 1 at the end.
fn extents([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

/// Rehearses a complete scenario and grows its guesses until the kernel stays within them, or nothing more can be done.
pub(crate) fn rehearse(
    scenario: &mut Scenario,
    guessed: &Guessed,
    program: &Arc<Program>,
    entry: FunctionId,
    limits: &Limits,
) -> Option<Decoded> {
    if !guessed.dynamic_shared && !guessed.block && !guessed.parameters.contains(&true) {
        return None;
    }
    let mut stage = Stage {
        guessed,
        program,
        entry,
        limits,
        steps_left: MAX_STEPS_IN_ALL,
        decoded: None,
    };
    let mut outcome = stage.grow(scenario, MAX_STEPS);
    if outcome == Some(Outcome::Stuck)
        && let Some(better) = stage.with_larger_block(scenario)
    {
        *scenario = better;
        outcome = Some(Outcome::Stores);
    }
    if outcome.is_some_and(|outcome| outcome < Outcome::Stores)
        && let Some(better) = stage.with_other_value(scenario, outcome)
    {
        *scenario = better;
    }
    if let Some(better) = stage.with_more_reached(scenario) {
        *scenario = better;
    }
    if let Some(better) = stage.with_other_block(scenario) {
        *scenario = better;
    }
    stage.decoded
}

/// How much a run shows, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// It stops with a fault.
    Faults,
    /// Every thread that is left waits.
    Stuck,
    /// It goes on and on, and stores nothing.
    Spins,
    /// It ends, and has stored nothing.
    EndsEmpty,
    /// It stores something, and ends or goes on.
    Stores,
}

/// The evaluation of a launch by a trial run.
#[derive(Clone, Debug)]
struct Evaluation {
    /// Function and index of each instruction that the run reaches.
    reached: BTreeSet<(u32, u32)>,
    /// Instructions of the kernel that the run reaches.
    n_reached: usize,
    outcome: Outcome,
    has_conflict: bool,
    reads_unwritten: bool,
}

impl Evaluation {
    /// Whether the run neither faults nor hangs, and has no conflicting stores and no read of unwritten shared memory.
    fn is_sound(&self) -> bool {
        !matches!(self.outcome, Outcome::Faults | Outcome::Stuck)
            && !self.has_conflict
            && !self.reads_unwritten
    }
}

/// A run of a rehearsal.
struct Run {
    outcome: Outcome,
    fault: Option<Fault>,
    /// The buffer that the address of the fault was computed from, and how many bytes after its start it lies; negative before it.
    origin: Option<(String, i64)>,
}

/// The last store of an element. `thread` is `None` for atomics and asynchronous operations.
#[derive(Clone, Copy, PartialEq)]
struct LastStore {
    thread: Option<u64>,
    /// Synchronizations of the block before it.
    epoch: u64,
    step: u64,
}

/// Counts the steps that store, and notes the instructions that a run reaches where that is asked for.
#[derive(Default)]
struct Watch {
    n_stores: u64,
    /// Function and index of each instruction.
    reached: Option<BTreeSet<(u32, u32)>>,
    /// The last store of each element.
    writers: HashMap<(MemoryId, u64), LastStore>,
    /// Words of shared memory that anything has written.
    written: HashSet<(MemoryId, u64)>,
    /// Synchronizations of each block.
    epochs: BTreeMap<u64, u64>,
    /// Whether two threads stored the same element without a synchronization of the block in between.
    has_conflict: bool,
    /// Whether an element of shared memory was read that nothing had written.
    reads_unwritten: bool,
}

impl Observer for Watch {
    fn interest(&self) -> Interest {
        match self.reached {
            Some(_) => Interest {
                steps: true,
                ..Interest::ORDER
            },
            None => Interest::NONE,
        }
    }

    fn step(&mut self, event: &StepEvent) {
        if let Some(reached) = &mut self.reached {
            reached.insert((event.function.0, event.instruction));
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let step = event.step;
        let unordered = LastStore {
            thread: None,
            epoch: 0,
            step,
        };
        if event.action != AccessAction::Load {
            for piece in event.written() {
                let is_shared = matches!(piece.memory, MemoryId::Shared { .. });
                let n_bytes = if is_shared { piece.n_bytes } else { 0 };
                let words = (piece.address..piece.address + u64::from(n_bytes)).map(word);
                self.written.extend(words.map(|word| (piece.memory, word)));
            }
        }
        let Agent::Warp { block, warp } = event.agent else {
            let written = event.written();
            let stored = written.map(|piece| ((piece.memory, piece.address), unordered));
            self.writers.extend(stored);
            return;
        };
        let epoch = self.epochs.get(&block).copied().unwrap_or(0);
        for piece in event.pieces {
            let place = (piece.memory, piece.address);
            let thread = (block << 16) + u64::from(warp) * 32 + u64::from(piece.asked);
            match (event.action, piece.memory) {
                (AccessAction::Load, MemoryId::Shared { .. }) => {
                    let word = (piece.memory, word(piece.address));
                    self.reads_unwritten |= !self.written.contains(&word);
                }
                (AccessAction::Store, MemoryId::Shared { .. } | MemoryId::Global) => {
                    let own = LastStore {
                        thread: Some(thread),
                        epoch,
                        step,
                    };
                    // Lanes of one store agree on the value most often.
                    let is_conflict = |last: LastStore| {
                        let is_other = last.thread.is_some_and(|other| other != thread);
                        is_other && last.epoch == epoch && last.step != step
                    };
                    let last = self.writers.insert(place, own);
                    self.has_conflict |= last.is_some_and(is_conflict);
                }
                (AccessAction::Atomic | AccessAction::Reduction, _) => {
                    self.writers.insert(place, unordered);
                }
                _ => {}
            }
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if !matches!(event.what, SyncKind::Fence) {
            *self.epochs.entry(event.block).or_default() += 1;
        }
    }

    fn store_step(&mut self, _step: u64) {
        self.n_stores += 1;
    }
}

/// The address of the word that a byte is in.
fn word(address: u64) -> u64 {
    address & !3
}

struct Stage<'a> {
    guessed: &'a Guessed,
    program: &'a Arc<Program>,
    entry: FunctionId,
    limits: &'a Limits,
    steps_left: u64,
    /// Of the last run: most others run the same code.
    decoded: Option<Decoded>,
}

/// An access outside everything, and the fault that says so.
struct OutOfBounds {
    fault: Fault,
    access: AccessFault,
    origin: Option<(String, i64)>,
}

/// A guessed parameter that holds a whole number.
struct Scalar<'a> {
    name: &'a str,
    ty: &'a str,
    value: u64,
}

impl Scalar<'_> {
    fn of(parameter: &Parameter) -> Option<Scalar<'_>> {
        match parameter {
            Parameter::Scalar {
                name,
                ty,
                value: Literal::Integer(value),
            } => Some(Scalar {
                name,
                ty,
                value: u64::try_from(*value).ok()?,
            }),
            _ => None,
        }
    }
}

/// Elements of the buffers of a parameter.
fn n_elements(parameter: &Parameter) -> u64 {
    match parameter {
        Parameter::Buffer(buffer) => buffer.len,
        Parameter::Struct { fields, .. } => {
            let members = fields.iter().map(|field| n_elements(&field.parameter));
            members.fold(0, u64::saturating_add)
        }
        Parameter::Scalar { .. }
        | Parameter::Alias { .. }
        | Parameter::Tensormap(_)
        | Parameter::Texture(_)
        | Parameter::Surface(_)
        | Parameter::Multimem { .. } => 0,
    }
}

/// The access outside everything that a run ended with.
fn out_of_bounds(run: Run) -> Option<OutOfBounds> {
    let fault = run.fault?;
    let access = fault.access.clone();
    let access = access.filter(|_| fault.kind == FaultKind::OutOfBounds)?;
    Some(OutOfBounds {
        fault,
        access,
        origin: run.origin,
    })
}

fn is_deadlock(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Deadlock { .. })
}

/// Gives a guess another value, a buffer of counting numbers in all its elements; whether that changes it.
fn set_value(guess: &mut Parameter, number: u8) -> bool {
    let literal = Literal::Integer(number.into());
    match guess {
        Parameter::Scalar {
            value: value @ Literal::Integer(_),
            ..
        } => std::mem::replace(value, literal.clone()) != literal,
        Parameter::Buffer(buffer) => {
            let is_counting =
                matches!(&buffer.init, Init::Fill(Literal::Text(word)) if word == "iota");
            if is_counting {
                buffer.init = Init::Fill(literal);
            }
            is_counting
        }
        Parameter::Scalar { .. }
        | Parameter::Struct { .. }
        | Parameter::Alias { .. }
        | Parameter::Tensormap(_)
        | Parameter::Texture(_)
        | Parameter::Surface(_)
        | Parameter::Multimem { .. } => false,
    }
}

/// A buffer of whole numbers as one of pointers, all of them to the memory after them in the same buffer.
fn of_pointers(guess: &Parameter) -> Option<Parameter> {
    let Parameter::Buffer(buffer) = guess else {
        return None;
    };
    let ty = ElementType::from_name(&buffer.ty)?;
    let is_number = matches!(ty, ElementType::U64 | ElementType::S64 | ElementType::U32);
    let is_pointers = matches!(&buffer.init, Init::Fill(Literal::Text(text)) if text != "iota");
    if !is_number || is_pointers {
        return None;
    }
    let size = buffer.len * ty.width_bytes() as u64;
    let pointer = format!("&{}+{size}", buffer.name);
    Some(Parameter::Buffer(Buffer {
        ty: "u64".to_owned(),
        len: 2 * size.div_ceil(8),
        init: Init::Fill(Literal::Text(pointer)),
        ..buffer.clone()
    }))
}

impl Stage<'_> {
    /// Grows the guesses until the run stays within them; what it shows then. `None` when there is nothing to run, or no
    /// step is left.
    fn grow(&mut self, scenario: &mut Scenario, max_steps: u64) -> Option<Outcome> {
        loop {
            let run = self.run(scenario, max_steps)?;
            let outcome = run.outcome;
            let better = out_of_bounds(run).and_then(|found| self.grown(scenario, &found));
            match better {
                Some(better) => *scenario = better,
                None => return Some(outcome),
            }
        }
    }

    /// The scenario with one guessed value replaced by 1 or 0, such that the run shows more.
    fn with_other_value(
        &mut self,
        scenario: &Scenario,
        outcome: Option<Outcome>,
    ) -> Option<Scenario> {
        let mut copy = scenario.clone();
        let n_guesses = self.guessed.leaves(&mut copy.params).count();
        let base = self.evaluate(scenario);
        let trials = (0..n_guesses).flat_map(|nth| [(nth, 1), (nth, 0)]);
        let mut best: Option<(Outcome, Scenario)> = None;
        for (nth, value) in trials.take(MAX_TRIALS) {
            let mut other = scenario.clone();
            let guess = self.guessed.leaves(&mut other.params).nth(nth)?;
            if !set_value(guess, value) {
                continue;
            }
            let found = self.grow(&mut other, MAX_STEPS_OF_TRIAL);
            let least = best.as_ref().map(|(outcome, _)| *outcome).or(outcome);
            let is_better = found.is_some_and(|found| Some(found) > least);
            // A count of 0 skips the loop that the first launch hangs in.
            let hides = is_better
                && value == 0
                && outcome.is_some_and(|outcome| outcome >= Outcome::Stuck)
                && self.skips_any_of(&other, base.as_ref());
            if let Some(found) = found.filter(|_| is_better && !hides) {
                best = Some((found, other));
            }
            if matches!(best, Some((Outcome::Stores, _))) {
                break;
            }
        }
        best.map(|(_, scenario)| scenario)
    }

    /// The scenario with the smallest larger block in a row in which the threads do not wait for others for ever: a barrier
    /// may count more threads than one warp has.
    fn with_larger_block(&mut self, scenario: &Scenario) -> Option<Scenario> {
        let [x, 1, 1] = scenario.block.filter(|_| self.guessed.block)? else {
            return None;
        };
        let sizes = std::iter::successors(x.checked_mul(2), |x| x.checked_mul(2));
        for x in sizes.take_while(|x| *x <= MAX_BLOCK) {
            let mut larger = scenario.clone();
            larger.block = Some([x, 1, 1]);
            if self.grow(&mut larger, MAX_STEPS_OF_TRIAL)? == Outcome::Stores {
                return Some(larger);
            }
        }
        None
    }

    /// The scenario with more blocks or warps, such that the run reaches instructions that it leaves out otherwise: what only
    /// block 1 or warp 3 does. Of several, the smallest that reaches most.
    fn with_more_reached(&mut self, scenario: &Scenario) -> Option<Scenario> {
        let function = self.program.functions.get(self.entry.0 as usize)?;
        let n_instructions = function.instructions.len();
        let block = scenario.block.filter(|_| self.guessed.block);
        let grid = scenario.grid.filter(|_| self.guessed.grid);
        let reads_block = guess::reads_block_index(self.program);
        if n_instructions > MAX_INSTRUCTIONS || (block.is_none() && !reads_block) {
            return None;
        }
        let base = self.evaluate(scenario)?;
        let mut best = base.n_reached;
        if best >= n_instructions {
            return None;
        }
        let mut found = None;
        let grids: &[u32] = match (grid, reads_block) {
            (Some([_, 1, 1]), true) => &[1, 2],
            _ => &[1],
        };
        let blocks: &[u32] = match block {
            Some([_, 1, 1]) => &[1, 2, 4, 8],
            _ => &[1],
        };
        for (n_blocks, n_warps) in grids
            .iter()
            .flat_map(|g| blocks.iter().map(move |b| (*g, *b)))
        {
            let times = |extents: Option<[u32; 3]>, n: u32| {
                extents.map(|[x, y, z]| [x.saturating_mul(n), y, z])
            };
            let mut other = scenario.clone();
            other.grid = times(scenario.grid, n_blocks);
            other.block = times(scenario.block, n_warps);
            let is_same = n_blocks * n_warps == 1;
            if is_same || other.block.is_some_and(|[x, ..]| x > MAX_BLOCK) {
                continue;
            }
            if self.grow(&mut other, MAX_STEPS_OF_TRIAL)? < Outcome::Stores {
                continue;
            }
            let evaluated = self.evaluate(&other)?;
            // Threads beyond those that the kernel is written for do the work of others once more.
            let is_too_large = evaluated.has_conflict && !base.has_conflict;
            if evaluated.n_reached > best && !is_too_large {
                (best, found) = (evaluated.n_reached, Some(other));
            }
        }
        found
    }

    /// The scenario with the first other block size under which the kernel ends, reaches no fewer instructions, and neither
    /// stores an element by two threads nor reads shared memory that nothing has written; none if the present block is as good.
    fn with_other_block(&mut self, scenario: &Scenario) -> Option<Scenario> {
        let own = scenario.block.filter(|_| self.guessed.block)?;
        let base = self.evaluate(scenario)?;
        if base.is_sound() {
            return None;
        }
        let n_axes = own.iter().filter(|extent| **extent > 1).count();
        // Kernels that read several axes are written for whole blocks, others often for a warp.
        let sizes: &[u32] = match n_axes {
            0 | 1 => &[32, 64, 128, 256, 512, 1024],
            _ => &[256, 128, 512, 1024, 64, 32],
        };
        for size in sizes.iter().filter(|size| own != [**size, 1, 1]) {
            let mut other = scenario.clone();
            other.block = Some([*size, 1, 1]);
            let mut outcome = self.grow(&mut other, MAX_STEPS_OF_TRIAL)?;
            if outcome == Outcome::Faults
                && let Some(better) = self.with_other_value(&other, Some(outcome))
            {
                other = better;
                outcome = self.grow(&mut other, MAX_STEPS_OF_TRIAL)?;
            }
            if outcome < Outcome::EndsEmpty {
                continue;
            }
            let evaluated = self.evaluate(&other)?;
            if evaluated.is_sound() && evaluated.n_reached >= base.n_reached {
                return Some(other);
            }
        }
        None
    }

    /// Whether a launch skips an instruction that another one has reached.
    fn skips_any_of(&mut self, scenario: &Scenario, base: Option<&Evaluation>) -> bool {
        let evaluated = self.evaluate(scenario);
        match (evaluated, base) {
            (Some(evaluated), Some(base)) => !base.reached.is_subset(&evaluated.reached),
            _ => false,
        }
    }

    /// Evaluates a launch by a trial run.
    fn evaluate(&mut self, scenario: &Scenario) -> Option<Evaluation> {
        let mut watch = Watch {
            reached: Some(BTreeSet::new()),
            ..Watch::default()
        };
        let run = self.run_watched(scenario, MAX_STEPS_OF_TRIAL, &mut watch)?;
        let reached = watch.reached.unwrap_or_default();
        let own = reached.iter().filter(|(f, _)| *f == self.entry.0);
        Some(Evaluation {
            n_reached: own.count(),
            reached,
            outcome: run.outcome,
            has_conflict: watch.has_conflict,
            reads_unwritten: watch.reads_unwritten,
        })
    }

    /// The first access of a run that is out of bounds.
    fn fault(&mut self, scenario: &Scenario) -> Option<OutOfBounds> {
        out_of_bounds(self.run(scenario, MAX_STEPS)?)
    }

    fn run(&mut self, scenario: &Scenario, max_steps: u64) -> Option<Run> {
        self.run_watched(scenario, max_steps, &mut Watch::default())
    }

    fn run_watched(
        &mut self,
        scenario: &Scenario,
        max_steps: u64,
        watch: &mut Watch,
    ) -> Option<Run> {
        // A launch costs something too, buffers and large ones more, so that rehearsals end soon whatever they find.
        let elements = scenario.params.iter().map(n_elements);
        let cost = elements.fold(1_000u64, |cost, len| {
            cost.saturating_add(COST_OF_PARAMETER + len / 64)
        });
        self.steps_left = self.steps_left.checked_sub(cost)?;
        let program = Arc::clone(self.program);
        let built = prepare::build(scenario, &program, self.entry, self.limits);
        let (launch, buffers) = built.ok()?;
        let decoded = self.decoded.as_ref();
        let mut machine = Machine::with_decoded(program, &launch, *self.limits, decoded).ok()?;
        self.decoded = Some(machine.decoded());
        let status = machine.run_observed(max_steps.min(self.steps_left), watch);
        self.steps_left = self.steps_left.saturating_sub(machine.position());
        if self.steps_left == 0 {
            return None;
        }
        Some(Run {
            outcome: match (status, watch.n_stores) {
                (Status::Faulted, _) if machine.fault().is_some_and(is_deadlock) => Outcome::Stuck,
                (Status::Faulted, _) => Outcome::Faults,
                (Status::Running, 0) => Outcome::Spins,
                (Status::Finished, 0) => Outcome::EndsEmpty,
                (Status::Running | Status::Finished, _) => Outcome::Stores,
            },
            origin: machine
                .fault()
                .and_then(|fault| self.origin(fault, &machine, &buffers)),
            fault: machine.fault().cloned(),
        })
    }

    /// The buffer that the address of a fault was computed from: an index that runs away may lie beside something else.
    fn origin(
        &self,
        fault: &Fault,
        machine: &Machine,
        buffers: &[Buffer],
    ) -> Option<(String, i64)> {
        let access = fault.access.as_ref()?;
        let reader = Reader::at(self.program, fault.function, fault.instruction)?;
        let Base::Register(register) = reader.access()?.base else {
            return None;
        };
        let name = guess::origin(self.program, reader.function, register, fault.instruction)?;
        let index = buffers.iter().position(|buffer| buffer.name == name)?;
        let start = machine.address(MemoryRegion::Buffer(BufferIndex(index as u32)))?;
        Some((name, access.address.wrapping_sub(start) as i64))
    }

    /// The scenario with the guess changed that the access left.
    fn grown(&mut self, scenario: &Scenario, found: &OutOfBounds) -> Option<Scenario> {
        let place = &found.access.place;
        let width = u64::from(found.access.width_bytes);
        // An index that runs away may lie in something else, and before a buffer is the end of another one: the buffer that
        // the address was computed from comes first.
        if let Some((name, offset)) = &found.origin {
            let is_elsewhere = match &place.region {
                Region::Variable { .. } | Region::Nothing => true,
                Region::Buffer { name: other, .. } => other != name,
                _ => false,
            };
            if is_elsewhere && let Some(longer) = self.with_bytes(scenario, name, *offset, width) {
                return Some(longer);
            }
            if *offset < 0 {
                return self.with_bytes(scenario, name, *offset, width);
            }
        }
        if let Region::Buffer { name, .. } = &place.region {
            return self.with_bytes(scenario, name, place.byte_offset, width);
        }
        let end = u64::try_from(place.byte_offset).ok()? + width;
        let mut better = scenario.clone();
        match &place.region {
            Region::Shared if self.guessed.dynamic_shared => {
                // Beside the arrays of fixed size, up to what the target has.
                let most = self.program.target.limits.shared_bytes;
                let fixed = place.size_bytes.saturating_sub(scenario.dynamic_shared);
                let most = most.saturating_sub(fixed);
                let size = end.checked_next_power_of_two()?.clamp(256, most.max(256));
                let grows = size > scenario.dynamic_shared && end <= fixed + size && size <= most;
                better.dynamic_shared = grows.then_some(size)?;
                Some(better)
            }
            Region::Nothing => {
                let ty = self.accessed_type(&found.fault)?;
                let address = found.access.address;
                let with_buffer = self.with_other_number(scenario, found, |scalar| {
                    let distance = address.wrapping_sub(scalar.value);
                    let is_pointer = scalar.ty == "u64" && distance < REACH_BYTES;
                    let access = guess::Access {
                        ty,
                        n_elements: 1,
                        is_read: true,
                    };
                    is_pointer.then(|| guess::buffer(scalar.name.to_owned(), access, scenario))
                });
                with_buffer.or_else(|| self.with_other_guess(scenario, found, of_pointers))
            }
            // An array of fixed size: the kernel was given too large a number.
            Region::Local | Region::Shared => self.with_other_number(scenario, found, |scalar| {
                (scalar.value > 1).then(|| Parameter::Scalar {
                    name: scalar.name.to_owned(),
                    ty: scalar.ty.to_owned(),
                    value: Literal::Integer((scalar.value / 2).into()),
                })
            }),
            _ => None,
        }
    }

    /// The scenario with a guessed buffer that has the `width` bytes at `offset`, counted from its start, too. Where they lie before
    /// it, the kernel gets the address of a later element.
    fn with_bytes(
        &self,
        scenario: &Scenario,
        name: &str,
        offset: i64,
        width: u64,
    ) -> Option<Scenario> {
        let mut better = scenario.clone();
        let guesses = self.guessed.leaves(&mut better.params).collect::<Vec<_>>();
        let mut buffers = guesses.into_iter().filter_map(|parameter| match parameter {
            Parameter::Buffer(buffer) => Some(buffer),
            _ => None,
        });
        let buffer = buffers.find(|buffer| buffer.name == *name)?;
        let element_bytes = ElementType::from_name(&buffer.ty)?.width_bytes() as u64;
        let before = if offset < 0 { offset.unsigned_abs() } else { 0 };
        let n_before = match before.div_ceil(element_bytes) {
            0 => 0,
            n => n.checked_next_power_of_two()?.max(MIN_ELEMENTS),
        };
        let end = offset.saturating_add_unsigned(width).max(0).unsigned_abs();
        let len = match end.div_ceil(element_bytes) {
            n if n <= buffer.len => buffer.len,
            n => n.checked_next_power_of_two()?,
        };
        let len = len.checked_add(n_before)?;
        let grows = len > buffer.len && len <= MAX_BUFFER_BYTES / element_bytes;
        buffer.len = grows.then_some(len)?;
        buffer.start += n_before;
        Some(better)
    }

    /// The scenario with one guessed number replaced; of several, the first one that carries the run further.
    fn with_other_number(
        &mut self,
        scenario: &Scenario,
        found: &OutOfBounds,
        other: impl Fn(&Scalar<'_>) -> Option<Parameter>,
    ) -> Option<Scenario> {
        self.with_other_guess(scenario, found, |guess| other(&Scalar::of(guess)?))
    }

    /// The scenario with one guess replaced; of several, the first one that carries the run further.
    fn with_other_guess(
        &mut self,
        scenario: &Scenario,
        found: &OutOfBounds,
        other: impl Fn(&Parameter) -> Option<Parameter>,
    ) -> Option<Scenario> {
        for nth in 0.. {
            let mut better = scenario.clone();
            let guess = self.guessed.leaves(&mut better.params).nth(nth)?;
            let Some(parameter) = other(guess) else {
                continue;
            };
            *guess = parameter;
            let next = self.fault(&better);
            let is_further = next.is_none_or(|next| {
                next.fault.step > found.fault.step || next.access.address != found.access.address
            });
            if is_further {
                return Some(better);
            }
        }
        None
    }

    fn accessed_type(&self, fault: &Fault) -> Option<ScalarType> {
        let reader = Reader::at(self.program, fault.function, fault.instruction)?;
        match reader.read() {
            Reading::Access(access) => Some(access.ty),
            Reading::Name(named) => Some(named.first()?.ty),
            Reading::Copy { .. } | Reading::Compute { .. } | Reading::Other => None,
        }
    }
}
