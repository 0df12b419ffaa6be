//! One call as a record knows it: its state, which is the guard's own [`Call`] folded from the lines, and beside
//! the state where and when that was said.

use super::line::Line;
use crate::core::call::{Call, Delivery, Status};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Decision, Draft, Outcome};
use crate::core::event::{Detail, Event, EventKind};
use crate::core::id::{CallId, RequestId, StringId};

vocabulary! {
    /// What became of a question. Each call that asks is in one of these.
    Class {
        /// Nobody has answered it yet.
        Waiting = "waiting",
        /// It was allowed.
        Allowed = "allowed",
        /// It was denied.
        Denied = "denied",
        /// Nobody answered in time.
        Expired = "expired",
        /// It was closed without an answer.
        Abandoned = "abandoned",
    }
}

names!(Class);

fields! {
    /// Where and when the answer that stands was given: the line that says so.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Answer {
        /// Who answered.
        pub actor: Option<Actor> = "actor",
        /// `true` allows the call.
        pub approved: bool = "approved",
        /// When, by the wall clock.
        pub at: u64 = "at",
        /// The grant that answered, or that was given with the answer.
        pub grant_id: Option<String> = "grantId",
        /// What it means.
        pub outcome: Option<Outcome> = "outcome",
        /// The rule that answered.
        pub rule_id: Option<String> = "ruleId",
        /// The number of the line.
        pub seq: u64 = "seq",
        /// Where it was answered, or put back last.
        pub session: String = "session",
    }
}

impl Answer {
    /// Whether a page has only seen it in the messages.
    pub fn is_seen_only(&self) -> bool {
        is_seen(self.actor)
    }
}

fn is_seen(actor: Option<Actor>) -> bool {
    matches!(actor, Some(Actor::History | Actor::Server))
}

/// The number of every call in its events. Calls of a record are known by their names.
const CALL: CallId = CallId(0);

/// One call, known by its approval id, its call id and its tool.
#[derive(Clone, Debug)]
pub struct KnownCall {
    /// `approval.id`
    pub approval_id: Option<String>,
    /// `toolCallId`
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// Where it was seen or asked last.
    pub session: String,
    /// The salted hash of the input that was shown. Without it no yes can be put back.
    pub input_hash: Option<String>,
    /// The line that gave the answer that stands. There is none where another tab was heard to allow the call.
    pub answer: Option<Answer>,
    /// The session of the request that carried its answer or output.
    pub request_session: Option<String>,
    /// A yes was taken back or refused, and no page has given another answer: messages that show it are older.
    pub taken_back: bool,
    /// Its state.
    pub call: Call,
}

/// The state of a call of which only the names are known. They stand beside it: all that it has to know of them is
/// whether there is an approval id.
pub fn unknown(approval_id: Option<&String>) -> Call {
    Call::new(StringId::NONE, StringId::NONE, StringId(approval_id.is_some().into()))
}

impl KnownCall {
    /// The call of a line, of which nothing is known.
    pub fn new(line: &Line) -> Self {
        Self {
            approval_id: line.approval_id.clone(),
            tool_call_id: line.tool_call_id.clone().unwrap_or_default(),
            tool_name: line.tool_name.clone().unwrap_or_default(),
            session: line.session.clone(),
            input_hash: None,
            answer: None,
            request_session: None,
            taken_back: false,
            call: unknown(line.approval_id.as_ref()),
        }
    }

    /// What became of its question, if it asked.
    pub fn class(&self) -> Option<Class> {
        self.call.question()?;
        Some(match self.call.decision() {
            Some(Decision { approved: true, .. }) => Class::Allowed,
            Some(Decision { actor: Actor::Superseded, .. }) => Class::Abandoned,
            Some(Decision { actor: Actor::Timer, .. }) => Class::Expired,
            Some(_) => Class::Denied,
            None if self.call.gone() || self.call.output().is_some() => Class::Abandoned,
            None => Class::Waiting,
        })
    }

    /// The request that carries its answer or output, while its response has not ended.
    pub fn request(&self) -> Option<RequestId> {
        match self.call.delivery() {
            Delivery::Sent(request) | Delivery::Delivered(request) => Some(request),
            _ => None,
        }
        .filter(|request| request.is_some())
    }

    /// Takes one line of this call, or of a request that may carry it.
    pub fn apply(&mut self, line: &Line) {
        let was = self.call;
        let event = if line.kind == EventKind::Asked { self.asked(line) } else { self.event(line) };
        if let Some(event) = event {
            if let Some(kind) = self.event_before(event.kind) {
                let request = self.request().unwrap_or_default();
                let before =
                    Event { approved: Some(false), doubt: Some(true), request, ..self.said(kind, line) };
                self.tell(before, line.at);
            }
            self.tell(event, line.at);
        }
        match line.kind {
            EventKind::Sent => self.request_session = Some(line.session.clone()),
            EventKind::Refused if self.answer.is_none() => self.taken_back |= line.approved == Some(true),
            EventKind::Voided | EventKind::Withdrawn => {
                self.taken_back |= was.allowed() && self.answer.is_some();
            }
            // It stands in this session now, so that this session can take it back.
            EventKind::Recalled if event.is_none() && line.approved == Some(was.allowed()) => {
                self.answer.iter_mut().for_each(|answer| answer.session.clone_from(&line.session));
            }
            _ => {}
        }
        self.keep_answer(line, event.map(|event| event.kind), was.denied());
    }

    /// Keeps the line that gave the answer that stands.
    fn keep_answer(&mut self, line: &Line, event: Option<EventKind>, was_denied: bool) {
        let Some(Decision { approved, actor, .. }) = self.call.decision() else {
            self.answer = None;
            return;
        };
        match event {
            Some(EventKind::Answered | EventKind::LateDenial | EventKind::Superseded) => {}
            Some(EventKind::Elsewhere | EventKind::Settled | EventKind::ClosedByUserMessage)
                if !approved && !was_denied => {}
            _ => return,
        }
        self.taken_back &= is_seen(line.actor);
        let named = line.actor.is_some() || line.kind == EventKind::Superseded;
        self.answer = Some(Answer {
            actor: named.then_some(actor),
            approved,
            at: line.at,
            grant_id: line.grant_id.clone(),
            outcome: line.outcome,
            rule_id: line.rule_id.clone(),
            seq: line.seq,
            session: line.session.clone(),
        });
    }

    /// What a line means for the state. Pages follow each other in a record, and each hears of other tabs, so that a
    /// line may mean something else than its event means inside of one page. Each such difference has a row here, in
    /// [`event_before`](Self::event_before), or in [`asked`](Self::asked) for a question that is asked again; any other
    /// line is the event of its kind.
    fn event(&self, line: &Line) -> Option<Event> {
        let call = &self.call;
        let mut event = self.said(line.kind, line);
        let approved = line.approved == Some(true);
        match line.kind {
            // Law 12: the time that was told first is the most that there is, until a person gives more.
            EventKind::Annotated if call.deadline().is_some() => return None,
            EventKind::Annotated => event.kind = EventKind::Extended,
            // What a page has put back is known.
            EventKind::Drafted if event.actor == Actor::History => return None,
            // Of what is not committed only the word of a person outlives a page: time, grants and rules decide anew.
            EventKind::Drafted if event.actor != Actor::Person => event.kind = EventKind::Undone,
            EventKind::Expired => event.kind = EventKind::Undone,
            // What is only seen in the messages says nothing new, and takes no denial back.
            EventKind::Answered if is_seen(line.actor) && (call.denied() || (call.allowed() && approved)) => {
                return None;
            }
            // The denial by time that it comes after may not be known any more.
            EventKind::LateDenial => {
                event.approved = Some(false);
                if !call.denied() || call.output().is_some() {
                    event.kind = EventKind::Answered;
                }
            }
            // In older lines a person has written what the page wrote.
            EventKind::Output if event.actor == Actor::Person => event.actor = Actor::Application,
            // An output that is only found in the messages is the one that is known, or was written before.
            EventKind::Output if event.actor != Actor::Application => {
                if event.actor != Actor::Server && call.output().is_some() {
                    return None;
                }
                event.actor = Actor::Server;
            }
            // A request has news of what it carried.
            EventKind::Started | EventKind::Ended | EventKind::Failed => {
                let here = self.request_session.as_ref() == Some(&line.session);
                return Some(event).filter(|event| here && self.request() == Some(event.request));
            }
            // A yes that is put back, or that another tab has given, takes no denial back.
            EventKind::Recalled | EventKind::Elsewhere
                if approved && (call.denied() || call.superseded()) =>
            {
                return None;
            }
            // What is put back is known. Where it is not, a denial stands all the same, and a yes is somebody else's.
            EventKind::Recalled if call.decision().is_some() && call.allowed() == approved => return None,
            EventKind::Recalled if !approved => event.kind = EventKind::Answered,
            EventKind::Recalled => {
                event = Event { decider: Some(Actor::Tab), ..self.said(EventKind::Elsewhere, line) }
            }
            // Who has given the same answer here stays known.
            EventKind::Elsewhere => {
                let known = call.decision().filter(|decision| decision.approved == approved);
                event.decider = known.map(|decision| decision.actor).or(event.decider);
            }
            _ => {}
        }
        Some(event)
    }

    /// What a line presupposes and no line has said.
    fn event_before(&self, kind: EventKind) -> Option<EventKind> {
        match kind {
            // What was decided was asked.
            EventKind::Drafted if self.call.status() == Status::Open => Some(EventKind::Asked),
            // What an earlier page has sent, and has heard nothing more of, broke with it.
            EventKind::Sent if self.request().is_some() => Some(EventKind::Failed),
            // What settles a denial says that there is one.
            EventKind::Settled | EventKind::ClosedByUserMessage
                if self.answer.is_none() && !self.call.superseded() =>
            {
                Some(EventKind::Answered)
            }
            _ => None,
        }
    }

    /// What a line in which it asks means: that it asks, anew or again.
    fn asked(&mut self, line: &Line) -> Option<Event> {
        let known = self.input_hash.as_ref().zip(line.input_hash.as_ref());
        let same = known.is_some_and(|(shown, asked)| shown == asked);
        let may_be_same = known.is_none() || same;
        // A page that asks again after a reload takes nothing back; the page that was answered does. A denial stands as
        // long as it may be about the same input.
        let stands = self.answer.as_ref().is_some_and(|answer| {
            if answer.approved { same && answer.session != line.session } else { may_be_same }
        });
        let mut event = self.said(EventKind::Returned, line);
        if !stands || !self.call.asked() {
            // Another input is another question. A drafted denial stands where it may be about the same one.
            let draft = self.call.draft().filter(|draft| may_be_same && !draft.decision.approved);
            if !same {
                self.call = unknown(self.approval_id.as_ref());
            }
            self.tell(self.said(EventKind::Asked, line), line.at);
            if let Some(Draft { decision, .. }) = draft {
                event = Event::answer(CALL, EventKind::Drafted, decision);
            }
        }
        self.input_hash.clone_from(&line.input_hash);
        self.session.clone_from(&line.session);
        if self.call.deadline().is_none() {
            self.tell(self.said(EventKind::Extended, line), line.at);
        }
        Some(event)
    }

    /// A line as an event of this kind.
    pub fn said(&self, kind: EventKind, line: &Line) -> Event {
        let actor = line.actor.unwrap_or(Actor::History);
        let detail = match kind {
            // Inputs are compared by their hashes, which the state does not have.
            EventKind::Asked => Detail::Question { approval: self.call.approval(), input: 0 },
            EventKind::Elsewhere => Detail::Restored { delivery: self.call.delivery(), settled: false },
            _ => Detail::None,
        };
        Event {
            request: RequestId(line.request.unwrap_or_default() as u32),
            approved: line.approved,
            decider: Some(actor),
            doubt: line.doubt,
            deadline: line.deadline,
            detail,
            ..Event::on(CALL, kind, actor)
        }
    }

    /// Tells its state an event.
    pub fn tell(&mut self, event: Event, at: Time) {
        let call = &mut self.call;
        match event.kind {
            EventKind::Started => call.started(event.request),
            EventKind::Failed => call.failed(event.request, event.doubt == Some(true)),
            // It has arrived, and no request has news of it any more.
            EventKind::Ended => {
                call.set_transmission(Delivery::Delivered(RequestId::NONE), call.in_doubt_before());
            }
            _ => call.apply(&event, at),
        }
    }
}
