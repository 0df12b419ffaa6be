//! Tests of several tabs that share one document. Whatever the tabs append, and in whatever order their
//! transactions run, they agree, the first answer wins, and no answer is sent twice.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;
use tool_approval_guard::core::decision::Actor;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::Reach;
use tool_approval_guard::core::record::known_call::Class;
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::replica::{LEASE, may_send};
use tool_approval_guard::core::record::verify::{Verdict, verify};
use tool_approval_guard::core::record::{Fault, Recollection, Replica};

use crate::common::occurrences::{config, seed};
use crate::common::store::Store;

const CHAT: &str = "chat";
const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn tab_that_keeps(number: u64, keep: usize) -> Replica {
    let salt = SALT.replace("00", &format!("0{}", number % 10));
    Replica::new(&format!("{number:016x}"), CHAT, &salt, keep, true).expect("a replica")
}

fn tab(number: u64) -> Replica {
    tab_that_keeps(number, 64)
}

fn line(kind: EventKind, id: u64, approved: Option<bool>) -> Line {
    Line {
        kind,
        actor: Some(Actor::Person),
        approval_id: Some(format!("approval-{id}")),
        approved,
        at: 1,
        input_hash: (kind == EventKind::Asked).then(|| format!("{id:064x}")),
        tool_call_id: Some(format!("call-{id}")),
        tool_name: Some("bash".to_owned()),
        ..Line::default()
    }
}

fn answered(id: u64, approved: bool) -> Line {
    line(EventKind::Answered, id, Some(approved))
}

/// A request that carries an answer: one that the chat sends by itself, or one that a person asked for.
fn carried(id: u64, approved: bool, request: u64, actor: Actor) -> Line {
    Line { actor: Some(actor), request: Some(request), ..line(EventKind::Sent, id, Some(approved)) }
}

fn of_request(kind: EventKind, request: u64, doubt: bool) -> Line {
    Line { kind, request: Some(request), doubt: Some(doubt), ..Line::default() }
}

fn recall(tab: &Replica, id: u64) -> Option<Recollection> {
    let mut told = tab.recall(Some(&format!("approval-{id}")), &format!("call-{id}"), "bash", true);
    assert!(told.len() < 2);
    told.pop()
}

/// Two tabs that show the same call, which asks.
fn two_tabs() -> (Store, Replica, Replica) {
    let (mut store, mut one, mut two) = (Store::default(), tab(1), tab(2));
    store.transact(&mut one, 0, &[line(EventKind::Asked, 1, None)]);
    store.transact(&mut two, 0, &[line(EventKind::Asked, 1, None)]);
    (store, one, two)
}

#[test]
fn all_tabs_hash_with_the_salt_of_the_document() {
    let (_, one, two) = two_tabs();
    assert_eq!((one.salt(), one.hash("x")), (two.salt(), two.hash("x")));
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
        let last = two.chain().kept().back().expect("a line").line.clone();
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

    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true), carried(1, true, 1, Actor::Application)]);
    assert!(!store.transact(&mut two, 0, &[answered(1, false)]));
    let told = recall(&two, 1).expect("what stands");
    assert_eq!((told.approved, told.elsewhere, told.reach), (Some(true), true, Reach::Sent));
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
    assert!(two.stands(1));
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
        assert!(sender.stands(1));
        assert!(!store.transact(other, 0, &claims), "the other tab was first");
        for call in [1, 2] {
            let told = recall(other, call).expect("what the other tab sends");
            assert_eq!((told.approved, told.elsewhere, told.reach), (Some(true), true, Reach::Sent));
        }
        assert!(sender.stands(1));
        store.transact(sender, 0, &[of_request(EventKind::Ended, 1, false)]);
        store.transact(other, 0, &[]);
        for call in [1, 2] {
            let told = recall(other, call).expect("what the other tab has sent");
            assert_eq!((told.approved, told.elsewhere, told.reach), (Some(true), true, Reach::Ended));
        }
    }
}

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
    assert!(one.stands(1));
    assert!(store.transact(&mut two, LEASE, &[carried(1, true, 8, Actor::Person)]));
    assert!(two.stands(8));
    store.transact(&mut one, 0, &[]);
    assert!(!one.stands(1), "the claim is another tab's");
    // News that the first tab now receives does not concern the second request.
    store.transact(&mut one, 0, &[of_request(EventKind::Failed, 1, false)]);
    store.transact(&mut two, LEASE, &[]);
    assert!(two.stands(8));
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
    next.give_up(one.session());
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
fn a_transaction_that_nobody_has_heard_of_again_doubles_and_loses_nothing() {
    for written in [true, false] {
        let (mut store, mut one, mut two) = two_tabs();
        let before = store.clone();
        store.read(&mut one, 0).expect("the document");
        one.append(answered(1, true)).expect("a line");
        store.write(&mut one);
        one.failed();
        if !written {
            store = before;
        }
        store.transact(&mut two, 0, &[line(EventKind::Asked, 2, None)]);
        store.transact(&mut one, 0, &[carried(1, true, 1, Actor::Application)]);
        store.transact(&mut two, 0, &[]);
        let of = |kind| store.entries.iter().filter(|text| text.contains(kind)).count();
        assert_eq!((of(r#""answered""#), of(r#""carried""#)), (1, 1), "{written}");
        assert_eq!(recall(&one, 1), None);
        assert_eq!(recall(&two, 1).map(|told| told.reach), Some(Reach::Sent));
        assert!(matches!(verify(&two.export_jsonl(), &[&one.head()]), Verdict::Intact { .. }));
    }
}

#[test]
fn notes_and_grants_are_those_of_all_tabs() {
    let (mut store, mut one, mut two) = two_tabs();
    one.note("approval-1", "one").expect("a note");
    one.note("approval-9", "nobody knows this call").expect("a note");
    one.set_grants(Some(vec!["a".to_owned(), "b".to_owned()])).expect("grants");
    store.transact(&mut one, 0, &[]);
    two.set_grants(Some(vec!["c".to_owned()])).expect("grants");
    store.transact(&mut two, 0, &[]);
    one.set_grants(Some(vec!["b".to_owned()])).expect("grants");
    store.transact(&mut one, 0, &[]);
    assert_eq!(one.grants().map(<[_]>::to_vec), Some(vec!["c".to_owned(), "b".to_owned()]));
    assert_eq!(one.notes().iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["approval-1"]);
    let settled = line(EventKind::Settled, 1, None);
    store.transact(&mut two, 0, &[answered(1, false), settled]);
    assert_eq!(two.notes().len(), 0);
    assert_eq!(one.note("approval-1", &"x".repeat(4097)), Err(Fault::TooLarge));
    two.set_grants(None).expect("none");
    store.transact(&mut two, 0, &[]);
    assert_eq!(two.grants(), None);
}

#[test]
fn a_question_waits_where_it_was_asked() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[]);
    store.transact(&mut two, 0, &[line(EventKind::Asked, 2, None)]);
    let figures = |tab: &Replica| serde_json::to_value(tab.metrics()).expect("JSON");
    store.transact(&mut one, 0, &[]);
    assert_eq!((&figures(&one)["waiting"], &figures(&two)["waiting"]), (&json!(1), &json!(2)));
    let mut three = tab(3);
    store.transact(&mut three, 0, &[]);
    assert_eq!((&figures(&three)["waiting"], &figures(&three)["abandoned"]), (&json!(0), &json!(2)));
    assert_eq!(figures(&three)["asked"], 2);
}

#[test]
fn a_tab_that_was_away_while_entries_were_sealed_reads_all_again() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut one, 0, &[answered(1, true)]);
    for id in 2..400 {
        store.transact(&mut two, 0, &[line(EventKind::Asked, id, None)]);
    }
    assert!(store.first > 100 && store.entries.len() < 64 + 128, "{}", store.first);
    store.transact(&mut one, 0, &[]);
    assert_eq!((one.head(), one.state()), (two.head(), two.state()));
    let mut three = tab_that_keeps(3, 1000);
    store.transact(&mut three, 0, &[]);
    assert_eq!((three.head(), three.state()), (two.head(), two.state()));
    assert!(matches!(verify(&three.export_jsonl(), &[&one.head()]), Verdict::Intact { .. }));
}

// ---- what is not as it was written ----------------------------------------------------------------

fn fault(store: &Store) -> Option<Fault> {
    store.read(&mut tab(9), 0).err()
}

/// A document that contains everything that can be stored.
fn rich() -> Store {
    let (mut store, mut one, mut two) = two_tabs();
    for id in 2..140 {
        store.transact(&mut two, 0, &[line(EventKind::Asked, id, None)]);
    }
    one.note("approval-1", r#"{"reason":"a \"reason\""}"#).expect("a note");
    one.set_grants(Some(vec![r#"{"until":1.5}"#.to_owned()])).expect("grants");
    store.transact(&mut one, 0, &[line(EventKind::Drafted, 1, Some(true))]);
    assert!(store.first > 0 && fault(&store).is_none());
    store
}

#[test]
fn every_changed_byte_of_a_document_is_found() {
    let store = rich();
    let changed = |text: &str, at: usize| {
        let mut bytes = text.as_bytes().to_vec();
        bytes[at] ^= 1;
        String::from_utf8(bytes).expect("ASCII")
    };
    let [head, state] = [&store.head, &store.state].map(|text| text.clone().expect("a text"));
    for at in (0..160).chain((160..head.len()).step_by(97)) {
        let store = Store { head: Some(changed(&head, at)), ..store.clone() };
        assert!(fault(&store).is_some(), "byte {at} of the head");
    }
    for at in (0..160).chain((160..state.len()).step_by(11)) {
        let store = Store { state: Some(changed(&state, at)), ..store.clone() };
        assert!(fault(&store).is_some(), "byte {at} of the state");
    }
    for entry in (0..store.entries.len()).step_by(25) {
        for at in (0..store.entries[entry].len()).step_by(13) {
            let mut store = store.clone();
            store.entries[entry] = changed(&store.entries[entry], at);
            assert_eq!(fault(&store), Some(Fault::Corrupt), "byte {at} of entry {entry}");
        }
    }
    for entry in (0..store.entries.len()).step_by(3) {
        let mut store = store.clone();
        store.entries.remove(entry);
        assert_eq!(fault(&store), Some(Fault::Corrupt), "without entry {entry}");
    }
}

#[test]
fn what_is_not_ours_is_named() {
    let store = rich();
    let with = |change: &dyn Fn(&str) -> String| Store {
        head: store.head.as_deref().map(change),
        state: store.state.as_deref().map(change),
        ..store.clone()
    };
    assert_eq!(fault(&with(&|_| String::new())), Some(Fault::Foreign));
    assert_eq!(fault(&with(&|_| "hello".to_owned())), Some(Fault::Foreign));
    assert_eq!(fault(&with(&|text| text.replacen("record 2 ", "record 3 ", 1))), Some(Fault::Newer));
    assert_eq!(fault(&Store { head: None, ..store.clone() }), Some(Fault::Corrupt));
    assert_eq!(fault(&Store { state: None, ..store.clone() }), Some(Fault::Corrupt));
    let mut other = Replica::new(&"9".repeat(16), "other", SALT, 64, true).expect("a replica");
    assert_eq!(store.read(&mut other, 0), Err(Fault::OtherChat));
}

#[test]
fn an_older_document_and_one_that_is_gone_are_noticed() {
    let (mut store, mut one, mut two) = two_tabs();
    let older = store.clone();
    store.transact(&mut one, 0, &[answered(1, true)]);
    assert_eq!(older.read(&mut one, 0), Err(Fault::RolledBack));
    assert_eq!(Store::default().read(&mut one, 0), Err(Fault::Lost));

    // Another tab has started a new document in the place of the lost one, of whatever length.
    let (mut replaced, mut three) = (Store::default(), tab(3));
    for id in 0..3 {
        replaced.transact(&mut three, 0, &[line(EventKind::Asked, id, None)]);
        assert_eq!(replaced.read(&mut one, 0), Err(Fault::Lost));
    }
    assert_eq!(older.read(&mut two, 0), Ok(()), "it knows no more than that");
    // Lines of another history at the same place do not continue this one.
    let mut other = older;
    let mut three = tab(3);
    other.transact(&mut three, 0, &[answered(1, false), line(EventKind::Asked, 3, None)]);
    assert_eq!(other.read(&mut one, 0), Err(Fault::Corrupt));
}

#[test]
fn what_is_refused_to_be_read_changes_nothing() {
    let (mut store, mut one, mut two) = two_tabs();
    store.transact(&mut two, 0, &[answered(1, true)]);
    store.entries.last_mut().expect("an entry").push(' ');
    let before = (one.head(), recall(&one, 1));
    assert_eq!(store.read(&mut one, 0), Err(Fault::Corrupt));
    assert_eq!((one.head(), recall(&one, 1)), before);
}

// ---- any order of transactions --------------------------------------------------------------------

/// The next act of a tab.
#[derive(Clone, Copy, Debug)]
enum Act {
    Asks(u64),
    Answers(u64, bool),
    Sends(u64, bool, bool),
    Hears(u64, EventKind, bool),
    Looks,
    IsAway,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (1u64..4).prop_map(Act::Asks),
        (1u64..4, any::<bool>()).prop_map(|(id, approved)| Act::Answers(id, approved)),
        (1u64..4, any::<bool>(), any::<bool>()).prop_map(|(id, yes, person)| Act::Sends(id, yes, person)),
        (1u64..4, 0usize..3, any::<bool>()).prop_map(|(request, kind, doubt)| {
            Act::Hears(request, [EventKind::Started, EventKind::Ended, EventKind::Failed][kind], doubt)
        }),
        Just(Act::Looks),
        Just(Act::IsAway),
    ]
}

fn knows(tab: &Replica, id: u64) -> Option<bool> {
    let call = tab.known().call(Some(&format!("approval-{id}")), &format!("call-{id}"), "bash")?;
    Some(call.answer.as_ref()?.approved)
}

/// Checks the laws on the entries of one call alone, from first to last: no allowance is sent after a denial,
/// and none is sent twice without a person.
fn assert_laws(entries: &[String], id: u64) {
    let mut answer: Option<(bool, String)> = None;
    let mut carried: Option<(String, Option<u64>)> = None;
    for line in entries.iter().map(|text| Line::parse(text).expect("a line")) {
        let request = (line.session.clone(), line.request);
        if line.kind == EventKind::Failed && line.doubt == Some(false) && carried.as_ref() == Some(&request) {
            carried = None;
        }
        if line.tool_call_id != Some(format!("call-{id}")) {
            continue;
        }
        match line.kind {
            // If the session that has allowed the call asks again, its answer is taken back.
            EventKind::Asked if answer.as_ref().is_some_and(|(yes, by)| *yes && *by == line.session) => {
                (answer, carried) = (None, None);
            }
            EventKind::Answered => answer = line.approved.map(|approved| (approved, line.session)),
            EventKind::Sent if line.approved == Some(true) => {
                assert!(
                    answer.as_ref().is_none_or(|(approved, _)| *approved),
                    "a yes after a no: {entries:#?}"
                );
                let by_person = line.actor == Some(Actor::Person);
                assert!(by_person || carried.is_none(), "a yes left twice: {entries:#?}");
                carried = Some(request);
            }
            _ => {}
        }
    }
}

/// The histories of the tabs have a seed of their own.
fn tabs_config() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(seed(20_261_123)), ..config(200) }
}

proptest! {
    #![proptest_config(tabs_config())]

    #[test]
    fn law_10_all_tabs_fold_the_same_and_whoever_opens_folds_it_too(
        acts in prop::collection::vec((0usize..3, act(), any::<bool>()), 1..120),
    ) {
        let mut store = Store::default();
        let mut tabs = [tab(1), tab(2), tab(3)];
        let mut now = 0;
        let mut requests = 0;
        // What the guard of each tab has sent: the calls with their requests. A guard forgets nothing when its
        // storage fails.
        let mut sent = [const { BTreeMap::new() }; 3];
        for (at, act, heard) in acts {
            let (tab, sent) = (&mut tabs[at], &mut sent[at]);
            now += if matches!(act, Act::IsAway) { LEASE } else { 100 };
            let lines = match act {
                Act::Asks(id) => {
                    sent.remove(&id);
                    vec![line(EventKind::Asked, id, None)]
                }
                // A guard repeats an answer that it has sent only after it learns that the request was
                // refused.
                Act::Answers(id, _) | Act::Sends(id, _, false) if sent.contains_key(&id) => vec![],
                Act::Answers(id, approved) => vec![answered(id, approved)],
                // A guard does not send an answer that it does not know, although there may be another answer
                // by now.
                Act::Sends(id, approved, _) if knows(tab, id) != Some(approved) => vec![],
                Act::Sends(id, approved, person) => {
                    requests += 1;
                    let actor = if person { Actor::Person } else { Actor::Application };
                    vec![carried(id, approved, requests, actor)]
                }
                Act::Hears(request, kind, doubt) => {
                    if kind == EventKind::Failed && !doubt {
                        sent.retain(|_, of| *of != request);
                    }
                    vec![of_request(kind, request, doubt)]
                }
                Act::Looks | Act::IsAway => vec![],
            };
            let claimed = match act {
                Act::Sends(id, ..) if !lines.is_empty() => Some(id),
                _ => None,
            };
            if heard {
                let is_admitted = store.transact(tab, now, &lines);
                sent.extend(claimed.filter(|_| is_admitted).map(|id| (id, requests)));
            } else {
                sent.extend(claimed.map(|id| (id, requests)));
                // The transaction was written, but the tab does not know that.
                store.read(tab, now).expect("the document");
                lines.into_iter().for_each(|line| tab.append(line).expect("a line"));
                store.write(tab);
                tab.failed();
            }
        }
        for tab in &mut tabs {
            store.transact(tab, now, &[]);
        }
        for tab in &mut tabs {
            store.transact(tab, now, &[]);
        }
        let mut fresh = tab(4);
        store.read(&mut fresh, now).expect("the document");
        let head = fresh.head();
        for tab in &mut tabs {
            prop_assert_eq!(tab.head(), head.clone());
            prop_assert_eq!(tab.state(), fresh.state());
        }
        prop_assert!(matches!(verify(&fresh.export_jsonl(), &[&head]), Verdict::Intact { .. }), "an export");
        for id in 1..4 {
            assert_laws(&store.entries, id);
        }
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
            assert_eq!(decision, Some(approved), "{}", tab.session());
            let sent = tab.chain().kept().iter().filter(|kept| kept.line.kind == EventKind::Answered);
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
        assert_eq!(decision, Some(false), "{}", tab.session());
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
    let sent = two.chain().kept().iter().filter(|kept| kept.line.kind == EventKind::Sent);
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
