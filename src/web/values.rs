//! Typed values for JavaScript.

use serde::Serialize;
use wasm_bindgen::JsValue;

/// Makes a JavaScript value. Fields without a value are `undefined`.
pub fn to_js(value: &(impl Serialize + ?Sized)) -> JsValue {
    // It fails only for whole numbers that JavaScript cannot distinguish, and what is read or stored has none.
    serde_wasm_bindgen::to_value(value).unwrap_or_default()
}
