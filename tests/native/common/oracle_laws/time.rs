//! Law 12: deadlines, and the timers for them.

use super::super::decision_harness::Law;
use super::super::oracle::{Card, Event, Reply, Tag, Who};
use super::{Moment, Verdict, holds};

impl Moment<'_> {
    pub(super) fn deadline_has_a_cause(&mut self, tag: Tag, before: Option<Card>, after: Card) -> Verdict {
        let was = before.and_then(|card| card.deadline);
        let caused = match (was, after.deadline) {
            (was, is) if was == is => true,
            (_, None) => self.listed(tag).is_some(),
            (_, Some(is)) => self.events().any(|event| match event {
                Event::Annotated { tag: t, lifetime: Some(lifetime), .. } => {
                    let other = was.is_none() || self.shows_another_input(tag);
                    *t == tag && is == self.now.saturating_add(*lifetime) && other
                }
                Event::Extended { tag: t, reply: Reply::Done(_) } => *t == tag && is >= self.now,
                _ => false,
            }),
        };
        holds(Law::TimeOnlyCloses, caused, || {
            format!("{tag} ends at {:?}, and not at {was:?}, without a cause", after.deadline)
        })?;
        let marks = |event: &Event| matches!(event, Event::Annotated { tag: t, .. } if *t == tag);
        let same = before.is_none_or(|was| was.dangerous == after.dangerous) || self.any(marks);
        holds(Law::UndoUntilSent, same || self.listed(tag).is_some(), || {
            format!("{tag} is dangerous: {}, without a cause", after.dangerous)
        })
    }

    pub(super) fn time(&mut self) -> Verdict {
        if !self.after.timer {
            return Ok(());
        }
        for (&tag, card) in self.after.cards.iter().filter(|(_, card)| !card.gone) {
            let open = card.asks || card.draft() == Some(true);
            let over = open && self.is_over(card.deadline);
            holds(Law::TimeOnlyCloses, !over, || format!("{tag} is {card:?} at {}", self.now))?;
            if card.who == Some(Who::Clock) && self.was(tag).is_none_or(|was| was.who != card.who) {
                let in_time = self.was(tag).is_some_and(|was| self.is_over(was.deadline));
                let right = card.says == Some(false) && (in_time || self.is_over(card.deadline));
                holds(Law::TimeOnlyCloses, right, || format!("{tag} is {card:?} too early"))?;
                self.counted.push("a call has expired");
            }
        }
        // "Timers only wake": a timer wakes in time for the next deadline, and does not wake at once again
        // and again.
        let open =
            self.after.cards.values().filter(|card| !card.gone && (card.asks || card.draft() == Some(true)));
        let ends = open.filter_map(|card| card.deadline);
        let over = self.after.grants.iter().filter(|grant| !grant.ended).filter_map(|grant| grant.until);
        let due = self.after.batch.due.filter(|due| *due > self.now && !self.oracle.may_ask(self.end));
        let next = ends.chain(over).chain(due).min().map(|next| next.saturating_sub(self.now));
        let wakes = self.after.wakes_in;
        let right = wakes != Some(0) && next.is_none_or(|next| wakes.is_some_and(|wakes| wakes <= next));
        holds(Law::TimeOnlyCloses, right, || format!("wakes in {wakes:?}; something ends in {next:?}"))
    }
}
