/** The stable codes of a {@link GuardError}. */
export type GuardErrorCode =
  | 'invalid-option'
  | 'invalid-input'
  | 'unreadable-messages'
  | 'wrong-chat'
  | 'engine-unavailable'
  | 'wasm-unavailable'
  | 'wasm-trapped'
  | 'disposed'
  | 'output-over-open-approval'
  | 'output-of-denied-call'
  | 'malformed-approval'
  | 'misplaced-output'
  | 'unknown-approval'
  | 'unwatched-request'
  | 'not-in-request'
  | 'unknown-chat'
  | 'invalid-decision'
  | 'invalid-catalogue'
  | 'commit-failed'
  | 'repair-failed'
  | 'record-in-use'
  | 'record-unreadable'
  | 'record-rolled-back'
  | 'storage-blocked'
  | 'storage-full'
  | 'storage-newer'
  | 'storage-older'
  | 'storage-busy'
  | 'storage-lost'
  | 'storage-failed'
  | 'claims-unreadable'
  | 'claim-refused'
  | 'claim-lost'
  | 'storage-timeout'
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
