//! Laws 4, 5 and 7: every allowance has a cause, an answer stands, and an answer in the messages counts.

use tool_approval_guard::core::id::GrantId;

use super::super::decision_harness::Law;
use super::super::oracle::{Card, Event, Reply, Tag, Who};
use super::{Moment, Verdict, holds};

impl Moment<'_> {
    pub(super) fn yes_has_a_cause(&mut self, tag: Tag, before: Option<Card>, after: Card) -> Verdict {
        if after.says != Some(true) {
            return Ok(());
        }
        self.counted.push("an allowance was given");
        // An answer that came with a grant holds only for its own call once the grant has ended.
        let said = before.is_some_and(|was| {
            let grant = was.grant == after.grant || (after.grant.is_none() && self.ended(was.grant));
            was.says == Some(true) && was.who == after.who && grant
        });
        let caused = said
            || match after.who {
                Some(Who::Person) => self.person_allowed(tag, before),
                Some(Who::Grant) => self.grant_answers(after.grant, tag, true),
                // "History is what the first `attach` finds." If the server wrote an output, it allowed the
                // call itself.
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
        // Undo until sent: a draft becomes an answer by a commit, or by a click in the chat.
        let committed = before.is_none_or(|was| was.answer() != Some(true)) && after.final_;
        let cause = !committed || !said || self.was_committed(tag) || self.clicked(tag, true);
        holds(Law::UndoUntilSent, cause, || format!("{tag} is {after:?}, and nothing has committed it"))
    }

    pub(super) fn clicked(&self, tag: Tag, yes: bool) -> bool {
        let heard =
            |event: &Event| matches!(event, Event::Clicked { tag: t, yes: y } if (*t, *y) == (tag, yes));
        self.any(heard) || (self.newly_says(tag, yes) && (!yes || self.shows_its_question(tag)))
    }

    pub(super) fn person_allowed(&self, tag: Tag, before: Option<Card>) -> bool {
        let chosen = |event: &Event| matches!(event, Event::Decided { tag: t, choice, reply: Reply::Done(_), .. } if *t == tag && choice.allows());
        let in_time = before.is_none_or(|card| card.answer().is_some() || !self.is_over(card.deadline));
        in_time && self.oracle.policy.attended && (self.any(chosen) || self.clicked(tag, true))
    }

    pub(super) fn was_committed(&self, tag: Tag) -> bool {
        self.any(|event| match event {
            Event::Committed { reply: Reply::Done(tags), .. } => tags.contains(&tag),
            // A message of a person commits drafted denials.
            Event::Requested { automatic: false, .. } => {
                self.was(tag).is_some_and(|was| was.draft() == Some(false))
            }
            _ => false,
        })
    }

    pub(super) fn lost_word_has_a_cause(&mut self, tag: Tag, before: Option<Card>, after: Card) -> Verdict {
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

    pub(super) fn answer_may_be_lost(&self, tag: Tag, yes: bool) -> bool {
        let part = self.listed(tag);
        // "With another input the answer is void and the call asks again."
        let void = self.shows_another_input(tag) && part.is_some_and(|part| part.says != Some(false) || yes);
        if !yes {
            // "Until a request carried it, a newer answer in the messages counts."
            return void || (self.newly_says(tag, true) && !self.was_carried(tag));
        }
        // A call that asks again after it had its output asks for another run.
        let again = part.is_some_and(|part| part.asks)
            && self
                .oracle
                .lists(self.start)
                .any(|(_, parts, _)| parts.iter().any(|part| part.tag == tag && part.output));
        let moves_on =
            self.any(|event| matches!(event, Event::Requested { automatic: false, person: true, .. }));
        // "An allowance that a later step or message stands behind leaves as `output-denied` in every request."
        let end = self.oracle.history.len();
        let is_behind = !self.oracle.step(end).contains(&tag) && part.is_none_or(|part| !part.output);
        let left = is_behind && self.any(|event| matches!(event, Event::Requested { .. }));
        let stops = self.any(|event| matches!(event, Event::Stopped)) && !self.was_carried(tag);
        // A call of a loaded chat may ask again, because the page has not answered it.
        let loaded = self.oracle.loaded(tag) && part.is_some_and(|part| part.asks);
        // Law 16: an earlier page may have sent what a loaded chat shows, and a bare continue repeats nothing.
        let continued = self.oracle.loaded(tag)
            && self.any(|event| matches!(event, Event::Requested { automatic: false, .. }));
        void || again || moves_on || left || stops || loaded || continued || self.newly_says(tag, false)
    }

    pub(super) fn draft_may_be_lost(&self, tag: Tag, was: Card, yes: bool) -> bool {
        // Nothing can send it from there, and each request closes it.
        let is_behind = !self.oracle.step(self.oracle.history.len()).contains(&tag);
        let undone = self.any(|event| match event {
            Event::Requested { .. } if is_behind => true,
            Event::Undone { tags, reply: Reply::Done(_) } => {
                tags.as_ref().is_none_or(|tags| tags.contains(&tag))
            }
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
        // C93: a denial goes before an allowance, and the newest decision of a person about the same calls
        // counts. Law 7: an allowance replaces no drafted denial.
        let is = self.after.cards[&tag];
        let newer = is.who == Some(Who::Grant) && (yes || is.says == Some(false));
        let ended = by_grant && (self.ended(was.grant) || newer);
        // A denial by time, or because nobody attends, cannot be undone.
        if was.undoable() { undone || again || gone || late || no || ended } else { again || gone }
    }

    pub(super) fn ended(&self, grant: GrantId) -> bool {
        self.after.grants.get(grant.0 as usize - 1).is_none_or(|listed| listed.ended)
    }
}
