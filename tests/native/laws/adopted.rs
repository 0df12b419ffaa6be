//! Laws 4, 14 and 17: of a list from the server, what its parts say happened is believed over what the page remembers. It
//! leaves as it came, is recorded as the server's, and causes no request. A denial that has left stays one.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_approval_guard::core::call::Status;
use tool_approval_guard::core::decision::{Actor, Author, Choice};
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::{Chosen, CommitCause, Covers, Fact, WaitedFor};
use tool_approval_guard::core::id::{CallId, StringId};
use tool_approval_guard::core::policy::Policy;
use tool_approval_guard::core::repair::Scope;

use super::messages::user;
use super::moments::calls;
use crate::common::Page;
use crate::common::chat_simulator::tag;
use crate::common::occurrences::{Occurrences, config, property};

const CHAT: StringId = StringId(1_000);

/// What a stored part shows of its approval.
#[derive(Clone, Copy, Debug)]
enum Shows {
    Everything,
    Unanswered,
    Nothing,
}

#[derive(Clone, Debug)]
enum Op {
    /// Somebody else answers, at the server.
    Answer(usize, bool),
    /// The server runs a call, and stores this of its approval.
    Run(usize, Shows),
    /// The server closes a call as denied.
    Close(usize),
    /// The server goes on by itself, and asks about another call.
    Begin,
    /// The application gets the server's list, sets it, and adopts it before or after that.
    Poll { renamed: bool, adopts_first: bool },
    /// The person decides in this page.
    Decide(usize, bool),
    /// The page writes an output over a call.
    Write(usize),
    /// The SDK asks, and what it may send reaches the server.
    Ask,
    /// The user writes a message.
    Say,
}

fn op() -> impl Strategy<Value = Op> {
    let shows = prop_oneof![Just(Shows::Everything), Just(Shows::Unanswered), Just(Shows::Nothing)];
    let which = || 0..3_usize;
    prop_oneof![
        3 => (which(), any::<bool>()).prop_map(|(which, yes)| Op::Answer(which, yes)),
        5 => (which(), shows).prop_map(|(which, shows)| Op::Run(which, shows)),
        2 => which().prop_map(Op::Close),
        1 => Just(Op::Begin),
        8 => any::<[bool; 2]>().prop_map(|[renamed, adopts_first]| Op::Poll { renamed, adopts_first }),
        5 => (which(), any::<bool>()).prop_map(|(which, yes)| Op::Decide(which, yes)),
        2 => which().prop_map(Op::Write),
        6 => Just(Op::Ask),
        2 => Just(Op::Say),
    ]
}

/// What really happened to a call in this page.
#[derive(Clone, Copy, Debug, Default)]
struct Truth {
    /// What the person has decided.
    decided: Option<bool>,
    /// Whether a request has carried the person's denial.
    denial_left: bool,
    /// Whether the page has got another answer of the server's before the person's left.
    overtaken: bool,
    written: bool,
}

struct World {
    page: Page,
    /// The chat's list, and the server's.
    messages: Vec<Value>,
    server: Vec<Value>,
    truths: Vec<Truth>,
}

impl World {
    fn new() -> Self {
        let policy = Policy { undo_ms: None, undo_ms_when_dangerous: None, ..Policy::default() };
        let mut page = Page::new(&[], |options| options.policy = policy);
        let (request, _) = page.send(&[user()], CHAT, true);
        page.tell(Fact::Started(request));
        let server = vec![user(), json!({ "id": "s", "role": "assistant", "parts": [] })];
        let mut world = Self { page, messages: Vec::new(), server, truths: Vec::new() };
        world.begin();
        world.begin();
        for which in 0..2 {
            let id = format!("c{which}");
            let begun = json!({ "type": "tool-input-available", "toolCallId": id, "toolName": "run" });
            let asked = json!({ "type": "tool-approval-request", "toolCallId": id, "approvalId": format!("ap{which}") });
            world.page.hear(request, &begun);
            world.page.hear(request, &asked);
        }
        world.messages = world.server.clone();
        world.page.sweep(&world.messages);
        world.page.tell(Fact::Ended(request));
        world
    }

    fn begin(&mut self) {
        let which = self.truths.len();
        self.truths.push(Truth::default());
        if let Some(parts) = self.server.last_mut().and_then(|last| last["parts"].as_array_mut()) {
            parts.push(json!({
                "type": "tool-run", "toolCallId": format!("c{which}"), "state": "approval-requested", "input": 1,
                "approval": { "id": format!("ap{which}") }, "callProviderMetadata": { "t": which },
            }));
        }
    }

    /// The part of a call at the server.
    fn stored(&mut self, which: usize) -> Option<&mut Value> {
        let lists = self.server.iter_mut().filter_map(|message| message["parts"].as_array_mut());
        lists.flatten().find(|part| part["toolCallId"] == format!("c{which}"))
    }

    fn answer(&mut self, which: usize, yes: bool) {
        let Some(part) = self.stored(which).filter(|part| part["state"] == "approval-requested") else {
            return;
        };
        part["state"] = "approval-responded".into();
        part["approval"]["approved"] = yes.into();
    }

    fn run(&mut self, which: usize, shows: Shows) {
        let may = |part: &&mut Value| {
            part["state"] == "approval-requested"
                || part["approval"]["approved"] == true && part.get("output").is_none()
        };
        let Some(part) = self.stored(which).filter(may) else { return };
        part["state"] = "output-available".into();
        part["output"] = json!({ "ran": which });
        match shows {
            Shows::Everything => part["approval"]["approved"] = true.into(),
            Shows::Unanswered => part["approval"] = json!({ "id": format!("ap{which}") }),
            Shows::Nothing => {
                part.as_object_mut().map(|part| part.remove("approval"));
            }
        }
    }

    fn close(&mut self, which: usize) {
        let Some(part) = self.stored(which) else { return };
        if part["state"] == "approval-requested"
            || (part["state"] == "approval-responded" && part["approval"]["approved"] == false)
        {
            part["state"] = "output-denied".into();
            part["approval"]["approved"] = false.into();
        }
    }

    fn call(&self, which: usize) -> Option<CallId> {
        self.page.rows().find(|(part, _)| part["toolCallId"] == format!("c{which}")).map(|(_, call)| call)
    }

    fn poll(
        &mut self,
        renamed: bool,
        adopts_first: bool,
        occurred: &Occurrences,
    ) -> Result<(), TestCaseError> {
        if renamed {
            let id = format!("{}'", self.server[1]["id"].as_str().unwrap_or_default());
            self.server[1]["id"] = id.into();
        }
        let list = self.server.clone();
        if adopts_first {
            self.page.adopt(&list);
            // The page looks at what it still shows.
            let shown = self.messages.clone();
            self.page.sweep(&shown);
        }
        self.messages = list.clone();
        if !adopts_first {
            self.page.adopt(&list);
        }
        self.page.sweep(&list);
        for part in calls(&list).filter(|part| part["state"] != "approval-requested") {
            let truth = &mut self.truths[tag(part)];
            let denies = part["approval"]["approved"] == false;
            truth.overtaken |= truth.decided == Some(false) && !denies && !truth.denial_left;
        }
        self.check(&list, occurred)
    }

    /// What the laws say of a list that was just adopted.
    fn check(&mut self, list: &[Value], occurred: &Occurrences) -> Result<(), TestCaseError> {
        let [wire, home] = [Scope::Wire, Scope::Home].map(|scope| self.page.repaired(list, scope));
        for ((part, leaves), stays) in calls(list).zip(calls(&wire)).zip(calls(&home)) {
            let which = tag(part);
            let truth = self.truths[which];
            let Some(call) = self.call(which).and_then(|id| self.page.guard.state().calls.get(id)) else {
                continue;
            };
            if part["state"] != "output-available" {
                continue;
            }
            if truth.denial_left {
                occurred.count("a denial that has left");
                prop_assert!(leaves.get("output").is_none(), "law 4: it was denied, and leaves as {leaves}");
                prop_assert_eq!(&leaves["approval"]["approved"], &json!(false));
                continue;
            }
            let is_settled = part["approval"]["approved"] == true;
            occurred.count_if(!is_settled, "a result without an answer");
            occurred.count_if(truth.decided.is_some(), "a result of a call that was decided here");
            occurred.count_if(truth.written, "a result of a call that the page had written over");
            prop_assert_eq!(leaves, part, "law 17: what the server says leaves as it came");
            prop_assert_eq!(stays, part);
            prop_assert_eq!((call.status(), call.output()), (Status::Settled, Some(Author::Server)));
        }
        self.truths_of_the_record()?;
        let unsent =
            |id: &CallId| self.page.guard.state().calls.get(*id).is_some_and(|call| call.fresh_answer());
        let sends = self.page.guard.verdict().sends();
        let has_own = (0..self.truths.len()).any(|which| {
            let asks = calls(list).any(|part| tag(part) == which && part["state"] == "approval-requested");
            asks && self.truths[which].decided.is_some() && self.call(which).as_ref().is_some_and(unsent)
        });
        occurred.count_if(!sends, "a list that causes no request");
        prop_assert!(!sends || has_own, "law 3: only what was answered here is sent");
        Ok(())
    }

    /// Law 14: no answer is this person's, and no output this page's, that was not given here.
    fn truths_of_the_record(&self) -> Result<(), TestCaseError> {
        for entry in &self.page.log {
            let event = entry.event;
            let of = |which: &usize| self.call(*which).is_some() && self.call(*which) == event.call;
            let Some(which) = (0..self.truths.len()).find(of) else { continue };
            let truth = self.truths[which];
            if event.kind == EventKind::Answered && event.decider == Some(Actor::Person) {
                prop_assert_eq!(event.approved, truth.decided, "an answer that this person has not given");
            }
            if event.kind == EventKind::Output && event.actor == Actor::Application {
                prop_assert!(truth.written, "an output that this page has not written");
            }
        }
        Ok(())
    }

    fn decide(&mut self, which: usize, yes: bool) {
        let Some(call) = self.call(which) else { return };
        let choice = if yes { Choice::AllowOnce } else { Choice::Deny };
        let before = self.page.log.len();
        self.page.tell(Fact::Decide {
            named: call.into(),
            shown: None,
            chosen: Chosen {
                choice,
                covers: Covers::Tool,
                edit: tool_approval_guard::core::guard::EditGiven::default(),
                lifetime: None,
            },
            program: StringId::NONE,
        });
        if self.page.log[before..].iter().any(|entry| entry.event.kind == EventKind::Drafted) {
            self.truths[which].decided = Some(yes);
        }
        self.commit();
    }

    fn commit(&mut self) {
        self.page.tell(Fact::Commit(CommitCause::Predicate));
        for call in self.page.guard.unwritten(WaitedFor::Chat) {
            let approved = self.page.guard.state().calls.get(call).is_some_and(|call| call.allowed());
            let which = (0..self.truths.len()).find(|&which| self.call(which) == Some(call));
            let lists = self.messages.iter_mut().filter_map(|message| message["parts"].as_array_mut());
            for part in lists.flatten().filter(|part| Some(tag(part)) == which) {
                part["state"] = "approval-responded".into();
                part["approval"]["approved"] = approved.into();
            }
        }
        let messages = self.messages.clone();
        self.page.sweep(&messages);
    }

    /// A request reaches the server, which takes the answers to what it still asks, and runs nothing yet.
    fn send(&mut self, person: bool) {
        let (request, wire) = self.page.send(&self.messages.clone(), CHAT, person);
        if request.is_none() {
            return;
        }
        self.messages = self.page.repaired(&self.messages.clone(), Scope::Home);
        for part in calls(&wire)
            .filter(|part| part["approval"]["approved"].is_boolean() && part.get("output").is_none())
        {
            let (which, yes) = (tag(part), part["approval"]["approved"] == true);
            if !yes && self.truths[which].decided == Some(false) && !self.truths[which].overtaken {
                self.truths[which].denial_left = true;
            }
            self.answer(which, yes);
        }
        self.page.tell(Fact::Started(request));
        self.page.tell(Fact::Ended(request));
        let messages = self.messages.clone();
        self.page.sweep(&messages);
    }

    fn act(&mut self, op: Op, occurred: &Occurrences) -> Result<(), TestCaseError> {
        let count = self.truths.len();
        match op {
            Op::Answer(which, yes) => self.answer(which % count, yes),
            Op::Run(which, shows) => self.run(which % count, shows),
            Op::Close(which) => self.close(which % count),
            Op::Begin if count < 3 => self.begin(),
            Op::Begin => {}
            Op::Poll { renamed, adopts_first } => self.poll(renamed, adopts_first, occurred)?,
            Op::Decide(which, yes) => self.decide(which % count, yes),
            Op::Write(which) => {
                let which = which % count;
                let lists = self.messages.iter_mut().filter_map(|message| message["parts"].as_array_mut());
                for part in
                    lists.flatten().filter(|part| tag(part) == which && part["state"] == "approval-requested")
                {
                    part["state"] = "output-available".into();
                    part["output"] = json!({ "page": true });
                    self.truths[which].written = true;
                }
                let messages = self.messages.clone();
                self.page.sweep(&messages);
            }
            Op::Ask => {
                self.commit();
                if self.page.ask(&self.messages.clone()).sends() {
                    self.send(false);
                }
                self.page.tell(Fact::LeaseOver { sending: true });
            }
            Op::Say => {
                self.messages.push(json!({ "id": format!("u{}", self.page.now), "role": "user", "parts": [{ "type": "text", "text": "and" }] }));
                self.send(true);
                self.messages.pop();
            }
        }
        self.truths_of_the_record()
    }
}

#[test]
fn law_17_what_an_adopted_list_says_happened_is_believed() {
    let floors = [
        ("a result without an answer", 300),
        ("a result of a call that was decided here", 100),
        ("a result of a call that the page had written over", 50),
        ("a denial that has left", 10),
        ("a list that causes no request", 500),
    ];
    property(config(1_500), prop::collection::vec(op(), 4..30), &floors, |history, occurred| {
        let mut world = World::new();
        history.into_iter().try_for_each(|op| world.act(op, occurred))
    });
}
