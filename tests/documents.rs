//! Stored documents that this package once wrote are read, and say what they said then. `tests/documents` holds
//! them (`.record`) beside what the code that wrote them knew (`.json`), and what a session knew that took several
//! of them over (`.together.json`). Nothing writes them again: a later version has to read them as they are.
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tool_approval_guard::core::record::Record;
use tool_approval_guard::core::record::verify::verify;

const CHAT: &str = "chat";
const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents")
}

/// The names of the files that end like this.
fn named(end: &str) -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("a file").file_name());
    let names = entries.filter_map(|name| name.to_string_lossy().strip_suffix(end).map(str::to_owned));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn text(name: &str) -> String {
    fs::read_to_string(folder().join(name)).expect("a file")
}

fn document(name: &str) -> Record {
    Record::decode(&text(&format!("{name}.record")), CHAT).expect("a document of an earlier version")
}

fn expected(file: &str) -> Value {
    serde_json::from_str(&text(file)).expect("JSON")
}

/// What a record says of its calls. What is `null` or `false` is left out, but for an answer.
fn calls(record: &Record) -> Vec<Value> {
    let known = record.known();
    let mut calls: Vec<Value> = Vec::new();
    for recollection in known.recollections() {
        let call = known.call(
            recollection.approval_id.as_deref(),
            &recollection.tool_call_id,
            &recollection.tool_name,
        );
        let call = call.expect("the call of a recollection");
        let mut value = serde_json::to_value(&recollection).expect("JSON");
        let fields = value.as_object_mut().expect("an object");
        for (name, then) in [("hearsay", "secondHand"), ("lone", "soleCandidate")] {
            let field = fields.remove(name).expect("a field");
            fields.insert(then.to_owned(), field);
        }
        fields.insert("class".to_owned(), json!(call.class()));
        fields.insert("closed".to_owned(), json!(call.call.closed()));
        fields.retain(|name, value| !value.is_null() && (name == "approved" || *value != json!(false)));
        calls.push(value);
    }
    calls.sort_by_key(|call| [call["toolCallId"].to_string(), call["approvalId"].to_string()]);
    calls
}

/// A document, a call of it, and what is otherwise there.
type Otherwise<'a> = (&'a str, &'a str, &'a [(&'a str, &'a [&'a str])]);

/// What is said otherwise than it was said then: a field and its value now, of a call or of the metrics. Everything
/// else is as it was.
const OTHERWISE: &[Otherwise<'_>] = &[
    // Laws 2 and 13: what a server has run has arrived, also before its response has ended.
    (
        "reach",
        "\"ended\"",
        &[
            ("absorbed-and-sealed", &["call1006", "call1045", "call1071", "call1087"]),
            ("another-tab", &["call1006", "call1045", "call1071"]),
            ("one-tab", &["call1085", "call1087", "call1090"]),
            ("outputs", &["call801"]),
            ("sealed", &["call801"]),
            ("tabs", &["call1006", "call1045", "call1071", "call1087"]),
        ],
    ),
    // It says how far an answer has come, and here is none that the messages do not show.
    ("reach", "\"failed\"", &[("page-1", &["call3"])]),
    ("reach", "\"unsent\"", &[("tabs", &["call1090"])]),
    // Law 14: another tab has allowed the call, and a server has run it, so that nobody has abandoned it.
    ("class", "\"allowed\"", &[("other-tab", &["call704"]), ("sealed", &["call704"])]),
    ("allowed", "3", &[("other-tab", &["metrics"])]),
    ("abandoned", "0", &[("other-tab", &["metrics"])]),
    ("allowed", "24", &[("sealed", &["metrics"])]),
    ("abandoned", "5", &[("sealed", &["metrics"])]),
    // An answer that a page has put back, and that nobody has given in this record, is somebody else's (law 5).
    ("reach", "\"sent\"", &[("second-page", &["call15"])]),
    ("secondHand", "true", &[("second-page", &["call15"])]),
    // An error that a response has taken is closed: nobody settles it.
    ("closed", "true", &[("moved-on", &["call503"]), ("page-8", &["s8"]), ("sealed", &["call503"])]),
    // Law 7: what a person has drafted here counts more than that another tab was heard to allow the call.
    (
        "class",
        "\"waiting\"",
        &[("absorbed-and-sealed", &["call1034", "call1105"]), ("tabs", &["call1034", "call1105"])],
    ),
    (
        "reach",
        "\"unsent\"",
        &[("absorbed-and-sealed", &["call1034", "call1105"]), ("tabs", &["call1034", "call1105"])],
    ),
    (
        "secondHand",
        "null",
        &[("absorbed-and-sealed", &["call1034", "call1105"]), ("tabs", &["call1034", "call1105"])],
    ),
    ("allowed", "17", &[("tabs", &["metrics"])]),
    ("abandoned", "15", &[("tabs", &["metrics"])]),
];

fn otherwise(name: &str, of: &str, said: &mut Value) {
    for (field, now, documents) in OTHERWISE {
        if documents.iter().any(|(document, calls)| *document == name && calls.contains(&of)) {
            let now: Value = serde_json::from_str(now).expect("JSON");
            assert_ne!(said[*field], now, "{name}: {of} is not said otherwise");
            said[*field] = now;
        }
    }
    said.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
}

/// Compares a record with what a document said once.
fn compare(name: &str, record: &mut Record, expected: &Value) {
    let calls = calls(record);
    let said = expected["calls"].as_array().expect("calls");
    assert_eq!(calls.len(), said.len(), "{name}");
    for (call, said) in calls.iter().zip(said) {
        let mut said = said.clone();
        otherwise(name, call["toolCallId"].as_str().expect("an id"), &mut said);
        assert_eq!(*call, said, "{name}");
    }
    let mut metrics = serde_json::to_value(record.metrics()).expect("JSON");
    metrics.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
    let mut said = expected["metrics"].clone();
    otherwise(name, "metrics", &mut said);
    assert_eq!(metrics, said, "{name}");
    assert_eq!(json!(record.state().load.top(9)), expected["load"], "{name}");
    let export = verify(&record.export_jsonl(), &[&record.head()]);
    assert_eq!(serde_json::to_value(export.report()).expect("JSON"), expected["export"], "{name}");
    assert_eq!(json!(record.grants()), expected["grants"], "{name}");
    assert_eq!(json!(record.notes().iter().collect::<Vec<_>>()), expected["notes"], "{name}");
}

#[test]
fn law_10_a_document_of_an_earlier_version_says_what_it_said() {
    let names = named(".record");
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let mut record = document(&name);
        assert_eq!(record.document(), text(&format!("{name}.record")), "{name} is written as it was read");
        compare(&name, &mut record, &expected(&format!("{name}.json")));
    }
}

#[test]
fn law_10_documents_of_an_earlier_version_are_taken_over_as_they_were() {
    let names = named(".together.json");
    assert_eq!(names.len(), 2);
    for name in names {
        let expected = expected(&format!("{name}.together.json"));
        let documents = expected["documents"].as_array().expect("documents").iter();
        let documents = documents.map(|name| document(name.as_str().expect("a name"))).collect();
        let mut record = Record::new(&format!("{:016x}", 99), CHAT, SALT, 64).expect("a record");
        record.inherit(documents, |_| true, 1_700_009_000_000).expect("an inheritance");
        compare(&name, &mut record, &expected);
    }
}
