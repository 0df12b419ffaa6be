//! What the record knows of a call that is seen again: an answer of an earlier page, a draft that was left
//! there, or what another tab has answered. It takes nothing away that a person has said here, and a
//! yes counts only for the call and the input for which it was given.

use super::Transaction;
use crate::core::call::{Call, Delivery};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Author, Decision};
use crate::core::event::{Detail, Event, EventKind};
use crate::core::grant::{Cover, Fingerprint};
use crate::core::id::{CallId, GrantId, RequestId, StringId};

vocabulary! {
    /// How far an answer had come when the record heard of it last.
    Reach {
        /// No request carries it.
        Unsent = "unsent",
        /// The server refused the request that carried it, or never saw it.
        Failed = "failed",
        /// A request went out with it, and its response has not ended: the page may have been closed.
        Sent = "sent",
        /// The response to that request has ended.
        Ended = "ended",
    }
}

/// What the record knows of a call. Who asks it has compared the approval id, the call id and the tool.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its approval id, which its part may have lost (C69).
    pub approval: StringId,
    /// The answer, or the draft, that a person or somebody else has given.
    pub approved: Option<bool>,
    /// Who.
    pub actor: Actor,
    /// It was not committed.
    pub draft: bool,
    /// How far it has come.
    pub reach: Reach,
    /// It has its result, or its denial was taken.
    pub settled: bool,
    /// The input is the one for which it was given.
    pub same_input: bool,
    /// An answer was taken back, and no page has given another one.
    pub taken_back: bool,
    /// The page that gave it is another one, and lives.
    pub elsewhere: bool,
    /// How long the call has waited, until now.
    pub waited: Time,
    /// What is left of its time.
    pub left: Option<Time>,
}

impl Known {
    /// The answer, as this page takes it.
    fn decision(&self, approved: bool) -> Decision {
        let actor = if self.elsewhere { Actor::Tab } else { self.actor };
        Decision::new(approved, actor)
    }

    /// How far it is on its way, seen from this page.
    fn delivery(&self, approved: bool) -> Delivery {
        match self.reach {
            _ if self.elsewhere => Delivery::Idle,
            Reach::Unsent => Delivery::History,
            // Whoever sends it is another page, whose responses this one does not hear.
            Reach::Ended => Delivery::Delivered(RequestId::NONE),
            _ if self.settled => Delivery::Delivered(RequestId::NONE),
            Reach::Sent if approved => Delivery::Doubt,
            // A denial that is said twice does no harm.
            Reach::Failed | Reach::Sent => Delivery::Failed,
        }
    }
}

/// Whether it is a yes that only the messages show, without a result.
fn is_seen_only(call: &Call) -> bool {
    call.decision() == Some(Decision::new(true, Actor::History)) && call.output().is_none()
}

impl Transaction<'_> {
    /// The record knows a call that was just seen.
    pub(super) fn recall(&mut self, id: CallId, known: Known) {
        let Some(&call) = self.guard.call(id) else { return };
        if call.gone() {
            return;
        }
        self.waited(id, call, known);
        let stands = known.same_input && !known.taken_back;
        if !stands && known.approved != Some(false) && !known.elsewhere && is_seen_only(&call) {
            // The messages show a yes that was taken back, or beside an input that nobody was asked about.
            self.append(Event::on(id, EventKind::Voided, Actor::History));
        }
        match known.approved {
            Some(approved) if known.draft => self.recall_draft(id, approved, known),
            Some(approved) => self.recall_answer(id, approved, known),
            None => self.ask_as_before(id, known.approval),
        }
    }

    /// What a call had waited before this page saw it, and what is left of its time: said once of a question,
    /// for a person may give it more time since.
    fn waited(&mut self, id: CallId, call: Call, known: Known) {
        let Some(question) = call.question().filter(|_| call.decision().is_none()) else { return };
        if question.waited_before.is_some() {
            return;
        }
        let before = known.waited.saturating_sub(self.time.saturating_sub(question.since));
        self.guard.timed |= known.left.is_some();
        self.append(Event {
            detail: Detail::Waited { before, left: known.left },
            ..Event::on(id, EventKind::Waited, Actor::History)
        });
    }

    /// The part has lost its question (C69): it is the one that the server asked, or there is none.
    fn ask_as_before(&mut self, id: CallId, approval: StringId) {
        let Some(call) = self.guard.call(id) else { return };
        let lost = !call.asked()
            && call.approval().is_none()
            && call.decision().is_none()
            && call.output().is_none();
        if lost && approval.is_some() && self.guard.begins(id) {
            let input = self.guard.seen.get(id).map_or(0, |seen| seen.part.input);
            self.append(Event::asked(id, approval, input, Actor::History));
            self.append(Event::on(id, EventKind::Lost, Actor::History));
        }
    }

    fn recall_answer(&mut self, id: CallId, approved: bool, known: Known) {
        let Some(&call) = self.guard.call(id) else { return };
        // What another tab has sent is not taken back by a draft: the first answer wins.
        let is_out = known.elsewhere && matches!(known.reach, Reach::Sent | Reach::Ended);
        let drafted = call.draft().is_some_and(|draft| !draft.decision.approved);
        let denied = call.denied() || (drafted && !is_out);
        if approved && (denied || !known.same_input || self.is_doubtful(id)) {
            return self.ask_as_before(id, known.approval); // a denial stands, and so does a changed input
        }
        // What this page has sent needs nobody who remembers.
        let is_open = matches!(call.delivery(), Delivery::Idle | Delivery::History | Delivery::Unsent);
        let over = call.decision().is_some() && !is_open && !call.from_record();
        let decision = known.decision(approved);
        let delivery = known.delivery(approved);
        // What was on its way from an older guard has arrived.
        let arrived = call.from_record() && call.delivery() == Delivery::Doubt && known.reach == Reach::Ended;
        let progress = call.output().is_some() || call.delivery() == delivery || !(is_open || arrived);
        let same = call.decision() == Some(decision) && call.elsewhere() == known.elsewhere && progress;
        if over || same || (approved && call.output() == Some(Author::Page)) {
            return;
        }
        self.ask_as_before(id, known.approval);
        let Known { settled, elsewhere, .. } = known;
        let settled =
            settled || (!approved && !elsewhere && delivery == Delivery::Delivered(RequestId::NONE));
        let kind = if elsewhere { EventKind::Elsewhere } else { EventKind::Recalled };
        self.append(Event::restored(id, kind, decision, delivery, settled));
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.stands = true;
        }
    }

    /// A draft is put back as it was, and nothing commits it until a person acts. One of another tab that
    /// denies takes the place of an allowance that is about to be committed (law 7).
    fn recall_draft(&mut self, id: CallId, approved: bool, known: Known) {
        self.ask_as_before(id, known.approval);
        if !approved && !known.elsewhere && self.guard.call(id).is_some_and(is_seen_only) {
            // A drafted denial stands against a yes that was only written.
            self.append(Event::on(id, EventKind::Voided, Actor::History));
        }
        let Some(&call) = self.guard.call(id) else { return };
        let open = call.asking() && !self.guard.begins(id);
        let free = if known.elsewhere {
            !approved && call.draft().is_some_and(|draft| draft.decision.approved)
        } else {
            // Once: it may have been taken back since.
            let again = self.guard.seen.get(id).is_some_and(|seen| seen.redrafted);
            !again && call.draft().is_none() && (!approved || (known.same_input && !self.is_doubtful(id)))
        };
        if !open || !free {
            return;
        }
        let actor = if known.elsewhere { Actor::Tab } else { Actor::History };
        if call.draft().is_some() {
            self.append(Event::undone(id, GrantId::NONE, actor));
        }
        self.append(Event { actor, ..Event::answer(id, EventKind::Drafted, known.decision(approved)) });
        if !known.elsewhere {
            self.guard.auto_commit_paused = true;
            if let Some(seen) = self.guard.seen.get_mut(id) {
                seen.redrafted = true;
            }
        }
    }

    /// An allowance of the record is no answer where two calls share it, or where rules deny by now.
    fn is_doubtful(&self, id: CallId) -> bool {
        self.guard.shares_approval(id) || self.guard.call(id).is_some_and(Call::denied_by_rule)
    }

    /// A grant of an earlier page holds again.
    pub(super) fn regrant(&mut self, tool: StringId, approved: bool, cover: Cover, lifetime: Option<Time>) {
        let grant = self.guard.state().last_grant().next();
        let until = lifetime.map(|lifetime| self.time.saturating_add(lifetime));
        if matches!(cover, Cover::Fields(_, print) if print == Fingerprint::MIN) {
            return;
        }
        self.guard.timed |= until.is_some();
        self.append(Event::grant_restored(grant, tool, approved, cover, until));
        self.out.grant = grant;
    }
}
