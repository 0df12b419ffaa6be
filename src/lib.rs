//! The core of the npm package `tool-approval-guard`. It knows the approval state of every tool call of a
//! chat, and decides when the chat may submit by itself. A rejected call leaves the browser as a rejection.
//!
//! [`core`] is plain Rust without clock, randomness or JavaScript. So are [`rules`], [`redact`] and
//! [`server`], each of which becomes a module of its own. `web` is the border to JavaScript. Native builds
//! contain only the parts of it without JavaScript, such as `web::abi`, from which the TypeScript is generated.

#[macro_use]
pub mod core;
#[cfg(any(not(target_arch = "wasm32"), feature = "redact"))]
pub mod redact;
#[cfg(any(not(target_arch = "wasm32"), feature = "rules"))]
pub mod rules;
#[cfg(any(not(target_arch = "wasm32"), feature = "claims", feature = "server"))]
pub mod server;

pub mod web;

// The tests of `tests/native` are compiled with the unit tests, and name the crate as others do.
#[cfg(all(test, not(target_arch = "wasm32")))]
extern crate self as tool_approval_guard;
#[cfg(all(test, not(target_arch = "wasm32")))]
#[path = "../tests/native/mod.rs"]
mod native;
#[cfg(all(test, not(target_arch = "wasm32")))]
use native::common;
