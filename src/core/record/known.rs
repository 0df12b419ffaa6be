//! What a record knows of the calls of its chat: what recovery needs, folded from the lines alone. A yes is in
//! it only because of a line `answered` that says so; whatever is in doubt is left out or stays a no.

use std::collections::BTreeMap;

use super::json::{self, Read, Reader, Write};
use super::line::Line;
use crate::core::decision::{Actor, Outcome};
use crate::core::event::EventKind;

/// So many calls stay of which nothing more is to come.
const MOST_CLOSED: usize = 1000;
/// So many others stay.
const MOST_OPEN: usize = 2000;
/// So many more than that are there before some are dropped, so that looking for them costs little.
const SLACK: usize = 64;

vocabulary! {
    /// How far the news of a call has come. The later ones have come further.
    #[derive(Default)]
    Delivery {
        /// There is no news.
        #[default]
        None = "none",
        /// No request has carried it.
        Unsent = "unsent",
        /// The request that carried it failed; the server refused it or never saw it.
        Failed = "failed",
        /// A request carries it.
        Sent = "sent",
        /// The request broke after it went out: an allowed call may have run.
        Doubt = "doubt",
        /// The response to it has started.
        Delivered = "delivered",
        /// The response to it has ended.
        Ended = "ended",
    }
}

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

names!(Class, Delivery);

/// What a person has decided and not committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// What it would have been.
    pub approved: bool,
    /// Where it was decided.
    pub session: String,
}

fields!(Draft {
    approved = "approved",
    session = "session",
});

/// An answer that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Who answered.
    pub actor: Option<Actor>,
    /// `true` allows the call.
    pub approved: bool,
    /// When, by the wall clock.
    pub at: u64,
    /// The grant that answered, or that was given with the answer.
    pub grant_id: Option<String>,
    /// What it means.
    pub outcome: Option<Outcome>,
    /// The rule that answered.
    pub rule_id: Option<String>,
    /// The line that says so.
    pub seq: u64,
    /// Where it was answered.
    pub session: String,
}

fields!(Answer {
    actor = "actor",
    approved = "approved",
    at = "at",
    grant_id = "grantId",
    outcome = "outcome",
    rule_id = "ruleId",
    seq = "seq",
    session = "session",
});

/// One call, known by its approval id, its call id and its tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The answer that stands.
    pub answer: Option<Answer>,
    /// `approval.id`
    pub approval_id: Option<String>,
    /// It asks for an approval, or did.
    pub asked: bool,
    /// When it asked first, by the wall clock.
    pub asked_at: Option<u64>,
    /// When it expires, by the wall clock.
    pub deadline: Option<u64>,
    /// How far its answer or output has come.
    pub delivery: Delivery,
    /// It was closed, or sent once more, while it was not known whether it ran.
    pub doubt: bool,
    /// What a person has decided and not committed.
    pub draft: Option<Draft>,
    /// It was answered in another tab.
    pub elsewhere: bool,
    /// Its message is not in the list any more.
    pub gone: bool,
    /// The salted hash of the input that was shown. Without it no yes can be put back.
    pub input_hash: Option<String>,
    /// Calls with a smaller number are older.
    pub order: u64,
    /// Who wrote its output.
    pub output: Option<Actor>,
    /// The request that carried its news,
    pub request: Option<u64>,
    /// and the session which that request belongs to.
    pub request_session: Option<String>,
    /// Where it was seen or asked last.
    pub session: String,
    /// Its denial was taken, or it has the output of a server.
    pub settled: bool,
    /// It was closed because the user moved on.
    pub superseded: bool,
    /// A yes was taken back or refused, and no page has given another answer: messages that show it are older.
    pub taken_back: bool,
    /// `toolCallId`
    pub tool_call_id: String,
    /// The name of the tool.
    pub tool_name: String,
}

fields!(Call {
    answer = "answer",
    approval_id = "approvalId",
    asked = "asked",
    asked_at = "askedAt",
    deadline = "deadline",
    delivery = "delivery",
    doubt = "doubt",
    draft = "draft",
    elsewhere = "elsewhere",
    gone = "gone",
    input_hash = "inputHash",
    order = "order",
    output = "output",
    request = "request",
    request_session = "requestSession",
    session = "session",
    settled = "settled",
    superseded = "superseded",
    taken_back = "takenBack",
    tool_call_id = "toolCallId",
    tool_name = "toolName",
});

impl Call {
    /// Whether it was denied, by whomever.
    pub fn denied(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| !answer.approved)
    }

    /// Whether it was allowed, by whomever.
    pub fn allowed(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| answer.approved)
    }

    /// Nothing more is to come of it.
    pub fn closed(&self) -> bool {
        let taken = self.delivery >= Delivery::Delivered;
        self.settled || self.gone || (self.output.is_some() && taken)
    }

    /// What became of its question, if it asked.
    pub fn class(&self) -> Option<Class> {
        if !self.asked {
            return None;
        }
        Some(match &self.answer {
            Some(answer) if answer.approved => Class::Allowed,
            Some(answer) => match answer.actor {
                Some(Actor::Superseded) => Class::Abandoned,
                Some(Actor::Timer) => Class::Expired,
                _ => Class::Denied,
            },
            None if self.gone || self.output.is_some() => Class::Abandoned,
            None if self.elsewhere => Class::Allowed,
            None => Class::Waiting,
        })
    }

    fn deliver(&mut self, delivery: Delivery) {
        self.delivery = delivery;
        self.request = None;
        self.request_session = None;
    }

    fn carried_by(&self, request: u64, session: &str) -> bool {
        self.request == Some(request) && self.request_session.as_deref() == Some(session)
    }

    /// Whether its request still runs.
    fn running(&self) -> bool {
        matches!(self.delivery, Delivery::Sent | Delivery::Delivered)
    }

    fn is_shown(&self, line: &Line) -> bool {
        self.input_hash.is_some() && self.input_hash == line.input_hash
    }

    /// The question is open again.
    fn reopen(&mut self) {
        self.answer = None;
        self.draft = None;
        self.output = None;
        self.settled = false;
        self.superseded = false;
        self.doubt = false;
        self.elsewhere = false;
        self.deliver(Delivery::None);
    }

    fn asked(&mut self, line: &Line) {
        let same = self.is_shown(line);
        let unknown = self.input_hash.is_none() || line.input_hash.is_none();
        let here = |session: &str| session == line.session;
        // A page that asks again after a reload takes nothing back; the page that was answered does. A denial
        // stands as long as it may be about the same input.
        let stands = self.answer.as_ref().is_some_and(|answer| {
            if answer.approved { same && !here(&answer.session) } else { same || unknown }
        });
        if !self.asked || !stands {
            let draft = self.draft.take().filter(|draft| same || (unknown && !draft.approved));
            let again = self.asked && same;
            self.reopen();
            self.draft = draft;
            if !again {
                self.deadline = None;
                self.asked_at = None;
            }
        }
        self.asked = true;
        self.gone = false;
        self.input_hash.clone_from(&line.input_hash);
        self.session.clone_from(&line.session);
        self.asked_at = self.asked_at.or(Some(line.at));
        self.deadline = self.deadline.or(line.deadline);
    }

    fn answered(&mut self, line: &Line, approved: bool) {
        let seen_only = matches!(line.actor, Some(Actor::History | Actor::Server));
        if seen_only && (self.denied() || (self.allowed() && approved)) {
            return; // what is only seen says nothing new, and takes no denial back
        }
        self.draft = None;
        self.taken_back &= seen_only;
        self.answer = Some(Answer {
            actor: line.actor,
            approved,
            at: line.at,
            grant_id: line.grant_id.clone(),
            outcome: line.outcome,
            rule_id: line.rule_id.clone(),
            seq: line.seq,
            session: line.session.clone(),
        });
        self.deliver(if seen_only { Delivery::None } else { Delivery::Unsent });
    }

    fn output(&mut self, line: &Line) {
        self.output = line.actor;
        self.draft = None;
        self.superseded = false;
        match line.actor {
            // The page: it takes the place of what a server has put out. Older lines say `person`.
            Some(Actor::Person | Actor::Application) => {
                self.settled = false;
                self.deliver(Delivery::Unsent);
            }
            _ => self.settled = true,
        }
    }

    /// Takes one line of this call. Means what the same event means for a call of the ledger.
    fn apply(&mut self, line: &Line) {
        match line.kind {
            EventKind::Asked => self.asked(line),
            EventKind::Annotated => self.deadline = self.deadline.or(line.deadline),
            EventKind::Extended => self.deadline = line.deadline.or(self.deadline),
            // What was answered cannot be drafted, and what is put back is known.
            EventKind::Drafted if self.answer.is_none() && line.actor != Some(Actor::History) => {
                let draft = line.approved.filter(|_| line.actor == Some(Actor::Person));
                self.draft = draft.map(|approved| Draft { approved, session: line.session.clone() });
            }
            EventKind::Undone | EventKind::Expired => self.draft = None,
            EventKind::Answered => {
                // A line without it is refused when it is read.
                if let Some(approved) = line.approved {
                    self.answered(line, approved);
                }
            }
            EventKind::LateDenial => {
                let delivery = (self.delivery, self.request.take(), self.request_session.take());
                self.answered(line, false);
                (self.delivery, self.request, self.request_session) = delivery;
            }
            EventKind::Output => self.output(line),
            // The chat may have written what was refused.
            EventKind::Refused if self.answer.is_none() => self.taken_back |= line.approved == Some(true),
            EventKind::Withdrawn if self.answer.is_none() => self.draft = None,
            EventKind::Voided | EventKind::Withdrawn => {
                self.taken_back |= self.allowed();
                self.reopen();
            }
            EventKind::Superseded => {
                self.draft = None;
                if self.asked || self.approval_id.is_some() || self.answer.is_some() {
                    self.answered(&Line { actor: Some(Actor::Superseded), ..line.clone() }, false);
                    self.output = None;
                }
                self.superseded = true;
                self.doubt = line.doubt == Some(true);
                self.deliver(Delivery::Unsent);
            }
            EventKind::Sent => {
                // What an earlier page has sent, and has heard nothing more of, is in doubt for this one.
                self.doubt |= self.running() || self.delivery == Delivery::Doubt;
                self.deliver(Delivery::Sent);
                self.request = line.request;
                self.request_session = Some(line.session.clone());
            }
            EventKind::Settled | EventKind::ClosedByUserMessage => self.settled = true,
            EventKind::Gone => {
                self.gone = true;
                self.draft = None;
            }
            EventKind::Returned => self.gone = false,
            EventKind::Recalled => match (line.approved, &mut self.answer) {
                // It stands in this session now, so that this session can take it back.
                (Some(approved), Some(answer)) if answer.approved == approved => {
                    answer.session.clone_from(&line.session);
                }
                (Some(false), _) => self.answered(line, false),
                // Nobody has said it: a yes is not made by putting it back.
                _ => {}
            },
            EventKind::Elsewhere => {
                self.elsewhere = true;
                self.draft = None;
                if line.approved == Some(false) && !self.denied() {
                    self.answered(line, false);
                }
            }
            _ => {}
        }
    }

    /// Takes what is known of its request.
    fn told(&mut self, line: &Line) {
        let started = self.delivery == Delivery::Delivered;
        match line.kind {
            EventKind::Started if self.delivery == Delivery::Sent => self.delivery = Delivery::Delivered,
            EventKind::Ended if self.running() => self.delivery = Delivery::Ended,
            EventKind::Failed if self.running() && !self.settled => {
                let may_have_run = self.allowed() && self.output.is_none();
                let doubt = line.doubt == Some(true) || self.doubt;
                let unknown = doubt && !self.denied() && (may_have_run || started);
                self.delivery = if unknown { Delivery::Doubt } else { Delivery::Failed };
            }
            _ => {}
        }
    }

    /// What is said of it, so that the heavier of two sayings stands.
    fn weight(&self) -> u8 {
        match (&self.answer, &self.draft) {
            (Some(answer), _) => 4 + u8::from(!answer.approved),
            (None, Some(draft)) => 2 + u8::from(!draft.approved),
            (None, None) => u8::from(self.asked),
        }
    }

    /// Takes what another session knows of the same call. A denial wins over an allowance, and the further
    /// delivery wins.
    fn merge(&mut self, other: Self) {
        if other.weight() > self.weight() {
            // A yes goes with the input that it was given to.
            self.answer = other.answer;
            self.draft = other.draft;
            self.input_hash = other.input_hash;
            self.taken_back = other.taken_back;
        }
        if other.delivery > self.delivery {
            self.delivery = other.delivery;
            self.request = other.request;
            self.request_session = other.request_session;
        }
        let earlier = |a: Option<u64>, b: Option<u64>| a.min(b).or(a).or(b);
        self.asked_at = earlier(self.asked_at, other.asked_at);
        self.deadline = earlier(self.deadline, other.deadline);
        self.output = self.output.or(other.output);
        self.asked |= other.asked;
        self.settled |= other.settled;
        self.superseded |= other.superseded;
        self.doubt |= other.doubt;
        // Who has answered it is one of the two, or yet another one.
        let heard = self.answer.as_ref().is_none_or(|answer| answer.actor == Some(Actor::Tab));
        self.elsewhere = (self.elsewhere || other.elsewhere) && heard;
        self.gone &= other.gone;
    }
}

/// What became of the question of a call, before and after a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Before it.
    pub before: Option<Class>,
    /// After it.
    pub after: Option<Class>,
}

/// The calls of a chat.
#[derive(Clone, Debug, Default)]
pub struct Known {
    calls: BTreeMap<String, Call>,
    next: u64,
    /// How many of them are closed.
    closed: usize,
    /// Those that a request has carried whose response has not ended, and perhaps others.
    running: Vec<String>,
}

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        // The rest follows from these.
        self.next == other.next && self.calls == other.calls
    }
}

impl Eq for Known {}

/// The same, as it is written: the oldest call first.
struct Stored {
    calls: Vec<Call>,
    next: u64,
}

fields!(Stored {
    calls = "calls",
    next = "next",
});

impl Write for Known {
    fn write(&self, text: &mut String) {
        text.push_str(&json::object(&[("calls", &self.ordered()), ("next", &self.next)]));
    }
}

impl Read for Known {
    fn read(from: &mut Reader) -> Option<Self> {
        let Stored { calls, next } = Stored::read(from)?;
        let closed = calls.iter().filter(|call| call.closed()).count();
        let mut known = Self { next, closed, ..Self::default() };
        // Not collected: that would sort them first.
        for call in calls {
            let key = call_key(&call);
            if call.running() {
                known.running.push(key.clone());
            }
            known.calls.insert(key, call);
        }
        Some(known)
    }
}

/// The lengths keep apart what the texts do not.
fn key(approval: Option<&str>, id: &str, tool: &str) -> String {
    let approval_length = approval.map_or(0, |approval| approval.len() + 1);
    let mut key = String::with_capacity(16 + approval_length + id.len() + tool.len());
    key.push_str(id);
    key.push_str(tool);
    key.push_str(approval.unwrap_or_default());
    for length in [approval_length, id.len()] {
        key.push(char::from_u32(length as u32).unwrap_or_default());
    }
    key
}

fn call_key(call: &Call) -> String {
    key(call.approval_id.as_deref(), &call.tool_call_id, &call.tool_name)
}

fn line_key(line: &Line) -> Option<String> {
    Some(key(line.approval_id.as_deref(), line.tool_call_id.as_deref()?, line.tool_name.as_deref()?))
}

impl Known {
    /// The calls, in no order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.values()
    }

    fn ordered(&self) -> Vec<&Call> {
        let mut calls: Vec<&Call> = self.calls().collect();
        calls.sort_unstable_by_key(|call| call.order);
        calls
    }

    /// How many there are.
    pub fn length(&self) -> usize {
        self.calls.len()
    }

    /// Whether a call with this approval id is not closed yet.
    pub fn is_open(&self, approval: &str) -> bool {
        self.calls().any(|call| call.approval_id.as_deref() == Some(approval) && !call.closed())
    }

    /// How many questions wait that this session has asked.
    pub fn waiting(&self, session: &str) -> u64 {
        let waits = |call: &&Call| call.class() == Some(Class::Waiting) && call.session == session;
        self.calls().filter(waits).count() as u64
    }

    /// The call with these names.
    pub fn call(&self, approval: Option<&str>, id: &str, tool: &str) -> Option<&Call> {
        self.calls.get(&key(approval, id, tool))
    }

    /// The call that a line is about.
    pub fn of(&self, line: &Line) -> Option<&Call> {
        self.calls.get(&line_key(line)?)
    }

    /// Takes one line, and says what it has done to the question of its call.
    pub fn apply(&mut self, line: &Line) -> Change {
        if let (EventKind::Started | EventKind::Ended | EventKind::Failed, Some(request)) =
            (line.kind, line.request)
        {
            self.told(line, request);
            return Change::default();
        }
        let Some(key) = line_key(line) else { return Change::default() };
        if line.kind == EventKind::Sent && !self.running.contains(&key) {
            self.running.push(key.clone());
        }
        let next = &mut self.next;
        let call = self.calls.entry(key).or_insert_with(|| {
            *next += 1;
            Call {
                approval_id: line.approval_id.clone(),
                tool_call_id: line.tool_call_id.clone().unwrap_or_default(),
                tool_name: line.tool_name.clone().unwrap_or_default(),
                session: line.session.clone(),
                order: *next - 1,
                ..Call::default()
            }
        });
        let (was, before) = (call.closed(), call.class());
        call.apply(line);
        let change = Change { before, after: call.class() };
        self.closed = self.closed + usize::from(call.closed()) - usize::from(was);
        self.prune();
        change
    }

    fn told(&mut self, line: &Line, request: u64) {
        let Self { calls, closed, running, .. } = self;
        running.retain(|key| {
            let Some(call) = calls.get_mut(key) else { return false };
            if call.carried_by(request, &line.session) {
                let was = call.closed();
                call.told(line);
                *closed = *closed + usize::from(call.closed()) - usize::from(was);
            }
            call.running()
        });
    }

    /// Takes what another session knows. Says of each call that both know what has become of its question
    /// in both, and then together.
    pub fn merge(&mut self, other: &Self) -> Vec<(Change, Option<Class>)> {
        let mut both = Vec::new();
        for call in other.ordered().into_iter().cloned() {
            let key = call_key(&call);
            if let Some(known) = self.calls.get_mut(&key) {
                let (was, before, theirs) = (known.closed(), known.class(), call.class());
                known.merge(call);
                self.closed = self.closed + usize::from(known.closed()) - usize::from(was);
                both.push((Change { before, after: known.class() }, theirs));
                if known.running() && !self.running.contains(&key) {
                    self.running.push(key);
                }
                continue;
            }
            if call.running() {
                self.running.push(key.clone());
            }
            self.closed += usize::from(call.closed());
            self.calls.insert(key, Call { order: self.next, ..call });
            self.next += 1;
        }
        self.prune();
        both
    }

    /// Forgets the hashes of the inputs, because they were made with another salt.
    pub fn forget_inputs(&mut self) {
        self.calls.values_mut().for_each(|call| call.input_hash = None);
    }

    /// Drops the oldest where there are too many: first of those of which nothing more is to come, and among
    /// the others first those that nobody has decided, because the messages show them again.
    fn prune(&mut self) {
        if self.closed > MOST_CLOSED + SLACK {
            self.drop_oldest(self.closed - MOST_CLOSED, Call::closed);
        }
        let open = self.calls.len() - self.closed;
        if open > MOST_OPEN + SLACK {
            let undecided = |call: &Call| {
                !call.closed() && call.answer.is_none() && call.draft.is_none() && call.output.is_none()
            };
            let dropped = self.drop_oldest(open - MOST_OPEN, undecided);
            self.drop_oldest(open - MOST_OPEN - dropped, |call| !call.closed());
        }
    }

    fn drop_oldest(&mut self, most: usize, which: impl Fn(&Call) -> bool) -> usize {
        let mut orders: Vec<u64> =
            self.calls.values().filter(|call| which(call)).map(|call| call.order).collect();
        orders.sort_unstable();
        orders.truncate(most);
        let Some(&last) = orders.last() else { return 0 };
        self.calls.retain(|_, call| call.order > last || !which(call));
        self.closed = self.calls.values().filter(|call| call.closed()).count();
        orders.len()
    }
}
