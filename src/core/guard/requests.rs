//! Requests: the question whether to send, the request itself, and its outcome.

use super::attempt::Attempt;
use super::deliveries::Says;
use super::exchange::Ticked;
use super::{Guard, Permitted, Problem, Returned, Transaction};
use crate::core::call::evidence::Input;
use crate::core::call::{Call, Delivery};
use crate::core::decision::{Actor, Author};
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, RequestId, StringId};
use crate::core::protocol::ToolState;
use crate::core::row::{Crosses, Rows, Shape};
use crate::core::verdict::Permit;

/// The kind of a request's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The transport was not asked.
    NotAsked,
    /// The transport failed with this HTTP status.
    Status(u32),
    /// Nothing is proven.
    Unknown,
}

impl Failure {
    /// Classifies a failure. `asked`: whether the transport was asked; `status`: the status of its error, or
    /// NaN.
    pub fn of(asked: bool, status: f64) -> Self {
        match (asked, status as u32) {
            (false, _) => Self::NotAsked,
            (true, whole) if f64::from(whole) == status => Self::Status(whole),
            _ => Self::Unknown,
        }
    }

    /// Law 13: whether it is proven that the server refused the request (RFC 9110, sections 15.5 and 15.6).
    pub(super) fn is_refusal(self) -> bool {
        match self {
            Self::NotAsked => true,
            // In a conflict another request may have run the call.
            Self::Status(409) => false,
            // A server that has failed may have failed after the call, and a gateway does not know.
            Self::Status(status) => matches!(status, 400..500 | 503),
            Self::Unknown => false,
        }
    }
}

impl Crosses for Failure {
    const SHAPE: Shape = Shape::Fields("Failure", &[("asked", Shape::Flag), ("status", Shape::Number)]);

    fn read(rows: &mut Rows) -> Option<Self> {
        let (asked, status) = (bool::read(rows)?, rows.number());
        Some(Self::of(asked, status))
    }

    fn write(&self, to: &mut Vec<f64>) {
        (*self != Self::NotAsked).write(to);
        to.push(if let Self::Status(status) = *self { status.into() } else { f64::NAN });
    }
}

/// The sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    /// A person: with a message, an edit or a regeneration.
    Person,
    /// A person who has asked to send what is there.
    Permitted,
    /// The chat, after a yes.
    Promised,
    /// The application, which continues the chat.
    Application,
}

impl Guard {
    fn sender(&self, by_person: bool) -> Sender {
        let is_leased = self.exchange.is_leased() && self.exchange.promised().is_some();
        match self.exchange.permit() {
            _ if by_person => Sender::Person,
            Some(_) => Sender::Permitted,
            // Law 2: also if the application has set another list since.
            None if is_leased || self.is_promised() => Sender::Promised,
            None => Sender::Application,
        }
    }

    /// The live calls that are in a request which leaves now. One of which the list has not all of the input yet is not,
    /// although the chat may have it all the same.
    fn listed(&self) -> Vec<CallId> {
        let is_listed =
            |&id: &CallId| !self.lacks_input(id) && !self.seen.get(id).is_some_and(|seen| seen.missing);
        self.state().live.iter().copied().filter(is_listed).collect()
    }

    /// Whether a request with these calls does not leave.
    fn holds_request(&self, sender: Sender, live: &[CallId]) -> bool {
        let closes = self.options.policy.closes_calls();
        // The chat was continued without a message. Nobody moved on, so open calls stay open.
        let stays_open = || closes && self.holds_continue();
        // The response of the last step may still ask about it.
        let goes_on = || closes && self.may_ask() && !self.list.step.rows.is_empty();
        // An answer that is on its way does not leave once more, whatever becomes of calls that ask. Another response may have
        // begun its message behind it, and no server minds one without parts.
        let is_behind = self.list.step.rows.is_empty();
        let is_out = |id, call: &Call| {
            let is_last = self.is_in_last_step(id);
            (is_last && call.sent_elsewhere()) || ((is_last || is_behind) && self.responses.in_flight(call))
        };
        let on_its_way = |&id: &CallId| self.call(id).is_some_and(|call| is_out(id, call));
        match sender {
            Sender::Person => false,
            Sender::Permitted => stays_open(),
            // Since the yes the application has set another list, or has resumed a response that may still ask.
            Sender::Promised => self.responses.is_resumed() || !self.still_sends(),
            Sender::Application => stays_open() || goes_on() || live.iter().any(on_its_way),
        }
    }

    /// Whether an open call holds back what is answered.
    fn holds(&self) -> bool {
        self.waiting().iter().any(|&(_, need)| !self.options.policy.passes_over(need))
    }

    /// Whether the chat cannot be continued without a message: a call is open, and no answer may leave before it.
    fn holds_continue(&self) -> bool {
        let asks_only = self.exchange.permit().is_none() && !self.has_unsent_answer();
        !self.waiting().is_empty() && (self.holds() || asks_only)
    }

    /// Whether a call of the last step was answered here, and no request has carried the answer.
    pub(super) fn has_unsent_answer(&self) -> bool {
        self.step_calls().iter().any(|&id| self.call(id).is_some_and(Call::fresh_answer))
    }

    /// Whether a request has left in the tick of a yes, so that another one may repeat it.
    pub fn has_left(&self) -> bool {
        self.exchange.has_left()
    }

    /// Whether the call may have run, if it is closed because something `follows` it: a message of a person, or, for
    /// a stored answer, a later step. `None` if it stays open.
    pub(super) fn left_behind(&self, id: CallId, follows: bool) -> Option<bool> {
        let call = self.call(id)?;
        let flags = self.seen.get(id)?.part.flags;
        let client = self.is_client(call);
        let has_result = call.allowed() && self.has_result_in_copy(id);
        if call.gone() || call.superseded() || self.lacks_input(id) || has_result {
            return None;
        }
        if call.asking() {
            return Some(call.may_have_run() && call.ran().is_none());
        }
        if call.allowed() && call.output().is_none() {
            // Another page sends it, or its response has ended, and there is no result here. One that the server has
            // allowed itself was in a response from the start.
            let ended = match call.delivery() {
                Delivery::Arrived => true,
                Delivery::Delivered(request) if !call.elsewhere() && !self.is_in_last_step(id) => {
                    !self.responses.runs(request)
                }
                Delivery::Delivered(_) | Delivery::Idle if !call.elsewhere() => {
                    !flags.provider && !self.responses.any()
                }
                _ => call.elsewhere(),
            };
            if ended && !flags.has_output() {
                return follows.then_some(true);
            }
            let unsent = match call.delivery() {
                // The page may be running it.
                Delivery::Unsent => Some(client),
                Delivery::Failed => Some(false),
                // It may have run.
                Delivery::Doubt | Delivery::History => Some(true),
                _ => None,
            };
            // In the last step of a request without a message of a person, an allowed call stays open, unless the
            // page runs its tool.
            return unsent.filter(|_| follows || client);
        }
        // What an older list shows of a call that has run is no answer of its own (law 16).
        let unanswered = call.decision().is_none() && call.output().is_none();
        let garbled = flags.state == ToolState::ApprovalResponded && call.approval().is_some();
        if garbled && unanswered {
            return Some(false);
        }
        let unanswered = unanswered && !flags.provider;
        // A page runs a call as soon as its input is complete, and so may an earlier page have.
        (client && unanswered && flags.shows_input_only()).then_some(flags.state == ToolState::InputAvailable)
    }

    /// Whether a call asks, and its part shows the input that it asked about and nothing of its question.
    fn has_lost_question(&self, id: CallId) -> bool {
        let Some((call, seen)) = self.known(id) else { return false };
        let part = &seen.part;
        let shows_none =
            part.flags.state == ToolState::InputAvailable && part.begins() && part.approval.is_none();
        let asks = call.asking() && !call.lost() && !call.gone() && !seen.missing;
        // A response that has begun the call anew has the last word.
        let heard = self.streamed(id);
        let stands = !heard.began || heard.approval == call.approval();
        asks && shows_none && stands && seen.input(call, part) != Input::Different && !self.is_adopted(part)
    }

    /// Whether the response to the allowance of this call has ended, and has settled another allowed call of its step
    /// and not this one.
    fn is_unhandled(&self, id: CallId) -> bool {
        let Some((call, seen)) = self.known(id) else { return false };
        let place = seen.part.place;
        let received = matches!(call.delivery(), Delivery::Delivered(_));
        let runs_elsewhere = seen.part.flags.provider || self.is_client(call) || call.elsewhere();
        if !received || runs_elsewhere || call.gone() || !call.allowed_without_output() {
            return false;
        }
        self.state().calls.iter().any(|(other, it)| {
            let is_of_step =
                self.place(other).is_some_and(|of| (of.message, of.step) == (place.message, place.step));
            is_of_step && it.surely_allowed() && it.output() == Some(Author::Server)
        })
    }

    /// The way in which the wish of a person would be carried out now.
    pub(super) fn permitted(&self, permit: Permit) -> Permitted {
        if self.exchange.permit().is_some() {
            return Permitted::Nothing; // a permitted send is already on its way
        }
        let step = self.step_calls();
        let sendable = self.sendable(permit, &step);
        // Another tab sends all of a step that it has claimed. Answers that it has not claimed leave from here only
        // together with what was answered or put out here, or was sent from here and did not arrive.
        let in_step = || step.iter().filter_map(|&id| self.call(id));
        let is_own = |call: &Call| {
            call.fresh_answer() || call.fresh_output() || (call.failed_to_arrive() && !call.elsewhere())
        };
        let own = in_step().any(|call| is_own(call) && !call.gone());
        let is_elsewhere = |call: &Call| {
            call.sent_elsewhere() || (!own && call.elsewhere() && call.allowed_without_output())
        };
        let sends_elsewhere = in_step().any(|call| is_elsewhere(call) && !call.gone());
        let in_text = sendable.iter().all(|&(id, call)| call.output().is_some() && self.answered_in_text(id));
        if !self.list.step.assistant || in_text || sends_elsewhere {
            return Permitted::Nothing;
        }
        // Law 1: if each answer is sent by itself, an output alone still waits for the other calls.
        let has_answer = sendable.iter().any(|(_, call)| call.output().is_none());
        if self.holds() || (!has_answer && !self.waiting().is_empty()) {
            return Permitted::Waiting;
        }
        let output =
            sendable.iter().find(|(_, call)| matches!(call.output(), Some(Author::Page | Author::History)));
        match output {
            Some(&(id, call))
                if self.only(id, call)
                    && self.is_in_last_message(id)
                    && sendable.iter().all(|(_, c)| c.output().is_some()) =>
            {
                Permitted::Rewrite(id)
            }
            _ => Permitted::Continue,
        }
    }

    /// The calls that a person wants to send: their answers or outputs have to leave.
    pub(super) fn sendable(&self, permit: Permit, step: &[CallId]) -> Vec<(CallId, Call)> {
        let is_here = |id: CallId, call: &Call| !call.gone() && !self.lacks_input(id);
        let known = |&id: &CallId| self.call(id).filter(|call| is_here(id, call)).map(|call| (id, *call));
        let mut calls: Vec<(CallId, Call)> = step.iter().filter_map(known).collect();
        // Law 13: `retry` is for what was sent, and for everything that would leave along with it.
        let was_sent = calls.iter().any(|(_, call)| call.failed_to_arrive() || call.unclear());
        let unsent = |call: &Call| call.delivery() == Delivery::History;
        if permit != Permit::Resume {
            // A response that failed may have begun another step.
            calls.extend(self.state().live.iter().filter_map(known));
        }
        calls.retain(|(id, call)| match permit {
            // The SDK never asked about an answer given during a response that then failed.
            Permit::Retry => {
                let along = was_sent && unsent(call) && step.contains(id);
                call.failed_to_arrive() || call.fresh_answer() || call.fresh_output() || along
            }
            Permit::Resume => !was_sent && unsent(call),
        });
        calls
    }

    /// Whether the list has not all of the input yet of a call that has asked, so that no request carries its answer.
    pub(super) fn lacks_input(&self, id: CallId) -> bool {
        self.known(id)
            .is_some_and(|(call, seen)| call.asked() && seen.part.flags.state == ToolState::InputStreaming)
    }

    /// Whether a call is in the last message. `addToolOutput` for a call of an earlier one makes the response continue that
    /// message, in the place of the last one.
    pub(super) fn is_in_last_message(&self, id: CallId) -> bool {
        let last = self.last_call().and_then(|last| self.place(last));
        self.place(id).zip(last).is_some_and(|(place, last)| place.message == last.message)
    }

    /// Whether it is the only call with its call id, because `addToolOutput` writes to the first one it
    /// finds.
    fn only(&self, id: CallId, call: Call) -> bool {
        self.with_call_id(call.id()).eq([id])
    }
}

impl Transaction<'_> {
    pub(super) fn ask(&mut self) {
        if self.guard.exchange.asks() {
            self.problem(Problem::UnwatchedRequest, None);
        }
        self.expire_due();
        let reason = self.guard.verdict();
        self.guard.versions.view += u32::from(reason.sends());
        let last = self.guard.last_call();
        self.guard.exchange.answered(reason, last);
        self.returns(Returned::Verdict(reason));
    }

    /// The tick of the event loop is over.
    pub(super) fn lease_over(&mut self, sending: bool) {
        let Ticked { was_leased, is_unwatched } = self.guard.exchange.tick(sending);
        self.guard.versions.view += u32::from(was_leased);
        if is_unwatched {
            self.problem(Problem::UnwatchedRequest, None);
        }
    }

    /// The transport is asked. A request that repeats one of the same tick must not leave, unless the chat keeps a queue,
    /// which an aborted request would pause.
    pub(super) fn outgoing(&mut self, attempt: Attempt, queues: bool) {
        let overtaken = self.guard.exchange.outgoing(attempt) && !queues;
        self.returns(Returned::Overtaken(overtaken));
    }

    /// Nothing leaves, and the chat shows no error. It waits to be continued.
    fn hold(&mut self) {
        self.guard.exchange.request_over();
        self.guard.exchange.asks_in_vain();
        // The yes has led to this request.
        self.guard.exchange.promise_over();
        self.append(Event::new(EventKind::Held, Actor::Application));
        self.returns(Returned::Held);
    }

    pub(super) fn send(&mut self, chat: StringId, by_person: bool) {
        self.guard.exchange.request_seen();
        if self.guard.options.chat.is_none() {
            self.guard.options.chat = chat;
        }
        if self.guard.options.chat != chat {
            self.guard.exchange.request_over();
            return self.problem(Problem::WrongChat, None);
        }
        self.expire_due();
        self.guard.settle_stream();
        let sender = self.guard.sender(by_person);
        let live = self.guard.listed();
        if self.guard.holds_request(sender, &live) {
            return self.hold();
        }
        let policy = &self.guard.options.policy;
        let ends_open = match sender {
            // With `'pass'`, what is left of the list of a regeneration may end with an allowance.
            Sender::Person => !policy.closes_calls() && self.guard.list.step.assistant,
            Sender::Permitted | Sender::Promised => false,
            Sender::Application => true,
        };
        if ends_open {
            self.close_unsettled(&live);
        }
        self.close_open(&live, sender);
        if by_person {
            self.withdraw(&live, Actor::Superseded); // the rest, because the last step has changed
        }
        // This request does not repeat what the last one carried.
        let state = self.guard.state();
        let is_carried = |call: &Call| call.carried_by(state.last_request);
        let carried = state.live.iter().any(|&id| state.calls.get(id).is_some_and(is_carried));
        let request = state.last_request.next();
        self.guard.versions.repairs += u32::from(carried);
        let asked = matches!(sender, Sender::Person | Sender::Permitted);
        let actor = if asked { Actor::Person } else { Actor::Application };
        self.append(Event::requested(request, sender == Sender::Promised, actor));
        self.responds(request, by_person);
        self.report_unanswered();
        let step = self.guard.step_calls();
        for id in live.into_iter().chain(step) {
            // A call that a person sends again is no longer closed.
            let is_new = sender == Sender::Permitted || self.guard.call(id).is_some_and(Call::fresh_answer);
            self.carry(id, request, actor);
            self.keep_closed(id, by_person, is_new);
        }
        self.guard.exchange.end();
        self.returns(Returned::Request { request, person: by_person });
    }

    /// Closes what is open in a list that leaves, if a message of a person or another step follows it; in the last
    /// step also what the page runs, unless that stays open.
    fn close_open(&mut self, live: &[CallId], sender: Sender) {
        let closes = self.guard.options.policy.closes_calls();
        let by_person = sender == Sender::Person;
        // If each answer is sent by itself, the other calls still ask.
        let stays = sender == Sender::Promised || (self.guard.sends_each() && !by_person);
        for &id in live {
            // A call before the last step can no longer be answered or sent from there, and a server refuses a list
            // in which it is open (law 17).
            let follows = by_person || !self.guard.is_in_last_step(id);
            if (stays || !closes) && !follows {
                continue;
            }
            // A drafted denial is what the person wanted. A drafted allowance is not an answer.
            let draft = self.guard.draft_of(id).map(|draft| draft.decision);
            if let Some(decision) = draft.filter(|decision| !decision.approved) {
                self.answer_as_drafted(id, decision);
                self.end_older(decision);
                if follows && closes {
                    self.append(Event::on(id, EventKind::ClosedByUserMessage, Actor::Superseded));
                }
            }
            if !closes {
                continue;
            }
            if let Some(doubt) = self.guard.left_behind(id, follows) {
                self.close(id, doubt);
            }
            if follows && self.leaves_as_settled(id) {
                self.append(Event::on(id, EventKind::ClosedByUserMessage, Actor::Superseded));
            }
        }
    }

    /// Laws 13 and 16: only a deliberate `retry` repeats an allowance that was sent, was not refused, and has no
    /// result. The chat goes on without it, also when a queue of the SDK continues it before it sends a message. A
    /// provider may still settle its own calls.
    fn close_unsettled(&mut self, live: &[CallId]) {
        // If each answer is sent by itself, the list of one carries the others along.
        let carries_along = self.guard.sends_each() && self.guard.has_unsent_answer();
        for &id in live {
            let provider = self.guard.seen.get(id).is_some_and(|seen| seen.part.flags.provider);
            let repeats = |call: &Call| match call.delivery() {
                // An earlier page may have sent what only the messages show.
                Delivery::Doubt | Delivery::History => true,
                _ => !carries_along && !provider && self.guard.is_in_last_step(id),
            };
            let is_out = |call: &Call| call.is_out() || call.is_seen_only();
            let is_here =
                |call: &Call| !call.gone() && !call.superseded() && !self.guard.has_result_in_copy(id);
            if self.guard.call(id).is_some_and(|call| is_here(call) && is_out(call) && repeats(call)) {
                self.close(id, true);
            }
        }
    }

    /// Closes a call because the user moved on. One that has run, and that an older list asks about, has its output
    /// again, also if it was allowed once more: it is not said that it did not run.
    fn close(&mut self, id: CallId, doubt: bool) {
        let ran = self.guard.call(id).and_then(Call::ran);
        self.append(match ran {
            Some(author) => Event::put_back(id, author, doubt),
            None => Event::superseded(id, doubt),
        });
    }

    /// Whether a denial leaves as settled because a message of a person, or a later step, follows it. One of a person is
    /// first sent once as an answer, unless a list of the server's shows it. After that `ai` 6 refuses each list with an
    /// `approval-responded` before a user message (`convert-to-model-messages.ts`).
    fn leaves_as_settled(&self, id: CallId) -> bool {
        let rejects = self.guard.state().server_rejects_answered_denials;
        let server_has_it = matches!(self.guard.deliveries.calls.get(&id), Some(Says::No { .. }));
        self.guard.call(id).is_some_and(|call| {
            let is_out = call.was_sent() || call.claimed_elsewhere() || server_has_it;
            call.denied()
                && (call.superseded() || (is_out && !call.denial_settled()) || rejects)
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
        // The denial of another tab is in the list that leaves, so that tab need not send it.
        let goes_along = call.elsewhere() && call.denied() && !call.denial_settled();
        if (waits || goes_along) && !call.gone() {
            let approved = call.decision().filter(|_| call.output().is_none()).map(|d| d.approved);
            let doubt = (call.superseded() && call.in_doubt_before()).then_some(true);
            self.append(Event { doubt, ..Event::sent(id, request, approved, actor) });
        }
    }

    /// Law 4: remembers that an allowance leaves as closed, whatever list the application sets later. `is_new`: whether
    /// it leaves again, or for the first time, because somebody has said so.
    fn keep_closed(&mut self, id: CallId, by_person: bool, is_new: bool) {
        let closes = self.guard.options.policy.closes_calls();
        let is_behind = closes && (by_person || !self.guard.is_in_last_step(id));
        let Some((call, seen)) = self.guard.call(id).copied().zip(self.guard.seen.get_mut(id)) else {
            return;
        };
        seen.left_closed =
            if is_behind { seen.left_closed || call.is_out() } else { seen.left_closed && !is_new };
    }

    /// Records the allowed calls that no response has handled. Until a response ends, it may still do so.
    pub(super) fn find_unhandled(&mut self) {
        if !self.guard.responses.any() {
            self.append_where(EventKind::Unhandled, Actor::Server, Guard::is_unhandled);
        }
    }

    /// Law 14: questions that the list does not show any more are put back. Until a response ends, it may repeat them.
    pub(super) fn find_lost(&mut self, by: Option<Actor>) {
        if self.guard.responses.any() {
            return;
        }
        for id in self.guard.state().live.clone() {
            if self.guard.has_lost_question(id) {
                self.append(Event::on(id, EventKind::Lost, by.unwrap_or_else(|| self.guard.changer(id))));
            }
        }
    }

    pub(super) fn permit(&mut self, permit: Permit) {
        let permitted = self.guard.permitted(permit);
        if permitted.sends() {
            self.guard.exchange.allow(permit);
            self.append(Event::new(EventKind::Acted, Actor::Person));
        }
        self.returns(Returned::Permitted(permitted));
    }
}
