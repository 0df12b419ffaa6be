//! Law 4, with one history for each test: where a denial is, and where it is not.

use serde_json::{Value, json};
use tool_approval_guard::core::guard::{Attempt, Fact, Problem, Trigger};
use tool_approval_guard::core::id::{RequestId, StringId};
use tool_approval_guard::core::repair::Scope;
use tool_approval_guard::core::verdict::Reason;

use super::messages::{asking, assistant, heard, list, part, user};
use crate::common::{Page, parts};

/// A denial announced by the server in a chunk is known before the messages are scanned.
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

/// The same approval id means the same call, even if its call id was used again since.
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

/// The page writes over a copy of the message under a new id before any scan. The copy still shows the same
/// call.
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

/// A denial of the server that was only heard stands against a replayed question.
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

/// A denial is put on the call that was denied, and never on one with another input. A list with other
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

/// The same question about another input is a new question, because the denial was for the input that was
/// shown.
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

/// While a resumed stream repeats a denied call, its input grows, and the denial stands.
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

/// A yes that leads to no request is reported once. If a request was seen, or waits for its turn, the chat
/// uses the guard's transport, so a yes without a request means that the chat dropped it.
#[test]
fn law_4_a_yes_that_no_request_follows_is_reported() {
    let question = part("c", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let yes = part("c", "approval-responded", json!({ "approval": { "id": "ap", "approved": true } }));
    let asks = list(json!([user(), assistant("a", &[&question])]));
    let answered = list(json!([user(), assistant("a", &[&yes])]));
    let problems = |before: &[Fact], after: &[Fact]| {
        let mut page = Page::new(&[], |_| {});
        page.look_at_last(&asks, true);
        before.iter().for_each(|input| drop(page.tell(input.clone())));
        assert_eq!(page.ask(&answered), Reason::Answered);
        after.iter().for_each(|input| drop(page.tell(input.clone())));
        for _ in 0..2 {
            page.tell(Fact::LeaseOver { sending: false });
            page.ask(&answered);
        }
        page.problems
    };
    let send = Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: true };
    let attempt = Attempt { signal: 1, last: 2, length: 2, continues_another: false };
    let leaving = Fact::Outgoing { attempt, queues: false };
    assert_eq!(problems(&[], &[]), [Problem::UnwatchedRequest]);
    assert_eq!(problems(&[Fact::LeaseOver { sending: false }], &[]), [Problem::UnwatchedRequest]);
    assert_eq!(problems(&[], &[Fact::Stopped]), []);
    assert_eq!(problems(&[], &[send]), []);
    assert_eq!(problems(&[], std::slice::from_ref(&leaving)), []);
    assert_eq!(problems(&[leaving], &[]), []);
}

/// While the chat says that it is sending, a request may only be slow. If its response is over and no request was
/// seen, another transport has sent it. An answer or an output of the page is no sign that a response is over.
#[test]
fn law_4_a_request_that_is_slow_to_start_is_not_reported() {
    let question =
        |id: &str| part(id, "approval-requested", json!({ "approval": { "id": format!("ap-{id}") } }));
    let yes = |id: &str| {
        let approval = json!({ "id": format!("ap-{id}"), "approved": true });
        part(id, "approval-responded", json!({ "approval": approval }))
    };
    let waits = Fact::LeaseOver { sending: true };
    let sent = |after: &[Fact]| {
        let mut page = Page::new(&[], |_| {});
        page.look_at_last(&list(json!([user(), assistant("a", &[&question("c")])])), true);
        assert_eq!(page.ask(&list(json!([user(), assistant("a", &[&yes("c")])]))), Reason::Answered);
        for fact in after {
            page.tell(fact.clone());
        }
        page
    };
    let done = |mut page: Page| {
        page.ask(&list(json!([user(), assistant("a", &[&yes("c")])])));
        page.problems
    };
    let attempt = Attempt { signal: 1, last: 2, length: 2, continues_another: false };
    let leaving = Fact::Outgoing { attempt, queues: false };
    assert_eq!(sent(std::slice::from_ref(&waits)).problems, [], "it may only be slow");
    assert_eq!(done(sent(std::slice::from_ref(&waits))), [Problem::UnwatchedRequest]);
    assert_eq!(done(sent(&[waits.clone(), waits.clone()])), [Problem::UnwatchedRequest], "once");
    assert_eq!(done(sent(&[waits.clone(), leaving])), [], "it was slow");
    assert_eq!(done(sent(&[waits.clone(), Fact::Stopped])), [], "it was stopped");
    // A transport around the guard's has refused it, and the page goes on with another call.
    let mut page = sent(&[waits]);
    page.ask(&list(json!([user(), assistant("a", &[&yes("c"), &yes("d")])])));
    assert_eq!(page.problems, [], "nothing says that a response has ended");
}

/// A message stood behind an allowance, so that it has left as closed. It stays closed when the application sets an
/// older list without that message, in which its step is the last one again.
#[test]
fn law_4_what_was_closed_stays_closed_in_an_older_list() {
    let chunks = [asking("c", "ap1"), asking("d", "ap2")].concat();
    let call = |id: &str, approval: &str, is_allowed: bool| {
        let state = if is_allowed { "approval-responded" } else { "approval-requested" };
        let mut approval = json!({ "id": approval });
        if is_allowed {
            approval["approved"] = true.into();
        }
        // Of a provider's call, nobody else can say whether it has run.
        part(id, state, json!({ "approval": approval, "providerExecuted": id == "c" }))
    };
    let messages = |parts: [Value; 2]| {
        let [c, d] = parts;
        let step = json!({ "id": "a", "role": "assistant", "parts": [{ "type": "step-start" }, c, d] });
        list(json!([user(), step]))
    };
    let mut page = heard(&chunks);
    page.look_at_last(&messages([call("c", "ap1", false), call("d", "ap2", false)]), true);
    let allowed = messages([call("c", "ap1", true), call("d", "ap2", true)]);
    assert_eq!(page.ask(&allowed), Reason::Answered);
    let (first, _) = page.send(&allowed, StringId(1), false);
    page.tell(Fact::Started(first));
    let said = [allowed.as_slice(), &[json!({ "id": "v", "role": "user", "parts": [] })]].concat();
    let (second, wire) = page.send(&said, StringId(1), true);
    assert_eq!(parts(&wire[1])[1]["state"], "output-denied", "{}", wire[1]);
    page.tell(Fact::Started(second));
    page.tell(Fact::Ended(second));
    page.sweep(&allowed);
    // The first response asks about the other call once more.
    page.hear(first, &json!({ "type": "tool-approval-request", "toolCallId": "d", "approvalId": "ap3" }));
    page.look_at_last(&messages([call("c", "ap1", true), call("d", "ap3", false)]), true);
    page.tell(Fact::Ended(first));
    let again = messages([call("c", "ap1", true), call("d", "ap3", true)]);
    page.sweep(&again);
    assert_eq!(page.ask(&again), Reason::Answered);
    let (_, wire) = page.send(&again, StringId(1), false);
    let states = parts(&wire[1])[1..].iter().map(|part| &part["state"]).collect::<Vec<_>>();
    assert_eq!(states, ["output-denied", "approval-responded"], "{}", wire[1]);
    assert_eq!(parts(&wire[1])[1]["approval"]["approved"], false, "{}", wire[1]);
    // The server takes that denial.
    let mut settled = call("c", "ap1", true);
    settled["state"] = "output-denied".into();
    let taken = messages([settled, call("d", "ap3", true)]);
    page.look_at_last(&taken, true);
    let wire = page.repaired(&taken, Scope::Wire);
    assert_eq!(parts(&wire[1])[1]["approval"]["approved"], false, "{}", wire[1]);
}
