//! The encoding of values in rows.

use crate::core::id::CallId;

/// The number for a call: from 1, or 0 for none.
pub fn call_number(call: Option<CallId>) -> f64 {
    call.map_or(0.0, |call| f64::from(call) + 1.0)
}

/// The call with this number; `None` for 0.
pub fn call_from(number: f64) -> Option<CallId> {
    (number as u32).checked_sub(1).map(CallId)
}

/// The number for a flag.
pub fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

/// Whether a flag is set.
pub fn is_on(flag: f64) -> bool {
    flag == 1.0
}

/// A code of a vocabulary. An invalid code, such as -1, becomes one that no variant has; a cast would turn it
/// into the first.
pub fn code(number: f64) -> usize {
    if number >= 0.0 { number as usize } else { usize::MAX }
}

/// The number for an optional value: NaN if it is missing.
pub fn optional(number: Option<f64>) -> f64 {
    number.unwrap_or(f64::NAN)
}

/// The number for an answer: 0 for none, 1 for no, 2 for yes.
pub fn answer_number(approved: Option<bool>) -> f64 {
    approved.map_or(0.0, |yes| if yes { 2.0 } else { 1.0 })
}

/// The answer with this number.
pub fn yes_or_no(number: f64) -> Option<bool> {
    match number {
        1.0 => Some(false),
        2.0 => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::effect::Effect;

    #[test]
    fn what_is_no_code_is_nothing() {
        for number in [-1.0, f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 1e300] {
            assert_eq!(Effect::from_code(code(number)), None, "{number}");
        }
        assert_eq!(Effect::from_code(code(0.0)), Some(Effect::Allow));
    }
}
