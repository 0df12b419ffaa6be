//! The responses that run, and what they continue.

use crate::core::id::{CallId, RequestId};

/// The responses that run, beside those to requests, which the ledger knows.
#[derive(Debug, Default)]
pub(super) struct Running {
    /// The number of resumed ones that run. They have no request.
    resumed: u32,
    /// For each request that runs, a call of the message that it continues; `None` if its response is a message of its own.
    continued: Vec<(RequestId, Option<CallId>)>,
}

impl Running {
    pub(super) fn is_resumed(&self) -> bool {
        self.resumed > 0
    }

    /// The call of the message that a request continues, if that is known.
    pub(super) fn continued(&self, request: RequestId) -> Option<Option<CallId>> {
        self.continued.iter().find(|(other, _)| *other == request).map(|&(_, call)| call)
    }

    /// A resumed response begins or ends.
    pub(super) fn resume(&mut self, begins: bool) {
        self.resumed = if begins { self.resumed.saturating_add(1) } else { self.resumed.saturating_sub(1) };
    }

    /// A request leaves, and is known to continue this message; the others run. It is not known if the message has no call:
    /// then each of the others may write it, too.
    pub(super) fn begin(&mut self, request: Option<(RequestId, Option<CallId>)>, running: &[RequestId]) {
        let is_known = request.is_some();
        self.continued.retain(|(other, _)| is_known && running.contains(other));
        self.continued.extend(request);
    }
}
