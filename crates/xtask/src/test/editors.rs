//! Runs the tests of the editor packages: the grammars, the VS Code extension, and the configuration files of other editors.

use super::{suite, test_counts};
use crate::editors;
use crate::setup::{browser, debian};
use crate::shell::{self, Result};
use std::path::PathBuf;
use test_counts::TestCounts;

const GENERATED_PARSER: &str = "editors/tree-sitter-ptx/src";

/// Runs the tests of the TextMate grammars, which need only Node.
pub(super) fn grammars() -> Result<TestCounts> {
    let mut command = node(&[
        "editors/vscode/test/content.test.mjs",
        "editors/vscode/test/grammars.test.mjs",
    ]);
    command.env(editors::TOOLS_VARIABLE, editors::tools()?);
    suite("TextMate grammars", &mut command, test_counts::of_node)
}

/// Runs the tests of the configuration files: in Emacs and Neovim, which start the language server, and with the syntax highlighter of Kate.
/// If an editor is missing and cannot be installed, the tests count as one skipped test.
fn configurations() -> Result<TestCounts> {
    let editors = match editors() {
        Ok(editors) => editors,
        Err(message) => {
            eprintln!("  skipping the tests in editors: {message}");
            return Ok(TestCounts {
                skipped: 1,
                ..TestCounts::default()
            });
        }
    };
    let mut command = node(&["editors/test/configurations.test.mjs"]);
    command.envs(editors);
    command.env("WARPGRID", server()?);
    suite("Emacs, Neovim and Kate", &mut command, test_counts::of_node)
}

/// Returns the environment variables with the paths of the editors, which are installed if they are missing.
fn editors() -> Result<[(&'static str, PathBuf); 3]> {
    let highlighter = "kate-syntax-highlighter";
    let found = [
        ("EMACS", debian::program("emacs", "emacs-nox")?),
        ("NVIM", debian::program("nvim", "neovim")?),
        (
            "KATE_HIGHLIGHTER",
            debian::program(highlighter, "libkf5syntaxhighlighting-tools")?,
        ),
    ];
    debian::library(EMACS_PACKAGES, "eglot-", "elpa-eglot")?;
    Ok(found)
}

/// Directory of the Emacs packages of Debian. Eglot is part of Emacs 29 and a separate package for earlier releases.
const EMACS_PACKAGES: &str = "/usr/share/emacs/site-lisp/elpa-src";

/// Returns the path of the command, which the native tests have built.
fn server() -> Result<PathBuf> {
    let path = shell::root().join("target/debug/warpgrid");
    if !path.exists() {
        let mut command = shell::cargo();
        command.args(["build", "--package", "warpgrid"]);
        shell::step("compiling the command", &mut command)?;
    }
    Ok(path)
}

/// Runs the tests of the configuration files, and of the VS Code extension with its language server.
pub(super) fn run() -> Result<TestCounts> {
    let mut total = configurations()?;
    let mut command = node(&["editors/vscode/test/server.test.mjs"]);
    command.env("VSCODE_EXTENSION", editors::extension()?);
    command.env("CHROMIUM", browser::find_or_install()?.of_journeys());
    total += suite("VS Code extension", &mut command, test_counts::of_node)?;
    total += TestCounts::from(editors::pack_extension().map(drop));
    Ok(total)
}

/// Runs the tests of the tree-sitter grammar and its parser. The default suites omit these tests, because the tree-sitter command takes
/// several minutes to compile.
pub(super) fn tree_sitter() -> Result<TestCounts> {
    let mut total = TestCounts::from(check_parser());
    total += suite(
        "tree-sitter grammar",
        editors::tree_sitter()?.arg("test"),
        test_counts::of_tree_sitter,
    )?;
    let mut command = node(&["editors/tree-sitter-ptx/test/repository.test.mjs"]);
    command.env("TREE_SITTER", editors::tree_sitter()?.get_program());
    total += suite(
        "tree-sitter parser on all PTX files",
        &mut command,
        test_counts::of_node,
    )?;
    total += TestCounts::from(editors::try_grammar());
    Ok(total)
}

fn node(tests: &[&str]) -> std::process::Command {
    let mut command = shell::command("node");
    command.args(["--test", "--test-reporter=tap"]).args(tests);
    command
}

/// Regenerates the parser of the tree-sitter grammar. Returns an error if the committed parser is out of date.
fn check_parser() -> Result<()> {
    editors::write_parser()?;
    let mut command = shell::command("git");
    command.args(["diff", "--exit-code", "--stat", GENERATED_PARSER]);
    shell::step("comparing the tree-sitter parser", &mut command).map(drop)
}
