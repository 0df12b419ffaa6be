// The view of a snapshot, in `<tool-approval-queue>`.
import type { BatchAction, CallView, Snapshot } from '../prompt.js';
import { cardsOf, setQueue } from './card-view.js';
import { Card } from './card.js';
import { roundTime } from './card-body.js';
import { Completion } from './completion.js';
import { button, groupsOf, type CallGroup, type QueueContext } from './context.js';
import { h, setAttribute, setChildren, setHidden, setText } from './dom.js';
import { Grants } from './grants.js';
import { progress, sentences } from './progress.js';
import { matches, parseShortcut } from './shortcut.js';
import { ElementView, isVisible } from './view.js';

/** The time for which the queue shows the result of the last calls when there is nothing else to show. */
const RESULT_MS = 8000;

/** The first cards are complete at once. The others have a preview until they are near the viewport or the page is idle. */
const AT_ONCE = 12;

const SHORTCUT = 'Alt+Shift+A';

/** The fields in which a person writes. */
const FIELDS = 'input, textarea, [contenteditable]';

/** The element that a view belongs to. */
export interface QueueHost extends HTMLElement {
  readonly stop: (() => unknown) | undefined;
}

/** The queue's view of one guard while it is in a document. */
export class QueueView extends ElementView<QueueHost> implements QueueContext {
  readonly #cards = new Map<string, Card>();
  readonly #completion = new Completion(this.scheduleRender);
  readonly #grants: Grants;

  readonly #section: HTMLElement;
  readonly #heading = h('h2', { part: 'heading', tabindex: '-1', id: 'heading' });
  readonly #status = h('p', { part: 'status' });
  readonly #countdown = h('p', { part: 'countdown', role: 'timer' });
  readonly #warning = h('p', { part: 'warning' });
  /** The warning; once everything is decided, the countdown takes its place. */
  readonly #lead = h('div', { part: 'lead' }, this.#warning, this.#countdown);
  readonly #loop = h('p');
  readonly #loopNotice: HTMLElement;
  readonly #stop: HTMLButtonElement;
  readonly #steps: HTMLElement;
  readonly #previous: HTMLButtonElement;
  readonly #next: HTMLButtonElement;
  readonly #requests = h('div', { part: 'requests' });
  readonly #denyAll = button('choice deny-all', '');
  readonly #allowAll = button('choice allow-all', '');
  readonly #undoAll: HTMLButtonElement;
  readonly #proceed = button('proceed', '');
  readonly #all: HTMLElement;
  readonly #notice = h('p', { part: 'notice' });

  /** The calls of the queue, in its order, equal ones together: each group has one card. */
  #groups: readonly CallGroup[] = [];
  /** The key of the group that is shown where one is shown at a time. */
  #current: string | undefined;
  /** The keys of the last batch. */
  #lastKeys: ReadonlySet<string> = new Set();
  /** Identifies the calls and actions that the buttons for all calls refer to. */
  #buttonsKey = '';
  #action: BatchAction | undefined;
  /**
   * From the first question until the send, hidden buttons keep their places, so that nothing below moves.
   */
  #keepsPlaces = false;
  /** The last announcement, without the hint about the shortcut. */
  #announced = '';
  /** The time since which nothing is left to decide. */
  #overSince: number | undefined;
  /** Whether the guard was disposed of, or is unavailable, while there are calls. */
  #hasEnded = false;
  /** The element that had the focus before the shortcut was pressed. */
  #focusBefore: HTMLElement | undefined;
  /** The element of the page from which the focus came into the queue. */
  #cameFrom: Element | undefined;
  /** Whether the heading has the focus only because nothing else in the queue could have it. */
  #isStranded = false;
  /** Whether a key is held: its repetitions must not go into what gets the focus. */
  #isKeyHeld = false;

  constructor(...given: ConstructorParameters<typeof ElementView<QueueHost>>) {
    super(...given);
    this.#stop = button('stop', this.translate('queue.stop'));
    this.#previous = button('step previous', this.translate('queue.previous'));
    this.#next = button('step next', this.translate('queue.next'));
    this.#previous.addEventListener('click', () => this.#step(-1));
    this.#next.addEventListener('click', () => this.#step(1));
    // Above the requests, so that a request of another height does not move them.
    this.#steps = h('div', { part: 'steps' }, this.#previous, this.#next);
    this.#undoAll = button('undo-all', this.translate('action.undoAll'));
    this.#loopNotice = h('div', { part: 'loop' }, this.#loop, this.#stop);
    // Its place is kept only after it was offered.
    this.#allowAll.hidden = true;
    // The buttons for asking calls and the button that follows them share one place.
    const turns = h('div', { part: 'turns' }, h('div', {}, this.#denyAll, this.#allowAll), this.#proceed);
    this.#all = h('div', { part: 'all' }, this.#undoAll, turns);
    this.#grants = new Grants(this);
    this.#section = h(
      'section',
      { part: 'queue', 'aria-labelledby': 'heading' },
      h('div', { part: 'summary' }, this.#heading, this.#status),
      this.#lead,
      this.#loopNotice,
      this.#steps,
      this.#requests,
      this.#all,
      this.#notice,
      this.#grants.root,
    );
    this.#section.addEventListener('focusin', this.#onFocus);
    this.#guard(this.#stop, () => {
      this.host.stop?.();
      this.refresh(this.#loopNotice, () => this.#heading);
    });
    this.#guard(this.#denyAll, (press) => this.#decideAll('deny', press));
    this.#guard(this.#allowAll, (press) => this.#decideAll('allow-once', press));
    this.#guard(this.#undoAll, () => {
      this.guard.undoAll();
      this.refresh(this.#all);
    });
    this.#guard(this.#proceed, () => {
      void this.#proceeded();
      this.refresh(this.#all);
    });
  }

  open(): void {
    this.#completion.open();
    this.host.ownerDocument.addEventListener('keydown', this.#onKeydown);
    this.#section.addEventListener('keydown', this.#onHeld);
    this.host.ownerDocument.addEventListener('keyup', this.#onReleased, true);
    this.show(this.#section);
    setQueue(this.guard, this, true);
  }

  override close(): void {
    this.host.ownerDocument.removeEventListener('keydown', this.#onKeydown);
    this.host.ownerDocument.removeEventListener('keyup', this.#onReleased, true);
    this.#completion.close();
    setQueue(this.guard, this, false);
    super.close();
  }

  focus(options?: FocusOptions): void {
    const place = isVisible(this.#heading) ? this.#heading : this.#grants.summary;
    if (isVisible(place)) place.focus(options);
  }

  // ---- the context of the cards --------------------------------------------------------------

  override get cardLevel(): number {
    return Math.min(this.level + 1, 6);
  }

  reportEarly(): void {
    this.showNotice(this.#notice, this.translate('queue.early'));
  }

  // ---- actions of a person -------------------------------------------------------------------

  #guard(element: HTMLElement, act: Parameters<QueueContext['onPress']>[1]): void {
    this.onPress(element, act, () => this.reportEarly());
  }

  #decideAll(choice: 'deny' | 'allow-once', { occluded }: { occluded: boolean | undefined }): void {
    // Only the calls that the button was for, because another one may have arrived since.
    const calls = this.#calls.filter(isAsking);
    if (!this.dispatchDecide({ calls, choice, occluded })) return;
    // Each denial carries the reason that was written for it.
    const reasonOf = (call: CallView) => (choice === 'deny' && this.#cards.get(call.group)?.reason) || '';
    const said = calls.filter((call) => reasonOf(call) !== '');
    const results = said.map((call) => this.guard.decide(call, choice, { reason: reasonOf(call) }));
    const rest = calls.filter((call) => !said.includes(call));
    if (rest.length > 0) results.push(...this.guard.decideAll(rest, choice));
    const refused = results.some(({ type }) => type === 'refused');
    this.showNotice(this.#notice, refused ? this.translate('queue.refused') : '');
    this.refresh(this.#all, () => (isVisible(this.#undoAll) ? this.#undoAll : undefined));
  }

  /** Shows the next or the previous request. The focus stays on the button, and what is shown is announced. */
  #step(by: number): void {
    const index = this.#groups.findIndex((group) => keyOf(group) === this.#current) + by;
    const group = this.#groups[index];
    if (group === undefined) return;
    this.#current = keyOf(group);
    this.render();
    const card = this.#cards.get(this.#current);
    if (card) this.restart(card.root);
    const { title } = this.words.call(group[0]);
    this.announcer.say(sentences(this.#position(index), title, card?.times ?? ''), true);
  }

  #position(index: number): string {
    const total = this.#groups.length;
    return total === 1 ? '' : this.translate('prompt.count', { index: index + 1, total });
  }

  async #proceeded(): Promise<void> {
    let type: string | undefined;
    try {
      type = (await this.guard.proceed(this.#action)).type;
    } catch {
      // The guard reports the failure; the person only needs to know that nothing was sent.
    }
    if (this.isClosed) return;
    const done = type === 'committed' || type === 'committing' || type === 'sent';
    const waits = type === 'responding' || type === 'waiting';
    this.showNotice(this.#notice, done ? '' : this.translate(waits ? 'queue.rest' : 'queue.refused'));
  }

  /**
   * Moves the focus to the queue with the shortcut, and back with the same. If it leaves the requests to cards, the
   * first one that asks gets the focus.
   */
  readonly #onKeydown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.repeat || this.#section.hidden) return;
    const shortcut = parseShortcut(this.host.getAttribute('shortcut') ?? SHORTCUT);
    if (shortcut === undefined || !matches(shortcut, event)) return;
    event.preventDefault();
    const cards = this.#shows === 'none' ? cardsOf(this.guard) : [];
    if ([this, ...cards].some(({ hasFocus }) => hasFocus)) {
      this.#focusBefore?.focus();
      return;
    }
    // Each component has the focused element only as far as its own root.
    let active = this.host.ownerDocument.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    this.#focusBefore = (active as HTMLElement | null) ?? undefined;
    this.#isStranded = false;
    (cards.find(({ asks }) => asks) ?? this).focus();
  };

  /** The next Tab, in either direction, leads to a complete card. */
  readonly #onFocus = ({ target, relatedTarget }: FocusEvent): void => {
    if (relatedTarget !== null && !this.#section.contains(relatedTarget as Node))
      this.#cameFrom = relatedTarget as Element;
    const card = (target as Element).closest('[data-call]');
    this.#completion.complete(card ? card.previousElementSibling : this.#requests.lastElementChild);
    this.#completion.complete(card?.nextElementSibling);
  };

  readonly #onHeld = (): void => {
    this.#isKeyHeld = true;
  };

  readonly #onReleased = (): void => {
    if (!this.#isKeyHeld) return;
    this.#isKeyHeld = false;
    this.scheduleRender();
  };

  /**
   * Gives the focus back to the field in which the person was writing, once nothing is left to decide. Returns whether the
   * field has taken it; a disabled one does not.
   */
  #giveBack(): boolean {
    const field = this.#cameFrom;
    if (this.#overSince === undefined || this.#isKeyHeld || !field?.matches(FIELDS)) return false;
    (field as HTMLElement).focus({ preventScroll: true });
    return !this.hasFocus;
  }

  // ---- rendering -----------------------------------------------------------------------------

  render(): void {
    if (this.isClosed) return;
    const focused = this.root.activeElement;
    const place = [...this.#cards.values()].find((card) => card.root.contains(focused));
    this.#render(this.#section.contains(focused));
    const isLost = this.hasLostFocus(focused);
    const isStranded = this.#isStranded && focused === this.#heading;
    if ((isLost || isStranded) && this.#giveBack()) this.#isStranded = false;
    else if (isLost) this.#keepFocus(place);
  }

  /** Puts the focus where it can stay, after its element was removed or hidden. */
  #keepFocus(place: Card | undefined): void {
    const stays = place && this.root.contains(place.root) && isVisible(place.root);
    const next = stays ? place.fallbackFocus : undefined;
    this.#isStranded = next === undefined;
    (next ?? this.#heading).focus({ preventScroll: true });
  }

  #render(hasFocus: boolean): void {
    const now = Date.now();
    const snapshot = this.guard.getSnapshot();
    const { batch, grants, verdict } = snapshot;
    const over = isOver(snapshot);
    const own = this.#callsOf(snapshot);
    if (over) this.#overSince ??= performance.now();
    else {
      this.#overSince = undefined;
      this.#lastKeys = new Set(own.map(({ key }) => key));
    }
    const asks = batch.phase === 'asking';
    this.#keepsPlaces = asks || (this.#keepsPlaces && !over);
    const { heading, status, label } = progress(snapshot, own, this, now);
    setAttribute(this.#heading, 'aria-level', String(this.level));
    this.#action = label === '' ? undefined : batch.action;

    const hasEnded = verdict.reason === 'disposed' || verdict.reason === 'unavailable';
    const hadCalls = this.#hasEnded || this.#groups.length > 0;
    this.#hasEnded = hasEnded && (hadCalls || snapshot.calls.some(isAsking));
    this.#groups = over ? [] : groupsOf(own);
    const show = this.#shows;
    const isChanged = this.#renderCards(show === 'none' ? [] : this.#groups, now);
    this.#renderStep(show === 'one');
    // Without an engine, a call is not there again after a reload.
    const ended = snapshot.calls.some(isAsking) ? 'queue.unavailable' : 'queue.dead';
    const nothing = this.#hasEnded ? ended : 'queue.label';
    setText(this.#heading, over && (own.length === 0 || this.#hasEnded) ? this.translate(nothing) : heading);
    setText(this.#status, own.length === 0 ? '' : status);
    // While it is hidden it keeps its text, and so its place.
    if (asks) setText(this.#warning, this.words.warning(snapshot));
    this.#show(this.#warning, asks);
    setText(this.#loop, this.words.batch(batch).loop);
    setHidden(this.#loopNotice, !asks || !batch.looping || batch.stopped);
    setHidden(this.#stop, this.host.stop === undefined);

    const decided = batch.allowed + batch.denied;
    // A call that a person has not seen is not allowed together with the rest.
    const isWhole = show !== 'one' && show !== 'none';
    const allShown = isWhole && [...this.#cards.values()].every((card) => !card.asks || card.isShown);
    const meant = JSON.stringify([label, own.filter(isAsking).map(({ key }) => key), batch.undoable]);
    if (meant !== this.#buttonsKey || isChanged) this.restart(this.#all);
    this.#buttonsKey = meant;
    if (batch.asking > 1) {
      setText(this.#denyAll, this.translate('queue.denyAll', { n: batch.asking }));
      setText(this.#allowAll, this.translate('queue.allowAll', { n: batch.asking }));
    }
    // One card has these buttons itself.
    const several = this.#groups.length > 1;
    const offers = asks && this.#groups.filter(([call]) => isAsking(call)).length > 1;
    this.#show(this.#denyAll, offers, several);
    this.#show(
      this.#allowAll,
      offers && batch.allowAll && allShown,
      several && (!this.#allowAll.hidden || (batch.allowAll && this.#completion.isWaiting)),
    );
    this.#show(this.#undoAll, batch.undoable && decided > 1 && several, several);
    if (label !== '') setText(this.#proceed, label);
    this.#show(this.#proceed, label !== '');
    const none = [this.#denyAll, this.#undoAll, this.#proceed].every(({ hidden }) => hidden);
    setHidden(this.#all, none);
    setHidden(this.#notice, none && !this.#hasEnded);
    this.#grants.update(snapshot, now);

    setAttribute(this.#section, 'data-phase', batch.phase);
    const since = performance.now() - (this.#overSince ?? 0);
    // An element that has the focus does not disappear.
    const recently = over && (this.#hasEnded || hasFocus || (own.length > 0 && since < RESULT_MS));
    setHidden(this.#status, over && !recently);
    setHidden(this.#heading.parentElement ?? this.#heading, over && !recently && grants.length === 0);
    setHidden(this.#section, over && !recently && grants.length === 0);
    this.#renderCountdown(snapshot, now);
    this.#renderClock(snapshot, recently);
    this.#announce(snapshot, status, own.length > 0, hasFocus);
  }

  get #shows(): string | null {
    return this.host.getAttribute('show');
  }

  /** Shows an element. A hidden one keeps its place while places are kept. */
  #show(element: HTMLElement, isShown: boolean, hasPlace = true): void {
    setHidden(element, !isShown && !(this.#keepsPlaces && hasPlace));
    setAttribute(element, 'data-off', isShown ? undefined : '');
  }

  /** The calls that the cards show. */
  get #calls(): readonly CallView[] {
    return this.#groups.flat();
  }

  /** The calls of the batch, or of the last one when it is over. The dangerous ones come first. */
  #callsOf(snapshot: Snapshot): CallView[] {
    const { calls, verdict } = snapshot;
    const isOwn = isOver(snapshot)
      ? (call: CallView) => this.#lastKeys.has(call.key)
      : verdict.reason === 'history'
        ? ({ status, actor, position }: CallView) =>
            status === 'answered' && (actor === 'history' || position !== undefined)
        : ({ position }: CallView) => position !== undefined;
    const own = calls.filter(isOwn);
    return [...own.filter((call) => call.dangerous), ...own.filter((call) => !call.dangerous)];
  }

  /** @returns whether a card now shows another request */
  #renderCards(groups: readonly CallGroup[], now: number): boolean {
    let isChanged = false;
    const keys = new Set(groups.map(keyOf));
    for (const [key, card] of this.#cards) {
      if (keys.has(key)) continue;
      card.dispose();
      this.#completion.delete(card);
      this.#cards.delete(key);
    }
    const roots = groups.map((group, i) => {
      const isComplete = i < AT_ONCE || i === groups.length - 1;
      const card = this.#cards.get(keyOf(group)) ?? this.#newCard(group, isComplete);
      if (card.update(group, this.#position(i), now)) isChanged = true;
      return card.root;
    });
    setChildren(this.#requests, roots);
    return isChanged;
  }

  #newCard(group: CallGroup, isComplete: boolean): Card {
    const card = new Card(this, group);
    this.#cards.set(keyOf(group), card);
    if (isComplete) card.complete();
    else this.#completion.add(card);
    return card;
  }

  /** Hides all requests but one, if one is shown at a time. */
  #renderStep(isOne: boolean): void {
    const groups = this.#groups;
    let at = groups.findIndex((group) => keyOf(group) === this.#current);
    if (at < 0)
      at = Math.max(
        groups.findIndex(([call]) => isAsking(call)),
        0,
      );
    const current = groups[at];
    this.#current = current && keyOf(current);
    if (isOne && current) this.#completion.complete(this.#cards.get(keyOf(current))?.root);
    for (const [key, { root }] of this.#cards) setHidden(root, isOne && key !== this.#current);
    setHidden(this.#steps, !isOne || groups.length < 2);
    // A button that is disabled would lose the focus.
    setAttribute(this.#previous, 'aria-disabled', at > 0 ? undefined : 'true');
    setAttribute(this.#next, 'aria-disabled', at < groups.length - 1 ? undefined : 'true');
  }

  #renderCountdown({ batch: { commitAt } }: Snapshot, now: number): void {
    // The time may run out before the response ends, and more calls may come until then.
    setHidden(this.#countdown, commitAt === undefined || commitAt <= now);
    setHidden(this.#lead, this.#warning.hidden && this.#countdown.hidden);
    if (commitAt !== undefined) {
      setText(this.#countdown, this.translate('queue.sends', { time: roundTime(commitAt - now) }));
    }
  }

  #renderClock({ batch, calls, grants }: Snapshot, recently: boolean): void {
    this.tickWhile(
      recently ||
        batch.commitAt !== undefined ||
        grants.some(({ endsAt }) => endsAt !== undefined) ||
        (batch.phase === 'asking' && calls.some(({ deadline }) => deadline !== undefined)),
    );
  }

  #announce(snapshot: Snapshot, status: string, hasCalls: boolean, hasFocus: boolean): void {
    const { batch } = snapshot;
    const said = sentences(
      this.#heading.textContent ?? '',
      status,
      this.#loopNotice.hidden ? '' : (this.#loop.textContent ?? ''),
    );
    if (!hasCalls || said === this.#announced) return;
    this.#announced = said;
    const keys = this.host.getAttribute('shortcut') ?? SHORTCUT;
    const reach =
      batch.phase === 'asking' && !hasFocus && parseShortcut(keys) !== undefined
        ? this.translate('queue.reach', { keys })
        : '';
    this.announcer.say(sentences(said, reach));
  }
}

/** A group, and its card, has the key of its first call. */
const keyOf = ([{ group }]: CallGroup): string => group;

/** Whether there is nothing to decide, and nothing that a person has to send. */
const isOver = ({ batch, verdict }: Snapshot): boolean =>
  (batch.phase === 'idle' || batch.phase === 'sent') && verdict.reason !== 'history';

const isAsking = ({ status }: CallView): boolean => status === 'asking';
