//! The approval objects that a page stores, and the repairs that it makes with them.

use serde_json::{Map, Value, json};
use tool_approval_guard::core::call::{Answer, PartFacts};
use tool_approval_guard::core::guard::Fact;
use tool_approval_guard::core::id::CallId;
use tool_approval_guard::core::protocol::ToolState;
use tool_approval_guard::core::repair::{Needed, Repair, Scope};

use super::{Page, RESIDUE, Row, SUPERSEDED};

/// The original approval objects of a call.
#[derive(Default)]
pub struct Memory {
    pub(super) asked: Option<Value>,
    pub(super) yes: Option<Value>,
    pub(super) no: Option<Value>,
    /// The part as it was last seen, and the one with an output that an earlier state has replaced.
    pub(super) last: Value,
    pub(super) done: Option<Value>,
}

impl Page {
    /// Stores an answer that a person gave through the chat; the messages do not show it yet.
    pub fn decided(&mut self, approval: &Value, approved: bool, reason: &str) {
        let approval = self.symbol(approval);
        let effects = self.tell(Fact::Decided { approval, approved });
        let call = effects.call.filter(|_| effects.problems.is_empty());
        let Some(memory) = call.and_then(|call| self.memory.get_mut(&call)) else { return };
        let mut answer = memory.asked.clone().unwrap_or_else(|| json!({}));
        answer["approved"] = approved.into();
        answer["reason"] = reason.into();
        if approved { &mut memory.yes } else { &mut memory.no }.get_or_insert(answer);
    }

    /// Stores a decision that is not written yet.
    pub fn drafted(&mut self, call: CallId, approved: bool) {
        let Some(memory) = self.memory.get_mut(&call) else { return };
        let mut answer = memory.asked.clone().unwrap_or_else(|| json!({}));
        answer["approved"] = approved.into();
        answer["reason"] = "because".into();
        (memory.yes, memory.no) = if approved { (Some(answer), None) } else { (None, Some(answer)) };
    }

    /// Removes an answer that was taken back.
    pub fn undone(&mut self, call: CallId) {
        if let Some(memory) = self.memory.get_mut(&call) {
            (memory.yes, memory.no) = (None, None);
        }
    }

    pub(super) fn remember(&mut self, call: CallId, part: &Value, part_facts: &PartFacts) {
        let memory = self.memory.entry(call).or_default();
        if memory.last["state"] != part["state"] {
            let last = std::mem::replace(&mut memory.last, part.clone());
            memory.done = (last["output"] != Value::Null || last["errorText"] != Value::Null).then_some(last);
        } else {
            memory.last = part.clone();
        }
        let shown = Some(part["approval"].clone());
        match (part_facts.flags.state, part_facts.flags.answer) {
            _ if part_facts.approval.is_none() => {
                let heard = part["toolCallId"].as_str().and_then(|id| self.heard.get(id));
                memory.asked = memory.asked.take().or_else(|| heard.cloned());
            }
            (ToolState::ApprovalRequested, _) => memory.asked = shown,
            (ToolState::ApprovalResponded, Answer::Yes) => memory.yes = shown,
            (ToolState::ApprovalResponded, Answer::No) => memory.no = shown,
            _ => {}
        }
    }

    /// The list, repaired for the wire or for the chat.
    pub fn repaired(&self, messages: &[Value], scope: Scope) -> Vec<Value> {
        let mut list = messages.to_vec();
        for (message, record) in list.iter_mut().zip(&self.records) {
            for (place, row) in record.iter().flat_map(|record| record.rows.iter().enumerate()) {
                let Some(row) = row else { continue };
                let needed = self.guard.repair(row.call, row.flags, row.approval, scope);
                if needed.repair != Repair::Keep {
                    message["parts"][place] = self.rewrite(row, needed);
                }
            }
        }
        list
    }

    fn rewrite(&self, row: &Row, Needed { repair, cause, stands }: Needed) -> Value {
        let mut part = row.part.clone();
        if let Some(fields) = part.as_object_mut() {
            fields.retain(|field, _| !RESIDUE.contains(&field.as_str()));
        }
        let memory = self.memory.get(&row.call);
        let asked = memory.and_then(|m| m.asked.clone());
        let yes = memory.and_then(|m| m.yes.clone());
        let no = memory.and_then(|m| m.no.clone());
        let own = row.part.get("approval").filter(|approval| approval.is_object()).cloned();
        let denied = |approval: Option<Value>| {
            let mut approval = approval.unwrap_or_else(|| json!({}));
            approval["approved"] = false.into();
            approval
        };
        part["state"] = match repair {
            Repair::Deny | Repair::Allow => "approval-responded".into(),
            Repair::SettleDenial => "output-denied".into(),
            Repair::Ask => "approval-requested".into(),
            Repair::Fail => "output-error".into(),
            Repair::Keep | Repair::Restore => part["state"].clone(),
        };
        match repair {
            Repair::Deny | Repair::SettleDenial if cause.is_some() => {
                part["approval"] = denied(asked.or(yes).or(own));
                part["approval"]["reason"] = SUPERSEDED.into();
            }
            Repair::Deny | Repair::SettleDenial => {
                let denial = if stands { own.clone() } else { no };
                part["approval"] = denial.unwrap_or_else(|| denied(asked.or(yes).or(own)));
            }
            Repair::Ask => {
                let mut question: Map<String, Value> =
                    asked.or(yes).or(own).and_then(|a| a.as_object().cloned()).unwrap_or_default();
                question.retain(|field, _| field != "approved" && field != "reason");
                part["approval"] = question.into();
            }
            Repair::Allow => {
                part["approval"] = yes.unwrap_or_else(|| {
                    let mut approval = asked.unwrap_or_else(|| json!({}));
                    approval["approved"] = true.into();
                    approval
                });
            }
            Repair::Fail => part["errorText"] = SUPERSEDED.into(),
            Repair::Restore
                if own.is_some() && row.part["output"].is_null() && row.part["errorText"].is_null() =>
            {
                let done = memory.and_then(|m| m.done.clone()).filter(|done| done["input"] == part["input"]);
                part["state"] = "output-error".into();
                part["errorText"] = SUPERSEDED.into();
                part["approval"] = yes.or(own).unwrap_or_default();
                if let Some(done) = done {
                    part.as_object_mut().into_iter().for_each(|fields| drop(fields.remove("errorText")));
                    for field in ["state", "output", "errorText"] {
                        if let Some(value) = done.get(field) {
                            part[field] = value.clone();
                        }
                    }
                }
            }
            Repair::Restore => {
                let mut approval =
                    yes.or(asked).and_then(|known| known.as_object().cloned()).unwrap_or_default();
                approval.extend(own.and_then(|shown| shown.as_object().cloned()).unwrap_or_default());
                part = row.part.clone();
                part["approval"] = approval.into();
                part["approval"]["approved"] = true.into();
            }
            Repair::Keep => {}
        }
        part
    }
}
