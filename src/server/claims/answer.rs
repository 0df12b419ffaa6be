//! The answers of the claims to a server.

use serde::Serialize;

vocabulary! {
    /// The right of a request to a call.
    Fate {
        /// Run it now.
        Run = "run",
        /// Pass it on to the provider, who runs it.
        Pass = "pass",
        /// It was denied, and never runs.
        Rejected = "rejected",
        /// Another request has it.
        Running = "running",
        /// It has ended, and its result is stored, or there is nobody who could run it because of this decision.
        Done = "done",
        /// It may have run.
        InDoubt = "in-doubt",
        /// The request is refused because of it.
        Refused = "refused",
    }
}

/// The reason why a request is refused, beside the names of `ReadProblem`.
pub mod refusal {
    /// A yes for a call that was denied, or that has ended without a stored result.
    pub const REPLAYED: &str = "replayed";
    /// Nobody asked for this approval.
    pub const UNKNOWN_APPROVAL: &str = "unknown-approval";
    /// The input or the tool is not what was shown.
    pub const CHANGED_INPUT: &str = "changed-input";
    /// The user has changed the input, and may not, or not to this one.
    pub const NOT_EDITABLE: &str = "not-editable";
    /// The yes belongs to history.
    pub const TOO_LATE: &str = "too-late";
    /// The question has ended.
    pub const EXPIRED: &str = "expired";
    /// Somebody else was asked.
    pub const NOT_YOURS: &str = "not-yours";
    /// It has an output, and nobody started it. Also a name of `ReadProblem`.
    pub const UNANSWERED: &str = "unanswered";
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
    /// To `Review` and `Waiting`.
    List {
        /// The calls, by their approval ids.
        calls: Vec<Listed>,
    },
    /// To `Requested`: approval ids, call ids and tools.
    Requested {
        /// One for each approval.
        calls: Vec<(String, String, String)>,
    },
}

/// The rights of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The HTTP status that fits: 200 if the request may go on.
    pub status: u16,
    /// The first reason why it may not.
    pub error: Option<String>,
    /// The fate of each call, with the place of its decision.
    pub calls: Vec<Ruling>,
}

/// The fate of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// The index of the decision.
    pub at: usize,
    /// Its fate.
    pub fate: Fate,
    /// The reason of its refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// A call that may have run, or waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The approval id.
    pub id: String,
    /// The call id.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// The user who may answer; `None` for everybody.
    pub user: Option<String>,
    /// The time since which it does.
    pub since: u64,
    /// The end of the question.
    pub until: Option<u64>,
}
