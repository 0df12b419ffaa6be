//! The border as rows of numbers: facts in, effects out, tables.

use proptest::prelude::*;
use tool_approval_guard::core::call::{Answer, Digest, PartFacts, PartFlags, Place, Status};
use tool_approval_guard::core::clock::Now;
use tool_approval_guard::core::decision::{Actor, Choice, Effect, Refusal, Ruling};
use tool_approval_guard::core::guard::{
    Act, ActResult, Can, Chosen, CommitCause, Covers, Fact, Guard, Named, Options, Problem, Returned, Shown,
    Trigger,
};
use tool_approval_guard::core::id::{CallId, RequestId, StringId};
use tool_approval_guard::core::protocol::ToolState;
use tool_approval_guard::core::repair::{Cause, Needed, Repair, Scope};
use tool_approval_guard::core::rewrite::{Keeps, KeptOutput};
use tool_approval_guard::core::row::{CallNumber, Crosses, Rows, Shape, call_number};
use tool_approval_guard::core::verdict::{Need, Reason, Step};
use tool_approval_guard::web::facts;
use tool_approval_guard::web::tables::{
    self, BatchRow, CallRow, EntryRow, Member, NeedRow, Table, VerdictRow,
};

const CHAT: StringId = StringId(9);
const TOOL: StringId = StringId(2);
const ID: StringId = StringId(3);
const APPROVAL: StringId = StringId(4);
const NOW: Now = Now { wall: 1_000.0, steady: 1_000.0 };
/// The only call, of which the shell says 1.
const CALL: CallId = CallId(0);
const INPUT: Digest = digest(-11, 12);

/// The digest with these halves, which have a sign.
const fn digest(low: i32, high: i32) -> Digest {
    (high as u32 as u64) << 32 | low as u32 as u64
}

fn numbers(facts: &[Fact]) -> Vec<f64> {
    let mut numbers = Vec::new();
    facts.iter().for_each(|fact| fact.write(&mut numbers));
    numbers
}

fn guard() -> Guard {
    let mut numbers = Vec::new();
    Options::default().write(&mut numbers);
    facts::open(&numbers)
}

/// Passes facts; returns their effects.
fn tell(guard: &mut Guard, facts: &[Fact]) -> Vec<Returned> {
    tell_numbers(guard, &numbers(facts))
}

fn tell_numbers(guard: &mut Guard, numbers: &[f64]) -> Vec<Returned> {
    let mut out = Vec::new();
    facts::apply(guard, numbers, NOW, &mut out);
    let mut out = Rows::new(&out);
    std::iter::from_fn(|| Returned::read(&mut out)).map(|returned| returned.expect("a row")).collect()
}

fn read(guard: &Guard, table: Table) -> Vec<f64> {
    let mut out = Vec::new();
    tables::read(guard, table, &mut out);
    out
}

/// The only call.
fn only(guard: &Guard) -> CallRow {
    let numbers = read(guard, Table::Calls(0));
    assert_eq!(numbers.len(), width(CallRow::SHAPE), "one call");
    CallRow::read(&mut Rows::new(&numbers)).expect("a row")
}

fn flags(state: ToolState, answer: Answer) -> PartFlags {
    PartFlags { state, answer, provider: false, preliminary: false, residue: false, by_guard: false }
}

/// An output that was written over the answer.
fn overwritten(answer: Answer) -> PartFlags {
    PartFlags { residue: true, ..flags(ToolState::OutputAvailable, answer) }
}

/// The only part of the last message.
fn part(flags: PartFlags) -> PartFacts {
    PartFacts {
        place: Place { message: StringId(1), index: 1, user_turn: 1, step: 1, occurrence: 0 },
        tool: TOOL,
        server: StringId::NONE,
        id: ID,
        approval: APPROVAL,
        flags,
        input: INPUT,
        edit: 0,
        output: 0,
    }
}

fn step(rows: Vec<(CallId, PartFlags)>) -> Fact {
    Fact::Step(Step { assistant: true, rows, ..Step::default() })
}

/// The part was read, and so was the step that contains only this part.
fn shown(known: Option<CallId>, flags: PartFlags) -> [Fact; 2] {
    [Fact::Part { known, part: part(flags), current: true }, step(vec![(CALL, flags)])]
}

fn asking() -> [Fact; 2] {
    shown(None, flags(ToolState::ApprovalRequested, Answer::Absent))
}

fn answered(answer: Answer) -> [Fact; 2] {
    shown(Some(CALL), flags(ToolState::ApprovalResponded, answer))
}

fn send(chat: StringId, continues: bool) -> Fact {
    Fact::Send { chat, trigger: Trigger::Submit, continues }
}

fn repair(number: u32, flags: PartFlags, approval: StringId, scope: Scope) -> Fact {
    Fact::Repair { number, shown: (CALL, flags), approval, input: INPUT, edit: 0, scope, above: false }
}

fn seen(call: Option<CallId>, keeps: Keeps) -> Returned {
    let approval = if call.is_some() { APPROVAL } else { StringId::NONE };
    Returned::Seen { call, watched: call.is_some(), approval, keeps, kept_output: KeptOutput::Stays }
}

fn request(request: u32, person: bool) -> Returned {
    Returned::Request { request: RequestId(request), person }
}

fn refused(refusal: Refusal, call: Option<u32>) -> Returned {
    let call = call.map(|number| CallId(number - 1));
    Returned::Act(Act { result: ActResult::Refused(refusal), call, ..Act::default() })
}

fn decide(named: Named, choice: Choice, shown: Option<Shown>) -> Fact {
    let (covers, program) = (Covers::Fields(StringId::NONE), StringId::NONE);
    Fact::Decide {
        named,
        shown,
        chosen: Chosen {
            choice,
            covers,
            lifetime: None,
            edit: tool_approval_guard::core::guard::EditGiven::default(),
        },
        program,
    }
}

/// A decision about the call with this number.
fn decided(call: u32, choice: Choice) -> Fact {
    decide(CallId(call - 1).into(), choice, None)
}

/// What came of the first act.
fn act(returned: &[Returned]) -> Act {
    let act = |returned: &Returned| if let Returned::Act(act) = returned { Some(act.clone()) } else { None };
    returned.iter().find_map(act).expect("an act")
}

/// The numbers of the calls that the first act has changed.
fn changed(returned: &[Returned]) -> Vec<u32> {
    act(returned).changed.iter().map(|changed| changed.call.0.0 + 1).collect()
}

/// Whether the first act was done, and the number of its call.
fn done(returned: &[Returned]) -> (ActResult, u32) {
    let act = act(returned);
    (act.result, act.call.map_or(0, |call| call.0 + 1))
}

#[test]
fn a_step_is_told_and_asked_about_at_once() {
    let mut guard = guard();
    let effects = tell(&mut guard, &[&asking()[..], &[Fact::Ask]].concat());
    assert_eq!(effects, [seen(Some(CALL), Keeps::Asked), Returned::Verdict(Reason::Waiting)]);
    let effects = tell(&mut guard, &[&answered(Answer::Yes)[..], &[Fact::Ask]].concat());
    assert_eq!(effects, [seen(Some(CALL), Keeps::Allowed), Returned::Verdict(Reason::Answered)]);
}

#[test]
fn a_denial_is_put_on_the_call_that_was_denied_and_repaired() {
    let mut guard = guard();
    tell(&mut guard, &[&asking()[..], &answered(Answer::No)].concat());
    tell(&mut guard, &shown(Some(CALL), overwritten(Answer::Absent)));
    let repair = |scope| repair(0, overwritten(Answer::Absent), StringId::NONE, scope);
    let found = |returned: Vec<Returned>| match returned[..] {
        [Returned::Repair { needed, .. }] => (needed.repair, needed.cause),
        _ => panic!("{returned:?}"),
    };
    assert_eq!(found(tell(&mut guard, &[repair(Scope::Wire)])), (Repair::Deny, None));
    assert_eq!(tell(&mut guard, &[send(CHAT, true)]), [request(1, false)]);
    tell(&mut guard, &[Fact::Started(RequestId(1)), Fact::Ended(RequestId(1))]);
    assert_eq!(found(tell(&mut guard, &[repair(Scope::Home)])), (Repair::SettleDenial, None));
    let call = only(&guard);
    assert_eq!((call.status, call.answer, call.actor), (Status::Settled, Some(false), Some(Actor::Person)));
    let entries = read(&guard, Table::Entries(0));
    assert_eq!(entries.len(), width(EntryRow::SHAPE) * guard.length() as usize);
}

#[test]
fn only_parts_that_need_a_repair_have_an_effect_which_has_their_number() {
    let mut guard = guard();
    tell(&mut guard, &[&asking()[..], &answered(Answer::No)].concat());
    let kept = repair(0, flags(ToolState::ApprovalResponded, Answer::No), APPROVAL, Scope::Wire);
    let overwritten = |number| repair(number, overwritten(Answer::Absent), APPROVAL, Scope::Wire);
    let flags = flags(ToolState::InputStreaming, Answer::Absent);
    let shown = (CallId(7), flags);
    let unknown = Fact::Repair {
        number: 2,
        shown,
        approval: StringId::NONE,
        input: INPUT,
        edit: 0,
        scope: Scope::Wire,
        above: false,
    };
    let returned = tell(&mut guard, &[kept, overwritten(1), unknown, overwritten(3)]);
    let [Returned::Repair { number: 1, .. }, Returned::Repair { number: 3, .. }] = returned[..] else {
        panic!("{returned:?}")
    };
}

#[test]
fn what_the_guard_denies_itself_has_a_cause() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    assert_eq!(tell(&mut guard, &[send(CHAT, false)]), [request(1, true)]);
    let flags = flags(ToolState::ApprovalRequested, Answer::Absent);
    let effects = tell(&mut guard, &[repair(0, flags, APPROVAL, Scope::Wire)]);
    let [Returned::Repair { needed: Needed { cause, .. }, .. }] = effects[..] else { panic!("{effects:?}") };
    assert_eq!(cause, Some(Cause::Superseded));
}

#[test]
fn an_open_call_is_named_with_what_it_waits_for() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    let mut expected = Vec::new();
    VerdictRow { reason: Reason::Waiting }.write(&mut expected);
    NeedRow { call: CallNumber(CALL), tool: TOOL, id: ID, approval: APPROVAL, need: Need::Approval }
        .write(&mut expected);
    assert_eq!(read(&guard, Table::Verdict(None)), expected);
}

#[test]
fn problems_are_told_with_the_effects() {
    let mut guard = guard();
    tell(&mut guard, &[send(CHAT, false)]);
    let effects = tell(&mut guard, &[send(CHAT.next(), false)]);
    let problem = |problem, call| Returned::Problem { problem, call };
    assert_eq!(effects, [problem(Problem::WrongChat, None)]);
    tell(&mut guard, &asking());
    let part = part(overwritten(Answer::Absent));
    let effects = tell(&mut guard, &[Fact::Part { known: Some(CALL), part, current: true }]);
    assert!(effects.contains(&problem(Problem::OutputOverOpenApproval, Some(CALL))));
}

#[test]
fn a_decision_is_a_draft_until_it_is_committed() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    assert_eq!(done(&tell(&mut guard, &[decided(1, Choice::AllowOnce)])), (ActResult::Done, 1));
    assert_eq!(only(&guard).status, Status::Drafted);
    assert_eq!(
        done(&tell(&mut guard, &[Fact::Commit(CommitCause::PredicateAlone)])),
        (ActResult::Waiting, 0)
    );
    let trial = Fact::TryCommit { by_person: true };
    assert_eq!(done(&tell(&mut guard, &[trial])), (ActResult::Done, 0));
    assert_eq!(only(&guard).status, Status::Drafted, "a trial changes nothing");
    let effects = tell(&mut guard, &[Fact::Commit(CommitCause::Person)]);
    assert_eq!(done(&effects), (ActResult::Done, 0));
    let [changed] = act(&effects).changed[..] else { panic!("{effects:?}") };
    assert_eq!((changed.call, changed.approved, changed.cause), (CallNumber(CALL), true, None));
    assert_eq!(
        tell(&mut guard, &[Fact::Undo(vec![CALL.into()])]),
        [refused(Refusal::AlreadyAnswered, Some(1))]
    );
}

/// The last step, with one asking call for each input: the low half of its digest, and its server.
fn asking_about(inputs: &[(i32, u32)]) -> Vec<Fact> {
    let flags = flags(ToolState::ApprovalRequested, Answer::Absent);
    let (mut facts, mut rows) = (Vec::new(), Vec::new());
    for (place, &(low, server)) in (1..).zip(inputs) {
        let part = PartFacts {
            id: StringId(ID.0 + 10 * place),
            approval: StringId(APPROVAL.0 + 10 * place),
            input: digest(low, 12),
            server: StringId(server),
            ..part(flags)
        };
        facts.push(Fact::Part { known: None, part, current: true });
        rows.push((CallId(place - 1), flags));
    }
    facts.push(step(rows));
    facts
}

/// The calls of the batch.
fn members(guard: &Guard) -> Vec<Member> {
    BatchRow::read(&mut Rows::new(&read(guard, Table::Batch))).expect("a row").calls
}

/// The numbers of the calls of the batch, and after them of the oldest equal of each.
fn equals(guard: &Guard) -> Vec<f64> {
    let numbers = |of: fn(&Member) -> CallNumber| {
        members(guard).iter().map(|member| call_number(Some(of(member).0))).collect::<Vec<_>>()
    };
    [numbers(|member| member.call), numbers(|member| member.oldest)].concat()
}

#[test]
fn the_batch_says_what_may_be_done_with_each_call() {
    let mut guard = guard();
    tell(&mut guard, &asking_about(&[(7, 0), (9, 0), (11, 0)]));
    let can = |guard: &Guard| members(guard).iter().map(|member| member.can).collect::<Vec<_>>();
    let both = Can { allow: true, deny: true };
    assert_eq!(can(&guard), [both, both, both]);
    tell(&mut guard, &[decided(1, Choice::Deny), decided(2, Choice::AllowOnce)]);
    let only_deny = Can { allow: false, deny: true };
    assert_eq!(can(&guard), [Can::default(), only_deny, both], "a denial wins over a drafted allowance");
}

#[test]
fn c41_the_batch_says_which_calls_are_equal() {
    let mut guard = guard();
    // The digest of what cannot be compared is even, and that of a missing input is 0.
    let inputs = [(-11, 0), (7, 0), (-11, 0), (-11, 8), (4, 0), (4, 0), (7, 0)];
    tell(&mut guard, &asking_about(&inputs));
    let calls = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let found = |equals: [f64; 7]| [calls, equals].concat();
    assert_eq!(equals(&guard), found([1.0, 2.0, 1.0, 4.0, 5.0, 6.0, 2.0]));
    // An answer separates equal calls, and the same answer joins them again.
    tell(&mut guard, &[decided(1, Choice::Deny)]);
    assert_eq!(equals(&guard), found([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.0]));
    tell(&mut guard, &[decided(3, Choice::AllowOnce)]);
    assert_eq!(equals(&guard), found([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.0]));
    tell(&mut guard, &[decided(3, Choice::Deny)]);
    assert_eq!(equals(&guard), found([1.0, 2.0, 1.0, 4.0, 5.0, 6.0, 2.0]));
}

#[test]
fn c41_drafts_that_are_undone_together_ask_again_together() {
    let mut guard = guard();
    tell(&mut guard, &asking_about(&[(7, 0), (7, 0), (9, 0)]));
    let call = |number: u32| Named::from(CallId(number - 1));
    let nobody = Named { call: None, id: StringId(99) };
    tell(&mut guard, &[decided(1, Choice::Deny), decided(2, Choice::Deny)]);
    let effects = tell(&mut guard, &[Fact::Undo(vec![call(1), call(2)])]);
    assert_eq!(changed(&effects), [1, 2]);
    // What cannot be undone is refused and recorded, and holds nothing back.
    tell(&mut guard, &[decided(1, Choice::Deny)]);
    let entries = guard.length();
    let effects = tell(&mut guard, &[Fact::Undo(vec![call(2), nobody, call(1)])]);
    assert_eq!((done(&effects), changed(&effects)), ((ActResult::Done, 1), vec![1]));
    assert_eq!(guard.length() - entries, 3, "two refusals, one undo");
    let effects = tell(&mut guard, &[Fact::Undo(vec![call(1), call(2)])]);
    assert_eq!(effects, [refused(Refusal::NotDrafted, Some(2))]);
    let effects = tell(&mut guard, &[Fact::Undo(vec![nobody])]);
    assert_eq!(effects, [refused(Refusal::UnknownId, None)]);
    // Each act begins anew.
    tell(&mut guard, &[decided(2, Choice::Deny)]);
    assert_eq!(changed(&tell(&mut guard, &[Fact::Undo(vec![call(2)])])), [2]);
}

#[test]
fn an_allowance_that_nobody_can_undo_waits_for_a_chat_or_a_question() {
    let ruled = |effect: Effect| {
        let mut guard = guard();
        let ruling = Ruling { effect, always: false, rule: StringId::NONE };
        let rule = Fact::EvaluateRule { call: CALL, ruling };
        tell(&mut guard, &[&asking()[..], &[rule, Fact::Match(CALL)]].concat());
        guard
    };
    let done = |effect, cause| {
        let effects = tell(&mut ruled(effect), &[Fact::Commit(cause)]);
        !changed(&effects).is_empty()
    };
    assert!(!done(Effect::Allow, CommitCause::TimeAlone));
    assert!(done(Effect::Allow, CommitCause::Time));
    assert!(done(Effect::Allow, CommitCause::PredicateAlone));
    // A denial only closes.
    assert!(done(Effect::Deny, CommitCause::TimeAlone));
}

#[test]
fn an_id_counts_where_it_names_one_call() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    let by_id = |id| decide(Named { call: None, id }, Choice::Deny, None);
    assert_eq!(
        tell(&mut guard, &[by_id(StringId::NONE)]),
        [refused(Refusal::UnknownId, None)],
        "no string at all"
    );
    assert_eq!(tell(&mut guard, &[by_id(StringId(77))]), [refused(Refusal::UnknownId, None)]);
    assert_eq!(tell(&mut guard, &[decided(5, Choice::Deny)]), [refused(Refusal::UnknownId, None)]);
    let mut twin = part(flags(ToolState::ApprovalRequested, Answer::Absent));
    (twin.place.occurrence, twin.approval) = (1, APPROVAL.next());
    tell(&mut guard, &[Fact::Part { known: None, part: twin, current: true }]);
    assert_eq!(tell(&mut guard, &[by_id(ID)]), [refused(Refusal::AmbiguousId, None)]);
    assert_eq!(done(&tell(&mut guard, &[by_id(APPROVAL)])), (ActResult::Done, 1));
}

#[test]
fn a_decision_counts_for_the_input_that_was_shown() {
    let sees = |call: Option<u32>, low| {
        let mut guard = guard();
        tell(&mut guard, &asking());
        let call = call.map(|number| CallId(number - 1));
        let shown = Shown { call, input: digest(low, 12), server: StringId::NONE };
        tell(&mut guard, &[decide(CALL.into(), Choice::AllowOnce, Some(shown))])
    };
    assert_eq!(done(&sees(Some(1), -11)), (ActResult::Done, 1));
    assert_eq!(done(&sees(None, -11)), (ActResult::Done, 1));
    assert_eq!(sees(Some(1), 13), [refused(Refusal::Changed, Some(1))]);
    assert_eq!(sees(None, 13), [refused(Refusal::Changed, Some(1))]);
    assert_eq!(done(&sees(Some(2), 13)), (ActResult::Done, 1), "what was shown of another call");
}

#[test]
fn what_stood_in_the_step_stays_where_an_older_list_says_nothing_new() {
    let mut guard = guard();
    tell(&mut guard, &[&asking()[..], &answered(Answer::Yes)].concat());
    // An output of the page, followed by a list that was rendered before it.
    let output = overwritten(Answer::Yes);
    tell(&mut guard, &shown(Some(CALL), output));
    let part = part(flags(ToolState::ApprovalRequested, Answer::Absent));
    let older = Fact::Part { known: Some(CALL), part, current: false };
    let effects = tell(&mut guard, &[older, step(vec![(CALL, output)]), Fact::Ask]);
    assert_eq!(effects[0], seen(None, Keeps::Nothing), "the older list says nothing");
    assert_ne!(effects[1], Returned::Verdict(Reason::NoToolCall), "its call is still in the step");
}

#[test]
fn a_question_waits_until_the_whole_list_was_read() {
    let mut guard = guard();
    tell(&mut guard, &asking());
    let ask = [Fact::Missing(CALL), Fact::Ask];
    assert_eq!(tell(&mut guard, &ask), [], "a call does not stand where it stood");
    let scan = [Fact::Relocated(CALL), Fact::ScanComplete(Trigger::Submit), Fact::Ask];
    assert_eq!(tell(&mut guard, &scan), [Returned::Verdict(Reason::Waiting)]);
}

#[test]
fn an_effect_that_nobody_knows_asks_and_nothing_answers_it() {
    for effect in [-1.0, 3.0, f64::NAN, 1e300] {
        let mut guard = guard();
        let ruling = Ruling { effect: Effect::Allow, always: false, rule: StringId::NONE };
        let mut numbers = numbers(&[&asking()[..], &[Fact::EvaluateRule { call: CALL, ruling }]].concat());
        // The effect, before `always` and `rule`.
        let place = numbers.len() - 3;
        numbers[place] = effect;
        Fact::Match(CALL).write(&mut numbers);
        tell_numbers(&mut guard, &numbers);
        assert_eq!(only(&guard).status, Status::Asking, "{effect}");
    }
}

#[test]
fn what_a_fact_says_of_a_part_is_said_of_its_call() {
    let flags = flags(ToolState::ApprovalRequested, Answer::Absent);
    let named = |part: f64, call: f64| {
        let mut rows = Vec::new();
        Fact::Part { known: None, part: self::part(flags), current: true }.write(&mut rows);
        Fact::Match(CALL).write(&mut rows);
        let end = rows.len();
        (rows[end - 2], rows[end - 1]) = (part, call);
        let mut rows = Rows::new(&rows);
        let read = |rows: &mut Rows| Fact::read(rows).flatten();
        assert!(matches!(read(&mut rows), Some(Fact::Part { .. })));
        rows.parts.extend([Some((CallId(6), flags)), None]);
        match read(&mut rows) {
            Some(Fact::Match(call)) => Some(call),
            None => None,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(named(1.0, 0.0), Some(CallId(6)));
    assert_eq!(named(1.0, 3.0), Some(CallId(6)));
    assert_eq!(
        named(2.0, 3.0),
        Some(CallId(2)),
        "the part says nothing, and its place has shown another call"
    );
    assert_eq!(named(0.0, 3.0), Some(CallId(2)));
    assert_eq!(named(2.0, 0.0), None);
}

#[test]
fn a_fact_is_read_as_it_was_written() {
    let mut facts = asking_about(&[(7, 0), (-9, 5)]);
    facts.push(decide(Named { call: None, id: ID }, Choice::Deny, None));
    facts.push(Fact::Undo(vec![CALL.into(), Named { call: None, id: APPROVAL }]));
    let text = format!("{facts:?}");
    let numbers = numbers(&facts);
    let mut rows = Rows::new(&numbers);
    let read: Vec<Fact> = std::iter::from_fn(|| Fact::read(&mut rows)).flatten().collect();
    assert_eq!(format!("{read:?}"), text);
    // What is cut off is no fact.
    let mut rows = Rows::new(&numbers[..numbers.len() - 1]);
    let read: Vec<Fact> = std::iter::from_fn(|| Fact::read(&mut rows)).flatten().collect();
    assert_eq!(read.len(), facts.len() - 1);
}

#[test]
fn options_that_are_cut_off_are_none() {
    let mut guard = facts::open(&[0.0; 3]);
    tell(&mut guard, &[&asking()[..], &[Fact::Match(CALL)]].concat());
    assert_eq!(only(&guard).status, Status::Asking, "somebody is there to answer");
}

#[test]
fn an_entry_keeps_its_number_when_older_ones_are_sealed() {
    let entries = |guard: &Guard, from: u32| {
        let mut out = Vec::new();
        tables::read(guard, Table::Entries(from), &mut out);
        // What is missing is no number, which equals nothing.
        out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    let mut guard = guard();
    tell(&mut guard, &asking());
    let stop = [Fact::Stopped, decided(1, Choice::Deny), Fact::UndoAll];
    while guard.sealed() == 0 {
        tell(&mut guard, &stop);
    }
    let (sealed, length) = (guard.sealed(), guard.length());
    let kept = entries(&guard, sealed);
    let row = width(EntryRow::SHAPE);
    assert_eq!(kept.len(), (length - sealed) as usize * row);
    assert_eq!(entries(&guard, 0), kept, "of the sealed ones there is nothing");
    assert_eq!(entries(&guard, sealed + 7), kept[7 * row..]);
    assert_eq!(entries(&guard, length - 1), kept[kept.len() - row..]);
    assert!(entries(&guard, length).is_empty());
}

/// Numbers at the limits of what a row may contain, and beyond them.
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

/// How many numbers a value has; of a list without items only their number.
fn width(shape: Shape) -> usize {
    match shape {
        Shape::Number
        | Shape::Code(..)
        | Shape::OptionalCode(..)
        | Shape::Optional
        | Shape::Answer
        | Shape::Flag
        | Shape::List(_) => 1,
        // No fact has options.
        Shape::Numbers => 0,
        Shape::Digest => 2,
        Shape::Fields(_, fields) => fields.iter().map(|&(_, shape)| width(shape)).sum(),
    }
}

proptest! {
    /// Law 11, at the border: whatever the numbers are, nothing traps, and the output consists of whole rows.
    #[test]
    fn law_11_numbers_that_mean_nothing_do_no_harm(
        rows in prop::collection::vec((0..Fact::ROWS.len(), prop::collection::vec(number(), 24)), 1..40),
        tail in prop::collection::vec(number(), 0..20),
    ) {
        let mut guard = guard();
        let mut given = Vec::new();
        for (code, values) in &rows {
            given.push(*code as f64);
            given.extend(&values[..Fact::ROWS[*code].1.iter().map(|&(_, shape)| width(shape)).sum()]);
        }
        given.extend(tail);
        let mut out = Vec::new();
        facts::apply(&mut guard, &given, NOW, &mut out);
        let mut out = Rows::new(&out);
        while !out.is_empty() {
            prop_assert!(matches!(Returned::read(&mut out), Some(Some(_))), "effects are whole rows");
        }
        for table in 0..Table::ROWS.len() {
            for of in [0.0, 1.0, -1.0, f64::NAN, 1e300] {
                if let Some(Some(table)) = Table::read(&mut Rows::new(&[table as f64, of, of])) {
                    tables::read(&guard, table, &mut Vec::new());
                }
            }
        }
    }
}
