// The common part of the bindings of the frameworks.
import type { UIMessage } from 'ai';

import { emptySnapshot } from './empty.js';
import { UNLOADED } from './loading/sentences.js';
import type { CallOf, CallView, Snapshot } from './prompt.js';

/** The actions that every binding provides beside the snapshot. */
export interface ApprovalActions<M extends UIMessage = UIMessage> {
  /**
   * The call that a message part shows: the one with its call id and, if it has one, its approval id. If
   * there are several, it is the one in `message`, or otherwise the last one. `undefined` if the part is not
   * a tool call, or if the guard has not seen its approval yet: then there is nothing to press.
   */
  readonly callOf: (part: M['parts'][number], message?: Pick<M, 'id'>) => CallOf<M> | undefined;
  /** Stops the chat through the guard: calls that were drafted or answered, but not sent, ask again. */
  readonly stop: () => Promise<void>;
}

/**
 * The snapshot of a guard that is being loaded, for a server and for the first render of a browser, which must be the
 * same.
 */
const EMPTY: Snapshot = /* @__PURE__ */ freeze(/* @__PURE__ */ emptySnapshot('loading', UNLOADED.loading));

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freeze(inner);
  return Object.freeze(value);
}

/** The same for any type of messages. */
export const empty = <M extends UIMessage>(): Snapshot<CallOf<M>> => EMPTY as unknown as Snapshot<CallOf<M>>;

/** The snapshot for a component, and what it needs in addition to the guard. */
export interface ApprovalState<M extends UIMessage = UIMessage>
  extends Readonly<Snapshot<CallOf<M>>>, ApprovalActions<M> {}

/** A selector reads the part of the state that a component needs. */
export type Selector<M extends UIMessage, T> = (approvals: ApprovalState<M>) => T;

const callOfs = /* @__PURE__ */ new WeakMap<object, ApprovalActions['callOf']>();

/** The state with this snapshot. `callOf` is the same function as long as the calls are the same. */
export function stateOf<M extends UIMessage>(
  snapshot: Snapshot<CallOf<M>>,
  stop: () => Promise<void>,
): ApprovalState<M> {
  const { calls } = snapshot;
  const callOf = callOfs.get(calls) ?? ((part, message) => findCall(calls, part, message));
  callOfs.set(calls, callOf);
  return { ...snapshot, callOf: callOf as ApprovalActions<M>['callOf'], stop };
}

/** The old value, if the new one is the same, or is a list or a plain object with the same items. */
export function unchanged<T>(old: T | undefined, next: T): T {
  return old !== undefined && isSame(old, next) ? old : next;
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  const isPlain = (value: unknown): value is object =>
    typeof value === 'object' &&
    value !== null &&
    (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype);
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const entries = Object.entries(a);
  return (
    entries.length === Object.keys(b).length &&
    entries.every(([key, value]) => Object.hasOwn(b, key) && Object.is(value, b[key as keyof typeof b]))
  );
}

/** See {@link ApprovalActions.callOf}. */
export function findCall<Call extends CallView>(
  calls: readonly Call[],
  part: object,
  message: { id: string } | undefined,
): Call | undefined {
  const { toolCallId, approval } = part as { toolCallId?: unknown; approval?: { id?: unknown } | null };
  const id = approval?.id;
  let found: Call | undefined;
  let within = false;
  for (const call of calls) {
    // A call id may be used again with another approval, which is then another call.
    if (call.toolCallId !== toolCallId || (id !== undefined && call.approvalId !== id)) continue;
    const here = call.messageId === message?.id;
    if (within && !here) continue;
    within = here;
    found = call;
  }
  return found;
}
