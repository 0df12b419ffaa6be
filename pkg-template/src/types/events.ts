// What happened in a chat, by whom, and whether it may be sent: the types on which all others are built.

/** The cause of an event. */
export type Actor =
  /** a person: seen in the messages, or decided through the guard or its chat, in this page */
  | 'person'
  /** the guard, because the person continued with a message */
  | 'superseded'
  /** the server, or its response */
  | 'server'
  /** found by the first `attach`, or in the record */
  | 'history'
  /** a grant that a person gave earlier in this chat */
  | 'grant'
  /** the passing of time */
  | 'timer'
  /** the guard, because nobody is there to answer */
  | 'unattended'
  /** a stop of the chat */
  | 'stop'
  /** an edit of an earlier message */
  | 'edit'
  /** a request for another response */
  | 'regenerate'
  /** the application: its options, a request that no person asked for, or a change to the messages */
  | 'application'
  /** the end of the guard, as on a switch to another chat */
  | 'leave'
  /** a rule of the application */
  | 'rule'
  /** a person, in another tab */
  | 'tab'
  /** a program that the application lets decide: `decide` with a `source` */
  | 'external';

/** The answer to a call that asked, committed or drafted. */
export type Outcome =
  | 'allowed-once'
  | 'allowed-chat'
  /** by a grant */
  | 'allowed-automatically'
  | 'denied'
  | 'denied-chat'
  /** by a grant that denies */
  | 'denied-automatically'
  | 'expired'
  | 'unattended'
  | 'superseded'
  /** the user moved on after the request broke off: the call may have run */
  | 'superseded-in-doubt'
  /** by the server, or before this page was loaded */
  | 'allowed-elsewhere'
  | 'denied-elsewhere'
  /** by a rule of the application */
  | 'allowed-by-rule'
  | 'denied-by-rule'
  /** by a program of the application */
  | 'allowed-externally'
  | 'denied-externally';

/** The person at the screen, as the application knows that person. */
export interface User {
  /** An id that the application chooses, with at most 200 characters. The guard only passes it on. */
  id: string;
  /** A name that people read, with at most 200 characters. */
  name?: string;
}

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

/** Whether the chat may send now, and why. */
export type Verdict<Name extends string = string> = (
  { send: true; reason: SendReason } | { send: false; reason: HoldReason }
) & {
  /** The calls of the last step that are open. Empty unless the reason is `waiting`. */
  waitingFor: readonly WaitingCall<Name>[];
  /** The reason as a sentence for developers. */
  message: string;
};

/** What an open call still needs. */
export type Need =
  /** a person's answer */
  | 'approval'
  /** the output of a tool that runs in the page */
  | 'output'
  /** the rest of its input, which still streams or was cut off */
  | 'input'
  /** the end of the response that it came in, which may still ask for an approval */
  | 'response'
  /** an answer that is exactly `true` or `false` */
  | 'valid-answer'
  /** a state that this version knows */
  | 'known-state'
  /** the commit of its decision */
  | 'commit'
  /** its output, from the other tab that has answered it, which runs it */
  | 'elsewhere';

/** An open call of the last step, which holds the chat back. */
export interface WaitingCall<Name extends string = string> {
  /** Names the call in this guard: unique in the chat, and the same as long as the guard exists. */
  key: string;
  /** The id of the call. The same id in a later step is another call. */
  toolCallId: string;
  /** The approval id, for `addToolApprovalResponse`; `undefined` if no approval was requested. */
  approvalId: string | undefined;
  /** The name of its tool. */
  toolName: Name;
  /** What it still needs before the chat may send. */
  need: Need;
}

/** The kinds of events. */
export type LedgerEventType =
  | 'noticed'
  | 'asked'
  | 'annotated'
  | 'drafted'
  | 'undone'
  | 'expired'
  | 'warned'
  | 'extended'
  | 'revealed'
  | 'answered'
  | 'late-denial'
  | 'refused'
  | 'output'
  | 'output-without-approval'
  | 'overwritten'
  | 'voided'
  | 'withdrawn'
  | 'superseded'
  | 'sent'
  | 'settled'
  | 'closed-by-user-message'
  | 'gone'
  | 'returned'
  | 'requested'
  | 'held'
  | 'started'
  | 'ended'
  | 'failed'
  | 'unhandled'
  | 'stopped'
  | 'acted'
  | 'granted'
  | 'grant-ended'
  | 'rule-evaluated'
  | 'lost'
  | 'waited'
  | 'recalled'
  | 'elsewhere'
  | 'regranted'
  | 'forgotten'
  | 'awaited'
  | 'timed-out';

/** One entry of the ledger. Fields that do not apply are `undefined`. */
export interface LedgerEntry<Name extends string = string> {
  /** 0, 1, 2, … */
  seq: number;
  /**
   * The id of the chat: the option `chatId`, or that of the chat that was attached or has sent. `undefined` while none
   * of them is known.
   */
  chatId: string | undefined;
  /** Milliseconds since the epoch. */
  at: number;
  /** Milliseconds by the guard's own clock, which only goes forward. */
  mono: number;
  /** What happened. */
  type: LedgerEventType;
  /** The call, for events of a call. */
  toolCallId: string | undefined;
  /** The approval id, for events of a call that asked. */
  approvalId: string | undefined;
  /** The tool of the call. */
  toolName: Name | undefined;
  /** The salted hash of the tool and its input, as `record.hashOf` returns it: only with a record, once the input was compared. */
  inputHash: string | undefined;
  /** For events about an answer: whether it is an allowance. */
  approved: boolean | undefined;
  /** Who caused the event. */
  actor: Actor;
  /** For acts of a person in this page: the `id` of the option `user`. */
  user: string | undefined;
  /** The `name` of the option `user`, beside the id. */
  userName: string | undefined;
  /** For acts of a program: the `source` that it gave. */
  source: string | undefined;
  /** The outcome of the call. */
  outcome: Outcome | undefined;
  /** How long the call had waited for an answer, in milliseconds. */
  waitedMs: number | undefined;
  /** The time when the call or the grant ends. */
  deadline: number | undefined;
  /** The number of the request, for events of a request. */
  request: number | undefined;
  /** For a request: whether it was automatic. */
  automatic: boolean | undefined;
  /** For a failure, or a call that the person left behind, also in the request: whether it may have run. */
  doubt: boolean | undefined;
  /** The grant, for events of a grant. */
  grantId: string | undefined;
  /** The rule, for events of a rule. */
  ruleId: string | undefined;
}
