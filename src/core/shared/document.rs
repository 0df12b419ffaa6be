//! What a folded document says about an answer and a tab, and the entries that can be appended to it.

/// A page in which the chat is open, identified by the number of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tab(pub u64);

/// The progress of an answer on its way to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// No tab has claimed to send it.
    Unclaimed,
    /// A request of this tab carries it, or is about to.
    Claimed {
        /// The tab.
        tab: Tab,
        /// The number of the request in that tab.
        request: u64,
    },
    /// The request broke off, and it is unknown whether the call ran.
    Broken,
    /// The server is known to have refused the request.
    Refused,
    /// The response has ended.
    Delivered,
}

/// The answer to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    /// `true` allows the call.
    pub approved: bool,
    /// The tab that gave the answer.
    pub by: Tab,
    /// Its progress.
    pub way: Way,
}

/// The end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The response is complete.
    Delivered,
    /// The server is known to have refused the request, or the request never left.
    Refused,
    /// It is unknown what happened.
    Unknown,
}

/// An entry that a request appends. `C` identifies a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<C> {
    /// A tab has answered a call.
    Answered {
        /// The call.
        call: C,
        /// The answer.
        approved: bool,
        /// The tab.
        tab: Tab,
    },
    /// A tab is about to send the answer.
    Claimed {
        /// The call.
        call: C,
        /// The tab.
        tab: Tab,
        /// Its request.
        request: u64,
    },
    /// A request has ended.
    Ended {
        /// The tab.
        tab: Tab,
        /// Its request.
        request: u64,
        /// The end of the request.
        outcome: Outcome,
    },
    /// A tab takes back its allowances that no tab has claimed.
    Withdrawn(Tab),
    /// A tab shows that it is alive, if others wait for it.
    Lives(Tab),
    /// A tab is given up.
    GivenUp(Tab),
}

/// A folded document.
pub trait Document {
    /// What identifies a call.
    type Call: Clone;

    /// The answer to a call.
    fn held(&self, call: &Self::Call) -> Option<Held>;

    /// How often a tab that others wait for has written. `None` if nobody waits for it, or if it was given up.
    fn beat(&self, tab: Tab) -> Option<u64>;
}

/// What an answer means for one tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has sent it, and any tab may.
    Unclaimed,
    /// This tab has claimed it.
    Claimed,
    /// Another tab is sending it, or is about to.
    Elsewhere,
    /// It may have been sent. Only a person's retry sends it again.
    InDoubt,
    /// The server has refused it. Only a person's retry sends it again.
    Refused,
    /// It has arrived.
    Delivered,
}

impl Held {
    /// What the answer means for a tab. Another tab that has no beat is gone.
    pub fn standing(&self, tab: Tab, beat: impl Fn(Tab) -> Option<u64>) -> Standing {
        let is_over = |other: Tab| other != tab && beat(other).is_none();
        match self.way {
            Way::Claimed { tab: other, .. } if is_over(other) => Standing::InDoubt,
            Way::Claimed { tab: other, .. } if other == tab => Standing::Claimed,
            Way::Claimed { .. } => Standing::Elsewhere,
            Way::Broken => Standing::InDoubt,
            Way::Refused => Standing::Refused,
            Way::Delivered => Standing::Delivered,
            Way::Unclaimed => Standing::Unclaimed,
        }
    }
}
