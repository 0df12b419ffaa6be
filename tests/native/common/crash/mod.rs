//! A chat whose pages are killed. Everything happens in effects, one after the other, and a page may end
//! between any two of them. Then only the last saved text of the record is left, and a list of messages that
//! was stored, perhaps not the newest one. Hidden tags say which call a part shows, so that the truth about
//! each call is known.

mod answers;
mod chat;
pub mod histories;
mod pages;
mod requests;

use serde_json::Value;
use tool_approval_guard::core::call::{Call, Status};
use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::id::{RequestId, StringId};

use crate::common::store::Store;
use crate::common::{Page, is_tool};
use histories::{History, Script};

const CHAT: StringId = StringId(1_000);
const LIFETIME: Time = 3_000;
/// A page with more effects than this counts as hanging.
const MOST: usize = 600;

/// The truth about one call.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    approval: String,
    id: String,
    tool: String,
    input: Value,
    /// Whether the last list shows it with another input, or without its approval beside another such call.
    other: bool,
    /// Whether it had another input before, so that its time may start anew.
    renewed: bool,
    /// When it was last allowed, and when that was last taken back, counted in acts.
    allowed: u32,
    taken: u32,
    taken_saved: u32,
    /// What was drafted, what was answered, and what of this was saved.
    draft: Option<bool>,
    saved_draft: Option<bool>,
    answer: Option<bool>,
    saved_answer: Option<bool>,
    /// The saved deadline.
    deadline: Option<f64>,
    /// Whether the server has acted on its answer, or a message of a person follows it.
    served: bool,
    /// Whether a request with its allowance has left.
    sent: bool,
    /// How many requests carried its allowance, and how often the server ran it.
    carried: u32,
    runs: u32,
    /// The act of a person that led to the last run.
    run_by: u32,
}

/// The page was killed.
pub struct Killed;
type Step<T = ()> = Result<T, Killed>;

struct Chunk {
    told: Value,
    change: Change,
}

enum Change {
    Push(Value),
    Part(usize, Value),
}

pub struct CrashSimulator<'a> {
    history: &'a History,
    script: &'a Script,
    page: Page,
    messages: Vec<Value>,
    truths: Vec<Truth>,
    /// The lists that were stored, the newest last.
    store: Vec<Vec<Value>>,
    /// The list that the server stores when it is done, even if nobody listens.
    unfinished: Option<Vec<Value>>,
    /// The document of the record, and what it is after a transaction that has not ended.
    disk: Store,
    landing: Option<(Store, Vec<Truth>)>,
    dirty: bool,
    fuel: usize,
    session: u64,
    plan: usize,
    count: u32,
    acts: u32,
    /// The number of acts in this page that may lead to a commit or a send.
    acted: u32,
    /// Whether the passing of time has denied something in this page.
    expired: bool,
    /// The number of acts that send again.
    again: u32,
    permit: bool,
    running: Option<RequestId>,
    pub kills: u32,
    pub sends: u32,
    pub wrong: Option<String>,
}

fn asks(part: &Value) -> bool {
    is_tool(part) && part["state"] == "approval-requested"
}

fn decided(call: &Call) -> bool {
    !matches!(call.status(), Status::Open | Status::Asking | Status::Drafted)
}

impl<'a> CrashSimulator<'a> {
    /// Runs a history until something is wrong.
    pub fn run(history: &'a History) -> Self {
        let script = &history.pages[0];
        let mut simulator = Self {
            history,
            script,
            page: Page::new(&[], |_| {}),
            messages: Vec::new(),
            truths: Vec::new(),
            store: vec![Vec::new()],
            unfinished: None,
            disk: Store::default(),
            landing: None,
            dirty: false,
            fuel: 0,
            session: 0,
            plan: 0,
            count: 0,
            acts: 0,
            acted: 0,
            expired: false,
            again: 0,
            permit: false,
            running: None,
            kills: 0,
            sends: 0,
            wrong: None,
        };
        simulator.page.now = 1_000_000.0;
        for script in &history.pages {
            simulator.script = script;
            simulator.fuel = script.fuel;
            if simulator.live().is_err() {
                simulator.kills += 1;
            }
            simulator.holds(
                crate::common::fold(simulator.page.guard.entries()) == *simulator.page.guard.state(),
                "it folds to another state",
            );
            if simulator.wrong.is_some() {
                break;
            }
            simulator.die();
        }
        simulator
    }

    fn holds(&mut self, right: bool, what: impl Into<String>) {
        if !right && self.wrong.is_none() {
            self.wrong = Some(format!("page {}: {}", self.session, what.into()));
        }
    }

    /// Counts an effect; the page may be killed before it.
    fn effect(&mut self) -> Step {
        self.fuel = self.fuel.checked_sub(1).ok_or(Killed)?;
        Ok(())
    }

    fn die(&mut self) {
        self.landing = None;
        self.dirty = false;
        self.running = None;
        self.permit = false;
        if let Some(list) = self.unfinished.take() {
            self.store.push(list);
        }
        for truth in &mut self.truths {
            truth.taken = truth.taken_saved;
            truth.draft = truth.saved_draft;
            truth.answer = truth.saved_answer;
        }
    }

    fn live(&mut self) -> Step {
        self.open()?;
        for op in self.script.ops.iter().cycle().take(MOST) {
            if self.wrong.is_some() {
                return Ok(());
            }
            self.turn()?;
            self.take(op)?;
        }
        Ok(())
    }
}
