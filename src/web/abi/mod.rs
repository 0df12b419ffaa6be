//! The codes and rows of numbers that cross between a module and the shell: of a guard facts go in, which the core
//! declares ([`Fact`](crate::core::guard::Fact)), [`effects`] come out, and tables are read; of a message list, for a
//! server, its decisions are read. The shell's side, `pkg-template/src/generated/abi.ts`, is
//! generated from these files; a test fails if the two differ.

/// Declares an enum whose variants are rows of numbers, each after the code of its variant.
macro_rules! messages {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$row_doc:meta])* $row:ident { $($(#[$field_doc:meta])* $field:ident),* $(,)? })+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $name { $($(#[$row_doc])* $row { $($(#[$field_doc])* $field: f64),* }),+ }

        impl $name {
            /// The names of all rows and of their fields, in the order of their codes.
            pub const ROWS: &[(&str, &[&str])] = &[$((stringify!($row), &[$(stringify!($field)),*])),+];

            /// Appends the row.
            pub fn write(self, out: &mut Vec<f64>) {
                let mut code = 0_u32;
                $(
                    if let Self::$row { $($field),* } = self {
                        out.extend_from_slice(&[f64::from(code), $($field),*]);
                        return;
                    }
                    code += 1;
                )+
                let _ = code;
            }

            /// Reads the next row; `None` at the end, and if what follows is not a row.
            pub fn read(from: &mut &[f64]) -> Option<Self> {
                let (&code, fields) = from.split_first()?;
                let code = code as u32;
                let mut row = 0_u32;
                $(
                    if code == row {
                        let (&[$($field),*], rest) = fields.split_first_chunk()?;
                        *from = rest;
                        return Some(Self::$row { $($field),* });
                    }
                    row += 1;
                )+
                let _ = row;
                None
            }
        }
    };
}

pub mod effects;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod typescript;

/// Declares rows: structs of numbers that cross as consecutive numbers, in the order of their fields.
macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident),+ $(,)? })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            #[repr(C)]
            pub struct $name { $($(#[$field_doc])* pub $field: f64),+ }

            impl $name {
                /// The names of the fields, in their order.
                pub const FIELDS: &[&str] = &[$(stringify!($field)),+];

                /// Appends the row.
                pub fn write(self, out: &mut Vec<f64>) {
                    out.extend_from_slice(&[$(self.$field),+]);
                }
            }
        )+

        /// All rows: their names and the names of their fields.
        #[cfg(all(test, not(target_arch = "wasm32")))]
        const ROWS: &[(&str, &[&str])] = &[$((stringify!($name), $name::FIELDS)),+];
    };
}

rows! {
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
        /// Whether answers of other tabs have completed the step, so that it has to be sent.
        completed,
        /// Whether a request has left in the tick of a yes, so that another one may repeat it.
        left,
        /// Whether a call is not in its old place, so that the whole list has to be read.
        moved,
        /// How many calls of the batch wait for a decision.
        asking,
        /// The number of grants that were given.
        grants,
        /// Whether the last verdict was a no that stands until the next fact.
        denied,
        /// Whether that no stands as long as the last step is open.
        open,
        /// When something ends by time, by the wall clock, or infinity. What is shown from then on is read after a `Look`.
        ends_wall,
        /// The same by the steady clock.
        ends_steady,
    }
    /// One entry of the ledger.
    EntryRow {
        /// Milliseconds since the epoch.
        at,
        /// An `EventKind`.
        kind,
        /// The call, or 0.
        call,
        /// The id of its tool, or 0.
        tool,
        /// The id of its call id, or 0.
        id,
        /// The id of its approval id, or 0.
        approval,
        /// The fingerprint of its input, or 0.
        fingerprint,
        /// 0: none, 1: no, 2: yes.
        answer,
        /// An `Actor`.
        actor,
        /// The request, or 0.
        request,
        /// The grant, or 0.
        grant,
        /// The id of the rule, the person or the program that caused it, or 0.
        source,
        /// The low half of the digest of the changed input, or 0.
        edit_low,
        /// Its high half.
        edit_high,
        /// Milliseconds by the guard's own clock.
        mono,
        /// An `Outcome`, or NaN.
        outcome,
        /// How long the call had waited, or NaN.
        waited,
        /// The time at which something ends, or NaN.
        ends,
        /// Whether an allowed call may have run: 1, 0, or NaN if the entry does not say.
        doubt,
        /// Whether the request left automatically: 1, 0, or NaN if the entry is not about a request.
        automatic,
    }
    /// One call.
    CallRow {
        /// Its number.
        call,
        /// The id of its tool.
        tool,
        /// The id of its call id.
        id,
        /// The id of its approval id, or 0.
        approval,
        /// The id of its message.
        message,
        /// A `Status`.
        status,
        /// 0: none, 1: no, 2: yes.
        answer,
        /// The `Actor` of the answer, or NaN.
        actor,
        /// The id of the rule, the person or the program that gave the answer, or 0.
        source,
        /// The grant that gave the answer, or that was given along with it; 0 for none.
        grant,
        /// The low half of the digest of the changed input with which it is allowed, or 0.
        edit_low,
        /// Its high half.
        edit_high,
        /// An `Outcome`, or NaN.
        outcome,
        /// How often a call with the same input was refused.
        refusals,
        /// Whether its decision can be undone.
        undoable,
        /// Whether it expires soon.
        expiring,
        /// Whether another yes, or sending it again, may run it twice.
        may_have_run,
        /// Whether it may do harm.
        dangerous,
        /// Whether a person asked to see the hidden parts of its input.
        unmasked,
        /// The time at which it expires, or NaN.
        deadline,
    }
    /// The batch, followed by the numbers of its calls, then of the oldest call that is equal to each of them, then by what
    /// may be done with each of them: 1 if it can be allowed, plus 2 if it can be denied.
    BatchRow {
        /// A `Phase`.
        phase,
        /// The button that it needs, an `Action`, or NaN.
        action,
        /// How many calls wait for a decision.
        asking,
        /// How many are allowed.
        allowed,
        /// How many are denied.
        denied,
        /// The highest number of refusals of any of its calls.
        refusals,
        /// Whether anything can be undone.
        undoable,
        /// Whether a message of the person would close calls.
        input_locked,
        /// Whether the model asks for the same call again and again.
        looping,
        /// Whether the person stopped the chat.
        stopped,
        /// Whether everything that waits can be allowed with one press.
        allow_all,
        /// The time at which it is committed, or NaN.
        due,
    }
    /// One grant.
    GrantRow {
        /// Its number.
        grant,
        /// Whether it allows.
        allows,
        /// The call for which it was given; 0 for a grant of an earlier page.
        call,
        /// The id of the call id of that call, or 0.
        id,
        /// The inputs that it covers: -1 for all, 0 for the same input, otherwise the id of a list of fields.
        fields,
        /// The fingerprint of what it covers; 0 for all inputs.
        fingerprint,
        /// Whether its decision is committed, so that it cannot be undone.
        committed,
        /// Whether it answers new calls.
        active,
        /// The time at which it was given.
        at,
        /// The time at which it ends, or NaN.
        until,
        /// How many calls it has answered.
        uses,
        /// The time at which it answered last, or NaN.
        last_use,
        /// The id of its tool.
        tool,
        /// The id of the server of its tool, or 0.
        server,
    }
    /// A call that waits for a decision.
    PendingRow {
        /// Its number.
        call,
    }
    /// The verdict, followed by the needs of the open calls of the last step.
    VerdictRow {
        /// A `Reason`.
        reason,
    }
    /// What an open call of the last step still needs.
    NeedRow {
        /// Its number.
        call,
        /// The id of its tool.
        tool,
        /// The id of its call id.
        id,
        /// The id of its approval id, or 0.
        approval,
        /// A `Need`.
        need,
    }
    /// Fields of a tool's inputs whose fingerprints are needed by grants.
    WantedRow {
        /// The id of the tool.
        tool,
        /// The id of the list of fields; 0 for the whole input.
        fields,
    }
    /// What a message list says about a call, for a server.
    DecisionRow {
        /// A `DecisionType`.
        decision,
        /// The index of the message, or -1.
        message,
        /// The index of the part, or -1.
        part,
        /// Whether it belongs to the end of the list.
        current,
        /// Whether the person who answered has changed the input.
        edited,
        /// Of a rejection whether a result was written over it, of an open call a `Need`, of a part that cannot be
        /// trusted a `ReadProblem`.
        detail,
    }
    /// What a server takes of a list that was sent, or does not take.
    MergeRow {
        /// A `Merged`.
        kind,
        /// The index of the stored message, of a change.
        stored_message,
        /// The index of the stored part, of a change.
        stored_part,
        /// The index of the message that was sent, or -1.
        message,
        /// The index of the part that was sent, or -1.
        part,
        /// Of a change a `ToolState`, of a refusal a `NotTaken`.
        detail,
        /// Of a change whether the call is allowed; -1 if that is not new.
        answer,
        /// Of a change whether the input of the call is that of the part that was sent.
        edited,
    }
}
