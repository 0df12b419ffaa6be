//! What of an input is shown, and what of it is kept.
//!
//! An input is never changed for the tool: [`redact`] makes a new value. Two views are made of it: one for the
//! person who decides, where all that decides stays (tool, command word, host, path), and a stricter one for
//! all that outlives the decision: audit, storage, notification, clipboard. A mask has one width, whatever is
//! behind it.

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

/// The most bytes of text that are shown, and the deepest nesting.
const TEXT: usize = 256 * 1024;
const DEPTH: usize = 64;

/// The longest text that is kept in a record as it is.
const RECORDED: usize = 4 * 1024;

/// A view of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Redacted {
    /// The input with masks.
    pub value: Value,
    /// Where masks are, in the order of the value.
    pub hidden: Vec<Hidden>,
}

/// A text with masks, or with one in its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The place in the view, RFC 6901: a name that is itself masked stands in it as it is in the view.
    pub pointer: String,
    /// How many masks it has.
    pub count: usize,
}

/// Why there is no view of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unshowable {
    /// More than 256 KB.
    TooLong,
    /// More than 64 levels.
    TooDeep,
}

/// The view of an input.
pub fn redact(input: &Value, view: View) -> Result<Redacted, Unshowable> {
    let mut redactor = Redactor { view, left: TEXT, pointer: String::new(), hidden: Vec::new() };
    let value = redactor.value(input, Key::default(), 0)?;
    Ok(Redacted { value, hidden: redactor.hidden })
}

/// A text by itself, such as a reason or a title.
pub fn redact_text(text: &str, view: View) -> String {
    scan::mask(text, ScanOptions::at(view)).map_or_else(|| text.to_owned(), |(masked, _)| masked)
}

/// What a name says about the value under it.
#[derive(Clone, Copy, Default)]
struct Key<'a> {
    name: &'a str,
    secrecy: Secrecy,
    /// It names a thing by a random text that is no secret.
    identifies: bool,
}

impl<'a> Key<'a> {
    fn new(name: &'a str) -> Self {
        Self { name, secrecy: names::secrecy(name), identifies: names::identifies(name) }
    }
}

struct Redactor {
    view: View,
    /// How many bytes there still may be.
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
                // In a record not even the names in it are told, nor how many there are.
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
                // As it is shown, so that a view says the same.
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
        // `{ "name": "password", "value": … }`: what one field names is in another.
        let (mut named, mut filled) = (Secrecy::Open, Secrecy::Open);
        for (name, value) in fields {
            let Value::String(text) = value else { continue };
            if names::is_for_a_field(name) {
                filled = filled.max(self.named(text));
            } else if names::is_for_a_name(name) {
                named = named.max(self.named(text));
            }
        }
        // A weak name does not speak of the fields of an object.
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
                // What is typed into the field.
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

    /// A name as it is shown, unlike the others.
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
            // Doubled, lest thousands of secrets as names take their square.
            number = if number < 64 { number + 1 } else { others.len() + number };
        }
        (shown, count)
    }

    /// How secret a text in the input says that something else is; as far as it is shown, so that a view says
    /// the same.
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
        // What an id or a path names is acted upon: it is told in both views.
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

    /// Does something one level down.
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

/// How long a text is, in steps.
fn size(bytes: usize) -> &'static str {
    match bytes {
        0..0x4000 => "[text of 4 to 16 KB]",
        0x4000..0x10000 => "[text of 16 to 64 KB]",
        _ => "[text of more than 64 KB]",
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
