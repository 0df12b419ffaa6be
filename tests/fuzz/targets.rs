//! What holds for every input, one function for each room. The fuzzer calls them with what it makes up, and
//! `tests/native/corpus.rs` with what was kept of it.
//!
//! An input is text that a person can read and write: a pattern, an end of line, and a value.

use serde_json::{Map, Value, json};
use tool_approval_guard::core::decision::Effect;
use tool_approval_guard::redact::{self as redaction, Redacted, View, redact_text};
use tool_approval_guard::rules::context::Call;
use tool_approval_guard::rules::glob::Glob;
use tool_approval_guard::rules::judge::{Judgement, Policy};
use tool_approval_guard::rules::load::{Loaded, load, tighten};
use tool_approval_guard::rules::platform::{Native, Platform};
use tool_approval_guard::rules::syntax;
use tool_approval_guard::rules::tools::Hints;

/// Patterns: matched as they are defined.
pub fn glob(data: &[u8]) {
    let (pattern, value) = halves(data);
    // The definition takes the product of both lengths.
    let [pattern, value] = [pattern, value].map(|text| text.chars().take(200).collect::<String>());
    let glob = Glob::new(&pattern);
    assert_eq!(glob.matches(&value), defined(&pattern, &value));
    assert_eq!(glob.map(str::to_owned), glob);
    assert!(glob.covers(&glob));
    assert!(glob.head().contains('?') || value.starts_with(glob.head()) || !glob.matches(&value));
    assert!(!glob.is_literal() || glob.matches(&value) == (pattern == value));
    assert!(!glob.is_any() || glob.matches(&value));
    // What a text stands for belongs to each pattern that covers it.
    assert!(!glob.covers(&Glob::new(&value)) || value.contains(['*', '?']) || glob.matches(&value));
}

/// Command lines.
pub fn shell(data: &[u8]) {
    let room = Room::new("shell", data);
    room.agrees();
    if room.allowed() {
        let value = &room.value;
        assert!(value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)));
        assert!(!value.contains(|c| "$`\\<>(){}*?[]~!#%^\n\r".contains(c)), "it has more than one meaning");
    }
    // What has no letter runs nothing.
    if !room.denied() || !room.value.contains(char::is_alphanumeric) {
        return;
    }
    let (value, [before, letter, after]) = (&room.value, room.cut());
    room.stays_denied(&[format!("  \t{value}"), format!("ls && {value}"), format!("ls; {value}")]);
    let changed = [
        value.to_uppercase(),
        wide(value),
        format!("{value}; ls"),
        format!("{value} | ls"),
        format!("ls $({value})"),
        format!("({value})"),
        format!("sudo {value}"),
        format!("env A=1 {value}"),
        format!("timeout 5 {value}"),
        format!("bash -c '{value}'"),
        format!("{before}''{letter}{after}"),
        format!("{before}\"{letter}\"{after}"),
        format!("{before}\\{letter}{after}"),
        format!("{before}\\\n{letter}{after}"),
        format!("{before}\u{200b}{letter}{after}"),
    ];
    room.stays_closed("*", &changed);
}

/// URLs.
pub fn url(data: &[u8]) {
    let room = Room::new("url", data);
    room.agrees();
    let parsed = Native.url(&room.value);
    if room.allowed() {
        let parsed = parsed.as_ref().expect("what is allowed is a URL");
        assert_eq!(parsed.userinfo, "");
        let (scheme, rest) = room.pattern.split_once("://").expect("it names a scheme");
        assert_eq!(parsed.scheme, scheme.to_ascii_lowercase());
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
        let found = if parsed.port.is_empty() {
            parsed.host.clone()
        } else {
            format!("{}:{}", parsed.host, parsed.port)
        };
        match authority.strip_prefix('*') {
            Some(domain) => assert!(found.ends_with(domain), "{found} is not below {domain}"),
            None => {
                let usual = [":443", ":80", ":21"].iter().find_map(|port| authority.strip_suffix(port));
                assert!(found == authority || Some(&*found) == usual, "{found} is not {authority}");
            }
        }
    }
    let Some(parsed) = parsed.filter(|_| room.denied()) else { return };
    let (value, [before, letter, after]) = (&room.value, room.cut());
    let path_at = value.find("://").and_then(|at| value[at + 3..].find('/').map(|slash| at + 3 + slash));
    let (origin, path) = value.split_at(path_at.unwrap_or(value.len()));
    room.stays_denied(&[
        format!("{}{path}", origin.to_ascii_uppercase()),
        format!(" {value}\n"),
        format!("{before}\t{letter}{after}"),
        wide(value),
    ]);
    let changed = [
        format!("{before}\u{200b}{letter}{after}"),
        format!("{origin}{}", path.replacen('/', "/./", 1)),
        format!("{origin}{}", path.replacen('/', "/x/../", 1)),
        format!("{origin}{}", path.replacen('/', "//", 1)),
        value.replace('/', "\\"),
        value.replacen("://", "://user@", 1),
        value.replacen("://", "://user:word@", 1),
        value.replace('/', "%2f"),
        format!("{before}%{:02x}{after}", u32::from(letter.chars().next().unwrap_or('a')) & 0xff),
    ];
    room.stays_closed(&format!("{}://{}/*", parsed.scheme, parsed.host), &changed);
}

/// Paths of files.
pub fn path(data: &[u8]) {
    let room = Room::new("path", data);
    room.agrees();
    if room.allowed() {
        let same = |text: &str| text.starts_with('/');
        let climbs = room.value.split(['/', '\\']).any(|name| name == "..");
        assert!(!climbs && same(&room.value) == same(&room.pattern), "it is where the pattern is");
        assert!(room.value.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
    }
    if !room.denied() {
        return;
    }
    let (value, [before, letter, after]) = (&room.value, room.cut());
    room.stays_denied(&[value.to_uppercase(), wide(value)]);
    let changed = [
        value.replace('/', "//"),
        value.replace('/', "/./"),
        value.replace('/', "\\"),
        value.replace('/', "/x/../"),
        value.replace('/', "%2f"),
        format!("{value}/"),
        format!("{value}."),
        format!("{value}::$DATA"),
        format!("{value}\0.txt"),
        format!(" {value}\n"),
        format!("\"{value}\""),
        format!("file://{value}"),
        format!("C:{value}"),
        format!("x/../{value}"),
        format!("/tmp/../{value}"),
        format!("{before}\u{200b}{letter}{after}"),
    ];
    room.stays_closed("**", &changed);
    room.stays_closed("/**", &changed);
}

/// Named arguments: the pattern is `name=pattern, …`, the value an input as JSON.
pub fn arguments(data: &[u8]) {
    let (pattern, input) = halves(data);
    let Ok(input) = serde_json::from_str::<Value>(&input) else { return };
    let rule = format!("t({pattern})");
    let [Some(allow), Some(deny)] =
        [Effect::Allow, Effect::Deny].map(|effect| read(json!([{ effect.name(): rule }])))
    else {
        return;
    };
    let is = |policy: &Policy, effect, input: &Value| judge(policy, input).effect == effect;
    if is(&allow, Effect::Allow, &input) {
        assert!(is(&deny, Effect::Deny, &input), "an allowance goes further than the denial");
        // What nobody named is nobody's.
        let Value::Object(fields) = &input else { panic!("only an object has arguments") };
        for name in ["a field that no rule names", "__proto__"] {
            let mut fields = fields.clone();
            fields.insert(name.to_owned(), json!(1));
            assert!(!is(&allow, Effect::Allow, &Value::Object(fields)), "{name}");
        }
    }
    if !is(&deny, Effect::Deny, &input) {
        return;
    }
    let named = pattern.split(',').filter_map(|pair| pair.split_once('='));
    let any: Vec<String> = named.map(|(name, _)| format!("{}=*", name.trim())).collect();
    let both = read(json!([{ "allow": format!("t({})", any.join(",")) }, { "deny": rule }]));
    let both = both.expect("a star is a pattern");
    let change: [fn(&str) -> String; 4] =
        [str::to_uppercase, wide, |text| format!("\u{200b}{text}"), |text| format!("{text}\u{ad}")];
    for change in change {
        let changed = texts_changed(&input, change);
        assert!(is(&both, Effect::Deny, &changed), "{input} is denied and {changed} is not");
    }
}

/// Rules: a configuration as JSON, or one rule as a text.
pub fn rules(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Err(error) = syntax::parse(&text) {
        assert!(error.at <= text.chars().count(), "{error:?} is outside of the text");
        assert!(!error.message.is_empty() && !error.mend.is_empty());
    }
    let config = serde_json::from_str(&text).unwrap_or_else(
        |_| json!({ "tools": { "t": { "target": "x" } }, "rules": [{ "allow": text }, { "deny": text }] }),
    );
    let rules = config.clone().into();
    let loaded = load(&rules, &Native);
    assert_eq!(format!("{loaded:?}"), format!("{:?}", load(&rules, &Native)));
    let Loaded { policy, problems, .. } = &loaded;
    for problem in problems {
        assert!(!problem.place.is_empty() && !problem.message.is_empty() && !problem.mend.is_empty());
        if let Some(at) = problem.at {
            let text = found(&config, &problem.place).and_then(Value::as_str);
            let text = text.unwrap_or_else(|| panic!("{problem:?} is nowhere"));
            assert!(at <= text.chars().count(), "{problem:?} is outside of the text");
        }
    }
    let mut tighter = loaded.clone();
    let problems =
        tighten(&mut tighter, &config.get("rules").cloned().unwrap_or(Value::Null).into(), &Native);
    assert!(
        problems.is_empty() || format!("{tighter:?}") == format!("{loaded:?}"),
        "a part of the rules is added"
    );
    let names = config.get("tools").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    for tool in names.map(String::as_str).chain(["t", "bash"]) {
        for input in
            [json!({}), json!({ "x": "a", "command": "rm -rf /", "url": "https://a.b/" }), config.clone()]
        {
            let input = input.into();
            let call = Call { tool, server: None, input: Some(&input), hints: Hints::default() };
            let judgement = policy.judge(call, &Native);
            let allowed = judgement.rule.map(|i| policy.rules[i].effect);
            assert!(judgement.effect != Effect::Allow || allowed == Some(Effect::Allow), "nothing allows");
            assert_eq!(policy.explain(call, &Native).judgement, judgement);
            let strength = |judgement: Judgement| (judgement.effect, judgement.always);
            assert!(
                strength(tighter.policy.judge(call, &Native)) >= strength(judgement),
                "what was added loosens"
            );
            let unread = policy.judge(Call { input: None, ..call }, &Native);
            assert_ne!(unread.effect, Effect::Allow, "what cannot be read is allowed");
        }
    }
}

/// What is hidden of an input: the pattern is a name, the value JSON or a text.
pub fn redact(data: &[u8]) {
    let (name, text) = halves(data);
    let input = serde_json::from_str(&text).unwrap_or_else(|_| json!(text));
    let json = input.to_string();
    for view in [View::Display, View::Record] {
        let Ok(once) = redaction::redact(&json, view) else { continue };
        assert_eq!(redaction::redact(&once.json, view).expect("a view can be shown").json, once.json);
        let value = shown(&once);
        for hidden in &once.hidden {
            assert!(value.pointer(&hidden.pointer).is_some(), "{hidden:?} leads nowhere");
        }
        // As texts, because a number that is read twice may miss its last bit.
        assert!(view == View::Record || !once.hidden.is_empty() || once.json == json);
        let masked = redact_text(&text, view);
        assert_eq!(redact_text(&masked, view), masked);

        // A secret that its form tells, in each text, and one that its name tells.
        let token = "ghp_w3Jk9QzT5bVn7XcR2mLp8HsD4fGy6AeU1iOa";
        let plant = |text: &str| {
            let [before, letter, after] = cut(text);
            format!("{before} {token} {letter}{after}")
        };
        let planted = texts_changed(&json!({ &name: input, "z": "" }), plant);
        if let Ok(made) = redaction::redact(&planted.to_string(), view) {
            assert!(!format!("{made:?}").contains("w3Jk9QzT5bVn7XcR"), "{planted} shows its token");
        }
        let planted =
            json!({ &name: input, "inner": [{ "password": ["a needle in it", { "b": 71077345 }] }] });
        if let Ok(made) = redaction::redact(&planted.to_string(), view) {
            let shown = shown(&made)["inner"].to_string();
            assert!(!shown.contains("needle") && !shown.contains("71077345"), "{planted} shows its password");
        }
    }
}

/// The value that a view shows.
fn shown(view: &Redacted) -> Value {
    serde_json::from_str(&view.json).expect("a view is JSON")
}

/// A value, and rules with one pattern about it.
struct Room {
    kind: &'static str,
    pattern: String,
    value: String,
    /// None where the pattern is none for an allowance.
    allow: Option<Policy>,
    deny: Option<Policy>,
}

impl Room {
    fn new(kind: &'static str, data: &[u8]) -> Self {
        let (pattern, value) = halves(data);
        let [allow, deny] = [Effect::Allow, Effect::Deny]
            .map(|effect| read_of(kind, json!([{ effect.name(): { "tool": "t", "target": pattern } }])));
        Self { kind, pattern, value, allow, deny }
    }

    fn allowed(&self) -> bool {
        self.allow.as_ref().is_some_and(|rules| of_text(rules, &self.value) == Effect::Allow)
    }

    fn denied(&self) -> bool {
        self.deny.as_ref().is_some_and(|rules| of_text(rules, &self.value) == Effect::Deny)
    }

    /// Where a pattern allows, it would also deny.
    fn agrees(&self) {
        assert!(
            !self.allowed() || self.denied(),
            "{:?} allows {:?} and does not deny it",
            self.pattern,
            self.value
        );
        assert!(self.allow.is_none() || self.deny.is_some(), "{:?} can only allow", self.pattern);
    }

    /// What anybody could have written, and is denied, is denied also when it is written in another way that
    /// means the same.
    fn stays_denied(&self, changed: &[String]) {
        let is_plain =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let Some(deny) = self.deny.as_ref().filter(|_| is_plain(&self.pattern) && is_plain(&self.value))
        else {
            return;
        };
        for value in changed {
            let found = of_text(deny, value);
            assert_eq!(found, Effect::Deny, "{:?} denies {:?}, not {value:?}", self.pattern, self.value);
        }
    }

    /// What is denied is not allowed when it is written in another way, also not where all else is.
    fn stays_closed(&self, wide: &str, changed: &[String]) {
        let rules = json!([
            { "allow": { "tool": "t", "target": wide } },
            { "deny": { "tool": "t", "target": self.pattern } },
        ]);
        let Some(rules) = read_of(self.kind, rules) else { return };
        for value in changed {
            let found = of_text(&rules, value);
            assert_ne!(found, Effect::Allow, "{:?} denies {:?}, not {value:?}", self.pattern, self.value);
        }
    }

    fn cut(&self) -> [&str; 3] {
        cut(&self.value)
    }
}

/// Cuts at a letter that the text itself chooses: what is before it, it, what is behind it.
fn cut(text: &str) -> [&str; 3] {
    let sum: usize = text.bytes().map(usize::from).sum();
    let Some((at, letter)) = text.char_indices().nth(sum % text.chars().count().max(1)) else {
        return [text, "", ""];
    };
    let (before, rest) = text.split_at(at);
    let (letter, after) = rest.split_at(letter.len_utf8());
    [before, letter, after]
}

fn halves(data: &[u8]) -> (String, String) {
    let text = String::from_utf8_lossy(data);
    let (pattern, value) = text.split_once('\n').unwrap_or((&text, ""));
    (pattern.to_owned(), value.to_owned())
}

/// The rules, where all of them can be read.
fn read_of(kind: &str, rules: Value) -> Option<Policy> {
    let tools = json!({ "t": { "target": "x", "kind": kind } });
    let Loaded { policy, problems, .. } = load(&json!({ "tools": tools, "rules": rules }).into(), &Native);
    problems.is_empty().then_some(policy)
}

fn read(rules: Value) -> Option<Policy> {
    read_of("text", rules)
}

fn judge(rules: &Policy, input: &Value) -> Judgement {
    let input = input.clone().into();
    rules.judge(Call { tool: "t", server: None, input: Some(&input), hints: Hints::default() }, &Native)
}

fn of_text(rules: &Policy, value: &str) -> Effect {
    judge(rules, &json!({ "x": value })).effect
}

/// The value that a place such as `rules[3].allow` names.
fn found<'v>(config: &'v Value, place: &str) -> Option<&'v Value> {
    config.pointer(&format!("/{}", place.replace(']', "").replace(['[', '.'], "/")))
}

/// The letters of ASCII in full width.
fn wide(text: &str) -> String {
    let wide =
        |c: char| if c.is_ascii_alphabetic() { char::from_u32(u32::from(c) + 0xfee0) } else { Some(c) };
    text.chars().filter_map(wide).collect()
}

/// A value with each text in it changed.
fn texts_changed(value: &Value, change: impl Fn(&str) -> String + Copy) -> Value {
    match value {
        Value::String(text) => change(text).into(),
        Value::Array(list) => list.iter().map(|value| texts_changed(value, change)).collect(),
        Value::Object(map) => {
            let fields = map.iter().map(|(name, value)| (name.clone(), texts_changed(value, change)));
            fields.collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// What a pattern stands for, letter by letter: for each end of the value, whether the rest of the pattern
/// stands for it.
fn defined(pattern: &str, value: &str) -> bool {
    let value: Vec<char> = value.chars().collect();
    let mut rest: Vec<bool> = (0..=value.len()).map(|at| at == value.len()).collect();
    for wanted in pattern.chars().rev() {
        let mut ends = vec![false; value.len() + 1];
        for at in (0..=value.len()).rev() {
            ends[at] = match value.get(at) {
                found if wanted == '*' => rest[at] || found.is_some() && ends[at + 1],
                Some(found) => (wanted == '?' || wanted == *found) && rest[at + 1],
                None => false,
            };
        }
        rest = ends;
    }
    rest[0]
}
