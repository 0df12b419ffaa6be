//! Resolves what a page refers to: the call that an act names, the actor behind a request, the cause of a
//! commit.

use super::{ActResult, Guard, Transaction};
use crate::core::batch::Batch;
use crate::core::call::{Call, Digest};
use crate::core::clock::{self, Time};
use crate::core::decision::{Actor, Choice, Refusal};
use crate::core::id::{CallId, StringId};
use crate::core::policy::{LONGEST_WAIT, SHORTEST_WAIT};
use crate::core::row::{Crosses, Rows, Shape};

vocabulary! {
    /// The cause of a request.
    Trigger {
        /// A new message, or a bare continue.
        Submit = "submit",
        /// An edited message.
        Edit = "edit",
        /// The wish of a person for another response.
        Regenerate = "regenerate",
    }
}

impl Trigger {
    /// The actor who caused the removal of messages.
    pub fn actor(self) -> Actor {
        match self {
            Self::Submit => Actor::Application,
            Self::Edit => Actor::Edit,
            Self::Regenerate => Actor::Regenerate,
        }
    }

    /// Whether it is an act of a person: a new message, or the wish for another response. `continues`:
    /// whether the last message is from the assistant.
    pub fn is_act_of_person(self, continues: bool) -> bool {
        self == Self::Regenerate || !continues
    }
}

vocabulary! {
    /// The cause of a commit. If it is no person, it matters whether a chat is attached.
    CommitCause {
        /// A person wants it.
        Person = "person",
        /// The SDK's predicate is asked whether to send.
        Predicate = "predicate",
        /// The same while no chat is attached.
        PredicateAlone = "predicate-alone",
        /// Something happened, or time has passed.
        Time = "time",
        /// The same while no chat is attached.
        TimeAlone = "time-alone",
    }
}

vocabulary! {
    /// The wait of committed answers before they are written into the messages: for a chat, or for the record.
    WaitedFor {
        /// A chat. When they were committed, none was attached.
        Chat = "chat",
        /// The storage. Those that were taken back meanwhile are not written.
        Storage = "storage",
    }
}

/// The time that a call may wait. A value that is not a valid time becomes the shortest one, because time only
/// closes (law 12). Infinity means no limit.
pub fn wait(millis: f64) -> Option<Time> {
    if millis == f64::INFINITY {
        return None;
    }
    let valid = (SHORTEST_WAIT..=LONGEST_WAIT).contains(&millis);
    clock::duration(if valid { millis } else { SHORTEST_WAIT })
}

/// The time that a call may wait, as the application says it; see [`wait`].
#[derive(Clone, Copy, Debug)]
pub struct Lifetime(pub Option<Time>);

impl Crosses for Lifetime {
    const SHAPE: Shape = Shape::Number;

    fn read(rows: &mut Rows) -> Option<Self> {
        Some(Self(wait(rows.number())))
    }

    fn write(&self, to: &mut Vec<f64>) {
        self.0.write(to);
    }
}

row! {
    /// The reference to a call, as a page gives it.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Named {
        /// The call, if the page took it from a snapshot.
        pub call: Option<CallId>,
        /// Otherwise an approval id or a call id.
        pub id: StringId,
    }
}

impl From<CallId> for Named {
    fn from(call: CallId) -> Self {
        Self { call: Some(call), id: StringId::NONE }
    }
}

/// A call as it was shown to the person.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// The call. Without it, whichever call is found was shown.
    pub call: Option<CallId>,
    /// Its input.
    pub input: Digest,
    /// The server of its tool, or 0.
    pub server: StringId,
}

impl Crosses for Option<Shown> {
    const SHAPE: Shape = Shape::Fields(
        "Shown",
        &[
            ("is_shown", Shape::Flag),
            ("shown_call", Shape::Number),
            ("shown_input", Shape::Digest),
            ("shown_server", Shape::Number),
        ],
    );

    fn read(rows: &mut Rows) -> Option<Self> {
        let is_shown = bool::read(rows)?;
        let (call, input, server) = (Crosses::read(rows)?, Crosses::read(rows)?, Crosses::read(rows)?);
        Some(is_shown.then_some(Shown { call, input, server }))
    }

    fn write(&self, to: &mut Vec<f64>) {
        self.is_some().write(to);
        self.and_then(|shown| shown.call).write(to);
        self.map_or(0, |shown| shown.input).write(to);
        self.map_or(StringId::NONE, |shown| shown.server).write(to);
    }
}

row! {
    /// A changed input, with what the application says of it.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct EditGiven {
        /// Its digest; 0 for none.
        pub input: Digest,
        /// Whether a person may change these fields of this tool.
        pub editable: bool,
        /// Whether the approval holds for its very input.
        pub signed: bool,
        /// Whether the application has found problems with it.
        pub faulty: bool,
        /// Whether the rules deny it.
        pub denied: bool,
    }
}

impl EditGiven {
    /// The reason for which a call may not be allowed with it; `None` if it may.
    fn refusal(self, is_by_provider: bool) -> Option<Refusal> {
        if !self.editable || is_by_provider {
            Some(Refusal::NotEditable)
        } else if self.signed {
            Some(Refusal::Signed)
        } else if self.faulty {
            Some(Refusal::InvalidInput)
        } else {
            self.denied.then_some(Refusal::DeniedByRule)
        }
    }
}

impl Guard {
    /// The changed input with which a call is to be allowed; 0 if it is the one that the model asked for.
    ///
    /// # Errors
    ///
    /// The reason for which the call may not be allowed with it. A changed input gives no lasting choice.
    pub(super) fn edit(&self, id: CallId, choice: Choice, given: EditGiven) -> Result<Digest, Refusal> {
        let part = self.seen.get(id).map(|seen| seen.part);
        if given.input == 0 || part.is_some_and(|part| part.input == given.input) {
            return Ok(0);
        }
        let is_once = choice == Choice::AllowOnce;
        let by_provider = part.is_none_or(|part| part.flags.provider);
        match given.refusal(by_provider || !is_once) {
            Some(refusal) => Err(refusal),
            None => Ok(given.input),
        }
    }

    /// Finds the call. A call id may be used again for another call than the person saw, so an id has to name a single
    /// one. A call that is gone is found only if there is no other.
    ///
    /// # Errors
    ///
    /// [`Refusal::UnknownId`], [`Refusal::AmbiguousId`]; [`Refusal::Changed`], with the call, if the part
    /// shows another input or server than the person saw.
    pub fn named(&self, named: Named, shown: Option<Shown>) -> Result<CallId, (Option<CallId>, Refusal)> {
        let id = match named.call {
            Some(id) => self.call(id).map(|_| id).ok_or(Refusal::UnknownId),
            None => self.with_id(named.id),
        };
        let id = id.map_err(|refusal| (None, refusal))?;
        let has = self.seen.get(id).map(|seen| (seen.part.input, seen.part.server));
        let saw = shown.filter(|shown| shown.call.is_none_or(|call| call == id));
        let saw = saw.map(|shown| (shown.input, shown.server));
        if saw.is_some() && saw != has {
            return Err((Some(id), Refusal::Changed));
        }
        Ok(id)
    }

    /// The calls with this call id, newest first.
    pub(super) fn with_call_id(&self, id: StringId) -> impl Iterator<Item = CallId> {
        self.names.of(id).rev().filter(move |&other| self.call(other).is_some_and(|call| call.id() == id))
    }

    /// The calls with this call id or approval id, oldest first.
    fn with_name(&self, name: StringId) -> impl Iterator<Item = (CallId, &Call)> {
        let has_name = move |call: &&Call| name.is_some() && (call.id() == name || call.approval() == name);
        self.names.of(name).filter_map(move |id| Some((id, self.call(id).filter(has_name)?)))
    }

    fn with_id(&self, id: StringId) -> Result<CallId, Refusal> {
        let mut found = None;
        for (other, call) in self.with_name(id) {
            match found {
                Some((_, false)) if !call.gone() => return Err(Refusal::AmbiguousId),
                Some((_, false)) => {}
                _ => found = Some((other, call.gone())),
            }
        }
        found.map(|(id, _)| id).ok_or(Refusal::UnknownId)
    }

    /// Whether a commit waits until a chat is attached. It concerns only allowances that nobody can undo: the rules
    /// can still become stricter, and they also leave with the answer to the SDK's question, which needs no chat.
    /// Drafts of a person are held back by the commit itself, and nothing takes back what time or a rule denies.
    pub(super) fn waits_for_chat(&self, cause: CommitCause) -> bool {
        let is_for_ever = |batch: Batch| batch.allowed > 0 && !batch.undoable;
        cause == CommitCause::TimeAlone && is_for_ever(self.batch())
    }
}

impl Transaction<'_> {
    /// Carries out an act on the call that is named, or refuses it.
    pub(super) fn act_on(&mut self, named: Named, act: impl FnOnce(&mut Self, CallId)) {
        self.act_on_shown(named, None, false, act);
    }

    /// The same for what was shown to the person. `allows`: whether the act is an allowance.
    pub(super) fn act_on_shown(
        &mut self,
        named: Named,
        shown: Option<Shown>,
        allows: bool,
        act: impl FnOnce(&mut Self, CallId),
    ) {
        match self.guard.named(named, shown) {
            Ok(call) => {
                self.acting.call = Some(call);
                act(self, call);
            }
            Err((call, refusal)) => {
                self.acting.call = call;
                self.refuse(call, allows, refusal);
            }
        }
    }

    /// Undoes the drafts of the calls that are named.
    pub(super) fn undo_named(&mut self, named: &[Named]) {
        let mut calls = Vec::new();
        for &named in named {
            self.act_on(named, |_, call| calls.push(call));
        }
        if !calls.is_empty() {
            self.acting.result = ActResult::Done;
        }
        self.undo(calls);
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
