// What documents say of the calls of a chat, and what a guard may take for true of it.
import type { DocumentCore } from 'virtual:record-glue';

import type { KnownCall } from '../types/record.js';

/** What a document says of a call; see `src/core/record/recollection.rs`. */
interface StoredCall extends Omit<KnownCall, 'elsewhere'> {
  toolCallId: string;
  toolName: string;
  /** The page has not decided this itself: it read it in the messages or in another document. */
  hearsay?: boolean;
  /** The only question of its call id and tool. */
  lone?: boolean;
}

/** The calls of a document by call id: an id may occur again with another approval. */
export type StoredCalls = ReadonlyMap<string, readonly StoredCall[]>;

/** The document of another session. */
export interface PeerDocument {
  text: string;
  counter: number;
  calls: StoredCalls;
}

/** A call that is looked up, with its ids as records have them. */
export interface CallKey {
  toolCallId: string;
  /** Without it, only calls that are the only one of their id and tool are found. */
  approvalId: string | undefined;
  toolName: string;
}

const NONE: readonly never[] = [];

/** Groups the recollections of a document. */
export function storedCalls(recollections: unknown): StoredCalls {
  const found = new Map<string, StoredCall[]>();
  for (const call of (recollections ?? []) as readonly StoredCall[]) {
    const same = found.get(call.toolCallId);
    if (same === undefined) found.set(call.toolCallId, [call]);
    else same.push(call);
  }
  return found;
}

export const peerDocument = (text: string, document: DocumentCore): PeerDocument => ({
  text,
  counter: document.counter(),
  calls: storedCalls(document.known()),
});

/** Returns what is known of a call from earlier sessions of this page. */
export function findOwn(calls: StoredCalls, key: CallKey): readonly KnownCall[] {
  const found = calls.get(key.toolCallId) ?? NONE;
  return found.filter((call) => isSame(call, key)).map((call) => ({ ...call, elsewhere: false }));
}

/**
 * Returns what another session says of a call.
 *
 * @param isAlive whether its page lives; then the call is answered elsewhere
 * @param countsDrafts whether a draft of a living page counts
 */
export function findAtPeer(
  { calls }: PeerDocument,
  key: CallKey,
  isAlive: boolean,
  countsDrafts: boolean,
): readonly KnownCall[] {
  // A living page's hearsay does not count: the session that decided is alive too, or its document still exists. Two
  // tabs that knew something from each other would both wait.
  const counts = ({ approved, hearsay, draft }: StoredCall) =>
    !isAlive || (approved !== undefined && hearsay !== true && (draft !== true || countsDrafts));
  const found = (calls.get(key.toolCallId) ?? NONE).filter((call) => isSame(call, key) && counts(call));
  return found.map((call) => ({ ...call, elsewhere: isAlive }));
}

const isSame = (call: StoredCall, { approvalId, toolName }: CallKey): boolean =>
  call.toolName === toolName &&
  (approvalId === undefined ? call.lone === true : call.approvalId === approvalId);
