//! A chat, its server and its person, driven by random histories. Every tool part carries a hidden tag that
//! the guard does not read, so that the simulator knows what really happened to each call.

pub mod histories;
mod page;
mod requests;
mod response;
mod truth;

pub use truth::Truth;

use serde_json::{Value, json};
use tool_approval_guard::core::call::Status;
use tool_approval_guard::core::guard::{Fact, Named, Problem, Trigger};
use tool_approval_guard::core::id::{RequestId, StringId};
use tool_approval_guard::core::verdict::Reason;

use crate::common::{Page, is_tool, parts};
use histories::{End, History, Op};

pub const CHAT: StringId = StringId(1_000);
pub const LIMIT: u32 = 2;
pub const CLIENT_TOOLS: &[&str] = &["pick_file"];

/// A moment that an oracle checks.
pub enum Moment {
    Asked {
        before: Vec<Value>,
        after: Vec<Value>,
        truths: Vec<Truth>,
        /// The verdict that was known before the question.
        told: Reason,
        reason: Reason,
        idle: Idle,
        statuses: Vec<(usize, Status)>,
    },
    /// The chat has come to rest, and does not ask. `wakes`: whether the guard has it asked.
    Rested {
        after: Vec<Value>,
        truths: Vec<Truth>,
        idle: Idle,
        wakes: bool,
    },
    /// The chat was continued without a message. `added`: the number of new entries.
    Continued {
        home: Vec<Value>,
        after: Vec<Value>,
        truths: Vec<Truth>,
        refused: bool,
        added: usize,
    },
    Sent {
        home: Vec<Value>,
        wire: Vec<Value>,
        truths: Vec<Truth>,
        person: bool,
        automatic: bool,
    },
    /// A request, or its response, failed.
    Failed {
        after: Vec<Value>,
        truths: Vec<Truth>,
        statuses: Vec<(usize, Status)>,
    },
    Wrong {
        request: RequestId,
        added: usize,
        reported: bool,
    },
    Again {
        added: u32,
    },
}

/// Other reasons that can hold back a send.
#[derive(Clone, Copy)]
pub struct Idle {
    pub yes_in_turn: bool,
    pub stopped: bool,
    pub automatic: u32,
    pub permit: bool,
}

struct Flight {
    request: RequestId,
    started: bool,
    /// Whether the response has begun a step, so that the chunks of its beginning are not sent again.
    begun: bool,
    active: Value,
    wire: Vec<Value>,
}

pub struct ChatSimulator {
    pub page: Page,
    pub messages: Vec<Value>,
    /// Whether the transport is the guard's.
    watched: bool,
    pub truths: Vec<Truth>,
    pub trace: Vec<Moment>,
    segment: usize,
    flight: Option<Flight>,
    idle: Idle,
    bound: bool,
    files: bool,
    /// The requests whose outcome is known.
    over: Vec<RequestId>,
    /// Whether the chat ignores the next yes.
    drops: bool,
    /// Whether the chat asks only once: all else comes while it is busy or being stopped, or from elsewhere.
    silent: bool,
    /// Whether the chat has asked.
    asked: bool,
    /// The call of a yes that was ignored, because the next request may belong to it.
    pending_yes_for: Option<usize>,
    /// Whether a message was copied under a new id.
    copied: bool,
    count: u32,
}

/// The hidden tag of a part.
pub fn tag(part: &Value) -> usize {
    part["callProviderMetadata"]["t"].as_u64().map_or(usize::MAX, |t| t as usize)
}

/// The last step of a list.
pub fn last_step(messages: &[Value]) -> &[Value] {
    let Some(last) = messages.last().filter(|message| message["role"] == "assistant") else { return &[] };
    let parts = parts(last);
    let start = parts.iter().rposition(|part| part["type"] == "step-start").map_or(0, |at| at + 1);
    &parts[start..]
}

/// Whether the call of a part is in the last step of a list.
pub fn stands(messages: &[Value], part: &Value) -> bool {
    last_step(messages).iter().any(|other| is_tool(other) && tag(other) == tag(part))
}

/// Whether a message contains a call id twice.
fn repeats(message: Option<&Value>) -> bool {
    let calls = message.map_or(&[][..], parts).iter().filter(|part| is_tool(part));
    let ids: Vec<&Value> = calls.map(|part| &part["toolCallId"]).collect();
    ids.iter().enumerate().any(|(at, id)| ids[..at].contains(id))
}

pub fn text_after_calls(step: &[Value]) -> bool {
    let after = step.iter().rposition(is_tool).map_or(0, |at| at + 1);
    step[after..].iter().any(super::says_something)
}

impl ChatSimulator {
    pub fn new(segment: usize, watched: bool) -> Self {
        let page = Page::new(CLIENT_TOOLS, |options| {
            options.policy.max_automatic_sends = LIMIT;
            options.segment = segment;
        });
        let idle = Idle { yes_in_turn: false, stopped: false, automatic: 0, permit: false };
        Self {
            page,
            messages: Vec::new(),
            watched,
            truths: Vec::new(),
            trace: Vec::new(),
            segment,
            flight: None,
            idle,
            bound: false,
            files: false,
            over: Vec::new(),
            drops: false,
            silent: false,
            asked: false,
            pending_yes_for: None,
            copied: false,
            count: 0,
        }
    }

    pub fn run(history: &History) -> Self {
        Self::run_with(history, true)
    }

    /// Runs a history. Without `watched`, the transport is not the guard's.
    pub fn run_with(history: &History, watched: bool) -> Self {
        Self::new(history.segment, watched).play(history)
    }

    /// Runs a history in which the chat asks only once.
    pub fn run_silent(history: &History) -> Self {
        let mut simulator = Self::new(history.segment, true);
        simulator.silent = true;
        simulator.play(history)
    }

    /// Runs a history with `sendEach`.
    pub fn run_each(history: &History) -> Self {
        let mut simulator = Self::new(history.segment, true);
        let segment = history.segment;
        simulator.page = Page::new(CLIENT_TOOLS, |options| {
            options.policy.max_automatic_sends = LIMIT;
            options.policy.send_each = true;
            options.segment = segment;
        });
        simulator.play(history)
    }

    fn play(mut self, history: &History) -> Self {
        for (op, turns) in &history.steps {
            self.step(op, *turns);
        }
        self
    }

    pub fn step(&mut self, op: &Op, turns: bool) {
        if turns {
            self.page.tell(Fact::LeaseOver { sending: false });
            self.idle.yes_in_turn = false;
        }
        self.take(op);
        self.page.cloned = false;
    }

    fn take(&mut self, op: &Op) {
        let idle = self.flight.is_none();
        match op {
            Op::User if idle => self.user(),
            Op::Continue if idle && self.last_is_assistant() => self.send(false, false),
            Op::Regenerate if idle && !self.copied && self.last_is_assistant() && self.messages.len() > 1 => {
                self.messages.pop();
                self.send(true, false);
            }
            Op::Retry if idle => self.retry(),
            Op::Piece(piece) => self.piece(piece),
            Op::Finish(end) => self.finish(*end),
            Op::Again(which, end) if self.watched => {
                let Some(&request) = self.over.iter().rev().nth(*which) else { return };
                let before = self.page.guard.length();
                self.page.tell(end.map_or(Fact::Started(request), |end| end.input(request)));
                let added = self.page.guard.length() - before;
                self.trace.push(Moment::Again { added });
            }
            Op::Respond(pieces, end) => {
                if idle {
                    self.user();
                }
                if !matches!(end, End::Failed(_)) {
                    pieces.iter().for_each(|piece| self.piece(piece));
                }
                self.finish(*end);
            }
            Op::Answer(which, yes) => self.answer(*which, *yes),
            Op::Garble(which) => self.garble(*which),
            Op::Output { which, value, keep, error } => self.output(*which, *value, *keep, *error),
            Op::Replay { which, other_input } if idle => self.replay(*which, *other_input),
            Op::Resume { which, end, other_input } => {
                self.finish(*end);
                self.replay(*which, *other_input);
            }
            Op::Rewrite(which) if idle => self.rewrite(*which),
            Op::Stop => self.stop(),
            Op::Look(current) => self.page.look_at_last(&self.messages, *current),
            Op::Ask => self.settle(),
            Op::DroppedAsk => self.drops = true,
            Op::Copy if !repeats(self.messages.last()) => {
                self.page.cloned = true;
                self.page.look_at_last(&self.messages, true);
            }
            Op::Swap { new_ids, asks } if idle => self.swap(*new_ids, *asks),
            Op::Clear => {
                self.finish(End::Ended);
                self.messages.clear();
                self.pending_yes_for = None;
                self.page.sweep(&self.messages);
                self.user();
                self.finish(End::Ended);
                for _ in 0..super::entries_until_sealed(self.segment) {
                    self.page.tell(Fact::Extend(Named::default()));
                }
            }
            Op::WrongChat if self.bound => {
                let before = self.page.log.len();
                let effects = self.page.tell(Fact::Send {
                    chat: CHAT.next(),
                    trigger: Trigger::Submit,
                    continues: false,
                });
                let added = self.page.log.len() - before;
                let reported = effects.problems.contains(&(Problem::WrongChat, None));
                self.trace.push(Moment::Wrong { request: effects.request(), added, reported });
            }
            _ => {}
        }
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.count += 1;
        format!("{prefix}{}", self.count)
    }

    fn last_is_assistant(&self) -> bool {
        self.messages.last().is_some_and(|message| message["role"] == "assistant")
    }

    fn last_call(&self) -> Option<usize> {
        last_step(&self.messages).iter().rfind(|part| is_tool(part)).map(tag)
    }

    fn user(&mut self) {
        let id = self.fresh("u");
        self.messages.push(json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": "go" }] }));
        self.send(true, false);
    }
}
