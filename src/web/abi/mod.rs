//! The codes and rows of numbers that cross between a module and the shell: of a guard facts go in, which the core
//! declares ([`Fact`](crate::core::guard::Fact)), what they return comes out
//! ([`Returned`](crate::core::guard::Returned)), and tables are read; of a message list, for a
//! server, its decisions are read. The shell's side, `pkg-template/src/generated/abi.ts`, is
//! generated from these files; a test fails if the two differ.

#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
pub mod server;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod typescript;

use crate::core::batch::Phase;
use crate::core::call::{Digest, Status};
use crate::core::decision::{Actor, Outcome};
use crate::core::event::EventKind;
use crate::core::grant::Cover;
use crate::core::guard::Action;
use crate::core::id::{CallId, GrantId, RequestId, StringId};
use crate::core::row::CallNumber;
#[cfg(all(test, not(target_arch = "wasm32")))]
use crate::core::row::{Crosses, Shape};
use crate::core::verdict::{Need, Reason};

/// Declares blocks of numbers, which stay where they are in the module's memory.
macro_rules! blocks {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident),+ $(,)? })+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(C)]
        pub struct $name { $($(#[$field_doc])* pub $field: f64),+ }

        impl $name {
            /// The names of the fields, in their order.
            pub const FIELDS: &[&str] = &[$(stringify!($field)),+];
        }
    )+ };
}

blocks! {
    /// The header in the module's memory: where facts are written and effects are read.
    HeaderRow {
        /// The address of the facts.
        facts,
        /// How many numbers there is room for.
        capacity,
        /// The address of the effects, and of tables.
        effects,
        /// How many numbers there are.
        length,
    }
    /// The status block of a guard in the module's memory, which the shell reads without a crossing.
    StatusRow {
        /// Increases with every fact.
        facts,
        /// The number of entries that the ledger has had.
        length,
        /// How many of them are sealed.
        sealed,
        /// Changes whenever what a page shows may have changed.
        changes,
        /// Changes whenever a repair may have changed.
        revision,
        /// The calls below this one are dropped.
        forgotten,
        /// The number of requests.
        requests,
        /// The id of the chat; 0 while it is not known.
        chat,
        /// Whether a yes was given for the last step that no request has followed.
        promised,
        /// Whether the chat would be told yes, and does not ask.
        unasked,
        /// Whether a request has left in the tick of a yes, so that another one may repeat it.
        left,
        /// Whether a call is not in its old place, so that the whole list has to be read.
        displaced,
        /// How many calls of the batch wait for a decision.
        asking,
        /// The number of grants that were given.
        grants,
        /// Whether the last verdict was a no that stands until the next fact.
        no_until_fact,
        /// Whether that no stands as long as the last step is open.
        no_while_open,
        /// When something ends by time, by the wall clock, or infinity. What is shown from then on is read after a `Look`.
        ends_wall,
        /// The same by the steady clock.
        ends_steady,
    }
}

row! {
    /// One entry of the ledger.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct EntryRow {
        /// Milliseconds since the epoch.
        pub at: f64,
        /// What happened.
        pub kind: EventKind,
        /// The call, or 0.
        pub call: Option<CallId>,
        /// The id of its tool, or 0.
        pub tool: StringId,
        /// The id of its call id, or 0.
        pub id: StringId,
        /// The id of its approval id, or 0.
        pub approval: StringId,
        /// The fingerprint of its input, or 0.
        pub fingerprint: u32,
        /// The answer.
        pub answer: Option<bool>,
        /// Who caused it.
        pub actor: Actor,
        /// The request, or 0.
        pub request: RequestId,
        /// The grant, or 0.
        pub grant: GrantId,
        /// The id of the rule, the person or the program that caused it, or 0.
        pub source: StringId,
        /// The digest of the changed input, or 0.
        pub edit: Digest,
        /// Milliseconds by the guard's own clock.
        pub mono: f64,
        /// The outcome.
        pub outcome: Option<Outcome>,
        /// How long the call had waited.
        pub waited: Option<f64>,
        /// The time at which something ends.
        pub ends: Option<f64>,
        /// Whether an allowed call may have run; nothing if the entry does not say.
        pub doubt: Option<bool>,
        /// Whether the request left automatically; nothing if the entry is not about a request.
        pub automatic: Option<bool>,
    }
}

row! {
    /// One call.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CallRow {
        /// Its number.
        pub call: CallNumber,
        /// The id of its tool.
        pub tool: StringId,
        /// The id of its call id.
        pub id: StringId,
        /// The id of its approval id, or 0.
        pub approval: StringId,
        /// The id of its message.
        pub message: StringId,
        /// Its status.
        pub status: Status,
        /// The answer.
        pub answer: Option<bool>,
        /// Who gave the answer.
        pub actor: Option<Actor>,
        /// The id of the rule, the person or the program that gave the answer, or 0.
        pub source: StringId,
        /// The grant that gave the answer, or that was given along with it; 0 for none.
        pub grant: GrantId,
        /// The digest of the changed input with which it is allowed, or 0.
        pub edit: Digest,
        /// The outcome.
        pub outcome: Option<Outcome>,
        /// How often a call with the same input was refused.
        pub refusals: u32,
        /// Whether its decision can be undone.
        pub undoable: bool,
        /// Whether it expires soon.
        pub expiring: bool,
        /// Whether another yes, or sending it again, may run it twice.
        pub may_have_run: bool,
        /// Whether it may do harm.
        pub dangerous: bool,
        /// Whether a person asked to see the hidden parts of its input.
        pub unmasked: bool,
        /// The time at which it expires.
        pub deadline: Option<f64>,
    }
}

row! {
    /// The batch, followed by the numbers of its calls, then of the oldest call that is equal to each of them, then by what
    /// may be done with each of them: 1 if it can be allowed, plus 2 if it can be denied.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct BatchRow {
        /// Its phase.
        pub phase: Phase,
        /// The button that it needs, if it needs one.
        pub action: Option<Action>,
        /// How many calls wait for a decision.
        pub asking: u32,
        /// How many are allowed.
        pub allowed: u32,
        /// How many are denied.
        pub denied: u32,
        /// The highest number of refusals of any of its calls.
        pub refusals: u32,
        /// Whether anything can be undone.
        pub undoable: bool,
        /// Whether a message of the person would close calls.
        pub input_locked: bool,
        /// Whether the model asks for the same call again and again.
        pub looping: bool,
        /// Whether the person stopped the chat.
        pub stopped: bool,
        /// Whether everything that waits can be allowed with one press.
        pub allow_all: bool,
        /// The time at which it is committed.
        pub due: Option<f64>,
    }
}

row! {
    /// One grant.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct GrantRow {
        /// Its number.
        pub grant: GrantId,
        /// Whether it allows.
        pub allows: bool,
        /// The call for which it was given; 0 for a grant of an earlier page.
        pub call: Option<CallId>,
        /// The id of the call id of that call, or 0.
        pub id: StringId,
        /// The inputs that it covers: -1 for all, 0 for the same input, otherwise the id of a list of fields. Then the
        /// fingerprint of what it covers; 0 for all inputs.
        pub cover: Cover,
        /// Whether its decision is committed, so that it cannot be undone.
        pub committed: bool,
        /// Whether it answers new calls.
        pub active: bool,
        /// The time at which it was given.
        pub at: f64,
        /// The time at which it ends.
        pub until: Option<f64>,
        /// How many calls it has answered.
        pub uses: u32,
        /// The time at which it answered last.
        pub last_use: Option<f64>,
        /// The id of its tool.
        pub tool: StringId,
        /// The id of the server of its tool, or 0.
        pub server: StringId,
    }
}

row! {
    /// A call that waits for a decision.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PendingRow {
        /// Its number.
        pub call: CallNumber,
    }
}

row! {
    /// The verdict, followed by the needs of the open calls of the last step.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct VerdictRow {
        /// Why the chat may send, or not.
        pub reason: Reason,
    }
}

row! {
    /// What an open call of the last step still needs.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct NeedRow {
        /// Its number.
        pub call: CallNumber,
        /// The id of its tool.
        pub tool: StringId,
        /// The id of its call id.
        pub id: StringId,
        /// The id of its approval id, or 0.
        pub approval: StringId,
        /// What it needs.
        pub need: Need,
    }
}

row! {
    /// Fields of a tool's inputs whose fingerprints are needed by grants.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WantedRow {
        /// The id of the tool.
        pub tool: StringId,
        /// The id of the list of fields; 0 for the whole input.
        pub fields: StringId,
    }
}

/// All rows that are read: their names and their fields.
#[cfg(all(test, not(target_arch = "wasm32")))]
const ROWS: &[Shape] = &[
    EntryRow::SHAPE,
    CallRow::SHAPE,
    BatchRow::SHAPE,
    GrantRow::SHAPE,
    PendingRow::SHAPE,
    VerdictRow::SHAPE,
    NeedRow::SHAPE,
    WantedRow::SHAPE,
    server::DecisionRow::SHAPE,
    server::MergeRow::SHAPE,
];

vocabulary! {
    /// The tables that are read on demand.
    Table {
        /// The entries of the ledger, from an index on.
        Entries = "entries",
        /// The calls that have changed since the ledger had this many entries.
        Calls = "calls",
        /// The batch.
        Batch = "batch",
        /// The calls that wait for a decision.
        Pending = "pending",
        /// The grants that have not ended.
        Grants = "grants",
        /// One grant.
        Grant = "grant",
        /// The verdict, and what the open calls of the last step wait for.
        Verdict = "verdict",
        /// The fields whose fingerprints are needed by grants.
        Wanted = "wanted",
        /// Whether a choice about any of these calls would answer the same ones, and the waiting calls that such
        /// a choice about a call would answer.
        Covered = "covered",
        /// The call with an id; nothing if there is not exactly one.
        Named = "named",
        /// The strings that are in use.
        Strings = "strings",
        /// The fingerprints that are in use.
        Fingerprints = "fingerprints",
    }
}
