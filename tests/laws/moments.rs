//! What each law asks of a moment: which calls are there, and which of them are open.

use proptest::prelude::*;
use serde_json::Value;

use crate::common::chat_simulator::histories::History;
use crate::common::chat_simulator::{ChatSimulator, Moment, Truth, last_step, tag};
use crate::common::occurrences::{Occurrences, config, property};
use crate::common::{is_tool, parts};

pub type Verdict = Result<(), TestCaseError>;

pub fn calls(messages: &[Value]) -> impl Iterator<Item = &Value> {
    messages.iter().flat_map(parts).filter(|part| is_tool(part))
}

/// Is a call open? `None` where the laws do not say.
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

/// A law about each moment of the histories, and how often what it is about has to occur.
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
