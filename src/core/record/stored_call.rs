//! A call as a checkpoint stores it. What is stored is told to the one fold again when it is read.

use super::known_call::{Answer, KnownCall, unknown};
use super::line::Line;
use crate::core::call::Delivery;
use crate::core::decision::{Actor, Author};
use crate::core::event::{Event, EventKind};
use crate::core::id::RequestId;

vocabulary! {
    /// How far the news of a call has come. The later ones have come further.
    #[derive(Default)]
    Progress {
        /// There is no news.
        #[default]
        None = "none",
        /// No request has carried it.
        Unsent = "unsent",
        /// The request that carried it failed; the server refused it or never saw it.
        Failed = "failed",
        /// A request carries it.
        Sent = "sent",
        /// The request broke after it went out: an allowed call may have run.
        Doubt = "doubt",
        /// The response to it has started.
        Delivered = "delivered",
        /// The response to it has ended.
        Ended = "ended",
    }
}

names!(Progress);

impl Progress {
    /// How far a delivery has come.
    pub fn of(delivery: Delivery) -> Self {
        match delivery {
            Delivery::Idle | Delivery::History => Self::None,
            Delivery::Unsent => Self::Unsent,
            Delivery::Failed => Self::Failed,
            Delivery::Sent(_) => Self::Sent,
            Delivery::Doubt => Self::Doubt,
            Delivery::Delivered(RequestId::NONE) => Self::Ended,
            Delivery::Delivered(_) => Self::Delivered,
        }
    }

    /// The delivery that has come so far with a request; nothing, where there is no news.
    fn delivery(self, request: RequestId) -> Option<Delivery> {
        Some(match self {
            Self::None => return None,
            Self::Unsent => Delivery::Unsent,
            Self::Failed => Delivery::Failed,
            Self::Sent => Delivery::Sent(request),
            Self::Doubt => Delivery::Doubt,
            Self::Delivered => Delivery::Delivered(request),
            Self::Ended => Delivery::Delivered(RequestId::NONE),
        })
    }
}

fields! {
    /// What a person has decided and not committed.
    #[derive(Clone, Debug)]
    pub struct Draft {
        /// What it would have been.
        approved: bool = "approved",
        /// Where it was decided, in older documents.
        session: Option<String> = "session",
    }
}

fields! {
    /// The fields of a stored call. What a field is called never changes.
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
        elsewhere: bool = "elsewhere",
        gone: bool = "gone",
        input_hash: Option<String> = "inputHash",
        order: u64 = "order",
        output: Option<Actor> = "output",
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
    /// What is stored of a call.
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
            draft: call.draft().map(|draft| Draft { approved: draft.decision.approved, session: None }),
            elsewhere: call.elsewhere(),
            gone: call.gone(),
            input_hash: known.input_hash.clone(),
            order,
            output: call.output().map(Author::actor),
            request: request.map(|request| request.0.into()),
            request_session: known.request_session.clone(),
            session: known.session.clone(),
            settled: call.settled(),
            superseded: call.superseded(),
            taken_back: known.taken_back,
            tool_call_id: known.tool_call_id.clone(),
            tool_name: known.tool_name.clone(),
        }
    }

    /// The call: its state is folded from the fewest events that lead to what is stored.
    pub fn replay(self) -> KnownCall {
        let (approved, actor) = match (&self.answer, &self.draft) {
            (Some(answer), _) => (answer.approved, answer.actor),
            (None, Some(draft)) => (draft.approved, Some(Actor::Person)),
            (None, None) => (self.elsewhere, Some(Actor::Tab)),
        };
        let line = Line { actor, approved: Some(approved), deadline: self.deadline, ..Line::default() };
        let by_page = matches!(self.output, Some(Actor::Person | Actor::Application));
        let (answered, asked_at) = (self.answer.is_some(), self.asked_at.unwrap_or_default());
        let mut known = KnownCall {
            call: unknown(self.approval_id.as_ref()),
            approval_id: self.approval_id,
            tool_call_id: self.tool_call_id,
            tool_name: self.tool_name,
            session: self.session,
            input_hash: self.input_hash,
            answer: self.answer,
            request_session: self.request_session,
            taken_back: self.taken_back,
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
        // What a person has drafted is more than what was heard of another tab.
        tell_if(self.elsewhere && self.draft.is_none(), EventKind::Elsewhere);
        tell_if(self.output.is_some(), EventKind::Output);
        // In older documents the output of a server settles its call as well.
        let settled = self.settled && (self.output.is_none() || (answered && !approved));
        tell_if(settled && !answered && !self.superseded, EventKind::Answered);
        tell_if(settled, EventKind::Settled);
        let none =
            if known.call.delivery() == Delivery::History { Delivery::History } else { Delivery::Idle };
        let request = RequestId(self.request.unwrap_or_default() as u32);
        known.call.set_transmission(self.delivery.delivery(request).unwrap_or(none), self.doubt);
        known
    }

    /// What is said of it, so that the heavier of two sayings stands.
    fn weight(&self) -> u8 {
        match (&self.answer, &self.draft) {
            (Some(answer), _) => 4 + u8::from(!answer.approved),
            (None, Some(draft)) => 2 + u8::from(!draft.approved),
            (None, None) => u8::from(self.asked),
        }
    }

    /// Takes what another session knows of the same call. A denial wins over an allowance, and the further
    /// delivery wins.
    pub fn merge(&mut self, other: Self) {
        if other.weight() > self.weight() {
            // A yes goes with the input that it was given to.
            self.answer = other.answer;
            self.draft = other.draft;
            self.input_hash = other.input_hash;
            self.taken_back = other.taken_back;
        }
        if other.delivery > self.delivery {
            self.delivery = other.delivery;
            self.request = other.request;
            self.request_session = other.request_session;
        }
        let earlier = |a: Option<u64>, b: Option<u64>| a.min(b).or(a).or(b);
        self.asked_at = earlier(self.asked_at, other.asked_at);
        self.deadline = earlier(self.deadline, other.deadline);
        self.output = self.output.or(other.output);
        self.asked |= other.asked;
        self.settled |= other.settled;
        self.superseded |= other.superseded;
        self.doubt |= other.doubt;
        // Who has answered it is one of the two, or yet another one.
        let heard = self.answer.as_ref().is_none_or(|answer| answer.actor == Some(Actor::Tab));
        self.elsewhere = (self.elsewhere || other.elsewhere) && heard;
        self.gone &= other.gone;
    }
}
