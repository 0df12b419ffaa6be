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
    /// Whether a person has allowed this question and has not taken it back.
    pub allowed: bool,
    /// The input that was shown when it was denied.
    pub denied_input: Option<Value>,
    /// Whether it was denied and then got another input, about which nobody has decided.
    pub void_denial: bool,
    /// Whether it replaced a denied call.
    pub replaces_denied: bool,
    pub reason: Option<Value>,
    pub answer_new: bool,
    /// The request that first carried the answer.
    pub carried: Option<RequestId>,
    /// The request that carries the allowance now.
    pub flying: Option<RequestId>,
    /// Whether the response to the last request with it has ended.
    pub delivered: bool,
    /// Whether a request that carried the allowance has failed without proof of a refusal, and there is no
    /// result.
    pub doubt: bool,
    pub failed: bool,
    pub settled: bool,
    /// The output that the page wrote.
    pub page_output: Option<u8>,
    pub sent_output: Option<u8>,
    /// Whether it differs from the output that was sent.
    pub output_new: bool,
    /// Whether it was changed since.
    pub output_changed: bool,
    /// Whether text followed the call when its output was written, and the guard had seen the call open.
    pub text_before_output: bool,
    pub server_output: bool,
    pub superseded: bool,
    /// The output that the guard has seen, if a replay asks again about the same call.
    pub ran: Option<u8>,
    /// Whether that output was put back when a person moved on, so that no replay asks again.
    pub put_back: bool,
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
            ran: None,
            put_back: false,
        }
    }

    /// Reopens it, so that it asks again.
    pub(super) fn reopen(&mut self, other_input: bool) {
        self.void_denial |= other_input && self.denied() && !self.superseded;
        self.answer = None;
        self.reason = None;
        self.settled = false;
        self.allowed &= !other_input;
        self.answer_new = false;
        self.ran = self.page_output.or(self.ran).filter(|_| !other_input);
        self.put_back = false;
        self.page_output = None;
        self.output_new = false;
    }

    /// Whether it may have run without anybody knowing here.
    pub fn in_doubt(&self) -> bool {
        let has_result = self.page_output.is_some() || self.server_output;
        self.doubt && self.answer == Some(true) && !has_result
    }

    pub fn asks(&self) -> bool {
        self.question.is_some() && self.answer.is_none()
    }

    /// Whether its output is put back with this request, because somebody has moved on.
    pub fn is_put_back(&self, person: bool, automatic: bool) -> bool {
        let open = self.asks() || (person && self.answer_new && self.page_output.is_none());
        self.ran.is_some() && !automatic && !self.denied() && open
    }

    pub fn denied(&self) -> bool {
        self.answer == Some(false)
    }

    pub fn client(&self) -> bool {
        matches!(self.kind, Kind::Client | Kind::ClientAsks)
    }
}
