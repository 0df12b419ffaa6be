//! Percent-encoding (RFC 3986, section 2.1), as programs decode it.

use super::glob::Glob;
use super::platform::Platform;
use super::unicode;

/// The number of times that a value may be decoded: by the server, and by a program behind it.
const TIMES: usize = 2;

/// Decodes a text once; `None` if there is nothing to decode. Overlong sequences become the character that
/// lax decoders make of them (RFC 3629, section 10); other invalid UTF-8 becomes U+FFFD.
pub fn decoded(text: &str) -> Option<String> {
    text.contains('%').then_some(())?;
    let bytes = bytes(text);
    (bytes.len() < text.len()).then(|| lax(&bytes))
}

/// The bytes of a text with escapes.
pub fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escape = escaped(rest);
        bytes.push(escape.unwrap_or(*first));
        rest = if escape.is_some() { &after[2..] } else { after };
    }
    bytes
}

/// The byte of the escape at the beginning.
pub fn escaped(bytes: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Reads UTF-8, including overlong sequences.
fn lax(bytes: &[u8]) -> String {
    let continues = |byte: &u8| byte & 0xC0 == 0x80;
    let mut strict = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = match rest {
            [0xC0 | 0xC1, last, after @ ..] if continues(last) => {
                strict.push(first << 6 | last & 0x3F);
                after
            }
            [0xE0, 0x80 | 0x81, last, after @ ..] if continues(last) => {
                strict.push(rest[1] << 6 | last & 0x3F);
                after
            }
            _ => {
                strict.push(*first);
                after
            }
        };
    }
    lossy(&strict)
}

/// Reads UTF-8. That of the standard library would be a kilobyte of the module.
fn lossy(mut bytes: &[u8]) -> String {
    let mut read = String::with_capacity(bytes.len());
    loop {
        let wrong = match std::str::from_utf8(bytes) {
            Ok(text) => return read + text,
            Err(wrong) => wrong,
        };
        let (right, rest) = bytes.split_at(wrong.valid_up_to());
        read.push_str(std::str::from_utf8(right).unwrap_or_default());
        read.push(char::REPLACEMENT_CHARACTER);
        // An end in the middle of a character is all that is left.
        let Some(length) = wrong.error_len() else { return read };
        bytes = rest.get(length..).unwrap_or_default();
    }
}

/// The readings of a text: as it is, decoded once, and decoded twice, in one letter case and without
/// duplicates.
pub fn readings(text: &str, platform: &dyn Platform) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut texts = vec![text.to_owned()];
    for _ in 0..=TIMES {
        let from = all.len();
        for text in &texts {
            for reading in unicode::readings(text, platform) {
                add(&mut all, unicode::folded(&reading));
            }
        }
        texts = all.get(from..).unwrap_or_default().iter().filter_map(|text| decoded(text)).collect();
    }
    all
}

/// The forms of a pattern for denials: as it is and decoded.
pub fn forms(pattern: &Glob, platform: &dyn Platform) -> Vec<String> {
    let mut all = Vec::new();
    for form in unicode::forms(pattern, platform) {
        let text = unicode::folded(form.text());
        let once = decoded(&text).map(|text| unicode::folded(&text));
        // An encoded star makes the pattern wider, but must not make it match everything.
        add(&mut all, text);
        once.into_iter().filter(|once| !Glob::new(once).is_any()).for_each(|once| add(&mut all, once));
    }
    all
}

/// Adds a text, unless it is in the list.
pub fn add(all: &mut Vec<String>, one: String) {
    if !all.contains(&one) {
        all.push(one);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::platform::Native;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn wrong_bytes_are_read_as_the_library_reads_them(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0xC0..=0xFF_u8, 0x80..0xA0_u8], 0..12),
        ) {
            prop_assert_eq!(lossy(&bytes), String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn decodes() {
        for (text, expected) in [
            ("a", None),
            ("100%", None),
            ("%zz%4", None),
            ("%+1", None),
            ("%41%6a", Some("Aj")),
            ("%2541", Some("%41")),
            ("%c3%a9", Some("é")),
            ("%ff", Some("\u{FFFD}")),
            ("%c0%ae%c0%af", Some("./")),
            ("%e0%80%ae", Some(".")),
            ("%e0%81%a1", Some("a")),
            ("é%2f", Some("é/")),
            ("%é", None),
        ] {
            assert_eq!(decoded(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn reads_once_and_twice() {
        assert_eq!(readings("/A", &Native), ["/a"]);
        assert_eq!(readings("%252E", &Native), ["%252e", "%2e", "."]);
        assert!(readings("％２ｅ", &Native).contains(&".".to_owned()));
    }
}
