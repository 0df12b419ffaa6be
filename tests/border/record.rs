//! The record: entries as JSON in, what is to be written and what is known as objects out.

use js_sys::Array;
use tool_approval_guard::web::record::RecordCore;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{field, json, names};

const SESSION: &str = "0123456789abcdef";
const AT: f64 = 1_700_000_000_000.0;

fn record() -> RecordCore {
    let mut record = RecordCore::create(SESSION, "chat", &"07".repeat(32), 64, false).expect("a record");
    assert_eq!(record.read(None, None, 0.0, 0.0, Vec::new(), AT), None);
    record
}

/// A record in which a call asked, was allowed, and got its output.
pub fn with_a_call() -> RecordCore {
    let mut record = record();
    for entry in [
        r#"{"approvalId":"a","at":1700000000000,"inputHash":"HASH","mono":1,"seq":0,"toolCallId":"c","toolName":"rm","type":"asked"}"#,
        r#"{"actor":"person","approvalId":"a","approved":true,"at":1700000004000,"inputHash":"HASH","mono":4001,"outcome":"allowed-once","seq":1,"toolCallId":"c","toolName":"rm","type":"drafted","waitedMs":4000}"#,
        r#"{"actor":"person","approvalId":"a","approved":true,"at":1700000005000,"inputHash":"HASH","mono":5001,"outcome":"allowed-once","seq":2,"toolCallId":"c","toolName":"rm","type":"answered","waitedMs":4000}"#,
    ] {
        let entry = entry.replace("HASH", &record.hash("{}"));
        assert_eq!(record.append(&entry), None, "{entry}");
    }
    record.sequence();
    record
}

/// What has to be written.
fn change(record: &mut RecordCore) -> JsValue {
    let list = Array::new();
    record.change(&list);
    assert_eq!(list.length(), 1);
    list.get(0)
}

#[wasm_bindgen_test]
fn what_is_to_be_written_is_an_object_that_another_tab_reads() {
    let mut first = with_a_call();
    let change = change(&mut first);
    assert_eq!(field(&change, "first"), JsValue::from(0));
    let entries: Vec<String> =
        Array::from(&field(&change, "append")).iter().filter_map(|entry| entry.as_string()).collect();
    assert_eq!(entries.len(), 3);
    let text = |name| field(&change, name).as_string();
    first.written();
    let nothing = Array::new();
    first.change(&nothing);
    assert_eq!(nothing.length(), 0, "there is nothing more to write");

    let mut second =
        RecordCore::create("fedcba9876543210", "chat", &"07".repeat(32), 64, true).expect("a record");
    let length = entries.len() as f64;
    assert_eq!(second.read(text("head"), text("state"), 0.0, length, entries, AT + 10_000.0), None);
    assert_eq!(second.head(), first.head());
    let known = Array::new();
    second.recall(Some("a".to_owned()), "c", "rm", false, &known);
    let known = known.get(0);
    assert_eq!(field(&known, "approvalId").as_string().as_deref(), Some("a"));
    assert_eq!(field(&known, "approved"), JsValue::TRUE);
    assert_eq!(field(&known, "askedAt"), JsValue::from(AT));
    assert_eq!(field(&known, "inputHash").as_string(), Some(second.hash("{}")));
    assert!(names(&known).contains(&"deadline".to_owned()));
    assert!(field(&known, "deadline").is_undefined(), "what is not known is undefined and not null");
}

#[wasm_bindgen_test]
fn figures_are_numbers_and_pairs_are_lists() {
    let figures = with_a_call().metrics();
    assert_eq!(field(&figures, "asked"), JsValue::from(1));
    assert_eq!(field(&figures, "allowed"), JsValue::from(1));
    assert_eq!(json(&field(&figures, "times")), "[4000]");
    assert_eq!(json(&field(&figures, "answers")), r#"[["person",1]]"#);
    let load = Array::from(&with_a_call().load(10));
    assert_eq!(names(&load.get(0)), ["allowed", "asked", "denied", "inputHash", "toolName"]);
}

#[wasm_bindgen_test]
fn a_failure_is_a_name_and_throws_nothing() {
    assert!(RecordCore::create("no digits", "chat", &"07".repeat(32), 64, false).is_none());
    assert!(RecordCore::create(SESSION, "chat", "07", 64, false).is_none());
    let mut record = record();
    for wrong in ["", "{", "null", r#"{"type":"no such event"}"#, r#"{"at":-1,"type":"noticed"}"#] {
        assert_eq!(record.append(wrong).as_deref(), Some("malformed"), "{wrong}");
    }
    assert!(record.read(None, None, 0.0, 1.0, vec!["damaged".to_owned()], AT).is_some());
    assert_eq!(record.export("xml"), None);
}
