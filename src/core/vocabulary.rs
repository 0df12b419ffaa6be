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
