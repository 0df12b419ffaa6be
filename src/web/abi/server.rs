//! The rows that the module of the server returns.

use crate::core::protocol::ToolState;
use crate::core::verdict::Need;
use crate::server::decisions::DecisionType;
use crate::server::merge::{Merged, NotTaken};
use crate::server::reading::ReadProblem;

row! {
    /// The word of a message list about a call, for a server.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DecisionRow {
        /// The decision.
        pub decision: DecisionType,
        /// The index of the message, if it is about one.
        pub message: Option<usize>,
        /// The index of the part, if it is about one.
        pub part: Option<usize>,
        /// Whether it belongs to the end of the list.
        pub current: bool,
        /// Whether the person who answered has changed the input.
        pub edited: bool,
        /// Of a rejection whether a result was written over it.
        pub overwritten: bool,
        /// Of an open call the next thing that it waits for.
        pub waits_for: Option<Need>,
        /// Of a part that cannot be trusted the reason.
        pub code: Option<ReadProblem>,
    }
}

row! {
    /// A thing in a sent list that a server takes, or does not take.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct MergeRow {
        /// The kind of the thing.
        pub kind: Merged,
        /// The index of the stored message, of a change.
        pub stored_message: usize,
        /// The index of the stored part, of a change.
        pub stored_part: usize,
        /// The index of the message that was sent, if it is about one.
        pub message: Option<usize>,
        /// The index of the part that was sent, if it is about one.
        pub part: Option<usize>,
        /// Of a change the state of the call.
        pub state: Option<ToolState>,
        /// Of a refusal the reason.
        pub code: Option<NotTaken>,
        /// Of a change whether the call is allowed; nothing if that is not new.
        pub answer: Option<bool>,
        /// Of a change whether the input of the call is that of the part that was sent.
        pub edited: bool,
    }
}
