//! The authors of the outputs, answers and other states of calls that the messages show (law 14).

use super::{Guard, Seen};
use crate::core::call::{Call, Delivery, PartFacts};
use crate::core::decision::{Actor, Author};
use crate::core::id::CallId;

impl Guard {
    /// The author of something that is seen for the first time.
    pub(super) fn writer(&self) -> Actor {
        if self.list.is_history { Actor::History } else { Actor::Server }
    }

    /// The author of the state of a part, if no person has said it here.
    pub(super) fn author_of_state(&self, part: &PartFacts) -> Actor {
        if self.is_adopted(part) { Actor::Server } else { self.writer() }
    }

    /// The author of an answer that the messages show.
    pub(super) fn answerer(&self, id: CallId) -> Actor {
        let is_heard =
            |part: &PartFacts| self.streamed(id).answer.is_some() || self.heard_answer(part).is_some();
        let is_known = |part: &&PartFacts| self.list.is_history || is_heard(part) || self.is_adopted(part);
        let known = self.seen.get(id).map(|seen| &seen.part).filter(is_known);
        let concluded = if self.comes_from_before(id) { Actor::History } else { Actor::Person };
        known.map_or(concluded, |part| self.author_of_state(part))
    }

    /// The actor who put another input, or an earlier state, in the place of a call: the server while a
    /// response about the call is running, otherwise the page. It is never a person.
    pub(super) fn changer(&self, id: CallId) -> Actor {
        let streamed = self.streamed(id);
        // A resumed response has no number, and its end is not known.
        let passes = streamed.request.is_none() || self.responses.runs(streamed.request);
        let by_response = streamed.last.is_some() && passes;
        if by_response || self.list.is_history { self.writer() } else { Actor::Application }
    }

    /// The author is known where the list came from the server, where a response has said this output, or where the
    /// page has written it through the chat. It is also known where the call had the output before. Else it is
    /// concluded from what the call is.
    pub(super) fn author_of_output(&self, id: CallId, call: &Call, part: &PartFacts) -> Author {
        if self.is_adopted(part) || self.list.is_history {
            return Author::of(self.author_of_state(part));
        }
        if part.output != 0 {
            if self.heard_output(part.id, part.output) {
                return Author::Server;
            }
            if self.seen.get(id).is_some_and(|seen| seen.page_output == part.output) {
                return Author::Page;
            }
            if let Some(author) = self.known_author(part).filter(|_| !call.asking()) {
                return author;
            }
            if self.comes_from_before(id) {
                return Author::History;
            }
        }
        let by_provider = part.flags.provider && !call.asking();
        // A message has closed it while its allowance was out.
        let may_have_run = call.superseded() && call.in_doubt_before() && !self.is_client(call);
        let ran = may_have_run || call.sent_elsewhere() || (call.allowed() && self.ran_unheard(call));
        let is_of_server = by_provider || ran;
        if is_of_server { Author::Server } else { Author::Page }
    }

    /// Whether the list alone has brought a call as it is: no response has told of it, and nobody here has seen it open. An
    /// attached chat tells what the page does about its calls.
    fn comes_from_before(&self, id: CallId) -> bool {
        let is_unknown = |seen: &Seen| seen.streamed.is_none() && seen.open_text.is_none();
        let asked = self.call(id).is_some_and(Call::asked);
        self.list.reports_answers && !asked && self.seen.get(id).is_some_and(is_unknown)
    }

    /// The author of this output when the call had it before, also if the call has moved and is a new one now. Law 2: what
    /// has left from its old place is nothing new.
    fn known_author(&self, part: &PartFacts) -> Option<Author> {
        self.with_call_id(part.id).find_map(|other| {
            let had = self.seen.get(other).is_some_and(|seen| seen.outputs.contains(&part.output));
            let call = self.call(other).filter(|_| had)?;
            if call.was_sent() { call.output().and(Some(Author::History)) } else { call.output() }
        })
    }

    /// Whether an output of an allowed call is the server's although no response has said it: the page does not run the
    /// tool, and the allowance was sent, or no request goes through the guard's transport.
    fn ran_unheard(&self, call: &Call) -> bool {
        let sent = !matches!(call.delivery(), Delivery::Unsent | Delivery::Idle);
        let may_be_sent = sent || self.state().last_request.is_none();
        !self.is_client(call) && may_be_sent && call.output().is_none()
    }

    /// Whether the server has to be told the output of a call, because the page has written it or will.
    pub(super) fn is_output_of_page(&self, call: Option<&Call>) -> bool {
        let is_of_page = |call: &Call| match call.output() {
            Some(Author::Page) => true,
            Some(Author::History) | None => self.is_client(call),
            Some(Author::Server) => false,
        };
        call.is_none_or(is_of_page)
    }
}
