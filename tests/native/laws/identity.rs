//! Laws 2, 3 and 6, with one history for each test: which calls a list shows, and what is new about them.

use serde_json::{Value, json};
use tool_approval_guard::core::guard::Fact;
use tool_approval_guard::core::id::{CallId, RequestId, StringId};
use tool_approval_guard::core::repair::Scope;
use tool_approval_guard::core::verdict::Reason;

use super::messages::{asking, assistant, heard, list, part, user};
use crate::common::{Page, parts};

/// A model uses a call id again in the next step of the same response, without a scan in between. The second
/// call is another call; the output of the first one is the server's and needs no approval.
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

/// A copy of the message under a new id, in which a call id occurs twice, is not new: its answer was already
/// sent.
#[test]
fn law_2_a_copy_with_a_call_id_twice_is_not_new() {
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
    page.tell(Fact::LeaseOver { sending: false });
    let copied = list(json!([user(), assistant("a", &[&ran, &denied]), assistant("b", &[&ran, &denied])]));
    assert!(!page.ask(&copied).sends());
}

/// If one call of a step was seen open although text followed it, that text did not answer the step, even if
/// another call of it had its output already.
#[test]
fn law_3_text_beside_an_open_call_answers_no_output_of_the_step() {
    let open = |id| part(id, "input-available", json!({}));
    let put = |id| part(id, "output-available", json!({ "output": 1 }));
    let step = |one: Value, two: Value| {
        let mut message = assistant("a", &[&one]);
        message["parts"].as_array_mut().unwrap().extend([two, json!({ "type": "text", "text": "See." })]);
        list(json!([user(), message]))
    };
    let mut page = Page::new(&[], |_| {});
    assert_eq!(page.ask(&step(put("c1"), open("c2"))), Reason::Waiting);
    assert_eq!(page.ask(&step(put("c1"), put("c2"))), Reason::Output);
    let mut page = Page::new(&[], |_| {});
    assert_eq!(page.ask(&step(put("c1"), put("c2"))), Reason::AnsweredInText, "it was never seen open");
}

/// A deep copy of the list shows the same calls, even if a call id occurs twice.
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

/// What was heard about a call that was never seen does not apply to the next call with its call id.
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

/// A repair that was needed only for a message of a person while a request was running is not kept for the
/// next request. The border keeps repairs as long as the revision is the same.
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
