//! Pairs of small PTX kernels and their SASS, and SASS with its own expectations, in `machine_pairs`. Its README documents the expectation
//! of each file.

use crate::common::{entries, keeps_promise};
use std::fs;
use std::path::Path;
use warpgrid_view::analysis::comparison::compare;
use warpgrid_view::scenario::ComparisonKernel;
use warpgrid_view::{Scenario, Session, SourceLanguage};

const MAX_STEPS: u64 = 200_000;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the text after `// Expected: ` in a file.
fn expected(source: &str) -> Option<&str> {
    let mut lines = source.lines();
    lines.find_map(|line| Some(line.split_once("// Expected: ")?.1))
}

fn compare_pair(ptx: &str, listing: &str) -> Result<(), String> {
    let scenario = Scenario {
        source: ptx.to_owned(),
        front: SourceLanguage::Ptx,
        beside: Some(ComparisonKernel {
            source: listing.to_owned(),
            ..ComparisonKernel::default()
        }),
        ..Scenario::default()
    };
    let report = compare(scenario, MAX_STEPS).map_err(|error| error.error.message)?;
    let differs = || {
        format!(
            "{} {:?} {:?}",
            report.summary, report.sides, report.differences
        )
    };
    match expected(listing).or_else(|| expected(ptx)) {
        None if report.equal && !report.memories.is_empty() => Ok(()),
        Some("the texts differ.") if !report.equal => Ok(()),
        Some(text) if format!("{report:?}").contains(text) => Ok(()),
        None | Some(_) => Err(differs()),
    }
}

fn run(source: &str) -> Result<(), String> {
    let scenario = Scenario {
        source: source.to_owned(),
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).map_err(|error| error.message)?;
    let Some(text) = expected(source) else {
        return keeps_promise(&mut session, MAX_STEPS);
    };
    session.run(MAX_STEPS);
    let said = format!(
        "{:?} {:?} {:?}",
        session.fault(),
        session.notes(),
        session.inferred_annotations()
    );
    match said.contains(text) {
        true => Ok(()),
        false => Err(format!("no `{text}` in {said}")),
    }
}

#[test]
fn sass_files_match_paired_ptx_or_own_expectations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machine_pairs");
    let mut wrong = Vec::new();
    let mut n_files = 0;
    for path in entries(&folder) {
        if path.extension().is_none_or(|ending| ending != "sass") {
            continue;
        }
        n_files += 1;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = file.split('.').next().unwrap_or_default();
        let ptx = folder.join(format!("{name}.ptx"));
        let listing = read(&path);
        let outcome = match ptx.is_file() {
            true => compare_pair(&read(&ptx), &listing),
            false => run(&listing),
        };
        if let Err(reason) = outcome {
            wrong.push(format!("{file}: {reason}"));
        }
    }
    assert!(n_files > 0, "no files");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
