//! The entries of a guard as the lines of a record, in text form, and what that text alone says about the calls and
//! grants of the chat.

use tool_approval_guard::core::call::{Call, Delivery};
use tool_approval_guard::core::decision::{Actor, Author};
use tool_approval_guard::core::event::Entry;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::Guard;
use tool_approval_guard::core::id::GrantId;
use tool_approval_guard::core::record::known::Known;
use tool_approval_guard::core::record::known_call::KnownCall;
use tool_approval_guard::core::record::line::Line;

use super::record_harness::line_of;

const SESSION: &str = "0123456789abcdef";

/// A text of lines.
#[derive(Default)]
pub struct StoredLines {
    text: String,
    lines: u64,
}

/// A grant, as far as the lines describe it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Grant {
    yes: bool,
    ended: bool,
    uses: u32,
}

fn name(id: impl Into<u32>) -> Option<String> {
    let number = id.into();
    (number != 0).then(|| format!("s{number}"))
}

impl StoredLines {
    /// Writes new entries.
    pub fn write(&mut self, guard: &Guard, entries: &[Entry]) {
        for entry in entries {
            let input = entry.event.call.and_then(|call| guard.state().calls.get(call));
            let line = Line {
                grant_id: name(entry.event.grant),
                input_hash: input.map(|call| format!("{:064x}", call.input())),
                ..line_of(guard, entry, name)
            };
            let line = line.seal(self.lines, SESSION, "chat").expect("a line");
            self.text.push_str(&line.text());
            self.text.push('\n');
            self.lines += 1;
        }
    }

    fn read(&self) -> Vec<Line> {
        self.text.lines().map(|line| Line::parse(line).expect("what was written can be read")).collect()
    }

    /// The first difference between the guard and the text. The lines do not say what a grant covers, whether
    /// it was delivered, or how a call was answered that shares its approval id with another one.
    pub fn difference(&self, guard: &Guard) -> Option<String> {
        let lines = self.read();
        let mut known = Known::default();
        for line in &lines {
            known.apply(line);
        }
        let calls = &guard.state().calls;
        for (id, call) in calls.iter() {
            let twin = |(other, twin): (_, &Call)| {
                other != id && (twin.approval(), twin.id()) == (call.approval(), call.id())
            };
            if !call.asked() || call.approval().is_none() || calls.iter().any(twin) {
                continue;
            }
            let names = (name(call.approval()), name(call.id()), name(call.tool()));
            let (Some(approval), Some(tool_call), Some(tool)) = names else { continue };
            let Some(stored) = known.call(Some(&approval), &tool_call, &tool) else {
                return Some(format!("call {id} is {call:?}, and is not in the text"));
            };
            if !same(&stored.call, call) || !is_said(stored, call) {
                return Some(format!("call {id} is {call:?}, and the text says {stored:?}"));
            }
        }
        let grants = grants_of(&lines);
        let state = guard.state();
        let numbered = (1..).map(GrantId).zip(&state.grants);
        let is: Vec<Grant> = numbered
            .map(|(id, it)| Grant { yes: it.approved, ended: !state.stands(id), uses: it.uses })
            .collect();
        (grants != is).then(|| format!("the grants are {is:?}, and the text says {grants:?}"))
    }
}

/// Whether two states of a call are the same, as far as lines describe them: a draft is a person's, and an
/// output is either the page's or not.
fn same(stored: &Call, call: &Call) -> bool {
    let answer = |call: &Call| call.decision().map(|answer| (answer.approved, answer.actor));
    let draft = |call: &Call| {
        let by_person = call.draft().filter(|draft| draft.decision.actor == Actor::Person && !call.gone());
        by_person.map(|draft| draft.decision.approved)
    };
    let by_page = |call: &Call| call.output().map(|author| author == Author::Page);
    answer(stored) == answer(call)
        && draft(stored) == draft(call)
        && by_page(stored) == by_page(call)
        && stored.asked() == call.asked()
        && stored.superseded() == call.superseded()
        && stored.elsewhere() == call.elsewhere()
        && stored.denial_settled() == call.denial_settled()
        && stored.gone() == call.gone()
        && stored.is_final() == call.is_final()
        && same_delivery(stored.delivery(), call.delivery(), call.is_final())
}

/// Whether the line that gave the answer is known, and not only reported by another tab.
fn is_said(stored: &KnownCall, call: &Call) -> bool {
    let said = stored.answer.as_ref().map(|answer| (answer.approved, answer.actor.unwrap_or(Actor::History)));
    let answer = call.decision().map(|answer| (answer.approved, answer.actor));
    said == answer || (said.is_none() && call.elsewhere() && call.allowed())
}

/// Whether two deliveries are the same to a record. A record does not distinguish what was there before the
/// page from what is not new, and does not know the number of a response that has ended. For a call that is
/// complete, the guard does not follow requests.
fn same_delivery(stored: Delivery, delivery: Delivery, closed: bool) -> bool {
    use Delivery::{Arrived, Delivered, History, Idle};
    closed
        || match (stored, delivery) {
            (Idle | History, Idle | History) | (Delivered(_) | Arrived, Delivered(_) | Arrived) => true,
            (stored, delivery) => stored == delivery,
        }
}

fn grants_of(lines: &[Line]) -> Vec<Grant> {
    let mut grants: Vec<(String, Grant)> = Vec::new();
    for line in lines {
        let Some(id) = line.grant_id.clone() else { continue };
        if line.kind == EventKind::Granted {
            let yes = line.approved == Some(true);
            grants.push((id, Grant { yes, ..Grant::default() }));
            continue;
        }
        let Some((_, grant)) = grants.iter_mut().find(|(known, _)| *known == id) else { continue };
        grant.ended |= line.kind == EventKind::GrantEnded;
        grant.uses += u32::from(line.kind == EventKind::Answered && line.actor == Some(Actor::Grant));
    }
    grants.into_iter().map(|(_, grant)| grant).collect()
}
