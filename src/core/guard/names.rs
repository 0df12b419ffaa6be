//! The calls by the strings that name them.

use crate::core::id::{CallId, StringId};

/// Every call by its call id and by each approval id that it ever had, sorted by the string and then by the
/// call. A call is in it as long as it is not dropped, so whoever looks for a name compares it with the call.
#[derive(Debug, Default)]
pub(super) struct Names(Vec<(StringId, CallId)>);

impl Names {
    /// Adds an approval id of a call, if it has one.
    pub fn add_approval(&mut self, approval: StringId, call: CallId) {
        if approval.is_some() {
            self.add(approval, call);
        }
    }

    /// Adds a name of a call. New strings and new calls mostly have the highest ids.
    pub fn add(&mut self, name: StringId, call: CallId) {
        if let Err(at) = self.0.binary_search(&(name, call)) {
            self.0.insert(at, (name, call));
        }
    }

    /// The calls that have, or had, this name, oldest first.
    pub fn of(&self, name: StringId) -> impl DoubleEndedIterator<Item = CallId> {
        let from = self.0.partition_point(|&(other, _)| other < name);
        let to = self.0.partition_point(|&(other, _)| other <= name);
        self.0.get(from..to).unwrap_or_default().iter().map(|&(_, call)| call)
    }

    /// The names. Some are listed more than once.
    pub fn strings(&self) -> impl Iterator<Item = StringId> {
        self.0.iter().map(|&(name, _)| name)
    }

    /// Drops all calls before an id.
    pub fn drop_before(&mut self, before: CallId) {
        self.0.retain(|&(_, call)| call >= before);
        self.0.shrink_to(2 * self.0.len());
    }
}
