//! May the chat submit now, and why (not)?

use super::call::{Call, CallRef, Delivery, Facts};
use super::decision::Author;
use super::ledger::State;
use super::protocol::ToolState;

vocabulary! {
    /// Why the chat may, or may not, submit by itself.
    Reason {
        /// Yes: an approval was answered.
        Answered = "answered",
        /// Yes: the page wrote an output.
        Output = "output",
        /// Yes: a person asked to send a failed step again.
        Retry = "retry",
        /// Yes: a person asked to send what was answered before a reload.
        Resume = "resume",
        /// The last message is not from the assistant.
        NoAssistantMessage = "no-assistant-message",
        /// The last step has no tool call.
        NoToolCall = "no-tool-call",
        /// A call of the last step is open.
        Waiting = "waiting",
        /// Nobody in this page has answered or put out anything.
        NothingNew = "nothing-new",
        /// It was sent.
        AlreadySent = "already-sent",
        /// A yes was given in this turn of the event loop.
        AskedTwice = "asked-twice",
        /// The model has written text after the call.
        AnsweredInText = "answered-in-text",
        /// The request that carried it failed.
        Failed = "failed",
        /// The request that carried it broke; a call may have run.
        InDoubt = "in-doubt",
        /// It was answered before this page saw it.
        History = "history",
        /// The user stopped the chat.
        Stopped = "stopped",
        /// Everything was denied, and the option says to wait.
        AllDenied = "all-denied",
        /// The news is of a kind that the option leaves out.
        NotInSendOn = "not-in-send-on",
        /// Too many automatic sends since a person acted.
        Limit = "limit",
    }
}

impl Reason {
    /// Is it a yes?
    pub fn sends(self) -> bool {
        matches!(self, Self::Answered | Self::Output | Self::Retry | Self::Resume)
    }
}

vocabulary! {
    /// What an open call waits for.
    Need {
        /// A person's answer.
        Approval = "approval",
        /// Its output.
        Output = "output",
        /// The rest of its input.
        Input = "input",
        /// An answer that is exactly `true` or `false`.
        ValidAnswer = "valid-answer",
        /// A state that this version knows.
        KnownState = "known-state",
    }
}

/// The step that would be sent: the parts after the last `step-start` of the last message.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The last message is from the assistant.
    pub assistant: bool,
    /// Text that is not blank follows the last tool call.
    pub text: bool,
    /// Its tool calls.
    pub rows: Vec<(CallRef, Facts)>,
}

/// The options that a verdict depends on.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Answers cause a send.
    pub send_on_approvals: bool,
    /// Outputs of the page cause a send.
    pub send_on_outputs: bool,
    /// A step in which everything new is a denial waits for the user.
    pub hold_all_denied: bool,
    /// The most automatic sends between two acts of a person.
    pub max_automatic: u32,
}

vocabulary! {
    /// What a person has asked for.
    Permit {
        /// To send a failed step again.
        Retry = "retry",
        /// To send what was answered before a reload.
        Resume = "resume",
    }
}

/// What an open call of the step waits for; `None` when it is settled. `client` tells whether the
/// page runs its tool.
///
/// Law 1: an approval that is not exactly `true` or `false` is open, and so is a state that is not
/// known. A provider-executed call with no approval does not hold the others back.
pub fn need(call: &Call, facts: Facts, client: bool) -> Option<Need> {
    if call.denied() || call.superseded {
        return None;
    }
    if call.asking() && facts.state != ToolState::ApprovalResponded {
        return Some(Need::Approval);
    }
    match facts.state {
        ToolState::ApprovalRequested | ToolState::ApprovalResponded => {
            if !call.allowed() {
                let known = call.void || facts.state == ToolState::ApprovalRequested;
                return Some(if known { Need::Approval } else { Need::ValidAnswer });
            }
            client.then_some(Need::Output)
        }
        ToolState::OutputError | ToolState::OutputDenied => None,
        ToolState::OutputAvailable if !facts.preliminary => None,
        ToolState::Unknown => Some(Need::KnownState),
        _ if facts.provider && !call.asked => None,
        ToolState::InputStreaming => Some(Need::Input),
        _ => Some(Need::Output),
    }
}

/// Judges a settled or open step. `client` tells which tools the page runs; `in_text` whether the
/// model has already answered the outputs of a call with text.
pub fn judge(
    rules: &Rules,
    state: &State,
    step: &Step,
    permit: Option<Permit>,
    client: impl Fn(&Call) -> bool,
    in_text: impl Fn(CallRef) -> bool,
) -> Reason {
    if !step.assistant {
        return Reason::NoAssistantMessage;
    }
    if step.rows.is_empty() {
        return Reason::NoToolCall;
    }
    let mut news = News::default();
    for &(id, facts) in &step.rows {
        let Some(call) = state.calls.get(id as usize) else { continue };
        if need(call, facts, client(call)).is_some() {
            return Reason::Waiting;
        }
        news.take(call, !facts.provider && in_text(id));
    }
    if let Some(permit) = permit {
        return match permit {
            Permit::Retry => Reason::Retry,
            Permit::Resume => Reason::Resume,
        };
    }
    news.reason(rules, state)
}

/// What is new in a step.
#[derive(Default)]
struct News {
    allowed: bool,
    denied: bool,
    output: bool,
    output_in_text: bool,
    carried: bool,
    failed: bool,
    doubt: bool,
    history: bool,
}

impl News {
    fn take(&mut self, call: &Call, in_text: bool) {
        self.allowed |= call.fresh_answer() && call.allowed();
        self.denied |= call.fresh_answer() && call.denied();
        self.output |= call.fresh_output();
        self.output_in_text |= call.fresh_output() && in_text;
        match call.delivery {
            Delivery::Sent(_) | Delivery::Delivered(_) => self.carried = true,
            Delivery::Failed => self.failed = true,
            Delivery::Doubt => self.doubt = true,
            Delivery::History => {
                self.history |= call.decision.is_some() || call.output == Some(Author::History);
            }
            Delivery::Idle | Delivery::Unsent => {}
        }
    }

    fn reason(&self, rules: &Rules, state: &State) -> Reason {
        let answer = (self.allowed || self.denied) && rules.send_on_approvals;
        let output = self.output && rules.send_on_outputs;
        if !(self.allowed || self.denied || self.output) {
            return self.nothing_new();
        }
        if state.stopped {
            return Reason::Stopped;
        }
        if !answer && !output {
            return Reason::NotInSendOn;
        }
        if !answer && self.output_in_text {
            return Reason::AnsweredInText;
        }
        if rules.hold_all_denied && !self.allowed && !self.output {
            return Reason::AllDenied;
        }
        if state.automatic >= rules.max_automatic {
            return Reason::Limit;
        }
        if answer { Reason::Answered } else { Reason::Output }
    }

    fn nothing_new(&self) -> Reason {
        if self.doubt {
            Reason::InDoubt
        } else if self.failed {
            Reason::Failed
        } else if self.carried {
            Reason::AlreadySent
        } else if self.history {
            Reason::History
        } else {
            Reason::NothingNew
        }
    }
}
