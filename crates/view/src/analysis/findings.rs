//! Analysis that lists all findings about a source, from the check of the source and from runs of its kernels.
//!
//! The module takes a [`Scenario`], and returns an [`AnalysisReport`] with the diagnostics of the source and one [`KernelAnalysis`] per
//! kernel. The analysis runs each kernel with race detection, executes the run again for memory traffic and uninitialized registers, and
//! runs the kernel with each additional scheduler seed.

use crate::analysis::MAX_REPEATED_STEPS;
use crate::analysis::memory_diff::MemoryDifference;
use crate::analysis::schedule_seeds::{OutcomeGroup, SeedReport, compare_seeds};
use crate::analysis::schedules::ScheduleReport;
use crate::api::limits::{steps, whole};
use crate::layouts::inspector::bank_conflict_fix::BufferConflicts;
use crate::layouts::inspector::bank_conflicts::ConflictReport;
use crate::memory_model::concurrency::hang::HangView;
use crate::memory_model::concurrency::{
    RaceConfidence, RaceReport, RaceView, UninitializedReadView, fix_of,
};
use crate::model::fault::FaultView;
use crate::model::source_position::SourcePosition;
use crate::model::text::{DiagnosticView, FixView, Severity, SourceRange};
use crate::request_error::RequestError;
use crate::session::Session;
use crate::source::check::{CheckOptions, check};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use warpgrid_launch::fault::FaultSort;
use warpgrid_launch::scenario::Scenario;
use warpgrid_program::counted;

/// Kind of a [`Finding`], such as a fault, a data race or a bank conflict. Hosts use it to filter findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The result of the run differs from an expectation of the scenario.
    WrongResult,
    Fault,
    Hang,
    DataRace,
    UninitializedRead,
    /// The final memory contents depend on the scheduler seed.
    ScheduleDependence,
    /// The check of the source reported a diagnostic.
    Diagnostic,
    BankConflict,
    /// An access to global memory touches more sectors than necessary.
    UncoalescedAccess,
    Note,
}

impl FindingKind {
    /// Returns the displayed name: `bank conflict`. The serialized name contains hyphens in place of the blanks.
    pub const fn name(self) -> &'static str {
        match self {
            FindingKind::WrongResult => "wrong result",
            FindingKind::Fault => "fault",
            FindingKind::Hang => "hang",
            FindingKind::DataRace => "data race",
            FindingKind::UninitializedRead => "uninitialized read",
            FindingKind::ScheduleDependence => "schedule dependence",
            FindingKind::Diagnostic => "diagnostic",
            FindingKind::BankConflict => "bank conflict",
            FindingKind::UncoalescedAccess => "uncoalesced access",
            FindingKind::Note => "note",
        }
    }
}

/// Severity of a [`Finding`]. The variants are ordered by decreasing severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// The source is rejected, the run fails, or its result is undefined.
    Error,
    /// The finding is probably a mistake in the source.
    Warning,
    /// The result is correct, but the access is slower than necessary.
    Performance,
    Information,
}

impl FindingSeverity {
    /// Returns the name in outputs: `error`.
    pub const fn name(self) -> &'static str {
        match self {
            FindingSeverity::Error => "error",
            FindingSeverity::Warning => "warning",
            FindingSeverity::Performance => "performance",
            FindingSeverity::Information => "information",
        }
    }
}

impl From<Severity> for FindingSeverity {
    fn from(severity: Severity) -> FindingSeverity {
        match severity {
            Severity::Error => FindingSeverity::Error,
            Severity::Warning => FindingSeverity::Warning,
            Severity::Information => FindingSeverity::Information,
        }
    }
}

/// Verdict of an analysis about a kernel or a source. The variants are ordered from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The run ended without errors and warnings.
    Clean,
    /// The run has no errors and no warnings, but the analysis did not cover all of its steps.
    Incomplete,
    /// The run has errors or warnings.
    Findings,
    /// The source is rejected, or the launch is impossible.
    Error,
}

impl Verdict {
    /// Returns the name in outputs: `clean`.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Incomplete => "incomplete",
            Verdict::Findings => "findings",
            Verdict::Error => "error",
        }
    }
}

/// Finding of an analysis about a source or the run of a kernel, with its severity, location and message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    pub kind: FindingKind,
    pub severity: FindingSeverity,
    /// Code of a diagnostic: `W0107`. The code is absent for findings of a run.
    pub code: Option<String>,
    /// Range in the checked source. The range is absent for a finding that concerns the whole run.
    pub range: Option<SourceRange>,
    /// All lines of the checked source that take part in the finding, in ascending order.
    pub lines: Vec<u32>,
    /// Position of `range` in the language from which a compiler generated the source, followed by the call sites of inlined functions.
    pub source: Vec<SourcePosition>,
    /// Description of the finding in one sentence.
    pub message: String,
    /// Sentences that explain the finding or describe further occurrences.
    pub details: Vec<String>,
    /// Number of occurrences that the finding combines, at least 1.
    pub occurrences: u32,
    /// Fix of the finding, if one is known.
    pub fix: Option<FixView>,
    /// Whether the finding depends on an inferred part of the launch configuration.
    pub depends_on_inferred_launch: bool,
}

/// Result of the analysis of one kernel in an [`AnalysisReport`]: verdict, launch and findings.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct KernelAnalysis {
    /// Name of the kernel or asm block.
    pub kernel: String,
    pub verdict: Verdict,
    pub target: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Launch in the syntax of CUDA C++: `<<<4, (32, 8)>>>`.
    pub launch: String,
    /// Inferred parts of the launch configuration as `//@` lines. The list is empty if the source states the whole launch configuration.
    pub inferred: Vec<String>,
    /// Number of steps that the run executed.
    pub steps: u64,
    /// Number of scheduler seeds with which the kernel was run.
    pub seeds: u64,
    /// Findings of the run, most severe first.
    pub findings: Vec<Finding>,
    /// Sentences that describe the parts of the run that the analysis did not cover. The list is empty if the verdict is not `incomplete`.
    pub not_covered: Vec<String>,
    /// Result of the analysis of all schedules. The field is absent if the host has not requested this analysis.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub schedules: Option<ScheduleReport>,
}

/// Result of the analysis of a source and its kernels, which hosts display: verdict, diagnostics and findings.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AnalysisReport {
    /// Worst verdict among the source and its kernels.
    pub verdict: Verdict,
    /// Diagnostics of the source.
    pub diagnostics: Vec<Finding>,
    /// Analyses of the kernels. The kernels with the worst verdicts and the most severe findings come first.
    pub kernels: Vec<KernelAnalysis>,
}

impl AnalysisReport {
    /// Returns the diagnostics of the source, followed by the findings of all kernels.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let of_kernels = self.kernels.iter().flat_map(|kernel| &kernel.findings);
        self.diagnostics.iter().chain(of_kernels)
    }

    /// Returns the highest severity of all findings, or `None` if there are no findings.
    pub fn severity(&self) -> Option<FindingSeverity> {
        self.findings().map(|finding| finding.severity).min()
    }
}

/// Options of an analysis, as a host specifies them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct AnalysisOptions {
    /// Step limit of each run. A run that does not finish within this limit is incomplete.
    #[serde(default)]
    pub max_steps: Option<f64>,
    /// Number of scheduler seeds with which each kernel runs. The default is 8.
    #[serde(default)]
    pub seeds: Option<f64>,
}

/// Default number of scheduler seeds.
pub const DEFAULT_SEEDS: u64 = 8;

impl AnalysisOptions {
    /// Returns the limits that these options specify, with default values for absent options.
    pub fn limits(self) -> Result<AnalysisLimits, RequestError> {
        Ok(AnalysisLimits {
            max_steps: steps(self.max_steps)?,
            seeds: match self.seeds {
                Some(seeds) => whole(seeds, "seeds")?.max(1),
                None => DEFAULT_SEEDS,
            },
        })
    }
}

/// Step limit and number of scheduler seeds of an analysis, which [`analyze`] observes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalysisLimits {
    /// Step limit of each run of a kernel.
    pub max_steps: u64,
    /// Number of scheduler seeds with which each kernel runs. The number is at least 1.
    pub seeds: u64,
}

/// Maximum number of steps of a run that is repeated with other scheduler seeds. A longer run is analyzed with one seed.
const MAX_STEPS_OF_SEEDS: u64 = 1_000_000;

/// Checks a source, and runs the selected kernel of the scenario, or all kernels if the scenario selects none.
pub fn analyze(scenario: &Scenario, limits: AnalysisLimits) -> AnalysisReport {
    let options = CheckOptions::of_scenario(scenario);
    let checked = check(&scenario.source, &options);
    let diagnostics: Vec<Finding> = checked.diagnostics.into_iter().map(Finding::from).collect();
    let mut report = AnalysisReport {
        verdict: Verdict::Error,
        diagnostics,
        kernels: Vec::new(),
    };
    if !checked.accept && checked.parts.iter().all(|part| !part.accept) {
        return report;
    }
    let opened = Session::new_without_last_writers(scenario.clone());
    let kernels = match (&scenario.entry, &opened) {
        (None, Ok(session)) => session.kernels(),
        _ => Vec::new(),
    };
    match kernels.len() {
        0 | 1 => report
            .kernels
            .push(analyze_opened(scenario, opened, limits)),
        _ => {
            for kernel in kernels {
                let mut scenario = scenario.clone();
                scenario.entry = Some(kernel);
                let opened = Session::new_without_last_writers(scenario.clone());
                report
                    .kernels
                    .push(analyze_opened(&scenario, opened, limits));
            }
        }
    }
    report.kernels.sort_by_key(|kernel| {
        let severity = kernel.findings.first().map(|finding| finding.severity);
        let has_no_finding = severity.is_none();
        (Reverse(kernel.verdict), has_no_finding, severity)
    });
    let of_source = match report.diagnostics.iter().any(Finding::is_error_or_warning) {
        true if checked.accept => Verdict::Findings,
        true => Verdict::Error,
        false => Verdict::Clean,
    };
    let of_kernels = report.kernels.iter().map(|kernel| kernel.verdict);
    report.verdict = of_kernels.chain([of_source]).max().unwrap_or(of_source);
    report
}

/// Analyzes a kernel whose session is at its start.
fn analyze_opened(
    scenario: &Scenario,
    opened: Result<Session, RequestError>,
    limits: AnalysisLimits,
) -> KernelAnalysis {
    let mut session = match opened {
        Ok(session) => session,
        Err(error) => return impossible_launch(scenario, error),
    };
    let races = session.run_for_races(limits.max_steps);
    let mut findings = session.run_findings(races);
    let fault = session.fault();
    let not_covered = session.not_covered(fault.as_ref());
    let mut seeds = 1;
    if limits.seeds > 1 && session.position() <= MAX_STEPS_OF_SEEDS && not_covered.is_empty() {
        // Ignore errors, because a kernel that has been launched with one seed can also be launched with another seed.
        if let Ok(report) = compare_seeds(session.scenario(), 0..limits.seeds, limits.max_steps) {
            seeds = report.n_seeds;
            findings.extend(seed_finding(&report));
        }
    }
    findings.extend(session.performance_findings());
    findings.extend(session.coverage_finding());
    if session.inferred_launch().is_some() {
        for finding in &mut findings {
            finding.depends_on_inferred_launch = true;
        }
        compare_with_other_block(scenario, &session, &mut findings);
    }
    findings.sort_by_key(|finding| (finding.severity, finding.kind, finding.lines.clone()));
    let is_flagged = findings.iter().any(Finding::is_error_or_warning);
    let verdict = match (is_flagged, not_covered.is_empty()) {
        (true, _) => Verdict::Findings,
        (false, false) => Verdict::Incomplete,
        (false, true) => Verdict::Clean,
    };
    KernelAnalysis {
        verdict,
        target: session.target_name().to_owned(),
        inferred: session.inferred_annotations().to_vec(),
        steps: session.position(),
        seeds,
        findings,
        not_covered,
        ..KernelAnalysis::without_run(session.scenario())
    }
}

/// Adds a detail to each error and warning of a launch with an inferred block size: whether the run with another block size has the same
/// finding.
fn compare_with_other_block(scenario: &Scenario, session: &Session, findings: &mut [Finding]) {
    let is_stated = scenario.block.is_some() || session.position() > MAX_REPEATED_STEPS;
    let Some([n_threads, 1, 1]) = session.scenario().block.filter(|_| !is_stated) else {
        return;
    };
    if !findings.iter().any(Finding::is_error_or_warning) {
        return;
    }
    let n_other = match n_threads {
        0..=32 => 64,
        n => n / 2,
    };
    let other = Scenario {
        block: Some([n_other, 1, 1]),
        entry: session.scenario().entry.clone(),
        ..scenario.clone()
    };
    let Ok(mut other) = Session::new_without_last_writers(other) else {
        return;
    };
    // A source that states the block size determines the block size of both runs.
    if other.scenario().block == session.scenario().block {
        return;
    }
    let races = other.detect_races(MAX_REPEATED_STEPS);
    let others = other.run_findings(races);
    for finding in findings
        .iter_mut()
        .filter(|finding| finding.is_error_or_warning())
    {
        let is_same = |other: &Finding| {
            other.kind == finding.kind
                && other.lines.iter().any(|line| finding.lines.contains(line))
        };
        let result = match (finding.kind, others.iter().any(is_same)) {
            // The run with the other block size has only one scheduler seed.
            (FindingKind::ScheduleDependence, _) => continue,
            (_, true) => "also has",
            (_, false) => "does not have",
        };
        finding.details.push(format!(
            "the block size of {n_threads} threads is inferred: the run with {n_other} threads (`//@ launch block={n_other}`) {result} this finding"
        ));
    }
}

/// Returns the analysis result for a kernel that cannot be launched.
fn impossible_launch(scenario: &Scenario, error: RequestError) -> KernelAnalysis {
    let mut finding = Finding::new(
        FindingKind::Diagnostic,
        FindingSeverity::Error,
        error.message,
    );
    let mut diagnostics = error.diagnostics.iter();
    let place = diagnostics.find(|found| found.code == error.code);
    finding.range = place.map(DiagnosticView::range);
    finding.lines = finding.range.iter().map(|range| range.line).collect();
    finding.code = Some(error.code);
    KernelAnalysis {
        findings: vec![finding],
        ..KernelAnalysis::without_run(scenario)
    }
}

impl KernelAnalysis {
    /// Creates the analysis result for a kernel that has not run.
    fn without_run(scenario: &Scenario) -> KernelAnalysis {
        let (grid, block) = (
            scenario.grid.unwrap_or([1; 3]),
            scenario.block.unwrap_or([1; 3]),
        );
        KernelAnalysis {
            kernel: scenario.entry.clone().unwrap_or_default(),
            verdict: Verdict::Error,
            target: scenario.target.clone().unwrap_or_default(),
            grid,
            block,
            launch: format!("<<<{}, {}>>>", dimensions(grid), dimensions(block)),
            inferred: Vec::new(),
            steps: 0,
            seeds: 0,
            findings: Vec::new(),
            not_covered: Vec::new(),
            schedules: None,
        }
    }
}

/// Formats dimensions in the syntax of CUDA C++: `4`, `(32, 8)`.
fn dimensions([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("({x}, {y})"),
        _ => format!("({x}, {y}, {z})"),
    }
}

impl Session {
    /// Runs the launch from its start, and returns the errors, warnings and data races of the run, most severe first.
    pub(crate) fn errors_of_run(&mut self, max_steps: u64) -> Vec<Finding> {
        let races = self.detect_races(max_steps);
        let mut findings = self.run_findings(races);
        findings.retain(|finding| {
            finding.is_error_or_warning() || finding.kind == FindingKind::DataRace
        });
        findings.sort_by_key(|finding| (finding.severity, finding.kind, finding.lines.clone()));
        findings
    }

    /// Returns the findings of a finished run: differences from expectations, fault, hang, races, uninitialized reads and notes.
    fn run_findings(&mut self, races: RaceReport) -> Vec<Finding> {
        let mut findings = Vec::new();
        let hang = self.hang();
        let fault = self.fault();
        let expects_fault = self.scenario().fault.is_some();
        // If the scenario expects no fault, the fault itself is a finding, so exclude it from the comparison with the expectations.
        let compared_fault = fault.as_ref().filter(|_| expects_fault);
        findings.extend(self.expectation_differences(compared_fault));
        if !expects_fault {
            let is_deadlock = |fault: &FaultView| fault.kind == FaultSort::Deadlock;
            let is_explained = fault.as_ref().is_some_and(is_deadlock) && hang.is_some();
            if let Some(fault) = &fault
                && fault.kind != FaultSort::Unsupported
                && !is_explained
            {
                findings.push(self.fault_finding(fault));
            }
            findings.extend(hang.map(|hang| self.hang_finding(&hang)));
        }
        findings.extend(self.race_findings(&races.races));
        let reads = races.unwritten.iter();
        findings.extend(reads.map(|read| self.uninitialized_read_finding(read)));
        for used in self.uninitialized_uses() {
            let range = self.range_of(used.function, used.instruction);
            let mut finding = self.finding_at(
                FindingKind::UninitializedRead,
                FindingSeverity::Warning,
                used.message,
                vec![range.line],
            );
            finding.range = Some(range);
            findings.push(finding);
        }
        for tile in self.misaligned_tiles() {
            let range = self.range_of(tile.function, tile.instruction);
            let severity = FindingSeverity::Information;
            let lines = vec![range.line];
            findings.push(self.finding_at(FindingKind::Note, severity, tile.message(), lines));
        }
        let is_read_note =
            |note: &&String| races.unwritten.iter().any(|read| read.message == **note);
        let notes = races
            .notes
            .iter()
            .filter(|note| !is_read_note(note))
            .cloned();
        let notes = notes.chain(self.notes());
        findings.extend(notes.map(|note| {
            let severity = FindingSeverity::Information;
            Finding::new(FindingKind::Note, severity, note)
        }));
        findings
    }

    /// Returns a note about the lines that the run has not reached, if a part of the launch or a scalar is inferred.
    fn coverage_finding(&self) -> Option<Finding> {
        if !self.infers_values() {
            return None;
        }
        let unreached = self.unreached_lines();
        let message = self.unreached_note(&unreached)?;
        let lines = unreached.iter().map(|range| range.first).collect();
        Some(self.finding_at(
            FindingKind::Note,
            FindingSeverity::Information,
            message,
            lines,
        ))
    }

    /// Returns descriptions of the parts of the run that the analysis did not cover.
    fn not_covered(&self, fault: Option<&FaultView>) -> Vec<String> {
        let mut not_covered: Vec<String> = self.step_limit_message().into_iter().collect();
        let unsupported = fault.filter(|fault| fault.kind == FaultSort::Unsupported);
        not_covered.extend(
            unsupported.map(|fault| format!("line {}: {}", fault.range.line, fault.message)),
        );
        not_covered
    }

    fn fault_finding(&mut self, fault: &FaultView) -> Finding {
        let mut finding = self.finding_at(
            FindingKind::Fault,
            FindingSeverity::Error,
            fault.message.clone(),
            vec![fault.range.line],
        );
        finding.range = Some(fault.range);
        finding.source.clone_from(&fault.source);
        finding.details.extend(fault.help.clone());
        let causes = self.causes();
        let causes = causes.iter();
        finding
            .details
            .extend(causes.map(|cause| format!("line {}: {}", cause.range.line, cause.text)));
        finding
    }

    /// Converts the diagnosis of a hang to a finding. A run with a divergent warp at an aligned barrier can also finish, but its result is
    /// undefined.
    fn hang_finding(&self, hang: &HangView) -> Finding {
        let severity = FindingSeverity::Error;
        let lines = [Some(hang.line), hang.line_at_fault];
        let lines = lines
            .into_iter()
            .flatten()
            .filter(|line| *line > 0)
            .collect();
        self.finding_at(FindingKind::Hang, severity, hang.message.clone(), lines)
    }

    /// Returns one finding for all races with the same memory, cause and certainty.
    fn race_findings(&self, races: &[RaceView]) -> Vec<Finding> {
        let mut groups: Vec<(&RaceView, Vec<&RaceView>)> = Vec::new();
        for race in races {
            match groups
                .iter_mut()
                .find(|(first, _)| is_same_race(first, race))
            {
                Some((_, others)) => others.push(race),
                None => groups.push((race, Vec::new())),
            }
        }
        let findings = groups.into_iter().map(|(first, others)| {
            let lines = std::iter::once(first).chain(others.iter().copied());
            let lines = lines.flat_map(|race| [race.first.line, race.second.line]);
            let mut finding = self.finding_at(
                FindingKind::DataRace,
                race_severity(first),
                first.message.clone(),
                lines.flatten().collect(),
            );
            finding.details = others.iter().map(|race| race.message.clone()).collect();
            finding.occurrences = others.len() as u32 + 1;
            finding.fix = fix_of(&first.repair);
            finding
        });
        findings.collect()
    }

    fn uninitialized_read_finding(&self, read: &UninitializedReadView) -> Finding {
        let lines = read.reader.line.into_iter().collect();
        self.finding_at(
            FindingKind::UninitializedRead,
            FindingSeverity::Warning,
            read.message.clone(),
            lines,
        )
    }

    /// Returns the findings about differences between the result of the run and the expectations of the scenario.
    fn expectation_differences(&self, fault: Option<&FaultView>) -> Vec<Finding> {
        let differences = self.differences_from_expectations(fault).into_iter();
        let severity = FindingSeverity::Error;
        differences
            .map(|difference| Finding::new(FindingKind::WrongResult, severity, difference))
            .collect()
    }

    /// Executes the run again, and returns the findings about its bank conflicts and uncoalesced accesses.
    fn performance_findings(&mut self) -> Vec<Finding> {
        let report = self.conflicts();
        let conflicting = report.accesses.iter().filter(|access| access.conflicts > 0);
        let conflicts = conflicting.map(|access| MemoryCost {
            kind: FindingKind::BankConflict,
            line: access.line,
            opcode: &access.opcode,
            buffer: &access.buffer,
            found: access.wavefronts,
            ideal: access.ideal,
            details: Vec::new(),
        });
        let advice = report.sectors.iter().map(|advice| MemoryCost {
            kind: FindingKind::UncoalescedAccess,
            line: advice.line,
            opcode: &advice.opcode,
            buffer: &advice.buffer,
            found: advice.sectors,
            ideal: advice.ideal,
            details: vec![advice.text.clone()],
        });
        let mut findings = self.cost_findings(conflicts.chain(advice).collect());
        for finding in &mut findings {
            if finding.kind == FindingKind::BankConflict {
                finding.details = layout_proposals(&report, &finding.lines);
            }
        }
        findings
    }

    /// Returns one finding for all accesses that a compiler generated from the same source line, such as the accesses of an unrolled loop.
    fn cost_findings(&self, costs: Vec<MemoryCost<'_>>) -> Vec<Finding> {
        let mut groups: Vec<(Vec<SourcePosition>, Vec<MemoryCost<'_>>)> = Vec::new();
        for cost in costs {
            let source = self.source_positions(cost.line);
            let is_same = |(of_group, group): &&mut (Vec<SourcePosition>, Vec<MemoryCost<'_>>)| {
                let is_like_first = group.first().is_some_and(|first| first.is_like(&cost));
                !source.is_empty() && *of_group == source && is_like_first
            };
            match groups.iter_mut().find(is_same) {
                Some((_, group)) => group.push(cost),
                None => groups.push((source, vec![cost])),
            }
        }
        let findings = groups.into_iter().filter_map(|(_, group)| {
            let first = group.first()?;
            let (unit, verb) = match first.kind {
                FindingKind::BankConflict => ("wavefront", "takes"),
                _ => ("sector", "touches"),
            };
            let found: u64 = group.iter().map(|cost| cost.found).sum();
            let ideal: u64 = group.iter().map(|cost| cost.ideal).sum();
            let message = format!(
                "`{}` on `{}` {verb} {}, ideal {ideal}",
                first.opcode,
                first.buffer,
                counted(found, unit)
            );
            let lines = group.iter().map(|cost| cost.line).collect();
            let severity = FindingSeverity::Performance;
            let mut finding = self.finding_at(first.kind, severity, message, lines);
            finding.details.clone_from(&first.details);
            finding.occurrences = group.len() as u32;
            Some(finding)
        });
        findings.collect()
    }

    /// Creates a finding with the range and the source position of the first line in `lines`.
    pub(crate) fn finding_at(
        &self,
        kind: FindingKind,
        severity: FindingSeverity,
        message: String,
        mut lines: Vec<u32>,
    ) -> Finding {
        let first = lines.first().copied();
        lines.sort_unstable();
        lines.dedup();
        let mut finding = Finding::new(kind, severity, message);
        finding.range = first.map(|line| self.places.line_range(line));
        finding.source = first.map_or_else(Vec::new, |line| self.source_positions(line));
        finding.lines = lines;
        finding
    }
}

/// Number of wavefronts or sectors of a memory access in the source, and the minimum number for its requests.
struct MemoryCost<'a> {
    kind: FindingKind,
    line: u32,
    opcode: &'a str,
    buffer: &'a str,
    /// Wavefronts of a bank conflict, or sectors of an uncoalesced access.
    found: u64,
    ideal: u64,
    details: Vec<String>,
}

impl MemoryCost<'_> {
    /// Checks whether two accesses have the same kind of cost, the same opcode and the same buffer.
    fn is_like(&self, other: &MemoryCost<'_>) -> bool {
        (self.kind, self.opcode, self.buffer) == (other.kind, other.opcode, other.buffer)
    }
}

/// Returns the layouts that the report proposes for the buffers to which the given lines have conflicting accesses. If no layout removes
/// the conflicts, returns the reason.
fn layout_proposals(report: &ConflictReport, lines: &[u32]) -> Vec<String> {
    let is_on_line = |buffer: &&BufferConflicts| {
        let mut accesses = report.accesses.iter();
        accesses.any(|access| access.buffer == buffer.name && lines.contains(&access.line))
    };
    let buffers = report.buffers.iter().filter(is_on_line);
    buffers
        .flat_map(|buffer| {
            let proposals = buffer.proposals.iter().map(|proposal| {
                format!(
                    "`{}` without bank conflicts: {}",
                    buffer.name, proposal.change
                )
            });
            proposals.chain(buffer.impossible.clone())
        })
        .collect()
}

impl Finding {
    /// Checks whether the severity is at least a warning.
    pub fn is_error_or_warning(&self) -> bool {
        self.severity <= FindingSeverity::Warning
    }

    pub(crate) fn new(kind: FindingKind, severity: FindingSeverity, message: String) -> Finding {
        Finding {
            kind,
            severity,
            code: None,
            range: None,
            lines: Vec::new(),
            source: Vec::new(),
            message,
            details: Vec::new(),
            occurrences: 1,
            fix: None,
            depends_on_inferred_launch: false,
        }
    }
}

impl From<DiagnosticView> for Finding {
    fn from(diagnostic: DiagnosticView) -> Finding {
        let kind = FindingKind::Diagnostic;
        let range = diagnostic.range();
        let mut finding = Finding::new(kind, diagnostic.severity.into(), diagnostic.message);
        finding.lines = vec![range.line];
        finding.range = Some(range);
        finding.code = Some(diagnostic.code);
        finding.details.extend(diagnostic.help);
        finding.fix = diagnostic.fix;
        finding
    }
}

/// Checks whether two races belong to one finding, because they have the same memory, cause, certainty and effect on the value.
fn is_same_race(one: &RaceView, other: &RaceView) -> bool {
    let memory = |race: &RaceView| {
        let place = &race.place;
        (
            place.space.clone(),
            place.buffer.clone(),
            place.variable.clone(),
        )
    };
    one.cause == other.cause
        && one.confidence == other.confidence
        && one.same_value == other.same_value
        && memory(one) == memory(other)
}

/// Returns the severity of a race. A race is an error only if it makes the results undefined.
fn race_severity(race: &RaceView) -> FindingSeverity {
    match (race.is_undefined(), race.confidence) {
        (true, _) => FindingSeverity::Error,
        (false, RaceConfidence::ModelOnly) => FindingSeverity::Information,
        (false, RaceConfidence::Certain | RaceConfidence::OutsideModel) => FindingSeverity::Warning,
    }
}

/// Returns a finding if the final memory contents differ between scheduler seeds.
fn seed_finding(report: &SeedReport) -> Option<Finding> {
    let [first, second, ..] = report.ends.as_slice() else {
        return None;
    };
    let seed = |group: &OutcomeGroup| group.seeds.first().copied().unwrap_or_default();
    let message = format!(
        "the final memory depends on the schedule: {} have {} different results (seeds {} and {} differ)",
        counted(report.n_seeds, "scheduler seed"),
        report.ends.len(),
        seed(first),
        seed(second)
    );
    let kind = FindingKind::ScheduleDependence;
    let mut finding = Finding::new(kind, FindingSeverity::Warning, message);
    let memories = report.differences.iter();
    let text = |difference: &MemoryDifference| {
        let [one, other] = &difference.sides;
        format!(
            "`{}[{}]` is {} with seed {} and {} with seed {}",
            difference.memory, difference.index, one.value, one.seed, other.value, other.seed
        )
    };
    finding.details = memories.map(text).collect();
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::FindingKind;

    #[test]
    fn serialized_kind_is_displayed_name_with_hyphens() {
        for kind in [
            FindingKind::WrongResult,
            FindingKind::Fault,
            FindingKind::Hang,
            FindingKind::DataRace,
            FindingKind::UninitializedRead,
            FindingKind::ScheduleDependence,
            FindingKind::Diagnostic,
            FindingKind::BankConflict,
            FindingKind::UncoalescedAccess,
            FindingKind::Note,
        ] {
            let serialized = serde_json::to_value(kind).expect("a name");
            assert_eq!(serialized, kind.name().replace(' ', "-"));
        }
    }
}
