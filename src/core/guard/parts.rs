//! What a look at the messages says: each part is compared with what is known of its call.

use super::identity::{Match, Seen};
use super::{Problem, Transaction};
use crate::core::call::evidence::Input;
use crate::core::call::{Answer, Call, Delivery, PartFacts, PartFlags};
use crate::core::decision::{Actor, Author, Decision};
use crate::core::id::CallId;
use crate::core::ledger::Event;
use crate::core::protocol::ToolState;
use crate::core::verdict::{self, Step};

impl Transaction<'_> {
    /// Takes a part. `tracked` is the call that the same part showed at the last look.
    pub(super) fn see(&mut self, tracked: Option<CallId>, part: PartFacts, current: bool) {
        let (id, before) = match self.guard.find(tracked, &part, current) {
            Match::Older(id) => {
                self.out.call = id;
                return;
            }
            Match::Same(id) => (id, self.guard.seen.get(id).map(|seen| seen.part)),
            Match::New => (self.notice(part), None),
        };
        self.out.call = Some(id);
        if let Some(old) = tracked.filter(|&old| old != id && current) {
            self.missing(old);
        }
        self.remember(id, part);
        self.look(id, part, before);
    }

    /// Keeps what the part shows. Voids a denial that was given for another input.
    fn remember(&mut self, id: CallId, part: PartFacts) {
        let Some((call, seen)) = self.guard.call(id).copied().zip(self.guard.seen.get_mut(id)) else {
            return;
        };
        if seen.part.input != part.input {
            seen.prints.clear(); // they are of the old input
        }
        let says_no = part.flags.answer == Answer::No || part.flags.state == ToolState::OutputDenied;
        let voided = call.denied() && !says_no && seen.input(&call, &part) == Input::Different;
        if !call.asked() && !call.denied() && part.flags.state != ToolState::InputStreaming {
            seen.shown = part.input;
        }
        seen.part = part;
        seen.missing = false;
        if voided {
            self.note(Event::Voided { call: id, actor: self.guard.changer(id) });
        }
        if call.gone() {
            self.note(Event::Returned { call: id });
        }
    }

    fn notice(&mut self, row: PartFacts) -> CallId {
        let id = self.guard.seen.end();
        let previous = self.guard.latest.get(&row.id).copied();
        let streamed = self.guard.bind(id, &row);
        self.guard.latest.insert(row.id, id);
        self.guard.seen.push(Seen::new(row, previous, streamed));
        let actor = self.guard.writer();
        self.note(Event::Noticed { call: id, tool: row.tool, id: row.id, approval: row.approval, actor });
        id
    }

    /// Compares what a part shows with what is known of its call.
    fn look(&mut self, id: CallId, row: PartFacts, was: Option<PartFacts>) {
        let streamed = self.guard.streamed(id);
        let Some(&call) = self.guard.call(id) else { return };
        // The question came and went between two looks: its chunk has passed, its part is gone.
        let missed = streamed.approval != 0 && (row.approval == 0 || row.approval == streamed.approval);
        // Or the part itself shows a question without an answer under an output (`ai` 6 keeps it).
        let shows = row.approval != 0 && row.flags.has_output() && row.flags.answer == Answer::Absent;
        let past = row.flags.state.is_answered() || streamed.answer == Some(false);
        let unknown = !call.asked() && call.decision().is_none() && past;
        if unknown && (missed || shows) {
            let approval = if row.approval == 0 { streamed.approval } else { row.approval };
            self.note(Event::Asked { call: id, approval, input: row.input, actor: self.guard.writer() });
            if let Some(approved) = streamed.answer {
                self.note(Event::Answered { call: id, decision: Decision::new(approved, Actor::Server) });
            }
        }
        let open = row.flags.begins() || row.flags.state == ToolState::ApprovalRequested;
        let denied = row.flags.answer == Answer::No && row.approval != 0;
        if open && denied && self.guard.call(id).is_some_and(|call| call.decision().is_none()) {
            self.answered(id, row, false); // a stored denial whose state was lost
        }
        if row.flags.begins() && self.guard.call(id).is_some_and(|call| call.draft().is_some()) {
            self.note(Event::Voided { call: id, actor: self.guard.changer(id) }); // it has begun again
        }
        match row.flags.state {
            ToolState::ApprovalRequested => self.requested(id, row),
            ToolState::ApprovalResponded => self.responded(id, row, was),
            ToolState::OutputDenied => self.output_denied(id),
            ToolState::OutputAvailable | ToolState::OutputError => self.output(id, row, was),
            ToolState::InputStreaming | ToolState::InputAvailable | ToolState::Unknown => {}
        }
    }

    fn requested(&mut self, id: CallId, row: PartFacts) {
        let Some(&call) = self.guard.call(id) else { return };
        let same_input = self.guard.seen.get(id).is_some_and(|seen| seen.shown == row.input);
        if call.denied() {
            // A replayed stream puts the question back; the denial stands, also against a click on it.
            if let Some(seen) = self.guard.seen.get_mut(id) {
                seen.stands = true;
            }
            return;
        }
        let unsent = call.delivery() == Delivery::Unsent || call.from_record() || call.elsewhere();
        let sent = call.was_sent() && row.approval != 0 && row.approval == call.approval();
        if call.allowed() && call.output().is_none() && same_input && (unsent || sent) {
            // And so does an allowance. Law 13: what was sent stays sent, or in doubt, and no grant or rule answers
            // the same question once more.
            return;
        }
        let known = call.asked() || call.decision().is_some();
        let actor = if known { self.guard.changer(id) } else { self.guard.writer() };
        if call.decision().is_some() || (call.draft().is_some() && !same_input) {
            self.note(Event::Voided { call: id, actor });
        }
        let open = self.guard.call(id).is_some_and(|call| call.asking() && !call.answer_invalidated());
        if !open || !same_input {
            self.note(Event::Asked { call: id, approval: row.approval, input: row.input, actor });
        }
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.shown = row.input;
            if !same_input {
                seen.prints.clear();
            }
        }
    }

    fn responded(&mut self, id: CallId, row: PartFacts, was: Option<PartFacts>) {
        let Some(&call) = self.guard.call(id) else { return };
        let approved = match row.flags.answer {
            Answer::Yes if row.approval != 0 => true,
            Answer::No if row.approval != 0 || call.approval() != 0 => false,
            _ => {
                if was.is_none_or(|was| was.flags != row.flags) {
                    self.problem(Problem::MalformedApproval, Some(id));
                }
                return;
            }
        };
        let changed = self.guard.seen.get(id).is_some_and(|seen| seen.shown != row.input);
        match call.decision() {
            None if approved
                && changed
                && call.asked()
                && (call.draft().is_some() || !call.answer_invalidated()) =>
            {
                self.note(Event::Voided { call: id, actor: self.guard.changer(id) });
            }
            None if approved && call.answer_invalidated() => {}
            None => self.answered(id, row, approved),
            Some(decision) if decision.approved == approved => {
                if approved && changed && call.delivery() == Delivery::Unsent {
                    self.note(Event::Voided { call: id, actor: self.guard.changer(id) });
                }
            }
            Some(decision) if approved => {
                // The newest answer of the page counts until one was sent; then the first stands.
                let stands = self.guard.seen.get(id).is_some_and(|seen| seen.stands);
                let attended = self.guard.options.pace.attended;
                let by_person = decision.actor == Actor::Person && !call.denied_by_rule();
                if call.delivery() == Delivery::Unsent && by_person && !stands && attended {
                    self.answered(id, row, true);
                } else if was.is_none_or(|was| was.flags.answer != Answer::Yes) {
                    let actor = self.guard.answerer(id);
                    self.note(Event::Refused { call: Some(id), approved: true, shown: false, actor });
                }
            }
            Some(_) => self.answered(id, row, false),
        }
    }

    fn answered(&mut self, id: CallId, row: PartFacts, approved: bool) {
        let actor = self.guard.answerer(id);
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.shown = row.input;
        }
        if actor == Actor::Person {
            self.answered_directly(id, approved);
        } else {
            self.note(Event::Answered { call: id, decision: Decision::new(approved, actor) });
        }
    }

    fn output_denied(&mut self, id: CallId) {
        let Some(&call) = self.guard.call(id) else { return };
        let actor = self.guard.writer();
        if call.decision().is_none() {
            self.note(Event::Answered { call: id, decision: Decision::new(false, actor) });
        }
        if !call.settled() {
            self.note(Event::Settled { call: id, actor });
        }
    }

    fn output(&mut self, id: CallId, row: PartFacts, was: Option<PartFacts>) {
        let Some(&call) = self.guard.call(id) else { return };
        if row.flags.by_guard && call.superseded() {
            return;
        }
        let streamed = self.guard.streamed(id);
        let chunk = streamed.output == row.output && streamed.output != 0;
        let by_server = chunk || (row.flags.provider && !call.asking());
        let author = if self.guard.hydrating {
            Author::History
        } else if by_server || (call.allowed() && self.ran_elsewhere(&call)) {
            Author::Server
        } else {
            Author::Page
        };
        let changed = was.is_none_or(|was| was.output != row.output || !was.flags.state.has_result());
        if call.denied() || row.flags.answer == Answer::No {
            if !call.denied() {
                self.answered(id, row, false);
            }
            if changed {
                self.note(Event::Overwritten { call: id, author });
                if author == Author::Server {
                    self.problem(Problem::OutputOfDeniedCall, Some(id));
                }
            }
        } else if call.asking() && author == Author::Page && !self.allowed_by(id, row) {
            if row.flags.answer == Answer::Yes && !call.answer_invalidated() {
                let actor = self.guard.answerer(id);
                self.note(Event::Refused { call: Some(id), approved: true, shown: true, actor });
            }
            if changed {
                self.note(Event::OutputWithoutApproval { call: id });
                self.problem(Problem::OutputOverOpenApproval, Some(id));
            }
        } else if call.asking() && author == Author::Page && streamed.began {
            // Allowed and put out between two looks, while its response was still running.
            self.answered(id, row, true);
            self.note(Event::Output { call: id, author });
        } else if call.asking() {
            // Answered where this page does not see it: another device, or the server itself.
            self.note(Event::Answered { call: id, decision: Decision::new(true, self.guard.writer()) });
            self.note(Event::Output { call: id, author: Author::Server });
        } else if row.flags.has_output()
            && (call.output().is_none()
                || (changed && (author == Author::Page || call.output() != Some(author))))
        {
            self.note(Event::Output { call: id, author });
        }
    }

    /// Does a part that the page has put out show an allowance that counts? One that was taken back,
    /// that comes too late, or that was given for another input does not, and a drafted denial wins.
    fn allowed_by(&mut self, id: CallId, row: PartFacts) -> bool {
        self.pass();
        let changed = self.guard.seen.get(id).is_some_and(|seen| seen.shown != row.input);
        let open = |call: &Call| {
            !call.answer_invalidated() && call.draft().is_none_or(|draft| draft.decision.approved)
        };
        row.flags.answer == Answer::Yes && !changed && self.guard.call(id).is_some_and(open)
    }

    /// An approved tool that the page does not run has its output from the server, also where no
    /// chunk of it passed: what was approved had been sent, or nothing passes a transport at all.
    fn ran_elsewhere(&self, call: &Call) -> bool {
        let sent = !matches!(call.delivery(), Delivery::Unsent | Delivery::Idle);
        !self.guard.is_client(call) && (self.guard.state().requests == 0 || sent) && call.output().is_none()
    }

    pub(super) fn missing(&mut self, id: CallId) {
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.missing = true;
            self.guard.drift = true;
        }
    }

    pub(super) fn relocated(&mut self, id: CallId) {
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.missing = false;
        }
    }

    pub(super) fn scan_complete(&mut self, by: Actor) {
        if !std::mem::take(&mut self.guard.drift) {
            return;
        }
        for call in self.guard.seen.first()..self.guard.seen.end() {
            let lost = self.guard.seen.get_mut(call).is_some_and(|seen| std::mem::take(&mut seen.missing));
            if lost && self.guard.call(call).is_some_and(|c| !c.gone()) {
                self.note(Event::Gone { call, actor: by });
            }
        }
    }

    pub(super) fn step(&mut self, step: Step) {
        let open = |&(id, flags): &(CallId, PartFlags)| {
            self.guard.call(id).is_some_and(|call| {
                verdict::need(call, flags, self.guard.is_client(call)).is_some() && !flags.has_output()
            })
        };
        // Law 3 is about the step: while one call of it is open, its text answers no other.
        if step.rows.iter().any(open) {
            for &(id, _) in &step.rows {
                if let Some(seen) = self.guard.seen.get_mut(id) {
                    seen.open_text = Some(step.text);
                }
            }
        }
        self.guard.step = step;
        self.answer_step();
    }
}
