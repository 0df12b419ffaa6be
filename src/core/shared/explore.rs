//! Explores every state that the tabs of a chat can reach, and checks that the exploration finds deliberate
//! faults.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::model::{Fault, Step, TABS, World, world};

/// The result of an exploration.
#[derive(Debug, Default)]
struct Found {
    states: usize,
    /// A violation, with the steps that lead to it.
    broken: Option<(&'static str, Vec<Step>)>,
}

/// More states than this would mean that the model is wrong.
const MOST: usize = 2_000_000;

/// A 128-bit hash of a state. States with the same hash are treated as equal.
fn fingerprint(world: &impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, world).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// Explores every reachable state, breadth first.
fn explore<const N: usize>(first: World<N>, fault: Fault) -> Found {
    let mut seen = HashSet::from([fingerprint(&first)]);
    // For each state, the state before it and the step that led to it.
    let mut before: Vec<Option<(usize, Step)>> = vec![None];
    let mut queue = VecDeque::from([(0, first)]);
    while let Some((at, world)) = queue.pop_front() {
        let waits = (0..=TABS).any(|page| !world.ends_alone(page, fault));
        if let Some(broken) = world.broken.or(waits.then_some("a page waits for ever")) {
            return Found { states: before.len(), broken: Some((broken, path(&before, at))) };
        }
        for step in world.steps(fault) {
            let next = world.after(step, fault);
            if seen.insert(fingerprint(&next)) {
                queue.push_back((before.len(), next));
                before.push(Some((at, step)));
            }
        }
        assert!(before.len() < MOST, "too many states");
    }
    Found { states: before.len(), broken: None }
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

const YES: Option<[bool; 1]> = Some([true]);
const NO: Option<[bool; 1]> = Some([false]);

#[test]
fn three_tabs_and_two_answers_never_send_twice_nor_a_yes_after_a_no_and_nobody_waits() {
    for (wants, presses, states) in [([YES, YES, NO], 1, 300_000), ([YES, NO, NO], 0, 10_000)] {
        let found = explore(world(wants, presses), Fault::None);
        assert_eq!(found.broken, None, "{wants:?}");
        assert!(found.states > states, "{wants:?}: only {} states", found.states);
    }
}

#[test]
fn two_tabs_that_agree_on_one_of_two_calls_send_each_answer_once() {
    for wants in
        [[Some([true, true]), Some([false, true]), None], [Some([true, false]), Some([false, true]), None]]
    {
        let found = explore(world(wants, 1), Fault::None);
        assert_eq!(found.broken, None, "{wants:?}");
        assert!(found.states > 40_000, "{wants:?}: only {} states", found.states);
    }
}

#[test]
fn each_fault_is_found() {
    for (fault, what) in [
        (Fault::CommitUnchecked, "a yes stands after a no"),
        (Fault::ClaimUnchecked, "it was sent"),
        (Fault::AnswerUnchecked, "a yes stands after a no"),
        (Fault::LeaseIgnored, "it was sent under a claim that does not stand"),
        (Fault::BeatIgnored, "it was sent under a claim that does not stand"),
        (Fault::SentLate, "it was sent under a claim that does not stand"),
        (Fault::DoubtIgnored, "it was sent twice"),
        (Fault::NobodyGivenUp, "a page waits for ever"),
    ] {
        let found = explore(world([YES, YES, NO], 1), fault);
        let (broken, path) = found.broken.unwrap_or_default();
        assert!(broken.starts_with(what), "{fault:?}: {broken} {path:?}");
    }
}
