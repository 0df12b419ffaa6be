//! A chat in which a person decides, driven by random histories. It passes facts to the guard as the shell
//! does, tells the oracle the same facts, and compares the two after each step. A history ends at the first
//! difference.

mod checks;
mod equal;
mod looks;
mod part;
mod person;
mod requests;
mod shown;

use std::collections::HashMap;

use tool_approval_guard::core::call::{Digest, PartFacts};
use tool_approval_guard::core::clock::Now;
use tool_approval_guard::core::decision::Choice;
use tool_approval_guard::core::event::Entry;
use tool_approval_guard::core::guard::{Chosen, Covers, Effects, Fact, Guard, Named, Shown, Trigger};
use tool_approval_guard::core::id::{CallId, GrantId, StringId};

use crate::common::decisions::{End, History, Move, Op, Setup, Spec, Step};
use crate::common::fingerprints::Fingerprints;
use crate::common::oracle::{Content, Event as Happened, Oracle, Page, Tag};
use crate::common::stored_lines::StoredLines;
use part::{Flight, Message, Part};

const CHAT: StringId = StringId(900);
/// The call id that is used again and again.
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
    Equal,
}

pub struct DecisionHarness {
    pub guard: Guard,
    pub oracle: Oracle,
    fingerprints: Fingerprints,
    /// The first difference.
    pub broken: Option<(Law, String)>,
    /// All entries so far, including the sealed ones.
    pub log: Vec<Entry>,
    /// The lines that are written of the entries, if a test needs them.
    pub lines: Option<StoredLines>,
    /// The calls by tag.
    pub refs: HashMap<Tag, CallId>,
    segment: usize,
    now: Now,
    messages: Vec<Message>,
    /// The last message, if the application has removed it.
    away: Option<(usize, Message)>,
    rows: HashMap<(StringId, Tag), (PartFacts, CallId)>,
    specs: Vec<Spec>,
    flights: Vec<Flight>,
    loading: bool,
    symbols: StringId,
    /// Whether a timer has fired, so that time changes nothing more.
    timer: bool,
    /// Whether there are rules. The oracle does not know them, so only their own law is checked.
    ruled: bool,
    /// Whether they have become stricter.
    tight: bool,
    /// The calls that were judged, with their content.
    judged: Vec<(CallId, Content)>,
    /// Whether a rule has answered anything.
    pub answered_by_rule: bool,
    /// Whether a lasting choice has answered other calls, which `covered()` had named.
    pub covered_others: bool,
    /// Whether several equal calls were undone together.
    pub undid_equals: bool,
    /// How often calls were found to be equal while they ask, and once they are answered.
    pub equals: [u32; 2],
    /// Whether a person acts in this step.
    by_person: bool,
    /// The calls of the last step at the last scan.
    last_step: Vec<Tag>,
    /// The calls on which the server has acted.
    served: Vec<Tag>,
    /// The changed inputs with which calls are allowed, as the page keeps them.
    edits: HashMap<Tag, Digest>,
}

impl DecisionHarness {
    pub fn new(setup: &Setup) -> Self {
        let mut options = super::options(Vec::new());
        options.policy = setup.policy;
        options.segment = setup.segment;
        let mut harness = Self {
            guard: Guard::new(options),
            fingerprints: Fingerprints::default(),
            oracle: Oracle::new(setup.policy),
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
            covered_others: false,
            undid_equals: false,
            equals: [0; 2],
            by_person: false,
            last_step: Vec::new(),
            served: Vec::new(),
            edits: HashMap::new(),
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

    /// The same, with stored lines.
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
            // Halfway through, the rules become stricter.
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

    pub fn holds(&mut self, law: Law, right: bool, what: impl FnOnce() -> String) {
        if self.ruled != (law == Law::Rules) && !matches!(law, Law::Truth | Law::Equal) {
            return;
        }
        if !right && self.broken.is_none() {
            self.broken = Some((law, what()));
        }
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

    /// Tells the oracle what happened, and lets it compare that with what the page shows now.
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
            return; // the oracle does not know rules
        }
        let page = Page { timer, ..self.page() };
        self.note_happened(Happened::Shown(page));
        if let Err((law, what)) = self.oracle.check() {
            self.holds(law, false, || what);
        }
    }

    fn step(&mut self, step: &Step) {
        let wall = if let Move::Both(ms) | Move::Wall(ms) = step.clock { ms } else { 0.0 };
        let steady = if let Move::Both(ms) | Move::Steady(ms) = step.clock { ms } else { 0.0 };
        let known = Now { wall: self.now.wall + wall, steady: self.now.steady + steady };
        self.now = if let Move::Unread = step.clock { Now { wall: f64::NAN, ..known } } else { known };
        self.timer = step.timer;
        self.tell(Fact::LeaseOver { sending: false });
        if self.timer {
            self.wake();
        }
        self.by_person = step.op.is_of_a_person();
        self.take(&step.op);
        self.by_person = false;
        // What was taken back, or is denied now, has no changed input.
        let allowed = |harness: &Self, tag| harness.card(tag).is_some_and(|card| card.says == Some(true));
        let edits = std::mem::take(&mut self.edits);
        self.edits = edits.into_iter().filter(|(tag, _)| allowed(self, *tag)).collect();
        self.wake();
        let replayed = self.broken.is_some() || crate::common::fold(&self.log) == *self.guard.state();
        self.holds(Law::Replay, replayed, || "the entries fold to another state".to_owned());
        self.now = known;
    }

    fn wake(&mut self) {
        self.tell(Fact::Wake);
        self.check_equal();
        self.show_after(true);
    }

    fn take(&mut self, op: &Op) {
        let idle = self.idle();
        match *op {
            Op::Say => self.say(),
            Op::Continue if idle && self.last_is_assistant() => self.send(false, false, Trigger::Submit),
            Op::Regenerate if idle && self.last_is_assistant() && self.messages.len() > 1 => {
                self.messages.pop();
                self.send(true, false, Trigger::Regenerate);
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
            Op::Correct(which, edit) => self.correct(which, edit),
            Op::Direct { which, yes, heard, with } => self.direct(which, yes, heard, with),
            Op::Overwrite(which) => self.overwrite(which),
            Op::Undo(which) => {
                let Some((tag, call)) = self.pick(which) else { return };
                let effects = self.act(Fact::Undo(vec![call.into()]), false);
                let reply = self.reply(&effects);
                self.happened(Happened::Undone { tags: Some(vec![tag]), reply });
            }
            Op::UndoEqual(which) => {
                let Some((_, call)) = self.pick(which) else { return };
                let calls = self.equals_of(call);
                let tags = self.tags_of(&calls);
                self.undid_equals |= calls.len() > 1;
                let effects = self.act(Fact::Undo(calls.into_iter().map(Into::into).collect()), false);
                let reply = self.reply(&effects);
                self.happened(Happened::Undone { tags: Some(tags), reply });
            }
            Op::UndoAll => {
                let effects = self.act(Fact::UndoAll, false);
                let reply = self.reply(&effects);
                self.happened(Happened::Undone { tags: None, reply });
            }
            Op::Extend(which) => {
                let Some((tag, call)) = self.pick(which) else { return };
                let effects = self.act(Fact::Extend(call.into()), false);
                let reply = self.reply(&effects);
                self.happened(Happened::Extended { tag, reply });
            }
            Op::Revoke(grant) => {
                let grant = GrantId(grant);
                let effects = self.act(Fact::Revoke { grant, elsewhere: false }, false);
                let reply = self.reply(&effects);
                self.happened(Happened::Revoked { grant: Some(grant), reply });
            }
            Op::RevokeAll => {
                let effects = self.act(Fact::RevokeAll, false);
                let reply = self.reply(&effects);
                self.happened(Happened::Revoked { grant: None, reply });
            }
            Op::Refused(which) => {
                let call = self.pick(which).map(|(_, call)| call);
                // What was shown is no input of it.
                let shown = Some(Shown { call: None, input: 1 << 40, server: StringId::NONE });
                let named = Named { call, id: StringId(u32::MAX) };
                let (choice, covers, program) = (Choice::AllowOnce, Covers::Tool, StringId::NONE);
                self.act(
                    Fact::Decide {
                        named,
                        shown,
                        chosen: Chosen {
                            choice,
                            covers,
                            lifetime: None,
                            edit: tool_approval_guard::core::guard::EditGiven::default(),
                        },
                        program,
                    },
                    true,
                );
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
                self.tell(Fact::GuardEnds);
                self.happened(Happened::Left);
            }
            Op::Look => self.look(),
            Op::LookAgain => self.look_at(Trigger::Submit, true),
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
                    self.tell(Fact::Extend(Named::default()));
                }
            }
            Op::Return => {
                let known = |part: &Part| self.refs[&part.tag] >= self.guard.forgotten();
                let here = self.away.take().filter(|(at, _)| *at == self.messages.len());
                // A dropped call would be seen for the first time.
                let here = here.filter(|(_, message)| message.steps.iter().flatten().all(known));
                if let Some((_, message)) = here {
                    self.messages.push(message);
                    self.look();
                }
            }
            _ => {}
        }
    }
}
