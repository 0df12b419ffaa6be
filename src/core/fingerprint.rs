//! Fingerprints of inputs: SHA-256 over their canonical JSON (RFC 8785), which the border writes.
//! A grant for exactly one input must not be met by another one that a model has made to collide.

use sha2::{Digest as _, Sha256};

use super::grant::Fingerprint;

/// A fingerprint.
pub type Hash = [u8; 32];

/// The fingerprints so far, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Fingerprints {
    /// In the order of their numbers.
    hashes: Vec<(Fingerprint, Hash)>,
    /// The numbers, in the order of the hashes: a chat can have many.
    order: Vec<Fingerprint>,
    /// What is hashed before each text, so that nobody who reads stored fingerprints can look short inputs up.
    salt: Vec<u8>,
    /// The last number that was given.
    last: Fingerprint,
}

impl Fingerprints {
    /// Fingerprints of texts behind a salt, numbered on from another set of them.
    pub fn salted(salt: Vec<u8>, past: &Self) -> Self {
        Self { salt, last: past.last, ..Self::default() }
    }

    /// The number of the fingerprint of a text.
    pub fn of(&mut self, text: &[u8]) -> Fingerprint {
        let hash = Sha256::new().chain_update(&self.salt).chain_update(text).finalize().into();
        self.number(hash)
    }

    /// The number of a fingerprint that was made with the same salt.
    pub fn number(&mut self, hash: Hash) -> Fingerprint {
        let place = self.order.binary_search_by_key(&Some(&hash), |&print| self.get(print));
        let known = place.ok().and_then(|place| self.order.get(place).copied());
        known.unwrap_or_else(|| {
            self.last += 1;
            self.hashes.push((self.last, hash));
            self.order.insert(place.unwrap_or_else(|place| place), self.last);
            self.last
        })
    }

    /// The fingerprint behind a number.
    pub fn get(&self, print: Fingerprint) -> Option<&Hash> {
        let place = self.hashes.binary_search_by_key(&print, |&(known, _)| known).ok()?;
        self.hashes.get(place).map(|(_, hash)| hash)
    }

    /// Forgets all that is not among these.
    pub fn keep(&mut self, used: &[Fingerprint]) {
        let first = self.hashes.first().map_or(0, |&(print, _)| print);
        let place = |print: Fingerprint| print.wrapping_sub(first) as usize;
        let mut marks = vec![false; place(self.last).saturating_add(1)];
        for &print in used {
            if let Some(mark) = marks.get_mut(place(print)) {
                *mark = true;
            }
        }
        let is_used = |print: Fingerprint| marks.get(place(print)) == Some(&true);
        self.hashes.retain(|&(print, _)| is_used(print));
        self.order.retain(|&print| is_used(print));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_numbers() {
        let mut prints = Fingerprints::default();
        let one = prints.of(b"one");
        assert_ne!(one, 0);
        assert_ne!(prints.of(b"two"), one);
        assert_eq!(prints.of(b"one"), one);
    }

    #[test]
    fn what_is_forgotten_gets_another_number() {
        let mut prints = Fingerprints::default();
        let [one, two, three] = [b"1", b"2", b"3"].map(|text| prints.of(text));
        prints.keep(&[two]);
        assert_eq!((prints.get(one), prints.get(three)), (None, None));
        assert_eq!(prints.of(b"2"), two);
        let again = prints.of(b"1");
        assert!(again > three, "an old number is never that of another text");
        let mut salted = Fingerprints::salted(vec![1], &prints);
        assert!(salted.of(b"2") > again);
    }

    /// FIPS 180-2, appendix B.1.
    #[test]
    fn a_fingerprint_is_sha_256() {
        let mut prints = Fingerprints::default();
        let number = prints.of(b"abc");
        let start = prints.get(number).map(|hash| [hash[0], hash[1], hash[2], hash[3]]);
        assert_eq!(start, Some([0xba, 0x78, 0x16, 0xbf]));
        assert_eq!(prints.get(0), None);
        assert_eq!(prints.get(2), None);
    }
}
