//! The numbers by which strings, calls, requests and grants are known. Each is a type of its own: one in the
//! place of another does not compile.

/// Declares an id.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The highest id, which nothing gets.
            pub const MAX: Self = Self(u32::MAX);

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
    /// A string that the border has given a number. Equal strings have equal numbers.
    /// Strings stay in JavaScript, so that an id with a lone surrogate is not changed by a conversion.
    StringId
}

id! {
    /// The number of a request, from 1.
    RequestId
}

id! {
    /// The number of a grant, from 1.
    GrantId
}

id! {
    /// The number of a call, in the order in which the calls were noticed, from 0.
    CallId
}

/// Gives the ids that begin with 1 an id of nothing.
macro_rules! nothing_is_zero {
    ($($name:ident),+) => { $(
        impl $name {
            /// The id of nothing.
            pub const NONE: Self = Self(0);

            /// Whether it is the id of something.
            pub const fn is_some(self) -> bool {
                self.0 != 0
            }

            /// Whether it is the id of nothing.
            pub const fn is_none(self) -> bool {
                self.0 == 0
            }
        }
    )+ };
}

nothing_is_zero!(StringId, RequestId, GrantId);
