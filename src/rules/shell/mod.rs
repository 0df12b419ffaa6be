//! Shell commands.
//!
//! An allowance matches commands as they are written, if they run exactly as written. A denial matches at every
//! place where a command can begin, with quotes and escapes removed, in each dialect that reads the text
//! differently. Neither replaces a sandbox: a denial is a reminder, not a wall.

#[cfg(all(test, not(target_arch = "wasm32")))]
mod allowance_tests;
mod analysis;
mod braces;
mod code;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod disguise_tests;
mod lex;
mod line;
mod options;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties;
mod scan;
mod scattered;
mod simple;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod words;

use super::bigrams::Bigrams;
use super::glob::Glob;
use super::pattern::Pattern;
use super::platform::Platform;
use super::unicode;
use super::work::Work;
use line::Line;
use scan::Scan;
use scattered::Scattered;
use simple::Part;
use std::borrow::Cow;
use std::cell::OnceCell;

/// The longest pattern, in characters.
const MAX_PATTERN: usize = 256;

/// A command line, prepared once for all rules.
pub struct Shell<'a> {
    value: Cow<'a, str>,
    platform: &'a dyn Platform,
    work: &'a Work,
    parts: OnceCell<Vec<Part>>,
    scan: OnceCell<Scan>,
    bigrams: OnceCell<Bigrams>,
    beginnings: OnceCell<Bigrams>,
}

/// A pattern, prepared once for all calls.
#[derive(Clone, Debug)]
pub struct ShellPattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Allow(Allow),
    Deny {
        forms: Vec<Form>,
        letters: Bigrams,
        /// The bigrams with which its words begin, except for the first.
        beginnings: Bigrams,
    },
}

/// A pattern of an allowance.
#[derive(Clone, Debug)]
struct Allow {
    what: What,
    /// The number of words without a wildcard at its beginning.
    named: usize,
}

#[derive(Clone, Debug)]
enum What {
    /// Exactly this command.
    Exact(String),
    Words(Vec<String>),
    Glob {
        glob: Glob,
        /// The pattern word by word, if it has several words, without a final word that is a single star.
        words: Vec<Glob>,
        /// Whether it ends with a separate star, for all words that follow.
        open: bool,
        /// The number of separators in the command word, if it has a wildcard.
        separators: Option<usize>,
        /// Whether a wildcard is part of an argument, and the pattern contains no `..`.
        within: bool,
    },
}

/// A pattern of a denial in one of its forms.
#[derive(Clone, Debug)]
struct Form {
    glob: Glob,
    /// Its head and a star; `None` if it has no star.
    front: Option<Glob>,
    /// Its first word, and the form of the rest.
    word: String,
    rest: Glob,
    rest_front: Option<Glob>,
    /// Whether it contains operators, so that it covers several commands.
    operators: bool,
    scattered: Option<Scattered>,
}

impl ShellPattern {
    /// Prepares a pattern.
    ///
    /// # Errors
    ///
    /// A sentence, if an allowance could mean more than its author expects, or nothing at all.
    pub fn new(pattern: &Pattern, allow: bool, platform: &dyn Platform) -> Result<Self, &'static str> {
        let length: usize = match pattern {
            Pattern::Glob(glob) => unicode::length(glob.text()),
            Pattern::Tokens(tokens) => tokens.iter().map(|token| unicode::length(token) + 1).sum(),
        };
        if length > MAX_PATTERN {
            return Err("it has more than 256 characters");
        }
        if matches!(pattern, Pattern::Tokens(tokens) if tokens.is_empty()) {
            return Err("it needs at least one word of a command");
        }
        Ok(Self(if allow {
            Kind::Allow(Allow::new(pattern)?)
        } else {
            let forms = Form::all(pattern, platform);
            let each = |of: fn(&str) -> Bigrams| Bigrams::each(forms.iter().map(|form| of(form.glob.text())));
            let (letters, beginnings) = (each(Bigrams::of_letters), each(Bigrams::of_beginnings));
            Kind::Deny { forms, letters, beginnings }
        }))
    }

    /// Whether it names options or paths of a denial, which mean the same in another order.
    pub fn can_be_scattered(&self) -> bool {
        matches!(&self.0, Kind::Deny { forms, .. } if forms.iter().any(|form| form.scattered.is_some()))
    }

    /// The bigrams of letters of every value that it matches in any reading, or all bigrams of every part that it
    /// matches strictly.
    pub fn bigrams(&self) -> Bigrams {
        match &self.0 {
            Kind::Allow(allow) => allow.bigrams(),
            Kind::Deny { letters, .. } => *letters,
        }
    }
}

impl Allow {
    fn new(pattern: &Pattern) -> Result<Self, &'static str> {
        const NOT_SIMPLE: &str = "an allow rule for a shell command is one command of plain words, without operators, variables or \
             redirections, without quotes if it has a wildcard, and not a command that changes the meaning of \
             later ones";
        const LAUNCHER: &str = "this command runs other commands or writes a file, so an allow rule has to name it exactly, without a wildcard";
        let (text, tokens) = match pattern {
            Pattern::Glob(glob) => (glob.text(), None),
            Pattern::Tokens(tokens) => ("", Some(tokens)),
        };
        if let Some(tokens) = tokens {
            let quoted = |token: &String| {
                if token.contains(' ') { ["\"", token, "\""].concat() } else { token.clone() }
            };
            let written: Vec<String> = tokens.iter().map(quoted).collect();
            let parts = simple::parts(&written.join(" "));
            let [part] = parts.as_slice() else { return Err(NOT_SIMPLE) };
            if part.words != *tokens {
                return Err(NOT_SIMPLE);
            }
            return match part.needed() {
                Some(needed) if needed <= tokens.len() => {
                    Ok(Self { what: What::Words(tokens.clone()), named: tokens.len() })
                }
                _ => Err(LAUNCHER),
            };
        }
        let words: Vec<String> =
            text.split([' ', '\t']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        if !text.contains(['*', '?']) {
            let parts = simple::parts(text);
            let part = match parts.as_slice() {
                [] => simple::literal(text),
                [part] => Some(part.clone()),
                _ => None,
            };
            return match part {
                Some(part) => Ok(Self { named: part.words.len(), what: What::Exact(part.text) }),
                None => Err(NOT_SIMPLE),
            };
        }
        let text = words.join(" ");
        let glob = Glob::new(&text);
        if text.starts_with(['*', '?']) && !glob.is_any() {
            return Err("an allow rule for a shell command begins with the name of the command");
        }
        let is_wild = |word: &String| word.contains(['*', '?']);
        // With wildcards replaced by a letter, the pattern has to be simple.
        let parts = simple::parts(&text.replace(['*', '?'], "a"));
        if parts.len() != 1 || text.contains(['"', '\'']) {
            return Err(NOT_SIMPLE);
        }
        let named = words.iter().take_while(|word| !is_wild(word)).count();
        let open = words.len() > 1 && words.last().is_some_and(|word| word == "*");
        let fixed = words.len() - usize::from(open);
        // The words of the last star are judged with the command.
        let needed = simple::named(words.get(..fixed).unwrap_or_default());
        if named > 0 && needed.is_none_or(|needed| needed > named) {
            return Err(LAUNCHER);
        }
        let command = words.first().map(String::as_str).unwrap_or_default();
        let within = words.iter().skip(1).any(|word| is_wild(word) && word != "*");
        Ok(Self {
            named,
            what: What::Glob {
                words: words
                    .iter()
                    .take(fixed)
                    .filter(|_| words.len() > 1)
                    .map(|word| Glob::new(word))
                    .collect(),
                open,
                separators: (named == 0 && !glob.is_any()).then(|| command.matches('/').count()),
                within: within && !text.contains(".."),
                glob,
            },
        })
    }

    fn bigrams(&self) -> Bigrams {
        match &self.what {
            What::Exact(text) => Bigrams::of(text),
            What::Words(words) => Bigrams::any(words.iter().map(|word| Bigrams::of(word))),
            What::Glob { glob, words, .. } if words.is_empty() => glob.bigrams(),
            What::Glob { words, .. } => Bigrams::any(words.iter().map(Glob::bigrams)),
        }
    }

    fn matches_strictly(&self, part: &Part, alone: bool) -> bool {
        // The command of a launcher depends on its input, too.
        let is_all = alone && matches!(self.what, What::Exact(_));
        self.matches(part) && (is_all || part.needed().is_some_and(|needed| needed <= self.named.max(1)))
    }

    /// Whether it matches, except that it may name fewer words than the command requires.
    fn matches(&self, part: &Part) -> bool {
        match &self.what {
            What::Exact(text) => *text == part.text,
            What::Words(words) => part.words.starts_with(words),
            What::Glob { glob, words, open, separators, within } => {
                let command = part.words.first().map(String::as_str).unwrap_or_default();
                // A wildcard at the beginning of an argument does not match an option.
                let is = |(glob, word): (&Glob, &String)| {
                    glob.matches(word) && (!word.starts_with('-') || glob.text().starts_with('-'))
                };
                let length = part.words.len();
                let by_words = || {
                    (length == words.len() || *open && length > words.len())
                        && words.iter().zip(&part.words).all(is)
                };
                (if words.is_empty() { glob.matches(&part.text) } else { by_words() })
                    && separators.is_none_or(|wanted| {
                        command.matches('/').count() == wanted && !command.contains("..")
                    })
                    && !(*within && part.climbs())
            }
        }
    }
}

impl Form {
    /// The forms of a pattern: as it is written, without quotes and escapes, and with the path separators
    /// used here; each also without a final ` *`, so that `rm *` covers `rm` too, and without blanks beside
    /// operators.
    fn all(pattern: &Pattern, platform: &dyn Platform) -> Vec<Self> {
        let glob = match pattern {
            Pattern::Glob(glob) => glob.clone(),
            Pattern::Tokens(tokens) => Glob::new(&[&*tokens.join(" "), " *"].concat()),
        };
        let mut forms: Vec<String> = Vec::new();
        let mut add = |form: &str| {
            let words: Vec<&str> = form.split_whitespace().collect();
            let text = words.join(" ");
            // A pattern that consists of quotes would become empty, and must not match an empty text.
            if text.is_empty() && !glob.text().trim().is_empty() {
                return;
            }
            // A trailing blank, as in `git push `, belongs to the pattern, which would otherwise match
            // nothing.
            let bare = text.strip_suffix(" *").unwrap_or(&text).to_owned();
            for form in [line::tight(&bare), line::tight(&text), bare, text] {
                if !forms.contains(&form) {
                    forms.push(form);
                }
            }
        };
        for form in unicode::forms(&glob, platform) {
            let folded = form.map(unicode::folded);
            add(&folded.text().replace(['"', '\'', '\\'], ""));
            add(&folded.text().replace('\\', ""));
            add(&folded.text().replace('\\', "/"));
            add(folded.text());
        }
        forms.iter().map(|text| Self::new(text)).collect()
    }

    fn new(text: &str) -> Self {
        let front = |text: &str| text.split_once('*').map(|(head, _)| Glob::new(&[head, "*"].concat()));
        let (word, rest) = text.split_at(text.find([' ', '*']).unwrap_or(text.len()));
        Self {
            glob: Glob::new(text),
            front: front(text),
            word: word.to_owned(),
            rest: Glob::new(rest),
            rest_front: front(rest),
            operators: text.contains(line::OPERATORS),
            scattered: Scattered::of(text),
        }
    }

    fn found(&self, line: &Line) -> bool {
        let behind = line.wilds.iter().filter(|(wild, _)| !self.word.is_empty() && wild.matches(&self.word));
        first(&self.glob, self.front.as_ref(), line, line.starts.iter().copied())
            || first(&self.rest, self.rest_front.as_ref(), line, behind.map(|(_, end)| *end))
    }

    fn found_in_flow(&self, line: &Line) -> bool {
        self.found(line) || self.operators && first(&self.glob, self.front.as_ref(), line, line.words())
    }
}

/// Whether the pattern matches at one of the places. If a text begins like the pattern but does not match,
/// later places cannot match either, because the rest of the pattern begins with a star.
fn first(glob: &Glob, front: Option<&Glob>, line: &Line, mut starts: impl Iterator<Item = usize>) -> bool {
    let Line { text, ends, .. } = line;
    let begins = |start: &usize, front: &Glob| text.get(*start..).is_some_and(|text| front.matches(text));
    match front {
        None => starts.any(|start| glob.matches_between(text, start, ends)),
        Some(front) => starts
            .find(|start| begins(start, front))
            .is_some_and(|start| glob.matches_between(text, start, ends)),
    }
}

impl<'a> Shell<'a> {
    /// Prepares a value, whose readings take from the work of its call.
    pub fn read(value: impl Into<Cow<'a, str>>, platform: &'a dyn Platform, work: &'a Work) -> Self {
        Self {
            value: value.into(),
            platform,
            work,
            parts: OnceCell::new(),
            scan: OnceCell::new(),
            bigrams: OnceCell::new(),
            beginnings: OnceCell::new(),
        }
    }

    fn simple(&self) -> &[Part] {
        self.parts.get_or_init(|| {
            let parts = simple::parts(&self.value);
            if parts.is_empty() { simple::literal(&self.value).into_iter().collect() } else { parts }
        })
    }

    /// Whether the rule would allow a part if it named that part word for word.
    pub fn runs_others(&self, rule: &ShellPattern) -> bool {
        let Kind::Allow(allow) = &rule.0 else { return false };
        let is_near = |part: &Part| !part.words.is_empty() && allow.matches(part);
        self.simple().iter().any(|part| is_near(part) && !allow.matches_strictly(part, false))
    }

    /// Whether a rule other than one with this exact text can allow it.
    pub fn is_simple(&self) -> bool {
        self.simple().iter().all(|part| !part.words.is_empty())
    }

    fn scan(&self) -> &Scan {
        self.scan.get_or_init(|| scan::scan(&unicode::readings(&self.value, self.platform), self.work))
    }

    /// The bigrams of its parts.
    pub fn simple_bigrams(&self) -> Bigrams {
        Bigrams::any(self.simple().iter().map(|part| Bigrams::of(&part.text)))
    }

    /// The bigrams of letters of its readings.
    pub fn bigrams(&self) -> Bigrams {
        *self.bigrams.get_or_init(|| {
            if keeps_letters(&self.value) {
                return Bigrams::of_letters(&self.value.to_ascii_lowercase().replace(['"', '\''], ""));
            }
            let Scan { lines, flows } = self.scan();
            // A word with wildcards could become anything.
            let wild = lines.iter().any(|line| !line.wilds.is_empty());
            let lines = lines.iter().chain(flows);
            if wild { Bigrams::ALL } else { Bigrams::any(lines.map(|line| Bigrams::of_letters(&line.text))) }
        })
    }

    /// The bigrams with which words begin in its readings; all, unless they are known from the text.
    fn beginnings(&self) -> Bigrams {
        let known = || if keeps_letters(&self.value) { beginnings_in(&self.value) } else { Bigrams::ALL };
        *self.beginnings.get_or_init(known)
    }

    /// The number of commands that rules have to allow; 0 if nothing can allow the value.
    pub fn parts(&self) -> usize {
        self.simple().len()
    }

    /// Whether the rule allows a part.
    pub fn matches_strictly(&self, part: usize, rule: &ShellPattern) -> bool {
        let Kind::Allow(allow) = &rule.0 else { return false };
        self.simple().get(part).is_some_and(|part| allow.matches_strictly(part, self.parts() == 1))
    }

    /// Whether the rule covers any reading of the value.
    pub fn matches_any_reading(&self, rule: &ShellPattern) -> bool {
        let Kind::Deny { forms, letters, beginnings } = &rule.0 else { return false };
        let contains = |form: &Form| {
            let Scan { lines, flows } = self.scan();
            lines.iter().any(|line| form.found(line)) || flows.iter().any(|line| form.found_in_flow(line))
        };
        self.bigrams().cover(*letters) && self.beginnings().cover(*beginnings) && forms.iter().any(contains)
    }

    /// Whether a command in any reading has the words of a denial, in any order and with others between them.
    pub fn has_words_of(&self, rule: &ShellPattern) -> bool {
        let Kind::Deny { forms, .. } = &rule.0 else { return false };
        let bigrams = self.bigrams();
        forms.iter().filter_map(|form| form.scattered.as_ref()).any(|words| {
            let mut texts = self
                .scan()
                .lines
                .iter()
                .flat_map(|line| line.starts.iter().filter_map(|start| line.text.get(*start..)));
            words.may_be_in(bigrams) && texts.any(|text| words.is_in(text))
        })
    }
}

/// A longer text is read in any case, so that one that takes too long is noticed.
const MAX_SHORT: usize = 4096;

/// Whether two letters are beside each other in a reading only if at most quotes are between them in the text. Most
/// commands are like this, and few rules have their letters, so most commands need not be read.
fn keeps_letters(text: &str) -> bool {
    let keeps = |byte: u8| byte.is_ascii_alphanumeric() || b" -_./:@+,=|&;<>~!#'\"".contains(&byte);
    text.len() <= MAX_SHORT && text.bytes().all(keeps)
}

/// The bigrams with which words begin in the readings of such a text: a blank precedes a letter only if a quote precedes
/// it in the text, or anything that can end a word.
fn beginnings_in(text: &str) -> Bigrams {
    let mut found = Bigrams::NONE;
    let (mut last, mut begins, mut is_quoted) = (b' ', false, false);
    for byte in text.bytes().map(|byte| byte.to_ascii_lowercase()) {
        if matches!(byte, b'"' | b'\'') {
            is_quoted = true;
            continue;
        }
        let is_letter = byte.is_ascii_alphanumeric();
        if begins && is_letter {
            found.add(last, byte);
        }
        let is_within = last.is_ascii_alphanumeric() || b"-_./".contains(&last);
        begins = is_letter && (is_quoted || !is_within);
        (last, is_quoted) = (byte, false);
    }
    found
}
