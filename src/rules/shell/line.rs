//! A command as text, with the places where a command can begin.

use super::code;
use super::lex::{Flow, Word};
use super::words;
use crate::core::sort::{distinct, sort_by};
use crate::rules::glob::Glob;
use crate::rules::unicode;
use crate::rules::work::Work;

/// The operators between commands and of redirections.
pub(super) const OPERATORS: [char; 7] = ['|', '&', ';', '<', '>', '(', ')'];

/// A text and the places, in ascending order, where a command can begin and end in it. It can end before every operator,
/// also within quotes and within a run of operators, so that lines of the same text have the same ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub text: String,
    pub starts: Vec<usize>,
    pub ends: Vec<usize>,
    /// Command words with wildcards: their patterns, and where each word ends.
    pub wilds: Vec<(Glob, usize)>,
}

impl Line {
    /// Brings the places into order.
    pub fn order(&mut self) {
        for places in [&mut self.starts, &mut self.ends] {
            distinct(places);
        }
        sort_by(&mut self.wilds, |(_, a), (_, b)| a < b);
    }

    /// Adds the places of a line with the same text. Most have the same places.
    pub fn add_places(&mut self, other: &mut Self) {
        if self != other {
            self.starts.append(&mut other.starts);
            self.wilds.append(&mut other.wilds);
            self.order();
        }
    }

    /// A text in which commands can begin at these places.
    pub fn new(text: String, starts: Vec<usize>) -> Self {
        let operators = text.bytes().enumerate().filter(|(_, byte)| OPERATORS.contains(&char::from(*byte)));
        let before = operators.filter_map(|(at, _)| text.get(..at));
        let ends = before.flat_map(|before| [before.trim_end().len(), before.len()]).chain([text.len()]);
        Self { ends: ends.collect(), text, starts, wilds: Vec::new() }
    }

    /// A text as it is written.
    pub fn raw(text: String) -> Self {
        Self::new(text, vec![0])
    }

    /// A text as it is written, that also begins at these places.
    pub fn raw_from(text: &str, begins: &[usize]) -> Self {
        let mut begins = begins.iter().peekable();
        let (mut made, mut starts) = (String::new(), Vec::new());
        for word in text.split_whitespace() {
            if !made.is_empty() {
                made.push(' ');
            }
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let mut rest = word;
            while let Some(begin) = begins.next_if(|begin| **begin < start + word.len()) {
                let (_, behind) = word.split_at(begin.saturating_sub(start));
                made.push_str(&unicode::folded(&rest[..rest.len() - behind.len()]));
                rest = behind;
                starts.push(made.len());
            }
            made.push_str(&unicode::folded(rest));
        }
        Self::new(made, starts)
    }

    /// A text with an unclosed quote, in which each operator can be active.
    pub fn doubtful(text: String) -> Self {
        let behind = |(at, operator): (usize, &str)| {
            let rest = text.get(at + operator.len()..).unwrap_or_default();
            text.len() - rest.trim_start().len()
        };
        let starts = text.match_indices(OPERATORS).map(behind).chain([0]).collect();
        Self::new(text, starts)
    }

    /// The text of several commands.
    pub fn of_flow(Flow { text, begins, ends, .. }: Flow) -> Self {
        // Each place lies within its own command, because a text can have no blank up to its end.
        let places = begins.iter().zip(&ends).flat_map(|(begin, end)| {
            let command = text.get(*begin..*end).unwrap_or_default();
            offsets(command.split(' ').next().unwrap_or_default()).into_iter().map(move |at| begin + at)
        });
        let starts = places.collect();
        Self::new(text, starts)
    }

    /// The beginning of each of its words.
    pub fn words(&self) -> impl Iterator<Item = usize> {
        let behind = |(at, _): (usize, &str)| at + 1;
        let is_before = |c: char| c == ' ' || OPERATORS.contains(&c);
        std::iter::once(0).chain(self.text.match_indices(is_before).map(behind))
    }
}

/// The text without blanks beside operators.
pub(super) fn tight(text: &str) -> String {
    let mut made = String::new();
    for c in text.chars() {
        if OPERATORS.contains(&c) {
            made.truncate(made.trim_end_matches(' ').len());
        } else if c == ' ' && made.ends_with(OPERATORS) {
            continue;
        }
        made.push(c);
    }
    made
}

/// The largest number of words after a command that can be options and their values.
const MAX_OPTIONS: usize = 12;
/// The largest number of lines made by leaving options out.
const MAX_SKIPS: usize = 48;

/// The lines of a command, one for each way to leave parts out, as far as the work lasts.
pub(super) fn all(words: &[Word], starts: &[usize], work: &Work) -> Vec<Line> {
    let has = |find: fn(&str) -> bool| words.iter().any(|word| find(&word.code));
    let values = has(|code| code.contains(code::VALUE));
    let is_start = |at: usize| starts.binary_search(&at).is_ok();
    let suffix = |at: &usize| words.get(*at).is_some_and(|word| has_suffix(&word.code));
    let option = |at: &usize| words.get(at + 1).is_some_and(|word| word.code.starts_with('-'));
    let suffixes = starts.iter().any(suffix);
    let options = starts.iter().any(option);
    let variants = [
        (true, Variant { value: None, bare: false, options: Options::Kept }),
        (suffixes, Variant { value: None, bare: true, options: Options::Kept }),
        (values, Variant { value: Some(""), bare: true, options: Options::Kept }),
        (values, Variant { value: Some(" "), bare: true, options: Options::Kept }),
        (options, Variant { value: None, bare: true, options: Options::Dropped }),
        (options, Variant { value: None, bare: true, options: Options::DroppedWithValues }),
    ];
    let differing = variants.into_iter().filter(|(differs, _)| *differs).map(|(_, variant)| variant);
    // It is unknown which options take the next word as their value, so each following word may be the first
    // argument.
    let skips = starts.iter().filter(|at| option(at)).flat_map(|&at| {
        let words = words.iter().enumerate().skip(at + 2).take(MAX_OPTIONS);
        let arguments = words.filter(|(_, word)| !word.code.starts_with('-'));
        arguments.map(move |(to, _)| Variant {
            value: None,
            bare: true,
            options: Options::Skipped(at + 1, to),
        })
    });
    let texts: Vec<String> = words.iter().map(|word| folded(&code::written(&word.code))).collect();
    let length = words.iter().map(|word| word.code.len()).sum();
    let variants = differing.chain(skips.take(MAX_SKIPS)).enumerate();
    // The first is the command itself.
    let variants = variants.take_while(|(at, _)| *at == 0 || work.takes(length));
    let lines = variants.map(|(_, variant)| variant.line(words, &texts, is_start));
    lines.filter(|line| !line.starts.is_empty()).collect()
}

/// A word in one letter case, on one line.
fn folded(text: &str) -> String {
    let text = unicode::folded(text);
    if text.contains('\n') { text.replace('\n', " ") } else { text }
}

fn has_suffix(code: &str) -> bool {
    words::bare(&unicode::folded(code)).is_some()
}

/// One reading of a command: what it leaves out or replaces.
struct Variant {
    /// The replacement of an expansion; `None` keeps its own text.
    value: Option<&'static str>,
    /// Whether `.exe` is removed.
    bare: bool,
    options: Options,
}

/// The options between a command and its first argument, `git -C x push`.
#[derive(PartialEq, Eq)]
enum Options {
    Kept,
    Dropped,
    DroppedWithValues,
    /// The words from one place to another.
    Skipped(usize, usize),
}

impl Variant {
    /// `texts`: those of the words with their expansions as they are written.
    fn line(&self, words: &[Word], texts: &[String], is_start: impl Fn(usize) -> bool) -> Line {
        let (mut made, mut starts, mut wilds) = (String::new(), Vec::new(), Vec::new());
        // Whether the command has begun whose options are left out, and whether the last word was an option.
        let (mut dropping, mut option) = (false, false);
        for (at, (word, text)) in words.iter().zip(texts).enumerate() {
            let replaced = self.value.map(|by| folded(&code::written(code::replaced(&word.code, by).trim())));
            let text = replaced.as_ref().unwrap_or(text);
            let start = is_start(at);
            if let Options::Skipped(from, to) = self.options {
                if (from..to).contains(&at) {
                    continue;
                }
            } else if self.options != Options::Kept {
                let last = at + 1 == words.len();
                if dropping && !last && text.starts_with('-') {
                    option = self.options == Options::DroppedWithValues && !text.contains('=');
                    continue;
                }
                if std::mem::take(&mut option) && !last {
                    continue;
                }
                dropping = start;
            }
            if text.is_empty() {
                continue;
            }
            if !made.is_empty() {
                made.push(' ');
            }
            let base = made.len();
            let text = if self.bare && start { words::bare(text).unwrap_or(text) } else { text };
            made.push_str(text);
            if start {
                starts.extend(offsets(text).into_iter().map(|offset| base + offset));
                if let Some(glob) = wild(&word.code).filter(|_| self.value.is_none()) {
                    wilds.push((glob, made.len()));
                }
            }
        }
        distinct(&mut starts);
        Line { wilds, ..Line::new(made, starts) }
    }
}

/// The places in a word where a command can begin: after its directory, a `=`, or punctuation.
fn offsets(word: &str) -> Vec<usize> {
    let behind = |at: Option<usize>| at.map(|at| at + 1);
    let command = word.split(' ').next().unwrap_or_default();
    let option = word.starts_with('-');
    // A path can contain blanks, `C:\Program Files\`.
    let path = if command.contains('/') { word } else { command };
    let slash = behind(path.rfind('/'));
    let letter = |text: &str| text.find(unicode::is_letter);
    let mut offsets = Vec::new();
    for at in [behind(word.find('=')), behind(word.rfind('='))].into_iter().flatten() {
        let value = word.get(at..).and_then(|value| value.split(' ').next()).unwrap_or_default();
        let within = [Some(0), letter(value), behind(value.rfind('/'))];
        offsets.extend(within.into_iter().flatten().map(|offset| at + offset));
    }
    offsets.extend((!option).then_some(0));
    offsets.extend(letter(command).filter(|_| !option));
    offsets.extend(slash.filter(|_| !option));
    offsets.retain(|offset| word.is_char_boundary(*offset));
    offsets
}

/// The pattern of a command word with wildcards, if enough of it is written out.
fn wild(written: &str) -> Option<Glob> {
    if written.contains(code::OPEN) {
        return Some(Glob::new("*"));
    }
    let mut glob = String::new();
    let mut depth = 0_usize;
    let mut bracket = false;
    let mut active = false;
    for c in written.chars() {
        let meant = match c {
            code::VALUE => {
                depth += 1;
                '*'
            }
            code::VALUE_END => {
                depth = depth.saturating_sub(1);
                continue;
            }
            _ if depth > 0 => continue,
            code::BRACKET_END if !bracket => continue,
            code::BRACKET_END => {
                bracket = false;
                '?'
            }
            _ if bracket => continue,
            code::BRACKET => {
                bracket = true;
                continue;
            }
            code::STAR => '*',
            code::QUERY => '?',
            '/' => {
                glob.clear();
                active = false;
                continue;
            }
            _ => {
                unicode::fold(c, &mut glob);
                continue;
            }
        };
        active = true;
        glob.push(meant);
    }
    // `[` alone is a command.
    let letters = glob.contains(unicode::is_letter) || glob.contains('?');
    (active && letters).then(|| Glob::new(&glob))
}
