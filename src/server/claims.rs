//! Lets a server run each approved tool call at most once, whatever number of servers and requests bring the
//! same yes. A [`Claim`] is what is stored of one approval. A [`Command`] and the stored claims go in; the
//! changes for the same transaction and the answer come out. There is no clock, no randomness and no store:
//! `now` and tokens are arguments, and the caller commits the changes atomically.
//!
//! ```text
//! asked → taken → running → done | failed
//!   │       │        └────→ in doubt → done | failed (by its holder) | settled (by an operator)
//!   └───────┴──→ denied
//! ```
//!
//! A request takes a call before it runs it. A call that was only taken has not started, so when the lease of
//! its request ends, another request may take it. A call that has started never starts again: when its lease
//! ends, it is in doubt. A denial that comes after the start changes nothing: who brings it is told what somebody
//! with the yes would be told. Safety rests on tokens and on the transaction alone; a clock that is wrong only
//! causes a doubt too early or too late.
//!
//! A backend in Rust does within one transaction of its database:
//!
//! ```
//! use std::collections::BTreeMap;
//! use tool_approval_guard::server::claims::{Answer, Claims, Command, Question, handle, stored};
//!
//! fn transact(rows: &mut BTreeMap<String, String>, command: &Command, now: u64) -> Option<Answer> {
//!     let read = |(id, text): (&String, &String)| Some((id.clone(), stored::read(text)?));
//!     let mut claims: Claims = rows.iter().map(read).collect::<Option<_>>()?; // none: a claim is damaged
//!     let answer = handle(command, &mut claims, now);
//!     *rows = claims.iter().map(|(id, claim)| (id.clone(), stored::write(claim))).collect();
//!     Some(answer)
//! }
//!
//! let mut rows = BTreeMap::new();
//! let (call, tool) = ("call-1".to_owned(), "rm".to_owned());
//! let question = Question { id: "ap-1".into(), call, tool, input: Some("a fingerprint".into()) };
//! let ask = Command::Ask { questions: vec![question], user: None, expires: None };
//! assert_eq!(transact(&mut rows, &ask, 1), Some(Answer::Is { ok: true }));
//! let calls = vec![("ap-1".to_owned(), "call-1".to_owned(), "rm".to_owned())];
//! assert_eq!(transact(&mut rows, &Command::Requested, 2), Some(Answer::Requested { calls }));
//! ```

mod answer;
mod claim;
mod command;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod explore;
mod judge;
pub mod stored;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

pub use answer::{Answer, Fate, Listed, Ruling, Verdict, refusal};
pub use claim::{Claim, Claims, End, State};
pub use command::{Answered, Command, Edit, Ending, Question, Runner, Says};
pub use judge::handle;
