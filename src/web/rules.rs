//! The rules, as JavaScript asks them. Texts cross as JSON, once for each call that asks.

use std::cell::RefCell;

use js_sys::JsString;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Url;

use crate::core::effect::Effect;
use crate::redact::{self, View};
use crate::rules::context::Call;
use crate::rules::explain::{Explanation, Miss};
use crate::rules::judge::{Because, Judgement};
use crate::rules::load::{self, Code, Loaded, Problem};
use crate::rules::platform::{ParsedUrl, Platform};
use crate::rules::tools::Hints;
use crate::rules::{layer::Layer, lint};

/// The URL parser and the normalisation of the browser.
struct Browser;

impl Platform for Browser {
    fn url(&self, text: &str) -> Option<ParsedUrl> {
        let url = Url::new(text).ok()?;
        let (username, password) = (url.username(), url.password());
        Some(ParsedUrl {
            href: url.href(),
            scheme: url.protocol().trim_end_matches(':').to_owned(),
            userinfo: if password.is_empty() { username } else { format!("{username}:{password}") },
            host: url.hostname(),
            port: url.port(),
            path: url.pathname(),
            query: behind_first(&url.search()),
            fragment: behind_first(&url.hash()),
        })
    }

    fn nfkc(&self, text: &str) -> String {
        JsString::from(text).normalize("NFKC").into()
    }
}

/// A query or a fragment without the character that begins it.
fn behind_first(piece: &str) -> String {
    piece.get(1..).unwrap_or_default().to_owned()
}

/// Rules that were read.
#[wasm_bindgen]
pub struct RulesCore {
    loaded: RefCell<Loaded>,
}

#[wasm_bindgen]
impl RulesCore {
    /// Reads a configuration, as JSON. What cannot be read is among the problems.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str) -> Self {
        // A text that is no JSON is no object either.
        let config = serde_json::from_str(config).unwrap_or(Value::Null);
        Self { loaded: RefCell::new(load::load(&config, &Browser)) }
    }

    /// Adds rules that only make answers stricter, as a JSON list. Nothing is added where one cannot be
    /// read; the answer is what is wrong.
    pub fn tighten(&self, rules: &str) -> String {
        let rules = serde_json::from_str(rules).unwrap_or(Value::Null);
        let next = load::tighten(&self.loaded.borrow(), &rules, &Browser);
        let known = self.loaded.borrow().problems.len();
        let problems = next.problems.get(known..).unwrap_or_default();
        if problems.is_empty() {
            self.loaded.replace(next);
            return "[]".to_owned();
        }
        Value::from_iter(problems.iter().map(problem)).to_string()
    }

    /// What is to happen to a call: its [`Effect`], plus 4 if it is always asked, 8 if it may do harm, 16 times
    /// the [`Because`], and 256 times the rule from 1 on. `destructive`: its server says
    /// that it may destroy something.
    pub fn judge(&self, tool: &str, server: Option<String>, input: Option<String>, destructive: bool) -> u32 {
        let input = input.and_then(|input| serde_json::from_str(&input).ok());
        code(
            &self
                .loaded
                .borrow()
                .policy
                .judge(call(tool, server.as_deref(), input.as_ref(), destructive), &Browser),
        )
    }

    /// The same with the rules that were near, as JSON: `{ code, near: [[rule, miss]] }`.
    pub fn explain(
        &self,
        tool: &str,
        server: Option<String>,
        input: Option<String>,
        destructive: bool,
    ) -> String {
        let input = input.and_then(|input| serde_json::from_str(&input).ok());
        let call = call(tool, server.as_deref(), input.as_ref(), destructive);
        let Explanation { judgement, near } = self.loaded.borrow().policy.explain(call, &Browser);
        json!({
            "code": code(&judgement),
            "near": near.iter().map(|(rule, miss)| json!([rule, miss.name()])).collect::<Value>(),
        })
        .to_string()
    }

    /// What was read, as JSON: the rules, the problems, the lints, and whether they are only to be looked at.
    pub fn describe(&self) -> String {
        let Loaded { policy, problems, lints } = &*self.loaded.borrow();
        let rules = policy.rules.iter().map(|rule| {
            json!({
                "id": rule.id, "effect": rule.effect.name(), "always": rule.always,
                "layer": rule.layer.name(), "why": rule.why, "text": rule.text,
            })
        });
        let lints = lints
            .iter()
            .map(|lint| json!({ "code": lint.hint.name(), "rule": lint.rule, "other": lint.other }));
        json!({
            "rules": rules.collect::<Value>(),
            "problems": problems.iter().map(problem).collect::<Value>(),
            "lints": lints.collect::<Value>(),
            "shadow": policy.shadow,
        })
        .to_string()
    }

    /// The names behind the codes: effects, reasons, layers, problems, lints, misses.
    pub fn names() -> String {
        [Effect::NAMES, Because::NAMES, Layer::NAMES, Code::NAMES, lint::Hint::NAMES, Miss::NAMES]
            .map(|names| names.join(" "))
            .join("\n")
    }
}

fn call<'a>(tool: &'a str, server: Option<&'a str>, input: Option<&'a Value>, destructive: bool) -> Call<'a> {
    Call { tool, server, input, hints: Hints { destructive } }
}

fn code(judgement: &Judgement) -> u32 {
    judgement.effect as u32
        | u32::from(judgement.always) << 2
        | u32::from(judgement.dangerous) << 3
        | (judgement.because as u32) << 4
        | judgement.rule.map_or(0, |rule| rule as u32 + 1) << 8
}

fn problem(problem: &Problem) -> Value {
    json!({
        "code": problem.code.name(), "place": problem.place, "at": problem.at,
        "message": problem.message, "mend": problem.mend,
    })
}

/// What may be shown of an input (the bytes of its JSON), or recorded: JSON with `value` and `hidden`, empty where that is the input
/// itself; nothing where it cannot be.
#[wasm_bindgen]
pub fn redact(input: &[u8], record: bool) -> Option<String> {
    let input: Value = serde_json::from_slice(input).ok()?;
    let view = if record { View::Record } else { View::Display };
    let redacted = redact::redact(&input, view).ok()?;
    if redacted.value == input {
        return Some(String::new());
    }
    let hidden = redacted.hidden.iter().map(|hidden| json!([hidden.pointer, hidden.count]));
    Some(json!({ "value": redacted.value, "hidden": hidden.collect::<Value>() }).to_string())
}
