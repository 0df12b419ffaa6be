//! A page without a browser. It reads a list of JSON messages as `pkg-template/src/chat` reads JavaScript
//! objects, passes the facts to the core, and makes the repairs.

pub mod chat_simulator;
pub mod crash;
pub mod decision_harness;
pub mod decisions;
mod effects;
mod fingerprints;
mod memory;
pub mod occurrences;
pub mod oracle;
mod oracle_laws;
mod parts;
pub mod record_harness;
pub mod store;
pub mod stored_lines;

use std::cell::Cell;
use std::collections::HashMap;

use memory::Memory;
pub use parts::{RESIDUE, is_tool, parts, says_something};
use parts::{digest_of, flags};
use proptest::prelude::*;
use serde_json::{Value, json};
use tool_approval_guard::core::call::{PartFacts, PartFlags, Place};
use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::event::Entry;
use tool_approval_guard::core::guard::{Effects, Fact, Guard, Options, Problem, Said, Trigger};
use tool_approval_guard::core::id::{CallId, RequestId, StringId};
use tool_approval_guard::core::ledger::SEGMENT;
use tool_approval_guard::core::projection::State;
use tool_approval_guard::core::protocol::Chunk;
use tool_approval_guard::core::record::Recollection;
use tool_approval_guard::core::repair::{Needed, Scope};
use tool_approval_guard::core::verdict::{Reason, Step};

const SUPERSEDED: &str = "superseded";

/// Folds entries into a state.
pub fn fold(entries: &[Entry]) -> State {
    let mut state = State::default();
    entries.iter().for_each(|entry| state.apply(&entry.event, entry.time));
    state
}

/// A tool part as it was last read.
struct Row {
    part: Value,
    call: CallId,
    flags: PartFlags,
    approval: StringId,
    input: u64,
    edit: u64,
    /// The last repairs that the core has said, on the wire and at home, each with its revision.
    said: Cell<[Option<(u32, Needed)>; 2]>,
}

/// What the model asked for, where the part of an answered call shows a changed input.
fn edited_from(part: &Value) -> Option<&Value> {
    let answered = part["approval"]["approved"].is_boolean();
    part.pointer("/callProviderMetadata/tool-approval-guard/editedFrom").filter(|_| answered)
}

/// A message as it was last read.
#[derive(Default)]
struct Record {
    id: Value,
    rows: Vec<Option<Row>>,
}

/// A guard and what was read for it.
pub struct Page {
    pub guard: Guard,
    pub now: f64,
    pub problems: Vec<Problem>,
    /// All entries so far, including the sealed ones.
    pub log: Vec<Entry>,
    /// Whether every scan passes every part again, as after a deep copy of the list.
    pub cloned: bool,
    /// The lines that are written of the entries, if a test needs them.
    pub lines: Option<stored_lines::StoredLines>,
    /// The record, if there is one.
    pub harness: Option<record_harness::RecordHarness>,
    /// How long a call may wait for an answer.
    pub lifetime: Option<Time>,
    /// Calls that may have lost a question that the record knows.
    lost: Vec<(CallId, Value, Recollection)>,
    symbols: HashMap<String, StringId>,
    /// The same, by their numbers.
    texts: Vec<String>,
    records: Vec<Option<Record>>,
    memory: HashMap<CallId, Memory>,
    fingerprints: fingerprints::Fingerprints,
    /// What the responses have said of the approval of a call: the question, and the answer of the server.
    heard: HashMap<String, (Value, Option<Value>)>,
}

/// The default options, with these client tools.
pub fn options(client_tools: Vec<StringId>) -> Options {
    Options { client_tools, ..Options::default() }
}

/// How many entries are sealed at once: mostly so few that a guard drops calls within one history.
pub fn segment() -> impl Strategy<Value = usize> {
    prop_oneof![1 => Just(SEGMENT), 2 => Just(8)]
}

/// The number of further entries after which all present ones are sealed; 0 if nothing is ever sealed.
pub fn entries_until_sealed(segment: usize) -> usize {
    if segment == SEGMENT { 0 } else { 12 * segment }
}

/// Adds the new entries. One fact makes fewer than are kept.
pub fn note(log: &mut Vec<Entry>, guard: &Guard) {
    log.extend(&guard.entries()[log.len() - guard.sealed() as usize..]);
}

impl Page {
    /// A page that has seen nothing. Client tools get the first ids.
    pub fn new(client_tools: &[&str], configure: impl FnOnce(&mut Options)) -> Self {
        let symbols: HashMap<String, StringId> = client_tools
            .iter()
            .zip(1..)
            .map(|(name, symbol)| ((*name).to_owned(), StringId(symbol)))
            .collect();
        let mut options = options(symbols.values().copied().collect());
        configure(&mut options);
        Self {
            guard: Guard::new(options),
            now: 0.0,
            problems: Vec::new(),
            log: Vec::new(),
            cloned: false,
            lines: None,
            harness: None,
            lifetime: None,
            lost: Vec::new(),
            symbols,
            texts: client_tools.iter().map(|&name| name.to_owned()).collect(),
            records: Vec::new(),
            memory: HashMap::new(),
            fingerprints: fingerprints::Fingerprints::default(),
            heard: HashMap::new(),
        }
    }

    /// Passes a fact to the core.
    pub fn tell(&mut self, input: Fact) -> Effects {
        self.now += 1.0;
        let effects = self.guard.handle(input, self.now);
        let before = self.log.len();
        note(&mut self.log, &self.guard);
        if let Some(lines) = &mut self.lines {
            lines.write(&self.guard, &self.log[before..]);
        }
        self.problems.extend(effects.problems.iter().map(|&(problem, _)| problem));
        effects
    }

    /// The id of a string; 0 for any other value.
    pub fn symbol(&mut self, value: &Value) -> StringId {
        let Some(text) = value.as_str() else { return StringId::NONE };
        let texts = &mut self.texts;
        *self.symbols.entry(text.to_owned()).or_insert_with(|| {
            texts.push(text.to_owned());
            StringId(texts.len() as u32)
        })
    }

    /// Reads the last message, and again the others that may need a repair.
    pub fn look_at_last(&mut self, messages: &[Value], current: bool) {
        let last = messages.len().saturating_sub(1);
        for index in 0..last {
            let watched = self.records.get(index).and_then(Option::as_ref).is_some_and(|record| {
                record.id == messages[index]["id"]
                    && record.rows.iter().flatten().any(|row| self.guard.watches(row.call))
            });
            if watched {
                self.look(messages, index, current);
            }
        }
        let step = if messages.is_empty() { Step::default() } else { self.look(messages, last, current) };
        self.recall_lost();
        self.tell(Fact::Step(step));
    }

    /// Reads all messages.
    pub fn sweep(&mut self, messages: &[Value]) {
        let mut step = Step::default();
        for index in 0..messages.len() {
            step = self.look(messages, index, true);
        }
        for record in self.records.split_off(messages.len().min(self.records.len())).into_iter().flatten() {
            self.drop_rows(record.rows);
        }
        self.recall_lost();
        self.tell(Fact::Step(step));
        self.tell(Fact::ScanComplete(Trigger::Submit));
    }

    /// Asks whether the chat may submit now.
    pub fn ask(&mut self, messages: &[Value]) -> Reason {
        self.look_at_last(messages, true);
        self.tell(Fact::Ask).reason().unwrap_or(Reason::NothingNew)
    }

    /// Asks the transport to send a list. Returns the request, and the list as it leaves.
    pub fn send(&mut self, messages: &[Value], chat: StringId, person: bool) -> (RequestId, Vec<Value>) {
        self.sweep(messages);
        let request = self.tell(Fact::Send { chat, trigger: Trigger::Submit, continues: !person }).request();
        (request, self.repaired(messages, Scope::Wire))
    }

    /// Passes a chunk of a response.
    pub fn hear(&mut self, request: RequestId, chunk: &Value) {
        let Some(kind) = chunk["type"].as_str().and_then(Chunk::from_name) else { return };
        let id = chunk["toolCallId"].as_str().unwrap_or_default().to_owned();
        if kind == Chunk::ApprovalRequest {
            let mut question = json!({ "id": chunk["approvalId"] });
            if let Some(signature) = chunk.get("signature") {
                question["signature"] = signature.clone();
            }
            self.heard.insert(id, (question, None));
        } else if kind == Chunk::ApprovalResponse {
            if let Some((question, answer)) = self.heard.get_mut(&id) {
                let mut answered = question.clone();
                for field in ["approved", "reason"] {
                    if let Some(said) = chunk.get(field) {
                        answered[field] = said.clone();
                    }
                }
                *answer = Some(answered);
            }
        } else if kind == Chunk::InputStart && request.is_some() {
            self.heard.remove(&id);
        }
        let input = chunk.get("input").filter(|_| request.is_none());
        let content = digest_of(chunk.get("output").or(chunk.get("errorText")).or(input));
        let (id, approval) = (self.symbol(&chunk["toolCallId"]), self.symbol(&chunk["approvalId"]));
        let preliminary = chunk["preliminary"] == true;
        let tool = self.symbol(&chunk["toolName"]);
        let said = Said { tool, approval, approved: chunk["approved"].as_bool(), content, preliminary };
        self.tell(Fact::Chunk { request, kind, id, said });
    }

    /// The parts as they were last seen, with their calls.
    pub fn rows(&self) -> impl Iterator<Item = (&Value, CallId)> {
        let rows = self.records.iter().flatten().flat_map(|record| record.rows.iter().flatten());
        rows.map(|row| (&row.part, row.call))
    }

    /// Starts the record: what it knows about each call is restored.
    pub fn recall_again(&mut self) {
        let rows: Vec<(Value, CallId)> = self.rows().map(|(part, call)| (part.clone(), call)).collect();
        rows.iter().for_each(|(part, call)| self.seen(*call, part));
        self.recall_lost();
    }

    fn drop_rows(&mut self, rows: Vec<Option<Row>>) {
        for row in rows.into_iter().flatten() {
            self.tell(Fact::Missing(row.call));
        }
    }

    fn look(&mut self, messages: &[Value], index: usize, current: bool) -> Step {
        let message = &messages[index];
        let assistant = message["role"] == "assistant";
        let parts = if assistant { parts(message) } else { &[] };
        if self.records.len() <= index {
            self.records.resize_with(index + 1, || None);
        }
        let mut record = self.records[index].take().unwrap_or_default();
        let moved = !record.id.is_null() && record.id != message["id"];
        if moved && !current {
            self.records[index] = Some(record);
            return Step { assistant, ..Step::default() };
        }
        if moved {
            self.drop_rows(std::mem::take(&mut record.rows));
        }
        record.id = message["id"].clone();
        record.rows.resize_with(record.rows.len().max(parts.len()), || None);
        if current {
            let lost = |place: usize| parts.get(place).is_none_or(|part| !is_tool(part));
            let lost: Vec<_> = (0..record.rows.len()).filter(|&place| lost(place)).collect();
            let rows = lost.into_iter().map(|place| record.rows[place].take()).collect();
            self.drop_rows(rows);
        }
        let user_turn =
            messages[..index].iter().rposition(|m| m["role"] == "user").map_or(0, |at| at as u32 + 1);
        let (mut number, mut start, mut text) = (0, 0, false);
        let mut occurrences: HashMap<String, u32> = HashMap::new();
        for (at, part) in parts.iter().enumerate() {
            if part["type"] == "step-start" {
                (number, start, text) = (number + 1, at + 1, false);
                occurrences.clear();
            }
            text |= says_something(part);
            if !is_tool(part) {
                continue;
            }
            text = false;
            let occurrence = occurrences.entry(part["toolCallId"].to_string()).or_default();
            let place = Place {
                message: self.symbol(&message["id"]),
                index: index as u32,
                user_turn,
                step: number,
                occurrence: *occurrence,
            };
            *occurrence += 1;
            let old = record.rows[at].as_ref();
            if old.is_some_and(|row| row.part == *part) && !self.cloned {
                continue;
            }
            let known = old.map(|row| row.call);
            if let Some(row) = self.see(part, place, known, current) {
                record.rows[at] = Some(row);
            }
        }
        let rows = record.rows[start.min(parts.len())..].iter().flatten().map(|row| (row.call, row.flags));
        let step = Step { assistant, text, rows: rows.collect(), ..Step::default() };
        self.records[index] = Some(record);
        step
    }

    /// Adopts a list of the server's, as `guard.adopt` does: what the page shows of its calls is told again.
    pub fn adopt(&mut self, messages: &[Value]) {
        let calls = messages.iter().flat_map(parts).filter(|part| is_tool(part));
        let parts = calls.map(|part| self.facts_of(part, Place::default())).collect();
        let others = messages.iter().filter(|message| message["role"] != "assistant");
        let messages = others.map(|it| (self.symbol(&it["id"]), digest_of(it.get("parts")))).collect();
        self.tell(Fact::Adopt { messages, parts });
        let rows = self.records.iter_mut().flatten().flat_map(|record| record.rows.iter_mut().flatten());
        rows.for_each(|row| row.part = Value::Null);
    }

    fn facts_of(&mut self, part: &Value, place: Place) -> PartFacts {
        let kind = part["type"].as_str().unwrap_or_default();
        let tool = kind.strip_prefix("tool-").map_or(part["toolName"].clone(), Into::into);
        let from = edited_from(part);
        PartFacts {
            place,
            tool: self.symbol(&tool),
            server: self.symbol(&part["toolMetadata"]["server"]),
            id: self.symbol(&part["toolCallId"]),
            approval: self.symbol(&part["approval"]["id"]),
            flags: flags(part),
            input: digest_of(from.or(part.get("input"))),
            edit: from.map_or(0, |_| digest_of(part.get("input"))),
            output: digest_of(part.get("output").or(part.get("errorText"))),
        }
    }

    fn see(&mut self, part: &Value, place: Place, known: Option<CallId>, current: bool) -> Option<Row> {
        let part_facts = self.facts_of(part, place);
        let effects = self.tell(Fact::Part { known, part: part_facts, current });
        let call = effects.call()?;
        self.remember(call, part, &effects);
        self.seen(call, part);
        let PartFacts { flags, approval, input, edit, .. } = part_facts;
        Some(Row { part: part.clone(), call, flags, approval, input, edit, said: Cell::default() })
    }
}
