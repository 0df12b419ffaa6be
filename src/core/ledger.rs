//! The append-only ledger and the state that its entries add up to.

use super::clock::Time;
use super::event::{Entry, Event};
use super::id::CallId;
use super::projection::State;
use super::windowed_log::push;

/// The number of entries that are sealed at once by default.
pub const SEGMENT: usize = 1_024;
/// At least this many times as many entries are kept.
const KEPT: usize = 10;

/// The entries so far and the state that they add up to. The oldest entries are sealed: only their count and
/// their effect on the state are kept.
#[derive(Clone, Debug)]
pub struct Ledger {
    entries: Vec<Entry>,
    state: State,
    sealed: u32,
    segment: usize,
}

impl Ledger {
    /// An empty ledger, which seals `segment` entries at once.
    pub fn new(segment: usize) -> Self {
        Self { entries: Vec::new(), state: State::default(), sealed: 0, segment }
    }

    /// The entries that are not sealed, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The number of sealed entries.
    pub fn sealed(&self) -> u32 {
        self.sealed
    }

    /// The number of all entries, with the sealed ones.
    pub fn length(&self) -> u32 {
        self.sealed + self.entries.len() as u32
    }

    /// The state that the entries add up to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Appends an event, and seals the oldest entries where there are many.
    pub fn append(&mut self, event: Event, at: f64, time: Time) {
        self.state.apply(&event, time);
        let waited = |call: CallId| self.state.calls.get(call)?.waited(time);
        let waited = event.call.and_then(waited);
        push(&mut self.entries, Entry { at, time, event, waited });
        if self.entries.len() >= (KEPT + 1) * self.segment {
            self.entries = self.entries.split_off(self.segment);
            self.sealed += self.segment as u32;
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::common::fold;
    use crate::core::call::{Call, Delivery, Status};
    use crate::core::decision::{Actor, Author, Decision};
    use crate::core::event::EventKind;
    use crate::core::id::{RequestId, StringId};

    const NOTICED: Event = Event::noticed(CallId(0), StringId(1), StringId(2), StringId(3), Actor::Server);
    const ASKED: Event = Event::asked(CallId(0), StringId(3), 0, Actor::Server);
    const ALLOWED: Event = Event::answer(CallId(0), EventKind::Answered, Decision::new(true, Actor::Person));

    fn automatic(request: RequestId) -> Event {
        Event::requested(request, true, Actor::Application)
    }

    fn ledger(events: &[Event]) -> Ledger {
        let mut ledger = Ledger::new(SEGMENT);
        for event in events {
            ledger.append(*event, 0.0, 0);
        }
        ledger
    }

    #[test]
    fn folding_the_entries_gives_the_state() {
        let carried = Event::sent(CallId(0), RequestId(1), Some(true), Actor::Application);
        let events = [
            NOTICED,
            ASKED,
            ALLOWED,
            automatic(RequestId(1)),
            carried,
            Event::of(RequestId(1), EventKind::Started, Actor::Server),
            Event::new(EventKind::Stopped, Actor::Person),
        ];
        for length in 0..=events.len() {
            let ledger = ledger(&events[..length]);
            assert_eq!(&fold(ledger.entries()), ledger.state());
            assert_eq!(ledger.entries().len(), length);
        }
    }

    #[test]
    fn old_entries_are_sealed_and_what_they_add_up_to_stays() {
        let requests = (1..30_000)
            .map(RequestId)
            .flat_map(|request| [automatic(request), Event::of(request, EventKind::Ended, Actor::Server)]);
        let events: Vec<Event> = [NOTICED, ASKED].into_iter().chain(requests).collect();
        let ledger = ledger(&events);
        assert_eq!(ledger.length(), 60_000);
        assert!((KEPT * SEGMENT..(KEPT + 1) * SEGMENT).contains(&ledger.entries().len()));
        assert_eq!(ledger.sealed() as usize + ledger.entries().len(), 60_000);
        let all: Vec<Entry> =
            events.iter().map(|&event| Entry { at: 0.0, time: 0, event, waited: None }).collect();
        assert_eq!(&fold(&all), ledger.state());
        assert_eq!(ledger.state().calls.get(CallId(0)).map(Call::status), Some(Status::Asking));
    }

    #[test]
    fn an_act_of_a_person_starts_the_count_again() {
        let sends = [automatic(RequestId(1)), automatic(RequestId(2))];
        assert_eq!(ledger(&sends).state().automatic, 2);
        for act in [
            Event::new(EventKind::Acted, Actor::Person),
            ALLOWED,
            Event::requested(RequestId(3), false, Actor::Person),
        ] {
            assert_eq!(ledger(&[&sends[..], &[act]].concat()).state().automatic, 0, "{act:?}");
        }
        let server = Event::answer(CallId(0), EventKind::Answered, Decision::new(false, Actor::Server));
        let bare_continue = Event::requested(RequestId(3), false, Actor::Application);
        for other in [server, bare_continue] {
            assert_eq!(ledger(&[&sends[..], &[other]].concat()).state().automatic, 2, "{other:?}");
        }
    }

    #[test]
    fn a_stop_lasts_until_a_person_acts() {
        assert!(ledger(&[Event::new(EventKind::Stopped, Actor::Person)]).state().stopped);
        assert!(
            !ledger(&[
                Event::new(EventKind::Stopped, Actor::Person),
                Event::new(EventKind::Acted, Actor::Person)
            ])
            .state()
            .stopped
        );
        assert!(!ledger(&[Event::new(EventKind::Stopped, Actor::Person), NOTICED, ALLOWED]).state().stopped);
    }

    #[test]
    fn a_request_runs_until_it_ended_or_failed() {
        let sends = [automatic(RequestId(1)), automatic(RequestId(2))];
        assert_eq!(ledger(&sends).state().running, [1, 2].map(RequestId));
        assert_eq!(
            ledger(&[&sends[..], &[Event::of(RequestId(1), EventKind::Ended, Actor::Server)]].concat())
                .state()
                .running,
            [RequestId(2)]
        );
        let failed = Event::failed(RequestId(2), true);
        assert_eq!(ledger(&[&sends[..], &[failed]].concat()).state().running, [RequestId(1)]);
    }

    #[test]
    fn a_closed_call_is_no_longer_live_after_the_next_request() {
        let output = Event::put_out(CallId(0), EventKind::Output, Author::Server);
        assert_eq!(ledger(&[NOTICED, ASKED]).state().live, [CallId(0)]);
        assert!(ledger(&[NOTICED, output, automatic(RequestId(1))]).state().live.is_empty());
        let back = ledger(&[NOTICED, output, automatic(RequestId(1)), ASKED]);
        assert_eq!(back.state().live, [CallId(0)]);
        assert_eq!(back.state().calls.get(CallId(0)).map(Call::status), Some(Status::Asking));
    }

    #[test]
    fn law_13_a_request_fails_also_for_a_call_whose_message_is_gone_meanwhile() {
        let sent = Event::sent(CallId(0), RequestId(1), Some(true), Actor::Application);
        let gone = Event::on(CallId(0), EventKind::Gone, Actor::Application);
        let away = [NOTICED, ASKED, ALLOWED, automatic(RequestId(1)), sent, gone, automatic(RequestId(2))];
        let failed = [Event::failed(RequestId(1), false), automatic(RequestId(3))];
        let after = ledger(&[&away[..], &failed].concat());
        assert_eq!(after.state().calls.get(CallId(0)).map(Call::delivery), Some(Delivery::Failed));
        assert!(after.state().live.is_empty(), "nothing more follows for it");
    }

    #[test]
    fn a_superseded_call_without_an_approval_is_live_until_its_error_was_delivered() {
        let superseded = Event::superseded(CallId(0), false);
        let carried = |request| Event::sent(CallId(0), request, None, Actor::Application);
        let noticed = Event::noticed(CallId(0), StringId(1), StringId(2), StringId::NONE, Actor::Server);
        let sent = [noticed, superseded, automatic(RequestId(1)), carried(RequestId(1))];
        let failed =
            ledger(&[&sent[..], &[Event::failed(RequestId(1), false), automatic(RequestId(2))]].concat());
        assert_eq!(failed.state().live, [CallId(0)], "the next request carries it again");
        let delivered = ledger(
            &[
                &sent[..],
                &[Event::of(RequestId(1), EventKind::Started, Actor::Server), automatic(RequestId(2))],
            ]
            .concat(),
        );
        assert!(delivered.state().live.is_empty());
    }

    #[test]
    fn an_entry_says_whom_and_what_it_is_about() {
        assert_eq!((ALLOWED.kind, ALLOWED.call), (EventKind::Answered, Some(CallId(0))));
        assert_eq!((ALLOWED.approved, ALLOWED.actor), (Some(true), Actor::Person));
        let superseded = Event::superseded(CallId(4), true);
        assert_eq!((superseded.call, superseded.approved), (Some(CallId(4)), Some(false)));
        assert_eq!((automatic(RequestId(7)).request, automatic(RequestId(7)).call), (RequestId(7), None));
    }
}
