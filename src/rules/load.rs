//! Reads rules. A mistake is reported with its place and a remedy. A rule with a mistake is left out, and the calls
//! that it might have denied ask ([`LeftOut`]).

use super::context::Call;
use super::glob::Glob;
use super::input;
use super::judge::{self, LeftOut, Policy};
use super::layer::Layer;
use super::lint::{self, Lint};
use super::pattern::Pattern;
use super::platform::Platform;
use super::rule::{Argument, Name, Rule, Wanted, What};
use super::syntax::{self, Asked, Given, Selector};
use super::target::Prepared;
use super::tools::{self, Hints, Kind, Profile, Profiles};
use super::unicode;
use crate::core::decision::Effect;
use crate::core::json::{self, Object, Value};
use serde::Serialize;

/// The largest number of rules.
pub const MAX_RULES: usize = 2000;
/// The longest pattern, in characters.
pub const MAX_PATTERN: usize = 256;

vocabulary! {
    /// The mistakes in rules.
    Code {
        /// A value of the wrong type.
        Type = "wrong-type",
        /// An unknown field.
        Field = "unknown-field",
        /// A text that is not a rule.
        Syntax = "syntax",
        /// A pattern for the main argument of a tool whose profile has none.
        NoTarget = "no-target",
        /// A pattern for an argument of unknown kind.
        NoKind = "no-kind",
        /// A pattern that means something else, or more, than it seems to.
        Unclear = "unclear-pattern",
        /// An example that the rule does not match.
        Match = "example-does-not-match",
        /// A counterexample that the rule matches.
        NotMatch = "counterexample-matches",
        /// Too many rules, or too long a pattern.
        Limit = "limit",
        /// Two rules with the same id.
        Id = "id-is-taken",
        /// An allowance in a place where rules can only become stricter.
        Loosens = "loosens",
    }
}

/// A mistake in a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The kind of mistake.
    pub code: Code,
    /// The place in the configuration: `rules[3].allow`.
    pub place: String,
    /// The position in the text at that place, in characters.
    pub at: Option<usize>,
    /// The mistake as a sentence.
    pub message: String,
    /// The way to fix it.
    pub mend: String,
}

type Read<T> = Result<T, ()>;

/// A configuration after reading.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The rules without mistakes.
    pub policy: Policy,
    /// The mistakes in the other rules.
    pub problems: Vec<Problem>,
    /// Hints for the author of the rules.
    pub lints: Vec<Lint>,
}

/// Reads a configuration: `tools`, `rules` and `layers`.
pub fn load(config: &Value, platform: &dyn Platform) -> Loaded {
    let mut loaded = Loaded::default();
    let mut loader = Loader::new(platform);
    loader.config(config);
    loader.finish(&mut loaded);
    loaded
}

/// Adds a list of rules to existing ones. They can only make judgements stricter. Returns the problems; if there is one,
/// nothing is added.
pub fn tighten(loaded: &mut Loaded, rules: &Value, platform: &dyn Platform) -> Vec<Problem> {
    let policy = &mut loaded.policy;
    let mut loader = Loader::new(platform);
    loader.tools = std::mem::take(&mut policy.tools);
    loader.taken = policy.rules.iter().map(|rule| rule.id.clone()).collect();
    loader.may_allow = false;
    loader.list(rules, &["added[", &*json::digits(policy.rules.len() as u64), "]"].concat(), Layer::App);
    if loader.problems.is_empty() {
        loader.finish(loaded);
        return Vec::new();
    }
    policy.tools = loader.tools;
    loader.problems
}

struct Loader<'p> {
    platform: &'p dyn Platform,
    problems: Vec<Problem>,
    rules: Vec<Rule>,
    tools: Profiles,
    /// The ids of the rules, also of those that are left out: otherwise a mistake in one would let another in.
    taken: Vec<String>,
    left_out: LeftOut,
    lock: Option<Layer>,
    may_allow: bool,
    shadow: bool,
}

/// The argument that a pattern is about.
struct Subject<'a> {
    tool: &'a str,
    name: &'a str,
    kind: Option<Kind>,
    /// The field of the tool's profile that states its kind.
    key: &'static str,
}

impl<'p> Loader<'p> {
    fn new(platform: &'p dyn Platform) -> Self {
        Self {
            platform,
            problems: Vec::new(),
            rules: Vec::new(),
            tools: Profiles::default(),
            taken: Vec::new(),
            left_out: LeftOut::default(),
            lock: None,
            may_allow: true,
            shadow: false,
        }
    }

    fn finish(self, loaded: &mut Loaded) {
        let policy = &mut loaded.policy;
        loaded.problems.extend(self.problems);
        policy.rules.extend(self.rules);
        policy.tools = self.tools;
        policy.lock = policy.lock.max(self.lock);
        policy.shadow |= self.shadow;
        policy.left_out.extend(self.left_out);
        policy.index();
        loaded.lints = lint::lints(policy);
    }

    fn problem<T>(&mut self, code: Code, place: &str, message: &str, mend: &str) -> Read<T> {
        let [place, message, mend] = [place, message, mend].map(str::to_owned);
        self.problems.push(Problem { code, place, at: None, message, mend });
        Err(())
    }

    fn object<'v>(&mut self, value: &'v Value, place: &str) -> Read<&'v Object> {
        match value.as_object() {
            Some(object) => Ok(object),
            None => self.problem(Code::Type, place, "This is not an object.", "Write an object."),
        }
    }

    fn fields(&mut self, object: &Object, place: &str, known: &[&str]) -> Read<()> {
        match object.fields().iter().find(|(key, _)| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => {
                let message = ["There is no field \"", key, "\" here."].concat();
                let mend = ["Remove it, or use one of: ", &*known.join(", "), "."].concat();
                self.problem(Code::Field, place, &message, &mend)
            }
        }
    }

    fn text<'v>(&mut self, object: &'v Object, key: &str, place: &str) -> Read<Option<&'v str>> {
        match object.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => self.problem(
                Code::Type,
                &[place, ".", key].concat(),
                "This is not a string.",
                "Write a string in quotes.",
            ),
        }
    }

    fn flag(&mut self, object: &Object, key: &str, place: &str) -> Read<bool> {
        match object.get(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => {
                let place = [place, ".", key].concat();
                self.problem(Code::Type, &place, "This is neither true nor false.", "Write true or false.")
            }
        }
    }

    fn array<'v>(&mut self, value: &'v Value, place: &str) -> Read<&'v [Value]> {
        match value {
            Value::Array(list) => Ok(list),
            _ => self.problem(Code::Type, place, "This is not a list.", "Write a list in brackets."),
        }
    }

    /// Reads the configuration. Tools and rules with a mistake are left out.
    fn config(&mut self, config: &Value) {
        let read = self.object(config, "config").map(|object| {
            let fields = self.fields(object, "config", &["tools", "rules", "layers", "shadow"]);
            let shadow = self.flag(object, "shadow", "config");
            self.shadow = shadow.unwrap_or(false);
            let tools = object.get("tools").map_or(Ok(()), |tools| self.profiles(tools));
            if let Some(rules) = object.get("rules") {
                self.list(rules, "rules", Layer::App);
            }
            let layers = object.get("layers").map_or(Ok(()), |layers| self.layers(layers));
            fields.and(shadow).and(tools).and(layers)
        });
        self.or_everything(read.and_then(|read| read));
    }

    /// A mistake beside the rules can hide any number of them.
    fn or_everything<T>(&mut self, read: Read<T>) {
        if read.is_err() {
            self.left_out.everything = true;
        }
    }

    fn profiles(&mut self, tools: &Value) -> Read<()> {
        for (name, profile) in self.object(tools, "tools")?.fields() {
            match self.profile(profile, &["tools.", name].concat()) {
                Ok(profile) => self.tools.add(name, profile),
                // It is the server of the tool, and the readings of its arguments, that a denial may need.
                Err(()) => self.left_out.names.push(Name::new(None, name, self.platform)),
            }
        }
        Ok(())
    }

    fn layers(&mut self, layers: &Value) -> Read<()> {
        let layers = self.object(layers, "layers")?;
        let fields = self.fields(layers, "layers", Layer::NAMES);
        for layer in Layer::ALL {
            if let Some(value) = layers.get(layer.name()) {
                self.layer(value, *layer);
            }
        }
        fields
    }

    fn profile(&mut self, value: &Value, place: &str) -> Read<Profile> {
        let object = self.object(value, place)?;
        self.fields(object, place, &["server", "target", "kind", "args", "ignore"])?;
        let kind = self.kind(object, "kind", place)?;
        let mut args = Vec::new();
        if let Some(kinds) = object.get("args") {
            let place = [place, ".args"].concat();
            let kinds = self.object(kinds, &place)?;
            for (name, _) in kinds.fields() {
                args.extend(self.kind(kinds, name, &place)?.map(|kind| (tools::pointer(name), kind)));
            }
        }
        let mut ignore = Vec::new();
        if let Some(list) = object.get("ignore") {
            let place = [place, ".ignore"].concat();
            for name in self.array(list, &place)? {
                let Some(name) = name.as_str() else {
                    return self.problem(
                        Code::Type,
                        &place,
                        "Some of these are not strings.",
                        "List the names of arguments.",
                    );
                };
                ignore.push(tools::pointer(name));
            }
        }
        Ok(Profile {
            server: self.text(object, "server", place)?.map(str::to_owned),
            target: self.text(object, "target", place)?.map(tools::pointer),
            kind,
            args,
            ignore,
        })
    }

    fn kind(&mut self, object: &Object, key: &str, place: &str) -> Read<Option<Kind>> {
        let Some(name) = self.text(object, key, place)? else { return Ok(None) };
        if let Some(kind) = Kind::from_name(name) {
            return Ok(Some(kind));
        }
        let message = ["There is no kind \"", name, "\"."].concat();
        let mend = ["Write one of: ", &*(Kind::NAMES.join(", ")), "."].concat();
        self.problem(Code::Type, &[place, ".", key].concat(), &message, &mend)
    }

    fn layer(&mut self, value: &Value, layer: Layer) {
        let place = ["layers.", layer.name()].concat();
        let Some(object) = value.as_object() else { return self.list(value, &place, layer) };
        let fields = self.fields(object, &place, &["rules", "lockAllow"]);
        self.or_everything(fields);
        // If this cannot be read, the layer is locked.
        if self.flag(object, "lockAllow", &place).unwrap_or(true) {
            self.lock = self.lock.max(Some(layer));
        }
        if let Some(rules) = object.get("rules") {
            self.list(rules, &[&*place, ".rules"].concat(), layer);
        }
    }

    fn list(&mut self, value: &Value, place: &str, layer: Layer) {
        let list = match self.array(value, place) {
            Ok(list) => list,
            Err(()) => return self.or_everything(Read::<()>::Err(())),
        };
        for (i, value) in list.iter().enumerate() {
            if self.taken.len() >= MAX_RULES {
                let message = ["There are more than ", &*json::digits(MAX_RULES as u64), " rules."].concat();
                let mend = "Combine rules by using wider patterns.";
                let read: Read<()> = self.problem(Code::Limit, place, &message, mend);
                return self.or_everything(read);
            }
            let place = [place, "[", &*json::digits(i as u64), "]"].concat();
            let id = value.get("id").and_then(Value::as_str).unwrap_or(&place).to_owned();
            match self.rule(value, &id, &place, layer) {
                Ok(rule) => self.rules.push(rule),
                Err(()) => self.leave_out(value),
            }
            self.taken.push(id);
        }
    }

    /// Notes what a rule with a mistake might have denied, or asked about. An allowance denies nothing.
    fn leave_out(&mut self, rule: &Value) {
        let Some(object) = rule.as_object() else { return self.left_out.everything = true };
        let stricter = ["ask", "deny"].into_iter().filter_map(|effect| object.get(effect));
        let unknown =
            object.get("pattern").filter(|_| object.get("action").and_then(Value::as_str) != Some("allow"));
        let patterns: Vec<&Value> = stricter.chain(unknown).collect();
        let allows = object.get("allow").or(object.get("pattern")).is_some();
        self.left_out.everything |= patterns.is_empty() && !allows;
        for pattern in patterns {
            match tool_of(pattern) {
                Some((server, tool)) => {
                    self.left_out.names.push(Name::new(server.as_deref(), &tool, self.platform));
                }
                None => self.left_out.everything = true,
            }
        }
    }

    fn rule(&mut self, value: &Value, id: &str, place: &str, layer: Layer) -> Read<Rule> {
        let object = self.object(value, place)?;
        let known = ["allow", "ask", "deny", "pattern", "action", "always", "id", "why", "match", "notMatch"];
        self.fields(object, place, &known)?;
        let (effect, pattern, at) = self.effect(object, place)?;
        if effect == Effect::Allow && !self.may_allow {
            let message = "Rules that are added later can only make the rules stricter.";
            return self.problem(Code::Loosens, place, message, "Pass the allowance to createRules().");
        }
        let always = self.flag(object, "always", place)?;
        if always && effect != Effect::Ask {
            let mend = "Remove it: a denial is final, and an allowance never asks.";
            return self.problem(
                Code::Field,
                &[place, ".always"].concat(),
                "Only an ask rule can have always.",
                mend,
            );
        }
        self.text(object, "id", place)?;
        if self.taken.iter().any(|taken| taken == id) {
            let message = ["Another rule has the id \"", id, "\"."].concat();
            return self.problem(Code::Id, &[place, ".id"].concat(), &message, "Give each rule its own id.");
        }
        let why = self.text(object, "why", place)?.unwrap_or_default().to_owned();
        let selector = self.selector(pattern, &at)?;
        let text = pattern.as_str().map_or_else(|| input::written(pattern, self.platform), str::to_owned);
        let name = Name::new(selector.server.as_deref(), &selector.tool, self.platform);
        if effect == Effect::Allow && name.is_every() {
            let message = "This allows every tool, present and future.";
            return self.problem(Code::Unclear, &at, message, "Name the tools that may run.");
        }
        let what = self.what(&selector, effect, &name, &at)?;
        let rule = Rule { id: id.to_owned(), effect, always, layer, why, text, name, what };
        self.examples(object, &rule, &selector, place)?;
        Ok(rule)
    }

    /// The effect of a rule and its pattern, with the place of the pattern: `{ deny: pattern }`, or
    /// `{ pattern, action: 'deny' }`.
    fn effect<'v>(&mut self, object: &'v Object, place: &str) -> Read<(Effect, &'v Value, String)> {
        let mut effects: Vec<(Effect, &Value, &str)> = Effect::ALL
            .iter()
            .filter_map(|effect| Some((*effect, object.get(effect.name())?, effect.name())))
            .collect();
        let named = object.get("action").and_then(Value::as_str).and_then(Effect::from_name);
        let is_pair = object.get("pattern").or(object.get("action")).is_some();
        if let (Some(effect), Some(pattern)) = (named, object.get("pattern")) {
            effects.push((effect, pattern, "pattern"));
        }
        match effects.as_slice() {
            &[(effect, pattern, key)] if is_pair == (key == "pattern") => {
                Ok((effect, pattern, [place, ".", key].concat()))
            }
            _ => {
                let mend = "Write one of: { allow: … }, { ask: … }, { deny: … }.";
                self.problem(Code::Type, place, "This rule does not have exactly one effect.", mend)
            }
        }
    }

    fn selector(&mut self, value: &Value, place: &str) -> Read<Selector> {
        match value {
            Value::String(text) => match syntax::parse(text) {
                Ok(selector) => Ok(selector),
                Err(error) => {
                    let [message, mend] = [error.message, error.mend].map(sentence);
                    let (code, place, at) = (Code::Syntax, place.to_owned(), Some(error.at));
                    self.problems.push(Problem { code, place, at, message, mend });
                    Err(())
                }
            },
            Value::Object(object) => {
                self.fields(object, place, &["tool", "server", "target", "tokens", "args"])?;
                let Some(tool) = self.text(object, "tool", place)?.filter(|tool| !tool.is_empty()) else {
                    return self.problem(Code::Type, place, "No tool is named.", "Write { tool: 'name' }.");
                };
                let server = self.text(object, "server", place)?.map(str::to_owned);
                let target = self.text(object, "target", place)?.map(|text| Asked::Target(text.to_owned()));
                let asked = [target, self.tokens(object, place)?, self.arguments(object, place)?];
                let mut asked = asked.into_iter().flatten();
                let what = asked.next().unwrap_or(Asked::Nothing);
                if asked.next().is_some() {
                    let message = "There is more than one pattern for the input.";
                    let mend = "Use only one of target, tokens and args.";
                    return self.problem(Code::Type, place, message, mend);
                }
                Ok(Selector { server, tool: tool.to_owned(), what })
            }
            _ => {
                let mend = "Write 'tool', 'tool:pattern', or an object with tool.";
                self.problem(Code::Type, place, "This is not a pattern.", mend)
            }
        }
    }

    fn tokens(&mut self, object: &Object, place: &str) -> Read<Option<Asked>> {
        let Some(value) = object.get("tokens") else { return Ok(None) };
        let place = [place, ".tokens"].concat();
        let words: Option<Vec<String>> =
            self.array(value, &place)?.iter().map(|word| word.as_str().map(str::to_owned)).collect();
        match words {
            Some(words) if words.iter().all(|word| is_word(word)) && !words.is_empty() => {
                Ok(Some(Asked::Tokens(words)))
            }
            _ => {
                let mend = "List the words of the command: ['git', 'status'].";
                self.problem(Code::Type, &place, "These are not the first words of a command.", mend)
            }
        }
    }

    fn arguments(&mut self, object: &Object, place: &str) -> Read<Option<Asked>> {
        let Some(value) = object.get("args") else { return Ok(None) };
        let place = [place, ".args"].concat();
        let mut list = Vec::new();
        for (name, value) in self.object(value, &place)?.fields() {
            if matches!(value, Value::Object(_) | Value::Array(_)) {
                let mend = "Use a JSON pointer for a nested value: { '/a/b': 'pattern' }.";
                return self.problem(
                    Code::Type,
                    &place,
                    "An argument needs a pattern or a single value.",
                    mend,
                );
            }
            list.push((name.clone(), Given::Value(value.clone())));
        }
        if list.is_empty() {
            return self.problem(Code::Type, &place, "No argument is named.", "Write { name: 'pattern' }.");
        }
        Ok(Some(Asked::Arguments(list)))
    }

    fn what(&mut self, selector: &Selector, effect: Effect, name: &Name, place: &str) -> Read<What> {
        let profile = self.tools.get(&selector.tool).cloned();
        let pattern = match &selector.what {
            Asked::Nothing => return Ok(What::Nothing),
            Asked::Arguments(list) => {
                let mut arguments = Vec::new();
                for (name, given) in list {
                    let kind = profile.as_ref().and_then(|profile| profile.kind_of(&tools::pointer(name)));
                    let subject = Subject { tool: &selector.tool, name, kind, key: "args" };
                    let wanted = self.wanted(&subject, given, effect, place)?;
                    arguments.push(Argument { pointer: tools::pointer(name), wanted });
                }
                return Ok(What::Arguments(arguments));
            }
            Asked::Target(glob) => {
                self.short(glob, place)?;
                Pattern::Glob(Glob::new(glob))
            }
            Asked::Tokens(words) => Pattern::Tokens(words.clone()),
        };
        let tool = &selector.tool;
        let written = pattern.glob().map_or("", Glob::text);
        let target = profile.as_ref().and_then(|profile| profile.target.as_deref());
        if target.is_none() && (name.is_one() || effect == Effect::Allow) {
            let message = ["It is not known which argument of \"", tool, "\" the pattern is about."].concat();
            let mend = [
                "Write tools: { \"",
                tool,
                "\": { target: '/argument', kind: '",
                tools::likely_kind(tool, written),
                "' } }, or name the argument: ",
                tool,
                "(argument=pattern).",
            ]
            .concat();
            return self.problem(Code::NoTarget, place, &message, &mend);
        }
        let kind = profile.as_ref().filter(|_| target.is_some()).and_then(|profile| profile.kind);
        if let Some(target) = target.filter(|_| effect == Effect::Allow) {
            let name = target.trim_start_matches('/');
            self.stated(&Subject { tool, name, kind, key: "kind" }, written, place)?;
        }
        Ok(What::Target(self.prepared(&pattern, kind, effect, place)?))
    }

    fn prepared(
        &mut self,
        pattern: &Pattern,
        kind: Option<Kind>,
        effect: Effect,
        place: &str,
    ) -> Read<Box<Prepared>> {
        let prepared = match (effect, kind) {
            (Effect::Allow, kind) => Prepared::allowing(pattern, kind.unwrap_or(Kind::Text), self.platform),
            _ => Prepared::for_any_reading(pattern, kind, self.platform),
        };
        match prepared {
            Ok(prepared) => Ok(Box::new(prepared)),
            Err(unclear) => {
                let message =
                    sentence(&["the pattern cannot be used: ", unclear.trim_end_matches('.')].concat());
                let mend = "Write a pattern that shows everything it covers, or the exact value.";
                self.problem(Code::Unclear, place, &message, mend)
            }
        }
    }

    /// The condition for an argument. A text that is written as the JSON of another type stands for that
    /// value; for a denial it can stand for both.
    fn wanted(&mut self, subject: &Subject<'_>, given: &Given, effect: Effect, place: &str) -> Read<Wanted> {
        let glob = match given {
            Given::Written(text) | Given::Value(Value::String(text)) => text,
            Given::Value(value) => return Ok(Wanted::Exactly(value.clone(), None)),
        };
        self.short(glob, place)?;
        let value = json::parse(glob, &|text| self.platform.decimal(text)).filter(|value| {
            matches!((given, value), (Given::Written(_), Value::Null | Value::Bool(_) | Value::Number(_)))
        });
        if let (Some(value), Effect::Allow) = (&value, effect) {
            return Ok(Wanted::Exactly(value.clone(), None));
        }
        if effect == Effect::Allow {
            self.stated(subject, glob, place)?;
        }
        let prepared = self.prepared(&Pattern::Glob(Glob::new(glob)), subject.kind, effect, place)?;
        Ok(match value {
            Some(value) => Wanted::Exactly(value, Some(prepared)),
            None => Wanted::Like(prepared),
        })
    }

    /// Checks that an allowance with a wildcard is about an argument whose kind does not have to be stated: neither the
    /// pattern nor a name says that it is more than a text.
    fn stated(&mut self, subject: &Subject<'_>, glob: &str, place: &str) -> Read<()> {
        let &Subject { tool, name, kind, key } = subject;
        let is_open = glob.contains(['*', '?']) && !Glob::new(glob).is_any();
        let mut likely = tools::likely_kind(name, glob);
        if likely == "text" && key == "kind" {
            likely = tools::likely_kind(tool, glob);
        }
        if kind.is_some() || !is_open || likely == "text" && !glob.contains(':') {
            return Ok(());
        }
        let message =
            ["It is not known whether \"", name, "\" is a path, a URL, a command or plain text."].concat();
        let stated = if key == "args" {
            ["args: { \"", name, "\": '", likely, "' }"].concat()
        } else {
            ["target: '", name, "', kind: '", likely, "'"].concat()
        };
        let mend = ["Write tools: { \"", tool, "\": { ", &stated, " } }."].concat();
        self.problem(Code::NoKind, place, &message, &mend)
    }

    fn short(&mut self, glob: &str, place: &str) -> Read<()> {
        if unicode::length(glob) <= MAX_PATTERN {
            return Ok(());
        }
        let message =
            ["The pattern has more than ", &*json::digits(MAX_PATTERN as u64), " characters."].concat();
        self.problem(Code::Limit, place, &message, "Use a star for the part that varies.")
    }

    /// Checks the examples of a rule against that rule only.
    fn examples(&mut self, object: &Object, rule: &Rule, selector: &Selector, place: &str) -> Read<()> {
        for (key, expected) in [("match", true), ("notMatch", false)] {
            let Some(list) = object.get(key) else { continue };
            let place = [place, ".", key].concat();
            for (i, example) in self.array(list, &place)?.iter().enumerate() {
                let place = [&*place, "[", &*json::digits(i as u64), "]"].concat();
                let Some((tool, server, input)) = self.example(example, selector) else {
                    let mend = "Write the main argument as a string, or the whole input as an object.";
                    return self.problem(Code::Type, &place, "This is not an example of a call.", mend);
                };
                let call = Call {
                    tool: &tool,
                    server: server.as_deref(),
                    input: Some(&input),
                    hints: Hints::default(),
                };
                if judge::applies(rule, &self.tools, call, self.platform) != expected {
                    let (code, message) = if expected {
                        (Code::Match, "The rule does not match this example.")
                    } else {
                        (Code::NotMatch, "The rule matches this counterexample.")
                    };
                    return self.problem(code, &place, message, "Change the pattern, or the example.");
                }
            }
        }
        Ok(())
    }

    fn example(&self, example: &Value, selector: &Selector) -> Option<(String, Option<String>, Value)> {
        let one = |glob: &str| glob.replace(['*', '?'], "x");
        let mut tool = one(&selector.tool);
        let mut server = selector.server.as_deref().map(one);
        if server.is_none() && selector.server.is_none() {
            server = self.tools.get(&tool).and_then(|profile| profile.server.clone());
        }
        let input = match (example, &selector.what) {
            (Value::Object(_), _) => example.clone(),
            // If a rule has no pattern, its examples are names of tools.
            (Value::String(name), Asked::Nothing) => {
                let named = syntax::parse(name).ok().filter(|named| named.what == Asked::Nothing)?;
                (tool, server) = (named.tool, named.server);
                Value::Object(Object::default())
            }
            (value, Asked::Target(_) | Asked::Tokens(_)) => {
                let pointer = self.tools.get(&selector.tool).and_then(|profile| profile.target.as_deref());
                nested(pointer.unwrap_or("/x"), value.clone())
            }
            _ => return None,
        };
        Some((tool, server, input))
    }
}

/// An input that has the value at a pointer.
fn nested(pointer: &str, value: Value) -> Value {
    pointer.split('/').skip(1).collect::<Vec<_>>().into_iter().rev().fold(value, |inner, step| {
        let name = step.replace("~1", "/").replace("~0", "~");
        Value::Object(Object::new(vec![(name, inner)]))
    })
}

/// The server and the tool of a pattern, as far as they can be read.
fn tool_of(pattern: &Value) -> Option<(Option<String>, String)> {
    match pattern {
        Value::String(text) => syntax::parse_name(text.split([':', '(']).next().unwrap_or_default()).ok(),
        // An unknown field may be a misspelt server, so the tool of every server is meant.
        _ => pattern
            .get("tool")?
            .as_str()
            .map(|tool| (None, tool.to_owned()))
            .filter(|(_, tool)| !tool.is_empty()),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && unicode::length(text) <= MAX_PATTERN && text.bytes().all(|b| b.is_ascii_graphic())
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| String::from(first.to_ascii_uppercase())).unwrap_or_default();
    [&*first, chars.as_str(), "."].concat()
}
