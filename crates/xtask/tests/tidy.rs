//! House rules that no compiler checks: every file under version control goes in, complaints come out.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Words that name a machine or leave work undone. Written in halves, so that this file may hold them.
const UNWANTED: &[(&str, &str)] = &[
    ("/ro", "ot/"),
    ("/ho", "me/"),
    ("/tm", "p/"),
    ("TO", "DO"),
    ("FIX", "ME"),
];

/// Words that say less than the plain ones of rustdoc and of the manuals. Written in halves, as above.
const VAGUE: &[(&str, &str)] = &[
    ("so ma", "ny"),
    ("beh", "ind"),
    ("stan", "ds"),
    ("to", "ld"),
    ("ju", "dge"),
    ("jud", "ged"),
    ("judg", "es"),
    ("judg", "ing"),
    ("wan", "ts"),
    ("nob", "ody"),
    ("every", "body"),
    ("for", "th"),
    ("at a pr", "ess"),
    ("did not arr", "ive"),
    ("is com", "ing"),
    ("are com", "ing"),
    ("since th", "en"),
];

#[test]
fn sentences_use_plain_words() {
    let mut found = Vec::new();
    for (name, text) in files(&["rs", "md", "js", "mjs", "ts", "html", "ptx"]) {
        for (number, line) in text.lines().enumerate() {
            for (first, second) in VAGUE {
                let word = format!("{first}{second}");
                if has_word(line, &word) {
                    found.push(format!("{name}:{}: `{word}`", number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Whether `line` has the word on its own; `_` separates words.
fn has_word(line: &str, word: &str) -> bool {
    let line = line.to_lowercase();
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !is_part(before) && !is_part(after)
    })
}

#[test]
fn every_rust_file_opens_with_a_line_on_what_goes_in_and_out() {
    for (name, text) in files(&["rs"]) {
        assert!(text.starts_with("//!"), "{name} does not open with `//!`");
    }
}

#[test]
fn no_file_names_a_machine_or_leaves_work_undone() {
    for (name, text) in files(&["rs", "md", "toml", "js", "mjs", "ts", "html", "css"]) {
        for (first, second) in UNWANTED {
            let word = format!("{first}{second}");
            assert!(!text.contains(&word), "{name} contains `{word}`");
        }
    }
}

#[test]
fn lock_files_name_no_registry_host() {
    let (_, lock) = files(&["json"])
        .into_iter()
        .find(|(name, _)| name == "package-lock.json")
        .expect("the npm packages are locked");
    assert!(
        !lock.contains("\"resolved\""),
        "run npm with the project's .npmrc"
    );
}

/// Text files under version control with one of the endings, by name.
fn files(endings: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = Command::new("git")
        .arg("ls-files")
        .current_dir(&root)
        .output()
        .expect("git runs");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let has_ending = |name: &&str| {
        let ending = Path::new(name)
            .extension()
            .map(|ending| ending.to_string_lossy());
        ending.is_some_and(|ending| endings.contains(&ending.as_ref()))
    };
    let read = |name: &str| {
        let path: PathBuf = root.join(name);
        // A file that was removed and not yet committed is listed, and not there.
        std::fs::read_to_string(path)
            .ok()
            .map(|text| (name.to_string(), text))
    };
    listed.lines().filter(has_ending).filter_map(read).collect()
}
