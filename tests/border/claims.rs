//! Claims: a transaction as JSON in, the answer and what is to be written as objects out.

use js_sys::Array;
use tool_approval_guard::web::claims::claim_calls;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{field, json, names};

const NOW: f64 = 1_700_000_000_000.0;

/// What comes of a command on stored claims, given as pairs of an id and a text in JSON.
fn claim(command: &str, rows: &str) -> JsValue {
    let transaction = format!(r#"{{"now":{NOW},"command":{command},"rows":{rows}}}"#);
    claim_calls(transaction.as_bytes()).expect("it can be read")
}

/// The claims that were written, as rows for the next command.
fn written(outcome: &JsValue) -> String {
    let rows = Array::from(&field(outcome, "writes"));
    let row = |write: JsValue| JsValue::from(Array::of2(&field(&write, "id"), &field(&write, "data")));
    json(&rows.iter().map(row).collect::<Array>().into())
}

const ASK: &str = r#"{"type":"ask","questions":[{"id":"a","call":"c","tool":"rm","input":"f"}],"user":"ann","expires":null}"#;

#[wasm_bindgen_test]
fn a_call_that_was_asked_is_taken_once() {
    let asked = claim(ASK, "[]");
    assert_eq!(json(&field(&asked, "answer")), r#"{"ok":true}"#);
    let write = Array::from(&field(&asked, "writes")).get(0);
    assert_eq!(names(&write), ["id", "data", "doubtfulFrom", "forgettableFrom", "waitingFrom"]);
    assert!(field(&write, "doubtfulFrom").is_undefined(), "what is never is undefined and not null");
    assert_eq!(field(&write, "waitingFrom"), JsValue::from(NOW));

    let take = |token: &str| {
        format!(
            r#"{{"type":"take","decisions":[{{"type":"approved","current":true,"approvalId":"a","toolCallId":"c","toolName":"rm","fingerprint":"f","runner":"server"}}],"user":"ann","token":"{token}","until":1700000060000}}"#
        )
    };
    let taken = claim(&take("one"), &written(&asked));
    let answer = field(&taken, "answer");
    assert_eq!(field(&answer, "status"), JsValue::from(200));
    assert!(field(&answer, "error").is_undefined());
    let calls = Array::from(&field(&answer, "calls"));
    assert_eq!(json(&calls.into()), r#"[{"at":0,"fate":"run"}]"#);
    let again = claim(&take("two"), &written(&taken));
    let calls = Array::from(&field(&field(&again, "answer"), "calls"));
    assert_ne!(field(&calls.get(0), "fate").as_string().as_deref(), Some("run"));
}

#[wasm_bindgen_test]
fn what_is_no_transaction_is_refused() {
    for wrong in [
        &b""[..],
        b"{",
        b"null",
        b"{\"now\":1}",
        b"{\"now\":-1,\"command\":{\"type\":\"review\"},\"rows\":[]}",
        b"\xff",
    ] {
        assert!(claim_calls(wrong).is_none(), "{wrong:?}");
    }
    let unknown = br#"{"now":1,"command":{"type":"drop"},"rows":[]}"#;
    assert!(claim_calls(unknown).is_none());
}

#[wasm_bindgen_test]
fn a_stored_claim_that_cannot_be_read_is_named_and_nothing_is_written() {
    let outcome = claim(r#"{"type":"review"}"#, r#"[["a","damaged"]]"#);
    assert_eq!(field(&outcome, "unreadable").as_string().as_deref(), Some("a"));
    assert!(field(&outcome, "answer").is_undefined());
    assert_eq!(Array::from(&field(&outcome, "writes")).length(), 0);
}

#[wasm_bindgen_test]
fn a_time_that_javascript_cannot_tell_from_the_next_is_the_last_that_it_can() {
    let late = ASK.replace("\"expires\":null", "\"expires\":18446744073709551615");
    let asked = claim(&late, "[]");
    let waiting = claim(r#"{"type":"waiting"}"#, &written(&asked));
    let waiting = Array::from(&field(&field(&waiting, "answer"), "calls")).get(0);
    assert_eq!(field(&waiting, "until"), JsValue::from(9_007_199_254_740_991.0));
}
