//! Grants: what the user allowed or denied for the rest of the chat.

use super::clock::Time;
use super::id::{CallId, GrantId, StringId};
use super::row::{Crosses, Rows, Shape};

/// The number of a fingerprint, from 1. Equal values have equal numbers. 0 means that there is no
/// fingerprint, and never equals another one.
pub type Fingerprint = u32;

row! {
    /// A tool. A tool of the same name from another server is another tool.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Tool {
        /// Its name.
        pub name: StringId,
        /// Its server, or 0.
        pub server: StringId,
    }
}

/// The calls that a grant covers. A grant never guesses: a call without a fingerprint is not covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// Every call of the tool.
    Tool,
    /// Calls in which these fields of the input have this fingerprint. Fields 0 means the whole input.
    Fields(StringId, Fingerprint),
}

impl Crosses for Cover {
    const SHAPE: Shape = Shape::Fields("Cover", &[("fields", Shape::Number), ("fingerprint", Shape::Number)]);

    fn read(rows: &mut Rows) -> Option<Self> {
        let (fields, fingerprint) = (rows.number(), rows.number());
        Some(if fields < 0.0 {
            Self::Tool
        } else {
            Self::Fields(StringId(fields as u32), fingerprint as u32)
        })
    }

    fn write(&self, to: &mut Vec<f64>) {
        to.extend(match *self {
            Self::Tool => [-1.0, 0.0],
            Self::Fields(fields, fingerprint) => [fields.into(), fingerprint.into()],
        });
    }
}

/// The progress of the answer of the call for which a grant was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It is drafted.
    Draft,
    /// It is committed.
    Committed,
    /// The response to the request that carried it has started. Until then an allowance answers calls of its own batch only
    /// (C90).
    Delivered,
}

/// An answer that holds for more than one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Whether it allows or denies.
    pub approved: bool,
    /// The tool.
    pub tool: Tool,
    /// The calls of this tool that it covers.
    pub cover: Cover,
    /// The call for which it was given; `None` for a grant of an earlier page.
    pub call: Option<CallId>,
    /// The time at which it was given.
    pub at: Time,
    /// The time at which it ends by itself.
    pub until: Option<Time>,
    /// The progress of its own answer.
    pub stage: Stage,
    /// The number of other calls that it has answered.
    pub uses: u32,
    /// The time at which it last answered another call.
    pub last_use: Option<Time>,
}

impl Grant {
    /// A grant as it is given, with an answer that was not committed yet.
    pub fn new(approved: bool, tool: Tool, cover: Cover, call: Option<CallId>) -> Self {
        Self { approved, tool, cover, call, at: 0, until: None, stage: Stage::Draft, uses: 0, last_use: None }
    }

    /// Whether it covers the same calls as another one.
    pub fn concerns_the_same(&self, other: &Self) -> bool {
        self.tool == other.tool && self.cover == other.cover
    }

    /// Whether it answers new calls. A denial does so as soon as it is committed.
    pub fn active(&self) -> bool {
        self.stage == Stage::Delivered || (self.stage == Stage::Committed && !self.approved)
    }

    /// Whether it covers a call of this tool whose inputs have these fingerprints.
    pub fn covers(&self, tool: Tool, fingerprints: &[(StringId, Fingerprint)]) -> bool {
        self.tool == tool
            && match self.cover {
                Cover::Tool => true,
                Cover::Fields(_, 0) => false,
                Cover::Fields(fields, fingerprint) => fingerprints.contains(&(fields, fingerprint)),
            }
    }

    /// Whether its time is over.
    pub fn over(&self, now: Time) -> bool {
        self.until.is_some_and(|until| now >= until)
    }
}

/// The grant that answers a call, among those that cover it: a denial goes before an allowance, whatever
/// their order (C93).
pub fn answering<'a>(covering: impl Iterator<Item = (GrantId, &'a Grant)>) -> Option<(GrantId, bool)> {
    let mut found = None;
    for (id, grant) in covering {
        if !grant.approved {
            return Some((id, false));
        }
        found = Some((id, true));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: Tool = Tool { name: StringId(7), server: StringId(70) };

    fn grant(approved: bool, cover: Cover) -> Grant {
        Grant { at: 10, stage: Stage::Delivered, ..Grant::new(approved, TOOL, cover, None) }
    }

    #[test]
    fn what_is_covered() {
        let input = grant(true, Cover::Fields(StringId::NONE, 3));
        let named = grant(true, Cover::Fields(StringId(9), 4));
        let tool = grant(true, Cover::Tool);
        let fingerprints = [(StringId::NONE, 3), (StringId(9), 5)];
        assert!(input.covers(TOOL, &fingerprints));
        assert!(!input.covers(Tool { name: StringId(8), ..TOOL }, &fingerprints), "another tool");
        for grant in [input, named, tool] {
            for server in [StringId(71), StringId::NONE] {
                assert!(
                    !grant.covers(Tool { server, ..TOOL }, &fingerprints),
                    "the same name on another server"
                );
            }
        }
        assert!(!input.covers(TOOL, &[(StringId::NONE, 4)]), "another input");
        assert!(!input.covers(TOOL, &[(StringId(9), 3)]), "the same fingerprint of other fields");
        assert!(!named.covers(TOOL, &fingerprints));
        assert!(named.covers(TOOL, &[(StringId(9), 4)]));
        assert!(tool.covers(TOOL, &[]));
        assert!(
            !grant(true, Cover::Fields(StringId::NONE, 0)).covers(TOOL, &[(StringId::NONE, 0)]),
            "no fingerprint is equal to nothing"
        );
    }

    #[test]
    fn an_allowance_acts_once_it_is_delivered_and_a_refusal_once_it_is_committed() {
        let fresh = Grant { stage: Stage::Committed, ..grant(true, Cover::Tool) };
        assert!(!fresh.active());
        assert!(Grant { stage: Stage::Delivered, ..fresh }.active());
        let refusal = Grant { approved: false, ..fresh };
        assert!(refusal.active());
        assert!(!Grant { stage: Stage::Draft, ..refusal }.active());
    }

    #[test]
    fn a_refusal_comes_before_an_allowance() {
        let list = [grant(true, Cover::Tool), grant(false, Cover::Tool), grant(true, Cover::Tool)];
        let numbered = || (1..).map(GrantId).zip(&list);
        assert_eq!(answering(numbered()), Some((GrantId(2), false)));
        assert_eq!(answering(numbered().filter(|(_, grant)| grant.approved)), Some((GrantId(3), true)));
        assert_eq!(answering(numbered().filter(|_| false)), None);
    }

    #[test]
    fn time_ends_a_grant() {
        let timed = Grant { until: Some(100), ..grant(true, Cover::Tool) };
        assert!(!timed.over(99));
        assert!(timed.over(100));
        assert!(!grant(true, Cover::Tool).over(Time::MAX));
    }
}
