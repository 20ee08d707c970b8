//! The tools of other people's projects, which use the package in tests: installed into the cache, beside the documentation tools. One that
//! cannot be installed is named, and its page left out.

use super::npm;
use crate::shell::Result;
use std::path::PathBuf;

/// Vite in its own way and with the wasm as a module, webpack, and TypeScript for the types. esbuild is a tool of the project itself.
const TOOLS: &[&str] = &[
    "typescript@7.0.2",
    "vite@8.3.8",
    "vite-plugin-wasm@3.6.0",
    "webpack@5.112.2",
];

/// Pages that need nothing but the project's own tools.
const OWN: &[&str] = &["plain", "esbuild"];
/// Pages that need those of [`TOOLS`].
const INSTALLED: &[&str] = &["vite", "vite-modules", "webpack"];

/// The folder with the tools.
pub(crate) fn folder() -> Result<PathBuf> {
    npm::in_cache("consumers", TOOLS)
}

/// The pages that can be built, as `crates/wasm/consumers/build.mjs` calls them, and the folder of their tools.
pub(crate) fn pages() -> (Vec<&'static str>, Option<PathBuf>) {
    match folder() {
        Ok(folder) => ([OWN, INSTALLED].concat(), Some(folder)),
        Err(why) => {
            eprintln!(
                "  skipping the test page of {}: {why}",
                INSTALLED.join(", ")
            );
            (OWN.to_vec(), None)
        }
    }
}
