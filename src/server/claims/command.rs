//! The commands of a server to the claims.

use crate::core::verdict::Need;

/// A command about the claims of a chat.
#[derive(Clone, Debug)]
pub enum Command {
    /// Keeps what was asked. What is known already stays as it is.
    Ask {
        /// The questions.
        questions: Vec<Question>,
        /// The user who may answer.
        user: Option<String>,
        /// The end of the questions.
        expires: Option<u64>,
    },
    /// Takes all approved calls of a message list, or none.
    Take {
        /// The decisions of the list about its calls, in its order.
        decisions: Vec<Answered>,
        /// The sender of the list.
        user: Option<String>,
        /// A token that no other request has.
        token: String,
        /// The end of the lease.
        until: u64,
    },
    /// Starts one call, or finds how it ended.
    Start {
        /// The approval id.
        id: String,
        /// The call id and the tool that are to run.
        call: String,
        /// The name of the tool.
        tool: String,
        /// The fingerprint of the input with which it is to run.
        input: Option<String>,
        /// The token of the request; `None` if this server has not taken the call.
        token: Option<String>,
        /// The end of the lease.
        until: u64,
    },
    /// Makes the lease of a running call longer.
    Renew {
        /// The approval id.
        id: String,
        /// The token of the request.
        token: String,
        /// The end of the lease.
        until: u64,
    },
    /// Says how a running call ended.
    Finish {
        /// The approval id.
        id: String,
        /// The token of the request.
        token: String,
        /// The end.
        end: Ending,
        /// Whether its result is stored in the same transaction.
        kept: bool,
    },
    /// Says for an operator how a call in doubt ended.
    Settle {
        /// The approval id.
        id: String,
        /// The end.
        end: Ending,
        /// Whether its result is stored in the same transaction.
        kept: bool,
    },
    /// Lists the claims that are in doubt.
    Review,
    /// Lists the questions that wait for an answer.
    Waiting,
    /// Lists the approvals and their calls: what `read_decisions` takes as requested.
    Requested,
}

/// A question that a server put to a person.
#[derive(Clone, Debug)]
pub struct Question {
    /// The approval id.
    pub id: String,
    /// The call id.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// The fingerprint of the input.
    pub input: Option<String>,
}

vocabulary! {
    /// The end of a call.
    Ending {
        /// With an output.
        Done = "done",
        /// With an error.
        Failed = "failed",
        /// Nobody knows: it was interrupted.
        InDoubt = "in-doubt",
    }
}

/// The word of a message list about one call: the decision of `read_decisions` with the fingerprint of the input.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The word of the list.
    pub says: Says,
    /// Whether it belongs to the end of the list.
    pub current: bool,
    /// The approval id.
    pub approval_id: Option<String>,
    /// The call id.
    pub tool_call_id: Option<String>,
    /// The name of the tool.
    pub tool_name: Option<String>,
    /// The fingerprint of the input about which the user was asked.
    pub fingerprint: Option<String>,
    /// The input that the user has put in its place.
    pub edit: Option<Edit>,
    /// Its runner.
    pub runner: Runner,
}

/// An input that a user has put in the place of the one that the model asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Its fingerprint.
    pub fingerprint: String,
    /// Whether the server lets users change the input of this tool, and this one fits.
    pub fits: bool,
}

vocabulary! {
    /// The runner of a call.
    Runner {
        /// A server, through the claims.
        Server = "server",
        /// The provider of the model.
        Provider = "provider",
        /// The page.
        Page = "page",
    }
}

/// The word of a message list about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// It was denied.
    Rejected {
        /// Whether a result was written over the denial.
        overwritten: bool,
    },
    /// It was allowed and has no result.
    Approved,
    /// It has an output.
    Output,
    /// It has an output that is not complete.
    Preliminary,
    /// It failed.
    Error,
    /// It waits.
    Open {
        /// The next thing that it waits for.
        waits_for: Need,
    },
    /// It cannot be believed.
    Malformed {
        /// The reason: a name of `ReadProblem`.
        code: String,
    },
}
