//! Reduction of a PTX source to a minimal source that still has a finding, such as a data race or a hang.

use crate::analysis::findings::{
    AnalysisLimits, AnalysisReport, Finding, FindingKind, FindingSeverity, KernelAnalysis, analyze,
};
use crate::request_error::RequestError;
use crate::session::Session;
use crate::source::front_ends::{format_ptx, ptx_reduction};
use serde::Serialize;
use warpgrid_launch::scenario::{Scenario, SourceLanguage};

/// Result of a reduction that preserves a finding.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReductionReport {
    #[serde(flatten)]
    pub reduced: ReducedSource,
    /// Finding of the reduced source.
    pub finding: Finding,
}

/// Reduced source with the size of the reduction.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReducedSource {
    /// Reduced source, which states its launch configuration.
    pub source: String,
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
    let preserved = match stated.finding_of(&stated.base.scenario.source) {
        Some(_) => stated,
        None => original,
    };
    let reduced = reduce_source(&preserved.base.scenario.source, observe, &mut |source| {
        preserved.finding_of(source).is_some()
    });
    let finding = preserved.finding_of(&reduced.source);
    Ok(ReductionReport {
        finding: finding.unwrap_or(preserved.finding),
        reduced,
    })
}

/// Reduces the source of a scenario while `has_property` returns true for the scenario with the reduced source. A reduced source has no
/// errors and warnings that the original source does not have, such as data races, and reads no register that may be unwritten unless the
/// original source does. `observe` receives the progress before each analysis, and stops the reduction by returning `false`.
///
/// # Errors
///
/// Fails if the source is not PTX, if the checker rejects the source, or if the source does not have the property.
pub fn reduce_while(
    scenario: &Scenario,
    limits: AnalysisLimits,
    observe: &mut dyn FnMut(ReductionProgress<'_>) -> bool,
    has_property: &mut dyn FnMut(&Scenario) -> bool,
) -> Result<ReducedSource, RequestError> {
    if scenario.front != SourceLanguage::Ptx {
        let message = "found a source in another language, expected PTX";
        return Err(RequestError::unsupported(message));
    }
    let report = analyze(scenario, limits);
    let mut diagnostics = report.diagnostics.iter();
    if let Some(error) = diagnostics.find(|found| found.severity == FindingSeverity::Error) {
        let message = format!("the source has an error: {}", error.message);
        return Err(RequestError::no_result(message));
    }
    let kernel = report.kernels.iter().find(|kernel| {
        let selected = scenario.entry.as_ref();
        selected.is_none_or(|name| *name == kernel.kernel)
    });
    let base = PermittedFindings::of(scenario, &report, kernel, limits);
    let stated = base.with_stated_launch();
    let base = match has_property(&stated.scenario) {
        true => stated,
        false => base,
    };
    if !has_property(&base.scenario) {
        return Err(RequestError::no_result(
            "the source does not have the property",
        ));
    }
    let permits_unwritten = reads_unwritten_register(&base.scenario);
    Ok(reduce_source(
        &base.scenario.source,
        observe,
        &mut |source| {
            let scenario = base.with_source(source);
            (permits_unwritten || !reads_unwritten_register(&scenario))
                && base.analysis_of(source).is_some()
                && has_property(&scenario)
        },
    ))
}

/// Checks whether a function of a scenario may read a register before the register is written. The analysis of a run finds only reads that
/// determine addresses, branches or stored values.
fn reads_unwritten_register(scenario: &Scenario) -> bool {
    let session = Session::new_without_last_writers(scenario.clone());
    session.is_ok_and(|session| {
        let mut functions = session.program.functions.iter();
        functions.any(|function| session.program.reads_unwritten_register(function))
    })
}

/// Reduces a source while `has_property` returns true for the reduced source.
fn reduce_source(
    source: &str,
    observe: &mut dyn FnMut(ReductionProgress<'_>) -> bool,
    has_property: &mut dyn FnMut(&str) -> bool,
) -> ReducedSource {
    let mut best = source.to_owned();
    let mut best_size = ptx_reduction::count_statements(&best);
    let statements_before = best_size;
    let mut attempts = 0;
    let reduced = ptx_reduction::reduce(source, &mut |candidate| {
        let progress = ReductionProgress {
            source: &best,
            statements: best_size,
            attempts,
        };
        if !observe(progress) {
            return false;
        }
        attempts += 1;
        let is_preserved = has_property(candidate);
        if is_preserved {
            candidate.clone_into(&mut best);
            best_size = ptx_reduction::count_statements(candidate);
        }
        is_preserved
    });
    let formatted = format_ptx(&reduced);
    let source = match has_property(&formatted) {
        true => formatted,
        false => reduced,
    };
    ReducedSource {
        statements_before,
        statements_after: ptx_reduction::count_statements(&source),
        source,
        attempts,
    }
}

/// Scenario of a reduction, with the errors and warnings that a reduced source may have.
#[derive(Clone, Debug)]
struct PermittedFindings {
    scenario: Scenario,
    /// Signatures of all errors and warnings of the original source. A reduced source has no other errors and warnings, such as reads of
    /// registers without a value.
    permitted: Vec<FindingSignature>,
    limits: AnalysisLimits,
    /// Inferred parts of the launch configuration as `//@` lines.
    inferred: Vec<String>,
}

impl PermittedFindings {
    /// Returns the errors and warnings of a report about a scenario. A reduction runs only the given kernel.
    fn of(
        scenario: &Scenario,
        report: &AnalysisReport,
        kernel: Option<&KernelAnalysis>,
        limits: AnalysisLimits,
    ) -> PermittedFindings {
        let mut base = PermittedFindings {
            scenario: scenario.clone(),
            permitted: errors_and_warnings(report)
                .map(FindingSignature::of)
                .collect(),
            limits,
            inferred: Vec::new(),
        };
        if let Some(kernel) = kernel {
            base.scenario.entry = Some(kernel.kernel.clone()).filter(|name| !name.is_empty());
            base.inferred.clone_from(&kernel.inferred);
            // Most candidates that do not end would otherwise run up to the step limit.
            let max_steps = kernel.steps.saturating_mul(4).saturating_add(10_000);
            base.limits.max_steps = limits.max_steps.min(max_steps);
        }
        base
    }

    /// Returns the same scenario with the inferred launch configuration stated in the source, so that a shorter source has the same launch.
    fn with_stated_launch(&self) -> PermittedFindings {
        let mut stated = self.clone();
        let lines = self.inferred.iter().map(|line| format!("{line}\n"));
        stated.scenario.source = lines.collect::<String>() + &self.scenario.source;
        stated
    }

    fn with_source(&self, source: &str) -> Scenario {
        Scenario {
            source: source.to_owned(),
            ..self.scenario.clone()
        }
    }

    /// Returns the analysis of a candidate source, or `None` if the source has errors or warnings that are not permitted.
    fn analysis_of(&self, source: &str) -> Option<AnalysisReport> {
        let report = analyze(&self.with_source(source), self.limits);
        let is_permitted = |found: &Finding| self.permitted.contains(&FindingSignature::of(found));
        let are_permitted = errors_and_warnings(&report).all(is_permitted);
        are_permitted.then_some(report)
    }
}

/// Finding that a reduction preserves, and the scenario in which it occurs.
#[derive(Clone, Debug)]
struct PreservedFinding {
    base: PermittedFindings,
    finding: Finding,
    signature: FindingSignature,
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
        Ok(PreservedFinding {
            base: PermittedFindings::of(scenario, &report, kernel, limits),
            finding: finding.clone(),
            signature: FindingSignature::of(finding),
        })
    }

    /// Returns the same finding in a source that states its launch configuration. A diagnostic of the check depends on no launch, so the
    /// source then has no annotations.
    fn with_stated_launch(&self) -> PreservedFinding {
        let mut stated = self.clone();
        if self.finding.kind == FindingKind::Diagnostic {
            stated.base.scenario.source =
                ptx_reduction::without_annotations(&self.base.scenario.source);
            return stated;
        }
        stated.base = self.base.with_stated_launch();
        stated
    }

    /// Returns the preserved finding of a candidate source.
    fn finding_of(&self, source: &str) -> Option<Finding> {
        let report = self.base.analysis_of(source)?;
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
