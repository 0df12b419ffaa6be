//! `localStorage` and `sessionStorage`. Each access can fail: storage is blocked by a setting, missing in a
//! worker, or full. Nothing here throws; a failure returns a code.

use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Storage;

/// The storage cannot be used.
const BLOCKED: &str = "blocked";
/// The storage is full.
const FULL: &str = "full";

/// One of the two storages of a page.
#[wasm_bindgen]
pub struct StorageCore {
    storage: Storage,
}

#[wasm_bindgen]
impl StorageCore {
    /// Opens `local` or `session`; returns `undefined` if it cannot be used.
    pub fn open(area: &str) -> Option<StorageCore> {
        let window = web_sys::window()?;
        let storage = match area {
            "local" => window.local_storage(),
            "session" => window.session_storage(),
            _ => return None,
        };
        storage.ok().flatten().map(|storage| Self { storage })
    }

    /// Returns the text under a key.
    pub fn read(&self, key: &str) -> Option<String> {
        self.storage.get_item(key).ok().flatten()
    }

    /// Stores a text. Returns a code if that fails: `full` also if the browser gives the page no space at all.
    pub fn write(&self, key: &str, text: &str) -> Option<String> {
        let trouble = match self.storage.set_item(key, text) {
            Ok(()) => return None,
            // Storage that cannot even be read is blocked.
            Err(_) if self.storage.length().is_err() => BLOCKED,
            Err(_) => FULL,
        };
        Some(trouble.to_owned())
    }

    /// Removes a key.
    pub fn remove(&self, key: &str) -> Option<String> {
        let failed = self.storage.remove_item(key).is_err();
        failed.then(|| BLOCKED.to_owned())
    }

    /// Returns the keys with a prefix; `undefined` if they cannot be read.
    pub fn keys(&self, prefix: &str) -> Option<Vec<String>> {
        let length = self.storage.length().ok()?;
        let mut keys = Vec::new();
        for index in 0..length {
            keys.extend(self.storage.key(index).ok()?.filter(|key| key.starts_with(prefix)));
        }
        Some(keys)
    }
}
