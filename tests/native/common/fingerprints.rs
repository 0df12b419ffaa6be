//! The numbers of fingerprints, given as the shell gives them: equal texts have equal numbers.

use tool_approval_guard::core::grant::Fingerprint;

/// The texts so far. The number of each is its position, from 1.
#[derive(Clone, Debug, Default)]
pub struct Fingerprints(Vec<String>);

impl Fingerprints {
    /// The number of a text, or of a hash.
    pub fn number(&mut self, text: &str) -> Fingerprint {
        let place = self.0.iter().position(|known| known == text).unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        });
        place as Fingerprint + 1
    }

    /// The text with this number.
    pub fn text(&self, number: Fingerprint) -> Option<&str> {
        self.0.get((number as usize).checked_sub(1)?).map(String::as_str)
    }
}
