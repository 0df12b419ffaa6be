//! The question of a call that needs approval.

use crate::core::call::Digest;
use crate::core::clock::Time;
use crate::core::decision::Ruling;
use crate::core::event::{Detail, Event, EventKind};
use crate::core::id::GrantId;

use super::Run;

/// An approval request, and how long it may wait for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The digest of the input that needs approval.
    pub input: Digest,
    /// Whether the application marks the call as dangerous.
    pub dangerous: bool,
    /// The decision of the rules about the call.
    pub ruling: Option<Ruling>,
    /// The time that it may wait for an answer.
    pub lifetime: Option<Time>,
    /// The time at which it expires.
    pub deadline: Option<Time>,
    /// The time at which it began to ask.
    pub since: Time,
    /// The time that it had waited in an earlier page, if the record says so.
    pub waited_before: Option<Time>,
    /// Whether the warning before it expires was given.
    pub warned: bool,
    /// After an undo, only grants newer than this one may answer.
    pub grants_ignored_up_to: GrantId,
    /// Whether its part has lost the question that the record still has.
    pub lost: bool,
    /// The fate of the allowance before the question.
    pub(super) earlier: Earlier,
}

/// The fate of an earlier allowance of a call that asks again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Earlier {
    /// There was none that any server has seen.
    #[default]
    None,
    /// The server has refused it: it has asked again in its response, or it has refused the request.
    Refused,
    /// The call has run, or may have.
    MayHaveRun,
    /// The call has run, and an older list has taken the place of the one that shows its output.
    Ran(Run),
}

impl Earlier {
    /// The same, without the output: it is shown again, or was put out for another question.
    pub(super) fn without_output(self) -> Self {
        if let Self::Ran(_) = self { Self::MayHaveRun } else { self }
    }
}

impl Question {
    pub(super) fn new(input: Digest, since: Time) -> Self {
        Self { input, since, ..Self::default() }
    }

    /// Applies the part of an event that concerns only the question.
    pub(super) fn apply(&mut self, event: &Event, time: Time) {
        match (event.kind, event.detail) {
            (EventKind::Annotated, Detail::Annotation { dangerous, lifetime }) => {
                self.dangerous = dangerous;
                self.lifetime = lifetime;
                self.deadline = event.deadline;
            }
            (EventKind::RuleEvaluated, Detail::Ruling(ruling)) => self.ruling = Some(ruling),
            (EventKind::Undone, Detail::GrantsIgnoredUpTo(grant)) => {
                self.grants_ignored_up_to = self.grants_ignored_up_to.max(grant);
            }
            (EventKind::Warned, _) => self.warned = true,
            (EventKind::Extended, _) => {
                self.deadline = event.deadline;
                self.warned = false;
            }
            (EventKind::Lost, _) => self.lost = true,
            (EventKind::Waited, Detail::Waited { before, left }) => {
                self.waited_before = Some(before);
                let deadline = left.map(|left| time.saturating_add(left));
                // Law 12: there is never more time than an earlier page had left.
                self.deadline = [self.deadline, deadline].into_iter().flatten().min();
            }
            _ => {}
        }
    }
}
