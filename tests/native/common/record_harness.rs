//! What ties a guard to its record, as `pkg-template/src/record/session.ts`, `recorder.ts` and
//! `chat/restoring.ts` do it.

use serde_json::{Value, json};
use tool_approval_guard::core::decision::Actor;
use tool_approval_guard::core::event::Detail;
use tool_approval_guard::core::event::Entry;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::guard::{Fact, Guard, Known, KnownAnswer, Lifetime};
use tool_approval_guard::core::id::{CallId, StringId};
use tool_approval_guard::core::record::line::Line;
use tool_approval_guard::core::record::{Recollection, Replica};

use super::Page;
use super::memory::Memory;
use super::store::Store;

pub const CHAT: &str = "chat";
const SALT: [u8; 32] = [7; 32];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What has to be written before the next line of the page runs.
fn is_urgent(kind: EventKind) -> bool {
    use EventKind::*;
    matches!(
        kind,
        Drafted
            | Undone
            | Answered
            | Expired
            | Withdrawn
            | Superseded
            | Requested
            | Sent
            | Granted
            | GrantEnded
    )
}

/// The record of a page.
pub struct RecordHarness {
    pub record: Replica,
    told: usize,
}

impl RecordHarness {
    /// The session of a page, which continues what earlier ones have left.
    pub fn begin(store: &mut Store, session: u64) -> Self {
        let salt = hex(&SALT);
        let mut record = Replica::new(&format!("{session:016x}"), CHAT, &salt, 64, true).expect("a record");
        store.read(&mut record, 0).expect("what was written can be read");
        record.give_up_others();
        store.write(&mut record);
        record.written();
        Self { record, told: 0 }
    }
}

impl Page {
    /// From now on there is a record.
    pub fn keep(&mut self, harness: RecordHarness) {
        self.tell(Fact::ForgetFingerprints);
        self.harness = Some(harness);
    }

    /// A call was seen: its input is hashed if it asks, and what the record knows of it is recalled.
    pub(super) fn seen(&mut self, call: CallId, part: &Value) {
        if self.harness.is_none() {
            return;
        }
        if part["state"] == "approval-requested" {
            if let Some(lifetime) = self.lifetime {
                self.tell(Fact::Annotate { call, dangerous: false, lifetime: Lifetime(Some(lifetime)) });
            }
            self.hash_of(call, part);
            self.tell(Fact::Match(call));
        }
        let approval = part["approval"]["id"].as_str();
        let id = part["toolCallId"].as_str().unwrap_or_default();
        let tool = part["type"].as_str().and_then(|kind| kind.strip_prefix("tool-")).unwrap_or_default();
        for known in self
            .harness
            .as_ref()
            .map(|harness| harness.record.recall(approval, id, tool, false))
            .unwrap_or_default()
        {
            if approval.is_some() {
                self.recall(call, part, &known);
            } else {
                self.lost.push((call, part.clone(), known));
            }
        }
    }

    /// Questions that were lost are put back once the whole list was looked at, and not where another part
    /// shows them.
    pub(super) fn recall_lost(&mut self) {
        for (call, part, known) in std::mem::take(&mut self.lost) {
            let shown = |other: &Value| other["approval"]["id"].as_str() == known.approval_id.as_deref();
            if !self.rows().any(|(other, _)| shown(other)) {
                self.recall(call, &part, &known);
            }
        }
    }

    fn recall(&mut self, call: CallId, part: &Value, known: &Recollection) {
        let same_input = known.input_hash.is_some() && known.input_hash == self.hash_of(call, part);
        self.remind(call, known.approval_id.as_deref(), known.approved);
        let known = Known {
            approval: self.symbol(&known.approval_id.as_deref().into()),
            answer: KnownAnswer::of(known.approved, known.draft),
            actor: known.actor.unwrap_or(Actor::History),
            reach: known.reach,
            settled: known.settled,
            same_input,
            taken_back: known.taken_back,
            found: known.found,
            elsewhere: false,
            asked_at: known.asked_at,
            deadline: known.deadline,
            latest: known.latest,
            candidates: u32::from(!part["approval"]["id"].is_string()),
            user: StringId::NONE,
            edit: 0,
        };
        self.tell(Fact::Restore { call, known });
    }

    /// The approval object and the words of an answer, where the messages do not have them.
    fn remind(&mut self, call: CallId, approval: Option<&str>, approved: Option<bool>) {
        let noted = |approval: &str| self.harness.as_ref()?.record.notes().get(&approval.to_owned()).cloned();
        let note = approval.and_then(noted);
        let Some(note) = note.and_then(|note| serde_json::from_str::<Value>(&note).ok()) else { return };
        let memory: &mut Memory = self.memory.entry(call).or_default();
        memory.asked.get_or_insert_with(|| note["asked"].clone());
        if let (Some(approved), Some(reason)) = (approved, note.get("reason")) {
            memory.answer(approved, reason.clone());
        }
    }

    fn hash_of(&mut self, call: CallId, part: &Value) -> Option<String> {
        if self.guard.fingerprint(call) == 0 {
            let text = json!([part["type"], part["input"]]).to_string();
            let fingerprint = self.fingerprints.number(&self.harness.as_ref()?.record.hash(&text));
            self.tell(Fact::Fingerprint { call, fields: StringId::NONE, fingerprint });
        }
        self.fingerprints.text(self.guard.fingerprint(call)).map(str::to_owned)
    }

    /// The record is told what has happened since the last time. Has it to be saved at once? Nothing: it knew.
    pub fn append(&mut self) -> Option<bool> {
        let mut harness = self.harness.take()?;
        let entries = &self.guard.entries()[harness.told..];
        let told = entries.len();
        let mut urgent = false;
        for entry in entries {
            let line = self.line(entry);
            urgent |= is_urgent(line.kind);
            let noted = matches!(line.kind, EventKind::Asked | EventKind::Drafted | EventKind::Answered);
            let note = entry.event.call.filter(|_| noted).zip(line.approval_id.clone());
            let approved = line.approved;
            harness.record.append(line).expect("it can be recorded");
            if let Some((call, approval)) = note {
                let note = self.note(call, &approval, approved);
                let _ = harness.record.note(&approval, &note.to_string());
            }
        }
        harness.told += told;
        self.harness = Some(harness);
        (told > 0).then_some(urgent)
    }

    fn note(&self, call: CallId, approval: &str, approved: Option<bool>) -> Value {
        let memory = self.memory.get(&call);
        let asked = memory.and_then(|memory| memory.asked.clone()).unwrap_or_default();
        let mut note = json!({ "asked": { "id": approval } });
        if asked["signature"].is_string() {
            note["asked"]["signature"] = asked["signature"].clone();
        }
        if let Some(reason) = memory.and_then(|memory| memory.reason(approved != Some(false))) {
            note["reason"] = reason;
        }
        note
    }

    fn line(&self, entry: &Entry) -> Line {
        let text = |id: StringId| self.texts.get((id.0 as usize).checked_sub(1)?).cloned();
        let hash = entry.event.call.and_then(|id| self.fingerprints.text(self.guard.fingerprint(id)));
        Line { input_hash: hash.map(str::to_owned), ..line_of(&self.guard, entry, text) }
    }
}

/// The line of an entry that was added last or shortly before, as `src/web` writes it, but for the hash of the
/// input, the grant and the rule.
pub fn line_of(guard: &Guard, entry: &Entry, text: impl Fn(StringId) -> Option<String>) -> Line {
    let event = &entry.event;
    let call = event.call.and_then(|id| guard.state().calls.get(id).copied());
    let names = call.map(|call| (text(call.tool()), text(call.id()), text(call.approval())));
    let (tool_name, tool_call_id, approval_id) = names.unwrap_or_default();
    Line {
        kind: event.kind,
        actor: Some(event.actor),
        approval_id,
        approved: event.approved,
        at: entry.at as u64,
        automatic: (event.detail == Detail::Automatic(true)).then_some(true),
        deadline: event.deadline.map(|time| guard.clock().wall(time) as u64),
        doubt: event.doubt,
        mono: Some(entry.time),
        outcome: event.outcome(),
        request: event.request.is_some().then_some(event.request.0.into()),
        tool_call_id,
        tool_name,
        waited_ms: entry.waited,
        ..Line::default()
    }
}
