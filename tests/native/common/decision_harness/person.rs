//! The acts of the person, the page and the server on a call.

use tool_approval_guard::core::call::{Answer, Digest};
use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::decision::{Actor, Choice};
use tool_approval_guard::core::event::Event;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::{ActResult, Chosen, CommitCause, Covers, EditGiven, Effects, Fact};
use tool_approval_guard::core::id::{GrantId, RequestId, StringId};
use tool_approval_guard::core::protocol::{Chunk, ToolState};

use super::part::{Part, said};
use super::{DecisionHarness, Law, REUSED};
use crate::common::decisions::{End, With};
use crate::common::oracle::{Event as Happened, Tag, Who};

impl DecisionHarness {
    /// Passes an act of a person. A refusal adds one entry for each call and changes nothing else.
    pub(super) fn act(&mut self, input: Fact, approved: bool) -> Effects {
        let (state, changes) = (self.guard.state().clone(), self.guard.changes());
        let entries = self.log.len();
        let effects = self.tell(input.clone());
        let refused = matches!(effects.act().result, ActResult::Refused(_));
        if self.timer && refused && self.oracle.policy.attended {
            let added: Vec<Event> = self.log[entries..].iter().map(|entry| entry.event).collect();
            // The entry may fill a segment, so that old calls are dropped.
            let (forgotten, added): (Vec<Event>, Vec<Event>) =
                added.into_iter().partition(|event| event.kind == EventKind::Forgotten);
            let acts = if let Fact::Undo(calls) = &input { calls.len() } else { 1 };
            let says = |event: &Event| event.kind == EventKind::Refused && event.approved == Some(approved);
            let recorded = added.len() == acts && added.iter().all(says);
            let same = *self.guard.state() == state && self.guard.changes() == changes;
            let same = same || !forgotten.is_empty();
            let quiet = effects.changed().is_empty() && effects.act().grant.is_none();
            self.holds(Law::FirstAnswerWins, recorded && same && quiet, || {
                format!("{input:?} was refused, and left {added:?}, {effects:?}")
            });
        }
        effects
    }

    pub(super) fn decide(&mut self, which: usize, choice: Choice, covers: Covers, lifetime: Option<Time>) {
        let Some((tag, call)) = self.pick(which) else { return };
        if let Covers::Fields(fields) = covers {
            let tool = self.specs[tag].tool;
            let alike =
                |&other: &Tag| self.specs[other].tool == tool && other != tag && self.card(other).is_some();
            let others: Vec<Tag> = self.last_step.iter().copied().filter(alike).collect();
            for other in std::iter::once(tag).chain(others) {
                self.fingerprint(other, fields);
            }
        }
        let covered = self.tags_of(&self.guard.covered(call, covers).calls);
        let waits = |harness: &Self, tag: Tag| harness.card(tag).is_some_and(|card| card.asks);
        let waited: Vec<Tag> = self.refs.keys().copied().filter(|&tag| waits(self, tag)).collect();
        let entries = self.log.len();
        let effects = self.act(
            Fact::Decide {
                named: call.into(),
                shown: None,
                chosen: Chosen { choice, covers, edit: EditGiven::default(), lifetime },
                program: StringId::NONE,
            },
            choice.allows(),
        );
        let reply = self.reply(&effects);
        let is_timed = self.log[entries..].iter().any(|entry| entry.event.actor == Actor::Timer);
        if !is_timed {
            let answered = |&tag: &Tag| {
                let card = self.card(tag).filter(|card| matches!(card.who, Some(Who::Person | Who::Grant)));
                card.is_some_and(|card| {
                    card.grant == effects.act().grant && effects.act().grant > GrantId::NONE
                })
            };
            let answered = waited.into_iter().filter(answered).collect();
            self.check_covered(choice, &reply, covered, answered);
        }
        self.happened(Happened::Decided { tag, choice, covers, lifetime, grant: effects.act().grant, reply });
    }

    /// A person changes the input of a call, and allows it. No other call is answered with it, and it gives no grant.
    pub(super) fn correct(&mut self, which: usize, edit: Digest) {
        let Some((tag, call)) = self.pick(which) else { return };
        let effects = self.act(
            Fact::Decide {
                named: call.into(),
                shown: None,
                chosen: Chosen {
                    choice: Choice::AllowOnce,
                    covers: Covers::Tool,
                    edit: EditGiven { input: edit, editable: true, ..EditGiven::default() },
                    lifetime: None,
                },
                program: StringId::NONE,
            },
            true,
        );
        let reply = self.reply(&effects);
        if effects.act().result == ActResult::Done {
            let is_alone =
                effects.changed().iter().all(|other| *other == call) && effects.act().grant.is_none();
            self.holds(Law::Grants, is_alone, || format!("a changed input has answered {effects:?}"));
            self.edits.insert(tag, edit);
        }
        let (choice, covers) = (Choice::AllowOnce, Covers::Tool);
        self.happened(Happened::Decided {
            tag,
            choice,
            covers,
            lifetime: None,
            grant: effects.act().grant,
            reply,
        });
    }

    /// Commits the batch: either all drafts become answers at once, in the order of their parts, or none
    /// does. Returns whether they did.
    pub(super) fn commit(&mut self, due: bool, attached: bool) -> bool {
        let effects = self.tell(Fact::Commit(match (due, attached) {
            (false, _) => CommitCause::Person,
            (true, true) => CommitCause::Predicate,
            (true, false) => CommitCause::PredicateAlone,
        }));
        let reply = self.reply(&effects);
        self.happened(Happened::Committed { due, attached, reply });
        for tag in self.tags_of(&effects.changed()) {
            let says = self.card(tag).and_then(|card| card.answer());
            let edit = self.edits.get(&tag).copied().unwrap_or(0);
            if let (true, Some(yes), Some(part)) = (attached, says, self.part(tag)) {
                part.show(ToolState::ApprovalResponded, said(yes));
                part.edit = if yes { edit } else { 0 };
            }
        }
        self.look();
        effects.act().result == ActResult::Done
    }

    /// Answers a call without a draft. `heard`: the guard is told before the answer is in the messages.
    pub(super) fn direct(&mut self, which: usize, yes: bool, heard: bool, with: With) {
        let Some((tag, _)) = self.pick(which) else { return };
        self.look();
        let Some(part) = self.part(tag).cloned() else { return };
        let card = part.state == ToolState::ApprovalRequested;
        let asked = self.oracle.question(tag, self.oracle.history.len()).is_some();
        if heard && asked && (card || !self.is_open(tag)) {
            let effects = self.tell(Fact::ChatAnswer { approval: part.approval, approved: yes });
            let problems = effects.problems;
            // The question of a call that was answered before the page is not known.
            let known = problems.is_empty() || self.oracle.loaded(tag);
            self.holds(Law::FirstAnswerWins, known, || format!("{problems:?}"));
            self.happened(Happened::Clicked { tag, yes });
        }
        if part.state != ToolState::ApprovalRequested {
            return; // the chat does not accept it
        }
        if let Some(part) = self.part(tag) {
            part.show(ToolState::ApprovalResponded, said(yes));
            match with {
                With::Nothing => {}
                With::OtherInput => part.content.a = (part.content.a + 1) % 3,
                With::Output => (part.state, part.output) = (ToolState::OutputAvailable, 7),
            }
        }
        self.look();
    }

    /// Lets the application replace an answer by another one.
    pub(super) fn overwrite(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which) else { return };
        let part = self.part(tag).filter(|part| part.state == ToolState::ApprovalResponded);
        if let Some(part) = part {
            part.answer = said(part.answer == Answer::No);
            self.look();
        }
    }

    pub(super) fn stop(&mut self, attached: bool) {
        while !self.idle() {
            self.finish(End::Broken);
        }
        self.look();
        self.tell(Fact::Stopped);
        self.happened(Happened::Stopped);
        if attached {
            self.repair();
        }
    }

    /// Changes the input of a part.
    pub(super) fn change(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which) else { return };
        let part = self.part(tag).filter(|part| part.output == 0);
        if let Some(part) = part {
            part.content.a = (part.content.a + 1) % 3;
            self.look();
        }
    }

    /// Ends the running response, and begins a resumed stream with a question.
    pub(super) fn resume(&mut self, which: usize, end: End, goes_on: bool) {
        let wire = self.flights.last().map(|flight| flight.wire.clone());
        while !self.idle() {
            self.finish(end);
        }
        self.replay(which);
        let goes_on = goes_on && !matches!(end, End::Refused);
        if let Some(wire) = wire.filter(|_| goes_on) {
            self.serve_as(RequestId::NONE, wire);
            self.look();
        }
    }

    /// Replays a stream that brings a question back.
    pub(super) fn replay(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which).filter(|_| self.idle()) else { return };
        let over = self.served.contains(&tag);
        let part = self.part(tag).filter(|part| part.approval.is_some() && part.id != REUSED && !over);
        let Some(part) = part else { return };
        let (id, approval) = (part.id, part.approval);
        part.show(ToolState::ApprovalRequested, Answer::Absent);
        part.edit = 0;
        self.hear(RequestId::NONE, Chunk::InputAvailable, id, StringId::NONE, 0);
        self.hear(RequestId::NONE, Chunk::ApprovalRequest, id, approval, 0);
        self.look();
    }

    /// Begins a call again: its input streams in once more, and nothing is asked yet.
    pub(super) fn restart(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which) else { return };
        let open = self.is_open(tag);
        let asks = |part: &&mut Part| part.state == ToolState::ApprovalRequested && part.id != REUSED;
        let part = self.part(tag).filter(|part| open && asks(part));
        if let Some(part) = part {
            part.show(ToolState::InputAvailable, Answer::Absent);
            part.edit = 0;
            self.look();
        }
    }

    /// Lets the page write an output over a call that is not allowed.
    pub(super) fn output(&mut self, which: usize) {
        let Some((tag, _)) = self.pick(which) else { return };
        let allowed = self.card(tag).is_some_and(|card| card.answer() == Some(true));
        let part = self.part(tag).filter(|part| part.approval.is_some() && part.output == 0 && !allowed);
        if let Some(part) = part {
            (part.state, part.output, part.served) = (ToolState::OutputAvailable, 7, false);
            self.look();
        }
    }
}
