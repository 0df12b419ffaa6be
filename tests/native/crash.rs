//! Pages that are killed between any two effects: no answer is lost, none is sent twice, and no allowance is
//! invented.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::crash::CrashSimulator;
use crate::common::crash::histories::history;
use crate::common::occurrences::{config, scaled};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

#[test]
fn laws_2_4_5_8_10_12_13_hold_wherever_a_page_is_killed() {
    let (kills, sends) = (AtomicU32::new(0), AtomicU32::new(0));
    let killed = TestRunner::new(config(3600)).run(&history(), |history| {
        let simulator = CrashSimulator::run(&history);
        kills.fetch_add(simulator.kills, Ordering::Relaxed);
        sends.fetch_add(simulator.sends, Ordering::Relaxed);
        prop_assert_eq!(simulator.wrong, None);
        Ok(())
    });
    if let Err(wrong) = killed {
        panic!("{wrong}");
    }
    let (kills, sends) = (kills.into_inner(), sends.into_inner());
    println!("{kills} pages were killed, {sends} requests left");
    assert!(kills >= scaled(10_000) && sends >= scaled(5_000), "{kills} kills, {sends} requests");
}
