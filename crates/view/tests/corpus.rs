//! Kernels that real compilers made leave exactly the memory that a GPU leaves.

mod common;

use common::{entries, keeps_promise};
use serde::Deserialize;
use std::fs;
use std::path::Path;
use warpgrid_view::{Scenario, Session};

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
    let mut session = Session::untracked(scenario)
        .map_err(|error| format!("{} {}", error.code, error.message))?;
    keeps_promise(&mut session, MAX_STEPS)
}

#[test]
fn every_case_is_bit_exact_with_all_its_variants() {
    let mut folders = entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"));
    folders.retain(|folder| folder.join("case.json").exists());
    assert!(folders.len() >= 52, "found {} cases", folders.len());
    let wrong: Vec<String> = folders.iter().flat_map(|folder| run_case(folder)).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
