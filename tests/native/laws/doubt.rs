//! Law 13: what was sent but not delivered stays in doubt.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_approval_guard::core::call::{Call, Status};
use tool_approval_guard::core::guard::{Fact, Failure};
use tool_approval_guard::core::id::{CallId, StringId};
use tool_approval_guard::core::verdict::Reason;

use super::messages::{asking, assistant, heard, list, part, user};
use super::moments::{Verdict, each_moment, step_calls};
use crate::common::chat_simulator::histories::{failing_history, history};
use crate::common::chat_simulator::{Moment, Truth, tag};
use crate::common::occurrences::Occurrences;

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

/// What was sent but not delivered is in doubt, unless its refusal is proven, and is not sent again
/// automatically.
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

/// A request ends only once: a reader that cancels, and the end that this causes, are one failure.
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
    page.tell(Fact::Failed { request, failure: Failure::Status(400) });
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
