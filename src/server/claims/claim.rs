//! The stored state of one approval, and its meaning at a time.

use std::collections::BTreeMap;

/// The stored state of one approval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The call id.
    pub call: String,
    /// The name of the tool.
    pub tool: String,
    /// The fingerprint of the input that was shown; `None` if the input has none, so that no yes fits.
    pub input: Option<String>,
    /// The fingerprint of the input that the user has put in its place, and that runs.
    pub edit: Option<String>,
    /// The user who may answer; `None` for everybody.
    pub user: Option<String>,
    /// The end of the question, in milliseconds.
    pub expires: Option<u64>,
    /// The time of the last change of its state.
    pub at: u64,
    /// Its state.
    pub state: State,
}

/// The state of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// A person was asked.
    Asked,
    /// A request has the yes and has not started the call.
    Taken {
        /// The token of its holder.
        token: String,
        /// The end of the lease.
        until: u64,
    },
    /// The call was started.
    Running {
        /// The token of its holder.
        token: String,
        /// The end of the lease.
        until: u64,
    },
    /// The call ended with an output.
    Done(End),
    /// The call ended with an error.
    Failed(End),
    /// The lease was lost after the start: the call may have run.
    InDoubt {
        /// The token of its last holder, who may still say how it ended.
        token: String,
    },
    /// The call was denied, and never started.
    Denied,
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct End {
    /// Whether its result is stored.
    pub kept: bool,
    /// Whether an operator said so.
    pub settled: bool,
}

/// Stored claims by their approval ids.
pub type Claims = BTreeMap<String, Claim>;

impl Claim {
    /// The state as it is now: a lease that has ended is lost, even if nobody wrote that down.
    pub fn now(&self, now: u64) -> State {
        match &self.state {
            State::Taken { until, .. } if *until <= now => State::Asked,
            State::Running { token, until } if *until <= now => State::InDoubt { token: token.clone() },
            state => state.clone(),
        }
    }

    /// The fingerprint of the input with which it runs: the one that was asked about, or the one that the user has put in its
    /// place. `None` if nothing fits.
    pub fn runs_with(&self) -> Option<&String> {
        self.input.as_ref().and(self.edit.as_ref().or(self.input.as_ref()))
    }

    /// From when on its question waits for an answer; `None` if it does not. A yes that nobody has started waits again
    /// when its lease has ended.
    pub fn waiting_from(&self) -> Option<u64> {
        match self.state {
            State::Asked => Some(self.at),
            State::Taken { until, .. } => Some(until),
            _ => None,
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
