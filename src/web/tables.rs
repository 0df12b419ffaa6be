//! Tables that are read on demand: the ledger, the calls, the batch, the grants, the verdict.

use super::abi::effects::Table;
use super::abi::{BatchRow, CallRow, EntryRow, GrantRow, NeedRow, PendingRow, VerdictRow, WantedRow};
use super::rows::{answer_number, flag, optional};
use crate::core::batch::LOOP;
use crate::core::call::{Call, Digest};
use crate::core::event::{Detail, Entry};
use crate::core::grant::{Cover, Grant};
use crate::core::guard::{Covers, Guard, Named};
use crate::core::id::{CallId, GrantId, StringId};
use crate::core::row::{call_from, call_number};

/// Writes a table. The meaning of `of` and `with` depends on the table.
pub fn read(guard: &Guard, table: Table, of: f64, with: f64, out: &mut Vec<f64>) {
    match table {
        Table::Entries => entries(guard, of as u32, out),
        Table::Calls => calls(guard, of as u32, out),
        Table::Batch => batch(guard, out),
        Table::Pending => {
            let calls = guard.state().pending.iter();
            calls.for_each(|&call| PendingRow { call: call_number(Some(call)) }.write(out));
        }
        Table::Grants => {
            guard.state().standing().for_each(|(id, grant)| grant_row(guard, id, grant).write(out))
        }
        Table::Grant => {
            let id = GrantId(of as u32);
            if let Some(grant) = guard.state().grant(id) {
                grant_row(guard, id, grant).write(out);
            }
        }
        Table::Verdict => verdict(guard, (of != 0.0).then_some(of > 1.0), out),
        Table::Wanted => {
            for (_, grant) in guard.state().standing() {
                if let Cover::Fields(fields, _) = grant.cover {
                    WantedRow { tool: grant.tool.name.into(), fields: fields.into() }.write(out);
                }
            }
        }
        Table::Covered => {
            let covers = if with < 0.0 { Covers::Tool } else { Covers::Fields(StringId(with as u32)) };
            let covered = call_from(of).map(|call| guard.covered(call, covers)).unwrap_or_default();
            out.push(flag(covered.mutual));
            out.extend(covered.calls.into_iter().map(|call| call_number(Some(call))));
        }
        Table::Named => {
            let named = guard.named(Named { id: StringId(of as u32), call: None }, None);
            out.extend(named.map(|call| call_number(Some(call))));
        }
        Table::Strings => out.extend(guard.symbols().into_iter().map(f64::from)),
        Table::Fingerprints => out.extend(guard.fingerprints_in_use().into_iter().map(f64::from)),
    }
}

fn entries(guard: &Guard, from: u32, out: &mut Vec<f64>) {
    let entries = guard.entries().get(from.saturating_sub(guard.sealed()) as usize..).unwrap_or_default();
    entries.iter().for_each(|entry| entry_row(guard, entry).write(out));
}

fn entry_row(guard: &Guard, entry: &Entry) -> EntryRow {
    let event = entry.event;
    let automatic = if let Detail::Automatic(automatic) = event.detail { Some(automatic) } else { None };
    let call = event.call.and_then(|id| guard.state().calls.get(id));
    EntryRow {
        at: entry.at,
        kind: f64::from(event.kind as u8),
        call: call_number(event.call),
        tool: call.map_or(0.0, |call| call.tool().into()),
        id: call.map_or(0.0, |call| call.id().into()),
        approval: call.map_or(0.0, |call| call.approval().into()),
        fingerprint: event.call.map_or(0.0, |id| guard.fingerprint(id).into()),
        answer: answer_number(event.approved),
        actor: f64::from(event.actor as u8),
        request: f64::from(event.request),
        grant: f64::from(event.grant),
        source: f64::from(event.source),
        edit_low: half(event.edit),
        edit_high: half(event.edit >> 32),
        mono: entry.time as f64,
        outcome: optional(event.outcome().map(|outcome| f64::from(outcome as u8))),
        waited: optional(entry.waited.map(|waited| waited as f64)),
        ends: optional(event.deadline.map(|time| guard.clock().wall(time))),
        doubt: optional(event.doubt.map(flag)),
        automatic: optional(automatic.map(flag)),
    }
}

/// The lower half of a digest, as the shell has it.
fn half(digest: Digest) -> f64 {
    f64::from(digest as u32)
}

fn batch(guard: &Guard, out: &mut Vec<f64>) {
    let batch = guard.batch();
    BatchRow {
        phase: f64::from(batch.phase as u8),
        action: optional(guard.action().map(|action| f64::from(action as u8))),
        asking: f64::from(batch.asking),
        allowed: f64::from(batch.allowed),
        denied: f64::from(batch.denied),
        refusals: f64::from(batch.refusals),
        undoable: flag(batch.undoable),
        input_locked: flag(guard.locks_input()),
        looping: flag(batch.refusals >= LOOP),
        stopped: flag(guard.state().stopped),
        allow_all: flag(guard.offers_allow_all(&batch)),
        due: optional(batch.due.map(|due| guard.clock().wall(due))),
    }
    .write(out);
    let oldest = guard.oldest_equals(&batch);
    out.extend(batch.calls.iter().chain(&oldest).map(|&call| call_number(Some(call))));
    out.extend(batch.calls.iter().map(|&call| {
        let can = guard.can(call);
        f64::from(u8::from(can.allow) | u8::from(can.deny) << 1)
    }));
}

fn verdict(guard: &Guard, attached: Option<bool>, out: &mut Vec<f64>) {
    VerdictRow { reason: f64::from(guard.verdict_if_asked(attached) as u8) }.write(out);
    for (id, need) in guard.waiting() {
        let call = guard.state().calls.get(id);
        NeedRow {
            call: call_number(Some(id)),
            tool: call.map_or(0.0, |call| call.tool().into()),
            id: call.map_or(0.0, |call| call.id().into()),
            approval: call.map_or(0.0, |call| call.approval().into()),
            need: f64::from(need as u8),
        }
        .write(out);
    }
}

fn grant_row(guard: &Guard, id: GrantId, grant: &Grant) -> GrantRow {
    let wall = |time: u64| guard.clock().wall(time);
    let (fields, fingerprint) = match grant.cover {
        Cover::Tool => (-1.0, 0.0),
        Cover::Fields(fields, fingerprint) => (f64::from(fields), f64::from(fingerprint)),
    };
    GrantRow {
        grant: id.into(),
        allows: flag(grant.approved),
        call: f64::from(grant.call.0.checked_add(1).unwrap_or_default()),
        id: guard.state().calls.get(grant.call).map_or(0.0, |call| call.id().into()),
        fields,
        fingerprint,
        committed: flag(grant.committed),
        active: flag(grant.active()),
        at: wall(grant.at),
        until: optional(grant.until.map(wall)),
        uses: f64::from(grant.uses),
        last_use: optional(grant.last_use.map(wall)),
        tool: grant.tool.name.into(),
        server: grant.tool.server.into(),
    }
}

fn calls(guard: &Guard, since: u32, out: &mut Vec<f64>) {
    for (id, call) in guard.state().calls.iter() {
        if guard.touched_since(id, since) {
            call_row(guard, id, call).write(out);
        }
    }
}

fn call_row(guard: &Guard, id: CallId, call: &Call) -> CallRow {
    let given = call.answer();
    let deadline = call.deadline().filter(|_| call.asking());
    let edit = given.filter(|given| given.approved).map_or(0, |given| given.edit);
    CallRow {
        call: call_number(Some(id)),
        tool: f64::from(call.tool()),
        id: f64::from(call.id()),
        approval: f64::from(call.approval()),
        message: f64::from(guard.place(id).unwrap_or_default().message),
        status: f64::from(call.status() as u8),
        answer: answer_number(given.map(|given| given.approved)),
        actor: optional(given.map(|given| f64::from(given.actor as u8))),
        source: f64::from(given.map_or(StringId::NONE, |given| given.source)),
        grant: f64::from(given.map_or(GrantId::NONE, |given| given.grant)),
        edit_low: half(edit),
        edit_high: half(edit >> 32),
        outcome: optional(call.outcome().map(|outcome| f64::from(outcome as u8))),
        refusals: f64::from(guard.state().refusals(call)),
        undoable: flag(guard.can(id).undo),
        expiring: flag(call.warned() && call.asking() && given.is_none_or(|given| given.approved)),
        may_have_run: flag(call.may_have_run() || call.unclear()),
        dangerous: flag(call.dangerous()),
        unmasked: flag(call.unmasked()),
        deadline: optional(deadline.map(|deadline| guard.clock().wall(deadline))),
    }
}
