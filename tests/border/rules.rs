//! Rules: configurations in, rulings out, and the URL parser of the browser between them.

use js_sys::{Array, JSON};
use tool_approval_guard::web::rules::RulesCore;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{field, json, names};

const EFFECTS: [&str; 3] = ["allow", "ask", "deny"];

/// What the rules say of a call: the name of the effect, as the shell reads it.
fn effect(rules: &RulesCore, tool: &str, input: &str) -> String {
    text(&rules.judge(tool, None, Some(input.to_owned()), false), "effect")
}

fn text(value: &JsValue, name: &str) -> String {
    field(value, name).as_string().unwrap_or_else(|| panic!("{name} of {} is no text", json(value)))
}

#[wasm_bindgen_test]
fn the_frozen_vectors_with_the_parser_of_the_browser() {
    let vectors = JSON::parse(include_str!("../vectors/rules.json")).expect("JSON");
    let rules = RulesCore::new(&json(&field(&vectors, "config")));
    let cases = Array::from(&field(&vectors, "cases"));
    assert!(cases.length() >= 42);
    for case in cases.iter() {
        let found = effect(&rules, &text(&case, "tool"), &json(&field(&case, "input")));
        assert_eq!(found, text(&case, "effect"), "{}", json(&case));
    }
}

#[wasm_bindgen_test]
fn every_place_of_a_url_is_the_one_that_the_browser_finds() {
    let config = r#"{
        "tools": { "fetch": { "target": "/url", "kind": "url" } },
        "rules": [{ "allow": "fetch:https://good.com/*" }]
    }"#;
    let rules = RulesCore::new(config);
    for (url, expected) in [
        ("https://good.com/a", "allow"),
        ("https://good.com/a?b=c#d", "allow"),
        ("https://GOOD.com/a", "allow"),
        ("HTTPS://good.com/a", "allow"),
        ("https://good.com@evil.com/", "ask"),
        ("https://good.com\\@evil.com/", "ask"),
        ("https://user:pass@good.com/", "ask"),
        ("https://good.com:8443/", "ask"),
        ("https://good.com/../a", "ask"),
        ("http://good.com/", "ask"),
        ("https://gооd.com/", "ask"),
        ("https://", "ask"),
        ("no url", "ask"),
    ] {
        let input = format!("{{\"url\":\"{}\"}}", url.replace('\\', "\\\\"));
        assert_eq!(effect(&rules, "fetch", &input), expected, "{url}");
    }
}

#[wasm_bindgen_test]
fn what_is_said_of_rules_is_objects_and_lists() {
    let rules = RulesCore::new(
        r#"{ "rules": [{ "deny": "rm", "why": "löscht 🗑" }, { "allow": "rm" }, { "alow": "ls" }] }"#,
    );
    let description = rules.describe();
    assert_eq!(names(&description), ["rules", "problems", "lints", "shadow"]);
    assert_eq!(field(&description, "shadow"), JsValue::FALSE);
    let first = Array::from(&field(&description, "rules")).get(0);
    assert_eq!(names(&first), ["id", "effect", "always", "layer", "why", "text"]);
    assert_eq!(text(&first, "effect"), "deny");
    assert_eq!(text(&first, "why"), "löscht 🗑");
    let problem = Array::from(&field(&description, "problems")).get(0);
    assert_eq!(names(&problem), ["code", "place", "at", "message", "mend"]);
    assert_eq!(text(&problem, "code"), "unknown-field");
    assert!(field(&problem, "at").is_undefined(), "what is not there is undefined and not null");
    let lint = Array::from(&field(&description, "lints")).get(0);
    assert_eq!(json(&lint), r#"{"code":"shadowed","rule":1,"other":0}"#);
}

#[wasm_bindgen_test]
fn a_text_that_is_no_configuration_is_a_problem_and_allows_nothing() {
    for wrong in ["", "{", "[]", "null", "7", r#""rules""#] {
        let rules = RulesCore::new(wrong);
        let problems = Array::from(&field(&rules.describe(), "problems"));
        assert_eq!(problems.length(), 1, "{wrong}");
        assert_eq!(text(&problems.get(0), "code"), "wrong-type", "{wrong}");
        assert_eq!(effect(&rules, "ls", "{}"), "ask", "{wrong}");
    }
}

#[wasm_bindgen_test]
fn an_explanation_names_the_rules_that_nearly_decided() {
    let rules = RulesCore::new(
        r#"{ "tools": { "bash": { "target": "/command", "kind": "shell" } }, "rules": [{ "allow": "bash:ls *" }] }"#,
    );
    let explained = rules.explain("bash", None, Some(r#"{"command":"ls; id"}"#.to_owned()), false);
    assert_eq!(names(&explained), ["judgement", "near"]);
    let near = Array::from(&field(&explained, "near")).get(0);
    assert_eq!(names(&near), ["rule", "miss"]);
    assert_eq!(field(&near, "rule"), JsValue::from(0));
    let said = rules.judge("bash", None, Some(r#"{"command":"ls; id"}"#.to_owned()), false);
    assert_eq!(names(&said), ["effect", "always", "because", "rule"]);
    assert_eq!(json(&field(&explained, "judgement")), json(&said), "both say the same");
}

#[wasm_bindgen_test]
fn a_refused_tightening_adds_nothing() {
    let rules = RulesCore::new(r#"{ "rules": [{ "allow": "ls" }] }"#);
    let problems = Array::from(&rules.tighten(r#"[{ "allow": "rm" }, { "deny": "ls" }]"#));
    assert_eq!(problems.length(), 1);
    assert_eq!(effect(&rules, "ls", "{}"), "allow");
    assert_eq!(Array::from(&rules.tighten(r#"[{ "deny": "ls" }]"#)).length(), 0);
    assert_eq!(effect(&rules, "ls", "{}"), "deny");
    assert!(EFFECTS.contains(&effect(&rules, "rm", "no JSON").as_str()));
}

#[wasm_bindgen_test]
fn as_many_rules_as_there_may_be_cross_at_once() {
    let rule = |at: usize| format!(r#"{{ "deny": "tool{at}", "why": "because {at}" }}"#);
    let all: Vec<String> = (0..2_000).map(rule).collect();
    let rules = RulesCore::new(&format!(r#"{{ "rules": [{}] }}"#, all.join(",")));
    let listed = Array::from(&field(&rules.describe(), "rules"));
    assert_eq!(listed.length(), 2_000);
    assert_eq!(text(&listed.get(1_999), "why"), "because 1999");
    assert_eq!(effect(&rules, "tool1999", "{}"), "deny");
}

#[wasm_bindgen_test]
fn a_number_of_an_input_is_the_one_that_the_browser_reads() {
    let rules = RulesCore::new(
        r#"{ "rules": [{ "allow": { "tool": "pay", "args": { "amount": 1000000 } } }, { "allow": { "tool": "pay", "args": { "amount": 0.5 } } }] }"#,
    );
    assert_eq!(json(&field(&rules.describe(), "problems")), "[]");
    for (amount, expected) in [
        ("1000000", "allow"),
        ("1e6", "allow"),
        ("0.50", "allow"),
        ("5e-1", "allow"),
        ("1000001", "ask"),
        ("0.5000000000000001", "ask"),
        ("1e999", "ask"),
        ("\"0.5\"", "ask"),
    ] {
        assert_eq!(effect(&rules, "pay", &format!(r#"{{"amount":{amount}}}"#)), expected, "{amount}");
    }
}
