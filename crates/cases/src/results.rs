//! Actual results of a case.

use crate::Kind;
use crate::expectations::{CaseText, Results, register_name};
use std::collections::BTreeSet;
use warpgrid_view::analysis::schedules::{ScheduleOptions, ScheduleVerdict};
use warpgrid_view::api::ReportRequest;
use warpgrid_view::diagnostics::NO_RESULT;
use warpgrid_view::layouts::inspector::cure;
use warpgrid_view::memory_model::concurrency::{RaceAccess, RaceConfidence, RaceView, RepairOp};
use warpgrid_view::{CheckOptions, Scenario, Session, SourceLanguage, check};

/// Step limit of a run.
const MAX_STEPS: u64 = 1_000_000;
/// Scheduler seeds of race detection.
const SEEDS: u64 = 4;
/// Code of the note about the declarations that a snippet lacks.
const INFERRED_DECLARATIONS: &str = "W0140";

/// Checks and runs a case.
///
/// # Errors
///
/// If the launch is invalid, or if the final memory differs from the `expect` annotations.
pub(crate) fn of_case(case: &CaseText) -> Result<Results, String> {
    let mut results = Results::default();
    let report = check(&case.source, &CheckOptions::default());
    let diagnostics = report.diagnostics.iter();
    for found in diagnostics.filter(|found| found.code != INFERRED_DECLARATIONS) {
        let end = match found.end_line == found.line {
            true => found.end_column.to_string(),
            false => format!("{}:{}", found.end_line, found.end_column),
        };
        let text = format!(
            "{}[{}] {}..{end}: {}",
            found.severity.name(),
            found.code,
            found.column,
            found.message
        );
        results
            .diagnostics
            .entry(found.line)
            .or_default()
            .push(text);
    }
    if !report.accept {
        return Ok(results);
    }
    for kind in &case.kinds {
        results.annotations.extend(match kind {
            Kind::Check => Vec::new(),
            Kind::Run => run(case)?,
            Kind::Race => races(case)?,
            Kind::Hang => {
                let mut session = session(case, 0)?;
                session.run(MAX_STEPS);
                end(&mut session).into_iter().collect()
            }
            Kind::Schedules => schedules(case)?,
            Kind::Conflict => conflicts(case)?,
            Kind::Layout => {
                let mut session = session(case, 0)?;
                session.run(MAX_STEPS);
                let layouts = session.layouts();
                let layouts = layouts.iter();
                layouts
                    .map(|found| {
                        format!(
                            "layout line {}: {}: {}",
                            found.line, found.opcode, found.text
                        )
                    })
                    .collect()
            }
        });
    }
    Ok(results)
}

/// Returns the verdict about all schedules.
fn schedules(case: &CaseText) -> Result<Vec<String>, String> {
    let session = session(case, 0)?;
    let report = session
        .schedules(ScheduleOptions::default())
        .map_err(|failure| failure.to_string())?;
    if report.verdict != ScheduleVerdict::Witness {
        let reasons = report.not_covered.iter();
        let reasons = reasons.map(|reason| format!("schedules incomplete: {reason}"));
        return Ok(match report.verdict {
            ScheduleVerdict::Clean => vec![format!(
                "schedules {}, classes: {}",
                report.verdict.text(),
                report.executions
            )],
            ScheduleVerdict::Witness | ScheduleVerdict::Incomplete => reasons.collect(),
        });
    }
    Ok(vec![format!("schedules {}", report.summary())])
}

fn scenario(case: &CaseText) -> Scenario {
    Scenario {
        source: case.source.clone(),
        front: SourceLanguage::of_source(&case.source),
        ..Scenario::default()
    }
}

fn session(case: &CaseText, seed: u64) -> Result<Session, String> {
    let scenario = Scenario {
        seed: Some(seed),
        ..scenario(case)
    };
    Session::new_without_last_writers(scenario).map_err(|failure| failure.to_string())
}

fn run(case: &CaseText) -> Result<Vec<String>, String> {
    let mut session = Session::new(scenario(case)).map_err(|failure| failure.to_string())?;
    let report = session.report(&ReportRequest {
        max_steps: MAX_STEPS,
        ..ReportRequest::default()
    });
    let mut annotations = Vec::new();
    match report.fault {
        Some(fault) => annotations.push(format!("fault {}", fault.message)),
        None if !report.ok => return Err(report.differences.join("\n")),
        None => {}
    }
    let notes = report
        .notes
        .iter()
        .filter(|note| !note.starts_with("inferred: ") && !report.differences.contains(note));
    annotations.extend(notes.map(|note| format!("note {note}")));
    let registers: Vec<String> = report.registers.iter().map(ToString::to_string).collect();
    for name in &case.registers {
        let value = registers
            .iter()
            .find(|register| register_name(register) == Some(name));
        annotations.extend(value.map(|register| format!("final {register}")));
    }
    Ok(annotations)
}

/// Returns the races, fixes and notes of runs with several seeds, each once, and how the runs end.
fn races(case: &CaseText) -> Result<Vec<String>, String> {
    let mut annotations = BTreeSet::new();
    for seed in 0..SEEDS {
        let mut session = session(case, seed)?;
        let report = session.run_for_races(MAX_STEPS);
        for race in &report.races {
            annotations.insert(format!(
                "race {}, {}, {}: {}",
                certainty(race.confidence),
                position(&race.first),
                position(&race.second),
                race.message
            ));
            if !race.repair.is_empty() {
                annotations.insert(format!("fix {}", fix(race)));
            }
        }
        annotations.extend(report.notes.iter().map(|note| format!("note {note}")));
        annotations.extend(end(&mut session));
    }
    Ok(annotations.into_iter().collect())
}

fn position(access: &RaceAccess) -> String {
    match (access.line, &access.description) {
        (Some(line), _) => format!("line {line}"),
        (None, what) => what.clone().unwrap_or_default(),
    }
}

fn certainty(sure: RaceConfidence) -> &'static str {
    match sure {
        RaceConfidence::Certain => "certain",
        RaceConfidence::ModelOnly => "by the axioms",
        RaceConfidence::OutsideModel => "documented",
    }
}

fn operation(op: RepairOp) -> &'static str {
    match op {
        RepairOp::InsertBefore => "insert before",
        RepairOp::InsertAfter => "insert after",
        RepairOp::Replace => "replace",
        RepairOp::Delete => "delete",
    }
}

fn fix(race: &RaceView) -> String {
    let edits = race.repair.iter().map(|edit| {
        let text: Vec<&str> = edit.text.lines().map(str::trim).collect();
        format!(
            "{} line {}: {}",
            operation(edit.op),
            edit.line,
            text.join(" ")
        )
    });
    edits.collect::<Vec<_>>().join(", and ")
}

/// Returns the hang or the fault that ends a run.
fn end(session: &mut Session) -> Option<String> {
    match (session.hang(), session.fault()) {
        (Some(hang), _) => Some(format!("hang {}", hang.message)),
        (None, Some(fault)) => Some(format!("fault {}", fault.message)),
        (None, None) => None,
    }
}

fn conflicts(case: &CaseText) -> Result<Vec<String>, String> {
    let mut session = session(case, 0)?;
    session.run(MAX_STEPS);
    let report = session.conflicts();
    let mut annotations: Vec<String> = Vec::new();
    for access in &report.accesses {
        annotations.push(format!(
            "conflict line {}: {} of `{}`: {} wavefronts, {} ideal",
            access.line, access.opcode, access.buffer, access.wavefronts, access.ideal
        ));
    }
    for access in &report.sectors {
        annotations.push(format!(
            "sectors line {}: {} of `{}`: {} sectors, {} ideal: {}",
            access.line, access.opcode, access.buffer, access.sectors, access.ideal, access.text
        ));
    }
    match cure(&scenario(case), MAX_STEPS) {
        Ok(fixed) => annotations.push(format!(
            "fix {}: {} conflicts, then {}",
            fixed.changes.join(", "),
            fixed.before,
            fixed.after
        )),
        Err(failure) if failure.code == NO_RESULT => {}
        Err(failure) => return Err(failure.to_string()),
    }
    Ok(annotations)
}
