//! Numbers as they stand in rows.

use crate::core::id::CallId;

/// A call as it crosses: its number from 1, or 0 for none.
pub fn call_number(call: Option<CallId>) -> f64 {
    call.map_or(0.0, |call| f64::from(call) + 1.0)
}

/// The call with this number; `None` for 0.
pub fn call_from(number: f64) -> Option<CallId> {
    (number as u32).checked_sub(1).map(CallId)
}

/// A flag as it crosses.
pub fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

/// Whether a flag is set.
pub fn is_on(flag: f64) -> bool {
    flag == 1.0
}

/// A code of a vocabulary. What is no code, such as -1, is that of nothing: a cast would make it the first one.
pub fn code(number: f64) -> usize {
    if number >= 0.0 { number as usize } else { usize::MAX }
}

/// A number that may be missing, which is then NaN.
pub fn optional(number: Option<f64>) -> f64 {
    number.unwrap_or(f64::NAN)
}

/// An answer as it crosses: 0 for none, 1 for no, 2 for yes.
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
