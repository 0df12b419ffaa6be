//! The response to a request, and how it ends.

use serde_json::{Value, json};
use tool_approval_guard::core::guard::{Fact, Failure};
use tool_approval_guard::core::id::RequestId;
use tool_approval_guard::core::repair::Scope;

use super::histories::{End, Kind, Piece};
use super::truth::Truth;
use super::{ChatSimulator, Flight, Moment, repeats, tag};
use crate::common::parts;

impl ChatSimulator {
    /// Passes on what the guard's transport reports, if it is in use.
    pub(super) fn report(&mut self, input: Fact) {
        if self.watched {
            self.page.tell(input);
        }
    }

    pub(super) fn hear(&mut self, request: RequestId, chunk: &Value) {
        if self.watched {
            self.page.hear(request, chunk);
        }
    }

    pub(super) fn start(&mut self) -> Option<RequestId> {
        let flight = self.flight.as_mut()?;
        if !std::mem::replace(&mut flight.started, true) {
            let request = flight.request;
            self.report(Fact::Started(request));
        }
        self.flight.as_ref().map(|flight| flight.request)
    }

    /// Writes the SDK's copy of the message over the message in the chat.
    pub(super) fn write(&mut self) {
        let Some(flight) = &self.flight else { return };
        match self.messages.last_mut() {
            Some(last) if last["id"] == flight.active["id"] => *last = flight.active.clone(),
            _ => self.messages.push(flight.active.clone()),
        }
    }

    pub(super) fn push(&mut self, part: Value) {
        if let Some(parts) = self.flight.as_mut().and_then(|flight| flight.active["parts"].as_array_mut()) {
            parts.push(part);
        }
    }

    pub(super) fn piece(&mut self, piece: &Piece) {
        let Some(request) = self.start() else { return };
        let starts = matches!(piece, Piece::NewId | Piece::Serve);
        if let Some(flight) = &mut self.flight {
            if starts && flight.begun {
                return;
            }
            flight.begun |= !starts;
        }
        match piece {
            Piece::EmptyStep => self.push(json!({ "type": "step-start" })),
            Piece::Text(blank) => {
                self.push(json!({ "type": "text", "text": if *blank { " \n" } else { "done" } }));
            }
            Piece::NewId if repeats(self.flight.as_ref().map(|flight| &flight.active)) => {}
            Piece::NewId => {
                self.copied = true;
                let id = self.fresh("a");
                if let Some(flight) = &mut self.flight {
                    flight.active["id"] = id.into();
                }
            }
            Piece::Serve => self.serve(request),
            Piece::Step(calls) => {
                self.push(json!({ "type": "step-start" }));
                let mut reused = false;
                if calls.iter().any(|&(_, reuse)| reuse) {
                    self.write();
                    self.page.look_at_last(&self.messages, true);
                }
                for &(kind, reuse) in calls {
                    let id = if reuse && !reused { "call_0".to_owned() } else { self.fresh("c") };
                    reused |= reuse;
                    let part = self.call(request, kind, &id);
                    self.push(part);
                }
            }
        }
        self.write();
        let denied = |calls: &[(Kind, bool)]| calls.iter().any(|&(kind, _)| kind == Kind::AutoDenied);
        if matches!(piece, Piece::NewId) || matches!(piece, Piece::Step(calls) if denied(calls)) {
            self.page.look_at_last(&self.messages, true);
        }
    }

    /// Receives a new call.
    pub(super) fn call(&mut self, request: RequestId, kind: Kind, id: &str) -> Value {
        let tool = match kind {
            Kind::Client | Kind::ClientAsks => "pick_file",
            Kind::UnnamedClient => "ask_user",
            Kind::Provider | Kind::ProviderAsks => "web",
            _ => "run",
        };
        let mut part = json!({
            "type": format!("tool-{tool}"), "toolCallId": id, "state": "input-available",
            "input": { "n": self.count % 3 }, "callProviderMetadata": { "t": self.truths.len() },
        });
        let mut truth = Truth::new(kind);
        for chunk in ["tool-input-start", "tool-input-available"] {
            self.hear(request, &json!({ "type": chunk, "toolCallId": id }));
        }
        if matches!(kind, Kind::Provider | Kind::ProviderAsks) {
            part["providerExecuted"] = true.into();
        }
        if matches!(kind, Kind::Asks | Kind::ClientAsks | Kind::ProviderAsks | Kind::AutoDenied) {
            let approval = json!({ "id": self.fresh("ap"), "signature": format!("s{}", self.count) });
            self.hear(
                request,
                &json!({ "type": "tool-approval-request", "toolCallId": id,
                    "approvalId": approval["id"], "signature": approval["signature"] }),
            );
            truth.question = Some(approval.clone());
            part["approval"] = approval;
            part["state"] = "approval-requested".into();
        }
        match kind {
            Kind::AutoDenied => {
                let approval = &part["approval"]["id"];
                self.hear(
                    request,
                    &json!({ "type": "tool-approval-response", "approvalId": approval, "toolCallId": id,
                        "approved": false }),
                );
                part["state"] = "approval-responded".into();
                part["approval"]["approved"] = false.into();
                part["approval"]["reason"] = "policy".into();
                truth.answer = Some(false);
                truth.denied_input = Some(part["input"].clone());
                truth.reason = Some("policy".into());
            }
            Kind::Server => {
                let output = json!({ "server": self.count });
                self.hear(
                    request,
                    &json!({ "type": "tool-output-available", "toolCallId": id, "output": output }),
                );
                part["state"] = "output-available".into();
                part["output"] = output;
                truth.server_output = true;
            }
            Kind::Unknown => part["state"] = "future-state".into(),
            _ => {}
        }
        self.truths.push(truth);
        part
    }

    /// Lets the server act on the answers that it received.
    pub(super) fn serve(&mut self, request: RequestId) {
        let Some(flight) = &mut self.flight else { return };
        let Some(sent) = flight.wire.last().filter(|last| last["role"] == "assistant") else { return };
        let mut chunks = Vec::new();
        for answered in parts(sent).iter().filter(|part| part["state"] == "approval-responded") {
            let Some(truth) = self.truths.get_mut(tag(answered)) else { continue };
            let all = flight.active["parts"].as_array_mut().into_iter().flatten();
            let Some(part) = all.into_iter().find(|part| tag(part) == tag(answered)) else { continue };
            let id = &answered["toolCallId"];
            if answered["approval"]["approved"] == false {
                part["state"] = "output-denied".into();
                truth.settled = true;
                chunks.push(json!({ "type": "tool-output-denied", "toolCallId": id }));
            } else if !truth.client() && truth.answer == Some(true) && part["state"] == "approval-responded" {
                part["state"] = "output-available".into();
                part["output"] = json!({ "served": tag(answered) });
                truth.server_output = true;
                chunks.push(
                    json!({ "type": "tool-output-available", "toolCallId": id, "output": part["output"] }),
                );
            }
        }
        for chunk in chunks {
            self.hear(request, &chunk);
        }
    }

    pub(super) fn finish(&mut self, end: End) {
        let Some(Flight { request, .. }) = self.flight else { return };
        if matches!(end, End::Ended) {
            self.start();
            self.flight = None;
            self.over.push(request);
            self.report(Fact::Ended(request));
            for truth in self.truths.iter_mut().filter(|t| t.flying == Some(request)) {
                (truth.flying, truth.delivered, truth.doubt) = (None, true, false);
            }
            for truth in self.truths.iter_mut().filter(|t| t.denied() && t.carried == Some(request)) {
                truth.settled = true;
            }
            self.settle();
        } else {
            self.fail(end);
        }
    }

    pub(super) fn fail(&mut self, end: End) {
        let Some(Flight { request, started, .. }) = self.flight.take() else { return };
        self.over.push(request);
        self.report(end.input(request));
        let (End::Broken(failure) | End::Failed(failure)) = end else { return };
        let refused = match failure {
            Failure::NotAsked => true,
            // A server may fail after the call, and in a conflict another request may have run it.
            Failure::Status(status) => status == 503 || (400..500).contains(&status) && status != 409,
            Failure::Unknown => false,
        };
        for truth in self.truths.iter_mut().filter(|t| t.flying == Some(request)) {
            truth.flying = None;
            truth.doubt |= started || !refused;
        }
        let (after, truths, statuses) = (self.messages.clone(), self.truths.clone(), self.statuses());
        self.trace.push(Moment::Failed { after, truths, statuses });
        for truth in self.truths.iter_mut().filter(|t| t.carried == Some(request) && !t.settled) {
            truth.failed = true;
        }
    }

    pub(super) fn stop(&mut self) {
        self.fail(End::Broken(Failure::Unknown));
        self.page.look_at_last(&self.messages, true);
        self.page.tell(Fact::Stopped);
        self.messages = self.page.repaired(&self.messages, Scope::Home);
        for part in self.messages.iter().flat_map(parts) {
            let Some(truth) = self.truths.get_mut(tag(part)) else { continue };
            let output = truth.page_output.is_some() || truth.server_output;
            if truth.answer == Some(true) && truth.answer_new && !output {
                truth.answer = None;
                truth.allowed = false;
                truth.answer_new = false;
            }
        }
        self.idle.stopped = true;
        self.pending_yes_for = None;
    }
}
