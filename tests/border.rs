//! The border in a browser: what crosses it, when a lease ends, and what a guard leaves behind.
#![cfg(target_arch = "wasm32")]

use gloo_timers::callback::Timeout;
use js_sys::{Function, Promise, Reflect};
use tool_approval_guard::core::call::{Answer, Status};
use tool_approval_guard::core::decision::{Actor, Choice, Refusal};
use tool_approval_guard::core::guard::Problem;
use tool_approval_guard::core::protocol::ToolState;
use tool_approval_guard::core::repair::{Cause, Repair};
use tool_approval_guard::core::verdict::{Need, Reason};
use tool_approval_guard::web::GuardCore;
use tool_approval_guard::web::abi::{CallRow, EntryRow, StatusRow};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const CHAT: u32 = 9;
const MESSAGE: u32 = 1;
const TOOL: u32 = 2;
const CALL_ID: u32 = 3;
const APPROVAL: u32 = 4;

/// The default options.
fn guard() -> GuardCore {
    GuardCore::new(1 | 2 | 8, 20, 0, Vec::new(), 0.0, 5_000.0, 20_000.0)
}

fn flags(state: ToolState, answer: Answer) -> u32 {
    state as u32 | (answer as u32) << 3
}

/// Looks at the only call of a chat, in the second message.
fn see(guard: &GuardCore, known: u32, flags: u32) -> u32 {
    let call = guard.see(known, true, MESSAGE, 1, 1, 1, 0, TOOL, CALL_ID, APPROVAL, flags, 11, 12, 0, 0);
    guard.step(true, false, &[call, flags]);
    call
}

fn asked(guard: &GuardCore) -> u32 {
    see(guard, 0, flags(ToolState::ApprovalRequested, Answer::Absent))
}

fn answered(guard: &GuardCore, answer: Answer) -> u32 {
    let call = asked(guard);
    see(guard, call, flags(ToolState::ApprovalResponded, answer))
}

/// The status block, as the shell reads it.
fn status(guard: &GuardCore) -> StatusRow {
    // SAFETY: the block lives as long as the guard, and nothing writes to it meanwhile.
    unsafe { guard.status().cast::<StatusRow>().read() }
}

/// Waits for a later macrotask.
async fn turn() {
    let promise = Promise::new(&mut |resolve, _| {
        Timeout::new(0, move || {
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        })
        .forget();
    });
    let _ = JsFuture::from(promise).await;
}

/// Waits for a microtask.
async fn tick() {
    let _ = JsFuture::from(Promise::resolve(&wasm_bindgen::JsValue::NULL)).await;
}

#[wasm_bindgen_test]
async fn a_yes_is_a_lease_until_the_next_macrotask() {
    let guard = guard();
    answered(&guard, Answer::Yes);
    assert_eq!(guard.ask(), Reason::Answered as u32);
    assert_eq!(guard.ask(), Reason::AskedTwice as u32);
    tick().await;
    assert_eq!(guard.ask(), Reason::AskedTwice as u32, "a microtask ends no lease");
    turn().await;
    assert_eq!(guard.ask(), Reason::Answered as u32, "a yes that nobody took is not lost");
}

#[wasm_bindgen_test]
async fn dropping_cancels_the_timer() {
    let count = "const clear = globalThis.clearTimeout; globalThis.cleared = 0;
        globalThis.clearTimeout = (timer) => { globalThis.cleared++; clear(timer); };";
    let _ = Function::new_no_args(count).call0(&wasm_bindgen::JsValue::NULL);
    let cleared = || Reflect::get(&js_sys::global(), &"cleared".into()).ok().and_then(|n| n.as_f64());

    let waits = guard();
    answered(&waits, Answer::Yes);
    waits.ask();
    let before = cleared();
    drop(waits);
    assert_eq!(cleared(), before.map(|n| n + 1.0), "the timer of an open lease is cancelled");
    turn().await;
}

#[wasm_bindgen_test]
fn a_denial_goes_through_as_numbers() {
    let guard = guard();
    let call = answered(&guard, Answer::No);
    assert_eq!(call, 1, "calls are counted from 1");
    assert_eq!(guard.ask(), Reason::Answered as u32);
    let overwritten = ToolState::OutputAvailable as u32 | 128;
    assert_eq!(see(&guard, call, overwritten), call);
    assert_eq!(guard.repair(call, overwritten, 0, false), Repair::Deny as u32);
    let request = guard.send(CHAT, false);
    assert_eq!(request, 1);
    guard.started(request);
    guard.ended(request);
    assert_eq!(guard.repair(call, overwritten, 0, true), Repair::SettleDenial as u32);
    assert!(guard.watches(call));
    let rows = guard.calls(0);
    let of = |field: &str| CallRow::FIELDS.iter().position(|name| *name == field).map(|at| rows[at] as u32);
    assert_eq!(
        ["call", "tool", "id", "approval", "message"].map(of),
        [call, TOOL, CALL_ID, APPROVAL, MESSAGE].map(Some)
    );
    assert_eq!(of("status"), Some(Status::Settled as u32));
    assert_eq!(["answer", "actor"].map(of), [1, Actor::Person as u32].map(Some));
    assert_eq!(rows.len(), CallRow::FIELDS.len());
    let length = status(&guard).length as u32;
    assert!(guard.calls(length).is_empty(), "nothing has changed since");
    assert_eq!(guard.entries(0).len(), EntryRow::FIELDS.len() * length as usize);
    assert!(guard.entries(u32::MAX).is_empty());
}

#[wasm_bindgen_test]
fn an_open_call_is_named_with_what_it_waits_for() {
    let guard = guard();
    let call = asked(&guard);
    assert_eq!(guard.reason(), Reason::Waiting as u32);
    assert_eq!(guard.waiting(), [call, Need::Approval as u32]);
}

#[wasm_bindgen_test]
fn what_the_guard_denies_itself_is_marked() {
    let guard = guard();
    let call = asked(&guard);
    guard.send(CHAT, true);
    let repair = guard.repair(call, flags(ToolState::ApprovalRequested, Answer::Absent), APPROVAL, false);
    assert_eq!(repair >> 4, 1 + Cause::Superseded as u32, "denied by the guard, and surely not run");
    assert!([Repair::Deny as u32, Repair::SettleDenial as u32].contains(&(repair & 15)));
}

#[wasm_bindgen_test]
fn problems_are_drained() {
    let guard = guard();
    guard.send(CHAT, true);
    assert_eq!(guard.send(CHAT + 1, true), 0, "a request of another chat is refused");
    assert_eq!(guard.problems(), [Problem::WrongChat as u32, 0]);
    assert!(guard.problems().is_empty());
    let call = asked(&guard);
    see(&guard, call, ToolState::OutputAvailable as u32 | 128);
    assert_eq!(guard.problems(), [Problem::OutputOverOpenApproval as u32, call]);
}

#[wasm_bindgen_test]
fn the_time_of_an_entry_is_the_time_of_the_browser() {
    let guard = guard();
    let before = js_sys::Date::now();
    asked(&guard);
    let at = guard.entries(0)[0];
    assert!((before..=js_sys::Date::now()).contains(&at), "{at}");
}

/// Waits for at least some milliseconds.
async fn wait(millis: u32) {
    let promise = Promise::new(&mut |resolve, _| {
        Timeout::new(millis, move || {
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        })
        .forget();
    });
    let _ = JsFuture::from(promise).await;
}

/// A function that counts its calls in a global of this name.
fn counter(name: &str) -> (Function, impl Fn() -> f64) {
    let set = format!("globalThis.{name} = 0; return () => {{ globalThis.{name}++; }};");
    let made = Function::new_no_args(&set).call0(&wasm_bindgen::JsValue::NULL);
    let name = name.to_owned();
    let count = move || Reflect::get(&js_sys::global(), &name.as_str().into()).ok().and_then(|n| n.as_f64());
    (made.unwrap_or_default().into(), move || count().unwrap_or(f64::NAN))
}

#[wasm_bindgen_test]
async fn a_timer_wakes_when_a_request_expires() {
    let guard = guard();
    let (wake, woken) = counter("woken");
    guard.on_wake(wake);
    let call = asked(&guard);
    guard.mark(call, false, 40.0);
    guard.wake();
    guard.set_alarm();
    assert_eq!(guard.calls(0)[5], f64::from(Status::Asking as u8));
    wait(120).await;
    assert!(woken() >= 1.0, "the timer has gone off");
    assert_eq!(guard.calls(0)[5], f64::from(Status::Asking as u8), "a timer only wakes");
    guard.wake();
    assert_eq!(guard.calls(0)[5], f64::from(Status::Expired as u8));
}

#[wasm_bindgen_test]
async fn a_guard_that_is_gone_is_not_woken() {
    let (wake, woken) = counter("wokenLate");
    let guard = guard();
    guard.on_wake(wake);
    let call = asked(&guard);
    guard.mark(call, false, 20.0);
    guard.set_alarm();
    drop(guard);
    wait(60).await;
    assert_eq!(woken(), 0.0);
}

#[wasm_bindgen_test]
async fn a_time_that_no_timer_can_wait_for_does_not_go_off_at_once() {
    let guard = guard();
    let (wake, woken) = counter("wokenEarly");
    guard.on_wake(wake);
    let call = asked(&guard);
    guard.mark(call, false, 60.0 * 24.0 * 3_600_000.0);
    guard.set_alarm();
    wait(30).await;
    assert_eq!(woken(), 0.0);
}

#[wasm_bindgen_test]
fn a_decision_is_a_draft_until_it_is_committed() {
    let guard = guard();
    let call = asked(&guard);
    assert_eq!(guard.decide(call, Choice::AllowOnce as u32, 0, f64::INFINITY), [0, 0]);
    assert_eq!(guard.calls(0)[5], f64::from(Status::Drafted as u8));
    assert_eq!(guard.ask(), Reason::Waiting as u32);
    assert_eq!(guard.commit(true, false)[0], 2, "not while no chat is attached");
    assert_eq!(guard.commit(false, true), [0, 0, call]);
    assert!(guard.allows(call));
    assert_eq!(guard.undo(call)[0], 8 + Refusal::AlreadyAnswered as u32);
}

#[wasm_bindgen_test]
fn texts_cross_only_as_fingerprints() {
    let guard = guard();
    let call = asked(&guard);
    guard.print(call, 0, Some("one".to_owned()));
    let print = guard.print_of(call);
    assert_ne!(print, 0);
    guard.print(call, 0, None);
    assert_eq!(guard.print_of(call), 0, "what has no canonical form is equal to nothing");
    guard.print(call, 0, Some("one".to_owned()));
    assert_eq!(guard.print_of(call), print);
}

#[wasm_bindgen_test]
fn numbers_that_mean_nothing_do_no_harm() {
    let bogus = [0, 1, 7, 255, 65_536, u32::MAX - 1, u32::MAX];
    for n in bogus {
        let guard = GuardCore::new(n, n, n, vec![n, n], f64::from(n), f64::NAN, -1.0);
        for m in bogus {
            guard.see(n, m % 2 == 0, m, n, m, n, m, n, m, n, m, n, m, n, m);
            guard.adrift(m);
            guard.swept(m);
            guard.step(true, false, &[n, m, n]);
            guard.repair(n, m, n, m % 2 == 0);
            guard.watches(n);
            guard.is_chat(n);
            guard.started(m);
            guard.chunk(n, m, n, m, n, m, n, false);
            guard.decided(n, true);
            guard.permit(m);
            guard.permit_over();
            guard.stopped();
            let request = guard.send(n, m % 2 == 0);
            guard.failed(request, true, f64::NAN);
            guard.failed(m, false, 500.0);
            guard.ended(m);
            guard.entries(m);
            guard.mark(n, true, f64::from(m));
            guard.wanted(n);
            guard.print(n, m, (m % 2 == 0).then(|| "text".to_owned()));
            guard.answer_by_itself(n);
            guard.decide(n, m, m as i32, f64::from(n));
            guard.decide(m, n % 4, -1, f64::NAN);
            guard.refused(n, true);
            guard.covered(n, m as i32);
            guard.undo(m);
            guard.extend(m);
            guard.revoke(n);
            guard.commit(n % 2 == 0, m % 2 == 0);
            guard.wake();
            guard.set_alarm();
            guard.print_of(n);
            guard.names_of(m);
            guard.allows(n);
            guard.grant(n);
            guard.ask();
        }
        guard.batch();
        guard.grants();
        guard.leave();
        guard.hydrate(true);
        guard.calls(0);
        guard.waiting();
        guard.problems();
    }
}

#[wasm_bindgen_test]
async fn guards_that_are_gone_leave_no_memory_behind() {
    let round = || {
        let guard = guard();
        answered(&guard, Answer::No);
        guard.ask();
        guard.send(CHAT, false);
    };
    let pages = || core::arch::wasm32::memory_size(0);
    (0..1_000).for_each(|_| round());
    let before = pages();
    (0..10_000).for_each(|_| round());
    assert_eq!(pages(), before, "the memory has grown");
    turn().await;
}
