//! One execution of a launch under a schedule that the exploration selects.

use crate::races::detector::RaceDetector;
use crate::races::fast_hash::FastHashMap;
use crate::races::observed_launch_shape::ObservedLaunchShape;
use crate::schedules::clock::{Clock, Component, Epoch};
use crate::schedules::counter::CounterTable;
use crate::schedules::event::{Event, EventEffect, Footprint, MbarrierRef, Word, are_dependent};
use crate::schedules::recorder::{AtomicOrder, Recorder, StepRecord};
use crate::schedules::reordering::FenceKind;
use crate::schedules::spin::{LiveRegisterTable, LoopSearch, SpinHistory, state_of};
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use warpgrid_emulator::{
    Agent, ArrivalMode, BufferIndex, Machine, MachineStatus, MemoryRegion, ScheduledTurn, WarpId,
};
use warpgrid_program::{FunctionId, Program};

/// Number of consecutive read-only events after which another agent executes, so that a loop whose state changes in each
/// iteration cannot delay the other agents forever.
const MAX_CONSECUTIVE_READS: u32 = 64;

/// Agent whose next event has already been explored in a state, with the effects of the event.
#[derive(Clone, Debug)]
pub(crate) struct Sleeper {
    pub(crate) agent: Agent,
    pub(crate) footprint: Footprint,
}

/// Reason for the end of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExecutionEnd {
    /// All blocks have finished. The number is a hash of the final contents of global memory.
    Finished(u64),
    /// A fault stopped the run. A deadlock is a fault.
    Faulted,
    /// Every agent that has not finished waits or spins.
    Stuck,
    /// Every enabled agent sleeps: another execution covers the rest of the schedule.
    Covered,
    /// The event that the exploration selected is an iteration of a spin loop, so that the rest of the schedule is
    /// equivalent to a schedule without this event.
    Spins,
    /// The selected agent cannot execute a step.
    NotEnabled,
    StepLimit,
}

/// Memory or mbarrier that a spinning warp reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Watched {
    Word(Word),
    Mbarrier(MbarrierRef),
    /// Any memory.
    All,
}

/// Static analyses of the program, which the executions of an exploration share.
pub(crate) struct ProgramAnalyses {
    live: LiveRegisterTable,
    counters: CounterTable,
}

impl ProgramAnalyses {
    pub(crate) fn of(program: &Arc<Program>) -> ProgramAnalyses {
        let mut live = LiveRegisterTable::new(Arc::clone(program));
        ProgramAnalyses {
            counters: CounterTable::of(program, &mut live),
            live,
        }
    }
}

/// Execution in progress.
pub(crate) struct Execution {
    pub(crate) machine: Machine,
    program: Arc<Program>,
    pub(crate) detector: RaceDetector,
    pub(crate) analyses: ProgramAnalyses,
    pub(crate) record: StepRecord,
    pub(crate) events: Vec<Event>,
    /// Turns that have been executed.
    pub(crate) turns: Vec<ScheduledTurn>,
    /// Agents of the first turns.
    path: Vec<Agent>,
    /// Agents of the executed segments. A segment ends with an event, or when its agent cannot execute a step.
    pub(crate) segments: Vec<Agent>,
    /// Index of the event that the last element of `path` executes.
    pub(crate) selected_event: usize,
    /// Agents that start to sleep before the event with the given index.
    sleepers: BTreeMap<usize, Vec<Sleeper>>,
    pub(crate) sleep: Vec<Sleeper>,
    /// Sleeping agents before each event, for events at which an agent sleeps.
    pub(crate) sleep_before: BTreeMap<usize, Vec<Agent>>,
    current: Option<Agent>,
    n_reads: u32,
    histories: FastHashMap<WarpId, SpinHistory>,
    spinning: BTreeMap<WarpId, Vec<Watched>>,
    /// Number of events before the last change of a word or an mbarrier.
    changes: HashMap<Watched, usize>,
    last_weak_change: usize,
    /// Strongest fence that each warp has executed since its latest event.
    fences: FastHashMap<WarpId, FenceKind>,
    atomics: AtomicOrder,
    max_steps: u64,
}

/// Selection of an execution by the exploration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Agents of the first turns. The last agent executes the event that distinguishes the execution.
    pub(crate) path: Vec<Agent>,
    pub(crate) selected_event: usize,
    pub(crate) sleepers: BTreeMap<usize, Vec<Sleeper>>,
}

impl Execution {
    pub(crate) fn new(
        start: &Machine,
        shape: ObservedLaunchShape,
        selection: Selection,
        atomics: AtomicOrder,
        analyses: ProgramAnalyses,
        max_steps: u64,
    ) -> Execution {
        let program = Arc::clone(start.program());
        let detector = match atomics {
            AtomicOrder::Ignored => RaceDetector::without_order_of_atomics_and_fences,
            AtomicOrder::Explored => RaceDetector::new,
        };
        Execution {
            analyses,
            machine: start.clone(),
            detector: detector(Arc::clone(&program), shape),
            program,
            record: StepRecord::default(),
            events: Vec::new(),
            turns: Vec::new(),
            path: selection.path,
            segments: Vec::new(),
            selected_event: selection.selected_event,
            sleepers: selection.sleepers,
            sleep: Vec::new(),
            sleep_before: BTreeMap::new(),
            current: None,
            n_reads: 0,
            histories: FastHashMap::default(),
            spinning: BTreeMap::new(),
            changes: HashMap::new(),
            last_weak_change: 0,
            fences: FastHashMap::default(),
            atomics,
            max_steps,
        }
    }

    /// Executes about `budget` steps. Returns the reason for the end of the execution, or `None` if steps remain.
    pub(crate) fn advance(&mut self, budget: u64) -> Option<ExecutionEnd> {
        let start = self.machine.position();
        while self.machine.position() - start < budget {
            match self.machine.status() {
                MachineStatus::Running => {}
                MachineStatus::Finished => return Some(ExecutionEnd::Finished(self.memory_hash())),
                MachineStatus::Faulted => return Some(ExecutionEnd::Faulted),
            }
            if self.machine.position() >= self.max_steps {
                return Some(ExecutionEnd::StepLimit);
            }
            let n_events = self.events.len();
            if let Some(starting) = self.sleepers.remove(&n_events) {
                self.sleep.extend(starting);
            }
            if !self.sleep.is_empty() {
                let asleep = self.sleep.iter().map(|sleeper| sleeper.agent).collect();
                self.sleep_before.insert(n_events, asleep);
            }
            let agent = match self.path.get(self.segments.len()) {
                Some(agent) if self.machine.can_step(*agent) => *agent,
                Some(_) => return Some(ExecutionEnd::NotEnabled),
                None => match self.next_agent() {
                    Ok(agent) => agent,
                    Err(end) => return Some(end),
                },
            };
            self.execute_segment(agent);
            self.segments.push(agent);
            self.current = Some(agent);
            if self.events.len() > n_events && self.has_spun(n_events) {
                return Some(ExecutionEnd::Spins);
            }
        }
        None
    }

    /// Selects an agent that neither spins nor sleeps. The current agent continues until it waits, finishes or spins.
    fn next_agent(&mut self) -> Result<Agent, ExecutionEnd> {
        if let Some(current) = self.current
            && self.n_reads < MAX_CONSECUTIVE_READS
            && self.machine.can_step(current)
            && !self.is_spinning(current)
            && !self.is_asleep(current)
            && current.warp().is_some()
        {
            return Ok(current);
        }
        self.n_reads = 0;
        let enabled = self.machine.runnable_agents();
        let active: Vec<Agent> = enabled
            .into_iter()
            .filter(|agent| !self.is_spinning(*agent))
            .collect();
        let is_ready = |agent: &&Agent| !self.is_asleep(**agent);
        let after = self
            .current
            .and_then(|current| active.iter().position(|agent| *agent == current))
            .map_or(0, |index| index + 1);
        let (before, rest) = active.split_at(after.min(active.len()));
        let in_turn = || rest.iter().chain(before);
        let is_warp = |agent: &&Agent| agent.warp().is_some();
        let warp = in_turn().filter(is_warp).find(is_ready);
        match warp.or_else(|| in_turn().find(is_ready)) {
            Some(agent) => Ok(*agent),
            None if active.is_empty() => Err(ExecutionEnd::Stuck),
            None => Err(ExecutionEnd::Covered),
        }
    }

    fn is_asleep(&self, agent: Agent) -> bool {
        self.sleep.iter().any(|sleeper| sleeper.agent == agent)
    }

    fn is_spinning(&self, agent: Agent) -> bool {
        let warp = agent.warp();
        warp.is_some_and(|warp| self.spinning.contains_key(&warp))
    }

    /// Executes steps of an agent up to and including its next event, or until it cannot execute a step.
    fn execute_segment(&mut self, agent: Agent) {
        let start = self.machine.position();
        let mut search = LoopSearch::default();
        while self.machine.can_step(agent) && self.machine.position() < self.max_steps {
            let before = self.machine.position();
            self.record.clear();
            let limits = agent
                .warp()
                .map(|warp| self.analyses.counters.limits(&self.machine, warp))
                .unwrap_or_default();
            let mut recorder = Recorder {
                detector: &mut self.detector,
                record: &mut self.record,
                program: &self.program,
                live: &mut self.analyses.live,
                atomics: self.atomics,
                counters: &self.analyses.counters,
                limits,
            };
            let status = self.machine.step_agent(agent, &mut recorder);
            if self.see_step(agent) {
                break;
            }
            let is_operation = matches!(agent, Agent::InFlight(_));
            let has_waited = self.machine.position() == before;
            if is_operation || has_waited || status != MachineStatus::Running {
                break;
            }
            if self.record.has_stored {
                search = LoopSearch::default();
            } else if let Some(warp) = agent.warp()
                && search.add(&self.machine, warp, &mut self.analyses.live)
            {
                self.spinning.insert(warp, vec![Watched::All]);
                break;
            }
        }
        let n_steps = (self.machine.position() - start) as u32;
        if n_steps > 0 {
            self.turns.push(ScheduledTurn { agent, n_steps });
        }
    }

    /// Processes the effects of a step. Returns whether the step is an event.
    fn see_step(&mut self, agent: Agent) -> bool {
        self.add_completions();
        let record = &self.record;
        let warp = agent.warp();
        if let (Some(warp), Some(kind)) = (warp, record.fence) {
            let fence = self.fences.entry(warp).or_insert(kind);
            *fence = kind.max(*fence);
        }
        let has_stored = record.has_stored && record.footprint.is_empty();
        if has_stored && let Some(history) = warp.and_then(|warp| self.histories.get_mut(&warp)) {
            history.clear();
        }
        if record.footprint.is_empty() {
            if has_stored || warp.is_none() {
                self.last_weak_change = self.events.len();
                self.spinning.clear();
            }
            return false;
        }
        // Barriers and mbarriers have release and acquire semantics with the scope of the block.
        let is_barrier = record.access.is_none() && self.detector.shape.n_blocks() == 1;
        let of_barrier = is_barrier.then_some(FenceKind::AcqRel);
        let event = Event {
            agent,
            at: record.at.unwrap_or((FunctionId(0), 0)),
            epoch: Epoch {
                component: Component::Operation(0),
                sequence: 0,
            },
            clock: Clock::default(),
            footprint: record.footprint.clone(),
            access: record.access,
            fence: warp
                .and_then(|warp| self.fences.remove(&warp))
                .max(of_barrier),
            segment: self.segments.len(),
            is_stutter: false,
        };
        self.wake(&event, warp);
        let footprint = &event.footprint;
        self.sleep.retain(|sleeper| {
            sleeper.agent != agent && !are_dependent(footprint, &sleeper.footprint)
        });
        self.events.push(event);
        true
    }

    /// Adds the completions of barriers by exiting threads, which are arrivals that complete the phase.
    fn add_completions(&mut self) {
        let record = &mut self.record;
        for barrier in std::mem::take(&mut record.completed_barriers) {
            let arrives = |effect: &EventEffect| matches!(effect, EventEffect::BarrierArrival { barrier: own, .. } if *own == barrier);
            if !record.footprint.iter().any(arrives) {
                record.footprint.push(EventEffect::BarrierArrival {
                    barrier,
                    mode: ArrivalMode::No,
                    completes: true,
                });
            }
        }
        for cluster in std::mem::take(&mut record.completed_clusters) {
            let arrives = |effect: &EventEffect| matches!(effect, EventEffect::ClusterArrival { cluster: own, .. } if *own == cluster);
            if !record.footprint.iter().any(arrives) {
                record.footprint.push(EventEffect::ClusterArrival {
                    cluster,
                    completes: true,
                });
            }
        }
    }

    /// Records the changes of an event, resumes the warps that spin on the changed memory, and clears the history of a
    /// warp that has made progress.
    fn wake(&mut self, event: &Event, warp: Option<WarpId>) {
        let n_events = self.events.len();
        let is_read_only = event.is_read_only();
        if let Some(warp) = warp {
            if is_read_only {
                self.n_reads += 1;
            } else {
                self.n_reads = 0;
                if let Some(history) = self.histories.get_mut(&warp) {
                    history.clear();
                }
            }
        }
        if is_read_only {
            return;
        }
        for effect in &event.footprint {
            let changed = match effect {
                EventEffect::Access {
                    word,
                    changes: true,
                    ..
                } => Watched::Word(*word),
                EventEffect::Mbarrier { object, .. } => Watched::Mbarrier(*object),
                _ => continue,
            };
            self.changes.insert(changed, n_events);
            self.spinning
                .retain(|_, watched| !watched.contains(&changed));
        }
        // The completion of a copy writes memory without a strong access.
        if warp.is_none() {
            self.last_weak_change = n_events;
            self.spinning.clear();
        }
    }

    /// Checks whether the event with the given index completes an iteration of a spin loop. If so, the warp waits for a
    /// change, and the events of the iteration are marked. Returns whether the exploration has selected one of them.
    fn has_spun(&mut self, index: usize) -> bool {
        let event = &self.events[index];
        let Some(warp) = event.warp() else {
            return false;
        };
        if !event.is_read_only() {
            return false;
        }
        let Some(state) = state_of(&self.machine, warp, &mut self.analyses.live) else {
            return false;
        };
        let history = self.histories.entry(warp).or_default();
        let Some(iteration) = history.add(state, index) else {
            return false;
        };
        let mut watched = Vec::new();
        for event in &iteration {
            for effect in &self.events[*event].footprint {
                watched.extend(match effect {
                    EventEffect::Access { word, .. } => Some(Watched::Word(*word)),
                    EventEffect::Mbarrier { object, .. } => Some(Watched::Mbarrier(*object)),
                    _ => None,
                });
            }
        }
        let first = iteration.first().copied().unwrap_or(index);
        let has_changed =
            |watched: &Watched| self.changes.get(watched).is_some_and(|at| *at > first);
        if self.last_weak_change > first || watched.iter().any(has_changed) {
            return false;
        }
        history.clear();
        self.spinning.insert(warp, watched);
        let has_selected = iteration.contains(&self.selected_event) && !self.path.is_empty();
        for event in iteration {
            let is_selected = has_selected && event == self.selected_event;
            self.events[event].is_stutter = !is_selected;
        }
        has_selected
    }

    /// Returns a hash of the contents of all buffers and module variables.
    fn memory_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let buffers = (0..).map(|index| MemoryRegion::Buffer(BufferIndex(index)));
        for contents in buffers.map_while(|region| self.machine.memory(region)) {
            contents.hash(&mut hasher);
        }
        for index in 0..self.program.variables.len() as u32 {
            let contents = self.machine.memory(MemoryRegion::Variable(index));
            contents.hash(&mut hasher);
        }
        hasher.finish()
    }
}
