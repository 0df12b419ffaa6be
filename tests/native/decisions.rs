//! The laws about decisions of a person, as properties of random histories. The oracle is written from the
//! text of the laws: it knows what happened, but not how the guard stores it; see `common/oracle.rs` and
//! `common/oracle_laws`.

use crate::common::decision_harness::{DecisionHarness, Law};
use crate::common::decisions::{End, History, Move, Op, Setup, Spec, Step, TOOL, With, clock, history};
use crate::common::occurrences::{config, property};
use crate::common::oracle::Content;
use proptest::prelude::*;
use tool_approval_guard::core::call::{PartFacts, PartFlags, Place};
use tool_approval_guard::core::clock::{Clock, Now, Time};
use tool_approval_guard::core::decision::{Actor, Choice};
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::{Covers, Fact, Guard, Lifetime};
use tool_approval_guard::core::id::{CallId, StringId};
use tool_approval_guard::core::ledger::SEGMENT;
use tool_approval_guard::core::policy::{Policy, WhenUserSends};
use tool_approval_guard::core::protocol::ToolState;

/// Checks that this law was kept. A history ends at the first law that it breaks, so that no other law is
/// blamed for it.
fn keeps(harness: &DecisionHarness, law: Law) -> Result<(), TestCaseError> {
    match &harness.broken {
        Some((broken, what)) if *broken == law => Err(TestCaseError::fail(what.clone())),
        _ => Ok(()),
    }
}

/// Checks a law on histories in which its case occurs more often than in others.
fn law(law: Law, focus: Option<Law>, floors: &[(&'static str, u32)]) {
    property(config(1200), history(focus), floors, |history, occurred| {
        let harness = DecisionHarness::run(&history);
        harness.oracle.occurred.iter().for_each(|(what, times)| occurred.add(what, *times));
        keeps(&harness, law)
    });
}

/// A call is allowed only by a person's answer to exactly this call and input, given in time, or by an active
/// grant that covers it. An allowance is sent only if there is one.
#[test]
fn law_5_no_invented_yes() {
    let floors =
        [("an allowance was given", 300), ("an allowance has left", 60), ("a grant has answered", 30)];
    law(Law::NoInventedYes, Some(Law::NoInventedYes), &floors);
}

/// "An answer holds for the input that was shown; with another input the answer is void and the call asks again."
/// A changed input leaves with the call that was allowed with it, and with no other (law 6).
#[test]
fn law_4_an_answer_is_of_one_input() {
    law(Law::OneInput, Some(Law::OneInput), &[("an answer was void", 15)]);
}

/// A denial that was not undone stands, and a refused act changes nothing.
#[test]
fn law_7_first_answer_wins_and_deny_wins_a_tie() {
    let floors = [
        ("a decision was refused", 350),
        ("a direct answer has met another draft", 12),
        ("a newer answer has counted", 2),
        ("a denial has left", 500),
    ];
    law(Law::FirstAnswerWins, Some(Law::FirstAnswerWins), &floors);
}

/// Exactly the drafts are committed, in the order of the parts, all or none, when it is time, and never while
/// the person's page is gone.
#[test]
fn law_8_undo_until_sent() {
    let floors = [
        ("a draft was undone", 70),
        ("what was sent was asked once more", 25),
        ("a batch was committed by a person", 30),
        ("a batch was committed when it was due", 25),
        ("a batch was decided, and waited", 30),
    ];
    law(Law::UndoUntilSent, Some(Law::UndoUntilSent), &floors);
}

/// Folding the entries gives the state after each step, and the same facts give the same entries.
#[test]
fn law_10_replay() {
    property(config(1000), history(None), &[("calls were forgotten", 40)], |history, occurred| {
        let harness = DecisionHarness::run(&history);
        keeps(&harness, Law::Replay)?;
        occurred.count_if(harness.guard.forgotten() > CallId(0), "calls were forgotten");
        // Without `at`, because the wall clock may return NaN.
        let events = |harness: &DecisionHarness| {
            let entries = harness.log.iter();
            entries.map(|entry| (entry.time, entry.event)).collect::<Vec<_>>()
        };
        prop_assert_eq!(events(&harness), events(&DecisionHarness::run(&history)));
        Ok(())
    });
}

/// A reader who has only the stored lines knows the same as the guard.
#[test]
fn law_10_the_stored_text_says_the_same() {
    let floors = [("a draft was undone", 20), ("a grant was given", 80), ("a call has expired", 35)];
    property(config(600), history(None), &floors, |history, occurred| {
        let harness = DecisionHarness::run_written(&history);
        harness.oracle.occurred.iter().for_each(|(what, times)| occurred.add(what, *times));
        let difference = harness.lines.as_ref().and_then(|lines| lines.difference(&harness.guard));
        prop_assert_eq!(difference, None);
        Ok(())
    });
}

/// What has ended stays ended, whatever the clocks say, and whether or not a timer fires.
#[test]
fn law_12_time_only_closes() {
    let floors = [("a call has expired", 120), ("an act came after an end", 100)];
    law(Law::TimeOnlyCloses, Some(Law::TimeOnlyCloses), &floors);
}

/// A sent but undelivered answer is in doubt, even if a resumed stream asks again, and is not sent
/// automatically.
#[test]
fn law_13_doubt_stays_doubt() {
    let floors = [("a step in doubt was asked about", 10), ("what was sent was asked once more", 25)];
    law(Law::Doubt, Some(Law::Doubt), &floors);
}

#[test]
fn c90_c93_c94_grants() {
    let floors = [("a grant was given", 200), ("a grant has answered", 50), ("a grant was revoked", 15)];
    law(Law::Grants, Some(Law::Grants), &floors);
}

/// Nothing in the browser allows a call that a rule denies, and no grant answers a call that a rule always
/// asks about. A rule allows only calls that it matches.
#[test]
fn c93_rules() {
    let floors = [("a rule has answered", 150), ("a lasting choice has answered others", 5)];
    property(config(1000), history(None), &floors, |history, occurred| {
        let harness = DecisionHarness::run_ruled(&history);
        occurred.count_if(harness.covered_others, "a lasting choice has answered others");
        occurred.count_if(harness.answered_by_rule, "a rule has answered");
        keeps(&harness, Law::Rules)
    });
}

/// The actor and the time of each entry. `explain()` is tested with the package.
#[test]
fn law_14_the_record_tells_the_truth() {
    property(
        config(1000),
        history(None),
        &[("an entry that no person has caused", 10000)],
        |history, occurred| {
            for harness in [DecisionHarness::run(&history), DecisionHarness::run_ruled(&history)] {
                let by_machine = harness.log.iter().filter(|entry| entry.event.actor != Actor::Person);
                occurred.add("an entry that no person has caused", by_machine.count() as u32);
                keeps(&harness, Law::Truth)?;
            }
            Ok(())
        },
    );
}

/// Equal calls are counted, once each, if they were denied by a person, by a grant, or because nobody
/// attends.
#[test]
fn c09_refusals_count() {
    law(Law::Loops, Some(Law::Loops), &[("a loop", 100)]);
}

/// Equal calls are found as the text says: the same tool of the same server, the same input, the same marks and
/// the same answer. Their drafts are undone together.
#[test]
fn c41_equal_calls() {
    let floors = [
        ("calls that ask were equal", 300),
        ("answered calls were equal", 300),
        ("equal drafts were undone together", 20),
    ];
    property(config(1000), history(Some(Law::Equal)), &floors, |history, occurred| {
        for harness in [DecisionHarness::run(&history), DecisionHarness::run_ruled(&history)] {
            occurred.add("calls that ask were equal", harness.equals[0]);
            occurred.add("answered calls were equal", harness.equals[1]);
            occurred.count_if(harness.undid_equals, "equal drafts were undone together");
            keeps(&harness, Law::Equal)?;
            keeps(&harness, Law::UndoUntilSent)?;
        }
        Ok(())
    });
}

/// A stop withdraws all drafts, and nothing is drafted automatically until a person acts.
#[test]
fn c37_c55_a_stop_takes_drafts_back() {
    let floors = [
        ("a stop has taken a draft back", 90),
        ("a stop has taken an allowance back", 10),
        ("an answer that was not sent was asked about after a stop", 10),
    ];
    law(Law::Stop, Some(Law::Stop), &floors);
}

/// A message closes open and unsent calls, and a denied call stays denied.
#[test]
fn c60_a_message_closes() {
    law(Law::MovesOn, Some(Law::MovesOn), &[("a message has closed a call", 350)]);
}

/// All laws at once, with no preference for any.
#[test]
fn every_law() {
    let floors = [("calls were forgotten", 100), ("a lasting choice has answered others", 50)];
    property(config(2500), history(None), &floors, |history, occurred| {
        let harness = DecisionHarness::run(&history);
        occurred.count_if(harness.covered_others, "a lasting choice has answered others");
        occurred.count_if(harness.guard.forgotten() > CallId(0), "calls were forgotten");
        let broken = harness.broken.map(|(law, what)| format!("{law:?}: {what}"));
        prop_assert_eq!(broken, None);
        Ok(())
    });
}

// ---- one history each ----

/// Runs one history without pauses, in a chat that already had calls with these answers.
fn kept(undo: Option<Time>, loaded: &[Option<bool>], ops: &[Op]) {
    let policy = Policy {
        when_user_sends: WhenUserSends::Pass,
        undo_ms: undo,
        undo_ms_when_dangerous: undo,
        warn_ms: Some(500),
        ..Policy::default()
    };
    let setup = Setup { policy, segment: SEGMENT, history: loaded.to_vec() };
    let steps = ops.iter().map(|op| Step { op: op.clone(), clock: Move::Both(0.0), timer: false });
    let harness = DecisionHarness::run(&History { setup, steps: steps.collect() });
    assert_eq!(harness.broken, None);
}

fn asking() -> Vec<Spec> {
    vec![Spec::new(TOOL, Content { a: 0, b: 0 })]
}

/// Until a request has carried it, the newest answer in the messages counts, even over one that was heard.
#[test]
fn law_7_the_newest_answer_in_the_messages_counts() {
    let direct = |yes, heard| Op::Direct { which: 0, yes, heard, with: With::Nothing };
    let ops = [
        Op::Transaction(asking()),
        direct(true, true),
        Op::Replay(0),
        direct(false, false),
        Op::Overwrite(0),
    ];
    kept(Some(0), &[], &ops);
}

/// With another input the answer is void and the call asks about the new input. A decision about the new
/// input stands when the question is put back.
#[test]
fn law_8_a_draft_is_of_the_input_that_was_shown() {
    let decide = Op::Decide(0, Choice::AllowOnce, Covers::Tool, None);
    let ops = [Op::Change(0), Op::Overwrite(0), Op::Change(0), decide, Op::Settle(true)];
    kept(Some(1_000), &[Some(false)], &ops);
}

/// A stored allowance is void for another input, also where a replayed stream puts the question back.
#[test]
fn law_5_a_stored_allowance_is_of_the_input_that_was_shown() {
    kept(None, &[Some(true)], &[Op::Change(0), Op::Say, Op::Finish(End::Ended), Op::Replay(0)]);
}

/// A grant counts as delivered once the server has run its own call, even in the response to another request.
#[test]
fn c90_a_grant_is_delivered_where_the_server_has_run_its_call() {
    let respond = || Op::Respond(vec![Spec { asks: false, ..asking()[0] }], End::Ended);
    let decide = Op::Decide(0, Choice::AllowChat, Covers::Tool, None);
    kept(Some(0), &[None], &[decide, Op::Commit, Op::Say, respond(), respond()]);
}

// ---- law 12: repeated annotations of a call ----

/// A guard with one call that asks.
fn asked() -> Guard {
    let mut guard = Guard::new(crate::common::options(Vec::new()));
    let place = Place { message: StringId(100), index: 1, user_turn: 1, step: 1, occurrence: 0 };
    let flags = PartFlags::from_code(ToolState::ApprovalRequested as u32);
    let part_facts = PartFacts {
        place,
        tool: StringId(50),
        server: StringId::NONE,
        id: StringId(60),
        approval: StringId(70),
        flags,
        input: 1,
        edit: 0,
        output: 0,
    };
    guard.handle(Fact::Part { known: None, part: part_facts, current: true }, 0.0);
    guard
}

#[test]
fn law_12_a_mark_tells_the_deadline_that_holds() {
    let mut guard = asked();
    let marks =
        [(None, 1.0, None), (Some(10), 7.0, Some(17)), (Some(99), 8.0, Some(17)), (None, 9.0, Some(17))];
    for (lifetime, now, holds) in marks {
        // Something is new each time, so that it is recorded.
        guard.handle(
            Fact::Annotate { call: CallId(0), dangerous: now == 1.0, lifetime: Lifetime(lifetime) },
            now,
        );
        let entry = guard.entries().last().unwrap();
        assert_eq!(guard.state().calls.get(CallId(0)).unwrap().deadline(), holds);
        assert_eq!(entry.event.kind, EventKind::Annotated);
        assert_eq!(entry.event.deadline, holds, "{entry:?}");
    }
}

#[test]
fn law_12_a_lifetime_without_end_does_not_overflow() {
    let mut guard = asked();
    guard.handle(
        Fact::Annotate { call: CallId(0), dangerous: false, lifetime: Lifetime(Some(Time::MAX)) },
        5.0,
    );
    assert_eq!(guard.state().calls.get(CallId(0)).unwrap().deadline(), Some(Time::MAX));
}

// ---- law 12: the clock alone ----

fn moves() -> impl Strategy<Value = Vec<Move>> {
    prop::collection::vec(clock(Some(Law::TimeOnlyCloses)), 1..60)
}

/// The first readings of the clocks and those after each move, whether they were used, and the guard's time.
fn ticks(moves: &[Move]) -> Vec<(Now, bool, Time)> {
    let mut clock = Clock::default();
    let mut now = Now { wall: 1.7e12, steady: 20.0 };
    let mut ticks = vec![(now, true, clock.tick(now))];
    for by in moves {
        now.wall += if let Move::Both(ms) | Move::Wall(ms) = by { *ms } else { 0.0 };
        now.steady += if let Move::Both(ms) | Move::Steady(ms) = by { *ms } else { 0.0 };
        let unread = matches!(by, Move::Unread);
        let said = if unread { Now { wall: f64::NAN, ..now } } else { now };
        ticks.push((now, !unread, clock.tick(said)));
    }
    ticks
}

proptest! {
    #![proptest_config(config(2000))]

    /// From any moment on, time passes at least as fast as each clock, except for a second. In each step it
    /// never passes faster than the faster clock, and it never goes back.
    #[test]
    fn law_12_the_clock_follows_the_faster_one(moves in moves()) {
        let ticks = ticks(&moves);
        for (at, &(later, read, time)) in ticks.iter().enumerate() {
            for &(earlier, _, then) in &ticks[..at] {
                prop_assert!(time >= then, "from {then} to {time}");
                let clocks = (later.wall - earlier.wall).max(later.steady - earlier.steady);
                let passed = (time - then) as f64 + 1_001.0;
                prop_assert!(!read || passed >= clocks, "{passed} of {clocks} ms");
            }
        }
        let faster = |a: Now, b: Now| (b.wall - a.wall).max(b.steady - a.steady).max(0.0);
        let most: f64 = ticks.windows(2).map(|pair| faster(pair[0].0, pair[1].0)).sum();
        prop_assert!(ticks.last().is_some_and(|&(_, _, time)| time as f64 <= most + 1.0), "{ticks:?}");
    }
}
