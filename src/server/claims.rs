//! Lets a server run each approved tool call at most once, whatever number of servers and requests bring the
//! same yes. A [`Claim`] is what is stored of one approval. A [`Command`] and the stored claims go in; the
//! changes for the same transaction and the answer come out. There is no clock, no randomness and no store:
//! `now` and tokens are arguments, and the caller commits the changes atomically.
//!
//! ```text
//! asked → taken → running → done | failed
//!   │       │        └────→ in doubt → done | failed (by its holder) | settled (by an operator)
//!   └───────┴──→ denied
//! ```
//!
//! A request takes a call before it runs it. A call that was only taken has not started, so when the lease of
//! its request ends, another request may take it. A call that has started never starts again: when its lease
//! ends, it is in doubt. Safety rests on tokens and on the transaction alone; a clock that is wrong only
//! causes a doubt too early or too late.

mod answer;
mod claim;
mod command;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod explore;
mod judge;
pub mod stored;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use answer::{Answer, Doubt, Fate, Ruling, Verdict, refusal};
pub use claim::{Claim, Claims, End, State};
pub use command::{Answered, Command, Ending, Question, Says};
pub use judge::handle;
