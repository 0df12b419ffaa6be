//! Laws 4, 5 and 7: a rejection stays a rejection, no allowance is invented, and the first answer wins.

use proptest::prelude::*;
use serde_json::Value;
use tool_approval_guard::core::call::{PartFacts, PartFlags, Place, Status};
use tool_approval_guard::core::decision::{Actor, Decision};
use tool_approval_guard::core::event::Event;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::{Fact, Guard, Problem};
use tool_approval_guard::core::id::StringId;

use super::moments::{Verdict, calls, each_moment, is_left_behind};
use crate::common::chat_simulator::histories::{history, replacing_history};
use crate::common::chat_simulator::{Moment, Truth, stands, tag};
use crate::common::occurrences::{Occurrences, config};
use crate::common::{RESIDUE, options};

/// Checks a denied call in any place.
///
/// `follows`: whether a message of a person, or another step, stands behind it in the list that leaves.
fn clean(part: &Value, truth: &Truth, follows: bool) -> Verdict {
    let state = part["state"].as_str().unwrap_or_default();
    // What follows closes everything before it, including what was sent or refused earlier.
    let was_sent = truth.failed || truth.carried.is_some();
    let settled = truth.settled || (follows && (was_sent || !truth.denied() || truth.superseded));
    prop_assert!(
        state == "approval-responded" || (state == "output-denied" && settled),
        "a denied call is {state}: {part} {truth:?}"
    );
    prop_assert_eq!(&part["approval"]["approved"], &Value::from(false), "{}", part);
    for field in RESIDUE {
        prop_assert!(part.get(field).is_none(), "a denied call carries {field}: {part}");
    }
    let question = truth.question.as_ref().and_then(Value::as_object);
    for (field, value) in question.into_iter().flatten() {
        prop_assert_eq!(&part["approval"][field], value, "{} of {}", field, part);
    }
    if let Some(reason) = &truth.reason {
        prop_assert_eq!(&part["approval"]["reason"], reason, "{}", part);
    }
    Ok(())
}

fn law_4(moment: &Moment, occurred: &Occurrences) -> Verdict {
    match moment {
        Moment::Sent { home, wire, truths, person, automatic } => {
            for (shown, part) in calls(home).zip(calls(wire)) {
                let Some(truth) = truths.get(tag(part)) else { continue };
                if is_left_behind(home, shown, truth) {
                    occurred.count_if(truth.carried.is_some(), "an allowance was left behind");
                    prop_assert_eq!(&part["state"], "output-denied", "{} {:?}", part, truth);
                    prop_assert_eq!(&part["approval"]["approved"], false, "{} {:?}", part, truth);
                }
                let follows = *person || !stands(home, shown);
                occurred.count_if(follows && !person && truth.asks(), "what cannot be answered was closed");
                occurred.count_if(truth.denied(), "a denied call has left");
                occurred.count_if(truth.denied() && shown != part, "a denial was put back on its way");
                occurred.count_if(!truth.denied() && *person && truth.asks(), "a message has closed a call");
                let output = truth.page_output.is_some() || truth.server_output;
                if truth.denied() {
                    clean(part, truth, follows)?;
                } else if (follows || !automatic)
                    && truth.ran.is_none()
                    && (truth.asks() || (*person && truth.answer_new && !output))
                {
                    // The user moves on: open calls are denied, allowances are withdrawn.
                    clean(part, &Truth { reason: None, ..truth.clone() }, follows)?;
                }
            }
        }
        Moment::Asked { after, truths, .. } => {
            for part in calls(after) {
                if let Some(truth) = truths.get(tag(part)).filter(|truth| truth.denied()) {
                    occurred.count("a denied call was shown");
                    clean(part, truth, false)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn says_no(part: &Value) -> bool {
    part["approval"]["approved"] == false || part["state"] == "output-denied"
}

/// A denial is put on the call that was denied, with the input that was shown, and on no other. With another
/// input the call asks again.
fn law_4_of_one_call(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let (before, after, truths, closes, statuses) = match moment {
        Moment::Sent { home, wire, truths, automatic, .. } => (home, wire, truths, Some(!automatic), None),
        Moment::Asked { before, after, truths, statuses, .. } => {
            (before, after, truths, None, Some(statuses))
        }
        _ => return Ok(()),
    };
    for (was, is) in calls(before).zip(calls(after)) {
        let Some(truth) = truths.get(tag(is)) else { continue };
        occurred.count_if(truth.replaces_denied, "another call stood in the place of a denied one");
        occurred.count_if(truth.void_denial, "a denied call had another input");
        if truth.void_denial
            && let Some(statuses) = statuses
        {
            prop_assert!(statuses.contains(&(tag(is), Status::Asking)), "it asks again: {is} {statuses:?}");
        }
        // When the user moves on, open calls are closed, but not a call that the server has run.
        let closes = closes.is_some_and(|closes| {
            let closes = closes || !stands(before, was);
            (closes && !truth.server_output) || is_left_behind(before, was, truth)
        });
        if says_no(was) || !says_no(is) || closes || truth.superseded {
            continue;
        }
        occurred.count("a denial was put on a call");
        prop_assert!(truth.denied(), "nobody has denied it: {is} {truth:?}");
        prop_assert_eq!(truth.denied_input.as_ref(), Some(&is["input"]), "{} {:?}", is, truth);
    }
    Ok(())
}

fn law_5(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let (list, truths, closes) = match moment {
        Moment::Sent { wire, truths, person, automatic, .. } => (wire, truths, Some((*person, *automatic))),
        Moment::Asked { after, truths, .. } => (after, truths, None),
        _ => return Ok(()),
    };
    for part in calls(list) {
        let Some(truth) = truths.get(tag(part)) else { continue };
        occurred.count_if(truth.asks(), "an open question was looked at");
        if part["approval"]["approved"] == true {
            occurred.count("an allowance was looked at");
            prop_assert!(truth.allowed && !truth.denied(), "nobody said yes: {part} {truth:?}");
        }
        // An older copy of the message may still show the allowance for a question that is asked again.
        let put_back = closes
            .is_some_and(|(person, automatic)| truth.is_put_back(person, automatic && stands(list, part)));
        if truth.asks() && !put_back && !(truth.allowed && part["approval"]["approved"] == true) {
            let state = part["state"].as_str().unwrap_or_default();
            prop_assert!(
                state == "approval-requested" || part["approval"]["approved"] == false,
                "an open question leaves as {state}: {part}"
            );
            prop_assert!(part.get("output").is_none() && part.get("errorText").is_none(), "{part}");
        }
    }
    Ok(())
}

#[test]
fn law_4_a_rejection_stays_a_rejection() {
    let floors = [
        ("what cannot be answered was closed", 10),
        ("a denied call has left", 400),
        ("a denial was put back on its way", 4),
        ("a message has closed a call", 150),
        ("an allowance was left behind", 5),
        ("a denied call was shown", 800),
    ];
    each_moment(prop_oneof![2 => history(), 1 => replacing_history()], &floors, law_4);
}

#[test]
fn law_4_a_denial_belongs_to_one_call_and_one_input() {
    let floors = [
        ("a denial was put on a call", 100),
        ("a denied call had another input", 100),
        ("another call stood in the place of a denied one", 100),
    ];
    each_moment(prop_oneof![1 => history(), 2 => replacing_history()], &floors, law_4_of_one_call);
}

#[test]
fn law_5_no_invented_yes() {
    let floors = [("an allowance was looked at", 200), ("an open question was looked at", 700)];
    each_moment(prop_oneof![2 => history(), 1 => replacing_history()], &floors, law_5);
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn law_7_first_answer_wins(asked in 1..4u32, clicks in prop::collection::vec((1..6u32, any::<bool>()), 1..12)) {
        let mut guard = Guard::new(options(Vec::new()));
        for call in 1..=asked {
            let place = Place { message: StringId(100), index: 1, user_turn: 1, step: 1, occurrence: 0 };
            let flags = PartFlags::from_code(2);
            let (id, approval) = (StringId(10 + call), StringId(call));
            let part_facts =
                PartFacts { place, tool: StringId(50), server: StringId::NONE, id, approval, flags, input: 1, edit: 0, output: 0 };
            guard.handle(Fact::Part { known: None, part: part_facts, current: true }, 0.0);
        }
        let mut first = std::collections::BTreeMap::new();
        for (approval, approved) in clicks {
            let approval = StringId(approval);
            let from = guard.entries().len();
            let effects = guard.handle(Fact::ChatAnswer { approval, approved }, 1.0);
            let events: Vec<Event> = guard.entries()[from..].iter().map(|entry| entry.event).collect();
            if approval > StringId(asked) {
                prop_assert_eq!(events, vec![]);
                prop_assert_eq!(effects.problems, vec![(Problem::UnknownApproval, None)]);
                continue;
            }
            let call = effects.call().unwrap();
            prop_assert_eq!(guard.state().calls.get(call).unwrap().approval(), approval);
            let expected = match first.get(&approval) {
                None => Event::answer(call, EventKind::Answered, Decision::new(approved, Actor::Person)),
                Some(_) => Event::refused(Some(call), approved, false, Actor::Person),
            };
            prop_assert_eq!(events, vec![expected]);
            let stands = *first.entry(approval).or_insert(approved);
            prop_assert_eq!(guard.state().calls.get(call).unwrap().allowed(), stands);
        }
    }
}
