//! The record of a chat: a verifiable log of what happened, and the facts that are needed after a reload. The
//! ledger lasts as long as a page. A record continues from page to page, and contains no inputs, outputs or
//! reasons.
//!
//! The lines are the only source of truth. [`known`], the [`metrics`] and the [`load`] are folded from them.
//! A stored record contains the fold only of those lines that it no longer has.

#[macro_use]
pub mod json;

pub mod chain;
pub mod export;
mod fault;
mod hex;
pub mod known;
pub mod known_call;
pub mod line;
pub mod load;
pub mod metrics;
mod recollection;
pub mod replica;
pub mod stored_call;
pub mod verify;

pub use fault::Fault;
pub use recollection::Recollection;
pub use replica::Replica;

use known::Known;
use line::Line;
use load::Load;
use metrics::Metrics;

use crate::core::decision::Actor;
use crate::core::event::{EventKind, Touch};

/// The maximum length of a note or a stored grant, in bytes.
pub const MAX_NOTE: usize = 4096;
/// The maximum number of stored grants.
pub const MAX_GRANTS: usize = 256;
/// The range of the number of entries to keep.
const KEEP: std::ops::RangeInclusive<usize> = 64..=10_000;

fields! {
    /// The fold of all lines.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct State {
        /// The number of requests that have left by themselves since a person acted.
        pub automatic: u64 = "automatic",
        /// The calls.
        pub known: Known = "known",
        /// The calls that ask most often.
        pub load: Load = "load",
        /// The counts.
        pub metrics: Metrics = "metrics",
    }
}

impl State {
    /// Applies one line.
    pub fn apply(&mut self, line: &Line) {
        let change = self.known.apply(line);
        match line.kind {
            EventKind::Requested if line.automatic == Some(true) => self.automatic += 1,
            kind if kind.touches(Touch::Acts) && line.actor == Some(Actor::Person) => self.automatic = 0,
            _ => {}
        }
        self.metrics.apply(line, change);
        if matches!(line.kind, EventKind::Asked | EventKind::Answered)
            && let Some(call) = self.known.of(line)
        {
            self.load.apply(line, call, change);
        }
    }
}
