//! What the commands need on a machine: each part is looked for first, and installed only when it is
//! missing or of the wrong version.

pub(crate) mod browser;
pub(crate) mod consumers;
pub(crate) mod documents;
pub(crate) mod npm;
pub(crate) mod rust;

use crate::shell::Result;

/// All parts, for `cargo xtask setup`.
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
