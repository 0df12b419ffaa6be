//! Scans of the messages, as the shell makes them.

use tool_approval_guard::core::call::{Answer, PartFacts, Place};
use tool_approval_guard::core::grant::{Cover, Tool};
use tool_approval_guard::core::guard::{Fact, Lifetime, Trigger};
use tool_approval_guard::core::id::StringId;
use tool_approval_guard::core::protocol::ToolState;
use tool_approval_guard::core::repair::{Repair, Scope, ShownPart};
use tool_approval_guard::core::verdict::Step as LastStep;

use super::part::{Message, Part};
use super::{DecisionHarness, Law};
use crate::common::decisions::{Spec, tool_of};
use crate::common::oracle::{Event as Happened, Tag};

impl DecisionHarness {
    pub(super) fn look(&mut self) {
        self.look_at(Trigger::Submit, false);
    }

    /// Scans all messages. `anew`: also the unchanged ones, as after a deep copy.
    pub(super) fn look_at(&mut self, by: Trigger, anew: bool) {
        let (mut seen, mut step, mut user_turn) = (Vec::new(), Vec::new(), 0);
        for index in 0..self.messages.len() {
            let Message { id: message, user, steps } = self.messages[index].clone();
            let index = index as u32;
            user_turn = if user { index + 1 } else { user_turn };
            for (number, parts) in (1..).zip(&steps) {
                for (at, part) in parts.iter().enumerate() {
                    let occurrence = parts[..at].iter().filter(|other| other.id == part.id).count() as u32;
                    self.see(Place { message, index, user_turn, step: number, occurrence }, part, anew);
                    seen.push((message, part.tag));
                }
            }
            step = steps.last().cloned().unwrap_or_default();
        }
        let lost = |key: &&(StringId, Tag)| !seen.contains(key);
        let lost: Vec<(StringId, Tag)> = self.rows.keys().filter(lost).copied().collect();
        for key in &lost {
            if let Some((_, call)) = self.rows.remove(key) {
                self.tell(Fact::Missing(call));
            }
        }
        let rows = step.iter().map(|part| (self.refs[&part.tag], part.flags())).collect();
        let assistant = self.last_is_assistant();
        self.tell(Fact::Step(LastStep { assistant, rows, ..LastStep::default() }));
        self.tell(Fact::ScanComplete(by));
        self.last_step = step.iter().map(|part| part.tag).collect();
        let parts = self.messages.iter().flat_map(|message| message.steps.iter().flatten());
        let parts = parts.map(Part::shown).collect();
        self.happened(Happened::List {
            parts,
            step: self.last_step.clone(),
            writers: self.writers(),
            loaded: self.loading,
        });
    }

    pub(super) fn see(&mut self, place: Place, part: &Part, anew: bool) {
        let Part { tag, id, content, output, .. } = *part;
        let Tool { name: tool, server } = tool_of(part.tool);
        let approval = if part.state == ToolState::InputAvailable { StringId::NONE } else { part.approval };
        let input = content.digest();
        let part_facts = PartFacts {
            place,
            tool,
            server,
            id,
            approval,
            flags: part.flags(),
            input,
            edit: part.shown_edit(),
            output,
        };
        let row = self.rows.get(&(place.message, tag)).copied();
        if row.is_some_and(|(was, _)| was == part_facts) && !anew {
            return;
        }
        let known = row.map(|(_, call)| call);
        let effects = self.tell(Fact::Part { known, part: part_facts, current: true });
        let call = effects.call().expect("a list that is current is never older");
        self.rows.insert((place.message, tag), (part_facts, call));
        // A part that asks is the same call wherever it is; another part may count as a new call.
        let first = self.refs.insert(tag, call).unwrap_or(call);
        self.holds(Law::NoInventedYes, first == call || part.approval.is_none(), || {
            format!("{part:?} was {first} and is {call}")
        });
        if part.state == ToolState::ApprovalRequested {
            self.mark(tag);
            let standing = self.guard.state().standing();
            let covers = standing.map(|(_, grant)| grant.cover).collect::<Vec<_>>();
            for cover in covers {
                if let Cover::Fields(fields, _) = cover {
                    self.fingerprint(tag, fields);
                }
            }
            if self.ruled {
                let ruling = self.ruling(part.content);
                self.judged.push((call, part.content));
                self.tell(Fact::EvaluateRule { call, ruling });
            }
            self.tell(Fact::Match(call));
        }
    }

    pub(super) fn mark(&mut self, tag: Tag) {
        let Spec { dangerous, lifetime, .. } = self.specs[tag];
        self.tell(Fact::Annotate { call: self.refs[&tag], dangerous, lifetime: Lifetime(lifetime) });
        self.note_happened(Happened::Annotated { tag, lifetime });
    }

    /// Passes on a fingerprint of what the part shows.
    pub(super) fn fingerprint(&mut self, tag: Tag, fields: StringId) {
        let Spec { tool, shy, .. } = self.specs[tag];
        let Some(content) = self.part(tag).map(|part| part.content) else { return };
        let text = format!("{tool} {fields} {:?}", content.pick(fields));
        let fingerprint = if shy { 0 } else { self.fingerprints.number(&text) };
        self.tell(Fact::Fingerprint { call: self.refs[&tag], fields, fingerprint });
        let content = (!shy).then_some(content);
        self.note_happened(Happened::Compared { tag, fields, content });
    }

    /// Repairs the chat's own messages.
    pub(super) fn repair(&mut self) {
        for part in self.messages.iter_mut().flat_map(|message| &mut message.steps).flatten() {
            let Some(&call) = self.refs.get(&part.tag) else { continue };
            let (flags, approval, edit) = (part.flags(), part.approval, part.shown_edit());
            let shown = ShownPart { flags, approval, input: part.content.digest(), edit, scope: Scope::Home };
            let needed = self.guard.repair(call, shown, false);
            part.take_input(needed.input, self.edits.get(&part.tag).copied());
            match needed.repair {
                Repair::Input => {}
                Repair::Deny => part.show(ToolState::ApprovalResponded, Answer::No),
                Repair::SettleDenial => part.show(ToolState::OutputDenied, Answer::No),
                Repair::Ask => part.show(ToolState::ApprovalRequested, Answer::Absent),
                Repair::Allow => part.show(ToolState::ApprovalResponded, Answer::Yes),
                Repair::Approve | Repair::Restore => part.answer = Answer::Yes,
                Repair::Fail | Repair::Keep => {}
            }
        }
        self.look();
    }
}
