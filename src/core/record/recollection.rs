//! How the word of a record is to be taken by another page: what it says of a call, as the guard recalls it.

use super::known::Known;
use super::known_call::{Answer, KnownCall};
use crate::core::call::Delivery;
use crate::core::decision::{Actor, Author};
use crate::core::guard::Reach;
use crate::core::id::RequestId;
use serde::Serialize;

/// What another page may take for true of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recollection {
    /// Who has answered, or drafted.
    pub actor: Option<Actor>,
    /// `approval.id`
    pub approval_id: Option<String>,
    /// The answer that stands, or what was drafted.
    pub approved: Option<bool>,
    /// When it asked first, by the wall clock.
    pub asked_at: Option<u64>,
    /// When it expires, by the wall clock.
    pub deadline: Option<u64>,
    /// It was decided and not committed.
    pub draft: bool,
    /// The page has only heard of it, from one that was to send it.
    pub hearsay: bool,
    /// The salted hash of the input. Without it no yes is put back.
    pub input_hash: Option<String>,
    /// No other call could be meant where a part with its call id, tool and input has lost the question.
    pub lone: bool,
    /// How far the answer has come.
    pub reach: Reach,
    /// It has its result, or its denial was taken.
    pub settled: bool,
    /// An answer was taken back, and no page has given another one.
    pub taken_back: bool,
    /// `toolCallId`
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
}

impl Known {
    /// What there is to be recalled, oldest first.
    pub fn recollections(&self) -> Vec<Recollection> {
        self.calls()
            .iter()
            .map(|call| Recollection { lone: self.is_lone(call), ..call.recollection() })
            .collect()
    }

    /// A denial is settled, and stays one; what ran has its output in the messages.
    fn is_lone(&self, call: &KnownCall) -> bool {
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
    /// Whether its denial is settled, or a server has put out its output.
    fn is_settled(&self) -> bool {
        self.call.settled() || self.call.output() == Some(Author::Server)
    }

    fn recollection(&self) -> Recollection {
        let call = &self.call;
        // A yes that was only seen was not decided there: the messages say it as well. A no stays one.
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
            // What yet another tab was to send may have gone out.
            _ if call.elsewhere() => Reach::Sent,
            // What the server has run has arrived.
            _ if answer.is_some() && call.allowed() && self.is_settled() => Reach::Ended,
            _ if unsent => Reach::Unsent,
            Delivery::Failed => Reach::Failed,
            Delivery::Delivered(RequestId::NONE) => Reach::Ended,
            // Its response had begun, or broke: whether it came to its end is not known.
            _ => Reach::Sent,
        };
        Recollection {
            actor,
            approval_id: self.approval_id.clone(),
            approved,
            asked_at: call.question().map(|question| question.since),
            deadline: call.deadline(),
            draft: draft.is_some(),
            hearsay: call.elsewhere() && unsent,
            input_hash: self.input_hash.clone(),
            lone: false,
            reach,
            settled: call.settled() || call.output().is_some(),
            taken_back: self.taken_back,
            tool_call_id: self.tool_call_id.clone(),
            tool_name: self.tool_name.clone(),
        }
    }
}
