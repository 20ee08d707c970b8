//! A kernel pasted without a launch runs under a guessed one, and stays within what was guessed. The golden says, kernel
//! by kernel, what was guessed and how far it came; `UPDATE_EXPECT=1` blesses it.

use expect_test::expect_file;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use warpgrid_view::model::FrameRequest;
use warpgrid_view::{Scenario, Session};

/// Enough for every guess; the one kernel that runs on has an input that never ends it.
const MAX_STEPS: u64 = 300_000;

fn told(source: String) -> String {
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    let mut session = match Session::untracked(scenario) {
        Ok(session) => session,
        Err(error) => return format!("  refused: {}\n", error.message),
    };
    let is_over = session.run(MAX_STEPS);
    let frame = session.frame(&FrameRequest::default());
    let mut text = format!("  block {:?}\n", session.scenario().block.unwrap_or([0; 3]));
    for note in frame
        .notes
        .iter()
        .filter(|note| note.starts_with("guessed"))
    {
        let _ = writeln!(text, "  {note}");
    }
    let end = match (session.fault(), is_over) {
        (Some(fault), _) => format!("{}: {}", fault.kind, fault.message),
        (None, true) => "ends".to_owned(),
        (None, false) => "runs on".to_owned(),
    };
    let _ = writeln!(text, "  {end}, {} stores", session.stores());
    text
}

#[test]
fn real_kernels_run_without_a_stated_launch() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<_> = fs::read_dir(corpus)
        .expect("the corpus lies beside the test")
        .flatten()
        .map(|entry| entry.path().join("kernel.ptx"))
        .filter(|file| file.exists())
        .collect();
    files.sort();
    let mut text = String::new();
    for file in files {
        let name = file.parent().and_then(Path::file_name).unwrap_or_default();
        let source = fs::read_to_string(&file).expect("a PTX file");
        let _ = write!(text, "{}\n{}", name.to_string_lossy(), told(source));
    }
    expect_file!["data/guesses.txt"].assert_eq(&text);
}
