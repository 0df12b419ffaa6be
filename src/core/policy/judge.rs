//! Holds all rules against one call. The strictest of those that match wins, whatever their order, length
//! or layer:
//!
//! 1. a denial;
//! 2. a question that is always asked, or anything that could not be read;
//! 3. (what a person has granted: that is the guard's to know)
//! 4. a question;
//! 5. an allowance of every part of the call;
//! 6. a question, because nothing was said.

use super::bigrams::Bigrams;
use super::effect::{Effect, Layer};
use super::lint::Lint;
use super::load::Problem;
use super::platform::Platform;
use super::rule::{Argument, Called, Name, Rule, Wanted, What};
use super::target::{Prepared, Target};
use super::tools::{self, Hints, Kind, Profile};
use serde_json::Value;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Rules that were read.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Those that could be.
    pub rules: Vec<Rule>,
    /// What is wrong with the others.
    pub problems: Vec<Problem>,
    /// What their author should look at.
    pub lints: Vec<Lint>,
    /// They are not to be acted on, only to be looked at.
    pub shadow: bool,
    pub(super) tools: BTreeMap<String, Profile>,
    pub(super) lock: Option<Layer>,
    /// Denials, then questions that are always asked, then questions.
    strict: Order,
    allows: Order,
}

/// Rules in the order in which they are asked.
#[derive(Clone, Debug, Default)]
struct Order {
    rules: Vec<usize>,
    /// The same by their names: most rules are about few tools, and most calls about few rules.
    named: Vec<Named>,
}

/// The rules of one name.
#[derive(Clone, Debug)]
struct Named {
    name: Name,
    /// The kinds of values that they ask for.
    kinds: Vec<Kind>,
    /// Their places in the order, each with what has to be in some value.
    places: Vec<(usize, Bigrams)>,
}

impl Order {
    fn new(rules: Vec<usize>, all: &[Rule]) -> Self {
        let mut known = BTreeMap::new();
        let mut named: Vec<Named> = Vec::new();
        for (place, rule) in rules.iter().map(|&i| &all[i]).enumerate() {
            let at = *known.entry(rule.name.key()).or_insert(named.len());
            if at == named.len() {
                named.push(Named { name: rule.name.clone(), kinds: Vec::new(), places: Vec::new() });
            }
            let (kinds, bigrams) = rule.needs();
            let Some(found) = named.get_mut(at) else { continue };
            found.places.push((place, bigrams));
            for kind in kinds {
                if !found.kinds.contains(&kind) {
                    found.kinds.push(kind);
                }
            }
        }
        Self { rules, named }
    }

    /// Those that can be about a call: of such names, and with values that have all that is needed.
    fn about(
        &self,
        is_meant: impl Fn(&Name) -> bool,
        bigrams: impl Fn(&[Kind]) -> Bigrams,
    ) -> impl Iterator<Item = usize> {
        let mut places = Vec::new();
        for named in self.named.iter().filter(|named| is_meant(&named.name)) {
            let bigrams = bigrams(&named.kinds);
            let left = named.places.iter().filter(|(_, needed)| bigrams.cover(*needed));
            places.extend(left.map(|(place, _)| *place));
        }
        places.sort_unstable();
        places.into_iter().filter_map(|place| self.rules.get(place).copied())
    }
}

/// A call that is to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The name of the tool.
    pub tool: &'a str,
    /// The server that it belongs to.
    pub server: Option<&'a str>,
    /// Its input; none where it is too large, too deep or no JSON.
    pub input: Option<&'a Value>,
    /// What the server says of the tool.
    pub hints: Hints,
}

vocabulary! {
    /// Where an answer comes from.
    Because {
        /// A rule says so.
        Rule = "rule",
        /// No rule says anything.
        Default = "default",
        /// The server says that the tool may destroy something.
        Hint = "hint",
        /// A rule could not be read.
        BrokenRules = "broken-rules",
        /// The input could not be read.
        UnreadableInput = "unreadable-input",
    }
}

/// What rules say of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What is to happen.
    pub effect: Effect,
    /// It is to be asked also where a grant would answer.
    pub always: bool,
    /// Where that comes from.
    pub because: Because,
    /// The rule that says so, a place in [`Policy::rules`].
    pub rule: Option<usize>,
    /// The call may do harm.
    pub dangerous: bool,
}

impl Policy {
    /// One rule alone.
    pub(super) fn of_one(rule: &Rule, tools: &BTreeMap<String, Profile>) -> Self {
        let mut policy = Self { rules: vec![rule.clone()], tools: tools.clone(), ..Self::default() };
        policy.index();
        policy
    }

    /// Puts the rules in the order in which they are asked.
    pub(super) fn index(&mut self) {
        let mut strict = Vec::new();
        for (effect, always) in [(Effect::Deny, false), (Effect::Ask, true), (Effect::Ask, false)] {
            for &layer in Layer::ALL.iter().rev() {
                let is_next = |rule: &Rule| {
                    // A denial is one, whatever else it says.
                    let rule_always = rule.always && rule.effect == Effect::Ask;
                    (rule.effect, rule_always, rule.layer) == (effect, always, layer)
                };
                strict.extend((0..self.rules.len()).filter(|&i| is_next(&self.rules[i])));
            }
        }
        let allows = (0..self.rules.len()).filter(|&i| self.rules[i].effect == Effect::Allow).collect();
        self.strict = Order::new(strict, &self.rules);
        self.allows = Order::new(allows, &self.rules);
    }

    /// Could all rules be read?
    pub fn is_whole(&self) -> bool {
        self.problems.is_empty()
    }

    /// What is to happen to a call.
    pub fn judge(&self, call: Call, platform: &dyn Platform) -> Judgement {
        let look = Look::new(self, call, platform);
        let dangerous = call.hints.destructive || tools::sounds_dangerous(call.tool);
        let answer = |effect, always, because, rule| Judgement { effect, always, because, rule, dangerous };
        let mut strict = self.strict.about(|name| name.suspects(&look.called), |kinds| look.bigrams(kinds));
        let strict = strict.find(|&i| look.suspects_input(&self.rules[i]));
        if let Some(i) = strict.filter(|&i| self.rules[i].effect == Effect::Deny) {
            return answer(Effect::Deny, false, Because::Rule, Some(i));
        }
        if !self.is_whole() {
            return answer(Effect::Ask, true, Because::BrokenRules, None);
        }
        if call.input.is_none() {
            return answer(Effect::Ask, true, Because::UnreadableInput, None);
        }
        if let Some(i) = strict {
            return answer(Effect::Ask, self.rules[i].always, Because::Rule, Some(i));
        }
        match self.allowing(&look) {
            Some(_) if call.hints.destructive => answer(Effect::Ask, false, Because::Hint, None),
            Some(i) => answer(Effect::Allow, false, Because::Rule, Some(i)),
            None => answer(Effect::Ask, false, Because::Default, None),
        }
    }

    /// The rule that allows the call, the first one where it takes several.
    fn allowing(&self, look: &Look) -> Option<usize> {
        let main = || look.main().map_or(Bigrams::NONE, Target::allow_bigrams);
        let allows = self.allows.about(|name| name.proves(&look.called), |_| main());
        let rules: Vec<usize> = allows.filter(|&i| !self.is_locked(&self.rules[i])).collect();
        let first = |proves: &dyn Fn(&Rule) -> bool| rules.iter().copied().find(|&i| proves(&self.rules[i]));
        if let Some(i) = first(&|rule| look.proves(rule)) {
            return Some(i);
        }
        let parts = look.parts();
        let covering = |part| first(&|rule| look.proves_part(part, rule));
        if parts < 2 || !(1..parts).all(|part| covering(part).is_some()) {
            return None;
        }
        covering(0)
    }

    /// Does a layer above it forbid its allowances?
    pub(super) fn is_locked(&self, rule: &Rule) -> bool {
        self.lock.is_some_and(|lock| rule.layer < lock)
    }

    /// Does the first rule match?
    pub(super) fn applies(
        &self,
        tool: &str,
        server: Option<&str>,
        input: &Value,
        platform: &dyn Platform,
    ) -> bool {
        let call = Call { tool, server, input: Some(input), hints: Hints::default() };
        let look = Look::new(self, call, platform);
        self.rules.first().is_some_and(|rule| match rule.effect {
            Effect::Allow => rule.name.proves(&look.called) && look.proves(rule),
            _ => look.suspects(rule),
        })
    }
}

/// A call with everything that rules ask about it, made when it is first asked.
pub(super) struct Look<'a> {
    pub called: Called<'a>,
    pub call: Call<'a>,
    pub profile: Option<&'a Profile>,
    platform: &'a dyn Platform,
    main: OnceCell<Option<Target<'a>>>,
    has_others: OnceCell<bool>,
    is_sound: OnceCell<bool>,
    /// All texts of the input, by kind.
    texts: [OnceCell<Vec<Target<'a>>>; Kind::ALL.len()],
}

impl<'a> Look<'a> {
    pub fn new(policy: &'a Policy, call: Call<'a>, platform: &'a dyn Platform) -> Self {
        // What is known of a tool is known of the one of its server.
        let of_server = |profile: &&Profile| match (&profile.server, call.server) {
            (Some(known), Some(server)) => known == server,
            _ => true,
        };
        let profile = policy.tools.get(call.tool).filter(of_server);
        let server = call.server.or(profile.and_then(|profile| profile.server.as_deref()));
        Self {
            called: Called::new(call.tool, server, platform),
            call,
            profile,
            platform,
            main: OnceCell::new(),
            has_others: OnceCell::new(),
            is_sound: OnceCell::new(),
            texts: Default::default(),
        }
    }

    /// The main argument, where there is one of the kind that the tool has.
    pub fn main(&self) -> Option<&Target<'a>> {
        let find = || {
            let profile = self.profile?;
            let value = self.call.input?.pointer(profile.target.as_deref()?)?;
            Target::main(value, profile.kind, self.platform)
        };
        self.main.get_or_init(find).as_ref()
    }

    /// How many parts of the main argument have to be allowed.
    pub fn parts(&self) -> usize {
        self.main().map_or(0, Target::parts)
    }

    /// Has the input nothing but the main argument and what does not matter?
    pub fn is_alone(&self) -> bool {
        !*self.has_others.get_or_init(|| {
            let (Some(profile), Some(input)) = (self.profile, self.call.input) else { return true };
            let known = profile.ignore.iter().chain(&profile.target).map(String::as_str);
            tools::has_others(input, &known.collect::<Vec<_>>())
        })
    }

    /// Can the input be nothing but what it seems to be?
    pub fn is_sound(&self) -> bool {
        *self.is_sound.get_or_init(|| self.call.input.is_some_and(|input| !tools::has_reserved(input)))
    }

    /// Does the rule alone allow all of the call?
    pub fn proves(&self, rule: &Rule) -> bool {
        self.is_sound()
            && match &rule.what {
                What::Nothing => true,
                What::Target(_) => {
                    let parts = self.parts();
                    parts > 0 && (0..parts).all(|part| self.proves_part(part, rule))
                }
                What::Arguments(arguments) => self.proves_arguments(arguments),
            }
    }

    /// Does the rule allow one part of the main argument?
    pub fn proves_part(&self, part: usize, rule: &Rule) -> bool {
        let What::Target(prepared) = &rule.what else { return false };
        self.is_sound() && self.is_alone() && self.main().is_some_and(|main| main.proves(part, prepared))
    }

    fn proves_arguments(&self, arguments: &[Argument]) -> bool {
        let Some(input) = self.call.input else { return false };
        let ignored = self.profile.map_or(&[][..], |profile| &profile.ignore);
        let known = arguments.iter().map(|argument| &argument.pointer).chain(ignored);
        let matches = |argument: &Argument| {
            let Some(found) = input.pointer(&argument.pointer) else { return false };
            let prepared = match &argument.wanted {
                Wanted::Like(prepared) => prepared,
                Wanted::Exactly(wanted, _) => return is_same(found, wanted),
            };
            let kind = self.profile.and_then(|profile| profile.kind_of(&argument.pointer));
            // Of what kind it is nobody said: then no wildcard stands for what has a meaning in one of them.
            let is_open = prepared.glob.as_ref().is_some_and(|glob| !glob.is_any() && !glob.is_literal());
            if kind.is_none() && is_open && found.as_str().is_some_and(has_meaning) {
                return false;
            }
            let found = Target::main(found, kind.unwrap_or(Kind::Text), self.platform);
            found.is_some_and(|found| {
                let parts = found.parts();
                parts > 0 && (0..parts).all(|part| found.proves(part, prepared))
            })
        };
        arguments.iter().all(matches)
            && !tools::has_others(input, &known.map(String::as_str).collect::<Vec<_>>())
    }

    /// Could the rule be about this call?
    pub fn suspects(&self, rule: &Rule) -> bool {
        rule.name.suspects(&self.called) && self.suspects_input(rule)
    }

    /// Could it be about the input?
    fn suspects_input(&self, rule: &Rule) -> bool {
        match &rule.what {
            What::Nothing => true,
            // What cannot be read could be anything.
            _ if self.call.input.is_none() => rule.is_every_input(),
            What::Target(prepared) => {
                let is_written = |wanted: &Value| {
                    self.call.input.is_some_and(|input| tools::holds(input, &|value| is_same(value, wanted)))
                };
                rule.is_every_input()
                    || prepared.json.as_ref().is_some_and(is_written)
                    || prepared.kinds().any(|kind| {
                        let texts = self.texts(kind);
                        texts.len() >= MAX_TEXTS || texts.iter().any(|text| text.suspects(prepared))
                    })
            }
            What::Arguments(arguments) => arguments.iter().all(|argument| self.suspects_argument(argument)),
        }
    }

    /// What all texts of the input have, in all their readings of these kinds.
    fn bigrams(&self, kinds: &[Kind]) -> Bigrams {
        if self.call.input.is_none() {
            return Bigrams::ALL;
        }
        if kinds.iter().any(|kind| self.texts(*kind).len() >= MAX_TEXTS) {
            return Bigrams::ALL;
        }
        Bigrams::any(kinds.iter().flat_map(|kind| self.texts(*kind)).map(Target::bigrams))
    }

    /// The texts of the input, wherever they stand: an argument may have moved. A list of words is also
    /// the command that they make together.
    fn texts(&self, kind: Kind) -> &[Target<'a>] {
        let main = self.profile.and_then(|profile| profile.target.as_deref());
        let main = self.call.input.zip(main).and_then(|(input, main)| input.pointer(main)?.as_str());
        let read = || self.call.input.map_or_else(Vec::new, |input| self.texts_in(input, main, kind));
        self.texts[kind as usize].get_or_init(read)
    }

    fn texts_in<'v>(&self, value: &'v Value, main: Option<&str>, kind: Kind) -> Vec<Target<'v>>
    where
        'a: 'v,
    {
        let mut texts = Vec::new();
        tools::texts(value, &mut texts);
        if kind == Kind::Shell {
            tools::joined(value, main, &mut texts);
        }
        if kind == Kind::Text {
            tools::scalars(value, &mut texts);
            let is_padded = |text: &&Cow<str>| text.trim() != **text;
            let trimmed: Vec<_> = texts.iter().filter(is_padded).map(|text| text.trim().to_owned()).collect();
            texts.extend(trimmed.into_iter().map(Cow::Owned));
        }
        // Texts that are repeated say nothing more.
        texts.sort_unstable();
        texts.dedup();
        texts.truncate(MAX_TEXTS);
        texts.into_iter().map(|text| Target::read(text, kind, self.platform)).collect()
    }

    fn suspects_argument(&self, argument: &Argument) -> bool {
        let Some(input) = self.call.input else { return true };
        let at = input.pointer(&argument.pointer);
        match &argument.wanted {
            Wanted::Exactly(wanted, prepared) => at.is_some_and(|found| {
                let as_text = wanted.to_string();
                let number = wanted.as_f64();
                let says = |text: &str| {
                    let text = text.trim();
                    text.eq_ignore_ascii_case(&as_text) || number.is_some() && text.parse().ok() == number
                };
                is_same(found, wanted)
                    || found.as_str().is_some_and(says)
                    || prepared.as_ref().is_some_and(|prepared| self.suspects_in(found, prepared))
            }),
            Wanted::Like(prepared) => {
                at.is_some_and(|found| prepared.is_any || self.suspects_in(found, prepared))
            }
        }
    }

    /// Could any text in a value be meant, in one of the kinds that the pattern is about?
    fn suspects_in(&self, value: &Value, prepared: &Prepared) -> bool {
        prepared.kinds().any(|kind| {
            let texts = self.texts_in(value, value.as_str(), kind);
            texts.len() >= MAX_TEXTS || texts.iter().any(|text| text.suspects(prepared))
        })
    }
}

/// Are there characters in it that separate, climb or run something in a path, a URL or a command?
fn has_meaning(text: &str) -> bool {
    text.contains("..") || text.contains(|c: char| "/\\:;|&$`<>(){}\"'".contains(c) || c.is_control())
}

/// An input with as many different texts is suspected by each pattern, because nobody could wait for the answer.
const MAX_TEXTS: usize = 4096;

/// Is it the same value? `100.0` is 100.
fn is_same(found: &Value, wanted: &Value) -> bool {
    let number = |value: &Value| value.as_f64().filter(|number| number.abs() < 9e15);
    found == wanted || number(found).is_some_and(|found| Some(found) == number(wanted))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
