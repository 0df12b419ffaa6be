//! What the tabs of one chat have to agree on: which answer to a call counts, and which tab may send it.
//!
//! # The document
//!
//! A chat has one document in a transactional store. It consists of
//!
//! - **entries**, numbered without a gap. Each is appended by one tab and never changes. They are the lines of
//!   the record. This module uses only a few kinds: an answer, a claim to send it, the end of a request;
//! - **beats**: for each tab that others wait for, how often it has written. A tab that was given up has none, and
//!   a tab that has none counts as gone;
//! - its **version**, which is the number of its entries, and the version of its format. A tab remembers how far
//!   it has read, and folds only the new entries.
//!
//! A tab that opens the chat reads and folds the whole document. Drafts are not part of it: they stay in their
//! tab.
//!
//! # One transaction
//!
//! Each wish of a tab is a [`Request`]. [`decide`] decides on it inside one read-write transaction, on a fold
//! of all entries. The entries that it returns are appended before the transaction ends. So no two requests are
//! decided on the same document, and the tab that comes second learns this from the result, before it sends
//! anything: it gets [`Elsewhere`], with the answers that stand.
//!
//! | request | what is checked | what is appended |
//! | --- | --- | --- |
//! | [`Commit`](Request::Commit) | nobody has answered; or this is a denial, and the answer so far is an allowance that no tab has claimed | the answers |
//! | [`Claim`](Request::Claim) | the answer stands as it is, and no tab has claimed it; answers in doubt or refused need a person's retry | the answers that are new, and the claims |
//! | [`Renew`](Request::Renew) | with a request: its claims still belong to the tab | that the tab is alive |
//! | [`End`](Request::End) | nothing; but news of a claim that no longer belongs to the tab is ignored | how the request ended |
//! | [`Withdraw`](Request::Withdraw) | nothing; but only allowances of this tab that no tab has claimed are taken back | that they are |
//! | [`GiveUp`](Request::GiveUp) | the other tab has not written since it was observed | that it is given up |
//! | [`Open`](Request::Open) | nothing | that the page that this one continues is given up |
//!
//! # Time
//!
//! A transaction lasts only as long as its own reads and writes. So nothing is locked while a request runs, and
//! no tab waits for a frozen one. A tab that others wait for writes again before its lease ends. Another tab gives
//! it up after it has seen the same beat for a whole lease **by its own clock**. Clocks of different tabs are
//! never compared, and a hidden tab that writes too late counts as gone only until it writes again.
//!
//! If a tab is given up, the answers that it had claimed are in doubt ([`Standing::InDoubt`]): only a person's
//! retry sends them again. Answers that nobody has claimed are any tab's to send ([`Standing::Unclaimed`]): the
//! tab whose answer completes a step sends all of it.
//!
//! A tab that has claimed an answer may send it only while less than **half a lease** of its own clock has passed
//! since its transaction began: until then, no other tab can have given it up. Later it has to ask again
//! ([`Request::Renew`] with its request). This covers a page that is frozen between its transaction and its
//! request.
//!
//! Messages between tabs, locks and events of the page only wake a tab, so that it checks earlier than it would
//! have otherwise.

mod decide;
mod document;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod explore;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod model;

pub use decide::{Act, Elsewhere, Request, decide};
pub use document::{Document, Entry, Held, Outcome, Standing, Tab, Way};
