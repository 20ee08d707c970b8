//! Browser storage of the page. `web/editor/texts.js` stores the kernels.

use web_sys::Storage;

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// Returns the session storage, which lives as long as the tab and survives a reload.
fn tab_storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

/// Returns the step that this tab showed before a reload with the same source.
pub fn persisted_step() -> Option<u64> {
    let kept = tab_storage()?.get_item("warpgrid.step").ok()??;
    kept.parse().ok()
}

/// Saves the step of the tab. `None` is for a source that is initially shown at another position.
pub fn set_step_of_tab(step: Option<u64>) {
    let Some(storage) = tab_storage() else { return };
    // A browser that denies storage does not restore the step.
    let _ = match step {
        Some(step) => storage.set_item("warpgrid.step", &step.to_string()),
        None => storage.remove_item("warpgrid.step"),
    };
}

/// Returns a saved value.
pub fn get(key: &str) -> Option<String> {
    storage()?.get_item(&format!("warpgrid.{key}")).ok()?
}

/// Saves a value. Errors are ignored, because a browser can deny storage.
pub fn set(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&format!("warpgrid.{key}"), value);
    }
}
