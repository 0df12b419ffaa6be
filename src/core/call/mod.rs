//! One tool call: its part, its identity, and its life.

mod delivery;
pub(super) mod evidence;
pub(super) mod matching;
mod part;
mod state;

#[cfg(test)]
pub mod samples;

pub use delivery::Delivery;
pub use part::{Answer, Digest, PartFacts, PartFlags, Place, differs};
pub use state::{Call, OutputWait, Question, Status};
