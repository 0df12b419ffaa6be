//! The kinds of timers, and the memory that they need.

use crate::core::clock::Time;
use crate::core::id::{CallId, GrantId};

/// What happens at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// The time in which the page has to run a call is over.
    Output(CallId),
    /// A grant ends.
    Grant(GrantId),
    /// The time in which a call can be answered is over, or the part of it before the warning.
    Question(CallId),
    /// The batch is due: the shell commits it.
    Batch,
    /// The shell gives the calls that have timed out their errors. Any fact may find that they have.
    Errors,
    /// The tick of a yes is over.
    Tick,
}

/// The memory of the timers. All else is computed from calls, grants and the batch.
#[derive(Debug, Default)]
pub(super) struct Timers {
    /// Whether anything may ever end by time; until then nobody has to look.
    pub armed: bool,
    /// Since when the batch was due that the shell was last woken for, or tried to commit; `None` if none was due, or what
    /// has kept it from that is over.
    pub tried: Option<Time>,
    /// Whether calls have timed out since the shell was woken.
    pub owes_errors: bool,
}

impl Timers {
    /// Something ends then.
    pub fn arm(&mut self, end: Option<Time>) {
        self.armed |= end.is_some();
    }

    /// A response is over. A batch that became due meanwhile may have waited only for this, and the chat does not ask after
    /// each response if several overlap.
    pub fn try_again(&mut self) {
        self.tried = None;
    }
}
