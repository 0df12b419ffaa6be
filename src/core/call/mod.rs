//! One tool call: its names, the question that it asks, and its life.

mod part;
mod state;

#[cfg(test)]
pub mod samples;

pub use part::{Answer, Digest, PartFacts, PartFlags, Place, differs};
pub use state::{Call, Delivery, Question, Status};
