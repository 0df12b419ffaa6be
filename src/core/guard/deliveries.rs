//! The guard's knowledge of the server's messages.

use crate::core::call::{Digest, PartFlags};
use crate::core::id::{CallId, StringId};
use crate::core::id_map::IdMap;

row! {
    /// A message as it leaves.
    #[derive(Clone, Debug)]
    pub struct Listed {
        /// Its id; 0 if it has none.
        pub message: StringId,
        /// Whether it is the model's.
        pub assistant: bool,
        /// The digest of its parts, if it is not the model's.
        pub content: Digest,
        /// The calls of its parts, with what the parts show. A call that is not known is none.
        pub parts: Vec<(Option<CallId>, PartFlags, Digest)>,
    }
}

tuple_row! {
    /// A part of a message that leaves: its call, its flags, and the digest of its output or error.
    ListedPart = (call: Option<CallId>, flags: PartFlags, output: Digest)
}

row! {
    /// A message, or the part of a call, that a server does not have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct News {
        /// The index of the message in the list.
        pub index: usize,
        /// The call; `None` for the message itself.
        pub call: Option<CallId>,
    }
}

/// The addition of a part to the word of its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Nothing,
    No { settled: bool },
    Yes,
    Output(Digest),
}

/// The knowledge of the lists that a server has taken.
#[derive(Debug, Default)]
pub(super) struct Deliveries {
    /// The messages that are not the model's, with their contents; `None` if no server surely has it.
    pub messages: IdMap<StringId, Option<Digest>>,
    pub calls: IdMap<CallId, Says>,
    /// Whether a response has ended, so that what is not known has come since.
    pub accepted: bool,
    /// The messages and calls that were reported as missing in a request.
    pub reported: Vec<(StringId, Option<CallId>)>,
    /// The calls whose parts have shown an output beside a question without an answer, and whether it was reported.
    pub unanswered: IdMap<CallId, bool>,
}

impl Deliveries {
    /// The strings that are in use.
    pub fn strings(&self) -> impl Iterator<Item = StringId> {
        let reported = self.reported.iter().map(|&(message, _)| message);
        self.messages.iter().map(|&(message, _)| message).chain(reported)
    }
}
