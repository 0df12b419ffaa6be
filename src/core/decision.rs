//! What was answered, and by whom.

vocabulary! {
    /// Who caused an answer.
    Actor {
        /// Seen in the messages of this page, or decided through its chat.
        Person = "person",
        /// The guard, because the user moved on.
        Superseded = "superseded",
        /// The server.
        Server = "server",
        /// Found by the first `attach`; who it was is not known.
        History = "history",
    }
}

/// An answer that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// `true` allows the call, `false` denies it.
    pub approved: bool,
    /// Who answered.
    pub actor: Actor,
}

vocabulary! {
    /// Who wrote an output.
    Author {
        /// The page, through `addToolOutput`.
        Page = "page",
        /// The server, in a response.
        Server = "server",
        /// Found by the first `attach`.
        History = "history",
    }
}
