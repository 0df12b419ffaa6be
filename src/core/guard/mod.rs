//! The machine: takes facts, keeps the ledger, answers with wishes. It owns no rule of its own:
//! what a call is stands in [`call`](super::call), what may leave in [`wire`](super::repair), when
//! the chat may submit in [`verdict`](super::verdict).

mod auto_answer;
mod decisions;
mod identity;
mod naming;
mod observed;
mod outputs;
mod parts;
mod prune;
mod requests;
mod restore;
mod scan;
mod stream;

pub use auto_answer::Covers;
pub use decisions::Taken;
pub use naming::{CommitCause, LONGEST_WAIT, Named, SHORTEST_WAIT, Trigger, wait};
pub use requests::Failure;
pub use restore::{Known, Reach};

use observed::{Seen, StreamedCall};

use crate::core::batch::Pace;
use crate::core::call::{Call, Digest, PartFacts, PartFlags, Place};
use crate::core::clock::{Clock, Now, Time};
use crate::core::decision::{Actor, Choice, Ruling};
use crate::core::event::{Entry, Event, EventKind, Touch};
use crate::core::grant::{Cover, Fingerprint};
use crate::core::id::{CallId, GrantId, RequestId, StringId};
use crate::core::id_map::IdMap;
use crate::core::ledger::Ledger;
use crate::core::projection::State;
use crate::core::protocol::Chunk;
use crate::core::repair::{self, Cause, Leaving, Repair, Scope};
use crate::core::verdict::{self, Asked, Need, Permit, Reason, Rules, Step};
use crate::core::windowed_log::WindowedLog;

/// The options of a guard.
#[derive(Clone, Debug)]
pub struct Options {
    /// What a verdict depends on.
    pub rules: Rules,
    /// Close what is open when a person moves on.
    pub deny_when_user_sends: bool,
    /// The tools that the page runs.
    pub client_tools: Vec<StringId>,
    /// The chat, or 0 to bind to the chat of the first request.
    pub chat: StringId,
    /// How fast decisions are asked for and committed.
    pub pace: Pace,
    /// How many entries of the ledger are sealed at once; with them goes what they alone were about.
    pub segment: usize,
}

/// What a chunk says beside its kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said {
    /// `approvalId`, or 0.
    pub approval: StringId,
    /// `approved`
    pub approved: Option<bool>,
    /// The digest of the output or error, or 0.
    pub output: Digest,
    /// More of the output is to come.
    pub preliminary: bool,
}

/// A fact.
#[derive(Clone, Debug)]
pub enum Fact {
    /// A look at a tool part that is new or has changed. `known` is what the last look at the same
    /// part answered. A list that is not `current` may be older than what was seen since.
    Part {
        /// The call that stood there.
        known: Option<CallId>,
        /// What stands there now.
        part: PartFacts,
        /// Whether it is surely the newest list.
        current: bool,
    },
    /// The message of a call is not where it was; it may be found elsewhere in the same look.
    Missing(CallId),
    /// It also stands elsewhere, unchanged.
    Relocated(CallId),
    /// A look at the whole list is complete: what is still missing is gone, because of this.
    ScanComplete(Actor),
    /// The last step, after a look.
    Step(Step),
    /// Until `false`, what is seen is history.
    Hydrate(bool),
    /// May the chat submit now? A yes is a lease until [`Fact::LeaseOver`].
    Ask,
    /// The event loop has turned.
    LeaseOver,
    /// The transport is asked; what it is asked to send may still wait for the transaction of this tab.
    Leaving,
    /// The transport is asked to send the list that was just looked at.
    Send {
        /// The chat.
        chat: StringId,
        /// The last message is the person's, or the person asked for another answer.
        person: bool,
    },
    /// The response has started.
    Started(RequestId),
    /// It has ended.
    Ended(RequestId),
    /// The request, or its response, broke.
    Failed {
        /// Which.
        request: RequestId,
        /// What is known of it.
        failure: Failure,
    },
    /// A chunk of a response about one call. `request` is 0 for a resumed response.
    Chunk {
        /// Of which request.
        request: RequestId,
        /// Its kind.
        kind: Chunk,
        /// `toolCallId`
        id: StringId,
        /// The rest.
        said: Said,
    },
    /// A person has answered through the chat; the messages may not show it yet.
    Decided {
        /// The approval id.
        approval: StringId,
        /// The answer.
        approved: bool,
    },
    /// The user stopped the chat.
    Stopped,
    /// A person asks to send once more, or after a reload.
    Permit(Permit),
    /// That did not lead to a request.
    PermitOver,
    /// What the application says of a call that asks.
    Annotate {
        /// Which.
        call: CallId,
        /// It is dangerous.
        dangerous: bool,
        /// How long it may wait for an answer.
        lifetime: Option<Time>,
    },
    /// What rules say of a call that asks.
    EvaluateRule {
        /// Which.
        call: CallId,
        /// What they say.
        ruling: Ruling,
    },
    /// The fingerprint of an input, or of some of its fields; 0 where there is none.
    Fingerprint {
        /// Of which call.
        call: CallId,
        /// The fields, or 0 for all of it.
        fields: StringId,
        /// Its number: equal inputs have equal numbers.
        print: Fingerprint,
    },
    /// The fingerprints so far are worth nothing: from now on others are given.
    ForgetFingerprints,
    /// A call that asks was looked at, and its fingerprints are told.
    Match(CallId),
    /// A person decides.
    Decide {
        /// Which call.
        call: CallId,
        /// How.
        choice: Choice,
        /// What a choice that lasts covers.
        covers: Covers,
        /// How long it lasts.
        lifetime: Option<Time>,
    },
    /// A decision, or an undo, of which the border knows that it cannot be meant.
    Refused {
        /// Which call, if there is one.
        call: Option<CallId>,
        /// It was to be allowed.
        approved: bool,
    },
    /// A person takes a draft back.
    Undo(CallId),
    /// A person takes all drafts back.
    UndoAll,
    /// The drafts are to be written into the messages: by a person, or, if `due`, when it is time.
    Commit {
        /// Only if it is time to.
        due: bool,
        /// A chat is attached.
        attached: bool,
    },
    /// A person wants more time for a call.
    Extend(CallId),
    /// A person wants to see what is hidden of an input.
    Reveal(CallId),
    /// A person ends a grant.
    Revoke(GrantId),
    /// A person ends all grants.
    RevokeAll,
    /// The record knows a call that was seen.
    Restore {
        /// Which.
        call: CallId,
        /// What.
        known: Known,
    },
    /// The record knows a grant of an earlier page.
    RestoreGrant {
        /// The name of the tool.
        tool: StringId,
        /// It allows, or refuses.
        approved: bool,
        /// Which of its calls.
        cover: Cover,
        /// How long it still lasts.
        lifetime: Option<Time>,
    },
    /// Time has passed.
    Wake,
    /// The guard ends.
    Leave,
}

vocabulary! {
    /// A problem that the application should know of.
    Problem {
        /// The page wrote an output over a call that asks.
        OutputOverOpenApproval = "output-over-open-approval",
        /// The server sent an output of a denied call: it may have run.
        OutputOfDeniedCall = "output-of-denied-call",
        /// `approval-responded` without a boolean answer or without an id.
        MalformedApproval = "malformed-approval",
        /// A request of another chat.
        WrongChat = "wrong-chat",
        /// A request without a message of a person, while a call of the last step is open.
        Waiting = "waiting",
        /// An answer to an approval that nobody asked for.
        UnknownApproval = "unknown-approval",
        /// A yes led to no request of the guard's transport: what has left was not repaired.
        UnwatchedRequest = "unwatched-request",
    }
}

/// How a permitted send is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permitted {
    /// There is nothing of that kind.
    Nothing,
    /// A call of the step is open.
    Waiting,
    /// By continuing the last message.
    Continue,
    /// By writing the output of this call again: continuing would pick an older message.
    Rewrite(CallId),
}

/// The wishes that one input leads to.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// [`Fact::Part`]: the call that stands there; nothing where what stood there has come further, so
    /// that the look is older and says nothing. [`Fact::Decided`]: the call that it is about.
    pub call: Option<CallId>,
    /// [`Fact::Ask`]: the answer.
    pub reason: Option<Reason>,
    /// [`Fact::Send`]: the number of the request; 0 when it is refused, for the last problem.
    pub request: RequestId,
    /// [`Fact::Permit`]: how to carry it out.
    pub permitted: Option<Permitted>,
    /// What became of a decision, an undo or a commit.
    pub taken: Taken,
    /// The calls that were answered too, or are committed.
    pub calls: Vec<CallId>,
    /// The calls that ask again.
    pub undone: Vec<CallId>,
    /// [`Fact::Decide`]: the grant that was given.
    pub grant: GrantId,
    /// Report these.
    pub problems: Vec<(Problem, Option<CallId>)>,
}

/// Whether the requests of the chat pass the guard's transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    /// Nothing says so yet.
    Unknown,
    /// A yes led to no request that was seen, which was reported.
    Missing,
    /// One was seen. A yes without a request is now one that the chat has dropped.
    Seen,
}

/// The approval guard of one chat.
#[derive(Debug)]
pub struct Guard {
    options: Options,
    ledger: Ledger,
    seen: WindowedLog<CallId, Seen>,
    latest: IdMap<StringId, CallId>,
    streamed: WindowedLog<u32, StreamedCall>,
    last_streamed: IdMap<StringId, u32>,
    /// What was heard before this one is settled.
    stream_settled_before: u32,
    step: Step,
    hydrating: bool,
    lease: bool,
    /// The last call of the step for which a yes was given that led to no request yet.
    pending_yes_for: Option<CallId>,
    transport: Transport,
    /// Counts the events that can change a repair.
    revision: u32,
    /// A message is not where it was.
    drift: bool,
    /// The yeses since a person acted, while no request was ever seen.
    unclaimed: u32,
    permit: Option<Permit>,
    /// The request that leaves now carries a message of a person, who may overtake another one.
    overtaking: bool,
    /// There was a request to overtake.
    crossing: bool,
    clock: Clock,
    /// Something may end by time.
    timed: bool,
    /// A batch was due while no chat was attached, and no person has done anything since.
    auto_commit_paused: bool,
    /// Counts the events that change something that can be shown.
    changes: u32,
    /// Entries were sealed, so that calls may be forgotten.
    seals: bool,
}

impl Guard {
    /// A guard that has seen nothing.
    pub fn new(options: Options) -> Self {
        Self {
            ledger: Ledger::new(options.segment),
            options,
            seen: WindowedLog::default(),
            latest: IdMap::default(),
            streamed: WindowedLog::default(),
            last_streamed: IdMap::default(),
            stream_settled_before: 0,
            step: Step::default(),
            hydrating: false,
            lease: false,
            pending_yes_for: None,
            transport: Transport::Unknown,
            revision: 0,
            drift: false,
            unclaimed: 0,
            permit: None,
            overtaking: false,
            crossing: false,
            clock: Clock::default(),
            timed: false,
            auto_commit_paused: false,
            changes: 0,
            seals: false,
        }
    }

    /// What the ledger adds up to.
    pub fn state(&self) -> &State {
        self.ledger.state()
    }

    /// What happened, as far as it is not sealed.
    pub fn entries(&self) -> &[Entry] {
        self.ledger.entries()
    }

    /// How many of the entries are sealed, and how many there were.
    pub fn sealed(&self) -> u32 {
        self.ledger.sealed()
    }

    /// See [`sealed`](Self::sealed).
    pub fn length(&self) -> u32 {
        self.ledger.length()
    }

    /// Where a call was seen last.
    pub fn place(&self, call: CallId) -> Option<Place> {
        self.seen.get(call).map(|seen| seen.part.place)
    }

    /// Why the chat may, or may not, submit now.
    pub fn verdict(&self) -> Reason {
        self.judge(self.lease)
    }

    /// The verdict, with or without the lease of a yes.
    fn judge(&self, lease: bool) -> Reason {
        let client = |call: &Call| self.is_client(call);
        let in_text = |call| self.answered_in_text(call);
        let asked = Asked { permit: self.permit, lease, unclaimed: self.unclaimed };
        verdict::judge(&self.options.rules, self.state(), &self.step, asked, client, in_text)
    }

    /// The open calls of the last step.
    pub fn waiting(&self) -> Vec<(CallId, Need)> {
        let open = |&(id, flags)| {
            let call = self.call(id)?;
            Some((id, verdict::need(call, flags, self.is_client(call))?))
        };
        self.step.rows.iter().filter_map(open).collect()
    }

    /// The repair that a part of a call needs, and, where no person denied the call, why it is denied.
    pub fn repair(
        &self,
        id: CallId,
        flags: PartFlags,
        approval: StringId,
        scope: Scope,
    ) -> (Repair, Option<Cause>) {
        let Some(call) = self.call(id) else { return (Repair::Keep, None) };
        let State { requests, running, .. } = self.state();
        let leaving = Leaving { request: *requests, overtaking: self.overtaking, running };
        repair::repair(call, flags, approval, scope, leaving)
    }

    /// Takes a fact. Where the clocks were not read, because it appends nothing, they are NaN.
    pub fn handle(&mut self, input: Fact, now: impl Into<Now>) -> Effects {
        let mut out = Effects::default();
        let now = now.into();
        let time = self.clock.tick(now);
        let mut transaction = Transaction { guard: self, now: now.wall, time, out: &mut out };
        match input {
            Fact::Part { known, part, current } => transaction.see(known, part, current),
            Fact::Missing(call) => transaction.missing(call),
            Fact::Relocated(call) => transaction.relocated(call),
            Fact::ScanComplete(by) => transaction.scan_complete(by),
            Fact::Step(step) => transaction.step(step),
            Fact::Hydrate(on) => self.hydrating = on,
            Fact::Ask => transaction.ask(),
            Fact::LeaseOver => transaction.lease_over(),
            Fact::Leaving => self.transport = Transport::Seen,
            Fact::Send { chat, person } => transaction.send(chat, person),
            // Nothing more is to come of a request that is over.
            Fact::Started(request) | Fact::Ended(request) | Fact::Failed { request, .. }
                if !transaction.guard.state().running.contains(&request) => {}
            Fact::Started(request) => {
                transaction.append(Event::of(request, EventKind::Started, Actor::Server))
            }
            Fact::Ended(request) => transaction.ended(request),
            Fact::Failed { request, failure } => transaction.failed(request, failure),
            Fact::Chunk { request, kind, id, said } => transaction.chunk(request, kind, id, said),
            Fact::Decided { approval, approved } => transaction.decided(approval, approved),
            Fact::Annotate { call, dangerous, lifetime } => transaction.mark(call, dangerous, lifetime),
            Fact::EvaluateRule { call, ruling } => transaction.judged(call, ruling),
            Fact::Fingerprint { call, fields, print } => transaction.fingerprint(call, fields, print),
            Fact::ForgetFingerprints => self.seen.iter_mut().for_each(|seen| seen.fingerprints.clear()),
            Fact::Match(call) => transaction.answer_by_itself(call),
            Fact::Decide { call, choice, covers, lifetime } => {
                transaction.decide(call, choice, covers, lifetime)
            }
            Fact::Refused { call, approved } => transaction.refused(call, approved),
            Fact::Undo(call) => transaction.undo(call),
            Fact::UndoAll => transaction.undo_all(),
            Fact::Commit { due, attached } => transaction.commit(due, attached),
            Fact::Extend(call) => transaction.extend(call),
            Fact::Reveal(call) => transaction.reveal(call),
            Fact::Revoke(grant) => transaction.revoke(grant),
            Fact::RevokeAll => transaction.revoke_all(),
            Fact::Restore { call, known } => transaction.recall(call, known),
            Fact::RestoreGrant { tool, approved, cover, lifetime } => {
                transaction.regrant(tool, approved, cover, lifetime);
            }
            Fact::Wake => transaction.pass(),
            Fact::Leave => transaction.withdraw(Actor::Leave),
            Fact::Stopped => transaction.stopped(),
            Fact::Permit(permit) => transaction.permit(permit),
            Fact::PermitOver => self.permit = None,
        }
        if std::mem::take(&mut self.seals) {
            Transaction { guard: self, now: now.wall, time, out: &mut out }.forget();
        }
        out
    }

    /// The chat of the guard; that of nothing as long as it is not known.
    pub fn chat(&self) -> StringId {
        self.options.chat
    }

    /// Reads the clocks; returns the time of the guard.
    pub fn tick(&mut self, now: Now) -> Time {
        self.clock.tick(now)
    }

    /// What the clock of the guard says.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether anything depends on time.
    pub fn timed(&self) -> bool {
        self.timed
    }

    /// Counts what can be shown of it: a refusal changes nothing.
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// Whether another tab has sent what an automatic request was to send, since the yes.
    pub fn is_taken(&self) -> bool {
        let pending_yes_for = self.pending_yes_for.is_some() && self.pending_yes_for == self.last_call();
        pending_yes_for && self.permit.is_none() && !self.judge(false).sends()
    }

    /// Whether a call has changed since the ledger had this many entries.
    pub fn touched_since(&self, id: CallId, entries: u32) -> bool {
        self.seen.get(id).is_some_and(|seen| seen.touched > entries)
    }

    /// Whether a part does not stand where it stood, so that the whole list has to be read before a question counts.
    pub fn drifts(&self) -> bool {
        self.drift
    }

    /// Whether a yes was given in this turn of the event loop that no request has followed.
    pub fn is_leased(&self) -> bool {
        self.lease
    }

    /// Changes when a repair can have changed.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// Whether a part of this call can ever need a repair.
    pub fn watches(&self, id: CallId) -> bool {
        let marked = |call: &Call| call.asked() || call.approval().is_some() || call.decision().is_some();
        self.call(id).is_some_and(|call| marked(call) || self.is_client(call))
    }

    fn last_call(&self) -> Option<CallId> {
        self.step.rows.last().map(|&(id, _)| id)
    }

    fn call(&self, id: CallId) -> Option<&Call> {
        self.state().calls.get(id)
    }

    fn is_client(&self, call: &Call) -> bool {
        self.options.client_tools.contains(&call.tool())
    }
}

/// One input being taken.
struct Transaction<'a> {
    guard: &'a mut Guard,
    /// What the wall clock says.
    now: f64,
    time: Time,
    out: &'a mut Effects,
}

impl Transaction<'_> {
    /// Appends an event; [`EventKind`] says what its kind touches.
    fn append(&mut self, event: Event) {
        let touches = |touch| event.kind.touches(touch);
        if touches(Touch::Acts) && event.actor == Actor::Person {
            self.guard.unclaimed = 0;
            self.guard.auto_commit_paused = false;
        }
        if touches(Touch::Input)
            && let Some(seen) = event.call.and_then(|call| self.guard.seen.get_mut(call))
        {
            seen.fingerprints.clear();
        }
        self.guard.revision += u32::from(touches(Touch::Repairs));
        self.guard.changes += u32::from(touches(Touch::View));
        self.guard.seals |= self.guard.ledger.append(event, self.now, self.time);
        self.touch(event.call);
        if let Some(call) = event.call.filter(|_| touches(Touch::Grants)) {
            self.end_orphans(call, event.actor);
        }
    }

    /// An event changes its call; one without a call may change all that are live.
    fn touch(&mut self, call: Option<CallId>) {
        let guard = &mut *self.guard;
        let entries = guard.ledger.length();
        let one = call.map(|call| vec![call]);
        for &id in one.as_ref().unwrap_or(&guard.ledger.state().live) {
            if let Some(seen) = guard.seen.get_mut(id) {
                seen.touched = entries;
            }
        }
    }

    fn problem(&mut self, problem: Problem, call: Option<CallId>) {
        self.out.problems.push((problem, call));
    }
}
