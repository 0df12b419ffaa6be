//! The clocks of the platform, and the timer of a guard.

use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::core::clock::{Now, Time};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn steady() -> f64;
}

/// Reads the platform's clocks.
pub fn now() -> Now {
    Now { wall: js_sys::Date::now(), steady: steady() }
}

/// The longest wait of a platform timer. A longer one would go off at once.
const LONGEST: Time = 0x7fff_ffff;

/// The timer of a guard. A timer shared by all guards would go off for the wrong one when the clocks are
/// replaced, as tests do.
#[derive(Default)]
pub struct Alarm {
    /// When it was set and when it ends, on the steady clock. Dropping the timer cancels it.
    timer: Option<(f64, f64, Timeout)>,
}

impl Alarm {
    /// Sets the timer to call `wake` after the remaining time.
    pub fn set(&mut self, left: Option<Time>, now: Now, wake: impl FnOnce() + 'static) {
        let Some(left) = left else {
            self.timer = None;
            return;
        };
        let next = now.steady + left as f64;
        // A timer that goes off too early is then set again, which costs less than setting one with every
        // fact. A timer that should have gone off, or that was set in the future, belongs to a replaced
        // clock.
        let runs =
            |&(set, end, _): &(f64, f64, Timeout)| set <= now.steady && now.steady <= end && end <= next;
        if self.timer.as_ref().is_some_and(runs) {
            return;
        }
        // Because of rounding, a timer can go off too early. One more millisecond prevents that.
        let millis = if left > 0 { left.saturating_add(1).min(LONGEST) } else { 0 };
        self.timer = Some((now.steady, next, Timeout::new(millis as u32, wake)));
    }

    /// Notes that the timer has gone off.
    pub fn over(&mut self) {
        self.timer = None;
    }
}
