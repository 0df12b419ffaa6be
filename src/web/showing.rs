//! What is shown: the ledger, the calls, the batch and the grants, as rows of numbers.

use wasm_bindgen::prelude::wasm_bindgen;

use super::guard::{GuardCore, answer, inward, outward};
use crate::core::batch::LOOP;

use crate::core::grant::{Cover, Grant};
use crate::core::guard::Guard;
use crate::core::id::CallId;
use crate::core::ledger::{Entry, Event};

#[wasm_bindgen]
impl GuardCore {
    /// The ledger from an entry on, as far as it is not sealed: per entry its time, event, call, answer, actor, request, grant,
    /// rule, time by the guard's own clock, outcome, how long its call had waited (or NaN), when what it
    /// says ends (or NaN), and flags (1 in doubt, 2 not in doubt, 4 an automatic request).
    pub fn entries(&self, from: u32) -> Vec<f64> {
        let guard = self.guard.borrow();
        let entries = guard.entries().get(from.saturating_sub(guard.sealed()) as usize..).unwrap_or_default();
        let row = |entry: &Entry| {
            let event = entry.event;
            let flags = match event {
                Event::Requested { automatic, .. } => u32::from(automatic) << 2,
                _ => event.doubt().map_or(0, |doubt| if doubt { 1 } else { 2 }),
            };
            let ends = event.deadline().map(|time| guard.clock().wall(time));
            [
                entry.at,
                f64::from(event.kind() as u8),
                f64::from(event.call().map_or(0, outward)),
                f64::from(answer(event.approved())),
                f64::from(1 + event.actor() as u32),
                f64::from(event.request().unwrap_or_default()),
                f64::from(event.grant()),
                f64::from(event.rule()),
                entry.time as f64,
                f64::from(event.outcome().map_or(0, |outcome| 1 + outcome as u32)),
                entry.waited.map_or(f64::NAN, |waited| waited as f64),
                ends.unwrap_or(f64::NAN),
                f64::from(flags),
            ]
        };
        entries.iter().flat_map(row).collect()
    }

    /// The batch: phase, calls, asking, allowed, denied, refusals, flags (1 undoable, 2 input locked,
    /// 4 looping), when it is committed (or NaN), and its calls.
    pub fn batch(&self) -> Vec<f64> {
        let guard = self.guard.borrow();
        let batch = guard.batch();
        let locked = guard.locks_input();
        let looping = batch.refusals >= LOOP;
        let stopped = guard.state().stopped;
        let flags = [batch.undoable, locked, looping, stopped];
        let flags = (0..).zip(flags).map(|(bit, flag)| u32::from(flag) << bit).sum::<u32>();
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

    /// Calls below this one are forgotten.
    pub fn forgotten(&self) -> u32 {
        outward(self.guard.borrow().forgotten())
    }

    /// The strings that something is still known by.
    pub fn symbols(&self) -> Vec<u32> {
        self.guard.borrow().symbols()
    }

    /// The calls that wait for a decision, oldest first.
    pub fn pending(&self) -> Vec<u32> {
        self.guard.borrow().state().pending.iter().map(|&call| outward(call)).collect()
    }

    /// The grants that have not ended: number, 1 for allowing, call, fields (-1 the tool), status
    /// (0 draft, 1 provisional, 2 active), when it was given, when it ends (or NaN), uses, the last of
    /// them (or NaN), and the tool. The call of a grant of an earlier page is 0.
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
        inward(call).and_then(|call| guard.state().calls.get(call)).is_some_and(|call| call.allowed())
    }

    /// The fingerprint of the input of a call; 0 where it is not known.
    pub fn print_of(&self, call: u32) -> u32 {
        inward(call).map_or(0, |call| self.guard.borrow().print(call))
    }

    /// The names of a call: tool, call id, approval id.
    pub fn names_of(&self, call: u32) -> Vec<u32> {
        let guard = self.guard.borrow();
        let call = inward(call).and_then(|call| guard.state().calls.get(call));
        call.map_or_else(Vec::new, |call| vec![call.tool(), call.id(), call.approval()])
    }

    /// Every call that has changed since the ledger had so many entries: call, tool, call id,
    /// approval id, message, status, answer, actor, grant, outcome, refusals, flags (1 undoable,
    /// 2 expiring, 4 dangerous, 8 waits for a decision, 16 revealed), and deadline (or NaN).
    pub fn calls(&self, since: u32) -> Vec<f64> {
        let guard = self.guard.borrow();
        let changed = |id: &CallId| guard.touched_since(*id, since);
        let calls = &guard.state().calls;
        (calls.first()..calls.end()).filter(changed).flat_map(|id| row(&guard, id)).collect()
    }
}

fn grant_row(guard: &Guard, number: u32, grant: &Grant) -> [f64; 10] {
    let wall = |time: Option<u64>| time.map_or(f64::NAN, |time| guard.clock().wall(time));
    let fields = match grant.cover {
        Cover::Tool => -1.0,
        Cover::Fields(fields, _) => f64::from(fields),
    };
    [
        f64::from(number),
        f64::from(u8::from(grant.approved)),
        f64::from(grant.call.checked_add(1).unwrap_or_default()),
        fields,
        f64::from(u8::from(grant.committed) + u8::from(grant.active())),
        wall(Some(grant.at)),
        wall(grant.until),
        f64::from(grant.uses),
        wall(grant.last_use),
        f64::from(grant.tool),
    ]
}

fn row(guard: &Guard, id: CallId) -> [f64; 13] {
    let Some(call) = guard.state().calls.get(id) else { return [0.0; 13] };
    let given = call.answer();
    let undoable = call.draft().is_some_and(|draft| draft.undoable());
    let expiring = call.warned() && call.asking() && given.is_none_or(|given| given.approved);
    let flags = u32::from(undoable)
        | u32::from(expiring) << 1
        | u32::from(call.dangerous()) << 2
        | u32::from(call.undecided()) << 3
        | u32::from(call.revealed()) << 4;
    let deadline = call.deadline().filter(|_| call.asking());
    [
        f64::from(outward(id)),
        f64::from(call.tool()),
        f64::from(call.id()),
        f64::from(call.approval()),
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
