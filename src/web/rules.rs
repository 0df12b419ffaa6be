//! The exports of the rules. Configurations and inputs come in as JSON, so that no getter of the application runs
//! while they are read; results are typed values.

use std::cell::RefCell;

use js_sys::{JSON, JsString, Number};
use serde::Serialize;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use web_sys::Url;

use crate::core::json::{self, Value};
use crate::rules::context::Call;
use crate::rules::explain::{Explanation, Miss};
use crate::rules::judge::Judgement;
use crate::rules::lint::Lint;
use crate::rules::load::{self, Loaded, Problem};
use crate::rules::platform::{ParsedUrl, Platform};
use crate::rules::rule::Rule;
use crate::rules::tools::Hints;
use crate::web::values::to_js;

/// The URL parser, the normalisation and the numbers of the browser.
struct Browser;

impl Platform for Browser {
    fn url(&self, text: &str) -> Option<ParsedUrl> {
        let url = Url::new(text).ok()?;
        let (mut userinfo, password) = (url.username(), url.password());
        if !password.is_empty() {
            userinfo.push(':');
            userinfo.push_str(&password);
        }
        Some(ParsedUrl {
            href: url.href(),
            scheme: without_mark(url.protocol(), str::strip_suffix, ':'),
            userinfo,
            host: url.hostname(),
            port: url.port(),
            path: url.pathname(),
            query: without_mark(url.search(), str::strip_prefix, '?'),
            fragment: without_mark(url.hash(), str::strip_prefix, '#'),
        })
    }

    fn nfkc(&self, text: &str) -> String {
        JsString::from(text).normalize("NFKC").into()
    }

    fn decimal(&self, text: &str) -> f64 {
        decimal(text)
    }

    fn written(&self, number: f64) -> String {
        JSON::stringify(&number.into()).map_or_else(|_| String::new(), String::from)
    }
}

/// The same number as Rust reads, whose tables alone would be 11 KB of the module.
fn decimal(text: &str) -> f64 {
    Number::parse_float(text)
}

/// The part of a URL without the mark that the browser leaves on it.
fn without_mark(part: String, strip: fn(&str, char) -> Option<&str>, mark: char) -> String {
    strip(&part, mark).map(ToOwned::to_owned).unwrap_or(part)
}

/// The rules after reading.
#[wasm_bindgen]
pub struct RulesCore {
    loaded: RefCell<Loaded>,
}

/// The report about all rules.
#[derive(Serialize)]
struct Description<'a> {
    rules: &'a [Rule],
    problems: &'a [Problem],
    lints: &'a [Lint],
    shadow: bool,
}

/// A judgement, and the rules that nearly decided.
#[derive(Serialize)]
struct Explained {
    judgement: Judgement,
    near: Vec<Near>,
}

/// A rule that nearly decided.
#[derive(Serialize)]
struct Near {
    rule: usize,
    miss: Miss,
}

#[wasm_bindgen]
impl RulesCore {
    /// Reads a configuration in JSON. Anything that cannot be read is listed as a problem.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str) -> Self {
        // A text that is not JSON is treated like a value that is not an object.
        let config = json::parse(config, &decimal).unwrap_or(Value::Null);
        Self { loaded: RefCell::new(load::load(&config, &Browser)) }
    }

    /// Adds rules that only make answers stricter, as a JSON list. Returns the problems; if there is one,
    /// nothing is added.
    pub fn tighten(&self, rules: &str) -> JsValue {
        let rules = json::parse(rules, &decimal).unwrap_or(Value::Null);
        to_js(&load::tighten(&mut self.loaded.borrow_mut(), &rules, &Browser))
    }

    /// Judges a call. `destructive`: the server says that the tool may destroy something.
    pub fn judge(
        &self,
        tool: &str,
        server: Option<String>,
        input: Option<String>,
        destructive: bool,
    ) -> JsValue {
        let input = input.and_then(|input| json::parse(&input, &decimal));
        let call = call(tool, server.as_deref(), input.as_ref(), destructive);
        to_js(&self.loaded.borrow().policy.judge(call, &Browser))
    }

    /// Judges a call, and lists the rules that nearly decided.
    pub fn explain(
        &self,
        tool: &str,
        server: Option<String>,
        input: Option<String>,
        destructive: bool,
    ) -> JsValue {
        let input = input.and_then(|input| json::parse(&input, &decimal));
        let call = call(tool, server.as_deref(), input.as_ref(), destructive);
        let Explanation { judgement, near } = self.loaded.borrow().policy.explain(call, &Browser);
        let near = near.into_iter().map(|(rule, miss)| Near { rule, miss }).collect();
        to_js(&Explained { judgement, near })
    }

    /// Returns the rules, the problems, the lints, and whether the rules are only tried out.
    pub fn describe(&self) -> JsValue {
        let Loaded { policy, problems, lints } = &*self.loaded.borrow();
        to_js(&Description { rules: &policy.rules, problems, lints, shadow: policy.shadow })
    }
}

fn call<'a>(tool: &'a str, server: Option<&'a str>, input: Option<&'a Value>, destructive: bool) -> Call<'a> {
    Call { tool, server, input, hints: Hints { destructive } }
}
