//! The laws about decisions, as questions about a history. They are checked whenever the page has shown
//! something: a change of a card needs a cause in the history, and an event of the history needs its effect
//! on a card. Where a law leaves something open, its sentence is quoted, and more than one answer is right.

mod answers;
mod batch;
mod commit;
mod decisions;
mod effects;
mod grants;
mod leaving;
mod time;

use tool_approval_guard::core::clock::Time;

use super::decision_harness::Law;
use super::oracle::{Card, Event, Oracle, Page, Shown, Tag};

type Verdict = Result<(), (Law, String)>;

fn holds(law: Law, right: bool, what: impl FnOnce() -> String) -> Verdict {
    if right { Ok(()) } else { Err((law, what())) }
}

/// Two consecutive displays of the page, and what happened between them.
struct Moment<'a> {
    oracle: &'a Oracle,
    start: usize,
    end: usize,
    now: Time,
    before: Page,
    after: &'a Page,
    counted: Vec<&'static str>,
}

impl Oracle {
    /// Checks the latest display of the page.
    pub fn check(&mut self) -> Verdict {
        let end = self.history.len() - 1;
        let (now, Event::Shown(after)) = &self.history[end] else { return Ok(()) };
        let shown = |(_, event): &(Time, Event)| matches!(event, Event::Shown(_));
        let start = self.history[..end].iter().rposition(shown).map_or(0, |index| index + 1);
        let before = self.page_before(end).cloned().unwrap_or_default();
        let mut moment = Moment { oracle: self, start, end, now: *now, before, after, counted: Vec::new() };
        let verdict = moment.check();
        for what in std::mem::take(&mut moment.counted) {
            self.count(what);
        }
        verdict
    }
}

impl Moment<'_> {
    fn check(&mut self) -> Verdict {
        for (&tag, card) in &self.after.cards {
            let before = self.before.cards.get(&tag).copied();
            if before == Some(*card) {
                continue;
            }
            self.yes_has_a_cause(tag, before, *card)?;
            self.lost_word_has_a_cause(tag, before, *card)?;
            self.deadline_has_a_cause(tag, before, *card)?;
        }
        for index in self.start..self.end {
            self.event_has_its_effect(index)?;
        }
        self.grants()?;
        self.batch()?;
        self.time()?;
        self.unattended()
    }

    fn events(&self) -> impl Iterator<Item = &Event> {
        self.oracle.history[self.start..self.end].iter().map(|(_, event)| event)
    }

    fn any(&self, is: impl Fn(&Event) -> bool) -> bool {
        self.events().any(is)
    }

    fn was(&self, tag: Tag) -> Option<Card> {
        self.before.cards.get(&tag).copied()
    }

    /// The part of a call in the list of this moment.
    fn listed(&self, tag: Tag) -> Option<Shown> {
        self.events().find_map(|event| match event {
            Event::List { parts, .. } => parts.iter().find(|part| part.tag == tag).copied(),
            _ => None,
        })
    }

    /// The part of a call in the list before.
    fn listed_before(&self, tag: Tag) -> Option<Shown> {
        self.oracle.shown(tag, self.start)
    }

    /// Law 5: "An answer holds for the approval id, the tool and the input that was shown." A part that still
    /// shows an allowance is not new.
    fn newly_says(&self, tag: Tag, yes: bool) -> bool {
        let Some(part) = self.listed(tag) else { return false };
        let before = self.listed_before(tag);
        part.says == Some(yes) && before.is_none_or(|before| before.says != Some(yes))
    }

    /// Whether the part shows the input of its question, or of the answer that it replaces. "An answer holds
    /// for the input that was shown": it is left open which of two shown inputs counts.
    fn shows_its_question(&self, tag: Tag) -> bool {
        let question = self.oracle.question(tag, self.start);
        let Some(part) = self.listed(tag).or(self.listed_before(tag)) else { return true };
        let answered = self.was(tag).is_some_and(|was| was.answer().is_some());
        let replaced = self.listed_before(tag).filter(|_| answered);
        let same = |other: Shown| other.content == part.content;
        question.is_none_or(same) || replaced.is_some_and(same)
    }

    /// Whether the part shows another input than when the card began to show its answer, or than its
    /// question.
    fn shows_another_input(&self, tag: Tag) -> bool {
        let [then, asked] = self.shows_another_input_than(tag);
        then == Some(true) || asked == Some(true)
    }

    /// Whether the input differs from both.
    fn surely_shows_another_input(&self, tag: Tag) -> bool {
        let [then, asked] = self.shows_another_input_than(tag);
        then == Some(true) && asked != Some(false)
    }

    fn shows_another_input_than(&self, tag: Tag) -> [Option<bool>; 2] {
        let since = self.oracle.unchanged_since(tag, self.start);
        let then = self.oracle.shown(tag, since.max(1));
        let asked = self.oracle.question(tag, self.start);
        let Some(part) = self.listed(tag) else { return [None; 2] };
        [then, asked].map(|other| other.map(|other| other.content != part.content))
    }

    /// Whether a request has carried the card's answer from before this moment.
    fn was_carried(&self, tag: Tag) -> bool {
        let Some(said) = self.was(tag).and_then(|card| card.answer()) else { return false };
        // It may have become final in the same moment in which it left.
        let since = self.oracle.shown_before(self.oracle.unchanged_since(tag, self.start));
        !self.oracle.carrying(tag, said, since).is_empty()
    }

    fn is_over(&self, deadline: Option<Time>) -> bool {
        deadline.is_some_and(|deadline| deadline <= self.now)
    }
}

fn sorted(tags: &[Tag]) -> Vec<Tag> {
    let mut tags = tags.to_vec();
    tags.sort_unstable();
    tags
}
