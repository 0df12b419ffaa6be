//! What is shown of an input, and what is recorded of it.
//!
//! The input of the tool is never changed: [`redact`] returns a new value. There are two views. The person
//! who decides sees everything that matters for the decision (tool, command word, host, path). Everything
//! that outlives the decision (audit, storage, notification, clipboard) gets a stricter view. All masks have
//! the same width, whatever they hide.

// The build replaces what `{:?}` calls by traps (`FOR_DEVELOPERS` in pkg-template/build.mjs).
#![cfg_attr(not(test), warn(clippy::use_debug))]

mod commands;
mod fields;
mod flags;
mod headers;
mod marks;
mod names;
mod quotes;
mod random;
mod scan;
mod scanner;
mod shapes;
mod urls;
mod values;
mod view;

use names::Secrecy;
use scanner::ScanOptions;
use serde_json::{Map, Value};
pub use view::{MASK, View};

/// The most bytes of text that are shown.
const TEXT: usize = 256 * 1024;

/// The deepest nesting that is shown.
const DEPTH: usize = 64;

/// The longest text that is recorded as it is.
const RECORDED: usize = 4 * 1024;

/// A view of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Redacted {
    /// The input with masks.
    pub value: Value,
    /// The places of the masks, in the order of the value.
    pub hidden: Vec<Hidden>,
}

/// A text that is masked, or whose name is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Its place in the view, RFC 6901. If a name is masked, the pointer contains the masked name.
    pub pointer: String,
    /// The number of its masks.
    pub count: usize,
}

/// Why an input cannot be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unshowable {
    /// It has more than 256 KB.
    TooLong,
    /// It has more than 64 levels.
    TooDeep,
}

/// Makes a view of an input.
pub fn redact(input: &Value, view: View) -> Result<Redacted, Unshowable> {
    let mut redactor = Redactor { view, left: TEXT, pointer: String::new(), hidden: Vec::new() };
    let value = redactor.value(input, Key::default(), 0)?;
    Ok(Redacted { value, hidden: redactor.hidden })
}

/// Makes a view of a single text, such as a reason or a title.
pub fn redact_text(text: &str, view: View) -> String {
    scan::mask(text, ScanOptions::at(view)).map_or_else(|| text.to_owned(), |(masked, _)| masked)
}

/// What a name says about its value.
#[derive(Clone, Copy, Default)]
struct Key<'a> {
    name: &'a str,
    secrecy: Secrecy,
    /// Whether the value is a random text that identifies a thing and is no secret.
    identifies: bool,
}

impl<'a> Key<'a> {
    fn new(name: &'a str) -> Self {
        Self { name, secrecy: names::secrecy(name), identifies: names::identifies(name) }
    }
}

struct Redactor {
    view: View,
    /// How many bytes are left of the limit.
    left: usize,
    pointer: String,
    hidden: Vec<Hidden>,
}

impl Redactor {
    fn value(&mut self, value: &Value, key: Key<'_>, depth: usize) -> Result<Value, Unshowable> {
        if depth > DEPTH {
            return Err(Unshowable::TooDeep);
        }
        self.take(1)?;
        match value {
            Value::Null | Value::Bool(_) => Ok(value.clone()),
            Value::Number(number) => {
                let digits = number.to_string();
                self.take(digits.len())?;
                Ok(if key.secrecy.hides_number(&digits) { self.mask() } else { value.clone() })
            }
            Value::String(text) => self.text(text, key),
            Value::Array(items) if items.is_empty() => Ok(value.clone()),
            Value::Object(fields) if fields.is_empty() => Ok(value.clone()),
            Value::Array(_) | Value::Object(_) => {
                let before = self.hidden.len();
                let made = match value {
                    Value::Array(items) => self.array(items, key, depth),
                    Value::Object(fields) => self.object(fields, key, depth),
                    _ => Ok(Value::Null),
                }?;
                // A record does not even show the names inside a secret, nor how many there are.
                if self.view == View::Record && key.secrecy > Secrecy::Open {
                    self.hidden.truncate(before);
                    return Ok(self.mask());
                }
                Ok(made)
            }
        }
    }

    fn array(&mut self, items: &[Value], key: Key<'_>, depth: usize) -> Result<Value, Unshowable> {
        let mut arguments = flags::Arguments::default();
        let mut made = Vec::with_capacity(items.len());
        // A header or a field as a pair of name and value.
        let pair = match items {
            [Value::String(name), Value::String(_)] => {
                // The name as it is shown, so that redacting a view changes nothing.
                let name = redact_text(name, self.view);
                let is_name = !name.contains([' ', '"', '\'', '=', ':']);
                if is_name { names::secrecy(&name).strong() } else { Secrecy::Open }
            }
            _ => Secrecy::Open,
        };
        for (index, item) in items.iter().enumerate() {
            let mut key = key;
            if index == 1 {
                key.secrecy = key.secrecy.max(pair);
            }
            if let Value::String(text) = item {
                key.secrecy = key.secrecy.max(arguments.next(text, |flag| self.named(flag)));
            }
            let item = self.at(&index.to_string(), |redactor| redactor.value(item, key, depth + 1))?;
            made.push(item);
        }
        Ok(Value::Array(made))
    }

    fn object(
        &mut self,
        fields: &Map<String, Value>,
        key: Key<'_>,
        depth: usize,
    ) -> Result<Value, Unshowable> {
        // `{ "name": "password", "value": … }`: one field names the content of another.
        let (mut named, mut filled) = (Secrecy::Open, Secrecy::Open);
        for (name, value) in fields {
            let Value::String(text) = value else { continue };
            if names::is_for_a_field(name) {
                filled = filled.max(self.named(text));
            } else if names::is_for_a_name(name) {
                named = named.max(self.named(text));
            }
        }
        // A weak name says nothing about the fields of an object.
        let inherited = if key.secrecy <= Secrecy::Weak { Secrecy::Open } else { key.secrecy };
        let mut made = Map::new();
        for (name, value) in fields {
            self.take(name.len())?;
            let (shown, count) = self.name(name, &made);
            let mut key = Key::new(&shown);
            key.secrecy = key.secrecy.max(inherited);
            if names::is_for_a_value(name) {
                key.secrecy = key.secrecy.max(named).max(filled);
            } else if name == "text" {
                // The text that is typed into the field.
                key.secrecy = key.secrecy.max(filled);
            }
            let value = self.at(&shown, |redactor| {
                if count > 0 {
                    redactor.hide(count);
                }
                redactor.value(value, key, depth + 1)
            })?;
            made.insert(shown, value);
        }
        Ok(Value::Object(made))
    }

    /// A name as it is shown, different from the other names.
    fn name(&self, name: &str, others: &Map<String, Value>) -> (String, usize) {
        let Some((masked, count)) =
            scan::mask(name, ScanOptions { keys: false, ..ScanOptions::at(self.view) })
        else {
            return (name.to_owned(), 0);
        };
        let mut shown = masked.clone();
        let mut number = 2_usize;
        while others.contains_key(&shown) {
            shown = format!("{masked} {number}");
            // The number is doubled, because counting up for thousands of masked names would take quadratic
            // time.
            number = if number < 64 { number + 1 } else { others.len() + number };
        }
        (shown, count)
    }

    /// How secret another value is, according to this text. The text is taken as it is shown, so that
    /// redacting a view changes nothing.
    fn named(&self, text: &str) -> Secrecy {
        match scan::mask(text, ScanOptions::at(self.view)) {
            Some((masked, _)) => names::secrecy(&masked).strong(),
            None => names::secrecy(text).strong(),
        }
    }

    fn text(&mut self, text: &str, key: Key<'_>) -> Result<Value, Unshowable> {
        self.take(text.len())?;
        if key.secrecy.hides(text) && !names::is_coin(key.name, text) {
            return Ok(self.mask());
        }
        let strict = self.view == View::Record;
        let mut masked = None;
        // An id or a path identifies what the tool acts on, so both views show it.
        let looks = ScanOptions {
            strict,
            keys: !key.identifies || text.contains(char::is_whitespace),
            path: names::names_a_path(key.name, text),
        };
        if let Some((made, count)) = scan::mask(text, looks) {
            self.hide(count);
            masked = Some(made);
        }
        let text = masked.unwrap_or_else(|| text.to_owned());
        Ok(Value::String(if strict && text.len() > RECORDED { size(text.len()).to_owned() } else { text }))
    }

    fn mask(&mut self) -> Value {
        self.hide(1);
        Value::String(MASK.to_owned())
    }

    fn hide(&mut self, count: usize) {
        match self.hidden.last_mut() {
            Some(last) if last.pointer == self.pointer => last.count += count,
            _ => self.hidden.push(Hidden { pointer: self.pointer.clone(), count }),
        }
    }

    fn take(&mut self, bytes: usize) -> Result<(), Unshowable> {
        self.left = self.left.checked_sub(bytes).ok_or(Unshowable::TooLong)?;
        Ok(())
    }

    /// Runs `work` one level deeper.
    fn at<T>(&mut self, name: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        self.pointer.push('/');
        if name.contains(['~', '/']) {
            self.pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        } else {
            self.pointer.push_str(name);
        }
        let done = work(self);
        self.pointer.truncate(length);
        done
    }
}

/// The size of a text, rounded to steps.
fn size(bytes: usize) -> &'static str {
    match bytes {
        0..0x4000 => "[text of 4 to 16 KB]",
        0x4000..0x10000 => "[text of 16 to 64 KB]",
        _ => "[text of more than 64 KB]",
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
