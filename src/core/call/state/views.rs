//! The views of a call, read from its life.
//!
//! How far its answer or output has come, by its [`Delivery`]. Those with a star concern only an allowance without an output:
//!
//! |             | `fresh_answer`, `fresh_output` | `was_sent` | `was_delivered` | `failed_to_arrive` | `is_out`* | `unclear`* |
//! | ----------- | --- | --- | --- | --- | --- | --- |
//! | `Unsent`    | yes |     |     |     |     |     |
//! | `Sent`      |     | yes |     |     | yes |     |
//! | `Delivered` |     | yes | yes |     | yes |     |
//! | `Arrived`   |     | yes | yes |     | yes | yes |
//! | `Failed`    |     | yes |     | yes |     |     |
//! | `Doubt`     |     | yes |     | yes | yes | yes |
//!
//! `was_sent_with` and `carried_by`* say it of one request, where it is `Sent` or `Delivered`.
//!
//! Whether it has run, or may have, before it asked (again): `ran` knows the output, `may_have_run` is of a call that asks,
//! `may_have_run_before` of one in any stage. `only_by_person` also says that a server has refused an allowance.
//! `ran_or_may_have` is what would be so if it asked now.
//!
//! Where its answer is from: `from_record`, or another tab (`elsewhere`); `unseen` is either. If that tab has claimed to send it, it
//! is `claimed_elsewhere`; if it allows and there is no output, `sent_elsewhere`*.

use super::question::Earlier;
use super::{Answered, Call, End, Life, Origin, OutputWait, PutOut, Question, Run, Transmission};
use crate::core::call::{Delivery, Digest};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Author, Decision, Draft, Effect, Outcome, Ruling};
use crate::core::id::{GrantId, RequestId, StringId};

impl Call {
    /// The name of the tool.
    pub fn tool(&self) -> StringId {
        self.tool
    }

    /// `toolCallId`
    pub fn id(&self) -> StringId {
        self.id
    }

    /// The approval id, or 0.
    pub fn approval(&self) -> StringId {
        self.approval
    }

    /// The question, if the call needs or needed approval.
    pub fn question(&self) -> Option<&Question> {
        match &self.life {
            Life::Open | Life::Abandoned(_) => None,
            Life::Asking(asking) => Some(&asking.question),
            Life::Allowed(answered) | Life::Denied(answered, _) => answered.question.as_ref(),
            Life::PutOut(put_out) => put_out.question.as_ref(),
        }
    }

    /// Whether it needs or needed approval.
    pub fn asked(&self) -> bool {
        self.question().is_some()
    }

    /// The time at which its question expires. Law 16: what may have run does not expire.
    pub fn deadline(&self) -> Option<Time> {
        self.question()?.deadline.filter(|_| matches!(self.earlier(), Earlier::None))
    }

    /// The time that its question may wait.
    pub fn lifetime(&self) -> Option<Time> {
        self.question()?.lifetime
    }

    /// Whether the application marks it as dangerous.
    pub fn dangerous(&self) -> bool {
        self.question().is_some_and(|question| question.dangerous)
    }

    /// The decision of the rules about it.
    pub fn ruling(&self) -> Option<Ruling> {
        self.question()?.ruling
    }

    /// Whether the warning before it expires was given.
    pub fn warned(&self) -> bool {
        self.question().is_some_and(|question| question.warned)
    }

    /// After an undo, only grants newer than this one may answer it.
    pub fn grants_ignored_up_to(&self) -> GrantId {
        self.question().map_or(GrantId::NONE, |question| question.grants_ignored_up_to)
    }

    /// The digest of the input that needs or needed approval.
    pub fn input(&self) -> Digest {
        self.question().map_or(0, |question| question.input)
    }

    /// Whether its part has lost the question that the record still has.
    pub fn lost(&self) -> bool {
        self.question().is_some_and(|question| question.lost)
    }

    /// Whether the rules deny it.
    pub fn denied_by_rule(&self) -> bool {
        self.ruling().is_some_and(|ruling| ruling.effect == Effect::Deny)
    }

    /// Whether the rules allow it.
    pub fn allowed_by_rule(&self) -> bool {
        self.ruling().is_some_and(|ruling| ruling.effect == Effect::Allow)
    }

    /// The time that it has waited, or waited, for an answer; `None` if it never asked.
    pub fn waited(&self, now: Time) -> Option<Time> {
        let question = self.question()?;
        let here = now.saturating_sub(question.since);
        Some(question.waited_before.unwrap_or_default().saturating_add(here))
    }

    /// Whether a person has asked for the hidden parts of its input.
    pub fn unmasked(&self) -> bool {
        self.unmasked
    }

    /// The time that the page may take to run it.
    pub fn output_wait(&self) -> OutputWait {
        self.output_wait
    }

    /// Whether its message is no longer in the list.
    pub fn gone(&self) -> bool {
        self.gone
    }

    /// Whether it waits for a person's answer; a draft is not an answer.
    pub fn asking(&self) -> bool {
        matches!(self.life, Life::Asking(_))
    }

    /// Whether it waits for a decision.
    pub fn undecided(&self) -> bool {
        self.asking() && self.draft().is_none()
    }

    /// The answer to be given when the batch is committed.
    pub fn draft(&self) -> Option<Draft> {
        if let Life::Asking(asking) = &self.life { asking.draft } else { None }
    }

    /// Whether an answer was refused or withdrawn that the part may still show.
    pub fn answer_invalidated(&self) -> bool {
        matches!(&self.life, Life::Asking(asking) if asking.answer_invalidated)
    }

    /// The answer that stands.
    pub fn decision(&self) -> Option<Decision> {
        match &self.life {
            Life::Allowed(answered) => Some(answered.decision(true)),
            Life::Denied(answered, _) => Some(answered.decision(false)),
            Life::PutOut(put_out) => put_out.run.answer.map(|(decision, _)| decision),
            Life::Open | Life::Asking(_) | Life::Abandoned(_) => None,
        }
    }

    /// The answer that stands or is drafted.
    pub fn answer(&self) -> Option<Decision> {
        self.decision().or(self.draft().map(|draft| draft.decision))
    }

    /// The outcome of the answer that stands or is drafted. Law 16: that the first run is known says nothing of another one.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.life {
            Life::PutOut(PutOut { in_doubt: true, .. }) => Some(Outcome::SupersededInDoubt),
            _ => self.answer().map(|answer| answer.outcome().in_doubt(self.in_doubt_before())),
        }
    }

    /// The digest of the changed input that it was allowed with; 0 for the one that the model asked for.
    pub fn edit(&self) -> Digest {
        self.decision().filter(|decision| decision.approved).map_or(0, |decision| decision.edit)
    }

    /// Whether it was denied, by anyone.
    pub fn denied(&self) -> bool {
        self.decision().is_some_and(|decision| !decision.approved)
    }

    /// Whether it was allowed.
    pub fn allowed(&self) -> bool {
        self.decision().is_some_and(|decision| decision.approved)
    }

    /// Whether it is known who has allowed it. That it has an output, or was allowed before this page, says only that
    /// somebody has.
    pub fn surely_allowed(&self) -> bool {
        let is_known = |it: Decision| it.approved && !matches!(it.actor, Actor::Server | Actor::History);
        self.decision().is_some_and(is_known)
    }

    /// The author of its output, if it has a valid one.
    pub fn output(&self) -> Option<Author> {
        if let Life::PutOut(put_out) = &self.life { Some(put_out.run.author) } else { None }
    }

    /// The author of its output, if it has run and an older list asks about it again.
    pub fn ran(&self) -> Option<Author> {
        match (&self.life, self.earlier()) {
            (Life::PutOut(put_out), _) if put_out.is_put_back => Some(put_out.run.author),
            (_, Earlier::Ran(run)) => Some(run.author),
            _ => None,
        }
    }

    /// The call as it ran, if it has its output, or has run and asks again.
    pub fn as_run(&self) -> Option<Self> {
        let run = match (self.life, *self.earlier()) {
            (Life::PutOut(put_out), _) => put_out.run,
            (_, Earlier::Ran(run)) => run,
            _ => return None,
        };
        Some(Self {
            life: Life::PutOut(PutOut { question: None, run, is_put_back: false, in_doubt: false }),
            ..*self
        })
    }

    /// Law 16: whether only a person may answer its question, because a server has seen an earlier allowance.
    pub fn only_by_person(&self) -> bool {
        self.asking() && !matches!(self.earlier(), Earlier::None)
    }

    /// Whether it has run, or may have, although it asks.
    pub fn may_have_run(&self) -> bool {
        self.asking() && self.may_have_run_before()
    }

    /// Whether it has run, or may have, before its question.
    pub fn may_have_run_before(&self) -> bool {
        matches!(self.earlier(), Earlier::MayHaveRun | Earlier::Ran(_))
    }

    /// Whether a server has refused its allowance before its question.
    pub fn refused_before(&self) -> bool {
        *self.earlier() == Earlier::Refused
    }

    /// Whether a server that asks again asks about something that has run, or may have.
    pub fn ran_or_may_have(&self) -> bool {
        let earlier =
            if self.output().is_some() { self.earlier_after(RequestId::NONE) } else { *self.earlier() };
        matches!(earlier, Earlier::MayHaveRun | Earlier::Ran(_)) || self.unclear() || self.in_doubt_before()
    }

    /// Whether its output stands although the list that asks about it again does not show it.
    pub fn output_put_back(&self) -> bool {
        matches!(&self.life, Life::PutOut(put_out) if put_out.is_put_back)
    }

    /// The progress of its answer or output.
    pub fn delivery(&self) -> Delivery {
        self.transmission().delivery
    }

    /// Whether this page has closed it because the user moved on.
    pub fn superseded(&self) -> bool {
        match &self.life {
            Life::Abandoned(_) => true,
            Life::Denied(answered, _) => answered.is_superseded(),
            Life::Open | Life::Asking(_) | Life::Allowed(_) | Life::PutOut(_) => false,
        }
    }

    /// Whether it was closed, or sent again, while it was not known whether it had run.
    pub fn in_doubt_before(&self) -> bool {
        self.transmission().in_doubt_before
    }

    /// Whether its answer comes from the record of an earlier page.
    pub fn from_record(&self) -> bool {
        self.origin() == Some(Origin::Record)
    }

    /// Whether only the record knows of its answer.
    pub fn unseen(&self) -> bool {
        self.origin().is_some_and(|origin| origin != Origin::Here)
    }

    /// Whether it was answered in another tab, and this page does not send the answer.
    pub fn elsewhere(&self) -> bool {
        self.origin() == Some(Origin::OtherTab)
    }

    /// Whether another tab has claimed to send its answer.
    pub fn claimed_elsewhere(&self) -> bool {
        self.elsewhere() && self.delivery() == Delivery::Idle
    }

    /// Whether another tab has claimed to send its allowance, and there is no result yet.
    pub fn sent_elsewhere(&self) -> bool {
        self.claimed_elsewhere() && self.allowed_without_output()
    }

    /// Whether its denial is settled.
    pub fn denial_settled(&self) -> bool {
        matches!(self.life, Life::Denied(_, End::Taken | End::ClosedByUserMessage))
    }

    /// Whether a message of a person follows its denial.
    pub fn closed_by_user_message(&self) -> bool {
        matches!(self.life, Life::Denied(_, End::ClosedByUserMessage))
    }

    /// Whether it is not in the list, or no request can change it any more.
    pub fn is_final(&self) -> bool {
        self.gone || self.has_ended()
    }

    /// Whether no request can change it any more.
    pub fn has_ended(&self) -> bool {
        let delivered = self.was_delivered() || self.delivery() == Delivery::History;
        match &self.life {
            Life::Open | Life::Asking(_) | Life::Allowed(_) => false,
            Life::Denied(_, end) => *end != End::Open,
            Life::PutOut(put_out) => put_out.run.author == Author::Server || delivered,
            // It left as an error, which nothing settles.
            Life::Abandoned(_) => delivered,
        }
    }

    /// Whether it has an answer of this page that no request has carried.
    pub fn fresh_answer(&self) -> bool {
        matches!(self.life, Life::Allowed(_) | Life::Denied(..)) && self.delivery() == Delivery::Unsent
    }

    /// Whether it has an output of this page that no request has carried.
    pub fn fresh_output(&self) -> bool {
        self.output() == Some(Author::Page) && self.delivery() == Delivery::Unsent
    }

    /// Whether its step has waited for the output of this page that no request has carried.
    pub fn awaits_output(&self) -> bool {
        self.fresh_output() && !self.is_put_out_again()
    }

    /// Whether its output has taken the place of one that the server has given, or that was sent.
    pub fn is_put_out_again(&self) -> bool {
        matches!(&self.life, Life::PutOut(put_out) if put_out.run.replaces)
    }

    /// Whether a request has carried its answer or output, as far as this page or the record knows.
    pub fn was_sent(&self) -> bool {
        matches!(self.delivery(), Delivery::Sent(_)) || self.was_delivered() || self.failed_to_arrive()
    }

    /// Whether the request that carried its answer or output was refused, or broke off.
    pub fn failed_to_arrive(&self) -> bool {
        matches!(self.delivery(), Delivery::Failed | Delivery::Doubt)
    }

    /// Whether the response to the request that carried its answer or output has started.
    pub fn was_delivered(&self) -> bool {
        matches!(self.delivery(), Delivery::Delivered(_) | Delivery::Arrived)
    }

    /// Whether it is allowed and has no output.
    pub fn allowed_without_output(&self) -> bool {
        matches!(self.life, Life::Allowed(_))
    }

    /// Whether it was allowed and sent, perhaps received, and has no result here.
    pub fn unclear(&self) -> bool {
        matches!(self.delivery(), Delivery::Doubt | Delivery::Arrived) && self.allowed_without_output()
    }

    /// Whether it is an allowance without a result that only the messages show.
    pub fn is_seen_only(&self) -> bool {
        let plain = self.decision().map(|decision| Decision { edit: 0, ..decision });
        plain == Some(Decision::new(true, Actor::History)) && self.output().is_none()
    }

    /// Whether it is allowed without a result, and a request has carried the allowance that was not refused.
    pub fn is_out(&self) -> bool {
        self.was_sent() && self.delivery() != Delivery::Failed && self.allowed_without_output()
    }

    /// Whether the server has allowed it, and it has no result.
    pub fn allowed_by_server(&self) -> bool {
        self.allowed_without_output()
            && self.decision().is_some_and(|decision| decision.actor == Actor::Server)
    }

    /// Whether it is allowed without a result, and this request carried the allowance.
    pub fn carried_by(&self, request: RequestId) -> bool {
        self.was_sent_with(request) && self.allowed_without_output()
    }

    /// Whether this request carries its answer or output.
    pub fn was_sent_with(&self, request: RequestId) -> bool {
        matches!(self.delivery(), Delivery::Sent(r) | Delivery::Delivered(r) if r == request)
    }

    pub(super) fn transmission(&self) -> Transmission {
        match self.life {
            Life::Open | Life::Asking(_) => Transmission::default(),
            Life::Allowed(Answered { transmission, .. })
            | Life::Denied(Answered { transmission, .. }, _)
            | Life::PutOut(PutOut { run: Run { transmission, .. }, .. })
            | Life::Abandoned(transmission) => transmission,
        }
    }

    pub(super) fn origin(&self) -> Option<Origin> {
        match self.life {
            Life::Allowed(answered) | Life::Denied(answered, _) => Some(answered.origin),
            Life::PutOut(put_out) => put_out.run.answer.map(|(_, origin)| origin),
            Life::Open | Life::Asking(_) | Life::Abandoned(_) => None,
        }
    }

    pub(super) fn earlier(&self) -> &Earlier {
        self.question().map_or(&Earlier::None, |question| &question.earlier)
    }
}

impl Answered {
    /// Whether this page has given it because the user moved on.
    pub(super) fn is_superseded(&self) -> bool {
        self.origin == Origin::Here && self.actor == Actor::Superseded
    }
}
