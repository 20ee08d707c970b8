//! Trial runs of inferred launches. If the kernel accesses memory outside of an inferred buffer, the buffer grows. If the kernel uses an
//! inferred number as an address, a buffer replaces the number. Trial runs do not change specified values, nor the faults that these values
//! cause. If a trial run ends with a fault, hangs or performs no stores, further trial runs use other inferred numbers.

use crate::annotations::lines_of;
use crate::inference::{self, BlockEvidence};
use crate::instruction_summary::{AddressOrigin, InstructionSummary, InstructionView, readers};
use crate::prepare;
use crate::scenario::{
    Buffer, BufferInitializer, InitialRegister, MisalignedPolicy, Parameter, Scenario,
};
use crate::value::{ElementType, Literal};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use warpgrid_emulator::{
    AccessAction, AccessEvent, AccessFault, Agent, BufferIndex, DecodedLaunch, EventMask, Fault,
    FaultKind, Machine, MachineStatus, MemoryId, MemoryRegion, NamedRegion, Observer,
    ResourceLimits, StepEvent, SyncEvent, SyncKind,
};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{FunctionId, Program};

/// Step limit of one trial run. Only the first part of a longer run is executed.
const MAX_STEPS: u64 = 200_000;
/// Step limit of a trial run that tests a replaced value. The limit is sufficient to observe stores.
const MAX_STEPS_OF_TRIAL: u64 = 20_000;
/// Limit of the total number of steps of all trial runs of a launch.
const MAX_STEPS_IN_ALL: u64 = 1_000_000;
/// Maximum size of an inferred buffer in bytes.
const MAX_BUFFER_BYTES: u64 = 4 << 20;
/// Minimum number of elements by which a buffer grows at its start.
const MIN_ELEMENTS: u64 = 32;
/// Maximum number of trial runs that test replaced values.
const MAX_TRIALS: usize = 24;
/// Cost of each parameter in a trial run, measured in steps. The machine creates a buffer for most parameters.
const STEPS_PER_PARAMETER: u64 = 100;
/// Maximum kernel size in instructions for which trial runs record the reached instructions.
const MAX_INSTRUCTIONS: usize = 20_000;
/// Block shapes for kernels that read one component of the thread index, in the order of the trial runs. Such kernels often require only one
/// warp.
const BLOCKS_OF_ONE_AXIS: &[[u32; 3]] = &[
    [32, 1, 1],
    [64, 1, 1],
    [128, 1, 1],
    [256, 1, 1],
    [512, 1, 1],
    [1024, 1, 1],
];
/// Block shapes for kernels that read several components of the thread index, in the order of the trial runs. Many such kernels process a
/// tile of 32 columns with fewer rows of threads than the tile has.
const BLOCKS_OF_TWO_AXES: &[[u32; 3]] = &[
    [32, 8, 1],
    [8, 8, 1],
    [32, 4, 1],
    [32, 32, 1],
    [256, 1, 1],
    [128, 1, 1],
    [512, 1, 1],
    [1024, 1, 1],
    [64, 1, 1],
    [32, 1, 1],
];
/// Maximum distance in bytes between an accessed address and the inferred number that was used as an address.
const MAX_POINTER_DISTANCE_BYTES: u64 = 1 << 20;

/// Flags for the inferred parts of a scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct InferredFields {
    /// Whether each parameter is inferred, with one entry per parameter of the kernel, in order.
    pub(crate) parameters: Vec<bool>,
    pub(crate) dynamic_shared: bool,
    pub(crate) grid: bool,
    pub(crate) cluster: bool,
    pub(crate) block: bool,
    /// Whether the handling of misaligned addresses is inferred.
    pub(crate) misaligned: bool,
    /// Unset registers of a SASS snippet.
    pub(crate) registers: Vec<InitialRegister>,
}

impl InferredFields {
    /// Returns all inferred parameters. The result contains the members of inferred structures instead of the structures.
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

    /// Returns the inferred values as `//@` lines, each starting with `mark`.
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

    /// Returns the inferred integer parameters with their values: `n = 32`.
    pub(crate) fn scalars(&self, scenario: &Scenario) -> Vec<String> {
        let mut parameters = scenario.params.clone();
        let leaves = self.leaves(&mut parameters);
        let scalars = leaves.filter_map(|leaf| {
            let scalar = InferredScalar::of(leaf)?;
            Some(format!("{} = {}", scalar.name, scalar.value))
        });
        scalars.collect()
    }

    /// Returns the `//@` line with the inferred part of the launch configuration, or `None` if no part is inferred.
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
        if let Some(MisalignedPolicy::Force) = scenario.misaligned.filter(|_| self.misaligned) {
            launch += " misaligned=force";
        }
        (!launch.is_empty()).then(|| format!("{mark} launch{launch}"))
    }
}

/// Formats an extent without trailing components of 1, such as `16x16`.
fn extents([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}

/// Executes trial runs of a complete scenario, and changes the inferred values until the kernel accesses no memory outside of the inferred
/// buffers, or until no change improves the run.
pub(crate) fn refine_by_trial_runs(
    scenario: &mut Scenario,
    guessed: &InferredFields,
    program: &Arc<Program>,
    entry: FunctionId,
    limits: &ResourceLimits,
) -> Option<DecodedLaunch> {
    if !guessed.dynamic_shared && !guessed.block && !guessed.parameters.contains(&true) {
        return None;
    }
    let function = program.functions.get(entry.0 as usize)?;
    let evidence = BlockEvidence::of(function, program);
    let mut stage = TrialRunner {
        guessed,
        program,
        entry,
        limits,
        evidence,
        steps_left: MAX_STEPS_IN_ALL,
        decoded: None,
    };
    let mut outcome = stage.enlarge_until_in_bounds(scenario, MAX_STEPS);
    if outcome == Some(TrialOutcome::Stuck)
        && let Some(better) = stage.with_larger_block(scenario)
    {
        *scenario = better;
        outcome = Some(TrialOutcome::Stores);
    }
    let replaced = match outcome {
        Some(outcome) if outcome < TrialOutcome::Stores => {
            stage.with_other_value(scenario, outcome)
        }
        _ => None,
    };
    match replaced {
        Some(replaced) if replaced.skips_instructions => {
            let mut other = replaced.scenario;
            stage.select_extents(scenario);
            stage.select_extents(&mut other);
            if stage.is_preferred(&other, scenario) {
                *scenario = other;
            }
        }
        replaced => {
            if let Some(replaced) = replaced {
                *scenario = replaced.scenario;
            }
            stage.select_extents(scenario);
        }
    }
    stage.decoded
}

/// Outcome of a trial run, ordered from the least to the most informative outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum TrialOutcome {
    /// The run stops with a fault.
    Faults,
    /// All threads that have not exited wait.
    Stuck,
    /// The run reaches the step limit without stores.
    Spins,
    /// The run ends without stores.
    EndsEmpty,
    /// The run performs stores, and ends or reaches the step limit.
    Stores,
}

/// Evaluation of a launch by a trial run.
#[derive(Clone, Debug)]
struct Evaluation {
    /// Function and index of each instruction that the run has reached.
    reached: BTreeSet<(u32, u32)>,
    /// Number of instructions of the kernel that the run has reached.
    n_reached: usize,
    outcome: TrialOutcome,
    has_conflict: bool,
    reads_unwritten: bool,
}

impl Evaluation {
    /// Whether the run neither faults nor hangs, and has no conflicting stores and no read of unwritten shared memory.
    fn is_sound(&self) -> bool {
        !matches!(self.outcome, TrialOutcome::Faults | TrialOutcome::Stuck)
            && !self.has_conflict
            && !self.reads_unwritten
    }
}

/// Launch with one inferred value replaced, whose trial run is more informative than that of the original launch.
struct ReplacedValue {
    outcome: TrialOutcome,
    scenario: Scenario,
    /// Whether the run skips instructions that the run of the original launch reaches. With a count of 0, for example, the kernel skips the
    /// loop in which the original launch hangs.
    skips_instructions: bool,
}

/// Result of a trial run.
struct TrialRun {
    outcome: TrialOutcome,
    fault: Option<Fault>,
    /// Buffer from which the faulting address was computed, and the byte offset of the access from the start of this buffer, which can be
    /// negative.
    origin: Option<(String, i64)>,
}

/// Last store to an element. `thread` is `None` for atomics and asynchronous operations.
#[derive(Clone, Copy, PartialEq)]
struct LastStore {
    thread: Option<u64>,
    /// Number of synchronizations of the block that precede the store.
    epoch: u64,
    step: u64,
}

/// Observer of a trial run that records stores and conflicts, and optionally the reached instructions.
#[derive(Default)]
struct CoverageObserver {
    n_stores: u64,
    /// Function and index of each reached instruction, if requested.
    reached: Option<BTreeSet<(u32, u32)>>,
    /// Last store to each element.
    writers: HashMap<(MemoryId, u64), LastStore>,
    /// Words of shared memory that were written.
    written: HashSet<(MemoryId, u64)>,
    /// Number of synchronizations of each block.
    epochs: BTreeMap<u64, u64>,
    /// Whether two threads of a block stored to the same element without an intermediate synchronization of the block.
    has_conflict: bool,
    /// Whether a word of shared memory was read before it was written.
    reads_unwritten: bool,
}

impl Observer for CoverageObserver {
    fn interest(&self) -> EventMask {
        match self.reached {
            Some(_) => EventMask {
                steps: true,
                ..EventMask::ORDER
            },
            None => EventMask::NONE,
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
            let thread = (block << 16) + u64::from(warp) * 32 + u64::from(piece.address_lane);
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
                    // Several lanes that store to one element in the same instruction usually write the same value, which is not a
                    // conflict.
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
        // Neither a fence nor the exit of a warp synchronizes the threads of a block.
        if !matches!(event.what, SyncKind::Fence | SyncKind::Exited) {
            *self.epochs.entry(event.block).or_default() += 1;
        }
    }

    fn store_step(&mut self, _step: u64) {
        self.n_stores += 1;
    }
}

/// Returns the address of the word that contains the byte at `address`.
fn word(address: u64) -> u64 {
    address & !3
}

struct TrialRunner<'a> {
    guessed: &'a InferredFields,
    program: &'a Arc<Program>,
    entry: FunctionId,
    limits: &'a ResourceLimits,
    evidence: BlockEvidence,
    steps_left: u64,
    /// Decoded code of the last run. The code is cached, because most runs of a launch execute the same code.
    decoded: Option<DecodedLaunch>,
}

/// Access outside of all memories, with the fault that the access causes.
struct OutOfBounds {
    fault: Fault,
    access: AccessFault,
    origin: Option<(String, i64)>,
}

/// Integer parameter whose value was inferred.
struct InferredScalar<'a> {
    name: &'a str,
    ty: &'a str,
    value: u64,
}

impl InferredScalar<'_> {
    fn of(parameter: &Parameter) -> Option<InferredScalar<'_>> {
        match parameter {
            Parameter::Scalar {
                name,
                ty,
                value: Literal::Integer(value),
            } => Some(InferredScalar {
                name,
                ty,
                value: u64::try_from(*value).ok()?,
            }),
            _ => None,
        }
    }
}

/// Returns the total number of elements in the buffers of a parameter.
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

/// Returns the out-of-bounds access that ended a run, or `None` if the run ended otherwise.
fn out_of_bounds(run: TrialRun) -> Option<OutOfBounds> {
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

/// Replaces an inferred scalar, or all elements of an inferred buffer with ascending elements, by `number`. Returns whether the parameter
/// has changed.
fn set_value(guess: &mut Parameter, number: u8) -> bool {
    let literal = Literal::Integer(number.into());
    match guess {
        Parameter::Scalar {
            value: value @ Literal::Integer(_),
            ..
        } => std::mem::replace(value, literal.clone()) != literal,
        Parameter::Buffer(buffer) => {
            let is_counting = matches!(&buffer.init, BufferInitializer::Fill(Literal::Text(word)) if word == "iota");
            if is_counting {
                buffer.init = BufferInitializer::Fill(literal);
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

/// Converts a buffer of integers to a buffer of pointers, which all point to memory in the same buffer after the pointers.
fn of_pointers(guess: &Parameter) -> Option<Parameter> {
    let Parameter::Buffer(buffer) = guess else {
        return None;
    };
    let ty = ElementType::from_name(&buffer.ty)?;
    let is_number = matches!(ty, ElementType::U64 | ElementType::S64 | ElementType::U32);
    let is_pointers =
        matches!(&buffer.init, BufferInitializer::Fill(Literal::Text(text)) if text != "iota");
    if !is_number || is_pointers {
        return None;
    }
    let size = buffer.len * ty.width_bytes() as u64;
    let pointer = format!("&{}+{size}", buffer.name);
    Some(Parameter::Buffer(Buffer {
        ty: "u64".to_owned(),
        len: 2 * size.div_ceil(8),
        init: BufferInitializer::Fill(Literal::Text(pointer)),
        ..buffer.clone()
    }))
}

impl TrialRunner<'_> {
    /// Grows the inferred buffers until the run accesses no memory outside of them, and returns the outcome of the run. Returns `None` if
    /// the launch is invalid or the step limit of all trial runs is reached.
    fn enlarge_until_in_bounds(
        &mut self,
        scenario: &mut Scenario,
        max_steps: u64,
    ) -> Option<TrialOutcome> {
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

    /// Returns the launch with one inferred value replaced by 1 or 0, if its trial run is more informative. Prefers launches that reach all
    /// instructions of the original launch.
    fn with_other_value(
        &mut self,
        scenario: &Scenario,
        outcome: TrialOutcome,
    ) -> Option<ReplacedValue> {
        let mut copy = scenario.clone();
        let n_guesses = self.guessed.leaves(&mut copy.params).count();
        let base = self.evaluate(scenario);
        let trials = (0..n_guesses).flat_map(|nth| [(nth, 1), (nth, 0)]);
        let mut best: Option<ReplacedValue> = None;
        for (nth, value) in trials.take(MAX_TRIALS) {
            let mut other = scenario.clone();
            let guess = self.guessed.leaves(&mut other.params).nth(nth)?;
            if !set_value(guess, value) {
                continue;
            }
            let found = self.enlarge_until_in_bounds(&mut other, MAX_STEPS_OF_TRIAL);
            let Some(found) = found.filter(|found| *found > outcome) else {
                continue;
            };
            let skips_instructions = self.skips_any_of(&other, base.as_ref());
            let rank = |skips: bool, outcome: TrialOutcome| (!skips, outcome);
            let is_best = best.as_ref().is_none_or(|best| {
                rank(skips_instructions, found) > rank(best.skips_instructions, best.outcome)
            });
            if is_best {
                best = Some(ReplacedValue {
                    outcome: found,
                    scenario: other,
                    skips_instructions,
                });
            }
            if !skips_instructions && found == TrialOutcome::Stores {
                break;
            }
        }
        best
    }

    /// Selects the numbers of blocks and threads of a launch: first a launch that reaches more instructions, then another block shape.
    fn select_extents(&mut self, scenario: &mut Scenario) {
        if let Some(better) = self.with_more_coverage(scenario) {
            *scenario = better;
        }
        if let Some(better) = self.with_other_block(scenario) {
            *scenario = better;
        }
    }

    /// Checks whether a launch that skips instructions of another launch, which faults or hangs, is preferable to this launch. A launch that
    /// ends must reach all instructions of a launch that hangs, or more instructions than a launch that faults, because a scalar with another
    /// value than the programmer intended usually faults at an early check. Otherwise, the fault or the hang may be an error of the kernel.
    fn is_preferred(&mut self, other: &Scenario, original: &Scenario) -> bool {
        let (other, original) = match (self.evaluate(other), self.evaluate(original)) {
            (Some(other), Some(original)) => (other, original),
            (other, _) => return other.is_some(),
        };
        let is_whole = original.reached.is_subset(&other.reached);
        match original.outcome {
            TrialOutcome::Faults => is_whole || other.n_reached > original.n_reached,
            TrialOutcome::Stuck | TrialOutcome::Spins => is_whole,
            TrialOutcome::EndsEmpty | TrialOutcome::Stores => {
                is_whole && other.outcome > original.outcome
            }
        }
    }

    /// Returns the scenario with a one-dimensional block with which the threads do not wait forever, because a barrier may expect more threads
    /// than the current block has. Tries the thread counts of the barriers first, and then larger blocks. Prefers a block without conflicting
    /// stores.
    fn with_larger_block(&mut self, scenario: &Scenario) -> Option<Scenario> {
        let [x, 1, 1] = scenario.block.filter(|_| self.guessed.block)? else {
            return None;
        };
        let doubled = std::iter::successors(x.checked_mul(2), |x| x.checked_mul(2));
        let doubled = doubled
            .take_while(|x| *x <= self.max_threads())
            .map(|x| [x, 1, 1]);
        let shapes: Vec<[u32; 3]> = self
            .evidence
            .candidates(1)
            .into_iter()
            .chain(doubled)
            .collect();
        let mut first = None;
        for shape in shapes {
            let mut larger = scenario.clone();
            larger.block = Some(shape);
            if self.enlarge_until_in_bounds(&mut larger, MAX_STEPS_OF_TRIAL)?
                != TrialOutcome::Stores
            {
                continue;
            }
            if self.evaluate(&larger)?.is_sound() {
                return Some(larger);
            }
            first = first.or(Some(larger));
        }
        first
    }

    /// Returns the scenario with more blocks or warps, if this launch reaches additional instructions, such as the code for block 1 or warp
    /// 3. Selects the smallest launch that reaches the most instructions.
    fn with_more_coverage(&mut self, scenario: &Scenario) -> Option<Scenario> {
        let function = self.program.functions.get(self.entry.0 as usize)?;
        let n_instructions = function.instructions.len();
        let block = scenario.block.filter(|_| self.guessed.block);
        let grid = scenario.grid.filter(|_| self.guessed.grid);
        let reads_block = inference::reads_block_index(self.program);
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
            Some([_, 1, 1]) => &[1, 2, 4, 8, 16, 32],
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
            if is_same || other.block.is_some_and(|[x, ..]| x > self.max_threads()) {
                continue;
            }
            let outcome = self.enlarge_until_in_bounds(&mut other, MAX_STEPS_OF_TRIAL)?;
            // A larger launch may hang only if the original launch hangs.
            let is_same_hang =
                outcome == TrialOutcome::Stuck && base.outcome == TrialOutcome::Stuck;
            if outcome < TrialOutcome::Stores && !is_same_hang {
                continue;
            }
            let evaluated = self.evaluate(&other)?;
            // If the block has more threads than intended, the additional threads repeat the work of other threads, which causes
            // conflicting stores.
            let is_too_large = evaluated.has_conflict && !base.has_conflict;
            if evaluated.n_reached > best && !is_too_large {
                (best, found) = (evaluated.n_reached, Some(other));
            }
        }
        found
    }

    /// Returns the scenario with the first other block shape for which the kernel ends, reaches at least as many instructions, performs no
    /// conflicting stores, and reads no uninitialized shared memory. Returns `None` if the current block size already satisfies these
    /// conditions, or if no other block size does.
    fn with_other_block(&mut self, scenario: &Scenario) -> Option<Scenario> {
        let own = scenario.block.filter(|_| self.guessed.block)?;
        let base = self.evaluate(scenario)?;
        if base.is_sound() {
            return None;
        }
        let n_axes = own.iter().filter(|extent| **extent > 1).count();
        let shapes = match n_axes {
            0 | 1 => BLOCKS_OF_ONE_AXIS,
            _ => BLOCKS_OF_TWO_AXES,
        };
        let mut shapes: Vec<[u32; 3]> = [&self.evidence.candidates(n_axes)[..], shapes].concat();
        shapes.retain(|shape| *shape != own);
        for shape in shapes {
            let mut other = scenario.clone();
            other.block = Some(shape);
            let mut outcome = self.enlarge_until_in_bounds(&mut other, MAX_STEPS_OF_TRIAL)?;
            if outcome == TrialOutcome::Faults
                && let Some(better) = self.with_other_value(&other, outcome)
                && !better.skips_instructions
            {
                other = better.scenario;
                outcome = self.enlarge_until_in_bounds(&mut other, MAX_STEPS_OF_TRIAL)?;
            }
            if outcome < TrialOutcome::EndsEmpty {
                continue;
            }
            let evaluated = self.evaluate(&other)?;
            if evaluated.is_sound() && evaluated.n_reached >= base.n_reached {
                return Some(other);
            }
        }
        None
    }

    /// Checks whether a launch does not reach some instruction that the launch `base` has reached.
    fn skips_any_of(&mut self, scenario: &Scenario, base: Option<&Evaluation>) -> bool {
        let evaluated = self.evaluate(scenario);
        match (evaluated, base) {
            (Some(evaluated), Some(base)) => !base.reached.is_subset(&evaluated.reached),
            _ => false,
        }
    }

    /// Evaluates a launch by a trial run.
    fn evaluate(&mut self, scenario: &Scenario) -> Option<Evaluation> {
        let mut watch = CoverageObserver {
            reached: Some(BTreeSet::new()),
            ..CoverageObserver::default()
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

    /// Returns the first out-of-bounds access of a run.
    fn fault(&mut self, scenario: &Scenario) -> Option<OutOfBounds> {
        out_of_bounds(self.run(scenario, MAX_STEPS)?)
    }

    fn run(&mut self, scenario: &Scenario, max_steps: u64) -> Option<TrialRun> {
        self.run_watched(scenario, max_steps, &mut CoverageObserver::default())
    }

    fn run_watched(
        &mut self,
        scenario: &Scenario,
        max_steps: u64,
        watch: &mut CoverageObserver,
    ) -> Option<TrialRun> {
        // The cost of each trial run includes the size of its buffers, so that the total time of all trial runs is bounded.
        let elements = scenario.params.iter().map(n_elements);
        let cost = elements.fold(1_000u64, |cost, len| {
            cost.saturating_add(STEPS_PER_PARAMETER + len / 64)
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
        Some(TrialRun {
            outcome: match (status, watch.n_stores) {
                (MachineStatus::Faulted, _) if machine.fault().is_some_and(is_deadlock) => {
                    TrialOutcome::Stuck
                }
                (MachineStatus::Faulted, _) => TrialOutcome::Faults,
                (MachineStatus::Running, 0) => TrialOutcome::Spins,
                (MachineStatus::Finished, 0) => TrialOutcome::EndsEmpty,
                (MachineStatus::Running | MachineStatus::Finished, _) => TrialOutcome::Stores,
            },
            origin: machine
                .fault()
                .and_then(|fault| self.origin(fault, &machine, &buffers)),
            fault: machine.fault().cloned(),
        })
    }

    /// Returns the buffer from which a faulting address was computed, because an out-of-bounds index can result in an address in a
    /// different memory.
    fn origin(
        &self,
        fault: &Fault,
        machine: &Machine,
        buffers: &[Buffer],
    ) -> Option<(String, i64)> {
        let access = fault.access.as_ref()?;
        let reader = InstructionView::at(self.program, fault.function, fault.instruction)?;
        let AddressOrigin::Register(register) = reader.access()?.base else {
            return None;
        };
        let name = inference::origin(self.program, reader.function, register, fault.instruction)?;
        let index = buffers.iter().position(|buffer| buffer.name == name)?;
        let start = machine.address(MemoryRegion::Buffer(BufferIndex(index as u32)))?;
        Some((name, access.address.wrapping_sub(start) as i64))
    }

    /// Returns the scenario with a changed inferred value, so that the out-of-bounds access is within bounds.
    fn grown(&mut self, scenario: &Scenario, found: &OutOfBounds) -> Option<Scenario> {
        let place = &found.access.place;
        let width = u64::from(found.access.width_bytes);
        // An out-of-bounds index can result in an address in a different memory, such as the end of the preceding buffer. Therefore, the
        // buffer from which the address was computed has precedence over the accessed memory.
        if let Some((name, offset)) = &found.origin {
            let is_elsewhere = match &place.region {
                NamedRegion::Variable { .. } | NamedRegion::Nothing => true,
                NamedRegion::Buffer { name: other, .. } => other != name,
                _ => false,
            };
            if is_elsewhere && let Some(longer) = self.with_bytes(scenario, name, *offset, width) {
                return Some(longer);
            }
            if *offset < 0 {
                return self.with_bytes(scenario, name, *offset, width);
            }
        }
        if let NamedRegion::Buffer { name, .. } = &place.region {
            return self.with_bytes(scenario, name, place.byte_offset, width);
        }
        let end = u64::try_from(place.byte_offset).ok()? + width;
        let mut better = scenario.clone();
        match &place.region {
            NamedRegion::Shared
                if self.guessed.dynamic_shared && self.may_use_dynamic_shared(&found.fault) =>
            {
                // Dynamic shared memory follows the statically allocated arrays, and can grow up to the limit of the target.
                let most = self.program.target.limits.shared_bytes;
                let fixed = place.size_bytes.saturating_sub(scenario.dynamic_shared);
                let most = most.saturating_sub(fixed);
                let size = end.checked_next_power_of_two()?.clamp(256, most.max(256));
                let grows = size > scenario.dynamic_shared && end <= fixed + size && size <= most;
                better.dynamic_shared = grows.then_some(size)?;
                Some(better)
            }
            NamedRegion::Nothing => {
                let ty = self.accessed_type(&found.fault)?;
                let address = found.access.address;
                let with_buffer = self.with_other_number(scenario, found, |scalar| {
                    let distance = address.wrapping_sub(scalar.value);
                    let is_pointer = scalar.ty == "u64" && distance < MAX_POINTER_DISTANCE_BYTES;
                    let access = inference::PointerAccess {
                        ty,
                        n_elements: 1,
                        is_read: true,
                    };
                    is_pointer.then(|| inference::buffer(scalar.name.to_owned(), access, scenario))
                });
                with_buffer.or_else(|| self.with_other_guess(scenario, found, of_pointers))
            }
            // Arrays in local memory and static shared memory have a fixed size, so an inferred number that the kernel received was too
            // large.
            NamedRegion::Local | NamedRegion::Shared => {
                self.with_other_number(scenario, found, |scalar| {
                    (scalar.value > 1).then(|| Parameter::Scalar {
                        name: scalar.name.to_owned(),
                        ty: scalar.ty.to_owned(),
                        value: Literal::Integer((scalar.value / 2).into()),
                    })
                })
            }
            _ => None,
        }
    }

    /// Returns the maximum number of threads of a block on the target.
    fn max_threads(&self) -> u32 {
        self.program.target.limits.block_threads
    }

    /// Checks whether dynamic shared memory of a larger size could contain the bytes of a faulting access. PTX declares an array without a
    /// size for dynamic shared memory, and SASS declares no arrays. If a kernel declares only arrays with a size, an out-of-bounds access of
    /// a lane indicates that the block is too large. Asynchronous copies are an exception, because an inferred tensor map can determine the
    /// size of a copy.
    fn may_use_dynamic_shared(&self, fault: &Fault) -> bool {
        let Some(reader) = InstructionView::at(self.program, fault.function, fault.instruction)
        else {
            return true;
        };
        let functions = self.program.functions.iter();
        let variables = functions.flat_map(|function| &function.variables);
        let all = variables.chain(&self.program.variables);
        let mut shared = all.filter(|variable| variable.space == StateSpace::Shared);
        let has_only_sized_arrays =
            shared.clone().next().is_some() && shared.all(|variable| !variable.dynamic);
        reader.function.machine.is_some() || !has_only_sized_arrays || reader.access().is_none()
    }

    /// Returns the scenario in which the inferred buffer `name` is enlarged to contain the `width` bytes at `offset` from its start. If the
    /// bytes precede the buffer, the buffer grows at its start, and the kernel receives the address of a later element.
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

    /// Returns the scenario with one inferred number replaced. Selects the first replacement with which the run executes more steps.
    fn with_other_number(
        &mut self,
        scenario: &Scenario,
        found: &OutOfBounds,
        other: impl Fn(&InferredScalar<'_>) -> Option<Parameter>,
    ) -> Option<Scenario> {
        self.with_other_guess(scenario, found, |guess| other(&InferredScalar::of(guess)?))
    }

    /// Returns the scenario with one inferred value replaced. Selects the first replacement with which the run executes more steps.
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
        let reader = InstructionView::at(self.program, fault.function, fault.instruction)?;
        match reader.read() {
            InstructionSummary::Access(_) if reader.function.machine.is_some() => {
                let instructions: Vec<InstructionView<'_>> =
                    readers(self.program, reader.function).collect();
                inference::element_type(&instructions, fault.instruction as usize)
            }
            InstructionSummary::Access(access) => Some(access.ty),
            InstructionSummary::Name(named) => Some(named.first()?.ty),
            InstructionSummary::Copy { .. }
            | InstructionSummary::Compute { .. }
            | InstructionSummary::Other => None,
        }
    }
}
