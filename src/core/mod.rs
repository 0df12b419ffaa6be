//! The sans-IO core. [`guard::Guard::handle`] takes facts and returns effects. Everything that can be
//! computed from the [`ledger`] is computed from it.

// clippy.toml says how many.
#![cfg_attr(not(test), warn(clippy::too_many_lines))]

#[macro_use]
mod vocabulary;
#[macro_use]
pub mod row;

pub mod batch;
pub mod call;
pub mod clock;
pub mod decision;
pub mod event;
pub mod grant;
pub mod guard;
pub mod id;
pub mod id_map;
pub mod json;
#[doc = include_str!("laws.md")]
pub mod laws {}
pub mod ledger;
pub mod policy;
pub mod projection;
pub mod protocol;
pub mod record;
pub mod repair;
pub mod rewrite;
pub mod shared;
pub mod sort;
pub mod verdict;
pub mod windowed_log;
