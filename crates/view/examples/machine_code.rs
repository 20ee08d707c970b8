//! Runs the SASS listings of compiled kernels in a directory of cases, each of which has a `case.json`. Prints for each tier the number of
//! listings whose final memory is as expected. For each other listing, prints the failure.
//!
//! `cargo run --release -p warpgrid-view --example machine_code -- DIR [NAME-SUBSTRING]`

#![expect(
    clippy::print_stdout,
    reason = "the example prints its results to standard output"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{entries, keeps_promise};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use warpgrid_view::{Scenario, Session};

const MAX_STEPS: u64 = 20_000_000;

#[derive(Deserialize)]
struct Case {
    variants: Vec<Variant>,
}

#[derive(Deserialize)]
struct Variant {
    file: String,
    tier: u8,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().expect("the folder of the cases");
    let only = arguments.next().unwrap_or_default();
    let mut folders = entries(Path::new(&root));
    folders.retain(|folder| folder.join("case.json").exists());
    let mut tiers: BTreeMap<u8, (usize, usize)> = BTreeMap::new();
    let (mut reading, mut running) = (Duration::ZERO, Duration::ZERO);
    let mut bytes = 0;
    for folder in folders {
        let json = fs::read_to_string(folder.join("case.json")).expect("case.json");
        let scenario: Scenario = serde_json::from_str(&json).expect("a scenario");
        let case: Case = serde_json::from_str(&json).expect("a case");
        for variant in case.variants {
            let name = format!("{}/{}", name_of(&folder), variant.file);
            if !name.contains(&only) {
                continue;
            }
            let source = fs::read_to_string(folder.join(&variant.file)).expect("a listing");
            bytes += source.len();
            let scenario = Scenario {
                source,
                ..scenario.clone()
            };
            let tier = tiers.entry(variant.tier).or_default();
            tier.1 += 1;
            match run(scenario, &mut reading, &mut running) {
                Ok(()) => tier.0 += 1,
                Err(reason) => println!("tier {} {name}: {reason}", variant.tier),
            }
        }
    }
    for (tier, (passed, all)) in tiers {
        println!("tier {tier}: {passed} of {all} listings");
    }
    println!("{bytes} bytes, {reading:?} to read, {running:?} to run");
}

fn name_of(folder: &Path) -> String {
    folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn run(scenario: Scenario, reading: &mut Duration, running: &mut Duration) -> Result<(), String> {
    let start = Instant::now();
    let session = Session::new_without_last_writers(scenario);
    *reading += start.elapsed();
    let mut session = session.map_err(|error| format!("{} {}", error.code, error.message))?;
    let start = Instant::now();
    let kept = keeps_promise(&mut session, MAX_STEPS);
    *running += start.elapsed();
    let unknown = session.diagnostics().first();
    let unknown = unknown.map_or("", |found| found.message.as_str());
    kept.map_err(|reason| format!("{reason} ({unknown})"))
}
