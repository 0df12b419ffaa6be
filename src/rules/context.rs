//! The view that rules have of a call: its names, its main argument, and every text of its input. Each text is
//! prepared for a kind of value when a rule first needs it.

use super::bigrams::Bigrams;
use super::input;
use super::platform::Platform;
use super::rule::{Argument, Called, Rule, Wanted, What};
use super::target::{Prepared, Target};
use super::tools::{Hints, Kind, Profile, Profiles};
use super::work::Work;
use crate::core::json::Value;
use crate::core::sort::distinct;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// A call to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// The server of the tool.
    pub server: Option<&'a str>,
    /// The input; `None` if it is too large, too deep or no JSON.
    pub input: Option<&'a Value>,
    /// The server's annotations of the tool.
    pub hints: Hints,
}

/// A call with its values, prepared for the rules.
pub(super) struct EvaluationContext<'a> {
    pub called: Called<'a>,
    pub call: Call<'a>,
    pub profile: Option<&'a Profile>,
    platform: &'a dyn Platform,
    /// The work that is left for the call.
    pub work: &'a Work,
    main: OnceCell<Option<Target<'a>>>,
    has_others: OnceCell<bool>,
    is_sound: OnceCell<bool>,
    /// All texts of the input, by kind.
    texts: [OnceCell<Texts<'a>>; Kind::ALL.len()],
    /// Values of arguments, each read once for all rules about it.
    values: RefCell<Vec<Rc<ArgumentValue<'a>>>>,
}

/// The value of an argument, read as one kind.
struct ArgumentValue<'a> {
    value: &'a Value,
    kind: Kind,
    target: OnceCell<Option<Target<'a>>>,
    texts: OnceCell<Texts<'a>>,
}

impl<'a> EvaluationContext<'a> {
    pub fn new(tools: &'a Profiles, call: Call<'a>, platform: &'a dyn Platform, work: &'a Work) -> Self {
        // The profile applies to the tool of its own server only.
        let of_server = |profile: &&Profile| match (&profile.server, call.server) {
            (Some(known), Some(server)) => known == server,
            _ => true,
        };
        let profile = tools.get(call.tool).filter(of_server);
        let server = call.server.or(profile.and_then(|profile| profile.server.as_deref()));
        Self {
            called: Called::new(call.tool, server, platform),
            call,
            profile,
            platform,
            work,
            main: OnceCell::new(),
            has_others: OnceCell::new(),
            is_sound: OnceCell::new(),
            texts: Default::default(),
            values: RefCell::default(),
        }
    }

    /// The value of an argument as this kind.
    fn value_of(&self, value: &'a Value, kind: Kind) -> Rc<ArgumentValue<'a>> {
        let mut values = self.values.borrow_mut();
        let known = values.iter().find(|known| std::ptr::eq(known.value, value) && known.kind == kind);
        if let Some(known) = known {
            return Rc::clone(known);
        }
        let (target, texts) = (OnceCell::new(), OnceCell::new());
        let read = Rc::new(ArgumentValue { value, kind, target, texts });
        values.push(Rc::clone(&read));
        read
    }

    /// The main argument, if it has the kind that the profile of the tool says.
    pub fn main(&self) -> Option<&Target<'a>> {
        let find = || {
            let kind = self.profile?.kind.unwrap_or(Kind::Text);
            Target::main(self.main_value()?, kind, self.platform, self.work)
        };
        self.main.get_or_init(find).as_ref()
    }

    fn main_value(&self) -> Option<&'a Value> {
        input::at(self.call.input?, self.profile?.target.as_deref()?)
    }

    /// The number of parts of the main argument that have to be allowed.
    pub fn parts(&self) -> usize {
        self.main().map_or(0, Target::parts)
    }

    /// Whether the input contains nothing but the main argument and ignored arguments.
    pub fn is_alone(&self) -> bool {
        !*self.has_others.get_or_init(|| {
            let (Some(profile), Some(input)) = (self.profile, self.call.input) else { return true };
            let known = profile.ignore.iter().chain(&profile.target).map(String::as_str);
            input::has_others(input, &known.collect::<Vec<_>>())
        })
    }

    /// Whether the input has no names with a second meaning.
    pub fn is_sound(&self) -> bool {
        *self.is_sound.get_or_init(|| self.call.input.is_some_and(|input| !input::has_reserved(input)))
    }

    /// Whether the rule alone allows the whole call.
    pub fn matches_strictly(&self, rule: &Rule) -> bool {
        self.is_sound()
            && match &rule.what {
                What::Nothing => true,
                What::Target(_) => {
                    let parts = self.parts();
                    parts > 0 && (0..parts).all(|part| self.part_matches_strictly(part, rule))
                }
                What::Arguments(arguments) => self.arguments_match_strictly(arguments),
            }
    }

    /// Whether the rule allows one part of the main argument.
    pub fn part_matches_strictly(&self, part: usize, rule: &Rule) -> bool {
        let What::Target(prepared) = &rule.what else { return false };
        let kind = self.profile.and_then(|profile| profile.kind);
        self.is_sound()
            && self.is_alone()
            && !self.main_value().is_some_and(|value| is_unclear(value, kind, prepared))
            && self.main().is_some_and(|main| main.matches_strictly(part, prepared))
    }

    fn arguments_match_strictly(&self, arguments: &[Argument]) -> bool {
        let Some(input) = self.call.input else { return false };
        let ignored = self.profile.map_or(&[][..], |profile| &profile.ignore);
        let known = arguments.iter().map(|argument| &argument.pointer).chain(ignored);
        let matches = |argument: &Argument| {
            let Some(found) = input::at(input, &argument.pointer) else { return false };
            let prepared = match &argument.wanted {
                Wanted::Like(prepared) => prepared,
                Wanted::Exactly(wanted, _) => return is_same(found, wanted),
            };
            let kind = self.profile.and_then(|profile| profile.kind_of(&argument.pointer));
            if is_unclear(found, kind, prepared) {
                return false;
            }
            let found = self.value_of(found, kind.unwrap_or(Kind::Text));
            let target =
                found.target.get_or_init(|| Target::main(found.value, found.kind, self.platform, self.work));
            target.as_ref().is_some_and(|found| {
                let parts = found.parts();
                parts > 0 && (0..parts).all(|part| found.matches_strictly(part, prepared))
            })
        };
        arguments.iter().all(matches)
            && !input::has_others(input, &known.map(String::as_str).collect::<Vec<_>>())
    }

    /// Whether the rule covers this call in any reading.
    pub fn matches_any_reading(&self, rule: &Rule) -> bool {
        rule.name.matches_any_reading(&self.called) && self.input_matches_any_reading(rule)
    }

    /// Whether the rule covers the input in any reading.
    pub fn input_matches_any_reading(&self, rule: &Rule) -> bool {
        match &rule.what {
            What::Nothing => true,
            // An unreadable input could be anything.
            _ if self.call.input.is_none() => rule.is_every_input(),
            What::Target(prepared) => {
                let is_written = |wanted: &Value| {
                    self.call.input.is_some_and(|input| input::holds(input, &|value| is_same(value, wanted)))
                };
                rule.is_every_input()
                    || prepared.json.as_ref().is_some_and(is_written)
                    || prepared.kinds().any(|kind| self.texts(kind).any_matches(prepared))
            }
            What::Arguments(arguments) => {
                arguments.iter().all(|argument| self.argument_matches_any_reading(argument))
            }
        }
    }

    /// Whether a command of the input has the words of a denial or a question, wherever they stand.
    pub fn has_words_of(&self, rule: &Rule) -> bool {
        let has = |prepared: &Prepared| {
            prepared.can_be_scattered()
                && self.texts(Kind::Shell).all.iter().any(|text| text.has_words_of(prepared))
        };
        match &rule.what {
            What::Nothing => false,
            What::Target(prepared) => has(prepared),
            What::Arguments(arguments) => arguments.iter().all(|argument| {
                let is_like = matches!(&argument.wanted, Wanted::Like(prepared) if has(prepared));
                is_like || self.argument_matches_any_reading(argument)
            }),
        }
    }

    /// The bigrams of all texts of the input, in all readings of these kinds.
    pub fn bigrams(&self, kinds: &[Kind]) -> Bigrams {
        if self.call.input.is_none() {
            return Bigrams::ALL;
        }
        Bigrams::any(kinds.iter().map(|kind| self.texts(*kind).bigrams()))
    }

    /// All texts of the input, wherever they are: an argument may have moved.
    fn texts(&self, kind: Kind) -> &Texts<'a> {
        self.texts[kind as usize].get_or_init(|| {
            let input = self.call.input.unwrap_or(&Value::Null);
            let target = self.profile.and_then(|profile| profile.target.as_deref());
            let main = target.and_then(|target| input::at(input, target)?.as_str());
            Texts::read(input, main, kind, self.platform, self.work)
        })
    }

    fn argument_matches_any_reading(&self, argument: &Argument) -> bool {
        let Some(input) = self.call.input else { return true };
        let at = input::at(input, &argument.pointer);
        match &argument.wanted {
            Wanted::Exactly(wanted, prepared) => at.is_some_and(|found| {
                let as_text = input::written(wanted, self.platform);
                let number = wanted.as_f64();
                let says = |text: &str| {
                    let text = text.trim();
                    text.eq_ignore_ascii_case(&as_text)
                        || number.is_some() && self.platform.number(text) == number
                };
                is_same(found, wanted)
                    || found.as_str().is_some_and(says)
                    || prepared
                        .as_ref()
                        .is_some_and(|prepared| self.value_matches_any_reading(found, prepared))
            }),
            Wanted::Like(prepared) => {
                at.is_some_and(|found| prepared.is_any || self.value_matches_any_reading(found, prepared))
            }
        }
    }

    /// Whether the pattern matches any text in a value, in any of its kinds.
    fn value_matches_any_reading(&self, value: &'a Value, prepared: &Prepared) -> bool {
        prepared.kinds().any(|kind| {
            let read = self.value_of(value, kind);
            let texts = read.texts.get_or_init(|| Texts::read(value, None, kind, self.platform, self.work));
            texts.any_matches(prepared)
        })
    }
}

/// The texts of a value, each prepared for one kind of patterns.
struct Texts<'a> {
    all: Vec<Target<'a>>,
    /// Whether all texts are included. Reading more would take too long, so then every pattern matches.
    complete: bool,
}

/// The largest number of different texts that are examined.
const MAX_TEXTS: usize = 4096;

impl<'a> Texts<'a> {
    /// `main`: the main argument of the tool, for commands whose arguments are in another field.
    fn read(
        value: &'a Value,
        main: Option<&str>,
        kind: Kind,
        platform: &'a dyn Platform,
        work: &'a Work,
    ) -> Self {
        let mut texts = Vec::new();
        input::texts(value, &mut texts);
        let mut complete = true;
        if kind == Kind::Shell {
            complete = input::joined(value, main, MAX_TEXTS, &mut texts);
        }
        if kind == Kind::Text {
            input::scalars(value, platform, &mut texts);
            let is_padded = |text: &&Cow<str>| text.trim() != **text;
            let trimmed: Vec<_> = texts.iter().filter(is_padded).map(|text| text.trim().to_owned()).collect();
            texts.extend(trimmed.into_iter().map(Cow::Owned));
        }
        // Repeated texts add nothing.
        distinct(&mut texts);
        complete &= texts.len() <= MAX_TEXTS;
        texts.truncate(MAX_TEXTS);
        Self {
            all: texts.into_iter().map(|text| Target::read(text, kind, platform, work)).collect(),
            complete,
        }
    }

    /// The bigrams of all texts, in all their readings.
    fn bigrams(&self) -> Bigrams {
        if self.complete { Bigrams::any(self.all.iter().map(Target::bigrams)) } else { Bigrams::ALL }
    }

    /// Whether the pattern matches one of the texts.
    fn any_matches(&self, prepared: &Prepared) -> bool {
        !self.complete || self.all.iter().any(|text| text.matches_any_reading(prepared))
    }
}

/// Whether a wildcard would stand for a character with a meaning in one of the kinds, while the kind is unknown.
fn is_unclear(value: &Value, kind: Option<Kind>, prepared: &Prepared) -> bool {
    let is_open = prepared.glob.as_ref().is_some_and(|glob| !glob.is_any() && !glob.is_literal());
    kind.is_none() && is_open && value.as_str().is_some_and(has_meaning)
}

/// Whether a text contains characters with a meaning in a path, a URL or a command.
fn has_meaning(text: &str) -> bool {
    text.contains("..") || text.contains(|c: char| "/\\:;|&$`<>(){}\"'".contains(c) || c.is_control())
}

/// Whether two values are the same: `100.0` is 100.
fn is_same(found: &Value, wanted: &Value) -> bool {
    let number = |value: &Value| value.as_f64().filter(|number| number.abs() < 9e15);
    found == wanted || number(found).is_some_and(|found| Some(found) == number(wanted))
}
