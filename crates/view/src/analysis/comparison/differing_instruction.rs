//! Search for the first instruction of a run that computed another value than the other run. The search takes two finished runs whose final
//! memory differs, and returns one instruction of each run with the registers and values that differ.
//!
//! The search starts at the earliest store whose value differs, and computes the dynamic backward slices of both stored values. A value of
//! the first slice corresponds to a value of the second slice if both depend on the same initial memory contents. The search replaces
//! values of the machine code, in the order of their execution, by corresponding values of the PTX, and continues the run. The first value
//! whose replacement yields the expected store is the first that differs (A. Zeller, "Isolating Cause-Effect Chains from Computer
//! Programs", 2002).

use crate::analysis::comparison::PairedRun;
use crate::analysis::comparison::execution_trace::{
    Definition, ExecutionTrace, StepRecord, WORD_BYTES,
};
use crate::analysis::comparison::value_slice::{
    Origin, SliceKind, TracedRun, ValueSlice, register_width,
};
use crate::analysis::memory_diff::{FinalMemory, differing};
use crate::model::source_position::{SourcePosition, base_name};
use crate::model::text::SourceRange;
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::element_of;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use warpgrid_emulator::{
    AccessEvent, EventMask, Machine, MachineStatus, MemoryId, Observer, WarpId,
};
use warpgrid_launch::SourceLanguage;
use warpgrid_program::{FunctionId, RegisterId};

/// Maximum number of steps of a run that the search executes again.
const MAX_RUN_STEPS: u64 = 2_000_000;
/// Maximum number of continued runs with replaced values in one pass of the search.
const MAX_TRIALS: usize = 256;
/// Maximum number of steps of the continued runs in one pass of the search.
const MAX_TRIAL_STEPS: u64 = 1_000_000;
/// Maximum number of differing elements that the search considers as the earliest differing store.
const MAX_ELEMENTS: usize = 1 << 12;
/// Maximum number of omitted values that a difference lists.
const MAX_OMITTED: usize = 4;

/// First instructions of two runs that computed different values, with the memory element in which the difference became visible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FirstDifference {
    /// Memory that contains the element of the earliest differing store.
    pub memory: MemoryKey,
    pub index: u64,
    /// Instruction of each run, in the order of the compared sources.
    pub sides: [ComputedValue; 2],
    /// Index of the source in whose run the search replaced values: the machine code, or the second source if both have the same language.
    pub replaced_side: usize,
    /// Values on which the named value of the other source depends, and which the source with this index does not compute.
    pub omitted: Vec<ComputedValue>,
    /// Whether a continued run with the value of the other run stored the expected value. The value is false if no replacement had this
    /// effect, so that the instructions are the ones that computed the stored values.
    pub confirmed: bool,
}

/// Value that an instruction computed for one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ComputedValue {
    pub step: u64,
    pub block: [u32; 3],
    pub warp: u32,
    pub lane: u8,
    pub range: SourceRange,
    pub instruction: String,
    /// Name of the register that received the value, or `None` if the instruction stores a constant.
    pub register: Option<String>,
    /// Value in hexadecimal notation, or `true` or `false` for a predicate.
    pub value: String,
    /// Value as a number, if the instruction computes a floating-point number.
    pub number: Option<String>,
    /// Position in the source file from which a compiler generated the instruction, followed by the call sites of inlined functions. The
    /// list is empty if the compiler recorded no position.
    pub source: Vec<SourcePosition>,
}

/// Instructions on which the differing values depend, for the decision whether the runs are comparable.
pub(crate) struct SearchResult {
    pub(crate) difference: FirstDifference,
    /// For each run, the instructions of the slice of the stored value and of the store, as function and instruction index.
    pub(crate) slices: [BTreeSet<InstructionRef>; 2],
    /// For each run, the instruction that the difference names.
    pub(crate) named: [Option<InstructionRef>; 2],
    /// Instructions that computed the omitted values.
    pub(crate) omitted: Vec<InstructionRef>,
}

pub(crate) type InstructionRef = (FunctionId, u32);

/// Word of memory whose final contents differ, with the last store of each run.
struct DifferingWord {
    memory: MemoryKey,
    index: u64,
    offset: u64,
    n_bytes: usize,
    /// Last store of each run, as its step and lane, or `None` if the run did not store to the word.
    stores: [Option<(u64, u8)>; 2],
}

/// One of the two runs during the search.
struct SearchSide {
    trace: ExecutionTrace,
    /// Number of executed steps after the store, or at the end of the run without a store.
    end: u64,
    warp: WarpId,
    lane: u8,
    stores: bool,
    address: u64,
    /// Bytes of the differing word after the store.
    bytes: Vec<u8>,
}

impl PairedRun {
    /// Returns the first instructions of both runs that computed different values, or `None` if the search does not find the differing
    /// stores of both runs. `contents` contains the final memory of both runs.
    pub(crate) fn first_difference(
        &mut self,
        contents: [&[FinalMemory]; 2],
    ) -> Option<SearchResult> {
        if self
            .sessions
            .iter()
            .any(|session| session.position() > MAX_RUN_STEPS)
        {
            return None;
        }
        let ends = self.sessions.each_ref().map(Session::position);
        let machine = self.machine_code_side();
        let word = differing_word(contents, &self.sessions, machine)?;
        let found = self.search(&word, machine, contents);
        for (session, end) in self.sessions.iter_mut().zip(ends) {
            session.seek(end);
        }
        found
    }

    /// Returns the index of the run in which the search replaces values: the machine code, or the second run if both sources have the same
    /// language.
    fn machine_code_side(&self) -> usize {
        let fronts = self
            .sessions
            .each_ref()
            .map(|session| session.scenario().front);
        usize::from(fronts != [SourceLanguage::Sass, SourceLanguage::Ptx])
    }

    fn search(
        &mut self,
        word: &DifferingWord,
        machine: usize,
        contents: [&[FinalMemory]; 2],
    ) -> Option<SearchResult> {
        let reference = 1 - machine;
        let memories = self.sessions.each_ref().map(Session::memories);
        let compared = self.compared.clone();
        let sides = self.search_sides(word, contents)?;
        let programs = self.sessions.each_ref();
        let programs = programs.map(|session| session.program.clone());
        let runs = [0, 1].map(|side| TracedRun {
            program: &programs[side],
            trace: &sides[side].trace,
            memories: &memories[side],
            compared: &compared,
        });
        let roots = [0, 1].map(|side| sides[side].stored(&runs[side]));
        let values = [0, 1].map(|side| {
            ValueSlice::of(&runs[side], roots[side].iter().copied(), SliceKind::Values)
        });
        let controls = [0, 1].map(|side| {
            let conditions = sides[side].conditions(&runs[side]);
            let roots = roots[side].iter().copied().chain(conditions);
            ValueSlice::of(&runs[side], roots, SliceKind::AddressesAndConditions)
        });
        let mut trials = Trials {
            session: &mut self.sessions[machine],
            side: &sides[machine],
            expected: &sides[reference].bytes,
            n_trials: 0,
            n_steps: 0,
        };
        // Each pass is less specific than the passes before.
        let passes = [
            (&values, SearchPass::Unmatched, ReplacedExecutions::One),
            (&values, SearchPass::Unmatched, ReplacedExecutions::All),
            (&values, SearchPass::Ambiguous, ReplacedExecutions::One),
            (&values, SearchPass::Ambiguous, ReplacedExecutions::All),
            (&controls, SearchPass::Unmatched, ReplacedExecutions::One),
            (&controls, SearchPass::Unmatched, ReplacedExecutions::All),
            (&controls, SearchPass::Predicates, ReplacedExecutions::One),
        ];
        let found = passes.into_iter().find_map(|(slices, pass, executions)| {
            let search = CorrespondenceSearch {
                runs: [&runs[machine], &runs[reference]],
                slices: [&slices[machine], &slices[reference]],
                pass,
                executions,
            };
            trials.restart();
            search.first(&mut trials)
        });
        if found.is_none() && !sides.iter().all(|side| side.stores) {
            return None;
        }
        let confirmed = found.is_some();
        let found = found.unwrap_or_else(|| DifferingPair {
            pair: [machine, reference].map(|side| roots[side].last().copied()),
            omitted: Vec::new(),
        });
        let [own, other] = found.pair;
        let named = match machine {
            0 => [own, other],
            _ => [other, own],
        };
        let computed = |side: usize, definition: Option<Definition>| {
            self.sessions[side].computed_value(&sides[side], definition)
        };
        let omitted_values = found.omitted.iter();
        let omitted_values = omitted_values.filter_map(|own| computed(reference, Some(*own)));
        let omitted = found.omitted.iter();
        let omitted = omitted.filter_map(|own| sides[reference].instruction(*own));
        Some(SearchResult {
            difference: FirstDifference {
                memory: word.memory.clone(),
                index: word.index,
                sides: [computed(0, named[0])?, computed(1, named[1])?],
                replaced_side: machine,
                omitted: omitted_values.collect(),
                confirmed,
            },
            slices: [0, 1].map(|side| sides[side].instructions(&values[side])),
            named: [0, 1].map(|side| sides[side].instruction(named[side]?)),
            omitted: omitted.collect(),
        })
    }

    /// Returns both runs with the execution traces of the blocks that stored the differing word.
    fn search_sides(
        &mut self,
        word: &DifferingWord,
        contents: [&[FinalMemory]; 2],
    ) -> Option<[SearchSide; 2]> {
        let mut stores = [None; 2];
        let sessions = self.sessions.iter_mut();
        for ((found, session), store) in stores.iter_mut().zip(sessions).zip(word.stores) {
            if let Some(store) = store {
                *found = Some(StoringThread::of(session, store)?);
            }
        }
        // A run without the store is compared with the thread of the other run that executed the store.
        let threads = [stores[0].or(stores[1])?, stores[1].or(stores[0])?];
        let mut sides = Vec::new();
        for (side, session) in self.sessions.iter_mut().enumerate() {
            let has_store = stores[side].is_some();
            sides.push(SearchSide::of(
                session,
                word,
                threads[side],
                has_store,
                contents[side],
            )?);
        }
        sides.try_into().ok()
    }
}

/// Returns the differing word that the machine code stored first.
fn differing_word(
    [first, second]: [&[FinalMemory]; 2],
    sessions: &[Session; 2],
    machine: usize,
) -> Option<DifferingWord> {
    let mut found: Option<DifferingWord> = None;
    for one in first {
        let Some(other) = second.iter().find(|other| other.id == one.id) else {
            continue;
        };
        let width = one.ty.width_bytes().max(1);
        let elements = differing(one.ty, [&one.bytes, &other.bytes]);
        for (index, a, b) in elements.take(MAX_ELEMENTS) {
            let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(0);
            let byte = index * width + at;
            // A word is the unit of a register of machine code. Smaller elements have only the bytes of the element.
            let n_bytes = width.min(WORD_BYTES as usize);
            let offset = (byte / n_bytes * n_bytes) as u64;
            let stores = sessions
                .each_ref()
                .map(|session| session.last_writer(&one.id, byte as u64));
            // A store that exists in only one run follows all stores that exist in both runs.
            let rank = |stores: &[Option<(u64, u8)>; 2]| {
                let store = stores[machine].or(stores[1 - machine]);
                (stores.contains(&None), store.map(|(step, _)| step))
            };
            if stores == [None; 2] {
                continue;
            }
            let is_earlier = found
                .as_ref()
                .is_none_or(|found| rank(&stores) < rank(&found.stores));
            if is_earlier {
                found = Some(DifferingWord {
                    memory: one.id.clone(),
                    index: index as u64,
                    offset,
                    n_bytes,
                    stores,
                });
            }
        }
    }
    found
}

/// Thread that executed a store, with the step of the store.
#[derive(Clone, Copy)]
struct StoringThread {
    step: u64,
    warp: WarpId,
    lane: u8,
}

/// Observer that records the warp of a store.
#[derive(Default)]
struct StoringWarp(Option<WarpId>);

impl Observer for StoringWarp {
    fn access(&mut self, event: &AccessEvent<'_>) {
        self.0 = event.warp();
    }
}

impl StoringThread {
    /// Returns the thread of the store in the given step, or `None` if an asynchronous operation executed the store.
    fn of(session: &mut Session, (step, lane): (u64, u8)) -> Option<StoringThread> {
        let mut storing = StoringWarp::default();
        session.timeline.replay(step, step + 1, &mut storing);
        let warp = storing.0?;
        Some(StoringThread { step, warp, lane })
    }
}

impl SearchSide {
    fn of(
        session: &mut Session,
        word: &DifferingWord,
        thread: StoringThread,
        stores: bool,
        contents: &[FinalMemory],
    ) -> Option<SearchSide> {
        let left = contents.iter().find(|left| left.id == word.memory)?;
        let start = usize::try_from(word.offset).ok()?;
        let bytes = left.bytes.get(start..start + word.n_bytes)?.to_vec();
        let address = session.memory_with(&word.memory)?.start + word.offset;
        let end = match stores {
            true => thread.step + 1,
            false => session.position(),
        };
        Some(SearchSide {
            trace: ExecutionTrace::record(session, thread.warp.block, end)?,
            end,
            warp: thread.warp,
            lane: thread.lane,
            stores,
            address,
            bytes,
        })
    }

    /// Returns the record of the store, or the last record of a run without the store.
    fn last_record(&self) -> Option<&StepRecord> {
        self.trace.records.last()
    }

    fn n_records(&self) -> u32 {
        self.trace.records.len() as u32
    }

    /// Returns the definitions of the stored value.
    fn stored(&self, run: &TracedRun<'_>) -> Vec<Definition> {
        match self.n_records().checked_sub(1) {
            Some(last) if self.stores => {
                run.stored(last, self.lane, MemoryId::Global, self.address)
            }
            _ => Vec::new(),
        }
    }

    fn instruction(&self, definition: Definition) -> Option<InstructionRef> {
        let record = self.trace.record_of(definition)?;
        Some((record.function, record.instruction))
    }

    /// Returns the instructions of a slice and of the store.
    fn instructions(&self, slice: &ValueSlice) -> BTreeSet<InstructionRef> {
        let definitions = slice.definitions.iter();
        let all = definitions.filter_map(|definition| self.instruction(*definition));
        let store = self.last_record();
        let store = store.map(|record| (record.function, record.instruction));
        all.chain(store).collect()
    }

    /// Returns the definitions of the predicates that decide whether the thread executed the store, and of the addresses of its stores.
    fn conditions(&self, run: &TracedRun<'_>) -> Vec<Definition> {
        run.conditions(self.warp, self.lane, self.n_records())
    }
}

/// Continued runs with a replaced value.
struct Trials<'a> {
    session: &'a mut Session,
    side: &'a SearchSide,
    /// Bytes that the other run stored.
    expected: &'a [u8],
    n_trials: usize,
    n_steps: u64,
}

/// Observer that checks whether a store writes the expected bytes.
struct ExpectedStore<'a> {
    address: u64,
    expected: &'a [u8],
    found: bool,
}

impl Observer for ExpectedStore<'_> {
    fn interest(&self) -> EventMask {
        EventMask {
            stores: true,
            ..EventMask::NONE
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        for piece in event
            .written()
            .filter(|piece| piece.memory == MemoryId::Global)
        {
            let Some(start) = self.address.checked_sub(piece.address) else {
                continue;
            };
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            let stored = event
                .after(piece)
                .get(start..start.saturating_add(self.expected.len()));
            self.found |= stored == Some(self.expected);
        }
    }
}

/// Register values that a trial replaces: for each position of the run, the warp, the lanes, the register and the value.
type Replacements = BTreeMap<u64, Vec<(WarpId, u32, (FunctionId, RegisterId), u64)>>;

impl Trials<'_> {
    /// Checks whether the run stores the expected value with replaced register values.
    fn succeeds(&mut self, replacements: &Replacements) -> bool {
        let Some((first, _)) = replacements.first_key_value() else {
            return false;
        };
        if self.is_exhausted() {
            return false;
        }
        self.n_trials += 1;
        self.session.seek(*first);
        let mut machine: Machine = self.session.timeline.machine().clone();
        // A replaced predicate can change the number of steps before the store.
        let distance = self.side.end.saturating_sub(*first);
        let budget = distance + distance / 4 + 64;
        let mut watch = ExpectedStore {
            address: self.side.address,
            expected: self.expected,
            found: false,
        };
        for _ in 0..budget {
            for (warp, lanes, register, value) in
                replacements.get(&machine.position()).into_iter().flatten()
            {
                machine.set_register((warp.block, warp.warp), *lanes, *register, *value);
            }
            self.n_steps += 1;
            let status = machine.step(&mut watch);
            if watch.found || status != MachineStatus::Running {
                break;
            }
        }
        watch.found
    }

    fn is_exhausted(&self) -> bool {
        self.n_trials == MAX_TRIALS || self.n_steps >= MAX_TRIAL_STEPS
    }

    /// Starts another pass, whose number of trials is counted separately.
    fn restart(&mut self) {
        (self.n_trials, self.n_steps) = (0, 0);
    }
}

/// Executions of an instruction whose results a trial replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplacedExecutions {
    /// One execution in one lane.
    One,
    /// All executions in all lanes of the block. The executions of both runs correspond by their order in each lane.
    All,
}

/// Definitions in which the search replaces values, and the definitions whose values it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchPass {
    /// Both definitions have the same origins, and no value of the other run accounts for the value of the machine code.
    Unmatched,
    /// Both definitions have the same origins, and a value of the other run equals the value of the machine code, but accounts for another
    /// value.
    Ambiguous,
    /// Like [`SearchPass::Unmatched`], but the definitions may be predicates. Since the other value of a predicate often yields the expected
    /// store although an instruction that reads the predicate is wrong, predicates come last.
    Predicates,
}

/// Search for the first value of a slice that differs from the corresponding value of another slice. The first run and slice are those in
/// which values are replaced.
struct CorrespondenceSearch<'a> {
    runs: [&'a TracedRun<'a>; 2],
    slices: [&'a ValueSlice; 2],
    pass: SearchPass,
    executions: ReplacedExecutions,
}

/// Replacements that a pass of the search has tried.
#[derive(Default)]
struct TriedReplacements {
    values: HashSet<Replacements>,
    /// Pairs of instructions whose executions have all been replaced, as the first definition of each instruction.
    instructions: HashSet<[Definition; 2]>,
}

/// Corresponding definitions of both runs with different values.
struct DifferingPair {
    /// Definition of the machine code, and definition of the other run. A run that stores a constant has no definition.
    pair: [Option<Definition>; 2],
    /// Definitions of the other run on which the second definition depends, and whose values the machine code does not compute.
    omitted: Vec<Definition>,
}

impl CorrespondenceSearch<'_> {
    /// Returns the first definition whose replacement by a definition of the other run yields the expected store.
    fn first(&self, trials: &mut Trials<'_>) -> Option<DifferingPair> {
        let [own, other] = self.slices;
        let mut by_origins: HashMap<&BTreeSet<Origin>, Vec<Definition>> = HashMap::new();
        for definition in &other.definitions {
            if let Some(origins) = other.origins(*definition) {
                by_origins.entry(origins).or_default().push(*definition);
            }
        }
        // Definitions of the other run whose values the machine code has computed.
        let mut computed: BTreeSet<Definition> = BTreeSet::new();
        // Definitions of the other run that account for a value of the machine code. Each definition accounts for one value.
        let mut assigned: BTreeSet<Definition> = BTreeSet::new();
        let mut found: Option<[Definition; 2]> = None;
        let mut tried = TriedReplacements::default();
        for definition in &own.definitions {
            let same = own
                .origins(*definition)
                .and_then(|origins| by_origins.get(origins));
            let same = same.map_or(&[][..], Vec::as_slice);
            let equal = self.equal_values(*definition, same);
            let counterpart = equal
                .iter()
                .copied()
                .find(|other| !assigned.contains(other));
            let is_ambiguous = !equal.is_empty() && self.is_ambiguous(*definition);
            let is_skipped = match self.pass {
                SearchPass::Unmatched => is_ambiguous || self.runs[0].width_bits(*definition) == 1,
                SearchPass::Predicates => is_ambiguous,
                SearchPass::Ambiguous => self.is_transfer(0, *definition),
            };
            let is_candidate = counterpart.is_none() && !is_skipped;
            if found.is_none() && is_candidate && !trials.is_exhausted() {
                let ordered = self.ordered(*definition, same, &assigned);
                let replacement = self.replacement(*definition, &ordered, &mut tried, trials);
                found = replacement.map(|other| [*definition, other]);
            }
            assigned.extend(counterpart);
            computed.extend(equal);
        }
        let [own, other] = found?;
        Some(DifferingPair {
            pair: [Some(own), Some(other)],
            omitted: self.omitted(other, &computed),
        })
    }

    /// Returns the definitions among `candidates` that have the value of `definition`.
    fn equal_values(&self, definition: Definition, candidates: &[Definition]) -> Vec<Definition> {
        let Some(value) = self.runs[0].trace.value(definition) else {
            return Vec::new();
        };
        if self.runs[0].width_bits(definition) == 1 {
            return Vec::new();
        }
        let is_equal = |other: &Definition| self.variants(definition, *other).contains(&value);
        candidates.iter().copied().filter(is_equal).collect()
    }

    /// Checks whether an equal value of the other run accounts for a definition of the machine code, although it also accounts for another
    /// definition: copies repeat values, and some values occur too often to identify a computation.
    fn is_ambiguous(&self, definition: Definition) -> bool {
        let value = self.runs[0].trace.value(definition);
        let is_common = value
            .is_none_or(|value| value <= 1 || value == u64::from(u32::MAX) || value == u64::MAX);
        is_common || self.is_transfer(0, definition)
    }

    /// Returns the candidates in the order in which the search tries them: definitions of the same source line first, then values that
    /// account for no value of the machine code. A load corresponds only to a load, and a copy to no definition.
    fn ordered(
        &self,
        definition: Definition,
        candidates: &[Definition],
        assigned: &BTreeSet<Definition>,
    ) -> Vec<Definition> {
        let line = self.source_line(0, definition);
        let is_load = self.is_load(0, definition);
        let is_candidate =
            |other: &Definition| is_load == self.is_load(1, *other) && !self.is_move(1, *other);
        let mut ordered: Vec<Definition> =
            candidates.iter().copied().filter(is_candidate).collect();
        ordered.sort_by_key(|other| {
            let is_same_line = line.is_some() && line == self.source_line(1, *other);
            (!is_same_line, assigned.contains(other))
        });
        ordered
    }

    /// Returns the first [`MAX_OMITTED`] definitions on which `definition` of the other run depends, and whose values the machine code does
    /// not compute. Loads and copies are excluded.
    fn omitted(&self, definition: Definition, computed: &BTreeSet<Definition>) -> Vec<Definition> {
        let [_, other] = self.slices;
        let mut omitted = BTreeSet::new();
        let mut pending = vec![definition];
        while let Some(next) = pending.pop() {
            for source in other.sources(next) {
                let is_predicate = self.runs[1].width_bits(*source) == 1;
                if !is_predicate && !computed.contains(source) && omitted.insert(*source) {
                    pending.push(*source);
                }
            }
        }
        let omitted = omitted.into_iter().filter(|own| !self.is_transfer(1, *own));
        omitted.take(MAX_OMITTED).collect()
    }

    /// Checks whether a definition is a load or a copy, whose result is an input of the computation.
    fn is_transfer(&self, side: usize, definition: Definition) -> bool {
        self.is_move(side, definition) || self.is_load(side, definition)
    }

    fn is_move(&self, side: usize, definition: Definition) -> bool {
        let trace = self.runs[side].trace;
        let flow = trace
            .record_of(definition)
            .and_then(|record| trace.flow(record));
        flow.is_some_and(|flow| flow.is_move)
    }

    fn is_load(&self, side: usize, definition: Definition) -> bool {
        let record = self.runs[side].trace.record_of(definition);
        record.is_some_and(|record| record.accesses.iter().any(|access| access.action.reads()))
    }

    /// Returns the first definition among `candidates` whose value, as the value of `definition`, yields the expected store. `tried`
    /// contains the replacements that have been tried.
    fn replacement(
        &self,
        definition: Definition,
        candidates: &[Definition],
        tried: &mut TriedReplacements,
        trials: &mut Trials<'_>,
    ) -> Option<Definition> {
        for other in candidates.iter().copied() {
            let instructions = [(0, definition), (1, other)].map(|(side, own)| {
                let executions = self.runs[side].trace.first_execution(own);
                Definition {
                    lane: 0,
                    record: executions.unwrap_or(own.record),
                    ..own
                }
            });
            if self.executions == ReplacedExecutions::All
                && !tried.instructions.insert(instructions)
            {
                continue;
            }
            if trials.is_exhausted() {
                return None;
            }
            let n_variants = self.variants(definition, other).len();
            for variant in 0..n_variants {
                for has_upper in [false, true] {
                    let replacements = self.replacements(definition, other, variant, has_upper);
                    let is_new =
                        !replacements.is_empty() && tried.values.insert(replacements.clone());
                    if is_new && trials.succeeds(&replacements) {
                        return Some(other);
                    }
                }
            }
        }
        None
    }

    /// Returns the replacements of the values of `definition` by a variant of the values of `other`, and of the next register by the upper
    /// words of these values if `has_upper` is set. The result is empty if no value changes.
    fn replacements(
        &self,
        definition: Definition,
        other: Definition,
        variant: usize,
        has_upper: bool,
    ) -> Replacements {
        let [own, others] = self.runs.map(|run| run.trace);
        let mut pairs = Vec::new();
        match self.executions {
            ReplacedExecutions::One => pairs.push((definition, other)),
            ReplacedExecutions::All => {
                let instances = others.instances(other);
                let empty = Vec::new();
                for (thread, definitions) in own.instances(definition) {
                    let counterparts = instances.get(&thread).unwrap_or(&empty);
                    let same = definitions.len() == counterparts.len();
                    pairs.extend(
                        definitions
                            .into_iter()
                            .zip(counterparts.iter().copied())
                            .filter(|_| same),
                    );
                }
            }
        }
        let mut replacements = Replacements::new();
        for (definition, other) in pairs {
            let value = self.variants(definition, other).get(variant).copied();
            let Some((record, value)) = own.record_of(definition).zip(value) else {
                continue;
            };
            let upper = self.upper_word(definition, other).filter(|_| has_upper);
            let is_uniform = own.flow(record).is_some_and(|flow| flow.is_uniform);
            let lanes = match is_uniform {
                true => u32::MAX,
                false => 1 << definition.lane,
            };
            let lower = (definition.register, value);
            for (register, value) in [lower].into_iter().chain(upper) {
                if own.value(Definition {
                    register,
                    ..definition
                }) == Some(value)
                {
                    continue;
                }
                let register = (record.function, register);
                let at = replacements.entry(record.step + 1).or_default();
                at.push((record.warp, lanes, register, value));
            }
        }
        replacements
    }

    /// Returns the file name and the line from which a compiler generated the instruction of a definition.
    fn source_line(&self, side: usize, definition: Definition) -> Option<(&str, u32)> {
        let run = self.runs[side];
        let record = run.trace.record_of(definition)?;
        let function = run.program.functions.get(record.function.0 as usize)?;
        let instruction = function.instructions.get(record.instruction as usize)?;
        let table = &run.program.line_table;
        let location = table
            .rows
            .get(table.row(function, instruction)? as usize)?
            .location;
        let file = table.files.get(location.file as usize)?;
        Some((base_name(file), location.line))
    }

    /// Returns the register that follows the register of `definition` in its tuple, with the upper word of a 64-bit value of the other run.
    fn upper_word(&self, definition: Definition, other: Definition) -> Option<(RegisterId, u64)> {
        let [own, others] = self.runs;
        if self.runs[0].width_bits(definition) != 32 || self.runs[1].width_bits(other) != 64 {
            return None;
        }
        let mut definitions = own.trace.definitions(definition.record, definition.lane);
        let next = RegisterId(definition.register.0 + 1);
        let upper = definitions.find(|found| found.register == next)?;
        let is_word = self.runs[0].width_bits(upper) == 32;
        let value = others.trace.value(other)? >> 32;
        is_word.then_some((next, value))
    }

    /// Returns the values that a register of the machine code contains if it contains the value of a definition of the other run: a part of
    /// a wider register, or a narrower register in the lower or upper half.
    fn variants(&self, definition: Definition, other: Definition) -> Vec<u64> {
        let [own, others] = self.runs;
        let Some((before, value)) = own.trace.value(definition).zip(others.trace.value(other))
        else {
            return Vec::new();
        };
        match (
            self.runs[0].width_bits(definition),
            self.runs[1].width_bits(other),
        ) {
            // A predicate of the machine code can be the negation of the predicate in PTX.
            (1, 1) => vec![value, value ^ 1],
            (1, _) | (_, 1) => Vec::new(),
            (32, 64) => {
                // The upper word of most integers is 0 or -1, which is no evidence.
                let (lower, upper) = (value & u64::from(u32::MAX), value >> 32);
                let is_sign = upper == 0 || upper == u64::from(u32::MAX);
                [Some(lower), (!is_sign).then_some(upper)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            (32, 16) => {
                let half = u64::from(u16::MAX);
                let signed = i64::from(value as i16) as u64 & u64::from(u32::MAX);
                vec![
                    value,
                    before & !half | value,
                    before & half | value << 16,
                    signed,
                ]
            }
            (own, other) if own == other => vec![value],
            (64, 32) => vec![value, i64::from(value as i32) as u64],
            _ => Vec::new(),
        }
    }
}

impl Session {
    /// Describes the instruction and the value of a definition, or the store of a side if the stored value is a constant.
    fn computed_value(
        &self,
        side: &SearchSide,
        definition: Option<Definition>,
    ) -> Option<ComputedValue> {
        let record = match definition {
            Some(definition) => side.trace.record_of(definition)?,
            None => side.last_record()?,
        };
        let (function, instruction) = (record.function, record.instruction);
        let reader = self.reader(function, instruction)?;
        let action = self.program.opcode(reader.instruction)?;
        let (value, width, register) = match definition {
            Some(definition) => (
                side.trace.value(definition)?,
                register_width(reader.function, definition.register),
                Some(
                    reader
                        .function
                        .registers
                        .name(definition.register)
                        .to_owned(),
                ),
            ),
            None => {
                let bytes = side.bytes.iter().rev();
                let value = bytes.fold(0, |value, byte| value << 8 | u64::from(*byte));
                (value, side.bytes.len() as u32 * 8, None)
            }
        };
        let ty = action
            .modifiers
            .ty
            .filter(|ty| ty.is_float() && ty.width_bits() == width);
        let machine = self.timeline.machine();
        Some(ComputedValue {
            step: record.step,
            block: machine.block_position(record.warp.block),
            warp: record.warp.warp,
            lane: definition.map_or(side.lane, |definition| definition.lane),
            range: self.range_of(function, instruction),
            instruction: self.text_of(function, instruction).to_owned(),
            register,
            value: match width {
                1 => (value != 0).to_string(),
                _ => format!("0x{value:0digits$x}", digits = width as usize / 4),
            },
            number: ty.map(|ty| element_of(ty).text(value.into())),
            source: self.source_of(function, instruction),
        })
    }
}
