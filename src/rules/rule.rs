//! One rule, prepared for evaluation.

use super::bigrams::Bigrams;
use super::glob::Glob;
use super::layer::Layer;
use super::platform::Platform;
use super::target::Prepared;
use super::tools::Kind;
use super::unicode;
use crate::core::decision::Effect;
use crate::core::json::Value;
use crate::core::sort::distinct;
use serde::Serialize;

/// A rule.
#[derive(Clone, Debug, Serialize)]
pub struct Rule {
    /// The id of the rule.
    pub id: String,
    /// The effect of the rule.
    pub effect: Effect,
    /// Whether it asks even if a grant would answer.
    pub always: bool,
    /// The layer of the rule.
    pub layer: Layer,
    /// The reason for the rule, in the words of its author.
    pub why: String,
    /// The pattern as it was written.
    pub text: String,
    #[serde(skip)]
    pub(super) name: Name,
    #[serde(skip)]
    pub(super) what: What,
}

impl Rule {
    /// The bigrams that an input must have for the rule to cover it: in some reading of these kinds, or for
    /// an allowance in the value itself.
    pub(super) fn needs(&self) -> (Vec<Kind>, Bigrams) {
        match &self.what {
            What::Target(prepared) if self.effect != Effect::Allow && !prepared.is_any => {
                (prepared.kinds().collect(), prepared.bigrams())
            }
            What::Arguments(arguments) if self.effect != Effect::Allow => {
                let all = arguments.iter().filter_map(|argument| match &argument.wanted {
                    Wanted::Like(prepared) if !prepared.is_any => Some(prepared),
                    _ => None,
                });
                let mut kinds: Vec<Kind> = all.clone().flat_map(|prepared| prepared.kinds()).collect();
                distinct(&mut kinds);
                (kinds, Bigrams::any(all.map(|prepared| prepared.bigrams())))
            }
            What::Target(prepared) if self.effect == Effect::Allow => (Vec::new(), prepared.allow_bigrams()),
            _ => (Vec::new(), Bigrams::NONE),
        }
    }

    /// Whether it names options or paths of a command, which mean the same in another order.
    pub(super) fn can_be_scattered(&self) -> bool {
        match &self.what {
            What::Nothing => false,
            What::Target(prepared) => prepared.can_be_scattered(),
            What::Arguments(arguments) => arguments.iter().any(
                |argument| matches!(&argument.wanted, Wanted::Like(prepared) if prepared.can_be_scattered()),
            ),
        }
    }

    /// Whether its author wrote out all values that it covers, without a wildcard.
    pub(super) fn is_word_for_word(&self) -> bool {
        let is_literal = |prepared: &Prepared| prepared.glob.as_ref().is_some_and(Glob::is_literal);
        match &self.what {
            What::Nothing => false,
            What::Target(prepared) => is_literal(prepared),
            What::Arguments(arguments) => arguments.iter().all(|argument| match &argument.wanted {
                Wanted::Like(prepared) => is_literal(prepared),
                Wanted::Exactly(..) => true,
            }),
        }
    }

    /// Whether it covers every input of its tools.
    pub(super) fn is_every_input(&self) -> bool {
        match &self.what {
            What::Nothing => true,
            What::Target(prepared) => prepared.is_any,
            What::Arguments(_) => false,
        }
    }
}

/// The condition of a rule for an input.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// No condition.
    Nothing,
    /// A pattern for the main argument.
    Target(Box<Prepared>),
    /// A pattern for each of these arguments.
    Arguments(Vec<Argument>),
}

/// The condition of a rule for an argument.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// The JSON pointer of the argument.
    pub pointer: String,
    pub wanted: Wanted,
}

/// The condition for an argument.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// A value like this.
    Like(Box<Prepared>),
    /// Exactly this value; for a denial also a text with the same meaning.
    Exactly(Value, Option<Box<Prepared>>),
}

/// The tools that a rule covers.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub server: Option<Glob>,
    pub tool: Glob,
    server_forms: Vec<Glob>,
    tool_forms: Vec<Glob>,
    bigrams: Bigrams,
}

/// The names of a called tool, in all readings.
pub(super) struct Called<'a> {
    pub tool: &'a str,
    pub server: Option<&'a str>,
    tools: Vec<String>,
    servers: Vec<String>,
    bigrams: Bigrams,
}

impl<'a> Called<'a> {
    pub fn new(tool: &'a str, server: Option<&'a str>, platform: &dyn Platform) -> Self {
        let readings = |name: &str| unicode::readings(name, platform);
        let tools = readings(tool);
        let bigrams = Bigrams::any(tools.iter().map(|name| Bigrams::of(name)));
        Self { tool, server, tools, servers: server.map(readings).unwrap_or_default(), bigrams }
    }
}

impl Name {
    pub fn new(server: Option<&str>, tool: &str, platform: &dyn Platform) -> Self {
        let (server, tool) = (server.map(Glob::new), Glob::new(tool));
        let server_forms = server.iter().flat_map(|glob| unicode::forms(glob, platform)).collect();
        let tool_forms = unicode::forms(&tool, platform);
        let bigrams = Bigrams::each(tool_forms.iter().map(Glob::bigrams));
        Self { server_forms, tool_forms, server, tool, bigrams }
    }

    /// For an allowance: whether server and tool match letter for letter. A rule without a server covers only tools
    /// without one, because a name does not prove whose tool it is (CVE-2025-54136).
    pub fn matches_strictly(&self, called: &Called) -> bool {
        // The server first: many rules have `*` for the tool, which matches each.
        let is_of_server = match (&self.server, called.server) {
            (None, None) => true,
            (Some(glob), Some(server)) => is_plain(server) && glob.matches(server),
            _ => false,
        };
        is_of_server && self.tool_matches_strictly(called)
    }

    /// Whether the name of the tool matches, letter for letter.
    pub fn tool_matches_strictly(&self, called: &Called) -> bool {
        called.bigrams.cover(self.bigrams) && is_plain(called.tool) && self.tool.matches(called.tool)
    }

    /// Whether any reading of the tool's name matches, on any server.
    pub fn is_near(&self, called: &Called) -> bool {
        called.bigrams.cover(self.bigrams) && any(&self.tool_forms, &called.tools)
    }

    /// For a denial or a question: whether any reading matches. A rule without a server covers all servers.
    pub fn matches_any_reading(&self, called: &Called) -> bool {
        (self.server.is_none() || any(&self.server_forms, &called.servers)) && self.is_near(called)
    }

    /// The parts that identify the name.
    pub fn key(&self) -> (Option<&str>, &str) {
        (self.server.as_ref().map(Glob::text), self.tool.text())
    }

    /// Whether it names no particular tool.
    pub fn is_every(&self) -> bool {
        let names_nothing = |glob: &Glob| glob.text().bytes().all(|byte| matches!(byte, b'*' | b'?'));
        names_nothing(&self.tool) && self.server.as_ref().is_none_or(names_nothing)
    }

    /// Whether it covers one tool alone.
    pub fn is_one(&self) -> bool {
        self.tool.is_literal() && self.server.as_ref().is_none_or(Glob::is_literal)
    }
}

fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_graphic())
}

fn any(forms: &[Glob], names: &[String]) -> bool {
    names.iter().any(|name| forms.iter().any(|form| form.matches(name)))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::platform::Native;
    use super::*;

    #[test]
    fn whom_a_name_is_about() {
        let called = |tool, server| Called::new(tool, server, &Native);
        let bash = Name::new(None, "bash", &Native);
        assert!(bash.matches_strictly(&called("bash", None)));
        for (tool, server) in [("Bash", None), ("bash", Some("x")), ("bаsh", None), ("bash ", None)] {
            assert!(!bash.matches_strictly(&called(tool, server)), "{tool}");
        }
        for (tool, server) in [("bash", None), ("BASH", None), ("bash", Some("x")), ("ｂash", None)] {
            assert!(bash.matches_any_reading(&called(tool, server)), "{tool}");
        }
        assert!(!bash.matches_any_reading(&called("dash", None)));

        let files = Name::new(Some("files"), "read_*", &Native);
        assert!(files.matches_strictly(&called("read_file", Some("files"))));
        assert!(!files.matches_strictly(&called("read_file", None)));
        assert!(!files.matches_strictly(&called("read_file", Some("Files"))));
        assert!(files.matches_any_reading(&called("Read_file", Some("Files"))));
        assert!(!files.matches_any_reading(&called("read_file", None)), "no tool of that server");
    }
}
