//! Which call is this part? A call id may come again and is then another call; a message may move,
//! be copied or change its id, and its calls stay the same.

use super::Guard;
use crate::core::call::{Answer, Call, Digest, PartFacts, differs};
use crate::core::grant::Fingerprint;
use crate::core::id::{CallId, StringId};
use crate::core::protocol::ToolState;

/// What is known of a call beside its life: where it was seen last, and how.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub part: PartFacts,
    /// The call noticed before with the same call id.
    pub previous: Option<CallId>,
    /// The input that the person saw when the call asked or was answered; until then the last one.
    pub shown: Digest,
    /// Was text behind the calls of its step when one of them was seen open? `None`: it was never seen open.
    pub open_text: Option<bool>,
    /// Its message is not where it was.
    pub missing: bool,
    /// What the responses have told of it.
    pub streamed: Option<u32>,
    /// Its answer was heard, or committed, or has stood against a replay: what the messages show does
    /// not replace it.
    pub stands: bool,
    /// The draft of an earlier page was put back.
    pub redrafted: bool,
    /// The fingerprints of the input that was shown, by the fields that they are of.
    pub prints: Vec<(StringId, Fingerprint)>,
    /// How many entries there were when the call last changed.
    pub touched: u32,
}

impl Seen {
    /// Does a part show another input than that of this call? While an input streams, nothing is known of it.
    pub fn other_input(&self, call: &Call, row: &PartFacts) -> bool {
        let grows = |row: &PartFacts| row.flags.state == ToolState::InputStreaming;
        let known = !grows(row) && (call.asked() || !grows(&self.part));
        known && differs(self.shown, row.input)
    }
}

impl Guard {
    /// The call of which this is a part. A call id may come again and is then another call.
    pub(super) fn resolve(&self, row: &PartFacts) -> Option<CallId> {
        let newest = self.last_streamed(row.id).unwrap_or_default();
        let mut next = self.latest.get(&row.id).copied();
        while let Some((id, call, seen)) = next.and_then(|id| Some((id, self.call(id)?, self.seen.get(id)?)))
        {
            next = seen.previous;
            let named = row.approval != 0 && call.approval() != 0;
            if call.tool() != row.tool || (named && call.approval() != row.approval) {
                continue;
            }
            let was = seen.part;
            let begins = row.flags.begins();
            let exact = was.place.message == row.place.message
                && was.place.step == row.place.step
                && was.place.occurrence == row.place.occurrence;
            let same_step = was.place.turn == row.place.turn
                && was.place.step == row.place.step
                && was.place.occurrence == row.place.occurrence;
            // Law 4: a denial is put on the call that was denied, and on none with another input.
            let other = seen.other_input(call, row);
            let denied_other = other && call.denied();
            let same = was.flags == row.flags && was.input == row.input && was.output == row.output;
            // A denial is settled at home while nobody looks.
            let settled = call.denied() && row.flags.answer == Answer::No && was.input == row.input;
            let equal = same || (named && settled);
            if id < newest.freed {
                // The call id has come again since: this is the older call only if it is surely it.
                let asks_again = named && newest.approval != row.approval;
                let stands = exact && !denied_other && row.flags.state != ToolState::ApprovalRequested;
                // What was taken away and asks as it did then is asked anew.
                let copy =
                    same_step && equal && !(call.gone() && row.flags.state == ToolState::ApprovalRequested);
                if asks_again || (!begins && (copy || (stands && !named))) {
                    return Some(id);
                }
                continue;
            }
            let reborn = begins && (call.decision().is_some() || call.output().is_some());
            let here = exact && !reborn && !denied_other;
            // An allowed call may have run with an input that the server has changed.
            let renamed = seen.missing && same_step && was.place.index == row.place.index && !reborn;
            let renamed = renamed && (!other || call.allowed());
            // A copy of the message under a new id, as a server without `originalMessages` makes it.
            let overwritten = call.denied() && row.approval == 0 && seen.shown == row.input;
            let copied = same_step && !begins && (equal || overwritten);
            // A denial whose place is lost: same tool and equal input.
            let moved = (seen.missing || call.gone())
                && call.denied()
                && row.approval == 0
                && !begins
                && seen.shown == row.input;
            if named || (!call.gone() && (here || renamed || copied)) || moved {
                return Some(id);
            }
        }
        None
    }

    /// Whether a part shows another output than the one that a request has carried. Only the newest list tells that
    /// it is newer.
    pub(super) fn differs_from_sent(&self, id: CallId, row: &PartFacts) -> bool {
        let known = self.call(id).zip(self.seen.get(id));
        known.is_some_and(|(call, seen)| {
            call.output().is_some() && call.was_sent() && seen.part.output != row.output
        })
    }

    /// Does the part that showed this call still show the same one?
    pub(super) fn still(&self, id: CallId, row: &PartFacts) -> bool {
        let Some((call, seen)) = self.call(id).zip(self.seen.get(id)) else { return false };
        if call.id() != row.id || call.tool() != row.tool {
            return false;
        }
        if seen.part == *row {
            return true;
        }
        let newest = self.last_streamed(row.id).unwrap_or_default();
        let named = call.approval() != 0 && row.approval != 0;
        let asks = row.flags.begins() || row.flags.state == ToolState::ApprovalRequested;
        let stands = seen.part.input == row.input && !asks;
        let reused = id < newest.freed && newest.approval == row.approval;
        if named && (call.approval() != row.approval || (reused && !stands)) {
            return false;
        }
        named || ((id >= newest.freed || !asks) && !(call.denied() && seen.other_input(call, row)))
    }
}
