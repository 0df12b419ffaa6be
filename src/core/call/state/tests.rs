use super::*;
use crate::core::call::Delivery;
use crate::core::call::samples::{after, asking, changed, decided, put_out};
use crate::core::decision::{Actor, Effect, Outcome, Ruling};
use crate::core::event::{Event, EventKind};
use crate::core::id::CallId;
use crate::core::id::RequestId;

const ASKED: Event = Event::asked(CallId(0), StringId(3), 0, Actor::Server);
const SENT: Event = Event::sent(CallId(0), RequestId(1), None, Actor::Application);

fn answered(approved: bool) -> Event {
    Event::answer(CallId(0), EventKind::Answered, Decision::new(approved, Actor::Person))
}

fn output(author: Author) -> Event {
    Event::put_out(CallId(0), EventKind::Output, author)
}

#[test]
fn a_life_goes_through_its_statuses() {
    let settled = Event::on(CallId(0), EventKind::Settled, Actor::Server);
    let superseded = Event::superseded(CallId(0), false);
    let withdrawn = Event::on(CallId(0), EventKind::Withdrawn, Actor::Stop);
    let gone = Event::on(CallId(0), EventKind::Gone, Actor::Application);
    let elsewhere = Event::restored(
        CallId(0),
        EventKind::Elsewhere,
        Decision::new(true, Actor::Tab),
        Delivery::Idle,
        false,
    );
    let table: &[(&[Event], Status)] = &[
        (&[], Status::Open),
        (&[ASKED], Status::Asking),
        (
            &[ASKED, Event::answer(CallId(0), EventKind::Expired, Decision::new(false, Actor::Timer))],
            Status::Expired,
        ),
        (&[ASKED, answered(true)], Status::Answered),
        (&[ASKED, answered(true), SENT], Status::Sent),
        (&[ASKED, answered(true), SENT, output(Author::Server)], Status::Settled),
        (&[ASKED, answered(false), settled], Status::Settled),
        (&[ASKED, answered(true), settled], Status::Answered),
        (&[output(Author::Page)], Status::Answered),
        (&[output(Author::Page), SENT], Status::Sent),
        (&[ASKED, superseded], Status::Superseded),
        (&[superseded], Status::Superseded),
        (&[ASKED, answered(true), withdrawn], Status::Asking),
        (&[ASKED, gone], Status::Gone),
        (&[ASKED, gone, Event::on(CallId(0), EventKind::Returned, Actor::Application)], Status::Asking),
        (&[ASKED, elsewhere], Status::Elsewhere),
        (&[ASKED, elsewhere, answered(false)], Status::Answered),
    ];
    for (events, status) in table {
        assert_eq!(after(events).status(), *status, "{events:?}");
    }
}

#[test]
fn a_request_delivers_only_what_it_carried() {
    let mut call = decided(true, Delivery::Sent(RequestId(1)));
    call.started(RequestId(2));
    assert_eq!(call.delivery(), Delivery::Sent(RequestId(1)));
    call.started(RequestId(1));
    assert_eq!(call.delivery(), Delivery::Delivered(RequestId(1)));
    assert_eq!(call.status(), Status::Delivered);
}

#[test]
fn only_an_allowed_call_without_output_is_in_doubt() {
    let broke = |mut call: Call, doubt| {
        call.failed(RequestId(1), doubt);
        call.delivery()
    };
    assert_eq!(broke(decided(true, Delivery::Sent(RequestId(1))), true), Delivery::Doubt);
    assert_eq!(broke(decided(true, Delivery::Sent(RequestId(1))), false), Delivery::Failed);
    assert_eq!(broke(decided(false, Delivery::Sent(RequestId(1))), true), Delivery::Failed);
    assert_eq!(broke(put_out(Delivery::Sent(RequestId(1))), true), Delivery::Failed);
    assert_eq!(broke(put_out(Delivery::Delivered(RequestId(1))), true), Delivery::Failed, "it runs nothing");
    let again = changed(decided(true, Delivery::Doubt), &[SENT]);
    assert_eq!(broke(again, false), Delivery::Doubt, "a refusal says nothing of an earlier request");
}

#[test]
fn what_the_server_or_history_answered_is_no_news() {
    for (actor, fresh) in [(Actor::Person, true), (Actor::Server, false), (Actor::History, false)] {
        let call = after(&[ASKED, Event::answer(CallId(0), EventKind::Answered, Decision::new(true, actor))]);
        assert_eq!(call.fresh_answer(), fresh, "{actor:?}");
    }
    for (author, fresh) in [(Author::Page, true), (Author::Server, false), (Author::History, false)] {
        assert_eq!(after(&[output(author)]).fresh_output(), fresh, "{author:?}");
    }
}

#[test]
fn nothing_has_waited_for_an_output_over_another_one() {
    let waited =
        |authors: &[Author]| after(&authors.iter().map(|&it| output(it)).collect::<Vec<_>>()).awaits_output();
    assert!(waited(&[Author::Page]));
    assert!(waited(&[Author::Page, Author::Page]), "it was written again before it was sent");
    assert!(!waited(&[Author::Server]));
    assert!(!waited(&[Author::Server, Author::Page]));
    assert!(!waited(&[Author::History, Author::Page, Author::Page]));
    let sent = [output(Author::Page), SENT, output(Author::Page)];
    assert!(!after(&sent).awaits_output());
}

#[test]
fn a_call_whose_answer_is_void_asks_again() {
    let voided = Event::on(CallId(0), EventKind::Voided, Actor::Server);
    let call = changed(decided(true, Delivery::Sent(RequestId(1))), &[voided]);
    assert!(call.asking() && call.answer_invalidated());
    assert_eq!((call.decision(), call.delivery(), call.approval()), (None, Delivery::Idle, StringId(3)));
}

#[test]
fn what_was_about_the_input_is_void_with_it_and_the_time_to_run_with_the_answer() {
    let ruling = Ruling { effect: Effect::Ask, always: false, rule: StringId::NONE };
    let ruled = Event::rule_evaluated(CallId(0), ruling);
    let revealed = Event::on(CallId(0), EventKind::Revealed, Actor::Person);
    let awaited = Event { deadline: Some(9), ..Event::on(CallId(0), EventKind::Awaited, Actor::Timer) };
    let call = after(&[ASKED, ruled, revealed, answered(true), awaited]);
    assert_eq!(call.output_wait(), OutputWait::Until(9));
    for (kind, stays) in [(EventKind::Withdrawn, true), (EventKind::Voided, false)] {
        let call = changed(call, &[Event::on(CallId(0), kind, Actor::Application)]);
        let is_ruled = call.question().is_some_and(|question| question.ruling == Some(ruling));
        assert_eq!((is_ruled, call.unmasked()), (stays, stays), "{kind:?}");
        assert_eq!(call.output_wait(), OutputWait::Unlimited, "{kind:?}");
    }
}

#[test]
fn a_late_denial_is_that_of_its_author() {
    let denied = |kind, actor| Event::answer(CallId(0), kind, Decision::new(false, actor));
    let by_time = denied(EventKind::Answered, Actor::Timer);
    let call = after(&[ASKED, by_time, denied(EventKind::LateDenial, Actor::Person)]);
    assert_eq!(call.decision().map(|decision| decision.actor), Some(Actor::Person));
}

#[test]
fn an_allowance_that_its_response_asks_about_again_is_void() {
    let asked = Event { request: RequestId(1), ..ASKED };
    let call = changed(decided(true, Delivery::Delivered(RequestId(1))), &[asked]);
    assert!(call.asking() && call.answer_invalidated());
    let replayed = changed(call, &[ASKED]);
    assert!(replayed.asking() && !replayed.answer_invalidated());
}

#[test]
fn a_denial_leaves_no_output_and_an_allowance_keeps_it() {
    let recalled = |approved| {
        Event::restored(
            CallId(0),
            EventKind::Recalled,
            Decision::new(approved, Actor::History),
            Delivery::Failed,
            false,
        )
    };
    let output = put_out(Delivery::History);
    let denied = changed(output, &[recalled(false)]);
    assert_eq!((denied.output(), denied.denied(), denied.delivery()), (None, true, Delivery::Failed));
    let allowed = changed(output, &[recalled(true)]);
    let expected = (Some(Author::History), true, Delivery::History);
    assert_eq!((allowed.output(), allowed.allowed(), allowed.delivery()), expected);
}

#[test]
fn the_same_question_again_has_no_more_time_and_keeps_its_draft() {
    let marked = Event::annotated(CallId(0), true, Some(9), Some(9));
    let decision = Decision::new(false, Actor::Person);
    let drafted = Event { actor: Actor::Person, ..Event::answer(CallId(0), EventKind::Drafted, decision) };
    let call = changed(asking(), &[marked, drafted, ASKED]);
    assert_eq!((call.deadline(), call.draft().map(|draft| draft.decision)), (Some(9), Some(decision)));
    let other = Event::asked(CallId(0), StringId(3), 7, Actor::Server);
    let call = changed(call, &[other]);
    assert_eq!((call.deadline(), call.draft(), call.input()), (None, None, 7));
}

#[test]
fn law_6_the_output_of_a_run_keeps_the_input_of_the_run() {
    let answered = |edit| {
        let decision = Decision { edit, ..Decision::new(true, Actor::Person) };
        Event::answer(CallId(0), EventKind::Answered, decision)
    };
    let ran = [ASKED, answered(7), SENT, output(Author::Server)];
    let again = changed(after(&ran), &[ASKED, answered(8), SENT]);
    let stands = changed(again, &[Event::put_back(CallId(0), Author::Server, true)]);
    assert_eq!((stands.edit(), stands.ran()), (7, Some(Author::Server)));
    assert_eq!(stands.outcome(), Some(Outcome::SupersededInDoubt), "nobody knows of the other run");
    let known = changed(again, &[Event::put_back(CallId(0), Author::Server, false)]);
    assert_eq!(known.outcome(), Some(Outcome::AllowedOnce));
    let newer = changed(again, &[output(Author::Server)]);
    assert_eq!((newer.edit(), newer.ran()), (8, None));
}

#[test]
fn law_5_an_output_that_was_there_before_the_first_question_is_put_back_by_nobody() {
    for author in [Author::Server, Author::History] {
        let call = after(&[output(author), ASKED]);
        assert_eq!((call.may_have_run(), call.ran()), (true, None), "{author:?}: nobody has allowed it");
        let answered = after(&[output(author), answered(true), ASKED]);
        assert_eq!(answered.ran(), Some(author));
    }
    assert!(!after(&[output(Author::Page), ASKED]).may_have_run(), "a page runs no call that asks");
}

#[test]
fn law_16_a_question_in_a_response_says_nothing_of_an_earlier_request() {
    let again = Event { request: RequestId(1), ..ASKED };
    let asks_after = |events: &[Event]| changed(after(events), &[again]);
    assert!(!asks_after(&[ASKED, answered(true), SENT]).may_have_run(), "it was refused");
    let mut repeated = after(&[ASKED, answered(true), SENT]);
    repeated.failed(RequestId(1), true);
    let repeated = changed(repeated, &[SENT, again]);
    assert!(repeated.may_have_run(), "the first request may have run it");
    assert!(changed(repeated, &[answered(true), SENT, again]).may_have_run(), "as often as it asks");
}
