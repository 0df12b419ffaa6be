//! The conclusions of another page from a record: the facts about a call, in the form that the guard recalls.

use super::known::Known;
use super::known_call::{Answer, KnownCall};
use crate::core::call::Delivery;
use crate::core::decision::{Actor, Author};
use crate::core::guard::Reach;
use serde::Serialize;

/// The facts about a call that another page may rely on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recollection {
    /// The actor of the answer or the draft.
    pub actor: Option<Actor>,
    /// `approval.id`
    pub approval_id: Option<String>,
    /// The answer that stands, or the drafted one.
    pub approved: Option<bool>,
    /// The time at which it first asked, by the wall clock.
    pub asked_at: Option<u64>,
    /// The time at which it expires, by the wall clock.
    pub deadline: Option<u64>,
    /// Whether it was decided but not committed.
    pub draft: bool,
    /// The salted hash of the changed input with which it was allowed. Without that input, no allowance is restored.
    pub edit_hash: Option<String>,
    /// Whether the answer is from another page that is still alive.
    pub elsewhere: bool,
    /// The salted hash of the input. Without it, no allowance is restored.
    pub input_hash: Option<String>,
    /// The progress of the delivery of the answer, or of the allowance before the question.
    pub reach: Reach,
    /// Whether it has its result, or its denial was accepted.
    pub settled: bool,
    /// Whether an answer was taken back, and no page has answered again since.
    pub taken_back: bool,
    /// The latest time that another page has written, by the wall clock.
    pub latest: Option<u64>,
    /// Whether its allowance is one that the server gave itself, or that a page has found in the messages, for an input
    /// that nobody has compared.
    pub found: bool,
    /// `toolCallId`
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
}

impl Known {
    /// Whether no other call can be meant. A settled denial stays one, and a call that ran has its output in
    /// the messages.
    pub fn is_lone(&self, call: &KnownCall) -> bool {
        let twin = |other: &&KnownCall| {
            other.tool_call_id == call.tool_call_id
                && other.tool_name == call.tool_name
                && other.input_hash == call.input_hash
        };
        let matters = !call.is_settled() || call.call.denied();
        matters && call.approval_id.is_some() && self.calls().iter().filter(twin).count() == 1
    }
}

impl KnownCall {
    /// Whether its denial is settled, or a server has its result.
    fn is_settled(&self) -> bool {
        self.call.denial_settled() || self.has_result()
    }

    /// Whether a server has sent its output, or has had one. A page may have written another one over it.
    pub(super) fn has_result(&self) -> bool {
        self.call.output() == Some(Author::Server) || self.call.is_put_out_again()
    }

    /// The facts about the call that another page may rely on.
    pub fn recollection(&self) -> Recollection {
        let call = &self.call;
        // An allowance that was only seen was not decided on that page, and the messages show it too. A
        // denial stands.
        let answer = self.answer.as_ref().filter(|answer| !(answer.approved && answer.is_seen_only()));
        let draft = call.draft().map(|draft| draft.decision.approved);
        let (approved, actor) = match (answer, draft) {
            _ if call.superseded() => (Some(false), Some(Actor::Superseded)),
            (Some(Answer { approved, actor, .. }), _) => (Some(*approved), *actor),
            (None, Some(draft)) => (Some(draft), Some(Actor::Person)),
            (None, None) => (None, None),
        };
        let unsent = matches!(call.delivery(), Delivery::Idle | Delivery::Unsent | Delivery::History);
        let reach = match call.delivery() {
            // If a third tab had to send the answer, it may have gone out. What asks again was sent before.
            _ if call.elsewhere() || call.may_have_run() => Reach::Sent,
            // The output of the server shows that the answer has arrived.
            _ if answer.is_some() && call.allowed() && self.is_settled() => Reach::Ended,
            _ if unsent => Reach::Unsent,
            Delivery::Failed => Reach::Failed,
            Delivery::Arrived => Reach::Ended,
            // The response had begun or broke off, and it is not known whether it came to its end.
            _ => Reach::Sent,
        };
        Recollection {
            actor,
            approval_id: self.approval_id.clone(),
            approved,
            asked_at: call.question().map(|question| question.since),
            deadline: call.deadline(),
            draft: draft.is_some(),
            edit_hash: self.edit_hash.clone().filter(|_| approved == Some(true)),
            elsewhere: false,
            input_hash: self.input_hash.clone(),
            reach,
            settled: call.denial_settled() || call.output().is_some(),
            taken_back: self.taken_back,
            latest: None,
            found: self.input_hash.is_none()
                && self.answer.as_ref().is_some_and(|answer| answer.approved && answer.is_seen_only()),
            tool_call_id: self.tool_call_id.clone(),
            tool_name: self.tool_name.clone(),
        }
    }
}
