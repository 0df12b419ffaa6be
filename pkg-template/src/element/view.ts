// The base of every element's view while it is in a document: presses that count only if they are
// deliberate, texts, notices, and one rendering for several changes.
import { Announcer } from './announcer.js';
import type { CardContext, DecideEventDetail, LoadEditor, QueueGuard, QueueWords } from './context.js';
import { setText } from './dom.js';
import { Presses } from './press.js';

/** An element's view of one guard while it is in a document. */
export abstract class ElementView<Host extends HTMLElement = HTMLElement> implements CardContext {
  readonly guard: QueueGuard;
  readonly words: QueueWords;
  readonly translate: CardContext['translate'];
  readonly loadEditor: LoadEditor;
  protected readonly host: Host;
  protected readonly root: ShadowRoot;
  protected readonly announcer = new Announcer();
  protected isClosed = false;
  readonly #presses: Presses;
  readonly #actions = new Map<
    HTMLElement,
    { act: Parameters<CardContext['onPress']>[1]; tooEarly: () => void }
  >();
  #unsubscribe = (): void => {};
  #clock: ReturnType<typeof setInterval> | undefined;
  #queued = false;

  constructor(host: Host, root: ShadowRoot, guard: QueueGuard, words: QueueWords, loadEditor: LoadEditor) {
    this.host = host;
    this.loadEditor = loadEditor;
    this.root = root;
    this.guard = guard;
    this.words = words;
    this.translate = words.text;
    this.#presses = new Presses(root, {
      onPress: (element, press) => this.#actions.get(element)?.act(press),
      onEarly: (element) => this.#actions.get(element)?.tooEarly(),
    });
  }

  /** Renders what the guard says now. */
  abstract render(): void;

  /** Shows this content, and renders it whenever something changes. */
  protected show(content: HTMLElement): void {
    this.isClosed = false;
    this.root.append(content, this.announcer.region);
    this.#unsubscribe = this.guard.subscribe(this.scheduleRender);
    content.addEventListener('focusout', this.scheduleRender);
    this.#presses.connect();
    try {
      this.render();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get hasFocus(): boolean {
    return this.root.activeElement !== null;
  }

  close(): void {
    this.isClosed = true;
    this.#unsubscribe();
    this.#presses.disconnect();
    this.announcer.stop();
    this.tickWhile(false);
    this.root.replaceChildren();
  }

  get lasting(): readonly string[] {
    return (this.host.getAttribute('lasting') ?? 'input tool').split(/\s+/).filter((word) => word !== '');
  }

  /** The level of the heading of the element. 2 skips no level, whatever heading of the page comes before. */
  protected get level(): number {
    const level = this.host.getAttribute('level') ?? '';
    return /^[1-6]$/.test(level) ? Number(level) : 2;
  }

  get cardLevel(): number {
    return this.level;
  }

  onPress: CardContext['onPress'] = (element, act, tooEarly) => {
    this.#actions.set(element, { act, tooEarly });
    this.#presses.add(element);
  };

  restart(root: HTMLElement): void {
    for (const element of this.#guardedIn(root)) {
      this.#presses.delete(element);
      this.#presses.add(element);
    }
  }

  release(root: HTMLElement): void {
    for (const element of this.#guardedIn(root)) {
      this.#actions.delete(element);
      this.#presses.delete(element);
    }
  }

  #guardedIn(root: HTMLElement): HTMLElement[] {
    return [root, ...root.querySelectorAll('button')].filter((element) => this.#actions.has(element));
  }

  dispatchDecide(detail: DecideEventDetail): boolean {
    const view = this.host.ownerDocument.defaultView ?? globalThis;
    const event = new view.CustomEvent('tool-approval-decide', {
      bubbles: true,
      composed: true,
      cancelable: true,
      detail,
    });
    return this.host.dispatchEvent(event);
  }

  showNotice(place: HTMLElement, text: string): void {
    setText(place, text);
    if (text !== '') this.announcer.say(text, true);
  }

  refresh(from: HTMLElement, next?: () => HTMLElement | undefined): void {
    const wasInside = from.contains(this.root.activeElement);
    this.render();
    if (wasInside) next?.()?.focus({ preventScroll: true });
  }

  /** Renders once for several changes in one task. */
  protected readonly scheduleRender = (): void => {
    if (this.#queued) return;
    this.#queued = true;
    queueMicrotask(() => {
      this.#queued = false;
      this.render();
    });
  };

  /** Renders every second while a time is shown. */
  protected tickWhile(isNeeded: boolean): void {
    if (isNeeded) this.#clock ??= setInterval(() => this.render(), 1000);
    else {
      clearInterval(this.#clock);
      this.#clock = undefined;
    }
  }

  /**
   * Whether the focus has to move after rendering, because its element was removed or hidden. The browser moves
   * it only later, and then to the top of the page.
   */
  protected hasLostFocus(focused: Element | null): boolean {
    return focused !== null && !(this.root.contains(focused) && isVisible(focused));
  }
}

/** Whether a person can see the element, as far as its own view decides. */
export const isVisible = (element: Element): boolean => element.closest('[hidden], [data-off]') === null;
