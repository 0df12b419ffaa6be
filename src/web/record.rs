//! The exports of the record. Results are typed values. Entries, notes and grants cross as the JSON text that
//! is hashed or stored. Nothing here throws: a failure returns the name of a [`Fault`], and success returns
//! `undefined`.

use js_sys::Array;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::core::record::line::{self, Line};
use crate::core::record::replica::{self, Stored};
use crate::core::record::{Fault, Replica};
use crate::web::values::to_js;

/// The record of a chat, as one tab holds it.
#[wasm_bindgen]
pub struct RecordCore {
    record: Replica,
}

#[wasm_bindgen]
impl RecordCore {
    /// Creates the record of a tab from 16 hexadecimal digits for the session, the chat, 64 random digits,
    /// the number of entries to keep, and whether other tabs may write. Returns `undefined` if the digits are
    /// invalid.
    pub fn create(session: &str, chat: &str, salt: &str, keep: u32, shared: bool) -> Option<RecordCore> {
        Some(Self { record: Replica::new(session, chat, salt, keep as usize, shared)? })
    }

    /// Returns an id in the form that records use.
    pub fn id(id: &str) -> String {
        line::short(id)
    }

    /// Reads the content of the store, inside a transaction.
    pub fn read(
        &mut self,
        head: Option<String>,
        state: Option<String>,
        first: f64,
        length: f64,
        entries: Vec<String>,
        now: f64,
    ) -> Option<String> {
        let (first, length) = (first as u64, length as u64);
        let stored =
            Stored { head: head.as_deref(), state: state.as_deref(), first, length, entries: &entries };
        fault(self.record.read(stored, now as u64))
    }

    /// Continues as if there were no other tab.
    pub fn go_alone(&mut self) {
        self.record.go_alone();
    }

    /// Gives up the session that this one continues.
    pub fn give_up(&mut self, session: &str) {
        self.record.give_up(session);
    }

    /// Gives up all other sessions.
    pub fn give_up_others(&mut self) {
        self.record.give_up_others();
    }

    /// Adds an entry, given as JSON with its fields in the order of their names. The next change writes it.
    pub fn append(&mut self, entry: &str) -> Option<String> {
        fault(Line::entry(entry).and_then(|line| self.record.append(line)))
    }

    /// Appends the pending entries to what was read.
    pub fn sequence(&mut self) {
        self.record.sequence();
    }

    /// Adds what has to be written in this transaction to a list; nothing if there is nothing to write.
    ///
    /// A list, because V8 11.3 (Node 20) can end the process with "unreachable code" when it leaves an inlined call of
    /// a module that returns an object. It did so after some minutes of a busy chat.
    pub fn change(&mut self, to: &Array) {
        if let Some(change) = self.record.change() {
            to.push(&to_js(&change));
        }
    }

    /// Reports that the change was written, or that there was none.
    pub fn written(&mut self) {
        self.record.written();
    }

    /// Reports that it is unknown whether the change was written.
    pub fn failed(&mut self) {
        self.record.failed();
    }

    /// Notes when the previous page of this tab was closed, by the wall clock.
    pub fn hear(&mut self, at: f64) {
        self.record.hear(at as u64);
    }

    /// Ends this tab, so that no other tab waits for it.
    pub fn leave(&mut self) {
        self.record.leave();
    }

    /// Returns whether another tab came first in this transaction.
    pub fn is_refused(&self) -> bool {
        self.record.is_refused()
    }

    /// Returns whether all answers that a request has claimed still belong to this tab.
    pub fn claims_hold(&self, request: f64) -> bool {
        self.record.claims_hold(request as u64)
    }

    /// Returns the time in milliseconds until another transaction is needed, or `undefined`.
    pub fn wakes_after(&self) -> Option<f64> {
        self.record.wakes_after().map(|wait| wait as f64)
    }

    /// Returns a number that changes whenever another tab has written.
    pub fn revision(&self) -> u32 {
        self.record.revision()
    }

    /// Returns whether everything is written.
    pub fn is_settled(&self) -> bool {
        self.record.is_settled()
    }

    /// Adds what this tab should be told about a call to a list, for the reason given at
    /// [`change`](Self::change). `commits`: this tab is in a transaction.
    pub fn recall(&self, approval: Option<String>, id: &str, tool: &str, commits: bool, to: &Array) {
        for told in self.record.recall(approval.as_deref(), id, tool, commits) {
            to.push(&to_js(&told));
        }
    }

    /// Returns whether a claim may still be used, by the clock of this tab. `began`: when its transaction began.
    pub fn may_send(began: f64, now: f64) -> bool {
        replica::may_send(began as u64, now as u64)
    }

    /// Returns the hash of all entries.
    pub fn head(&mut self) -> String {
        self.record.head()
    }

    /// Returns the number of entries.
    pub fn length(&self) -> f64 {
        self.record.chain().length() as f64
    }

    /// Returns the salted hash of a text, in hexadecimal digits.
    pub fn hash(&self, text: &str) -> String {
        self.record.hash(text)
    }

    /// Returns how many requests have left by themselves since a person acted.
    pub fn automatic(&self) -> f64 {
        self.record.state().automatic as f64
    }

    /// Returns the figures.
    pub fn metrics(&self) -> JsValue {
        to_js(&self.record.metrics())
    }

    /// Returns the calls that ask most often.
    pub fn load(&self, most: u32) -> JsValue {
        to_js(&self.record.state().load.top(most as usize))
    }

    /// Exports the record as `jsonl` or `csv`.
    pub fn export(&self, kind: &str) -> Option<String> {
        match kind {
            "jsonl" => Some(self.record.export_jsonl()),
            "csv" => Some(self.record.export_csv()),
            _ => None,
        }
    }

    /// Keeps a note for a call until the call is settled.
    pub fn keep_note(&mut self, approval: &str, note: &str) -> Option<String> {
        fault(self.record.note(approval, note))
    }

    /// Returns the note of a call. `approval` is its approval id, in the form that records use.
    pub fn note(&self, approval: String) -> Option<String> {
        self.record.notes().get(&approval).cloned()
    }

    /// Returns the stored grants, each as JSON.
    pub fn grants(&self) -> Option<Vec<String>> {
        self.record.grants().map(<[String]>::to_vec)
    }

    /// Replaces the grants of this tab; `undefined` removes all stored grants.
    pub fn set_grants(&mut self, grants: Option<Vec<String>>) -> Option<String> {
        fault(self.record.set_grants(grants))
    }

    /// Makes all stored grants those of this tab.
    pub fn adopt_grants(&mut self) {
        self.record.adopt_grants();
    }

    /// Removes everything except the identity of the tab.
    pub fn forget(&mut self) {
        self.record.forget();
    }
}

fn fault(result: Result<(), Fault>) -> Option<String> {
    result.err().map(|fault| fault.name().to_owned())
}
