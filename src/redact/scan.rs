//! Finds secrets in a text by their shape and by the names beside them.
//!
//! One pass goes over the runs of letters and digits. What a run belongs to (an assignment, a URL, a block)
//! is read once and skipped. The scheme, host and path of a URL and the first word of a command are not
//! secrets, so a mask never hides what the tool acts on.

use super::commands::COMMAND;
use super::fields::FIELD;
use super::flags::{Program, has_length};
use super::names::{self, Secrecy};
use super::random::is_word;
use super::scanner::{ScanOptions, Scanner, is_space};
use super::values::Assignment;
use super::view::MASK;
use crate::core::sort::sort;

/// The text with masks, and their number; `None` if it has no secret.
pub fn mask(text: &str, looks: ScanOptions) -> Option<(String, usize)> {
    let (mut masked, mut count) = once(text, looks)?;
    // A mask can change how the text beside it is read, as a closing quote does. So passes are repeated until
    // nothing changes.
    for _ in 0..PASSES {
        let Some((again, more)) = once(&masked, looks) else { break };
        masked = again;
        count = count.max(more);
    }
    Some((masked, count))
}

/// The limit, for a text in which each mask leads to another one.
const PASSES: usize = 64;

/// One pass.
fn once(text: &str, looks: ScanOptions) -> Option<(String, usize)> {
    if text.len() < 4 {
        return None;
    }
    let mut scan = Scanner::new(text, looks);
    scan.all();
    let mut spans = scan.spans;
    if spans.is_empty() {
        return None;
    }
    sort(&mut spans);
    let mut masked = String::with_capacity(text.len());
    let (mut at, mut count) = (0, 0);
    let mut spans = spans.into_iter().peekable();
    while let Some((start, mut end)) = spans.next() {
        while let Some((_, next)) = spans.next_if(|(start, _)| *start <= end) {
            end = end.max(next);
        }
        let mut before = text.get(at..start).unwrap_or_default();
        let hidden = text.get(start..end).unwrap_or_default();
        // A mask beside a mask would make a wider one.
        while let Some(rest) = before.strip_suffix('•') {
            before = rest;
        }
        let mut after = text.get(end..).unwrap_or_default();
        while let Some(rest) = after.strip_prefix('•') {
            after = rest;
        }
        at = text.len() - after.len();
        count += usize::from(!hidden.chars().all(|c| c == '•'));
        if !(before.is_empty() && masked.ends_with(MASK)) {
            masked.push_str(before);
            masked.push_str(MASK);
        }
    }
    masked.push_str(text.get(at..).unwrap_or_default());
    (count > 0).then_some((masked, count))
}

impl<'a> Scanner<'a> {
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
                // A part that was understood needs no guess, but the rest of the run before it may.
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

    /// The place of the next run. Command separators before it end the command.
    fn gap(&mut self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| is_word(*byte)).unwrap_or(rest.len());
        let gap = rest.get(..length).unwrap_or_default();
        if self.program.is_some() && gap.iter().any(|byte| matches!(byte, b'\n' | b';' | b'|' | b'&')) {
            self.program = None;
        }
        length
    }

    /// Reads a run, and returns the end of what is known.
    fn run(&mut self, start: usize, end: usize, before: &std::ops::Range<usize>) -> usize {
        let (run, looks) = (self.slice(start, end), self.looks);
        // Bytes are compared first, because this is done for every word of a long text.
        let (first, last, next) = (self.byte(start), self.byte(end - 1), self.byte(end));
        if last == b'N' && run.ends_with("-----BEGIN") {
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
        if has_length(&COMMAND, run) {
            self.command(run, start, end, self.slice(before.start, before.end));
        }
        if first == b'-'
            && let Some(at) = self.flag(run, start, end, |word| mask(word, looks).is_some())
        {
            return at;
        }
        if let Some(at) = self.marked(run, start, end) {
            return at;
        }
        if matches!(first, b'b' | b'B')
            && let Some(at) = self.scheme(run, end)
        {
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
        if secrecy == Secrecy::Open && has_length(&FIELD, run) {
            secrecy = self.field(run, end, value);
        }
        if secrecy == Secrecy::Open {
            return end;
        }
        self.value(Assignment { name, secrecy, end, assigned: value, in_query })
    }

    /// Handles a run within a path.
    fn of_path(&mut self, run: &'a str, start: usize, end: usize) -> usize {
        if let Some(at) = self.marked(run, start, end) {
            return at;
        }
        let in_query = start > 0 && matches!(self.byte(start - 1), b'?' | b'&') && self.byte(end) == b'=';
        if !in_query || self.secrecy(run) < Secrecy::Opaque {
            return end;
        }
        let to = self.past(end + 1, |byte| !is_space(byte) && !matches!(byte, b'&' | b'#' | b'/' | b'\\'));
        self.hide(end + 1, to)
    }
}
