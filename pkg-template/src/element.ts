// The elements `<tool-approval-queue>` and `<tool-approval-card>`.
import { CardView } from './element/card-view.js';
import type { DecideEventDetail, LoadEditor, QueueGuard, QueueWords } from './element/context.js';
import { QueueView } from './element/queue-view.js';
import { styleSheet } from './element/style.js';
import type { CallView } from './prompt.js';
import { QUEUE } from './text/queue-texts.js';
import { createWords } from './words.js';

export type { DecideEventDetail, QueueGuard } from './element/context.js';

// A server has no elements. There the class can be imported, but does nothing.
const Element = (globalThis.HTMLElement ?? Object) as typeof HTMLElement;

/** A view shows something of a guard while its element is in a document: each time from `open` to `close`. */
interface View {
  open(): void;
  close(): void;
  render(): void;
  focus(options?: FocusOptions): void;
}

/** It is a file of its own, which most pages never download. */
const loadEditor: LoadEditor = () => import('./editor.js');

abstract class ApprovalElement extends Element {
  #guard: QueueGuard | undefined;
  #view: View | undefined;

  /** The guard of the chat. Setting another one shows another chat. */
  get guard(): QueueGuard | undefined {
    return this.#guard;
  }

  set guard(guard: QueueGuard | null | undefined) {
    if (guard === this.#guard) return;
    this.#guard = guard ?? undefined;
    this.#view?.close();
    this.#view = undefined;
    this.#open();
  }

  /** Moves the focus to the heading, if there is something to decide or to read. */
  override focus(options?: FocusOptions): void {
    this.#view?.focus(options);
  }

  /** Called by the browser. */
  connectedCallback(): void {
    // A framework may have set the property before the element was defined; then it hides the accessor.
    for (const name of ['guard', 'stop', 'call']) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.#open();
  }

  /** Called by the browser. */
  disconnectedCallback(): void {
    // The element may only be moved, so what a person has typed stays.
    this.#view?.close();
  }

  /** Called by the browser. */
  attributeChangedCallback(): void {
    this.render();
  }

  /** Makes the view of a guard. */
  protected abstract view(root: ShadowRoot, guard: QueueGuard, words: QueueWords): View;

  protected render(): void {
    this.#view?.render();
  }

  #open(): void {
    // A document without a window is not displayed.
    if (!this.isConnected || !this.ownerDocument.defaultView) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [styleSheet(this.ownerDocument)];
    root.replaceChildren();
    if (this.#guard) this.#view ??= this.view(root, this.#guard, createWords(this.#guard.locale, QUEUE));
    this.#view?.open();
  }
}

/**
 * `<tool-approval-queue>`: the calls that wait for a person, shown inline. All of its content comes from
 * the snapshot of the guard, as text.
 *
 * It never takes the focus, has no default answer, and counts a press only on a button that has been
 * visible and has not moved for half a second. See `docs/queue.md`.
 *
 * Custom properties: `--approval-background`, `--approval-sunken`, `--approval-text`, `--approval-muted`, `--approval-line`,
 * `--approval-button`, `--approval-edge`, `--approval-accent`, `--approval-danger`, `--approval-danger-wash`,
 * `--approval-allowed`, `--approval-radius`, `--approval-gap`, `--approval-font` (a complete value), `--approval-mono`.
 *
 * Parts for `::part(…)`: `queue`, `summary`, `heading`, `status`, `countdown`, `warning`, `loop`, `steps`, `step`, `previous`,
 * `next`, `requests`, `request`, `dangerous`, `head`, `title`, `times`, `position`, `preview`, `danger`, `sounds-dangerous`,
 * `read-only`, `place`, `input`, `value`, `path`, `hidden`, `choices`, `choice`, `deny`, `allow`, `allow-chat`, `also`, `more`,
 * `more-choices`, `answer`, `outcome`, `undo`, `notice`, `all`, `grants`, `grant`, `button`, `edit`, `editor`, `field`,
 * `changed`, `control`, `was`, `problem`.
 *
 * @fires tool-approval-decide before each decision, a `CustomEvent<DecideEventDetail>`. If it is
 * cancelled, nothing is decided.
 */
export class ToolApprovalQueue extends ApprovalElement {
  /** The attributes whose changes it observes. */
  static readonly observedAttributes = ['lasting', 'level', 'shortcut', 'show'];

  #stop: (() => unknown) | undefined;

  /** Stops the chat. Without it the queue has no button for that. */
  get stop(): (() => unknown) | undefined {
    return this.#stop;
  }

  set stop(stop: (() => unknown) | null | undefined) {
    this.#stop = stop ?? undefined;
    this.render();
  }

  protected view(root: ShadowRoot, guard: QueueGuard, words: QueueWords): View {
    return new QueueView(this, root, guard, words, loadEditor);
  }
}

/**
 * `<tool-approval-card>`: one call, to stand in the place of its tool part. It shows and does for its call what
 * the queue does for each of its calls. It is empty while there is no such call, and for a call that never
 * needed an answer.
 *
 * @fires tool-approval-decide before a decision, a `CustomEvent<DecideEventDetail>`. If it is cancelled,
 * nothing is decided.
 */
export class ToolApprovalCard extends ApprovalElement {
  /** The attributes whose changes it observes. */
  static readonly observedAttributes = ['lasting', 'level'];

  #call: CallView | string | undefined;

  /** The call from the snapshot, or its key. */
  get call(): CallView | string | undefined {
    return this.#call;
  }

  set call(call: CallView | string | null | undefined) {
    this.#call = call ?? undefined;
    this.render();
  }

  protected view(root: ShadowRoot, guard: QueueGuard, words: QueueWords): View {
    return new CardView(this, root, guard, words, loadEditor);
  }
}

/** The properties and attributes that a framework can set on a card. */
export interface CardProps extends Pick<QueueProps, 'lasting' | 'level'> {
  /**
   * The guard of the chat.
   *
   * @default none: the card is empty
   * @see `docs/queue.md#one-call-inside-its-message`
   */
  guard?: ToolApprovalCard['guard'];
  /**
   * The call from the snapshot, or its key.
   *
   * @default none: the card is empty
   * @see `docs/queue.md#one-call-inside-its-message`
   */
  call?: ToolApprovalCard['call'];
}

/** The properties and attributes that a framework can set on a queue. */
export interface QueueProps {
  /**
   * The guard of the chat. Set another guard to show another chat.
   *
   * @default none: the queue is empty
   * @see `docs/queue.md`
   */
  guard?: ToolApprovalQueue['guard'];
  /**
   * Stops the chat.
   *
   * @default none: there is no Stop button
   * @see `docs/queue.md`
   */
  stop?: ToolApprovalQueue['stop'];
  /**
   * The lasting choices that the user gets. `input` offers _Allow for this chat_ for exactly this call, `tool` for every
   * call of the tool, and `input tool` both. Either value also offers the lasting Deny; `''` offers no lasting choice. The
   * button _Allow for this chat_ does what `covers` of the tool says, if that is offered; the rest is behind _More choices_.
   *
   * @default 'input tool'
   * @see `docs/decisions.md#grants`
   */
  lasting?: string;
  /**
   * The level of its heading, from 1 to 6; in a queue those of its requests are one lower.
   *
   * @default 2 right below any heading of the page
   * @see `docs/queue.md#properties-and-events`
   */
  level?: number | string;
  /**
   * The requests that it shows: `all`; `one` at a time, with buttons for the previous and the next one; or `none`,
   * where each is shown by a `<tool-approval-card>`.
   *
   * @default 'all'
   * @see `docs/queue.md#one-call-at-a-time`
   */
  show?: 'all' | 'one' | 'none';
  /**
   * The keys that move the focus to the queue, such as `Alt+Q` or `Control+Shift+Y`: one or more of `Alt`, `Control`, `Meta`
   * and `Shift`, then a key; `Shift` alone is not enough. `''` means no shortcut. If a page has two queues, the keys lead to
   * the first.
   *
   * @default 'Alt+Shift+A'
   * @see `docs/queue.md#properties-and-events`
   */
  shortcut?: string;
}

/**
 * Defines `<tool-approval-queue>`, or an element with another name. A name that is already defined
 * stays as it is. On a server this does nothing.
 *
 * @param name the name of the element, with a hyphen in it
 */
export function defineToolApprovalQueue(name = 'tool-approval-queue'): void {
  // A class can be defined under one name only, so each name gets a subclass.
  define(name, () => class extends ToolApprovalQueue {});
}

/**
 * Defines `<tool-approval-card>`, or an element with another name. A name that is already defined stays as it
 * is. On a server this does nothing.
 *
 * @param name the name of the element, with a hyphen in it
 */
export function defineToolApprovalCard(name = 'tool-approval-card'): void {
  define(name, () => class extends ToolApprovalCard {});
}

function define(name: string, element: () => CustomElementConstructor): void {
  const { customElements } = globalThis;
  if (customElements !== undefined && customElements.get(name) === undefined) {
    customElements.define(name, element());
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-approval-queue': ToolApprovalQueue;
    'tool-approval-card': ToolApprovalCard;
  }
  interface HTMLElementEventMap {
    'tool-approval-decide': CustomEvent<DecideEventDetail>;
  }
}
