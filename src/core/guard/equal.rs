//! Equal calls of the batch: one card may show them, and one press may decide them.

use super::Guard;
use crate::core::batch::Batch;
use crate::core::id::{CallId, StringId};

/// The question of a call and its answer, as numbers. Equal calls have the same ones.
type Compared = [u32; 8];

impl Guard {
    /// For each call of the batch, in its order, the oldest call that is equal to it; itself if no other is.
    pub fn oldest_equals(&self, batch: &Batch) -> Vec<CallId> {
        let calls = &batch.calls;
        // For each call the place of the first one that is equal to it, and there the oldest of them.
        let mut firsts = Vec::new();
        let mut oldest = calls.clone();
        // A hash table of places, at most half full.
        let mut slots = vec![0; 2 * calls.len() + 1];
        for (at, &id) in calls.iter().enumerate() {
            let mut first = at;
            if let Some(compared) = self.compared(id) {
                let mut slot = hash(&compared) as usize;
                loop {
                    slot = (slot + 1) % slots.len();
                    let Some(place) = usize::checked_sub(slots[slot], 1) else {
                        slots[slot] = at + 1;
                        break;
                    };
                    if self.compared(calls[place]) == Some(compared) {
                        first = place;
                        break;
                    }
                }
            }
            oldest[first] = oldest[first].min(id);
            firsts.push(first);
        }
        firsts.into_iter().map(|first| oldest[first]).collect()
    }

    /// `None` for a call that equals no other, because its input cannot be compared or its question no longer
    /// stands.
    fn compared(&self, id: CallId) -> Option<Compared> {
        let call = self.call(id)?;
        let part = self.seen.get(id)?.part;
        // The digest of an input that is missing, or too long to be read, is even.
        if part.input & 1 == 0 || part.begins() {
            return None;
        }
        // Nobody has asked for an input that a person has changed.
        if call.answer().is_some_and(|answer| answer.edit != 0) {
            return None;
        }
        let (mut given, mut grant, mut source) = (0, 0, StringId::NONE);
        if let Some(answer) = call.answer() {
            grant = answer.grant.0;
            given = 1 + u32::from(answer.approved);
            // A call that a grant answers is like the call for which it was given.
            if grant == 0 {
                given += 2 * (1 + answer.actor as u32);
                source = answer.source;
            }
        }
        let (mut ruled, mut rule) = (0, StringId::NONE);
        if let Some(ruling) = call.ruling() {
            ruled = 1 + 2 * ruling.effect as u32 + u32::from(ruling.always);
            rule = ruling.rule;
        }
        let marks = (given << 8 | ruled << 4 | call.status() as u32) << 2
            | u32::from(call.may_have_run()) << 1
            | u32::from(call.dangerous());
        let [low, high] = [part.input as u32, (part.input >> 32) as u32];
        Some([low, high, call.tool().0, part.server.0, grant, source.0, rule.0, marks])
    }
}

/// Calls of many tools may have the same input. The author of a call cannot choose its hash, because digests are keyed
/// and the page numbers the texts.
fn hash([low, _, tool, server, ..]: &Compared) -> u32 {
    (low >> 1).wrapping_add((tool ^ server << 16).wrapping_mul(0x9e37_79b1))
}
