//! Requests, their content, and what the server does with it.

use serde_json::{Value, json};
use tool_approval_guard::core::guard::{Fact, Failure};
use tool_approval_guard::core::id::RequestId;
use tool_approval_guard::core::repair::Scope;

use super::histories::{End, Plan};
use super::{CHAT, Change, Chunk, CrashSimulator, Step, Truth};
use crate::common::chat_simulator::{last_step, tag};
use crate::common::{is_tool, parts};

impl CrashSimulator<'_> {
    pub(super) fn send(&mut self, person: bool, automatic: bool) -> Step {
        let (request, wire) = self.page.send(&self.messages, CHAT, person);
        let last = self.messages.last().cloned();
        self.messages = self.page.repaired(&self.messages, Scope::Home);
        if let (false, Some(last), Some(place)) = (person, last, self.messages.last_mut()) {
            *place = last; // the running response would overwrite its repair
        }
        self.check_wire(&wire, person, automatic);
        self.flush()?;
        self.effect()?;
        self.land();
        // It leaves now.
        self.sends += 1;
        self.running = Some(request);
        for part in
            last_step(&wire).iter().filter(|part| is_tool(part) && part["state"] == "approval-responded")
        {
            let yes = part["approval"]["approved"] == true;
            self.truths[tag(part)].sent |= yes;
            self.truths[tag(part)].carried += u32::from(yes);
        }
        self.written()?;
        self.respond(request, &wire)
    }

    /// Checks what leaves.
    pub(super) fn check_wire(&mut self, wire: &[Value], person: bool, automatic: bool) {
        self.holds(
            !automatic || self.acted > 0 || self.expired,
            "a request has left before anybody has acted",
        );
        let step = last_step(wire).to_vec();
        for part in wire.iter().flat_map(parts).filter(|part| is_tool(part)) {
            let (last, truth) = (step.contains(part), self.truths[tag(part)].clone());
            let say = |what: &str| format!("{what}: {part} {truth:?}");
            let approved = part["approval"]["approved"].as_bool();
            let output = part["state"].as_str().is_some_and(|state| state.starts_with("output"));
            if approved == Some(true) {
                // An output says that it was sent before.
                let stands = truth.allowed > truth.taken && part["approval"]["id"] == truth.approval.as_str();
                self.holds(stands || (output && truth.served), say("nobody allows it"));
                self.holds(truth.saved_answer != Some(false), say("a denial leaves as a yes"));
                let again = automatic && last && !output && truth.carried > 0;
                self.holds(!again, say("it leaves a second time by itself"));
            } else if truth.saved_answer == Some(false) && !truth.other {
                let denied = approved == Some(false) && part.get("output").is_none();
                self.holds(denied, say("a denial was lost on its way"));
            }
            // A message of a person closes every denial before it.
            self.truths[tag(part)].served |= person && approved == Some(false);
            if approved == Some(false) && truth.answer != Some(false) {
                // The user has moved on, or time has answered.
                let act = self.acts + 1;
                self.acts = act;
                let truth = &mut self.truths[tag(part)];
                (truth.draft, truth.answer, truth.taken) = (None, Some(false), act);
            }
        }
    }

    /// Runs the server's response, as the page receives it.
    pub(super) fn respond(&mut self, request: RequestId, wire: &[Value]) -> Step {
        let plan = &self.history.plans[self.plan % self.history.plans.len()];
        self.plan += 1;
        if plan.end == End::Lost {
            // What surely did not arrive does not count as sent.
            for part in last_step(wire).iter().filter(|part| is_tool(part) && !plan.goes_on) {
                let truth = &mut self.truths[tag(part)];
                truth.carried = truth.carried.saturating_sub(1);
            }
            let failure = if plan.goes_on { Failure::Unknown } else { Failure::Status(503) };
            return self.failed(request, failure);
        }
        if plan.stores {
            self.store.push(wire.to_vec());
        }
        let chunks = self.serve(wire, plan);
        let mut list = wire.to_vec();
        if list.last().is_none_or(|last| last["role"] != "assistant") {
            self.count += 1;
            list.push(json!({ "id": format!("a{}", self.count), "role": "assistant", "parts": [] }));
        }
        if self.messages.len() < list.len() {
            self.messages.push(list[list.len() - 1].clone());
        }
        chunks.iter().for_each(|chunk| apply(&mut list, chunk));
        self.unfinished = (plan.goes_on || plan.end == End::Ended).then_some(list);
        self.effect()?;
        self.page.tell(Fact::Started(request));
        self.flush()?;
        let stop = if plan.end == End::Ended { chunks.len() } else { chunks.len() / 2 };
        for chunk in &chunks[..stop] {
            self.turn()?;
            self.page.hear(request, &chunk.told);
            apply(&mut self.messages, chunk);
            self.flush()?;
            self.written()?;
            if plan.looks {
                self.turn()?;
                self.look();
                self.flush()?;
            }
        }
        self.turn()?;
        self.store.extend(self.unfinished.take());
        self.effect()?;
        match plan.end {
            End::Ended => {
                self.running = None;
                self.page.tell(Fact::Ended(request));
                self.flush()?;
                self.turn()?;
                self.predicate()
            }
            End::Stopped => {
                self.failed(request, Failure::Unknown)?;
                self.stop()
            }
            End::Broken | End::Lost => self.failed(request, Failure::Unknown),
        }
    }

    pub(super) fn failed(&mut self, request: RequestId, failure: Failure) -> Step {
        self.turn()?;
        self.running = None;
        self.page.tell(Fact::Failed { request, failure });
        self.look();
        self.repair_home()?;
        self.flush()
    }

    /// Runs what is allowed, and asks about what is new.
    pub(super) fn serve(&mut self, wire: &[Value], plan: &Plan) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let last = wire.last().filter(|last| last["role"] == "assistant");
        for (place, part) in last.map_or(&[][..], parts).iter().enumerate() {
            if !is_tool(part) || part["state"] != "approval-responded" {
                continue;
            }
            let (id, mut part) = (part["toolCallId"].clone(), part.clone());
            self.truths[tag(&part)].served = true;
            if part["approval"]["approved"] == true {
                let again = self.again;
                let truth = &mut self.truths[tag(&part)];
                let wanted = truth.runs == 0 || truth.run_by < again;
                (truth.runs, truth.run_by) = (truth.runs + 1, again);
                let truth = truth.clone();
                self.holds(wanted, format!("it runs twice: {part} {truth:?}"));
                part["state"] = "output-available".into();
                part["output"] = json!({ "served": tag(&part) });
                let told =
                    json!({ "type": "tool-output-available", "toolCallId": id, "output": part["output"] });
                chunks.push(Chunk { told, change: Change::Part(place, part) });
            } else {
                part["state"] = "output-denied".into();
                let told = json!({ "type": "tool-output-denied", "toolCallId": id });
                chunks.push(Chunk { told, change: Change::Part(place, part) });
            }
        }
        if !plan.calls.is_empty() {
            let told = json!({ "type": "start-step" });
            chunks.push(Chunk { told, change: Change::Push(json!({ "type": "step-start" })) });
        }
        for &(asks, kind) in &plan.calls {
            self.call(&mut chunks, asks, kind);
        }
        chunks
    }

    pub(super) fn call(&mut self, chunks: &mut Vec<Chunk>, asks: bool, kind: u8) {
        self.count += 1;
        let tool = if kind & 1 == 0 { "run" } else { "mail" };
        // Sometimes a call id that is used again and again.
        let id = if kind & 12 == 12 { "call_0".to_owned() } else { format!("call{}", self.count) };
        let input = json!({ "n": kind >> 1 & 1 });
        let approval = format!("ap{}", self.count);
        let mut part = json!({ "type": format!("tool-{tool}"), "toolCallId": id, "state": "input-available",
            "input": input, "callProviderMetadata": { "t": self.truths.len() } });
        let told = json!({ "type": "tool-input-available", "toolCallId": id });
        chunks.push(Chunk { told, change: Change::Push(part.clone()) });
        if asks {
            part["state"] = "approval-requested".into();
            part["approval"] = json!({ "id": approval, "signature": format!("s{}", self.count) });
            let told = json!({ "type": "tool-approval-request", "toolCallId": id, "approvalId": approval,
                "signature": part["approval"]["signature"] });
            chunks.push(Chunk { told, change: Change::Part(usize::MAX, part) });
        } else {
            part["state"] = "output-available".into();
            part["output"] = json!({ "server": self.count });
            let told = json!({ "type": "tool-output-available", "toolCallId": id, "output": part["output"] });
            chunks.push(Chunk { told, change: Change::Part(usize::MAX, part) });
        }
        self.truths.push(Truth { approval, id, tool: tool.to_owned(), input, ..Truth::default() });
    }
}

/// Writes a chunk into the last message.
fn apply(list: &mut [Value], chunk: &Chunk) {
    let Some(parts) = list.last_mut().and_then(|last| last["parts"].as_array_mut()) else { return };
    match &chunk.change {
        Change::Push(part) => parts.push(part.clone()),
        Change::Part(usize::MAX, part) => {
            if let Some(last) = parts.last_mut() {
                *last = part.clone();
            }
        }
        Change::Part(place, part) => {
            if let Some(old) = parts.get_mut(*place) {
                *old = part.clone();
            }
        }
    }
}
