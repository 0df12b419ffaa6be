//! Law 6: nothing else is touched.

use proptest::prelude::*;
use serde_json::Value;

use super::moments::{Verdict, each_moment, is_left_behind};
use crate::common::chat_simulator::histories::{history, replacing_history};
use crate::common::chat_simulator::{Moment, Truth, stands, tag};
use crate::common::occurrences::Occurrences;
use crate::common::{RESIDUE, is_tool, parts};

/// Whether the guard may change this part.
fn may_change(part: &Value, truth: &Truth, sent: Option<(bool, bool)>) -> bool {
    let output = truth.page_output.is_some() || truth.server_output;
    let state = part["state"].as_str().unwrap_or_default();
    let moves_on = sent.is_some_and(|(_, automatic)| !automatic) && !output;
    truth.denied()
        || truth.superseded
        || (truth.asks() && state != "approval-requested")
        || (truth.answer == Some(true) && state == "approval-requested")
        || (moves_on
            && truth.answer == Some(true)
            && (sent.is_some_and(|(person, _)| person) || truth.client()))
        || (sent.is_some_and(|(_, automatic)| !automatic) && truth.client() && state.starts_with("input"))
        || (moves_on && truth.answer.is_none() && (truth.question.is_some() || truth.client()))
}

pub fn same(before: &[Value], after: &[Value], truths: &[Truth], sent: Option<(bool, bool)>) -> Verdict {
    prop_assert_eq!(before.len(), after.len());
    for (was, is) in before.iter().zip(after) {
        prop_assert_eq!(parts(was).len(), parts(is).len());
        for (old, new) in parts(was).iter().zip(parts(is)) {
            let changes = |truth: &&Truth| {
                let is_behind = sent.is_some() && is_left_behind(before, old, truth);
                let sent = sent.map(|(person, automatic)| (person, automatic && stands(before, old)));
                is_tool(old) && (is_behind || may_change(old, truth, sent))
            };
            let truth = truths.get(tag(old)).filter(changes);
            if truth.is_none() {
                prop_assert_eq!(old, new);
            }
            for (field, value) in old.as_object().into_iter().flatten() {
                let repaired = field == "state" || field == "approval" || RESIDUE.contains(&field.as_str());
                prop_assert!(repaired || new.get(field) == Some(value), "{field} of {old} became {new}");
            }
        }
        let frame = |message: &Value| {
            let mut frame = message.clone();
            frame["parts"] = Value::Null;
            frame
        };
        prop_assert_eq!(frame(was), frame(is));
    }
    Ok(())
}

fn law_6(moment: &Moment, occurred: &Occurrences) -> Verdict {
    match moment {
        Moment::Sent { home, wire, truths, person, automatic } => {
            occurred.count_if(home == wire, "a list has left as it was");
            occurred.count_if(home != wire, "a list was repaired");
            same(home, wire, truths, Some((*person, *automatic)))
        }
        Moment::Asked { before, after, truths, .. } => same(before, after, truths, None),
        _ => Ok(()),
    }
}

#[test]
fn law_6_nothing_else_is_touched() {
    let floors = [("a list has left as it was", 1000), ("a list was repaired", 150)];
    each_moment(prop_oneof![2 => history(), 1 => replacing_history()], &floors, law_6);
}
