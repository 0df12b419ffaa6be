//! The facts that the shell tells the guard, and its questions: one at a time. A fact is declared here, and nowhere else.

use super::{
    Attempt, CommitCause, Covers, EditGiven, Failure, Known, Lifetime, Listed, Named, Shown, Trigger, Waited,
    WaitedFor,
};
use crate::core::call::{Digest, PartFacts, PartFlags};
use crate::core::clock::Time;
use crate::core::decision::{Choice, Ruling};
use crate::core::grant::{Cover, Fingerprint, Tool};
use crate::core::id::{CallId, GrantId, RequestId, StringId};
use crate::core::protocol::Chunk;
use crate::core::repair::Scope;
use crate::core::verdict::{Permit, Step};

row! {
    /// The content of a chunk.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Said {
        /// The name of the tool, or 0.
        pub tool: StringId,
        /// `approvalId`, or 0.
        pub approval: StringId,
        /// `approved`
        pub approved: Option<bool>,
        /// The digest of the output, of the error, or of the input that a resumed response repeats; else 0.
        pub content: Digest,
        /// Whether more of the output follows.
        pub preliminary: bool,
    }
}

row! {
    /// A choice about a call.
    #[derive(Clone, Debug)]
    pub struct Chosen {
        /// The choice.
        pub choice: Choice,
        /// The calls that it covers if it lasts.
        pub covers: Covers,
        /// The time for which it is valid if it lasts.
        pub lifetime: Option<Time>,
        /// The input that the call is allowed with, if not with the one that the model asked for.
        pub edit: EditGiven,
    }
}

tuple_row! {
    /// A message that is not the model's, with the digest of its content.
    Content = (message: StringId, content: Digest)
}

tuple_row! {
    /// Fields of an input, with their fingerprint.
    FieldsKey = (fields: StringId, fingerprint: Fingerprint)
}

tagged_rows! {
    /// A fact.
    #[derive(Clone, Debug)]
    Fact {
        /// The page runs this tool, which it may have registered after its calls were seen.
        ClientTool(tool: StringId),
        /// A tool part that is new or has changed. `known` is the call that the last scan returned for this part.
        /// A list that is not `current` may be older than what was seen since.
        Part {
            /// The call that the part showed before.
            known: Option<CallId>,
            /// The part as it is now.
            part: PartFacts,
            /// Whether this is surely the newest list.
            current: bool,
        },
        /// The message of a call is not in its old place; the same scan may still find it elsewhere.
        Missing(call: CallId),
        /// The message of a call is also elsewhere, unchanged.
        Relocated(call: CallId),
        /// The scan of the whole list is complete: calls that are still missing are gone. The trigger is the cause.
        ScanComplete(trigger: Trigger),
        /// The last step, after a scan.
        Step(step: Step),
        /// A list comes from the server, and what it says happened. The chat may not show it yet.
        Adopt {
            /// The messages that are not the model's, with the digests of their contents.
            messages: Vec<(StringId, Digest)>,
            /// The parts with calls. Their places do not matter.
            parts: Vec<PartFacts>,
        },
        /// Starts (`true`) or ends the first `attach`: what is seen in between is history.
        Hydrate(on: bool),
        /// Whether the attached chat reports each answer that is given through it, so that what only its messages show is old.
        ReportsAnswers(on: bool),
        /// The SDK asks whether the chat may submit now. A yes is a lease until [`Fact::LeaseOver`]. There is no verdict while a
        /// part is not in its old place: then the whole list has to be read first.
        Ask,
        /// The chat asks while it is being stopped, so that it drops what it is told.
        AskedInVain,
        /// The tick of the event loop is over.
        LeaseOver {
            /// Whether the chat says that it is sending, so that a request may only be slow.
            sending: bool,
        },
        /// The transport was asked to send; the request may still wait for this tab's transaction.
        Outgoing {
            /// The request.
            attempt: Attempt,
            /// Whether the chat keeps a queue of requests.
            queues: bool,
        },
        /// A request without a permission of a person has waited for its transaction. It is overtaken if another one has sent
        /// what it would.
        Waited(waited: Waited),
        /// The transport was asked to send the list that was just scanned.
        Send {
            /// The chat.
            chat: StringId,
            /// The cause of the request.
            trigger: Trigger,
            /// Whether the last message is from the assistant.
            continues: bool,
        },
        /// The response to a request started. A resumed response has the number 0, and runs from the moment it is asked for.
        Started(request: RequestId),
        /// The response to a request ended.
        Ended(request: RequestId),
        /// A request, or its response, failed.
        Failed {
            /// The request.
            request: RequestId,
            /// The kind of the failure.
            failure: Failure,
        },
        /// The list that leaves with a request.
        Carried {
            /// The request.
            request: RequestId,
            /// Its messages, as they leave.
            list: Vec<Listed>,
        },
        /// Asks which of these messages the server needs.
        Unsent(list: Vec<Listed>),
        /// The body of a request lacks what the server does not have: a message, or what the page has said of a call.
        Lacking {
            /// The request.
            request: RequestId,
            /// The message.
            message: StringId,
            /// The call; `None` for the message itself.
            call: Option<CallId>,
        },
        /// The response to a request names the message that it is.
        Begun {
            /// The request.
            request: RequestId,
            /// The message.
            message: StringId,
        },
        /// A chunk of a response about one call. `request` is 0 for a resumed response.
        Chunk {
            /// The request that it answers.
            request: RequestId,
            /// The kind of chunk.
            kind: Chunk,
            /// `toolCallId`
            id: StringId,
            /// Its content.
            said: Said,
        },
        /// A person answered through the chat. The messages may not show the answer yet.
        ChatAnswer {
            /// The approval id.
            approval: StringId,
            /// The answer.
            approved: bool,
        },
        /// The page is about to be shown what is so. What has ended by time has ended then (law 12).
        Look,
        /// The page is about to write an output through the chat.
        PageOutput {
            /// The call id.
            id: StringId,
            /// The digest of the output, or of the error.
            output: Digest,
        },
        /// The user stopped the chat.
        Stopped,
        /// A person asks to send again, or to send after a reload.
        Permit(permit: Permit),
        /// A permitted send led to no request.
        PermitOver,
        /// The annotations that the application makes to a call that asks.
        Annotate {
            /// The call.
            call: CallId,
            /// Whether it is dangerous.
            dangerous: bool,
            /// The time that it may wait for an answer.
            lifetime: Lifetime,
        },
        /// The ruling on a call that asks.
        EvaluateRule {
            /// The call.
            call: CallId,
            /// The ruling.
            ruling: Ruling,
        },
        /// The fingerprint of an input, or of some of its fields; 0 if there is none.
        Fingerprint {
            /// The call.
            call: CallId,
            /// The fields; 0 for the whole input.
            fields: StringId,
            /// The number of the fingerprint: equal inputs have equal numbers.
            fingerprint: Fingerprint,
        },
        /// The fingerprints so far are void: new numbers are given from now on.
        ForgetFingerprints,
        /// A call that asks was scanned, and all its fingerprints are known.
        Match(call: CallId),
        /// A person decides.
        Decide {
            /// The call.
            named: Named,
            /// The view that the person decided by.
            shown: Option<Shown>,
            /// The choice.
            chosen: Chosen,
            /// The program that decides; 0 if a person does.
            program: StringId,
        },
        /// A person undoes the drafts of these calls. It is refused if it is refused for all of them.
        Undo(calls: Vec<Named>),
        /// A person undoes all drafts.
        UndoAll,
        /// The drafts are to be answers: for a person now, otherwise when it is time.
        Commit(cause: CommitCause),
        /// Asks for the result of a commit into the attached chat. The commit itself waits for a transaction.
        TryCommit {
            /// Whether a person wants it. Otherwise it may be time.
            by_person: bool,
        },
        /// Asks which committed answers are to be written into the messages.
        Unwritten(waited_for: WaitedFor),
        /// A person wants more time for a call.
        Extend(named: Named),
        /// A person wants to see the hidden parts of an input.
        Unmask(named: Named),
        /// A person ends a grant.
        Revoke {
            /// The grant.
            grant: GrantId,
            /// Whether it was ended in another tab.
            elsewhere: bool,
        },
        /// A person ends all grants.
        RevokeAll,
        /// The record knows a call that the page shows.
        Restore {
            /// The call.
            call: CallId,
            /// The record's knowledge.
            known: Known,
        },
        /// The record knows a grant of an earlier page.
        RestoreGrant {
            /// The tool.
            tool: Tool,
            /// Whether it allows or denies.
            approved: bool,
            /// The calls that it covers.
            cover: Cover,
            /// The time for which it is still valid.
            lifetime: Option<Time>,
        },
        /// Asks which grant would answer a call of a tool.
        Granted {
            /// The tool.
            tool: Tool,
            /// The fingerprints of its input, for each list of fields that a grant may cover; fields 0 for the whole input.
            keys: Vec<(StringId, Fingerprint)>,
        },
        /// Asks which repair a part needs. It changes nothing.
        Repair {
            /// A number, which is returned with the repair.
            number: u32,
            /// The call that the part shows, and its flags.
            shown: (CallId, PartFlags),
            /// The approval id that it shows.
            approval: StringId,
            /// The digest of the input that the model wrote.
            input: Digest,
            /// The digest of the changed input that it shows; 0 for that of the model.
            edit: Digest,
            /// The messages in which it is repaired.
            scope: Scope,
            /// Whether its message is not the last one, although a copy of it may be.
            above: bool,
        },
        /// The record knows how many requests have left by themselves in earlier pages since a person acted.
        RestoreSends(sends: u32),
        /// The shell was woken: it carries out what is due.
        Wake,
        /// The guard ends.
        GuardEnds,
    }
}
