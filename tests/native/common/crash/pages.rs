//! The start of a page, and what its record saves.

use std::collections::BTreeMap;

use serde_json::Value;
use tool_approval_guard::core::guard::Fact;
use tool_approval_guard::core::id::CallId;

use super::histories::Load;
use super::{CrashSimulator, LIFETIME, Step, Truth, decided};
use crate::common::chat_simulator::tag;
use crate::common::record_harness::RecordHarness;
use crate::common::{Page, is_tool, parts};

impl CrashSimulator<'_> {
    pub(super) fn open(&mut self) -> Step {
        let script = self.script;
        self.session += 1;
        self.acted = 0;
        self.expired = false;
        let now = self.page.now + f64::from(script.gap);
        self.page = Page::new(&[], |options| {
            options.policy.max_automatic_sends = 4;
            options.policy.undo_ms = self.history.quick.then_some(0);
        });
        self.page.now = now;
        self.page.lifetime = self.history.timed.then_some(LIFETIME);
        self.load();
        let stored = self.truths.clone();
        if script.slow {
            self.attach();
            self.effect()?;
            self.begin()?;
            self.page.recall_again();
        } else {
            self.begin()?;
            self.attach();
        }
        self.check_page(&stored);
        self.repair_home()?;
        self.settle_due()?;
        self.flush()
    }

    pub(super) fn load(&mut self) {
        let Load { lag, loses, drifts, changes } = self.script.load;
        let place = self.store.len().saturating_sub(1 + lag);
        let mut list = self.store[place].clone();
        self.truths.iter_mut().for_each(|truth| truth.other = false);
        if let Some(last) = list.last_mut().filter(|last| last["role"] == "assistant") {
            if drifts {
                self.count += 1;
                last["id"] = format!("m{}", self.count).into();
            }
            let open = |part: &&mut Value| {
                is_tool(part) && !part["state"].as_str().is_some_and(|state| state.starts_with("output"))
            };
            let all = last["parts"].as_array_mut().into_iter().flatten();
            let mut calls: Vec<&mut Value> =
                all.filter(open).filter(|part| !part["approval"].is_null()).collect();
            let most = calls.len().max(1);
            if let Some(part) = loses.and_then(|which| calls.get_mut(which % most)) {
                let part = part.as_object_mut().expect("a part");
                part.remove("approval");
                part.insert("state".to_owned(), "input-available".into());
            }
            if let Some(part) = changes.and_then(|which| calls.get_mut(which % most)) {
                part["input"]["changed"] = self.session.into();
            }
        }
        for part in list.iter().flat_map(parts).filter(|part| is_tool(part)) {
            let truth = &self.truths[tag(part)];
            let twins = |other: &&Truth| other.id == truth.id && other.tool == truth.tool;
            // As far as one can tell, such a part does not belong to a call that has its result.
            let unclear = truth.served || self.truths.iter().filter(twins).count() > 1;
            let truth = &mut self.truths[tag(part)];
            truth.other = part["approval"].is_null() && unclear;
            if part["input"] != truth.input {
                // The answer was not about this input.
                self.acts += 1;
                (truth.other, truth.renewed) = (true, true);
                truth.input = part["input"].clone();
                (truth.taken, truth.taken_saved) = (self.acts, self.acts);
                (truth.sent, truth.carried, truth.runs) = (false, 0, 0);
                (truth.draft, truth.saved_draft) = (None, None);
                (truth.answer, truth.saved_answer) = (None, None);
            }
        }
        self.messages = list.clone();
        self.store.push(list);
    }

    pub(super) fn attach(&mut self) {
        self.page.tell(Fact::Hydrate(true));
        self.page.sweep(&self.messages);
        self.page.tell(Fact::Hydrate(false));
    }

    /// The record begins with one transaction.
    pub(super) fn begin(&mut self) -> Step {
        let mut store = self.disk.clone();
        self.page.keep(RecordHarness::begin(&mut store, self.session));
        self.effect()?;
        self.disk = store;
        self.effect()
    }

    /// Checks what a page has to know of the saved data.
    pub(super) fn check_page(&mut self, stored: &[Truth]) {
        let rows: Vec<(Value, CallId)> = self.page.rows().map(|(part, call)| (part.clone(), call)).collect();
        let (guard, now) = (&self.page.guard, self.page.now);
        let mut wrong = None;
        for (part, id) in &rows {
            let (truth, Some(call)) = (&stored[tag(part)], guard.state().calls.get(*id)) else { continue };
            let deadline = call.deadline().map(|deadline| guard.clock().wall(deadline));
            let say = |what: &str| format!("{what}: {part} {call:?} {truth:?}");
            if !truth.renewed && truth.deadline.zip(deadline).is_some_and(|(was, is)| is > was.max(now) + 1.0)
            {
                wrong = Some(say(&format!("there is more time than before at {now}, until {deadline:?}")));
            }
            let shown = part["state"].as_str().is_some_and(|state| state.starts_with("output"));
            let known = match (truth.saved_answer, truth.saved_draft) {
                _ if truth.other => true,
                (Some(true), _) => decided(call) && (call.allowed() || shown || call.denied()),
                (Some(false), _) => decided(call) && (call.denied() || shown),
                (None, Some(yes)) => {
                    let draft =
                        call.draft().is_none_or(|draft| draft.decision.approved == yes || !draft.undoable());
                    (draft && call.asking()) || part["state"] != "approval-requested"
                }
                _ => true,
            };
            if !known {
                wrong = Some(say("an answer is lost"));
            }
        }
        if let Some(wrong) = wrong {
            self.holds(false, wrong);
        }
    }

    pub(super) fn save(&mut self) {
        self.dirty = false;
        let Some(harness) = &mut self.page.harness else { return };
        let mut store = self.landing.take().map_or_else(|| self.disk.clone(), |(store, _)| store);
        store.transact(&mut harness.record, 0, &[]);
        self.landing = Some((store, self.truths.clone()));
    }

    /// Completes the pending save.
    pub(super) fn land(&mut self) {
        let Some((store, truths)) = self.landing.take() else { return };
        for (truth, saved) in self.truths.iter_mut().zip(truths) {
            truth.taken_saved = saved.taken;
            truth.saved_answer = saved.answer;
            truth.saved_draft = saved.draft;
            truth.deadline = saved.deadline;
        }
        self.disk = store;
    }

    /// Passes new entries on to the record.
    pub(super) fn flush(&mut self) -> Step {
        let Some(urgent) = self.page.append() else { return Ok(()) };
        self.effect()?;
        let rows: Vec<(usize, CallId)> = self.page.rows().map(|(part, call)| (tag(part), call)).collect();
        let mut deadlines = BTreeMap::new();
        for (tag, call) in rows {
            let deadline = self.page.guard.state().calls.get(call).and_then(|call| call.deadline());
            deadlines.insert(tag, deadline.map(|deadline| self.page.guard.clock().wall(deadline)));
        }
        let was: Vec<Option<f64>> = self.truths.iter().map(|truth| truth.deadline).collect();
        for (&tag, &deadline) in &deadlines {
            self.truths[tag].deadline = deadline;
        }
        self.dirty = true;
        if urgent {
            self.save();
        }
        for (truth, was) in self.truths.iter_mut().zip(was) {
            truth.deadline = was;
        }
        if urgent && !self.script.slow {
            self.land();
        }
        if urgent { self.effect() } else { Ok(()) }
    }

    /// Turns the event loop.
    pub(super) fn turn(&mut self) -> Step {
        self.effect()?;
        self.page.tell(Fact::LeaseOver { sending: false });
        self.land();
        if self.dirty {
            self.save();
            if !self.script.slow {
                self.land();
            }
        }
        Ok(())
    }
}
