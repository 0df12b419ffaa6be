/** The stable codes of a {@link GuardError}. */
export type GuardErrorCode =
  /**
   * thrown: an unknown option, or one of the wrong type
   *
   * the sentence names it and what it must be
   */
  | 'invalid-option'
  /**
   * the predicate was not called with `{ messages }`; or thrown, because `guard.transport` was not given a transport
   *
   * pass `guard.sendAutomaticallyWhen` itself; give `guard.transport` an object with `sendMessages`
   */
  | 'invalid-input'
  /**
   * the messages could not be read; nothing is sent
   *
   * pass plain UI messages, without getters that throw
   */
  | 'unreadable-messages'
  /**
   * a request of another chat, or `attach` of another chat; it is refused
   *
   * use one guard per chat: `key={id}`, and the chat's `id` as `chatId`
   */
  | 'wrong-chat'
  /**
   * the file of the guard could not be loaded: nothing can be allowed and nothing is sent automatically. [What still
   * leaves](../troubleshooting.md#without-webassembly). The next question, request or decision tries again;
   * Firefox does so only after a reload of the page
   *
   * the `cause`: a page that is offline, or a deployment that has removed the files of an open page. Keep
   * the old files for a while, or reload the page
   */
  | 'engine-unavailable'
  /**
   * the WebAssembly could not start: nothing can be allowed and nothing is sent automatically. [What still
   * leaves](../troubleshooting.md#without-webassembly)
   *
   * the sentence of the error and its `cause`, and [the page's
   * policy](../troubleshooting.md#content-security-policy) if it forbids WebAssembly
   */
  | 'wasm-unavailable'
  /**
   * the guard failed, and says no from now on
   *
   * create another guard; please report it
   */
  | 'wasm-trapped'
  /**
   * the guard was disposed of
   *
   * do not dispose of it in the cleanup of an effect: StrictMode runs cleanups once too often
   */
  | 'disposed'
  /**
   * the page wrote an output over a call that asks. This is not an answer: the call asks again
   *
   * a tool component that calls `addToolOutput` too early: see
   * [migration](../migration.md#from-addtooloutput-after-a-denial)
   */
  | 'output-over-open-approval'
  /**
   * the server sent an output of a denied call, which may have run
   *
   * whether the server looks at `approved`: see [backends](../backends.md)
   */
  | 'output-of-denied-call'
  /**
   * an answer is neither `true` nor `false`, or has no id; it counts as open. Or a stored output has an approval without an
   * answer: `validateUIMessages` refuses it
   *
   * what writes approvals by hand, or restores them
   */
  | 'malformed-approval'
  /**
   * `addToolOutput` was called for a call that waits, and the SDK has written into an older one with the same call
   * id. The call still waits
   *
   * give each call of a chat its own id on the server. A message of the user continues the chat
   */
  | 'misplaced-output'
  /**
   * `addToolApprovalResponse` was called with an id for which no call asks
   *
   * pass `part.approval.id`, not `part.toolCallId`
   */
  | 'unknown-approval'
  /**
   * the predicate said yes, but no request came through the guard's transport. Reported once
   *
   * whether `guard.transport(…)` is the transport of this chat. A predicate that says no, or a transport
   * that waits in front of it, causes this too, if the chat is not attached
   */
  | 'unwatched-request'
  /**
   * the server does not have a message or an answer: it is not in the body of `prepareSendMessagesRequest`, or the
   * server went on with an older message. Reported once for each
   *
   * [what the page sends](../backends.md#what-the-page-has-to-send): `guard.unsent(messages)` and
   * `mergeAnswers`
   */
  | 'not-in-request'
  /**
   * the predicate of [`createApprovalGuards`](../threads.md) was asked about messages of which it cannot tell the
   * chat; nothing is sent. Reported once
   *
   * `attach` each chat that begins with stored messages
   */
  | 'unknown-chat'
  /**
   * thrown: an unknown choice, id or option of a decision; nothing has changed
   *
   * the sentence names it
   */
  | 'invalid-decision'
  /**
   * thrown: a message of the option `locale` is no text, does not exist, fails, or lacks a value
   *
   * the sentence names the message
   */
  | 'invalid-catalogue'
  /**
   * the decisions could not be written into the chat, and are kept. With `toolCallId`: a call that timed out
   * (`outputMs`) could not get its error
   *
   * the `cause`; attach the chat; `guard.retry()` sends the decisions. Give each call its own id
   */
  | 'commit-failed'
  /**
   * the chat's own messages could not be repaired; what is sent is still right
   *
   * the `cause`: the chat's `setMessages` has thrown
   */
  | 'repair-failed'
  /**
   * a newer guard of this chat in this page has the record, so this one commits and sends nothing; or a record was
   * passed to a guard of another chat
   *
   * use the newer guard, and release this one; create a record for each chat
   */
  | 'record-in-use'
  /**
   * what is stored was changed, cut off, written by a later version, or belongs to another chat: it is left as it
   * is, and none of it counts
   *
   * `record.forget()` removes it
   */
  | 'record-unreadable'
  /**
   * what is stored is older than what this tab wrote: it is left as it is, and none of it counts
   *
   * what else writes to this storage; `record.forget()`
   */
  | 'record-rolled-back'
  /**
   * the browser refuses the storage: what was decided since then is not kept over a reload
   *
   * private mode, a sandboxed frame, a setting
   */
  | 'storage-blocked'
  /**
   * the storage is full: what was decided since then is not kept over a reload
   *
   * what else the origin stores; a smaller `keep`
   */
  | 'storage-full'
  /**
   * a later version of this package wrote the storage, and this one leaves it alone: what was decided since then is
   * not kept over a reload. Of claims: nothing runs
   *
   * a tab with another version of your page; reload it. A server that was not updated
   */
  | 'storage-newer'
  /**
   * claims: the schema is older than this version can read; nothing runs
   *
   * which version wrote it
   */
  | 'storage-older'
  /**
   * other tabs, or other servers, did not release the storage in time: nothing was written
   *
   * a tab that is frozen, or stopped in a debugger
   */
  | 'storage-busy'
  /**
   * the storage was deleted or closed while it was in use: what was decided since then may not be kept over a reload
   *
   * a person, or a script, that clears the site's data
   */
  | 'storage-lost'
  /**
   * the storage has thrown, or did not respond: what was decided since then may not be kept over a reload. Of
   * claims: nothing runs
   *
   * the `cause`; your `transact` or `remove`
   */
  | 'storage-failed'
  /**
   * a stored [claim](../claims.md) is damaged, or a newer version has written it: nothing was changed, and nothing
   * of its chat runs
   *
   * what else writes to the tables
   */
  | 'claims-unreadable'
  /**
   * an approved call was about to run without being taken, or after it was taken elsewhere: it did not run
   *
   * whether `take` is called before `streamText`, with the same `claims`, and whether an executor of your
   * own passes `messages`
   */
  | 'claim-refused'
  /**
   * a claim was settled while its tool still ran: what was settled stands
   *
   * a lease that is too short; a server that was stopped
   */
  | 'claim-lost'
  /**
   * a transaction of the record did not end within five seconds, for a request four times in a row; nothing was sent
   *
   * nothing if an answer was being stored: it is sent as soon as the storage works again. If a request
   * failed, `guard.retry()`
   */
  | 'storage-timeout'
  /**
   * a function that you passed to the guard has thrown; what is sent is still right
   *
   * the stack of the `cause`: it is in `onEvent`, a `subscribe` listener, `dangerous`, `expiresMs` or
   * `redact`
   */
  | 'listener-failed';

/** An error with a stable `code` and a sentence that says what to do. */
export class GuardError extends Error {
  /**
   * Each entry has a class of its own, in a file of its own. `instanceof` knows the errors of all of them by their name.
   */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof Error && error.name === 'GuardError' && 'code' in error;
  }

  /** Always `GuardError`. */
  override readonly name = 'GuardError';
  /** The stable code of the problem. */
  readonly code: GuardErrorCode;
  /** The call id of the call concerned, if there is one. */
  readonly toolCallId: string | undefined;
  /**
   * The id of the chat whose guard reported or threw it. `undefined` if that is not known: about options, about
   * messages of an unknown chat, or of an entry that has no guard.
   */
  readonly chatId: string | undefined;

  constructor(
    code: GuardErrorCode,
    message: string,
    options: { cause?: unknown; toolCallId?: string; chatId?: string } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.toolCallId = options.toolCallId;
    this.chatId = options.chatId;
  }
}

/** Notes the chat of an error of a guard, unless it has one. Returns what it is given. */
export function ofChat<T>(error: T, chatId: string | undefined): T {
  if (error instanceof GuardError) (error as { chatId: string | undefined }).chatId ??= chatId;
  return error;
}
