//! What the shell reads of a guard: its status without a crossing, and tables on demand, which are the ledger, the calls,
//! the batch, the grants, the verdict. A row is declared once: its fields, and what stands in them.

use crate::core::batch::{Batch, LOOP, Phase};
use crate::core::call::{Call, Digest, Status};
use crate::core::clock::Now;
use crate::core::decision::{Actor, Outcome};
use crate::core::event::{Detail, Entry, EventKind};
use crate::core::grant::{Cover, Grant, Stage};
use crate::core::guard::{Action, Can, CommitCause, Covers, Guard, Named};
use crate::core::id::{CallId, GrantId, RequestId, StringId};
use crate::core::row::{CallNumber, Crosses, call_number};
use crate::core::verdict::{Need, Reason};

tagged_rows! {
    /// The tables that are read on demand.
    #[derive(Clone, Copy, Debug)]
    Table {
        /// The entries of the ledger, from an index on.
        Entries(from: u32),
        /// The calls that have changed since the ledger had this many entries.
        Calls(since: u32),
        /// The batch.
        Batch,
        /// The calls that wait for a decision.
        Pending,
        /// The grants that have not ended.
        Grants,
        /// One grant.
        Grant(grant: GrantId),
        /// The verdict, and what the open calls of the last step wait for.
        Verdict(commit: Option<CommitCause>),
        /// The fields whose fingerprints are needed by grants.
        Wanted,
        /// Whether a choice about any of these calls would answer the same ones, and the waiting calls that such
        /// a choice about a call would answer.
        Covered(call: Option<CallId>, covers: Covers),
        /// The call with an id; nothing if there is not exactly one.
        Named(id: StringId),
        /// The strings that are in use.
        Strings,
        /// The fingerprints that are in use.
        Fingerprints,
    }
}

/// Writes a table.
pub fn read(guard: &Guard, table: Table, out: &mut Vec<f64>) {
    let state = guard.state();
    match table {
        Table::Entries(from) => {
            let from = from.saturating_sub(guard.sealed()) as usize;
            let entries = guard.entries().get(from..).unwrap_or_default();
            entries.iter().for_each(|entry| EntryRow::of(guard, entry).write(out));
        }
        Table::Calls(since) => {
            let changed = state.calls.iter().filter(|&(id, _)| guard.touched_since(id, since));
            changed.for_each(|(id, call)| CallRow::of(guard, id, call).write(out));
        }
        Table::Batch => BatchRow::of(guard).write(out),
        Table::Pending => state.pending.iter().for_each(|&call| PendingRow::of(call).write(out)),
        Table::Grants => state.standing().for_each(|(id, grant)| GrantRow::of(guard, id, grant).write(out)),
        Table::Grant(id) => {
            state.grant(id).into_iter().for_each(|grant| GrantRow::of(guard, id, grant).write(out));
        }
        Table::Verdict(commit) => {
            VerdictRow::of(guard, commit).write(out);
            guard.waiting().into_iter().for_each(|(id, need)| NeedRow::of(guard, id, need).write(out));
        }
        Table::Wanted => {
            for (_, grant) in state.standing() {
                if let Cover::Fields(fields, _) = grant.cover {
                    WantedRow::of(grant.tool.name, fields).write(out);
                }
            }
        }
        Table::Covered(call, covers) => {
            let covered = call.map(|call| guard.covered(call, covers)).unwrap_or_default();
            covered.mutual.write(out);
            out.extend(covered.calls.into_iter().map(|call| call_number(Some(call))));
        }
        Table::Named(id) => {
            let named = guard.named(Named { id, call: None }, None);
            out.extend(named.map(|call| call_number(Some(call))));
        }
        Table::Strings => out.extend(guard.symbols().into_iter().map(f64::from)),
        Table::Fingerprints => out.extend(guard.fingerprints_in_use().into_iter().map(f64::from)),
    }
}

/// Declares the row of a table: what it is made of, and each field with its value.
macro_rules! table_row {
    (
        $(#[$meta:meta])*
        pub struct $name:ident($($from:ident: $of:ty),+) {
            $(let $local:ident = $is:expr;)*
            $($(#[$doc:meta])* pub $field:ident: $type:ty = $value:expr),+ $(,)?
        }
    ) => {
        row! {
            $(#[$meta])*
            #[derive(Clone, Debug, PartialEq)]
            pub struct $name { $($(#[$doc])* pub $field: $type),+ }
        }

        impl $name {
            /// Makes the row.
            pub fn of($($from: $of),+) -> Self {
                $(let $local = $is;)*
                Self { $($field: $value),+ }
            }
        }
    };
}

row! {
    /// The header in the module's memory: where facts are written and effects are read.
    #[derive(Clone, Copy, Debug)]
    pub struct HeaderRow {
        /// The address of the facts.
        pub facts: usize,
        /// The room, as a count of numbers.
        pub capacity: usize,
        /// The address of the effects, and of tables.
        pub effects: usize,
        /// The count of numbers.
        pub length: usize,
    }
}

table_row! {
    /// The status of a guard. `told`: how many numbers of facts there were; `verdict`: the latest one, if nothing has
    /// followed it.
    pub struct StatusRow(guard: &Guard, batch: &Batch, told: f64, verdict: Option<Reason>) {
        let never = Now { wall: f64::INFINITY, steady: f64::INFINITY };
        let ends = guard.next_end(batch).map_or(never, |end| guard.clock().at(end));
        let stays_no = guard.stays_no(verdict, batch);
        /// Increases with every fact.
        pub facts: f64 = told,
        /// The number of entries that the ledger has had.
        pub length: u32 = guard.length(),
        /// The number of sealed ones.
        pub sealed: u32 = guard.sealed(),
        /// Changes whenever what a page shows may have changed.
        pub changes: u32 = guard.changes(),
        /// Changes whenever a repair may have changed.
        pub revision: u32 = guard.revision(),
        /// The calls below this one are dropped.
        pub forgotten: CallNumber = CallNumber(guard.forgotten()),
        /// The number of requests.
        pub requests: RequestId = guard.state().last_request,
        /// The id of the chat; 0 while it is not known.
        pub chat: StringId = guard.chat(),
        /// Whether a yes was given for the last step that no request has followed.
        pub promised: bool = guard.is_promised(),
        /// Whether the chat would be told yes, and does not ask.
        pub unasked: bool = guard.is_unasked(),
        /// Whether a request has left in the tick of a yes, so that another one may repeat it.
        pub left: bool = guard.has_left(),
        /// Whether a call is not in its old place, so that the whole list has to be read.
        pub displaced: bool = guard.is_displaced(),
        /// The number of calls of the batch that wait for a decision.
        pub asking: u32 = batch.asking,
        /// Whether nothing is committed before a person has decided.
        pub waits_for_decision: bool = guard.waits_for_decision(batch),
        /// The number of grants that were given.
        pub grants: usize = guard.state().grants.len(),
        /// Whether the last verdict was a no that stands until the next fact.
        pub no_until_fact: bool = stays_no.until_fact,
        /// Whether that no stands as long as the last step is open.
        pub no_while_open: bool = stays_no.while_open,
        /// The next end by time, by the wall clock, or infinity. The view from then on is read after a `Look`.
        pub ends_wall: f64 = ends.wall,
        /// The same by the steady clock.
        pub ends_steady: f64 = ends.steady,
    }
}

table_row! {
    /// One entry of the ledger.
    pub struct EntryRow(guard: &Guard, entry: &Entry) {
        let event = entry.event;
        let call = event.call.and_then(|id| guard.state().calls.get(id));
        /// Milliseconds since the epoch.
        pub at: f64 = entry.at,
        /// The kind of the event.
        pub kind: EventKind = event.kind,
        /// The call, or 0.
        pub call: Option<CallId> = event.call,
        /// The id of its tool, or 0.
        pub tool: StringId = call.map(Call::tool).unwrap_or_default(),
        /// The id of its call id, or 0.
        pub id: StringId = call.map(Call::id).unwrap_or_default(),
        /// The id of its approval id, or 0.
        pub approval: StringId = call.map(Call::approval).unwrap_or_default(),
        /// The fingerprint of its input, or 0.
        pub fingerprint: u32 = event.call.map(|id| guard.fingerprint(id)).unwrap_or_default(),
        /// The answer.
        pub answer: Option<bool> = event.approved,
        /// Its author.
        pub actor: Actor = event.actor,
        /// The request, or 0.
        pub request: RequestId = event.request,
        /// The grant, or 0.
        pub grant: GrantId = event.grant,
        /// The id of the rule, the person or the program that caused it, or 0.
        pub source: StringId = event.source,
        /// The digest of the changed input, or 0.
        pub edit: Digest = event.edit,
        /// Milliseconds by the guard's own clock.
        pub mono: f64 = entry.time as f64,
        /// The outcome.
        pub outcome: Option<Outcome> = event.outcome(),
        /// The time that the call had waited.
        pub waited: Option<f64> = entry.waited.map(|waited| waited as f64),
        /// The time at which something ends.
        pub ends: Option<f64> = event.deadline.map(|time| guard.clock().wall(time)),
        /// Whether an allowed call may have run; nothing if the entry does not say.
        pub doubt: Option<bool> = event.doubt,
        /// Whether the request left automatically; nothing if the entry is not about a request.
        pub automatic: Option<bool> =
            if let Detail::Automatic(automatic) = event.detail { Some(automatic) } else { None },
    }
}

table_row! {
    /// One call.
    pub struct CallRow(guard: &Guard, id: CallId, call: &Call) {
        let given = call.answer();
        let deadline = call.deadline().filter(|_| call.asking());
        /// Its number.
        pub call: CallNumber = CallNumber(id),
        /// The id of its tool.
        pub tool: StringId = call.tool(),
        /// The id of its call id.
        pub id: StringId = call.id(),
        /// The id of its approval id, or 0.
        pub approval: StringId = call.approval(),
        /// The id of its message.
        pub message: StringId = guard.place(id).unwrap_or_default().message,
        /// Its status.
        pub status: Status = call.status(),
        /// The answer.
        pub answer: Option<bool> = given.map(|given| given.approved),
        /// The author of the answer.
        pub actor: Option<Actor> = given.map(|given| given.actor),
        /// The id of the rule, the person or the program that gave the answer, or 0.
        pub source: StringId = given.map(|given| given.source).unwrap_or_default(),
        /// The grant that gave the answer, or that was given along with it; 0 for none.
        pub grant: GrantId = given.map(|given| given.grant).unwrap_or_default(),
        /// The digest of the changed input with which it is allowed, or 0.
        // A call without an answer here is as its part shows it: it comes from an earlier page.
        pub edit: Digest =
            given.map_or(guard.shown_edit(id), |given| if given.approved { given.edit } else { 0 }),
        /// The outcome.
        pub outcome: Option<Outcome> = call.outcome(),
        /// The number of refused calls with the same input.
        pub refusals: u32 = guard.state().refusals(call),
        /// Whether its decision can be undone.
        pub undoable: bool = guard.undo_refusal(id).is_none(),
        /// Whether it expires soon.
        pub expiring: bool = call.warned() && call.asking() && given.is_none_or(|given| given.approved),
        /// Whether another yes, or sending it again, may run it twice.
        pub may_have_run: bool = guard.may_run_twice(id),
        /// Whether it may do harm.
        pub dangerous: bool = call.dangerous(),
        /// Whether a person asked to see the hidden parts of its input.
        pub unmasked: bool = call.unmasked(),
        /// The time at which it expires.
        pub deadline: Option<f64> = deadline.map(|deadline| guard.clock().wall(deadline)),
    }
}

table_row! {
    /// A call of the batch.
    pub struct Member(guard: &Guard, call: CallId, oldest: CallId) {
        /// Its number.
        pub call: CallNumber = CallNumber(call),
        /// The oldest call of the batch that is equal to it; itself if no other is.
        pub oldest: CallNumber = CallNumber(oldest),
        /// The acts that are possible with it.
        pub can: Can = guard.can(call),
    }
}

table_row! {
    /// The batch.
    pub struct BatchRow(guard: &Guard) {
        let batch = guard.batch();
        let members = batch.calls.iter().zip(guard.oldest_equals(&batch));
        /// Its phase.
        pub phase: Phase = batch.phase,
        /// The button that it needs, if it needs one.
        pub action: Option<Action> = guard.action(),
        /// The number of calls that wait for a decision.
        pub asking: u32 = batch.asking,
        /// The number of allowed calls.
        pub allowed: u32 = batch.allowed,
        /// The number of denied calls.
        pub denied: u32 = batch.denied,
        /// The highest number of refusals of any of its calls.
        pub refusals: u32 = batch.refusals,
        /// Whether anything can be undone.
        pub undoable: bool = batch.undoable,
        /// Whether a message of the person would close calls.
        pub input_locked: bool = guard.locks_input(),
        /// Whether the model asks for the same call again and again.
        pub looping: bool = batch.refusals >= LOOP,
        /// Whether the person stopped the chat.
        pub stopped: bool = guard.state().stopped,
        /// Whether everything that waits can be allowed with one press.
        pub allow_all: bool = guard.offers_allow_all(&batch),
        /// The time at which it is committed.
        pub due: Option<f64> = batch.due.map(|due| guard.clock().wall(due)),
        /// Its calls.
        pub calls: Vec<Member> = members.map(|(&call, oldest)| Member::of(guard, call, oldest)).collect(),
    }
}

table_row! {
    /// One grant.
    pub struct GrantRow(guard: &Guard, id: GrantId, grant: &Grant) {
        let wall = |time: u64| guard.clock().wall(time);
        let call = grant.call.and_then(|call| guard.state().calls.get(call));
        /// Its number.
        pub grant: GrantId = id,
        /// Whether it allows.
        pub allows: bool = grant.approved,
        /// The call for which it was given; 0 for a grant of an earlier page.
        pub call: Option<CallId> = grant.call,
        /// The id of the call id of that call, or 0.
        pub id: StringId = call.map(Call::id).unwrap_or_default(),
        /// The inputs that it covers: -1 for all, 0 for the same input, otherwise the id of a list of fields. Then the
        /// fingerprint of what it covers; 0 for all inputs.
        pub cover: Cover = grant.cover,
        /// Whether its decision is committed, so that it cannot be undone.
        pub committed: bool = grant.stage != Stage::Draft,
        /// Whether it answers new calls.
        pub active: bool = guard.state().stands(id) && grant.active(),
        /// The time at which it was given.
        pub at: f64 = wall(grant.at),
        /// The time at which it ends.
        pub until: Option<f64> = grant.until.map(wall),
        /// The number of calls that it has answered.
        pub uses: u32 = grant.uses,
        /// The time at which it answered last.
        pub last_use: Option<f64> = grant.last_use.map(wall),
        /// The id of its tool.
        pub tool: StringId = grant.tool.name,
        /// The id of the server of its tool, or 0.
        pub server: StringId = grant.tool.server,
    }
}

table_row! {
    /// A call that waits for a decision.
    pub struct PendingRow(call: CallId) {
        /// Its number.
        pub call: CallNumber = CallNumber(call),
    }
}

table_row! {
    /// The verdict, followed by the needs of the open calls of the last step.
    pub struct VerdictRow(guard: &Guard, commit: Option<CommitCause>) {
        /// The reason why the chat may send, or not.
        pub reason: Reason = guard.verdict_if_asked(commit),
    }
}

table_row! {
    /// The need of an open call of the last step.
    pub struct NeedRow(guard: &Guard, id: CallId, waits_for: Need) {
        let call = guard.state().calls.get(id);
        /// Its number.
        pub call: CallNumber = CallNumber(id),
        /// The id of its tool.
        pub tool: StringId = call.map(Call::tool).unwrap_or_default(),
        /// The id of its call id.
        pub id: StringId = call.map(Call::id).unwrap_or_default(),
        /// The id of its approval id, or 0.
        pub approval: StringId = call.map(Call::approval).unwrap_or_default(),
        /// Its need.
        pub need: Need = waits_for,
    }
}

table_row! {
    /// Fields of a tool's inputs whose fingerprints are needed by grants.
    pub struct WantedRow(name: StringId, list: StringId) {
        /// The id of the tool.
        pub tool: StringId = name,
        /// The id of the list of fields; 0 for the whole input.
        pub fields: StringId = list,
    }
}
