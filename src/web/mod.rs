//! The border to JavaScript. Only numbers cross: strings stay in JavaScript and are known here by
//! their [`StringId`](crate::core::call::StringId). `pkg-template/src/chat` reads and repairs the messages. No method calls JavaScript while the guard is borrowed.

#[cfg(feature = "guard")]
mod clock;
#[cfg(feature = "guard")]
mod deciding;
#[cfg(feature = "guard")]
mod guard;
#[cfg(feature = "guard")]
mod recalling;
#[cfg(feature = "record")]
mod record;
#[cfg(feature = "rules")]
mod rules;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "guard")]
mod showing;
#[cfg(feature = "record")]
mod storage;
#[cfg(any(feature = "record", feature = "rules", feature = "server"))]
mod values;

#[cfg(feature = "guard")]
pub use guard::GuardCore;
#[cfg(feature = "record")]
pub use record::RecordCore;
#[cfg(feature = "rules")]
pub use rules::RulesCore;
#[cfg(feature = "record")]
pub use storage::StorageCore;
