//! The work that a call may cause. What would take longer than a person waits is not read to its end, and the call asks.

use std::cell::Cell;

/// The bytes of commands that are read for one call.
const MAX_BYTES: usize = 1 << 19;

/// The work that is left for a call.
#[derive(Debug)]
pub struct Work(Cell<Option<usize>>);

impl Default for Work {
    fn default() -> Self {
        Self(Cell::new(Some(MAX_BYTES)))
    }
}

impl Work {
    /// Takes the work for a text of so many bytes. Returns whether so much was left; if not, nothing is left from now
    /// on.
    pub fn takes(&self, bytes: usize) -> bool {
        self.0.set(self.0.get().and_then(|left| left.checked_sub(bytes)));
        !self.is_spent()
    }

    /// Whether something had to stay unread.
    pub fn is_spent(&self) -> bool {
        self.0.get().is_none()
    }
}
