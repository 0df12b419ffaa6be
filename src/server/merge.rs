//! Takes the answers of a client into the messages that a server has stored: answers to questions that the stored list
//! still asks, outputs of tools that run in the page, and new messages of the user. Everything else of the stored list
//! stands, and what a client says beyond that is named with a code.
//!
//! A client may send the whole list or any end of it. A call is found by its approval id, or else by its message and by
//! how often its call id came before; a message by its id.

#[cfg(not(target_arch = "wasm32"))]
use serde::Serialize;

use super::keys::Keys;
use super::reading::{Call, Entry, ReadProblem, Reading, name};
use crate::core::call::Answer;
use crate::core::json::Value;
use crate::core::protocol::{Field, PartType, Role, ToolState};

vocabulary! {
    /// The reason why something that a client sent is not taken.
    NotTaken {
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
        /// A system message, or a tool call in a message of the user.
        WrongRole = "wrong-role",
        /// A message of the user without an id.
        MissingMessageId = "missing-message-id",
        /// A message of the user that says nothing. It only continues the chat.
        NoContent = "no-content",
        /// Another message with this id is stored, or was sent before.
        ChangedMessage = "changed-message",
        /// A message that is not stored, before one that is: the past does not change.
        NotAtTheEnd = "not-at-the-end",
        /// A tool call without a call id.
        MissingCallId = "missing-call-id",
        /// A tool call without the name of its tool.
        MissingToolName = "missing-tool-name",
        /// An answer without the id of its approval.
        MissingApprovalId = "missing-approval-id",
        /// A yes in a state without an answer, or an `approved` that is neither `true` nor `false`.
        MalformedAnswer = "malformed-answer",
        /// An error without its text.
        MissingErrorText = "missing-error-text",
        /// The stored list has no such call.
        UnknownCall = "unknown-call",
        /// The stored list does not ask for this approval, or not for this call.
        UnknownApproval = "unknown-approval",
        /// It is not clear which of several stored calls is meant.
        DuplicateCall = "duplicate-call",
        /// The stored call is of another tool.
        ChangedTool = "changed-tool",
        /// The stored call has another input.
        ChangedInput = "changed-input",
        /// The user has changed the input of a tool of which the server takes no changed inputs, or of an approval that
        /// was signed.
        NotEditable = "not-editable",
        /// The call was answered differently before.
        ConflictingAnswers = "conflicting-answers",
        /// A yes to a question that a later step or message follows.
        LeftBehind = "left-behind",
        /// An output over a question that has no answer.
        Unanswered = "unanswered",
        /// An output of a tool that does not run in the page.
        ServerTool = "server-tool",
        /// The stored call has ended.
        AlreadySettled = "already-settled",
    }
}

impl NotTaken {
    fn of(problem: ReadProblem) -> Self {
        match problem {
            ReadProblem::NotAList => Self::NotAList,
            ReadProblem::UnknownRole => Self::UnknownRole,
            ReadProblem::MissingParts => Self::MissingParts,
            ReadProblem::MissingType => Self::MissingType,
            _ => Self::NotAnObject,
        }
    }
}

vocabulary! {
    /// A finding about something that was sent.
    Merged {
        /// It changes a stored part.
        Change = "change",
        /// It is a new message.
        Added = "added",
        /// It is not taken.
        Refused = "refused",
    }
}

/// A change of a stored part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The indices of the stored message and part.
    pub stored: (usize, usize),
    /// The indices of the message and part that were sent.
    pub sent: (usize, usize),
    /// Its new state.
    pub state: ToolState,
    /// The answer, if it is new.
    pub approved: Option<bool>,
    /// Whether the user has changed the input, and this is new.
    pub edited: bool,
}

/// Something that is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_arch = "wasm32"), derive(Serialize))]
pub struct Refused {
    /// The reason.
    pub code: NotTaken,
    /// The index of the message that was sent; `None` if there is no list.
    #[cfg_attr(not(target_arch = "wasm32"), serde(skip_serializing_if = "Option::is_none"))]
    pub message: Option<usize>,
    /// The index of the part; `None` if it is about the message.
    #[cfg_attr(not(target_arch = "wasm32"), serde(skip_serializing_if = "Option::is_none"))]
    pub part: Option<usize>,
}

/// The parts of a sent list that a server takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    /// The changes of stored parts. Of two changes of one part, the later one counts.
    pub changes: Vec<Change>,
    /// The indices of the messages that were sent and are new, in their order.
    pub added: Vec<usize>,
    /// The findings about what is not taken, in the order in which it was sent.
    pub refused: Vec<Refused>,
}

/// The tools about which a server says something.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tools<'a> {
    /// Those that run in the page.
    pub client: &'a [&'a str],
    /// Those whose inputs a user may change.
    pub editable: &'a [&'a str],
}

/// Says what a server takes of a list that was sent.
pub fn merge(stored: &Value, sent: &Value, tools: Tools<'_>) -> Merge {
    let (store, sent_list) = (Reading::of(stored), Reading::of(sent));
    let mut merger = Merger::of(&store, &sent_list, (stored, sent), tools);
    let mut refusals: Vec<Option<NotTaken>> = Vec::with_capacity(sent_list.entries.len());
    let of_messages = merger.messages(stored, sent);
    for entry in &sent_list.entries {
        refusals.push(match entry {
            Entry::Wrong { code, .. } => Some(NotTaken::of(*code)),
            Entry::Call(call) if call.from_assistant => None,
            Entry::Call(_) => Some(NotTaken::WrongRole),
        });
    }
    // A denial wins, whatever comes first in the list.
    for pass in [Says::No, Says::Yes, Says::Output] {
        for (at, entry) in sent_list.entries.iter().enumerate() {
            let Entry::Call(call) = entry else { continue };
            if call.from_assistant && Says::of(call) == Some(pass) {
                refusals[at] = merger.take(at, call, pass).err();
            }
        }
    }
    Merge { refused: in_order(&of_messages, &refusals, &sent_list.entries), ..merger.taken }
}

/// The findings about what is not taken, in the order of the list: of each message first its own, then those of its parts.
fn in_order(
    messages: &[Option<NotTaken>],
    parts: &[Option<NotTaken>],
    entries: &[Entry<'_>],
) -> Vec<Refused> {
    let mut refused = Vec::new();
    let mut of_messages = messages.iter().enumerate().peekable();
    for (code, entry) in parts.iter().zip(entries) {
        let (message, part) = match entry {
            Entry::Call(call) => (Some(call.message), Some(call.part)),
            Entry::Wrong { message, part, .. } => (*message, *part),
        };
        while let Some((at, &code)) = of_messages.next_if(|&(at, _)| Some(at) <= message) {
            refused.extend(code.map(|code| Refused { code, message: Some(at), part: None }));
        }
        refused.extend(code.map(|code| Refused { code, message, part }));
    }
    for (at, &code) in of_messages {
        refused.extend(code.map(|code| Refused { code, message: Some(at), part: None }));
    }
    refused
}

/// The addition of a sent call to its server's word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    No,
    Yes,
    /// An output without an answer of its own.
    Output,
}

impl Says {
    fn of(call: &Call<'_>) -> Option<Self> {
        if call.is_rejected() {
            return Some(Self::No);
        }
        match call.approval.answer() {
            Answer::Yes | Answer::Malformed => Some(Self::Yes),
            _ if call.is_settled() && !call.preliminary => Some(Self::Output),
            _ => None,
        }
    }
}

/// A stored call, with what was taken of it so far.
struct Known<'a> {
    call: &'a Call<'a>,
    /// `Yes`, `No`, or `Absent` for anything else: the question is open.
    answer: Answer,
    state: ToolState,
    /// The call that was sent with the result that was taken.
    result: Option<&'a Call<'a>>,
    /// The call that was sent with the changed input that was taken.
    edit: Option<&'a Call<'a>>,
    /// Whether something follows it.
    followed: bool,
    /// The next call with the same call id in its message.
    next: Option<usize>,
}

/// The store's places for a key. An approval id is the second name of a key, a call id or a message id is the first one,
/// and a call of a message has both.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// The number of stored calls, and the last of them.
    count: usize,
    call: usize,
    /// The same call id in the list that was sent.
    sent: usize,
    /// The stored message with this id.
    message: Option<usize>,
    /// The new message with this id.
    added: Option<usize>,
    /// The first stored call that no call of the list that was sent has been paired with.
    next: Option<usize>,
}

struct Merger<'a> {
    known: Vec<Known<'a>>,
    keys: Keys<'a>,
    slots: Vec<Slot>,
    /// For each entry that was sent, whether the store has its message, and the call at its place there.
    places: Vec<(bool, Option<usize>)>,
    /// For each message that was sent, the stored one with its id.
    stored_as: Vec<Option<usize>>,
    /// The messages that were sent with a call, or with a part that cannot be read. One of the user has neither.
    strange: Vec<bool>,
    /// The last message that was sent and that the store knows.
    anchor: Option<usize>,
    tools: Tools<'a>,
    taken: Merge,
}

fn calls_of<'a>(reading: &'a Reading<'a>) -> impl Iterator<Item = (usize, &'a Call<'a>)> {
    reading.entries.iter().enumerate().filter_map(|(at, entry)| match entry {
        Entry::Call(call) if call.from_assistant => Some((at, call)),
        _ => None,
    })
}

/// The id of a message.
fn id_of(message: Option<&Value>) -> Option<&str> {
    name(message?.get(Field::Id.name()))
}

fn role_of(message: &Value) -> Option<Role> {
    message.get(Field::Role.name()).and_then(Value::as_str).and_then(Role::from_name)
}

fn is_blank(part: &Value) -> bool {
    let text = part.get(Field::Text.name()).and_then(Value::as_str);
    part.get(Field::Type.name()).and_then(Value::as_str) == Some(PartType::Text.name())
        && text.is_some_and(|text| text.chars().all(char::is_whitespace))
}

impl<'a> Merger<'a> {
    fn of(
        store: &'a Reading<'a>,
        sent: &'a Reading<'a>,
        (stored_list, sent_list): (&'a Value, &'a Value),
        tools: Tools<'a>,
    ) -> Self {
        let list = stored_list.as_array().unwrap_or_default();
        let sent_list = sent_list.as_array().unwrap_or_default();
        let mut names = Vec::new();
        for message in list.iter().chain(sent_list) {
            names.extend(id_of(Some(message)).map(|id| (id, "")));
        }
        for (_, call) in calls_of(store) {
            names.extend(call.approval.id().map(|id| ("", id)));
            names.extend(call.id.map(|id| (id, "")));
            names.extend(id_of(list.get(call.message)).zip(call.id));
        }
        let keys = Keys::of(names);
        let mut merger = Self {
            known: Vec::new(),
            slots: vec![Slot::default(); keys.len()],
            keys,
            places: vec![(false, None); sent.entries.len()],
            stored_as: Vec::with_capacity(sent_list.len()),
            strange: vec![false; sent_list.len()],
            anchor: None,
            tools,
            taken: Merge::default(),
        };
        for (at, message) in list.iter().enumerate() {
            if let Some(slot) = merger.slot(id_of(Some(message)).map(|id| (id, ""))) {
                slot.message = Some(at);
            }
        }
        for (_, call) in calls_of(store) {
            merger.know(call, id_of(list.get(call.message)), call.step != store.last_step);
        }
        merger.pair(sent, sent_list);
        merger
    }

    fn slot(&mut self, key: Option<(&str, &str)>) -> Option<&mut Slot> {
        let (first, second) = key?;
        let at = self.keys.pair(first, second)?;
        self.slots.get_mut(at)
    }

    /// Adds a stored call.
    fn know(&mut self, call: &'a Call<'a>, message: Option<&str>, followed: bool) {
        let number = self.known.len();
        for key in [call.approval.id().map(|id| ("", id)), call.id.map(|id| (id, ""))] {
            if let Some(slot) = self.slot(key) {
                slot.count += 1;
                slot.call = number;
            }
        }
        let mut before = None;
        if let Some(slot) = self.slot(message.zip(call.id)) {
            slot.count += 1;
            before = (slot.count > 1).then_some(slot.call);
            slot.call = number;
            slot.next = slot.next.or(Some(number));
        }
        if let Some(before) = before {
            self.known[before].next = Some(number);
        }
        self.known.push(Known {
            call,
            answer: match call.approval.answer() {
                Answer::Malformed => Answer::Absent,
                answer => answer,
            },
            state: call.state,
            result: None,
            edit: None,
            followed,
            next: None,
        });
    }

    /// Finds the stored messages and the places in them of what was sent.
    fn pair(&mut self, sent: &Reading<'_>, list: &[Value]) {
        for entry in &sent.entries {
            let message = match entry {
                Entry::Call(call) => Some(call.message),
                Entry::Wrong { message, .. } => *message,
            };
            if let Some(strange) = message.and_then(|at| self.strange.get_mut(at)) {
                *strange = true;
            }
        }
        for (at, message) in list.iter().enumerate() {
            let known = self.slot(id_of(Some(message)).map(|id| (id, ""))).and_then(|slot| slot.message);
            self.stored_as.push(known);
            self.anchor = self.anchor.max(known.map(|_| at));
        }
        for (at, call) in calls_of(sent) {
            let Some(slot) = self.slot(call.id.map(|id| (id, ""))) else { continue };
            slot.sent += 1;
            if slot.count > 0 {
                self.anchor = self.anchor.max(Some(call.message));
            }
            if self.stored_as[call.message].is_none() {
                continue;
            }
            let found = self.slot(id_of(list.get(call.message)).zip(call.id)).and_then(|slot| slot.next);
            self.places[at] = (true, found);
            if let Some(found) = found {
                let next = self.known[found].next;
                if let Some(slot) = self.slot(id_of(list.get(call.message)).zip(call.id)) {
                    slot.next = next;
                }
            }
        }
    }

    /// Takes the new messages of the user. Returns for each message why it is not taken.
    fn messages(&mut self, stored: &Value, sent: &Value) -> Vec<Option<NotTaken>> {
        let Some(list) = sent.as_array() else { return Vec::new() };
        let stored = stored.as_array().unwrap_or_default();
        let last_answer = list.iter().rposition(|message| role_of(message) == Some(Role::Assistant));
        // A store that knows nothing of the list cannot say where the new messages begin.
        let begin = match self.anchor {
            None if !stored.is_empty() => last_answer.map_or(0, |at| at + 1),
            anchor => anchor.map_or(0, |at| at + 1),
        };
        let mut refusals = Vec::with_capacity(list.len());
        for (at, message) in list.iter().enumerate() {
            refusals.push(match role_of(message) {
                // The faults of its parts are said of the parts.
                Some(Role::User) if self.strange[at] => None,
                Some(Role::User) => self.message(at, list, stored, begin).err(),
                Some(Role::System) if self.stored_as[at].is_none() => Some(NotTaken::WrongRole),
                _ => None,
            });
        }
        refusals
    }

    fn message(&mut self, at: usize, list: &[Value], stored: &[Value], begin: usize) -> Result<(), NotTaken> {
        let message = &list[at];
        let Some(parts) = message.get(Field::Parts.name()).and_then(Value::as_array) else { return Ok(()) };
        if parts.iter().all(is_blank) {
            return Err(NotTaken::NoContent);
        }
        let id = id_of(Some(message)).ok_or(NotTaken::MissingMessageId)?;
        let known = self.stored_as[at].and_then(|at| stored.get(at));
        let added = self.slot(Some((id, ""))).and_then(|slot| slot.added).and_then(|at| list.get(at));
        if let Some(other) = known.or(added) {
            let same = role_of(other) == Some(Role::User)
                && other.get(Field::Parts.name()) == message.get(Field::Parts.name());
            return if same { Ok(()) } else { Err(NotTaken::ChangedMessage) };
        }
        if at < begin {
            return Err(NotTaken::NotAtTheEnd);
        }
        self.taken.added.push(at);
        if let Some(slot) = self.slot(Some((id, ""))) {
            slot.added = Some(at);
        }
        Ok(())
    }

    /// The stored call that a call is about.
    fn find(&self, at: usize, call: &Call<'_>) -> Result<usize, NotTaken> {
        let id = call.id.ok_or(NotTaken::MissingCallId)?;
        let tool = call.tool.ok_or(NotTaken::MissingToolName)?;
        let slot = |first, second| self.keys.pair(first, second).map(|at| self.slots[at]).unwrap_or_default();
        let one = |slot: Slot, unknown| match slot.count {
            0 => Err(unknown),
            1 => Ok(slot.call),
            _ => Err(NotTaken::DuplicateCall),
        };
        let found = match (call.approval.id(), self.places[at]) {
            (Some(approval), _) => one(slot("", approval), NotTaken::UnknownApproval)?,
            (None, _) if Says::of(call) != Some(Says::Output) => return Err(NotTaken::MissingApprovalId),
            (None, (true, found)) => found.ok_or(NotTaken::UnknownCall)?,
            (None, (false, _)) => {
                let slot = slot(id, "");
                let found = one(slot, NotTaken::UnknownCall)?;
                if slot.sent > 1 {
                    return Err(NotTaken::DuplicateCall);
                }
                found
            }
        };
        let known = self.known[found].call;
        if known.id != Some(id) {
            return Err(NotTaken::UnknownApproval);
        }
        if known.tool != Some(tool) {
            return Err(NotTaken::ChangedTool);
        }
        Ok(found)
    }

    /// Takes what a call says.
    fn take(&mut self, at: usize, call: &'a Call<'a>, says: Says) -> Result<(), NotTaken> {
        let found = self.find(at, call)?;
        let known = &self.known[found];
        // The input of a call of the past does not matter any more.
        let has_ended = known.call.is_settled() || known.call.state == ToolState::OutputDenied;
        if !has_ended && known.call.asked_input() != call.asked_input() {
            return Err(NotTaken::ChangedInput);
        }
        let edited = !has_ended && says != Says::No && self.is_edited(known, call)?;
        let taken = match says {
            Says::No => self.denial(known, call)?,
            Says::Yes => self.allowance(known, call)?,
            Says::Output => self.output(known, call)?,
        };
        let Some((state, approved)) = taken else { return Ok(()) };
        self.taken.changes.push(Change {
            stored: (known.call.message, known.call.part),
            sent: (call.message, call.part),
            state,
            approved,
            edited,
        });
        let known = &mut self.known[found];
        known.state = state;
        known.edit = if edited { Some(call) } else { known.edit };
        match approved {
            Some(true) => known.answer = Answer::Yes,
            Some(false) => known.answer = Answer::No,
            None => {}
        }
        if matches!(state, ToolState::OutputAvailable | ToolState::OutputError) {
            known.result = Some(call);
        }
        Ok(())
    }

    /// Whether the call brings a changed input that is new. A question is answered for one input: that of the first yes.
    fn is_edited(&self, known: &Known<'_>, call: &Call<'_>) -> Result<bool, NotTaken> {
        let first = known.edit.unwrap_or(known.call);
        if known.answer != Answer::Absent || call.edited_from.is_none() {
            // Without an answer of its own, an output says nothing of the input.
            let is_other = call.approval.answer() == Answer::Yes && first.input != call.input;
            return if is_other { Err(NotTaken::ChangedInput) } else { Ok(false) };
        }
        let takes = call.tool.is_some_and(|tool| self.tools.editable.contains(&tool));
        let is_free = takes && !known.call.signed && !known.call.provider;
        if is_free { Ok(true) } else { Err(NotTaken::NotEditable) }
    }

    /// The state after a denial, and the denial itself if it is news.
    fn denial(&self, known: &Known<'_>, call: &Call<'_>) -> Taken {
        let followed = known.followed || !self.taken.added.is_empty();
        // A denial that something follows is settled: `ai` 6 finds no result in an `approval-responded` before a message
        // of the user, and refuses the list.
        let settles = followed || call.state == ToolState::OutputDenied;
        let state = if settles { ToolState::OutputDenied } else { ToolState::ApprovalResponded };
        match (known.state, known.answer) {
            (ToolState::OutputDenied, _) => Ok(None),
            (ToolState::ApprovalResponded, Answer::No) if settles => Ok(Some((state, None))),
            (_, Answer::No) => Ok(None),
            (ToolState::ApprovalRequested, Answer::Absent) => Ok(Some((state, Some(false)))),
            // Its server runs it no more, and no list with an allowance before the last step is accepted.
            (ToolState::ApprovalResponded, Answer::Yes) if followed => Ok(Some((state, Some(false)))),
            (ToolState::ApprovalResponded, Answer::Yes) => Err(NotTaken::ConflictingAnswers),
            (ToolState::OutputAvailable | ToolState::OutputError, _) => Err(NotTaken::AlreadySettled),
            _ => Err(NotTaken::UnknownApproval),
        }
    }

    /// The state after an allowance, which may come with the output of a tool that runs in the page.
    fn allowance(&self, known: &Known<'_>, call: &Call<'_>) -> Taken {
        let with_output = call.is_settled();
        if call.approval.answer() != Answer::Yes
            || !(with_output || call.state == ToolState::ApprovalResponded)
            || (!with_output && call.has_result)
        {
            return Err(NotTaken::MalformedAnswer);
        }
        match (known.state, known.answer) {
            (ToolState::OutputDenied, _) | (_, Answer::No) => Err(NotTaken::ConflictingAnswers),
            (ToolState::ApprovalRequested, Answer::Absent) if known.followed => Err(NotTaken::LeftBehind),
            (ToolState::ApprovalRequested, Answer::Absent) if with_output => {
                Ok(Some((self.result(known, call)?, Some(true))))
            }
            (ToolState::ApprovalRequested, Answer::Absent) => {
                Ok(Some((ToolState::ApprovalResponded, Some(true))))
            }
            (_, Answer::Yes) if with_output => self.output(known, call),
            (_, Answer::Yes) => Ok(None),
            (ToolState::OutputAvailable | ToolState::OutputError, _) => Err(NotTaken::AlreadySettled),
            _ => Err(NotTaken::UnknownApproval),
        }
    }

    /// The state after an output.
    fn output(&self, known: &Known<'_>, call: &Call<'_>) -> Taken {
        match (known.state, known.answer) {
            (ToolState::OutputAvailable | ToolState::OutputError, _) => {
                // An output of the server's own tool is not the client's to say, so it is not compared.
                let other = known.result.unwrap_or(known.call);
                let same = (other.state, other.output, other.error_text)
                    == (call.state, call.output, call.error_text);
                if same || !self.runs_in_page(known) { Ok(None) } else { Err(NotTaken::AlreadySettled) }
            }
            (ToolState::OutputDenied, _) | (_, Answer::No) => Err(NotTaken::ConflictingAnswers),
            (ToolState::ApprovalResponded, Answer::Yes) => Ok(Some((self.result(known, call)?, None))),
            (ToolState::InputAvailable, _) if known.call.approval.is_none() => {
                Ok(Some((self.result(known, call)?, None)))
            }
            _ => Err(NotTaken::Unanswered),
        }
    }

    fn runs_in_page(&self, known: &Known<'_>) -> bool {
        !known.call.provider && known.call.tool.is_some_and(|tool| self.tools.client.contains(&tool))
    }

    /// The state with the result of a tool that runs in the page.
    fn result(&self, known: &Known<'_>, call: &Call<'_>) -> Result<ToolState, NotTaken> {
        if !self.runs_in_page(known) {
            return Err(NotTaken::ServerTool);
        }
        if call.state == ToolState::OutputError && !call.has_error_text {
            return Err(NotTaken::MissingErrorText);
        }
        Ok(call.state)
    }
}

/// The new state and the new answer of a stored call; `None` if what was sent is no news.
type Taken = Result<Option<(ToolState, Option<bool>)>, NotTaken>;
