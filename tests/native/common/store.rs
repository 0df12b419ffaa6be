//! A store of the shared record in memory.

use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::replica::Stored;
use tool_approval_guard::core::record::{Fault, Replica};

/// What a store holds of one chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Store {
    pub head: Option<String>,
    pub state: Option<String>,
    pub first: u64,
    pub entries: Vec<String>,
}

impl Store {
    /// How many entries there were.
    pub fn length(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    /// Reads what is new in a transaction.
    pub fn read(&self, tab: &mut Replica, now: u64) -> Result<(), Fault> {
        let from = tab.chain().length().max(self.first).min(self.length());
        let stored = Stored {
            head: self.head.as_deref(),
            state: self.state.as_deref(),
            first: self.first,
            length: self.length(),
            entries: &self.entries[(from - self.first) as usize..],
        };
        tab.read(stored, now)
    }

    /// Writes what a tab has to write.
    pub fn write(&mut self, tab: &mut Replica) {
        let Some(change) = tab.change() else { return };
        self.head = change.head.or(self.head.take());
        self.state = Some(change.state);
        self.entries.extend(change.append);
        self.entries.drain(..(change.first - self.first) as usize);
        self.first = change.first;
    }

    /// A whole transaction, in which a tab says this. Returns whether nothing of it was refused.
    pub fn transact(&mut self, tab: &mut Replica, now: u64, lines: &[Line]) -> bool {
        self.read(tab, now).expect("the document");
        lines.iter().for_each(|line| tab.append(line.clone()).expect("a line"));
        self.write(tab);
        let is_refused = tab.is_refused();
        tab.written();
        !is_refused
    }
}
