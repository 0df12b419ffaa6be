//! The repairs that message lists need, on the wire and at home.

use super::call::{Answer, Call, Delivery, Digest, PartFlags};
use super::decision::{Actor, Author, Decision};
use super::id::{RequestId, StringId};
use super::protocol::ToolState;

vocabulary! {
    /// The repair of a tool part.
    Repair {
        /// None: the part goes out as the same object.
        Keep = "keep",
        /// `approval-responded` with the remembered denial, without any output.
        Deny = "deny",
        /// `output-denied` with the remembered denial, without any output.
        SettleDenial = "settle-denial",
        /// Back to `approval-requested`, without answer and output.
        Ask = "ask",
        /// `approval-responded` with the remembered allowance of a person.
        Allow = "allow",
        /// `output-error`: the user moved on, and the call needs a result.
        Fail = "fail",
        /// The output stays, and gets the allowance under which the call ran.
        Approve = "approve",
        /// The output that was seen, with its allowance: an older list does not show it.
        Restore = "restore",
        /// Only the input is another one.
        Input = "input",
    }
}

vocabulary! {
    /// The input of a repaired part.
    #[derive(Default)]
    InputRepair {
        /// It keeps its own.
        #[default]
        Keep = "keep",
        /// The one that a person has allowed in the place of the model's.
        Edited = "edited",
        /// The one that the model asked for.
        Original = "original",
    }
}

vocabulary! {
    /// The cause of a denial that no person gave a reason for. Each has a message `reason.<name>` that the
    /// model receives.
    Cause {
        /// The user moved on.
        Superseded = "superseded",
        /// The user moved on, and it is not known whether the call has run.
        Doubt = "doubt",
        /// Nobody answered in time.
        Expired = "expired",
        /// Nobody was there to answer.
        Unattended = "unattended",
        /// The user denied the tool for the whole chat.
        DenyChat = "denyChat",
    }
}

vocabulary! {
    /// The messages that are repaired.
    Scope {
        /// Those on their way to the server.
        Wire = "wire",
        /// Those in the chat.
        Home = "home",
    }
}

/// A part of a call, and the place of its repair.
#[derive(Clone, Copy, Debug)]
pub struct ShownPart {
    /// Its state and its marks.
    pub flags: PartFlags,
    /// The approval id; 0 for none.
    pub approval: StringId,
    /// The digest of the input that the model wrote.
    pub input: Digest,
    /// The digest of the changed input; 0 for none.
    pub edit: Digest,
    /// The messages that have it.
    pub scope: Scope,
}

/// The conditions of a repair besides the call and its part.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The number of the request that is leaving, or that left last.
    pub request: RequestId,
    /// Whether a message of the user follows the call, or another step.
    pub overtaken: bool,
    /// Whether the part is a copy above the one that can still be answered.
    pub is_copy: bool,
    /// Whether no response is running.
    pub rests: bool,
    /// Whether a part has shown the allowance of the call.
    pub is_shown: bool,
    /// Whether a part has shown the output of the call.
    pub is_output_kept: bool,
    /// Whether the server no longer has the tool.
    pub unavailable: bool,
}

row! {
    /// The repair of one part.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Needed {
        /// The repair itself.
        pub repair: Repair,
        /// The cause of the denial where no person gave one.
        pub cause: Option<Cause>,
        /// Whether the denial that the part shows stays as it is. Otherwise the one that is kept is put back.
        pub keeps_shown_denial: bool,
        /// The input.
        pub input: InputRepair,
        /// The digest of the changed input that the part gets; 0 for none.
        pub edit: Digest,
    }
}

impl Needed {
    /// The part goes out as it is.
    pub const NOTHING: Self = Self {
        repair: Repair::Keep,
        cause: None,
        keeps_shown_denial: false,
        input: InputRepair::Keep,
        edit: 0,
    };

    /// With the input that the part needs: the one that the call was allowed with. What is closed has the one that the model
    /// asked for, unless it may have run with the one that it shows. An output of the page belongs to the input that it shows.
    fn with_input(self, call: &Call, ShownPart { flags, edit, .. }: ShownPart) -> Self {
        let closes = matches!(self.repair, Repair::Deny | Repair::SettleDenial);
        if closes && self.cause == Some(Cause::Doubt) {
            return self;
        }
        let wanted = match self.repair {
            _ if closes => 0,
            // The output is that of the run, whatever has been allowed since.
            Repair::Restore => call.as_run().map_or(0, |run| run.edit()),
            _ => call.edit(),
        };
        let (other, was_edited) = (edit != wanted, wanted != 0);
        let rewrites = match self.repair {
            Repair::Approve | Repair::Fail => false,
            Repair::Keep | Repair::Input => {
                let waits = flags.state == ToolState::ApprovalResponded && call.allowed_without_output();
                // The server has run what was sent, whatever list its output has come into.
                let by_server = call.allowed() && call.output() == Some(Author::Server);
                let ran = by_server && flags.has_output() && flags.answer == Answer::Yes;
                // A question is about the input that the model asked for, also where a server has repeated it.
                let asks = flags.state == ToolState::ApprovalRequested && call.asking();
                asks || (was_edited && (waits || ran))
            }
            _ => true,
        };
        if !(rewrites && other) {
            return self;
        }
        let repair = if self.repair == Repair::Keep { Repair::Input } else { self.repair };
        let input = if was_edited { InputRepair::Edited } else { InputRepair::Original };
        Self { repair, input, edit: wanted, ..self }
    }
}

/// The repair of one part of a call.
///
/// Law 4: on the wire a denied call is `approval-responded` with `approved: false`. It is `output-denied` once it is
/// settled, and where the server no longer has its tool, because it refuses such a call in every other state (C74).
/// Law 5: an output over a call that asks is no answer. Law 6: everything else is kept.
pub fn repair(call: &Call, part: ShownPart, context: Context) -> Needed {
    needed(call, part, context).with_input(call, part)
}

fn needed(call: &Call, part: ShownPart, context: Context) -> Needed {
    let ShownPart { flags, scope, .. } = part;
    if scope == Scope::Wire && context.overtaken && is_overtaken(call, flags) {
        let cause = Some(Cause::Doubt);
        // Of a call that was sent again, the first run is known.
        let repair = if call.ran().is_some() { Repair::Restore } else { Repair::SettleDenial };
        return Needed { repair, cause, ..Needed::NOTHING };
    }
    let repair = match lasting(call, part, context) {
        // The text behind the call is about its output, which an older list does not show. In the last step the page may run
        // it again.
        Repair::Keep
            if context.overtaken && flags.state == ToolState::InputAvailable && call.output().is_some() =>
        {
            Repair::Restore
        }
        // A list that does not show it yet. `ai` 6 finds no result in it before a message.
        Repair::Keep
            if context.overtaken
                && call.denied()
                && (call.denial_settled() || context.is_copy)
                && flags.state == ToolState::ApprovalResponded =>
        {
            Repair::SettleDenial
        }
        // A replayed stream has put the question back over an answer that was sent. A running response would overwrite the
        // repair.
        Repair::Keep
            if scope == Scope::Home
                && context.rests
                && call.was_sent()
                && flags.state == ToolState::ApprovalRequested =>
        {
            carried(call, part)
        }
        // A request carries the answer also where the chat does not show it yet. In the chat, a repair in the middle of a
        // response would be overwritten; an allowance from the record is put there, because no part shows it yet.
        Repair::Keep
            if call.delivery() == Delivery::Sent(context.request)
                && (scope == Scope::Wire || call.from_record()) =>
        {
            carried(call, part)
        }
        repair => repair,
    };
    // If nobody has seen the output, the call leaves as an error.
    let cause = if repair == Repair::Restore { Some(Cause::Doubt) } else { cause(call) };
    // The model is told the cause in place of the reason that the part shows.
    let keeps_shown_denial = cause.is_none() && shows_denial(call, part);
    Needed { repair, cause, keeps_shown_denial, ..Needed::NOTHING }
}

/// Whether a part shows the denial of its call. Of a call that another tab has denied, this one may not have seen the question.
fn shows_denial(call: &Call, ShownPart { flags, approval, .. }: ShownPart) -> bool {
    flags.answer == Answer::No && (approval == call.approval() || call.approval().is_none())
}

/// The repair that does not depend on a request.
fn lasting(call: &Call, part: ShownPart, context: Context) -> Repair {
    let ShownPart { flags, approval, scope, .. } = part;
    if call.denied() {
        return deny(call, part, context.unavailable);
    }
    if call.superseded() {
        return if flags.shows_input_only() { Repair::Fail } else { Repair::Keep };
    }
    // A call whose answer another tab sends must not run twice, and this page knows of no output of it.
    let shows_answer = matches!(flags.answer, Answer::Yes | Answer::No);
    if call.sent_elsewhere() && (shows_answer || flags.has_output()) {
        return match scope {
            Scope::Wire => Repair::Deny,
            Scope::Home if flags.has_output() => Repair::Ask,
            Scope::Home => Repair::Keep,
        };
    }
    // Law 5: the page has written an output while the call asked. It is no answer, and the call has not run.
    if flags.has_output() && call.allowed_without_output() && !call.unseen() {
        return Repair::Allow;
    }
    // A denial that came after the allowance was sent was refused (law 7).
    let is_late = flags.state == ToolState::ApprovalResponded && flags.answer == Answer::No;
    if is_late && (call.is_out() || call.allowed_by_server()) {
        return Repair::Allow;
    }
    // The page has written an output, and the chat has not shown the allowance. A server believes no output without one.
    // Another approval gets none: nobody has answered it.
    let lacks_answer = !matches!(flags.answer, Answer::Yes | Answer::No);
    let is_own = if approval.is_none() { !context.is_shown } else { approval == call.approval() };
    // The server's own allowance is beside its own output; over that the page has written.
    let is_over =
        call.output() == Some(Author::Page) && call.decision() == Some(Decision::new(true, Actor::Server));
    let is_allowed = call.surely_allowed() || is_over;
    if flags.has_output() && lacks_answer && is_own && is_allowed {
        return Repair::Approve;
    }
    // An older list. Without the output the call would run a second time, or the server would refuse the list. A denial
    // that left while the output was not known is none.
    let shows_less = matches!(
        flags.state,
        ToolState::ApprovalRequested | ToolState::ApprovalResponded | ToolState::OutputDenied
    );
    if shows_less && call.output().is_some() && (scope == Scope::Wire || context.is_output_kept) {
        return Repair::Restore;
    }
    if call.asking() {
        let ask = match flags.state {
            ToolState::ApprovalResponded => call.answer_invalidated() || flags.answer != Answer::Yes,
            // The page has written an output before the question came, and the chat keeps it.
            ToolState::ApprovalRequested => flags.residue,
            ToolState::InputAvailable => hides_question(call, approval),
            _ => flags.has_output() || (flags.residue && flags.state == ToolState::OutputAvailable),
        };
        return if ask { Repair::Ask } else { Repair::Keep };
    }
    // A replayed stream has put the question back over an answer that no request has carried yet.
    let unsent = matches!(call.delivery(), Delivery::Unsent | Delivery::History);
    let replayed = unsent && flags.state == ToolState::ApprovalRequested;
    if call.allowed() && call.output().is_none() && replayed { Repair::Allow } else { Repair::Keep }
}

/// Whether a part whose state says nothing of a question belongs to one: it still has its id, or it was lost when the
/// messages were stored (C69).
fn hides_question(call: &Call, approval: StringId) -> bool {
    if approval.is_none() { call.lost() } else { approval == call.approval() }
}

/// The repair of a part in the request that carries the answer to its call.
fn carried(call: &Call, ShownPart { flags, approval, .. }: ShownPart) -> Repair {
    let lost = flags.state == ToolState::InputAvailable && hides_question(call, approval);
    // A server runs no call that has an output, not even one that had only begun.
    let begun = flags.state == ToolState::OutputAvailable && flags.preliminary;
    let asks = flags.state == ToolState::ApprovalRequested || lost || begun;
    let is_allowed = call.allowed() && call.output().is_none() && !call.superseded();
    if asks && is_allowed { Repair::Allow } else { Repair::Keep }
}

/// The cause of a denial that no person gave a reason for.
pub fn cause(call: &Call) -> Option<Cause> {
    if call.superseded() {
        return Some(if call.in_doubt_before() { Cause::Doubt } else { Cause::Superseded });
    }
    match call.decision()?.actor {
        _ if call.elsewhere() && call.allowed() => Some(Cause::Doubt),
        Actor::Timer => Some(Cause::Expired),
        Actor::Unattended => Some(Cause::Unattended),
        Actor::Grant if call.denied() => Some(Cause::DenyChat),
        _ => None,
    }
}

/// Whether a message or a step has overtaken an allowance without a result. A server runs only the calls of the last
/// step, and refuses such a list. So the call leaves as a denial that says that the result is not known, whatever
/// becomes of the request that carried it.
fn is_overtaken(call: &Call, flags: PartFlags) -> bool {
    let shows_none = matches!(flags.state, ToolState::ApprovalRequested | ToolState::ApprovalResponded);
    // The page has written it over the question, and it is no result (law 5).
    let shows_other = flags.has_output() && flags.answer != Answer::Yes && !call.unseen();
    // An allowance of the server itself was in a response from the start.
    let is_out = call.was_sent() || call.decision().is_some_and(|decision| decision.actor == Actor::Server);
    (shows_none || shows_other) && is_out && call.allowed_without_output()
}

fn deny(call: &Call, part: ShownPart, unavailable: bool) -> Repair {
    let ShownPart { flags, scope, .. } = part;
    let shown = shows_denial(call, part);
    match flags.state {
        // A list that was made before its input was complete: servers refuse an answer beside such an input, and take the
        // call as none without one (`validateUIMessages`).
        ToolState::InputStreaming => Repair::Keep,
        ToolState::OutputDenied => {
            // A server that settles a denial need not say of which question.
            let is_other = !shown && call.approval().is_some();
            if flags.residue || is_other { Repair::SettleDenial } else { Repair::Keep }
        }
        ToolState::ApprovalResponded if shown && !flags.residue => {
            if unavailable || call.closed_by_user_message() || (scope == Scope::Home && call.denial_settled())
            {
                Repair::SettleDenial
            } else {
                Repair::Keep
            }
        }
        _ if unavailable || call.denial_settled() => Repair::SettleDenial,
        _ => Repair::Deny,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::call::Delivery::{self, Unsent};
    use crate::core::call::samples::{asking, changed, decided, delivered, plain};
    use crate::core::event::{Event, EventKind};
    use crate::core::id::CallId;
    use Answer::{Absent, No, Yes};
    use ToolState::*;

    const AP: StringId = StringId(3);

    fn flags(state: ToolState, answer: Answer, residue: bool) -> PartFlags {
        PartFlags { state, answer, provider: false, preliminary: false, residue, by_guard: false }
    }

    const CONTEXT: Context = Context {
        request: RequestId(1),
        overtaken: false,
        is_copy: false,
        rests: false,
        is_shown: true,
        is_output_kept: true,
        unavailable: false,
    };

    fn shown(flags: PartFlags, approval: StringId, scope: Scope) -> ShownPart {
        ShownPart { flags, approval, input: 0, edit: 0, scope }
    }

    fn settled(approved: bool) -> Call {
        changed(decided(approved, Unsent), &[Event::on(CallId(0), EventKind::Settled, Actor::Server)])
    }

    fn check(call: &Call, table: &[(PartFlags, StringId, Scope, Repair)]) {
        for &(flags, approval, scope, expected) in table {
            let context = Context { is_shown: call.allowed() && !call.unseen(), ..CONTEXT };
            let repair = lasting(call, shown(flags, approval, scope), context);
            assert_eq!(repair, expected, "{flags:?} {approval:?} {scope:?}");
        }
    }

    #[test]
    fn c74_a_denial_is_settled_where_the_server_no_longer_has_the_tool() {
        let denied = decided(false, Unsent);
        let settles = |part| lasting(&denied, part, Context { unavailable: true, ..CONTEXT });
        for state in [InputAvailable, ApprovalRequested, ApprovalResponded, OutputAvailable, OutputError] {
            for (answer, residue) in [(Absent, false), (No, false), (No, true), (Yes, true)] {
                for scope in [Scope::Wire, Scope::Home] {
                    let needed = settles(shown(flags(state, answer, residue), AP, scope));
                    assert_eq!(needed, Repair::SettleDenial, "{state:?} {answer:?} {residue} {scope:?}");
                }
            }
        }
        assert_eq!(settles(shown(flags(OutputDenied, No, false), AP, Scope::Wire)), Repair::Keep);
        for call in [asking(), decided(true, Unsent), plain()] {
            for state in [ApprovalRequested, ApprovalResponded, OutputAvailable] {
                let found = shown(flags(state, Yes, false), AP, Scope::Wire);
                let [with, without] = [true, false]
                    .map(|unavailable| lasting(&call, found, Context { unavailable, ..CONTEXT }));
                assert_eq!(with, without, "only denials differ");
            }
        }
    }

    #[test]
    fn a_denied_call_leaves_as_a_denial() {
        check(
            &decided(false, Unsent),
            &[
                (flags(ApprovalResponded, No, false), AP, Scope::Wire, Repair::Keep),
                (flags(ApprovalResponded, No, true), AP, Scope::Wire, Repair::Deny),
                (flags(ApprovalResponded, No, false), StringId(9), Scope::Wire, Repair::Deny),
                (flags(ApprovalResponded, Yes, false), AP, Scope::Wire, Repair::Deny),
                (flags(ApprovalRequested, Absent, false), AP, Scope::Wire, Repair::Deny),
                (flags(OutputAvailable, Absent, true), StringId::NONE, Scope::Wire, Repair::Deny),
                (flags(OutputError, No, true), AP, Scope::Home, Repair::Deny),
                (flags(Unknown, Absent, false), StringId::NONE, Scope::Wire, Repair::Deny),
            ],
        );
    }

    #[test]
    fn a_denial_whose_question_was_never_seen_here_is_not_written_again() {
        let decision = Decision::new(false, Actor::Tab);
        let told = Event::restored(CallId(0), EventKind::Elsewhere, decision, Delivery::Idle, false);
        let no = flags(ApprovalResponded, No, false);
        check(
            &changed(plain(), &[told]),
            &[
                (no, AP, Scope::Home, Repair::Keep),
                (no, AP, Scope::Wire, Repair::Keep),
                (flags(OutputDenied, No, false), AP, Scope::Wire, Repair::Keep),
                (flags(ApprovalResponded, Yes, false), AP, Scope::Wire, Repair::Deny),
                (flags(OutputAvailable, Absent, true), StringId::NONE, Scope::Wire, Repair::Deny),
            ],
        );
    }

    #[test]
    fn a_settled_denial_is_output_denied_at_home_and_may_stay_as_it_was_on_the_wire() {
        check(
            &settled(false),
            &[
                (flags(ApprovalResponded, No, false), AP, Scope::Wire, Repair::Keep),
                (flags(ApprovalResponded, No, false), AP, Scope::Home, Repair::SettleDenial),
                (flags(OutputAvailable, Absent, true), StringId::NONE, Scope::Wire, Repair::SettleDenial),
                (flags(OutputDenied, No, false), AP, Scope::Home, Repair::Keep),
                (flags(OutputDenied, No, true), AP, Scope::Wire, Repair::SettleDenial),
            ],
        );
    }

    #[test]
    fn an_output_or_a_garbled_answer_is_no_answer() {
        check(
            &asking(),
            &[
                (flags(ApprovalRequested, Absent, false), AP, Scope::Wire, Repair::Keep),
                (flags(ApprovalRequested, Absent, true), AP, Scope::Wire, Repair::Ask),
                (flags(ApprovalRequested, Absent, true), AP, Scope::Home, Repair::Ask),
                (flags(OutputAvailable, Absent, true), StringId::NONE, Scope::Wire, Repair::Ask),
                (flags(OutputError, Absent, true), StringId::NONE, Scope::Home, Repair::Ask),
                (flags(ApprovalResponded, Answer::Malformed, false), AP, Scope::Wire, Repair::Ask),
                (flags(ApprovalResponded, Yes, false), AP, Scope::Wire, Repair::Keep),
            ],
        );
        let answer_invalidated = changed(asking(), &[Event::on(CallId(0), EventKind::Voided, Actor::Server)]);
        check(&answer_invalidated, &[(flags(ApprovalResponded, Yes, false), AP, Scope::Wire, Repair::Ask)]);
    }

    #[test]
    fn an_allowance_that_the_chat_does_not_show_goes_with_the_request_that_carries_it() {
        let question = flags(ApprovalRequested, Absent, false);
        assert_eq!(carried(&decided(true, Unsent), shown(question, AP, Scope::Wire)), Repair::Allow);
        assert_eq!(carried(&decided(false, Unsent), shown(question, AP, Scope::Wire)), Repair::Keep);
        assert_eq!(carried(&asking(), shown(question, AP, Scope::Wire)), Repair::Keep);
        assert_eq!(
            carried(&decided(true, Unsent), shown(flags(ApprovalResponded, Yes, false), AP, Scope::Wire)),
            Repair::Keep
        );
        let done =
            changed(decided(true, Unsent), &[Event::put_out(CallId(0), EventKind::Output, Author::Page)]);
        assert_eq!(carried(&done, shown(question, AP, Scope::Wire)), Repair::Keep);
    }

    #[test]
    fn a_replayed_question_gets_back_its_allowance_and_at_home_also_one_that_was_sent() {
        let question = flags(ApprovalRequested, Absent, false);
        check(&decided(true, Unsent), &[(question, AP, Scope::Home, Repair::Allow)]);
        let sent = decided(true, Delivery::Delivered(RequestId(1)));
        for (scope, rests, expected) in [
            (Scope::Home, true, Repair::Allow),
            (Scope::Home, false, Repair::Keep),
            (Scope::Wire, true, Repair::Keep),
        ] {
            let needed = repair(&sent, shown(question, AP, scope), Context { rests, ..CONTEXT });
            assert_eq!(needed.repair, expected, "{scope:?} {rests}");
        }
    }

    #[test]
    fn an_abandoned_call_of_the_page_fails_and_everything_else_is_kept() {
        let abandoned = changed(plain(), &[Event::superseded(CallId(0), false)]);
        let input = flags(InputAvailable, Absent, false);
        check(&abandoned, &[(input, StringId::NONE, Scope::Wire, Repair::Fail)]);
        check(&plain(), &[(input, StringId::NONE, Scope::Wire, Repair::Keep)]);
        let ran =
            changed(decided(true, Unsent), &[Event::put_out(CallId(0), EventKind::Output, Author::Server)]);
        check(&ran, &[(flags(OutputAvailable, Yes, true), AP, Scope::Wire, Repair::Keep)]);
    }

    #[test]
    fn law_5_an_output_gets_an_allowance_that_the_chat_does_not_show_and_no_other() {
        let output = Event::put_out(CallId(0), EventKind::Output, Author::Page);
        let recalled = |actor| {
            let known = Decision::new(true, actor);
            let told = Event::restored(CallId(0), EventKind::Recalled, known, Delivery::History, false);
            changed(asking(), &[told, output])
        };
        let bare = flags(OutputAvailable, Absent, true);
        let begun = PartFlags { preliminary: true, ..bare };
        check(
            &recalled(Actor::Person),
            &[
                (bare, AP, Scope::Wire, Repair::Approve),
                (bare, StringId::NONE, Scope::Home, Repair::Approve),
                (flags(OutputError, Absent, true), AP, Scope::Home, Repair::Approve),
                (bare, StringId(9), Scope::Wire, Repair::Keep),
                (begun, AP, Scope::Wire, Repair::Keep),
                (flags(OutputAvailable, Yes, true), AP, Scope::Wire, Repair::Keep),
            ],
        );
        check(&recalled(Actor::History), &[(bare, AP, Scope::Wire, Repair::Keep)]);
        let own = Event::answer(CallId(0), EventKind::Answered, Decision::new(true, Actor::Server));
        let of_server = Event::put_out(CallId(0), EventKind::Output, Author::Server);
        let ran = changed(asking(), &[own, of_server]);
        check(&ran, &[(bare, AP, Scope::Wire, Repair::Keep)]);
        check(&changed(ran, &[output]), &[(bare, AP, Scope::Wire, Repair::Approve)]);
        // The page has taken away what its messages showed.
        let was_shown = changed(decided(true, Unsent), &[output]);
        check(&was_shown, &[(bare, StringId::NONE, Scope::Wire, Repair::Keep)]);
    }

    #[test]
    fn law_4_only_an_allowance_without_a_result_is_overtaken_and_whatever_becomes_of_its_request() {
        let answer = flags(ApprovalResponded, Yes, false);
        let overtaken = |call: &Call, flags, scope| {
            let context = Context { request: RequestId(2), overtaken: true, ..CONTEXT };
            let needed = repair(call, shown(flags, AP, scope), context);
            (needed.repair, needed.cause) == (Repair::SettleDenial, Some(Cause::Doubt))
        };
        let one = RequestId(1);
        for delivery in [Delivery::Sent(one), Delivery::Delivered(one), Delivery::Doubt] {
            let sent = decided(true, delivery);
            for provider in [false, true] {
                assert!(overtaken(&sent, PartFlags { provider, ..answer }, Scope::Wire), "{delivery:?}");
            }
            assert!(!overtaken(&sent, answer, Scope::Home), "its response may still bring the output");
            assert!(!overtaken(&sent, flags(OutputAvailable, Yes, true), Scope::Wire));
        }
        assert!(!overtaken(&decided(false, Delivery::Sent(one)), answer, Scope::Wire));
    }

    #[test]
    fn an_output_that_an_older_list_hides_comes_back_before_what_follows_it() {
        let ran = changed(plain(), &[Event::put_out(CallId(0), EventKind::Output, Author::Page)]);
        let needed = |call: &Call, state, overtaken| {
            let part = shown(flags(state, Absent, false), StringId::NONE, Scope::Wire);
            repair(call, part, Context { overtaken, ..CONTEXT }).repair
        };
        assert_eq!(needed(&ran, InputAvailable, true), Repair::Restore);
        assert_eq!(needed(&ran, InputAvailable, false), Repair::Keep, "the page may run it again");
        assert_eq!(needed(&ran, OutputAvailable, true), Repair::Keep);
        assert_eq!(needed(&plain(), InputAvailable, true), Repair::Keep);
        assert_eq!(needed(&ran, InputStreaming, true), Repair::Keep, "not all of its input is there");
    }

    #[test]
    fn an_output_comes_back_into_the_chat_once_a_part_has_shown_it() {
        let output = Event::put_out(CallId(0), EventKind::Output, Author::Server);
        let ran = changed(decided(true, Delivery::Sent(RequestId(1))), &[output]);
        let needed = |scope, is_output_kept| {
            let part = shown(flags(ApprovalResponded, Yes, false), AP, scope);
            repair(&ran, part, Context { is_output_kept, ..CONTEXT }).repair
        };
        assert_eq!(needed(Scope::Home, false), Repair::Keep);
        assert_eq!(needed(Scope::Home, true), Repair::Restore);
        assert_eq!(needed(Scope::Wire, false), Repair::Restore);
    }

    #[test]
    fn an_output_comes_back_over_the_input_of_its_run_whatever_was_allowed_since() {
        let answer = |edit| {
            let decision = Decision { edit, ..Decision::new(true, Actor::Person) };
            [Event::answer(CallId(0), EventKind::Answered, decision)]
        };
        let output = [Event::put_out(CallId(0), EventKind::Output, Author::Server)];
        let needed = |call: &Call, edit| {
            let part = ShownPart { edit, ..shown(flags(ApprovalResponded, Yes, false), AP, Scope::Wire) };
            let context = Context { overtaken: true, is_output_kept: true, ..CONTEXT };
            let Needed { repair, input, .. } = repair(call, part, context);
            (repair, input)
        };
        let asked = [Event::asked(CallId(0), AP, 0, Actor::Server)];
        let ran = |edit| changed(asking(), &[&answer(edit)[..], &output].concat());
        assert_eq!(needed(&ran(7), 7), (Repair::Restore, InputRepair::Keep));
        assert_eq!(needed(&ran(7), 0), (Repair::Restore, InputRepair::Edited));
        let again = |edit| {
            let allowed = changed(ran(edit), &[&asked[..], &answer(8)].concat());
            delivered(allowed, Delivery::Delivered(RequestId(1)))
        };
        assert_eq!(needed(&again(0), 8), (Repair::Restore, InputRepair::Original));
        assert_eq!(needed(&again(7), 8), (Repair::Restore, InputRepair::Edited));
    }

    #[test]
    fn law_5_an_output_that_was_written_over_the_question_does_not_leave_with_its_allowance() {
        let bare = flags(OutputAvailable, Absent, true);
        check(
            &decided(true, Unsent),
            &[(bare, StringId::NONE, Scope::Wire, Repair::Allow), (bare, AP, Scope::Home, Repair::Allow)],
        );
    }

    #[test]
    fn an_answer_leaves_with_the_request_that_carries_it_and_with_no_other() {
        let question = flags(ApprovalRequested, Absent, false);
        let sent = decided(true, Delivery::Sent(RequestId(1)));
        let leaves =
            |scope, request| repair(&sent, shown(question, AP, scope), Context { request, ..CONTEXT }).repair;
        assert_eq!(leaves(Scope::Wire, RequestId(1)), Repair::Allow);
        assert_eq!(leaves(Scope::Wire, RequestId(2)), Repair::Keep);
        assert_eq!(leaves(Scope::Home, RequestId(1)), Repair::Keep);
    }

    #[test]
    fn only_the_denial_of_the_call_itself_is_kept_and_not_beside_a_cause_of_the_guard() {
        let is_kept = |call: &Call, answer, approval| {
            let part = shown(flags(ApprovalResponded, answer, true), approval, Scope::Wire);
            repair(call, part, CONTEXT).keeps_shown_denial
        };
        let denied = decided(false, Unsent);
        assert!(is_kept(&denied, No, AP));
        assert!(!is_kept(&denied, No, StringId(9)), "the denial of another approval");
        assert!(!is_kept(&denied, No, StringId::NONE), "an approval without an id");
        assert!(!is_kept(&denied, Yes, AP));
        let expired = changed(asking(), &[Event::superseded(CallId(0), false)]);
        assert!(!is_kept(&expired, No, AP), "the model is told why the guard has denied it");
    }
}
