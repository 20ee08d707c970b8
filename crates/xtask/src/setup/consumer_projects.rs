//! Installs the bundlers and compilers of the consumer projects, which test the npm package. The tools are installed in the cache directory
//! next to the documentation tools. If a tool cannot be installed, the command reports the tool and skips the page of this tool.

use super::npm;
use crate::shell::Result;
use std::path::PathBuf;

/// Packages of the tools: Vite by default and with wasm ES modules, webpack, and TypeScript for the type declarations. esbuild is a
/// development dependency of the repository.
const TOOLS: &[&str] = &[
    "typescript@7.0.2",
    "vite@8.3.8",
    "vite-plugin-wasm@3.6.0",
    "webpack@5.112.2",
];

/// Pages that require only the development dependencies of the repository.
const OWN: &[&str] = &["plain", "esbuild"];
/// Pages that require [`TOOLS`].
const INSTALLED: &[&str] = &["vite", "vite-modules", "webpack"];

/// Installs the tools and returns the directory of the tools.
pub(crate) fn folder() -> Result<PathBuf> {
    npm::in_cache("consumers", TOOLS)
}

/// Returns the pages that can be built, and the directory of their tools. The page names are those in `crates/wasm/consumers/build.mjs`.
pub(crate) fn pages() -> (Vec<&'static str>, Option<PathBuf>) {
    match folder() {
        Ok(folder) => ([OWN, INSTALLED].concat(), Some(folder)),
        Err(reason) => {
            eprintln!(
                "  skipping the test page of {}: {reason}",
                INSTALLED.join(", ")
            );
            (OWN.to_vec(), None)
        }
    }
}
