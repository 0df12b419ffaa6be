//! Reads messages and tool parts as a page does.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;
use tool_approval_guard::core::call::{Answer, Digest, PartFlags};
use tool_approval_guard::core::protocol::ToolState;

use super::SUPERSEDED;

/// The fields that a denied call must not have.
pub const RESIDUE: [&str; 4] = ["output", "errorText", "preliminary", "resultProviderMetadata"];

/// Whether it is a tool part.
pub fn is_tool(part: &Value) -> bool {
    part["type"].as_str().is_some_and(|t| t == "dynamic-tool" || t.starts_with("tool-"))
}

/// Whether a text part is not blank.
pub fn says_something(part: &Value) -> bool {
    part["type"] == "text" && part["text"].as_str().is_some_and(|text| !text.trim().is_empty())
}

/// The parts of a message.
pub fn parts(message: &Value) -> &[Value] {
    message["parts"].as_array().map_or(&[], Vec::as_slice)
}

fn digest(value: &Value) -> Digest {
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    hasher.finish() | 1
}

pub(super) fn digest_of(value: Option<&Value>) -> Digest {
    value.map_or(0, digest)
}

pub(super) fn flags(part: &Value) -> PartFlags {
    let answer = match part["approval"].get("approved") {
        Some(Value::Bool(true)) => Answer::Yes,
        Some(Value::Bool(false)) => Answer::No,
        Some(_) => Answer::Malformed,
        None => Answer::Absent,
    };
    PartFlags {
        state: part["state"].as_str().and_then(ToolState::from_name).unwrap_or(ToolState::Unknown),
        answer,
        provider: part["providerExecuted"] == true,
        preliminary: part["preliminary"] == true,
        residue: RESIDUE.iter().any(|field| part.get(field).is_some()),
        by_guard: part["errorText"] == SUPERSEDED,
    }
}
