//! The masks of secrets: an input comes in as the bytes of its JSON, a text of JSON goes out.

use js_sys::{Array, JSON};
use tool_approval_guard::web::redact::redact;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{field, json, names};

fn read(text: &str) -> JsValue {
    JSON::parse(text).expect("JSON")
}

#[wasm_bindgen_test]
fn a_secret_is_masked_and_its_place_is_named() {
    let said = redact(br#"{"user":"ann","password":"hunter2"}"#, false).expect("it can be shown");
    assert!(!said.contains("hunter2"));
    let said = read(&said);
    assert_eq!(names(&said), ["mask", "value", "hidden"]);
    let mask = field(&said, "mask").as_string().expect("a text");
    let value = field(&said, "value");
    assert_eq!(field(&value, "password").as_string(), Some(mask));
    assert_eq!(field(&value, "user").as_string().as_deref(), Some("ann"));
    let hidden = Array::from(&field(&said, "hidden"));
    assert_eq!(json(&hidden.into()), r#"[["/password",1]]"#);
}

#[wasm_bindgen_test]
fn what_has_no_secret_crosses_as_nothing() {
    assert_eq!(redact(br#"{"path":"a.txt"}"#, false).as_deref(), Some(""));
    assert_eq!(redact(br#"{"path":"a.txt"}"#, true).as_deref(), Some(""));
}

#[wasm_bindgen_test]
fn what_is_no_json_cannot_be_shown() {
    for wrong in [&b""[..], b"{", b"undefined", b"{\"a\":\xff}", b"1 2"] {
        assert_eq!(redact(wrong, false), None, "{wrong:?}");
    }
    assert_eq!(redact("[".repeat(10_000).as_bytes(), false), None, "too deep");
}

#[wasm_bindgen_test]
fn a_field_may_have_any_name_and_a_text_the_short_mask() {
    let input =
        br#"{"__proto__":{"token":"ghp_012345678901234567890123456789012345"},"constructor":"a\u007fb"}"#;
    let said = read(&redact(input, false).expect("it can be shown"));
    let value = field(&said, "value");
    assert!(names(&value).contains(&"__proto__".to_owned()), "{}", json(&value));
    assert_eq!(field(&value, "constructor").as_string().as_deref(), Some("a\u{7f}b"));
    assert_ne!(field(&said, "mask").as_string().as_deref(), Some("\u{7f}"), "the value has it already");
}
