//! Decisions of a person (drafts, undo, commit) and of time.

use super::pause::Pause;
use super::{ActResult, Chosen, CommitCause, Guard, Problem, Transaction, WaitedFor};
use crate::core::batch::{Batch, Phase};
use crate::core::call::{Call, PartFlags};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Choice, Decision, Draft, Refusal};
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, GrantId, StringId};
use crate::core::protocol::ToolState;
use crate::core::verdict::Step;

impl Guard {
    /// The batch: the calls that are decided together now.
    pub fn batch(&self) -> Batch {
        let batch = self.batch_of(&self.list.step);
        let due = if self.sends_each() { self.next_to_commit().due } else { batch.due };
        Batch { due, ..batch }
    }

    /// The batch of a step. Nothing is due that waits for a person.
    fn batch_of(&self, step: &Step) -> Batch {
        let batch = Batch::of(self.state(), step, &self.options.policy);
        let due = batch.due.filter(|_| !self.pause.holds(&batch));
        Batch { due, ..batch }
    }

    /// Whether each answer is sent by itself.
    pub fn sends_each(&self) -> bool {
        self.options.policy.send_each
    }

    /// Whether nothing is committed before a person has decided.
    pub fn waits_for_decision(&self, batch: &Batch) -> bool {
        batch.asking > 0 && !self.sends_each()
    }

    /// The drafts that are committed together: the batch or, if each answer is sent by itself, the draft that was made first,
    /// with those before it that would not leave alone. A decision comes before those of the calls that it covers.
    pub(super) fn next_to_commit(&self) -> Batch {
        let made = |&row: &(CallId, PartFlags)| {
            let draft = self.call(row.0)?.draft()?;
            Some((
                row,
                (draft.at, draft.decision.actor == Actor::Grant),
                self.options.policy.sends_answer(draft.decision.approved),
            ))
        };
        let drafts: Vec<_> = self.list.step.rows.iter().filter_map(made).collect();
        if drafts.is_empty() || !self.sends_each() {
            return self.batch_of(&self.list.step);
        }
        let first = drafts.iter().filter(|&&(.., leaves)| leaves).min_by_key(|&&(_, order, _)| order);
        let goes = |&(row, order, leaves): &(_, _, bool)| {
            first.is_none_or(|&(first, latest, _)| row == first || (!leaves && order <= latest))
        };
        let rows = drafts.iter().filter(|draft| goes(draft)).map(|&(row, ..)| row).collect();
        self.batch_of(&Step { rows, ..Step::default() })
    }

    /// Whether one press may allow everything that waits in the batch: calls of one tool that are not
    /// dangerous.
    pub fn offers_allow_all(&self, batch: &Batch) -> bool {
        let calls = batch.calls.iter().filter_map(|&id| Some((self.call(id)?, self.tool(id))));
        let mut waiting = calls.filter(|(call, _)| call.undecided()).peekable();
        let first = waiting.peek().and_then(|&(_, tool)| tool);
        first.is_some()
            && waiting.all(|(call, tool)| tool == first && !call.dangerous() && self.can_be_allowed(call))
    }

    /// The result of a commit for this cause now; see [`Fact::Commit`](super::Fact::Commit).
    pub fn result_of_commit(&self, cause: CommitCause) -> ActResult {
        self.result_for(&self.next_to_commit(), cause, self.clock.time())
    }

    /// Whether an answer of the last step leaves by itself. One that the options hold until more is decided keeps nothing back.
    fn sends_an_answer(&self) -> bool {
        let leaves = |call: &Call| call.fresh_answer() && self.options.policy.sends_answer(call.allowed());
        self.step_calls().into_iter().any(|id| self.call(id).is_some_and(leaves))
    }

    fn result_for(&self, batch: &Batch, cause: CommitCause, now: Time) -> ActResult {
        let is_alone = matches!(cause, CommitCause::PredicateAlone | CommitCause::TimeAlone);
        match batch.phase {
            Phase::Decided if self.may_ask() => ActResult::Responding,
            // The next answer leaves when the request of this one has ended.
            Phase::Decided if self.sends_each() && self.sends_an_answer() => ActResult::Responding,
            Phase::Decided if cause == CommitCause::Person => ActResult::Done,
            Phase::Decided if batch.due.is_none_or(|due| now < due) => ActResult::Waiting,
            Phase::Decided if batch.undoable && is_alone => ActResult::Waiting,
            Phase::Decided => ActResult::Done,
            Phase::Asking => ActResult::Waiting,
            _ => ActResult::Nothing,
        }
    }

    /// The calls of the last step whose answers are to be written into the messages: those that were answered
    /// here and not sent, or, when a chat is attached, those of them that still ask in its messages.
    pub fn unwritten(&self, waited_for: WaitedFor) -> Vec<CallId> {
        // The chat writes the last one, and asks whether to send only if that part still asks.
        let waits = |flags: PartFlags| match waited_for {
            WaitedFor::Storage => flags.state != ToolState::ApprovalResponded,
            WaitedFor::Chat => flags.state == ToolState::ApprovalRequested,
        };
        let answered = |id| self.call(id).is_some_and(|call| call.fresh_answer() && !call.superseded());
        let rows = self.list.step.rows.iter().filter(|&&(id, flags)| waits(flags) && answered(id));
        rows.map(|&(id, _)| id).collect()
    }

    /// Whether another call of the step, which is not a copy of this one, asks with the same approval id. In
    /// the chat, one click would answer both.
    pub(super) fn shares_approval(&self, id: CallId) -> bool {
        self.sharing_approval(id).next().is_some()
    }

    /// The other calls of the step that ask with the same approval id.
    pub(super) fn sharing_approval(&self, id: CallId) -> impl Iterator<Item = CallId> {
        let approval = self.call(id).map_or(StringId::NONE, Call::approval);
        let others = self.list.step.rows.iter().map(|&(other, _)| other).filter(move |&other| other != id);
        let same = move |call: &Call| approval.is_some() && call.asked() && call.approval() == approval;
        others.filter(move |&other| self.call(other).is_some_and(same))
    }

    pub(super) fn is_in_last_step(&self, id: CallId) -> bool {
        self.list.step.rows.iter().any(|&(row, _)| row == id)
    }

    /// Whether a message of the user would close a call that waits for the user or is about to be sent, or overtake
    /// one that is on its way. What failed or can no longer be answered locks nothing: a message continues the chat.
    pub fn locks_input(&self) -> bool {
        let batch = self.batch();
        let closes = |&id: &CallId| self.left_behind(id, true).is_some();
        match batch.phase {
            Phase::Sending => true,
            Phase::Asking | Phase::Decided | Phase::Answered => {
                self.options.policy.closes_calls() && batch.calls.iter().any(closes)
            }
            Phase::Idle | Phase::Sent | Phase::Failed | Phase::InDoubt => false,
        }
    }

    /// The reason for which a call can no longer be decided, undone or extended.
    pub(super) fn over(&self, id: CallId) -> Option<Refusal> {
        let Some(call) = self.call(id) else { return Some(Refusal::NotAsking) };
        if call.gone() {
            Some(Refusal::Gone)
        } else if call.superseded() {
            Some(Refusal::Superseded)
        } else if call.answer().is_some_and(|answer| answer.actor == Actor::Timer) {
            Some(Refusal::Expired)
        } else if call.decision().is_some() || call.output().is_some() {
            Some(Refusal::AlreadyAnswered)
        } else {
            (!call.asked()).then_some(Refusal::NotAsking)
        }
    }

    /// The reason for which an undo is refused; `None` if it is possible.
    pub fn undo_refusal(&self, id: CallId) -> Option<Refusal> {
        match (self.over(id), self.draft_of(id)) {
            (Some(over), _) => Some(over),
            (None, None) => Some(Refusal::NotDrafted),
            (None, Some(draft)) => (!draft.undoable()).then_some(Refusal::AlreadyAnswered),
        }
    }

    /// The reason for which this choice is refused; `None` if it is possible.
    pub(super) fn refusal(&self, id: CallId, choice: Choice) -> Option<Refusal> {
        match self.over(id) {
            // A denial that no request can carry any more.
            Some(Refusal::Expired) if !choice.allows() => {
                let is_answered = self.call(id).is_some_and(|call| call.decision().is_some());
                (!is_answered && !self.is_in_last_step(id)).then_some(Refusal::Unreachable)
            }
            None if !self.is_in_last_step(id) => Some(Refusal::Unreachable),
            // The call has begun again, so its question no longer stands, unless a resumed response will repeat it, or it
            // is put back on all of its input.
            None if self.begins(id)
                && !self.responses.is_resumed()
                && (self.lacks_input(id) || !self.call(id).is_some_and(Call::lost)) =>
            {
                Some(Refusal::NotAsking)
            }
            None => {
                let call = self.call(id)?;
                let stays = call.draft().is_some_and(|draft| !draft.decision.approved || choice.allows());
                let drafted = stays.then_some(Refusal::AlreadyDrafted);
                drafted.or_else(|| self.why_not_allowed(call).filter(|_| choice.allows()))
            }
            over => over,
        }
    }
}

impl Transaction<'_> {
    /// Refuses an act, and records the refusal. Nothing else changes.
    pub(super) fn refuse(&mut self, call: Option<CallId>, approved: bool, refusal: Refusal) {
        self.refused(call, approved);
        self.acting.result = ActResult::Refused(refusal);
    }

    /// Says whether the messages can still replace the answer of a call.
    pub(super) fn fix_answer(&mut self, call: CallId, is_fixed: bool) {
        if let Some(seen) = self.guard.seen.get_mut(call) {
            seen.answer_is_fixed = is_fixed;
        }
    }

    /// Records an act that the shell has refused.
    pub(super) fn refused(&mut self, call: Option<CallId>, approved: bool) {
        self.append(Event::refused(call, approved, false, Actor::Person));
    }

    /// Drafts a decision. Its author is the actor of the event.
    pub(super) fn draft(&mut self, call: CallId, decision: Decision) {
        self.append(Event { actor: decision.actor, ..Event::answer(call, EventKind::Drafted, decision) });
    }

    pub(super) fn annotate(&mut self, call: CallId, dangerous: bool, lifetime: Option<Time>) {
        let Some(known) = self.guard.call(call).filter(|known| known.asking()) else { return };
        if known.dangerous() != dangerous || known.lifetime() != lifetime {
            // Law 12: a question that has a deadline keeps it.
            let ends = lifetime.filter(|_| !known.only_by_person());
            let ends = ends.map(|lifetime| self.time.saturating_add(lifetime));
            let deadline = known.deadline().or(ends);
            self.guard.timers.arm(deadline);
            self.append(Event::annotated(call, dangerous, lifetime, deadline));
        }
    }

    pub(super) fn decide(&mut self, id: CallId, chosen: Chosen) {
        let Chosen { choice, covers, lifetime, edit } = chosen;
        self.expire_due();
        self.deny_unattended(id);
        let approved = choice.allows();
        if let Some(refusal) = self.guard.refusal(id, choice) {
            return self.refuse(Some(id), approved, refusal);
        }
        let edit = match self.guard.edit(id, choice, edit) {
            Ok(edit) => edit,
            Err(refusal) => return self.refuse(Some(id), approved, refusal),
        };
        let cover = if choice.lasts() { self.guard.cover(id, covers) } else { None };
        if choice.lasts() && cover.is_none() {
            return self.refuse(Some(id), approved, Refusal::NotComparable);
        }
        if self.guard.call(id).is_some_and(|call| call.draft().is_some()) {
            self.append(Event::undone(id, GrantId::NONE, Actor::Person));
        }
        let grant = if cover.is_some() { self.guard.state().last_grant().next() } else { GrantId::NONE };
        let decision = Decision { edit, ..Decision::with_grant(approved, Actor::Person, grant) };
        self.guard.pause = Pause::Nothing;
        let counts = self.guard.call(id).is_some_and(|call| call.decision().is_some());
        if counts {
            self.append(Event::answer(id, EventKind::LateDenial, decision));
            self.acting.result = ActResult::LateDenial;
        } else {
            self.draft(id, decision);
        }
        self.acting.grant = grant;
        if let Some(cover) = cover {
            let until = lifetime.map(|lifetime| self.time.saturating_add(lifetime));
            self.grant(id, approved, cover, until);
        }
        if counts {
            self.end_older(decision); // its answer already stands
        }
    }

    /// Undoes the drafts of these calls. It is refused if it is refused for all of them.
    pub(super) fn undo(&mut self, ids: Vec<CallId>) {
        self.expire_due();
        for &id in &ids {
            if let Some(refusal) = self.guard.undo_refusal(id) {
                self.refuse(Some(id), false, refusal);
            }
        }
        // Drafts made by a grant come first. Otherwise they would end with their grant, without a record of
        // the undo.
        for by_grant in [true, false] {
            for &id in &ids {
                let draft = self.guard.draft_of(id);
                let is_next = !by_grant || draft.is_some_and(|draft| draft.decision.actor == Actor::Grant);
                if is_next && self.guard.undo_refusal(id).is_none() {
                    self.acting.result = ActResult::Done;
                    self.take_back(id);
                }
            }
        }
    }

    pub(super) fn undo_all(&mut self) {
        self.expire_due();
        let mut drafts = self.guard.batch().calls;
        drafts.retain(|&id| self.guard.undo_refusal(id).is_none());
        if drafts.is_empty() {
            return self.refuse(None, false, Refusal::NotDrafted);
        }
        self.undo(drafts);
    }

    /// Undoes a draft. The call asks again, and no existing grant may answer it.
    fn take_back(&mut self, id: CallId) {
        self.guard.pause = Pause::Nothing;
        let grants_ignored_up_to = self.guard.state().last_grant();
        self.append(Event::undone(id, grants_ignored_up_to, Actor::Person));
        self.acting.undone.push(id);
        self.again();
    }

    /// Keeps only the undone calls that still await a decision.
    pub(super) fn again(&mut self) {
        self.expire_due();
        self.answer_step();
        self.acting.undone.retain(|&id| self.guard.call(id).is_some_and(|call| call.undecided()));
    }

    /// Says the result of a commit, without it. If a call of the batch may be gone, the batch is not known.
    pub(super) fn try_commit(&mut self, cause: CommitCause) {
        self.acting.result = if self.guard.list.is_displaced {
            ActResult::Waiting
        } else {
            self.wake();
            self.guard.result_of_commit(cause)
        };
    }

    /// Commits a batch that is known and decided: for a person at once, otherwise only when it is time, and only if a chat
    /// is attached or nothing in the batch could be undone. An unmount commits nothing, not even later, until a person acts
    /// again.
    pub(super) fn commit(&mut self, cause: CommitCause) {
        if self.guard.list.is_displaced || self.guard.waits_for_chat(cause) {
            self.acting.result = ActResult::Waiting;
            return;
        }
        self.expire_due();
        let batch = self.guard.next_to_commit();
        let by_person = cause == CommitCause::Person;
        if !by_person {
            self.try_due();
        }
        self.acting.result = self.guard.result_for(&batch, cause, self.time);
        let is_due = batch.due.is_some_and(|due| self.time >= due);
        if !by_person && is_due && self.acting.result == ActResult::Waiting {
            self.guard.versions.view += 1; // no chat is attached
            self.guard.pause = Pause::Undoable;
        }
        if self.acting.result != ActResult::Done {
            return;
        }
        self.guard.pause = Pause::Nothing;
        if by_person {
            // A program's drafts too are sent then, after a stop as well.
            self.append(Event::new(EventKind::Acted, Actor::Person));
        }
        let mut decisions = Vec::new();
        for call in batch.calls {
            if let Some(draft) = self.guard.draft_of(call) {
                self.answer_as_drafted(call, draft.decision);
                self.acting.answered.push(call);
                decisions.push(draft.decision);
            }
            self.fix_answer(call, true);
        }
        // Only now, because this would take back drafts of the same batch.
        decisions.into_iter().for_each(|decision| self.end_older(decision));
    }

    /// A person answers through the chat instead of the guard. The first answer wins, and a denial wins a
    /// tie: a drafted denial stays, and the part is put back until the draft is committed.
    pub(super) fn answered_directly(&mut self, call: CallId, approved: bool) {
        self.expire_due();
        self.deny_unattended(call);
        let is_denied = |call: &Call| call.denied_by_rule() || self.guard.is_unavailable(call);
        if approved && self.guard.call(call).is_some_and(is_denied) {
            self.append(Event::refused(Some(call), approved, true, Actor::Person));
            return;
        }
        if approved && self.guard.shares_approval(call) {
            self.append(Event::refused(Some(call), approved, true, Actor::Person));
            self.problem(Problem::MalformedApproval, Some(call));
            return;
        }
        let decision = match self.guard.draft_of(call).map(|draft| draft.decision) {
            Some(draft) if approved && !draft.approved => {
                self.append(Event::refused(Some(call), approved, true, Actor::Person));
                return;
            }
            Some(draft) if draft.approved == approved && draft.actor == Actor::Person => draft,
            _ => Decision::new(approved, Actor::Person),
        };
        self.append(Event::answer(call, EventKind::Answered, decision));
        self.end_older(decision);
    }

    pub(super) fn extend(&mut self, id: CallId) {
        self.expire_due();
        let call = self.guard.call(id).filter(|call| !call.only_by_person());
        let lifetime = call.and_then(Call::lifetime);
        match (self.guard.over(id), lifetime) {
            (Some(over), _) => self.refuse(Some(id), false, over),
            (None, None) => self.refuse(Some(id), false, Refusal::NoDeadline),
            (None, Some(lifetime)) => {
                self.append(Event {
                    deadline: Some(self.time.saturating_add(lifetime)),
                    ..Event::on(id, EventKind::Extended, Actor::Person)
                });
            }
        }
    }

    pub(super) fn unmask(&mut self, id: CallId) {
        match self.guard.call(id) {
            Some(call) if call.unmasked() => {}
            Some(call) if !call.gone() => self.append(Event::on(id, EventKind::Revealed, Actor::Person)),
            _ => self.refuse(Some(id), false, Refusal::Gone),
        }
    }

    /// The person has stopped the chat: what was allowed and has not left asks again.
    pub(super) fn stopped(&mut self) {
        self.append(Event::new(EventKind::Stopped, Actor::Person));
        // Also of a call that is gone, because an older list may bring it back.
        let calls: Vec<CallId> = self.guard.seen.ids().collect();
        for &id in &calls {
            let unsent = |call: &Call| call.allowed() && call.fresh_answer();
            if self.guard.call(id).is_some_and(unsent) {
                self.append(Event::on(id, EventKind::Withdrawn, Actor::Stop));
                self.asks_still(id);
            }
        }
        self.withdraw(&calls, Actor::Stop);
        self.guard.exchange.end();
    }

    /// If the part still shows the question, and not the withdrawn answer, there is no answer to ignore.
    fn asks_still(&mut self, id: CallId) {
        let Some(row) = self.guard.seen.get(id).map(|seen| seen.part) else { return };
        if !self.guard.list.reports_answers && row.flags.state == ToolState::ApprovalRequested {
            let actor = Actor::Stop;
            self.append(Event::asked(id, row.approval, row.input, actor));
        }
    }

    /// Withdraws every draft made by a person or by a person's grant, and every allowance of a rule.
    pub(super) fn withdraw(&mut self, of: &[CallId], actor: Actor) {
        for &call in of {
            let draft = self.guard.draft_of(call);
            let by_rule = |draft: Draft| draft.decision.approved && draft.decision.actor == Actor::Rule;
            if draft.is_some_and(|draft| draft.undoable() || by_rule(draft)) {
                self.append(Event::on(call, EventKind::Withdrawn, actor));
            }
        }
    }
}
