//! What a folded document says of an answer and of a tab, and what can be appended to it.

/// A page in which the chat is open: the number of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tab(pub u64);

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Nobody has claimed to send it.
    Unclaimed,
    /// A request of this tab carries it, or is about to.
    Claimed {
        /// The tab.
        tab: Tab,
        /// The number of the request in that tab.
        request: u64,
    },
    /// The request broke, and it is not known whether the call ran.
    Broken,
    /// It is proven that the server has refused the request.
    Refused,
    /// The response has ended.
    Delivered,
}

/// The answer to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    /// `true` allows the call.
    pub approved: bool,
    /// The tab that has answered.
    pub by: Tab,
    /// How far it has come.
    pub way: Way,
}

/// What is known of a tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Presence {
    /// How often it has written.
    pub beat: u64,
    /// Whether the others have given it up.
    pub over: bool,
}

/// How a request has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Its response came to its end.
    Delivered,
    /// It is proven that the server has refused it, or it never left.
    Refused,
    /// It is not known.
    Unknown,
}

/// What a request appends. `C` names a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<C> {
    /// A tab has answered.
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
        /// How.
        outcome: Outcome,
    },
    /// A tab lives.
    Lives(Tab),
    /// A tab is given up.
    GivenUp(Tab),
}

/// A folded document.
pub trait Document {
    /// The name of a call.
    type Call: Clone;

    /// The answer to a call.
    fn held(&self, call: &Self::Call) -> Option<Held>;

    /// What is known of a tab.
    fn presence(&self, tab: Tab) -> Presence;
}

/// What an answer is to one tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// This tab has given it, and may send it.
    Own,
    /// This tab has claimed it.
    Claimed,
    /// Another tab sends it, or is about to.
    Elsewhere,
    /// Its tab is gone without having sent it: a person may.
    Offered,
    /// It may have been sent: for a person's retry.
    InDoubt,
    /// The server has refused it: for a person's retry.
    Refused,
    /// It has arrived.
    Delivered,
}

impl Held {
    /// What the answer is to a tab.
    pub fn standing(&self, tab: Tab, presence: impl Fn(Tab) -> Presence) -> Standing {
        match self.way {
            Way::Claimed { tab: other, .. } if presence(other).over => Standing::InDoubt,
            Way::Claimed { tab: other, .. } if other == tab => Standing::Claimed,
            Way::Claimed { .. } => Standing::Elsewhere,
            Way::Broken => Standing::InDoubt,
            Way::Refused => Standing::Refused,
            Way::Delivered => Standing::Delivered,
            Way::Unclaimed if self.by == tab => Standing::Own,
            Way::Unclaimed if presence(self.by).over => Standing::Offered,
            Way::Unclaimed => Standing::Elsewhere,
        }
    }
}
