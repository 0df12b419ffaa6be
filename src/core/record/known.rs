//! A record's knowledge of the calls of its chat: everything that recovery needs, folded from the lines
//! alone. An allowance is in it only if a line `answered` says so. Anything in doubt is left out or stays a
//! denial.

use super::json::{self, Read, Reader, Write};
use super::known_call::{Class, KnownCall};
use super::line::Line;
use super::stored_call::StoredCall;
use crate::core::event::EventKind;

/// The maximum number of calls that are finished.
const MOST_CLOSED: usize = 1000;
/// The maximum number of all other calls.
const MOST_OPEN: usize = 2000;
/// Calls are dropped only when there are this many too many, so that the search for them stays cheap.
const SLACK: usize = 64;

/// The changes of a line to the question of its call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The result before the line.
    pub before: Option<Class>,
    /// The result after the line.
    pub after: Option<Class>,
    /// Whether a later page has taken the call up, and no line had said so before.
    pub recovered: bool,
}

/// The calls of a chat, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Known {
    calls: Vec<KnownCall>,
}

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        // Fields that are not stored do not count.
        json::text(self) == json::text(other)
    }
}

impl Eq for Known {}

fields! {
    /// The calls in their stored form.
    struct Stored {
        calls: Vec<StoredCall> = "calls",
        /// The number of all calls so far.
        next: u64 = "next",
    }
}

impl Write for Known {
    fn write(&self, text: &mut String) {
        let calls = (0..).zip(&self.calls).map(|(order, call)| StoredCall::of(call, order)).collect();
        Stored { calls, next: self.calls.len() as u64 }.write(text);
    }
}

impl Read for Known {
    fn read(from: &mut Reader) -> Option<Self> {
        let Stored { calls, .. } = Stored::read(from)?;
        Some(Self { calls: calls.into_iter().map(StoredCall::replay).collect() })
    }
}

impl Known {
    /// The calls, oldest first.
    pub fn calls(&self) -> &[KnownCall] {
        &self.calls
    }

    /// Whether a call with this approval id is still open.
    pub fn is_open(&self, approval: &str) -> bool {
        self.calls.iter().any(|call| call.approval_id.as_deref() == Some(approval) && !call.call.is_final())
    }

    /// The number of waiting questions among the calls that fit.
    pub fn waiting(&self, of: impl Fn(&KnownCall) -> bool) -> u64 {
        let waits = |call: &&KnownCall| call.class() == Some(Class::Waiting) && of(call);
        self.calls.iter().filter(waits).count() as u64
    }

    /// The calls that a part with this call id and tool may belong to, if the part has lost its approval.
    pub fn lone(&self, id: &str, tool: &str) -> Vec<&KnownCall> {
        let is_named = |call: &&KnownCall| call.tool_call_id == id && call.tool_name == tool;
        self.calls.iter().filter(is_named).filter(|call| self.is_lone(call)).collect()
    }

    /// The call with these ids.
    pub fn call(&self, approval: Option<&str>, id: &str, tool: &str) -> Option<&KnownCall> {
        self.calls.get(self.find(approval, id, tool)?)
    }

    /// The call that a line is about.
    pub fn of(&self, line: &Line) -> Option<&KnownCall> {
        self.call(line.approval_id.as_deref(), line.tool_call_id.as_deref()?, line.tool_name.as_deref()?)
    }

    /// Searches from the newest call on, because most lines are about one of the newest.
    fn find(&self, approval: Option<&str>, id: &str, tool: &str) -> Option<usize> {
        self.calls.iter().rposition(|call| {
            call.tool_call_id == id && call.tool_name == tool && call.approval_id.as_deref() == approval
        })
    }

    /// Applies one line, and returns how the result of its call's question changed.
    pub fn apply(&mut self, line: &Line) -> Change {
        let of_request = matches!(line.kind, EventKind::Started | EventKind::Ended | EventKind::Failed);
        if of_request && line.request.is_some() {
            self.calls.iter_mut().for_each(|call| call.apply(line));
        }
        let (Some(id), Some(tool), false) = (&line.tool_call_id, &line.tool_name, of_request) else {
            return Change::default();
        };
        let found = self.find(line.approval_id.as_deref(), id, tool);
        if found.is_none() {
            self.add(KnownCall::new(line));
        }
        let newest = self.calls.len() - 1;
        let Some(call) = self.calls.get_mut(found.unwrap_or(newest)) else { return Change::default() };
        let (before, had_recovered) = (call.class(), call.was_recovered());
        call.apply(line);
        Change { before, after: call.class(), recovered: call.was_recovered() && !had_recovered }
    }

    /// Adds a call. If there are too many, drops the oldest: first among the finished calls; then, among the
    /// others, first those that nobody has decided, because the messages show them again.
    fn add(&mut self, call: KnownCall) {
        let closed = self.calls.iter().filter(|call| call.call.is_final()).count();
        let open = self.calls.len() - closed;
        if closed > MOST_CLOSED + SLACK {
            self.drop_oldest(closed - MOST_CLOSED, |call| call.call.is_final());
        }
        if open > MOST_OPEN + SLACK {
            let rest = self.drop_oldest(open - MOST_OPEN, |call| {
                !call.call.is_final() && call.call.answer().is_none() && call.call.output().is_none()
            });
            self.drop_oldest(rest, |call| !call.call.is_final());
        }
        self.calls.push(call);
    }

    /// Drops this number of calls, and returns how many could not be dropped.
    fn drop_oldest(&mut self, mut most: usize, which: impl Fn(&KnownCall) -> bool) -> usize {
        self.calls.retain(|call| {
            let drops = most > 0 && which(call);
            most -= usize::from(drops);
            !drops
        });
        most
    }
}
