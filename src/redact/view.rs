//! The two views of an input, and their mask.

/// Replaces a secret of any length.
pub const MASK: &str = "••••••••";

/// The audience of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The person who decides, and who can ask for the hidden parts.
    Display,
    /// Records, and everything else that outlives the decision. Possible secrets count as secrets, and only
    /// the size of a long text is kept.
    Record,
}
