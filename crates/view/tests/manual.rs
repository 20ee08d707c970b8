//! Examples of the manuals, pasted unchanged, line by line and as a whole. Each example runs to its end and reports its stores. Sources:
//! PTX ISA, the examples of `st`, `st.async` and `wmma.store`, and the reference of `STL` and `STS`.

use expect_test::expect_file;
use std::fmt::Write;
use warpgrid_view::model::FrameRequest;
use warpgrid_view::{Scenario, Session, SourceLanguage};

/// Runs an example to its end. Returns the target and version for which it was checked if they are not the defaults, the applied fixes, and
/// the sentence of each store.
fn sentences_of(source: &str, front: SourceLanguage) -> String {
    let mut said = String::new();
    let checked = warpgrid_view::check(
        source,
        &warpgrid_view::CheckOptions {
            language: front,
            ..Default::default()
        },
    );
    for found in &checked.diagnostics {
        if found.code != "W0140" {
            let severity = format!("{:?}", found.severity).to_lowercase();
            writeln!(said, "  {severity} {}: {}", found.code, found.message).unwrap();
        }
    }
    let scenario = Scenario {
        source: source.to_owned(),
        front,
        ..Scenario::default()
    };
    let mut session = match Session::new(scenario) {
        Ok(session) => session,
        Err(error) => return format!("{said}  refused: {}\n", error.message),
    };
    for guess in session.inferred_annotations() {
        writeln!(said, "  {guess}").unwrap();
    }
    while session.step() {
        let frame = session.frame(&FrameRequest::default());
        if frame.store.is_some() {
            let texts = frame.sentence.iter().map(|phrase| phrase.text.as_str());
            writeln!(said, "  {}", texts.collect::<String>()).unwrap();
        }
    }
    if let Some(fault) = session.fault() {
        writeln!(said, "  stopped: {}", fault.message).unwrap();
    }
    said
}

/// Returns the data races of a source whose first lines are added by the test.
fn races_of(source: &str) -> Vec<String> {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).expect("a text that runs");
    let report = session.detect_races(10_000);
    report.races.into_iter().map(|race| race.message).collect()
}

/// Returns the results of each line of a listing, and of the whole listing.
fn all_of(listing: &str, front: SourceLanguage) -> String {
    let mut said = String::new();
    let is_code = |line: &&str| !line.trim().is_empty() && !line.starts_with("//");
    for line in listing.lines().filter(is_code) {
        write!(said, "{line}\n{}", sentences_of(line, front)).unwrap();
    }
    write!(said, "the whole listing\n{}", sentences_of(listing, front)).unwrap();
    said
}

#[test]
fn st_examples_match_snapshot() {
    let said = all_of(include_str!("data/manual/st.ptx"), SourceLanguage::Ptx);
    expect_file!["data/manual/st.txt"].assert_eq(&said);
}

#[test]
fn st_async_examples_match_snapshot() {
    let said = all_of(
        include_str!("data/manual/st_async.ptx"),
        SourceLanguage::Ptx,
    );
    expect_file!["data/manual/st_async.txt"].assert_eq(&said);
}

/// The instructions take two lines each, so the examples are split at their comments.
#[test]
fn wmma_store_examples_match_snapshot() {
    let listing = include_str!("data/manual/wmma_store.ptx");
    let mut said = String::new();
    for example in listing
        .split_inclusive(";\n")
        .collect::<String>()
        .split("// ")
    {
        if !example.is_empty() {
            write!(
                said,
                "// {example}{}",
                sentences_of(example_of(example), SourceLanguage::Ptx)
            )
            .unwrap();
        }
    }
    write!(
        said,
        "the whole listing\n{}",
        sentences_of(listing, SourceLanguage::Ptx)
    )
    .unwrap();
    expect_file!["data/manual/wmma_store.txt"].assert_eq(&said);
}

/// Returns the example without the remainder of its comment.
fn example_of(text: &str) -> &str {
    text.split_once('\n').map_or(text, |(_, example)| example)
}

#[test]
fn sass_store_examples_match_snapshot() {
    let said = all_of(
        include_str!("data/manual/stores.sass"),
        SourceLanguage::Sass,
    );
    expect_file!["data/manual/stores.txt"].assert_eq(&said);
}

/// Lines from examples of other instructions. The launch provides the named objects, or they are created before the first line: descriptors
/// with their tiles, mbarrier objects, tensor maps, textures.
#[test]
fn tensor_instruction_examples_complete_and_match_snapshot() {
    let mut said = String::new();
    for line in include_str!("data/manual/lines.ptx").lines() {
        let of_line = sentences_of(line, SourceLanguage::Ptx);
        assert!(!of_line.contains("stopped:"), "{line}\n{of_line}");
        // Both blocks of a cluster copy to the first block.
        if !line.contains("multicast::cluster") {
            assert_eq!(races_of(line), Vec::<String>::new(), "{line}");
        }
        write!(said, "{line}\n{of_line}").unwrap();
    }
    expect_file!["data/manual/lines.txt"].assert_eq(&said);
}

/// The same lines in the order in which they are used together.
#[test]
fn tensor_instruction_sequences_complete_and_match_snapshot() {
    let mut said = String::new();
    for sequence in include_str!("data/manual/sequences.ptx")
        .split("// ")
        .skip(1)
    {
        let (title, text) = sequence.split_once('\n').expect("a title");
        let of_sequence = sentences_of(text, SourceLanguage::Ptx);
        assert!(!of_sequence.contains("stopped:"), "{title}\n{of_sequence}");
        write!(said, "{title}\n{of_sequence}").unwrap();
    }
    expect_file!["data/manual/sequences.txt"].assert_eq(&said);
}

#[test]
fn heading_above_examples_is_ignored() {
    for (text, front) in [
        (
            "Examples\n\nst.global.f32    [a],b;\n\nCopy to clipboard\n",
            SourceLanguage::Ptx,
        ),
        ("Examples:\n\nSTS.32    [0x12], R1;\n", SourceLanguage::Sass),
    ] {
        let said = sentences_of(text, front);
        assert!(
            said.contains("lanes stored") && !said.contains("refused"),
            "{said}"
        );
    }
}

/// An MMA of four warps is legal on one architecture only, and its operands are descriptors unless they are register lists.
#[test]
fn snippet_check_selects_supporting_target() {
    let sums: Vec<String> = (0..32).map(|n| format!("%f{n}")).collect();
    let line = format!(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{}}}, %rd1, %rd2, p, 1, 1, 0, 0;",
        sums.join(", ")
    );
    let checked = warpgrid_view::check(&line, &warpgrid_view::CheckOptions::default());
    assert!(checked.accept, "{:?}", checked.diagnostics);
    assert_eq!(checked.assumed_target.as_deref(), Some("sm_90a"));
    let inferred = checked
        .diagnostics
        .iter()
        .find(|found| found.code == "W0140");
    let message = &inferred.expect("what is inferred").message;
    assert_eq!(
        message,
        "inferred declarations: `.reg .b32 %f0, …, %f31;` \
         `.reg .b64 %rd1;` (the descriptor of a tile of f16 values 0, 1, 2, … in shared memory) \
         `.reg .b64 %rd2;` (the descriptor of a tile of f16 values 0, 1, 2, … in shared memory) `.reg .pred p;`"
    );
}
