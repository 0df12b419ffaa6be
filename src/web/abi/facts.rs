//! The facts as they cross: the shell writes them into the module's memory, one after the other.

messages! {
    /// A fact. Calls are numbered from 1; 0 means none. Flags are 0 or 1. `part` is the number, from 1, of a
    /// part among these facts.
    FactRow {
        /// The options of a guard, given once when it is opened. A time without limit is infinite.
        Options {
            /// Whether answers cause a send.
            send_on_approvals,
            /// Whether outputs of the page cause a send.
            send_on_outputs,
            /// Whether a step in which everything new is denied waits.
            hold_all_denied,
            /// Whether an answer is sent while other calls of its step still wait for theirs.
            send_each,
            /// Whether open calls are denied when a person moves on.
            deny_when_user_sends,
            /// Whether somebody is there to answer.
            attended,
            /// The most automatic sends between two acts of a person.
            max_automatic,
            /// The chat; 0 binds the guard to the chat of the first request.
            chat,
            /// The application's id of the person at the screen, or 0.
            user,
            /// How long a decision can be undone.
            undo,
            /// The same for a batch with an allowance of a dangerous call.
            undo_dangerous,
            /// How long before its deadline a call is reported as about to expire.
            warn,
            /// How long a call of a tool that runs in the page may wait for its output.
            output,
        }
        /// A tool that runs in the page. It follows the options, or comes when its calls are seen.
        ClientTool {
            /// Its name.
            tool,
        }
        /// A tool that the server no longer has; follows the options.
        UnavailableTool {
            /// Its name.
            tool,
        }
        /// A part that is new or has changed.
        Part {
            /// The call that the part showed before, or 0.
            known,
            /// A `Source`: the list that shows it. A part of the server's list precedes `Adopt`.
            source,
            /// The message.
            message,
            /// The index of the message.
            index,
            /// The index of the last user message before it, plus 1; 0 for none.
            turn,
            /// The step in the message.
            step,
            /// How many parts with the same call id precede it in the step.
            occurrence,
            /// The name of the tool.
            tool,
            /// The server of the tool, or 0.
            server,
            /// The call id.
            id,
            /// The approval id, or 0.
            approval,
            /// The state and the `PartBit`s.
            flags,
            /// The digest of the input, low half.
            input_low,
            /// The high half.
            input_high,
            /// The digest of the output or error, low half.
            output_low,
            /// The high half.
            output_high,
        }
        /// The part of a call is not in its old place.
        Missing {
            /// The call.
            call,
        }
        /// A call is elsewhere too.
        Relocated {
            /// The part that shows the call, or 0.
            part,
            /// The call, if there is no part.
            call,
        }
        /// The whole list was read.
        ScanComplete {
            /// The `Trigger` of the scan, as the cause if calls are gone.
            trigger,
        }
        /// One call of the last step; precedes `Step`.
        StepPart {
            /// The part that shows the call, or 0.
            part,
            /// The call, if there is no part, or if the part says nothing new.
            call,
            /// The flags of the part.
            flags,
        }
        /// The last step was read.
        Step {
            /// Whether the last message is from the assistant.
            assistant,
            /// Whether text follows the last call.
            text,
        }
        /// The listed messages and the parts of the server's list so far come from the server.
        Adopt {}
        /// Whether the attached chat tells each answer that is given through it.
        Heard {
            /// Whether it does.
            on,
        }
        /// Whether what is seen is history.
        Hydrate {
            /// Whether this begins (1) or ends (0).
            on,
        }
        /// The SDK asks whether the chat may submit now.
        Ask {}
        /// The chat does not ask about an answer, or drops a yes: it is busy, or being stopped.
        Missed {}
        /// The transport was asked; the request may still wait for its turn.
        Leaving {
            /// The identity of the abort signal of the request; 0 for none.
            signal,
            /// The identity of its last message; 0 for none.
            last,
            /// The number of its messages.
            length,
            /// The `Target` that it names.
            target,
            /// Whether the chat keeps a queue of requests.
            queues,
        }
        /// A message of a list that leaves, or may leave; precedes its parts.
        ListedMessage {
            /// Its id, or 0.
            message,
            /// Whether it is the model's.
            assistant,
            /// The digest of its parts if it is not, low half.
            content_low,
            /// The high half.
            content_high,
        }
        /// A part with a call of the last `ListedMessage`.
        ListedPart {
            /// The call, or 0.
            call,
            /// The flags of the part.
            flags,
            /// The digest of the output or error, low half.
            output_low,
            /// The high half.
            output_high,
        }
        /// The listed messages leave with a request.
        Carried {
            /// The request.
            request,
        }
        /// Asks which of the listed messages the server needs.
        Unsent {}
        /// The body of a request lacks what the server does not have.
        Lacking {
            /// The request.
            request,
            /// The message.
            message,
            /// The call, or 0 for the message itself.
            call,
        }
        /// The response to a request names the message that it is.
        Begun {
            /// The request.
            request,
            /// The message.
            message,
        }
        /// A request without a permission of a person has waited for its transaction.
        Waited {
            /// Whether it has no message of a person.
            continues,
            /// Whether it followed a yes when it began to wait.
            promised,
            /// The number of the latest request when it began to wait.
            latest,
        }
        /// The transport was asked to send the list that was just read.
        Send {
            /// The chat.
            chat,
            /// The `Trigger` of the request.
            trigger,
            /// Whether the last message is from the assistant.
            continues,
        }
        /// The response to a request started.
        Started {
            /// The request.
            request,
        }
        /// The response to a request ended.
        Ended {
            /// The request.
            request,
        }
        /// A request, or its response, failed.
        Failed {
            /// The request.
            request,
            /// Whether the transport was asked for it.
            asked,
            /// The status of its error, or NaN.
            status,
        }
        /// A chunk of a response about one call.
        Chunk {
            /// The request; 0 for a resumed response.
            request,
            /// A `Chunk`.
            kind,
            /// The name of the tool, or 0.
            tool,
            /// The call id.
            id,
            /// The approval id, or 0.
            approval,
            /// 0: no answer, 1: no, 2: yes.
            approved,
            /// The digest of the output or error, low half.
            output_low,
            /// The high half.
            output_high,
            /// Whether more of the output follows.
            preliminary,
        }
        /// A person answered through the chat.
        Decided {
            /// The approval id.
            approval,
            /// Whether it was allowed.
            approved,
        }
        /// The page is about to be shown what is so.
        Look {}
        /// The page is about to write an output through the chat.
        PageOutput {
            /// The call id.
            id,
            /// The digest of the output, or of the error.
            output_low,
            /// The second half of the digest.
            output_high,
        }
        /// The person stopped the chat.
        Stopped {}
        /// A person asks to send again.
        Permit {
            /// A `Permit`.
            permit,
        }
        /// A permitted send led to no request.
        PermitOver {}
        /// The annotations that the application makes to a call that asks.
        Annotate {
            /// The part that shows the call, or 0.
            part,
            /// The call, if there is no part.
            call,
            /// Whether it may do harm.
            dangerous,
            /// How long it may wait; an invalid duration is clamped.
            lifetime,
        }
        /// The ruling on a call that asks.
        EvaluateRule {
            /// The part that shows the call, or 0.
            part,
            /// The call, if there is no part.
            call,
            /// An `Effect`; any other number is an unknown effect.
            effect,
            /// Whether it always asks.
            always,
            /// The id of the rule, or 0.
            rule,
        }
        /// The fingerprint of an input.
        Fingerprint {
            /// The part that shows the call, or 0.
            part,
            /// The call, if there is no part.
            call,
            /// The list of fields, or 0 for the whole input.
            fields,
            /// The number of the fingerprint; 0 for none.
            fingerprint,
        }
        /// The fingerprints so far are void.
        ForgetFingerprints {}
        /// Everything about a call that asks has been passed on.
        Match {
            /// The part that shows the call, or 0.
            part,
            /// The call, if there is no part.
            call,
        }
        /// The record knows a call.
        Restore {
            /// The part that shows the call, or 0.
            part,
            /// The call, if there is no part.
            call,
            /// Its approval id.
            approval,
            /// 0: no answer, 1: no, 2: yes.
            approved,
            /// The `Actor` of the answer.
            actor,
            /// A `Reach`.
            reach,
            /// Whether the answer is a draft.
            draft,
            /// Whether the call has its result, or its denial is settled.
            settled,
            /// Whether the input is the one for which the answer was given.
            same_input,
            /// Whether the answer was withdrawn.
            taken_back,
            /// Whether the record has found its allowance in the messages.
            found,
            /// Whether it was answered in another page that is still open.
            elsewhere,
            /// When it first asked, by the wall clock, or infinity.
            asked_at,
            /// When its time ends, by the wall clock, or infinity.
            deadline,
            /// The latest time that another page has known, by the wall clock, or infinity.
            latest,
            /// How many questions of the record the part may have lost; 0 where it shows its approval id.
            candidates,
            /// The person who drafted it, or 0.
            user,
        }
        /// The record knows a grant.
        RestoreGrant {
            /// The name of the tool.
            tool,
            /// The server of the tool, or 0.
            server,
            /// Whether it allows.
            approved,
            /// The inputs that it covers: -1 for all, 0 for the same input, otherwise the id of a list of
            /// fields.
            fields,
            /// The fingerprint of what it covers; 0 for none.
            fingerprint,
            /// How long it is still valid.
            lifetime,
        }
        /// The record knows how many requests have left by themselves since a person acted.
        RestoreSends {
            /// How many.
            sends,
        }
        /// An input that a grant may cover, for the next `Granted`.
        GrantKey {
            /// The fields; 0 for the whole input.
            fields,
            /// Their fingerprint; 0 for none.
            fingerprint,
        }
        /// Asks which grant would answer a call of a tool, with the input of the keys before.
        Granted {
            /// The name of the tool.
            tool,
            /// The server of the tool, or 0.
            server,
        }
        /// A person decides.
        Decide {
            /// The call; 0 if it is given by an id.
            call,
            /// An approval id or a call id.
            id,
            /// A `Choice`.
            choice,
            /// The inputs that a lasting choice covers, as in `RestoreGrant`.
            fields,
            /// How long a lasting choice is valid.
            lifetime,
            /// The program that decides; 0 if a person does.
            program,
            /// Whether an input was shown to the person; its digest follows.
            shown,
            /// The call with that input; 0 if it is whichever call is found.
            shown_call,
            /// The digest of the input that was shown, low half.
            shown_low,
            /// The high half.
            shown_high,
            /// The server of the tool that was shown with it, or 0.
            shown_server,
        }
        /// A person undoes a draft.
        Undo {
            /// The call; 0 if it is given by an id.
            call,
            /// An approval id or a call id.
            id,
            /// Whether another row follows whose draft is undone together with this one.
            more,
        }
        /// A person undoes all drafts.
        UndoAll {}
        /// The drafts are to be written into the messages.
        Commit {
            /// A `CommitCause`.
            cause,
            /// Whether a chat is attached.
            attached,
            /// Whether only the result is wanted, without the commit.
            trial,
        }
        /// A person wants more time.
        Extend {
            /// The call; 0 if it is given by an id.
            call,
            /// An approval id or a call id.
            id,
        }
        /// A person wants to see the hidden parts of an input.
        Unmask {
            /// The call; 0 if it is given by an id.
            call,
            /// An approval id or a call id.
            id,
        }
        /// A person ends a grant.
        Revoke {
            /// The grant.
            grant,
            /// Whether it was ended in another tab.
            elsewhere,
        }
        /// A person ends all grants.
        RevokeAll {}
        /// Asks which repair a part needs.
        Repair {
            /// The part, or 0.
            part,
            /// The call, if there is no part, or if the part says nothing new.
            call,
            /// The flags of the part.
            flags,
            /// The approval id that it shows.
            approval,
            /// A `Scope`.
            scope,
        }
        /// Time has passed.
        Wake {
            /// Whether the chat says that it is sending.
            sending,
        }
        /// The guard ends.
        Leave {}
    }
}
