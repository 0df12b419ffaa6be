//! Reads values that the shell has packed. They are what JSON would say, in a form that needs no parser: outlines of
//! messages, in which the shell has left only names, states and numbers.

use crate::core::json::{Number, Object, Value};

vocabulary! {
    /// The beginning of a packed value. Numbers and counts have seven bits in a byte,
    /// the lowest first, and the eighth bit if more follow.
    Packed {
        /// `null`.
        Null = "null",
        /// `false`.
        No = "no",
        /// `true`.
        Yes = "yes",
        /// A natural number.
        Number = "number",
        /// A count of characters, and their numbers in Unicode.
        Text = "text",
        /// A count of values, and the values.
        List = "list",
        /// A count of fields, sorted by their names, and each as a text without its first byte, followed by its value.
        Fields = "fields",
    }
}

/// Reads a value that takes all of these bytes; `None` if they are something else.
pub fn unpack(mut bytes: &[u8]) -> Option<Value> {
    let value = value(&mut bytes)?;
    bytes.is_empty().then_some(value)
}

fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(first)
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let next = byte(bytes)?;
        number |= u64::from(next & 127).checked_shl(shift)?;
        if next < 128 {
            return Some(number);
        }
        shift += 7;
    }
}

fn text(bytes: &mut &[u8]) -> Option<String> {
    let mut text = String::new();
    for _ in 0..number(bytes)? {
        text.push(char::from_u32(u32::try_from(number(bytes)?).ok()?)?);
    }
    Some(text)
}

fn value(bytes: &mut &[u8]) -> Option<Value> {
    Some(match Packed::from_code(byte(bytes)?.into())? {
        Packed::Null => Value::Null,
        Packed::No => Value::Bool(false),
        Packed::Yes => Value::Bool(true),
        Packed::Number => Value::Number(Number::Natural(number(bytes)?)),
        Packed::Text => Value::String(text(bytes)?),
        Packed::List => {
            let mut list = Vec::new();
            for _ in 0..number(bytes)? {
                list.push(value(bytes)?);
            }
            Value::Array(list)
        }
        Packed::Fields => {
            let mut fields = Vec::new();
            for _ in 0..number(bytes)? {
                fields.push((text(bytes)?, value(bytes)?));
            }
            Value::Object(Object::sorted(fields)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::json::parse;

    #[test]
    fn each_kind_of_value_is_read_and_nothing_else() {
        let bytes = [6, 2, 1, b'a', 4, 2, b'x', 0xe9, 1, 1, b'b', 5, 4, 0, 1, 2, 3, 172, 2];
        let read = unpack(&bytes).expect("a value");
        let expected = parse(r#"{"a":"xé","b":[null,false,true,300]}"#, &|_| 0.0);
        assert_eq!(Some(read), expected);
        for end in 0..bytes.len() {
            assert_eq!(unpack(&bytes[..end]), None, "{end}");
        }
        let unsorted = [6, 2, 1, b'b', 0, 1, b'a', 0];
        let surrogate = [4, 1, 0x80, 0xb0, 3];
        let endless = [3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        for wrong in [&[7][..], &[0, 0], &[3, 128], &unsorted, &surrogate, &endless] {
            assert_eq!(unpack(wrong), None, "{wrong:?}");
        }
    }
}
