//! Reads the facts that cross, has the core handle them, and writes what came of each.

use super::abi::effects::{EffectRow, TakenCode, Way};
use super::rows::{flag, optional};
use crate::core::clock::Now;
use crate::core::decision::Refusal;
use crate::core::guard::{Effects, Fact, Guard, News, Options, Permitted, Taken};
use crate::core::id::CallId;
use crate::core::repair::{Needed, Repair};
use crate::core::row::{Crosses, Rows, call_number};
use crate::core::verdict::Reason;

/// Opens a guard with the options in the rows.
pub fn open(rows: &[f64]) -> Guard {
    let mut rows = Rows::new(rows);
    let options = Options::read(&mut rows).filter(|_| !rows.is_short());
    Guard::new(options.unwrap_or_default())
}

/// Handles facts, writes their effects, and returns the verdict, unless something has followed the question
/// for it. A fact with a number that means nothing is left out.
pub fn apply(guard: &mut Guard, rows: &[f64], now: Now, out: &mut Vec<f64>) -> Option<Reason> {
    let mut rows = Rows::new(rows);
    let mut verdict = None;
    let mut repairs = 0;
    while let Some(fact) = Fact::read(&mut rows) {
        let Some(fact) = fact else { continue };
        let asks = Asks::of(&fact);
        let flags = if let Fact::Part { part, .. } = &fact { Some(part.flags) } else { None };
        let effects = guard.handle(fact, now);
        for &(problem, call) in &effects.problems {
            EffectRow::Problem { problem: f64::from(problem as u8), call: call_number(call) }.write(out);
        }
        // Asking for a repair changes nothing.
        if !matches!(asks, Asks::Repair) {
            verdict = effects.reason;
        }
        if let Some(flags) = flags {
            rows.parts.push(effects.call.map(|call| (call, flags)));
        }
        if let (Asks::Repair, Some(needed)) = (asks, effects.needed) {
            repair(needed, repairs, out);
            repairs += 1;
        } else {
            asks.write(guard, &effects, out);
        }
    }
    verdict
}

/// What the shell wants to know of a fact.
#[derive(Clone, Copy)]
enum Asks {
    Nothing,
    Seen,
    Verdict,
    Leaving,
    Request,
    Answered,
    Permitted,
    /// The result of an act or a commit, and the calls that it has answered.
    Taken,
    /// The result of an act, and the calls that ask again.
    Undone,
    Repair,
    Granted,
    Unsent,
    TimedOut,
}

impl Asks {
    fn of(fact: &Fact) -> Self {
        match fact {
            Fact::Part { .. } | Fact::Restore { .. } => Self::Seen,
            Fact::Ask => Self::Verdict,
            Fact::Leaving { .. } | Fact::Waited(_) => Self::Leaving,
            Fact::Send { .. } => Self::Request,
            Fact::Decided { .. } => Self::Answered,
            Fact::Permit(_) => Self::Permitted,
            Fact::Decide { .. } | Fact::Commit { .. } | Fact::Extend(_) | Fact::Unmask(_) => Self::Taken,
            Fact::Undo(_) | Fact::UndoAll | Fact::Revoke { .. } | Fact::RevokeAll => Self::Undone,
            Fact::Repair { .. } => Self::Repair,
            Fact::Granted { .. } => Self::Granted,
            Fact::Unsent(_) => Self::Unsent,
            Fact::Wake => Self::TimedOut,
            _ => Self::Nothing,
        }
    }

    fn write(self, guard: &Guard, effects: &Effects, out: &mut Vec<f64>) {
        let call = call_number(effects.call);
        match self {
            Self::Nothing | Self::Repair => {}
            Self::Seen => seen(guard, effects, out),
            Self::Verdict => {
                if let Some(reason) = effects.reason {
                    EffectRow::Verdict { reason: f64::from(reason as u8) }.write(out);
                }
            }
            Self::Leaving => EffectRow::Leaving { overtaken: flag(effects.overtaken) }.write(out),
            Self::Request => {
                let (request, person) = (effects.request.into(), flag(effects.person));
                EffectRow::Request { request, person, held: flag(effects.held) }.write(out);
            }
            Self::Answered => {
                let call = if effects.problems.is_empty() { call } else { 0.0 };
                EffectRow::Answered { call }.write(out);
            }
            Self::Permitted => permitted(effects.permitted, out),
            Self::Taken => taken(guard, effects, &effects.calls, out),
            Self::Undone => taken(guard, effects, &effects.undone, out),
            Self::Granted => EffectRow::Granted { grant: effects.grant.into() }.write(out),
            Self::Unsent => {
                let Some((from, news)) = &effects.unsent else { return };
                for &News { index, call } in news {
                    EffectRow::News { index: index as f64, call: call_number(call) }.write(out);
                }
                EffectRow::Unsent { from: *from as f64 }.write(out);
            }
            Self::TimedOut => {
                for &call in &effects.calls {
                    EffectRow::TimedOut { call: call_number(Some(call)) }.write(out);
                }
            }
        }
    }
}

fn seen(guard: &Guard, effects: &Effects, out: &mut Vec<f64>) {
    let call = effects.call;
    let watched = call.is_some_and(|call| guard.watches(call));
    let approval = call.and_then(|call| guard.state().calls.get(call)).map(|call| call.approval());
    EffectRow::Seen {
        call: call_number(call),
        watched: flag(watched),
        approval: approval.unwrap_or_default().into(),
        keeps: f64::from(effects.keeps as u8),
        kept_output: f64::from(effects.kept_output as u8),
    }
    .write(out);
}

/// Most parts need no repair, and have no row.
fn repair(Needed { repair, cause, keeps_shown_denial, input }: Needed, question: u32, out: &mut Vec<f64>) {
    if repair == Repair::Keep {
        return;
    }
    EffectRow::Repair {
        question: question.into(),
        repair: f64::from(repair as u8),
        cause: optional(cause.map(|cause| f64::from(cause as u8))),
        keeps_shown_denial: flag(keeps_shown_denial),
        input: f64::from(input as u8),
    }
    .write(out);
}

fn permitted(permitted: Option<Permitted>, out: &mut Vec<f64>) {
    let (way, call) = match permitted.unwrap_or(Permitted::Nothing) {
        Permitted::Nothing => (Way::Nothing, None),
        Permitted::Waiting => (Way::Waiting, None),
        Permitted::Continue => (Way::Continue, None),
        Permitted::Rewrite(call) => (Way::Rewrite, Some(call)),
    };
    EffectRow::Permitted { way: f64::from(way as u8), call: call_number(call) }.write(out);
}

fn taken(guard: &Guard, effects: &Effects, changed: &[CallId], out: &mut Vec<f64>) {
    let (taken, refusal) = taken_code(effects.taken);
    EffectRow::Taken {
        taken: f64::from(taken as u8),
        refusal: optional(refusal.map(|refusal| f64::from(refusal as u8))),
        grant: effects.grant.into(),
        call: call_number(effects.call),
    }
    .write(out);
    for &id in changed {
        let call = guard.state().calls.get(id);
        let cause = call.and_then(crate::core::repair::cause);
        EffectRow::Changed {
            call: call_number(Some(id)),
            approved: flag(call.is_some_and(|call| call.allowed())),
            cause: optional(cause.map(|cause| f64::from(cause as u8))),
        }
        .write(out);
    }
}

fn taken_code(taken: Taken) -> (TakenCode, Option<Refusal>) {
    match taken {
        Taken::Done => (TakenCode::Done, None),
        Taken::LateDenial => (TakenCode::LateDenial, None),
        Taken::Waiting => (TakenCode::Waiting, None),
        Taken::Responding => (TakenCode::Responding, None),
        Taken::Nothing => (TakenCode::Nothing, None),
        Taken::Refused(refusal) => (TakenCode::Refused, Some(refusal)),
    }
}
