//! The clocks of the platform, and the timer of a guard.

use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::core::clock::{Now, Time};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn steady() -> f64;
}

/// What the clocks of the platform say.
pub fn now() -> Now {
    Now { wall: js_sys::Date::now(), steady: steady() }
}

/// The longest time that a timer of the platform can wait for: beyond it, it goes off at once.
const LONGEST: Time = 0x7fff_ffff;

/// The timer of a guard. One for all of them would go off for the wrong one where somebody replaces the clocks, as
/// tests do.
#[derive(Default)]
pub struct Alarm {
    /// When it was set, and for when, on the steady clock. Dropping the timer cancels it.
    timer: Option<(f64, f64, Timeout)>,
}

impl Alarm {
    /// Sets the timer for the time that is left; then `wake` is called.
    pub fn set(&mut self, left: Option<Time>, now: Now, wake: impl FnOnce() + 'static) {
        let Some(left) = left else {
            self.timer = None;
            return;
        };
        let next = now.steady + left as f64;
        // A timer that goes off too early is set again then, which costs less than a new one with every fact. One
        // that should have gone off, or was set in the future, belongs to a clock that somebody has replaced.
        let runs =
            |&(set, end, _): &(f64, f64, Timeout)| set <= now.steady && now.steady <= end && end <= next;
        if self.timer.as_ref().is_some_and(runs) {
            return;
        }
        // A timer goes off early rather than late where it rounds; one more millisecond is enough.
        let millis = if left > 0 { left.saturating_add(1).min(LONGEST) } else { 0 };
        self.timer = Some((now.steady, next, Timeout::new(millis as u32, wake)));
    }

    /// The timer has gone off.
    pub fn over(&mut self) {
        self.timer = None;
    }
}
