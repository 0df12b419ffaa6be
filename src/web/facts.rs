//! Reads the facts that cross, has the core handle them, and writes what they return.

use crate::core::clock::Now;
use crate::core::guard::{Fact, Guard, Options, Returned};
use crate::core::row::{Crosses, Rows};
use crate::core::verdict::Reason;

/// Opens a guard with the options in the rows.
pub fn open(rows: &[f64]) -> Guard {
    let mut rows = Rows::new(rows);
    let options = Options::read(&mut rows).filter(|_| !rows.is_short());
    Guard::new(options.unwrap_or_default())
}

/// Handles facts, writes what they return, and returns the verdict, unless something has followed the question
/// for it. A fact with a number that means nothing is left out.
pub fn apply(guard: &mut Guard, rows: &[f64], now: Now, out: &mut Vec<f64>) -> Option<Reason> {
    let mut rows = Rows::new(rows);
    let mut verdict = None;
    while let Some(fact) = Fact::read(&mut rows) {
        let Some(fact) = fact else { continue };
        let flags = if let Fact::Part { part, .. } = &fact { Some(part.flags) } else { None };
        // Asking for a repair changes nothing.
        let is_repair = matches!(fact, Fact::Repair { .. });
        let effects = guard.handle(fact, now);
        if !is_repair {
            verdict = effects.reason();
        }
        if let Some(flags) = flags {
            rows.parts.push(effects.call().map(|call| (call, flags)));
        }
        for &(problem, call) in &effects.problems {
            Returned::Problem { problem, call }.write(out);
        }
        if let Some(returned) = effects.returned {
            returned.write(out);
        }
    }
    verdict
}
