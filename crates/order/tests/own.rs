//! Kernels of this project with races or hangs. `data/own.txt` contains the reports for four seeds; `UPDATE_EXPECT=1` updates this file.

use crate::kernels::MAX_STEPS;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use warpgrid_view::memory_model::concurrency::RaceView;
use warpgrid_view::{Scenario, Session};

const SEEDS: u64 = 4;

fn repair_of(race: &RaceView) -> String {
    let edits = race.repair.iter().map(|edit| {
        let text: Vec<&str> = edit.text.lines().map(str::trim).collect();
        format!("{:?} {}: {}", edit.op, edit.line, text.join(" "))
    });
    edits.collect::<Vec<_>>().join(" and ")
}

/// What is said of a kernel, each sentence once.
fn said(source: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for seed in 0..SEEDS {
        let scenario = json!({ "source": source, "seed": seed });
        let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
        let mut session = Session::untracked(scenario).expect("a kernel that runs");
        let report = session.run_for_races(MAX_STEPS);
        for race in &report.races {
            all.insert(format!("race, {:?}: {}", race.sure, race.message));
            if !race.repair.is_empty() {
                all.insert(format!("race, repair: {}", repair_of(race)));
            }
        }
        all.extend(report.notes.iter().map(|note| format!("note: {note}")));
        match (session.hang(), session.fault()) {
            (Some(hang), _) => all.insert(format!("hang: {}", hang.message)),
            (None, Some(fault)) => all.insert(format!("fault: {}", fault.message)),
            (None, None) => all.insert("ends".to_owned()),
        };
    }
    all
}

#[test]
fn what_is_said_of_kernels_of_this_project() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/own");
    let entries = std::fs::read_dir(&folder).expect("the folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let mut text = String::new();
    for path in paths {
        let source = std::fs::read_to_string(&path).expect("a kernel");
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(text, "{name}");
        for sentence in said(&source) {
            let _ = writeln!(text, "    {sentence}");
        }
    }
    expect_test::expect_file!["data/own.txt"].assert_eq(&text);
}
