//! The facts that a message part shows about a tool call.

use crate::core::id::StringId;
use crate::core::protocol::ToolState;

/// A hash of an input or output. Equal values have equal digests.
pub type Digest = u64;

/// Whether two digests surely belong to different values. An input that is too long to be read gets an even
/// digest that proves nothing.
pub fn differs(one: Digest, other: Digest) -> bool {
    let says = |digest: Digest| digest == 0 || digest & 1 == 1;
    one != other && says(one) && says(other)
}

row! {
    /// The place of a tool part.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Place {
        /// The id of the message.
        pub message: StringId,
        /// The index of the message in the list.
        pub index: u32,
        /// The index of the last user message before it, plus 1.
        pub user_turn: u32,
        /// The number of `step-start` parts before it.
        pub step: u32,
        /// The number of parts with the same call id that precede it in its step.
        pub occurrence: u32,
    }
}

vocabulary! {
    /// The value of `approval.approved`.
    Answer {
        /// There is no answer.
        Absent = "absent",
        /// A value that is not a boolean, or an answer without an approval id.
        Malformed = "malformed",
        /// `false`
        No = "no",
        /// `true`
        Yes = "yes",
    }
}

row! {
    /// The facts read from one tool part.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PartFacts {
        /// Its place.
        pub place: Place,
        /// The name of the tool.
        pub tool: StringId,
        /// The server of the tool, or 0. It distinguishes tools of the same name where a grant or an answer may reach
        /// another one, and not when a part is matched with its call: a stored denial may have lost it.
        pub server: StringId,
        /// `toolCallId`
        pub id: StringId,
        /// `approval.id`, or 0.
        pub approval: StringId,
        /// The flags that a verdict and a repair need.
        pub flags: PartFlags,
        /// The digest of the input. Of a changed one, that of the input that the model asked for.
        pub input: Digest,
        /// The digest of the changed input that the part shows; 0 where it shows what the model asked for.
        pub edit: Digest,
        /// The digest of the output or error text; 0 where there is none.
        pub output: Digest,
    }
}

impl PartFacts {
    /// Whether it shows a question in a state that says nothing of one: it has an approval id and no answer.
    pub fn asks_silently(&self) -> bool {
        self.flags.state == ToolState::InputAvailable && self.is_unanswered()
    }

    /// Whether it has an output beside a question without an answer.
    pub fn has_output_unanswered(&self) -> bool {
        self.flags.has_output() && self.is_unanswered()
    }

    fn is_unanswered(&self) -> bool {
        self.approval.is_some() && !matches!(self.flags.answer, Answer::Yes | Answer::No)
    }

    /// Whether the call is only beginning, so that it cannot be one that was further along.
    pub fn begins(&self) -> bool {
        self.flags.shows_input_only() && !self.asks_silently()
    }
}

/// The facts of a tool part that are packed into one number, because they cross the border often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartFlags {
    /// `state`
    pub state: ToolState,
    /// `approval.approved`
    pub answer: Answer,
    /// `providerExecuted: true`
    pub provider: bool,
    /// `preliminary: true`
    pub preliminary: bool,
    /// Whether it has a field that a denied call must not have: `output`, `errorText`, `preliminary` or
    /// `resultProviderMetadata`.
    pub residue: bool,
    /// Whether it has an error text written by the guard.
    pub by_guard: bool,
}

impl PartFlags {
    const STATE: u32 = 7;
    const ANSWER: u32 = 8;
    const PROVIDER: u32 = 32;
    const PRELIMINARY: u32 = 64;
    const RESIDUE: u32 = 128;
    const BY_GUARD: u32 = 256;

    /// The layout of the number read by [`from_code`](Self::from_code): the mask of the state, and the number
    /// that is added for each flag.
    pub const BITS: &[(&str, u32)] = &[
        ("State", Self::STATE),
        ("Malformed", Self::ANSWER * Answer::Malformed as u32),
        ("No", Self::ANSWER * Answer::No as u32),
        ("Yes", Self::ANSWER * Answer::Yes as u32),
        ("Provider", Self::PROVIDER),
        ("Preliminary", Self::PRELIMINARY),
        ("Residue", Self::RESIDUE),
        ("ByGuard", Self::BY_GUARD),
    ];

    /// Reads the number made by `pkg-template/src/chat/part.ts`.
    pub fn from_code(code: u32) -> Self {
        Self {
            state: ToolState::from_code((code & Self::STATE) as usize).unwrap_or(ToolState::Unknown),
            answer: Answer::from_code(((code / Self::ANSWER) & 3) as usize).unwrap_or(Answer::Malformed),
            provider: code & Self::PROVIDER != 0,
            preliminary: code & Self::PRELIMINARY != 0,
            residue: code & Self::RESIDUE != 0,
            by_guard: code & Self::BY_GUARD != 0,
        }
    }

    /// The number that [`from_code`](Self::from_code) reads.
    pub fn code(self) -> u32 {
        let bits = [
            (self.provider, Self::PROVIDER),
            (self.preliminary, Self::PRELIMINARY),
            (self.residue, Self::RESIDUE),
            (self.by_guard, Self::BY_GUARD),
        ];
        let bits = bits.into_iter().filter(|&(on, _)| on).map(|(_, bit)| bit);
        self.state as u32 + Self::ANSWER * self.answer as u32 + bits.sum::<u32>()
    }

    /// Whether there is a final output or error.
    pub fn has_output(self) -> bool {
        match self.state {
            ToolState::OutputAvailable => !self.preliminary,
            ToolState::OutputError => true,
            _ => false,
        }
    }

    /// Whether the state shows no more than an input. An approval id beside it may still be a question.
    pub fn shows_input_only(self) -> bool {
        matches!(self.state, ToolState::InputStreaming | ToolState::InputAvailable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_bit_by_bit() {
        let flags = PartFlags::from_code(3 | 2 << 3 | 32 | 128);
        assert_eq!((flags.state, flags.answer), (ToolState::ApprovalResponded, Answer::No));
        assert!(flags.provider && flags.residue && !flags.preliminary && !flags.by_guard);
        assert_eq!(PartFlags::from_code(7).state, ToolState::Unknown);
        for code in 0..512 {
            assert_eq!(PartFlags::from_code(code).code(), code);
        }
    }

    #[test]
    fn a_preliminary_output_is_no_output() {
        let available = ToolState::OutputAvailable as u32;
        assert!(PartFlags::from_code(available).has_output());
        assert!(!PartFlags::from_code(available | 64).has_output());
        assert!(!PartFlags::from_code(ToolState::OutputDenied as u32).has_output());
    }
}
