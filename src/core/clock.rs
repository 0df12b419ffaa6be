//! The guard's clock, which only goes forward. Law 12: deadlines are checked when they are used. A clock that
//! jumps can close a call, but never reopens one.

/// Milliseconds on the guard's own clock.
pub type Time = u64;

/// A reading of the platform's two clocks, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Now {
    /// Milliseconds since the epoch. The user or the system may change this clock.
    pub wall: f64,
    /// Milliseconds since an arbitrary moment. Nobody can set this clock, but it may stop while the machine
    /// sleeps.
    pub steady: f64,
}

/// Whole milliseconds; `None` for infinity and for NaN.
pub fn duration(millis: f64) -> Option<Time> {
    millis.is_finite().then_some(millis as Time)
}

impl From<f64> for Now {
    /// A reading in which both clocks agree.
    fn from(millis: f64) -> Self {
        Self { wall: millis, steady: millis }
    }
}

/// The drift of the clocks at which the slower one is set to the faster one. Without this, a wall
/// clock that was set back would seem to stand still until it has caught up.
const DRIFT: f64 = 1_000.0;

/// Time that passes at least as fast as the faster of the two clocks, and never goes back.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// The reading at time 0.
    origin: Option<Now>,
    time: f64,
}

impl Clock {
    /// Reads the clocks.
    pub fn tick(&mut self, now: Now) -> Time {
        if !now.wall.is_finite() || !now.steady.is_finite() {
            return self.time();
        }
        let origin = self.origin.get_or_insert(now);
        let wall = now.wall - origin.wall;
        let steady = now.steady - origin.steady;
        self.time = self.time.max(wall).max(steady);
        if self.time - wall > DRIFT {
            origin.wall = now.wall - self.time;
        }
        if self.time - steady > DRIFT {
            origin.steady = now.steady - self.time;
        }
        self.time()
    }

    /// The time at the last tick.
    pub fn time(&self) -> Time {
        self.time as Time
    }

    /// The wall-clock time at a guard time, as far as it can be known.
    pub fn wall(&self, time: Time) -> f64 {
        self.at(time).wall.round()
    }

    /// The reading at a guard time, as far as it can be known.
    pub fn at(&self, time: Time) -> Now {
        let Now { wall, steady } = self.origin.unwrap_or(Now { wall: 0.0, steady: 0.0 });
        Now { wall: wall + time as f64, steady: steady + time as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR: f64 = 365.0 * 24.0 * 3_600_000.0;

    fn at(wall: f64, steady: f64) -> Now {
        Now { wall, steady }
    }

    #[test]
    fn time_follows_the_faster_clock_and_never_goes_back() {
        let mut clock = Clock::default();
        assert_eq!(clock.tick(at(5_000.0, 10.0)), 0);
        assert_eq!(clock.tick(at(5_100.0, 110.0)), 100);
        assert_eq!(clock.tick(at(5_100.0 + YEAR, 120.0)), 100 + YEAR as Time);
        assert_eq!(clock.tick(at(5_100.0, 120.0)), 100 + YEAR as Time);
        assert_eq!(clock.tick(at(5_100.0, 220.0)), 200 + YEAR as Time, "it goes on from there");
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_stop_the_time() {
        let mut clock = Clock::default();
        clock.tick(at(YEAR, 0.0));
        assert_eq!(clock.tick(at(0.0, 50.0)), 50);
        assert_eq!(clock.tick(at(2_000.0, 50.0)), 2_050, "the steady clock sleeps");
        assert_eq!(clock.tick(at(2_000.0, 150.0)), 2_150);
    }

    #[test]
    fn clocks_that_agree_do_not_add_up_their_jitter() {
        let mut clock = Clock::default();
        clock.tick(at(0.0, 0.0));
        for i in 0..100_000u32 {
            let steady = f64::from(i) / 10.0;
            clock.tick(at(steady.floor(), steady));
        }
        assert!(clock.time() <= 10_000);
    }

    #[test]
    fn a_clock_that_says_nothing_changes_nothing() {
        let mut clock = Clock::default();
        clock.tick(at(0.0, 0.0));
        clock.tick(at(500.0, 500.0));
        assert_eq!(clock.tick(at(f64::NAN, 900.0)), 500);
        assert_eq!(clock.tick(at(900.0, f64::INFINITY)), 500);
        assert_eq!(clock.wall(700), 700.0);
    }
}
