//! Restores what the record knows about a call that is seen again: an answer of an earlier page, a draft left
//! there, or an answer from another tab. It never overrides what a person has said in this page, and an
//! allowance counts only for the call and the input for which it was given.

use super::Transaction;
use super::pause::Pause;
use crate::core::call::{Answer, Call, Delivery, Digest};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Author, Decision};
use crate::core::event::{Detail, Event, EventKind};
use crate::core::grant::{Cover, Grant, Tool};
use crate::core::id::{CallId, GrantId, StringId};
use crate::core::rewrite::{Keeps, KeptOutput};
use crate::core::row::{Crosses, Rows, Shape};

vocabulary! {
    /// The progress of an answer, according to the record.
    Reach {
        /// No request carries it.
        Unsent = "unsent",
        /// The server refused the request that carried it, or never received it.
        Failed = "failed",
        /// A request carried it, and the response has not ended: the page may have been closed.
        Sent = "sent",
        /// The response to that request ended.
        Ended = "ended",
    }
}

/// The answer of a call, as a record knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownAnswer {
    /// Nothing, or an answer was taken back.
    None,
    /// A draft. Nobody has committed it.
    Draft(bool),
    /// Another tab has drafted a denial, which is no answer here until that tab commits it.
    DenialElsewhere,
    /// An answer, by whomever it was given.
    Answer(bool),
}

impl KnownAnswer {
    /// The answer with these fields of a record.
    pub fn of(approved: Option<bool>, draft: bool) -> Self {
        match (approved, draft) {
            (Some(approved), true) => Self::Draft(approved),
            (Some(approved), false) => Self::Answer(approved),
            (None, true) => Self::DenialElsewhere,
            (None, false) => Self::None,
        }
    }

    fn denies(self) -> bool {
        matches!(self, Self::Draft(false) | Self::Answer(false))
    }
}

impl Crosses for KnownAnswer {
    const SHAPE: Shape = Shape::Fields("KnownAnswer", &[("approved", Shape::Number), ("draft", Shape::Flag)]);

    fn read(rows: &mut Rows) -> Option<Self> {
        let (approved, draft) = (Crosses::read(rows)?, Crosses::read(rows)?);
        Some(Self::of(approved, draft))
    }

    fn write(&self, to: &mut Vec<f64>) {
        let (approved, draft) = match *self {
            Self::None => (None, false),
            Self::Draft(approved) => (Some(approved), true),
            Self::DenialElsewhere => (None, true),
            Self::Answer(approved) => (Some(approved), false),
        };
        approved.write(to);
        draft.write(to);
    }
}

row! {
    /// The record's knowledge of a call. The caller has compared the approval id, the call id and the tool.
    #[derive(Clone, Copy, Debug)]
    pub struct Known {
        /// Its approval id, which the part may have lost (C69).
        pub approval: StringId,
        /// Its answer.
        pub answer: KnownAnswer,
        /// The author of the answer.
        pub actor: Actor,
        /// Its progress; without an answer, that of an allowance before the call asked again.
        pub reach: Reach,
        /// Whether the call has its result, or its denial is settled.
        pub settled: bool,
        /// Whether the input is the one for which the answer was given.
        pub same_input: bool,
        /// Whether an answer was withdrawn and no page has given another one.
        pub taken_back: bool,
        /// Whether the record has its allowance as one that the server gave itself, or that a page has found in the messages,
        /// and knows no input to compare.
        pub found: bool,
        /// Whether it was given in another page that is still open.
        pub elsewhere: bool,
        /// The time at which it first asked, by the wall clock, if that was before this page.
        pub asked_at: Option<Time>,
        /// The end of its time, by the wall clock.
        pub deadline: Option<Time>,
        /// The latest time that an earlier page, or another tab, has known, by the wall clock.
        pub latest: Option<Time>,
        /// The number of questions that the part may have lost; 0 where it shows its approval id.
        pub candidates: u32,
        /// The person who drafted it.
        pub user: StringId,
        /// The digest of the changed input with which it was allowed; 0 for the one that the model asked for.
        pub edit: Digest,
    }
}

impl Known {
    /// The answer as this page records it.
    fn decision(&self, approved: bool) -> Decision {
        let actor = if self.elsewhere { Actor::Tab } else { self.actor };
        let edit = if approved { self.edit } else { 0 };
        Decision { source: self.user, edit, ..Decision::new(approved, actor) }
    }

    /// Its progress, as seen from this page.
    fn delivery(&self, approved: bool) -> Delivery {
        match self.reach {
            // The tab that completes the step may send it, this page too.
            Reach::Unsent => Delivery::History,
            _ if self.elsewhere => Delivery::Idle,
            // Another page sends it, and its responses are not seen here.
            Reach::Ended => Delivery::Arrived,
            _ if self.settled => Delivery::Arrived,
            Reach::Sent if approved => Delivery::Doubt,
            // It does no harm to send a denial twice.
            Reach::Failed | Reach::Sent => Delivery::Failed,
        }
    }
}

/// The comparison of the record's answer with that of this page.
impl Known {
    /// Whether a denial of this page stands against an allowance. It does not take back what another page has sent, also
    /// if it came before the record was read: the first answer wins.
    fn yields_to_denial(&self, call: &Call) -> bool {
        if self.reach == Reach::Unsent {
            return call.denied() || call.draft().is_some_and(|draft| !draft.decision.approved);
        }
        // No server has an unsent one.
        call.denied() && !matches!(call.delivery(), Delivery::Unsent | Delivery::Failed)
    }

    /// Whether the answer of a call may still change by it: what this page has sent needs no record.
    fn is_open(&self, call: &Call) -> bool {
        match call.delivery() {
            Delivery::Idle | Delivery::History | Delivery::Unsent => true,
            // One that it could not send gives way to another tab's.
            Delivery::Failed => self.elsewhere,
            // Another tab has sent it again, and has its result.
            Delivery::Doubt => self.elsewhere && self.settled,
            Delivery::Sent(_) | Delivery::Delivered(_) | Delivery::Arrived => false,
        }
    }

    /// Whether this page has sent an answer of its own.
    fn is_behind(&self, call: &Call) -> bool {
        call.decision().is_some() && !self.is_open(call) && !call.from_record()
    }

    /// Whether it has come further than here. `delivery`: as far as it has come, as seen from this page.
    fn is_ahead(&self, call: &Call, delivery: Delivery) -> bool {
        // The answer that an older guard had sent, or that another tab has sent again, has arrived.
        let is_stuck = matches!(call.delivery(), Delivery::Doubt | Delivery::Failed);
        let arrived = call.from_record() && is_stuck && self.reach == Reach::Ended;
        call.output().is_none() && call.delivery() != delivery && (self.is_open(call) || arrived)
    }

    /// The same answer, as the person of this page has given it. Law 14: it is that person's, whoever has committed it.
    fn own_answer(&self, call: &Call, approved: bool) -> Option<Decision> {
        let own = call.answer().filter(|own| own.approved == approved && own.actor.deliberates());
        own.filter(|own| !approved || own.edit == self.edit)
    }
}

/// Whether the answer of a call is this page's.
fn is_of_page(call: &Call) -> bool {
    !call.elsewhere() && !call.from_record()
}

/// Whether an output that came here stays, whatever a page says that does not know of it: one over the allowance itself, or
/// the result of an allowed call over a denial. What this page has run itself stays only where the other one has moved on: a
/// person who denied there was first (law 7).
fn has_outlived(call: &Call, approved: bool, actor: Actor) -> bool {
    let was_allowed =
        call.decision().is_some_and(|decision| decision.approved && decision.actor != Actor::History);
    match call.output() {
        Some(Author::Page) if approved => true,
        Some(Author::Page) => was_allowed && actor == Actor::Superseded,
        Some(author) => !approved && was_allowed && author != Author::History,
        None => false,
    }
}

/// The milliseconds by which the clock of another device may be ahead. A call that asked there, or that a page there has
/// known, by so little in the future counts as one that has waited as long.
const SKEW: Time = 1_000;

impl Transaction<'_> {
    /// Applies what the record knows about a call that was just seen.
    pub(super) fn restore(&mut self, id: CallId, known: Known) {
        // A lost question comes back only where it is the only one, and for its own input.
        let is_other = known.candidates > 1 || (known.candidates == 1 && !known.same_input);
        let known_call = self.guard.call(id).copied().filter(|_| !is_other);
        if let Some(call) = known_call {
            self.recall(id, call, known);
        }
        self.returns_seen(known_call.map(|_| id), Keeps::default(), KeptOutput::default());
    }

    fn recall(&mut self, id: CallId, call: Call, known: Known) {
        if call.gone() {
            return;
        }
        if !matches!(known.answer, KnownAnswer::Answer(_)) {
            self.ask_again(
                id,
                matches!(known.answer, KnownAnswer::Draft(false) | KnownAnswer::DenialElsewhere),
            );
            // Law 16: another page has shown it after it had run, or may have.
            let asks_freely = |call: &Call| call.asking() && !call.only_by_person();
            if known.reach != Reach::Unsent && self.guard.call(id).is_some_and(asks_freely) {
                self.asks_once_more(id, Actor::History, Some(true));
            }
        }
        let Some(&call) = self.guard.call(id) else { return };
        self.waited(id, call, known);
        let counts = (known.same_input || known.found) && !known.taken_back;
        if !counts && !known.answer.denies() && !known.elsewhere && call.is_seen_only() {
            // The messages show an allowance that was withdrawn, or one for an input that nobody was asked
            // about.
            self.take_back_seen(id, known);
        }
        match known.answer {
            KnownAnswer::Draft(approved) => self.recall_draft(id, approved, known),
            KnownAnswer::Answer(approved) => self.recall_answer(id, approved, known),
            // Law 8: it was undone where it was made.
            KnownAnswer::None if call.draft().is_some() && !self.is_drafted_here(id, &call) => {
                self.append(Event::undone(id, GrantId::NONE, Actor::Tab));
            }
            KnownAnswer::None | KnownAnswer::DenialElsewhere => self.ask_as_before(id, known.approval),
        }
    }

    /// The answer that the record had told does not stand any more, because its tab has taken it back: the call
    /// asks, whatever its part shows. So does a call that this page has allowed after a denial was drafted elsewhere
    /// (law 7). Law 13: what was sent, or may have been, stays.
    fn ask_again(&mut self, id: CallId, denial_drafted: bool) {
        let Some(&call) = self.guard.call(id) else { return };
        let yields = match call.delivery() {
            Delivery::Idle | Delivery::History => call.elsewhere() || call.from_record(),
            Delivery::Unsent | Delivery::Failed => denial_drafted && call.allowed(),
            _ => false,
        };
        if !yields || call.output().is_some() || call.denial_settled() {
            return;
        }
        self.fix_answer(id, false);
        self.asks_once_more(id, Actor::Tab, None);
    }

    /// It asks about what its part shows. `doubt`: whether it may have run before.
    fn asks_once_more(&mut self, id: CallId, actor: Actor, doubt: Option<bool>) {
        let Some((&call, seen)) = self.guard.known(id) else { return };
        let part = seen.part;
        let approval = if part.approval.is_some() { part.approval } else { call.approval() };
        self.append(Event { doubt, ..Event::asked(id, approval, part.input, actor) });
        if call.lost() {
            self.append(Event::on(id, EventKind::Lost, Actor::History));
        }
        if part.flags.answer == Answer::Yes {
            self.append(Event::refused(Some(id), true, true, Actor::Tab));
        }
    }

    /// Applies the time that a call waited before this page saw it, and the time it has left. This is done
    /// once for each question, because a person may have given it more time since.
    fn waited(&mut self, id: CallId, call: Call, known: Known) {
        let Some(question) = call.question().filter(|_| call.decision().is_none()) else { return };
        let is_known = known.asked_at.is_none() && known.deadline.is_none();
        if is_known || question.waited_before.is_some() {
            return;
        }
        let now = self.now as Time;
        let asked_at = known.asked_at.unwrap_or(now);
        // Law 12: if the clock was set back, nobody knows how much time has passed, so none is left.
        let latest = known.latest.unwrap_or_default().max(asked_at);
        let until = |deadline: Time| match latest.saturating_sub(now) {
            0 => deadline.saturating_sub(now),
            1..=SKEW => deadline.saturating_sub(latest + SKEW),
            _ => 0,
        };
        let left = known.deadline.map(until);
        let before = now.saturating_sub(asked_at).saturating_sub(self.time.saturating_sub(question.since));
        self.guard.timers.arm(left);
        self.append(Event {
            detail: Detail::Waited { before, left },
            ..Event::on(id, EventKind::Waited, Actor::History)
        });
    }

    /// Restores the question that the part has lost (C69). A question that the server asked in this page goes
    /// first.
    fn ask_as_before(&mut self, id: CallId, approval: StringId) {
        let Some(call) = self.guard.call(id) else { return };
        let lost = !call.asked()
            && call.approval().is_none()
            && call.decision().is_none()
            && call.output().is_none();
        if lost && self.guard.begins(id) {
            self.put_question_back(id, approval);
        }
    }

    fn put_question_back(&mut self, id: CallId, approval: StringId) {
        if let Some(seen) = self.guard.seen.get_mut(id).filter(|_| approval.is_some()) {
            let part = seen.part;
            seen.show(&part);
            self.append(Event::asked(id, approval, part.input, Actor::History));
            self.append(Event::on(id, EventKind::Lost, Actor::History));
        }
    }

    /// The allowance that only the messages show does not stand. Law 14: only another input makes it void.
    fn take_back_seen(&mut self, id: CallId, known: Known) {
        let is_same = known.same_input || known.found;
        let kind = if is_same { EventKind::Withdrawn } else { EventKind::Voided };
        self.append(Event::on(id, kind, Actor::History));
    }

    fn recall_answer(&mut self, id: CallId, approved: bool, known: Known) {
        let Some(&call) = self.guard.call(id) else { return };
        if approved && (known.yields_to_denial(&call) || !known.same_input || self.is_doubtful(id)) {
            // A denial stands, and so does the new question about a changed input.
            return self.ask_as_before(id, known.approval);
        }
        if self.said_first(id, &call, approved, &known) {
            return;
        }
        // Another tab commits or sends what this page's person has said, too.
        let own = known.own_answer(&call, approved).filter(|_| known.elsewhere && !call.from_record());
        let decision = own.unwrap_or(known.decision(approved));
        let delivery = known.delivery(approved);
        let says_same = call.decision() == Some(decision) && call.elsewhere() == known.elsewhere;
        let is_same = says_same && !known.is_ahead(&call, delivery);
        if is_same && !approved && known.settled && !call.denial_settled() {
            // The tab that has sent the denial has heard of its end.
            return self.append(Event::on(id, EventKind::Settled, decision.actor));
        }
        if is_same || known.is_behind(&call) || has_outlived(&call, approved, known.actor) {
            return;
        }
        if !approved && call.denied() && call.approval().is_none() {
            // The messages show the denial, and no approval.
            self.put_question_back(id, known.approval);
        } else {
            self.ask_as_before(id, known.approval);
        }
        if call.draft().is_some() && own.is_some_and(|own| own.actor == Actor::Person) {
            // No commit will say that a person has acted, which ends a stop.
            self.append(Event::new(EventKind::Acted, Actor::Person));
        }
        let arrived = !approved && !known.elsewhere && delivery == Delivery::Arrived;
        let settled = known.settled || arrived || call.denial_settled();
        let kind = if known.elsewhere { EventKind::Elsewhere } else { EventKind::Recalled };
        self.append(Event::restored(id, kind, decision, delivery, settled));
        self.fix_answer(id, true);
    }

    /// Whether the person of this page has said the same. That stays news here until a tab sends it, whoever else has said
    /// it.
    fn said_first(&self, id: CallId, call: &Call, approved: bool, known: &Known) -> bool {
        let is_said = call.fresh_answer() || self.is_drafted_here(id, call);
        let is_unsent = !known.elsewhere && known.reach == Reach::Unsent;
        is_unsent && is_said && is_of_page(call) && known.own_answer(call, approved).is_some()
    }

    /// Whether its draft was made in this page.
    fn is_drafted_here(&self, id: CallId, call: &Call) -> bool {
        call.draft().is_some() && self.guard.seen.get(id).is_some_and(|seen| !seen.redrafted)
    }

    /// Restores a draft as it was. Nothing commits it until a person acts. A denial drafted in another tab
    /// replaces an allowance that is about to be committed (law 7).
    fn recall_draft(&mut self, id: CallId, approved: bool, known: Known) {
        self.ask_as_before(id, known.approval);
        if !approved && !known.elsewhere && self.guard.call(id).is_some_and(Call::is_seen_only) {
            // A drafted denial stands against an allowance that was only written into the messages.
            self.take_back_seen(id, known);
        }
        let Some(&call) = self.guard.call(id) else { return };
        let open = call.asking() && !self.guard.begins(id);
        // Law 7, also if the tab of the denial has been closed since.
        let beats = !approved && call.draft().is_some_and(|draft| draft.decision.approved);
        let free = if known.elsewhere {
            beats
        } else {
            // Only once, because it may have been undone since.
            let again = self.guard.seen.get(id).is_some_and(|seen| seen.redrafted);
            let is_free = call.draft().is_none() || beats;
            !again && is_free && (!approved || (known.same_input && !self.is_doubtful(id)))
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
            self.guard.pause = Pause::Undoable;
            if let Some(seen) = self.guard.seen.get_mut(id) {
                seen.redrafted = true;
            }
        }
    }

    /// Whether an allowance of the record is no answer: two calls share it, or the rules now deny the call.
    fn is_doubtful(&self, id: CallId) -> bool {
        self.guard.shares_approval(id) || self.guard.call(id).is_some_and(Call::denied_by_rule)
    }

    /// Law 2: what has left by itself in earlier pages counts, until a person acts.
    pub(super) fn restore_sends(&mut self, sends: u32) {
        if sends > 0 {
            let event = Event::new(EventKind::Recounted, Actor::History);
            self.append(Event { detail: Detail::Sends(sends), ..event });
        }
    }

    /// Restores a grant of an earlier page.
    pub(super) fn regrant(&mut self, tool: Tool, approved: bool, cover: Cover, lifetime: Option<Time>) {
        if matches!(cover, Cover::Fields(_, 0)) {
            return;
        }
        let until = lifetime.map(|lifetime| self.time.saturating_add(lifetime));
        self.put_in_force(Grant { until, ..Grant::new(approved, tool, cover, None) });
    }
}
