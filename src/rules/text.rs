//! Values without a grammar of their own.

use super::bigrams::Bigrams;
use super::glob::Glob;
use super::platform::Platform;
use super::unicode;
use std::borrow::Cow;
use std::cell::OnceCell;

/// A text, prepared once for all rules.
pub struct Text<'a> {
    value: Cow<'a, str>,
    platform: &'a dyn Platform,
    /// Whether the text is exactly what it seems to be.
    is_plain: OnceCell<bool>,
    readings: OnceCell<(Vec<String>, Bigrams)>,
}

/// A pattern, prepared once for all texts.
#[derive(Clone, Debug)]
pub struct TextPattern {
    glob: Glob,
    forms: Vec<Glob>,
    bigrams: Bigrams,
}

impl TextPattern {
    /// Prepares a pattern.
    pub fn new(glob: &Glob, platform: &dyn Platform) -> Self {
        let mut forms = unicode::forms(glob, platform);
        for at in 0..forms.len() {
            let spaced = forms[at].map(spaced);
            if !forms.contains(&spaced) {
                forms.push(spaced);
            }
        }
        Self { glob: glob.clone(), bigrams: Bigrams::each(forms.iter().map(Glob::bigrams)), forms }
    }

    /// The bigrams of every value that it matches in any reading.
    pub fn bigrams(&self) -> Bigrams {
        self.bigrams
    }

    /// The bigrams of every value that it matches strictly.
    pub fn allow_bigrams(&self) -> Bigrams {
        self.glob.bigrams()
    }
}

impl<'a> Text<'a> {
    /// Prepares a value.
    pub fn read(value: impl Into<Cow<'a, str>>, platform: &'a dyn Platform) -> Self {
        Self { value: value.into(), platform, is_plain: OnceCell::new(), readings: OnceCell::new() }
    }

    fn is_plain(&self) -> bool {
        *self.is_plain.get_or_init(|| {
            let value = &*self.value;
            value.len() <= MAX_ALLOWED
                && !value.chars().any(|c| unicode::is_invisible(c) || c == '\r')
                && (value.is_ascii() || self.platform.nfkc(value) == value)
        })
    }

    fn readings(&self) -> &(Vec<String>, Bigrams) {
        self.readings.get_or_init(|| {
            let mut readings = unicode::readings(&self.value, self.platform);
            for at in 0..readings.len() {
                let spaced = spaced(&readings[at]);
                let bare = spaced.trim().to_owned();
                for reading in [spaced, bare] {
                    if !readings.contains(&reading) {
                        readings.push(reading);
                    }
                }
            }
            let bigrams = Bigrams::any(readings.iter().map(|reading| Bigrams::of(reading)));
            (readings, bigrams)
        })
    }

    /// The bigrams of the text as it is; none if nothing can allow it.
    pub fn simple_bigrams(&self) -> Bigrams {
        if self.is_plain() { Bigrams::of(&self.value) } else { Bigrams::NONE }
    }

    /// The bigrams of its readings.
    pub fn bigrams(&self) -> Bigrams {
        self.readings().1
    }

    /// The number of parts that rules have to allow; 0 if nothing can allow the value.
    pub fn parts(&self) -> usize {
        usize::from(self.is_plain())
    }

    /// Whether the pattern allows the text.
    pub fn matches_strictly(&self, rule: &TextPattern) -> bool {
        self.is_plain() && rule.glob.matches(&self.value)
    }

    /// Whether any reading matches.
    pub fn matches_any_reading(&self, rule: &TextPattern) -> bool {
        let (readings, bigrams) = self.readings();
        bigrams.cover(rule.bigrams)
            && readings.iter().any(|reading| rule.forms.iter().any(|form| form.matches(reading)))
    }
}

/// A text with one blank for each run of white space. In most languages a line end or a second blank between two words
/// means nothing.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_whitespace() {
            spaced.push(c);
        } else if !spaced.ends_with(' ') {
            spaced.push(' ');
        }
    }
    spaced
}

/// No pattern allows a longer value, because its author cannot have considered all of it.
const MAX_ALLOWED: usize = 10_000;
