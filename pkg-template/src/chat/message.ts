// What was last read from one message.

import {
  isBlank,
  isObject,
  isSame,
  isUnchanged,
  partsOf,
  readPart,
  type Fields,
  type PartFacts,
} from './part.js';
import { PartTypeName } from '../generated/abi.js';
import type { StringIds } from './string-ids.js';

/** What was last read from a message. */
export interface SeenMessage {
  message: Fields;
  readonly id: unknown;
  readonly index: number;
  /** Its tool parts, by their place. */
  readonly parts: (PartFacts | undefined)[];
  /** How many parts of any type it has. */
  length: number;
  /** It has a part that may need a repair. */
  isWatched: boolean;
  /** The message as it leaves. */
  leaving: { revision: number; result: Fields } | undefined;
  /** All its parts were read since the message object changed. */
  isFresh: boolean;
}

export const seenMessage = (message: Fields, index: number): SeenMessage => ({
  message,
  id: message.id,
  index,
  parts: [],
  length: 0,
  isWatched: false,
  leaving: undefined,
  isFresh: false,
});

/** What changed in a message, and its last step. */
export interface Reading {
  /** The first part of the last step. */
  start: number;
  /** How many tool parts the last step has. */
  count: number;
  /** Text that is not blank stands behind them. */
  hasText: boolean;
  /** The tool parts that are new or have changed, from the last to the first, and their places. */
  changed: PartFacts[];
  places: number[];
  /** The places where a tool part was, and is none any more. */
  removed: number[];
}

/** Shared by all readings without changes, so that reading an unchanged step makes no garbage. */
const NONE: never[] = [];

/** A reading to read into, again and again. */
export const emptyReading = (): Reading => ({
  start: -1,
  count: 0,
  hasText: false,
  changed: NONE,
  places: NONE,
  removed: NONE,
});

/**
 * Reads the parts of a message from the last one down to the start of its last step or, if `whole`, to the first one.
 *
 * @param reading receives the result
 * @param replaced is called for each copy of a part that is known
 */
export function readMessage(
  parts: readonly unknown[],
  seen: SeenMessage,
  whole: boolean,
  ids: StringIds,
  ownReasons: readonly string[],
  reading: Reading,
  replaced: (facts: PartFacts) => void,
): void {
  reading.start = -1;
  reading.count = 0;
  reading.hasText = false;
  reading.changed = reading.places = reading.removed = NONE;
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i];
    const old = seen.parts[i];
    const inLastStep = reading.start < 0;
    if (isObject(part)) {
      if (old !== undefined && isUnchanged(old, part)) {
        if (inLastStep) reading.count++;
        continue;
      }
      const type = part.type;
      if (type === PartTypeName.StepStart) {
        if (inLastStep) reading.start = i + 1;
        if (!whole) break;
      } else if (type === PartTypeName.Text) {
        if (inLastStep && reading.count === 0 && !reading.hasText) reading.hasText = !isBlank(part.text);
      } else {
        const next = readPart(part, old, ids, ownReasons);
        if (next !== undefined) {
          if (inLastStep) reading.count++;
          if (old !== undefined && isSame(old, next)) {
            next.tracked = old.tracked;
            next.before = old.before;
            seen.parts[i] = next;
            seen.leaving = undefined;
            replaced(next);
          } else {
            if (reading.changed === NONE) {
              reading.changed = [];
              reading.places = [];
            }
            reading.changed.push(next);
            reading.places.push(i);
          }
          continue;
        }
      }
    }
    if (old !== undefined) {
      if (reading.removed === NONE) reading.removed = [];
      reading.removed.push(i);
    }
  }
  if (reading.start < 0) reading.start = 0;
}

/**
 * Calls `visit` for each changed part of a reading, from the first to the last, with its step in the message and its
 * occurrence among the parts of that step with the same call id.
 */
export function eachChanged(
  parts: readonly unknown[],
  seen: SeenMessage,
  { changed, places }: Reading,
  visit: (facts: PartFacts, place: number, step: number, occurrence: number) => void,
): void {
  let next = places.length - 1;
  let step = 0;
  const occurrences = new Map<unknown, number>();
  for (let i = 0; next >= 0; i++) {
    const part = parts[i];
    if (!isObject(part)) continue;
    if (part.type === PartTypeName.StepStart) {
      step++;
      occurrences.clear();
      continue;
    }
    const facts = i === places[next] ? changed[next--] : undefined;
    const { toolCallId } = facts ?? seen.parts[i] ?? {};
    if (facts === undefined && seen.parts[i] === undefined) continue;
    const occurrence = occurrences.get(toolCallId) ?? 0;
    occurrences.set(toolCallId, occurrence + 1);
    if (facts !== undefined) visit(facts, i, step, occurrence);
  }
}

/** Whether the parts of a message that is the same object still show the same. */
export function isIntact({ message, parts }: SeenMessage): boolean {
  const now = partsOf(message);
  return parts.every((facts, i) => {
    const part = now[i];
    return facts === undefined || (isObject(part) && isUnchanged(facts, part));
  });
}

/** Whether it is an older copy of the same message. */
export const isShorter = ({ id, parts }: Fields, seen: SeenMessage | undefined): boolean =>
  seen !== undefined && seen.id === id && Array.isArray(parts) && parts.length < seen.length;
