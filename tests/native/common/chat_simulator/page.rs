//! The acts of the page and of its person.

use serde_json::{Value, json};
use tool_approval_guard::core::id::RequestId;

use super::histories::Kind;
use super::truth::Truth;
use super::{CLIENT_TOOLS, ChatSimulator, last_step, tag, text_after_calls};
use crate::common::{is_tool, parts};

impl ChatSimulator {
    /// Changes the matching parts of the last message, in the chat and in the running response.
    pub(super) fn update(&mut self, hit: impl Fn(&Value) -> bool, change: impl Fn(&mut Value)) {
        let last = self.messages.last_mut().filter(|last| last["role"] == "assistant");
        let id = last.as_ref().map(|last| last["id"].clone());
        let active = self.flight.as_mut().map(|flight| &mut flight.active);
        let active = active.filter(|active| Some(&active["id"]) == id.as_ref());
        let both = last.into_iter().chain(active);
        both.filter_map(|message| message["parts"].as_array_mut()).flatten().for_each(|part| {
            if is_tool(part) && hit(part) {
                change(part);
            }
        });
    }

    pub(super) fn last_parts(&self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let last = self.messages.last().map_or(&[][..], parts);
        last.iter().filter(|part| is_tool(part) && wanted(part)).cloned().collect()
    }

    pub(super) fn answer(&mut self, which: usize, yes: bool) {
        let cards = self.last_parts(|part| part["state"] == "approval-requested");
        let Some(card) = cards.get(which % cards.len().max(1)) else { return };
        let Some(truth) = self.truths.get_mut(tag(card)) else { return };
        match truth.answer {
            None => {
                truth.answer = Some(yes);
                truth.allowed = yes;
                truth.denied_input = (!yes).then(|| card["input"].clone());
                truth.void_denial = false;
                truth.reason = Some("because".into());
                truth.answer_new = true;
                truth.carried = None;
                truth.settled = false;
                self.idle.automatic = 0;
                self.idle.stopped = false;
            }
            // A late click on a card that a replayed stream has restored.
            Some(false) if truth.carried.is_some() => {}
            Some(_) => return,
        }
        self.page.look_at_last(&self.messages, true);
        self.page.decided(&card["approval"]["id"], yes, "because");
        self.update(
            |part| part["state"] == "approval-requested" && part["approval"]["id"] == card["approval"]["id"],
            |part| {
                part["state"] = "approval-responded".into();
                part["approval"]["approved"] = yes.into();
                part["approval"]["reason"] = "because".into();
            },
        );
        self.settle();
    }

    pub(super) fn garble(&mut self, which: usize) {
        let cards = self.last_parts(|part| part["state"] == "approval-requested");
        let Some(card) = cards.get(which % cards.len().max(1)) else { return };
        if self.truths.get(tag(card)).is_none_or(|truth| truth.answer.is_some()) {
            return;
        }
        self.update(
            |part| tag(part) == tag(card),
            |part| {
                part["state"] = "approval-responded".into();
                part["approval"]["approved"] = "true".into();
            },
        );
        self.settle();
    }

    pub(super) fn output(&mut self, which: usize, value: u8, keep: bool, error: bool) {
        let calls = self.last_parts(|_| true);
        let Some(id) = calls.get(which % calls.len().max(1)).map(|part| part["toolCallId"].clone()) else {
            return;
        };
        let text = text_after_calls(last_step(&self.messages));
        for part in calls.iter().filter(|part| part["toolCallId"] == id) {
            let Some(truth) = self.truths.get_mut(tag(part)) else { continue };
            if truth.denied() || truth.asks() {
                continue;
            }
            let value = value + if error { 100 } else { 0 };
            truth.output_changed |= truth.page_output != Some(value);
            truth.output_new = truth.sent_output != Some(value);
            truth.page_output = Some(value);
            truth.ran = None;
            truth.text_before_output = text && truth.kind != Kind::Other;
        }
        self.update(
            |part| part["toolCallId"] == id,
            |part| {
                let fields = part.as_object_mut().unwrap();
                fields.remove("errorText");
                fields.remove("output");
                if !keep {
                    fields.remove("approval");
                }
                if error {
                    part["state"] = "output-error".into();
                    part["errorText"] = format!("failed {value}").into();
                } else {
                    part["state"] = "output-available".into();
                    part["output"] = json!({ "page": value });
                }
            },
        );
        self.settle();
    }

    /// A resumed stream brings a question back.
    pub(super) fn replay(&mut self, which: usize, other_input: bool) {
        self.page.look_at_last(&self.messages, true);
        let asked = self.last_parts(|part| {
            let again = self.last_parts(|other| other["toolCallId"] == part["toolCallId"]).len() > 1;
            let truth = self.truths.get(tag(part)).filter(|_| !again);
            truth.is_some_and(|t| t.question.is_some() && !t.server_output && !t.superseded)
        });
        let Some(old) = asked.get(which % asked.len().max(1)) else { return };
        let Some(truth) = self.truths.get_mut(tag(old)) else { return };
        let other_input = other_input && !self.copied && old["input"]["changed"].is_null();
        // A sent output stays sent.
        if other_input || (!truth.denied() && truth.page_output.is_some() && !truth.put_back) {
            truth.reopen(other_input);
        }
        let question = truth.question.clone().unwrap_or_default();
        for chunk in [
            json!({ "type": "tool-input-available", "toolCallId": old["toolCallId"] }),
            json!({ "type": "tool-approval-request", "toolCallId": old["toolCallId"],
                "approvalId": question["id"], "signature": question["signature"] }),
        ] {
            self.hear(RequestId::NONE, &chunk);
        }
        self.update(
            |part| tag(part) == tag(old),
            |part| {
                let fields = part.as_object_mut().unwrap();
                fields.retain(|field, _| !crate::common::RESIDUE.contains(&field.as_str()));
                part["state"] = "approval-requested".into();
                part["approval"] = question.clone();
                if other_input {
                    part["input"] = json!({ "changed": true });
                }
            },
        );
        self.settle();
    }

    /// The denial was for another input, so the call asks, and an output is no answer.
    pub(super) fn rewrite(&mut self, which: usize) {
        let denied = self.last_parts(|part| {
            let again = self.last_parts(|other| other["toolCallId"] == part["toolCallId"]).len() > 1;
            let truth = self.truths.get(tag(part)).filter(|truth| truth.denied() && !truth.superseded);
            truth.is_some() && !again && !self.copied && part["input"]["changed"].is_null()
        });
        let Some(old) = denied.get(which % denied.len().max(1)) else { return };
        let Some(truth) = self.truths.get_mut(tag(old)) else { return };
        truth.reopen(true);
        let question = truth.question.clone().unwrap_or_default();
        self.update(
            |part| tag(part) == tag(old),
            |part| {
                part["state"] = "output-available".into();
                part["output"] = json!({ "page": true });
                part["approval"] = question.clone();
                part["input"] = json!({ "changed": true });
            },
        );
        self.settle();
    }

    /// Replaces the list by another one with the same tools and call ids in the same places. These are other
    /// calls, with other inputs.
    pub(super) fn swap(&mut self, new_ids: bool, asks: bool) {
        self.page.look_at_last(&self.messages, true);
        let mut list = std::mem::take(&mut self.messages);
        for message in &mut list {
            if new_ids {
                message["id"] = self.fresh("s").into();
            }
            if message["role"] == "assistant" {
                message["parts"]
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                    .for_each(|part| self.replace(part, new_ids, asks));
                // The model has continued, so nothing in it is new.
                message["parts"].as_array_mut().unwrap().push(json!({ "type": "text", "text": "done" }));
            }
        }
        self.messages = list;
        self.page.sweep(&self.messages); // as the border does when it finds that calls are missing
        self.settle();
    }

    /// Replaces a call by another one.
    pub(super) fn replace(&mut self, part: &mut Value, moved: bool, asks: bool) {
        let Some(old) = self.truths.get(tag(part)).filter(|_| is_tool(part)) else { return };
        // A call that stays in its message, or was allowed, may have got another input in its place.
        if old.answer == Some(true) || !(moved || old.denied()) {
            return;
        }
        let is_client = CLIENT_TOOLS.iter().any(|tool| part["type"] == format!("tool-{tool}"));
        let asking = match old.kind {
            // The tool stays the same.
            Kind::Other if is_client => Kind::ClientAsks,
            Kind::Other | Kind::AutoDenied => Kind::Asks,
            kind => kind,
        };
        let mut truth = Truth::new(if asks { asking } else { Kind::Other });
        truth.replaces_denied = old.denied();
        let fields = part.as_object_mut().unwrap();
        fields.retain(|field, _| field != "approval" && !crate::common::RESIDUE.contains(&field.as_str()));
        part["input"] = json!({ "other": self.truths.len() });
        part["callProviderMetadata"] = json!({ "t": self.truths.len() });
        if asks {
            let approval = json!({ "id": self.fresh("ap") });
            part["state"] = "approval-requested".into();
            part["approval"] = approval.clone();
            truth.question = Some(approval);
        } else {
            part["state"] = "output-available".into();
            part["output"] = json!({ "other": self.truths.len() });
            truth.server_output = true;
            truth.output_new = true; // as far as a page can know
        }
        self.truths.push(truth);
    }
}
