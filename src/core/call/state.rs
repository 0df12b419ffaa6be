//! The life of a call. The enums here own the data of each stage, and only [`Call::apply`], [`Call::started`]
//! and [`Call::failed`] move a call from one stage to another.

use super::delivery::Delivery;
use super::part::Digest;
use crate::core::clock::Time;
use crate::core::decision::{Actor, Author, Decision, Draft, Outcome, Ruling};
use crate::core::effect::Effect;
use crate::core::event::{Detail, Event, EventKind};
use crate::core::id::{GrantId, RequestId, StringId};

vocabulary! {
    /// The stage of a call as a page sees it.
    Status {
        /// Not finished, and no approval is needed.
        Open = "open",
        /// Waiting for a person's answer.
        Asking = "asking",
        /// Decided in the page; the decision can be undone and is not in the messages yet.
        Drafted = "drafted",
        /// Answered, or given an output by the page, but not sent.
        Answered = "answered",
        /// On its way to the server.
        Sent = "sent",
        /// The response to the request that carried it has started.
        Delivered = "delivered",
        /// It has an output or an error, or its denial is settled.
        Settled = "settled",
        /// The request that carried it broke off.
        InDoubt = "in-doubt",
        /// Nobody answered in time.
        Expired = "expired",
        /// Closed because the user moved on.
        Superseded = "superseded",
        /// Its message was edited or regenerated away.
        Gone = "gone",
        /// Answered in another tab, which sends it.
        Elsewhere = "elsewhere",
    }
}

/// An approval request, and how long it may wait for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The digest of the input that needs approval.
    pub input: Digest,
    /// Whether the application marks the call as dangerous.
    pub dangerous: bool,
    /// What the rules decided about the call.
    pub ruling: Option<Ruling>,
    /// How long it may wait for an answer.
    pub lifetime: Option<Time>,
    /// When it expires.
    pub deadline: Option<Time>,
    /// When it began to ask.
    pub since: Time,
    /// How long it had waited in an earlier page, if the record says so.
    pub waited_before: Option<Time>,
    /// Whether the warning before it expires was given.
    pub warned: bool,
    /// After an undo, only grants newer than this one may answer.
    pub grants_ignored_up_to: GrantId,
    /// Whether its part has lost the question that the record still has.
    pub lost: bool,
}

impl Question {
    fn new(input: Digest, since: Time) -> Self {
        Self {
            input,
            dangerous: false,
            ruling: None,
            lifetime: None,
            deadline: None,
            since,
            waited_before: None,
            warned: false,
            grants_ignored_up_to: GrantId::NONE,
            lost: false,
        }
    }
}

/// A stage in the life of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// No approval is needed, and there is no output yet.
    Open,
    /// It waits for an answer.
    Asking(Asking),
    /// It was allowed or denied, and has no valid output.
    Answered(Answered),
    /// It has an output or an error.
    PutOut(PutOut),
    /// The user moved on before the page ran it: it leaves as an error.
    Abandoned(Transmission),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asking {
    question: Question,
    /// The answer to be given when the batch is committed.
    draft: Option<Draft>,
    /// An answer was refused or withdrawn, and the part may still show it.
    answer_invalidated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answered {
    /// `None` if the answer was there before any question was seen.
    question: Option<Question>,
    decision: Decision,
    origin: Origin,
    transmission: Transmission,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PutOut {
    question: Option<Question>,
    author: Author,
    /// The allowance under which it ran, if it needed approval.
    allowance: Option<(Decision, Origin)>,
    transmission: Transmission,
}

/// The origin of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Given, or seen, in this page.
    Here,
    /// Taken from the record of an earlier page.
    Record,
    /// Given in another tab, which sends it.
    OtherTab,
    /// Given by the guard because the user moved on.
    UserMovedOn,
}

/// What settled a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Not settled.
    Open,
    /// The server, or the end of the response that carried it.
    Taken,
    /// A message of a person follows it.
    ClosedByUserMessage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Transmission {
    delivery: Delivery,
    /// Whether it was closed, or sent again, while it was not known whether the call had run.
    in_doubt_before: bool,
}

/// One call, folded from the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    tool: StringId,
    id: StringId,
    approval: StringId,
    life: Life,
    gone: bool,
    unmasked: bool,
    output_wait: OutputWait,
}

/// How long the page may take to run the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputWait {
    /// There is no limit.
    #[default]
    Unlimited,
    /// Until this time.
    Until(Time),
    /// The time is over.
    Over,
}

impl Call {
    /// A call of which only the tool, the call id and the approval id are known.
    pub fn new(tool: StringId, id: StringId, approval: StringId) -> Self {
        Self {
            tool,
            id,
            approval,
            life: Life::Open,
            gone: false,
            unmasked: false,
            output_wait: OutputWait::Unlimited,
        }
    }

    /// The name of the tool.
    pub fn tool(&self) -> StringId {
        self.tool
    }

    /// `toolCallId`
    pub fn id(&self) -> StringId {
        self.id
    }

    /// The approval id, or 0.
    pub fn approval(&self) -> StringId {
        self.approval
    }

    /// The question, if the call needs or needed approval.
    pub fn question(&self) -> Option<&Question> {
        match &self.life {
            Life::Open | Life::Abandoned(_) => None,
            Life::Asking(asking) => Some(&asking.question),
            Life::Answered(answered) => answered.question.as_ref(),
            Life::PutOut(put_out) => put_out.question.as_ref(),
        }
    }

    /// Whether it needs or needed approval.
    pub fn asked(&self) -> bool {
        self.question().is_some()
    }

    /// When its question expires.
    pub fn deadline(&self) -> Option<Time> {
        self.question()?.deadline
    }

    /// How long its question may wait.
    pub fn lifetime(&self) -> Option<Time> {
        self.question()?.lifetime
    }

    /// Whether the application marks it as dangerous.
    pub fn dangerous(&self) -> bool {
        self.question().is_some_and(|question| question.dangerous)
    }

    /// What the rules decided about it.
    pub fn ruling(&self) -> Option<Ruling> {
        self.question()?.ruling
    }

    /// Whether the warning before it expires was given.
    pub fn warned(&self) -> bool {
        self.question().is_some_and(|question| question.warned)
    }

    /// After an undo, only grants newer than this one may answer it.
    pub fn grants_ignored_up_to(&self) -> GrantId {
        self.question().map_or(GrantId::NONE, |question| question.grants_ignored_up_to)
    }

    /// The digest of the input that needs or needed approval.
    pub fn input(&self) -> Digest {
        self.question().map_or(0, |question| question.input)
    }

    /// Whether its part has lost the question that the record still has.
    pub fn lost(&self) -> bool {
        self.question().is_some_and(|question| question.lost)
    }

    /// Whether the rules deny it.
    pub fn denied_by_rule(&self) -> bool {
        self.ruling().is_some_and(|ruling| ruling.effect == Effect::Deny)
    }

    /// Whether the rules allow it.
    pub fn allowed_by_rule(&self) -> bool {
        self.ruling().is_some_and(|ruling| ruling.effect == Effect::Allow)
    }

    /// How long it has waited, or waited, for an answer; `None` if it never asked.
    pub fn waited(&self, now: Time) -> Option<Time> {
        let question = self.question()?;
        let here = now.saturating_sub(question.since);
        Some(question.waited_before.unwrap_or_default().saturating_add(here))
    }

    /// Whether a person has asked for the hidden parts of its input.
    pub fn unmasked(&self) -> bool {
        self.unmasked
    }

    /// How long the page may take to run it.
    pub fn output_wait(&self) -> OutputWait {
        self.output_wait
    }

    /// Whether its message is no longer in the list.
    pub fn gone(&self) -> bool {
        self.gone
    }

    /// Whether it waits for a person's answer; a draft is not an answer.
    pub fn asking(&self) -> bool {
        matches!(self.life, Life::Asking(_))
    }

    /// Whether it waits for a decision.
    pub fn undecided(&self) -> bool {
        self.asking() && self.draft().is_none()
    }

    /// The answer to be given when the batch is committed.
    pub fn draft(&self) -> Option<Draft> {
        if let Life::Asking(asking) = &self.life { asking.draft } else { None }
    }

    /// Whether an answer was refused or withdrawn that the part may still show.
    pub fn answer_invalidated(&self) -> bool {
        matches!(&self.life, Life::Asking(asking) if asking.answer_invalidated)
    }

    /// The answer that stands.
    pub fn decision(&self) -> Option<Decision> {
        match &self.life {
            Life::Answered(answered) => Some(answered.decision),
            Life::PutOut(put_out) => put_out.allowance.map(|(decision, _)| decision),
            Life::Open | Life::Asking(_) | Life::Abandoned(_) => None,
        }
    }

    /// The answer that stands or is drafted.
    pub fn answer(&self) -> Option<Decision> {
        self.decision().or(self.draft().map(|draft| draft.decision))
    }

    /// The outcome of the answer that stands or is drafted.
    pub fn outcome(&self) -> Option<Outcome> {
        self.answer().map(|answer| answer.outcome().in_doubt(self.in_doubt_before()))
    }

    /// Whether it was denied, by anyone.
    pub fn denied(&self) -> bool {
        self.decision().is_some_and(|decision| !decision.approved)
    }

    /// Whether it was allowed.
    pub fn allowed(&self) -> bool {
        self.decision().is_some_and(|decision| decision.approved)
    }

    /// The author of its output, if it has a valid one.
    pub fn output(&self) -> Option<Author> {
        if let Life::PutOut(put_out) = &self.life { Some(put_out.author) } else { None }
    }

    /// How far its answer or output has come.
    pub fn delivery(&self) -> Delivery {
        self.transmission().delivery
    }

    /// Whether it was closed because the user moved on.
    pub fn superseded(&self) -> bool {
        matches!(self.life, Life::Abandoned(_)) || self.origin() == Some(Origin::UserMovedOn)
    }

    /// Whether it was closed, or sent again, while it was not known whether it had run.
    pub fn in_doubt_before(&self) -> bool {
        self.transmission().in_doubt_before
    }

    /// Whether its answer comes from the record of an earlier page.
    pub fn from_record(&self) -> bool {
        self.origin() == Some(Origin::Record)
    }

    /// Whether it was answered in another tab, and this page does not send the answer.
    pub fn elsewhere(&self) -> bool {
        self.origin() == Some(Origin::OtherTab)
    }

    /// Whether another tab has claimed to send its allowance, and there is no result yet.
    pub fn sent_elsewhere(&self) -> bool {
        self.elsewhere() && self.allowed_without_output() && self.delivery() == Delivery::Idle
    }

    /// Whether its denial is settled.
    pub fn settled(&self) -> bool {
        matches!(&self.life, Life::Answered(answered) if answered.end != End::Open)
    }

    /// Whether a message of a person follows its denial.
    pub fn closed_by_user_message(&self) -> bool {
        matches!(&self.life, Life::Answered(answered) if answered.end == End::ClosedByUserMessage)
    }

    /// Whether its deadline has passed and nobody has denied it.
    pub fn overdue(&self, now: Time) -> bool {
        let open = self.draft().is_none_or(|draft| draft.decision.approved);
        self.asking() && open && self.deadline().is_some_and(|deadline| now >= deadline)
    }

    /// Whether no request can change it any more.
    pub fn closed(&self) -> bool {
        let delivered = matches!(self.delivery(), Delivery::Delivered(_) | Delivery::History);
        self.gone
            || match &self.life {
                Life::Open | Life::Asking(_) => false,
                Life::Answered(answered) => answered.end != End::Open,
                Life::PutOut(put_out) => put_out.author == Author::Server || delivered,
                // It left as an error, which nothing settles.
                Life::Abandoned(_) => delivered,
            }
    }

    /// Whether it has an answer of this page that no request has carried.
    pub fn fresh_answer(&self) -> bool {
        matches!(self.life, Life::Answered(_)) && self.delivery() == Delivery::Unsent
    }

    /// Whether it has an output of this page that no request has carried.
    pub fn fresh_output(&self) -> bool {
        self.output() == Some(Author::Page) && self.delivery() == Delivery::Unsent
    }

    /// Whether a request of this page has carried its answer or output.
    pub fn was_sent(&self) -> bool {
        matches!(
            self.delivery(),
            Delivery::Sent(_) | Delivery::Delivered(_) | Delivery::Doubt | Delivery::Failed
        )
    }

    /// Whether it is allowed and has no output.
    pub fn allowed_without_output(&self) -> bool {
        matches!(&self.life, Life::Answered(answered) if answered.decision.approved)
    }

    /// Whether it was allowed and sent, perhaps received, and has no result here.
    pub fn unclear(&self) -> bool {
        let sent = matches!(self.delivery(), Delivery::Doubt | Delivery::Delivered(RequestId::NONE));
        sent && self.allowed_without_output()
    }

    /// Whether it is allowed without a result, and this request carried the allowance.
    pub fn carried_by(&self, request: RequestId) -> bool {
        let carried = matches!(self.delivery(), Delivery::Sent(r) | Delivery::Delivered(r) if r == request);
        carried && self.allowed_without_output()
    }

    /// Whether it is allowed without a result, and one of these requests carries the allowance.
    pub fn in_flight(&self, running: &[RequestId]) -> bool {
        running.iter().any(|&request| self.carried_by(request))
    }

    /// Whether the end of the response to this request settles its denial.
    pub fn settled_by(&self, request: RequestId) -> bool {
        self.delivery() == Delivery::Delivered(request) && self.denied() && !self.settled()
    }

    /// Its status.
    pub fn status(&self) -> Status {
        if self.gone {
            return Status::Gone;
        }
        match &self.life {
            Life::Open => Status::Open,
            Life::Asking(Asking { draft: None, .. }) => Status::Asking,
            Life::Asking(Asking { draft: Some(draft), .. }) if draft.decision.actor == Actor::Timer => {
                Status::Expired
            }
            Life::Asking(_) => Status::Drafted,
            Life::Abandoned(_) => Status::Superseded,
            Life::Answered(answered) => answered.status(),
            Life::PutOut(put_out) => put_out.status(),
        }
    }

    /// Applies one event of this call, which happened at `time`.
    pub fn apply(&mut self, event: &Event, time: Time) {
        if matches!(event.kind, EventKind::Asked | EventKind::Output | EventKind::Voided) {
            self.output_wait = OutputWait::Unlimited;
        }
        match (event.kind, event.detail) {
            (EventKind::Asked, Detail::Question { approval, input }) => self.ask(approval, input, time),
            (EventKind::Drafted | EventKind::Expired, _) => {
                let draft = event.decision().map(|decision| Draft { decision, at: time });
                self.set_draft(draft);
            }
            (EventKind::Undone, _) => self.set_draft(None),
            (EventKind::Answered, _) => self.answered(event.decision()),
            (EventKind::LateDenial, _) => self.on_answer(|answered| {
                answered.decision = event.decision().unwrap_or(answered.decision);
            }),
            (EventKind::Refused, Detail::Shown(shown)) => {
                if let Life::Asking(asking) = &mut self.life {
                    asking.answer_invalidated |= shown;
                }
            }
            (EventKind::Output, _) => self.put_out(event.author()),
            (EventKind::Withdrawn, _) if self.decision().is_none() => self.set_draft(None),
            (EventKind::Withdrawn, _) => self.reopen(time),
            (EventKind::Voided, _) => {
                self.reopen(time);
                // They were about another input.
                self.on_question(|question| question.ruling = None);
                self.unmasked = false;
            }
            (EventKind::Superseded, _) => self.supersede(event.doubt == Some(true)),
            (EventKind::Sent, _) => {
                // No tab had sent the answer of another one: this page does.
                let takes = self.elsewhere() && self.delivery() == Delivery::History;
                self.on_answer(|answered| {
                    answered.origin = if takes { Origin::Record } else { answered.origin };
                });
                self.on_transmission(|transmission| {
                    transmission.in_doubt_before |= transmission.delivery == Delivery::Doubt;
                    transmission.delivery = Delivery::Sent(event.request);
                });
            }
            (EventKind::Settled, _) => self.settle(),
            (EventKind::ClosedByUserMessage, _) => {
                self.on_answer(|answered| answered.end = End::ClosedByUserMessage);
            }
            (EventKind::Gone, _) => {
                self.gone = true;
                self.set_draft(None);
            }
            (EventKind::Returned, _) => self.gone = false,
            (EventKind::Recalled | EventKind::Elsewhere, Detail::Restored { delivery, settled }) => {
                self.restore(event, delivery, settled);
            }
            (EventKind::Revealed, _) => self.unmasked = true,
            (EventKind::Awaited, _) => {
                self.output_wait = event.deadline.map_or(OutputWait::Unlimited, OutputWait::Until);
            }
            (EventKind::TimedOut, _) => self.output_wait = OutputWait::Over,
            _ => {}
        }
        self.on_question(|question| question.apply(event, time));
    }

    /// Applies the end of a grant: a draft that would have given it now answers only its own call.
    pub fn grant_ended(&mut self, grant: GrantId) {
        if let Life::Asking(Asking { draft: Some(Draft { decision, .. }), .. }) = &mut self.life
            && decision.grant == grant
            && decision.actor.deliberates()
        {
            decision.grant = GrantId::NONE;
        }
    }

    /// Applies the start of the response to a request.
    pub fn started(&mut self, request: RequestId) {
        self.on_transmission(|transmission| {
            if transmission.delivery == Delivery::Sent(request) {
                transmission.delivery = Delivery::Delivered(request);
            }
        });
    }

    /// Applies the failure of a request or its response.
    pub fn failed(&mut self, request: RequestId, doubt: bool) {
        let started = self.delivery() == Delivery::Delivered(request);
        if !(started || self.delivery() == Delivery::Sent(request)) || self.settled() {
            return;
        }
        // Once the response has started, the fate of an output is not known either. A refused request says
        // nothing about an earlier one.
        let may_have_run = self.allowed_without_output() || started;
        let unknown = (doubt || self.in_doubt_before()) && !self.denied() && may_have_run;
        let delivery = if unknown { Delivery::Doubt } else { Delivery::Failed };
        self.on_transmission(|transmission| transmission.delivery = delivery);
    }

    /// Sets how far the answer or the output has come, from a record that has kept nothing else.
    pub fn set_transmission(&mut self, delivery: Delivery, in_doubt_before: bool) {
        self.on_transmission(|transmission| *transmission = Transmission { delivery, in_doubt_before });
    }

    fn transmission(&self) -> Transmission {
        match self.life {
            Life::Open | Life::Asking(_) => Transmission::default(),
            Life::Answered(Answered { transmission, .. })
            | Life::PutOut(PutOut { transmission, .. })
            | Life::Abandoned(transmission) => transmission,
        }
    }

    fn origin(&self) -> Option<Origin> {
        match self.life {
            Life::Answered(answered) => Some(answered.origin),
            Life::PutOut(put_out) => put_out.allowance.map(|(_, origin)| origin),
            Life::Open | Life::Asking(_) | Life::Abandoned(_) => None,
        }
    }

    fn on_question(&mut self, change: impl FnOnce(&mut Question)) {
        match &mut self.life {
            Life::Open | Life::Abandoned(_) => {}
            Life::Asking(asking) => change(&mut asking.question),
            Life::Answered(Answered { question, .. }) | Life::PutOut(PutOut { question, .. }) => {
                question.as_mut().map(change);
            }
        }
    }

    fn on_answer(&mut self, change: impl FnOnce(&mut Answered)) {
        if let Life::Answered(answered) = &mut self.life {
            change(answered);
        }
    }

    fn on_transmission(&mut self, change: impl FnOnce(&mut Transmission)) {
        match &mut self.life {
            Life::Open | Life::Asking(_) => {}
            Life::Answered(Answered { transmission, .. })
            | Life::PutOut(PutOut { transmission, .. })
            | Life::Abandoned(transmission) => change(transmission),
        }
    }

    /// It asks for approval. A repeated question gets no more time, and its draft stays.
    fn ask(&mut self, approval: StringId, input: Digest, time: Time) {
        let known = self.question().filter(|question| self.approval == approval && question.input == input);
        let question = known.map(|known| Question { lost: false, ..*known });
        let draft = self.draft().filter(|_| question.is_some());
        self.unmasked &= question.is_some();
        self.approval = approval;
        self.gone = false;
        let question = question.unwrap_or_else(|| Question::new(input, time));
        self.life = Life::Asking(Asking { question, draft, answer_invalidated: false });
    }

    fn set_draft(&mut self, draft: Option<Draft>) {
        if let Life::Asking(asking) = &mut self.life {
            asking.draft = draft;
        }
    }

    fn answered(&mut self, decision: Option<Decision>) {
        let Some(decision) = decision else { return };
        let delivery = match decision.actor {
            Actor::History => Delivery::History,
            Actor::Server => Delivery::Idle,
            _ => Delivery::Unsent,
        };
        let transmission = Transmission { delivery, ..self.transmission() };
        match &mut self.life {
            // The answer is seen after the output that it allowed.
            Life::PutOut(put_out) if decision.approved => {
                put_out.allowance = Some((decision, Origin::Here));
                put_out.transmission = transmission;
            }
            _ => self.answer_with(decision, Origin::Here, transmission),
        }
    }

    fn answer_with(&mut self, decision: Decision, origin: Origin, transmission: Transmission) {
        let question = self.question().copied();
        self.life = Life::Answered(Answered { question, decision, origin, transmission, end: End::Open });
    }

    fn put_out(&mut self, author: Author) {
        let delivery = match author {
            Author::Page => Delivery::Unsent,
            Author::Server => Delivery::Idle,
            Author::History => Delivery::History,
        };
        let allowance = self.decision().zip(self.origin());
        let transmission = Transmission { delivery, ..self.transmission() };
        self.life =
            Life::PutOut(PutOut { question: self.question().copied(), author, allowance, transmission });
    }

    /// Its answer is withdrawn: it asks again, with its original time and annotations.
    fn reopen(&mut self, time: Time) {
        let question = match self.question() {
            Some(known) => Question { lost: false, ..*known },
            None => Question::new(0, time),
        };
        self.gone = false;
        self.life = Life::Asking(Asking { question, draft: None, answer_invalidated: true });
    }

    fn supersede(&mut self, doubt: bool) {
        let transmission = Transmission { delivery: Delivery::Unsent, in_doubt_before: doubt };
        if self.asked() || self.approval.is_some() || self.decision().is_some() {
            self.answer_with(Decision::new(false, Actor::Superseded), Origin::UserMovedOn, transmission);
        } else {
            self.life = Life::Abandoned(transmission);
        }
    }

    fn settle(&mut self) {
        // The part shows a denial that replaced an output.
        if let Life::PutOut(PutOut { allowance: Some((decision, origin)), transmission, .. }) = self.life {
            self.answer_with(decision, origin, transmission);
        }
        self.on_answer(|answered| {
            answered.end = End::Taken;
            // An answer settled before this page has nothing left to send.
            if answered.transmission.delivery == Delivery::History {
                answered.transmission.delivery = Delivery::Idle;
            }
        });
    }

    /// Takes an answer from the record or from another tab.
    fn restore(&mut self, event: &Event, delivery: Delivery, settled: bool) {
        let Some(decision) = event.decision() else { return };
        let origin = match event.kind {
            _ if self.superseded() => Origin::UserMovedOn,
            EventKind::Elsewhere => Origin::OtherTab,
            _ => Origin::Record,
        };
        if let (Life::PutOut(put_out), true) = (&mut self.life, decision.approved) {
            put_out.allowance = Some((decision, origin));
            return;
        }
        let end = if let Life::Answered(answered) = self.life { answered.end } else { End::Open };
        let transmission = Transmission { delivery, ..self.transmission() };
        self.answer_with(decision, origin, transmission);
        let taken = settled && !decision.approved && end == End::Open;
        self.on_answer(|answered| answered.end = if taken { End::Taken } else { end });
    }
}

impl Question {
    /// Applies the part of an event that concerns only the question.
    fn apply(&mut self, event: &Event, time: Time) {
        match (event.kind, event.detail) {
            (EventKind::Annotated, Detail::Annotation { dangerous, lifetime }) => {
                self.dangerous = dangerous;
                self.lifetime = lifetime;
                self.deadline = event.deadline;
            }
            (EventKind::RuleEvaluated, Detail::Ruling(ruling)) => self.ruling = Some(ruling),
            (EventKind::Undone, Detail::GrantsIgnoredUpTo(grant)) => {
                self.grants_ignored_up_to = self.grants_ignored_up_to.max(grant);
            }
            (EventKind::Warned, _) => self.warned = true,
            (EventKind::Extended, _) => {
                self.deadline = event.deadline;
                self.warned = false;
            }
            (EventKind::Lost, _) => self.lost = true,
            (EventKind::Waited, Detail::Waited { before, left }) => {
                self.waited_before = Some(before);
                let deadline = left.map(|left| time.saturating_add(left));
                // Law 12: there is never more time than an earlier page had left.
                self.deadline = [self.deadline, deadline].into_iter().flatten().min();
            }
            _ => {}
        }
    }
}

impl Answered {
    fn status(&self) -> Status {
        match (self.origin, self.decision.actor, self.end, self.transmission.delivery) {
            (Origin::UserMovedOn, ..) => Status::Superseded,
            (_, Actor::Timer, ..) => Status::Expired,
            (_, _, End::Taken | End::ClosedByUserMessage, _) => Status::Settled,
            (Origin::OtherTab, ..) => Status::Elsewhere,
            (_, _, _, Delivery::Sent(_)) => Status::Sent,
            (_, _, _, Delivery::Delivered(_)) => Status::Delivered,
            (_, _, _, Delivery::Doubt) => Status::InDoubt,
            (_, _, _, Delivery::Idle | Delivery::Unsent | Delivery::Failed | Delivery::History) => {
                Status::Answered
            }
        }
    }
}

impl PutOut {
    fn status(&self) -> Status {
        let elsewhere = self.allowance.is_some_and(|(_, origin)| origin == Origin::OtherTab);
        match (self.author, self.transmission.delivery) {
            (Author::Server | Author::History, _) => Status::Settled,
            (Author::Page, _) if elsewhere => Status::Elsewhere,
            (Author::Page, Delivery::Delivered(_)) => Status::Settled,
            (Author::Page, Delivery::Sent(_)) => Status::Sent,
            (Author::Page, Delivery::Doubt) => Status::InDoubt,
            (Author::Page, _) => Status::Answered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::call::samples::{after, asking, changed, decided, put_out};
    use crate::core::id::CallId;

    const ASKED: Event = Event::asked(CallId(0), StringId(3), 0, Actor::Server);
    const SENT: Event = Event::sent(CallId(0), RequestId(1), None, Actor::Application);

    fn answered(approved: bool) -> Event {
        Event::answer(CallId(0), EventKind::Answered, Decision::new(approved, Actor::Person))
    }

    fn output(author: Author) -> Event {
        Event::put_out(CallId(0), EventKind::Output, author)
    }

    #[test]
    fn a_life_goes_through_its_statuses() {
        let settled = Event::on(CallId(0), EventKind::Settled, Actor::Server);
        let superseded = Event::superseded(CallId(0), false);
        let withdrawn = Event::on(CallId(0), EventKind::Withdrawn, Actor::Stop);
        let gone = Event::on(CallId(0), EventKind::Gone, Actor::Application);
        let elsewhere = Event::restored(
            CallId(0),
            EventKind::Elsewhere,
            Decision::new(true, Actor::Tab),
            Delivery::Idle,
            false,
        );
        let table: &[(&[Event], Status)] = &[
            (&[], Status::Open),
            (&[ASKED], Status::Asking),
            (
                &[ASKED, Event::answer(CallId(0), EventKind::Expired, Decision::new(false, Actor::Timer))],
                Status::Expired,
            ),
            (&[ASKED, answered(true)], Status::Answered),
            (&[ASKED, answered(true), SENT], Status::Sent),
            (&[ASKED, answered(true), SENT, output(Author::Server)], Status::Settled),
            (&[ASKED, answered(false), settled], Status::Settled),
            (&[output(Author::Page)], Status::Answered),
            (&[output(Author::Page), SENT], Status::Sent),
            (&[ASKED, superseded], Status::Superseded),
            (&[superseded], Status::Superseded),
            (&[ASKED, answered(true), withdrawn], Status::Asking),
            (&[ASKED, gone], Status::Gone),
            (&[ASKED, gone, Event::on(CallId(0), EventKind::Returned, Actor::Application)], Status::Asking),
            (&[ASKED, elsewhere], Status::Elsewhere),
            (&[ASKED, elsewhere, answered(false)], Status::Answered),
        ];
        for (events, status) in table {
            assert_eq!(after(events).status(), *status, "{events:?}");
        }
    }

    #[test]
    fn a_request_delivers_only_what_it_carried() {
        let mut call = decided(true, Delivery::Sent(RequestId(1)));
        call.started(RequestId(2));
        assert_eq!(call.delivery(), Delivery::Sent(RequestId(1)));
        call.started(RequestId(1));
        assert_eq!(call.delivery(), Delivery::Delivered(RequestId(1)));
        assert_eq!(call.status(), Status::Delivered);
    }

    #[test]
    fn only_an_allowed_call_without_output_is_in_doubt() {
        let broke = |mut call: Call, doubt| {
            call.failed(RequestId(1), doubt);
            call.delivery()
        };
        assert_eq!(broke(decided(true, Delivery::Sent(RequestId(1))), true), Delivery::Doubt);
        assert_eq!(broke(decided(true, Delivery::Sent(RequestId(1))), false), Delivery::Failed);
        assert_eq!(broke(decided(false, Delivery::Sent(RequestId(1))), true), Delivery::Failed);
        assert_eq!(broke(put_out(Delivery::Sent(RequestId(1))), true), Delivery::Failed);
        assert_eq!(broke(put_out(Delivery::Delivered(RequestId(1))), true), Delivery::Doubt);
        let again = changed(decided(true, Delivery::Doubt), &[SENT]);
        assert_eq!(broke(again, false), Delivery::Doubt, "a refusal says nothing of an earlier request");
    }

    #[test]
    fn what_the_server_or_history_answered_is_no_news() {
        for (actor, fresh) in [(Actor::Person, true), (Actor::Server, false), (Actor::History, false)] {
            let call =
                after(&[ASKED, Event::answer(CallId(0), EventKind::Answered, Decision::new(true, actor))]);
            assert_eq!(call.fresh_answer(), fresh, "{actor:?}");
        }
        for (author, fresh) in [(Author::Page, true), (Author::Server, false), (Author::History, false)] {
            assert_eq!(after(&[output(author)]).fresh_output(), fresh, "{author:?}");
        }
    }

    #[test]
    fn a_call_whose_answer_is_void_asks_again() {
        let voided = Event::on(CallId(0), EventKind::Voided, Actor::Server);
        let call = changed(decided(true, Delivery::Sent(RequestId(1))), &[voided]);
        assert!(call.asking() && call.answer_invalidated());
        assert_eq!((call.decision(), call.delivery(), call.approval()), (None, Delivery::Idle, StringId(3)));
    }

    #[test]
    fn a_denial_leaves_no_output_and_an_allowance_keeps_it() {
        let recalled = |approved| {
            Event::restored(
                CallId(0),
                EventKind::Recalled,
                Decision::new(approved, Actor::History),
                Delivery::Failed,
                false,
            )
        };
        let output = put_out(Delivery::History);
        let denied = changed(output, &[recalled(false)]);
        assert_eq!((denied.output(), denied.denied(), denied.delivery()), (None, true, Delivery::Failed));
        let allowed = changed(output, &[recalled(true)]);
        let expected = (Some(Author::History), true, Delivery::History);
        assert_eq!((allowed.output(), allowed.allowed(), allowed.delivery()), expected);
    }

    #[test]
    fn the_same_question_again_has_no_more_time_and_keeps_its_draft() {
        let marked = Event::annotated(CallId(0), true, Some(9), Some(9));
        let decision = Decision::new(false, Actor::Person);
        let drafted =
            Event { actor: Actor::Person, ..Event::answer(CallId(0), EventKind::Drafted, decision) };
        let call = changed(asking(), &[marked, drafted, ASKED]);
        assert_eq!((call.deadline(), call.draft().map(|draft| draft.decision)), (Some(9), Some(decision)));
        let other = Event::asked(CallId(0), StringId(3), 7, Actor::Server);
        let call = changed(call, &[other]);
        assert_eq!((call.deadline(), call.draft(), call.input()), (None, None, 7));
    }
}
