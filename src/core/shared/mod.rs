//! What the tabs of one chat have to agree on: who has answered a call, and who may send the answer.
//!
//! # The document
//!
//! A chat has one document in a transactional store. It consists of
//!
//! - **entries**, numbered without a gap. Each is appended by one tab and never changes. They are the lines of the
//!   record, and this room reads few of them: an answer, a claim to send it, the end of a request;
//! - **presences**: for each tab that has something to do, how often it has written (its *beat*), and whether the
//!   others have given it up;
//! - its **version**, which is the number of its entries, and the version of its format. A tab that reads remembers
//!   how far it has read, and folds only what is new.
//!
//! A tab that opens the chat reads all of it and folds. Drafts are no part of it: they stay in their tab.
//!
//! # One transaction
//!
//! Whatever a tab wants is a [`Request`]. It is judged by [`decide`] inside one read-write transaction, on a fold that
//! holds every entry that there is; the entries that it returns are appended before the transaction ends. So two
//! requests never judge the same document, and whoever comes second is told so by the result, before anything
//! leaves: [`Elsewhere`], with what was decided.
//!
//! | request | what is checked | what is appended |
//! | --- | --- | --- |
//! | [`Commit`](Request::Commit) | nobody has answered; or a denial meets an allowance that nobody has claimed | the answers |
//! | [`Claim`](Request::Claim) | the answer stands as it is, and nobody has claimed it; in doubt and refused only for a person's retry | the answers that are new, and the claims |
//! | [`Renew`](Request::Renew) | with a request: the claims are still its own | that the tab lives |
//! | [`End`](Request::End) | nothing: news of a claim that is no longer its own says nothing | what became of the request |
//! | [`GiveUp`](Request::GiveUp) | the other tab has not written since it was looked at | that it is given up |
//! | [`Open`](Request::Open) | nothing | that the page which this one continues is given up |
//!
//! # Time
//!
//! No transaction lasts longer than its own reads and writes, so nothing is held while a request runs, and nobody
//! waits for a tab that is frozen. A tab that has something to do writes again before its lease ends. Another tab gives
//! it up when it has seen the same beat for a whole lease **by its own clock**: no two clocks are ever compared, and a
//! hidden tab that writes too late is only taken for gone until it writes again.
//!
//! What a tab that was given up had answered is offered to a person ([`Standing::Offered`]); what it had claimed is in
//! doubt ([`Standing::InDoubt`]), and only a person who retries sends it again.
//!
//! The tab that has claimed may send only while less than **half a lease** of its own clock has passed since its
//! transaction began: until then nobody can have given it up. Later it asks again ([`Request::Renew`] with its
//! request). That covers a page that is frozen between its transaction and its request.
//!
//! Messages between tabs, locks and events of the page only wake: they make a tab look earlier than it would have.

mod decide;
mod document;
#[cfg(test)]
mod explore;
#[cfg(test)]
mod model;

pub use decide::{Act, Elsewhere, Request, decide};
pub use document::{Document, Entry, Held, Outcome, Presence, Standing, Tab, Way};
