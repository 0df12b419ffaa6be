//! The responses that run and may still add to the last step. Responses overlap: the one to an earlier message goes on
//! while a later message asks, and is no reason to wait there.

use super::{Guard, Transaction};
use crate::core::call::Call;
use crate::core::id::{CallId, RequestId};
use crate::core::verdict::Need;

impl Guard {
    /// Whether a response is running: one to a request, or a resumed one.
    pub(super) fn is_responding(&self) -> bool {
        self.running.is_resumed() || !self.state().running.is_empty()
    }

    /// Law 1: whether a response is running that may still ask about the last step. In doubt it may.
    pub(super) fn may_ask(&self) -> bool {
        let running = &self.state().running;
        self.running.is_resumed() || running.iter().any(|&request| !self.is_of_another_message(request))
    }

    /// Whether the response to a request is surely not the last message: it has brought none of the calls that are or were
    /// there, carries none of those that are, and does not continue their message.
    pub(super) fn is_of_another_message(&self, request: RequestId) -> bool {
        let Some(continued) = self.running.continued(request) else { return false };
        let is_last = |call| self.is_in_last_message(call);
        let continues = continued.is_some_and(|call| self.place(call).is_none() || is_last(call));
        let is_its = |id: CallId| {
            let is_unheard = self.streamed(id).request.is_none();
            is_unheard || self.call(id).is_some_and(|call| call.was_sent_with(request))
        };
        let brings = self.streamed.by(request).any(is_last);
        !continues && !brings && !self.list.step.rows.iter().any(|&(id, _)| is_its(id))
    }

    /// The need of a settled call: the end of its response, if its news is about to be sent.
    pub(super) fn awaits_response(&self, id: CallId, call: &Call) -> Option<Need> {
        let is_new = call.fresh_answer() || call.failed_to_arrive() || self.shows_new_output(id);
        (is_new && self.may_ask()).then_some(Need::Response)
    }
}

impl Transaction<'_> {
    /// A request leaves, after its list was read.
    pub(super) fn responds(&mut self, request: RequestId) {
        let last = self.guard.last_call();
        let running = &self.guard.ledger.state().running;
        let is_known = last.is_some() || !self.guard.list.step.assistant;
        self.guard.running.begin(is_known.then_some((request, last)), running);
    }
}
