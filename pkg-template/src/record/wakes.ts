/** The reactions of a record when it is woken. */
export interface WakeCalls {
  /** Called when something may have changed in another tab, or when it is time to write. */
  look: () => void;
  /** Called when the page is hidden for good, or is kept in the back/forward cache. */
  hide: (isKept: boolean) => void;
  /** Called when the page comes back from the back/forward cache. */
  show: () => void;
}

/** The shortest time between two checks that messages cause, in milliseconds. */
const PAUSE = 50;

/** The only message on the channel. A forged one only causes a check. */
const CHANGED = 'changed';

/**
 * Makes a record check earlier than its timer would: after messages of other tabs, and after events of the
 * page.
 */
export class Wakes {
  readonly #calls: WakeCalls;
  /** Removes the listeners of the page, if there is one. */
  readonly #listening: AbortController | undefined;
  #channel: BroadcastChannel | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #last = -Infinity;

  /**
   * @param chat the chat whose tabs tell each other about changes; without it, only events of the page are
   * used
   */
  constructor(chat: string | undefined, calls: WakeCalls) {
    this.#calls = calls;
    const page = globalThis.document;
    // On a server, a channel would live as long as the process.
    if (page === undefined || chat === undefined) return;
    this.#channel = openChannel(chat, () => this.#heard());
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    // A hidden page may have been suspended, or may have missed a message.
    page.addEventListener('visibilitychange', () => this.#heard(), { signal });
    globalThis.window?.addEventListener('pagehide', ({ persisted }) => calls.hide(persisted), { signal });
    globalThis.window?.addEventListener(
      'pageshow',
      ({ persisted }) => {
        if (persisted) calls.show();
      },
      { signal },
    );
  }

  /** Tells the other tabs that something has changed. */
  tell(): void {
    try {
      this.#channel?.postMessage(CHANGED);
    } catch {
      // The other tabs check when they become visible.
    }
  }

  /** Checks after this number of milliseconds; `undefined` cancels the check. */
  after(wait: number | undefined): void {
    clearTimeout(this.#timer);
    if (wait === undefined) return;
    this.#timer = setTimeout(() => this.#calls.look(), wait);
    (this.#timer as { unref?: () => void }).unref?.();
  }

  close(): void {
    this.#listening?.abort();
    this.#channel?.close();
    this.#channel = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#pause);
  }

  #heard(): void {
    if (this.#pause !== undefined || this.#listening?.signal.aborted === true) return;
    const look = () => {
      this.#pause = undefined;
      this.#last = performance.now();
      this.#calls.look();
    };
    const left = this.#last + PAUSE - performance.now();
    if (left <= 0) look();
    else this.#pause = setTimeout(look, Math.ceil(left));
  }
}

function openChannel(chat: string, onChange: () => void): BroadcastChannel | undefined {
  if (typeof globalThis.BroadcastChannel !== 'function') return undefined;
  try {
    const channel = new BroadcastChannel(`tool-approval-guard:2:${chat}`);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (data === CHANGED) onChange();
    };
    // In Node with a simulated document, the channel would keep the process alive.
    (channel as { unref?: () => void }).unref?.();
    return channel;
  } catch {
    // A sandboxed frame may have no channel.
    return undefined;
  }
}
