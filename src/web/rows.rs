//! The encoding of values in rows.

/// The number for a flag.
pub fn flag(on: bool) -> f64 {
    f64::from(u8::from(on))
}

/// The number for an optional value: NaN if it is missing.
pub fn optional(number: Option<f64>) -> f64 {
    number.unwrap_or(f64::NAN)
}

/// The number for an answer: 0 for none, 1 for no, 2 for yes.
pub fn answer_number(approved: Option<bool>) -> f64 {
    approved.map_or(0.0, |yes| if yes { 2.0 } else { 1.0 })
}
