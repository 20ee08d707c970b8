//! `warpgrid analyze`: checks and runs every kernel of the input files, and lists all findings with their source positions.

mod badge;
mod sarif;
mod schedules;

use crate::compile::{CompilerOptions, is_cuda};
use crate::input_files::{list, nothing_in};
use crate::launch::LaunchOptions;
use crate::output::{about, file_totals, print_error, stdout};
use crate::{ExitKind, run};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use warpgrid_view::analysis::findings::{
    AnalysisLimits, AnalysisReport, DEFAULT_SEEDS, Finding, FindingSeverity, KernelAnalysis,
    Verdict, analyze,
};
use warpgrid_view::scenario::SourceFile;
use warpgrid_view::source::line_table::{SourcePosition, base_name, source_text};
use warpgrid_view::{Scenario, Session, counted};

/// Arguments of `analyze`.
#[derive(Debug, Args)]
pub(crate) struct AnalyzeArguments {
    /// PTX, SASS, CUDA C++, cubin, executable, case.json or scenario JSON files, or directories that contain such files. `-` reads standard input.
    #[arg(required = true, value_name = "FILE|DIRECTORY")]
    files: Vec<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
    /// Stop each run after this many steps (warp-instructions). A run that reaches the limit is `incomplete`.
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    max_steps: u64,
    /// Run each kernel with this number of scheduler seeds, and compare the final memory.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEEDS, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    seeds: u64,
    /// Explore all schedules of each kernel for at most this number of seconds. The verdict `clean` then holds for every schedule. An error
    /// is reported with a schedule for `warpgrid run --schedule`.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "2", value_parser = schedules::read_seconds)]
    schedules: Option<Duration>,
    /// Exit with 1 also for findings of this severity.
    #[arg(long, value_enum, value_name = "SEVERITY")]
    deny: Option<DeniedSeverity>,
    /// Write an SVG badge with the verdict to this file.
    #[arg(long, value_name = "FILE.svg")]
    badge: Option<PathBuf>,
    #[command(flatten)]
    launch: LaunchOptions,
    #[command(flatten)]
    compiler: CompilerOptions,
}

/// Output format of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    #[default]
    Human,
    /// One JSON object per file and line.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

/// Lowest severity that makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DeniedSeverity {
    Warnings,
    Performance,
}

/// Extensions of the files that are analyzed in a directory.
const ENDINGS: &[&str] = &["ptx", "sass", "cubin", "cu"];

/// Analyzed file.
struct AnalyzedFile {
    name: String,
    scenario: Scenario,
    report: AnalysisReport,
}

/// JSON of an analyzed file.
#[derive(Serialize)]
struct JsonAnalysis<'a> {
    ok: bool,
    file: &'a str,
    #[serde(flatten)]
    report: &'a AnalysisReport,
}

/// JSON of a file that cannot be read.
#[derive(Serialize)]
struct JsonUnreadable<'a> {
    ok: bool,
    file: &'a str,
    verdict: Verdict,
    error: &'a str,
}

/// File that cannot be read or compiled.
struct UnreadableFile {
    name: String,
    reason: String,
}

/// Analyzes every file. The outcome is the worst outcome of the files.
pub(crate) fn analyze_files(arguments: &AnalyzeArguments) -> io::Result<ExitKind> {
    let mut outcome = ExitKind::Success;
    let mut analyzed = Vec::new();
    let mut unreadable = Vec::new();
    let mut out = stdout();
    for input in list(&arguments.files, ENDINGS) {
        let loaded = match input.path.is_dir() {
            true => Err(nothing_in(&input.path, ENDINGS).to_string()),
            false => load(&input.path, &arguments.compiler),
        };
        let mut scenario = match loaded {
            Ok(scenario) => scenario,
            Err(reason) => {
                print_error(&reason);
                outcome = ExitKind::UsageError;
                let name = input.path.display().to_string();
                if arguments.format == ReportFormat::Json {
                    let answer = JsonUnreadable {
                        ok: false,
                        file: &name,
                        verdict: Verdict::Error,
                        error: &reason,
                    };
                    serde_json::to_writer(&mut out, &answer)?;
                    writeln!(out)?;
                }
                unreadable.push(UnreadableFile { name, reason });
                continue;
            }
        };
        arguments.launch.apply(&mut scenario);
        if arguments.launch.selects_all() {
            scenario.entry = None;
        }
        let limits = AnalysisLimits {
            max_steps: arguments.max_steps,
            seeds: arguments.seeds,
        };
        let mut report = analyze(&scenario, limits);
        if let Some(time) = arguments.schedules {
            schedules::explore(&mut report, &scenario, arguments.max_steps, time);
        }
        let file = AnalyzedFile {
            name: input.path.display().to_string(),
            report,
            scenario,
        };
        let is_failed = is_failure(&file.report, arguments.deny);
        outcome = outcome.and(match is_failed {
            true => ExitKind::Failure,
            false => ExitKind::Success,
        });
        match arguments.format {
            // The files with the worst verdicts come first, so they are printed after the analysis of all files.
            ReportFormat::Human => {}
            ReportFormat::Json => {
                let answer = JsonAnalysis {
                    ok: !is_failed,
                    file: &file.name,
                    report: &file.report,
                };
                serde_json::to_writer(&mut out, &answer)?;
                writeln!(out)?;
            }
            // SARIF is one document for all files.
            ReportFormat::Sarif => {}
        }
        analyzed.push(file);
    }
    match arguments.format {
        ReportFormat::Human => print_files(&mut out, &mut analyzed, &unreadable)?,
        ReportFormat::Json => {}
        ReportFormat::Sarif => {
            let document = sarif::document(&analyzed, &unreadable);
            serde_json::to_writer_pretty(&mut out, &document)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    if let Some(path) = &arguments.badge {
        let badge = badge::svg(match unreadable.is_empty() {
            true => worst_verdict(&analyzed),
            false => Verdict::Error,
        });
        std::fs::write(path, badge).map_err(|error| about(path, error))?;
    }
    Ok(outcome)
}

/// Loads the scenario of a file, with the source files beside it to which its line table refers.
fn load(path: &Path, compiler: &CompilerOptions) -> Result<Scenario, String> {
    let mut scenario = match is_cuda(path) {
        true => compiler.compile(path)?,
        false => run::load_shared(path)?.into_scenario(),
    };
    if scenario.sources.is_empty() {
        scenario.sources = sources_beside(path, &scenario);
    }
    Ok(scenario)
}

/// Reads the source files of a line table that are in the directory of a kernel.
fn sources_beside(path: &Path, scenario: &Scenario) -> Vec<SourceFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let Ok(session) = Session::new_without_last_writers(scenario.clone()) else {
        return Vec::new();
    };
    let files = session.line_table().files.into_iter();
    files
        .filter_map(|file| {
            let text = std::fs::read_to_string(folder.join(base_name(&file.name))).ok()?;
            let name = file.name;
            Some(SourceFile { name, text })
        })
        .collect()
}

fn is_failure(report: &AnalysisReport, denied: Option<DeniedSeverity>) -> bool {
    let limit = match denied {
        None => FindingSeverity::Error,
        Some(DeniedSeverity::Warnings) => FindingSeverity::Warning,
        Some(DeniedSeverity::Performance) => FindingSeverity::Performance,
    };
    let is_denied = report.severity().is_some_and(|severity| severity <= limit);
    let has_verdict = |verdict: Verdict| {
        let mut kernels = report.kernels.iter();
        report.verdict == verdict || kernels.any(|kernel| kernel.verdict == verdict)
    };
    let mut kernels = report.kernels.iter();
    let is_incomplete = kernels.any(|kernel| !kernel.not_covered.is_empty());
    is_denied || is_incomplete || has_verdict(Verdict::Error) || has_verdict(Verdict::Incomplete)
}

/// Returns the worst verdict of the analyzed files.
fn worst_verdict(files: &[AnalyzedFile]) -> Verdict {
    let verdicts = files.iter().map(|file| file.report.verdict);
    verdicts.max().unwrap_or(Verdict::Error)
}

/// Prints the findings of all files, and the number of files per verdict. The files with the worst verdicts and the most severe findings
/// come first.
fn print_files(
    out: &mut impl Write,
    files: &mut [AnalyzedFile],
    unreadable: &[UnreadableFile],
) -> io::Result<()> {
    files.sort_by_key(|file| {
        let severity = file.report.severity();
        (Reverse(file.report.verdict), severity.is_none(), severity)
    });
    for file in &*files {
        print_file(out, file)?;
    }
    if files.len() + unreadable.len() < 2 {
        return Ok(());
    }
    let counts = [
        Verdict::Error,
        Verdict::Findings,
        Verdict::Incomplete,
        Verdict::Clean,
    ]
    .map(|verdict| {
        let of_verdict = |file: &&AnalyzedFile| file.report.verdict == verdict;
        (files.iter().filter(of_verdict).count(), verdict.name())
    });
    let unreadable = (unreadable.len(), "unreadable");
    writeln!(
        out,
        "{}",
        file_totals(&[&[unreadable], &counts[..]].concat())
    )
}

/// Prints the findings of a file, one line per finding, with its details below.
fn print_file(out: &mut impl Write, file: &AnalyzedFile) -> io::Result<()> {
    let AnalyzedFile { name, report, .. } = file;
    writeln!(out, "{name}: {}", report.verdict.name())?;
    for finding in &report.diagnostics {
        print_finding(out, file, finding)?;
    }
    for kernel in &report.kernels {
        print_kernel(out, file, kernel)?;
    }
    Ok(())
}

fn print_kernel(
    out: &mut impl Write,
    file: &AnalyzedFile,
    kernel: &KernelAnalysis,
) -> io::Result<()> {
    let steps = counted(kernel.steps, "step");
    let seeds = counted(kernel.seeds, "scheduler seed");
    writeln!(
        out,
        "  {}  {}  {}, {steps}, {seeds}: {}",
        kernel.kernel,
        kernel.launch,
        kernel.target,
        kernel.verdict.name()
    )?;
    for line in &kernel.inferred {
        writeln!(out, "    inferred: {line}")?;
    }
    if let Some(schedules) = &kernel.schedules {
        writeln!(out, "    schedules: {}", schedules.summary())?;
    }
    for reason in &kernel.not_covered {
        writeln!(out, "    not covered: {reason}")?;
    }
    for finding in &kernel.findings {
        print_finding(out, file, finding)?;
    }
    Ok(())
}

/// Maximum number of details that the human-readable output shows per finding.
const MAX_DETAILS: usize = 4;

fn print_finding(out: &mut impl Write, file: &AnalyzedFile, finding: &Finding) -> io::Result<()> {
    let severity = finding.severity.name();
    let kind = match &finding.code {
        Some(code) => code.as_str(),
        None => finding.kind.name(),
    };
    write!(out, "    {severity}: {kind}")?;
    if let Some(position) = finding.source.first() {
        write!(out, " at {}", position.short())?;
    }
    let lines: Vec<String> = finding.lines.iter().map(u32::to_string).collect();
    match lines.as_slice() {
        [] => {}
        [line] => write!(out, " (line {line})")?,
        lines => write!(out, " (lines {})", lines.join(", "))?,
    }
    write!(out, ": {}", finding.message)?;
    if finding.depends_on_inferred_launch && finding.is_error_or_warning() {
        write!(out, " [depends on the inferred launch]")?;
    }
    writeln!(out)?;
    if let Some((position, text)) = source_line(&file.scenario, finding) {
        writeln!(out, "      {} | {}", position.line, text.trim())?;
    }
    for detail in finding.details.iter().take(MAX_DETAILS) {
        writeln!(out, "      {detail}")?;
    }
    if finding.details.len() > MAX_DETAILS {
        let n_more = finding.details.len() - MAX_DETAILS;
        writeln!(out, "      … and {n_more} more (`--format json` lists all)")?;
    }
    if let Some(fix) = &finding.fix {
        let edits = fix.edits.iter();
        let texts: Vec<String> = edits
            .map(|edit| format!("line {}: `{}`", edit.line, edit.text.trim()))
            .collect();
        writeln!(out, "      fix: {} ({})", fix.title, texts.join("; "))?;
    }
    Ok(())
}

/// Returns the source line of a finding, if its file is available.
fn source_line<'a>(
    scenario: &'a Scenario,
    finding: &'a Finding,
) -> Option<(&'a SourcePosition, &'a str)> {
    let position = finding.source.first()?;
    let text = source_text(scenario, &position.file)?;
    let line = text.lines().nth(position.line as usize - 1)?;
    Some((position, line))
}
