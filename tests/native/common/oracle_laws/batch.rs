//! The batch, and how often its calls were refused.

use super::super::decision_harness::Law;
use super::super::decisions::tool_of;
use super::super::oracle::{Card, Event, Page, Tag, Who};
use super::{Moment, Verdict, holds};

impl Moment<'_> {
    pub(super) fn batch(&mut self) -> Verdict {
        let batch = &self.after.batch;
        let step = self.oracle.step(self.end);
        let card = |tag: &Tag| self.after.cards.get(tag).filter(|card| !card.gone);
        let asked = |tag: &&Tag| card(tag).is_some_and(|card| card.asks || card.says.is_some());
        let calls: Vec<Tag> = step.iter().filter(asked).copied().collect();
        let count = |is: fn(&Card) -> bool| calls.iter().filter_map(card).filter(|card| is(card)).count();
        let asking = count(|card| card.asks);
        let allowed = count(|card| card.says == Some(true));
        let denied = count(|card| card.says == Some(false));
        let undoable = count(Card::undoable) > 0;
        let same = batch.calls == calls
            && (batch.asking, batch.allowed, batch.denied) == (asking, allowed, denied)
            && batch.undoable == undoable;
        holds(Law::UndoUntilSent, same, || {
            format!("{batch:?}, and not {calls:?}, {asking}, {allowed}, {denied}")
        })?;
        let drafted = count(|card| card.draft().is_some()) > 0;
        holds(Law::UndoUntilSent, batch.due.is_none() || (asking == 0 && drafted), || {
            format!("{batch:?} is due")
        })?;
        if self.before.batch == *batch {
            return Ok(());
        }
        let counts: Vec<(u32, u32)> = calls.iter().map(|&tag| self.refusals(tag)).collect();
        let least = counts.iter().map(|(least, _)| *least).max().unwrap_or(0);
        let most = counts.iter().map(|(_, most)| *most).max().unwrap_or(0);
        if least > 2 {
            self.counted.push("a loop");
        }
        holds(Law::Loops, (least..=most).contains(&batch.refusals), || {
            format!("{calls:?} were refused {} times, and not {least} to {most}", batch.refusals)
        })
    }

    /// How often a call like this one was refused, except by time or by a message: at least, and at most. For
    /// a call that has shown more than one input, it is left open which of them was refused.
    pub(super) fn refusals(&self, tag: Tag) -> (u32, u32) {
        let oracle = self.oracle;
        let shown = |tag: Tag| {
            let lists = oracle.lists(self.end).flat_map(|(_, parts, _)| parts);
            let mut shown: Vec<_> =
                lists.filter(|p| p.tag == tag).map(|p| (tool_of(p.tool).name, p.content)).collect();
            shown.dedup();
            shown
        };
        let like = shown(tag);
        let mut last = &Page::default();
        let (mut least, mut most) = (0, 0);
        let was_asked = |tag: Tag, end: usize| {
            oracle.history[..end].iter().any(|(_, event)| match event {
                Event::Shown(page) => page.cards.get(&tag).is_some_and(|c| c.asks || c.draft().is_some()),
                _ => false,
            })
        };
        for (at, (_, event)) in oracle.history.iter().enumerate() {
            let Event::Shown(page) = event else { continue };
            for (&other, card) in &page.cards {
                let was = last.cards.get(&other).and_then(Card::answer);
                let counts = matches!(card.who, Some(Who::Person | Who::Grant | Who::Nobody));
                if card.answer() != Some(false) || was == Some(false) || !counts {
                    continue;
                }
                // If no card asked before, it is left open whether anything was refused.
                let asked = was_asked(tag, self.end) && was_asked(other, at);
                let other = shown(other);
                least += u32::from(asked && like.len() == 1 && other == like);
                most += u32::from(other.iter().any(|shown| like.contains(shown)));
            }
            last = page;
        }
        (least, most)
    }
}
