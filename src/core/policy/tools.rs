//! What is known of tools: where their main argument is, what kind of value it is, and what names and
//! hints say of them.

use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

vocabulary! {
    /// Kinds of main arguments, each with a grammar of its own.
    Kind {
        /// No grammar.
        Text = "text",
        /// A command line.
        Shell = "shell",
        /// An absolute URL.
        Url = "url",
        /// A path in a file system.
        Path = "path",
        /// Any JSON value.
        Json = "json",
    }
}

/// The profile of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The server that it belongs to.
    pub server: Option<String>,
    /// The JSON pointer of its main argument.
    pub target: Option<String>,
    /// The kind of its main argument.
    pub kind: Kind,
    /// The kinds of other arguments, by JSON pointer.
    pub args: BTreeMap<String, Kind>,
    /// The JSON pointers of arguments that do not matter.
    pub ignore: Vec<String>,
}

impl Profile {
    /// The kind of an argument, where it was said.
    pub fn kind_of(&self, pointer: &str) -> Option<Kind> {
        let is_main = self.target.as_deref() == Some(pointer);
        self.args.get(pointer).copied().or(is_main.then_some(self.kind))
    }
}

/// What a server says of its tools, as the annotations of the Model Context Protocol name it
/// (specification 2025-06-18, `ToolAnnotations`). They are claims of a stranger: they never allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `destructiveHint: true`.
    pub destructive: bool,
    /// `readOnlyHint: false` or `openWorldHint: true`.
    pub reaches_out: bool,
}

/// Words in the names of tools that do harm.
const DANGEROUS: [&str; 6] = ["execute", "command", "delete", "remove", "write", "shell"];

/// Does the name of a tool say that it may do harm?
pub fn sounds_dangerous(tool: &str) -> bool {
    let name = tool.to_ascii_lowercase();
    DANGEROUS.iter().any(|word| name.contains(word))
}

/// Does the name of a tool say that it runs commands?
pub fn sounds_like_a_shell(tool: &str) -> bool {
    const WORDS: [&str; 8] = ["bash", "shell", "command", "exec", "terminal", "powershell", "zsh", "cmd"];
    let name = tool.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word == "sh" || WORDS.iter().any(|known| word.contains(known)))
}

/// The JSON pointer of an argument: a pointer as it is, a name as that of a field (RFC 6901).
pub fn pointer(name: &str) -> String {
    if name.is_empty() || name.starts_with('/') {
        return name.to_owned();
    }
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Is there a value in the input that none of these pointers leads to? An object or a list around a
/// value is nothing by itself, an empty one is a value.
pub fn has_others(input: &Value, known: &[&str]) -> bool {
    fn walk(value: &Value, at: &mut String, known: &[&str]) -> bool {
        if known.contains(&at.as_str()) {
            return false;
        }
        let length = at.len();
        let mut child = |name: &str, value: &Value| {
            at.truncate(length);
            at.push_str(&pointer_step(name));
            let found = walk(value, at, known);
            at.truncate(length);
            found
        };
        match value {
            Value::Object(map) if !map.is_empty() => map.iter().any(|(name, value)| child(name, value)),
            Value::Array(list) if !list.is_empty() => {
                list.iter().enumerate().any(|(i, value)| child(&i.to_string(), value))
            }
            // No argument at all.
            Value::Object(_) if length == 0 => false,
            _ => true,
        }
    }
    walk(input, &mut String::new(), known)
}

fn pointer_step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Names that a program in JavaScript may read from another place than where they were written.
const RESERVED: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// Has any object in the value a field with a name that means something else elsewhere?
pub fn has_reserved(value: &Value) -> bool {
    match value {
        Value::Object(map) => reserved_in(map) || map.values().any(has_reserved),
        Value::Array(list) => list.iter().any(has_reserved),
        _ => false,
    }
}

fn reserved_in(map: &Map<String, Value>) -> bool {
    RESERVED.iter().any(|name| map.contains_key(*name))
}

/// All texts in a value, in the order of the value; names of fields are none.
pub fn texts<'a>(value: &'a Value, into: &mut Vec<Cow<'a, str>>) {
    match value {
        Value::String(text) => into.push(Cow::Borrowed(text)),
        Value::Array(list) => list.iter().for_each(|value| texts(value, into)),
        Value::Object(map) => map.values().for_each(|value| texts(value, into)),
        _ => {}
    }
}

/// What else it has, as JSON says it.
pub fn scalars(value: &Value, into: &mut Vec<Cow<str>>) {
    match value {
        Value::String(_) => {}
        Value::Array(list) => list.iter().for_each(|value| scalars(value, into)),
        Value::Object(map) => map.values().for_each(|value| scalars(value, into)),
        scalar => into.push(Cow::Owned(scalar.to_string())),
    }
}

/// Does a value hold one like this?
pub fn holds(value: &Value, is: &impl Fn(&Value) -> bool) -> bool {
    is(value)
        || match value {
            Value::Array(list) => list.iter().any(|value| holds(value, is)),
            Value::Object(map) => map.values().any(|value| holds(value, is)),
            _ => false,
        }
}

/// So much of a list stands behind a word that is not the main argument, in characters.
const BEHIND: usize = 1024;
/// So many commands are made of an input.
const MAX_JOINED: usize = 1000;

/// Each list of texts in a value as one text: a command may come as its words. And each text that could be a
/// program with what stands beside it, because its arguments may come in a field of their own: `main` with
/// all there is, others with the lists beside them.
pub fn joined<'a>(value: &'a Value, main: Option<&str>, into: &mut Vec<Cow<'a, str>>) {
    let from = into.len();
    lists(value, into);
    let behind: Vec<String> = into.iter().skip(from).map(|words| words.to_string()).collect();
    let mut texts_beside = Vec::new();
    texts(value, &mut texts_beside);
    let is_word = |text: &str| !text.trim().is_empty() && !text.trim().contains(char::is_whitespace);
    if let Some(main) = main.filter(|main| is_word(main)) {
        let beside = texts_beside.iter().map(|text| &**text).chain(behind.iter().map(String::as_str));
        let beside = beside.filter(|text| *text != main);
        into.extend(beside.take(MAX_JOINED).map(|text| Cow::Owned(format!("{main} {text}"))));
    }
    let programs = texts_beside.iter().filter(|text| is_word(text) && text.len() <= BEHIND);
    let pairs = programs.flat_map(|program| {
        let start = |words: &str| words.chars().take(BEHIND).collect::<String>();
        behind.iter().map(move |words| Cow::Owned(format!("{program} {}", start(words))))
    });
    into.extend(pairs.take(MAX_JOINED));
}

/// Each list of a value with all texts in it.
fn lists(value: &Value, into: &mut Vec<Cow<str>>) {
    match value {
        Value::Array(list) => {
            let mut words = Vec::new();
            texts(value, &mut words);
            into.push(Cow::Owned(words.join(" ")));
            list.iter().for_each(|value| lists(value, into));
        }
        Value::Object(map) => map.values().for_each(|value| lists(value, into)),
        _ => {}
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_that_sound_like_something() {
        for name in ["delete_file", "runCommand", "WRITE", "shell", "removeAll", "execute2", "rewrite_text"] {
            assert!(sounds_dangerous(name), "{name}");
        }
        assert!(!sounds_dangerous("read_file"));
        for name in ["bash", "run_command", "sh", "mcp__sh", "powershell", "terminal", "exec"] {
            assert!(sounds_like_a_shell(name), "{name}");
        }
        assert!(!sounds_like_a_shell("push"));
        assert!(!sounds_like_a_shell("search"));
    }

    #[test]
    fn arguments_that_nobody_named() {
        let input = json!({ "url": "x", "options": { "method": "GET", "tags": [] } });
        assert!(has_others(&input, &["/url"]));
        assert!(has_others(&input, &["/url", "/options/method"]), "an empty list is a value");
        assert!(!has_others(&input, &["/url", "/options/method", "/options/tags"]));
        assert!(!has_others(&input, &["/url", "/options"]));
        assert!(!has_others(&json!({}), &[]));
        assert!(has_others(&json!([]), &["/url"]));
        assert!(has_others(&json!("x"), &[]));
        assert!(!has_others(&json!("x"), &[""]));
        assert!(has_others(&json!({ "a/b": 1 }), &["/a/b"]));
        assert!(!has_others(&json!({ "a/b": 1 }), &[pointer("a~1b").as_str(), "/a~1b"]));
        assert_eq!(pointer("a/b"), "/a~1b");
    }

    #[test]
    fn reserved_names_at_any_depth() {
        assert!(has_reserved(&json!([{ "a": { "__proto__": 1 } }])));
        assert!(!has_reserved(&json!({ "a": "__proto__" })));
    }
}
