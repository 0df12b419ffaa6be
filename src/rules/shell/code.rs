//! The text of a word with its active characters marked. Quotes and escapes make characters literal.
//!
//! Control characters mark the active ones; those of the value itself are removed.

use crate::rules::unicode::is_letter;

pub(super) const OPEN: char = '\u{1}';
pub(super) const COMMA: char = '\u{2}';
pub(super) const CLOSE: char = '\u{3}';
pub(super) const STAR: char = '\u{4}';
pub(super) const QUERY: char = '\u{5}';
pub(super) const BRACKET: char = '\u{6}';
pub(super) const BRACKET_END: char = '\u{7}';
/// Encloses an expansion as it is written.
pub(super) const VALUE: char = '\u{e}';
pub(super) const VALUE_END: char = '\u{f}';

/// The end of the bracket that is already open. Quotes and substitutions can be nested, and a pattern of
/// `case` ends with a bracket that was never opened.
pub(super) fn closing(text: &str, close: char) -> Option<usize> {
    // The closing characters, each with the number of open `case` statements inside.
    let mut open = vec![(close, 0_usize)];
    let mut chars = text.char_indices().peekable();
    let mut in_word = false;
    while let Some((at, c)) = chars.next() {
        let (within, cases) = open.last_mut()?;
        if !std::mem::replace(&mut in_word, is_letter(c)) && *within == ')' {
            let rest = text.get(at..).unwrap_or_default();
            let is_word =
                |word: &str| rest.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_letter));
            if is_word("case") {
                *cases += 1;
            } else if is_word("esac") {
                *cases = cases.saturating_sub(1);
            }
        }
        match c {
            '\\' => drop(chars.next()),
            '\'' if *within != '"' => {
                // An unpaired quote is literal.
                let ahead = text.get(at + 1..).and_then(|rest| rest.find('\''));
                if let Some(length) = ahead {
                    while chars.next_if(|(next, _)| *next <= at + 1 + length).is_some() {}
                }
            }
            ')' if *within == ')' && *cases > 0 => {}
            _ if c == *within => {
                open.pop();
                if open.is_empty() {
                    return Some(at);
                }
            }
            '"' => open.push(('"', 0)),
            '(' if *within != '"' => open.push((')', 0)),
            '$' => match chars.next_if(|(_, next)| matches!(next, '(' | '{')) {
                Some((_, '(')) => open.push((')', 0)),
                Some(_) => open.push(('}', 0)),
                None => {}
            },
            _ => {}
        }
    }
    None
}

/// The text of a word as it is written, without the quotes.
pub(super) fn written(code: &str) -> String {
    // Most words have no code in them.
    if code.bytes().all(|byte| byte >= b' ') {
        return code.to_owned();
    }
    code.chars()
        .filter_map(|c| match c {
            OPEN => Some('{'),
            COMMA => Some(','),
            CLOSE => Some('}'),
            STAR => Some('*'),
            QUERY => Some('?'),
            BRACKET => Some('['),
            BRACKET_END => Some(']'),
            VALUE | VALUE_END => None,
            _ => Some(c),
        })
        .collect()
}

/// The text of a word with each of its expansions replaced.
pub(super) fn replaced(code: &str, by: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::with_capacity(code.len());
    for c in code.chars() {
        match c {
            VALUE => {
                if depth == 0 {
                    kept.push_str(by);
                }
                depth += 1;
            }
            VALUE_END => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}
