//! The record as properties: whatever happens to a chat, to its pages and to what they have stored.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use tool_approval_guard::core::decision::{Actor, Outcome};
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::record::known_call::{Class, KnownCall};
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::stored_call::Progress;
use tool_approval_guard::core::record::verify::{Flaw, Verdict, verify};
use tool_approval_guard::core::record::{Fault, Record, Sections, State, json};

const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const CHAT: &str = "chat";

/// The same cases at each run. `LAWS_SEED` chooses others.
fn config(cases: u32) -> ProptestConfig {
    let seed = std::env::var("LAWS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_121);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 4_000,
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    }
}

fn session(number: u64) -> String {
    format!("{number:016x}")
}

fn record(number: u64, keep: usize) -> Record {
    Record::new(&session(number), CHAT, SALT, keep).expect("a record")
}

fn report(verdict: &Verdict) -> Value {
    serde_json::to_value(verdict.report()).expect("JSON")
}

fn metrics(record: &Record) -> Value {
    serde_json::to_value(record.metrics()).expect("JSON")
}

/// Few names, so that lines meet. No call has two tools.
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
                kind: if kind == EventKind::Absorbed { EventKind::Acted } else { kind },
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

/// A day that is longer than the entries that were drawn.
fn fill(record: &mut Record, entries: &[Line], least: usize) {
    for line in entries.iter().cycle().take(if entries.is_empty() { 0 } else { least.max(entries.len()) }) {
        record.append(line.clone()).expect("a line");
    }
}

fn lines(record: &Record) -> Vec<Line> {
    record.chain().kept().iter().map(|kept| kept.line.clone()).collect()
}

fn fold(mut state: State, lines: &[Line]) -> State {
    lines.iter().for_each(|line| state.apply(line, &Sections::default()));
    state
}

/// What has to hold of a call, told from the lines backwards, without any state: the last line that can say
/// yes or no to it, with nothing after it that takes it back.
fn may_be_allowed(lines: &[Line], call: &KnownCall) -> bool {
    let mine = |line: &&Line| {
        (&line.approval_id, line.tool_call_id.as_deref(), line.tool_name.as_deref())
            == (&call.approval_id, Some(call.tool_call_id.as_str()), Some(call.tool_name.as_str()))
    };
    for line in lines.iter().rev().filter(mine) {
        let seen = matches!(line.actor, Some(Actor::History | Actor::Server));
        match line.kind {
            EventKind::Voided | EventKind::Superseded | EventKind::LateDenial | EventKind::Withdrawn => {
                return false;
            }
            EventKind::Recalled | EventKind::Elsewhere if line.approved == Some(false) => return false,
            EventKind::Answered if line.approved == Some(false) => return false,
            EventKind::Answered if !seen => return true,
            EventKind::Answered => {} // it says yes only if nothing before says no
            _ => {}
        }
    }
    // Then somebody has only seen it.
    lines.iter().filter(mine).any(|line| line.kind == EventKind::Answered && line.approved == Some(true))
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn law_10_replay_folding_goes_on_from_every_checkpoint(entries in entries(300), at in 0usize..300) {
        let mut record = record(1, 1000);
        fill(&mut record, &entries, 0);
        let lines = lines(&record);
        let (before, after) = lines.split_at(at.min(lines.len()));
        let checkpoint = fold(State::default(), before);
        let text = json::text(&checkpoint);
        let restored: State = json::parse(&text).expect("a state");
        prop_assert_eq!(&restored, &checkpoint);
        prop_assert_eq!(&fold(restored, after), &fold(State::default(), &lines));
        prop_assert_eq!(&fold(checkpoint, after), record.state());
    }

    #[test]
    fn law_5_no_yes_without_the_line_that_says_it(entries in entries(120)) {
        let mut record = record(1, 1000);
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
            prop_assert!(progress(call) < Progress::Failed || carried, "{call:?}");
        }
    }

    #[test]
    fn what_takes_an_answer_back_leaves_none(entries in entries(60), kind in 0usize..5, of in 0usize..60) {
        let mut record = record(1, 1000);
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
        record.append(line).expect("a line");
        let now = record
            .known()
            .call(call.approval_id.as_deref(), &call.tool_call_id, &call.tool_name)
            .expect("the call");
        prop_assert!(now.call.draft().is_none());
        prop_assert!(kinds[kind] == EventKind::Undone || !now.call.allowed() || call.answer.is_none());
        if matches!(kinds[kind], EventKind::Answered | EventKind::Voided | EventKind::Superseded) {
            prop_assert!(!now.call.allowed());
        }
    }

    #[test]
    fn every_question_is_in_one_class(entries in entries(300)) {
        let mut record = record(1, 1000);
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
        let of = |kind: EventKind| entries.iter().filter(|line| line.kind == kind).count();
        // Law 14: what time, a grant or rules have undone is no act of a person.
        let by_person = |line: &&Line| line.kind == EventKind::Undone && line.actor == Some(Actor::Person);
        prop_assert_eq!(&metrics["undone"], &json!(entries.iter().filter(by_person).count()));
        prop_assert_eq!(&metrics["recovered"], &json!(of(EventKind::Recalled)));
        let mut times: Vec<u64> = entries
            .iter()
            .filter(|line| matches!(line.kind, EventKind::Answered | EventKind::LateDenial) && line.actor == Some(Actor::Person))
            .filter_map(|line| line.waited_ms)
            .collect();
        times.sort_unstable();
        // By counting: the smallest time that at least so many in a hundred do not exceed.
        let rank = |percent: usize| {
            times.iter().copied().find(|time| {
                times.iter().filter(|other| *other <= time).count() * 100 >= percent * times.len()
            })
        };
        prop_assert_eq!(&metrics["medianMs"], &json!(rank(50)));
        prop_assert_eq!(&metrics["p95Ms"], &json!(rank(95)));
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn law_10_replay_a_stored_record_comes_back_as_the_same_bytes(
        entries in entries(40),
        least in 0usize..400,
        counter in 0usize..3,
    ) {
        let mut record = record(1, 64);
        fill(&mut record, &entries, least);
        for _ in 0..counter {
            record.encode().expect("a document");
        }
        let text = record.document();
        let mut again = Record::decode(&text, CHAT).expect("a record");
        prop_assert_eq!(&again.document(), &text);
        prop_assert_eq!(again.state(), record.state());
        prop_assert_eq!(again.head(), record.head());
        prop_assert_eq!(again.counter(), counter as u64);
        // And it goes on as if it had never been away.
        fill(&mut again, &entries, 0);
        fill(&mut record, &entries, 0);
        prop_assert_eq!(again.head(), record.head());
        prop_assert_eq!(again.state(), record.state());
    }

    #[test]
    fn an_export_is_intact_and_its_heads_prove_it(entries in entries(40), least in 0usize..260) {
        let mut record = record(1, 64);
        let mut heads = Vec::new();
        for line in entries.iter().cycle().take(if entries.is_empty() { 0 } else { least }) {
            record.append(line.clone()).expect("a line");
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

/// Some hundred lines of all kinds.
fn sample(count: usize, keep: usize) -> Record {
    let mut runner = proptest::test_runner::TestRunner::new(config(1));
    let mut record = record(1, keep);
    while record.chain().length() < count as u64 {
        let line = entry().new_tree(&mut runner).expect("a line").current();
        record.append(line).expect("a line");
    }
    record
}

use proptest::strategy::ValueTree as _;

/// 499 where `RECORD_EVERY_BYTE` is set: it takes minutes.
fn thorough() -> usize {
    if std::env::var_os("RECORD_EVERY_BYTE").is_some() { 499 } else { 1 }
}

fn broken(text: &str, heads: &[&str]) -> bool {
    matches!(verify(text, heads), Verdict::Broken { .. })
}

#[test]
fn every_changed_byte_of_an_export_is_found() {
    // Every byte of a short one, and some of a long one.
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
        // Where a line ends, only the head can tell.
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
    fill(&mut record, &lines, 0);
    let text = record.export_jsonl();
    assert!(!broken(&text, &[]));
    let broken = report(&verify(&text, &[&head]));
    assert_eq!((&broken["type"], &broken["code"]), (&"broken".into(), &"head".into()));
    assert_eq!(report(&verify(&text, &[]))["complete"], false);
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

/// One call, from its question to its answer.
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

fn stored(number: u64, lines: &[Line]) -> Record {
    let mut record = record(number, 64);
    fill(&mut record, lines, 0);
    Record::decode(&record.encode().expect("a document"), CHAT).expect("a record")
}

fn progress(call: &KnownCall) -> Progress {
    Progress::of(call.call.delivery())
}

fn call(record: &Record, id: u64) -> Option<&KnownCall> {
    record.known().call(Some(&format!("approval-{id}")), &format!("call-{id}"), "bash")
}

#[test]
fn the_most_recent_chain_goes_on_and_of_the_others_a_line_stays() {
    let old = stored(1, &story(1, 10, &[true]));
    let mut late = stored(2, &story(2, 20, &[]));
    let alive = stored(3, &story(3, 30, &[true]));
    let head = late.head();
    let mut next = record(4, 64);
    let inherited =
        next.inherit(vec![old.clone(), late, alive], |id| id != session(3), 40).expect("an inheritance");
    assert_eq!(inherited.taken, [session(2), session(1)]);
    assert_eq!(inherited.remove, inherited.taken);
    assert_eq!(next.chain().length(), 2);
    let absorbed = lines(&next).pop().expect("a line");
    assert_eq!((absorbed.kind, absorbed.seq, absorbed.count), (EventKind::Absorbed, 1, Some(2)));
    assert_eq!((absorbed.head, absorbed.session), (Some(old.clone().head()), session(4)));
    assert!(call(&next, 1).is_some_and(|call| call.call.allowed()));
    assert_eq!(call(&next, 2).and_then(KnownCall::class), Some(Class::Waiting));
    assert!(call(&next, 3).is_none(), "it lives");
    let text = next.export_jsonl();
    assert!(!broken(&text, &[&head, &next.head()]), "it is the chain that was there");
    assert_eq!(metrics(&next)["asked"], 2);
    // Its page is gone, and nobody has asked it again.
    assert_eq!((&metrics(&next)["waiting"], &metrics(&next)["abandoned"]), (&json!(0), &json!(1)));
    fill(&mut next, &story(2, 50, &[]), 0);
    assert_eq!((&metrics(&next)["waiting"], &metrics(&next)["abandoned"]), (&json!(1), &json!(0)));
    assert_eq!(next.inherit(vec![old], |_| true, 60), Err(Fault::Late));
}

#[test]
fn a_denial_wins_whoever_goes_on() {
    for swapped in [false, true] {
        let at = if swapped { [20, 10] } else { [10, 20] };
        let yes = stored(1, &story(1, at[0], &[true]));
        let no = stored(2, &story(1, at[1], &[false]));
        let mut next = record(3, 64);
        next.inherit(vec![yes, no], |_| true, 40).expect("an inheritance");
        assert!(call(&next, 1).is_some_and(|call| call.call.denied()), "{swapped}");
        assert_eq!((&metrics(&next)["asked"], &metrics(&next)["denied"]), (&json!(1), &json!(1)));
    }
}

#[test]
fn an_answer_wins_over_a_draft_and_a_drafted_denial_over_a_drafted_allowance() {
    let drafted = |approved: bool| {
        let mut lines = story(1, 1, &[approved]);
        lines[1].kind = EventKind::Drafted;
        lines
    };
    let merged = |one: &[Line], two: &[Line]| {
        let mut next = record(3, 64);
        next.inherit(vec![stored(1, one), stored(2, two)], |_| true, 9).expect("an inheritance");
        call(&next, 1).cloned().expect("the call")
    };
    for (one, two) in [(true, false), (false, true)] {
        let both = merged(&drafted(one), &drafted(two));
        assert_eq!(both.call.draft().map(|draft| draft.decision.approved), Some(false));
        for answer in [true, false] {
            for (first, second) in
                [(drafted(one), story(1, 1, &[answer])), (story(1, 1, &[answer]), drafted(one))]
            {
                let both = merged(&first, &second);
                assert_eq!((both.call.allowed(), both.call.draft()), (answer, None));
            }
        }
    }
}

#[test]
fn an_answer_outlives_the_same_question_of_the_next_page() {
    let mut next = record(2, 64);
    next.inherit(vec![stored(1, &story(1, 1, &[true]))], |_| true, 2).expect("an inheritance");
    fill(&mut next, &story(1, 3, &[]), 0);
    assert!(call(&next, 1).is_some_and(|call| call.call.allowed()));
    // Of another input it is no answer.
    let other = Line { input_hash: Some("f".repeat(64)), ..story(1, 4, &[]).remove(0) };
    fill(&mut next, &[other], 0);
    assert_eq!(call(&next, 1).and_then(KnownCall::class), Some(Class::Waiting));
}

#[test]
fn hashes_of_another_salt_match_nothing() {
    let mut other = Record::new(&session(1), CHAT, &SALT.replace('0', "9"), 64).expect("a record");
    fill(&mut other, &story(1, 1, &[true]), 0);
    let mut next = record(3, 64);
    next.inherit(vec![other, stored(2, &story(2, 2, &[]))], |_| true, 3).expect("an inheritance");
    assert_eq!(next.salt(), SALT);
    assert_eq!(call(&next, 1).map(|call| (call.call.allowed(), &call.input_hash)), Some((true, &None)));
    assert!(call(&next, 2).is_some_and(|call| call.input_hash.is_some()));
    assert_eq!(next.state().load.top(9).len(), 1);
    // Asked again, nobody knows whether the yes was about this input.
    fill(&mut next, &story(1, 4, &[]), 0);
    assert_eq!(call(&next, 1).and_then(KnownCall::class), Some(Class::Waiting));
}

#[test]
fn a_page_that_died_in_a_request_leaves_where_it_was() {
    let request =
        |kind: EventKind, doubt: bool| Line { kind, doubt: Some(doubt), request: Some(1), ..Line::default() };
    let carried = Line { kind: EventKind::Sent, request: Some(1), ..story(1, 3, &[]).remove(0) };
    let mut lines = story(1, 1, &[true]);
    let delivery = |lines: &[Line]| call(&stored(1, lines), 1).map(progress);
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
    // Requests are counted again in each session.
    let mut next = record(2, 64);
    next.inherit(vec![stored(1, &lines[..4])], |_| true, 9).expect("an inheritance");
    fill(&mut next, &[request(EventKind::Started, false)], 0);
    assert_eq!(call(&next, 1).map(progress), Some(Progress::Sent));
}

#[test]
fn a_busy_day_is_bounded() {
    let mut record = record(1, 64);
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
    assert!(record.encode().expect("a document").len() < 2 << 20);
}

#[test]
fn a_note_lives_as_long_as_its_call_waits() {
    let mut record = record(1, 64);
    for id in 0..1100 {
        fill(&mut record, &story(id, id, &[]), 0);
        record.note(&format!("approval-{id}"), "{}").expect("a note");
    }
    let settled = Line { kind: EventKind::Settled, ..story(1099, 0, &[]).remove(0) };
    fill(&mut record, &[settled], 0);
    assert!(!record.notes().iter().any(|(id, _)| id == "approval-1099"));
    assert_eq!(record.note("approval-1099", "{}"), Err(Fault::Unknown));
    assert_eq!(record.note("approval-1098", &"x".repeat(4097)), Err(Fault::TooLarge));
    let text = record.encode().expect("a document");
    let again = Record::decode(&text, CHAT).expect("a record");
    assert_eq!(again.notes(), record.notes());
    assert!(again.notes().iter().all(|(approval, _)| again.known().is_open(approval)));
    assert_eq!(again.notes().len(), again.known().calls().len() - 1);
}

proptest! {
    #![proptest_config(config(60))]

    /// The page dies somewhere between writing its document and removing those that it has taken over.
    #[test]
    fn a_crash_while_documents_are_taken_over_doubles_and_loses_nothing(
        stories in prop::collection::vec((0u64..8, 0u64..50, prop::collection::vec(any::<bool>(), 0..2)), 1..12),
        split in prop::collection::vec(0u64..3, 12),
        removed in prop::collection::vec(any::<bool>(), 3),
        written in any::<bool>(),
        more in 0u64..8,
    ) {
        let mut lines: BTreeMap<u64, Vec<Line>> = BTreeMap::new();
        for ((id, at, answers), page) in stories.iter().zip(&split) {
            // A call is of one page, so that each can be told what it should be.
            lines.entry(page + 1).or_default().extend(story(id + 10 * page, *at, answers));
        }
        let documents: Vec<Record> = lines.iter().map(|(page, lines)| stored(*page, lines)).collect();
        let mut whole = record(8, 64);
        whole.inherit(documents.clone(), |_| true, 60).expect("an inheritance");

        let mut first = record(7, 64);
        let inherited = first.inherit(documents.clone(), |_| true, 60).expect("an inheritance");
        fill(&mut first, &story(more, 70, &[false]), 0);
        fill(&mut whole, &story(more, 70, &[false]), 0);
        let mut left: Vec<Record> = documents
            .iter()
            .zip(removed.iter().chain(std::iter::repeat(&false)))
            // Nothing is removed before the new document is written.
            .filter(|(document, removed)| !(written && **removed && inherited.remove.contains(&document.session().to_owned())))
            .map(|(document, _)| document.clone())
            .collect();
        if written {
            let text = first.encode().expect("a document");
            left.push(Record::decode(&text, CHAT).expect("a record"));
        }
        let mut second = record(9, 64);
        let again = second.inherit(left.clone(), |_| true, 80).expect("an inheritance");
        if !written {
            fill(&mut second, &story(more, 70, &[false]), 0);
        }
        let state = |record: &Record| {
            let calls: BTreeMap<String, (Option<bool>, Progress)> = record
                .known()
                .calls()
                .iter()
                .map(|call| {
                    let answer = call.answer.as_ref().map(|answer| answer.approved);
                    (call.tool_call_id.clone(), (answer, progress(call)))
                })
                .collect();
            calls
        };
        prop_assert_eq!(state(&second), state(&whole));
        for count in ["asked", "allowed", "denied"] {
            prop_assert_eq!(&metrics(&second)[count], &metrics(&whole)[count], "{}", count);
        }
        prop_assert_eq!(&metrics(&second)["answers"], &metrics(&whole)["answers"]);
        // All that is left can be removed once this record is stored.
        let mut remove = again.remove;
        remove.sort();
        let mut sessions: Vec<String> = left.iter().map(|record| record.session().to_owned()).collect();
        sessions.sort();
        prop_assert_eq!(remove, sessions);
        prop_assert!(!broken(&second.export_jsonl(), &[&second.head()]));
    }
}

/// A record with everything that is stored.
fn rich() -> Record {
    let mut record = sample(150, 64);
    let open =
        record.known().calls().iter().find(|call| call.approval_id.is_some() && !call.call.closed()).cloned();
    let approval = open.and_then(|call| call.approval_id).expect("an open call");
    record.note(&approval, r#"{"reason":"a \"reason\""}"#).expect("a note");
    let grants = vec![r#"{"approved":true,"toolName":"bash","until":1.5}"#.to_owned()];
    record.set_grants(Some(grants)).expect("grants");
    let mut next = self::record(2, 64);
    let mut third = self::record(3, 64);
    fill(&mut third, &lines(&record)[..5], 0);
    next.inherit(vec![record, third], |_| true, 7).expect("an inheritance");
    next
}

#[test]
fn every_changed_byte_of_a_stored_record_is_found() {
    let mut record = rich();
    let text = record.encode().expect("a document");
    assert!(Record::decode(&text, CHAT).is_ok());
    assert_eq!(record.notes().len(), 1);
    let mut bytes = text.clone().into_bytes();
    // The first lines are all there is but entries.
    let step = 31 / thorough().min(31);
    for at in (0..400).chain((400..bytes.len()).step_by(step)) {
        for flip in [1, 2, 4, 0x20, 0x40, 0x80, 0xff] {
            bytes[at] ^= flip;
            if let Ok(changed) = std::str::from_utf8(&bytes) {
                let fault = Record::decode(changed, CHAT).err();
                let expected = [Fault::Corrupt, Fault::Foreign, Fault::Newer];
                assert!(
                    fault.is_some_and(|fault| expected.contains(&fault)),
                    "byte {at} ^ {flip}: {fault:?}"
                );
            }
            bytes[at] ^= flip;
        }
    }
}

#[test]
fn every_cut_of_a_stored_record_is_found() {
    let text = rich().encode().expect("a document");
    let step = 31 / thorough().min(31);
    for end in (0..400).chain((400..text.len()).step_by(step)) {
        let both = [text.get(..end), text.get(end + 1..)];
        for cut in both.into_iter().flatten() {
            assert!(Record::decode(cut, CHAT).is_err(), "at {end}");
        }
    }
    assert_eq!(Record::decode(&format!("{text}\n"), CHAT).err(), Some(Fault::Corrupt));
}

#[test]
fn what_is_not_ours_is_named() {
    let text = rich().encode().expect("a document");
    assert_eq!(Record::decode(&text, "other").err(), Some(Fault::OtherChat));
    assert_eq!(Record::decode("{}", CHAT).err(), Some(Fault::Foreign));
    assert_eq!(Record::decode("", CHAT).err(), Some(Fault::Foreign));
    let newer = text.replacen("record 1 ", "record 2 ", 1);
    assert_eq!(Record::decode(&newer, CHAT).err(), Some(Fault::Newer));
    let large = format!("{text}{}", " ".repeat(2 << 20));
    assert_eq!(Record::decode(&large, CHAT).err(), Some(Fault::TooLarge));
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn garbage_is_a_fault(tail in ".{0,200}", head in 0usize..120) {
        let good = record(1, 64).document();
        for text in [tail.clone(), format!("{}{tail}", good.get(..head).unwrap_or_default())] {
            prop_assert!(Record::decode(&text, CHAT).is_err());
            prop_assert!(broken(&text, &[]));
            prop_assert!(Line::parse(&text).is_err());
            let appended = Line::entry(&text).and_then(|line| record(1, 64).append(line));
            prop_assert_eq!(appended, Err(Fault::Malformed));
        }
    }
}
