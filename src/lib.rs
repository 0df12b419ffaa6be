//! The machine behind the npm package `tool-approval-guard`: it knows the approval state of every
//! tool call of a chat, decides when the chat may submit by itself, and makes sure that a rejected
//! call leaves the browser as a rejection.
//!
//! [`core`] is plain Rust without clock, randomness or JavaScript. `web` is the border to
//! JavaScript and exists on wasm32 only.

pub mod core;

#[cfg(target_arch = "wasm32")]
pub mod web;
