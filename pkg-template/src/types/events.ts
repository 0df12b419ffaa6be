// The events of a chat with their actors, and the verdict about sending: the types on which all others are built.

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
  /** the application: its options, a request that no person asked for or that did not leave, or a change to the messages */
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
  /** by a person, this call */
  | 'allowed-once'
  /** by a person, this call and similar ones */
  | 'allowed-chat'
  /** by a grant */
  | 'allowed-automatically'
  /** by a person */
  | 'denied'
  /** by a person, this call and similar ones */
  | 'denied-chat'
  /** by a grant that denies */
  | 'denied-automatically'
  /** nobody answered in time */
  | 'expired'
  /** nobody was there to answer */
  | 'unattended'
  /** the user moved on */
  | 'superseded'
  /** the user moved on after the request broke off: the call may have run */
  | 'superseded-in-doubt'
  /** by the server, or before this page was loaded */
  | 'allowed-elsewhere'
  /** by the server, or before this page was loaded */
  | 'denied-elsewhere'
  /** by a rule of the application */
  | 'allowed-by-rule'
  /** by a rule of the application */
  | 'denied-by-rule'
  /** by a program of the application */
  | 'allowed-externally'
  /** by a program of the application */
  | 'denied-externally';

/** The person at the screen, as the application knows that person. */
export interface User {
  /** An id that the application chooses, with at most 200 characters. The guard only passes it on. */
  id: string;
  /**
   * A name that people read, with at most 200 characters.
   *
   * @default none: entries have the id alone
   * @see `docs/guard.md#the-ledger`
   */
  name?: string;
}

/** A reason for an automatic send. */
export type SendReason =
  /** no call of the last step is open, and an approval was answered that no request has carried */
  | 'answered'
  /** no call of the last step is open, and the page wrote an output that no request has carried */
  | 'output'
  /** the user asked to send again what failed or is in doubt */
  | 'retry'
  /** the user asked to send what was answered before a reload */
  | 'resume';

/** A reason against an automatic send. */
export type HoldReason =
  /**
   * the last message is not from the assistant
   *
   * nothing
   */
  | 'no-assistant-message'
  /**
   * the last step has no tool call
   *
   * nothing
   */
  | 'no-tool-call'
  /**
   * a call of the last step is open
   *
   * answer what `waitingFor` names
   */
  | 'waiting'
  /**
   * nobody in this page has answered, or written an output
   *
   * if the page runs this tool, call `addToolOutput`; if the server does, let it continue in the same
   * response (`stopWhen`)
   */
  | 'nothing-new'
  /**
   * everything new was sent, and the response changed nothing
   *
   * look at the response. `sendMessage` continues the chat
   */
  | 'already-sent'
  /**
   * the guard already said yes in this tick of the event loop
   *
   * nothing
   */
  | 'asked-twice'
  /**
   * text follows the output, so the model seems to have replied
   *
   * nothing. If the text was there first, `attach` or `observe` before the output is written, and use the
   * guard's `transport`
   */
  | 'answered-in-text'
  /**
   * the request that carried the answers failed, or the response broke off before they were sent
   *
   * offer `guard.retry()`
   */
  | 'failed'
  /**
   * that request broke off, or [nothing proves that it was refused](../guard.md#a-request-that-fails)
   *
   * tell the user, and offer `guard.retry()`. A server with claims refuses what has run; then a message
   * continues the chat, unless the call is still to be [settled](../claims.md#what-is-in-doubt)
   */
  | 'in-doubt'
  /**
   * the answers were there before this page, and no record knows that they were sent
   *
   * offer `guard.resume()`, which without a record may run a call twice
   */
  | 'history'
  /**
   * the user stopped the chat, and nobody has answered since
   *
   * a decision, a message or `guard.retry()` continues
   */
  | 'stopped'
  /**
   * everything new is a denial, and `whenAllDenied` is `'hold'`
   *
   * a message or `guard.retry()` continues, and carries the denials
   */
  | 'all-denied'
  /**
   * `sendOn` excludes what is new
   *
   * `guard.retry()` sends it; a message closes what was only allowed
   */
  | 'not-in-send-on'
  /**
   * `maxAutomaticSends` is reached, mostly because a model calls tools without end
   *
   * `guard.retry()` sends it; a message closes what was only allowed
   */
  | 'limit'
  /**
   * the messages could not be read
   *
   * see `unreadable-messages`
   */
  | 'unreadable'
  /**
   * the guard is being loaded: nothing is decided yet, and nothing is lost
   *
   * wait: the guard asks the chat again. `guard.ready` says when
   */
  | 'loading'
  /**
   * the guard could not be loaded, or its WebAssembly is not available
   *
   * see `engine-unavailable` and `wasm-unavailable`
   */
  | 'unavailable'
  /**
   * `dispose()` was called
   *
   * create another guard; see `disposed`
   */
  | 'disposed';

/** Whether the chat may send now, and why. */
export type Verdict<Name extends string = string> = (
  | {
      /** Whether the chat may send now. */
      send: true;
      /** The reason for the send, as a code: {@link SendReason}. */
      reason: SendReason;
    }
  | {
      /** Whether the chat may send now. */
      send: false;
      /** The reason why it does not send, as a code: {@link HoldReason} says what to do about each. */
      reason: HoldReason;
    }
) & {
  /** The calls of the last step that are open. Empty unless the reason is `waiting`. */
  waitingFor: readonly WaitingCall<Name>[];
  /** The reason as a sentence for developers. Users need `batch.action`. */
  message: string;
};

/** The need of an open call. */
export type Need =
  /**
   * the user's answer
   *
   * show the call: it is `asking` in the snapshot. A call of an earlier step can no longer be answered
   */
  | 'approval'
  /**
   * the output of a tool that the page runs
   *
   * call `addToolOutput`, even after an approval. If the server runs this tool, remove it from
   * `clientTools`
   */
  | 'output'
  /**
   * the rest of its input, which is still streaming or was cut off
   *
   * if the response broke off, let the user continue or regenerate
   */
  | 'input'
  /**
   * the end of its response, which may still ask
   *
   * wait
   */
  | 'response'
  /**
   * an answer that is exactly `true` or `false`
   *
   * something wrote `approved: 'true'`, `1` or nothing: see `malformed-approval`
   */
  | 'valid-answer'
  /**
   * a state that this version knows
   *
   * the SDK is newer than this version of the package: update the package
   */
  | 'known-state'
  /**
   * the commit of what was decided
   *
   * wait for `batch.commitAt`. If it is undefined, `attach` the chat and call `commit()`
   */
  | 'commit'
  /**
   * the output of a call that another tab has answered and runs
   *
   * nothing. When that tab is closed, the need becomes `output`
   */
  | 'elsewhere';

/** The names of a call. */
export interface NamedCall<Name extends string = string> {
  /** Names the call in this guard: unique in the chat, and the same as long as the guard exists. */
  key: string;
  /** The id of the call. The same id in a later step is another call. */
  toolCallId: string;
  /** The approval id, for `addToolApprovalResponse`; `undefined` if no approval was requested. */
  approvalId: string | undefined;
  /** The name of its tool, as in the message. Untrusted text. */
  toolName: Name;
}

/** An open call of the last step, which holds the chat back. */
export interface WaitingCall<Name extends string = string> extends NamedCall<Name> {
  /** Its need, as long as the chat may not send. */
  need: Need;
}

/** The kinds of events. */
export type LedgerEventType =
  /** the call was seen for the first time */
  | 'noticed'
  /** the call asks for an approval */
  | 'asked'
  /** the call is dangerous or has a deadline, as the options say */
  | 'annotated'
  /** the call was decided, and the decision can be undone */
  | 'drafted'
  /** the decision of the call was undone */
  | 'undone'
  /** the call was not answered in time */
  | 'expired'
  /** the call expires soon */
  | 'warned'
  /** the call got more time */
  | 'extended'
  /** the hidden part of the input was shown */
  | 'revealed'
  /** the call was answered */
  | 'answered'
  /** the call had expired, and was then denied by a person */
  | 'late-denial'
  /** the call was answered again; the earlier answer stands */
  | 'refused'
  /** the call got its final output or error */
  | 'output'
  /** the page wrote an output over a call that asks, which is not an answer */
  | 'output-without-approval'
  /** an output was written over a denial, or over what another tab has sent; it is none */
  | 'overwritten'
  /** the call has another input now, so its answer is void */
  | 'voided'
  /** a draft, or an allowance that was not sent, was taken back */
  | 'withdrawn'
  /** the call was closed because the user moved on */
  | 'superseded'
  /** the call is in a request, with its answer or output */
  | 'sent'
  /** the call was denied, and the denial was accepted */
  | 'settled'
  /** the call was denied, the user has written since, and the denial is sent in settled form */
  | 'closed-by-user-message'
  /** the message of the call is no longer in the list */
  | 'gone'
  /** the message of the call came back */
  | 'returned'
  /** a request was made */
  | 'requested'
  /** the chat was continued without a message while calls are open; nothing left */
  | 'held'
  /** the response to a request started */
  | 'started'
  /** the response to a request ended */
  | 'ended'
  /** a request failed, or its response broke off */
  | 'failed'
  /** the call was allowed, and the response has ended and gone on without its result */
  | 'unhandled'
  /** the user stopped the chat */
  | 'stopped'
  /** the user wrote a message, committed, retried or resumed */
  | 'acted'
  /** the user allowed or denied more than one call */
  | 'granted'
  /** what was allowed or denied for more than one call has ended */
  | 'grant-ended'
  /** the call was judged by rules */
  | 'rule-evaluated'
  /** the call has lost its question in the messages; the record, or this page, still has it, and it is put back */
  | 'lost'
  /** the call was already waiting in an earlier page */
  | 'waited'
  /** the call was answered in an earlier page, as the record knows */
  | 'recalled'
  /** the call was answered in another tab, and was not sent by this one */
  | 'elsewhere'
  /** a grant of an earlier page holds again */
  | 'regranted'
  /** requests had left by themselves in an earlier page, and count until the user acts */
  | 'recounted'
  /** calls that are no longer anywhere in the chat were dropped */
  | 'forgotten'
  /** the page has to run the call, until a deadline */
  | 'awaited'
  /** the page did not run the call in time */
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
  /** The kind of the event. */
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
  /** For an allowance: whether it is one of a changed input. */
  edited: boolean | undefined;
  /** The salted hash of the tool and that changed input: only with a record. */
  editHash: string | undefined;
  /** The cause of the event. */
  actor: Actor;
  /** For acts of a person in this page: the `id` of the option `user`. */
  user: string | undefined;
  /** The `name` of the option `user`, beside the id. */
  userName: string | undefined;
  /** For acts of a program: the `source` that it gave. */
  source: string | undefined;
  /** The outcome of the call. */
  outcome: Outcome | undefined;
  /** The time that the call had waited for an answer, in milliseconds. */
  waitedMs: number | undefined;
  /** The time when the call or the grant ends. */
  deadline: number | undefined;
  /** The number of the request, for events of a request. */
  request: number | undefined;
  /** For a request: whether it was automatic. */
  automatic: boolean | undefined;
  /**
   * For a failure, or a call that the person left behind, also in the request: whether it may have run. For a question: whether
   * the call may have run under another approval id. For an output that stands as it was before the call was asked about again:
   * whether the call may have run again.
   */
  doubt: boolean | undefined;
  /** The grant, for events of a grant. */
  grantId: string | undefined;
  /** The rule, for events of a rule. */
  ruleId: string | undefined;
}
