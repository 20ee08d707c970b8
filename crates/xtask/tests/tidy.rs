//! Tests project rules that the compiler does not check. The rules apply to every file under version control.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Machine-specific paths and markers of unfinished work. Each word is split into two strings, so that this file does not contain the word.
const UNWANTED: &[(&str, &str)] = &[
    ("/ro", "ot/"),
    ("/ho", "me/"),
    ("/tm", "p/"),
    ("TO", "DO"),
    ("FIX", "ME"),
];

/// Phrases that usually indicate a relative clause or an everyday verb in place of a technical term. Braces enclose alternatives.
const MARKERS: &[&str] = &[
    "of its own",
    "{as it is|as they are}",
    "what {it|they|is|has|was|are|comes|does|goes|lies|can|may|must|a|an|the}",
    "where {it|they|that|there|a|an|the|no|one}",
    "{whoever|those that|that which|lies|lie}",
    "{come|comes} {before|after|to|together|from}",
    "{go on|goes on|give way|gives way|beside|whole|forth|besides that|so that|nobody|everybody|who}",
    "{is there|are there|is no}",
    "one {of|that}",
    "at {hand|once|a place}",
    "by {itself|themselves}",
    "{look at|looks at|ask|asks|know|knows|tell|tells|say|says|take|takes|bring|brings}",
];

/// Returns the alternatives of a marker: `at {hand|once}` yields `at hand` and `at once`.
fn alternatives(marker: &str) -> Vec<Vec<&str>> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    for part in marker.split_inclusive(['{', '}']) {
        let choices: Vec<&str> = match part.strip_suffix('}') {
            Some(choices) => choices.split('|').collect(),
            None => vec![part.trim_end_matches('{')],
        };
        let extended = all.iter().flat_map(|phrase| {
            choices.iter().map(|choice| {
                let words = choice.split_whitespace();
                phrase.iter().copied().chain(words).collect()
            })
        });
        all = extended.collect();
    }
    all
}

/// Texts of one kind, with their numbers of words and markers.
#[derive(Default)]
struct Prose {
    words: usize,
    markers: usize,
}

impl Prose {
    fn add(&mut self, text: &str, markers: &[Vec<&str>]) {
        let text = text.to_lowercase();
        let is_boundary = |c: char| !(c.is_alphanumeric() || c == '_' || c == '-');
        let words: Vec<&str> = text
            .split(is_boundary)
            .filter(|word| !word.is_empty())
            .collect();
        self.words += words.len();
        let starts_with_marker = |at: &usize| {
            let rest = &words[*at..];
            markers.iter().any(|marker| rest.starts_with(marker))
        };
        self.markers += (0..words.len()).filter(starts_with_marker).count();
    }

    fn per_thousand(&self) -> f64 {
        1000.0 * self.markers as f64 / self.words.max(1) as f64
    }
}

/// Returns the string literals of a source line that contain at least three words.
fn sentences_in(line: &str) -> impl Iterator<Item = &str> {
    let literals = line.split('"').skip(1).step_by(2);
    literals.filter(|literal| literal.split_whitespace().count() >= 3)
}

/// Prints the rate of markers per 1,000 words, for information: `cargo test -p xtask --test tidy -- --nocapture`.
#[test]
#[expect(clippy::print_stdout, reason = "the test prints the measured rates")]
fn unclear_phrase_rates_are_below_limit() {
    let markers: Vec<Vec<&str>> = MARKERS
        .iter()
        .flat_map(|marker| alternatives(marker))
        .collect();
    let [mut interface, mut documents, mut doc_comments, mut comments] =
        [(); 4].map(|()| Prose::default());
    let sources = files(&["rs", "js", "mjs", "md", "html"]);
    let is_test = |name: &str| name.contains("test") || name.contains("/data/");
    for (name, text) in sources.iter().filter(|(name, _)| !is_test(name)) {
        if name.ends_with(".md") {
            if name != "CHANGELOG.md" {
                documents.add(text, &markers);
            }
            continue;
        }
        for line in text.lines().map(str::trim_start) {
            match (
                line.strip_prefix("///").or(line.strip_prefix("//!")),
                line.strip_prefix("//"),
            ) {
                (Some(doc), _) => doc_comments.add(doc, &markers),
                (None, Some(comment)) => comments.add(comment, &markers),
                (None, None) => {
                    for sentence in sentences_in(line) {
                        interface.add(sentence, &markers);
                    }
                }
            }
        }
    }
    for (kind, prose) in [
        ("user interface", &interface),
        ("documentation", &documents),
        ("doc comments", &doc_comments),
        ("comments", &comments),
    ] {
        println!(
            "{kind}: {:.1} per 1,000 of {} words",
            prose.per_thousand(),
            prose.words
        );
        assert!(prose.words > 1_000, "{kind}: the texts were not found");
        assert!(
            prose.markers < prose.words / 10,
            "{kind}: {} markers",
            prose.markers
        );
    }
}

#[test]
fn marker_alternatives_expand_to_all_combinations() {
    let phrases = alternatives("{come|comes} {to|from}");
    let expected = [
        ["come", "to"],
        ["come", "from"],
        ["comes", "to"],
        ["comes", "from"],
    ];
    assert_eq!(phrases, expected);
}

#[test]
fn rust_files_start_with_module_documentation() {
    for (name, text) in files(&["rs"]) {
        assert!(text.starts_with("//!"), "{name} does not open with `//!`");
    }
}

#[test]
fn files_contain_no_unwanted_terms() {
    for (name, text) in files(&["rs", "md", "toml", "js", "mjs", "ts", "html", "css"]) {
        for (first, second) in UNWANTED {
            let word = format!("{first}{second}");
            assert!(!text.contains(&word), "{name} contains `{word}`");
        }
    }
}

#[test]
fn package_lock_contains_no_resolved_urls() {
    let (_, lock) = files(&["json"])
        .into_iter()
        .find(|(name, _)| name == "package-lock.json")
        .expect("the npm packages are locked");
    assert!(
        !lock.contains("\"resolved\""),
        "run npm with the project's .npmrc"
    );
}

/// Returns the names and contents of the text files under version control with one of the extensions.
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
        // If the removal of a file has not been committed, git lists the file although the file does not exist.
        std::fs::read_to_string(path)
            .ok()
            .map(|text| (name.to_string(), text))
    };
    listed.lines().filter(has_ending).filter_map(read).collect()
}
