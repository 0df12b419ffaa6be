//! The sans-IO machine. [`guard::Guard::handle`] takes facts and returns wishes; everything that
//! can be computed from the [`ledger`] is computed from it.

#[macro_use]
mod vocabulary;

pub mod batch;
pub mod call;
pub mod decision;
pub mod effect;
pub mod grants;
pub mod guard;
pub mod ledger;
pub mod print;
pub mod protocol;
pub mod record;
pub mod shelf;
pub mod time;
pub mod verdict;
pub mod wire;
