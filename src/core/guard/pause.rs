//! What waits for a person although it is due.

use crate::core::batch::Batch;

/// The answers and outputs that do not leave by themselves any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pause {
    /// Everything does.
    #[default]
    Nothing,
    /// Drafts wait for a person: they were due while no chat was attached, or an earlier page has drafted them.
    Undoable,
    /// Answers and outputs wait for a person, or for something new: their response broke off, and the chat does not
    /// ask after that.
    Everything,
}

impl Pause {
    /// Everything that has waited since a response broke off goes on.
    pub(super) fn end_break(&mut self) {
        if *self == Self::Everything {
            *self = Self::Nothing;
        }
    }

    /// Whether a batch waits for a person although it is due.
    pub(super) fn holds(self, batch: &Batch) -> bool {
        match self {
            Self::Nothing => false,
            Self::Undoable => batch.undoable,
            Self::Everything => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_that_nobody_can_undo_wait_for_no_person_unless_a_response_broke_off() {
        let (drafted, fixed) = (Batch { undoable: true, ..Batch::default() }, Batch::default());
        let holds = |pause: Pause| [pause.holds(&drafted), pause.holds(&fixed)];
        assert_eq!(holds(Pause::Undoable), [true, false]);
        assert_eq!(holds(Pause::Everything), [true, true]);
        assert_eq!(holds(Pause::Nothing), [false, false]);
    }
}
