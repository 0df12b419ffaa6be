//! Reads a message list that comes from a client or from a store: its tool calls, their steps, and the places that cannot
//! be read.

use crate::core::call::Answer;
use crate::core::json::{Object, Value};
use crate::core::protocol::{Between, Field, Note, PartType, Role, ToolState};

vocabulary! {
    /// The reason why a part of a message list cannot be read as a decision.
    ReadProblem {
        /// The messages are not a list.
        NotAList = "not-a-list",
        /// A message or a part is not an object.
        NotAnObject = "not-an-object",
        /// A message with an unknown role.
        UnknownRole = "unknown-role",
        /// A message has no list of parts.
        MissingParts = "missing-parts",
        /// A part has no type.
        MissingType = "missing-type",
        /// A tool call in a message that is not from the assistant.
        WrongRole = "wrong-role",
        /// A tool call without a call id.
        MissingCallId = "missing-call-id",
        /// A tool call without the name of its tool.
        MissingToolName = "missing-tool-name",
        /// A missing or unknown state.
        UnknownState = "unknown-state",
        /// A call without an approval in a state that needs one.
        MissingApproval = "missing-approval",
        /// An approval without an id.
        MissingApprovalId = "missing-approval-id",
        /// An approval that is not an object.
        MalformedApproval = "malformed-approval",
        /// An `approved` that is neither `true` nor `false`.
        MalformedAnswer = "malformed-answer",
        /// An answer or a result with an approval that was never answered.
        Unanswered = "unanswered",
        /// A yes in a state that comes before the answer.
        MisplacedAnswer = "misplaced-answer",
        /// An output state without an output. A tool that returns nothing looks like this in JSON.
        MissingOutput = "missing-output",
        /// An error state without the text of the error.
        MissingErrorText = "missing-error-text",
        /// One approval for two calls.
        SharedApproval = "shared-approval",
        /// The same approval was answered differently elsewhere.
        ConflictingAnswers = "conflicting-answers",
        /// The call has a result, here or elsewhere: it must not run again.
        AlreadyExecuted = "already-executed",
        /// The same approval is asked for again later.
        AskedAgain = "asked-again",
        /// A later copy of the call counts instead.
        Repeated = "repeated",
        /// One step has the same call id twice.
        DuplicateCall = "duplicate-call",
        /// Another part has the same approval with another input.
        ChangedInput = "changed-input",
        /// This server did not ask for this approval, or not for this call.
        UnknownApproval = "unknown-approval",
    }
}

/// The approval of a part.
#[derive(Clone, Copy)]
pub(super) enum Approval<'a> {
    None,
    Malformed,
    Is { id: Option<&'a str>, answer: Answer },
}

impl<'a> Approval<'a> {
    /// Its id, if it has one.
    pub(super) fn id(self) -> Option<&'a str> {
        if let Self::Is { id, .. } = self { id } else { None }
    }

    /// Whether there is none, of whatever form.
    pub(super) fn is_none(self) -> bool {
        matches!(self, Self::None)
    }

    /// Its answer.
    pub(super) fn answer(self) -> Answer {
        match self {
            Self::None => Answer::Absent,
            Self::Malformed => Answer::Malformed,
            Self::Is { answer, .. } => answer,
        }
    }
}

/// The fields of a tool part.
pub(super) struct Call<'a> {
    pub message: usize,
    pub part: usize,
    pub step: u32,
    pub from_assistant: bool,
    pub id: Option<&'a str>,
    pub tool: Option<&'a str>,
    pub state: ToolState,
    pub approval: Approval<'a>,
    pub reason: Option<&'a str>,
    /// Only compared. At the border it is replaced by a number, which is the same for inputs that are the
    /// same on the wire.
    pub input: Option<&'a Value>,
    /// The input that the model asked for, if a person has changed it. Only compared.
    pub edited_from: Option<&'a Value>,
    /// Only compared, as the input is.
    pub output: Option<&'a Value>,
    /// Only compared.
    pub error_text: Option<&'a Value>,
    /// Whether there is an output, even `null`.
    pub has_output: bool,
    pub has_error_text: bool,
    /// Whether there is any part of a result, whatever the state says. Serializers write `null` for missing
    /// values.
    pub has_result: bool,
    pub preliminary: bool,
    /// Whether the provider runs it.
    pub provider: bool,
    /// Whether its approval holds for this very input: it is signed, or has the input from which a schema has made that
    /// of the part. The SDK refuses every other one.
    pub signed: bool,
}

impl Call<'_> {
    /// Whether its state is that of a call that ended with a result.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.state, ToolState::OutputAvailable | ToolState::OutputError)
    }

    /// Whether it was rejected. A no counts in any state, and a server that settled a denial has no result.
    /// The SDK would pass the result over a no on to the model; its validation refuses this
    /// shape.
    pub(super) fn is_rejected(&self) -> bool {
        self.approval.answer() == Answer::No || self.state == ToolState::OutputDenied
    }

    /// The input about which the person was asked.
    pub(super) fn asked_input(&self) -> Option<&Value> {
        self.edited_from.or(self.input)
    }

    /// The call id and the tool, if it has both.
    pub(super) fn identity(&self) -> Option<(&str, &str)> {
        if self.from_assistant { self.id.zip(self.tool) } else { None }
    }
}

/// A tool call, or a place that cannot be read.
pub(super) enum Entry<'a> {
    Call(Call<'a>),
    Wrong { message: Option<usize>, part: Option<usize>, step: u32, code: ReadProblem },
}

/// A string that is not empty.
pub(super) fn name(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The list while it is being read.
#[derive(Default)]
pub(super) struct Reading<'a> {
    pub entries: Vec<Entry<'a>>,
    /// The last step that reaches the model. The SDK's server runs only what was approved in this step. It looks at the
    /// last message that it made for the model, and a step without content makes none.
    pub last_step: u32,
}

impl<'a> Reading<'a> {
    /// Reads a list.
    pub(super) fn of(messages: &'a Value) -> Self {
        let mut reading = Self::default();
        let Some(messages) = messages.as_array() else {
            reading.wrong(None, None, 0, ReadProblem::NotAList);
            return reading;
        };
        let mut step = 0;
        for (at, message) in messages.iter().enumerate() {
            step += 1;
            reading.message(at, message, &mut step);
        }
        reading
    }

    fn wrong(&mut self, message: Option<usize>, part: Option<usize>, step: u32, code: ReadProblem) {
        self.entries.push(Entry::Wrong { message, part, step, code });
        // The part that cannot be read may have been the newest one.
        self.last_step = step;
    }

    fn message(&mut self, at: usize, message: &'a Value, step: &mut u32) {
        let Some(fields) = message.as_object() else {
            return self.wrong(Some(at), None, *step, ReadProblem::NotAnObject);
        };
        let role = fields.get(Field::Role.name()).and_then(Value::as_str).and_then(Role::from_name);
        let from_assistant = role == Some(Role::Assistant);
        if role.is_none() {
            self.wrong(Some(at), None, *step, ReadProblem::UnknownRole);
        } else if !from_assistant {
            // A message with another role ends every call before it, whatever it contains.
            self.last_step = *step;
        }
        let Some(parts) = fields.get(Field::Parts.name()).and_then(Value::as_array) else {
            return self.wrong(Some(at), None, *step, ReadProblem::MissingParts);
        };
        for (i, part) in parts.iter().enumerate() {
            let Some(fields) = part.as_object() else {
                self.wrong(Some(at), Some(i), *step, ReadProblem::NotAnObject);
                continue;
            };
            let Some(kind) = fields.get(Field::Type.name()).and_then(Value::as_str) else {
                self.wrong(Some(at), Some(i), *step, ReadProblem::MissingType);
                continue;
            };
            let tool = if kind == PartType::DynamicTool.name() {
                name(fields.get(Field::ToolName.name()))
            } else if let Some(tool) = kind.strip_prefix(PartType::ToolPrefix.name()) {
                Some(tool).filter(|tool| !tool.is_empty())
            } else {
                if from_assistant {
                    self.pass(kind, step);
                }
                continue;
            };
            let call = Call::of(fields, tool, from_assistant, (at, i, *step));
            // A call with incomplete input is the only one that does not reach the model.
            if call.state != ToolState::InputStreaming {
                self.last_step = *step;
            }
            self.entries.push(Entry::Call(call));
        }
    }

    /// Takes a part that is not a tool call. Only assistant messages have steps.
    fn pass(&mut self, kind: &str, step: &mut u32) {
        if kind == PartType::StepStart.name() {
            *step += 1;
        } else if kind == Between::SteeringMessage.name() {
            // In `ai` 7 this becomes a separate message of the person.
            self.last_step = *step + 1;
            *step += 2;
        } else if !kind.starts_with(Between::DataPrefix.name())
            && !kind.starts_with(Between::SourcePrefix.name())
        {
            self.last_step = *step;
        }
    }
}

impl<'a> Call<'a> {
    fn of(
        fields: &'a Object,
        tool: Option<&'a str>,
        from_assistant: bool,
        (message, part, step): (usize, usize, u32),
    ) -> Self {
        let there = |field: Field| fields.get(field.name()).is_some_and(|value| *value != Value::Null);
        let state = fields.get(Field::State.name()).and_then(Value::as_str);
        let (approval, reason) = match fields.get(Field::Approval.name()) {
            None | Some(Value::Null) => (Approval::None, None),
            Some(Value::Object(approval)) => {
                let answer = match approval.get(Field::Approved.name()) {
                    None => Answer::Absent,
                    Some(Value::Bool(true)) => Answer::Yes,
                    Some(Value::Bool(false)) => Answer::No,
                    // This includes `null`, which the SDK reads as no answer. Rejecting it loses nothing,
                    // because the call still asks.
                    Some(_) => Answer::Malformed,
                };
                let id = name(approval.get(Field::Id.name()));
                let reason = approval.get(Field::Reason.name()).and_then(Value::as_str);
                (Approval::Is { id, answer }, reason)
            }
            Some(_) => (Approval::Malformed, None),
        };
        // An input is only changed by whoever answers.
        let is_answered = matches!(approval, Approval::Is { answer: Answer::Yes | Answer::No, .. });
        let note = fields.get(Field::CallProviderMetadata.name()).and_then(|it| it.get(Note::Package.name()));
        let edited_from = note.and_then(|it| it.get(Note::EditedFrom.name()));
        Self {
            message,
            part,
            step,
            from_assistant,
            id: name(fields.get(Field::ToolCallId.name())),
            tool,
            state: state.and_then(ToolState::from_name).unwrap_or(ToolState::Unknown),
            approval,
            reason,
            input: fields.get(Field::Input.name()).filter(|input| **input != Value::Null),
            edited_from: edited_from.filter(|input| is_answered && **input != Value::Null),
            output: fields.get(Field::Output.name()),
            error_text: fields.get(Field::ErrorText.name()),
            has_output: fields.get(Field::Output.name()).is_some(),
            has_error_text: fields.get(Field::ErrorText.name()).is_some_and(|text| text.as_str().is_some()),
            has_result: there(Field::Output) || there(Field::ErrorText),
            preliminary: fields.get(Field::Preliminary.name()) == Some(&Value::Bool(true)),
            provider: fields.get(Field::ProviderExecuted.name()) == Some(&Value::Bool(true)),
            signed: [Field::Signature, Field::InputSchemaInput]
                .iter()
                .any(|bond| fields.get(Field::Approval.name()).and_then(|it| it.get(bond.name())).is_some()),
        }
    }
}
