//! What a server is told about a message list that a client sent.

pub mod decisions;
