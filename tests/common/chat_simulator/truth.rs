//! What really happened to a call.

use serde_json::Value;
use tool_approval_guard::core::id::RequestId;

use super::histories::Kind;

/// What really happened to one call.
#[derive(Clone, Debug)]
pub struct Truth {
    pub kind: Kind,
    pub question: Option<Value>,
    pub answer: Option<bool>,
    /// A person has allowed this question, and it was not taken back.
    pub allowed: bool,
    /// The input that was shown when it was denied.
    pub denied_input: Option<Value>,
    /// It was denied, and has another input since, about which nobody has decided.
    pub void_denial: bool,
    /// It stands in the place of a call that was denied.
    pub replaces_denied: bool,
    pub reason: Option<Value>,
    pub answer_new: bool,
    /// The request that first carried the answer.
    pub carried: Option<RequestId>,
    /// The request that carries the allowance now.
    pub flying: Option<RequestId>,
    /// The response to the last one has ended.
    pub delivered: bool,
    /// A request that carried the allowance has failed, nothing proves that it was refused, and there is no result.
    pub doubt: bool,
    pub failed: bool,
    pub settled: bool,
    /// The output that the page wrote.
    pub page_output: Option<u8>,
    pub sent_output: Option<u8>,
    /// It is another one than was sent.
    pub output_new: bool,
    /// It was changed since.
    pub output_changed: bool,
    /// Was there text after the call when it was put out, and had the guard seen it open?
    pub text_before_output: bool,
    pub server_output: bool,
    pub superseded: bool,
}

impl Truth {
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            kind,
            question: None,
            answer: None,
            allowed: false,
            denied_input: None,
            void_denial: false,
            replaces_denied: false,
            reason: None,
            answer_new: false,
            carried: None,
            failed: false,
            flying: None,
            delivered: false,
            doubt: false,
            settled: false,
            page_output: None,
            sent_output: None,
            output_new: false,
            output_changed: false,
            text_before_output: false,
            server_output: false,
            superseded: false,
        }
    }

    /// It asks once more.
    pub(super) fn reopen(&mut self, other_input: bool) {
        self.void_denial |= other_input && self.denied() && !self.superseded;
        self.answer = None;
        self.reason = None;
        self.settled = false;
        self.allowed &= !other_input;
        self.answer_new = false;
        self.page_output = None;
        self.output_new = false;
    }

    /// It may have run, and nobody here knows.
    pub fn in_doubt(&self) -> bool {
        let has_result = self.page_output.is_some() || self.server_output;
        self.doubt && self.answer == Some(true) && !has_result
    }

    pub fn asks(&self) -> bool {
        self.question.is_some() && self.answer.is_none()
    }

    pub fn denied(&self) -> bool {
        self.answer == Some(false)
    }

    pub fn client(&self) -> bool {
        matches!(self.kind, Kind::Client | Kind::ClientAsks)
    }
}
