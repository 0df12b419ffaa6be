//! For tests that go through every state: a state as a number.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// What is known of each state, by its fingerprint.
pub type States<V> = HashMap<u128, V, BuildHasherDefault<Lanes>>;

/// A 128-bit hash of a state. States with the same hash are treated as equal.
pub fn fingerprint(state: &impl Hash) -> u128 {
    let mut lanes = Lanes::default();
    state.hash(&mut lanes);
    u128::from(lanes.0[0]) << 64 | u128::from(lanes.0[1])
}

/// Two hashes of 64 bits that share nothing but what they read. The hasher of the standard library withstands
/// attacks, for which an exploration would spend nine tenths of its time.
pub struct Lanes([u64; 2]);

/// Two halves of the digits of pi, and two of those of e.
const START: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];
const FACTORS: [u64; 2] = [0xb7e1_5162_8aed_2a6b, 0xbf71_5880_9cf4_f3c7];

impl Default for Lanes {
    fn default() -> Self {
        Self(START)
    }
}

impl Hasher for Lanes {
    fn finish(&self) -> u64 {
        self.0[0] ^ self.0[1]
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, value: u64) {
        for (lane, factor) in self.0.iter_mut().zip(FACTORS) {
            let product = u128::from(*lane ^ value) * u128::from(factor);
            *lane = product as u64 ^ (product >> 64) as u64;
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

#[test]
fn states_that_differ_have_different_fingerprints() {
    let sides = 0..64_u8;
    let pairs = sides.clone().flat_map(|a| sides.clone().map(move |b| (a, u64::from(b))));
    let texts = ["", "a", "b", "ab", "12345678", "123456789"];
    let states = pairs.flat_map(|pair| texts.map(|text| (pair, text, text == "a")));
    let known: States<()> = states.map(|state| (fingerprint(&state), ())).collect();
    assert_eq!(known.len(), 64 * 64 * texts.len());
}
