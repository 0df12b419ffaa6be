//! The conformance vectors, run natively. Remembered state is created by scanning the same list first with
//! the question, then with the answer.

use crate::common::{Page, RESIDUE, parts};
use serde_json::{Value, json};
use tool_approval_guard::core::id::StringId;
use tool_approval_guard::core::policy::WhenUserSends;
use tool_approval_guard::server::decisions::{self, Known, Request};
use tool_approval_guard::server::merge;

fn load(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the file is there");
    let vectors: Vec<Value> = serde_json::from_str(&text).expect("the file is a list");
    assert!(!vectors.is_empty(), "{name}.json is empty");
    vectors
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// The place of a decision's call: by its approval id, otherwise the last part with its call id.
fn place_of(decision: &Value, lists: [&[Value]; 2]) -> Option<(usize, usize)> {
    let mut by_call = None;
    for messages in lists {
        for (i, message) in messages.iter().enumerate() {
            for (j, part) in parts(message).iter().enumerate() {
                if part["approval"]["id"] == decision["approvalId"] {
                    return Some((i, j));
                }
                if part["toolCallId"] == decision["toolCallId"] {
                    by_call = Some((i, j));
                }
            }
        }
    }
    by_call
}

/// The approval object of the question, and of the answer.
fn approvals(decision: &Value) -> (Value, Value) {
    let mut question = decision.get("approval").cloned().unwrap_or_else(|| json!({}));
    question["id"] = decision["approvalId"].clone();
    let mut answer = question.clone();
    for field in ["approved", "reason"] {
        if let Some(value) = decision.get(field) {
            answer[field] = value.clone();
        }
    }
    (question, answer)
}

/// Shows the guard, in order, what a person saw and decided.
fn bring_in(page: &mut Page, vector: &Value) {
    let messages = list(&vector["messages"]);
    let expected = list(&vector["expect"]["messages"]);
    let mut asking = messages.clone();
    let mut answers = Vec::new();
    for decision in list(&vector["decisions"]) {
        let (question, answer) = approvals(&decision);
        let Some((i, j)) = place_of(&decision, [&expected, &messages]) else {
            // A decision whose call no longer exists was made on a message that is gone.
            let part = |state: &str, approval: Value| {
                json!([{ "id": "gone", "role": "assistant", "parts": [{
                    "type": "tool-elsewhere", "toolCallId": decision["toolCallId"], "state": state,
                    "input": {}, "approval": approval,
                }] }])
            };
            page.sweep(&list(&part("approval-requested", question)));
            page.sweep(&list(&part("approval-responded", answer)));
            continue;
        };
        let part = &mut asking[i]["parts"][j];
        let fields = part.as_object_mut().expect("a part is an object");
        fields.retain(|field, _| !RESIDUE.contains(&field.as_str()));
        part["state"] = "approval-requested".into();
        part["approval"] = question;
        answers.push((i, j, answer));
    }
    if answers.is_empty() {
        return;
    }
    page.sweep(&asking);
    for (i, j, answer) in answers {
        asking[i]["parts"][j]["state"] = "approval-responded".into();
        asking[i]["parts"][j]["approval"] = answer;
        page.sweep(&asking);
    }
}

fn report(name: &str, count: usize, failures: &[String]) {
    println!("{name}: {count} vectors");
    assert!(failures.is_empty(), "{} of {count} failed\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn decide() {
    let vectors = load("decide");
    let mut failures = Vec::new();
    for vector in &vectors {
        let mut page = Page::new(&[], |_| {});
        bring_in(&mut page, vector);
        let reason = page.ask(&list(&vector["messages"]));
        if vector["expect"]["send"] != reason.sends() {
            failures.push(format!("{} {}: {}", vector["id"], vector["title"], reason.name()));
        }
    }
    report("decide.json", vectors.len(), &failures);
}

/// After its response has ended, a denial may be sent as settled.
fn settled_as_answered(messages: &[Value]) -> Vec<Value> {
    let mut messages = messages.to_vec();
    for part in messages.iter_mut().filter_map(|m| m["parts"].as_array_mut()).flatten() {
        if part["state"] == "output-denied" && part["approval"]["approved"] == false {
            part["state"] = "approval-responded".into();
        }
    }
    messages
}

/// What every later request without a message of a person carries: an allowance that was sent and has no result is closed,
/// because a server that finds it once more runs its call again (law 16).
fn closed(messages: &[Value], person: bool) -> Vec<Value> {
    let mut messages = messages.to_vec();
    let last = messages.last_mut().filter(|_| !person);
    for part in last.and_then(|message| message["parts"].as_array_mut()).into_iter().flatten() {
        if part["state"] == "approval-responded" && part["approval"]["approved"] == true {
            part["approval"]["approved"] = false.into();
            part["approval"]["reason"] = "superseded".into();
        }
    }
    messages
}

#[test]
fn normalize() {
    let vectors = load("normalize");
    let mut failures = Vec::new();
    for vector in &vectors {
        let mut page = Page::new(&[], |options| options.policy.when_user_sends = WhenUserSends::Pass);
        bring_in(&mut page, vector);
        let messages = list(&vector["messages"]);
        let expected = list(&vector["expect"]["messages"]);
        let person = messages.last().is_some_and(|message| message["role"] != "assistant");
        for round in ["first", "second"] {
            let (request, wire) = page.send(&messages, StringId(1), person);
            let equal = match round {
                "first" => wire == expected,
                _ => settled_as_answered(&wire) == settled_as_answered(&closed(&expected, person)),
            };
            if !equal {
                let wire = Value::from(wire);
                failures.push(format!("{} {}, {round} request: {wire}", vector["id"], vector["title"]));
            }
            page.tell(tool_approval_guard::core::guard::Fact::Started(request));
            page.tell(tool_approval_guard::core::guard::Fact::Ended(request));
        }
    }
    report("normalize.json", vectors.len(), &failures);
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// What a server knows in addition to the list, according to a vector.
fn known(vector: &Value) -> Known<'_> {
    Known {
        client_tools: names(&vector["clientTools"]),
        requested: vector["requested"].as_array().map(|requests| {
            requests
                .iter()
                .map(|request| Request {
                    approval_id: request["approvalId"].as_str().expect("an approval id"),
                    tool_call_id: request["toolCallId"].as_str().expect("a call id"),
                })
                .collect()
        }),
    }
}

#[test]
fn server() {
    let vectors = load("server");
    let mut failures = Vec::new();
    for vector in &vectors {
        let messages = vector["messages"].clone().into();
        let known = known(vector);
        let decisions = decisions::read(&messages, &known);
        let decisions = serde_json::to_value(decisions).expect("they are JSON");
        if decisions != vector["expect"] {
            failures.push(format!(
                "{} {}\n  expected {}\n  got      {decisions}",
                vector["id"], vector["title"], vector["expect"]
            ));
        }
    }
    report("server.json", vectors.len(), &failures);
}

#[test]
fn merge_answers() {
    let vectors = load("merge");
    let mut failures = Vec::new();
    for vector in &vectors {
        let (stored, sent) = (&vector["stored"], &vector["sent"]);
        let merged = {
            let editable: Vec<_> = names(&vector["editable"]);
            let tools = merge::Tools { client: &known(vector).client_tools, editable: &editable };
            merge::merge(&stored.clone().into(), &sent.clone().into(), tools)
        };
        let expected = &vector["expect"];
        let part = |list: &Value, (message, part): (usize, usize)| list[message]["parts"][part].clone();
        let mut wrong = Vec::new();
        // Each change says what the result has at its place, and nothing else has changed.
        let mut messages = expected["messages"].clone();
        for change in &merged.changes {
            let (was, is) = (part(stored, change.stored), part(&messages, change.stored));
            let approved = |part: &Value| part["approval"]["approved"].as_bool();
            let edited = change.edited.then(|| part(sent, change.sent)["input"].clone());
            let is_right = is["state"] == change.state.name()
                && is["input"] == edited.unwrap_or_else(|| was["input"].clone())
                && approved(&is) == change.approved.or_else(|| approved(&was));
            wrong.extend((!is_right).then_some(format!("{change:?}")));
        }
        for change in &merged.changes {
            let (message, at) = change.stored;
            messages[message]["parts"][at] = part(stored, change.stored);
        }
        let kept = stored.as_array().map_or(0, Vec::len);
        let list = messages.as_array_mut().expect("a list");
        let added: Vec<_> = list.drain(kept..).collect();
        let sent_again: Vec<_> = merged.added.iter().map(|&at| sent[at].clone()).collect();
        wrong.extend((messages != *stored).then_some("changes are missing".to_owned()));
        wrong.extend((added != sent_again).then_some(format!("added: {:?}", merged.added)));
        let refused = serde_json::to_value(merged.refused).expect("it is JSON");
        wrong.extend((refused != expected["refused"]).then_some(format!("refused: {refused}")));
        if !wrong.is_empty() {
            failures.push(format!("{} {}: {}", vector["id"], vector["title"], wrong.join("; ")));
        }
    }
    report("merge.json", vectors.len(), &failures);
}
