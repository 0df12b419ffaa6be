//! The deny side: finds every place of a command line where a command can begin.

use super::analysis::analyze;
use super::braces::expanded;
use super::code;
use super::lex::{self, Dialect, Word};
use super::line::{self, Line};
use super::words;
use crate::core::sort::{distinct, sort_by};
use crate::rules::unicode;
use serde_json::{Map, Value};

/// The depth to which scripts in scripts are read. Below it, each word can be a command.
const MAX_DEPTH: usize = 8;
/// Scripts in scripts can repeat their texts. Beyond this multiple of the value's length, they are read like
/// those that are too deep.
const MAX_WORK: usize = 16;

/// The lines of all readings.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    /// One command each.
    pub lines: Vec<Line>,
    /// Several commands with their operators, for patterns with operators.
    pub flows: Vec<Line>,
}

#[derive(Debug)]
struct Script {
    text: String,
    dialect: Dialect,
    /// Whether each of its words can be a command.
    coarse: bool,
}

/// Reads a value in each of its readings.
pub(super) fn scan(readings: &[String]) -> Scan {
    let mut scanner = Scanner::default();
    let folded = readings.first().map(|text| unicode::folded(text)).unwrap_or_default();
    for (at, text) in readings.iter().enumerate() {
        // The letter case is folded later, because the escapes of `$'...'` depend on it.
        if at > 0 && *text == folded {
            continue;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let (raw, folded) = (words.join(" "), unicode::folded(&words.join(" ")));
        // If the lower case of a letter has two characters, `?` has to match the letter itself, too.
        if raw.chars().count() != folded.chars().count() {
            scanner.out.lines.push(Line::raw(raw));
        }
        scanner.out.lines.push(Line::raw(folded));
        scanner.left = scanner.left.max(text.len().saturating_mul(MAX_WORK).saturating_add(1 << 12));
        for dialect in dialects(text) {
            scanner.add(0, Script { text: text.clone(), dialect, coarse: false });
        }
        scanner.run();
    }
    let mut out = scanner.out;
    for lines in [&mut out.lines, &mut out.flows] {
        sort_by(lines, |a, b| a.text < b.text);
        lines.dedup_by(|from, into| {
            let same = from.text == into.text;
            if same {
                into.starts.append(&mut from.starts);
                into.ends.append(&mut from.ends);
                into.wilds.append(&mut from.wilds);
            }
            same
        });
        for line in lines {
            for places in [&mut line.starts, &mut line.ends] {
                distinct(places);
            }
            sort_by(&mut line.wilds, |(_, a), (_, b)| a < b);
        }
    }
    out
}

/// The dialects that may read a text differently.
fn dialects(text: &str) -> Vec<Dialect> {
    let mut dialects = vec![Dialect::default()];
    let mut add = |differs: bool, dialect| dialects.extend(differs.then_some(dialect));
    add(text.contains('#'), Dialect::Bash { comments: false });
    add(text.contains("$'"), Dialect::Sh);
    add(text.contains("\\'"), Dialect::Fish);
    add(text.contains(['\\', '^', '`', '%']) || has_blocks(text), Dialect::Windows);
    dialects
}

/// Whether a block follows a word of PowerShell directly, as in `try{rm x}`.
fn has_blocks(text: &str) -> bool {
    if !text.contains('{') {
        return false;
    }
    let lower = unicode::folded(text);
    let named = lower.contains("function ") || lower.contains("filter ");
    lower.match_indices('{').any(|(at, _)| {
        let from = at.saturating_sub(words::LONGEST_BEFORE_BLOCK);
        let before = lower.as_bytes().get(from..at).unwrap_or_default();
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"-%?.".contains(byte);
        let length = before.iter().rev().take_while(|byte| is_letter(byte)).count();
        named && before.last().is_some_and(|byte| !byte.is_ascii_whitespace() && !b"()$".contains(byte))
            || lower.get(at - length..at).is_some_and(words::is_before_block)
    })
}

#[derive(Default)]
struct Scanner {
    out: Scan,
    work: Vec<(usize, Script)>,
    /// What was added. The map of JSON is there anyway, and a set of its own would be several kilobytes of code.
    seen: Map<String, Value>,
    /// The number of bytes that may still be read.
    left: usize,
}

impl Scanner {
    fn add(&mut self, depth: usize, script: Script) {
        if script.text.trim().is_empty() {
            return;
        }
        let key = format!("{}{}{}", script.dialect.letter(), u8::from(script.coarse), script.text);
        if self.seen.insert(key, Value::Null).is_none() {
            self.work.push((depth, script));
        }
    }

    fn run(&mut self) {
        while let Some((depth, script)) = self.work.pop() {
            let within = depth < MAX_DEPTH && self.left >= script.text.len();
            if script.coarse || !within {
                self.coarsely(&script.text);
            }
            if within {
                self.left -= script.text.len();
                self.script(depth, &script);
            }
        }
    }

    /// Adds every word as a command, once with the quotes removed, and once with blanks for quotes.
    fn coarsely(&mut self, text: &str) {
        for quote in ["", " "] {
            let mut line = Line::default();
            let mut blank = true;
            for c in text.chars() {
                match c {
                    '"' | '\'' | '\\' | '^' if quote.is_empty() => {}
                    _ if c.is_alphanumeric() || "-_./".contains(c) || !c.is_ascii() && !c.is_whitespace() => {
                        let first = std::mem::take(&mut blank);
                        if first && !line.text.is_empty() {
                            line.text.push(' ');
                        }
                        if first || line.text.ends_with(['/', '-', '.']) {
                            line.starts.push(line.text.len());
                        }
                        unicode::fold(c, &mut line.text);
                    }
                    _ => blank = true,
                }
            }
            line.ends.push(line.text.len());
            self.out.lines.push(line);
            if !text.contains(['"', '\'', '\\', '^']) {
                break;
            }
        }
    }

    fn script(&mut self, depth: usize, script: &Script) {
        let lexed = lex::lex(&script.text, script.dialect);
        // If a quote is not closed, a reading with other quotes closes it. One of all dialects is enough to
        // find this.
        if lexed.doubt && matches!(script.dialect, Dialect::Bash { comments: true } | Dialect::Cmd) {
            let words: Vec<&str> = script.text.split_whitespace().collect();
            self.out.lines.push(Line::doubtful(unicode::folded(&words.join(" "))));
            self.coarsely(&script.text);
        }
        if lexed.commands.len() > 1 || lexed.commands.iter().any(|command| !command.targets.is_empty()) {
            if lexed.bare.text != lexed.flow.text {
                self.out.flows.push(Line::of_flow(lexed.bare));
            }
            self.out.flows.push(Line::of_flow(lexed.flow));
        }
        let mut feeds = false;
        let mut runs = false;
        for command in lexed.commands.iter().rev() {
            let words: Vec<Word> = command.words.iter().flat_map(expanded).collect();
            let analysis = analyze(&words);
            let mut next = |text: String, coarse: bool| {
                let dialect = script.dialect;
                if analysis.windows {
                    let dialect = Dialect::Cmd;
                    self.add(depth + 1, Script { text: text.clone(), dialect, coarse });
                }
                self.add(depth + 1, Script { text, dialect, coarse });
            };
            for (text, coarse) in &analysis.scripts {
                next(text.clone(), *coarse);
            }
            for target in &command.targets {
                target.inner.iter().for_each(|inner| next(inner.clone(), false));
                if analysis.reads {
                    next(code::written(&target.code), true);
                }
            }
            if feeds {
                let written: Vec<String> = words.iter().map(|word| code::written(&word.code)).collect();
                written.iter().for_each(|word| next(word.clone(), true));
                self.coarsely(&written.join(" "));
            }
            self.out.lines.extend(line::all(&words, &analysis.starts));
            runs |= analysis.reads;
            feeds = command.fed && (feeds || analysis.reads);
        }
        for body in lexed.bodies {
            // Each of its lines is also read alone, because a quote in one line does not belong to the
            // command in the next.
            for line in body.lines().chain([body.as_str()]) {
                let dialect = if runs { script.dialect } else { Dialect::Sh };
                self.add(depth + 1, Script { text: line.to_owned(), dialect, coarse: runs });
            }
        }
    }
}
