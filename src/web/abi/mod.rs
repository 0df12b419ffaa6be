//! The codes and rows of numbers that cross between a module and the shell: of a guard facts go in, which the core
//! declares ([`Fact`](crate::core::guard::Fact)), what they return comes out
//! ([`Returned`](crate::core::guard::Returned)), and tables are read; of a message list, for a
//! server, its decisions are read. The shell's side, `pkg-template/src/generated/abi.ts`, is
//! generated from these files; a test fails if the two differ.

#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
pub mod server;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod typescript;
