//! Counts how often a property meets the case that it is about. A property that never met it has shown
//! nothing, so it fails.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

fn number(name: &str) -> Option<u32> {
    std::env::var(name).ok()?.parse().ok()
}

/// `npm test` has a third of the histories, because it always has the same ones. `npm run test:all` sets `TEST_BREADTH` to
/// `all` and has all of them, and `npm run soak` ten times as many. The required counts are scaled with them.
pub fn scaled(count: u32) -> u32 {
    match std::env::var("TEST_BREADTH").as_deref() {
        Ok("soak") => count * 10,
        Ok("all") => count,
        _ => count.div_ceil(3),
    }
}

/// Every run has the same histories, so that a failure can be told from a change. `LAWS_SEED` selects others,
/// and `LAWS_CASES` their number; then the required counts do not apply.
pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: number("LAWS_CASES").unwrap_or(scaled(cases)),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        rng_seed: RngSeed::Fixed(seed(20_261_121)),
        ..ProptestConfig::default()
    }
}

/// The seed of the histories: `LAWS_SEED`, or this one.
pub fn seed(usual: u32) -> u64 {
    number("LAWS_SEED").unwrap_or(usual).into()
}

/// Counts by name.
#[derive(Default)]
pub struct Occurrences(RefCell<BTreeMap<&'static str, u32>>);

impl Occurrences {
    pub fn add(&self, what: &'static str, times: u32) {
        *self.0.borrow_mut().entry(what).or_default() += times;
    }

    pub fn count(&self, what: &'static str) {
        self.add(what, 1);
    }

    /// Counts once if `is` holds.
    pub fn count_if(&self, is: bool, what: &'static str) {
        self.add(what, u32::from(is));
    }

    /// Prints the counts, and fails if one is below its minimum.
    fn require(&self, cases: u32, floors: &[(&'static str, u32)]) {
        let floors = floors.iter().map(|&(what, floor)| (what, scaled(floor)));
        let counts = self.0.borrow();
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        let count = |what| counts.get(what).copied().unwrap_or(0);
        for (what, floor) in floors.clone() {
            println!("{name}: {what}: {} times in {cases} histories (at least {floor})", count(what));
        }
        if number("LAWS_CASES").is_some() {
            return;
        }
        for (what, floor) in floors {
            assert!(count(what) >= floor, "{what}: only {} times in {cases} histories", count(what));
        }
    }
}

/// Runs a property, and requires these counts.
pub fn property<S: Strategy>(
    config: ProptestConfig,
    histories: S,
    floors: &[(&'static str, u32)],
    holds: impl Fn(S::Value, &Occurrences) -> Result<(), TestCaseError>,
) where
    S::Value: Debug,
{
    let occurred = Occurrences::default();
    let cases = config.cases;
    if let Err(error) = TestRunner::new(config).run(&histories, |history| holds(history, &occurred)) {
        panic!("{error}");
    }
    occurred.require(cases, floors);
}
