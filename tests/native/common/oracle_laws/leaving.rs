//! What is sent, and what happens after a message, after a stop, and while nobody attends.

use super::super::decision_harness::Law;
use super::super::oracle::{Tag, Who};
use super::{Moment, Verdict, holds};

impl Moment<'_> {
    /// Laws 4 and 5: an allowance leaves only if there is one, a denial leaves as a denial without an output,
    /// and an open call leaves as a question.
    pub(super) fn on_the_wire(&mut self, tag: Tag, says: Option<bool>, output: bool) -> Verdict {
        let Some(card) = self.after.cards.get(&tag).copied() else { return Ok(()) };
        let allowed = card.answer() == Some(true);
        if says == Some(true) {
            self.counted.push("an allowance has left");
        }
        holds(Law::NoInventedYes, says != Some(true) || allowed, || {
            format!("{tag} leaves as allowed, and is {card:?}")
        })?;
        if card.answer() == Some(false) {
            self.counted.push("a denial has left");
            holds(Law::FirstAnswerWins, says == Some(false) && !output, || {
                format!("{tag} leaves as {says:?}, with an output: {output}, and is {card:?}")
            })?;
        }
        let open = (card.asks || card.draft().is_some()) && !card.gone;
        holds(Law::NoInventedYes, !open || (says != Some(true) && !output), || {
            format!("{tag} leaves with an output, and is {card:?}")
        })
    }

    /// "A message of a person": open calls are closed, and unsent allowances are withdrawn.
    pub(super) fn moved_on(&mut self, person: bool) -> Verdict {
        for (&tag, card) in self.after.cards.iter().filter(|(_, card)| !card.gone) {
            let open = card.asks || card.draft().is_some();
            if self.oracle.closes {
                holds(Law::MovesOn, !open, || format!("{tag} is {card:?} after a message"))?;
            } else if person {
                holds(Law::MovesOn, !card.undoable(), || format!("{tag} is {card:?} after a message"))?;
            }
            if self.was(tag).is_some_and(|was| was.asks || was.draft().is_some())
                && card.answer() == Some(false)
            {
                self.counted.push("a message has closed a call");
            }
        }
        Ok(())
    }

    /// After a stop, or when the page ends, no answer is left that a person could still undo; after a stop,
    /// no unsent allowance either.
    pub(super) fn taken_back(&mut self, law: Law) -> Verdict {
        for (&tag, card) in self.after.cards.iter().filter(|(_, card)| !card.gone) {
            holds(law, !card.undoable(), || format!("{tag} is {card:?} after a stop"))?;
            if self.was(tag).is_some_and(|was| was.undoable()) {
                self.counted.push("a stop has taken a draft back");
            }
            let was = self.was(tag).filter(|was| was.answer() == Some(true) && was.who != Some(Who::Other));
            if law == Law::Stop && was.is_some() && !self.was_carried(tag) {
                let put_out = self.listed_before(tag).is_some_and(|part| part.output);
                self.counted.push("a stop has taken an allowance back");
                holds(law, put_out || card.answer() != Some(true), || {
                    format!("{tag} is {card:?} after a stop")
                })?;
            }
        }
        Ok(())
    }

    pub(super) fn unattended(&mut self) -> Verdict {
        if self.oracle.policy.attended {
            return Ok(());
        }
        for (&tag, card) in &self.after.cards {
            let invented = card.says == Some(true) && matches!(card.who, Some(Who::Person | Who::Grant));
            holds(Law::NoInventedYes, !invented, || format!("{tag} is {card:?}, and nobody is there"))?;
        }
        Ok(())
    }
}
