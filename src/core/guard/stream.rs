//! The chunks of responses, and answers on their way into the messages.

use super::observed::{NO_CALL, StreamedCall};
use super::{Guard, Problem, Said, Transaction};
use crate::core::call::Call;
use crate::core::decision::{Actor, Author};
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, RequestId, StringId};
use crate::core::protocol::Chunk;

impl Guard {
    /// What was last heard about a call id.
    pub(super) fn last_streamed(&self, id: StringId) -> Option<StreamedCall> {
        let index = self.last_streamed.get(&id)?;
        self.streamed.get(*index).copied()
    }

    /// What was heard about a call.
    pub(super) fn streamed(&self, id: CallId) -> StreamedCall {
        let index = self.seen.get(id).and_then(|seen| seen.streamed);
        index.and_then(|index| self.streamed.get(index)).copied().unwrap_or_default()
    }

    /// The author of something that is seen for the first time.
    pub(super) fn writer(&self) -> Actor {
        if self.hydrating { Actor::History } else { Actor::Server }
    }

    /// The author of an answer that the messages show.
    pub(super) fn answerer(&self, id: CallId) -> Actor {
        if !self.hydrating && self.streamed(id).answer.is_none() { Actor::Person } else { self.writer() }
    }

    /// The actor who put another input, or an earlier state, in the place of a call: the server while a
    /// response about the call is running, otherwise the page. It is never a person.
    pub(super) fn changer(&self, id: CallId) -> Actor {
        let streamed = self.streamed(id);
        // A resumed response has no number, and its end is not known.
        let passes = streamed.request.is_none() || self.state().running.contains(&streamed.request);
        let told = streamed.last.is_some() && passes;
        if told || self.hydrating { self.writer() } else { Actor::Application }
    }

    /// Settles what was heard, after a scan of the whole list: a call of a response that has ended, of which
    /// no part was seen, has nothing to do with later calls.
    pub(super) fn settle_stream(&mut self) {
        let running = &self.ledger.state().running;
        let first = self.streamed.first();
        let unheard =
            self.streamed.iter_mut().skip(self.stream_settled_before.saturating_sub(first) as usize);
        for streamed in unheard {
            if streamed.call.is_none() && !running.contains(&streamed.request) {
                streamed.call = Some(NO_CALL);
            }
        }
        if running.is_empty() {
            self.stream_settled_before = self.streamed.end();
        }
    }

    /// Whether the model has answered the output of this call in text. Text of the response that began the
    /// call cannot answer an output that no request has carried, and neither can text that was there while
    /// the call was still open (`vercel/ai` #4652).
    pub(super) fn answered_in_text(&self, id: CallId) -> bool {
        let Some(seen) = self.seen.get(id) else { return false };
        self.step.text && !self.streamed(id).began && seen.open_text != Some(true)
    }
}

impl Transaction<'_> {
    pub(super) fn chunk(&mut self, request: RequestId, kind: Chunk, id: StringId, said: Said) {
        let guard = &mut *self.guard;
        let last = guard.last_streamed(id);
        let begins = match kind {
            Chunk::InputStart => true,
            Chunk::InputAvailable | Chunk::InputError => {
                last.is_none_or(|last| last.request != request || last.last != Some(Chunk::InputStart))
            }
            _ => false,
        };
        // A resumed response repeats earlier chunks; only a new one can use a call id again.
        let again = begins && request.is_some();
        if again || last.is_none() {
            let index = guard.streamed.end();
            let call = guard.with_call_id(id).next().filter(|_| !again);
            let began = begins && call.is_none();
            if let Some(seen) = call.and_then(|call| guard.seen.get_mut(call)) {
                seen.streamed = Some(index);
            }
            let (freed, request) = if again { (guard.seen.end(), request) } else { Default::default() };
            let previous = guard.last_streamed.get(&id).copied();
            guard.streamed.push(StreamedCall {
                call,
                previous,
                freed,
                request,
                began,
                ..StreamedCall::default()
            });
            guard.last_streamed.insert(id, index);
        }
        let index = guard.last_streamed.get(&id).copied().unwrap_or_default();
        let Some(streamed) = guard.streamed.get_mut(index) else { return };
        streamed.last = Some(kind);
        match kind {
            Chunk::ApprovalRequest => streamed.approval = said.approval,
            Chunk::ApprovalResponse => streamed.answer = said.approved,
            Chunk::OutputAvailable | Chunk::OutputError | Chunk::InputError => streamed.output = said.output,
            _ => {}
        }
        self.outcome(kind, id, said.preliminary);
    }

    /// Applies what a chunk settles at once: the response may fail before the next scan of the messages.
    fn outcome(&mut self, kind: Chunk, id: StringId, preliminary: bool) {
        let Some(call) = self.guard.last_streamed(id).and_then(|streamed| streamed.call) else { return };
        let Some(&known) = self.guard.call(call) else { return };
        match kind {
            Chunk::OutputDenied if known.denied() && !known.settled() => {
                self.append(Event::on(call, EventKind::Settled, Actor::Server));
            }
            Chunk::OutputAvailable | Chunk::OutputError
                if known.allowed() && known.output().is_none() && !preliminary =>
            {
                self.append(Event::put_out(call, EventKind::Output, Author::Server));
            }
            _ => {}
        }
    }

    pub(super) fn decided(&mut self, approval: StringId, approved: bool) {
        let calls = &self.guard.state().calls;
        let asks = |call: &Call| call.approval() == approval && call.asked() && !call.gone();
        let Some(id) = calls.iter().rfind(|(_, call)| asks(call)).map(|(id, _)| id) else {
            self.problem(Problem::UnknownApproval, None);
            return;
        };
        self.out.call = Some(id);
        if self.guard.call(id).is_some_and(Call::asking) {
            self.answered_directly(id, approved);
            if let Some(seen) = self.guard.seen.get_mut(id) {
                seen.stands = true;
            }
        } else {
            self.refused(Some(id), approved);
        }
    }
}
