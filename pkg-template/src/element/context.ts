// The parts of a queue share this: its texts, its guard, and buttons that count only deliberate presses.
import type { CallView, Choice } from '../prompt.js';
import type { ApprovalGuard } from '../types.js';
import type { CallWords } from '../text/prompts.js';
import type { QUEUE } from '../text/queue-texts.js';
import type { Words } from '../words.js';
import { h, setText, visuallyHidden } from './dom.js';
import type { Press } from './press.js';

/** The part of a guard that a queue uses. */
export type QueueGuard = Pick<
  ApprovalGuard,
  | 'getSnapshot'
  | 'subscribe'
  | 'decide'
  | 'decideAll'
  | 'undo'
  | 'undoAll'
  | 'extend'
  | 'unmask'
  | 'covered'
  | 'revoke'
  | 'proceed'
  | 'locale'
>;

/** The editor, which is loaded with the first change. */
export type LoadEditor = () => Promise<typeof import('../editor.js')>;

/** The detail of the event `tool-approval-decide`, which is dispatched before anything is decided. */
export interface DecideEventDetail {
  /** The calls as they were shown. */
  calls: readonly CallView[];
  /** The decision that the person chose. */
  choice: Choice;
  /** The input that the person has put in the place of the model's; missing if it is that of the model. */
  input?: unknown;
  /** Whether the browser reports that something covers the button; `undefined` if it does not know. */
  occluded: boolean | undefined;
}

/** The calls that one card shows: they are equal, so the first one says what all of them ask. */
export type CallGroup = readonly [CallView, ...CallView[]];

/** The groups of calls, in the order of their first ones. */
export function groupsOf(calls: readonly CallView[]): CallGroup[] {
  const groups = new Map<string, [CallView, ...CallView[]]>();
  for (const call of calls) {
    const group = groups.get(call.group);
    if (group) group.push(call);
    else groups.set(call.group, [call]);
  }
  return [...groups.values()];
}

/** The outcome of a call in words; empty while it waits for an answer. */
export const outcomeOf = (call: CallView, { outcome }: CallWords, translate: Translate): string =>
  call.status === 'asking' && !call.waiting ? translate('error.late') : outcome;

/** The words of prompts and of the queue. */
export type QueueWords = Words<typeof QUEUE>;

/** Returns a text of the queue or of a prompt. */
export type Translate = QueueWords['text'];

/** The view of an element, as its cards see it. */
export interface CardContext {
  readonly translate: Translate;
  /** The words of prompts, in the language of the guard. */
  readonly words: QueueWords;
  readonly guard: QueueGuard;
  readonly loadEditor: LoadEditor;
  /** The lasting choices that the page offers. */
  readonly lasting: readonly string[];
  /** The level of the heading of a card. */
  readonly cardLevel: number;
  /** Runs `act` for each press of a button that {@link Presses} counts, and `tooEarly` for the others. */
  onPress(button: HTMLElement, act: (press: Press) => void, tooEarly: () => void): void;
  /** Restarts the waiting time of a button, or of the buttons inside, because they now mean something else. */
  restart(root: HTMLElement): void;
  /** Stops counting presses of the buttons inside. */
  release(root: HTMLElement): void;
  /** Dispatches the event `tool-approval-decide`. Returns `false` if the application cancelled it. */
  dispatchDecide(detail: DecideEventDetail): boolean;
  /** Shows and announces why an action did not count; an empty text clears the notice. */
  showNotice(place: HTMLElement, text: string): void;
  /** Renders now. If the focus is in `from`, it moves to `next`. */
  refresh(from: HTMLElement, next?: () => HTMLElement | undefined): void;
}

/** The view of a queue, as its parts see it. */
export interface QueueContext extends CardContext {
  /** Reports that a button for all calls was pressed too early. */
  reportEarly(): void;
}

/** Sets the visible label of a button. */
export function setLabel({ firstChild }: HTMLElement, label: string): void {
  if (firstChild) setText(firstChild, label);
}

/** Makes a button. Assistive technology also reads `about` after its label. */
export function button(part: string, label: string, about = ''): HTMLButtonElement {
  const element = h('button', { type: 'button', part: `button ${part}` }, label);
  if (about !== '') element.append(visuallyHidden(` ${about}`));
  return element;
}
