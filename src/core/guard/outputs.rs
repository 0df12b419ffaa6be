//! What a seen output means for its call.

use super::{Problem, Transaction};
use crate::core::call::{Answer, Call, Delivery, PartFacts};
use crate::core::decision::{Author, Decision};
use crate::core::id::CallId;
use crate::core::ledger::Event;

impl Transaction<'_> {
    /// Takes a part with an output or an error.
    pub(super) fn output(&mut self, id: CallId, part: PartFacts, before: Option<PartFacts>) {
        let Some(&call) = self.guard.call(id) else { return };
        if part.flags.by_guard && call.superseded() {
            return;
        }
        let author = self.author_of_output(id, &call, part);
        let changed =
            before.is_none_or(|before| before.output != part.output || !before.flags.state.has_result());
        if call.denied() || part.flags.answer == Answer::No {
            self.output_of_denied(id, part, author, changed);
        } else if call.asking() {
            self.output_over_question(id, part, author, changed);
        } else if part.flags.has_output() {
            let other = changed && (author == Author::Page || call.output() != Some(author));
            if call.output().is_none() || other {
                self.note(Event::Output { call: id, author });
            }
        }
    }

    /// Law 4: the denial stands under the output.
    fn output_of_denied(&mut self, id: CallId, part: PartFacts, author: Author, changed: bool) {
        if !self.guard.call(id).is_some_and(Call::denied) {
            self.answered(id, part, false);
        }
        if changed {
            self.note(Event::Overwritten { call: id, author });
            if author == Author::Server {
                self.problem(Problem::OutputOfDeniedCall, Some(id));
            }
        }
    }

    /// Law 5: an output of the page over a question is no answer, unless the part shows an allowance that counts.
    fn output_over_question(&mut self, id: CallId, part: PartFacts, author: Author, changed: bool) {
        let by_page = author == Author::Page;
        if by_page && !self.shows_allowance(id, part) {
            let invalidated = self.guard.call(id).is_some_and(|call| call.answer_invalidated());
            if part.flags.answer == Answer::Yes && !invalidated {
                let actor = self.guard.answerer(id);
                self.note(Event::Refused { call: Some(id), approved: true, shown: true, actor });
            }
            if changed {
                self.note(Event::OutputWithoutApproval { call: id });
                self.problem(Problem::OutputOverOpenApproval, Some(id));
            }
        } else if by_page && self.guard.streamed(id).began {
            // Allowed and put out between two looks, while its response was still running.
            self.answered(id, part, true);
            self.note(Event::Output { call: id, author });
        } else {
            // Answered where this page does not see it: on another device, or by the server itself.
            self.note(Event::Answered { call: id, decision: Decision::new(true, self.guard.writer()) });
            self.note(Event::Output { call: id, author: Author::Server });
        }
    }

    fn author_of_output(&self, id: CallId, call: &Call, part: PartFacts) -> Author {
        let streamed = self.guard.streamed(id);
        let streamed_output = streamed.output == part.output && streamed.output != 0;
        let by_provider = part.flags.provider && !call.asking();
        if self.guard.hydrating {
            Author::History
        } else if streamed_output || by_provider || (call.allowed() && self.ran_elsewhere(call)) {
            Author::Server
        } else {
            Author::Page
        }
    }

    /// Whether a part that the page has put out shows an allowance that counts. One that was taken back, that comes
    /// too late, or that was given for another input does not, and a drafted denial wins.
    fn shows_allowance(&mut self, id: CallId, part: PartFacts) -> bool {
        self.pass();
        let counts = |call: &Call| {
            !call.answer_invalidated() && call.draft().is_none_or(|draft| draft.decision.approved)
        };
        let same_input = !self.shows_other_input(id, part);
        part.flags.answer == Answer::Yes && same_input && self.guard.call(id).is_some_and(counts)
    }

    /// Whether an allowed call has its output from the server although no chunk of it passed: the page does not run
    /// the tool, and the allowance had been sent, or nothing passes a transport at all.
    fn ran_elsewhere(&self, call: &Call) -> bool {
        let sent = !matches!(call.delivery(), Delivery::Unsent | Delivery::Idle);
        !self.guard.is_client(call) && (self.guard.state().requests == 0 || sent) && call.output().is_none()
    }
}
