//! What goes out: the question whether to send, the request itself, and what becomes of it.

use super::{Guard, Permitted, Problem, Transaction, Transport};
use crate::core::call::{Call, Delivery};
use crate::core::decision::{Actor, Author};
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, RequestId, StringId};
use crate::core::protocol::ToolState;
use crate::core::verdict::Permit;

/// What is known of a request that broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The transport was not asked.
    NotAsked,
    /// The error of the transport carries this status.
    Status(u32),
    /// Nothing that proves anything.
    Unknown,
}

impl Failure {
    /// What is known of a request that broke. `asked`: the transport was asked for it; `status`: what its error
    /// carries, or NaN.
    pub fn of(asked: bool, status: f64) -> Self {
        match (asked, status as u32) {
            (false, _) => Self::NotAsked,
            (true, whole) if f64::from(whole) == status => Self::Status(whole),
            _ => Self::Unknown,
        }
    }

    /// Law 13: whether it is proven that the server has refused the request.
    fn is_refusal(self) -> bool {
        match self {
            Self::NotAsked => true,
            Self::Status(status) => (400..=599).contains(&status),
            Self::Unknown => false,
        }
    }
}

impl Guard {
    /// Nothing where the call stays open when a person moves on; otherwise whether it may have run.
    pub(super) fn left_behind(&self, id: CallId, person: bool) -> Option<bool> {
        let call = self.call(id)?;
        let flags = self.seen.get(id)?.part.flags;
        let client = self.is_client(call);
        if call.gone() || call.superseded() {
            return None;
        }
        if call.asking() {
            return Some(false);
        }
        if call.allowed() && call.output().is_none() {
            // Another page has sent it, or will, and here it has no result.
            let shows = !flags.has_output()
                && (call.elsewhere() || call.delivery() == Delivery::Delivered(RequestId::NONE));
            if shows {
                return person.then_some(true);
            }
            let unsent = match call.delivery() {
                Delivery::Unsent => Some(false),
                Delivery::Failed | Delivery::Doubt | Delivery::History => Some(true),
                _ => None,
            };
            // Without a message what is allowed stays, but for a tool that still waits for the page.
            return unsent.filter(|_| person || client);
        }
        let garbled = flags.state == ToolState::ApprovalResponded && call.approval().is_some();
        if garbled && call.decision().is_none() {
            return Some(false);
        }
        let unanswered = call.decision().is_none() && call.output().is_none() && !flags.provider;
        (client && unanswered && flags.begins()).then_some(false)
    }
}

impl Transaction<'_> {
    pub(super) fn ask(&mut self) {
        self.pass();
        let reason = self.guard.verdict();
        if reason.sends() {
            self.guard.lease = true;
            self.guard.pending_yes_for = self.guard.last_call();
            self.guard.unclaimed += 1;
            self.guard.changes += 1;
        }
        self.out.reason = Some(reason);
    }

    /// The SDK asks its transport in the turn of the yes. Before any request was seen, a yes without one
    /// means that the chat has another transport; after it, that the chat did not send.
    pub(super) fn lease_over(&mut self) {
        self.guard.changes += u32::from(std::mem::take(&mut self.guard.lease));
        if self.guard.pending_yes_for.is_some() && self.guard.transport == Transport::Unknown {
            self.guard.transport = Transport::Missing;
            self.problem(Problem::UnwatchedRequest, None);
        }
    }

    pub(super) fn send(&mut self, chat: StringId, person: bool) {
        self.guard.transport = Transport::Seen;
        if self.guard.options.chat.is_none() {
            self.guard.options.chat = chat;
        }
        if self.guard.options.chat != chat {
            self.problem(Problem::WrongChat, None);
            return;
        }
        self.pass();
        self.guard.settle_stream();
        let pending_yes_for =
            self.guard.pending_yes_for.is_some() && self.guard.pending_yes_for == self.guard.last_call();
        let automatic = !person && pending_yes_for && self.guard.permit.is_none();
        let closes = self.guard.options.deny_when_user_sends;
        if closes && !person && !automatic && !self.guard.waiting().is_empty() {
            // Continued by hand, without a message: nobody has moved on, so what is open stays open.
            self.problem(Problem::Waiting, None);
            return;
        }
        let live = self.guard.state().live.clone();
        if closes && !automatic {
            for &id in &live {
                // A drafted denial is what the person wanted; a drafted allowance is no yes.
                let draft = self.guard.call(id).and_then(|call| call.draft()).map(|draft| draft.decision);
                if let Some(decision) = draft.filter(|decision| !decision.approved) {
                    self.append(Event::answer(id, EventKind::Answered, decision));
                    self.end_older(decision);
                    if person {
                        self.append(Event::on(id, EventKind::ClosedByUserMessage, Actor::Superseded));
                    }
                }
                if let Some(doubt) = self.guard.left_behind(id, person) {
                    self.append(Event::superseded(id, doubt));
                }
                if person && self.closes(id) {
                    self.append(Event::on(id, EventKind::ClosedByUserMessage, Actor::Superseded));
                }
            }
        }
        if person {
            self.withdraw(Actor::Superseded); // what is left: the last step is another one now
        }
        self.guard.overtaking = person && closes;
        let running = &self.guard.state().running;
        let in_flight = |&id: &CallId| self.guard.call(id).is_some_and(|call| call.in_flight(running));
        let crossing = person && live.iter().any(in_flight);
        let crossed = std::mem::replace(&mut self.guard.crossing, crossing);
        // What the last request carried, this one does not carry again.
        let last = self.guard.state().requests;
        let carried = live.iter().any(|&id| self.guard.call(id).is_some_and(|call| call.carried_by(last)));
        if crossing || crossed || carried {
            self.guard.revision += 1;
        }
        let request = self.guard.state().requests.next();
        // What nobody asked for, and a bare continue, are the application's.
        let asked = person || self.guard.permit.is_some();
        let actor = if asked { Actor::Person } else { Actor::Application };
        self.append(Event::requested(request, automatic, actor));
        let step: Vec<CallId> = self.guard.step.rows.iter().map(|&(id, _)| id).collect();
        for id in live.into_iter().chain(step) {
            self.carry(id, request, actor);
        }
        self.guard.lease = false;
        self.guard.pending_yes_for = None;
        self.guard.permit = None;
        self.out.request = request;
    }

    /// Does a denial leave as settled, because a message of a person stands behind it? What the
    /// guard denied has nobody who waits for its answer. What a person denied is offered as the
    /// answer that it is, once: `ai` 6 finds no result in an `approval-responded` before a user
    /// message and refuses the list (`convert-to-model-messages.ts`), this time and each later one.
    fn closes(&self, id: CallId) -> bool {
        let files = self.guard.state().files;
        self.guard.call(id).is_some_and(|call| {
            let refused = call.delivery() == Delivery::Failed;
            call.denied()
                && (call.superseded() || refused || files)
                && !call.closed_by_user_message()
                && !call.gone()
        })
    }

    fn carry(&mut self, id: CallId, request: RequestId, actor: Actor) {
        let Some(&call) = self.guard.call(id) else { return };
        let waits = matches!(
            call.delivery(),
            Delivery::Unsent | Delivery::Failed | Delivery::Doubt | Delivery::History
        );
        if waits && !call.gone() {
            let approved = call.decision().filter(|_| call.output().is_none()).map(|d| d.approved);
            self.append(Event::sent(id, request, approved, actor));
        }
    }

    pub(super) fn ended(&mut self, request: RequestId) {
        self.append(Event::of(request, EventKind::Ended, Actor::Server));
        for call in self.guard.state().live.clone() {
            if self.guard.call(call).is_some_and(|c| c.settled_by(request)) {
                self.append(Event::on(call, EventKind::Settled, Actor::Server));
            }
        }
    }

    pub(super) fn failed(&mut self, request: RequestId, failure: Failure) {
        // A response that has started was no refusal, whatever the error says.
        let started = |&id: &CallId| {
            self.guard.call(id).is_some_and(|call| call.delivery() == Delivery::Delivered(request))
        };
        let doubt = !failure.is_refusal() || self.guard.state().live.iter().any(started);
        self.append(Event::failed(request, doubt));
    }

    pub(super) fn stopped(&mut self) {
        self.append(Event::new(EventKind::Stopped, Actor::Person));
        for id in self.guard.state().live.clone() {
            let unsent = |call: &Call| call.allowed() && call.fresh_answer() && !call.gone();
            if self.guard.call(id).is_some_and(unsent) {
                self.append(Event::on(id, EventKind::Withdrawn, Actor::Stop));
                self.asks_still(id);
            }
        }
        self.withdraw(Actor::Stop);
        self.guard.lease = false;
        self.guard.pending_yes_for = None;
        self.guard.permit = None;
    }

    /// Where the part shows the question, and not the answer that was taken back, there is no answer
    /// to be ignored.
    fn asks_still(&mut self, id: CallId) {
        let Some(row) = self.guard.seen.get(id).map(|seen| seen.part) else { return };
        if row.flags.state == ToolState::ApprovalRequested {
            let actor = Actor::Stop;
            self.append(Event::asked(id, row.approval, row.input, actor));
        }
    }

    pub(super) fn permit(&mut self, permit: Permit) {
        if self.guard.permit.is_some() {
            self.out.permitted = Some(Permitted::Nothing); // one is on its way
            return;
        }
        let live = |&id: &CallId| self.guard.call(id).filter(|call| !call.gone()).map(|call| (id, *call));
        let step: Vec<CallId> = self.guard.step.rows.iter().map(|&(id, _)| id).collect();
        let mut calls: Vec<(CallId, Call)> = step.iter().filter_map(live).collect();
        let failed = |call: &Call| matches!(call.delivery(), Delivery::Failed | Delivery::Doubt);
        // Law 13: what was sent is for `retry`, with all that would leave beside it.
        let was_sent = calls.iter().any(|(_, call)| failed(call) || call.unclear());
        let unsent = |call: &Call| call.delivery() == Delivery::History;
        let wanted = |&&(id, ref call): &&(CallId, Call)| match permit {
            // What was answered while a response was running that then broke was never asked about.
            Permit::Retry => {
                let beside = was_sent && unsent(call) && step.contains(&id);
                failed(call) || call.fresh_answer() || call.fresh_output() || beside
            }
            Permit::Resume => !was_sent && unsent(call),
        };
        if permit == Permit::Retry {
            // A response that broke may have begun another step.
            calls.extend(self.guard.state().live.iter().filter_map(live));
        }
        let news = calls.iter().filter(wanted);
        let in_text =
            news.clone().all(|&(id, call)| call.output().is_some() && self.guard.answered_in_text(id));
        let output = news
            .clone()
            .find(|(_, call)| call.output() == Some(Author::Page) || call.output() == Some(Author::History));
        self.out.permitted = Some(if !self.guard.step.assistant || in_text {
            Permitted::Nothing
        } else if !self.guard.waiting().is_empty() {
            Permitted::Waiting
        } else {
            self.guard.permit = Some(permit);
            match output {
                Some(&(id, call))
                    if self.only(id, call) && news.clone().all(|(_, c)| c.output().is_some()) =>
                {
                    Permitted::Rewrite(id)
                }
                _ => Permitted::Continue,
            }
        });
        if self.guard.permit.is_some() {
            self.append(Event::new(EventKind::Acted, Actor::Person));
        }
    }

    /// Is it the only call with its call id? `addToolOutput` writes to the first it finds.
    fn only(&self, id: CallId, call: Call) -> bool {
        let first = self.guard.seen.get(id).is_some_and(|seen| seen.previous.is_none());
        first && self.guard.latest.get(&call.id()) == Some(&id)
    }
}
