//! The border as rows of numbers: facts in, effects out, tables.

use proptest::prelude::*;
use tool_approval_guard::core::call::{Answer, Status};
use tool_approval_guard::core::clock::Now;
use tool_approval_guard::core::decision::{Actor, Choice, Refusal};
use tool_approval_guard::core::effect::Effect;
use tool_approval_guard::core::guard::{CommitCause, Guard, Problem, Source, Trigger};
use tool_approval_guard::core::protocol::ToolState;
use tool_approval_guard::core::repair::{Cause, Repair, Scope};
use tool_approval_guard::core::rewrite::{Keeps, KeptOutput};
use tool_approval_guard::core::verdict::{Need, Reason};
use tool_approval_guard::web::abi::effects::{EffectRow, Table, TakenCode};
use tool_approval_guard::web::abi::facts::FactRow;
use tool_approval_guard::web::abi::{BatchRow, CallRow, EntryRow, NeedRow, VerdictRow};
use tool_approval_guard::web::{facts, tables};

const CHAT: f64 = 9.0;
const TOOL: f64 = 2.0;
const ID: f64 = 3.0;
const APPROVAL: f64 = 4.0;
const NOW: Now = Now { wall: 1_000.0, steady: 1_000.0 };
const RESIDUE: u32 = 128;

fn numbers(rows: &[FactRow]) -> Vec<f64> {
    let mut numbers = Vec::new();
    rows.iter().for_each(|row| row.write(&mut numbers));
    numbers
}

fn guard() -> Guard {
    facts::open(&numbers(&[FactRow::Options {
        send_on_approvals: 1.0,
        send_on_outputs: 1.0,
        hold_all_denied: 0.0,
        send_each: 0.0,
        deny_when_user_sends: 1.0,
        attended: 1.0,
        max_automatic: 20.0,
        chat: 0.0,
        user: 0.0,
        undo: 0.0,
        undo_dangerous: 5_000.0,
        warn: 20_000.0,
        output: f64::INFINITY,
    }]))
}

/// Passes facts; returns their effects.
fn tell(guard: &mut Guard, rows: &[FactRow]) -> Vec<EffectRow> {
    let mut out = Vec::new();
    facts::apply(guard, &numbers(rows), NOW, &mut out);
    let mut out = &out[..];
    std::iter::from_fn(|| EffectRow::read(&mut out)).collect()
}

fn read(guard: &Guard, table: Table) -> Vec<f64> {
    let mut out = Vec::new();
    tables::read(guard, table, 0.0, 0.0, &mut out);
    out
}

/// A field of the only call.
fn field(guard: &Guard, name: &str) -> f64 {
    let rows = read(guard, Table::Calls);
    assert_eq!(rows.len(), CallRow::FIELDS.len(), "one call");
    let place = CallRow::FIELDS.iter().position(|field| *field == name).expect("a field");
    rows[place]
}

fn flags(state: ToolState, answer: Answer) -> f64 {
    f64::from(state as u32 | (answer as u32) << 3)
}

/// The only part of the last message.
fn part(known: f64, flags: f64) -> FactRow {
    FactRow::Part {
        known,
        source: f64::from(Source::Newest as u8),
        message: 1.0,
        index: 1.0,
        turn: 1.0,
        step: 1.0,
        occurrence: 0.0,
        tool: TOOL,
        server: 0.0,
        id: ID,
        approval: APPROVAL,
        flags,
        input_low: -11.0,
        input_high: 12.0,
        output_low: 0.0,
        output_high: 0.0,
    }
}

/// The part was read, and so was the step that contains only this part.
fn shown(known: f64, flags: f64) -> [FactRow; 3] {
    [
        part(known, flags),
        FactRow::StepPart { part: 1.0, call: known, flags },
        FactRow::Step { assistant: 1.0, text: 0.0 },
    ]
}

fn asking() -> [FactRow; 3] {
    shown(0.0, flags(ToolState::ApprovalRequested, Answer::Absent))
}

fn answered(answer: Answer) -> [FactRow; 3] {
    shown(1.0, flags(ToolState::ApprovalResponded, answer))
}

fn seen(call: f64, keeps: Keeps) -> EffectRow {
    EffectRow::Seen {
        call,
        watched: f64::from(u8::from(call > 0.0)),
        approval: if call > 0.0 { APPROVAL } else { 0.0 },
        keeps: f64::from(keeps as u8),
        kept_output: f64::from(KeptOutput::Stays as u8),
    }
}

fn verdict(reason: Reason) -> EffectRow {
    EffectRow::Verdict { reason: f64::from(reason as u8) }
}

fn refused(refusal: Refusal, call: f64) -> EffectRow {
    let taken = f64::from(TakenCode::Refused as u8);
    EffectRow::Taken { taken, refusal: f64::from(refusal as u8), grant: 0.0, call }
}

fn decide(call: f64, id: f64, choice: Choice) -> FactRow {
    FactRow::Decide {
        call,
        id,
        choice: f64::from(choice as u8),
        fields: 0.0,
        lifetime: f64::INFINITY,
        program: 0.0,
        shown: 0.0,
        shown_call: 0.0,
        shown_low: 0.0,
        shown_high: 0.0,
        shown_server: 0.0,
    }
}

fn commit(cause: CommitCause, attached: f64) -> FactRow {
    FactRow::Commit { cause: f64::from(cause as u8), attached, trial: 0.0 }
}

/// The code of the first taken effect.
fn taken(effects: &[EffectRow]) -> Option<(TakenCode, f64)> {
    effects.iter().find_map(|effect| match *effect {
        EffectRow::Taken { taken, call, .. } => TakenCode::from_code(taken as usize).map(|code| (code, call)),
        _ => None,
    })
}

#[test]
fn a_step_is_told_and_asked_about_at_once() {
    let mut guard = guard();
    let effects = tell(&mut guard, &[&asking()[..], &[FactRow::Ask {}]].concat());
    assert_eq!(effects, [seen(1.0, Keeps::Asked), verdict(Reason::Waiting)]);
    let effects = tell(&mut guard, &[&answered(Answer::Yes)[..], &[FactRow::Ask {}]].concat());
    assert_eq!(effects, [seen(1.0, Keeps::Allowed), verdict(Reason::Answered)]);
}

#[test]
fn a_denial_is_put_on_the_call_that_was_denied_and_repaired() {
    let mut guard = guard();
    tell(&mut guard, &[&asking()[..], &answered(Answer::No)].concat());
    let overwritten = flags(ToolState::OutputAvailable, Answer::Absent) + f64::from(RESIDUE);
    tell(&mut guard, &shown(1.0, overwritten));
    let repair = |scope: Scope| FactRow::Repair {
        part: 0.0,
        call: 1.0,
        flags: overwritten,
        approval: 0.0,
        scope: f64::from(scope as u8),
    };
    let found = |effects: Vec<EffectRow>| match effects[..] {
        [EffectRow::Repair { repair, cause, .. }] => (Repair::from_code(repair as usize), cause.is_nan()),
        _ => (None, false),
    };
    assert_eq!(found(tell(&mut guard, &[repair(Scope::Wire)])), (Some(Repair::Deny), true));
    let send = FactRow::Send { chat: CHAT, trigger: f64::from(Trigger::Submit as u8), continues: 1.0 };
    assert_eq!(tell(&mut guard, &[send]), [EffectRow::Request { request: 1.0, person: 0.0, held: 0.0 }]);
    tell(&mut guard, &[FactRow::Started { request: 1.0 }, FactRow::Ended { request: 1.0 }]);
    assert_eq!(found(tell(&mut guard, &[repair(Scope::Home)])), (Some(Repair::SettleDenial), true));
    assert_eq!(field(&guard, "status"), f64::from(Status::Settled as u8));
    assert_eq!(field(&guard, "answer"), 1.0);
    assert_eq!(field(&guard, "actor"), f64::from(Actor::Person as u8));
    let entries = read(&guard, Table::Entries);
    assert_eq!(entries.len(), EntryRow::FIELDS.len() * guard.length() as usize);
}

#[test]
fn only_parts_that_need_a_repair_have_an_effect_which_names_their_question() {
    let mut guard = guard();
    tell(&mut guard, &[&asking()[..], &answered(Answer::No)].concat());
    let repair = |flags: f64| FactRow::Repair { part: 0.0, call: 1.0, flags, approval: APPROVAL, scope: 0.0 };
    let kept = repair(flags(ToolState::ApprovalResponded, Answer::No));
    let overwritten = repair(flags(ToolState::OutputAvailable, Answer::Absent) + f64::from(RESIDUE));
    let unknown = FactRow::Repair { part: 0.0, call: 0.0, flags: 0.0, approval: 0.0, scope: 0.0 };
    let effects = tell(&mut guard, &[kept, overwritten, unknown, overwritten]);
    let [EffectRow::Repair { question: 1.0, .. }, EffectRow::Repair { question: 3.0, .. }] = effects[..]
    else {
        panic!("{effects:?}")
    };
}

#[test]
fn what_the_guard_denies_itself_has_a_cause() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    let send = FactRow::Send { chat: CHAT, trigger: f64::from(Trigger::Submit as u8), continues: 0.0 };
    assert_eq!(tell(&mut guard, &[send]), [EffectRow::Request { request: 1.0, person: 1.0, held: 0.0 }]);
    let flags = flags(ToolState::ApprovalRequested, Answer::Absent);
    let repair = FactRow::Repair { part: 0.0, call: 1.0, flags, approval: APPROVAL, scope: 0.0 };
    let effects = tell(&mut guard, &[repair]);
    let [EffectRow::Repair { cause, .. }] = effects[..] else { panic!("{effects:?}") };
    assert_eq!(Cause::from_code(cause as usize), Some(Cause::Superseded));
}

#[test]
fn an_open_call_is_named_with_what_it_waits_for() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    let mut expected = Vec::new();
    VerdictRow { reason: f64::from(Reason::Waiting as u8) }.write(&mut expected);
    NeedRow { call: 1.0, tool: TOOL, id: ID, approval: APPROVAL, need: f64::from(Need::Approval as u8) }
        .write(&mut expected);
    assert_eq!(read(&guard, Table::Verdict), expected);
}

#[test]
fn problems_are_told_with_the_effects() {
    let mut guard = guard();
    let send = |chat| FactRow::Send { chat, trigger: 0.0, continues: 0.0 };
    tell(&mut guard, &[send(CHAT)]);
    let effects = tell(&mut guard, &[send(CHAT + 1.0)]);
    let problem = |problem: Problem, call| EffectRow::Problem { problem: f64::from(problem as u8), call };
    assert_eq!(
        effects,
        [problem(Problem::WrongChat, 0.0), EffectRow::Request { request: 0.0, person: 1.0, held: 0.0 }]
    );
    tell(&mut guard, &asking());
    let overwritten = flags(ToolState::OutputAvailable, Answer::Absent) + f64::from(RESIDUE);
    assert!(
        tell(&mut guard, &[part(1.0, overwritten)]).contains(&problem(Problem::OutputOverOpenApproval, 1.0))
    );
}

#[test]
fn a_decision_is_a_draft_until_it_is_committed() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    assert_eq!(
        taken(&tell(&mut guard, &[decide(1.0, 0.0, Choice::AllowOnce)])),
        Some((TakenCode::Done, 1.0))
    );
    assert_eq!(field(&guard, "status"), f64::from(Status::Drafted as u8));
    assert_eq!(
        taken(&tell(&mut guard, &[commit(CommitCause::Question, 0.0)])),
        Some((TakenCode::Waiting, 0.0))
    );
    let trial = FactRow::Commit { cause: f64::from(CommitCause::Person as u8), attached: 1.0, trial: 1.0 };
    assert_eq!(taken(&tell(&mut guard, &[trial])), Some((TakenCode::Done, 0.0)));
    assert_eq!(field(&guard, "status"), f64::from(Status::Drafted as u8), "a trial changes nothing");
    let effects = tell(&mut guard, &[commit(CommitCause::Person, 1.0)]);
    assert_eq!(taken(&effects), Some((TakenCode::Done, 0.0)));
    assert!(matches!(effects[1], EffectRow::Changed { call: 1.0, approved: 1.0, cause } if cause.is_nan()));
    let undo = FactRow::Undo { call: 1.0, id: 0.0, more: 0.0 };
    assert_eq!(tell(&mut guard, &[undo]), [refused(Refusal::AlreadyAnswered, 1.0)]);
}

/// The last step, with one asking call for each input: the low half of its digest, and its server.
fn asking_about(inputs: &[(f64, f64)]) -> Vec<FactRow> {
    let flags = flags(ToolState::ApprovalRequested, Answer::Absent);
    let mut rows = Vec::new();
    for (place, &(low, from)) in (1_u32..).zip(inputs) {
        let place = f64::from(place);
        let mut row = part(0.0, flags);
        if let FactRow::Part { id, approval, input_low, server, .. } = &mut row {
            (*id, *approval, *input_low, *server) = (ID + 10.0 * place, APPROVAL + 10.0 * place, low, from);
        }
        rows.extend([row, FactRow::StepPart { part: place, call: 0.0, flags }]);
    }
    rows.push(FactRow::Step { assistant: 1.0, text: 0.0 });
    rows
}

/// The calls of the batch, then the oldest equal of each, then what may be done with each.
fn batch_lists(guard: &Guard) -> [Vec<f64>; 3] {
    let lists = read(guard, Table::Batch).split_off(BatchRow::FIELDS.len());
    let third = lists.len() / 3;
    [0, 1, 2].map(|at| lists[at * third..(at + 1) * third].to_vec())
}

/// The calls of the batch, and after them the oldest equal of each.
fn equals(guard: &Guard) -> Vec<f64> {
    let [calls, equals, _] = batch_lists(guard);
    [calls, equals].concat()
}

#[test]
fn the_batch_says_what_may_be_done_with_each_call() {
    let mut guard = guard();
    tell(&mut guard, &asking_about(&[(7.0, 0.0), (9.0, 0.0), (11.0, 0.0)]));
    assert_eq!(batch_lists(&guard)[2], [3.0, 3.0, 3.0], "each can be allowed and denied");
    tell(&mut guard, &[decide(1.0, 0.0, Choice::Deny), decide(2.0, 0.0, Choice::AllowOnce)]);
    assert_eq!(batch_lists(&guard)[2], [0.0, 2.0, 3.0], "a denial wins over a drafted allowance");
}

#[test]
fn c41_the_batch_says_which_calls_are_equal() {
    let mut guard = guard();
    // The digest of what cannot be compared is even, and that of a missing input is 0.
    let inputs = [(-11.0, 0.0), (7.0, 0.0), (-11.0, 0.0), (-11.0, 8.0), (4.0, 0.0), (4.0, 0.0), (7.0, 0.0)];
    tell(&mut guard, &asking_about(&inputs));
    let calls = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let found = |equals: [f64; 7]| [calls, equals].concat();
    assert_eq!(equals(&guard), found([1.0, 2.0, 1.0, 4.0, 5.0, 6.0, 2.0]));
    // An answer separates equal calls, and the same answer joins them again.
    tell(&mut guard, &[decide(1.0, 0.0, Choice::Deny)]);
    assert_eq!(equals(&guard), found([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.0]));
    tell(&mut guard, &[decide(3.0, 0.0, Choice::AllowOnce)]);
    assert_eq!(equals(&guard), found([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.0]));
    tell(&mut guard, &[decide(3.0, 0.0, Choice::Deny)]);
    assert_eq!(equals(&guard), found([1.0, 2.0, 1.0, 4.0, 5.0, 6.0, 2.0]));
}

#[test]
fn c41_drafts_that_are_undone_together_ask_again_together() {
    let mut guard = guard();
    tell(&mut guard, &asking_about(&[(7.0, 0.0), (7.0, 0.0), (9.0, 0.0)]));
    let undo = |call, id, more| FactRow::Undo { call, id, more };
    let changed = |effects: &[EffectRow]| -> Vec<f64> {
        let calls = effects.iter().filter_map(|effect| match *effect {
            EffectRow::Changed { call, .. } => Some(call),
            _ => None,
        });
        calls.collect()
    };
    tell(&mut guard, &[decide(1.0, 0.0, Choice::Deny), decide(2.0, 0.0, Choice::Deny)]);
    let effects = tell(&mut guard, &[undo(1.0, 0.0, 1.0), undo(2.0, 0.0, 0.0)]);
    assert_eq!(changed(&effects), [1.0, 2.0]);
    // What cannot be undone is refused and recorded, and holds nothing back.
    tell(&mut guard, &[decide(1.0, 0.0, Choice::Deny)]);
    let entries = guard.length();
    let effects = tell(&mut guard, &[undo(2.0, 0.0, 1.0), undo(0.0, 99.0, 1.0), undo(1.0, 0.0, 0.0)]);
    assert_eq!((taken(&effects), changed(&effects)), (Some((TakenCode::Done, 1.0)), vec![1.0]));
    assert_eq!(guard.length() - entries, 3, "two refusals, one undo");
    let effects = tell(&mut guard, &[undo(1.0, 0.0, 1.0), undo(2.0, 0.0, 0.0)]);
    assert_eq!(effects, [refused(Refusal::NotDrafted, 2.0)]);
    let effects = tell(&mut guard, &[undo(0.0, 99.0, 0.0)]);
    assert_eq!(effects, [refused(Refusal::UnknownId, 0.0)]);
    // Each act begins anew.
    tell(&mut guard, &[decide(2.0, 0.0, Choice::Deny)]);
    assert_eq!(changed(&tell(&mut guard, &[undo(2.0, 0.0, 0.0)])), [2.0]);
}

#[test]
fn an_allowance_that_nobody_can_undo_waits_for_a_chat_or_a_question() {
    let ruled = |effect: Effect| {
        let mut guard = guard();
        let effect = f64::from(effect as u8);
        let rule = FactRow::EvaluateRule { part: 1.0, call: 0.0, effect, always: 0.0, rule: 0.0 };
        tell(&mut guard, &[&asking()[..], &[rule, FactRow::Match { part: 0.0, call: 1.0 }]].concat());
        guard
    };
    let done = |effect, cause, attached| {
        let effects = tell(&mut ruled(effect), &[commit(cause, attached)]);
        effects.iter().any(|effect| matches!(effect, EffectRow::Changed { .. }))
    };
    assert!(!done(Effect::Allow, CommitCause::Time, 0.0));
    assert!(done(Effect::Allow, CommitCause::Time, 1.0));
    assert!(done(Effect::Allow, CommitCause::Question, 0.0));
    // A denial only closes.
    assert!(done(Effect::Deny, CommitCause::Time, 0.0));
}

#[test]
fn an_id_counts_where_it_names_one_call() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    let by_id = |id| decide(0.0, id, Choice::Deny);
    assert_eq!(tell(&mut guard, &[by_id(0.0)]), [refused(Refusal::UnknownId, 0.0)], "no string at all");
    assert_eq!(tell(&mut guard, &[by_id(77.0)]), [refused(Refusal::UnknownId, 0.0)]);
    assert_eq!(tell(&mut guard, &[decide(5.0, 0.0, Choice::Deny)]), [refused(Refusal::UnknownId, 0.0)]);
    let mut twin = part(0.0, flags(ToolState::ApprovalRequested, Answer::Absent));
    if let FactRow::Part { occurrence, approval, .. } = &mut twin {
        (*occurrence, *approval) = (1.0, APPROVAL + 1.0);
    }
    tell(&mut guard, &[twin]);
    assert_eq!(tell(&mut guard, &[by_id(ID)]), [refused(Refusal::AmbiguousId, 0.0)]);
    assert_eq!(taken(&tell(&mut guard, &[by_id(APPROVAL)])), Some((TakenCode::Done, 1.0)));
}

#[test]
fn a_decision_counts_for_the_input_that_was_shown() {
    let sees = |shown_call, shown_low| {
        let mut guard = guard();
        tell(&mut guard, &asking());
        let FactRow::Decide { call, id, choice, fields, lifetime, .. } = decide(1.0, 0.0, Choice::AllowOnce)
        else {
            unreachable!()
        };
        let shown = FactRow::Decide {
            call,
            id,
            choice,
            fields,
            lifetime,
            program: 0.0,
            shown: 1.0,
            shown_call,
            shown_low,
            shown_high: 12.0,
            shown_server: 0.0,
        };
        tell(&mut guard, &[shown])
    };
    assert_eq!(taken(&sees(1.0, -11.0)), Some((TakenCode::Done, 1.0)));
    assert_eq!(taken(&sees(0.0, -11.0)), Some((TakenCode::Done, 1.0)));
    assert_eq!(sees(1.0, 13.0), [refused(Refusal::Changed, 1.0)]);
    assert_eq!(sees(0.0, 13.0), [refused(Refusal::Changed, 1.0)]);
    assert_eq!(taken(&sees(2.0, 13.0)), Some((TakenCode::Done, 1.0)), "what was shown of another call");
}

#[test]
fn what_stood_in_the_step_stays_where_an_older_list_says_nothing_new() {
    let mut guard = guard();
    tell(&mut guard, &[&asking()[..], &answered(Answer::Yes)].concat());
    // An output of the page, followed by a list that was rendered before it.
    let output = flags(ToolState::OutputAvailable, Answer::Yes) + f64::from(RESIDUE);
    tell(&mut guard, &shown(1.0, output));
    let mut older = part(1.0, flags(ToolState::ApprovalRequested, Answer::Absent));
    if let FactRow::Part { source, .. } = &mut older {
        *source = f64::from(Source::Older as u8);
    }
    let step = [
        older,
        FactRow::StepPart { part: 1.0, call: 1.0, flags: output },
        FactRow::Step { assistant: 1.0, text: 0.0 },
        FactRow::Ask {},
    ];
    let effects = tell(&mut guard, &step);
    assert_eq!(effects[0], seen(0.0, Keeps::Nothing), "the older list says nothing");
    assert_ne!(effects[1], verdict(Reason::NoToolCall), "its call is still in the step");
}

#[test]
fn a_question_waits_until_the_whole_list_was_read() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    let ask = [FactRow::Missing { call: 1.0 }, FactRow::Ask {}];
    assert_eq!(tell(&mut guard, &ask), [], "a call does not stand where it stood");
    let scan = [
        FactRow::Relocated { part: 0.0, call: 1.0 },
        FactRow::ScanComplete { trigger: 0.0 },
        FactRow::Ask {},
    ];
    assert_eq!(tell(&mut guard, &scan), [verdict(Reason::Waiting)]);
}

#[test]
fn an_effect_that_nobody_knows_asks_and_nothing_answers_it() {
    for effect in [-1.0, 3.0, f64::NAN, 1e300] {
        let mut guard = guard();
        let rule = FactRow::EvaluateRule { part: 1.0, call: 0.0, effect, always: 0.0, rule: 0.0 };
        tell(&mut guard, &[&asking()[..], &[rule, FactRow::Match { part: 1.0, call: 0.0 }]].concat());
        assert_eq!(field(&guard, "status"), f64::from(Status::Asking as u8), "{effect}");
    }
}

/// Numbers at the limits of what a row may contain, and beyond them.
#[test]
fn an_entry_keeps_its_number_when_older_ones_are_sealed() {
    let entries = |guard: &Guard, from: u32| {
        let mut out = Vec::new();
        tables::read(guard, Table::Entries, from.into(), 0.0, &mut out);
        // What is missing is no number, which equals nothing.
        out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    let mut guard = guard();
    tell(&mut guard, &asking());
    let stop = [FactRow::Stopped {}, decide(1.0, 0.0, Choice::Deny), FactRow::UndoAll {}];
    while guard.sealed() == 0 {
        tell(&mut guard, &stop);
    }
    let (sealed, length) = (guard.sealed(), guard.length());
    let kept = entries(&guard, sealed);
    let row = EntryRow::FIELDS.len();
    assert_eq!(kept.len(), (length - sealed) as usize * row);
    assert_eq!(entries(&guard, 0), kept, "of the sealed ones there is nothing");
    assert_eq!(entries(&guard, sealed + 7), kept[7 * row..]);
    assert_eq!(entries(&guard, length - 1), kept[kept.len() - row..]);
    assert!(entries(&guard, length).is_empty());
}

fn number() -> impl Strategy<Value = f64> {
    let edges = vec![
        0.0,
        1.0,
        2.0,
        3.0,
        7.0,
        255.0,
        65_536.0,
        f64::from(u32::MAX),
        1e300,
        0.5,
        -1.0,
        -1e300,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    prop_oneof![3 => (0_u32..6).prop_map(f64::from), 1 => prop::sample::select(edges)]
}

proptest! {
    /// Law 11, at the border: whatever the numbers are, nothing traps, and the output consists of whole rows.
    #[test]
    fn law_11_numbers_that_mean_nothing_do_no_harm(
        rows in prop::collection::vec((0..FactRow::ROWS.len(), prop::collection::vec(number(), 18)), 1..40),
        tail in prop::collection::vec(number(), 0..20),
    ) {
        let mut guard = guard();
        let mut given = Vec::new();
        for (code, values) in &rows {
            given.push(*code as f64);
            given.extend(&values[..FactRow::ROWS[*code].1.len()]);
        }
        given.extend(tail);
        let mut out = Vec::new();
        facts::apply(&mut guard, &given, NOW, &mut out);
        let mut out = &out[..];
        while !out.is_empty() {
            prop_assert!(EffectRow::read(&mut out).is_some(), "effects are whole rows");
        }
        for table in Table::ALL {
            for of in [0.0, 1.0, -1.0, f64::NAN, 1e300] {
                tables::read(&guard, *table, of, of, &mut Vec::new());
            }
        }
    }
}
