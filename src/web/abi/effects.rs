//! The effects as they cross: the module writes them into its memory, one after the other.

messages! {
    /// An effect.
    EffectRow {
        /// The result for a part, or for a call that the record knows.
        Seen {
            /// The call; 0 if the list is older and says nothing.
            call,
            /// Whether any of its parts can need a repair.
            watched,
            /// The approval id of the call, which its part may have lost; 0 for none.
            approval,
            /// What is kept of the part, a `Keeps`.
            keeps,
            /// A `KeptOutput`.
            kept_output,
        }
        /// The answer to the SDK's question. It is missing if the whole list has to be read first.
        Verdict {
            /// A `Reason`.
            reason,
        }
        /// Whether the request may leave at all.
        Leaving {
            /// Whether another request, or another tab, has already taken everything along.
            overtaken,
        }
        /// The result for a request.
        Request {
            /// Its number; 0 if it is held, or refused because of the last problem.
            request,
            /// Whether a person has moved on.
            person,
            /// Whether it is held until the open calls are settled.
            held,
        }
        /// The call that was answered through the chat.
        Answered {
            /// The call; 0 if there is none, or if the answer does not count.
            call,
        }
        /// How a retry or resume is carried out.
        Permitted {
            /// A `Way`.
            way,
            /// The call whose output is to be written again, or 0.
            call,
        }
        /// The result of a person's act, or of a commit.
        Taken {
            /// A `Taken`.
            taken,
            /// The `Refusal`, or NaN.
            refusal,
            /// The grant that was given, or 0.
            grant,
            /// The call concerned, or 0.
            call,
        }
        /// A call that it changed too; these rows follow it.
        Changed {
            /// The call.
            call,
            /// Whether it is allowed.
            approved,
            /// The `Cause` of the denial if no person gave a reason, or NaN.
            cause,
        }
        /// The repair that a part needs. A part that needs none has no such row.
        Repair {
            /// Which question of the crossing it answers, from 0.
            question,
            /// A `Repair`.
            repair,
            /// The `Cause` of the denial if no person gave a reason, or NaN.
            cause,
            /// The denial that the part shows stays as it is.
            keeps_shown_denial,
            /// The `InputRepair`.
            input,
        }
        /// Which grant would answer a call.
        Granted {
            /// The grant, or 0.
            grant,
        }
        /// The page did not run a call in time: it is to get an error as its output.
        TimedOut {
            /// The call.
            call,
        }
        /// Of the listed messages, something that the server does not have.
        News {
            /// The index of the message.
            index,
            /// The call, or 0 for the message itself.
            call,
        }
        /// What the server needs of the listed messages.
        Unsent {
            /// The index of the first message.
            from,
        }
        /// A problem to report.
        Problem {
            /// A `Problem`.
            problem,
            /// The call, or 0.
            call,
        }
    }
}

vocabulary! {
    /// The result of a person's act, or of a commit.
    TakenCode {
        /// It was done.
        Done = "done",
        /// A person's denial of an expired call was recorded.
        LateDenial = "late-denial",
        /// A call of the batch still waits for a decision.
        Waiting = "waiting",
        /// The response that contains the questions has not ended.
        Responding = "responding",
        /// There is nothing to commit.
        Nothing = "nothing",
        /// It was refused; nothing changed.
        Refused = "refused",
    }
}

vocabulary! {
    /// How a retry or resume is carried out.
    Way {
        /// Not at all: there is nothing to send.
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
        /// The entries of the ledger, from an index on.
        Entries = "entries",
        /// The calls that have changed since the ledger had this many entries.
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
        /// The fields whose fingerprints are needed by grants.
        Wanted = "wanted",
        /// Whether a choice about any of these calls would answer the same ones, and the waiting calls that such
        /// a choice about a call would answer.
        Covered = "covered",
        /// The call with an id; nothing if there is not exactly one.
        Named = "named",
        /// The strings that are in use.
        Strings = "strings",
        /// The fingerprints that are in use.
        Fingerprints = "fingerprints",
    }
}
