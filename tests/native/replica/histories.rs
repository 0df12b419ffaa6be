//! Any order of transactions.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeMap;
use tool_approval_guard::core::decision::Actor;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::record::Replica;
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::replica::LEASE;
use tool_approval_guard::core::record::verify::{Verdict, verify};

use super::{answered, carried, line, of_request, tab};
use crate::common::occurrences::{config, seed};
use crate::common::store::Store;

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
