//! What a page keeps of its calls, as the core says, and the repairs that it asks the core for.

use serde_json::{Value, json};
use tool_approval_guard::core::guard::{Effects, Fact, Returned};
use tool_approval_guard::core::id::CallId;
use tool_approval_guard::core::repair::{Needed, Repair, Scope, ShownPart};
use tool_approval_guard::core::rewrite::{Keeps, Kept, KeptOutput, rewrite};

use super::{Page, Row, SUPERSEDED, edited_from};

/// What is kept of a call.
#[derive(Default)]
pub struct Memory {
    pub(super) asked: Option<Value>,
    allowed: Option<Value>,
    denied: Option<Value>,
    given_allowance: Option<Value>,
    given_denial: Option<Value>,
    output: Option<Value>,
    /// The changed input with which the call was allowed.
    pub(super) edit: Option<Value>,
}

/// What a person has changed of a part that asks.
fn edited(part: &Value, input: &Value) -> Value {
    let from = edited_from(part).unwrap_or(&part["input"]);
    json!({ "input": input, "callProviderMetadata": { "tool-approval-guard": { "editedFrom": from } } })
}

/// What the model asked for, where the part shows something else.
fn original(part: &Value) -> Option<Value> {
    edited_from(part).map(|input| json!({ "input": input }))
}

impl Memory {
    /// Keeps an answer, unless an older one with the same value stands.
    pub(super) fn answer(&mut self, approved: bool, reason: Value) {
        let given = if approved { &mut self.given_allowance } else { &mut self.given_denial };
        given.get_or_insert_with(|| json!({ "approved": approved, "reason": reason }));
    }

    fn undo(&mut self) {
        (self.allowed, self.denied) = (None, None);
        (self.given_allowance, self.given_denial) = (None, None);
    }

    /// The reason of an answer: the one that was seen with it, or else given for it.
    pub(super) fn reason(&self, approved: bool) -> Option<Value> {
        let (seen, given) = if approved {
            (&self.allowed, &self.given_allowance)
        } else {
            (&self.denied, &self.given_denial)
        };
        seen.as_ref().or(given.as_ref())?.get("reason").cloned()
    }
}

impl Page {
    /// Keeps an answer that a person gave through the chat; the messages do not show it yet.
    pub fn decided(&mut self, approval: &Value, approved: bool, reason: &str) {
        let approval = self.symbol(approval);
        let effects = self.tell(Fact::ChatAnswer { approval, approved });
        let call = effects.call();
        if let Some(memory) = call.and_then(|call| self.memory.get_mut(&call)) {
            memory.answer(approved, reason.into());
        }
    }

    /// Keeps a decision that is not written yet.
    pub fn drafted(&mut self, call: CallId, approved: bool) {
        if let Some(memory) = self.memory.get_mut(&call) {
            memory.undo();
            memory.answer(approved, "because".into());
        }
    }

    /// Drops an answer that was taken back.
    pub fn undone(&mut self, call: CallId) {
        if let Some(memory) = self.memory.get_mut(&call) {
            memory.undo();
        }
    }

    /// Keeps of a part what the core says.
    pub(super) fn remember(&mut self, call: CallId, part: &Value, effects: &Effects) {
        let memory = self.memory.entry(call).or_default();
        let Some(Returned::Seen { keeps, kept_output, .. }) = effects.returned else { return };
        match kept_output {
            KeptOutput::Stays => {}
            KeptOutput::Replaced => memory.output = Some(part.clone()),
            KeptOutput::Dropped => memory.output = None,
        }
        let shown = part.get("approval").cloned();
        match keeps {
            Keeps::Nothing | Keeps::Part => {}
            Keeps::Asked => memory.asked = shown,
            Keeps::Allowed => memory.allowed = shown,
            Keeps::Denied => memory.denied = shown,
            Keeps::Heard => {
                let Some((question, answer)) = part["toolCallId"].as_str().and_then(|id| self.heard.get(id))
                else {
                    return;
                };
                memory.asked.get_or_insert_with(|| question.clone());
                if let Some(answer) = answer {
                    let slot =
                        if answer["approved"] == true { &mut memory.allowed } else { &mut memory.denied };
                    slot.get_or_insert_with(|| answer.clone());
                }
            }
        }
    }

    /// The repair of a part. The shell keeps it as long as the revision is the same, so it must not change meanwhile.
    fn needed(&self, row: &Row, scope: Scope, above: bool) -> Needed {
        let part =
            ShownPart { flags: row.flags, approval: row.approval, input: row.input, edit: row.edit, scope };
        let needed = self.guard.repair(row.call, part, above);
        let (mut said, revision) = (row.said.get(), self.guard.revision());
        if let Some((_, kept)) = said[scope as usize].filter(|&(at, _)| at == revision) {
            assert_eq!(kept, needed, "another repair of {} at the same revision", row.part);
        }
        said[scope as usize] = Some((revision, needed));
        row.said.set(said);
        needed
    }

    /// The list, repaired for the wire or for the chat.
    pub fn repaired(&self, messages: &[Value], scope: Scope) -> Vec<Value> {
        let mut list = messages.to_vec();
        let last = messages.len().saturating_sub(1);
        for (at, (message, record)) in list.iter_mut().zip(&self.records).enumerate() {
            let above = scope == Scope::Wire && at < last;
            for (place, row) in record.iter().flat_map(|record| record.rows.iter().enumerate()) {
                let Some(row) = row else { continue };
                let needed = self.needed(row, scope, above);
                if needed.repair != Repair::Keep {
                    message["parts"][place] = self.rewritten(row, needed);
                }
            }
        }
        list
    }

    fn rewritten(&self, row: &Row, needed: Needed) -> Value {
        let memory = self.memory.get(&row.call);
        let kept = |field: fn(&Memory) -> &Option<Value>| memory.and_then(|m| field(m).clone());
        let kept = Kept {
            shown: row.part.get("approval").filter(|approval| approval.is_object()).cloned(),
            asked: kept(|memory| &memory.asked),
            allowed: kept(|memory| &memory.allowed),
            denied: kept(|memory| &memory.denied),
            given_allowance: kept(|memory| &memory.given_allowance),
            given_denial: kept(|memory| &memory.given_denial),
            output: kept(|memory| &memory.output),
            reason: needed.cause.map(|_| SUPERSEDED.into()),
            edited: memory.and_then(|memory| memory.edit.as_ref()).map(|edit| edited(&row.part, edit)),
            original: original(&row.part),
        };
        rewrite(needed, row.part.clone(), kept)
    }
}
