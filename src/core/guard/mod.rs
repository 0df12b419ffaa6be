//! The machine: takes facts, keeps the ledger, returns effects. Each kind of fact has a file, with its rules;
//! [`call`](super::call) knows what a call is, [`repair`](super::repair) what may leave, and
//! [`verdict`](super::verdict) when the chat may submit.

mod adopted;
mod attempt;
mod authors;
mod auto_answer;
mod decisions;
mod deliveries;
mod effects;
mod equal;
mod exchange;
mod face;
mod facts;
mod identity;
mod list;
mod names;
mod naming;
mod observed;
mod outputs;
mod parts;
mod pause;
mod prune;
mod requests;
mod response;
mod responses;
mod restore;
mod scan;
mod stream;
#[cfg(test)]
mod tests;
mod timer;
mod timers;
mod transaction;
mod unsent;

pub use attempt::{Attempt, Waited};
pub use auto_answer::{Coverage, Covers};
pub use deliveries::{Listed, News};
pub use effects::{Act, ActCode, ActResult, Changed, Effects, Permitted, Problem, Returned, Way};
pub use face::{Action, Can};
pub use facts::{Chosen, Fact, Said};
pub use naming::{CommitCause, EditGiven, Lifetime, Named, Shown, Trigger, WaitedFor, wait};
pub use requests::Failure;
pub use restore::{Known, KnownAnswer, Reach};
pub use timers::StaysNo;

use deliveries::Deliveries;
use exchange::Exchange;
use list::List;
use names::Names;
use observed::{Seen, Streamed};
use pause::Pause;
use response::Responses;
use timer::Timers;

use crate::core::call::{Call, Digest, Place, differs};
use crate::core::clock::{Clock, Now, Time};
use crate::core::decision::{Actor, Author, Draft, Refusal};
use crate::core::event::Entry;
use crate::core::id::{CallId, GrantId, RequestId, StringId};
use crate::core::ledger::{Ledger, SEGMENT};
use crate::core::policy::Policy;
use crate::core::projection::State;
use crate::core::repair::{self, Context, Needed, Repair, Scope};
use crate::core::verdict::{self, Need, Reason, Situation, StepCall};
use crate::core::windowed_log::WindowedLog;

row! {
    /// The options of a guard.
    #[derive(Clone, Debug)]
    pub struct Options {
        /// Those by which the core decides.
        pub policy: Policy,
        /// The tools that run in the page.
        pub client_tools: Vec<StringId>,
        /// The tools that the server no longer has. Their calls can only be denied.
        pub unavailable_tools: Vec<StringId>,
        /// The chat; 0 binds the guard to the chat of the first request.
        pub chat: StringId,
        /// The application's id of the person at the screen; 0 if it is not known.
        pub user: StringId,
        ;
        /// The number of entries of the ledger that are sealed at once. Calls that only sealed entries mention are dropped.
        pub segment: usize = SEGMENT,
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            client_tools: Vec::new(),
            unavailable_tools: Vec::new(),
            chat: StringId::NONE,
            user: StringId::NONE,
            segment: SEGMENT,
        }
    }
}

/// Counters that say whether something has to be computed again.
#[derive(Debug, Default)]
struct Versions {
    /// Counts what can change a repair.
    repairs: u32,
    /// Counts what can change what a page shows.
    view: u32,
}

/// The approval guard of one chat.
#[derive(Debug)]
pub struct Guard {
    options: Options,
    ledger: Ledger,
    clock: Clock,
    seen: WindowedLog<CallId, Seen>,
    names: Names,
    list: List,
    streamed: Streamed,
    responses: Responses,
    exchange: Exchange,
    timers: Timers,
    pause: Pause,
    versions: Versions,
    /// The lists that left, as far as the server has them.
    deliveries: Deliveries,
}

impl Guard {
    /// A guard that has seen nothing.
    pub fn new(options: Options) -> Self {
        Self {
            ledger: Ledger::new(options.segment),
            options,
            clock: Clock::default(),
            seen: WindowedLog::default(),
            names: Names::default(),
            list: List::default(),
            streamed: Streamed::default(),
            responses: Responses::default(),
            exchange: Exchange::default(),
            timers: Timers::default(),
            pause: Pause::default(),
            versions: Versions::default(),
            deliveries: Deliveries::default(),
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

    /// The number of sealed entries.
    pub fn sealed(&self) -> u32 {
        self.ledger.sealed()
    }

    /// The number of all entries, with the sealed ones.
    pub fn length(&self) -> u32 {
        self.ledger.length()
    }

    /// The place where a call was last seen.
    pub fn place(&self, call: CallId) -> Option<Place> {
        self.seen.get(call).map(|seen| seen.part.place)
    }

    /// The digest of the changed input that the part of a call shows; 0 for the one that the model asked for.
    pub fn shown_edit(&self, call: CallId) -> Digest {
        self.seen.get(call).map_or(0, |seen| seen.part.edit)
    }

    /// The reason for which the chat may, or may not, submit now.
    pub fn verdict(&self) -> Reason {
        self.judge(false)
    }

    /// The verdict that the chat would get if it asked now. `commit`: the cause of the commit that comes before it, unless
    /// that has to wait for a transaction.
    pub fn verdict_if_asked(&self, commit: Option<CommitCause>) -> Reason {
        self.judge(commit.is_some_and(|cause| self.result_of_commit(cause) == ActResult::Done))
    }

    /// The verdict, after a commit or without one.
    fn judge(&self, commits: bool) -> Reason {
        let may_ask = self.may_ask();
        let (permit, lease) = (self.exchange.permit(), self.exchange.is_leased());
        let unclaimed = self.exchange.unclaimed();
        let broken = self.pause == Pause::Everything;
        self.judge_in(Situation { permit, lease, unclaimed, commits, may_ask, broken })
    }

    fn judge_in(&self, situation: Situation) -> Reason {
        let calls = self.list.step.rows.iter().filter_map(|&(id, flags)| {
            let call = self.call(id)?;
            let (is_client, in_text) = (self.is_client(call), self.answered_in_text(id));
            Some(StepCall { call, flags, is_client, in_text, shows_new: self.shows_new_output(id) })
        });
        verdict::judge(&self.options.policy, self.state(), &self.list.step, calls, situation)
    }

    /// Whether a request that follows a yes still has something to send.
    fn still_sends(&self) -> bool {
        self.judge_in(Situation { permit: self.exchange.permit(), ..Situation::default() }).sends()
    }

    /// Whether the output of a call is in the last step. The chat writes an output into the first message that has the
    /// call. The last step may show a copy of it, which gets the output at the next repair.
    fn is_here(&self, seen: &Seen) -> bool {
        !seen.copied || seen.part.place.message == self.list.step.message
    }

    /// Whether the part shows the output that no request has carried. An older list may show one that was sent.
    fn shows_new_output(&self, id: CallId) -> bool {
        let is_latest = |seen: &Seen| seen.outputs.last().is_none_or(|&latest| latest == seen.part.output);
        let shows = |seen: &Seen| is_latest(seen) && self.is_here(seen);
        self.call(id).is_some_and(Call::fresh_output) && self.seen.get(id).is_some_and(shows)
    }

    /// The open calls of the last step. Until a response ends, it may still ask about a call that it has brought, and
    /// nothing that is new is sent.
    pub fn waiting(&self) -> Vec<(CallId, Need)> {
        let open = |&(id, flags)| {
            let call = self.call(id)?;
            let Some(need) = verdict::need(call, flags, self.is_client(call)) else {
                return self.awaits_response(id, call).map(|need| (id, need));
            };
            let may_ask = need == Need::Output && self.may_ask() && !call.asked();
            Some((id, if may_ask { Need::Response } else { need }))
        };
        self.list.step.rows.iter().filter_map(open).collect()
    }

    /// Returns the repair that a part of a call needs. `above`: whether its message is not the last one, although a copy of
    /// it may be.
    pub fn repair(&self, id: CallId, part: repair::ShownPart, above: bool) -> Needed {
        let Some(call) = self.call(id) else { return Needed::NOTHING };
        if self.is_as_adopted(id, part.flags, part.approval) {
            return Needed::NOTHING;
        }
        let seen = self.seen.get(id);
        let is_wire = part.scope == Scope::Wire;
        // Behind a list that a person sends comes what the person wants, also where no message says so.
        let by_person = is_wire && self.responses.is_of_person(self.state().last_request);
        let was_closed = is_wire && seen.is_some_and(|seen| seen.left_closed);
        let is_last = self.is_in_last_step(id);
        // A resumed response has begun another call under the id of an earlier one before its input was known.
        if is_last && seen.is_some_and(|seen| differs(seen.part.input, part.input)) {
            return Needed::NOTHING;
        }
        let is_behind = (above || by_person || was_closed || !is_last) && !self.has_result_in_copy(id);
        let context = Context {
            request: self.state().last_request,
            overtaken: self.options.policy.closes_calls() && is_behind,
            is_copy: above && is_last,
            rests: !self.responses.any(),
            is_shown: !call.unseen() && seen.is_some_and(|seen| seen.allowance_shown),
            is_output_kept: seen.is_some_and(|seen| seen.kept_output.is_some()),
            unavailable: self.is_unavailable(call),
        };
        repair::repair(call, part, context)
    }

    /// Handles a fact. For a fact that appends nothing, the clocks need not be read: `now` is NaN.
    pub fn handle(&mut self, fact: Fact, now: impl Into<Now>) -> Effects {
        let mut out = Effects::default();
        let now = now.into();
        let time = self.clock.tick(now);
        let sealed = self.sealed();
        let acting = Acting::default();
        let mut transaction =
            Transaction { guard: self, now: now.wall, time, program: StringId::NONE, acting, out: &mut out };
        transaction.handle(fact);
        if transaction.guard.sealed() > sealed {
            transaction.forget();
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

    /// A counter that changes with everything that a page shows. A refusal does not change it.
    pub fn changes(&self) -> u32 {
        self.versions.view
    }

    /// Whether a yes was given for the last step that no request has followed.
    pub fn is_promised(&self) -> bool {
        self.exchange.promised().is_some_and(|call| Some(call) == self.last_call())
    }

    /// Law 3: whether the chat would be told yes, and was not. It asks only after what it has written itself, while it is not
    /// busy. Whatever else has made it a yes, such as an answer of another tab, the guard has it ask.
    pub fn is_unasked(&self) -> bool {
        let is_idle = !self.responses.any() && !self.is_promised();
        self.exchange.has_asked() && is_idle && self.verdict().sends()
    }

    /// Whether a request that has waited has nothing to send any more, because another request or another tab has
    /// sent it.
    pub fn is_taken(&self, waited: Waited) -> bool {
        waited.may_repeat(self.state().last_request)
            && self.exchange.permit().is_none()
            && !self.still_sends()
    }

    /// Whether a call has changed since the ledger had this many entries.
    pub fn touched_since(&self, id: CallId, entries: u32) -> bool {
        self.seen.get(id).is_some_and(|seen| seen.touched > entries)
    }

    /// Whether a part is not in its old place, so that the whole list has to be read before the next verdict.
    pub fn is_displaced(&self) -> bool {
        self.list.is_displaced
    }

    /// Whether the guard said yes in this tick of the event loop, and no request has followed.
    pub fn is_leased(&self) -> bool {
        self.exchange.is_leased()
    }

    /// Ends a tick in which a request has followed the yes. Any other one is ended by the shell, which knows whether the chat
    /// is sending. Returns whether it has.
    pub fn end_tick(&mut self, now: Now) -> bool {
        let ends = self.exchange.is_ticking() && !self.exchange.is_leased();
        if ends {
            self.handle(Fact::LeaseOver { sending: false }, now);
        }
        ends
    }

    /// A counter that changes whenever a repair may have changed.
    pub fn revision(&self) -> u32 {
        self.versions.repairs
    }

    /// Whether any part of this call can ever need a repair.
    pub fn watches(&self, id: CallId) -> bool {
        let marked = |call: &Call| call.asked() || call.approval().is_some() || call.decision().is_some();
        let runs_here = |call: &Call| self.is_client(call) || call.output() == Some(Author::Page);
        self.call(id).is_some_and(|call| marked(call) || runs_here(call))
    }

    /// The calls of the last step, in the order of their parts.
    fn step_calls(&self) -> Vec<CallId> {
        self.list.step.rows.iter().map(|&(id, _)| id).collect()
    }

    fn last_call(&self) -> Option<CallId> {
        self.list.step.rows.last().map(|&(id, _)| id)
    }

    fn call(&self, id: CallId) -> Option<&Call> {
        self.state().calls.get(id)
    }

    /// A call, and what was seen of it.
    fn known(&self, id: CallId) -> Option<(&Call, &Seen)> {
        self.call(id).zip(self.seen.get(id))
    }

    fn draft_of(&self, id: CallId) -> Option<Draft> {
        self.call(id).and_then(Call::draft)
    }

    /// A tool that runs in the page stays one: to forget it could send one of its calls early.
    fn add_client_tool(&mut self, tool: StringId) {
        if !self.options.client_tools.contains(&tool) {
            self.options.client_tools.push(tool);
            self.versions.view += 1;
        }
    }

    fn is_client(&self, call: &Call) -> bool {
        self.options.client_tools.contains(&call.tool())
    }

    /// The reason for which no yes to a call would be one: the server no longer has its tool, or its question has no id.
    fn why_not_allowed(&self, call: &Call) -> Option<Refusal> {
        let without_id = call.approval().is_none().then_some(Refusal::Unreachable);
        if self.is_unavailable(call) { Some(Refusal::ToolUnavailable) } else { without_id }
    }

    fn can_be_allowed(&self, call: &Call) -> bool {
        self.why_not_allowed(call).is_none()
    }

    fn is_unavailable(&self, call: &Call) -> bool {
        self.options.unavailable_tools.contains(&call.tool())
    }
}

/// The result of an act so far.
#[derive(Default)]
struct Acting {
    result: ActResult,
    /// The call that was found.
    call: Option<CallId>,
    /// The grant that was given.
    grant: GrantId,
    /// The calls that were answered along with it, or are committed.
    answered: Vec<CallId>,
    /// The calls that ask again.
    undone: Vec<CallId>,
}

/// One fact being handled.
struct Transaction<'a> {
    guard: &'a mut Guard,
    /// The wall-clock time.
    now: f64,
    time: Time,
    /// The program that acts; 0 if a person, or nobody, does.
    program: StringId,
    acting: Acting,
    out: &'a mut Effects,
}

impl Transaction<'_> {
    fn handle(&mut self, fact: Fact) {
        match fact {
            Fact::ClientTool(tool) => self.guard.add_client_tool(tool),
            Fact::Part { known, part, current } => self.see(known, part, current),
            Fact::Missing(call) => self.missing(call),
            Fact::Relocated(call) => self.relocated(call),
            Fact::ScanComplete(trigger) => self.scan_complete(trigger.actor()),
            Fact::Step(step) => self.step(step),
            Fact::Adopt { messages, parts } => self.adopt(messages, parts),
            Fact::Hydrate(on) => self.guard.list.is_history = on,
            Fact::ReportsAnswers(on) => self.guard.list.reports_answers = on,
            Fact::Ask if self.guard.list.is_displaced => {}
            Fact::Ask => self.ask(),
            Fact::AskedInVain => self.guard.exchange.asks_in_vain(),
            Fact::LeaseOver { sending } => self.lease_over(sending),
            Fact::Outgoing { attempt, queues } => self.outgoing(attempt, queues),
            Fact::Waited(waited) => {
                let overtaken = self.guard.is_taken(waited);
                self.returns(Returned::Overtaken(overtaken));
            }
            Fact::Send { chat, trigger, continues } => self.send(chat, trigger.is_act_of_person(continues)),
            Fact::Started(RequestId::NONE) => self.resumed(),
            Fact::Ended(RequestId::NONE) => self.resumed_is_over(true),
            Fact::Failed { request: RequestId::NONE, .. } => self.resumed_is_over(false),
            Fact::Started(request) => self.started(request),
            Fact::Ended(request) => self.ended(request),
            Fact::Failed { request, failure } => self.failed(request, failure),
            Fact::Carried { request, list } => self.carried(request, list),
            Fact::Unsent(list) => self.unsent(&list),
            Fact::Lacking { request, message, call } => self.lacking(request, message, call),
            Fact::Begun { request, message } => self.begun(request, message),
            Fact::Chunk { request, kind, id, said } => self.chunk(request, kind, id, said),
            Fact::ChatAnswer { approval, approved } => self.answered_in_chat(approval, approved),
            Fact::Look => self.expire_due(),
            Fact::PageOutput { id, output } => self.page_output(id, output),
            Fact::Stopped => self.stopped(),
            Fact::Permit(permit) => self.permit(permit),
            Fact::PermitOver => self.guard.exchange.permit_over(),
            Fact::Annotate { call, dangerous, lifetime } => self.annotate(call, dangerous, lifetime.0),
            Fact::EvaluateRule { call, ruling } => self.rule_evaluated(call, ruling),
            Fact::Fingerprint { call, fields, fingerprint } => self.fingerprint(call, fields, fingerprint),
            Fact::ForgetFingerprints => self.guard.seen.iter_mut().for_each(|seen| seen.fingerprints.clear()),
            Fact::Match(call) => self.answer_by_itself(call),
            Fact::Decide { named, shown, chosen, program } => {
                self.program = program;
                let allows = chosen.choice.allows();
                self.answers(|it| it.act_on_shown(named, shown, allows, |it, call| it.decide(call, chosen)));
            }
            Fact::Commit(cause) => self.answers(|it| it.commit(cause)),
            Fact::TryCommit { by_person } => {
                let cause = if by_person { CommitCause::Person } else { CommitCause::Time };
                self.answers(|it| it.try_commit(cause));
            }
            Fact::Unwritten(after) => self.answers(|it| it.acting.answered = it.guard.unwritten(after)),
            Fact::Extend(named) => self.answers(|it| it.act_on(named, Self::extend)),
            Fact::Unmask(named) => self.answers(|it| it.act_on(named, Self::unmask)),
            Fact::Undo(calls) => self.takes_back(|it| it.undo_named(&calls)),
            Fact::UndoAll => self.takes_back(Self::undo_all),
            Fact::Revoke { grant, elsewhere } => {
                self.takes_back(|it| it.revoke(grant, if elsewhere { Actor::Tab } else { Actor::Person }));
            }
            Fact::RevokeAll => self.takes_back(Self::revoke_all),
            Fact::Restore { call, known } => self.restore(call, known),
            Fact::RestoreGrant { tool, approved, cover, lifetime } => {
                self.regrant(tool, approved, cover, lifetime);
            }
            Fact::Granted { tool, keys } => self.granted(tool, &keys),
            Fact::Repair { number, shown: (call, flags), approval, input, edit, scope, above } => {
                let part = repair::ShownPart { flags, approval, input, edit, scope };
                let needed = self.guard.repair(call, part, above);
                if needed.repair != Repair::Keep {
                    self.returns(Returned::Repair { number, needed });
                }
            }
            Fact::RestoreSends(sends) => self.restore_sends(sends),
            Fact::Wake => self.woken(),
            Fact::GuardEnds => self.withdraw(&self.guard.state().live.clone(), Actor::Leave),
        }
    }
}
