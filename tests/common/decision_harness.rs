//! A chat at which a person decides, driven by random histories. It hands facts to the guard the way
//! the shell does, tells the oracle the same facts, and compares the two after each step. The first
//! difference ends a history.

use std::collections::HashMap;
use tool_approval_guard::core::id::{CallId, GrantId, RequestId, StringId};

use tool_approval_guard::core::call::{Answer, Call, PartFacts, PartFlags, Place};
use tool_approval_guard::core::clock::{Now, Time};
use tool_approval_guard::core::decision::{Actor, Choice, Ruling};
use tool_approval_guard::core::effect::Effect;
use tool_approval_guard::core::event::Entry;
use tool_approval_guard::core::event::Event;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::{Covers, Effects, Fact, Failure, Guard, Permitted, Said, Taken};
use tool_approval_guard::core::projection::State;
use tool_approval_guard::core::protocol::{Chunk, ToolState};
use tool_approval_guard::core::repair::{Repair, Scope};
use tool_approval_guard::core::verdict::{Permit, Step as LastStep};

use super::decisions::{End, History, Move, Op, Setup, Spec, Step, TOOL, With};
use super::oracle::{
    Batch, Card, Carried, Content, Event as Happened, Fate, Listed, Oracle, Page, Reply, Shown, Tag, Who,
};
use super::stored_lines::StoredLines;

const CHAT: StringId = StringId(900);
/// The call id that comes again and again.
const REUSED: StringId = StringId(60);

/// The law that a difference breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    NoInventedYes,
    FirstAnswerWins,
    UndoUntilSent,
    Replay,
    TimeOnlyCloses,
    Grants,
    Loops,
    Stop,
    MovesOn,
    Doubt,
    OneInput,
    Rules,
    Truth,
}

#[derive(Clone, Debug)]
struct Part {
    tag: Tag,
    tool: StringId,
    id: StringId,
    approval: StringId,
    state: ToolState,
    answer: Answer,
    content: Content,
    output: u64,
    /// The server wrote what stands there.
    served: bool,
}

#[derive(Clone, Debug)]
struct Message {
    id: StringId,
    user: bool,
    steps: Vec<Vec<Part>>,
}

struct Flight {
    request: RequestId,
    started: bool,
    wire: Vec<Carried>,
}

pub struct DecisionHarness {
    pub guard: Guard,
    pub oracle: Oracle,
    /// The first difference.
    pub broken: Option<(Law, String)>,
    /// Every entry that there was, also those that are sealed.
    pub log: Vec<Entry>,
    /// What is written of the entries, where that is looked at.
    pub lines: Option<StoredLines>,
    /// The calls by their truths.
    pub refs: HashMap<Tag, CallId>,
    segment: usize,
    now: Now,
    messages: Vec<Message>,
    /// The last message, where the application has taken it away.
    away: Option<(usize, Message)>,
    rows: HashMap<(StringId, Tag), (PartFacts, CallId)>,
    specs: Vec<Spec>,
    flights: Vec<Flight>,
    loading: bool,
    symbols: StringId,
    /// A timer has fired, so that time itself changes nothing any more.
    timer: bool,
    /// There are rules, of which the oracle knows nothing: only their own law is looked at.
    ruled: bool,
    /// They have become stricter.
    tight: bool,
    /// What was judged, with its content.
    judged: Vec<(CallId, Content)>,
    /// A rule has answered something.
    pub answered_by_rule: bool,
    /// A person acts in this step.
    by_person: bool,
    /// The calls of the last step, as it was looked at last.
    last_step: Vec<Tag>,
    /// The calls on which the server has acted.
    served: Vec<Tag>,
}

impl Part {
    fn flags(&self) -> PartFlags {
        let (state, answer, residue) = (self.state, self.answer, self.output != 0);
        PartFlags { state, answer, provider: false, preliminary: false, residue, by_guard: false }
    }

    fn shown(&self) -> Shown {
        Shown {
            tag: self.tag,
            tool: self.tool,
            content: self.content,
            asks: self.state == ToolState::ApprovalRequested,
            begins: self.state == ToolState::InputAvailable,
            says: match self.answer {
                Answer::Yes => Some(true),
                Answer::No => Some(false),
                _ => None,
            },
            output: self.output != 0,
            served: self.served,
        }
    }

    fn show(&mut self, state: ToolState, answer: Answer) {
        (self.state, self.answer, self.output, self.served) = (state, answer, 0, false);
    }
}

fn sorted(calls: &[CallId]) -> Vec<CallId> {
    let mut calls = calls.to_vec();
    calls.sort_unstable();
    calls
}

fn said(yes: bool) -> Answer {
    if yes { Answer::Yes } else { Answer::No }
}

impl DecisionHarness {
    pub fn new(setup: &Setup) -> Self {
        let mut options = super::options(Vec::new());
        options.pace = setup.pace;
        options.deny_when_user_sends = setup.closes;
        options.segment = setup.segment;
        let mut harness = Self {
            guard: Guard::new(options),
            oracle: Oracle::new(setup.pace, setup.closes),
            broken: None,
            log: Vec::new(),
            lines: None,
            refs: HashMap::new(),
            segment: setup.segment,
            now: Now::from(1_000_000.0),
            messages: Vec::new(),
            away: None,
            rows: HashMap::new(),
            specs: Vec::new(),
            flights: Vec::new(),
            loading: false,
            symbols: StringId(1_000),
            timer: false,
            ruled: false,
            tight: false,
            judged: Vec::new(),
            answered_by_rule: false,
            by_person: false,
            last_step: Vec::new(),
            served: Vec::new(),
        };
        if !setup.history.is_empty() {
            harness.hydrate(&setup.history);
        }
        harness
    }

    /// Runs a history up to the first difference.
    pub fn run(history: &History) -> Self {
        Self::new(&history.setup).run_on(history)
    }

    /// The same, and what happens is written.
    pub fn run_written(history: &History) -> Self {
        let history =
            History { setup: Setup { history: Vec::new(), ..history.setup.clone() }, ..history.clone() };
        let mut harness = Self::new(&history.setup);
        harness.lines = Some(StoredLines::default());
        harness.run_on(&history)
    }

    fn run_on(self, history: &History) -> Self {
        let mut harness = self;
        for step in &history.steps {
            harness.step(step);
            if let Some((_, what)) = &mut harness.broken {
                *what = format!("{what}, after {:?}", step.op);
                break;
            }
        }
        harness
    }

    /// The same with rules.
    pub fn run_ruled(history: &History) -> Self {
        let mut harness = Self::new(&history.setup);
        harness.ruled = true;
        for (at, step) in history.steps.iter().enumerate() {
            // In the middle of it all the rules become stricter.
            if at == history.steps.len() / 2 {
                harness.tighten();
                harness.check_rules();
            }
            harness.step(step);
            harness.check_rules();
            if harness.broken.is_some() {
                break;
            }
        }
        harness
    }

    /// What rules say of an input: each answer is there.
    fn ruling(&self, content: Content) -> Ruling {
        let (effect, always) = match (content.a + 2 * content.b) % 4 {
            0 | 1 if self.tight => (Effect::Ask, true),
            0 => (Effect::Allow, false),
            1 => (Effect::Ask, false),
            2 => (Effect::Ask, true),
            _ => (Effect::Deny, false),
        };
        Ruling { effect, always, rule: StringId(1) }
    }

    /// Every call is judged again, as the border does it.
    fn tighten(&mut self) {
        self.tight = true;
        for (call, content) in self.judged.clone() {
            let ruling = self.ruling(content);
            self.tell(Fact::EvaluateRule { call, ruling });
            self.tell(Fact::Match(call));
        }
    }

    /// Law 14, from its text: each entry has the time at which it happened, and what nobody did in this step is not
    /// a person's. Only the answer that a person has drafted earlier is one, and what their grant has replaced.
    fn check_truth(&mut self, input: &Fact, before: usize) {
        let (now, time) = (self.now.wall, self.guard.clock().time());
        let new = self.log[before..].to_vec();
        let mut drafted_by_person = false;
        // Time has done nothing first, and no grant is left that could answer in the place of another one.
        let time_is_kept = self.timer && self.guard.state().grants.iter().all(|grant| grant.until.is_none());
        for Entry { at, time: mono, event, .. } in new {
            let (kind, actor) = (event.kind, event.actor);
            let right = mono == time && (at == now || now.is_nan());
            self.holds(Law::Truth, right, || format!("{event:?} at {at}, {mono}, and not {now}, {time}"));
            let machine = match (input, kind) {
                (_, EventKind::Forgotten) => Some(Actor::Application),
                (Fact::Wake, _) => Some(Actor::Timer),
                (Fact::Leave, _) => Some(Actor::Leave),
                (Fact::Stopped, EventKind::Stopped) => Some(Actor::Person),
                (Fact::Stopped, _) => Some(Actor::Stop),
                (Fact::Started(_) | Fact::Ended(_) | Fact::Failed { .. }, _) => Some(Actor::Server),
                (Fact::EvaluateRule { .. }, _) => Some(Actor::Rule),
                (Fact::Undo(_) | Fact::UndoAll, EventKind::Undone) if time_is_kept => Some(Actor::Person),
                (_, EventKind::Expired | EventKind::Warned) => Some(Actor::Timer),
                _ => None,
            };
            self.holds(Law::Truth, machine.is_none_or(|machine| machine == actor), || {
                format!("{input:?} has led to {event:?}, which is by {actor:?}")
            });
            let call = event.call.and_then(|call| self.guard.state().calls.get(call));
            let answer = call.and_then(|call| call.decision()).filter(|_| kind == EventKind::Answered);
            drafted_by_person |= answer.is_some_and(|answer| answer.actor == Actor::Person);
            let earlier = matches!(input, Fact::Commit { .. } | Fact::Send { .. })
                && (kind == EventKind::Answered || (kind == EventKind::GrantEnded && drafted_by_person))
                || (kind == EventKind::Undone && drafted_by_person);
            // Of rules the oracle knows nothing: what it commits, the page writes as an answer.
            let written = self.ruled && matches!(input, Fact::Part { .. });
            let told = self.by_person || earlier || written || matches!(input, Fact::Permit(_));
            self.holds(Law::Truth, actor != Actor::Person || told, || {
                format!("{input:?} has led to {event:?} by a person, and nobody has acted")
            });
            let never = matches!(kind, EventKind::Voided | EventKind::Withdrawn | EventKind::RuleEvaluated);
            self.holds(Law::Truth, !(never && actor == Actor::Person), || format!("{event:?} by a person"));
        }
    }

    fn check_rules(&mut self) {
        let calls: Vec<Call> = self.guard.state().calls.iter().map(|(_, call)| *call).collect();
        let stopped = self.guard.state().stopped;
        for (id, call) in calls.iter().enumerate() {
            // What was committed before the rules became stricter stays.
            let drafted = call.draft().map(|draft| draft.decision);
            let answer = if self.tight { drafted } else { call.answer() };
            let (Some(answer), Some(ruling)) = (answer, call.ruling()) else { continue };
            let here = !matches!(answer.actor, Actor::Server | Actor::History);
            let denied = ruling.effect == Effect::Deny && here;
            self.holds(Law::Rules, !(denied && answer.approved), || format!("{id} is denied and {answer:?}"));
            let by_rule = answer.actor == Actor::Rule;
            let right = (ruling.effect == Effect::Allow) == answer.approved && answer.rule == ruling.rule;
            self.holds(Law::Rules, !by_rule || right, || format!("{id}: {answer:?} by {ruling:?}"));
            let granted = answer.actor == Actor::Grant && answer.approved && ruling.always;
            self.holds(Law::Rules, !granted, || format!("{id} is asked always, and a grant has answered it"));
            let drafted = by_rule && answer.approved && call.draft().is_some();
            self.holds(Law::Rules, !(drafted && stopped), || {
                format!("{id} is allowed by a rule after a stop")
            });
            self.answered_by_rule |= by_rule;
        }
        let replayed = State::fold(&self.log) == *self.guard.state();
        self.holds(Law::Rules, replayed, || "the entries fold to another state".to_owned());
    }

    pub fn holds(&mut self, law: Law, right: bool, what: impl FnOnce() -> String) {
        if self.ruled != (law == Law::Rules) && law != Law::Truth {
            return;
        }
        if !right && self.broken.is_none() {
            self.broken = Some((law, what()));
        }
    }

    pub fn calls_of(&self, tags: &[Tag]) -> Vec<CallId> {
        tags.iter().map(|tag| self.refs[tag]).collect()
    }

    fn tell(&mut self, input: Fact) -> Effects {
        let before = self.guard.clock().time();
        let (entries, told) = (self.log.len(), input.clone());
        let effects = self.guard.handle(input, self.now);
        super::note(&mut self.log, &self.guard);
        if let Some(lines) = &mut self.lines {
            lines.write(&self.guard, &self.log[entries..]);
        }
        self.check_truth(&told, entries);
        let now = self.guard.clock().time();
        self.holds(Law::TimeOnlyCloses, now >= before, || format!("the time went from {before} to {now}"));
        effects
    }

    /// Tells the oracle what has happened, and lets it compare what the page shows now with it.
    fn happened(&mut self, event: Happened) {
        self.note_happened(event);
        self.show();
    }

    fn note_happened(&mut self, event: Happened) {
        self.oracle.happened(self.guard.clock().time(), event);
    }

    fn show(&mut self) {
        self.show_after(false);
    }

    fn show_after(&mut self, timer: bool) {
        if self.ruled || self.broken.is_some() {
            return; // of rules the oracle knows nothing
        }
        let page = Page { timer, ..self.page() };
        self.note_happened(Happened::Shown(page));
        if let Err((law, what)) = self.oracle.check() {
            self.holds(law, false, || what);
        }
    }

    /// How a call is shown.
    fn card(&self, tag: Tag) -> Option<Card> {
        let call = self.guard.state().calls.get(*self.refs.get(&tag)?)?;
        let answer = call.answer();
        let who = answer.map(|answer| match answer.actor {
            Actor::Person => Who::Person,
            Actor::Grant => Who::Grant,
            Actor::Timer => Who::Clock,
            Actor::Unattended => Who::Nobody,
            Actor::Superseded => Who::MovedOn,
            _ => Who::Other,
        });
        Some(Card {
            asks: call.undecided(),
            says: answer.map(|answer| answer.approved),
            who,
            grant: answer.map_or(GrantId::NONE, |answer| answer.grant),
            final_: answer.is_some() && !call.asking(),
            gone: call.gone(),
            deadline: call.deadline(),
            dangerous: call.dangerous(),
        })
    }

    /// Nobody has answered it for good.
    fn is_open(&self, tag: Tag) -> bool {
        self.card(tag).is_some_and(|card| card.asks || card.draft().is_some())
    }

    fn tags_of(&self, calls: &[CallId]) -> Vec<Tag> {
        let tag = |call| self.refs.iter().find(|(_, known)| **known == call).map(|(tag, _)| *tag);
        calls.iter().filter_map(|&call| tag(call)).collect()
    }

    fn page(&self) -> Page {
        let grants = self.guard.state().grants.iter().map(|grant| Listed {
            yes: grant.approved,
            tool: grant.tool,
            until: grant.until,
            uses: grant.uses,
            ended: grant.ended,
            active: grant.active(),
        });
        let batch = self.guard.batch();
        Page {
            cards: self.refs.keys().filter_map(|&tag| Some((tag, self.card(tag)?))).collect(),
            grants: grants.collect(),
            batch: Batch {
                calls: self.tags_of(&batch.calls),
                asking: batch.asking as usize,
                allowed: batch.allowed as usize,
                denied: batch.denied as usize,
                undoable: batch.undoable,
                due: batch.due,
                refusals: batch.refusals,
            },
            wakes_in: self.guard.wake_in(),
            timer: false,
        }
    }

    /// What the page was told, with these calls.
    fn reply(&self, taken: Taken, calls: &[CallId]) -> Reply {
        match taken {
            Taken::Done => Reply::Done(self.tags_of(calls)),
            Taken::Counted => Reply::Late(self.tags_of(calls)),
            Taken::Refused(refusal) => Reply::Refused(refusal),
            Taken::Waiting => Reply::Waiting,
            Taken::Responding => Reply::Responding,
            Taken::Nothing => Reply::Nothing,
        }
    }

    /// Hands over an act of a person. A refusal leaves all as it was, but for one entry.
    fn act(&mut self, input: Fact, approved: bool) -> Effects {
        let (state, changes) = (self.guard.state().clone(), self.guard.changes());
        let entries = self.log.len();
        let effects = self.tell(input.clone());
        let refused = matches!(effects.taken, Taken::Refused(_)) || matches!(input, Fact::Refused { .. });
        if self.timer && refused && self.oracle.pace.attended {
            let added: Vec<Event> = self.log[entries..].iter().map(|entry| entry.event).collect();
            // The entry may fill a segment, so that old calls are forgotten with it.
            let (forgotten, added): (Vec<Event>, Vec<Event>) =
                added.into_iter().partition(|event| event.kind == EventKind::Forgotten);
            let recorded = matches!(added[..], [Event { kind: EventKind::Refused, approved: Some(a), .. }] if a == approved);
            let same = *self.guard.state() == state && self.guard.changes() == changes;
            let same = same || !forgotten.is_empty();
            let quiet = effects.calls.is_empty() && effects.grant.is_none();
            self.holds(Law::FirstAnswerWins, recorded && same && quiet, || {
                format!("{input:?} was refused, and left {added:?}, {effects:?}")
            });
        }
        effects
    }

    fn step(&mut self, step: &Step) {
        let wall = if let Move::Both(ms) | Move::Wall(ms) = step.clock { ms } else { 0.0 };
        let steady = if let Move::Both(ms) | Move::Steady(ms) = step.clock { ms } else { 0.0 };
        let known = Now { wall: self.now.wall + wall, steady: self.now.steady + steady };
        self.now = if let Move::Unread = step.clock { Now { wall: f64::NAN, ..known } } else { known };
        self.timer = step.timer;
        self.tell(Fact::LeaseOver);
        if self.timer {
            self.wake();
        }
        self.by_person = step.op.is_of_a_person();
        self.take(&step.op);
        self.by_person = false;
        self.wake();
        let replayed = self.broken.is_some() || State::fold(&self.log) == *self.guard.state();
        self.holds(Law::Replay, replayed, || "the entries fold to another state".to_owned());
        self.now = known;
    }

    fn wake(&mut self) {
        self.tell(Fact::Wake);
        self.show_after(true);
    }

    fn take(&mut self, op: &Op) {
        let idle = self.idle();
        match *op {
            Op::Say => self.say(),
            Op::Continue if idle && self.last_is_assistant() => self.send(false, false, Actor::Application),
            Op::Regenerate if idle && self.last_is_assistant() && self.messages.len() > 1 => {
                self.messages.pop();
                self.send(true, false, Actor::Regenerate);
            }
            Op::Edit if idle => self.edit(),
            Op::Retry if idle && self.last_is_assistant() => self.retry(),
            Op::Transaction(ref calls) => {
                if idle {
                    self.say();
                }
                self.respond(calls, false);
                self.finish(End::Ended);
            }
            Op::Respond(ref calls, end) if !idle => {
                self.serve();
                self.respond(calls, false);
                self.finish(end);
            }
            Op::Calls(ref calls, same_step) if !idle => self.respond(calls, same_step),
            Op::Serve => self.serve(),
            Op::Finish(end) => self.finish(end),
            Op::Decide(which, choice, covers, lifetime) => self.decide(which, choice, covers, lifetime),
            Op::Direct { which, yes, heard, with } => self.direct(which, yes, heard, with),
            Op::Overwrite(which) => self.overwrite(which),
            Op::Undo(which) => {
                let Some((tag, call)) = self.pick(which) else { return };
                let effects = self.act(Fact::Undo(call), false);
                let reply = self.reply(effects.taken, &effects.undone);
                self.happened(Happened::Undone { tag: Some(tag), reply });
            }
            Op::UndoAll => {
                let effects = self.act(Fact::UndoAll, false);
                let reply = self.reply(effects.taken, &effects.undone);
                self.happened(Happened::Undone { tag: None, reply });
            }
            Op::Extend(which) => {
                let Some((tag, call)) = self.pick(which) else { return };
                let effects = self.act(Fact::Extend(call), false);
                let reply = self.reply(effects.taken, &effects.calls);
                self.happened(Happened::Extended { tag, reply });
            }
            Op::Revoke(grant) => {
                let grant = GrantId(grant);
                let effects = self.act(Fact::Revoke(grant), false);
                let reply = self.reply(effects.taken, &effects.undone);
                self.happened(Happened::Revoked { grant: Some(grant), reply });
            }
            Op::RevokeAll => {
                let effects = self.act(Fact::RevokeAll, false);
                let reply = self.reply(effects.taken, &effects.undone);
                self.happened(Happened::Revoked { grant: None, reply });
            }
            Op::Refused(which) => {
                let call = self.pick(which).map(|(_, call)| call);
                self.act(Fact::Refused { call, approved: true }, true);
            }
            Op::Commit => {
                self.look();
                let committed = self.commit(false, true);
                self.ask(committed);
            }
            Op::Due(attached) => {
                self.commit(true, attached);
            }
            Op::Settle(attached) => {
                self.look();
                let committed = self.commit(true, attached);
                if attached {
                    self.repair();
                }
                self.ask(committed);
            }
            Op::Stop(attached) => self.stop(attached),
            Op::Leave => {
                self.tell(Fact::Leave);
                self.happened(Happened::Left);
            }
            Op::Look => self.look(),
            Op::LookAgain => self.look_at(Actor::Application, true),
            Op::Repair => self.repair(),
            Op::Change(which) => self.change(which),
            Op::Replay(which) => self.replay(which),
            Op::Resume(which, end, goes_on) => self.resume(which, end, goes_on),
            Op::Output(which) => self.output(which),
            Op::Restart(which) => self.restart(which),
            Op::Remark(which, dangerous, lifetime) => {
                let Some((tag, _)) = self.pick(which) else { return };
                self.specs[tag] = Spec { dangerous, lifetime, ..self.specs[tag] };
                self.mark(tag);
                self.show();
            }
            Op::Vanish if idle && self.last_is_assistant() && !self.begins() => {
                self.away = self.messages.pop().map(|message| (self.messages.len(), message));
                self.look();
            }
            Op::Clear => {
                while !self.idle() {
                    self.finish(End::Ended);
                }
                self.messages.clear();
                self.look();
                self.say();
                self.finish(End::Ended);
                for _ in 0..super::entries_until_sealed(self.segment) {
                    self.tell(Fact::Refused { call: None, approved: false });
                }
            }
            Op::Return => {
                let known = |part: &Part| self.refs[&part.tag] >= self.guard.forgotten();
                let here = self.away.take().filter(|(at, _)| *at == self.messages.len());
                // What was forgotten would be seen for the first time.
                let here = here.filter(|(_, message)| message.steps.iter().flatten().all(known));
                if let Some((_, message)) = here {
                    self.messages.push(message);
                    self.look();
                }
            }
            _ => {}
        }
    }

    // ---- messages and requests ----

    fn fresh(&mut self) -> StringId {
        self.symbols = self.symbols.next();
        self.symbols
    }

    fn idle(&self) -> bool {
        self.flights.is_empty()
    }

    fn last_is_assistant(&self) -> bool {
        self.messages.last().is_some_and(|message| !message.user)
    }

    /// Does a call of the last message begin, so that it would be another one if it came back?
    fn begins(&self) -> bool {
        let parts = self.messages.last().into_iter().flat_map(|message| message.steps.iter().flatten());
        parts.into_iter().any(|part| part.state == ToolState::InputAvailable)
    }

    fn parts(&mut self) -> impl Iterator<Item = &mut Part> {
        self.messages.iter_mut().flat_map(|message| &mut message.steps).flatten()
    }

    fn part(&mut self, tag: Tag) -> Option<&mut Part> {
        self.parts().find(|part| part.tag == tag)
    }

    /// A call: for a small number one of the last step, or else any.
    fn pick(&self, which: usize) -> Option<(Tag, CallId)> {
        let step = &self.last_step;
        let near = which < 8 && !step.is_empty();
        let tag = if near { step[which % step.len()] } else { which % self.specs.len().max(1) };
        // Of what is forgotten the page knows nothing either.
        let call = self.refs.get(&tag).filter(|&&call| call >= self.guard.forgotten());
        Some((tag, *call?))
    }

    fn push(&mut self, user: bool, steps: Vec<Vec<Part>>) {
        let id = self.fresh();
        self.messages.push(Message { id, user, steps });
    }

    fn say(&mut self) {
        self.push(true, Vec::new());
        self.send(true, false, Actor::Application);
    }

    fn edit(&mut self) {
        let Some(at) = self.messages.iter().rposition(|message| message.user) else { return };
        self.messages.truncate(at);
        self.push(true, Vec::new());
        self.send(true, false, Actor::Edit);
    }

    fn send(&mut self, person: bool, automatic: bool, by: Actor) {
        self.look_at(by, false);
        let open: Vec<Part> = self.open_parts();
        let refused = !person && !automatic && self.oracle.closes && !open.is_empty();
        let request = self.tell(Fact::Send { chat: CHAT, person }).request;
        self.holds(Law::UndoUntilSent, refused == (request.is_none()), || {
            format!("refused: {}, and open are {open:?}", request.is_none())
        });
        if request.is_none() {
            return self.show();
        }
        let parts: Vec<Part> = self.parts().map(|part| part.clone()).collect();
        let wire: Vec<Carried> = parts.iter().map(|part| self.carried(part)).collect();
        self.flights.push(Flight { request, started: false, wire: wire.clone() });
        self.happened(Happened::Requested { request, person, automatic, wire });
        if !automatic {
            self.repair();
        }
    }

    /// What is open in the last step.
    fn open_parts(&mut self) -> Vec<Part> {
        let step = self.last_step.clone();
        let parts = step.into_iter().filter_map(|tag| self.part(tag).cloned());
        let parts: Vec<Part> = parts.collect();
        let asked = |tag| self.card(tag).is_some_and(|card| card.asks || card.says.is_some());
        let open = |part: &Part| {
            self.is_open(part.tag) || (part.state == ToolState::InputAvailable && !asked(part.tag))
        };
        parts.into_iter().filter(open).collect()
    }

    /// How a part leaves.
    fn carried(&self, part: &Part) -> Carried {
        let repair = self.guard.repair(self.refs[&part.tag], part.flags(), part.approval, Scope::Wire).0;
        let says = match part.answer {
            Answer::Yes => Some(true),
            Answer::No => Some(false),
            _ => None,
        };
        let (says, output) = match repair {
            Repair::Keep => (says, part.output != 0),
            Repair::Deny | Repair::SettleDenial => (Some(false), false),
            Repair::Allow => (Some(true), false),
            Repair::Ask => (None, false),
            Repair::Fail => (None, true),
        };
        Carried { tag: part.tag, says, output }
    }

    fn retry(&mut self) {
        self.look();
        let permitted = self.tell(Fact::Permit(Permit::Retry)).permitted;
        if matches!(permitted, Some(Permitted::Continue | Permitted::Rewrite(_))) {
            self.send(false, false, Actor::Application);
        } else {
            self.tell(Fact::PermitOver);
        }
    }

    /// The chat asks whether to send, once no response is running. What was just committed is sent,
    /// and what is open is not.
    fn ask(&mut self, committed: bool) {
        let reason = self.tell(Fact::Ask).reason;
        self.show();
        if !self.idle() {
            return;
        }
        let sends = reason.is_some_and(|reason| reason.sends());
        let open = self.last_step.iter().copied().find(|&tag| self.is_open(tag));
        self.holds(Law::NoInventedYes, !sends || open.is_none(), || format!("sends, and {open:?} is open"));
        let stopped = self.oracle.stopped(self.oracle.history.len());
        let in_doubt = self.last_step.iter().copied().find(|&tag| self.oracle.in_doubt(tag));
        if in_doubt.is_some() {
            self.oracle.count("a step in doubt was asked about");
        }
        self.holds(Law::Doubt, !sends || in_doubt.is_none(), || {
            format!("sends, and {in_doubt:?} is in doubt")
        });
        let unsent = |&tag: &Tag| {
            let said = self.card(tag).and_then(|card| card.answer());
            said.is_some_and(|said| self.oracle.carrying(tag, said, 0).is_empty())
        };
        if stopped && open.is_none() && self.last_step.iter().any(unsent) {
            self.oracle.count("an answer that was not sent was asked about after a stop");
        }
        self.holds(Law::Stop, !sends || !stopped, || "sends after a stop".to_owned());
        let settled = committed && open.is_none() && !stopped && in_doubt.is_none();
        let stalls = settled && !sends && self.guard.state().automatic < 20;
        self.holds(Law::UndoUntilSent, !stalls, || format!("{reason:?} after a commit"));
        if sends {
            self.send(false, true, Actor::Application);
        }
    }

    /// The newest response, once it has started.
    fn start(&mut self) -> Option<RequestId> {
        let flight = self.flights.last_mut()?;
        let request = flight.request;
        if !std::mem::replace(&mut flight.started, true) {
            self.tell(Fact::Started(request));
            self.happened(Happened::Started(request));
        }
        // Where a message of a person stands behind its own, the response goes on in another one.
        if !self.last_is_assistant() {
            self.push(false, Vec::new());
        }
        Some(request)
    }

    fn finish(&mut self, end: End) {
        if let End::Ended = end {
            self.start();
        }
        let Some(Flight { request, started, .. }) = self.flights.pop() else { return };
        let (fact, fate) = match end {
            End::Ended => (Fact::Ended(request), Fate::Ended),
            End::Broken => (Fact::Failed { request, failure: Failure::Unknown }, Fate::Unknown),
            End::Refused => {
                // A response that has started was no refusal.
                let fate = if started { Fate::Unknown } else { Fate::Refused };
                (Fact::Failed { request, failure: Failure::Status(503) }, fate)
            }
        };
        self.tell(fact);
        self.happened(Happened::Over(request, fate));
    }

    fn hear(&mut self, request: RequestId, kind: Chunk, id: StringId, approval: StringId, output: u64) {
        let said = Said { approval, approved: None, output, preliminary: false };
        self.tell(Fact::Chunk { request, kind, id, said });
    }

    /// Calls come in, in the same step as those before or in another one.
    fn respond(&mut self, specs: &[Spec], same_step: bool) {
        let Some(request) = self.start() else { return };
        let last = self.messages.last().and_then(|message| message.steps.last());
        let same_step = same_step && last.is_some();
        let mut reused = same_step && last.is_some_and(|step| step.iter().any(|part| part.id == REUSED));
        let mut parts = Vec::new();
        for spec in specs {
            let id = if spec.reuses && !reused { REUSED } else { self.fresh() };
            reused |= id == REUSED;
            self.hear(request, Chunk::InputStart, id, StringId::NONE, 0);
            self.hear(request, Chunk::InputAvailable, id, StringId::NONE, 0);
            let part = self.begin(*spec, id);
            if spec.asks {
                self.hear(request, Chunk::ApprovalRequest, id, part.approval, 0);
            } else {
                self.hear(request, Chunk::OutputAvailable, id, StringId::NONE, part.output);
            }
            parts.push(part);
        }
        let Some(message) = self.messages.last_mut() else { return };
        match message.steps.last_mut().filter(|_| same_step) {
            Some(step) => step.extend(parts),
            None => message.steps.push(parts),
        }
        self.look();
    }

    fn begin(&mut self, spec: Spec, id: StringId) -> Part {
        let tag = self.specs.len();
        self.specs.push(spec);
        let approval = if spec.asks { self.fresh() } else { StringId::NONE };
        let state = if spec.asks { ToolState::ApprovalRequested } else { ToolState::OutputAvailable };
        let (tool, content, output) = (spec.tool, spec.content, if spec.asks { 0 } else { 5 });
        Part { tag, tool, id, approval, state, answer: Answer::Absent, content, output, served: true }
    }

    /// A chat that was there before this page.
    fn hydrate(&mut self, history: &[Option<bool>]) {
        let mut parts = Vec::new();
        for (a, answer) in (0..).zip(history) {
            let id = self.fresh();
            let content = Content { a: a % 2, b: 0 };
            let mut part = self.begin(Spec::new(TOOL, content), id);
            if let Some(yes) = *answer {
                part.show(ToolState::ApprovalResponded, said(yes));
            }
            parts.push(part);
        }
        self.push(true, Vec::new());
        self.push(false, vec![parts]);
        self.tell(Fact::Hydrate(true));
        self.loading = true;
        self.look();
        self.loading = false;
        self.tell(Fact::Hydrate(false));
    }

    /// The server acts on the answers that its request carried.
    fn serve(&mut self) {
        let Some(request) = self.start() else { return };
        let wire = self.flights.last().map(|flight| flight.wire.clone()).unwrap_or_default();
        self.serve_as(request, wire);
    }

    /// The response to a request, or a resumed one, tells what became of these answers.
    fn serve_as(&mut self, request: RequestId, wire: Vec<Carried>) {
        for Carried { tag, says, output } in wire {
            let Some(allowed) = says.filter(|_| !output && !self.served.contains(&tag)) else { continue };
            let Some(part) = self.part(tag) else { continue };
            let id = part.id;
            if allowed {
                part.show(ToolState::OutputAvailable, Answer::Yes);
                (part.output, part.served) = (9, true);
                self.hear(request, Chunk::OutputAvailable, id, StringId::NONE, 9);
            } else {
                part.show(ToolState::OutputDenied, Answer::No);
                self.hear(request, Chunk::OutputDenied, id, StringId::NONE, 0);
            }
            self.served.push(tag);
        }
        self.show();
    }

    // ---- looking ----

    fn look(&mut self) {
        self.look_at(Actor::Application, false);
    }

    /// Looks at all messages. `anew`: also at what has not changed, as after a deep copy.
    fn look_at(&mut self, by: Actor, anew: bool) {
        let (mut seen, mut step, mut turn) = (Vec::new(), Vec::new(), 0);
        for index in 0..self.messages.len() {
            let Message { id: message, user, steps } = self.messages[index].clone();
            let index = index as u32;
            turn = if user { index + 1 } else { turn };
            for (number, parts) in (1..).zip(&steps) {
                for (at, part) in parts.iter().enumerate() {
                    let occurrence = parts[..at].iter().filter(|other| other.id == part.id).count() as u32;
                    self.see(Place { message, index, turn, step: number, occurrence }, part, anew);
                    seen.push((message, part.tag));
                }
            }
            step = steps.last().cloned().unwrap_or_default();
        }
        let lost = |key: &&(StringId, Tag)| !seen.contains(key);
        let lost: Vec<(StringId, Tag)> = self.rows.keys().filter(lost).copied().collect();
        for key in &lost {
            if let Some((_, call)) = self.rows.remove(key) {
                self.tell(Fact::Missing(call));
            }
        }
        let rows = step.iter().map(|part| (self.refs[&part.tag], part.flags())).collect();
        let assistant = self.last_is_assistant();
        self.tell(Fact::Step(LastStep { assistant, text: false, rows }));
        self.tell(Fact::ScanComplete(by));
        self.last_step = step.iter().map(|part| part.tag).collect();
        let parts = self.messages.iter().flat_map(|message| message.steps.iter().flatten());
        let parts = parts.map(Part::shown).collect();
        self.happened(Happened::List { parts, step: self.last_step.clone(), loaded: self.loading });
    }

    fn see(&mut self, place: Place, part: &Part, anew: bool) {
        let Part { tag, tool, id, content, output, .. } = *part;
        let approval = if part.state == ToolState::InputAvailable { StringId::NONE } else { part.approval };
        let input = content.digest();
        let part_facts = PartFacts { place, tool, id, approval, flags: part.flags(), input, output };
        let row = self.rows.get(&(place.message, tag)).copied();
        if row.is_some_and(|(was, _)| was == part_facts) && !anew {
            return;
        }
        let known = row.map(|(_, call)| call);
        let effects = self.tell(Fact::Part { known, part: part_facts, current: true });
        let call = effects.call.expect("a list that is current is never older");
        self.rows.insert((place.message, tag), (part_facts, call));
        // What asks is the same call wherever it stands; another one may be taken for a new call.
        let first = self.refs.insert(tag, call).unwrap_or(call);
        self.holds(Law::NoInventedYes, first == call || part.approval.is_none(), || {
            format!("{part:?} was {first} and is {call}")
        });
        if part.state == ToolState::ApprovalRequested {
            self.mark(tag);
            for fields in self.guard.wanted(call) {
                self.print(tag, fields);
            }
            if self.ruled {
                let ruling = self.ruling(part.content);
                self.judged.push((call, part.content));
                self.tell(Fact::EvaluateRule { call, ruling });
            }
            self.tell(Fact::Match(call));
        }
    }

    fn mark(&mut self, tag: Tag) {
        let Spec { dangerous, lifetime, .. } = self.specs[tag];
        self.tell(Fact::Annotate { call: self.refs[&tag], dangerous, lifetime });
        self.note_happened(Happened::Annotated { tag, dangerous, lifetime });
    }

    /// Tells a fingerprint of what the part shows.
    fn print(&mut self, tag: Tag, fields: StringId) {
        let Spec { tool, shy, .. } = self.specs[tag];
        let Some(content) = self.part(tag).map(|part| part.content) else { return };
        let text = format!("{tool} {fields} {:?}", content.pick(fields));
        let print = if shy { 0 } else { self.guard.fingerprint_of(text.as_bytes()) };
        self.tell(Fact::Fingerprint { call: self.refs[&tag], fields, print });
        let content = (!shy).then_some(content);
        self.note_happened(Happened::Compared { tag, fields, content });
    }

    /// Repairs the chat's own messages.
    fn repair(&mut self) {
        for part in self.messages.iter_mut().flat_map(|message| &mut message.steps).flatten() {
            let Some(&call) = self.refs.get(&part.tag) else { continue };
            match self.guard.repair(call, part.flags(), part.approval, Scope::Home).0 {
                Repair::Deny => part.show(ToolState::ApprovalResponded, Answer::No),
                Repair::SettleDenial => part.show(ToolState::OutputDenied, Answer::No),
                Repair::Ask => part.show(ToolState::ApprovalRequested, Answer::Absent),
                Repair::Allow => part.show(ToolState::ApprovalResponded, Answer::Yes),
                Repair::Fail | Repair::Keep => {}
            }
        }
        self.look();
    }

    // ---- the person ----

    fn decide(&mut self, which: usize, choice: Choice, covers: Covers, lifetime: Option<Time>) {
        let Some((tag, call)) = self.pick(which) else { return };
        if let Covers::Fields(fields) = covers {
            let tool = self.specs[tag].tool;
            let alike =
                |&other: &Tag| self.specs[other].tool == tool && other != tag && self.card(other).is_some();
            let others: Vec<Tag> = self.last_step.iter().copied().filter(alike).collect();
            for other in std::iter::once(tag).chain(others) {
                self.print(other, fields);
            }
        }
        let covered = self.tags_of(&self.guard.covered(call, covers));
        let effects = self.act(Fact::Decide { call, choice, covers, lifetime }, choice.allows());
        let reply = self.reply(effects.taken, &effects.calls);
        self.note_happened(Happened::Covered { tag, covers, covered });
        self.happened(Happened::Decided { tag, choice, covers, lifetime, grant: effects.grant, reply });
    }

    /// All drafts of the batch become answers at once, in the order of their parts, or none does.
    /// Returns whether they did.
    fn commit(&mut self, due: bool, attached: bool) -> bool {
        let effects = self.tell(Fact::Commit { due, attached });
        let reply = self.reply(effects.taken, &effects.calls);
        self.happened(Happened::Committed { due, attached, reply });
        for tag in self.tags_of(&effects.calls) {
            let says = self.card(tag).and_then(|card| card.answer());
            if let (true, Some(yes), Some(part)) = (attached, says, self.part(tag)) {
                part.show(ToolState::ApprovalResponded, said(yes));
            }
        }
        self.look();
        effects.taken == Taken::Done
    }

    /// An answer past the drafts. `heard`: the guard hears of it before it is in the messages.
    fn direct(&mut self, which: usize, yes: bool, heard: bool, with: With) {
        let Some((tag, _)) = self.pick(which) else { return };
        self.look();
        let Some(part) = self.part(tag).cloned() else { return };
        let card = part.state == ToolState::ApprovalRequested;
        let asked = self.oracle.question(tag, self.oracle.history.len()).is_some();
        if heard && asked && (card || !self.is_open(tag)) {
            let effects = self.tell(Fact::Decided { approval: part.approval, approved: yes });
            let problems = effects.problems;
            // Of what was answered before the page, the question is not known.
            let known = problems.is_empty() || self.oracle.loaded(tag);
            self.holds(Law::FirstAnswerWins, known, || format!("{problems:?}"));
            self.happened(Happened::Clicked { tag, yes });
        }
        if part.state != ToolState::ApprovalRequested {
            return; // the chat does not take it
        }
        if let Some(part) = self.part(tag) {
            part.show(ToolState::ApprovalResponded, said(yes));
            match with {
                With::Nothing => {}
                With::OtherInput => part.content.a = (part.content.a + 1) % 3,
                With::Output => (part.state, part.output) = (ToolState::OutputAvailable, 7),
            }
        }
        self.look();
    }

    /// The application writes another answer over one.
    fn overwrite(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which) else { return };
        let part = self.part(tag).filter(|part| part.state == ToolState::ApprovalResponded);
        if let Some(part) = part {
            part.answer = said(part.answer == Answer::No);
            self.look();
        }
    }

    fn stop(&mut self, attached: bool) {
        while !self.idle() {
            self.finish(End::Broken);
        }
        self.look();
        self.tell(Fact::Stopped);
        self.happened(Happened::Stopped);
        if attached {
            self.repair();
        }
    }

    /// Another input stands in the part.
    fn change(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which) else { return };
        let part = self.part(tag).filter(|part| part.output == 0);
        if let Some(part) = part {
            part.content.a = (part.content.a + 1) % 3;
            self.look();
        }
    }

    /// What runs ends, and a resumed stream begins with a question.
    fn resume(&mut self, which: usize, end: End, goes_on: bool) {
        let wire = self.flights.last().map(|flight| flight.wire.clone());
        while !self.idle() {
            self.finish(end);
        }
        self.replay(which);
        let goes_on = goes_on && !matches!(end, End::Refused);
        if let Some(wire) = wire.filter(|_| goes_on) {
            self.serve_as(RequestId::NONE, wire);
            self.look();
        }
    }

    /// A resumed stream brings a question back.
    fn replay(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which).filter(|_| self.idle()) else { return };
        let over = self.served.contains(&tag);
        let part = self.part(tag).filter(|part| part.approval.is_some() && part.id != REUSED && !over);
        let Some(part) = part else { return };
        let (id, approval) = (part.id, part.approval);
        part.show(ToolState::ApprovalRequested, Answer::Absent);
        self.hear(RequestId::NONE, Chunk::InputAvailable, id, StringId::NONE, 0);
        self.hear(RequestId::NONE, Chunk::ApprovalRequest, id, approval, 0);
        self.look();
    }

    /// The call begins again: its input streams in once more, and nobody is asked yet.
    fn restart(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which) else { return };
        let open = self.is_open(tag);
        let asks = |part: &&mut Part| part.state == ToolState::ApprovalRequested && part.id != REUSED;
        let part = self.part(tag).filter(|part| open && asks(part));
        if let Some(part) = part {
            part.show(ToolState::InputAvailable, Answer::Absent);
            self.look();
        }
    }

    /// The page writes an output over a call that is not allowed.
    fn output(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which) else { return };
        let allowed = self.card(tag).is_some_and(|card| card.answer() == Some(true));
        let part = self.part(tag).filter(|part| part.approval.is_some() && part.output == 0 && !allowed);
        if let Some(part) = part {
            (part.state, part.output, part.served) = (ToolState::OutputAvailable, 7, false);
            self.look();
        }
    }
}
