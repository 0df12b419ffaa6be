//! The meaning of a part in the messages for its call.

use super::identity::Match;
use super::observed::Seen;
use super::{Problem, Transaction};
use crate::core::call::evidence::Input;
use crate::core::call::{Answer, Call, Delivery, PartFacts};
use crate::core::decision::{Actor, Author, Decision};
use crate::core::event::{Event, EventKind};
use crate::core::id::CallId;
use crate::core::protocol::ToolState;
use crate::core::rewrite::{Keeps, KeptOutput};

impl Transaction<'_> {
    /// Handles a part. `tracked` is the call that this part showed in the last scan.
    pub(super) fn see(&mut self, tracked: Option<CallId>, part: PartFacts, current: bool) {
        let current = current || self.guard.is_adopted(&part);
        let (id, before) = match self.guard.find(tracked, &part, current) {
            Match::Older(id) => {
                return self.returns_seen(id, Keeps::default(), KeptOutput::default());
            }
            Match::Same(id) if self.is_behind_copy(id, &part) => {
                if let Some(seen) = self.guard.seen.get_mut(id) {
                    seen.behind = Some(part);
                }
                return self.returns_seen(Some(id), Keeps::default(), KeptOutput::default());
            }
            Match::Same(id) => (id, self.guard.seen.get(id).map(|seen| seen.part)),
            Match::New => (self.notice(part), None),
        };
        if let Some(old) = tracked.filter(|&old| old != id && current) {
            self.missing(old);
        }
        self.remember(id, part);
        self.find_unanswered(id, &part);
        self.missed_question(id, part);
        self.stored_denial(id, part);
        self.restarted_draft(id, part);
        match part.flags.state {
            ToolState::ApprovalRequested => self.requested(id, part, before),
            ToolState::ApprovalResponded => self.responded(id, part, before),
            ToolState::OutputDenied => self.output_denied(id, part),
            ToolState::OutputAvailable | ToolState::OutputError => self.output(id, part, before),
            _ if part.asks_silently() => self.requested(id, part, before),
            ToolState::InputStreaming | ToolState::InputAvailable | ToolState::Unknown => {}
        }
        self.confirmed(id, part);
        let (keeps, kept_output) = self.keep(id, part);
        self.returns_seen(Some(id), keeps, kept_output);
    }

    /// Whether a copy further down shows the call in a later state. The chat writes into the last message.
    fn is_behind_copy(&self, id: CallId, part: &PartFacts) -> bool {
        let is_there = !self.guard.call(id).is_some_and(Call::gone);
        self.guard.seen.get(id).filter(|seen| is_there && !seen.missing).is_some_and(|seen| {
            let (last, is) = (seen.part.place, part.place);
            last.message != is.message
                && is.index < last.index
                && part.flags.state.is_before(seen.part.flags.state)
        })
    }

    /// Says what the shell keeps of the part. An output is kept while it may be put back: until the call has another
    /// input or output.
    fn keep(&mut self, id: CallId, part: PartFacts) -> (Keeps, KeptOutput) {
        let heard = self.guard.streamed(id).output;
        let has_run = self.guard.call(id).is_some_and(|call| call.output().is_some());
        // Of a call that has run, an older list may show less.
        let is_behind = has_run && !part.flags.has_output();
        let keeps = if is_behind { Keeps::Part } else { Keeps::of(&part) };
        let asks = self.guard.call(id).is_some_and(Call::asking);
        let Some(seen) = self.guard.seen.get_mut(id) else { return (keeps, KeptOutput::default()) };
        // An output is written over what the part has shown before it. The guard may have put its allowance beside it.
        let shows =
            if part.flags.has_output() { seen.allowance_shown } else { part.flags.answer == Answer::Yes };
        seen.allowance_shown = !asks && shows;
        let streams = part.flags.state == ToolState::InputStreaming;
        let is_other = |(input, output)| (!streams && input != part.input) || (heard != 0 && heard != output);
        if has_run && part.flags.has_output() {
            seen.kept_output = Some((part.input, part.output));
            return (keeps, KeptOutput::Replaced);
        }
        if seen.kept_output.is_some_and(is_other) {
            seen.kept_output = None;
            return (keeps, KeptOutput::Dropped);
        }
        (keeps, KeptOutput::default())
    }

    /// Adds a call that was not seen before.
    fn notice(&mut self, part: PartFacts) -> CallId {
        let id = self.guard.seen.end();
        let streamed = self.guard.bind(id, &part);
        self.guard.seen.push(Seen::new(part, streamed));
        let actor = self.guard.writer();
        self.append(Event::noticed(id, part.tool, part.id, part.approval, actor));
        id
    }

    /// Stores what the part shows, and voids a denial that was given for another input. A stored answer was given for
    /// the input beside which it stood.
    fn remember(&mut self, id: CallId, part: PartFacts) {
        let Some((call, seen)) = self.guard.call(id).copied().zip(self.guard.seen.get_mut(id)) else {
            return;
        };
        if (seen.part.input, seen.part.server) != (part.input, part.server) {
            seen.fingerprints.clear(); // they belong to the old input, or to the tool of another server
        }
        let says_no = part.flags.answer == Answer::No || part.flags.state == ToolState::OutputDenied;
        let voided = call.denied() && !says_no && seen.input(&call, &part) == Input::Different;
        let is_stored = call.delivery() == Delivery::History;
        seen.copied |= !seen.missing && seen.part.place.message != part.place.message;
        let is_open = !call.asked() && !call.denied() && !is_stored;
        if is_open && part.flags.state != ToolState::InputStreaming {
            seen.show(&part);
        }
        seen.part = part;
        seen.missing = false;
        seen.behind = seen.behind.filter(|behind| behind.place.message != part.place.message);
        if voided {
            self.void(id, part);
        }
        if call.gone() {
            self.append(Event::on(id, EventKind::Returned, Actor::Application));
        }
    }

    /// The answer was given for another input than the part shows: the call asks again, about the new input.
    fn void(&mut self, id: CallId, part: PartFacts) {
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.show(&part);
        }
        let actor = self.guard.changer(id);
        self.append(Event::on(id, EventKind::Voided, actor));
        self.append(Event::asked(id, part.approval, part.input, actor));
        if part.flags.answer == Answer::Yes {
            self.append(Event::refused(Some(id), true, true, actor));
        }
    }

    /// Records a question, and the server's answer to it, that came and went between two scans.
    fn missed_question(&mut self, id: CallId, part: PartFacts) {
        let streamed = self.guard.streamed(id);
        let Some(call) = self.guard.call(id) else { return };
        if call.asked() || call.decision().is_some() || call.superseded() {
            return;
        }
        // Either its chunk was seen, and the part does not show another question,
        let passed =
            streamed.approval.is_some() && (part.approval.is_none() || part.approval == streamed.approval);
        // or the part shows an unanswered question under an output, where `ai` 6 keeps it.
        let kept = part.approval.is_some() && part.flags.has_output() && part.flags.answer == Answer::Absent;
        let is_past = part.flags.state.is_answered() || streamed.answer == Some(false);
        if !is_past || !(passed || kept) {
            return;
        }
        let approval = if part.approval.is_none() { streamed.approval } else { part.approval };
        self.append(Event::asked(id, approval, part.input, self.guard.writer()));
        if let Some(approved) = streamed.answer {
            self.append(Event::answer(id, EventKind::Answered, Decision::new(approved, Actor::Server)));
        }
    }

    /// Handles a stored denial that lost its state: the part is open and says no.
    fn stored_denial(&mut self, id: CallId, part: PartFacts) {
        let is_open = part.flags.shows_input_only() || part.flags.state == ToolState::ApprovalRequested;
        let is_denied = part.flags.answer == Answer::No && part.approval.is_some();
        if is_open && is_denied && self.guard.call(id).is_some_and(|call| call.decision().is_none()) {
            self.answered(id, part, false);
        }
    }

    /// Takes back a draft when its part shows no question any more: the call begins again, or an older list shows it. A
    /// resumed response only repeats it. Law 14: only another input makes the draft void.
    fn restarted_draft(&mut self, id: CallId, part: PartFacts) {
        let Some((call, seen)) = self.guard.known(id) else { return };
        if self.guard.responses.is_resumed() || !part.begins() || call.draft().is_none() {
            return;
        }
        let is_other = seen.input(call, &part) == Input::Different;
        let kind = if is_other { EventKind::Voided } else { EventKind::Withdrawn };
        self.append(Event::on(id, kind, self.guard.changer(id)));
    }

    /// Handles a part that asks for approval.
    fn requested(&mut self, id: CallId, part: PartFacts, before: Option<PartFacts>) {
        let Some(&call) = self.guard.call(id) else { return };
        self.asked(id, part, &call);
        let is_new = before.is_none_or(|before| before.flags != part.flags);
        if part.flags.answer == Answer::Malformed && is_new && part.asks_silently() {
            self.problem(Problem::MalformedApproval, Some(id));
        }
        if part.flags.residue && is_new && self.guard.call(id).is_some_and(Call::asking) {
            self.output_without_approval(id);
        }
    }

    /// Records the question of a part.
    fn asked(&mut self, id: CallId, part: PartFacts, call: &Call) {
        if call.denied() {
            // A replayed stream puts the question back. The denial stands, even against a click on that
            // question.
            return self.fix_answer(id, true);
        }
        let same = !self.shows_other(id, part);
        if same && (self.outlasts(id, call, part) || call.output_put_back()) {
            return;
        }
        let known = call.asked() || call.decision().is_some();
        let actor = if known { self.guard.changer(id) } else { self.guard.writer() };
        if !same && call.answer().is_some() {
            self.append(Event::on(id, EventKind::Voided, actor));
        }
        // A chat that reports each answer shows a taken one again only with an older list.
        let reports_answers = self.guard.list.reports_answers;
        let is_open = |call: &Call| call.asking() && (reports_answers || !call.answer_invalidated());
        let asks = self.guard.call(id).is_some_and(is_open);
        if !asks || !same {
            let doubt = (!known && self.guard.ran_in_place_of(id, &part)).then_some(true);
            self.append(Event { doubt, ..Event::asked(id, part.approval, part.input, actor) });
            // Its response may have broken off before it, and a list of the server has it.
            let streamed = self.guard.seen.get(id).and_then(|seen| seen.streamed);
            if let Some(streamed) = streamed.and_then(|index| self.guard.streamed.get_mut(index)) {
                streamed.approval = part.approval;
            }
        }
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.show(&part);
            if !same {
                seen.fingerprints.clear();
            }
        }
    }

    /// Handles a part that was answered.
    fn responded(&mut self, id: CallId, part: PartFacts, before: Option<PartFacts>) {
        let Some(&call) = self.guard.call(id) else { return };
        match part.flags.answer {
            Answer::Yes if part.approval.is_some() => self.responded_yes(id, part, before),
            Answer::No if self.is_late_denial(&call, &part) => self.denied_late(id, before),
            Answer::No if call.denied() && (part.approval.is_some() || call.approval().is_some()) => {}
            Answer::No if part.approval.is_some() || call.approval().is_some() => {
                self.answered(id, part, false)
            }
            _ if before.is_none_or(|before| before.flags != part.flags) => {
                self.problem(Problem::MalformedApproval, Some(id));
            }
            _ => {}
        }
    }

    /// Whether a part shows a denial of the page for a call whose allowance was sent before, or given by the server.
    fn is_late_denial(&self, call: &Call, part: &PartFacts) -> bool {
        let has_run = call.allowed() && call.output() == Some(Author::Server);
        let was_allowed = call.sent_elsewhere() || call.is_out() || call.allowed_by_server() || has_run;
        was_allowed && !self.guard.is_adopted(part)
    }

    /// Law 7: refuses a denial of the page that has come too late.
    fn denied_late(&mut self, id: CallId, before: Option<PartFacts>) {
        if before.is_none_or(|before| before.flags.answer != Answer::No) {
            self.append(Event::refused(Some(id), false, false, self.guard.answerer(id)));
        }
    }

    /// Handles a part that was allowed.
    fn responded_yes(&mut self, id: CallId, part: PartFacts, before: Option<PartFacts>) {
        let Some(&call) = self.guard.call(id) else { return };
        let other = self.shows_other(id, part) || self.shows_other_edit(id, &call, part);
        let voided = match call.decision() {
            Some(decision) if !decision.approved => {
                return self.allowed_after_denial(id, part, before, decision);
            }
            Some(_) => other && matches!(call.delivery(), Delivery::Unsent | Delivery::History),
            None => other && call.asked(),
        };
        if voided {
            self.void(id, part);
        } else if call.may_have_run() && !call.answer_invalidated() {
            // Law 16: the list shows an allowance that was used. A person's new one is heard.
            self.append(Event::refused(Some(id), true, true, self.guard.changer(id)));
        } else if call.decision().is_none() && call.output().is_none() && !call.answer_invalidated() {
            self.answered(id, part, true);
        }
    }

    /// Law 7: until an answer was sent, the latest answer of the page counts. After that, the first one
    /// stands.
    fn allowed_after_denial(
        &mut self,
        id: CallId,
        part: PartFacts,
        before: Option<PartFacts>,
        denial: Decision,
    ) {
        let Some((call, seen)) = self.guard.known(id) else { return };
        let deliberate = denial.actor.deliberates() && !call.denied_by_rule();
        let unsent = call.delivery() == Delivery::Unsent;
        if self.ran_undenied(call, &part) {
            // The server had another answer first.
            self.answered(id, part, true);
        } else if unsent && deliberate && !seen.answer_is_fixed && self.guard.options.policy.attended {
            self.answered(id, part, true);
        } else if before.is_none_or(|before| before.flags.answer != Answer::Yes) {
            let actor = self.guard.answerer(id);
            self.append(Event::refused(Some(id), true, false, actor));
        }
    }

    /// Records the answer that a part shows.
    pub(super) fn answered(&mut self, id: CallId, part: PartFacts, approved: bool) {
        let actor = self.guard.answerer(id);
        // An earlier list has shown it without its approval.
        if part.approval.is_some() && self.guard.call(id).is_some_and(|call| call.approval().is_none()) {
            self.append(Event::asked(id, part.approval, part.input, self.guard.author_of_state(&part)));
        }
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.show(&part);
        }
        // A different answer was in force.
        self.fix_answer(id, false);
        if actor == Actor::Person {
            self.answered_directly(id, approved);
        } else {
            let edit = if approved { part.edit } else { 0 };
            let decision = Decision { edit, ..Decision::new(approved, actor) };
            self.append(Event::answer(id, EventKind::Answered, decision));
        }
    }

    /// Whether the part shows a changed input with which nobody has allowed the call here. A part without a change may be
    /// older than it.
    fn shows_other_edit(&self, id: CallId, call: &Call, part: PartFacts) -> bool {
        match call.decision() {
            _ if part.edit == 0 => false,
            Some(decision) => decision.edit != part.edit,
            None => self.guard.answerer(id) == Actor::Person,
        }
    }

    /// Handles a part whose denial is settled.
    fn output_denied(&mut self, id: CallId, part: PartFacts) {
        let Some(&call) = self.guard.call(id) else { return };
        let actor = self.guard.author_of_state(&part);
        let is_adopted = self.guard.is_adopted(&part);
        let has_run = call.allowed() && call.output().is_some_and(|author| author != Author::Page);
        if has_run && !is_adopted {
            // It has run: the denial left while that was not known (law 16).
            return;
        }
        // The server had another answer first, or has taken the denial as which the call has left.
        let overtakes = call.allowed();
        if call.decision().is_none() || overtakes {
            let was_closed = self.guard.seen.get(id).is_some_and(|seen| seen.left_closed);
            let decider = if was_closed { Actor::Superseded } else { actor };
            let answer = Event::answer(id, EventKind::Answered, Decision::new(false, decider));
            self.append(Event { actor, ..answer });
        }
        if overtakes || !call.denial_settled() {
            self.append(Event::on(id, EventKind::Settled, actor));
        }
    }

    /// Whether the part shows another input or server than the person was shown, or cannot be compared.
    pub(super) fn shows_other(&self, id: CallId, part: PartFacts) -> bool {
        self.guard.seen.get(id).is_some_and(|seen| seen.shows_other(&part))
    }

    /// Whether an allowance stands although the part asks again. Law 13: a replayed stream puts a question back, and a sent
    /// answer stays sent, or in doubt. An older list asks a person again about what was sent, when its response is over.
    fn outlasts(&mut self, id: CallId, call: &Call, part: PartFacts) -> bool {
        let index = self.guard.seen.get(id).and_then(|seen| seen.streamed);
        let heard = index.and_then(|index| self.guard.streamed.get_mut(index));
        let is_replay = heard.is_some_and(|heard| std::mem::take(&mut heard.replayed));
        let seen_only = is_replay && call.delivery() == Delivery::History;
        let unsent =
            call.delivery() == Delivery::Unsent || call.from_record() || call.elsewhere() || seen_only;
        let sent = call.was_sent() && part.approval.is_some() && part.approval == call.approval();
        let runs_on = is_replay || self.guard.responses.in_flight(call);
        call.allowed() && call.output().is_none() && (unsent || (sent && runs_on))
    }
}
