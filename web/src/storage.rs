//! What the browser keeps for the next visit. The texts are kept by `web/editor/texts.js`.

use web_sys::Storage;

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// What lives as long as the tab, a reload included.
fn tab_storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

/// The step at which this tab was left, with the text that it still shows.
pub fn step_of_tab() -> Option<u64> {
    let kept = tab_storage()?.get_item("warpgrid.step").ok()??;
    kept.parse().ok()
}

/// Keeps the step that the tab shows; `None` when its text is shown at another place first.
pub fn set_step_of_tab(step: Option<u64>) {
    let Some(storage) = tab_storage() else { return };
    // A browser that forbids it just forgets.
    let _ = match step {
        Some(step) => storage.set_item("warpgrid.step", &step.to_string()),
        None => storage.remove_item("warpgrid.step"),
    };
}

/// A kept value.
pub fn get(key: &str) -> Option<String> {
    storage()?.get_item(&format!("warpgrid.{key}")).ok()?
}

/// Keeps a value; a browser that forbids it just forgets.
pub fn set(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&format!("warpgrid.{key}"), value);
    }
}
