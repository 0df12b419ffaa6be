//! The questions and requests of the chat.

use serde_json::json;
use tool_approval_guard::core::call::Status;
use tool_approval_guard::core::guard::{Fact, Permitted};
use tool_approval_guard::core::id::RequestId;
use tool_approval_guard::core::repair::Scope;
use tool_approval_guard::core::verdict::{Permit, Reason};

use super::{CHAT, ChatSimulator, Flight, Moment, last_step, tag};
use crate::common::{is_tool, parts};

impl ChatSimulator {
    pub(super) fn ask(&mut self) -> Reason {
        let before = self.messages.clone();
        self.page.look_at_last(&self.messages, true);
        self.messages = self.page.repaired(&self.messages, Scope::Home);
        let told = self.page.guard.verdict();
        let reason = self.page.tell(Fact::Ask).reason().unwrap();
        let (after, truths, idle) = (self.messages.clone(), self.truths.clone(), self.idle);
        let statuses = self.statuses();
        self.trace.push(Moment::Asked { before, after, truths, told, reason, idle, statuses });
        self.idle.yes_in_turn |= reason.sends();
        self.asked = true;
        reason
    }

    /// The guard reads what the chat has, which does not ask. Returns whether the guard has it asked.
    fn rest(&mut self) -> bool {
        self.page.look_at_last(&self.messages, true);
        self.messages = self.page.repaired(&self.messages, Scope::Home);
        self.page.look_at_last(&self.messages, true);
        if self.pending_yes_for.is_some() && self.pending_yes_for == self.last_call() {
            return false; // it was told yes, and has dropped that
        }
        let wakes = self.page.guard.is_unasked();
        let (after, truths, idle) = (self.messages.clone(), self.truths.clone(), self.idle);
        self.trace.push(Moment::Rested { after, truths, idle, wakes });
        wakes
    }

    pub(super) fn statuses(&self) -> Vec<(usize, Status)> {
        let calls = &self.page.guard.state().calls;
        self.page.rows().filter_map(|(part, call)| Some((tag(part), calls.get(call)?.status()))).collect()
    }

    /// Does what the SDK does after the messages have changed or a response has ended.
    pub(super) fn settle(&mut self) {
        let is_silent = self.silent && self.asked && !self.idle.permit;
        if self.flight.is_none() && (!is_silent || self.rest()) {
            let reason = self.ask();
            if std::mem::take(&mut self.drops) {
                self.pending_yes_for = self.last_call().filter(|_| reason.sends());
                self.ask(); // the application asks again, and ignores both answers
            } else if reason.sends() {
                self.send(false, !matches!(reason, Reason::Retry | Reason::Resume));
            }
        }
    }

    pub(super) fn send(&mut self, person: bool, automatic: bool) {
        let active = match self.messages.last() {
            Some(last) if last["role"] == "assistant" => last.clone(),
            _ => json!({ "id": self.fresh("a"), "role": "assistant", "parts": [] }),
        };
        let (request, wire) = if self.watched {
            self.page.sweep(&self.messages);
            let before = self.page.log.len();
            let (request, wire) = self.page.send(&self.messages, CHAT, person);
            let pending_yes_for = self.pending_yes_for.is_some() && self.pending_yes_for == self.last_call();
            if !person && !automatic && !pending_yes_for {
                let (home, truths) = (self.messages.clone(), self.truths.clone());
                let after = self.page.repaired(&self.messages, Scope::Home);
                let added = self.page.log.len() - before;
                self.trace.push(Moment::Continued { home, after, truths, refused: request.is_none(), added });
            }
            (request, wire)
        } else {
            self.page.sweep(&self.messages);
            (RequestId(u32::MAX), self.messages.clone())
        };
        if request.is_none() {
            return;
        }
        let home = self.messages.clone();
        let follows: Vec<bool> = {
            let last: Vec<usize> = last_step(&home).iter().filter(|part| is_tool(part)).map(tag).collect();
            (0..self.truths.len()).map(|call| person || !last.contains(&call)).collect()
        };
        // A backend that has refused a denial before what follows it gets none any more.
        self.files |= self
            .truths
            .iter()
            .zip(&follows)
            .any(|(t, follows)| *follows && t.denied() && t.failed && !t.superseded);
        for (truth, follows) in self.truths.iter_mut().zip(&follows) {
            let was_sent = truth.carried.is_some() || truth.failed;
            truth.settled |= *follows && truth.denied() && (self.files || was_sent);
        }
        let truths = self.truths.clone();
        let pending_yes_for = self.pending_yes_for.take();
        let automatic =
            automatic || (!person && pending_yes_for.is_some() && pending_yes_for == self.last_call());
        self.trace.push(Moment::Sent { home, wire: wire.clone(), truths, person, automatic });
        let last = self.messages.last().cloned();
        self.messages = self.page.repaired(&self.messages, Scope::Home);
        if let (false, Some(last), Some(place)) = (person, last, self.messages.last_mut()) {
            *place = last; // the running response would overwrite its repair
        }
        for part in wire.iter().flat_map(parts).filter(|part| is_tool(part)) {
            let Some(truth) = self.truths.get_mut(tag(part)) else { continue };
            let follows = follows[tag(part)];
            if truth.is_put_back(person, automatic && !follows) {
                truth.answer = Some(true);
                truth.page_output = truth.ran.take();
                truth.put_back = true;
            }
            if part["approval"]["approved"] == false && !truth.denied() {
                truth.answer = Some(false);
                truth.reason = None;
                truth.carried = None;
                truth.superseded = true;
                truth.void_denial = false;
                truth.settled = follows; // what follows it closes it
            }
            truth.superseded |= part["errorText"] == "superseded";
            if truth.answer.is_some() && truth.carried.is_none() {
                truth.carried = Some(request);
            }
            if truth.answer == Some(true) && !truth.delivered {
                truth.flying = Some(request);
            }
            if truth.denied() && truth.failed {
                truth.carried = Some(request);
                truth.settled |= follows;
            }
            truth.failed = false;
            truth.answer_new = false;
            truth.output_new = false;
            truth.output_changed = false;
            truth.sent_output = truth.page_output;
        }
        self.bound = true;
        // A bare continue is no act of a person.
        self.idle.automatic = if person { 0 } else { self.idle.automatic + u32::from(automatic) };
        self.idle.stopped = false;
        self.idle.permit = false;
        self.idle.yes_in_turn = false;
        self.flight = Some(Flight { request, started: false, begun: false, active, wire });
    }

    pub(super) fn retry(&mut self) {
        self.pending_yes_for = None; // now a person sends
        self.page.look_at_last(&self.messages, true);
        let permitted = self.page.tell(Fact::Permit(Permit::Retry)).permitted();
        match permitted {
            Some(Permitted::Continue) => {
                self.idle.automatic = 0;
                self.send(false, false);
            }
            Some(Permitted::Rewrite(_)) => {
                self.idle.permit = true;
                self.idle.automatic = 0;
                self.idle.stopped = false;
                self.settle();
            }
            _ => {}
        }
        self.page.tell(Fact::PermitOver);
        self.idle.permit = false;
    }
}
