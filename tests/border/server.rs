//! Message lists on a server: packed outlines in, decisions out. `tests/package/server.test.mjs` plays the frozen vectors
//! over the same border, packed by the shell.

use tool_approval_guard::core::row::{Crosses, Rows};
use tool_approval_guard::server::decisions::DecisionType;
use tool_approval_guard::web::abi::server::DecisionRow;
use tool_approval_guard::web::server::read_decisions;
use wasm_bindgen_test::wasm_bindgen_test;

/// The decisions of a packed question.
fn decisions(question: &[u8]) -> Vec<DecisionRow> {
    let numbers = read_decisions(question).expect("it can be read");
    let mut rows = Rows::new(&numbers);
    let mut decisions = Vec::new();
    while !rows.is_empty() {
        decisions.push(DecisionRow::read(&mut rows).expect("a row"));
    }
    assert!(!rows.is_short(), "whole rows");
    decisions
}

#[wasm_bindgen_test]
fn a_packed_denial_is_read() {
    let approval = b"\x08approval\x06\x02\x08approved\x01\x02id\x04\x01a";
    let call = b"\x05state\x04\x12approval-responded\x0atoolCallId\x04\x01c\x04type\x04\x07tool-rm";
    let question = [
        b"\x06\x02\x0bclientTools\x05\x00\x08messages\x05\x01",
        &b"\x06\x02\x05parts\x05\x01\x06\x04"[..],
        approval,
        call,
        b"\x04role\x04\x09assistant",
    ];
    let [row] = &decisions(&question.concat())[..] else { panic!("one decision") };
    assert_eq!(row.decision, DecisionType::Rejected);
    assert_eq!((row.message, row.part), (Some(0), Some(0)));
    assert!(row.current);
}

#[wasm_bindgen_test]
fn what_is_no_question_is_refused_and_what_is_no_list_is_malformed() {
    let alone = b"\x06\x01\x08messages\x05\x00";
    let of_null = b"\x06\x02\x0bclientTools\x00\x08messages\x05\x00";
    for wrong in [&b""[..], b"\x05", b"\xff", b"\x05\x00", b"\x06\x00", alone, of_null] {
        assert!(read_decisions(wrong).is_none(), "{wrong:?}");
    }
    let seven = b"\x06\x02\x0bclientTools\x05\x00\x08messages\x03\x07";
    let [row] = &decisions(seven)[..] else { panic!("one decision") };
    assert_eq!(row.decision, DecisionType::Malformed);
    assert_eq!((row.message, row.part), (None, None));
}
