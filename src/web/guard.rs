//! The exports of the guard. Facts go in and effects come out as rows of numbers in the module's memory;
//! tables are read on demand. Each guard of a page has a number, from 1.

use std::cell::{OnceCell, RefCell};

use gloo_timers::callback::Timeout;
use js_sys::Date;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Window;

use super::alarm::{Alarm, Order, millis};
use super::facts;
use super::tables::{self, HeaderRow, StatusRow, Table};
use crate::core::clock::{Now, Time};
use crate::core::guard::Guard;
use crate::core::row::{Crosses, Rows};
use crate::core::verdict::Reason;

#[wasm_bindgen]
extern "C" {
    /// The shell, as it is told of timers.
    pub type Shell;
    /// Time has changed something for this guard.
    #[wasm_bindgen(method)]
    fn wake(this: &Shell, guard: u32);

    /// The global object. A worker and Node have the clocks of a window, too.
    #[wasm_bindgen(thread_local_v2, js_name = globalThis)]
    static PLATFORM: Window;
}

/// Reads the platform's clocks. They are looked up each time, because tests replace them.
fn now() -> Now {
    let wall = Date::now();
    let steady = PLATFORM.with(Window::performance).map_or(wall, |performance| performance.now());
    Now { wall, steady }
}

/// A guard. It is in a box, so that the table of all guards stays small.
pub(super) struct Hosted {
    guard: Guard,
    /// How many numbers of facts it was told.
    told: f64,
    /// A `StatusRow`, which the shell reads without a crossing. All have the same length, so it stays where it is.
    status: Vec<f64>,
    /// The time at which it has to be woken, on its own clock.
    due: Option<Time>,
    alarm: Alarm<Timeout>,
}

impl Hosted {
    /// Updates the status after facts. `verdict`: the latest verdict, if nothing has followed it.
    fn publish(&mut self, verdict: Option<Reason>) {
        let batch = self.guard.batch();
        self.due = self.guard.next_wake(&batch);
        self.status.clear();
        StatusRow::of(&self.guard, &batch, self.told, verdict).write(&mut self.status);
    }
}

/// All guards of the page, and the memory through which facts and effects cross.
#[derive(Default)]
struct Module {
    guards: Vec<Option<Box<Hosted>>>,
    facts: Vec<f64>,
    effects: Vec<f64>,
    /// A `HeaderRow`. All have the same length, so it stays where it is.
    header: Vec<f64>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
    static SHELL: OnceCell<Shell> = const { OnceCell::new() };
}

fn with<T>(work: impl FnOnce(&mut Module) -> T) -> T {
    MODULE.with_borrow_mut(work)
}

impl Module {
    fn slot(&mut self, guard: u32) -> Option<&mut Option<Box<Hosted>>> {
        self.guards.get_mut((guard as usize).checked_sub(1)?)
    }

    fn hosted(&mut self, guard: u32) -> Option<&mut Hosted> {
        self.slot(guard)?.as_deref_mut()
    }

    /// Takes the facts out, so that the module is not borrowed. After a trap there is no room: the shell makes it again.
    fn take_facts(&mut self) -> Vec<f64> {
        let facts = std::mem::take(&mut self.facts);
        self.publish();
        facts
    }

    /// Publishes the addresses, which change when the memory grows.
    fn publish(&mut self) {
        let header = HeaderRow {
            facts: self.facts.as_ptr() as usize,
            capacity: self.facts.len(),
            effects: self.effects.as_ptr() as usize,
            length: self.effects.len(),
        };
        self.header.clear();
        header.write(&mut self.header);
    }
}

/// Starts the module, and returns the address of its header, a `HeaderRow`. `shell` has the method `wake`.
#[wasm_bindgen]
pub fn start_guards(shell: Shell) -> *const f64 {
    // It is started once.
    let _ = SHELL.with(|place| place.set(shell));
    with(|module| {
        module.publish();
        module.header.as_ptr()
    })
}

/// Makes room for this many numbers.
#[wasm_bindgen]
pub fn reserve_facts(length: u32) {
    // A trap because of exhausted memory leaves the module as it was.
    let facts = vec![0.0; length as usize];
    let earlier = with(|module| {
        let earlier = std::mem::replace(&mut module.facts, facts);
        module.publish();
        earlier
    });
    drop(earlier);
}

/// Opens a guard with the options in the memory. Returns its number.
#[wasm_bindgen]
pub fn open_guard(length: u32) -> u32 {
    let rows = with(Module::take_facts);
    let guard = facts::open(rows.get(..length as usize).unwrap_or_default());
    with(|module| {
        module.facts = rows;
        module.publish();
        let (status, alarm) = (Vec::new(), Alarm::default());
        let mut hosted = Box::new(Hosted { guard, told: 0.0, status, due: None, alarm });
        hosted.publish(None);
        let free = module.guards.iter().position(Option::is_none);
        let slot = free.unwrap_or(module.guards.len());
        if free.is_none() {
            module.guards.push(None);
        }
        module.guards[slot] = Some(hosted);
        slot as u32 + 1
    })
}

/// Returns the address of the status of a guard: a `StatusRow`.
#[wasm_bindgen]
pub fn status_of(guard: u32) -> *const f64 {
    with(|module| Some(module.hosted(guard)?.status.as_ptr())).unwrap_or(std::ptr::null())
}

/// Closes a guard. Its number may be given out again.
#[wasm_bindgen]
pub fn close_guard(guard: u32) {
    let closed = with(|module| module.slot(guard)?.take());
    // Its timer is cleared, which calls JavaScript.
    drop(closed);
}

/// Handles the facts in the memory, and writes their effects there.
#[wasm_bindgen]
pub fn apply_facts(guard: u32, length: u32) {
    let now = now();
    run(guard, |hosted, rows, out| {
        let rows = rows.get(..length as usize).unwrap_or_default();
        let verdict = facts::apply(&mut hosted.guard, rows, now, out);
        hosted.told += rows.len() as f64;
        hosted.publish(verdict);
    });
    set_alarm(guard, now);
}

/// Writes a `Table` into the memory: its code, and what it takes.
#[wasm_bindgen]
pub fn read_table(guard: u32, code: f64, of: f64, with: f64) {
    run(guard, |hosted, _, out| {
        if let Some(Some(table)) = Table::read(&mut Rows::new(&[code, of, with])) {
            tables::read(&hosted.guard, table, out);
        }
    });
}

/// Runs `work` with one guard, which is taken out of the module meanwhile: a trap leaves the other guards
/// intact.
fn run(guard: u32, work: impl FnOnce(&mut Hosted, &[f64], &mut Vec<f64>)) {
    let taken = with(|module| {
        let hosted = module.slot(guard)?.take()?;
        Some((hosted, module.take_facts(), std::mem::take(&mut module.effects)))
    });
    let Some((mut hosted, facts, mut effects)) = taken else {
        return with(|module| {
            module.effects.clear();
            module.publish();
        });
    };
    effects.clear();
    work(&mut hosted, &facts, &mut effects);
    with(|module| {
        (module.facts, module.effects) = (facts, effects);
        if let Some(slot) = module.slot(guard) {
            *slot = Some(hosted);
        }
        module.publish();
    });
}

/// Sets the timer of a guard. Its callback holds the number of the guard, and nothing else.
fn set_alarm(guard: u32, now: Now) {
    let order = with(|module| {
        let hosted = module.hosted(guard)?;
        let time = hosted.guard.clock().time();
        Some(hosted.alarm.order(hosted.due.map(|due| due.saturating_sub(time)), now))
    });
    // A timer is set and cleared while nothing is borrowed, because that calls JavaScript.
    let earlier = match order {
        None | Some(Order::Keep) => None,
        Some(Order::Clear) => with(|module| module.hosted(guard)?.alarm.over()),
        Some(Order::Set(left)) => {
            let timer = Timeout::new(millis(left), move || ring(guard));
            with(|module| match module.hosted(guard) {
                Some(hosted) => hosted.alarm.note(timer, left, now),
                None => Some(timer),
            })
        }
    };
    drop(earlier);
}

/// Handles the timer of a guard, which has gone off. The shell is told if time has changed something.
fn ring(guard: u32) {
    let now = now();
    let over = with(|module| module.hosted(guard)?.alarm.over());
    drop(over);
    let is_due = with(|module| {
        let hosted = module.hosted(guard)?;
        if hosted.guard.end_tick(now) {
            hosted.publish(None);
        }
        let time = hosted.guard.tick(now);
        let is_due = hosted.due.is_some_and(|due| due <= time);
        if is_due {
            // Nothing is due until the guard has handled another fact.
            hosted.due = None;
        }
        Some(is_due)
    });
    set_alarm(guard, now);
    if is_due == Some(true) {
        SHELL.with(|shell| shell.get().map(|shell| shell.wake(guard)));
    }
}
