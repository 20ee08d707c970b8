//! Builds the VS Code extension and the parser of the tree-sitter grammar.

use crate::arguments::Arguments;
use crate::package::{self, WasmPackage};
use crate::project_urls::ProjectUrls;
use crate::setup::{npm, rust};
use crate::shell::{self, Result};
use crate::stamp::build_if_changed;
use std::path::{Path, PathBuf};

/// npm packages of the extension and of its tests: the language client, the packaging tool, the tokenizer of VS Code, and the grammars of
/// VS Code for the languages with inline PTX.
const TOOLS: &[&str] = &[
    "@vscode/vsce@3.9.2",
    "tm-grammars@1.32.22",
    "vscode-languageclient@11.0.0",
    "vscode-oniguruma@2.0.1",
    "vscode-textmate@9.3.2",
];

/// Environment variable that contains the directory of [`TOOLS`].
pub(crate) const TOOLS_VARIABLE: &str = "EDITOR_TOOLS";

/// Maximum size of the extension in bytes.
const MAX_EXTENSION_BYTES: u64 = 3_000_000;

/// Directory of the grammar and its parser.
const GRAMMAR: &str = "editors/tree-sitter-ptx";

/// Implements `cargo xtask extension`.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    arguments.done()?;
    println!("  {}", pack_extension()?.display());
    Ok(true)
}

/// Installs the npm packages of the extension, and returns their directory.
pub(crate) fn tools() -> Result<PathBuf> {
    npm::in_cache("editors", TOOLS)
}

/// Builds the VS Code extension if the sources have changed, and returns the directory with the files of the archive.
pub(crate) fn extension() -> Result<PathBuf> {
    let package = package::built()?;
    let output = shell::root().join("target/vscode");
    build_if_changed("VS Code extension", std::slice::from_ref(&output), || {
        build_extension(&package, &output)
    })?;
    Ok(output)
}

fn build_extension(package: &Path, output: &Path) -> Result<()> {
    let server = shell::root().join("target/lsp-core");
    package::pack(&WasmPackage {
        title: "the language server",
        package: "crates/lsp-wasm",
        folder: &server,
        features: &[],
    })?;
    let mut command = shell::command("node");
    command.arg("editors/vscode/build.mjs");
    command.arg(output).arg(server).arg(package);
    command.env(TOOLS_VARIABLE, tools()?);
    ProjectUrls::of_project()?.lend(&mut command);
    shell::step("bundling the VS Code extension", &mut command).map(drop)
}

/// Creates the archive of the VS Code extension, and returns its path.
pub(crate) fn pack_extension() -> Result<PathBuf> {
    let folder = extension()?;
    let archives = shell::root().join("target/archive");
    std::fs::create_dir_all(&archives).map_err(|error| format!("target/archive: {error}"))?;
    let file = archives.join(format!("warpgrid-{}.vsix", env!("CARGO_PKG_VERSION")));
    let mut command = shell::command(tools()?.join("node_modules/.bin/vsce"));
    command.current_dir(&folder);
    // The extension contains bundles, so that the archive needs no installed packages.
    command.args(["package", "--no-dependencies", "--allow-missing-repository"]);
    command.arg("--out").arg(&file);
    shell::step("packing the VS Code extension", &mut command)?;
    let metadata =
        std::fs::metadata(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    if metadata.len() > MAX_EXTENSION_BYTES {
        return Err(format!(
            "the VS Code extension has {} bytes, which exceeds the limit of {MAX_EXTENSION_BYTES}: find the added code, or raise the limit in `xtask/src/editors.rs`",
            metadata.len()
        ));
    }
    Ok(file)
}

/// Generates the parser of the tree-sitter grammar from `grammar.js`.
pub(crate) fn write_parser() -> Result<()> {
    shell::step(
        "generating the tree-sitter parser",
        tree_sitter()?.arg("generate"),
    )
    .map(drop)
}

/// Packs the npm package of the tree-sitter grammar in the form that the registry receives.
pub(crate) fn try_grammar() -> Result<()> {
    npm::node()?;
    let mut command = shell::command("npm");
    command
        .args(["pack", "--dry-run"])
        .arg(shell::root().join(GRAMMAR));
    shell::step("packing the tree-sitter grammar", &mut command).map(drop)
}

/// Returns a `tree-sitter` command that runs in the directory of the grammar.
pub(crate) fn tree_sitter() -> Result<std::process::Command> {
    npm::node()?;
    let mut command = shell::command(rust::tree_sitter()?);
    command.current_dir(shell::root().join(GRAMMAR));
    Ok(command)
}
