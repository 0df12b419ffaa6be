//! Bytes as lower-case hexadecimal digits.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Bytes as hexadecimal digits.
pub fn of(bytes: &[u8]) -> String {
    let digit = |half: u8| DIGITS.get(half as usize).copied().map_or('0', char::from);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Whether a text consists of exactly this many digits.
pub fn is(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The 32 bytes that 64 digits stand for; `None` if the text is something else.
pub fn bytes(text: &str) -> Option<[u8; 32]> {
    if !is(text, 64) {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = pair.iter().fold(0, |sum, &digit| {
            sum << 4 | if digit.is_ascii_digit() { digit - b'0' } else { digit - b'a' + 10 }
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_bytes_are_the_same() {
        let all: Vec<u8> = (0..=255).collect();
        for part in all.chunks_exact(32) {
            let text = of(part);
            assert_eq!(bytes(&text).as_ref().map(<[u8; 32]>::as_slice), Some(part));
        }
        assert_eq!(of(&[0, 0x9a, 0xff]), "009aff");
    }

    #[test]
    fn only_lower_case_digits_are_some() {
        assert!(is("00ff", 4));
        for text in ["00fF", "00f", "00fg", "00f ", "€f"] {
            assert!(!is(text, 4), "{text}");
        }
        assert_eq!(bytes(&"0".repeat(63)), None);
    }
}
