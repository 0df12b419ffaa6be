//! Reads the decisions about tool calls from a message list that a server received: which calls were
//! rejected, which may run, and which parts cannot be trusted. The list comes from a client, so a doubtful
//! answer never counts as a yes, and a no is never lost.
//!
//! Statements about the AI SDK refer to `ai` 7.0.173 and 6.0.326: `src/ui/convert-to-model-messages.ts` (what
//! a part becomes), `src/generate-text/collect-tool-approvals.ts` (what runs) and
//! `src/ui/validate-ui-messages.ts` (the shapes). They hold for both versions unless one is named.

#[cfg(not(target_arch = "wasm32"))]
use serde::Serialize;

use super::keys::Keys;
use super::reading::{Approval, Call, Entry, ReadProblem, Reading};
use crate::core::call::Answer;
use crate::core::json::Value;
use crate::core::protocol::ToolState;
use crate::core::verdict::Need;

vocabulary! {
    /// The type of a decision.
    DecisionType {
        /// The call was denied.
        Rejected = "rejected",
        /// The call was allowed and has no result.
        Approved = "approved",
        /// The call has an output.
        Output = "output",
        /// The call failed.
        Error = "error",
        /// There is no decision, or no result yet.
        Open = "open",
        /// The part cannot be trusted.
        Malformed = "malformed",
    }
}

/// The decision about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "wasm32"), derive(Serialize))]
#[cfg_attr(
    not(target_arch = "wasm32"),
    serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")
)]
pub enum Outcome {
    /// The call was denied.
    Rejected {
        /// Whether a result was written over the denial. Nothing ran, so the result is made up.
        overwritten: bool,
    },
    /// The call was allowed and has no result.
    Approved,
    /// The call has an output.
    Output,
    /// The call failed.
    Error,
    /// There is no decision, or no result yet.
    Open {
        /// The next thing that the call waits for.
        waits_for: Need,
    },
    /// The part cannot be trusted.
    Malformed {
        /// The reason.
        code: ReadProblem,
    },
}

impl Outcome {
    /// Its type.
    pub fn decision_type(self) -> DecisionType {
        match self {
            Self::Rejected { .. } => DecisionType::Rejected,
            Self::Approved => DecisionType::Approved,
            Self::Output => DecisionType::Output,
            Self::Error => DecisionType::Error,
            Self::Open { .. } => DecisionType::Open,
            Self::Malformed { .. } => DecisionType::Malformed,
        }
    }
}

/// The decision about a tool call, or the report of a malformed place in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "wasm32"), derive(Serialize), serde(rename_all = "camelCase"))]
pub struct Decision<'a> {
    /// The decision.
    #[cfg_attr(not(target_arch = "wasm32"), serde(flatten))]
    pub outcome: Outcome,
    /// The index of the message; `None` if there is no list.
    #[cfg_attr(not(target_arch = "wasm32"), serde(skip_serializing_if = "Option::is_none"))]
    pub message: Option<usize>,
    /// The index of the part; `None` if the message is malformed.
    #[cfg_attr(not(target_arch = "wasm32"), serde(skip_serializing_if = "Option::is_none"))]
    pub part: Option<usize>,
    /// Whether it belongs to the end of the list, which the server carries out; otherwise it is history.
    pub current: bool,
    /// Whether the person who answered has changed the input.
    #[cfg_attr(not(target_arch = "wasm32"), serde(skip_serializing_if = "std::ops::Not::not"))]
    pub edited: bool,
    /// The call id.
    #[cfg_attr(not(target_arch = "wasm32"), serde(skip_serializing_if = "Option::is_none"))]
    pub tool_call_id: Option<&'a str>,
    /// The name of the tool.
    #[cfg_attr(not(target_arch = "wasm32"), serde(skip_serializing_if = "Option::is_none"))]
    pub tool_name: Option<&'a str>,
    /// The approval id.
    #[cfg_attr(not(target_arch = "wasm32"), serde(skip_serializing_if = "Option::is_none"))]
    pub approval_id: Option<&'a str>,
    /// The reason for the answer.
    #[cfg_attr(not(target_arch = "wasm32"), serde(skip_serializing_if = "Option::is_none"))]
    pub reason: Option<&'a str>,
}

/// An approval that the server requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The approval id.
    pub approval_id: &'a str,
    /// The call id.
    pub tool_call_id: &'a str,
}

/// A server's knowledge beyond the list.
#[derive(Clone, Debug, Default)]
pub struct Known<'a> {
    /// The tools that run in the page. An approved call of one of them is open until the page has written its
    /// output.
    pub client_tools: Vec<&'a str>,
    /// The approvals that this server requested, if it remembers them: at least all that are not settled yet.
    pub requested: Option<Vec<Request<'a>>>,
}

/// Reads the decisions about the tool calls of a message list, in the order of the list.
///
/// A made-up result looks like a real one. If the server lists the approvals that it has requested, a call
/// that comes back with a result but without its approval is malformed.
pub fn read<'a>(messages: &'a Value, known: &Known<'_>) -> Vec<Decision<'a>> {
    let Reading { entries, last_step } = Reading::of(messages);
    let context = Context::of(&entries, known);
    let decide = |(at, entry): (usize, &Entry<'a>)| match *entry {
        Entry::Wrong { message, part, step, code } => Decision {
            outcome: Outcome::Malformed { code },
            message,
            part,
            current: step == last_step,
            edited: false,
            tool_call_id: None,
            tool_name: None,
            approval_id: None,
            reason: None,
        },
        Entry::Call(ref call) => Decision {
            outcome: context.judge(at, call),
            message: Some(call.message),
            part: Some(call.part),
            current: call.step == last_step,
            edited: call.edited_from.is_some(),
            tool_call_id: call.id,
            tool_name: call.tool,
            approval_id: call.approval.id(),
            reason: call.reason,
        },
    };
    entries.iter().enumerate().map(decide).collect()
}

/// The facts of the list about one approval id.
struct Uses<'a> {
    /// The call id and the tool of the first part.
    identity: Option<(&'a str, &'a str)>,
    /// Whether its parts belong to several calls.
    shared: bool,
    /// Whether a part has another answer than yes.
    contradicted: bool,
    /// The input about which the first part asked.
    input: Option<&'a Value>,
    /// The input of the first part with a yes.
    allowed: Option<Option<&'a Value>>,
    /// Whether a part has another input.
    changed: bool,
    executed: bool,
    last: usize,
    last_question: Option<usize>,
}

/// The facts of the list about one call id.
struct Calls {
    last: usize,
    last_result: Option<usize>,
    /// The newest step with this id, and its parts there.
    step: u32,
    twins: usize,
}

/// The parts that have the same call id in one step.
#[derive(Clone, Copy, Default)]
struct Twins {
    count: u32,
    /// Whether one of them was rejected or asks.
    held: bool,
}

/// The relations between the parts of a list. What is known of a key has the number of the key.
struct Context<'a> {
    keys: Keys<'a>,
    /// By approval id.
    approvals: Vec<Option<Uses<'a>>>,
    /// By call id.
    calls: Vec<Option<Calls>>,
    /// The rejected calls by id and tool, with the place of the first rejection.
    rejected: Vec<Option<usize>>,
    /// Calls by id and tool that have a result and no approval, with the input of their last part.
    unasked: Vec<Option<Option<&'a Value>>>,
    twins: Vec<Twins>,
    /// The twins of each entry.
    twins_of: Vec<usize>,
    client_tools: &'a [&'a str],
    /// The requested approvals and calls, with the number of their parts.
    requested: Option<Vec<Option<usize>>>,
    /// By call id: the requested calls of which every part has lost the approval, with the place of the last part.
    stripped: Vec<Option<usize>>,
}

impl<'a> Context<'a> {
    fn of(entries: &'a [Entry<'a>], known: &'a Known<'a>) -> Self {
        let keys = keys_of(entries, known);
        let mut context = Self {
            approvals: keys.table(),
            calls: keys.table(),
            rejected: keys.table(),
            unasked: keys.table(),
            twins: Vec::new(),
            twins_of: Vec::with_capacity(entries.len()),
            client_tools: &known.client_tools,
            requested: None,
            stripped: keys.table(),
            keys,
        };
        if let Some(requests) = &known.requested {
            let mut requested = context.keys.table();
            for request in requests {
                if let Some(at) = context.keys.pair(request.approval_id, request.tool_call_id) {
                    requested[at] = Some(0);
                }
            }
            context.requested = Some(requested);
        }
        for (at, entry) in entries.iter().enumerate() {
            let twins = match entry {
                Entry::Call(call) => context.add(at, call),
                Entry::Wrong { .. } => 0,
            };
            context.twins_of.push(twins);
        }
        for (at, parts) in context.requested.iter().flatten().enumerate() {
            let call = context.keys.second(at).and_then(|call| context.keys.one(call));
            if let (Some(0), Some(call)) = (parts, call) {
                context.stripped[call] = context.calls[call].as_ref().map(|calls| calls.last);
            }
        }
        context
    }

    /// Adds the facts of a part, and returns the index of its twins.
    fn add(&mut self, at: usize, call: &'a Call<'a>) -> usize {
        let identity = call.identity();
        let answer = call.approval.answer();
        let has_result = call.is_settled() || call.state == ToolState::OutputDenied;
        if let Some((approval, place)) = call.approval.id().and_then(|id| Some((id, self.keys.one(id)?))) {
            let uses = self.approvals[place].get_or_insert(Uses {
                identity,
                shared: false,
                contradicted: false,
                input: call.asked_input(),
                allowed: None,
                changed: false,
                executed: false,
                last: at,
                last_question: None,
            });
            uses.shared |= uses.identity != identity;
            uses.contradicted |= call.is_rejected() || answer == Answer::Malformed;
            uses.changed |= uses.input != call.asked_input();
            if answer == Answer::Yes {
                uses.changed |= *uses.allowed.get_or_insert(call.input) != call.input;
            }
            uses.executed |= has_result || (answer == Answer::Yes && call.has_result);
            uses.last = at;
            if answer == Answer::Absent {
                uses.last_question = Some(at);
            }
            if let (Some((id, _)), Some(requested)) = (identity, &mut self.requested) {
                let parts = self.keys.pair(approval, id).and_then(|pair| requested[pair].as_mut());
                parts.into_iter().for_each(|parts| *parts += 1);
            }
        }
        if let Some(place) = identity.and_then(|(id, tool)| self.keys.pair(id, tool)) {
            if call.is_rejected() {
                self.rejected[place].get_or_insert(at);
            }
            if let (true, Approval::None) = (call.is_settled(), call.approval) {
                self.unasked[place] = Some(call.input);
            }
        }
        // The SDK identifies calls by their ids alone.
        let id = call.id.filter(|_| call.from_assistant);
        let Some(place) = id.and_then(|id| self.keys.one(id)) else { return 0 };
        let calls = self.calls[place].get_or_insert(Calls { last: at, last_result: None, step: 0, twins: 0 });
        calls.last = at;
        if has_result {
            calls.last_result = Some(at);
        }
        // Steps are counted from 1.
        if calls.step != call.step {
            calls.step = call.step;
            calls.twins = self.twins.len();
            self.twins.push(Twins::default());
        }
        if let Some(twins) = self.twins.get_mut(calls.twins) {
            twins.count += 1;
            let asks = matches!(call.state, ToolState::ApprovalRequested | ToolState::ApprovalResponded);
            twins.held |= call.is_rejected() || (asks && answer != Answer::Yes);
        }
        calls.twins
    }

    fn judge(&self, at: usize, call: &Call<'_>) -> Outcome {
        self.decide(at, call).unwrap_or_else(|code| Outcome::Malformed { code })
    }

    /// The decision about a part, or the reason why it cannot be trusted.
    fn decide(&self, at: usize, call: &Call<'_>) -> Result<Outcome, ReadProblem> {
        if !call.from_assistant {
            // The SDK ignores such parts.
            return Err(ReadProblem::WrongRole);
        }
        let id = call.id.ok_or(ReadProblem::MissingCallId)?;
        let tool = call.tool.ok_or(ReadProblem::MissingToolName)?;
        if call.is_rejected() {
            return Ok(Outcome::Rejected { overwritten: call.is_settled() || call.has_result });
        }
        if call.state == ToolState::Unknown {
            return Err(ReadProblem::UnknownState);
        }
        let answer = match call.approval {
            Approval::Malformed => return Err(ReadProblem::MalformedApproval),
            // The SDK runs a call if its answer is truthy: `"no"` or `1`.
            Approval::Is { answer: Answer::Malformed, .. } => return Err(ReadProblem::MalformedAnswer),
            Approval::Is { answer, .. } => Some(answer),
            Approval::None => None,
        };
        match call.state {
            ToolState::ApprovalResponded => {
                match answer.ok_or(ReadProblem::MissingApproval)? {
                    Answer::Yes => self.believe(at, call, id)?,
                    _ => return Err(ReadProblem::Unanswered),
                }
                let waits_for = Need::Output;
                Ok(if self.client_tools.contains(&tool) {
                    Outcome::Open { waits_for }
                } else {
                    Outcome::Approved
                })
            }
            ToolState::OutputAvailable | ToolState::OutputError => self.result(at, call, (id, tool), answer),
            // The SDK runs these, because it checks `approved` and not the state.
            _ if answer == Some(Answer::Yes) => Err(ReadProblem::MisplacedAnswer),
            ToolState::ApprovalRequested if answer.is_none() => Err(ReadProblem::MissingApproval),
            ToolState::InputStreaming => Ok(Outcome::Open { waits_for: Need::Input }),
            // A call without an approval waits for whatever runs it, which may be the provider.
            _ if answer.is_none() => Ok(Outcome::Open { waits_for: Need::Output }),
            _ => {
                let approval = call.approval.id().ok_or(ReadProblem::MissingApprovalId)?;
                self.was_requested(approval, id)?;
                Ok(Outcome::Open { waits_for: Need::Approval })
            }
        }
    }

    /// Checks whether the yes of a part can be trusted. An approval is for one call, once: its last part
    /// counts, and only if every earlier part is an older copy.
    fn believe(&self, at: usize, call: &Call<'_>, id: &str) -> Result<(), ReadProblem> {
        let approval = call.approval.id().ok_or(ReadProblem::MissingApprovalId)?;
        if call.has_result {
            return Err(ReadProblem::AlreadyExecuted);
        }
        let uses = self.uses(approval).ok_or(ReadProblem::MissingApprovalId)?;
        self.agrees(uses)?;
        let calls = self.keys.one(id).and_then(|place| self.calls[place].as_ref());
        if uses.executed || calls.is_some_and(|calls| calls.last_result > Some(at)) {
            return Err(ReadProblem::AlreadyExecuted);
        }
        if uses.last_question.is_some_and(|question| question > at) {
            return Err(ReadProblem::AskedAgain);
        }
        if uses.last > at {
            return Err(ReadProblem::Repeated);
        }
        // The SDK runs one of them, or none if the other one has a result.
        if self.twins(at).count > 1 {
            return Err(ReadProblem::DuplicateCall);
        }
        // An id that comes again stands for another call, as with providers that count from `call_0` in each step. But with
        // the same tool and input it may be this call, whose approval `addToolOutput` of `ai` 7 has removed. All results
        // with this id are earlier ones, because a later one was found above.
        let place = call.identity().and_then(|(id, tool)| self.keys.pair(id, tool));
        let ran = place.and_then(|place| self.unasked[place]);
        if ran.is_some_and(|input| input == call.input || input == call.asked_input()) {
            return Err(ReadProblem::AlreadyExecuted);
        }
        if uses.changed {
            return Err(ReadProblem::ChangedInput);
        }
        self.was_requested(approval, id)
    }

    fn uses(&self, approval: &str) -> Option<&Uses<'a>> {
        self.keys.one(approval).and_then(|place| self.approvals[place].as_ref())
    }

    fn agrees(&self, uses: &Uses<'_>) -> Result<(), ReadProblem> {
        if uses.shared {
            Err(ReadProblem::SharedApproval)
        } else if uses.contradicted {
            Err(ReadProblem::ConflictingAnswers)
        } else {
            Ok(())
        }
    }

    fn twins(&self, at: usize) -> Twins {
        self.twins_of.get(at).and_then(|&twins| self.twins.get(twins)).copied().unwrap_or_default()
    }

    fn was_requested(&self, approval: &str, call: &str) -> Result<(), ReadProblem> {
        match &self.requested {
            Some(requested) if self.keys.pair(approval, call).and_then(|at| requested[at]).is_none() => {
                Err(ReadProblem::UnknownApproval)
            }
            _ => Ok(()),
        }
    }

    /// Checks a call with a result. Whether its approval was requested is not checked, because it may have
    /// been settled long ago.
    fn result(
        &self,
        at: usize,
        call: &Call<'_>,
        (id, tool): (&str, &str),
        answer: Option<Answer>,
    ) -> Result<Outcome, ReadProblem> {
        match answer {
            // `addToolOutput` of `ai` 6 writes an output beside a question that is still open.
            Some(Answer::Absent) => return Err(ReadProblem::Unanswered),
            Some(_) => {
                let approval = call.approval.id().ok_or(ReadProblem::MissingApprovalId)?;
                self.agrees(self.uses(approval).ok_or(ReadProblem::MissingApprovalId)?)?;
            }
            // `addToolOutput` of `ai` 7 removes the approval, and a server that gives messages new ids leaves
            // the no in an older copy.
            None => {
                let rejection = self.keys.pair(id, tool).and_then(|place| self.rejected[place]);
                if rejection.is_some_and(|no| no < at) {
                    return Err(ReadProblem::ConflictingAnswers);
                }
            }
        }
        if self.keys.one(id).and_then(|place| self.stripped[place]) == Some(at) {
            return Err(ReadProblem::Unanswered);
        }
        if self.twins(at).held {
            return Err(ReadProblem::DuplicateCall);
        }
        if call.state == ToolState::OutputError {
            return if call.has_error_text { Ok(Outcome::Error) } else { Err(ReadProblem::MissingErrorText) };
        }
        if call.preliminary {
            return Ok(Outcome::Open { waits_for: Need::Output });
        }
        if call.has_output { Ok(Outcome::Output) } else { Err(ReadProblem::MissingOutput) }
    }
}

/// All keys of a list and of what is known beside it.
fn keys_of<'a>(entries: &'a [Entry<'a>], known: &'a Known<'a>) -> Keys<'a> {
    let mut keys = Vec::new();
    for entry in entries {
        let Entry::Call(call) = entry else { continue };
        let (approval, id) = (call.approval.id(), call.id);
        keys.extend(approval.into_iter().chain(id).map(|name| (name, "")));
        keys.extend(call.id.zip(call.tool));
    }
    for request in known.requested.iter().flatten() {
        keys.push((request.approval_id, request.tool_call_id));
    }
    Keys::of(keys)
}
