//! Tables that are read on demand: the ledger, the calls, the batch, the grants, the verdict.

use super::abi::{BatchRow, CallRow, EntryRow, GrantRow, NeedRow, PendingRow, Table, VerdictRow, WantedRow};
use crate::core::batch::LOOP;
use crate::core::call::Call;
use crate::core::event::{Detail, Entry};
use crate::core::grant::{Cover, Grant, Stage};
use crate::core::guard::{Covers, Guard, Named};
use crate::core::id::{CallId, GrantId, StringId};
use crate::core::row::{CallNumber, Crosses, call_from, call_number};

/// Writes a table. The meaning of `of` and `with` depends on the table.
pub fn read(guard: &Guard, table: Table, of: f64, with: f64, out: &mut Vec<f64>) {
    match table {
        Table::Entries => entries(guard, of as u32, out),
        Table::Calls => calls(guard, of as u32, out),
        Table::Batch => batch(guard, out),
        Table::Pending => {
            let calls = guard.state().pending.iter();
            calls.for_each(|&call| PendingRow { call: CallNumber(call) }.write(out));
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
                    WantedRow { tool: grant.tool.name, fields }.write(out);
                }
            }
        }
        Table::Covered => {
            let covers = if with < 0.0 { Covers::Tool } else { Covers::Fields(StringId(with as u32)) };
            let covered = call_from(of).map(|call| guard.covered(call, covers)).unwrap_or_default();
            covered.mutual.write(out);
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
    let call = event.call.and_then(|id| guard.state().calls.get(id));
    EntryRow {
        at: entry.at,
        kind: event.kind,
        call: event.call,
        tool: call.map(Call::tool).unwrap_or_default(),
        id: call.map(Call::id).unwrap_or_default(),
        approval: call.map(Call::approval).unwrap_or_default(),
        fingerprint: event.call.map(|id| guard.fingerprint(id)).unwrap_or_default(),
        answer: event.approved,
        actor: event.actor,
        request: event.request,
        grant: event.grant,
        source: event.source,
        edit: event.edit,
        mono: entry.time as f64,
        outcome: event.outcome(),
        waited: entry.waited.map(|waited| waited as f64),
        ends: event.deadline.map(|time| guard.clock().wall(time)),
        doubt: event.doubt,
        automatic: if let Detail::Automatic(automatic) = event.detail { Some(automatic) } else { None },
    }
}

fn batch(guard: &Guard, out: &mut Vec<f64>) {
    let batch = guard.batch();
    BatchRow {
        phase: batch.phase,
        action: guard.action(),
        asking: batch.asking,
        allowed: batch.allowed,
        denied: batch.denied,
        refusals: batch.refusals,
        undoable: batch.undoable,
        input_locked: guard.locks_input(),
        looping: batch.refusals >= LOOP,
        stopped: guard.state().stopped,
        allow_all: guard.offers_allow_all(&batch),
        due: batch.due.map(|due| guard.clock().wall(due)),
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
    VerdictRow { reason: guard.verdict_if_asked(attached) }.write(out);
    for (id, need) in guard.waiting() {
        let call = guard.state().calls.get(id);
        NeedRow {
            call: CallNumber(id),
            tool: call.map(Call::tool).unwrap_or_default(),
            id: call.map(Call::id).unwrap_or_default(),
            approval: call.map(Call::approval).unwrap_or_default(),
            need,
        }
        .write(out);
    }
}

fn grant_row(guard: &Guard, id: GrantId, grant: &Grant) -> GrantRow {
    let wall = |time: u64| guard.clock().wall(time);
    let call = grant.call.and_then(|call| guard.state().calls.get(call));
    GrantRow {
        grant: id,
        allows: grant.approved,
        call: grant.call,
        id: call.map(Call::id).unwrap_or_default(),
        cover: grant.cover,
        committed: grant.stage != Stage::Draft,
        active: guard.state().stands(id) && grant.active(),
        at: wall(grant.at),
        until: grant.until.map(wall),
        uses: grant.uses,
        last_use: grant.last_use.map(wall),
        tool: grant.tool.name,
        server: grant.tool.server,
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
    CallRow {
        call: CallNumber(id),
        tool: call.tool(),
        id: call.id(),
        approval: call.approval(),
        message: guard.place(id).unwrap_or_default().message,
        status: call.status(),
        answer: given.map(|given| given.approved),
        actor: given.map(|given| given.actor),
        source: given.map(|given| given.source).unwrap_or_default(),
        grant: given.map(|given| given.grant).unwrap_or_default(),
        // What has no answer here is as its part shows it: it comes from an earlier page.
        edit: given.map_or(guard.shown_edit(id), |given| if given.approved { given.edit } else { 0 }),
        outcome: call.outcome(),
        refusals: guard.state().refusals(call),
        undoable: guard.undo_refusal(id).is_none(),
        expiring: call.warned() && call.asking() && given.is_none_or(|given| given.approved),
        may_have_run: call.may_have_run() || call.unclear(),
        dangerous: call.dangerous(),
        unmasked: call.unmasked(),
        deadline: deadline.map(|deadline| guard.clock().wall(deadline)),
    }
}
