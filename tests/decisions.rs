//! The laws of what a person decides, as properties of random histories. The oracle is written from
//! the text of the laws, knows what everybody has said, and nothing of how the guard keeps it; see
//! `common/oracle.rs`.
#![cfg(not(target_arch = "wasm32"))]

mod common;

use common::decision_harness::{DecisionHarness, Law};
use common::decisions::{Move, clock, history};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use tool_approval_guard::core::call::{PartFacts, PartFlags, Place};
use tool_approval_guard::core::clock::{Clock, Now, Time};
use tool_approval_guard::core::guard::{Fact, Guard};
use tool_approval_guard::core::ledger::EventKind;
use tool_approval_guard::core::protocol::ToolState;

/// The same histories at each run, so that a failure can be told from a change. `LAWS_SEED` chooses
/// others.
fn config(cases: u32) -> ProptestConfig {
    let number = |name| std::env::var(name).ok().and_then(|number| number.parse::<u32>().ok());
    ProptestConfig {
        cases: number("LAWS_CASES").unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        rng_seed: RngSeed::Fixed(number("LAWS_SEED").unwrap_or(20_261_121).into()),
        ..ProptestConfig::default()
    }
}

/// Is this law kept? A history ends where it breaks one, so that another law is not blamed for it.
fn keeps(harness: &DecisionHarness, law: Law) -> Result<(), TestCaseError> {
    match &harness.broken {
        Some((broken, what)) if *broken == law => Err(TestCaseError::fail(what.clone())),
        _ => Ok(()),
    }
}

proptest! {
    #![proptest_config(config(1000))]

    /// No call is allowed but by a person's word for exactly this call and input, given in time, or
    /// by a live grant that covers it; and an allowance leaves only where there is one.
    #[test]
    fn law_5_no_invented_yes(history in history(Some(Law::NoInventedYes))) {
        keeps(&DecisionHarness::run(&history), Law::NoInventedYes)?;
    }

    /// A denial that was not taken back stands, and what is refused changes nothing.
    #[test]
    fn law_7_first_answer_wins_and_deny_wins_a_tie(history in history(Some(Law::FirstAnswerWins))) {
        keeps(&DecisionHarness::run(&history), Law::FirstAnswerWins)?;
    }

    /// What is committed is exactly what is drafted, in the order of the parts, all or nothing, when
    /// it is time to, and never behind the back of a person who is not there.
    #[test]
    fn law_8_undo_until_sent(history in history(Some(Law::UndoUntilSent))) {
        keeps(&DecisionHarness::run(&history), Law::UndoUntilSent)?;
    }

    /// Folding the entries gives the state after each input, and the same inputs give the same
    /// entries.
    #[test]
    fn law_10_replay(history in history(None)) {
        let harness = DecisionHarness::run(&history);
        keeps(&harness, Law::Replay)?;
        // Not `at`: what the wall clock says may be no number.
        let events = |harness: &DecisionHarness| {
            let entries = harness.log.iter();
            entries.map(|entry| (entry.time, entry.event)).collect::<Vec<_>>()
        };
        prop_assert_eq!(events(&harness), events(&DecisionHarness::run(&history)));
    }

    /// What is over stays over, whatever the clocks say, and whether or not a timer fires.
    #[test]
    fn law_12_time_only_closes(history in history(Some(Law::TimeOnlyCloses))) {
        keeps(&DecisionHarness::run(&history), Law::TimeOnlyCloses)?;
    }

    #[test]
    fn c90_c93_c94_grants(history in history(Some(Law::Grants))) {
        keeps(&DecisionHarness::run(&history), Law::Grants)?;
    }

    /// What a rule denies is allowed by nobody here, what is always asked by no grant, and a rule allows
    /// only what it allows.
    #[test]
    fn c93_rules(history in history(None)) {
        keeps(&DecisionHarness::run_ruled(&history), Law::Rules)?;
    }

    /// Who caused an entry, and when. `explain()` is looked at in the package.
    #[test]
    fn law_14_the_record_tells_the_truth(history in history(None)) {
        keeps(&DecisionHarness::run(&history), Law::Truth)?;
        keeps(&DecisionHarness::run_ruled(&history), Law::Truth)?;
    }

    /// Equal calls that a person, a refusing grant, or nobody denied are counted, each once.
    #[test]
    fn c09_refusals_count(history in history(Some(Law::Loops))) {
        keeps(&DecisionHarness::run(&history), Law::Loops)?;
    }

    /// A stop takes all drafts back, and nothing is drafted by itself until a person acts.
    #[test]
    fn c37_c55_a_stop_takes_drafts_back(history in history(Some(Law::Stop))) {
        keeps(&DecisionHarness::run(&history), Law::Stop)?;
    }

    /// A message closes what is open and unsent, and what was denied stays denied.
    #[test]
    fn c60_a_message_closes(history in history(Some(Law::MovesOn))) {
        keeps(&DecisionHarness::run(&history), Law::MovesOn)?;
    }
}

proptest! {
    #![proptest_config(config(4000))]

    /// All laws at once, with no preference for any.
    #[test]
    fn every_law(history in history(None)) {
        if let Some((law, what)) = DecisionHarness::run(&history).broken {
            prop_assert!(false, "{law:?}: {what}");
        }
    }
}

// ---- law 12: what is said of a call twice ----

/// A guard before which one call asks.
fn asked() -> Guard {
    let mut guard = Guard::new(common::options(Vec::new()));
    let place = Place { message: 100, index: 1, turn: 1, step: 1, occurrence: 0 };
    let flags = PartFlags::from_code(ToolState::ApprovalRequested as u32);
    let part_facts = PartFacts { place, tool: 50, id: 60, approval: 70, flags, input: 1, output: 0 };
    guard.handle(Fact::Part { known: None, part: part_facts, current: true }, 0.0);
    guard
}

#[test]
fn law_12_a_mark_tells_the_deadline_that_holds() {
    let mut guard = asked();
    let marks =
        [(None, 1.0, None), (Some(10), 7.0, Some(17)), (Some(99), 8.0, Some(17)), (None, 9.0, Some(17))];
    for (lifetime, now, holds) in marks {
        // Each time something is new, so that it is noted.
        guard.handle(Fact::Annotate { call: 0, dangerous: now == 1.0, lifetime }, now);
        let entry = guard.entries().last().unwrap();
        assert_eq!(guard.state().calls.get(0).unwrap().deadline(), holds);
        assert_eq!(entry.event.kind(), EventKind::Annotated);
        assert_eq!(entry.event.deadline(), holds, "{entry:?}");
    }
}

#[test]
fn law_12_a_lifetime_without_end_does_not_overflow() {
    let mut guard = asked();
    guard.handle(Fact::Annotate { call: 0, dangerous: false, lifetime: Some(Time::MAX) }, 5.0);
    assert_eq!(guard.state().calls.get(0).unwrap().deadline(), Some(Time::MAX));
}

// ---- law 12: the clock alone ----

fn moves() -> impl Strategy<Value = Vec<Move>> {
    prop::collection::vec(clock(Some(Law::TimeOnlyCloses)), 1..60)
}

/// What the clocks say at first and after each move, whether they were read, and the guard's time.
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

    /// Time passes from any moment on at least as fast as each clock, but for a second; it is never
    /// ahead of what the faster one has passed at each step, and never goes back.
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

#[test]
fn guards_forget_in_many_histories() {
    let mut runner = TestRunner::deterministic();
    let forgets = |runner: &mut TestRunner| {
        let history = history(None).new_tree(runner).expect("a history").current();
        DecisionHarness::run(&history).guard.forgotten() > 0
    };
    let forgotten = (0..200).filter(|_| forgets(&mut runner)).count();
    assert!(forgotten > 10, "in {forgotten} of 200");
}

#[test]
fn rules_answer_in_many_histories() {
    let mut runner = TestRunner::deterministic();
    let answers = |runner: &mut TestRunner| {
        let history = history(None).new_tree(runner).expect("a history").current();
        DecisionHarness::run_ruled(&history).answered_by_rule
    };
    let answered = (0..200).filter(|_| answers(&mut runner)).count();
    assert!(answered > 60, "in {answered} of 200");
}
