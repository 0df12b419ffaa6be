//! The words of a denial, wherever they stand in a command: most programs take options in any order, and files anywhere
//! among them. Such a command is not denied, but no wildcard of an allowance stands for those words.

use crate::rules::bigrams::Bigrams;
use crate::rules::glob::Glob;
use crate::rules::path;

/// The largest number of letters of an option that combines several, `-rf`.
const MAX_LETTERS: usize = 4;

/// A pattern by its words, if it names options or paths.
#[derive(Clone, Debug)]
pub(super) struct Scattered {
    command: Glob,
    words: Vec<Glob>,
    /// Those of each command that has its words.
    bigrams: Bigrams,
}

impl Scattered {
    pub fn of(pattern: &str) -> Option<Self> {
        let mut words = pattern.split(' ').filter(|word| *word != "*").map(Glob::new);
        let command = words.next()?;
        let words: Vec<Glob> = words.collect();
        let whole = words.iter().filter(|word| letters(word.text()).is_none());
        let bigrams = Bigrams::any(whole.chain([&command]).map(|word| Bigrams::of_letters(word.text())));
        let is_particular =
            |word: &Glob| word.text().starts_with('-') || word.text().contains(['/', '.', '~']);
        words.iter().any(is_particular).then_some(Self { command, words, bigrams })
    }

    /// Whether a text with such bigrams of letters may have the words.
    pub fn may_be_in(&self, bigrams: Bigrams) -> bool {
        bigrams.cover(self.bigrams)
    }

    /// Whether the command that begins a text has the words.
    pub fn is_in(&self, text: &str) -> bool {
        let (command, rest) = text.split_once(' ').unwrap_or((text, ""));
        let has = |wanted: &Glob| {
            rest.split(' ').any(|word| is_word(wanted, word)) || has_letters(wanted.text(), rest)
        };
        self.command.matches(command) && self.words.iter().all(has)
    }
}

/// Whether a word is the wanted one: itself, its option, its value, or the same path.
fn is_word(wanted: &Glob, word: &str) -> bool {
    let (option, value) = word.split_once('=').unwrap_or((word, word));
    let is_path = || {
        let path = path::resolved(value, None);
        wanted.matches(&path) || path.strip_prefix("./").is_some_and(|path| wanted.matches(path))
    };
    [word, option, value].into_iter().any(|text| wanted.matches(text))
        || wanted.text().contains(['/', '.']) && value.contains('/') && is_path()
}

/// The letters of an option of one dash, with or without a star behind it.
fn letters(option: &str) -> Option<&str> {
    let letters = option.strip_suffix('*').unwrap_or(option).strip_prefix('-')?;
    let is_short = (1..=MAX_LETTERS).contains(&letters.len());
    (is_short && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(letters)
}

/// Whether the options of a command have all letters of an option: `-r -f` those of `-rf`.
fn has_letters(option: &str, words: &str) -> bool {
    let Some(wanted) = letters(option) else { return false };
    wanted.chars().all(|letter| words.split(' ').filter_map(letters).any(|found| found.contains(letter)))
}
