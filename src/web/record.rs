//! The exports of the record. Results are typed values; entries, notes and grants cross as the JSON text that is
//! hashed or stored. Nothing here throws: a refusal returns the name of a [`Fault`], success returns `undefined`.

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::core::record::line::{self, Line};
use crate::core::record::{Fault, Record, verify};
use crate::web::values::to_js;

/// A stored document of one session.
#[wasm_bindgen]
pub struct DocumentCore {
    read: Result<Record, Fault>,
}

#[wasm_bindgen]
impl DocumentCore {
    /// Reads the stored text of a chat.
    pub fn read(text: &str, chat: &str) -> DocumentCore {
        Self { read: Record::decode(text, chat) }
    }

    /// Returns the fault of an unreadable document.
    pub fn fault(&self) -> Option<String> {
        self.read.as_ref().err().map(|fault| fault.name().to_owned())
    }

    /// Returns the salt of its hashes.
    pub fn salt(&self) -> Option<String> {
        self.read.as_ref().ok().map(|record| record.salt().to_owned())
    }

    /// Returns how often it was written.
    pub fn counter(&self) -> f64 {
        self.read.as_ref().map_or(0, Record::counter) as f64
    }

    /// Returns the list of recollections.
    pub fn known(&self) -> Option<JsValue> {
        self.read.as_ref().ok().map(|record| to_js(&record.known().recollections()))
    }
}

/// The record of one session.
#[wasm_bindgen]
pub struct RecordCore {
    record: Record,
}

#[wasm_bindgen]
impl RecordCore {
    /// Makes a record from 16 hexadecimal digits for the session, the chat, 64 random digits, and the number of
    /// entries to keep. Returns `undefined` if the digits are invalid.
    pub fn create(session: &str, chat: &str, salt: &str, keep: u32) -> Option<RecordCore> {
        Some(Self { record: Record::new(session, chat, salt, keep as usize)? })
    }

    /// Returns an id in the form that records use.
    pub fn id(id: &str) -> String {
        line::short(id)
    }

    /// Appends an entry, as JSON with its fields in the order of their names.
    pub fn append(&mut self, entry: &str) -> Option<String> {
        fault(Line::entry(entry).and_then(|line| self.record.append(line)))
    }

    /// Returns the hash of all entries.
    pub fn head(&mut self) -> String {
        self.record.head()
    }

    /// Returns the number of entries.
    pub fn length(&self) -> f64 {
        self.record.chain().length() as f64
    }

    /// Returns the salt of its hashes, which `inherit` may change.
    pub fn salt(&self) -> String {
        self.record.salt().to_owned()
    }

    /// Returns the hash of a text behind its salt, in hexadecimal digits.
    pub fn hash(&self, text: &str) -> String {
        self.record.hash(text)
    }

    /// Returns how often it was written.
    pub fn counter(&self) -> f64 {
        self.record.counter() as f64
    }

    /// Returns the list of recollections.
    pub fn known(&self) -> JsValue {
        to_js(&self.record.known().recollections())
    }

    /// Returns the figures.
    pub fn metrics(&self) -> JsValue {
        to_js(&self.record.metrics())
    }

    /// Returns the exact calls that ask most.
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

    /// Returns the document to be stored; `undefined` if it is too large.
    pub fn encode(&mut self) -> Option<String> {
        self.record.encode().ok()
    }

    /// Takes over the documents of ended sessions. `documents`: all readable ones of the chat; `dead`: the ended
    /// sessions. Returns the sessions whose documents can be removed once this record is stored; `undefined` if
    /// the record already has entries, and then nothing was taken over.
    pub fn inherit(
        &mut self,
        documents: Vec<DocumentCore>,
        dead: Vec<String>,
        at: f64,
    ) -> Option<Vec<String>> {
        let documents = documents.into_iter().filter_map(|document| document.read.ok()).collect();
        let is_dead = |session: &str| dead.iter().any(|dead| dead == session);
        self.record.inherit(documents, is_dead, at as u64).ok().map(|inherited| inherited.remove)
    }

    /// Keeps a note for a call until the call is settled.
    pub fn note(&mut self, approval: &str, note: &str) -> Option<String> {
        fault(self.record.note(approval, note))
    }

    /// Returns the notes: pairs of approval id and text.
    pub fn notes(&self) -> JsValue {
        to_js(&self.record.notes().iter().collect::<Vec<_>>())
    }

    /// Returns the stored grants, each as JSON.
    pub fn grants(&self) -> Option<Vec<String>> {
        self.record.grants().map(<[String]>::to_vec)
    }

    /// Replaces the stored grants; `None` stops storing them.
    pub fn set_grants(&mut self, grants: Option<Vec<String>>) -> Option<String> {
        fault(self.record.set_grants(grants))
    }

    /// Removes everything except its identity.
    pub fn forget(&mut self) {
        self.record.forget();
    }
}

fn fault(result: Result<(), Fault>) -> Option<String> {
    result.err().map(|fault| fault.name().to_owned())
}

/// Checks an export in JSON Lines against the heads that were kept elsewhere, oldest first.
#[wasm_bindgen]
pub fn verify(text: &str, heads: Vec<String>) -> JsValue {
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    to_js(&verify::verify(text, &heads).report())
}
