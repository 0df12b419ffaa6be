//! The reports of a replica.

use std::mem::take;

use sha2::{Digest as _, Sha256};

use super::Replica;
use crate::core::call::Delivery;
use crate::core::guard::Reach;
use crate::core::id_map::IdMap;
use crate::core::record::chain::Chain;
use crate::core::record::known::Known;
use crate::core::record::known_call::{Answer, KnownCall};
use crate::core::record::line::{self, Line};
use crate::core::record::recollection::Recollection;
use crate::core::record::{Fault, MAX_GRANTS, MAX_NOTE, State, export, hex, metrics};

impl Replica {
    /// The salted hash of a text, in hexadecimal digits. Because of the salt, a reader of the record cannot
    /// look up short inputs in a table.
    pub fn hash(&self, text: &str) -> String {
        let salt: [u8; 32] = hex::bytes(&self.salt).unwrap_or_default();
        hex::of(&Sha256::new().chain_update(salt).chain_update(text).finalize())
    }

    /// The lines.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Whether all entries of this tab are written.
    pub fn is_settled(&self) -> bool {
        self.pending.is_empty()
            && self.pending_notes.is_empty()
            && self.pending_grants.is_none()
            && self.unconfirmed == 0
    }

    /// The hash of all lines, to be kept on the server, where it can reveal that the end of a record was cut
    /// off.
    pub fn head(&mut self) -> String {
        hex::of(&self.chain.head())
    }

    /// The facts that recovery needs.
    pub fn known(&self) -> &Known {
        &self.state.known
    }

    /// The fold of all lines.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the figures. A question counts as waiting if this tab shows it.
    pub fn metrics(&self) -> metrics::Figures {
        self.state.metrics.figures(self.known().waiting(|call| self.has_seen(call)))
    }

    /// JSON Lines: a header, a line for the sealed lines, and each kept line with its hash.
    pub fn export_jsonl(&self) -> String {
        export::jsonl(&self.chat, &self.chain)
    }

    /// CSV (RFC 4180).
    pub fn export_csv(&self) -> String {
        export::csv(&self.chain)
    }

    /// The number of changes that came from other tabs.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// The other tabs' knowledge of the call with these ids. Without an approval id, these are the calls to which a part may
    /// belong that has lost its approval.
    ///
    /// `commits`: this tab is in a transaction. Only there does the draft of another open tab count, which can still be
    /// undone; elsewhere only that there is a drafted denial.
    pub fn recall(&self, approval: Option<&str>, id: &str, tool: &str, commits: bool) -> Vec<Recollection> {
        let known = self.known();
        let candidates = match approval {
            Some(_) => known.call(approval, id, tool).into_iter().collect(),
            None => known.lone(id, tool),
        };
        let known = candidates.into_iter().filter(|call| self.is_told(call));
        known.map(|call| self.recollection(call, commits)).collect()
    }

    fn recollection(&self, call: &KnownCall, commits: bool) -> Recollection {
        let elsewhere = self.is_elsewhere(call);
        let latest = Some(self.latest);
        let mut known = Recollection { elsewhere, latest, ..call.recollection() };
        let is_unheard = self.is_unheard(call);
        if known.draft && (is_unheard || (elsewhere && !commits)) {
            // A denial lets no other answer of this tab stand (law 7).
            let draft = !is_unheard && known.approved == Some(false);
            known = Recollection { approved: None, actor: None, draft, elsewhere: false, ..known };
        }
        if is_unheard && known.approved == Some(true) && known.reach == Reach::Unsent {
            known.reach = Reach::Sent;
        }
        if self.has_seen(call) {
            (known.asked_at, known.deadline) = (None, None);
        }
        known
    }

    /// Whether the call waits for a tab of which this one hears nothing any more.
    pub(super) fn is_unheard(&self, call: &KnownCall) -> bool {
        call.holder().is_some_and(|holder| self.unheard.get(holder).is_some())
    }

    /// Whether the facts that stand come from another tab.
    fn is_told(&self, call: &KnownCall) -> bool {
        let waits = |line: &Line| {
            line.approval_id == call.approval_id && line.tool_call_id.as_ref() == Some(&call.tool_call_id)
        };
        if self.pending.iter().any(waits) {
            return false; // This tab has newer facts about it.
        }
        match (call.holder(), &call.answer) {
            (Some(holder), _) => *holder != self.session,
            (None, Some(answer)) => call.sender(answer) != self.session,
            // No answer stands, and this tab may have been told of one.
            (None, None) => true,
        }
    }

    /// Whether this tab shows the call.
    fn has_seen(&self, call: &KnownCall) -> bool {
        self.seen.get(name(call)).is_some()
    }

    /// Whether this tab has found the denial of the call in its messages.
    pub(super) fn has_found_denied(&self, call: &KnownCall) -> bool {
        self.seen.get(name(call)) == Some(&true)
    }

    /// Whether another tab has yet to send the answer, or has sent it since this tab was opened.
    fn is_elsewhere(&self, call: &KnownCall) -> bool {
        if let Some(holder) = call.holder() {
            return self.tabs.get(&holder.to_owned()).is_some();
        }
        let is_over = call.call.denial_settled() || call.call.output().is_some();
        let arrived = is_over || call.call.delivery() == Delivery::Arrived;
        // A tool of the page runs for a while, so its tab may send an answer that was given before.
        let is_sent = self.sent_since.get(name(call)).is_some();
        let is_new = |answer: &Answer| {
            (is_sent || Some(answer.seq) >= self.opened) && call.sender(answer) != self.session
        };
        arrived && call.answer.as_ref().is_some_and(is_new)
    }

    // ---- notes and grants --------------------------------------------------------------------

    /// Keeps a text for a call until the call is settled, for data that recovery needs and that no line
    /// contains. The text is dropped with the next change if there is no unsettled call with this approval
    /// id.
    ///
    /// # Errors
    ///
    /// Fails if the text is too long.
    pub fn note(&mut self, approval: &str, note: &str) -> Result<(), Fault> {
        if note.len() > MAX_NOTE {
            return Err(Fault::TooLarge);
        }
        self.pending_notes.push((line::short(approval), note.to_owned()));
        Ok(())
    }

    /// The kept texts, by approval id.
    pub fn notes(&self) -> &IdMap<String, String> {
        &self.notes
    }

    /// The stored grants, each as the JSON object that was given; `None` if no grants are to be stored.
    pub fn grants(&self) -> Option<&[String]> {
        self.grants.as_deref()
    }

    /// Stores the grants of this tab in place of its earlier ones; `None` removes all stored grants.
    ///
    /// # Errors
    ///
    /// Fails if there are too many grants, or if one is too long.
    pub fn set_grants(&mut self, grants: Option<Vec<String>>) -> Result<(), Fault> {
        let own = grants.as_deref().unwrap_or_default();
        if own.len() > MAX_GRANTS || own.iter().any(|grant| grant.len() > MAX_NOTE) {
            return Err(Fault::TooLarge);
        }
        self.pending_grants = Some(grants);
        Ok(())
    }

    /// The grants to store: those of other tabs, followed by these. What this tab had stored, and another one has
    /// removed, was revoked there.
    pub(super) fn with_grants(&self, own: &Option<Vec<String>>) -> Option<Vec<String>> {
        let own = own.as_ref()?;
        let mut all = self.grants.clone().unwrap_or_default();
        let is_revoked = |grant: &String| self.own_grants.contains(grant) && !all.contains(grant);
        let own: Vec<String> = own.iter().filter(|grant| !is_revoked(grant)).cloned().collect();
        all.retain(|grant| !self.own_grants.contains(grant) && !own.contains(grant));
        all.extend(own);
        all.drain(..all.len().saturating_sub(MAX_GRANTS));
        Some(all)
    }

    /// Makes all stored grants those of this tab.
    pub fn adopt_grants(&mut self) {
        self.own_grants = self.grants.clone().unwrap_or_default();
    }

    /// Removes everything except the identity of this tab. A new document begins.
    pub fn forget(&mut self) {
        if let Some(fresh) = Self::new(&self.session, "", &self.salt, self.keep, self.shared) {
            let (revision, latest) = (self.revision + 1, self.latest);
            *self = Self { chat: take(&mut self.chat), revision, latest, ..fresh };
        }
    }
}

/// The id by which a tab notes a call.
fn name(call: &KnownCall) -> &String {
    call.approval_id.as_ref().unwrap_or(&call.tool_call_id)
}
