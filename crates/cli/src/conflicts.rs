//! `warpgrid conflicts`: reports the conflicting lanes of shared memory accesses with proposed fixes, and writes a rewritten source without
//! bank conflicts.

use crate::launch::{LaunchOptions, kernels_text, write_guesses};
use crate::output::{JsonReport, about, is_same_file, print_json, report_error, stdout};
use crate::run;
use crate::{ExitKind, OutputFormat};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use warpgrid_view::api;
use warpgrid_view::diagnostics::NO_RESULT;
use warpgrid_view::layouts::inspector;
use warpgrid_view::layouts::inspector::{BankConflictFix, ConflictReport};
use warpgrid_view::{Scenario, Session};

/// Arguments of `conflicts`.
#[derive(Debug, Args)]
pub(crate) struct ConflictsArguments {
    /// A case.json, a scenario JSON file that contains its source, or a PTX file with `//@` annotations.
    #[arg(value_name = "SCENARIO.json|FILE.ptx")]
    file: PathBuf,
    /// Write a rewritten kernel without bank conflicts to this file, if the rewritten kernel produces identical results.
    #[arg(long = "rewrite", alias = "cure", value_name = "FILE.ptx")]
    cure: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Stop after this many steps (warp-instructions).
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    max_steps: u64,
    #[command(flatten)]
    launch: LaunchOptions,
    /// Exit with 1 if any access has a bank conflict.
    #[arg(long)]
    deny: bool,
}

/// Explains the bank conflicts of a launch, and rewrites the source if requested.
pub(crate) fn conflicts(arguments: &ConflictsArguments) -> io::Result<ExitKind> {
    let is_json = arguments.format == OutputFormat::Json;
    let mut scenario = match run::load_shared(&arguments.file) {
        Ok(shared) => shared.into_scenario(),
        Err(reason) => {
            report_error(is_json, &reason)?;
            return Ok(ExitKind::UsageError);
        }
    };
    arguments.launch.apply(&mut scenario);
    let name = arguments.file.display().to_string();
    if let Some(path) = &arguments.cure {
        if is_same_file(&arguments.file, path) {
            let reason = format!(
                "`--rewrite {}` would overwrite the input file {}",
                path.display(),
                arguments.file.display()
            );
            report_error(is_json, &reason)?;
            return Ok(ExitKind::UsageError);
        }
        return cure(arguments, &name, &scenario, path);
    }
    let mut outcome = ExitKind::Success;
    for scenario in run::scenarios_of_kernels(&arguments.launch, scenario) {
        outcome = outcome.and(conflicts_of_kernel(arguments, &name, scenario)?);
    }
    Ok(outcome)
}

/// JSON report on the bank conflicts of a launch, with the inferred part of the launch configuration.
#[derive(Serialize)]
struct Answered<'a> {
    /// Whether the command succeeded. The value is `false` if bank conflicts are denied and the report contains a bank conflict.
    ok: bool,
    #[serde(flatten)]
    report: &'a ConflictReport,
    kernel: &'a str,
    kernels: Vec<String>,
    /// Inferred part of the launch configuration as annotations. The bank conflicts depend on the launch configuration.
    guesses: &'a [String],
}

fn conflicts_of_kernel(
    arguments: &ConflictsArguments,
    name: &str,
    scenario: Scenario,
) -> io::Result<ExitKind> {
    let source = scenario.source.clone();
    let mut session = match Session::new_without_last_writers(scenario) {
        Ok(session) => session,
        Err(error) => return run::report_failure(arguments.format, name, &source, &error),
    };
    session.run_counted(arguments.max_steps);
    let report = session.conflicts();
    let kernels = session.kernels();
    let ran = session.scenario().entry.as_deref().unwrap_or_default();
    let is_denied = arguments.deny && report.accesses.iter().any(|access| access.conflicts > 0);
    let mut out = stdout();
    match arguments.format {
        OutputFormat::Json => {
            let answered = Answered {
                ok: !is_denied,
                report: &report,
                kernel: ran,
                kernels,
                guesses: session.inferred_annotations(),
            };
            serde_json::to_writer(&mut out, &answered)?;
            writeln!(out)?;
        }
        OutputFormat::Human => {
            if let Some(message) = session.step_limit_message() {
                writeln!(out, "{message}")?;
            }
            match arguments.launch.selects_all() {
                true => writeln!(out, "kernel `{ran}`")?,
                false => {
                    if let Some(text) = kernels_text(ran, &kernels) {
                        writeln!(out, "{text}")?;
                    }
                }
            }
            out.write_all(inspector::conflicts_text(&report).as_bytes())?;
            write_guesses(&mut out, session.inferred_annotations())?;
        }
    }
    out.flush()?;
    Ok(if is_denied {
        ExitKind::Failure
    } else {
        ExitKind::Success
    })
}

fn cure(
    arguments: &ConflictsArguments,
    name: &str,
    scenario: &Scenario,
    path: &Path,
) -> io::Result<ExitKind> {
    let cured = match api::fix_bank_conflicts(scenario, arguments.max_steps) {
        Ok(cured) => cured,
        // If no rewrite exists, the reason is reported as a message about the file, and not as an error in the source.
        Err(failure) if failure.code == NO_RESULT => {
            let is_json = arguments.format == OutputFormat::Json;
            report_error(is_json, &format!("{name}: {failure}"))?;
            return Ok(ExitKind::Failure);
        }
        Err(failure) => {
            return run::report_failure(arguments.format, name, &scenario.source, &failure);
        }
    };
    std::fs::write(path, &cured.source).map_err(|error| about(path, error))?;
    match arguments.format {
        OutputFormat::Json => print_json(&JsonReport {
            ok: true,
            report: &cured,
        })?,
        OutputFormat::Human => print(&mut stdout(), &cured, path)?,
    }
    Ok(ExitKind::Success)
}

fn print(out: &mut impl Write, cured: &BankConflictFix, path: &Path) -> io::Result<()> {
    for change in &cured.changes {
        writeln!(out, "{change}")?;
    }
    writeln!(
        out,
        "bank conflicts: {} before, {} after",
        cured.before, cured.after
    )?;
    match cured.same.is_empty() {
        true => writeln!(out, "accepted")?,
        false => writeln!(
            out,
            "the checker accepts the rewritten kernel, and the contents of {} are identical",
            cured.same.join(", ")
        )?,
    }
    writeln!(out, "written to {}", path.display())
}
