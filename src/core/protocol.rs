//! The vocabulary of the AI SDK's UI messages (`ai` 6.0 and 7.0, `src/ui/ui-messages.ts`). No other file of the
//! core spells its strings.

vocabulary! {
    /// The state of a tool part.
    ToolState {
        /// The input is still being received.
        InputStreaming = "input-streaming",
        /// The input is complete.
        InputAvailable = "input-available",
        /// A person has to decide.
        ApprovalRequested = "approval-requested",
        /// Somebody has decided.
        ApprovalResponded = "approval-responded",
        /// There is an output.
        OutputAvailable = "output-available",
        /// There is an error instead of an output.
        OutputError = "output-error",
        /// A denial is settled: the server has taken it.
        OutputDenied = "output-denied",
        /// A state that this version does not know.
        Unknown = "",
    }
}

impl ToolState {
    /// Whether this state comes before another one in the life of a call.
    pub fn is_before(self, other: Self) -> bool {
        self.rank() < other.rank()
    }

    /// Whether the call has an answer or a result, or needed no approval.
    pub fn is_answered(self) -> bool {
        self.rank() > Self::ApprovalRequested.rank()
    }

    /// Whether the call is finished: it has an output or an error, or its denial is settled.
    pub fn has_result(self) -> bool {
        self.rank() > Self::ApprovalResponded.rank()
    }

    fn rank(self) -> u8 {
        match self {
            Self::Unknown | Self::InputStreaming => 0,
            Self::InputAvailable => 1,
            Self::ApprovalRequested => 2,
            Self::ApprovalResponded => 3,
            Self::OutputAvailable | Self::OutputError | Self::OutputDenied => 4,
        }
    }
}

vocabulary! {
    /// The part types that matter here. Tool parts have the type `dynamic-tool`, or `tool-` followed by the
    /// name of the tool.
    PartType {
        /// Starts a step.
        StepStart = "step-start",
        /// Text of the model.
        Text = "text",
        /// A tool part that has the name of its tool in a field.
        DynamicTool = "dynamic-tool",
        /// The prefix of the other tool parts.
        ToolPrefix = "tool-",
    }
}

vocabulary! {
    /// Other parts that mark the end of a step, or that say something to the model about it. Data and source
    /// types only begin with these strings.
    Between {
        /// A message of the person, between two steps.
        SteeringMessage = "steering-message",
        /// Data of the application.
        DataPrefix = "data-",
        /// A source.
        SourcePrefix = "source-",
    }
}

vocabulary! {
    /// The roles that matter here.
    Role {
        /// A message from the person.
        User = "user",
        /// A message from the model.
        Assistant = "assistant",
        /// Instructions from the application to the model.
        System = "system",
    }
}

vocabulary! {
    /// The fields of messages, tool parts and approvals that are read or written here.
    Field {
        /// The role of a message.
        Role = "role",
        /// The parts of a message.
        Parts = "parts",
        /// The type of a part.
        Type = "type",
        /// The state of a tool part.
        State = "state",
        /// The call id.
        ToolCallId = "toolCallId",
        /// The name of the tool, in a dynamic part.
        ToolName = "toolName",
        /// The approval of a call.
        Approval = "approval",
        /// The approval id, in an approval.
        Id = "id",
        /// The answer, in an approval.
        Approved = "approved",
        /// The reason for the answer, in an approval.
        Reason = "reason",
        /// The server's signature over the input, in an approval.
        Signature = "signature",
        /// The input from which the tool's schema has made that of the part, in an approval.
        InputSchemaInput = "inputSchemaInput",
        /// The input of a call.
        Input = "input",
        /// The output of a call.
        Output = "output",
        /// The error of a call.
        ErrorText = "errorText",
        /// Whether more of the output follows.
        Preliminary = "preliminary",
        /// The provider's notes about the call. The SDK keeps them through storage, streams and the conversion for the model.
        CallProviderMetadata = "callProviderMetadata",
        /// The provider's notes about the result.
        ResultProviderMetadata = "resultProviderMetadata",
        /// Whether the provider runs the call.
        ProviderExecuted = "providerExecuted",
        /// The text of a part.
        Text = "text",
    }
}

vocabulary! {
    /// The notes of this package in the `callProviderMetadata` of a call whose input a person has changed. The names are in
    /// stored messages, so they must never change.
    Note {
        /// The field of this package, as that of a provider.
        Package = "tool-approval-guard",
        /// In it: the input that the model asked for. The part itself has the one that runs.
        EditedFrom = "editedFrom",
    }
}

vocabulary! {
    /// The chunks of a response that concern a tool call, and its failure (`src/ui-message-stream/ui-message-chunks.ts`).
    Chunk {
        /// A call begins.
        InputStart = "tool-input-start",
        /// The input of a call is complete. This chunk may come without a start.
        InputAvailable = "tool-input-available",
        /// A call whose input was refused.
        InputError = "tool-input-error",
        /// The server asks for an approval.
        ApprovalRequest = "tool-approval-request",
        /// The server answered an approval request itself.
        ApprovalResponse = "tool-approval-response",
        /// The server wrote an output.
        OutputAvailable = "tool-output-available",
        /// The server wrote an error.
        OutputError = "tool-output-error",
        /// The server settled a denial.
        OutputDenied = "tool-output-denied",
        /// The response failed.
        Error = "error",
    }
}

#[cfg(test)]
mod tests {
    use super::ToolState::{self, *};

    #[test]
    fn a_state_that_is_not_known_is_the_last_and_has_no_name() {
        assert_eq!(ToolState::ALL.last(), Some(&Unknown));
        assert_eq!(Unknown.name(), "");
    }

    #[test]
    fn a_call_only_comes_further() {
        let life = [InputStreaming, InputAvailable, ApprovalRequested, ApprovalResponded, OutputAvailable];
        assert!(life.is_sorted_by(|a, b| a.rank() < b.rank()));
        assert_eq!(OutputError.rank(), OutputAvailable.rank());
        assert_eq!(OutputDenied.rank(), OutputAvailable.rank());
    }

    #[test]
    fn the_walker_reads_a_state_from_three_bits() {
        assert!(ToolState::ALL.len() <= 8);
    }
}
