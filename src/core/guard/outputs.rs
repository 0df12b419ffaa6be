//! The meaning of an output in the messages for its call.

use super::{Problem, Seen, Transaction};
use crate::core::call::{Answer, Call, Digest, PartFacts};
use crate::core::decision::{Actor, Author};
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, StringId};

impl Transaction<'_> {
    /// The page writes an output. The SDK puts it into each part with this call id in the first message that has one
    /// (`AbstractChat.addToolOutput`). It does so also over the output of another call than the one that waits.
    pub(super) fn page_output(&mut self, id: StringId, output: Digest) {
        let calls: Vec<CallId> = self.guard.with_call_id(id).collect();
        for call in calls {
            let counts_here = |call: &Call| call.asking() || (call.allowed() && !call.elsewhere());
            let is_new = self.guard.call(call).is_some_and(counts_here);
            if let Some(seen) = self.guard.seen.get_mut(call) {
                seen.page_output = output;
                // The same one, written again over the question, is another mistake, and over an allowance it is an output.
                seen.overwriting = seen.overwriting.filter(|_| !is_new);
            }
        }
        let guard = &*self.guard;
        let index = |id| guard.place(id).map(|place| place.index);
        let calls = || {
            let present = |id| Some((id, guard.call(id).filter(|call| !call.gone())?));
            guard.with_call_id(id).filter_map(present)
        };
        let first = calls().filter_map(|(id, _)| index(id)).min();
        let lost = calls().any(|(id, call)| index(id) == first && call.output().is_some());
        let is_open = |call: &Call| call.output().is_none() && call.decision().is_none();
        let waits = calls().find(|&(id, call)| is_open(call) && (lost || index(id) != first));
        if let Some((id, _)) = waits {
            self.problem(Problem::MisplacedOutput, Some(id));
        }
    }

    /// Handles a part with an output or an error.
    pub(super) fn output(&mut self, id: CallId, part: PartFacts, before: Option<PartFacts>) {
        let Some(&call) = self.guard.call(id) else { return };
        // A text that the guard itself has written over a call is no output of it.
        let is_asking_still = call.asking() && part.flags.answer == Answer::Absent;
        if part.flags.by_guard && (call.superseded() || call.output().is_some() || is_asking_still) {
            return;
        }
        let author = self.guard.author_of_output(id, &call, &part);
        let changed =
            before.is_none_or(|before| before.output != part.output || !before.flags.state.has_result());
        if self.ran_undenied(&call, &part) {
            self.ran_elsewhere(id, Actor::Server, part.edit);
        } else if call.sent_elsewhere() && author == Author::Page {
            self.output_over_call_of_other_tab(id, part, changed);
        } else if call.denied() || part.flags.answer == Answer::No {
            self.output_of_denied(id, part, author, changed);
        } else if let Some(ran) = call.ran().filter(|_| call.asking() && self.was_seen(id, part)) {
            // A newer list has its output again, so what was decided over the older one comes too late (law 7).
            if let Some(draft) = call.draft() {
                self.append(Event::refused(Some(id), draft.decision.approved, false, draft.decision.actor));
            }
            self.append(Event::put_out(id, EventKind::Output, ran));
        } else if call.asking() {
            self.output_over_question(id, part, author, changed);
        } else if part.flags.has_output() && !self.was_no_answer(id, &call, part, author) {
            let again = self.was_seen(id, part);
            let other = changed && !again && (author == Author::Page || call.output() != Some(author));
            if let Some(seen) = self.guard.seen.get_mut(id).filter(|_| !again) {
                // Nobody else has seen what the page writes over before it leaves, nor a preliminary result.
                let is_preliminary = call.output() == Some(Author::Server) && author == Author::Server;
                let was_last = before.is_some_and(|before| seen.outputs.last() == Some(&before.output));
                if was_last && (call.fresh_output() || is_preliminary) {
                    seen.outputs.pop();
                }
                seen.outputs.push(part.output);
            }
            let shows_edit = part.edit != 0 && part.flags.answer == Answer::Yes;
            if shows_edit && call.decision().is_none() && call.output().is_none() {
                // It has run with the changed input, which an older list does not show.
                self.ran_elsewhere(id, self.guard.author_of_state(&part), part.edit);
            } else if call.output().is_none() || other {
                self.append(Event::put_out(id, EventKind::Output, author));
            }
        }
    }

    /// Law 2: whether this output of the call was sent, or is the last one that was seen.
    fn was_seen(&self, id: CallId, part: PartFacts) -> bool {
        self.guard.seen.get(id).is_some_and(|seen| seen.outputs.contains(&part.output))
    }

    /// Law 5: whether the page had written this output over the question, before the call was allowed. A response that still runs
    /// puts back what the guard has taken away. A chat that reports each output tells of one that is written again.
    fn was_no_answer(&self, id: CallId, call: &Call, part: PartFacts, author: Author) -> bool {
        let written = Some((part.output, Author::Page));
        let is_it = |seen: &Seen| seen.overwriting == written && author == Author::Page;
        let is_told = self.guard.list.reports_answers && call.allowed_without_output();
        is_told && self.guard.seen.get(id).is_some_and(is_it)
    }

    /// Law 4: a denial stands even under an output.
    fn output_of_denied(&mut self, id: CallId, part: PartFacts, author: Author, changed: bool) {
        if !self.guard.call(id).is_some_and(Call::denied) {
            self.answered(id, part, false);
        }
        // An output that was seen before the denial is the one over which the person has denied.
        let is_old = self.was_seen(id, part);
        if !is_old && self.overwrites(id, part, author, changed) && author == Author::Server {
            self.problem(Problem::OutputOfDeniedCall, Some(id));
        }
    }

    /// Law 13: another tab has sent the allowance, and hears of the result. This page does not know of one, so what it
    /// writes is none.
    fn output_over_call_of_other_tab(&mut self, id: CallId, part: PartFacts, changed: bool) {
        if part.flags.answer == Answer::No && changed {
            self.append(Event::refused(Some(id), false, false, self.guard.answerer(id)));
        }
        self.overwrites(id, part, Author::Page, changed);
    }

    /// Records an output over an answer that stands, and returns whether it is a new one. A response that still runs can
    /// put back what the guard has taken away: that is the same output.
    fn overwrites(&mut self, id: CallId, part: PartFacts, author: Author, changed: bool) -> bool {
        let is_new = self.is_other_output(id, part, author) && changed;
        if is_new {
            self.append(Event::put_out(id, EventKind::Overwritten, author));
        }
        is_new
    }

    /// Whether this output is another one than the last that was written where none counts.
    fn is_other_output(&mut self, id: CallId, part: PartFacts, author: Author) -> bool {
        let output = Some((part.output, author));
        let seen = self.guard.seen.get_mut(id);
        seen.is_some_and(|seen| std::mem::replace(&mut seen.overwriting, output) != output)
    }

    /// Law 5: an output of the page over a question is no answer, unless the part shows a valid allowance.
    fn output_over_question(&mut self, id: CallId, part: PartFacts, author: Author, changed: bool) {
        let by_page = author == Author::Page;
        if by_page && !self.shows_allowance(id, part) {
            let invalidated = self.guard.call(id).is_some_and(|call| call.answer_invalidated());
            if part.flags.answer == Answer::Yes && !invalidated {
                let actor = self.guard.answerer(id);
                self.append(Event::refused(Some(id), true, true, actor));
            }
            // A request that had to wait for a transaction may show the question once more.
            if self.is_other_output(id, part, author) && changed {
                self.output_without_approval(id);
            }
        } else if by_page && self.guard.streamed(id).began {
            // It was allowed and got its output between two scans, while its response was still running.
            self.answered(id, part, true);
            self.append(Event::put_out(id, EventKind::Output, author));
        } else {
            // It was answered outside this page: on another device, or by the server itself.
            self.ran_elsewhere(id, self.guard.author_of_state(&part), part.edit);
        }
    }

    /// Records and reports an output of the page that is no answer.
    pub(super) fn output_without_approval(&mut self, id: CallId) {
        self.append(Event::on(id, EventKind::OutputWithoutApproval, Actor::Application));
        self.problem(Problem::OutputOverOpenApproval, Some(id));
    }

    /// Whether a part with an output of the page shows a valid allowance. An allowance is not valid if it was
    /// withdrawn, came too late, or was given for another input. A drafted denial wins.
    fn shows_allowance(&mut self, id: CallId, part: PartFacts) -> bool {
        self.expire_due();
        let counts = |call: &Call| {
            !call.answer_invalidated() && call.draft().is_none_or(|draft| draft.decision.approved)
        };
        let same_input = !self.shows_other(id, part);
        part.flags.answer == Answer::Yes && same_input && self.guard.call(id).is_some_and(counts)
    }
}
