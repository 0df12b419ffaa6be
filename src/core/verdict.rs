//! The verdict: whether the chat may submit now, and why.

use super::call::{Call, Delivery, PartFlags};
use super::decision::{Actor, Author, Decision};
use super::id::{CallId, RequestId, StringId};
use super::policy::{Policy, SendOn, WhenAllDenied};
use super::projection::State;
use super::protocol::ToolState;

vocabulary! {
    /// The reason why the chat may, or may not, submit by itself.
    Reason {
        /// Yes: an approval was answered.
        Answered = "answered",
        /// Yes: the page wrote an output.
        Output = "output",
        /// Yes: a person asked to send a failed step again.
        Retry = "retry",
        /// Yes: a person asked to send what was answered before a reload.
        Resume = "resume",
        /// The last message is not from the assistant.
        NoAssistantMessage = "no-assistant-message",
        /// The last step has no tool call.
        NoToolCall = "no-tool-call",
        /// A call of the last step is open.
        Waiting = "waiting",
        /// Nothing was answered in this page, and the page wrote no output.
        NothingNew = "nothing-new",
        /// The step was already sent.
        AlreadySent = "already-sent",
        /// The predicate already said yes in this tick of the event loop.
        AskedTwice = "asked-twice",
        /// The model has written text after the call.
        AnsweredInText = "answered-in-text",
        /// The request that carried the step failed, or its response broke off before anything was sent.
        Failed = "failed",
        /// The request that carried the step broke off; a call may have run.
        InDoubt = "in-doubt",
        /// The step was answered before this page saw it.
        History = "history",
        /// The user stopped the chat.
        Stopped = "stopped",
        /// Everything was denied, and the option `whenAllDenied` says to wait.
        AllDenied = "all-denied",
        /// `sendOn` leaves out news of this kind.
        NotInSendOn = "not-in-send-on",
        /// There were too many automatic sends since a person acted.
        Limit = "limit",
    }
}

impl Reason {
    /// Whether the chat may submit.
    pub fn sends(self) -> bool {
        matches!(self, Self::Answered | Self::Output | Self::Retry | Self::Resume)
    }
}

vocabulary! {
    /// The need of an open call.
    Need {
        /// An answer of a person.
        Approval = "approval",
        /// Its output.
        Output = "output",
        /// The rest of its input.
        Input = "input",
        /// The end of its response, which may still ask.
        Response = "response",
        /// An answer that is exactly `true` or `false`.
        ValidAnswer = "valid-answer",
        /// A state that this version knows.
        KnownState = "known-state",
        /// The commit of its decision.
        Commit = "commit",
        /// Its output, from the page that has answered it.
        Elsewhere = "elsewhere",
    }
}

row! {
    /// The step that would be sent: the parts of the last message after its last `step-start`.
    #[derive(Clone, Debug, Default)]
    pub struct Step {
        /// Whether the last message is from the assistant.
        pub assistant: bool,
        /// The id of that message, or 0.
        pub message: StringId,
        /// Whether text that is not blank follows the last tool call.
        pub text: bool,
        /// Its tool calls.
        pub rows: Vec<(CallId, PartFlags)>,
    }
}

impl Policy {
    /// Whether a call that still needs this does not hold back the answer of another one.
    pub fn passes_over(&self, need: Need) -> bool {
        self.send_each && matches!(need, Need::Approval | Need::Commit)
    }

    /// Whether an answer is sent by itself if nothing else is new.
    pub fn sends_answer(&self, approved: bool) -> bool {
        self.send_on != SendOn::Outputs && (approved || self.when_all_denied == WhenAllDenied::Send)
    }
}

vocabulary! {
    /// The send that a person asks for.
    Permit {
        /// A failed step, again.
        Retry = "retry",
        /// Answers that were given before a reload.
        Resume = "resume",
    }
}

/// The need of an open call of the step; `None` when it is settled. `client`: whether the page runs its
/// tool. A draft is no answer: the call needs its commit. Only a verdict before which the drafts are committed takes
/// each one as the answer that it will be ([`Situation::commits`]).
///
/// Law 1: an approval that is not exactly `true` or `false` is open, and so is an unknown state. A
/// provider-executed call without an approval does not hold the others back.
pub fn need(call: &Call, flags: PartFlags, client: bool) -> Option<Need> {
    // No request carries an answer beside an input that is not complete: an older list shows the call as it was before its
    // question.
    let is_complete = flags.state != ToolState::InputStreaming;
    let waits_for_input = !is_complete && call.fresh_answer();
    if (call.denied() && !waits_for_input) || call.superseded() {
        return None;
    }
    // Only one page runs it.
    let output = Some(if call.elsewhere() { Need::Elsewhere } else { Need::Output });
    if call.asking() && is_complete {
        if call.draft().is_some() {
            return Some(Need::Commit);
        }
        if flags.state != ToolState::ApprovalResponded {
            return Some(Need::Approval);
        }
    }
    match flags.state {
        ToolState::ApprovalRequested | ToolState::ApprovalResponded => {
            if !call.allowed() {
                let known = call.answer_invalidated() || flags.state == ToolState::ApprovalRequested;
                return Some(if known { Need::Approval } else { Need::ValidAnswer });
            }
            output.filter(|_| client)
        }
        // What the page has written over the question is no output.
        ToolState::OutputAvailable | ToolState::OutputError
            if call.allowed_without_output() && !call.unseen() && !flags.preliminary =>
        {
            output.filter(|_| client)
        }
        ToolState::OutputError | ToolState::OutputDenied => None,
        // An output that a broken response has begun never ends, and a retry leaves without it.
        ToolState::OutputAvailable if !flags.preliminary || call.unclear() => None,
        ToolState::Unknown => Some(Need::KnownState),
        _ if flags.provider && !call.asked() => None,
        ToolState::InputStreaming => Some(Need::Input),
        // The part has lost its question and with it the answer, but the call is allowed.
        ToolState::InputAvailable if call.lost() && call.allowed() => output.filter(|_| client),
        _ => output,
    }
}

/// Earlier verdicts, and what a person asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Situation {
    /// The send that a person asked for.
    pub permit: Option<Permit>,
    /// Whether the predicate already said yes in this tick of the event loop.
    pub lease: bool,
    /// The number of times that the predicate said yes since a person acted, without a request through the guard's
    /// transport.
    pub unclaimed: u32,
    /// Whether the drafts are committed before the chat is answered, because it is time.
    pub commits: bool,
    /// Whether a response is running that may still ask about the step.
    pub may_ask: bool,
    /// Whether what is new waits for a person, because its response broke off.
    pub broken: bool,
}

/// A call of the step, with what its life does not say.
#[derive(Clone, Copy, Debug)]
pub struct StepCall<'a> {
    /// The call.
    pub call: &'a Call,
    /// Its part.
    pub flags: PartFlags,
    /// Whether the page runs its tool.
    pub is_client: bool,
    /// Whether the model has already answered its output in text.
    pub in_text: bool,
    /// Whether its part shows an output that no request has carried.
    pub shows_new: bool,
}

/// The verdict on a step with these calls.
pub fn judge<'a>(
    policy: &Policy,
    state: &State,
    step: &Step,
    calls: impl Iterator<Item = StepCall<'a>>,
    situation: Situation,
) -> Reason {
    let (reason, acts) = step_reason(policy, state, step, calls, situation);
    // The sends go through another transport than the guard's, so nothing else would end a loop.
    let loops = state.last_request.is_none() && situation.unclaimed >= policy.max_automatic_sends && !acts;
    match reason {
        reason if !reason.sends() => reason,
        _ if situation.may_ask => Reason::Waiting,
        _ if loops && situation.permit.is_none() => Reason::Limit,
        _ if situation.lease => Reason::AskedTwice,
        reason => reason,
    }
}

/// The reason of a step, and whether a person acts by the commit that comes before it.
fn step_reason<'a>(
    policy: &Policy,
    state: &State,
    step: &Step,
    calls: impl Iterator<Item = StepCall<'a>>,
    situation: Situation,
) -> (Reason, bool) {
    if !step.assistant {
        return (Reason::NoAssistantMessage, false);
    }
    if step.rows.is_empty() && situation.permit.is_none() {
        return (Reason::NoToolCall, false);
    }
    let mut news = StepNews::default();
    for it in calls {
        let StepCall { call, flags, is_client, .. } = it;
        let is_complete = flags.state != ToolState::InputStreaming;
        match call.draft().filter(|_| situation.commits && is_complete) {
            Some(draft) if !(draft.decision.approved && is_client) => news.take_draft(draft.decision),
            Some(_) => return (Reason::Waiting, false),
            None => match need(call, flags, is_client) {
                None => news.take(it, &state.running),
                Some(need) if policy.passes_over(need) => news.waits = true,
                Some(_) => return (Reason::Waiting, false),
            },
        }
    }
    let reason = match situation.permit {
        Some(Permit::Retry) => Reason::Retry,
        Some(Permit::Resume) => Reason::Resume,
        None => news.reason_beside_others(policy, state, situation.broken),
    };
    (reason, news.basis == Basis::Act)
}

/// The answers of a step that no request has carried. A later one outweighs an earlier one, here and below.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Answers {
    #[default]
    None,
    Denials,
    /// At least one.
    Allowance,
}

/// The outputs of a step that no request has carried.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Outputs {
    #[default]
    None,
    Unanswered,
    /// The model has answered at least one of them.
    InText,
}

/// The basis on which a step is news.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Basis {
    #[default]
    None,
    /// An allowance without a result that only the messages show. If its step was settled, an earlier page may have sent it.
    SeenOnly,
    /// Something is new that the step has waited for.
    Awaited,
    /// The commit that comes before it is an act of a person.
    Act,
}

/// The allowances of a step that were sent and have no result here.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Sent {
    #[default]
    None,
    /// An automatic send could run the call again (law 16).
    Out,
    /// Nobody knows whether the call has run.
    Unclear,
}

/// The fate of the requests that have carried a step.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Past {
    #[default]
    None,
    Carried,
    Failed,
    Doubt,
}

/// The news of a step, and its past.
#[derive(Default)]
struct StepNews {
    answers: Answers,
    outputs: Outputs,
    basis: Basis,
    sent: Sent,
    past: Past,
    /// A call was answered, or has got its output, before this page.
    history: bool,
    /// Another tab has claimed to send the step.
    elsewhere: bool,
    /// A call of the step still waits for its answer.
    waits: bool,
}

impl StepNews {
    /// Takes a draft as the answer that it will be.
    fn take_draft(&mut self, decision: Decision) {
        self.answered(decision.approved);
        let by_person = decision.actor == Actor::Person;
        self.basis = self.basis.max(if by_person { Basis::Act } else { Basis::Awaited });
    }

    fn answered(&mut self, approved: bool) {
        self.answers = self.answers.max(if approved { Answers::Allowance } else { Answers::Denials });
    }

    fn take(&mut self, it: StepCall, running: &[RequestId]) {
        let StepCall { call, flags, is_client, in_text, shows_new } = it;
        if call.fresh_answer() {
            self.answered(call.allowed());
        }
        if shows_new {
            let in_text = in_text && !flags.provider;
            self.outputs = self.outputs.max(if in_text { Outputs::InText } else { Outputs::Unanswered });
        }
        // Nothing has waited for an output over an allowed call that the server runs, or over another output.
        let awaited = shows_new && call.awaits_output() && (is_client || !call.allowed());
        if call.fresh_answer() || awaited {
            self.basis = self.basis.max(Basis::Awaited);
        } else if call.is_seen_only() {
            self.basis = self.basis.max(Basis::SeenOnly);
        }
        // The server has allowed it, and its response has ended without the result.
        if call.unclear() || (call.allowed_by_server() && !flags.provider) {
            self.sent = Sent::Unclear;
        } else if call.is_out() && !flags.provider {
            // A provider takes an answer once, however often the list has it.
            self.sent = self.sent.max(Sent::Out);
        }
        self.elsewhere |= call.sent_elsewhere();
        self.past = self.past.max(match call.delivery() {
            // A settled denial does not fail with its request.
            Delivery::Sent(request) if !running.contains(&request) => Past::None,
            Delivery::Sent(_) | Delivery::Delivered(_) | Delivery::Arrived => Past::Carried,
            // `retry()` would not send it: the text behind it is about it.
            Delivery::Failed | Delivery::Doubt if in_text && call.output().is_some() => Past::None,
            Delivery::Failed => Past::Failed,
            // Only a call that may have run is in doubt; an output is only sent again.
            Delivery::Doubt if call.allowed_without_output() => Past::Doubt,
            Delivery::Doubt => Past::Failed,
            Delivery::History | Delivery::Idle | Delivery::Unsent => Past::None,
        });
        // An answer that another tab has not sent yet is news there.
        self.history |= call.delivery() == Delivery::History
            && !call.elsewhere()
            && (call.decision().is_some() || call.output() == Some(Author::History));
    }

    /// The reason if each answer is sent by itself: only an answer leaves while other calls wait for theirs.
    fn reason_beside_others(&self, policy: &Policy, state: &State, broken: bool) -> Reason {
        let reason = self.reason(policy, state, broken);
        let says_nothing = match reason {
            // After a stop, too, only an answer would leave.
            Reason::Stopped => self.answers == Answers::None,
            Reason::Output
            | Reason::NothingNew
            | Reason::AlreadySent
            | Reason::AnsweredInText
            | Reason::History
            | Reason::NotInSendOn => true,
            _ => false,
        };
        if self.waits && says_nothing { Reason::Waiting } else { reason }
    }

    fn reason(&self, policy: &Policy, state: &State, broken: bool) -> Reason {
        let answers = self.answers != Answers::None && policy.send_on != SendOn::Outputs;
        let outputs = self.outputs != Outputs::None && policy.send_on != SendOn::Approvals;
        let acts = self.basis == Basis::Act;
        if self.elsewhere || (self.answers == Answers::None && self.outputs == Outputs::None) {
            return self.nothing_new();
        }
        if state.stopped && !acts {
            return Reason::Stopped;
        }
        if self.sent == Sent::Unclear {
            return Reason::InDoubt;
        }
        if self.basis == Basis::SeenOnly {
            return Reason::History;
        }
        // If each answer is sent by itself, the list carries the others along.
        if self.sent == Sent::Out && !policy.send_each {
            return Reason::AlreadySent;
        }
        if broken && !acts {
            return Reason::Failed;
        }
        if !answers && !outputs {
            return Reason::NotInSendOn;
        }
        if !answers && self.outputs == Outputs::InText {
            return Reason::AnsweredInText;
        }
        let only_denials = self.answers == Answers::Denials && self.outputs == Outputs::None;
        if only_denials && !policy.sends_answer(false) {
            return Reason::AllDenied;
        }
        if state.automatic >= policy.max_automatic_sends && !acts {
            return Reason::Limit;
        }
        if answers { Reason::Answered } else { Reason::Output }
    }

    fn nothing_new(&self) -> Reason {
        match self.past {
            Past::Doubt => Reason::InDoubt,
            _ if self.sent == Sent::Unclear && self.history => Reason::InDoubt,
            Past::Failed => Reason::Failed,
            Past::Carried => Reason::AlreadySent,
            Past::None if self.history => Reason::History,
            Past::None => Reason::NothingNew,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::call::Answer;
    use crate::core::call::samples::{asking, changed, decided, drafted, plain, put_out};
    use crate::core::event::{Event, EventKind};
    use ToolState::*;

    fn policy() -> Policy {
        Policy { max_automatic_sends: 2, ..Policy::default() }
    }

    fn flags(state: ToolState) -> PartFlags {
        PartFlags {
            state,
            answer: Answer::Absent,
            provider: false,
            preliminary: false,
            residue: false,
            by_guard: false,
        }
    }

    fn judged_in(
        situation: Situation,
        (policy, state): (Policy, State),
        in_text: bool,
        calls: &[(Call, ToolState)],
    ) -> Reason {
        let rows = (0..).zip(calls).map(|(id, &(_, state))| (CallId(id), flags(state))).collect();
        let step = Step { assistant: true, text: in_text, rows, ..Step::default() };
        let calls = calls.iter().map(|(call, state)| StepCall {
            call,
            flags: flags(*state),
            is_client: false,
            in_text,
            shows_new: call.fresh_output(),
        });
        judge(&policy, &state, &step, calls, situation)
    }

    fn judged(policy: Policy, state: State, text: bool, calls: &[(Call, ToolState)]) -> Reason {
        judged_in(Situation::default(), (policy, state), text, calls)
    }

    #[test]
    fn what_an_open_call_waits_for() {
        let provider = PartFlags { provider: true, ..flags(InputAvailable) };
        let preliminary = PartFlags { preliminary: true, ..flags(OutputAvailable) };
        let allowed = decided(true, Delivery::Unsent);
        let answer_invalidated = changed(asking(), &[Event::on(CallId(0), EventKind::Voided, Actor::Server)]);
        let elsewhere = |delivery| {
            let decision = Decision::new(true, Actor::Tab);
            changed(asking(), &[Event::restored(CallId(0), EventKind::Elsewhere, decision, delivery, false)])
        };
        let table = [
            (elsewhere(Delivery::History), flags(ApprovalRequested), true, Some(Need::Elsewhere)),
            (elsewhere(Delivery::Idle), flags(ApprovalResponded), true, Some(Need::Elsewhere)),
            (elsewhere(Delivery::History), flags(ApprovalRequested), false, None),
            (elsewhere(Delivery::Idle), flags(OutputAvailable), true, None),
            (asking(), flags(ApprovalRequested), false, Some(Need::Approval)),
            (asking(), flags(InputStreaming), false, Some(Need::Input)),
            (asking(), flags(OutputAvailable), false, Some(Need::Approval)),
            (asking(), flags(ApprovalResponded), false, Some(Need::ValidAnswer)),
            (answer_invalidated, flags(ApprovalResponded), false, Some(Need::Approval)),
            (allowed, flags(ApprovalResponded), false, None),
            (allowed, flags(ApprovalResponded), true, Some(Need::Output)),
            (allowed, flags(OutputAvailable), true, Some(Need::Output)),
            (allowed, flags(OutputAvailable), false, None),
            (decided(false, Delivery::Unsent), flags(ApprovalResponded), true, None),
            (decided(false, Delivery::Unsent), flags(Unknown), false, None),
            (decided(false, Delivery::Unsent), flags(InputStreaming), false, Some(Need::Input)),
            (decided(false, Delivery::Delivered(RequestId(1))), flags(InputStreaming), false, None),
            (drafted(false, Actor::Timer, 10), flags(InputStreaming), false, Some(Need::Input)),
            (drafted(false, Actor::Timer, 10), flags(ApprovalRequested), false, Some(Need::Commit)),
            (plain(), flags(InputStreaming), false, Some(Need::Input)),
            (plain(), flags(InputAvailable), false, Some(Need::Output)),
            (plain(), flags(Unknown), false, Some(Need::KnownState)),
            (plain(), preliminary, false, Some(Need::Output)),
            (decided(true, Delivery::Delivered(RequestId(1))), preliminary, false, Some(Need::Output)),
            (decided(true, Delivery::Doubt), preliminary, false, None),
            (plain(), provider, false, None),
            (asking(), provider, false, Some(Need::Approval)),
            (plain(), flags(OutputAvailable), false, None),
            (plain(), flags(OutputError), false, None),
            (plain(), flags(OutputDenied), false, None),
        ];
        for (call, flags, client, expected) in table {
            assert_eq!(need(&call, flags, client), expected, "{call:?} {flags:?} {client}");
        }
    }

    #[test]
    fn a_request_has_failed_only_if_something_of_it_can_be_sent_again() {
        let failed = |output| [(put_out(output), OutputAvailable)];
        for (in_text, reason) in [(false, Reason::Failed), (true, Reason::NothingNew)] {
            assert_eq!(judged(policy(), State::default(), in_text, &failed(Delivery::Failed)), reason);
        }
    }

    #[test]
    fn a_settled_step_with_news_sends_once() {
        let sent = Delivery::Sent(RequestId(1));
        let table: &[(&[(Call, ToolState)], Reason)] = &[
            (&[], Reason::NoToolCall),
            (&[(decided(true, Delivery::Unsent), ApprovalResponded)], Reason::Answered),
            (&[(decided(false, Delivery::Unsent), ApprovalResponded)], Reason::Answered),
            (&[(put_out(Delivery::Unsent), OutputAvailable)], Reason::Output),
            (&[(put_out(Delivery::Unsent), OutputAvailable), (asking(), ApprovalRequested)], Reason::Waiting),
            (&[(decided(true, sent), ApprovalResponded)], Reason::AlreadySent),
            (&[(decided(true, Delivery::Delivered(RequestId(1))), ApprovalResponded)], Reason::AlreadySent),
            (&[(decided(false, Delivery::Sent(RequestId(2))), ApprovalResponded)], Reason::NothingNew),
            (&[(decided(true, Delivery::Failed), ApprovalResponded)], Reason::Failed),
            (&[(decided(true, Delivery::Doubt), ApprovalResponded)], Reason::InDoubt),
            (&[(decided(true, Delivery::History), ApprovalResponded)], Reason::History),
            (&[(plain(), OutputAvailable)], Reason::NothingNew),
        ];
        for (calls, expected) in table {
            let state = State { running: vec![RequestId(1)], ..State::default() };
            assert_eq!(judged(policy(), state, false, calls), *expected, "{calls:?}");
        }
    }

    #[test]
    fn the_options_hold_back_what_they_name() {
        let denied = [(decided(false, Delivery::Unsent), ApprovalResponded)];
        let output = [(put_out(Delivery::Unsent), OutputAvailable)];
        let hold = Policy { when_all_denied: WhenAllDenied::Hold, ..policy() };
        let outputs = Policy { send_on: SendOn::Outputs, ..policy() };
        let approvals = Policy { send_on: SendOn::Approvals, ..policy() };
        let state = State::default;
        assert_eq!(judged(hold, state(), false, &denied), Reason::AllDenied);
        assert_eq!(judged(hold, state(), false, &output), Reason::Output);
        assert_eq!(judged(outputs, state(), false, &denied), Reason::NotInSendOn);
        assert_eq!(judged(approvals, state(), false, &output), Reason::NotInSendOn);
        let full = State { automatic: 2, ..state() };
        assert_eq!(judged(policy(), full, false, &output), Reason::Limit);
        let stopped = State { stopped: true, ..state() };
        assert_eq!(judged(policy(), stopped, false, &denied), Reason::Stopped);
    }

    #[test]
    fn a_step_is_sent_by_the_tab_that_completes_it_and_not_by_another_one() {
        let elsewhere = |approved, delivery| {
            let decision = Decision::new(approved, Actor::Tab);
            let told = Event::restored(CallId(0), EventKind::Elsewhere, decision, delivery, false);
            (changed(asking(), &[told]), ApprovalRequested)
        };
        let own = (decided(false, Delivery::Unsent), ApprovalResponded);
        let open = (asking(), ApprovalRequested);
        let (sent, unsent) = (Delivery::Idle, Delivery::History);
        let table: &[(&[(Call, ToolState)], Reason)] = &[
            (&[elsewhere(true, sent), own], Reason::NothingNew),
            (&[elsewhere(true, unsent), own], Reason::Answered),
            (&[elsewhere(true, unsent), open], Reason::Waiting),
            (&[elsewhere(true, unsent)], Reason::NothingNew),
            (&[elsewhere(false, sent), own], Reason::Answered),
        ];
        for (calls, expected) in table {
            assert_eq!(judged(policy(), State::default(), false, calls), *expected, "{calls:?}");
        }
    }

    #[test]
    fn text_answers_an_output_and_never_an_approval() {
        let output = (put_out(Delivery::Unsent), OutputAvailable);
        let answer = (decided(true, Delivery::Unsent), ApprovalResponded);
        assert_eq!(judged(policy(), State::default(), true, &[output]), Reason::AnsweredInText);
        assert_eq!(judged(policy(), State::default(), true, &[answer]), Reason::Answered);
        assert_eq!(judged(policy(), State::default(), true, &[output, answer]), Reason::Answered);
    }

    #[test]
    fn nothing_is_sent_by_itself_beside_an_allowance_that_may_have_run() {
        let news = [
            (decided(true, Delivery::Unsent), ApprovalResponded),
            (put_out(Delivery::Unsent), OutputAvailable),
        ];
        for new in news {
            let beside = (decided(true, Delivery::Doubt), ApprovalResponded);
            assert_eq!(judged(policy(), State::default(), false, &[beside, new]), Reason::InDoubt);
            // A denial runs nothing, however often it is sent.
            let beside = (decided(false, Delivery::Failed), ApprovalResponded);
            assert!(judged(policy(), State::default(), false, &[beside, new]).sends());
        }
    }

    #[test]
    fn only_a_person_can_send_what_failed_and_never_past_an_open_call() {
        let failed = decided(true, Delivery::Failed);
        let judged = |step: &[(Call, ToolState)], permit| {
            let situation = Situation { permit, ..Situation::default() };
            judged_in(situation, (policy(), State::default()), false, step)
        };
        assert_eq!(judged(&[(failed, ApprovalResponded)], None), Reason::Failed);
        assert_eq!(judged(&[(failed, ApprovalResponded)], Some(Permit::Retry)), Reason::Retry);
        let open = [(failed, ApprovalResponded), (asking(), ApprovalRequested)];
        assert_eq!(judged(&open, Some(Permit::Retry)), Reason::Waiting);
    }

    #[test]
    fn a_yes_is_given_once_in_a_turn_and_not_for_ever_to_another_transport() {
        let sends = put_out(Delivery::Unsent);
        let judged = |last_request, situation| {
            let state = State { last_request, ..State::default() };
            judged_in(situation, (policy(), state), false, &[(sends, OutputAvailable)])
        };
        let fresh = Situation::default();
        assert_eq!(judged(RequestId::NONE, fresh), Reason::Output);
        assert_eq!(judged(RequestId::NONE, Situation { lease: true, ..fresh }), Reason::AskedTwice);
        assert_eq!(judged(RequestId::NONE, Situation { unclaimed: 2, ..fresh }), Reason::Limit);
        assert_eq!(
            judged(RequestId(1), Situation { unclaimed: 2, ..fresh }),
            Reason::Output,
            "a request was seen"
        );
        let permit = Some(Permit::Retry);
        assert_eq!(judged(RequestId::NONE, Situation { permit, unclaimed: 2, ..fresh }), Reason::Retry);
    }
}
