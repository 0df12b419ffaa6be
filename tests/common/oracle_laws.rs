//! The laws about decisions, as questions about a history. Each is checked when a page has shown something:
//! a change of a card needs a cause in what has happened, and what has happened needs its effect on a card.
//! Where a law leaves something open, its sentence is quoted, and more than one answer is right.

use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::decision::{Choice, Refusal};
use tool_approval_guard::core::guard::Covers;
use tool_approval_guard::core::id::GrantId;

use super::decision_harness::Law;
use super::oracle::{Card, Event, Given, Listed, Oracle, Page, Reply, Shown, Tag, Who};

type Verdict = Result<(), (Law, String)>;

fn holds(law: Law, right: bool, what: impl FnOnce() -> String) -> Verdict {
    if right { Ok(()) } else { Err((law, what())) }
}

/// The time between two things that the page showed, and both of them.
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
    /// Checks what the page has shown last.
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

    /// The part of the list before it.
    fn listed_before(&self, tag: Tag) -> Option<Shown> {
        self.oracle.shown(tag, self.start)
    }

    /// Law 5: "An answer holds for the approval id, the tool and the input that was shown." A part that goes
    /// on showing a yes is no new one.
    fn newly_says(&self, tag: Tag, yes: bool) -> bool {
        let Some(part) = self.listed(tag) else { return false };
        let before = self.listed_before(tag);
        part.says == Some(yes) && before.is_none_or(|before| before.says != Some(yes))
    }

    /// Does the part show the input of its question, or that of the answer which it replaces? "An answer holds
    /// for the input that was shown": which of two that were shown is left open.
    fn shows_its_question(&self, tag: Tag) -> bool {
        let question = self.oracle.question(tag, self.start);
        let Some(part) = self.listed(tag).or(self.listed_before(tag)) else { return true };
        let answered = self.was(tag).is_some_and(|was| was.answer().is_some());
        let replaced = self.listed_before(tag).filter(|_| answered);
        let same = |other: Shown| other.content == part.content;
        question.is_none_or(same) || replaced.is_some_and(same)
    }

    /// Does the part show another input than it did when the card began to say what it says?
    fn shows_another_input(&self, tag: Tag) -> bool {
        let since = self.oracle.unchanged_since(tag, self.start);
        let then = self.oracle.shown(tag, since.max(1));
        let asked = self.oracle.question(tag, self.start);
        let Some(part) = self.listed(tag) else { return false };
        let other = |other: Option<Shown>| other.is_some_and(|other| other.content != part.content);
        other(then) || other(asked)
    }

    /// Has a request carried what the card said before this moment?
    fn was_carried(&self, tag: Tag) -> bool {
        let Some(said) = self.was(tag).and_then(|card| card.answer()) else { return false };
        let since = self.oracle.unchanged_since(tag, self.start);
        // The moment in which it became final may be the one in which it left.
        let since = self.oracle.history[..since].iter().rposition(|(_, e)| matches!(e, Event::Shown(_)));
        !self.oracle.carrying(tag, said, since.unwrap_or(0)).is_empty()
    }

    fn is_over(&self, deadline: Option<Time>) -> bool {
        deadline.is_some_and(|deadline| deadline <= self.now)
    }

    // ---- law 5: no invented yes ----

    fn yes_has_a_cause(&mut self, tag: Tag, before: Option<Card>, after: Card) -> Verdict {
        if after.says != Some(true) {
            return Ok(());
        }
        self.counted.push("an allowance was given");
        // A word that came with a grant is about its own call only once that has ended.
        let said = before.is_some_and(|was| {
            let grant = was.grant == after.grant || (after.grant == 0 && self.ended(was.grant));
            was.says == Some(true) && was.who == after.who && grant
        });
        let caused = said
            || match after.who {
                Some(Who::Person) => self.person_allowed(tag, before),
                Some(Who::Grant) => self.grant_answers(after.grant, tag, true),
                // "History is what the first `attach` finds." What the server has put out it has allowed itself.
                Some(Who::Other) => {
                    let part = self.listed(tag);
                    self.oracle.loaded(tag) && part.is_some_and(|part| part.says == Some(true))
                        || part.is_some_and(|part| part.output && part.served)
                }
                _ => false,
            };
        holds(Law::NoInventedYes, caused, || {
            format!("{tag} is {after:?} without a cause; it was {before:?}")
        })?;
        // Undo until sent: a draft becomes an answer by a commit, or by a click past it.
        let committed = before.is_none_or(|was| was.answer() != Some(true)) && after.final_;
        let cause = !committed || !said || self.was_committed(tag) || self.clicked(tag, true);
        holds(Law::UndoUntilSent, cause, || format!("{tag} is {after:?}, and nothing has committed it"))
    }

    fn clicked(&self, tag: Tag, yes: bool) -> bool {
        let heard =
            |event: &Event| matches!(event, Event::Clicked { tag: t, yes: y } if (*t, *y) == (tag, yes));
        self.any(heard) || (self.newly_says(tag, yes) && (!yes || self.shows_its_question(tag)))
    }

    fn person_allowed(&self, tag: Tag, before: Option<Card>) -> bool {
        let chosen = |event: &Event| matches!(event, Event::Decided { tag: t, choice, reply: Reply::Done(_), .. } if *t == tag && choice.allows());
        let in_time = before.is_none_or(|card| card.answer().is_some() || !self.is_over(card.deadline));
        in_time && self.oracle.pace.attended && (self.any(chosen) || self.clicked(tag, true))
    }

    fn was_committed(&self, tag: Tag) -> bool {
        self.any(|event| match event {
            Event::Committed { reply: Reply::Done(tags), .. } => tags.contains(&tag),
            // A message of a person commits the denials that are drafted.
            Event::Requested { automatic: false, .. } => {
                self.was(tag).is_some_and(|was| was.draft() == Some(false))
            }
            _ => false,
        })
    }

    // ---- laws 4 and 7: what was said stands ----

    fn lost_word_has_a_cause(&mut self, tag: Tag, before: Option<Card>, after: Card) -> Verdict {
        let Some((was, said)) = before.and_then(|was| Some((was, was.says?))) else { return Ok(()) };
        if after.says == Some(said) && (after.final_ || !was.final_) {
            return Ok(());
        }
        let caused = if was.final_ {
            self.answer_may_be_lost(tag, said)
        } else {
            self.draft_may_be_lost(tag, was, said)
        };
        let law = if said { Law::UndoUntilSent } else { Law::FirstAnswerWins };
        holds(law, caused, || format!("{tag} was {was:?} and is {after:?} without a cause"))
    }

    fn answer_may_be_lost(&self, tag: Tag, yes: bool) -> bool {
        let part = self.listed(tag);
        // "With another input the answer is void and the call asks again."
        let void = self.shows_another_input(tag) && part.is_some_and(|part| part.says != Some(false) || yes);
        if !yes {
            // "Until a request carried it, a newer answer in the messages counts."
            return void || (self.newly_says(tag, true) && !self.was_carried(tag));
        }
        // A call that asks once more after it has had its output asks for another run.
        let again = part.is_some_and(|part| part.asks)
            && self
                .oracle
                .lists(self.start)
                .any(|(_, parts, _)| parts.iter().any(|part| part.tag == tag && part.output));
        let moves_on =
            self.any(|event| matches!(event, Event::Requested { automatic: false, person: true, .. }));
        let stops = self.any(|event| matches!(event, Event::Stopped)) && !self.was_carried(tag);
        // A call of a chat that was loaded may ask again: the page has not answered it.
        let loaded = self.oracle.loaded(tag) && part.is_some_and(|part| part.asks);
        void || again || moves_on || stops || loaded || self.newly_says(tag, false)
    }

    fn draft_may_be_lost(&self, tag: Tag, was: Card, yes: bool) -> bool {
        let undone = self.any(|event| match event {
            Event::Undone { tag: undone, reply: Reply::Done(_) } => undone.is_none_or(|undone| undone == tag),
            Event::Decided { tag: t, choice, reply: Reply::Done(_), .. } => {
                *t == tag && yes && !choice.allows()
            }
            Event::Clicked { tag: t, yes: y } => *t == tag && yes && !y,
            Event::Stopped | Event::Left => true,
            Event::Requested { automatic: false, .. } => true,
            _ => false,
        });
        let part = self.listed(tag);
        let again = part.is_some_and(|part| part.begins) || self.shows_another_input(tag);
        let gone = self.after.cards.get(&tag).is_none_or(|card| card.gone);
        let late = yes && self.is_over(was.deadline);
        let no = yes && self.newly_says(tag, false);
        let by_grant = was.who == Some(Who::Grant);
        // C93: a refusal comes before an allowance, and the newest word of a person about the same calls counts.
        let ended = by_grant && (self.ended(was.grant) || self.after.cards[&tag].who == Some(Who::Grant));
        // What time has denied, and what was denied because nobody is there, is taken back by nobody.
        if was.undoable() { undone || again || gone || late || no || ended } else { again || gone }
    }

    fn ended(&self, grant: GrantId) -> bool {
        self.after.grants.get(grant as usize - 1).is_none_or(|listed| listed.ended)
    }

    // ---- law 12: deadlines ----

    fn deadline_has_a_cause(&mut self, tag: Tag, before: Option<Card>, after: Card) -> Verdict {
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

    fn time(&mut self) -> Verdict {
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
        // "Timers only wake": one wakes in time for what ends next, and never at once without end.
        let open =
            self.after.cards.values().filter(|card| !card.gone && (card.asks || card.draft() == Some(true)));
        let ends = open.filter_map(|card| card.deadline);
        let over = self.after.grants.iter().filter(|grant| !grant.ended).filter_map(|grant| grant.until);
        let due =
            self.after.batch.due.filter(|due| *due > self.now && self.oracle.running(self.end).is_empty());
        let next = ends.chain(over).chain(due).min().map(|next| next.saturating_sub(self.now));
        let wakes = self.after.wakes_in;
        let right = wakes != Some(0) && next.is_none_or(|next| wakes.is_some_and(|wakes| wakes <= next));
        holds(Law::TimeOnlyCloses, right, || format!("wakes in {wakes:?}; something ends in {next:?}"))
    }

    // ---- what happened has its effect ----

    fn event_has_its_effect(&mut self, index: usize) -> Verdict {
        match self.oracle.history[index].1.clone() {
            Event::List { parts, step, loaded } => self.list(&parts, &step, loaded),
            Event::Decided { tag, choice, covers, reply, grant, .. } => {
                self.decided(tag, choice, covers, &reply, grant)
            }
            Event::Covered { tag, covers, covered } => self.covered(tag, covers, &covered),
            Event::Clicked { tag, yes } => self.direct_click(tag, yes),
            Event::Undone { tag, reply } => self.undone(tag, &reply),
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

    fn list(&mut self, parts: &[Shown], step: &[Tag], loaded: bool) -> Verdict {
        for (&tag, card) in &self.after.cards {
            let here = parts.iter().any(|part| part.tag == tag);
            let asked = card.asks || card.says.is_some();
            holds(Law::MovesOn, !asked || card.gone != here, || format!("{tag} is gone: {}", card.gone))?;
        }
        for part in parts {
            let Some(card) = self.after.cards.get(&part.tag).copied() else { continue };
            if part.asks {
                let known = card.asks || card.says.is_some();
                holds(Law::NoInventedYes, known, || format!("{part:?} asks, and is {card:?}"))?;
                let newly = self.listed_before(part.tag).is_none_or(|before| !before.asks);
                let waits = newly && card.asks && !self.oracle.pace.attended;
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

    /// An answer that the messages have and did not have before.
    fn newly_answered(&mut self, part: &Shown, card: Card) -> Verdict {
        let tag = part.tag;
        let Some(was) = self.was(tag).filter(|was| !was.gone) else { return Ok(()) };
        if self.newly_says(tag, false) && (was.asks || was.says == Some(true)) && !part.served {
            // An answer that a request has carried is the first one, so that either may stand.
            let right = card.answer() == Some(false) || self.was_carried(tag) || self.is_over(was.deadline);
            return holds(Law::FirstAnswerWins, right, || format!("{part:?} says no, and is {card:?}"));
        }
        if !self.newly_says(tag, true) || part.served {
            return Ok(());
        }
        let late = self.time_passes() || !self.oracle.pace.attended;
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

    /// Law 7 speaks of a newer answer *in the messages*: whether it is newer than what was decided outside of
    /// them, or stood against a replayed question, is left open.
    fn was_said_in_the_messages(&self, tag: Tag) -> bool {
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

    fn direct_click(&mut self, tag: Tag, yes: bool) -> Verdict {
        let (Some(was), Some(card)) = (self.was(tag), self.after.cards.get(&tag)) else { return Ok(()) };
        if was.gone || self.time_passes() || !self.oracle.pace.attended {
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

    // ---- decisions ----

    /// Why a decision is not to be taken; more than one reason may hold.
    fn reasons(&self, tag: Tag) -> Vec<Refusal> {
        let Some(was) = self.was(tag) else {
            return vec![Refusal::NotAsking, Refusal::Unreachable, Refusal::Gone];
        };
        let mut reasons = Vec::new();
        if was.gone {
            reasons.push(Refusal::Gone);
        }
        let open = was.asks || was.draft() == Some(true);
        if was.who == Some(Who::Clock) || (open && self.is_over(was.deadline)) {
            reasons.push(Refusal::Expired);
        } else if was.who == Some(Who::MovedOn) {
            reasons.push(Refusal::Superseded);
        } else if was.answer().is_some() {
            reasons.push(Refusal::AlreadyAnswered);
        } else if !was.asks && was.says.is_none() {
            reasons.extend([Refusal::NotAsking, Refusal::AlreadyAnswered]);
        }
        reasons
    }

    fn decided(
        &mut self,
        tag: Tag,
        choice: Choice,
        covers: Covers,
        reply: &Reply,
        grant: GrantId,
    ) -> Verdict {
        let yes = choice.allows();
        let was = self.was(tag);
        let card = self.after.cards.get(&tag).copied();
        let mut reasons = self.reasons(tag);
        // A denial after the end is a person's, and late.
        let late = !yes && reasons == [Refusal::Expired];
        if late {
            reasons.clear();
        } else {
            if !self.oracle.step(self.start).contains(&tag) {
                reasons.push(Refusal::Unreachable);
            }
            if self.listed_before(tag).is_none_or(|part| part.begins) {
                reasons.push(Refusal::NotAsking);
            }
            // "First answer wins; deny wins a tie."
            let drafted = was.and_then(|was| was.draft());
            let unattended = !self.oracle.pace.attended;
            if drafted.is_some_and(|drafted| !drafted || yes) || unattended {
                reasons.push(Refusal::AlreadyDrafted);
            }
        }
        let comparable = match covers {
            Covers::Fields(fields) if choice.lasts() => self.oracle.comparable(tag, fields, self.end),
            _ => (true, true),
        };
        if !comparable.0 {
            reasons.push(Refusal::NotComparable);
        }
        if self.time_passes() {
            self.counted.push("an act came after an end");
            return Ok(()); // time does what it does first, and a yes still needs its cause
        }
        match reply {
            Reply::Refused(reason) => {
                self.counted.push("a decision was refused");
                return holds(Law::FirstAnswerWins, reasons.contains(reason), || {
                    format!("{choice:?} of {tag} was refused as {reason:?}, and not as one of {reasons:?}")
                });
            }
            Reply::Done(_) | Reply::Late(_) => {
                reasons.retain(|reason| *reason != Refusal::NotComparable || !comparable.1);
            }
            _ => {}
        }
        let taken = matches!((reply, late), (Reply::Done(_), false) | (Reply::Late(_), true)) || {
            // A draft that has expired may not have been committed yet.
            late && matches!(reply, Reply::Done(_)) && was.is_some_and(|was| !was.final_)
        };
        holds(Law::FirstAnswerWins, taken && reasons.is_empty(), || {
            format!("{choice:?} of {tag}, which was {was:?}, led to {reply:?} in spite of {reasons:?}")
        })?;
        let right = card.is_some_and(|card| {
            (card.says, card.who, card.grant) == (Some(yes), Some(Who::Person), grant)
                && (!card.final_ || was.is_some_and(|was| was.final_))
        });
        holds(Law::UndoUntilSent, right, || format!("{choice:?} of {tag} has made {card:?}"))?;
        holds(Law::Grants, (grant > 0) == choice.lasts(), || format!("{choice:?} has given {grant}"))?;
        let answered = |card: &Card| card.who == Some(Who::Grant) && card.grant == grant && grant > 0;
        let by_it = self.after.cards.iter().filter(|(_, card)| answered(card)).map(|(&tag, _)| tag);
        let (Reply::Done(said) | Reply::Late(said)) = reply else { return Ok(()) };
        holds(Law::Grants, sorted(said) == by_it.collect::<Vec<_>>(), || {
            format!("{choice:?} of {tag} said that it has answered {said:?}")
        })
    }

    /// What a choice that lasts is said to answer is what it would cover, of the calls of the step that ask.
    fn covered(&mut self, tag: Tag, covers: Covers, covered: &[Tag]) -> Verdict {
        let own = match covers {
            Covers::Tool => (true, true),
            Covers::Fields(fields) => self.oracle.comparable(tag, fields, self.end),
        };
        let Some(shown) = self.oracle.shown(tag, self.end) else { return Ok(()) };
        for other in self.oracle.step(self.start) {
            let asks = self.was(other).is_some_and(|was| was.asks && !was.gone);
            let part =
                self.listed_before(other).filter(|part| asks && !part.begins && part.tool == shown.tool);
            let (must, may) = match (part, covers) {
                (None, _) => (false, false),
                (_, Covers::Tool) => (true, true),
                (Some(part), Covers::Fields(fields)) => {
                    let same = part.content.pick(fields) == shown.content.pick(fields);
                    let known = self.oracle.comparable(other, fields, self.end);
                    (same && known.0 && own.0, same && known.1 && own.1)
                }
            };
            let is = covered.contains(&other);
            holds(Law::Grants, (is || !must) && (may || !is), || {
                format!("{covers:?} of {tag} would answer {other}: {is}")
            })?;
        }
        Ok(())
    }

    fn undone(&mut self, tag: Option<Tag>, reply: &Reply) -> Verdict {
        let step = self.oracle.step(self.start);
        let undoable = |tag: Tag| {
            let was = self.was(tag);
            was.is_some_and(|was| {
                was.undoable() && !was.gone && !(was.says == Some(true) && self.is_over(was.deadline))
            })
        };
        let tags: Vec<Tag> = match tag {
            Some(tag) => vec![tag],
            None => step,
        };
        let tags: Vec<Tag> = tags.into_iter().filter(|&tag| undoable(tag)).collect();
        if self.time_passes() {
            return Ok(()); // a grant may have ended, and have taken its drafts back
        }
        // A grant that ends now takes its drafts back by itself.
        let ends = tags.iter().all(|&tag| {
            let was = self.was(tag).filter(|was| was.who == Some(Who::Grant));
            was.is_some_and(|was| self.ended(was.grant))
        });
        let Reply::Done(said) = reply else {
            return holds(Law::UndoUntilSent, tags.is_empty() || ends, || {
                format!("an undo of {tags:?} led to {reply:?}")
            });
        };
        holds(Law::UndoUntilSent, !tags.is_empty(), || format!("an undo of {tag:?} was taken"))?;
        self.counted.push("a draft was undone");
        for tag in tags {
            let card = self.after.cards[&tag];
            let over = self.is_over(card.deadline);
            holds(Law::UndoUntilSent, card.asks || over || card.who == Some(Who::Nobody), || {
                format!("{tag} was undone, and is {card:?}")
            })?;
        }
        self.asks_again(said)
    }

    /// What was told to ask again is what was decided and asks now.
    fn asks_again(&self, said: &[Tag]) -> Verdict {
        let asks = |(tag, card): &(&Tag, &Card)| {
            card.asks && self.was(**tag).is_some_and(|was| was.draft().is_some())
        };
        let asking: Vec<Tag> = self.after.cards.iter().filter(asks).map(|(&tag, _)| tag).collect();
        holds(Law::UndoUntilSent, sorted(said) == asking, || {
            format!("{said:?} were told to ask again, and {asking:?} do")
        })
    }

    fn extended(&self, tag: Tag, reply: &Reply) -> Verdict {
        let mut reasons = self.reasons(tag);
        if let Some(was) = self.was(tag).filter(|was| was.deadline.is_none()) {
            let _ = was;
            reasons.push(Refusal::NoDeadline);
        }
        match reply {
            Reply::Refused(Refusal::NoDeadline) => Ok(()), // its last mark may have taken the lifetime away
            Reply::Refused(reason) => holds(Law::TimeOnlyCloses, reasons.contains(reason), || {
                format!("{tag} was not extended for {reason:?}, and not for one of {reasons:?}")
            }),
            _ => {
                reasons.retain(|reason| *reason != Refusal::NoDeadline);
                let card = self.after.cards.get(&tag);
                let later = card.is_some_and(|card| card.deadline > Some(self.now));
                holds(Law::TimeOnlyCloses, reasons.is_empty() && later, || {
                    format!("{tag} was extended to {card:?}, in spite of {reasons:?}")
                })
            }
        }
    }

    fn revoked(&mut self, grant: Option<GrantId>, reply: &Reply) -> Verdict {
        let lives = |id: &GrantId| {
            let listed = id.checked_sub(1).and_then(|at| self.before.grants.get(at as usize));
            listed.is_some_and(|listed| !listed.ended && !self.is_over(listed.until))
        };
        let ids: Vec<GrantId> = match grant {
            Some(id) => [id].into_iter().filter(lives).collect(),
            None => (1..=self.before.grants.len() as GrantId).filter(lives).collect(),
        };
        let Reply::Done(said) = reply else {
            let right = *reply == Reply::Refused(Refusal::UnknownGrant) && ids.is_empty() && grant.is_some();
            return holds(Law::Grants, right, || format!("a revocation of {grant:?} led to {reply:?}"));
        };
        holds(Law::Grants, grant.is_none() || !ids.is_empty(), || format!("{grant:?} was revoked"))?;
        for id in ids {
            self.counted.push("a grant was revoked");
            holds(Law::Grants, self.ended(id), || format!("{id} was revoked, and goes on"))?;
        }
        self.asks_again(said)
    }

    // ---- law 8: the commit ----

    fn committed(&mut self, due: bool, attached: bool, reply: &Reply) -> Verdict {
        let step = self.oracle.step(self.start);
        let card = |tag: &Tag| self.was(*tag).filter(|card| !card.gone);
        let open = |tag: &Tag| card(tag).is_some_and(|card| card.asks);
        // Time may take a draft back, or end what asks, in this very moment.
        let passes = self.time_passes();
        let waits = step.iter().any(open);
        let drafts: Vec<Tag> =
            step.iter().copied().filter(|tag| card(tag).is_some_and(|card| card.draft().is_some())).collect();
        let running = !self.oracle.running(self.start).is_empty();
        let Reply::Done(tags) = reply else {
            // All that could be committed was committed, unless there was a reason to wait.
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
            // "Undo until sent", and an unmount is no commit.
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

    fn time_passes(&self) -> bool {
        let ends = |card: &&Card| self.is_over(card.deadline);
        let over = |listed: &&Listed| !listed.ended && self.is_over(listed.until);
        let late = |card: &&Card| (card.asks || card.draft() == Some(true)) && ends(card);
        self.before.cards.values().any(|card| late(&card))
            || self.before.grants.iter().any(|grant| over(&grant))
    }

    /// When the time for an undo is over; `None`: never by itself.
    fn undo_is_over(&self, drafts: &[Tag]) -> Option<Time> {
        let cards: Vec<Card> = drafts.iter().filter_map(|&tag| self.was(tag)).collect();
        let last = drafts.iter().map(|&tag| self.oracle.history[self.drafted_at(tag)].0).max()?;
        let dangerous = cards.iter().any(|card| card.dangerous && card.says == Some(true) && card.undoable());
        let by_person = cards.iter().any(|card| card.who == Some(Who::Person));
        let pace = &self.oracle.pace;
        let grace = if dangerous {
            pace.undo_dangerous
        } else if by_person {
            pace.undo
        } else {
            Some(0)
        };
        Some(last.saturating_add(grace?))
    }

    /// When what a card says was first drafted by whoever drafts it now.
    fn drafted_at(&self, tag: Tag) -> usize {
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

    /// The laws say that a draft can be undone until the batch is committed, and not how soon before its end an
    /// allowance is committed: as soon as there is such an end before the time for an undo is over, either is right.
    fn must_wait(&self, drafts: &[Tag]) -> bool {
        let Some(over) = self.undo_is_over(drafts) else { return self.ends(drafts).is_none() };
        self.now < over && self.ends(drafts).is_none()
    }

    fn may_wait(&self, drafts: &[Tag]) -> bool {
        self.undo_is_over(drafts).is_none_or(|over| self.now < over)
    }

    fn ends(&self, drafts: &[Tag]) -> Option<Time> {
        let cards = drafts.iter().filter_map(|&tag| self.was(tag));
        cards.filter(|card| card.says == Some(true)).filter_map(|card| card.deadline).min()
    }

    /// Was a batch due while nobody could be told, and has no person acted since?
    fn was_paused(&self) -> bool {
        self.oracle.history[..self.start].iter().any(|(_, event)| {
            matches!(event, Event::Committed { due: true, attached: false, reply: Reply::Waiting })
        })
    }

    // ---- what leaves ----

    /// Laws 4 and 5: an allowance leaves only where there is one, a denial leaves as one, without an output,
    /// and what asks leaves as a question.
    fn on_the_wire(&mut self, tag: Tag, says: Option<bool>, output: bool) -> Verdict {
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

    /// "A message of a person": what is open is closed, and what was allowed and not sent is withdrawn.
    fn moved_on(&mut self, person: bool) -> Verdict {
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

    /// After a stop, or when the page goes, nothing stands that a person could still take back; after a stop no
    /// allowance does that was not sent.
    fn taken_back(&mut self, law: Law) -> Verdict {
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

    fn unattended(&mut self) -> Verdict {
        if self.oracle.pace.attended {
            return Ok(());
        }
        for (&tag, card) in &self.after.cards {
            let invented = card.says == Some(true) && matches!(card.who, Some(Who::Person | Who::Grant));
            holds(Law::NoInventedYes, !invented, || format!("{tag} is {card:?}, and nobody is there"))?;
        }
        Ok(())
    }

    // ---- grants: C90, C93, C94 ----

    /// May a grant have answered a call, in this moment or before? Only what it covers, in its time, and an
    /// allowance only once its own answer was delivered, or beside its own call.
    fn grant_answers(&self, id: GrantId, tag: Tag, yes: bool) -> bool {
        let Some(given) = self.oracle.given(id) else { return false };
        let listed = self.after.grants.get(id as usize - 1);
        let step = self.oracle.step(self.end);
        let beside = step.contains(&given.by) && step.contains(&tag);
        let live = listed.is_some_and(|listed| !listed.ended && (listed.active || beside));
        let refused = self.numbered(self.after).any(|(other, listed)| {
            let Some(given) = self.oracle.given(other).filter(|given| !given.yes) else { return false };
            listed.active && !self.has_newer(given) && self.oracle.covers(given, tag, self.end).0
        });
        given.yes == yes
            && live
            && self.oracle.covers(given, tag, self.end).1
            && !refused
            && !self.is_over(given.until)
            && !self.oracle.taken_back_since(tag, given.at).0
    }

    /// Is there a newer word of a person about the same calls? It counts in the place of the older one.
    fn has_newer(&self, given: Given) -> bool {
        self.numbered(self.after).any(|(other, listed)| {
            let newer = self.oracle.given(other).filter(|_| other > given.id && !listed.ended);
            newer.is_some_and(|newer| self.oracle.same_cover(given, newer))
        })
    }

    fn numbered<'a>(&self, page: &'a Page) -> impl Iterator<Item = (GrantId, &'a Listed)> {
        (1..).zip(&page.grants)
    }

    /// A call of the last step that asks is answered by the grant that covers it, if there is one.
    fn granted(&mut self, part: &Shown, card: Card) -> Verdict {
        if !part.asks || self.oracle.stopped(self.end) || !self.oracle.pace.attended {
            return Ok(());
        }
        let speaks = |(id, listed): &(GrantId, &Listed)| {
            let Some(given) = self.oracle.given(*id) else { return false };
            listed.active
                && !self.is_over(given.until)
                && self.oracle.covers(given, part.tag, self.end).0
                && !self.oracle.taken_back_since(part.tag, given.at).1
                && !self.has_newer(given)
        };
        let found: Vec<(GrantId, bool)> =
            self.numbered(self.after).filter(speaks).map(|(id, listed)| (id, listed.yes)).collect();
        if found.is_empty() {
            return Ok(());
        }
        self.counted.push("a grant has answered");
        holds(Law::Grants, !card.asks, || format!("{part:?} asks, and {found:?} answer it"))?;
        // C93: a refusal before an allowance.
        let refused = found.iter().any(|&(_, yes)| !yes) && card.who == Some(Who::Grant) && !card.final_;
        holds(Law::Grants, !refused || card.says == Some(false), || {
            format!("{part:?} is refused, and is {card:?}")
        })
    }

    fn grants(&mut self) -> Verdict {
        let count = self
            .oracle
            .history
            .iter()
            .filter(|(_, event)| matches!(event, Event::Decided { grant, .. } if *grant > 0));
        let (is, want) = (self.after.grants.len(), count.count());
        holds(Law::Grants, is == want, || format!("{is} grants, and not {want}"))?;
        for (id, listed) in (1..).zip(&self.after.grants) {
            let was = self.before.grants.get(id as usize - 1);
            if was == Some(listed) && listed.ended {
                continue;
            }
            let Some(given) = self.oracle.given(id) else { continue };
            if was.is_none() {
                self.counted.push("a grant was given");
            }
            let same = (given.yes, given.tool, given.until) == (listed.yes, listed.tool, listed.until);
            holds(Law::Grants, same, || format!("grant {id} is {listed:?}, and was given as {given:?}"))?;
            let owner = self.oracle.last_card(given.by);
            let own = owner.is_some_and(|card| {
                (card.who, card.grant) == (Some(Who::Person), id) && !(card.gone && given.yes)
            });
            if listed.ended && was.is_none_or(|was| !was.ended) {
                holds(Law::Grants, self.may_end(id), || format!("grant {id} has ended without a cause"))?;
            }
            if !listed.ended {
                let over = self.after.timer && self.is_over(given.until);
                holds(Law::Grants, !over, || format!("grant {id} goes on after its end"))?;
                // C90: what was not delivered stands and falls with the word that gave it.
                let delivered = self.delivered(id);
                holds(Law::Grants, own || delivered, || {
                    format!("grant {id} goes on, and {owner:?} does not")
                })?;
            }
            let active = match given.yes {
                true => self.delivered(id),
                false => own && owner.is_some_and(|card| card.final_) || self.delivered(id),
            };
            holds(Law::Grants, !listed.active || (active && !listed.ended), || {
                format!("grant {id} is {listed:?}, and its own answer is {owner:?}")
            })?;
            let must = active && !listed.ended && (!given.yes || own);
            holds(Law::Grants, !must || listed.active, || {
                format!("grant {id} is {listed:?}, and was delivered")
            })?;
        }
        Ok(())
    }

    /// Has the response to a request started that carried the answer with which a grant was given?
    fn delivered(&self, id: GrantId) -> bool {
        let Some(given) = self.oracle.given(id) else { return false };
        let requests = self.oracle.carrying(given.by, given.yes, given.at);
        let started = |(_, event): &(Time, Event)| matches!(event, Event::Started(r) if requests.contains(r));
        self.oracle.history[given.at..self.end].iter().any(started)
    }

    fn may_end(&self, id: GrantId) -> bool {
        let Some(given) = self.oracle.given(id) else { return false };
        let revoked = self.any(|event| match event {
            Event::Revoked { grant, reply: Reply::Done(_) } => grant.is_none_or(|grant| grant == id),
            _ => false,
        });
        let owner = self.after.cards.get(&given.by);
        let said =
            |card: &Card| (card.who, card.grant) == (Some(Who::Person), id) && !(card.gone && given.yes);
        let orphan = !owner.is_some_and(said);
        let over = self.is_over(given.until);
        let newer = self.numbered(self.after).any(|(other, _)| {
            let newer = self.oracle.given(other).filter(|_| other > id);
            newer.is_some_and(|newer| self.oracle.same_cover(given, newer))
        });
        // Its own card may ask again, and say something else, within one moment.
        let again = self.listed(given.by).is_some() || !self.delivered(id);
        revoked || over || newer || (orphan && again)
    }

    // ---- the batch ----

    fn batch(&mut self) -> Verdict {
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

    /// How often a call like this one has been refused, by anybody but time or a message: where a call has shown
    /// more than one input, it is left open of which of them a refusal was.
    fn refusals(&self, tag: Tag) -> (u32, u32) {
        let oracle = self.oracle;
        let shown = |tag: Tag| {
            let lists = oracle.lists(self.end).flat_map(|(_, parts, _)| parts);
            let mut shown: Vec<_> = lists.filter(|p| p.tag == tag).map(|p| (p.tool, p.content)).collect();
            shown.dedup();
            shown
        };
        let like = shown(tag);
        let mut last = &Page::default();
        let (mut least, mut most) = (0, 0);
        for (_, event) in &oracle.history {
            let Event::Shown(page) = event else { continue };
            for (&other, card) in &page.cards {
                let was = last.cards.get(&other).and_then(Card::answer);
                let counts = matches!(card.who, Some(Who::Person | Who::Grant | Who::Nobody));
                if card.answer() != Some(false) || was == Some(false) || !counts {
                    continue;
                }
                // Of a call that has not asked before this page, nobody was refused anything.
                let asked = [tag, other].iter().all(|&tag| oracle.question(tag, self.end).is_some());
                let other = shown(other);
                least += u32::from(asked && like.len() == 1 && other == like);
                most += u32::from(other.iter().any(|shown| like.contains(shown)));
            }
            last = page;
        }
        (least, most)
    }
}

fn sorted(tags: &[Tag]) -> Vec<Tag> {
    let mut tags = tags.to_vec();
    tags.sort_unstable();
    tags
}
