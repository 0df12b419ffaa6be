//! The life of a call. The private enums here own the data of each stage, and only `transitions` moves a call from
//! one stage to another.

mod question;
mod status;
mod transitions;
mod views;

use super::delivery::Delivery;
use crate::core::call::Digest;
use crate::core::clock::Time;
use crate::core::decision::{Actor, Author, Decision, Draft};
use crate::core::id::{GrantId, StringId};

pub use question::Question;
pub use status::Status;

/// A stage in the life of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// No approval is needed, and there is no output yet.
    Open,
    /// It waits for an answer.
    Asking(Asking),
    /// It was allowed, and has no valid output.
    Allowed(Answered),
    /// It was denied.
    Denied(Answered, End),
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

/// An answer that stands. Its stage says whether it allows or denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answered {
    /// `None` if the answer was there before any question was seen.
    question: Option<Question>,
    actor: Actor,
    grant: GrantId,
    source: StringId,
    edit: Digest,
    origin: Origin,
    transmission: Transmission,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PutOut {
    question: Option<Question>,
    run: Run,
    /// Whether the list that asked about it again does not show it.
    is_put_back: bool,
    /// Whether it was allowed once more, and it is not known whether it has run again.
    in_doubt: bool,
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

impl Answered {
    fn new(question: Option<Question>, by: Decision, origin: Origin, transmission: Transmission) -> Self {
        let Decision { approved: _, actor, grant, source, edit } = by;
        Self { question, actor, grant, source, edit, origin, transmission }
    }

    fn decision(&self, approved: bool) -> Decision {
        let Self { actor, grant, source, edit, .. } = *self;
        Decision { approved, actor, grant, source, edit }
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
