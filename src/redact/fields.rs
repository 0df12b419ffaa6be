//! Secrets in fields that are named by another field, and in XML elements.

use super::flags::lengths;
use super::names::{self, Secrecy};
use super::random::is_token;
use super::scanner::Scanner;
use super::values::Assignment;

/// For each first letter, the lengths of the words for which [`Scanner::field`] has to be called.
pub const FIELD: [u32; 32] = lengths(
    &["value", "values", "val", "default", "name", "key", "header", "variable", "var", "env", "parameter"],
    [0; 32],
);

impl Scanner<'_> {
    /// Handles a field whose content is named by a field beside it, as in `{"name": "password", "value": …}`;
    /// in a text also the fields of YAML and HTML.
    pub fn field(&mut self, run: &str, end: usize, assigned: usize) -> Secrecy {
        let is_value = matches!(run, "value" | "values" | "val" | "default" | "Value");
        let is_name = matches!(
            run,
            "name" | "key" | "header" | "variable" | "var" | "env" | "parameter" | "Name" | "Key"
        );
        if !is_value && !is_name {
            return Secrecy::Open;
        }
        let is_near = |from: usize, to: usize| {
            from <= to
                && to - from <= 200
                && !self.bytes.get(from..to).unwrap_or_default().iter().any(|b| matches!(b, b'{' | b'}'))
        };
        if is_value {
            if self.announced.take().is_some_and(|announced| is_near(announced, end)) {
                return Secrecy::Strong;
            }
            self.filled = Some((end, assigned));
            return Secrecy::Open;
        }
        self.announced = None;
        let from = self.past(assigned, |byte| matches!(byte, b' ' | b'\t' | b'\\' | b'"' | b'\''));
        if from > assigned + 16 {
            return Secrecy::Open;
        }
        let to = self.past(from, |byte| is_token(byte) || byte == b'.');
        if to > from + 80 || names::secrecy(self.slice(from, to)).strong() < Secrecy::Strong {
            return Secrecy::Open;
        }
        self.announced = Some(to);
        if let Some((at, assigned)) = self.filled.take()
            && self.byte(self.past(assigned, |byte| matches!(byte, b' ' | b'\\'))) != b'\n'
            && is_near(at, end)
        {
            self.value(Assignment {
                name: "value",
                secrecy: Secrecy::Strong,
                end: at,
                assigned,
                in_query: false,
            });
            // One name belongs to one value.
            self.announced = None;
        }
        Secrecy::Open
    }

    /// Hides the content of an XML element.
    pub fn element(&mut self, name: &str, from: usize) -> usize {
        let close = self.past(from, |byte| byte != b'<');
        let is_closed = self
            .rest(close)
            .strip_prefix("</")
            .is_some_and(|rest| rest.starts_with(name) && rest.as_bytes().get(name.len()) == Some(&b'>'));
        let text = self.slice(from, close);
        let words = text.trim();
        // An unclosed element, or one with an operator and a blank, may be a redirection.
        let acts = words.contains(['\n', '|', '`'])
            || text.contains('\n') && words.contains(' ')
            || [" ;", "; ", " &", "& ", "&&", "$("].iter().any(|operator| words.contains(operator));
        if is_closed && !acts { self.hide(from, close) } else { from }
    }
}
