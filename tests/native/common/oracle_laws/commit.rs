//! Law 8: a batch is committed as a whole, and in time.

use tool_approval_guard::core::clock::Time;

use super::super::decision_harness::Law;
use super::super::oracle::{Card, Event, Listed, Reply, Tag, Who};
use super::{Moment, Verdict, holds};

impl Moment<'_> {
    pub(super) fn committed(&mut self, due: bool, attached: bool, reply: &Reply) -> Verdict {
        let step = self.oracle.step(self.start);
        let card = |tag: &Tag| self.was(*tag).filter(|card| !card.gone);
        let open = |tag: &Tag| card(tag).is_some_and(|card| card.asks);
        // Time may undo a draft, or end a question, at this very moment.
        let passes = self.time_passes();
        let waits = step.iter().any(open);
        let drafts: Vec<Tag> =
            step.iter().copied().filter(|tag| card(tag).is_some_and(|card| card.draft().is_some())).collect();
        let running = self.oracle.may_ask(self.start);
        let Reply::Done(tags) = reply else {
            // Everything that could be committed was, unless there was a reason to wait.
            let ready = !waits && !drafts.is_empty() && !running && !passes;
            let wait = due && (self.may_wait(&drafts) || !attached || self.was_paused());
            if ready && wait {
                self.counted.push("a batch was decided, and waited");
            }
            return holds(Law::UndoUntilSent, !ready || wait, || {
                format!("a commit (due: {due}) of {drafts:?} led to {reply:?}")
            });
        };
        holds(Law::UndoUntilSent, !running, || "a commit while a response runs".to_owned())?;
        holds(Law::UndoUntilSent, passes || (!waits && *tags == drafts), || {
            format!("{tags:?} were committed, and drafted were {drafts:?}, and something waits: {waits}")
        })?;
        for tag in tags {
            let (was, is) = (self.was(*tag), self.after.cards[tag]);
            let same = was.is_some_and(|was| passes || (was.says, was.who) == (is.says, is.who));
            holds(Law::UndoUntilSent, same && is.final_, || {
                format!("{tag} was {was:?}, and {is:?} was committed")
            })?;
        }
        if !due {
            self.counted.push("a batch was committed by a person");
        }
        if due && !passes {
            let undoable = tags.iter().any(|tag| self.was(*tag).is_some_and(|was| was.undoable()));
            // "Undo until sent", and an unmount commits nothing.
            holds(Law::UndoUntilSent, attached || !undoable, || {
                "a commit behind a person's back".to_owned()
            })?;
            holds(Law::UndoUntilSent, !self.must_wait(tags), || {
                format!("{tags:?} were committed too early")
            })?;
            self.counted.push("a batch was committed when it was due");
        }
        Ok(())
    }

    pub(super) fn time_passes(&self) -> bool {
        let ends = |card: &&Card| self.is_over(card.deadline);
        let over = |listed: &&Listed| !listed.ended && self.is_over(listed.until);
        let late = |card: &&Card| (card.asks || card.draft() == Some(true)) && ends(card);
        self.before.cards.values().any(|card| late(&card))
            || self.before.grants.iter().any(|grant| over(&grant))
    }

    /// When the undo period ends; `None` for never.
    pub(super) fn undo_is_over(&self, drafts: &[Tag]) -> Option<Time> {
        let cards: Vec<Card> = drafts.iter().filter_map(|&tag| self.was(tag)).collect();
        let last = drafts.iter().map(|&tag| self.oracle.history[self.drafted_at(tag)].0).max()?;
        let dangerous = cards.iter().any(|card| card.dangerous && card.says == Some(true) && card.undoable());
        let by_person = cards.iter().any(|card| card.who == Some(Who::Person));
        let policy = &self.oracle.policy;
        let grace = if dangerous {
            policy.undo_ms_when_dangerous
        } else if by_person {
            policy.undo_ms
        } else {
            Some(0)
        };
        Some(last.saturating_add(grace?))
    }

    /// When the answer of a card was first drafted by its current author.
    pub(super) fn drafted_at(&self, tag: Tag) -> usize {
        let is = self.was(tag).map(|card| (card.says, card.who));
        let mut at = self.start;
        for index in (0..self.start).rev() {
            let Event::Shown(page) = &self.oracle.history[index].1 else { continue };
            if page.cards.get(&tag).map(|card| (card.says, card.who)) != is {
                break;
            }
            at = index;
        }
        at
    }

    /// Whether the batch has to wait. The laws say that a draft can be undone until the batch is committed,
    /// but not how long before its deadline an allowance is committed. If there is a deadline before the end
    /// of the undo period, both are right.
    pub(super) fn must_wait(&self, drafts: &[Tag]) -> bool {
        let Some(over) = self.undo_is_over(drafts) else { return self.ends(drafts).is_none() };
        self.now < over && self.ends(drafts).is_none()
    }

    pub(super) fn may_wait(&self, drafts: &[Tag]) -> bool {
        self.undo_is_over(drafts).is_none_or(|over| self.now < over)
    }

    pub(super) fn ends(&self, drafts: &[Tag]) -> Option<Time> {
        let cards = drafts.iter().filter_map(|&tag| self.was(tag));
        cards.filter(|card| card.says == Some(true)).filter_map(|card| card.deadline).min()
    }

    /// Whether a batch was due while no chat was attached, and no person has acted since.
    pub(super) fn was_paused(&self) -> bool {
        self.oracle.history[..self.start].iter().any(|(_, event)| {
            matches!(event, Event::Committed { due: true, attached: false, reply: Reply::Waiting })
        })
    }
}
