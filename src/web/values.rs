//! Typed values for JavaScript: objects and lists made by `serde` derives.

use serde::Serialize;
use wasm_bindgen::JsValue;

/// Makes a JavaScript value. Fields without a value are `undefined`.
pub fn to_js(value: &impl Serialize) -> JsValue {
    // It fails only for values that JSON cannot express, such as a map with lists as keys.
    serde_wasm_bindgen::to_value(value).unwrap_or_default()
}
