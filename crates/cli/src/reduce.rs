//! `warpgrid reduce`: reduces a PTX source to a minimal source with the same finding.

mod difference;

use crate::assembler::AssemblerOptions;
use crate::compile::is_cuda;
use crate::launch::LaunchOptions;
use crate::output::{JsonReport, about, is_same_file, print_json, report_error, stdout};
use crate::{ExitKind, OutputFormat, run};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use warpgrid_view::analysis::findings::{AnalysisLimits, DEFAULT_SEEDS, Finding, FindingKind};
use warpgrid_view::analysis::reduction::{ReducedSource, ReductionProgress, reduce_finding};
use warpgrid_view::counted;

/// Arguments of `reduce`.
#[derive(Debug, Args)]
pub(crate) struct ReduceArguments {
    /// A PTX file with `//@` annotations, a case.json, or a scenario JSON file that contains its source.
    #[arg(value_name = "FILE.ptx|SCENARIO.json")]
    file: PathBuf,
    /// Finding that the reduced source must still have.
    #[arg(long = "while", value_enum, value_name = "FINDING")]
    finding: PreservedFinding,
    /// Write the reduced source to this file instead of standard output. The file contains the shortest source so far if the command is
    /// interrupted.
    #[arg(short, long, value_name = "FILE.ptx")]
    output: Option<PathBuf>,
    /// Stop after this number of seconds, and write the shortest source so far.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    max_seconds: u64,
    /// Stop each run after this many steps (warp-instructions).
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    max_steps: u64,
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    #[command(flatten)]
    launch: LaunchOptions,
    #[command(flatten, next_help_heading = "Options of `--while differs`")]
    difference: DifferenceOptions,
}

/// Options of the assembler whose code differs from the PTX.
#[derive(Debug, Args)]
struct DifferenceOptions {
    #[command(flatten)]
    assembler: AssemblerOptions,
    /// Optimization level of the assembler.
    #[arg(short = 'O', long, value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    level: u8,
    /// Target of the code; the target of the source by default.
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// Write the listing of the reduced source to this file.
    #[arg(long, value_name = "FILE.sass")]
    listing: Option<PathBuf>,
}

/// Finding that a reduction preserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PreservedFinding {
    /// A data race.
    Races,
    /// A hang.
    Hangs,
    /// A fault, such as an out-of-bounds access.
    Faults,
    /// A read of uninitialized memory or of a register without a value.
    Uninitialized,
    /// A final memory that depends on the scheduler seed.
    Schedules,
    /// A bank conflict.
    Conflicts,
    /// An uncoalesced access to global memory.
    Uncoalesced,
    /// A difference from an `//@ expect` annotation.
    WrongResult,
    /// An error of the check, with the same code.
    Rejected,
    /// A difference between the results of the PTX and of the code that `ptxas` generates.
    Differs,
}

impl PreservedFinding {
    /// Returns the kind of the finding, or `None` for a difference, which the analysis of a source does not find.
    fn kind(self) -> Option<FindingKind> {
        Some(match self {
            PreservedFinding::Races => FindingKind::DataRace,
            PreservedFinding::Hangs => FindingKind::Hang,
            PreservedFinding::Faults => FindingKind::Fault,
            PreservedFinding::Uninitialized => FindingKind::UninitializedRead,
            PreservedFinding::Schedules => FindingKind::ScheduleDependence,
            PreservedFinding::Conflicts => FindingKind::BankConflict,
            PreservedFinding::Uncoalesced => FindingKind::UncoalescedAccess,
            PreservedFinding::WrongResult => FindingKind::WrongResult,
            PreservedFinding::Rejected => FindingKind::Diagnostic,
            PreservedFinding::Differs => return None,
        })
    }
}

/// Reduces the source of a file. Returns [`ExitKind::Failure`] if the source does not have the finding.
pub(crate) fn reduce(arguments: &ReduceArguments) -> io::Result<ExitKind> {
    let is_json = arguments.format == OutputFormat::Json;
    let loaded = match is_cuda(&arguments.file) {
        true => Err("found CUDA C++, expected PTX: compile the file to PTX first".to_owned()),
        false => run::load_shared(&arguments.file),
    };
    let mut scenario = match loaded {
        Ok(shared) => shared.into_scenario(),
        Err(reason) => {
            report_error(is_json, &reason)?;
            return Ok(ExitKind::UsageError);
        }
    };
    if let Some(path) = arguments
        .output
        .as_ref()
        .filter(|path| is_same_file(&arguments.file, path))
    {
        let reason = format!(
            "`--output {}` would overwrite the input file",
            path.display()
        );
        report_error(is_json, &reason)?;
        return Ok(ExitKind::UsageError);
    }
    arguments.launch.apply(&mut scenario);
    let limits = AnalysisLimits {
        max_steps: arguments.max_steps,
        seeds: match arguments.finding {
            PreservedFinding::Schedules => DEFAULT_SEEDS,
            _ => 1,
        },
    };
    let mut display = ProgressDisplay::new(arguments);
    let reduced = match arguments.finding.kind() {
        Some(kind) => reduce_finding(&scenario, kind, limits, &mut |progress| {
            display.update(progress)
        })
        .map(|report| Reduction {
            message: report.finding.message.clone(),
            source: report.reduced,
            finding: Some(report.finding),
        })
        .map_err(|error| error.message),
        None => difference::reduce(&arguments.difference, &scenario, limits, &mut |progress| {
            display.update(progress)
        }),
    };
    display.finish()?;
    let report = match reduced {
        Ok(report) => report,
        Err(message) => {
            report_error(is_json, &message)?;
            return Ok(ExitKind::Failure);
        }
    };
    if let Some(path) = &arguments.output {
        write_source(path, &report.source.source)?;
    }
    print(arguments, &report, display.is_stopped)?;
    Ok(ExitKind::Success)
}

/// Result of a reduction.
#[derive(Debug, Serialize)]
struct Reduction {
    #[serde(flatten)]
    source: ReducedSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<Finding>,
    /// Description of the preserved finding.
    message: String,
}

fn print(arguments: &ReduceArguments, report: &Reduction, is_stopped: bool) -> io::Result<()> {
    if arguments.format == OutputFormat::Json {
        return print_json(&JsonReport { ok: true, report });
    }
    let mut out = stdout();
    if arguments.output.is_none() {
        write!(out, "{}", report.source.source)?;
    }
    out.flush()?;
    let stopped = match is_stopped {
        true => "; the time limit was reached, so that a shorter source may exist",
        false => "",
    };
    eprintln!(
        "{} -> {} ({} analyzed): {}{stopped}",
        counted(report.source.statements_before, "statement"),
        report.source.statements_after,
        counted(report.source.attempts, "source"),
        report.message
    );
    Ok(())
}

fn write_source(path: &Path, source: &str) -> io::Result<()> {
    std::fs::write(path, source).map_err(|error| about(path, error))
}

/// Interval between two updates of the progress on the terminal.
const UPDATE_INTERVAL: Duration = Duration::from_millis(200);

/// Display of the progress on standard error. The display also writes the shortest source so far to the output file.
struct ProgressDisplay<'a> {
    output: Option<&'a Path>,
    is_terminal: bool,
    start: Instant,
    limit: Duration,
    last_update: Option<Instant>,
    /// Length of the source that the output file contains.
    written: usize,
    error: Option<io::Error>,
    is_stopped: bool,
}

impl<'a> ProgressDisplay<'a> {
    fn new(arguments: &'a ReduceArguments) -> ProgressDisplay<'a> {
        ProgressDisplay {
            output: arguments.output.as_deref(),
            is_terminal: io::stderr().is_terminal(),
            start: Instant::now(),
            limit: Duration::from_secs(arguments.max_seconds),
            last_update: None,
            written: usize::MAX,
            error: None,
            is_stopped: false,
        }
    }

    /// Displays the progress. Returns false if the time limit is reached or the output file cannot be written.
    fn update(&mut self, progress: ReductionProgress<'_>) -> bool {
        if let Some(path) = self.output
            && progress.source.len() < self.written
        {
            self.written = progress.source.len();
            if let Err(error) = write_source(path, progress.source) {
                self.error = Some(error);
            }
        }
        let is_due = self
            .last_update
            .is_none_or(|last| last.elapsed() >= UPDATE_INTERVAL);
        if self.is_terminal && is_due {
            self.last_update = Some(Instant::now());
            let statements = counted(progress.statements, "statement");
            let attempts = counted(progress.attempts, "source");
            eprint!("\r{statements} left, {attempts} analyzed\x1b[K");
        }
        self.is_stopped |= self.start.elapsed() >= self.limit;
        self.error.is_none() && !self.is_stopped
    }

    /// Clears the progress, and returns the error of the output file.
    fn finish(&mut self) -> io::Result<()> {
        if self.last_update.is_some() {
            eprint!("\r\x1b[K");
        }
        self.error.take().map_or(Ok(()), Err)
    }
}
