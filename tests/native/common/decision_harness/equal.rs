//! C41: which calls of the batch are equal, pair by pair.

use tool_approval_guard::core::call::Call;
use tool_approval_guard::core::decision::Ruling;
use tool_approval_guard::core::id::{CallId, StringId};

use super::{DecisionHarness, Law};
use crate::common::oracle::{Card, Content, Tag};

/// All that one card says of a call. An answer in the place of a grant stands for it.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    tool: StringId,
    content: Content,
    card: Card,
    source: Option<StringId>,
    ruling: Option<Ruling>,
    status: String,
}

impl DecisionHarness {
    /// What is said of a call that can be compared with others: one whose question, with its input, stands.
    fn said(&self, tag: Tag) -> Option<Said> {
        let mut parts = self.messages.iter().flat_map(|message| message.steps.iter().flatten());
        let part = parts.find(|part| part.tag == tag && !part.shown().begins)?;
        let card = self.card(tag)?;
        // Nobody has asked for an input that a person has changed.
        if self.edits.contains_key(&tag) && card.says == Some(true) {
            return None;
        }
        let call: &Call = self.guard.state().calls.get(*self.refs.get(&tag)?)?;
        let own = call.answer().filter(|answer| answer.grant.is_none());
        Some(Said {
            tool: part.tool,
            content: part.content,
            card: Card {
                deadline: None,
                // The status says so where it matters.
                final_: false,
                who: card.who.filter(|_| card.grant.is_none()),
                ..card
            },
            source: own.map(|answer| answer.source),
            ruling: call.ruling(),
            status: format!("{:?} {:?}", call.status(), own.map(|answer| answer.actor)),
        })
    }

    /// The calls of the batch that the guard says are equal to a call, itself included.
    pub(super) fn equals_of(&self, call: CallId) -> Vec<CallId> {
        let batch = self.guard.batch();
        let oldest: Vec<(CallId, CallId)> =
            batch.calls.iter().copied().zip(self.guard.oldest_equals(&batch)).collect();
        let own = oldest.iter().find(|(other, _)| *other == call).map_or(call, |(_, first)| *first);
        let equal = oldest.iter().filter(|(_, first)| *first == own).map(|(other, _)| *other);
        if own == call && !batch.calls.contains(&call) { vec![call] } else { equal.collect() }
    }

    /// Two calls of the batch have the same oldest equal exactly if the same is said of both, and it is the
    /// oldest of all of which that is said.
    pub(super) fn check_equal(&mut self) {
        let batch = self.guard.batch();
        let oldest = self.guard.oldest_equals(&batch);
        let known = batch.calls.iter().zip(&oldest);
        let calls: Vec<(CallId, CallId, Option<Said>)> = known
            .map(|(&call, &first)| {
                let tag = self.tags_of(&[call]).first().copied();
                (call, first, tag.and_then(|tag| self.said(tag)))
            })
            .collect();
        for (call, first, said) in &calls {
            let same = calls.iter().filter(|(_, _, other)| said.is_some() && other == said);
            let expected = same.map(|&(other, ..)| other).min().unwrap_or(*call);
            if expected != *call {
                let asks = said.as_ref().is_some_and(|said| said.card.asks);
                self.equals[usize::from(!asks)] += 1;
            }
            self.holds(Law::Equal, *first == expected, || {
                format!("{call} has {first} for its oldest equal, and not {expected}: {calls:?}")
            });
        }
    }
}
