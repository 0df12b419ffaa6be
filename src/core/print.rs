//! Fingerprints of inputs: SHA-256 over their canonical JSON (RFC 8785), which the border writes.
//! A grant for exactly one input must not be met by another one that a model has made to collide.

use sha2::{Digest as _, Sha256};

use super::grants::Print;

/// The fingerprints so far, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Prints(Vec<[u8; 32]>);

impl Prints {
    /// The number of the fingerprint of a text.
    pub fn of(&mut self, text: &[u8]) -> Print {
        let hash: [u8; 32] = Sha256::digest(text).into();
        let known = self.0.iter().position(|known| *known == hash);
        let index = known.unwrap_or_else(|| {
            self.0.push(hash);
            self.0.len() - 1
        });
        index as Print + 1
    }

    /// The fingerprint behind a number.
    pub fn get(&self, print: Print) -> Option<&[u8; 32]> {
        self.0.get(print.checked_sub(1)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_numbers() {
        let mut prints = Prints::default();
        let one = prints.of(b"one");
        assert_ne!(one, 0);
        assert_ne!(prints.of(b"two"), one);
        assert_eq!(prints.of(b"one"), one);
    }

    /// FIPS 180-2, appendix B.1.
    #[test]
    fn a_fingerprint_is_sha_256() {
        let mut prints = Prints::default();
        let number = prints.of(b"abc");
        let start = prints.get(number).map(|hash| [hash[0], hash[1], hash[2], hash[3]]);
        assert_eq!(start, Some([0xba, 0x78, 0x16, 0xbf]));
        assert_eq!(prints.get(0), None);
        assert_eq!(prints.get(2), None);
    }
}
