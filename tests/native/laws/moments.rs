//! What each law needs to know about a moment: its calls, and which of them are open.

use proptest::prelude::*;
use serde_json::Value;

use crate::common::chat_simulator::histories::History;
use crate::common::chat_simulator::{ChatSimulator, Moment, Truth, last_step, stands, tag};
use crate::common::occurrences::{Occurrences, config, property};
use crate::common::{is_tool, parts};

pub type Verdict = Result<(), TestCaseError>;

pub fn calls(messages: &[Value]) -> impl Iterator<Item = &Value> {
    messages.iter().flat_map(parts).filter(|part| is_tool(part))
}

/// Whether a call is open.
pub fn open(part: &Value, truth: &Truth) -> bool {
    if truth.denied() || truth.superseded {
        return false;
    }
    let provider = part["providerExecuted"] == true;
    match part["state"].as_str().unwrap_or_default() {
        _ if truth.asks() => true,
        "approval-requested" => truth.answer != Some(true) || truth.client(),
        "approval-responded" => part["approval"]["approved"] != true || truth.client(),
        "output-available" => part["preliminary"] == true,
        "output-error" | "output-denied" => false,
        "input-streaming" | "input-available" => !provider || truth.question.is_some(),
        _ => true,
    }
}

pub fn step_calls<'a>(messages: &'a [Value], truths: &'a [Truth]) -> Vec<(&'a Value, &'a Truth)> {
    let step = last_step(messages).iter().filter(|part| is_tool(part));
    step.filter_map(|part| Some((part, truths.get(tag(part))?))).collect()
}

/// Whether an allowance without a result stands in a list before the last step.
pub fn is_left_behind(list: &[Value], part: &Value, truth: &Truth) -> bool {
    let has_result = truth.page_output.is_some() || truth.server_output || truth.ran.is_some();
    truth.answer == Some(true) && !has_result && !stands(list, part)
}

/// Checks a law at each moment of the histories, and requires how often its case occurs.
pub fn each_moment(
    histories: impl Strategy<Value = History>,
    floors: &[(&'static str, u32)],
    law: fn(&Moment, &Occurrences) -> Verdict,
) {
    property(config(1200), histories, floors, |history, occurred| {
        let simulator = ChatSimulator::run(&history);
        simulator.trace.iter().try_for_each(|moment| law(moment, occurred))
    });
}
