//! Laws 1, 2, 3, 9 and 14, and the rules after a stop: when a chat may send, and how that is explained.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_approval_guard::core::guard::{Attempt, Effects, Fact, Failure, Returned, Trigger};
use tool_approval_guard::core::id::{RequestId, StringId};
use tool_approval_guard::core::verdict::Reason;

use super::messages::{assistant, list, part, user};
use super::moments::{Verdict, each_moment, open, step_calls};
use super::untouched::same;
use crate::common::Page;
use crate::common::chat_simulator::histories::{Kind, history, repeating_history, stopping_history};
use crate::common::chat_simulator::{ChatSimulator, Idle, LIMIT, Moment, Truth, last_step, text_after_calls};
use crate::common::occurrences::{Occurrences, config, property};

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

/// With `sendEach` an answer leaves while other calls ask, and nothing else does.
fn law_1_each(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Asked { after, truths, reason, idle, .. } = moment else { return Ok(()) };
    if !reason.sends() {
        return Ok(());
    }
    let step = step_calls(after, truths);
    let open: Vec<_> = step.iter().filter(|(part, truth)| open(part, truth)).collect();
    occurred.count_if(!open.is_empty(), "an answer was sent beside a question");
    for (part, truth) in &open {
        prop_assert!(truth.asks(), "{} although this is open: {part} {truth:?}", reason.name());
    }
    let answered = step.iter().any(|(_, truth)| truth.answer_new);
    prop_assert!(open.is_empty() || answered || idle.permit, "nothing was answered: {step:?}");
    Ok(())
}

/// With `sendEach` an answer waits for no other question.
fn law_3_each(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Asked { after, truths, reason, idle, .. } = moment else { return Ok(()) };
    let Idle { yes_in_turn, stopped, automatic, permit } = *idle;
    let step = step_calls(after, truths);
    let waits = |part: &&Value, truth: &Truth| {
        open(part, truth) && !(truth.asks() && part["state"] == "approval-requested")
    };
    if yes_in_turn || stopped || automatic >= LIMIT || permit || step.iter().any(|(part, t)| waits(part, t)) {
        return Ok(());
    }
    if step.iter().any(|(_, t)| t.in_doubt()) {
        return Ok(());
    }
    let answered = step.iter().any(|(_, t)| t.answer_new && t.page_output.is_none() && !t.server_output);
    let asks = step.iter().any(|(part, t)| open(part, t));
    occurred.count_if(answered && asks, "something was answered beside a question");
    prop_assert!(!answered || reason.sends(), "stalls with {}: {step:?}", reason.name());
    Ok(())
}

/// Continuing without a message sends nothing while a call of the last step is open, and changes nothing in
/// it.
fn law_1_by_hand(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Continued { home, after, truths, refused, added } = moment else { return Ok(()) };
    let open = step_calls(home, truths).into_iter().find(|(part, truth)| open(part, truth));
    prop_assert_eq!(*refused, open.is_some(), "{:?}", open);
    occurred.count_if(*refused, "a continue by hand was refused");
    occurred.count_if(!*refused, "a continue by hand was let through");
    if *refused {
        prop_assert_eq!(*added, 1, "one entry says that it is held");
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

/// Whether a step has to be sent, and whether text has answered its output.
fn owed(after: &[Value], truths: &[Truth], idle: &Idle, occurred: &Occurrences) -> (bool, bool) {
    let Idle { yes_in_turn, stopped, automatic, permit } = *idle;
    let step = step_calls(after, truths);
    if yes_in_turn || stopped || automatic >= LIMIT || permit || step.iter().any(|(part, t)| open(part, t)) {
        return (false, false);
    }
    // Law 13: a step with an allowance in doubt is not sent automatically.
    if step.iter().any(|(_, t)| t.in_doubt()) {
        return (false, false);
    }
    let text = text_after_calls(last_step(after));
    let answered = step.iter().any(|(_, t)| t.answer_new && t.page_output.is_none() && !t.server_output);
    // Only outputs that the page, according to the law, wrote first, over a call of its own.
    let put_out = step.iter().any(|(part, t)| {
        let own = matches!(t.kind, Kind::Client | Kind::UnnamedClient);
        own && !t.superseded
            && t.output_new
            && part["state"].as_str().is_some_and(|s| s.starts_with("output"))
    });
    let held = text && step.iter().any(|(_, t)| t.output_new && !t.text_before_output);
    occurred.count_if(answered, "something was answered");
    occurred.count_if(!answered && put_out && !held, "something was put out");
    // In a step that was never seen open, text after the last call means that the step was answered.
    let never_open =
        step.iter().all(|(_, t)| t.kind == Kind::Other) && step.iter().any(|(_, t)| t.output_new);
    (answered || (put_out && !held), never_open && text)
}

fn law_3(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Asked { after, truths, reason, idle, .. } = moment else { return Ok(()) };
    let (is_owed, is_answered) = owed(after, truths, idle, occurred);
    prop_assert!(
        !is_owed || reason.sends(),
        "stalls with {}: {:?}",
        reason.name(),
        step_calls(after, truths)
    );
    occurred.count_if(is_answered, "text has answered an output");
    prop_assert!(!is_answered || !reason.sends(), "sends what text has answered: {after:?}");
    Ok(())
}

/// Nobody asks, and what has to be sent is asked about all the same.
fn law_3_unasked(moment: &Moment, occurred: &Occurrences) -> Verdict {
    let Moment::Rested { after, truths, idle, wakes } = moment else { return law_3(moment, occurred) };
    let (is_owed, is_answered) = owed(after, truths, idle, occurred);
    prop_assert!(!is_owed || *wakes, "nobody asks: {:?}", step_calls(after, truths));
    prop_assert!(!is_answered || !wakes, "asks about what text has answered: {after:?}");
    occurred.count_if(*wakes, "the guard has the chat asked");
    Ok(())
}

/// An answer or an output from before a stop is not sent automatically until a person acts.
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

#[test]
fn law_1_no_early_send() {
    let floors = [("an open step was asked about", 500), ("a step was sent", 80)];
    each_moment(history(), &floors, law_1);
}

#[test]
fn send_each_sends_each_answer_alone_and_once() {
    let floors = [
        ("an answer was sent beside a question", 20),
        ("something was answered beside a question", 20),
        ("a step was asked about that was sent", 20),
    ];
    property(config(1200), history(), &floors, |history, occurred| {
        ChatSimulator::run_each(&history).trace.iter().try_for_each(|moment| {
            law_1_each(moment, occurred)?;
            law_2(moment, occurred)?;
            law_3_each(moment, occurred)
        })
    });
}

#[test]
fn law_1_nothing_open_is_continued_by_hand() {
    let floors = [("a continue by hand was refused", 10), ("a continue by hand was let through", 20)];
    each_moment(history(), &floors, law_1_by_hand);
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
fn law_3_no_stall_where_the_chat_does_not_ask() {
    let floors =
        [("something was answered", 50), ("something was put out", 15), ("the guard has the chat asked", 50)];
    property(config(1200), history(), &floors, |history, occurred| {
        ChatSimulator::run_silent(&history).trace.iter().try_for_each(|moment| {
            law_1(moment, occurred)?;
            law_2(moment, occurred)?;
            law_3_unasked(moment, occurred)
        })
    });
}

#[test]
fn c37_c55_nothing_leaves_by_itself_after_a_stop() {
    let floors = [("a settled step was asked about after a stop", 100)];
    each_moment(prop_oneof![1 => history(), 2 => stopping_history()], &floors, after_a_stop);
}

#[test]
fn law_9_one_chat() {
    let floors = [("a request of another chat", 90)];
    each_moment(history(), &floors, law_9);
}

#[test]
fn law_14_explain_says_what_the_predicate_says() {
    let floors = [("a yes was foretold", 120), ("a lease was foretold", 8), ("a limit was foretold", 8)];
    property(config(1200), (history(), any::<bool>()), &floors, |(history, watched), occurred| {
        let simulator = ChatSimulator::run_with(&history, watched);
        simulator.trace.iter().try_for_each(|moment| law_14(moment, occurred))
    });
}

fn is_overtaken(effects: &Effects) -> bool {
    matches!(effects.returned, Some(Returned::Overtaken(true)))
}

/// In the tick of a yes only one request leaves, because another one would send the same step again.
#[test]
fn law_2_a_request_that_repeats_one_of_the_same_turn_does_not_leave() {
    let question = part("c", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let yes = part("c", "approval-responded", json!({ "approval": { "id": "ap", "approved": true } }));
    let asks = list(json!([user(), assistant("a", &[&question])]));
    let answered = list(json!([user(), assistant("a", &[&yes])]));
    let first = Attempt { signal: 1, last: 7, length: 2, continues_another: false };
    let again = Attempt { signal: 2, ..first };
    let overtaken = |between: &[Fact], second: Attempt, queues: bool| {
        let mut page = Page::new(&[], |_| {});
        page.look_at_last(&asks, true);
        assert_eq!(page.ask(&answered), Reason::Answered);
        assert!(!is_overtaken(&page.tell(Fact::Outgoing { attempt: first, queues })), "the first one leaves");
        page.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: true });
        between.iter().for_each(|fact| drop(page.tell(fact.clone())));
        is_overtaken(&page.tell(Fact::Outgoing { attempt: second, queues }))
    };
    assert!(overtaken(&[], again, false));
    assert!(overtaken(&[], Attempt { length: 1, last: 3, continues_another: true, ..again }, false));
    assert!(!overtaken(&[], first, false), "the same request, sent twice by a transport");
    assert!(!overtaken(&[], Attempt { length: 3, last: 8, ..again }, false), "a message of the user");
    assert!(!overtaken(&[], Attempt { length: 1, last: 3, ..again }, false), "an edit");
    assert!(!overtaken(&[], again, true), "an aborted request would pause the queue of the chat");
    assert!(!overtaken(&[Fact::LeaseOver { sending: false }], again, false), "another turn");
    let failed = Fact::Failed { request: RequestId(1), failure: Failure::Unknown };
    assert!(!overtaken(&[failed], again, false), "the first one is over");
    let refused = Fact::Send { chat: StringId(9), trigger: Trigger::Submit, continues: true };
    assert!(!overtaken(&[refused], again, false), "the first one was refused");
}

/// The chat asks, and the application sets another list before the request. It is no request of a person, so it counts.
#[test]
fn law_2_a_request_with_another_list_than_the_one_of_the_yes_is_automatic() {
    let question =
        |id: &str| part(id, "approval-requested", json!({ "approval": { "id": format!("ap-{id}") } }));
    let yes = |id: &str| {
        let approval = json!({ "id": format!("ap-{id}"), "approved": true });
        part(id, "approval-responded", json!({ "approval": approval }))
    };
    let shown = |steps: &[&Value]| list(json!([user(), assistant("a", steps)]));
    let mut page = Page::new(&[], |_| {});
    page.look_at_last(&shown(&[&question("c")]), true);
    page.look_at_last(&shown(&[&question("c"), &question("d")]), true);
    page.sweep(&shown(&[&yes("c")]));
    assert_eq!(page.ask(&shown(&[&yes("c")])), Reason::Answered);
    let (request, _) = page.send(&shown(&[&yes("c"), &yes("d")]), StringId(1), false);
    assert!(request.is_some());
    assert_eq!(page.guard.state().automatic, 1);
}
