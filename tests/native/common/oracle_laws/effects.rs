//! Every event has its effect: there is a list for each kind of event, and one for the messages.

use tool_approval_guard::core::clock::Time;

use super::super::decision_harness::Law;
use super::super::oracle::{Card, Event, Reply, Shown, Tag, Who};
use super::{Moment, Verdict, holds};

impl Moment<'_> {
    pub(super) fn event_has_its_effect(&mut self, index: usize) -> Verdict {
        match self.oracle.history[index].1.clone() {
            Event::List { parts, step, loaded, .. } => self.list(&parts, &step, loaded),
            Event::Decided { tag, choice, covers, reply, grant, .. } => {
                self.decided(tag, choice, covers, &reply, grant)
            }
            Event::Clicked { tag, yes } => self.direct_click(tag, yes),
            Event::Undone { tags, reply } => self.undone(tags, &reply),
            Event::Extended { tag, reply } => self.extended(tag, &reply),
            Event::Revoked { grant, reply } => self.revoked(grant, &reply),
            Event::Committed { due, attached, reply } => self.committed(due, attached, &reply),
            Event::Requested { person, automatic, wire, .. } => {
                for part in wire {
                    self.on_the_wire(part.tag, part.says, part.output)?;
                }
                if automatic { Ok(()) } else { self.moved_on(person) }
            }
            Event::Stopped => self.taken_back(Law::Stop),
            Event::Left => self.taken_back(Law::UndoUntilSent),
            _ => Ok(()),
        }
    }

    pub(super) fn list(&mut self, parts: &[Shown], step: &[Tag], loaded: bool) -> Verdict {
        for (&tag, card) in &self.after.cards {
            let here = parts.iter().any(|part| part.tag == tag);
            let asked = card.asks || card.says.is_some();
            holds(Law::MovesOn, !asked || card.gone != here, || format!("{tag} is gone: {}", card.gone))?;
        }
        for part in parts {
            let Some(card) = self.after.cards.get(&part.tag).copied() else { continue };
            if part.asks {
                if self.was(part.tag).is_some_and(|was| was.answer() == Some(true))
                    && self.was_carried(part.tag)
                {
                    self.counted.push("what was sent was asked once more");
                }
                if self.was(part.tag).is_some_and(|was| was.answer().is_some())
                    && self.surely_shows_another_input(part.tag)
                {
                    self.counted.push("an answer was void");
                    // "With another input the answer is void and the call asks again."
                    let law = Law::OneInput;
                    holds(law, card.answer().is_none(), || format!("{part:?} asks, and is {card:?}"))?;
                }
                let known = card.asks || card.says.is_some();
                holds(Law::NoInventedYes, known, || format!("{part:?} asks, and is {card:?}"))?;
                let newly = self.listed_before(part.tag).is_none_or(|before| !before.asks);
                let waits = newly && card.asks && !self.oracle.policy.attended;
                holds(Law::NoInventedYes, !waits, || format!("{part:?} waits, and nobody is there"))?;
            }
            if loaded {
                let right = part.says.is_none_or(|says| card.answer() == Some(says));
                holds(Law::Truth, right, || format!("{part:?} was loaded, and is {card:?}"))?;
                continue;
            }
            self.newly_answered(part, card)?;
            if step.contains(&part.tag) {
                self.granted(part, card)?;
            }
        }
        Ok(())
    }

    /// An answer that is new in the messages.
    pub(super) fn newly_answered(&mut self, part: &Shown, card: Card) -> Verdict {
        let tag = part.tag;
        let Some(was) = self.was(tag).filter(|was| !was.gone) else { return Ok(()) };
        if self.newly_says(tag, false) && (was.asks || was.says == Some(true)) && !part.served {
            // If a request has carried an answer, that is the first one, so either may stand.
            let right = card.answer() == Some(false) || self.was_carried(tag) || self.is_over(was.deadline);
            return holds(Law::FirstAnswerWins, right, || format!("{part:?} says no, and is {card:?}"));
        }
        if !self.newly_says(tag, true) || part.served {
            return Ok(());
        }
        let late = self.time_passes() || !self.oracle.policy.attended;
        if !self.shows_its_question(tag) {
            // "With another input the answer is void and the call asks again."
            let right = card.answer() != Some(true) || was.answer() == Some(true);
            return holds(Law::NoInventedYes, right, || format!("{part:?} was no question, and is {card:?}"));
        }
        if was.asks && !late && self.oracle.question(tag, self.start).is_some() {
            return holds(Law::FirstAnswerWins, card.answer() == Some(true), || {
                format!("{part:?} says yes, and is {card:?}")
            });
        }
        if was.draft() == Some(false) {
            self.counted.push("a drafted denial has won");
        }
        let newer =
            was.answer() == Some(false) && was.who == Some(Who::Person) && !self.was_carried(tag) && !late;
        if newer && self.was_said_in_the_messages(tag) && !self.shows_another_input(tag) {
            self.counted.push("a newer answer has counted");
            // "Until a request carried it, a newer answer in the messages counts."
            return holds(Law::FirstAnswerWins, card.answer() == Some(true), || {
                format!("{part:?} is newer, and is {card:?}")
            });
        }
        Ok(())
    }

    /// Law 7 speaks of a newer answer *in the messages*. It leaves open whether such an answer is newer than
    /// a decision outside of them, or than one that stood against a replayed question.
    pub(super) fn was_said_in_the_messages(&self, tag: Tag) -> bool {
        let since = self.oracle.unchanged_since(tag, self.start);
        let asked =
            self.oracle.lists(self.start).find(|(_, parts, _)| parts.iter().any(|p| p.tag == tag && p.asks));
        let outside = |(_, event): &(Time, Event)| match event {
            Event::Clicked { tag: t, .. } | Event::Decided { tag: t, .. } => *t == tag,
            Event::Committed { reply: Reply::Done(_), .. } => true,
            _ => false,
        };
        asked.is_some_and(|(asked, ..)| {
            asked < since && !self.oracle.history[asked..self.start].iter().any(outside)
        })
    }

    pub(super) fn direct_click(&mut self, tag: Tag, yes: bool) -> Verdict {
        let (Some(was), Some(card)) = (self.was(tag), self.after.cards.get(&tag)) else { return Ok(()) };
        if was.gone || self.time_passes() || !self.oracle.policy.attended {
            return Ok(());
        }
        // "A direct Deny beats a drafted Allow", and a drafted denial wins over a direct Allow.
        let expected = match (was.asks, was.says, yes) {
            (true, ..) => Some(yes),
            (_, Some(true), false) if !was.final_ => Some(false),
            (_, Some(said), _) => Some(said),
            _ => None,
        };
        if was.draft().is_some_and(|drafted| drafted != yes) {
            self.counted.push("a direct answer has met another draft");
        }
        holds(Law::FirstAnswerWins, expected.is_none_or(|expected| card.says == Some(expected)), || {
            format!("{tag} was {was:?}, a click said {yes}, and it is {card:?}")
        })?;
        holds(Law::FirstAnswerWins, !was.asks || card.final_, || format!("{tag} is {card:?} after a click"))
    }
}
