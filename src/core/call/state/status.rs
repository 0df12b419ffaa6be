//! The stage of a call as a page sees it.

use super::{Answered, Asking, Call, End, Life, Origin, PutOut, Run};
use crate::core::call::Delivery;
use crate::core::decision::{Actor, Author};

vocabulary! {
    /// The stage of a call as a page sees it.
    Status {
        /// Not finished, and no approval is needed.
        Open = "open",
        /// Waiting for a person's answer.
        Asking = "asking",
        /// Decided in the page; the decision can be undone and is not in the messages yet.
        Drafted = "drafted",
        /// Answered, or given an output by the page, but not sent.
        Answered = "answered",
        /// On its way to the server.
        Sent = "sent",
        /// The response to the request that carried it has started.
        Delivered = "delivered",
        /// It has an output or an error, or its denial is settled.
        Settled = "settled",
        /// The request that carried it broke off.
        InDoubt = "in-doubt",
        /// Nobody answered in time.
        Expired = "expired",
        /// Closed because the user moved on.
        Superseded = "superseded",
        /// Its message was edited or regenerated away.
        Gone = "gone",
        /// Answered in another tab, which sends it.
        Elsewhere = "elsewhere",
    }
}

impl Call {
    /// Its status.
    pub fn status(&self) -> Status {
        if self.gone {
            return Status::Gone;
        }
        match &self.life {
            Life::Open => Status::Open,
            Life::Asking(Asking { draft: None, .. }) => Status::Asking,
            Life::Asking(Asking { draft: Some(draft), .. }) if draft.decision.actor == Actor::Timer => {
                Status::Expired
            }
            Life::Asking(_) => Status::Drafted,
            Life::Abandoned(_) => Status::Superseded,
            Life::Allowed(answered) => answered.status(false),
            Life::Denied(answered, end) => answered.status(*end != End::Open),
            Life::PutOut(put_out) => put_out.status(),
        }
    }
}

impl Answered {
    fn status(&self, is_settled: bool) -> Status {
        match (self.origin, self.actor, is_settled, self.transmission.delivery) {
            _ if self.is_superseded() => Status::Superseded,
            (_, Actor::Timer, ..) => Status::Expired,
            (_, _, true, _) => Status::Settled,
            (Origin::OtherTab, ..) => Status::Elsewhere,
            (_, _, _, Delivery::Sent(_)) => Status::Sent,
            (_, _, _, Delivery::Delivered(_) | Delivery::Arrived) => Status::Delivered,
            (_, _, _, Delivery::Doubt) => Status::InDoubt,
            (_, _, _, Delivery::Idle | Delivery::Unsent | Delivery::Failed | Delivery::History) => {
                Status::Answered
            }
        }
    }
}

impl PutOut {
    fn status(&self) -> Status {
        let Run { author, answer, transmission, .. } = self.run;
        let elsewhere = answer.is_some_and(|(_, origin)| origin == Origin::OtherTab);
        match (author, transmission.delivery) {
            (Author::Server | Author::History, _) => Status::Settled,
            (Author::Page, _) if elsewhere => Status::Elsewhere,
            (Author::Page, Delivery::Delivered(_) | Delivery::Arrived) => Status::Settled,
            (Author::Page, Delivery::Sent(_)) => Status::Sent,
            (Author::Page, Delivery::Doubt) => Status::InDoubt,
            (Author::Page, _) => Status::Answered,
        }
    }
}
