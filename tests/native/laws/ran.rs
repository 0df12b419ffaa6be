//! Law 16: no grant, rule or timer answers a call again whose output was seen, or whose allowance was sent and not
//! refused, whatever list the application sets. Only a person can send it again, and is told that it may run twice.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_approval_guard::core::decision::{Actor, Choice, Effect, Ruling};
use tool_approval_guard::core::event::{Event, EventKind};
use tool_approval_guard::core::guard::{Chosen, CommitCause, Covers, Fact, Failure, WaitedFor};
use tool_approval_guard::core::id::{CallId, RequestId, StringId};
use tool_approval_guard::core::policy::Policy;
use tool_approval_guard::core::repair::Scope;

use super::messages::{asking, assistant, heard, list, part, user};
use super::moments::calls;
use crate::common::chat_simulator::tag;
use crate::common::occurrences::{Occurrences, config, property};
use crate::common::{Page, parts};

const CHAT: StringId = StringId(1_000);

/// What becomes of a request. Once its response has started, it was not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Refused,
    Lost,
    Breaks,
    Ends,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    /// A person decides.
    Decide(usize, Choice),
    /// The rules change.
    Rules(Effect),
    /// Time passes.
    Time(u32),
    /// The SDK asks, and sends if the guard says yes.
    Ask,
    /// The server runs some of the calls that it may run, perhaps asks about another call, and the response ends.
    /// `reuses`: that call has the id of an earlier one.
    Respond { runs: [bool; 2], asks: bool, reuses: bool, fate: Fate },
    /// The page writes an output.
    Output(usize),
    /// The application sets a list that the chat had before.
    Older(usize),
    /// A resumed stream repeats a question of the last response.
    Replay(usize),
    /// The user writes a message.
    Say,
}

fn op() -> impl Strategy<Value = Op> {
    let choice = prop_oneof![
        2 => Just(Choice::AllowOnce), 4 => Just(Choice::AllowChat), 1 => Just(Choice::Deny), 1 => Just(Choice::DenyChat),
    ];
    let fate = prop_oneof![1 => Just(Fate::Refused), 1 => Just(Fate::Lost), 1 => Just(Fate::Breaks), 5 => Just(Fate::Ends)];
    let respond = (any::<[bool; 2]>(), prop::bool::weighted(0.3), any::<bool>(), fate)
        .prop_map(|(runs, asks, reuses, fate)| Op::Respond { runs, asks, reuses, fate });
    prop_oneof![
        10 => (0..4_usize, choice).prop_map(|(which, choice)| Op::Decide(which, choice)),
        2 => prop::sample::select(Effect::ALL).prop_map(Op::Rules),
        2 => prop_oneof![Just(10_u32), Just(5_000)].prop_map(Op::Time),
        8 => Just(Op::Ask),
        6 => respond,
        1 => (0..4_usize).prop_map(Op::Output),
        4 => (0..3_usize).prop_map(Op::Older),
        2 => (0..12_usize).prop_map(Op::Older),
        1 => (0..4_usize).prop_map(Op::Replay),
        1 => Just(Op::Say),
    ]
}

/// What really happened to a call. Its number is the hidden tag of its part.
#[derive(Clone, Debug, Default)]
struct Truth {
    id: String,
    approval: String,
    /// The requests that have carried its allowance, without those that were refused.
    carried: Vec<RequestId>,
    /// Whether a list has shown an output of the server.
    ran: bool,
    /// Whether a person has allowed it since a request last carried its allowance.
    by_person: bool,
}

impl Truth {
    fn has_run(&self) -> bool {
        self.ran || !self.carried.is_empty()
    }

    fn question(&self, tag: usize) -> Value {
        json!({
            "type": "tool-run", "toolCallId": self.id, "state": "approval-requested", "input": 1,
            "approval": { "id": self.approval }, "callProviderMetadata": { "t": tag },
        })
    }

    fn chunks(&self) -> [Value; 3] {
        [
            json!({ "type": "tool-input-start", "toolCallId": self.id, "toolName": "run" }),
            json!({ "type": "tool-input-available", "toolCallId": self.id, "toolName": "run", "input": 1 }),
            json!({ "type": "tool-approval-request", "toolCallId": self.id, "approvalId": self.approval }),
        ]
    }
}

/// A chat, and what its server and its person know of each call.
struct World {
    page: Page,
    messages: Vec<Value>,
    /// Every list that the chat has had.
    lists: Vec<Vec<Value>>,
    truths: Vec<Truth>,
    /// The calls of the last response that has asked.
    latest: Vec<usize>,
    /// The request whose response has not come.
    request: Option<RequestId>,
    effect: Effect,
}

impl World {
    fn new(attended: bool, lifetime: Option<u64>) -> Self {
        let policy = Policy { undo_ms: None, undo_ms_when_dangerous: None, attended, ..Policy::default() };
        let mut page = Page::new(&[], |options| options.policy = policy);
        page.lifetime = lifetime;
        let messages = vec![user()];
        let mut world = Self {
            page,
            messages,
            lists: Vec::new(),
            truths: Vec::new(),
            latest: Vec::new(),
            request: None,
            effect: Effect::Ask,
        };
        let (request, _) = world.page.send(&world.messages.clone(), CHAT, true);
        world.page.tell(Fact::Started(request));
        world.messages.push(json!({ "id": "a", "role": "assistant", "parts": [] }));
        let asked = [world.begin("c0".into()), world.begin("c1".into())];
        world.append_step(request, &asked);
        world.page.tell(Fact::Ended(request));
        world.look();
        world
    }

    /// The server makes a call that asks; returns its tag.
    fn begin(&mut self, id: String) -> usize {
        let approval = format!("ap{}", self.truths.len());
        self.truths.push(Truth { id, approval, ..Truth::default() });
        self.truths.len() - 1
    }

    fn append_step(&mut self, request: RequestId, tags: &[usize]) {
        self.latest = tags.to_vec();
        let mut step = vec![json!({ "type": "step-start" })];
        for &tag in tags {
            let truth = &self.truths[tag];
            truth.chunks().iter().for_each(|chunk| self.page.hear(request, chunk));
            step.push(truth.question(tag));
        }
        if self.messages.last().is_none_or(|last| last["role"] != "assistant") {
            let id = format!("a{}", self.messages.len());
            self.messages.push(json!({ "id": id, "role": "assistant", "parts": [] }));
        }
        let last = self.messages.len() - 1;
        if let Some(parts) = self.messages[last]["parts"].as_array_mut() {
            parts.extend(step);
        }
    }

    fn parts_of(&mut self, which: usize) -> impl Iterator<Item = &mut Value> {
        let lists = self.messages.iter_mut().filter_map(|message| message["parts"].as_array_mut());
        lists.flatten().filter(move |part| tag(part) == which)
    }

    fn call(&self, which: usize) -> Option<CallId> {
        self.page.rows().find(|(part, _)| tag(part) == which).map(|(_, call)| call)
    }

    /// The call that the guard has made of each part.
    fn seen(&self) -> Vec<Option<CallId>> {
        (0..self.truths.len()).map(|which| self.call(which)).collect()
    }

    /// Reads the list, as before each question, with what the rules and the grants say.
    fn look(&mut self) {
        let messages = self.messages.clone();
        self.page.sweep(&messages);
        for part in calls(&messages).filter(|part| part["state"] == "output-available") {
            self.truths[tag(part)].ran |= part["output"]["ran"] == true;
        }
        for call in self.seen().into_iter().flatten() {
            if self.effect != Effect::Ask {
                let ruling = Ruling { effect: self.effect, always: false, rule: StringId(9) };
                self.page.tell(Fact::EvaluateRule { call, ruling });
            }
            self.page.tell(Fact::Match(call));
        }
        if self.lists.last() != Some(&messages) {
            self.lists.push(messages);
        }
    }

    /// Commits what is due, and writes it into the chat.
    fn commit(&mut self, due: bool) {
        self.page.tell(Fact::Commit(if due { CommitCause::Predicate } else { CommitCause::Person }));
        for call in self.page.guard.unwritten(WaitedFor::Chat) {
            let approved = self.page.guard.state().calls.get(call).is_some_and(|call| call.allowed());
            let which = (0..self.truths.len()).find(|&which| self.call(which) == Some(call));
            let Some(which) = which else { continue };
            for part in self.parts_of(which) {
                part["state"] = "approval-responded".into();
                part["approval"]["approved"] = approved.into();
            }
        }
        self.look();
    }

    fn send(&mut self, person: bool, occurred: &Occurrences) -> Result<(), TestCaseError> {
        let (request, wire) = self.page.send(&self.messages, CHAT, person);
        if request.is_none() {
            return Ok(());
        }
        self.messages = self.page.repaired(&self.messages, Scope::Home);
        self.request = Some(request);
        for part in calls(&wire).filter(|part| part["state"] == "approval-responded") {
            let truth = &mut self.truths[tag(part)];
            if part["approval"]["approved"] != true {
                continue;
            }
            let again = truth.has_run();
            prop_assert!(!again || truth.by_person, "it leaves again, and no person said so: {part}");
            occurred.count_if(again, "a person has sent it again");
            truth.carried.push(request);
            truth.by_person = false;
        }
        Ok(())
    }

    fn respond(&mut self, runs: [bool; 2], asks: Option<bool>, fate: Fate) {
        let Some(request) = self.request.take() else { return };
        let failure = if fate == Fate::Refused { Failure::Status(400) } else { Failure::Unknown };
        if matches!(fate, Fate::Refused | Fate::Lost) {
            self.page.tell(Fact::Failed { request, failure });
            if fate == Fate::Refused {
                self.truths.iter_mut().for_each(|truth| truth.carried.retain(|&it| it != request));
            }
            return self.look();
        }
        self.page.tell(Fact::Started(request));
        let may: Vec<usize> =
            (0..self.truths.len()).filter(|&it| self.truths[it].carried.contains(&request)).collect();
        for (which, _) in may.into_iter().zip(runs).filter(|(_, runs)| *runs) {
            let (id, output) = (self.truths[which].id.clone(), json!({ "ran": true, "by": which }));
            let chunk = json!({ "type": "tool-output-available", "toolCallId": id, "output": output });
            self.page.hear(request, &chunk);
            for part in self.parts_of(which) {
                part["state"] = "output-available".into();
                part["output"] = output.clone();
            }
        }
        if let Some(reuses) = asks {
            let id = if reuses { "c0".to_owned() } else { format!("c{}", self.truths.len()) };
            let asked = [self.begin(id)];
            self.append_step(request, &asked);
        }
        self.look();
        let ends = fate == Fate::Ends;
        self.page.tell(if ends { Fact::Ended(request) } else { Fact::Failed { request, failure } });
        self.look();
    }

    fn act(&mut self, op: Op, occurred: &Occurrences) -> Result<(), TestCaseError> {
        let count = self.truths.len();
        match op {
            Op::Decide(which, choice) => {
                let Some(call) = self.call(which % count) else { return Ok(()) };
                let before = self.page.log.len();
                let program = StringId::NONE;
                self.page.tell(Fact::Decide {
                    named: call.into(),
                    shown: None,
                    chosen: Chosen {
                        choice,
                        covers: Covers::Tool,
                        edit: tool_approval_guard::core::guard::EditGiven::default(),
                        lifetime: None,
                    },
                    program,
                });
                let decided = self.page.log[before..].iter().any(|entry| {
                    let Event { kind, call: of, actor, .. } = entry.event;
                    kind == EventKind::Drafted && of == Some(call) && actor == Actor::Person
                });
                self.truths[which % count].by_person |= decided && choice.allows();
                self.commit(false);
            }
            Op::Rules(effect) => {
                self.effect = effect;
                self.look();
                self.commit(true);
            }
            Op::Time(millis) => {
                self.page.now += f64::from(millis);
                self.page.tell(Fact::Wake);
                self.commit(true);
            }
            Op::Ask if self.request.is_none() => {
                self.commit(true);
                if self.page.ask(&self.messages).sends() {
                    self.send(false, occurred)?;
                }
                self.page.tell(Fact::LeaseOver { sending: true });
            }
            Op::Ask => {}
            Op::Respond { runs, asks, reuses, fate } => self.respond(runs, asks.then_some(reuses), fate),
            Op::Output(which) => {
                let id = self.truths[which % count].id.clone();
                let id = self.page.symbol(&id.into());
                self.page.tell(Fact::PageOutput { id, output: 0 });
                for part in self.parts_of(which % count) {
                    part["state"] = "output-available".into();
                    part["output"] = json!({ "page": true });
                }
                self.look();
            }
            Op::Older(which) => {
                self.messages = self.lists[which % self.lists.len()].clone();
                self.look();
                self.commit(true);
            }
            Op::Replay(which) => {
                // A server has only its last response left.
                let Some(&which) = self.latest.get(which % self.latest.len()) else { return Ok(()) };
                let truth = self.truths[which].clone();
                self.page.tell(Fact::Started(RequestId::NONE));
                truth.chunks().iter().for_each(|chunk| self.page.hear(RequestId::NONE, chunk));
                self.parts_of(which).for_each(|part| *part = truth.question(which));
                self.look();
                self.page.tell(Fact::Ended(RequestId::NONE));
                self.commit(true);
            }
            Op::Say => {
                let id = format!("u{}", self.messages.len());
                self.messages
                    .push(json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": "and" }] }));
                self.send(true, occurred)?;
                self.look();
            }
        }
        Ok(())
    }
}

/// Whether an entry answers a call, and no person has.
fn answers_by_itself(event: &Event) -> bool {
    matches!(event.kind, EventKind::Drafted | EventKind::Expired)
        && matches!(event.decider, Some(Actor::Grant | Actor::Rule | Actor::Timer | Actor::Unattended))
}

#[test]
fn law_16_what_has_run_has_run() {
    let lifetime = prop_oneof![1 => Just(None), 1 => Just(Some(1_000))];
    let history = (prop::bool::weighted(0.8), lifetime, prop::collection::vec(op(), 4..28));
    let floors = [
        ("a call asks again after it has run", 900),
        ("a call asks again after its allowance was sent", 900),
        ("a person has sent it again", 24),
        ("something answers by itself", 2500),
        ("a call id came again after a run", 700),
        ("an older list shows a used allowance", 200),
    ];
    property(config(6_000), history, &floors, |(attended, lifetime, ops), occurred| {
        let mut world = World::new(attended, lifetime);
        for op in ops {
            let before = (world.page.log.len(), world.truths.clone());
            world.act(op, occurred)?;
            check(&world, op, before, occurred)?;
        }
        Ok(())
    });
}

/// Checks what an act has come to. `before`: the length of the ledger and the truth before it.
fn check(
    world: &World,
    op: Op,
    (length, truths): (usize, Vec<Truth>),
    occurred: &Occurrences,
) -> Result<(), TestCaseError> {
    for event in world.page.log[length..].iter().map(|entry| entry.event).filter(answers_by_itself) {
        occurred.count("something answers by itself");
        for (which, old) in truths.iter().enumerate().filter(|&(which, _)| world.call(which) == event.call) {
            // A request that this act tells to be refused counts no more.
            let had_run = old.has_run() && world.truths[which].has_run();
            prop_assert!(!had_run, "call {which} is answered again: {event:?} after {op:?}");
        }
    }
    for (which, truth) in world.truths.iter().enumerate() {
        let reused = world.truths[..which].iter().any(|other| other.id == truth.id && other.has_run());
        occurred.count_if(reused, "a call id came again after a run");
        let Some((part, id)) = world.page.rows().find(|(part, _)| tag(part) == which) else { continue };
        let Some(call) = world.page.guard.state().calls.get(id) else { continue };
        if !call.asking() || !truth.has_run() {
            continue;
        }
        occurred.count_if(truth.ran, "a call asks again after it has run");
        occurred.count_if(!truth.ran, "a call asks again after its allowance was sent");
        let shows_yes = part["state"] == "approval-responded";
        occurred.count_if(shows_yes, "an older list shows a used allowance");
        prop_assert!(
            call.may_have_run(),
            "the person is not told that call {which} may run twice, after {op:?}"
        );
    }
    Ok(())
}

/// A page whose call was allowed, and has run with the output 7. Returns also the parts of the call: its question, its
/// allowance and its output.
fn page_that_ran() -> (Page, [Value; 3]) {
    let question = part("c", "approval-requested", json!({ "approval": { "id": "ap" } }));
    let approval = json!({ "id": "ap", "approved": true });
    let allowed = part("c", "approval-responded", json!({ "approval": approval }));
    let output = part("c", "output-available", json!({ "approval": approval, "output": 7 }));
    let mut page = heard(&asking("c", "ap"));
    page.look_at_last(&list(json!([user(), assistant("a", &[&question])])), true);
    let messages = list(json!([user(), assistant("a", &[&allowed])]));
    page.ask(&messages);
    let (request, _) = page.send(&messages, CHAT_OF_HEARD, false);
    page.tell(Fact::Started(request));
    page.hear(request, &json!({ "type": "tool-output-available", "toolCallId": "c", "output": 7 }));
    page.look_at_last(&list(json!([user(), assistant("a", &[&output])])), true);
    page.tell(Fact::Ended(request));
    (page, [question, allowed, output])
}

const CHAT_OF_HEARD: StringId = StringId(1);

/// A page has closed a call while it did not know of the output. The response to that comes after the output is known.
#[test]
fn law_16_a_denial_that_comes_after_the_output_denies_nothing() {
    let (mut page, _) = page_that_ran();
    let late = part("c", "output-denied", json!({ "approval": { "id": "ap", "approved": true } }));
    let messages = list(json!([user(), assistant("a", &[&late])]));
    page.look_at_last(&messages, true);
    for scope in Scope::ALL {
        let repaired = page.repaired(&messages, *scope);
        let part = &parts(&repaired[1])[1];
        assert_eq!((&part["state"], &part["output"]), (&json!("output-available"), &json!(7)), "{part}");
    }
}

/// A copy of a call that has run is gone with its message. An older list asks about the call: what the page writes over
/// that is no answer (law 5).
#[test]
fn law_16_a_copy_that_is_gone_hides_no_question() {
    let (mut page, [question, allowed, output]) = page_that_ran();
    page.sweep(&list(json!([user(), assistant("a", &[&allowed]), assistant("b", &[&output])])));
    page.sweep(&list(json!([{ "id": "v", "role": "user", "parts": [] }])));
    page.sweep(&list(json!([user(), assistant("a", &[&question])])));
    let written = part("c", "output-available", json!({ "output": 9 }));
    let messages = list(json!([user(), assistant("a", &[&written])]));
    assert!(!page.ask(&messages).sends());
    let home = page.repaired(&messages, Scope::Home);
    assert_eq!(parts(&home[1])[1]["state"], "approval-requested", "{}", home[1]);
}
