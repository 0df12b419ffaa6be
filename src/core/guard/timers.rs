//! The timers: what ends by time, and what is due, as one table with two questions. [`Guard::ended`] says what has ended, and
//! [`Guard::next_wake`] when to look again. Law 12: time only closes.

use super::timer::Timer;
use super::{Guard, Returned, Transaction};
use crate::core::batch::Batch;
use crate::core::call::{Call, OutputWait};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Decision};
use crate::core::event::{Event, EventKind};
use crate::core::id::CallId;
use crate::core::row::CallNumber;
use crate::core::verdict::{self, Need, Reason};

/// The time for which a verdict is known to stay a no, so that the shell need not ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaysNo {
    /// Until the next fact.
    pub until_fact: bool,
    /// As long as the last step is open.
    pub while_open: bool,
}

impl Guard {
    /// The timers, each with its time. `due`: that of the batch.
    fn timers(&self, due: Option<Time>) -> Vec<(Time, Timer)> {
        let mut timers = Vec::new();
        if self.timers.armed {
            for (id, call) in self.awaited() {
                if let OutputWait::Until(end) = call.output_wait() {
                    timers.push((end, Timer::Output(id)));
                }
            }
            for (id, grant) in self.state().standing() {
                timers.extend(grant.until.map(|end| (end, Timer::Grant(id))));
            }
            let warn = self.options.policy.warn_ms.unwrap_or_default();
            for &id in &self.state().live {
                let is_open = |call: &&Call| {
                    call.asking() && call.answer().is_none_or(|answer| answer.approved) && !call.gone()
                };
                let Some(call) = self.call(id).filter(is_open) else { continue };
                let before = if call.warned() { 0 } else { warn };
                timers.extend(call.deadline().map(|end| (end.saturating_sub(before), Timer::Question(id))));
            }
        }
        let now = self.clock.time();
        // A batch that the shell has tried to commit, and that is still there, waits for something other than time.
        let due = due.filter(|&due| !self.may_ask() && self.timers.tried != Some(due));
        timers.extend(due.map(|due| (due, Timer::Batch)));
        timers.extend(self.timers.owes_errors.then_some((now, Timer::Errors)));
        timers.extend(self.exchange.is_ticking().then_some((now, Timer::Tick)));
        timers
    }

    /// What has ended by now.
    fn ended(&self, now: Time) -> Vec<Timer> {
        self.timers(None).into_iter().filter(|&(end, _)| end <= now).map(|(_, timer)| timer).collect()
    }

    fn next(&self, batch: &Batch, ticks: bool) -> Option<Time> {
        let timers = self.timers(batch.due).into_iter();
        timers.filter(|&(_, timer)| ticks || timer != Timer::Tick).map(|(time, _)| time).min()
    }

    /// The time at which to look again, if this is the batch; it may have passed.
    pub fn next_wake(&self, batch: &Batch) -> Option<Time> {
        self.next(batch, true)
    }

    /// The same, but for the end of a tick, which changes nothing that a page shows.
    pub fn next_end(&self, batch: &Batch) -> Option<Time> {
        self.next(batch, false)
    }

    /// The time for which a verdict is known to stay a no. `verdict`: the latest one, if no other fact has followed the question.
    pub fn stays_no(&self, verdict: Option<Reason>, batch: &Batch) -> StaysNo {
        // A yes is valid only for one tick, and so is the no that follows it in the same tick.
        let no = verdict.filter(|&reason| !reason.sends() && reason != Reason::AskedTwice);
        let is_timed = self.timers.armed || batch.due.is_some();
        // While a call waits for a decision, only a timer can change the verdict, and the timer asks again.
        StaysNo {
            until_fact: no.is_some() && !is_timed,
            while_open: no == Some(Reason::Waiting) && (self.waits_for_decision(batch) || !is_timed),
        }
    }

    /// The calls of the last step that the page has to run now.
    fn awaited(&self) -> impl Iterator<Item = (CallId, &Call)> {
        self.list.step.rows.iter().filter_map(|&(id, flags)| {
            let call = self.call(id)?;
            let runs = self.is_client(call) && verdict::need(call, flags, true) == Some(Need::Output);
            (runs && !call.gone() && !flags.provider).then_some((id, call))
        })
    }

    /// The calls that the page did not run in time: they are to get an error as their output.
    pub fn timed_out(&self) -> Vec<CallId> {
        let over = self.awaited().filter(|(_, call)| call.output_wait() == OutputWait::Over);
        over.map(|(id, _)| id).collect()
    }
}

impl Transaction<'_> {
    /// Applies the passing of time: calls time out, grants end, calls expire, warnings are given.
    pub(super) fn expire_due(&mut self) {
        for timer in self.guard.ended(self.time) {
            match timer {
                Timer::Output(id) => {
                    self.append(Event::on(id, EventKind::TimedOut, Actor::Timer));
                    self.guard.timers.owes_errors = true;
                }
                Timer::Grant(id) => self.end_grant(id, Actor::Timer),
                _ => {}
            }
        }
        // The end of a grant takes back its drafts, so that their calls ask again.
        for timer in self.guard.ended(self.time) {
            let Timer::Question(id) = timer else { continue };
            if self.guard.call(id).and_then(Call::deadline).is_some_and(|deadline| deadline <= self.time) {
                self.append(Event::answer(id, EventKind::Expired, Decision::new(false, Actor::Timer)));
            } else {
                self.append(Event::on(id, EventKind::Warned, Actor::Timer));
            }
        }
    }

    /// Limits how long the page may take to run the calls that it has to run now.
    pub(super) fn await_outputs(&mut self) {
        let Some(limit) = self.guard.options.policy.output_ms else { return };
        let unlimited = self.guard.awaited().filter(|(_, call)| call.output_wait() == OutputWait::Unlimited);
        let unlimited: Vec<CallId> = unlimited.map(|(id, _)| id).collect();
        for id in unlimited {
            let deadline = Some(self.time.saturating_add(limit));
            self.guard.timers.arm(deadline);
            self.append(Event { deadline, ..Event::on(id, EventKind::Awaited, Actor::Application) });
        }
    }

    /// The shell was woken, and is told which calls have timed out.
    pub(super) fn woken(&mut self) {
        self.wake();
        let calls = self.guard.timed_out().into_iter().map(CallNumber).collect();
        self.returns(Returned::TimedOut(calls));
    }

    /// Remembers the batch that the shell tries to commit now.
    pub(super) fn try_due(&mut self) {
        self.guard.timers.tried = self.guard.batch().due.filter(|&due| due <= self.time);
    }

    /// The shell was woken, and carries out what is due.
    pub(super) fn wake(&mut self) {
        self.expire_due();
        self.try_due();
        self.guard.timers.owes_errors = false;
    }
}
