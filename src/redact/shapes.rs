//! Secrets with a recognisable shape: blocks, keys with a known prefix, and generated texts.

use super::marks;
use super::names;
use super::random::{LONGEST, is_random, is_token, is_word};
use super::scanner::{Scanner, is_space};

impl<'a> Scanner<'a> {
    /// A block of RFC 7468, whose `-----BEGIN` ends before the place.
    pub fn block(&mut self, from: usize) -> usize {
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

    /// Whether a line of a block may be a command of a shell: a path, unless it is as long as a line of base64, or a short
    /// first line that no end of the block follows.
    fn may_run(&self, from: usize, to: usize, is_first: bool) -> bool {
        let line = self.slice(from, to);
        let is_long = line.len() >= 40 && line.contains(|c: char| c.is_ascii_uppercase());
        let behind = self.bytes.get(to..self.bytes.len().min(to + 40)).unwrap_or_default();
        let ends = behind.windows(8).any(|bytes| bytes == b"-----END");
        (line.starts_with('/') && !is_long) || (is_first && line.len() < 16 && !ends)
    }

    /// The end of a block's content: lines of base64, separated by whatever a language joins strings with.
    fn body(&self, header: usize) -> usize {
        let (mut at, mut to) = (header, header);
        loop {
            let mut ends_a_line = at == header;
            // A backslash and a letter are an escaped line end.
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
            if self.may_run(next, end, at == header) {
                return to;
            }
            let is_alone = ends_a_line
                && (end == self.bytes.len()
                    || matches!(self.byte(end), b'\n' | b'\r' | b'"' | b'\'' | b'\\')
                    || self.rest(end).starts_with("-----END"));
            if end > next && (is_alone || end >= next + 16 || next == header) {
                (at, to) = (end, end);
                continue;
            }
            // `Proc-Type: …`, RFC 1421, and the headers of PGP.
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
                // An end of the text within a block belongs to the block.
                return if next >= self.bytes.len() && to > header { next } else { to };
            }
            (at, to) = (line, line);
        }
    }

    /// Hides keys with a known prefix in a run.
    #[inline(always)]
    pub fn marked(&mut self, run: &str, start: usize, end: usize) -> Option<usize> {
        let is_dotted = self.byte(end) == b'.';
        let may_hold = (is_dotted || run.len() >= 8) && marks::may_hold(run, is_dotted);
        if may_hold { self.mark_in(run, start, end) } else { None }
    }

    fn mark_in(&mut self, run: &str, start: usize, end: usize) -> Option<usize> {
        let mut may_chain = self.byte(end) == b'.';
        for (at, byte) in run.bytes().enumerate() {
            let from = start + at;
            // A JSON web token is a chain of runs, RFC 7515, section 7.1.
            if may_chain && byte == b'e' && self.byte(from + 1) == b'y' && self.byte(from + 2) == b'J' {
                let token = self.chain(from);
                if token.len() >= 20 && token.contains('.') {
                    return Some(self.hide(from, from + token.len()));
                }
                // Later in the run a chain would be even shorter.
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

    /// Runs joined by dots.
    fn chain(&self, from: usize) -> &'a str {
        self.slice(from, self.past(from, |byte| is_word(byte) || byte == b'.')).trim_end_matches('.')
    }

    /// Hides the run of token characters if it was generated; some of it may be known already. Returns its
    /// end.
    #[inline(always)]
    pub fn token(&mut self, start: usize, known: usize, limit: usize) -> usize {
        let end = self.past(known, is_token).min(limit);
        if end >= start + 20 && self.looks.keys && start >= self.plain {
            self.generated(start, end);
        }
        end
    }

    fn generated(&mut self, start: usize, end: usize) {
        let run = self.bytes.get(start..end).unwrap_or_default();
        let flag = run.iter().take_while(|byte| **byte == b'-').count();
        let run = run.get(flag..).unwrap_or_default();
        // Paths, and names of files and hosts.
        let is_path = start > 0 && matches!(self.byte(start - 1), b'/' | b'\\' | b'~' | b'@')
            || self.byte(end) == b'\\'
            || start > 1 && self.slice(start - 2, start) == "/.";
        let is_name = self.byte(end) == b'.' && {
            let part = self.past(end + 1, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
            part >= end + 2 && !is_token(self.byte(part)) && self.byte(end + 1).is_ascii_lowercase()
        };
        // Small pictures are written like this.
        let is_data = !self.looks.strict && self.slice(0, start).ends_with(";base64,");
        let is_content = run.len() > LONGEST
            && !self.looks.strict
            && !self.looks.named_key
            && !names::names_a_key(self.word_before(start).1);
        if is_path
            || is_name
            || is_data
            || is_content
            || !is_random(run, self.looks.strict)
            || self.is_taken_away(start)
        {
            return;
        }
        let padding = self.past(end, |byte| byte == b'=').min(end + 2);
        self.hide(start + flag, padding);
    }

    /// Whether the word names what a command removes, as in `docker rm …`. That matters for the decision.
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
