//! Links and files of the current and of earlier versions remain readable; all others produce an error message.

use proptest::prelude::*;
use std::path::Path;
use warpgrid_share::{
    SharedState, ViewState, max_link_chars, read_file, read_link, write_file, write_link,
};
use warpgrid_view::{Scenario, SourceLanguage};

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the stored links, each with the file of the same contents.
fn kept() -> Vec<(String, String)> {
    let links = data("links.txt");
    let lines = links
        .lines()
        .filter(|line| line.starts_with(|c: char| c != '/'));
    let pairs = lines.map(|line| line.split_once(' ').expect("a name and a link"));
    pairs
        .map(|(name, link)| (link.to_owned(), data(&format!("{name}.warpgrid.json"))))
        .collect()
}

#[test]
fn archived_links_and_files_decode_identically() {
    let kept = kept();
    assert!(kept.len() >= 6);
    for (link, file) in kept {
        let of_link = read_link(&link).unwrap_or_else(|reason| panic!("{link}: {reason}"));
        let of_file = read_file(&file).unwrap_or_else(|reason| panic!("{file}: {reason}"));
        assert_eq!(of_link, of_file);
    }
}

#[test]
fn invalid_links_fail_with_recorded_message() {
    let refused = data("refused.txt");
    let lines = refused.lines().filter(|line| !line.starts_with("//"));
    let cases: Vec<_> = lines.filter_map(|line| line.split_once('\t')).collect();
    assert!(cases.len() >= 12);
    for (link, sentence) in cases {
        let found = read_link(link).map_err(|reason| reason.to_string());
        assert_eq!(found, Err(sentence.to_owned()), "{link}");
    }
}

#[test]
fn truncated_or_edited_link_never_decodes_to_other_state() {
    let (link, _) = kept().swap_remove(0);
    let whole = read_link(&link).expect("a kept link");
    for at in 3..link.len() {
        let end = read_link(&link[..at]);
        assert!(end.is_err(), "cut at {at}");
        let mut edited = link.clone().into_bytes();
        edited[at] = if edited[at] == b'A' { b'B' } else { b'A' };
        let edited = String::from_utf8(edited).expect("letters");
        let found = read_link(&edited);
        // The last character may contain unused bits.
        assert!(
            found.is_err() || found == Ok(whole.clone()),
            "edited at {at}"
        );
    }
}

#[test]
fn trailing_characters_after_link_are_ignored() {
    let (link, _) = kept().swap_remove(0);
    let whole = read_link(&link);
    for after in [".", ")", ">", "=", "==", ", as I said", "%20", "”"] {
        assert_eq!(read_link(&format!("{link}{after}")), whole, "{after}");
    }
}

#[test]
fn decompression_bomb_is_rejected_at_size_limit() {
    let scenario = Scenario {
        source: "0".repeat(300 << 20),
        ..Scenario::default()
    };
    let bomb = write_link(&SharedState {
        scenario,
        ..SharedState::default()
    });
    assert!(bomb.len() < 500_000, "{}", bomb.len());
    let reason = read_link(&bomb).expect_err("a bomb").to_string();
    assert!(reason.contains("8 million bytes"), "{reason}");
}

#[test]
fn integers_beyond_53_bits_round_trip() {
    let file = r#"{"source": "", "params": [
        {"kind": "scalar", "name": "n", "type": "s64", "value": -9223372036854775807},
        {"kind": "buffer", "name": "out", "type": "u64", "len": 2, "init": [9007199254740993, 1.5]}]}"#;
    let shared = read_file(file).expect("a scenario");
    assert_eq!(read_link(&write_link(&shared)), Ok(shared.clone()));
    assert!(write_file(&shared).contains("\"9007199254740993\""));
}

#[test]
fn inferred_annotations_are_appended_after_source() {
    let file = r#"{"source": "ret;", "guessed": "//@ launch grid=1 block=64"}"#;
    let shared = read_file(file).expect("a file");
    assert_eq!(read_link(&write_link(&shared)), Ok(shared.clone()));
    let source = shared.into_scenario().source;
    assert_eq!(source, "ret;\n//@ launch grid=1 block=64\n");
}

#[test]
fn unknown_fields_in_file_are_ignored() {
    let file = r#"{"warpgrid": 1, "source": "ret;", "mood": 3, "beside": {"source": "EXIT;", "hue": []},
        "view": {"step": 2, "camera": {"at": [1, 2]}}}"#;
    let shared = read_file(file).expect("a file");
    assert_eq!(
        (shared.view.step, &*shared.scenario.source),
        (Some(2), "ret;")
    );
    assert_eq!(
        shared.scenario.beside.map(|beside| beside.source),
        Some("EXIT;".to_owned())
    );
}

#[test]
fn null_view_fields_use_defaults() {
    let file =
        r#"{"source": "ret;", "view": {"step": 2, "grids": null, "watch": null, "breaks": null}}"#;
    let view = read_file(file).expect("a file").view;
    assert_eq!((view.step, view.watch), (Some(2), Vec::new()));
}

#[test]
fn invalid_files_fail_with_message() {
    for (file, sentence) in [
        (
            "st.global.u32 [p], 1;",
            "Invalid file: expected JSON with a `source` field, as created by “Save file”.",
        ),
        ("[]", "Invalid file: `source` must be a string."),
        (
            r#"{"warpgrid": 2, "source": ""}"#,
            "The file was created by a newer version of Warpgrid (format 2; this version supports formats up to 1). Reload the page or update the command-line tool.",
        ),
        (
            r#"{"source": "", "seed": -1}"#,
            "Invalid file: `seed` must be an integer from 0 to 9,007,199,254,740,991.",
        ),
        (
            r#"{"source": "", "view": {"grids": {"out": 1}}}"#,
            "Invalid file: `view.grids` must be an object with at most 256 short strings.",
        ),
        (
            r#"{"source": "", "view": {"watch": ["%r1", 2]}}"#,
            "Invalid file: `view.watch` must be a list of at most 256 short strings.",
        ),
        (
            r#"{"source": "", "view": {"breaks": "12"}}"#,
            "Invalid file: `view.breaks` must be a list of at most 256 integers.",
        ),
        (
            r#"{"source": "", "params": [{"kind": "image", "name": "x"}]}"#,
            "Invalid file: `scenario` must be a valid launch configuration (invalid value: string \"image\", expected `buffer`, `scalar`, `struct`, `alias`, `tensormap`, `texture`, `surface` or `multimem`).",
        ),
    ] {
        let found = read_file(file).map_err(|reason| reason.to_string());
        assert_eq!(found, Err(sentence.to_owned()), "{file}");
    }
}

/// Links of most examples are short enough for programs that truncate links, and a kernel of 200 lines fits into a
/// link.
#[test]
fn most_example_links_are_below_2000_characters() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/examples");
    let mut lengths = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the examples").flatten() {
        let source = std::fs::read_to_string(entry.path()).expect("an example");
        let front = SourceLanguage::of_source(&source);
        let scenario = Scenario {
            source,
            front,
            ..Scenario::default()
        };
        let view = ViewState {
            step: Some(1_000),
            pin: Some("cell 17 of out".to_owned()),
            ..ViewState::default()
        };
        lengths.push(
            write_link(&SharedState {
                scenario,
                view,
                ..SharedState::default()
            })
            .len(),
        );
    }
    lengths.sort_unstable();
    let n_short = lengths.iter().filter(|length| **length < 2_000).count();
    eprintln!(
        "links of {} examples: {n_short} below 2,000; {lengths:?}",
        lengths.len()
    );
    assert!(n_short * 4 > lengths.len() * 3, "{lengths:?}");
    let kernel = data("../../../view/tests/corpus/matmul_tiled/kernel.ptx");
    let twice: String = kernel
        .lines()
        .chain(kernel.lines())
        .take(200)
        .map(|line| format!("{line}\n"))
        .collect();
    let scenario = Scenario {
        source: twice,
        ..Scenario::default()
    };
    let length = write_link(&SharedState {
        scenario,
        ..SharedState::default()
    })
    .len();
    eprintln!("a kernel of 200 lines: {length}");
    assert!(length < max_link_chars() / 4, "{length}");
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        "[ -~\\n\\t]{0,400}",
        Just("st.global.u32 [p], 1;\n".repeat(40))
    ]
}

fn shared() -> impl Strategy<Value = SharedState> {
    let launch = (
        texts(),
        proptest::option::of(0u64..1 << 53),
        proptest::option::of([1u32..9, 1u32..9, 1u32..9]),
    );
    let words = proptest::option::of("\\PC{0,30}");
    let view = (
        proptest::option::of(0u64..1 << 53),
        words,
        proptest::collection::btree_map("[a-z:]{1,8}", "[ -~]{0,20}", 0..4),
        proptest::collection::vec("\\PC{0,20}", 0..4),
        proptest::collection::vec(1u64..1 << 53, 0..4),
    );
    let shared = |((source, seed, grid), (step, pin, grids, watch, breaks))| SharedState {
        scenario: Scenario {
            source,
            seed,
            grid,
            ..Scenario::default()
        },
        view: ViewState {
            step,
            pin,
            grids,
            watch,
            breaks,
            ..ViewState::default()
        },
        guessed: None,
    };
    (launch, view).prop_map(shared)
}

proptest! {
    #[test]
    fn links_and_files_round_trip(shared in shared()) {
        prop_assert_eq!(read_link(&write_link(&shared)), Ok(shared.clone()));
        prop_assert_eq!(read_file(&write_file(&shared)), Ok(shared));
    }

    #[test]
    fn arbitrary_input_does_not_panic(text in "\\PC{0,200}", code in "[A-Za-z0-9_-]{0,300}") {
        let _ = (read_link(&text), read_file(&text), read_link(&format!("#1={code}")));
    }

    #[test]
    fn arbitrary_json_fields_do_not_panic(
        field in proptest::sample::select(vec!["source", "params", "grid", "beside", "view", "fault", "registers"]),
        value in "(\\[|\\{|\"[a-z]*\":|-?[0-9]{1,20}|\"x\"|null|,|\\]|\\}){0,12}",
    ) {
        let _ = read_file(&format!("{{\"source\": \"\", \"{field}\": {value}}}"));
    }
}
