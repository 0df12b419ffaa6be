//! What the shell is to do after a fact.

use super::deliveries::News;
use crate::core::decision::Refusal;
use crate::core::id::{CallId, GrantId, RequestId};
use crate::core::repair::Needed;
use crate::core::rewrite::{Keeps, KeptOutput};
use crate::core::verdict::Reason;

vocabulary! {
    /// A problem that is reported to the application.
    Problem {
        /// The page wrote an output over a call that asks.
        OutputOverOpenApproval = "output-over-open-approval",
        /// The server sent an output of a denied call, which may have run.
        OutputOfDeniedCall = "output-of-denied-call",
        /// `approval-responded` without a boolean answer or without an approval id.
        MalformedApproval = "malformed-approval",
        /// A request for another chat.
        WrongChat = "wrong-chat",
        /// An answer to an unknown approval.
        UnknownApproval = "unknown-approval",
        /// The page wrote an output for a call that waits, and the SDK puts it over that of another call.
        MisplacedOutput = "misplaced-output",
        /// A yes led to no request through the guard's transport, so what was sent was not repaired.
        UnwatchedRequest = "unwatched-request",
        /// A message of the user, or what the page has said of a call, is not in the request, or its server did not take it.
        NotInRequest = "not-in-request",
    }
}

/// How a permitted send is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permitted {
    /// There is nothing to send.
    Nothing,
    /// A call of the step is open.
    Waiting,
    /// By continuing the last message.
    Continue,
    /// By writing the output of this call again, because continuing would pick an older message.
    Rewrite(CallId),
}

/// The result of a decision, an undo, or a commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Taken {
    /// It was done, for the calls in [`Effects::calls`].
    #[default]
    Done,
    /// A person's denial of an expired call was recorded. If it gives a grant, the calls in
    /// [`Effects::calls`] were answered too.
    LateDenial,
    /// It was refused; nothing changed.
    Refused(Refusal),
    /// A call of the batch still waits for a decision.
    Waiting,
    /// The response that contains the questions has not ended.
    Responding,
    /// There is nothing to commit.
    Nothing,
}

/// The effects of one fact.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// For [`Fact::Part`], the call of the part; `None` if the known call is further along, so that the list
    /// is older and says nothing. For [`Fact::Restore`], the call. For [`Fact::Decided`], the call that was answered. For an
    /// act that names a call, the one that was found.
    pub call: Option<CallId>,
    /// For [`Fact::Part`], what the shell keeps of the part.
    pub keeps: Keeps,
    /// For [`Fact::Part`], what becomes of the part that is kept for its output.
    pub kept_output: KeptOutput,
    /// For [`Fact::Ask`], the verdict.
    pub reason: Option<Reason>,
    /// For [`Fact::Leaving`], whether another request of this tick has already taken everything along; for
    /// [`Fact::Waited`], whether any has.
    pub overtaken: bool,
    /// For [`Fact::Send`], the number of the request; 0 if it is held, or refused because of the last problem.
    pub request: RequestId,
    /// For [`Fact::Send`], whether the request is held: calls of the last step are open or on their way, or the application has
    /// set another list since the yes.
    pub held: bool,
    /// For [`Fact::Send`], whether a person has moved on.
    pub person: bool,
    /// For [`Fact::Permit`], how to carry it out.
    pub permitted: Option<Permitted>,
    /// The result of a decision, an undo or a commit.
    pub taken: Taken,
    /// The calls that were answered along with it, or are committed. For [`Fact::Wake`], those that the page did not run in
    /// time: each is to get an error as its output.
    pub calls: Vec<CallId>,
    /// The calls that ask again.
    pub undone: Vec<CallId>,
    /// For [`Fact::Decide`], the grant that was given. For [`Fact::Granted`], the one that would answer.
    pub grant: GrantId,
    /// For [`Fact::Repair`], the repair.
    pub needed: Option<Needed>,
    /// For [`Fact::Unsent`], the index of the first message that the server needs, and what is new.
    pub unsent: Option<(usize, Vec<News>)>,
    /// The problems to report.
    pub problems: Vec<(Problem, Option<CallId>)>,
}
