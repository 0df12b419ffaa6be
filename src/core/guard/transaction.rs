//! Appends the events of a fact, and updates what their kinds touch.

use std::mem;

use super::pause::Pause;
use super::{Act, Acting, Changed, Guard, Problem, Returned, Transaction};
use crate::core::call::Call;
use crate::core::decision::{Actor, Decision};
use crate::core::event::{Detail, Event, EventKind, Touch};
use crate::core::id::CallId;
use crate::core::repair;
use crate::core::rewrite::{Keeps, KeptOutput};
use crate::core::row::CallNumber;

impl Transaction<'_> {
    /// Appends an event and updates what its kind touches; see [`EventKind`](crate::core::event::EventKind).
    pub(super) fn append(&mut self, mut event: Event) {
        // A restored act is that of the person of an earlier page, or of another tab.
        if event.actor == Actor::Person && !matches!(event.detail, Detail::Restored { .. }) {
            self.sign(&mut event);
        }
        self.enter(event);
    }

    /// Appends the answer of a draft that is committed. Law 14: it was signed when it was drafted, also by nobody.
    pub(super) fn answer_as_drafted(&mut self, call: CallId, decision: Decision) {
        self.enter(Event::answer(call, EventKind::Answered, decision));
    }

    /// Appends an event of this kind for each live call to which it applies.
    pub(super) fn append_where(
        &mut self,
        kind: EventKind,
        actor: Actor,
        applies: impl Fn(&Guard, CallId) -> bool,
    ) {
        for id in self.guard.state().live.clone() {
            if applies(self.guard, id) {
                self.append(Event::on(id, kind, actor));
            }
        }
    }

    fn enter(&mut self, event: Event) {
        let touches = |touch| event.kind.touches(touch);
        if touches(Touch::Acts) && event.actor == Actor::Person {
            self.guard.exchange.person_acts();
            self.guard.pause = Pause::Nothing;
        }
        let by_server = matches!(event.actor, Actor::Server | Actor::History);
        if touches(Touch::Sendable) && !by_server {
            self.guard.pause.end_break();
        }
        if touches(Touch::Input)
            && let Some(seen) = event.call.and_then(|call| self.guard.seen.get_mut(call))
        {
            seen.fingerprints.clear();
        }
        match (event.call, event.detail) {
            (Some(call), Detail::Names { id, approval, .. }) => {
                self.guard.names.add(id, call);
                self.guard.names.add_approval(approval, call);
            }
            (Some(call), Detail::Question { approval, .. }) => self.guard.names.add_approval(approval, call),
            _ => {}
        }
        if matches!(event.actor, Actor::Person | Actor::Application) {
            self.guard.exchange.page_acts();
        }
        // An event of a request changes no call that is closed.
        let changes_any = event.call.is_some() || !self.guard.state().live.is_empty();
        self.guard.versions.repairs += u32::from(touches(Touch::Repairs) && changes_any);
        self.guard.versions.view += u32::from(touches(Touch::View));
        self.guard.ledger.append(event, self.now, self.time);
        self.touch(event.call);
        if let Some(call) = event.call.filter(|_| touches(Touch::Grants)) {
            self.end_orphans(call, event.actor);
        }
    }

    /// Law 14: an act of a person names that person, also one of an earlier page whose draft is committed. What a
    /// program does is never a person's act.
    fn sign(&self, event: &mut Event) {
        if event.source.is_none() {
            event.source = self.guard.options.user;
        }
        if self.program.is_some() {
            event.source = self.program;
            event.actor = Actor::External;
            event.decider = event.decider.map(|_| Actor::External);
        }
    }

    /// Marks the call of an event as changed; an event without a call may change every live call.
    fn touch(&mut self, call: Option<CallId>) {
        let guard = &mut *self.guard;
        let entries = guard.ledger.length();
        let changed = if call.is_some() { call.as_slice() } else { &guard.ledger.state().live };
        for &id in changed {
            if let Some(seen) = guard.seen.get_mut(id) {
                seen.touched = entries;
            }
        }
    }

    /// Says what the fact returns.
    pub(super) fn returns(&mut self, returned: Returned) {
        self.out.returned = Some(returned);
    }

    /// Returns what is known of a part's call.
    pub(super) fn returns_seen(&mut self, call: Option<CallId>, keeps: Keeps, kept_output: KeptOutput) {
        let known = call.and_then(|call| self.guard.call(call));
        let approval = known.map(|call| call.approval()).unwrap_or_default();
        let watched = call.is_some_and(|call| self.guard.watches(call));
        self.returns(Returned::Seen { call, watched, approval, keeps, kept_output });
    }

    /// Returns what comes of an act, with the calls that are answered along with it, or are committed.
    pub(super) fn answers(&mut self, act: impl FnOnce(&mut Self)) {
        act(self);
        let calls = mem::take(&mut self.acting.answered);
        self.has_acted(calls);
    }

    /// Returns what comes of an act, with the calls that ask again.
    pub(super) fn takes_back(&mut self, act: impl FnOnce(&mut Self)) {
        act(self);
        let calls = mem::take(&mut self.acting.undone);
        self.has_acted(calls);
    }

    fn has_acted(&mut self, calls: Vec<CallId>) {
        let changed = |id| {
            let call = self.guard.call(id);
            let approved = call.is_some_and(Call::allowed);
            let edit = call.map_or(0, Call::edit);
            Changed { call: CallNumber(id), approved, cause: call.and_then(repair::cause), edit }
        };
        let changed = calls.into_iter().map(changed).collect();
        let Acting { result, call, grant, .. } = self.acting;
        self.returns(Returned::Act(Act { result, grant, call, changed }));
    }

    pub(super) fn problem(&mut self, problem: Problem, call: Option<CallId>) {
        self.out.problems.push((problem, call));
    }
}
