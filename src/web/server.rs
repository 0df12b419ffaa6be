//! The exports of the server entry. The outline of a message list comes in packed, so that no getter of the
//! application runs while it is read; decisions go out as rows of numbers.

use wasm_bindgen::prelude::wasm_bindgen;

use super::abi::server::{DecisionRow, MergeRow};
use super::packed::unpack;
use crate::core::json::Value;
use crate::core::row::Crosses;
use crate::server::decisions::{self, Decision, Known, Outcome, Request};
use crate::server::merge::{self, Change, Merged, Tools};

/// Reads the decisions of a message list: a `DecisionRow` for each. `question` is packed: `messages`, the names of the
/// `clientTools` and, if it is known which approvals were `requested`, the `approvalId` and the `toolCallId` of each.
#[wasm_bindgen]
pub fn read_decisions(question: &[u8]) -> Option<Vec<f64>> {
    let question = unpack(question)?;
    let requested = question.get("requested").and_then(Value::as_array);
    let known = Known {
        client_tools: texts(question.get("clientTools")?)?,
        requested: requested.map(|all| all.iter().filter_map(request).collect()),
    };
    let mut rows = Vec::new();
    for decision in decisions::read(question.get("messages")?, &known) {
        row(&decision).write(&mut rows);
    }
    Some(rows)
}

fn row(decision: &Decision<'_>) -> DecisionRow {
    let Decision { outcome, message, part, current, edited, .. } = *decision;
    DecisionRow {
        decision: outcome.decision_type(),
        message,
        part,
        current,
        edited,
        overwritten: matches!(outcome, Outcome::Rejected { overwritten: true }),
        waits_for: if let Outcome::Open { waits_for } = outcome { Some(waits_for) } else { None },
        code: if let Outcome::Malformed { code } = outcome { Some(code) } else { None },
    }
}

fn texts(list: &Value) -> Option<Vec<&str>> {
    Some(list.as_array()?.iter().filter_map(Value::as_str).collect())
}

fn request(fields: &Value) -> Option<Request<'_>> {
    let text = |name| fields.get(name).and_then(Value::as_str);
    Some(Request { approval_id: text("approvalId")?, tool_call_id: text("toolCallId")? })
}

/// Says what a server takes of a list that was `sent`: a `MergeRow` for each change, message and refusal. `question` is
/// packed; `stored` is the list of the server, `clientTools` and `editable` are names of tools.
#[wasm_bindgen]
pub fn merge_answers(question: &[u8]) -> Option<Vec<f64>> {
    let question = unpack(question)?;
    let [stored, sent, client, editable] =
        ["stored", "sent", "clientTools", "editable"].map(|name| question.get(name));
    let (client, editable) = (texts(client?)?, texts(editable?)?);
    let merged = merge::merge(stored?, sent?, Tools { client: &client, editable: &editable });
    let mut rows = Vec::new();
    let nothing = MergeRow {
        kind: Merged::Refused,
        stored_message: 0,
        stored_part: 0,
        message: None,
        part: None,
        state: None,
        code: None,
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
            state: Some(state),
            answer: approved,
            edited,
            ..nothing
        };
        change.write(&mut rows);
    }
    for message in merged.added {
        MergeRow { kind: Merged::Added, message: Some(message), ..nothing }.write(&mut rows);
    }
    for refused in merged.refused {
        let (message, part) = (refused.message, refused.part);
        MergeRow { message, part, code: Some(refused.code), ..nothing }.write(&mut rows);
    }
    Some(rows)
}
