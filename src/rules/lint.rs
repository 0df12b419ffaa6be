//! Hints for the author of rules: rules that can never decide, and rules that cover more than they seem to.

use super::glob::Glob;
use super::judge::Policy;
use super::rule::{Rule, What};
use super::tools::{self, Kind};
use crate::core::decision::Effect;
use serde::Serialize;

vocabulary! {
    /// Possible mistakes in a rule that can be read.
    Hint {
        /// Another rule already covers everything that this one covers.
        Unreachable = "unreachable",
        /// A stricter rule cancels the allowance.
        Shadowed = "shadowed",
        /// A layer above has locked the allowance.
        Locked = "locked",
        /// `ls*` covers `lsof`.
        WordBoundary = "word-boundary",
        /// An allowance that begins with a star.
        LeadingStar = "leading-star",
        /// An allowance for every host.
        AnyHost = "any-host",
        /// An allowance by text for what looks like a shell.
        TextForShell = "text-for-shell",
    }
}

/// A hint about a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lint {
    /// The kind of hint.
    #[serde(rename = "code")]
    pub hint: Hint,
    /// The rule, a place in [`Policy::rules`].
    pub rule: usize,
    /// The rule that is the reason.
    pub other: Option<usize>,
}

/// All hints for a policy.
pub(super) fn lints(policy: &Policy) -> Vec<Lint> {
    let mut lints = Vec::new();
    for (i, rule) in policy.rules.iter().enumerate() {
        let mut add = |hint, other| lints.push(Lint { hint, rule: i, other });
        if let Some(other) = covering(policy, i) {
            let is_stricter = rule.effect == Effect::Allow && policy.rules[other].effect != Effect::Allow;
            add(if is_stricter { Hint::Shadowed } else { Hint::Unreachable }, Some(other));
        }
        if rule.effect != Effect::Allow {
            continue;
        }
        if policy.is_locked(rule) {
            add(Hint::Locked, None);
        }
        let name = rule.name.tool.text();
        let profile = policy.tools.get(name);
        let kind = profile.and_then(|profile| profile.kind).unwrap_or(Kind::Text);
        let Some(glob) = rule.glob() else {
            if matches!(rule.what, What::Arguments(_)) && tools::sounds_like_a_shell(name) {
                add(Hint::TextForShell, None);
            }
            continue;
        };
        if glob.head().is_empty() {
            add(Hint::LeadingStar, None);
        }
        if kind == Kind::Url && glob.text() == super::url::ANY_HOST {
            add(Hint::AnyHost, None);
        }
        let cut = glob.text().strip_suffix('*').and_then(|text| text.chars().next_back());
        let is_one_word = !glob.text().contains(' ');
        if kind == Kind::Shell
            && is_one_word
            && cut.is_some_and(|c| !matches!(c, ' ' | '*' | '/' | '=' | ':'))
        {
            add(Hint::WordBoundary, None);
        }
        if kind == Kind::Text && tools::sounds_like_a_shell(name) {
            add(Hint::TextForShell, None);
        }
    }
    lints
}

/// A rule that is at least as strict and covers everything that this rule covers.
fn covering(policy: &Policy, i: usize) -> Option<usize> {
    let rule = &policy.rules[i];
    let strength = |rule: &Rule| (rule.effect, rule.always);
    policy.rules.iter().enumerate().position(|(j, other)| {
        let first = strength(other) > strength(rule) || strength(other) == strength(rule) && j < i;
        first && j != i && !(other.effect == Effect::Allow && policy.is_locked(other)) && covers(other, rule)
    })
}

/// Whether `other` covers everything that `rule` covers, as far as the two patterns show.
fn covers(other: &Rule, rule: &Rule) -> bool {
    let strict = other.effect != Effect::Allow;
    let servers = match (&other.name.server, &rule.name.server) {
        (None, None) => true,
        (None, Some(_)) => strict,
        (Some(wide), Some(narrow)) => wide.covers(narrow),
        (Some(_), None) => false,
    };
    servers
        && other.name.tool.covers(&rule.name.tool)
        && match (&other.what, &rule.what) {
            (What::Nothing, _) => true,
            (What::Target(_), What::Target(_)) => match (other.glob(), rule.glob()) {
                (Some(wide), Some(narrow)) => wide.covers(narrow),
                _ => other.text == rule.text,
            },
            (What::Arguments(_), What::Arguments(_)) => other.text == rule.text,
            _ => false,
        }
}

impl Rule {
    /// The pattern for the main argument, unless it is tokens.
    fn glob(&self) -> Option<&Glob> {
        match &self.what {
            What::Target(prepared) => prepared.glob.as_ref(),
            _ => None,
        }
    }
}
