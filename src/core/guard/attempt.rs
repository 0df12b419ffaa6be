//! A request that the transport is asked to send, and whether it repeats another one in the same tick of the
//! event loop.

use crate::core::id::RequestId;

row! {
    /// A request that the transport is asked to send.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Attempt {
        /// The identity of its abort signal. A transport may send one request twice, or may be wrapped twice.
        pub signal: u32,
        /// The identity of its last message.
        pub last: u32,
        /// The number of its messages.
        pub length: u32,
        /// Whether it continues a message that is neither the last one nor one of the user.
        pub continues_another: bool,
    }
}

impl Attempt {
    /// Whether `first` has already carried everything that this request carries. The chat reads its messages
    /// some microtasks after the decision, so a message that was sent in between is in both requests. After a
    /// continue, an edit or a regeneration, there are two requests for one step.
    pub(super) fn repeats(self, first: Self) -> bool {
        let same_end = first.length == self.length && first.last == self.last;
        self.signal != first.signal && (self.continues_another || same_end)
    }
}

row! {
    /// A request that has waited for its transaction.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Waited {
        /// Whether it has no message of a person.
        pub continues: bool,
        /// Whether it followed a yes when it began to wait.
        pub promised: bool,
        /// The number of the latest request when it began to wait.
        pub latest: RequestId,
    }
}

impl Waited {
    /// Whether this is a request of the guard, or one beside which another request has left meanwhile. Only such a
    /// request has nothing to send any more when its step was sent; any other one is the application's.
    pub(super) fn may_repeat(self, latest: RequestId) -> bool {
        self.continues && (self.promised || self.latest != latest)
    }
}
