//! Which answer stands, and which tab sends it.

use tool_approval_guard::core::decision::Actor;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::Reach;
use tool_approval_guard::core::record::Replica;
use tool_approval_guard::core::record::known_call::Class;
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::replica::LEASE;

use super::{answered, carried, line, of_request, recall, tab, two_tabs};
use crate::common::store::Store;

#[test]
fn all_tabs_hash_with_the_salt_of_the_document() {
    let (_, one, two) = two_tabs();
    assert_eq!(one.hash("x"), two.hash("x"));
}

#[test]
fn law_7_the_first_answer_wins_and_the_second_is_recorded_as_refused() {
    for approved in [true, false] {
        let (mut store, mut one, mut two) = two_tabs();
        assert!(store.transact(&mut one, 0, &[answered(1, approved)]));
        assert!(!store.transact(&mut two, 0, &[answered(1, true)]));
        let told = recall(&two, 1).expect("what stands");
        assert_eq!((told.approved, told.elsewhere, told.reach), (Some(approved), approved, Reach::Unsent));
        assert_eq!(recall(&one, 1), None, "what a tab has said it knows");
        let last = two.chain().newest(1).last().expect("a line").line.clone();
        assert_eq!((last.kind, last.approved), (EventKind::Refused, Some(true)));
    }
}

#[test]
fn law_7_a_denial_beats_an_allowance_that_nobody_has_claimed() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true)]);
    assert!(store.transact(&mut two, 0, &[answered(1, false)]));
    assert!(!store.transact(&mut one, 0, &[carried(1, true, 1, Actor::Application)]));
    assert_eq!(recall(&one, 1).and_then(|told| told.approved), Some(false));
}

/// Whatever has become of its request, also if its tab is gone since.
#[test]
fn law_7_a_denial_is_refused_once_a_request_has_carried_the_allowance() {
    let ends = [
        (None, 0, Reach::Sent, true),
        (None, LEASE, Reach::Sent, false),
        (Some(of_request(EventKind::Failed, 1, true)), 0, Reach::Sent, false),
        (Some(of_request(EventKind::Failed, 1, false)), 0, Reach::Failed, false),
        (Some(of_request(EventKind::Ended, 1, false)), 0, Reach::Ended, true),
    ];
    for (end, later, reach, elsewhere) in ends {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]);
        let end: Vec<Line> = end.into_iter().collect();
        store.transact(&mut one, 0, &end);
        store.transact(&mut two, 0, &[]);
        assert!(!store.transact(&mut two, later, &[answered(1, false)]), "{end:?}");
        let told = recall(&two, 1).expect("what stands");
        assert_eq!((told.approved, told.elsewhere, told.reach), (Some(true), elsewhere, reach), "{end:?}");
    }
}

#[test]
fn law_7_no_allowance_is_given_against_a_denial_that_another_tab_has_drafted() {
    for is_closed in [false, true] {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[line(EventKind::Drafted, 1, Some(false))]);
        if is_closed {
            one.leave();
            store.transact(&mut one, 0, &[]);
        }
        assert!(!store.transact(&mut two, 0, &[answered(1, true)]));
        let told = recall(&two, 1).expect("the draft");
        assert_eq!((told.approved, told.draft, told.elsewhere), (Some(false), true, !is_closed));
        assert!(!store.transact(&mut two, 0, &[carried(1, true, 1, Actor::Application)]));
        if !is_closed {
            store.transact(&mut one, 0, &[line(EventKind::Undone, 1, None)]);
            assert!(store.transact(&mut two, 0, &[answered(1, true)]), "the draft was undone");
        }
    }
}

#[test]
fn law_7_a_denial_that_is_drafted_beats_an_allowance_that_another_tab_has_not_sent() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true)]);
    store.transact(&mut two, 0, &[line(EventKind::Drafted, 1, Some(false))]);
    assert!(!store.transact(&mut one, 0, &[carried(1, true, 1, Actor::Application)]));
    let told = recall(&one, 1).expect("the draft");
    assert_eq!((told.approved, told.draft, told.elsewhere), (Some(false), true, true));
    store.transact(&mut two, 0, &[line(EventKind::Undone, 1, None)]);
    assert!(store.transact(&mut one, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]));

    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]);
    store.transact(&mut two, 0, &[line(EventKind::Drafted, 1, Some(false))]);
    let told = recall(&two, 1).expect("what was sent stands");
    assert_eq!((told.approved, told.draft, told.reach), (Some(true), false, Reach::Sent));
}

/// The tab that denied may have been stopped, and then lives on without sending its denial.
#[test]
fn law_7_a_denial_that_nobody_has_sent_stands_in_every_tab_and_any_of_them_may_send_it() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, false)]);
    store.transact(&mut two, 0, &[]);
    let told = recall(&two, 1).expect("what stands");
    assert_eq!((told.approved, told.elsewhere, told.reach), (Some(false), false, Reach::Unsent));
    assert_eq!((one.wakes_after(), two.wakes_after()), (None, None), "nobody waits");
    store.transact(&mut two, 0, &[line(EventKind::Recalled, 1, Some(false))]);
    assert!(!store.transact(&mut two, 0, &[answered(1, true)]), "it is no question");
    store.transact(&mut two, 0, &[line(EventKind::Withdrawn, 1, None)]);
    assert_eq!(
        recall(&two, 1).and_then(|told| told.approved),
        Some(false),
        "it is not this tab's to take back"
    );
    assert!(store.transact(&mut two, 0, &[carried(1, false, 1, Actor::Person)]));
    store.transact(&mut one, 0, &[]);
    let told = recall(&one, 1).expect("what stands");
    assert_eq!((told.approved, told.elsewhere, told.reach), (Some(false), true, Reach::Sent));
}

/// A tab that has not read the record yet has no salt: it asks without the hash of the input.
#[test]
fn law_7_a_tab_that_asks_before_it_has_read_takes_no_answer_back() {
    for approved in [true, false] {
        let (mut store, mut one, mut two) = two_tabs();
        let sent = carried(1, true, 1, Actor::Application);
        store.transact(&mut one, 0, &[answered(1, true), sent]);
        let asked = Line { input_hash: None, ..line(EventKind::Asked, 1, None) };
        assert!(!store.transact(&mut two, 0, &[asked, answered(1, approved)]));
        let mut three = tab(3);
        store.transact(&mut three, 0, &[line(EventKind::Asked, 1, None)]);
        for other in [&two, &three] {
            let told = recall(other, 1).expect("what stands");
            assert_eq!((told.approved, told.elsewhere, told.reach), (Some(true), true, Reach::Sent));
        }
    }
}

/// The tab that allowed the call had not read the record, so no line has the hash of its input.
#[test]
fn law_13_a_question_takes_back_no_answer_of_an_unknown_input_that_was_sent() {
    let (mut store, mut one, mut two, mut three) = (Store::default(), tab(1), tab(2), tab(3));
    store.transact(&mut two, 0, &[answered(1, true)]);
    store.transact(&mut one, 0, &[]);
    assert!(store.transact(&mut one, 0, &[carried(1, true, 1, Actor::Application)]));
    store.transact(&mut three, 0, &[line(EventKind::Asked, 1, None)]);
    assert!(!store.transact(&mut two, 0, &[carried(1, true, 2, Actor::Application)]));
    let told = recall(&three, 1).expect("what stands");
    assert_eq!((told.approved, told.elsewhere, told.reach), (Some(true), true, Reach::Sent));
}

#[test]
fn law_5_an_allowance_that_a_question_has_taken_back_is_not_sent() {
    let (mut store, mut one, mut two) = (Store::default(), tab(1), tab(2));
    store.transact(&mut one, 0, &[answered(1, true)]);
    store.transact(&mut two, 0, &[line(EventKind::Asked, 1, None)]);
    assert!(!store.transact(&mut one, 0, &[carried(1, true, 1, Actor::Application)]));
    assert!(store.transact(&mut two, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]));
}

#[test]
fn law_7_an_answer_that_another_tab_has_claimed_is_not_given_again() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true)]);
    assert!(store.transact(&mut two, 0, &[carried(1, true, 1, Actor::Application)]));
    assert!(!store.transact(&mut one, 0, &[answered(1, true)]));
    assert!(!store.transact(&mut one, 0, &[carried(1, true, 2, Actor::Application)]));
    assert!(two.claims_hold(1));
}

#[test]
fn any_tab_sends_what_no_tab_has_claimed_and_only_one_does() {
    for first in [1, 2] {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[answered(1, true)]);
        store.transact(&mut two, 0, &[answered(2, true)]);
        store.transact(&mut one, 0, &[]);
        for (tab, call) in [(&one, 2), (&two, 1)] {
            let told = recall(tab, call).expect("the answer of the other tab");
            assert_eq!((told.approved, told.elsewhere, told.reach), (Some(true), true, Reach::Unsent));
        }
        let (sender, other) = if first == 1 { (&mut one, &mut two) } else { (&mut two, &mut one) };
        let claims = [1, 2].map(|call| carried(call, true, 1, Actor::Application));
        assert!(store.transact(sender, 0, &claims));
        assert!(sender.claims_hold(1));
        assert!(!store.transact(other, 0, &claims), "the other tab was first");
        for call in [1, 2] {
            let told = recall(other, call).expect("what the other tab sends");
            assert_eq!((told.approved, told.elsewhere, told.reach), (Some(true), true, Reach::Sent));
        }
        assert!(sender.claims_hold(1));
        store.transact(sender, 0, &[of_request(EventKind::Ended, 1, false)]);
        store.transact(other, 0, &[]);
        for call in [1, 2] {
            let told = recall(other, call).expect("what the other tab has sent");
            assert_eq!((told.approved, told.elsewhere, told.reach), (Some(true), true, Reach::Ended));
        }
    }
}

#[test]
fn law_7_a_stop_takes_back_only_the_answers_of_its_own_tab() {
    for approved in [true, false] {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 10, &[answered(1, approved), carried(1, approved, 1, Actor::Application)]);
        let ended = [EventKind::Started, EventKind::Ended].map(|kind| of_request(kind, 1, false));
        store.transact(&mut one, 15, &ended);
        if approved {
            let output = Line { actor: Some(Actor::Server), ..line(EventKind::Output, 1, None) };
            store.transact(&mut one, 16, &[output]);
        }
        // The other tab has drafted, and has not read this yet.
        let withdrawn = Line { actor: Some(Actor::Stop), ..line(EventKind::Withdrawn, 1, None) };
        let lines = [line(EventKind::Drafted, 1, Some(true)), withdrawn, answered(1, true)];
        store.transact(&mut two, 20, &lines);
        store.transact(&mut one, 30, &[]);
        for tab in [&one, &two] {
            let call = &tab.known().calls()[0];
            let decision = call.call.decision().map(|decision| decision.approved);
            assert_eq!(decision, Some(approved));
            let sent = tab.chain().newest(usize::MAX).filter(|kept| kept.line.kind == EventKind::Answered);
            assert_eq!(sent.count(), 1, "no other answer counts");
        }
    }
}

#[test]
fn law_7_a_stop_takes_back_no_denial_of_another_tab_that_has_replaced_its_allowance() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 10, &[answered(1, true)]);
    assert!(store.transact(&mut two, 20, &[answered(1, false)]));
    let withdrawn = Line { actor: Some(Actor::Stop), ..line(EventKind::Withdrawn, 1, None) };
    store.transact(&mut one, 30, &[withdrawn]);
    assert!(!store.transact(&mut one, 40, &[answered(1, true)]), "no yes after a committed no");
    store.transact(&mut two, 50, &[]);
    for tab in [&one, &two] {
        let decision = tab.known().calls()[0].call.decision().map(|decision| decision.approved);
        assert_eq!(decision, Some(false));
    }
}

#[test]
fn law_14_a_denial_of_another_tab_stays_that_of_another_tab_while_its_response_runs() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 10, &[answered(1, false), carried(1, false, 1, Actor::Application)]);
    let settled = Line { actor: Some(Actor::Server), ..line(EventKind::Settled, 1, None) };
    for (at, line) in [
        (20, of_request(EventKind::Started, 1, false)),
        (30, settled),
        (40, of_request(EventKind::Ended, 1, false)),
    ] {
        let kind = line.kind;
        store.transact(&mut one, at, &[line]);
        store.transact(&mut two, at, &[]);
        let told = recall(&two, 1).expect("what stands");
        assert_eq!((told.approved, told.elsewhere), (Some(false), true), "after {kind:?}");
    }
}

#[test]
fn law_7_a_denial_is_not_sent_after_the_allowance_of_another_tab() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 10, &[answered(1, true), carried(1, true, 1, Actor::Application)]);
    store.transact(&mut two, 20, &[answered(1, false), carried(1, false, 1, Actor::Application)]);
    assert_eq!(two.known().calls()[0].call.decision().map(|decision| decision.approved), Some(true));
    let sent = two.chain().newest(usize::MAX).filter(|kept| kept.line.kind == EventKind::Sent);
    assert_eq!(sent.map(|kept| kept.line.approved).collect::<Vec<_>>(), [Some(true)]);
}

/// What a tab records when a message of its user moves on from a call that was allowed in another tab: the list that
/// leaves says that the result is not known.
fn moved_on(id: u64, request: u64) -> [Line; 4] {
    let (doubt, approved) = (Some(true), Some(false));
    let superseded = Line { doubt, ..line(EventKind::Superseded, id, approved) };
    let sent = Line { doubt, ..carried(id, false, request, Actor::Person) };
    let actor = Some(Actor::Superseded);
    [
        Line { actor, ..superseded },
        Line { actor, ..line(EventKind::ClosedByUserMessage, id, None) },
        sent,
        line(EventKind::Settled, id, None),
    ]
}

#[test]
fn law_14_a_message_in_another_tab_does_not_close_an_allowance_that_was_sent() {
    let ends = [
        (None, Reach::Sent, true),
        (Some(of_request(EventKind::Started, 1, false)), Reach::Sent, true),
        (Some(of_request(EventKind::Failed, 1, true)), Reach::Sent, false),
        (Some(of_request(EventKind::Ended, 1, false)), Reach::Ended, true),
    ];
    for (end, reach, elsewhere) in ends {
        for ends_first in [true, false] {
            let (mut store, mut one, mut two) = two_tabs();
            let end: Vec<Line> = end.clone().into_iter().collect();
            store.transact(&mut one, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]);
            if ends_first {
                store.transact(&mut one, 0, &end);
            }
            assert!(store.transact(&mut two, 0, &moved_on(1, 1)), "the message leaves");
            store.transact(&mut two, 0, &[of_request(EventKind::Ended, 1, false)]);
            if !ends_first {
                store.transact(&mut one, 0, &end);
            }
            store.transact(&mut two, 0, &[]);
            let told = recall(&two, 1).expect("what stands");
            assert_eq!(
                (told.approved, told.elsewhere, told.reach),
                (Some(true), elsewhere, reach),
                "{end:?}"
            );
            assert_eq!(two.known().calls()[0].class(), Some(Class::Allowed));
        }
    }
}

/// The result shows that the call ran, also if no request has carried it yet, or if one was refused.
#[test]
fn law_14_a_message_in_another_tab_does_not_close_an_allowed_call_that_has_its_result() {
    let sent = carried(1, true, 1, Actor::Application);
    let output = |actor| Line { actor: Some(actor), ..line(EventKind::Output, 1, None) };
    let put = output(Actor::Application);
    let put_sent = Line { approved: None, ..carried(1, true, 1, Actor::Application) };
    let end = |kind, doubt| of_request(kind, 1, doubt);
    let ways = [
        vec![sent.clone(), output(Actor::Server)],
        vec![sent.clone(), end(EventKind::Started, false), output(Actor::Server)],
        vec![sent.clone(), output(Actor::Server), end(EventKind::Failed, true)],
        vec![sent, output(Actor::Server), end(EventKind::Ended, false)],
        vec![put.clone()],
        vec![put.clone(), put_sent.clone()],
        vec![put.clone(), put_sent.clone(), end(EventKind::Failed, false)],
        vec![put, put_sent, end(EventKind::Ended, false)],
    ];
    for way in ways {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[&[answered(1, true)][..], &way[..]].concat());
        assert!(store.transact(&mut two, 0, &moved_on(1, 1)), "the message leaves");
        store.transact(&mut two, 0, &[of_request(EventKind::Failed, 1, false)]);
        store.transact(&mut one, 0, &[]);
        for tab in [&one, &two] {
            let call = &tab.known().calls()[0];
            assert_eq!(call.class(), Some(Class::Allowed), "{way:?}");
            assert!(call.call.output().is_some(), "{way:?}");
            assert!(recall(tab, 1).is_none_or(|told| told.approved == Some(true) && told.settled), "{way:?}");
        }
    }
}

#[test]
fn law_7_no_denial_takes_back_that_a_call_has_run() {
    let output = Line { actor: Some(Actor::Application), ..line(EventKind::Output, 1, None) };
    for (denial, is_recorded) in
        [(answered(1, false), false), (Line { actor: Some(Actor::History), ..answered(1, false) }, true)]
    {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[answered(1, true), output.clone()]);
        assert_eq!(store.transact(&mut two, 0, &[denial]), is_recorded);
        assert_eq!(recall(&two, 1).and_then(|told| told.approved), Some(true));
        assert_eq!(two.known().calls()[0].class(), Some(Class::Allowed));
    }
}

/// The tab whose answer completes a step sends all of it, also what another tab has allowed.
#[test]
fn law_14_a_message_does_not_close_an_allowance_that_another_tab_has_sent_for_this_one() {
    for is_gone in [false, true] {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[answered(1, true)]);
        store.transact(&mut two, 0, &[carried(1, true, 1, Actor::Application)]);
        if is_gone {
            two.leave();
            store.transact(&mut two, 0, &[]);
            store.transact(&mut one, 0, &[line(EventKind::Recalled, 1, Some(true))]);
        }
        store.transact(&mut one, 0, &moved_on(1, 1));
        let class = one.known().calls()[0].class();
        assert_eq!(class, Some(if is_gone { Class::Abandoned } else { Class::Allowed }));
    }
}

#[test]
fn law_7_a_message_in_another_tab_closes_an_allowance_that_was_not_sent() {
    let refused = [of_request(EventKind::Failed, 1, false)];
    let left = [answered(1, true), carried(1, true, 1, Actor::Application)];
    for lines in [&[answered(1, true)][..], &[&left[..], &refused[..]].concat()] {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, lines);
        assert!(store.transact(&mut two, 0, &moved_on(1, 1)));
        assert!(!store.transact(&mut one, 0, &[carried(1, true, 2, Actor::Person)]));
        assert_eq!(recall(&one, 1).and_then(|told| told.approved), Some(false));
        assert_eq!(two.known().calls()[0].class(), Some(Class::Abandoned));
    }
}

/// A tool of the page runs for a while, and meanwhile the chat may be opened in another tab.
#[test]
fn law_2_a_tab_that_opens_between_an_answer_and_its_request_leaves_the_call_to_the_other_tab() {
    let (mut store, mut one, _) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true)]);
    let mut late = tab(3);
    store.transact(&mut late, 0, &[]);
    let told = |tab: &Replica| recall(tab, 1).map(|told| (told.elsewhere, told.reach));
    assert_eq!(told(&late), Some((true, Reach::Unsent)));
    store.transact(&mut one, 0, &[carried(1, true, 1, Actor::Application)]);
    store.transact(&mut one, 0, &[of_request(EventKind::Ended, 1, false)]);
    store.transact(&mut late, 0, &[]);
    assert_eq!(told(&late), Some((true, Reach::Ended)));
    let mut later = tab(4);
    store.transact(&mut later, 0, &[]);
    assert_eq!(told(&later), Some((false, Reach::Ended)), "it was over before");
}
