//! Which call is this part? Decision tables over named [`evidence`](super::evidence). A table is read from top to
//! bottom, and the first row that fits gives the answer. The compiler refuses a table with a gap, and a row that
//! can never fit. Each row says why, and carries an example that another row would get wrong.

use super::evidence::{ApprovalId, CallIdUse, Content, Evidence, Input, Position, Presence, Stage, Standing};

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

/// Whether a part is one of a candidate call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    Same,
    Another,
}

decision_table! {
    /// Decides whether a part is one of a candidate call.
    identity, IDENTITY: Evidence => Identity;

    "A call keeps its call id and its tool."
    { same_name: false } => Another,
    example { same_name: false, position: Position::Tracked };

    "A part that has not changed shows the call that it showed, whatever a response has told since."
    { position: Position::Tracked, content: Content::Unchanged } => Same,
    example {
        position: Position::Tracked, content: Content::Unchanged,
        stage: Stage::Question, call_id: CallIdUse::Freed,
    };

    "Another approval id belongs to another question, and so to another call."
    { approval: ApprovalId::Different } => Another,
    example { approval: ApprovalId::Different, position: Position::Same };

    "An approval id names its call, until a later call of the same call id asks with it."
    { approval: ApprovalId::Same, call_id: CallIdUse::Held | CallIdUse::Freed } => Same,
    example { approval: ApprovalId::Same, standing: Standing::Denied, input: Input::Different };

    "Law 4: without an approval id of its own, a denial is never put on a call with another input."
    { standing: Standing::Denied, input: Input::Different } => Another,
    example { standing: Standing::Denied, input: Input::Different, position: Position::Same };

    "What begins after a response has begun a later call is the later call."
    { call_id: CallIdUse::Freed | CallIdUse::AskedAgain, stage: Stage::Beginning } => Another,
    example { call_id: CallIdUse::Freed, stage: Stage::Beginning, position: Position::Tracked };

    "What changes and asks after a response has begun a later call is the later call."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        stage: Stage::Question,
        position: Position::Tracked,
    } => Another,
    example { call_id: CallIdUse::Freed, stage: Stage::Question, position: Position::Tracked };

    "Where a later call has asked with the same approval id, a part with a new input is that call."
    { approval: ApprovalId::Same, position: Position::Tracked, content: Content::Changed } => Another,
    example {
        approval: ApprovalId::Same, call_id: CallIdUse::AskedAgain,
        position: Position::Tracked, content: Content::Changed,
    };

    "Nothing speaks against it: a part goes on showing its call."
    { position: Position::Tracked } => Same,
    example { position: Position::Tracked };

    "What was taken away and asks as it did then is asked anew, by the later call."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        presence: Presence::Gone,
        stage: Stage::Question,
    } => Another,
    example {
        call_id: CallIdUse::Freed, presence: Presence::Gone, stage: Stage::Question,
        position: Position::Same, content: Content::Equal,
    };

    "A later call does not repeat what an earlier one shows in the same step: this is a copy of the earlier part."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        position: Position::Same | Position::RenamedMessage | Position::SameStep,
        content: Content::Equal | Content::Unchanged,
    } => Same,
    example { call_id: CallIdUse::Freed, position: Position::SameStep, content: Content::Equal };

    "A denial is settled at home while nobody looks, also when a later call has asked with its approval id."
    {
        call_id: CallIdUse::AskedAgain,
        approval: ApprovalId::Same,
        position: Position::Same | Position::RenamedMessage | Position::SameStep,
        content: Content::SettledDenial,
    } => Same,
    example {
        call_id: CallIdUse::AskedAgain, approval: ApprovalId::Same,
        position: Position::Same, content: Content::SettledDenial, standing: Standing::Denied,
    };

    "Before a later call comes, the earlier one may still be answered or get its output where it stands."
    {
        call_id: CallIdUse::Freed | CallIdUse::AskedAgain,
        approval: ApprovalId::Absent | ApprovalId::New,
        position: Position::Same | Position::SameMessage,
        stage: Stage::Later,
    } => Same,
    example { call_id: CallIdUse::Freed, position: Position::Same };

    "Once a response has begun a later call, doubt is in favour of the later one."
    { call_id: CallIdUse::Freed | CallIdUse::AskedAgain } => Another,
    example { call_id: CallIdUse::Freed, presence: Presence::Missing, position: Position::RenamedMessage };

    "A call that was decided or has its output does not begin again."
    { stage: Stage::Beginning, standing: Standing::Allowed | Standing::Denied | Standing::PutOut } => Another,
    example { stage: Stage::Beginning, standing: Standing::PutOut, position: Position::Same };

    "Law 4: a denial whose place is lost goes to the part without an approval that has the denied input."
    {
        presence: Presence::Missing | Presence::Gone,
        standing: Standing::Denied,
        approval: ApprovalId::Absent,
        input: Input::Same,
    } => Same,
    example { presence: Presence::Gone, standing: Standing::Denied, input: Input::Same };

    "A call whose message was taken away does not come back in another part."
    { presence: Presence::Gone } => Another,
    example { presence: Presence::Gone, position: Position::Same };

    "A call stays in its message, step and occurrence."
    { position: Position::Same | Position::SameMessage } => Same,
    example { position: Position::SameMessage };

    "A message that is lost, with another one at its index behind the same user message, has changed its id."
    {
        presence: Presence::Missing,
        position: Position::RenamedMessage,
        input: Input::Same | Input::Unknown,
    } => Same,
    example { presence: Presence::Missing, position: Position::RenamedMessage };

    "So it has with another input, too: the server may run an allowed call with an input that it has changed."
    { presence: Presence::Missing, position: Position::RenamedMessage, standing: Standing::Allowed } => Same,
    example {
        presence: Presence::Missing, position: Position::RenamedMessage,
        standing: Standing::Allowed, input: Input::Different,
    };

    "A server without `originalMessages` copies the message under a new id."
    {
        position: Position::RenamedMessage | Position::SameStep,
        content: Content::Equal | Content::Unchanged,
        stage: Stage::Question | Stage::Later,
    } => Same,
    example { position: Position::SameStep, content: Content::Equal };

    "Law 4: in such a copy, a denial may have lost its approval under an output."
    {
        position: Position::RenamedMessage | Position::SameStep,
        standing: Standing::Denied,
        approval: ApprovalId::Absent,
        input: Input::Same,
    } => Same,
    example { position: Position::SameStep, standing: Standing::Denied, input: Input::Same };

    "Nothing but the call id and the tool speaks for it."
    {} => Another,
    example {};
}

/// Whether a part says something about a call that was not known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    News,
    Older,
}

decision_table! {
    /// Decides whether a part may be older than what is known of a call. Such a part changes nothing.
    age, AGE: Evidence => Age;

    "Law 2: what was sent is no news, so an output that differs from it counts only in the newest list."
    { list_may_be_older: true, other_output_than_sent: true } => Older,
    example { list_may_be_older: true, other_output_than_sent: true };

    "A call only comes further, so a list in which it has come less far is the older one."
    { list_may_be_older: true, earlier_state: true } => Older,
    example { list_may_be_older: true, earlier_state: true };

    "Everything else is news."
    {} => News,
    example { earlier_state: true, other_output_than_sent: true };
}

/// What a response has told of a call id, compared with a call that is seen for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamEvidence {
    /// Another call has it.
    pub taken: bool,
    /// The server has asked with the approval id of the part.
    pub same_approval: bool,
    /// The server has written the output of the part.
    pub same_output: bool,
}

/// Whether a response has told of a call that is seen for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Same,
    /// If nothing older is.
    Perhaps,
    /// And neither has anything older.
    Another,
}

decision_table! {
    /// Decides whether a response has told of a call that is seen for the first time.
    told, TOLD: StreamEvidence => Told;

    "Calls are seen in the order of the responses, so what came before that of another call is of older calls."
    { taken: true } => Another,
    example { taken: true, same_approval: true };

    "An approval id names its call."
    { same_approval: true } => Same,
    example { same_approval: true };

    "A digest of an output is as good as a name."
    { same_output: true } => Same,
    example { same_output: true };

    "A call id that begins again before anybody looks is first seen as the oldest call that has it."
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
        /// A part elsewhere, in the newest list, of an open call that nothing else ties to it.
        pub const UNRELATED: Self = Self {
            same_name: true,
            approval: ApprovalId::Absent,
            position: Position::Elsewhere,
            content: Content::Changed,
            input: Input::Unknown,
            stage: Stage::Later,
            call_id: CallIdUse::Held,
            standing: Standing::Open,
            presence: Presence::Present,
            list_may_be_older: false,
            earlier_state: false,
            other_output_than_sent: false,
        };
    }

    impl StreamEvidence {
        pub const UNRELATED: Self = Self { taken: false, same_approval: false, same_output: false };
    }

    /// Takes every row out in turn, and expects that its example then gets another answer or none.
    fn each_row_is_needed<F, A: Copy + Debug + PartialEq>(rows: &[Row<F, A>], decide: fn(&F) -> A) {
        for (number, row) in rows.iter().enumerate() {
            let decides = |without: Option<usize>| {
                let mut left = rows.iter().enumerate().filter(|&(at, _)| Some(at) != without);
                left.find(|(_, other)| (other.fits)(&row.example)).map(|(at, other)| (at, other.answer))
            };
            assert_eq!(
                decides(None),
                Some((number, row.answer)),
                "its example is decided by another row: {}",
                row.why
            );
            let without = decides(Some(number)).map(|(_, answer)| answer);
            assert_ne!(without, Some(row.answer), "the example does not need its row: {}", row.why);
            assert_eq!(decide(&row.example), row.answer, "{}", row.why);
        }
    }

    #[test]
    fn each_row_decides_its_example_and_no_other_row_would() {
        each_row_is_needed(IDENTITY, identity);
        each_row_is_needed(AGE, age);
        each_row_is_needed(TOLD, told);
    }
}
