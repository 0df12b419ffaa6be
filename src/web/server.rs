//! The reading of a message list, as JavaScript asks it. What it needs of the list crosses as JSON, and numbers
//! come back.

use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::core::protocol::PartType;
use crate::core::verdict::Need;
use crate::server::decisions::{Decision, Known, Outcome, Problem, Request, read_decisions_with};

/// The names of the outcomes, in the order of their codes.
const OUTCOMES: [&str; 6] = ["rejected", "approved", "output", "error", "open", "malformed"];

/// Three numbers for each decision: its message and its part, from 1 on, and a code: the outcome, plus 8 if it is
/// current, 16 if it was overwritten, and 32 times what it waits for or what is wrong. `question` is the JSON of
/// `[messages, clientTools, requested]`; `requested` is a list of approval ids and call ids by turns, or `null`.
#[wasm_bindgen]
pub fn read_decisions(question: &[u8]) -> Option<Vec<u32>> {
    let question: Value = serde_json::from_slice(question).ok()?;
    let requested = texts(question.get(2)?);
    let known = Known {
        client_tools: texts(question.get(1)?)?,
        requested: requested.map(|ids| ids.chunks(2).filter_map(request).collect()),
    };
    let decisions = read_decisions_with(question.get(0)?, &known);
    Some(
        decisions
            .iter()
            .flat_map(|decision| [place(decision.message), place(decision.part), code(decision)])
            .collect(),
    )
}

/// The names behind the codes: outcomes, what is waited for, problems; and the types of parts, by which one
/// finds the name of a tool.
#[wasm_bindgen]
pub fn server_names() -> String {
    [&OUTCOMES, Need::NAMES, Problem::NAMES, PartType::NAMES].map(|names| names.join(" ")).join("\n")
}

fn texts(list: &Value) -> Option<Vec<&str>> {
    Some(list.as_array()?.iter().filter_map(Value::as_str).collect())
}

fn request<'a>(ids: &[&'a str]) -> Option<Request<'a>> {
    Some(Request { approval_id: ids.first()?, tool_call_id: ids.get(1)? })
}

fn place(index: Option<usize>) -> u32 {
    index.map_or(0, |index| index as u32 + 1)
}

fn code(decision: &Decision<'_>) -> u32 {
    let outcome = match decision.outcome {
        Outcome::Rejected { overwritten } => u32::from(overwritten) << 4,
        Outcome::Approved => 1,
        Outcome::Output => 2,
        Outcome::Error => 3,
        Outcome::Open { waits_for } => 4 | (waits_for as u32) << 5,
        Outcome::Malformed { code } => 5 | (code as u32) << 5,
    };
    outcome | u32::from(decision.current) << 3
}
