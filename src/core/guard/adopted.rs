//! The word of a list from the server: answers, outputs and settled denials. Where such a part is read, it is
//! believed over what the page remembers (law 17).

use super::{Guard, Transaction};
use crate::core::call::{Answer, Call, Delivery, Digest, PartFacts, PartFlags};
use crate::core::decision::{Actor, Author, Decision};
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, StringId};
use crate::core::protocol::ToolState;

impl PartFacts {
    /// Whether it says that something has happened to its call. That a call asks is nothing that has happened.
    fn tells(&self) -> bool {
        match self.flags.state {
            ToolState::ApprovalResponded => matches!(self.flags.answer, Answer::Yes | Answer::No),
            state => state.has_result() && !self.flags.preliminary,
        }
    }

    /// Whether both show the same call, in the same way. The server may have another id for the message.
    fn shows_as(&self, other: &Self) -> bool {
        Self { place: other.place, server: other.server, ..*self } == *other
    }
}

impl Guard {
    /// Whether the last list that was adopted has this part.
    pub(super) fn is_adopted(&self, part: &PartFacts) -> bool {
        self.list.adopted.iter().any(|adopted| adopted.shows_as(part))
    }

    /// Whether a part has the result of a call as a list from the server has it: it leaves as it came.
    pub(super) fn is_as_adopted(&self, id: CallId, flags: PartFlags, approval: StringId) -> bool {
        let is_result =
            flags.has_output() && self.call(id).is_some_and(|call| call.output() == Some(Author::Server));
        let shows =
            |part: &PartFacts| (part.flags, part.approval) == (flags, approval) && self.is_adopted(part);
        is_result && self.seen.get(id).is_some_and(|seen| shows(&seen.part))
    }
}

impl Transaction<'_> {
    /// Takes a list from the server: what its parts say happened counts where they are read next.
    pub(super) fn adopt(&mut self, messages: Vec<(StringId, Digest)>, parts: Vec<PartFacts>) {
        self.guard.list.adopted = parts.into_iter().filter(PartFacts::tells).collect();
        let deliveries = &mut self.guard.deliveries;
        for (message, content) in messages {
            deliveries.messages.insert(message, Some(content));
        }
        deliveries.accepted = true;
    }

    /// Whether the server says that a call has run whose denial it never had: somebody else has allowed it, as a list of
    /// the server's or its response says. A denial that has left stands (law 4), unless it only says that the user has
    /// moved on.
    pub(super) fn ran_undenied(&self, call: &Call, part: &PartFacts) -> bool {
        let is_here = matches!(call.delivery(), Delivery::Unsent | Delivery::Failed);
        let says_moved_on = call.decision().is_some_and(|denial| denial.actor == Actor::Superseded);
        let gives_way = call.denied() && (is_here || says_moved_on);
        let is_known = self.guard.is_adopted(part) || self.guard.heard_answer(part) == Some(true);
        gives_way && part.flags.answer != Answer::No && is_known
    }

    /// The call has run, and nobody has allowed it here: the server has run it, or an earlier page knows how it ran. `edit`:
    /// the changed input that the part shows.
    pub(super) fn ran_elsewhere(&mut self, id: CallId, actor: Actor, edit: Digest) {
        let decision = Decision { edit, ..Decision::new(true, actor) };
        self.append(Event::answer(id, EventKind::Answered, decision));
        self.append(Event::put_out(id, EventKind::Output, Author::of(actor)));
    }

    /// An answer or output of this page that has not left is known to the server.
    pub(super) fn confirmed(&mut self, id: CallId, part: PartFacts) {
        if !self.guard.is_adopted(&part) {
            return;
        }
        let says = self.guard.says(self.guard.call(id), part.flags, part.output);
        self.guard.deliveries.calls.insert(id, says);
        let Some((&call, seen)) = self.guard.known(id) else { return };
        let is_latest = seen.outputs.last() == Some(&part.output);
        let shows = match part.flags.state {
            ToolState::ApprovalResponded => Some(part.flags.answer == Answer::Yes),
            ToolState::OutputDenied => Some(false),
            _ => None,
        };
        if part.flags.has_output()
            && part.flags.answer == Answer::Yes
            && call.allowed()
            && call.edit() != part.edit
        {
            // It has run with another input.
            let decision = Decision { edit: part.edit, ..Decision::new(true, Actor::Server) };
            self.append(Event { actor: Actor::Server, ..Event::answer(id, EventKind::Answered, decision) });
        }
        let same = call.decision().filter(|decision| Some(decision.approved) == shows);
        if let Some(decision) = same.filter(|_| call.fresh_answer()) {
            // The server has another input first.
            let is_other = decision.approved && decision.edit != part.edit;
            let own = Decision { edit: part.edit, ..Decision::new(true, Actor::Server) };
            let decision = if is_other { own } else { decision };
            let answer = Event::answer(id, EventKind::Answered, decision);
            self.append(Event { actor: Actor::Server, ..answer });
        } else if call.fresh_output() && part.flags.has_output() && is_latest {
            self.append(Event::put_out(id, EventKind::Output, Author::Server));
        }
    }
}
