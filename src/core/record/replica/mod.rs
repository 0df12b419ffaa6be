//! The record of a chat, as one tab holds it. All tabs of a chat share one document in a transactional store:
//! entries, each tied to all entries before it by a hash, and two small texts next to them. A tab holds a
//! replica, which knows how many entries it has read. Inside one transaction, it reads the new entries,
//! decides whether its tab may do what it wants (see [`shared`](crate::core::shared)), and returns what to
//! append.

mod judge;
mod read;
mod texts;
mod views;
mod write;

use std::collections::VecDeque;

use super::chain::Chain;
use super::line::{self, Line};
use super::{KEEP, State, hex};
use crate::core::id_map::IdMap;
use serde::Serialize;

/// A tab that others wait for is given up when it has not written for this many milliseconds, by the clock of
/// the tab that observes it.
pub const LEASE: u64 = 3000;
/// Whether a claim may still be used, half a lease after its transaction began: until then no other tab can have
/// given this one up. Later the claim has to be renewed. Both times are in milliseconds of this tab's clock.
pub fn may_send(began: u64, now: u64) -> bool {
    now.saturating_sub(began) <= LEASE / 2
}

/// The interval, in milliseconds, in which a tab that others wait for writes, and in which the others check.
const BEAT: u64 = 1000;

/// The content of a store for one chat.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// The text that changes when entries are sealed.
    pub head: Option<&'a str>,
    /// The text that changes with each write.
    pub state: Option<&'a str>,
    /// The number of the first stored entry.
    pub first: u64,
    /// The number of all entries, including removed ones.
    pub length: u64,
    /// The entries that the replica has not read yet.
    pub entries: &'a [String],
}

/// A change that is to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Change {
    /// New entries.
    pub append: Vec<String>,
    /// Entries before this number are sealed, and can be removed.
    pub first: u64,
    /// The text that changes when entries are sealed, if it has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The text that changes with each write.
    pub state: String,
}

/// The record of a chat, as one tab holds it.
#[derive(Clone, Debug, Default)]
pub struct Replica {
    session: String,
    chat: String,
    salt: String,
    keep: usize,
    /// Whether there may be other tabs that write.
    shared: bool,
    chain: Chain,
    /// The fold of the sealed lines.
    checkpoint: State,
    /// The fold of all lines.
    state: State,
    notes: IdMap<String, String>,
    grants: Option<Vec<String>>,
    /// The stored grants that belong to this tab.
    own_grants: Vec<String>,
    /// The grants that this tab wants to store in place of its own, until they are written; `Some(None)` if
    /// no grants at all are to be stored.
    pending_grants: Option<Option<Vec<String>>>,
    /// The tabs that others wait for, each with its beat.
    tabs: IdMap<String, u64>,
    /// The other tabs of which this tab hears nothing any more, because it went alone.
    unheard: IdMap<String, u64>,

    /// Whether the document was read, or started by this tab.
    is_read: bool,
    /// The number of entries when this tab opened the document.
    opened: Option<u64>,
    /// The number of the first stored entry; `None` if the store has no document.
    stored_first: Option<u64>,
    /// The entries that this tab has not written yet.
    pending: VecDeque<Line>,
    pending_notes: Vec<(String, String)>,
    /// The notes and grants that are being written in a transaction that may still fail.
    written_notes: Vec<(String, String)>,
    written_grants: Option<Option<Vec<String>>>,
    /// The number of entries that were written in a transaction that may still fail: the last ones of the chain.
    unconfirmed: usize,
    /// From this number on, entries of this tab may already be in the document although they are still
    /// pending.
    doubled_from: u64,
    /// Whether the data next to the entries has to be written.
    dirty: bool,
    /// Whether another tab came first.
    refused: bool,
    /// The last request of this tab, with the number of calls whose answers it claimed.
    claimed: (u64, usize),
    beat: u64,
    /// The beats of other tabs, and the time since which each has not changed.
    watched: IdMap<String, (u64, u64)>,
    /// The calls that this tab has seen, by approval id, or by call id if there is no approval id, and whether it has found a
    /// denial in its messages.
    seen: IdMap<String, bool>,
    /// The calls whose answers other tabs had yet to send when this tab was opened, and have sent since, by the same ids.
    sent_since: IdMap<String, ()>,
    /// The number of changes that came from other tabs.
    revision: u32,
    /// The latest time, by the wall clock, that is known of other pages.
    latest: u64,
}

impl Replica {
    /// The replica of a new tab. `session` has 16 hexadecimal digits; 64 unpredictable digits are the salt of a new
    /// document. The others are the chat, the number of entries to keep, and whether other tabs may write. `None` if
    /// `session` or `salt` are not such digits.
    pub fn new(session: &str, chat: &str, salt: &str, keep: usize, shared: bool) -> Option<Self> {
        (hex::is(session, 16) && hex::is(salt, 64)).then(|| Self {
            session: session.to_owned(),
            chat: line::short(chat),
            salt: salt.to_owned(),
            keep: keep.clamp(*KEEP.start(), *KEEP.end()),
            shared,
            doubled_from: u64::MAX,
            ..Self::default()
        })
    }
}
