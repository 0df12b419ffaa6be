//! The codes and the rows of numbers that cross between the module of the guard and the shell: [`facts`] go in,
//! [`effects`] come out, tables are read. The shell's side, `pkg-template/src/generated/abi.ts`, is generated from
//! these files: a test fails where the two differ.

/// Declares an enum whose variants are rows of numbers behind the code of the variant.
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
                        out.push(f64::from(code));
                        $(out.push($field);)*
                        return;
                    }
                    code += 1;
                )+
                let _ = code;
            }

            /// Reads the next row. `None` at the end, and where what follows is no row.
            pub fn read(from: &mut impl Iterator<Item = f64>) -> Option<Self> {
                let code = from.next()? as u32;
                let mut row = 0_u32;
                $(
                    if code == row {
                        return Some(Self::$row { $($field: from.next()?),* });
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
pub mod facts;
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
                    out.extend([$(self.$field),+]);
                }
            }
        )+

        /// All rows: their names and the names of their fields.
        #[cfg(all(test, not(target_arch = "wasm32")))]
        const ROWS: &[(&str, &[&str])] = &[$((stringify!($name), $name::FIELDS)),+];
    };
}

rows! {
    /// The header of the module: where facts are written and effects are read. It stands in the module's memory.
    HeaderRow {
        /// The address of the facts.
        facts,
        /// How many numbers there is room for.
        capacity,
        /// The address of the effects, and of tables.
        effects,
        /// How many numbers they are.
        length,
    }
    /// The status block of a guard. It stands in the module's memory, where the shell reads it without a crossing.
    StatusRow {
        /// Grows with every fact.
        facts,
        /// How many entries the ledger has had.
        length,
        /// How many of them were given up.
        sealed,
        /// Counts what changes what can be shown.
        changes,
        /// Changes when a repair can have changed.
        revision,
        /// The calls below this one are forgotten.
        forgotten,
        /// How many requests there were.
        requests,
        /// The id of the chat, or 0 as long as it is not known.
        chat,
        /// Another tab has sent what an automatic request was to send.
        taken,
        /// A call does not stand where it stood, so that the whole list has to be read.
        moved,
        /// How many calls of the batch wait for a decision.
        asking,
        /// How many grants were given.
        grants,
        /// The last answer was a no that stands until another fact is told.
        denied,
        /// That no stands as long as the last step is still open.
        open,
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
        /// The id of the rule, or 0.
        rule,
        /// Milliseconds by the guard's own clock.
        mono,
        /// An `Outcome`, or NaN.
        outcome,
        /// How long the call had waited, or NaN.
        waited,
        /// The time at which something ends, or NaN.
        ends,
        /// An allowed call may have run: 1, 0, or NaN where the entry does not say.
        doubt,
        /// The request left automatically: 1, 0, or NaN where the entry is about no request.
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
        /// The grant that answered it, or that its answer gave; or 0.
        grant,
        /// An `Outcome`, or NaN.
        outcome,
        /// How often the same call was refused.
        refusals,
        /// Its decision can be undone.
        undoable,
        /// It expires soon.
        expiring,
        /// It may do harm.
        dangerous,
        /// It waits for a decision.
        waits,
        /// A person asked to see what is hidden of its input.
        revealed,
        /// The time at which it expires, or NaN.
        deadline,
    }
    /// The batch; the numbers of its calls follow.
    BatchRow {
        /// A `Phase`.
        phase,
        /// How many calls wait for a decision.
        asking,
        /// How many are allowed.
        allowed,
        /// How many are denied.
        denied,
        /// How often the call that was refused most often was refused.
        refusals,
        /// Something can be undone.
        undoable,
        /// A message of the person would close calls.
        input_locked,
        /// The model asks for the same call again and again.
        looping,
        /// The person stopped the chat.
        stopped,
        /// All that waits can be allowed with one press.
        allow_all,
        /// The time at which it is committed, or NaN.
        due,
    }
    /// One grant.
    GrantRow {
        /// Its number.
        grant,
        /// It allows.
        allows,
        /// The call for which it was given; 0 for a grant of an earlier page.
        call,
        /// The id of the call id of that call, or 0.
        id,
        /// Which inputs it covers: -1 every one, 0 the same input, else the id of a list of fields.
        fields,
        /// The fingerprint of what it covers; 0 for every input.
        fingerprint,
        /// Its decision cannot be undone any more.
        committed,
        /// It answers calls.
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
    }
    /// A call that waits for a decision.
    PendingRow {
        /// Its number.
        call,
    }
    /// The verdict; what the open calls of the last step wait for follows.
    VerdictRow {
        /// A `Reason`.
        reason,
    }
    /// What an open call of the last step waits for.
    NeedRow {
        /// The id of its tool.
        tool,
        /// The id of its call id.
        id,
        /// The id of its approval id, or 0.
        approval,
        /// A `Need`.
        need,
    }
    /// Fields of the inputs of a tool, whose fingerprints grants ask for.
    WantedRow {
        /// The id of the tool.
        tool,
        /// The id of the list of fields; 0 for the whole input.
        fields,
    }
}
