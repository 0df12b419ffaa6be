//! An object of JavaScript, for what values are made of.

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// An object whose fields are set one by one.
    pub type Object;
    #[wasm_bindgen(constructor)]
    pub fn new() -> Object;
    #[wasm_bindgen(method, indexing_setter)]
    pub fn set(this: &Object, name: &str, value: JsValue);
}
