//! One tool call: its identity and its life.

use super::clock::Time;
use super::decision::{Actor, Author, Decision, Draft, GrantId, Ruling};
use super::effect::Effect;
use super::ledger::Event;
use super::protocol::ToolState;

/// A string that the border has given a number. Equal strings have equal numbers; 0 is no string.
/// Strings stay in JavaScript, so that an id with a lone surrogate is not changed by a conversion.
pub type StringId = u32;

/// The number of a call in the order in which the calls were noticed.
pub type CallId = u32;

/// The number of a request, from 1.
pub type RequestId = u32;

/// A hash of an input or output. Equal values have equal digests.
pub type Digest = u64;

/// Are they surely of different values? What is too long to be read has an even digest of its own, which
/// says nothing.
pub fn differs(one: Digest, other: Digest) -> bool {
    let says = |digest: Digest| digest == 0 || digest & 1 == 1;
    one != other && says(one) && says(other)
}

/// Where a tool part stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The id of the message.
    pub message: StringId,
    /// The index of the message in the list.
    pub index: u32,
    /// The index of the last user message before it, plus 1.
    pub turn: u32,
    /// The number of `step-start` parts before it.
    pub step: u32,
    /// How many parts with the same call id stand before it in its step.
    pub occurrence: u32,
}

vocabulary! {
    /// What `approval.approved` says.
    Answer {
        /// There is no answer.
        Absent = "absent",
        /// Something else than a boolean, or an answer without an approval id.
        Malformed = "malformed",
        /// `false`
        No = "no",
        /// `true`
        Yes = "yes",
    }
}

/// What a look at one tool part shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartFacts {
    /// Where it stands.
    pub place: Place,
    /// The name of the tool.
    pub tool: StringId,
    /// `toolCallId`
    pub id: StringId,
    /// `approval.id`, or 0.
    pub approval: StringId,
    /// The facts that a verdict and a repair need.
    pub flags: PartFlags,
    /// The digest of the input.
    pub input: Digest,
    /// The digest of the output or error text; 0 where there is none.
    pub output: Digest,
}

/// The facts of a tool part that fit into one number, because they cross the border often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartFlags {
    /// `state`
    pub state: ToolState,
    /// `approval.approved`
    pub answer: Answer,
    /// `providerExecuted: true`
    pub provider: bool,
    /// `preliminary: true`
    pub preliminary: bool,
    /// Carries something that a denied call must not carry: `output`, `errorText`, `preliminary`
    /// or `resultProviderMetadata`.
    pub residue: bool,
    /// Carries the error text of the guard itself.
    pub by_guard: bool,
}

impl PartFlags {
    /// Reads the number that `pkg-template/src/chat/part.ts` makes.
    pub fn from_code(code: u32) -> Self {
        Self {
            state: ToolState::from_code((code & 7) as usize).unwrap_or(ToolState::Unknown),
            answer: Answer::from_code((code >> 3 & 3) as usize).unwrap_or(Answer::Malformed),
            provider: code & 32 != 0,
            preliminary: code & 64 != 0,
            residue: code & 128 != 0,
            by_guard: code & 256 != 0,
        }
    }

    /// Is there a final output or error?
    pub fn has_output(self) -> bool {
        match self.state {
            ToolState::OutputAvailable => !self.preliminary,
            ToolState::OutputError => true,
            _ => false,
        }
    }

    /// Is the call at its beginning, so that it cannot be one that has come further?
    pub fn begins(self) -> bool {
        matches!(self.state, ToolState::InputStreaming | ToolState::InputAvailable)
    }
}

/// How far the news of a call has come on its way to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// There is no news.
    #[default]
    Idle,
    /// News of this page that no request has carried.
    Unsent,
    /// A request carries it.
    Sent(RequestId),
    /// The response to that request has started.
    Delivered(RequestId),
    /// The request failed; the server refused it or never saw it.
    Failed,
    /// The request broke after it went out: an allowed call may have run.
    Doubt,
    /// It was already there at the first `attach`.
    History,
}

vocabulary! {
    /// Where a call is in its life.
    Status {
        /// Not finished, and nobody has to approve it.
        Open = "open",
        /// Waits for a person's answer.
        Asking = "asking",
        /// Decided in the page, undoable, not in the messages yet.
        Drafted = "drafted",
        /// Answered, or put out by the page, and not sent.
        Answered = "answered",
        /// On its way.
        Sent = "sent",
        /// A response to the request that carried it has started.
        Delivered = "delivered",
        /// Has its output, its error, or its denial was taken.
        Settled = "settled",
        /// The request that carried it broke.
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

/// The life of one call, folded from the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the tool.
    pub tool: StringId,
    /// `toolCallId`
    pub id: StringId,
    /// The approval id, or 0.
    pub approval: StringId,
    /// Somebody has to approve it.
    pub asked: bool,
    /// The digest of the input when it asked.
    pub input: Digest,
    /// The application marks it as dangerous.
    pub dangerous: bool,
    /// What rules say of it.
    pub ruling: Option<Ruling>,
    /// How long it may wait for an answer.
    pub lifetime: Option<Time>,
    /// When it expires.
    pub deadline: Option<Time>,
    /// Since when it asks, and how long it had waited before this page.
    pub since: Time,
    /// See [`since`](Self::since).
    pub before: Time,
    /// That was said of this question.
    pub waited_before: bool,
    /// It expires soon, and that was said.
    pub warned: bool,
    /// A person has asked for what is hidden of its input.
    pub revealed: bool,
    /// What it will be answered, until the batch is committed.
    pub draft: Option<Draft>,
    /// A person has taken an answer back, so grants up to this one do not answer it by themselves.
    pub grants_ignored_up_to: GrantId,
    /// The answer that stands.
    pub decision: Option<Decision>,
    /// An answer was refused, or taken back by a stop or by a changed input, and the part may still
    /// show it.
    pub answer_invalidated: bool,
    /// Who wrote the output, where there is one.
    pub output: Option<Author>,
    /// How far the answer or output has come.
    pub delivery: Delivery,
    /// A denial that the server, or the end of the response that carried it, has settled.
    pub settled: bool,
    /// A message of a person stands behind the denial.
    pub filed: bool,
    /// Closed because the user moved on.
    pub superseded: bool,
    /// It was closed, or sent once more, while it was not known whether it ran.
    pub doubt: bool,
    /// Not in the list any more.
    pub gone: bool,
    /// Stands in [`State::live`](super::ledger::State::live).
    pub listed: bool,
    /// Its part has lost the question that the record has.
    pub lost: bool,
    /// Its answer is one of an earlier page, as the record has it.
    pub recalled: bool,
    /// It was answered in another tab, which sends it.
    pub elsewhere: bool,
}

impl Call {
    /// A call of which nothing is known but its names.
    pub fn new(tool: StringId, id: StringId, approval: StringId) -> Self {
        Self {
            tool,
            id,
            approval,
            asked: false,
            input: 0,
            dangerous: false,
            ruling: None,
            lifetime: None,
            deadline: None,
            since: 0,
            before: 0,
            waited_before: false,
            warned: false,
            revealed: false,
            draft: None,
            grants_ignored_up_to: 0,
            decision: None,
            answer_invalidated: false,
            output: None,
            delivery: Delivery::Idle,
            settled: false,
            filed: false,
            superseded: false,
            doubt: false,
            gone: false,
            listed: false,
            lost: false,
            recalled: false,
            elsewhere: false,
        }
    }

    /// How long it has waited for an answer, if it asks or has asked.
    pub fn waited(&self, now: Time) -> Option<Time> {
        self.asked.then(|| self.before.saturating_add(now.saturating_sub(self.since)))
    }

    /// Do rules deny it?
    pub fn denied_by_rule(&self) -> bool {
        self.ruling.is_some_and(|ruling| ruling.effect == Effect::Deny)
    }

    /// Do rules allow it?
    pub fn allowed_by_rule(&self) -> bool {
        self.ruling.is_some_and(|ruling| ruling.effect == Effect::Allow)
    }

    /// Was it denied, by whomever?
    pub fn denied(&self) -> bool {
        self.decision.is_some_and(|d| !d.approved)
    }

    /// Was it allowed?
    pub fn allowed(&self) -> bool {
        self.decision.is_some_and(|d| d.approved)
    }

    /// Waits for a person's answer. What is only drafted is no answer.
    pub fn asking(&self) -> bool {
        self.asked && self.decision.is_none() && self.output.is_none()
    }

    /// Waits for a decision.
    pub fn undecided(&self) -> bool {
        self.asking() && self.draft.is_none()
    }

    /// The answer that stands or is drafted.
    pub fn answer(&self) -> Option<Decision> {
        self.decision.or(self.draft.map(|draft| draft.decision))
    }

    /// Is its time over, and nobody has denied it?
    pub fn overdue(&self, now: Time) -> bool {
        let open = self.draft.is_none_or(|draft| draft.decision.approved);
        self.asking() && open && self.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// Nothing of it can change any more by a request.
    pub fn closed(&self) -> bool {
        let delivered = matches!(self.delivery, Delivery::Delivered(_) | Delivery::History);
        let ended = match self.output {
            Some(Author::Server) => true,
            Some(_) => delivered,
            // Nobody had to approve it, so that it left as an error, which nobody settles.
            None if self.superseded && self.decision.is_none() => delivered,
            None => self.settled,
        };
        self.gone || ended
    }

    /// Is it an answer of this page that no request has carried?
    pub fn fresh_answer(&self) -> bool {
        self.delivery == Delivery::Unsent && self.decision.is_some() && self.output.is_none()
    }

    /// Is it an output of this page that no request has carried?
    pub fn fresh_output(&self) -> bool {
        self.delivery == Delivery::Unsent && self.output == Some(Author::Page)
    }

    /// Whether a request of this page has carried its answer or output.
    pub fn was_sent(&self) -> bool {
        matches!(
            self.delivery,
            Delivery::Sent(_) | Delivery::Delivered(_) | Delivery::Doubt | Delivery::Failed
        )
    }

    /// Whether it is an allowance that was sent, perhaps taken, and has no result here.
    pub fn unclear(&self) -> bool {
        let sent = matches!(self.delivery, Delivery::Doubt | Delivery::Delivered(0));
        sent && self.allowed() && self.output.is_none()
    }

    /// Where it is in its life.
    pub fn status(&self) -> Status {
        if self.gone {
            return Status::Gone;
        }
        if self.superseded {
            return Status::Superseded;
        }
        if self.answer().is_some_and(|answer| answer.actor == Actor::Timer) {
            return Status::Expired;
        }
        if self.settled || matches!(self.output, Some(Author::Server | Author::History)) {
            return Status::Settled;
        }
        if self.elsewhere {
            return Status::Elsewhere;
        }
        if self.decision.is_none() && self.output.is_none() {
            return match (self.asked, self.draft) {
                (true, Some(_)) => Status::Drafted,
                (true, None) => Status::Asking,
                _ => Status::Open,
            };
        }
        match self.delivery {
            Delivery::Sent(_) => Status::Sent,
            Delivery::Delivered(_) if self.output.is_some() => Status::Settled,
            Delivery::Delivered(_) => Status::Delivered,
            Delivery::Doubt => Status::InDoubt,
            _ => Status::Answered,
        }
    }

    /// Takes one event of this call, at a time.
    pub fn apply(&mut self, event: &Event, time: Time) {
        match *event {
            Event::Asked { approval, input, .. } => {
                let fresh =
                    Self { asked: true, listed: self.listed, ..Self::new(self.tool, self.id, approval) };
                // The same question again has no more time than before, and what is drafted stays.
                let again = self.asked && self.approval == approval && self.input == input;
                let draft = self.draft.filter(|_| again);
                *self = if again {
                    Self { draft, ..self.waiting(fresh) }
                } else {
                    Self { input, since: time, ..fresh }
                };
            }
            Event::Annotated { dangerous, lifetime, deadline, .. } => {
                self.dangerous = dangerous;
                self.lifetime = lifetime;
                self.deadline = deadline;
            }
            Event::RuleEvaluated { ruling, .. } => self.ruling = Some(ruling),
            Event::Warned { .. } => self.warned = true,
            Event::Extended { deadline, .. } => {
                self.deadline = Some(deadline);
                self.warned = false;
            }
            Event::Revealed { .. } => self.revealed = true,
            Event::Drafted { decision, .. } => self.draft = Some(Draft { decision, at: time }),
            Event::Expired { .. } => {
                self.draft = Some(Draft { decision: Decision::new(false, Actor::Timer), at: time });
            }
            Event::Undone { grants_ignored_up_to, .. } => {
                self.draft = None;
                self.grants_ignored_up_to = self.grants_ignored_up_to.max(grants_ignored_up_to);
            }
            Event::Answered { decision, .. } => {
                self.decision = Some(decision);
                self.draft = None;
                self.answer_invalidated = false;
                self.delivery = match decision.actor {
                    Actor::History => Delivery::History,
                    Actor::Server => Delivery::Idle,
                    _ => Delivery::Unsent,
                };
            }
            Event::Refused { shown, .. } => self.answer_invalidated |= shown && self.asking(),
            Event::LateDenial { decision, .. } => self.decision = Some(decision),
            Event::Output { author, .. } => {
                self.output = Some(author);
                self.draft = None;
                self.superseded = false;
                self.delivery = match author {
                    Author::Page => Delivery::Unsent,
                    Author::Server => Delivery::Idle,
                    Author::History => Delivery::History,
                };
            }
            // The part of a draft shows the question, so that there is no answer to be ignored.
            Event::Withdrawn { .. } if self.decision.is_none() => self.draft = None,
            Event::Voided { .. } | Event::Withdrawn { .. } => {
                if matches!(event, Event::Voided { .. }) {
                    // They are of another input.
                    self.ruling = None;
                    self.revealed = false;
                }
                let fresh = Self::new(self.tool, self.id, self.approval);
                *self = self.waiting(Self {
                    asked: true,
                    answer_invalidated: true,
                    listed: self.listed,
                    ..fresh
                });
            }
            Event::Superseded { doubt, .. } => {
                self.superseded = true;
                self.doubt = doubt;
                self.draft = None;
                if self.asked || self.approval != 0 || self.decision.is_some() {
                    self.decision = Some(Decision::new(false, Actor::Superseded));
                    self.output = None;
                }
                self.delivery = Delivery::Unsent;
            }
            Event::Sent { request, .. } => {
                self.doubt |= self.delivery == Delivery::Doubt;
                self.delivery = Delivery::Sent(request);
            }
            Event::Settled { .. } => {
                self.settled = true;
                // What was settled before this page has nothing left to send.
                if self.delivery == Delivery::History {
                    self.delivery = Delivery::Idle;
                }
            }
            Event::ClosedByUserMessage { .. } => {
                self.settled = true;
                self.filed = true;
            }
            Event::Gone { .. } => {
                self.gone = true;
                self.draft = None;
            }
            Event::Returned { .. } => self.gone = false,
            Event::Lost { .. } => self.lost = true,
            Event::Waited { before, left, .. } => {
                self.before = before;
                self.waited_before = true;
                let deadline = left.map(|left| time.saturating_add(left));
                // Law 12: what an earlier page had left is the most that there is.
                self.deadline = [self.deadline, deadline].into_iter().flatten().min();
            }
            Event::Recalled { decision, delivery, settled, elsewhere, .. } => {
                self.decision = Some(decision);
                self.draft = None;
                self.answer_invalidated = false;
                self.recalled = !elsewhere;
                self.elsewhere = elsewhere;
                self.settled |= settled && !decision.approved;
                if !decision.approved {
                    self.output = None; // it stands over the denial
                }
                if self.output.is_none() {
                    self.delivery = delivery;
                }
            }
            _ => {}
        }
    }

    /// A fresh question that has what this one had of time and marks.
    fn waiting(&self, fresh: Self) -> Self {
        Self {
            input: self.input,
            dangerous: self.dangerous,
            ruling: self.ruling,
            lifetime: self.lifetime,
            deadline: self.deadline,
            since: self.since,
            before: self.before,
            waited_before: self.waited_before,
            warned: self.warned,
            revealed: self.revealed,
            grants_ignored_up_to: self.grants_ignored_up_to,
            ..fresh
        }
    }

    /// Takes the news that the response to a request has started.
    pub fn started(&mut self, request: RequestId) {
        if self.delivery == Delivery::Sent(request) {
            self.delivery = Delivery::Delivered(request);
        }
    }

    /// Is it an allowance without a result that this request carried?
    pub fn carried_by(&self, request: RequestId) -> bool {
        let carried = matches!(self.delivery, Delivery::Sent(r) | Delivery::Delivered(r) if r == request);
        carried && self.allowed() && self.output.is_none()
    }

    /// Does the end of the response to a request settle a denial?
    pub fn settled_by(&self, request: RequestId) -> bool {
        self.delivery == Delivery::Delivered(request) && self.denied() && !self.settled
    }

    /// Takes the news that a request, or its response, broke.
    pub fn failed(&mut self, request: RequestId, doubt: bool) {
        let started = self.delivery == Delivery::Delivered(request);
        if (started || self.delivery == Delivery::Sent(request)) && !self.settled {
            let may_have_run = self.allowed() && self.output.is_none();
            // What became of an output is not known either once its response has started. A refusal says
            // nothing of an earlier request.
            let unknown = (doubt || self.doubt) && !self.denied() && (may_have_run || started);
            self.delivery = if unknown { Delivery::Doubt } else { Delivery::Failed };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Event = Event::Asked { call: 0, approval: 3, input: 0, actor: Actor::Server };
    const SENT: Event = Event::Sent { call: 0, request: 1, approved: None, actor: Actor::Application };

    fn answered(approved: bool) -> Event {
        Event::Answered { call: 0, decision: Decision::new(approved, Actor::Person) }
    }

    fn output(author: Author) -> Event {
        Event::Output { call: 0, author }
    }

    fn after(events: &[Event]) -> Call {
        let mut call = Call::new(1, 2, 0);
        events.iter().for_each(|event| call.apply(event, 0));
        call
    }

    #[test]
    fn a_life_goes_through_its_statuses() {
        let doubt = Event::Superseded { call: 0, doubt: false };
        let table: &[(&[Event], Status)] = &[
            (&[], Status::Open),
            (&[ASKED], Status::Asking),
            (&[ASKED, answered(true)], Status::Answered),
            (&[ASKED, answered(true), SENT], Status::Sent),
            (&[ASKED, answered(true), SENT, output(Author::Server)], Status::Settled),
            (&[ASKED, answered(false), Event::Settled { call: 0, actor: Actor::Server }], Status::Settled),
            (&[output(Author::Page)], Status::Answered),
            (&[ASKED, doubt], Status::Superseded),
            (&[ASKED, answered(true), Event::Withdrawn { call: 0, actor: Actor::Stop }], Status::Asking),
            (&[ASKED, Event::Gone { call: 0, actor: Actor::Application }], Status::Gone),
            (
                &[ASKED, Event::Gone { call: 0, actor: Actor::Application }, Event::Returned { call: 0 }],
                Status::Asking,
            ),
        ];
        for (events, status) in table {
            assert_eq!(after(events).status(), *status, "{events:?}");
        }
    }

    #[test]
    fn a_request_delivers_only_what_it_carried() {
        let mut call = after(&[ASKED, answered(true), SENT]);
        call.started(2);
        assert_eq!(call.delivery, Delivery::Sent(1));
        call.started(1);
        assert_eq!(call.delivery, Delivery::Delivered(1));
        assert_eq!(call.status(), Status::Delivered);
    }

    #[test]
    fn only_an_allowed_call_without_output_is_in_doubt() {
        let broke = |events: &[Event], doubt| {
            let mut call = after(events);
            call.failed(1, doubt);
            call.delivery
        };
        assert_eq!(broke(&[ASKED, answered(true), SENT], true), Delivery::Doubt);
        assert_eq!(broke(&[ASKED, answered(true), SENT], false), Delivery::Failed);
        assert_eq!(broke(&[ASKED, answered(false), SENT], true), Delivery::Failed);
        assert_eq!(broke(&[output(Author::Page), SENT], true), Delivery::Failed);
    }

    #[test]
    fn what_the_server_or_history_answered_is_no_news() {
        for (actor, fresh) in [(Actor::Person, true), (Actor::Server, false), (Actor::History, false)] {
            let call = after(&[ASKED, Event::Answered { call: 0, decision: Decision::new(true, actor) }]);
            assert_eq!(call.fresh_answer(), fresh, "{actor:?}");
        }
        for (author, fresh) in [(Author::Page, true), (Author::Server, false), (Author::History, false)] {
            assert_eq!(after(&[output(author)]).fresh_output(), fresh, "{author:?}");
        }
    }

    #[test]
    fn a_void_answer_asks_again_and_is_forgotten() {
        let call = after(&[ASKED, answered(true), SENT, Event::Voided { call: 0, actor: Actor::Server }]);
        assert!(call.asking() && call.answer_invalidated);
        assert_eq!((call.decision, call.delivery), (None, Delivery::Idle));
        assert_eq!(call.approval, 3);
    }

    #[test]
    fn facts_are_read_bit_by_bit() {
        let flags = PartFlags::from_code(3 | 2 << 3 | 32 | 128);
        assert_eq!((flags.state, flags.answer), (ToolState::ApprovalResponded, Answer::No));
        assert!(flags.provider && flags.residue && !flags.preliminary && !flags.by_guard);
        assert_eq!(PartFlags::from_code(7).state, ToolState::Unknown);
    }

    #[test]
    fn a_preliminary_output_is_no_output() {
        let available = ToolState::OutputAvailable as u32;
        assert!(PartFlags::from_code(available).has_output());
        assert!(!PartFlags::from_code(available | 64).has_output());
        assert!(!PartFlags::from_code(ToolState::OutputDenied as u32).has_output());
    }
}
