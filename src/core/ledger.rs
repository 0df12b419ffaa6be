//! What happened, append-only. Folding it gives every other state.

use super::call::{Call, Delivery, Digest};
use super::clock::Time;
use super::decision::{Actor, Author, Decision, Outcome, Ruling};
use super::grant::{Cover, Grant};
use super::id::{CallId, GrantId, RequestId, StringId};
use super::windowed_log::WindowedLog;

vocabulary! {
    /// The names of the events. They are stored: a name in here must never change.
    #[derive(Default)]
    EventKind {
        /// A call was seen for the first time.
        #[default]
        Noticed = "noticed",
        /// A call asks for an approval.
        Asked = "asked",
        /// The application says that it is dangerous, or how long it may wait.
        Annotated = "marked",
        /// It was decided, and the decision can be undone.
        Drafted = "drafted",
        /// The decision was undone.
        Undone = "undone",
        /// Nobody answered in time.
        Expired = "expired",
        /// It expires soon.
        Warned = "warned",
        /// It has more time.
        Extended = "extended",
        /// What was hidden of its input was shown.
        Revealed = "revealed",
        /// It was answered.
        Answered = "answered",
        /// A person denied what had expired.
        LateDenial = "counted",
        /// A later answer was refused, because an earlier one stands.
        Refused = "refused",
        /// It has a final output or error.
        Output = "output",
        /// The page wrote an output over a call that asks; that is no answer.
        OutputWithoutApproval = "bypassed",
        /// An output was written over a denial; the denial stands.
        Overwritten = "overwritten",
        /// The input changed, so the answer is void.
        Voided = "voided",
        /// A draft or an unsent allowance was taken back.
        Withdrawn = "withdrawn",
        /// It was closed because the user moved on.
        Superseded = "superseded",
        /// A request carries its answer or output.
        Sent = "carried",
        /// Its denial was taken.
        Settled = "settled",
        /// Its denial stands before a message of a person, and leaves as settled.
        ClosedByUserMessage = "filed",
        /// Its message is not in the list any more.
        Gone = "gone",
        /// Its message is back.
        Returned = "returned",
        /// A request goes out.
        Requested = "requested",
        /// Its response started.
        Started = "started",
        /// Its response ended.
        Ended = "ended",
        /// It broke.
        Failed = "failed",
        /// The user stopped the chat.
        Stopped = "stopped",
        /// A person acted.
        Acted = "acted",
        /// A person allowed or denied more than one call.
        Granted = "granted",
        /// That has ended.
        GrantEnded = "grant-ended",
        /// Rules say what is to happen.
        RuleEvaluated = "judged",
        /// Its part has lost the question, which the record has.
        Lost = "lost",
        /// It had waited in an earlier page.
        Waited = "waited",
        /// The record knows its answer, which an earlier page has taken.
        Recalled = "recalled",
        /// It was answered in another tab, which sends it.
        Elsewhere = "elsewhere",
        /// A grant of an earlier page holds again.
        GrantRestored = "regranted",
        /// Calls of which nothing is left in the chat are given up.
        Forgotten = "forgotten",
        /// Of records alone: the chain of another session ended here; its count and head stay.
        Absorbed = "absorbed",
    }
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the fields repeat the names of EventKind
pub enum Event {
    Noticed {
        call: CallId,
        tool: StringId,
        id: StringId,
        approval: StringId,
        actor: Actor,
    },
    Asked {
        call: CallId,
        approval: StringId,
        input: Digest,
        actor: Actor,
    },
    Annotated {
        call: CallId,
        dangerous: bool,
        lifetime: Option<Time>,
        deadline: Option<Time>,
    },
    /// `actor`: who drafted it now; a draft of an earlier page is put back by what is known of it.
    Drafted {
        call: CallId,
        decision: Decision,
        actor: Actor,
    },
    Undone {
        call: CallId,
        grants_ignored_up_to: GrantId,
        actor: Actor,
    },
    Expired {
        call: CallId,
    },
    Warned {
        call: CallId,
    },
    Extended {
        call: CallId,
        deadline: Time,
    },
    Revealed {
        call: CallId,
    },
    Answered {
        call: CallId,
        decision: Decision,
    },
    LateDenial {
        call: CallId,
        decision: Decision,
    },
    /// `shown`: the part shows the refused answer.
    Refused {
        call: Option<CallId>,
        approved: bool,
        shown: bool,
        actor: Actor,
    },
    Output {
        call: CallId,
        author: Author,
    },
    OutputWithoutApproval {
        call: CallId,
    },
    Overwritten {
        call: CallId,
        author: Author,
    },
    Voided {
        call: CallId,
        actor: Actor,
    },
    Withdrawn {
        call: CallId,
        actor: Actor,
    },
    Superseded {
        call: CallId,
        doubt: bool,
    },
    Sent {
        call: CallId,
        request: RequestId,
        approved: Option<bool>,
        actor: Actor,
    },
    Settled {
        call: CallId,
        actor: Actor,
    },
    ClosedByUserMessage {
        call: CallId,
    },
    Gone {
        call: CallId,
        actor: Actor,
    },
    Returned {
        call: CallId,
    },
    Requested {
        request: RequestId,
        automatic: bool,
        actor: Actor,
    },
    Started {
        request: RequestId,
    },
    Ended {
        request: RequestId,
    },
    Failed {
        request: RequestId,
        doubt: bool,
    },
    Stopped,
    Acted,
    Granted {
        grant: GrantId,
        call: CallId,
        approved: bool,
        cover: Cover,
        until: Option<Time>,
    },
    GrantEnded {
        grant: GrantId,
        actor: Actor,
    },
    RuleEvaluated {
        call: CallId,
        ruling: Ruling,
    },
    Lost {
        call: CallId,
    },
    /// `left`: what there was left of its time.
    Waited {
        call: CallId,
        before: Time,
        left: Option<Time>,
    },
    Recalled {
        call: CallId,
        decision: Decision,
        delivery: Delivery,
        settled: bool,
        elsewhere: bool,
    },
    GrantRestored {
        grant: GrantId,
        tool: StringId,
        approved: bool,
        cover: Cover,
        until: Option<Time>,
    },
    /// All calls below this one.
    Forgotten {
        before: CallId,
    },
}

impl Event {
    /// The name of the event.
    pub fn kind(&self) -> EventKind {
        match self {
            Self::Noticed { .. } => EventKind::Noticed,
            Self::Asked { .. } => EventKind::Asked,
            Self::Annotated { .. } => EventKind::Annotated,
            Self::Drafted { .. } => EventKind::Drafted,
            Self::Undone { .. } => EventKind::Undone,
            Self::Expired { .. } => EventKind::Expired,
            Self::Warned { .. } => EventKind::Warned,
            Self::Extended { .. } => EventKind::Extended,
            Self::Revealed { .. } => EventKind::Revealed,
            Self::LateDenial { .. } => EventKind::LateDenial,
            Self::Answered { .. } => EventKind::Answered,
            Self::Refused { .. } => EventKind::Refused,
            Self::Output { .. } => EventKind::Output,
            Self::OutputWithoutApproval { .. } => EventKind::OutputWithoutApproval,
            Self::Overwritten { .. } => EventKind::Overwritten,
            Self::Voided { .. } => EventKind::Voided,
            Self::Withdrawn { .. } => EventKind::Withdrawn,
            Self::Superseded { .. } => EventKind::Superseded,
            Self::Sent { .. } => EventKind::Sent,
            Self::Settled { .. } => EventKind::Settled,
            Self::ClosedByUserMessage { .. } => EventKind::ClosedByUserMessage,
            Self::Gone { .. } => EventKind::Gone,
            Self::Returned { .. } => EventKind::Returned,
            Self::Requested { .. } => EventKind::Requested,
            Self::Started { .. } => EventKind::Started,
            Self::Ended { .. } => EventKind::Ended,
            Self::Failed { .. } => EventKind::Failed,
            Self::Stopped => EventKind::Stopped,
            Self::Acted => EventKind::Acted,
            Self::Granted { .. } => EventKind::Granted,
            Self::GrantEnded { .. } => EventKind::GrantEnded,
            Self::RuleEvaluated { .. } => EventKind::RuleEvaluated,
            Self::Lost { .. } => EventKind::Lost,
            Self::Waited { .. } => EventKind::Waited,
            Self::Recalled { elsewhere: true, .. } => EventKind::Elsewhere,
            Self::Recalled { .. } => EventKind::Recalled,
            Self::GrantRestored { .. } => EventKind::GrantRestored,
            Self::Forgotten { .. } => EventKind::Forgotten,
        }
    }

    /// The call that it is about.
    pub fn call(&self) -> Option<CallId> {
        match *self {
            Self::Noticed { call, .. }
            | Self::Asked { call, .. }
            | Self::Annotated { call, .. }
            | Self::RuleEvaluated { call, .. }
            | Self::Lost { call }
            | Self::Waited { call, .. }
            | Self::Recalled { call, .. }
            | Self::Drafted { call, .. }
            | Self::Undone { call, .. }
            | Self::Expired { call }
            | Self::Warned { call }
            | Self::Extended { call, .. }
            | Self::Revealed { call }
            | Self::LateDenial { call, .. }
            | Self::Granted { call, .. }
            | Self::Answered { call, .. }
            | Self::Output { call, .. }
            | Self::OutputWithoutApproval { call }
            | Self::Overwritten { call, .. }
            | Self::Voided { call, .. }
            | Self::Withdrawn { call, .. }
            | Self::Superseded { call, .. }
            | Self::Sent { call, .. }
            | Self::Settled { call, .. }
            | Self::ClosedByUserMessage { call }
            | Self::Gone { call, .. }
            | Self::Returned { call } => Some(call),
            Self::Refused { call, .. } => call,
            _ => None,
        }
    }

    /// The request that it is about.
    pub fn request(&self) -> Option<RequestId> {
        match *self {
            Self::Sent { request, .. }
            | Self::Requested { request, .. }
            | Self::Started { request }
            | Self::Ended { request }
            | Self::Failed { request, .. } => Some(request),
            _ => None,
        }
    }

    /// The answer that it is about.
    pub fn approved(&self) -> Option<bool> {
        match *self {
            Self::Answered { decision, .. }
            | Self::LateDenial { decision, .. }
            | Self::Drafted { decision, .. }
            | Self::Recalled { decision, .. } => Some(decision.approved),
            Self::Refused { approved, .. }
            | Self::Granted { approved, .. }
            | Self::GrantRestored { approved, .. } => Some(approved),
            Self::Superseded { .. } | Self::Expired { .. } => Some(false),
            Self::Sent { approved, .. } => approved,
            _ => None,
        }
    }

    /// Who caused it (law 14). No wildcard: whoever adds an event says so here.
    pub fn actor(&self) -> Actor {
        match *self {
            Self::Answered { decision, .. }
            | Self::LateDenial { decision, .. }
            | Self::Recalled { decision, .. } => decision.actor,
            Self::Noticed { actor, .. }
            | Self::Asked { actor, .. }
            | Self::Drafted { actor, .. }
            | Self::Undone { actor, .. }
            | Self::Refused { actor, .. }
            | Self::Voided { actor, .. }
            | Self::Withdrawn { actor, .. }
            | Self::Sent { actor, .. }
            | Self::Settled { actor, .. }
            | Self::Gone { actor, .. }
            | Self::Requested { actor, .. }
            | Self::GrantEnded { actor, .. } => actor,
            Self::Extended { .. }
            | Self::Revealed { .. }
            | Self::Granted { .. }
            | Self::Stopped
            | Self::Acted => Actor::Person,
            Self::Output { author, .. } | Self::Overwritten { author, .. } => match author {
                Author::Page => Actor::Application,
                Author::Server => Actor::Server,
                Author::History => Actor::History,
            },
            Self::Superseded { .. } | Self::ClosedByUserMessage { .. } => Actor::Superseded,
            Self::Expired { .. } | Self::Warned { .. } => Actor::Timer,
            Self::RuleEvaluated { .. } => Actor::Rule,
            Self::Annotated { .. }
            | Self::OutputWithoutApproval { .. }
            | Self::Returned { .. }
            | Self::Forgotten { .. } => Actor::Application,
            Self::Lost { .. } | Self::Waited { .. } | Self::GrantRestored { .. } => Actor::History,
            Self::Started { .. } | Self::Ended { .. } | Self::Failed { .. } => Actor::Server,
        }
    }

    /// The grant that it is about; 0 is none.
    pub fn grant(&self) -> GrantId {
        match *self {
            Self::Answered { decision, .. }
            | Self::LateDenial { decision, .. }
            | Self::Drafted { decision, .. } => decision.grant,
            Self::Granted { grant, .. }
            | Self::GrantEnded { grant, .. }
            | Self::GrantRestored { grant, .. } => grant,
            _ => 0,
        }
    }

    /// What the answer that it is about means for the call.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Answered { decision, .. }
            | Self::LateDenial { decision, .. }
            | Self::Drafted { decision, .. }
            | Self::Recalled { decision, .. } => Some(decision.outcome()),
            Self::Expired { .. } => Some(Outcome::Expired),
            Self::Superseded { .. } => Some(Outcome::Superseded),
            _ => None,
        }
    }

    /// When its call expires, where it says so.
    pub fn deadline(&self) -> Option<Time> {
        match *self {
            Self::Annotated { deadline, .. } => deadline,
            Self::Extended { deadline, .. } => Some(deadline),
            Self::Granted { until, .. } | Self::GrantRestored { until, .. } => until,
            _ => None,
        }
    }

    /// Whether a request, or a call, is left in doubt; `None` where that is no question.
    pub fn doubt(&self) -> Option<bool> {
        match *self {
            Self::Failed { doubt, .. } | Self::Superseded { doubt, .. } => Some(doubt),
            _ => None,
        }
    }

    /// The rule that it is about; 0 is none.
    pub fn rule(&self) -> StringId {
        match *self {
            Self::Answered { decision, .. } | Self::Drafted { decision, .. } => decision.rule,
            Self::RuleEvaluated { ruling, .. } => ruling.rule,
            _ => 0,
        }
    }
}

/// An event with its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// What the wall clock said, in milliseconds since the epoch.
    pub at: f64,
    /// What the guard's own clock said.
    pub time: Time,
    /// What happened.
    pub event: Event,
    /// How long its call had waited for an answer.
    pub waited: Option<Time>,
}

/// The most requests that are taken for running at the same time.
const MOST_RUNNING: usize = 16;

/// The most kinds of calls of which it is counted how often they were refused: a loop comes soon.
const MOST_REFUSED: usize = 1_024;

/// How often equal calls were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The name of the tool.
    pub tool: StringId,
    /// The digest of the input.
    pub input: Digest,
    /// How often.
    pub times: u32,
}

/// What the events add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Every call, by its [`CallId`].
    pub calls: WindowedLog<Call>,
    /// The calls that a request can still change, oldest first.
    pub live: Vec<CallId>,
    /// The calls that wait for a decision, oldest first.
    pub pending: Vec<CallId>,
    /// The number of requests so far.
    pub requests: RequestId,
    /// The automatic sends since a person acted.
    pub automatic: u32,
    /// The requests whose response has not ended.
    pub running: Vec<RequestId>,
    /// The server refused a denial that stood before a message of a person.
    pub files: bool,
    /// The user stopped the chat, and no person has acted since.
    pub stopped: bool,
    /// Every grant, by its number less one.
    pub grants: Vec<Grant>,
    /// What was refused, and how often.
    pub refused: Vec<Refused>,
}

impl State {
    /// Folds entries into a state.
    pub fn fold(entries: &[Entry]) -> Self {
        let mut state = Self::default();
        for entry in entries {
            state.apply(&entry.event, entry.time);
        }
        state
    }

    fn apply(&mut self, event: &Event, time: Time) {
        match *event {
            Event::Noticed { tool, id, approval, .. } => {
                self.calls.push(Call::new(tool, id, approval));
            }
            Event::Requested { request, automatic, .. } => {
                self.requests = request;
                // A response that cannot be watched never ends.
                if self.running.len() >= MOST_RUNNING {
                    self.running.remove(0);
                }
                self.running.push(request);
                self.automatic = if automatic { self.automatic + 1 } else { 0 };
                self.stopped = false;
                let calls = &self.calls;
                self.live.retain(|&call| calls.get(call).is_some_and(|call| !call.closed()));
            }
            Event::Started { request } => {
                self.each_live(|call| call.started(request));
                for grant in &mut self.grants {
                    let call = self.calls.get(grant.call);
                    grant.delivered |= grant.committed
                        && call.is_some_and(|call| call.delivery() == Delivery::Delivered(request));
                }
            }
            Event::Ended { request } => {
                self.running.retain(|&running| running != request);
            }
            Event::Failed { request, doubt } => {
                self.running.retain(|&running| running != request);
                self.each_live(|call| call.failed(request, doubt));
            }
            Event::Stopped => self.stopped = true,
            Event::Forgotten { before } => self.calls.drop_before(before),
            Event::Acted => self.acted(),
            Event::Granted { grant, call, approved, cover, until } => {
                let given = self.calls.get(call);
                // Given with a late denial, it is about an answer that stands already.
                let own = given.filter(|call| call.decision().is_some_and(|answer| answer.grant == grant));
                let tool = given.map_or(0, |call| call.tool());
                self.grants.push(Grant {
                    approved,
                    tool,
                    cover,
                    call,
                    at: time,
                    until,
                    committed: own.is_some(),
                    delivered: own.is_some_and(|call| matches!(call.delivery(), Delivery::Delivered(_))),
                    ended: false,
                    uses: 0,
                    last_use: None,
                });
            }
            Event::GrantRestored { tool, approved, cover, until, .. } => self.grants.push(Grant {
                approved,
                tool,
                cover,
                call: CallId::MAX,
                at: time,
                until,
                // It was, in the page in which it was given.
                committed: true,
                delivered: true,
                ended: false,
                uses: 0,
                last_use: None,
            }),
            Event::GrantEnded { grant, .. } => {
                if let Some(found) = self.grant_mut(grant) {
                    found.ended = true;
                    let call = found.call;
                    if let Some(call) = self.calls.get_mut(call) {
                        call.grant_ended(grant);
                    }
                }
            }
            Event::Answered { call, decision } => self.answered(call, decision, time),
            _ => {}
        }
        let Some(call) = event.call() else { return };
        if let Event::ClosedByUserMessage { .. } = event {
            let refused = |c: &Call| !c.superseded() && c.delivery() == Delivery::Failed;
            self.files |= self.calls.get(call).is_some_and(refused);
        }
        if let Some(found) = self.calls.get_mut(call) {
            found.apply(event, time);
            if let (false, Err(at)) = (found.closed(), self.live.binary_search(&call)) {
                self.live.insert(at, call);
            }
            let waits = found.undecided() && !found.gone();
            match self.pending.binary_search(&call) {
                Err(at) if waits => self.pending.insert(at, call),
                Ok(at) if !waits => {
                    self.pending.remove(at);
                }
                _ => {}
            }
        }
    }

    /// Whether a request can still change a call.
    pub fn is_live(&self, call: CallId) -> bool {
        self.live.binary_search(&call).is_ok()
    }

    /// A grant by its number.
    pub fn grant(&self, grant: GrantId) -> Option<&Grant> {
        self.grants.get(grant.checked_sub(1)? as usize)
    }

    /// How often a call like this one was refused.
    pub fn refusals(&self, call: &Call) -> u32 {
        let equal = |refused: &&Refused| refused.tool == call.tool() && refused.input == call.input();
        self.refused.iter().find(equal).map_or(0, |refused| refused.times)
    }

    fn grant_mut(&mut self, grant: GrantId) -> Option<&mut Grant> {
        self.grants.get_mut(grant.checked_sub(1)? as usize)
    }

    fn acted(&mut self) {
        self.automatic = 0;
        self.stopped = false;
    }

    fn answered(&mut self, call: CallId, decision: Decision, time: Time) {
        if decision.actor == Actor::Person {
            self.acted();
        }
        if let Some(grant) = self.grant_mut(decision.grant) {
            if decision.actor == Actor::Grant {
                grant.uses += 1;
                grant.last_use = Some(time);
            } else {
                grant.committed = true;
            }
        }
        // Loops are of the model: it does not hear of what expired or was superseded as refused.
        let counts = matches!(decision.actor, Actor::Person | Actor::Grant | Actor::Unattended | Actor::Rule);
        let Some(call) = self.calls.get(call).filter(|call| !call.denied()) else { return };
        if decision.approved || !counts || !call.asked() {
            return;
        }
        let (tool, input) = (call.tool(), call.input());
        let equal = |refused: &&mut Refused| refused.tool == tool && refused.input == input;
        match self.refused.iter_mut().find(equal) {
            Some(refused) => refused.times += 1,
            None => {
                if self.refused.len() >= MOST_REFUSED {
                    self.refused.remove(0);
                }
                self.refused.push(Refused { tool, input, times: 1 });
            }
        }
    }

    fn each_live(&mut self, change: impl Fn(&mut Call)) {
        for &call in &self.live {
            if let Some(found) = self.calls.get_mut(call) {
                change(found);
            }
        }
    }
}

/// How many entries are sealed at once, where nothing else is asked for.
pub const SEGMENT: usize = 1_024;
/// How many times as many are kept at least.
const KEPT: usize = 10;

/// The events so far, and what they add up to. The oldest are sealed: of them there is left how many they
/// were, and what they added up to together with the others.
#[derive(Clone, Debug)]
pub struct Ledger {
    entries: Vec<Entry>,
    state: State,
    sealed: u32,
    segment: usize,
}

impl Ledger {
    /// An empty ledger, which seals so many entries at once.
    pub fn new(segment: usize) -> Self {
        Self { entries: Vec::new(), state: State::default(), sealed: 0, segment }
    }

    /// What happened and is not sealed, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many entries are sealed.
    pub fn sealed(&self) -> u32 {
        self.sealed
    }

    /// How many entries there were.
    pub fn length(&self) -> u32 {
        self.sealed + self.entries.len() as u32
    }

    /// What it adds up to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Appends an event. Answers whether entries were sealed.
    pub fn append(&mut self, event: Event, at: f64, time: Time) -> bool {
        self.state.apply(&event, time);
        let waited = |call: CallId| self.state.calls.get(call)?.waited(time);
        let waited = event.call().and_then(waited);
        self.entries.push(Entry { at, time, event, waited });
        let seals = self.entries.len() >= (KEPT + 1) * self.segment;
        if seals {
            self.entries = self.entries.split_off(self.segment);
            self.sealed += self.segment as u32;
        }
        seals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::call::Status;

    const NOTICED: Event = Event::Noticed { call: 0, tool: 1, id: 2, approval: 3, actor: Actor::Server };
    const ASKED: Event = Event::Asked { call: 0, approval: 3, input: 0, actor: Actor::Server };
    const ALLOWED: Event = Event::Answered { call: 0, decision: Decision::new(true, Actor::Person) };

    fn automatic(request: RequestId) -> Event {
        Event::Requested { request, automatic: true, actor: Actor::Application }
    }

    fn ledger(events: &[Event]) -> Ledger {
        let mut ledger = Ledger::new(SEGMENT);
        for event in events {
            ledger.append(*event, 0.0, 0);
        }
        ledger
    }

    #[test]
    fn folding_the_entries_gives_the_state() {
        let carried = Event::Sent { call: 0, request: 1, approved: Some(true), actor: Actor::Application };
        let events =
            [NOTICED, ASKED, ALLOWED, automatic(1), carried, Event::Started { request: 1 }, Event::Stopped];
        for length in 0..=events.len() {
            let ledger = ledger(&events[..length]);
            assert_eq!(&State::fold(ledger.entries()), ledger.state());
            assert_eq!(ledger.entries().len(), length);
        }
    }

    #[test]
    fn old_entries_are_sealed_and_what_they_add_up_to_stays() {
        let requests = (1..30_000).flat_map(|request| [automatic(request), Event::Ended { request }]);
        let events: Vec<Event> = [NOTICED, ASKED].into_iter().chain(requests).collect();
        let ledger = ledger(&events);
        assert_eq!(ledger.length(), 60_000);
        assert!((KEPT * SEGMENT..(KEPT + 1) * SEGMENT).contains(&ledger.entries().len()));
        assert_eq!(ledger.sealed() as usize + ledger.entries().len(), 60_000);
        let all: Vec<Entry> =
            events.iter().map(|&event| Entry { at: 0.0, time: 0, event, waited: None }).collect();
        assert_eq!(&State::fold(&all), ledger.state());
        assert_eq!(ledger.state().calls.get(0).map(Call::status), Some(Status::Asking));
    }

    #[test]
    fn an_act_of_a_person_starts_the_count_again() {
        let sends = [automatic(1), automatic(2)];
        assert_eq!(ledger(&sends).state().automatic, 2);
        for act in
            [Event::Acted, ALLOWED, Event::Requested { request: 3, automatic: false, actor: Actor::Person }]
        {
            assert_eq!(ledger(&[&sends[..], &[act]].concat()).state().automatic, 0, "{act:?}");
        }
        let server = Event::Answered { call: 0, decision: Decision::new(false, Actor::Server) };
        assert_eq!(ledger(&[&sends[..], &[server]].concat()).state().automatic, 2);
    }

    #[test]
    fn a_stop_lasts_until_a_person_acts() {
        assert!(ledger(&[Event::Stopped]).state().stopped);
        assert!(!ledger(&[Event::Stopped, Event::Acted]).state().stopped);
        assert!(!ledger(&[Event::Stopped, NOTICED, ALLOWED]).state().stopped);
    }

    #[test]
    fn a_request_runs_until_it_ended_or_failed() {
        let sends = [automatic(1), automatic(2)];
        assert_eq!(ledger(&sends).state().running, [1, 2]);
        assert_eq!(ledger(&[&sends[..], &[Event::Ended { request: 1 }]].concat()).state().running, [2]);
        let failed = Event::Failed { request: 2, doubt: true };
        assert_eq!(ledger(&[&sends[..], &[failed]].concat()).state().running, [1]);
    }

    #[test]
    fn a_closed_call_is_no_longer_live_after_the_next_request() {
        let output = Event::Output { call: 0, author: Author::Server };
        assert_eq!(ledger(&[NOTICED, ASKED]).state().live, [0]);
        assert!(ledger(&[NOTICED, output, automatic(1)]).state().live.is_empty());
        let back = ledger(&[NOTICED, output, automatic(1), ASKED]);
        assert_eq!(back.state().live, [0]);
        assert_eq!(back.state().calls.get(0).map(Call::status), Some(Status::Asking));
    }

    #[test]
    fn a_superseded_call_without_an_approval_is_live_until_its_error_was_delivered() {
        let superseded = Event::Superseded { call: 0, doubt: false };
        let carried = |request| Event::Sent { call: 0, request, approved: None, actor: Actor::Application };
        let noticed = Event::Noticed { call: 0, tool: 1, id: 2, approval: 0, actor: Actor::Server };
        let sent = [noticed, superseded, automatic(1), carried(1)];
        let failed =
            ledger(&[&sent[..], &[Event::Failed { request: 1, doubt: false }, automatic(2)]].concat());
        assert_eq!(failed.state().live, [0], "the next request carries it again");
        let delivered = ledger(&[&sent[..], &[Event::Started { request: 1 }, automatic(2)]].concat());
        assert!(delivered.state().live.is_empty());
    }

    #[test]
    fn an_entry_says_whom_and_what_it_is_about() {
        assert_eq!((ALLOWED.kind(), ALLOWED.call()), (EventKind::Answered, Some(0)));
        assert_eq!((ALLOWED.approved(), ALLOWED.actor()), (Some(true), Actor::Person));
        let superseded = Event::Superseded { call: 4, doubt: true };
        assert_eq!((superseded.call(), superseded.approved()), (Some(4), Some(false)));
        assert_eq!((automatic(7).request(), automatic(7).call()), (Some(7), None));
    }
}
