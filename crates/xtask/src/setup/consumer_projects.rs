//! Bundlers and compilers of the consumer projects that test the npm package, installed into the cache next to the documentation tools. If
//! a tool cannot be installed, the command reports it and skips its page.

use super::npm;
use crate::shell::Result;
use std::path::PathBuf;

/// Vite by default and with wasm ES modules, webpack, and TypeScript for the type declarations. esbuild is a development dependency of the
/// repository.
const TOOLS: &[&str] = &[
    "typescript@7.0.2",
    "vite@8.3.8",
    "vite-plugin-wasm@3.6.0",
    "webpack@5.112.2",
];

/// Pages that only need the development dependencies of the repository.
const OWN: &[&str] = &["plain", "esbuild"];
/// Pages that need [`TOOLS`].
const INSTALLED: &[&str] = &["vite", "vite-modules", "webpack"];

/// Installs the tools and returns their directory.
pub(crate) fn folder() -> Result<PathBuf> {
    npm::in_cache("consumers", TOOLS)
}

/// Returns the pages that can be built, by their names in `crates/wasm/consumers/build.mjs`, and the directory of their tools.
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
