//! The export of `redact`.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::core::json::{digits, write_text};
use crate::redact::{self, MASK, Redacted, View};

/// Crosses in place of a mask where the value does not have it, because what is only ASCII is decoded and parsed in a
/// fraction of the time.
const SHORT_MASK: &str = "\u{7f}";

/// Masks the secrets of an input, which crosses as the bytes of its JSON. The result is JSON with `value`, `hidden` and
/// `mask`, which stands for each [`MASK`] in them; a field of the application may be called `__proto__`. It is an empty
/// text if nothing has to be masked, and `None` if the input cannot be shown.
#[wasm_bindgen]
pub fn redact(input: &[u8], record: bool) -> Option<String> {
    let input = std::str::from_utf8(input).ok()?;
    let view = if record { View::Record } else { View::Display };
    let Redacted { json, hidden } = redact::redact(input, view).ok()?;
    // Only a record is changed by anything else, and to compare a long text takes time.
    if !record && hidden.is_empty() || json == input {
        return Some(String::new());
    }
    let mut places = String::new();
    for (index, hidden) in hidden.iter().enumerate() {
        places.push_str(if index == 0 { "[" } else { ",[" });
        write_text(&hidden.pointer, &mut places);
        places.push(',');
        places.push_str(&digits(hidden.count as u64));
        places.push(']');
    }
    let mask = if json.contains(SHORT_MASK) { MASK } else { SHORT_MASK };
    let mut result = [r#"{"mask":""#, mask, r#"","value":"#].concat();
    write_masked(&json, mask, &mut result);
    result.push_str(r#","hidden":["#);
    write_masked(&places, mask, &mut result);
    result.push_str("]}");
    Some(result)
}

/// Appends JSON with another mask. The search of the standard library takes three times as long.
fn write_masked(json: &str, mask: &str, to: &mut String) {
    let mut rest = json;
    loop {
        let length = rest.bytes().position(|byte| byte == MASK.as_bytes()[0]).unwrap_or(rest.len());
        to.push_str(rest.get(..length).unwrap_or_default());
        let more = rest.get(length..).unwrap_or_default();
        if let Some(after) = more.strip_prefix(MASK) {
            to.push_str(mask);
            rest = after;
        } else if let Some(other) = more.chars().next() {
            to.push(other);
            rest = more.get(other.len_utf8()..).unwrap_or_default();
        } else {
            return;
        }
    }
}
