//! The JSON of records, which has exactly one form: no spaces, fields in the order of their names, and no
//! field without content. This form is canonical (RFC 8785). To check that a text is canonical, write the
//! parsed value again and compare.

use std::collections::VecDeque;

use crate::core::decision::{Actor, Outcome};
use crate::core::event::EventKind;
use crate::core::id_map::IdMap;
pub use crate::core::json::Reader;
use crate::core::json::{digits, write_text};

/// The largest integer that JavaScript and RFC 8785 write exactly and without an exponent.
pub const MAX_NUMBER: u64 = (1 << 53) - 1;

/// A value that can be written.
pub trait Write {
    /// Appends the value to a text.
    fn write(&self, text: &mut String);

    /// Whether the field of this value is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A value that can be read.
pub trait Read: Sized {
    /// Reads the value from the beginning of the rest of a text; `None` if it is not there.
    fn read(from: &mut Reader) -> Option<Self>;

    /// The value of a field that is left out; `None` if the field is required.
    fn absent() -> Option<Self> {
        None
    }
}

/// Declares a struct that can be written and read. Its fields have names in JSON, and must be in the order of
/// these names.
macro_rules! fields {
    ($(#[$meta:meta])* $vis:vis struct $type:ident {
        $($(#[$doc:meta])* $own:vis $field:ident: $kind:ty = $name:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $type { $($(#[$doc])* $own $field: $kind),+ }

        impl $crate::core::record::json::Write for $type {
            fn write(&self, text: &mut String) {
                text.push('{');
                $($crate::core::record::json::put(text, concat!("\"", $name, "\":"), &self.$field);)+
                text.push('}');
            }
        }

        impl $crate::core::record::json::Read for $type {
            fn read(from: &mut $crate::core::record::json::Reader) -> Option<Self> {
                from.open(b'{')?;
                let read = Self { $($field: from.field(concat!("\"", $name, "\":"))?),+ };
                from.open(b'}')?;
                Some(read)
            }
        }
    };
}

/// Declares an enum whose variants are written as their names.
macro_rules! names {
    ($($type:ident),+) => { $(
        impl $crate::core::record::json::Write for $type {
            fn write(&self, text: &mut String) {
                self.name().write(text);
            }
        }

        impl $crate::core::record::json::Read for $type {
            fn read(from: &mut $crate::core::record::json::Reader) -> Option<Self> {
                Self::from_name(from.plain()?)
            }
        }
    )+ };
}

/// Writes a value as text.
pub fn text(value: &(impl Write + ?Sized)) -> String {
    let mut text = String::new();
    value.write(&mut text);
    text
}

/// Reads a value that takes up a whole text.
pub fn parse<T: Read>(text: &str) -> Option<T> {
    let mut from = Reader::new(text);
    T::read(&mut from).filter(|_| from.is_done())
}

/// Reads the forms that only the text of a record has.
impl<'a> Reader<'a> {
    /// Reads a field, which may be left out. `name` includes the quotes and the colon.
    pub fn field<T: Read>(&mut self, name: &str) -> Option<T> {
        if self.skip_field(name) { T::read(self) } else { T::absent() }
    }

    /// Takes the name of a field, with the comma before it, if that field is next. Returns whether it was.
    fn skip_field(&mut self, name: &str) -> bool {
        let before = *self;
        self.takes(b',');
        let is_next = self.skip(name);
        *self = if is_next { *self } else { before };
        is_next
    }

    /// Takes the separator or the end of a list, and returns whether another item follows.
    pub fn more(&mut self, end: u8) -> Option<bool> {
        let more = !self.takes(end);
        if more && !matches!(self.last(), Some(b'[' | b'{')) {
            self.open(b',')?;
        }
        Some(more)
    }

    /// Takes a string that contains no escape.
    pub fn plain(&mut self) -> Option<&'a str> {
        self.open(b'"')?;
        let text = self.run(|byte| !matches!(byte, b'"' | b'\\'));
        self.open(b'"')?;
        Some(text)
    }

    /// Reads a list.
    pub fn list<T: Read, C: Default + Extend<T>>(&mut self) -> Option<C> {
        let mut list = C::default();
        self.open(b'[')?;
        while self.more(b']')? {
            list.extend([T::read(self)?]);
        }
        Some(list)
    }

    /// Reads the fields of a flat object as cells of a table: a string without its quotes, any other value as
    /// it is written.
    pub fn cells(text: &'a str) -> Option<IdMap<&'a str, String>> {
        let mut from = Self::new(text);
        let mut cells = IdMap::default();
        from.open(b'{')?;
        while from.more(b'}')? {
            let name = from.plain()?;
            from.open(b':')?;
            let cell = match from.peek()? {
                b'"' => String::read(&mut from)?,
                _ => from.run(|byte| !matches!(byte, b',' | b'}')).to_owned(),
            };
            cells.insert(name, cell);
        }
        Some(cells)
    }
}

/// Writes a field, unless it is absent. `name` includes the quotes and the colon.
pub fn put(text: &mut String, name: &str, value: &impl Write) {
    if !value.is_absent() {
        separate(text);
        text.push_str(name);
        value.write(text);
    }
}

fn separate(text: &mut String) {
    if !text.ends_with(['{', '[']) {
        text.push(',');
    }
}

fn put_list<'a, T: Write + 'a>(text: &mut String, list: impl IntoIterator<Item = &'a T>) {
    text.push('[');
    for item in list {
        separate(text);
        item.write(text);
    }
    text.push(']');
}

impl Write for bool {
    fn write(&self, text: &mut String) {
        text.push_str(if *self { "true" } else { "false" });
    }

    fn is_absent(&self) -> bool {
        !self
    }
}

impl Read for bool {
    fn read(from: &mut Reader) -> Option<Self> {
        let yes = from.skip("true");
        (yes || from.skip("false")).then_some(yes)
    }

    fn absent() -> Option<Self> {
        Some(false)
    }
}

impl Write for u64 {
    fn write(&self, text: &mut String) {
        text.push_str(&digits(*self));
    }
}

impl Read for u64 {
    fn read(from: &mut Reader) -> Option<Self> {
        let text = from.run(|byte| byte.is_ascii_digit());
        let digit = |number: u64, byte: u8| number * 10 + u64::from(byte - b'0');
        let number = text.bytes().try_fold(0, |n, byte| Some(digit(n, byte)).filter(|n| *n <= MAX_NUMBER));
        number.filter(|_| !text.is_empty())
    }
}

impl Write for str {
    fn write(&self, text: &mut String) {
        write_text(self, text);
    }
}

/// A string has one form, in which nothing is escaped that need not be. A field that is left out is empty.
impl Read for String {
    fn read(from: &mut Reader) -> Option<Self> {
        let start = from.at();
        let read = from.string()?;
        let written = from.since(start);
        // An escape is longer than the character that it stands for.
        (read.len() + 2 == written.len() || text(&read) == written).then_some(read)
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

impl Write for String {
    fn write(&self, text: &mut String) {
        self.as_str().write(text);
    }
}

impl<T: Write + ?Sized> Write for &T {
    fn write(&self, text: &mut String) {
        (**self).write(text);
    }

    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self, text: &mut String) {
        if let Some(value) = self {
            value.write(text);
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Read> Read for Option<T> {
    fn read(from: &mut Reader) -> Option<Self> {
        T::read(from).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Implements reading and writing for each type of list.
macro_rules! lists {
    ($($list:ident<$item:ident>),+) => { $(
        impl<$item: Write> Write for $list<$item> {
            fn write(&self, text: &mut String) {
                put_list(text, self);
            }
        }

        impl<$item: Read> Read for $list<$item> {
            fn read(from: &mut Reader) -> Option<Self> {
                from.list()
            }
        }
    )+ };
}

lists!(Vec<T>, VecDeque<T>);

impl<K: Write + Ord, T: Write> Write for IdMap<K, T> {
    fn write(&self, text: &mut String) {
        text.push('{');
        for (name, value) in self.iter() {
            separate(text);
            name.write(text);
            text.push(':');
            value.write(text);
        }
        text.push('}');
    }
}

impl<K: Read + Ord, T: Read> Read for IdMap<K, T> {
    fn read(from: &mut Reader) -> Option<Self> {
        let mut map = Self::default();
        from.open(b'{')?;
        while from.more(b'}')? {
            let name = K::read(from)?;
            from.open(b':')?;
            map.insert(name, T::read(from)?);
        }
        Some(map)
    }
}

names!(Actor, EventKind, Outcome);

#[cfg(test)]
mod tests {
    use super::*;

    fields! {
        #[derive(Debug, PartialEq, Eq)]
        struct Pair {
            first: Option<u64> = "first",
            flag: bool = "flag",
            names: Vec<String> = "names",
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for (first, flag, names, expected) in [
            (None, false, vec![], r#"{"names":[]}"#),
            (Some(0), true, vec!["a"], r#"{"first":0,"flag":true,"names":["a"]}"#),
            (Some(MAX_NUMBER), false, vec!["", "b"], r#"{"first":9007199254740991,"names":["","b"]}"#),
        ] {
            let names = names.into_iter().map(str::to_owned).collect();
            let pair = Pair { first, flag, names };
            assert_eq!(text(&pair), expected);
            assert_eq!(parse(expected), Some(pair));
        }
    }

    #[test]
    fn what_is_not_written_like_this_is_not_read() {
        for text in [
            "",
            "{}",
            r#"{"flag":true}"#,
            r#"{"names":[]"#,
            r#"{"names":[]}}"#,
            r#"{"names":[] }"#,
            r#"{"names":[],"first":0}"#,
            r#"{"first":-1,"names":[]}"#,
            r#"{"first":9007199254740992,"names":[]}"#,
            r#"{"first":99999999999999999999999,"names":[]}"#,
            r#"{"first":null,"names":[]}"#,
            r#"{"names":["a""b"]}"#,
            r#"{"names":["a",]}"#,
            r#"{"names":[,"a"]}"#,
            r#"{"names":["\x"]}"#,
            r#"{"names":["\u00"]}"#,
            r#"{"names":["\u0020"]}"#,
            r#"{"names":["a]}"#,
        ] {
            assert_eq!(parse::<Pair>(text), None, "{text}");
        }
    }

    #[test]
    fn texts_are_escaped_as_json_stringify_does() {
        for code in 0..=0xffffu32 {
            let letter: String = char::from_u32(code).into_iter().collect();
            let written = text(letter.as_str());
            assert_eq!(written, serde_json::to_string(&letter).expect("JSON"));
            assert_eq!(parse(&written), Some(letter));
        }
    }

    #[test]
    fn a_map_is_written_in_the_order_of_its_keys_and_read_in_any() {
        let json = r#"{"a":"}","b":"1,\""}"#;
        let map: IdMap<String, String> = parse(json).expect("a map");
        assert_eq!(text(&map), json);
        assert_eq!(parse(r#"{"b":"1,\"","a":"}"}"#), Some(map), "in another order");
    }

    #[test]
    fn cells_are_plain() {
        let cells = Reader::cells(r#"{"a":"1,\"","b":true,"c":12}"#).expect("cells");
        assert_eq!(
            cells.iter().cloned().collect::<Vec<_>>(),
            ["a", "b", "c"].into_iter().zip(["1,\"", "true", "12"].map(str::to_owned)).collect::<Vec<_>>()
        );
    }
}
