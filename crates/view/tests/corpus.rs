//! Kernels that real compilers made leave exactly the memory that a GPU leaves.

use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use warpgrid_view::expect::{compare, compare_fault};
use warpgrid_view::{MemoryId, Scenario, Session};

/// Far more than any case needs; a case that gets here is stuck.
const MAX_STEPS: u64 = 50_000_000;

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    variants: Vec<Variant>,
}

#[derive(Deserialize)]
struct Variant {
    file: String,
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).expect("the corpus lies beside the test");
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("case.json").exists())
        .collect();
    folders.sort();
    folders
}

/// What is wrong with a case, one line a variant; empty when all is well.
fn run_case(folder: &Path) -> Vec<String> {
    let json = fs::read_to_string(folder.join("case.json")).expect("case.json");
    let scenario: Scenario = serde_json::from_str(&json).expect("a scenario");
    let case: Case = serde_json::from_str(&json).expect("a case");
    let files = std::iter::once("kernel.ptx".to_owned())
        .chain(case.variants.into_iter().map(|variant| variant.file));
    files
        .filter_map(|file| {
            let source = fs::read_to_string(folder.join(&file)).expect("a PTX file");
            let name = format!(
                "{}/{file}",
                folder.file_name().unwrap_or_default().to_string_lossy()
            );
            run(Scenario {
                source,
                ptx_version: None,
                ..scenario.clone()
            })
            .err()
            .map(|why| format!("{name}: {why}"))
        })
        .collect()
}

fn run(scenario: Scenario) -> Result<(), String> {
    let expected_fault = scenario.fault.clone();
    let mut session = Session::untracked(scenario)
        .map_err(|error| format!("{} {}", error.code, error.message))?;
    if !session.run(MAX_STEPS) {
        return Err(format!("not over after {MAX_STEPS} steps"));
    }
    if let Some(why) = compare_fault(expected_fault.as_ref(), session.fault().as_ref()) {
        return Err(why);
    }
    for buffer in session.buffers() {
        let bytes = session
            .memory(&MemoryId::Buffer(buffer.name.clone()))
            .ok_or("a buffer is gone")?;
        if let Some(m) = compare(&buffer, bytes)? {
            return Err(format!(
                "{}[{}]: found {}, expected {} ({} differ)",
                m.buffer, m.index, m.found, m.expected, m.n_wrong
            ));
        }
    }
    Ok(())
}

#[test]
fn every_case_is_bit_exact_with_all_its_variants() {
    let folders = folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"));
    assert!(folders.len() >= 52, "found {} cases", folders.len());
    let wrong: Vec<String> = folders.iter().flat_map(|folder| run_case(folder)).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
