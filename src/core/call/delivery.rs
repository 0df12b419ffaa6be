//! The delivery of an answer or an output to the server.

use crate::core::id::RequestId;

/// The progress of the answer or the output of a call on its way to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// There is nothing to send, or another tab sends it.
    #[default]
    Idle,
    /// No request has carried it.
    Unsent,
    /// A request carries it.
    Sent(RequestId),
    /// The response to that request has started.
    Delivered(RequestId),
    /// A request has brought it of which this page hears nothing, or whose response is over for the record.
    Arrived,
    /// The server has refused the request, or never saw it.
    Failed,
    /// The request broke off after it had left: an allowed call may have run.
    Doubt,
    /// This page did not see it happen: it was there at the first `attach`, or the record or another tab has it.
    History,
}
