//! How the word of a record is to be taken by another page: what it says of a call, as the guard recalls it.

use super::known::{Answer, Call, Delivery, Known};
use crate::core::decision::Actor;
use crate::core::guard::Reach;
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
        self.calls().map(|call| Recollection { lone: self.is_lone(call), ..call.recollection() }).collect()
    }

    /// A denial is settled, and stays one; what ran has its output in the messages.
    fn is_lone(&self, call: &Call) -> bool {
        let twin = |other: &&Call| {
            other.tool_call_id == call.tool_call_id
                && other.tool_name == call.tool_name
                && other.input_hash == call.input_hash
        };
        let matters = !call.settled || call.denied();
        matters && call.approval_id.is_some() && self.calls().filter(twin).count() == 1
    }
}

impl Call {
    fn recollection(&self) -> Recollection {
        // A yes that was only seen was not decided there: the messages say it as well. A no stays one.
        let seen = |answer: &Answer| matches!(answer.actor, Some(Actor::History | Actor::Server));
        let answer = self.answer.as_ref().filter(|answer| !(answer.approved && seen(answer)));
        let draft = self.draft.as_ref().filter(|_| answer.is_none() && !self.superseded);
        let (approved, actor) = match (answer, draft) {
            _ if self.superseded => (Some(false), Some(Actor::Superseded)),
            (Some(answer), _) => (Some(answer.approved), answer.actor),
            (None, Some(draft)) => (Some(draft.approved), Some(Actor::Person)),
            (None, None) => (None, None),
        };
        let reach = match self.delivery {
            // What yet another tab was to send may have gone out.
            _ if self.elsewhere => Reach::Sent,
            Delivery::None | Delivery::Unsent => Reach::Unsent,
            Delivery::Failed => Reach::Failed,
            // Its response had begun, or broke: whether it came to its end is not known.
            Delivery::Sent | Delivery::Delivered | Delivery::Doubt => Reach::Sent,
            Delivery::Ended => Reach::Ended,
        };
        Recollection {
            actor,
            approval_id: self.approval_id.clone(),
            approved,
            asked_at: self.asked_at,
            deadline: self.deadline,
            draft: draft.is_some(),
            hearsay: self.elsewhere && self.delivery <= Delivery::Unsent,
            input_hash: self.input_hash.clone(),
            lone: false,
            reach,
            settled: self.settled || self.output.is_some(),
            taken_back: self.taken_back,
            tool_call_id: self.tool_call_id.clone(),
            tool_name: self.tool_name.clone(),
        }
    }
}
