//! The life of a call. The private enums here own the data of each stage, and only `transitions` moves a call from
//! one stage to another.

mod question;
mod status;
mod transitions;
mod views;

use super::delivery::Delivery;
use crate::core::clock::Time;
use crate::core::decision::{Author, Decision, Draft};
use crate::core::id::StringId;

pub use question::Question;
pub use status::Status;

/// A stage in the life of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// No approval is needed, and there is no output yet.
    Open,
    /// It waits for an answer.
    Asking(Asking),
    /// It was allowed or denied, and has no valid output.
    Answered(Answered, Fate),
    /// It has an output or an error.
    PutOut(PutOut),
    /// The user moved on before the page ran it: it leaves as an error.
    Abandoned(Transmission),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asking {
    question: Question,
    /// The answer to be given when the batch is committed.
    draft: Option<Draft>,
    /// An answer was refused or withdrawn, and the part may still show it.
    answer_invalidated: bool,
}

/// An answer that stands. Only `Life::of` makes a life of it, so that its fate is one of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answered {
    /// `None` if the answer was there before any question was seen.
    question: Option<Question>,
    decision: Decision,
    origin: Origin,
    transmission: Transmission,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PutOut {
    question: Option<Question>,
    run: Run,
    /// Whether the list that asked about it again does not show it.
    is_put_back: bool,
}

/// The source of the output of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    author: Author,
    /// The answer under which it ran, if it needed approval.
    answer: Option<(Decision, Origin)>,
    /// Whether it has taken the place of an output that the page had not just written: nothing has waited for it.
    replaces: bool,
    transmission: Transmission,
}

/// The origin of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Given, or seen, in this page.
    Here,
    /// Taken from the record of an earlier page.
    Record,
    /// Given in another tab, which sends it.
    OtherTab,
}

/// The stage of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It allows the call.
    Allowed,
    /// It denies the call.
    Denied(End),
}

/// The cause that settled a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Not settled.
    Open,
    /// The server, or the end of the response that carried it.
    Taken,
    /// A message of a person follows it.
    ClosedByUserMessage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Transmission {
    delivery: Delivery,
    /// Whether it was closed, or sent again, while it was not known whether the call had run.
    in_doubt_before: bool,
}

/// One call, folded from the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    tool: StringId,
    id: StringId,
    approval: StringId,
    life: Life,
    gone: bool,
    unmasked: bool,
    output_wait: OutputWait,
}

/// The time that the page may take to run the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputWait {
    /// There is no limit.
    #[default]
    Unlimited,
    /// Until this time.
    Until(Time),
    /// The time is over.
    Over,
}

impl Life {
    /// The life of a call with this answer.
    fn of(answered: Answered) -> Self {
        let fate = if answered.decision.approved { Fate::Allowed } else { Fate::Denied(End::Open) };
        Self::Answered(answered, fate)
    }
}

impl Call {
    /// A call of which only the tool, the call id and the approval id are known.
    pub fn new(tool: StringId, id: StringId, approval: StringId) -> Self {
        Self {
            tool,
            id,
            approval,
            life: Life::Open,
            gone: false,
            unmasked: false,
            output_wait: OutputWait::Unlimited,
        }
    }
}

#[cfg(test)]
mod tests;
