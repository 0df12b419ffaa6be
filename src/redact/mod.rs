//! Masks the secrets of an input before it is shown or recorded.
//!
//! The input of the tool is never changed: [`redact`] returns a new value. There are two views. The person
//! who decides sees everything that matters for the decision (tool, command word, host, path). Everything
//! that outlives the decision (audit, storage, notification, clipboard) gets a stricter view. All masks have
//! the same width, whatever they hide.

// The build replaces all that formats by traps (`FORMATS` in pkg-template/build.mjs): texts are joined by `concat`.
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

use std::cell::RefCell;

use crate::core::json::{self, Number, Value, digits, write_text};
use crate::core::sort::sort_by;
use names::Secrecy;
use scanner::ScanOptions;
pub use view::{MASK, View};

/// The most bytes of text that are shown.
const TEXT: usize = 256 * 1024;

/// The deepest nesting that is shown.
const DEPTH: usize = 64;

/// The longest text that is recorded as it is.
const RECORDED: usize = 4 * 1024;

/// A view of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// The JSON of the input with masks.
    pub json: String,
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

/// The reason why an input cannot be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unshowable {
    /// It is not JSON.
    NotJson,
    /// It has more than 256 KB.
    TooLong,
    /// It has more than 64 levels.
    TooDeep,
}

/// Makes a view of an input, of which this is the JSON.
pub fn redact(input: &str, view: View) -> Result<Redacted, Unshowable> {
    // A number that is not whole, or has more than 64 bits, comes out as it is written. Its value is its place here.
    let decimals = RefCell::new(Vec::new());
    let decimal = |text: &str| {
        let mut decimals = decimals.borrow_mut();
        decimals.push(text.to_owned());
        (decimals.len() - 1) as f64
    };
    let input = json::parse(input, &decimal).ok_or(Unshowable::NotJson)?;
    let mut redactor = Redactor {
        view,
        decimals: decimals.into_inner(),
        left: TEXT,
        json: String::new(),
        pointer: String::new(),
        hidden: Vec::new(),
    };
    redactor.value(&input, Key::default(), 0)?;
    Ok(Redacted { json: redactor.json, hidden: redactor.hidden })
}

/// Makes a view of a single text, such as a reason or a title.
pub fn redact_text(text: &str, view: View) -> String {
    scan::mask(text, ScanOptions::at(view)).map_or_else(|| text.to_owned(), |(masked, _)| masked)
}

/// The meaning of a name for its value.
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
    decimals: Vec<String>,
    /// The bytes that are left of the limit.
    left: usize,
    /// The JSON that is written so far.
    json: String,
    pointer: String,
    hidden: Vec<Hidden>,
}

/// The fields of an object.
type Fields = [(String, Value)];

impl Redactor {
    /// Writes what is shown of a value.
    fn value(&mut self, value: &Value, key: Key<'_>, depth: usize) -> Result<(), Unshowable> {
        if depth > DEPTH {
            return Err(Unshowable::TooDeep);
        }
        self.take(1)?;
        let (before, hidden) = (self.json.len(), self.hidden.len());
        match value {
            Value::Null => self.json.push_str("null"),
            Value::Bool(flag) => self.json.push_str(if *flag { "true" } else { "false" }),
            Value::Number(number) => {
                let digits = self.digits(*number);
                self.take(digits.len())?;
                if key.secrecy.hides_number(&digits) {
                    self.mask();
                } else {
                    self.json.push_str(&digits);
                }
            }
            Value::String(text) => self.text(text, key)?,
            Value::Array(items) if items.is_empty() => self.json.push_str("[]"),
            Value::Object(fields) if fields.fields().is_empty() => self.json.push_str("{}"),
            Value::Array(_) | Value::Object(_) => {
                match value {
                    Value::Array(items) => self.array(items, key, depth)?,
                    Value::Object(fields) => self.object(fields.fields(), key, depth)?,
                    _ => {}
                }
                // A record does not even show the names inside a secret, nor how many there are.
                if self.view == View::Record && key.secrecy > Secrecy::Open {
                    self.json.truncate(before);
                    self.hidden.truncate(hidden);
                    self.mask();
                }
            }
        }
        Ok(())
    }

    fn array(&mut self, items: &[Value], key: Key<'_>, depth: usize) -> Result<(), Unshowable> {
        let mut arguments = flags::Arguments::default();
        // A header or a field as a pair of name and value.
        let pair = match items {
            [Value::String(name), Value::String(_)] => self.named(name, &[' ', '"', '\'', '=', ':']),
            _ => Secrecy::Open,
        };
        for (index, item) in items.iter().enumerate() {
            let mut key = key;
            if index == 1 {
                key.secrecy = key.secrecy.max(pair);
            }
            if let Value::String(text) = item {
                key.secrecy = key.secrecy.max(arguments.next(text, |flag| self.named(flag, &['=', ' '])));
            }
            self.json.push(if index == 0 { '[' } else { ',' });
            self.at(&digits(index as u64), |redactor| redactor.value(item, key, depth + 1))?;
        }
        self.json.push(']');
        Ok(())
    }

    fn object(&mut self, fields: &Fields, key: Key<'_>, depth: usize) -> Result<(), Unshowable> {
        // `{ "name": "password", "value": … }`: one field names the content of another.
        let (mut named, mut filled) = (Secrecy::Open, Secrecy::Open);
        for (name, value) in fields {
            let Value::String(text) = value else { continue };
            if names::is_for_a_field(name) {
                filled = filled.max(self.named(text, &[]));
            } else if names::is_for_a_name(name) {
                named = named.max(self.named(text, &[]));
            }
        }
        // A weak name says nothing about the fields of an object.
        let inherited = if key.secrecy <= Secrecy::Weak { Secrecy::Open } else { key.secrecy };
        let mut opening = '{';
        for ((name, value), (shown, count)) in fields.iter().zip(self.names(fields)) {
            self.take(name.len())?;
            let mut key = Key::new(&shown);
            // A command is shown, also inside a secret.
            if !names::acts(&shown) {
                key.secrecy = key.secrecy.max(inherited);
            }
            if names::is_for_a_value(name) {
                key.secrecy = key.secrecy.max(named).max(filled);
            } else if name == "text" {
                // The text that is typed into the field.
                key.secrecy = key.secrecy.max(filled);
            }
            self.json.push(std::mem::replace(&mut opening, ','));
            write_text(&shown, &mut self.json);
            self.json.push(':');
            self.at(&shown, |redactor| {
                if count > 0 {
                    redactor.hide(count);
                }
                redactor.value(value, key, depth + 1)
            })?;
        }
        self.json.push('}');
        Ok(())
    }

    /// The names of an object as they are shown, each different from the others, and the numbers of their masks.
    fn names(&self, fields: &Fields) -> Vec<(String, usize)> {
        let looks = ScanOptions { keys: false, ..ScanOptions::at(self.view) };
        let shown =
            |(name, _): &(String, Value)| scan::mask(name, looks).unwrap_or_else(|| (name.clone(), 0));
        let mut names: Vec<_> = fields.iter().map(shown).collect();
        if names.iter().all(|(_, count)| *count == 0) {
            return names;
        }
        // Of those that are equal, the first one stays, and a name without masks is the first.
        let mut order: Vec<_> = (0..names.len()).collect();
        sort_by(&mut order, |a, b| (&names[*a], a) < (&names[*b], b));
        let is_taken = |name: &str| order.binary_search_by(|at| names[*at].0.as_str().cmp(name)).is_ok();
        let mut number = 1_u64;
        let mut numbered = Vec::new();
        for (one, other) in order.iter().zip(order.iter().skip(1)) {
            if names[*one].0 != names[*other].0 {
                number = 1;
                continue;
            }
            let name = loop {
                number += 1;
                let name = [&*names[*other].0, " ", &*digits(number)].concat();
                if !is_taken(&name) {
                    break name;
                }
            };
            numbered.push((*other, name));
        }
        for (at, name) in numbered {
            names[at].0 = name;
        }
        names
    }

    /// A number as it is written.
    fn digits(&self, number: Number) -> String {
        match number {
            Number::Natural(number) => digits(number),
            Number::Negative(number) => ["-", &*digits(number.unsigned_abs())].concat(),
            Number::Other(place) => self.decimals.get(place as usize).cloned().unwrap_or_default(),
        }
    }

    /// How secret another value is, according to this text. A text with one of these `signs` is no name. The
    /// text is taken as it is shown, so that redacting a view changes nothing.
    fn named(&self, text: &str, signs: &[char]) -> Secrecy {
        let shown = redact_text(text, self.view);
        if shown.contains(signs) { Secrecy::Open } else { names::secrecy(&shown).strong() }
    }

    fn text(&mut self, text: &str, key: Key<'_>) -> Result<(), Unshowable> {
        self.take(text.len())?;
        if key.secrecy.hides(text) && !names::is_coin(key.name, text) {
            self.mask();
            return Ok(());
        }
        let strict = self.view == View::Record;
        // An id or a path identifies what the tool acts on, so both views show it.
        let looks = ScanOptions {
            strict,
            keys: !key.identifies || text.contains(char::is_whitespace),
            named_key: names::names_a_key(key.name),
            path: names::names_a_path(key.name, text),
        };
        let masked = scan::mask(text, looks).map(|(masked, count)| {
            self.hide(count);
            masked
        });
        let text = masked.as_deref().unwrap_or(text);
        write_text(if strict && text.len() > RECORDED { size(text.len()) } else { text }, &mut self.json);
        Ok(())
    }

    fn mask(&mut self) {
        self.hide(1);
        write_text(MASK, &mut self.json);
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
