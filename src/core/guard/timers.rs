//! The guard's memory of time: whether anything may end, what was due, and what waits for a person.

use crate::core::batch::Batch;
use crate::core::clock::Time;

/// The answers and outputs that do not leave by themselves any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pause {
    /// Everything does.
    #[default]
    Nothing,
    /// Drafts wait for a person: they were due while no chat was attached, or an earlier page has drafted them.
    Undoable,
    /// Answers and outputs wait for a person, or for something new: their response broke off, and the chat does not
    /// ask after that.
    Everything,
}

/// The guard's memory of time. Everything else is computed from its calls, grants and batch.
#[derive(Debug, Default)]
pub(super) struct Timers {
    /// Whether anything may ever end by time; until then nobody has to look.
    armed: bool,
    /// Those that wait for a person although they are due.
    pause: Pause,
    /// Since when the batch was due that the shell was last woken for, or tried to commit; `None` if none was due, or what
    /// has kept it from that is over.
    tried: Option<Time>,
    /// Whether calls have timed out since the shell was woken, so that they have to get their errors.
    owes_errors: bool,
}

impl Timers {
    /// Something ends then.
    pub(super) fn arm(&mut self, end: Option<Time>) {
        self.armed |= end.is_some();
    }

    pub(super) fn is_armed(&self) -> bool {
        self.armed
    }

    /// The shell is told to commit the batch that is due since this time; `None` if none is.
    pub(super) fn try_due(&mut self, due: Option<Time>) {
        self.tried = due;
    }

    /// The shell gives the calls that have timed out their errors.
    pub(super) fn pay_errors(&mut self) {
        self.owes_errors = false;
    }

    /// A response is over. A batch that became due meanwhile may have waited only for this, and the chat does not ask after
    /// each response if several overlap.
    pub(super) fn try_again(&mut self) {
        self.tried = None;
    }

    /// Drafts wait for a person from now on.
    pub(super) fn pause_undoable(&mut self) {
        self.pause = Pause::Undoable;
    }

    /// A response broke off.
    pub(super) fn pause_everything(&mut self) {
        self.pause = Pause::Everything;
    }

    /// A person acts.
    pub(super) fn go_on(&mut self) {
        self.pause = Pause::Nothing;
    }

    /// Everything that has waited since a response broke off goes on.
    pub(super) fn end_break(&mut self) {
        if self.is_broken() {
            self.go_on();
        }
    }

    /// Whether what is new waits for a person, because its response broke off.
    pub(super) fn is_broken(&self) -> bool {
        self.pause == Pause::Everything
    }

    /// Whether a batch waits for a person although it is due.
    pub(super) fn pauses(&self, batch: &Batch) -> bool {
        self.is_broken() || (self.pause == Pause::Undoable && batch.undoable)
    }

    /// A call has timed out, and has to get its error.
    pub(super) fn owe_error(&mut self) {
        self.owes_errors = true;
    }

    pub(super) fn owes_errors(&self) -> bool {
        self.owes_errors
    }

    /// Whether the shell has tried to commit the batch that is due since this time, so that it waits for something else.
    pub(super) fn was_tried(&self, due: Time) -> bool {
        self.tried == Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_that_nobody_can_undo_wait_for_no_person_unless_a_response_broke_off() {
        let (drafted, fixed) = (Batch { undoable: true, ..Batch::default() }, Batch::default());
        let mut timers = Timers::default();
        timers.pause_undoable();
        assert!(timers.pauses(&drafted) && !timers.pauses(&fixed));
        timers.pause_everything();
        assert!(timers.pauses(&drafted) && timers.pauses(&fixed));
        timers.go_on();
        assert!(!timers.pauses(&drafted));
    }
}
