//! Drops calls whose messages are gone. A call is kept as long as its message may come back, and dropped once
//! no entry of the ledger mentions it.

use super::{Guard, Transaction};

use crate::core::decision::Actor;
use crate::core::event::{Detail, Event, EventKind};
use crate::core::grant::{Cover, Fingerprint};
use crate::core::id::{CallId, StringId};

impl Guard {
    /// The first call that is not dropped.
    pub fn forgotten(&self) -> CallId {
        self.state().calls.first()
    }

    /// The strings that are still in use; all other ids may be given out again. Some are listed more than
    /// once.
    pub fn symbols(&self) -> Vec<StringId> {
        let mut symbols = Vec::new();
        let mut add = |ids: &[StringId]| symbols.extend_from_slice(ids);
        add(&self.options.client_tools);
        add(&self.options.unavailable_tools);
        add(&[self.options.chat, self.options.user, self.list.step.message]);
        for (_, call) in self.state().calls.iter() {
            let rule = call.ruling().map_or(StringId::NONE, |ruling| ruling.rule);
            let source = call.answer().map_or(StringId::NONE, |answer| answer.source);
            add(&[call.tool(), call.id(), call.approval(), rule, source]);
        }
        for (_, seen) in self.seen.iter() {
            let row = seen.part;
            add(&[row.place.message, row.tool, row.server, row.id, row.approval]);
            seen.fingerprints.iter().for_each(|&(fields, _)| add(&[fields]));
        }
        for grant in &self.state().grants {
            let fields = if let Cover::Fields(fields, _) = grant.cover { fields } else { StringId::NONE };
            add(&[grant.tool.name, grant.tool.server, fields]);
        }
        self.entries().iter().for_each(|entry| add(&[entry.event.source]));
        self.state().refused.iter().for_each(|refused| add(&[refused.tool]));
        self.names.strings().for_each(|id| add(&[id]));
        self.deliveries.strings().chain(self.responses.strings()).for_each(|id| add(&[id]));
        self.list.adopted.iter().for_each(|part| add(&[part.tool, part.id, part.approval]));
        self.streamed.strings().for_each(|id| add(&[id]));
        symbols
    }

    /// The fingerprints that are still compared with others. Some are listed more than once.
    pub fn fingerprints_in_use(&self) -> Vec<Fingerprint> {
        let mut used: Vec<Fingerprint> = Vec::new();
        for (_, seen) in self.seen.iter() {
            used.extend(seen.fingerprints.iter().map(|&(_, fingerprint)| fingerprint));
        }
        for grant in &self.state().grants {
            if let Cover::Fields(_, fingerprint) = grant.cover {
                used.push(fingerprint);
            }
        }
        used
    }
}

impl Transaction<'_> {
    /// Drops the oldest calls, as long as their messages are gone and every entry about them is sealed.
    pub(super) fn forget(&mut self) {
        let guard = &*self.guard;
        let sealed = guard.ledger.sealed();
        let lives = |id: CallId| {
            let call = guard.call(id).is_some_and(|call| !call.gone()) || guard.state().is_live(id);
            call || guard.is_in_last_step(id) || guard.seen.get(id).is_some_and(|seen| seen.touched > sealed)
        };
        let end = guard.seen.end();
        let before = guard.seen.ids().find(|&id| lives(id)).unwrap_or(end);
        if before == guard.forgotten() {
            return;
        }
        self.append(Event {
            detail: Detail::Below(before),
            ..Event::new(EventKind::Forgotten, Actor::Application)
        });
        let guard = &mut *self.guard;
        guard.seen.drop_before(before);
        guard.names.drop_before(before);
        guard.streamed.drop_before(before);
    }
}
