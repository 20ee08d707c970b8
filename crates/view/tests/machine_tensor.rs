//! SASS of tensor kernels produces exactly the memory of the PTX. The listings have disassembler format.

use crate::common::keeps_promise;
use flate2::read::GzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::path::Path;
use warpgrid_view::check;
use warpgrid_view::model::FrameRequest;
use warpgrid_view::{CheckOptions, MemoryKey, Scenario, Session, SourceLanguage};

/// Step limit far above the length of any listing.
const MAX_STEPS: u64 = 5_000_000;

#[derive(Deserialize)]
struct Listing {
    family: String,
    name: String,
    text: String,
}

#[derive(Deserialize)]
struct Case {
    case: Scenario,
}

fn read<T: DeserializeOwned>(path: &str) -> Vec<T> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let file = File::open(tests.join(path)).expect("a file of the tests");
    serde_json::from_reader(GzDecoder::new(file)).expect("a list")
}

fn listings() -> Vec<Listing> {
    read("machine_tensor/listings.json.gz")
}

/// Returns the launch of a case of the PTX kernels with another source and scheduler seed.
fn scenario(listing: &Listing, text: &str, seed: u64) -> Scenario {
    let cases: Vec<Case> = read(&format!("tensor/{}.json.gz", listing.family));
    let mut found = cases
        .into_iter()
        .filter(|case| case.case.name == listing.name);
    let case = found.next().expect("a case of this name").case;
    Scenario {
        source: text.to_owned(),
        front: SourceLanguage::Sass,
        ptx_version: None,
        seed: Some(seed),
        ..case
    }
}

fn run(scenario: Scenario) -> Result<(), String> {
    let session = Session::new_without_last_writers(scenario);
    let mut session = session.map_err(|error| format!("{} {}", error.code, error.message))?;
    keeps_promise(&mut session, MAX_STEPS)
}

#[test]
fn listings_produce_expected_memory() {
    let mut wrong = Vec::new();
    for listing in listings() {
        for seed in [0, 7] {
            if let Err(reason) = run(scenario(&listing, &listing.text, seed)) {
                wrong.push(format!("{}, seed {seed}: {reason}", listing.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn listings_contain_no_unsupported_instruction() {
    for listing in listings() {
        let options = CheckOptions {
            language: SourceLanguage::Sass,
            ..CheckOptions::default()
        };
        let found = check(&listing.text, &options).diagnostics;
        let not_run: Vec<_> = found.iter().filter(|one| one.code == "W1015").collect();
        assert!(not_run.is_empty(), "{}: {not_run:?}", listing.name);
    }
}

/// Every step has a frame, and a run that seeks back and forth ends with the same memory.
#[test]
fn every_step_has_summary_and_seeking_preserves_result() {
    for listing in listings() {
        let scenario = scenario(&listing, &listing.text, 0);
        let mut session = Session::new(scenario).expect("a session");
        let request = FrameRequest::default();
        while session.position() < 300 && session.step() {
            let frame = session.frame(&request);
            assert!(!frame.sentence.is_empty(), "{}", listing.name);
        }
        session.run(MAX_STEPS);
        let end = session.position();
        for position in [end / 2, end / 3, end] {
            session.seek(position);
            session.frame(&request);
        }
        let kept = keeps_promise(&mut session, MAX_STEPS);
        kept.unwrap_or_else(|reason| panic!("{}: {reason}", listing.name));
    }
}

/// Operands that no assembler prints cause a diagnostic or a fault without a panic, and the source is preserved.
#[test]
fn malformed_operands_do_not_panic() {
    let mut lines: Vec<String> = Vec::new();
    for listing in listings() {
        let code = listing.text.lines().filter(|line| line.contains("/*"));
        let instructions = code.filter_map(|line| line.split("*/").nth(1));
        lines.extend(instructions.map(|line| line.trim().to_owned()));
    }
    lines.retain(|line| {
        let of_units = [
            "UTC", "UTMA", "GMMA", "TEX", "TLD", "TXQ", "LDTM", "STTM", "SURED",
        ];
        of_units.iter().any(|word| line.contains(word))
    });
    lines.sort();
    lines.dedup();
    assert!(lines.len() > 50);
    for line in lines {
        let mut texts = vec![
            line.replace("UR", "R"),
            line.replace("[UR", "[UR25"),
            line.replace("tmem", "gdesc"),
            line.replace(", ", ", UPT, "),
            line.replace("R", "RZ"),
        ];
        for (at, _) in line.match_indices(", ") {
            texts.push(format!("{};", &line[..at]));
            let rest = line[at + 2..]
                .split_once(", ")
                .map_or(";", |(_, rest)| rest);
            texts.push(format!("{}, {rest}", &line[..at]));
        }
        for text in texts {
            let source = format!("//@ launch block=32\n.target sm_100a\n{text}\nEXIT;");
            let scenario = Scenario {
                source,
                front: SourceLanguage::Sass,
                ..Scenario::default()
            };
            if let Ok(mut session) = Session::new_without_last_writers(scenario) {
                session.run(100);
            }
        }
    }
}

/// PTX kernel with modifiers that the cases of `tensor` do not cover, and its SASS.
#[derive(Deserialize)]
struct Pair {
    name: String,
    arch: String,
    ptx: String,
    sass: String,
}

/// Returns the contents of `out` after a run.
fn out(source: String, front: SourceLanguage, buffer: &str) -> Result<Vec<u8>, String> {
    let scenario = Scenario {
        source,
        front,
        ..Scenario::default()
    };
    let session = Session::new_without_last_writers(scenario);
    let mut session = session.map_err(|error| format!("{} {}", error.code, error.message))?;
    let is_over = session.run(MAX_STEPS);
    match session.fault() {
        Some(fault) => Err(fault.message),
        None if !is_over => Err("it goes on".to_owned()),
        None => Ok(session
            .memory(&MemoryKey::Buffer(buffer.to_owned()))
            .ok_or("no memory")?
            .to_vec()),
    }
}

/// Shifts, unpacking copies, shifted operand matrices, zero columns, texel comparisons, and scaled MMAs of narrow floats, optimized and
/// unoptimized.
#[test]
fn tensor_modifiers_match_between_ptx_and_sass() {
    let pairs: Vec<Pair> = read("machine_tensor/words.json.gz");
    let mut wrong = Vec::new();
    for pair in &pairs {
        // Parameters of SASS are named by numbers.
        let mut n = 0;
        let lines = pair.ptx.lines().filter(|line| line.starts_with("//@"));
        let lines: Vec<String> = lines
            .map(|line| {
                let mut words: Vec<&str> = line.split(' ').collect();
                let number = format!("param_{n}");
                let number_with_colon = format!("{number}:");
                if let [_, "buffer" | "texture", name, ..] = &mut words[..] {
                    *name = match name.ends_with(':') {
                        true => &number_with_colon,
                        false => &number,
                    };
                    n += 1;
                }
                words.join(" ")
            })
            .collect();
        let sass = format!("{}\n{}", lines.join("\n"), pair.sass);
        let expected = out(pair.ptx.clone(), SourceLanguage::Ptx, "out");
        let found = out(sass, SourceLanguage::Sass, &format!("param_{}", n - 1));
        if expected != found || expected.is_err() {
            wrong.push(format!(
                "{} for {}: {:?}",
                pair.name,
                pair.arch,
                found.err()
            ));
        }
    }
    assert!(pairs.len() >= 52, "{} pairs", pairs.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
