// What the pieces of a queue share: its words, its guard, and the buttons that count.
import type { CallView, Choice } from '../prompt.js';
import type { ApprovalGuard } from '../types.js';
import type { MessageId, MessageValues } from '../words.js';
import { h, unseen } from './dom.js';
import type { QueueMessageId } from './words.js';

/** What a queue needs of a guard. */
export type QueueGuard = Pick<
  ApprovalGuard,
  | 'getSnapshot'
  | 'subscribe'
  | 'decide'
  | 'decideAll'
  | 'undo'
  | 'undoAll'
  | 'commit'
  | 'extend'
  | 'reveal'
  | 'covered'
  | 'revoke'
  | 'retry'
  | 'resume'
  | 'text'
>;

/** What the event `tool-approval-decide` says, before anything is decided. */
export interface DecideEventDetail {
  /** The calls as they were shown. */
  calls: readonly CallView[];
  /** What is to be decided. */
  choice: Choice;
  /** Does the browser report that something covers the button? `undefined` where it cannot say. */
  occluded: boolean | undefined;
}

/** A text of the queue, or of the catalogue. */
export type Say = (id: QueueMessageId | MessageId, values?: MessageValues) => string;

export interface Press {
  occluded: boolean | undefined;
}

export interface Desk {
  readonly say: Say;
  readonly guard: QueueGuard;
  /** The choices that last and are offered. */
  readonly lasting: readonly string[];
  /** Makes a button count, by {@link Presses} and by nothing else. */
  guarded(button: HTMLElement, act: (press: Press) => void, early: () => void): void;
  /** The buttons inside mean something else than before, so that their time begins again. */
  renew(root: HTMLElement): void;
  /** The buttons inside count no longer. */
  release(root: HTMLElement): void;
  /** Asks the application. `false`: it does not want this decision. */
  allows(detail: DecideEventDetail): boolean;
  /** Says that a press of a button for all came too early. */
  early(): void;
  /** Says at its place, and to a screen reader, why an act did not count; or nothing any more. */
  note(place: HTMLElement, text: string): void;
  /** Shows what has changed, now. If the focus is in `from`, it goes on to `next`. */
  changed(from: HTMLElement, next?: () => HTMLElement | undefined): void;
}

/** A button whose name goes on with what it is about. */
export function button(part: string, label: string, about = ''): HTMLButtonElement {
  const element = h('button', { type: 'button', part: `button ${part}` }, label);
  if (about !== '') element.append(unseen(` ${about}`));
  return element;
}
