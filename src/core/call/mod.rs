//! One tool call: its names, the question that it asks, and its life.

pub(super) mod evidence;
pub(super) mod matching;
mod part;
mod state;

#[cfg(test)]
pub mod samples;

pub use part::{Answer, Digest, PartFacts, PartFlags, Place, differs};
pub use state::{Call, Delivery, Question, Status};
