//! What is shown: the ledger, the calls, the batch and the grants, as rows of numbers.

use wasm_bindgen::prelude::wasm_bindgen;

use super::abi::{BatchRow, CallRow, EntryRow, GrantRow};
use super::guard::{GuardCore, answer, inward, numbers, outward};
use crate::core::batch::LOOP;
use crate::core::event::{Detail, Entry};
use crate::core::grant::{Cover, Grant};
use crate::core::guard::Guard;
use crate::core::id::{CallId, GrantId};

#[wasm_bindgen]
impl GuardCore {
    /// The ledger from an entry on, as far as it is not sealed: an [`EntryRow`] for each entry.
    pub fn entries(&self, from: u32) -> Vec<f64> {
        let guard = self.guard.borrow();
        let entries = guard.entries().get(from.saturating_sub(guard.sealed()) as usize..).unwrap_or_default();
        table(entries.iter().map(|entry| entry_row(&guard, entry)), EntryRow::write)
    }

    /// The batch: a [`BatchRow`], and its calls.
    pub fn batch(&self) -> Vec<f64> {
        let guard = self.guard.borrow();
        let batch = guard.batch();
        let row = BatchRow {
            phase: f64::from(batch.phase as u8),
            asking: f64::from(batch.asking),
            allowed: f64::from(batch.allowed),
            denied: f64::from(batch.denied),
            refusals: f64::from(batch.refusals),
            undoable: flag(batch.undoable),
            input_locked: flag(guard.locks_input()),
            looping: flag(batch.refusals >= LOOP),
            stopped: flag(guard.state().stopped),
            due: optional(batch.due.map(|due| guard.clock().wall(due))),
        };
        let mut numbers = table([row], BatchRow::write);
        numbers.extend(batch.calls.iter().map(|&call| f64::from(outward(call))));
        numbers
    }

    /// The strings that something is still known by.
    pub fn symbols(&self) -> Vec<u32> {
        numbers(self.guard.borrow().symbols())
    }

    /// The calls that wait for a decision, oldest first.
    pub fn pending(&self) -> Vec<u32> {
        self.guard.borrow().state().pending.iter().map(|&call| outward(call)).collect()
    }

    /// The grants that have not ended: a [`GrantRow`] for each.
    pub fn grants(&self) -> Vec<f64> {
        let guard = self.guard.borrow();
        let live = (1..).zip(&guard.state().grants).filter(|(_, grant)| !grant.ended);
        table(live.map(|(number, grant)| grant_row(&guard, number, grant)), GrantRow::write)
    }

    /// One grant, ended or not.
    pub fn grant(&self, number: u32) -> Vec<f64> {
        let guard = self.guard.borrow();
        let grant = guard.state().grant(number.into());
        table(grant.map(|grant| grant_row(&guard, number, grant)), GrantRow::write)
    }

    /// Whether a call is allowed.
    pub fn allows(&self, call: u32) -> bool {
        let guard = self.guard.borrow();
        inward(call).and_then(|call| guard.state().calls.get(call)).is_some_and(|call| call.allowed())
    }

    /// The fingerprint of the input of a call; 0 where it is not known.
    pub fn print_of(&self, call: u32) -> u32 {
        inward(call).map_or(0, |call| self.guard.borrow().fingerprint(call))
    }

    /// The names of a call: tool, call id, approval id.
    pub fn names_of(&self, call: u32) -> Vec<u32> {
        let guard = self.guard.borrow();
        let call = inward(call).and_then(|call| guard.state().calls.get(call));
        call.map_or_else(Vec::new, |call| numbers(vec![call.tool(), call.id(), call.approval()]))
    }

    /// A [`CallRow`] for every call that has changed since the ledger had so many entries.
    pub fn calls(&self, since: u32) -> Vec<f64> {
        let guard = self.guard.borrow();
        let changed = |id: &CallId| guard.touched_since(*id, since);
        let calls = &guard.state().calls;
        let rows = calls.ids().filter(changed).filter_map(|id| call_row(&guard, id));
        table(rows, CallRow::write)
    }
}

fn table<R>(rows: impl IntoIterator<Item = R>, write: impl Fn(R, &mut Vec<f64>)) -> Vec<f64> {
    let mut numbers = Vec::new();
    rows.into_iter().for_each(|row| write(row, &mut numbers));
    numbers
}

fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

fn optional(number: Option<f64>) -> f64 {
    number.unwrap_or(f64::NAN)
}

fn entry_row(guard: &Guard, entry: &Entry) -> EntryRow {
    let event = entry.event;
    let automatic = if let Detail::Automatic(automatic) = event.detail { Some(automatic) } else { None };
    EntryRow {
        at: entry.at,
        kind: f64::from(event.kind as u8),
        call: f64::from(event.call.map_or(0, outward)),
        answer: f64::from(answer(event.approved)),
        actor: f64::from(event.actor as u8),
        request: f64::from(event.request),
        grant: f64::from(event.grant),
        rule: f64::from(event.rule),
        mono: entry.time as f64,
        outcome: optional(event.outcome().map(|outcome| f64::from(outcome as u8))),
        waited: optional(entry.waited.map(|waited| waited as f64)),
        ends: optional(event.deadline.map(|time| guard.clock().wall(time))),
        doubt: optional(event.doubt.map(flag)),
        automatic: optional(automatic.map(flag)),
    }
}

fn grant_row(guard: &Guard, number: u32, grant: &Grant) -> GrantRow {
    let wall = |time: u64| guard.clock().wall(time);
    GrantRow {
        grant: f64::from(number),
        allows: flag(grant.approved),
        call: f64::from(grant.call.0.checked_add(1).unwrap_or_default()),
        fields: match grant.cover {
            Cover::Tool => -1.0,
            Cover::Fields(fields, _) => f64::from(fields),
        },
        committed: flag(grant.committed),
        active: flag(grant.active()),
        at: wall(grant.at),
        until: optional(grant.until.map(wall)),
        uses: f64::from(grant.uses),
        last_use: optional(grant.last_use.map(wall)),
        tool: f64::from(grant.tool),
    }
}

fn call_row(guard: &Guard, id: CallId) -> Option<CallRow> {
    let call = guard.state().calls.get(id)?;
    let given = call.answer();
    let deadline = call.deadline().filter(|_| call.asking());
    Some(CallRow {
        call: f64::from(outward(id)),
        tool: f64::from(call.tool()),
        id: f64::from(call.id()),
        approval: f64::from(call.approval()),
        message: f64::from(guard.place(id).unwrap_or_default().message),
        status: f64::from(call.status() as u8),
        answer: f64::from(answer(given.map(|given| given.approved))),
        actor: optional(given.map(|given| f64::from(given.actor as u8))),
        grant: f64::from(given.map_or(GrantId::NONE, |given| given.grant)),
        outcome: optional(given.map(|given| f64::from(given.outcome() as u8))),
        refusals: f64::from(guard.state().refusals(call)),
        undoable: flag(call.draft().is_some_and(|draft| draft.undoable())),
        expiring: flag(call.warned() && call.asking() && given.is_none_or(|given| given.approved)),
        dangerous: flag(call.dangerous()),
        waits: flag(call.undecided()),
        revealed: flag(call.revealed()),
        deadline: optional(deadline.map(|deadline| guard.clock().wall(deadline))),
    })
}
