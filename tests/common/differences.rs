//! What a guard knows, beside what the oracle says.

use tool_approval_guard::core::batch::Phase;
use tool_approval_guard::core::call::Call;
use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::decision::{Actor, Decision};
use tool_approval_guard::core::ledger::{Event, State};

use super::decision_harness::{DecisionHarness, Law};
use super::oracle::{Card, Tag, Who, Word};

/// How a call stands, as the guard knows it.
fn card_of(call: &Call) -> Card {
    let word = |decision: Decision, at: Time| {
        let who = match decision.actor {
            Actor::Person => Who::Person,
            Actor::Grant => Who::Grant,
            Actor::Timer => Who::Time,
            Actor::Unattended => Who::Nobody,
            _ => return None,
        };
        Some(Word { who, yes: decision.approved, grant: decision.grant, at })
    };
    match (call.decision(), call.draft()) {
        _ if call.superseded() => Card::Superseded,
        (Some(decision), _) => word(decision, 0).map_or(Card::Elsewhere(decision.approved), Card::Answered),
        (None, Some(draft)) => word(draft.decision, draft.at).map_or(Card::Free, Card::Drafted),
        (None, None) if call.asked() && call.output().is_none() => Card::Asks,
        (None, None) => Card::Free,
    }
}

/// The law that is broken where a call is not what it ought to be.
fn broken_by(is: Card, want: Card) -> Law {
    let who = |who| is.word().into_iter().chain(want.word()).any(|word| word.who == who);
    match (is, want) {
        (_, Card::Superseded) => Law::MovesOn,
        (Card::Answered(word), _) if word.yes => Law::NoInventedYes,
        (_, Card::Answered(word)) if !word.yes => Law::FirstAnswerWins,
        _ if who(Who::Time) => Law::TimeOnlyCloses,
        _ if who(Who::Grant) => Law::Grants,
        (_, Card::Drafted(word)) if !word.yes => Law::FirstAnswerWins,
        _ => Law::UndoUntilSent,
    }
}

impl DecisionHarness {
    /// Compares everything, after a step that began after so many entries.
    pub(super) fn compare(&mut self, entries: usize) {
        let state = self.guard.state().clone();
        let calls: Vec<(Tag, Call)> =
            self.refs.iter().filter_map(|(&tag, &call)| Some((tag, *state.calls.get(call)?))).collect();
        for (tag, call) in &calls {
            self.compare_call(*tag, call);
        }
        for (tag, call) in &calls {
            self.compare_refusals(*tag, state.refusals(call));
        }
        self.compare_grants(&state);
        self.compare_batch();
        self.compare_time(&state);
        let stopped = state.stopped;
        self.holds(Law::Stop, stopped == self.oracle.stopped, || format!("stopped: {stopped}"));
        let new: Vec<_> = self.log[entries..].to_vec();
        for entry in new {
            let Event::Answered { decision, .. } = entry.event else { continue };
            let invented = decision.approved && !self.oracle.pace.attended;
            let own = matches!(decision.actor, Actor::Person | Actor::Grant);
            self.holds(Law::NoInventedYes, !(invented && own), || format!("{entry:?}, and nobody is there"));
        }
    }

    fn compare_call(&mut self, tag: Tag, call: &Call) {
        let truth = self.oracle.truths[tag].clone();
        if truth.card == Card::Free {
            return; // nobody is asked, and which call it is matters to nobody here
        }
        self.holds(Law::MovesOn, call.gone() == truth.gone, || format!("{tag} is gone: {}", call.gone()));
        if truth.gone {
            return;
        }
        let is = card_of(call);
        let want = match truth.card {
            Card::Answered(word) => Card::Answered(Word { at: 0, ..word }),
            card => card,
        };
        self.holds(broken_by(is, want), is == want, || format!("{tag} is {is:?}, and not {want:?}"));
        if !want.open() {
            return;
        }
        self.holds(Law::TimeOnlyCloses, call.deadline() == truth.deadline, || {
            format!("{tag} ends at {:?}, and not at {:?}", call.deadline(), truth.deadline)
        });
        let dangerous = call.dangerous();
        self.holds(Law::UndoUntilSent, dangerous == truth.dangerous, || format!("dangerous: {dangerous}"));
        if want.draft().is_none_or(|word| word.yes) {
            let now = self.oracle.now + self.oracle.pace.warn;
            let soon = truth.deadline.is_some_and(|deadline| now >= deadline);
            self.holds(Law::TimeOnlyCloses, call.warned() == soon, || format!("{tag} is warned: {}", !soon));
        }
    }

    fn compare_refusals(&mut self, tag: Tag, is: u32) {
        let truth = &self.oracle.truths[tag];
        // Nobody has seen those ask; and where the part shows another input than the question had, it is
        // not said which one counts.
        if truth.has_asked && truth.asked == truth.shown {
            let want = self.oracle.refused.get(&(truth.tool, truth.asked)).copied().unwrap_or_default();
            self.holds(Law::Loops, is == want, || format!("{tag} was refused {is} times, and not {want}"));
        }
    }

    fn compare_grants(&mut self, state: &State) {
        let (is, want) = (state.grants.len(), self.oracle.grants.len());
        self.holds(Law::Grants, is == want, || format!("{is} grants, and not {want}"));
        for (at, (is, want)) in state.grants.iter().zip(self.oracle.grants.clone()).enumerate() {
            let same = (is.approved, is.tool, is.until, is.uses)
                == (want.yes, want.tool, want.until, want.uses)
                && (is.ended, is.active()) == (want.ended, want.active())
                && is.call == self.refs[&want.by];
            self.holds(Law::Grants, same, || format!("grant {} is {is:?}, and not {want:?}", at + 1));
        }
    }

    fn compare_batch(&mut self) {
        let batch = self.guard.batch();
        let tags = self.oracle.batch();
        let (waits, drafts) = (self.oracle.waits(), self.oracle.decided());
        let due = drafts.as_deref().and_then(|drafts| self.oracle.due(drafts));
        let undoable =
            tags.iter().any(|&tag| self.oracle.truths[tag].card.draft().is_some_and(|w| w.undoable()));
        let due = due.filter(|_| !(self.oracle.held && undoable));
        let count = |wanted: fn(Card) -> bool| {
            tags.iter().filter(|&&tag| wanted(self.oracle.truths[tag].card)).count() as u32
        };
        let asking = count(|card| card == Card::Asks);
        let allowed = count(Card::allows);
        let same = batch.calls == self.calls_of(&tags)
            && (batch.phase == Phase::Asking, batch.phase == Phase::Decided) == (waits, drafts.is_some())
            && (batch.asking, batch.allowed) == (asking, allowed)
            && batch.asking + batch.allowed + batch.denied == tags.len() as u32
            && (batch.undoable, batch.due) == (undoable, due);
        self.holds(Law::UndoUntilSent, same, || {
            format!(
                "{batch:?} is not {tags:?}, {asking} ask, {allowed} allowed, undoable {undoable}, {due:?}"
            )
        });
    }

    /// A timer wakes in time for what ends next, and does not go off without end.
    fn compare_time(&mut self, state: &State) {
        let oracle = &self.oracle;
        let open = oracle.truths.iter().filter(|truth| {
            !truth.gone && truth.card.open() && truth.card.draft().is_none_or(|word| word.yes)
        });
        let ends = open.filter_map(|truth| truth.deadline);
        let over = oracle.grants.iter().filter(|given| !given.ended).filter_map(|given| given.until);
        let due = self.guard.batch().due.filter(|&due| due > oracle.now && state.running.is_empty());
        let next = ends.chain(over).chain(due).min().map(|next| next - oracle.now);
        let wakes = self.guard.wake_in();
        let right = wakes != Some(0) && next.is_none_or(|next| wakes.is_some_and(|wakes| wakes <= next));
        self.holds(Law::TimeOnlyCloses, right, || format!("wakes in {wakes:?}; something ends in {next:?}"));
    }
}
