//! Secrets in request headers: authentication schemes and cookies.

use super::names;
use super::random::is_token;
use super::scanner::{Scanner, is_operator, is_quote, is_space};

impl Scanner<'_> {
    /// `Bearer …` and `Basic …`, RFC 6750 and RFC 7617.
    pub fn scheme(&mut self, run: &str, end: usize) -> Option<usize> {
        if !run.eq_ignore_ascii_case("bearer") && !run.eq_ignore_ascii_case("basic") {
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
        // In prose another word follows.
        let is_prose = word.len() < 16 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            || word.len() < 24 && word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
        if from == end || word.len() < 4 || is_prose {
            return None;
        }
        Some(self.hide(from, to))
    }

    /// The end of pairs of name and value, separated by `; `: RFC 6265, section 4.2.
    pub fn cookies(&self, from: usize, begins: bool) -> usize {
        let pair = |at| {
            self.past(at, |byte| !is_space(byte) && !is_operator(byte) && !is_quote(byte) && byte != b'\\')
        };
        let mut to = pair(from);
        while self.byte(to) == b';' {
            let at = self.past(to + 1, |byte| byte == b' ');
            let end = pair(at);
            let Some((name, value)) = self.slice(at, end).split_once('=') else { break };
            // An assignment in a shell, before a command or for the following commands, is not a cookie.
            let is_assignment = value.starts_with(['/', '.', '~', '$'])
                || !begins && names::is_constant(name)
                || name.is_empty();
            let next = self.past(end, |byte| matches!(byte, b' ' | b'\t'));
            let goes_on = next > end && !matches!(self.byte(next), b'\n' | b'\r' | 0 | b'"' | b'\'' | b';');
            if is_assignment || goes_on || matches!(self.byte(end), b'(' | b'`' | b'$') {
                break;
            }
            to = end;
        }
        to
    }

    /// The end of a scheme and its parameter: RFC 9110, section 11.4. Only known schemes take a second word,
    /// except on a line of their own.
    pub fn credentials(&self, from: usize, begins: bool) -> usize {
        let word = |at| {
            self.past(at, |byte| !is_space(byte) && !is_operator(byte) && !is_quote(byte) && byte != b'\\')
        };
        let mut to = word(from);
        let first = self.slice(from, to);
        let schemes = [
            "bearer",
            "basic",
            "digest",
            "token",
            "apikey",
            "negotiate",
            "ntlm",
            "hawk",
            "key",
            "aws4-hmac-sha256",
        ];
        let mut takes = begins || schemes.iter().any(|scheme| first.eq_ignore_ascii_case(scheme));
        while takes {
            let next = self.past(to, |byte| matches!(byte, b' ' | b'\t'));
            let end = word(next);
            let text = self.slice(next, end);
            if next == to || text.is_empty() || text.starts_with(['-', '/', '$']) || text.contains("://") {
                break;
            }
            to = end;
            takes = begins || text.ends_with(',');
        }
        to
    }
}

/// Whether the name is that of a header with cookies (`true`) or credentials (`false`).
pub fn header(name: &str) -> Option<bool> {
    let name = name.trim_start_matches('-');
    match name.as_bytes().first()? | 0x20 {
        b'a' | b'p' => ["authorization", "proxy-authorization"]
            .iter()
            .any(|header| name.eq_ignore_ascii_case(header))
            .then_some(false),
        b'c' | b's' => ["cookie", "set-cookie", "cookies"]
            .iter()
            .any(|header| name.eq_ignore_ascii_case(header))
            .then_some(true),
        _ => None,
    }
}
