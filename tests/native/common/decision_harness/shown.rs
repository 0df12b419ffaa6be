//! The display of the page, as the oracle reads it.

use tool_approval_guard::core::decision::Actor;
use tool_approval_guard::core::guard::{ActResult, Effects};
use tool_approval_guard::core::id::{CallId, GrantId, StringId};

use super::DecisionHarness;
use crate::common::decisions::{TOOL, tool_of};
use crate::common::oracle::{Batch, Card, Listed, Page, Reply, Tag, Who};

impl DecisionHarness {
    /// How a call is shown.
    pub(super) fn card(&self, tag: Tag) -> Option<Card> {
        let call = self.guard.state().calls.get(*self.refs.get(&tag)?)?;
        let answer = call.answer();
        let who = answer.map(|answer| match answer.actor {
            Actor::Person => Who::Person,
            Actor::Grant => Who::Grant,
            Actor::Timer => Who::Clock,
            Actor::Unattended => Who::Nobody,
            Actor::Superseded => Who::MovedOn,
            _ => Who::Other,
        });
        Some(Card {
            asks: call.undecided(),
            says: answer.map(|answer| answer.approved),
            who,
            grant: answer.map_or(GrantId::NONE, |answer| answer.grant),
            final_: answer.is_some() && !call.asking(),
            gone: call.gone(),
            deadline: call.deadline(),
            dangerous: call.dangerous(),
        })
    }

    /// Whether it has no final answer.
    pub(super) fn is_open(&self, tag: Tag) -> bool {
        self.card(tag).is_some_and(|card| card.asks || card.draft().is_some())
    }

    pub(super) fn tags_of(&self, calls: &[CallId]) -> Vec<Tag> {
        let tag = |call| self.refs.iter().find(|(_, known)| **known == call).map(|(tag, _)| *tag);
        calls.iter().filter_map(|&call| tag(call)).collect()
    }

    pub(super) fn page(&self) -> Page {
        let state = self.guard.state();
        let grants = (1..).map(GrantId).zip(&state.grants).map(|(id, grant)| Listed {
            yes: grant.approved,
            tool: (TOOL.0..TOOL.0 + 3)
                .map(StringId)
                .find(|&tool| tool_of(tool) == grant.tool)
                .unwrap_or_default(),
            until: grant.until,
            uses: grant.uses,
            ended: !state.stands(id),
            active: state.stands(id) && grant.active(),
        });
        let batch = self.guard.batch();
        Page {
            cards: self.refs.keys().filter_map(|&tag| Some((tag, self.card(tag)?))).collect(),
            grants: grants.collect(),
            batch: Batch {
                calls: self.tags_of(&batch.calls),
                asking: batch.asking as usize,
                allowed: batch.allowed as usize,
                denied: batch.denied as usize,
                undoable: batch.undoable,
                due: batch.due,
                refusals: batch.refusals,
            },
            wakes_in: self
                .guard
                .next_end(&self.guard.batch())
                .map(|end| end.saturating_sub(self.guard.clock().time())),
            timer: false,
        }
    }

    /// The result that the page received, with these calls.
    pub(super) fn reply(&self, effects: &Effects) -> Reply {
        let calls = &effects.changed();
        match effects.act().result {
            ActResult::Done => Reply::Done(self.tags_of(calls)),
            ActResult::LateDenial => Reply::Late(self.tags_of(calls)),
            ActResult::Refused(refusal) => Reply::Refused(refusal),
            ActResult::Waiting => Reply::Waiting,
            ActResult::Responding => Reply::Responding,
            ActResult::Nothing => Reply::Nothing,
        }
    }
}
