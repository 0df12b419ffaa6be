//! The exported class.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::wasm_bindgen;

use super::abi::StatusRow;
use super::clock::{self, UNREAD};
use crate::core::batch::Pace;
use crate::core::call::{PartFacts, PartFlags, Place};
use crate::core::clock::Now;
use crate::core::decision::Actor;
use crate::core::guard::{Effects, Fact, Failure, Guard, Options, Permitted, Problem, Said};
use crate::core::id::{CallId, StringId};
use crate::core::ledger::SEGMENT;
use crate::core::protocol::Chunk;
use crate::core::repair::{Repair, Scope};
use crate::core::verdict::{Permit, Reason, Rules, Step};

/// The approval guard of one chat. Calls are numbered from 1 on this side; 0 is none.
#[wasm_bindgen]
pub struct GuardCore {
    pub(super) guard: Rc<RefCell<Guard>>,
    published: Rc<Published>,
    lease: RefCell<Option<Timeout>>,
    /// What to call when time has done something, and the timer for it.
    pub(super) wake: RefCell<Option<js_sys::Function>>,
    pub(super) alarm: RefCell<Option<Timeout>>,
}

/// What the shell can read after a fact without another one.
#[derive(Default)]
pub(super) struct Published {
    /// What is to be reported: pairs of [`Problem`] and call.
    problems: RefCell<Vec<u32>>,
    status: Cell<StatusRow>,
}

impl Published {
    /// Publishes what a fact has led to.
    pub(super) fn publish(&self, guard: &Guard, effects: &Effects) {
        let pair = |&(problem, call): &(Problem, Option<CallId>)| [problem as u32, call.map_or(0, outward)];
        let mut problems = self.problems.borrow_mut();
        problems.extend(effects.problems.iter().flat_map(pair));
        let batch = guard.batch();
        self.status.set(StatusRow {
            facts: self.status.get().facts + 1.0,
            length: f64::from(guard.length()),
            sealed: f64::from(guard.sealed()),
            changes: f64::from(guard.changes()),
            revision: f64::from(guard.revision()),
            forgotten: f64::from(outward(guard.forgotten())),
            requests: f64::from(guard.state().requests),
            problems: problems.len() as f64,
            asking: f64::from(batch.asking),
            undoable: f64::from(u8::from(batch.undoable)),
            timed: f64::from(u8::from(guard.timed() || batch.due.is_some())),
            grants: guard.state().grants.len() as f64,
            watched: f64::from(u8::from(effects.call.is_some_and(|call| guard.watches(call)))),
        });
    }
}

fn digest(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

pub(super) fn outward(call: CallId) -> u32 {
    call.0 + 1
}

/// Ids as they cross.
pub(super) fn numbers(ids: Vec<StringId>) -> Vec<u32> {
    ids.into_iter().map(u32::from).collect()
}

pub(super) fn inward(call: u32) -> Option<CallId> {
    call.checked_sub(1).map(CallId)
}

/// Whole milliseconds; `None` for what does not end.
pub(super) fn duration(millis: f64) -> Option<u64> {
    millis.is_finite().then_some(millis as u64)
}

/// 0: nothing, 1: no, 2: yes.
pub(super) fn answer(approved: Option<bool>) -> u32 {
    approved.map_or(0, |yes| 1 + u32::from(yes))
}

#[wasm_bindgen]
impl GuardCore {
    /// `flags`: 1 answers send, 2 outputs send, 4 hold when all is denied, 8 deny when the user
    /// sends, 16 nobody is there to ask. `chat` is 0 to bind to the chat of the first request.
    /// `undo` and `undo_dangerous` are infinite to wait for a commit.
    #[wasm_bindgen(constructor)]
    pub fn new(
        flags: u32,
        max_automatic: u32,
        chat: u32,
        client_tools: Vec<u32>,
        undo: f64,
        undo_dangerous: f64,
        warn: f64,
    ) -> Self {
        let rules = Rules {
            send_on_approvals: flags & 1 != 0,
            send_on_outputs: flags & 2 != 0,
            hold_all_denied: flags & 4 != 0,
            max_automatic,
        };
        let pace = Pace {
            undo: duration(undo),
            undo_dangerous: duration(undo_dangerous),
            warn: duration(warn).unwrap_or_default(),
            attended: flags & 16 == 0,
        };
        let options = Options {
            rules,
            deny_when_user_sends: flags & 8 != 0,
            client_tools: client_tools.into_iter().map(StringId).collect(),
            chat: chat.into(),
            pace,
            segment: SEGMENT,
        };
        let guard = Guard::new(options);
        let published = Rc::<Published>::default();
        published.publish(&guard, &Effects::default());
        Self {
            guard: Rc::new(RefCell::new(guard)),
            published,
            lease: RefCell::default(),
            wake: RefCell::default(),
            alarm: RefCell::default(),
        }
    }

    pub(super) fn take(&self, input: Fact) -> Effects {
        self.take_at(input, clock::now())
    }

    /// Takes what appends no entry, so that it needs no clock.
    pub(super) fn mind(&self, input: Fact) {
        self.take_at(input, UNREAD);
    }

    fn take_at(&self, input: Fact, now: Now) -> Effects {
        let mut guard = self.guard.borrow_mut();
        let effects = guard.handle(input, now);
        self.published.publish(&guard, &effects);
        effects
    }

    /// A look at a tool part; see [`Fact::Part`]. Answers the call, or 0 where what is known of it stays.
    #[allow(clippy::too_many_arguments)] // numbers are what crosses at no cost
    pub fn see(
        &self,
        known: u32,
        current: bool,
        message: u32,
        index: u32,
        turn: u32,
        step: u32,
        occurrence: u32,
        tool: u32,
        id: u32,
        approval: u32,
        flags: u32,
        input_low: u32,
        input_high: u32,
        output_low: u32,
        output_high: u32,
    ) -> u32 {
        let part = PartFacts {
            place: Place { message: message.into(), index, turn, step, occurrence },
            tool: tool.into(),
            id: id.into(),
            approval: approval.into(),
            flags: PartFlags::from_code(flags),
            input: digest(input_low, input_high),
            output: digest(output_low, output_high),
        };
        self.take(Fact::Part { known: inward(known), part, current }).call.map_or(0, outward)
    }

    /// The message of a call is not where it was.
    pub fn adrift(&self, call: u32) {
        if let Some(call) = inward(call) {
            self.mind(Fact::Missing(call));
        }
    }

    /// It also stands elsewhere, unchanged.
    pub fn found(&self, call: u32) {
        if let Some(call) = inward(call) {
            self.mind(Fact::Relocated(call));
        }
    }

    /// The whole list was looked at. `by` is the [`Actor`] because of which something may be gone.
    pub fn swept(&self, by: u32) {
        self.take(Fact::ScanComplete(Actor::from_code(by as usize).unwrap_or(Actor::Application)));
    }

    /// The last step: pairs of call and facts.
    pub fn step(&self, assistant: bool, text: bool, rows: &[u32]) {
        let row = |pair: &[u32]| match *pair {
            [call, flags] => Some((inward(call)?, PartFlags::from_code(flags))),
            _ => None,
        };
        let rows = rows.chunks_exact(2).filter_map(row).collect();
        self.take(Fact::Step(Step { assistant, text, rows }));
    }

    /// Until `false`, what is seen is history.
    pub fn hydrate(&self, on: bool) {
        self.mind(Fact::Hydrate(on));
    }

    /// May the chat submit now? Answers a [`Reason`].
    pub fn ask(&self) -> u32 {
        let mut guard = self.guard.borrow_mut();
        // Only what time has done is appended with a question.
        let now = if guard.timed() { clock::now() } else { UNREAD };
        let effects = guard.handle(Fact::Ask, now);
        self.published.publish(&guard, &effects);
        drop(guard);
        let reason = effects.reason.unwrap_or(Reason::NothingNew);
        if reason.sends() {
            let wake = self.wake.borrow().clone();
            self.lease.replace(Some(clock::end_lease(&self.guard, &self.published, wake)));
        }
        reason as u32
    }

    /// The [`Reason`] why the chat may, or may not, submit, without asking for it.
    pub fn reason(&self) -> u32 {
        self.guard.borrow().verdict() as u32
    }

    /// The open calls of the last step: pairs of call and [`Need`].
    pub fn waiting(&self) -> Vec<u32> {
        let open = self.guard.borrow().waiting();
        open.into_iter().flat_map(|(call, need)| [outward(call), need as u32]).collect()
    }

    /// The repair that a part needs: a [`Repair`], plus 16 times the [`Cause`] from 1 on, where no
    /// person denied the call.
    pub fn repair(&self, call: u32, flags: u32, approval: u32, home: bool) -> u32 {
        let Some(call) = inward(call) else { return Repair::Keep as u32 };
        let guard = self.guard.borrow();
        let scope = if home { Scope::Home } else { Scope::Wire };
        let (repair, cause) = guard.repair(call, PartFlags::from_code(flags), approval.into(), scope);
        repair as u32 + cause.map_or(0, |cause| 16 * (1 + cause as u32))
    }

    /// Whether a part of this call can ever need a repair.
    pub fn watches(&self, call: u32) -> bool {
        inward(call).is_some_and(|call| self.guard.borrow().watches(call))
    }

    /// Whether this is the chat of the guard, as far as it is known.
    pub fn is_chat(&self, chat: u32) -> bool {
        self.guard.borrow().is_chat(chat.into())
    }

    /// The transport is asked, and what it is to send waits for its turn.
    pub fn leaving(&self) {
        self.mind(Fact::Leaving);
    }

    /// The transport is asked. Answers the number of the request; 0 when it is refused.
    pub fn send(&self, chat: u32, person: bool) -> u32 {
        self.take(Fact::Send { chat: chat.into(), person }).request.into()
    }

    /// The response has started.
    pub fn started(&self, request: u32) {
        self.take(Fact::Started(request.into()));
    }

    /// It has ended.
    pub fn ended(&self, request: u32) {
        self.take(Fact::Ended(request.into()));
    }

    /// The request, or its response, broke. `asked`: the transport was asked for it; `status`: what its error
    /// carries, or NaN.
    pub fn failed(&self, request: u32, asked: bool, status: f64) {
        let failure = match (asked, status as u32) {
            (false, _) => Failure::NotAsked,
            (true, whole) if f64::from(whole) == status => Failure::Status(whole),
            _ => Failure::Unknown,
        };
        self.take(Fact::Failed { request: request.into(), failure });
    }

    /// A chunk about one call; see [`Fact::Chunk`]. `approved` is 0 for nothing, 1 no, 2 yes.
    #[allow(clippy::too_many_arguments)] // as above
    pub fn chunk(
        &self,
        request: u32,
        kind: u32,
        id: u32,
        approval: u32,
        approved: u32,
        output_low: u32,
        output_high: u32,
        preliminary: bool,
    ) {
        let Some(kind) = Chunk::from_code(kind as usize) else { return };
        let approved = match approved {
            1 => Some(false),
            2 => Some(true),
            _ => None,
        };
        let said = Said {
            approval: approval.into(),
            approved,
            output: digest(output_low, output_high),
            preliminary,
        };
        self.take(Fact::Chunk { request: request.into(), kind, id: id.into(), said });
    }

    /// A person has answered through the chat. Answers the call.
    pub fn decided(&self, approval: u32, approved: bool) -> u32 {
        let effects = self.take(Fact::Decided { approval: approval.into(), approved });
        effects.call.filter(|_| effects.problems.is_empty()).map_or(0, outward)
    }

    /// The user stopped the chat.
    pub fn stopped(&self) {
        self.take(Fact::Stopped);
    }

    /// A person asks to send again; 0 nothing, 1 waiting, 2 continue, 3 + call: write its output.
    pub fn permit(&self, permit: u32) -> u32 {
        let Some(permit) = Permit::from_code(permit as usize) else { return 0 };
        match self.take(Fact::Permit(permit)).permitted {
            None | Some(Permitted::Nothing) => 0,
            Some(Permitted::Waiting) => 1,
            Some(Permitted::Continue) => 2,
            Some(Permitted::Rewrite(call)) => 3 + call.0,
        }
    }

    /// That did not lead to a request.
    pub fn permit_over(&self) {
        self.mind(Fact::PermitOver);
    }

    /// The problems since the last time: pairs of [`Problem`] and call.
    pub fn problems(&self) -> Vec<u32> {
        let status = &self.published.status;
        status.set(StatusRow { problems: 0.0, ..status.get() });
        self.published.problems.take()
    }

    /// The address of the status block: a [`StatusRow`].
    pub fn status(&self) -> *const f64 {
        self.published.status.as_ptr().cast()
    }
}
