// What happened in a chat, by whom, and whether it may be sent: the types that all others build on.

/** Who caused something. */
export type Actor =
  /** seen in the messages, or decided through the guard or its chat, in this page */
  | 'person'
  /** the guard, because the user moved on with a message */
  | 'superseded'
  /** written by the server, or its response */
  | 'server'
  /** found by the first `attach`, or in the record */
  | 'history'
  /** a grant that a person gave earlier in this chat */
  | 'grant'
  /** time */
  | 'timer'
  /** the guard, because nobody is there to ask */
  | 'unattended'
  /** a stop of the chat */
  | 'stop'
  /** an edit of an earlier message */
  | 'edit'
  /** a regeneration */
  | 'regenerate'
  /** the application: its options, a request that nobody asked for, or what it changed in the messages */
  | 'application'
  /** the end of the guard, as on a switch to another chat */
  | 'leave'
  /** a rule of the application */
  | 'rule'
  /** a person, in another tab */
  | 'tab';

/** What was, or will be when it is committed, the answer to a call that asked. */
export type Outcome =
  | 'allowed-once'
  | 'allowed-chat'
  /** by a grant */
  | 'allowed-automatically'
  | 'denied'
  | 'denied-chat'
  /** by a grant that refuses */
  | 'denied-automatically'
  | 'expired'
  | 'unattended'
  | 'superseded'
  /** answered by the server, or before this page */
  | 'allowed-elsewhere'
  | 'denied-elsewhere'
  /** by a rule of the application */
  | 'allowed-by-rule'
  | 'denied-by-rule';

/** Why an automatic send happens. */
export type SendReason = 'answered' | 'output' | 'retry' | 'resume';

/** Why no automatic send happens. */
export type HoldReason =
  | 'no-assistant-message'
  | 'no-tool-call'
  | 'waiting'
  | 'nothing-new'
  | 'already-sent'
  | 'asked-twice'
  | 'answered-in-text'
  | 'failed'
  | 'in-doubt'
  | 'history'
  | 'stopped'
  | 'all-denied'
  | 'not-in-send-on'
  | 'limit'
  | 'unreadable'
  | 'unavailable'
  | 'disposed';

/** Whether the chat may be sent now, and why. */
export type Verdict<Name extends string = string> = (
  { send: true; reason: SendReason } | { send: false; reason: HoldReason }
) & {
  /** The calls of the last step that are open. Empty unless the reason is `waiting`. */
  waitingFor: readonly WaitingCall<Name>[];
  /** The reason as a sentence for developers. */
  message: string;
};

/** What an open call waits for. */
export type Need =
  /** a person's answer */
  | 'approval'
  /** the output of a tool that the page runs */
  | 'output'
  /** the rest of its input, which still streams or was cut off */
  | 'input'
  /** an answer that is exactly `true` or `false` */
  | 'valid-answer'
  /** a state that this version knows */
  | 'known-state'
  /** the commit of what was decided */
  | 'commit';

/** An open call of the last step, which holds the chat back. */
export interface WaitingCall<Name extends string = string> {
  /** The id of the call. It may come again in a later step, and is another call then. */
  toolCallId: string;
  /** The id of the question, as `addToolApprovalResponse` takes it; `undefined` where nobody was asked. */
  approvalId: string | undefined;
  /** The name of its tool. */
  toolName: Name;
  /** What has to happen before the chat may be sent. */
  need: Need;
}

/** What kind of thing happened. */
export type LedgerEventType =
  | 'noticed'
  | 'asked'
  | 'marked'
  | 'drafted'
  | 'undone'
  | 'expired'
  | 'warned'
  | 'extended'
  | 'revealed'
  | 'answered'
  | 'counted'
  | 'refused'
  | 'output'
  | 'bypassed'
  | 'overwritten'
  | 'voided'
  | 'withdrawn'
  | 'superseded'
  | 'carried'
  | 'settled'
  | 'filed'
  | 'gone'
  | 'returned'
  | 'requested'
  | 'started'
  | 'ended'
  | 'failed'
  | 'stopped'
  | 'acted'
  | 'granted'
  | 'grant-ended'
  | 'judged'
  | 'lost'
  | 'waited'
  | 'recalled'
  | 'elsewhere'
  | 'regranted'
  | 'forgotten';

/** One entry of the ledger. Fields that do not apply are `undefined`. */
export interface LedgerEntry<Name extends string = string> {
  /** 0, 1, 2, … */
  seq: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** Milliseconds by the guard's own clock, which only goes forward. */
  mono: number;
  /** What happened. */
  type: LedgerEventType;
  /** The call, for what belongs to one. */
  toolCallId: string | undefined;
  /** The question, for what belongs to a call that was asked about. */
  approvalId: string | undefined;
  /** The tool of the call. */
  toolName: Name | undefined;
  /** A SHA-256 of the tool and its input, as soon as they were compared; with a record salted, as `record.hashOf` says it. */
  inputHash: string | undefined;
  /** For what is about an answer: was it an allowance? */
  approved: boolean | undefined;
  /** Who caused it. */
  actor: Actor;
  /** What the answer means for the call. */
  outcome: Outcome | undefined;
  /** How long the call had waited for an answer, in milliseconds. */
  waitedMs: number | undefined;
  /** When the call, or the grant, ends by what it says. */
  deadline: number | undefined;
  /** The number of the request, for what belongs to one. */
  request: number | undefined;
  /** For a request: nobody has asked for it. */
  automatic: boolean | undefined;
  /** For a failure, or a call that the user left behind: it is not known whether it ran. */
  doubt: boolean | undefined;
  /** The grant, for what belongs to one. */
  grantId: string | undefined;
  /** The rule, for what one has said. */
  ruleId: string | undefined;
}
