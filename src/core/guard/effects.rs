//! The effects of a fact: the value that it returns, and the problems to report. Each is declared here, and nowhere else.

use super::deliveries::News;
use crate::core::call::Digest;
use crate::core::decision::Refusal;
use crate::core::id::{CallId, GrantId, RequestId, StringId};
use crate::core::repair::{Cause, Needed};
use crate::core::rewrite::{Keeps, KeptOutput};
use crate::core::row::CallNumber;
use crate::core::verdict::Reason;

vocabulary! {
    /// A problem that is reported to the application.
    Problem {
        /// The page wrote an output over a call that asks.
        OutputOverOpenApproval = "output-over-open-approval",
        /// The server sent an output of a denied call, which may have run.
        OutputOfDeniedCall = "output-of-denied-call",
        /// `approval-responded` without a boolean answer or without an approval id, or a stored output beside a question.
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

coded_row! {
    /// The result of a decision, an undo, or a commit.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    ActResult as result: /// The kind of an [`ActResult`].
    #[derive(Default)] ActCode, refusal: Refusal {
        /// It was done, for the calls in [`Act::changed`].
        #[default]
        Done = "done",
        /// A person's denial of an expired call was recorded. If it gives a grant, the calls in [`Act::changed`] were
        /// answered too.
        LateDenial = "late-denial",
        /// A call of the batch still waits for a decision.
        Waiting = "waiting",
        /// The response that contains the questions has not ended.
        Responding = "responding",
        /// There is nothing to commit.
        Nothing = "nothing",
        /// It was refused; nothing changed.
        Refused(Refusal) = "refused",
    }
}

coded_row! {
    /// The way in which a permitted send is carried out.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    Permitted as way: /// The kind of a [`Permitted`].
    Way, call: CallId {
        /// Not at all: there is nothing to send.
        Nothing = "nothing",
        /// Not now: a call of the step is open.
        Waiting = "waiting",
        /// By continuing the last message.
        Continue = "continue",
        /// By writing the output of this call again, because continuing would pick an older message.
        Rewrite(CallId) = "rewrite",
    }
}

row! {
    /// A call that an act has changed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Changed {
        /// The call.
        pub call: CallNumber,
        /// Whether it is allowed.
        pub approved: bool,
        /// The cause of the denial if no person gave a reason.
        pub cause: Option<Cause>,
        /// The digest of the changed input with which it is allowed; 0 for none.
        pub edit: Digest,
    }
}

row! {
    /// The result of an act of a person or a program, or of a commit.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Act {
        /// The kind of the result.
        pub result: ActResult,
        /// The grant that was given, or 0.
        pub grant: GrantId,
        /// The call that was found for the act.
        pub call: Option<CallId>,
        /// The calls that were answered along with it, or are committed. Of an undo and of the end of a grant: those that ask
        /// again.
        pub changed: Vec<Changed>,
    }
}

tagged_rows! {
    /// The value that a fact returns. Those that are not named here return nothing.
    #[derive(Clone, Debug, PartialEq, Eq)]
    Returned {
        /// For [`Fact::Part`] and [`Fact::Restore`].
        Seen {
            /// The call; `None` if the known call is further along, so that the list is older and says nothing.
            call: Option<CallId>,
            /// Whether any of its parts can need a repair.
            watched: bool,
            /// The approval id of the call, which its part may have lost; 0 for none.
            approval: StringId,
            /// The things that the shell keeps of the part.
            keeps: Keeps,
            /// The fate of the part that is kept for its output.
            kept_output: KeptOutput,
        },
        /// For [`Fact::Ask`]. Nothing is returned if the whole list has to be read first.
        Verdict(reason: Reason),
        /// For [`Fact::Outgoing`], whether another request of this tick has already taken everything along; for
        /// [`Fact::Waited`], whether any has.
        Overtaken(overtaken: bool),
        /// For [`Fact::Send`], if the request leaves. If a problem keeps it back, nothing is returned.
        Request {
            /// Its number.
            request: RequestId,
            /// Whether a person has moved on.
            person: bool,
        },
        /// For [`Fact::Send`], if the request is held: calls of the last step are open or on their way, or the application
        /// has set another list since the yes.
        Held,
        /// For [`Fact::ChatAnswer`], the call that was answered; `None` if there is none, or if the answer does not count.
        Answered(call: Option<CallId>),
        /// For [`Fact::Permit`].
        Permitted(permitted: Permitted),
        /// For an act of a person or a program, and for a commit.
        Act(act: Act),
        /// For [`Fact::Repair`], unless the part needs none.
        Repair {
            /// The number that came with the fact.
            number: u32,
            /// The repair.
            needed: Needed,
        },
        /// For [`Fact::Granted`], the grant that would answer, or 0.
        Granted(grant: GrantId),
        /// For [`Fact::Wake`], the calls that the page did not run in time: each is to get an error as its output.
        TimedOut(calls: Vec<CallNumber>),
        /// For [`Fact::Unsent`].
        Unsent {
            /// The index of the first message that the server needs.
            from: usize,
            /// The news.
            news: Vec<News>,
        },
        /// A problem to report. It comes before what its fact returns.
        Problem {
            /// The problem.
            problem: Problem,
            /// The call.
            call: Option<CallId>,
        },
    }
}

/// The effects of one fact.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// The problems to report.
    pub problems: Vec<(Problem, Option<CallId>)>,
    /// The value that the fact returns.
    pub returned: Option<Returned>,
}

impl Effects {
    /// The call of a part, of an answer, or of an act.
    pub fn call(&self) -> Option<CallId> {
        match &self.returned {
            Some(Returned::Seen { call, .. } | Returned::Answered(call)) => *call,
            Some(Returned::Act(act)) => act.call,
            _ => None,
        }
    }

    /// The verdict.
    pub fn reason(&self) -> Option<Reason> {
        if let Some(Returned::Verdict(reason)) = self.returned { Some(reason) } else { None }
    }
}
