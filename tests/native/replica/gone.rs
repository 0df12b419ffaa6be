//! Tabs that are gone, leave, or act alone: what they have left.

use tool_approval_guard::core::decision::Actor;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::Reach;
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::replica::{LEASE, may_send};

use super::{answered, carried, line, of_request, recall, tab, two_tabs};

#[test]
fn what_a_gone_tab_has_left_is_offered() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true)]);
    store.transact(&mut two, 0, &[]);
    assert!(two.wakes_after().is_some());
    // It writes again, so its lease starts again.
    store.transact(&mut one, 0, &[]);
    store.transact(&mut two, LEASE - 1, &[]);
    store.transact(&mut two, LEASE + 1, &[]);
    assert!(recall(&two, 1).is_some_and(|told| told.elsewhere));
    store.transact(&mut two, 2 * LEASE - 1, &[]);
    let told = recall(&two, 1).expect("what stands");
    assert_eq!((told.elsewhere, told.reach), (false, Reach::Unsent));
    assert!(store.transact(&mut two, 2 * LEASE, &[carried(1, true, 1, Actor::Person)]));
    assert!(!store.transact(&mut one, 9 * LEASE, &[carried(1, true, 1, Actor::Application)]), "too late");
    assert_eq!(recall(&one, 1).map(|told| (told.elsewhere, told.reach)), Some((true, Reach::Sent)));
}

#[test]
fn law_13_what_a_gone_tab_has_claimed_is_in_doubt_and_for_a_person() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]);
    store.transact(&mut two, 0, &[]);
    store.transact(&mut two, LEASE, &[]);
    assert_eq!(recall(&two, 1).map(|told| (told.elsewhere, told.reach)), Some((false, Reach::Sent)));
    assert!(!store.transact(&mut two, LEASE, &[carried(1, true, 7, Actor::Application)]));
    assert!(one.claims_hold(1));
    assert!(store.transact(&mut two, LEASE, &[carried(1, true, 8, Actor::Person)]));
    assert!(two.claims_hold(8));
    store.transact(&mut one, 0, &[]);
    assert!(!one.claims_hold(1), "the claim is another tab's");
    // News that the first tab now receives does not concern the second request.
    store.transact(&mut one, 0, &[of_request(EventKind::Failed, 1, false)]);
    store.transact(&mut two, LEASE, &[]);
    assert!(two.claims_hold(8));
}

#[test]
fn how_a_request_has_ended_is_known_in_all_tabs_and_nobody_waits_any_more() {
    let ends = [
        (EventKind::Ended, false, Reach::Ended, true),
        (EventKind::Failed, true, Reach::Sent, false),
        (EventKind::Failed, false, Reach::Failed, false),
    ];
    for (kind, doubt, reach, elsewhere) in ends {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]);
        store.transact(&mut one, 0, &[of_request(EventKind::Started, 1, false), of_request(kind, 1, doubt)]);
        store.transact(&mut two, 0, &[]);
        let told = recall(&two, 1).expect("what stands");
        assert_eq!((told.elsewhere, told.reach), (elsewhere, reach), "{kind:?}");
        assert_eq!((one.wakes_after(), two.wakes_after()), (None, None));
        let before = store.clone();
        store.transact(&mut one, 5000, &[]);
        store.transact(&mut two, 5000, &[]);
        assert_eq!(store, before, "nobody writes any more");
    }
}

/// Law 16: a list without the call takes nothing back of what its tab has sent.
#[test]
fn a_call_that_its_tab_has_taken_out_of_its_list_is_still_that_tabs_while_its_request_runs() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]);
    store.transact(&mut one, 0, &[line(EventKind::Gone, 1, None)]);
    store.transact(&mut two, 0, &[]);
    assert_eq!(recall(&two, 1).map(|told| (told.elsewhere, told.reach)), Some((true, Reach::Sent)));
    assert!(one.wakes_after().is_some());
    store.transact(&mut one, 0, &[of_request(EventKind::Failed, 1, true)]);
    store.transact(&mut two, 0, &[]);
    assert_eq!(recall(&two, 1).map(|told| (told.elsewhere, told.reach)), Some((false, Reach::Sent)));
}

/// Laws 7 and 13: what a page finds in its messages takes back no allowance that another one has sent: that tab could never
/// send it again.
#[test]
fn a_denial_that_is_found_in_the_messages_takes_back_no_allowance_that_was_sent() {
    for (doubt, stands) in [(true, true), (false, false)] {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]);
        store.transact(&mut one, 0, &[of_request(EventKind::Failed, 1, doubt)]);
        let found = Line { actor: Some(Actor::History), ..answered(1, false) };
        store.transact(&mut two, 0, &[found]);
        assert_eq!(store.transact(&mut one, 0, &[carried(1, true, 2, Actor::Person)]), stands, "{doubt}");
        assert!(store.transact(&mut two, 0, &[carried(1, false, 1, Actor::Person)]), "it leaves from there");
        let own = store.transact(&mut tab(3), 0, &[carried(1, false, 1, Actor::Person)]);
        assert_eq!(own, !stands, "a denial of another tab comes too late");
    }
}

/// What a tab is told is the current state, so a tab that was told of another tab's answer learns that it is gone.
#[test]
fn an_answer_that_its_tab_has_taken_back_is_nobodys() {
    for approved in [true, false] {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[answered(1, approved)]);
        store.transact(&mut two, 0, &[line(EventKind::Elsewhere, 1, Some(approved))]);
        let told = recall(&two, 1).map(|told| (told.approved, told.elsewhere));
        assert_eq!(told, Some((Some(approved), approved)));
        store.transact(&mut one, 0, &[line(EventKind::Withdrawn, 1, None)]);
        store.transact(&mut two, 0, &[]);
        let told = recall(&two, 1).expect("the question");
        assert_eq!((told.approved, told.draft, told.elsewhere), (None, false, false));
        assert_eq!((told.asked_at, told.deadline), (None, None), "this tab has waited itself");
        // A draft of an open tab is not told, but that nothing else stands is.
        store.transact(&mut one, 0, &[line(EventKind::Drafted, 1, Some(true))]);
        store.transact(&mut two, 0, &[]);
        let told = two.recall(Some("approval-1"), "call-1", "bash", false);
        assert_eq!(told.iter().map(|told| (told.approved, told.draft)).collect::<Vec<_>>(), [(None, false)]);
        // The question is asked again where it was answered elsewhere. It takes no answer back.
        store.transact(&mut one, 0, &[answered(1, approved)]);
        store.transact(&mut two, 0, &[line(EventKind::Asked, 1, None)]);
        let told = recall(&two, 1).map(|told| (told.approved, told.elsewhere));
        assert_eq!(told, Some((Some(approved), approved)));
    }
}

#[test]
fn a_page_that_leaves_or_is_loaded_again_is_not_waited_for() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true)]);
    one.leave();
    store.transact(&mut one, 0, &[]);
    store.transact(&mut two, 0, &[]);
    assert_eq!(recall(&two, 1).map(|told| told.elsewhere), Some(false));

    let (mut store, mut one, _) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true)]);
    let mut next = tab(3);
    store.read(&mut next, 0).expect("the document");
    next.give_up(&format!("{:016x}", 1));
    store.write(&mut next);
    next.written();
    assert_eq!(recall(&next, 1).map(|told| (told.elsewhere, told.reach)), Some((false, Reach::Unsent)));
}

/// A tab that cannot use the store any more does not know what the open tabs do.
#[test]
fn law_13_a_tab_that_goes_alone_takes_over_nothing_of_an_open_tab() {
    for approved in [true, false] {
        let (mut store, mut one, mut two) = two_tabs();
        store.transact(&mut one, 0, &[line(EventKind::Drafted, 1, Some(approved))]);
        store.transact(&mut two, 0, &[]);
        two.go_alone();
        let told = recall(&two, 1).expect("the question");
        assert_eq!((told.approved, told.draft, told.elsewhere), (None, false, false));
    }
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true)]);
    store.transact(&mut two, 0, &[]);
    two.go_alone();
    assert_eq!(recall(&two, 1).map(|told| (told.elsewhere, told.reach)), Some((false, Reach::Sent)));
    // What a tab that was gone before has left is still offered.
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[line(EventKind::Drafted, 1, Some(true))]);
    store.transact(&mut two, 0, &[]);
    store.transact(&mut two, LEASE, &[]);
    two.go_alone();
    assert_eq!(recall(&two, 1).map(|told| (told.draft, told.approved)), Some((true, Some(true))));
}

#[test]
fn each_tab_has_its_own_drafts_and_of_two_the_denial_counts() {
    let drafted = |approved| line(EventKind::Drafted, 1, Some(approved));
    let undone = || line(EventKind::Undone, 1, None);
    for denies_first in [true, false] {
        let (mut store, mut one, mut two) = two_tabs();
        let drafts = if denies_first { [false, true] } else { [true, false] };
        store.transact(&mut one, 0, &[drafted(drafts[0])]);
        store.transact(&mut two, 0, &[drafted(drafts[1])]);
        store.transact(&mut one, 0, &[]);
        let (denies, allows) = if denies_first { (&mut one, &mut two) } else { (&mut two, &mut one) };
        let told = recall(allows, 1).expect("the other draft");
        assert_eq!((told.draft, told.approved, told.elsewhere), (true, Some(false), true));
        assert_eq!(recall(denies, 1), None);
        // One of them undoes its draft, and the other draft stays.
        store.transact(allows, 0, &[undone()]);
        assert!(recall(allows, 1).is_some_and(|told| told.draft));
        store.transact(denies, 0, &[undone()]);
        store.transact(allows, 0, &[]);
        assert_eq!(recall(allows, 1).map(|told| (told.draft, told.approved)), Some((false, None)));
    }
}

#[test]
fn the_draft_of_another_tab_counts_only_in_a_transaction() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 10, &[line(EventKind::Drafted, 1, Some(false))]);
    store.transact(&mut two, 20, &[]);
    let drafts = |commits| {
        let told = two.recall(Some("approval-1"), "call-1", "bash", commits);
        told.iter().filter(|told| told.draft && told.elsewhere && told.approved == Some(false)).count()
    };
    assert_eq!((drafts(false), drafts(true)), (0, 1));
}

#[test]
fn a_claim_may_be_used_for_half_a_lease() {
    assert!(may_send(1_000, 1_000));
    assert!(may_send(1_000, 1_000 + LEASE / 2));
    assert!(!may_send(1_000, 1_001 + LEASE / 2));
    assert!(may_send(1_000, 0), "a clock that was set back ends no lease");
}
