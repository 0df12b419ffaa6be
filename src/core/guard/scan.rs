//! The frame of a scan of the messages: parts that are not where they were, and the last step.

use super::Transaction;
use crate::core::call::PartFlags;
use crate::core::decision::Actor;
use crate::core::event::{Event, EventKind};
use crate::core::id::CallId;
use crate::core::verdict::{self, Step};

impl Transaction<'_> {
    /// Records that the part of a call is not in its old place.
    pub(super) fn missing(&mut self, id: CallId) {
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.missing = true;
            let behind = seen.behind.take();
            self.guard.list.is_displaced = true;
            if let Some(part) = behind {
                // The value for the shell is about the part that it has told.
                let returned = self.out.returned.take();
                self.see(Some(id), part, true);
                self.out.returned = returned;
            }
        }
    }

    /// Records that the part of a call is elsewhere, unchanged.
    pub(super) fn relocated(&mut self, id: CallId) {
        if let Some(seen) = self.guard.seen.get_mut(id) {
            seen.missing = false;
        }
    }

    /// Ends a scan of the whole list: the calls that are still missing are gone. A resumed response may begin with an
    /// empty message and repeat its calls, so until it ends they are only missing (law 4).
    pub(super) fn scan_complete(&mut self, by: Actor) {
        if !std::mem::take(&mut self.guard.list.is_displaced) || self.guard.responses.is_resumed() {
            return;
        }
        for call in self.guard.seen.ids() {
            let lost = self.guard.seen.get_mut(call).is_some_and(|seen| std::mem::take(&mut seen.missing));
            if lost && self.guard.call(call).is_some_and(|c| !c.gone()) {
                self.append(Event::on(call, EventKind::Gone, by));
            }
        }
    }

    /// Takes the last step of the list.
    pub(super) fn step(&mut self, step: Step) {
        let open = |&(id, flags): &(CallId, PartFlags)| {
            self.guard.call(id).is_some_and(|call| {
                verdict::need(call, flags, self.guard.is_client(call)).is_some() && !flags.has_output()
            })
        };
        // Law 3 is about the whole step: while one of its calls is open, its text answers none of the others.
        if step.rows.iter().any(open) {
            for &(id, _) in &step.rows {
                if let Some(seen) = self.guard.seen.get_mut(id) {
                    seen.open_text = Some(step.text);
                }
            }
        }
        // The repairs of a call depend on whether something follows it.
        let is_other =
            step.rows.iter().map(|row| row.0).ne(self.guard.list.step.rows.iter().map(|row| row.0));
        let is_other = is_other || step.message != self.guard.list.step.message;
        self.guard.versions.repairs += u32::from(is_other);
        self.guard.list.step = step;
        self.find_unhandled();
        self.find_lost(None); // an older list
        self.answer_step();
        self.await_outputs();
    }
}
