//! The deny side: finds every place of a command line where a command can begin.

use super::analysis::analyze;
use super::braces::expanded;
use super::code;
use super::lex::{self, Dialect, Word};
use super::line::{self, Line};
use super::words;
use crate::core::sort::sort_by;
use crate::rules::unicode;
use crate::rules::work::Work;

/// The depth to which scripts in scripts are read. Below it, and where no work is left for the call, each word can be a
/// command.
const MAX_DEPTH: usize = 8;

/// The cost of a command and of a word of it beside their text, in bytes of text.
const COST_OF_COMMAND: usize = 32;
const COST_OF_WORD: usize = 4;

/// The lines of all readings.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    /// One command each.
    pub lines: Vec<Line>,
    /// Several commands with their operators, for patterns with operators.
    pub flows: Vec<Line>,
}

/// Reads a value in each of its readings.
pub(super) fn scan(readings: &[String], work: &Work) -> Scan {
    let mut scanner = Scanner { out: Scan::default(), scripts: Vec::new(), seen: Texts::default(), work };
    let folded = readings.first().map(|text| unicode::folded(text)).unwrap_or_default();
    for (at, text) in readings.iter().enumerate() {
        // The letter case is folded later, because the escapes of `$'...'` depend on it.
        if at > 0 && *text == folded {
            continue;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let (raw, folded) = (words.join(" "), unicode::folded(&words.join(" ")));
        // If the lower case of a letter has two characters, `?` has to match the letter itself, too.
        if unicode::length(&raw) != unicode::length(&folded) {
            scanner.out.lines.push(Line::raw(raw));
        }
        scanner.out.lines.push(Line::raw(folded));
        for dialect in dialects(text) {
            scanner.add(0, text.clone(), dialect, false);
        }
    }
    scanner.run();
    if work.is_spent() {
        // A text within a text has the words of the outer one.
        readings.iter().for_each(|text| scanner.coarsely(text));
    }
    let mut out = scanner.out;
    for lines in [&mut out.lines, &mut out.flows] {
        lines.iter_mut().for_each(Line::order);
        // Long texts that begin alike differ in their length.
        sort_by(lines, |a, b| (a.text.len(), &a.text) < (b.text.len(), &b.text));
        lines.dedup_by(|from, into| {
            let same = from.text == into.text;
            if same {
                into.add_places(from);
            }
            same
        });
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

struct Scanner<'a> {
    out: Scan,
    /// Those that were read, and those that wait, in the order in which they were found: the outer ones first.
    scripts: Vec<Script>,
    /// The texts that were added.
    seen: Texts,
    work: &'a Work,
}

/// A set of texts, in sorted pieces: a set of the standard library would be several kilobytes of code.
#[derive(Default)]
struct Texts(Vec<Vec<String>>);

impl Texts {
    /// The length at which a piece is cut in two.
    const LONG: usize = 256;

    /// Adds a text. Returns whether it is new.
    fn add(&mut self, text: String) -> bool {
        let behind = self.0.partition_point(|piece| piece.first().is_some_and(|first| *first <= text));
        let Some(piece) = self.0.get_mut(behind.saturating_sub(1)) else {
            self.0.push(vec![text]);
            return true;
        };
        let Err(place) = piece.binary_search(&text) else { return false };
        piece.insert(place, text);
        if piece.len() == Self::LONG {
            let other = piece.split_off(Self::LONG / 2);
            self.0.insert(behind.max(1), other);
        }
        true
    }
}

struct Script {
    depth: usize,
    text: String,
    dialect: Dialect,
}

impl Scanner<'_> {
    /// Adds a script. `coarse`: each of its words can be a command.
    fn add(&mut self, depth: usize, text: String, dialect: Dialect, coarse: bool) {
        if coarse {
            self.coarsely(&text);
        }
        if !text.trim().is_empty() && self.is_new(dialect.letter(), &text) {
            self.scripts.push(Script { depth, text, dialect });
        }
    }

    /// Whether a text is read in this way for the first time.
    fn is_new(&mut self, way: char, text: &str) -> bool {
        self.seen.add([way.encode_utf8(&mut [0; 4]), text].concat())
    }

    /// Reads all scripts, as far as the work lasts.
    fn run(&mut self) {
        let mut at = 0;
        while let Some(Script { depth, text, dialect }) =
            self.scripts.get_mut(at).filter(|_| !self.work.is_spent())
        {
            let (depth, text, dialect) = (*depth, std::mem::take(text), *dialect);
            if depth >= MAX_DEPTH {
                self.coarsely(&text);
            } else if self.work.takes(text.len()) {
                self.script(depth, &text, dialect);
            }
            at += 1;
        }
    }

    /// Adds every word as a command, once with the quotes removed, and once with blanks for quotes.
    fn coarsely(&mut self, text: &str) {
        if !self.is_new('-', text) {
            return;
        }
        for quote in ["", " "] {
            let (mut made, mut starts) = (String::new(), Vec::new());
            let mut blank = true;
            for c in text.chars() {
                match c {
                    '"' | '\'' | '\\' | '^' if quote.is_empty() => {}
                    _ if unicode::is_letter(c)
                        || "-_./".contains(c)
                        || !c.is_ascii() && !c.is_whitespace() =>
                    {
                        let first = std::mem::take(&mut blank);
                        if first && !made.is_empty() {
                            made.push(' ');
                        }
                        if first || made.ends_with(['/', '-', '.']) {
                            starts.push(made.len());
                        }
                        unicode::fold(c, &mut made);
                    }
                    _ => blank = true,
                }
            }
            self.out.lines.push(Line::new(made, starts));
            if !text.contains(['"', '\'', '\\', '^']) {
                break;
            }
        }
    }

    fn script(&mut self, depth: usize, text: &str, dialect: Dialect) {
        let lexed = lex::lex(text, dialect);
        let words: usize = lexed.commands.iter().map(|command| command.words.len()).sum();
        if !self.work.takes(COST_OF_COMMAND * lexed.commands.len() + COST_OF_WORD * words) {
            return;
        }
        // If a quote is not closed, a reading with other quotes closes it. One of all dialects is enough to
        // find this.
        if lexed.doubt && matches!(dialect, Dialect::Bash { comments: true } | Dialect::Cmd) {
            let words: Vec<&str> = text.split_whitespace().collect();
            self.out.lines.push(Line::doubtful(unicode::folded(&words.join(" "))));
            self.coarsely(text);
        }
        // A command that is denied as it is written is denied behind other commands, too.
        if depth == 0 && lexed.begins.len() > 1 {
            self.out.lines.push(Line::raw_from(text, &lexed.begins));
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
                if analysis.windows {
                    self.add(depth + 1, text.clone(), Dialect::Cmd, coarse);
                }
                self.add(depth + 1, text, dialect, coarse);
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
            self.out.lines.extend(line::all(&words, &analysis.starts, self.work));
            runs |= analysis.reads;
            feeds = command.fed && (feeds || analysis.reads);
        }
        for body in lexed.bodies {
            // Each of its lines is also read alone, because a quote in one line does not belong to the
            // command in the next.
            for line in body.lines().chain([body.as_str()]) {
                let dialect = if runs { dialect } else { Dialect::Sh };
                self.add(depth + 1, line.to_owned(), dialect, runs);
            }
        }
    }
}
