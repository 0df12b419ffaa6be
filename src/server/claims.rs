//! Lets a server run each approved tool call at most once, whatever number of servers and requests bring the
//! same yes. A [`Claim`] is what is stored of one approval. A [`Command`] and the stored claims go in; the
//! changes for the same transaction and the answer come out. There is no clock, no randomness and no store:
//! `now` and tokens are arguments, and the caller commits the changes atomically.
//!
//! ```text
//! asked → taken → running → done | failed
//!   │       │        └────→ in doubt → done | failed (by its holder) | settled (by an operator)
//!   └───────┴──→ denied
//! ```
//!
//! A request takes a call before it runs it. A call that was only taken has not started, so when the lease of
//! its request ends, another request may take it. A call that has started never starts again: when its lease
//! ends, it is in doubt. Safety rests on tokens and on the transaction alone; a clock that is wrong only
//! causes a doubt too early or too late.

#[cfg(all(test, not(target_arch = "wasm32")))]
mod explore;
mod judge;
pub mod stored;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::core::verdict::Need;

/// What is stored of one approval.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    /// The call id.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// The fingerprint of the input that was shown; `None` if the input has none, so that no yes fits.
    pub input: Option<String>,
    /// Who may answer; `None` for everybody.
    pub user: Option<String>,
    /// When the question ends, in milliseconds.
    pub expires: Option<u64>,
    /// When its state last changed.
    pub at: u64,
    /// Its state.
    pub state: State,
}

/// The state of a claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// A person was asked.
    Asked,
    /// A request has the yes and has not started the call.
    Taken {
        /// Who holds it.
        token: String,
        /// When the lease ends.
        until: u64,
    },
    /// The call was started.
    Running {
        /// Who holds it.
        token: String,
        /// When the lease ends.
        until: u64,
    },
    /// The call ended with an output.
    Done(End),
    /// The call ended with an error.
    Failed(End),
    /// The lease was lost after the start: the call may have run.
    InDoubt {
        /// Who held it, and may still say how it ended.
        token: String,
    },
    /// The call was denied, and never started.
    Denied,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// Whether its result is stored.
    pub kept: bool,
    /// Whether an operator said so.
    pub settled: bool,
}

/// Stored claims by their approval ids.
pub type Claims = BTreeMap<String, Claim>;

/// What a server wants to do with the claims of a chat.
#[derive(Clone, Debug)]
pub enum Command {
    /// Keeps what was asked. What is known already stays as it is.
    Ask {
        /// The questions.
        questions: Vec<Question>,
        /// Who may answer.
        user: Option<String>,
        /// When the questions end.
        expires: Option<u64>,
    },
    /// Takes all approved calls of a message list, or none.
    Take {
        /// What the list says about each call, in its order.
        decisions: Vec<Answered>,
        /// Who sent the list.
        user: Option<String>,
        /// A token that no other request has.
        token: String,
        /// When the lease ends.
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
        /// The token of the request; `None` if this server has not taken the call.
        token: Option<String>,
        /// When the lease ends.
        until: u64,
    },
    /// Makes the lease of a running call longer.
    Renew {
        /// The approval id.
        id: String,
        /// The token of the request.
        token: String,
        /// When the lease ends.
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
    /// How a call ended.
    Ending {
        /// With an output.
        Done = "done",
        /// With an error.
        Failed = "failed",
        /// Nobody knows: it was interrupted.
        InDoubt = "in-doubt",
    }
}

/// What a message list says about one call: the decision of `read_decisions` with the fingerprint of the input.
#[derive(Clone, Debug)]
pub struct Answered {
    /// What the list says.
    pub says: Says,
    /// Whether it belongs to the end of the list.
    pub current: bool,
    /// The approval id.
    pub approval_id: Option<String>,
    /// The call id.
    pub tool_call_id: Option<String>,
    /// The name of the tool.
    pub tool_name: Option<String>,
    /// The fingerprint of the input.
    pub fingerprint: Option<String>,
    /// Whether the provider runs it.
    pub provider_executed: bool,
}

/// What a message list says about a call.
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
    /// It failed.
    Error,
    /// It waits.
    Open {
        /// The next thing that it waits for.
        waits_for: Need,
    },
    /// It cannot be believed.
    Malformed {
        /// The reason: a name of `Problem`.
        code: String,
    },
}

vocabulary! {
    /// What a request may do with a call.
    Fate {
        /// Run it now.
        Run = "run",
        /// Pass it on to the provider, who runs it.
        Pass = "pass",
        /// It was denied.
        Rejected = "rejected",
        /// Another request has it.
        Running = "running",
        /// It has ended, and its result is stored.
        Done = "done",
        /// It may have run.
        InDoubt = "in-doubt",
        /// The request is refused because of it.
        Refused = "refused",
    }
}

/// Why a request is refused, beside the names of `Problem`.
pub mod refusal {
    /// A decision about a call that was already decided or used, and has no stored result.
    pub const REPLAYED: &str = "replayed";
    /// Nobody asked for this approval.
    pub const UNKNOWN_APPROVAL: &str = "unknown-approval";
    /// The input or the tool is not what was shown.
    pub const CHANGED_INPUT: &str = "changed-input";
    /// The yes belongs to history.
    pub const TOO_LATE: &str = "too-late";
    /// The question has ended.
    pub const EXPIRED: &str = "expired";
    /// Somebody else was asked.
    pub const NOT_YOURS: &str = "not-yours";
    /// A result was written over a denial.
    pub const OVERWRITTEN: &str = "overwritten";
    /// A call of the last step waits.
    pub const WAITING: &str = "waiting";
    /// Another request has the call.
    pub const RUNNING: &str = "running";
    /// The call may have run.
    pub const IN_DOUBT: &str = "in-doubt";
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Answer {
    /// To `Ask`, `Renew`, `Finish` and `Settle`: whether the claim is as the caller wants it.
    Is {
        /// Whether it is.
        ok: bool,
    },
    /// To `Take`.
    Take(Verdict),
    /// To `Start`.
    Start {
        /// Whether the call may start now, and by no one else.
        go: bool,
        /// Otherwise the state that it is in; `None` if it is unknown.
        state: Option<&'static str>,
        /// Whether its result is stored.
        kept: bool,
    },
    /// To `Review`: the approval ids in doubt, and since when.
    Review {
        /// Ids, call ids, tools, users and times.
        in_doubt: Vec<Doubt>,
    },
    /// To `Requested`: approval ids and call ids.
    Requested {
        /// The pairs.
        calls: Vec<(String, String)>,
    },
}

/// What a request may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The HTTP status that fits: 200 if the request may go on.
    pub status: u16,
    /// The first reason why it may not.
    pub error: Option<String>,
    /// What happens to each call, with the place of its decision.
    pub calls: Vec<Ruling>,
}

/// What happens to one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// The index of the decision.
    pub at: usize,
    /// What happens to it.
    pub fate: Fate,
    /// Why it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// A call that may have run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Doubt {
    /// The approval id.
    pub id: String,
    /// The call id.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// Who was asked.
    pub user: Option<String>,
    /// Since when nobody knows.
    pub since: u64,
}

impl Claim {
    /// The state as it is now: a lease that has ended is lost, even if nobody wrote that down.
    pub fn now(&self, now: u64) -> State {
        match &self.state {
            State::Taken { until, .. } if *until <= now => State::Asked,
            State::Running { token, until } if *until <= now => State::InDoubt { token: token.clone() },
            state => state.clone(),
        }
    }

    /// From when on an operator has to look after it; `None` if never.
    pub fn doubtful_from(&self) -> Option<u64> {
        match self.state {
            State::Running { until, .. } => Some(until),
            State::InDoubt { .. } => Some(self.at),
            _ => None,
        }
    }

    /// From when on it may be forgotten; `None` while it runs or is in doubt. A yes for a forgotten claim is
    /// unknown, so it never runs.
    pub fn forgettable_from(&self) -> Option<u64> {
        match self.state {
            State::Running { .. } | State::InDoubt { .. } => None,
            State::Taken { until, .. } => Some(until),
            _ => Some(self.at),
        }
    }
}

impl State {
    /// The stable name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Taken { .. } => "taken",
            Self::Running { .. } => "running",
            Self::Done(_) => "done",
            Self::Failed(_) => "failed",
            Self::InDoubt { .. } => "in-doubt",
            Self::Denied => "denied",
        }
    }
}

/// Carries out a command on the claims that it concerns: those of its ids, or all of the chat. What is
/// different afterwards has to be written in the same transaction.
pub fn handle(command: &Command, claims: &mut Claims, now: u64) -> Answer {
    judge::handle(command, claims, now)
}
