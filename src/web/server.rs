//! The export of the server entry. The outline of a message list comes in as JSON, so that no getter of the
//! application runs while it is read; decisions go out as rows of numbers.

use wasm_bindgen::prelude::wasm_bindgen;

use super::abi::DecisionRow;
use crate::core::json::{self, Value};
use crate::server::decisions::{Decision, Known, Outcome, Request, read_decisions_with};

/// Reads the decisions of a message list: a `DecisionRow` for each. `question` is the JSON of
/// `[messages, clientTools, requested]`; `requested` is `null` or a flat list in which approval ids and call ids
/// alternate.
#[wasm_bindgen]
pub fn read_decisions(question: &[u8]) -> Option<Vec<f64>> {
    // The outline has only whole numbers.
    let question = json::parse(std::str::from_utf8(question).ok()?, &|_| f64::NAN)?;
    let [messages, client_tools, requested] = question.as_array()? else { return None };
    let requested = texts(requested);
    let known = Known {
        client_tools: texts(client_tools)?,
        requested: requested.map(|ids| ids.chunks(2).filter_map(request).collect()),
    };
    let mut rows = Vec::new();
    for decision in read_decisions_with(messages, &known) {
        row(&decision).write(&mut rows);
    }
    Some(rows)
}

fn row(decision: &Decision<'_>) -> DecisionRow {
    let place = |at: Option<usize>| at.map_or(-1.0, |at| at as f64);
    let detail = match decision.outcome {
        Outcome::Rejected { overwritten } => u8::from(overwritten),
        Outcome::Open { waits_for } => waits_for as u8,
        Outcome::Malformed { code } => code as u8,
        Outcome::Approved | Outcome::Output | Outcome::Error => 0,
    };
    DecisionRow {
        decision: f64::from(decision.outcome.decision_type() as u8),
        message: place(decision.message),
        part: place(decision.part),
        current: f64::from(u8::from(decision.current)),
        detail: f64::from(detail),
    }
}

fn texts(list: &Value) -> Option<Vec<&str>> {
    Some(list.as_array()?.iter().filter_map(Value::as_str).collect())
}

fn request<'a>(ids: &[&'a str]) -> Option<Request<'a>> {
    Some(Request { approval_id: ids.first()?, tool_call_id: ids.get(1)? })
}
