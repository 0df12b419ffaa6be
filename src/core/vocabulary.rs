//! Enums whose variants have stable names, for JavaScript, for exports and for storage.

/// Declares a fieldless enum together with its names, so that each name is spelled only once. In JSON a
/// variant is its name; any other text is an error. It has an order only if it derives one.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// All variants, in the order of their codes.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            /// The identifiers of all variants, in the order of their codes.
            pub const VARIANTS: &[&str] = &[$(stringify!($variant)),+];
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

        impl $crate::core::row::Crosses for $name {
            const SHAPE: $crate::core::row::Shape =
                $crate::core::row::Shape::Code(stringify!($name), Self::NAMES);

            fn read(rows: &mut $crate::core::row::Rows) -> Option<Self> {
                Self::from_code($crate::core::row::code(rows.number()))
            }

            fn write(&self, to: &mut Vec<f64>) {
                to.push(f64::from(*self as u8));
            }
        }

        impl $crate::core::row::Crosses for Option<$name> {
            const SHAPE: $crate::core::row::Shape =
                $crate::core::row::Shape::OptionalCode(stringify!($name), $name::NAMES);

            fn read(rows: &mut $crate::core::row::Rows) -> Option<Self> {
                let number = rows.number();
                if number.is_nan() {
                    return Some(None);
                }
                $name::from_code($crate::core::row::code(number)).map(Some)
            }

            fn write(&self, to: &mut Vec<f64>) {
                to.push(self.map_or(f64::NAN, |value| f64::from(value as u8)));
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::from_name(&name).ok_or_else(|| serde::de::Error::custom("unknown name"))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    vocabulary! {
        Word {
            First = "first",
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
        assert_eq!(Word::VARIANTS, ["First", "Second"]);
    }

    #[test]
    fn in_json_it_is_its_name() {
        assert_eq!(serde_json::to_string(&Word::ALL).ok().as_deref(), Some(r#"["first","second"]"#));
        assert_eq!(serde_json::from_str::<Word>(r#""sec\u006fnd""#).ok(), Some(Word::Second));
        assert!(serde_json::from_str::<Word>(r#""third""#).is_err());
        assert!(serde_json::from_str::<Word>("1").is_err());
    }

    #[test]
    fn what_has_no_name_is_nothing() {
        assert_eq!(Word::from_name("third"), None);
        assert_eq!(Word::from_code(2), None);
    }
}
