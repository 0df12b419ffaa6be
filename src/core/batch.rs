//! The batch: the calls of the last step that a person decides together, their phase, and when their drafts
//! are committed.

use super::call::{Call, Delivery};
use super::clock::Time;
use super::id::{CallId, RequestId};
use super::policy::Policy;
use super::projection::State;
use super::verdict::Step;

vocabulary! {
    /// The phase of a batch.
    #[derive(Default)]
    Phase {
        /// There is no batch.
        #[default]
        Idle = "idle",
        /// At least one call waits for a decision.
        Asking = "asking",
        /// All calls are decided; the decisions can be undone until they are committed.
        Decided = "decided",
        /// All answers are in the messages, but not sent.
        Answered = "answered",
        /// The answers are on their way.
        Sending = "sending",
        /// The response has started.
        Sent = "sent",
        /// The request failed.
        Failed = "failed",
        /// The request broke, and an allowed call may have run.
        InDoubt = "in-doubt",
    }
}

/// A call that was refused this often with the same input counts as a loop.
pub const LOOP: u32 = 3;

/// An allowance must not expire while it can be undone, so it is committed this many milliseconds earlier.
const MARGIN: Time = 1_000;

/// A batch.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Its phase.
    pub phase: Phase,
    /// Its calls, in the order of their parts.
    pub calls: Vec<CallId>,
    /// The number of calls that wait for a decision.
    pub asking: u32,
    /// The number of calls that are, or will be, allowed.
    pub allowed: u32,
    /// The number of calls that are, or will be, denied.
    pub denied: u32,
    /// The time at which the drafts are to be committed, once all calls are decided.
    pub due: Option<Time>,
    /// Whether any of its decisions can be undone.
    pub undoable: bool,
    /// The highest number of refusals of any of its calls.
    pub refusals: u32,
}

impl Batch {
    /// The batch of a step.
    pub fn of(state: &State, step: &Step, policy: &Policy) -> Self {
        let mut batch = Self::default();
        let mut last = None;
        let mut expires = Time::MAX;
        let mut danger = false;
        let mut deliberate = false;
        let mut deliveries = Phase::Idle;
        for &(id, _) in &step.rows {
            let Some(call) = state.calls.get(id).filter(|call| in_batch(call)) else { continue };
            batch.calls.push(id);
            batch.refusals = batch.refusals.max(state.refusals(call));
            match call.answer() {
                None if call.asking() => batch.asking += 1,
                None => {}
                Some(answer) if answer.approved => batch.allowed += 1,
                Some(_) => batch.denied += 1,
            }
            if let Some(draft) = call.draft() {
                last = last.max(Some(draft.at));
                batch.undoable |= draft.undoable();
                deliberate |= draft.decision.actor.deliberates();
                if draft.decision.approved {
                    danger |= call.dangerous() && draft.undoable();
                    expires = expires.min(call.deadline().unwrap_or(Time::MAX));
                }
            }
            deliveries = deliveries.max_of(call, &state.running);
        }
        batch.phase = match last {
            _ if batch.asking > 0 => Phase::Asking,
            Some(_) => Phase::Decided,
            None => deliveries,
        };
        if batch.phase == Phase::Decided {
            // Answers given by a grant, a rule or time have no undo period.
            let grace = match (danger, deliberate) {
                (true, _) => policy.undo_ms_when_dangerous,
                (false, true) => policy.undo_ms,
                (false, false) => Some(0),
            };
            let due = last.zip(grace).map(|(last, grace)| last.saturating_add(grace));
            // A dangerous call may expire, but it always keeps its full undo period.
            let latest = if danger { Time::MAX } else { expires.saturating_sub(MARGIN) };
            batch.due = due.map(|due| due.min(latest));
        }
        batch
    }
}

fn in_batch(call: &Call) -> bool {
    !call.gone() && (call.asked() || call.decision().is_some())
}

impl Phase {
    /// The more important of two phases, which is shown to a person first.
    fn max_of(self, call: &Call, running: &[RequestId]) -> Self {
        let of_call = match call.delivery() {
            Delivery::Sent(request) if running.contains(&request) => Self::Sending,
            Delivery::Doubt if call.allowed_without_output() => Self::InDoubt,
            Delivery::Doubt | Delivery::Failed => Self::Failed,
            Delivery::Unsent => Self::Answered,
            Delivery::Delivered(_) | Delivery::Arrived => Self::Sent,
            // A settled denial does not fail with its request.
            Delivery::Idle | Delivery::History | Delivery::Sent(_) => Self::Idle,
        };
        if of_call.urgency() > self.urgency() { of_call } else { self }
    }

    fn urgency(self) -> u8 {
        match self {
            Self::Idle | Self::Asking | Self::Decided => 0,
            Self::Sent => 1,
            Self::Answered => 2,
            Self::Failed => 3,
            Self::InDoubt => 4,
            Self::Sending => 5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::call::samples::{asking, changed, decided, drafted, plain};
    use crate::core::call::{Answer, PartFlags};
    use crate::core::decision::Actor;
    use crate::core::event::Event;
    use crate::core::protocol::ToolState;

    fn policy() -> Policy {
        Policy { undo_ms: Some(100), undo_ms_when_dangerous: Some(5_000), ..Policy::default() }
    }

    /// A call with these annotations of the application.
    fn marked(call: Call, dangerous: bool, deadline: Option<Time>) -> Call {
        changed(call, &[Event::annotated(CallId(0), dangerous, None, deadline)])
    }

    fn batch(calls: &[Call], policy: Policy) -> Batch {
        let flags = PartFlags {
            state: ToolState::ApprovalRequested,
            answer: Answer::Absent,
            provider: false,
            preliminary: false,
            residue: false,
            by_guard: false,
        };
        let rows = (0..).zip(calls).map(|(id, _)| (CallId(id), flags)).collect();
        let calls = calls.iter().copied().collect();
        let state = State { calls, running: vec![RequestId(1)], ..State::default() };
        Batch::of(&state, &Step { assistant: true, rows, ..Step::default() }, &policy)
    }

    #[test]
    fn it_is_decided_when_no_call_waits() {
        let allow = drafted(true, Actor::Person, 10);
        let deny = drafted(false, Actor::Person, 30);
        let half = batch(&[allow, asking(), plain()], policy());
        assert_eq!((half.phase, half.due, half.calls.len()), (Phase::Asking, None, 2));
        let whole = batch(&[allow, deny], policy());
        assert_eq!((whole.phase, whole.due), (Phase::Decided, Some(130)));
        assert_eq!((whole.asking, whole.allowed, whole.denied), (0, 1, 1));
        assert!(whole.undoable);
    }

    #[test]
    fn the_grace_depends_on_what_is_allowed_and_by_whom() {
        let dangerous = |approved| marked(drafted(approved, Actor::Person, 10), true, None);
        assert_eq!(batch(&[dangerous(true)], policy()).due, Some(5_010));
        assert_eq!(batch(&[dangerous(false)], policy()).due, Some(110));
        assert_eq!(batch(&[drafted(true, Actor::Grant, 10)], policy()).due, Some(10));
        let both = [drafted(true, Actor::Grant, 10), drafted(true, Actor::Person, 10)];
        assert_eq!(batch(&both, policy()).due, Some(110));
        let risky = marked(drafted(true, Actor::Grant, 10), true, None);
        assert_eq!(batch(&[risky], policy()).due, Some(5_010));
        assert_eq!(batch(&[drafted(false, Actor::Unattended, 10)], policy()).due, Some(10));
        let manual = Policy { undo_ms: None, ..policy() };
        assert_eq!(batch(&[drafted(true, Actor::Person, 10)], manual).due, None);
        assert_eq!(batch(&[drafted(false, Actor::Timer, 10)], manual).due, Some(10));
    }

    #[test]
    fn an_allowance_is_committed_before_it_expires() {
        let call = |approved| marked(drafted(approved, Actor::Person, 10), false, Some(4_000));
        let slow = Policy { undo_ms: Some(9_000), ..policy() };
        assert_eq!(batch(&[call(true)], slow).due, Some(3_000));
        assert_eq!(batch(&[call(false)], slow).due, Some(9_010));
        let risky = marked(call(true), true, Some(4_000));
        assert_eq!(batch(&[risky], slow).due, Some(5_010), "it expires before that");
    }

    #[test]
    fn what_is_committed_is_as_far_as_its_most_urgent_call() {
        let sent = decided(true, Delivery::Sent(RequestId(1)));
        let table = [
            (vec![], Phase::Idle),
            (vec![decided(true, Delivery::Unsent)], Phase::Answered),
            (vec![decided(true, Delivery::Delivered(RequestId(1))), sent], Phase::Sending),
            (vec![decided(true, Delivery::Delivered(RequestId(1)))], Phase::Sent),
            (vec![decided(false, Delivery::Sent(RequestId(2)))], Phase::Idle),
            (vec![decided(true, Delivery::Failed), decided(true, Delivery::Unsent)], Phase::Failed),
            (vec![decided(true, Delivery::Failed), decided(true, Delivery::Doubt)], Phase::InDoubt),
        ];
        for (calls, phase) in table {
            assert_eq!(batch(&calls, policy()).phase, phase, "{calls:?}");
        }
    }
}
