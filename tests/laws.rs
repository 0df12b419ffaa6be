//! The laws as properties of random histories. The oracles are written from the text of the laws:
//! they know what really happened to a call, and nothing of how the guard keeps it.
#![cfg(not(target_arch = "wasm32"))]

mod common;

use common::chat_simulator::{
    ChatSimulator, History, Idle, Kind, LIMIT, Moment, Truth, failing_history, failure, history, last_step,
    repeating_history, replacing_history, stopping_history, tag, text_after_calls,
};
use common::occurrences::{Occurrences, config, property};
use common::stored_lines::StoredLines;
use common::{RESIDUE, is_tool, parts};
use proptest::prelude::*;
use serde_json::{Value, json};
use tool_approval_guard::core::batch::Pace;
use tool_approval_guard::core::call::{Call, PartFacts, PartFlags, Place, Status};
use tool_approval_guard::core::clock::{Now, Time};
use tool_approval_guard::core::decision::{Actor, Choice, Decision, Ruling};
use tool_approval_guard::core::effect::Effect;
use tool_approval_guard::core::event::Event;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::grant::Cover;
use tool_approval_guard::core::guard::{Covers, Fact, Failure, Guard, Known, Options, Problem, Reach, Said};
use tool_approval_guard::core::id::{CallId, RequestId, StringId};
use tool_approval_guard::core::ledger::SEGMENT;
use tool_approval_guard::core::projection::State;
use tool_approval_guard::core::protocol::Chunk;
use tool_approval_guard::core::repair::Scope;
use tool_approval_guard::core::verdict::{Permit, Reason, Step};

type Verdict = Result<(), TestCaseError>;

fn calls(messages: &[Value]) -> impl Iterator<Item = &Value> {
    messages.iter().flat_map(parts).filter(|part| is_tool(part))
}

/// Is a call open? `None` where the laws do not say.
fn open(part: &Value, truth: &Truth) -> bool {
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

fn step_calls<'a>(messages: &'a [Value], truths: &'a [Truth]) -> Vec<(&'a Value, &'a Truth)> {
    let step = last_step(messages).iter().filter(|part| is_tool(part));
    step.filter_map(|part| Some((part, truths.get(tag(part))?))).collect()
}

fn law_1(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Asked { after, truths, reason, .. } = moment else { return Ok(()) };
    let waits = step_calls(after, truths).iter().any(|(part, truth)| open(part, truth));
    occurred.count_if(waits, "an open step was asked about");
    occurred.count_if(reason.sends(), "a step was sent");
    if reason.sends() {
        for (part, truth) in step_calls(after, truths) {
            prop_assert!(!open(part, truth), "{} although this is open: {part} {truth:?}", reason.name());
        }
    }
    Ok(())
}

/// A continue by hand sends nothing while a call of the last step is open, and takes nothing from it.
fn law_1_by_hand(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Continued { home, after, truths, refused, added } = moment else { return Ok(()) };
    let open = step_calls(home, truths).into_iter().find(|(part, truth)| open(part, truth));
    prop_assert_eq!(*refused, open.is_some(), "{:?}", open);
    occurred.count_if(*refused, "a continue by hand was refused");
    occurred.count_if(!*refused, "a continue by hand was let through");
    if *refused {
        prop_assert_eq!(*added, 0, "a request that was refused left a trace");
        same(home, after, truths, None)?;
    }
    Ok(())
}

fn law_2(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Asked { after, truths, reason, idle, .. } = moment else { return Ok(()) };
    let step = step_calls(after, truths);
    let sent = |t: &Truth| t.carried.is_some() || t.sent_output.is_some();
    let settled = !step.is_empty() && !step.iter().any(|(part, truth)| open(part, truth));
    occurred.count_if(settled && step.iter().any(|(_, t)| sent(t)), "a step was asked about that was sent");
    occurred.count_if(settled && idle.yes_in_turn, "a step was asked about twice in one turn");
    occurred.count_if(settled && idle.automatic >= LIMIT, "the limit was reached");
    if !reason.sends() {
        return Ok(());
    }
    prop_assert!(!idle.yes_in_turn, "two yeses in one turn");
    if idle.permit {
        return Ok(());
    }
    prop_assert!(matches!(reason, Reason::Answered | Reason::Output), "nobody asked to {}", reason.name());
    prop_assert!(idle.automatic < LIMIT, "more than {LIMIT} automatic sends");
    let new = step.iter().any(|(_, t)| t.answer_new || t.output_new || t.output_changed);
    prop_assert!(new, "nothing is new: {step:?}");
    Ok(())
}

fn law_3(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Asked { after, truths, reason, idle, .. } = moment else { return Ok(()) };
    let Idle { yes_in_turn, stopped, automatic, permit } = *idle;
    let step = step_calls(after, truths);
    if yes_in_turn || stopped || automatic >= LIMIT || permit || step.iter().any(|(part, t)| open(part, t)) {
        return Ok(());
    }
    // Law 13: a step in which an allowance is in doubt does not leave by itself.
    if step.iter().any(|(_, t)| t.in_doubt()) {
        return Ok(());
    }
    let text = text_after_calls(last_step(after));
    let answered = step.iter().any(|(_, t)| t.answer_new && t.page_output.is_none() && !t.server_output);
    // Only outputs of which the law says that the page wrote them first, over a call of its own.
    let put_out = step.iter().any(|(part, t)| {
        let own = matches!(
            t.kind,
            common::chat_simulator::Kind::Client | common::chat_simulator::Kind::UnnamedClient
        );
        own && !t.superseded
            && t.output_new
            && part["state"].as_str().is_some_and(|s| s.starts_with("output"))
    });
    let held = text && step.iter().any(|(_, t)| t.output_new && !t.text_before_output);
    occurred.count_if(answered, "something was answered");
    occurred.count_if(!answered && put_out && !held, "something was put out");
    if answered || (put_out && !held) {
        prop_assert!(reason.sends(), "stalls with {}: {step:?}", reason.name());
    }
    // On a step that was never seen open, text after the last call means that it was answered.
    let never_open =
        step.iter().all(|(_, t)| t.kind == Kind::Other) && step.iter().any(|(_, t)| t.output_new);
    if never_open && text {
        occurred.count("text has answered an output");
        prop_assert!(!reason.sends(), "sends what text has answered: {step:?}");
    }
    Ok(())
}

/// A denied call, wherever it stands.
fn clean(part: &Value, truth: &Truth, person: bool) -> Verdict {
    let state = part["state"].as_str().unwrap_or_default();
    // A message of a person closes what it leaves behind, and what was refused before.
    let settled = truth.settled || (person && (truth.failed || !truth.denied() || truth.superseded));
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
                occurred.count_if(truth.denied(), "a denied call has left");
                occurred.count_if(truth.denied() && shown != part, "a denial was put back on its way");
                occurred.count_if(!truth.denied() && *person && truth.asks(), "a message has closed a call");
                let output = truth.page_output.is_some() || truth.server_output;
                if truth.denied() {
                    clean(part, truth, *person)?;
                } else if !automatic && (truth.asks() || (*person && truth.answer_new && !output)) {
                    // The user moves on: what is open is denied, what was allowed is withdrawn.
                    clean(part, &Truth { reason: None, ..truth.clone() }, *person)?;
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

/// A denial is put on the call that was denied, with the input that was shown, and on no other. With another input
/// the call asks again.
fn law_4_of_one_call(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let (before, after, truths, closes, statuses) = match moment {
        Moment::Sent { home, wire, truths, automatic, .. } => (home, wire, truths, !automatic, None),
        Moment::Asked { before, after, truths, statuses, .. } => {
            (before, after, truths, false, Some(statuses))
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
        // Where the user moves on, what is open is closed.
        if says_no(was) || !says_no(is) || closes || truth.superseded {
            continue;
        }
        occurred.count("a denial was put on a call");
        prop_assert!(truth.denied(), "nobody has denied it: {is} {truth:?}");
        prop_assert_eq!(truth.denied_input.as_ref(), Some(&is["input"]), "{} {:?}", is, truth);
    }
    Ok(())
}

/// What was answered or put out before a stop does not leave by itself, until a person acts.
fn after_a_stop(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Asked { after, truths, reason, idle, .. } = moment else { return Ok(()) };
    if !idle.stopped || idle.permit {
        return Ok(());
    }
    let step = step_calls(after, truths);
    let settled = !step.iter().any(|(part, truth)| open(part, truth));
    let new = step.iter().any(|(_, truth)| truth.answer_new || truth.output_new);
    occurred.count_if(settled && new, "a settled step was asked about after a stop");
    prop_assert!(!reason.sends(), "{} after a stop: {step:?}", reason.name());
    Ok(())
}

fn law_5(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let (list, truths) = match moment {
        Moment::Sent { wire, truths, .. } => (wire, truths),
        Moment::Asked { after, truths, .. } => (after, truths),
        _ => return Ok(()),
    };
    for part in calls(list) {
        let Some(truth) = truths.get(tag(part)) else { continue };
        occurred.count_if(truth.asks(), "an open question was looked at");
        if part["approval"]["approved"] == true {
            occurred.count("an allowance was looked at");
            prop_assert!(truth.allowed && !truth.denied(), "nobody said yes: {part} {truth:?}");
        }
        // An older copy of the message may still show the yes to a question that asks once more.
        if truth.asks() && !(truth.allowed && part["approval"]["approved"] == true) {
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

/// May the guard change this part at all?
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

fn same(before: &[Value], after: &[Value], truths: &[Truth], sent: Option<(bool, bool)>) -> Verdict {
    prop_assert_eq!(before.len(), after.len());
    for (was, is) in before.iter().zip(after) {
        prop_assert_eq!(parts(was).len(), parts(is).len());
        for (old, new) in parts(was).iter().zip(parts(is)) {
            let truth = truths.get(tag(old)).filter(|truth| is_tool(old) && may_change(old, truth, sent));
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

fn law_9(moment: &Moment, occurred: &Occurrences) -> Verdict {
    if let Moment::Wrong { request, added, reported } = moment {
        occurred.count("a request of another chat");
        prop_assert!(request.is_none(), "a request of another chat passed");
        prop_assert_eq!(*added, 0, "a request of another chat left a trace");
        prop_assert!(reported, "a request of another chat was not reported");
    }
    Ok(())
}

fn law_14(moment: &Moment, occurred: &Occurrences) -> Verdict {
    if let Moment::Asked { told, reason, .. } = moment {
        occurred.count_if(told.sends(), "a yes was foretold");
        occurred.count_if(*told == Reason::AskedTwice, "a lease was foretold");
        occurred.count_if(*told == Reason::Limit, "a limit was foretold");
        prop_assert_eq!(told, reason);
    }
    Ok(())
}

fn doubts(
    step: &[(&Value, &Truth)],
    statuses: &[(usize, Status)],
    sends: bool,
    occurred: &Occurrences,
) -> Verdict {
    for (part, truth) in step.iter().filter(|(_, truth)| truth.flying.is_none() && truth.answer == Some(true))
    {
        prop_assert!(!(truth.in_doubt() && sends), "it repeats by itself: {part} {truth:?}");
        if truth.page_output.is_none() && !truth.server_output {
            let told = statuses.contains(&(tag(part), Status::InDoubt));
            prop_assert_eq!(told, truth.in_doubt(), "{} {:?}", part, truth);
            occurred.count_if(told, "an allowance was in doubt");
        }
    }
    Ok(())
}

/// What was sent and not delivered is in doubt unless its refusal is proven, and does not repeat by itself.
fn law_13(moment: &Moment, occurred: &Occurrences) -> Verdict {
    match moment {
        Moment::Asked { after, truths, reason, idle, statuses, .. } => {
            let sends = reason.sends() && !idle.permit;
            let doubt = step_calls(after, truths).iter().any(|(_, truth)| truth.in_doubt());
            occurred.count_if(doubt, "a step in doubt was asked about");
            doubts(&step_calls(after, truths), statuses, sends, occurred)?;
        }
        Moment::Failed { after, truths, statuses } => {
            occurred.count("a request has failed");
            doubts(&step_calls(after, truths), statuses, false, occurred)?;
        }
        Moment::Again { added } => {
            occurred.count("a request was told of after its end");
            prop_assert_eq!(*added, 0, "a request ends twice");
        }
        _ => {}
    }
    Ok(())
}

/// A law about each moment of the histories, and how often what it is about has to occur.
fn each_moment(
    histories: impl Strategy<Value = History>,
    floors: &[(&'static str, u32)],
    law: fn(&Moment, &Occurrences) -> Verdict,
) {
    property(config(1200), histories, floors, |history, occurred| {
        let simulator = ChatSimulator::run(&history);
        simulator.trace.iter().try_for_each(|moment| law(moment, occurred))
    });
}

#[test]
fn law_1_no_early_send() {
    let floors = [("an open step was asked about", 500), ("a step was sent", 80)];
    each_moment(history(), &floors, law_1);
}

#[test]
fn law_1_nothing_open_is_continued_by_hand() {
    let floors = [("a continue by hand was refused", 10), ("a continue by hand was let through", 20)];
    each_moment(history(), &floors, law_1_by_hand);
}

#[test]
fn law_14_explain_says_what_the_predicate_says() {
    let floors = [("a yes was foretold", 120), ("a lease was foretold", 8), ("a limit was foretold", 8)];
    property(config(1200), (history(), any::<bool>()), &floors, |(history, watched), occurred| {
        let simulator = ChatSimulator::run_with(&history, watched);
        simulator.trace.iter().try_for_each(|moment| law_14(moment, occurred))
    });
}

#[test]
fn law_2_no_second_send() {
    let floors = [
        ("a step was asked about that was sent", 30),
        ("a step was asked about twice in one turn", 30),
        ("the limit was reached", 50),
    ];
    each_moment(prop_oneof![2 => history(), 1 => repeating_history()], &floors, law_2);
}

#[test]
fn law_3_no_stall() {
    let floors =
        [("something was answered", 50), ("something was put out", 15), ("text has answered an output", 6)];
    each_moment(history(), &floors, law_3);
}

#[test]
fn law_4_a_rejection_stays_a_rejection() {
    let floors = [
        ("a denied call has left", 400),
        ("a denial was put back on its way", 4),
        ("a message has closed a call", 150),
        ("a denied call was shown", 800),
    ];
    each_moment(prop_oneof![2 => history(), 1 => replacing_history()], &floors, law_4);
}

#[test]
fn law_4_a_denial_is_of_one_call_and_one_input() {
    let floors = [
        ("a denial was put on a call", 100),
        ("a denied call had another input", 100),
        ("another call stood in the place of a denied one", 100),
    ];
    each_moment(prop_oneof![1 => history(), 2 => replacing_history()], &floors, law_4_of_one_call);
}

#[test]
fn c37_c55_nothing_leaves_by_itself_after_a_stop() {
    let floors = [("a settled step was asked about after a stop", 100)];
    each_moment(prop_oneof![1 => history(), 2 => stopping_history()], &floors, after_a_stop);
}

#[test]
fn law_5_no_invented_yes() {
    let floors = [("an allowance was looked at", 200), ("an open question was looked at", 700)];
    each_moment(prop_oneof![2 => history(), 1 => replacing_history()], &floors, law_5);
}

#[test]
fn law_6_nothing_else_is_touched() {
    let floors = [("a list has left as it was", 1000), ("a list was repaired", 150)];
    each_moment(prop_oneof![2 => history(), 1 => replacing_history()], &floors, law_6);
}

#[test]
fn law_9_one_chat() {
    let floors = [("a request of another chat", 90)];
    each_moment(history(), &floors, law_9);
}

#[test]
fn law_13_doubt_stays_doubt() {
    let floors = [
        ("a step in doubt was asked about", 30),
        ("an allowance was in doubt", 200),
        ("a request has failed", 400),
        ("a request was told of after its end", 130),
    ];
    each_moment(prop_oneof![history(), failing_history()], &floors, law_13);
}

#[test]
fn law_10_replay() {
    let floors = [("calls were forgotten", 20), ("a call asked", 400)];
    property(config(1200), history(), &floors, |history, occurred| {
        let mut simulator = ChatSimulator::new(history.segment, true);
        for (op, turns) in &history.steps {
            simulator.step(op, *turns);
            prop_assert_eq!(&State::fold(&simulator.page.log), simulator.page.guard.state());
        }
        occurred.count_if(simulator.page.guard.forgotten() > CallId(0), "calls were forgotten");
        let asked = simulator.page.log.iter().filter(|entry| entry.event.kind == EventKind::Asked);
        occurred.add("a call asked", asked.count() as u32);
        let again = ChatSimulator::run(&history);
        prop_assert_eq!(simulator.page.log, again.page.log);
        Ok(())
    });
}

/// What a reader of the stored lines alone knows is what the guard knows.
#[test]
fn law_10_the_stored_text_says_the_same() {
    let floors = [("a request was sent", 600), ("a request has failed", 200)];
    let histories = prop_oneof![history(), failing_history()];
    property(config(600), histories, &floors, |history, occurred| {
        let mut simulator = ChatSimulator::new(history.segment, true);
        simulator.page.lines = Some(StoredLines::default());
        history.steps.iter().for_each(|(op, turns)| simulator.step(op, *turns));
        for moment in &simulator.trace {
            occurred.count_if(matches!(moment, Moment::Sent { .. }), "a request was sent");
            occurred.count_if(matches!(moment, Moment::Failed { .. }), "a request has failed");
        }
        let page = &simulator.page;
        let difference = page.lines.as_ref().and_then(|lines| lines.difference(&page.guard));
        prop_assert_eq!(difference, None);
        Ok(())
    });
}

// ---- law 7: the first answer wins ----

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn law_7_first_answer_wins(asked in 1..4u32, clicks in prop::collection::vec((1..6u32, any::<bool>()), 1..12)) {
        let mut guard = Guard::new(common::options(Vec::new()));
        for call in 1..=asked {
            let place = Place { message: StringId(100), index: 1, turn: 1, step: 1, occurrence: 0 };
            let flags = PartFlags::from_code(2);
            let (id, approval) = (StringId(10 + call), StringId(call));
            let part_facts =
                PartFacts { place, tool: StringId(50), id, approval, flags, input: 1, output: 0 };
            guard.handle(Fact::Part { known: None, part: part_facts, current: true }, 0.0);
        }
        let mut first = std::collections::BTreeMap::new();
        for (approval, approved) in clicks {
            let approval = StringId(approval);
            let from = guard.entries().len();
            let effects = guard.handle(Fact::Decided { approval, approved }, 1.0);
            let events: Vec<Event> = guard.entries()[from..].iter().map(|entry| entry.event).collect();
            if approval > StringId(asked) {
                prop_assert_eq!(events, vec![]);
                prop_assert_eq!(effects.problems, vec![(Problem::UnknownApproval, None)]);
                continue;
            }
            let call = effects.call.unwrap();
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

// ---- law 11: whatever comes in ----

/// A number, or an id.
fn number<T: From<u32> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    prop_oneof![12 => 0..5u32, 1 => Just(u32::MAX), 1 => Just(u32::MAX - 1), 1 => any::<u32>()]
        .prop_map(T::from)
}

fn hash() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0..3u64, 1 => Just(u64::MAX)]
}

fn time() -> impl Strategy<Value = Time> {
    prop_oneof![4 => 0..5_000u64, 1 => Just(Time::MAX), 1 => Just(Time::MAX - 1), 1 => any::<Time>()]
}

/// What a clock says: mostly a time, and at times anything that a number can be.
fn clock() -> impl Strategy<Value = f64> {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, -1.0, 0.0, 1e300];
    prop_oneof![12 => (0..20_000u32).prop_map(f64::from), 1 => prop::sample::select(odd.to_vec()), 1 => any::<f64>()]
}

fn code<T: Copy + std::fmt::Debug>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn flags() -> impl Strategy<Value = PartFlags> {
    prop_oneof![4 => (0..512u32).prop_map(PartFlags::from_code), 1 => any::<u32>().prop_map(PartFlags::from_code)]
}

fn part_facts() -> impl Strategy<Value = PartFacts> {
    let place = (number(), number(), number(), number(), number()).prop_map(
        |(message, index, turn, step, occurrence)| Place { message, index, turn, step, occurrence },
    );
    (place, number(), number(), number(), flags(), hash(), hash()).prop_map(
        |(place, tool, id, approval, flags, input, output)| PartFacts {
            place,
            tool,
            id,
            approval,
            flags,
            input,
            output,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let rows = || (number(), flags());
    let rows = prop_oneof![
        40 => prop::collection::vec(rows(), 0..4),
        1 => prop::collection::vec(rows(), 2_000..2_001),
    ];
    (any::<bool>(), any::<bool>(), rows).prop_map(|(assistant, text, rows)| Step { assistant, text, rows })
}

fn chunk() -> impl Strategy<Value = Fact> {
    let said = (number(), prop::option::of(any::<bool>()), hash(), any::<bool>());
    (number(), code(Chunk::ALL), number(), said).prop_map(|(request, kind, id, said)| {
        let (approval, approved, output, preliminary) = said;
        Fact::Chunk { request, kind, id, said: Said { approval, approved, output, preliminary } }
    })
}

fn lifetime() -> impl Strategy<Value = Option<Time>> {
    prop::option::of(time())
}

fn known() -> impl Strategy<Value = Known> {
    let answer =
        (number(), prop::option::of(any::<bool>()), code(Actor::ALL), any::<bool>(), code(Reach::ALL));
    let rest = (any::<[bool; 4]>(), time(), lifetime());
    (answer, rest).prop_map(|((approval, approved, actor, draft, reach), (flags, waited, left))| {
        let [settled, same_input, taken_back, elsewhere] = flags;
        Known {
            approval,
            approved,
            actor,
            draft,
            reach,
            settled,
            same_input,
            taken_back,
            elsewhere,
            waited,
            left,
        }
    })
}

fn fact() -> impl Strategy<Value = Fact> {
    let covers = || prop_oneof![1 => Just(Covers::Tool), 2 => number().prop_map(Covers::Fields)];
    let cover = prop_oneof![
        1 => Just(Cover::Tool),
        2 => (number(), number()).prop_map(|(fields, print)| Cover::Fields(fields, print)),
    ];
    let ruling = (code(Effect::ALL), any::<bool>(), number());
    let permit = code(Permit::ALL);
    let seen = prop_oneof![
        16 => (prop::option::of(number()), part_facts(), any::<bool>())
            .prop_map(|(known, part, current)| Fact::Part { known, part, current }),
        2 => number().prop_map(Fact::Missing),
        1 => number().prop_map(Fact::Relocated),
        2 => code(Actor::ALL).prop_map(Fact::ScanComplete),
        6 => step().prop_map(Fact::Step),
        1 => any::<bool>().prop_map(Fact::Hydrate),
        2 => (number(), any::<bool>(), lifetime())
            .prop_map(|(call, dangerous, lifetime)| Fact::Annotate { call, dangerous, lifetime }),
        1 => (number(), ruling).prop_map(|(call, (effect, always, rule))| {
            Fact::EvaluateRule { call, ruling: Ruling { effect, always, rule } }
        }),
        2 => (number(), number(), number())
            .prop_map(|(call, fields, print)| Fact::Fingerprint { call, fields, print }),
        1 => number().prop_map(Fact::Match),
        2 => (number(), known()).prop_map(|(call, known)| Fact::Restore { call, known }),
        1 => (number(), any::<bool>(), cover, lifetime()).prop_map(|(tool, approved, cover, lifetime)| {
            Fact::RestoreGrant { tool, approved, cover, lifetime }
        }),
    ];
    let sent = prop_oneof![
        4 => Just(Fact::Ask),
        1 => Just(Fact::LeaseOver),
        1 => Just(Fact::Leaving),
        4 => (number(), any::<bool>()).prop_map(|(chat, person)| Fact::Send { chat, person }),
        2 => number().prop_map(Fact::Started),
        2 => number().prop_map(Fact::Ended),
        1 => (number(), failure()).prop_map(|(request, failure)| Fact::Failed { request, failure }),
        4 => chunk(),
        1 => permit.prop_map(Fact::Permit),
        1 => Just(Fact::PermitOver),
        1 => Just(Fact::Stopped),
    ];
    let decided = prop_oneof![
        2 => (number(), any::<bool>()).prop_map(|(approval, approved)| Fact::Decided { approval, approved }),
        6 => (number(), code(Choice::ALL), covers(), lifetime()).prop_map(|(call, choice, covers, lifetime)| {
            Fact::Decide { call, choice, covers, lifetime }
        }),
        1 => (prop::option::of(number()), any::<bool>())
            .prop_map(|(call, approved)| Fact::Refused { call, approved }),
        1 => number().prop_map(Fact::Undo),
        1 => Just(Fact::UndoAll),
        3 => (any::<bool>(), any::<bool>()).prop_map(|(due, attached)| Fact::Commit { due, attached }),
        1 => number().prop_map(Fact::Extend),
        1 => number().prop_map(Fact::Reveal),
        1 => number().prop_map(Fact::Revoke),
        1 => Just(Fact::RevokeAll),
        1 => Just(Fact::Wake),
        1 => Just(Fact::Leave),
    ];
    prop_oneof![4 => seen, 2 => sent, 2 => decided]
}

/// Names the kinds of facts. A new kind does not compile until it stands here, and one that stands here and is
/// not generated fails `law_11`.
macro_rules! kinds {
    ($($pattern:pat => $name:literal),+ $(,)?) => {
        /// Each kind, its name where it carries the largest number there is, and whether it carries anything.
        const KINDS: &[(&str, &str, bool)] = &[$((
            $name,
            concat!($name, " with the largest number"),
            stringify!($pattern).len() > "Fact::".len() + $name.len(),
        )),+];

        fn kind(fact: &Fact) -> (&'static str, &'static str) {
            match fact {
                $($pattern => ($name, concat!($name, " with the largest number"))),+
            }
        }
    };
}

kinds! {
    Fact::Part { .. } => "Part",
    Fact::Missing(_) => "Missing",
    Fact::Relocated(_) => "Relocated",
    Fact::ScanComplete(_) => "ScanComplete",
    Fact::Step(_) => "Step",
    Fact::Hydrate(_) => "Hydrate",
    Fact::Ask => "Ask",
    Fact::LeaseOver => "LeaseOver",
    Fact::Send { .. } => "Send",
    Fact::Started(_) => "Started",
    Fact::Ended(_) => "Ended",
    Fact::Failed { .. } => "Failed",
    Fact::Chunk { .. } => "Chunk",
    Fact::Decided { .. } => "Decided",
    Fact::Stopped => "Stopped",
    Fact::Permit(_) => "Permit",
    Fact::PermitOver => "PermitOver",
    Fact::Annotate { .. } => "Annotate",
    Fact::EvaluateRule { .. } => "EvaluateRule",
    Fact::Fingerprint { .. } => "Fingerprint",
    Fact::Match(_) => "Match",
    Fact::Decide { .. } => "Decide",
    Fact::Refused { .. } => "Refused",
    Fact::Undo(_) => "Undo",
    Fact::UndoAll => "UndoAll",
    Fact::Commit { .. } => "Commit",
    Fact::Extend(_) => "Extend",
    Fact::Reveal(_) => "Reveal",
    Fact::Revoke(_) => "Revoke",
    Fact::RevokeAll => "RevokeAll",
    Fact::Restore { .. } => "Restore",
    Fact::RestoreGrant { .. } => "RestoreGrant",
    Fact::Wake => "Wake",
    Fact::Leave => "Leave",
    Fact::Leaving => "Leaving",
}

/// Does a fact carry the largest number there is?
fn is_extreme(fact: &Fact) -> bool {
    let text = format!("{fact:?}");
    text.contains(&u32::MAX.to_string()) || text.contains(&u64::MAX.to_string())
}

fn pace() -> impl Strategy<Value = Pace> {
    (lifetime(), lifetime(), time(), prop::bool::weighted(0.8))
        .prop_map(|(undo, undo_dangerous, warn, attended)| Pace { undo, undo_dangerous, warn, attended })
}

#[test]
fn law_11_never_panics() {
    let now = (clock(), clock()).prop_map(|(wall, steady)| Now { wall, steady });
    let facts = prop::collection::vec((fact(), now), 0..80);
    let tools = prop::collection::vec(number(), 0..3);
    let asked =
        (number(), flags(), number(), prop_oneof![Just(Covers::Tool), number().prop_map(Covers::Fields)]);
    let segment = prop_oneof![Just(SEGMENT), Just(1)];
    let history = (facts, tools, (pace(), segment), asked);
    let mut floors = vec![("a clock that says no number", 100), ("calls were forgotten", 10)];
    for &(kind, extreme, carries) in KINDS {
        floors.push((kind, 100));
        // The largest number is also that of a call, a request or a string which there never was.
        if carries && !["ScanComplete", "Hydrate", "Permit", "Commit"].contains(&kind) {
            floors.push((extreme, 10));
        }
    }
    property(config(1_500), history, &floors, |(facts, tools, (pace, segment), asked), occurred| {
        let mut guard = Guard::new(Options { pace, segment, ..common::options(tools) });
        for (fact, now) in facts {
            let (kind, extreme) = kind(&fact);
            occurred.count(kind);
            occurred.count_if(is_extreme(&fact), extreme);
            occurred.count_if(now.wall.is_nan(), "a clock that says no number");
            let asks = matches!(fact, Fact::Ask);
            let effects = guard.handle(fact, now);
            prop_assert_eq!(effects.reason.is_some(), asks);
            ask_everything(&guard, asked);
        }
        if guard.sealed() == 0 {
            prop_assert_eq!(&State::fold(guard.entries()), guard.state());
        }
        occurred.count_if(guard.forgotten() > CallId(0), "calls were forgotten");
        Ok(())
    });
}

/// Asks a guard all that can be asked of it.
fn ask_everything(guard: &Guard, (call, flags, number, covers): (CallId, PartFlags, u32, Covers)) {
    for scope in [Scope::Wire, Scope::Home] {
        guard.repair(call, flags, StringId(number), scope);
    }
    guard.watches(call);
    guard.place(call);
    guard.waiting();
    guard.verdict();
    guard.batch();
    guard.due(true, true);
    guard.wake_in();
    guard.locks_input();
    guard.wanted(call);
    guard.covered(call, covers);
    guard.fingerprint(call);
    guard.hash_of(number);
    guard.is_taken();
    guard.touched_since(call, number);
    guard.symbols();
    let entry = guard.entries().last();
    entry.and_then(|entry| entry.event.deadline).map(|time| guard.clock().wall(time));
}

// ---- one history each ----

fn list(messages: Value) -> Vec<Value> {
    messages.as_array().cloned().unwrap_or_default()
}

fn user() -> Value {
    json!({ "id": "u", "role": "user", "parts": [{ "type": "text", "text": "go" }] })
}

/// A tool part with these fields, beside the usual ones.
fn part(id: &str, state: &str, fields: Value) -> Value {
    let mut part = json!({ "type": "tool-run", "toolCallId": id, "state": state, "input": 1 });
    for (field, value) in fields.as_object().cloned().unwrap_or_default() {
        part[field] = value;
    }
    part
}

fn assistant(id: &str, steps: &[&Value]) -> Value {
    let parts = steps.iter().flat_map(|part| [json!({ "type": "step-start" }), (*part).clone()]);
    json!({ "id": id, "role": "assistant", "parts": parts.collect::<Vec<_>>() })
}

/// A page whose first request has been answered with these chunks.
fn heard(chunks: &[Value]) -> common::Page {
    let mut page = common::Page::new(&[], |_| {});
    let (request, _) = page.send(&[user()], StringId(1), true);
    page.tell(Fact::Started(request));
    for chunk in chunks {
        page.hear(request, chunk);
    }
    page.tell(Fact::Ended(request));
    page
}

fn asking(id: &str, approval: &str) -> [Value; 2] {
    [
        json!({ "type": "tool-input-available", "toolCallId": id }),
        json!({ "type": "tool-approval-request", "toolCallId": id, "approvalId": approval }),
    ]
}

/// A call id that a model uses again in the next step of the same response, which nobody looked at
/// in between, is another call: the output of the first is the server's and asks nobody.
#[test]
fn law_6_a_call_id_twice_in_one_response_is_two_calls() {
    let ran = part("call_0", "output-available", json!({ "output": 2 }));
    let asks = part("call_0", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let mut chunks = vec![
        json!({ "type": "tool-input-available", "toolCallId": "call_0" }),
        json!({ "type": "tool-output-available", "toolCallId": "call_0", "output": 2 }),
    ];
    chunks.extend(asking("call_0", "ap"));
    let mut page = heard(&chunks);
    let messages = list(json!([user(), assistant("a", &[&ran, &asks])]));
    page.sweep(&messages);
    assert_eq!(page.repaired(&messages, Scope::Home), messages);
    assert_eq!(page.problems, []);
}

/// A denial that the server announced in a chunk is known before anybody looks at the messages.
#[test]
fn law_4_a_denial_heard_as_a_chunk_stands_against_an_output() {
    let mut chunks = asking("c", "ap").to_vec();
    chunks.push(
        json!({ "type": "tool-approval-response", "toolCallId": "c", "approvalId": "ap", "approved": false }),
    );
    let mut page = heard(&chunks);
    let written = part("c", "output-available", json!({ "output": 2 }));
    let (_, wire) = page.send(&list(json!([user(), assistant("a", &[&written])])), StringId(1), false);
    let part = &parts(&wire[1])[1];
    assert_eq!(part["approval"]["approved"], false, "{part}");
    assert_eq!(part.get("output"), None, "{part}");
}

/// The same approval id is the same call, also where its call id has come again since.
#[test]
fn law_4_a_replayed_question_is_known_by_its_approval_id() {
    let question =
        |approval: &str| part("call_0", "approval-requested", json!({ "approval": { "id": approval } }));
    let denied =
        part("call_0", "approval-responded", json!({ "approval": { "id": "ap1", "approved": false } }));
    let [first, second] = [question("ap1"), question("ap2")];
    let mut page = heard(&asking("call_0", "ap1"));
    page.look_at_last(&list(json!([user(), assistant("a", &[&first])])), true);
    for chunk in asking("call_0", "ap2") {
        page.hear(RequestId(1), &chunk);
    }
    for list in [
        list(json!([user(), assistant("a", &[&first, &second])])),
        list(json!([user(), assistant("a", &[&denied, &second])])),
    ] {
        page.look_at_last(&list, true);
    }
    let replayed = list(json!([user(), assistant("a", &[&first, &second])]));
    page.look_at_last(&replayed, true);
    let home = page.repaired(&replayed, Scope::Home);
    assert_eq!(parts(&home[1])[1]["approval"]["approved"], false, "{}", home[1]);
}

/// A copy of the message under a new id, over which the page wrote before anybody looked, shows the
/// same call.
#[test]
fn law_4_an_output_over_a_copy_is_an_output_over_the_denied_call() {
    let question = part("c", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let denied = part("c", "approval-responded", json!({ "approval": { "id": "ap", "approved": false } }));
    let written = part("c", "output-available", json!({ "output": 2 }));
    let mut page = heard(&asking("c", "ap"));
    for list in [
        list(json!([user(), assistant("a", &[&question])])),
        list(json!([user(), assistant("a", &[&denied])])),
    ] {
        page.look_at_last(&list, true);
    }
    let copied = list(json!([user(), assistant("a", &[&denied]), assistant("b", &[&written])]));
    page.look_at_last(&copied, true);
    let home = page.repaired(&copied, Scope::Home);
    assert_eq!(parts(&home[2])[1]["approval"]["approved"], false, "{}", home[2]);
}

/// A copy of the message under a new id in which a call id stands twice is no news: what was
/// answered in it was sent.
#[test]
fn law_2_a_copy_with_a_call_id_twice_is_no_news() {
    let ran = part("call_0", "output-available", json!({ "output": 2 }));
    let question = part("call_0", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let denied =
        part("call_0", "approval-responded", json!({ "approval": { "id": "ap", "approved": false } }));
    let mut page = heard(&[
        json!({ "type": "tool-input-available", "toolCallId": "call_0" }),
        json!({ "type": "tool-output-available", "toolCallId": "call_0", "output": 2 }),
    ]);
    page.look_at_last(&list(json!([user(), assistant("a", &[&ran])])), true);
    for chunk in asking("call_0", "ap") {
        page.hear(RequestId(1), &chunk);
    }
    page.look_at_last(&list(json!([user(), assistant("a", &[&ran, &question])])), true);
    let answered = list(json!([user(), assistant("a", &[&ran, &denied])]));
    assert_eq!(page.ask(&answered), Reason::Answered);
    let (request, _) = page.send(&answered, StringId(1), false);
    page.tell(Fact::Started(request));
    page.tell(Fact::Ended(request));
    page.tell(Fact::LeaseOver);
    let copied = list(json!([user(), assistant("a", &[&ran, &denied]), assistant("b", &[&ran, &denied])]));
    assert!(!page.ask(&copied).sends());
}

/// A step of which one call was seen open, behind its text, was not answered by that text, also where another
/// call of it had its output already.
#[test]
fn law_3_text_beside_an_open_call_answers_no_output_of_the_step() {
    let open = |id| part(id, "input-available", json!({}));
    let put = |id| part(id, "output-available", json!({ "output": 1 }));
    let step = |one: Value, two: Value| {
        let mut message = assistant("a", &[&one]);
        message["parts"].as_array_mut().unwrap().extend([two, json!({ "type": "text", "text": "See." })]);
        list(json!([user(), message]))
    };
    let mut page = common::Page::new(&[], |_| {});
    assert_eq!(page.ask(&step(put("c1"), open("c2"))), Reason::Waiting);
    assert_eq!(page.ask(&step(put("c1"), put("c2"))), Reason::Output);
    let mut page = common::Page::new(&[], |_| {});
    assert_eq!(page.ask(&step(put("c1"), put("c2"))), Reason::AnsweredInText, "it was never seen open");
}

/// A deep copy of the list shows the same calls, also where a call id stands twice.
#[test]
fn law_6_a_deep_copy_with_a_call_id_twice_shows_the_same_calls() {
    let open = part("call_0", "input-available", json!({}));
    let question = part("call_0", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let mut page = heard(&[json!({ "type": "tool-input-available", "toolCallId": "call_0" })]);
    page.look_at_last(&list(json!([user(), assistant("a", &[&open])])), true);
    for chunk in asking("call_0", "ap") {
        page.hear(RequestId(1), &chunk);
    }
    let both = list(json!([user(), assistant("a", &[&open, &question])]));
    page.look_at_last(&both, true);
    page.cloned = true;
    page.look_at_last(&both, true);
    assert_eq!(page.guard.state().calls.end(), CallId(2));
}

/// What was heard of a call that nobody ever saw is not told of the next call with its call id.
#[test]
fn law_6_a_call_that_was_never_seen_leaves_its_id_alone() {
    let mut page = heard(&asking("call_0", "ap"));
    let (request, _) = page.send(&[user()], StringId(1), true);
    page.tell(Fact::Started(request));
    page.hear(request, &json!({ "type": "tool-input-available", "toolCallId": "call_0" }));
    page.tell(Fact::Ended(request));
    let open = part("call_0", "input-available", json!({}));
    let written = part("call_0", "output-available", json!({ "output": 2 }));
    page.look_at_last(&list(json!([user(), assistant("b", &[&open])])), true);
    let messages = list(json!([user(), assistant("b", &[&written])]));
    page.look_at_last(&messages, true);
    assert_eq!(page.repaired(&messages, Scope::Home), messages);
}

/// A denial of the server that was only heard stands against a question that is replayed.
#[test]
fn law_4_a_denial_heard_as_a_chunk_stands_against_a_replayed_question() {
    let mut chunks = asking("c", "ap").to_vec();
    chunks.push(
        json!({ "type": "tool-approval-response", "toolCallId": "c", "approvalId": "ap", "approved": false }),
    );
    let mut page = heard(&chunks);
    let question = part("c", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let replayed = list(json!([user(), assistant("a", &[&question])]));
    page.look_at_last(&replayed, true);
    let home = page.repaired(&replayed, Scope::Home);
    assert_eq!(parts(&home[1])[1]["approval"]["approved"], false, "{}", home[1]);
}

/// A repair that only a message of a person called for, while a request was running, is not taken
/// over by the next request: the border keeps repairs as long as the revision stands.
#[test]
fn law_6_a_repair_for_one_request_is_not_kept_for_the_next() {
    let mut page = heard(&asking("c", "ap"));
    let question = part("c", "approval-requested", json!({ "approval": { "id": "ap" } }));
    page.look_at_last(&list(json!([user(), assistant("a", &[&question])])), true);
    let yes = part("c", "approval-responded", json!({ "approval": { "id": "ap", "approved": true } }));
    let answered = list(json!([user(), assistant("a", &[&yes])]));
    page.ask(&answered);
    let (request, _) = page.send(&answered, StringId(1), false);
    page.tell(Fact::Started(request));
    let (_, overtaking) =
        page.send(&list(json!([user(), assistant("a", &[&yes]), user()])), StringId(1), true);
    assert_eq!(parts(&overtaking[1])[1]["approval"]["approved"], false);
    let before = page.guard.revision();
    page.send(&answered, StringId(1), false);
    assert_ne!(page.guard.revision(), before);
}

/// A denial is put on the call that was denied, and never on one with another input: a list with other
/// messages, in which the same tool has the same call id in the same place, shows another call.
#[test]
fn law_4_a_denial_is_not_put_on_a_call_with_another_input() {
    let question = part("call_0", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let denied =
        part("call_0", "approval-responded", json!({ "approval": { "id": "ap", "approved": false } }));
    let other = part("call_0", "output-available", json!({ "input": 2, "output": 3 }));
    for id in ["a", "b"] {
        let mut page = heard(&asking("call_0", "ap"));
        page.look_at_last(&list(json!([user(), assistant("a", &[&question])])), true);
        page.ask(&list(json!([user(), assistant("a", &[&denied])])));
        let messages = list(json!([user(), assistant(id, &[&other]), user()]));
        let (_, wire) = page.send(&messages, StringId(1), true);
        assert_eq!(wire, messages);
        assert_eq!(page.repaired(&messages, Scope::Home), messages);
    }
}

/// The same question beside another input is asked anew: the denial was of the input that was shown.
#[test]
fn law_4_a_denial_is_void_for_another_input_of_the_same_question() {
    let asks = |input: u8| {
        let fields = json!({ "input": input, "approval": { "id": "ap" } });
        part("c", "approval-requested", fields)
    };
    let mut page = heard(&asking("c", "ap"));
    page.look_at_last(&list(json!([user(), assistant("a", &[&asks(1)])])), true);
    page.decided(&json!("ap"), false, "no");
    let replayed = list(json!([user(), assistant("a", &[&asks(2)])]));
    assert_eq!(page.ask(&replayed), Reason::Waiting);
    assert_eq!(page.repaired(&replayed, Scope::Home), replayed);
}

/// While a resumed stream tells a denied call again, its input grows; the denial stands.
#[test]
fn law_4_a_denial_stands_while_its_input_streams_again() {
    let question = part("c", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let mut page = heard(&asking("c", "ap"));
    page.look_at_last(&list(json!([user(), assistant("a", &[&question])])), true);
    page.decided(&json!("ap"), false, "no");
    let mut streams = part("c", "input-streaming", json!({}));
    for input in [json!(null), json!("1"), json!(1)] {
        streams["input"] = input;
        page.look_at_last(&list(json!([user(), assistant("a", &[&streams])])), true);
    }
    let open = part("c", "input-available", json!({}));
    for replayed in [&open, &question] {
        let messages = list(json!([user(), assistant("a", &[replayed])]));
        page.look_at_last(&messages, true);
        let home = page.repaired(&messages, Scope::Home);
        assert_eq!(parts(&home[1])[1]["approval"]["approved"], false, "{}", home[1]);
    }
}

/// A request is over once: a reader that cancels, and then the end that it caused, are one failure.
#[test]
fn law_13_a_request_ends_once() {
    let mut page = heard(&asking("c", "ap"));
    let yes = part("c", "approval-responded", json!({ "approval": { "id": "ap", "approved": true } }));
    let answered = list(json!([user(), assistant("a", &[&yes])]));
    let question = part("c", "approval-requested", json!({ "approval": { "id": "ap" } }));
    page.look_at_last(&list(json!([user(), assistant("a", &[&question])])), true);
    assert_eq!(page.ask(&answered), Reason::Answered);
    let (request, _) = page.send(&answered, StringId(1), false);
    page.tell(Fact::Started(request));
    page.tell(Fact::Failed { request, failure: Failure::Status(500) });
    let length = page.guard.length();
    let ends = [
        Fact::Started(request),
        Fact::Ended(request),
        Fact::Failed { request, failure: Failure::NotAsked },
        Fact::Failed { request, failure: Failure::Unknown },
    ];
    for end in ends {
        page.tell(end.clone());
        assert_eq!(page.guard.length(), length, "{end:?}");
    }
    let status = page.guard.state().calls.get(CallId(0)).map(Call::status);
    assert_eq!(status, Some(Status::InDoubt), "a response that has started was no refusal");
    assert_eq!(page.ask(&answered), Reason::InDoubt);
}

/// A yes that no request follows is reported once. Where one was seen, or waits for its turn, the chat has
/// the transport of the guard, and a yes without a request is one that it has dropped.
#[test]
fn law_4_a_yes_that_no_request_follows_is_reported() {
    let question = part("c", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let yes = part("c", "approval-responded", json!({ "approval": { "id": "ap", "approved": true } }));
    let asks = list(json!([user(), assistant("a", &[&question])]));
    let answered = list(json!([user(), assistant("a", &[&yes])]));
    let problems = |before: &[Fact], after: &[Fact]| {
        let mut page = common::Page::new(&[], |_| {});
        page.look_at_last(&asks, true);
        before.iter().for_each(|input| drop(page.tell(input.clone())));
        assert_eq!(page.ask(&answered), Reason::Answered);
        after.iter().for_each(|input| drop(page.tell(input.clone())));
        for _ in 0..2 {
            page.tell(Fact::LeaseOver);
            page.ask(&answered);
        }
        page.problems
    };
    let send = Fact::Send { chat: StringId(1), person: false };
    assert_eq!(problems(&[], &[]), [Problem::UnwatchedRequest]);
    assert_eq!(problems(&[Fact::LeaseOver], &[]), [Problem::UnwatchedRequest]);
    assert_eq!(problems(&[], &[Fact::Stopped]), []);
    assert_eq!(problems(&[], &[send]), []);
    assert_eq!(problems(&[], &[Fact::Leaving]), []);
    assert_eq!(problems(&[Fact::Leaving], &[]), []);
}
