//! What is known of a text while it is scanned, and how its bytes are read.

use super::flags::Program;
use super::names::{self, Secrecy};
use super::quotes::Quotes;
use super::view::View;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct ScanOptions {
    /// For a record.
    pub strict: bool,
    /// Also for what a generator made.
    pub keys: bool,
    /// The text is a path: it stays whole but for keys and what is in a query.
    pub path: bool,
}

impl ScanOptions {
    /// At any text.
    pub fn at(view: View) -> Self {
        Self { strict: view == View::Record, keys: true, path: false }
    }
}

/// What is known of a text up to a place.
pub struct Scanner<'a> {
    text: &'a str,
    /// The same, for what is only ASCII.
    pub bytes: &'a [u8],
    pub looks: ScanOptions,
    /// What is to be masked, from and to.
    pub spans: Vec<(usize, usize)>,
    /// The program whose words these are.
    pub program: Option<Program>,
    /// Up to here nothing is taken for the work of a generator: the path of a URL, a public block.
    pub plain: usize,
    /// The end of the text without blanks that was looked at last for a password with a slash, and the last `@` in it.
    pub piece: usize,
    pub sign: usize,
    /// Where quotes are, once that was asked for.
    quotes: Option<Quotes>,
    /// The name that was asked for last, and what it says: in a long text it is often the same.
    named: (&'a str, Secrecy),
    /// Up to here a field of the name `value` is one of a secret, as the name before it said.
    pub told: Option<usize>,
    /// A value that was seen before its name: the end of its own, and where it begins.
    pub filled: Option<(usize, usize)>,
}

/// Whether it is a blank.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether it is a quotation mark.
pub fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

impl<'a> Scanner<'a> {
    /// A scanner that stands before a text.
    pub fn new(text: &'a str, looks: ScanOptions) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            looks,
            spans: Vec::new(),
            program: None,
            plain: 0,
            piece: 0,
            sign: 0,
            quotes: None,
            named: ("", Secrecy::Open),
            told: None,
            filled: None,
        }
    }

    /// The byte at a place.
    pub fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// From a place as far as a rule goes.
    #[inline(always)]
    pub fn past(&self, from: usize, is: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len())
    }

    /// A piece of the text.
    pub fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The text from a place.
    pub fn rest(&self, from: usize) -> &'a str {
        self.text.get(from..).unwrap_or_default()
    }

    /// Masks a piece, and returns its end.
    pub fn hide(&mut self, from: usize, to: usize) -> usize {
        if from < to {
            self.spans.push((from, to));
        }
        to
    }

    /// Masks a piece up to where something acts in it, and returns the end of the mask. Quotes that open from
    /// `since` on hold the operators in them.
    pub fn secret(&mut self, from: usize, to: usize, since: usize) -> usize {
        let Some(at) = self.acts(from, to, since) else { return self.hide(from, to) };
        let to = from + self.slice(from, at).trim_end().len();
        self.hide(from, to);
        at
    }

    /// Where a shell would go on with another command: at an operator outside of quotes, or a substitution.
    pub fn acts(&mut self, from: usize, to: usize, since: usize) -> Option<usize> {
        let mut piece = self.bytes.get(from..to).unwrap_or_default().iter().enumerate();
        piece.find_map(|(at, byte)| {
            let at = from + at;
            let acts = match byte {
                b';' | b'|' | b'&' | b'<' | b'>' | b'\n' => !self.quotes().hold(at, since),
                b'$' => self.byte(at + 1) == b'(',
                b'`' => self.slice(at + 1, to).contains('`'),
                _ => false,
            };
            acts.then_some(at)
        })
    }

    /// Where the quotes of the text are.
    pub fn quotes(&mut self) -> &Quotes {
        self.quotes.get_or_insert_with(|| Quotes::new(self.bytes))
    }

    /// The word before a place, and where it begins.
    pub fn word_before(&self, at: usize) -> (usize, &'a str) {
        let before = self.bytes.get(at.saturating_sub(80)..at).unwrap_or_default();
        let blanks = before.iter().rev().take_while(|byte| is_space(**byte)).count();
        let length = before.iter().rev().skip(blanks).take_while(|byte| !is_space(**byte)).count();
        let end = at - blanks;
        (end - length, self.slice(end - length, end))
    }

    /// What a name in the text says.
    pub fn secrecy(&mut self, name: &'a str) -> Secrecy {
        if self.named.0 != name {
            self.named = (name, names::secrecy(name));
        }
        self.named.1
    }
}
