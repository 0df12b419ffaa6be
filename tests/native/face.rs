//! What a page offers is true: an act that is offered is not refused, and nothing that a person has to send is hidden.

use crate::common::decision_harness::{DecisionHarness, Law};
use crate::common::decisions::history;
use crate::common::occurrences::{config, property};
use proptest::prelude::*;
use tool_approval_guard::core::call::Status;
use tool_approval_guard::core::clock::Now;
use tool_approval_guard::core::decision::Choice;
use tool_approval_guard::core::guard::{
    ActResult, Action, Chosen, CommitCause, Covers, Fact, Guard, Permitted,
};
use tool_approval_guard::core::id::{CallId, StringId};
use tool_approval_guard::core::verdict::Permit;

const NOW: f64 = 1_000_000.0;

fn tell(guard: &mut Guard, fact: Fact) -> tool_approval_guard::core::guard::Effects {
    guard.handle(fact, Now::from(NOW))
}

fn decides(guard: &mut Guard, call: CallId, choice: Choice) -> bool {
    let (covers, lifetime, program) = (Covers::Tool, None, StringId::NONE);
    tell(
        guard,
        Fact::Decide {
            named: call.into(),
            shown: None,
            chosen: Chosen {
                choice,
                covers,
                lifetime,
                edit: tool_approval_guard::core::guard::EditGiven::default(),
            },
            program,
        },
    )
    .act()
    .result
        == ActResult::Done
}

fn sends(guard: &mut Guard, permit: Permit) -> bool {
    let permitted = tell(guard, Fact::Permit(permit)).permitted();
    matches!(permitted, Some(Permitted::Continue | Permitted::Rewrite(_)))
}

/// `can` says for each call of the batch what `decide` and `undo` would do. Each history ends somewhere else, so each
/// state occurs.
#[test]
fn what_may_be_done_with_a_call_is_done() {
    let floors = [
        ("an allowance was offered", 90),
        ("an allowance was not offered", 90),
        ("a denial was offered", 90),
        ("a denial of a drafted allowance was offered", 9),
        ("a denial was not offered", 90),
        ("an undo was offered", 60),
        ("an undo was not offered", 90),
    ];
    property(config(3600), history(None), &floors, |history, occurred| {
        let mut guard = DecisionHarness::run(&history).guard;
        tell(&mut guard, Fact::Look);
        let calls = guard.batch().calls;
        // Every act changes the state, so each history tries one kind of act, on one call.
        let (kind, which) = (history.steps.len() % 3, history.steps.len() / 3);
        let Some(&id) = calls.get(which % calls.len().max(1)) else { return Ok(()) };
        let can = guard.can(id);
        let drafted = guard.state().calls.get(id).and_then(|call| call.draft());
        match kind {
            0 => {
                occurred.count_if(can.allow, "an allowance was offered");
                occurred.count_if(!can.allow, "an allowance was not offered");
                prop_assert_eq!(can.allow, decides(&mut guard, id, Choice::AllowOnce));
            }
            1 => {
                let replaces = can.deny && drafted.is_some_and(|draft| draft.decision.approved);
                occurred.count_if(can.deny, "a denial was offered");
                occurred.count_if(replaces, "a denial of a drafted allowance was offered");
                occurred.count_if(!can.deny, "a denial was not offered");
                // A person may deny what has expired, and nobody is asked to.
                let has_expired =
                    guard.state().calls.get(id).map(|call| call.status()) == Some(Status::Expired);
                let denied = decides(&mut guard, id, Choice::Deny);
                prop_assert!(can.deny == denied || (has_expired && denied));
            }
            _ => {
                let can_undo = guard.undo_refusal(id).is_none();
                occurred.count_if(can_undo, "an undo was offered");
                occurred.count_if(!can_undo, "an undo was not offered");
                prop_assert_eq!(
                    can_undo,
                    tell(&mut guard, Fact::Undo(vec![id.into()])).act().result == ActResult::Done
                );
            }
        }
        Ok(())
    });
}

/// The button of a batch does what it says. Without one, nothing that was sent and did not arrive waits for a person.
#[test]
fn the_button_of_a_batch_sends() {
    let floors = [
        ("a send was offered", 15),
        ("a retry was offered", 15),
        ("a resume was offered", 3),
        ("nothing was offered", 90),
    ];
    property(config(2400), history(Some(Law::Doubt)), &floors, |history, occurred| {
        let mut guard = DecisionHarness::run(&history).guard;
        tell(&mut guard, Fact::Look);
        let action = guard.action();
        match action {
            Some(Action::Send) => {
                occurred.count("a send was offered");
                let commits =
                    tell(&mut guard, Fact::Commit(CommitCause::Person)).act().result == ActResult::Done;
                prop_assert!(commits || sends(&mut guard, Permit::Retry));
            }
            Some(Action::Retry) => {
                occurred.count("a retry was offered");
                let is_lost =
                    guard.state().calls.iter().any(|(_, call)| call.failed_to_arrive() || call.unclear());
                prop_assert!(is_lost && sends(&mut guard, Permit::Retry));
            }
            Some(Action::Resume) => {
                occurred.count("a resume was offered");
                prop_assert!(sends(&mut guard, Permit::Resume));
            }
            None => {
                occurred.count("nothing was offered");
                let lost: Vec<CallId> = guard
                    .batch()
                    .calls
                    .into_iter()
                    .filter(|&id| guard.state().calls.get(id).is_some_and(|call| call.failed_to_arrive()))
                    .collect();
                prop_assert!(lost.is_empty() || !sends(&mut guard, Permit::Retry), "{:?}", lost);
            }
        }
        Ok(())
    });
}
