//! Reads a message list that a client sent, for a server: its decisions, and the calls that may run.

pub mod claims;
pub mod decisions;
mod keys;
pub mod merge;
pub mod reading;
