//! Answers given without a person at the screen: by grants, by rules, and as denials when nobody attends.

use super::{Guard, Returned, Transaction};
use crate::core::call::Call;
use crate::core::clock::Time;
use crate::core::decision::{Actor, Choice, Decision, Effect, Refusal, Ruling};
use crate::core::event::Event;
use crate::core::grant::{self, Cover, Fingerprint, Grant, Stage, Tool};
use crate::core::id::{CallId, GrantId, StringId};
use crate::core::row::{Crosses, Rows, Shape};

/// The calls that a lasting choice is to cover, before the fingerprint is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// Every call of the tool.
    Tool,
    /// Calls with the same values in these fields, or, for 0, with the same whole input.
    Fields(StringId),
}

impl Crosses for Covers {
    const SHAPE: Shape = Shape::Number;

    fn read(rows: &mut Rows) -> Option<Self> {
        let fields = rows.number();
        Some(if fields < 0.0 { Self::Tool } else { Self::Fields(StringId(fields as u32)) })
    }

    fn write(&self, to: &mut Vec<f64>) {
        to.push(match *self {
            Self::Tool => -1.0,
            Self::Fields(fields) => fields.into(),
        });
    }
}

/// The calls that a lasting choice about a call would answer.
#[derive(Debug, Default)]
pub struct Coverage {
    /// The waiting calls that it would answer, itself included. A denial may also replace allowances that were
    /// drafted by grants.
    pub calls: Vec<CallId>,
    /// Whether such a choice about any of them would answer the same ones.
    pub mutual: bool,
}

impl Guard {
    /// The calls that such a lasting choice about this call would answer now. Empty if it would be refused.
    pub fn covered(&self, id: CallId, covers: Covers) -> Coverage {
        let refused = self.unattended(id) || self.refusal(id, Choice::DenyChat).is_some();
        let cover = self.cover(id, covers).filter(|_| !refused);
        let Some((tool, cover)) = self.tool(id).zip(cover) else { return Coverage::default() };
        let new = Grant::new(true, tool, cover, Some(id));
        let waits = |id: CallId| self.call(id).is_some_and(Call::undecided);
        let answers = |id: CallId| {
            // A denial of other calls goes before a new grant, also where a person has undone it.
            let denies = |(number, old): (GrantId, &Grant)| {
                !old.approved
                    && !old.concerns_the_same(&new)
                    && self.applies(number, old, id, self.clock.time())
            };
            waits(id)
                && self.tool(id).is_some_and(|tool| new.covers(tool, self.fingerprints(id)))
                && self.open_to_grants(id)
                && !self.state().standing().any(denies)
        };
        let rows = self.list.step.rows.iter().map(|&(other, _)| other);
        let calls = rows.filter(|&other| answers(other) || (other == id && waits(id))).collect();
        Coverage { calls, mutual: answers(id) }
    }

    /// Whether a grant may answer the call. After a stop, a call asks even if a grant covers it.
    fn open_to_grants(&self, id: CallId) -> bool {
        self.call(id).is_some_and(|call| {
            let open = call.draft().is_none_or(|draft| draft.decision.actor == Actor::Grant);
            let always = call.ruling().is_some_and(|ruling| ruling.always);
            let waits = call.asking() && !call.only_by_person() && !call.gone();
            waits && open && !self.begins(id) && !self.state().stopped && !always
        })
    }

    /// Whether a grant holds for a call now.
    fn applies(&self, number: GrantId, grant: &Grant, id: CallId, now: Time) -> bool {
        let beside = |call| self.is_in_last_step(call);
        // The cheapest check comes first.
        self.tool(id).is_some_and(|tool| grant.covers(tool, self.fingerprints(id)))
            && !grant.over(now)
            && (grant.active() || (grant.call.is_some_and(beside) && beside(id)))
            && self.newer(number).is_none()
    }

    /// The fingerprint of the whole input of a call; 0 if there is none or it is not known.
    pub fn fingerprint(&self, id: CallId) -> Fingerprint {
        self.fingerprints(id)
            .iter()
            .find(|(fields, _)| fields.is_none())
            .map_or(0, |&(_, fingerprint)| fingerprint)
    }

    /// The tool of a call, as its part was last seen.
    pub(super) fn tool(&self, id: CallId) -> Option<Tool> {
        let (call, seen) = self.known(id)?;
        Some(Tool { name: call.tool(), server: seen.part.server })
    }

    pub(super) fn fingerprints(&self, id: CallId) -> &[(StringId, Fingerprint)] {
        self.seen.get(id).map_or(&[], |seen| &seen.fingerprints)
    }

    pub(super) fn cover(&self, id: CallId, covers: Covers) -> Option<Cover> {
        match covers {
            Covers::Tool => Some(Cover::Tool),
            Covers::Fields(fields) => {
                let known = self.fingerprints(id).iter().find(|(known, _)| *known == fields)?;
                (known.1 != 0).then_some(Cover::Fields(fields, known.1))
            }
        }
    }

    /// The grant that would answer a call of this tool that asks from now on. A call of the batch in which it was given
    /// may be answered sooner. Rules, and an undo of that call, go before it.
    pub fn granted(&self, tool: Tool, fingerprints: &[(StringId, Fingerprint)]) -> Option<GrantId> {
        let applies = |(number, grant): &(GrantId, &Grant)| {
            let holds = grant.active() && !grant.over(self.clock.time());
            grant.covers(tool, fingerprints) && holds && self.newer(*number).is_none()
        };
        grant::answering(self.state().standing().filter(applies)).map(|(grant, _)| grant)
    }

    /// Whether the call has begun again, so that its question no longer stands.
    pub(super) fn begins(&self, id: CallId) -> bool {
        self.seen.get(id).is_some_and(|seen| seen.part.begins())
    }

    /// Whether the call is denied because nobody attends.
    fn unattended(&self, id: CallId) -> bool {
        let asks = |call: &Call| {
            call.undecided() && !call.only_by_person() && !call.gone() && !call.allowed_by_rule()
        };
        !self.options.policy.attended && self.call(id).is_some_and(asks)
    }

    /// The newest grant about the same calls, if it is newer than this one.
    pub(super) fn newer(&self, grant: GrantId) -> Option<GrantId> {
        let old = self.state().grant(grant)?;
        let newer = |&(id, other): &(GrantId, &Grant)| id > grant && other.concerns_the_same(old);
        self.state().standing().filter(newer).map(|(id, _)| id).last()
    }
}

impl Transaction<'_> {
    pub(super) fn fingerprint(&mut self, call: CallId, fields: StringId, fingerprint: Fingerprint) {
        if let Some(seen) = self.guard.seen.get_mut(call) {
            seen.fingerprints.retain(|&(known, _)| known != fields);
            seen.fingerprints.push((fields, fingerprint));
        }
    }

    pub(super) fn grant(&mut self, call: CallId, approved: bool, cover: Cover, until: Option<Time>) {
        let Some(tool) = self.guard.tool(call) else { return };
        let grant = self.put_in_force(Grant { until, ..Grant::new(approved, tool, cover, Some(call)) });
        self.answer_step();
        let drafted = |&&id: &&CallId| {
            self.guard.draft_of(id).is_some_and(|draft| draft.decision.grant == grant && id != call)
        };
        let also = self.guard.list.step.rows.iter().map(|(id, _)| id).filter(drafted).copied().collect();
        self.acting.answered = also;
    }

    /// Says which grant would answer a call of this tool.
    pub(super) fn granted(&mut self, tool: Tool, fingerprints: &[(StringId, Fingerprint)]) {
        self.expire_due();
        let grant = self.guard.granted(tool, fingerprints).unwrap_or_default();
        self.returns(Returned::Granted(grant));
    }

    /// Puts a grant in force; returns its number.
    pub(super) fn put_in_force(&mut self, grant: Grant) -> GrantId {
        let id = self.guard.state().last_grant().next();
        self.guard.timers.arm(grant.until);
        self.append(Event::granted(id, &grant));
        id
    }

    /// Answers the waiting calls of the step by the existing grants. A draft made by a grant is decided
    /// again, because a person may have given a denial or a newer grant since.
    pub(super) fn answer_step(&mut self) {
        if self.guard.state().standing.is_empty() {
            return;
        }
        let rows = self.guard.step_calls();
        for id in rows {
            self.answer_by_grant(id);
        }
    }

    /// Answers a call that asks, if no person has to be asked.
    pub(super) fn answer_by_itself(&mut self, id: CallId) {
        self.ask_by_rule(id);
        self.deny_by_rule(id);
        self.deny_unattended(id);
        self.answer_by_grant(id);
        self.allow_by_rule(id);
    }

    /// Denies a call when nobody attends. The actor is not a person.
    pub(super) fn deny_unattended(&mut self, id: CallId) {
        if self.guard.unattended(id) {
            self.draft(id, Decision::new(false, Actor::Unattended));
        }
    }

    /// Answers a call by a grant. After a stop, a call asks even if a grant covers it.
    pub(super) fn answer_by_grant(&mut self, id: CallId) {
        let guard = &*self.guard;
        let Some(call) = guard.call(id).filter(|_| guard.open_to_grants(id)) else { return };
        let applies = |&(number, grant): &(GrantId, &Grant)| guard.applies(number, grant, id, self.time);
        // After an undo, only a grant given later may answer the call.
        let found = grant::answering(guard.state().standing().filter(applies));
        let found = found.filter(|&(grant, _)| grant > call.grants_ignored_up_to());
        let draft = call.draft().map(|draft| draft.decision);
        let Some((grant, approved)) = found else { return };
        if approved && !guard.can_be_allowed(call) {
            return;
        }
        let decision = Decision::with_grant(approved, Actor::Grant, grant);
        // Law 7: an allowance replaces no drafted denial.
        if draft.is_some_and(|draft| draft == decision || (approved && !draft.approved)) {
            return;
        }
        if draft.is_some() {
            self.append(Event::undone(id, GrantId::NONE, Actor::Grant));
        }
        self.draft(id, decision);
    }

    /// Ends a grant. Calls that it drafted ask again.
    pub(super) fn end_grant(&mut self, grant: GrantId, actor: Actor) {
        self.append(Event::grant_ended(grant, actor));
        for call in self.guard.state().live.clone() {
            if self
                .guard
                .draft_of(call)
                .is_some_and(|d| d.decision.grant == grant && d.decision.actor == Actor::Grant)
            {
                self.append(Event::undone(call, GrantId::NONE, actor));
                self.acting.undone.push(call);
            }
        }
    }

    /// Ends the older grants about the same calls when the answer of a new grant is committed.
    pub(super) fn end_older(&mut self, decision: Decision) {
        let newest = decision.grant;
        if newest.is_none() || !decision.actor.deliberates() {
            return;
        }
        let older = |&id: &GrantId| id < newest && self.guard.newer(id) == Some(newest);
        let older: Vec<GrantId> = self.guard.state().standing.iter().copied().filter(older).collect();
        for grant in older {
            self.end_grant(grant, Actor::Person);
        }
    }

    /// Ends the grants whose own answer was taken back before it was delivered: they count as never given
    /// (C90).
    pub(super) fn end_orphans(&mut self, call: CallId, actor: Actor) {
        let answer = self.guard.call(call).and_then(|call| call.answer());
        let gone = self.guard.call(call).is_some_and(|call| call.gone());
        let orphan = |id: GrantId, grant: &Grant| {
            let has_answered =
                answer.is_some_and(|answer| answer.grant == id && answer.approved == grant.approved);
            grant.call == Some(call)
                && grant.stage != Stage::Delivered
                && (!has_answered || (gone && grant.approved))
        };
        let standing = self.guard.state().standing();
        let orphans: Vec<GrantId> =
            standing.filter(|&(id, grant)| orphan(id, grant)).map(|(id, _)| id).collect();
        for grant in orphans {
            self.end_grant(grant, actor);
        }
    }

    pub(super) fn revoke(&mut self, grant: GrantId, actor: Actor) {
        self.expire_due();
        if self.guard.state().stands(grant) {
            self.end_grant(grant, actor);
            self.again();
        } else {
            self.refuse(None, false, Refusal::UnknownGrant);
        }
    }

    pub(super) fn revoke_all(&mut self) {
        self.expire_due();
        for grant in self.guard.state().standing.clone() {
            self.end_grant(grant, Actor::Person);
        }
        self.again();
    }
}

/// Answers by rules. A denial goes before everything else; an allowance applies only if nothing else
/// answered.
impl Transaction<'_> {
    /// Takes the ruling on a call that asks.
    pub(super) fn rule_evaluated(&mut self, call: CallId, ruling: Ruling) {
        let changes =
            self.guard.call(call).is_some_and(|known| known.asking() && known.ruling() != Some(ruling));
        if changes {
            self.append(Event::rule_evaluated(call, ruling));
        }
    }

    /// Undoes drafts of rules and grants: when the rules have become stricter since, or when another call
    /// asks with the same approval id.
    pub(super) fn ask_by_rule(&mut self, id: CallId) {
        let calls: Vec<CallId> = self.guard.sharing_approval(id).chain([id]).collect();
        let is_shared = calls.len() > 1;
        for call in calls {
            let Some((ruling, Some(draft))) = self.ruling(call) else { continue };
            let is_over = match draft.actor {
                Actor::Rule => ruling.effect != Effect::Allow || is_shared,
                Actor::Grant => ruling.always,
                _ => false,
            };
            if draft.approved && is_over {
                // If two calls share an approval id, the server has changed something, not the rules.
                let by_rule = draft.actor != Actor::Rule || ruling.effect != Effect::Allow;
                let actor = if by_rule { Actor::Rule } else { Actor::Server };
                self.append(Event::undone(call, GrantId::NONE, actor));
            }
        }
    }

    /// Denies a call by a rule. The denial replaces any draft, even a person's (C93).
    pub(super) fn deny_by_rule(&mut self, id: CallId) {
        let Some((ruling, drafted)) = self.ruling(id) else { return };
        let is_denied = drafted.is_some_and(|draft| !draft.approved && draft.actor != Actor::Grant);
        if ruling.effect != Effect::Deny || is_denied {
            return;
        }
        if drafted.is_some() {
            self.append(Event::undone(id, GrantId::NONE, Actor::Rule));
        }
        self.draft(id, Decision::by_rule(false, ruling.rule));
    }

    /// Allows a call by a rule. This replaces no other answer, and does not apply after a stop or an undo.
    pub(super) fn allow_by_rule(&mut self, id: CallId) {
        let Some((ruling, None)) = self.ruling(id) else { return };
        let was_undone = self.guard.call(id).is_some_and(|call| call.grants_ignored_up_to().is_some());
        // One answer would answer both calls.
        let can_be = self.guard.call(id).is_some_and(|call| self.guard.can_be_allowed(call));
        let is_free = !self.guard.state().stopped && !was_undone && can_be && !self.guard.shares_approval(id);
        if ruling.effect == Effect::Allow && is_free {
            self.draft(id, Decision::by_rule(true, ruling.rule));
        }
    }

    /// The ruling on a call that can still be answered, and its draft.
    fn ruling(&self, id: CallId) -> Option<(Ruling, Option<Decision>)> {
        let call = self.guard.call(id)?;
        let open = call.asking() && call.decision().is_none() && !call.gone() && !self.guard.begins(id);
        let ruling = call.ruling().filter(|_| open && !call.only_by_person())?;
        Some((ruling, call.draft().map(|draft| draft.decision)))
    }
}
