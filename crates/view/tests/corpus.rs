//! Kernels from real compilers produce exactly the memory of a GPU run.

use crate::common::{entries, keeps_promise};
use crate::folders::scenarios_of;
use expect_test::expect_file;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use warpgrid_view::{Scenario, Session};

/// Step limit far above the length of any case, which detects hangs.
const MAX_STEPS: u64 = 50_000_000;

/// Number of steps whose stores are part of a trace.
const TRACED_STEPS: u64 = 1_000;

/// Returns the cases of the project.
fn cases() -> Vec<PathBuf> {
    let mut folders = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"));
    folders.retain(|folder| folder.join("case.json").exists());
    assert!(folders.len() >= 52, "found {} cases", folders.len());
    folders
}

fn run(scenario: Scenario) -> Result<(), String> {
    let mut session = open(scenario)?;
    keeps_promise(&mut session, MAX_STEPS)
}

fn open(scenario: Scenario) -> Result<Session, String> {
    Session::new_without_last_writers(scenario)
        .map_err(|error| format!("{} {}", error.code, error.message))
}

/// Returns the number of steps of a run, and a digest of the stores of its first steps: `12 st.global.u32 [%rd4], %r1; 0 1 2 3`.
fn trace(scenario: Scenario) -> Result<String, String> {
    let mut session = open(scenario)?;
    session.run(MAX_STEPS);
    let mut digest = Sha256::new();
    for store in session.events(0, TRACED_STEPS) {
        let values: Vec<&str> = store.lanes.iter().map(|lane| lane.value.as_str()).collect();
        let (step, instruction) = (store.step, &store.instruction);
        digest.update(format!("{step} {instruction} {}\n", values.join(" ")));
    }
    Ok(format!("{} {:x}", session.position(), digest.finalize()))
}

#[test]
fn corpus_cases_and_variants_are_bit_exact() {
    let scenarios = cases().into_iter().flat_map(|folder| scenarios_of(&folder));
    let wrong: Vec<String> = scenarios
        .filter_map(|(name, scenario)| Some(format!("{name}: {}", run(scenario).err()?)))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// `crates/wasm/npm/corpus.mjs` compares its runs with the same file.
#[test]
fn corpus_traces_match_snapshot_shared_with_wasm() {
    let scenarios = cases().into_iter().flat_map(|folder| scenarios_of(&folder));
    let traces: Vec<String> = scenarios
        .map(|(name, scenario)| {
            let found = trace(scenario).unwrap_or_else(|reason| panic!("{name}: {reason}"));
            format!("  {name:?}: {found:?}")
        })
        .collect();
    expect_file!["./corpus/traces.json"].assert_eq(&format!("{{\n{}\n}}\n", traces.join(",\n")));
}
