//! What leaves the browser: the repairs that a message list needs.

use super::call::{Answer, Call, Delivery, Facts, Symbol};
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
pub fn repair(call: &Call, facts: Facts, approval: Symbol, scope: Scope) -> Repair {
    if call.denied() {
        return deny(call, facts, approval, scope);
    }
    if call.superseded {
        return if facts.begins() { Repair::Fail } else { Repair::Keep };
    }
    if call.asking() {
        let ask = match facts.state {
            ToolState::ApprovalResponded => call.void || facts.answer != Answer::Yes,
            _ => facts.has_output() || (facts.residue && facts.state == ToolState::OutputAvailable),
        };
        return if ask { Repair::Ask } else { Repair::Keep };
    }
    // A replayed stream has put the question back over an answer that no request has carried.
    let replayed = call.delivery == Delivery::Unsent && facts.state == ToolState::ApprovalRequested;
    if call.allowed() && call.output.is_none() && replayed { Repair::Allow } else { Repair::Keep }
}

/// Would an allowance that is on its way stand before a message that overtakes it, without a
/// result? The server refuses such a list, so it leaves as a denial that says what is not known.
pub fn overtaken(call: &Call, facts: Facts) -> bool {
    call.allowed() && call.output.is_none() && facts.state == ToolState::ApprovalResponded && !facts.provider
}

fn deny(call: &Call, facts: Facts, approval: Symbol, scope: Scope) -> Repair {
    let shown = facts.answer == Answer::No && approval == call.approval;
    match facts.state {
        ToolState::OutputDenied => {
            if facts.residue || !(shown || call.approval == 0) {
                Repair::SettleDenial
            } else {
                Repair::Keep
            }
        }
        ToolState::ApprovalResponded if shown && !facts.residue => {
            if scope == Scope::Home && call.settled {
                Repair::SettleDenial
            } else {
                Repair::Keep
            }
        }
        _ if call.settled => Repair::SettleDenial,
        _ => Repair::Deny,
    }
}
