//! Rules: which calls may run without a question, which never, and why.
//!
//! One asymmetry carries the room. *Allow* matches only what is provably simple, in its one canonical
//! form; *deny* and *ask* match when any plausible reading of the value matches; everything else asks.
//! Each kind of value has a file that knows both sides of it.

mod bigrams;
pub mod context;
pub mod explain;
pub mod glob;
mod input;
pub mod judge;
pub mod layer;
pub mod lint;
pub mod load;
pub mod path;
pub mod pattern;
pub mod percent;
pub mod platform;
pub mod rule;
pub mod shell;
pub mod syntax;
mod target;
pub mod text;
pub mod tools;
pub mod unicode;
pub mod url;
