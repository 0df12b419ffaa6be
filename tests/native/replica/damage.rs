//! Documents that are not as they were written.

use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::record::{Fault, Replica};

use super::{SALT, answered, line, recall, tab, two_tabs};
use crate::common::store::Store;

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
    // In the place of its own, to a tab that has read that one: it is not its own that was begun anew.
    let mut other = Replica::new(&"9".repeat(16), "other", &"9".repeat(64), 64, true).expect("a replica");
    let (mut replaced, (_, mut one, _)) = (Store::default(), two_tabs());
    for id in 0..3 {
        replaced.transact(&mut other, 0, &[line(EventKind::Asked, id, None)]);
    }
    assert_eq!(replaced.read(&mut one, 0), Err(Fault::Corrupt));
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
