//! Message lists on a server: packed outlines in, decisions out.

use js_sys::{Array, JSON};
use tool_approval_guard::core::json::{Value, parse};
use tool_approval_guard::core::row::{Crosses, Rows};
use tool_approval_guard::server::decisions::DecisionType;
use tool_approval_guard::web::abi::server::DecisionRow;
use tool_approval_guard::web::packed::Packed;
use tool_approval_guard::web::server::read_decisions;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{field, json};

/// A value as the shell packs it.
fn packed(value: &Value) -> Vec<u8> {
    fn number(mut rest: usize, bytes: &mut Vec<u8>) {
        while rest > 127 {
            bytes.push(rest as u8 | 128);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    fn text(text: &str, bytes: &mut Vec<u8>) {
        number(text.chars().count(), bytes);
        text.chars().for_each(|character| number(character as usize, bytes));
    }
    fn put(value: &Value, bytes: &mut Vec<u8>) {
        match value {
            Value::Null => bytes.push(Packed::Null as u8),
            Value::Bool(flag) => bytes.push(if *flag { Packed::Yes } else { Packed::No } as u8),
            Value::Number(_) => {
                bytes.push(Packed::Number as u8);
                number(value.as_u64().unwrap_or_default() as usize, bytes);
            }
            Value::String(of) => {
                bytes.push(Packed::Text as u8);
                text(of, bytes);
            }
            Value::Array(list) => {
                bytes.push(Packed::List as u8);
                number(list.len(), bytes);
                list.iter().for_each(|value| put(value, bytes));
            }
            Value::Object(object) => {
                bytes.push(Packed::Fields as u8);
                number(object.fields().len(), bytes);
                for (name, value) in object.fields() {
                    text(name, bytes);
                    put(value, bytes);
                }
            }
        }
    }
    let mut bytes = Vec::new();
    put(value, &mut bytes);
    bytes
}

/// The decisions of a message list, as the shell reads them.
fn decisions(messages: &str) -> Vec<DecisionRow> {
    let question = parse(&format!(r#"{{"messages":{messages},"clientTools":[]}}"#), &|_| 0.0).expect("JSON");
    let numbers = read_decisions(&packed(&question)).expect("it can be read");
    let mut rows = Rows::new(&numbers);
    let mut decisions = Vec::new();
    while !rows.is_empty() {
        decisions.push(DecisionRow::read(&mut rows).expect("a row"));
    }
    assert!(!rows.is_short(), "whole rows");
    decisions
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
            let name = row.decision.name();
            assert_eq!(field(&expected, "type").as_string().as_deref(), Some(name), "{}", json(&vector));
            assert_eq!(field(&expected, "message").as_f64(), row.message.map(|at| at as f64));
            assert_eq!(field(&expected, "part").as_f64(), row.part.map(|at| at as f64));
            assert_eq!(field(&expected, "current").as_bool(), Some(row.current));
            assert_eq!(!field(&expected, "edited").is_undefined(), row.edited, "{}", json(&vector));
            compared += 1;
        }
    }
    assert!(compared > 50, "only {compared} decisions");
}

#[wasm_bindgen_test]
fn what_is_no_question_is_refused_and_what_is_no_list_is_malformed() {
    for wrong in [&b""[..], b"\x05", b"\xff"] {
        assert!(read_decisions(wrong).is_none(), "{wrong:?}");
    }
    for wrong in ["[]", "{}", r#"{"messages":[]}"#, r#"{"messages":[],"clientTools":null}"#] {
        let question = parse(wrong, &|_| 0.0).expect("JSON");
        assert!(read_decisions(&packed(&question)).is_none(), "{wrong}");
    }
    let [row] = &decisions("7")[..] else { panic!("one decision") };
    assert_eq!(row.decision, DecisionType::Malformed);
    assert_eq!((row.message, row.part), (None, None));
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
    assert!(found.iter().all(|row| row.decision == DecisionType::Rejected));
}
