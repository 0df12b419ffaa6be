//! The reasons for a judgement, and the rules that nearly decided.

use super::context::{Call, EvaluationContext};
use super::input;
use super::judge::{Because, Judgement, Policy};
use super::platform::Platform;
use super::rule::{Rule, What};
use super::target::Target;
use super::work::Work;
use crate::core::decision::Effect;

vocabulary! {
    /// The reason why a rule about the same or a similar tool does not decide.
    Miss {
        /// It matches, but another rule is stricter or came first.
        Overruled = "overruled",
        /// It matches, but the server says that the tool may destroy something.
        Hint = "hint",
        /// It matches, but another rule could not be read.
        BrokenRules = "broken-rules",
        /// It names another tool; names are compared letter by letter.
        Name = "name",
        /// It is about another server, or names none.
        Server = "server",
        /// It denies or asks, and the command has its options or paths in another order.
        Scattered = "scattered",
        /// Its pattern does not match.
        Pattern = "pattern",
        /// It covers only part of the command.
        Part = "part",
        /// The main argument is not plain enough to be allowed.
        NotSimple = "not-simple",
        /// The command runs something else, and the rule does not name it word for word.
        RunsOthers = "runs-others",
        /// There is no main argument of the tool's kind.
        NoTarget = "no-target",
        /// There are arguments that the rule does not mention.
        OtherArguments = "other-arguments",
        /// The input cannot be read, or has field names that have another meaning elsewhere.
        Unsound = "unsound-input",
        /// A layer above the rule has locked its allowances.
        Locked = "locked",
    }
}

/// A judgement, with the rules that nearly decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The judgement.
    pub judgement: Judgement,
    /// The other rules about the tool, in their order.
    pub near: Vec<(usize, Miss)>,
}

impl Policy {
    /// Explains the judgement of a call.
    pub fn explain(&self, call: Call, platform: &dyn Platform) -> Explanation {
        let judgement = self.judge(call, platform);
        let work = Work::default();
        let context = EvaluationContext::new(&self.tools, call, platform, &work);
        let others = self.rules.iter().enumerate().filter(|(i, _)| judgement.rule != Some(*i));
        let near =
            others.filter_map(|(i, rule)| Some((i, self.miss(&context, rule, judgement.because)?))).collect();
        Explanation { judgement, near }
    }

    /// The reason why a rule does not decide; `None` if it is about another tool.
    fn miss(&self, context: &EvaluationContext, rule: &Rule, because: Because) -> Option<Miss> {
        if !rule.name.is_near(&context.called) {
            return None;
        }
        if rule.effect != Effect::Allow {
            return Some(
                match (rule.name.matches_any_reading(&context.called), context.matches_any_reading(rule)) {
                    (false, _) => Miss::Server,
                    (true, true) => Miss::Overruled,
                    (true, false) if context.has_words_of(rule) => Miss::Scattered,
                    (true, false) => Miss::Pattern,
                },
            );
        }
        Some(if !rule.name.tool_matches_strictly(&context.called) {
            Miss::Name
        } else if !rule.name.matches_strictly(&context.called) {
            Miss::Server
        } else if self.is_locked(rule) {
            Miss::Locked
        } else if !context.is_sound() {
            Miss::Unsound
        } else if context.matches_strictly(rule) {
            match because {
                Because::Hint => Miss::Hint,
                Because::BrokenRules => Miss::BrokenRules,
                _ => Miss::Overruled,
            }
        } else {
            self.miss_of_input(context, rule)
        })
    }

    fn miss_of_input(&self, context: &EvaluationContext, rule: &Rule) -> Miss {
        match &rule.what {
            What::Target(prepared) => match context.main() {
                None => Miss::NoTarget,
                Some(main) if main.parts() == 0 || !main.is_simple() => Miss::NotSimple,
                Some(main) => {
                    let matches = |part: &usize| Target::matches_strictly(main, *part, prepared);
                    match (0..main.parts()).filter(matches).count() {
                        0 if main.runs_others(prepared) => Miss::RunsOthers,
                        0 => Miss::Pattern,
                        all if all == main.parts() => Miss::OtherArguments,
                        _ => Miss::Part,
                    }
                }
            },
            What::Arguments(arguments) => {
                let ignored = context.profile.map_or(&[][..], |profile| &profile.ignore);
                let known = arguments.iter().map(|argument| &argument.pointer).chain(ignored);
                let known: Vec<&str> = known.map(String::as_str).collect();
                match context.call.input {
                    Some(input) if !input::has_others(input, &known) => Miss::Pattern,
                    _ => Miss::OtherArguments,
                }
            }
            What::Nothing => Miss::Pattern,
        }
    }
}
