//! The condition of a rule for the main argument of a call.

use super::glob::Glob;

/// The pattern of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A pattern for the value.
    Glob(Glob),
    /// The first words of a command.
    Tokens(Vec<String>),
}

impl Pattern {
    /// The pattern for the whole value, unless it is tokens.
    pub fn glob(&self) -> Option<&Glob> {
        match self {
            Self::Glob(glob) => Some(glob),
            Self::Tokens(_) => None,
        }
    }
}
