//! Secrets that are assigned to a name, and where such a value ends.

use super::headers::header;
use super::names::{self, Secrecy, is_among};
use super::random::is_token;
use super::scanner::{Scanner, is_operator, is_quote, is_space};
use super::view::MASK;

/// The name of a secret to which something is assigned.
#[derive(Clone, Copy)]
pub struct Assignment<'n> {
    pub name: &'n str,
    pub secrecy: Secrecy,
    /// The end of the name.
    pub end: usize,
    /// The end of the assignment sign.
    pub assigned: usize,
    /// Whether it is in the query of a URL.
    pub in_query: bool,
}

impl Scanner<'_> {
    /// The start of the value, if something is assigned after this place.
    pub fn assigned(&self, end: usize) -> Option<usize> {
        // Quotes and brackets, also escaped ones, that end the name: `["name"] =`.
        let mut at = end;
        while at < end + 8 && matches!(self.byte(at), b'"' | b'\'' | b'`' | b'\\' | b']' | b' ' | b'\t') {
            at += 1;
        }
        match (self.byte(at), self.byte(at + 1), self.byte(at + 2)) {
            (b'%', b'3', b'D' | b'd') => return Some(at + 3),
            // A path in a programming language, and the scheme of a URL.
            (b':', b':', _) | (b':', b'/', b'/') => return None,
            // The full-width colon and equals sign.
            (0xef, 0xbc, 0x9a | 0x9d) => return Some(at + 3),
            (b'=' | b':', _, _) => {}
            _ => return None,
        }
        Some(self.past(at, |byte| matches!(byte, b'=' | b':' | b'>')))
    }

    /// Hides the value of a secret's name, and returns its end.
    pub fn value(&mut self, assignment: Assignment) -> usize {
        let Assignment { secrecy, end, assigned, .. } = assignment;
        let from = self.past(assigned, |byte| matches!(byte, b' ' | b'\t'));
        let opening = self.past(from, |byte| byte == b'\\');
        if is_quote(self.byte(opening)) {
            return self.quoted_value(assignment, from, opening);
        }
        // A list of texts. In an object each name is judged separately.
        if self.byte(from) == b'['
            && secrecy >= Secrecy::Text
            && is_quote(self.byte(self.past(from + 1, is_space)))
        {
            return self.list(from).max(end);
        }
        if self.is_empty(end, assigned, from) || self.points(end, assigned) {
            return end;
        }
        let masked = from + MASK.len();
        if self.byte(from) == MASK.as_bytes()[0]
            && self.byte(assigned - 1) == b'='
            && self.rest(from).starts_with(MASK)
            && (is_space(self.byte(masked)) || masked == self.bytes.len())
        {
            return masked;
        }
        if let Some(end) = self.sentence_or_block(assignment, from) {
            return end;
        }
        // Also an expression of a workflow, `${{ secrets.TOKEN }}`.
        if matches!(self.byte(from), b'{' | b'[' | b'(' | b'\n' | b'\r') || self.rest(from).starts_with("${{")
        {
            return end;
        }
        // A URL shows where it leads; only the secrets in it are hidden.
        if self.rest(self.past(from, |byte| byte.is_ascii_alphanumeric())).starts_with("://") {
            return end;
        }
        self.unquoted_value(assignment, from)
    }

    /// Hides a value in quotes that open at a place.
    fn quoted_value(&mut self, assignment: Assignment, from: usize, opening: usize) -> usize {
        let Assignment { name, secrecy, end, assigned, .. } = assignment;
        let mut to = self.closing(opening, opening - from);
        // Doubled quotes are one quote in SQL, and none in a shell.
        while to > opening + 1 && self.byte(to) == self.byte(opening) && self.byte(to + 1) == self.byte(to) {
            to = self.closing(to + 1, 0);
        }
        // The text behind the quotes around these may run.
        if let Some(around) = self.quotes().around(opening) {
            to = to.min(around);
        }
        let text = self.slice(opening + 1, to);
        if is_reference(text)
            || !secrecy.hides(text)
            || names::is_coin(name, text)
            || self.points(end, assigned) && names::is_path(text)
        {
            return opening + 1;
        }
        // A shell runs the content of these quotes.
        let is_run = text.contains([' ', '\t', '\n'])
            || from == assigned
                && self.byte(end) == b'='
                && (name.starts_with('-') || names::is_constant(name));
        if self.byte(opening) == b'`' && is_run {
            return end.max(opening + 1);
        }
        // In a shell `NAME=` is complete, and what follows is a command.
        if self.is_empty(end, assigned, from) && !self.ends_a_line(to + 1) {
            return end;
        }
        if self.secret(opening + 1, to, opening) < to {
            return end.max(opening + 1);
        }
        // In a shell, text directly after a closing quote belongs to the same word.
        let after = self.past(to, |byte| byte == b'\\') + 1;
        let joined = if self.byte(after).is_ascii_alphanumeric() { self.loose(after, false) } else { to };
        if joined > to { self.secret(after, joined, after) } else { to }
    }

    /// The end of a text after a colon and a space, which may be a sentence, or below a name, which may be a
    /// YAML block; `None` if the value is like any other.
    fn sentence_or_block(&mut self, assignment: Assignment, from: usize) -> Option<usize> {
        let Assignment { name, secrecy, end, assigned, .. } = assignment;
        let after_colon = from > assigned && self.byte(assigned.saturating_sub(1)) == b':';
        let below = from == assigned && self.byte(from) == b'\n';
        if !after_colon && !below {
            return None;
        }
        if secrecy < Secrecy::Text && secrecy != Secrecy::Generated && !names::is_constant(name) {
            return Some(end);
        }
        if !matches!(self.byte(from), b'|' | b'>' | b'\n') {
            return None;
        }
        let begins = self.begins_a_line(end.saturating_sub(name.len()));
        Some(if begins { self.indented(from).max(end) } else { end })
    }

    /// Hides a value without quotes.
    fn unquoted_value(&mut self, assignment: Assignment, from: usize) -> usize {
        let Assignment { name, secrecy, end, assigned, in_query } = assignment;
        let start = end.saturating_sub(name.len());
        let mut to = match header(name) {
            Some(is_cookie) if !in_query => {
                if self.byte(assigned - 1) == b':'
                    && let Some(close) = start.checked_sub(1).and_then(|at| self.quotes().closing(at))
                {
                    return self.quoted_header(end, from, close, start - 1);
                }
                let begins = self.begins_a_line(start);
                if is_cookie { self.cookies(from, begins) } else { self.credentials(from, begins) }
            }
            _ => self.loose(from, in_query),
        };
        // The text that follows is run to get the value, or leads elsewhere.
        if self.byte(to) == b'(' && to > from && self.byte(to - 1) == b'$' {
            to -= 1;
        } else if let Some(length) =
            self.bytes.get(from..to).unwrap_or_default().windows(3).position(is_parent)
        {
            to = from + length;
        }
        let text = self.slice(from, to);
        // In fish a parenthesis within a word runs what is in it.
        let is_call = self.byte(to) == b'(' && !self.byte(to + 1).is_ascii_alphanumeric();
        if text.is_empty()
            || is_reference(text)
            || is_call
            || !secrecy.hides(text)
            || names::is_coin(name, text)
        {
            // `password: str = "…"`: the type is not a secret, but the value is.
            let again = self.past(to, |byte| byte == b' ');
            if self.byte(assigned - 1) == b':' && !text.is_empty() && again > to && self.byte(again) == b'=' {
                let assigned = self.past(again, |byte| byte == b'=');
                return self.value(Assignment { end: to, assigned, ..assignment });
            }
            return end;
        }
        self.hide(from, to)
    }

    /// Hides the value of a header that is in quotes together with its name. `open` and `close` are the
    /// places of the quotes.
    fn quoted_header(&mut self, end: usize, from: usize, close: usize, opening: usize) -> usize {
        let line = self.slice(from, close).find(['\n', '\r']);
        let close = line.map_or(close, |length| from + length);
        // The backslash of an escaped quote.
        let close = close - usize::from(close > from && self.byte(close - 1) == b'\\');
        let text = self.slice(from, close);
        let (scheme, credentials) = text.split_once(' ').unwrap_or(("", text));
        if is_reference(credentials) {
            return if scheme.is_empty() { end } else { self.hide(from, from + scheme.len()) };
        }
        if text.is_empty() { end } else { self.secret(from, close, opening) }
    }

    /// Hides the texts of a list whose bracket opens at a place.
    fn list(&mut self, from: usize) -> usize {
        let mut to = from + 1;
        let mut at = to;
        loop {
            at = self.past(at, |byte| is_space(byte) || matches!(byte, b',' | b'\\'));
            if self.byte(at) == b']' {
                // Up to the bracket, if everything before it belongs to the list.
                return self.hide(from + 1, at);
            }
            let slashes = self
                .bytes
                .get(to..at)
                .unwrap_or_default()
                .iter()
                .rev()
                .take_while(|byte| **byte == b'\\')
                .count();
            let end = if is_quote(self.byte(at)) {
                self.closing(at, slashes)
            } else {
                self.past(at, |byte| is_token(byte) || byte == b'.')
            };
            if let Some(stop) = self.acts(at, end, at) {
                let stop = if stop > at + 1 { stop } else { to };
                return self.hide(from + 1, stop);
            }
            to = (self.past(end, |byte| byte == b'\\' || is_quote(byte))).max(end);
            at = self.past(to, is_space);
            if end == at || !matches!(self.byte(at), b',' | b']') {
                return self.hide(from + 1, to);
            }
        }
    }

    /// Whether nothing is assigned, as in `NAME= command`.
    fn is_empty(&self, end: usize, assigned: usize, from: usize) -> bool {
        from > assigned && assigned == end + 1 && self.byte(end) == b'='
    }

    /// Whether the assignment sign contains the one of a redirection: `=>` of a language is before a literal in quotes,
    /// and what follows it in a shell is the path that is written to.
    fn points(&self, end: usize, assigned: usize) -> bool {
        self.slice(end, assigned).contains('>')
    }

    /// Whether a line, or something like a line, ends here.
    fn ends_a_line(&self, at: usize) -> bool {
        let next = self.past(at, |byte| matches!(byte, b' ' | b'\t' | b'\\'));
        next >= self.bytes.len()
            || matches!(
                self.byte(next),
                b'\n' | b'\r' | b',' | b';' | b')' | b'}' | b']' | b'"' | b'\'' | b'#'
            )
    }

    /// Whether a line begins here that is not part of a command. The mark of a header in a trace may precede
    /// it.
    fn begins_a_line(&self, start: usize) -> bool {
        let before = self.bytes.get(start.saturating_sub(32)..start).unwrap_or_default();
        let marks = before
            .iter()
            .rev()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'>' | b'<' | b'*' | b'-' | b'"' | b'\''))
            .count();
        let line = start - marks;
        line == 0 || self.byte(line - 1) == b'\n' && !(line > 1 && self.byte(line - 2) == b'\\')
    }

    /// Hides the indented lines below a name in YAML, unless they are names themselves.
    fn indented(&mut self, from: usize) -> usize {
        let first = self.past(from, |byte| byte != b'\n') + 1;
        let mut to = first;
        // After a name alone one line is read, in a block all lines.
        let is_block = self.byte(from) != b'\n';
        let indicator = |byte| matches!(byte, b'+' | b'-' | b'0'..=b'9' | b' ' | b'\t' | b'\r');
        let header = self.past(from + 1, indicator);
        let has_comment = is_block && self.byte(header) == b'#';
        // Any other text means that this is not a block; it is scanned like any text.
        if is_block && !has_comment && header + 1 < first {
            return from;
        }
        while matches!(self.byte(to), b' ' | b'\t') && (is_block || to == first) {
            to = (self.past(to, |byte| byte != b'\n') + 1).min(self.bytes.len());
        }
        let first = if has_comment { header } else { first };
        let text = self.slice(first, to);
        // A line of several words may be a command.
        let lines = self.slice(self.past(from, |byte| byte != b'\n') + 1, to);
        if !is_block && text.contains([':', '='])
            || lines.lines().any(|line| line.trim().contains([' ', ';', '|', '&']))
        {
            return from;
        }
        let start = first + text.len() - text.trim_start().len();
        self.hide(start, start + text.trim().len())
    }

    /// The closing quote, with as many backslashes as the opening one; the end of the text if it is missing.
    ///
    /// In single quotes of a shell, in SQL and in PowerShell a backslash is literal, so the text ends at an escaped quote,
    /// too. What follows it is hidden only if it cannot be code.
    fn closing(&self, opening: usize, slashes: usize) -> usize {
        let quote = self.byte(opening);
        let (mut before, mut escaped) = (0, None);
        let mut end = self.bytes.len();
        for (at, &byte) in self.bytes.iter().enumerate().skip(opening + 1) {
            if byte == quote {
                if before <= slashes {
                    end = at - before;
                    break;
                }
                escaped.get_or_insert((at, at - before));
            }
            before = if byte == b'\\' { before + 1 } else { 0 };
        }
        let acts = |byte: &u8| is_space(*byte) || is_operator(*byte) || *byte == b'$';
        let early =
            escaped.filter(|&(at, _)| self.bytes.get(at..end).is_some_and(|text| text.iter().any(acts)));
        early.map_or(end, |(_, end)| end)
    }

    /// The end of a value without quotes.
    fn loose(&self, from: usize, in_query: bool) -> usize {
        let (mut at, mut is_open) = (from, false);
        loop {
            let piece = at;
            at = self.past(at, |byte| {
                let ends = matches!(
                    byte,
                    b'&' | b';' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b',' | b')' | b']' | b'}' | b'('
                );
                !(is_space(byte) || ends || in_query && byte == b'#')
            });
            // Brackets, commas and quotes belong to a value that continues after them. Parentheses do not: behind one a
            // shell may run a command.
            let next = self.byte(at + 1);
            is_open |= self.slice(piece, at).contains("${");
            let goes_on = match self.byte(at) {
                b'}' if std::mem::take(&mut is_open) => true,
                b',' | b']' | b'}' => next.is_ascii_alphanumeric(),
                b'"' | b'\'' => next.is_ascii_alphanumeric() && at > from,
                _ => false,
            };
            if !goes_on {
                return at;
            }
            at += 1;
        }
    }
}

/// Whether the path goes to the parent folder here.
fn is_parent(three: &[u8]) -> bool {
    matches!(three, [b'/' | b'\\', b'.', b'.'])
}

/// Values that are the name of a type, of another value, or of no value.
fn is_no_value(word: &str) -> bool {
    // Most are longer or shorter.
    (3..=9).contains(&word.len())
        && is_among(
            "true false null nil none None True False undefined string String number boolean bool str int any \
             unknown bytes required optional secret",
            word,
        )
}

/// Whether the value only says where the secret is, or what type it has.
pub fn is_reference(text: &str) -> bool {
    let text = text.trim();
    let is_name = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let within = |open: &str, close: &str| {
        text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).is_some_and(|inner| {
            !inner.is_empty()
                && inner.bytes().all(|byte| {
                    byte.is_ascii_alphabetic()
                        || matches!(byte, b'_' | b'.' | b' ' | b'-')
                        || open != "<" && byte.is_ascii_digit()
                })
        })
    };
    // This is asked of every value of a long text.
    let is_marked = matches!(text.as_bytes().first(), Some(b'$' | b'{' | b'<' | b'%'));
    text == MASK
        || is_no_value(text)
        || is_marked
            && (text.strip_prefix('$').is_some_and(is_name)
                || within("${", "}")
                || within("${{", "}}")
                || within("{{", "}}")
                || within("<", ">")
                || within("%", "%") && text.get(1..text.len() - 1).is_some_and(is_name))
        || ["process.env.", "import.meta.env.", "os.environ", "std::env"]
            .iter()
            .any(|start| text.starts_with(start))
}
