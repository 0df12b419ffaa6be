//! The acts of the chat and of its person.

use serde_json::{Value, json};
use tool_approval_guard::core::decision::Choice;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::{ActResult, Chosen, Covers, Fact, Permitted};
use tool_approval_guard::core::id::CallId;
use tool_approval_guard::core::id::StringId;
use tool_approval_guard::core::repair::Scope;
use tool_approval_guard::core::verdict::Permit;

use super::histories::Op;
use super::{CrashSimulator, Step, asks};
use crate::common::chat_simulator::{last_step, tag};
use crate::common::is_tool;

impl CrashSimulator<'_> {
    pub(super) fn look(&mut self) {
        self.page.look_at_last(&self.messages, true);
    }

    /// Handles a change of the chat's list.
    pub(super) fn written(&mut self) -> Step {
        self.effect()?;
        if self.history.app {
            self.store.push(self.messages.clone());
            self.effect()?;
        }
        Ok(())
    }

    pub(super) fn repair_home(&mut self) -> Step {
        let repaired = self.page.repaired(&self.messages, Scope::Home);
        if repaired != self.messages {
            self.messages = repaired;
            self.look();
            self.written()?;
        }
        Ok(())
    }

    pub(super) fn card(&self, which: usize) -> Option<(Value, CallId)> {
        let last = last_step(&self.messages);
        let cards: Vec<&Value> = last.iter().filter(|part| asks(part)).collect();
        let card = *cards.get(which % cards.len().max(1))?;
        let (part, call) = self.page.rows().filter(|(part, _)| tag(part) == tag(card)).last()?;
        Some((part.clone(), call))
    }

    pub(super) fn tag_of(&self, call: CallId) -> Option<usize> {
        self.page.rows().find(|&(_, row)| row == call).map(|(part, _)| tag(part))
    }

    /// Tells the guard about an answer that was given through the chat.
    pub(super) fn hears(&mut self, part: &Value, call: CallId, yes: bool, taken: bool) {
        if taken {
            self.allow(tag(part), yes);
            self.answered(call, yes);
        }
    }

    /// Whether a call was answered like this since the ledger had this many entries.
    pub(super) fn is_answered(&self, id: CallId, since: u32, yes: bool) -> bool {
        let new = self.page.guard.entries().iter().skip((since - self.page.guard.sealed()) as usize);
        new.map(|entry| entry.event).any(|event| {
            event.kind == EventKind::Answered && event.call == Some(id) && event.approved == Some(yes)
        })
    }

    pub(super) fn act(&mut self) -> u32 {
        self.acts += 1;
        self.acted += 1;
        self.acts
    }

    pub(super) fn allow(&mut self, tag: usize, yes: bool) {
        let now = self.page.now;
        let act = self.act();
        let truth = &mut self.truths[tag];
        let late = truth.deadline.is_some_and(|deadline| now > deadline + 1.0);
        if yes {
            truth.allowed = act;
        } else {
            truth.taken = act;
        }
        let truth = truth.clone();
        self.holds(!(yes && late), format!("it was allowed after its time: {truth:?}"));
    }

    pub(super) fn take(&mut self, op: &Op) -> Step {
        match *op {
            Op::User => {
                self.count += 1;
                self.messages.push(json!({ "id": format!("u{}", self.count), "role": "user",
                    "parts": [{ "type": "text", "text": "go" }] }));
                self.act();
                self.again += 1;
                self.written()?;
                self.send(true, false)
            }
            Op::Decide(which, yes) => {
                self.look();
                let Some((part, call)) = self.card(which) else { return self.flush() };
                let choice = if yes { Choice::AllowOnce } else { Choice::Deny };
                let input = Fact::Decide {
                    named: call.into(),
                    shown: None,
                    chosen: Chosen {
                        choice,
                        covers: Covers::Tool,
                        edit: tool_approval_guard::core::guard::EditGiven::default(),
                        lifetime: None,
                    },
                    program: StringId::NONE,
                };
                if self.page.tell(input).act().result == ActResult::Done {
                    self.page.drafted(call, yes);
                    self.allow(tag(&part), yes);
                    self.truths[tag(&part)].draft = Some(yes);
                }
                self.settle_due()?;
                self.flush()
            }
            Op::Direct(which, yes) => {
                self.look();
                let Some((part, call)) = self.card(which) else { return self.flush() };
                let before = self.page.guard.length();
                self.page.decided(&part["approval"]["id"], yes, "because");
                self.act();
                let heard = self.is_answered(call, before, yes);
                self.hears(&part, call, yes, heard);
                self.flush()?;
                self.write(&part, yes)?;
                self.look();
                // The first answer wins, but a denial that is seen wins over an allowance.
                let seen = !heard && self.is_answered(call, before, yes);
                self.hears(&part, call, yes, seen);
                self.predicate()
            }
            Op::Undo(which) => {
                let Some((_, call)) = self.card(which) else { return Ok(()) };
                for call in self.page.tell(Fact::Undo(vec![call.into()])).changed() {
                    self.page.undone(call);
                    let (act, tag) = (self.act(), self.tag_of(call));
                    if let Some(truth) = tag.map(|tag| &mut self.truths[tag]) {
                        truth.draft = None;
                        truth.taken = act;
                    }
                }
                self.settle_due()?;
                self.flush()
            }
            Op::Commit => {
                self.look();
                self.act();
                self.commit(false)?;
                self.flush()
            }
            Op::Extend(which) => {
                let Some((part, call)) = self.card(which) else { return Ok(()) };
                if self.page.tell(Fact::Extend(call.into())).act().result == ActResult::Done {
                    self.act();
                    self.truths[tag(&part)].deadline = None;
                }
                self.flush()
            }
            Op::Stop => self.stop(),
            Op::Resume => self.permit(Permit::Resume),
            Op::Retry => self.permit(Permit::Retry),
            Op::Wait(ms) => {
                self.page.now += f64::from(ms);
                self.page.tell(Fact::Wake);
                self.look();
                self.settle_due()?;
                self.flush()
            }
        }
    }

    pub(super) fn stop(&mut self) -> Step {
        self.look();
        self.page.tell(Fact::Stopped);
        self.acts += 1;
        let calls: Vec<(usize, CallId)> = self.page.rows().map(|(part, call)| (tag(part), call)).collect();
        for (tag, call) in calls {
            let truth = &mut self.truths[tag];
            // An answer that no request has carried is withdrawn.
            let asks = self.page.guard.state().calls.get(call).is_some_and(|call| call.undecided());
            if asks && (truth.draft.is_some() || truth.answer == Some(true)) {
                truth.taken = self.acts;
                (truth.draft, truth.answer) = (None, None);
            }
        }
        self.repair_home()?;
        self.flush()
    }

    pub(super) fn permit(&mut self, permit: Permit) -> Step {
        self.page.sweep(&self.messages);
        let permitted = self.page.tell(Fact::Permit(permit)).permitted();
        self.flush()?;
        if permitted == Some(Permitted::Continue) {
            self.act();
            if permit == Permit::Retry {
                self.again += 1;
            } else if let Some(part) = self.sent_before() {
                // Law 13: `retry` is for what was sent.
                self.holds(false, format!("it is resumed, and was sent: {part}"));
            }
            self.permit = true;
            self.send(false, false)?;
            self.permit = false;
        }
        self.page.tell(Fact::PermitOver);
        self.flush()
    }

    /// A call of the last step whose allowance was sent and that has no result here.
    pub(super) fn sent_before(&self) -> Option<Value> {
        let sent = |part: &&Value| {
            is_tool(part) && part["approval"]["approved"] == true && part["state"] == "approval-responded"
        };
        last_step(&self.messages).iter().filter(sent).find(|part| self.truths[tag(part)].sent).cloned()
    }
}
