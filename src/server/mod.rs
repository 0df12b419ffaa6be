//! What a server is told about a message list that a client sent, and what it may run of it.

pub mod claims;
pub mod decisions;
mod keys;
pub mod merge;
pub mod reading;
