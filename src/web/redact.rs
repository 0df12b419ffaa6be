//! The export of `redact`.

use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::redact::{self, View};

/// Masks the secrets of an input for display or for the record. The input crosses as the bytes of its JSON, the
/// result as JSON with `value` and `hidden`: it is the application's own data, in which a field may be called
/// `__proto__`. Returns an empty text if nothing has to be masked, and `None` if the input cannot be shown.
#[wasm_bindgen]
pub fn redact(input: &[u8], record: bool) -> Option<String> {
    let input: Value = serde_json::from_slice(input).ok()?;
    let view = if record { View::Record } else { View::Display };
    let redacted = redact::redact(&input, view).ok()?;
    if redacted.value == input {
        return Some(String::new());
    }
    let hidden =
        redacted.hidden.iter().map(|hidden| json!([hidden.pointer, hidden.count])).collect::<Value>();
    // Not `json!` for all of it, which would copy the value.
    Some(format!(r#"{{"value":{},"hidden":{hidden}}}"#, redacted.value))
}
