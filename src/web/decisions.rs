//! What a person does, and what time does.

use wasm_bindgen::prelude::wasm_bindgen;

use super::clock;
use super::guard::{GuardCore, duration, inward, numbers, outward};

use crate::core::decision::{Choice, Ruling};
use crate::core::effect::Effect;
use crate::core::guard::{Covers, Effects, Fact, Taken};
use crate::core::id::CallId;

#[wasm_bindgen]
impl GuardCore {
    /// What the application says of a call that asks. An infinite `lifetime` does not end.
    pub fn mark(&self, call: u32, dangerous: bool, lifetime: f64) {
        if let Some(call) = inward(call) {
            self.take(Fact::Annotate { call, dangerous, lifetime: duration(lifetime) });
        }
    }

    /// What rules say of a call that asks: an [`Effect`], whether it is always asked, and the rule.
    pub fn judge(&self, call: u32, effect: u32, always: bool, rule: u32) {
        if let (Some(call), Some(effect)) = (inward(call), Effect::from_code(effect as usize)) {
            self.take(Fact::EvaluateRule { call, ruling: Ruling { effect, always, rule: rule.into() } });
        }
    }

    /// The canonical text of some fields of the input of a call, or for 0 of all of it; nothing where
    /// it has none.
    pub fn print(&self, call: u32, fields: u32, text: Option<String>) {
        let Some(call) = inward(call) else { return };
        let print = text.map_or(0, |text| self.guard.borrow_mut().fingerprint_of(text.as_bytes()));
        self.mind(Fact::Fingerprint { call, fields: fields.into(), print });
    }

    /// The fields whose fingerprints are needed to find the grants that cover a call.
    pub fn wanted(&self, call: u32) -> Vec<u32> {
        numbers(inward(call).map_or_else(Vec::new, |call| self.guard.borrow().wanted(call)))
    }

    /// Answers a call that asks if nobody has to be asked.
    pub fn answer_by_itself(&self, call: u32) {
        if let Some(call) = inward(call) {
            self.take(Fact::Match(call));
        }
    }

    /// A person decides. `fields` is what a choice that lasts covers: -1 the tool, 0 the input, or
    /// the fields. Answers what became of it, the grant, and the calls that were answered too.
    pub fn decide(&self, call: u32, choice: u32, fields: i32, lifetime: f64) -> Vec<u32> {
        let (Some(call), Some(choice)) = (inward(call), Choice::from_code(choice as usize)) else {
            return Vec::new();
        };
        let lifetime = duration(lifetime);
        let effects = self.take(Fact::Decide { call, choice, covers: covers(fields), lifetime });
        taken(&effects, &effects.calls)
    }

    /// The shell has refused a decision, or an undo, about a call or none.
    pub fn refused(&self, call: u32, approved: bool) {
        self.take(Fact::Refused { call: inward(call), approved });
    }

    /// A person takes a draft back; for 0 all of them.
    pub fn undo(&self, call: u32) -> Vec<u32> {
        let effects = self.take(inward(call).map_or(Fact::UndoAll, Fact::Undo));
        taken(&effects, &effects.undone)
    }

    /// The drafts are to be written; see [`Fact::Commit`].
    pub fn commit(&self, due: bool, attached: bool) -> Vec<u32> {
        let effects = self.take(Fact::Commit { due, attached });
        taken(&effects, &effects.calls)
    }

    /// What would become of a commit now: a code as in its answer.
    pub fn due(&self, due: bool, attached: bool) -> u32 {
        self.take(Fact::Wake);
        code(self.guard.borrow().due(due, attached))
    }

    /// A person wants more time for a call.
    pub fn extend(&self, call: u32) -> Vec<u32> {
        inward(call).map_or_else(Vec::new, |call| taken(&self.take(Fact::Extend(call)), &[]))
    }

    /// A person wants to see what is hidden of the input of a call.
    pub fn reveal(&self, call: u32) -> Vec<u32> {
        inward(call).map_or_else(Vec::new, |call| taken(&self.take(Fact::Reveal(call)), &[]))
    }

    /// A person ends a grant; for 0 all of them.
    pub fn revoke(&self, grant: u32) -> Vec<u32> {
        let effects = self.take(if grant == 0 { Fact::RevokeAll } else { Fact::Revoke(grant.into()) });
        taken(&effects, &effects.undone)
    }

    /// The waiting calls that a choice about a call would answer.
    pub fn covered(&self, call: u32, fields: i32) -> Vec<u32> {
        let covered = |call| self.guard.borrow().covered(call, covers(fields));
        inward(call).map_or_else(Vec::new, covered).into_iter().map(outward).collect()
    }

    /// Time has passed.
    pub fn wake(&self) {
        self.take(Fact::Wake);
    }

    /// Calls this when time has done something.
    pub fn on_wake(&self, wake: js_sys::Function) {
        self.wake.replace(Some(wake));
    }

    /// Sets the timer for what comes next.
    pub fn set_alarm(&self) {
        let next = self.guard.borrow().wake_in();
        let alarm = next.and_then(|time| Some(clock::wake_in(time, self.wake.borrow().as_ref()?)));
        self.alarm.replace(alarm);
    }

    /// The guard ends: drafts are taken back.
    pub fn leave(&self) {
        self.take(Fact::Leave);
    }
}

fn covers(fields: i32) -> Covers {
    u32::try_from(fields).map_or(Covers::Tool, |fields| Covers::Fields(fields.into()))
}

/// What became of it (0 done, 1 counted, 2 waiting, 3 responding, 4 nothing, from 8 on a refusal),
/// the grant, and the calls.
fn taken(effects: &Effects, calls: &[CallId]) -> Vec<u32> {
    let mut numbers = vec![code(effects.taken), effects.grant.into()];
    numbers.extend(calls.iter().map(|&call| outward(call)));
    numbers
}

fn code(taken: Taken) -> u32 {
    match taken {
        Taken::Done => 0,
        Taken::Counted => 1,
        Taken::Waiting => 2,
        Taken::Responding => 3,
        Taken::Nothing => 4,
        Taken::Refused(refusal) => 8 + refusal as u32,
    }
}
