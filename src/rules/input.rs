//! The input of a call as a tree: its unnamed values, and all texts in it, at any depth.

use super::platform::Platform;
use super::tools::step;
use crate::core::json::{Number, Object, Value, digits};
use crate::core::sort::distinct;
use std::borrow::Cow;

/// Whether the input has a value that none of these pointers leads to. An object or a list that contains a
/// value does not count; an empty one does.
pub fn has_others(input: &Value, known: &[&str]) -> bool {
    fn walk(value: &Value, at: &mut String, known: &[&str]) -> bool {
        if known.contains(&at.as_str()) {
            return false;
        }
        let length = at.len();
        let mut child = |name: &str, value: &Value| {
            at.truncate(length);
            at.push_str(&step(name));
            let found = walk(value, at, known);
            at.truncate(length);
            found
        };
        match value {
            Value::Object(map) if !map.fields().is_empty() => {
                map.fields().iter().any(|(name, value)| child(name, value))
            }
            Value::Array(list) if !list.is_empty() => {
                list.iter().enumerate().any(|(i, value)| child(&digits(i as u64), value))
            }
            // There is no argument at all.
            Value::Object(_) if length == 0 => false,
            _ => true,
        }
    }
    walk(input, &mut String::new(), known)
}

/// The value that a pointer leads to (RFC 6901).
pub fn at<'a>(input: &'a Value, pointer: &str) -> Option<&'a Value> {
    let mut steps = pointer.split('/');
    // The text before the first slash.
    steps.next().filter(|before| before.is_empty())?;
    steps.try_fold(input, |value, step| {
        let step = if step.contains('~') {
            Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(step)
        };
        match value {
            Value::Object(map) => map.get(&step),
            Value::Array(list) => list.get(index(&step)?),
            _ => None,
        }
    })
}

/// The number of an item in a list.
fn index(step: &str) -> Option<usize> {
    let is_plain = step == "0" || !step.starts_with(['0', '+']);
    step.parse().ok().filter(|_| is_plain)
}

/// Names that a JavaScript program may read from somewhere other than the object itself.
const RESERVED: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// Whether an object in the value has a field whose name has another meaning elsewhere.
pub fn has_reserved(value: &Value) -> bool {
    match value {
        Value::Object(map) => reserved_in(map) || map.values().any(has_reserved),
        Value::Array(list) => list.iter().any(has_reserved),
        _ => false,
    }
}

fn reserved_in(map: &Object) -> bool {
    RESERVED.iter().any(|name| map.get(name).is_some())
}

/// Collects all texts of a value in order, without field names.
pub fn texts<'a>(value: &'a Value, into: &mut Vec<Cow<'a, str>>) {
    match value {
        Value::String(text) => into.push(Cow::Borrowed(text)),
        Value::Array(list) => list.iter().for_each(|value| texts(value, into)),
        Value::Object(map) => map.values().for_each(|value| texts(value, into)),
        _ => {}
    }
}

/// Collects the other scalars as JSON text.
pub fn scalars(value: &Value, platform: &dyn Platform, into: &mut Vec<Cow<str>>) {
    match value {
        Value::String(_) => {}
        Value::Array(list) => list.iter().for_each(|value| scalars(value, platform, into)),
        Value::Object(map) => map.values().for_each(|value| scalars(value, platform, into)),
        scalar => into.push(Cow::Owned(written(scalar, platform))),
    }
}

/// A value as JSON text. Numbers are written by the platform: the tables for that would be 10 KB of the module.
pub fn written(value: &Value, platform: &dyn Platform) -> String {
    fn text(text: &str) -> String {
        let mut quoted = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                _ if c < ' ' => {
                    quoted.push_str(if c < '\u{10}' { "\\u000" } else { "\\u001" });
                    quoted.extend(char::from_digit(u32::from(c) & 15, 16));
                }
                _ => quoted.push(c),
            }
        }
        quoted + "\""
    }
    let joined = |all: Vec<String>| all.join(",");
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => if *flag { "true" } else { "false" }.to_owned(),
        Value::Number(Number::Natural(number)) => digits(*number),
        Value::Number(Number::Negative(number)) => ["-", &*digits(number.unsigned_abs())].concat(),
        Value::Number(Number::Other(number)) => platform.written(*number),
        Value::String(string) => text(string),
        Value::Array(list) => {
            ["[", &*joined(list.iter().map(|value| written(value, platform)).collect()), "]"].concat()
        }
        Value::Object(map) => {
            let pair =
                |(name, value): &(String, Value)| [&*text(name), ":", &*written(value, platform)].concat();
            ["{", &*joined(map.fields().iter().map(pair).collect()), "}"].concat()
        }
    }
}

/// Whether a value contains one that passes the test.
pub fn holds(value: &Value, is: &impl Fn(&Value) -> bool) -> bool {
    is(value)
        || match value {
            Value::Array(list) => list.iter().any(|value| holds(value, is)),
            Value::Object(map) => map.values().any(|value| holds(value, is)),
            _ => false,
        }
}

/// Collects each list of texts in a value as one text, because a command may come as words. Also joins each word
/// that could be a program with the texts beside it, because its arguments may be in a separate field: `main` with
/// all texts, others with each list. Returns whether all were collected; more than `most` would take too long.
pub fn joined<'a>(value: &'a Value, main: Option<&str>, most: usize, into: &mut Vec<Cow<'a, str>>) -> bool {
    let is_word = |text: &&str| !text.trim().is_empty() && !text.trim().contains(char::is_whitespace);
    let mut texts_in = Vec::new();
    texts(value, &mut texts_in);
    let mut lists_in = Vec::new();
    lists(value, &mut lists_in);
    let mut beside: Vec<&str> = texts_in.iter().chain(&lists_in).map(|text| &**text).collect();
    let mut lists_of: Vec<&str> = lists_in.iter().map(|text| &**text).collect();
    let mut programs: Vec<&str> = texts_in.iter().map(|text| &**text).filter(is_word).collect();
    for texts in [&mut beside, &mut lists_of, &mut programs] {
        distinct(texts);
    }

    let with_main = main.filter(|main| is_word(main)).into_iter();
    let with_main = with_main.flat_map(|main| {
        // A word is not its own argument.
        let others = beside.iter().filter(move |text| **text != main);
        others.map(move |text| (main, *text))
    });
    let with_lists = programs.iter().flat_map(|program| lists_of.iter().map(|list| (*program, *list)));
    let mut left = MAX_JOINED;
    for (count, (program, arguments)) in with_main.chain(with_lists).enumerate() {
        let Some(less) = left.checked_sub(program.len() + arguments.len()).filter(|_| count < most) else {
            return false;
        };
        left = less;
        into.push(Cow::Owned([program, " ", arguments].concat()));
    }
    into.extend(lists_in);
    true
}

/// The largest number of bytes of commands made from an input.
const MAX_JOINED: usize = 1 << 20;

/// Collects each list of a value with all of its texts.
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
    use super::super::tools::pointer;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    macro_rules! json {
        ($($written:tt)+) => { Value::from(serde_json::json!($($written)+)) };
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

    proptest! {
        #[test]
        fn a_pointer_leads_where_the_library_says(pointer in "(/?(a|b|~0|~1|~01|0|1|00|[+]1|-)){0,4}/?") {
            let inner = serde_json::json!({ "a": ["x", { "b": 1 }], "~": 2, "/": [3], "": { "": 4 }, "00": 5, "~1": 6 });
            let other = serde_json::json!({ "a": inner, "b": [inner, [inner]], "": inner, "0": [1, inner] });
            let (expected, input) = (other.pointer(&pointer).cloned().map(Value::from), Value::from(other));
            prop_assert_eq!(at(&input, &pointer), expected.as_ref());
        }
    }

    #[test]
    fn reserved_names_at_any_depth() {
        assert!(has_reserved(&json!([{ "a": { "__proto__": 1 } }])));
        assert!(!has_reserved(&json!({ "a": "__proto__" })));
    }

    #[test]
    fn commands_in_pieces() {
        let of = |input: &Value, main: Option<&str>, most| {
            let mut all = Vec::new();
            let complete = joined(input, main, most, &mut all);
            (all.iter().map(ToString::to_string).collect::<BTreeSet<_>>(), complete)
        };
        let input = json!({ "command": "git", "args": ["push", ["-f"]], "note": "two words" });
        let (all, complete) = of(&input, Some("git"), 100);
        assert!(complete);
        for command in ["git push -f", "push -f", "git -f", "git two words", "push push -f"] {
            assert!(all.contains(command), "{command} in {all:?}");
        }
        assert!(!all.contains("git git"), "a word is no argument of itself");
        assert!(!of(&input, Some("git"), 3).1, "more than anybody could wait for");
        let long = json!({ "a": "x", "z": ["y".repeat(MAX_JOINED)] });
        assert!(!of(&long, None, 100).1);
        assert_eq!(of(&json!("git"), Some("git"), 100), (BTreeSet::new(), true));
    }
}
