//! What the record and the guard tell each other.

use wasm_bindgen::prelude::wasm_bindgen;

use super::guard::{GuardCore, duration, inward};
use crate::core::decision::Actor;
use crate::core::fingerprint::Hash;
use crate::core::grant::Cover;
use crate::core::guard::{Fact, Known, Reach};

/// Bits of the flags of [`GuardCore::recall`].
const DRAFT: u32 = 1;
const SETTLED: u32 = 2;
const SAME_INPUT: u32 = 4;
const ELSEWHERE: u32 = 8;
const TAKEN_BACK: u32 = 16;

#[wasm_bindgen]
impl GuardCore {
    /// From now on there is a record, whose fingerprints begin with this salt.
    pub fn keep_record(&self, salt: Vec<u8>) {
        self.guard.borrow_mut().keep_record(salt);
    }

    /// The record knows a call: its approval id, its answer (0 none, 1 no, 2 yes), the [`Actor`], how far it
    /// has come ([`Reach`]), flags (1 a draft, 2 settled, 4 the same input, 8 of another tab, 16 taken back), how long it
    /// has waited until now, and what is left of its time (or infinite).
    #[allow(clippy::too_many_arguments)] // numbers are what crosses at no cost
    pub fn recall(
        &self,
        call: u32,
        approval: u32,
        answer: u32,
        actor: u32,
        reach: u32,
        flags: u32,
        waited: f64,
        left: f64,
    ) {
        let approved = match answer {
            1 => Some(false),
            2 => Some(true),
            _ => None,
        };
        let known = Known {
            approval: approval.into(),
            approved,
            actor: Actor::from_code(actor as usize).unwrap_or(Actor::History),
            draft: flags & DRAFT != 0,
            reach: Reach::from_code(reach as usize).unwrap_or(Reach::Sent),
            settled: flags & SETTLED != 0,
            same_input: flags & SAME_INPUT != 0,
            taken_back: flags & TAKEN_BACK != 0,
            elsewhere: flags & ELSEWHERE != 0,
            waited: duration(waited).unwrap_or_default(),
            left: duration(left),
        };
        if let Some(call) = inward(call) {
            self.take(Fact::Restore { call, known });
        }
    }

    /// A grant of an earlier page holds again: the fields as in [`GuardCore::decide`], and the fingerprint that
    /// they had, in hexadecimal digits. Answers its number; 0 where there is no such fingerprint.
    pub fn regrant(&self, tool: u32, approved: bool, fields: i32, hash: &str, lifetime: f64) -> u32 {
        let cover = match u32::try_from(fields) {
            Err(_) => Cover::Tool,
            Ok(fields) => {
                let Some(hash) = hash_from(hash) else { return 0 };
                Cover::Fields(fields.into(), self.guard.borrow_mut().number_of(hash))
            }
        };
        self.take(Fact::RestoreGrant { tool: tool.into(), approved, cover, lifetime: duration(lifetime) })
            .grant
            .into()
    }

    /// The fingerprint of a canonical text, in hexadecimal digits.
    pub fn hash(&self, text: &str) -> String {
        let print = self.guard.borrow_mut().fingerprint_of(text.as_bytes());
        self.hash_of(print).unwrap_or_default()
    }

    /// Whether another tab has sent what an automatic request was to send.
    pub fn is_taken(&self) -> bool {
        self.guard.borrow().is_taken()
    }

    /// The fingerprint behind a number, in hexadecimal digits; nothing where there is none.
    pub fn hash_of(&self, print: u32) -> Option<String> {
        let guard = self.guard.borrow();
        let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
        let hash = guard.hash_of(print)?;
        Some(hash.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
    }

    /// The fingerprint that a grant asks for; 0 where it covers a tool.
    pub fn print_of_grant(&self, grant: u32) -> u32 {
        let guard = self.guard.borrow();
        match guard.state().grant(grant.into()).map(|grant| grant.cover) {
            Some(Cover::Fields(_, print)) => print,
            _ => 0,
        }
    }
}

fn hash_from(hex: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    let digits: Vec<u8> = hex.chars().map_while(|digit| Some(digit.to_digit(16)? as u8)).collect();
    if digits.len() != 2 * hash.len() || digits.len() != hex.len() {
        return None;
    }
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = pair.iter().fold(0, |byte, digit| byte << 4 | digit);
    }
    Some(hash)
}
