//! Patterns of literal text, `*` and `?`, matched without backtracking.

use super::bigrams::Bigrams;

/// A pattern: `*` matches any run of characters, `?` matches one character. There is no escape. To match a
/// literal `*` or `?`, use a wider pattern for a denial, and the exact value for an allowance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    text: String,
    /// The texts between the stars.
    pieces: Vec<String>,
}

impl Glob {
    /// Reads a pattern. Every text is a valid pattern.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), pieces: text.split('*').map(str::to_owned).collect() }
    }

    /// The text of the pattern.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before the first star.
    pub fn head(&self) -> &str {
        self.pieces.first().map_or("", String::as_str)
    }

    /// The bigrams of every value that it matches.
    pub fn bigrams(&self) -> Bigrams {
        Bigrams::any(self.text.split(['*', '?']).map(Bigrams::of))
    }

    /// Whether it matches only one value.
    pub fn is_literal(&self) -> bool {
        self.pieces.len() == 1 && !self.text.contains('?')
    }

    /// Whether it matches every value.
    pub fn is_any(&self) -> bool {
        !self.text.is_empty() && self.text.bytes().all(|byte| byte == b'*')
    }

    /// Whether it surely matches every value that the other one matches.
    pub fn covers(&self, other: &Self) -> bool {
        // A star of the other is replaced by a character that only a star can match.
        let doubtful = self.text.contains('?') && !other.is_literal();
        self == other || !doubtful && self.matches(&other.text)
    }

    /// The same pattern with each of its literal texts changed. The change must leave `?` as it is.
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        let pieces: Vec<String> = self.pieces.iter().map(|piece| change(piece)).collect();
        Self { text: pieces.join("*"), pieces }
    }

    /// Whether the whole value matches. Each piece is taken where it occurs first, which is as good as any
    /// other place, so each piece takes one search.
    pub fn matches(&self, value: &str) -> bool {
        self.matches_between(value, 0, &[value.len()])
    }

    /// Whether the value matches from one place up to one of the others, which are in ascending order.
    pub fn matches_between(&self, value: &str, from: usize, ends: &[usize]) -> bool {
        let Some((head, rest)) = self.pieces.split_first() else { return false };
        let Some(length) = value.get(from..).and_then(|value| starts(value, head)) else { return false };
        let mut at = from + length;
        let Some((tail, middle)) = rest.split_last() else { return ends.binary_search(&at).is_ok() };
        for piece in middle {
            let Some((_, length)) = find(&value[at..], piece) else { return false };
            at += length;
        }
        let ends = &ends[ends.partition_point(|end| *end < at)..];
        ends.iter().any(|end| value.get(at..*end).is_some_and(|value| ends_with(value, tail)))
    }
}

/// The end of the piece in a value that begins with it.
fn starts(value: &str, piece: &str) -> Option<usize> {
    if !piece.contains('?') {
        return value.starts_with(piece).then_some(piece.len());
    }
    let mut rest = value.chars();
    for wanted in piece.chars() {
        let found = rest.next()?;
        if wanted != '?' && wanted != found {
            return None;
        }
    }
    Some(value.len() - rest.as_str().len())
}

fn ends_with(value: &str, piece: &str) -> bool {
    if !piece.contains('?') {
        return value.ends_with(piece);
    }
    let mut rest = value.chars().rev();
    piece.chars().rev().all(|wanted| rest.next().is_some_and(|found| wanted == '?' || wanted == found))
}

/// The first place of the piece in the value.
fn find(value: &str, piece: &str) -> Option<(usize, usize)> {
    if !piece.contains('?') {
        return value.find(piece).map(|at| (at, at + piece.len()));
    }
    let places = value.char_indices().map(|(at, _)| at).chain([value.len()]);
    places.into_iter().find_map(|at| starts(&value[at..], piece).map(|end| (at, at + end)))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// The definition of a match, in more than linear time.
    fn defined(pattern: &[char], value: &[char]) -> bool {
        match (pattern, value) {
            ([], []) => true,
            (['*', rest @ ..], _) => (0..=value.len()).any(|skip| defined(rest, &value[skip..])),
            (['?', rest @ ..], [_, more @ ..]) => defined(rest, more),
            ([one, rest @ ..], [other, more @ ..]) => one == other && defined(rest, more),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn is_what_the_definition_says(pattern in "[ab?*é]{0,8}", value in "[abé]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(Glob::new(&pattern).matches(&value), defined(&chars(&pattern), &chars(&value)));
        }
    }

    proptest! {
        #[test]
        fn what_is_covered_is_matched(wide in "[ab?*]{0,5}", narrow in "[ab?*]{0,5}", value in "[ab]{0,6}") {
            let (wide, narrow) = (Glob::new(&wide), Glob::new(&narrow));
            if wide.covers(&narrow) && narrow.matches(&value) {
                prop_assert!(wide.matches(&value));
            }
        }
    }

    proptest! {
        #[test]
        fn a_part_is_matched_as_if_it_were_all(
            pattern in "[ab?*é]{0,6}", value in "[abé]{0,10}", from in 0_usize..10, ends in vec(0_usize..20, 0..4),
        ) {
            let mut ends = ends;
            ends.sort_unstable();
            let glob = Glob::new(&pattern);
            let parts = ends.iter().filter_map(|end| value.get(from..*end));
            let expected = parts.into_iter().any(|part| glob.matches(part));
            prop_assert_eq!(glob.matches_between(&value, from, &ends), expected);
        }
    }

    proptest! {
        #[test]
        fn the_bigrams_of_a_pattern_lose_no_match(
            pattern in "[abcé?*]{0,8}", value in "[abcé]{0,10}", before in "[abc]{0,3}",
        ) {
            let glob = Glob::new(&pattern);
            if glob.matches(&value) {
                let text = format!("{before}{value}");
                prop_assert!(Bigrams::of(&text).cover(glob.bigrams()));
            }
        }
    }

    #[test]
    fn the_bigrams_of_most_others_are_told_apart() {
        let words = "status push pull build test install publish delete apply config remote fetch";
        let words: Vec<&str> = words.split(' ').collect();
        let covers = |value: &&str, pattern: &&str| Bigrams::of(value).cover(Glob::new(pattern).bigrams());
        let pairs = words.iter().flat_map(|one| words.iter().map(move |other| (one, other)));
        assert_eq!(pairs.filter(|(one, other)| covers(one, other)).count(), words.len());
        assert!(!Bigrams::NONE.cover(Bigrams::of("ab")) && Bigrams::ALL.cover(Bigrams::of("ab")));
    }

    #[test]
    fn what_it_stands_for() {
        for (pattern, value, expected) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("ls*", "lsof", true),
            ("ls *", "ls", false),
            ("a*a", "a", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("?", "é", true),
            ("?", "", false),
        ] {
            assert_eq!(Glob::new(pattern).matches(value), expected, "{pattern} on {value}");
        }
        assert!(Glob::new("a b").is_literal());
        assert!(!Glob::new("a?").is_literal());
        assert!(Glob::new("**").is_any());
        assert!(!Glob::new("").is_any());
        assert_eq!(Glob::new("A*B").map(str::to_lowercase), Glob::new("a*b"));
    }

    #[test]
    fn the_worst_pattern_takes_no_more_than_the_length() {
        let pattern = Glob::new(&format!("{}b", "a*".repeat(127)));
        assert!(!pattern.matches(&"a".repeat(1 << 20)));
        let with_marks = Glob::new(&format!("*{}b", "a?".repeat(100)));
        assert!(!with_marks.matches(&"a".repeat(1 << 20)));
    }
}
