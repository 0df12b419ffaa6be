//! What a record knows of the calls of its chat: what recovery needs, folded from the lines alone. A yes is in
//! it only because of a line `answered` that says so; whatever is in doubt is left out or stays a no.

use super::json::{self, Read, Reader, Write};
use super::known_call::{Class, KnownCall};
use super::line::Line;
use super::stored_call::StoredCall;
use crate::core::event::EventKind;

/// So many calls stay of which nothing more is to come.
const MOST_CLOSED: usize = 1000;
/// So many others stay.
const MOST_OPEN: usize = 2000;
/// So many more than that are there before some are dropped, so that looking for them costs little.
const SLACK: usize = 64;

/// What became of the question of a call, before and after a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Before it.
    pub before: Option<Class>,
    /// After it.
    pub after: Option<Class>,
}

/// The calls of a chat, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Known {
    calls: Vec<KnownCall>,
}

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        // What is not stored matters to nobody.
        json::text(self) == json::text(other)
    }
}

impl Eq for Known {}

fields! {
    /// The same, as it is written.
    struct Stored {
        calls: Vec<StoredCall> = "calls",
        /// How many calls there were.
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

    /// Whether a call with this approval id is not closed yet.
    pub fn is_open(&self, approval: &str) -> bool {
        self.calls.iter().any(|call| call.approval_id.as_deref() == Some(approval) && !call.call.closed())
    }

    /// How many questions wait that this session has asked.
    pub fn waiting(&self, session: &str) -> u64 {
        let waits = |call: &&KnownCall| call.class() == Some(Class::Waiting) && call.session == session;
        self.calls.iter().filter(waits).count() as u64
    }

    /// The call with these names.
    pub fn call(&self, approval: Option<&str>, id: &str, tool: &str) -> Option<&KnownCall> {
        self.calls.get(self.find(approval, id, tool)?)
    }

    /// The call that a line is about.
    pub fn of(&self, line: &Line) -> Option<&KnownCall> {
        self.call(line.approval_id.as_deref(), line.tool_call_id.as_deref()?, line.tool_name.as_deref()?)
    }

    /// Most lines are about one of the newest.
    fn find(&self, approval: Option<&str>, id: &str, tool: &str) -> Option<usize> {
        self.calls.iter().rposition(|call| {
            call.tool_call_id == id && call.tool_name == tool && call.approval_id.as_deref() == approval
        })
    }

    /// Takes one line, and says what it has done to the question of its call.
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
        let before = call.class();
        call.apply(line);
        Change { before, after: call.class() }
    }

    /// Takes what another session knows. Says of each call that both know what has become of its question
    /// in both, and then together.
    pub fn merge(&mut self, other: &Self) -> Vec<(Change, Option<Class>)> {
        let mut both = Vec::new();
        for call in &other.calls {
            let found = self.find(call.approval_id.as_deref(), &call.tool_call_id, &call.tool_name);
            let Some(known) = found.and_then(|at| self.calls.get_mut(at)) else {
                self.add(call.clone());
                continue;
            };
            let before = known.class();
            let mut merged = StoredCall::of(known, 0);
            merged.merge(StoredCall::of(call, 0));
            *known = merged.replay();
            both.push((Change { before, after: known.class() }, call.class()));
        }
        both
    }

    /// Forgets the hashes of the inputs, because they were made with another salt.
    pub fn forget_inputs(&mut self) {
        self.calls.iter_mut().for_each(|call| call.input_hash = None);
    }

    /// Adds a call. Drops the oldest where there are too many: first of those of which nothing more is to come, and
    /// among the others first those that nobody has decided, because the messages show them again.
    fn add(&mut self, call: KnownCall) {
        let closed = self.calls.iter().filter(|call| call.call.closed()).count();
        let open = self.calls.len() - closed;
        if closed > MOST_CLOSED + SLACK {
            self.drop_oldest(closed - MOST_CLOSED, |call| call.call.closed());
        }
        if open > MOST_OPEN + SLACK {
            let rest = self.drop_oldest(open - MOST_OPEN, |call| {
                !call.call.closed() && call.call.answer().is_none() && call.call.output().is_none()
            });
            self.drop_oldest(rest, |call| !call.call.closed());
        }
        self.calls.push(call);
    }

    /// Drops so many, and says how many were not there.
    fn drop_oldest(&mut self, mut most: usize, which: impl Fn(&KnownCall) -> bool) -> usize {
        self.calls.retain(|call| {
            let drops = most > 0 && which(call);
            most -= usize::from(drops);
            !drops
        });
        most
    }
}
