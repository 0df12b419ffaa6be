//! A chat whose pages are killed. Everything happens in effects, one after the other, and a page may end
//! between any two of them. What is left then is the last saved text of the record and a list of messages
//! that somebody has stored, perhaps not the newest one. Hidden tags say which call a part shows, so that
//! what really happened to a call is known beside all of it.

use std::collections::BTreeMap;
use tool_approval_guard::core::id::{CallId, RequestId, StringId};

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_approval_guard::core::call::{Call, Status};
use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::decision::Choice;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::{Covers, Fact, Failure, Permitted, Taken};
use tool_approval_guard::core::projection::State;
use tool_approval_guard::core::record::Record;
use tool_approval_guard::core::repair::Scope;
use tool_approval_guard::core::verdict::Permit;

use super::chat_simulator::{last_step, tag};
use super::record_harness::RecordHarness;
use super::{Page, is_tool, parts};

const CHAT: StringId = StringId(1_000);
const LIFETIME: Time = 3_000;
/// So many effects a page has before it is taken for one that hangs.
const MOST: usize = 600;

#[derive(Clone, Debug)]
pub enum Op {
    User,
    Decide(usize, bool),
    Direct(usize, bool),
    Undo(usize),
    Commit,
    Extend(usize),
    Stop,
    Resume,
    Retry,
    Wait(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    Ended,
    Broken,
    Stopped,
    /// It does not arrive.
    Lost,
}

/// What the server makes of a request.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The calls of the new step: does it ask, and which tool, input and call id has it?
    pub calls: Vec<(bool, u8)>,
    pub end: End,
    /// It stores the list as it comes in.
    pub stores: bool,
    /// It goes on when nobody listens any more.
    pub goes_on: bool,
    /// The page looks at each chunk.
    pub looks: bool,
}

/// The list that a page is given.
#[derive(Clone, Debug)]
pub struct Load {
    /// So many steps old.
    pub lag: usize,
    /// A call has lost its approval.
    pub loses: Option<usize>,
    /// The last message has another id.
    pub drifts: bool,
    /// A call has another input.
    pub changes: Option<usize>,
}

/// One page: the list that it is given, what is done in it, and after how many effects it is killed.
#[derive(Clone, Debug)]
pub struct Script {
    pub load: Load,
    pub ops: Vec<Op>,
    pub fuel: usize,
    /// How long it was away.
    pub gap: u32,
    /// What is to be saved arrives later, and what was stored is read only after the chat was attached.
    pub slow: bool,
}

#[derive(Clone, Debug)]
pub struct History {
    pub pages: Vec<Script>,
    pub plans: Vec<Plan>,
    /// The application stores each list that it shows.
    pub app: bool,
    /// What was decided is committed at once.
    pub quick: bool,
    /// Calls expire.
    pub timed: bool,
}

/// What really happened to one call.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    approval: String,
    id: String,
    tool: String,
    input: Value,
    /// It stands in the last list with another input, or without its approval beside another such call.
    other: bool,
    /// It had another input before, so that it may have more time again.
    renewed: bool,
    /// When it was allowed last, and when that was taken back last, in acts.
    allowed: u32,
    taken: u32,
    taken_saved: u32,
    /// What was drafted and what was answered, and what of it was saved.
    draft: Option<bool>,
    saved_draft: Option<bool>,
    answer: Option<bool>,
    saved_answer: Option<bool>,
    /// When it expires, as far as it was saved.
    deadline: Option<f64>,
    /// The server has taken its answer, or a message of a person stands behind it.
    served: bool,
    /// A request with its yes has left.
    sent: bool,
    /// How many requests carried its yes, and how often the server ran it.
    carried: u32,
    runs: u32,
    /// The act of a person that stood behind the last run.
    run_by: u32,
}

/// The page is dead.
pub struct Killed;
type Step<T = ()> = Result<T, Killed>;

struct Chunk {
    told: Value,
    change: Change,
}

enum Change {
    Push(Value),
    Part(usize, Value),
}

pub struct CrashSimulator<'a> {
    history: &'a History,
    script: &'a Script,
    page: Page,
    messages: Vec<Value>,
    truths: Vec<Truth>,
    /// The lists that were stored, the newest last.
    store: Vec<Vec<Value>>,
    /// What the server stores when it is done, also where nobody listens.
    unfinished: Option<Vec<Value>>,
    /// The documents of the record, and one that is still on its way.
    disk: BTreeMap<String, Record>,
    landing: Option<(Record, Vec<Truth>)>,
    dirty: bool,
    fuel: usize,
    session: u64,
    plan: usize,
    count: u32,
    acts: u32,
    /// The acts of this page that may lead to a commit or a send.
    acted: u32,
    /// Time itself has denied something in it.
    expired: bool,
    /// The acts that send again.
    again: u32,
    permit: bool,
    running: Option<RequestId>,
    pub kills: u32,
    pub sends: u32,
    pub wrong: Option<String>,
}

fn asks(part: &Value) -> bool {
    is_tool(part) && part["state"] == "approval-requested"
}

fn decided(call: &Call) -> bool {
    !matches!(call.status(), Status::Open | Status::Asking | Status::Drafted)
}

impl<'a> CrashSimulator<'a> {
    /// Runs a history up to the first thing that is wrong.
    pub fn run(history: &'a History) -> Self {
        let script = &history.pages[0];
        let mut simulator = Self {
            history,
            script,
            page: Page::new(&[], |_| {}),
            messages: Vec::new(),
            truths: Vec::new(),
            store: vec![Vec::new()],
            unfinished: None,
            disk: BTreeMap::new(),
            landing: None,
            dirty: false,
            fuel: 0,
            session: 0,
            plan: 0,
            count: 0,
            acts: 0,
            acted: 0,
            expired: false,
            again: 0,
            permit: false,
            running: None,
            kills: 0,
            sends: 0,
            wrong: None,
        };
        simulator.page.now = 1_000_000.0;
        for script in &history.pages {
            simulator.script = script;
            simulator.fuel = script.fuel;
            if simulator.live().is_err() {
                simulator.kills += 1;
            }
            simulator.holds(
                State::fold(simulator.page.guard.entries()) == *simulator.page.guard.state(),
                "it folds to another state",
            );
            if simulator.wrong.is_some() {
                break;
            }
            simulator.die();
        }
        simulator
    }

    fn holds(&mut self, right: bool, what: impl Into<String>) {
        if !right && self.wrong.is_none() {
            self.wrong = Some(format!("page {}: {}", self.session, what.into()));
        }
    }

    /// Something is about to happen, and the page may be killed before it.
    fn effect(&mut self) -> Step {
        self.fuel = self.fuel.checked_sub(1).ok_or(Killed)?;
        Ok(())
    }

    fn die(&mut self) {
        self.landing = None;
        self.dirty = false;
        self.running = None;
        self.permit = false;
        if let Some(list) = self.unfinished.take() {
            self.store.push(list);
        }
        for truth in &mut self.truths {
            truth.taken = truth.taken_saved;
            truth.draft = truth.saved_draft;
            truth.answer = truth.saved_answer;
        }
    }

    fn live(&mut self) -> Step {
        self.open()?;
        for op in self.script.ops.iter().cycle().take(MOST) {
            if self.wrong.is_some() {
                return Ok(());
            }
            self.turn()?;
            self.take(op)?;
        }
        Ok(())
    }

    // ---- a new page ----

    fn open(&mut self) -> Step {
        let script = self.script;
        self.session += 1;
        self.acted = 0;
        self.expired = false;
        let now = self.page.now + f64::from(script.gap);
        self.page = Page::new(&[], |options| {
            options.rules.max_automatic = 4;
            options.pace.undo = self.history.quick.then_some(0);
        });
        self.page.now = now;
        self.page.lifetime = self.history.timed.then_some(LIFETIME);
        self.load();
        let stored = self.truths.clone();
        if script.slow {
            self.attach();
            self.effect()?;
            self.begin()?;
            self.page.recall_again();
        } else {
            self.begin()?;
            self.attach();
        }
        self.check_page(&stored);
        self.repair_home()?;
        self.settle_due()?;
        self.flush()
    }

    fn load(&mut self) {
        let Load { lag, loses, drifts, changes } = self.script.load;
        let place = self.store.len().saturating_sub(1 + lag);
        let mut list = self.store[place].clone();
        self.truths.iter_mut().for_each(|truth| truth.other = false);
        if let Some(last) = list.last_mut().filter(|last| last["role"] == "assistant") {
            if drifts {
                self.count += 1;
                last["id"] = format!("m{}", self.count).into();
            }
            let open = |part: &&mut Value| {
                is_tool(part) && !part["state"].as_str().is_some_and(|state| state.starts_with("output"))
            };
            let all = last["parts"].as_array_mut().into_iter().flatten();
            let mut calls: Vec<&mut Value> =
                all.filter(open).filter(|part| !part["approval"].is_null()).collect();
            let most = calls.len().max(1);
            if let Some(part) = loses.and_then(|which| calls.get_mut(which % most)) {
                let part = part.as_object_mut().expect("a part");
                part.remove("approval");
                part.insert("state".to_owned(), "input-available".into());
            }
            if let Some(part) = changes.and_then(|which| calls.get_mut(which % most)) {
                part["input"]["changed"] = self.session.into();
            }
        }
        for part in list.iter().flat_map(parts).filter(|part| is_tool(part)) {
            let truth = &self.truths[tag(part)];
            let twins = |other: &&Truth| other.id == truth.id && other.tool == truth.tool;
            // A call that has its result is not the one that such a part is about, as far as one can tell.
            let unclear = truth.served || self.truths.iter().filter(twins).count() > 1;
            let truth = &mut self.truths[tag(part)];
            truth.other = part["approval"].is_null() && unclear;
            if part["input"] != truth.input {
                // What was said is not about this input.
                self.acts += 1;
                (truth.other, truth.renewed) = (true, true);
                truth.input = part["input"].clone();
                (truth.taken, truth.taken_saved) = (self.acts, self.acts);
                (truth.sent, truth.carried, truth.runs) = (false, 0, 0);
                (truth.draft, truth.saved_draft) = (None, None);
                (truth.answer, truth.saved_answer) = (None, None);
            }
        }
        self.messages = list.clone();
        self.store.push(list);
    }

    fn attach(&mut self) {
        self.page.tell(Fact::Hydrate(true));
        self.page.sweep(&self.messages);
        self.page.tell(Fact::Hydrate(false));
    }

    /// The record begins: what earlier sessions have left is taken over, then stored, and then removed there.
    fn begin(&mut self) -> Step {
        let encode = |record: &Record| record.clone().encode().expect("it fits");
        let documents: Vec<String> = self.disk.values().map(encode).collect();
        let (harness, remove) = RecordHarness::begin(&documents, self.session, self.page.now);
        self.page.keep(harness);
        self.effect()?;
        self.save();
        self.land();
        for session in remove {
            self.effect()?;
            self.disk.remove(&session);
        }
        Ok(())
    }

    /// What a page has to know of what was saved.
    fn check_page(&mut self, stored: &[Truth]) {
        let rows: Vec<(Value, CallId)> = self.page.rows().map(|(part, call)| (part.clone(), call)).collect();
        let (guard, now) = (&self.page.guard, self.page.now);
        let mut wrong = None;
        for (part, id) in &rows {
            let (truth, Some(call)) = (&stored[tag(part)], guard.state().calls.get(*id)) else { continue };
            let deadline = call.deadline().map(|deadline| guard.clock().wall(deadline));
            let say = |what: &str| format!("{what}: {part} {call:?} {truth:?}");
            if !truth.renewed && truth.deadline.zip(deadline).is_some_and(|(was, is)| is > was.max(now) + 1.0)
            {
                wrong = Some(say(&format!("there is more time than before at {now}, until {deadline:?}")));
            }
            let shown = part["state"].as_str().is_some_and(|state| state.starts_with("output"));
            let known = match (truth.saved_answer, truth.saved_draft) {
                _ if truth.other => true,
                (Some(true), _) => decided(call) && (call.allowed() || shown || call.denied()),
                (Some(false), _) => decided(call) && (call.denied() || shown),
                (None, Some(yes)) => {
                    let draft =
                        call.draft().is_none_or(|draft| draft.decision.approved == yes || !draft.undoable());
                    (draft && call.asking()) || part["state"] != "approval-requested"
                }
                _ => true,
            };
            if !known {
                wrong = Some(say("an answer is lost"));
            }
        }
        if let Some(wrong) = wrong {
            self.holds(false, wrong);
        }
    }

    // ---- the record ----

    fn save(&mut self) {
        self.dirty = false;
        let Some(harness) = &mut self.page.harness else { return };
        // The text is written when somebody reads it: nothing but its counter changes by that.
        self.landing = Some((harness.record.clone(), self.truths.clone()));
    }

    /// What was to be saved is saved.
    fn land(&mut self) {
        let Some((record, truths)) = self.landing.take() else { return };
        for (truth, saved) in self.truths.iter_mut().zip(truths) {
            truth.taken_saved = saved.taken;
            truth.saved_answer = saved.answer;
            truth.saved_draft = saved.draft;
            truth.deadline = saved.deadline;
        }
        self.disk.insert(record.session().to_owned(), record);
    }

    /// Tells the record what has happened.
    fn flush(&mut self) -> Step {
        let Some(urgent) = self.page.append() else { return Ok(()) };
        self.effect()?;
        let rows: Vec<(usize, CallId)> = self.page.rows().map(|(part, call)| (tag(part), call)).collect();
        let mut deadlines = BTreeMap::new();
        for (tag, call) in rows {
            let deadline = self.page.guard.state().calls.get(call).and_then(|call| call.deadline());
            deadlines.insert(tag, deadline.map(|deadline| self.page.guard.clock().wall(deadline)));
        }
        let was: Vec<Option<f64>> = self.truths.iter().map(|truth| truth.deadline).collect();
        for (&tag, &deadline) in &deadlines {
            self.truths[tag].deadline = deadline;
        }
        self.dirty = true;
        if urgent {
            self.save();
        }
        for (truth, was) in self.truths.iter_mut().zip(was) {
            truth.deadline = was;
        }
        if urgent && !self.script.slow {
            self.land();
        }
        if urgent { self.effect() } else { Ok(()) }
    }

    /// The event loop turns.
    fn turn(&mut self) -> Step {
        self.effect()?;
        self.page.tell(Fact::LeaseOver);
        self.land();
        if self.dirty {
            self.save();
            if !self.script.slow {
                self.land();
            }
        }
        Ok(())
    }

    // ---- the chat ----

    fn look(&mut self) {
        self.page.look_at_last(&self.messages, true);
    }

    /// The list was changed in the chat.
    fn written(&mut self) -> Step {
        self.effect()?;
        if self.history.app {
            self.store.push(self.messages.clone());
            self.effect()?;
        }
        Ok(())
    }

    fn repair_home(&mut self) -> Step {
        let repaired = self.page.repaired(&self.messages, Scope::Home);
        if repaired != self.messages {
            self.messages = repaired;
            self.look();
            self.written()?;
        }
        Ok(())
    }

    fn card(&self, which: usize) -> Option<(Value, CallId)> {
        let last = last_step(&self.messages);
        let cards: Vec<&Value> = last.iter().filter(|part| asks(part)).collect();
        let card = *cards.get(which % cards.len().max(1))?;
        let (part, call) = self.page.rows().filter(|(part, _)| tag(part) == tag(card)).last()?;
        Some((part.clone(), call))
    }

    fn tag_of(&self, call: CallId) -> Option<usize> {
        self.page.rows().find(|&(_, row)| row == call).map(|(part, _)| tag(part))
    }

    /// The guard has taken an answer that was given through the chat.
    fn hears(&mut self, part: &Value, call: CallId, yes: bool, taken: bool) {
        if taken {
            self.allow(tag(part), yes);
            self.answered(call, yes);
        }
    }

    /// Was a call answered like this since there were so many entries?
    fn is_answered(&self, id: CallId, since: u32, yes: bool) -> bool {
        let new = self.page.guard.entries().iter().skip((since - self.page.guard.sealed()) as usize);
        new.map(|entry| entry.event).any(|event| {
            event.kind == EventKind::Answered && event.call == Some(id) && event.approved == Some(yes)
        })
    }

    fn act(&mut self) -> u32 {
        self.acts += 1;
        self.acted += 1;
        self.acts
    }

    fn allow(&mut self, tag: usize, yes: bool) {
        let now = self.page.now;
        let act = self.act();
        let truth = &mut self.truths[tag];
        let late = truth.deadline.is_some_and(|deadline| now > deadline + 1.0);
        if yes {
            truth.allowed = act;
        } else {
            truth.taken = act;
        }
        let truth = truth.clone();
        self.holds(!(yes && late), format!("it was allowed after its time: {truth:?}"));
    }

    fn take(&mut self, op: &Op) -> Step {
        match *op {
            Op::User => {
                self.count += 1;
                self.messages.push(json!({ "id": format!("u{}", self.count), "role": "user",
                    "parts": [{ "type": "text", "text": "go" }] }));
                self.act();
                self.again += 1;
                self.written()?;
                self.send(true, false)
            }
            Op::Decide(which, yes) => {
                self.look();
                let Some((part, call)) = self.card(which) else { return self.flush() };
                let choice = if yes { Choice::AllowOnce } else { Choice::Deny };
                let input = Fact::Decide { call, choice, covers: Covers::Tool, lifetime: None };
                if self.page.tell(input).taken == Taken::Done {
                    self.page.drafted(call, yes);
                    self.allow(tag(&part), yes);
                    self.truths[tag(&part)].draft = Some(yes);
                }
                self.settle_due()?;
                self.flush()
            }
            Op::Direct(which, yes) => {
                self.look();
                let Some((part, call)) = self.card(which) else { return self.flush() };
                let before = self.page.guard.length();
                self.page.decided(&part["approval"]["id"], yes, "because");
                self.act();
                let heard = self.is_answered(call, before, yes);
                self.hears(&part, call, yes, heard);
                self.flush()?;
                self.write(&part, yes)?;
                self.look();
                // The first answer wins, but a denial that is seen wins over it.
                let seen = !heard && self.is_answered(call, before, yes);
                self.hears(&part, call, yes, seen);
                self.predicate()
            }
            Op::Undo(which) => {
                let Some((_, call)) = self.card(which) else { return Ok(()) };
                for call in self.page.tell(Fact::Undo(call)).undone {
                    self.page.undone(call);
                    let (act, tag) = (self.act(), self.tag_of(call));
                    if let Some(truth) = tag.map(|tag| &mut self.truths[tag]) {
                        truth.draft = None;
                        truth.taken = act;
                    }
                }
                self.settle_due()?;
                self.flush()
            }
            Op::Commit => {
                self.look();
                self.act();
                self.commit(false)?;
                self.flush()
            }
            Op::Extend(which) => {
                let Some((part, call)) = self.card(which) else { return Ok(()) };
                if self.page.tell(Fact::Extend(call)).taken == Taken::Done {
                    self.act();
                    self.truths[tag(&part)].deadline = None;
                }
                self.flush()
            }
            Op::Stop => self.stop(),
            Op::Resume => self.permit(Permit::Resume),
            Op::Retry => self.permit(Permit::Retry),
            Op::Wait(ms) => {
                self.page.now += f64::from(ms);
                self.page.tell(Fact::Wake);
                self.look();
                self.settle_due()?;
                self.flush()
            }
        }
    }

    fn stop(&mut self) -> Step {
        self.look();
        self.page.tell(Fact::Stopped);
        self.acts += 1;
        let calls: Vec<(usize, CallId)> = self.page.rows().map(|(part, call)| (tag(part), call)).collect();
        for (tag, call) in calls {
            let truth = &mut self.truths[tag];
            // What no request has carried is taken back.
            let asks = self.page.guard.state().calls.get(call).is_some_and(|call| call.undecided());
            if asks && (truth.draft.is_some() || truth.answer == Some(true)) {
                truth.taken = self.acts;
                (truth.draft, truth.answer) = (None, None);
            }
        }
        self.repair_home()?;
        self.flush()
    }

    fn permit(&mut self, permit: Permit) -> Step {
        self.page.sweep(&self.messages);
        let permitted = self.page.tell(Fact::Permit(permit)).permitted;
        self.flush()?;
        if permitted == Some(Permitted::Continue) {
            self.act();
            if permit == Permit::Retry {
                self.again += 1;
            } else if let Some(part) = self.sent_before() {
                // Law 13: what was sent is for `retry`.
                self.holds(false, format!("it is resumed, and was sent: {part}"));
            }
            self.permit = true;
            self.send(false, false)?;
            self.permit = false;
        }
        self.page.tell(Fact::PermitOver);
        self.flush()
    }

    /// A call of the last step whose yes has left, and that has no result here.
    fn sent_before(&self) -> Option<Value> {
        let sent = |part: &&Value| {
            is_tool(part) && part["approval"]["approved"] == true && part["state"] == "approval-responded"
        };
        last_step(&self.messages).iter().filter(sent).find(|part| self.truths[tag(part)].sent).cloned()
    }

    // ---- answers ----

    fn settle_due(&mut self) -> Step {
        if self.page.guard.state().pending.is_empty() {
            self.look();
            self.commit(true)?;
        }
        Ok(())
    }

    fn answered(&mut self, call: CallId, yes: bool) {
        let Some(tag) = self.tag_of(call) else { return };
        let truth = &mut self.truths[tag];
        (truth.draft, truth.answer) = (None, Some(yes));
        if yes && truth.allowed <= truth.taken {
            let truth = truth.clone();
            self.holds(false, format!("nobody allows it any more: {truth:?}"));
        }
    }

    fn committed(&mut self, calls: &[CallId]) {
        self.expired |= !calls.is_empty() && self.timers(calls);
        let caused = calls.is_empty() || self.acted > 0 || self.timers(calls);
        self.holds(caused, "a draft was committed before anybody has acted");
        for &call in calls {
            let yes = self.page.guard.state().calls.get(call).is_some_and(Call::allowed);
            self.answered(call, yes);
        }
    }

    /// Time itself has denied them.
    fn timers(&self, calls: &[CallId]) -> bool {
        let call = |&id: &CallId| self.page.guard.state().calls.get(id);
        calls.iter().filter_map(call).all(|call| call.status() == Status::Expired)
    }

    /// Commits what is decided: all answers but the last are written as repairs, and that by the chat itself.
    fn commit(&mut self, due: bool) -> Step {
        let effects = self.page.tell(Fact::Commit { due, attached: true });
        let Some(&last) = effects.calls.last().filter(|_| effects.taken == Taken::Done) else {
            return Ok(());
        };
        self.committed(&effects.calls);
        let Some((part, _)) = self.page.rows().find(|&(_, call)| call == last) else { return Ok(()) };
        let part = part.clone();
        if effects.calls.len() > 1 {
            let whole = self.page.repaired(&self.messages, Scope::Home);
            self.messages = self.but(whole, tag(&part));
            self.look();
            self.written()?;
        }
        self.flush()?;
        let yes = self.page.guard.state().calls.get(last).is_some_and(Call::allowed);
        self.write(&part, yes)?;
        self.predicate()
    }

    /// The same list, but for one part, which stays as it was.
    fn but(&self, mut list: Vec<Value>, kept: usize) -> Vec<Value> {
        for (message, old) in list.iter_mut().zip(&self.messages) {
            for (place, part) in
                parts(old).iter().enumerate().filter(|(_, part)| is_tool(part) && tag(part) == kept)
            {
                message["parts"][place] = part.clone();
            }
        }
        list
    }

    /// What `addToolApprovalResponse` does.
    fn write(&mut self, part: &Value, yes: bool) -> Step {
        let all =
            self.messages.last_mut().and_then(|last| last["parts"].as_array_mut()).into_iter().flatten();
        for place in all.filter(|place| asks(place) && place["approval"]["id"] == part["approval"]["id"]) {
            place["state"] = "approval-responded".into();
            place["approval"]["approved"] = yes.into();
            place["approval"]["reason"] = "because".into();
        }
        self.written()
    }

    /// What the chat does after an answer was written or a response has ended.
    fn predicate(&mut self) -> Step {
        if self.running.is_some() {
            return Ok(());
        }
        self.look();
        if !self.script.slow {
            let effects = self.page.tell(Fact::Commit { due: true, attached: true });
            self.committed(&effects.calls);
        }
        self.repair_home()?;
        let sends = self.page.tell(Fact::Ask).reason.is_some_and(|reason| reason.sends());
        self.flush()?;
        if sends {
            self.effect()?;
            self.send(false, !self.permit)?;
        }
        Ok(())
    }

    // ---- requests ----

    fn send(&mut self, person: bool, automatic: bool) -> Step {
        let (request, wire) = self.page.send(&self.messages, CHAT, person);
        let last = self.messages.last().cloned();
        self.messages = self.page.repaired(&self.messages, Scope::Home);
        if let (false, Some(last), Some(place)) = (person, last, self.messages.last_mut()) {
            *place = last; // the running response would overwrite a repair of it
        }
        self.check_wire(&wire, person, automatic);
        self.flush()?;
        self.effect()?;
        self.land();
        // It leaves now.
        self.sends += 1;
        self.running = Some(request);
        for part in
            last_step(&wire).iter().filter(|part| is_tool(part) && part["state"] == "approval-responded")
        {
            let yes = part["approval"]["approved"] == true;
            self.truths[tag(part)].sent |= yes;
            self.truths[tag(part)].carried += u32::from(yes);
        }
        self.written()?;
        self.respond(request, &wire)
    }

    /// What leaves.
    fn check_wire(&mut self, wire: &[Value], person: bool, automatic: bool) {
        self.holds(
            !automatic || self.acted > 0 || self.expired,
            "a request has left before anybody has acted",
        );
        let step = last_step(wire).to_vec();
        for part in wire.iter().flat_map(parts).filter(|part| is_tool(part)) {
            let (last, truth) = (step.contains(part), self.truths[tag(part)].clone());
            let say = |what: &str| format!("{what}: {part} {truth:?}");
            let approved = part["approval"]["approved"].as_bool();
            let output = part["state"].as_str().is_some_and(|state| state.starts_with("output"));
            if approved == Some(true) {
                // An output says that it was sent before.
                let stands = truth.allowed > truth.taken && part["approval"]["id"] == truth.approval.as_str();
                self.holds(stands || (output && truth.served), say("nobody allows it"));
                self.holds(truth.saved_answer != Some(false), say("a denial leaves as a yes"));
                let again = automatic && last && !output && truth.carried > 0;
                self.holds(!again, say("it leaves a second time by itself"));
            } else if truth.saved_answer == Some(false) && !truth.other {
                let denied = approved == Some(false) && part.get("output").is_none();
                self.holds(denied, say("a denial was lost on its way"));
            }
            // A message of a person closes what stands before it.
            self.truths[tag(part)].served |= person && approved == Some(false);
            if approved == Some(false) && truth.answer != Some(false) {
                // The user has moved on, or time has answered.
                let act = self.acts + 1;
                self.acts = act;
                let truth = &mut self.truths[tag(part)];
                (truth.draft, truth.answer, truth.taken) = (None, Some(false), act);
            }
        }
    }

    /// What the server does, and how the page hears of it.
    fn respond(&mut self, request: RequestId, wire: &[Value]) -> Step {
        let plan = &self.history.plans[self.plan % self.history.plans.len()];
        self.plan += 1;
        if plan.end == End::Lost {
            // What surely did not arrive was not sent.
            for part in last_step(wire).iter().filter(|part| is_tool(part) && !plan.goes_on) {
                let truth = &mut self.truths[tag(part)];
                truth.carried = truth.carried.saturating_sub(1);
            }
            let failure = if plan.goes_on { Failure::Unknown } else { Failure::Status(503) };
            return self.failed(request, failure);
        }
        if plan.stores {
            self.store.push(wire.to_vec());
        }
        let chunks = self.serve(wire, plan);
        let mut list = wire.to_vec();
        if list.last().is_none_or(|last| last["role"] != "assistant") {
            self.count += 1;
            list.push(json!({ "id": format!("a{}", self.count), "role": "assistant", "parts": [] }));
        }
        if self.messages.len() < list.len() {
            self.messages.push(list[list.len() - 1].clone());
        }
        chunks.iter().for_each(|chunk| apply(&mut list, chunk));
        self.unfinished = (plan.goes_on || plan.end == End::Ended).then_some(list);
        self.effect()?;
        self.page.tell(Fact::Started(request));
        self.flush()?;
        let stop = if plan.end == End::Ended { chunks.len() } else { chunks.len() / 2 };
        for chunk in &chunks[..stop] {
            self.turn()?;
            self.page.hear(request, &chunk.told);
            apply(&mut self.messages, chunk);
            self.flush()?;
            self.written()?;
            if plan.looks {
                self.turn()?;
                self.look();
                self.flush()?;
            }
        }
        self.turn()?;
        self.store.extend(self.unfinished.take());
        self.effect()?;
        match plan.end {
            End::Ended => {
                self.running = None;
                self.page.tell(Fact::Ended(request));
                self.flush()?;
                self.turn()?;
                self.predicate()
            }
            End::Stopped => {
                self.failed(request, Failure::Unknown)?;
                self.stop()
            }
            End::Broken | End::Lost => self.failed(request, Failure::Unknown),
        }
    }

    fn failed(&mut self, request: RequestId, failure: Failure) -> Step {
        self.turn()?;
        self.running = None;
        self.page.tell(Fact::Failed { request, failure });
        self.look();
        self.repair_home()?;
        self.flush()
    }

    /// Runs what is allowed, and asks what is new.
    fn serve(&mut self, wire: &[Value], plan: &Plan) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let last = wire.last().filter(|last| last["role"] == "assistant");
        for (place, part) in last.map_or(&[][..], parts).iter().enumerate() {
            if !is_tool(part) || part["state"] != "approval-responded" {
                continue;
            }
            let (id, mut part) = (part["toolCallId"].clone(), part.clone());
            self.truths[tag(&part)].served = true;
            if part["approval"]["approved"] == true {
                let again = self.again;
                let truth = &mut self.truths[tag(&part)];
                let wanted = truth.runs == 0 || truth.run_by < again;
                (truth.runs, truth.run_by) = (truth.runs + 1, again);
                let truth = truth.clone();
                self.holds(wanted, format!("it runs twice: {part} {truth:?}"));
                part["state"] = "output-available".into();
                part["output"] = json!({ "served": tag(&part) });
                let told =
                    json!({ "type": "tool-output-available", "toolCallId": id, "output": part["output"] });
                chunks.push(Chunk { told, change: Change::Part(place, part) });
            } else {
                part["state"] = "output-denied".into();
                let told = json!({ "type": "tool-output-denied", "toolCallId": id });
                chunks.push(Chunk { told, change: Change::Part(place, part) });
            }
        }
        if !plan.calls.is_empty() {
            let told = json!({ "type": "start-step" });
            chunks.push(Chunk { told, change: Change::Push(json!({ "type": "step-start" })) });
        }
        for &(asks, kind) in &plan.calls {
            self.call(&mut chunks, asks, kind);
        }
        chunks
    }

    fn call(&mut self, chunks: &mut Vec<Chunk>, asks: bool, kind: u8) {
        self.count += 1;
        let tool = if kind & 1 == 0 { "run" } else { "mail" };
        // A call id that comes again and again, now and then.
        let id = if kind & 12 == 12 { "call_0".to_owned() } else { format!("call{}", self.count) };
        let input = json!({ "n": kind >> 1 & 1 });
        let approval = format!("ap{}", self.count);
        let mut part = json!({ "type": format!("tool-{tool}"), "toolCallId": id, "state": "input-available",
            "input": input, "callProviderMetadata": { "t": self.truths.len() } });
        let told = json!({ "type": "tool-input-available", "toolCallId": id });
        chunks.push(Chunk { told, change: Change::Push(part.clone()) });
        if asks {
            part["state"] = "approval-requested".into();
            part["approval"] = json!({ "id": approval, "signature": format!("s{}", self.count) });
            let told = json!({ "type": "tool-approval-request", "toolCallId": id, "approvalId": approval,
                "signature": part["approval"]["signature"] });
            chunks.push(Chunk { told, change: Change::Part(usize::MAX, part) });
        } else {
            part["state"] = "output-available".into();
            part["output"] = json!({ "server": self.count });
            let told = json!({ "type": "tool-output-available", "toolCallId": id, "output": part["output"] });
            chunks.push(Chunk { told, change: Change::Part(usize::MAX, part) });
        }
        self.truths.push(Truth { approval, id, tool: tool.to_owned(), input, ..Truth::default() });
    }
}

/// Writes a chunk into the last message.
fn apply(list: &mut [Value], chunk: &Chunk) {
    let Some(parts) = list.last_mut().and_then(|last| last["parts"].as_array_mut()) else { return };
    match &chunk.change {
        Change::Push(part) => parts.push(part.clone()),
        Change::Part(usize::MAX, part) => {
            if let Some(last) = parts.last_mut() {
                *last = part.clone();
            }
        }
        Change::Part(place, part) => {
            if let Some(old) = parts.get_mut(*place) {
                *old = part.clone();
            }
        }
    }
}

// ---- random histories ----

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => Just(Op::User),
        8 => (0..3usize, prop::bool::weighted(0.7)).prop_map(|(which, yes)| Op::Decide(which, yes)),
        4 => (0..3usize, prop::bool::weighted(0.7)).prop_map(|(which, yes)| Op::Direct(which, yes)),
        2 => (0..3usize).prop_map(Op::Undo),
        4 => Just(Op::Commit),
        1 => (0..3usize).prop_map(Op::Extend),
        1 => Just(Op::Stop),
        2 => Just(Op::Resume),
        1 => Just(Op::Retry),
        2 => (0..1500u32).prop_map(Op::Wait),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let end = prop_oneof![
        7 => Just(End::Ended), 1 => Just(End::Broken), 1 => Just(End::Stopped), 1 => Just(End::Lost),
    ];
    let calls = prop::collection::vec((prop::bool::weighted(0.85), 0..16u8), 0..4);
    (calls, end, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(calls, end, stores, goes_on, looks)| Plan { calls, end, stores, goes_on, looks })
}

fn script() -> impl Strategy<Value = Script> {
    let lag = prop_oneof![4 => Just(0usize), 2 => Just(1), 1 => Just(2), 1 => 3..6usize];
    let rarely = |chance| prop::option::weighted(chance, 0..4usize);
    let load = (lag, rarely(0.15), prop::bool::weighted(0.15), rarely(0.08))
        .prop_map(|(lag, loses, drifts, changes)| Load { lag, loses, drifts, changes });
    let fuel = prop_oneof![1 => 0..10usize, 4 => 8..70usize, 1 => 60..160usize];
    let slow = prop::bool::weighted(0.3);
    (load, prop::collection::vec(op(), 1..8), fuel, 0..800u32, slow)
        .prop_map(|(load, ops, fuel, gap, slow)| Script { load, ops, fuel, gap, slow })
}

/// A random history of up to four pages.
pub fn history() -> impl Strategy<Value = History> {
    let plans = prop::collection::vec(plan(), 1..6);
    (prop::collection::vec(script(), 2..5), plans, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(pages, plans, app, quick, timed)| History { pages, plans, app, quick, timed })
}
