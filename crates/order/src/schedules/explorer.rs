//! Exploration of the equivalence classes of schedules.

use crate::hang::execution_trace::InstructionRef;
use crate::hang::program_queries::ProgramQuery;
use crate::races::observed_launch_shape::ObservedLaunchShape;
use crate::schedules::event::{Event, Word};
use crate::schedules::execution::{Execution, ExecutionEnd, ProgramAnalyses, Selection, Sleeper};
use crate::schedules::recorder::AtomicOrder;
use crate::schedules::reordering::UnorderedPair;
use crate::schedules::trace::{AnalyzedTrace, analyze, happens_before};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use warpgrid_emulator::{
    Agent, FaultKind, Machine, MachineStatus, RunDiagnosticKind, ScheduledTurn,
};
use warpgrid_isa::{DeviceUnitOp, MbarrierOp, Operation};
use warpgrid_program::FunctionId;

/// Limits of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplorationLimits {
    /// Maximum number of warps of the launch.
    pub max_warps: u64,
    /// Maximum number of steps of one execution.
    pub max_steps: u64,
    /// Maximum number of events of one execution.
    pub max_events: usize,
}

impl Default for ExplorationLimits {
    fn default() -> ExplorationLimits {
        ExplorationLimits {
            max_warps: 4096,
            max_steps: 20_000_000,
            max_events: 200_000,
        }
    }
}

/// Answer of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleVerdict {
    /// Every schedule ends without a data race, a hang or a fault, and with the same contents of global memory.
    Clean,
    /// A schedule has a data race, a hang, a fault, or different final contents of global memory.
    Witness,
    /// The exploration has found no witness, and has not covered all schedules.
    Incomplete,
}

/// Property of the schedule of a witness, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WitnessKind {
    Race,
    Hang,
    Fault,
    /// The final contents of global memory differ from those of another schedule.
    Memory,
    /// The memory model requires an ordering whose absence is rarely observable, see [`Race::is_model_only`](crate::races::Race::is_model_only).
    ModelOnlyRace,
}

/// Schedule that shows a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    pub kind: WitnessKind,
    pub schedule: Vec<ScheduledTurn>,
    /// For [`WitnessKind::Memory`], a schedule with the contents of the first execution; otherwise empty.
    pub reference: Vec<ScheduledTurn>,
}

/// Reason why an exploration does not cover all schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCovered {
    /// The launch has more warps than the limit.
    TooManyWarps { n_warps: u64, limit: u64 },
    /// The instruction reads a clock or a timer, whose values depend on the hardware.
    Clock(InstructionRef),
    /// The instruction cancels the launch of blocks.
    ClusterLaunchControl(InstructionRef),
    /// The instruction tests an mbarrier with `try_wait` outside of a loop, so that the kernel depends on the time limit of the instruction.
    TryWaitWithoutLoop(InstructionRef),
    /// The instruction reads the pending count of a phase, which depends on the order of the arrivals.
    PendingCount(InstructionRef),
    /// An execution reached the step limit.
    StepLimit(u64),
    /// An execution reached the limit of events.
    EventLimit(usize),
    /// The race detector has dropped accesses, because its memory is full.
    RaceDetection,
    /// The memory model may reorder the accesses of two instructions.
    Reordering([InstructionRef; 2]),
    /// The host stopped the exploration.
    Stopped,
}

impl NotCovered {
    /// Checks whether an exploration can find a witness although it cannot cover all schedules.
    const fn permits_exploration(&self) -> bool {
        match self {
            NotCovered::TooManyWarps { .. }
            | NotCovered::Clock(_)
            | NotCovered::ClusterLaunchControl(_) => false,
            NotCovered::TryWaitWithoutLoop(_)
            | NotCovered::PendingCount(_)
            | NotCovered::StepLimit(_)
            | NotCovered::EventLimit(_)
            | NotCovered::RaceDetection
            | NotCovered::Reordering(_)
            | NotCovered::Stopped => true,
        }
    }
}

/// Result of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleReport {
    pub verdict: ScheduleVerdict,
    pub witness: Option<Witness>,
    pub not_covered: Vec<NotCovered>,
    /// Number of executions that ran to their end, one or more for each equivalence class.
    pub n_executions: u64,
    /// Number of executions that the exploration ended early, because other executions cover the rest.
    pub n_partial: u64,
    /// Number of executed steps.
    pub n_steps: u64,
    /// Number of events of the longest execution.
    pub n_events: usize,
}

/// Alternatives of an event: agents that execute the event instead.
#[derive(Clone, Debug, Default)]
struct Branch {
    done: Vec<Sleeper>,
    pending: Vec<Agent>,
}

/// Exploration in progress. The host advances it in slices of steps.
pub struct ScheduleExplorer {
    start: Machine,
    shape: ObservedLaunchShape,
    limits: ExplorationLimits,
    branches: BTreeMap<usize, Branch>,
    running: Option<Box<Execution>>,
    /// Static analyses of the program while no execution is in progress.
    analyses: Option<ProgramAnalyses>,
    is_complete: bool,
    first_memory: Option<(u64, Vec<ScheduledTurn>)>,
    witness: Option<Witness>,
    not_covered: Vec<NotCovered>,
    contended: HashSet<Word>,
    /// Pairs of accesses of one warp that the memory model may reorder.
    unordered: HashSet<UnorderedPair>,
    atomics: AtomicOrder,
    /// Instructions of spin loops.
    spin_loads: HashSet<InstructionRef>,
    n_executions: u64,
    n_partial: u64,
    n_steps: u64,
    n_events: usize,
}

impl ScheduleExplorer {
    /// Creates an exploration of the launch of a machine that has not executed a step.
    pub fn new(
        start: Machine,
        shape: ObservedLaunchShape,
        limits: ExplorationLimits,
    ) -> ScheduleExplorer {
        let mut explorer = ScheduleExplorer {
            shape,
            limits,
            branches: BTreeMap::new(),
            running: None,
            analyses: None,
            is_complete: false,
            first_memory: None,
            witness: None,
            not_covered: Vec::new(),
            contended: HashSet::new(),
            unordered: HashSet::new(),
            atomics: AtomicOrder::Ignored,
            spin_loads: HashSet::new(),
            n_executions: 0,
            n_partial: 0,
            n_steps: 0,
            n_events: 0,
            start,
        };
        explorer.refuse();
        if explorer
            .not_covered
            .iter()
            .all(NotCovered::permits_exploration)
        {
            explorer.begin(Selection::default());
        } else {
            explorer.is_complete = true;
        }
        explorer
    }

    /// Adds the reasons for which the launch is not explored.
    fn refuse(&mut self) {
        let n_warps = self.shape.n_blocks() * u64::from(self.shape.n_threads().div_ceil(32));
        if n_warps > self.limits.max_warps {
            self.not_covered.push(NotCovered::TooManyWarps {
                n_warps,
                limit: self.limits.max_warps,
            });
        }
        let clock = self.start.clock_read();
        self.not_covered.extend(clock.map(NotCovered::Clock));
        let program = Arc::clone(self.start.program());
        let query = ProgramQuery(&program);
        for (function, body) in program.functions.iter().enumerate() {
            for index in 0..body.instructions.len() {
                let at = (FunctionId(function as u32), index as u32);
                let operation = query.operation_of(at);
                let unit = operation.and_then(Operation::unit);
                if matches!(unit, Some(DeviceUnitOp::ClusterLaunchControl(_))) {
                    self.not_covered.push(NotCovered::ClusterLaunchControl(at));
                }
                let mbarrier = operation.and_then(Operation::mbarrier);
                if mbarrier == Some(MbarrierOp::TryWait) && !query.is_in_loop(at) {
                    self.not_covered.push(NotCovered::TryWaitWithoutLoop(at));
                }
                if mbarrier == Some(MbarrierOp::PendingCount) {
                    self.not_covered.push(NotCovered::PendingCount(at));
                }
            }
        }
    }

    fn begin(&mut self, selection: Selection) {
        let analyses = self.analyses.take();
        let analyses = analyses.unwrap_or_else(|| ProgramAnalyses::of(self.start.program()));
        self.running = Some(Box::new(Execution::new(
            &self.start,
            self.shape,
            selection,
            self.atomics,
            analyses,
            self.limits.max_steps,
        )));
    }

    /// Executes about `budget` steps. Returns whether the exploration is complete.
    pub fn advance(&mut self, budget: u64) -> bool {
        let end = self.n_steps.saturating_add(budget);
        while !self.is_complete && self.n_steps < end {
            let Some(mut execution) = self.running.take() else {
                self.is_complete = true;
                break;
            };
            let before = execution.machine.position();
            let ended = execution.advance(end - self.n_steps);
            // An execution without steps counts as one step, so that the loop ends.
            self.n_steps += (execution.machine.position() - before).max(1);
            if execution.events.len() > self.limits.max_events {
                self.add_not_covered(NotCovered::EventLimit(self.limits.max_events));
                self.is_complete = true;
                break;
            }
            match ended {
                None => self.running = Some(execution),
                Some(end) => self.finish(*execution, end),
            }
        }
        self.is_complete
    }

    /// Ends the exploration. Without a witness, the verdict is [`ScheduleVerdict::Incomplete`].
    pub fn stop(&mut self) {
        if !self.is_complete {
            self.is_complete = true;
            self.running = None;
            self.add_not_covered(NotCovered::Stopped);
        }
    }

    /// Returns the number of executions so far and the number of known executions that remain.
    pub fn progress(&self) -> (u64, u64) {
        let pending = self.branches.values().map(|branch| branch.pending.len());
        let running = u64::from(self.running.is_some());
        (self.n_executions, pending.sum::<usize>() as u64 + running)
    }

    /// Returns the result. Before the end of the exploration, the verdict is preliminary.
    pub fn report(&self) -> ScheduleReport {
        let mut not_covered = self.not_covered.clone();
        let is_contended = |word: &Word| self.contended.contains(word);
        let unordered = self.unordered.iter();
        let ends_spin = |pair: &UnorderedPair| {
            pair.reads_single_write && self.spin_loads.contains(&pair.instructions[1])
        };
        let effective =
            unordered.filter(|pair| pair.words.iter().all(is_contended) && !ends_spin(pair));
        let instructions: BTreeSet<[InstructionRef; 2]> =
            effective.map(|pair| pair.instructions).collect();
        not_covered.extend(instructions.into_iter().map(NotCovered::Reordering));
        let verdict = match &self.witness {
            Some(_) => ScheduleVerdict::Witness,
            None if not_covered.is_empty() && self.is_complete => ScheduleVerdict::Clean,
            None => ScheduleVerdict::Incomplete,
        };
        ScheduleReport {
            verdict,
            witness: self.witness.clone(),
            not_covered,
            n_executions: self.n_executions,
            n_partial: self.n_partial,
            n_steps: self.n_steps,
            n_events: self.n_events,
        }
    }

    fn add_not_covered(&mut self, reason: NotCovered) {
        if !self.not_covered.contains(&reason) {
            self.not_covered.push(reason);
        }
    }

    /// Processes the end of an execution, and selects the next execution.
    fn finish(&mut self, mut execution: Execution, end: ExecutionEnd) {
        match end {
            ExecutionEnd::Covered | ExecutionEnd::Spins | ExecutionEnd::NotEnabled => {
                self.n_partial += 1;
            }
            ExecutionEnd::Finished(_)
            | ExecutionEnd::Faulted
            | ExecutionEnd::Stuck
            | ExecutionEnd::StepLimit => self.n_executions += 1,
        }
        self.n_events = self.n_events.max(execution.events.len());
        if execution.record.has_ignored_order && worst_race(&mut execution).is_some() {
            // The order of atomic operations or fences can prevent the race, so explore this order, too.
            self.analyses = Some(execution.analyses);
            self.restart(AtomicOrder::Explored);
            return;
        }
        self.judge(&mut execution, end);
        let is_severe = |witness: &Witness| witness.kind < WitnessKind::Memory;
        if self.witness.as_ref().is_some_and(is_severe) || end == ExecutionEnd::StepLimit {
            self.is_complete = true;
            return;
        }
        if execution.detector.is_truncated() {
            self.add_not_covered(NotCovered::RaceDetection);
        }
        self.add_branches(&mut execution);
        let selection = self.next_selection(&execution);
        self.analyses = Some(execution.analyses);
        match selection {
            Some(selection) => self.begin(selection),
            None => self.is_complete = true,
        }
    }

    /// Starts the exploration again with another treatment of atomic operations. The statistics include the previous executions.
    fn restart(&mut self, atomics: AtomicOrder) {
        self.atomics = atomics;
        self.branches.clear();
        self.first_memory = None;
        self.witness = None;
        self.begin(Selection::default());
    }

    /// Records a witness if the execution shows a problem.
    fn judge(&mut self, execution: &mut Execution, end: ExecutionEnd) {
        let race = worst_race(execution);
        let mut notes = execution.machine.notes().iter();
        let is_divergent = notes
            .any(|note| matches!(note.kind, RunDiagnosticKind::DivergentBarrierArrival { .. }));
        let kind = match end {
            _ if race == Some(WitnessKind::Race) => race,
            _ if is_divergent => Some(WitnessKind::Hang),
            ExecutionEnd::Stuck => Some(WitnessKind::Hang),
            ExecutionEnd::Faulted => {
                let fault = execution.machine.fault();
                let is_hang =
                    fault.is_some_and(|fault| matches!(fault.kind, FaultKind::Deadlock { .. }));
                Some(match is_hang {
                    true => WitnessKind::Hang,
                    false => WitnessKind::Fault,
                })
            }
            ExecutionEnd::Finished(memory) => match &self.first_memory {
                None => {
                    self.first_memory = Some((memory, merged(&execution.turns)));
                    None
                }
                Some((first, _)) => (*first != memory).then_some(WitnessKind::Memory),
            },
            ExecutionEnd::StepLimit => {
                self.add_not_covered(NotCovered::StepLimit(self.limits.max_steps));
                None
            }
            ExecutionEnd::Covered | ExecutionEnd::Spins | ExecutionEnd::NotEnabled => None,
        };
        let Some(kind) = kind.or(race) else {
            return;
        };
        if self
            .witness
            .as_ref()
            .is_some_and(|known| known.kind <= kind)
        {
            return;
        }
        let reference = match (&self.first_memory, kind) {
            (Some((_, schedule)), WitnessKind::Memory) => schedule.clone(),
            _ => Vec::new(),
        };
        self.witness = Some(Witness {
            kind,
            schedule: merged(&execution.turns),
            reference,
        });
    }

    /// Adds the branches that reverse the races of an execution.
    fn add_branches(&mut self, execution: &mut Execution) {
        let stutters = execution.events.iter().filter(|event| event.is_stutter);
        self.spin_loads.extend(stutters.map(|event| event.at));
        let AnalyzedTrace { races, unordered } = analyze(&mut execution.events);
        // Other executions contain the accesses of an execution that ended early.
        if execution.machine.status() == MachineStatus::Finished {
            self.unordered.extend(unordered);
        }
        let events = &execution.events;
        for (first, second) in races {
            if second < execution.selected_event {
                continue;
            }
            self.contended
                .extend(common_words(&events[first], &events[second]));
            let reversal: Vec<usize> = (first + 1..second)
                .filter(|index| !events[*index].is_stutter)
                .filter(|index| !happens_before(&events[first], &events[*index]))
                .chain([second])
                .collect();
            let initials: Vec<Agent> = reversal
                .iter()
                .enumerate()
                .filter(|(place, index)| {
                    let earlier = &reversal[..*place];
                    !earlier
                        .iter()
                        .any(|other| happens_before(&events[*other], &events[**index]))
                })
                .map(|(_, index)| events[*index].agent)
                .collect();
            let branch = self.branches.entry(first).or_default();
            let asleep = execution.sleep_before.get(&first);
            let is_explored = |agent: &Agent| {
                events[first].agent == *agent
                    || branch.done.iter().any(|done| done.agent == *agent)
                    || branch.pending.contains(agent)
                    || asleep.is_some_and(|asleep| asleep.contains(agent))
            };
            if initials.iter().any(is_explored) {
                continue;
            }
            let last = events[second].agent;
            let chosen = initials.iter().find(|agent| **agent == last);
            branch.pending.extend(chosen.or(initials.first()));
        }
    }

    /// Selects the last branch with an agent that has not been explored.
    fn next_selection(&mut self, execution: &Execution) -> Option<Selection> {
        loop {
            let (index, mut branch) = self.branches.pop_last()?;
            let Some(agent) = branch.pending.pop() else {
                continue;
            };
            let Some(event) = execution.events.get(index) else {
                continue;
            };
            branch.done.push(Sleeper {
                agent: event.agent,
                footprint: event.footprint.clone(),
            });
            self.branches.insert(index, branch);
            let mut path = execution.segments[..event.segment].to_vec();
            path.push(agent);
            return Some(Selection {
                path,
                selected_event: index,
                sleepers: self
                    .branches
                    .iter()
                    .map(|(index, branch)| (*index, branch.done.clone()))
                    .collect(),
            });
        }
    }
}

/// Returns the most severe kind of the data races of an execution.
fn worst_race(execution: &mut Execution) -> Option<WitnessKind> {
    if execution.machine.status() != MachineStatus::Running {
        execution.detector.finish();
    }
    let races = execution.detector.found().iter();
    let kinds = races
        .filter(|race| !race.is_equal_store_of_lanes())
        .map(|race| match race.is_model_only() {
            true => WitnessKind::ModelOnlyRace,
            false => WitnessKind::Race,
        });
    kinds.min()
}

/// Returns the words that two events access.
fn common_words(first: &Event, second: &Event) -> Vec<Word> {
    let others: HashSet<Word> = second.words().collect();
    first.words().filter(|word| others.contains(word)).collect()
}

/// Merges consecutive turns of the same agent.
fn merged(turns: &[ScheduledTurn]) -> Vec<ScheduledTurn> {
    let mut merged: Vec<ScheduledTurn> = Vec::new();
    for turn in turns {
        match merged.last_mut() {
            Some(last) if last.agent == turn.agent => {
                last.n_steps = last.n_steps.saturating_add(turn.n_steps);
            }
            _ => merged.push(*turn),
        }
    }
    merged
}
