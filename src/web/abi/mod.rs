//! The codes and rows of numbers that cross between a module and the shell: of a guard facts go in, which the core
//! declares ([`Fact`](crate::core::guard::Fact)), what they return comes out
//! ([`Returned`](crate::core::guard::Returned)), and tables are read; of a message list, for a
//! server, its decisions are read. The shell's side, `pkg-template/src/generated/abi.ts`, is
//! generated from these files; a test fails if the two differ.

#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
pub mod server;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod typescript;

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
        /// The room, as a count of numbers.
        capacity,
        /// The address of the effects, and of tables.
        effects,
        /// The count of numbers.
        length,
    }
    /// The status block of a guard in the module's memory, which the shell reads without a crossing.
    StatusRow {
        /// Increases with every fact.
        facts,
        /// The number of entries that the ledger has had.
        length,
        /// The number of sealed ones.
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
        /// The number of calls of the batch that wait for a decision.
        asking,
        /// The number of grants that were given.
        grants,
        /// Whether the last verdict was a no that stands until the next fact.
        no_until_fact,
        /// Whether that no stands as long as the last step is open.
        no_while_open,
        /// The next end by time, by the wall clock, or infinity. The view from then on is read after a `Look`.
        ends_wall,
        /// The same by the steady clock.
        ends_steady,
    }
}
