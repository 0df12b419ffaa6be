//! The exports of the server entry. The outline of a message list comes in as JSON, so that no getter of the
//! application runs while it is read; decisions are typed values.

use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::core::protocol::PartType;
use crate::core::verdict::Need;
use crate::server::decisions::{Decision, Known, Outcome, Problem, Request, read_decisions_with};
use crate::web::values::to_js;

/// A decision, with the fields of the TypeScript type `ReadDecision` that the message list does not have.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DecisionView {
    #[serde(rename = "type")]
    kind: &'static str,
    message_index: Option<usize>,
    part_index: Option<usize>,
    current: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    overwritten: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<Need>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Problem>,
}

impl From<&Decision<'_>> for DecisionView {
    fn from(decision: &Decision<'_>) -> Self {
        let mut view = Self {
            kind: "",
            message_index: decision.message,
            part_index: decision.part,
            current: decision.current,
            overwritten: None,
            waits_for: None,
            code: None,
        };
        view.kind = match decision.outcome {
            Outcome::Rejected { overwritten } => {
                view.overwritten = Some(overwritten);
                "rejected"
            }
            Outcome::Approved => "approved",
            Outcome::Output => "output",
            Outcome::Error => "error",
            Outcome::Open { waits_for } => {
                view.waits_for = Some(waits_for);
                "open"
            }
            Outcome::Malformed { code } => {
                view.code = Some(code);
                "malformed"
            }
        };
        view
    }
}

/// Reads the decisions of a message list. `question` is the JSON of `[messages, clientTools, requested]`;
/// `requested` is `null` or a flat list in which approval ids and call ids alternate.
#[wasm_bindgen]
pub fn read_decisions(question: &[u8]) -> Option<JsValue> {
    let question: Value = serde_json::from_slice(question).ok()?;
    let requested = texts(question.get(2)?);
    let known = Known {
        client_tools: texts(question.get(1)?)?,
        requested: requested.map(|ids| ids.chunks(2).filter_map(request).collect()),
    };
    let decisions = read_decisions_with(question.get(0)?, &known);
    Some(to_js(&decisions.iter().map(DecisionView::from).collect::<Vec<_>>()))
}

/// The part types, from which the name of a tool is read.
#[wasm_bindgen]
pub fn part_types() -> String {
    PartType::NAMES.join(" ")
}

fn texts(list: &Value) -> Option<Vec<&str>> {
    Some(list.as_array()?.iter().filter_map(Value::as_str).collect())
}

fn request<'a>(ids: &[&'a str]) -> Option<Request<'a>> {
    Some(Request { approval_id: ids.first()?, tool_call_id: ids.get(1)? })
}
