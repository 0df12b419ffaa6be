//! Time and timers.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::wasm_bindgen;

use super::guard::Published;
use crate::core::clock::{Now, Time};
use crate::core::guard::{Fact, Guard};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn steady() -> f64;
}

/// What the clocks of the platform say.
pub fn now() -> Now {
    Now { wall: js_sys::Date::now(), steady: steady() }
}

/// The clocks were not read, because nothing happens: whoever appends an entry has read them.
pub const UNREAD: Now = Now { wall: f64::NAN, steady: f64::NAN };

/// Ends the lease of a yes when the event loop has turned, and calls `wake` if no request has followed the yes:
/// the verdict is another one then. Dropping it cancels it.
pub fn end_lease(
    guard: &Rc<RefCell<Guard>>,
    published: &Rc<Published>,
    wake: Option<js_sys::Function>,
) -> Timeout {
    let (guard, published) = (Rc::clone(guard), Rc::clone(published));
    Timeout::new(0, move || {
        let Ok(mut borrowed) = guard.try_borrow_mut() else { return };
        let before = borrowed.changes();
        let effects = borrowed.handle(Fact::LeaseOver, UNREAD);
        let changed = borrowed.changes() != before;
        published.publish(&borrowed, &effects);
        drop(borrowed);
        if let Some(wake) = wake.filter(|_| changed) {
            // The shell catches what its own function throws.
            let _ = wake.call0(&wasm_bindgen::JsValue::UNDEFINED);
        }
    })
}

/// The longest time that a timer of the platform can wait for: beyond it, it goes off at once.
const LONGEST: Time = 0x7fff_ffff;

/// Calls `wake` after a time, or earlier if that is very long. Dropping it cancels it.
pub fn wake_in(time: Time, wake: &js_sys::Function) -> Timeout {
    let wake = wake.clone();
    // A timer goes off early rather than late where it rounds; one more millisecond is enough.
    Timeout::new(time.saturating_add(1).min(LONGEST) as u32, move || {
        // The shell catches what its own function throws.
        let _ = wake.call0(&wasm_bindgen::JsValue::UNDEFINED);
    })
}
