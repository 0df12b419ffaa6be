//! Rules as compact texts: `bash:ls *`, `files/read_file`, `copy(from=/tmp/**, to=/srv/**)`.

use super::unicode;
use crate::core::json::Value;

/// The content of a compact text, before it is checked against the tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The server, if one is named.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The condition for the input.
    pub what: Asked,
}

/// A condition for an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// No condition.
    Nothing,
    /// A pattern for the main argument.
    Target(String),
    /// The first words of the main argument.
    Tokens(Vec<String>),
    /// Conditions for arguments, by name or JSON pointer.
    Arguments(Vec<(String, Given)>),
}

/// The condition for an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// Written text that may stand for another value: `deep=true`.
    Written(String),
    /// A pattern for texts, or a value of another type.
    Value(Value),
}

/// The reason why a text is not a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The position in the text, in characters.
    pub at: usize,
    /// The mistake.
    pub message: &'static str,
    /// The way to fix it.
    pub mend: &'static str,
}

/// Reads a compact text.
///
/// A tool whose own name has a slash, a colon or a parenthesis has to be written as an object.
pub fn parse(text: &str) -> Result<Selector, SyntaxError> {
    let end = text.find([':', '(']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let (server, tool) = parse_name(name)?;
    let what = match rest.chars().next() {
        None => Asked::Nothing,
        Some(':') => parse_target(text, end + 1)?,
        Some(_) => parse_arguments(text, end + 1)?,
    };
    Ok(Selector { server, tool, what })
}

fn error(text: &str, byte: usize, message: &'static str, mend: &'static str) -> SyntaxError {
    let at = text.get(..byte).map_or(0, unicode::length);
    SyntaxError { at, message, mend }
}

/// Reads the part before the colon or the parenthesis: `files/read_file`.
pub(super) fn parse_name(name: &str) -> Result<(Option<String>, String), SyntaxError> {
    if let Some(at) = name.find(char::is_whitespace) {
        return Err(error(name, at, "a blank in the name of the tool", "write the name without blanks"));
    }
    let (server, tool, at) = match name.split_once('/') {
        Some((server, tool)) => (Some(server), tool, server.len() + 1),
        None => (None, name, 0),
    };
    if let Some(next) = tool.find('/') {
        return Err(error(
            name,
            at + next,
            "a second slash in the name",
            "if the name contains a slash, write an object { tool, server }",
        ));
    }
    if server == Some("") {
        return Err(error(name, 0, "no server before the slash", "write server/tool, or the tool alone"));
    }
    if tool.is_empty() {
        return Err(error(name, at, "no tool", "write the name of the tool first"));
    }
    Ok((server.map(str::to_owned), tool.to_owned()))
}

fn parse_target(text: &str, from: usize) -> Result<Asked, SyntaxError> {
    let glob = text.get(from..).unwrap_or_default();
    if glob.is_empty() {
        return Err(error(
            text,
            from,
            "no pattern after the colon",
            "leave the colon out to cover every call of the tool",
        ));
    }
    if glob.trim() != glob {
        return Err(error(
            text,
            from,
            "a blank at the start or end of the pattern",
            "write the pattern right after the colon, and nothing after it",
        ));
    }
    Ok(Asked::Target(glob.to_owned()))
}

fn parse_arguments(text: &str, from: usize) -> Result<Asked, SyntaxError> {
    let Some(list) = text.get(from..).and_then(|rest| rest.strip_suffix(')')) else {
        return Err(error(text, text.len(), "the parenthesis is not closed", "end the rule with )"));
    };
    let mut at = from;
    let mut arguments: Vec<(String, Given)> = Vec::new();
    for pair in list.split(',') {
        let Some((name, glob)) = pair.split_once('=') else {
            return Err(error(
                text,
                at,
                "an argument without =",
                "write name=pattern, or use an object if the pattern contains a comma",
            ));
        };
        let (name, glob) = (name.trim(), glob.trim());
        if name.is_empty() {
            return Err(error(text, at, "an argument without a name", "write name=pattern"));
        }
        if arguments.iter().any(|(known, _)| known == name) {
            return Err(error(text, at, "an argument that occurs twice", "write two rules"));
        }
        arguments.push((name.to_owned(), Given::Written(glob.to_owned())));
        at += pair.len() + 1;
    }
    Ok(Asked::Arguments(arguments))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn selector(server: Option<&str>, tool: &str, what: Asked) -> Selector {
        Selector { server: server.map(str::to_owned), tool: tool.to_owned(), what }
    }

    #[test]
    fn what_can_be_written() {
        let target = |glob: &str| Asked::Target(glob.to_owned());
        let arguments = |list: &[(&str, &str)]| {
            let given = |glob: &str| Given::Written(glob.to_owned());
            Asked::Arguments(list.iter().map(|(name, glob)| ((*name).into(), given(glob))).collect())
        };
        for (text, expected) in [
            ("bash", selector(None, "bash", Asked::Nothing)),
            ("*", selector(None, "*", Asked::Nothing)),
            ("files/read_file", selector(Some("files"), "read_file", Asked::Nothing)),
            ("bash:ls *", selector(None, "bash", target("ls *"))),
            ("bash:a:b(c)", selector(None, "bash", target("a:b(c)"))),
            ("web-fetch:https://good.com/*", selector(None, "web-fetch", target("https://good.com/*"))),
            ("docs/fetch:/a", selector(Some("docs"), "fetch", target("/a"))),
            (
                "copy(from=/tmp/**, to = /srv/**)",
                selector(None, "copy", arguments(&[("from", "/tmp/**"), ("to", "/srv/**")])),
            ),
            ("f(a=b=c)", selector(None, "f", arguments(&[("a", "b=c")]))),
            ("f(/a/b=)", selector(None, "f", arguments(&[("/a/b", "")]))),
            ("f(a=x(y))", selector(None, "f", arguments(&[("a", "x(y)")]))),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_and_where() {
        for (text, at, message) in [
            ("", 0, "no tool"),
            (":x", 0, "no tool"),
            ("a/", 2, "no tool"),
            ("/a", 0, "no server before the slash"),
            ("a/b/c", 3, "a second slash in the name"),
            ("é b", 1, "a blank in the name of the tool"),
            ("bash:", 5, "no pattern after the colon"),
            ("bash: ls", 5, "a blank at the start or end of the pattern"),
            ("f(a=b", 5, "the parenthesis is not closed"),
            ("f(a=b) ", 7, "the parenthesis is not closed"),
            ("f()", 2, "an argument without ="),
            ("f(é=b,c)", 6, "an argument without ="),
            ("f(=b)", 2, "an argument without a name"),
            ("f(a=1,a=2)", 6, "an argument that occurs twice"),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!((error.at, error.message), (at, message), "{text}");
            assert!(!error.mend.is_empty());
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_rule_or_an_error_in_it(text in any::<String>()) {
            if let Err(error) = parse(&text) {
                prop_assert!(error.at <= text.chars().count());
            }
        }
    }
}
