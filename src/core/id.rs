//! The numbers by which strings, calls, requests and grants are known.

/// A string that the border has given a number. Equal strings have equal numbers; 0 is no string.
/// Strings stay in JavaScript, so that an id with a lone surrogate is not changed by a conversion.
pub type StringId = u32;

/// The number of a call, in the order in which the calls were noticed.
pub type CallId = u32;

/// The number of a request, from 1.
pub type RequestId = u32;

/// The number of a grant, from 1; 0 is none.
pub type GrantId = u32;
