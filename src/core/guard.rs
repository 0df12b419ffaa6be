//! The machine: takes facts, keeps the ledger, answers with wishes. It owns no rule of its own:
//! what a call is stands in [`call`](super::call), what may leave in [`wire`](super::wire), when
//! the chat may submit in [`verdict`](super::verdict).

use std::collections::BTreeMap;

use super::call::{Answer, Call, CallRef, Delivery, Digest, Facts, Place, Request, Sighting, Symbol};
use super::decision::{Actor, Author};
use super::ledger::{Entry, Event, Ledger, State};
use super::protocol::{Chunk, ToolState};
use super::verdict::{self, Need, Permit, Reason, Rules, Step};
use super::wire::{self, Repair, Scope};

/// The options of a guard.
#[derive(Clone, Debug)]
pub struct Options {
    /// What a verdict depends on.
    pub rules: Rules,
    /// Close what is open when a person moves on.
    pub deny_when_user_sends: bool,
    /// The tools that the page runs.
    pub client_tools: Vec<Symbol>,
    /// The chat, or 0 to bind to the chat of the first request.
    pub chat: Symbol,
}

/// A fact.
#[derive(Clone, Debug)]
pub enum Input {
    /// A look at a tool part that is new or has changed. `known` is what the last look at the same
    /// part answered. A list that is not `current` may be older than what was seen since.
    See {
        /// The call that stood there.
        known: Option<CallRef>,
        /// What stands there now.
        sighting: Sighting,
        /// Is it surely the newest list?
        current: bool,
    },
    /// The message of a call is not where it was; it may be found elsewhere in the same look.
    Adrift(CallRef),
    /// A look at the whole list is complete: what is still adrift is gone.
    Swept,
    /// The last step, after a look.
    Step(Step),
    /// Until `false`, what is seen is history.
    Hydrate(bool),
    /// May the chat submit now? A yes is a lease until [`Input::LeaseOver`].
    Ask,
    /// The event loop has turned.
    LeaseOver,
    /// The transport is asked to send the list that was just looked at.
    Send {
        /// The chat.
        chat: Symbol,
        /// The last message is the person's, or the person asked for another answer.
        person: bool,
    },
    /// The response has started.
    Started(Request),
    /// It has ended.
    Ended(Request),
    /// The request, or its response, broke; in `doubt` an allowed call may have run.
    Failed {
        /// Which.
        request: Request,
        /// Did it reach the server, as far as one can tell?
        doubt: bool,
    },
    /// A chunk of a response about one call. `request` is 0 for a resumed response.
    Chunk {
        /// Of which request.
        request: Request,
        /// Its kind.
        kind: Chunk,
        /// `toolCallId`
        id: Symbol,
        /// `approvalId`, or 0.
        approval: Symbol,
        /// The digest of the output or error, or 0.
        output: Digest,
        /// More of the output is to come.
        preliminary: bool,
    },
    /// A person has answered through the chat; the messages may not show it yet.
    Decided {
        /// The approval id.
        approval: Symbol,
        /// The answer.
        approved: bool,
    },
    /// The user stopped the chat.
    Stopped,
    /// A person asks to send once more, or after a reload.
    Permit(Permit),
    /// That did not lead to a request.
    PermitOver,
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
        /// An answer to an approval that nobody asked for.
        UnknownApproval = "unknown-approval",
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
    Rewrite(CallRef),
}

/// The wishes that one input leads to.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// [`Input::See`]: the call that stands there.
    pub call: CallRef,
    /// [`Input::Ask`]: the answer.
    pub reason: Option<Reason>,
    /// [`Input::Send`]: the number of the request; 0 when it is refused.
    pub request: Request,
    /// [`Input::Permit`]: how to carry it out.
    pub permitted: Option<Permitted>,
    /// Report these.
    pub problems: Vec<(Problem, Option<CallRef>)>,
}

/// What is known of a call beside its life: where it was seen last, and how.
#[derive(Clone, Debug)]
struct Seen {
    sighting: Sighting,
    /// The call noticed before with the same call id.
    previous: Option<CallRef>,
    /// The input that the person saw when the call asked or was answered.
    shown: Digest,
    /// Was text behind the call when it was seen open? `None`: never seen open.
    open_text: Option<bool>,
    /// Its message is not where it was.
    adrift: bool,
}

/// What the responses have said about a call id.
#[derive(Clone, Copy, Debug, Default)]
struct Heard {
    /// Calls below this number are older calls with the same id.
    freed: CallRef,
    /// The request whose response began the call.
    request: Request,
    /// The last chunk.
    last: Option<Chunk>,
    /// The approval id that the server asked with.
    approval: Symbol,
    /// The output that the server wrote.
    output: Digest,
    /// The answer was the server's.
    answered: bool,
}

/// The approval guard of one chat.
#[derive(Debug)]
pub struct Guard {
    options: Options,
    ledger: Ledger,
    seen: Vec<Seen>,
    latest: BTreeMap<Symbol, CallRef>,
    heard: BTreeMap<Symbol, Heard>,
    step: Step,
    hydrating: bool,
    lease: bool,
    /// The last call of the step for which a yes was given that led to no request yet.
    promised: Option<CallRef>,
    /// Counts the events that can change a repair.
    revision: u32,
    /// A message is not where it was.
    drift: bool,
    /// The yeses since a person acted, while no request was ever seen.
    unclaimed: u32,
    permit: Option<Permit>,
    /// The request that leaves now carries a message of a person, who may overtake another one.
    overtaking: bool,
}

impl Guard {
    /// A guard that has seen nothing.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            ledger: Ledger::default(),
            seen: Vec::new(),
            latest: BTreeMap::new(),
            heard: BTreeMap::new(),
            step: Step::default(),
            hydrating: false,
            lease: false,
            promised: None,
            revision: 0,
            drift: false,
            unclaimed: 0,
            permit: None,
            overtaking: false,
        }
    }

    /// What the ledger adds up to.
    pub fn state(&self) -> &State {
        self.ledger.state()
    }

    /// Everything that happened.
    pub fn entries(&self) -> &[Entry] {
        self.ledger.entries()
    }

    /// Where a call was seen last.
    pub fn place(&self, call: CallRef) -> Option<Place> {
        self.seen.get(call as usize).map(|seen| seen.sighting.place)
    }

    /// Why the chat may (not) submit now.
    pub fn verdict(&self) -> Reason {
        let reason = self.reason();
        if reason.sends() && self.lease { Reason::AskedTwice } else { reason }
    }

    /// Why the chat may (not) submit, apart from a yes that was just given.
    pub fn reason(&self) -> Reason {
        let client = |call: &Call| self.is_client(call);
        let in_text = |call| self.answered_in_text(call);
        verdict::judge(&self.options.rules, self.state(), &self.step, self.permit, client, in_text)
    }

    /// The open calls of the last step.
    pub fn waiting(&self) -> Vec<(CallRef, Need)> {
        let open = |&(id, facts)| {
            let call = self.call(id)?;
            Some((id, verdict::need(call, facts, self.is_client(call))?))
        };
        self.step.rows.iter().filter_map(open).collect()
    }

    /// The repair that a part of a call needs, and, where the guard itself denies the call, whether
    /// it is unknown if it ran.
    pub fn repair(
        &self,
        id: CallRef,
        facts: Facts,
        approval: Symbol,
        scope: Scope,
    ) -> (Repair, Option<bool>) {
        let Some(call) = self.call(id) else { return (Repair::Keep, None) };
        let state = self.state();
        let in_flight =
            matches!(call.delivery, Delivery::Sent(r) | Delivery::Delivered(r) if state.running.contains(&r));
        if scope == Scope::Wire && self.overtaking && in_flight && wire::overtaken(call, facts) {
            return (Repair::Deny, Some(true));
        }
        let by_guard = call.superseded.then_some(call.doubt);
        (wire::repair(call, facts, approval, scope), by_guard)
    }

    /// Takes a fact at a time, in milliseconds since the epoch.
    pub fn handle(&mut self, input: Input, now: f64) -> Effects {
        let mut out = Effects::default();
        let mut turn = Turn { guard: self, now, out: &mut out };
        match input {
            Input::See { known, sighting, current } => turn.see(known, sighting, current),
            Input::Adrift(call) => turn.adrift(call),
            Input::Swept => turn.swept(),
            Input::Step(step) => turn.step(step),
            Input::Hydrate(on) => self.hydrating = on,
            Input::Ask => turn.ask(),
            Input::LeaseOver => self.lease = false,
            Input::Send { chat, person } => turn.send(chat, person),
            Input::Started(request) => turn.note(Event::Started { request }),
            Input::Ended(request) => turn.ended(request),
            Input::Failed { request, doubt } => turn.note(Event::Failed { request, doubt }),
            Input::Chunk { request, kind, id, approval, output, preliminary } => {
                turn.chunk(request, kind, id, approval, output);
                turn.outcome(kind, id, preliminary);
            }
            Input::Decided { approval, approved } => turn.decided(approval, approved),
            Input::Stopped => turn.stopped(),
            Input::Permit(permit) => turn.permit(permit),
            Input::PermitOver => self.permit = None,
        }
        out
    }

    /// Is this the chat of the guard, as far as it is known?
    pub fn is_chat(&self, chat: Symbol) -> bool {
        self.options.chat == 0 || self.options.chat == chat
    }

    /// Changes when a repair can have changed.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// Can a part of this call ever need a repair?
    pub fn watches(&self, id: CallRef) -> bool {
        let marked = |call: &Call| call.asked || call.approval != 0 || call.decision.is_some();
        self.call(id).is_some_and(|call| marked(call) || self.is_client(call))
    }

    fn last_call(&self) -> Option<CallRef> {
        self.step.rows.last().map(|&(id, _)| id)
    }

    fn call(&self, id: CallRef) -> Option<&Call> {
        self.state().calls.get(id as usize)
    }

    fn is_client(&self, call: &Call) -> bool {
        self.options.client_tools.contains(&call.tool)
    }

    fn heard(&self, id: Symbol) -> Heard {
        self.heard.get(&id).copied().unwrap_or_default()
    }

    /// Has the model answered the output of this call with text? Text of the response that began
    /// the call cannot be an answer to an output that no request has carried, and neither can text
    /// that was there when the call was still open (`vercel/ai` #4652).
    fn answered_in_text(&self, id: CallRef) -> bool {
        let Some((call, seen)) = self.call(id).zip(self.seen.get(id as usize)) else { return false };
        let heard = self.heard(call.id);
        let began_here = heard.request != 0 && id >= heard.freed;
        self.step.text && !began_here && seen.open_text != Some(true)
    }

    /// The call of which this is a sighting. A call id may come again and is then another call.
    fn resolve(&self, row: &Sighting) -> Option<CallRef> {
        let freed = self.heard(row.id).freed;
        let mut next = self.latest.get(&row.id).copied();
        while let Some((id, call, seen)) =
            next.and_then(|id| Some((id, self.call(id)?, self.seen.get(id as usize)?)))
        {
            next = seen.previous;
            let named = row.approval != 0 && call.approval != 0;
            if call.tool != row.tool || (named && call.approval != row.approval) {
                continue;
            }
            let was = seen.sighting;
            let begins = row.facts.begins();
            let exact = was.place.message == row.place.message
                && was.place.step == row.place.step
                && was.place.occurrence == row.place.occurrence;
            if id < freed {
                if exact && !begins && row.facts.state != ToolState::ApprovalRequested {
                    return Some(id);
                }
                continue;
            }
            let reborn = begins && (call.decision.is_some() || call.output.is_some());
            let same_step = was.place.turn == row.place.turn
                && was.place.step == row.place.step
                && was.place.occurrence == row.place.occurrence;
            let renamed = seen.adrift && same_step && was.place.index == row.place.index && !reborn;
            // A copy of the message under a new id, as a server without `originalMessages` makes it.
            let copied = same_step
                && !begins
                && was.facts == row.facts
                && was.input == row.input
                && was.output == row.output;
            // A denial whose place is lost: same tool and equal input.
            let moved = (seen.adrift || call.gone)
                && call.denied()
                && row.approval == 0
                && !begins
                && was.input == row.input;
            if named || (!call.gone && ((exact && !reborn) || renamed || copied)) || moved {
                return Some(id);
            }
        }
        None
    }

    /// Does the part that showed this call still show the same one?
    fn still(&self, id: CallRef, row: &Sighting) -> bool {
        self.call(id).is_some_and(|call| {
            let renewed = call.approval != 0 && row.approval != 0 && call.approval != row.approval;
            let freed = id < self.heard(row.id).freed
                && (row.facts.begins() || row.facts.state == ToolState::ApprovalRequested);
            call.id == row.id && call.tool == row.tool && !renewed && !freed
        })
    }
}

/// One input being taken.
struct Turn<'a> {
    guard: &'a mut Guard,
    now: f64,
    out: &'a mut Effects,
}

impl Turn<'_> {
    fn note(&mut self, event: Event) {
        if let Event::Answered { actor: Actor::Person, .. } | Event::Acted = event {
            self.guard.unclaimed = 0;
        }
        let delivery = matches!(
            event,
            Event::Requested { .. }
                | Event::Started { .. }
                | Event::Acted
                | Event::Carried { approved: None | Some(false), .. }
        );
        if !delivery {
            self.guard.revision += 1;
        }
        self.guard.ledger.append(event, self.now);
    }

    fn problem(&mut self, problem: Problem, call: Option<CallRef>) {
        self.out.problems.push((problem, call));
    }

    fn see(&mut self, known: Option<CallRef>, row: Sighting, current: bool) {
        let found = known.filter(|&id| self.guard.still(id, &row)).or_else(|| self.guard.resolve(&row));
        let id = found.unwrap_or_else(|| self.notice(row));
        self.out.call = id;
        if let Some(old) = known.filter(|&old| old != id && current) {
            self.adrift(old);
        }
        let Some((call, seen)) = self.guard.call(id).copied().zip(self.guard.seen.get_mut(id as usize))
        else {
            return;
        };
        let was = if found.is_some() { Some(seen.sighting) } else { None };
        if was.is_some_and(|was| !current && row.facts.state.rank() < was.facts.state.rank()) {
            return;
        }
        seen.sighting = row;
        seen.adrift = false;
        if call.gone {
            self.note(Event::Returned { call: id });
        }
        self.look(id, row, was);
    }

    fn notice(&mut self, row: Sighting) -> CallRef {
        let id = self.guard.seen.len() as CallRef;
        let previous = self.guard.latest.insert(row.id, id);
        let seen = Seen { sighting: row, previous, shown: row.input, open_text: None, adrift: false };
        self.guard.seen.push(seen);
        self.note(Event::Noticed { call: id, tool: row.tool, id: row.id, approval: row.approval });
        id
    }

    /// Compares what a part shows with what is known of its call.
    fn look(&mut self, id: CallRef, row: Sighting, was: Option<Sighting>) {
        let heard = self.guard.heard(row.id);
        let Some(&call) = self.guard.call(id) else { return };
        // The question came and went between two looks: its chunk has passed, its part is gone.
        let missed =
            heard.approval != 0 && id >= heard.freed && (row.approval == 0 || row.approval == heard.approval);
        // Or the part itself shows a question without an answer under an output (`ai` 6 keeps it).
        let shows = row.approval != 0 && row.facts.has_output() && row.facts.answer == Answer::Absent;
        if (missed || shows)
            && row.facts.state.rank() > 2
            && !call.asked
            && call.decision.is_none()
            && !heard.answered
        {
            let approval = if row.approval == 0 { heard.approval } else { row.approval };
            self.note(Event::Asked { call: id, approval });
        }
        match row.facts.state {
            ToolState::ApprovalRequested => self.requested(id, row),
            ToolState::ApprovalResponded => self.responded(id, row, was),
            ToolState::OutputDenied => self.output_denied(id),
            ToolState::OutputAvailable | ToolState::OutputError => self.output(id, row, was),
            ToolState::InputStreaming | ToolState::InputAvailable | ToolState::Unknown => {}
        }
    }

    fn requested(&mut self, id: CallRef, row: Sighting) {
        let Some(&call) = self.guard.call(id) else { return };
        let same_input = self.guard.seen.get(id as usize).is_some_and(|seen| seen.shown == row.input);
        if call.denied() {
            return; // a replayed stream puts the question back; the denial stands
        }
        if call.allowed() && call.output.is_none() && call.delivery == Delivery::Unsent && same_input {
            return; // and so does an allowance that no request has carried, for the same input
        }
        if call.decision.is_some() {
            self.note(Event::Voided { call: id });
        }
        let open = self.guard.call(id).is_some_and(|call| call.asking() && !call.void);
        if !open {
            self.note(Event::Asked { call: id, approval: row.approval });
        }
        if let Some(seen) = self.guard.seen.get_mut(id as usize) {
            seen.shown = row.input;
        }
    }

    fn responded(&mut self, id: CallRef, row: Sighting, was: Option<Sighting>) {
        let Some(&call) = self.guard.call(id) else { return };
        let approved = match row.facts.answer {
            Answer::Yes if row.approval != 0 => true,
            Answer::No if row.approval != 0 || call.approval != 0 => false,
            _ => {
                if was.is_none_or(|was| was.facts != row.facts) {
                    self.problem(Problem::MalformedApproval, Some(id));
                }
                return;
            }
        };
        let changed = self.guard.seen.get(id as usize).is_some_and(|seen| seen.shown != row.input);
        match call.decision {
            None if approved && call.void => {}
            None if approved && call.asked && changed => self.note(Event::Voided { call: id }),
            None => self.answered(id, row, approved),
            Some(decision) if decision.approved == approved => {
                if approved && changed && call.delivery == Delivery::Unsent {
                    self.note(Event::Voided { call: id });
                }
            }
            Some(decision) if approved => {
                // The newest answer of the page counts until one was sent; then the first stands.
                if call.delivery == Delivery::Unsent && decision.actor == Actor::Person {
                    self.answered(id, row, true);
                } else if was.is_none_or(|was| was.facts.answer != Answer::Yes) {
                    self.note(Event::Refused { call: id, approved: true });
                }
            }
            Some(_) => self.answered(id, row, false),
        }
    }

    fn answered(&mut self, id: CallRef, row: Sighting, approved: bool) {
        let heard = self.guard.heard(row.id);
        let actor = if self.guard.hydrating {
            Actor::History
        } else if heard.answered && id >= heard.freed {
            Actor::Server
        } else {
            Actor::Person
        };
        if let Some(seen) = self.guard.seen.get_mut(id as usize) {
            seen.shown = row.input;
        }
        self.note(Event::Answered { call: id, approved, actor });
    }

    fn output_denied(&mut self, id: CallRef) {
        let Some(&call) = self.guard.call(id) else { return };
        if call.decision.is_none() {
            self.note(Event::Answered { call: id, approved: false, actor: Actor::Server });
        }
        if !call.settled {
            self.note(Event::Settled { call: id });
        }
    }

    fn output(&mut self, id: CallRef, row: Sighting, was: Option<Sighting>) {
        let Some(&call) = self.guard.call(id) else { return };
        if row.facts.by_guard && call.superseded {
            return;
        }
        let heard = self.guard.heard(row.id);
        let chunk = heard.output == row.output && heard.output != 0 && id >= heard.freed;
        let by_server = chunk || (row.facts.provider && !call.asking());
        let author = if self.guard.hydrating {
            Author::History
        } else if by_server || (call.allowed() && self.ran_elsewhere(&call)) {
            Author::Server
        } else {
            Author::Page
        };
        let changed = was.is_none_or(|was| was.output != row.output || was.facts.state.rank() < 4);
        if call.denied() || row.facts.answer == Answer::No {
            if !call.denied() {
                self.answered(id, row, false);
            }
            if changed {
                self.note(Event::Overwritten { call: id });
                if author == Author::Server {
                    self.problem(Problem::OutputOfDeniedCall, Some(id));
                }
            }
        } else if call.asking() && row.facts.answer != Answer::Yes && author == Author::Page {
            if changed {
                self.note(Event::Bypassed { call: id });
                self.problem(Problem::OutputOverOpenApproval, Some(id));
            }
        } else if call.asking() && author == Author::Page && heard.request != 0 && id >= heard.freed {
            // Allowed and put out between two looks, while its response was still running.
            self.answered(id, row, true);
            self.note(Event::Output { call: id, author });
        } else if call.asking() {
            // Answered where this page does not see it: another device, or the server itself.
            self.note(Event::Answered { call: id, approved: true, actor: Actor::Server });
            self.note(Event::Output { call: id, author: Author::Server });
        } else if row.facts.has_output()
            && (call.output.is_none() || (changed && (author == Author::Page || call.output != Some(author))))
        {
            self.note(Event::Output { call: id, author });
        }
    }

    /// An approved tool that the page does not run has its output from the server, also where no
    /// chunk of it passed: what was approved had been sent, or nothing passes a transport at all.
    fn ran_elsewhere(&self, call: &Call) -> bool {
        let sent = !matches!(call.delivery, Delivery::Unsent | Delivery::Idle);
        !self.guard.is_client(call) && (self.guard.state().requests == 0 || sent) && call.output.is_none()
    }

    /// Is it the only call with its call id? `addToolOutput` writes to the first it finds.
    fn only(&self, id: CallRef, call: Call) -> bool {
        let first = self.guard.seen.get(id as usize).is_some_and(|seen| seen.previous.is_none());
        first && self.guard.latest.get(&call.id) == Some(&id)
    }

    fn adrift(&mut self, id: CallRef) {
        if let Some(seen) = self.guard.seen.get_mut(id as usize) {
            seen.adrift = true;
            self.guard.drift = true;
        }
    }

    fn swept(&mut self) {
        if !std::mem::take(&mut self.guard.drift) {
            return;
        }
        for id in 0..self.guard.seen.len() {
            let lost = self.guard.seen.get_mut(id).is_some_and(|seen| std::mem::take(&mut seen.adrift));
            let call = id as CallRef;
            if lost && self.guard.call(call).is_some_and(|c| !c.gone) {
                self.note(Event::Gone { call });
            }
        }
    }

    fn step(&mut self, step: Step) {
        for &(id, facts) in &step.rows {
            let open = self.guard.call(id).is_some_and(|call| {
                verdict::need(call, facts, self.guard.is_client(call)).is_some() && !facts.has_output()
            });
            if let Some(seen) = self.guard.seen.get_mut(id as usize).filter(|_| open) {
                seen.open_text = Some(step.text);
            }
        }
        self.guard.step = step;
    }

    fn ask(&mut self) {
        let mut reason = self.guard.verdict();
        if reason.sends() {
            if self.guard.state().requests == 0
                && self.guard.unclaimed >= self.guard.options.rules.max_automatic
            {
                // Yeses that never reach the transport: it is not the guard's, so nothing else
                // would end a loop.
                reason = Reason::Limit;
            } else {
                self.guard.lease = true;
                self.guard.promised = self.guard.last_call();
                self.guard.unclaimed += 1;
            }
        }
        self.out.reason = Some(reason);
    }

    fn send(&mut self, chat: Symbol, person: bool) {
        if self.guard.options.chat == 0 {
            self.guard.options.chat = chat;
        }
        if self.guard.options.chat != chat {
            self.problem(Problem::WrongChat, None);
            return;
        }
        let promised = self.guard.promised.is_some() && self.guard.promised == self.guard.last_call();
        let automatic = !person && promised && self.guard.permit.is_none();
        let live = self.guard.state().live.clone();
        if self.guard.options.deny_when_user_sends && !automatic {
            for &id in &live {
                if let Some(doubt) = self.left_behind(id, person) {
                    self.note(Event::Superseded { call: id, doubt });
                }
                if person && self.closes(id) {
                    self.note(Event::Settled { call: id });
                }
            }
        }
        self.guard.overtaking = person && self.guard.options.deny_when_user_sends;
        if !self.guard.state().running.is_empty() {
            self.guard.revision += 1;
        }
        let request = self.guard.state().requests + 1;
        self.note(Event::Requested { request, automatic });
        let step: Vec<CallRef> = self.guard.step.rows.iter().map(|&(id, _)| id).collect();
        for id in live.into_iter().chain(step) {
            self.carry(id, request);
        }
        self.guard.lease = false;
        self.guard.promised = None;
        self.guard.permit = None;
        self.out.request = request;
    }

    /// Is the call closed because a person moves on? If so, is it unknown whether it ran?
    fn left_behind(&self, id: CallRef, person: bool) -> Option<bool> {
        let call = self.guard.call(id)?;
        let facts = self.guard.seen.get(id as usize)?.sighting.facts;
        let client = self.guard.is_client(call);
        if call.gone || call.superseded {
            return None;
        }
        if call.asking() {
            return Some(false);
        }
        if call.allowed() && call.output.is_none() {
            let unsent = match call.delivery {
                Delivery::Unsent => Some(false),
                Delivery::Failed | Delivery::Doubt | Delivery::History => Some(true),
                _ => None,
            };
            // Without a message what is allowed stays, but for a tool that still waits for the page.
            return unsent.filter(|_| person || client);
        }
        let unanswered = call.decision.is_none() && call.output.is_none() && !facts.provider;
        (client && unanswered && facts.begins()).then_some(false)
    }

    /// Is a denial closed by a person's message that stands behind it? What the guard denied has
    /// nobody who waits for its answer, and what failed before is not offered in the same form for
    /// ever: `ai` 6 finds no result in an `approval-responded` before a user message, and refuses
    /// the list (`convert-to-model-messages.ts`).
    fn closes(&self, id: CallRef) -> bool {
        self.guard.call(id).is_some_and(|call| {
            let open = call.superseded || call.delivery == Delivery::Failed;
            call.denied() && open && !call.settled && !call.gone
        })
    }

    fn carry(&mut self, id: CallRef, request: Request) {
        let Some(&call) = self.guard.call(id) else { return };
        let waits = matches!(
            call.delivery,
            Delivery::Unsent | Delivery::Failed | Delivery::Doubt | Delivery::History
        );
        if waits && !call.gone {
            let approved = call.decision.filter(|_| call.output.is_none()).map(|d| d.approved);
            self.note(Event::Carried { call: id, request, approved });
        }
    }

    fn chunk(&mut self, request: Request, kind: Chunk, id: Symbol, approval: Symbol, output: Digest) {
        let next = self.guard.seen.len() as CallRef;
        let heard = self.guard.heard.entry(id).or_default();
        let begins = match kind {
            Chunk::InputStart => true,
            Chunk::InputAvailable | Chunk::InputError => {
                heard.request != request || heard.last != Some(Chunk::InputStart)
            }
            _ => false,
        };
        // A resumed response repeats what was there; only a new one can use a call id again.
        if begins && request != 0 {
            *heard = Heard { freed: next, request, ..Heard::default() };
        }
        heard.last = Some(kind);
        match kind {
            Chunk::ApprovalRequest => heard.approval = approval,
            Chunk::ApprovalResponse => heard.answered = true,
            Chunk::OutputAvailable | Chunk::OutputError | Chunk::InputError => heard.output = output,
            _ => {}
        }
    }

    /// What a chunk settles at once: the response may break before anybody looks at the messages.
    fn outcome(&mut self, kind: Chunk, id: Symbol, preliminary: bool) {
        let Some(call) = self.guard.latest.get(&id).copied() else { return };
        let Some(&known) = self.guard.call(call).filter(|_| call >= self.guard.heard(id).freed) else {
            return;
        };
        match kind {
            Chunk::OutputDenied if known.denied() && !known.settled => self.note(Event::Settled { call }),
            Chunk::OutputAvailable | Chunk::OutputError
                if known.allowed() && known.output.is_none() && !preliminary =>
            {
                self.note(Event::Output { call, author: Author::Server });
            }
            _ => {}
        }
    }

    fn decided(&mut self, approval: Symbol, approved: bool) {
        let calls = &self.guard.state().calls;
        let asks = |call: &Call| call.approval == approval && call.asked && !call.gone;
        let Some(index) = calls.iter().rposition(asks) else {
            self.problem(Problem::UnknownApproval, None);
            return;
        };
        let id = index as CallRef;
        self.out.call = id;
        if calls.get(index).is_some_and(Call::asking) {
            self.note(Event::Answered { call: id, approved, actor: Actor::Person });
        } else {
            self.note(Event::Refused { call: id, approved });
        }
    }

    fn ended(&mut self, request: Request) {
        self.note(Event::Ended { request });
        for call in self.guard.state().live.clone() {
            if self.guard.call(call).is_some_and(|c| c.settled_by(request)) {
                self.note(Event::Settled { call });
            }
        }
    }

    fn stopped(&mut self) {
        self.note(Event::Stopped);
        for id in self.guard.state().live.clone() {
            let unsent = |call: &Call| call.allowed() && call.fresh_answer() && !call.gone;
            if self.guard.call(id).is_some_and(unsent) {
                self.note(Event::Withdrawn { call: id });
            }
        }
        self.guard.lease = false;
        self.guard.promised = None;
        self.guard.permit = None;
    }

    fn permit(&mut self, permit: Permit) {
        if self.guard.permit.is_some() {
            self.out.permitted = Some(Permitted::Nothing); // one is on its way
            return;
        }
        let wanted = |call: &Call| match permit {
            Permit::Retry => matches!(call.delivery, Delivery::Failed | Delivery::Doubt),
            Permit::Resume => call.delivery == Delivery::History,
        };
        let mut ids: Vec<CallRef> = self.guard.step.rows.iter().map(|&(id, _)| id).collect();
        if permit == Permit::Retry {
            // A response that broke may have begun another step.
            ids.extend(&self.guard.state().live);
        }
        let live = |id| self.guard.call(id).filter(|call| !call.gone).map(|call| (id, *call));
        let calls: Vec<(CallRef, Call)> = ids.into_iter().filter_map(live).collect();
        let news = calls.iter().filter(|(_, call)| wanted(call));
        let in_text =
            news.clone().all(|&(id, call)| call.output.is_some() && self.guard.answered_in_text(id));
        let output = news
            .clone()
            .find(|(_, call)| call.output == Some(Author::Page) || call.output == Some(Author::History));
        self.out.permitted = Some(if !self.guard.step.assistant || in_text {
            Permitted::Nothing
        } else if !self.guard.waiting().is_empty() {
            Permitted::Waiting
        } else {
            self.guard.permit = Some(permit);
            match output {
                Some(&(id, call)) if self.only(id, call) && news.clone().all(|(_, c)| c.output.is_some()) => {
                    Permitted::Rewrite(id)
                }
                _ => Permitted::Continue,
            }
        });
        if self.guard.permit.is_some() {
            self.note(Event::Acted);
        }
    }
}
