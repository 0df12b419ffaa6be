//! Enums whose variants have a stable name, for JavaScript and for exports.

/// Declares a fieldless enum together with its names, so that a name is spelled in one place.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// All variants, in the order of their codes.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            /// All names, in the order of their codes.
            pub const NAMES: &[&str] = &[$($text),+];

            /// The stable name.
            pub fn name(self) -> &'static str {
                Self::NAMES.get(self as usize).copied().unwrap_or_default()
            }

            /// The variant with this name, if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::NAMES.iter().position(|n| *n == name).and_then(Self::from_code)
            }

            /// The variant with this code, if there is one.
            pub fn from_code(code: usize) -> Option<Self> {
                Self::ALL.get(code).copied()
            }
        }
    };
}

#[cfg(test)]
mod tests {
    vocabulary! {
        /// Two words.
        Word {
            /// The first.
            First = "first",
            /// The second.
            Second = "second",
        }
    }

    #[test]
    fn a_name_a_code_and_a_variant_are_the_same() {
        for (code, word) in Word::ALL.iter().copied().enumerate() {
            assert_eq!(word as usize, code);
            assert_eq!(Word::from_code(code), Some(word));
            assert_eq!(Word::from_name(word.name()), Some(word));
        }
        assert_eq!(Word::NAMES, ["first", "second"]);
    }

    #[test]
    fn what_has_no_name_is_nothing() {
        assert_eq!(Word::from_name("third"), None);
        assert_eq!(Word::from_code(2), None);
    }
}
