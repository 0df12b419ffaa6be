//! What a page means: the call that an act names, the person behind a request, the time of a commit.

use super::Guard;
use crate::core::call::{Call, Digest};
use crate::core::clock::{self, Time};
use crate::core::decision::{Actor, Refusal};
use crate::core::id::{CallId, StringId};

vocabulary! {
    /// What made a request.
    Trigger {
        /// A message, or nothing but the wish to go on.
        Submit = "submit",
        /// A message was written again.
        Edit = "edit",
        /// A person wants another response.
        Regenerate = "regenerate",
    }
}

impl Trigger {
    /// The actor because of which messages are gone.
    pub fn actor(self) -> Actor {
        match self {
            Self::Submit => Actor::Application,
            Self::Edit => Actor::Edit,
            Self::Regenerate => Actor::Regenerate,
        }
    }

    /// Whether a person has moved on: they have written, or want another response. `continues`: the last message is
    /// from the assistant.
    pub fn is_act_of_person(self, continues: bool) -> bool {
        self == Self::Regenerate || !continues
    }
}

vocabulary! {
    /// Why drafts are to be written.
    CommitCause {
        /// A person wants it now.
        Person = "person",
        /// The chat asks whether to send.
        Question = "question",
        /// Something happened, or time has passed.
        Time = "time",
    }
}

/// The shortest time that a call may wait for an answer, in milliseconds.
pub const SHORTEST_WAIT: f64 = 1_000.0;
/// The longest.
pub const LONGEST_WAIT: f64 = 30.0 * 24.0 * 60.0 * 60.0 * 1_000.0;

/// How long a call may wait: what is no such time is the shortest one, for time only closes (law 12). Infinite is
/// for ever.
pub fn wait(millis: f64) -> Option<Time> {
    if millis == f64::INFINITY {
        return None;
    }
    let valid = (SHORTEST_WAIT..=LONGEST_WAIT).contains(&millis);
    clock::duration(if valid { millis } else { SHORTEST_WAIT })
}

/// The name of a call, as a page gives it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named {
    /// The call that a view shows.
    pub call: Option<CallId>,
    /// Otherwise an approval id or a call id.
    pub id: StringId,
    /// The input that the person saw, and the call of which; without one it is that of whichever call is meant.
    pub shown: Option<(Option<CallId>, Digest)>,
}

impl Guard {
    /// The call that is meant. A call id may come again, and would then name another call than the one that the
    /// person saw: an id counts only where it names one call. A call that is gone is meant where no other is.
    ///
    /// # Errors
    ///
    /// [`Refusal::UnknownId`], [`Refusal::AmbiguousId`]; [`Refusal::Changed`], with the call, where the part shows
    /// another input than the person saw.
    pub fn named(&self, named: Named) -> Result<CallId, (Option<CallId>, Refusal)> {
        let id = match named.call {
            Some(id) => self.call(id).map(|_| id).ok_or(Refusal::UnknownId),
            None => self.with_id(named.id),
        };
        let id = id.map_err(|refusal| (None, refusal))?;
        let has = self.seen.get(id).map(|seen| seen.part.input);
        let saw = named.shown.filter(|&(call, _)| call.is_none_or(|call| call == id)).map(|(_, input)| input);
        if saw.is_some() && saw != has {
            return Err((Some(id), Refusal::Changed));
        }
        Ok(id)
    }

    fn with_id(&self, id: StringId) -> Result<CallId, Refusal> {
        let has_id = |call: &Call| id.is_some() && (call.approval() == id || call.id() == id);
        let mut found = None;
        for (other, call) in self.state().calls.iter().filter(|(_, call)| has_id(call)) {
            match found {
                Some((_, false)) if !call.gone() => return Err(Refusal::AmbiguousId),
                Some((_, false)) => {}
                _ => found = Some((other, call.gone())),
            }
        }
        found.map(|(id, _)| id).ok_or(Refusal::UnknownId)
    }

    /// Whether a commit waits for a chat to write into. What a person has drafted is held without one; what nobody
    /// can undo leaves with the answer to a question, which needs none.
    pub fn waits_for_chat(&self, cause: CommitCause, attached: bool) -> bool {
        cause == CommitCause::Time && !attached && !self.batch().undoable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_an_act_of_a_person_where_they_have_written_or_want_another_response() {
        assert!(Trigger::Submit.is_act_of_person(false));
        assert!(!Trigger::Submit.is_act_of_person(true));
        assert!(Trigger::Edit.is_act_of_person(false));
        assert!(!Trigger::Edit.is_act_of_person(true));
        assert!(Trigger::Regenerate.is_act_of_person(false));
        assert!(Trigger::Regenerate.is_act_of_person(true));
    }

    #[test]
    fn what_is_no_time_to_wait_is_the_shortest_one() {
        assert_eq!(wait(f64::INFINITY), None);
        for valid in [1_000.0, 1_000.5, 60_000.0, LONGEST_WAIT] {
            assert_eq!(wait(valid), Some(valid as Time));
        }
        for invalid in [f64::NAN, f64::NEG_INFINITY, -1.0, 0.0, 999.9, LONGEST_WAIT + 1.0, 1e300] {
            assert_eq!(wait(invalid), Some(1_000), "{invalid}");
        }
    }
}
