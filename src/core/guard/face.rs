//! The offers of a page: the acts that are possible with a call, and the one button of a batch.

use super::{ActResult, CommitCause, Guard, Permitted};
use crate::core::batch::Phase;
use crate::core::call::Call;
use crate::core::decision::Choice;
use crate::core::id::CallId;
use crate::core::verdict::{Permit, Reason};

vocabulary! {
    /// The one button that a batch needs. There is none while something is still to be decided, and while everything
    /// goes on by itself.
    Action {
        /// Commits the drafts, or sends what was never sent and does not leave by itself.
        Send = "send",
        /// Sends again what failed or is in doubt, and what would leave with it.
        Retry = "retry",
        /// Sends what was answered before a reload and never sent.
        Resume = "resume",
    }
}

row! {
    /// The acts that are open to a person with a call.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Can {
        /// It can be allowed.
        pub allow: bool,
        /// It can be denied. A drafted allowance can, because a denial wins.
        pub deny: bool,
    }
}

impl Guard {
    /// The acts that are open to a person with a call: an act that is offered here is not refused.
    pub fn can(&self, id: CallId) -> Can {
        let offers = |choice| self.over(id).is_none() && self.refusal(id, choice).is_none();
        Can {
            allow: offers(Choice::AllowOnce),
            // An expired call can still be denied, which changes nothing for the model, so nobody is asked to.
            deny: offers(Choice::Deny),
        }
    }

    /// Whether another yes, or sending it again, may run the call twice.
    pub fn may_run_twice(&self, id: CallId) -> bool {
        let Some((call, seen)) = self.known(id) else { return false };
        let is_running = seen.part.flags.provider || self.responses.any();
        // What was refused has run before it asked again, and leaves once more.
        let again = call.failed_to_arrive() && call.allowed_without_output() && call.may_have_run_before();
        call.may_have_run() || again || call.unclear() || (call.allowed_by_server() && !is_running)
    }

    /// The one button that the batch needs now.
    pub fn action(&self) -> Option<Action> {
        let next = self.next_to_commit();
        if (next.undoable || self.pause.holds(&next))
            && self.result_of_commit(CommitCause::Person) == ActResult::Done
        {
            return Some(Action::Send);
        }
        let verdict = self.verdict();
        if verdict == Reason::History && self.permitted(Permit::Resume).sends() {
            return Some(Action::Resume);
        }
        if !self.permitted(Permit::Retry).sends() {
            return None;
        }
        let sendable = self.sendable(Permit::Retry, &self.step_calls());
        let was_sent = |(_, call): &(CallId, Call)| call.failed_to_arrive() || call.unclear();
        if verdict == Reason::InDoubt || sendable.iter().any(was_sent) {
            return Some(Action::Retry);
        }
        let batch = self.batch();
        // If each answer is sent by itself, other calls may still ask.
        let is_answered = batch.phase == Phase::Answered || self.has_unsent_answer();
        let is_held = match verdict {
            Reason::Limit | Reason::Stopped | Reason::Failed => true,
            // A message of the person carries a denial, so nothing needs a button.
            Reason::AllDenied | Reason::NotInSendOn => is_answered && batch.allowed > 0,
            // A predicate around the guard's may have said no.
            Reason::Answered | Reason::Output => is_answered,
            _ => false,
        };
        is_held.then_some(Action::Send)
    }
}

impl Permitted {
    /// Whether something would be sent.
    pub fn sends(self) -> bool {
        matches!(self, Self::Continue | Self::Rewrite(_))
    }
}
