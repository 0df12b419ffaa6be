//! Decides which call a part belongs to. The decision tables work on named [`evidence`](super::evidence). A
//! table is read from top to bottom, and the first row that fits decides. A table with a gap, or a row that
//! can never fit, does not compile. Each row gives its reason, and an example that the other rows would get
//! wrong.

use super::evidence::{
    ApprovalId, CallIdUse, Conclusion, Content, Evidence, Input, Position, Presence, Stage,
};

macro_rules! decision_table {
    (
        $(#[$doc:meta])* $function:ident, $rows:ident: $facts:ident => $answer:ident;
        $(
            $why:literal
            { $($fact:ident: $pattern:pat),* $(,)? } => $result:ident,
            example { $($example:ident: $value:expr),* $(,)? };
        )+
    ) => {
        $(#[$doc])*
        pub fn $function(facts: &$facts) -> $answer {
            match facts { $($facts { $($fact: $pattern,)* .. } => $answer::$result,)+ }
        }

        #[cfg(test)]
        pub const $rows: &[tests::Row<$facts, $answer>] = &[$(tests::Row {
            why: $why,
            fits: |facts| matches!(facts, $facts { $($fact: $pattern,)* .. }),
            answer: $answer::$result,
            example: $facts { $($example: $value,)* ..$facts::UNRELATED },
        }),+];
    };
}

/// Whether a part belongs to a candidate call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    Same,
    Another,
}

decision_table! {
    /// Decides whether a part belongs to a candidate call.
    identity, IDENTITY: Evidence => Identity;

    "A call keeps its call id and its tool."
    { same_name: false } => Another,
    example { same_name: false, position: Position::Tracked };

    "A part that has not changed still shows its call, whatever a response has said since."
    { position: Position::Tracked, content: Content::Unchanged } => Same,
    example {
        position: Position::Tracked, content: Content::Unchanged,
        stage: Stage::Question, call_id: CallIdUse::Freed,
    };

    "A different approval id belongs to another question, and so to another call."
    { approval: ApprovalId::Different } => Another,
    example { approval: ApprovalId::Different, position: Position::Same };

    "A replayed response begins a call before it asks: with the approval id of an earlier call, it is that call."
    { approval: ApprovalId::New, asked_by_another: true } => Another,
    example { approval: ApprovalId::New, asked_by_another: true, position: Position::Tracked };

    "An approval id identifies its call, until a later call with the same call id asks with it."
    { approval: ApprovalId::Same, call_id: CallIdUse::Held | CallIdUse::Freed } => Same,
    example { approval: ApprovalId::Same, conclusion: Conclusion::Denied, input: Input::Different };

    "Law 4: without an approval id of its own, a denial is never put on a call with another input."
    { conclusion: Conclusion::Denied, input: Input::Different } => Another,
    example { conclusion: Conclusion::Denied, input: Input::Different, position: Position::Same };

    "A part that begins after a response has begun a later call is the later call."
    { call_id: CallIdUse::Freed | CallIdUse::AskedAgain, stage: Stage::Beginning } => Another,
    example {
        call_id: CallIdUse::Freed, stage: Stage::Beginning,
        position: Position::Tracked, content: Content::SameInput,
    };

    "A part that changes and asks after a response has begun a later call is the later call."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        stage: Stage::Question,
        position: Position::Tracked,
    } => Another,
    example {
        call_id: CallIdUse::Freed, stage: Stage::Question,
        position: Position::Tracked, content: Content::SameInput,
    };

    "A part that gets a new input after a response has begun a later call is the later call."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        position: Position::Tracked,
        content: Content::Changed,
    } => Another,
    example {
        approval: ApprovalId::Same, call_id: CallIdUse::AskedAgain,
        position: Position::Tracked, content: Content::Changed,
    };

    "Without evidence against it, a part still shows its call."
    { position: Position::Tracked } => Same,
    example { position: Position::Tracked };

    "A question that was removed and is back belongs to the later call."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        presence: Presence::Gone,
        stage: Stage::Question,
    } => Another,
    example {
        call_id: CallIdUse::Freed, presence: Presence::Gone, stage: Stage::Question,
        position: Position::Same, content: Content::Equal,
    };

    "A later call does not repeat what an earlier call shows in the same step: this is a copy."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        position: Position::Same | Position::RenamedMessage | Position::SameStep,
        content: Content::Equal | Content::Unchanged,
    } => Same,
    example { call_id: CallIdUse::Freed, position: Position::SameStep, content: Content::Equal };

    "A denial can be settled at home between two scans, even when a later call has asked with its approval id."
    {
        call_id: CallIdUse::AskedAgain,
        approval: ApprovalId::Same,
        position: Position::Same | Position::RenamedMessage | Position::SameStep,
        content: Content::SettledDenial,
    } => Same,
    example {
        call_id: CallIdUse::AskedAgain, approval: ApprovalId::Same,
        position: Position::Same, content: Content::SettledDenial, conclusion: Conclusion::Denied,
    };

    "Until a later call is seen, the earlier one may still be answered or get its output in its place."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        approval: ApprovalId::Absent | ApprovalId::New,
        position: Position::Same | Position::SameMessage,
        input: Input::Same | Input::Unknown,
        stage: Stage::Later,
    } => Same,
    example { call_id: CallIdUse::Freed, position: Position::Same };

    "The same holds if its message has got another id meanwhile."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        approval: ApprovalId::Absent | ApprovalId::New,
        presence: Presence::Missing,
        position: Position::RenamedMessage,
        input: Input::Same,
        stage: Stage::Later,
    } => Same,
    example {
        call_id: CallIdUse::Freed, presence: Presence::Missing,
        position: Position::RenamedMessage, input: Input::Same,
    };

    "Once a response has begun a later call, a doubtful part belongs to the later call."
    { call_id: CallIdUse::Freed | CallIdUse::AskedAgain } => Another,
    example { call_id: CallIdUse::Freed, presence: Presence::Missing, position: Position::RenamedMessage };

    "A resumed response only repeats its calls, also those that have got an output meanwhile."
    {
        repeated: true,
        position: Position::RenamedMessage | Position::SameStep,
        input: Input::Same | Input::Unknown,
        stage: Stage::Beginning,
    } => Same,
    example {
        repeated: true, position: Position::SameStep, input: Input::Same,
        stage: Stage::Beginning, conclusion: Conclusion::PutOut,
    };

    "A list shows the message as it was before, wherever it stands there, and no response has begun another call."
    {
        call_id: CallIdUse::Held,
        position: Position::Same | Position::SameMessage,
        input: Input::Same,
        stage: Stage::Beginning,
    } => Same,
    example {
        position: Position::SameMessage, input: Input::Same,
        stage: Stage::Beginning, conclusion: Conclusion::PutOut,
    };

    "A call that was decided or has an output does not begin again."
    { stage: Stage::Beginning, conclusion: Conclusion::Allowed | Conclusion::Denied | Conclusion::PutOut } => Another,
    example {
        stage: Stage::Beginning, conclusion: Conclusion::PutOut,
        presence: Presence::Missing, position: Position::RenamedMessage,
    };

    "Law 4: a denial that has lost its place goes to the part with the denied input and no approval."
    {
        presence: Presence::Missing | Presence::Gone,
        conclusion: Conclusion::Denied,
        approval: ApprovalId::Absent,
        input: Input::Same,
    } => Same,
    example { presence: Presence::Gone, conclusion: Conclusion::Denied, input: Input::Same };

    "A message that was removed is back with an output: its response, or an older list, has brought it."
    {
        presence: Presence::Gone,
        position: Position::Same | Position::SameMessage,
        input: Input::Same,
        stage: Stage::Later,
    } => Same,
    example { presence: Presence::Gone, position: Position::Same, input: Input::Same };

    "A call whose message was removed does not come back in another part."
    { presence: Presence::Gone } => Another,
    example { presence: Presence::Gone, position: Position::Same };

    "A call stays in its message, step and occurrence."
    { position: Position::Same | Position::SameMessage } => Same,
    example { position: Position::SameMessage };

    "If a message is missing and another one has its index after the same user message, its id has changed."
    {
        presence: Presence::Missing,
        position: Position::RenamedMessage,
        input: Input::Same | Input::Unknown,
    } => Same,
    example { presence: Presence::Missing, position: Position::RenamedMessage };

    "The same holds for an allowed call with another input: the server may change the input before it runs."
    { presence: Presence::Missing, position: Position::RenamedMessage, conclusion: Conclusion::Allowed } => Same,
    example {
        presence: Presence::Missing, position: Position::RenamedMessage,
        conclusion: Conclusion::Allowed, input: Input::Different,
    };

    "No other call has begun with its id, and its old place is empty: its id, tool and input are enough."
    {
        presence: Presence::Missing,
        call_id: CallIdUse::Held,
        conclusion: Conclusion::Open,
        input: Input::Same,
    } => Same,
    example { presence: Presence::Missing, input: Input::Same };

    "A server without `originalMessages` copies the message under a new id."
    {
        position: Position::RenamedMessage | Position::SameStep,
        content: Content::Equal | Content::Unchanged,
        stage: Stage::Question | Stage::Later,
    } => Same,
    example { position: Position::SameStep, content: Content::Equal };

    "Law 4: in such a copy, an output may have replaced the approval of a denial."
    {
        position: Position::RenamedMessage | Position::SameStep,
        conclusion: Conclusion::Denied,
        approval: ApprovalId::Absent,
        input: Input::Same,
    } => Same,
    example { position: Position::SameStep, conclusion: Conclusion::Denied, input: Input::Same };

    "Law 4: above such a copy, too."
    {
        position: Position::RenamedMessage | Position::SameStep,
        conclusion: Conclusion::PutOut,
        approval: ApprovalId::New,
        input: Input::Same,
        stage: Stage::Later,
    } => Same,
    example {
        position: Position::SameStep, conclusion: Conclusion::PutOut,
        approval: ApprovalId::New, input: Input::Same,
    };

    "Law 4: what the page has written over a denial is over it wherever the chat shows it."
    { written_here: true, conclusion: Conclusion::Denied, approval: ApprovalId::Absent, input: Input::Same } => Same,
    example { written_here: true, conclusion: Conclusion::Denied, input: Input::Same };

    "Only the call id and the tool match."
    {} => Another,
    example {};
}

/// Whether a part says something new about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    News,
    Older,
}

decision_table! {
    /// Decides whether a part may be older than what is known of its call. An older part changes nothing.
    age, AGE: Evidence => Age;

    "Law 2: a sent output is not new, so a different one counts only in the newest list."
    { list_may_be_older: true, other_output_than_sent: true } => Older,
    example { list_may_be_older: true, other_output_than_sent: true };

    "A call only moves forward, so a list that shows it in an earlier state is older."
    { list_may_be_older: true, earlier_state: true } => Older,
    example { list_may_be_older: true, earlier_state: true };

    "Everything else is new."
    {} => News,
    example { earlier_state: true, other_output_than_sent: true };
}

/// The word of the responses about a call id, compared with a call that is seen for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamEvidence {
    /// Whether it belongs to another call already.
    pub taken: bool,
    /// Whether the server has asked with the approval id of the part.
    pub same_approval: bool,
    /// Whether the server has written the output of the part.
    pub same_output: bool,
    /// Whether the response has named another tool.
    pub other_tool: bool,
}

/// Whether a response was about a call that is seen for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamMatch {
    Same,
    /// Perhaps: an older response is a better match if it fits.
    Perhaps,
    /// No, but an older response may have been about it: responses overlap, and a page may see the call of the later one
    /// first.
    Other,
}

decision_table! {
    /// Decides whether a response was about a call that is seen for the first time.
    stream_match, STREAM_MATCH: StreamEvidence => StreamMatch;

    "What a response has said is about one call."
    { taken: true } => Other,
    example { taken: true, same_approval: true };

    "A question is never on the call of another tool."
    { other_tool: true } => Other,
    example { other_tool: true, same_approval: true };

    "An approval id identifies its call."
    { same_approval: true } => Same,
    example { same_approval: true };

    "An equal output identifies its call."
    { same_output: true } => Same,
    example { same_output: true };

    "If a call id is used again between two scans, the oldest call with that id is seen first."
    {} => Perhaps,
    example {};
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::fmt::Debug;

    pub struct Row<F: 'static, A> {
        pub why: &'static str,
        pub fits: fn(&F) -> bool,
        pub answer: A,
        pub example: F,
    }

    impl Evidence {
        /// A part elsewhere in the newest list, of an open call; nothing else connects the two.
        pub const UNRELATED: Self = Self {
            same_name: true,
            approval: ApprovalId::Absent,
            asked_by_another: false,
            repeated: false,
            written_here: false,
            position: Position::Elsewhere,
            content: Content::Changed,
            input: Input::Unknown,
            stage: Stage::Later,
            call_id: CallIdUse::Held,
            conclusion: Conclusion::Open,
            presence: Presence::Present,
            list_may_be_older: false,
            earlier_state: false,
            other_output_than_sent: false,
        };
    }

    impl StreamEvidence {
        pub const UNRELATED: Self =
            Self { taken: false, same_approval: false, same_output: false, other_tool: false };
    }

    /// Takes out each row in turn, and checks that its example then gets another answer or none.
    fn each_row_is_needed<F, A: Copy + Debug + PartialEq>(rows: &[Row<F, A>], decide: fn(&F) -> A) {
        for (number, row) in rows.iter().enumerate() {
            let decides = |without: Option<usize>| {
                let mut left = rows.iter().enumerate().filter(|&(at, _)| Some(at) != without);
                left.find(|(_, other)| (other.fits)(&row.example)).map(|(at, other)| (at, other.answer))
            };
            assert_eq!(
                decides(None),
                Some((number, row.answer)),
                "another row decides the example of this row: {}",
                row.why
            );
            let without = decides(Some(number)).map(|(_, answer)| answer);
            assert_ne!(
                without,
                Some(row.answer),
                "the example gets the same answer without this row: {}",
                row.why
            );
            assert_eq!(decide(&row.example), row.answer, "{}", row.why);
        }
    }

    #[test]
    fn each_row_decides_its_example_and_no_other_row_would() {
        each_row_is_needed(IDENTITY, identity);
        each_row_is_needed(AGE, age);
        each_row_is_needed(STREAM_MATCH, stream_match);
    }
}
