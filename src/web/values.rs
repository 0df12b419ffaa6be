//! Typed values for JavaScript: objects and lists, made from what Rust derives.

use serde::Serialize;
use wasm_bindgen::JsValue;

/// Makes a JavaScript value. Fields without a value are `undefined`.
pub fn to_js(value: &impl Serialize) -> JsValue {
    // Only a value that is no JSON, such as a map with a list for a key, could fail.
    serde_wasm_bindgen::to_value(value).unwrap_or_default()
}
