//! Events: a flat entry with an explicit actor, and the table that says what each kind of event touches.

use super::call::{Delivery, Digest};
use super::clock::Time;
use super::decision::{Actor, Author, Decision, Outcome, Ruling};
use super::grant::{Cover, Grant, Tool};
use super::id::{CallId, GrantId, RequestId, StringId};

/// State beside the call itself that a kind of event can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Touch {
    /// The repair that a part needs.
    Repairs,
    /// The snapshot of a page.
    View,
    /// The answer with which a grant was given.
    Grants,
    /// The input, and with it the fingerprints.
    Input,
    /// A crash must not lose the event: it is stored before control returns to the page.
    Durable,
    /// If a person causes it, a person has acted, so that work held back until then continues.
    Acts,
    /// The news that can be sent: unless the server caused it, everything that has waited since a response broke off goes on.
    Sendable,
}

/// Declares the kinds of events with their stored names and what they touch. A kind without its row does not
/// compile.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal => [$($touch:ident),*],)+) => {
        vocabulary! {
            /// The kinds of events. The names are stored, so they must never change.
            #[derive(Default)]
            EventKind { $($(#[$doc])* $kind = $name),+ }
        }

        impl EventKind {
            /// Whether an event of this kind can change this.
            pub fn touches(self, touch: Touch) -> bool {
                let touched: u8 = match self {
                    $(Self::$kind => 0 $(| 1 << Touch::$touch as u8)*),+
                };
                touched & 1 << touch as u8 != 0
            }
        }
    };
}

kinds! {
    /// A call was seen for the first time.
    #[default]
    Noticed = "noticed" => [Repairs, View],
    /// A call asks for an approval.
    Asked = "asked" => [Repairs, View, Grants],
    /// The application marks it as dangerous, or limits how long it may wait.
    Annotated = "annotated" => [Repairs, View],
    /// It was decided; the decision can be undone.
    Drafted = "drafted" => [Repairs, View, Durable, Sendable],
    /// The decision was undone.
    Undone = "undone" => [Repairs, View, Grants, Durable],
    /// Nobody answered in time.
    Expired = "expired" => [Repairs, View, Grants, Durable, Sendable],
    /// It will expire soon.
    Warned = "warned" => [View],
    /// It got more time.
    Extended = "extended" => [View],
    /// The hidden parts of its input were shown.
    Revealed = "revealed" => [View],
    /// It was answered.
    Answered = "answered" => [Repairs, View, Grants, Durable, Acts, Sendable],
    /// A person denied a call that had expired.
    LateDenial = "late-denial" => [Repairs, View, Acts, Sendable],
    /// A later answer was refused, because an earlier one stands.
    Refused = "refused" => [Repairs],
    /// It has a final output or error.
    Output = "output" => [Repairs, View, Sendable],
    /// The page wrote an output over a call that asks for approval. That is no answer.
    OutputWithoutApproval = "output-without-approval" => [Repairs, View],
    /// An output was written over a denial, or over what another tab has allowed and sent; it is none.
    Overwritten = "overwritten" => [Repairs, View],
    /// The input changed, so the answer is no longer valid.
    Voided = "voided" => [Repairs, View, Grants, Input],
    /// A draft or an unsent allowance was taken back.
    Withdrawn = "withdrawn" => [Repairs, View, Grants, Durable],
    /// It was closed because the user moved on.
    Superseded = "superseded" => [Repairs, View, Grants, Durable],
    /// A request carries its answer or output.
    Sent = "sent" => [Repairs, View, Durable],
    /// Its denial is settled.
    Settled = "settled" => [Repairs, View],
    /// A message of a person, or a later step, follows its denial, so the denial leaves as settled.
    ClosedByUserMessage = "closed-by-user-message" => [Repairs, View],
    /// Its message is no longer in the list.
    Gone = "gone" => [Repairs, View, Grants],
    /// Its message is back.
    Returned = "returned" => [Repairs, View],
    /// A request goes out.
    Requested = "requested" => [View, Durable, Acts],
    /// The chat was continued without a message while calls are open. Nothing left, and what is answered leaves with the
    /// rest.
    Held = "held" => [View],
    /// Its response started.
    Started = "started" => [View],
    /// Its response ended.
    Ended = "ended" => [Repairs, View],
    /// The request, or its response, failed.
    Failed = "failed" => [Repairs, View],
    /// The response to the request that carried its allowance has ended, and has gone on without it: nobody knows
    /// whether it ran.
    Unhandled = "unhandled" => [Repairs, View, Durable],
    /// The user stopped the chat.
    Stopped = "stopped" => [Repairs, View],
    /// A person acted.
    Acted = "acted" => [View, Acts],
    /// A person allowed or denied more than one call.
    Granted = "granted" => [View, Durable],
    /// A grant ended.
    GrantEnded = "grant-ended" => [View, Durable],
    /// The rules decided about it.
    RuleEvaluated = "rule-evaluated" => [View],
    /// Its part has lost the question, which is put back; the record, or this page, still has it.
    Lost = "lost" => [Repairs, View],
    /// It had already waited in an earlier page.
    Waited = "waited" => [View],
    /// The record knows its answer from an earlier page.
    Recalled = "recalled" => [Repairs, View],
    /// It was answered in another tab, which sends the answer.
    Elsewhere = "elsewhere" => [Repairs, View],
    /// A grant of an earlier page is in force again.
    GrantRestored = "regranted" => [View],
    /// Requests had left by themselves in an earlier page, and no person has acted since.
    Recounted = "recounted" => [View],
    /// Calls that have no trace left in the chat are dropped.
    Forgotten = "forgotten" => [View],
    /// The page has until a deadline to put out its result.
    Awaited = "awaited" => [],
    /// The page did not put out its result in time.
    TimedOut = "timed-out" => [View],
    /// In records only: the chain of another session ended here; its count and head are kept.
    Absorbed = "absorbed" => [],
}

/// Details that only one or two kinds of events have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// No details.
    None,
    /// Of [`Noticed`](EventKind::Noticed).
    Names {
        /// The name of the tool.
        tool: StringId,
        /// `toolCallId`
        id: StringId,
        /// The approval id, or 0.
        approval: StringId,
    },
    /// Of [`Asked`](EventKind::Asked).
    Question {
        /// The approval id, or 0.
        approval: StringId,
        /// The digest of the input.
        input: Digest,
    },
    /// Of [`Annotated`](EventKind::Annotated).
    Annotation {
        /// The application marks the call as dangerous.
        dangerous: bool,
        /// The time that it may wait for an answer.
        lifetime: Option<Time>,
    },
    /// Of [`RuleEvaluated`](EventKind::RuleEvaluated).
    Ruling(Ruling),
    /// Of [`Undone`](EventKind::Undone): only newer grants may answer the call again.
    GrantsIgnoredUpTo(GrantId),
    /// Of [`Refused`](EventKind::Refused): whether the part shows the refused answer.
    Shown(bool),
    /// Of [`Requested`](EventKind::Requested): whether the request is automatic.
    Automatic(bool),
    /// Of [`Granted`](EventKind::Granted) and [`GrantRestored`](EventKind::GrantRestored).
    Grant {
        /// The tool.
        tool: Tool,
        /// The calls that it covers.
        cover: Cover,
    },
    /// Of [`Waited`](EventKind::Waited).
    Waited {
        /// The time that the call had waited in an earlier page.
        before: Time,
        /// The rest of its time.
        left: Option<Time>,
    },
    /// Of [`Recalled`](EventKind::Recalled) and [`Elsewhere`](EventKind::Elsewhere).
    Restored {
        /// The progress of the answer.
        delivery: Delivery,
        /// Whether its denial was settled.
        settled: bool,
    },
    /// Of [`Recounted`](EventKind::Recounted): how many requests have left.
    Sends(u32),
    /// Of [`Forgotten`](EventKind::Forgotten): all calls below this one.
    Below(CallId),
}

/// One event. Fields that do not apply are `None` or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The kind of the event.
    pub kind: EventKind,
    /// Its author (law 14).
    pub actor: Actor,
    /// The call concerned.
    pub call: Option<CallId>,
    /// The request concerned.
    pub request: RequestId,
    /// The grant concerned.
    pub grant: GrantId,
    /// The answer given.
    pub approved: Option<bool>,
    /// The author of the answer, where there is one. It may be restored, and then its actor can differ from the
    /// event's.
    pub decider: Option<Actor>,
    /// The id of the rule, the person or the program that caused it, where it is known; 0 means none.
    pub source: StringId,
    /// The digest of the input that a person has put in the place of the model's; 0 means none.
    pub edit: Digest,
    /// Whether a request, or a call, is left in doubt; whether a call that asks may have run under another approval id. Of
    /// an output: that it is the one before, and whether the call may have run again.
    pub doubt: Option<bool>,
    /// The time at which the call or the grant expires.
    pub deadline: Option<Time>,
    /// Details of this kind.
    pub detail: Detail,
}

impl Event {
    /// An event about the whole chat.
    pub const fn new(kind: EventKind, actor: Actor) -> Self {
        Self {
            kind,
            actor,
            call: None,
            request: RequestId::NONE,
            grant: GrantId::NONE,
            approved: None,
            decider: None,
            source: StringId::NONE,
            edit: 0,
            doubt: None,
            deadline: None,
            detail: Detail::None,
        }
    }

    /// An event about one call.
    pub const fn on(call: CallId, kind: EventKind, actor: Actor) -> Self {
        Self { call: Some(call), ..Self::new(kind, actor) }
    }

    /// An event about one request.
    pub const fn of(request: RequestId, kind: EventKind, actor: Actor) -> Self {
        Self { request, ..Self::new(kind, actor) }
    }

    /// An event about an answer to a call, caused by the author of the answer.
    pub const fn answer(call: CallId, kind: EventKind, decision: Decision) -> Self {
        let Decision { approved, actor, grant, source, edit } = decision;
        let event = Self::on(call, kind, actor);
        Self { approved: Some(approved), decider: Some(actor), grant, source, edit, ..event }
    }

    /// A call is seen for the first time.
    pub const fn noticed(
        call: CallId,
        tool: StringId,
        id: StringId,
        approval: StringId,
        actor: Actor,
    ) -> Self {
        let detail = Detail::Names { tool, id, approval };
        Self { detail, ..Self::on(call, EventKind::Noticed, actor) }
    }

    /// A call asks for an approval.
    pub const fn asked(call: CallId, approval: StringId, input: Digest, actor: Actor) -> Self {
        Self { detail: Detail::Question { approval, input }, ..Self::on(call, EventKind::Asked, actor) }
    }

    /// The annotations that the application makes to a call that asks.
    pub const fn annotated(
        call: CallId,
        dangerous: bool,
        lifetime: Option<Time>,
        deadline: Option<Time>,
    ) -> Self {
        let detail = Detail::Annotation { dangerous, lifetime };
        Self { deadline, detail, ..Self::on(call, EventKind::Annotated, Actor::Application) }
    }

    /// A draft is undone; only grants newer than this one may answer the call again.
    pub const fn undone(call: CallId, grants_ignored_up_to: GrantId, actor: Actor) -> Self {
        let detail = Detail::GrantsIgnoredUpTo(grants_ignored_up_to);
        Self { detail, ..Self::on(call, EventKind::Undone, actor) }
    }

    /// A later answer is refused. `shown`: whether the part shows it.
    pub const fn refused(call: Option<CallId>, approved: bool, shown: bool, actor: Actor) -> Self {
        let event = Self::new(EventKind::Refused, actor);
        Self { call, approved: Some(approved), detail: Detail::Shown(shown), ..event }
    }

    /// An output of this author: [`Output`](EventKind::Output) or [`Overwritten`](EventKind::Overwritten).
    pub const fn put_out(call: CallId, kind: EventKind, author: Author) -> Self {
        Self::on(call, kind, author.actor())
    }

    /// The output of a call that was asked about again stands: there is no newer one. `doubt`: it may have run again.
    pub const fn put_back(call: CallId, author: Author, doubt: bool) -> Self {
        Self { doubt: Some(doubt), ..Self::put_out(call, EventKind::Output, author) }
    }

    /// A call is closed because the user moved on. `doubt`: it is not known whether it ran.
    pub const fn superseded(call: CallId, doubt: bool) -> Self {
        let denial = Decision::new(false, Actor::Superseded);
        Self { doubt: Some(doubt), ..Self::answer(call, EventKind::Superseded, denial) }
    }

    /// A request carries what is new about a call: its answer, in `approved`, or its output. `doubt` is set if it
    /// says that the result of an allowed call is not known.
    pub const fn sent(call: CallId, request: RequestId, approved: Option<bool>, actor: Actor) -> Self {
        Self { request, approved, ..Self::on(call, EventKind::Sent, actor) }
    }

    /// A request leaves.
    pub const fn requested(request: RequestId, automatic: bool, actor: Actor) -> Self {
        Self { detail: Detail::Automatic(automatic), ..Self::of(request, EventKind::Requested, actor) }
    }

    /// A request failed. `doubt`: it is not known whether the server received it.
    pub const fn failed(request: RequestId, doubt: bool) -> Self {
        Self { doubt: Some(doubt), ..Self::of(request, EventKind::Failed, Actor::Server) }
    }

    /// A person allows or denies more than one call, or the grant of an earlier page is in force again: it has no call.
    pub const fn granted(id: GrantId, grant: &Grant) -> Self {
        let Grant { approved, tool, cover, call, until, .. } = *grant;
        let (kind, actor) = match call {
            Some(_) => (EventKind::Granted, Actor::Person),
            None => (EventKind::GrantRestored, Actor::History),
        };
        let event = Self { call, grant: id, approved: Some(approved), ..Self::new(kind, actor) };
        Self { deadline: until, detail: Detail::Grant { tool, cover }, ..event }
    }

    /// A grant ended.
    pub const fn grant_ended(grant: GrantId, actor: Actor) -> Self {
        Self { grant, ..Self::new(EventKind::GrantEnded, actor) }
    }

    /// Rules were evaluated for a call.
    pub const fn rule_evaluated(call: CallId, ruling: Ruling) -> Self {
        let event = Self::on(call, EventKind::RuleEvaluated, Actor::Rule);
        Self { source: ruling.rule, detail: Detail::Ruling(ruling), ..event }
    }

    /// The record, or another tab, knows the answer to a call.
    pub const fn restored(
        call: CallId,
        kind: EventKind,
        decision: Decision,
        delivery: Delivery,
        settled: bool,
    ) -> Self {
        Self { detail: Detail::Restored { delivery, settled }, ..Self::answer(call, kind, decision) }
    }

    /// The answer, where the event carries one.
    pub fn decision(&self) -> Option<Decision> {
        let Self { grant, source, edit, .. } = *self;
        let (approved, actor) = self.approved.zip(self.decider)?;
        Some(Decision { approved, actor, grant, source, edit })
    }

    /// The outcome of the call under that answer.
    pub fn outcome(&self) -> Option<Outcome> {
        self.decision().map(|decision| decision.outcome().in_doubt(self.doubt == Some(true)))
    }

    /// The author of the output.
    pub fn author(&self) -> Author {
        Author::of(self.actor)
    }
}

/// An event with its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The wall-clock time, in milliseconds since the epoch.
    pub at: f64,
    /// The time on the guard's own clock.
    pub time: Time,
    /// The event.
    pub event: Event,
    /// The time that its call had waited for an answer.
    pub waited: Option<Time>,
}
