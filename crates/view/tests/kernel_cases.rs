//! Kernels in `cases/`, one test per file: a file is discovered by its presence.
//!
//! `// error[W0110]: part of the message` at the end of a line states a diagnostic of that line; there are no others. A
//! text without errors runs and meets its `//@ expect` lines. A line `// note: part of the note` states a note of the run;
//! the run has no other notes. A line `// fault: part of the message` states the fault that stops it, and a line
//! `// register: %r1: b32 = 5` a register that a snippet leaves.

use crate::common::entries;
use std::path::{Path, PathBuf};
use warpgrid_view::api::ReportRequest;
use warpgrid_view::check;
use warpgrid_view::model::DiagnosticView;
use warpgrid_view::{CheckOptions, Front, Scenario, Session};

const MAX_STEPS: u64 = 1_000_000;
/// The note on declarations that a snippet lacks.
const INFERRED: &str = "W0140";

/// All files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// A diagnostic that a line states: `error[W0110]`, and a part of its message.
#[derive(Debug)]
struct Stated<'t> {
    line: u32,
    code: &'t str,
    message: &'t str,
}

fn stated_diagnostics(source: &str) -> Vec<Stated<'_>> {
    let lines = source.lines().zip(1..);
    let stated = lines.filter_map(|(text, line)| {
        let (_, comment) = text.split_once("// ")?;
        let (code, message) = comment.split_once(": ")?;
        let is_code = code.ends_with(']') && code.contains("[W");
        is_code.then_some(Stated {
            line,
            code,
            message,
        })
    });
    stated.collect()
}

/// Why a file does not hold.
fn failure(source: &str) -> Result<(), String> {
    let stated = stated_diagnostics(source);
    let checked = check(source, &CheckOptions::default());
    let mut missing: Vec<&Stated<'_>> = stated.iter().collect();
    let is_inference = |found: &&DiagnosticView| found.code == INFERRED;
    for found in checked
        .diagnostics
        .iter()
        .filter(|found| !is_inference(found))
    {
        let code = format!("{}[{}]", found.severity.name(), found.code);
        let is_found = |stated: &&Stated<'_>| {
            stated.line == found.line
                && stated.code == code
                && found.message.contains(stated.message)
        };
        let Some(at) = missing.iter().position(is_found) else {
            return Err(format!("line {}: {code}: {}", found.line, found.message));
        };
        missing.remove(at);
    }
    if let Some(missing) = missing.first() {
        return Err(format!("not found: {missing:?}"));
    }
    if !checked.accept {
        return Ok(());
    }
    let scenario = Scenario {
        source: source.to_owned(),
        front: Front::of_source(source),
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).map_err(|failure| format!("{failure:?}"))?;
    let report = session.report(&ReportRequest {
        max_steps: MAX_STEPS,
        ..ReportRequest::default()
    });
    let lines = |prefix: &'static str| {
        source
            .lines()
            .filter_map(move |line| line.strip_prefix(prefix))
    };
    let fault = report.fault.map(|fault| fault.message);
    let is_as_stated = match (lines("// fault: ").next(), &fault) {
        (Some(part), Some(message)) => message.contains(part),
        (None, None) => report.ok,
        _ => false,
    };
    if !is_as_stated {
        return Err(format!("{fault:?} {:?}", report.differences));
    }
    let registers: Vec<String> = report.registers.iter().map(ToString::to_string).collect();
    if let Some(stated) =
        lines("// register: ").find(|stated| !registers.iter().any(|own| own == stated))
    {
        return Err(format!("not found: {stated} among {registers:?}"));
    }
    let stated: Vec<&str> = lines("// note: ").collect();
    let mut notes = report.notes;
    notes.retain(|note| !note.starts_with("inferred: ") && !report.differences.contains(note));
    let is_stated = |note: &String| stated.iter().any(|part| note.contains(part));
    match notes.len() == stated.len() && notes.iter().all(is_stated) {
        true => Ok(()),
        false => Err(format!("notes {notes:?}, stated {stated:?}")),
    }
}

#[test]
fn each_file_gives_its_diagnostics_and_its_memory() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    assert!(!paths.is_empty(), "no case in {}", root.display());
    let failures: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let source = std::fs::read_to_string(path).expect("a case");
            let why = failure(&source).err()?;
            let name = path.strip_prefix(&root).unwrap_or(path).display();
            Some(format!("{name}: {why}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
