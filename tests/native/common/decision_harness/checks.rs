//! Properties of each fact, and of rules, which the oracle does not know about.

use std::collections::BTreeSet;

use tool_approval_guard::core::call::Call;
use tool_approval_guard::core::decision::{Actor, Choice, Effect, Ruling};
use tool_approval_guard::core::event::Entry;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::{Fact, Failure};
use tool_approval_guard::core::id::StringId;

use super::{DecisionHarness, Law};
use crate::common::oracle::{Content, Reply, Tag};

impl DecisionHarness {
    /// The ruling on an input. All answers occur.
    pub(super) fn ruling(&self, content: Content) -> Ruling {
        let (effect, always) = match (content.a + 2 * content.b) % 4 {
            0 | 1 if self.tight => (Effect::Ask, true),
            0 => (Effect::Allow, false),
            1 => (Effect::Ask, false),
            2 => (Effect::Ask, true),
            _ => (Effect::Deny, false),
        };
        Ruling { effect, always, rule: StringId(1) }
    }

    /// Judges every call again, as the border does.
    pub(super) fn tighten(&mut self) {
        self.tight = true;
        for (call, content) in self.judged.clone() {
            let ruling = self.ruling(content);
            self.tell(Fact::EvaluateRule { call, ruling });
            self.tell(Fact::Match(call));
        }
    }

    /// Checks law 14 from its text: each entry has the time at which it happened. An entry is a person's only if a
    /// person acted in this step, except for an answer drafted earlier, and for what their grant has replaced.
    pub(super) fn check_truth(&mut self, input: &Fact, before: usize) {
        let (now, time) = (self.now.wall, self.guard.clock().time());
        let new = self.log[before..].to_vec();
        let mut drafted_by_person = false;
        // No change is due by time, and no grant is left that could answer in place of another one.
        let time_is_kept = self.timer && self.guard.state().grants.iter().all(|grant| grant.until.is_none());
        for Entry { at, time: mono, event, .. } in new {
            let (kind, actor) = (event.kind, event.actor);
            let right = mono == time && (at == now || now.is_nan());
            self.holds(Law::Truth, right, || format!("{event:?} at {at}, {mono}, and not {now}, {time}"));
            let machine = match (input, kind) {
                (_, EventKind::Forgotten) => Some(Actor::Application),
                (Fact::Wake, _) => Some(Actor::Timer),
                (Fact::GuardEnds, _) => Some(Actor::Leave),
                (Fact::Stopped, EventKind::Stopped) => Some(Actor::Person),
                (Fact::Stopped, _) => Some(Actor::Stop),
                (Fact::Failed { failure: Failure::NotAsked | Failure::Unknown, .. }, EventKind::Failed)
                    if self.guard.state().stopped =>
                {
                    Some(Actor::Stop)
                }
                (Fact::Failed { failure: Failure::NotAsked, .. }, EventKind::Failed) => {
                    Some(Actor::Application)
                }
                (Fact::Started(_) | Fact::Ended(_) | Fact::Failed { .. }, _) => Some(Actor::Server),
                (Fact::EvaluateRule { .. }, _) => Some(Actor::Rule),
                (Fact::Undo(_) | Fact::UndoAll, EventKind::Undone) if time_is_kept => Some(Actor::Person),
                (_, EventKind::Expired | EventKind::Warned) => Some(Actor::Timer),
                _ => None,
            };
            self.holds(Law::Truth, machine.is_none_or(|machine| machine == actor), || {
                format!("{input:?} has led to {event:?}, which is by {actor:?}")
            });
            let call = event.call.and_then(|call| self.guard.state().calls.get(call));
            let answer = call.and_then(|call| call.decision()).filter(|_| kind == EventKind::Answered);
            drafted_by_person |= answer.is_some_and(|answer| answer.actor == Actor::Person);
            let earlier = matches!(input, Fact::Commit(_) | Fact::Send { .. })
                && (kind == EventKind::Answered || (kind == EventKind::GrantEnded && drafted_by_person))
                || (kind == EventKind::Undone && drafted_by_person);
            // The oracle does not know rules: an answer that they commit counts as written by the page.
            let written = self.ruled && matches!(input, Fact::Part { .. });
            let told = self.by_person || earlier || written || matches!(input, Fact::Permit(_));
            self.holds(Law::Truth, actor != Actor::Person || told, || {
                format!("{input:?} has led to {event:?} by a person, and nobody has acted")
            });
            let never = matches!(kind, EventKind::Voided | EventKind::Withdrawn | EventKind::RuleEvaluated);
            self.holds(Law::Truth, !(never && actor == Actor::Person), || format!("{event:?} by a person"));
        }
    }

    /// `covered()` names, before a decision, the waiting calls that it answers: for an allowance exactly
    /// these. A denial may answer more. Where a denial is refused, nothing is named.
    pub(super) fn check_covered(
        &mut self,
        choice: Choice,
        reply: &Reply,
        covered: Vec<Tag>,
        answered: Vec<Tag>,
    ) {
        let [covered, answered] = [covered, answered].map(BTreeSet::from_iter);
        let right = match reply {
            Reply::Refused(_) => choice.allows() || covered.is_empty(),
            _ if !choice.lasts() => true,
            _ if choice.allows() => covered == answered,
            _ => covered.is_subset(&answered),
        };
        let law = if self.ruled { Law::Rules } else { Law::Grants };
        if covered.len() > 1 && choice.lasts() && reply.took() {
            self.covered_others = true;
        }
        self.holds(law, right, || {
            format!("{choice:?} led to {reply:?} and has answered {answered:?}, and not {covered:?}")
        });
    }

    pub(super) fn check_rules(&mut self) {
        let calls: Vec<Call> = self.guard.state().calls.iter().map(|(_, call)| *call).collect();
        let stopped = self.guard.state().stopped;
        for (id, call) in calls.iter().enumerate() {
            // An answer that was committed before the rules became stricter stays.
            let drafted = call.draft().map(|draft| draft.decision);
            let answer = if self.tight { drafted } else { call.answer() };
            let (Some(answer), Some(ruling)) = (answer, call.ruling()) else { continue };
            let here = !matches!(answer.actor, Actor::Server | Actor::History);
            let denied = ruling.effect == Effect::Deny && here;
            self.holds(Law::Rules, !(denied && answer.approved), || format!("{id} is denied and {answer:?}"));
            let by_rule = answer.actor == Actor::Rule;
            let right = (ruling.effect == Effect::Allow) == answer.approved && answer.source == ruling.rule;
            self.holds(Law::Rules, !by_rule || right, || format!("{id}: {answer:?} by {ruling:?}"));
            let granted = answer.actor == Actor::Grant && answer.approved && ruling.always;
            self.holds(Law::Rules, !granted, || format!("{id} is asked always, and a grant has answered it"));
            let drafted = by_rule && answer.approved && call.draft().is_some();
            self.holds(Law::Rules, !(drafted && stopped), || {
                format!("{id} is allowed by a rule after a stop")
            });
            self.answered_by_rule |= by_rule;
        }
        let replayed = crate::common::fold(&self.log) == *self.guard.state();
        self.holds(Law::Rules, replayed, || "the entries fold to another state".to_owned());
    }
}
