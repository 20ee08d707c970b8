//! Runs the kernels in a directory of cases whose names contain the second argument. Prints one line for each kernel with wrong memory, and
//! the number of correct kernels.
#![expect(
    clippy::print_stdout,
    reason = "the example prints its results to standard output"
)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/folders.rs"]
mod folders;

use common::{entries, keeps_promise};
use folders::scenarios_of;
use std::path::Path;
use warpgrid_view::{Scenario, Session};

/// Step limit, which no case reaches.
const MAX_STEPS: u64 = 50_000_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_default();
    let part = arguments.next().unwrap_or_default();
    let (mut right, mut all) = (0, 0);
    for case in entries(Path::new(&folder)) {
        if !case.to_string_lossy().contains(&part) || !case.join("case.json").exists() {
            continue;
        }
        for (name, scenario) in scenarios_of(&case) {
            all += 1;
            match run(scenario) {
                Ok(()) => right += 1,
                Err(reason) => println!("{name}: {}", reason.lines().next().unwrap_or_default()),
            }
        }
    }
    println!("{right} of {all}");
}

fn run(scenario: Scenario) -> Result<(), String> {
    let session = Session::new_without_last_writers(scenario);
    let mut session = session.map_err(|error| format!("{} {}", error.code, error.message))?;
    keeps_promise(&mut session, MAX_STEPS)
}
