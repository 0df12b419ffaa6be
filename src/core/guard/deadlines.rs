//! The deadlines: what ends by time, and what is due, as one table with two questions. [`Guard::ended`] says what has ended, and
//! [`Guard::next_end`] when to look again. Law 12: time only closes.

use super::{Guard, Returned, Transaction};
use crate::core::batch::Batch;
use crate::core::call::{Call, OutputWait};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Decision};
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, GrantId};
use crate::core::row::CallNumber;
use crate::core::verdict::{self, Need, Reason};

/// The end of a time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deadline {
    /// The time in which the page has to run a call.
    Output(CallId),
    /// A grant.
    Grant(GrantId),
    /// The time in which a call can be answered, or the part of it before the warning.
    Question(CallId),
}

/// The time for which a verdict is known to stay a no, so that the shell need not ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaysNo {
    /// Until the next fact.
    pub until_fact: bool,
    /// As long as the last step is open.
    pub while_open: bool,
}

impl Guard {
    /// The deadlines, each with its time.
    fn deadlines(&self) -> impl Iterator<Item = (Time, Deadline)> {
        let outputs = self.awaited().filter_map(|(id, call)| match call.output_wait() {
            OutputWait::Until(time) => Some((time, Deadline::Output(id))),
            OutputWait::Unlimited | OutputWait::Over => None,
        });
        let standing = self.state().standing();
        let grants = standing.filter_map(|(id, grant)| Some((grant.until?, Deadline::Grant(id))));
        let warn = self.options.policy.warn_ms.unwrap_or_default();
        let calls = self.state().live.iter().filter_map(|&id| Some((id, self.call(id)?)));
        let open = calls.filter(|(_, call)| {
            call.asking() && call.answer().is_none_or(|answer| answer.approved) && !call.gone()
        });
        let questions = open.filter_map(move |(id, call)| {
            let deadline = call.deadline()?;
            let end = if call.warned() { deadline } else { deadline.saturating_sub(warn) };
            Some((end, Deadline::Question(id)))
        });
        outputs.chain(grants).chain(questions)
    }

    /// The deadlines that have passed by now.
    fn ended(&self, now: Time) -> Vec<Deadline> {
        if !self.timers.is_armed() {
            return Vec::new();
        }
        self.deadlines().filter(|&(end, _)| end <= now).map(|(_, deadline)| deadline).collect()
    }

    /// The time at which something ends next or, if this is its batch, is due; it may have passed.
    pub fn next_end(&self, batch: &Batch) -> Option<Time> {
        let due = batch.due.filter(|_| !self.may_ask());
        // A batch that the shell has tried to commit, and that is still there, waits for something other than time.
        let due = due.filter(|&due| !self.timers.was_tried(due));
        // Any fact may find that a call has timed out; only the shell gives it its error.
        let errors = self.timers.owes_errors().then_some(self.clock.time());
        let ends = self.timers.is_armed().then(|| self.deadlines()).into_iter().flatten().map(|(end, _)| end);
        ends.chain(due).chain(errors).min()
    }

    /// The time for which a verdict is known to stay a no. `verdict`: the latest one, if no other fact has followed the question.
    pub fn stays_no(&self, verdict: Option<Reason>, batch: &Batch) -> StaysNo {
        // A yes is valid only for one tick, and so is the no that follows it in the same tick.
        let no = verdict.filter(|&reason| !reason.sends() && reason != Reason::AskedTwice);
        let is_timed = self.timers.is_armed() || batch.due.is_some();
        // While a call waits for a decision, only a timer can change the verdict, and the timer asks again.
        let is_asking = batch.asking > 0 && !self.sends_each();
        StaysNo {
            until_fact: no.is_some() && !is_timed,
            while_open: no == Some(Reason::Waiting) && (is_asking || !is_timed),
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
        for deadline in self.guard.ended(self.time) {
            match deadline {
                Deadline::Output(id) => {
                    self.append(Event::on(id, EventKind::TimedOut, Actor::Timer));
                    self.guard.timers.owe_error();
                }
                Deadline::Grant(id) => self.end_grant(id, Actor::Timer),
                Deadline::Question(_) => {}
            }
        }
        // The end of a grant takes back its drafts, so that their calls ask again.
        for deadline in self.guard.ended(self.time) {
            let Deadline::Question(id) = deadline else { continue };
            if self.guard.call(id).is_some_and(|call| call.overdue(self.time)) {
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
        let due = self.guard.batch().due.filter(|&due| due <= self.time);
        self.guard.timers.try_due(due);
    }

    /// The shell was woken, and carries out what is due.
    pub(super) fn wake(&mut self) {
        self.expire_due();
        self.try_due();
        self.guard.timers.pay_errors();
    }
}
