//! The evidence on which a part is matched with a call: named facts about one candidate call and one part.
//! Each fact is computed only here; [`matching`](super::matching) decides on them.

use super::{Answer, Call, Digest, PartFacts, differs};
use crate::core::id::StringId;
use crate::core::protocol::ToolState;

/// A call that a part may belong to, with what earlier scans have found about it.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    pub call: &'a Call,
    /// The part as it was last seen.
    pub last: &'a PartFacts,
    /// The input that was shown to the person.
    pub shown: Digest,
    /// Whether the last scan did not find its part in its old place.
    pub missing: bool,
    /// Set once a response has begun another call with the same call id: the approval id with which that call
    /// asks, or 0.
    pub successor: Option<StringId>,
    /// Whether this very part showed the candidate in the last scan.
    pub tracked: bool,
    /// Whether another call has asked with the approval id of the part.
    pub asked_by_another: bool,
    /// Whether a resumed response runs, which repeats what an earlier one has said.
    pub repeated: bool,
    /// The digest of the output that the page has last written over it; 0 for none.
    pub page_output: Digest,
}

/// All the evidence that a match depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Whether call id and tool are those of the call.
    pub same_name: bool,
    pub approval: ApprovalId,
    /// Whether another call has asked with the approval id of the part, which the candidate has not.
    pub asked_by_another: bool,
    /// Whether a resumed response may have brought the part.
    pub repeated: bool,
    /// Whether the part shows the output that the page has written over the call.
    pub written_here: bool,
    pub position: Position,
    pub content: Content,
    pub input: Input,
    pub stage: Stage,
    pub call_id: CallIdUse,
    pub conclusion: Conclusion,
    pub presence: Presence,
    /// Whether the list may be older than what was seen since.
    pub list_may_be_older: bool,
    /// Whether the state comes before the one last seen.
    pub earlier_state: bool,
    /// Whether a request has carried an output of the call and the part shows a different one.
    pub other_output_than_sent: bool,
}

/// The approval id of the part, compared with that of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalId {
    Same,
    Different,
    /// The part has none.
    Absent,
    /// The part has one, and the call had none.
    New,
}

/// The place of the part, compared with the one where the call was last seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The part that showed the call in the last scan.
    Tracked,
    /// The same message, step and occurrence, after the same user message.
    Same,
    /// The same message, step and occurrence, but what precedes the message has changed.
    SameMessage,
    /// The same step and occurrence after the same user message, in a message at the same index with another
    /// id.
    RenamedMessage,
    /// The same step and occurrence after the same user message, in another message.
    SameStep,
    Elsewhere,
}

/// The content of the part, compared with that in the last scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Everything, in the same place.
    Unchanged,
    /// State, answer, input and output.
    Equal,
    /// The input, and the part is still denied: a denial can be settled at home between two scans.
    SettledDenial,
    /// Only the input.
    SameInput,
    Changed,
}

/// The input of the part, compared with the one that was shown to the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    Same,
    Different,
    /// One of the two is still streaming, or is too long to compare.
    Unknown,
}

/// The progress of the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its input is being received, or is just complete.
    Beginning,
    /// It asks for approval.
    Question,
    Later,
}

/// Whether the call id still belongs to the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallIdUse {
    Held,
    /// A response has begun a later call with this id.
    Freed,
    /// A response has begun a later call with this id, which asks with the approval id of the part.
    AskedAgain,
}

/// What the call has come to so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    Open,
    Allowed,
    Denied,
    /// It has an output, and needed no approval.
    PutOut,
}

/// Whether the part of the call is still in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Present,
    /// It is not in its old place, and the scan of the list is not complete.
    Missing,
    /// The whole list was read without finding it.
    Gone,
}

impl Evidence {
    /// Compares a part with a candidate.
    pub fn new(candidate: &Candidate<'_>, part: &PartFacts, current: bool) -> Self {
        let Candidate { call, last, .. } = *candidate;
        Self {
            same_name: call.id() == part.id && call.tool() == part.tool,
            approval: ApprovalId::of(call.approval(), part.approval),
            asked_by_another: candidate.asked_by_another,
            repeated: candidate.repeated,
            written_here: part.output != 0 && part.output == candidate.page_output,
            position: if candidate.tracked { Position::Tracked } else { Position::of(last, part) },
            content: Content::of(call, last, part),
            input: Input::of(call, last, candidate.shown, part),
            stage: Stage::of(part),
            call_id: CallIdUse::of(candidate.successor, part.approval),
            conclusion: Conclusion::of(call),
            presence: Presence::of(call, candidate.missing),
            list_may_be_older: !current,
            earlier_state: part.flags.state.is_before(last.flags.state),
            other_output_than_sent: call.output().is_some() && call.was_sent() && last.output != part.output,
        }
    }
}

impl ApprovalId {
    fn of(call: StringId, part: StringId) -> Self {
        match (call, part) {
            (_, StringId::NONE) => Self::Absent,
            (StringId::NONE, _) => Self::New,
            _ if call == part => Self::Same,
            _ => Self::Different,
        }
    }
}

impl Position {
    fn of(last: &PartFacts, part: &PartFacts) -> Self {
        let (was, is) = (last.place, part.place);
        if (was.step, was.occurrence) != (is.step, is.occurrence) {
            return Self::Elsewhere;
        }
        match (was.message == is.message, was.user_turn == is.user_turn) {
            (true, true) => Self::Same,
            (true, false) => Self::SameMessage,
            (false, true) if was.index == is.index => Self::RenamedMessage,
            (false, true) => Self::SameStep,
            (false, false) => Self::Elsewhere,
        }
    }
}

impl Content {
    fn of(call: &Call, last: &PartFacts, part: &PartFacts) -> Self {
        let same_input = last.input == part.input;
        if last == part {
            Self::Unchanged
        } else if same_input && last.flags == part.flags && last.output == part.output {
            Self::Equal
        } else if same_input && call.denied() && part.flags.answer == Answer::No {
            Self::SettledDenial
        } else if same_input {
            Self::SameInput
        } else {
            Self::Changed
        }
    }
}

impl Input {
    /// Compares the input of a part with the input of a call that was shown to the person.
    pub fn of(call: &Call, last: &PartFacts, shown: Digest, part: &PartFacts) -> Self {
        let streams = |part: &PartFacts| part.flags.state == ToolState::InputStreaming;
        if shown == part.input {
            Self::Same
        } else if differs(shown, part.input) && !streams(part) && (call.asked() || !streams(last)) {
            Self::Different
        } else {
            Self::Unknown
        }
    }
}

impl Stage {
    fn of(part: &PartFacts) -> Self {
        match part.flags.state {
            _ if part.flags.shows_input_only() => Self::Beginning,
            ToolState::ApprovalRequested => Self::Question,
            _ => Self::Later,
        }
    }
}

impl CallIdUse {
    fn of(successor: Option<StringId>, approval: StringId) -> Self {
        match successor {
            None => Self::Held,
            Some(asked) if asked.is_some() && asked == approval => Self::AskedAgain,
            Some(_) => Self::Freed,
        }
    }
}

impl Conclusion {
    fn of(call: &Call) -> Self {
        match call.decision() {
            Some(decision) if decision.approved => Self::Allowed,
            Some(_) => Self::Denied,
            None if call.output().is_some() => Self::PutOut,
            None => Self::Open,
        }
    }
}

impl Presence {
    fn of(call: &Call, missing: bool) -> Self {
        match (call.gone(), missing) {
            (true, _) => Self::Gone,
            (false, true) => Self::Missing,
            (false, false) => Self::Present,
        }
    }
}
