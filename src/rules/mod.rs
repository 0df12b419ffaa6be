//! Rules that decide which calls run without a question, and which never run.
//!
//! The design is asymmetric. *Allow* matches only values that are provably simple, in their one canonical
//! form. *Deny* and *ask* match if any plausible reading of the value matches. Everything else asks. Each
//! kind of value has a file with both sides.

// The build replaces all that formats by traps (`FORMATS` in pkg-template/build.mjs): texts are joined by `concat`.
#![cfg_attr(not(test), warn(clippy::use_debug))]

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
pub mod work;
