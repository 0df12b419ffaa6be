//! What leaves the browser: the repairs that a message list needs.

use super::call::{Answer, Call, Delivery, PartFlags};
use super::decision::Actor;
use super::id::StringId;
use super::protocol::ToolState;

vocabulary! {
    /// What has to be done to a tool part before it leaves.
    Repair {
        /// Nothing: it goes out as the same object.
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
    }
}

vocabulary! {
    /// Who denied a call, where it was not a person with words of their own. Each has a message
    /// `reason.<name>` that the model is told.
    Cause {
        /// The user moved on.
        Superseded = "superseded",
        /// The user moved on, and it is not known whether the call ran.
        Doubt = "doubt",
        /// Nobody answered in time.
        Expired = "expired",
        /// Nobody was there to ask.
        Unattended = "unattended",
        /// The user refuses it for the whole chat.
        DenyChat = "denyChat",
    }
}

vocabulary! {
    /// Where the messages are.
    Scope {
        /// On their way to the server.
        Wire = "wire",
        /// In the chat.
        Home = "home",
    }
}

/// The repair of one part of a call. `approval` is the approval id that the part shows.
///
/// Law 4: on the wire a denied call is `approval-responded` with `approved: false`, or
/// `output-denied` once it is settled. Law 5: an output over a call that asks is no answer.
/// Law 6: everything else is kept.
pub fn repair(call: &Call, flags: PartFlags, approval: StringId, scope: Scope) -> Repair {
    if call.denied() {
        return deny(call, flags, approval, scope);
    }
    if call.superseded() {
        return if flags.begins() { Repair::Fail } else { Repair::Keep };
    }
    if call.asking() {
        let ask = match flags.state {
            ToolState::ApprovalResponded => call.answer_invalidated() || flags.answer != Answer::Yes,
            // The question was lost on the way into the storage of the messages (C69).
            ToolState::InputAvailable => call.lost() && approval == 0,
            _ => flags.has_output() || (flags.residue && flags.state == ToolState::OutputAvailable),
        };
        return if ask { Repair::Ask } else { Repair::Keep };
    }
    // What another tab sends must not run once more.
    if call.elsewhere() && call.allowed() && flags.answer == Answer::Yes && !flags.has_output() {
        return if scope == Scope::Wire { Repair::Deny } else { Repair::Keep };
    }
    // A replayed stream has put the question back over an answer that no request has carried.
    let replayed = call.delivery() == Delivery::Unsent && flags.state == ToolState::ApprovalRequested;
    if call.allowed() && call.output().is_none() && replayed { Repair::Allow } else { Repair::Keep }
}

/// The repair of a part that stands in the very request that carries what was answered to its call, and needs
/// no other.
pub fn carried(call: &Call, flags: PartFlags) -> Repair {
    let lost = call.lost() && flags.state == ToolState::InputAvailable;
    let asks = flags.state == ToolState::ApprovalRequested || lost;
    let stands = call.allowed() && call.output().is_none() && !call.superseded();
    if asks && stands { Repair::Allow } else { Repair::Keep }
}

/// Why a call is denied, where no person has said it.
pub fn cause(call: &Call) -> Option<Cause> {
    if call.superseded() {
        return Some(if call.in_doubt_before() { Cause::Doubt } else { Cause::Superseded });
    }
    match call.decision()?.actor {
        Actor::Tab if call.allowed() => Some(Cause::Doubt),
        Actor::Timer => Some(Cause::Expired),
        Actor::Unattended => Some(Cause::Unattended),
        Actor::Grant if call.denied() => Some(Cause::DenyChat),
        _ => None,
    }
}

/// Would an allowance that is on its way stand before a message that overtakes it, without a
/// result? The server refuses such a list, so it leaves as a denial that says what is not known.
pub fn overtaken(call: &Call, flags: PartFlags) -> bool {
    call.allowed() && flags.state == ToolState::ApprovalResponded && !flags.provider
}

fn deny(call: &Call, flags: PartFlags, approval: StringId, scope: Scope) -> Repair {
    let shown = flags.answer == Answer::No && approval == call.approval();
    match flags.state {
        ToolState::OutputDenied => {
            if flags.residue || !(shown || call.approval() == 0) {
                Repair::SettleDenial
            } else {
                Repair::Keep
            }
        }
        ToolState::ApprovalResponded if shown && !flags.residue => {
            if call.closed_by_user_message() || (scope == Scope::Home && call.settled()) {
                Repair::SettleDenial
            } else {
                Repair::Keep
            }
        }
        _ if call.settled() => Repair::SettleDenial,
        _ => Repair::Deny,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::call::Delivery::{self, Unsent};
    use crate::core::call::samples::{asking, changed, decided, plain};
    use crate::core::decision::Author;
    use crate::core::event::{Event, EventKind};
    use Answer::{Absent, No, Yes};
    use ToolState::*;

    const AP: StringId = 3;

    fn flags(state: ToolState, answer: Answer, residue: bool) -> PartFlags {
        PartFlags { state, answer, provider: false, preliminary: false, residue, by_guard: false }
    }

    fn settled(approved: bool) -> Call {
        changed(decided(approved, Unsent), &[Event::on(0, EventKind::Settled, Actor::Server)])
    }

    fn check(call: &Call, table: &[(PartFlags, StringId, Scope, Repair)]) {
        for &(flags, approval, scope, expected) in table {
            assert_eq!(repair(call, flags, approval, scope), expected, "{flags:?} {approval} {scope:?}");
        }
    }

    #[test]
    fn a_denied_call_leaves_as_a_denial() {
        check(
            &decided(false, Unsent),
            &[
                (flags(ApprovalResponded, No, false), AP, Scope::Wire, Repair::Keep),
                (flags(ApprovalResponded, No, true), AP, Scope::Wire, Repair::Deny),
                (flags(ApprovalResponded, No, false), 9, Scope::Wire, Repair::Deny),
                (flags(ApprovalResponded, Yes, false), AP, Scope::Wire, Repair::Deny),
                (flags(ApprovalRequested, Absent, false), AP, Scope::Wire, Repair::Deny),
                (flags(OutputAvailable, Absent, true), 0, Scope::Wire, Repair::Deny),
                (flags(OutputError, No, true), AP, Scope::Home, Repair::Deny),
                (flags(Unknown, Absent, false), 0, Scope::Wire, Repair::Deny),
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
                (flags(OutputAvailable, Absent, true), 0, Scope::Wire, Repair::SettleDenial),
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
                (flags(OutputAvailable, Absent, true), 0, Scope::Wire, Repair::Ask),
                (flags(OutputError, Absent, true), 0, Scope::Home, Repair::Ask),
                (flags(ApprovalResponded, Answer::Malformed, false), AP, Scope::Wire, Repair::Ask),
                (flags(ApprovalResponded, Yes, false), AP, Scope::Wire, Repair::Keep),
            ],
        );
        let answer_invalidated = changed(asking(), &[Event::on(0, EventKind::Voided, Actor::Server)]);
        check(&answer_invalidated, &[(flags(ApprovalResponded, Yes, false), AP, Scope::Wire, Repair::Ask)]);
    }

    #[test]
    fn an_allowance_that_the_chat_does_not_show_goes_with_the_request_that_carries_it() {
        let question = flags(ApprovalRequested, Absent, false);
        assert_eq!(carried(&decided(true, Unsent), question), Repair::Allow);
        assert_eq!(carried(&decided(false, Unsent), question), Repair::Keep);
        assert_eq!(carried(&asking(), question), Repair::Keep);
        assert_eq!(carried(&decided(true, Unsent), flags(ApprovalResponded, Yes, false)), Repair::Keep);
        let done = changed(decided(true, Unsent), &[Event::put_out(0, EventKind::Output, Author::Page)]);
        assert_eq!(carried(&done, question), Repair::Keep);
    }

    #[test]
    fn a_replayed_question_gets_back_only_an_allowance_that_is_unsent() {
        let question = flags(ApprovalRequested, Absent, false);
        check(&decided(true, Unsent), &[(question, AP, Scope::Home, Repair::Allow)]);
        let sent = decided(true, Delivery::Sent(1));
        check(&sent, &[(question, AP, Scope::Home, Repair::Keep)]);
    }

    #[test]
    fn an_abandoned_call_of_the_page_fails_and_everything_else_is_kept() {
        let abandoned = changed(plain(), &[Event::superseded(0, false)]);
        let input = flags(InputAvailable, Absent, false);
        check(&abandoned, &[(input, 0, Scope::Wire, Repair::Fail)]);
        check(&plain(), &[(input, 0, Scope::Wire, Repair::Keep)]);
        let ran = changed(decided(true, Unsent), &[Event::put_out(0, EventKind::Output, Author::Server)]);
        check(&ran, &[(flags(OutputAvailable, Yes, true), AP, Scope::Wire, Repair::Keep)]);
    }

    #[test]
    fn only_an_allowance_without_a_result_can_be_overtaken() {
        let answered = flags(ApprovalResponded, Yes, false);
        assert!(overtaken(&decided(true, Unsent), answered));
        assert!(!overtaken(&decided(false, Unsent), answered));
        assert!(!overtaken(&decided(true, Unsent), PartFlags { provider: true, ..answered }));
        assert!(!overtaken(&decided(true, Unsent), flags(OutputAvailable, Yes, true)));
    }
}
