//! For tests of work that may grow with its input, but not faster.

use std::fmt::Debug;
use std::time::Duration;

use cpu_time::ThreadTime;

/// How often a doubtful measurement is repeated.
const ROUNDS: u32 = 5;
/// Four times the input may take six times as long. Quadratic work takes sixteen times as long.
const MOST: u32 = 6;
/// What does not depend on the input, and the resolution of the clock.
const CONSTANT: Duration = Duration::from_millis(10);

/// Fails where `work` takes more than [`MOST`] times as long for `size` as for a quarter of it. `input` makes the
/// input of a size. Counts the processor time of this thread, because other work shares the machine.
pub fn assert_linear<T>(what: impl Debug, size: usize, input: impl Fn(usize) -> T, work: impl Fn(&T)) {
    let time = |input: &T| {
        let start = ThreadTime::now();
        work(input);
        start.elapsed()
    };
    let (quarter, full) = (input(size / 4), input(size));
    let mut last = (Duration::ZERO, Duration::ZERO);
    let linear = (0..ROUNDS).any(|_| {
        last = (time(&quarter), time(&full));
        last.1 < last.0 * MOST + CONSTANT
    });
    assert!(linear, "{what:?}: {:?} for a quarter, {:?} for all", last.0, last.1);
}

#[test]
#[should_panic = "for a quarter"]
fn quadratic_work_is_not_linear() {
    let add = |count: &usize| {
        let mut sum = 0_usize;
        for at in 0..count * count {
            sum = std::hint::black_box(sum ^ at);
        }
    };
    assert_linear("squares", 1 << 14, |size| size, add);
}
