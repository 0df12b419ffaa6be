//! What a person decides: drafts, undo, commit, grants; and what time decides.

use super::{Guard, Problem, Turn};
use crate::core::batch::{Batch, Phase};
use crate::core::call::{CallRef, Facts, Symbol};
use crate::core::decision::{Actor, Choice, Decision, GrantRef, Refusal};
use crate::core::grants::{self, Cover, Grant, Print};
use crate::core::ledger::Event;
use crate::core::time::Time;

/// What a choice that lasts is to cover, before its fingerprint is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Every call of the tool.
    Tool,
    /// Calls with the same values in these fields, or for 0 with the same input.
    Fields(Symbol),
}

/// What became of a decision, an undo, or a commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Taken {
    /// It happened, to the calls of [`Effects::calls`](super::Effects::calls).
    #[default]
    Done,
    /// A denial of what had expired was counted as a person's.
    Counted,
    /// Nothing changed.
    Refused(Refusal),
    /// A call of the batch waits.
    Waiting,
    /// The response that asked has not ended.
    Responding,
    /// There is nothing to commit.
    Nothing,
}

impl Guard {
    /// The calls that are decided together now.
    pub fn batch(&self) -> Batch {
        let batch = Batch::of(self.state(), &self.step, &self.options.pace);
        if self.held && batch.undoable { Batch { due: None, ..batch } } else { batch }
    }

    /// When the guard wants to be woken: the time until then.
    pub fn wake_in(&self) -> Option<Time> {
        let now = self.clock.time();
        let pace = &self.options.pace;
        let calls = self.state().live.iter().filter_map(|&id| self.call(id)).filter(|call| !call.gone);
        let open = calls.filter(|call| call.asking() && call.answer().is_none_or(|a| a.approved));
        let ends = open.filter_map(|call| {
            let deadline = call.deadline?;
            Some(if call.warned { deadline } else { deadline.saturating_sub(pace.warn) })
        });
        let grants = self.state().grants.iter().filter(|grant| !grant.ended);
        let over = grants.filter_map(|grant| grant.until);
        let due = self.batch().due.filter(|_| self.state().running.is_empty());
        // What is due already and still there waits for somebody, not for time.
        let due = due.filter(|&due| due > now);
        ends.chain(over).chain(due).min().map(|time| time.saturating_sub(now))
    }

    /// The fields, or 0 for the whole input, whose fingerprints the grants of the tool of a call ask
    /// for, and that are not known.
    pub fn wanted(&self, id: CallRef) -> Vec<Symbol> {
        let Some(call) = self.call(id) else { return Vec::new() };
        let grants = self.state().grants.iter().filter(|grant| !grant.ended && grant.tool == call.tool);
        let mut wanted: Vec<Symbol> = Vec::new();
        for grant in grants {
            if let Cover::Fields(fields, _) = grant.cover
                && !wanted.contains(&fields)
                && !self.prints(id).iter().any(|&(known, _)| known == fields)
            {
                wanted.push(fields);
            }
        }
        wanted
    }

    /// The waiting calls of the batch that a choice about this call would answer too.
    pub fn covered(&self, id: CallRef, covers: Covers) -> Vec<CallRef> {
        let Some((call, cover)) = self.call(id).zip(self.cover(id, covers)) else { return Vec::new() };
        let grant = draft_of_grant(call.tool, cover, id);
        let waits = |&other: &CallRef| {
            self.call(other)
                .is_some_and(|call| call.undecided() && grant.covers(call.tool, self.prints(other)))
        };
        self.step.rows.iter().map(|&(other, _)| other).filter(waits).collect()
    }

    /// The fingerprint of the whole input of a call; 0 where it is not known or there is none.
    pub fn print(&self, id: CallRef) -> Print {
        self.prints(id).iter().find(|(fields, _)| *fields == 0).map_or(0, |&(_, print)| print)
    }

    fn prints(&self, id: CallRef) -> &[(Symbol, Print)] {
        self.seen.get(id as usize).map_or(&[], |seen| &seen.prints)
    }

    fn cover(&self, id: CallRef, covers: Covers) -> Option<Cover> {
        match covers {
            Covers::Tool => Some(Cover::Tool),
            Covers::Fields(fields) => {
                let known = self.prints(id).iter().find(|(known, _)| *known == fields)?;
                (known.1 != 0).then_some(Cover::Fields(fields, known.1))
            }
        }
    }

    fn numbered(&self) -> impl Iterator<Item = (GrantRef, &Grant)> {
        (1..).zip(&self.state().grants)
    }

    /// Does another call of the step, and not a copy of this one, ask with the same approval id? The
    /// chat would answer both with one click on one of them.
    fn shares_approval(&self, id: CallRef) -> bool {
        let Some(call) = self.call(id) else { return false };
        let same = |&(other, _): &(CallRef, Facts)| {
            other != id
                && self.call(other).is_some_and(|other| other.asked && other.approval == call.approval)
        };
        call.approval != 0 && self.step.rows.iter().any(same)
    }

    /// The newest word of a person about the same calls, where there is a newer one.
    fn newer(&self, grant: GrantRef) -> Option<GrantRef> {
        let old = self.state().grant(grant)?;
        let same = |other: &Grant| !other.ended && other.tool == old.tool && other.cover == old.cover;
        self.numbered().filter(|&(id, other)| id > grant && same(other)).map(|(id, _)| id).last()
    }

    fn stands(&self, id: CallRef) -> bool {
        self.step.rows.iter().any(|&(row, _)| row == id)
    }

    /// Would a message of the user close something, or overtake it?
    pub fn locks_input(&self) -> bool {
        let closes = |&id: &CallRef| self.left_behind(id, true).is_some();
        self.batch().phase == Phase::Sending || self.state().live.iter().any(closes)
    }

    /// Why nothing can be decided, undone or extended about a call any more.
    fn over(&self, id: CallRef) -> Option<Refusal> {
        let Some(call) = self.call(id) else { return Some(Refusal::NotAsking) };
        if call.gone {
            Some(Refusal::Gone)
        } else if call.superseded {
            Some(Refusal::Superseded)
        } else if call.answer().is_some_and(|answer| answer.actor == Actor::Timer) {
            Some(Refusal::Expired)
        } else if call.decision.is_some() || call.output.is_some() {
            Some(Refusal::AlreadyAnswered)
        } else {
            (!call.asked).then_some(Refusal::NotAsking)
        }
    }

    /// Why this choice cannot be taken.
    fn refusal(&self, id: CallRef, choice: Choice) -> Option<Refusal> {
        match self.over(id) {
            Some(Refusal::Expired) if !choice.allows() => None,
            None if !self.stands(id) => Some(Refusal::Unreachable),
            // Its question is not there any more: the call has begun again.
            None if self.seen.get(id as usize).is_some_and(|seen| seen.sighting.facts.begins()) => {
                Some(Refusal::NotAsking)
            }
            None => {
                let replaces = |approved: bool| approved && !choice.allows();
                let draft = self.call(id).and_then(|call| call.draft);
                let stays = draft.is_some_and(|draft| !replaces(draft.decision.approved));
                stays.then_some(Refusal::AlreadyDrafted)
            }
            over => over,
        }
    }
}

/// A grant as it would be.
fn draft_of_grant(tool: Symbol, cover: Cover, call: CallRef) -> Grant {
    Grant {
        approved: true,
        tool,
        cover,
        call,
        at: 0,
        until: None,
        committed: false,
        delivered: false,
        ended: false,
        uses: 0,
        last_use: None,
    }
}

impl Turn<'_> {
    /// Nothing changes, and that is on record.
    fn refuse(&mut self, call: Option<CallRef>, approved: bool, refusal: Refusal) {
        self.note(Event::Refused { call, approved, shown: false });
        self.out.taken = Taken::Refused(refusal);
    }

    /// The shell has found that what was asked for cannot be meant.
    pub(super) fn refused(&mut self, call: Option<CallRef>, approved: bool) {
        self.note(Event::Refused { call, approved, shown: false });
    }

    /// Lets time do what it does: end grants, expire calls, and warn.
    pub(super) fn pass(&mut self) {
        if !self.guard.timed {
            return;
        }
        let now = self.time;
        let over = |grant: &Grant| !grant.ended && grant.over(now);
        let ended: Vec<GrantRef> =
            self.guard.numbered().filter(|(_, grant)| over(grant)).map(|(id, _)| id).collect();
        for grant in ended {
            self.end_grant(grant, Actor::Timer);
        }
        for id in self.guard.state().live.clone() {
            let Some(call) = self.guard.call(id).filter(|call| !call.gone) else { continue };
            let waits = call.asking() && call.answer().is_none_or(|answer| answer.approved);
            let soon = call.deadline.map(|deadline| deadline.saturating_sub(self.guard.options.pace.warn));
            if call.overdue(now) {
                self.note(Event::Expired { call: id });
            } else if waits && !call.warned && soon.is_some_and(|soon| now >= soon) {
                self.note(Event::Warned { call: id });
            }
        }
    }

    pub(super) fn mark(&mut self, call: CallRef, dangerous: bool, lifetime: Option<Time>) {
        let marked = self.guard.call(call).is_some_and(|known| {
            known.asking() && (known.dangerous != dangerous || known.lifetime != lifetime)
        });
        if marked {
            self.guard.timed |= lifetime.is_some();
            self.note(Event::Marked { call, dangerous, lifetime });
        }
    }

    pub(super) fn print(&mut self, call: CallRef, fields: Symbol, print: Print) {
        if let Some(seen) = self.guard.seen.get_mut(call as usize) {
            seen.prints.retain(|&(known, _)| known != fields);
            seen.prints.push((fields, print));
        }
    }

    pub(super) fn decide(&mut self, id: CallRef, choice: Choice, covers: Covers, lifetime: Option<Time>) {
        self.pass();
        self.deny_unattended(id);
        let approved = choice.allows();
        if let Some(refusal) = self.guard.refusal(id, choice) {
            return self.refuse(Some(id), approved, refusal);
        }
        let cover = if choice.lasts() { self.guard.cover(id, covers) } else { None };
        if choice.lasts() && cover.is_none() {
            return self.refuse(Some(id), approved, Refusal::NotComparable);
        }
        if self.guard.call(id).is_some_and(|call| call.decision.is_some()) {
            self.note(Event::Counted { call: id });
            self.out.taken = Taken::Counted;
            return;
        }
        if self.guard.call(id).is_some_and(|call| call.draft.is_some()) {
            self.note(Event::Undone { call: id, insisted: 0 });
        }
        let grant = if cover.is_some() { self.guard.state().grants.len() as GrantRef + 1 } else { 0 };
        let decision = Decision { approved, actor: Actor::Person, grant };
        self.guard.held = false;
        self.note(Event::Drafted { call: id, decision });
        self.out.grant = grant;
        if let Some(cover) = cover {
            let until = lifetime.map(|lifetime| self.time.saturating_add(lifetime));
            self.grant(id, approved, cover, until);
        }
    }

    fn grant(&mut self, call: CallRef, approved: bool, cover: Cover, until: Option<Time>) {
        let grant = self.guard.state().grants.len() as GrantRef + 1;
        self.guard.timed |= until.is_some();
        self.note(Event::Granted { grant, call, approved, cover, until });
        self.answer_step();
        let drafted = |&&id: &&CallRef| {
            let draft = self.guard.call(id).and_then(|call| call.draft);
            draft.is_some_and(|draft| draft.decision.grant == grant && id != call)
        };
        let also = self.guard.step.rows.iter().map(|(id, _)| id).filter(drafted).copied().collect();
        self.out.calls = also;
    }

    /// Answers what waits in the step by the grants that there are. What a grant has drafted is
    /// answered again, because there may be a refusal, or a newer word, since.
    pub(super) fn answer_step(&mut self) {
        if self.guard.state().grants.iter().all(|grant| grant.ended) {
            return;
        }
        let rows: Vec<CallRef> = self.guard.step.rows.iter().map(|&(id, _)| id).collect();
        for id in rows {
            self.answer_by_grant(id);
        }
    }

    /// Answers a call that asks, if nobody has to be asked.
    pub(super) fn answer_by_itself(&mut self, id: CallRef) {
        self.deny_unattended(id);
        self.answer_by_grant(id);
    }

    /// Whoever answers while nobody is there is not a person.
    fn deny_unattended(&mut self, id: CallRef) {
        let attended = self.guard.options.pace.attended;
        if !attended && self.guard.call(id).is_some_and(|call| call.undecided()) {
            self.note(Event::Drafted { call: id, decision: Decision::new(false, Actor::Unattended) });
        }
    }

    /// After a stop cards ask, also those that a grant covers.
    fn answer_by_grant(&mut self, id: CallRef) {
        let guard = &*self.guard;
        let Some(call) = guard.call(id) else { return };
        let draft = call.draft.map(|draft| draft.decision);
        let open = draft.is_none_or(|draft| draft.actor == Actor::Grant);
        if !call.asking() || !open || call.gone || guard.state().stopped {
            return;
        }
        let prints = guard.prints(id);
        let covers = |&(grant, given): &(GrantRef, &Grant)| {
            // From the cheapest question to the dearest.
            given.covers(call.tool, prints)
                && !given.over(self.time)
                && (given.active() || guard.stands(given.call) && guard.stands(id))
                && guard.newer(grant).is_none()
        };
        // A call that was taken back asks, unless what answers it was said since.
        let found = grants::answering(guard.numbered().filter(covers));
        let found = found.filter(|&(grant, _)| grant > call.insisted);
        let decision = found.map(|(grant, approved)| Decision { approved, actor: Actor::Grant, grant });
        if let Some(decision) = decision.filter(|decision| draft != Some(*decision)) {
            if draft.is_some() {
                self.note(Event::Undone { call: id, insisted: 0 });
            }
            self.note(Event::Drafted { call: id, decision });
        }
    }

    /// Ends a grant; drafts that it made ask again.
    fn end_grant(&mut self, grant: GrantRef, actor: Actor) {
        self.note(Event::GrantEnded { grant, actor });
        for call in self.guard.state().live.clone() {
            let draft = self.guard.call(call).and_then(|call| call.draft);
            if draft.is_some_and(|d| d.decision.grant == grant && d.decision.actor == Actor::Grant) {
                self.note(Event::Undone { call, insisted: 0 });
                self.out.undone.push(call);
            }
        }
    }

    /// A grant whose answer is committed takes the place of older ones about the same calls.
    pub(super) fn end_older(&mut self, decision: Decision) {
        let newest = decision.grant;
        if newest == 0 || decision.actor != Actor::Person {
            return;
        }
        let older = |&id: &GrantRef| {
            let live = self.guard.state().grant(id).is_some_and(|grant| !grant.ended);
            live && self.guard.newer(id) == Some(newest)
        };
        let older: Vec<GrantRef> = (1..newest).filter(older).collect();
        for grant in older {
            self.end_grant(grant, Actor::Person);
        }
    }

    /// A grant whose own answer was taken back before it was delivered was never given (C90).
    pub(super) fn end_orphans(&mut self, call: CallRef, actor: Actor) {
        let answer = self.guard.call(call).and_then(|call| call.answer());
        let gone = self.guard.call(call).is_some_and(|call| call.gone);
        let orphan = |id: GrantRef, grant: &Grant| {
            let stands = answer.is_some_and(|answer| answer.grant == id && answer.approved == grant.approved);
            grant.call == call && !grant.ended && !grant.delivered && (!stands || (gone && grant.approved))
        };
        let orphans: Vec<GrantRef> =
            self.guard.numbered().filter(|&(id, grant)| orphan(id, grant)).map(|(id, _)| id).collect();
        for grant in orphans {
            self.end_grant(grant, actor);
        }
    }

    pub(super) fn undo(&mut self, id: CallRef) {
        self.pass();
        let draft = self.guard.call(id).and_then(|call| call.draft);
        let refusal = match (self.guard.over(id), draft) {
            (Some(over), _) => Some(over),
            (None, None) => Some(Refusal::NotDrafted),
            (None, Some(draft)) => (!draft.undoable()).then_some(Refusal::AlreadyAnswered),
        };
        match refusal {
            Some(refusal) => self.refuse(Some(id), false, refusal),
            None => self.take_back(id),
        }
    }

    pub(super) fn undo_all(&mut self) {
        self.pass();
        let undoable = |&id: &CallRef| {
            let draft = self.guard.call(id).and_then(|call| call.draft);
            draft.is_some_and(|draft| draft.undoable())
        };
        let drafts: Vec<CallRef> = self.guard.batch().calls.into_iter().filter(undoable).collect();
        if drafts.is_empty() {
            return self.refuse(None, false, Refusal::NotDrafted);
        }
        // What a grant has made first: it would go along with its grant, as if nobody had taken it back.
        let by_grant = |&id: &CallRef| {
            self.guard
                .call(id)
                .and_then(|call| call.answer())
                .is_some_and(|answer| answer.actor == Actor::Grant)
        };
        let (made, given): (Vec<CallRef>, Vec<CallRef>) = drafts.into_iter().partition(by_grant);
        made.into_iter().chain(given).for_each(|id| self.take_back(id));
    }

    /// What a person takes back asks again: no grant that there is answers it.
    fn take_back(&mut self, id: CallRef) {
        self.guard.held = false;
        let insisted = self.guard.state().grants.len() as GrantRef;
        self.note(Event::Undone { call: id, insisted });
        self.out.undone.push(id);
        self.again();
    }

    /// Of what was taken back, that asks again which has not expired meanwhile.
    fn again(&mut self) {
        self.pass();
        self.out.undone.retain(|&id| self.guard.call(id).is_some_and(|call| call.undecided()));
    }

    /// Commits a batch that is decided. `due`: only if it is time to, and, where something could be
    /// undone, only beside a chat that is `attached`: an unmount commits nothing, also not later,
    /// until a person does something again.
    pub(super) fn commit(&mut self, due: bool, attached: bool) {
        self.pass();
        let batch = self.guard.batch();
        self.out.taken = match batch.phase {
            Phase::Decided if !self.guard.state().running.is_empty() => Taken::Responding,
            Phase::Decided if !due => Taken::Done,
            Phase::Decided if batch.due.is_none_or(|due| self.time < due) => Taken::Waiting,
            Phase::Decided if batch.undoable && (self.guard.held || !attached) => {
                self.guard.changes += u32::from(!self.guard.held);
                self.guard.held = true;
                Taken::Waiting
            }
            Phase::Decided => Taken::Done,
            Phase::Asking => Taken::Waiting,
            _ => Taken::Nothing,
        };
        if self.out.taken != Taken::Done {
            return;
        }
        self.guard.held = false;
        let mut decisions = Vec::new();
        for call in batch.calls {
            if let Some(draft) = self.guard.call(call).and_then(|call| call.draft) {
                self.note(Event::Answered { call, decision: draft.decision });
                self.out.calls.push(call);
                decisions.push(draft.decision);
            }
            if let Some(seen) = self.guard.seen.get_mut(call as usize) {
                seen.stands = true;
            }
        }
        // Only now: it would take drafts of the same batch back.
        decisions.into_iter().for_each(|decision| self.end_older(decision));
    }

    /// A person answers through the chat, past the drafts. The first answer wins, and a denial wins
    /// a tie: a drafted one stays, and the part is put back until it is committed.
    pub(super) fn answered_directly(&mut self, call: CallRef, approved: bool) {
        self.pass();
        self.deny_unattended(call);
        if approved && self.guard.shares_approval(call) {
            self.note(Event::Refused { call: Some(call), approved, shown: true });
            self.problem(Problem::MalformedApproval, Some(call));
            return;
        }
        let draft = self.guard.call(call).and_then(|call| call.draft).map(|draft| draft.decision);
        let decision = match draft {
            Some(draft) if approved && !draft.approved => {
                self.note(Event::Refused { call: Some(call), approved, shown: true });
                return;
            }
            Some(draft) if draft.approved == approved && draft.actor == Actor::Person => draft,
            _ => Decision::new(approved, Actor::Person),
        };
        self.note(Event::Answered { call, decision });
        self.end_older(decision);
    }

    pub(super) fn extend(&mut self, id: CallRef) {
        self.pass();
        let lifetime = self.guard.call(id).and_then(|call| call.lifetime);
        match (self.guard.over(id), lifetime) {
            (Some(over), _) => self.refuse(Some(id), false, over),
            (None, None) => self.refuse(Some(id), false, Refusal::NoDeadline),
            (None, Some(lifetime)) => {
                self.note(Event::Extended { call: id, deadline: self.time.saturating_add(lifetime) });
            }
        }
    }

    pub(super) fn revoke(&mut self, grant: GrantRef) {
        self.pass();
        if self.guard.state().grant(grant).is_some_and(|grant| !grant.ended) {
            self.end_grant(grant, Actor::Person);
            self.again();
        } else {
            self.refuse(None, false, Refusal::UnknownGrant);
        }
    }

    pub(super) fn revoke_all(&mut self) {
        self.pass();
        let live: Vec<GrantRef> =
            self.guard.numbered().filter(|(_, grant)| !grant.ended).map(|(id, _)| id).collect();
        for grant in live {
            self.end_grant(grant, Actor::Person);
        }
        self.again();
    }

    /// Takes every draft back that a person, or a grant of theirs, has made.
    pub(super) fn withdraw(&mut self, actor: Actor) {
        for call in self.guard.state().live.clone() {
            let draft = self.guard.call(call).filter(|call| !call.gone).and_then(|call| call.draft);
            if draft.is_some_and(|draft| draft.undoable()) {
                self.note(Event::Withdrawn { call, actor });
            }
        }
    }
}
