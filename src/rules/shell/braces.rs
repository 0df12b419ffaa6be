//! Brace expansion.

use super::code;
use super::lex::Word;

/// The largest number of words that one word with braces expands to. With more, it can be any command.
const MAX_WORDS: usize = 32;

/// Expands the braces of a word like bash; returns the word itself if there are too many.
/// <https://www.gnu.org/software/bash/manual/html_node/Brace-Expansion.html>
pub(super) fn expanded(word: &Word) -> Vec<Word> {
    if !word.code.contains(code::OPEN) {
        return vec![word.clone()];
    }
    let mut open = vec![braces(&word.code)];
    let mut done: Vec<Word> = Vec::new();
    while let Some(text) = open.pop() {
        if open.len() + done.len() > MAX_WORDS {
            return vec![word.clone()];
        }
        let Some((before, alternatives, after)) = first_group(&text) else {
            if !text.is_empty() {
                done.push(Word { code: text, inner: word.inner.clone() });
            }
            continue;
        };
        if alternatives.len() > MAX_WORDS {
            return vec![word.clone()];
        }
        open.extend(alternatives.into_iter().rev().map(|one| [&*before, one, &*after].concat()));
    }
    done
}

/// The text with only those braces active that enclose alternatives. A sequence is kept as text.
fn braces(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut kept = vec![false; chars.len()];
    for at in 0..chars.len() {
        match chars.get(at) {
            Some(&code::OPEN) => open.push((at, false)),
            Some(&code::COMMA) => {
                if let Some((_, comma)) = open.last_mut() {
                    *comma = true;
                }
            }
            Some(&code::CLOSE) => {
                let Some((from, comma)) = open.pop() else { continue };
                let is_sequence =
                    || chars.get(from..at).is_some_and(|text| text.windows(2).any(|two| two == ['.', '.']));
                if comma || is_sequence() {
                    (kept[from], kept[at]) = (true, true);
                }
                if !comma && kept[at] {
                    for (place, mark) in [(from, code::VALUE), (at, code::VALUE_END)] {
                        if let Some(c) = chars.get_mut(place) {
                            *c = mark;
                        }
                    }
                }
            }
            _ => {}
        }
    }
    let literal = |(at, c): (usize, char)| match c {
        code::OPEN if !kept[at] => '{',
        code::CLOSE if !kept[at] => '}',
        _ => c,
    };
    chars.into_iter().enumerate().map(literal).collect()
}

/// The text before the first group of braces, its alternatives, and the text after it.
fn first_group(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (before, rest) = text.split_once(code::OPEN)?;
    let mut depth = 0_usize;
    let mut from = 0;
    let mut alternatives = Vec::new();
    for (at, c) in rest.char_indices() {
        match c {
            code::OPEN => depth += 1,
            code::COMMA | code::CLOSE if depth == 0 => {
                alternatives.push(rest.get(from..at)?);
                from = at + 1;
                if c == code::CLOSE {
                    return Some((before, alternatives, rest.get(from..)?));
                }
            }
            code::CLOSE => depth -= 1,
            _ => {}
        }
    }
    None
}
