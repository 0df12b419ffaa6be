//! Values without a grammar of their own.

use super::glob::Glob;
use super::platform::Platform;
use super::unicode;

/// A text, prepared once for all rules.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text itself first.
    readings: Vec<String>,
    /// It is what it seems to be.
    is_plain: bool,
}

/// A pattern, prepared once for all texts.
#[derive(Clone, Debug)]
pub struct Rule {
    glob: Glob,
    forms: Vec<Glob>,
}

impl Rule {
    /// Prepares a pattern.
    pub fn new(glob: &Glob, platform: &dyn Platform) -> Self {
        Self { glob: glob.clone(), forms: unicode::forms(glob, platform) }
    }
}

impl Text {
    /// Prepares a value.
    pub fn read(value: &str, platform: &dyn Platform) -> Self {
        let is_short = value.len() <= MAX_ALLOWED;
        let is_plain = is_short
            && !value.chars().any(|c| unicode::is_invisible(c) || c == '\r')
            && (value.is_ascii() || platform.nfkc(value) == value);
        Self { readings: unicode::readings(value, platform), is_plain }
    }

    /// How many parts have to be allowed, each by some rule; none where nothing can allow it.
    pub fn parts(&self) -> usize {
        usize::from(self.is_plain)
    }

    /// Does the pattern allow it?
    pub fn proves(&self, rule: &Rule) -> bool {
        self.is_plain && self.readings.first().is_some_and(|text| rule.glob.matches(text))
    }

    /// Does any reading match?
    pub fn suspects(&self, rule: &Rule) -> bool {
        self.readings.iter().any(|reading| rule.forms.iter().any(|form| form.matches(reading)))
    }
}

/// A longer value is not allowed by a pattern: nobody has thought of what else stands in it.
const MAX_ALLOWED: usize = 10_000;
