//! One call as a record knows it: its state, which is the guard's own [`Call`] folded from the lines,
//! together with the session and the time of what was recorded.

use super::line::Line;
use crate::core::call::{Call, Delivery, Status};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Decision, Draft, Outcome};
use crate::core::event::{Detail, Event, EventKind};
use crate::core::id::{CallId, RequestId, StringId};

vocabulary! {
    /// The result of a question. Each call that asks has exactly one.
    #[derive(PartialOrd, Ord)] // a key of maps
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
    /// The answer that stands: the line that gave it, with its session and its time.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Answer {
        /// The author of the answer.
        pub actor: Option<Actor> = "actor",
        /// Whether the answer allows the call.
        pub approved: bool = "approved",
        /// The time of the answer, by the wall clock.
        pub at: u64 = "at",
        /// The session that gave the answer, if a session has restored it since.
        pub by: Option<String> = "by",
        /// The grant that gave the answer, or that was given with it.
        pub grant_id: Option<String> = "grantId",
        /// The meaning of the answer for the call.
        pub outcome: Option<Outcome> = "outcome",
        /// The rule that gave the answer.
        pub rule_id: Option<String> = "ruleId",
        /// The number of the line.
        pub seq: u64 = "seq",
        /// The session that gave the answer, or restored it last.
        pub session: String = "session",
    }
}

impl Answer {
    /// Whether the answer is known only because a page found it in the messages.
    pub fn is_seen_only(&self) -> bool {
        is_seen(self.actor)
    }

    /// The session that gave the answer.
    pub fn by(&self) -> &str {
        self.by.as_ref().unwrap_or(&self.session)
    }

    /// Notes that a session has restored the answer: another one, or its own after another one had sent it.
    fn put_back(&mut self, session: &str) {
        self.by.get_or_insert_with(|| self.session.clone());
        session.clone_into(&mut self.session);
    }
}

/// Whether an answer by this actor was only found in the messages.
pub(super) fn is_seen(actor: Option<Actor>) -> bool {
    matches!(actor, Some(Actor::History | Actor::Server))
}

/// The number of a call in its own events. A record identifies its calls by ids instead.
const CALL: CallId = CallId(0);

/// One call, identified by its approval id, its call id and its tool.
#[derive(Clone, Debug)]
pub struct KnownCall {
    /// `approval.id`
    pub approval_id: Option<String>,
    /// `toolCallId`
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The session in which it was last seen, or last asked.
    pub session: String,
    /// The salted hash of the input that was shown. Without it, an allowance cannot be restored.
    pub input_hash: Option<String>,
    /// The salted hash of the changed input with which it was allowed, or drafted; empty if it is not known, so that the
    /// allowance cannot be restored.
    pub edit_hash: Option<String>,
    /// The line that gave the answer that stands. `None` if only another tab has allowed the call.
    pub answer: Option<Answer>,
    /// The session of the request that carried its answer or output.
    pub request_session: Option<String>,
    /// The session in which it was drafted, or last restored as a draft.
    pub draft_session: Option<String>,
    /// Whether that session has only restored it. Another page may still show it, and take it back there.
    pub is_redrafted: bool,
    /// Whether an allowance was taken back or refused, and no page has answered again since. Messages that
    /// still show the allowance are older.
    pub taken_back: bool,
    /// Whether a later page has taken it up: with its question, its draft or its answer.
    pub recovered: bool,
    /// Its state.
    pub call: Call,
}

/// The state of a call of which only the ids are known. The ids are stored outside the state, which only
/// needs to know whether there is an approval id.
pub fn unknown(approval_id: Option<&String>) -> Call {
    Call::new(StringId::NONE, StringId::NONE, StringId(approval_id.is_some().into()))
}

/// The request that carries the answer or the output of a call, until the response ends.
pub(super) fn request(call: &Call) -> Option<RequestId> {
    match call.delivery() {
        Delivery::Sent(request) | Delivery::Delivered(request) => Some(request),
        _ => None,
    }
    .filter(|request| request.is_some())
}

impl KnownCall {
    /// The call that a line is about, before anything else is known about it.
    pub fn new(line: &Line) -> Self {
        Self {
            approval_id: line.approval_id.clone(),
            tool_call_id: line.tool_call_id.clone().unwrap_or_default(),
            tool_name: line.tool_name.clone().unwrap_or_default(),
            session: line.session.clone(),
            input_hash: None,
            edit_hash: None,
            answer: None,
            request_session: None,
            draft_session: None,
            is_redrafted: false,
            taken_back: false,
            recovered: false,
            call: unknown(line.approval_id.as_ref()),
        }
    }

    /// The result of its question, if it asked.
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

    /// Whether it asked, and a later page has taken it up.
    pub fn was_recovered(&self) -> bool {
        self.recovered && self.class().is_some()
    }

    /// Whether a line says that another page than before shows the call as the record knew it. A question that another
    /// tab has asked again, because it took its answer back, was on the screen all the time.
    fn is_recovery(&self, line: &Line) -> bool {
        match line.kind {
            EventKind::Recalled => true,
            EventKind::Drafted => line.actor == Some(Actor::History),
            EventKind::Asked => {
                let is_other_page = self.session != line.session && line.actor != Some(Actor::Tab);
                let is_same = self.input_hash.is_none() || self.input_hash == line.input_hash;
                is_other_page
                    && self.class() == Some(Class::Waiting)
                    && (is_same || line.input_hash.is_none())
            }
            _ => false,
        }
    }

    /// The request that carries its answer or output, until the response ends.
    pub fn request(&self) -> Option<RequestId> {
        request(&self.call)
    }

    /// Applies one line about this call, or about a request that may carry it.
    pub fn apply(&mut self, line: &Line) {
        let was = self.call;
        self.recovered |= self.is_recovery(line);
        let event = match line.kind {
            EventKind::Asked => self.asked(line),
            _ if self.is_late(line) => None,
            _ => self.event(line),
        };
        if let Some(event) = event {
            if let Some(kind) = self.event_before(event) {
                let request = self.request().unwrap_or_default();
                let doubt = (kind == EventKind::Failed).then_some(true);
                let before = Event { approved: Some(false), doubt, request, ..self.said(kind, line) };
                self.tell(before, line.at);
            }
            self.tell(event, line.at);
        }
        let answers = matches!(
            line.kind,
            EventKind::Drafted | EventKind::Answered | EventKind::Elsewhere | EventKind::Recalled
        );
        if answers && event.is_some() && line.approved == Some(true) {
            let unknown = || (line.edited == Some(true)).then(String::new);
            self.edit_hash = line.edit_hash.clone().or_else(unknown);
        }
        match line.kind {
            EventKind::Sent if event.is_some() => self.request_session = Some(line.session.clone()),
            EventKind::Refused if self.answer.is_none() => self.taken_back |= line.approved == Some(true),
            EventKind::Voided | EventKind::Withdrawn => {
                self.taken_back |= was.allowed() && self.answer.is_some();
            }
            // The answer now belongs to this session, so this session can take it back.
            EventKind::Recalled if event.is_none() && line.approved == Some(was.allowed()) => {
                self.answer.iter_mut().for_each(|answer| answer.put_back(&line.session));
            }
            EventKind::Drafted if self.call.draft().is_some() => {
                self.taken_back |= was.allowed();
                let is_restored = line.actor == Some(Actor::History);
                if event.is_some() || is_restored {
                    self.draft_session = Some(line.session.clone());
                    self.is_redrafted = is_restored;
                }
            }
            _ => {}
        }
        self.keep_answer(line, event.map(|event| event.kind), was.denied());
    }

    /// Stores the line if it gave the answer that stands.
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
            by: None,
            seq: line.seq,
            session: line.session.clone(),
        });
    }

    /// The event that a line means for the state. In a record pages follow each other and hear of other tabs, so a line may
    /// mean something else than the event of its kind in one page. Each difference has a row here, in
    /// [`event_before`](Self::event_before), or in [`asked`](Self::asked) for a question that is asked again.
    fn event(&self, line: &Line) -> Option<Event> {
        let call = &self.call;
        let mut event = self.said(line.kind, line);
        let approved = line.approved == Some(true);
        match line.kind {
            // Law 12: the deadline that was set first is the latest, until a person extends it.
            EventKind::Annotated if call.deadline().is_some() => return None,
            EventKind::Annotated => event.kind = EventKind::Extended,
            // A draft that a page has restored is already known.
            EventKind::Drafted if event.actor == Actor::History => return None,
            // Each tab has its own drafts. If two of them differ, the denial is kept (law 7).
            EventKind::Drafted
                if approved
                    && call.draft().is_some_and(|draft| !draft.decision.approved)
                    && self.is_drafted_elsewhere(line) =>
            {
                return None;
            }
            EventKind::Undone | EventKind::Expired | EventKind::Withdrawn
                if call.draft().is_some() && self.is_drafted_elsewhere(line) =>
            {
                // Law 8: nobody has decided anew what was restored, so an undo counts wherever a person sees the draft.
                let is_undone = line.kind == EventKind::Undone && event.actor.deliberates();
                return Some(event).filter(|_| self.is_redrafted && is_undone);
            }
            // Of all drafts, only those of a person outlive their page. Time, grants and rules decide again.
            EventKind::Drafted if event.actor != Actor::Person => event.kind = EventKind::Undone,
            EventKind::Expired => event.kind = EventKind::Undone,
            // Law 5: moving on allows nothing.
            EventKind::Answered if approved && event.actor == Actor::Superseded => return None,
            // An answer that was only seen in the messages adds nothing new, and opens nothing that was closed.
            EventKind::Answered
                if is_seen(line.actor)
                    && (call.denied() || call.superseded() || (call.allowed() && approved)) =>
            {
                return None;
            }
            // The denial by time that came before it may have been dropped.
            EventKind::LateDenial => {
                event.approved = Some(false);
                if !call.denied() || call.output().is_some() {
                    event.kind = EventKind::Answered;
                }
            }
            // Older lines name a person as the author of outputs that the page wrote.
            EventKind::Output if event.actor == Actor::Person => event.actor = Actor::Application,
            // An output that was only found in the messages is already known, or was written earlier.
            EventKind::Output if event.actor != Actor::Application => {
                if event.actor != Actor::Server && call.output().is_some() {
                    return None;
                }
                event.actor = Actor::Server;
            }
            // News of a request counts only for the calls that it carried.
            EventKind::Started | EventKind::Ended | EventKind::Failed => {
                let here = self.request_session.as_ref() == Some(&line.session);
                return Some(event).filter(|event| here && self.request() == Some(event.request));
            }
            // An allowance that is restored, or that comes from another tab, does not take back a denial.
            EventKind::Recalled | EventKind::Elsewhere
                if approved && (call.denied() || call.superseded()) =>
            {
                return None;
            }
            // A restored answer is known already, or else a denial stands and an allowance is another tab's.
            EventKind::Recalled if call.decision().is_some() && call.allowed() == approved => return None,
            EventKind::Recalled if !approved => event.kind = EventKind::Answered,
            EventKind::Recalled => {
                event = Event { decider: Some(Actor::Tab), ..self.said(EventKind::Elsewhere, line) }
            }
            // The session that gave the answer has recorded it itself.
            EventKind::Elsewhere
                if self.answer.as_ref().is_some_and(|answer| {
                    answer.approved == approved && answer.by() != line.session && !answer.is_seen_only()
                }) =>
            {
                return None;
            }
            // If the same answer was given here, its author stays known.
            EventKind::Elsewhere => {
                let known = call.decision().filter(|decision| decision.approved == approved);
                event.decider = known.map(|decision| decision.actor).or(event.decider);
            }
            _ => {}
        }
        Some(event)
    }

    /// Whether the known draft is from another session, so that the line is about a draft of its own.
    pub(super) fn is_drafted_elsewhere(&self, line: &Line) -> bool {
        self.draft_session.as_ref().is_some_and(|session| *session != line.session)
    }

    /// Whether the line comes too late. A tab does not take back what another one has sent or answered, also if it had
    /// answered the same. A message of a user does not close what another tab has sent and no page has recalled. A page that
    /// does not know of an output does not close its call.
    fn is_late(&self, line: &Line) -> bool {
        let answer = self.answer.as_ref();
        let is_own = answer.is_some_and(|answer| answer.session == line.session);
        let is_recalled = is_own && answer.is_some_and(|answer| answer.by.is_some());
        let is_replaced =
            || (self.call.denied() || !is_own) && answer.is_some_and(|answer| answer.by() != line.session);
        let closes =
            matches!(line.kind, EventKind::Superseded | EventKind::ClosedByUserMessage | EventKind::Settled);
        let says_no = closes || line.approved == Some(false);
        let may_run = self.call.delivery() != Delivery::Failed && self.call.allowed_without_output();
        let waits = || may_run && !is_recalled && self.is_sent_elsewhere(line);
        match line.kind {
            EventKind::Withdrawn if is_replaced() => true,
            // A question about another input follows, and counts as a new one.
            EventKind::Drafted | EventKind::Undone | EventKind::Withdrawn | EventKind::Voided => {
                self.is_sent_elsewhere(line)
            }
            // What a page has only found in its messages says no more than that.
            EventKind::Answered => says_no && is_seen(line.actor) && (waits() || self.has_run()),
            _ if closes || line.kind == EventKind::Sent => {
                (line.approved != Some(true) && waits()) || (says_no && self.has_run())
            }
            _ => false,
        }
    }

    /// Whether it was allowed, and has, or had, its output.
    pub fn has_run(&self) -> bool {
        let is_seen_only = self.answer.as_ref().is_some_and(Answer::is_seen_only);
        // A page may ask about it once more.
        let asks_again = self.call.asking() && self.call.ran().is_some();
        asks_again || (self.call.allowed() && self.call.output().is_some() && !is_seen_only)
    }

    /// Whether another session has sent the answer that stands.
    fn is_sent_elsewhere(&self, line: &Line) -> bool {
        let is_other = |session: &String| *session != line.session;
        let is_sent = self.call.was_sent() || self.call.output().is_some();
        is_sent && self.request_session.as_ref().is_some_and(is_other)
    }

    /// The session that other tabs wait for: it has drafted an answer, has yet to send its allowance, or has its
    /// answer in a running request, also if its list does not have the call any more. For a denial that was not sent nobody
    /// waits, because any tab may send it.
    pub fn holder(&self) -> Option<&String> {
        let call = &self.call;
        if call.has_ended() || (call.gone() && self.request().is_none()) {
            return None;
        }
        if call.draft().is_some() {
            return self.draft_session.as_ref();
        }
        if self.request().is_some() {
            return self.request_session.as_ref();
        }
        let answer = self.answer.as_ref().filter(|answer| answer.approved && !answer.is_seen_only())?;
        (call.delivery() == Delivery::Unsent).then_some(answer.by.as_ref().unwrap_or(&answer.session))
    }

    /// The session that has sent its answer, or otherwise the one that gave it.
    pub fn sender<'a>(&'a self, answer: &'a Answer) -> &'a str {
        self.request_session.as_deref().unwrap_or(answer.by())
    }

    /// The event that must have happened before a line, although no line says so.
    fn event_before(&self, Event { kind, approved, .. }: Event) -> Option<EventKind> {
        let denies = approved == Some(false);
        match kind {
            // A call that was decided must have asked.
            EventKind::Drafted if self.call.status() == Status::Open => Some(EventKind::Asked),
            // If an earlier page sent a request and heard nothing more, the request broke off when that page
            // ended.
            EventKind::Sent if self.request().is_some() => Some(EventKind::Failed),
            // Law 7: no allowance overtakes a denial that another tab has drafted, also if it came first and was not sent.
            EventKind::Drafted if denies && self.call.fresh_answer() && self.call.allowed() => {
                Some(EventKind::Withdrawn)
            }
            // A line that settles a denial shows that there is a denial.
            EventKind::Settled | EventKind::ClosedByUserMessage
                if !self.call.denied() && !self.call.superseded() =>
            {
                Some(EventKind::Answered)
            }
            _ => None,
        }
    }

    /// The event of a line that asks: a new question, or the same one again.
    fn asked(&mut self, line: &Line) -> Option<Event> {
        let known = self.input_hash.as_ref().zip(line.input_hash.as_ref());
        let same = known.is_some_and(|(shown, asked)| shown == asked);
        let may_be_same = known.is_none() || same;
        // A page that has not read the record yet has no salt, so its lines say nothing about the input. As long as the
        // question may be about the same input, it takes nothing back that was sent (law 13).
        let may_have_run = known.is_none() && (self.call.was_sent() || self.call.output().is_some());
        // A page that asks again after a reload takes nothing back, but the page that was answered does. A
        // denial stands as long as the question may be about the same input.
        // So does what was closed without an answer.
        let is_known = self.answer.as_ref().map_or(self.call.superseded(), |answer| {
            if answer.approved {
                (same || may_have_run) && answer.session != line.session
            } else {
                may_be_same
            }
        });
        let mut event = self.said(EventKind::Returned, line);
        if !is_known {
            // A call that may have run still may, whoever asks (law 16).
            let doubt = line.doubt.or((may_be_same && self.call.may_have_run()).then_some(true));
            // A different input is a different question. A drafted denial stands if the question may be about
            // the same input.
            let draft = self.call.draft().filter(|draft| may_be_same && !draft.decision.approved);
            if !same {
                self.call = unknown(self.approval_id.as_ref());
            }
            self.tell(Event { doubt, ..self.said(EventKind::Asked, line) }, line.at);
            if let Some(Draft { decision, .. }) = draft {
                event = Event::answer(CALL, EventKind::Drafted, decision);
            }
        }
        if !(is_known && may_have_run) {
            self.input_hash.clone_from(&line.input_hash);
        }
        self.session.clone_from(&line.session);
        if self.call.deadline().is_none() {
            self.tell(self.said(EventKind::Extended, line), line.at);
        }
        Some(event)
    }

    /// A line as an event of the given kind.
    pub fn said(&self, kind: EventKind, line: &Line) -> Event {
        let actor = line.actor.unwrap_or(Actor::History);
        let detail = match kind {
            // Inputs are compared by their hashes, which the state does not contain.
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

    /// Applies an event to the state.
    pub fn tell(&mut self, event: Event, at: Time) {
        let call = &mut self.call;
        match event.kind {
            EventKind::Started => call.started(event.request),
            EventKind::Failed => call.failed(event.request, event.doubt == Some(true)),
            // The answer has arrived, and no request can bring further news of it.
            EventKind::Ended => {
                call.set_transmission(Delivery::Arrived, call.in_doubt_before());
            }
            _ => call.apply(&event, at),
        }
    }
}
