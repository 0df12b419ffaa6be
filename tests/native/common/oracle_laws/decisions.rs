//! The decisions, undos, extensions and revocations of a person, and their results.

use tool_approval_guard::core::decision::{Choice, Refusal};
use tool_approval_guard::core::guard::Covers;
use tool_approval_guard::core::id::GrantId;

use super::super::decision_harness::Law;
use super::super::oracle::{Card, Reply, Tag, Who};
use super::{Moment, Verdict, holds, sorted};

impl Moment<'_> {
    /// The reasons for which a decision may be refused; there may be several.
    pub(super) fn reasons(&self, tag: Tag) -> Vec<Refusal> {
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

    pub(super) fn decided(
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
        // A denial after the deadline is a person's late denial.
        let late = !yes && reasons == [Refusal::Expired];
        let is_last = self.oracle.step(self.start).contains(&tag);
        if late {
            reasons.clear();
            // No request can carry it any more.
            if !is_last && was.is_some_and(|was| was.draft().is_some()) {
                reasons.push(Refusal::Unreachable);
            }
        } else {
            if !is_last {
                reasons.push(Refusal::Unreachable);
            }
            // A response that runs may still repeat the question. Law 14: otherwise what asks can be decided.
            let runs = !self.oracle.running(self.start).is_empty();
            if self.listed_before(tag).is_none_or(|part| part.begins && runs) {
                reasons.push(Refusal::NotAsking);
            }
            // "First answer wins; deny wins a tie."
            let drafted = was.and_then(|was| was.draft());
            let unattended = !self.oracle.policy.attended;
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
            return Ok(()); // time is applied first, and an allowance still needs its cause
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
            // An expired draft may not have been committed yet.
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
        holds(Law::Grants, (grant > GrantId::NONE) == choice.lasts(), || {
            format!("{choice:?} has given {grant}")
        })?;
        let answered =
            |card: &Card| card.who == Some(Who::Grant) && card.grant == grant && grant > GrantId::NONE;
        let by_it = self.after.cards.iter().filter(|(_, card)| answered(card)).map(|(&tag, _)| tag);
        let (Reply::Done(said) | Reply::Late(said)) = reply else { return Ok(()) };
        holds(Law::Grants, sorted(said) == by_it.collect::<Vec<_>>(), || {
            format!("{choice:?} of {tag} said that it has answered {said:?}")
        })
    }

    pub(super) fn undone(&mut self, of: Option<Vec<Tag>>, reply: &Reply) -> Verdict {
        let step = self.oracle.step(self.start);
        let undoable = |tag: Tag| {
            let was = self.was(tag);
            was.is_some_and(|was| {
                was.undoable() && !was.gone && !(was.says == Some(true) && self.is_over(was.deadline))
            })
        };
        let tags: Vec<Tag> = of.unwrap_or(step).into_iter().filter(|&tag| undoable(tag)).collect();
        if self.time_passes() {
            return Ok(()); // a grant may have ended, along with its drafts
        }
        // A grant that ends now also undoes its drafts.
        let ends = tags.iter().all(|&tag| {
            let was = self.was(tag).filter(|was| was.who == Some(Who::Grant));
            was.is_some_and(|was| self.ended(was.grant))
        });
        let Reply::Done(said) = reply else {
            return holds(Law::UndoUntilSent, tags.is_empty() || ends, || {
                format!("an undo of {tags:?} led to {reply:?}")
            });
        };
        holds(Law::UndoUntilSent, !tags.is_empty(), || "an undo of nothing was taken".to_owned())?;
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

    /// The calls that are said to ask again were decided and ask now.
    pub(super) fn asks_again(&self, said: &[Tag]) -> Verdict {
        let asks = |(tag, card): &(&Tag, &Card)| {
            card.asks && self.was(**tag).is_some_and(|was| was.draft().is_some())
        };
        let asking: Vec<Tag> = self.after.cards.iter().filter(asks).map(|(&tag, _)| tag).collect();
        holds(Law::UndoUntilSent, sorted(said) == asking, || {
            format!("{said:?} were told to ask again, and {asking:?} do")
        })
    }

    pub(super) fn extended(&self, tag: Tag, reply: &Reply) -> Verdict {
        let mut reasons = self.reasons(tag);
        if let Some(was) = self.was(tag).filter(|was| was.deadline.is_none()) {
            let _ = was;
            reasons.push(Refusal::NoDeadline);
        }
        match reply {
            Reply::Refused(Refusal::NoDeadline) => Ok(()), // the last annotation may have removed the limit
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

    pub(super) fn revoked(&mut self, grant: Option<GrantId>, reply: &Reply) -> Verdict {
        let lives = |id: &GrantId| {
            let listed = id.0.checked_sub(1).and_then(|at| self.before.grants.get(at as usize));
            listed.is_some_and(|listed| !listed.ended && !self.is_over(listed.until))
        };
        let ids: Vec<GrantId> = match grant {
            Some(id) => [id].into_iter().filter(lives).collect(),
            None => (1..=self.before.grants.len() as u32).map(GrantId).filter(lives).collect(),
        };
        let Reply::Done(said) = reply else {
            // The answer with which it was given may have expired first.
            let none = ids.is_empty() || self.time_passes();
            let right = *reply == Reply::Refused(Refusal::UnknownGrant) && none && grant.is_some();
            return holds(Law::Grants, right, || format!("a revocation of {grant:?} led to {reply:?}"));
        };
        holds(Law::Grants, grant.is_none() || !ids.is_empty(), || format!("{grant:?} was revoked"))?;
        for id in ids {
            self.counted.push("a grant was revoked");
            holds(Law::Grants, self.ended(id), || format!("{id} was revoked, and goes on"))?;
        }
        self.asks_again(said)
    }
}
