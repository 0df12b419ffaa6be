//! The only fold of entries into state.

use super::call::{Call, Delivery, Digest};
use super::clock::Time;
use super::decision::{Actor, Author};
use super::event::{Detail, Event, EventKind};
use super::grant::{Cover, Grant, Stage, Tool};
use super::id::{CallId, GrantId, RequestId, StringId};
use super::windowed_log::WindowedLog;

/// The most requests that count as running at the same time.
const MOST_RUNNING: usize = 16;

/// The most kinds of calls whose refusals are counted. A loop shows soon, so this is enough.
const MOST_REFUSED: usize = 1_024;

/// The refusals of equal calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The name of the tool.
    pub tool: StringId,
    /// The digest of the input.
    pub input: Digest,
    /// The number of refusals.
    pub times: u32,
}

/// The state that the events add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Every call, by its [`CallId`].
    pub calls: WindowedLog<CallId, Call>,
    /// The calls that a request can still change, oldest first.
    pub live: Vec<CallId>,
    /// The calls that wait for a decision, oldest first.
    pub pending: Vec<CallId>,
    /// The number of the latest request.
    pub last_request: RequestId,
    /// The number of automatic sends since a person last acted.
    pub automatic: u32,
    /// Whether a person has acted in this page.
    pub acted: bool,
    /// The requests whose response has not ended.
    pub running: Vec<RequestId>,
    /// The server refused a denial that stood before a message of a person, so such denials leave as settled.
    pub server_rejects_answered_denials: bool,
    /// The user stopped the chat, and no person has acted since then.
    pub stopped: bool,
    /// All grants. The index of a grant is its number minus 1.
    pub grants: Vec<Grant>,
    /// The grants that have not ended, oldest first. What has ended costs nothing any more.
    pub standing: Vec<GrantId>,
    /// The calls that were refused, with counts.
    pub refused: Vec<Refused>,
}

impl State {
    /// Applies one event, which happened at `time`.
    pub fn apply(&mut self, event: &Event, time: Time) {
        match (event.kind, event.detail) {
            (EventKind::Noticed, Detail::Names { tool, id, approval }) => {
                self.calls.push(Call::new(tool, id, approval));
            }
            (EventKind::Requested, detail) => {
                self.requested(event.request);
                self.automatic = self.automatic.saturating_add((detail == Detail::Automatic(true)).into());
                if event.actor == Actor::Person {
                    self.acted();
                }
            }
            (EventKind::Started, _) => self.started(event.request),
            (EventKind::Ended, _) => self.running.retain(|&running| running != event.request),
            (EventKind::Failed, _) => {
                self.running.retain(|&running| running != event.request);
                self.each_live(|call| call.failed(event.request, event.doubt == Some(true)));
            }
            (EventKind::Stopped, _) => self.stopped = true,
            (EventKind::Forgotten, Detail::Below(call)) => self.calls.drop_before(call),
            (EventKind::Acted, _) => self.acted(),
            // An act of a person in this page came later.
            (EventKind::Recounted, Detail::Sends(sends)) if !self.acted => {
                self.automatic = self.automatic.saturating_add(sends);
            }
            (EventKind::LateDenial, _) if event.actor == Actor::Person => self.acted(),
            (EventKind::Granted | EventKind::GrantRestored, Detail::Grant { tool, cover }) => {
                self.granted(event, tool, cover, time);
            }
            (EventKind::GrantEnded, _) => self.grant_ended(event.grant),
            (EventKind::Answered, _) => self.answered(event, time),
            _ => {}
        }
        let Some(call) = event.call else { return };
        if event.kind == EventKind::ClosedByUserMessage {
            let refused = |call: &Call| !call.superseded() && call.delivery() == Delivery::Failed;
            self.server_rejects_answered_denials |= self.calls.get(call).is_some_and(refused);
        }
        if let Some(found) = self.calls.get_mut(call) {
            found.apply(event, time);
            if let (false, Err(at)) = (found.is_final(), self.live.binary_search(&call)) {
                self.live.insert(at, call);
            }
            let waits = found.undecided() && !found.gone();
            match self.pending.binary_search(&call) {
                Err(at) if waits => self.pending.insert(at, call),
                Ok(at) if !waits => {
                    self.pending.remove(at);
                }
                _ => {}
            }
        }
    }

    fn requested(&mut self, request: RequestId) {
        self.last_request = request;
        // The end of a response that cannot be watched is never seen, so the oldest one is dropped.
        if self.running.len() >= MOST_RUNNING {
            self.running.remove(0);
        }
        self.running.push(request);
        self.stopped = false;
        let (calls, running) = (&self.calls, &self.running);
        // A call that is gone may come back, and then shows what became of its request.
        let is_away = |call: &Call| call.gone() && running.iter().any(|&request| call.was_sent_with(request));
        self.live.retain(|&call| calls.get(call).is_some_and(|call| !call.is_final() || is_away(call)));
    }

    fn started(&mut self, request: RequestId) {
        self.each_live(|call| call.started(request));
        for &GrantId(number) in &self.standing {
            let Some(grant) = self.grants.get_mut(number as usize - 1) else { continue };
            let delivered = grant.call.and_then(|call| self.calls.get(call)).is_some_and(|call| {
                // A call that the server ran has reached it, even if the request that carried it is not known.
                call.delivery() == Delivery::Delivered(request) || call.output() == Some(Author::Server)
            });
            if delivered && grant.stage == Stage::Committed {
                grant.stage = Stage::Delivered;
            }
        }
    }

    fn granted(&mut self, event: &Event, tool: Tool, cover: Cover, time: Time) {
        let given = event.call.and_then(|call| self.calls.get(call));
        // A grant that comes with a late denial is about an answer that already stands.
        let own = given.filter(|call| call.decision().is_some_and(|answer| answer.grant == event.grant));
        // A restored grant has no call: it was committed and delivered in the page in which it was given.
        let stage = match own {
            _ if event.call.is_none() => Stage::Delivered,
            None => Stage::Draft,
            Some(call) if call.was_delivered() => Stage::Delivered,
            Some(_) => Stage::Committed,
        };
        let grant = Grant::new(event.approved == Some(true), tool, cover, event.call);
        self.grants.push(Grant { at: time, until: event.deadline, stage, ..grant });
        self.standing.push(self.last_grant());
    }

    fn grant_ended(&mut self, grant: GrantId) {
        let call = self.grant(grant).and_then(|found| found.call);
        self.standing.retain(|&standing| standing != grant);
        if let Some(call) = call.and_then(|call| self.calls.get_mut(call)) {
            call.grant_ended(grant);
        }
    }

    /// Whether a request can still change a call.
    pub fn is_live(&self, call: CallId) -> bool {
        self.live.binary_search(&call).is_ok()
    }

    /// The id of the newest grant.
    pub fn last_grant(&self) -> GrantId {
        GrantId(self.grants.len() as u32)
    }

    /// A grant by its number.
    pub fn grant(&self, grant: GrantId) -> Option<&Grant> {
        self.grants.get(grant.0.checked_sub(1)? as usize)
    }

    /// Whether a grant has not ended.
    pub fn stands(&self, grant: GrantId) -> bool {
        self.standing.contains(&grant)
    }

    /// The grants that have not ended, with their numbers, oldest first.
    pub fn standing(&self) -> impl Iterator<Item = (GrantId, &Grant)> {
        self.standing.iter().filter_map(|&id| Some((id, self.grant(id)?)))
    }

    /// The number of times that a call like this one was refused.
    pub fn refusals(&self, call: &Call) -> u32 {
        let equal = |refused: &&Refused| refused.tool == call.tool() && refused.input == call.input();
        self.refused.iter().find(equal).map_or(0, |refused| refused.times)
    }

    fn grant_mut(&mut self, grant: GrantId) -> Option<&mut Grant> {
        self.grants.get_mut(grant.0.checked_sub(1)? as usize)
    }

    fn acted(&mut self) {
        self.acted = true;
        self.automatic = 0;
        self.stopped = false;
    }

    fn answered(&mut self, event: &Event, time: Time) {
        let Some((call, decision)) = event.call.zip(event.decision()) else { return };
        if event.actor != decision.actor {
            return; // the server repeats an answer that was given here
        }
        if decision.actor == Actor::Person {
            self.acted();
        }
        if let Some(grant) = self.grant_mut(decision.grant) {
            if decision.actor == Actor::Grant {
                grant.uses += 1;
                grant.last_use = Some(time);
            } else if grant.stage == Stage::Draft {
                grant.stage = Stage::Committed;
            }
        }
        // A loop is a fault of the model, which is not told of an expired or superseded call as a refusal.
        let counts = decision.actor.deliberates()
            || matches!(decision.actor, Actor::Grant | Actor::Unattended | Actor::Rule);
        let Some(call) = self.calls.get(call).filter(|call| !call.denied()) else { return };
        if decision.approved || !counts || !call.asked() {
            return;
        }
        let (tool, input) = (call.tool(), call.input());
        let equal = |refused: &&mut Refused| refused.tool == tool && refused.input == input;
        match self.refused.iter_mut().find(equal) {
            Some(refused) => refused.times += 1,
            None => {
                if self.refused.len() >= MOST_REFUSED {
                    self.refused.remove(0);
                }
                self.refused.push(Refused { tool, input, times: 1 });
            }
        }
    }

    fn each_live(&mut self, change: impl Fn(&mut Call)) {
        for &call in &self.live {
            if let Some(found) = self.calls.get_mut(call) {
                change(found);
            }
        }
    }
}
