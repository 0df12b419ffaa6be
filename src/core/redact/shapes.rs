//! Secrets in a text, told by their shape and by the names beside them.
//!
//! One pass over the runs of letters and digits; what a run is part of (an assignment, a URL, a block) is looked
//! at once and passed over. The scheme, the host and the path of a URL and the first word of a command are no
//! secrets, so that a mask never hides what is acted upon.

use super::flags::{Program, lengths};
use super::marks;
use super::names::{self, Secrecy};
use super::quotes::Quotes;
use super::random::{is_random, is_token, is_word};
use super::{MASK, View};

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Looks {
    /// For a record.
    pub strict: bool,
    /// Also for what a generator made.
    pub keys: bool,
    /// The text is a path: it stays whole but for keys and what is in a query.
    pub path: bool,
}

impl Looks {
    /// At any text.
    pub fn at(view: View) -> Self {
        Self { strict: view == View::Record, keys: true, path: false }
    }
}

/// The text with masks, and how many; nothing where it has no secret.
pub fn mask(text: &str, looks: Looks) -> Option<(String, usize)> {
    let (mut masked, mut count) = once(text, looks)?;
    // A mask can change how what is beside it reads, as a closed quote does: again, until that is settled.
    for _ in 0..PASSES {
        let Some((again, more)) = once(&masked, looks) else { break };
        masked = again;
        count = count.max(more);
    }
    Some((masked, count))
}

/// A text in which each mask makes another one is settled by then.
const PASSES: usize = 64;

/// One pass.
fn once(text: &str, looks: Looks) -> Option<(String, usize)> {
    if text.len() < 4 {
        return None;
    }
    let mut scan = Scan {
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
    pub looks: Looks,
    /// What is to be masked, from and to.
    spans: Vec<(usize, usize)>,
    /// The program whose words these are.
    pub program: Option<Program>,
    /// Up to here nothing is taken for the work of a generator: the path of a URL, a public block.
    plain: usize,
    /// The end of the text without blanks that was looked at last for a password with a slash, and the last `@` in it.
    piece: usize,
    sign: usize,
    /// Where quotes are, once that was asked for.
    quotes: Option<Quotes>,
    /// The name that was asked for last, and what it says: in a long text it is often the same.
    named: (&'a str, Secrecy),
    /// Up to here a field of the name `value` is one of a secret, as the name before it said.
    pub told: Option<usize>,
    /// A value that was seen before its name: the end of its own, and where it begins.
    pub filled: Option<(usize, usize)>,
}

/// By the first letter of a word, the lengths that those have which [`Scan::command`] is asked for.
const COMMAND: [u32; 32] = lengths(
    &[
        "by",
        "set",
        "setx",
        "setenv",
        "secret",
        "secrets",
        "put",
        "add",
        "add-authtoken",
        "create",
        "config",
        "login",
        "passwd",
        "password",
    ],
    [0; 32],
);

/// The same for [`Scan::field`].
const FIELD: [u32; 32] = lengths(
    &["value", "values", "val", "default", "name", "key", "header", "variable", "var", "env", "parameter"],
    [0; 32],
);

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
        if self.looks.path {
            return self.of_path(run, start, end);
        }
        if let Some(program) = Program::named(run) {
            self.program = Some(program);
        }
        // Every word of a long text is asked for.
        if COMMAND[usize::from(self.byte(start) & 0x1f)] >> run.len().min(31) & 1 == 1 {
            self.command(run, start, end, self.slice(before.start, before.end));
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
            return self.element(run, end + 1);
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
        // `fly secrets set NAME=…`
        if next == b'=' && self.program.is_some_and(Program::keeps_secrets) && names::is_constant(run) {
            secrecy = Secrecy::Strong;
        }
        if secrecy == Secrecy::Open
            && FIELD[usize::from(self.byte(start) & 0x1f)] >> run.len().min(31) & 1 == 1
        {
            secrecy = self.field(run, end, value);
        }
        if secrecy == Secrecy::Open {
            return end;
        }
        self.value(name, secrecy, end, value, in_query)
    }

    /// A run of a path.
    fn of_path(&mut self, run: &'a str, start: usize, end: usize) -> usize {
        if let Some(at) = self.marked(start, end) {
            return at;
        }
        let in_query = start > 0 && matches!(self.byte(start - 1), b'?' | b'&') && self.byte(end) == b'=';
        if !in_query || self.secrecy(run) < Secrecy::Opaque {
            return end;
        }
        let to = self.past(end + 1, |byte| !is_space(byte) && !matches!(byte, b'&' | b'#' | b'/' | b'\\'));
        self.hide(end + 1, to)
    }

    /// What is in an element of XML, which has a place here.
    fn element(&mut self, name: &str, from: usize) -> usize {
        let close = self.past(from, |byte| byte != b'<');
        let is_closed = self
            .rest(close)
            .strip_prefix("</")
            .is_some_and(|rest| rest.starts_with(name) && rest.as_bytes().get(name.len()) == Some(&b'>'));
        let text = self.slice(from, close);
        let words = text.trim();
        // What is not closed, or has an operator with a blank beside it, may be a redirection.
        let acts = words.contains(['\n', '|', '`'])
            || text.contains('\n') && words.contains(' ')
            || [" ;", "; ", " &", "& ", "&&", "$("].iter().any(|operator| words.contains(operator));
        if is_closed && !acts { self.hide(from, close) } else { from }
    }

    /// A block of RFC 7468; `-----BEGIN` ends before the place.
    fn block(&mut self, from: usize) -> usize {
        let label =
            self.past(from, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
        let header = self.past(label, |byte| byte == b'-');
        if header == label {
            return from;
        }
        let label = self.slice(from, label);
        let is_public = label.contains("PUBLIC") || label.contains("CERTIFICATE") || label.contains("SIGN");
        if is_public {
            if header >= self.plain {
                self.plain = self.body(header).max(self.plain);
            }
            return header;
        }
        let body = self.body(header);
        self.hide(header, body)
    }

    /// The end of what a block holds: lines of base64, between them what a language joins texts with.
    fn body(&self, header: usize) -> usize {
        let (mut at, mut to) = (header, header);
        loop {
            let mut ends_a_line = at == header;
            // A backslash and a letter are the end of a line.
            let next = loop {
                match self.byte(at) {
                    b'\n' => ends_a_line = true,
                    b'\\' if matches!(self.byte(at + 1), b'n' | b'r') => {
                        ends_a_line = true;
                        at += 1;
                    }
                    b' ' | b'\t' | b'\r' | b'"' | b'\'' | b'\\' | b',' => {}
                    b'+' if is_space(self.byte(at + 1)) => {}
                    _ => break at,
                }
                at += 1;
            };
            if self.rest(next).starts_with("-----END") {
                return next;
            }
            let end =
                self.past(next, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
            let is_alone = ends_a_line
                && (end == self.bytes.len()
                    || matches!(self.byte(end), b'\n' | b'\r' | b'"' | b'\'' | b'\\')
                    || self.rest(end).starts_with("-----END"));
            if end > next && (is_alone || end >= next + 16 || next == header) {
                (at, to) = (end, end);
                continue;
            }
            // `Proc-Type: …`, RFC 1421, and those of PGP.
            let is_header = ends_a_line
                && ["Proc-Type: ", "DEK-Info: ", "Version: ", "Comment: ", "Hash: ", "Charset: "]
                    .iter()
                    .any(|name| self.rest(next).starts_with(name));
            let line = if is_header {
                self.past(next, |byte| {
                    !matches!(byte, b'\n' | b'\r' | b'\\' | b'"' | b'\'' | b';' | b'|' | b'&' | b'$' | b'`')
                })
            } else {
                next
            };
            if !is_header {
                // What ends the text is of the block.
                return if next >= self.bytes.len() && to > header { next } else { to };
            }
            (at, to) = (line, line);
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
                let scheme = self.past_back(from - 3);
                let is_whole = scheme == 0 || self.quotes().closing(scheme - 1).is_some();
                if is_whole {
                    self.hide(from, from + length);
                } else {
                    self.secret(from, from + length, from);
                }
            }
        }
        self.hook(at, host);
        if host < self.plain {
            return at;
        }
        let path = self.past(host, |byte| !is_end(byte) && !matches!(byte, b'?' | b'#'));
        self.plain = self.plain.max(path);
        at
    }

    /// Where the scheme begins that ends at this place.
    fn past_back(&self, end: usize) -> usize {
        let before = self.bytes.get(end.saturating_sub(24)..end).unwrap_or_default();
        end - before.iter().rev().take_while(|byte| is_word(**byte)).count()
    }

    /// In the path of these hosts is what lets in.
    fn hook(&mut self, from: usize, host: usize) {
        let name = self.slice(from, host).trim_start_matches('@');
        let (is_slack, is_telegram) = (name == "hooks.slack.com", name == "api.telegram.org");
        if !is_slack && !is_telegram && !matches!(name, "discord.com" | "discordapp.com") {
            return;
        }
        let is_part = |byte: u8| is_word(byte) || byte == b':' || byte >= 0x80;
        let is_end = |byte: u8| !is_part(byte) && byte != b'/';
        let end = self.past(host, |byte| !is_end(byte));
        let path = self.slice(host, end).trim_end_matches('/');
        if is_telegram {
            if let Some(rest) = path.strip_prefix("/bot") {
                let token = rest.split('/').next().unwrap_or_default();
                self.hide(host + 4, host + 4 + token.len());
            }
        } else if path.matches('/').count() >= 4 && (is_slack || path.starts_with("/api/webhooks/")) {
            let last = path.rsplit('/').next().unwrap_or_default();
            self.hide(host + path.len() - last.len(), host + path.len());
        }
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
        if !self.looks.keys || start < self.plain || end < start + 20 {
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
        let is_data = !self.looks.strict && self.slice(0, start).ends_with(";base64,");
        if is_path || is_name || is_data || !is_random(run, self.looks.strict) || self.is_taken_away(start) {
            return end;
        }
        let padding = self.past(end, |byte| byte == b'=').min(end + 2);
        self.hide(start + flag, padding);
        end
    }

    /// Does the word name what a command takes away? That decides, as in `docker rm …`.
    fn is_taken_away(&self, start: usize) -> bool {
        let mut at = start;
        for _ in 0..4 {
            let (from, word) = self.word_before(at);
            if !word.starts_with('-') {
                return matches!(
                    word,
                    "rm" | "rmi"
                        | "kill"
                        | "stop"
                        | "delete"
                        | "del"
                        | "remove"
                        | "destroy"
                        | "drop"
                        | "terminate"
                );
            }
            at = from;
        }
        false
    }
}
