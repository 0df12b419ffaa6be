//! The laws as properties of random histories. The oracles are written from the text of the laws: they know
//! what really happened to a call, but not how the guard stores it.

mod adopted;
mod answers;
mod denied;
mod doubt;
mod every_fact;
mod identity;
mod messages;
mod moments;
mod ran;
mod replay;
mod sends;
mod untouched;
