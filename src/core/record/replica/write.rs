//! The writes of a transaction.

use std::mem::take;

use super::texts::{Beside, Head, covered};
use super::{Change, Replica};
use crate::core::event::EventKind;
use crate::core::record::known_call::{KnownCall, is_seen};
use crate::core::record::line::Line;
use crate::core::record::{Fault, hex, json};

impl Replica {
    /// Adds an entry of this tab, which the next [`change`](Self::change) writes.
    ///
    /// # Errors
    ///
    /// Fails if it is not a valid entry.
    pub fn append(&mut self, entry: Line) -> Result<(), Fault> {
        let entry = entry.seal(0, &self.session, &self.chat)?;
        if entry.kind == EventKind::Sent && entry.approved == Some(true) {
            let request = entry.request.unwrap_or_default();
            let before = if self.claimed.0 == request { self.claimed.1 } else { 0 };
            self.claimed = (request, before + 1);
        }
        self.pending.push_back(entry);
        Ok(())
    }

    /// Appends the pending entries of this tab to what was read. Only after this are questions about the
    /// current state answered correctly.
    pub fn sequence(&mut self) {
        while let Some(line) = self.pending.pop_front() {
            if line.kind == EventKind::Elsewhere && !self.is_answered_elsewhere(&line) {
                continue; // This is no longer the case.
            }
            let line = self.judged(line);
            let line = Line { seq: self.chain.length(), ..line };
            let text = line.text();
            self.push(line, text);
            self.unconfirmed += 1;
        }
    }

    /// Returns what this tab has to write in this transaction; `None` if there is nothing to write.
    /// Afterwards, call [`written`](Self::written) or [`failed`](Self::failed) to report the result.
    pub fn change(&mut self) -> Option<Change> {
        self.sequence();
        self.written_notes.append(&mut self.pending_notes);
        for (approval, note) in self.written_notes.clone() {
            if self.known().is_open(&approval) && self.notes.get(&approval) != Some(&note) {
                self.notes.insert(approval, note);
                self.dirty = true;
            }
        }
        self.written_grants = self.pending_grants.take().or(self.written_grants.take());
        if let Some(own) = &self.written_grants {
            let all = self.with_grants(own);
            self.dirty |= all != self.grants;
            self.grants = all;
        }
        self.count_beat();
        if self.unconfirmed == 0 && !self.dirty {
            return None;
        }
        let known = &self.state.known;
        self.notes.retain(|approval, _| known.is_open(approval));
        let append = self.chain.newest(self.unconfirmed).map(|kept| kept.text.clone()).collect();
        let first = self.chain.sealed();
        let head = (self.stored_first != Some(first)).then(|| self.head_text());
        Some(Change { append, first, head, state: self.state_text() })
    }

    /// Increases the beat of this tab if others wait for it, to show that it is alive. Any other tab has no
    /// beat.
    fn count_beat(&mut self) {
        let waits =
            self.shared && self.state.known.calls().iter().any(|call| call.holder() == Some(&self.session));
        if waits {
            self.beat += 1;
            self.tabs.insert(self.session.clone(), self.beat);
            self.dirty = true;
        } else {
            let session = take(&mut self.session);
            self.give_up(&session);
            self.session = session;
        }
    }

    /// Continues as if there were no other tab, because the store cannot be used. What an open tab has decided is
    /// for that tab, and may have been sent.
    pub fn go_alone(&mut self) {
        self.leave();
        self.unheard = take(&mut self.tabs);
        self.revision += 1;
        self.begin();
        self.written();
    }

    /// Notes a time that another page has known. Law 12: a clock that is earlier now was set back.
    pub fn hear(&mut self, at: u64) {
        self.latest = self.latest.max(at);
    }

    /// Ends this tab, so that no other tab waits for it.
    pub fn leave(&mut self) {
        self.shared = false;
    }

    /// Reports that the last change was written.
    pub fn written(&mut self) {
        self.unconfirmed = 0;
        self.written_notes.clear();
        if let Some(own) = self.written_grants.take() {
            self.own_grants = own.unwrap_or_default();
        }
        self.dirty = false;
        self.refused = false;
        self.stored_first = Some(self.chain.sealed());
        // The sealed entries are removed from the store with the next change.
        while self.seal(self.keep) {}
    }

    /// Reports that it is unknown whether the last change was written. The whole document is then read again,
    /// and entries that are missing from it are written again.
    pub fn failed(&mut self) {
        if !self.is_read {
            return;
        }
        self.doubled_from = self.chain.length() - self.unconfirmed as u64;
        let again = self.chain.newest(take(&mut self.unconfirmed)).map(|kept| kept.line.clone());
        self.pending = again.chain(take(&mut self.pending)).collect();
        let fresh = Self::new(&self.session, "", &self.salt, self.keep, self.shared);
        if let Some(fresh) = fresh {
            self.chain = fresh.chain;
            (self.state, self.checkpoint) = (fresh.state, fresh.checkpoint);
            self.stored_first = None;
            self.is_read = false;
            self.refused = false;
        }
    }

    fn head_text(&self) -> String {
        covered(json::text(&Head {
            base: hex::of(self.chain.base()),
            chat: self.chat.clone(),
            checkpoint: self.checkpoint.clone(),
            length: self.chain.sealed(),
            salt: self.salt.clone(),
        }))
    }

    fn state_text(&mut self) -> String {
        covered(json::text(&Beside {
            grants: self.grants.clone(),
            hash: self.head(),
            length: self.chain.length(),
            notes: self.notes.clone(),
            tabs: self.tabs.clone(),
        }))
    }

    /// Applies a line to the fold, and adds it to the chain.
    pub(super) fn push(&mut self, line: Line, text: String) {
        if let Some(name) = line.approval_id.as_ref().or(line.tool_call_id.as_ref()) {
            let is_own = line.session == self.session;
            let is_denied =
                line.kind == EventKind::Answered && is_seen(line.actor) && line.approved == Some(false);
            if is_own && (is_denied || self.seen.get(name).is_none()) {
                self.seen.insert(name.clone(), is_denied);
            }
            let is_new = self.opened.is_some_and(|opened| opened <= line.seq);
            // The first time: what is sent again was over when this tab was opened, or this tab had heard of it.
            let waited = || self.known().of(&line).and_then(KnownCall::holder) == Some(&line.session);
            if !is_own && is_new && line.kind == EventKind::Sent && waited() {
                self.sent_since.insert(name.clone(), ());
            }
        }
        if line.session != self.session {
            self.hear(line.at);
        }
        self.state.apply(&line);
        if let Some(approval) = &line.approval_id
            && !self.notes.is_empty()
            && !self.state.known.is_open(approval)
        {
            self.notes.retain(|other, _| other != approval);
        }
        self.chain.push(line, text);
    }

    /// Seals the oldest segment if at least `keep` lines stay, and returns whether it did.
    pub(super) fn seal(&mut self, keep: usize) -> bool {
        let Some(lines) = self.chain.seal(keep) else { return false };
        lines.iter().for_each(|kept| self.checkpoint.apply(&kept.line));
        true
    }
}
