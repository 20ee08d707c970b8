//! Comparison of two versions of a kernel, typically PTX and its SASS. The input is a scenario with a second source. The comparison aligns
//! both runs by their number of stores. The output states whether both runs produce the same memory contents, or the position at which they
//! diverge.

pub(crate) mod comparability;
pub(crate) mod comparison_frame;
pub(crate) mod differing_instruction;
mod differing_store;
pub(crate) mod execution_trace;
pub(crate) mod listing;
mod replacement_trials;
mod value_correspondence;
pub(crate) mod value_slice;

pub use crate::analysis::comparison::comparison_frame::{
    CellComparison, ComparisonCell, ComparisonFrame, ComparisonGrid, ComparisonStep,
};
pub use crate::analysis::comparison::differing_instruction::{ComputedValue, FirstDifference};

use crate::analysis::memory_diff::{
    FinalMemory, MemoryDifference, differences_between, final_memories, outlasts_run,
};
use crate::request_error::RequestError;
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::MemoryDescriptor;
use crate::session::memory_list::locate;
use crate::source::language::Language;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use warpgrid_emulator::WriterTracking;
use warpgrid_emulator::{AccessEvent, MachineStatus, MemoryId as Place, Observer};
use warpgrid_launch::fault::FaultSort;
use warpgrid_launch::scenario::ComparisonKernel;
use warpgrid_launch::{Annotations, Scenario, SourceLanguage};

/// Maximum number of stores of one version that become positions of the comparison. The run continues after these stores, but later stores
/// are not positions of the comparison.
const MAX_STOPS: usize = 1 << 20;

/// Result of the comparison of two versions of a kernel, which hosts display: equality, both runs, and the differences in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ComparisonReport {
    /// Whether both runs finished with identical memory contents and, if the runs faulted, with the same kind of fault.
    pub equal: bool,
    pub verdict: ComparisonVerdict,
    /// Reason why the runs are not comparable, with the verdict `notComparable`.
    pub reason: Option<String>,
    /// Summary of the comparison result, for example `identical memory contents: 128 bytes of \`out\``.
    pub summary: String,
    pub sides: [ComparisonSide; 2],
    /// Memories that exist in both versions: the buffers, and the variables whose names are equal in both versions.
    pub memories: Vec<MemoryKey>,
    /// Total size of the memories in `memories`, in bytes.
    pub n_bytes: u64,
    /// Variables of each version that do not exist in the other version. The comparison ignores these variables.
    #[serde(rename = "alone")]
    pub unmatched_memories: [Vec<MemoryKey>; 2],
    /// First differing element of each memory, with the stores of both versions to this element.
    pub differences: Vec<MemoryDifference>,
    /// First instruction of each version that computed another value than the other version. The value is `None` if the memory contents
    /// are equal, or if the search does not find the instructions.
    pub first_difference: Option<FirstDifference>,
    /// Findings that make the results of a version undefined, such as a data race. The list is empty if the results are equal.
    pub notes: Vec<String>,
}

/// Verdict of the comparison of two versions of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ComparisonVerdict {
    /// Both runs have identical memory contents and faults.
    Equal,
    /// The results differ, and both versions define their results.
    Different,
    /// The results differ, but the difference proves nothing about the versions, for example because a listing lacks data.
    NotComparable,
    /// At least one run reached its step limit.
    Unfinished,
}

/// Summary of the run of one of the two compared versions of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ComparisonSide {
    pub front: SourceLanguage,
    /// Target for which this version was checked and run.
    pub target: String,
    /// Name of the executed kernel.
    pub entry: String,
    /// Number of steps that the run executed.
    pub steps: u64,
    /// Number of steps that stored to a compared memory.
    pub stores: u64,
    /// Whether the run finished within the step limit, with or without a fault.
    pub over: bool,
    /// Message of the fault that stopped the run, if a fault occurred.
    pub fault: Option<String>,
}

/// Error that is returned if one of the two sources of a comparison cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparisonError {
    /// Index of the source that cannot run: 0 for the source of the scenario, 1 for the second source.
    pub side: usize,
    pub error: RequestError,
}

/// Sessions of two sources that run with the same launch configuration, from which a comparison computes its report and its frames.
pub struct PairedRun {
    sessions: [Session; 2],
    /// For each run, the positions directly after a step that stored to a compared memory.
    stops: [Vec<u64>; 2],
    /// Memories that exist in both runs and are compared.
    compared: Vec<MemoryKey>,
    unmatched_memories: [Vec<MemoryKey>; 2],
    /// Step limit of each run.
    max_steps: u64,
}

/// Runs both sources of a scenario to completion, with at most `max_steps` steps each.
pub fn compare(scenario: Scenario, max_steps: u64) -> Result<ComparisonReport, ComparisonError> {
    let mut pair = PairedRun::new(scenario, max_steps)?;
    while !pair.advance(u64::MAX) {}
    Ok(pair.report())
}

impl PairedRun {
    /// Checks and launches both sources of `scenario` without executing a step. Both runs use one launch configuration. If only one source
    /// specifies a launch in `//@` lines, both runs use the launch configuration of this source. Otherwise, both runs use the launch
    /// configuration of the PTX source, because PTX contains more information about the kernel parameters.
    pub fn new(mut scenario: Scenario, max_steps: u64) -> Result<PairedRun, ComparisonError> {
        let beside = scenario.beside.take().unwrap_or_default();
        let own = SourceVariant {
            front: scenario.front,
            source: std::mem::take(&mut scenario.source),
            target: scenario.target.take(),
            ptx_version: scenario.ptx_version.take(),
            entry: None,
        };
        let other = SourceVariant::of(beside);
        let mut texts = [own, other];
        listing::complete(&mut texts);
        let leader = usize::from(!launch_applies_to_both([&texts[0], &texts[1]]));
        let follower = 1 - leader;
        let [led, leading] = [follower, leader].map(|side| &texts[side]);
        let fail = |side| move |error| ComparisonError { side, error };
        let first = leading.session(&scenario).map_err(fail(leader))?;
        let facts = Scenario {
            registers: match led.front == leading.front {
                true => first.scenario().registers.clone(),
                // Register names differ between PTX and SASS, so the registers of a run are initialized only from the `//@` lines of its
                // own source.
                false => Vec::new(),
            },
            ..first.scenario().clone()
        };
        let second = led.session(&facts).map_err(fail(follower))?;
        let sessions = match leader {
            0 => [first, second],
            _ => [second, first],
        };
        Ok(PairedRun::of(sessions, max_steps))
    }

    fn of(sessions: [Session; 2], max_steps: u64) -> PairedRun {
        let ids = sessions.each_ref().map(lasting);
        let [compared, left] = partition(&ids[0], &ids[1]);
        let [_, right] = partition(&ids[1], &ids[0]);
        PairedRun {
            sessions,
            stops: [Vec::new(), Vec::new()],
            compared,
            unmatched_memories: [left, right],
            max_steps,
        }
    }

    /// Executes at most `budget` steps of the two runs. Returns whether both runs have finished or have reached their step limit.
    pub fn advance(&mut self, budget: u64) -> bool {
        let mut left = budget;
        for (session, stops) in self.sessions.iter_mut().zip(&mut self.stops) {
            let memories = session.memories().into_iter();
            let mut listener = StoreObserver {
                memories: memories
                    .filter(|memory| self.compared.contains(&memory.view.id))
                    .collect(),
                stores: false,
            };
            while !session.is_finished() && session.position() < self.max_steps {
                if left == 0 {
                    return false;
                }
                left -= 1;
                listener.stores = false;
                let status = session.timeline.step(&mut listener);
                if listener.stores && stops.len() < MAX_STOPS {
                    stops.push(session.position());
                }
                if status != MachineStatus::Running {
                    break;
                }
            }
        }
        true
    }

    /// Returns the result of the comparison, after both runs have finished.
    pub fn report(&mut self) -> ComparisonReport {
        for session in &mut self.sessions {
            session.run(self.max_steps.saturating_sub(session.position()));
        }
        let [first, mut second]: [Vec<FinalMemory>; 2] = self.sessions.each_ref().map(|session| {
            let mut left = final_memories(session);
            left.retain(|memory| self.compared.contains(&memory.id));
            left
        });
        unify_addresses(&first, &mut second, &self.sessions);
        let contents = [first, second];
        let sides = [0, 1].map(|side| self.side(side));
        let faults = self.sessions.each_ref().map(fault_sort);
        let differences = differences_between([&contents[0], &contents[1]], &mut self.sessions);
        let n_bytes = contents[0].iter().map(|memory| memory.bytes.len() as u64);
        let n_bytes = n_bytes.sum();
        let end = RunEnd {
            is_over: sides.iter().all(|side| side.over),
            faults_agree: faults[0] == faults[1],
            has_fault: faults[0].is_some(),
            n_diverged: differences.len(),
        };
        let equal = end.n_diverged == 0 && end.faults_agree && end.is_over;
        let found = match differences.is_empty() {
            true => None,
            false => self.first_difference([&contents[0], &contents[1]]),
        };
        let undefined = match equal {
            true => Vec::new(),
            false => self.undefined_results(),
        };
        let reason = match equal || !end.is_over {
            true => None,
            false => self.reason_not_comparable(found.as_ref(), &undefined, &contents),
        };
        let verdict = match (equal, end.is_over, &reason) {
            (true, _, _) => ComparisonVerdict::Equal,
            (false, false, _) => ComparisonVerdict::Unfinished,
            (false, true, Some(_)) => ComparisonVerdict::NotComparable,
            (false, true, None) => ComparisonVerdict::Different,
        };
        let notes = undefined.into_iter().map(|result| result.note);
        let notes = notes.filter(|note| reason.as_ref() != Some(note));
        ComparisonReport {
            equal,
            verdict,
            notes: notes.collect(),
            summary: match &reason {
                Some(reason) => format!("not comparable here: {reason}"),
                None => summary(&end, &self.compared, n_bytes),
            },
            reason,
            n_bytes,
            sides,
            memories: self.compared.clone(),
            unmatched_memories: self.unmatched_memories.clone(),
            differences,
            first_difference: found.map(|found| found.difference),
        }
    }

    /// Returns the smallest number of stores after which the differences of the final memory contents exist, or `None` if the final memory
    /// contents are equal.
    pub fn first_divergence(&self, report: &ComparisonReport) -> Option<u64> {
        let moments = report.differences.iter().filter_map(|difference| {
            let done = (0..2).filter_map(|side| {
                // If a run never stored to the differing element, the element contains its initial value throughout this run.
                let last = difference.sides[side].stores.last()?;
                let done = self.stops[side].partition_point(|stop| *stop <= last.step + 1);
                Some(done as u64)
            });
            done.max()
        });
        moments.min()
    }

    fn side(&self, side: usize) -> ComparisonSide {
        let session = &self.sessions[side];
        let scenario = session.scenario();
        ComparisonSide {
            front: scenario.front,
            target: session.target_name().to_owned(),
            entry: scenario.entry.clone().unwrap_or_default(),
            steps: session.position(),
            stores: self.stops[side].len() as u64,
            over: session.is_finished(),
            fault: session.fault().map(|fault| fault.message),
        }
    }

    /// Returns the `//@` lines that describe the inferred parts of the common launch configuration.
    pub fn guesses(&self) -> &[String] {
        let guesses = self.sessions.each_ref().map(Session::inferred_annotations);
        match guesses[0].is_empty() {
            true => guesses[1],
            false => guesses[0],
        }
    }
}

/// One of the two compared sources, with its language and the launch parameters that its `//@` annotations state.
pub(crate) struct SourceVariant {
    front: SourceLanguage,
    source: String,
    target: Option<String>,
    ptx_version: Option<String>,
    /// Name of the kernel that the scenario selects in this source.
    entry: Option<String>,
}

impl SourceVariant {
    fn of(beside: ComparisonKernel) -> SourceVariant {
        SourceVariant {
            front: beside
                .front
                .unwrap_or_else(|| SourceLanguage::of_source(&beside.source)),
            source: beside.source,
            target: beside.target,
            ptx_version: None,
            entry: beside.entry,
        }
    }

    fn states_launch(&self) -> bool {
        !Annotations::parse(&self.source, "//").places.is_empty()
    }

    /// Opens a session that runs this source with the launch configuration of the scenario `facts`.
    fn session(&self, facts: &Scenario) -> Result<Session, RequestError> {
        let language = Language::from(self.front);
        let scenario = Scenario {
            source: self.source.clone(),
            front: self.front,
            target: self.target.clone(),
            ptx_version: self.ptx_version.clone(),
            entry: self.entry.clone().or_else(|| facts.entry.clone()),
            ..facts.clone()
        };
        let is_named = self.entry.is_some();
        match language.session(scenario.clone(), WriterTracking::LastWriter) {
            // The kernel can have a different name in this source, so retry without a kernel name.
            Err(error)
                if !is_named && error.code == warpgrid_launch::diagnostics::NO_SUCH_KERNEL =>
            {
                let scenario = Scenario {
                    entry: None,
                    ..scenario
                };
                language.session(scenario, WriterTracking::LastWriter)
            }
            done => done,
        }
    }
}

/// Size of a pointer in bytes.
const POINTER_BYTES: usize = 8;

/// Replaces a pointer of the second run by the corresponding pointer of the first run if both pointers refer to code, or to the same
/// element of the same memory. The addresses of the two runs may differ, but a difference between addresses is not a different result.
fn unify_addresses(first: &[FinalMemory], second: &mut [FinalMemory], sessions: &[Session; 2]) {
    let memories = sessions.each_ref().map(Session::memories);
    let target = |side: usize, address: u64| {
        let (memory, offset) = locate(&memories[side], Place::Global, address)?;
        Some((memory.view.id.clone(), offset))
    };
    let is_code = |side: usize, address: u64| {
        let session: &Session = &sessions[side];
        session.timeline.machine().is_code_address(address)
    };
    for other in second {
        let Some(one) = first.iter().find(|one| one.id == other.id) else {
            continue;
        };
        let is_initial = |offset: usize| {
            let writer = |session: &Session| session.last_writer(&one.id, offset as u64);
            sessions.iter().all(|session| writer(session).is_none())
        };
        let words = one.bytes.as_chunks::<POINTER_BYTES>().0.iter();
        let others = other.bytes.as_chunks_mut::<POINTER_BYTES>().0;
        let words = words.zip(others).enumerate();
        for (index, (word, other)) in words.filter(|(_, (word, other))| word != other) {
            let [a, b] = [*word, *other].map(u64::from_le_bytes);
            let same_target = target(0, a).is_some_and(|place| target(1, b) == Some(place));
            let code = [is_code(0, a), is_code(1, b)];
            // If no kernel calls the functions of a function table, the initial values of the table are function numbers instead of
            // addresses.
            let same_table = code.contains(&true) && is_initial(index * POINTER_BYTES);
            if same_target || code == [true; 2] || same_table {
                *other = *word;
            }
        }
    }
}

/// Checks whether both runs can use the launch configuration of the first source.
fn launch_applies_to_both(texts: [&SourceVariant; 2]) -> bool {
    match texts.map(SourceVariant::states_launch) {
        [true, false] => true,
        [false, true] => false,
        [false, false] | [true, true] => {
            texts[0].front == SourceLanguage::Ptx || texts[1].front != SourceLanguage::Ptx
        }
    }
}

/// Returns the memories of a session that still exist after its run.
fn lasting(session: &Session) -> Vec<MemoryKey> {
    let memories = session.memories().into_iter();
    let lasts = memories.filter(outlasts_run);
    lasts.map(|memory| memory.view.id).collect()
}

/// Divides the memories `of` into the memories that `other` also contains and the memories that `other` does not contain.
fn partition(of: &[MemoryKey], other: &[MemoryKey]) -> [Vec<MemoryKey>; 2] {
    let other: BTreeSet<&MemoryKey> = other.iter().collect();
    let (both, alone) = of.iter().cloned().partition(|id| other.contains(id));
    [both, alone]
}

fn fault_sort(session: &Session) -> Option<FaultSort> {
    session.fault().map(|fault| fault.kind)
}

/// Properties of the end of both runs, from which the summary sentence of a comparison is formatted.
struct RunEnd {
    is_over: bool,
    /// Whether no run has a fault, or both runs have faults of the same kind.
    faults_agree: bool,
    has_fault: bool,
    /// Number of memories whose contents differ between the runs.
    n_diverged: usize,
}

/// Returns the sentence that summarizes a comparison.
fn summary(end: &RunEnd, compared: &[MemoryKey], n_bytes: u64) -> String {
    let memory = match compared {
        [] => return "the two kernels have no buffer or variable in common".to_owned(),
        [one] => format!("{n_bytes} bytes of `{one}`"),
        all => format!("{n_bytes} bytes in {} buffers and variables", all.len()),
    };
    match (end.n_diverged, end.is_over, end.faults_agree) {
        (n, false, _) => {
            let so_far = if n == 0 { "identical" } else { "different" };
            format!("the runs have not finished, and memory is {so_far} so far")
        }
        (0, true, true) if end.has_fault => {
            format!("both runs have the same kind of fault and identical memory contents: {memory}")
        }
        (0, true, true) => format!("identical memory contents: {memory}"),
        (0, true, false) => {
            format!("both runs have identical memory contents, but different faults: {memory}")
        }
        (n, true, _) => format!(
            "different memory contents: {n} of {} buffers and variables {}",
            compared.len(),
            if n == 1 { "differs" } else { "differ" }
        ),
    }
}

/// Observer that detects whether a step stored to a compared memory.
struct StoreObserver {
    memories: Vec<MemoryDescriptor>,
    stores: bool,
}

impl Observer for StoreObserver {
    fn access(&mut self, event: &AccessEvent<'_>) {
        let mut pieces = event.pieces.iter().filter(|piece| piece.written);
        self.stores |=
            pieces.any(|piece| locate(&self.memories, piece.memory, piece.address).is_some());
    }
}
