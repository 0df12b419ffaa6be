//! The guard, one fact at a time.

use super::*;
use crate::core::call::{Answer, Delivery, PartFacts, PartFlags, Status};
use crate::core::decision::Choice;
use crate::core::id::RequestId;
use crate::core::protocol::{Chunk, ToolState};
use crate::core::rewrite::Keeps;
use crate::core::verdict::{Permit, Step};

const CALL: CallId = CallId(0);

/// A guard, and its last step.
struct Chat(Guard, Vec<(CallId, PartFlags)>);

/// The part of the call with this number.
fn part(number: u32, state: ToolState, answer: Answer) -> PartFacts {
    let place = Place { message: StringId(100), index: 1, user_turn: 1, step: 1, occurrence: 0 };
    let asks = matches!(state, ToolState::ApprovalRequested | ToolState::ApprovalResponded);
    PartFacts {
        place,
        tool: StringId(1),
        server: StringId::NONE,
        id: StringId(10 + number),
        approval: if asks { StringId(20 + number) } else { StringId::NONE },
        flags: PartFlags { state, answer, ..PartFlags::from_code(0) },
        input: 3,
        edit: 0,
        output: if state == ToolState::OutputAvailable { 5 } else { 0 },
    }
}

fn asking(number: u32) -> PartFacts {
    part(number, ToolState::ApprovalRequested, Answer::Absent)
}

impl Chat {
    fn new(policy: Policy) -> Self {
        Self(Guard::new(Options { policy, ..Options::default() }), Vec::new())
    }

    fn tell_at(&mut self, now: f64, fact: Fact) -> Effects {
        self.0.handle(fact, now)
    }

    fn tell(&mut self, fact: Fact) -> Effects {
        self.tell_at(0.0, fact)
    }

    /// The last step has this part.
    fn shows(&mut self, part: PartFacts) -> CallId {
        let tracked = self
            .1
            .iter()
            .map(|row| row.0)
            .find(|&id| self.0.call(id).is_some_and(|call| call.id() == part.id));
        let call = self.tell(Fact::Part { known: tracked, part, current: true }).call().expect("a call");
        self.1.retain(|row| row.0 != call);
        self.1.push((call, part.flags));
        let rows = self.1.clone();
        self.tell(Fact::Step(Step { assistant: true, message: StringId(100), text: false, rows }));
        call
    }

    fn decides(&mut self, call: CallId, choice: Choice) {
        let (covers, lifetime, edit) = (Covers::Tool, None, EditGiven::default());
        let program = StringId::NONE;
        self.tell(Fact::Decide {
            named: call.into(),
            shown: None,
            chosen: Chosen { choice, covers, lifetime, edit },
            program,
        });
    }

    fn commits(&mut self) {
        self.tell(Fact::Commit(CommitCause::Person));
    }

    /// A request leaves without a message of a person; its number, if it is not held.
    fn continues(&mut self) -> Option<RequestId> {
        let sent = self.tell(Fact::Send { chat: StringId(9), trigger: Trigger::Submit, continues: true });
        if let Some(Returned::Request { request, .. }) = sent.returned { Some(request) } else { None }
    }

    fn call(&self, call: CallId) -> Call {
        *self.0.call(call).expect("a call")
    }
}

#[test]
fn law_12_a_question_ends_at_its_deadline_and_not_later() {
    let mut chat = Chat::new(Policy::default());
    let call = chat.shows(asking(0));
    chat.tell(Fact::Annotate { call, dangerous: false, lifetime: Lifetime(Some(60_000)) });
    chat.tell_at(59_999.0, Fact::Look);
    assert_eq!(chat.call(call).status(), Status::Asking);
    chat.tell_at(60_000.0, Fact::Look);
    assert_eq!(chat.call(call).status(), Status::Expired);
}

#[test]
fn law_12_a_call_that_timed_out_wakes_until_the_shell_was_told() {
    let mut chat = Chat::new(Policy { output_ms: Some(1_000), ..Policy::default() });
    chat.tell(Fact::ClientTool(StringId(1)));
    let call = chat.shows(part(0, ToolState::InputAvailable, Answer::Absent));
    assert_eq!(chat.0.next_end(&chat.0.batch()), Some(1_000));
    chat.tell_at(2_000.0, Fact::Look);
    assert_eq!(chat.0.next_end(&chat.0.batch()), Some(2_000), "a look is not told");
    let woken = chat.tell_at(2_000.0, Fact::Wake);
    let Some(Returned::TimedOut(calls)) = woken.returned else { panic!("{woken:?}") };
    assert_eq!(calls.len(), 1);
    assert_eq!(chat.0.timed_out(), [call]);
    assert_eq!(chat.0.next_end(&chat.0.batch()), None);
}

#[test]
fn law_13_only_a_proven_refusal_is_one() {
    let failures = [
        (Failure::NotAsked, Delivery::Failed),
        (Failure::Status(400), Delivery::Failed),
        (Failure::Status(503), Delivery::Failed),
        (Failure::Status(409), Delivery::Doubt),
        (Failure::Status(500), Delivery::Doubt),
        (Failure::Status(502), Delivery::Doubt),
        (Failure::Unknown, Delivery::Doubt),
    ];
    for (failure, delivery) in failures {
        let mut chat = Chat::new(Policy::default());
        let call = chat.shows(asking(0));
        chat.decides(call, Choice::AllowOnce);
        chat.commits();
        chat.shows(part(0, ToolState::ApprovalResponded, Answer::Yes));
        chat.tell(Fact::Ask);
        let request = chat.continues().expect("a request");
        chat.tell(Fact::Failed { request, failure });
        assert_eq!(chat.call(call).delivery(), delivery, "{failure:?}");
    }
}

#[test]
fn law_1_a_bare_continue_without_news_leaves_nothing_open() {
    let mut chat = Chat::new(Policy { send_each: true, ..Policy::default() });
    chat.shows(asking(0));
    assert_eq!(chat.continues(), None, "it has no answer to send, and a call asks");
}

#[test]
fn an_allowance_that_a_person_sends_again_is_no_longer_closed() {
    let mut chat = Chat::new(Policy::default());
    chat.shows(asking(0));
    chat.decides(CALL, Choice::AllowOnce);
    chat.commits();
    chat.shows(part(0, ToolState::ApprovalResponded, Answer::Yes));
    chat.tell(Fact::Ask);
    let request = chat.continues().expect("a request");
    chat.tell(Fact::Started(request));
    // A message of the person overtakes it.
    chat.tell(Fact::Send { chat: StringId(9), trigger: Trigger::Submit, continues: false });
    assert!(chat.0.seen.get(CALL).is_some_and(|seen| seen.left_closed));
    for request in [request, request.next()] {
        chat.tell(Fact::Failed { request, failure: Failure::Unknown });
    }
    chat.tell(Fact::Permit(Permit::Retry));
    assert!(chat.continues().is_some());
    assert!(!chat.0.seen.get(CALL).is_some_and(|seen| seen.left_closed));
}

#[test]
fn an_output_that_was_written_over_before_it_was_sent_is_news_again() {
    let mut chat = Chat::new(Policy::default());
    chat.tell(Fact::ClientTool(StringId(1)));
    let call = chat.shows(part(0, ToolState::InputAvailable, Answer::Absent));
    let output = |output| PartFacts { output, ..part(0, ToolState::OutputAvailable, Answer::Absent) };
    for content in [5, 7] {
        chat.tell(Fact::PageOutput { id: StringId(10), output: content });
        chat.shows(output(content));
    }
    assert_eq!(chat.0.seen.get(call).map(|seen| seen.outputs.clone()), Some(vec![7]));
}

#[test]
fn a_mistake_that_the_page_makes_again_is_reported_again() {
    let mut chat = Chat::new(Policy::default());
    chat.shows(asking(0));
    let over = PartFacts { approval: StringId(20), ..part(0, ToolState::OutputAvailable, Answer::Absent) };
    for _ in 0..2 {
        chat.tell(Fact::PageOutput { id: StringId(10), output: 5 });
        let effects = chat.tell(Fact::Part { known: Some(CALL), part: over, current: true });
        assert_eq!(effects.problems, [(Problem::OutputOverOpenApproval, Some(CALL))]);
        chat.shows(asking(0));
    }
}

/// A chat whose call was allowed and has run.
fn with_a_run() -> (Chat, CallId) {
    let mut chat = Chat::new(Policy::default());
    let call = chat.shows(asking(0));
    chat.decides(call, Choice::AllowOnce);
    chat.commits();
    chat.shows(part(0, ToolState::ApprovalResponded, Answer::Yes));
    chat.tell(Fact::Ask);
    let request = chat.continues().expect("a request");
    chat.tell(Fact::Started(request));
    chat.shows(PartFacts { approval: StringId(20), ..part(0, ToolState::OutputAvailable, Answer::Yes) });
    chat.tell(Fact::Ended(request));
    (chat, call)
}

#[test]
fn an_older_list_of_a_call_that_has_run_takes_nothing_from_the_kept_approval() {
    let (mut chat, call) = with_a_run();
    let part = part(0, ToolState::ApprovalResponded, Answer::Yes);
    let seen = chat.tell(Fact::Part { known: Some(call), part, current: true });
    let Some(Returned::Seen { keeps, .. }) = seen.returned else { panic!("{seen:?}") };
    assert_eq!(keeps, Keeps::Part);
}

#[test]
fn law_16_what_a_response_begins_anew_has_not_run() {
    for is_anew in [false, true] {
        let (mut chat, _) = with_a_run();
        let request = chat.continues().expect("a request");
        if is_anew {
            let said = Said { tool: StringId(1), ..Said::default() };
            chat.tell(Fact::Chunk { request, kind: Chunk::InputStart, id: StringId(10), said });
        }
        let again = chat.shows(PartFacts { approval: StringId(99), ..asking(0) });
        assert_eq!(chat.call(again).only_by_person(), !is_anew, "anew: {is_anew}");
    }
}

#[test]
fn a_response_that_goes_on_with_the_end_of_its_list_has_the_message_of_the_person() {
    for (continues, problems) in [(true, vec![]), (false, vec![(Problem::NotInRequest, None)])] {
        let (mut chat, _) = with_a_run();
        if !continues {
            chat.tell(Fact::Step(Step::default()));
        }
        let sent = chat.tell(Fact::Send { chat: StringId(9), trigger: Trigger::Regenerate, continues });
        let Some(Returned::Request { request, .. }) = sent.returned else { panic!("{sent:?}") };
        let begun = chat.tell(Fact::Begun { request, message: StringId(100) });
        assert_eq!(begun.problems, problems, "continues: {continues}");
    }
}

/// Law 14: it may be from another response, or a list of the server's may have brought it.
#[test]
fn a_call_that_has_come_since_says_nothing_about_where_a_response_goes_on() {
    let mut chat = Chat::new(Policy::default());
    chat.tell(Fact::Step(Step::default()));
    let sent = chat.tell(Fact::Send { chat: StringId(9), trigger: Trigger::Submit, continues: false });
    let Some(Returned::Request { request, .. }) = sent.returned else { panic!("{sent:?}") };
    chat.shows(asking(0));
    let begun = chat.tell(Fact::Begun { request, message: StringId(100) });
    assert_eq!(begun.problems, []);
}

#[test]
fn what_a_request_lacks_is_reported_once() {
    let mut chat = Chat::new(Policy::default());
    let lacks = |request| Fact::Lacking { request: RequestId(request), message: StringId(5), call: None };
    assert_eq!(chat.tell(lacks(1)).problems, [(Problem::NotInRequest, None)]);
    assert_eq!(chat.tell(lacks(2)).problems, []);
}

#[test]
fn a_batch_that_has_waited_for_a_resumed_response_is_due_again() {
    let mut chat = Chat::new(Policy::default());
    let call = chat.shows(asking(0));
    chat.tell(Fact::Started(RequestId::NONE));
    chat.decides(call, Choice::Deny);
    let tries = Fact::TryCommit { by_person: false };
    let Some(Returned::Act(tried)) = chat.tell(tries).returned else { panic!("no act") };
    assert_eq!(tried.result, ActResult::Responding);
    assert_eq!(chat.0.next_end(&chat.0.batch()), None);
    chat.tell(Fact::Ended(RequestId::NONE));
    assert_eq!(chat.0.next_end(&chat.0.batch()), Some(0));
}

#[test]
fn a_response_to_another_message_breaks_off_nothing_of_the_last_step() {
    for (message, reason) in [(StringId(100), Reason::Failed), (StringId(101), Reason::Output)] {
        let mut chat = Chat::new(Policy::default());
        chat.tell(Fact::ClientTool(StringId(1)));
        chat.tell(Fact::Step(Step { assistant: false, message, text: false, rows: Vec::new() }));
        let request = chat.continues().expect("a request");
        let of_response = Fact::Chunk {
            request,
            kind: Chunk::InputStart,
            id: StringId(10),
            said: Said { tool: StringId(1), ..Said::default() },
        };
        chat.tell(of_response);
        let place = Place { message, ..asking(0).place };
        chat.shows(PartFacts { place, ..part(0, ToolState::InputAvailable, Answer::Absent) });
        if message != StringId(100) {
            chat.1.clear();
            chat.tell(Fact::Chunk {
                request: RequestId(9),
                kind: Chunk::InputStart,
                id: StringId(11),
                said: Said { tool: StringId(1), ..Said::default() },
            });
        }
        let number = u32::from(message != StringId(100));
        chat.shows(part(number, ToolState::InputAvailable, Answer::Absent));
        chat.tell(Fact::PageOutput { id: StringId(10 + number), output: 5 });
        chat.shows(part(number, ToolState::OutputAvailable, Answer::Absent));
        chat.tell(Fact::Failed { request, failure: Failure::Unknown });
        assert_eq!(chat.0.verdict(), reason, "{message:?}");
    }
}

#[test]
fn a_replayed_question_is_one_replay_and_not_each_later_one() {
    let mut chat = Chat::new(Policy::default());
    chat.tell(Fact::Hydrate(true));
    chat.shows(part(0, ToolState::ApprovalResponded, Answer::Yes));
    chat.tell(Fact::Hydrate(false));
    chat.tell(Fact::Started(RequestId::NONE));
    let said = Said { tool: StringId(1), approval: StringId(20), ..Said::default() };
    chat.tell(Fact::Chunk { request: RequestId::NONE, kind: Chunk::ApprovalRequest, id: StringId(10), said });
    chat.shows(asking(0));
    assert!(chat.call(CALL).allowed(), "the response repeats what was asked before");
    chat.tell(Fact::Ended(RequestId::NONE));
    chat.shows(part(0, ToolState::ApprovalResponded, Answer::Yes));
    chat.shows(asking(0));
    assert!(chat.call(CALL).asking(), "an older list asks the person again");
}

#[test]
fn a_copy_that_was_read_since_is_not_behind_any_more() {
    let mut chat = Chat::new(Policy::default());
    let denied = part(0, ToolState::ApprovalResponded, Answer::No);
    let below = |part: PartFacts| PartFacts {
        place: Place { message: StringId(101), index: 3, ..part.place },
        ..part
    };
    for part in [asking(0), below(denied), asking(0), denied] {
        chat.tell(Fact::Part { known: Some(CALL), part, current: true });
    }
    chat.tell(Fact::Missing(CALL));
    chat.tell(Fact::ScanComplete(Trigger::Submit));
    assert!(chat.call(CALL).gone());
}
