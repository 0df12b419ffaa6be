//! Tests that lines of documents from earlier versions of this package are still read, and still have the
//! same meaning. `tests/documents` contains the documents (`.record`), each with the knowledge of the code
//! that wrote it (`.json`). They are never written again. The format of the data around the lines was never
//! published at that time, so only this test reads it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tool_approval_guard::core::call::Delivery;
use tool_approval_guard::core::record::chain::Chain;
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::verify::verify;
use tool_approval_guard::core::record::{State, export, json as record_json};

const CHAT: &str = "chat";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents")
}

/// The names of the files with this ending.
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

/// A document: its session, the data next to its lines, and the fold of the lines.
struct Document {
    session: String,
    beside: Value,
    chain: Chain,
    state: State,
}

fn document(name: &str) -> Document {
    let text = text(&format!("{name}.record"));
    let mut rows = text.lines().skip(1);
    let mut next = || rows.next().expect("a line");
    let beside: Value = serde_json::from_str(next()).expect("JSON");
    // The second line contains the checkpoint as it was written.
    let base = next();
    let sealed: Value = serde_json::from_str(base).expect("JSON");
    let checkpoint = base.split_once("\"checkpoint\":").expect("a checkpoint").1;
    let (checkpoint, _) = checkpoint.split_once(",\"length\":").expect("its end");
    let mut state: State = record_json::parse(checkpoint).expect("the state of sealed lines");
    let head = sealed["base"].as_str().expect("a hash");
    let head: Vec<u8> =
        (0..64).step_by(2).map(|at| u8::from_str_radix(&head[at..at + 2], 16).expect("hex")).collect();
    let mut chain =
        Chain::after(sealed["length"].as_u64().expect("a count"), head.try_into().expect("32 bytes"));
    for text in rows {
        let line = Line::parse(text).expect("a line of an earlier version");
        assert_eq!(line.text(), text, "{name}: a line is written as it was read");
        state.apply(&line);
        chain.push(line, text.to_owned());
    }
    let session = beside["session"].as_str().expect("a session").to_owned();
    Document { session, beside, chain, state }
}

fn expected(file: &str) -> Value {
    serde_json::from_str(&text(file)).expect("JSON")
}

/// What a record knows about its calls. Fields that are `null` or `false` are left out, except for an answer.
fn calls(document: &Document) -> Vec<Value> {
    let known = &document.state.known;
    let mut calls: Vec<Value> = Vec::new();
    for recollection in known.calls().iter().map(|call| call.recollection()) {
        let call = known.call(
            recollection.approval_id.as_deref(),
            &recollection.tool_call_id,
            &recollection.tool_name,
        );
        let call = call.expect("the call of a recollection");
        let mut value = serde_json::to_value(&recollection).expect("JSON");
        let fields = value.as_object_mut().expect("an object");
        let unsent = matches!(call.call.delivery(), Delivery::Idle | Delivery::Unsent | Delivery::History);
        fields.insert("secondHand".to_owned(), json!(call.call.elsewhere() && unsent));
        fields.insert("soleCandidate".to_owned(), json!(known.is_lone(call)));
        fields.insert("class".to_owned(), json!(call.class()));
        fields.insert("closed".to_owned(), json!(call.call.closed()));
        fields.retain(|name, value| !value.is_null() && (name == "approved" || *value != json!(false)));
        calls.push(value);
    }
    calls.sort_by_key(|call| [call["toolCallId"].to_string(), call["approvalId"].to_string()]);
    calls
}

/// A field, its value now, and the calls of each document for which it is different.
type Otherwise<'a> = (&'a str, &'a str, &'a [(&'a str, &'a [&'a str])]);

/// The differences from what was known when the documents were written. Everything else is unchanged.
const OTHERWISE: &[Otherwise<'_>] = &[
    // Laws 2 and 13: a call that the server has run has arrived, even before its response has ended.
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
    // The field gives the progress of an answer, and this call has no answer that the messages do not show.
    ("reach", "\"failed\"", &[("page-1", &["call3"])]),
    ("reach", "\"unsent\"", &[("tabs", &["call1090"])]),
    // Law 14: another tab has allowed the call, and a server has run it, so it was not abandoned.
    ("class", "\"allowed\"", &[("other-tab", &["call704"]), ("sealed", &["call704"])]),
    ("allowed", "3", &[("other-tab", &["metrics"])]),
    ("abandoned", "0", &[("other-tab", &["metrics"])]),
    ("allowed", "24", &[("sealed", &["metrics"])]),
    ("abandoned", "5", &[("sealed", &["metrics"])]),
    // A restored answer that no session of this record has given comes from somewhere else (law 5).
    ("reach", "\"sent\"", &[("second-page", &["call15"])]),
    ("secondHand", "true", &[("second-page", &["call15"])]),
    // A call whose error was accepted in a response is closed, so nothing is left to settle.
    ("closed", "true", &[("moved-on", &["call503"]), ("page-8", &["s8"]), ("sealed", &["call503"])]),
    // Law 7: a draft that a person made here counts more than an allowance of another tab.
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

/// Compares a document with its earlier meaning.
fn compare(name: &str, document: &mut Document, expected: &Value) {
    let calls = calls(document);
    let said = expected["calls"].as_array().expect("calls");
    assert_eq!(calls.len(), said.len(), "{name}");
    for (call, said) in calls.iter().zip(said) {
        let mut said = said.clone();
        otherwise(name, call["toolCallId"].as_str().expect("an id"), &mut said);
        assert_eq!(*call, said, "{name}");
    }
    let Document { session, beside, chain, state } = document;
    let waiting = state.known.waiting(|call| call.session == *session);
    let mut metrics = serde_json::to_value(state.metrics.figures(waiting)).expect("JSON");
    metrics.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
    let mut said = expected["metrics"].clone();
    otherwise(name, "metrics", &mut said);
    assert_eq!(metrics, said, "{name}");
    assert_eq!(json!(state.load.top(9)), expected["load"], "{name}");
    let head = beside["head"].as_str().expect("a hash");
    let export = verify(&export::jsonl(CHAT, chain), &[head]);
    assert_eq!(serde_json::to_value(export.report()).expect("JSON"), expected["export"], "{name}");
}

#[test]
fn law_10_the_lines_of_an_earlier_version_say_what_they_said() {
    let names = named(".record");
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let mut document = document(&name);
        if document.chain.kept().iter().any(|kept| kept.line.head.is_some()) {
            // The fold of another document that was taken over was stored next to the lines. The lines are
            // still intact.
            let head = document.beside["head"].as_str().expect("a hash");
            let export = verify(&export::jsonl(CHAT, &document.chain), &[head]);
            assert_eq!(serde_json::to_value(export.report()).expect("JSON")["complete"], true, "{name}");
            continue;
        }
        compare(&name, &mut document, &expected(&format!("{name}.json")));
    }
}
