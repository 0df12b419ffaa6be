//! What a rule asks of the main argument of a call.

use super::glob::Glob;

/// The right side of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// The value, by a pattern.
    Glob(Glob),
    /// The first words of a command.
    Tokens(Vec<String>),
}

impl Pattern {
    /// The pattern for the whole value, where it is one.
    pub fn glob(&self) -> Option<&Glob> {
        match self {
            Self::Glob(glob) => Some(glob),
            Self::Tokens(_) => None,
        }
    }
}
