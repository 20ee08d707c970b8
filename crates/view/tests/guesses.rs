//! A kernel pasted without a launch runs under a guessed one, and stays within what was guessed. The golden says, kernel
//! by kernel, what was guessed and how far it came; `UPDATE_EXPECT=1` blesses it.

use expect_test::expect_file;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use warpgrid_view::{Parameter, Scenario, Session};

/// Enough for every guess; the one kernel that runs on has an input that never ends it.
const MAX_STEPS: u64 = 300_000;

fn report(source: String) -> String {
    let mut session = launched(source);
    let is_over = session.run(MAX_STEPS);
    let mut text = String::new();
    for line in session.guesses() {
        let _ = writeln!(text, "  {line}");
    }
    let end = match (session.fault(), is_over) {
        (Some(fault), _) => format!("{}: {}", fault.kind.name(), fault.message),
        (None, true) => "ends".to_owned(),
        (None, false) => "runs on".to_owned(),
    };
    let _ = writeln!(text, "  {end}, {} stores", session.stores());
    text
}

fn kernels() -> Vec<(String, String)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let folders = fs::read_dir(corpus).expect("the corpus lies beside the test");
    let mut kernels: Vec<_> = folders
        .flatten()
        .filter_map(|folder| {
            let source = fs::read_to_string(folder.path().join("kernel.ptx")).ok()?;
            Some((folder.file_name().to_string_lossy().into_owned(), source))
        })
        .collect();
    kernels.sort();
    kernels
}

fn launched(source: String) -> Session {
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    Session::untracked(scenario).unwrap_or_else(|error| panic!("{}", error.message))
}

#[test]
fn the_lines_of_a_guess_state_the_same_launch() {
    for (name, source) in kernels() {
        let guessed = launched(source.clone());
        let stated = launched(format!("{}\n{source}", guessed.guesses().join("\n")));
        assert_eq!(stated.guesses(), [""; 0], "{name}");
        let as_stated = Scenario {
            source: stated.scenario().source.clone(),
            grid: stated.scenario().grid,
            ..guessed.scenario().clone()
        };
        assert_eq!(*stated.scenario(), with_shapes(as_stated), "{name}");
    }
}

/// A line gives every buffer a shape, flat ones too.
fn with_shapes(mut scenario: Scenario) -> Scenario {
    let give = |parameter: &mut Parameter| {
        if let Parameter::Buffer(buffer) = parameter {
            buffer.shape = vec![buffer.len];
        }
    };
    for parameter in &mut scenario.params {
        give(parameter);
        if let Parameter::Struct { fields, .. } = parameter {
            fields
                .iter_mut()
                .for_each(|field| give(&mut field.parameter));
        }
    }
    scenario
}

#[test]
fn real_kernels_run_without_a_stated_launch() {
    let mut text = String::new();
    for (name, source) in kernels() {
        let _ = write!(text, "{name}\n{}", report(source));
    }
    expect_file!["data/guesses.txt"].assert_eq(&text);
}
