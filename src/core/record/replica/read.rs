//! The reads of a transaction.

use super::texts::{Beside, Head, body, bounded, lines};
use super::{LEASE, Replica, Stored};
use crate::core::id_map::IdMap;
use crate::core::record::chain::{Chain, START, link};
use crate::core::record::{Fault, State, hex, json};

impl Replica {
    /// Reads the content of a store, inside a transaction. `now` is the clock of this tab, in milliseconds.
    ///
    /// # Errors
    ///
    /// Fails if the content is not what was written, or is less than what is known. Then all of it is
    /// ignored.
    pub fn read(&mut self, stored: Stored, now: u64) -> Result<(), Fault> {
        self.read_document(stored, now)
            .map_err(|fault| if self.is_replaced(stored) { Fault::Lost } else { fault })
    }

    /// Whether the document that this tab has read is gone, and another tab has started a new one.
    fn is_replaced(&self, stored: Stored) -> bool {
        let head = || json::parse::<Head>(body(stored.head?).ok()?);
        self.is_read && head().is_some_and(|head| head.chat == self.chat && head.salt != self.salt)
    }

    fn read_document(&mut self, stored: Stored, now: u64) -> Result<(), Fault> {
        let (Some(head), Some(state)) = (stored.head, stored.state) else {
            let is_empty = stored.head.is_none() && stored.state.is_none() && stored.length == 0;
            return match (is_empty, self.is_read) {
                (false, _) => Err(Fault::Corrupt),
                (true, true) => Err(Fault::Lost),
                (true, false) => {
                    self.begin();
                    Ok(())
                }
            };
        };
        let beside: Beside = json::parse(body(state)?).ok_or(Fault::Corrupt)?;
        let mut chain = self.grown(head, &stored)?;
        if stored.length < self.chain.length() {
            return Err(Fault::RolledBack);
        }
        if beside.length != stored.length || !bounded(&beside) {
            return Err(Fault::Corrupt);
        }
        let (from, end) = match &mut chain {
            Some((_, chain)) => (chain.length(), chain.head()),
            None => (self.chain.length(), self.chain.head()),
        };
        let lines = lines(stored.entries, from, &self.chat).ok_or(Fault::Corrupt)?;
        let end = stored.entries.iter().fold(end, |end, text| link(&end, text));
        if from + lines.len() as u64 != stored.length || hex::of(&end) != beside.hash {
            return Err(Fault::Corrupt);
        }
        if let Some((head, chain)) = chain {
            self.salt = head.salt;
            self.state = head.checkpoint.clone();
            self.checkpoint = head.checkpoint;
            self.chain = chain;
        }
        self.is_read = true;
        self.opened.get_or_insert(stored.length);
        self.stored_first = Some(stored.first);
        self.dirty = false;
        for (line, text) in lines.into_iter().zip(stored.entries) {
            let is_own = line.session == self.session;
            if is_own && line.seq >= self.doubled_from {
                self.pending.pop_front();
            }
            self.revision += u32::from(!is_own);
            self.push(line, text.clone());
        }
        self.doubled_from = u64::MAX;
        while self.chain.sealed() < stored.first && self.seal(1) {}
        self.beside(beside, now);
        Ok(())
    }

    /// Starts a new document with this tab.
    pub(super) fn begin(&mut self) {
        self.is_read = true;
        self.opened.get_or_insert(0);
        self.dirty = true;
    }

    /// The head, and an empty chain that continues from it, if the replica cannot continue from its own
    /// lines.
    fn grown(&self, head: &str, stored: &Stored) -> Result<Option<(Head, Chain)>, Fault> {
        if self.is_read && self.chain.length() >= stored.first {
            return Ok(None);
        }
        let head: Head = json::parse(body(head)?).ok_or(Fault::Corrupt)?;
        if head.chat != self.chat {
            return Err(Fault::OtherChat);
        }
        let base = hex::bytes(&head.base).ok_or(Fault::Corrupt)?;
        // Before the first line, nothing can have been folded.
        let early = head.length == 0
            && (json::text(&head.checkpoint) != json::text(&State::default()) || base != START);
        if early || head.length != stored.first || !hex::is(&head.salt, 64) {
            return Err(Fault::Corrupt);
        }
        let chain = Chain::after(head.length, base);
        Ok(Some((head, chain)))
    }

    /// Reads the data that is stored next to the entries, and gives up tabs that are silent.
    fn beside(&mut self, beside: Beside, now: u64) {
        let Beside { grants, notes, tabs, .. } = beside;
        let others = |tabs: &IdMap<String, u64>| -> Vec<String> {
            tabs.iter().map(|(tab, _)| tab.clone()).filter(|tab| *tab != self.session).collect()
        };
        self.revision += u32::from(others(&tabs) != others(&self.tabs));
        (self.grants, self.notes, self.tabs) = (grants, notes, tabs);
        let mut silent = Vec::new();
        let mut watched = IdMap::default();
        for (tab, beat) in self.tabs.iter().filter(|(tab, _)| *tab != self.session) {
            let known = self.watched.get(tab).filter(|(seen, _)| seen == beat);
            let since = known.map_or(now, |(_, since)| *since);
            if now.saturating_sub(since) >= LEASE {
                silent.push(tab.clone());
            }
            watched.insert(tab.clone(), (*beat, since));
        }
        self.watched = watched;
        silent.iter().for_each(|tab| self.give_up(tab));
    }

    /// Gives up another tab, which was silent for a lease or is known to be gone.
    pub fn give_up(&mut self, session: &str) {
        let had = self.tabs.len();
        self.tabs.retain(|tab, _| tab != session);
        if self.tabs.len() < had {
            self.dirty = true;
            self.revision += 1;
        }
    }

    /// Gives up all other tabs, when it is known that none exist.
    pub fn give_up_others(&mut self) {
        let had = self.tabs.len();
        self.tabs.retain(|tab, _| *tab == self.session);
        self.dirty |= self.tabs.len() < had;
    }
}
