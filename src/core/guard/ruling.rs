//! What rules answer: a denial before anybody else, an allowance where nobody else has said anything.

use super::Turn;
use crate::core::call::CallRef;
use crate::core::decision::{Actor, Decision, Ruling};
use crate::core::effect::Effect;
use crate::core::ledger::Event;

impl Turn<'_> {
    /// Takes what rules say of a call that asks.
    pub(super) fn judged(&mut self, call: CallRef, ruling: Ruling) {
        let changes =
            self.guard.call(call).is_some_and(|known| known.asking() && known.ruling != Some(ruling));
        if changes {
            self.note(Event::Judged { call, ruling });
        }
    }

    /// What rules, or a grant, have drafted asks where rules have become stricter since, or another call has
    /// come that asks with the same approval id.
    pub(super) fn ask_by_rule(&mut self, id: CallRef) {
        let calls: Vec<CallRef> = self.guard.sharing_approval(id).chain([id]).collect();
        let is_shared = calls.len() > 1;
        for call in calls {
            let Some((ruling, Some(draft))) = self.ruling(call) else { continue };
            let is_over = match draft.actor {
                Actor::Rule => ruling.effect != Effect::Allow || is_shared,
                Actor::Grant => ruling.always,
                _ => false,
            };
            if draft.approved && is_over {
                // Not the rules but the server has changed something where two calls share an approval id.
                let by_rule = draft.actor != Actor::Rule || ruling.effect != Effect::Allow;
                let actor = if by_rule { Actor::Rule } else { Actor::Server };
                self.note(Event::Undone { call, insisted: 0, actor });
            }
        }
    }

    /// A denial takes the place of whatever was drafted, also by a person (C93).
    pub(super) fn deny_by_rule(&mut self, id: CallRef) {
        let Some((ruling, drafted)) = self.ruling(id) else { return };
        let stands = drafted.is_some_and(|draft| !draft.approved && draft.actor != Actor::Grant);
        if ruling.effect != Effect::Deny || stands {
            return;
        }
        if drafted.is_some() {
            self.note(Event::Undone { call: id, insisted: 0, actor: Actor::Rule });
        }
        self.draft(id, Decision::by_rule(false, ruling.rule));
    }

    /// An allowance takes no answer away, and after a stop cards ask. What a person took back asks too.
    pub(super) fn allow_by_rule(&mut self, id: CallRef) {
        let Some((ruling, None)) = self.ruling(id) else { return };
        let insisted = self.guard.call(id).is_some_and(|call| call.insisted > 0);
        // One answer would be that of both calls.
        let is_free = !self.guard.state().stopped && !insisted && !self.guard.shares_approval(id);
        if ruling.effect == Effect::Allow && is_free {
            self.draft(id, Decision::by_rule(true, ruling.rule));
        }
    }

    /// What rules say of a call that can still be answered, and what is drafted.
    fn ruling(&self, id: CallRef) -> Option<(Ruling, Option<Decision>)> {
        let call = self.guard.call(id)?;
        let open = call.asking() && call.decision.is_none() && !call.gone && !self.guard.begins(id);
        let ruling = call.ruling.filter(|_| open)?;
        Some((ruling, call.draft.map(|draft| draft.decision)))
    }
}
