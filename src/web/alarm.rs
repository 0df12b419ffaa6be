//! When the timer of a guard has to be set. The timer itself is the shell's.

use crate::core::clock::{Now, Time};

/// The longest wait of a platform timer. A longer one would go off at once.
const LONGEST: Time = 0x7fff_ffff;

/// Leaves the timer as it is.
const UNCHANGED: f64 = f64::NAN;
/// Cancels the timer.
const CANCELLED: f64 = f64::INFINITY;

/// The timer of a guard. A timer shared by all guards would go off for the wrong one when the clocks are
/// replaced, as tests do.
#[derive(Default)]
pub struct Alarm {
    /// When it was set and when it ends, on the steady clock.
    timer: Option<(f64, f64)>,
}

impl Alarm {
    /// Sets the timer to go off after the remaining time. Returns the milliseconds with which the shell sets
    /// it; infinity cancels it, and NaN leaves it as it is.
    pub fn set(&mut self, left: Option<Time>, now: Now) -> f64 {
        let Some(left) = left else {
            return self.timer.take().map_or(UNCHANGED, |_| CANCELLED);
        };
        let next = now.steady + left as f64;
        // A timer that goes off too early is then set again, which costs less than setting one with every
        // fact. A timer that should have gone off, or that was set in the future, belongs to a replaced
        // clock.
        let runs = |&(set, end): &(f64, f64)| set <= now.steady && now.steady <= end && end <= next;
        if self.timer.as_ref().is_some_and(runs) {
            return UNCHANGED;
        }
        self.timer = Some((now.steady, next));
        // Because of rounding, a timer can go off too early. One more millisecond prevents that.
        let millis = if left > 0 { left.saturating_add(1).min(LONGEST) } else { 0 };
        millis as f64
    }

    /// Notes that the timer has gone off.
    pub fn over(&mut self) {
        self.timer = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(steady: f64) -> Now {
        Now { wall: 0.0, steady }
    }

    #[test]
    fn a_timer_is_set_once_and_again_where_something_is_due_earlier() {
        let mut alarm = Alarm::default();
        assert_eq!(alarm.set(Some(100), at(5.0)), 101.0);
        assert!(alarm.set(Some(95), at(10.0)).is_nan(), "it goes off at the same time");
        assert!(alarm.set(Some(500), at(10.0)).is_nan(), "it goes off earlier, and is set again then");
        assert_eq!(alarm.set(Some(50), at(10.0)), 51.0);
        assert_eq!(alarm.set(Some(0), at(20.0)), 0.0, "at once");
        alarm.over();
        assert_eq!(alarm.set(Some(500), at(20.0)), 501.0);
    }

    #[test]
    fn a_timer_that_nothing_needs_is_cancelled_once() {
        let mut alarm = Alarm::default();
        assert!(alarm.set(None, at(0.0)).is_nan());
        alarm.set(Some(100), at(0.0));
        assert_eq!(alarm.set(None, at(1.0)), f64::INFINITY);
        assert!(alarm.set(None, at(2.0)).is_nan());
    }

    #[test]
    fn the_timer_of_a_replaced_clock_is_set_again() {
        let mut alarm = Alarm::default();
        alarm.set(Some(100), at(1_000.0));
        assert_eq!(alarm.set(Some(500), at(1.0)), 501.0, "it was set in the future");
        assert_eq!(alarm.set(Some(500), at(900.0)), 501.0, "it should have gone off");
    }

    #[test]
    fn a_time_that_no_timer_can_wait_for_does_not_go_off_at_once() {
        assert_eq!(Alarm::default().set(Some(Time::MAX), at(0.0)), f64::from(i32::MAX));
    }
}
