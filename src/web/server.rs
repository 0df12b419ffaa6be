//! The exports of the server entry. The outline of a message list comes in packed, so that no getter of the
//! application runs while it is read; decisions go out as rows of numbers.

use wasm_bindgen::prelude::wasm_bindgen;

use super::abi::{DecisionRow, MergeRow};
use super::packed::unpack;
use crate::core::json::Value;
use crate::server::decisions::{Decision, Known, Outcome, Request, read_decisions_with};
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
    for decision in read_decisions_with(messages, &known) {
        row(&decision).write(&mut rows);
    }
    Some(rows)
}

fn row(decision: &Decision<'_>) -> DecisionRow {
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
        edited: f64::from(u8::from(decision.edited)),
        detail: f64::from(detail),
    }
}

fn texts(list: &Value) -> Option<Vec<&str>> {
    Some(list.as_array()?.iter().filter_map(Value::as_str).collect())
}

fn request<'a>(ids: &[&'a str]) -> Option<Request<'a>> {
    Some(Request { approval_id: ids.first()?, tool_call_id: ids.get(1)? })
}

fn place(at: Option<usize>) -> f64 {
    at.map_or(-1.0, |at| at as f64)
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
    let mut put =
        |kind: Merged, stored: (usize, usize), sent: [Option<usize>; 2], detail: u8, answer: f64, edited| {
            let row = MergeRow {
                kind: f64::from(kind as u8),
                stored_message: stored.0 as f64,
                stored_part: stored.1 as f64,
                message: place(sent[0]),
                part: place(sent[1]),
                detail: f64::from(detail),
                answer,
                edited: f64::from(u8::from(edited)),
            };
            row.write(&mut rows);
        };
    for Change { stored, sent, state, approved, edited } in merged.changes {
        let answer = approved.map_or(-1.0, |approved| f64::from(u8::from(approved)));
        put(Merged::Change, stored, [Some(sent.0), Some(sent.1)], state as u8, answer, edited);
    }
    for message in merged.added {
        put(Merged::Added, (0, 0), [Some(message), None], 0, -1.0, false);
    }
    for refused in merged.refused {
        put(Merged::Refused, (0, 0), [refused.message, refused.part], refused.code as u8, -1.0, false);
    }
    Some(rows)
}
