//! The check of exports: texts in, a report as an object out.

use tool_approval_guard::web::verify::verify_export;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{field, names, record::with_a_call};

fn text(value: &JsValue, name: &str) -> Option<String> {
    field(value, name).as_string()
}

#[wasm_bindgen_test]
fn an_export_of_the_record_is_intact_and_a_head_proves_it() {
    let mut record = with_a_call();
    let export = record.export("jsonl").expect("an export");
    let report = verify_export(&export, vec![record.head()]);
    assert_eq!(text(&report, "type").as_deref(), Some("intact"));
    assert_eq!(field(&report, "complete"), JsValue::TRUE);
    assert_eq!(field(&report, "entries"), JsValue::from(3));
    assert_eq!(field(&report, "provenTo"), JsValue::from(3));
    assert_eq!(text(&report, "head"), Some(record.head()));
    let unproven = verify_export(&export, Vec::new());
    assert_eq!(field(&unproven, "complete"), JsValue::FALSE);
    assert!(!names(&unproven).contains(&"provenTo".to_owned()), "nothing is proven");
}

#[wasm_bindgen_test]
fn a_line_that_was_changed_is_named() {
    let export = with_a_call().export("jsonl").expect("an export");
    for (from, to, code) in [
        ("\"approved\":true", "\"approved\":false", "hash"),
        ("record", "recording", "header"),
        ("drafted", "x", "not-an-entry"),
    ] {
        let changed = export.replacen(from, to, 1);
        assert_ne!(changed, export);
        let report = verify_export(&changed, Vec::new());
        assert_eq!(text(&report, "type").as_deref(), Some("broken"));
        assert_eq!(text(&report, "code").as_deref(), Some(code));
        assert_eq!(names(&report), ["type", "code", "line", "message"]);
    }
    let head = "1".repeat(64);
    assert_eq!(text(&verify_export(&export, vec![head]), "code").as_deref(), Some("head"));
}
