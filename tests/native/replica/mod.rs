//! Tests of several tabs that share one document. Whatever the tabs append, and in whatever order their
//! transactions run, they agree, the first answer wins, and no answer is sent twice.

mod answers;
mod damage;
mod documents;
mod gone;
mod histories;

use tool_approval_guard::core::decision::Actor;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::{Recollection, Replica};

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
