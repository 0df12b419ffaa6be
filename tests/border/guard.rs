//! The memory through which facts cross, the end of a lease, the timer of a guard, its clocks, and its cleanup. The
//! meaning of the rows is tested natively, in `rows.rs`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect, global};
use tool_approval_guard::core::call::{Answer, PartFacts, PartFlags, Place, Status};
use tool_approval_guard::core::guard::{Fact, Lifetime, Options, Returned, Trigger};
use tool_approval_guard::core::id::{CallId, StringId};
use tool_approval_guard::core::protocol::ToolState;
use tool_approval_guard::core::row::{Crosses, Rows, Shape};
use tool_approval_guard::core::verdict::{Reason, Step};
use tool_approval_guard::web::guard::{
    Shell, apply_facts, close_guard, open_guard, read_table, reserve_facts, start_guards, status_of,
};
use tool_approval_guard::web::tables::{CallRow, EntryRow, HeaderRow, StatusRow, Table};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{object, wait};

thread_local! {
    static HEADER: Cell<*const f64> = const { Cell::new(std::ptr::null()) };
    /// The guards that the shell was told to wake, in order.
    static WOKEN: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// The shell: it notes the guards that it is told to wake.
fn shell() -> Shell {
    let wake = Closure::<dyn FnMut(u32)>::new(|guard| WOKEN.with_borrow_mut(|woken| woken.push(guard)));
    object(&[("wake", wake.into_js_value())]).unchecked_into()
}

/// Reads a row. `at`: where its numbers are.
unsafe fn row<Row: Crosses>(at: *const f64) -> Row {
    let Shape::Fields(_, fields) = Row::SHAPE else { panic!("it has no fields") };
    // SAFETY: as the caller says.
    let numbers = unsafe { std::slice::from_raw_parts(at, fields.len()) };
    Row::read(&mut Rows::new(numbers)).expect("a row")
}

/// The header, as the shell reads it.
fn header() -> HeaderRow {
    if HEADER.get().is_null() {
        HEADER.set(start_guards(shell()));
    }
    // SAFETY: the header lives as long as the module, and nothing writes to it meanwhile.
    unsafe { row(HEADER.get()) }
}

/// The only call.
const CALL: CallId = CallId(0);

/// A guard that is closed when it is dropped, as in the shell.
struct Guard(u32);

impl Drop for Guard {
    fn drop(&mut self) {
        close_guard(self.0);
    }
}

/// Writes facts into the module's memory.
fn write(facts: &[Fact]) -> u32 {
    let mut numbers = Vec::new();
    facts.iter().for_each(|fact| fact.write(&mut numbers));
    write_numbers(&numbers)
}

fn write_numbers(numbers: &[f64]) -> u32 {
    if header().capacity < numbers.len() {
        reserve_facts(numbers.len() as u32);
    }
    let place = header().facts as *mut f64;
    // SAFETY: the module has room for this many numbers there.
    unsafe { std::ptr::copy_nonoverlapping(numbers.as_ptr(), place, numbers.len()) };
    numbers.len() as u32
}

/// What the module has written.
fn result() -> Vec<f64> {
    let HeaderRow { effects, length, .. } = header();
    // SAFETY: it stays there until the next crossing.
    unsafe { std::slice::from_raw_parts(effects as *const f64, length) }.to_vec()
}

impl Guard {
    fn new() -> Self {
        let mut options = Options::default();
        options.policy.warn_ms = Some(0);
        let mut numbers = Vec::new();
        options.write(&mut numbers);
        let length = write_numbers(&numbers);
        Self(open_guard(length))
    }

    fn tell(&self, facts: &[Fact]) -> Vec<Returned> {
        apply_facts(self.0, write(facts));
        let numbers = result();
        let mut rows = Rows::new(&numbers);
        std::iter::from_fn(|| Returned::read(&mut rows)).flatten().collect()
    }

    fn read(&self, table: Table) -> Vec<f64> {
        let mut row = Vec::new();
        table.write(&mut row);
        row.resize(3, 0.0);
        read_table(self.0, row[0], row[1], row[2]);
        result()
    }

    /// Reports that the only call of a chat was read.
    fn see(&self, known: Option<CallId>, state: ToolState, answer: Answer) {
        let flags =
            PartFlags { state, answer, provider: false, preliminary: false, residue: false, by_guard: false };
        let part = PartFacts {
            place: Place { message: StringId(1), index: 1, user_turn: 1, step: 1, occurrence: 0 },
            tool: StringId(2),
            server: StringId::NONE,
            id: StringId(3),
            approval: StringId(4),
            flags,
            input: 12 << 32 | 11,
            edit: 0,
            output: 0,
        };
        let step = Step { assistant: true, rows: vec![(CALL, flags)], ..Step::default() };
        self.tell(&[Fact::Part { known, part, current: true }, Fact::Step(step)]);
    }

    fn asks(&self) {
        self.see(None, ToolState::ApprovalRequested, Answer::Absent);
    }

    fn is_answered(&self) {
        self.asks();
        self.see(Some(CALL), ToolState::ApprovalResponded, Answer::Yes);
    }

    fn ask(&self) -> Option<Reason> {
        match self.tell(&[Fact::Ask])[..] {
            [Returned::Verdict(reason)] => Some(reason),
            _ => None,
        }
    }

    /// The status of the only call.
    fn status(&self) -> Option<Status> {
        Some(CallRow::read(&mut Rows::new(&self.read(Table::Calls(0))))?.status)
    }

    fn expires(&self, lifetime: f64) {
        let lifetime = Lifetime(Some(lifetime as u64));
        self.tell(&[Fact::Annotate { call: CALL, dangerous: false, lifetime }]);
    }

    fn block(&self) -> StatusRow {
        // SAFETY: the block lives as long as the guard, and nothing writes to it meanwhile.
        unsafe { row(status_of(self.0)) }
    }

    /// How often its timer has woken the shell since the last question.
    fn wakes(&self) -> usize {
        WOKEN.with_borrow_mut(|woken| {
            let before = woken.len();
            woken.retain(|&guard| guard != self.0);
            before - woken.len()
        })
    }
}

#[wasm_bindgen_test]
async fn a_yes_is_a_lease_until_the_next_macrotask() {
    let guard = Guard::new();
    guard.is_answered();
    assert_eq!(guard.ask(), Some(Reason::Answered));
    assert_eq!(guard.ask(), Some(Reason::AskedTwice));
    let _ = JsFuture::from(Promise::resolve(&JsValue::NULL)).await;
    assert_eq!(guard.ask(), Some(Reason::AskedTwice), "a microtask ends no lease");
    assert_eq!(guard.wakes(), 0);
    wait(5).await;
    assert_eq!(guard.wakes(), 1);
    guard.tell(&[Fact::LeaseOver { sending: false }, Fact::Wake]);
    assert_eq!(guard.ask(), Some(Reason::Answered), "a yes that nobody took is not lost");
}

#[wasm_bindgen_test]
async fn nobody_is_woken_where_a_request_has_followed_the_yes() {
    let guard = Guard::new();
    guard.is_answered();
    guard.ask();
    guard.tell(&[Fact::Send { chat: StringId(9), trigger: Trigger::Submit, continues: true }]);
    wait(50).await;
    assert_eq!(guard.wakes(), 0);
}

#[wasm_bindgen_test]
fn the_time_of_an_entry_is_the_time_of_the_browser() {
    let guard = Guard::new();
    let before = js_sys::Date::now();
    guard.asks();
    let at = EntryRow::read(&mut Rows::new(&guard.read(Table::Entries(0)))).expect("a row").at;
    assert!((before..=js_sys::Date::now()).contains(&at), "{at}");
}

#[wasm_bindgen_test]
async fn a_timer_wakes_when_a_call_expires_and_only_wakes() {
    let guard = Guard::new();
    guard.asks();
    guard.expires(1_000.0);
    assert_eq!(guard.status(), Some(Status::Asking));
    wait(500).await;
    assert_eq!(guard.wakes(), 0, "too early");
    wait(600).await;
    assert_eq!(guard.wakes(), 1);
    assert_eq!(guard.status(), Some(Status::Asking), "a timer only wakes");
    guard.tell(&[Fact::LeaseOver { sending: false }, Fact::Wake]);
    assert_eq!(guard.status(), Some(Status::Expired));
}

#[wasm_bindgen_test]
async fn a_guard_that_is_gone_is_not_woken_nor_is_the_one_that_has_its_number() {
    let guard = Guard::new();
    guard.asks();
    guard.expires(1_000.0);
    let number = guard.0;
    drop(guard);
    let next = Guard::new();
    assert_eq!(next.0, number);
    wait(1_100).await;
    assert_eq!(next.wakes(), 0);
}

/// Replaces a global function until it is dropped.
struct Replaced(&'static str, JsValue);

impl Replaced {
    fn by(name: &'static str, other: &JsValue) -> Self {
        let before = Reflect::get(&global(), &name.into()).expect("a global");
        Reflect::set(&global(), &name.into(), other).expect("it can be replaced");
        Self(name, before)
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        let _ = Reflect::set(&global(), &self.0.into(), &self.1);
    }
}

/// The timers of a replaced clock: each with its milliseconds.
type Timers = Rc<RefCell<Vec<(Function, i32)>>>;

/// A `setTimeout` whose timers never go off by themselves.
fn set_timeout(timers: &Timers) -> JsValue {
    let timers = Rc::clone(timers);
    Closure::<dyn FnMut(Function, i32) -> u32>::new(move |callback, millis| {
        timers.borrow_mut().push((callback, millis));
        timers.borrow().len() as u32
    })
    .into_js_value()
}

#[wasm_bindgen_test]
fn clocks_and_timers_are_looked_up_when_they_are_used() {
    let timers = Timers::default();
    let cleared = Rc::new(RefCell::new(Vec::new()));
    let clear = {
        let cleared = Rc::clone(&cleared);
        Closure::<dyn FnMut(u32)>::new(move |id| cleared.borrow_mut().push(id)).into_js_value()
    };
    // The replaced clock goes on from the real one, which the guard has read before: no clock goes back.
    let begun = web_sys::window().expect("a window").performance().expect("a clock").now() + 5_000.0;
    let steady = Rc::new(Cell::new(begun));
    let read = {
        let steady = Rc::clone(&steady);
        Closure::<dyn FnMut() -> f64>::new(move || steady.get()).into_js_value()
    };
    let guard = Guard::new();
    guard.asks();
    let _timers = (Replaced::by("setTimeout", &set_timeout(&timers)), Replaced::by("clearTimeout", &clear));
    // `performance` has only a getter, which is why it is defined anew.
    let performance = Object::get_own_property_descriptor(&global(), &"performance".into());
    let replaced = object(&[("value", object(&[("now", read)])), ("configurable", true.into())]);
    Object::define_property(&global(), &"performance".into(), replaced.unchecked_ref());

    guard.expires(100_000.0);
    let (ring, millis) = timers.borrow().last().cloned().expect("a timer");
    assert!((90_000..=100_001).contains(&millis), "{millis}");
    ring.call0(&JsValue::UNDEFINED).expect("it goes off");
    assert_eq!(guard.wakes(), 0, "it went off too early");
    let (ring, millis) = timers.borrow().last().cloned().expect("a timer");
    assert_eq!(timers.borrow().len(), 2, "and is set again");
    assert!((90_000..=100_001).contains(&millis), "{millis}");
    steady.set(begun + 100_000.0);
    ring.call0(&JsValue::UNDEFINED).expect("it goes off");
    assert_eq!(guard.wakes(), 1);
    guard.expires(30.0 * 24.0 * 3_600_000.0);
    drop(guard);
    assert_eq!(
        cleared.borrow().last(),
        Some(&(timers.borrow().len() as u32)),
        "the timer of a closed guard is cleared"
    );

    Object::define_property(&global(), &"performance".into(), performance.unchecked_ref());
}

#[wasm_bindgen_test]
fn a_time_that_no_timer_can_wait_for_does_not_go_off_at_once() {
    let timers = Timers::default();
    let guard = Guard::new();
    guard.asks();
    let _replaced = Replaced::by("setTimeout", &set_timeout(&timers));
    guard.expires(30.0 * 24.0 * 3_600_000.0);
    assert_eq!(timers.borrow().last().expect("a timer").1, i32::MAX);
}

#[wasm_bindgen_test]
fn a_number_is_given_again_and_names_another_guard_then() {
    let first = Guard::new();
    first.asks();
    let number = first.0;
    drop(first);
    read_table(number, 1.0, 0.0, 0.0);
    assert!(result().is_empty(), "what is closed says nothing");
    assert!(status_of(number).is_null());
    let second = Guard::new();
    assert_eq!(second.0, number);
    assert!(second.read(Table::Calls(0)).is_empty(), "nothing of the first is left");
    apply_facts(0, 0);
    apply_facts(u32::MAX, 1);
    read_table(second.0, 1e9, 0.0, 0.0);
    assert!(result().is_empty(), "no such table");
}

#[wasm_bindgen_test]
fn many_facts_cross_at_once() {
    let guard = Guard::new();
    guard.asks();
    let many = vec![Fact::Ask; 100_000];
    assert_eq!(guard.tell(&many).len(), many.len());
    assert!(guard.block().no_while_open, "the last no stands");
}

#[wasm_bindgen_test]
async fn guards_that_are_gone_leave_no_memory_behind() {
    let round = || {
        let guard = Guard::new();
        guard.is_answered();
        guard.ask();
        guard.tell(&[Fact::Send { chat: StringId(9), trigger: Trigger::Submit, continues: true }]);
    };
    let pages = || core::arch::wasm32::memory_size(0);
    (0..1_000).for_each(|_| round());
    let before = pages();
    (0..10_000).for_each(|_| round());
    assert_eq!(pages(), before, "the memory has grown");
    wait(0).await;
}
