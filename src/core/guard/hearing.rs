//! What passes by: the chunks of responses, and answers on their way into the messages.

use super::{Guard, Problem, Turn};
use crate::core::call::{Call, CallRef, Digest, Request, Symbol};
use crate::core::decision::{Actor, Author};
use crate::core::ledger::Event;
use crate::core::protocol::Chunk;

/// What the responses have said about a call id.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard {
    /// Calls below this number are older calls with the same id.
    pub freed: CallRef,
    /// The request whose response began the call.
    pub request: Request,
    /// The last chunk.
    pub last: Option<Chunk>,
    /// The approval id that the server asked with.
    pub approval: Symbol,
    /// The output that the server wrote.
    pub output: Digest,
    /// The answer was the server's.
    pub answered: bool,
}

impl Guard {
    pub(super) fn heard(&self, id: Symbol) -> Heard {
        self.heard.get(id).unwrap_or_default()
    }

    /// Has the model answered the output of this call with text? Text of the response that began
    /// the call cannot be an answer to an output that no request has carried, and neither can text
    /// that was there when the call was still open (`vercel/ai` #4652).
    pub(super) fn answered_in_text(&self, id: CallRef) -> bool {
        let Some((call, seen)) = self.call(id).zip(self.seen.get(id as usize)) else { return false };
        let heard = self.heard(call.id);
        let began_here = heard.request != 0 && id >= heard.freed;
        self.step.text && !began_here && seen.open_text != Some(true)
    }
}

impl Turn<'_> {
    pub(super) fn chunk(
        &mut self,
        request: Request,
        kind: Chunk,
        id: Symbol,
        approval: Symbol,
        output: Digest,
    ) {
        let next = self.guard.seen.len() as CallRef;
        let mut heard = self.guard.heard(id);
        let begins = match kind {
            Chunk::InputStart => true,
            Chunk::InputAvailable | Chunk::InputError => {
                heard.request != request || heard.last != Some(Chunk::InputStart)
            }
            _ => false,
        };
        // A resumed response repeats what was there; only a new one can use a call id again.
        if begins && request != 0 {
            heard = Heard { freed: next, request, ..Heard::default() };
        }
        heard.last = Some(kind);
        match kind {
            Chunk::ApprovalRequest => heard.approval = approval,
            Chunk::ApprovalResponse => heard.answered = true,
            Chunk::OutputAvailable | Chunk::OutputError | Chunk::InputError => heard.output = output,
            _ => {}
        }
        self.guard.heard.set(id, heard);
    }

    /// What a chunk settles at once: the response may break before anybody looks at the messages.
    pub(super) fn outcome(&mut self, kind: Chunk, id: Symbol, preliminary: bool) {
        let Some(call) = self.guard.latest.get(id) else { return };
        let Some(&known) = self.guard.call(call).filter(|_| call >= self.guard.heard(id).freed) else {
            return;
        };
        match kind {
            Chunk::OutputDenied if known.denied() && !known.settled => self.note(Event::Settled { call }),
            Chunk::OutputAvailable | Chunk::OutputError
                if known.allowed() && known.output.is_none() && !preliminary =>
            {
                self.note(Event::Output { call, author: Author::Server });
            }
            _ => {}
        }
    }

    pub(super) fn decided(&mut self, approval: Symbol, approved: bool) {
        let calls = &self.guard.state().calls;
        let asks = |call: &Call| call.approval == approval && call.asked && !call.gone;
        let Some(index) = calls.iter().rposition(asks) else {
            self.problem(Problem::UnknownApproval, None);
            return;
        };
        let id = index as CallRef;
        self.out.call = id;
        if calls.get(index).is_some_and(Call::asking) {
            self.note(Event::Answered { call: id, approved, actor: Actor::Person });
        } else {
            self.note(Event::Refused { call: id, approved });
        }
    }
}
