// Decides whether a press of a button counts. A person cannot have meant to press what they did not see: a click on its
// way to something else, a key that was already held down, a click that only brought the window to the front.

/** The time for which a button has to be fully visible and still before a press counts, in milliseconds. */
export const SETTLE_MS = 500;

/** The time between two samples of a button's position, in milliseconds. */
const SAMPLE_MS = 100;
/** The share of a button that has to be visible. Less than 1, because browsers round to whole pixels. */
const FULL = 0.9;
/** The older names of the options, which more browsers support. */
const SIGHT: CheckVisibilityOptions = { checkOpacity: true, checkVisibilityCSS: true };
/** The start time of a press that never counts. */
const NEVER = -Infinity;

/** A press that counts. */
export interface Press {
  /**
   * Whether the browser reports that something covers the button; only version 2 of IntersectionObserver can tell. It
   * also reports opacity and filters, so this alone blocks nothing.
   */
  readonly occluded: boolean | undefined;
}

export interface PressHandlers {
  /** Called for a press that counts. */
  onPress(button: HTMLElement, press: Press): void;
  /**
   * Called for a press too soon after the button appeared, moved or came to the front, and for a double
   * press.
   */
  onEarly(button: HTMLElement): void;
}

/** The state of a guarded button. */
interface Guarded {
  inView: boolean;
  occluded: boolean | undefined;
  /** Its position in the last sampled frame. */
  box: DOMRect | undefined;
  /** The time at which that frame was painted; `Infinity` before that. */
  since: number;
}

/** The start of a press. */
interface PressStart {
  readonly button: HTMLElement | undefined;
  time: number;
  /** The code of a key. */
  readonly code?: string;
  /** Whether the key was released. */
  over?: boolean;
}

type SightEntry = IntersectionObserverEntry & { readonly isVisible?: boolean };
type PageWindow = Window & typeof globalThis;

const EDGES = ['x', 'y', 'width', 'height'] as const;

/** A difference of less than a pixel is layout noise. */
const isSame = (a: DOMRect | undefined, b: DOMRect | undefined): boolean =>
  a !== undefined && b !== undefined && EDGES.every((edge) => Math.abs(a[edge] - b[edge]) < 1);

/** Whether something else would get a click on the middle of a button, even if only a pseudo-element of what is around it. */
function isCovered(button: HTMLElement, { x, y, width, height }: DOMRect): boolean {
  const root = button.getRootNode() as Document | ShadowRoot;
  const top = root.elementFromPoint(x + width / 2, y + height / 2);
  return top !== null && !button.contains(top);
}

const forget = (guarded: Guarded): void => {
  guarded.box = undefined;
  guarded.since = Infinity;
};

/**
 * Decides which presses of the guarded buttons in `root` count: those that begin when the button has been in
 * full view, at the same place, for {@link SETTLE_MS}, while the window had the focus; also with nothing over it, where
 * version 2 of IntersectionObserver tells. It does not notice a move there and back within a tenth of a second, nor,
 * from inside a frame, a move of the frame.
 */
export class Presses {
  readonly #root: Document | ShadowRoot | HTMLElement;
  readonly #handlers: PressHandlers;
  readonly #buttons = new Map<HTMLElement, Guarded>();
  /** The window of the root, while it is in a document. */
  #view: PageWindow | undefined;
  #listening: AbortController | undefined;
  #observer: IntersectionObserver | undefined;
  #frame = 0;
  #timer = 0;
  /** The last pointer press. */
  #pointer: PressStart | undefined;
  /** Enter or Space from its press, on any element, until after its release. */
  #key: PressStart | undefined;

  constructor(root: Document | ShadowRoot | HTMLElement, handlers: PressHandlers) {
    this.#root = root;
    this.#handlers = handlers;
  }

  /** Guards a button. Its time begins once it is visible; a button that is already guarded keeps its time. */
  add(button: HTMLElement): void {
    if (this.#buttons.has(button)) return;
    this.#buttons.set(button, { inView: false, occluded: undefined, box: undefined, since: Infinity });
    this.#observer?.observe(button);
  }

  /** Stops guarding a button. */
  delete(button: HTMLElement): void {
    this.#buttons.delete(button);
    this.#observer?.unobserve(button);
  }

  /** Starts, once the root is in a document. */
  connect(): void {
    this.disconnect();
    const root = this.#root;
    const view = (root.ownerDocument ?? (root as Document)).defaultView;
    if (!view) return;
    this.#view = view;
    // Version 1 ignores the last two options. 100 is the smallest delay that version 2 accepts.
    const options = { threshold: FULL, trackVisibility: true, delay: 100 };
    this.#observer = new view.IntersectionObserver(this.#onIntersection, options);
    for (const button of this.#buttons.keys()) this.#observer.observe(button);

    const { signal } = (this.#listening = new AbortController());
    const listen = (
      target: EventTarget | null,
      types: string,
      listener: (event: never) => void,
      capture = true,
    ) => {
      for (const type of types.split(' ')) {
        target?.addEventListener(type, listener as EventListener, { capture, signal });
      }
    };
    listen(root, 'pointerdown mousedown', this.#pointerDown);
    listen(root, 'pointercancel', () => (this.#pointer = undefined));
    listen(root, 'click', this.#clicked);
    // The window also receives the keys of other elements. Inside a closed shadow root, only the root knows the
    // button.
    listen(view, 'keydown', this.#keyDown);
    listen(root, 'keydown', this.#keyDown);
    listen(view, 'keyup', this.#keyUp);
    // The capture phase would also report the focus of each element.
    listen(view, 'focus pageshow resize', this.#restart, false);
    listen(view.document, 'visibilitychange', this.#restart);
    listen(view.visualViewport, 'resize scroll', this.#restart);
  }

  /** Stops everything and forgets all times, once the root has left its document. */
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

  #onIntersection = (entries: readonly SightEntry[]): void => {
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

  /** Only reads, so the layout is computed once. A hidden document has no frames, so nothing runs there. */
  #sample = (): void => {
    this.#frame = 0;
    for (const [button, guarded] of this.#buttons) {
      if (!guarded.inView) continue;
      const box = this.#boxOf(button, guarded);
      if (isSame(box, guarded.box)) continue;
      forget(guarded);
      guarded.box = box;
    }
    // The frame is painted after everything that still runs in it.
    this.#timer = this.#view?.setTimeout(this.#painted) ?? 0;
  };

  #painted = (): void => {
    this.#timer = 0;
    // The key was released, and the click that it caused has passed.
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

  /** The position of a button, if it is visible. */
  #boxOf(button: HTMLElement, { inView, occluded }: Guarded): DOMRect | undefined {
    // A window can get the focus without an event, through a frame in it.
    const seen = inView && this.#view?.document.hasFocus() && button.checkVisibility?.(SIGHT) !== false;
    const box = seen ? button.getBoundingClientRect() : undefined;
    // The browser says first that something may be over it, because asking about each button takes long.
    return box === undefined || (occluded && isCovered(button, box)) ? undefined : box;
  }

  /** Whether a button had been still for long enough at a time, and is still in its place. */
  #settled(button: HTMLElement, time: number): boolean {
    this.#onIntersection(this.#observer?.takeRecords() ?? []);
    const guarded = this.#buttons.get(button);
    if (!guarded) return false;
    // It moved since the last sampled frame, so its time restarts with the next one.
    if (!isSame(this.#boxOf(button, guarded), guarded.box)) forget(guarded);
    return guarded.since + SETTLE_MS <= time;
  }

  #buttonOf(event: Event): HTMLElement | undefined {
    return event.composedPath().find((target) => this.#buttons.has(target as HTMLElement)) as
      HTMLElement | undefined;
  }

  /** `timeStamp` is when the browser received the input, which is earlier than now if the page was busy. */
  #begin(event: KeyboardEvent | PointerEvent, canCount: boolean): PressStart {
    const button = this.#buttonOf(event);
    const counts = canCount && button !== undefined && this.#settled(button, event.timeStamp);
    return { button, time: counts ? event.timeStamp : NEVER };
  }

  #pointerDown = (event: PointerEvent): void => {
    // Some browsers press for a screen reader with a `mousedown` without a `pointerdown`.
    if (!event.isTrusted || (this.#pointer && event.type === 'mousedown')) return;
    this.#pointer = this.#begin(event, event.isPrimary !== false && event.button === 0);
  };

  #keyDown = (event: KeyboardEvent): void => {
    const { key, code, repeat, ctrlKey, metaKey, altKey } = event;
    const composing = event.isComposing || event.keyCode === 229;
    if (!event.isTrusted || (key !== 'Enter' && key !== ' ' && !composing)) return;
    // A held key remains the same press, wherever the focus has moved since.
    if (repeat && this.#key?.code === code) return;
    const canCount = !(repeat || composing || ctrlKey || metaKey || altKey);
    this.#key = { ...this.#begin(event, canCount), code };
  };

  #keyUp = ({ isTrusted, code }: KeyboardEvent): void => {
    // Space causes its click after this event.
    if (isTrusted && this.#key?.code === code) this.#key.over = true;
  };

  #clicked = (event: MouseEvent): void => {
    const button = this.#buttonOf(event);
    if (!button || !event.isTrusted) return;
    const { detail, timeStamp } = event;
    // A click without pointer and key comes from a screen reader, voice control or a switch.
    const press = detail > 0 ? this.#pointer : (this.#key ?? { button, time: timeStamp });
    const counts = detail < 2 && press?.button === button && this.#settled(button, press.time);
    // One press counts once. A key that is held down causes more clicks.
    this.#pointer = undefined;
    if (this.#key) this.#key.time = NEVER;
    if (counts) this.#handlers.onPress(button, { occluded: this.#buttons.get(button)?.occluded });
    else this.#handlers.onEarly(button);
  };
}
