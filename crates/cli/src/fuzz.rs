//! `warpgrid fuzz`: searches miscompiles of an assembler with random kernels, and writes a report with a minimal kernel for each of them.

mod report;

use crate::assembler::AssemblerOptions;
use crate::output::{JsonReport, print_json, report_error, stdout};
use crate::{ExitKind, OutputFormat};
use clap::Args;
use report::{BugReport, FuzzReport, write_bug, write_summary};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use warpgrid_differential::KnownMiscompiles;
use warpgrid_differential::assemble::{AssemblerTools, DEFAULT_PTX_VERSION, Form, Version};
use warpgrid_differential::batch::{BatchOptions, TARGETS};
use warpgrid_differential::fuzz::{FoundBug, FuzzCounts, FuzzObserver, FuzzOptions, search};
use warpgrid_differential::threads::{available, lock};
use warpgrid_view::counted;

/// Arguments of `fuzz`.
#[derive(Debug, Args)]
pub(crate) struct FuzzArguments {
    #[command(flatten)]
    assembler: AssemblerOptions,
    /// Also assemble each minimal kernel with this assembler. The report names the releases and optimization levels that are right. The
    /// option is repeatable.
    #[arg(long, value_name = "PATH")]
    also: Vec<PathBuf>,
    /// Target of the kernels, such as `sm_90`. The option is repeatable. By default, all targets that the assembler supports are used.
    #[arg(long = "target", value_name = "TARGET")]
    targets: Vec<String>,
    /// Seed of the kernels. The same seed generates the same kernels.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write one directory per bug, and a summary, to this directory.
    #[arg(long, value_name = "DIR", default_value = "warpgrid-fuzz")]
    out: PathBuf,
    /// Number of kernels. By default, the search runs until Ctrl-C.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "time")]
    kernels: Option<u32>,
    /// Stop after this number of seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
    /// Number of threads; all cores by default.
    #[arg(long, value_name = "N", default_value_t = available())]
    jobs: usize,
    /// Exclude the instructions that `ptxas` is known to miscompile, so that the search reports only unknown bugs.
    #[arg(long)]
    exclude_known: bool,
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Runs a search. Returns [`ExitKind::Failure`] if the search has found a bug.
pub(crate) fn fuzz(arguments: &FuzzArguments) -> io::Result<ExitKind> {
    let is_json = arguments.format == OutputFormat::Json;
    let outcome = Preparation::of(arguments).and_then(|preparation| preparation.run(arguments));
    match outcome {
        Ok(kind) => Ok(kind),
        Err(reason) => {
            report_error(is_json, &reason)?;
            Ok(ExitKind::UsageError)
        }
    }
}

/// Assemblers and targets of a search.
struct Preparation {
    tools: AssemblerTools,
    also: Vec<AssemblerTools>,
    targets: Vec<String>,
    /// Newest PTX ISA version that all assemblers support.
    ptx_version: Version,
}

impl Preparation {
    fn of(arguments: &FuzzArguments) -> Result<Preparation, String> {
        let tools = arguments.assembler.find()?;
        let also = arguments.also.iter();
        let also = also.map(|path| arguments.assembler.with_assembler(path.clone()));
        let also: Vec<AssemblerTools> = also.collect::<Result<_, _>>()?;
        if is_filled(&arguments.out) {
            return Err(format!(
                "the directory `{}` is not empty: specify another directory with `--out`",
                arguments.out.display()
            ));
        }
        // Every assembler must accept the kernels.
        let all = std::iter::once(&tools).chain(&also);
        let versions = all.map(|tools| tools.ptx_version().unwrap_or(DEFAULT_PTX_VERSION));
        let ptx_version = versions.min().unwrap_or(DEFAULT_PTX_VERSION);
        let named: Vec<&str> = arguments.targets.iter().map(String::as_str).collect();
        let targets = match named.as_slice() {
            [] => TARGETS,
            named => named,
        };
        let supported = tools.supported_targets(targets, ptx_version)?;
        let is_unsupported = |target: &&&str| !supported.contains(*target);
        match named.iter().find(is_unsupported) {
            Some(target) => {
                return Err(format!(
                    "`{target}` is not a target of PTX ISA {ptx_version} that ptxas {} supports",
                    tools.release
                ));
            }
            None if supported.is_empty() => {
                return Err(format!(
                    "ptxas {} assembles no module of PTX ISA {ptx_version}",
                    tools.release
                ));
            }
            None => {}
        }
        let targets = supported.into_iter().map(str::to_owned).collect();
        Ok(Preparation {
            tools,
            also,
            targets,
            ptx_version,
        })
    }

    fn run(&self, arguments: &FuzzArguments) -> Result<ExitKind, String> {
        stop_on_interrupt()?;
        let targets: Vec<&str> = self.targets.iter().map(String::as_str).collect();
        let options = FuzzOptions {
            tools: &self.tools,
            also: &self.also,
            batches: BatchOptions {
                seed: arguments.seed,
                targets: &targets,
                ptx_version: self.ptx_version,
                // The other forms omit parts of the code that determine the results.
                forms: &[Form::Encodings],
                known: match arguments.exclude_known {
                    true => KnownMiscompiles::Excluded,
                    false => KnownMiscompiles::Included,
                },
            },
            n_kernels: arguments.kernels.map(|n| n as usize),
            n_threads: arguments.jobs,
        };
        eprintln!(
            "ptxas {}, seed {}, {}; Ctrl-C finishes the current kernels and writes the summary",
            self.tools.release,
            arguments.seed,
            self.targets.join(" ")
        );
        let display = SearchDisplay::new(arguments);
        let counts = search(&options, &display);
        let seconds = display.start.elapsed().as_secs_f64();
        let bugs = display.into_bugs();
        let report = FuzzReport::new(&self.tools, arguments.seed, seconds, counts?, bugs);
        let folder = &arguments.out;
        let failed = |error: io::Error| format!("{}: {error}", folder.display());
        write_summary(folder, &report).map_err(failed)?;
        print(arguments, &report).map_err(|error| error.to_string())?;
        Ok(match report.bugs.is_empty() {
            true => ExitKind::Success,
            false => ExitKind::Failure,
        })
    }
}

fn print(arguments: &FuzzArguments, report: &FuzzReport) -> io::Result<()> {
    if arguments.format == OutputFormat::Json {
        let ok = report.bugs.is_empty();
        return print_json(&JsonReport { ok, report });
    }
    let mut out = stdout();
    for bug in &report.bugs {
        writeln!(
            out,
            "{}: {} ({})",
            bug.folder,
            bug.cause,
            counted(bug.kernels as u64, "kernel")
        )?;
    }
    writeln!(out, "{}", report.sentence())?;
    writeln!(out, "reports: {}", arguments.out.display())?;
    out.flush()
}

fn is_filled(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Whether the user has interrupted the search once.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Exit status of a process that an interrupt ends, as shells report it.
const INTERRUPT_STATUS: i32 = 130;

/// Installs the handler of Ctrl-C. The first interrupt ends the search after the current kernels, the second one ends the process.
fn stop_on_interrupt() -> Result<(), String> {
    let handler = || {
        if IS_INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPT_STATUS);
        }
        eprintln!("\nfinishing the current kernels; press Ctrl-C again to end at once");
    };
    ctrlc::set_handler(handler).map_err(|error| format!("cannot handle Ctrl-C: {error}"))
}

/// Interval between two updates of the progress on the terminal.
const UPDATE_INTERVAL: Duration = Duration::from_millis(200);

/// Display of the progress on standard error, and writer of the reports.
struct SearchDisplay<'a> {
    folder: &'a Path,
    seed: u64,
    limit: Option<Duration>,
    start: Instant,
    is_terminal: bool,
    state: Mutex<DisplayState>,
}

#[derive(Debug, Default)]
struct DisplayState {
    last_update: Option<Instant>,
    bugs: Vec<BugReport>,
}

impl<'a> SearchDisplay<'a> {
    fn new(arguments: &'a FuzzArguments) -> SearchDisplay<'a> {
        SearchDisplay {
            folder: &arguments.out,
            seed: arguments.seed,
            limit: arguments.time.map(Duration::from_secs),
            start: Instant::now(),
            is_terminal: io::stderr().is_terminal(),
            state: Mutex::default(),
        }
    }

    fn with_state<R>(&self, change: impl FnOnce(&mut DisplayState) -> R) -> R {
        change(&mut lock(&self.state))
    }

    /// Clears the progress, and returns the reported bugs.
    fn into_bugs(self) -> Vec<BugReport> {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(std::sync::PoisonError::into_inner);
        if state.last_update.is_some() {
            eprint!("\r\x1b[K");
        }
        state.bugs
    }
}

impl FuzzObserver for SearchDisplay<'_> {
    fn is_stopped(&self) -> bool {
        let is_over = self
            .limit
            .is_some_and(|limit| self.start.elapsed() >= limit);
        is_over || IS_INTERRUPTED.load(Ordering::Relaxed)
    }

    fn progress(&self, counts: &FuzzCounts) {
        self.with_state(|state| {
            let is_due = state
                .last_update
                .is_none_or(|last| last.elapsed() >= UPDATE_INTERVAL);
            if self.is_terminal && is_due {
                state.last_update = Some(Instant::now());
                let rate = counts.n_kernels as f64 / self.start.elapsed().as_secs_f64().max(0.001);
                eprint!(
                    "\r{}, {rate:.1} per second, {}, {} with different results\x1b[K",
                    counted(counts.n_kernels as u64, "kernel"),
                    counted(state.bugs.len() as u64, "bug"),
                    counts.n_different
                );
            }
        });
    }

    fn found(&self, number: usize, bug: &FoundBug) -> Result<(), String> {
        let report = write_bug(self.folder, number, self.seed, bug)
            .map_err(|error| format!("{}: {error}", self.folder.display()))?;
        self.with_state(|state| {
            if self.is_terminal {
                eprint!("\r\x1b[K");
            }
            let seconds = self.start.elapsed().as_secs();
            eprintln!("{seconds} s: {}: {}", report.folder, report.cause);
            state.bugs.push(report);
        });
        Ok(())
    }
}
