//! Machine code of kernels that real compilers made leaves exactly the memory that a GPU leaves: listings as disassemblers
//! print them, with the launches and the expectations of the PTX corpus.

use std::fs;
use std::path::{Path, PathBuf};
use warpgrid_view::expect::{compare, compare_fault};
use warpgrid_view::{Front, MemoryId, Scenario, Session};

/// Far more than any listing needs.
const MAX_STEPS: u64 = 20_000_000;

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder beside the test");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
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
fn every_listing_is_bit_exact() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut n_listings = 0;
    let mut wrong = Vec::new();
    for folder in entries(&tests.join("machine_code")) {
        let Some(case) = folder.file_name().filter(|_| folder.is_dir()) else {
            continue;
        };
        let json = tests.join("corpus").join(case).join("case.json");
        let json = fs::read_to_string(json).expect("the case of the PTX corpus");
        let scenario: Scenario = serde_json::from_str(&json).expect("a scenario");
        for path in entries(&folder) {
            n_listings += 1;
            let found = run(Scenario {
                source: fs::read_to_string(&path).expect("a listing"),
                front: Front::Sass,
                target: None,
                ptx_version: None,
                ..scenario.clone()
            });
            wrong.extend(found.err().map(|why| format!("{}: {why}", path.display())));
        }
    }
    assert!(n_listings >= 56, "found {n_listings} listings");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
