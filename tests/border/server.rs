//! Message lists on a server: outlines as JSON in, decisions out.

use js_sys::{Array, JSON};
use tool_approval_guard::server::decisions::DecisionType;
use tool_approval_guard::web::abi::DecisionRow;
use tool_approval_guard::web::server::read_decisions;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{field, json};

/// The decisions of a message list, as the shell reads them.
fn decisions(messages: &str) -> Vec<DecisionRow> {
    let question = format!("[{messages},[],null]");
    let numbers = read_decisions(question.as_bytes()).expect("it can be read");
    let read = |row: &[f64]| match *row {
        [decision, message, part, current, detail] => {
            DecisionRow { decision, message, part, current, detail }
        }
        _ => panic!("{row:?} is no row"),
    };
    numbers.chunks(DecisionRow::FIELDS.len()).map(read).collect()
}

#[wasm_bindgen_test]
fn the_frozen_vectors() {
    let vectors = Array::from(&JSON::parse(include_str!("../vectors/server.json")).expect("JSON"));
    let mut compared = 0;
    for vector in vectors.iter() {
        // What a server knows in addition crosses in a form of the shell.
        if !field(&vector, "clientTools").is_undefined() || !field(&vector, "requested").is_undefined() {
            continue;
        }
        let found = decisions(&json(&field(&vector, "messages")));
        let expected = Array::from(&field(&vector, "expect"));
        assert_eq!(found.len() as u32, expected.length(), "{}", json(&vector));
        for (row, expected) in found.iter().zip(expected.iter()) {
            let name = DecisionType::NAMES[row.decision as usize];
            assert_eq!(field(&expected, "type").as_string().as_deref(), Some(name), "{}", json(&vector));
            assert_eq!(field(&expected, "message").as_f64().unwrap_or(-1.0), row.message);
            assert_eq!(field(&expected, "part").as_f64().unwrap_or(-1.0), row.part);
            assert_eq!(field(&expected, "current").as_bool(), Some(row.current == 1.0));
            compared += 1;
        }
    }
    assert!(compared > 50, "only {compared} decisions");
}

#[wasm_bindgen_test]
fn what_is_no_question_is_refused_and_what_is_no_list_is_malformed() {
    for wrong in [&b""[..], b"[", b"[[]]", b"{}", b"[[],null,null]", b"\xff"] {
        assert!(read_decisions(wrong).is_none(), "{wrong:?}");
    }
    let [row] = &decisions("7")[..] else { panic!("one decision") };
    assert_eq!(DecisionType::NAMES[row.decision as usize], "malformed");
    assert_eq!((row.message, row.part), (-1.0, -1.0));
}

#[wasm_bindgen_test]
fn a_list_of_many_messages_crosses_at_once() {
    let part = r#"{"type":"tool-rm","toolCallId":"c","state":"approval-responded","approval":{"id":"a","approved":false}}"#;
    let message = |at: usize| {
        let part = part.replace("\"c\"", &format!("\"c{at}\"")).replace("\"a\"", &format!("\"a{at}\""));
        format!(r#"{{"role":"assistant","parts":[{part}]}}"#)
    };
    let all: Vec<String> = (0..10_000).map(message).collect();
    let found = decisions(&format!("[{}]", all.join(",")));
    assert_eq!(found.len(), 10_000);
    assert!(found.iter().all(|row| DecisionType::NAMES[row.decision as usize] == "rejected"));
}
