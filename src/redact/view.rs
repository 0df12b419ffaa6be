//! The two views of an input, and the mask that both use.

/// Stands for a secret of any length.
pub const MASK: &str = "••••••••";

/// The reader of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// For the person who decides and can ask for what is hidden.
    Display,
    /// For records and everything else that outlives the decision. Possible secrets count as secrets, and of long
    /// texts only the size is kept.
    Record,
}
