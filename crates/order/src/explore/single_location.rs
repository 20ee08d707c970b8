//! Search for litmus tests whose threads share a single location and access it only by morally strong reads and atomics. The search returns
//! all outcomes, each with an execution. For other litmus tests, the search returns `None`.
//!
//! Morally strong operations on one location are sequentially consistent, and synchronization through a single location adds no order
//! beyond the order of the accesses to this location. Therefore, the outcomes of the test are the outcomes of its interleavings. Two
//! interleavings continue identically if all threads are at the same instructions and have the same values in live registers. The search
//! explores each such state only once, instead of once for each order of a long chain of atomics.

use crate::explore::event::{
    EventKind, MemoryOrdering, OrderingRole, Proxy, ThreadTrace, TraceEvent,
};
use crate::explore::lane_exchange::PublishedValues;
use crate::explore::memory_cells::CellPartition;
use crate::explore::query::{ExploreError, LitmusQuery, ObservedValue};
use crate::explore::thread_path::{
    ExplorationState, PathExit, PathExplorer, StepResult, ThreadPath, ValueDomain,
};
use crate::explore::traces::{ThreadTraces, cells_of_observed};
use crate::explore::value_origins::{ValueOrigins, WriteNumbering};
use crate::scope::{ScopeInstance, ThreadLocation, scopes_mutually_inclusive};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use warpgrid_isa::{Operation, Sem, SyncOp};
use warpgrid_program::{OperandValue, RegisterId};

/// Maximum number of explored states.
const MAX_STATES: usize = 400_000;
/// Maximum number of splits of cells before the search gives up.
const MAX_CUTS: usize = 64;

/// Source of each read, indexed by the thread and the event number of the read. A source is the thread and the event
/// number of a write, or `None` for the initial value.
pub(crate) type ReadSources = Vec<Vec<Option<(usize, usize)>>>;

/// Result of the single-location search: one combination of traces for each outcome.
pub(crate) struct SingleLocationResult {
    pub(crate) traces: ThreadTraces,
    pub(crate) combinations: Vec<Vec<usize>>,
    /// Write from which each read takes its value, for each combination.
    pub(crate) taken: Vec<ReadSources>,
    pub(crate) outcomes: BTreeSet<Vec<u64>>,
}

/// Returns all outcomes, or `None` if the single-location search is not applicable to the test.
pub(crate) fn find(question: &LitmusQuery) -> Result<Option<SingleLocationResult>, ExploreError> {
    if question.threads.len() > question.limits.threads || !is_trackable(question) {
        return Ok(None);
    }
    let mut cells = cells_of_observed(question);
    for _ in 0..MAX_CUTS {
        match search(question, &cells) {
            Ok(found) => return Ok(Some(found)),
            Err(Fallback::Cut(at)) => cells.cut(at),
            Err(Fallback::Other) => return Ok(None),
            Err(Fallback::TooMany(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Checks whether the registers describe the complete state of each thread: no register is wider than 64 bits, and no
/// instruction uses other state of the thread, such as the carry flag or a barrier phase.
fn is_trackable(question: &LitmusQuery) -> bool {
    let program = &question.program;
    question.threads.iter().all(|thread| {
        let function = program.functions.get(thread.function.0 as usize);
        function.is_some_and(|function| {
            let is_narrow = |n: usize| {
                let register = function.registers.get(n);
                register.is_none_or(|register| register.ty.width_bits() <= 64)
            };
            let mut instructions = function.instructions.iter();
            (0..function.registers.len()).all(is_narrow)
                && instructions.all(|instruction| {
                    let action = program.opcode(instruction);
                    action.is_some_and(|action| match action.operation {
                        Operation::Memory(_)
                        | Operation::Control(_)
                        | Operation::Arithmetic(_)
                        | Operation::Compare(_)
                        | Operation::Move(_)
                        | Operation::Hint(_)
                        | Operation::Sync(SyncOp::Fence | SyncOp::Membar) => true,
                        Operation::Sync(_)
                        | Operation::Mbarrier(_)
                        | Operation::Async(_)
                        | Operation::Carry(_)
                        | Operation::Video(..)
                        | Operation::Warp(_)
                        | Operation::Matrix(_)
                        | Operation::Unit(_)
                        | Operation::Machine(_)
                        | Operation::Unknown => false,
                    })
                })
        })
    })
}

/// Reason why the single-location search is not applicable, so that the general search must run.
enum Fallback {
    Cut(u64),
    Other,
    TooMany(ExploreError),
}

impl From<PathExit> for Fallback {
    fn from(halt: PathExit) -> Fallback {
        match halt {
            PathExit::Cut(at) => Fallback::Cut(at),
            // Discard the error, because the general search encounters the same error and reports more details.
            PathExit::Failed(_) => Fallback::Other,
        }
    }
}

/// Progress of a thread in an explored state: the path to its next access, or its trace if it has ended.
#[derive(Clone)]
enum ThreadProgress {
    Way(Rc<ThreadPath>),
    End(Rc<ThreadTrace>),
}

/// Key of a thread state, for the deduplication of states: the next instruction, the values of the live registers, and the iteration counts
/// of the loops.
#[derive(PartialEq, Eq, Hash)]
struct ThreadStateKey {
    instruction: u32,
    registers: Vec<u64>,
    rounds: Vec<(u32, usize)>,
}

/// State of the search: the states of all threads, and the value of the shared location.
#[derive(Clone)]
struct LocationState {
    threads: Vec<ThreadProgress>,
    /// Number of the state of each thread.
    places: Vec<usize>,
    value: Option<u64>,
    /// Thread and event number of the write that produced the value of the location, or `None` for the initial value.
    writer: Option<(usize, usize)>,
    taken: ReadSources,
}

struct LocationSearch<'a> {
    question: &'a LitmusQuery,
    walkers: Vec<PathExplorer<'a>>,
    /// Live registers, indexed by thread and instruction.
    live: Vec<Vec<Vec<RegisterId>>>,
    places: HashMap<(usize, ThreadStateKey), usize>,
    /// Cell that the threads share, or `None` before the first access to a shared cell.
    cell: Option<usize>,
    /// Thread and memory ordering of each access to the location.
    words: Vec<(usize, MemoryOrdering)>,
    cells: &'a CellPartition,
}

fn search(question: &LitmusQuery, cells: &CellPartition) -> Result<SingleLocationResult, Fallback> {
    let domain: ValueDomain = vec![BTreeMap::new(); cells.list.len()];
    let (writes, given) = (WriteNumbering::default(), PublishedValues::default());
    let known = ExplorationState {
        cells,
        domain: &domain,
        writes: &writes,
        given: &given,
        counters: &[],
    };
    let n = question.threads.len();
    let walkers = (0..n).filter_map(|thread| PathExplorer::new(question, thread, known, &[]));
    let search = LocationSearch {
        question,
        walkers: walkers.collect(),
        live: (0..n).map(|thread| live_of(question, thread)).collect(),
        places: HashMap::new(),
        cell: None,
        words: Vec::new(),
        cells,
    };
    search.run()
}

fn live_of(question: &LitmusQuery, thread: usize) -> Vec<Vec<RegisterId>> {
    let function = question
        .threads
        .get(thread)
        .and_then(|spec| question.program.functions.get(spec.function.0 as usize));
    let observed = question.observed.iter().filter_map(|o| match o {
        ObservedValue::Register {
            thread: of,
            register,
        } if *of == thread => *register,
        ObservedValue::Register { .. } | ObservedValue::Memory { .. } => None,
    });
    let observed: Vec<RegisterId> = observed.collect();
    let live = function.map(|function| {
        let all = 0..function.instructions.len() as u32;
        question.program.live_registers(function, all, &observed)
    });
    live.unwrap_or_default()
}

impl LocationSearch<'_> {
    fn run(mut self) -> Result<SingleLocationResult, Fallback> {
        let mut ends: BTreeMap<Vec<u64>, LocationState> = BTreeMap::new();
        let mut seen = HashSet::new();
        let mut open = vec![self.start()?];
        let limit = self.question.limits.outcomes;
        while let Some(state) = open.pop() {
            if let Some(outcome) = self.outcome(&state) {
                ends.entry(outcome).or_insert(state);
                if ends.len() > limit {
                    return Err(Fallback::TooMany(ExploreError::TooManyOutcomes { limit }));
                }
                continue;
            }
            for thread in 0..state.threads.len() {
                let Some(next) = self.step(&state, thread)? else {
                    continue;
                };
                if seen.insert((next.places.clone(), next.value)) {
                    open.push(next);
                }
            }
            if seen.len() > MAX_STATES {
                return Err(Fallback::TooMany(ExploreError::TooManyOutcomes { limit }));
            }
        }
        match self.is_morally_strong() {
            true => Ok(self.found(ends)),
            false => Err(Fallback::Other),
        }
    }

    fn start(&mut self) -> Result<LocationState, Fallback> {
        let n = self.walkers.len();
        let mut state = LocationState {
            threads: Vec::new(),
            places: vec![0; n],
            value: None,
            writer: None,
            taken: vec![Vec::new(); n],
        };
        for thread in 0..n {
            let Some(walker) = self.walkers.get(thread) else {
                return Err(Fallback::Other);
            };
            let path = walker.start().map_err(|_| Fallback::Other)?;
            let Some(at) = self.run_to_next_access(thread, path)? else {
                return Err(Fallback::Other);
            };
            state.places[thread] = self.place_of(thread, &at);
            state.threads.push(at);
        }
        Ok(state)
    }

    /// Executes a thread up to its next access to the location. Returns `None` if the thread waits for an event that never occurs.
    fn run_to_next_access(
        &mut self,
        thread: usize,
        mut path: ThreadPath,
    ) -> Result<Option<ThreadProgress>, Fallback> {
        loop {
            if self.is_access(thread, &path) {
                return Ok(Some(ThreadProgress::Way(Rc::new(path))));
            }
            match self.next(thread, path)? {
                StepResult::Ended(trace) => return Ok(Some(ThreadProgress::End(Rc::new(trace)))),
                StepResult::Ways(ways) => match single_successor(ways)? {
                    Some(on) => path = on,
                    None => return Ok(None),
                },
            }
        }
    }

    fn is_access(&self, thread: usize, path: &ThreadPath) -> bool {
        let Some(walker) = self.walkers.get(thread) else {
            return false;
        };
        let instructions = &walker.function.instructions;
        let instruction = instructions.get(path.place() as usize);
        let action = instruction.and_then(|i| self.question.program.opcode(i));
        action.is_some_and(|action| action.operation.memory().is_some())
    }

    fn next(&mut self, thread: usize, path: ThreadPath) -> Result<StepResult, Fallback> {
        match self.walkers.get_mut(thread) {
            Some(walker) => Ok(walker.next(path)?),
            None => Err(Fallback::Other),
        }
    }

    /// Executes the next access of a thread, and the instructions up to the access after it. Returns `None` if the thread has ended or
    /// waits for an event that never occurs.
    fn step(
        &mut self,
        state: &LocationState,
        thread: usize,
    ) -> Result<Option<LocationState>, Fallback> {
        let Some(ThreadProgress::Way(path)) = state.threads.get(thread) else {
            return Ok(None);
        };
        if self.address_depends(thread, path) {
            return Err(Fallback::Other);
        }
        let value = state.value;
        if let Some(walker) = self.walkers.get_mut(thread) {
            walker.domain = Cow::Owned(domain_of(self.cells, self.cell, value));
        }
        let n_before = path.steps.len();
        let path = match self.next(thread, ThreadPath::clone(path))? {
            StepResult::Ended(_) => return Err(Fallback::Other),
            StepResult::Ways(ways) => match single_successor(ways)? {
                Some(path) => path,
                None => return Ok(None),
            },
        };
        let mut next = state.clone();
        if let Some(step) = path.steps.get(n_before) {
            if path.steps.len() > n_before + 1 || !self.accesses_only_location(thread, step) {
                return Err(Fallback::Other);
            }
            let taken = &mut next.taken[thread];
            taken.resize(n_before, None);
            taken.push(state.writer);
            next.value = value;
            if let Some(written) = step.writes.first() {
                next.value = Some(*written);
                next.writer = Some((thread, n_before));
            }
        }
        let Some(at) = self.run_to_next_access(thread, path)? else {
            return Ok(None);
        };
        next.places[thread] = self.place_of(thread, &at);
        next.threads[thread] = at;
        Ok(Some(next))
    }

    /// Checks whether the address of the next access of a thread depends on a value that the thread has read.
    fn address_depends(&self, thread: usize, path: &ThreadPath) -> bool {
        let Some(walker) = self.walkers.get(thread) else {
            return true;
        };
        let instructions = &walker.function.instructions;
        let Some(instruction) = instructions.get(path.place() as usize) else {
            return true;
        };
        let operands = walker.function.operands_of(instruction.operands);
        operands.iter().any(|operand| {
            matches!(operand.value, OperandValue::Address(_)) && path.taint_of(&operand.value) != 0
        })
    }

    /// Checks whether an event reads or modifies only the shared location.
    fn accesses_only_location(&mut self, thread: usize, step: &TraceEvent) -> bool {
        let cell = *self.cell.get_or_insert(step.cells.start);
        if !self.words.contains(&(thread, step.words)) {
            self.words.push((thread, step.words));
        }
        matches!(step.kind, EventKind::Read | EventKind::Atomic)
            && step.entry == OrderingRole::Program
            && step.proxy == Proxy::Generic
            && step.cells == (cell..cell + 1)
            && step.words.sem != Sem::Weak
    }

    /// Checks whether all accesses are morally strong with each other: the scope of each access includes the threads of
    /// all other accesses.
    fn is_morally_strong(&self) -> bool {
        let home = |thread: &usize| {
            let spec = self.question.threads.get(*thread);
            spec.map(|spec| ThreadLocation {
                block: spec.block_index,
                cluster: spec.cluster_index,
            })
        };
        self.words.iter().all(|(a, first)| {
            self.words.iter().all(|(b, second)| {
                let (Some(here), Some(there)) = (home(a), home(b)) else {
                    return false;
                };
                a == b
                    || scopes_mutually_inclusive(
                        ScopeInstance::new(first.scope, here),
                        ScopeInstance::new(second.scope, there),
                    )
            })
        })
    }

    fn place_of(&mut self, thread: usize, at: &ThreadProgress) -> usize {
        let place = match at {
            ThreadProgress::Way(path) => {
                let mut path = ThreadPath::clone(path);
                let live = self.live.get(thread);
                let live = live.and_then(|live| live.get(path.place() as usize));
                let live = live.map_or(&[][..], |live| live);
                ThreadStateKey {
                    instruction: path.place(),
                    registers: live.iter().map(|r| path.emulator.register(*r)).collect(),
                    rounds: path.rounds().collect(),
                }
            }
            ThreadProgress::End(trace) => ThreadStateKey {
                instruction: u32::MAX,
                registers: trace.registers.clone(),
                rounds: Vec::new(),
            },
        };
        let next = self.places.len();
        *self.places.entry((thread, place)).or_insert(next)
    }

    /// Returns the observed values of a state, or `None` if a thread has not ended.
    fn outcome(&self, state: &LocationState) -> Option<Vec<u64>> {
        let traces = ends_of(state)?;
        let mut registers: Vec<_> = traces.iter().map(|trace| trace.registers.iter()).collect();
        let values = self
            .question
            .observed
            .iter()
            .map(|observed| match observed {
                ObservedValue::Register { thread, .. } => {
                    let next = registers.get_mut(*thread).and_then(Iterator::next);
                    next.copied().unwrap_or(0)
                }
                ObservedValue::Memory { .. } => {
                    let cells =
                        crate::explore::results::cells_of(self.question, self.cells, observed);
                    let held = cells.clone().map(|cell| {
                        let init = self.cells.list.get(cell).map_or(0, |cell| cell.init);
                        match self.cell == Some(cell) {
                            true => state.value.unwrap_or(init),
                            false => init,
                        }
                    });
                    let held: Vec<u64> = held.collect();
                    self.cells.join(cells, &held)
                }
            });
        Some(values.collect())
    }

    fn found(self, ends: BTreeMap<Vec<u64>, LocationState>) -> SingleLocationResult {
        let mut threads: Vec<Vec<ThreadTrace>> = vec![Vec::new(); self.walkers.len()];
        let mut numbers: Vec<HashMap<Rc<ThreadTrace>, usize>> =
            vec![HashMap::new(); self.walkers.len()];
        let mut found = SingleLocationResult {
            traces: ThreadTraces {
                cells: self.cells.clone(),
                threads: Vec::new(),
                hit_loop_bound: self.walkers.iter().any(|walker| walker.bounded),
                reached: self.walkers.iter().map(|w| w.reached.clone()).collect(),
                counters: vec![false; self.cells.list.len()],
            },
            combinations: Vec::new(),
            taken: Vec::new(),
            outcomes: BTreeSet::new(),
        };
        for (outcome, state) in ends {
            let Some(traces) = ends_of(&state) else {
                continue;
            };
            let each = traces.into_iter().zip(&mut threads).zip(&mut numbers);
            let numbers = each.map(|((trace, own), numbers)| {
                *numbers.entry(Rc::clone(&trace)).or_insert_with(|| {
                    own.push(ThreadTrace::clone(&trace));
                    own.len() - 1
                })
            });
            found.combinations.push(numbers.collect());
            found.taken.push(state.taken);
            found.outcomes.insert(outcome);
        }
        found.traces.threads = threads;
        found
    }
}

/// Returns the traces of the threads in a state, or `None` if a thread has not ended.
fn ends_of(state: &LocationState) -> Option<Vec<Rc<ThreadTrace>>> {
    let trace = |at: &ThreadProgress| match at {
        ThreadProgress::End(trace) => Some(Rc::clone(trace)),
        ThreadProgress::Way(_) => None,
    };
    state.threads.iter().map(trace).collect()
}

/// Returns the values that a read can return: the latest value of the shared location, and the initial values of all
/// other cells.
fn domain_of(cells: &CellPartition, cell: Option<usize>, value: Option<u64>) -> ValueDomain {
    let all = cells.list.iter().enumerate();
    let values = all.map(|(number, at)| {
        let held = value.filter(|_| cell == Some(number)).unwrap_or(at.init);
        BTreeMap::from([(held, ValueOrigins::start())])
    });
    values.collect()
}

/// Returns the only successor path, or `None` if there is no successor. Returns an error for several successors, which the single-location
/// search does not support.
fn single_successor(mut ways: Vec<ThreadPath>) -> Result<Option<ThreadPath>, Fallback> {
    match ways.len() {
        0 | 1 => Ok(ways.pop()),
        _ => Err(Fallback::Other),
    }
}
