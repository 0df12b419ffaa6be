//! A call in the form that a checkpoint stores. When it is read again, the stored facts are applied to the
//! same fold as lines.

use super::known_call::{self, Answer, KnownCall, unknown};
use super::line::Line;
use crate::core::call::{Call, Delivery};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Author};
use crate::core::event::EventKind;
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

    /// Sets how far the answer or the output of a call has come, by this request.
    fn apply(self, request: Option<u64>, doubt: bool, call: &mut Call) {
        let request = RequestId(request.unwrap_or_default() as u32);
        let delivery = match self {
            Self::None if call.delivery() == Delivery::History => Delivery::History,
            Self::None => Delivery::Idle,
            Self::Unsent => Delivery::Unsent,
            Self::Failed => Delivery::Failed,
            Self::Sent => Delivery::Sent(request),
            Self::Doubt => Delivery::Doubt,
            Self::Delivered => Delivery::Delivered(request),
            Self::Ended => Delivery::Arrived,
        };
        call.set_transmission(delivery, doubt);
    }
}

/// The request that carries the answer or the output of a call, in its stored form.
fn stored_request(call: &Call) -> Option<u64> {
    known_call::request(call).map(|request| request.0.into())
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
    /// The output of a call, with the answer under which it ran.
    #[derive(Clone, Debug)]
    pub struct Ran {
        /// The author of the answer, if there was one.
        actor: Option<Actor> = "actor",
        /// Whether the answer allowed the call.
        approved: bool = "approved",
        /// The author of the output.
        by: Option<Actor> = "by",
        delivery: Progress = "delivery",
        doubt: bool = "doubt",
        /// Whether another tab gave the answer.
        elsewhere: bool = "elsewhere",
        /// Whether the output has taken the place of another one.
        replaces: bool = "replaces",
        request: Option<u64> = "request",
    }
}

impl Ran {
    /// Converts the run of a call to its stored form.
    fn of(run: &Call) -> Self {
        Self {
            actor: run.decision().map(|decision| decision.actor),
            approved: run.allowed(),
            by: run.output().map(Author::actor),
            delivery: Progress::of(run.delivery()),
            doubt: run.in_doubt_before(),
            elsewhere: run.elsewhere(),
            replaces: run.is_put_out_again(),
            request: stored_request(run),
        }
    }

    /// Restores the run of a call that asks.
    fn replay(self, known: &mut KnownCall, at: Time) {
        let answered = if self.elsewhere { EventKind::Elsewhere } else { EventKind::Answered };
        // Older checkpoints name a person as the author of what the page wrote.
        let by_page = matches!(self.by, Some(Actor::Person | Actor::Application));
        let by = if by_page { Actor::Application } else { Actor::Server };
        // Nothing had waited for an output in whose place the server had put one.
        for (is_told, kind, actor) in [
            (self.actor.is_some(), answered, self.actor),
            (self.replaces, EventKind::Output, Some(Actor::Server)),
            (true, EventKind::Output, Some(by)),
        ] {
            let line = Line { actor, approved: Some(self.approved), ..Line::default() };
            if is_told {
                known.tell(known.said(kind, &line), at);
            }
        }
        self.delivery.apply(self.request, self.doubt, &mut known.call);
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
        /// The author of the output that stands. What is stored of it besides is in `ran`; older checkpoints have it here.
        output: Option<Actor> = "output",
        /// The output that stands, or that the call had before it asked again.
        ran: Option<Ran> = "ran",
        recovered: bool = "recovered",
        /// Whether it asks, or has asked, because the server had refused its allowance.
        refused: bool = "refused",
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
        let way = if call.output().is_some() { unknown(None) } else { *call };
        Self {
            answer: known.answer.clone(),
            approval_id: known.approval_id.clone(),
            asked: call.asked(),
            asked_at: call.question().map(|question| question.since),
            deadline: call.deadline(),
            delivery: Progress::of(way.delivery()),
            doubt: way.in_doubt_before(),
            draft: call.draft().map(|draft| Draft {
                approved: draft.decision.approved,
                restored: known.is_redrafted,
                session: known.draft_session.clone(),
            }),
            edit_hash: known.edit_hash.clone(),
            elsewhere: way.elsewhere(),
            gone: call.gone(),
            input_hash: known.input_hash.clone(),
            may_have_run: call.may_have_run_before(),
            order,
            output: call.output().map(Author::actor),
            ran: call.as_run().as_ref().map(Ran::of),
            recovered: known.recovered,
            refused: call.refused_before(),
            request: stored_request(&way),
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
        let (answered, asked_at) = (self.answer.is_some(), self.asked_at.unwrap_or_default());
        let is_put_out = self.output.is_some();
        let ran = self.ran.or_else(|| {
            Some(Ran {
                actor: (answered || self.elsewhere).then_some(actor.unwrap_or(Actor::History)),
                approved,
                by: Some(self.output?),
                delivery: self.delivery,
                doubt: self.doubt,
                elsewhere: self.elsewhere,
                replaces: false,
                request: self.request,
            })
        });
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
        let tell_if = |known: &mut KnownCall, is: bool, kind: EventKind| {
            if is {
                known.tell(known.said(kind, &line), asked_at);
            }
        };
        // What asks again has asked before.
        tell_if(&mut known, self.asked, EventKind::Asked);
        if self.refused {
            let allowed = Line { actor: Some(Actor::Person), approved: Some(true), ..Line::default() };
            known.tell(known.said(EventKind::Answered, &allowed), asked_at);
            known.call.set_transmission(Delivery::Failed, false);
            tell_if(&mut known, true, EventKind::Asked);
        }
        if let Some(ran) = ran {
            ran.replay(&mut known, asked_at);
            tell_if(&mut known, !is_put_out, EventKind::Asked);
        }
        tell_if(&mut known, self.asked, EventKind::Extended);
        tell_if(&mut known, self.gone, EventKind::Gone);
        if !is_put_out {
            tell_if(&mut known, self.draft.is_some(), EventKind::Drafted);
            tell_if(&mut known, answered, EventKind::Answered);
            tell_if(&mut known, self.superseded, EventKind::Superseded);
            tell_if(&mut known, self.superseded && answered, EventKind::LateDenial);
            tell_if(&mut known, self.elsewhere, EventKind::Elsewhere);
            tell_if(&mut known, self.settled, EventKind::Settled);
            self.delivery.apply(self.request, self.doubt, &mut known.call);
        }
        known
    }
}
