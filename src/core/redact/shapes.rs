//! Secrets in a text, told by their shape and by the names beside them.
//!
//! One pass over the runs of letters and digits; what a run is part of (an assignment, a URL, a block) is looked
//! at once and passed over. The scheme, the host and the path of a URL and the first word of a command are no
//! secrets, so that a mask never hides what is acted upon.

use super::MASK;
use super::flags::Program;
use super::marks;
use super::names::{self, Secrecy};
use super::random::{is_random, is_token, is_word};

/// The text with masks, and how many; nothing where it has no secret. `keys`: also look for what a generator made.
pub fn mask(text: &str, strict: bool, keys: bool) -> Option<(String, usize)> {
    let (mut masked, mut count) = once(text, strict, keys)?;
    // A mask can change how what is beside it reads, as a closed quote does: again, until that is settled.
    for _ in 0..4 {
        let Some((again, more)) = once(&masked, strict, keys) else { break };
        masked = again;
        count = count.max(more);
    }
    Some((masked, count))
}

/// One pass.
fn once(text: &str, strict: bool, keys: bool) -> Option<(String, usize)> {
    if text.len() < 4 {
        return None;
    }
    let mut scan = Scan {
        text,
        bytes: text.as_bytes(),
        strict,
        keys,
        spans: Vec::new(),
        program: None,
        plain: 0,
        piece: 0,
        sign: 0,
        unended: false,
        named: ("", Secrecy::Open),
    };
    scan.all();
    let mut spans = scan.spans;
    if spans.is_empty() {
        return None;
    }
    spans.sort_unstable();
    let mut masked = String::with_capacity(text.len());
    let (mut at, mut count) = (0, 0);
    let mut spans = spans.into_iter().peekable();
    while let Some((start, mut end)) = spans.next() {
        while let Some((_, next)) = spans.next_if(|(start, _)| *start <= end) {
            end = end.max(next);
        }
        let before = text.get(at..start).unwrap_or_default();
        let hidden = text.get(start..end).unwrap_or_default();
        // A mask beside a mask would make a wider one.
        let before = if at == 0 || !before.is_empty() { before.trim_end_matches('•') } else { before };
        let after = text.get(end..).unwrap_or_default();
        at = text.len() - after.trim_start_matches('•').len();
        count += usize::from(!hidden.bytes().all(|byte| MASK.as_bytes().contains(&byte)));
        if !(before.is_empty() && masked.ends_with(MASK)) {
            masked.push_str(before);
            masked.push_str(MASK);
        }
    }
    masked.push_str(text.get(at..).unwrap_or_default());
    (count > 0).then_some((masked, count))
}

/// What is known of a text up to a place.
pub struct Scan<'a> {
    text: &'a str,
    /// The same, for what is only ASCII.
    pub bytes: &'a [u8],
    /// For a record.
    pub strict: bool,
    /// Also look for what a generator made.
    pub keys: bool,
    /// What is to be masked, from and to.
    spans: Vec<(usize, usize)>,
    /// The program whose words these are.
    pub program: Option<Program>,
    /// Up to here nothing is taken for the work of a generator: the path of a URL, a public block.
    plain: usize,
    /// The end of the text without blanks that was looked at last for a password with a slash, and the last `@` in it.
    piece: usize,
    sign: usize,
    /// There is no end of a block from here on.
    unended: bool,
    /// The name that was asked for last, and what it says: in a long text it is often the same.
    named: (&'a str, Secrecy),
}

/// Is it a blank?
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Is it a quotation mark?
pub fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

impl<'a> Scan<'a> {
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

    /// What a name in the text says.
    pub fn secrecy(&mut self, name: &'a str) -> Secrecy {
        if self.named.0 != name {
            self.named = (name, names::secrecy(name));
        }
        self.named.1
    }

    fn all(&mut self) {
        let (mut at, mut before, mut token) = (0, 0..0, 0);
        loop {
            let start = at + self.gap(at);
            if start >= self.bytes.len() {
                return;
            }
            let end = self.past(start, is_word);
            let known = self.spans.len();
            at = self.run(start, end, &before).max(end);
            match self.spans.get(known) {
                // What has been understood needs no guess; what stands before it in the run may.
                Some(&(from, _)) if from < end => {
                    self.token(start, end, from);
                    token = token.max(at);
                }
                _ if start >= token => token = self.token(start, end, self.bytes.len()),
                _ => {}
            }
            before = start..end;
        }
    }

    /// How far the next run is; the separators of commands on the way end one.
    fn gap(&mut self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| is_word(*byte)).unwrap_or(rest.len());
        let gap = rest.get(..length).unwrap_or_default();
        if self.program.is_some() && gap.iter().any(|byte| matches!(byte, b'\n' | b';' | b'|' | b'&')) {
            self.program = None;
        }
        length
    }

    /// Looks at a run, and returns up to where all is known.
    fn run(&mut self, start: usize, end: usize, before: &std::ops::Range<usize>) -> usize {
        let run = self.slice(start, end);
        let next = self.byte(end);
        if run.len() >= 10 && run.ends_with("-----BEGIN") {
            return self.block(end);
        }
        if next == b':' && self.rest(end).starts_with("://") {
            return self.url(end + 3);
        }
        if let Some(program) = Program::named(run) {
            self.program = Some(program);
        }
        if run.starts_with('-')
            && let Some(at) = self.flag(run, start, end)
        {
            return at;
        }
        if let Some(at) = self.marked(start, end) {
            return at;
        }
        if let Some(at) = self.scheme(run, end) {
            return at;
        }
        if next == b'>' && start > 0 && self.byte(start - 1) == b'<' && self.secrecy(run) == Secrecy::Strong {
            // An element of XML.
            let close = self.past(end + 1, |byte| byte != b'<');
            return self.hide(end + 1, close);
        }
        let Some(value) = self.assigned(end) else { return end };
        // `API key: …` has two words.
        let spaced =
            before.end + 1 == start && self.byte(before.end) == b' ' && run.eq_ignore_ascii_case("key");
        let name = if spaced { self.slice(before.start, end) } else { run };
        let mut secrecy = self.secrecy(name);
        let in_query = start > 0 && matches!(self.byte(start - 1), b'?' | b'&') && next == b'=';
        if in_query && (secrecy == Secrecy::Opaque || matches!(run, "key" | "sig" | "auth" | "code" | "sign"))
        {
            secrecy = Secrecy::Strong;
        }
        if secrecy == Secrecy::Open {
            return end;
        }
        self.value(name, secrecy, end, value, in_query)
    }

    /// A block of RFC 7468; `-----BEGIN` ends before the place.
    fn block(&mut self, from: usize) -> usize {
        let label =
            self.past(from, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
        let header = self.past(label, |byte| byte == b'-');
        if header == label || self.unended {
            return from;
        }
        let end = self.rest(header).find("-----END").map(|length| header + length);
        let label = self.slice(from, label);
        let is_public = label.contains("PUBLIC") || label.contains("CERTIFICATE") || label.contains("SIGN");
        self.unended = end.is_none();
        match end {
            Some(end) if is_public => {
                self.plain = self.plain.max(end);
                header
            }
            None if is_public => header,
            _ => self.hide(header, end.unwrap_or(self.bytes.len())),
        }
    }

    /// What stands before the host of a URL; its path is no work of a generator.
    fn url(&mut self, from: usize) -> usize {
        let is_end = |byte: u8| is_space(byte) || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'|');
        let mut host = self.past(from, |byte| !is_end(byte) && !matches!(byte, b'/' | b'?' | b'#' | b'\\'));
        // A password that is not encoded may have a slash.
        let authority = self.slice(from, host);
        let port = authority.rsplit(':').next().unwrap_or_default();
        let odd = !authority.contains('@') && authority.contains(':') && !authority.starts_with('[');
        if odd && port.bytes().any(|byte| !byte.is_ascii_digit()) {
            if from >= self.piece {
                self.piece = self.past(from, |byte| !is_end(byte));
                self.sign = self.slice(from, self.piece).rfind('@').map_or(0, |length| from + length);
            }
            if self.sign > from {
                host = self.past(self.sign, |byte| !is_end(byte) && !matches!(byte, b'/' | b'?' | b'#'));
            }
        }
        let mut at = from;
        if let Some(length) = self.slice(from, host).rfind('@') {
            at = from + length;
            let user = self.slice(from, from + length);
            let is_name =
                user.len() <= 16 && user.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            if !is_name && !user.is_empty() {
                self.hide(from, from + length);
            }
        }
        if host < self.plain {
            return at;
        }
        let path = self.past(host, |byte| !is_end(byte) && !matches!(byte, b'?' | b'#'));
        self.plain = self.plain.max(path);
        at
    }

    /// Keys that are marked as such.
    fn marked(&mut self, start: usize, end: usize) -> Option<usize> {
        let run = self.slice(start, end);
        if self.byte(end) != b'.' && (run.len() < 8 || !marks::may_hold(run)) {
            return None;
        }
        let mut may_chain = self.byte(end) == b'.';
        for (at, byte) in run.bytes().enumerate() {
            let from = start + at;
            // A web token is a chain of runs, RFC 7515, section 7.1.
            if may_chain && byte == b'e' && self.byte(from + 1) == b'y' && self.byte(from + 2) == b'J' {
                let token = self.chain(from);
                if token.len() >= 20 && token.contains('.') {
                    return Some(self.hide(from, from + token.len()));
                }
                // Further on in the run it would be shorter still.
                may_chain = false;
            }
            // In the path of a URL a word may begin like a key.
            let begins = from >= self.plain && (from == 0 || !self.byte(from - 1).is_ascii_alphanumeric());
            if marks::is_key(self.bytes.get(from..).unwrap_or_default(), begins) {
                return Some(self.hide(from, from + self.chain(from).len()));
            }
        }
        None
    }

    /// Runs with dots between them.
    fn chain(&self, from: usize) -> &'a str {
        self.slice(from, self.past(from, |byte| is_word(byte) || byte == b'.')).trim_end_matches('.')
    }

    /// Looks whether a generator made the run of token characters, of which some are known, and returns its end.
    fn token(&mut self, start: usize, known: usize, limit: usize) -> usize {
        let end = self.past(known, is_token).min(limit);
        if !self.keys || start < self.plain || end < start + 20 {
            return end;
        }
        let run = self.bytes.get(start..end).unwrap_or_default();
        let flag = run.iter().take_while(|byte| **byte == b'-').count();
        let run = run.get(flag..).unwrap_or_default();
        // Paths, names of files and hosts.
        let is_path = start > 0 && matches!(self.byte(start - 1), b'/' | b'\\' | b'~' | b'@')
            || self.byte(end) == b'\\'
            || start > 1 && self.slice(start - 2, start) == "/.";
        let is_name = self.byte(end) == b'.' && {
            let part = self.past(end + 1, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
            part >= end + 2 && !is_token(self.byte(part)) && self.byte(end + 1).is_ascii_lowercase()
        };
        // A small picture is written as one.
        let is_data = !self.strict && self.slice(0, start).ends_with(";base64,");
        if is_path || is_name || is_data || !is_random(run, self.strict) {
            return end;
        }
        let padding = self.past(end, |byte| byte == b'=').min(end + 2);
        self.hide(start + flag, padding);
        end
    }
}
