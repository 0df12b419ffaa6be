//! The effects as they cross: the module writes them into its memory, one behind the other.

messages! {
    /// An effect.
    EffectRow {
        /// What became of a part, or of a call that the record knows.
        Seen {
            /// The call; 0 where the list is older and says nothing.
            call,
            /// It can need a repair.
            watched,
            /// The approval id of the call, which its part may have lost; or 0.
            approval,
        }
        /// The answer to a question. There is none where the whole list has to be read first.
        Verdict {
            /// A `Reason`.
            reason,
        }
        /// The request may leave.
        Request {
            /// Its number; 0 where it is refused, for the last problem.
            request,
            /// A person has moved on.
            person,
        }
        /// The call that an answer of the chat is about.
        Answered {
            /// Which; 0 for none, and where it does not count.
            call,
        }
        /// How what a person asked for is sent.
        Permitted {
            /// A `Way`.
            way,
            /// The call whose output is to be written again, or 0.
            call,
        }
        /// What became of an act of a person, or of a commit.
        Taken {
            /// A `Taken`.
            taken,
            /// The `Refusal`, or NaN.
            refusal,
            /// The grant that was given, or 0.
            grant,
            /// The call that was meant, or 0.
            call,
        }
        /// A call that it changed too; behind it.
        Changed {
            /// Which.
            call,
            /// It is allowed.
            approved,
            /// The `Cause` of its denial where no person has said it, or NaN.
            cause,
        }
        /// The repair of a part.
        Repair {
            /// A `Repair`.
            repair,
            /// The `Cause` of a denial where no person has said it, or NaN.
            cause,
        }
        /// What is to be reported.
        Problem {
            /// A `Problem`.
            problem,
            /// The call, or 0.
            call,
        }
    }
}

vocabulary! {
    /// What became of an act of a person, or of a commit.
    TakenCode {
        /// It happened.
        Done = "done",
        /// A denial of what had expired was counted as a person's.
        Counted = "counted",
        /// A call of the batch waits.
        Waiting = "waiting",
        /// The response that asked has not ended.
        Responding = "responding",
        /// There is nothing to commit.
        Nothing = "nothing",
        /// Nothing changed.
        Refused = "refused",
    }
}

vocabulary! {
    /// How what a person asked for is sent.
    Way {
        /// Not at all: there is nothing of that kind.
        Nothing = "nothing",
        /// Not now: a call of the step is open.
        Waiting = "waiting",
        /// By continuing the last message.
        Continue = "continue",
        /// By writing an output again.
        Rewrite = "rewrite",
    }
}

vocabulary! {
    /// The tables that are read on demand.
    Table {
        /// The entries of the ledger, from one on.
        Entries = "entries",
        /// The calls that have changed since the ledger had so many entries.
        Calls = "calls",
        /// The batch.
        Batch = "batch",
        /// The calls that wait for a decision.
        Pending = "pending",
        /// The grants that have not ended.
        Grants = "grants",
        /// One grant.
        Grant = "grant",
        /// The verdict, and what the open calls of the last step wait for.
        Verdict = "verdict",
        /// The fields whose fingerprints grants ask for.
        Wanted = "wanted",
        /// The waiting calls that a choice about a call would answer too.
        Covered = "covered",
        /// The strings that are in use.
        Strings = "strings",
        /// The fingerprints that are in use.
        Fingerprints = "fingerprints",
    }
}
