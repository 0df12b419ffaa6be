//! The messages of the chat, its requests and their responses.

use tool_approval_guard::core::call::Answer;
use tool_approval_guard::core::guard::{Fact, Failure, Permitted, Said, Trigger};
use tool_approval_guard::core::id::{CallId, RequestId, StringId};
use tool_approval_guard::core::protocol::{Chunk, ToolState};
use tool_approval_guard::core::repair::{Repair, Scope, ShownPart};
use tool_approval_guard::core::verdict::Permit;

use super::part::{Flight, Message, Part, said};
use super::{CHAT, DecisionHarness, Law, REUSED};
use crate::common::decisions::{End, Spec, TOOL};
use crate::common::oracle::{Carried, Content, Event as Happened, Fate, Tag};

impl DecisionHarness {
    pub(super) fn fresh(&mut self) -> StringId {
        self.symbols = self.symbols.next();
        self.symbols
    }

    pub(super) fn idle(&self) -> bool {
        self.flights.is_empty()
    }

    pub(super) fn last_is_assistant(&self) -> bool {
        self.messages.last().is_some_and(|message| !message.user)
    }

    /// Whether a call of the last message is beginning, so that it would be another call if it came back.
    pub(super) fn begins(&self) -> bool {
        let parts = self.messages.last().into_iter().flat_map(|message| message.steps.iter().flatten());
        parts.into_iter().any(|part| part.state == ToolState::InputAvailable)
    }

    pub(super) fn parts(&mut self) -> impl Iterator<Item = &mut Part> {
        self.messages.iter_mut().flat_map(|message| &mut message.steps).flatten()
    }

    pub(super) fn part(&mut self, tag: Tag) -> Option<&mut Part> {
        self.parts().find(|part| part.tag == tag)
    }

    /// Picks a call: for a small number one of the last step, otherwise any.
    pub(super) fn pick(&self, which: usize) -> Option<(Tag, CallId)> {
        let step = &self.last_step;
        let near = which < 8 && !step.is_empty();
        let tag = if near { step[which % step.len()] } else { which % self.specs.len().max(1) };
        // The page does not know dropped calls either.
        let call = self.refs.get(&tag).filter(|&&call| call >= self.guard.forgotten());
        Some((tag, *call?))
    }

    pub(super) fn push(&mut self, user: bool, steps: Vec<Vec<Part>>) {
        let id = self.fresh();
        self.messages.push(Message { id, user, steps });
    }

    pub(super) fn say(&mut self) {
        self.push(true, Vec::new());
        self.send(true, false, Trigger::Submit);
    }

    pub(super) fn edit(&mut self) {
        let Some(at) = self.messages.iter().rposition(|message| message.user) else { return };
        self.messages.truncate(at);
        self.push(true, Vec::new());
        self.send(true, false, Trigger::Edit);
    }

    pub(super) fn send(&mut self, person: bool, automatic: bool, by: Trigger) {
        self.look_at(by, false);
        let open: Vec<Part> = self.open_parts();
        let refused = !person && !automatic && self.oracle.closes && !open.is_empty();
        let request = self.tell(Fact::Send { chat: CHAT, trigger: by, continues: !person }).request();
        self.holds(Law::UndoUntilSent, refused == (request.is_none()), || {
            format!("refused: {}, and open are {open:?}", request.is_none())
        });
        if request.is_none() {
            return self.show();
        }
        let parts: Vec<Part> = self.parts().map(|part| part.clone()).collect();
        let wire: Vec<Carried> = parts.iter().map(|part| self.carried(part)).collect();
        let message = self.messages.last().filter(|message| !message.user).map(|message| message.id);
        self.flights.push(Flight { request, started: false, message, wire: wire.clone() });
        self.happened(Happened::Requested { request, person, automatic, wire });
        if !automatic {
            self.repair();
        }
    }

    /// The open parts of the last step.
    pub(super) fn open_parts(&mut self) -> Vec<Part> {
        let step = self.last_step.clone();
        let parts = step.into_iter().filter_map(|tag| self.part(tag).cloned());
        let parts: Vec<Part> = parts.collect();
        let asked = |tag| self.card(tag).is_some_and(|card| card.asks || card.says.is_some());
        let open = |part: &Part| {
            self.is_open(part.tag) || (part.state == ToolState::InputAvailable && !asked(part.tag))
        };
        parts.into_iter().filter(open).collect()
    }

    /// How a part leaves.
    pub(super) fn carried(&mut self, part: &Part) -> Carried {
        let (call, edit) = (self.refs[&part.tag], part.shown_edit());
        let shown = ShownPart {
            flags: part.flags(),
            approval: part.approval,
            input: part.content.digest(),
            edit,
            scope: Scope::Wire,
        };
        let needed = self.guard.repair(call, shown, false);
        let repair = needed.repair;
        let says = match part.answer {
            Answer::Yes => Some(true),
            Answer::No => Some(false),
            _ => None,
        };
        let (says, output) = match repair {
            Repair::Keep | Repair::Input => (says, part.output != 0),
            Repair::Deny | Repair::SettleDenial => (Some(false), false),
            Repair::Allow => (Some(true), false),
            Repair::Ask => (None, false),
            Repair::Fail => (None, true),
            Repair::Approve | Repair::Restore => (Some(true), true),
        };
        let mut leaving = Part { edit, ..part.clone() };
        leaving.take_input(needed.input, self.edits.get(&part.tag).copied());
        self.check_input(&leaving, says, output);
        Carried { tag: part.tag, says, output }
    }

    /// A call leaves with the input with which it was allowed; a denied one, and one that asks, with its own.
    fn check_input(&mut self, leaving: &Part, says: Option<bool>, output: bool) {
        let given = self.edits.get(&leaving.tag).copied().unwrap_or(0);
        let is_known = !output && !self.oracle.loaded(leaving.tag);
        let allowed = says == Some(true);
        // What is closed and may have run is closed with the input with which it may have run.
        let fits = leaving.edit == given || (!allowed && leaving.edit == 0);
        self.holds(Law::OneInput, !is_known || fits, || {
            format!("{leaving:?} leaves, {says:?}, and not with {given}")
        });
    }

    pub(super) fn retry(&mut self) {
        self.look();
        let permitted = self.tell(Fact::Permit(Permit::Retry)).permitted();
        if matches!(permitted, Some(Permitted::Continue | Permitted::Rewrite(_))) {
            self.send(false, false, Trigger::Submit);
        } else {
            self.tell(Fact::PermitOver);
        }
    }

    /// Lets the chat ask whether to send, once no response is running. A new commit is sent, and an open step
    /// is not.
    pub(super) fn ask(&mut self, committed: bool) {
        let reason = self.tell(Fact::Ask).reason();
        self.show();
        if !self.idle() {
            return;
        }
        let sends = reason.is_some_and(|reason| reason.sends());
        let open = self.last_step.iter().copied().find(|&tag| self.is_open(tag));
        self.holds(Law::NoInventedYes, !sends || open.is_none(), || format!("sends, and {open:?} is open"));
        let stopped = self.oracle.stopped(self.oracle.history.len());
        let in_doubt = self.last_step.iter().copied().find(|&tag| self.oracle.in_doubt(tag));
        if in_doubt.is_some() {
            self.oracle.count("a step in doubt was asked about");
        }
        self.holds(Law::Doubt, !sends || in_doubt.is_none(), || {
            format!("sends, and {in_doubt:?} is in doubt")
        });
        let unsent = |&tag: &Tag| {
            let said = self.card(tag).and_then(|card| card.answer());
            said.is_some_and(|said| self.oracle.carrying(tag, said, 0).is_empty())
        };
        if stopped && open.is_none() && self.last_step.iter().any(unsent) {
            self.oracle.count("an answer that was not sent was asked about after a stop");
        }
        self.holds(Law::Stop, !sends || !stopped, || "sends after a stop".to_owned());
        let settled = committed && open.is_none() && !stopped && in_doubt.is_none();
        let stalls = settled && !sends && self.guard.state().automatic < 20;
        self.holds(Law::UndoUntilSent, !stalls, || format!("{reason:?} after a commit"));
        if sends {
            self.send(false, true, Trigger::Submit);
        }
    }

    fn own_message(&mut self, id: Option<StringId>) -> Option<&mut Message> {
        self.messages.iter_mut().find(|message| Some(message.id) == id)
    }

    /// The requests whose response is the last message, or continues it.
    pub(super) fn writers(&self) -> Vec<RequestId> {
        let last = self.messages.last().map(|message| message.id);
        self.flights.iter().filter(|flight| flight.message == last).map(|flight| flight.request).collect()
    }

    /// The newest response that has started.
    pub(super) fn start(&mut self) -> Option<RequestId> {
        let flight = self.flights.last_mut()?;
        let request = flight.request;
        if !std::mem::replace(&mut flight.started, true) {
            self.tell(Fact::Started(request));
            self.happened(Happened::Started(request));
        }
        let message = self.flights.last()?.message;
        if self.own_message(message).is_none() {
            self.push(false, Vec::new());
            let message = self.messages.last().map(|message| message.id);
            self.flights.last_mut()?.message = message;
        }
        Some(request)
    }

    pub(super) fn finish(&mut self, end: End) {
        if let End::Ended = end {
            self.start();
        }
        let Some(Flight { request, started, .. }) = self.flights.pop() else { return };
        let (fact, fate) = match end {
            End::Ended => (Fact::Ended(request), Fate::Ended),
            End::Broken => (Fact::Failed { request, failure: Failure::Unknown }, Fate::Unknown),
            End::Refused => {
                // If the response has started, the server did not refuse the request.
                let fate = if started { Fate::Unknown } else { Fate::Refused };
                (Fact::Failed { request, failure: Failure::Status(503) }, fate)
            }
        };
        self.tell(fact);
        self.happened(Happened::Over(request, fate));
    }

    pub(super) fn hear(
        &mut self,
        request: RequestId,
        kind: Chunk,
        id: StringId,
        approval: StringId,
        output: u64,
    ) {
        let said = Said { approval, content: output, ..Said::default() };
        self.tell(Fact::Chunk { request, kind, id, said });
    }

    /// Receives calls, in the same step as the ones before or in another one.
    pub(super) fn respond(&mut self, specs: &[Spec], same_step: bool) {
        let Some(request) = self.start() else { return };
        let own = self.flights.last().and_then(|flight| flight.message);
        let last = self.own_message(own).and_then(|message| message.steps.last().cloned());
        let same_step = same_step && last.is_some();
        let mut reused =
            same_step && last.as_ref().is_some_and(|step| step.iter().any(|part| part.id == REUSED));
        let mut parts = Vec::new();
        for spec in specs {
            let id = if spec.reuses && !reused { REUSED } else { self.fresh() };
            reused |= id == REUSED;
            self.hear(request, Chunk::InputStart, id, StringId::NONE, 0);
            self.hear(request, Chunk::InputAvailable, id, StringId::NONE, 0);
            let part = self.begin(*spec, id);
            if spec.asks {
                self.hear(request, Chunk::ApprovalRequest, id, part.approval, 0);
            } else {
                self.hear(request, Chunk::OutputAvailable, id, StringId::NONE, part.output);
            }
            parts.push(part);
        }
        let Some(message) = self.own_message(own) else { return };
        match message.steps.last_mut().filter(|_| same_step) {
            Some(step) => step.extend(parts),
            None => message.steps.push(parts),
        }
        self.look();
    }

    pub(super) fn begin(&mut self, spec: Spec, id: StringId) -> Part {
        let tag = self.specs.len();
        self.specs.push(spec);
        let approval = if spec.asks { self.fresh() } else { StringId::NONE };
        let state = if spec.asks { ToolState::ApprovalRequested } else { ToolState::OutputAvailable };
        let (tool, content, output) = (spec.tool, spec.content, if spec.asks { 0 } else { 5 });
        Part {
            tag,
            tool,
            id,
            approval,
            state,
            answer: Answer::Absent,
            content,
            edit: 0,
            output,
            served: true,
        }
    }

    /// A chat with messages from before this page.
    pub(super) fn hydrate(&mut self, history: &[Option<bool>]) {
        let mut parts = Vec::new();
        for (a, answer) in (0..).zip(history) {
            let id = self.fresh();
            let content = Content { a: a % 2, b: 0 };
            let mut part = self.begin(Spec::new(TOOL, content), id);
            if let Some(yes) = *answer {
                part.show(ToolState::ApprovalResponded, said(yes));
            }
            parts.push(part);
        }
        self.push(true, Vec::new());
        self.push(false, vec![parts]);
        self.tell(Fact::Hydrate(true));
        self.loading = true;
        self.look();
        self.loading = false;
        self.tell(Fact::Hydrate(false));
    }

    /// Lets the server act on the answers in its request.
    pub(super) fn serve(&mut self) {
        let Some(request) = self.start() else { return };
        let wire = self.flights.last().map(|flight| flight.wire.clone()).unwrap_or_default();
        self.serve_as(request, wire);
    }

    /// Reports the outcome of these answers in the response to a request, or in a resumed one.
    pub(super) fn serve_as(&mut self, request: RequestId, wire: Vec<Carried>) {
        for Carried { tag, says, output } in wire {
            let Some(allowed) = says.filter(|_| !output && !self.served.contains(&tag)) else { continue };
            let Some(part) = self.part(tag) else { continue };
            let id = part.id;
            if allowed {
                part.show(ToolState::OutputAvailable, Answer::Yes);
                (part.output, part.served) = (9, true);
                self.hear(request, Chunk::OutputAvailable, id, StringId::NONE, 9);
            } else {
                part.show(ToolState::OutputDenied, Answer::No);
                self.hear(request, Chunk::OutputDenied, id, StringId::NONE, 0);
            }
            self.served.push(tag);
        }
        self.show();
    }
}
