use super::super::explain::Miss;
use super::super::lint::Hint;
use super::super::load::{self, Code, Loaded};
use super::super::platform::Native;
use super::super::tools::Hints;
use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn loaded(config: Value) -> Loaded {
    load::load(&config.into(), &Native)
}

fn policy(config: Value) -> Policy {
    loaded(config).policy
}

/// A policy of these rules, all of which can be read.
fn whole(config: Value) -> Policy {
    let Loaded { policy, problems, .. } = loaded(config);
    assert_eq!(problems, []);
    policy
}

fn judge(policy: &Policy, tool: &str, input: Value) -> Judgement {
    policy.judge(Call { tool, server: None, input: Some(&input.into()), hints: Hints::default() }, &Native)
}

fn effect(policy: &Policy, tool: &str, input: Value) -> Effect {
    judge(policy, tool, input).effect
}

#[test]
fn the_frozen_vectors() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/rules.json");
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(file).expect(file)).expect("JSON");
    let policy = whole(vectors["config"].clone());
    let cases = vectors["cases"].as_array().expect("cases");
    assert!(cases.len() >= 42);
    for case in cases {
        let tool = case["tool"].as_str().expect("a tool");
        let found = effect(&policy, tool, case["input"].clone()).name();
        assert_eq!(found, case["effect"], "{tool} {}", case["input"].to_string().get(..80).unwrap_or("…"));
    }
}

#[test]
fn the_strictest_wins_whatever_the_order_and_the_layer() {
    let rules = [
        json!({ "allow": "t" }),
        json!({ "ask": "t" }),
        json!({ "ask": "t", "always": true }),
        json!({ "deny": "t" }),
    ];
    let strength = |judgement: Judgement| (judgement.effect, judgement.always);
    for layer in Layer::NAMES {
        for other in Layer::NAMES {
            for (i, one) in rules.iter().enumerate() {
                for (j, two) in rules.iter().enumerate() {
                    let layers = if layer == other {
                        json!({ *layer: [one, two] })
                    } else {
                        json!({ *layer: [one], *other: [two] })
                    };
                    let found = judge(&whole(json!({ "layers": layers })), "t", json!({}));
                    let alone = judge(&whole(json!({ "rules": [rules[i.max(j)]] })), "t", json!({}));
                    assert_eq!(strength(found), strength(alone), "{one} in {layer}, {two} in {other}");
                    assert_eq!(found.because, Because::Rule);
                }
            }
        }
    }
    let nothing = judge(&whole(json!({})), "t", json!({}));
    assert_eq!((nothing.effect, nothing.always, nothing.because), (Effect::Ask, false, Because::Default));
}

#[test]
fn a_lock_is_for_the_layers_below() {
    let locked = whole(json!({ "layers": {
        "organisation": { "lockAllow": true, "rules": [{ "allow": "theirs" }] },
        "app": [{ "allow": "ours" }, { "deny": "bad" }],
        "user": [{ "allow": "mine" }],
    } }));
    assert_eq!(effect(&locked, "theirs", json!({})), Effect::Allow);
    assert_eq!(effect(&locked, "ours", json!({})), Effect::Ask);
    assert_eq!(effect(&locked, "mine", json!({})), Effect::Ask);
    assert_eq!(effect(&locked, "bad", json!({})), Effect::Deny);
}

#[test]
fn what_nobody_can_read_asks_for_everything_and_denies_still() {
    let broken = policy(json!({ "rules": [{ "allow": "a" }, { "alow": "b" }, { "deny": "c" }] }));
    let answer = judge(&broken, "a", json!({}));
    assert_eq!((answer.effect, answer.always, answer.because), (Effect::Ask, true, Because::BrokenRules));
    assert_eq!(effect(&broken, "c", json!({})), Effect::Deny);
    for nonsense in [
        json!(null),
        json!([]),
        json!({ "rules": {} }),
        json!({ "rule": [] }),
        json!({ "tools": 1 }),
        json!({ "shadow": 1 }),
        json!({ "layers": { "usr": [] } }),
        json!({ "layers": { "user": { "lock": true } } }),
        json!({ "rules": ["t"] }),
        json!({ "rules": [{ "deny": "a b" }] }),
        json!({ "rules": [{ "deny": { "name": "a" } }] }),
        json!({ "rules": [{ "pattern": "t", "action": 1, "more": 1 }] }),
    ] {
        let config = nonsense.to_string();
        assert_eq!(judge(&policy(nonsense), "t", json!({})).because, Because::BrokenRules, "{config}");
    }
}

#[test]
fn a_rule_that_is_left_out_asks_for_what_it_might_have_denied_and_no_more() {
    let tools = json!({ "bash": { "target": "command", "kind": "shell" } });
    let broken =
        |rule: Value| policy(json!({ "tools": tools, "rules": [{ "allow": "a" }, { "deny": "no" }, rule] }));
    // A refused allowance denies nothing.
    for rule in [
        json!({ "allow": "*" }),
        json!({ "allow": "bash:sudo *" }),
        json!({ "allow": "bash(" }),
        json!({ "allow": 7 }),
        json!({ "allow": "bash", "always": true }),
        json!({ "allow": "bash", "when": "now" }),
        json!({ "pattern": "*", "action": "allow" }),
    ] {
        let policy = broken(rule.clone());
        assert_eq!(effect(&policy, "a", json!({})), Effect::Allow, "{rule}");
        assert_eq!(effect(&policy, "no", json!({})), Effect::Deny, "{rule}");
        let other = judge(&policy, "bash", json!({ "command": "sudo ls" }));
        assert_eq!(
            (other.effect, other.always, other.because),
            (Effect::Ask, false, Because::Default),
            "{rule}"
        );
    }
    // A rule that might deny asks about the calls of its tools.
    for rule in [
        json!({ "deny": "a:rm*" }),
        json!({ "deny": "a: rm" }),
        json!({ "deny": "a", "id": 7 }),
        json!({ "ask": "a", "always": "yes" }),
        json!({ "deny": { "tool": "a", "pattern": "x" } }),
        json!({ "deny": "a", "match": [7] }),
        json!({ "allow": "other", "deny": "a" }),
        json!({ "pattern": "a:x", "action": "deny" }),
        json!({ "pattern": "a", "action": "block" }),
    ] {
        let policy = broken(rule.clone());
        for tool in ["a", "A"] {
            let found = judge(&policy, tool, json!({}));
            let expected = (Effect::Ask, true, Because::BrokenRules);
            assert_eq!((found.effect, found.always, found.because), expected, "{rule}");
        }
        assert_eq!(judge(&policy, "other", json!({})).because, Because::Default, "{rule}");
        assert_eq!(effect(&policy, "no", json!({})), Effect::Deny, "{rule}");
    }
    // So does a tool whose profile cannot be read.
    let half =
        policy(json!({ "tools": { "t": { "kind": "sql" } }, "rules": [{ "allow": "t" }, { "allow": "a" }] }));
    assert_eq!(judge(&half, "t", json!({})).because, Because::BrokenRules);
    assert_eq!(effect(&half, "a", json!({})), Effect::Allow);
    // The id of a rule that is left out stays taken: nothing gets in because another rule is wrong.
    let taken = policy(json!({ "rules": [{ "allow": "*", "id": "x" }, { "allow": "a", "id": "x" }] }));
    assert_eq!(effect(&taken, "a", json!({})), Effect::Ask);
}

#[test]
fn the_examples_that_were_asked_for_can_be_pasted() {
    let Loaded { policy, problems, lints } = loaded(json!({
        "tools": {
            "bash": { "target": "command", "kind": "shell" },
            "web-fetch": { "target": "url", "kind": "url" },
        },
        "rules": [
            { "pattern": "bash:ls*", "action": "allow" },
            { "pattern": "bash:rm*", "action": "deny" },
            { "pattern": "web-fetch:https://*", "action": "allow" },
            { "allow": "file-read" },
        ],
    }));
    assert_eq!(problems, []);
    for (tool, input, expected) in [
        ("bash", json!({ "command": "ls -la" }), Effect::Allow),
        ("bash", json!({ "command": "rm -rf x" }), Effect::Deny),
        ("bash", json!({ "command": "cat x" }), Effect::Ask),
        ("web-fetch", json!({ "url": "https://docs.example.com/a?b=c#d" }), Effect::Allow),
        ("web-fetch", json!({ "url": "http://docs.example.com/a" }), Effect::Ask),
        ("file-read", json!({ "path": "a" }), Effect::Allow),
    ] {
        assert_eq!(effect(&policy, tool, input.clone()), expected, "{tool} {input}");
    }
    let hints: Vec<(Hint, usize)> = lints.iter().map(|lint| (lint.hint, lint.rule)).collect();
    assert_eq!(hints, [(Hint::WordBoundary, 0), (Hint::AnyHost, 2)]);
}

#[test]
fn what_cannot_be_read_of_an_input_is_asked_always() {
    let policy = whole(json!({
        "tools": { "bash": { "target": "command", "kind": "shell" } },
        "rules": [{ "allow": "read" }, { "deny": "bash:*" }, { "deny": "write:rm*" }, { "deny": "erase" }],
    }).as_object().map(|config| {
        let mut config = config.clone();
        config["tools"]["write"] = json!({ "target": "text" });
        Value::Object(config)
    }).unwrap_or_default());
    let unread =
        |tool| policy.judge(Call { tool, server: None, input: None, hints: Hints::default() }, &Native);
    let read = unread("read");
    assert_eq!((read.effect, read.always, read.because), (Effect::Ask, true, Because::UnreadableInput));
    assert_eq!(unread("bash").effect, Effect::Deny);
    assert_eq!(unread("erase").effect, Effect::Deny);
    assert_eq!(unread("write").effect, Effect::Ask);
}

#[test]
fn what_takes_too_long_to_read_is_asked_always() {
    let policy = whole(json!({
        "tools": { "bash": { "target": "command", "kind": "shell" } },
        "rules": [{ "allow": "bash:ls *" }, { "deny": "bash:rm *" }],
    }));
    let read = |command: &str| judge(&policy, "bash", json!({ "command": command }));
    for piece in ["x=$( ", "[x](", "sudo -u node "] {
        let long = piece.repeat(150_000 / piece.len());
        let unread = judge(&policy, "bash", json!({ "command": "ls", "more": long }));
        assert_eq!((unread.effect, unread.always), (Effect::Ask, true), "{piece}");
        assert_eq!(unread.because, Because::UnreadableInput, "{piece}");
        // A denial stays a denial, wherever the command is.
        assert_eq!(read(&format!("{long}\nrm x")).effect, Effect::Deny, "{piece}");
        assert_eq!(read(&format!("sudo rm x\n{long}")).effect, Effect::Deny, "{piece}");
        let hidden = json!({ "command": "rm x", "more": long });
        assert_eq!(judge(&policy, "bash", hidden).effect, Effect::Deny, "{piece}");
    }
    let file = format!("cat > notes.md <<'END'\n{}END", "It's a line of a long file (50%).\n".repeat(1_500));
    assert_eq!(read(&file).because, Because::Default, "nobody has to wait for this one");
}

#[test]
fn hints_make_it_only_stricter() {
    let policy = whole(json!({ "rules": [{ "allow": "delete_draft" }, { "allow": "read" }] }));
    let input = json!({});
    let with = |tool, destructive| {
        let hints = Hints { destructive };
        policy.judge(Call { tool, server: None, input: Some(&input.clone().into()), hints }, &Native)
    };
    assert_eq!(with("delete_draft", false).effect, Effect::Allow, "a name decides nothing");
    let hinted = with("read", true);
    assert_eq!((hinted.effect, hinted.because), (Effect::Ask, Because::Hint));
    assert_eq!(with("other", true).because, Because::Default);
}

#[test]
fn other_arguments_are_declared_or_absent() {
    let policy = whole(json!({
        "tools": { "web": { "target": "url", "kind": "url", "ignore": ["timeout"] } },
        "rules": [{ "allow": "web:https://good.com/*" }, { "allow": "copy(from=a*, deep=true)" }],
    }));
    let good = "https://good.com/a";
    assert_eq!(effect(&policy, "web", json!({ "url": good })), Effect::Allow);
    assert_eq!(effect(&policy, "web", json!({ "url": good, "timeout": 3 })), Effect::Allow);
    for more in [
        json!({ "url": good, "method": "POST" }),
        json!({ "url": good, "a": null }),
        json!({ "a": { "url": good } }),
    ] {
        assert_eq!(effect(&policy, "web", more), Effect::Ask);
    }
    assert_eq!(effect(&policy, "copy", json!({ "from": "ab", "deep": true })), Effect::Allow);
    for other in [
        json!({ "from": "ab", "deep": "true" }),
        json!({ "from": "ab" }),
        json!({ "from": ["ab"], "deep": true }),
        json!({ "from": "ab", "deep": true, "to": "x" }),
        json!({ "from": "b", "deep": true }),
        json!({ "from": "ab", "deep": true, "__proto__": 1 }),
        json!({ "from": "a\u{200b}b", "deep": true }),
    ] {
        assert_eq!(effect(&policy, "copy", other.clone()), Effect::Ask, "{other}");
    }
}

#[test]
fn no_wildcard_allows_a_name_that_is_not_plain() {
    let policy = whole(json!({
        "rules": [{ "allow": "read*" }, { "allow": { "tool": "list", "server": "s*" } }],
    }));
    let of_server = |server| {
        let input = json!({}).into();
        let call = Call { tool: "list", server: Some(server), input: Some(&input), hints: Hints::default() };
        policy.judge(call, &Native).effect
    };
    assert_eq!([effect(&policy, "read_a", json!({})), of_server("sa")], [Effect::Allow; 2]);
    assert_eq!([effect(&policy, "read_\u{e9}", json!({})), of_server("s\u{e9}")], [Effect::Ask; 2]);
}

#[test]
fn an_argument_is_compared_as_exactly_as_its_rule_needs() {
    let policy = whole(json!({
        "rules": [{ "allow": "copy(n=9007199254740993)" }, { "deny": "move(deep=true)" }, { "deny": "mail(to=*)" }],
    }));
    // Both are the same floating-point number.
    assert_eq!(effect(&policy, "copy", json!({ "n": 9_007_199_254_740_992_u64 })), Effect::Ask);
    assert_eq!(effect(&policy, "move", json!({ "deep": "TRUE" })), Effect::Deny);
    // Anything is there, also if it has no text.
    assert_eq!(effect(&policy, "mail", json!({ "to": {} })), Effect::Deny);
}

#[test]
fn a_question_mark_covers_no_star() {
    let glob = super::super::glob::Glob::new;
    assert!(glob("a?").covers(&glob("ab")) && glob("a*").covers(&glob("a?")));
    assert!(!glob("a?").covers(&glob("a*")));
}

#[test]
fn a_denial_finds_its_value_wherever_it_stands() {
    let policy = whole(json!({
        "tools": { "bash": { "target": "command", "kind": "shell" }, "web": { "target": "url", "kind": "url" } },
        "rules": [{ "deny": "bash:rm*" }, { "deny": "web:https://evil.com/*" }, { "deny": "mail(to=*@evil.com)" }],
    }));
    for input in [
        json!({ "command": "rm x" }),
        json!({ "cmd": "rm x" }),
        json!({ "command": ["rm", "-rf", "/"] }),
        json!({ "command": { "line": "ls; rm x" } }),
        json!([{ "a": [["rm x"]] }]),
        json!("rm x"),
    ] {
        assert_eq!(effect(&policy, "bash", input.clone()), Effect::Deny, "{input}");
    }
    assert_eq!(effect(&policy, "web", json!({ "urls": ["https://evil.com/x"] })), Effect::Deny);
    assert_eq!(effect(&policy, "mail", json!({ "to": ["a@good.com", "b@EVIL.com"] })), Effect::Deny);
    assert_eq!(effect(&policy, "mail", json!({ "to": "a@good.com" })), Effect::Ask);
}

#[test]
fn a_denial_of_a_text_holds_however_its_words_are_spaced() {
    let sql = json!({ "target": "q", "kind": "text" });
    let policy = whole(json!({
        "tools": { "sql": sql, "exact": sql, "open": sql },
        "rules": [
            { "deny": "sql:DROP TABLE*" },
            { "deny": "sql:*UNION *  SELECT*" },
            { "deny": "exact:DROP TABLE users" },
            { "allow": "open:DROP TABLE*" },
        ],
    }));
    for (tool, text, expected) in [
        ("sql", "DROP TABLE users", Effect::Deny),
        ("sql", "DROP  TABLE users", Effect::Deny),
        ("sql", "drop\tTable users", Effect::Deny),
        ("sql", "DROP \r\n  TABLE users", Effect::Deny),
        ("sql", "DROP\u{a0}\u{2003}TABLE users", Effect::Deny),
        ("sql", "DROP\u{2028}TABLE users", Effect::Deny),
        ("sql", "  \nDROP TABLE users", Effect::Deny),
        ("sql", "SELECT 1 UNION all\nSELECT 2", Effect::Deny),
        ("sql", "DROPTABLE users", Effect::Ask),
        ("sql", "DROP x TABLE users", Effect::Ask),
        ("exact", "\nDROP\nTABLE  users\n", Effect::Deny),
        ("exact", "DROP TABLE users2", Effect::Ask),
        // An allowance means its text letter for letter.
        ("open", "DROP TABLE users", Effect::Allow),
        ("open", "DROP  TABLE users", Effect::Ask),
        ("open", "DROP\nTABLE users", Effect::Ask),
        ("open", " DROP TABLE users", Effect::Ask),
    ] {
        assert_eq!(effect(&policy, tool, json!({ "q": text })), expected, "{tool} {text:?}");
    }
    // Also where the kind is unknown, and in a value of the kind JSON.
    let policy = whole(json!({
        "tools": { "any": { "target": "q" }, "json": { "target": "q", "kind": "json" } },
        "rules": [{ "deny": "any:*DROP TABLE*" }, { "deny": "json:*DROP TABLE*" }],
    }));
    assert_eq!(effect(&policy, "any", json!({ "q": "x; DROP\n TABLE y" })), Effect::Deny);
    assert_eq!(effect(&policy, "json", json!({ "q": ["x; DROP\n TABLE y"] })), Effect::Deny);
}

#[test]
fn a_wildcard_allows_no_command_with_the_words_of_a_denial() {
    let with = |denial: &str, allowances: &[&str]| {
        let allow = allowances.iter().map(|pattern| json!({ "allow": pattern }));
        let rules: Vec<Value> = allow.chain([json!({ "deny": denial })]).collect();
        whole(json!({ "tools": { "bash": { "target": "c", "kind": "shell" } }, "rules": rules }))
    };
    let open = ["bash", "bash:git *", "bash:rm *", "bash:cat *", "bash:tar *"];
    for (denial, command) in [
        ("git push --force*", "git push origin main --force"),
        ("git push --force*", "git push origin --force-with-lease=main:abc"),
        ("git push --force*", "cd x && git push origin 'main' --force"),
        ("git push -f *", "git push origin -f"),
        ("git push -f", "git push origin -vf"),
        ("rm -rf *", "rm -fr /srv"),
        ("rm -rf *", "rm -r x -f y"),
        ("rm -rf *", "rm -Rvf y"),
        ("cat /etc/shadow", "cat notes.txt /etc/shadow"),
        ("cat /etc/shadow", "cat /etc/shadow notes.txt"),
        ("cat /etc/shadow", "cat /etc//shadow"),
        ("cat /etc/shadow", "cat /etc/x/../shadow"),
        ("cat .env", "cat ./.env a"),
        ("tar --file=/srv/x", "tar x --file=/srv/x"),
        ("tar --extract", "tar x --extract=yes"),
        ("tar /srv/x", "tar x --file=/srv/x"),
    ] {
        let denial = ["bash:", denial].concat();
        let policy = with(&denial, &open);
        let input = json!({ "c": command });
        let call =
            Call { tool: "bash", server: None, input: Some(&input.clone().into()), hints: Hints::default() };
        let explained = policy.explain(call, &Native);
        let Judgement { effect: found, because, .. } = explained.judgement;
        assert_eq!((found, because), (Effect::Ask, Because::Default), "{denial}: {command}");
        assert_eq!(
            explained.near.last().map(|(_, miss)| *miss),
            Some(Miss::Scattered),
            "{denial}: {command}"
        );
        // Nothing but the denial stood in its way, and whoever writes the command out means it.
        let literal = ["bash:", command].concat();
        assert_eq!(effect(&with("bash:other", &open), "bash", input.clone()), Effect::Allow, "{command}");
        if !command.contains("&&") {
            assert_eq!(
                effect(&with(&denial, &[&literal]), "bash", input),
                Effect::Allow,
                "{denial}: {command}"
            );
        }
    }
    // Names alone say nothing in another order, and other words are other words.
    for (denial, command) in [
        ("git push", "git push origin"),
        ("git push origin", "git origin push"),
        ("git push my-branch", "git push origin my-branch"),
        ("git push --force*", "git pull --force"),
        ("git push --force", "git push --force-if-includes"),
        ("git push -f *", "git push --follow-tags"),
        ("rm -rf *", "rm -r x"),
        ("cat /etc/shadow", "cat /etc/hosts"),
        ("cat /etc/shadow", "git show /etc/shadow"),
    ] {
        let policy = with(&["bash:", denial].concat(), &open);
        assert_eq!(effect(&policy, "bash", json!({ "c": command })), Effect::Allow, "{denial}: {command}");
    }
    // A denial by arguments looks at those, and a question is kept like a denial.
    let rules = json!([{ "allow": "bash" }, { "deny": "bash(c=rm -rf *)" }, { "ask": "bash:git push -f *" }]);
    let policy = whole(json!({ "tools": { "bash": { "target": "c", "kind": "shell" } }, "rules": rules }));
    for (command, expected) in
        [("rm x -rf", Effect::Ask), ("git push x -f", Effect::Ask), ("rm x", Effect::Allow)]
    {
        assert_eq!(effect(&policy, "bash", json!({ "c": command })), expected, "{command}");
    }
}

#[test]
fn problems_name_the_place_and_the_mend() {
    let tools = json!({ "bash": { "target": "command", "kind": "shell" }, "odd": { "kind": "sql" } });
    let long = format!("bash:{}", "a".repeat(300));
    let Loaded { problems, .. } = loaded(json!({ "tools": tools, "layers": { "app": [
        { "allow": "bash:" },
        { "allow": "*" },
        { "allow": "other:x*" },
        { "allow": "bash:ls *", "deny": "bash" },
        { "deny": "bash", "always": true },
        { "ask": "bash:ls", "match": ["ls", "cat"] },
        { "ask": "bash:ls*", "notMatch": ["lsof"] },
        { "deny": long },
        { "deny": "a", "id": "same" },
        { "deny": "b", "id": "same" },
        { "deny": 7 },
        { "deny": { "tool": "bash", "tokens": ["rm"], "target": "x" } },
        { "deny": { "tool": "t", "args": {} } },
        { "allow": "bash:sudo *" },
    ] } }));
    let found: Vec<(Code, &str, Option<usize>)> =
        problems.iter().map(|problem| (problem.code, problem.place.as_str(), problem.at)).collect();
    assert_eq!(
        found,
        [
            (Code::Type, "tools.odd.kind", None),
            (Code::Syntax, "layers.app[0].allow", Some(5)),
            (Code::Unclear, "layers.app[1].allow", None),
            (Code::NoTarget, "layers.app[2].allow", None),
            (Code::Type, "layers.app[3]", None),
            (Code::Field, "layers.app[4].always", None),
            (Code::Match, "layers.app[5].match[1]", None),
            (Code::NotMatch, "layers.app[6].notMatch[0]", None),
            (Code::Limit, "layers.app[7].deny", None),
            (Code::Id, "layers.app[9].id", None),
            (Code::Type, "layers.app[10].deny", None),
            (Code::Type, "layers.app[11].deny", None),
            (Code::Type, "layers.app[12].deny.args", None),
            (Code::Unclear, "layers.app[13].allow", None),
        ]
    );
    for problem in &problems {
        assert!(problem.message.ends_with('.') && problem.mend.len() > 10, "{problem:?}");
    }
}

#[test]
fn added_rules_only_tighten() {
    let mut rules = loaded(json!({ "rules": [{ "allow": "a" }, { "allow": "b" }] }));
    assert_eq!(rules.problems, []);
    assert_eq!(load::tighten(&mut rules, &json!([{ "deny": "a" }]).into(), &Native), []);
    assert_eq!(effect(&rules.policy, "a", json!({})), Effect::Deny);
    assert_eq!(effect(&rules.policy, "b", json!({})), Effect::Allow);
    let before = format!("{rules:?}");
    let problems = load::tighten(&mut rules, &json!([{ "deny": "b" }, { "allow": "c" }]).into(), &Native);
    assert_eq!(problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [Code::Loosens]);
    assert_eq!(format!("{rules:?}"), before, "nothing is added");
}

/// Rules and calls with few names, so that rules often match.
fn rule() -> impl Strategy<Value = Value> {
    let pattern = prop_oneof![
        Just("t"),
        Just("t*"),
        Just("u"),
        Just("t:a*"),
        Just("t:*b"),
        Just("t:a b"),
        Just("s/t"),
        Just("t(x=a*)"),
    ];
    (0..4usize, pattern).prop_map(|(effect, pattern)| match effect {
        0 => json!({ "allow": pattern }),
        1 => json!({ "ask": pattern }),
        2 => json!({ "ask": pattern, "always": true }),
        _ => json!({ "deny": pattern }),
    })
}

fn input() -> impl Strategy<Value = Value> {
    let text = "[abAB ]{0,4}";
    prop_oneof![
        text.prop_map(|text| json!({ "x": text })),
        (text, text).prop_map(|(x, y)| json!({ "x": x, "y": y })),
        text.prop_map(|text| json!({ "x": [text] })),
        Just(json!({})),
    ]
}

/// The judgement of the first of all rules that matches, from the strictest on.
fn judged_by_every_rule(policy: &Policy, call: Call) -> Judgement {
    let work = Work::default();
    let context = EvaluationContext::new(&policy.tools, call, &Native, &work);
    let answer = |effect, always, because, rule| Judgement { effect, always, because, rule };
    let rules = || policy.rules.iter().enumerate();
    let strictest = |effect: Effect, always: bool| {
        let layers = Layer::ALL.iter().rev();
        layers.clone().find_map(|layer| {
            let of_layer = |rule: &Rule| rule.effect == effect && rule.layer == *layer;
            let is_always = |rule: &Rule| effect == Effect::Ask && rule.always;
            let mut all = rules().filter(|(_, rule)| of_layer(rule) && is_always(rule) == always);
            all.find(|(_, rule)| context.matches_any_reading(rule)).map(|(i, _)| i)
        })
    };
    if let Some(i) = strictest(Effect::Deny, false) {
        return answer(Effect::Deny, false, Because::Rule, Some(i));
    }
    if policy.left_out.covers(&context.called) {
        return answer(Effect::Ask, true, Because::BrokenRules, None);
    }
    for always in [true, false] {
        if let Some(i) = strictest(Effect::Ask, always) {
            return answer(Effect::Ask, always, Because::Rule, Some(i));
        }
    }
    let allows = || {
        let allows = rules().filter(|(_, rule)| rule.effect == Effect::Allow && !policy.is_locked(rule));
        allows.filter(|(_, rule)| rule.name.matches_strictly(&context.called))
    };
    // In a command with the words of a denial or a question, no wildcard stands for anything.
    let strict = |rule: &Rule| rule.effect != Effect::Allow && rule.name.matches_any_reading(&context.called);
    let has_words = rules().any(|(_, rule)| strict(rule) && context.has_words_of(rule));
    let allows = || allows().filter(|(_, rule)| !has_words || rule.is_word_for_word());
    let whole = allows().find(|(_, rule)| context.matches_strictly(rule));
    let covering = |part| allows().find(|(_, rule)| context.part_matches_strictly(part, rule));
    let parts: Option<Vec<_>> = (0..context.parts()).map(covering).collect();
    let in_parts = parts.and_then(|parts| parts.first().copied());
    match whole.or(in_parts) {
        Some(_) if call.hints.destructive => answer(Effect::Ask, false, Because::Hint, None),
        Some((i, _)) => answer(Effect::Allow, false, Because::Rule, Some(i)),
        None => answer(Effect::Ask, false, Because::Default, None),
    }
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["bash", "Bash", "fetch", "read", "copy", "note", "b", "readme"])
}

/// Rules for tools of each kind, whose patterns have much in common.
fn any_rule() -> impl Strategy<Value = Value> {
    let tool = prop::sample::select(vec![
        "bash", "fetch", "read", "copy", "note", "*", "b*", "s/*", "s/bash", "*/read", "re?d", "s*/*",
    ]);
    let pattern = prop::sample::select(vec![
        "",
        "",
        ":*",
        ":git *",
        ":git status",
        ":git status *",
        ":rm *",
        ":*status*",
        ":/srv/*",
        ":/srv/a/**",
        ":src/**",
        ":https://a.example.com/*",
        ":https://*",
        ":*.example.com",
        ":a.example.com/x",
        "(x=/srv/*)",
        "(x=/srv/a/*, y=/tmp/*)",
        "(x=true)",
        "(y=git *)",
        ":ls -la",
        ":ls*",
        ":status",
        ":git --short status",
        ":rm /srv/a/b",
    ]);
    (0..5usize, tool, pattern).prop_map(|(effect, tool, pattern)| {
        let text = format!("{tool}{pattern}");
        match effect {
            0 | 1 => json!({ "allow": text }),
            2 => json!({ "ask": text }),
            3 => json!({ "ask": text, "always": true }),
            _ => json!({ "deny": text }),
        }
    })
}

fn any_input() -> impl Strategy<Value = Value> {
    let piece = prop::sample::select(vec![
        "git",
        "git status",
        "status",
        "--short",
        "rm",
        "-rf",
        "&&",
        ";",
        "|",
        "ls",
        "ls -la",
        "'git'",
        "\"status\"",
        "/srv/a/b",
        "/srv/../srv/a",
        "/tmp/x",
        "src/a",
        "https://a.example.com/",
        "https://A.example.com/x?y#z",
        "HTTPS://b.example.com",
        "a.example.com/x",
        "%2fsrv",
        "ｇit",
        "é",
        "=",
        ":",
        "/",
        "-",
        "true",
        "*.ts",
        "$(rm x)",
    ]);
    let text = prop::collection::vec((piece, prop::sample::select(vec![" ", " ", "", "/"])), 1..5)
        .prop_map(|pieces| pieces.iter().map(|(piece, after)| [*piece, *after].concat()).collect::<String>());
    (text.clone(), prop_oneof![2 => Just(None), 1 => text.prop_map(Some)], 0..6usize).prop_map(
        |(x, y, shape)| match (y, shape) {
            (Some(y), 0) => json!({ "x": [x, y] }),
            (Some(y), _) => json!({ "x": x, "y": y }),
            (None, 0) => json!({ "z": { "x": x } }),
            (None, 1) => json!({ "x": true }),
            (None, _) => json!({ "x": x.trim() }),
        },
    )
}

proptest! {
    #[test]
    fn adding_a_rule_never_loosens(
        rules in prop::collection::vec(rule(), 0..5),
        more in rule(),
        input in input(),
        tool in prop_oneof![Just("t"), Just("T"), Just("u"), Just("tu")],
    ) {
        let tools = json!({ "t": { "target": "x" } });
        let before = policy(json!({ "tools": tools, "rules": rules }));
        let all: Vec<Value> = rules.iter().chain([&more]).cloned().collect();
        let after = policy(json!({ "tools": tools, "rules": all }));
        let (before, after) = (judge(&before, tool, input.clone()), judge(&after, tool, input));
        let strength = |judgement: Judgement| (judgement.effect, judgement.always);
        // An allowance changes only what no rule had decided.
        let silent = before.because == Because::Default && more.get("allow").is_some();
        prop_assert!(silent || strength(after) >= strength(before), "{before:?} {after:?}");
    }

    /// The law, from its text: what is left out allows nothing. No call whose denial or question went with it gets an
    /// easier answer than before, except that a denial becomes a question that no grant answers.
    #[test]
    fn leaving_a_rule_out_never_loosens(
        before in prop::collection::vec(rule(), 0..4),
        (good, damage) in (rule(), 0..9usize),
        after in prop::collection::vec(rule(), 0..4),
        input in input(),
        tool in prop_oneof![Just("t"), Just("T"), Just("u"), Just("tu"), Just("v")],
        server in prop_oneof![Just(None), Just(Some("s"))],
    ) {
        let mut bad = good.clone();
        let effect = ["allow", "ask", "deny"].into_iter().find(|effect| good.get(*effect).is_some()).unwrap();
        match damage {
            0 => bad["when"] = json!("now"),
            1 => bad["id"] = json!(7),
            2 => bad["why"] = json!([]),
            3 => bad["match"] = json!("t"),
            4 => bad["notMatch"] = json!([{}, { "x": "aab" }, { "x": "a b" }, { "x": "ab" }, 7]),
            5 => bad["always"] = json!("yes"),
            6 => bad[effect] = json!(format!(" {}", good[effect].as_str().unwrap())),
            7 => {
                let name = good[effect].as_str().unwrap().split([':', '(']).next().unwrap();
                bad[effect] = json!(format!("{name}:{}", "a".repeat(300)));
            }
            _ => bad = json!({ "rule": good[effect] }),
        }
        let tools = json!({ "t": { "target": "x" } });
        let with = |rule: &[Value]| {
            let rules: Vec<Value> = before.iter().chain(rule).chain(&after).cloned().collect();
            let policy = policy(json!({ "tools": tools, "rules": rules }));
            policy.judge(Call { tool, server, input: Some(&input.clone().into()), hints: Hints::default() }, &Native)
        };
        let (mended, broken, none) = (with(std::slice::from_ref(&good)), with(std::slice::from_ref(&bad)), with(&[]));
        // How far a call is from running by itself: a rule runs it, a grant could, only a person can.
        let distance = |judgement: Judgement| match judgement.effect {
            Effect::Allow => 0,
            Effect::Ask if !judgement.always => 1,
            _ => 2,
        };
        prop_assert!(distance(broken) >= distance(mended), "{bad} {mended:?} {broken:?}");
        prop_assert!(distance(broken) >= distance(none), "{bad} {none:?} {broken:?}");
        prop_assert!(none.effect != Effect::Deny || broken.effect == Effect::Deny, "{bad} loses a denial");
        // An allowance that is left out is as if it had never been written. Damage 4 may leave it whole, and damage 8
        // hides that it is an allowance.
        if effect == "allow" && damage != 4 && damage != 8 {
            prop_assert_eq!((broken.effect, broken.always), (none.effect, none.always));
        }
    }

    /// The law, from its text: a command with the words of a denial, in any order and with others between them, is not
    /// allowed by a wildcard.
    #[test]
    fn no_order_of_words_leads_past_a_denial(
        words in prop::sample::subsequence(vec!["--force", "--all", "main", "/etc/x", "a.txt", "up"], 1..5),
        more in prop::collection::vec(prop::sample::select(vec!["origin", "--tags", "b.txt", "/srv", "-v"]), 0..4),
        seed in any::<u64>(),
        allowance in prop::sample::select(vec!["bash", "bash:deploy *", "bash:deploy*"]),
    ) {
        let is_particular = |word: &&str| word.starts_with('-') || word.contains(['/', '.']);
        prop_assume!(words.iter().any(is_particular));
        let denial = format!("bash:deploy {}", words.join(" "));
        let mut command: Vec<&str> = words.into_iter().chain(more).collect();
        let key = |at: usize| (at as u64 + 1).wrapping_mul(seed | 1).rotate_left(17);
        let mut order: Vec<usize> = (0..command.len()).collect();
        order.sort_by_key(|at| key(*at));
        command = order.into_iter().map(|at| command[at]).collect();
        let tools = json!({ "bash": { "target": "c", "kind": "shell" } });
        let rules = |more: &[Value]| {
            let all: Vec<Value> = [json!({ "allow": allowance })].into_iter().chain(more.iter().cloned()).collect();
            whole(json!({ "tools": tools, "rules": all }))
        };
        let input = json!({ "c": format!("deploy {}", command.join(" ")) });
        prop_assert_eq!(effect(&rules(&[]), "bash", input.clone()), Effect::Allow);
        prop_assert_ne!(effect(&rules(&[json!({ "deny": denial })]), "bash", input), Effect::Allow);
    }

    /// The index leaves out only rules that do not match: each call is judged as if every rule were asked in turn.
    #[test]
    fn the_index_changes_no_judgement(
        rules in prop::collection::vec(any_rule(), 0..24),
        (tool, server) in (name(), prop_oneof![3 => Just(None), 1 => Just(Some("s")), 1 => Just(Some("S"))]),
        input in any_input(),
        destructive in any::<bool>(),
    ) {
        let layers: Value = Layer::NAMES.iter().zip(rules.chunks(6)).map(|(layer, rules)| ((*layer).to_owned(), json!(rules))).collect::<serde_json::Map<_, _>>().into();
        let tools = json!({
            "bash": { "target": "x", "kind": "shell" },
            "fetch": { "target": "x", "kind": "url" },
            "read": { "target": "x", "kind": "path" },
            "copy": { "args": { "x": "path", "y": "path" } },
        });
        let policy = policy(json!({ "tools": tools, "layers": layers }));
        let input = input.into();
        let call = Call { tool, server, input: Some(&input), hints: Hints { destructive } };
        let judgement = policy.judge(call, &Native);
        prop_assert_eq!(judgement, judged_by_every_rule(&policy, call));
        prop_assert_eq!(policy.explain(call, &Native).judgement, judgement);
    }

    #[test]
    fn any_json_is_rules_or_problems(text in "[\\[\\]{}:,\"a-z0-9 *()=/]{0,60}") {
        let config: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let policy = policy(json!({ "rules": [config.clone()], "tools": { "t": config } }));
        let found = effect(&policy, "zzz", Value::Null);
        prop_assert_ne!(found, Effect::Allow);
    }
}
