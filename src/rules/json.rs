//! Reads JSON text (RFC 8259). The parser of `serde_json` takes seven kilobytes of the module, because it also reads
//! into types, reports places of errors, and has tables for decimal numbers, which the browser reads as well.

use super::platform::Platform;
use serde_json::{Map, Number, Value};

/// How deep lists and objects may be nested, as in `serde_json`.
const MAX_DEPTH: usize = 127;

/// Reads a text; `None` if it is not JSON, is nested too deep, or has a number or a character that no value can have.
pub fn parse(text: &str, platform: &dyn Platform) -> Option<Value> {
    let mut reader = Reader { text, at: 0, platform };
    let value = reader.value(0)?;
    reader.blank();
    (reader.at == text.len()).then_some(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    platform: &'a dyn Platform,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes the byte if it comes next.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes the bytes that pass the test.
    fn run(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let from = self.at;
        while self.peek().is_some_and(&is) {
            self.at += 1;
        }
        self.text.get(from..self.at).unwrap_or_default()
    }

    fn blank(&mut self) {
        self.run(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.blank();
        match self.peek()? {
            b'"' => self.string().map(Value::String),
            b'[' if depth < MAX_DEPTH => {
                let mut list = Vec::new();
                self.members(b']', |reader| {
                    list.push(reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Value::Array(list))
            }
            b'{' if depth < MAX_DEPTH => {
                let mut map = Map::new();
                self.members(b'}', |reader| {
                    reader.blank();
                    let name = reader.string()?;
                    reader.blank();
                    reader.takes(b':').then_some(())?;
                    map.insert(name, reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Value::Object(map))
            }
            b'-' | b'0'..=b'9' => self.number().map(Value::Number),
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
            self.takes(b',').then_some(())?;
        }
    }

    fn string(&mut self) -> Option<String> {
        self.takes(b'"').then_some(())?;
        let mut read = String::new();
        loop {
            read.push_str(self.run(|byte| byte >= b' ' && byte != b'"' && byte != b'\\'));
            if self.takes(b'"') {
                return Some(read);
            }
            self.takes(b'\\').then_some(())?;
            let escape = self.peek()?;
            self.at += 1;
            read.push(match escape {
                b'"' | b'\\' | b'/' => char::from(escape),
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => self.escaped()?,
                _ => return None,
            });
        }
    }

    /// The character of an escape, which has two escapes if it lies beyond U+FFFF; `None` for half of one.
    fn escaped(&mut self) -> Option<char> {
        let high = self.unit()?;
        if high & 0xFC00 != 0xD800 {
            return char::from_u32(high);
        }
        (self.takes(b'\\') && self.takes(b'u')).then_some(())?;
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

    fn number(&mut self) -> Option<Number> {
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
            Some(whole) if !is_negative => return Some(Number::from(whole)),
            Some(whole @ 1..=0x8000_0000_0000_0000) => {
                return Some(Number::from((whole as i64).wrapping_neg()));
            }
            _ => {}
        }
        Number::from_f64(self.platform.decimal(self.text.get(from..self.at)?))
    }

    fn digits(&mut self) -> Option<()> {
        (!self.run(|byte| byte.is_ascii_digit()).is_empty()).then_some(())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::platform::Native;
    use super::*;
    use proptest::prelude::*;

    /// The other parser may miss a number with a fraction by its last bit.
    fn same(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Array(one), Value::Array(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
            }
            (Value::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one.iter().zip(other).all(|((a, one), (b, other))| a == b && same(one, other))
            }
            (Value::Number(one), Value::Number(other)) if one.is_f64() && other.is_f64() => {
                let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
                one == other && one.is_sign_negative() == other.is_sign_negative()
                    || (one - other).abs() < one.abs() * 1e-15
            }
            _ => one == other,
        }
    }

    fn agrees(text: &str) -> bool {
        match (parse(text, &Native), serde_json::from_str::<Value>(text)) {
            (Some(one), Ok(other)) => same(&one, &other),
            (one, other) => one.is_none() && other.is_err(),
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e300..1e300_f64).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 24, 4, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from);
            let pair = (any::<String>(), inner);
            prop_oneof![
                list,
                prop::collection::vec(pair, 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(value in values(), wide in any::<bool>()) {
            let text = if wide { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let read = parse(&text.unwrap(), &Native);
            prop_assert!(read.is_some_and(|read| same(&read, &value)));
        }

        #[test]
        fn the_same_is_json_as_elsewhere(text in "[\\[\\]{}:,\" 0a\\\\]{0,12}", number in "-?[0-9]{0,22}[.eE+\\-]{0,2}[0-9]{0,3}") {
            prop_assert!(agrees(&text), "{}", text);
            prop_assert!(agrees(&number), "{}", number);
        }
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
