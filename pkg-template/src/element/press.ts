// Does a press of a button count? What a person did not see cannot have been meant: a click that was on its way to
// something else, a key that was held down before, a click that only brought the window to the front.

/** For how long a button has to stand still in full view before a press of it counts, in milliseconds. */
export const SETTLE_MS = 500;

/** How often the place of a button is looked at. */
const SAMPLE_MS = 100;
/** How much of a button has to be in view. Less than all of it, as a browser rounds to whole pixels. */
const FULL = 0.9;
/** These are the older names of the options: browsers know them for longer. */
const SIGHT: CheckVisibilityOptions = { checkOpacity: true, checkVisibilityCSS: true };
/** No press that began then counts. */
const NEVER = -Infinity;

export interface Press {
  /**
   * Does the browser say that something covers the button? Only version 2 of IntersectionObserver knows. It also says so
   * of an opacity or a filter, so this blocks nothing.
   */
  readonly occluded: boolean | undefined;
}

export interface PressHandlers {
  /** A press that counts. */
  onPress(button: HTMLElement, press: Press): void;
  /** A person pressed, but too soon after the button came, moved or came to the front, or twice. */
  onEarly(button: HTMLElement): void;
}

/** What is known of a guarded button. */
interface Guarded {
  inView: boolean;
  occluded: boolean | undefined;
  /** Where it was when a frame was made. */
  box: DOMRect | undefined;
  /** Since when that frame is on the screen; `Infinity`: it is not yet. */
  since: number;
}

/** How a press began. */
interface Begin {
  readonly button: HTMLElement | undefined;
  time: number;
  /** Of a key. */
  readonly code?: string;
  /** The key went up again. */
  over?: boolean;
}

type SightEntry = IntersectionObserverEntry & { readonly isVisible?: boolean };
type View = Window & typeof globalThis;

const EDGES = ['x', 'y', 'width', 'height'] as const;

/** Less than a pixel is noise of the layout. */
const isSame = (a: DOMRect | undefined, b: DOMRect | undefined): boolean =>
  a !== undefined && b !== undefined && EDGES.every((edge) => Math.abs(a[edge] - b[edge]) < 1);

const forget = (guarded: Guarded): void => {
  guarded.box = undefined;
  guarded.since = Infinity;
};

/**
 * Decides which presses of the guarded buttons in `root` count: those that begin when the button has been in full
 * view, at the same place, for {@link SETTLE_MS} while the window had the focus. The first click into a frame, or out
 * of one, only gives its window the focus, so it does not count. A move there and back within a tenth of a second is
 * not seen, and from inside of a frame neither is a move of the frame.
 */
export class Presses {
  readonly #root: Document | ShadowRoot | HTMLElement;
  readonly #handlers: PressHandlers;
  readonly #buttons = new Map<HTMLElement, Guarded>();
  /** The window that the root is in; nothing while it is in none. */
  #view: View | undefined;
  #listening: AbortController | undefined;
  #observer: IntersectionObserver | undefined;
  #frame = 0;
  #timer = 0;
  /** The pointer that went down on a button. */
  #pointer: Begin | undefined;
  /** Enter or Space from its way down, on whatever element, until after its way up. */
  #key: Begin | undefined;

  constructor(root: Document | ShadowRoot | HTMLElement, handlers: PressHandlers) {
    this.#root = root;
    this.#handlers = handlers;
  }

  /** Guards a button; one that is guarded already goes on as it is. Its time begins once it can be seen. */
  add(button: HTMLElement): void {
    if (this.#buttons.has(button)) return;
    this.#buttons.set(button, { inView: false, occluded: undefined, box: undefined, since: Infinity });
    this.#observer?.observe(button);
  }

  /** Guards a button no longer. */
  delete(button: HTMLElement): void {
    this.#buttons.delete(button);
    this.#observer?.unobserve(button);
  }

  /** The root came into a document. */
  connect(): void {
    this.disconnect();
    const root = this.#root;
    const view = (root.ownerDocument ?? (root as Document)).defaultView;
    if (!view) return;
    this.#view = view;
    // Version 1 ignores the last two. 100 is the least delay that version 2 takes.
    const options = { threshold: FULL, trackVisibility: true, delay: 100 };
    this.#observer = new view.IntersectionObserver(this.#notice, options);
    for (const button of this.#buttons.keys()) this.#observer.observe(button);

    const { signal } = (this.#listening = new AbortController());
    const hear = (
      target: EventTarget | null,
      types: string,
      listener: (event: never) => void,
      capture = true,
    ) => {
      for (const type of types.split(' ')) {
        target?.addEventListener(type, listener as EventListener, { capture, signal });
      }
    };
    hear(root, 'pointerdown mousedown', this.#pointerDown);
    hear(root, 'pointercancel', () => (this.#pointer = undefined));
    hear(root, 'click', this.#clicked);
    // In the window also the keys of other elements are heard. If a closed shadow root is around this one, only the
    // root says which button it is.
    hear(view, 'keydown', this.#keyDown);
    hear(root, 'keydown', this.#keyDown);
    hear(view, 'keyup', this.#keyUp);
    // In the capture phase the focus of each element would come by.
    hear(view, 'focus pageshow resize', this.#restart, false);
    hear(view.document, 'visibilitychange', this.#restart);
    hear(view.visualViewport, 'resize scroll', this.#restart);
  }

  /** The root went out of its document. Nothing is left running, and all time is forgotten. */
  disconnect(): void {
    this.#listening?.abort();
    this.#observer?.disconnect();
    this.#view?.cancelAnimationFrame(this.#frame);
    this.#view?.clearTimeout(this.#timer);
    this.#frame = this.#timer = 0;
    this.#view = this.#listening = this.#observer = undefined;
    for (const guarded of this.#buttons.values()) guarded.inView = false;
    this.#restart();
  }

  #restart = (): void => {
    this.#pointer = this.#key = undefined;
    this.#buttons.forEach(forget);
  };

  #notice = (entries: readonly SightEntry[]): void => {
    for (const { target, intersectionRatio, isVisible } of entries) {
      const guarded = this.#buttons.get(target as HTMLElement);
      if (!guarded) continue;
      guarded.inView = intersectionRatio >= FULL;
      guarded.occluded = isVisible === undefined ? undefined : !isVisible;
      if (!guarded.inView) forget(guarded);
      else if (!this.#frame && !this.#timer) this.#nextFrame();
    }
  };

  #nextFrame = (): void => {
    this.#timer = 0;
    this.#frame = this.#view?.requestAnimationFrame(this.#sample) ?? 0;
  };

  /** Only reads, so the layout is made once. In a hidden document no frame is made, and all of this rests. */
  #sample = (): void => {
    this.#frame = 0;
    for (const [button, guarded] of this.#buttons) {
      if (!guarded.inView) continue;
      const box = this.#boxOf(button, guarded);
      if (isSame(box, guarded.box)) continue;
      forget(guarded);
      guarded.box = box;
    }
    // This frame is painted only after all that still runs in it.
    this.#timer = this.#view?.setTimeout(this.#painted) ?? 0;
  };

  #painted = (): void => {
    this.#timer = 0;
    // After a key went up, and after the click which that made.
    if (this.#key?.over) this.#key = undefined;
    const view = this.#view;
    if (!view) return;
    const now = view.performance.now();
    let any = false;
    for (const guarded of this.#buttons.values()) {
      any ||= guarded.inView;
      if (guarded.box && guarded.since === Infinity) guarded.since = now;
    }
    if (any) this.#timer = view.setTimeout(this.#nextFrame, SAMPLE_MS);
  };

  /** Where a button is, if it can be seen. */
  #boxOf(button: HTMLElement, { inView }: Guarded): DOMRect | undefined {
    // A window can get the focus without an event: through a frame in it.
    const seen = inView && this.#view?.document.hasFocus() && button.checkVisibility?.(SIGHT) !== false;
    return seen ? button.getBoundingClientRect() : undefined;
  }

  /** Had a button settled by a time, and is it still as it was? */
  #settled(button: HTMLElement, time: number): boolean {
    this.#notice(this.#observer?.takeRecords() ?? []);
    const guarded = this.#buttons.get(button);
    if (!guarded) return false;
    // It moved since the last frame that was looked at: its time begins with the next.
    if (!isSame(this.#boxOf(button, guarded), guarded.box)) forget(guarded);
    return guarded.since + SETTLE_MS <= time;
  }

  #buttonOf(event: Event): HTMLElement | undefined {
    return event.composedPath().find((target) => this.#buttons.has(target as HTMLElement)) as
      HTMLElement | undefined;
  }

  /** `timeStamp` is when the browser got the input: longer ago than now if the page was busy. */
  #begin(event: KeyboardEvent | PointerEvent, may: boolean): Begin {
    const button = this.#buttonOf(event);
    const counts = may && button !== undefined && this.#settled(button, event.timeStamp);
    return { button, time: counts ? event.timeStamp : NEVER };
  }

  #pointerDown = (event: PointerEvent): void => {
    // A mouse that goes down without a pointer is how some browsers press for a screen reader.
    if (!event.isTrusted || (this.#pointer && event.type === 'mousedown')) return;
    this.#pointer = this.#begin(event, event.isPrimary !== false && event.button === 0);
  };

  #keyDown = (event: KeyboardEvent): void => {
    const { key, code, repeat, ctrlKey, metaKey, altKey } = event;
    const composing = event.isComposing || event.keyCode === 229;
    if (!event.isTrusted || (key !== 'Enter' && key !== ' ' && !composing)) return;
    // It is what it was when it went down, wherever the focus has gone since.
    if (repeat && this.#key?.code === code) return;
    const may = !(repeat || composing || ctrlKey || metaKey || altKey);
    this.#key = { ...this.#begin(event, may), code };
  };

  #keyUp = ({ isTrusted, code }: KeyboardEvent): void => {
    // The click of Space comes after this.
    if (isTrusted && this.#key?.code === code) this.#key.over = true;
  };

  #clicked = (event: MouseEvent): void => {
    const button = this.#buttonOf(event);
    if (!button || !event.isTrusted) return;
    const { detail, timeStamp } = event;
    // A click that no pointer and no key made comes from a screen reader, voice control or a switch.
    const press = detail > 0 ? this.#pointer : (this.#key ?? { button, time: timeStamp });
    const counts = detail < 2 && press?.button === button && this.#settled(button, press.time);
    // One press makes one click. A key that is still held down makes more of them.
    this.#pointer = undefined;
    if (this.#key) this.#key.time = NEVER;
    if (counts) this.#handlers.onPress(button, { occluded: this.#buttons.get(button)?.occluded });
    else this.#handlers.onEarly(button);
  };
}
