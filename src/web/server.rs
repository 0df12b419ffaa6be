//! The exports of the server entry. The outline of a message list comes in packed, so that no getter of the
//! application runs while it is read; decisions go out as rows of numbers.

use wasm_bindgen::prelude::wasm_bindgen;

use super::abi::server::{DecisionRow, MergeRow};
use super::packed::unpack;
use crate::core::json::Value;
use crate::core::row::Crosses;
use crate::server::decisions::{self, Decision, Known, Outcome, Request};
use crate::server::merge::{self, Change, Merged, Tools};

/// Reads the decisions of a message list: a `DecisionRow` for each. `question` is the packed list
/// `[messages, clientTools, requested]`; `requested` is `null` or a flat list in which approval ids and call ids
/// alternate.
#[wasm_bindgen]
pub fn read_decisions(question: &[u8]) -> Option<Vec<f64>> {
    let question = unpack(question)?;
    let [messages, client_tools, requested] = question.as_array()? else { return None };
    let requested = texts(requested);
    let known = Known {
        client_tools: texts(client_tools)?,
        requested: requested.map(|ids| ids.chunks(2).filter_map(request).collect()),
    };
    let mut rows = Vec::new();
    for decision in decisions::read(messages, &known) {
        row(&decision).write(&mut rows);
    }
    Some(rows)
}

fn row(decision: &Decision<'_>) -> DecisionRow {
    let detail = match decision.outcome {
        Outcome::Rejected { overwritten } => u32::from(overwritten),
        Outcome::Open { waits_for } => waits_for as u32,
        Outcome::Malformed { code } => code as u32,
        Outcome::Approved | Outcome::Output | Outcome::Error => 0,
    };
    DecisionRow {
        decision: decision.outcome.decision_type(),
        message: decision.message,
        part: decision.part,
        current: decision.current,
        edited: decision.edited,
        detail,
    }
}

fn texts(list: &Value) -> Option<Vec<&str>> {
    Some(list.as_array()?.iter().filter_map(Value::as_str).collect())
}

fn request<'a>(ids: &[&'a str]) -> Option<Request<'a>> {
    Some(Request { approval_id: ids.first()?, tool_call_id: ids.get(1)? })
}

/// Says what a server takes of a list that was sent: a `MergeRow` for each change, message and refusal. `question` is the
/// packed list `[stored, sent, clientTools, editableTools]`.
#[wasm_bindgen]
pub fn merge_answers(question: &[u8]) -> Option<Vec<f64>> {
    let question = unpack(question)?;
    let [stored, sent, client, editable] = question.as_array()? else { return None };
    let (client, editable) = (texts(client)?, texts(editable)?);
    let merged = merge::merge(stored, sent, Tools { client: &client, editable: &editable });
    let mut rows = Vec::new();
    let nothing = MergeRow {
        kind: Merged::Refused,
        stored_message: 0,
        stored_part: 0,
        message: None,
        part: None,
        detail: 0,
        answer: None,
        edited: false,
    };
    for Change { stored, sent, state, approved, edited } in merged.changes {
        let change = MergeRow {
            kind: Merged::Change,
            stored_message: stored.0,
            stored_part: stored.1,
            message: Some(sent.0),
            part: Some(sent.1),
            detail: state as u32,
            answer: approved,
            edited,
        };
        change.write(&mut rows);
    }
    for message in merged.added {
        MergeRow { kind: Merged::Added, message: Some(message), ..nothing }.write(&mut rows);
    }
    for refused in merged.refused {
        let (message, part) = (refused.message, refused.part);
        MergeRow { message, part, detail: refused.code as u32, ..nothing }.write(&mut rows);
    }
    Some(rows)
}
