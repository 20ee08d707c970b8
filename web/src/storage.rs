//! What the browser keeps for the next visit. The texts are kept by `web/editor/texts.js`.

use web_sys::Storage;

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
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
