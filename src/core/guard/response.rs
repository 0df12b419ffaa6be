//! The responses that run, each as one value from its beginning to its end. The ledger has the numbers of their requests
//! besides: its fold, which a replay repeats, keeps a call by them.

use super::deliveries::Listed;
use crate::core::call::Call;
use crate::core::id::{CallId, RequestId, StringId};

/// The message that a response writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// Not known: any.
    Any,
    /// One of its own.
    New,
    /// The one of this call, which it continues.
    MessageOf(CallId),
}

/// A response that runs.
#[derive(Debug)]
pub(super) struct Response {
    /// The request that it answers; 0 for a resumed one, which has none.
    pub request: RequestId,
    pub writes: Writes,
    /// If a person has asked for it with a message, an edit or a regeneration: the number that the next call had then.
    pub asked_before: Option<CallId>,
    /// The list that its request carries, as long as its server may take it.
    pub list: Option<Vec<Listed>>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Responses(pub Vec<Response>);

impl Responses {
    /// A response is over; of the resumed ones, any.
    pub fn end(&mut self, request: RequestId) -> Option<Response> {
        let at = self.0.iter().position(|response| response.request == request)?;
        Some(self.0.remove(at))
    }

    /// A request carries this list; `None`: its server has not taken it.
    pub fn carry(&mut self, request: RequestId, list: Option<Vec<Listed>>) {
        if let Some(response) = self.0.iter_mut().find(|response| response.request == request) {
            response.list = list;
        }
    }

    /// The list that a request carries.
    pub fn list_of(&mut self, request: RequestId) -> Option<&mut Vec<Listed>> {
        self.0.iter_mut().find(|response| response.request == request)?.list.as_mut()
    }

    pub fn get(&self, request: RequestId) -> Option<&Response> {
        self.0.iter().find(|response| response.request == request)
    }

    /// Whether any runs.
    pub fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether the response to a request runs; for request 0, whether any resumed one does.
    pub fn runs(&self, request: RequestId) -> bool {
        self.get(request).is_some()
    }

    /// Whether a resumed one runs.
    pub fn is_resumed(&self) -> bool {
        self.runs(RequestId::NONE)
    }

    /// Whether a person has asked for it with a message, an edit or a regeneration.
    pub fn is_of_person(&self, request: RequestId) -> bool {
        self.get(request).is_some_and(|response| response.asked_before.is_some())
    }

    /// Whether a call is allowed without a result, and the request of one of them carries the allowance.
    pub fn in_flight(&self, call: &Call) -> bool {
        self.0.iter().any(|response| call.carried_by(response.request))
    }

    /// The strings that are in use.
    pub fn strings(&self) -> impl Iterator<Item = StringId> {
        self.0.iter().filter_map(|response| response.list.as_ref()).flatten().map(|listed| listed.message)
    }
}
