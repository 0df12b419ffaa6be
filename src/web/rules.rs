//! The exports of the rules. Configurations and inputs come in as JSON, so that no getter of the application runs
//! while they are read; results are typed values.

use std::cell::RefCell;

use js_sys::Array;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::core::effect::Effect;
use crate::core::json::{self, Value};
use crate::rules::context::Call;
use crate::rules::explain::{Explanation, Miss};
use crate::rules::judge::{Because, Judgement};
use crate::rules::lint::Lint;
use crate::rules::load::{self, Loaded, Problem};
use crate::rules::platform::{ParsedUrl, Platform};
use crate::rules::rule::Rule;
use crate::rules::tools::Hints;
use crate::web::object::Object;

#[wasm_bindgen(module = "/src/web/rules.js")]
extern "C" {
    #[wasm_bindgen(js_name = readUrl)]
    fn read_url(text: &str) -> Option<String>;
    fn normalized(text: &str) -> String;
    fn decimal(text: &str) -> f64;
    fn written(number: f64) -> String;
}

/// The URL parser, the normalisation and the numbers of the browser.
struct Browser;

impl Platform for Browser {
    fn url(&self, text: &str) -> Option<ParsedUrl> {
        let text = read_url(text)?;
        let mut places = text.split('\n').map(str::to_owned);
        let mut next = || places.next();
        Some(ParsedUrl {
            href: next()?,
            scheme: next()?,
            userinfo: next()?,
            host: next()?,
            port: next()?,
            path: next()?,
            query: next()?,
            fragment: next()?,
        })
    }

    fn nfkc(&self, text: &str) -> String {
        normalized(text)
    }

    fn decimal(&self, text: &str) -> f64 {
        // The same number as Rust reads, whose tables alone would be 11 KB of the module.
        decimal(text)
    }

    fn written(&self, number: f64) -> String {
        written(number)
    }
}

/// The rules after reading.
#[wasm_bindgen]
pub struct RulesCore {
    loaded: RefCell<Loaded>,
}

// The values that JavaScript gets are made by hand, which takes less code here than derives.

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        object.set(name, value.clone());
    }
    object.into()
}

fn list<T>(items: &[T], view: impl Fn(&T) -> JsValue) -> JsValue {
    items.iter().map(view).collect::<Array>().into()
}

fn number(number: usize) -> JsValue {
    JsValue::from_f64(number as f64)
}

/// A number, or `undefined`.
fn perhaps(found: Option<usize>) -> JsValue {
    found.map_or(JsValue::UNDEFINED, number)
}

fn view_of_rule(rule: &Rule) -> JsValue {
    object(&[
        ("id", rule.id.as_str().into()),
        ("effect", rule.effect.name().into()),
        ("always", rule.always.into()),
        ("layer", rule.layer.name().into()),
        ("why", rule.why.as_str().into()),
        ("text", rule.text.as_str().into()),
    ])
}

fn view_of_problem(problem: &Problem) -> JsValue {
    object(&[
        ("code", problem.code.name().into()),
        ("place", problem.place.as_str().into()),
        ("at", perhaps(problem.at)),
        ("message", problem.message.as_str().into()),
        ("mend", problem.mend.as_str().into()),
    ])
}

fn view_of_lint(lint: &Lint) -> JsValue {
    object(&[("code", lint.hint.name().into()), ("rule", number(lint.rule)), ("other", perhaps(lint.other))])
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
        list(&load::tighten(&mut self.loaded.borrow_mut(), &rules, &Browser), view_of_problem)
    }

    /// Judges a call. Every call that asks is judged, so the result is packed into one number: its
    /// [`Effect`], plus 4 if it always asks, 16 times the [`Because`], and 256 times the
    /// rule, counted from 1. `destructive`: the server says that the tool may destroy something.
    pub fn judge(&self, tool: &str, server: Option<String>, input: Option<String>, destructive: bool) -> u32 {
        let input = input.and_then(|input| json::parse(&input, &decimal));
        let call = call(tool, server.as_deref(), input.as_ref(), destructive);
        code(&self.loaded.borrow().policy.judge(call, &Browser))
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
        let view =
            |(rule, miss): &(usize, Miss)| object(&[("rule", number(*rule)), ("miss", miss.name().into())]);
        object(&[("code", code(&judgement).into()), ("near", list(&near, view))])
    }

    /// Returns the rules, the problems, the lints, and whether the rules are only tried out.
    pub fn describe(&self) -> JsValue {
        let Loaded { policy, problems, lints } = &*self.loaded.borrow();
        object(&[
            ("rules", list(&policy.rules, view_of_rule)),
            ("problems", list(problems, view_of_problem)),
            ("lints", list(lints, view_of_lint)),
            ("shadow", policy.shadow.into()),
        ])
    }

    /// The names behind the codes of [`judge`](Self::judge): effects and reasons.
    pub fn names() -> String {
        [Effect::NAMES, Because::NAMES].map(|names| names.join(" ")).join("\n")
    }
}

fn call<'a>(tool: &'a str, server: Option<&'a str>, input: Option<&'a Value>, destructive: bool) -> Call<'a> {
    Call { tool, server, input, hints: Hints { destructive } }
}

fn code(judgement: &Judgement) -> u32 {
    judgement.effect as u32
        | u32::from(judgement.always) << 2
        | (judgement.because as u32) << 4
        | judgement.rule.map_or(0, |rule| rule as u32 + 1) << 8
}
