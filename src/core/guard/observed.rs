//! What was observed of a call beside its life: in the messages, and in the responses.

use crate::core::call::evidence::Input;
use crate::core::call::{Call, Digest, PartFacts};
use crate::core::grant::Fingerprint;
use crate::core::id::{CallId, RequestId, StringId};
use crate::core::protocol::Chunk;

/// What is known of a call beside its life: where it was seen last, and how.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub part: PartFacts,
    /// The call noticed before with the same call id.
    pub previous: Option<CallId>,
    /// The input that the person saw when the call asked or was answered; until then the last one.
    pub shown: Digest,
    /// Whether text stood behind the calls of its step when one of them was seen open; nothing where none was.
    pub open_text: Option<bool>,
    /// Its message is not where it was.
    pub missing: bool,
    /// What the responses have told of it.
    pub streamed: Option<u32>,
    /// Its answer was heard, or committed, or has stood against a replay: what the messages show does
    /// not replace it.
    pub stands: bool,
    /// The draft of an earlier page was put back.
    pub redrafted: bool,
    /// The fingerprints of the input that was shown, by the fields that they are of.
    pub fingerprints: Vec<(StringId, Fingerprint)>,
    /// How many entries there were when the call last changed.
    pub touched: u32,
}

impl Seen {
    /// A call that is seen for the first time.
    pub fn new(part: PartFacts, previous: Option<CallId>, streamed: Option<u32>) -> Self {
        Self {
            part,
            previous,
            shown: part.input,
            open_text: None,
            missing: false,
            streamed,
            stands: false,
            redrafted: false,
            fingerprints: Vec::new(),
            touched: 0,
        }
    }

    /// How the input of a part compares with the one that the person saw.
    pub fn input(&self, call: &Call, part: &PartFacts) -> Input {
        Input::of(call, &self.part, self.shown, part)
    }
}

/// A call that will never be seen.
pub(super) const NO_CALL: CallId = CallId::MAX;

/// One call as the responses have told it. A call id that begins again is another call, also when
/// nobody has looked in between.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreamedCall {
    /// The call, once it was seen.
    pub call: Option<CallId>,
    /// What was heard before of the same call id.
    pub previous: Option<u32>,
    /// Calls below this number are older calls with the same id.
    pub freed: CallId,
    /// The request whose response began the call; 0 for a resumed response.
    pub request: RequestId,
    /// The call was heard to begin, so that nothing of it was there before.
    pub began: bool,
    /// The last chunk.
    pub last: Option<Chunk>,
    /// The approval id that the server asked with.
    pub approval: StringId,
    /// The output that the server wrote.
    pub output: Digest,
    /// What the server itself answered.
    pub answer: Option<bool>,
}
