//! The exported class.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::wasm_bindgen;

use super::clock::{self, UNREAD};
use crate::core::batch::{LOOP, Pace, Phase};
use crate::core::call::{Answer, CallRef, Facts, Place, Sighting, Status};
use crate::core::decision::{Actor, Choice, Outcome, Refusal};
use crate::core::grants::{Cover, Grant};
use crate::core::guard::{Covers, Effects, Guard, Input, Options, Permitted, Problem, Said, Taken};
use crate::core::ledger::EventType;
use crate::core::protocol::{Chunk, PartType, Role, ToolState};
use crate::core::verdict::{Need, Permit, Reason, Rules, Step};
use crate::core::wire::{Cause, Repair, Scope};

/// The approval guard of one chat. Calls are numbered from 1 on this side; 0 is none.
#[wasm_bindgen]
pub struct GuardCore {
    guard: Rc<RefCell<Guard>>,
    problems: RefCell<Vec<u32>>,
    lease: RefCell<Option<Timeout>>,
    /// What to call when time has done something, and the timer for it.
    wake: RefCell<Option<js_sys::Function>>,
    alarm: RefCell<Option<Timeout>>,
}

fn digest(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn outward(call: CallRef) -> u32 {
    call + 1
}

fn inward(call: u32) -> Option<CallRef> {
    call.checked_sub(1)
}

/// Whole milliseconds; `None` for what does not end.
fn duration(millis: f64) -> Option<u64> {
    millis.is_finite().then_some(millis as u64)
}

/// 0: nothing, 1: no, 2: yes.
fn answer(approved: Option<bool>) -> u32 {
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
        let options = Options { rules, deny_when_user_sends: flags & 8 != 0, client_tools, chat, pace };
        Self {
            guard: Rc::new(RefCell::new(Guard::new(options))),
            problems: RefCell::default(),
            lease: RefCell::default(),
            wake: RefCell::default(),
            alarm: RefCell::default(),
        }
    }

    /// The names behind the codes: a line per vocabulary, in the order that `walk.js` expects.
    pub fn names() -> String {
        [
            ToolState::NAMES,
            PartType::NAMES,
            Role::NAMES,
            Chunk::NAMES,
            Answer::NAMES,
            Repair::NAMES,
            Scope::NAMES,
            Reason::NAMES,
            Need::NAMES,
            Status::NAMES,
            Actor::NAMES,
            EventType::NAMES,
            Problem::NAMES,
            Permit::NAMES,
            Choice::NAMES,
            Outcome::NAMES,
            Phase::NAMES,
            Refusal::NAMES,
            Cause::NAMES,
        ]
        .map(|names| names.join(" "))
        .join("\n")
    }

    fn take(&self, input: Input) -> Effects {
        let effects = self.guard.borrow_mut().handle(input, clock::now());
        for &(problem, call) in &effects.problems {
            let call = call.map_or(0, outward);
            self.problems.borrow_mut().extend([problem as u32, call]);
        }
        effects
    }

    /// A look at a tool part; see [`Input::See`]. Answers the call.
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
        facts: u32,
        input_low: u32,
        input_high: u32,
        output_low: u32,
        output_high: u32,
    ) -> u32 {
        let sighting = Sighting {
            place: Place { message, index, turn, step, occurrence },
            tool,
            id,
            approval,
            facts: Facts::from_code(facts),
            input: digest(input_low, input_high),
            output: digest(output_low, output_high),
        };
        outward(self.take(Input::See { known: inward(known), sighting, current }).call)
    }

    /// The message of a call is not where it was.
    pub fn adrift(&self, call: u32) {
        if let Some(call) = inward(call) {
            self.take(Input::Adrift(call));
        }
    }

    /// It also stands elsewhere, unchanged.
    pub fn found(&self, call: u32) {
        if let Some(call) = inward(call) {
            self.take(Input::Found(call));
        }
    }

    /// The whole list was looked at. `by` is the [`Actor`] because of which something may be gone.
    pub fn swept(&self, by: u32) {
        self.take(Input::Swept(Actor::from_code(by as usize).unwrap_or(Actor::Application)));
    }

    /// The last step: pairs of call and facts.
    pub fn step(&self, assistant: bool, text: bool, rows: &[u32]) {
        let row = |pair: &[u32]| match *pair {
            [call, facts] => Some((inward(call)?, Facts::from_code(facts))),
            _ => None,
        };
        let rows = rows.chunks_exact(2).filter_map(row).collect();
        self.take(Input::Step(Step { assistant, text, rows }));
    }

    /// Until `false`, what is seen is history.
    pub fn hydrate(&self, on: bool) {
        self.take(Input::Hydrate(on));
    }

    /// May the chat submit now? Answers a [`Reason`].
    pub fn ask(&self) -> u32 {
        let mut guard = self.guard.borrow_mut();
        let now = if guard.timed() { clock::now() } else { UNREAD };
        let reason = guard.handle(Input::Ask, now).reason.unwrap_or(Reason::NothingNew);
        drop(guard);
        if reason.sends() {
            self.lease.replace(Some(clock::end_lease(&self.guard)));
        }
        reason as u32
    }

    /// Why the chat may (not) submit, without asking for it; `now`: also whether it was just asked.
    pub fn reason(&self, now: bool) -> u32 {
        let guard = self.guard.borrow();
        (if now { guard.verdict() } else { guard.reason() }) as u32
    }

    /// The open calls of the last step: pairs of call and [`Need`].
    pub fn waiting(&self) -> Vec<u32> {
        let open = self.guard.borrow().waiting();
        open.into_iter().flat_map(|(call, need)| [outward(call), need as u32]).collect()
    }

    /// The repair that a part needs: a [`Repair`], plus 16 times the [`Cause`] from 1 on, where no
    /// person denied the call.
    pub fn repair(&self, call: u32, facts: u32, approval: u32, home: bool) -> u32 {
        let Some(call) = inward(call) else { return Repair::Keep as u32 };
        let guard = self.guard.borrow();
        let scope = if home { Scope::Home } else { Scope::Wire };
        let (repair, cause) = guard.repair(call, Facts::from_code(facts), approval, scope);
        repair as u32 + cause.map_or(0, |cause| 16 * (1 + cause as u32))
    }

    /// Changes when a repair can have changed.
    pub fn revision(&self) -> u32 {
        self.guard.borrow().revision()
    }

    /// Can a part of this call ever need a repair?
    pub fn watches(&self, call: u32) -> bool {
        inward(call).is_some_and(|call| self.guard.borrow().watches(call))
    }

    /// Is this the chat of the guard, as far as it is known?
    pub fn is_chat(&self, chat: u32) -> bool {
        self.guard.borrow().is_chat(chat)
    }

    /// The transport is asked. Answers the number of the request; 0 when it is refused.
    pub fn send(&self, chat: u32, person: bool) -> u32 {
        self.take(Input::Send { chat, person }).request
    }

    /// The number of requests so far.
    pub fn requests(&self) -> u32 {
        self.guard.borrow().state().requests
    }

    /// The response has started.
    pub fn started(&self, request: u32) {
        self.take(Input::Started(request));
    }

    /// It has ended.
    pub fn ended(&self, request: u32) {
        self.take(Input::Ended(request));
    }

    /// The request, or its response, broke.
    pub fn failed(&self, request: u32, doubt: bool) {
        self.take(Input::Failed { request, doubt });
    }

    /// A chunk about one call; see [`Input::Chunk`]. `approved` is 0 for nothing, 1 no, 2 yes.
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
        let said = Said { approval, approved, output: digest(output_low, output_high), preliminary };
        self.take(Input::Chunk { request, kind, id, said });
    }

    /// A person has answered through the chat. Answers the call.
    pub fn decided(&self, approval: u32, approved: bool) -> u32 {
        let effects = self.take(Input::Decided { approval, approved });
        if effects.problems.is_empty() { outward(effects.call) } else { 0 }
    }

    /// The user stopped the chat.
    pub fn stopped(&self) {
        self.take(Input::Stopped);
    }

    /// A person asks to send again; 0 nothing, 1 waiting, 2 continue, 3 + call: write its output.
    pub fn permit(&self, permit: u32) -> u32 {
        let Some(permit) = Permit::from_code(permit as usize) else { return 0 };
        match self.take(Input::Permit(permit)).permitted {
            None | Some(Permitted::Nothing) => 0,
            Some(Permitted::Waiting) => 1,
            Some(Permitted::Continue) => 2,
            Some(Permitted::Rewrite(call)) => 3 + call,
        }
    }

    /// That did not lead to a request.
    pub fn permit_over(&self) {
        self.take(Input::PermitOver);
    }

    /// Is there a problem to report?
    pub fn has_problems(&self) -> bool {
        !self.problems.borrow().is_empty()
    }

    /// The problems since the last time: pairs of [`Problem`] and call.
    pub fn problems(&self) -> Vec<u32> {
        self.problems.take()
    }

    /// Counts what can be shown.
    pub fn changes(&self) -> u32 {
        self.guard.borrow().changes()
    }

    /// The number of ledger entries.
    pub fn length(&self) -> u32 {
        self.guard.borrow().entries().len() as u32
    }

    /// The ledger from an entry on: per entry its time, event, call, answer, actor, request and
    /// grant.
    pub fn entries(&self, from: u32) -> Vec<f64> {
        let guard = self.guard.borrow();
        let entries = guard.entries().get(from as usize..).unwrap_or_default();
        let row = |entry: &crate::core::ledger::Entry| {
            let event = entry.event;
            [
                entry.at,
                f64::from(event.kind() as u8),
                f64::from(event.call().map_or(0, outward)),
                f64::from(answer(event.approved())),
                f64::from(event.actor().map_or(0, |actor| 1 + actor as u32)),
                f64::from(event.request().unwrap_or_default()),
                f64::from(event.grant()),
            ]
        };
        entries.iter().flat_map(row).collect()
    }

    // ---- deciding ----------------------------------------------------------------------------

    /// What the application says of a call that asks. An infinite `lifetime` does not end.
    pub fn mark(&self, call: u32, dangerous: bool, lifetime: f64) {
        if let Some(call) = inward(call) {
            self.take(Input::Mark { call, dangerous, lifetime: duration(lifetime) });
        }
    }

    /// The canonical text of some fields of the input of a call, or for 0 of all of it; nothing where
    /// it has none.
    pub fn print(&self, call: u32, fields: u32, text: Option<String>) {
        let Some(call) = inward(call) else { return };
        let print = text.map_or(0, |text| self.guard.borrow_mut().print_of(text.as_bytes()));
        self.take(Input::Print { call, fields, print });
    }

    /// The fields whose fingerprints are needed to find the grants that cover a call.
    pub fn wanted(&self, call: u32) -> Vec<u32> {
        inward(call).map_or_else(Vec::new, |call| self.guard.borrow().wanted(call))
    }

    /// Answers a call that asks if nobody has to be asked.
    pub fn answer_by_itself(&self, call: u32) {
        if let Some(call) = inward(call) {
            self.take(Input::Match(call));
        }
    }

    /// A person decides. `fields` is what a choice that lasts covers: -1 the tool, 0 the input, or
    /// the fields. Answers what became of it, the grant, and the calls that were answered too.
    pub fn decide(&self, call: u32, choice: u32, fields: i32, lifetime: f64) -> Vec<u32> {
        let (Some(call), Some(choice)) = (inward(call), Choice::from_code(choice as usize)) else {
            return Vec::new();
        };
        let lifetime = duration(lifetime);
        taken(&self.take(Input::Decide { call, choice, covers: covers(fields), lifetime }))
    }

    /// The shell has refused a decision, or an undo, about a call or none.
    pub fn refused(&self, call: u32, approved: bool) {
        self.take(Input::Refused { call: inward(call), approved });
    }

    /// A person takes a draft back; for 0 all of them.
    pub fn undo(&self, call: u32) -> Vec<u32> {
        taken(&self.take(inward(call).map_or(Input::UndoAll, Input::Undo)))
    }

    /// The drafts are to be written; see [`Input::Commit`].
    pub fn commit(&self, due: bool, attached: bool) -> Vec<u32> {
        taken(&self.take(Input::Commit { due, attached }))
    }

    /// A person wants more time for a call.
    pub fn extend(&self, call: u32) -> Vec<u32> {
        inward(call).map_or_else(Vec::new, |call| taken(&self.take(Input::Extend(call))))
    }

    /// A person ends a grant; for 0 all of them.
    pub fn revoke(&self, grant: u32) -> Vec<u32> {
        taken(&self.take(if grant == 0 { Input::RevokeAll } else { Input::Revoke(grant) }))
    }

    /// The waiting calls that a choice about a call would answer.
    pub fn covered(&self, call: u32, fields: i32) -> Vec<u32> {
        let covered = |call| self.guard.borrow().covered(call, covers(fields));
        inward(call).map_or_else(Vec::new, covered).into_iter().map(outward).collect()
    }

    /// Time has passed.
    pub fn wake(&self) {
        self.take(Input::Wake);
    }

    /// Calls this when time has done something.
    pub fn on_wake(&self, wake: js_sys::Function) {
        self.wake.replace(Some(wake));
    }

    /// Sets the timer for what comes next.
    pub fn set_alarm(&self) {
        let next = self.guard.borrow().wake_in();
        let alarm = next.and_then(|time| Some(clock::wake_in(time, self.wake.borrow().as_ref()?)));
        self.alarm.replace(alarm);
    }

    /// The guard ends: drafts are taken back.
    pub fn leave(&self) {
        self.take(Input::Leave);
    }

    /// The batch: phase, calls, asking, allowed, denied, refusals, flags (1 undoable, 2 input locked,
    /// 4 looping), when it is committed (or NaN), and its calls.
    pub fn batch(&self) -> Vec<f64> {
        let guard = self.guard.borrow();
        let batch = guard.batch();
        let locked = guard.locks_input();
        let looping = batch.refusals >= LOOP;
        let flags = u32::from(batch.undoable) | u32::from(locked) << 1 | u32::from(looping) << 2;
        let mut numbers = vec![
            f64::from(batch.phase as u8),
            f64::from(batch.asking),
            f64::from(batch.allowed),
            f64::from(batch.denied),
            f64::from(batch.refusals),
            f64::from(flags),
            batch.due.map_or(f64::NAN, |due| guard.clock().wall(due)),
        ];
        numbers.extend(batch.calls.iter().map(|&call| f64::from(outward(call))));
        numbers
    }

    /// The grants that have not ended: number, 1 for allowing, call, fields (-1 the tool), status
    /// (0 draft, 1 provisional, 2 active), when it was given, when it ends (or NaN), uses, and the
    /// last of them (or NaN).
    pub fn grants(&self) -> Vec<f64> {
        let guard = self.guard.borrow();
        let live = (1..).zip(&guard.state().grants).filter(|(_, grant)| !grant.ended);
        live.flat_map(|(number, grant)| grant_row(&guard, number, grant)).collect()
    }

    /// One grant, ended or not.
    pub fn grant(&self, number: u32) -> Vec<f64> {
        let guard = self.guard.borrow();
        let grant = guard.state().grant(number);
        grant.map_or_else(Vec::new, |grant| grant_row(&guard, number, grant).to_vec())
    }

    /// Is a call allowed?
    pub fn allows(&self, call: u32) -> bool {
        let guard = self.guard.borrow();
        inward(call)
            .and_then(|call| guard.state().calls.get(call as usize))
            .is_some_and(|call| call.allowed())
    }

    /// The fingerprint of the input of a call; 0 where it is not known.
    pub fn print_of(&self, call: u32) -> u32 {
        inward(call).map_or(0, |call| self.guard.borrow().print(call))
    }

    /// The names of a call: tool, call id, approval id.
    pub fn names_of(&self, call: u32) -> Vec<u32> {
        let guard = self.guard.borrow();
        let call = inward(call).and_then(|call| guard.state().calls.get(call as usize));
        call.map_or_else(Vec::new, |call| vec![call.tool, call.id, call.approval])
    }

    /// Every call that has changed since the ledger had so many entries: call, tool, call id,
    /// approval id, message, status, answer, actor, grant, outcome, refusals, flags (1 undoable,
    /// 2 expiring, 4 dangerous, 8 waits for a decision), and deadline (or NaN).
    pub fn calls(&self, since: u32) -> Vec<f64> {
        let guard = self.guard.borrow();
        let changed = |id: &CallRef| guard.touched_since(*id, since);
        let count = guard.state().calls.len() as CallRef;
        (0..count).filter(changed).flat_map(|id| row(&guard, id)).collect()
    }
}

fn covers(fields: i32) -> Covers {
    u32::try_from(fields).map_or(Covers::Tool, Covers::Fields)
}

/// What became of it (0 done, 1 counted, 2 waiting, 3 responding, 4 nothing, from 8 on a refusal),
/// the grant, and the calls.
fn taken(effects: &Effects) -> Vec<u32> {
    let code = match effects.taken {
        Taken::Done => 0,
        Taken::Counted => 1,
        Taken::Waiting => 2,
        Taken::Responding => 3,
        Taken::Nothing => 4,
        Taken::Refused(refusal) => 8 + refusal as u32,
    };
    let mut numbers = vec![code, effects.grant];
    numbers.extend(effects.calls.iter().map(|&call| outward(call)));
    numbers
}

fn grant_row(guard: &Guard, number: u32, grant: &Grant) -> [f64; 9] {
    let wall = |time: Option<u64>| time.map_or(f64::NAN, |time| guard.clock().wall(time));
    let fields = match grant.cover {
        Cover::Tool => -1.0,
        Cover::Fields(fields, _) => f64::from(fields),
    };
    [
        f64::from(number),
        f64::from(u8::from(grant.approved)),
        f64::from(outward(grant.call)),
        fields,
        f64::from(u8::from(grant.committed) + u8::from(grant.active())),
        wall(Some(grant.at)),
        wall(grant.until),
        f64::from(grant.uses),
        wall(grant.last_use),
    ]
}

fn row(guard: &Guard, id: CallRef) -> [f64; 13] {
    let Some(call) = guard.state().calls.get(id as usize) else { return [0.0; 13] };
    let given = call.answer();
    let undoable = call.draft.is_some_and(|draft| draft.undoable());
    let expiring = call.warned && call.asking();
    let flags = u32::from(undoable)
        | u32::from(expiring) << 1
        | u32::from(call.dangerous) << 2
        | u32::from(call.undecided()) << 3;
    let deadline = call.deadline.filter(|_| call.asking());
    [
        f64::from(outward(id)),
        f64::from(call.tool),
        f64::from(call.id),
        f64::from(call.approval),
        f64::from(guard.place(id).unwrap_or_default().message),
        f64::from(call.status() as u8),
        f64::from(answer(given.map(|given| given.approved))),
        f64::from(given.map_or(0, |given| 1 + given.actor as u32)),
        f64::from(given.map_or(0, |given| given.grant)),
        f64::from(given.map_or(0, |given| 1 + given.outcome() as u32)),
        f64::from(guard.state().refusals(call)),
        f64::from(flags),
        deadline.map_or(f64::NAN, |deadline| guard.clock().wall(deadline)),
    ]
}
