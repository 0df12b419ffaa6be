/** The stable codes of a {@link GuardError}. */
export type GuardErrorCode =
  | 'invalid-option'
  | 'invalid-input'
  | 'unreadable-messages'
  | 'wrong-chat'
  | 'waiting'
  | 'wasm-unavailable'
  | 'wasm-trapped'
  | 'disposed'
  | 'output-over-open-approval'
  | 'output-of-denied-call'
  | 'malformed-approval'
  | 'unknown-approval'
  | 'unwatched-request'
  | 'invalid-decision'
  | 'invalid-catalogue'
  | 'commit-failed'
  | 'repair-failed'
  | 'record-in-use'
  | 'record-unreadable'
  | 'record-rolled-back'
  | 'record-too-large'
  | 'storage-blocked'
  | 'storage-full'
  | 'storage-failed'
  | 'turn-failed'
  | 'listener-failed';

/** A problem with a stable `code` and a sentence that says what to do. */
export class GuardError extends Error {
  /** Always `GuardError`, also where `instanceof` fails because a page has the class twice. */
  override readonly name = 'GuardError';
  /** What went wrong, for programs. */
  readonly code: GuardErrorCode;
  /** The call that it is about, where there is one. */
  readonly toolCallId: string | undefined;

  constructor(code: GuardErrorCode, message: string, options: { cause?: unknown; toolCallId?: string } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.toolCallId = options.toolCallId;
  }
}
