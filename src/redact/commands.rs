//! Secrets that follow words of a command: flags, settings, passwords.

use super::flags::{self, Program, Takes, lengths};
use super::names::{self, Secrecy};
use super::scanner::{Scanner, is_quote, is_space};
use super::values::is_reference;

/// For each first letter, the lengths of the words for which [`Scanner::command`] has to be called.
pub const COMMAND: [u32; 32] = lengths(
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

impl Scanner<'_> {
    /// Hides the value of a flag: a flag that names a secret, or a short flag of the current program.
    /// `holds_secret`: whether a word is a secret by itself.
    pub fn flag(
        &mut self,
        run: &str,
        start: usize,
        end: usize,
        holds_secret: impl Fn(&str) -> bool,
    ) -> Option<usize> {
        let begins = start == 0 || is_space(self.byte(start - 1)) || is_quote(self.byte(start - 1));
        if !begins {
            return None;
        }
        let next = self.past(end, |byte| matches!(byte, b' ' | b'\t'));
        if let Some((takes, length)) = self.program.and_then(|program| program.flag(run)) {
            let joined = start + length;
            let is_joined =
                joined < end || next == end && !is_space(self.byte(end)) && end < self.bytes.len();
            let joined = if run.starts_with("--") && self.byte(joined) == b'=' { joined + 1 } else { joined };
            let from = if is_joined { joined } else { next };
            let to = self.shell_word(from);
            let word = self.slice(from, to);
            let secret = match takes {
                Takes::Word => from,
                // Without a colon there is only a user, and the program prompts for the password.
                Takes::Pair => {
                    let user = word.find([':', '%'])?;
                    // A token can take the place of the user.
                    let is_token = holds_secret(self.slice(from, from + user));
                    if is_token { from } else { from + user + 1 }
                }
            };
            return Some(self.quoted(from, secret, to));
        }
        // The value of a flag is the next word, unless the flag is a switch.
        let is_spaced = next > end
            && next < self.bytes.len()
            && !matches!(self.byte(next), b'-' | b'\n' | b'\r' | b'|' | b';' | b'&' | b'>' | b'<');
        if !is_spaced || flags::is_switch(run) {
            return None;
        }
        let secrecy = names::secrecy(run);
        if !matches!(secrecy, Secrecy::Open | Secrecy::Opaque) {
            let to = self.shell_word(next);
            let word = self.slice(next, to);
            let is_shown = is_reference(word)
                || matches!(secrecy, Secrecy::Weak | Secrecy::Generated) && !secrecy.hides(word)
                || names::is_coin(run, word);
            return Some(if is_shown { next } else { self.quoted(next, next, to) });
        }
        None
    }

    /// Hides a word from `secret` on, except for the quotes around it.
    fn quoted(&mut self, from: usize, secret: usize, to: usize) -> usize {
        let word = self.slice(from, to);
        let is_quoted =
            word.len() > 2 && is_quote(self.byte(from)) && word.as_bytes().last() == word.as_bytes().first();
        let close = usize::from(is_quoted);
        let (secret, end) = (secret.max(from + close), to - close);
        let text = self.slice(secret, end);
        if text.starts_with('$') && is_reference(text) {
            return to;
        }
        match self.secret(secret, end, from) {
            stopped if stopped == end => to,
            stopped => stopped,
        }
    }

    /// Hides secrets that follow other words of a command.
    pub fn command(&mut self, run: &str, start: usize, end: usize, before: &str) {
        let is = |word: &str| run.eq_ignore_ascii_case(word);
        match run.len() {
            2 if is("by") => self.identified(run, start, end),
            3 if matches!(run, "set" | "put" | "add") && matches!(before, "secret" | "secrets") => {
                self.program = Some(Program::KEEPER);
            }
            6 | 7
                if run == "create" && matches!(before, "secret" | "secrets")
                    || before == "create" && matches!(run, "secret" | "secrets") =>
            {
                self.program = Some(Program::KEEPER);
            }
            3 | 4 | 6 if is("set") || is("setx") || is("setenv") || run == "config" => {
                self.setting(run, end);
            }
            5 if run == "login" && before == "vault" => {
                let next = self.past(end, |byte| byte == b' ');
                self.argument(next, false);
            }
            13 if run == "add-authtoken" => {
                let next = self.past(end, |byte| byte == b' ');
                self.argument(next, false);
            }
            6 | 8 if is("password") || is("passwd") => self.password(start, end),
            _ => {}
        }
    }

    /// `set NAME value` and similar commands.
    fn setting(&mut self, run: &str, end: usize) {
        let mut at = self.past(end, |byte| byte == b' ');
        // Skips flags, and repetitions of the word.
        for _ in 0..3 {
            let word = self.past(at, |byte| !is_space(byte));
            if at == end || !self.slice(at, word).starts_with(['-', '/']) && self.slice(at, word) != "set" {
                break;
            }
            if self.slice(at, word).starts_with("//") {
                break;
            }
            at = self.past(word, |byte| byte == b' ');
        }
        if at == end || at > end + 64 {
            return;
        }
        let name = self.past(at, |byte| !is_space(byte) && !matches!(byte, b';' | b'|' | b'&' | b'=' | b'"'));
        let next = self.past(name, |byte| byte == b' ');
        if name < at + 200 && next > name && names::secrecy(self.slice(at, name)) >= Secrecy::Text {
            self.argument(next, run.len() > 3 && run != "config");
        }
    }

    /// Hides a word of a command that may be a secret: with `always` any word, otherwise one that is not a
    /// word of a language.
    fn argument(&mut self, from: usize, always: bool) {
        let to = self.shell_word(from);
        let word = self.slice(from, to);
        let is_prose =
            word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase() || byte == b'.' || byte == b',');
        if word.starts_with(['-', '=', ':', '$', '{', '(']) || !always && is_prose || is_reference(word) {
            return;
        }
        self.quoted(from, from, to);
    }

    /// `IDENTIFIED BY '…'`, with or without a plugin before it.
    fn identified(&mut self, run: &str, start: usize, end: usize) {
        let next = self.past(end, is_space);
        if !is_quote(self.byte(next)) && run != "BY" {
            return;
        }
        let (at, one) = self.word_before(start);
        let is_by = one.eq_ignore_ascii_case("identified") || {
            let (at, two) = self.word_before(at);
            two.eq_ignore_ascii_case("with") && self.word_before(at).1.eq_ignore_ascii_case("identified")
        };
        let word = if self.rest(next).get(..8).is_some_and(|word| word.eq_ignore_ascii_case("password")) {
            self.past(next + 8, is_space)
        } else {
            next
        };
        if is_by {
            self.argument(word, true);
        }
    }

    /// `machine … login … password …` of netrc, and `WITH PASSWORD '…'` of SQL.
    fn password(&mut self, start: usize, end: usize) {
        let next = self.past(end, is_space);
        if next == end {
            return;
        }
        let (at, one) = self.word_before(start);
        let (at, two) = self.word_before(at);
        let is_quoted = is_quote(self.byte(next));
        let is = |word: &str, list: &[&str]| list.iter().any(|other| word.eq_ignore_ascii_case(other));
        let of_sql = is_quoted
            && (is(one, &["with", "login", "encrypted", "superuser", "createdb", "createrole"])
                || is(two, &["user", "role"]));
        let of_netrc = two == "machine"
            || matches!(two, "login" | "account" | "user") && {
                let (at, three) = self.word_before(at);
                three == "default" || self.word_before(at).1 == "machine"
            };
        if of_sql || of_netrc {
            self.argument(next, true);
        }
    }

    /// The end of a shell word.
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
}
