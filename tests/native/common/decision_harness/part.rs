//! The parts, messages and requests of the chat.

use tool_approval_guard::core::call::{Answer, Digest, PartFlags};
use tool_approval_guard::core::id::{RequestId, StringId};
use tool_approval_guard::core::protocol::ToolState;
use tool_approval_guard::core::repair::InputRepair;

use crate::common::oracle::{Carried, Content, Shown, Tag};

#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) tag: Tag,
    pub(super) tool: StringId,
    pub(super) id: StringId,
    pub(super) approval: StringId,
    pub(super) state: ToolState,
    pub(super) answer: Answer,
    pub(super) content: Content,
    /// The digest of the changed input that it shows in the place of its content; 0 for none.
    pub(super) edit: Digest,
    pub(super) output: u64,
    /// Whether the server wrote its state.
    pub(super) served: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) id: StringId,
    pub(super) user: bool,
    pub(super) steps: Vec<Vec<Part>>,
}

pub(super) struct Flight {
    pub(super) request: RequestId,
    pub(super) started: bool,
    /// The message of its response, once there is one.
    pub(super) message: Option<StringId>,
    pub(super) wire: Vec<Carried>,
}

impl Part {
    pub(super) fn flags(&self) -> PartFlags {
        let (state, answer, residue) = (self.state, self.answer, self.output != 0);
        PartFlags { state, answer, provider: false, preliminary: false, residue, by_guard: false }
    }

    pub(super) fn shown(&self) -> Shown {
        Shown {
            tag: self.tag,
            tool: self.tool,
            content: self.content,
            asks: self.state == ToolState::ApprovalRequested,
            begins: self.state == ToolState::InputAvailable,
            says: match self.answer {
                Answer::Yes => Some(true),
                Answer::No => Some(false),
                _ => None,
            },
            output: self.output != 0,
            served: self.served,
        }
    }

    /// The changed input that it shows. What asks is asked with the input that it shows.
    pub(super) fn shown_edit(&self) -> Digest {
        if matches!(self.answer, Answer::Yes | Answer::No) { self.edit } else { 0 }
    }

    /// Gets the input that a repair puts into it. `edit`: the changed input that the page keeps.
    pub(super) fn take_input(&mut self, input: InputRepair, edit: Option<Digest>) {
        match input {
            InputRepair::Keep => {}
            InputRepair::Edited => self.edit = edit.unwrap_or(self.edit),
            InputRepair::Original => self.edit = 0,
        }
    }

    pub(super) fn show(&mut self, state: ToolState, answer: Answer) {
        (self.state, self.answer, self.output, self.served) = (state, answer, 0, false);
    }
}

pub(super) fn said(yes: bool) -> Answer {
    if yes { Answer::Yes } else { Answer::No }
}
