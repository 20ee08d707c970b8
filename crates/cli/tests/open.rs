//! `warpgrid open`: the link of a file, and the message if there is no link.

mod common;

use common::{Folder, GOOD, json, warpgrid};
use expect_test::expect;
use std::path::Path;
use warpgrid_share::read_link;
use warpgrid_view::SourceLanguage;

/// Decodes the link that the command prints.
fn opened(arguments: &[&str], input: &str) -> warpgrid_share::SharedState {
    let output = warpgrid(&[&["open"], arguments].concat(), input);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let line = String::from_utf8(output.stdout).expect("a link");
    let (site, link) = line.trim_end().split_once('#').expect("a link");
    assert!(site.starts_with("http"), "{site}");
    read_link(link).expect("what the page reads")
}

#[test]
fn link_contains_source_and_step() {
    let shared = opened(&["-", "--step", "12"], GOOD);
    assert_eq!(
        (&*shared.scenario.source, shared.view.step),
        (GOOD, Some(12))
    );
    let shared = opened(&["-"], "        /*0000*/    EXIT ;\n");
    assert_eq!(
        (shared.scenario.front, shared.view.step),
        (SourceLanguage::Sass, None)
    );
}

#[test]
fn case_link_contains_source_parameters_and_fault() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../view/tests/corpus/misaligned_store/case.json");
    let shared = opened(&[&case.to_string_lossy()], "");
    assert!(shared.scenario.source.contains(".entry"));
    assert!(shared.scenario.fault.is_some() && !shared.scenario.params.is_empty());
}

#[test]
fn saved_file_can_be_reopened_and_run() {
    let folder = Folder::new("saved");
    let saved = folder.0.join("k.warpgrid.json");
    let saved = saved.to_string_lossy();
    let output = warpgrid(&["open", "-", "--step", "3", "--save", &saved], GOOD);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let shared = opened(&[&saved], "");
    assert_eq!(
        (&*shared.scenario.source, shared.view.step),
        (GOOD, Some(3))
    );
    let run = warpgrid(&["run", &saved, "--format", "json"], "");
    assert_eq!(json(&run)["fault"]["kind"], "out_of_bounds", "{run:?}");
    let output = warpgrid(&["open", &saved, "--save", &saved], "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn unlinkable_files_produce_one_line_error() {
    let folder = Folder::new("no-link");
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state >> 33
    };
    let long: String = (0..6_000).map(|_| format!("// {:x}\n", random())).collect();
    let long = folder.file("long.ptx", long.as_bytes());
    let later = folder.file("later.warpgrid.json", br#"{"warpgrid": 9, "source": ""}"#);
    let odd = folder.file("odd.json", br#"{"warpgrid": 1, "source": 3}"#);
    let picture = folder.file("picture.png", b"\x89PNG\0\0");
    let mut said = String::new();
    for file in [&long, &later, &odd, &picture] {
        let output = warpgrid(&["open", file], "");
        assert!(output.stdout.is_empty(), "{output:?}");
        let words =
            String::from_utf8_lossy(&output.stderr).replace(&*folder.0.to_string_lossy(), "");
        said += &format!("{}: {words}", output.status.code().unwrap_or(-1));
        let run = warpgrid(&["run", file], "");
        assert_ne!(run.status.code(), Some(101), "{run:?}");
    }
    expect![[r#"
        1: warpgrid: /long.ptx: the link would have 43649 characters, but many programs truncate links of more than 30000 characters: write a file with `--save`, share this file, and drop the file onto the playground to open it
        2: warpgrid: /later.warpgrid.json: The file was created by a newer version of Warpgrid (format 9; this version supports formats up to 1). Reload the page or update the command-line tool.
        2: warpgrid: /odd.json: Invalid file: `source` must be a string.
        2: warpgrid: /picture.png: the file is not a text file, because it contains NUL bytes: convert the file to UTF-8
    "#]].assert_eq(&said);
}
