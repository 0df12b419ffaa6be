//! The border to JavaScript. Only numbers cross: strings stay in JavaScript, and have a
//! [`StringId`](crate::core::id::StringId) here. `pkg-template/src/chat` reads and repairs the messages. No
//! JavaScript is called while the module is borrowed.

#[cfg(any(not(target_arch = "wasm32"), feature = "guard", feature = "server"))]
pub mod abi;
#[cfg(any(all(target_arch = "wasm32", feature = "guard"), test))]
mod alarm;
#[cfg(all(target_arch = "wasm32", feature = "claims"))]
pub mod claims;
#[cfg(any(not(target_arch = "wasm32"), feature = "guard"))]
pub mod facts;
#[cfg(all(target_arch = "wasm32", feature = "guard"))]
pub mod guard;
#[cfg(any(target_arch = "wasm32", test))]
mod heap;
#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
pub mod packed;
#[cfg(all(target_arch = "wasm32", feature = "record"))]
pub mod record;
#[cfg(all(target_arch = "wasm32", feature = "redact"))]
pub mod redact;
#[cfg(all(target_arch = "wasm32", feature = "guard"))]
mod rewrite;
#[cfg(all(target_arch = "wasm32", feature = "rules"))]
pub mod rules;
#[cfg(all(target_arch = "wasm32", feature = "server"))]
pub mod server;
#[cfg(any(not(target_arch = "wasm32"), feature = "guard"))]
pub mod tables;
#[cfg(all(
    target_arch = "wasm32",
    any(feature = "claims", feature = "record", feature = "rules", feature = "verify")
))]
mod values;
#[cfg(all(target_arch = "wasm32", feature = "verify"))]
pub mod verify;
