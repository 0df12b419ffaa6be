//! The facts as they cross: the shell writes them into the module's memory, one behind the other.

messages! {
    /// A fact. A call is known by its number, from 1; 0 is none. Flags are 0 or 1.
    FactRow {
        /// The options of a guard, once, when it is opened. Times are infinite for what does not end.
        Options {
            /// Answers cause a send.
            send_on_approvals,
            /// Outputs of the page cause a send.
            send_on_outputs,
            /// A step in which all is denied waits.
            hold_all_denied,
            /// What is open is denied when a person moves on.
            deny_when_user_sends,
            /// Somebody is there to ask.
            attended,
            /// The most automatic sends between two acts of a person.
            max_automatic,
            /// The chat, or 0 to bind to that of the first request.
            chat,
            /// How long a decision can be undone.
            undo,
            /// The same for an allowance of a dangerous call.
            undo_dangerous,
            /// How long before its end a call is said to expire.
            warn,
        }
        /// A tool that the page runs; behind the options.
        ClientTool {
            /// Its name.
            tool,
        }
        /// A part was seen that is new or has changed.
        Part {
            /// The call that stood there, or 0.
            known,
            /// The list is surely the newest one.
            current,
            /// The message.
            message,
            /// The index of the message.
            index,
            /// The index behind the message of the user that it responds to.
            turn,
            /// The step in the message.
            step,
            /// The place among the parts of the step with the same call id.
            occurrence,
            /// The name of the tool.
            tool,
            /// The call id.
            id,
            /// The approval id, or 0.
            approval,
            /// The state and the `PartBit`s.
            flags,
            /// The digest of the input.
            input_low,
            /// Its other half.
            input_high,
            /// The digest of the output or error.
            output_low,
            /// Its other half.
            output_high,
        }
        /// The part of a call is not where it was.
        Missing {
            /// Which.
            call,
        }
        /// It stands elsewhere too.
        Relocated {
            /// The part of these facts that shows the call, from 1; 0 for none.
            part,
            /// The call, where none does.
            call,
        }
        /// The whole list was read.
        ScanComplete {
            /// Because of which `Trigger` something may be gone.
            trigger,
        }
        /// One call of the last step; before `Step`.
        StepPart {
            /// The part of these facts that shows it, from 1; 0 for none.
            part,
            /// The call, where none does, or where that part says nothing new.
            call,
            /// The flags of the part that showed this call.
            flags,
        }
        /// The last step was read.
        Step {
            /// The last message is from the assistant.
            assistant,
            /// Text follows the last call.
            text,
        }
        /// Whether what is seen is history.
        Hydrate {
            /// From now on, or no more.
            on,
        }
        /// May the chat submit now?
        Ask {}
        /// The transport is asked, and what it is to send waits for its turn.
        Leaving {}
        /// The transport is asked to send the list that was just read.
        Send {
            /// The chat.
            chat,
            /// The `Trigger` of the request.
            trigger,
            /// The last message is from the assistant.
            continues,
        }
        /// The response to a request has started.
        Started {
            /// Which.
            request,
        }
        /// It has ended.
        Ended {
            /// Which.
            request,
        }
        /// The request, or its response, broke.
        Failed {
            /// Which.
            request,
            /// The transport was asked for it.
            asked,
            /// The status that its error carries, or NaN.
            status,
        }
        /// A chunk of a response about one call.
        Chunk {
            /// Of which request; 0 for a resumed response.
            request,
            /// A `Chunk`.
            kind,
            /// The call id.
            id,
            /// The approval id, or 0.
            approval,
            /// 0: no answer, 1: no, 2: yes.
            approved,
            /// The digest of the output or error.
            output_low,
            /// Its other half.
            output_high,
            /// More of the output is to come.
            preliminary,
        }
        /// A person has answered through the chat.
        Decided {
            /// The approval id.
            approval,
            /// It was allowed.
            approved,
        }
        /// The person stopped the chat.
        Stopped {}
        /// A person asks to send again.
        Permit {
            /// A `Permit`.
            permit,
        }
        /// That led to no request.
        PermitOver {}
        /// What the application says of a call that asks.
        Annotate {
            /// The part of these facts that shows the call, from 1; 0 for none.
            part,
            /// The call, where none does.
            call,
            /// It may do harm.
            dangerous,
            /// How long it may wait; what is no duration is clamped.
            lifetime,
        }
        /// What rules say of a call that asks.
        EvaluateRule {
            /// The part of these facts that shows the call, from 1; 0 for none.
            part,
            /// The call, where none does.
            call,
            /// An `Effect`; any other number stands for an effect that nobody knows.
            effect,
            /// It is always asked.
            always,
            /// The id of the rule, or 0.
            rule,
        }
        /// The fingerprint of an input.
        Fingerprint {
            /// The part of these facts that shows the call, from 1; 0 for none.
            part,
            /// The call, where none does.
            call,
            /// Of these fields, or for 0 of all of it.
            fields,
            /// Its number; 0 where there is none.
            fingerprint,
        }
        /// The fingerprints so far are worth nothing.
        ForgetFingerprints {}
        /// All is told of a call that asks.
        Match {
            /// The part of these facts that shows the call, from 1; 0 for none.
            part,
            /// The call, where none does.
            call,
        }
        /// The record knows a call.
        Restore {
            /// The part of these facts that shows the call, from 1; 0 for none.
            part,
            /// The call, where none does.
            call,
            /// Its approval id.
            approval,
            /// 0: no answer, 1: no, 2: yes.
            approved,
            /// The `Actor` of the answer.
            actor,
            /// A `Reach`.
            reach,
            /// It was not committed.
            draft,
            /// It has its result, or its denial was taken.
            settled,
            /// The input is the one that was answered.
            same_input,
            /// The answer was taken back.
            taken_back,
            /// Another living page has answered.
            elsewhere,
            /// How long it has waited.
            waited,
            /// What is left of its time.
            left,
        }
        /// The record knows a grant.
        RestoreGrant {
            /// The name of the tool.
            tool,
            /// It allows.
            approved,
            /// Which inputs it covers: -1 every one, 0 the same input, else the id of a list of fields.
            fields,
            /// The fingerprint of what it covers; 0 where there is none.
            fingerprint,
            /// How long it lasts.
            lifetime,
        }
        /// A person decides.
        Decide {
            /// Which call; 0 where an id names it.
            call,
            /// The id that names it: an approval id or a call id.
            id,
            /// A `Choice`.
            choice,
            /// What a choice that lasts covers, as in `RestoreGrant`.
            fields,
            /// How long that lasts.
            lifetime,
            /// The person saw an input, whose digest follows.
            shown,
            /// Of this call; 0 where it is that of whichever call is meant.
            shown_call,
            /// The digest of the input that the person saw.
            shown_low,
            /// Its other half.
            shown_high,
        }
        /// A person takes a draft back.
        Undo {
            /// Which; 0 where an id names it.
            call,
            /// The id that names it.
            id,
        }
        /// A person takes all drafts back.
        UndoAll {}
        /// The drafts are to be written into the messages.
        Commit {
            /// A `CommitCause`.
            cause,
            /// A chat is attached that takes answers.
            attached,
            /// Only say what would become of it.
            trial,
        }
        /// A person wants more time.
        Extend {
            /// For which call; 0 where an id names it.
            call,
            /// The id that names it.
            id,
        }
        /// A person wants to see what is hidden of an input.
        Reveal {
            /// Of which call; 0 where an id names it.
            call,
            /// The id that names it.
            id,
        }
        /// A person ends a grant.
        Revoke {
            /// Which.
            grant,
        }
        /// A person ends all grants.
        RevokeAll {}
        /// Which repair does a part need?
        Repair {
            /// The part of these facts that it is, from 1; 0 for none.
            part,
            /// The call, where it is none, or where that part says nothing new.
            call,
            /// The flags of the part.
            flags,
            /// The approval id that it shows.
            approval,
            /// A `Scope`.
            scope,
        }
        /// Time has passed.
        Wake {}
        /// The guard ends.
        Leave {}
    }
}
