//! The stored form of a claim: one line of JSON. It is read and written by hand, because derived code for it is
//! three times as large as the rest of the module.

use super::claim::{Claim, End, State};
use crate::core::json::{self, Value};

/// The version of the stored form.
const VERSION: u64 = 1;

/// Reads a claim; `None` if the text is damaged or of another version.
pub fn read(text: &str) -> Option<Claim> {
    // Its numbers are whole.
    let fields = &json::parse(text, &|_| f64::NAN)?;
    if number(fields, "v")? != VERSION {
        return None;
    }
    let token = || text_of(fields, "token");
    let until = || number(fields, "until");
    let flag = |name| fields.get(name).and_then(Value::as_bool);
    let end = || Some(End { kept: flag("kept")?, settled: flag("settled").unwrap_or(false) });
    let state = match fields.get("state")?.as_str()? {
        "asked" => State::Asked,
        "taken" => State::Taken { token: token()?, until: until()? },
        "running" => State::Running { token: token()?, until: until()? },
        "done" => State::Done(end()?),
        "failed" => State::Failed(end()?),
        "in-doubt" => State::InDoubt { token: token()? },
        "denied" => State::Denied,
        _ => return None,
    };
    Some(Claim {
        call: text_of(fields, "call")?,
        tool: text_of(fields, "tool")?,
        input: optional(fields, "input", text_of)?,
        edit: optional(fields, "edit", text_of)?,
        user: optional(fields, "user", text_of)?,
        expires: optional(fields, "expires", number)?,
        at: number(fields, "at")?,
        state,
    })
}

/// Writes a claim.
pub fn write(claim: &Claim) -> String {
    let mut line = Line(String::from("{\"v\":"));
    line.0.push_str(&json::digits(VERSION));
    line.text("call", Some(&claim.call));
    line.text("tool", Some(&claim.tool));
    line.text("input", claim.input.as_deref());
    line.text("edit", claim.edit.as_deref());
    line.text("user", claim.user.as_deref());
    line.number("expires", claim.expires);
    line.number("at", Some(claim.at));
    line.text("state", Some(claim.state.name()));
    match &claim.state {
        State::Taken { token, until } | State::Running { token, until } => {
            line.text("token", Some(token));
            line.number("until", Some(*until));
        }
        State::InDoubt { token } => line.text("token", Some(token)),
        State::Done(end) | State::Failed(end) => {
            line.field("kept", if end.kept { "true" } else { "false" });
            if end.settled {
                line.field("settled", "true");
            }
        }
        State::Asked | State::Denied => {}
    }
    line.0.push('}');
    line.0
}

/// A line that is being written.
struct Line(String);

impl Line {
    fn field(&mut self, name: &str, json: &str) {
        self.0.push_str(",\"");
        self.0.push_str(name);
        self.0.push_str("\":");
        self.0.push_str(json);
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            let mut text = String::new();
            json::write_text(value, &mut text);
            self.field(name, &text);
        }
    }

    fn number(&mut self, name: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.field(name, &json::digits(value));
        }
    }
}

fn text_of(fields: &Value, name: &str) -> Option<String> {
    fields.get(name)?.as_str().map(ToOwned::to_owned)
}

fn number(fields: &Value, name: &str) -> Option<u64> {
    fields.get(name)?.as_time()
}

/// A field that may be missing, and must otherwise be right.
fn optional<T>(fields: &Value, name: &str, read: fn(&Value, &str) -> Option<T>) -> Option<Option<T>> {
    match fields.get(name) {
        None => Some(None),
        Some(_) => read(fields, name).map(Some),
    }
}
