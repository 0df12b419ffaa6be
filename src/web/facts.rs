//! Turns rows into facts of the core, and their effects into rows.

use super::abi::effects::{EffectRow, TakenCode, Way};
use super::abi::facts::FactRow;
use super::rows::{call_from, call_number, code, flag, is_on, optional, yes_or_no};
use crate::core::batch::Pace;
use crate::core::call::{Digest, PartFacts, PartFlags, Place};
use crate::core::clock::{Now, duration};
use crate::core::decision::{Actor, Choice, Refusal, Ruling};
use crate::core::effect::Effect;
use crate::core::grant::{Cover, Fingerprint, Tool};
use crate::core::guard::{
    Attempt, CommitCause, Covers, Effects, Fact, Failure, Guard, Known, KnownAnswer, Listed, Named, News,
    Options, Permitted, Reach, Said, Shown, Source, Taken, Target, Trigger, Waited, wait,
};
use crate::core::id::{CallId, StringId};
use crate::core::ledger::SEGMENT;
use crate::core::protocol::Chunk;
use crate::core::repair::{Needed, Repair, Scope};
use crate::core::verdict::{Permit, Reason, Rules, Step};

/// Opens a guard with the options in the rows.
pub fn open(mut rows: &[f64]) -> Guard {
    let mut options = Options {
        rules: Rules {
            send_on_approvals: true,
            send_on_outputs: true,
            hold_all_denied: false,
            send_each: false,
            max_automatic: 0,
        },
        deny_when_user_sends: true,
        client_tools: Vec::new(),
        unavailable_tools: Vec::new(),
        chat: StringId::NONE,
        user: StringId::NONE,
        pace: Pace::default(),
        segment: SEGMENT,
    };
    while let Some(row) = FactRow::read(&mut rows) {
        match row {
            FactRow::Options {
                send_on_approvals,
                send_on_outputs,
                hold_all_denied,
                send_each,
                deny_when_user_sends,
                attended,
                max_automatic,
                chat,
                user,
                undo,
                undo_dangerous,
                warn,
                output,
            } => {
                options.rules = Rules {
                    send_on_approvals: is_on(send_on_approvals),
                    send_on_outputs: is_on(send_on_outputs),
                    hold_all_denied: is_on(hold_all_denied),
                    send_each: is_on(send_each),
                    max_automatic: max_automatic as u32,
                };
                options.deny_when_user_sends = is_on(deny_when_user_sends);
                options.chat = string(chat);
                options.user = string(user);
                options.pace = Pace {
                    undo: duration(undo),
                    undo_dangerous: duration(undo_dangerous),
                    warn: duration(warn).unwrap_or_default(),
                    output: duration(output),
                    attended: is_on(attended),
                };
            }
            FactRow::ClientTool { tool } => options.client_tools.push(string(tool)),
            FactRow::UnavailableTool { tool } => options.unavailable_tools.push(string(tool)),
            _ => {}
        }
    }
    Guard::new(options)
}

/// Handles facts, writes their effects, and returns the verdict, unless something has followed the question
/// for it.
pub fn apply(guard: &mut Guard, mut rows: &[f64], now: Now, out: &mut Vec<f64>) -> Option<Reason> {
    let mut facts = Facts {
        guard,
        now,
        out,
        parts: Vec::new(),
        step: Vec::new(),
        listed: Vec::new(),
        adopted: Vec::new(),
        undone: Vec::new(),
        refusal: None,
        grant_keys: Vec::new(),
        repairs: 0,
        verdict: None,
    };
    while let Some(row) = FactRow::read(&mut rows) {
        // Asking for a repair changes nothing.
        if !matches!(row, FactRow::Repair { .. }) {
            facts.verdict = None;
        }
        facts.take(row);
    }
    facts.verdict
}

fn string(number: f64) -> StringId {
    StringId(number as u32)
}

fn digest(low: f64, high: f64) -> Digest {
    // The shell computes them with bit operations, so they have a sign.
    u64::from(high as i64 as u32) << 32 | u64::from(low as i64 as u32)
}

fn covers(fields: f64) -> Covers {
    if fields < 0.0 { Covers::Tool } else { Covers::Fields(string(fields)) }
}

/// The facts of one crossing, while they are handled.
struct Facts<'a> {
    guard: &'a mut Guard,
    now: Now,
    out: &'a mut Vec<f64>,
    /// The calls of the parts so far, with the flags of those parts.
    parts: Vec<Option<(CallId, PartFlags)>>,
    /// The calls of the last step so far.
    step: Vec<(CallId, PartFlags)>,
    /// The calls so far whose drafts are undone together, and why another one was refused.
    undone: Vec<CallId>,
    refusal: Option<Refusal>,
    /// The listed messages so far.
    listed: Vec<Listed>,
    /// The parts so far of a list from the server.
    adopted: Vec<PartFacts>,
    /// The inputs so far that a grant may cover.
    grant_keys: Vec<(StringId, Fingerprint)>,
    /// How many questions for a repair there were.
    repairs: u32,
    verdict: Option<Reason>,
}

impl Facts<'_> {
    /// Passes a fact to the core, and writes the problems that it reports.
    fn handle(&mut self, fact: Fact) -> Effects {
        let effects = self.guard.handle(fact, self.now);
        for &(problem, call) in &effects.problems {
            let row = EffectRow::Problem { problem: f64::from(problem as u8), call: call_number(call) };
            row.write(self.out);
        }
        effects
    }

    /// The call of a part in these facts, or else the call with this number.
    fn call(&self, part: f64, call: f64) -> Option<CallId> {
        self.call_of(part, call, 0.0).map(|(call, _)| call)
    }

    /// The same, with the flags of its part.
    fn call_of(&self, part: f64, call: f64, flags: f64) -> Option<(CallId, PartFlags)> {
        let seen = (part as usize).checked_sub(1).and_then(|part| self.parts.get(part).copied().flatten());
        seen.or_else(|| Some((call_from(call)?, PartFlags::from_code(flags as u32))))
    }

    fn take(&mut self, row: FactRow) {
        match row {
            FactRow::Options { .. } | FactRow::UnavailableTool { .. } => {}
            FactRow::ClientTool { tool } => {
                self.handle(Fact::ClientTool(string(tool)));
            }
            FactRow::Part { .. } => self.part(row),
            FactRow::Missing { call } => self.about(call_from(call), Fact::Missing),
            FactRow::Relocated { part, call } => self.about(self.call(part, call), Fact::Relocated),
            FactRow::ScanComplete { trigger } => {
                let trigger = Trigger::from_code(code(trigger)).unwrap_or(Trigger::Submit);
                self.handle(Fact::ScanComplete(trigger.actor()));
            }
            FactRow::StepPart { part, call, flags } => self.step.extend(self.call_of(part, call, flags)),
            FactRow::Step { assistant, text } => {
                let rows = std::mem::take(&mut self.step);
                self.handle(Fact::Step(Step { assistant: is_on(assistant), text: is_on(text), rows }));
            }
            FactRow::Heard { on } => {
                self.handle(Fact::Heard(is_on(on)));
            }
            FactRow::Hydrate { on } => {
                self.handle(Fact::Hydrate(is_on(on)));
            }
            FactRow::Ask {} => self.ask(),
            FactRow::Missed {} => {
                self.handle(Fact::Missed);
            }
            FactRow::Repair { part, call, flags, approval, scope } => {
                let (scope, found) = (Scope::from_code(code(scope)), self.call_of(part, call, flags));
                self.repair(found, string(approval), scope.unwrap_or(Scope::Wire));
            }
            FactRow::Annotate { .. }
            | FactRow::EvaluateRule { .. }
            | FactRow::Fingerprint { .. }
            | FactRow::ForgetFingerprints {}
            | FactRow::Match { .. }
            | FactRow::Restore { .. }
            | FactRow::RestoreSends { .. }
            | FactRow::RestoreGrant { .. } => self.knowledge(row),
            FactRow::GrantKey { fields, fingerprint } => {
                self.grant_keys.push((string(fields), fingerprint as u32));
            }
            FactRow::Granted { tool, server } => {
                self.handle(Fact::Look);
                let tool = Tool { name: string(tool), server: string(server) };
                let keys = std::mem::take(&mut self.grant_keys);
                let grant = self.guard.granted(tool, &keys).unwrap_or_default();
                EffectRow::Granted { grant: grant.into() }.write(self.out);
            }
            FactRow::Decide { .. }
            | FactRow::Undo { .. }
            | FactRow::UndoAll {}
            | FactRow::Commit { .. }
            | FactRow::Extend { .. }
            | FactRow::Unmask { .. }
            | FactRow::Revoke { .. }
            | FactRow::RevokeAll {} => self.act(row),
            FactRow::Wake { sending } => {
                // The event loop has turned since the last question.
                self.handle(Fact::LeaseOver { sending: is_on(sending) });
                self.handle(Fact::Wake);
                for call in self.guard.timed_out() {
                    EffectRow::TimedOut { call: call_number(Some(call)) }.write(self.out);
                }
            }
            FactRow::Leave {} => {
                self.handle(Fact::Leave);
            }
            FactRow::ListedMessage { .. }
            | FactRow::ListedPart { .. }
            | FactRow::Carried { .. }
            | FactRow::Adopt {}
            | FactRow::Unsent {}
            | FactRow::Lacking { .. }
            | FactRow::Begun { .. } => self.list(row),
            _ => self.request(row),
        }
    }

    fn about(&mut self, call: Option<CallId>, fact: impl Fn(CallId) -> Fact) {
        if let Some(call) = call {
            self.handle(fact(call));
        }
    }

    fn part(&mut self, row: FactRow) {
        let FactRow::Part {
            known,
            source,
            message,
            index,
            turn,
            step,
            occurrence,
            tool,
            server,
            id,
            approval,
            flags,
            input_low,
            input_high,
            output_low,
            output_high,
        } = row
        else {
            return;
        };
        let flags = PartFlags::from_code(flags as u32);
        let part = PartFacts {
            place: Place {
                message: string(message),
                index: index as u32,
                turn: turn as u32,
                step: step as u32,
                occurrence: occurrence as u32,
            },
            tool: string(tool),
            server: string(server),
            id: string(id),
            approval: string(approval),
            flags,
            input: digest(input_low, input_high),
            output: digest(output_low, output_high),
        };
        let source = Source::from_code(code(source)).unwrap_or(Source::Older);
        if source == Source::Server {
            self.adopted.push(part);
            return;
        }
        let current = source == Source::Newest;
        let effects = self.handle(Fact::Part { known: call_from(known), part, current });
        self.parts.push(effects.call.map(|call| (call, flags)));
        self.seen(&effects);
    }

    fn seen(&mut self, effects: &Effects) {
        let call = effects.call;
        let watched = call.is_some_and(|call| self.guard.watches(call));
        let approval = call.and_then(|call| self.guard.state().calls.get(call)).map(|call| call.approval());
        EffectRow::Seen {
            call: call_number(call),
            watched: flag(watched),
            approval: approval.unwrap_or_default().into(),
            keeps: f64::from(effects.keeps as u8),
            kept_output: f64::from(effects.kept_output as u8),
        }
        .write(self.out);
    }

    /// Answers the SDK's question, unless a part is not in its old place: then the whole list has to be read
    /// first.
    fn ask(&mut self) {
        if self.guard.drifts() {
            return;
        }
        let effects = self.handle(Fact::Ask);
        if let Some(reason) = effects.reason {
            EffectRow::Verdict { reason: f64::from(reason as u8) }.write(self.out);
        }
        self.verdict = effects.reason;
    }

    fn repair(&mut self, found: Option<(CallId, PartFlags)>, approval: StringId, scope: Scope) {
        let question = self.repairs;
        self.repairs += 1;
        let Some((call, flags)) = found else { return };
        let Needed { repair, cause, keeps_shown_denial } = self.guard.repair(call, flags, approval, scope);
        // Most parts need none.
        if repair == Repair::Keep {
            return;
        }
        EffectRow::Repair {
            question: f64::from(question),
            repair: f64::from(repair as u8),
            cause: optional(cause.map(|cause| f64::from(cause as u8))),
            keeps_shown_denial: flag(keeps_shown_denial),
        }
        .write(self.out);
    }

    /// Handles what the application, its rules and its record say about a call.
    fn knowledge(&mut self, row: FactRow) {
        match row {
            FactRow::Annotate { part, call, dangerous, lifetime } => {
                let Some(call) = self.call(part, call) else { return };
                let fact = Fact::Annotate { call, dangerous: is_on(dangerous), lifetime: wait(lifetime) };
                self.handle(fact);
            }
            FactRow::EvaluateRule { part, call, effect, always, rule } => {
                let Some(call) = self.call(part, call) else { return };
                let ruling = Ruling::read(Effect::from_code(code(effect)), is_on(always), string(rule));
                self.handle(Fact::EvaluateRule { call, ruling });
            }
            FactRow::Fingerprint { part, call, fields, fingerprint } => {
                let Some(call) = self.call(part, call) else { return };
                self.handle(Fact::Fingerprint {
                    call,
                    fields: string(fields),
                    fingerprint: fingerprint as u32,
                });
            }
            FactRow::ForgetFingerprints {} => {
                self.handle(Fact::ForgetFingerprints);
            }
            FactRow::Match { part, call } => {
                let Some(call) = self.call(part, call) else { return };
                self.handle(Fact::Match(call));
            }
            FactRow::Restore { .. } => self.restore(row),
            FactRow::RestoreSends { sends } => {
                self.handle(Fact::RestoreSends(sends as u32));
            }
            FactRow::RestoreGrant { tool, server, approved, fields, fingerprint, lifetime } => {
                let cover = match covers(fields) {
                    Covers::Tool => Cover::Tool,
                    Covers::Fields(fields) => Cover::Fields(fields, fingerprint as u32),
                };
                let tool = Tool { name: string(tool), server: string(server) };
                let (approved, lifetime) = (is_on(approved), duration(lifetime));
                self.handle(Fact::RestoreGrant { tool, approved, cover, lifetime });
            }
            _ => {}
        }
    }

    fn restore(&mut self, row: FactRow) {
        let FactRow::Restore {
            part,
            call,
            approval,
            approved,
            actor,
            reach,
            draft,
            settled,
            same_input,
            taken_back,
            found,
            elsewhere,
            asked_at,
            deadline,
            latest,
            candidates,
            user,
        } = row
        else {
            return;
        };
        let call = self.call(part, call);
        let known = Known {
            approval: string(approval),
            answer: KnownAnswer::of(yes_or_no(approved), is_on(draft)),
            actor: Actor::from_code(code(actor)).unwrap_or(Actor::History),
            reach: Reach::from_code(code(reach)).unwrap_or(Reach::Sent),
            settled: is_on(settled),
            same_input: is_on(same_input),
            taken_back: is_on(taken_back),
            found: is_on(found),
            elsewhere: is_on(elsewhere),
            asked_at: duration(asked_at),
            deadline: duration(deadline),
            latest: duration(latest),
            candidates: candidates as u32,
            user: string(user),
        };
        let effects = call.map(|call| self.handle(Fact::Restore { call, known })).unwrap_or_default();
        self.seen(&effects);
    }

    /// Handles what leaves, and what the server has of it.
    fn list(&mut self, row: FactRow) {
        match row {
            FactRow::ListedMessage { message, assistant, content_low, content_high } => {
                self.listed.push(Listed {
                    message: string(message),
                    assistant: is_on(assistant),
                    content: digest(content_low, content_high),
                    parts: Vec::new(),
                });
            }
            FactRow::ListedPart { call, flags, output_low, output_high } => {
                let Some(listed) = self.listed.last_mut() else { return };
                let flags = PartFlags::from_code(flags as u32);
                listed.parts.push((call_from(call), flags, digest(output_low, output_high)));
            }
            FactRow::Carried { request } => {
                let list = std::mem::take(&mut self.listed);
                self.handle(Fact::Carried { request: (request as u32).into(), list });
            }
            FactRow::Adopt {} => {
                let messages = std::mem::take(&mut self.listed);
                let messages = messages.iter().map(|listed| (listed.message, listed.content)).collect();
                let parts = std::mem::take(&mut self.adopted);
                self.handle(Fact::Adopt { messages, parts });
            }
            FactRow::Unsent {} => {
                let list = std::mem::take(&mut self.listed);
                for News { index, call } in self.guard.news(&list) {
                    EffectRow::News { index: index as f64, call: call_number(call) }.write(self.out);
                }
                EffectRow::Unsent { from: self.guard.unsent_from(&list) as f64 }.write(self.out);
            }
            FactRow::Lacking { request, message, call } => {
                let (request, message) = ((request as u32).into(), string(message));
                self.handle(Fact::Lacking { request, message, call: call_from(call) });
            }
            FactRow::Begun { request, message } => {
                self.handle(Fact::Begun { request: (request as u32).into(), message: string(message) });
            }
            _ => {}
        }
    }

    /// Handles requests and responses.
    fn request(&mut self, row: FactRow) {
        match row {
            FactRow::Leaving { signal, last, length, target, queues } => {
                let [signal, last, length] = [signal, last, length].map(|number| number as u32);
                let target = Target::from_code(code(target)).unwrap_or(Target::None);
                let attempt = Attempt { signal, last, length, target };
                let effects = self.handle(Fact::Leaving { attempt, queues: is_on(queues) });
                EffectRow::Leaving { overtaken: flag(effects.overtaken) }.write(self.out);
            }
            FactRow::Waited { continues, promised, latest } => {
                let latest = (latest as u32).into();
                let waited = Waited { continues: is_on(continues), promised: is_on(promised), latest };
                EffectRow::Leaving { overtaken: flag(self.guard.is_taken(waited)) }.write(self.out);
            }
            FactRow::Send { chat, trigger, continues } => {
                let trigger = Trigger::from_code(code(trigger)).unwrap_or(Trigger::Submit);
                let person = trigger.is_act_of_person(is_on(continues));
                let effects = self.handle(Fact::Send { chat: string(chat), person });
                let (request, person) = (effects.request.into(), flag(person));
                EffectRow::Request { request, person, held: flag(effects.held) }.write(self.out);
            }
            FactRow::Started { request } => {
                self.handle(Fact::Started((request as u32).into()));
            }
            FactRow::Ended { request } => {
                self.handle(Fact::Ended((request as u32).into()));
            }
            FactRow::Failed { request, asked, status } => {
                let failure = Failure::of(is_on(asked), status);
                self.handle(Fact::Failed { request: (request as u32).into(), failure });
            }
            FactRow::Chunk {
                request,
                kind,
                tool,
                id,
                approval,
                approved,
                output_low,
                output_high,
                preliminary,
            } => {
                let Some(kind) = Chunk::from_code(code(kind)) else { return };
                let said = Said {
                    tool: string(tool),
                    approval: string(approval),
                    approved: yes_or_no(approved),
                    output: digest(output_low, output_high),
                    preliminary: is_on(preliminary),
                };
                self.handle(Fact::Chunk { request: (request as u32).into(), kind, id: string(id), said });
            }
            FactRow::Decided { approval, approved } => {
                let fact = Fact::Decided { approval: string(approval), approved: is_on(approved) };
                let effects = self.handle(fact);
                let call = effects.call.filter(|_| effects.problems.is_empty());
                EffectRow::Answered { call: call_number(call) }.write(self.out);
            }
            FactRow::Look {} => {
                self.handle(Fact::Look);
            }
            FactRow::PageOutput { id, output_low, output_high } => {
                self.handle(Fact::PageOutput { id: string(id), output: digest(output_low, output_high) });
            }
            FactRow::Stopped {} => {
                self.handle(Fact::Stopped);
            }
            FactRow::Permit { permit } => {
                let permit = Permit::from_code(code(permit)).map(Fact::Permit);
                let permitted = permit.and_then(|permit| self.handle(permit).permitted);
                let (way, call) = match permitted.unwrap_or(Permitted::Nothing) {
                    Permitted::Nothing => (Way::Nothing, None),
                    Permitted::Waiting => (Way::Waiting, None),
                    Permitted::Continue => (Way::Continue, None),
                    Permitted::Rewrite(call) => (Way::Rewrite, Some(call)),
                };
                EffectRow::Permitted { way: f64::from(way as u8), call: call_number(call) }.write(self.out);
            }
            FactRow::PermitOver {} => {
                self.handle(Fact::PermitOver);
            }
            _ => {}
        }
    }

    /// Handles acts of a person, and the passing of time.
    fn act(&mut self, row: FactRow) {
        match row {
            FactRow::Decide {
                call,
                id,
                choice,
                fields,
                lifetime,
                program,
                shown,
                shown_call,
                shown_low,
                shown_high,
                shown_server,
            } => {
                let Some(choice) = Choice::from_code(code(choice)) else { return };
                let (input, server) = (digest(shown_low, shown_high), string(shown_server));
                let shown = is_on(shown).then(|| Shown { call: call_from(shown_call), input, server });
                let named = Named { shown, ..named(call, id) };
                let (covers, lifetime, program) = (covers(fields), duration(lifetime), string(program));
                let decide = |call| Fact::Decide { call, choice, covers, lifetime, program };
                self.act_on(named, choice.allows(), program, decide, |effects| &effects.calls);
            }
            FactRow::Undo { call, id, more } => self.undo(named(call, id), is_on(more)),
            FactRow::UndoAll {} => {
                let effects = self.handle(Fact::UndoAll);
                self.taken(&effects, None, &effects.undone);
            }
            FactRow::Commit { cause, attached, trial } => {
                let cause = CommitCause::from_code(code(cause)).unwrap_or(CommitCause::Time);
                self.commit(cause, is_on(attached), is_on(trial));
            }
            FactRow::Extend { call, id } => {
                self.act_on(named(call, id), false, StringId::NONE, Fact::Extend, |_| &[])
            }
            FactRow::Unmask { call, id } => {
                self.act_on(named(call, id), false, StringId::NONE, Fact::Unmask, |_| &[])
            }
            FactRow::Revoke { grant, elsewhere } => {
                let actor = if is_on(elsewhere) { Actor::Tab } else { Actor::Person };
                let effects = self.handle(Fact::Revoke((grant as u32).into(), actor));
                self.taken(&effects, None, &effects.undone);
            }
            FactRow::RevokeAll {} => {
                let effects = self.handle(Fact::RevokeAll);
                self.taken(&effects, None, &effects.undone);
            }
            _ => {}
        }
    }

    /// Undoes the drafts of the calls that the page names together, once it has named the last one.
    fn undo(&mut self, call: Named, is_more: bool) {
        let found = match self.guard.named(call) {
            Ok(call) => {
                self.undone.push(call);
                Some(call)
            }
            Err((call, refusal)) => {
                self.handle(Fact::Refused { call, approved: false, program: StringId::NONE });
                self.refusal = Some(refusal);
                call
            }
        };
        if is_more {
            return;
        }
        let refusal = self.refusal.take().filter(|_| self.undone.is_empty());
        let calls = std::mem::take(&mut self.undone);
        let mut effects = self.handle(Fact::Undo(calls));
        effects.taken = refusal.map_or(effects.taken, Taken::Refused);
        self.taken(&effects, found, &effects.undone);
    }

    fn act_on(
        &mut self,
        named: Named,
        allows: bool,
        program: StringId,
        fact: impl Fn(CallId) -> Fact,
        changed: impl Fn(&Effects) -> &[CallId],
    ) {
        match self.guard.named(named) {
            Ok(call) => {
                let effects = self.handle(fact(call));
                self.taken(&effects, Some(call), changed(&effects));
            }
            Err((call, refusal)) => {
                let mut effects = self.handle(Fact::Refused { call, approved: allows, program });
                effects.taken = Taken::Refused(refusal);
                self.taken(&effects, call, &[]);
            }
        }
    }

    fn commit(&mut self, cause: CommitCause, attached: bool, trial: bool) {
        let due = cause != CommitCause::Person;
        // If a call of the batch may be gone, the batch is not known.
        let waits = self.guard.drifts() || self.guard.waits_for_chat(cause, attached);
        let effects = if matches!(cause, CommitCause::Attached | CommitCause::Stored) {
            Effects { calls: self.guard.unwritten(cause), ..Effects::default() }
        } else if waits {
            Effects { taken: Taken::Waiting, ..Effects::default() }
        } else if trial {
            self.handle(Fact::Wake);
            Effects { taken: self.guard.due(due, attached), ..Effects::default() }
        } else {
            self.handle(Fact::Commit { due, attached })
        };
        self.taken(&effects, None, &effects.calls);
    }

    fn taken(&mut self, effects: &Effects, call: Option<CallId>, changed: &[CallId]) {
        let (taken, refusal) = taken_code(effects.taken);
        EffectRow::Taken {
            taken: f64::from(taken as u8),
            refusal: optional(refusal.map(|refusal| f64::from(refusal as u8))),
            grant: effects.grant.into(),
            call: call_number(call),
        }
        .write(self.out);
        for &id in changed {
            let call = self.guard.state().calls.get(id);
            let cause = call.and_then(crate::core::repair::cause);
            EffectRow::Changed {
                call: call_number(Some(id)),
                approved: flag(call.is_some_and(|call| call.allowed())),
                cause: optional(cause.map(|cause| f64::from(cause as u8))),
            }
            .write(self.out);
        }
    }
}

fn named(call: f64, id: f64) -> Named {
    Named { call: call_from(call), id: string(id), shown: None }
}

fn taken_code(taken: Taken) -> (TakenCode, Option<Refusal>) {
    match taken {
        Taken::Done => (TakenCode::Done, None),
        Taken::LateDenial => (TakenCode::LateDenial, None),
        Taken::Waiting => (TakenCode::Waiting, None),
        Taken::Responding => (TakenCode::Responding, None),
        Taken::Nothing => (TakenCode::Nothing, None),
        Taken::Refused(refusal) => (TakenCode::Refused, Some(refusal)),
    }
}
