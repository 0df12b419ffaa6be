//! The tests that need no browser and more than one module of the crate. One program, because each one compiles
//! the generic code of the crate again, and links all of it.
#![cfg(not(target_arch = "wasm32"))]

mod common;

mod actors;
mod corpus;
mod crash;
mod decisions;
mod laws;
mod record;
mod replica;
mod rows;
mod vectors;
