//! Numeric ids of strings, calls, requests and grants. Each is its own type, so mixing two of them up does
//! not compile.

/// Declares an id.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id after this one.
            pub const fn next(self) -> Self {
                Self(self.0 + 1)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<u32> for $name {
            fn from(number: u32) -> Self {
                Self(number)
            }
        }

        impl From<$name> for f64 {
            fn from(id: $name) -> Self {
                id.0.into()
            }
        }

        impl From<$name> for u32 {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

id! {
    /// The id of a string, given out by the border. Equal strings have equal ids. The strings stay in
    /// JavaScript, so that no conversion can change an id that contains a lone surrogate.
    StringId
}

id! {
    /// A request, numbered from 1.
    RequestId
}

id! {
    /// A grant, numbered from 1.
    GrantId
}

id! {
    /// A call, numbered from 0 in the order in which the calls were noticed.
    CallId
}

/// Gives the ids that begin with 1 a value that means none.
macro_rules! nothing_is_zero {
    ($($name:ident),+) => { $(
        impl $name {
            /// No id.
            pub const NONE: Self = Self(0);

            /// Whether this is the id of something.
            pub const fn is_some(self) -> bool {
                self.0 != 0
            }

            /// Whether this is no id.
            pub const fn is_none(self) -> bool {
                self.0 == 0
            }
        }
    )+ };
}

nothing_is_zero!(StringId, RequestId, GrantId);
