//! The actor of each kind of entry in each situation (law 14), as one table that contains every kind.

use std::collections::BTreeSet;
use tool_approval_guard::core::id::{CallId, GrantId, RequestId, StringId};

use tool_approval_guard::core::call::{Answer, PartFacts, PartFlags, Place};
use tool_approval_guard::core::decision::{Actor, Choice, Effect, Ruling};
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::grant::{Cover, Tool};
use tool_approval_guard::core::guard::{
    Chosen, CommitCause, Covers, Effects, Fact, Failure, Guard, Known, KnownAnswer, Lifetime, Options, Reach,
    Said, Trigger,
};
use tool_approval_guard::core::protocol::{Chunk, ToolState};
use tool_approval_guard::core::repair::{Cause, cause};
use tool_approval_guard::core::verdict::{Permit, Reason, Step};

use ToolState::{ApprovalRequested, ApprovalResponded, InputAvailable, OutputAvailable, OutputDenied};

/// A tool with two calls, 0 and 1, in one step.
const TOOL: StringId = StringId(50);

struct Scene {
    guard: Guard,
    now: f64,
    /// What the two parts show: state, answer, digest of the input, digest of the output.
    parts: Vec<(ToolState, Answer, u64, u64)>,
    table: BTreeSet<String>,
    /// The program that decides; 0 for the person.
    program: StringId,
}

fn part_facts(at: usize, (state, answer, input, output): (ToolState, Answer, u64, u64)) -> PartFacts {
    let place = Place { message: StringId(1), index: 1, user_turn: 1, step: 1, occurrence: 0 };
    let residue = output != 0;
    let flags = PartFlags { state, answer, provider: false, preliminary: false, residue, by_guard: false };
    // A part that only begins has no question, or has lost it.
    let begins = state == InputAvailable;
    let approval = if begins { StringId::NONE } else { StringId(200 + at as u32) };
    let id = StringId(100 + at as u32);
    PartFacts { place, tool: TOOL, server: StringId::NONE, id, approval, flags, input, edit: 0, output }
}

/// What a record knows of the first call.
fn known() -> Known {
    Known {
        approval: StringId(200),
        answer: KnownAnswer::None,
        actor: Actor::Person,
        reach: Reach::Unsent,
        settled: false,
        same_input: true,
        taken_back: false,
        found: false,
        elsewhere: false,
        asked_at: Some(0),
        deadline: None,
        latest: None,
        candidates: 0,
        user: StringId::NONE,
        edit: 0,
    }
}

impl Scene {
    fn new(configure: impl FnOnce(&mut Options)) -> Self {
        let mut options = crate::common::options(Vec::new());
        (options.policy.undo_ms, options.policy.warn_ms) = (None, Some(60_000));
        configure(&mut options);
        Self {
            guard: Guard::new(options),
            now: 0.0,
            parts: Vec::new(),
            table: BTreeSet::new(),
            program: StringId::NONE,
        }
    }

    /// A message of a person, and a response that asks for two calls.
    fn asked(configure: impl FnOnce(&mut Options)) -> Self {
        let mut scene = Self::new(configure);
        scene.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: false });
        scene.tell(Fact::Started(RequestId(1)));
        for at in 0..2 {
            scene.hear(RequestId(1), Chunk::InputAvailable, at);
            scene.hear(RequestId(1), Chunk::ApprovalRequest, at);
        }
        scene.tell(Fact::Ended(RequestId(1)));
        scene.show(&[(ApprovalRequested, Answer::Absent, 7, 0); 2]);
        scene
    }

    fn tell(&mut self, input: Fact) -> Effects {
        self.now += 10.0;
        let from = self.guard.length();
        let effects = self.guard.handle(input, self.now);
        for entry in &self.guard.entries()[from as usize..] {
            self.table.insert(format!("{} by {}", entry.event.kind.name(), entry.event.actor.name()));
        }
        effects
    }

    fn hear(&mut self, request: RequestId, kind: Chunk, at: usize) {
        let said = Said { approval: StringId(200 + at as u32), ..Said::default() };
        self.tell(Fact::Chunk { request, kind, id: StringId(100 + at as u32), said });
    }

    fn show(&mut self, parts: &[(ToolState, Answer, u64, u64)]) {
        self.parts = parts.to_vec();
        let mut rows = Vec::new();
        for (at, &part) in parts.iter().enumerate() {
            let part_facts = part_facts(at, part);
            let call = self.tell(Fact::Part { known: None, part: part_facts, current: true }).call();
            rows.extend(call.map(|call| (call, part_facts.flags)));
        }
        self.tell(Fact::Step(Step { assistant: true, rows, ..Step::default() }));
    }

    /// Changes what the first part shows.
    fn first(&mut self, part: (ToolState, Answer, u64, u64)) {
        let mut parts = self.parts.clone();
        parts[0] = part;
        self.show(&parts);
    }

    fn decide(&mut self, call: CallId, choice: Choice, lifetime: Option<u64>) {
        self.tell(Fact::Decide {
            named: call.into(),
            shown: None,
            chosen: Chosen {
                choice,
                covers: Covers::Tool,
                edit: tool_approval_guard::core::guard::EditGiven::default(),
                lifetime,
            },
            program: self.program,
        });
    }

    fn judge(&mut self, effect: Effect, always: bool) {
        for call in [CallId(0), CallId(1)] {
            self.tell(Fact::EvaluateRule { call, ruling: Ruling { effect, always, rule: StringId(1) } });
            self.tell(Fact::Match(call));
        }
    }

    fn recall(&mut self, approved: bool, draft: bool, elsewhere: bool) {
        let known = Known { answer: KnownAnswer::of(Some(approved), draft), elsewhere, ..known() };
        self.tell(Fact::Restore { call: CallId(0), known });
    }

    /// The entries since the last call, sorted by name.
    fn said(&mut self) -> String {
        std::mem::take(&mut self.table).into_iter().collect::<Vec<_>>().join(", ")
    }
}

/// The situations, each with the entries that it must cause.
fn table() -> Vec<(&'static str, &'static str, String)> {
    let mut rows = Vec::new();
    let mut row = |what, expected, said: String| rows.push((what, expected, said));
    let (ask, yes, no) = ((ApprovalRequested, Answer::Absent, 7, 0), Answer::Yes, Answer::No);

    let mut s = Scene::asked(|_| {});
    row(
        "a message, and a response that asks",
        "asked by server, ended by server, noticed by server, requested by person, started by server",
        s.said(),
    );
    s.tell(Fact::Annotate { call: CallId(0), dangerous: true, lifetime: Lifetime(Some(200_000)) });
    row("the application's options", "annotated by application", s.said());
    s.tell(Fact::Extend(CallId(0).into()));
    s.tell(Fact::Unmask(CallId(0).into()));
    s.decide(CallId(0), Choice::AllowOnce, None);
    s.decide(CallId(0), Choice::Deny, None);
    s.tell(Fact::Undo(vec![CallId(0).into()]));
    s.tell(Fact::Undo(vec![CallId(0).into()]));
    row(
        "a person at one call",
        "drafted by person, extended by person, refused by person, revealed by person, undone by person",
        s.said(),
    );
    s.decide(CallId(0), Choice::AllowChat, Some(600));
    row("a grant, and what it answers", "drafted by grant, drafted by person, granted by person", s.said());
    s.now += 700.0;
    s.tell(Fact::Wake);
    row("its time is over", "grant-ended by timer, undone by timer", s.said());
    s.now += 150_000.0;
    s.tell(Fact::Wake);
    row("that of the call is nearly", "warned by timer", s.said());
    s.now += 50_000.0;
    s.tell(Fact::Wake);
    row("and over", "expired by timer", s.said());
    s.decide(CallId(1), Choice::Deny, None);
    s.tell(Fact::Commit(CommitCause::Person));
    row(
        "a person commits",
        "acted by person, answered by person, answered by timer, drafted by person",
        s.said(),
    );
    s.decide(CallId(0), Choice::Deny, None);
    row("and denies what had expired", "late-denial by person", s.said());

    let mut s = Scene::asked(|_| {});
    s.said();
    s.program = StringId(9);
    s.decide(CallId(0), Choice::AllowOnce, None);
    s.decide(CallId(0), Choice::AllowOnce, None);
    s.decide(CallId(1), Choice::DenyChat, None);
    row("a program decides", "drafted by external, granted by external, refused by external", s.said());
    s.decide(CallId(0), Choice::Deny, None);
    row("and replaces its allowance", "drafted by external, undone by external", s.said());
    s.tell(Fact::Undo(vec![CallId(1).into()]));
    row("a person undoes it", "grant-ended by person, undone by person", s.said());
    s.decide(CallId(1), Choice::Deny, None);
    s.said();
    s.tell(Fact::Commit(CommitCause::Person));
    row("and commits what the program says again", "acted by person, answered by external", s.said());

    let mut s = Scene::asked(|_| {});
    s.decide(CallId(0), Choice::AllowChat, None);
    s.said();
    s.decide(CallId(1), Choice::Deny, None);
    row("a person denies what a grant has allowed", "drafted by person, undone by person", s.said());
    s.tell(Fact::Revoke { grant: GrantId(1), elsewhere: false });
    row("a person ends a grant", "grant-ended by person", s.said());
    s.tell(Fact::Commit(CommitCause::Predicate));
    s.tell(Fact::Commit(CommitCause::Person));
    row("a commit", "acted by person, answered by person", s.said());
    s.show(&[(ApprovalResponded, yes, 7, 0), (ApprovalResponded, no, 7, 0)]);
    s.tell(Fact::Ask);
    s.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: true });
    row("what follows by itself", "requested by application, sent by application", s.said());
    s.tell(Fact::Started(RequestId(2)));
    s.first((OutputAvailable, yes, 7, 9));
    s.tell(Fact::Ended(RequestId(2)));
    row(
        "the server runs what was allowed, and takes the denial",
        "ended by server, output by server, settled by server, started by server",
        s.said(),
    );
    s.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: false });
    s.tell(Fact::Failed { request: RequestId(3), failure: Failure::Unknown });
    row("the next message breaks", "failed by server, requested by person", s.said());

    let mut s = Scene::asked(|_| {});
    s.show(&[(ApprovalResponded, yes, 7, 0); 2]);
    s.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: true });
    s.tell(Fact::Started(RequestId(2)));
    s.said();
    s.first((OutputAvailable, yes, 7, 9));
    s.tell(Fact::Ended(RequestId(2)));
    row("the server runs one of two", "ended by server, output by server, unhandled by server", s.said());

    let mut s = Scene::asked(|_| {});
    s.said();
    s.decide(CallId(0), Choice::AllowOnce, None);
    s.decide(CallId(1), Choice::Deny, None);
    s.tell(Fact::Commit(CommitCause::Person));
    s.show(&[(ApprovalResponded, yes, 7, 0), (ApprovalResponded, no, 7, 0)]);
    s.said();
    s.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: true });
    s.tell(Fact::Failed { request: RequestId(2), failure: Failure::Status(400) });
    row("a bare continue", "failed by server, requested by application, sent by application", s.said());
    s.tell(Fact::Permit(Permit::Retry));
    s.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: true });
    row("a retry", "acted by person, requested by person, sent by person", s.said());

    let mut s = Scene::asked(|_| {});
    s.decide(CallId(0), Choice::AllowChat, None);
    s.said();
    s.first((ApprovalRequested, Answer::Absent, 8, 0));
    row(
        "the page puts another input there",
        "asked by application, grant-ended by application, undone by application, voided by application",
        s.said(),
    );
    let mut s = Scene::new(|_| {});
    s.hear(RequestId::NONE, Chunk::InputAvailable, 0);
    s.hear(RequestId::NONE, Chunk::ApprovalRequest, 0);
    s.show(&[ask, ask]);
    s.decide(CallId(0), Choice::AllowOnce, None);
    s.said();
    s.first((ApprovalRequested, Answer::Absent, 8, 0));
    row("a resumed response brings another input", "asked by server, voided by server", s.said());
    s.decide(CallId(0), Choice::AllowOnce, None);
    s.said();
    s.first((InputAvailable, Answer::Absent, 8, 0));
    row("and lets the call begin again", "lost by server, withdrawn by server", s.said());

    let mut s = Scene::asked(|_| {});
    s.said();
    s.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: true });
    row("a bare continue over calls that ask", "held by application", s.said());
    s.first((ApprovalResponded, yes, 7, 0));
    row("an answer through the chat", "answered by person", s.said());
    s.tell(Fact::ChatAnswer { approval: StringId(200), approved: false });
    row("and a second one", "refused by person", s.said());
    s.tell(Fact::Stopped);
    row("a stop", "stopped by person, withdrawn by stop", s.said());
    let mut s = Scene::asked(|_| {});
    s.tell(Fact::ChatAnswer { approval: StringId(200), approved: true });
    s.decide(CallId(1), Choice::AllowChat, None);
    s.said();
    s.tell(Fact::Stopped);
    row(
        "a stop before the answer is in the messages",
        "asked by stop, grant-ended by stop, stopped by person, withdrawn by stop",
        s.said(),
    );
    s.decide(CallId(1), Choice::AllowChat, None);
    s.said();
    s.tell(Fact::GuardEnds);
    row("the end of the guard", "grant-ended by leave, withdrawn by leave", s.said());

    let mut s = Scene::asked(|_| {});
    s.decide(CallId(0), Choice::AllowChat, None);
    s.said();
    s.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: false });
    row(
        "the user moves on",
        "closed-by-user-message by superseded, grant-ended by superseded, requested by person, sent by person, \
         superseded by superseded, undone by superseded",
        s.said(),
    );

    let mut s = Scene::asked(|_| {});
    s.said();
    s.first((OutputAvailable, Answer::Absent, 7, 9));
    row(
        "the page writes an output over a call that asks",
        "output-without-approval by application",
        s.said(),
    );
    s.first((OutputAvailable, yes, 8, 9));
    row("and an allowance with another input", "refused by person", s.said());
    s.decide(CallId(1), Choice::Deny, None);
    s.tell(Fact::ChatAnswer { approval: StringId(201), approved: false });
    s.said();
    let first = s.parts[0];
    s.show(&[first, (OutputAvailable, no, 7, 9)]);
    row("and an output over a denial", "overwritten by application", s.said());

    let mut s = Scene::asked(|options| options.policy.attended = false);
    s.said();
    s.tell(Fact::Match(CallId(0)));
    s.tell(Fact::Match(CallId(1)));
    s.tell(Fact::Commit(CommitCause::Predicate));
    row("nobody is there to ask", "answered by unattended, drafted by unattended", s.said());

    let mut s = Scene::asked(|_| {});
    s.said();
    s.judge(Effect::Allow, false);
    row("a rule allows", "drafted by rule, rule-evaluated by rule", s.said());
    s.judge(Effect::Ask, true);
    row("rules ask", "rule-evaluated by rule, undone by rule", s.said());
    s.decide(CallId(0), Choice::AllowChat, None);
    s.said();
    s.judge(Effect::Deny, false);
    row(
        "rules deny",
        "drafted by rule, grant-ended by rule, rule-evaluated by rule, undone by rule",
        s.said(),
    );

    let mut s = Scene::new(|_| {});
    s.tell(Fact::Hydrate(true));
    s.show(&[(ApprovalResponded, yes, 7, 0), (OutputDenied, no, 7, 0)]);
    row("the first attach", "answered by history, noticed by history, settled by history", s.said());
    s.tell(Fact::Hydrate(false));
    let mut s = Scene::new(|_| {});
    s.tell(Fact::Hydrate(true));
    s.show(&[ask, (OutputAvailable, Answer::Absent, 7, 9)]);
    row(
        "and what asks there, or was run",
        "answered by history, asked by history, noticed by history, output by history",
        s.said(),
    );
    s.tell(Fact::Hydrate(false));
    s.recall(true, true, false);
    row("a draft of an earlier page", "drafted by history, waited by history", s.said());
    s.recall(false, true, true);
    row("a denial that another tab has drafted", "drafted by tab, undone by tab", s.said());
    s.recall(true, false, true);
    s.recall(false, false, true);
    row("what another tab has answered", "elsewhere by tab", s.said());
    s.tell(Fact::Restore { call: CallId(0), known: known() });
    row("what another tab has taken back", "asked by tab", s.said());
    s.recall(true, false, true);
    s.first((ApprovalResponded, yes, 7, 0));
    s.said();
    s.tell(Fact::Restore { call: CallId(0), known: known() });
    row("the same, where the part shows a yes", "asked by tab, refused by tab", s.said());
    let mut s = Scene::new(|_| {});
    s.show(&[ask, ask]);
    s.said();
    s.recall(true, false, false);
    row("the actor of an answer of an earlier page", "recalled by person, waited by history", s.said());
    s.tell(Fact::RestoreGrant {
        tool: Tool { name: TOOL, server: StringId::NONE },
        approved: true,
        cover: Cover::Tool,
        lifetime: None,
    });
    row("a grant of an earlier page", "regranted by history", s.said());
    s.tell(Fact::RestoreSends(2));
    row("requests that left by themselves in an earlier page", "recounted by history", s.said());
    let mut s = Scene::new(|_| {});
    let lost =
        PartFacts { approval: StringId::NONE, ..part_facts(0, (InputAvailable, Answer::Absent, 7, 0)) };
    s.tell(Fact::Part { known: None, part: lost, current: true });
    s.said();
    s.recall(true, true, false);
    row("a question that the messages have lost", "asked by history, lost by history", s.said());

    let mut s = Scene::asked(|_| {});
    s.decide(CallId(0), Choice::AllowChat, None);
    s.said();
    for (by, expected) in [
        (Trigger::Edit, "gone by edit, grant-ended by edit, undone by edit"),
        (Trigger::Regenerate, "gone by regenerate"),
        (Trigger::Submit, "gone by application"),
    ] {
        s.tell(Fact::Missing(CallId(0)));
        s.tell(Fact::ScanComplete(by));
        row("a message is gone", expected, s.said());
        s.first(ask);
        row("and comes back", "returned by application", s.said());
    }
    let mut s = Scene::new(|options| {
        options.client_tools = vec![TOOL];
        options.policy.output_ms = Some(5_000);
    });
    s.show(&[(InputAvailable, Answer::Absent, 7, 0)]);
    row("the page has to run a call", "awaited by application, noticed by server", s.said());
    s.now += 4_000.0;
    s.tell(Fact::Wake);
    row("and has time", "", s.said());
    s.now += 1_000.0;
    s.tell(Fact::Wake);
    row("which is over", "timed-out by timer", s.said());
    rows
}

/// Law 12: a call of the page times out only while it waits for its output, and stays so until it has one.
#[test]
fn a_call_that_the_page_does_not_run_times_out_until_it_has_its_output() {
    let scene = |part| {
        let mut scene = Scene::new(|options| {
            options.client_tools = vec![TOOL];
            options.policy.output_ms = Some(5_000);
        });
        scene.show(&[part]);
        scene
    };
    let over = |scene: &mut Scene, after: f64| {
        scene.now += after;
        scene.tell(Fact::Wake);
        scene.guard.timed_out()
    };
    let (open, yes) = ((InputAvailable, Answer::Absent, 7, 0), (ApprovalResponded, Answer::Yes, 7, 0));
    for part in [open, yes] {
        let mut s = scene(part);
        assert_eq!(over(&mut s, 4_900.0), []);
        assert!(s.guard.next_end(&s.guard.batch()).is_some_and(|end| end <= s.guard.clock().time() + 100));
        assert_eq!(over(&mut s, 100.0), [CallId(0)]);
        s.show(&[part]);
        s.said();
        assert_eq!(over(&mut s, 50_000.0), [CallId(0)], "as long as nobody has written its error");
        assert_eq!(s.said(), "", "it is recorded once");
        s.show(&[(ToolState::OutputError, part.1, 7, 9)]);
        assert_eq!(over(&mut s, 50_000.0), []);
    }
    // Others are not limited: an asking call, a denied one, one that has its output, one whose input still comes.
    for part in [
        (ApprovalRequested, Answer::Absent, 7, 0),
        (ApprovalResponded, Answer::No, 7, 0),
        (OutputAvailable, Answer::Absent, 7, 9),
        (ToolState::InputStreaming, Answer::Absent, 7, 0),
    ] {
        assert_eq!(over(&mut scene(part), 50_000.0), [], "{part:?}");
    }
    // An output in time ends the wait, and so does a list without the call.
    let mut s = scene(open);
    s.show(&[(OutputAvailable, Answer::Absent, 7, 9)]);
    assert_eq!(over(&mut s, 50_000.0), []);
    let mut s = scene(open);
    s.show(&[]);
    assert_eq!(over(&mut s, 50_000.0), []);
    // A clock that goes backwards gives no more time.
    let mut s = scene(open);
    assert_eq!(over(&mut s, 4_000.0), []);
    assert_eq!(over(&mut s, -10_000.0), []);
    s.now += 10_000.0;
    assert_eq!(over(&mut s, 1_000.0), [CallId(0)]);
}

#[test]
fn law_14_each_entry_names_who_caused_it() {
    let wrong = table().into_iter().filter(|(_, expected, said)| said != expected);
    let wrong: Vec<String> =
        wrong.map(|(what, expected, said)| format!("{what}:\n  {said}\n  {expected}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_kind_of_entry_is_in_the_table() {
    let said: Vec<String> = table().into_iter().map(|(_, _, said)| said).collect();
    // Kinds that occur only in records or in long chats.
    let elsewhere = [EventKind::Absorbed, EventKind::Forgotten];
    for kind in EventKind::ALL.iter().filter(|kind| !elsewhere.contains(kind)) {
        let named =
            |said: &String| said.split(", ").any(|entry| entry.starts_with(&format!("{} by ", kind.name())));
        assert!(said.iter().any(named), "{}", kind.name());
    }
}

/// C69: a part that has lost its question gets it back only if the record has exactly one such question about
/// the same input.
#[test]
fn a_lost_question_comes_back_only_where_it_is_certain() {
    let asks = |candidates, same_input| {
        let mut scene = Scene::new(|_| {});
        scene.show(&[(InputAvailable, Answer::Absent, 7, 0)]);
        let known = Known { answer: KnownAnswer::None, candidates, same_input, ..known() };
        let restored = scene.tell(Fact::Restore { call: CallId(0), known }).call();
        let call = scene.guard.state().calls.get(CallId(0)).unwrap();
        assert_eq!(restored.is_some(), call.asking());
        call.asking()
    };
    assert!(asks(1, true));
    assert!(!asks(1, false), "another input");
    assert!(!asks(2, true), "it could be one of two");
}

/// Law 3: an answer that the record says was refused, or may have arrived, is settled when it says later that it has
/// arrived, because another tab has sent it again.
#[test]
fn an_answer_of_the_record_that_failed_ends_with_its_delivery() {
    let verdict = |reaches: &[Reach]| {
        let mut scene = Scene::new(|_| {});
        scene.show(&[(ApprovalRequested, Answer::Absent, 7, 0)]);
        for &reach in reaches {
            let known = Known { answer: KnownAnswer::Answer(true), reach, ..known() };
            scene.tell(Fact::Restore { call: CallId(0), known });
        }
        scene.guard.verdict()
    };
    assert_eq!(verdict(&[Reach::Failed]), Reason::Failed);
    assert_eq!(verdict(&[Reach::Sent]), Reason::InDoubt);
    for first in [Reach::Failed, Reach::Sent] {
        assert_eq!(verdict(&[first, Reach::Ended]), Reason::AlreadySent);
    }
}

/// Law 3: if two tabs have given the same answer, and no request of either has carried it, it is still news in both. The one
/// that claims it sends it.
#[test]
fn law_3_an_answer_of_this_page_stays_news_if_another_tab_gives_the_same() {
    let verdict = |own: bool, answer: bool, elsewhere: bool, reach: Reach| {
        let mut scene = Scene::new(|_| {});
        scene.show(&[(ApprovalRequested, Answer::Absent, 7, 0)]);
        scene.tell(Fact::ChatAnswer { approval: StringId(200), approved: own });
        let shown = if own { Answer::Yes } else { Answer::No };
        scene.show(&[(ApprovalResponded, shown, 7, 0)]);
        let known = Known { answer: KnownAnswer::Answer(answer), elsewhere, reach, ..known() };
        scene.tell(Fact::Restore { call: CallId(0), known });
        scene.guard.verdict()
    };
    for approved in [true, false] {
        assert_eq!(verdict(approved, approved, false, Reach::Unsent), Reason::Answered);
        // What another tab has sent is not.
        assert!(!verdict(approved, approved, true, Reach::Sent).sends());
        assert!(!verdict(approved, approved, false, Reach::Ended).sends());
    }
}

/// Law 3: a decision in a page that was stopped is an act of a person also where another tab has given the same answer, which
/// this page then takes. The answer of another tab alone is none.
#[test]
fn law_3_a_decision_ends_a_stop_also_if_another_tab_has_decided_the_same() {
    for (approved, choice) in [(true, Choice::AllowOnce), (false, Choice::Deny)] {
        let known = Known { answer: KnownAnswer::Answer(approved), elsewhere: true, ..known() };
        let stopped = |decides: bool| {
            let mut scene = Scene::asked(|_| {});
            scene.tell(Fact::Stopped);
            if decides {
                scene.decide(CallId(0), choice, None);
            }
            scene.tell(Fact::Restore { call: CallId(0), known });
            let stopped = scene.guard.state().stopped;
            // What the record says again is no second act.
            scene.tell(Fact::Stopped);
            scene.tell(Fact::Restore { call: CallId(0), known: Known { reach: Reach::Sent, ..known } });
            assert!(scene.guard.state().stopped, "{choice:?}");
            stopped
        };
        assert!(!stopped(true), "{choice:?}");
        assert!(stopped(false), "{choice:?}");
    }
}

/// Law 14: the output of a call that another tab has sent is the server's also behind a message of a person.
#[test]
fn law_14_the_output_of_a_call_that_was_closed_in_doubt_is_the_servers() {
    let mut scene = Scene::asked(|_| {});
    let known = Known { answer: KnownAnswer::Answer(true), elsewhere: true, reach: Reach::Sent, ..known() };
    scene.tell(Fact::Restore { call: CallId(0), known });
    scene.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: false });
    scene.said();
    scene.first((OutputAvailable, Answer::Yes, 7, 9));
    assert_eq!(scene.said(), "overwritten by server");
    // What the page itself writes stays its own.
    scene.tell(Fact::PageOutput { id: StringId(100), output: 8 });
    scene.said();
    scene.first((OutputAvailable, Answer::Yes, 7, 8));
    assert_eq!(scene.said(), "overwritten by application");
}

/// Law 5: what the page wrote over the question is no output of the allowance that came after it, also if a running response puts
/// it back. The page may write the same once more.
#[test]
fn law_5_an_output_that_was_written_over_the_question_is_none_when_it_comes_back() {
    let mut scene = Scene::asked(|_| {});
    scene.tell(Fact::ReportsAnswers(true));
    scene.tell(Fact::PageOutput { id: StringId(100), output: 9 });
    scene.first((OutputAvailable, Answer::Absent, 7, 9));
    scene.first((ApprovalRequested, Answer::Absent, 7, 0));
    scene.tell(Fact::ChatAnswer { approval: StringId(200), approved: true });
    scene.first((ApprovalResponded, Answer::Yes, 7, 0));
    scene.said();
    scene.first((OutputAvailable, Answer::Absent, 7, 9));
    assert_eq!(scene.said(), "");
    let call = |scene: &Scene| *scene.guard.state().calls.get(CallId(0)).unwrap();
    assert!(call(&scene).allowed_without_output());
    scene.tell(Fact::PageOutput { id: StringId(100), output: 9 });
    scene.first((OutputAvailable, Answer::Yes, 7, 9));
    assert_eq!(scene.said(), "output by application");
}

/// Law 14: what this page's person has said stays that person's, also if another tab sends the same, and however often the
/// record is read. The model is told that its result is not known here.
#[test]
fn law_14_what_the_person_has_said_is_the_persons_whichever_tab_sends_it() {
    for choice in [Choice::AllowOnce, Choice::Deny] {
        let mut scene = Scene::asked(|_| {});
        scene.decide(CallId(0), choice, None);
        let answer = KnownAnswer::Answer(choice.allows());
        let known = Known { answer, elsewhere: true, reach: Reach::Sent, ..known() };
        for reading in 1..=3 {
            scene.tell(Fact::Restore { call: CallId(0), known });
            let call = scene.guard.state().calls.get(CallId(0)).unwrap();
            let actor = call.decision().map(|decision| decision.actor);
            assert_eq!((call.elsewhere(), actor), (true, Some(Actor::Person)), "{choice:?} {reading}");
            assert_eq!(cause(call), choice.allows().then_some(Cause::Doubt));
        }
    }
}

/// Law 7: an allowance that a request has carried stands over a denial that came later and has not left, drafted or
/// answered, whatever has become of the request. One that no request has carried does not.
#[test]
fn law_7_an_allowance_that_was_sent_stands_over_a_later_denial() {
    for is_draft in [true, false] {
        for (reach, expected) in [
            (Reach::Unsent, Some(false)),
            (Reach::Failed, Some(true)),
            (Reach::Sent, Some(true)),
            (Reach::Ended, Some(true)),
        ] {
            let mut scene = Scene::asked(|_| {});
            if is_draft {
                scene.decide(CallId(0), Choice::Deny, None);
            } else {
                scene.tell(Fact::ChatAnswer { approval: StringId(200), approved: false });
            }
            let known = Known { answer: KnownAnswer::Answer(true), reach, ..known() };
            scene.tell(Fact::Restore { call: CallId(0), known });
            let call = scene.guard.state().calls.get(CallId(0)).unwrap();
            let answer = call.answer().map(|answer| answer.approved);
            assert_eq!(answer, expected, "{is_draft} {reach:?}");
            assert!(!scene.guard.verdict().sends() || reach == Reach::Unsent, "{is_draft} {reach:?}");
        }
    }
}

/// Law 7: a denial that was drafted elsewhere beats a drafted allowance, also if its page has been closed since; an
/// allowance beats nothing, and what was undone since stays undone.
#[test]
fn law_7_a_drafted_denial_beats_a_drafted_allowance_also_of_a_page_that_is_gone() {
    let drafted = |choice: Choice, approved: bool, elsewhere: bool| {
        let mut scene = Scene::asked(|_| {});
        scene.decide(CallId(0), choice, None);
        let known = Known { answer: KnownAnswer::Draft(approved), elsewhere, ..known() };
        scene.tell(Fact::Restore { call: CallId(0), known });
        let draft = |scene: &Scene| scene.guard.state().calls.get(CallId(0)).unwrap().draft();
        let answer = draft(&scene).map(|draft| draft.decision.approved);
        scene.tell(Fact::Undo(vec![CallId(0).into()]));
        scene.tell(Fact::Restore { call: CallId(0), known });
        (answer, draft(&scene).is_some())
    };
    for elsewhere in [true, false] {
        // What another tab holds is undone there.
        assert_eq!(drafted(Choice::AllowOnce, false, elsewhere), (Some(false), elsewhere), "{elsewhere}");
        assert_eq!(drafted(Choice::Deny, true, elsewhere).0, Some(false), "{elsewhere}");
    }
}

/// Law 13: a doubt ends where the record has the result, because another tab has sent the call again.
#[test]
fn a_doubt_ends_with_the_result_that_another_tab_has() {
    let verdict = |settled: bool| {
        let mut scene = Scene::asked(|_| {});
        for call in 0..2 {
            scene.decide(CallId(call), Choice::AllowOnce, None);
        }
        scene.tell(Fact::Commit(CommitCause::Person));
        scene.tell(Fact::Ask);
        scene.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: true });
        scene.tell(Fact::Failed { request: RequestId(2), failure: Failure::Unknown });
        assert_eq!(scene.guard.verdict(), Reason::InDoubt);
        let known = Known {
            answer: KnownAnswer::Answer(true),
            elsewhere: true,
            settled,
            reach: Reach::Ended,
            ..known()
        };
        for call in 0..2 {
            scene.tell(Fact::Restore { call: CallId(call), known });
        }
        scene.guard.verdict()
    };
    assert_eq!(verdict(true), Reason::NothingNew);
    assert_eq!(verdict(false), Reason::InDoubt);
}

/// Law 4: what another tab has denied is settled here too, as soon as its response has ended there.
#[test]
fn law_4_a_denial_of_another_tab_is_settled_once_it_is_settled_there() {
    for own in [None, Some(Choice::Deny)] {
        let mut scene = Scene::asked(|_| {});
        if let Some(choice) = own {
            scene.decide(CallId(0), choice, None);
        }
        let settled = |scene: &mut Scene, settled: bool, reach: Reach| {
            let answer = KnownAnswer::Answer(false);
            let known = Known { answer, elsewhere: true, settled, reach, ..known() };
            scene.tell(Fact::Restore { call: CallId(0), known });
            scene.guard.state().calls.get(CallId(0)).map(|call| call.denial_settled())
        };
        assert_eq!(settled(&mut scene, false, Reach::Sent), Some(false), "{own:?}");
        assert_eq!(settled(&mut scene, true, Reach::Ended), Some(true), "{own:?}");
        let entries = scene.guard.entries().len();
        assert_eq!(settled(&mut scene, true, Reach::Ended), Some(true), "{own:?}");
        assert_eq!(scene.guard.entries().len(), entries, "nothing is said twice");
    }
}

#[test]
fn law_14_a_denial_stays_its_persons_also_if_another_tab_has_committed_it() {
    for (choice, own) in [(Choice::Deny, Actor::Person), (Choice::AllowOnce, Actor::Tab)] {
        let mut s = Scene::asked(|_| {});
        s.decide(CallId(0), choice, None);
        s.recall(false, false, true);
        let call = s.guard.state().calls.get(CallId(0)).expect("the call");
        assert_eq!(call.decision().map(|it| (it.approved, it.actor)), Some((false, own)), "{choice:?}");
        assert!(call.elsewhere(), "the other tab sends it");
    }
}

#[test]
fn law_12_a_clock_that_was_set_back_between_two_pages_leaves_no_time() {
    let left = |latest| {
        let mut s = Scene::asked(|_| {});
        s.now = 10_000.0;
        let known = Known { deadline: Some(60_000), latest, ..known() };
        s.tell(Fact::Restore { call: CallId(0), known });
        let call = s.guard.state().calls.get(CallId(0)).expect("the call");
        call.deadline().map(|deadline| deadline.saturating_sub(s.guard.clock().time()))
    };
    let whole = left(None).expect("a deadline");
    assert!((49_000..=50_000).contains(&whole), "{whole}");
    assert_eq!(left(Some(10_000)), Some(whole), "the page before was closed just now");
    assert!(left(Some(10_500)).is_some_and(|left| left < whole), "another device is a little ahead");
    assert_eq!(left(Some(50_000)), Some(0), "nobody knows how much time has passed");
}

#[test]
fn law_12_what_is_shown_has_ended_when_its_time_is_over() {
    let mut s = Scene::asked(|_| {});
    s.tell(Fact::Annotate { call: CallId(0), dangerous: false, lifetime: Lifetime(Some(1_000)) });
    s.now += 2_000.0;
    s.tell(Fact::Look);
    let call = s.guard.state().calls.get(CallId(0)).expect("the call");
    assert_eq!(
        call.draft().map(|draft| (draft.decision.actor, draft.undoable())),
        Some((Actor::Timer, false))
    );
}

#[test]
fn c25_a_standing_grant_would_answer_and_an_ended_one_would_not() {
    let mut s = Scene::asked(|_| {});
    let tool = Tool { name: TOOL, server: StringId::NONE };
    let other = Tool { server: StringId(9), ..tool };
    s.decide(CallId(0), Choice::AllowChat, None);
    s.tell(Fact::Commit(CommitCause::Person));
    assert_eq!(s.guard.granted(tool, &[]), None, "its own answer is not delivered");
    s.tell(Fact::Ask);
    let request =
        s.tell(Fact::Send { chat: StringId(1), trigger: Trigger::Submit, continues: true }).request();
    s.tell(Fact::Started(request));
    assert_eq!(s.guard.granted(tool, &[]), Some(GrantId(1)));
    assert_eq!(s.guard.granted(other, &[]), None);
    s.tell(Fact::Revoke { grant: GrantId(1), elsewhere: false });
    assert_eq!((s.guard.granted(tool, &[]), s.guard.state().standing().count()), (None, 0));
    assert!(s.guard.state().grant(GrantId(1)).is_some(), "its number stays its own");
}
