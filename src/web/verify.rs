//! The export that checks a record.

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::core::record::verify;
use crate::web::values::to_js;

/// Checks an export in JSON Lines. `heads` are the heads that were kept elsewhere, oldest first.
#[wasm_bindgen]
pub fn verify_export(text: &str, heads: Vec<String>) -> JsValue {
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    to_js(&verify::verify(text, &heads).report())
}
