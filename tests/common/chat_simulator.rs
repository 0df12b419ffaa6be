//! A chat, its server and its person, driven by random histories. Every tool part carries a hidden
//! tag that the guard does not read, so that what really happened to a call is known beside it.

use std::fmt;

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_approval_guard::core::call::Status;
use tool_approval_guard::core::guard::{Fact, Failure, Permitted, Problem};
use tool_approval_guard::core::id::{RequestId, StringId};
use tool_approval_guard::core::repair::Scope;
use tool_approval_guard::core::verdict::{Permit, Reason};

use super::{Page, is_tool, parts};

pub const CHAT: StringId = StringId(1_000);
pub const LIMIT: u32 = 2;
pub const CLIENT_TOOLS: &[&str] = &["pick_file"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Server,
    Asks,
    Client,
    UnnamedClient,
    ClientAsks,
    Provider,
    ProviderAsks,
    AutoDenied,
    Unknown,
    /// Of another list, with its output: nobody has seen it open.
    Other,
}

#[derive(Clone, Debug)]
pub enum Piece {
    Step(Vec<(Kind, bool)>),
    Text(bool),
    EmptyStep,
    NewId,
    Serve,
}

#[derive(Clone, Copy, Debug)]
pub enum End {
    Ended,
    /// Half way, if it has come that far.
    Broken(Failure),
    /// Before a response.
    Failed(Failure),
}

impl End {
    fn input(self, request: RequestId) -> Fact {
        match self {
            Self::Ended => Fact::Ended(request),
            Self::Broken(failure) | Self::Failed(failure) => Fact::Failed { request, failure },
        }
    }
}

#[derive(Clone, Debug)]
pub enum Op {
    User,
    Continue,
    Regenerate,
    Retry,
    Piece(Piece),
    Finish(End),
    /// A response that is over is told of once more.
    Again(usize, Option<End>),
    Respond(Vec<Piece>, End),
    Answer(usize, bool),
    Garble(usize),
    Output {
        which: usize,
        value: u8,
        keep: bool,
        error: bool,
    },
    Replay {
        which: usize,
        other_input: bool,
    },
    /// A response ends in the middle, and a resumed stream brings a question back.
    Resume {
        which: usize,
        end: End,
        other_input: bool,
    },
    /// The page writes an output over a denied call, and another input with it.
    Rewrite(usize),
    Stop,
    Look(bool),
    /// The chat asks whether to send, though nothing has changed.
    Ask,
    DroppedAsk,
    Copy,
    /// The application empties the chat, and it goes on until what was in it can be forgotten.
    Clear,
    /// The host puts another list in the place of its own: the same tools, call ids and places.
    Swap {
        new_ids: bool,
        asks: bool,
    },
    WrongChat,
}

/// What really happened to one call.
#[derive(Clone, Debug)]
pub struct Truth {
    pub kind: Kind,
    pub question: Option<Value>,
    pub answer: Option<bool>,
    /// A person has allowed this question, and it was not taken back.
    pub allowed: bool,
    /// The input that was shown when it was denied.
    pub denied_input: Option<Value>,
    /// It was denied, and has another input since, about which nobody has decided.
    pub void_denial: bool,
    /// It stands in the place of a call that was denied.
    pub replaces_denied: bool,
    pub reason: Option<Value>,
    pub answer_new: bool,
    /// The request that first carried the answer.
    pub carried: Option<RequestId>,
    /// The request that carries the allowance now.
    pub flying: Option<RequestId>,
    /// The response to the last one has ended.
    pub delivered: bool,
    /// A request that carried the allowance has failed, nothing proves that it was refused, and there is no result.
    pub doubt: bool,
    pub failed: bool,
    pub settled: bool,
    /// The output that the page wrote.
    pub page_output: Option<u8>,
    pub sent_output: Option<u8>,
    /// It is another one than was sent.
    pub output_new: bool,
    /// It was changed since.
    pub output_changed: bool,
    /// Was there text after the call when it was put out, and had the guard seen it open?
    pub text_before_output: bool,
    pub server_output: bool,
    pub superseded: bool,
}

impl Truth {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            question: None,
            answer: None,
            allowed: false,
            denied_input: None,
            void_denial: false,
            replaces_denied: false,
            reason: None,
            answer_new: false,
            carried: None,
            failed: false,
            flying: None,
            delivered: false,
            doubt: false,
            settled: false,
            page_output: None,
            sent_output: None,
            output_new: false,
            output_changed: false,
            text_before_output: false,
            server_output: false,
            superseded: false,
        }
    }

    /// It asks once more.
    fn reopen(&mut self, other_input: bool) {
        self.void_denial |= other_input && self.denied() && !self.superseded;
        self.answer = None;
        self.reason = None;
        self.settled = false;
        self.allowed &= !other_input;
        self.answer_new = false;
        self.page_output = None;
        self.output_new = false;
    }

    /// It may have run, and nobody here knows.
    pub fn in_doubt(&self) -> bool {
        let has_result = self.page_output.is_some() || self.server_output;
        self.doubt && self.answer == Some(true) && !has_result
    }

    pub fn asks(&self) -> bool {
        self.question.is_some() && self.answer.is_none()
    }

    pub fn denied(&self) -> bool {
        self.answer == Some(false)
    }

    pub fn client(&self) -> bool {
        matches!(self.kind, Kind::Client | Kind::ClientAsks)
    }
}

/// What an oracle looks at.
pub enum Moment {
    Asked {
        before: Vec<Value>,
        after: Vec<Value>,
        truths: Vec<Truth>,
        /// What was said of it before it was asked.
        told: Reason,
        reason: Reason,
        idle: Idle,
        statuses: Vec<(usize, Status)>,
    },
    /// A continue by hand, without a message; `added`: how many entries it has made.
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
    /// A request, or its response, broke.
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

/// What else could hold a send back.
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
    /// The response has begun a step: what belongs to its beginning does not come any more.
    begun: bool,
    active: Value,
    wire: Vec<Value>,
}

pub struct ChatSimulator {
    pub page: Page,
    pub messages: Vec<Value>,
    /// The transport is the guard's.
    watched: bool,
    pub truths: Vec<Truth>,
    pub trace: Vec<Moment>,
    segment: usize,
    flight: Option<Flight>,
    idle: Idle,
    bound: bool,
    files: bool,
    /// The requests that are over.
    over: Vec<RequestId>,
    /// The next yes is not taken.
    drops: bool,
    /// A yes was not taken, so that the next request may be the one that it led to.
    pending_yes_for: Option<usize>,
    /// A message was copied under a new id.
    copied: bool,
    count: u32,
}

/// The truth behind a part.
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

/// Does a message hold a call id twice?
fn repeats(message: Option<&Value>) -> bool {
    let calls = message.map_or(&[][..], parts).iter().filter(|part| is_tool(part));
    let ids: Vec<&Value> = calls.map(|part| &part["toolCallId"]).collect();
    ids.iter().enumerate().any(|(at, id)| ids[..at].contains(id))
}

pub fn text_after_calls(step: &[Value]) -> bool {
    let after = step.iter().rposition(is_tool).map_or(0, |at| at + 1);
    step[after..].iter().any(super::says_something)
}

fn kind() -> impl Strategy<Value = Kind> {
    use Kind::*;
    prop_oneof![
        4 => Just(Asks), 2 => Just(Server), 2 => Just(Client), 1 => Just(UnnamedClient),
        1 => Just(ClientAsks), 1 => Just(Provider), 1 => Just(ProviderAsks), 1 => Just(AutoDenied),
        1 => Just(Unknown),
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        4 => prop::collection::vec((kind(), prop::bool::weighted(0.3)), 1..3).prop_map(Piece::Step),
        2 => any::<bool>().prop_map(Piece::Text),
        1 => Just(Piece::EmptyStep),
        1 => Just(Piece::NewId),
        3 => Just(Piece::Serve),
    ]
}

pub fn failure() -> impl Strategy<Value = Failure> {
    let status = prop_oneof![
        4 => 400..600u32, 1 => 0..1_000u32, 1 => Just(399), 1 => Just(600), 1 => Just(u32::MAX), 1 => any::<u32>(),
    ];
    prop_oneof![1 => Just(Failure::NotAsked), 3 => status.prop_map(Failure::Status), 3 => Just(Failure::Unknown)]
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![8 => Just(End::Ended), 1 => failure().prop_map(End::Broken), 1 => failure().prop_map(End::Failed)]
}

fn op() -> impl Strategy<Value = Op> {
    let output = (0..6usize, 0..3u8, any::<bool>(), prop::bool::weighted(0.2))
        .prop_map(|(which, value, keep, error)| Op::Output { which, value, keep, error });
    let replay = (0..4usize, prop::bool::weighted(0.2))
        .prop_map(|(which, other_input)| Op::Replay { which, other_input });
    let resume = (0..4usize, end(), prop::bool::weighted(0.2))
        .prop_map(|(which, end, other_input)| Op::Resume { which, end, other_input });
    prop_oneof![
        2 => Just(Op::User),
        1 => Just(Op::Continue),
        1 => Just(Op::Regenerate),
        1 => Just(Op::Retry),
        3 => piece().prop_map(Op::Piece),
        3 => end().prop_map(Op::Finish),
        1 => (0..3usize, prop::option::of(end())).prop_map(|(which, end)| Op::Again(which, end)),
        8 => (prop::collection::vec(piece(), 0..4), end()).prop_map(|(pieces, end)| Op::Respond(pieces, end)),
        12 => (0..4usize, any::<bool>()).prop_map(|(which, yes)| Op::Answer(which, yes)),
        1 => (0..4usize).prop_map(Op::Garble),
        6 => output,
        1 => replay,
        1 => resume,
        1 => Just(Op::Stop),
        1 => any::<bool>().prop_map(Op::Look),
        2 => Just(Op::Ask),
        2 => Just(Op::DroppedAsk),
        1 => Just(Op::Copy),
        1 => Just(Op::Clear),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(new_ids, asks)| Op::Swap { new_ids, asks }),
        1 => Just(Op::WrongChat),
    ]
}

/// What happens, and how soon a guard forgets; `true` where the event loop turns first.
#[derive(Clone)]
pub struct History {
    pub segment: usize,
    pub steps: Vec<(Op, bool)>,
}

impl fmt::Debug for History {
    /// A line for each step, so that a failure can be read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "segment: {}", self.segment)?;
        self.steps.iter().try_for_each(|step| writeln!(f, "{step:?}"))
    }
}

/// A random history.
pub fn history() -> impl Strategy<Value = History> {
    let steps = prop::collection::vec((op(), prop::bool::weighted(0.9)), 1..30);
    (super::segment(), steps).prop_map(|(segment, steps)| History { segment, steps })
}

/// A random history in which an allowance is sent, and what then breaks is sent once more.
pub fn failing_history() -> impl Strategy<Value = History> {
    let asks = prop::collection::vec(Just((Kind::Asks, false)), 1..3);
    let next = prop_oneof![
        6 => failure().prop_map(|failure| Op::Finish(End::Failed(failure))),
        2 => failure().prop_map(|failure| Op::Finish(End::Broken(failure))),
        6 => Just(Op::Retry),
        2 => any::<bool>().prop_map(|blank| Op::Piece(Piece::Text(blank))),
        1 => Just(Op::Piece(Piece::Serve)),
        3 => Just(Op::Ask),
        2 => (0..3usize, prop::option::of(end())).prop_map(|(which, end)| Op::Again(which, end)),
        1 => op(),
    ];
    let rest = prop::collection::vec((next, prop::bool::weighted(0.9)), 1..16);
    (super::segment(), asks, any::<bool>(), rest).prop_map(|(segment, asks, second, rest)| {
        let begins =
            [Op::Respond(vec![Piece::Step(asks)], End::Ended), Op::Answer(0, true), Op::Answer(0, second)];
        let steps = begins.into_iter().map(|op| (op, true)).chain(rest).collect();
        History { segment, steps }
    })
}

/// A random history in which the page puts out call after call, so that one step after another is sent by itself.
pub fn repeating_history() -> impl Strategy<Value = History> {
    let call = || prop_oneof![Just((Kind::UnnamedClient, false)), Just((Kind::Client, false))];
    let respond = || call().prop_map(|call| Op::Respond(vec![Piece::Step(vec![call])], End::Ended));
    let op = prop_oneof![
        6 => (0..6usize).prop_map(|which| Op::Output { which, value: 1, keep: true, error: false }),
        4 => respond(),
        3 => Just(Op::Ask),
        1 => Just(Op::DroppedAsk),
    ];
    let rest = prop::collection::vec((op, prop::bool::weighted(0.7)), 8..30);
    (super::segment(), respond(), rest).prop_map(|(segment, begin, rest)| {
        let steps = std::iter::once((begin, true)).chain(rest).collect();
        History { segment, steps }
    })
}

/// A random history in which the user stops the chat with something answered, or put out, that is not sent.
pub fn stopping_history() -> impl Strategy<Value = History> {
    let call = || prop_oneof![3 => Just(Kind::Asks), 2 => Just(Kind::UnnamedClient), 1 => Just(Kind::Client)];
    let step = || prop::collection::vec((call(), Just(false)), 1..4).prop_map(Piece::Step);
    let respond = || step().prop_map(|step| Op::Respond(vec![step], End::Ended));
    let output =
        (0..6usize, 0..3u8).prop_map(|(which, value)| Op::Output { which, value, keep: true, error: false });
    let op = prop_oneof![
        6 => (0..4usize, any::<bool>()).prop_map(|(which, yes)| Op::Answer(which, yes)),
        6 => output,
        4 => Just(Op::Stop),
        2 => Just(Op::Ask),
        1 => Just(Op::Continue),
        1 => Just(Op::DroppedAsk),
        1 => respond(),
        1 => op(),
    ];
    let rest = prop::collection::vec((op, prop::bool::weighted(0.9)), 2..20);
    (super::segment(), respond(), rest).prop_map(|(segment, begin, rest)| {
        let steps = std::iter::once((begin, true)).chain(rest).collect();
        History { segment, steps }
    })
}

/// A random history in which a call is denied, and then is shown with another input, or another one stands in its
/// place.
pub fn replacing_history() -> impl Strategy<Value = History> {
    let asks = prop::collection::vec((Just(Kind::Asks), prop::bool::weighted(0.3)), 1..3);
    let respond = asks.prop_map(|asks| Op::Respond(vec![Piece::Step(asks)], End::Ended));
    let next = prop_oneof![
        3 => (0..4usize, prop::bool::weighted(0.3)).prop_map(|(which, yes)| Op::Answer(which, yes)),
        3 => (0..4usize, any::<bool>()).prop_map(|(which, other_input)| Op::Replay { which, other_input }),
        1 => (0..4usize, end(), any::<bool>())
            .prop_map(|(which, end, other_input)| Op::Resume { which, end, other_input }),
        3 => (0..4usize).prop_map(Op::Rewrite),
        2 => (any::<bool>(), any::<bool>()).prop_map(|(new_ids, asks)| Op::Swap { new_ids, asks }),
        1 => (0..4usize, any::<bool>()).prop_map(|(which, keep)| Op::Output { which, value: 1, keep, error: false }),
        1 => Just(Op::User),
        1 => Just(Op::Copy),
        1 => op(),
    ];
    let rest = prop::collection::vec((next, prop::bool::weighted(0.9)), 1..12);
    (super::segment(), respond, any::<bool>(), rest).prop_map(|(segment, begin, second, rest)| {
        let begins = [begin, Op::Answer(0, false), Op::Answer(0, second)];
        let steps = begins.into_iter().map(|op| (op, true)).chain(rest).collect();
        History { segment, steps }
    })
}

impl ChatSimulator {
    pub fn new(segment: usize, watched: bool) -> Self {
        let page = Page::new(CLIENT_TOOLS, |options| {
            options.rules.max_automatic = LIMIT;
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
            pending_yes_for: None,
            copied: false,
            count: 0,
        }
    }

    pub fn run(history: &History) -> Self {
        Self::run_with(history, true)
    }

    /// Without `watched` the transport is not the guard's.
    pub fn run_with(history: &History, watched: bool) -> Self {
        let mut simulator = Self::new(history.segment, watched);
        for (op, turns) in &history.steps {
            simulator.step(op, *turns);
        }
        simulator
    }

    pub fn step(&mut self, op: &Op, turns: bool) {
        if turns {
            self.page.tell(Fact::LeaseOver);
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
                    self.page.tell(Fact::Refused { call: None, approved: false });
                }
            }
            Op::WrongChat if self.bound => {
                let before = self.page.log.len();
                let effects = self.page.tell(Fact::Send { chat: CHAT.next(), person: true });
                let added = self.page.log.len() - before;
                let reported = effects.problems.contains(&(Problem::WrongChat, None));
                self.trace.push(Moment::Wrong { request: effects.request, added, reported });
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

    // ---- asking and sending ----

    fn ask(&mut self) -> Reason {
        let before = self.messages.clone();
        self.page.look_at_last(&self.messages, true);
        self.messages = self.page.repaired(&self.messages, Scope::Home);
        let told = self.page.guard.verdict();
        let reason = self.page.tell(Fact::Ask).reason.unwrap();
        let (after, truths, idle) = (self.messages.clone(), self.truths.clone(), self.idle);
        let statuses = self.statuses();
        self.trace.push(Moment::Asked { before, after, truths, told, reason, idle, statuses });
        self.idle.yes_in_turn |= reason.sends();
        reason
    }

    fn statuses(&self) -> Vec<(usize, Status)> {
        let calls = &self.page.guard.state().calls;
        self.page.rows().filter_map(|(part, call)| Some((tag(part), calls.get(call)?.status()))).collect()
    }

    /// What the SDK does when the messages have changed or a response has ended.
    fn settle(&mut self) {
        if self.flight.is_none() {
            let reason = self.ask();
            if std::mem::take(&mut self.drops) {
                self.pending_yes_for = self.last_call().filter(|_| reason.sends());
                self.ask(); // the application asks once more, and takes neither yes
            } else if reason.sends() {
                self.send(false, !matches!(reason, Reason::Retry | Reason::Resume));
            }
        }
    }

    fn send(&mut self, person: bool, automatic: bool) {
        let active = match self.messages.last() {
            Some(last) if last["role"] == "assistant" => last.clone(),
            _ => json!({ "id": self.fresh("a"), "role": "assistant", "parts": [] }),
        };
        let (request, wire) = if self.watched {
            self.page.sweep(&self.messages);
            let before = self.page.log.len();
            let (request, wire) = self.page.send(&self.messages, CHAT, person);
            let pending_yes_for = self.pending_yes_for.is_some() && self.pending_yes_for == self.last_call();
            if !person && !automatic && !pending_yes_for {
                let (home, truths) = (self.messages.clone(), self.truths.clone());
                let after = self.page.repaired(&self.messages, Scope::Home);
                let added = self.page.log.len() - before;
                self.trace.push(Moment::Continued { home, after, truths, refused: request.is_none(), added });
            }
            (request, wire)
        } else {
            self.page.sweep(&self.messages);
            (RequestId::MAX, self.messages.clone())
        };
        if request.is_none() {
            return;
        }
        // A backend that has refused a denial before a message of a person gets none any more.
        self.files |= person && self.truths.iter().any(|t| t.denied() && t.failed && !t.superseded);
        if person && self.files {
            self.truths.iter_mut().filter(|t| t.denied()).for_each(|t| t.settled = true);
        }
        let (home, truths) = (self.messages.clone(), self.truths.clone());
        let pending_yes_for = self.pending_yes_for.take();
        let automatic =
            automatic || (!person && pending_yes_for.is_some() && pending_yes_for == self.last_call());
        self.trace.push(Moment::Sent { home, wire: wire.clone(), truths, person, automatic });
        let last = self.messages.last().cloned();
        self.messages = self.page.repaired(&self.messages, Scope::Home);
        if let (false, Some(last), Some(place)) = (person, last, self.messages.last_mut()) {
            *place = last; // the running response would overwrite a repair of it
        }
        for part in wire.iter().flat_map(parts).filter(|part| is_tool(part)) {
            let Some(truth) = self.truths.get_mut(tag(part)) else { continue };
            if part["approval"]["approved"] == false && !truth.denied() {
                truth.answer = Some(false);
                truth.reason = None;
                truth.carried = None;
                truth.superseded = true;
                truth.void_denial = false;
                truth.settled = person; // it is closed by the message that stands behind it
            }
            truth.superseded |= part["errorText"] == "superseded";
            if truth.answer.is_some() && truth.carried.is_none() {
                truth.carried = Some(request);
            }
            if truth.answer == Some(true) && !truth.delivered {
                truth.flying = Some(request);
            }
            if truth.denied() && truth.failed {
                truth.carried = Some(request);
                truth.settled |= person;
            }
            truth.failed = false;
            truth.answer_new = false;
            truth.output_new = false;
            truth.output_changed = false;
            truth.sent_output = truth.page_output;
        }
        self.bound = true;
        self.idle.automatic = if automatic { self.idle.automatic + 1 } else { 0 };
        self.idle.stopped = false;
        self.idle.permit = false;
        self.idle.yes_in_turn = false;
        self.flight = Some(Flight { request, started: false, begun: false, active, wire });
    }

    fn retry(&mut self) {
        self.pending_yes_for = None; // a person sends now
        self.page.look_at_last(&self.messages, true);
        let permitted = self.page.tell(Fact::Permit(Permit::Retry)).permitted;
        match permitted {
            Some(Permitted::Continue) => self.send(false, false),
            Some(Permitted::Rewrite(_)) => {
                self.idle.permit = true;
                self.idle.automatic = 0;
                self.idle.stopped = false;
                self.settle();
            }
            _ => {}
        }
        self.page.tell(Fact::PermitOver);
        self.idle.permit = false;
    }

    // ---- the response ----

    /// What the guard's transport tells, where it is in use.
    fn report(&mut self, input: Fact) {
        if self.watched {
            self.page.tell(input);
        }
    }

    fn hear(&mut self, request: RequestId, chunk: &Value) {
        if self.watched {
            self.page.hear(request, chunk);
        }
    }

    fn start(&mut self) -> Option<RequestId> {
        let flight = self.flight.as_mut()?;
        if !std::mem::replace(&mut flight.started, true) {
            let request = flight.request;
            self.report(Fact::Started(request));
        }
        self.flight.as_ref().map(|flight| flight.request)
    }

    /// The SDK writes its copy of the message over the one in the chat.
    fn write(&mut self) {
        let Some(flight) = &self.flight else { return };
        match self.messages.last_mut() {
            Some(last) if last["id"] == flight.active["id"] => *last = flight.active.clone(),
            _ => self.messages.push(flight.active.clone()),
        }
    }

    fn push(&mut self, part: Value) {
        if let Some(parts) = self.flight.as_mut().and_then(|flight| flight.active["parts"].as_array_mut()) {
            parts.push(part);
        }
    }

    fn piece(&mut self, piece: &Piece) {
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

    /// A new call comes in.
    fn call(&mut self, request: RequestId, kind: Kind, id: &str) -> Value {
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

    /// The server acts on the answers that it was sent.
    fn serve(&mut self, request: RequestId) {
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

    fn finish(&mut self, end: End) {
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

    fn fail(&mut self, end: End) {
        let Some(Flight { request, started, .. }) = self.flight.take() else { return };
        self.over.push(request);
        self.report(end.input(request));
        let (End::Broken(failure) | End::Failed(failure)) = end else { return };
        let refused = match failure {
            Failure::NotAsked => true,
            Failure::Status(status) => status / 100 == 4 || status / 100 == 5,
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

    fn stop(&mut self) {
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

    // ---- the page ----

    /// Writes to the parts of the last message, in the chat and in the running response.
    fn update(&mut self, hit: impl Fn(&Value) -> bool, change: impl Fn(&mut Value)) {
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

    fn last_parts(&self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let last = self.messages.last().map_or(&[][..], parts);
        last.iter().filter(|part| is_tool(part) && wanted(part)).cloned().collect()
    }

    fn answer(&mut self, which: usize, yes: bool) {
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
            // A late click on a card that a replayed stream has brought back.
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

    fn garble(&mut self, which: usize) {
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

    fn output(&mut self, which: usize, value: u8, keep: bool, error: bool) {
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
    fn replay(&mut self, which: usize, other_input: bool) {
        let asked = self.last_parts(|part| {
            let again = self.last_parts(|other| other["toolCallId"] == part["toolCallId"]).len() > 1;
            let truth = self.truths.get(tag(part)).filter(|_| !again);
            truth.is_some_and(|t| t.question.is_some() && !t.server_output && !t.superseded)
        });
        let Some(old) = asked.get(which % asked.len().max(1)) else { return };
        let Some(truth) = self.truths.get_mut(tag(old)) else { return };
        let other_input = other_input && !self.copied && old["input"]["changed"].is_null();
        // What was sent stays sent.
        if other_input || (!truth.denied() && truth.page_output.is_some()) {
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
                fields.retain(|field, _| !super::RESIDUE.contains(&field.as_str()));
                part["state"] = "approval-requested".into();
                part["approval"] = question.clone();
                if other_input {
                    part["input"] = json!({ "changed": true });
                }
            },
        );
        self.settle();
    }

    /// The denial was of another input, so the call asks, and an output is no answer.
    fn rewrite(&mut self, which: usize) {
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

    /// Another list with the same tools and call ids in the same places: other calls, with other inputs.
    fn swap(&mut self, new_ids: bool, asks: bool) {
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
                // The model has gone on, so that nothing of it is news.
                message["parts"].as_array_mut().unwrap().push(json!({ "type": "text", "text": "done" }));
            }
        }
        self.messages = list;
        self.page.sweep(&self.messages); // as a border does that finds calls missing
        self.settle();
    }

    /// Another call in the place of one.
    fn replace(&mut self, part: &mut Value, moved: bool, asks: bool) {
        let Some(old) = self.truths.get(tag(part)).filter(|_| is_tool(part)) else { return };
        // What stays in its message, or was allowed, may have had its input changed where it stands.
        if old.answer == Some(true) || !(moved || old.denied()) {
            return;
        }
        let is_client = CLIENT_TOOLS.iter().any(|tool| part["type"] == format!("tool-{tool}"));
        let asking = match old.kind {
            // The tool stays the one that it was.
            Kind::Other if is_client => Kind::ClientAsks,
            Kind::Other | Kind::AutoDenied => Kind::Asks,
            kind => kind,
        };
        let mut truth = Truth::new(if asks { asking } else { Kind::Other });
        truth.replaces_denied = old.denied();
        let fields = part.as_object_mut().unwrap();
        fields.retain(|field, _| field != "approval" && !super::RESIDUE.contains(&field.as_str()));
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
