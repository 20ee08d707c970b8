//! Examples: their stores step by step, final buffers, and faults. `UPDATE_EXPECT=1` updates the files in `data/examples`.
//! `e2e/kernels.spec.ts` computes the expected results independently of Warpgrid.

use expect_test::expect_file;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use warpgrid_view::analysis::comparison::PairedRun;
use warpgrid_view::scenario::ComparisonKernel;
use warpgrid_view::value::ElementType;
use warpgrid_view::{MemoryKey, Scenario, Session, SourceLanguage};

/// Number of elements per line.
const PER_LINE: usize = 16;
/// Maximum number of listed stores and rows. The remaining ones are only counted.
const MAX_LINES: usize = 96;
/// Step limit of the example that never ends.
const MAX_STEPS: u64 = 100_000;

fn trace(source: &str) -> Result<String, std::fmt::Error> {
    let scenario = Scenario {
        source: source.to_owned(),
        front: SourceLanguage::of_source(source),
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    let is_over = session.run(MAX_STEPS);
    let mut text = String::new();
    let stores = session.events(0, session.position());
    for store in stores.iter().take(MAX_LINES) {
        let values: Vec<&str> = store.lanes.iter().map(|lane| lane.value.as_str()).collect();
        let landed = if store.has_landed { "landed: " } else { "" };
        let [x, y, z] = store.block;
        writeln!(
            text,
            "{} block ({x}, {y}, {z}) warp {}: {landed}{} <- {}",
            store.step,
            store.warp,
            store.instruction,
            values.join(" ")
        )?;
    }
    write_rest(&mut text, stores.len(), "stores")?;
    for buffer in session.buffers() {
        let ty = ElementType::from_name(&buffer.ty).expect("a type");
        let bytes = session.memory(&MemoryKey::Buffer(buffer.name.clone()));
        let bytes = bytes.expect("a buffer");
        let elements: Vec<String> = bytes
            .chunks(ty.width_bytes())
            .map(|element| ty.text(ty.bits(element)))
            .collect();
        writeln!(text, "\n{}", buffer.name)?;
        let rows = elements.chunks(PER_LINE);
        let n_rows = rows.len();
        for row in rows.take(MAX_LINES) {
            writeln!(text, "{}", row.join(" "))?;
        }
        write_rest(&mut text, n_rows, "rows")?;
    }
    if let Some(fault) = session.fault() {
        writeln!(text, "\nline {}: {}", fault.range.line, fault.message)?;
        writeln!(text, "help: {}", fault.help.unwrap_or_default())?;
    }
    if !is_over {
        writeln!(text, "\nstill running after {MAX_STEPS} steps")?;
    }
    Ok(text)
}

fn write_rest(text: &mut String, n: usize, what: &str) -> std::fmt::Result {
    match n.checked_sub(MAX_LINES) {
        None | Some(0) => Ok(()),
        Some(rest) => writeln!(text, "and {rest} more {what}"),
    }
}

/// Returns the sorted files of a directory.
fn examples_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the examples");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files
}

#[test]
fn example_store_traces_match_snapshots() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in examples_in(&root.join("../../public/examples")) {
        let source = std::fs::read_to_string(&path).expect("an example");
        let name = path.file_stem().expect("a name").to_string_lossy();
        let found = trace(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
        expect_file![root.join(format!("tests/data/examples/{name}.txt"))].assert_eq(&found);
    }
}

/// Checks whether the data race or hang of a published bug is detected with one of a few scheduler seeds.
fn is_found(source: &str) -> bool {
    (0..8).any(|seed| {
        let scenario = Scenario {
            source: source.to_owned(),
            seed: Some(seed),
            ..Scenario::default()
        };
        let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
        let races = session.run_for_races(MAX_STEPS).races;
        !races.is_empty() || session.hang().is_some()
    })
}

/// Lower bound of the number of examples of published bugs, before and after the fix.
const MIN_BUG_EXAMPLES: usize = 30;

#[test]
fn published_bugs_are_detected_and_fixed_versions_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    let mut n_examples = 0;
    for path in examples_in(&root.join("../../public/examples")) {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let Some(name) = name.strip_prefix("bug-") else {
            continue;
        };
        n_examples += 1;
        let source = std::fs::read_to_string(&path).expect("an example");
        if is_found(&source) != name.ends_with("-before") {
            wrong.push(name.to_owned());
        }
    }
    assert_eq!(wrong, [""; 0]);
    assert!(n_examples >= MIN_BUG_EXAMPLES, "{n_examples} examples");
}

/// Lower bound of the number of examples of miscompiles.
const MIN_MISCOMPILES: usize = 10;

#[test]
fn miscompiles_differ_from_their_ptx_and_correct_listings_do_not() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/examples");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("an example");
    let mut n_examples = 0;
    for path in examples_in(&folder) {
        let name = path.file_name().expect("a name").to_string_lossy();
        let miscompile = name.strip_prefix("miscompile-");
        let Some(name) = miscompile.and_then(|name| name.strip_suffix(".ptx")) else {
            continue;
        };
        n_examples += 1;
        for (listing, is_equal) in [("wrong", false), ("right", true)] {
            let scenario = Scenario {
                source: read(&format!("miscompile-{name}.ptx")),
                beside: Some(ComparisonKernel {
                    source: read(&format!("miscompile-{name}-{listing}.sass")),
                    ..ComparisonKernel::default()
                }),
                ..Scenario::default()
            };
            let mut pair = PairedRun::new(scenario, MAX_STEPS).expect("two kernels");
            while !pair.advance(u64::MAX) {}
            let report = pair.report();
            assert_eq!(
                report.equal, is_equal,
                "{name}, {listing}: {}",
                report.summary
            );
            assert_eq!(report.notes, [""; 0], "{name}, {listing}");
            for side in &report.sides {
                assert!(
                    side.over && side.fault.is_none(),
                    "{name}, {listing}: {side:?}"
                );
            }
            // The comparison opens after the first store that differs.
            let divergence = pair.first_divergence(&report);
            assert_eq!(divergence, (!is_equal).then_some(1), "{name}, {listing}");
        }
    }
    assert!(n_examples >= MIN_MISCOMPILES, "{n_examples} examples");
}

/// Examples with a data race, because they demonstrate conflicting stores of lanes.
const MEETING: &[&str] = &["one-address", "documented-stores"];

#[test]
fn no_races_are_reported_in_remaining_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut loud = Vec::new();
    for path in examples_in(&root.join("../../public/examples")) {
        let source = std::fs::read_to_string(&path).expect("an example");
        let name = path.file_stem().expect("a name").to_string_lossy();
        if name.starts_with("bug-") || MEETING.contains(&&*name) {
            continue;
        }
        let scenario = Scenario {
            front: SourceLanguage::of_source(&source),
            source,
            ..Scenario::default()
        };
        let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
        if !session.run_for_races(MAX_STEPS).races.is_empty() {
            loud.push(name.into_owned());
        }
    }
    assert_eq!(loud, [""; 0]);
}
