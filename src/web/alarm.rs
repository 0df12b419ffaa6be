//! The times at which the timer of a guard has to be set. The timer itself is one of the platform.

use crate::core::clock::{Now, Time};

/// The longest wait of a platform timer. A longer one would go off at once.
const LONGEST: Time = 0x7fff_ffff;

/// The next state of the timer of a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It stays as it is.
    Keep,
    /// It is cleared.
    Clear,
    /// It is set to go off after this time.
    Set(Time),
}

/// The milliseconds with which a timer of the platform is set so that it does not go off before the time is over.
pub fn millis(left: Time) -> u32 {
    // Because of rounding, a timer can go off too early. One more millisecond prevents that.
    if left > 0 { left.saturating_add(1).min(LONGEST) as u32 } else { 0 }
}

/// The timer of a guard. A timer shared by all guards would go off for the wrong one when the clocks are
/// replaced, as tests do.
///
/// `Timer`: what clears the platform's timer when it is dropped. That calls JavaScript, so it must not be dropped
/// while the module is borrowed.
#[derive(Debug)]
pub struct Alarm<Timer> {
    running: Option<Running<Timer>>,
}

#[derive(Debug)]
struct Running<Timer> {
    /// The time at which it was set, and its end, on the steady clock.
    set: f64,
    end: f64,
    /// Held until it has to be cleared.
    timer: Timer,
}

impl<Timer> Default for Alarm<Timer> {
    fn default() -> Self {
        Self { running: None }
    }
}

impl<Timer> Alarm<Timer> {
    /// Returns what has to be done so that it goes off after the remaining time.
    pub fn order(&self, left: Option<Time>, now: Now) -> Order {
        let Some(left) = left else {
            return if self.running.is_some() { Order::Clear } else { Order::Keep };
        };
        let next = now.steady + left as f64;
        // A timer that goes off too early is then set again, which costs less than setting one with every
        // fact. A timer that should have gone off, or that was set in the future, belongs to a replaced
        // clock.
        let runs = |one: &Running<Timer>| one.set <= now.steady && now.steady <= one.end && one.end <= next;
        if self.running.as_ref().is_some_and(runs) {
            return Order::Keep;
        }
        Order::Set(left)
    }

    /// Notes a timer that was set to go off after this time. Returns the earlier one.
    pub fn note(&mut self, timer: Timer, left: Time, now: Now) -> Option<Timer> {
        let running = Running { set: now.steady, end: now.steady + left as f64, timer };
        self.running.replace(running).map(|earlier| earlier.timer)
    }

    /// Notes that there is no timer any more, because it has gone off or has to be cleared. Returns it.
    pub fn over(&mut self) -> Option<Timer> {
        self.running.take().map(|running| running.timer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(steady: f64) -> Now {
        Now { wall: 0.0, steady }
    }

    impl Alarm<u32> {
        /// Carries out the order. The timer is the milliseconds with which the platform sets it.
        fn set(&mut self, left: Option<Time>, now: Now) -> Order {
            let order = self.order(left, now);
            match order {
                Order::Keep => {}
                Order::Clear => drop(self.over()),
                Order::Set(left) => drop(self.note(millis(left), left, now)),
            }
            order
        }
    }

    #[test]
    fn a_timer_is_set_once_and_again_where_something_is_due_earlier() {
        let mut alarm = Alarm::default();
        assert_eq!(alarm.set(Some(100), at(5.0)), Order::Set(100));
        assert_eq!(alarm.set(Some(500), at(10.0)), Order::Keep, "it goes off earlier, and is set again then");
        assert_eq!(alarm.set(Some(95), at(10.0)), Order::Keep, "it goes off at the same time");
        assert_eq!(alarm.set(Some(50), at(10.0)), Order::Set(50));
        assert_eq!(alarm.set(Some(0), at(20.0)), Order::Set(0), "at once");
        assert_eq!(alarm.over(), Some(0), "the milliseconds of the last one");
        assert_eq!(alarm.set(Some(500), at(20.0)), Order::Set(500));
    }

    #[test]
    fn a_timer_that_nothing_needs_is_cleared_once() {
        let mut alarm = Alarm::default();
        assert_eq!(alarm.set(None, at(0.0)), Order::Keep);
        alarm.set(Some(100), at(0.0));
        assert_eq!(alarm.set(None, at(1.0)), Order::Clear);
        assert_eq!(alarm.set(None, at(2.0)), Order::Keep);
    }

    #[test]
    fn the_timer_of_a_replaced_clock_is_set_again() {
        let mut alarm = Alarm::default();
        alarm.set(Some(100), at(1_000.0));
        assert_eq!(alarm.set(Some(500), at(1.0)), Order::Set(500), "it was set in the future");
        assert_eq!(alarm.set(Some(500), at(900.0)), Order::Set(500), "it should have gone off");
    }

    #[test]
    fn no_timer_goes_off_before_its_time_is_over() {
        assert_eq!([0, 1, 100].map(millis), [0, 2, 101]);
    }

    #[test]
    fn a_time_that_no_timer_can_wait_for_does_not_go_off_at_once() {
        assert_eq!(millis(Time::MAX), i32::MAX as u32);
    }
}
