//! A call in the form that a checkpoint stores. When it is read again, the stored facts are applied to the
//! same fold as lines.

use super::known_call::{Answer, KnownCall, unknown};
use super::line::Line;
use crate::core::call::Delivery;
use crate::core::decision::{Actor, Author};
use crate::core::event::{Event, EventKind};
use crate::core::id::RequestId;

vocabulary! {
    /// The progress of the delivery of a call.
    #[derive(Default)]
    Progress {
        /// No delivery is known.
        #[default]
        None = "none",
        /// No request has carried it.
        Unsent = "unsent",
        /// The request that carried it failed: the server refused it, or never received it.
        Failed = "failed",
        /// A request carries it.
        Sent = "sent",
        /// The request broke off after it had left: an allowed call may have run.
        Doubt = "doubt",
        /// The response to it has started.
        Delivered = "delivered",
        /// The response to it has ended.
        Ended = "ended",
    }
}

names!(Progress);

impl Progress {
    /// The progress of a delivery.
    pub fn of(delivery: Delivery) -> Self {
        match delivery {
            Delivery::Idle | Delivery::History => Self::None,
            Delivery::Unsent => Self::Unsent,
            Delivery::Failed => Self::Failed,
            Delivery::Sent(_) => Self::Sent,
            Delivery::Doubt => Self::Doubt,
            Delivery::Delivered(_) => Self::Delivered,
            Delivery::Arrived => Self::Ended,
        }
    }

    /// The delivery by this request that has made this progress; `None` if none is known.
    fn delivery(self, request: RequestId) -> Option<Delivery> {
        Some(match self {
            Self::None => return None,
            Self::Unsent => Delivery::Unsent,
            Self::Failed => Delivery::Failed,
            Self::Sent => Delivery::Sent(request),
            Self::Doubt => Delivery::Doubt,
            Self::Delivered => Delivery::Delivered(request),
            Self::Ended => Delivery::Arrived,
        })
    }
}

fields! {
    /// A decision of a person that is not committed.
    #[derive(Clone, Debug)]
    pub struct Draft {
        /// Whether it would allow the call.
        approved: bool = "approved",
        /// Whether the session has only restored it.
        restored: bool = "restored",
        /// The session in which the person decided, or which has restored it.
        session: Option<String> = "session",
    }
}

fields! {
    /// The fields of a stored call. The name of a field never changes.
    #[derive(Clone, Debug)]
    pub struct StoredCall {
        answer: Option<Answer> = "answer",
        approval_id: Option<String> = "approvalId",
        asked: bool = "asked",
        asked_at: Option<u64> = "askedAt",
        deadline: Option<u64> = "deadline",
        delivery: Progress = "delivery",
        doubt: bool = "doubt",
        draft: Option<Draft> = "draft",
        edit_hash: Option<String> = "editHash",
        elsewhere: bool = "elsewhere",
        gone: bool = "gone",
        input_hash: Option<String> = "inputHash",
        may_have_run: bool = "mayHaveRun",
        order: u64 = "order",
        output: Option<Actor> = "output",
        recovered: bool = "recovered",
        request: Option<u64> = "request",
        request_session: Option<String> = "requestSession",
        session: String = "session",
        settled: bool = "settled",
        superseded: bool = "superseded",
        taken_back: bool = "takenBack",
        tool_call_id: String = "toolCallId",
        tool_name: String = "toolName",
    }
}

impl StoredCall {
    /// Converts a call to its stored form.
    pub fn of(known: &KnownCall, order: u64) -> Self {
        let call = &known.call;
        let request = known.request();
        Self {
            answer: known.answer.clone(),
            approval_id: known.approval_id.clone(),
            asked: call.asked(),
            asked_at: call.question().map(|question| question.since),
            deadline: call.deadline(),
            delivery: Progress::of(call.delivery()),
            doubt: call.in_doubt_before(),
            draft: call.draft().map(|draft| Draft {
                approved: draft.decision.approved,
                restored: known.is_redrafted,
                session: known.draft_session.clone(),
            }),
            edit_hash: known.edit_hash.clone(),
            elsewhere: call.elsewhere(),
            gone: call.gone(),
            input_hash: known.input_hash.clone(),
            may_have_run: call.may_have_run_before(),
            order,
            output: call.output().map(Author::actor),
            recovered: known.recovered,
            request: request.map(|request| request.0.into()),
            request_session: known.request_session.clone(),
            session: known.session.clone(),
            settled: call.denial_settled(),
            superseded: call.superseded(),
            taken_back: known.taken_back,
            tool_call_id: known.tool_call_id.clone(),
            tool_name: known.tool_name.clone(),
        }
    }

    /// Restores the call: its state is folded from the smallest number of events that lead to the stored
    /// facts.
    pub fn replay(self) -> KnownCall {
        let (approved, actor) = match (&self.answer, &self.draft) {
            (Some(answer), _) => (answer.approved, answer.actor),
            (None, Some(draft)) => (draft.approved, Some(Actor::Person)),
            (None, None) => (self.elsewhere, Some(Actor::Tab)),
        };
        let doubt = self.may_have_run.then_some(true);
        let line =
            Line { actor, approved: Some(approved), deadline: self.deadline, doubt, ..Line::default() };
        let by_page = matches!(self.output, Some(Actor::Person | Actor::Application));
        let (answered, asked_at) = (self.answer.is_some(), self.asked_at.unwrap_or_default());
        let mut known = KnownCall {
            call: unknown(self.approval_id.as_ref()),
            approval_id: self.approval_id,
            tool_call_id: self.tool_call_id,
            tool_name: self.tool_name,
            session: self.session,
            input_hash: self.input_hash,
            edit_hash: self.edit_hash,
            answer: self.answer,
            request_session: self.request_session,
            draft_session: self.draft.as_ref().and_then(|draft| draft.session.clone()),
            is_redrafted: self.draft.as_ref().is_some_and(|draft| draft.restored),
            taken_back: self.taken_back,
            recovered: self.recovered,
        };
        let mut tell_if = |is: bool, kind: EventKind| {
            if is {
                let actor = if by_page { Actor::Application } else { Actor::Server };
                known.tell(Event { actor, ..known.said(kind, &line) }, asked_at);
            }
        };
        tell_if(self.asked, EventKind::Asked);
        tell_if(self.asked, EventKind::Extended);
        tell_if(self.gone, EventKind::Gone);
        tell_if(self.draft.is_some(), EventKind::Drafted);
        tell_if(answered, EventKind::Answered);
        tell_if(self.superseded, EventKind::Superseded);
        tell_if(self.superseded && answered, EventKind::LateDenial);
        // A draft of a person counts more than an answer of another tab.
        tell_if(self.elsewhere && self.draft.is_none(), EventKind::Elsewhere);
        tell_if(self.output.is_some(), EventKind::Output);
        tell_if(self.settled, EventKind::Settled);
        let none =
            if known.call.delivery() == Delivery::History { Delivery::History } else { Delivery::Idle };
        let request = RequestId(self.request.unwrap_or_default() as u32);
        known.call.set_transmission(self.delivery.delivery(request).unwrap_or(none), self.doubt);
        known
    }
}
