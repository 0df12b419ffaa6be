//! The exchange between the chat and the guard: the chat asks whether to send, the guard says yes, and a request follows
//! or does not. It is one at a time; the responses to the requests overlap, and are in `responses`.

use super::attempt::Attempt;
use crate::core::id::CallId;
use crate::core::verdict::{Permit, Reason};

/// A yes, and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Promise {
    /// There is none, or it was kept.
    #[default]
    Nothing,
    /// It was given in this tick of the event loop.
    Given {
        /// The last call of the step for which it was given.
        to: Option<CallId>,
        /// The request that is on its way.
        left: Option<Attempt>,
    },
    /// It was given in this tick, and a request has carried it, or the user has stopped the chat.
    Over {
        /// The request that has left, which another one may repeat.
        left: Option<Attempt>,
    },
    /// Its tick is over, and no request has followed.
    Open {
        /// The last call of its step.
        to: CallId,
    },
    /// The same, and the chat says that it is sending: if it asks again, its requests take another transport.
    Awaited {
        /// The last call of its step.
        to: CallId,
    },
}

/// Whether the chat's requests go through the guard's transport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Transport {
    /// Not known yet.
    #[default]
    Unknown,
    /// No: a yes led to no request. This was reported.
    Missing,
    /// Yes: a request was seen. If a yes now leads to no request, the chat dropped it.
    Seen,
}

/// The promises to the chat, and their results.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exchange {
    promise: Promise,
    transport: Transport,
    /// Whether the chat has ever asked whether to send, or a request of it was held. Another one is continued by its
    /// application alone.
    has_asked: bool,
    /// The send that a person asked for.
    permit: Option<Permit>,
    /// The number of times that the guard said yes since a person acted, without a request.
    unclaimed: u32,
}

/// The changes by the end of a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticked {
    /// Whether a yes of this tick was open.
    pub(super) was_leased: bool,
    /// Whether it shows that the requests of the chat take another transport.
    pub(super) is_unwatched: bool,
}

impl Exchange {
    /// Whether a yes was given in this tick, and no request has followed.
    pub(super) fn is_leased(&self) -> bool {
        matches!(self.promise, Promise::Given { .. })
    }

    /// Whether a yes was given in this tick, whatever came of it.
    pub(super) fn is_ticking(&self) -> bool {
        matches!(self.promise, Promise::Given { .. } | Promise::Over { .. })
    }

    /// The last call of the step for which a yes was given that has led to no request yet.
    pub(super) fn promised(&self) -> Option<CallId> {
        match self.promise {
            Promise::Given { to, .. } => to,
            Promise::Open { to } | Promise::Awaited { to } => Some(to),
            Promise::Nothing | Promise::Over { .. } => None,
        }
    }

    /// Whether a request has left in the tick of a yes, so that another one may repeat it.
    pub(super) fn has_left(&self) -> bool {
        matches!(self.promise, Promise::Given { left: Some(_), .. } | Promise::Over { left: Some(_) })
    }

    /// The send that a person asked for, until a request carries it.
    pub(super) fn permit(&self) -> Option<Permit> {
        self.permit
    }

    pub(super) fn unclaimed(&self) -> u32 {
        self.unclaimed
    }

    /// Whether the chat waits at all to be told that it may send.
    pub(super) fn has_asked(&self) -> bool {
        self.has_asked
    }

    /// The chat asks, so no response runs. Returns whether this shows that its requests take another transport.
    pub(super) fn asks(&mut self) -> bool {
        let Promise::Awaited { to } = self.promise else { return false };
        self.promise = Promise::Open { to };
        self.transport = Transport::Missing;
        true
    }

    /// The chat was answered. `to`: the last call of the step.
    pub(super) fn answered(&mut self, reason: Reason, to: Option<CallId>) {
        self.has_asked = true;
        if reason.sends() {
            self.promise = Promise::Given { to, left: None };
            self.unclaimed += 1;
        }
    }

    /// A tick of the event loop is over. The SDK asks its transport in the tick of the yes. If no request was ever seen,
    /// a yes without a request means that the chat uses another transport. Later it means that the chat did not send.
    /// While the chat says that it is `sending`, a transport around the guard's may wait for something, such as a token.
    pub(super) fn tick(&mut self, sending: bool) -> Ticked {
        let was_leased = self.is_leased();
        self.promise = match self.promise {
            Promise::Given { to: Some(to), .. } | Promise::Open { to } => Promise::Open { to },
            Promise::Awaited { to } => Promise::Awaited { to },
            Promise::Given { to: None, .. } | Promise::Over { .. } | Promise::Nothing => Promise::Nothing,
        };
        let mut is_unwatched = false;
        if let (Promise::Open { to }, Transport::Unknown) = (self.promise, self.transport) {
            if sending {
                self.promise = Promise::Awaited { to };
            } else {
                self.transport = Transport::Missing;
                is_unwatched = true;
            }
        }
        Ticked { was_leased, is_unwatched }
    }

    /// The page has done something: if the chat asks now, it is because of that, and not because a response has ended.
    pub(super) fn page_acts(&mut self) {
        if let Promise::Awaited { to } = self.promise {
            self.promise = Promise::Open { to };
        }
    }

    /// A person has done something.
    pub(super) fn person_acts(&mut self) {
        self.unclaimed = 0;
    }

    /// The transport is asked. Returns whether the request repeats another one of the tick of a yes.
    pub(super) fn outgoing(&mut self, attempt: Attempt) -> bool {
        self.request_seen();
        // From now on requests are counted, and no longer what was said yes to.
        self.unclaimed = 0;
        match &mut self.promise {
            Promise::Given { left, .. } | Promise::Over { left } => {
                attempt.repeats(*left.get_or_insert(attempt))
            }
            _ => false,
        }
    }

    /// A request goes through the guard's transport.
    pub(super) fn request_seen(&mut self) {
        self.transport = Transport::Seen;
        self.page_acts();
    }

    /// A request is over or was refused, so that the next one repeats nothing.
    pub(super) fn request_over(&mut self) {
        if let Promise::Given { left, .. } | Promise::Over { left } = &mut self.promise {
            *left = None;
        }
    }

    /// A request carries what was promised and permitted, or a stop of the chat ends it.
    pub(super) fn end(&mut self) {
        self.permit = None;
        self.promise_over();
    }

    /// A request has followed the yes, whether it carries what was promised or is held.
    pub(super) fn promise_over(&mut self) {
        self.promise = match self.promise {
            Promise::Given { left, .. } | Promise::Over { left } => Promise::Over { left },
            _ => Promise::Nothing,
        };
    }

    /// The chat asks, and drops what it is told, or a request of it is held.
    pub(super) fn asks_in_vain(&mut self) {
        self.has_asked = true;
    }

    /// A person asks to send.
    pub(super) fn allow(&mut self, permit: Permit) {
        self.permit = Some(permit);
    }

    /// The send that a person asked for led to no request.
    pub(super) fn permit_over(&mut self) {
        self.permit = None;
    }
}
