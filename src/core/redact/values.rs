//! Secrets by the names beside them: assignments, headers, flags.

use super::MASK;
use super::flags::Takes;
use super::names::{self, Secrecy};
use super::random::is_token;
use super::shapes::{Scan, is_quote, is_space, mask};

impl Scan<'_> {
    /// The value of a flag: of one with the name of a secret, or of a short one of the program.
    pub fn flag(&mut self, run: &str, start: usize, end: usize) -> Option<usize> {
        let begins = start == 0 || is_space(self.byte(start - 1)) || is_quote(self.byte(start - 1));
        if !begins {
            return None;
        }
        let next = self.past(end, |byte| matches!(byte, b' ' | b'\t'));
        if let Some((takes, length)) = self.program.and_then(|program| program.flag(run)) {
            let joined = start + length;
            let is_joined =
                joined < end || next == end && !is_space(self.byte(end)) && end < self.bytes.len();
            let from = if is_joined { joined } else { next };
            let to = self.shell_word(from);
            let word = self.slice(from, to);
            let secret = match takes {
                Takes::Word => from,
                // Without a colon the program asks for the password.
                Takes::Pair => {
                    let user = word.find([':', '%'])?;
                    // A token may stand in the place of the user.
                    let is_token = mask(self.slice(from, from + user), self.strict, self.keys).is_some();
                    if is_token { from } else { from + user + 1 }
                }
            };
            return Some(self.quoted(from, secret, to));
        }
        // The value of a flag is the next word, unless this is a switch.
        let is_spaced = next > end
            && next < self.bytes.len()
            && !matches!(self.byte(next), b'-' | b'\n' | b'\r' | b'|' | b';' | b'&' | b'>' | b'<');
        if is_spaced && names::secrecy(run) >= Secrecy::Weak {
            let to = self.shell_word(next);
            let word = self.slice(next, to);
            return Some(
                if is_reference(word) || names::secrecy(run) == Secrecy::Weak && !Secrecy::Weak.hides(word) {
                    next
                } else {
                    self.quoted(next, next, to)
                },
            );
        }
        None
    }

    /// Hides a word from a place on, but for the quotes around it.
    fn quoted(&mut self, from: usize, secret: usize, to: usize) -> usize {
        let word = self.slice(from, to);
        let is_quoted =
            word.len() > 2 && is_quote(self.byte(from)) && word.as_bytes().last() == word.as_bytes().first();
        let close = usize::from(is_quoted);
        self.hide(secret.max(from + close), to - close);
        to
    }

    /// The end of a word of a shell.
    fn shell_word(&self, from: usize) -> usize {
        let mut quote = None;
        let mut escaped = false;
        for (at, &byte) in self.bytes.iter().enumerate().skip(from) {
            match (quote, byte) {
                _ if escaped => escaped = false,
                (Some(b'\''), b'\\') => {}
                (_, b'\\') => escaped = true,
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b';' | b'|' | b'&' | b'<' | b'>' | b'`' | b')') => return at,
                (None, _) if is_space(byte) => return at,
                _ => {}
            }
        }
        self.bytes.len()
    }

    /// `Bearer …` and `Basic …`, RFC 6750 and RFC 7617.
    pub fn scheme(&mut self, run: &str, end: usize) -> Option<usize> {
        if !run.starts_with(['b', 'B'])
            || !matches!(run.len(), 5 | 6)
            || !run.eq_ignore_ascii_case("bearer") && !run.eq_ignore_ascii_case("basic")
        {
            return None;
        }
        let rest = self.rest(end);
        let from = if rest.starts_with("%20") {
            end + 3
        } else {
            self.past(end, |byte| matches!(byte, b' ' | b'\t' | b'+'))
        };
        let to = self.past(from, |byte| is_token(byte) || matches!(byte, b'.' | b'~' | b'=' | b'%' | b':'));
        let to = from + self.slice(from, to).trim_end_matches(['.', ':']).len();
        let word = self.slice(from, to);
        // In a sentence a word follows.
        let is_prose = word.len() < 16 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            || word.len() < 24 && word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
        if from == end || word.len() < 4 || is_prose {
            return None;
        }
        Some(self.hide(from, to))
    }

    /// Where the value begins, if something is assigned after this place.
    pub fn assigned(&self, end: usize) -> Option<usize> {
        // The quotes and brackets that end the name: `["name"] =`, also escaped.
        let mut at = end;
        while at < end + 8 && matches!(self.byte(at), b'"' | b'\'' | b'`' | b'\\' | b']' | b' ' | b'\t') {
            at += 1;
        }
        match (self.byte(at), self.byte(at + 1), self.byte(at + 2)) {
            (b'%', b'3', b'D' | b'd') => return Some(at + 3),
            // A path of a language, and the scheme of a URL.
            (b':', b':', _) | (b':', b'/', b'/') => return None,
            (b'=' | b':', _, _) => {}
            _ => return None,
        }
        Some(self.past(at, |byte| matches!(byte, b'=' | b':' | b'>')))
    }

    /// Hides the value of a secret name, and returns its end.
    pub fn value(
        &mut self,
        name: &str,
        secrecy: Secrecy,
        end: usize,
        assigned: usize,
        in_query: bool,
    ) -> usize {
        let lower = name.trim_start_matches('-');
        let is_header = ["authorization", "proxy-authorization", "cookie", "set-cookie", "cookies"]
            .iter()
            .any(|header| lower.eq_ignore_ascii_case(header));
        let from = self.past(assigned, |byte| matches!(byte, b' ' | b'\t'));
        let slashes = from;
        let opening = self.past(from, |byte| byte == b'\\');
        if is_quote(self.byte(opening)) {
            let mut to = self.closing(opening, opening - slashes);
            // Doubled quotes: in SQL one quote, in a shell none.
            while to > opening + 1
                && self.byte(to) == self.byte(opening)
                && self.byte(to + 1) == self.byte(to)
            {
                to = self.closing(to + 1, 0);
            }
            let text = self.slice(opening + 1, to);
            if is_reference(text) || !secrecy.hides(text) {
                return opening + 1;
            }
            self.hide(opening + 1, to);
            // What follows a closing quote without a gap is one word with it.
            let after = self.past(to, |byte| byte == b'\\') + 1;
            let joined = if self.byte(after).is_ascii_alphanumeric() { self.loose(after, false) } else { to };
            return if joined > to { self.hide(after, joined) } else { to };
        }
        // A list of texts; the names in an object speak for themselves.
        if self.byte(from) == b'['
            && secrecy >= Secrecy::Text
            && is_quote(self.byte(self.past(from + 1, is_space)))
        {
            let to = self.past(from, |byte| byte != b']');
            return self.hide(from + 1, to);
        }
        if from > assigned && self.byte(assigned.saturating_sub(1)) == b':'
            || from == assigned && self.byte(from) == b'\n'
        {
            // After a colon and a space there may be a sentence, and a block of YAML after the end of the line.
            if secrecy < Secrecy::Text {
                return end;
            }
            if matches!(self.byte(from), b'|' | b'>' | b'\n') {
                return self.indented(from).max(end);
            }
        }
        if matches!(self.byte(from), b'{' | b'[' | b'(' | b'\n' | b'\r') {
            return end;
        }
        // A URL shows where it leads; what is secret in it is looked for there.
        if self.rest(self.past(from, |byte| byte.is_ascii_alphanumeric())).starts_with("://") {
            return end;
        }
        let to = if is_header && self.byte(assigned - 1) == b':' {
            self.line(from)
        } else {
            self.loose(from, in_query)
        };
        let text = self.slice(from, to);
        if text.is_empty() || is_reference(text) || self.byte(to) == b'(' || !secrecy.hides(text) {
            // `password: str = "…"`: the type is no secret, the value is.
            let again = self.past(to, |byte| byte == b' ');
            if self.byte(assigned - 1) == b':' && !text.is_empty() && again > to && self.byte(again) == b'=' {
                return self.value(name, secrecy, to, self.past(again, |byte| byte == b'='), in_query);
            }
            return end;
        }
        self.hide(from, to)
    }

    /// Hides the lines that are indented below a name in YAML, unless they are names themselves.
    fn indented(&mut self, from: usize) -> usize {
        let first = self.past(from, |byte| byte != b'\n') + 1;
        let mut to = first;
        // After a name alone one line is looked at, in a block all.
        let is_block = self.byte(from) != b'\n';
        let indicator = |byte| matches!(byte, b'+' | b'-' | b'0'..=b'9' | b' ' | b'\t' | b'\r');
        let header = self.past(from + 1, indicator);
        let has_comment = is_block && self.byte(header) == b'#';
        // What else stands there makes it no block: it is looked at like any text.
        if is_block && !has_comment && header + 1 < first {
            return from;
        }
        while matches!(self.byte(to), b' ' | b'\t') && (is_block || to == first) {
            to = (self.past(to, |byte| byte != b'\n') + 1).min(self.bytes.len());
        }
        let first = if has_comment { header } else { first };
        let text = self.slice(first, to);
        if !is_block && text.contains([':', '=']) {
            return from;
        }
        let start = first + text.len() - text.trim_start().len();
        self.hide(start, start + text.trim().len())
    }

    /// The closing quote, with as many backslashes as the opening one has; the end, if it is missing.
    fn closing(&self, opening: usize, slashes: usize) -> usize {
        let quote = self.byte(opening);
        let mut before = 0;
        for (at, &byte) in self.bytes.iter().enumerate().skip(opening + 1) {
            if byte == quote && before <= slashes {
                return at - before;
            }
            before = if byte == b'\\' { before + 1 } else { 0 };
        }
        self.bytes.len()
    }

    /// The end of a value without quotes.
    fn loose(&self, from: usize, in_query: bool) -> usize {
        let mut at = from;
        loop {
            at = self.past(at, |byte| {
                let ends = matches!(
                    byte,
                    b'&' | b';' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'|' | b',' | b')' | b']' | b'}' | b'('
                );
                !(is_space(byte) || ends || in_query && byte == b'#')
            });
            // Brackets and commas belong to a value that goes on after them, and so do quotes.
            let next = self.byte(at + 1);
            let goes_on = match self.byte(at) {
                b',' | b')' | b']' | b'}' => next.is_ascii_alphanumeric(),
                b'"' | b'\'' | b'`' | b'(' => next.is_ascii_alphanumeric() && at > from,
                _ => false,
            };
            if !goes_on {
                return at;
            }
            at += 1;
        }
    }

    /// The end of a line, or of the quote that a header stands in.
    fn line(&self, from: usize) -> usize {
        self.past(from, |byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\'))
    }
}

/// Values that are the name of a type, of another value, or of none.
fn is_no_value(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "false"
            | "null"
            | "nil"
            | "none"
            | "None"
            | "True"
            | "False"
            | "undefined"
            | "string"
            | "String"
            | "number"
            | "boolean"
            | "bool"
            | "str"
            | "int"
            | "any"
            | "unknown"
            | "bytes"
            | "required"
            | "optional"
            | "secret"
    )
}

/// Is the value the name of where the secret is, or of its type?
fn is_reference(text: &str) -> bool {
    let text = text.trim();
    let is_name = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let within = |open: &str, close: &str| {
        text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)).is_some_and(|inner| {
            !inner.is_empty()
                && inner
                    .bytes()
                    .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b' ' | b'-'))
        })
    };
    text == MASK
        || is_no_value(text)
        || text.strip_prefix('$').is_some_and(is_name)
        || within("${", "}")
        || within("${{", "}}")
        || within("{{", "}}")
        || within("<", ">")
        || within("%", "%") && text.get(1..text.len() - 1).is_some_and(is_name)
        || ["process.env.", "import.meta.env.", "os.environ", "std::env"]
            .iter()
            .any(|start| text.starts_with(start))
}
