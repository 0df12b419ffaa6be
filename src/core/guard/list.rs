//! The chat's list of messages, as it was last read.

use crate::core::call::PartFacts;
use crate::core::verdict::Step;

/// The list as a whole, as far as the guard knows it.
#[derive(Debug, Default)]
pub(super) struct List {
    /// The last step.
    pub(super) step: Step,
    /// Whether a part is not in its old place, so that the whole list has to be read.
    pub(super) is_displaced: bool,
    /// The parts of the last list from the server that say what happened.
    pub(super) adopted: Vec<PartFacts>,
    /// Whether what is seen is history, because the chat is being attached for the first time.
    pub(super) is_history: bool,
    /// Whether the attached chat reports each answer that is given through it.
    pub(super) reports_answers: bool,
}
