import type { DecideEventDetail, QueueGuard } from './element/context.js';
import { QueueView } from './element/queue-view.js';
import { styleSheet } from './element/style.js';

export type { DecideEventDetail, QueueGuard } from './element/context.js';

// A server has no elements. There the class can be imported, but does nothing.
const Element = (globalThis.HTMLElement ?? Object) as typeof HTMLElement;

/**
 * `<tool-approval-queue>`: the calls that wait for a person, shown inline. All of its content comes from
 * the snapshot of the guard, as text.
 *
 * It never takes the focus, has no default answer, and counts a press only on a button that has been
 * visible and has not moved for half a second. Parts and custom properties: see `docs/queue.md`.
 *
 * @fires tool-approval-decide before each decision, a `CustomEvent<DecideEventDetail>`. If it is
 * cancelled, nothing is decided.
 */
export class ToolApprovalQueue extends Element {
  /** The attributes whose changes it observes. */
  static readonly observedAttributes = ['lasting', 'shortcut'];

  #guard: QueueGuard | undefined;
  #stop: (() => unknown) | undefined;
  #view: QueueView | undefined;

  /** The guard of the chat. Setting another one shows another chat. */
  get guard(): QueueGuard | undefined {
    return this.#guard;
  }

  set guard(guard: QueueGuard | null | undefined) {
    if (guard === this.#guard) return;
    this.#guard = guard ?? undefined;
    this.#open();
  }

  /** Stops the chat. Without it the queue has no button for that. */
  get stop(): (() => unknown) | undefined {
    return this.#stop;
  }

  set stop(stop: (() => unknown) | null | undefined) {
    this.#stop = stop ?? undefined;
    this.#view?.render();
  }

  /** Moves the focus to the heading of the queue, if there is something to decide or to read. */
  override focus(options?: FocusOptions): void {
    this.#view?.focus(options);
  }

  /** Called by the browser. */
  connectedCallback(): void {
    // A framework may have set the property before the element was defined; then it hides the accessor.
    for (const name of ['guard', 'stop'] as const) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.#open();
  }

  /** Called by the browser. */
  disconnectedCallback(): void {
    this.#view?.close();
    this.#view = undefined;
  }

  /** Called by the browser. */
  attributeChangedCallback(): void {
    this.#view?.render();
  }

  #open(): void {
    this.#view?.close();
    this.#view = undefined;
    // A document without a window is not displayed.
    if (!this.isConnected || !this.ownerDocument.defaultView) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [styleSheet(this.ownerDocument)];
    root.replaceChildren();
    if (this.#guard) this.#view = new QueueView(this, root, this.#guard);
    this.#view?.open();
  }
}

/** The properties and attributes that a framework can set on the element. */
export interface QueueProps {
  /** The guard of the chat. */
  guard?: ToolApprovalQueue['guard'];
  /** Stops the chat. Without it the queue has no button for that. */
  stop?: ToolApprovalQueue['stop'];
  /** The lasting allowances on offer, of `input` and `tool`; `''` for none. Default: both. */
  lasting?: string;
  /** The keys that move the focus to the queue: modifiers and a key, or `''` for none. Default `Alt+Shift+A`. */
  shortcut?: string;
}

/**
 * Defines `<tool-approval-queue>`, or an element with another name. A name that is already defined
 * stays as it is. On a server this does nothing.
 *
 * @param name the name of the element, with a hyphen in it
 */
export function defineToolApprovalQueue(name = 'tool-approval-queue'): void {
  const { customElements } = globalThis;
  if (customElements === undefined || customElements.get(name) !== undefined) return;
  // A class can be defined under one name only, so each name gets a subclass.
  customElements.define(name, class extends ToolApprovalQueue {});
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-approval-queue': ToolApprovalQueue;
  }
  interface HTMLElementEventMap {
    'tool-approval-decide': CustomEvent<DecideEventDetail>;
  }
}
