//! Reads JSON text, and writes strings of it (RFC 8259). The parser of `serde_json` takes seven kilobytes
//! of a module: it also reads into types, reports places of errors, and has tables for decimal numbers. The
//! browser reads such numbers as well.

use super::sort::sort_by;

/// A value. That of `serde_json` keeps the fields of an object in a tree, which is two kilobytes of the module.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

// No number is NaN.
impl Eq for Value {}

impl Value {
    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// The list, if it is one.
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(list) = self { Some(list) } else { None }
    }

    /// The value, if it is true or false.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(flag) = *self { Some(flag) } else { None }
    }

    /// The number, if it is whole and not negative.
    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Number(Number::Natural(number)) = *self { Some(number) } else { None }
    }

    /// The time, if it is a natural number. One that JavaScript cannot distinguish from the next is the last that it can.
    pub fn as_time(&self) -> Option<u64> {
        self.as_u64().map(|time| time.min(LAST_TIME))
    }

    /// The field of this name, if it is an object that has one.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// The number, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        let Self::Number(number) = self else { return None };
        Some(match *number {
            Number::Natural(number) => number as f64,
            Number::Negative(number) => number as f64,
            Number::Other(number) => number,
        })
    }
}

/// A number: exact where it is whole and has up to 64 bits. `1` and `1.0` are different.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number from 0 on.
    Natural(u64),
    /// A whole number below 0.
    Negative(i64),
    /// Any other number; always finite.
    Other(f64),
}

/// The fields of an object, sorted by their names, each of which occurs once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(Vec<(String, Value)>);

impl Object {
    /// Makes an object of fields. Of those with one name the last one counts.
    pub fn new(mut fields: Vec<(String, Value)>) -> Self {
        if !fields.is_sorted_by(|(a, _), (b, _)| a < b) {
            // Equal items may change places.
            let mut numbered: Vec<_> = fields.into_iter().enumerate().collect();
            sort_by(&mut numbered, |(i, (a, _)), (j, (b, _))| (a, j) < (b, i));
            numbered.dedup_by(|(_, (a, _)), (_, (b, _))| a == b);
            fields = numbered.into_iter().map(|(_, field)| field).collect();
        }
        Self(fields)
    }

    /// An object of fields that are sorted by their names; `None` if they are not.
    pub fn sorted(fields: Vec<(String, Value)>) -> Option<Self> {
        fields.is_sorted_by(|(a, _), (b, _)| a < b).then_some(Self(fields))
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let at = self.0.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// The names and values, sorted by name.
    pub fn fields(&self) -> &[(String, Value)] {
        &self.0
    }

    /// The values, sorted by name.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().map(|(_, value)| value)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        use serde_json::Value as Other;
        match value {
            Other::Null => Self::Null,
            Other::Bool(flag) => Self::Bool(flag),
            Other::Number(number) => Self::Number(match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Number::Natural(number),
                (_, Some(number)) => Number::Negative(number),
                _ => Number::Other(number.as_f64().unwrap_or_default()),
            }),
            Other::String(text) => Self::String(text),
            Other::Array(list) => Self::Array(list.into_iter().map(Self::from).collect()),
            Other::Object(map) => {
                Self::Object(Object::new(map.into_iter().map(|(name, value)| (name, value.into())).collect()))
            }
        }
    }
}

/// `Number.MAX_SAFE_INTEGER`
const LAST_TIME: u64 = (1 << 53) - 1;

/// The deepest nesting of lists and objects, as in `serde_json`.
const MAX_DEPTH: usize = 127;

/// Reads a text; `None` if it is not JSON, is nested too deep, or has a number or a character that no value can have.
/// `decimal` reads a number that has a fraction, an exponent or more than 64 bits.
pub fn parse(text: &str, decimal: &dyn Fn(&str) -> f64) -> Option<Value> {
    let mut reader = Reader::new(text);
    let value = reader.value(0, decimal)?;
    reader.blank();
    reader.is_done().then_some(value)
}

/// The rest of a text that is read from its beginning to its end.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the beginning of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    /// The next byte, which is not taken.
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The byte that was taken last.
    pub fn last(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at.wrapping_sub(1)).copied()
    }

    /// The text between a place that was passed and this one.
    pub fn since(&self, from: usize) -> &'a str {
        self.text.get(from..self.at).unwrap_or_default()
    }

    /// This place.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Takes the byte if it comes next, and returns whether it did.
    pub fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes the byte; `None` if another one comes next.
    pub fn open(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }

    /// Takes the text if it comes next, and returns whether it did.
    pub fn skip(&mut self, text: &str) -> bool {
        let is_next =
            self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()));
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Takes the bytes that pass the test.
    pub fn run(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.bytes().position(|byte| !is(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn blank(&mut self) {
        self.run(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    fn value(&mut self, depth: usize, decimal: &dyn Fn(&str) -> f64) -> Option<Value> {
        self.blank();
        match self.peek()? {
            b'"' => self.string().map(Value::String),
            b'[' if depth < MAX_DEPTH => {
                let mut list = Vec::new();
                self.members(b']', |reader| {
                    list.push(reader.value(depth + 1, decimal)?);
                    Some(())
                })?;
                Some(Value::Array(list))
            }
            b'{' if depth < MAX_DEPTH => {
                let mut fields = Vec::new();
                self.members(b'}', |reader| {
                    reader.blank();
                    let name = reader.string()?;
                    reader.blank();
                    reader.open(b':')?;
                    fields.push((name, reader.value(depth + 1, decimal)?));
                    Some(())
                })?;
                Some(Value::Object(Object::new(fields)))
            }
            b'-' | b'0'..=b'9' => self.number(decimal).map(Value::Number),
            _ => match self.run(|byte| byte.is_ascii_lowercase()) {
                "null" => Some(Value::Null),
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            },
        }
    }

    /// Takes the members of a list or an object, with its brackets.
    fn members(&mut self, end: u8, mut member: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.blank();
        if self.takes(end) {
            return Some(());
        }
        loop {
            member(self)?;
            self.blank();
            if self.takes(end) {
                return Some(());
            }
            self.open(b',')?;
        }
    }

    /// Takes a string.
    pub fn string(&mut self) -> Option<String> {
        self.open(b'"')?;
        let mut read = String::new();
        loop {
            let rest = self.text.get(self.at..)?;
            let plain = rest.get(..plain(rest))?;
            self.at += plain.len();
            read.push_str(plain);
            if self.takes(b'"') {
                return Some(read);
            }
            self.open(b'\\')?;
            let escape = self.peek()?;
            self.at += 1;
            read.push(match ESCAPES.iter().find(|(letter, _)| *letter == escape) {
                Some((_, plain)) => char::from(*plain),
                None if escape == b'/' => '/',
                None if escape == b'u' => self.escaped()?,
                None => return None,
            });
        }
    }

    /// The character of an escape, which has two escapes if it lies beyond U+FFFF; `None` for half of one.
    fn escaped(&mut self) -> Option<char> {
        let high = self.unit()?;
        if high & 0xFC00 != 0xD800 {
            return char::from_u32(high);
        }
        self.skip("\\u").then_some(())?;
        let low = self.unit()?;
        if low & 0xFC00 != 0xDC00 {
            return None;
        }
        char::from_u32(0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF))
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
    }

    fn number(&mut self, decimal: &dyn Fn(&str) -> f64) -> Option<Number> {
        let from = self.at;
        let is_negative = self.takes(b'-');
        let whole = self.run(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > 1 && whole.starts_with('0') {
            return None;
        }
        let mut is_whole = true;
        if self.takes(b'.') {
            is_whole = false;
            self.digits()?;
        }
        if self.takes(b'e') || self.takes(b'E') {
            is_whole = false;
            (self.run(|byte| matches!(byte, b'+' | b'-')).len() < 2).then_some(())?;
            self.digits()?;
        }
        let digit = |sum: u64, byte: u8| sum.checked_mul(10)?.checked_add(u64::from(byte - b'0'));
        match whole.bytes().try_fold(0, digit).filter(|_| is_whole) {
            Some(whole) if !is_negative => return Some(Number::Natural(whole)),
            Some(whole @ 1..=0x8000_0000_0000_0000) => {
                return Some(Number::Negative((whole as i64).wrapping_neg()));
            }
            _ => {}
        }
        Some(decimal(self.since(from))).filter(|number| number.is_finite()).map(Number::Other)
    }

    fn digits(&mut self) -> Option<()> {
        (!self.run(|byte| byte.is_ascii_digit()).is_empty()).then_some(())
    }
}

/// The letters after a backslash, and what they stand for. A reader also takes `/`; all other control characters are
/// written as `\u00xx`.
const ESCAPES: [(u8, u8); 7] =
    [(b'"', b'"'), (b'\\', b'\\'), (b'b', 8), (b't', 9), (b'n', 10), (b'f', 12), (b'r', 13)];

/// The length of what is in quotes as it is, up to a quote, a backslash or a control character. Eight bytes are
/// compared at a time, because a text may be long.
fn plain(text: &str) -> usize {
    const EACH: u64 = u64::MAX / 255;
    let eight = text.as_bytes().chunks_exact(8).take_while(|eight| {
        let eight = <[u8; 8]>::try_from(*eight).map(u64::from_le_bytes).unwrap_or_default();
        // Of the bytes for which this is so, the first one has its highest bit.
        let below = |bytes: u64, limit: u64| bytes.wrapping_sub(EACH * limit) & !bytes;
        let is = |byte: u8| below(eight ^ (EACH * u64::from(byte)), 1);
        (below(eight, 0x20) | is(b'"') | is(b'\\')) & EACH << 7 == 0
    });
    let whole = 8 * eight.count();
    let rest = text.bytes().skip(whole);
    whole + rest.take_while(|byte| *byte >= b' ' && !matches!(byte, b'"' | b'\\')).count()
}

/// Appends a text in quotes, as `JSON.stringify` writes it.
pub fn write_text(text: &str, to: &mut String) {
    to.push('"');
    let mut rest = text;
    loop {
        let plain = plain(rest);
        to.push_str(rest.get(..plain).unwrap_or_default());
        let Some(&byte) = rest.as_bytes().get(plain) else { break };
        to.push('\\');
        match ESCAPES.iter().find(|(_, plain)| *plain == byte) {
            Some((letter, _)) => to.push(char::from(*letter)),
            None => {
                to.push_str(if byte < 0x10 { "u000" } else { "u001" });
                to.extend(char::from_digit(u32::from(byte & 15), 16));
            }
        }
        rest = rest.get(plain + 1..).unwrap_or_default();
    }
    to.push('"');
}

/// A number in decimal digits. `format!` would be some kilobytes of the module, as would all that uses it.
pub fn digits(number: u64) -> String {
    let mut text = if number < 10 { String::new() } else { digits(number / 10) };
    text.push(char::from(b'0' + (number % 10) as u8));
    text
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value as Other;

    fn decimal(text: &str) -> f64 {
        text.parse().unwrap_or(f64::NAN)
    }

    /// The other parser may miss a number with a fraction by its last bit.
    fn same(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Array(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
            }
            (Value::Object(one), Value::Object(other)) => {
                let (one, other) = (one.fields(), other.fields());
                one.len() == other.len()
                    && one.iter().zip(other).all(|((a, one), (b, other))| a == b && same(one, other))
            }
            (Value::Number(Number::Other(one)), Value::Number(Number::Other(other))) => {
                one == other && one.is_sign_negative() == other.is_sign_negative()
                    || (one - other).abs() < one.abs() * 1e-15
            }
            _ => one == other,
        }
    }

    fn agrees(text: &str) -> bool {
        match (parse(text, &decimal), serde_json::from_str::<Other>(text)) {
            (Some(one), Ok(other)) => same(&one, &other.into()),
            (one, other) => one.is_none() && other.is_err(),
        }
    }

    fn values() -> impl Strategy<Value = Other> {
        let scalar = prop_oneof![
            Just(Other::Null),
            any::<bool>().prop_map(Other::from),
            any::<i64>().prop_map(Other::from),
            any::<u64>().prop_map(Other::from),
            (-1e300..1e300_f64).prop_map(Other::from),
            any::<String>().prop_map(Other::from),
        ];
        scalar.prop_recursive(4, 24, 4, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..4).prop_map(Other::from);
            let pair = (any::<String>(), inner);
            prop_oneof![
                list,
                prop::collection::vec(pair, 0..4)
                    .prop_map(|pairs| Other::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(value in values(), wide in any::<bool>()) {
            let text = if wide { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let read = parse(&text.unwrap(), &decimal);
            prop_assert!(read.is_some_and(|read| same(&read, &value.into())));
        }

        #[test]
        fn a_text_is_written_as_elsewhere(text in "[\\x00-\\x21\\\\\\x7f-\\xffa-z•😀]{0,40}") {
            let mut written = String::new();
            write_text(&text, &mut written);
            prop_assert_eq!(&written, &serde_json::to_string(&text).unwrap());
            prop_assert_eq!(parse(&written, &decimal), Some(Value::String(text)));
        }

        #[test]
        fn the_same_is_json_as_elsewhere(text in "[\\[\\]{}:,\" 0a\\\\]{0,12}", number in "-?[0-9]{0,22}[.eE+\\-]{0,2}[0-9]{0,3}") {
            prop_assert!(agrees(&text), "{}", text);
            prop_assert!(agrees(&number), "{}", number);
        }
    }

    #[test]
    fn fields_are_sorted_and_the_last_of_a_name_counts() {
        let read = parse(r#"{ "b": 1, "a": 2, "b": 3, "": 4, "a": 5 }"#, &decimal);
        let natural = |(name, number): (&str, u64)| (name.to_owned(), Value::Number(Number::Natural(number)));
        let fields: Vec<_> = [("", 4), ("a", 5), ("b", 3)].map(natural).into();
        assert_eq!(read.as_ref().and_then(Value::as_object).map(Object::fields), Some(&*fields));
        assert_eq!(read.as_ref().and_then(|read| read.get("b")), Some(&fields[2].1));
    }

    #[test]
    fn numbers_in_digits() {
        assert_eq!([0, 9, 10, u64::MAX].map(digits), ["0", "9", "10", "18446744073709551615"]);
    }

    #[test]
    fn the_corners_of_the_grammar() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let long = [nested(127), nested(128), format!("{}1{}", "{\"a\":".repeat(127), "}".repeat(127))];
        for text in [
            "",
            " ",
            "nul",
            "nulls",
            "true",
            " false\n",
            "\u{b}1",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\" : 1 , \"a\":2}",
            "{\"a\"}",
            "{1:2}",
            "[1]]",
            "\"a",
            "\"\t\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u00e9\\n\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ude00\"",
            "\"\\ud83d\\u0041\"",
            "\"\\ud83d\\n\"",
            "\"\\u+123\"",
            "\"\\u00é\"",
            "\"\\/\\b\\f\\r\\t\\\"\\\\\"",
            "0",
            "-0",
            "-0.0",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "1e+",
            "1e+-5",
            "1e++5",
            "1E-7",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775808",
            "-9223372036854775809",
            "1e308",
            "1e309",
            "-1e400",
            "0e999999999999",
            "1e-999999999999",
            "\u{feff}1",
        ]
        .into_iter()
        .chain(long.iter().map(String::as_str))
        {
            assert!(agrees(text), "{text}");
        }
    }
}
