//! Property tests of the record: they hold for anything that happens to a chat, to its pages and to their
//! storage.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_approval_guard::core::decision::{Actor, Author, Outcome};
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::record::known::Known;
use tool_approval_guard::core::record::known_call::{Class, KnownCall};
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::stored_call::Progress;
use tool_approval_guard::core::record::verify::{Flaw, Verdict, verify};
use tool_approval_guard::core::record::{Fault, Recollection, Replica, State, json};

use crate::common::occurrences::config;
use crate::common::store::Store;

const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const CHAT: &str = "chat";

fn session(number: u64) -> String {
    format!("{number:016x}")
}

fn record(number: u64, keep: usize) -> Replica {
    Replica::new(&session(number), CHAT, SALT, keep, true).expect("a record")
}

/// A record without other tabs.
fn record_alone(number: u64, keep: usize) -> Replica {
    let mut record = record(number, keep);
    record.go_alone();
    record
}

/// Appends one entry in its own transaction.
fn append(record: &mut Replica, line: Line) -> Result<(), Fault> {
    record.append(line)?;
    record.change();
    record.written();
    Ok(())
}

fn report(verdict: &Verdict) -> Value {
    serde_json::to_value(verdict.report()).expect("JSON")
}

fn metrics(record: &Replica) -> Value {
    serde_json::to_value(record.metrics()).expect("JSON")
}

/// There are few names, so that several lines are about the same call. No call has two tools.
fn entry() -> impl Strategy<Value = Line> {
    let kind = (0..EventKind::ALL.len()).prop_map(|code| EventKind::from_code(code).unwrap_or_default());
    let often = prop_oneof![
        Just(EventKind::Asked),
        Just(EventKind::Answered),
        Just(EventKind::Drafted),
        Just(EventKind::Sent),
        Just(EventKind::Started),
        Just(EventKind::Ended),
        Just(EventKind::Failed),
    ];
    let actor = (0..Actor::ALL.len()).prop_map(Actor::from_code);
    let actor = prop_oneof![Just(Some(Actor::Person)), actor];
    let outcome = (0..Outcome::ALL.len()).prop_map(Outcome::from_code);
    let names = (0u8..6, prop::option::weighted(0.8, 0u8..6), 0u8..3);
    let flags = (any::<bool>(), any::<bool>(), 0u64..100, prop::option::of(0u64..1000));
    (prop_oneof![kind, often], names, actor, outcome, flags, 1u64..5).prop_map(
        |(kind, (id, approval, input), actor, outcome, (approved, flag, at, waited), request)| {
            let of_request = matches!(
                kind,
                EventKind::Requested
                    | EventKind::Started
                    | EventKind::Ended
                    | EventKind::Failed
                    | EventKind::Stopped
                    | EventKind::Acted
            );
            Line {
                // `Absorbed` is no longer written, and what `Elsewhere` reports is in the document anyway.
                kind: match kind {
                    EventKind::Absorbed | EventKind::Elsewhere => EventKind::Acted,
                    kind => kind,
                },
                actor,
                approval_id: approval.filter(|_| !of_request).map(|id| format!("approval-{id}")),
                approved: Some(approved),
                at,
                automatic: Some(flag),
                deadline: waited,
                doubt: Some(flag),
                input_hash: (input > 0).then(|| format!("{input:064x}")),
                outcome,
                request: Some(request),
                tool_call_id: (!of_request).then(|| format!("call-{id}")),
                tool_name: (!of_request).then(|| ["bash", "__proto__"][id as usize % 2].to_owned()),
                waited_ms: waited,
                ..Line::default()
            }
        },
    )
}

fn entries(most: usize) -> impl Strategy<Value = Vec<Line>> {
    prop::collection::vec(entry(), 0..most)
}

/// Repeats the drawn entries until there are at least this many lines.
fn fill(record: &mut Replica, entries: &[Line], least: usize) {
    for line in entries.iter().cycle().take(if entries.is_empty() { 0 } else { least.max(entries.len()) }) {
        append(record, line.clone()).expect("a line");
    }
}

fn lines(record: &Replica) -> Vec<Line> {
    record.chain().newest(usize::MAX).map(|kept| kept.line.clone()).collect()
}

fn fold(mut state: State, lines: &[Line]) -> State {
    lines.iter().for_each(|line| state.apply(line));
    state
}

/// What another page is told of the calls, and in which class each is.
fn recalled(state: &State) -> Vec<(Recollection, Option<Class>)> {
    state.known.calls().iter().map(|call| (call.recollection(), call.class())).collect()
}

/// Whether a call may be allowed, read from the lines backwards and without any state: the last line that can
/// allow or deny the call, with no later line that takes the answer back. An allowance in the messages may follow such
/// a line, because another device has answered again, but none that denies.
fn may_be_allowed(lines: &[Line], call: &KnownCall) -> bool {
    let mine = |line: &&Line| {
        (&line.approval_id, line.tool_call_id.as_deref(), line.tool_name.as_deref())
            == (&call.approval_id, Some(call.tool_call_id.as_str()), Some(call.tool_name.as_str()))
    };
    let has_output_before =
        |seq| lines.iter().filter(mine).any(|line| line.kind == EventKind::Output && line.seq < seq);
    // A question about another input is another question.
    let asks_anew = |line: &Line| {
        let before =
            lines.iter().filter(mine).rfind(|other| other.kind == EventKind::Asked && other.seq < line.seq);
        let inputs = line.input_hash.as_ref().zip(before.and_then(|before| before.input_hash.as_ref()));
        inputs.is_some_and(|(now, then)| now != then)
    };
    let mut is_seen_again = false;
    for line in lines.iter().rev().filter(mine) {
        let seen = matches!(line.actor, Some(Actor::History | Actor::Server));
        is_seen_again |= line.kind == EventKind::Answered && seen && line.approved == Some(true);
        match line.kind {
            EventKind::Asked if asks_anew(line) => return is_seen_again,
            EventKind::Voided | EventKind::Withdrawn => return is_seen_again,
            // Law 16: what has run is not closed, also not by a denial that a page only sees.
            EventKind::Superseded if has_output_before(line.seq) => {}
            EventKind::Answered if seen && has_output_before(line.seq) => {}
            EventKind::Superseded | EventKind::LateDenial => return false,
            EventKind::Recalled | EventKind::Elsewhere if line.approved == Some(false) => return false,
            EventKind::Answered if line.approved == Some(false) => return false,
            EventKind::Answered if !seen => return true,
            EventKind::Answered => {} // it counts as an allowance only if no earlier line denies
            _ => {}
        }
    }
    // Otherwise, the answer was only seen in the messages.
    lines.iter().filter(mine).any(|line| line.kind == EventKind::Answered && line.approved == Some(true))
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn law_10_replay_folding_goes_on_from_every_checkpoint(entries in entries(300), at in 0usize..300) {
        let mut record = record_alone(1, 1000);
        fill(&mut record, &entries, 0);
        let lines = lines(&record);
        let (before, after) = lines.split_at(at.min(lines.len()));
        let checkpoint = fold(State::default(), before);
        let text = json::text(&checkpoint);
        let restored: State = json::parse(&text).expect("a state");
        prop_assert_eq!(&restored, &checkpoint);
        prop_assert_eq!(recalled(&restored), recalled(&checkpoint));
        prop_assert_eq!(&fold(restored, after), &fold(State::default(), &lines));
        prop_assert_eq!(&fold(checkpoint, after), record.state());
    }

    #[test]
    fn law_5_no_yes_without_the_line_that_says_it(entries in entries(120)) {
        let mut record = record_alone(1, 1000);
        fill(&mut record, &entries, 0);
        let lines = lines(&record);
        for call in record.known().calls() {
            if let Some(answer) = call.answer.as_ref().filter(|answer| answer.approved) {
                let line = lines.iter().find(|line| line.seq == answer.seq);
                prop_assert!(line.is_some_and(|line| line.kind == EventKind::Answered
                    && line.approved == Some(true)
                    && line.approval_id == call.approval_id
                    && line.actor == answer.actor));
                prop_assert!(may_be_allowed(&lines, call), "{call:?}");
                // No page restores what it only sees in the messages.
                let is_seen = matches!(answer.actor, Some(Actor::History | Actor::Server));
                prop_assert!(!is_seen || call.recollection().approved != Some(true), "{call:?}");
            }
            if let Some(draft) = call.call.draft() {
                prop_assert!(lines.iter().any(|line| line.kind == EventKind::Drafted
                    && line.actor == Some(Actor::Person)
                    && line.approved == Some(draft.decision.approved)
                    && line.approval_id == call.approval_id));
                prop_assert!(call.answer.is_none());
            }
            let state = call.call;
            let news = call.answer.is_some() || state.output().is_some() || state.superseded();
            let carried = lines.iter().any(|line| line.kind == EventKind::Sent
                && line.approval_id == call.approval_id
                && line.tool_call_id.as_ref() == Some(&call.tool_call_id));
            prop_assert!(progress(call) == Progress::None || carried || news, "{call:?}");
            prop_assert!(matches!(progress(call), Progress::None | Progress::Unsent) || carried, "{call:?}");
        }
    }

    #[test]
    fn what_takes_an_answer_back_leaves_none(entries in entries(60), kind in 0usize..5, of in 0usize..60) {
        let mut record = record_alone(1, 1000);
        fill(&mut record, &entries, 0);
        let Some(call) = record.known().calls().get(of).cloned() else { return Ok(()) };
        let kinds = [EventKind::Voided, EventKind::Withdrawn, EventKind::Superseded, EventKind::Answered, EventKind::Undone];
        let line = Line {
            kind: kinds[kind],
            approval_id: call.approval_id.clone(),
            approved: Some(false),
            tool_call_id: Some(call.tool_call_id.clone()),
            tool_name: Some(call.tool_name.clone()),
            ..Line::default()
        };
        append(&mut record, line).expect("a line");
        let now = record
            .known()
            .call(call.approval_id.as_deref(), &call.tool_call_id, &call.tool_name)
            .expect("the call");
        prop_assert!(now.call.draft().is_none());
        // Law 16: what has run is not closed.
        let has_run = kinds[kind] == EventKind::Superseded && call.call.output().is_some();
        prop_assert!(kinds[kind] == EventKind::Undone || has_run || !now.call.allowed() || call.answer.is_none());
        if matches!(kinds[kind], EventKind::Answered | EventKind::Voided | EventKind::Superseded) && !has_run {
            prop_assert!(!now.call.allowed());
        }
    }

    #[test]
    fn every_question_is_in_one_class(entries in entries(300)) {
        let mut record = record_alone(1, 1000);
        fill(&mut record, &entries, 0);
        let mut counted: BTreeMap<Option<Class>, u64> = BTreeMap::new();
        for call in record.known().calls() {
            *counted.entry(call.class()).or_default() += 1;
        }
        let metrics = metrics(&record);
        for class in Class::ALL.iter().copied() {
            let count = counted.get(&Some(class)).copied().unwrap_or_default();
            prop_assert_eq!(&metrics[class.name()], &json!(count), "{}", class.name());
        }
        // A refused entry is recorded as refused.
        let entries = lines(&record);
        // Law 14: an undo by time, a grant or a rule is not an act of a person.
        let by_person = |line: &&Line| line.kind == EventKind::Undone && line.actor == Some(Actor::Person);
        prop_assert_eq!(&metrics["undone"], &json!(entries.iter().filter(by_person).count()));
        // All entries are of one session.
        let restored = |line: &&Line| {
            line.kind == EventKind::Recalled
                || (line.kind == EventKind::Drafted && line.actor == Some(Actor::History))
        };
        let ids = |line: &Line| (line.approval_id.clone(), line.tool_call_id.clone(), line.tool_name.clone());
        let restored: BTreeSet<_> = entries.iter().filter(restored).map(ids).collect();
        let asked = record.known().calls().iter().filter(|call| {
            let ids = (call.approval_id.clone(), Some(call.tool_call_id.clone()), Some(call.tool_name.clone()));
            call.class().is_some() && restored.contains(&ids)
        });
        prop_assert_eq!(&metrics["recovered"], &json!(asked.count()));
        let times: Vec<u64> = entries
            .iter()
            .filter(|line| matches!(line.kind, EventKind::Answered | EventKind::LateDenial) && line.actor == Some(Actor::Person))
            .filter_map(|line| line.waited_ms)
            .collect();
        prop_assert_eq!(&metrics["times"], &json!(times));
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn law_10_replay_whoever_opens_a_stored_record_has_the_same(
        entries in entries(40),
        least in 0usize..400,
    ) {
        let mut store = Store::default();
        let mut record = record(1, 64);
        let long = entries.iter().cycle().take(if entries.is_empty() { 0 } else { least.max(entries.len()) });
        store.transact(&mut record, 0, &[]);
        for lines in long.cloned().collect::<Vec<_>>().chunks(7) {
            store.transact(&mut record, 0, lines);
        }
        let mut again = self::record(2, 64);
        store.read(&mut again, 0).expect("the document");
        prop_assert_eq!(again.state(), record.state());
        prop_assert_eq!(again.head(), record.head());
        prop_assert!(!broken(&again.export_jsonl(), &[&record.head()]), "an export");
        prop_assert_eq!(again.notes(), record.notes());
    }

    #[test]
    fn an_export_is_intact_and_its_heads_prove_it(entries in entries(40), least in 0usize..260) {
        let mut record = record_alone(1, 64);
        let mut heads = Vec::new();
        for line in entries.iter().cycle().take(if entries.is_empty() { 0 } else { least }) {
            append(&mut record, line.clone()).expect("a line");
            heads.push(record.head());
        }
        let text = record.export_jsonl();
        let length = record.chain().length();
        let (sealed, head) = (record.chain().sealed(), record.head());
        let none = Verdict::Intact { entries: length, sealed, head: head.clone(), proven: None };
        prop_assert_eq!(verify(&text, &[]), none.clone());
        prop_assert!(!none.complete());
        let all: Vec<&str> = heads.iter().map(String::as_str).collect();
        let proven = (length > 0).then_some(length);
        prop_assert_eq!(verify(&text, &all), Verdict::Intact { entries: length, sealed, head, proven });
        for (number, head) in heads.iter().enumerate().step_by(7) {
            let count = number as u64 + 1;
            match verify(&text, &[head]) {
                Verdict::Intact { proven, .. } => {
                    prop_assert!(count >= sealed);
                    prop_assert_eq!(proven, Some(count));
                }
                Verdict::Broken { flaw, .. } => prop_assert!(count < sealed && flaw == Flaw::Head),
            }
        }
    }
}

/// A few hundred lines of all kinds.
fn sample(count: usize, keep: usize) -> Replica {
    let mut runner = proptest::test_runner::TestRunner::new(config(1));
    let mut record = record_alone(1, keep);
    while record.chain().length() < count as u64 {
        let line = entry().new_tree(&mut runner).expect("a line").current();
        append(&mut record, line).expect("a line");
    }
    record
}

use proptest::strategy::ValueTree as _;

/// 499 if `RECORD_EVERY_BYTE` is set, because then the test takes minutes.
fn thorough() -> usize {
    if std::env::var_os("RECORD_EVERY_BYTE").is_some() { 499 } else { 1 }
}

fn broken(text: &str, heads: &[&str]) -> bool {
    matches!(verify(text, heads), Verdict::Broken { .. })
}

#[test]
fn every_changed_byte_of_an_export_is_found() {
    // Every byte of a short record, and some bytes of a long one.
    for (count, step) in [(16, 1), (300, 499 / thorough())] {
        let mut record = sample(count, 64);
        let (text, head) = (record.export_jsonl(), record.head());
        assert!(!broken(&text, &[&head]));
        let mut bytes = text.clone().into_bytes();
        for at in (0..bytes.len()).step_by(step) {
            let was = bytes[at];
            for flip in [1, 2, 0x20, 0x80, was ^ b'0', was ^ b'\n', was ^ b'"'] {
                bytes[at] = was ^ flip;
                if flip != 0
                    && let Ok(changed) = std::str::from_utf8(&bytes)
                {
                    assert!(broken(changed, &[]), "byte {at} from {was} to {}", bytes[at]);
                }
            }
            bytes[at] = was;
        }
    }
}

#[test]
fn every_cut_of_an_export_is_found() {
    let mut record = sample(200, 64);
    let (text, head) = (record.export_jsonl(), record.head());
    let step = 97 / thorough().min(97);
    let line_ends = text.match_indices('\n').flat_map(|(at, _)| [at, at + 1]);
    for end in line_ends.chain((0..text.len()).step_by(step)).filter(|end| *end < text.len()) {
        let Some(cut) = text.get(..end) else { continue };
        assert!(broken(cut, &[&head]), "at {end}");
        // A cut at the end of a line can only be found with the head.
        let line_ends = cut.ends_with('\n') && cut.lines().count() != 2;
        assert_eq!(!broken(cut, &[]), line_ends, "at {end}");
    }
    for start in (1..text.len()).step_by(step) {
        if let Some(cut) = text.get(start..) {
            assert!(broken(cut, &[]), "from {start}");
        }
    }
}

#[test]
fn every_line_that_is_missing_doubled_moved_or_foreign_is_found() {
    for keep in [1000, 64] {
        let mut record = sample(140, keep);
        let (text, head) = (record.export_jsonl(), record.head());
        let mut other = sample(140, keep);
        other.forget();
        other.go_alone();
        fill(&mut other, &lines(&record), 140);
        let other = other.export_jsonl();
        let foreign: Vec<&str> = other.lines().collect();
        let lines: Vec<&str> = text.lines().collect();
        let join = |lines: &[&str]| lines.iter().flat_map(|line| [*line, "\n"]).collect::<String>();
        assert_eq!(join(&lines), text);
        for at in 0..lines.len() {
            let mut without = lines.clone();
            without.remove(at);
            assert!(broken(&join(&without), &[&head]), "{at} is missing");
            assert_eq!(!broken(&join(&without), &[]), at == lines.len() - 1, "{at} is missing");
            for step in [1, 40] {
                let mut moved = lines.clone();
                if at + step < lines.len() {
                    moved.swap(at, at + step);
                    assert!(broken(&join(&moved), &[]), "{at} and the {step}th after it change places");
                }
                let mut more = lines.clone();
                more.insert((at + step).min(lines.len()), lines[at]);
                assert!(broken(&join(&more), &[]), "{at} is doubled");
                let mut more = lines.clone();
                more.insert(at, foreign[(at + step).min(foreign.len() - 1)]);
                assert!(broken(&join(&more), &[]) || more[at] == lines[at], "another line at {at}");
            }
            if lines[at] != foreign[at.min(foreign.len() - 1)] {
                let mut replaced = lines.clone();
                replaced[at] = foreign[at.min(foreign.len() - 1)];
                let last = at == lines.len() - 1;
                assert!(broken(&join(&replaced), &[&head]), "{at} is another one");
                assert!(last || broken(&join(&replaced), &[]), "{at} is another one");
            }
        }
        for garbage in ["x", "\n", "{}\n", " ", "\r\n", "\0"] {
            assert!(broken(&format!("{text}{garbage}"), &[]), "{garbage:?} at the end");
            assert!(broken(&format!("{garbage}{text}"), &[]), "{garbage:?} at the beginning");
        }
        assert!(broken(&text.replace('\n', "\r\n"), &[]));
        assert!(broken(&format!("{text}{text}"), &[]));
        assert!(broken("", &[]));
    }
}

#[test]
fn a_whole_that_was_written_anew_is_found_by_a_head_only() {
    let mut record = sample(20, 64);
    let head = record.head();
    let mut lines = lines(&record);
    lines[3].approved = Some(lines[3].approved == Some(false));
    record.forget();
    record.go_alone();
    fill(&mut record, &lines, 0);
    let text = record.export_jsonl();
    assert!(!broken(&text, &[]));
    let broken = report(&verify(&text, &[&head]));
    assert_eq!((&broken["type"], &broken["code"]), (&"broken".into(), &"head".into()));
    assert_eq!(report(&verify(&text, &[]))["complete"], false);
}

#[test]
fn a_head_that_is_in_no_record_proves_nothing() {
    let mut record = sample(20, 64);
    let (text, head) = (record.export_jsonl(), record.head());
    let unknown = "0".repeat(63) + "1";
    for heads in [[&*unknown, &*head], [&*head, &*unknown]] {
        assert_eq!(verify(&text, &heads), Verdict::Broken { line: 21, flaw: Flaw::Head });
    }
}

#[test]
fn what_says_the_same_in_other_letters_is_no_export() {
    let text = sample(300, 64).export_jsonl();
    assert!(!broken(&text, &[]));
    let header = text.replacen(r#""chat""#, r#""\u0063hat""#, 1);
    assert_eq!(verify(&header, &[]), Verdict::Broken { line: 1, flaw: Flaw::Header });
    let sealed = text.replacen(r#""from":0"#, r#""from":1"#, 1);
    assert_eq!(verify(&sealed, &[]), Verdict::Broken { line: 2, flaw: Flaw::Sealed });
    let (before, after) = text.split_once(r#""head":""#).expect("a sealed line");
    let escaped = format!(r#"{before}"head":"\u{:04x}{}"#, after.as_bytes()[0], &after[1..]);
    assert_eq!(verify(&escaped, &[]), Verdict::Broken { line: 2, flaw: Flaw::Sealed });
}

#[test]
fn a_verdict_names_the_line() {
    let text = sample(10, 64).export_jsonl();
    let lines: Vec<&str> = text.lines().collect();
    let swapped = [&lines[..4], &[lines[5], lines[4]], &lines[6..], &[""]].concat().join("\n");
    assert_eq!(verify(&swapped, &[]), Verdict::Broken { line: 5, flaw: Flaw::Order });
    let other = text.replace(r#""chat""#, r#""that""#);
    let mixed = format!("{}\n{}\n", lines[0], other.lines().nth(1).expect("a line"));
    assert_eq!(verify(&mixed, &[]), Verdict::Broken { line: 2, flaw: Flaw::Chat });
    let cut = &text[..text.len() - 1];
    assert_eq!(verify(cut, &[]), Verdict::Broken { line: 11, flaw: Flaw::Cut });
    assert_eq!(
        verify(&other.replacen(r#""that""#, r#""chat""#, 1), &[]),
        Verdict::Broken { line: 2, flaw: Flaw::Chat }
    );
}

/// The lines of one call, from its question to its answer.
fn story(id: u64, at: u64, answers: &[bool]) -> Vec<Line> {
    let line = |kind: EventKind, approved: Option<bool>| Line {
        kind,
        actor: Some(Actor::Person),
        approval_id: Some(format!("approval-{id}")),
        approved,
        at,
        input_hash: (kind == EventKind::Asked).then(|| format!("{id:064x}")),
        tool_call_id: Some(format!("call-{id}")),
        tool_name: Some("bash".to_owned()),
        ..Line::default()
    };
    let answers = answers.iter().map(|approved| line(EventKind::Answered, Some(*approved)));
    [line(EventKind::Asked, None)].into_iter().chain(answers).collect()
}

fn progress(call: &KnownCall) -> Progress {
    Progress::of(call.call.delivery())
}

fn call(record: &Replica, id: u64) -> Option<&KnownCall> {
    record.known().call(Some(&format!("approval-{id}")), &format!("call-{id}"), "bash")
}

#[test]
fn an_answer_outlives_the_same_question_of_the_next_page() {
    let (mut store, mut first, mut next) = (Store::default(), record(1, 64), record(2, 64));
    store.transact(&mut first, 0, &story(1, 1, &[true]));
    store.transact(&mut next, 0, &story(1, 3, &[]));
    assert!(call(&next, 1).is_some_and(|call| call.call.allowed()));
    // An answer does not count for a different input.
    let other = Line { input_hash: Some("f".repeat(64)), ..story(1, 4, &[]).remove(0) };
    store.transact(&mut next, 0, &[other]);
    assert_eq!(call(&next, 1).and_then(KnownCall::class), Some(Class::Waiting));
}

/// Law 13: a page with another input asks anew, and one with the same input takes nothing back.
#[test]
fn what_another_page_has_sent_is_void_only_for_another_input() {
    for (input, stands) in [(1, true), (2, false)] {
        let (mut store, mut first, mut next) = (Store::default(), record(1, 64), record(2, 64));
        let of = |kind: EventKind| Line { kind, request: Some(1), ..story(1, 3, &[]).remove(0) };
        let sent = Line { approved: Some(true), ..of(EventKind::Sent) };
        store.transact(&mut first, 0, &[story(1, 1, &[true]), vec![sent]].concat());
        let voided = Line { actor: Some(Actor::Server), ..of(EventKind::Voided) };
        let asked = Line { input_hash: Some(format!("{input:064x}")), ..of(EventKind::Asked) };
        store.transact(&mut next, 0, &[voided, asked]);
        assert_eq!(call(&next, 1).map(|call| call.call.allowed()), Some(stands), "input {input}");
    }
}

/// What a page had stored before a call that asks again had its run beside it.
#[test]
fn a_checkpoint_of_an_older_version_is_read() {
    let answer = r#""answer":{"actor":"person","approved":true,"at":5,"outcome":"allowed-once","seq":1,"session":"0000000000000001"},"#;
    let stored = |answer: &str, elsewhere: &str| {
        let text = [
            r#"{"calls":[{"#,
            answer,
            r#""approvalId":"approval-1","asked":true,"askedAt":3,"delivery":"ended","#,
            elsewhere,
            r#""order":0,"output":"server","requestSession":"0000000000000001","session":"0000000000000001","#,
            r#""toolCallId":"call-1","toolName":"bash"}],"next":1}"#,
        ];
        json::parse::<Known>(&text.concat()).expect("the calls").calls()[0].clone()
    };
    for known in [stored(answer, ""), stored("", r#""elsewhere":true,"#)] {
        assert_eq!((known.call.output(), known.class()), (Some(Author::Server), Some(Class::Allowed)));
        assert_eq!(progress(&known), Progress::Ended);
        assert_eq!(known.call.question().map(|question| question.since), Some(3));
    }
    let older = stored("", "");
    assert_eq!((older.call.output(), older.class()), (Some(Author::Server), Some(Class::Abandoned)));
}

#[test]
fn a_page_that_died_in_a_request_leaves_where_it_was() {
    let request =
        |kind: EventKind, doubt: bool| Line { kind, doubt: Some(doubt), request: Some(1), ..Line::default() };
    let carried = Line { kind: EventKind::Sent, request: Some(1), ..story(1, 3, &[]).remove(0) };
    let mut lines = story(1, 1, &[true]);
    let delivery = |lines: &[Line]| {
        let mut record = record_alone(1, 64);
        fill(&mut record, lines, 0);
        call(&record, 1).map(progress)
    };
    assert_eq!(delivery(&lines), Some(Progress::Unsent));
    lines.extend([request(EventKind::Requested, false), carried]);
    assert_eq!(delivery(&lines), Some(Progress::Sent));
    for (doubt, expected) in [(true, Progress::Doubt), (false, Progress::Failed)] {
        let broken = [&lines[..], &[request(EventKind::Failed, doubt)]].concat();
        assert_eq!(delivery(&broken), Some(expected));
    }
    lines.push(request(EventKind::Started, false));
    assert_eq!(delivery(&lines), Some(Progress::Delivered));
    lines.push(request(EventKind::Ended, false));
    assert_eq!(delivery(&lines), Some(Progress::Ended));
    // The numbers of requests start again in each session.
    let (mut store, mut first, mut next) = (Store::default(), record(1, 64), record(2, 64));
    store.transact(&mut first, 0, &lines[..4]);
    store.transact(&mut next, 0, &[request(EventKind::Started, false)]);
    assert_eq!(call(&next, 1).map(progress), Some(Progress::Sent));
}

#[test]
fn a_busy_day_is_bounded() {
    let mut record = record_alone(1, 64);
    let mut most = 0;
    for id in 0..4000 {
        let settled = Line { kind: EventKind::Settled, ..story(id, id, &[]).remove(0) };
        fill(&mut record, &story(id, id, &[true]), 0);
        if id % 2 == 0 {
            fill(&mut record, &[settled], 0);
        }
        most = most.max(record.known().calls().len());
    }
    assert!(most <= 2000 + 1000 + 130, "{most}");
    assert!(call(&record, 3999 - 2 * 999).is_some(), "what is not settled stays");
    assert_eq!(metrics(&record)["asked"], 4000);
}

#[test]
fn a_line_that_settles_a_denial_shows_that_there_is_one() {
    let mut record = record_alone(1, 64);
    let settled = Line { kind: EventKind::Settled, ..story(1, 1, &[]).remove(0) };
    fill(&mut record, &[story(1, 1, &[true]), vec![settled]].concat(), 0);
    assert!(call(&record, 1).is_some_and(|call| call.call.denied() && call.call.denial_settled()));
}

#[test]
fn of_the_calls_that_nobody_has_answered_the_oldest_go_first() {
    let mut record = record_alone(1, 64);
    fill(&mut record, &story(0, 0, &[true]), 0);
    for id in 1..2100 {
        fill(&mut record, &story(id, id, &[]), 0);
    }
    assert!(call(&record, 0).is_some() && call(&record, 1).is_none());
}

#[test]
fn only_a_note_that_is_new_and_of_an_open_call_is_written() {
    let mut record = record_alone(1, 64);
    fill(&mut record, &story(1, 0, &[]), 0);
    let mut writes = |approval: &str, note: &str| {
        record.note(approval, note).expect("a note");
        let writes = record.change().is_some();
        record.written();
        (writes, record.notes().len())
    };
    assert_eq!(writes("approval-9", "{}"), (false, 0));
    assert_eq!(writes("approval-1", "{}"), (true, 1));
    assert_eq!(writes("approval-1", "{}"), (false, 1));
    fill(&mut record, &[Line { kind: EventKind::Extended, ..story(1, 0, &[]).remove(0) }], 0);
    assert_eq!(record.notes().len(), 1, "its call still waits");
}

#[test]
fn a_note_lives_as_long_as_its_call_waits() {
    let (mut store, mut record) = (Store::default(), record(1, 64));
    for id in 0..1100 {
        record.note(&format!("approval-{id}"), "{}").expect("a note");
        store.transact(&mut record, 0, &story(id, id, &[]));
    }
    let settled = Line { kind: EventKind::Settled, ..story(1099, 0, &[]).remove(0) };
    store.transact(&mut record, 0, &[settled]);
    record.note("approval-1099", "{}").expect("a note");
    store.transact(&mut record, 0, &[]);
    assert!(!record.notes().iter().any(|(id, _)| id == "approval-1099"));
    assert_eq!(record.note("approval-1098", &"x".repeat(4097)), Err(Fault::TooLarge));
    let mut again = self::record(2, 64);
    store.read(&mut again, 0).expect("the document");
    assert_eq!(again.notes(), record.notes());
    assert!(again.notes().iter().all(|(approval, _)| again.known().is_open(approval)));
    assert_eq!(again.notes().len(), again.known().calls().len() - 1);
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn garbage_is_a_fault(tail in ".{0,200}", head in 0usize..120) {
        let mut store = Store::default();
        store.transact(&mut record(1, 64), 0, &[]);
        let good = store.state.clone().unwrap_or_default();
        for text in [tail.clone(), format!("{}{tail}", good.get(..head).unwrap_or_default())] {
            let stored = Store { state: Some(text.clone()), ..store.clone() };
            prop_assert!(stored.read(&mut record(2, 64), 0).is_err());
            let stored = Store { head: Some(text.clone()), ..store.clone() };
            prop_assert!(stored.read(&mut record(2, 64), 0).is_err());
            prop_assert!(broken(&text, &[]));
            prop_assert!(Line::parse(&text).is_err());
            let appended = Line::entry(&text).and_then(|line| append(&mut record_alone(1, 64), line));
            prop_assert_eq!(appended, Err(Fault::Malformed));
        }
    }
}

/// A person's act begins the count of automatic sends anew, in the record as in the page (law 2).
#[test]
fn what_a_person_does_ends_the_count_of_automatic_sends() {
    let after = |kind: EventKind, actor: Actor| {
        let mut state = State::default();
        let sent = Line { kind: EventKind::Requested, automatic: Some(true), ..Line::default() };
        state.apply(&sent);
        state.apply(&sent);
        state.apply(&Line { kind, actor: Some(actor), ..Line::default() });
        state.automatic
    };
    for kind in [EventKind::Acted, EventKind::Answered, EventKind::LateDenial, EventKind::Requested] {
        assert_eq!(after(kind, Actor::Person), 0, "{kind:?}");
    }
    for kind in [EventKind::Answered, EventKind::LateDenial, EventKind::Output, EventKind::Drafted] {
        assert_eq!(after(kind, Actor::Timer), 2, "{kind:?}");
    }
    assert_eq!(after(EventKind::Requested, Actor::Application), 2, "a bare continue");
}
