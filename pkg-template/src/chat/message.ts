// The result of reading one message.

import {
  isBlankText,
  isSame,
  isUnchanged,
  partsOf,
  readPart,
  type KnownEdits,
  type PartFacts,
} from './part.js';
import { isObject, type Fields } from '../objects.js';
import { PartTypeName, RoleName } from '../generated/abi.js';
import type { StringIds } from './string-ids.js';

/** A message as it was last read. */
export interface SeenMessage {
  message: Fields;
  readonly id: unknown;
  readonly index: number;
  /** Its tool parts, by index. */
  parts: (PartFacts | undefined)[];
  /** Its number of parts of any type. */
  length: number;
  /** Whether any of its parts may need a repair. */
  isWatched: boolean;
  /** Its parts, and what they leave as at a revision of the core; `undefined` if none needs a repair. */
  repairedForWire:
    { revision: number; parts: readonly unknown[]; repaired: unknown[] | undefined } | undefined;
  /** Whether all its parts were read since the message object changed. */
  isFresh: boolean;
}

export const seenMessage = (message: Fields, index: number): SeenMessage => ({
  message,
  id: message.id,
  index,
  parts: [],
  length: 0,
  isWatched: false,
  repairedForWire: undefined,
  isFresh: false,
});

/** The changes of a message, and its last step. */
export interface Reading {
  /** The index of the first part of the last step. */
  start: number;
  /** The number of tool parts in the last step. */
  count: number;
  /** Whether text that is not blank follows them. */
  hasText: boolean;
  /** The tool parts that are new or have changed, from the last to the first, and their indexes. */
  changed: PartFacts[];
  places: number[];
  /** The indexes where a tool part was, and is no longer. */
  removed: number[];
}

/** Replaces a known part by a copy that was read. */
export interface Copies {
  readonly edits: KnownEdits;
  replace(facts: PartFacts): void;
}

/** Shared by all readings without changes, so that reading an unchanged step allocates nothing. */
const NONE: never[] = [];

/** A reading object, which can be reused. */
export const emptyReading = (): Reading => ({
  start: -1,
  count: 0,
  hasText: false,
  changed: NONE,
  places: NONE,
  removed: NONE,
});

/** Lets go of the parts that a reading has found changed. */
export function forgetChanges(reading: Reading): void {
  reading.changed = reading.places = reading.removed = NONE;
}

/**
 * Reads the parts of a message from the last one back to the start of its last step, or to the first part if
 * `whole`.
 *
 * @param reading receives the result
 * @param copies is told each copy of a known part
 */
export function readMessage(
  parts: readonly unknown[],
  seen: SeenMessage,
  whole: boolean,
  ids: StringIds,
  ownReasons: readonly string[],
  reading: Reading,
  copies: Copies,
): void {
  reading.start = -1;
  reading.count = 0;
  reading.hasText = false;
  forgetChanges(reading);
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
        if (inLastStep && reading.count === 0 && !reading.hasText) reading.hasText = !isBlankText(part.text);
      } else {
        const next = readPart(part, old, ids, ownReasons, copies.edits);
        if (next !== undefined) {
          if (inLastStep) reading.count++;
          if (old !== undefined && isSame(old, next)) {
            next.tracked = old.tracked;
            next.before = old.before;
            seen.parts[i] = next;
            seen.repairedForWire = undefined;
            copies.replace(next);
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
 * Calls `visit` for each changed part of a reading, from the first to the last. It passes the part's step in the
 * message, and its occurrence among the parts of that step with the same call id.
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

/** Whether the parts still show the same, in a message that is still the same object. */
export function isIntact({ message, parts, length }: SeenMessage): boolean {
  const now = message.role === RoleName.Assistant ? partsOf(message) : [];
  if (now.length !== length) return false;
  return parts.every((facts, i) => {
    const part = now[i];
    return facts === undefined || (isObject(part) && isUnchanged(facts, part));
  });
}

/** Whether a message is an older copy of the same message. */
export const isShorter = ({ id, parts }: Fields, seen: SeenMessage | undefined): boolean =>
  seen !== undefined && seen.id === id && Array.isArray(parts) && parts.length < seen.length;
