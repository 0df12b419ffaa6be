//! What was observed about a call, apart from its life: in the messages and in the responses.

use crate::core::call::evidence::Input;
use crate::core::call::{Call, Digest, PartFacts};
use crate::core::decision::Author;
use crate::core::grant::Fingerprint;
use crate::core::id::{CallId, RequestId, StringId};
use crate::core::protocol::Chunk;

/// Where and how a call was last seen.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub part: PartFacts,
    /// The input that was shown to the person when the call asked or was answered; until then the latest one.
    pub shown: Digest,
    /// The server of the tool that was shown with it.
    pub shown_server: StringId,
    /// Whether text followed the calls of its step when one of them was seen open; `None` if none was.
    pub open_text: Option<bool>,
    /// Whether its message is not in its old place.
    pub missing: bool,
    /// The index of what the responses have said about it.
    pub streamed: Option<u32>,
    /// Whether its answer was heard, was committed, or outlasted a replay: what the messages show does not
    /// replace it.
    pub stands: bool,
    /// Whether the draft of an earlier page was restored.
    pub redrafted: bool,
    /// The fingerprints of the input that was shown, with their fields.
    pub fingerprints: Vec<(StringId, Fingerprint)>,
    /// How many entries there were when the call last changed.
    pub touched: u32,
    /// The last output that was written over its denial or its question, and who wrote it.
    pub overwriting: Option<(Digest, Author)>,
    /// The digest of the output that the page has last written through the chat; 0 before.
    pub page_output: Digest,
    /// The digests of the outputs that were sent, and of the last one that was seen. A list that shows one of them again
    /// says nothing new.
    pub outputs: Vec<Digest>,
    /// Whether another message has shown a copy of its part.
    pub copied: bool,
    /// Whether the part shows the allowance of the question, or has shown it under its output.
    pub allowance_shown: bool,
    /// The digests of the input and the output of the part that the shell keeps for its output.
    pub kept_output: Option<(Digest, Digest)>,
}

impl Seen {
    /// A call that is seen for the first time.
    pub fn new(part: PartFacts, streamed: Option<u32>) -> Self {
        Self {
            part,
            shown: part.input,
            shown_server: part.server,
            open_text: None,
            missing: false,
            streamed,
            stands: false,
            redrafted: false,
            fingerprints: Vec::new(),
            touched: 0,
            overwriting: None,
            page_output: 0,
            outputs: Vec::new(),
            copied: false,
            allowance_shown: false,
            kept_output: None,
        }
    }

    /// Stores that the person was shown what this part shows.
    pub fn show(&mut self, part: &PartFacts) {
        self.shown = part.input;
        self.shown_server = part.server;
    }

    /// Whether a part shows anything else than the person was shown, or cannot be compared with it.
    pub fn shows_other(&self, part: &PartFacts) -> bool {
        self.shown != part.input || self.shown_server != part.server
    }

    /// How the input of a part compares with the one shown to the person.
    pub fn input(&self, call: &Call, part: &PartFacts) -> Input {
        Input::of(call, &self.part, self.shown, part)
    }
}

/// A call id that is never given out.
pub(super) const NO_CALL: CallId = CallId::MAX;

/// What the responses have said about one call. A call id that begins again stands for another call, even if
/// no scan took place in between.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreamedCall {
    /// The call, once it has been seen.
    pub call: Option<CallId>,
    /// The previous entry for the same call id.
    pub previous: Option<u32>,
    /// Calls below this number are older calls with the same id.
    pub freed: CallId,
    /// The request whose response began the call; 0 for a resumed response.
    pub request: RequestId,
    /// Whether its beginning was heard, so that nothing of it existed before.
    pub began: bool,
    /// The latest chunk.
    pub last: Option<Chunk>,
    /// The tool; 0 if no chunk has named it.
    pub tool: StringId,
    /// The approval id with which the server asked.
    pub approval: StringId,
    /// The output that the server wrote.
    pub output: Digest,
    /// The answer that the server gave itself.
    pub answer: Option<bool>,
    /// Whether a resumed response has asked again, and no list has shown that yet.
    pub replayed: bool,
}
