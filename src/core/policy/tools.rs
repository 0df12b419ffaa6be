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

/// All texts in a value, in the order of the value, and what else it has as JSON says it; names of fields are
/// none.
pub fn texts<'a>(value: &'a Value, into: &mut Vec<Cow<'a, str>>) {
    match value {
        Value::String(text) => into.push(Cow::Borrowed(text)),
        Value::Array(list) => list.iter().for_each(|value| texts(value, into)),
        Value::Object(map) => map.values().for_each(|value| texts(value, into)),
        scalar => into.push(Cow::Owned(scalar.to_string())),
    }
}

/// So many commands are made of the fields of one object.
const MAX_JOINED: usize = 16;

/// Each list of texts in a value as one text, also behind each text beside it: a command may come as its
/// words, and as a program and its arguments.
pub fn joined(value: &Value, into: &mut Vec<Cow<str>>) {
    let words_of = |list: &[Value]| list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
    match value {
        Value::Array(list) => {
            if list.len() > 1 {
                into.push(Cow::Owned(words_of(list)));
            }
            list.iter().for_each(|value| joined(value, into));
        }
        Value::Object(map) => {
            let lists = map.values().filter_map(Value::as_array).map(|list| words_of(list));
            let pairs = lists.flat_map(|words| {
                let programs = map.values().filter_map(Value::as_str);
                programs.map(move |program| Cow::Owned(format!("{program} {words}")))
            });
            into.extend(pairs.take(MAX_JOINED));
            map.values().for_each(|value| joined(value, into));
        }
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
