//! Evaluates all rules for one call. The strictest matching rule wins, regardless of order, length and layer:
//!
//! 1. a denial;
//! 2. a question that is always asked, a rule that is left out and might have denied the call, or a mistake in the
//!    input;
//! 3. (a grant of a person, which only the guard knows)
//! 4. a question;
//! 5. an allowance of every part of the call, word for word if the call has the words of a denial or a question in
//!    another order;
//! 6. a question, because no rule matches.

use super::bigrams::Bigrams;
use super::context::{Call, EvaluationContext};
use super::layer::Layer;
use super::platform::Platform;
use super::rule::{Called, Name, Rule};
use super::target::Target;
use super::tools::{Kind, Profiles};
use super::work::Work;
use crate::core::decision::Effect;
use crate::core::sort::{sort, sort_by};
use serde::Serialize;
use std::cell::OnceCell;

/// The rules after reading.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The rules without mistakes.
    pub rules: Vec<Rule>,
    /// Whether the rules are only tried out, without effect.
    pub shadow: bool,
    /// The calls that the other rules might have denied.
    pub(super) left_out: LeftOut,
    pub(super) tools: Profiles,
    pub(super) lock: Option<Layer>,
    /// Denials first, then questions that are always asked, then other questions.
    strict: Order,
    allows: Order,
}

/// The calls that the rules that are left out might have denied, or asked about. They ask, and no grant answers.
#[derive(Clone, Debug, Default)]
pub(super) struct LeftOut {
    /// Every call: it is unknown what was meant.
    pub everything: bool,
    /// The calls of these tools.
    pub names: Vec<Name>,
}

impl LeftOut {
    /// Adds what others are left out.
    pub fn extend(&mut self, other: Self) {
        self.everything |= other.everything;
        self.names.extend(other.names);
    }

    fn covers(&self, called: &Called) -> bool {
        self.everything || self.names.iter().any(|name| name.matches_any_reading(called))
    }
}

/// Rules in the order of evaluation.
#[derive(Clone, Debug, Default)]
struct Order {
    rules: Vec<usize>,
    /// The same rules by name: most rules cover few tools, and few rules cover a call.
    named: Vec<Named>,
}

/// The rules of one name.
#[derive(Clone, Debug)]
struct Named {
    /// One of them.
    rule: usize,
    /// The kinds of values that their patterns apply to.
    kinds: Vec<Kind>,
    /// Their places in the order, each with the bigrams that a value has to contain.
    places: Vec<(usize, Bigrams)>,
    /// Those whose words can also be found in another order.
    scattered: Vec<usize>,
}

impl Order {
    fn new(rules: Vec<usize>, all: &[Rule]) -> Self {
        let key = |rule: usize| all[rule].name.key();
        let mut by_name: Vec<(usize, usize)> = rules.iter().copied().enumerate().collect();
        sort_by(&mut by_name, |(_, a), (_, b)| key(*a) < key(*b));
        let mut named: Vec<Named> = Vec::new();
        for (place, i) in by_name {
            let rule = &all[i];
            if named.last().is_none_or(|last| key(last.rule) != rule.name.key()) {
                named.push(Named { rule: i, kinds: Vec::new(), places: Vec::new(), scattered: Vec::new() });
            }
            let (kinds, bigrams) = rule.needs();
            let Some(found) = named.last_mut() else { continue };
            found.places.push((place, bigrams));
            found.scattered.extend(rule.can_be_scattered().then_some(i));
            for kind in kinds {
                if !found.kinds.contains(&kind) {
                    found.kinds.push(kind);
                }
            }
        }
        Self { rules, named }
    }

    /// The rules with such names whose words can also be found in another order.
    fn scattered(&self, all: &[Rule], is_meant: impl Fn(&Name) -> bool) -> impl Iterator<Item = usize> {
        let named = self
            .named
            .iter()
            .filter(move |named| !named.scattered.is_empty() && is_meant(&all[named.rule].name));
        named.flat_map(|named| named.scattered.iter().copied())
    }

    /// The rules that may cover a call: by their names, and by the bigrams of its values.
    fn about(
        &self,
        all: &[Rule],
        is_meant: impl Fn(&Name) -> bool,
        bigrams: impl Fn(&[Kind]) -> Bigrams,
    ) -> impl Iterator<Item = usize> {
        let mut places = Vec::new();
        for named in self.named.iter().filter(|named| is_meant(&all[named.rule].name)) {
            let bigrams = bigrams(&named.kinds);
            let left = named.places.iter().filter(|(_, needed)| bigrams.cover(*needed));
            places.extend(left.map(|(place, _)| *place));
        }
        sort(&mut places);
        places.into_iter().filter_map(|place| self.rules.get(place).copied())
    }
}

vocabulary! {
    /// The origin of a judgement.
    Because {
        /// A rule decides.
        Rule = "rule",
        /// No rule matches.
        Default = "default",
        /// The server says that the tool may destroy something.
        Hint = "hint",
        /// A rule that could not be read might have denied the call.
        BrokenRules = "broken-rules",
        /// The input could not be read.
        UnreadableInput = "unreadable-input",
    }
}

/// The judgement of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The effect on the call.
    pub effect: Effect,
    /// Whether it asks even if a grant would answer.
    pub always: bool,
    /// The reason.
    pub because: Because,
    /// The rule that decides, an index of [`Policy::rules`].
    pub rule: Option<usize>,
}

impl Policy {
    /// Brings the rules into the order of evaluation.
    pub(super) fn index(&mut self) {
        let mut strict = Vec::new();
        for (effect, always) in [(Effect::Deny, false), (Effect::Ask, true), (Effect::Ask, false)] {
            for &layer in Layer::ALL.iter().rev() {
                // Only a question can be `always`.
                let is_next = |rule: &Rule| (rule.effect, rule.always, rule.layer) == (effect, always, layer);
                strict.extend((0..self.rules.len()).filter(|&i| is_next(&self.rules[i])));
            }
        }
        let allows = (0..self.rules.len()).filter(|&i| self.rules[i].effect == Effect::Allow).collect();
        self.strict = Order::new(strict, &self.rules);
        self.allows = Order::new(allows, &self.rules);
    }

    /// Judges a call.
    pub fn judge(&self, call: Call, platform: &dyn Platform) -> Judgement {
        let work = Work::default();
        let context = EvaluationContext::new(&self.tools, call, platform, &work);
        let answer = |effect, always, because, rule| Judgement { effect, always, because, rule };
        let mut strict = self.strict.about(
            &self.rules,
            |name| name.matches_any_reading(&context.called),
            |kinds| context.bigrams(kinds),
        );
        let strict = strict.find(|&i| context.input_matches_any_reading(&self.rules[i]));
        if let Some(i) = strict.filter(|&i| self.rules[i].effect == Effect::Deny) {
            return answer(Effect::Deny, false, Because::Rule, Some(i));
        }
        if self.left_out.covers(&context.called) {
            return answer(Effect::Ask, true, Because::BrokenRules, None);
        }
        if call.input.is_none() || work.is_spent() {
            return answer(Effect::Ask, true, Because::UnreadableInput, None);
        }
        if let Some(i) = strict {
            return answer(Effect::Ask, self.rules[i].always, Because::Rule, Some(i));
        }
        match self.allowing(&context) {
            Some(_) if call.hints.destructive => answer(Effect::Ask, false, Because::Hint, None),
            Some(i) => answer(Effect::Allow, false, Because::Rule, Some(i)),
            None => answer(Effect::Ask, false, Because::Default, None),
        }
    }

    /// The rule that allows the call; the first one if it takes several.
    fn allowing(&self, context: &EvaluationContext) -> Option<usize> {
        let main = || context.main().map_or(Bigrams::NONE, Target::allow_bigrams);
        let allows =
            self.allows.about(&self.rules, |name| name.matches_strictly(&context.called), |_| main());
        let rules: Vec<usize> = allows.filter(|&i| !self.is_locked(&self.rules[i])).collect();
        let has_words = OnceCell::new();
        let first = |matches: &dyn Fn(&Rule) -> bool| {
            let allows = |rule: &Rule| {
                matches(rule)
                    && (rule.is_word_for_word() || !*has_words.get_or_init(|| self.has_strict_words(context)))
            };
            rules.iter().copied().find(|&i| allows(&self.rules[i]))
        };
        if let Some(i) = first(&|rule| context.matches_strictly(rule)) {
            return Some(i);
        }
        let parts = context.parts();
        let covering = |part| first(&|rule| context.part_matches_strictly(part, rule));
        if parts < 2 || !(1..parts).all(|part| covering(part).is_some()) {
            return None;
        }
        covering(0)
    }

    /// Whether the call has the words of a denial or a question, wherever they stand.
    fn has_strict_words(&self, context: &EvaluationContext) -> bool {
        let is_meant = |name: &Name| name.matches_any_reading(&context.called);
        self.strict.scattered(&self.rules, is_meant).any(|i| context.has_words_of(&self.rules[i]))
    }

    /// Whether a layer above forbids the allowances of this rule.
    pub(super) fn is_locked(&self, rule: &Rule) -> bool {
        self.lock.is_some_and(|lock| rule.layer < lock)
    }
}

/// Whether a rule alone covers a call.
pub(super) fn applies(rule: &Rule, tools: &Profiles, call: Call, platform: &dyn Platform) -> bool {
    let work = Work::default();
    let context = EvaluationContext::new(tools, call, platform, &work);
    match rule.effect {
        Effect::Allow => rule.name.matches_strictly(&context.called) && context.matches_strictly(rule),
        _ => context.matches_any_reading(rule),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
