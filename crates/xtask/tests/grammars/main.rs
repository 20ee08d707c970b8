//! Generates the grammars of editors: each template in `editors/templates` receives the word lists of the instruction tables. The test
//! fails if a generated file differs from the committed file.

mod word_lists;

use expect_test::{ExpectFile, expect_file};
use std::path::Path;
use word_lists::WordLists;

#[test]
fn generated_grammars_match_instruction_tables() {
    let lists = WordLists::of_tables();
    let generated: &[(&str, ExpectFile)] = &[
        (
            "ptx.tmLanguage.json",
            expect_file!["../../../../editors/vscode/syntaxes/ptx.tmLanguage.json"],
        ),
        (
            "sass.tmLanguage.json",
            expect_file!["../../../../editors/vscode/syntaxes/sass.tmLanguage.json"],
        ),
        (
            "targets.json",
            expect_file!["../../../../editors/vscode/src/targets.json"],
        ),
        (
            "tables.json",
            expect_file!["../../../../editors/tree-sitter-ptx/tables.json"],
        ),
        (
            "kate-ptx.xml",
            expect_file!["../../../../editors/kate/ptx.xml"],
        ),
        (
            "PTX.sublime-syntax",
            expect_file!["../../../../editors/sublime/PTX.sublime-syntax"],
        ),
        (
            "warpgrid-tables.el",
            expect_file!["../../../../editors/emacs/warpgrid-tables.el"],
        ),
        (
            "../tree-sitter-ptx/queries/highlights.scm",
            expect_file!["../../../../editors/zed/languages/ptx/highlights.scm"],
        ),
        (
            "ptx.vim",
            expect_file!["../../../../editors/neovim/syntax/ptx.vim"],
        ),
    ];
    for (template, file) in generated {
        file.assert_eq(&fill_template(template, &lists));
    }
}

/// Returns a template in which each placeholder `{{LIST FORMAT}}` is replaced by the words of a list in a format.
fn fill_template(name: &str, lists: &WordLists) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/templates");
    let template = std::fs::read_to_string(folder.join(name)).expect("a template");
    let mut pieces = template.split("{{");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (placeholder, rest) = piece.split_once("}}").expect("the end of a placeholder");
        let (list, format) = placeholder
            .split_once(' ')
            .unwrap_or((placeholder, "pattern"));
        text += &format_words(lists.find(list), format);
        text += rest;
    }
    text
}

/// Returns the words in the format of a placeholder.
fn format_words(words: &[String], format: &str) -> String {
    let quoted = || {
        words
            .iter()
            .map(|word| format!("{word:?}"))
            .collect::<Vec<_>>()
    };
    match format {
        // Alternatives of a regular expression.
        "pattern" => words.join("|"),
        "vim" => words.join(r"\|"),
        "json" => quoted().join(", "),
        // String literals of a Lisp list.
        "lines" => quoted().join("\n    "),
        "words" => words.join(" "),
        // Elements of a Kate list.
        "items" => words
            .iter()
            .map(|word| format!("\n      <item>{word}</item>"))
            .collect(),
        _ => panic!("unknown format `{format}`"),
    }
}

#[test]
fn editor_packages_have_version_of_workspace() {
    let editors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors");
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    for name in [
        "vscode/package.json",
        "tree-sitter-ptx/package.json",
        "tree-sitter-ptx/tree-sitter.json",
    ] {
        let manifest = std::fs::read_to_string(editors.join(name)).expect("a manifest");
        assert!(
            manifest.contains(&version),
            "{name} does not contain {version}"
        );
    }
}
