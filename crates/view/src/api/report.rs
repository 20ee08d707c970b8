//! Report on a complete run: compares the results of a session with the expectations of its scenario, and lists the differences between
//! them.

use crate::analysis::coverage::LineRange;
use crate::api::final_values::RegisterResult;
use crate::api::limits::steps;
use crate::api::values::BufferValues;
use crate::layouts::inspector::layout_inference::InferredAccessLayout;
use crate::memory_model::concurrency::RaceView;
use crate::memory_model::concurrency::hang::HangView;
use crate::model::fault::{CauseView, FaultView};
use crate::model::request::EngineChoice;
use crate::model::source_position::SourcePosition;
use crate::model::traffic::TrafficView;
use crate::request_error::RequestError;
use crate::session::Session;
use crate::session::expectations::{compare, compare_fault};
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use warpgrid_launch::prepare::kinds_that_differ;
use warpgrid_launch::scenario::{Buffer, ExpectedFault};
use warpgrid_launch::value::ElementType;
use warpgrid_program::counted;

/// Options of a [`RunReport`], as a host passes them to `Session.report`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct ReportOptions {
    /// Step limit of the run. The result `ok` is false if the run does not finish within this limit.
    #[serde(default)]
    pub max_steps: Option<f64>,
    /// Whether to count sectors, cache lines, wavefronts and bank conflicts of the run.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub traffic: bool,
    /// Whether to detect data races in the run.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub races: bool,
    /// Whether to infer the layout of each access from its addresses.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub layouts: bool,
    /// Whether to compute a digest of the final contents of every buffer.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub digests: bool,
    /// Whether the result `ok` remains true if the run has certain data races or undefined behavior.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub allow_undefined: bool,
    /// Engine that executes the run.
    #[serde(default)]
    pub engine: Option<EngineChoice>,
}

impl ReportOptions {
    /// Converts the options to a report request, with default values for absent options.
    pub fn request(self) -> Result<ReportRequest, RequestError> {
        Ok(ReportRequest {
            max_steps: steps(self.max_steps)?,
            traffic: self.traffic,
            races: self.races,
            layouts: self.layouts,
            digests: self.digests,
            allow_undefined: self.allow_undefined,
        })
    }
}

/// Validated request for a [`RunReport`], which states the parts of the report to compute. The fields correspond to the fields of
/// [`ReportOptions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportRequest {
    pub max_steps: u64,
    pub traffic: bool,
    pub races: bool,
    pub layouts: bool,
    pub digests: bool,
    pub allow_undefined: bool,
}

/// Result of a run, and of its comparison with the expectations of the scenario, which hosts display.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunReport {
    /// Whether the launch finished, all expectations of the scenario hold, and no certain data race or undefined behavior was
    /// found.
    pub ok: bool,
    /// Fault that stopped the launch, if a fault occurred.
    pub fault: Option<FaultReport>,
    /// Digests of the buffers after the run, indexed by buffer name. The field is absent if the request does not include digests.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub buffers: Option<BTreeMap<String, BufferDigest>>,
    /// Number of steps that the run executed. `null` after a JIT run in which a warp diverged.
    pub steps: Option<u64>,
    /// Number of executed steps that stored to memory. `null` after a JIT run in which a warp diverged.
    pub stores: Option<u64>,
    /// Number of executed lane-instructions, which is the sum of the active lanes over all steps that warps have executed.
    pub lane_instructions: u64,
    /// Memory traffic of the run: sectors, cache lines, wavefronts and bank conflicts, in total and per source line.
    pub traffic: Option<TrafficView>,
    /// Data races of the run. The field is absent if the request does not include race detection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub races: Option<Vec<RaceView>>,
    /// Diagnosis of a launch that hangs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub hang: Option<HangView>,
    /// Inferred layouts of the accesses of the run. The field is absent if the request does not include layout inference.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub layouts: Option<Vec<InferredAccessLayout>>,
    /// Registers that a snippet has written, with their values at the end of the run. The list is empty for a kernel.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<Vec<RegisterResult>>", optional)
    )]
    pub registers: Vec<RegisterResult>,
    /// Lines that the run has not reached, although control flow could reach them. The list is empty if the source states the launch
    /// configuration and all scalars, or if the run has not finished normally.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<LineRange>>", optional))]
    pub unreached_lines: Vec<LineRange>,
    /// Inferred part of the launch configuration as `//@` annotations. The list is empty if nothing is inferred.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<String>>", optional))]
    pub guesses: Vec<String>,
    /// Sentences that state why `ok` is false, because of differences from the expectations or undefined behavior.
    pub differences: Vec<String>,
    /// Notes for the user: the inferred launch configuration, the notes on the run, and the differences.
    pub notes: Vec<String>,
}

/// Fault in the report of a run: the fields with which a scenario states an expected fault, and the message, source line and causes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FaultReport {
    #[serde(flatten)]
    pub fault: ExpectedFault,
    pub message: String,
    pub line: u32,
    /// Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions.
    pub source: Vec<SourcePosition>,
    /// Earlier events that are related to the fault.
    pub causes: Vec<CauseView>,
}

/// Digest of the contents of a buffer after a run, in a [`RunReport`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BufferDigest {
    #[serde(rename = "type")]
    pub ty: String,
    /// SHA-256 digest of the bytes of the buffer in little-endian order, in hexadecimal.
    pub sha256: String,
}

impl Session {
    /// Runs the session to its end or to the step limit of `request`, and compares the results of the run with the expectations of the
    /// scenario.
    pub fn report(&mut self, request: &ReportRequest) -> RunReport {
        let uninitialized = self.uninitialized_uses();
        let (races, mut notes) = self.finish(request);
        let traffic = request.traffic.then(|| {
            self.count_traffic(u64::MAX);
            self.traffic()
        });
        let layouts = request.layouts.then(|| self.layouts());
        let causes = self.causes();
        let hang = self.hang();
        let fault = self.fault();
        let mut differences: Vec<String> = self.step_limit_message().into_iter().collect();
        differences.extend(self.differences_from_expectations(fault.as_ref()));
        let buffers = self.buffers();
        if !request.allow_undefined {
            let barrier = hang.as_ref().filter(|_| fault.is_none());
            differences.extend(undefined(races.as_deref(), barrier));
        }
        notes.extend(
            self.inferred_annotations()
                .iter()
                .map(|line| format!("inferred: `{line}`")),
        );
        let has_finding = races.as_ref().is_some_and(|races| !races.is_empty()) || hang.is_some();
        if let Some(launch) = self.inferred_launch()
            && has_finding
        {
            notes.push(format!(
                "the findings depend on the inferred launch configuration `{launch}`"
            ));
        }
        let unreached_lines = match self.infers_values() {
            true => self.unreached_lines(),
            false => Vec::new(),
        };
        notes.extend(self.unreached_note(&unreached_lines));
        notes.extend(kinds_that_differ(self.scenario(), &self.program));
        notes.extend(self.notes());
        notes.extend(uninitialized.iter().map(|used| {
            let line = self.range_of(used.function, used.instruction).line;
            format!("line {line}: {}", used.message)
        }));
        notes.extend(differences.iter().cloned());
        let counts = self.step_counts();
        RunReport {
            ok: differences.is_empty(),
            fault: fault.map(|fault| FaultReport::new(&fault, causes)),
            buffers: request.digests.then(|| {
                let digests = buffers.iter().map(|buffer| {
                    let ty = buffer.ty.clone();
                    let sha256 = sha256(self.bytes_or_none(&buffer.name));
                    (buffer.name.clone(), BufferDigest { ty, sha256 })
                });
                digests.collect()
            }),
            steps: counts.map(|counts| counts.steps),
            stores: counts.map(|counts| counts.stores),
            lane_instructions: self.lane_instructions(),
            traffic,
            races,
            hang,
            layouts,
            registers: self.register_results(),
            unreached_lines,
            guesses: self.inferred_annotations().to_vec(),
            differences,
            notes,
        }
    }

    /// Returns the message for a run that reached its step limit, or `None` if the run finished.
    pub fn step_limit_message(&self) -> Option<String> {
        (!self.is_finished()).then(|| {
            format!(
                "the run reached the step limit after {}: increase the limit (`--max-steps`, `maxSteps`)",
                counted(self.position(), "step")
            )
        })
    }

    /// Compares the fault and the buffers with the expectations of the scenario, and returns one sentence per difference.
    pub(crate) fn differences_from_expectations(&self, fault: Option<&FaultView>) -> Vec<String> {
        let expected = self.scenario().fault.as_ref();
        let of_fault = compare_fault(expected, fault).into_iter();
        let buffers = self.buffers();
        let of_buffers = buffers.iter().filter_map(|buffer| self.difference(buffer));
        of_fault.chain(of_buffers).collect()
    }

    /// Checks whether the scenario states an expectation about the result of the run.
    pub fn has_expectation(&self) -> bool {
        self.scenario().fault.is_some() || self.buffers().iter().any(Buffer::has_expectation)
    }

    /// Checks whether all buffers have the contents that the scenario expects.
    pub(crate) fn meets_expectations(&self) -> bool {
        let differs = |buffer: &Buffer| self.difference(buffer).is_some();
        !self.buffers().iter().any(differs)
    }

    /// Returns the elements of a buffer for serialization in the notation of scenarios.
    pub fn values_of(&self, buffer: &Buffer) -> BufferValues<'_> {
        BufferValues {
            ty: ElementType::from_name(&buffer.ty).unwrap_or(ElementType::U8),
            bytes: self.bytes_or_none(&buffer.name),
        }
    }

    /// Executes the remaining steps of the run. If the request includes race detection, it covers the run from its start.
    fn finish(&mut self, request: &ReportRequest) -> (Option<Vec<RaceView>>, Vec<String>) {
        if request.races {
            let found = self.run_for_races(request.max_steps);
            return (Some(found.races), found.notes);
        }
        let left = request.max_steps.saturating_sub(self.position());
        match request.traffic {
            true => self.run_counted(left),
            false => self.run(left),
        };
        (None, Vec::new())
    }

    fn bytes_or_none(&self, name: &str) -> &[u8] {
        let memory = self.memory(&MemoryKey::Buffer(name.to_owned()));
        memory.unwrap_or_default()
    }

    /// Returns a sentence about the first difference between the contents of a buffer and its expected contents.
    fn difference(&self, buffer: &Buffer) -> Option<String> {
        let Buffer { name, .. } = buffer;
        let bytes = self.bytes_or_none(name);
        match compare(buffer, bytes) {
            Err(reason) => Some(format!("{name}: invalid expectation: {reason}")),
            Ok(Some(m)) => Some(format!(
                "{}[{}]: found {}, expected {} ({})",
                m.buffer,
                m.index,
                m.found,
                m.expected,
                counted(m.n_wrong, "differing element")
            )),
            Ok(None) => {
                let expected = buffer.expect_sha256.as_deref()?;
                let found = sha256(bytes);
                let differs = !expected.eq_ignore_ascii_case(&found);
                differs
                    .then(|| format!("{name}: found SHA-256 digest {found}, expected {expected}"))
            }
        }
    }
}

/// Returns sentences about undefined behavior: one sentence about certain data races, and one sentence about an undefined barrier that did
/// not stop the launch.
fn undefined(
    races: Option<&[RaceView]>,
    barrier: Option<&HangView>,
) -> impl Iterator<Item = String> {
    let races = races.unwrap_or_default().iter();
    let n_races = races.filter(|race| race.is_undefined()).count();
    let word = if n_races == 1 { "race" } else { "races" };
    let races = (n_races > 0).then(|| format!("found {n_races} data {word}, expected none"));
    let barrier = barrier
        .map(|_| "found undefined behavior: a diverged warp reached an aligned barrier".to_owned());
    races.into_iter().chain(barrier)
}

impl FaultReport {
    fn new(fault: &FaultView, causes: Vec<CauseView>) -> FaultReport {
        FaultReport {
            fault: ExpectedFault::from(fault),
            message: fault.message.clone(),
            line: fault.range.line,
            source: fault.source.clone(),
            causes,
        }
    }
}

/// Returns the SHA-256 digest of bytes in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
