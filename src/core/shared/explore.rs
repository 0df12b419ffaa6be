//! Explores every state that the tabs of a chat can reach, and checks that the exploration finds deliberate
//! faults.

use std::array::from_fn;
use std::collections::VecDeque;

use super::model::{Fault, PAGES, Step, World, world};
use crate::native::fingerprint::{States, fingerprint};

/// The result of an exploration.
#[derive(Debug, Default)]
struct Found {
    states: usize,
    /// The number of steps between them.
    transitions: usize,
    /// A violation, with the steps that lead to it.
    broken: Option<(&'static str, Vec<Step>)>,
}

/// More states than this would mean that the model is wrong.
const MOST: usize = 10_000_000;

/// The violation of a page that never comes to its end.
const WAITS: &str = "a page waits for ever";

/// In place of the number of a state: the page is at its end.
const END: u32 = u32::MAX;

/// Explores every reachable state, breadth first.
fn explore<const N: usize>(first: World<N>, fault: Fault) -> Found {
    let mut numbers = States::from_iter([(fingerprint(&first), 0)]);
    // For each state, the state before it and the step that led to it.
    let mut before: Vec<Option<(usize, Step)>> = vec![None];
    // For each state, the next one if a single page continues and all others are frozen, for each page.
    let mut alone: Vec<[u32; PAGES]> = Vec::new();
    let mut queue = VecDeque::from([first]);
    let mut transitions = 0;
    while let Some(world) = queue.pop_front() {
        let at = alone.len();
        if let Some(broken) = world.broken {
            return Found { states: before.len(), transitions, broken: Some((broken, path(&before, at))) };
        }
        if world.is_stuck(fault) {
            let broken = Some((WAITS, path(&before, at)));
            return Found { states: before.len(), transitions, broken };
        }
        let steps = world.steps(fault);
        transitions += steps.len();
        let mut nexts = Vec::with_capacity(steps.len());
        for &step in &steps {
            let next = world.after(step, fault);
            nexts.push(*numbers.entry(fingerprint(&next)).or_insert_with(|| {
                queue.push_back(next);
                before.push(Some((at, step)));
                before.len() as u32 - 1
            }));
        }
        alone.push(from_fn(|page| match steps.iter().position(|step| step.is_of(page)) {
            _ if world.is_at_end(page, fault) => END,
            // The first step is a tick.
            own => nexts[own.unwrap_or(0)],
        }));
        assert!(before.len() < MOST, "too many states");
    }
    let waits = (0..PAGES).filter_map(|page| waiting(&alone, page)).min();
    let broken = waits.map(|at| (WAITS, path(&before, at)));
    Found { states: before.len(), transitions, broken }
}

/// The first state from which a page does not reach its end without the help of other pages.
fn waiting(alone: &[[u32; PAGES]], page: usize) -> Option<usize> {
    // For each state, the state from which the search has reached it.
    let mut seen = vec![END; alone.len()];
    (0..alone.len()).find(|&start| {
        let mut at = start as u32;
        while at != END && seen[at as usize] == END {
            seen[at as usize] = start as u32;
            at = alone[at as usize][page];
        }
        // Coming back to a state of the same search is a cycle.
        at != END && seen[at as usize] == start as u32
    })
}

fn path(before: &[Option<(usize, Step)>], mut at: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some((from, step)) = before[at] {
        steps.push(step);
        at = from;
    }
    steps.reverse();
    steps
}

const YES: [Option<bool>; 1] = [Some(true)];
const NO: [Option<bool>; 1] = [Some(false)];

#[test]
fn three_tabs_and_two_answers_never_send_twice_nor_a_yes_after_a_no_and_nobody_waits() {
    for (wants, presses, states) in [([YES, YES, NO], 1, 900_000), ([YES, NO, NO], 0, 45_000)] {
        let found = explore(world(wants, presses), Fault::None);
        println!("{wants:?}: {} states, {} transitions", found.states, found.transitions);
        assert_eq!(found.broken, None, "{wants:?}");
        assert!(found.states > states, "{wants:?}: only {} states", found.states);
    }
}

#[test]
fn two_tabs_that_agree_on_one_of_two_calls_send_each_answer_once() {
    let (yes, no, nothing) = (Some(true), Some(false), [None; 2]);
    for wants in [[[yes, yes], [no, yes], nothing], [[yes, no], [no, yes], nothing]] {
        let found = explore(world(wants, 1), Fault::None);
        println!("{wants:?}: {} states, {} transitions", found.states, found.transitions);
        assert_eq!(found.broken, None, "{wants:?}");
        assert!(found.states > 100_000, "{wants:?}: only {} states", found.states);
    }
}

#[test]
fn tabs_that_answer_different_calls_of_a_step_send_each_answer_once() {
    let [yes, no] = [Some(true), Some(false)];
    for (wants, presses, states) in [
        ([[yes, None], [None, yes], [None, None]], 0, 15_000),
        ([[yes, None], [None, no], [None, None]], 1, 100_000),
        ([[yes, None], [None, yes], [no, None]], 0, 100_000),
        ([[yes, None], [no, None], [no, yes]], 0, 25_000),
    ] {
        let found = explore(world(wants, presses), Fault::None);
        println!("{wants:?}: {} states, {} transitions", found.states, found.transitions);
        assert_eq!(found.broken, None, "{wants:?}");
        assert!(found.states > states, "{wants:?}: only {} states", found.states);
    }
    let apart = [[yes, None], [None, yes], [None, None]];
    let found = explore(world(apart, 0), Fault::OwnAnswersOnly);
    assert_eq!(found.broken.map(|(broken, _)| broken), Some(WAITS));
}

#[test]
fn each_fault_is_found() {
    let (all, few) = (world([YES, YES, NO], 1), world([YES, NO, NO], 0));
    for (first, fault, what) in [
        (&all, Fault::CommitUnchecked, "a yes stands after a no"),
        (&all, Fault::ClaimUnchecked, "it was sent"),
        (&all, Fault::AnswerUnchecked, "a yes stands after a no"),
        (&all, Fault::LeaseIgnored, "it was sent under a claim that does not stand"),
        (&all, Fault::BeatIgnored, "it was sent under a claim that does not stand"),
        (&all, Fault::SentLate, "it was sent under a claim that does not stand"),
        (&all, Fault::DoubtIgnored, "it was sent twice"),
        (&all, Fault::WithdrawUnchecked, "a yes stands after a no"),
        (&all, Fault::SentStopped, "it was sent under a claim that does not stand"),
        (&all, Fault::StoppedHolds, "a yes was sent that was taken back"),
        // A page that waits is found only when all states are known.
        (&few, Fault::NobodyGivenUp, WAITS),
        (&few, Fault::AbsentLives, WAITS),
    ] {
        let found = explore(first.clone(), fault);
        let (broken, path) = found.broken.unwrap_or_default();
        assert!(broken.starts_with(what), "{fault:?}: {broken} {path:?}");
    }
}
