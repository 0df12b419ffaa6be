//! Fingerprints of inputs: SHA-256 over their canonical JSON (RFC 8785), which the border writes.
//! A grant for exactly one input must not be met by another one that a model has made to collide.

use sha2::{Digest as _, Sha256};

use super::grants::Print;

/// A fingerprint.
pub type Hash = [u8; 32];

/// The fingerprints so far, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Prints {
    hashes: Vec<Hash>,
    /// Their numbers, in the order of the hashes: a chat can have many.
    order: Vec<Print>,
    /// What is hashed before each text, so that nobody who reads stored fingerprints can look short inputs up.
    salt: Vec<u8>,
}

impl Prints {
    /// Fingerprints of texts behind a salt.
    pub fn salted(salt: Vec<u8>) -> Self {
        Self { salt, ..Self::default() }
    }

    /// The number of the fingerprint of a text.
    pub fn of(&mut self, text: &[u8]) -> Print {
        let hash = Sha256::new().chain_update(&self.salt).chain_update(text).finalize().into();
        self.number(hash)
    }

    /// The number of a fingerprint that was made with the same salt.
    pub fn number(&mut self, hash: Hash) -> Print {
        let place = self.order.binary_search_by_key(&Some(&hash), |&print| self.get(print));
        let known = place.ok().and_then(|place| self.order.get(place).copied());
        known.unwrap_or_else(|| {
            self.hashes.push(hash);
            let print = self.hashes.len() as Print;
            self.order.insert(place.unwrap_or_else(|place| place), print);
            print
        })
    }

    /// The fingerprint behind a number.
    pub fn get(&self, print: Print) -> Option<&Hash> {
        self.hashes.get(print.checked_sub(1)? as usize)
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
