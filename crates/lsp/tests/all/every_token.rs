//! Answers at every token of the examples and of compiled modules. `UPDATE_EXPECT=1` updates the expected files.

use expect_test::expect_file;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use warpgrid_program::{LineIndex, SemanticTokenKind};
use warpgrid_view::{CheckOptions, Language, SourceLanguage};

/// Number of compiled modules.
const N_COMPILED: usize = 50;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the files with this extension in a directory and its subdirectories, sorted by path.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|own| own == "ptx") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Lists hover, definition and completions at each token. Fails if a definition has another name than the token.
fn answers(source: &str) -> String {
    let language = Language::from(SourceLanguage::Ptx);
    let document = language.open(source, &CheckOptions::default());
    let index = document.syntax().symbols();
    let lines = LineIndex::new(source);
    let mut list = String::new();
    for token in language.semantic_tokens(source) {
        if matches!(
            token.class,
            SemanticTokenKind::Comment | SemanticTokenKind::Punctuation
        ) {
            continue;
        }
        let text = token.span.text(source);
        let start = lines.position(source, token.span.start);
        let hover = document
            .hover_at(token.span.start)
            .map_or_else(String::new, |found| found.title);
        let definition = index
            .at(token.span.start)
            .filter(|own| own.span == token.span)
            .and_then(|own| {
                let symbol = index.symbol(own)?;
                let span = *index.definitions_of(own.symbol).first()?;
                let name = span.text(source);
                assert_eq!(name, symbol.name, "{text} at {start:?}");
                match own.member {
                    Some(number) => assert_eq!(text, format!("{name}{number}"), "{start:?}"),
                    None => assert_eq!(text, name, "{start:?}"),
                }
                Some(lines.position(source, span.start))
            });
        let definition =
            definition.map_or_else(String::new, |at| format!(" -> {}:{}", at.line, at.column));
        let completions = document.syntax().complete(token.span.end);
        let first = completions.first().map_or("", |found| found.text.as_str());
        let hover = hover.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            list,
            "{}:{} {text}{definition} | {hover} | {} {first}",
            start.line,
            start.column,
            completions.len(),
        );
    }
    list
}

/// Returns the FNV-1a hash of a text.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The complete answers of one example, and the hash of the answers of all examples.
#[test]
fn examples_have_expected_answers() {
    let mut hashes = String::new();
    for path in files(&root().join("public/examples")) {
        let source = std::fs::read_to_string(&path).expect("an example");
        let list = answers(&source);
        let name = path.strip_prefix(root()).expect("a path in the repository");
        let _ = writeln!(hashes, "{} {:016x}", name.display(), hash(&list));
        if name.ends_with("guarded-store.ptx") {
            expect_file!["../data/guarded-store.answers"].assert_eq(&list);
        }
    }
    expect_file!["../data/examples.hashes"].assert_eq(&hashes);
}

#[test]
fn compiled_modules_have_deterministic_answers() {
    let modules = files(&root().join("crates/view/tests/corpus"));
    assert!(modules.len() >= N_COMPILED, "{} modules", modules.len());
    // Modules at equal distances belong to different kernels and compilers.
    let step = modules.len() / N_COMPILED;
    for path in modules.iter().step_by(step).take(N_COMPILED) {
        let source = std::fs::read_to_string(path).expect("a module");
        let first = answers(&source);
        assert!(first.lines().count() > 20, "{}", path.display());
        assert_eq!(hash(&first), hash(&answers(&source)), "{}", path.display());
    }
}
