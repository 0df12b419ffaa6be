import type { CallView, Snapshot } from './prompt.js';
import { Announcer } from './element/announcer.js';
import { calm, Card } from './element/card.js';
import { button, type DecideEventDetail, type Desk, type QueueGuard } from './element/desk.js';
import { h, setAttribute, setChildren, setHidden, setText } from './element/dom.js';
import { Grants } from './element/grants.js';
import { Presses } from './element/press.js';
import { progress, sentences, type Progress } from './element/progress.js';
import { matches, parseShortcut } from './element/shortcut.js';
import { styleSheet } from './element/style.js';
import { ENGLISH, type QueueMessageId } from './element/words.js';

export type { DecideEventDetail, QueueGuard } from './element/desk.js';

/** How long the queue says what became of the last calls, when nothing else is to be said. */
const AFTERWARDS_MS = 8000;

const SHORTCUT = 'Alt+Shift+A';

// On a server there are no elements. The class can be imported there, and does nothing.
const Element = (globalThis.HTMLElement ?? Object) as typeof HTMLElement;

/**
 * `<tool-approval-queue>`: the calls that wait for a person, inline and never in the way. Everything
 * that it shows comes from the snapshot of the guard, as text.
 *
 * It never takes the focus, has no default answer, and counts a press only on a button that was to be
 * seen and did not move for half a second. Parts and custom properties: see `docs/queue.md`.
 *
 * @fires tool-approval-decide before each decision, a `CustomEvent<DecideEventDetail>`. Cancelled, it
 * decides nothing.
 */
export class ToolApprovalQueue extends Element {
  /** The attributes that it heeds, as elements say it. */
  static readonly observedAttributes = ['lasting', 'shortcut'];

  #guard: QueueGuard | undefined;
  #stop: (() => unknown) | undefined;
  #view: View | undefined;

  /** The guard of the chat. Another one shows another chat. */
  get guard(): QueueGuard | undefined {
    return this.#guard;
  }

  set guard(guard: QueueGuard | null | undefined) {
    if (guard === this.#guard) return;
    this.#guard = guard ?? undefined;
    this.#open();
  }

  /** Stops the chat. Without it there is no button that would. */
  get stop(): (() => unknown) | undefined {
    return this.#stop;
  }

  set stop(stop: (() => unknown) | null | undefined) {
    this.#stop = stop ?? undefined;
    this.#view?.render();
  }

  /** Puts the focus on the heading of the queue, if there is something to decide or to read. */
  override focus(options?: FocusOptions): void {
    this.#view?.focus(options);
  }

  /** Called by the browser. */
  connectedCallback(): void {
    // What a framework has set before the element was defined hides the accessors.
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
    // A document without a window shows nothing.
    if (!this.isConnected || !this.ownerDocument.defaultView) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [styleSheet(this.ownerDocument)];
    root.replaceChildren();
    if (this.#guard) this.#view = new View(this, root, this.#guard);
    this.#view?.open();
  }
}

/** What one element shows of one guard while it is in a document. */
class View implements Desk {
  readonly guard: QueueGuard;
  readonly #host: ToolApprovalQueue;
  readonly #root: ShadowRoot;
  readonly #presses: Presses;
  readonly #announcer: Announcer;
  readonly #acts = new Map<HTMLElement, { act: Parameters<Desk['guarded']>[1]; early: () => void }>();
  readonly #cards = new Map<string, Card>();
  readonly #grants: Grants;
  #unsubscribe = (): void => {};

  readonly #section: HTMLElement;
  readonly #heading = h('h2', { part: 'heading', tabindex: '-1', id: 'heading' });
  readonly #status = h('p', { part: 'status' });
  readonly #countdown = h('p', { part: 'countdown', role: 'timer' });
  readonly #warning = h('p', { part: 'warning' });
  /** What is to be known beforehand, and in its place when it is decided. */
  readonly #lead = h('div', { part: 'lead' }, this.#warning, this.#countdown);
  readonly #loop = h('p');
  readonly #loopNote: HTMLElement;
  readonly #stop: HTMLButtonElement;
  readonly #requests = h('div', { part: 'requests' });
  readonly #denyAll = button('choice deny-all', '');
  readonly #allowAll = button('choice allow-all', '');
  readonly #undoAll: HTMLButtonElement;
  readonly #proceed = button('proceed', '');
  readonly #all: HTMLElement;
  readonly #notice = h('p', { part: 'notice' });

  /** The calls that were decided together last, by their keys. */
  #last: ReadonlySet<string> = new Set();
  /** What the buttons for all calls are about. */
  #meant = '';
  #proceedBy: NonNullable<Progress['proceed']>['act'] | undefined;
  /** Calls asked: the place of everything is kept until they are sent, so that nothing below moves. */
  #isKept = false;
  /** What was announced last, without the way to get here. */
  #said = '';
  /** Since when there is nothing to decide. */
  #over: number | undefined;
  #clock: ReturnType<typeof setInterval> | undefined;
  #queued = false;
  #isClosed = false;
  /** The guard has ended while calls asked. */
  #isDead = false;
  /** What had the focus before the shortcut was pressed. */
  #before: HTMLElement | undefined;

  constructor(host: ToolApprovalQueue, root: ShadowRoot, guard: QueueGuard) {
    this.#host = host;
    this.#root = root;
    this.guard = guard;
    this.#presses = new Presses(root, {
      onPress: (element, press) => this.#acts.get(element)?.act(press),
      onEarly: (element) => this.#acts.get(element)?.early(),
    });
    this.#stop = button('stop', this.say('queue.stop'));
    this.#undoAll = button('undo-all', this.say('action.undoAll'));
    this.#loopNote = h('div', { part: 'loop' }, this.#loop, this.#stop);
    // Its place is kept once it was offered, and it is not always.
    this.#allowAll.hidden = true;
    // What is pressed while calls ask, and afterwards, has one place.
    const turns = h('div', { part: 'turns' }, h('div', {}, this.#denyAll, this.#allowAll), this.#proceed);
    this.#all = h('div', { part: 'all' }, this.#undoAll, turns);
    this.#grants = new Grants(this);
    this.#section = h(
      'section',
      { part: 'queue', 'aria-labelledby': 'heading' },
      h('div', { part: 'summary' }, this.#heading, this.#status),
      this.#lead,
      this.#loopNote,
      this.#requests,
      this.#all,
      this.#notice,
      this.#grants.root,
    );
    const region = h('p', { role: 'status', class: 'unseen' });
    this.#announcer = new Announcer(region);
    root.append(this.#section, region);

    this.#guard(this.#stop, () => {
      this.#host.stop?.();
      this.changed(this.#loopNote, () => this.#heading);
    });
    this.#guard(this.#denyAll, (press) => this.#decideAll('deny', press));
    this.#guard(this.#allowAll, (press) => this.#decideAll('allow-once', press));
    this.#guard(this.#undoAll, () => {
      guard.undoAll();
      this.changed(this.#all);
    });
    this.#guard(this.#proceed, () => {
      void this.#proceeded(guard);
      this.changed(this.#all);
    });
  }

  open(): void {
    this.#unsubscribe = this.guard.subscribe(this.#later);
    this.#section.addEventListener('focusout', this.#later);
    this.#host.ownerDocument.addEventListener('keydown', this.#hear);
    this.#presses.connect();
    try {
      this.render();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#host.ownerDocument.removeEventListener('keydown', this.#hear);
    this.#presses.disconnect();
    this.#announcer.stop();
    clearInterval(this.#clock);
    this.#clock = undefined;
    this.#root.replaceChildren();
  }

  focus(options?: FocusOptions): void {
    const place = isVisible(this.#heading) ? this.#heading : this.#grants.summary;
    if (isVisible(place)) place.focus(options);
  }

  // ---- what the cards need -------------------------------------------------------------------

  readonly say: Desk['say'] = (id, values) => {
    const english = Object.hasOwn(ENGLISH, id) ? ENGLISH[id as QueueMessageId] : undefined;
    return this.guard.text(id as QueueMessageId, values, english);
  };

  get lasting(): readonly string[] {
    return (this.#host.getAttribute('lasting') ?? 'input tool').split(/\s+/).filter((word) => word !== '');
  }

  guarded: Desk['guarded'] = (element, act, early) => {
    this.#acts.set(element, { act, early });
    this.#presses.add(element);
  };

  renew(root: HTMLElement): void {
    for (const element of this.#guardedIn(root)) {
      this.#presses.delete(element);
      this.#presses.add(element);
    }
  }

  release(root: HTMLElement): void {
    for (const element of this.#guardedIn(root)) {
      this.#acts.delete(element);
      this.#presses.delete(element);
    }
  }

  #guardedIn(root: HTMLElement): HTMLElement[] {
    return [...root.querySelectorAll('button')].filter((element) => this.#acts.has(element));
  }

  allows(detail: DecideEventDetail): boolean {
    const view = this.#host.ownerDocument.defaultView ?? globalThis;
    const event = new view.CustomEvent('tool-approval-decide', {
      bubbles: true,
      composed: true,
      cancelable: true,
      detail,
    });
    return this.#host.dispatchEvent(event);
  }

  note(place: HTMLElement, text: string): void {
    setText(place, text);
    if (text !== '') this.#announcer.say(text, true);
  }

  early(): void {
    this.note(this.#notice, this.say('queue.early'));
  }

  changed(from: HTMLElement, next?: () => HTMLElement | undefined): void {
    const wasInside = from.contains(this.#root.activeElement);
    this.render();
    if (wasInside) next?.()?.focus({ preventScroll: true });
  }

  // ---- what a person does --------------------------------------------------------------------

  #guard(element: HTMLElement, act: Parameters<Desk['guarded']>[1]): void {
    this.guarded(element, act, () => this.early());
  }

  #decideAll(choice: 'deny' | 'allow-once', { occluded }: { occluded: boolean | undefined }): void {
    // The calls as they are shown, and no others: one may have come since.
    const cards = [...this.#cards.values()].filter((card) => card.asks);
    const calls = cards.map((card) => card.call);
    if (!this.allows({ calls, choice, occluded })) return;
    // Each denial takes along what was written for it.
    const said = choice === 'deny' ? cards.filter((card) => card.reason !== '') : [];
    const results = said.map(({ call, reason }) => this.guard.decide(call, choice, { reason }));
    const rest = calls.filter((call) => !said.some((card) => card.call === call));
    if (rest.length > 0) results.push(...this.guard.decideAll(rest, choice));
    const refused = results.some(({ type }) => type === 'refused');
    this.note(this.#notice, refused ? this.say('queue.refused') : '');
    this.changed(this.#all, () => (isVisible(this.#undoAll) ? this.#undoAll : undefined));
  }

  async #proceeded(guard: QueueGuard): Promise<void> {
    let type: string | undefined;
    try {
      type = (await this.#proceedBy?.(guard))?.type;
    } catch {
      // What has failed is reported by the guard; the person has to know that nothing has left.
    }
    if (this.#isClosed) return;
    const done = type === 'committed' || type === 'committing' || type === 'sent';
    const waits = type === 'responding' || type === 'waiting';
    this.note(this.#notice, done ? '' : this.say(waits ? 'queue.rest' : 'queue.refused'));
  }

  /** The shortcut leads to the queue, and back. */
  readonly #hear = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.repeat || this.#section.hidden) return;
    const shortcut = parseShortcut(this.#host.getAttribute('shortcut') ?? SHORTCUT);
    if (shortcut === undefined || !matches(shortcut, event)) return;
    event.preventDefault();
    const active = (this.#host.getRootNode() as Document | ShadowRoot).activeElement;
    if (active === this.#host) {
      this.#before?.focus();
      return;
    }
    this.#before = (active as HTMLElement | null) ?? undefined;
    this.focus();
  };

  // ---- what it shows -------------------------------------------------------------------------

  /** Several changes in one turn are shown once. */
  readonly #later = (): void => {
    if (this.#queued) return;
    this.#queued = true;
    queueMicrotask(() => {
      this.#queued = false;
      this.render();
    });
  };

  render(): void {
    if (this.#isClosed) return;
    const focused = this.#root.activeElement;
    const place = [...this.#cards.values()].find((card) => card.root.contains(focused));
    this.#render(this.#section.contains(focused));
    // The browser lets go of what is gone only later, and then the keyboard would be at the top of the page.
    if (focused === null || (this.#root.contains(focused) && isVisible(focused))) return;
    const next = place && this.#root.contains(place.root) ? place.refuge : undefined;
    (next ?? this.#heading).focus({ preventScroll: true });
  }

  #render(hasFocus: boolean): void {
    const now = Date.now();
    const snapshot = this.guard.getSnapshot();
    const { batch, calls, grants, verdict } = snapshot;
    const over = isOver(snapshot);
    const own = this.#calls(snapshot);
    if (over) this.#over ??= performance.now();
    else {
      this.#over = undefined;
      this.#last = new Set(own.map(keyOf));
    }
    const asks = batch.phase === 'asking';
    this.#isKept = asks || (this.#isKept && !over);
    const { heading, status, proceed } = progress(snapshot, own, this.say, now);
    this.#proceedBy = proceed?.act;

    const isDead = verdict.reason === 'disposed' || verdict.reason === 'unavailable';
    this.#isDead ||= isDead && this.#cards.size > 0;
    const isChanged = this.#renderCards(over ? [] : own, now);
    const nothing = this.#isDead ? 'queue.dead' : 'queue.label';
    setText(this.#heading, over && own.length === 0 ? this.say(nothing) : heading);
    setText(this.#status, own.length === 0 ? '' : status);
    const first = calls.every((call) => call.approvalId === undefined || this.#last.has(keyOf(call)));
    setText(this.#warning, this.say(first ? 'queue.warning' : 'queue.warningAgain'));
    this.#show(this.#warning, asks);
    setText(this.#loop, batch.words.loop);
    setHidden(this.#loopNote, !asks || batch.words.loop === '' || batch.stopped);
    setHidden(this.#stop, this.#host.stop === undefined);

    const decided = batch.allowed + batch.denied;
    const allShown = [...this.#cards.values()].every((card) => !card.asks || card.isShown);
    const meant = JSON.stringify([proceed?.label, own.filter(isAsking).map(keyOf), batch.undoable]);
    if (meant !== this.#meant || isChanged) this.renew(this.#all);
    this.#meant = meant;
    if (batch.asking > 1) {
      setText(this.#denyAll, this.say('queue.denyAll', { n: batch.asking }));
      setText(this.#allowAll, this.say('queue.allowAll', { n: batch.asking }));
    }
    const several = batch.total > 1;
    const offers = asks && batch.asking > 1;
    this.#show(this.#denyAll, offers, several);
    this.#show(this.#allowAll, offers && batch.allowAll && allShown, several && !this.#allowAll.hidden);
    this.#show(this.#undoAll, batch.undoable && decided > 1, several);
    if (proceed) setText(this.#proceed, proceed.label);
    this.#show(this.#proceed, proceed !== undefined);
    const none = [this.#denyAll, this.#undoAll, this.#proceed].every(({ hidden }) => hidden);
    setHidden(this.#all, none);
    setHidden(this.#notice, none && !this.#isDead);
    this.#grants.update(snapshot, now);

    setAttribute(this.#section, 'data-phase', batch.phase);
    const since = performance.now() - (this.#over ?? 0);
    // What has the focus does not go away under it.
    const lately = over && (this.#isDead || hasFocus || (own.length > 0 && since < AFTERWARDS_MS));
    setHidden(this.#status, over && !lately);
    setHidden(this.#heading.parentElement ?? this.#heading, over && !lately && grants.length === 0);
    setHidden(this.#section, over && !lately && grants.length === 0);
    this.#renderCountdown(snapshot, now);
    this.#renderClock(snapshot, lately);
    this.#announce(snapshot, status, own.length > 0, hasFocus);
  }

  /** Shows it, or keeps its place as long as places are kept, or takes it away. */
  #show(element: HTMLElement, isShown: boolean, hasPlace = true): void {
    setHidden(element, !isShown && !(this.#isKept && hasPlace));
    setAttribute(element, 'data-off', isShown ? undefined : '');
  }

  /** The calls that are decided together; afterwards those that were. The dangerous ones come first. */
  #calls(snapshot: Snapshot): CallView[] {
    const { calls, verdict } = snapshot;
    const isOwn = isOver(snapshot)
      ? (call: CallView) => this.#last.has(keyOf(call))
      : verdict.reason === 'history'
        ? ({ status, actor, position }: CallView) =>
            status === 'answered' && (actor === 'history' || position !== undefined)
        : ({ position }: CallView) => position !== undefined;
    const own = calls.filter(isOwn);
    return [...own.filter((call) => call.dangerous), ...own.filter((call) => !call.dangerous)];
  }

  /** @returns whether a request that stood there is another one now */
  #renderCards(calls: readonly CallView[], now: number): boolean {
    let isChanged = false;
    const keys = new Set(calls.map(keyOf));
    for (const [key, card] of this.#cards) {
      if (keys.has(key)) continue;
      card.dispose();
      this.#cards.delete(key);
    }
    const roots = calls.map((call, i) => {
      const card = this.#cards.get(keyOf(call)) ?? new Card(this, call);
      this.#cards.set(keyOf(call), card);
      const position =
        calls.length === 1 ? '' : this.say('prompt.count', { index: i + 1, total: calls.length });
      if (card.update(call, position, now)) isChanged = true;
      return card.root;
    });
    setChildren(this.#requests, roots);
    return isChanged;
  }

  #renderCountdown({ batch: { commitAt } }: Snapshot, now: number): void {
    // It can be over before the response is that asked: more may come then.
    setHidden(this.#countdown, commitAt === undefined || commitAt <= now);
    setHidden(this.#lead, this.#warning.hidden && this.#countdown.hidden);
    if (commitAt !== undefined) {
      setText(this.#countdown, this.say('queue.sends', { time: calm(commitAt - now) }));
    }
  }

  /** Each second, while a time is shown. */
  #renderClock({ batch, calls, grants }: Snapshot, lately: boolean): void {
    const needed =
      lately ||
      batch.commitAt !== undefined ||
      grants.some(({ endsAt }) => endsAt !== undefined) ||
      (batch.phase === 'asking' && calls.some(({ deadline }) => deadline !== undefined));
    if (needed) this.#clock ??= setInterval(() => this.render(), 1000);
    else {
      clearInterval(this.#clock);
      this.#clock = undefined;
    }
  }

  #announce(snapshot: Snapshot, status: string, hasCalls: boolean, hasFocus: boolean): void {
    const { batch } = snapshot;
    const said = sentences(
      this.#heading.textContent ?? '',
      status,
      this.#loopNote.hidden ? '' : batch.words.loop,
    );
    if (!hasCalls || said === this.#said) return;
    this.#said = said;
    const keys = this.#host.getAttribute('shortcut') ?? SHORTCUT;
    const reach =
      batch.phase === 'asking' && !hasFocus && parseShortcut(keys) !== undefined
        ? this.say('queue.reach', { keys })
        : '';
    this.#announcer.say(sentences(said, reach));
  }
}

/** What a framework can set on the element. */
export interface QueueProps {
  /** The guard of the chat. */
  guard?: ToolApprovalQueue['guard'];
  /** Stops the chat. Without it there is no button that would. */
  stop?: ToolApprovalQueue['stop'];
  /** Which lasting yes is offered, of `input` and `tool`: `''` is none. Default both. */
  lasting?: string;
  /** The keys that lead to the queue: modifiers and a key, or `''` for none. Default `Alt+Shift+A`. */
  shortcut?: string;
}

const keys = new WeakMap<CallView, string>();

/** A call, beyond a change of its view. */
function keyOf(call: CallView): string {
  const { messageId, toolCallId, approvalId, toolName } = call;
  const key = keys.get(call) ?? JSON.stringify([messageId, toolCallId, approvalId, toolName]);
  keys.set(call, key);
  return key;
}

/** There is nothing to decide, and nothing that a person has to send. */
const isOver = ({ batch, verdict }: Snapshot): boolean =>
  (batch.phase === 'idle' || batch.phase === 'sent') && verdict.reason !== 'history';

const isAsking = ({ status }: CallView): boolean => status === 'asking';

const isVisible = (element: Element): boolean => element.closest('[hidden], [data-off]') === null;

/**
 * Makes `<tool-approval-queue>`, or another name, an element of the page. A name that is defined
 * already stays as it is. On a server it does nothing.
 *
 * @param name the name of the element, with a hyphen in it
 */
export function defineToolApprovalQueue(name = 'tool-approval-queue'): void {
  const { customElements } = globalThis;
  if (customElements === undefined || customElements.get(name) !== undefined) return;
  // A class can have one name only, so that each name has its own.
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
