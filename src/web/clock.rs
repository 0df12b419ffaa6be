//! Time and timers.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;

use crate::core::guard::{Guard, Input};

/// Milliseconds since the epoch.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// Ends the lease of a yes when the event loop has turned. Dropping it cancels it.
pub fn end_lease(guard: &Rc<RefCell<Guard>>) -> Timeout {
    let guard = Rc::clone(guard);
    Timeout::new(0, move || {
        if let Ok(mut guard) = guard.try_borrow_mut() {
            guard.handle(Input::LeaseOver, 0.0);
        }
    })
}
