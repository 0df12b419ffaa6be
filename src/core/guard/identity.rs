//! Finds the call of a part, and what the responses have said about it. The tables of
//! [`matching`](crate::core::call::matching) decide.

use super::Guard;
use super::observed::About;
use crate::core::call::evidence::{Candidate, Evidence};
use crate::core::call::matching::{Age, Identity, StreamEvidence, StreamMatch, age, identity, stream_match};
use crate::core::call::{PartFacts, differs};
use crate::core::decision::Author;
use crate::core::id::CallId;

/// The call of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    Same(CallId),
    /// A new one.
    New,
    /// The list may be older than what was seen since, so the part says nothing about its call, if it shows
    /// one.
    Older(Option<CallId>),
}

impl Guard {
    /// Finds the call of a part. Candidates are first the call that this part showed before, then all calls
    /// with the same call id, newest first.
    pub(super) fn find(&self, tracked: Option<CallId>, part: &PartFacts, current: bool) -> Match {
        if let Some((id, evidence)) =
            tracked.and_then(|id| Some((id, self.evidence(id, part, current, true)?)))
        {
            // This comes before the match, because no call begins in an older list.
            if age(&evidence) == Age::Older {
                return Match::Older(None);
            }
            if identity(&evidence) == Identity::Same {
                return Match::Same(id);
            }
        }
        for id in self.with_call_id(part.id) {
            let Some(evidence) = self.evidence(id, part, current, false) else { break };
            if identity(&evidence) == Identity::Same {
                // A call that is gone is back only in a list of the chat, which tells its part once more.
                let is_there = self.call(id).is_some_and(|call| !call.gone());
                let is_older = age(&evidence) == Age::Older;
                return if is_older { Match::Older(is_there.then_some(id)) } else { Match::Same(id) };
            }
        }
        Match::New
    }

    fn evidence(&self, id: CallId, part: &PartFacts, current: bool, tracked: bool) -> Option<Evidence> {
        let (call, seen) = self.known(id)?;
        let newest = self.last_streamed(part.id);
        let successor =
            |id| (id < newest.freed && !self.overlaps(id, newest.request)).then_some(newest.approval);
        let asked = |other: CallId| {
            let it = self.call(other).filter(|it| it.asked() && it.tool() == part.tool);
            it.is_some_and(|it| it.approval() == part.approval) && successor(other) != Some(part.approval)
        };
        let is_question = part.approval.is_some() && call.approval().is_none();
        let candidate = Candidate {
            call,
            last: &seen.part,
            shown: seen.shown,
            missing: seen.missing,
            successor: successor(id),
            tracked,
            asked_by_another: is_question && self.with_call_id(part.id).any(asked),
            repeated: self.responses.is_resumed(),
            page_output: seen.page_output,
        };
        Some(Evidence::new(&candidate, part, current))
    }

    /// Law 16: whether the part has shown this very call under another approval id, and it has run or may have: the server
    /// asks about it again. A call that a response has begun anew is another one.
    pub(super) fn ran_in_place_of(&self, id: CallId, part: &PartFacts) -> bool {
        let begun = self.last_streamed(part.id).freed;
        self.with_call_id(part.id).filter(|&other| other != id && other >= begun).any(|other| {
            let (Some(call), Some(seen)) = (self.call(other), self.seen.get(other)) else { return false };
            call.tool() == part.tool
                && seen.part.place == part.place
                && !differs(seen.part.input, part.input)
                && call.ran_or_may_have()
        })
    }

    /// Law 14: whether the provider has run the call, and has repeated it with its output in a later part.
    pub(super) fn has_result_in_copy(&self, id: CallId) -> bool {
        let Some((call, seen)) = self.known(id).filter(|(_, seen)| seen.part.flags.provider) else {
            return false;
        };
        self.with_call_id(call.id()).filter(|&other| other > id).any(|other| {
            let Some((it, copy)) = self.known(other) else { return false };
            it.tool() == call.tool()
                && !it.gone()
                && copy.part.flags.provider
                && !differs(copy.part.input, seen.part.input)
                && it.output() != Some(Author::Page)
                && copy.part.flags.has_output()
        })
    }

    /// Connects a call that is seen for the first time with what the responses have said about it.
    pub(super) fn bind(&mut self, id: CallId, part: &PartFacts) -> Option<u32> {
        let mut found = None;
        // A server that asks again under another approval id says from then on what happens to the new call.
        let is_new = |call| self.call(call).is_some_and(|call| call.approval() != part.approval);
        for (index, streamed) in self.streamed.of(part.id) {
            let same_approval = part.approval.is_some() && streamed.approval == part.approval;
            let is_passed_on = same_approval && streamed.about.call().is_some_and(is_new);
            let answer = stream_match(&StreamEvidence {
                taken: streamed.about != About::Unseen && !is_passed_on,
                same_approval,
                same_output: part.output != 0 && streamed.output == part.output,
                other_tool: streamed.tool.is_some() && streamed.tool != part.tool,
            });
            if matches!(answer, StreamMatch::Same | StreamMatch::Perhaps) {
                found = Some(index);
            }
            if answer == StreamMatch::Same {
                break;
            }
        }
        if let Some(streamed) = found.and_then(|index| self.streamed.get_mut(index)) {
            let before = std::mem::replace(&mut streamed.about, About::Call(id));
            if let Some(seen) = before.call().and_then(|call| self.seen.get_mut(call)) {
                seen.streamed = None;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::call::matching::IDENTITY;
    use crate::core::call::{Answer, Call, Digest, PartFlags, Place};
    use crate::core::guard::{Fact, Options, Said, Trigger};
    use crate::core::id::{RequestId, StringId};
    use crate::core::protocol::{Chunk, ToolState};

    /// A guard with one call, number 0.
    struct Chat(Guard);

    const CALL: Option<CallId> = Some(CallId(0));

    fn part(state: ToolState, approval: StringId) -> PartFacts {
        let answer = if state == ToolState::ApprovalResponded { Answer::No } else { Answer::Absent };
        let flags = PartFlags { state, answer, ..PartFlags::from_code(0) };
        let output = if state == ToolState::OutputAvailable { 5 } else { 0 };
        let place = Place { message: StringId(100), index: 1, user_turn: 1, step: 1, occurrence: 0 };
        PartFacts {
            place,
            tool: StringId(1),
            server: StringId::NONE,
            id: StringId(10),
            approval,
            flags,
            input: 3,
            edit: 0,
            output,
        }
    }

    fn denied() -> PartFacts {
        part(ToolState::ApprovalResponded, StringId(20))
    }

    fn allowed() -> PartFacts {
        let mut part = denied();
        part.flags.answer = Answer::Yes;
        part
    }

    fn asking() -> PartFacts {
        part(ToolState::ApprovalRequested, StringId(20))
    }

    fn begun() -> PartFacts {
        part(ToolState::InputAvailable, StringId::NONE)
    }

    fn output() -> PartFacts {
        part(ToolState::OutputAvailable, StringId::NONE)
    }

    fn at(mut part: PartFacts, change: impl FnOnce(&mut Place)) -> PartFacts {
        change(&mut part.place);
        part
    }

    fn renamed(part: PartFacts) -> PartFacts {
        at(part, |place| place.message = StringId(200))
    }

    fn copied(part: PartFacts) -> PartFacts {
        at(renamed(part), |place| place.index = 3)
    }

    fn elsewhere(part: PartFacts) -> PartFacts {
        at(part, |place| place.step = 4)
    }

    fn with_input(part: PartFacts, input: Digest) -> PartFacts {
        PartFacts { input, ..part }
    }

    impl Chat {
        fn new(parts: &[PartFacts]) -> Self {
            let mut chat = Self(Guard::new(Options::default()));
            let mut tracked = None;
            for &part in parts {
                tracked = chat.tell(Fact::Part { known: tracked, part, current: true });
                assert_eq!(tracked, CALL, "one call");
            }
            chat
        }

        fn tell(&mut self, fact: Fact) -> Option<CallId> {
            self.0.handle(fact, 0.0).call()
        }

        fn missing(mut self) -> Self {
            self.tell(Fact::Missing(CallId(0)));
            self
        }

        fn gone(self) -> Self {
            let mut chat = self.missing();
            chat.tell(Fact::ScanComplete(Trigger::Submit));
            chat
        }

        /// The page writes the output that later parts show.
        fn written(mut self) -> Self {
            self.tell(Fact::PageOutput { id: StringId(10), output: output().output });
            self
        }

        /// A resumed response runs.
        fn resumed(mut self) -> Self {
            self.tell(Fact::Started(RequestId::NONE));
            self
        }

        /// A resumed response says this about a call with the same call id.
        fn resumed_says(mut self, chunks: &[(Chunk, Said)]) -> Self {
            self.tell(Fact::Started(RequestId::NONE));
            for &(kind, said) in chunks {
                self.tell(Fact::Chunk { request: RequestId::NONE, kind, id: StringId(10), said });
            }
            self
        }

        /// Another call has the same call id, and asks.
        fn another_asks(mut self) -> Self {
            let part = elsewhere(asking());
            assert_eq!(self.tell(Fact::Part { known: None, part, current: true }), Some(CallId(1)));
            self
        }

        /// A new response begins a call with the same call id.
        fn freed(mut self) -> Self {
            self.tell(Fact::Chunk {
                request: RequestId(7),
                kind: Chunk::InputStart,
                id: StringId(10),
                said: Said::default(),
            });
            self
        }

        /// That call asks with the same approval id.
        fn asked_again(self) -> Self {
            let mut chat = self.freed();
            let said = Said { approval: StringId(20), ..Said::default() };
            chat.tell(Fact::Chunk {
                request: RequestId(7),
                kind: Chunk::ApprovalRequest,
                id: StringId(10),
                said,
            });
            chat
        }
    }

    /// One story for each row of the table: what happened, the call that the part showed before, and the
    /// part.
    fn stories() -> Vec<(Chat, Option<CallId>, PartFacts)> {
        let other_tool = PartFacts { tool: StringId(2), ..begun() };
        vec![
            (Chat::new(&[begun()]), CALL, other_tool),
            (Chat::new(&[asking()]).freed(), CALL, asking()),
            (Chat::new(&[asking()]), None, part(ToolState::ApprovalRequested, StringId(21))),
            (Chat::new(&[begun()]).another_asks(), CALL, asking()),
            (Chat::new(&[asking()]), None, elsewhere(with_input(asking(), 9))),
            (Chat::new(&[asking(), denied()]), None, with_input(output(), 9)),
            (Chat::new(&[output()]).freed(), None, begun()),
            (Chat::new(&[begun()]).freed(), CALL, asking()),
            (Chat::new(&[asking()]).asked_again(), CALL, with_input(allowed(), 9)),
            (Chat::new(&[begun()]), CALL, asking()),
            (Chat::new(&[asking()]).gone().asked_again(), None, asking()),
            (Chat::new(&[output()]).freed(), None, copied(output())),
            (
                Chat::new(&[asking(), denied()]).asked_again(),
                None,
                PartFacts {
                    flags: PartFlags { state: ToolState::OutputDenied, ..denied().flags },
                    ..denied()
                },
            ),
            (Chat::new(&[begun()]).freed(), None, output()),
            (Chat::new(&[begun()]).missing().freed(), None, renamed(output())),
            (Chat::new(&[begun()]).freed(), None, copied(output())),
            (Chat::new(&[output()]).resumed(), None, copied(begun())),
            (Chat::new(&[asking(), allowed(), output()]).gone(), None, begun()),
            (Chat::new(&[output()]).missing(), None, renamed(begun())),
            (Chat::new(&[asking(), denied()]).gone(), None, elsewhere(output())),
            (Chat::new(&[asking()]).gone(), None, output()),
            (Chat::new(&[output()]).gone(), None, with_input(output(), 9)),
            (Chat::new(&[begun()]), None, at(output(), |place| place.user_turn = 2)),
            (Chat::new(&[begun()]).missing(), None, renamed(output())),
            (Chat::new(&[asking(), allowed()]).missing(), None, renamed(with_input(output(), 9))),
            (Chat::new(&[begun()]).missing(), None, elsewhere(asking())),
            (Chat::new(&[output()]), None, copied(output())),
            (Chat::new(&[asking(), denied()]), None, copied(output())),
            (Chat::new(&[output()]), None, copied(denied())),
            (Chat::new(&[asking(), denied()]).written(), None, elsewhere(output())),
            (Chat::new(&[begun()]), None, elsewhere(output())),
        ]
    }

    #[test]
    fn each_row_decides_a_story() {
        let stories = stories();
        assert_eq!(stories.len(), IDENTITY.len());
        for ((chat, tracked, part), row) in stories.into_iter().zip(IDENTITY) {
            let evidence = chat.0.evidence(CallId(0), &part, true, tracked.is_some()).expect("a candidate");
            let decides = IDENTITY.iter().find(|row| (row.fits)(&evidence)).map(|row| row.why);
            assert_eq!(decides, Some(row.why), "{evidence:?}");
            let found = match row.answer {
                Identity::Same => Match::Same(CallId(0)),
                Identity::Another if evidence.asked_by_another => Match::Same(CallId(1)),
                Identity::Another => Match::New,
            };
            assert_eq!(chat.0.find(tracked, &part, true), found, "{}", row.why);
        }
    }

    /// Another tab has begun this response. It may use a call id again of which it knows nothing.
    #[test]
    fn law_5_a_resumed_response_allows_only_the_call_that_it_is_about() {
        let output = (Chunk::OutputAvailable, Said { content: 5, ..Said::default() });
        let begins = |tool| (Chunk::InputAvailable, Said { tool: StringId(tool), ..Said::default() });
        let asks =
            |approval| (Chunk::ApprovalRequest, Said { approval: StringId(approval), ..Said::default() });
        let stories: [(&[_], bool); 5] = [
            (&[output], true),
            (&[begins(1), asks(20), output], true),
            (&[begins(2), output], false),
            (&[begins(2), asks(21), output], false),
            (&[begins(1), asks(21), output], false),
        ];
        for (chunks, allowed) in stories {
            let chat = Chat::new(&[asking()]).resumed_says(chunks);
            let is_allowed = chat.0.call(CallId(0)).is_some_and(Call::allowed);
            assert_eq!(is_allowed, allowed, "{chunks:?}");
        }
    }

    /// The part has moved, so nothing says which call it showed before.
    #[test]
    fn law_2_an_older_list_with_another_output_is_no_news_wherever_it_shows_it() {
        let mut chat = Chat::new(&[begun(), output()]);
        chat.tell(Fact::Send { chat: StringId::NONE, trigger: Trigger::Submit, continues: false });
        let older = PartFacts { output: 7, ..output() };
        for (tracked, answer) in [(CALL, None), (None, CALL)] {
            let entries = chat.0.length();
            let shown = chat.tell(Fact::Part { known: tracked, part: older, current: false });
            assert_eq!((shown, chat.0.length()), (answer, entries));
            assert!(!chat.0.call(CallId(0)).is_some_and(Call::fresh_output));
        }
    }

    #[test]
    fn law_4_a_copy_of_a_settled_denial_without_its_approval_and_with_another_input_is_another_call() {
        let settled = |approval| with_input(part(ToolState::OutputDenied, approval), 9);
        let chat = Chat::new(&[asking(), denied(), settled(StringId(20))]);
        assert_eq!(chat.0.find(None, &copied(settled(StringId(20))), true), Match::Same(CallId(0)));
        assert_eq!(chat.0.find(None, &copied(settled(StringId::NONE)), true), Match::New);
    }
}
