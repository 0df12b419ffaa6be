//! The way of a call from one stage of its life to another: by the events of its own, and by the outcome of a request.

use super::question::Earlier;
use super::{Answered, Asking, Call, End, Life, Origin, OutputWait, PutOut, Question, Run, Transmission};
use crate::core::call::{Delivery, Digest};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Author, Decision, Draft};
use crate::core::event::{Detail, Event, EventKind};
use crate::core::id::{GrantId, RequestId, StringId};

impl Call {
    /// Applies one event of this call, which happened at `time`.
    pub fn apply(&mut self, event: &Event, time: Time) {
        use EventKind::{Asked, Output, Voided, Withdrawn};
        if matches!(event.kind, Asked | Output | Voided | Withdrawn) {
            self.output_wait = OutputWait::Unlimited;
        }
        match (event.kind, event.detail) {
            (EventKind::Asked, Detail::Question { approval, input }) => {
                self.ask(approval, input, time, event);
            }
            (EventKind::Drafted | EventKind::Expired, _) => {
                let draft = event.decision().map(|decision| Draft { decision, at: time });
                self.set_draft(draft);
            }
            (EventKind::Undone, _) => self.set_draft(None),
            (EventKind::Answered, _) => self.answered(event),
            (EventKind::LateDenial, _) => {
                if let (Life::Denied(it, _), Some(denial)) = (&mut self.life, event.decision()) {
                    *it = Answered::new(it.question, denial, it.origin, it.transmission);
                }
            }
            (EventKind::Refused, Detail::Shown(shown)) => {
                if let Life::Asking(asking) = &mut self.life {
                    asking.answer_invalidated |= shown;
                }
            }
            (EventKind::Output, _) => {
                let is_earlier = self.asking() || event.doubt.is_some();
                if !(is_earlier && self.put_back(event.doubt == Some(true))) {
                    self.put_out(event.author());
                }
            }
            (EventKind::Withdrawn, _) if self.decision().is_none() => self.set_draft(None),
            (EventKind::Withdrawn, _) => self.reopen(time, *self.earlier()),
            (EventKind::Voided, _) => {
                self.reopen(time, self.earlier_after(RequestId::NONE));
                // They were about another input.
                self.on_question(|question| question.ruling = None);
                self.unmasked = false;
            }
            (EventKind::Superseded, _) => self.supersede(event.doubt == Some(true)),
            (EventKind::Sent, _) => {
                // No tab had sent the answer of another one: this page does.
                let takes = self.elsewhere() && self.delivery() == Delivery::History;
                if let (Life::Allowed(it) | Life::Denied(it, _), true) = (&mut self.life, takes) {
                    it.origin = Origin::Record;
                }
                self.on_transmission(|transmission| {
                    transmission.in_doubt_before |= transmission.delivery == Delivery::Doubt;
                    transmission.delivery = Delivery::Sent(event.request);
                });
            }
            (EventKind::Unhandled, _) if self.allowed_without_output() && self.was_delivered() => {
                self.on_transmission(|it| it.delivery = Delivery::Doubt)
            }
            (EventKind::Settled, _) => self.settle(),
            (EventKind::ClosedByUserMessage, _) => {
                if let Life::Denied(_, end) = &mut self.life {
                    *end = End::ClosedByUserMessage;
                }
            }
            (EventKind::Gone, _) => {
                self.gone = true;
                // Law 4: if it comes back, it is still denied. A list that was made before it came shows nothing of it.
                if self.draft().is_some_and(|draft| draft.decision.approved) {
                    self.set_draft(None);
                }
            }
            (EventKind::Returned, _) => self.gone = false,
            (EventKind::Recalled | EventKind::Elsewhere, Detail::Restored { delivery, settled }) => {
                self.restore(event, delivery, settled);
            }
            (EventKind::Revealed, _) => self.unmasked = true,
            (EventKind::Awaited, _) => {
                self.output_wait = event.deadline.map_or(OutputWait::Unlimited, OutputWait::Until);
            }
            (EventKind::TimedOut, _) => self.output_wait = OutputWait::Over,
            _ => {}
        }
        self.on_question(|question| question.apply(event, time));
    }

    /// Applies the end of a grant: a draft that would have given it now answers only its own call.
    pub fn grant_ended(&mut self, grant: GrantId) {
        if let Life::Asking(Asking { draft: Some(Draft { decision, .. }), .. }) = &mut self.life
            && decision.grant == grant
            && decision.actor.deliberates()
        {
            decision.grant = GrantId::NONE;
        }
    }

    /// Applies the start of the response to a request.
    pub fn started(&mut self, request: RequestId) {
        self.on_transmission(|transmission| {
            if transmission.delivery == Delivery::Sent(request) {
                transmission.delivery = Delivery::Delivered(request);
            }
        });
    }

    /// Applies the failure of a request or its response.
    pub fn failed(&mut self, request: RequestId, doubt: bool) {
        let started = self.delivery() == Delivery::Delivered(request);
        if !(started || self.delivery() == Delivery::Sent(request)) || self.denial_settled() {
            return;
        }
        // Nothing runs twice because an output, or a denial, is sent again. A refused request says nothing about an
        // earlier one.
        let unknown = (doubt || self.in_doubt_before()) && self.allowed_without_output();
        let delivery = if unknown { Delivery::Doubt } else { Delivery::Failed };
        self.on_transmission(|transmission| transmission.delivery = delivery);
    }

    /// Sets how far the answer or the output has come, from a record that has kept nothing else.
    pub fn set_transmission(&mut self, delivery: Delivery, in_doubt_before: bool) {
        self.on_transmission(|transmission| *transmission = Transmission { delivery, in_doubt_before });
    }

    fn on_question(&mut self, change: impl FnOnce(&mut Question)) {
        match &mut self.life {
            Life::Open | Life::Abandoned(_) => {}
            Life::Asking(asking) => change(&mut asking.question),
            Life::Allowed(Answered { question, .. })
            | Life::Denied(Answered { question, .. }, _)
            | Life::PutOut(PutOut { question, .. }) => {
                question.as_mut().map(change);
            }
        }
    }

    fn on_transmission(&mut self, change: impl FnOnce(&mut Transmission)) {
        match &mut self.life {
            Life::Open | Life::Asking(_) => {}
            Life::Allowed(Answered { transmission, .. })
            | Life::Denied(Answered { transmission, .. }, _)
            | Life::PutOut(PutOut { run: Run { transmission, .. }, .. })
            | Life::Abandoned(transmission) => change(transmission),
        }
    }

    /// It asks for approval. A repeated question gets no more time, and its draft stays. The event says in which response
    /// it asks, and whether it may have run under another approval id.
    fn ask(&mut self, approval: StringId, input: Digest, time: Time, event: &Event) {
        let earlier = match self.earlier_after(event.request) {
            Earlier::None if event.doubt == Some(true) => Earlier::MayHaveRun,
            earlier => earlier,
        };
        let known = self.question().filter(|question| self.approval == approval && question.input == input);
        let is_other = known.is_none() && self.asked();
        let is_known = known.is_some();
        let question = known.copied().unwrap_or_else(|| Question::new(input, time));
        // Law 16: only a person answers what may have run.
        let stands = |draft: &Draft| earlier == Earlier::None || draft.decision.actor.deliberates();
        let draft = self.draft().filter(stands).filter(|_| is_known);
        self.unmasked &= is_known;
        self.approval = approval;
        let earlier = if is_other { earlier.without_output() } else { earlier };
        let question = Question { lost: false, earlier, ..question };
        // Asked in the response to its allowance: the part still shows the one that the server has refused.
        let answer_invalidated = event.request.is_some() && self.allowed_without_output();
        self.life = Life::Asking(Asking { question, draft, answer_invalidated });
    }

    fn set_draft(&mut self, draft: Option<Draft>) {
        if let Life::Asking(asking) = &mut self.life {
            asking.draft = draft;
        }
    }

    /// The server may repeat the answer that was given here: then it has it.
    fn answered(&mut self, event: &Event) {
        let Some(decision) = event.decision() else { return };
        let delivery = match event.actor {
            Actor::History => Delivery::History,
            Actor::Server => Delivery::Idle,
            _ => Delivery::Unsent,
        };
        let transmission = Transmission { delivery, ..self.transmission() };
        match &mut self.life {
            // The answer is seen after the output that it allowed.
            Life::PutOut(PutOut { run, .. }) if decision.approved => {
                *run = Run { answer: Some((decision, Origin::Here)), transmission, ..*run };
            }
            _ => self.answer_with(decision, Origin::Here, transmission),
        }
    }

    fn answer_with(&mut self, decision: Decision, origin: Origin, transmission: Transmission) {
        let answered = Answered::new(self.question().copied(), decision, origin, transmission);
        self.life =
            if decision.approved { Life::Allowed(answered) } else { Life::Denied(answered, End::Open) };
    }

    fn put_out(&mut self, author: Author) {
        let delivery = match author {
            Author::Page => Delivery::Unsent,
            Author::Server => Delivery::Idle,
            Author::History => Delivery::History,
        };
        let run = Run {
            author,
            answer: self.decision().zip(self.origin()),
            replaces: self.output().is_some() && !self.awaits_output(),
            transmission: Transmission { delivery, ..self.transmission() },
        };
        self.show_run(run, false, false);
    }

    /// The output of a call that was asked about again stands: it has run. Returns whether there is one.
    fn put_back(&mut self, in_doubt: bool) -> bool {
        let &Earlier::Ran(run) = self.earlier() else { return false };
        self.show_run(run, true, in_doubt);
        true
    }

    fn show_run(&mut self, run: Run, is_put_back: bool, in_doubt: bool) {
        let shown =
            |question: &Question| Question { earlier: question.earlier.without_output(), ..*question };
        self.life = Life::PutOut(PutOut { question: self.question().map(shown), run, is_put_back, in_doubt });
    }

    /// Its earlier run, for a call that asks again. `response`: the request in whose response it asks. An output that was there
    /// before the first question came was not allowed by anybody, so it is not put back (law 5). It is no run if the page
    /// wrote it; if an earlier page has shown it, it may be one (law 16).
    pub(super) fn earlier_after(&self, response: RequestId) -> Earlier {
        let earlier = *self.earlier();
        match (self.life, earlier) {
            (Life::PutOut(PutOut { question, run, .. }), _) => {
                let is_unasked = question.is_none() && run.answer.is_none();
                match run.author {
                    _ if !is_unasked => Earlier::Ran(run),
                    // A stored list shows an allowance beside its output.
                    Author::History if self.approval.is_some() => Earlier::Ran(run),
                    Author::Server | Author::History => Earlier::MayHaveRun,
                    Author::Page => earlier,
                }
            }
            (_, Earlier::Ran(_) | Earlier::MayHaveRun) => earlier,
            // Its response says nothing of an earlier request.
            _ if response.is_some() && self.carried_by(response) && !self.in_doubt_before() => {
                Earlier::Refused
            }
            _ if self.is_out() || self.allowed_by_server() => Earlier::MayHaveRun,
            (_, Earlier::None) if self.was_sent() && self.allowed() => Earlier::Refused,
            _ => earlier,
        }
    }

    /// Its answer is withdrawn: it asks again, with its original time and annotations.
    fn reopen(&mut self, time: Time, earlier: Earlier) {
        let question = self.question().copied().unwrap_or_else(|| Question::new(0, time));
        let question = Question { lost: false, earlier, ..question };
        self.life = Life::Asking(Asking { question, draft: None, answer_invalidated: true });
    }

    fn supersede(&mut self, doubt: bool) {
        let transmission = Transmission { delivery: Delivery::Unsent, in_doubt_before: doubt };
        if self.asked() || self.approval.is_some() || self.decision().is_some() {
            self.answer_with(Decision::new(false, Actor::Superseded), Origin::Here, transmission);
        } else {
            self.life = Life::Abandoned(transmission);
        }
    }

    fn settle(&mut self) {
        if let Life::Denied(answered, end) = &mut self.life {
            *end = End::Taken;
            // An answer settled before this page has nothing left to send.
            if answered.transmission.delivery == Delivery::History {
                answered.transmission.delivery = Delivery::Idle;
            }
        }
    }

    /// Takes an answer from the record or from another tab.
    fn restore(&mut self, event: &Event, delivery: Delivery, settled: bool) {
        let Some(decision) = event.decision() else { return };
        let origin = match event.kind {
            EventKind::Elsewhere => Origin::OtherTab,
            _ => Origin::Record,
        };
        if decision.approved {
            if self.asking() {
                self.put_back(false);
            }
            if let Life::PutOut(put_out) = &mut self.life {
                put_out.run.answer = Some((decision, origin));
                return;
            }
        }
        let before = if let Life::Denied(_, end) = self.life { end } else { End::Open };
        let transmission = Transmission { delivery, ..self.transmission() };
        self.answer_with(decision, origin, transmission);
        if let Life::Denied(_, end) = &mut self.life {
            *end = if settled && before == End::Open { End::Taken } else { before };
        }
    }
}
