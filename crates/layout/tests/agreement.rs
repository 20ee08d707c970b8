//! Differential test of the layout algebra against two reference implementations: generated cases are evaluated by both (`ask.py`), or read
//! with their results from `data/agreed.jsonl.gz`, a sample of cases on which both agree (tensor-layouts 0.3.2; pycute of CUTLASS 4.2).

mod common;

use common::cases::{Case, cases};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Number of generated cases for the comparison with both implementations.
const N_CASES: usize = 10_000;
/// Sampling interval: one of this many cases on which both implementations agree is kept.
const KEPT: usize = 8;

/// Returns the result of a reference implementation: sizes of the modes and offsets, or `None` for an error.
fn answer(said: &Value) -> Option<(Vec<i64>, Vec<i64>)> {
    let numbers = |name: &str| -> Option<Vec<i64>> {
        said.get(name)?
            .as_array()?
            .iter()
            .map(Value::as_i64)
            .collect()
    };
    Some((numbers("parts")?, numbers("offsets")?))
}

#[test]
fn layout_algebra_matches_sample_of_both_references() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/agreed.jsonl.gz");
    let file = BufReader::new(GzDecoder::new(
        File::open(path).expect("the sample is there"),
    ));
    let mut n = 0;
    for line in file.lines() {
        let row: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
        let case = Case::of_json(&row);
        assert_eq!(case.own(), answer(&row["answer"]), "{row}");
        n += 1;
    }
    assert!(n > 600, "{n} cases");
}

/// Comparison results for one operation.
#[derive(Default)]
struct Count {
    agreed: usize,
    /// One implementation returned an error or different nesting, and the other one agreed.
    one: usize,
    refused: usize,
    /// The reference implementations disagree with each other or with this crate, and the result of this crate was checked against the
    /// definition.
    defined: usize,
    wrong: Vec<String>,
}

#[test]
fn layout_algebra_matches_python_references_if_available() {
    let Ok(python) = std::env::var("LAYOUTS_PYTHON") else {
        return;
    };
    let all = cases(N_CASES);
    let said = ask(&python, &all);
    assert_eq!(said.len(), all.len(), "one answer for each case");
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut sample = Vec::new();
    for (case, said) in all.iter().zip(&said) {
        let count = counts.entry(case.op.clone()).or_default();
        let own = case.own();
        let (first, second) = (answer(&said["pycute"]), answer(&said["tensor_layouts"]));
        match (&first, &second) {
            (Some(a), Some(b)) if a == b && own.as_ref() == Some(a) => {
                count.agreed += 1;
                if count.agreed.is_multiple_of(KEPT) {
                    sample.push(case.with_answer(&said["pycute"]));
                }
            }
            (None, None) if own.is_none() => count.refused += 1,
            (Some(a), None) | (None, Some(a)) if own.as_ref() == Some(a) => count.one += 1,
            // The nesting differs if one mode is divided or multiplied by one tiler.
            (Some(a), Some(b)) if a != b && (own == first || own == second) => count.one += 1,
            (a, b) if own.is_none() => {
                // An error is correct if the reference result contradicts the definition of the operation.
                let said = a.as_ref().or(b.as_ref()).map(|said| said.1.clone());
                match said.is_some_and(|said| case.expected().as_ref() == Some(&said)) {
                    true => {
                        count
                            .wrong
                            .push(format!("{} refused {:?}", case.to_json(), case.why()))
                    }
                    false => count.defined += 1,
                }
            }
            _ if case.holds() => count.defined += 1,
            _ => count
                .wrong
                .push(format!("{} ours {own:?} {said}", case.to_json())),
        }
    }
    report(&counts);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        keep(&sample);
    }
    let agreed: usize = counts.values().map(|count| count.agreed).sum();
    let wrong: usize = counts.values().map(|count| count.wrong.len()).sum();
    assert!(agreed >= 5_000, "{agreed} agreed");
    assert_eq!(wrong, 0);
}

fn report(counts: &BTreeMap<String, Count>) {
    eprintln!("operation          agreed   one differs   all refuse   by definition   wrong");
    for (op, count) in counts {
        eprintln!(
            "{op:<18} {:>6} {:>13} {:>12} {:>15} {:>7}",
            count.agreed,
            count.one,
            count.refused,
            count.defined,
            count.wrong.len()
        );
        for wrong in count.wrong.iter().take(3) {
            eprintln!("  {wrong}");
        }
    }
}

fn ask(python: &str, cases: &[Case]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ask.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut input = child.stdin.take().expect("a pipe");
    let lines: Vec<String> = cases
        .iter()
        .map(|case| case.to_json().to_string())
        .collect();
    let writer = std::thread::spawn(move || {
        for line in lines {
            if writeln!(input, "{line}").is_err() {
                break;
            }
        }
    });
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let answers = output.lines().map_while(Result::ok);
    let answers = answers
        .filter_map(|line| serde_json::from_str(&line).ok())
        .collect();
    writer.join().expect("it wrote");
    assert!(child.wait().expect("it ends").success());
    answers
}

fn keep(sample: &[Value]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/agreed.jsonl.gz");
    let mut file = GzEncoder::new(File::create(path).expect("a file"), Compression::best());
    for row in sample {
        writeln!(file, "{row}").expect("it is written");
    }
    file.finish().expect("it is written");
}
