//! C90, C93 and C94: what a grant covers, when it answers and when it ends.

use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::id::GrantId;

use super::super::decision_harness::Law;
use super::super::oracle::{Card, Carried, Event, Given, Listed, Page, Reply, Shown, Tag, Who};
use super::{Moment, Verdict, holds};

impl Moment<'_> {
    /// Whether a grant may have answered a call by now: only a call that it covers, during its lifetime, and
    /// with an allowance only after its own answer was delivered, or in the batch of its own call.
    pub(super) fn grant_answers(&self, id: GrantId, tag: Tag, yes: bool) -> bool {
        let Some(given) = self.oracle.given(id) else { return false };
        let listed = self.after.grants.get(id.0 as usize - 1);
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

    /// Whether there is a newer decision of a person about the same calls, which counts instead of the older
    /// one.
    pub(super) fn has_newer(&self, given: Given) -> bool {
        self.numbered(self.after).any(|(other, listed)| {
            let newer = self.oracle.given(other).filter(|_| other > given.id && !listed.ended);
            newer.is_some_and(|newer| self.oracle.same_cover(given, newer))
        })
    }

    pub(super) fn numbered<'a>(&self, page: &'a Page) -> impl Iterator<Item = (GrantId, &'a Listed)> {
        (1..).map(GrantId).zip(&page.grants)
    }

    /// A call of the last step that asks is answered by the grant that covers it, if there is one.
    pub(super) fn granted(&mut self, part: &Shown, card: Card) -> Verdict {
        if !part.asks || self.oracle.stopped(self.end) || !self.oracle.policy.attended {
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
        // C93: a denial goes before an allowance.
        let refused = found.iter().any(|&(_, yes)| !yes) && card.who == Some(Who::Grant) && !card.final_;
        holds(Law::Grants, !refused || card.says == Some(false), || {
            format!("{part:?} is refused, and is {card:?}")
        })
    }

    pub(super) fn grants(&mut self) -> Verdict {
        let count = self
            .oracle
            .history
            .iter()
            .filter(|(_, event)| matches!(event, Event::Decided { grant, .. } if *grant > GrantId::NONE));
        let (is, want) = (self.after.grants.len(), count.count());
        holds(Law::Grants, is == want, || format!("{is} grants, and not {want}"))?;
        for (id, listed) in (1..).map(GrantId).zip(&self.after.grants) {
            let was = self.before.grants.get(id.0 as usize - 1);
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
                // C90: an undelivered grant depends on the answer with which it was given.
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
            let must = if given.yes { own && self.surely_delivered(id) } else { active };
            let must = must && !listed.ended;
            holds(Law::Grants, !must || listed.active, || {
                format!("grant {id} is {listed:?}, and was delivered")
            })?;
        }
        Ok(())
    }

    /// Whether the response to the request has started that carried the answer with which a grant was given.
    pub(super) fn delivered(&self, id: GrantId) -> bool {
        let Some(given) = self.oracle.given(id) else { return false };
        let requests = self.oracle.carrying(given.by, given.yes, given.at);
        let started = |(_, event): &(Time, Event)| matches!(event, Event::Started(r) if requests.contains(r));
        self.oracle.history[given.at..self.end].iter().any(started)
    }

    /// The same, if it is certain that this request has sent the answer. "A response to that request has
    /// started" leaves open what the response to another request means that has overtaken it with the same
    /// messages.
    fn surely_delivered(&self, id: GrantId) -> bool {
        let Some(given) = self.oracle.given(id) else { return false };
        let carries = |part: &Carried| part.tag == given.by && part.says == Some(given.yes);
        let mut sent = None;
        for (_, event) in &self.oracle.history[given.at..self.end] {
            match event {
                Event::Requested { request, wire, .. } if wire.iter().any(carries) => {
                    sent = sent.or(Some(*request));
                }
                Event::Started(request) if sent == Some(*request) => return true,
                Event::Over(request, _) if sent == Some(*request) => sent = None,
                _ => {}
            }
        }
        false
    }

    pub(super) fn may_end(&self, id: GrantId) -> bool {
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
        // Its own card may ask again, and get another answer, within one moment.
        let again = self.listed(given.by).is_some() || !self.delivered(id);
        revoked || over || newer || (orphan && again)
    }
}
