//! Secrets by the names beside them: assignments, headers, flags.

use super::MASK;
use super::flags::{self, Program, Takes};
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
            let joined = if run.starts_with("--") && self.byte(joined) == b'=' { joined + 1 } else { joined };
            let from = if is_joined { joined } else { next };
            let to = self.shell_word(from);
            let word = self.slice(from, to);
            let secret = match takes {
                Takes::Word => from,
                // Without a colon the program asks for the password.
                Takes::Pair => {
                    let user = word.find([':', '%'])?;
                    // A token may stand in the place of the user.
                    let is_token = mask(self.slice(from, from + user), self.looks).is_some();
                    if is_token { from } else { from + user + 1 }
                }
            };
            return Some(self.quoted(from, secret, to));
        }
        // The value of a flag is the next word, unless this is a switch.
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

    /// Hides a word from a place on, but for the quotes around it.
    fn quoted(&mut self, from: usize, secret: usize, to: usize) -> usize {
        let word = self.slice(from, to);
        let is_quoted =
            word.len() > 2 && is_quote(self.byte(from)) && word.as_bytes().last() == word.as_bytes().first();
        let close = usize::from(is_quoted);
        let (secret, end) = (secret.max(from + close), to - close);
        match self.secret(secret, end, from) {
            stopped if stopped == end => to,
            stopped => stopped,
        }
    }

    /// Secrets that stand after other words of a command.
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

    /// `set NAME value` and what is like it.
    fn setting(&mut self, run: &str, end: usize) {
        let mut at = self.past(end, |byte| byte == b' ');
        // Flags, and the same word again.
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

    /// Hides a word of a command, if it may be a secret: `always`, or if it is no word of a language.
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

    /// `IDENTIFIED BY '…'`, also with a plugin before it.
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

    /// What a field of this name holds, if another beside it names it: `{"name": "password", "value": …}`, in a
    /// text also those of YAML and HTML.
    pub fn field(&mut self, run: &str, end: usize, assigned: usize) -> Secrecy {
        let is_value = matches!(run, "value" | "values" | "val" | "default" | "Value");
        let is_name = matches!(
            run,
            "name" | "key" | "header" | "variable" | "var" | "env" | "parameter" | "Name" | "Key"
        );
        if !is_value && !is_name {
            return Secrecy::Open;
        }
        let is_near = |from: usize, to: usize| {
            from <= to
                && to - from <= 200
                && !self.bytes.get(from..to).unwrap_or_default().iter().any(|b| matches!(b, b'{' | b'}'))
        };
        if is_value {
            if self.told.take().is_some_and(|told| is_near(told, end)) {
                return Secrecy::Strong;
            }
            self.filled = Some((end, assigned));
            return Secrecy::Open;
        }
        self.told = None;
        let from = self.past(assigned, |byte| matches!(byte, b' ' | b'\t' | b'\\' | b'"' | b'\''));
        if from > assigned + 16 {
            return Secrecy::Open;
        }
        let to = self.past(from, |byte| is_token(byte) || byte == b'.');
        if to > from + 80 || names::secrecy(self.slice(from, to)).strong() < Secrecy::Strong {
            return Secrecy::Open;
        }
        self.told = Some(to);
        if let Some((at, assigned)) = self.filled.take()
            && self.byte(self.past(assigned, |byte| matches!(byte, b' ' | b'\\'))) != b'\n'
            && is_near(at, end)
        {
            self.value("value", Secrecy::Strong, at, assigned, false);
            // One value has one name.
            self.told = None;
        }
        Secrecy::Open
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
            // The wide colon and the wide sign of equality.
            (0xef, 0xbc, 0x9a | 0x9d) => return Some(at + 3),
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
        let kind = header(name);
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
            if is_reference(text) || !secrecy.hides(text) || names::is_coin(name, text) {
                return opening + 1;
            }
            // A shell runs what is in these.
            let is_run = text.contains([' ', '\t', '\n'])
                || from == assigned
                    && self.byte(end) == b'='
                    && (name.starts_with('-') || names::is_constant(name));
            if self.byte(opening) == b'`' && is_run {
                return end.max(opening + 1);
            }
            // Of a shell `NAME=` is all, and what follows is a command.
            if self.is_empty(end, assigned, from) && !self.ends_a_line(to + 1) {
                return end;
            }
            if self.secret(opening + 1, to, opening) < to {
                return end.max(opening + 1);
            }
            // What follows a closing quote without a gap is one word with it.
            let after = self.past(to, |byte| byte == b'\\') + 1;
            let joined = if self.byte(after).is_ascii_alphanumeric() { self.loose(after, false) } else { to };
            return if joined > to { self.secret(after, joined, after) } else { to };
        }
        // A list of texts; the names in an object speak for themselves.
        if self.byte(from) == b'['
            && secrecy >= Secrecy::Text
            && is_quote(self.byte(self.past(from + 1, is_space)))
        {
            return self.list(from).max(end);
        }
        if self.is_empty(end, assigned, from) {
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
        if from > assigned && self.byte(assigned.saturating_sub(1)) == b':'
            || from == assigned && self.byte(from) == b'\n'
        {
            // After a colon and a space there may be a sentence, and a block of YAML after the end of the line.
            if secrecy < Secrecy::Text && secrecy != Secrecy::Generated && !names::is_constant(name) {
                return end;
            }
            if matches!(self.byte(from), b'|' | b'>' | b'\n') {
                let begins = self.begins_a_line(end.saturating_sub(name.len()));
                return if begins { self.indented(from).max(end) } else { end };
            }
        }
        if matches!(self.byte(from), b'{' | b'[' | b'(' | b'\n' | b'\r') {
            return end;
        }
        // A URL shows where it leads; what is secret in it is looked for there.
        if self.rest(self.past(from, |byte| byte.is_ascii_alphanumeric())).starts_with("://") {
            return end;
        }
        let start = end.saturating_sub(name.len());
        let mut to = match kind {
            Some(is_cookie) if !in_query => {
                if self.byte(assigned - 1) == b':'
                    && let Some(close) = start.checked_sub(1).and_then(|at| self.quotes().closing(at))
                {
                    let line = self.slice(from, close).find(['\n', '\r']);
                    let close = line.map_or(close, |length| from + length);
                    // The backslash of a quote that is escaped.
                    let close = close - usize::from(close > from && self.byte(close - 1) == b'\\');
                    let text = self.slice(from, close);
                    return if text.is_empty() || is_reference(text) {
                        end
                    } else {
                        self.secret(from, close, start - 1)
                    };
                }
                let begins = self.begins_a_line(start);
                if is_cookie { self.cookies(from, begins) } else { self.credentials(from, begins) }
            }
            _ => self.loose(from, in_query),
        };
        // What follows is run for the value, or leads elsewhere.
        if self.byte(to) == b'(' && to > from && self.byte(to - 1) == b'$' {
            to -= 1;
        } else if let Some(length) =
            self.bytes.get(from..to).unwrap_or_default().windows(3).position(is_parent)
        {
            to = from + length;
        }
        let text = self.slice(from, to);
        let is_call = self.byte(to) == b'(';
        if text.is_empty()
            || is_reference(text)
            || is_call
            || !secrecy.hides(text)
            || names::is_coin(name, text)
        {
            // `password: str = "…"`: the type is no secret, the value is.
            let again = self.past(to, |byte| byte == b' ');
            if self.byte(assigned - 1) == b':' && !text.is_empty() && again > to && self.byte(again) == b'=' {
                return self.value(name, secrecy, to, self.past(again, |byte| byte == b'='), in_query);
            }
            return end;
        }
        self.hide(from, to)
    }

    /// Hides the texts of a list, whose bracket opens at a place.
    fn list(&mut self, from: usize) -> usize {
        let mut to = from + 1;
        let mut at = to;
        loop {
            at = self.past(at, |byte| is_space(byte) || matches!(byte, b',' | b'\\'));
            if self.byte(at) == b']' {
                // Up to the bracket, as far as all in it is of the list.
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

    /// Is nothing assigned, as by `NAME= command`?
    fn is_empty(&self, end: usize, assigned: usize, from: usize) -> bool {
        from > assigned && assigned == end + 1 && self.byte(end) == b'='
    }

    /// Does a line, or what is like one, end here?
    fn ends_a_line(&self, at: usize) -> bool {
        let next = self.past(at, |byte| matches!(byte, b' ' | b'\t' | b'\\'));
        next >= self.bytes.len()
            || matches!(
                self.byte(next),
                b'\n' | b'\r' | b',' | b';' | b')' | b'}' | b']' | b'"' | b'\'' | b'#'
            )
    }

    /// Does a line begin here that is none of a command? What marks a header in a trace may stand before it.
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

    /// The end of pairs of a name and a value, `; ` between them: RFC 6265, section 4.2.
    fn cookies(&self, from: usize, begins: bool) -> usize {
        let pair = |at| {
            self.past(at, |byte| !is_space(byte) && !is_operator(byte) && !is_quote(byte) && byte != b'\\')
        };
        let mut to = pair(from);
        while self.byte(to) == b';' {
            let at = self.past(to + 1, |byte| byte == b' ');
            let end = pair(at);
            let Some((name, value)) = self.slice(at, end).split_once('=') else { break };
            // A pair is no assignment of a shell, before a command or for those that follow.
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

    /// The end of a scheme and what it takes: RFC 9110, section 11.4. Elsewhere than in a line of its own only
    /// schemes that are known take a second word.
    fn credentials(&self, from: usize, begins: bool) -> usize {
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
                b'(' if at > from && self.byte(at - 1) == b'$' => false,
                b'"' | b'\'' | b'(' => next.is_ascii_alphanumeric() && at > from,
                _ => false,
            };
            if !goes_on {
                return at;
            }
            at += 1;
        }
    }
}

/// Is it the name of a header for cookies, or of one for credentials?
fn header(name: &str) -> Option<bool> {
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

/// Does a path go up there?
fn is_parent(three: &[u8]) -> bool {
    matches!(three, [b'/' | b'\\', b'.', b'.'])
}

/// Does a shell end a word or a command there?
fn is_operator(byte: u8) -> bool {
    matches!(byte, b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`')
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
