//! The state of a scan, and how the bytes of a text are read.

use super::flags::Program;
use super::names::{self, Secrecy};
use super::quotes::Quotes;
use super::view::View;

/// The options of a scan.
#[derive(Clone, Copy, Debug)]
pub struct ScanOptions {
    /// Whether the view is for a record.
    pub strict: bool,
    /// Whether to look for generated texts, too.
    pub keys: bool,
    /// Whether the name of the text is that of a key, so that a long text is one, too.
    pub named_key: bool,
    /// Whether the text is a path: only keys and the query are masked.
    pub path: bool,
}

impl ScanOptions {
    /// The options for any text.
    pub fn at(view: View) -> Self {
        Self { strict: view == View::Record, keys: true, named_key: false, path: false }
    }
}

/// A text, with all that is known about it up to some place.
pub struct Scanner<'a> {
    text: &'a str,
    /// The bytes of the text, for everything that is only ASCII.
    pub bytes: &'a [u8],
    pub looks: ScanOptions,
    /// The start and end of each part to be masked.
    pub spans: Vec<(usize, usize)>,
    /// The program of the current command.
    pub program: Option<Program>,
    /// Up to this place nothing counts as generated: it is the path of a URL, or a public block.
    pub plain: usize,
    /// The end of the text without blanks that was last searched for a password with a slash, and the last
    /// `@` in it.
    pub piece: usize,
    pub sign: usize,
    /// The places of the quotes, computed when first needed.
    quotes: Option<Quotes>,
    /// The name that was last looked up, and its secrecy: in a long text the same name often repeats.
    named: (&'a str, Secrecy),
    /// Up to this place a field called `value` is a secret, because the name before it says so.
    pub announced: Option<usize>,
    /// A value that was read before its name: the end of its field, and the start of the value.
    pub filled: Option<(usize, usize)>,
}

/// Whether it is a blank.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether a shell ends a word or a command at this byte.
pub fn is_operator(byte: u8) -> bool {
    matches!(byte, b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`')
}

/// Whether it is a quotation mark.
pub fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

impl<'a> Scanner<'a> {
    /// A scanner at the start of a text.
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
            announced: None,
            filled: None,
        }
    }

    /// The byte at a place.
    pub fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The end of the run from a place in which `is` holds for every byte.
    #[inline(always)]
    pub fn past(&self, from: usize, is: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len())
    }

    /// A part of the text.
    pub fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The rest of the text from a place.
    pub fn rest(&self, from: usize) -> &'a str {
        self.text.get(from..).unwrap_or_default()
    }

    /// Masks a part, and returns its end.
    pub fn hide(&mut self, from: usize, to: usize) -> usize {
        if from < to {
            self.spans.push((from, to));
        }
        to
    }

    /// Masks a part up to where a shell would run something, and returns that place. Operators count only
    /// outside of quotes that open at `since` or later.
    pub fn secret(&mut self, from: usize, to: usize, since: usize) -> usize {
        let Some(at) = self.acts(from, to, since) else { return self.hide(from, to) };
        let to = from + self.slice(from, at).trim_end().len();
        self.hide(from, to);
        at
    }

    /// The place where a shell would begin another command: at an operator outside of quotes, or at a
    /// substitution.
    pub fn acts(&mut self, from: usize, to: usize, since: usize) -> Option<usize> {
        let mut piece = self.bytes.get(from..to).unwrap_or_default().iter().enumerate();
        piece.find_map(|(at, byte)| {
            let at = from + at;
            let acts = match byte {
                b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b'\n' => !self.quotes().hold(at, since),
                b'$' => self.byte(at + 1) == b'(',
                b'`' => self.slice(at + 1, to).contains('`'),
                _ => false,
            };
            acts.then_some(at)
        })
    }

    /// The places of the quotes in the text.
    pub fn quotes(&mut self) -> &Quotes {
        self.quotes.get_or_insert_with(|| Quotes::new(self.bytes))
    }

    /// The start of the word before a place, and the word.
    pub fn word_before(&self, at: usize) -> (usize, &'a str) {
        let before = self.bytes.get(at.saturating_sub(80)..at).unwrap_or_default();
        let blanks = before.iter().rev().take_while(|byte| is_space(**byte)).count();
        let length = before.iter().rev().skip(blanks).take_while(|byte| !is_space(**byte)).count();
        let end = at - blanks;
        (end - length, self.slice(end - length, end))
    }

    /// The secrecy of a name in the text.
    pub fn secrecy(&mut self, name: &'a str) -> Secrecy {
        if self.named.0 != name {
            self.named = (name, names::secrecy(name));
        }
        self.named.1
    }
}
