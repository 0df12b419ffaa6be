//! The beginning and the end of a response, and which of them may still add to the last step. They overlap: the one to an
//! earlier message goes on while a later message asks, and is no reason to wait there.

use super::pause::Pause;
use super::response::{Response, Writes};
use super::{Failure, Guard, Transaction};
use crate::core::call::{Call, Delivery};
use crate::core::decision::Actor;
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, RequestId, StringId};
use crate::core::verdict::Need;

impl Guard {
    /// Law 1: whether a response is running that may still ask about the last step. In doubt it may.
    pub(super) fn may_ask(&self) -> bool {
        self.responses.0.iter().any(|response| !self.writes_another_message(response))
    }

    /// Whether a response surely does not write the last message: it has brought none of the calls that are or were there,
    /// carries none of those that are, and does not continue their message.
    fn writes_another_message(&self, response: &Response) -> bool {
        let request = response.request;
        let is_last = |call| self.is_in_last_message(call);
        let continues = match response.writes {
            Writes::Any => true,
            Writes::New => false,
            Writes::MessageOf(call) => self.place(call).is_none() || is_last(call),
        };
        let is_its = |id: CallId| {
            let is_unheard = self.streamed(id).request.is_none();
            is_unheard || self.call(id).is_some_and(|call| call.was_sent_with(request))
        };
        let brings = || self.streamed.by(request).any(is_last);
        !continues && !brings() && !self.list.step.rows.iter().any(|&(id, _)| is_its(id))
    }

    /// Whether the response to a message of a person writes an older message: none that it continues, and one that has had
    /// a call when its request left.
    pub(super) fn writes_older_message(&self, request: RequestId, message: StringId) -> bool {
        let Some(response) = self.responses.get(request) else { return false };
        let is_there = |id: CallId| {
            self.call(id).is_some_and(|call| !call.gone())
                && self.place(id).is_some_and(|place| place.message == message)
        };
        let continues = matches!(response.writes, Writes::MessageOf(call) if is_there(call));
        let was_there = |id: &CallId| response.asked_before.is_some_and(|next| *id < next);
        !continues && self.seen.ids().filter(was_there).any(is_there)
    }

    /// The need of a settled call: the end of its response, if its news is about to be sent.
    pub(super) fn awaits_response(&self, id: CallId, call: &Call) -> Option<Need> {
        let is_new = call.fresh_answer() || call.failed_to_arrive() || self.shows_new_output(id);
        (is_new && self.may_ask()).then_some(Need::Response)
    }
}

impl Transaction<'_> {
    /// A request leaves, after its list was read. `by_person`: whether with a message, an edit or a regeneration.
    pub(super) fn responds(&mut self, request: RequestId, by_person: bool) {
        let guard = &mut *self.guard;
        let writes = match guard.last_call() {
            Some(call) => Writes::MessageOf(call),
            None if guard.list.step.assistant => Writes::Any,
            None => Writes::New,
        };
        let asked_before = by_person.then(|| guard.seen.end());
        // The ledger drops the oldest ones, whose end nobody sees.
        let running = &guard.ledger.state().running;
        guard.responses.0.retain(|it| it.request.is_none() || running.contains(&it.request));
        if writes == Writes::Any {
            // Each of the others may write that, too.
            guard.responses.0.iter_mut().for_each(|other| other.writes = Writes::Any);
        }
        guard.responses.0.push(Response { request, writes, asked_before, list: None });
    }

    pub(super) fn started(&mut self, request: RequestId) {
        if self.guard.responses.runs(request) {
            self.append(Event::of(request, EventKind::Started, Actor::Server));
        }
    }

    pub(super) fn ended(&mut self, request: RequestId) {
        let Some(response) = self.guard.responses.end(request) else { return };
        self.append(Event::of(request, EventKind::Ended, Actor::Server));
        self.append_where(EventKind::Settled, Actor::Server, |guard, id| {
            let is_there = |call: &Call| call.delivery() == Delivery::Delivered(request);
            guard.call(id).is_some_and(|call| is_there(call) && call.denied() && !call.denial_settled())
        });
        self.find_unhandled();
        self.find_lost(None);
        if let Some(list) = response.list {
            self.list_arrived(list);
        }
        self.guard.timers.try_again();
    }

    pub(super) fn failed(&mut self, request: RequestId, failure: Failure) {
        let Some(response) = self.guard.responses.end(request) else { return };
        self.guard.exchange.request_over();
        // If the response has started, the server did not refuse the request, whatever the error says.
        let started = |&id: &CallId| {
            self.guard.call(id).is_some_and(|call| call.delivery() == Delivery::Delivered(request))
        };
        let doubt = !failure.is_refusal() || self.guard.state().live.iter().any(started);
        let is_of_step = !self.guard.writes_another_message(&response);
        let event = Event::failed(request, doubt);
        // Law 14: the server has not heard of a request that did not leave, and a stop breaks off the rest.
        let actor = match failure {
            Failure::NotAsked | Failure::Unknown if self.guard.state().stopped => Actor::Stop,
            Failure::NotAsked => Actor::Application,
            _ => event.actor,
        };
        self.append(Event { actor, ..event });
        if is_of_step {
            self.guard.pause = Pause::Everything;
        }
        self.guard.timers.try_again();
        self.find_lost(None);
        self.guard.versions.view += 1;
    }

    /// A resumed response begins.
    pub(super) fn resumed(&mut self) {
        let (request, writes) = (RequestId::NONE, Writes::Any);
        self.guard.responses.0.push(Response { request, writes, asked_before: None, list: None });
        self.resumed_changes();
    }

    /// A resumed response has broken off, or `to_its_end`: the chat asks after it, so what has waited since a break goes on.
    pub(super) fn resumed_is_over(&mut self, to_its_end: bool) {
        if self.guard.responses.end(RequestId::NONE).is_none() {
            return;
        }
        self.find_lost(Some(self.guard.writer())); // what it has begun to repeat
        // A call that it has not brought again is looked for once more.
        let is_last = !self.guard.responses.is_resumed();
        self.guard.list.is_displaced |= is_last && self.guard.seen.iter_mut().any(|seen| seen.missing);
        self.resumed_changes();
        self.find_unhandled();
        if to_its_end {
            self.guard.pause.end_break();
        }
    }

    fn resumed_changes(&mut self) {
        self.guard.timers.try_again();
        self.guard.versions.view += 1;
        self.guard.versions.repairs += 1;
    }
}
