//! A record as one text: what one session has stored. Whatever is not exactly what was written is a [`Fault`],
//! and then nothing of it counts.

use sha2::{Digest as _, Sha256};

use super::chain::{Chain, START};
use super::line::{Line, short};
use super::{Fault, MAX_GRANTS, MAX_NOTE, Record, Sealed, Sections, State, hex, json};
use crate::core::event::EventKind;
use crate::core::id_map::IdMap;

/// So many bytes a document has.
pub const MAX_DOCUMENT: usize = 2 << 20;

/// What each document begins with.
const MAGIC: &str = "tool-approval-guard/record ";
const VERSION: &str = "1";

fields! {
    /// The first line of a document, behind its checksum: what may change with every write, and the hash of the
    /// second line. The other lines are those of the chain, which proves them.
    struct Meta {
        absorbed: Vec<String> = "absorbed",
        chat: String = "chat",
        counter: u64 = "counter",
        grants: Option<Vec<String>> = "grants",
        head: String = "head",
        notes: IdMap<String, String> = "notes",
        salt: String = "salt",
        sealed: String = "sealed",
        session: String = "session",
    }
}

fields! {
    /// The second line: what changes only when lines are sealed. It can be large.
    struct Base {
        base: String = "base",
        checkpoint: State = "checkpoint",
        length: u64 = "length",
        sections: Sections = "sections",
    }
}

impl Sealed {
    fn new(text: String) -> Self {
        Self { hash: hash(&text), text }
    }
}

fn hash(text: &str) -> String {
    hex::of(&Sha256::digest(text.as_bytes()))
}

/// The checksum of a document.
fn checksum(meta: &str) -> String {
    hash(&[MAGIC, VERSION, meta].concat())
}

impl Record {
    /// The text to be stored, and one more write counted. Older lines are sealed where it would be too large;
    /// fails where that does not help.
    pub fn encode(&mut self) -> Result<String, Fault> {
        self.counter += 1;
        self.tidy_notes();
        loop {
            let text = self.document();
            if text.len() <= MAX_DOCUMENT {
                return Ok(text);
            }
            let half = self.chain.kept().len() / 2;
            if !self.seal(half) {
                return Err(Fault::TooLarge);
            }
            while self.seal(half) {}
        }
    }

    /// The same text, and nothing else changes. What is written again each time is small.
    pub fn document(&mut self) -> String {
        let sealed = self.sealed.take().unwrap_or_else(|| Sealed::new(self.base()));
        let meta = json::text(&Meta {
            absorbed: self.absorbed.clone(),
            chat: self.chat.clone(),
            counter: self.counter,
            grants: self.grants.clone(),
            head: self.head(),
            notes: self.notes.clone(),
            salt: self.salt.clone(),
            sealed: sealed.hash.clone(),
            session: self.session.clone(),
        });
        let lines = self.chain.kept();
        let length = lines.iter().fold(0, |length, kept| length + 1 + kept.text.len());
        let mut text = String::with_capacity(128 + meta.len() + sealed.text.len() + length);
        for part in [MAGIC, VERSION, " ", &checksum(&meta), "\n", &meta, "\n", &sealed.text, "\n"] {
            text.push_str(part);
        }
        for kept in lines {
            text.push_str(&kept.text);
            text.push('\n');
        }
        self.sealed = Some(sealed);
        text
    }

    fn base(&self) -> String {
        json::object(&[
            ("base", &hex::of(self.chain.base())),
            ("checkpoint", &self.checkpoint),
            ("length", &self.chain.sealed()),
            ("sections", &self.sections),
        ])
    }

    /// Reads a stored text of this chat. What it knows of calls is folded again from its lines.
    pub fn decode(text: &str, chat: &str) -> Result<Self, Fault> {
        let rest = text.strip_prefix(MAGIC).ok_or(Fault::Foreign)?;
        if text.len() > MAX_DOCUMENT {
            return Err(Fault::TooLarge);
        }
        let (version, rest) = rest.split_once(' ').ok_or(Fault::Corrupt)?;
        if version != VERSION {
            let newer = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
            return Err(if newer { Fault::Newer } else { Fault::Corrupt });
        }
        let mut lines = rest.strip_suffix('\n').ok_or(Fault::Corrupt)?.split('\n');
        let mut next = || lines.next().ok_or(Fault::Corrupt);
        let (sum, meta, base) = (next()?, next()?, next()?);
        if sum != checksum(meta) {
            return Err(Fault::Corrupt);
        }
        let meta: Meta = json::parse(meta).ok_or(Fault::Corrupt)?;
        if meta.chat != short(chat) {
            return Err(Fault::OtherChat);
        }
        meta.record(base, lines).ok_or(Fault::Corrupt)
    }
}

impl Meta {
    fn record<'a>(self, base: &str, lines: impl Iterator<Item = &'a str>) -> Option<Record> {
        let sealed = Sealed::new(base.to_owned());
        let Base { base, checkpoint, length, sections } = json::parse(base)?;
        // Nothing can have been folded before the first line.
        let none = json::text(&State::default());
        let early = length == 0 && (json::text(&checkpoint) != none || base != hex::of(&START));
        if early || sealed.hash != self.sealed {
            return None;
        }
        let mut chain = Chain::after(length, hex::bytes(&base)?);
        let mut state = checkpoint.clone();
        let mut absorbed = 0;
        for text in lines {
            let line = Line::parse(text).ok()?;
            if line.seq != chain.length() || line.chat_id != self.chat {
                return None;
            }
            if line.kind == EventKind::Absorbed {
                absorbed += 1;
                sections.get(line.head.as_ref()?)?;
            }
            state.apply(&line, &sections);
            chain.push(line, text.to_owned());
        }
        let grants = self.grants.as_deref().unwrap_or_default();
        let notes = || self.notes.iter();
        let bounded = notes().map(|(_, note)| note).chain(grants).all(|text| text.len() <= MAX_NOTE);
        let good = bounded
            && hex::of(&chain.head()) == self.head
            && absorbed == sections.len()
            && grants.len() <= MAX_GRANTS
            && self.absorbed.iter().all(|session| hex::is(session, 16));
        let record = Record::new(&self.session, "", &self.salt, 0).filter(|_| good)?;
        Some(Record {
            chat: self.chat,
            counter: self.counter,
            absorbed: self.absorbed,
            chain,
            checkpoint,
            state,
            sections,
            notes: self.notes,
            grants: self.grants,
            sealed: Some(sealed),
            ..record
        })
    }
}
