//! The tests that need no browser and more than one module of the crate. They are part of the program with the unit tests:
//! a program of their own would compile the crate a second time, without these, and all of its generic code a third time.

pub mod common;
pub mod fingerprint;
pub mod growth;

mod actors;
mod corpus;
mod crash;
mod decisions;
mod face;
mod laws;
mod record;
mod replica;
mod rows;
mod vectors;
