//! The border to JavaScript. Only numbers cross: strings stay in JavaScript and are known here by
//! their [`Symbol`](crate::core::call::Symbol); `walk.js`, beside this file, reads and repairs the
//! messages. No method calls JavaScript while the guard is borrowed.

mod clock;
mod deciding;
mod guard;
mod showing;

pub use guard::GuardCore;
