//! The observations of a call, apart from its life: in the messages and in the responses.

use crate::core::call::evidence::Input;
use crate::core::call::{Call, Digest, PartFacts};
use crate::core::decision::Author;
use crate::core::grant::Fingerprint;
use crate::core::id::{CallId, RequestId, StringId};
use crate::core::id_map::IdMap;
use crate::core::protocol::Chunk;
use crate::core::windowed_log::WindowedLog;

/// A call as it was last seen.
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
    /// A copy above it that shows it in an earlier state. It counts once the part is gone.
    pub behind: Option<PartFacts>,
    /// The index of what the responses have said about it.
    pub streamed: Option<u32>,
    /// Whether its allowance has left as closed, because a message or another step stood behind it. It stays closed in
    /// every list, until a person sends it again (law 4).
    pub left_closed: bool,
    /// Whether its answer was heard, was committed, or outlasted a replay: what the messages show does not
    /// replace it.
    pub answer_is_fixed: bool,
    /// Whether the draft of an earlier page was restored.
    pub redrafted: bool,
    /// The fingerprints of the input that was shown, with their fields.
    pub fingerprints: Vec<(StringId, Fingerprint)>,
    /// The number of entries when the call last changed.
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
    /// Whether the part shows the allowance of the question, or has shown it before it had its output.
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
            behind: None,
            streamed,
            left_closed: false,
            answer_is_fixed: false,
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

    /// The input of a part, compared with the one shown to the person.
    pub fn input(&self, call: &Call, part: &PartFacts) -> Input {
        Input::of(call, &self.part, self.shown, part)
    }
}

/// The call about which a response has said something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum About {
    /// No part of it was seen yet.
    #[default]
    Unseen,
    Call(CallId),
    /// Its response is over, and no part of it was ever seen.
    Nothing,
}

impl About {
    pub fn call(self) -> Option<CallId> {
        if let Self::Call(call) = self { Some(call) } else { None }
    }
}

/// One call as the responses have told it. A call id that begins again stands for another call, even if
/// no scan took place in between.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreamedCall {
    /// The call.
    pub about: About,
    /// The previous entry for the same call id; [`Streamed::push`] sets it.
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

/// The word of the responses, call by call.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    calls: WindowedLog<u32, StreamedCall>,
    /// The latest entry for each call id.
    latest: IdMap<StringId, u32>,
    /// Entries before this one are settled.
    settled_before: u32,
}

impl Streamed {
    pub fn get(&self, index: u32) -> Option<&StreamedCall> {
        self.calls.get(index)
    }

    pub fn get_mut(&mut self, index: u32) -> Option<&mut StreamedCall> {
        self.calls.get_mut(index)
    }

    /// The entries for a call id, the newest first.
    pub fn of(&self, id: StringId) -> impl Iterator<Item = (u32, &StreamedCall)> {
        let mut next = self.latest.get(&id).copied();
        std::iter::from_fn(move || {
            let index = next?;
            let streamed = self.calls.get(index)?;
            next = streamed.previous;
            Some((index, streamed))
        })
    }

    /// The calls that the response to a request, which runs, has begun.
    pub fn by(&self, request: RequestId) -> impl Iterator<Item = CallId> {
        let settled = self.settled_before.saturating_sub(self.calls.first());
        let unsettled = self.calls.iter().skip(settled as usize);
        unsettled
            .filter(move |(_, streamed)| streamed.request == request)
            .filter_map(|(_, streamed)| streamed.about.call())
    }

    /// The index of the next entry.
    pub fn end(&self) -> u32 {
        self.calls.end()
    }

    /// Adds the latest entry for a call id.
    pub fn push(&mut self, id: StringId, streamed: StreamedCall) {
        let previous = self.latest.get(&id).copied();
        self.latest.insert(id, self.calls.end());
        self.calls.push(StreamedCall { previous, ..streamed });
    }

    /// Settles the calls of responses that are over, of which no part was seen: they have nothing to do with later calls.
    /// `runs`: whether the response to a request runs; for request 0, whether any resumed one does. `all`: whether none
    /// runs.
    pub fn settle(&mut self, runs: impl Fn(RequestId) -> bool, all: bool) {
        let settled = self.settled_before.saturating_sub(self.calls.first());
        for streamed in self.calls.iter_mut().skip(settled as usize) {
            if streamed.about == About::Unseen && !runs(streamed.request) {
                streamed.about = About::Nothing;
            }
        }
        if all {
            self.settled_before = self.calls.end();
        }
    }

    /// Drops the oldest entries, as long as their calls are below this one.
    pub fn drop_before(&mut self, before: CallId) {
        let is_over = |about: About| match about {
            About::Unseen => false,
            About::Call(call) => call < before,
            About::Nothing => true,
        };
        let left = self.calls.iter().find(|(_, streamed)| !is_over(streamed.about)).map(|(index, _)| index);
        let left = left.unwrap_or(self.calls.end());
        self.calls.drop_before(left);
        self.latest.retain(|_, &index| index >= left);
    }

    /// The strings that are in use.
    pub fn strings(&self) -> impl Iterator<Item = StringId> {
        let calls = self.calls.iter().flat_map(|(_, streamed)| [streamed.tool, streamed.approval]);
        calls.chain(self.latest.iter().map(|&(id, _)| id))
    }
}
