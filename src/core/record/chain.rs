//! The lines of a record, each tied to all lines before it by a hash. Old lines are sealed: only their number
//! stays, and the hash from which the next line continues.

use std::collections::VecDeque;

use sha2::{Digest as _, Sha256};

use super::hex;
use super::line::Line;

/// The hash of a line together with all lines before it.
pub type Hash = [u8; 32];

/// The hash from which the first line continues.
pub const START: Hash = [0; 32];

/// The number of lines that are sealed at once.
pub const SEGMENT: usize = 64;

/// Keeps the hashes of a record apart from all other hashes.
const DOMAIN: &[u8] = b"tool-approval-guard/record/v1\n";

/// The hash of a line that follows the line with the hash `previous`.
pub fn link(previous: &Hash, text: &str) -> Hash {
    let mut hash = Sha256::new();
    hash.update(DOMAIN);
    hash.update(previous);
    hash.update(text.as_bytes());
    hash.finalize().into()
}

/// A line and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The line.
    pub line: Line,
    /// Its canonical JSON.
    pub text: String,
}

/// The lines of a record. Their hash is computed only on request, so that appending does not hash, and each
/// line is hashed only once.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    sealed: u64,
    base: Hash,
    kept: VecDeque<Kept>,
    /// The hashes at the ends of the segments among the first `hashed` kept lines.
    ends: VecDeque<Hash>,
    /// The number of kept lines that `head` covers.
    hashed: usize,
    head: Hash,
}

impl Chain {
    /// A chain that continues after this number of sealed lines, with this head.
    pub fn after(sealed: u64, head: Hash) -> Self {
        Self { sealed, base: head, head, ..Self::default() }
    }

    /// The number of all lines, including sealed ones.
    pub fn length(&self) -> u64 {
        self.sealed + self.kept.len() as u64
    }

    /// The number of sealed lines.
    pub fn sealed(&self) -> u64 {
        self.sealed
    }

    /// The hash from which the first kept line continues.
    pub fn base(&self) -> &Hash {
        &self.base
    }

    /// This number of lines, the newest ones, oldest first.
    pub fn newest(&self, count: usize) -> impl Iterator<Item = &Kept> {
        self.kept.range(self.kept.len().saturating_sub(count)..)
    }

    /// Appends a line with its text.
    pub fn push(&mut self, line: Line, text: String) {
        self.kept.push_back(Kept { line, text });
    }

    /// Returns the hash of all lines.
    pub fn head(&mut self) -> Hash {
        while let Some(next) = self.kept.get(self.hashed) {
            self.head = link(&self.head, &next.text);
            self.hashed += 1;
            if self.hashed % SEGMENT == 0 {
                self.ends.push_back(self.head);
            }
        }
        self.head
    }

    /// Seals the oldest segment if at least `keep` lines stay, and returns its lines.
    pub fn seal(&mut self, keep: usize) -> Option<Vec<Kept>> {
        if self.kept.len() < keep + SEGMENT {
            return None;
        }
        self.head();
        self.base = self.ends.pop_front()?;
        self.sealed += SEGMENT as u64;
        self.hashed -= SEGMENT;
        Some((0..SEGMENT).filter_map(|_| self.kept.pop_front()).collect())
    }

    /// The kept lines in the form of an export, each with its hash.
    pub fn hashed(&self) -> impl Iterator<Item = Line> {
        self.kept.iter().scan(self.base, |previous, kept| {
            *previous = link(previous, &kept.text);
            Some(Line { hash: Some(hex::of(previous)), ..kept.line.clone() })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seq: u64) -> Line {
        let line = Line { at: seq, ..Line::default() };
        line.seal(seq, "0123456789abcdef", "chat").expect("a line")
    }

    fn push(chain: &mut Chain, line: Line) {
        let text = line.text();
        chain.push(line, text);
    }

    fn chain(length: u64) -> Chain {
        let mut chain = Chain::default();
        (0..length).for_each(|seq| push(&mut chain, line(seq)));
        chain
    }

    #[test]
    fn the_hash_is_made_as_it_is_written_down() {
        let text = r#"{"at":0,"chatId":"chat","seq":0,"session":"0123456789abcdef","type":"noticed","v":1}"#;
        assert_eq!(line(0).text(), text);
        let bytes = [b"tool-approval-guard/record/v1\n", [0; 32].as_slice(), text.as_bytes()].concat();
        assert_eq!(chain(1).head(), <Hash>::from(Sha256::digest(bytes)));
        assert_eq!(chain(0).head(), START);
    }

    #[test]
    fn sealing_changes_neither_the_length_nor_the_head() {
        for keep in [1, 64, 100, 128] {
            let mut whole = chain(300);
            let head = whole.head();
            let mut lazy = chain(300);
            let mut sealed = Vec::new();
            for chain in [&mut whole, &mut lazy] {
                sealed.clear();
                while let Some(lines) = chain.seal(keep) {
                    assert_eq!(lines.len(), SEGMENT);
                    sealed.extend(lines);
                    assert_eq!(chain.sealed(), sealed.len() as u64);
                }
                assert_eq!((chain.length(), chain.head()), (300, head));
                assert!((keep..keep + SEGMENT).contains(&chain.kept.len()), "{keep}");
            }
            let base = sealed.iter().fold(START, |hash, kept| link(&hash, &kept.text));
            assert_eq!(whole.base(), &base);
            let last = whole.hashed().last().and_then(|line| line.hash);
            assert_eq!(last, Some(hex::of(&head)));
            push(&mut whole, line(300));
            assert_eq!(whole.head(), chain(301).head());
        }
    }

    #[test]
    fn a_chain_goes_on_after_a_seal() {
        let mut whole = chain(70);
        let mut rest = Chain::after(64, chain(64).head());
        (64..70).for_each(|seq| push(&mut rest, line(seq)));
        assert_eq!((rest.length(), rest.head()), (70, whole.head()));
        assert_eq!(rest.seal(1), None, "six lines are no segment");
    }
}
