//! What all tabs find in the document, also after a transaction of which nothing was heard.

use serde_json::{Value, json};
use tool_approval_guard::core::decision::Actor;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::Reach;
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::verify::{Verdict, verify};
use tool_approval_guard::core::record::{Fault, Replica};

use super::{answered, carried, line, recall, tab, tab_that_keeps, two_tabs};
use crate::common::store::Store;

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
        assert_eq!((of(r#""answered""#), of(r#""sent""#)), (1, 1), "{written}");
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

/// The number of calls that a later page has taken up, after these lines of these sessions.
fn recovered(lines: impl IntoIterator<Item = (u64, Line)>) -> Value {
    let mut store = Store::default();
    let mut last = tab(1);
    for (session, line) in lines {
        last = tab(session);
        store.transact(&mut last, 0, &[line]);
    }
    serde_json::to_value(last.metrics()).expect("JSON")["recovered"].clone()
}

#[test]
fn a_call_is_recovered_once_by_a_later_page() {
    let asked =
        |input: u64| Line { input_hash: Some(format!("{input:064x}")), ..line(EventKind::Asked, 1, None) };
    let by = |actor, kind| Line { actor: Some(actor), ..line(kind, 1, Some(true)) };
    let none = Line { input_hash: None, ..asked(1) };
    let again = Line { actor: Some(Actor::Tab), ..asked(1) };
    let recalled = by(Actor::Person, EventKind::Recalled);
    let answered = by(Actor::Person, EventKind::Answered);
    let drafted = by(Actor::Person, EventKind::Drafted);
    let redrafted = by(Actor::History, EventKind::Drafted);
    for (expected, lines) in [
        (0, vec![(1, asked(1)), (1, asked(1))]),
        (1, vec![(1, asked(1)), (2, asked(1)), (3, asked(1))]),
        // A page that has not read the record yet has no salt.
        (1, vec![(1, asked(1)), (2, none)]),
        // Another input is another question, and an answer that was taken back asks again in a tab that showed it.
        (0, vec![(1, asked(1)), (2, asked(2))]),
        (0, vec![(1, asked(1)), (2, again)]),
        (1, vec![(1, asked(1)), (1, answered.clone()), (2, recalled.clone()), (3, recalled.clone())]),
        // The messages show the question again, but nobody has to answer it.
        (0, vec![(1, asked(1)), (1, answered), (2, asked(1))]),
        (1, vec![(1, asked(1)), (1, drafted), (2, redrafted)]),
        // No question is known, so it is none of those that asked.
        (0, vec![(1, recalled)]),
    ] {
        assert_eq!(recovered(lines.clone()), json!(expected), "{lines:?}");
    }
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
