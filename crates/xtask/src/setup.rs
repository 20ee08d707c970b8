//! Installs the tools that the commands need. The setup searches for each tool first, and installs a tool only if the tool is missing or
//! has the wrong version.

pub(crate) mod browser;
pub(crate) mod consumer_projects;
pub(crate) mod debian;
pub(crate) mod doc_tools;
pub(crate) mod npm;
pub(crate) mod rust;

use crate::shell::Result;

/// Installs all tools, for `cargo xtask setup`.
pub(crate) fn everything() -> Result<()> {
    rust::wasm_target()?;
    rust::wasm_bindgen()?;
    rust::wasm_pack()?;
    rust::trunk()?;
    rust::clean_up();
    npm::packages()?;
    let found = browser::find_or_install()?;
    eprintln!(
        "  installed: {}, {}",
        found.chromium.display(),
        found.driver.display()
    );
    Ok(())
}
