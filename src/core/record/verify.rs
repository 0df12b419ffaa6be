//! Checks an export: whether it was edited, and whether lines are missing, inserted, duplicated or in a
//! different order. The result also says what an export alone cannot prove.

use super::chain::{Hash, START, link};
use super::export::{FORMAT, Header, SEALED, Sealed, VERSION};
use super::hex;
use super::json;
use super::line::{Line, MAX_LINE};
use crate::core::json::digits;
use serde::Serialize;

vocabulary! {
    /// The kinds of flaw in an export.
    Flaw {
        /// The first line is not the header of an export.
        Header = "header",
        /// The last line has no line break.
        Cut = "cut",
        /// A line is not an entry, or is not written in the form that the record writes.
        Entry = "not-an-entry",
        /// A line is longer than the maximum.
        TooLong = "too-long",
        /// The statement about sealed entries is impossible.
        Sealed = "sealed",
        /// A line belongs to another chat.
        Chat = "chat",
        /// A line does not follow the one before it.
        Order = "order",
        /// The hash does not fit: this line, or one before it, was changed.
        Hash = "hash",
        /// A head that was kept elsewhere is missing.
        Head = "head",
    }
}

impl Flaw {
    fn message(self) -> &'static str {
        match self {
            Self::Header => "The first line is not the header of a record of this version.",
            Self::Cut => "The last line does not end with a line break, so the text was cut.",
            Self::Entry => "This line is not an entry as the record writes it.",
            Self::TooLong => "This line is longer than an entry can be.",
            Self::Sealed => "What this line says of sealed entries cannot be.",
            Self::Chat => "This entry belongs to another chat.",
            Self::Order => {
                "This entry does not follow the one before it: entries are missing, doubled or in another order."
            }
            Self::Hash => {
                "The hash does not fit: this entry, or what came before it, is not what was recorded."
            }
            Self::Head => {
                "A head that was kept is not in this record: its end was cut off, or it was written anew."
            }
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No flaw was found.
    Intact {
        /// The number of entries, including sealed ones.
        entries: u64,
        /// The number of entries of which only the count and the hash are left.
        sealed: u64,
        /// The hash of all entries.
        head: String,
        /// The number of entries that are proven by a head that was kept elsewhere.
        proven: Option<u64>,
    },
    /// A flaw was found.
    Broken {
        /// The number of the line, from 1.
        line: usize,
        /// The kind of flaw.
        flaw: Flaw,
    },
}

impl Verdict {
    /// Whether all entries are proven by a head that was kept elsewhere.
    pub fn complete(&self) -> bool {
        matches!(self, Self::Intact { entries, proven, .. } if *proven == Some(*entries))
    }

    /// The verdict with a sentence, in the form of `RecordVerdict` in TypeScript.
    pub fn report(&self) -> Report<'_> {
        match self {
            Self::Broken { line, flaw } => {
                Report::Broken { code: *flaw, line: *line, message: flaw.message() }
            }
            Self::Intact { entries, sealed, head, proven } => {
                let message = match proven {
                    Some(proven) if proven == entries => {
                        "Intact and complete up to the head that was kept.".to_owned()
                    }
                    Some(proven) => [
                        "Intact, and complete up to entry ",
                        &digits(*proven),
                        ". Nothing proves that later ones are all that there were.",
                    ]
                    .concat(),
                    None => "Intact. Nothing proves that the end was not cut off, or that the whole was not written \
                             anew: that takes a head that was kept elsewhere."
                        .to_owned(),
                };
                Report::Intact {
                    complete: self.complete(),
                    entries: *entries,
                    head,
                    message,
                    proven_to: *proven,
                    sealed: *sealed,
                }
            }
        }
    }
}

/// A [`Verdict`] in the form that crosses to JavaScript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Report<'a> {
    /// No flaw was found.
    Intact {
        /// Whether all entries are proven by a head that was kept elsewhere.
        complete: bool,
        /// The number of entries, including sealed ones.
        entries: u64,
        /// The hash of all entries.
        head: &'a str,
        /// A sentence for readers.
        message: String,
        /// The number of entries that are proven by such a head.
        #[serde(skip_serializing_if = "Option::is_none")]
        proven_to: Option<u64>,
        /// The number of entries of which only the count and the hash are left.
        sealed: u64,
    },
    /// A line is not as it was recorded.
    Broken {
        /// The kind of flaw.
        code: Flaw,
        /// The number of the line, from 1.
        line: usize,
        /// A sentence for readers.
        message: &'static str,
    },
}

/// Checks an export in JSON Lines. `heads` are earlier values of `head`, oldest first, that were kept where
/// the record cannot change them. The text must contain the last one. An earlier one may be missing only if
/// the text does not show it because its entries are sealed.
pub fn verify(text: &str, heads: &[&str]) -> Verdict {
    match check(text, heads) {
        Ok(verdict) => verdict,
        Err((line, flaw)) => Verdict::Broken { line: line + 1, flaw },
    }
}

fn check(text: &str, heads: &[&str]) -> Result<Verdict, (usize, Flaw)> {
    // One line after the other: a list of them would take more memory than the text, which may be nothing but line
    // breaks.
    let mut rest = text;
    let mut next = || {
        let (line, after) = rest.split_once('\n')?;
        rest = after;
        Some(line)
    };
    let Some(chat) = next().and_then(header) else { return Err((0, Flaw::Header)) };
    let mut head = START;
    let mut sealed = 0;
    let mut number = 1;
    let mut line = next();
    if let Some(text) = line.filter(|line| line.ends_with("\"type\":\"sealed\"}")) {
        (sealed, head) = seal(text).ok_or((number, Flaw::Sealed))?;
        number = 2;
        line = next();
    }
    let mut seq = sealed;
    let mut anchors = Anchors::new(heads, sealed);
    anchors.compare(&head, seq);
    while let Some(text) = line {
        head = entry(text, &chat, seq, &head).map_err(|flaw| (number, flaw))?;
        seq += 1;
        anchors.compare(&head, seq);
        number += 1;
        line = next();
    }
    // The text after the last line break is not a line.
    if !rest.is_empty() {
        return Err((number, Flaw::Cut));
    }
    let end = number - 1;
    // Sealed entries must be followed by kept ones.
    if sealed > 0 && seq == sealed {
        return Err((end, Flaw::Sealed));
    }
    let proven = anchors.proven().map_err(|()| (end, Flaw::Head))?;
    Ok(Verdict::Intact { entries: seq, sealed, head: hex::of(&head), proven })
}

fn header(text: &str) -> Option<String> {
    let header: Header = json::parse(text)?;
    let good = header.format == FORMAT && header.version == VERSION && json::text(&header) == text;
    good.then_some(header.chat_id)
}

fn seal(text: &str) -> Option<(u64, Hash)> {
    let sealed: Sealed = json::parse(text)?;
    let good = sealed.kind == SEALED && sealed.from == 0 && sealed.to > 0 && json::text(&sealed) == text;
    Some((sealed.to, hex::bytes(&sealed.head).filter(|_| good)?))
}

fn entry(text: &str, chat: &str, seq: u64, previous: &Hash) -> Result<Hash, Flaw> {
    if text.len() > MAX_LINE {
        return Err(Flaw::TooLong);
    }
    let mut line = Line::exported(text).map_err(|_| Flaw::Entry)?;
    let Some(claimed) = line.hash.take() else { return Err(Flaw::Entry) };
    if line.chat_id != chat {
        return Err(Flaw::Chat);
    }
    if line.seq != seq {
        return Err(Flaw::Order);
    }
    let hash = link(previous, &line.text());
    if hex::of(&hash) == claimed { Ok(hash) } else { Err(Flaw::Hash) }
}

/// The kept heads that the text contains, and their positions.
struct Anchors<'a> {
    heads: &'a [&'a str],
    sealed: u64,
    found: Vec<Option<u64>>,
}

impl<'a> Anchors<'a> {
    fn new(heads: &'a [&'a str], sealed: u64) -> Self {
        Self { heads, sealed, found: vec![None; heads.len()] }
    }

    fn compare(&mut self, hash: &Hash, entries: u64) {
        if self.heads.is_empty() {
            return;
        }
        let hash = hex::of(hash);
        for (head, found) in self.heads.iter().zip(&mut self.found) {
            if *head == hash {
                *found = Some(entries);
            }
        }
    }

    /// The number of entries that the last head proves; `None` if no head was given. Fails if a head is
    /// missing, or if the heads are in a different order.
    fn proven(&self) -> Result<Option<u64>, ()> {
        let shown: Vec<u64> = match self.found.iter().position(Option::is_some) {
            None if self.heads.is_empty() => return Ok(None),
            None => return Err(()),
            Some(at) if at > 0 && self.sealed == 0 => return Err(()),
            Some(at) => {
                let shown: Option<Vec<u64>> = self.found.iter().skip(at).copied().collect();
                shown.ok_or(())?
            }
        };
        if shown.is_sorted() { Ok(shown.last().copied()) } else { Err(()) }
    }
}
