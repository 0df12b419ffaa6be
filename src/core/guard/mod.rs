//! The machine: takes facts, keeps the ledger, returns effects. It has no rules of its own:
//! [`call`](super::call) knows what a call is, [`repair`](super::repair) what may leave, and
//! [`verdict`](super::verdict) when the chat may submit.

mod attempt;
mod auto_answer;
mod decisions;
mod equal;
mod identity;
mod names;
mod naming;
mod observed;
mod outputs;
mod parts;
mod prune;
mod requests;
mod restore;
mod scan;
mod stream;

pub use attempt::{Attempt, Target, Waited};
pub use auto_answer::{Coverage, Covers};
pub use decisions::Taken;
pub use naming::{CommitCause, LONGEST_WAIT, Named, SHORTEST_WAIT, Shown, Trigger, wait};
pub use requests::Failure;
pub use restore::{Known, Reach};

use attempt::YesTurn;
use names::Names;
use observed::{Seen, StreamedCall};

use crate::core::batch::Pace;
use crate::core::call::{Call, Digest, PartFacts, PartFlags, Place};
use crate::core::clock::{Clock, Now, Time};
use crate::core::decision::{Actor, Choice, Ruling};
use crate::core::event::{Detail, Entry, Event, EventKind, Touch};
use crate::core::grant::{Cover, Fingerprint, Tool};
use crate::core::id::{CallId, GrantId, RequestId, StringId};
use crate::core::id_map::IdMap;
use crate::core::ledger::Ledger;
use crate::core::projection::State;
use crate::core::protocol::Chunk;
use crate::core::repair::{self, Leaving, Needed, Scope};
use crate::core::verdict::{self, Asked, Need, Permit, Reason, Rules, Step};
use crate::core::windowed_log::WindowedLog;

/// The options of a guard.
#[derive(Clone, Debug)]
pub struct Options {
    /// The options of a verdict.
    pub rules: Rules,
    /// Whether open calls are closed when a person moves on.
    pub deny_when_user_sends: bool,
    /// The tools that run in the page.
    pub client_tools: Vec<StringId>,
    /// The tools that the server no longer has. Their calls can only be denied.
    pub unavailable_tools: Vec<StringId>,
    /// The chat; 0 binds the guard to the chat of the first request.
    pub chat: StringId,
    /// The application's id of the person at the screen; 0 if it is not known.
    pub user: StringId,
    /// The times that govern decisions and commits.
    pub pace: Pace,
    /// How many entries of the ledger are sealed at once. Calls that only sealed entries mention are dropped.
    pub segment: usize,
}

/// The content of a chunk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Said {
    /// `approvalId`, or 0.
    pub approval: StringId,
    /// `approved`
    pub approved: Option<bool>,
    /// The digest of the output or error, or 0.
    pub output: Digest,
    /// Whether more of the output follows.
    pub preliminary: bool,
}

/// A fact.
#[derive(Clone, Debug)]
pub enum Fact {
    /// A tool part that is new or has changed. `known` is the call that the last scan returned for this part.
    /// A list that is not `current` may be older than what was seen since.
    Part {
        /// The call that the part showed before.
        known: Option<CallId>,
        /// What the part shows now.
        part: PartFacts,
        /// Whether this is surely the newest list.
        current: bool,
    },
    /// The message of a call is not in its old place; the same scan may still find it elsewhere.
    Missing(CallId),
    /// The message of a call is also elsewhere, unchanged.
    Relocated(CallId),
    /// The scan of the whole list is complete: calls that are still missing are gone. The actor is the cause.
    ScanComplete(Actor),
    /// The last step, after a scan.
    Step(Step),
    /// Starts (`true`) or ends the first `attach`: what is seen in between is history.
    Hydrate(bool),
    /// The SDK asks whether the chat may submit now. A yes is a lease until [`Fact::LeaseOver`].
    Ask,
    /// The event loop has turned.
    LeaseOver {
        /// Whether the chat says that it is sending, so that a request may only be slow.
        sending: bool,
    },
    /// The transport was asked to send; the request may still wait for this tab's transaction.
    Leaving {
        /// The request.
        attempt: Attempt,
        /// Whether the chat keeps a queue of requests.
        queues: bool,
    },
    /// The transport was asked to send the list that was just scanned.
    Send {
        /// The chat.
        chat: StringId,
        /// Whether the last message is the person's, or the person asked for another response.
        person: bool,
    },
    /// The response to a request started.
    Started(RequestId),
    /// The response to a request ended.
    Ended(RequestId),
    /// A request, or its response, failed.
    Failed {
        /// The request.
        request: RequestId,
        /// What is known about the failure.
        failure: Failure,
    },
    /// A chunk of a response about one call. `request` is 0 for a resumed response.
    Chunk {
        /// The request that it answers.
        request: RequestId,
        /// The kind of chunk.
        kind: Chunk,
        /// `toolCallId`
        id: StringId,
        /// Its content.
        said: Said,
    },
    /// A person answered through the chat. The messages may not show the answer yet.
    Decided {
        /// The approval id.
        approval: StringId,
        /// The answer.
        approved: bool,
    },
    /// The user stopped the chat.
    Stopped,
    /// A person asks to send again, or to send after a reload.
    Permit(Permit),
    /// A permitted send led to no request.
    PermitOver,
    /// The annotations that the application makes to a call that asks.
    Annotate {
        /// The call.
        call: CallId,
        /// Whether it is dangerous.
        dangerous: bool,
        /// How long it may wait for an answer.
        lifetime: Option<Time>,
    },
    /// The ruling on a call that asks.
    EvaluateRule {
        /// The call.
        call: CallId,
        /// The ruling.
        ruling: Ruling,
    },
    /// The fingerprint of an input, or of some of its fields; 0 if there is none.
    Fingerprint {
        /// The call.
        call: CallId,
        /// The fields; 0 for the whole input.
        fields: StringId,
        /// The number of the fingerprint: equal inputs have equal numbers.
        fingerprint: Fingerprint,
    },
    /// The fingerprints so far are void: new numbers are given from now on.
    ForgetFingerprints,
    /// A call that asks was scanned, and all its fingerprints are known.
    Match(CallId),
    /// A person decides.
    Decide {
        /// The call.
        call: CallId,
        /// The choice.
        choice: Choice,
        /// The calls that a lasting choice covers.
        covers: Covers,
        /// How long a lasting choice is valid.
        lifetime: Option<Time>,
        /// The program that decides; 0 if a person does.
        program: StringId,
    },
    /// A decision or an undo that the border refuses.
    Refused {
        /// The call, if there is one.
        call: Option<CallId>,
        /// Whether it was an allowance.
        approved: bool,
        /// The program that decided; 0 if a person did.
        program: StringId,
    },
    /// A person undoes the drafts of these calls.
    Undo(Vec<CallId>),
    /// A person undoes all drafts.
    UndoAll,
    /// The drafts are to be written into the messages: now, for a person, or with `due` when it is time.
    Commit {
        /// Whether to commit only when it is time.
        due: bool,
        /// Whether a chat is attached.
        attached: bool,
    },
    /// A person wants more time for a call.
    Extend(CallId),
    /// A person wants to see the hidden parts of an input.
    Unmask(CallId),
    /// A person ends a grant.
    Revoke(GrantId),
    /// A person ends all grants.
    RevokeAll,
    /// The record knows a call that the page shows.
    Restore {
        /// The call.
        call: CallId,
        /// What the record knows.
        known: Known,
    },
    /// The record knows a grant of an earlier page.
    RestoreGrant {
        /// The tool.
        tool: Tool,
        /// Whether it allows or denies.
        approved: bool,
        /// The calls that it covers.
        cover: Cover,
        /// How long it is still valid.
        lifetime: Option<Time>,
    },
    /// Time has passed.
    Wake,
    /// The guard ends.
    Leave,
}

vocabulary! {
    /// A problem that is reported to the application.
    Problem {
        /// The page wrote an output over a call that asks.
        OutputOverOpenApproval = "output-over-open-approval",
        /// The server sent an output of a denied call, which may have run.
        OutputOfDeniedCall = "output-of-denied-call",
        /// `approval-responded` without a boolean answer or without an approval id.
        MalformedApproval = "malformed-approval",
        /// A request for another chat.
        WrongChat = "wrong-chat",
        /// A request without a message of a person while a call of the last step is open.
        Waiting = "waiting",
        /// An answer to an unknown approval.
        UnknownApproval = "unknown-approval",
        /// A yes led to no request through the guard's transport, so what was sent was not repaired.
        UnwatchedRequest = "unwatched-request",
    }
}

/// How a permitted send is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permitted {
    /// There is nothing to send.
    Nothing,
    /// A call of the step is open.
    Waiting,
    /// By continuing the last message.
    Continue,
    /// By writing the output of this call again, because continuing would pick an older message.
    Rewrite(CallId),
}

/// The effects of one fact.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// For [`Fact::Part`], the call of the part; `None` if the known call is further along, so that the list
    /// is older and says nothing. For [`Fact::Decided`], the call that was answered.
    pub call: Option<CallId>,
    /// For [`Fact::Ask`], the verdict.
    pub reason: Option<Reason>,
    /// For [`Fact::Leaving`], whether another request of this turn has already taken everything along.
    pub overtaken: bool,
    /// For [`Fact::Send`], the number of the request; 0 if it is refused because of the last problem.
    pub request: RequestId,
    /// For [`Fact::Permit`], how to carry it out.
    pub permitted: Option<Permitted>,
    /// The result of a decision, an undo or a commit.
    pub taken: Taken,
    /// The calls that were answered along with it, or are committed.
    pub calls: Vec<CallId>,
    /// The calls that ask again.
    pub undone: Vec<CallId>,
    /// For [`Fact::Decide`], the grant that was given.
    pub grant: GrantId,
    /// The problems to report.
    pub problems: Vec<(Problem, Option<CallId>)>,
}

/// Whether the chat's requests go through the guard's transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    /// Not known yet.
    Unknown,
    /// Not known yet: after a yes the chat says that it is sending, and no request was seen so far.
    Awaited,
    /// No: a yes led to no request. This was reported.
    Missing,
    /// Yes: a request was seen. If a yes now leads to no request, the chat dropped it.
    Seen,
}

/// The approval guard of one chat.
#[derive(Debug)]
pub struct Guard {
    options: Options,
    ledger: Ledger,
    seen: WindowedLog<CallId, Seen>,
    names: Names,
    streamed: WindowedLog<u32, StreamedCall>,
    last_streamed: IdMap<StringId, u32>,
    /// Stream entries before this index are settled.
    stream_settled_before: u32,
    step: Step,
    /// The last step of the assistant, after the user has written behind it.
    left: Step,
    hydrating: bool,
    lease: bool,
    /// The turn of the event loop in which the last yes was given, while it lasts.
    turn: Option<YesTurn>,
    /// The last call of the step for which a yes was given that has led to no request yet.
    pending_yes_for: Option<CallId>,
    transport: Transport,
    /// Counts the events that can change a repair.
    revision: u32,
    /// Whether a message is not in its old place.
    drift: bool,
    /// How many times the guard said yes since a person acted, while no request was ever seen.
    unclaimed: u32,
    permit: Option<Permit>,
    /// Whether the last message of a person has overtaken a request.
    crossing: bool,
    clock: Clock,
    /// Whether anything may end by time.
    timed: bool,
    /// Whether a batch was due while no chat was attached, and no person has acted since.
    auto_commit_paused: bool,
    chat_question: ChatQuestion,
    /// Counts the events that can change what a page shows.
    changes: u32,
    /// Whether entries were sealed, so that calls may be dropped.
    seals: bool,
}

impl Guard {
    /// A guard that has seen nothing.
    pub fn new(options: Options) -> Self {
        Self {
            ledger: Ledger::new(options.segment),
            options,
            seen: WindowedLog::default(),
            names: Names::default(),
            streamed: WindowedLog::default(),
            last_streamed: IdMap::default(),
            stream_settled_before: 0,
            step: Step::default(),
            left: Step::default(),
            hydrating: false,
            lease: false,
            turn: None,
            pending_yes_for: None,
            transport: Transport::Unknown,
            revision: 0,
            drift: false,
            unclaimed: 0,
            permit: None,
            crossing: false,
            clock: Clock::default(),
            timed: false,
            auto_commit_paused: false,
            chat_question: ChatQuestion::Settled,
            changes: 0,
            seals: false,
        }
    }

    /// The state that the ledger adds up to.
    pub fn state(&self) -> &State {
        self.ledger.state()
    }

    /// The entries that are not sealed.
    pub fn entries(&self) -> &[Entry] {
        self.ledger.entries()
    }

    /// How many entries are sealed.
    pub fn sealed(&self) -> u32 {
        self.ledger.sealed()
    }

    /// How many entries there are, with the sealed ones.
    pub fn length(&self) -> u32 {
        self.ledger.length()
    }

    /// Where a call was last seen.
    pub fn place(&self, call: CallId) -> Option<Place> {
        self.seen.get(call).map(|seen| seen.part.place)
    }

    /// Why the chat may, or may not, submit now.
    pub fn verdict(&self) -> Reason {
        self.judge(self.lease)
    }

    /// The verdict, with or without the lease of an earlier yes.
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

    /// Returns the repair that a part of a call needs.
    pub fn repair(&self, id: CallId, flags: PartFlags, approval: StringId, scope: Scope) -> Needed {
        let Some(call) = self.call(id) else { return Needed::NOTHING };
        let State { requests, running, .. } = self.state();
        let overtaken = self.options.deny_when_user_sends && !self.stands(id);
        let leaving = Leaving { request: *requests, overtaken, running };
        repair::repair(call, flags, approval, scope, leaving, self.is_unavailable(call))
    }

    /// Handles a fact. For a fact that appends nothing, the clocks need not be read: `now` is NaN.
    pub fn handle(&mut self, input: Fact, now: impl Into<Now>) -> Effects {
        let mut out = Effects::default();
        let now = now.into();
        let time = self.clock.tick(now);
        let program = StringId::NONE;
        let mut transaction = Transaction { guard: self, now: now.wall, time, program, out: &mut out };
        match input {
            Fact::Part { known, part, current } => transaction.see(known, part, current),
            Fact::Missing(call) => transaction.missing(call),
            Fact::Relocated(call) => transaction.relocated(call),
            Fact::ScanComplete(by) => transaction.scan_complete(by),
            Fact::Step(step) => transaction.step(step),
            Fact::Hydrate(on) => self.hydrating = on,
            Fact::Ask => transaction.ask(),
            Fact::LeaseOver { sending } => transaction.lease_over(sending),
            Fact::Leaving { attempt, queues } => transaction.leaving(attempt, queues),
            Fact::Send { chat, person } => transaction.send(chat, person),
            // Nothing more follows for a request that is over.
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
            Fact::Fingerprint { call, fields, fingerprint } => {
                transaction.fingerprint(call, fields, fingerprint)
            }
            Fact::ForgetFingerprints => self.seen.iter_mut().for_each(|seen| seen.fingerprints.clear()),
            Fact::Match(call) => transaction.answer_by_itself(call),
            Fact::Decide { call, choice, covers, lifetime, program } => {
                transaction.program = program;
                transaction.decide(call, choice, covers, lifetime)
            }
            Fact::Refused { call, approved, program } => {
                transaction.program = program;
                transaction.refused(call, approved)
            }
            Fact::Undo(calls) => transaction.undo(calls),
            Fact::UndoAll => transaction.undo_all(),
            Fact::Commit { due, attached } => transaction.commit(due, attached),
            Fact::Extend(call) => transaction.extend(call),
            Fact::Unmask(call) => transaction.unmask(call),
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
            Transaction { guard: self, now: now.wall, time, program, out: &mut out }.forget();
        }
        out
    }

    /// The chat of the guard; 0 while it is not known.
    pub fn chat(&self) -> StringId {
        self.options.chat
    }

    /// Reads the clocks, and returns the guard's time.
    pub fn tick(&mut self, now: Now) -> Time {
        self.clock.tick(now)
    }

    /// The guard's clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether anything depends on time.
    pub fn timed(&self) -> bool {
        self.timed
    }

    /// A counter that changes with everything that a page shows. A refusal does not change it.
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// Whether a yes was given for the last step that no request has followed.
    pub fn is_promised(&self) -> bool {
        self.pending_yes_for.is_some() && self.pending_yes_for == self.last_call()
    }

    /// Whether an answer of this page waited for one of another tab, has to wait no more, and nothing sends it yet.
    /// Then the guard has to continue the chat, which does not ask again by itself.
    pub fn is_completed(&self) -> bool {
        let is_idle = self.state().running.is_empty() && !self.is_promised();
        self.chat_question == ChatQuestion::Recalled && is_idle && self.verdict() == Reason::Answered
    }

    /// Whether a request that has waited has nothing to send any more, because another request or another tab has
    /// sent it.
    pub fn is_taken(&self, waited: Waited) -> bool {
        waited.may_repeat(self.state().requests) && self.permit.is_none() && !self.judge(false).sends()
    }

    /// Whether a call has changed since the ledger had this many entries.
    pub fn touched_since(&self, id: CallId, entries: u32) -> bool {
        self.seen.get(id).is_some_and(|seen| seen.touched > entries)
    }

    /// Whether a part is not in its old place, so that the whole list has to be read before the next verdict.
    pub fn drifts(&self) -> bool {
        self.drift
    }

    /// Whether the guard said yes in this turn of the event loop, and no request has followed.
    pub fn is_leased(&self) -> bool {
        self.lease
    }

    /// A counter that changes whenever a repair may have changed.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// Whether any part of this call can ever need a repair.
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

    fn is_unavailable(&self, call: &Call) -> bool {
        self.options.unavailable_tools.contains(&call.tool())
    }
}

/// The last question of the chat whether to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChatQuestion {
    /// There was none, or no call was open.
    Settled,
    /// A call was open.
    Open,
    /// A call was open, and since then the record has told an answer.
    Recalled,
}

/// One fact being handled.
struct Transaction<'a> {
    guard: &'a mut Guard,
    /// The wall-clock time.
    now: f64,
    time: Time,
    /// The program that acts; 0 if a person, or nobody, does.
    program: StringId,
    out: &'a mut Effects,
}

impl Transaction<'_> {
    /// Appends an event and updates what its kind touches; see [`EventKind`].
    fn append(&mut self, mut event: Event) {
        // What the record tells was done by the person of an earlier page, or of another tab.
        if event.actor == Actor::Person && !matches!(event.detail, Detail::Restored { .. }) {
            self.sign(&mut event);
        }
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
        match (event.call, event.detail) {
            (Some(call), Detail::Names { id, approval, .. }) => {
                self.guard.names.add(id, call);
                self.guard.names.add_approval(approval, call);
            }
            (Some(call), Detail::Question { approval, .. }) => self.guard.names.add_approval(approval, call),
            _ => {}
        }
        let by_page = matches!(event.actor, Actor::Person | Actor::Application);
        if by_page && self.guard.transport == Transport::Awaited {
            // The chat asks because of this, not because a response has ended.
            self.guard.transport = Transport::Unknown;
        }
        self.guard.revision += u32::from(touches(Touch::Repairs));
        self.guard.changes += u32::from(touches(Touch::View));
        self.guard.seals |= self.guard.ledger.append(event, self.now, self.time);
        self.touch(event.call);
        if let Some(call) = event.call.filter(|_| touches(Touch::Grants)) {
            self.end_orphans(call, event.actor);
        }
    }

    /// Law 14: an act of a person names that person, and what a program does is never a person's act.
    fn sign(&self, event: &mut Event) {
        event.source = self.guard.options.user;
        if self.program.is_some() {
            event.source = self.program;
            event.actor = Actor::External;
            event.decider = event.decider.map(|_| Actor::External);
        }
    }

    /// Marks the call of an event as changed; an event without a call may change every live call.
    fn touch(&mut self, call: Option<CallId>) {
        let guard = &mut *self.guard;
        let entries = guard.ledger.length();
        let changed = if call.is_some() { call.as_slice() } else { &guard.ledger.state().live };
        for &id in changed {
            if let Some(seen) = guard.seen.get_mut(id) {
                seen.touched = entries;
            }
        }
    }

    fn problem(&mut self, problem: Problem, call: Option<CallId>) {
        self.out.problems.push((problem, call));
    }
}
