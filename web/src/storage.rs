//! Browser storage of the page. Saved kernels are stored separately by `web/editor/kernel-store.js`.

use web_sys::Storage;

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// Returns the session storage. Its contents survive a reload, but not the closing of the tab.
fn tab_storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

/// Returns the step that this tab showed before a reload, if the source is unchanged.
pub fn persisted_step() -> Option<u64> {
    let kept = tab_storage()?.get_item("warpgrid.step").ok()??;
    kept.parse().ok()
}

/// Saves the current step of the tab. `None` removes the saved step, so that the next source is shown at its initial position.
pub fn set_step_of_tab(step: Option<u64>) {
    let Some(storage) = tab_storage() else { return };
    // If the browser denies storage, the step is not restored after a reload.
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
