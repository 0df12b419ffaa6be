//! The pairs of adjacent bytes in a text. A value has to contain those of a pattern that matches it, so most
//! patterns are ruled out in a few instructions.

/// A Bloom filter of the pairs of bytes in a text. It may report a pair that is missing, but never misses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bigrams([u64; 2]);

impl Bigrams {
    /// The bigrams of an empty set of texts.
    pub const NONE: Self = Self([0; 2]);
    /// All bigrams.
    pub const ALL: Self = Self([u64::MAX; 2]);

    /// Returns the bigrams of a text.
    pub fn of(text: &str) -> Self {
        let mut all = Self::NONE;
        for pair in text.as_bytes().windows(2) {
            let &[first, second] = pair else { continue };
            all.add(first, second);
        }
        all
    }

    /// Adds one bigram.
    pub fn add(&mut self, first: u8, second: u8) {
        // Multiplicative hashing: the highest bits are the best distributed.
        let hash = (u32::from(first) << 8 | u32::from(second)).wrapping_mul(0x9E37_79B1) >> 25;
        self.0[(hash >> 6) as usize] |= 1 << (hash & 63);
    }

    /// Returns those of the first two letters or digits after each blank.
    pub fn of_beginnings(text: &str) -> Self {
        let mut all = Self::NONE;
        for three in text.as_bytes().windows(3) {
            if let &[b' ', first, second] = three
                && first.is_ascii_alphanumeric()
                && second.is_ascii_alphanumeric()
            {
                all.add(first, second);
            }
        }
        all
    }

    /// Returns those of letters and digits alone.
    pub fn of_letters(text: &str) -> Self {
        Self::any(text.split(|c: char| !c.is_ascii_alphanumeric()).map(Self::of))
    }

    /// Returns the union.
    pub fn any(all: impl IntoIterator<Item = Self>) -> Self {
        let union = |Self([a, b]): Self, Self([c, d]): Self| Self([a | c, b | d]);
        all.into_iter().fold(Self::NONE, union)
    }

    /// Returns the intersection.
    pub fn each(all: impl IntoIterator<Item = Self>) -> Self {
        let common = |Self([a, b]): Self, Self([c, d]): Self| Self([a & c, b & d]);
        all.into_iter().fold(Self::ALL, common)
    }

    /// Whether all of the others may be among these.
    pub fn cover(self, other: Self) -> bool {
        let (Self([a, b]), Self([c, d])) = (self, other);
        (c & !a) | (d & !b) == 0
    }
}
