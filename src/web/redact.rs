//! The export of `redact`.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::core::json::write_text;
use crate::redact::{self, MASK, Redacted, View};

/// Crosses in place of a mask where the input does not have it, because what is only ASCII is decoded and parsed in a
/// fraction of the time.
const SHORT_MASK: char = '\u{7f}';

/// Masks the secrets of an input for display or for the record. The input crosses as the bytes of its JSON, the
/// result as JSON of `mask` (what crosses in place of [`MASK`]), `value` and `hidden`: it is the application's own data, in which a field may be called
/// `__proto__`. Returns an empty text if nothing has to be masked, and `None` if the input cannot be shown.
#[wasm_bindgen]
pub fn redact(input: &[u8], record: bool) -> Option<String> {
    let input = std::str::from_utf8(input).ok()?;
    let view = if record { View::Record } else { View::Display };
    let Redacted { json, hidden } = redact::redact(input, view).ok()?;
    if json == input {
        return Some(String::new());
    }
    let mask = if input.contains(SHORT_MASK) { MASK.to_owned() } else { SHORT_MASK.to_string() };
    let json = masked_by(&json, &mask);
    let mut result = [r#"{"mask":""#, &*mask, r#"","value":"#, &*json, r#","hidden":["#].concat();
    for (index, hidden) in hidden.iter().enumerate() {
        result.push_str(if index == 0 { "[" } else { ",[" });
        write_text(&masked_by(&hidden.pointer, &mask), &mut result);
        result.push(',');
        result.push_str(&hidden.count.to_string());
        result.push(']');
    }
    result.push_str("]}");
    Some(result)
}

/// A text with another mask. The search of the standard library takes twice the time.
fn masked_by(text: &str, mask: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let (before, more) =
            rest.split_at(rest.bytes().position(|byte| byte == MASK.as_bytes()[0]).unwrap_or(rest.len()));
        made.push_str(before);
        rest = more;
        if let Some(after) = rest.strip_prefix(MASK) {
            made.push_str(mask);
            rest = after;
        } else if let Some(other) = rest.chars().next() {
            made.push(other);
            rest = &rest[other.len_utf8()..];
        } else {
            return made;
        }
    }
}
