//! Messages, and a page that has received them, for tests with one short history.

use serde_json::{Value, json};
use tool_approval_guard::core::guard::Fact;
use tool_approval_guard::core::id::StringId;

use crate::common::Page;

pub fn list(messages: Value) -> Vec<Value> {
    messages.as_array().cloned().unwrap_or_default()
}

pub fn user() -> Value {
    json!({ "id": "u", "role": "user", "parts": [{ "type": "text", "text": "go" }] })
}

/// A tool part with these fields in addition to the usual ones.
pub fn part(id: &str, state: &str, fields: Value) -> Value {
    let mut part = json!({ "type": "tool-run", "toolCallId": id, "state": state, "input": 1 });
    for (field, value) in fields.as_object().cloned().unwrap_or_default() {
        part[field] = value;
    }
    part
}

pub fn assistant(id: &str, steps: &[&Value]) -> Value {
    let parts = steps.iter().flat_map(|part| [json!({ "type": "step-start" }), (*part).clone()]);
    json!({ "id": id, "role": "assistant", "parts": parts.collect::<Vec<_>>() })
}

/// A page whose first request was answered with these chunks.
pub fn heard(chunks: &[Value]) -> Page {
    let mut page = Page::new(&[], |_| {});
    let (request, _) = page.send(&[user()], StringId(1), true);
    page.tell(Fact::Started(request));
    for chunk in chunks {
        page.hear(request, chunk);
    }
    page.tell(Fact::Ended(request));
    page
}

pub fn asking(id: &str, approval: &str) -> [Value; 2] {
    [
        json!({ "type": "tool-input-available", "toolCallId": id }),
        json!({ "type": "tool-approval-request", "toolCallId": id, "approvalId": approval }),
    ]
}
