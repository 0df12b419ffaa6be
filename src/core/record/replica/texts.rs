//! The two texts that are stored next to the entries, each with its checksum.

use sha2::{Digest as _, Sha256};

use crate::core::id_map::IdMap;
use crate::core::record::line::Line;
use crate::core::record::{Fault, MAX_GRANTS, MAX_NOTE, State, hex};

/// The beginning of each of these texts.
const MAGIC: &str = "tool-approval-guard/record ";
const VERSION: &str = "2";

fields! {
    /// The data that changes only when entries are sealed. It can be large.
    pub struct Head {
        pub base: String = "base",
        pub chat: String = "chat",
        pub checkpoint: State = "checkpoint",
        pub length: u64 = "length",
        pub salt: String = "salt",
    }
}

fields! {
    /// The data that changes with each write.
    pub struct Beside {
        pub grants: Option<Vec<String>> = "grants",
        /// The hash of all entries.
        pub hash: String = "hash",
        pub length: u64 = "length",
        pub notes: IdMap<String, String> = "notes",
        /// The tabs that others wait for, each with its beat.
        pub tabs: IdMap<String, u64> = "tabs",
    }
}

/// Puts the format, the version and the checksum in front of a text.
pub fn covered(text: String) -> String {
    [MAGIC, VERSION, " ", &checksum(&text), "\n", &text].concat()
}

/// The checksum of a text.
fn checksum(text: &str) -> String {
    hex::of(&Sha256::digest([MAGIC, VERSION, text].concat().as_bytes()))
}

/// Checks the checksum, and returns the text after it.
pub fn body(text: &str) -> Result<&str, Fault> {
    let rest = text.strip_prefix(MAGIC).ok_or(Fault::Foreign)?;
    let (version, rest) = rest.split_once(' ').ok_or(Fault::Corrupt)?;
    if version != VERSION {
        let newer = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
        return Err(if newer { Fault::Newer } else { Fault::Corrupt });
    }
    let (sum, body) = rest.split_once('\n').ok_or(Fault::Corrupt)?;
    if sum == checksum(body) { Ok(body) } else { Err(Fault::Corrupt) }
}

pub fn bounded(beside: &Beside) -> bool {
    let grants = beside.grants.as_deref().unwrap_or_default();
    let notes = beside.notes.iter().map(|(_, note)| note);
    grants.len() <= MAX_GRANTS && notes.chain(grants).all(|text| text.len() <= MAX_NOTE)
}

/// Reads the lines of new entries; `None` if one of them is not the next line of this chat.
pub fn lines(entries: &[String], from: u64, chat: &str) -> Option<Vec<Line>> {
    let read = |(seq, text): (u64, &String)| {
        Line::parse(text).ok().filter(|line| line.seq == seq && line.chat_id == chat)
    };
    (from..).zip(entries).map(read).collect()
}
