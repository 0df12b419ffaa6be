//! The value that a rule checks, and the pattern of the rule, each by its kind.

use super::bigrams::Bigrams;
use super::glob::Glob;
use super::pattern::Pattern;
use super::platform::Platform;
use super::tools::Kind;
use super::work::Work;
use super::{path, shell, text, url};
use crate::core::json::{self, Value};
use std::borrow::Cow;

/// A value of a kind, prepared once for all rules.
pub(super) enum Target<'a> {
    Text(text::Text<'a>),
    Shell(shell::Shell<'a>),
    Url(url::Url<'a>),
    Path(path::Path<'a>),
    Json(&'a Value),
}

/// A pattern, prepared for the kinds of values that it applies to.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    text: Option<text::TextPattern>,
    shell: Option<shell::ShellPattern>,
    url: Option<url::UrlPattern>,
    path: Option<path::PathPattern>,
    pub json: Option<Value>,
    /// The pattern as it was written.
    pub glob: Option<Glob>,
    /// Whether it matches every value, even a missing one.
    pub is_any: bool,
}

/// The reason why a pattern may mean something other than its author expects.
pub(super) type Unclear = &'static str;

impl Prepared {
    /// Prepares the pattern of an allowance, for one kind.
    pub fn allowing(pattern: &Pattern, kind: Kind, platform: &dyn Platform) -> Result<Self, Unclear> {
        let mut prepared = Self { glob: pattern.glob().cloned(), ..Self::default() };
        if kind == Kind::Json {
            let Pattern::Glob(glob) = pattern else { return Err(TOKENS) };
            prepared.json =
                Some(json::parse(glob.text(), &|text| platform.decimal(text)).ok_or("it is not JSON")?);
        } else {
            prepared.add(pattern, kind, true, platform)?;
        }
        Ok(prepared)
    }

    /// Prepares the pattern of a denial or a question; for all kinds if the kind is unknown.
    pub fn for_any_reading(
        pattern: &Pattern,
        kind: Option<Kind>,
        platform: &dyn Platform,
    ) -> Result<Self, Unclear> {
        let glob = pattern.glob().cloned();
        let is_any = glob.as_ref().is_some_and(Glob::is_any);
        let mut prepared = Self { glob, is_any, ..Self::default() };
        match kind {
            // The texts in the value, and the value that the pattern writes as JSON.
            Some(Kind::Json) => {
                prepared.json =
                    pattern.glob().and_then(|glob| json::parse(glob.text(), &|text| platform.decimal(text)));
                prepared.add(pattern, Kind::Text, false, platform)?;
            }
            Some(kind) => prepared.add(pattern, kind, false, platform)?,
            None if matches!(pattern, Pattern::Tokens(_)) => {
                prepared.add(pattern, Kind::Shell, false, platform)?;
            }
            None => {
                for kind in [Kind::Text, Kind::Shell, Kind::Url, Kind::Path] {
                    prepared.add(pattern, kind, false, platform)?;
                }
            }
        }
        Ok(prepared)
    }

    fn add(
        &mut self,
        pattern: &Pattern,
        kind: Kind,
        allow: bool,
        platform: &dyn Platform,
    ) -> Result<(), Unclear> {
        match kind {
            Kind::Shell => self.shell = Some(shell::ShellPattern::new(pattern, allow, platform)?),
            _ if matches!(pattern, Pattern::Tokens(_)) => return Err(TOKENS),
            Kind::Text | Kind::Json => {
                self.text = pattern.glob().map(|glob| text::TextPattern::new(glob, platform));
            }
            Kind::Url => self.url = Some(url::UrlPattern::new(pattern, allow, platform)?),
            Kind::Path => self.path = Some(path::PathPattern::new(pattern, allow, platform)?),
        }
        Ok(())
    }

    /// The bigrams of every value that it matches in any reading.
    pub fn bigrams(&self) -> Bigrams {
        if self.json.is_some() {
            return Bigrams::NONE;
        }
        let all = [
            self.text.as_ref().map(text::TextPattern::bigrams),
            self.shell.as_ref().map(shell::ShellPattern::bigrams),
            self.url.as_ref().map(url::UrlPattern::bigrams),
            self.path.as_ref().map(path::PathPattern::bigrams),
        ];
        Bigrams::each(all.into_iter().flatten())
    }

    /// The bigrams of every value that it matches strictly.
    pub fn allow_bigrams(&self) -> Bigrams {
        let all = [
            self.text.as_ref().map(text::TextPattern::allow_bigrams),
            self.shell.as_ref().map(shell::ShellPattern::bigrams),
            self.url.as_ref().map(url::UrlPattern::bigrams),
            self.path.as_ref().map(path::PathPattern::bigrams),
        ];
        Bigrams::any(all.into_iter().flatten())
    }

    /// Whether it names options or paths of a command.
    pub fn can_be_scattered(&self) -> bool {
        self.shell.as_ref().is_some_and(shell::ShellPattern::can_be_scattered)
    }

    /// The kinds of values that it applies to.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        [
            (self.text.is_some(), Kind::Text),
            (self.shell.is_some(), Kind::Shell),
            (self.url.is_some(), Kind::Url),
            (self.path.is_some(), Kind::Path),
        ]
        .into_iter()
        .filter_map(|(has, kind)| has.then_some(kind))
    }
}

const TOKENS: Unclear = "tokens are the words of a command, and the argument is not a command";

impl<'a> Target<'a> {
    /// Prepares a text.
    pub fn read(
        text: impl Into<Cow<'a, str>>,
        kind: Kind,
        platform: &'a dyn Platform,
        work: &'a Work,
    ) -> Self {
        match kind {
            Kind::Text | Kind::Json => Self::Text(text::Text::read(text, platform)),
            Kind::Shell => Self::Shell(shell::Shell::read(text, platform, work)),
            Kind::Url => Self::Url(url::Url::read(text, platform)),
            Kind::Path => Self::Path(path::Path::read(text, platform)),
        }
    }

    /// Prepares the main argument, which has to be a text unless its kind is JSON.
    pub fn main(value: &'a Value, kind: Kind, platform: &'a dyn Platform, work: &'a Work) -> Option<Self> {
        match (kind, value) {
            (Kind::Json, value) => Some(Self::Json(value)),
            (kind, Value::String(text)) => Some(Self::read(text.as_str(), kind, platform, work)),
            _ => None,
        }
    }

    /// The number of parts that rules have to allow; 0 if nothing can allow the value.
    pub fn parts(&self) -> usize {
        match self {
            Self::Text(text) => text.parts(),
            Self::Shell(shell) => shell.parts(),
            Self::Url(url) => url.parts(),
            Self::Path(path) => path.parts(),
            Self::Json(_) => 1,
        }
    }

    /// Whether the pattern would allow the command if the command ran nothing else.
    pub fn runs_others(&self, prepared: &Prepared) -> bool {
        let rule = prepared.shell.as_ref();
        matches!((self, rule), (Self::Shell(shell), Some(rule)) if shell.runs_others(rule))
    }

    /// Whether the command has the words of a denial, wherever they stand.
    pub fn has_words_of(&self, prepared: &Prepared) -> bool {
        let rule = prepared.shell.as_ref();
        matches!((self, rule), (Self::Shell(shell), Some(rule)) if shell.has_words_of(rule))
    }

    /// Whether a rule other than one with this exact value can allow it.
    pub fn is_simple(&self) -> bool {
        match self {
            Self::Shell(shell) => shell.is_simple(),
            _ => self.parts() > 0,
        }
    }

    /// Whether the pattern allows a part.
    pub fn matches_strictly(&self, part: usize, prepared: &Prepared) -> bool {
        let found = match self {
            Self::Text(text) => prepared.text.as_ref().map(|rule| text.matches_strictly(rule)),
            Self::Shell(shell) => prepared.shell.as_ref().map(|rule| shell.matches_strictly(part, rule)),
            Self::Url(url) => prepared.url.as_ref().map(|rule| url.matches_strictly(part, rule)),
            Self::Path(path) => prepared.path.as_ref().map(|rule| path.matches_strictly(part, rule)),
            Self::Json(value) => prepared.json.as_ref().map(|wanted| wanted == *value),
        };
        found == Some(true)
    }

    /// The bigrams that have to cover those of an allowance.
    pub fn allow_bigrams(&self) -> Bigrams {
        match self {
            Self::Text(text) => text.simple_bigrams(),
            Self::Shell(shell) => shell.simple_bigrams(),
            Self::Url(url) => url.simple_bigrams(),
            Self::Path(path) => path.simple_bigrams(),
            Self::Json(_) => Bigrams::ALL,
        }
    }

    /// The bigrams of its readings.
    pub fn bigrams(&self) -> Bigrams {
        match self {
            Self::Text(text) => text.bigrams(),
            Self::Shell(shell) => shell.bigrams(),
            Self::Url(url) => url.bigrams(),
            Self::Path(path) => path.bigrams(),
            Self::Json(_) => Bigrams::NONE,
        }
    }

    /// Whether any reading matches.
    pub fn matches_any_reading(&self, prepared: &Prepared) -> bool {
        let found = match self {
            Self::Text(text) => prepared.text.as_ref().map(|rule| text.matches_any_reading(rule)),
            Self::Shell(shell) => prepared.shell.as_ref().map(|rule| shell.matches_any_reading(rule)),
            Self::Url(url) => prepared.url.as_ref().map(|rule| url.matches_any_reading(rule)),
            Self::Path(path) => prepared.path.as_ref().map(|rule| path.matches_any_reading(rule)),
            Self::Json(_) => None,
        };
        found == Some(true)
    }
}
