//! Decides whether this tab may do what it wants, or whether another tab came first.

use super::{BEAT, Replica};
use crate::core::call::Delivery;
use crate::core::decision::Actor;
use crate::core::event::EventKind;
use crate::core::id::RequestId;
use crate::core::record::known_call::{KnownCall, is_seen};
use crate::core::record::line::Line;
use crate::core::shared::{Progress, SharedAnswer};

impl Replica {
    /// Returns the line itself, or a line that says it was refused because another tab came first.
    pub(super) fn judged(&mut self, line: Line) -> Line {
        if self.admits(&line) {
            return line;
        }
        self.refused = true;
        Line { kind: EventKind::Refused, ..line }
    }

    /// Whether this tab may record the line now.
    fn admits(&self, line: &Line) -> bool {
        let Some(approved) = line.approved else { return true };
        let Some(held) = self.held(line) else {
            return match line.kind {
                _ if !approved => true,
                // The question of another page may have taken back the allowance that this tab still has.
                EventKind::Sent => !self.asks(line),
                EventKind::Answered => is_seen(line.actor) || !self.is_denied_in_draft(line),
                _ => true,
            };
        };
        // Its own answer is up to the guard, as long as no other tab has sent that answer.
        let is_own =
            |known: &KnownCall| known.request_session.as_ref().is_none_or(|session| *session == self.session);
        if held.by == self.session && self.known().of(line).is_some_and(is_own) {
            return true;
        }
        let lives = |other: &str| self.tabs.iter().any(|(session, _)| session == other);
        match line.kind {
            // A call that has run stays allowed. Its own answer that another tab has claimed is refused like any second one:
            // it would count as unsent again.
            EventKind::Answered if !is_seen(line.actor) => {
                !self.known().of(line).is_some_and(KnownCall::has_run) && held.may_be_replaced(approved)
            }
            // A denial that is sent twice does no harm.
            EventKind::Sent if approved => {
                held.approved && held.may_be_sent(&self.session, line.actor == Some(Actor::Person), lives)
            }
            // A message of a user says that the result of the call is not known.
            EventKind::Sent if line.doubt == Some(true) => true,
            // The answer of another tab was sent first (law 7). No tab gives up a denial that its messages show, so it would
            // never send anything again (law 17).
            EventKind::Sent if held.approved => {
                matches!(held.progress, Progress::Unclaimed | Progress::Refused)
                    || self.known().of(line).is_some_and(|known| self.has_found_denied(known))
            }
            _ => true,
        }
    }

    /// Whether the call still waits for an answer.
    fn asks(&self, line: &Line) -> bool {
        self.known().of(line).is_some_and(|known| known.call.asking())
    }

    /// Law 7: whether another page has drafted a denial, which no allowance overtakes.
    fn is_denied_in_draft(&self, line: &Line) -> bool {
        self.known().of(line).is_some_and(|known| {
            let denied = known.call.draft().is_some_and(|draft| !draft.decision.approved);
            denied && known.is_drafted_elsewhere(line) && !self.is_unheard(known)
        })
    }

    /// Whether another tab gave this answer.
    pub(super) fn is_answered_elsewhere(&self, line: &Line) -> bool {
        let is_other =
            |held: SharedAnswer<&str>| held.by != self.session && Some(held.approved) == line.approved;
        self.held(line).is_some_and(is_other)
    }

    /// Whether some entries of this transaction were refused because another tab came first.
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// Whether all answers that a request of this tab has claimed are still its own.
    pub fn claims_hold(&self, request: u64) -> bool {
        let own = |call: &&KnownCall| {
            call.call.allowed()
                && call.request_session.as_ref() == Some(&self.session)
                && call.request() == Some(RequestId(request as u32))
        };
        self.claimed.0 != request || self.known().calls().iter().filter(own).count() == self.claimed.1
    }

    /// The time in milliseconds until this tab has to write or check again; `None` if it does not have to.
    pub fn wakes_after(&self) -> Option<u64> {
        (!self.tabs.is_empty()).then_some(BEAT)
    }

    /// The answer to the call that a line names.
    fn held(&self, line: &Line) -> Option<SharedAnswer<&str>> {
        let known = self.known().of(line)?;
        let answer = known.answer.as_ref()?;
        let decision = known.call.decision()?;
        if decision.approved && answer.is_seen_only() {
            return None;
        }
        let progress = match known.call.delivery() {
            _ if known.has_result() => Progress::Delivered,
            Delivery::Arrived => Progress::Delivered,
            Delivery::Sent(_) | Delivery::Delivered(_) => {
                Progress::Claimed(known.request_session.as_deref().unwrap_or_default())
            }
            Delivery::Doubt => Progress::Broken,
            Delivery::Failed => Progress::Refused,
            Delivery::Idle | Delivery::Unsent | Delivery::History => Progress::Unclaimed,
        };
        Some(SharedAnswer { approved: decision.approved, by: answer.by(), progress })
    }
}
