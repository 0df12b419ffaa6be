//! The record of a chat: what happened, provably, and what has to be known of it after a reload. The ledger
//! lives as long as a page; a record goes on from page to page, and holds no input, output or reason.
//!
//! The lines are the only truth. What is [`known`], the [`metrics`] and the [`load`] are folded from them; a
//! stored record has the fold only of those lines that it has no longer.

#[macro_use]
pub mod json;

pub mod chain;
pub mod export;
mod fault;
mod hex;
pub mod known;
pub mod known_call;
pub mod line;
pub mod load;
pub mod metrics;
pub mod reader;
mod recollection;
pub mod stored;
pub mod stored_call;
pub mod verify;

use std::mem::take;

use sha2::{Digest as _, Sha256};

pub use fault::Fault;
pub use recollection::Recollection;

use crate::core::id_map::IdMap;
use chain::Chain;
use known::Known;
use line::Line;
use load::Load;
use metrics::Metrics;

use crate::core::event::EventKind;

/// So many bytes one note or one stored grant has.
pub const MAX_NOTE: usize = 4096;
/// So many grants are stored.
pub const MAX_GRANTS: usize = 256;
/// So many entries can be kept, and at least so many are.
const KEEP: std::ops::RangeInclusive<usize> = 64..=10_000;
/// So many states of other sessions are kept apart.
const MOST_SECTIONS: usize = 8;

fields! {
    /// What lines add up to.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct State {
        /// The calls.
        pub known: Known = "known",
        /// The calls that ask most.
        pub load: Load = "load",
        /// What was counted.
        pub metrics: Metrics = "metrics",
    }
}

/// The states of absorbed chains, by their heads.
pub type Sections = IdMap<String, State>;

impl State {
    /// Takes one line. Where that says that another chain ended here, what that chain added up to is among
    /// the sections.
    pub fn apply(&mut self, line: &Line, sections: &Sections) {
        if line.kind == EventKind::Absorbed {
            if let Some(section) = line.head.as_ref().and_then(|head| sections.get(head)) {
                let other = section.clone();
                let both = self.known.merge(&other.known);
                self.metrics.merge(other.metrics, &both);
                self.load.merge(other.load);
            }
            return;
        }
        let change = self.known.apply(line);
        self.metrics.apply(line, change);
        if matches!(line.kind, EventKind::Asked | EventKind::Answered)
            && let Some(call) = self.known.of(line)
        {
            self.load.apply(line, call, change);
        }
    }
}

/// What became of the documents of a chat when a session began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inherited {
    /// The sessions that go on in this one.
    pub taken: Vec<String>,
    /// The sessions whose documents are of no more use once this record is stored.
    pub remove: Vec<String>,
}

/// Where the record stands whose chain is the most recent one.
fn latest(records: &[Record]) -> Option<usize> {
    let recent = |record: &Record| record.chain.kept().back().map(|kept| kept.line.at);
    let key = |(_, record): &(usize, &Record)| (recent(record), record.counter, record.session.clone());
    records.iter().enumerate().max_by_key(key).map(|(at, _)| at)
}

/// What stands above the lines of a document as it was written, and its hash.
#[derive(Clone, Debug)]
struct Sealed {
    text: String,
    hash: String,
}

/// The record of one session, with all that it has taken over from earlier ones.
#[derive(Clone, Debug)]
pub struct Record {
    session: String,
    chat: String,
    salt: String,
    keep: usize,
    counter: u64,
    /// The sessions whose documents are in this one, and may still be there.
    absorbed: Vec<String>,
    chain: Chain,
    /// What the sealed lines add up to.
    checkpoint: State,
    /// What all lines add up to.
    state: State,
    sections: Sections,
    notes: IdMap<String, String>,
    grants: Option<Vec<String>>,
    /// What stands above the lines of the document, where it is still the same as when it was written last.
    sealed: Option<Sealed>,
}

impl Record {
    /// The record of a new session: 16 hexadecimal digits, a chat, 64 digits that nobody can guess, and how
    /// many entries are kept. Nothing, where session or salt are not such digits.
    pub fn new(session: &str, chat: &str, salt: &str, keep: usize) -> Option<Self> {
        (hex::is(session, 16) && hex::is(salt, 64)).then(|| Self {
            session: session.to_owned(),
            chat: line::short(chat),
            salt: salt.to_owned(),
            keep: keep.clamp(*KEEP.start(), *KEEP.end()),
            counter: 0,
            absorbed: Vec::new(),
            chain: Chain::default(),
            checkpoint: State::default(),
            state: State::default(),
            sections: Sections::default(),
            notes: IdMap::default(),
            grants: None,
            sealed: None,
        })
    }

    /// The session that writes it.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The salt of its hashes.
    pub fn salt(&self) -> &str {
        &self.salt
    }

    /// The hash of a text behind the salt, in hexadecimal digits: who reads a record cannot look short inputs up.
    pub fn hash(&self, text: &str) -> String {
        let salt: [u8; 32] = hex::bytes(&self.salt).unwrap_or_default();
        hex::of(&Sha256::new().chain_update(salt).chain_update(text).finalize())
    }

    /// How often it was written, by this session and by those that it goes on from.
    pub fn counter(&self) -> u64 {
        self.counter
    }

    /// The sessions whose documents are in this one.
    pub fn absorbed(&self) -> &[String] {
        &self.absorbed
    }

    /// The lines.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The hash of all lines, for the server: with it a cut end can be found.
    pub fn head(&mut self) -> String {
        hex::of(&self.chain.head())
    }

    /// What recovery needs.
    pub fn known(&self) -> &Known {
        &self.state.known
    }

    /// What all lines add up to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the figures.
    pub fn metrics(&self) -> metrics::Figures {
        self.state.metrics.figures(self.state.known.waiting(&self.session))
    }

    /// Appends an entry. Nothing changes where it is refused.
    pub fn append(&mut self, entry: Line) -> Result<(), Fault> {
        let line = entry.seal(self.chain.length(), &self.session, &self.chat)?;
        self.state.apply(&line, &self.sections);
        self.drop_notes(&line);
        let text = line.text();
        self.chain.push(line, text);
        self.seal(self.keep);
        Ok(())
    }

    /// Seals the oldest segment, if more than so many lines stay.
    fn seal(&mut self, keep: usize) -> bool {
        let Some(lines) = self.chain.seal(keep) else { return false };
        self.sealed = None;
        for kept in lines {
            self.checkpoint.apply(&kept.line, &self.sections);
            if let (EventKind::Absorbed, Some(head)) = (kept.line.kind, &kept.line.head) {
                self.sections.retain(|other, _| other != head);
            }
        }
        true
    }

    /// Takes over what the sessions before it have left. `documents`: all of this chat; `dead`: is the session
    /// over? `at`: what the wall clock says.
    ///
    /// The most recent chain goes on. Of each other one a line stays, and what it adds up to is merged. A
    /// document that another one has absorbed is ignored, so that nothing is doubled where a page died before
    /// it could remove it. Fails where this session has entries already.
    pub fn inherit(
        &mut self,
        documents: Vec<Self>,
        dead: impl Fn(&str) -> bool,
        at: u64,
    ) -> Result<Inherited, Fault> {
        if self.chain.length() > 0 {
            return Err(Fault::Late);
        }
        let mut result = Inherited::default();
        let mut others: Vec<Self> = documents
            .into_iter()
            .filter(|other| other.session != self.session && dead(&other.session))
            .collect();
        // One that another one has taken over may have gone on since: nobody could know that it lived. What is new
        // in it counts, and what is not is found in the chain of the other.
        self.absorbed.clear();
        while let Some(latest) = latest(&others) {
            let other = others.remove(latest);
            match result.taken.is_empty() {
                true => self.go_on(&mut result, other),
                false => self.absorb(&mut result, other, at)?,
            }
        }
        while self.sections.len() > MOST_SECTIONS && self.seal(1) {}
        Ok(result)
    }

    fn go_on(&mut self, result: &mut Inherited, other: Self) {
        self.over(result, &other);
        let Self { keep, counter, .. } = *self;
        let (session, chat) = (take(&mut self.session), take(&mut self.chat));
        *self = Self { session, chat, keep, counter, absorbed: take(&mut self.absorbed), ..other };
    }

    fn absorb(&mut self, result: &mut Inherited, mut other: Self, at: u64) -> Result<(), Fault> {
        self.over(result, &other);
        let head = other.chain.head();
        // Nothing is new in a chain that this one goes on from, or has taken over.
        let name = hex::of(&head);
        let taken = self.chain.kept().iter().any(|kept| kept.line.head.as_ref() == Some(&name));
        if other.chain.length() == 0 || taken || self.chain.contains(&head) {
            return Ok(());
        }
        let mut section = other.state;
        if other.salt == self.salt {
            if let Some(grants) = other.grants {
                let mine = self.grants.get_or_insert_default();
                for grant in grants {
                    if !mine.contains(&grant) && mine.len() < MAX_GRANTS {
                        mine.push(grant);
                    }
                }
            }
        } else {
            // Hashes of another salt say nothing here.
            section.known.forget_inputs();
            section.load = Load::default();
        }
        for (approval, note) in other.notes.into_entries() {
            if self.notes.get(&approval).is_none() {
                self.notes.insert(approval, note);
            }
        }
        self.sections.insert(name.clone(), section);
        self.sealed = None;
        let count = Some(other.chain.length());
        self.append(Line { kind: EventKind::Absorbed, at, count, head: Some(name), ..Line::default() })
    }

    fn over(&mut self, result: &mut Inherited, other: &Self) {
        self.counter = self.counter.max(other.counter);
        self.absorbed.push(other.session.clone());
        result.taken.push(other.session.clone());
        result.remove.push(other.session.clone());
    }

    /// Keeps a text for a call until it is settled: what recovery needs and no line has.
    pub fn note(&mut self, approval: &str, note: &str) -> Result<(), Fault> {
        let approval = line::short(approval);
        if note.len() > MAX_NOTE {
            return Err(Fault::TooLarge);
        }
        if !self.known().is_open(&approval) {
            return Err(Fault::Unknown);
        }
        self.notes.insert(approval, note.to_owned());
        Ok(())
    }

    /// The texts, by approval id.
    pub fn notes(&self) -> &IdMap<String, String> {
        &self.notes
    }

    fn drop_notes(&mut self, line: &Line) {
        if self.notes.is_empty() {
            return;
        }
        if line.kind == EventKind::Absorbed {
            self.tidy_notes();
        }
        let known = &self.state.known;
        if let Some(approval) = &line.approval_id
            && known.of(line).is_some_and(|call| call.call.closed())
            && !known.is_open(approval)
        {
            self.notes.retain(|other, _| other != approval);
        }
    }

    /// Drops the texts of all calls that are settled or not known any more.
    fn tidy_notes(&mut self) {
        let known = &self.state.known;
        self.notes.retain(|approval, _| known.is_open(approval));
    }

    /// The grants that are stored, each a JSON object as it was given; nothing, where none are to be.
    pub fn grants(&self) -> Option<&[String]> {
        self.grants.as_deref()
    }

    /// Stores these grants, or none at all any more.
    pub fn set_grants(&mut self, grants: Option<Vec<String>>) -> Result<(), Fault> {
        let list = grants.as_deref().unwrap_or_default();
        if list.len() > MAX_GRANTS || list.iter().any(|grant| grant.len() > MAX_NOTE) {
            return Err(Fault::TooLarge);
        }
        self.grants = grants;
        Ok(())
    }

    /// Forgets everything but who it is. The chain begins again.
    pub fn forget(&mut self) {
        if let Some(fresh) = Self::new(&self.session, "", &self.salt, self.keep) {
            *self = Self { chat: take(&mut self.chat), counter: self.counter, ..fresh };
        }
    }
}
