//! The agreement of the tabs of one chat: one answer to a call counts, and one tab may send it.
//!
//! # The document
//!
//! A chat has one document in a transactional store. It consists of
//!
//! - **entries**, numbered without a gap. Each is appended by one tab and never changes. They are the lines of
//!   the record. This module is about a few kinds: an answer, a claim to send it, the end of a request;
//! - **beats**: for each tab that others wait for, how often it has written. A tab that was given up has none, and
//!   a tab that has none counts as gone;
//! - its **version**, which is the number of its entries, and the version of its format. A tab remembers how far
//!   it has read, and folds only the new entries.
//!
//! A tab that opens the chat reads and folds the whole document. What a tab wants to append is judged inside one
//! read-write transaction, on a fold of all entries. So no two tabs are judged on the same document, and the tab that
//! comes second learns it before it sends anything: [`SharedAnswer::may_be_replaced`] is asked before an answer, and
//! [`SharedAnswer::may_be_sent`] before a claim.
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
//! since its transaction began: until then, no other tab can have given it up. Later it has to ask again. This covers a
//! page that is frozen between its transaction and its request.
//!
//! Messages between tabs, locks and events of the page only wake a tab, so that it checks earlier than it would
//! have otherwise.

#[cfg(all(test, not(target_arch = "wasm32")))]
mod explore;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod model;

/// The progress of an answer on its way to the server. `T` identifies a tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress<T> {
    /// No tab has claimed to send it.
    Unclaimed,
    /// A request of this tab carries it, or is about to.
    Claimed(T),
    /// The request broke off, and it is unknown whether the call ran.
    Broken,
    /// The server is known to have refused the request.
    Refused,
    /// The response has ended.
    Delivered,
}

/// The answer to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SharedAnswer<T> {
    /// `true` allows the call.
    pub approved: bool,
    /// The tab that gave the answer.
    pub by: T,
    /// Its progress.
    pub progress: Progress<T>,
}

/// The meaning of an answer for one tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has sent it, and any tab may.
    Unclaimed,
    /// This tab has claimed it.
    Claimed,
    /// Another tab is sending it, or is about to.
    Elsewhere,
    /// It may have been sent. Only a person's retry sends it again.
    InDoubt,
    /// The server has refused it.
    Refused,
    /// It has arrived.
    Delivered,
}

impl<T: Copy + PartialEq> SharedAnswer<T> {
    /// The meaning of the answer for a tab. `lives`: whether another tab has a beat; if not, it is gone.
    pub fn standing(&self, tab: T, lives: impl Fn(T) -> bool) -> Standing {
        match self.progress {
            Progress::Claimed(other) if other == tab => Standing::Claimed,
            Progress::Claimed(other) if lives(other) => Standing::Elsewhere,
            Progress::Claimed(_) | Progress::Broken => Standing::InDoubt,
            Progress::Refused => Standing::Refused,
            Progress::Delivered => Standing::Delivered,
            Progress::Unclaimed => Standing::Unclaimed,
        }
    }

    /// Whether this answer takes the place of the one that stands. The first one wins, but until a tab has claimed to send
    /// it, a denial wins over an allowance (law 7).
    pub fn may_be_replaced(&self, approved: bool) -> bool {
        self.approved && !approved && self.progress == Progress::Unclaimed
    }

    /// Whether a tab may claim to send this answer. It is sent as it stands, by one request only, and by any tab: the one
    /// that completes a step sends all of it. If it may already have run, only the retry of a person sends it again (law 13).
    pub fn may_be_sent(&self, tab: T, is_retry: bool, lives: impl Fn(T) -> bool) -> bool {
        match self.standing(tab, lives) {
            Standing::Unclaimed | Standing::Refused => true,
            Standing::InDoubt => is_retry,
            Standing::Claimed | Standing::Elsewhere | Standing::Delivered => false,
        }
    }
}
