//! Reduction of a PTX source to a minimal source that still has a finding, such as a data race or a hang.

use crate::analysis::findings::{
    AnalysisLimits, AnalysisReport, Finding, FindingKind, FindingSeverity, KernelAnalysis, analyze,
};
use crate::request_error::RequestError;
use crate::source::front_ends::{format_ptx, ptx_reduction};
use serde::Serialize;
use warpgrid_launch::scenario::{Scenario, SourceLanguage};

/// Result of a reduction.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReductionReport {
    /// Reduced source, which states its launch configuration.
    pub source: String,
    /// Finding of the reduced source.
    pub finding: Finding,
    /// Number of instructions and labels before the reduction.
    pub statements_before: usize,
    /// Number of instructions and labels after the reduction.
    pub statements_after: usize,
    /// Number of sources that the reduction has analyzed.
    pub attempts: u64,
}

/// State of a reduction, which hosts display.
#[derive(Clone, Copy, Debug)]
pub struct ReductionProgress<'a> {
    /// Shortest source with the finding so far.
    pub source: &'a str,
    /// Number of instructions and labels of `source`.
    pub statements: usize,
    /// Number of analyzed sources.
    pub attempts: u64,
}

/// Reduces the source of a scenario while it has the first finding of the given kind. [`FindingKind::Diagnostic`] selects the first error of
/// the check. `observe` receives the progress before each analysis, and stops the reduction by returning `false`. The report then contains
/// the shortest source so far.
///
/// # Errors
///
/// Fails if the source is not PTX, or if it has no finding of this kind.
pub fn reduce_finding(
    scenario: &Scenario,
    kind: FindingKind,
    limits: AnalysisLimits,
    observe: &mut dyn FnMut(ReductionProgress<'_>) -> bool,
) -> Result<ReductionReport, RequestError> {
    if scenario.front != SourceLanguage::Ptx {
        let message = "found a source in another language, expected PTX";
        return Err(RequestError::unsupported(message));
    }
    let original = PreservedFinding::of(scenario, kind, limits)?;
    let stated = original.with_stated_launch();
    let preserved = match stated.finding_of(&stated.scenario.source) {
        Some(_) => stated,
        None => original,
    };
    let source = preserved.scenario.source.clone();
    let mut best = source.clone();
    let mut best_size = ptx_reduction::count_statements(&best);
    let statements_before = best_size;
    let mut attempts = 0;
    let reduced = ptx_reduction::reduce(&source, &mut |candidate| {
        let progress = ReductionProgress {
            source: &best,
            statements: best_size,
            attempts,
        };
        if !observe(progress) {
            return false;
        }
        attempts += 1;
        let is_preserved = preserved.finding_of(candidate).is_some();
        if is_preserved {
            candidate.clone_into(&mut best);
            best_size = ptx_reduction::count_statements(candidate);
        }
        is_preserved
    });
    let formatted = format_ptx(&reduced);
    let source = match preserved.finding_of(&formatted) {
        Some(_) => formatted,
        None => reduced,
    };
    let finding = preserved.finding_of(&source);
    Ok(ReductionReport {
        finding: finding.unwrap_or(preserved.finding),
        statements_before,
        statements_after: ptx_reduction::count_statements(&source),
        source,
        attempts,
    })
}

/// Finding that a reduction preserves, and the scenario in which it occurs.
#[derive(Clone, Debug)]
struct PreservedFinding {
    scenario: Scenario,
    finding: Finding,
    signature: FindingSignature,
    /// Signatures of all errors and warnings of the original source. A reduced source has no other errors and warnings, such as reads of
    /// registers without a value.
    permitted: Vec<FindingSignature>,
    limits: AnalysisLimits,
    /// Inferred parts of the launch configuration as `//@` lines.
    inferred: Vec<String>,
}

impl PreservedFinding {
    fn of(
        scenario: &Scenario,
        kind: FindingKind,
        limits: AnalysisLimits,
    ) -> Result<PreservedFinding, RequestError> {
        let report = analyze(scenario, limits);
        let (kernel, finding) = first_finding(&report, kind).ok_or_else(|| {
            let what = match kind {
                FindingKind::Diagnostic => "error",
                kind => kind.name(),
            };
            RequestError::no_result(format!("the source has no {what}"))
        })?;
        let mut preserved = PreservedFinding {
            scenario: scenario.clone(),
            finding: finding.clone(),
            signature: FindingSignature::of(finding),
            permitted: errors_and_warnings(&report)
                .map(FindingSignature::of)
                .collect(),
            limits,
            inferred: Vec::new(),
        };
        if let Some(kernel) = kernel {
            preserved.scenario.entry = Some(kernel.kernel.clone()).filter(|name| !name.is_empty());
            preserved.inferred.clone_from(&kernel.inferred);
            // Most candidates that do not end would otherwise run up to the step limit.
            let max_steps = kernel.steps.saturating_mul(4).saturating_add(10_000);
            preserved.limits.max_steps = limits.max_steps.min(max_steps);
        }
        Ok(preserved)
    }

    /// Returns the same finding with the inferred launch configuration stated in the source, so that a shorter source has the same launch.
    /// A diagnostic of the check depends on no launch, so the source then has no annotations.
    fn with_stated_launch(&self) -> PreservedFinding {
        let mut stated = self.clone();
        if self.finding.kind == FindingKind::Diagnostic {
            stated.scenario.source = ptx_reduction::without_annotations(&self.scenario.source);
            return stated;
        }
        let lines = self.inferred.iter().map(|line| format!("{line}\n"));
        stated.scenario.source = lines.collect::<String>() + &self.scenario.source;
        stated
    }

    /// Returns the preserved finding of a candidate source.
    fn finding_of(&self, source: &str) -> Option<Finding> {
        let scenario = Scenario {
            source: source.to_owned(),
            ..self.scenario.clone()
        };
        let report = analyze(&scenario, self.limits);
        let mut others = errors_and_warnings(&report).map(FindingSignature::of);
        if !others.all(|other| self.permitted.contains(&other)) {
            return None;
        }
        let mut findings = report.findings();
        findings
            .find(|finding| FindingSignature::of(finding) == self.signature)
            .cloned()
    }
}

/// Returns the errors and warnings of a report.
fn errors_and_warnings(report: &AnalysisReport) -> impl Iterator<Item = &Finding> {
    report
        .findings()
        .filter(|finding| finding.is_error_or_warning())
}

/// Returns the first finding of a kind, with its kernel if the finding belongs to a run.
fn first_finding(
    report: &AnalysisReport,
    kind: FindingKind,
) -> Option<(Option<&KernelAnalysis>, &Finding)> {
    if kind == FindingKind::Diagnostic {
        let mut diagnostics = report.diagnostics.iter();
        let error = diagnostics.find(|finding| finding.severity == FindingSeverity::Error)?;
        return Some((None, error));
    }
    report.kernels.iter().find_map(|kernel| {
        let mut findings = kernel.findings.iter();
        let finding = findings.find(|finding| finding.kind == kind)?;
        Some((Some(kernel), finding))
    })
}

/// Properties of a finding that a reduction preserves.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FindingSignature {
    kind: FindingKind,
    code: Option<String>,
    /// Words of the message without numbers, such as lines, threads and offsets, which a reduction changes.
    words: Vec<String>,
}

impl FindingSignature {
    fn of(finding: &Finding) -> FindingSignature {
        let is_separator = |c: char| !(c.is_alphanumeric() || "_.:%$".contains(c));
        let words = finding.message.split(is_separator).filter_map(|word| {
            let is_number = word.contains(|c: char| c.is_ascii_digit());
            // The singular and the plural of a noun are the same word.
            let word = word.trim_matches([':', '.']).trim_end_matches('s');
            (!word.is_empty() && !is_number).then(|| word.to_owned())
        });
        FindingSignature {
            kind: finding.kind,
            code: finding.code.clone(),
            words: match finding.kind {
                // The code identifies the cause, and the message quotes operands.
                FindingKind::Diagnostic => Vec::new(),
                _ => words.collect(),
            },
        }
    }
}
