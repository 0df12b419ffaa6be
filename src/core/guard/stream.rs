//! The chunks of responses, and answers on their way into the messages.

use super::observed::{About, Seen, StreamedCall};
use super::{Guard, Problem, Returned, Said, Transaction};
use crate::core::call::evidence::Input;
use crate::core::call::{Call, Digest, PartFacts, PartFlags};
use crate::core::decision::{Actor, Author};
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, RequestId, StringId};
use crate::core::protocol::{Chunk, ToolState};

impl Guard {
    /// The latest call that was heard of under a call id.
    pub(super) fn last_streamed(&self, id: StringId) -> StreamedCall {
        self.streamed.of(id).next().map(|(_, streamed)| *streamed).unwrap_or_default()
    }

    /// The index of what was heard about the call that a chunk of this request is about: of the call that its response has
    /// begun, or else of the one that it has carried, or of the latest one that is no other response's. Responses may overlap
    /// and use the same call id.
    fn heard_by(&self, request: RequestId, id: StringId) -> Option<u32> {
        let all = || self.streamed.of(id);
        let own = || all().find(|(_, streamed)| streamed.request == request);
        let is_carried = |call: CallId| self.call(call).is_some_and(|call| call.was_sent_with(request));
        let carried = || all().find(|(_, streamed)| streamed.about.call().is_some_and(is_carried));
        let free = || all().find(|(_, it)| it.request.is_none() || !self.responses.runs(it.request));
        // A resumed response repeats what is the latest.
        let found = if request.is_none() { None } else { own().or_else(carried).or_else(free) };
        found.or_else(|| all().next()).map(|(index, _)| index)
    }

    /// Whether a call is in a response that has not ended, while the one of this request has begun another call with the
    /// same call id.
    pub(super) fn overlaps(&self, id: CallId, request: RequestId) -> bool {
        let own = self.streamed(id).request;
        own != request && own.is_some() && self.responses.runs(own)
    }

    /// Whether a call of this tool with this input was seen or heard of under a call id. The tool is 0 if it is not
    /// named, the input if it is not complete.
    fn is_known(&self, id: StringId, tool: StringId, input: Digest) -> bool {
        let has_input = |call: &Call, seen: &Seen| {
            let flags = PartFlags { state: ToolState::InputAvailable, ..seen.part.flags };
            input == 0 || seen.input(call, &PartFacts { input, flags, ..seen.part }) != Input::Different
        };
        let is_it = |call: CallId| {
            self.known(call).is_some_and(|(call, seen)| call.tool() == tool && has_input(call, seen))
        };
        // Of a call of which no part was seen, only the tool is known.
        let is_unseen =
            |streamed: &StreamedCall| streamed.about.call().is_none_or(|call| self.call(call).is_none());
        tool.is_none()
            || self.streamed.of(id).any(|(_, streamed)| streamed.tool == tool && is_unseen(streamed))
            || self.with_call_id(id).any(is_it)
    }

    /// A call as it was heard of.
    pub(super) fn streamed(&self, id: CallId) -> StreamedCall {
        let index = self.seen.get(id).and_then(|seen| seen.streamed);
        index.and_then(|index| self.streamed.get(index)).copied().unwrap_or_default()
    }

    /// Whether a response has said this output about a call id. The call may have been removed meanwhile, and be seen as
    /// a new one when its response brings it back.
    pub(super) fn heard_output(&self, id: StringId, output: Digest) -> bool {
        self.streamed.of(id).any(|(_, streamed)| streamed.output == output)
    }

    /// The answer that a response has told to the question of a part. The call may have been removed meanwhile, and be
    /// seen as a new one when its response brings it back.
    pub(super) fn heard_answer(&self, part: &PartFacts) -> Option<bool> {
        let mut heard = self.streamed.of(part.id).filter(|(_, streamed)| streamed.approval == part.approval);
        heard.find_map(|(_, streamed)| streamed.answer)
    }

    /// Settles what was heard, after a scan of the whole list.
    pub(super) fn settle_stream(&mut self) {
        self.streamed.settle(|request| self.responses.runs(request), !self.responses.any());
    }

    /// Whether the model has answered the output of this call in text. Text of the response that began the call cannot
    /// answer an output that no request has carried. Neither can text that was there while the call was still open
    /// (`vercel/ai` #4652).
    pub(super) fn answered_in_text(&self, id: CallId) -> bool {
        let Some(seen) = self.seen.get(id) else { return false };
        self.list.step.text && !self.streamed(id).began && seen.open_text != Some(true)
    }
}

impl Transaction<'_> {
    pub(super) fn chunk(&mut self, request: RequestId, kind: Chunk, id: StringId, said: Said) {
        let guard = &mut *self.guard;
        let mut heard = guard.heard_by(request, id);
        let begins = match kind {
            // A resumed response repeats earlier chunks. Only one about another tool or input uses a call id again.
            Chunk::InputStart | Chunk::InputAvailable | Chunk::InputError if request.is_none() => {
                let input = if kind == Chunk::InputAvailable { said.content } else { 0 };
                !guard.is_known(id, said.tool, input)
            }
            Chunk::InputStart => true,
            Chunk::InputAvailable | Chunk::InputError => heard
                .and_then(|index| guard.streamed.get(index))
                .is_none_or(|heard| heard.request != request || heard.last != Some(Chunk::InputStart)),
            _ => false,
        };
        if begins || heard.is_none() {
            let index = guard.streamed.end();
            let call = guard.with_call_id(id).next().filter(|_| !begins);
            if let Some(seen) = call.and_then(|call| guard.seen.get_mut(call)) {
                seen.streamed = Some(index);
            }
            let (freed, request) = if begins { (guard.seen.end(), request) } else { Default::default() };
            let about = call.map_or(About::Unseen, About::Call);
            let streamed = StreamedCall { about, freed, request, began: begins, ..StreamedCall::default() };
            guard.streamed.push(id, streamed);
            heard = Some(index);
        }
        let Some(streamed) = heard.and_then(|index| guard.streamed.get_mut(index)) else { return };
        streamed.last = Some(kind);
        if said.tool.is_some() {
            streamed.tool = said.tool;
        }
        match kind {
            Chunk::ApprovalRequest => {
                // It asks again, so what it has said to its earlier question is over.
                streamed.answer = streamed.answer.filter(|_| streamed.approval == said.approval);
                streamed.approval = said.approval;
                streamed.replayed = request.is_none();
            }
            Chunk::ApprovalResponse => streamed.answer = said.approved,
            Chunk::OutputAvailable | Chunk::OutputError | Chunk::InputError => streamed.output = said.content,
            _ => {}
        }
        let streamed = *streamed;
        self.outcome(request, kind, streamed, said);
    }

    /// Applies what a chunk settles at once: the response may fail before the next scan of the messages.
    fn outcome(&mut self, request: RequestId, kind: Chunk, streamed: StreamedCall, said: Said) {
        let Some(call) = streamed.about.call() else { return };
        let Some(&known) = self.guard.call(call) else { return };
        match kind {
            // The server did not accept the answer that this request has carried. A denial stands (law 4).
            Chunk::ApprovalRequest
                if request.is_some() && known.carried_by(request) && known.approval() == said.approval =>
            {
                let shown = self.guard.seen.get(call).map_or(0, |seen| seen.shown);
                let input = if known.asked() { known.input() } else { shown };
                let asked = Event::asked(call, said.approval, input, Actor::Server);
                self.append(Event { request, ..asked });
            }
            Chunk::OutputDenied if known.denied() && !known.denial_settled() => {
                self.append(Event::on(call, EventKind::Settled, Actor::Server));
            }
            Chunk::OutputAvailable | Chunk::OutputError
                if known.allowed() && known.output().is_none() && !said.preliminary =>
            {
                self.append(Event::put_out(call, EventKind::Output, Author::Server));
            }
            // A resumed response is about a call that was allowed elsewhere, or by an earlier page. The chat may never show it.
            Chunk::OutputAvailable | Chunk::OutputError
                if request.is_none()
                    && known.asking()
                    && !said.preliminary
                    && [StringId::NONE, known.approval()].contains(&streamed.approval)
                    && self.guard.with_call_id(known.id()).eq([call]) =>
            {
                self.ran_elsewhere(call, Actor::Server, 0);
            }
            _ => {}
        }
    }

    pub(super) fn answered_in_chat(&mut self, approval: StringId, approved: bool) {
        let calls = &self.guard.state().calls;
        let asks = |call: &Call| call.approval() == approval && call.asked() && !call.gone();
        let Some(id) = calls.iter().rfind(|(_, call)| asks(call)).map(|(id, _)| id) else {
            self.returns(Returned::Answered(None));
            return self.problem(Problem::UnknownApproval, None);
        };
        if self.guard.call(id).is_some_and(Call::asking) {
            self.answered_directly(id, approved);
            self.fix_answer(id, true);
        } else {
            self.refused(Some(id), approved);
        }
        let counts = self.out.problems.is_empty();
        self.returns(Returned::Answered(counts.then_some(id)));
    }
}
