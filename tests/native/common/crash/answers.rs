//! Answers on their way from a draft to the messages and the predicate.

use serde_json::Value;
use tool_approval_guard::core::call::{Call, Status};
use tool_approval_guard::core::guard::{ActResult, CommitCause, Fact};
use tool_approval_guard::core::id::CallId;
use tool_approval_guard::core::repair::Scope;

use super::{CrashSimulator, Step, asks};
use crate::common::chat_simulator::tag;
use crate::common::{is_tool, parts};

impl CrashSimulator<'_> {
    pub(super) fn settle_due(&mut self) -> Step {
        if self.page.guard.state().pending.is_empty() {
            self.look();
            self.commit(true)?;
        }
        Ok(())
    }

    pub(super) fn answered(&mut self, call: CallId, yes: bool) {
        let Some(tag) = self.tag_of(call) else { return };
        let truth = &mut self.truths[tag];
        (truth.draft, truth.answer) = (None, Some(yes));
        if yes && truth.allowed <= truth.taken {
            let truth = truth.clone();
            self.holds(false, format!("nobody allows it any more: {truth:?}"));
        }
    }

    pub(super) fn committed(&mut self, calls: &[CallId]) {
        self.expired |= !calls.is_empty() && self.timers(calls);
        let caused = calls.is_empty() || self.acted > 0 || self.timers(calls);
        self.holds(caused, "a draft was committed before anybody has acted");
        for &call in calls {
            let yes = self.page.guard.state().calls.get(call).is_some_and(Call::allowed);
            self.answered(call, yes);
        }
    }

    /// Whether the passing of time has denied them.
    pub(super) fn timers(&self, calls: &[CallId]) -> bool {
        let call = |&id: &CallId| self.page.guard.state().calls.get(id);
        calls.iter().filter_map(call).all(|call| call.status() == Status::Expired)
    }

    /// Commits what is decided: the last answer is written by the chat itself, all others as repairs.
    pub(super) fn commit(&mut self, due: bool) -> Step {
        let effects =
            self.page.tell(Fact::Commit(if due { CommitCause::Predicate } else { CommitCause::Person }));
        let changed = effects.changed();
        let Some(&last) = changed.last().filter(|_| effects.act().result == ActResult::Done) else {
            return Ok(());
        };
        self.committed(&changed);
        let Some((part, _)) = self.page.rows().find(|&(_, call)| call == last) else { return Ok(()) };
        let part = part.clone();
        if changed.len() > 1 {
            let whole = self.page.repaired(&self.messages, Scope::Home);
            self.messages = self.but(whole, tag(&part));
            self.look();
            self.written()?;
        }
        self.flush()?;
        let yes = self.page.guard.state().calls.get(last).is_some_and(Call::allowed);
        self.write(&part, yes)?;
        self.predicate()
    }

    /// The same list, with one part left as it was.
    pub(super) fn but(&self, mut list: Vec<Value>, kept: usize) -> Vec<Value> {
        for (message, old) in list.iter_mut().zip(&self.messages) {
            for (place, part) in
                parts(old).iter().enumerate().filter(|(_, part)| is_tool(part) && tag(part) == kept)
            {
                message["parts"][place] = part.clone();
            }
        }
        list
    }

    /// Does what `addToolApprovalResponse` does.
    pub(super) fn write(&mut self, part: &Value, yes: bool) -> Step {
        let all =
            self.messages.last_mut().and_then(|last| last["parts"].as_array_mut()).into_iter().flatten();
        for place in all.filter(|place| asks(place) && place["approval"]["id"] == part["approval"]["id"]) {
            place["state"] = "approval-responded".into();
            place["approval"]["approved"] = yes.into();
            place["approval"]["reason"] = "because".into();
        }
        self.written()
    }

    /// Does what the chat does after an answer was written or a response has ended.
    pub(super) fn predicate(&mut self) -> Step {
        if self.running.is_some() {
            return Ok(());
        }
        self.look();
        if !self.script.slow {
            let effects = self.page.tell(Fact::Commit(CommitCause::Predicate));
            self.committed(&effects.changed());
        }
        self.repair_home()?;
        let sends = self.page.tell(Fact::Ask).reason().is_some_and(|reason| reason.sends());
        self.flush()?;
        if sends {
            self.effect()?;
            self.send(false, !self.permit)?;
        }
        Ok(())
    }
}
