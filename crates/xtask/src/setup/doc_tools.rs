//! Installs the documentation tools whose plugins the end-to-end tests cover. The tools are installed in the cache directory. If a tool
//! cannot be installed, the command reports the tool and skips the document of this tool. For example, Sphinx requires Python with `venv`.

use super::npm;
use super::rust::{self, cache};
use crate::shell::{self, Result};
use std::path::PathBuf;

const SPHINX: &str = "sphinx==9.0.4";
const MKDOCS: &str = "mkdocs==1.6.1";
const MARKDOWN_IT: &[&str] = &["markdown-it@14.1.0", "vue@3.5.13"];
const MDX: &[&str] = &["@mdx-js/mdx@3.1.1", "react@19.3.1", "react-dom@19.3.1"];

const DOCUSAURUS: &[&str] = &[
    "@docusaurus/core@3.9.2",
    "@docusaurus/preset-classic@3.9.2",
    "react@19.3.1",
    "react-dom@19.3.1",
    // The progress bar of Docusaurus is incompatible with later releases of webpack.
    "webpack@5.99.9",
];

/// Documentation tool, with the information that `docs/hosts/build.mjs` requires.
#[derive(Debug)]
pub(crate) struct DocumentTool {
    /// Name of the tool in `docs/hosts/build.mjs`.
    pub(crate) name: &'static str,
    /// Name of an environment variable, and the path of the tool, which is the value of this variable.
    pub(crate) place: (&'static str, PathBuf),
}

/// Returns the documentation tools that are installed or that can be installed.
pub(crate) fn tools() -> Vec<DocumentTool> {
    let found = [
        ("mdbook", "MDBOOK", rust::mdbook()),
        (
            "sphinx",
            "SPHINX_BUILD",
            python_tool(SPHINX, "sphinx-build"),
        ),
        ("mkdocs", "MKDOCS", python_tool(MKDOCS, "mkdocs")),
        (
            "markdown-it",
            "MARKDOWN_IT_PROJECT",
            npm::in_cache("markdown-it", MARKDOWN_IT),
        ),
        ("mdx", "MDX_PROJECT", npm::in_cache("mdx", MDX)),
        (
            "docusaurus",
            "DOCUSAURUS_PROJECT",
            npm::in_cache("docusaurus", DOCUSAURUS),
        ),
    ];
    let mut tools = Vec::new();
    for (name, variable, place) in found {
        match place {
            Ok(place) => tools.push(DocumentTool {
                name,
                place: (variable, place),
            }),
            Err(reason) => eprintln!("  skipping the test document of {name}: {reason}"),
        }
    }
    tools
}

/// Installs a Python package in a separate directory, and returns the path of its command.
fn python_tool(package: &str, command: &str) -> Result<PathBuf> {
    let folder = cache().join(package.replace("==", "-"));
    let command = folder.join("bin").join(command);
    if !command.is_file() {
        let mut python = shell::command("python3");
        shell::step(
            &format!("creating a directory for {package}"),
            python.args(["-m", "venv"]).arg(&folder),
        )?;
        let mut pip = shell::command(folder.join("bin/pip"));
        shell::step(
            &format!("installing {package}"),
            pip.args(["install", "--quiet", package]),
        )?;
    }
    Ok(command)
}
