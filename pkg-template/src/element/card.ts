// One request: what would run, with everything it is given, and the choices.
import type { CallView, Choice, Covers, DecideOptions, Refusal } from '../prompt.js';
import { revealed } from '../reveal.js';
import { button, type Desk, type Press } from './desk.js';
import { h, setAttribute, setChildren, setHidden, setText } from './dom.js';
import { InputView, toolName } from './input.js';
import { LongText } from './long-text.js';

/** The guard takes reasons of this length. */
const LONGEST_REASON = 500;

const AUTOMATIC = ['allowed-automatically', 'denied-automatically'];

let ids = 0;

export class Card {
  readonly root: HTMLElement;
  /** The call as it is shown: an answer is for this and nothing else. */
  call: CallView;
  readonly #desk: Desk;
  readonly #id = `request-${ids++}`;
  readonly #title: LongText;
  readonly #position = h('span', { part: 'position' });
  readonly #danger = h('p', { part: 'danger' });
  readonly #input: InputView;
  readonly #why: LongText;
  readonly #named: LongText;
  readonly #namedLine: HTMLElement;
  readonly #deadline = h('span', { role: 'timer' });
  readonly #extend: HTMLButtonElement;
  readonly #time: HTMLElement;
  readonly #choices: HTMLElement;
  readonly #deny: HTMLButtonElement;
  readonly #allow: HTMLButtonElement;
  readonly #more: HTMLButtonElement;
  readonly #moreChoices: HTMLElement;
  readonly #reason: HTMLTextAreaElement;
  readonly #lasting = h('div', { part: 'lasting' });
  readonly #reasons = h('div', { part: 'why' });
  #wasAsked = false;
  readonly #outcome = h('p', { part: 'outcome' });
  readonly #undo: HTMLButtonElement;
  readonly #revoke: HTMLButtonElement;
  readonly #answer: HTMLElement;
  readonly #notice = h('p', { part: 'notice' });
  #isDrawn = false;
  /** What the choices that last are made of: they are made again when this changes. */
  #offered: readonly unknown[] = [];

  constructor(desk: Desk, call: CallView) {
    const { say } = desk;
    const id = this.#id;
    const tool = toolName(call);
    this.#desk = desk;
    this.call = call;
    this.#input = new InputView(say, () => this.#told(desk.guard.reveal(this.call), () => this.#input.root));
    this.#title = new LongText(say);
    this.#why = new LongText(say);
    this.#named = new LongText(say);
    this.#namedLine = h('div', { part: 'named' }, this.#named.root, this.#named.fold);

    this.#deny = button('choice deny', say('action.deny'), tool);
    this.#allow = button('choice allow', say('action.once'), tool);
    this.#more = button('more', say('queue.more'), tool);
    this.#more.setAttribute('aria-controls', `${id}-more`);
    this.#more.setAttribute('aria-expanded', 'false');
    this.#undo = button('undo', say('action.undo'), tool);
    this.#revoke = button('revoke', '');
    this.#extend = button('extend', say('action.extend'), tool);
    this.#reason = h('textarea', { part: 'reason', rows: '2', maxlength: `${LONGEST_REASON}`, dir: 'auto' });
    this.#reason.id = `${id}-reason`;
    this.#choices = h('div', { part: 'choices' }, this.#deny, this.#allow, this.#more);
    this.#moreChoices = h(
      'div',
      { part: 'more-choices', id: `${id}-more`, hidden: '' },
      h('label', { for: this.#reason.id }, say('queue.reason')),
      this.#reason,
      this.#lasting,
    );
    this.#answer = h('div', { part: 'answer' }, this.#outcome, this.#undo, this.#revoke);
    this.#time = h('p', { part: 'deadline', hidden: '' }, this.#deadline, ' ', this.#extend);
    setText(this.#danger, say('queue.dangerous'));

    this.root = h(
      'div',
      { role: 'group', 'aria-labelledby': `${id}-title ${id}-position`, 'data-call': call.toolCallId },
      h(
        'div',
        { part: 'head' },
        h('h3', { part: 'title', id: `${id}-title` }, this.#title.root),
        this.#position,
      ),
      this.#title.fold,
      this.#danger,
      this.#input.root,
      this.#reasons,
      this.#namedLine,
      this.#time,
      // The answer takes the very place of the choices, so that no button below moves.
      h('div', { part: 'act' }, this.#choices, this.#answer),
      this.#moreChoices,
      this.#notice,
    );
    this.#position.id = `${id}-position`;
    this.#reasons.append(this.#why.root, this.#why.fold);

    this.#guarded(this.#deny, (press) => this.#decide('deny', press));
    this.#guarded(this.#allow, (press) => this.#decide('allow-once', press));
    this.#guarded(this.#undo, () => this.#told(desk.guard.undo(this.call), () => this.next));
    this.#more.addEventListener('click', () => this.#toggle(this.#moreChoices.hidden));
    this.#guarded(this.#extend, () => this.#told(desk.guard.extend(this.call)));
    this.#guarded(this.#revoke, () => this.#told(desk.guard.revoke(this.call.grantId ?? '')));
    this.#moreChoices.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      // It closes this and nothing around it, such as a dialog.
      event.preventDefault();
      event.stopPropagation();
      this.#toggle(false);
      this.#more.focus();
    });
  }

  /** Everything of the input is to be seen, so that a yes can be meant. */
  get isShown(): boolean {
    return this.#input.isShown;
  }

  /** What the assistant is to be told with a denial. What stands in a field that was closed again is not said. */
  get reason(): string {
    const typed = this.#moreChoices.hidden ? '' : this.#reason.value;
    // A pasted text may have characters that no reason can have.
    return typed.replace(/(?![\n\t])\p{Cc}/gu, ' ').trim();
  }

  get asks(): boolean {
    return this.call.status === 'asking';
  }

  /** @returns whether another request is shown than before */
  update(call: CallView, position: string, now: number): boolean {
    setText(this.#position, position);
    if (this.#isDrawn && call === this.call && AUTOMATIC.indexOf(call.outcome ?? '') < 0) {
      this.tick(now);
      if (this.asks && !this.#moreChoices.hidden) this.#offer();
      return false;
    }
    const wasDrawn = this.#isDrawn;
    this.#isDrawn = true;
    const { say } = this.#desk;
    const { words, dangerous } = call;
    const had = this.call.status;
    this.call = call;
    const title = call.title === undefined ? '' : revealed(call.title, { lines: false });
    const automatic = AUTOMATIC.includes(call.outcome ?? '');

    // Nobody was asked, so that there is nothing to warn of, and no place to keep.
    this.#wasAsked ||= this.asks;
    const isOpen = this.#wasAsked || call.actor !== 'rule';

    setAttribute(this.root, 'part', dangerous && isOpen ? 'request dangerous' : 'request');
    setAttribute(this.root, 'data-status', call.status);
    setAttribute(this.root, 'data-dangerous', dangerous ? '' : undefined);
    setAttribute(this.root, 'data-decision', call.decision);
    const isOther = this.#title.set(isOpen ? words.title : words.name);
    setHidden(this.#danger, !dangerous || !isOpen);
    setHidden(this.#reasons, !isOpen);
    setHidden(this.#choices, !isOpen);
    // Whoever is about to press has read what stood there before.
    const isChanged = (this.#input.update(call) || isOther) && wasDrawn;
    if (isChanged) this.#desk.renew(this.root);
    this.#why.set(words.why);
    // The tool, or the model, may have written it, so it comes late and says whose words they are.
    this.#named.set(say('queue.named', { title }));
    setHidden(this.#namedLine, title === '' || words.title.includes(title) || !isOpen);
    this.tick(now);

    if (had === 'asking' && !this.asks) {
      this.#toggle(false);
      setText(this.#notice, '');
    }
    setAttribute(this.#choices, 'data-off', this.asks ? undefined : '');
    setAttribute(this.#answer, 'data-off', this.asks ? '' : undefined);
    setHidden(this.#allow, !this.isShown);
    if (this.asks && !this.#moreChoices.hidden) this.#offer();

    const scope = words.outcome.includes(words.scope) ? '' : words.scope;
    setText(this.#outcome, scope === '' ? words.outcome : `${words.outcome}: ${scope}`);
    setHidden(this.#undo, !call.undoable);
    const allowed = call.outcome === 'allowed-automatically';
    setText(this.#revoke, say(allowed ? 'action.revoke' : 'action.revokeDeny'));
    // Until its grant holds for later calls, Undo does the same.
    const { grants } = this.#desk.guard.getSnapshot();
    const holds = automatic && grants.some(({ id, status }) => id === call.grantId && status === 'active');
    setHidden(this.#revoke, !holds);
    return isChanged;
  }

  /** How long it still waits. */
  tick(now: number): void {
    const { deadline, expiring } = this.call;
    setAttribute(this.#time, 'data-off', this.asks ? undefined : '');
    // What was there keeps its place when the call is decided.
    if (!this.asks) return;
    setHidden(this.#time, deadline === undefined);
    if (deadline === undefined) return;
    setText(this.#deadline, this.#desk.say('warn.expiry', { time: calm(deadline - now) }));
    setHidden(this.#extend, !expiring);
    setAttribute(this.#time, 'data-expiring', expiring ? '' : undefined);
  }

  /** Where the focus goes on after a decision here, or its undo: to Undo, or to the choice that does no harm. */
  get next(): HTMLElement | undefined {
    return this.asks ? this.#deny : this.#isUndoable();
  }

  /** Where the focus goes on when what had it is gone without a person's doing: to nothing that decides. */
  get refuge(): HTMLElement | undefined {
    return this.asks ? this.#more : this.#isUndoable();
  }

  #isUndoable(): HTMLElement | undefined {
    return this.#undo.hidden ? undefined : this.#undo;
  }

  dispose(): void {
    this.#desk.release(this.root);
  }

  /** The choices that last, each with what it covers; made when a person looks for them. */
  #offer(): void {
    const { call, isShown } = this;
    const { say, guard, lasting } = this.#desk;
    const { defaultCovers: own, ruling } = call;
    // Where a rule asks always, a grant would answer nothing.
    const once = call.dangerous || (ruling?.always === true && !ruling.shadow);
    // The lists are the same objects as long as they are the same.
    const offered = [call.covers.input, call.covers.tool, own, isShown, once, lasting.join(' ')];
    if (offered.every((fact, i) => fact === this.#offered[i])) return;
    this.#offered = offered;
    const offers: { cover: Covers; covered: readonly string[] }[] = [];
    if (typeof own === 'object' && lasting.includes('input')) {
      offers.push({ cover: own, covered: guard.covered(call, own) });
    }
    for (const cover of ['input', 'tool'] as const) {
      if (lasting.includes(cover)) offers.push({ cover, covered: call.covers[cover] });
    }

    const also = (covered: readonly string[]) =>
      covered.length < 2 ? '' : say('grant.covers', { n: covered.length - 1 });
    const choice = (label: string, covered: readonly string[], act: (press: Press) => void) => {
      const element = button('choice lasting-choice', '');
      element.append(h('bdi', {}, label));
      if (covered.length > 1) element.append(' ', h('span', { part: 'also' }, also(covered)));
      this.#guarded(element, act);
      return element;
    };
    const buttons: HTMLElement[] = [];
    if (call.covers.input.length > 0 && lasting.length > 0) {
      buttons.push(
        choice(say('action.denyChat'), call.covers.input, (press) =>
          this.#decide('deny-chat', press, { covers: 'input' }),
        ),
      );
    }
    for (const { cover, covered } of once || !isShown ? [] : offers) {
      if (covered.length === 0) continue;
      buttons.push(
        choice(this.#wordsOf(cover), covered, (press) =>
          this.#decide('allow-chat', press, { covers: cover }),
        ),
      );
    }
    this.#desk.release(this.#lasting);
    setChildren(this.#lasting, buttons);
  }

  #wordsOf(covers: Covers): string {
    const { say } = this.#desk;
    const tool = this.call.toolName;
    if (covers === 'input') return say('action.chatInput');
    if (covers === 'tool') return say('action.chatTool', { tool });
    return say('action.chatFields', { tool, fields: covers.join(', ') });
  }

  #guarded(element: HTMLElement, act: (press: Press) => void): void {
    this.#desk.guarded(element, act, () => this.#desk.note(this.#notice, this.#desk.say('queue.early')));
  }

  #toggle(open: boolean): void {
    if (open) this.#offer();
    setHidden(this.#moreChoices, !open);
    this.#more.setAttribute('aria-expanded', String(open));
  }

  #decide(choice: Choice, { occluded }: Press, options: DecideOptions = {}): void {
    const { call } = this;
    if (!this.#desk.allows({ calls: [call], choice, occluded })) return;
    const { reason } = this;
    const denies = choice === 'deny' || choice === 'deny-chat';
    if (denies && reason !== '') options.reason = reason;
    this.#told(this.#desk.guard.decide(call, choice, options), () => this.next);
  }

  /** Shows what became of an act. */
  #told(result: { type: string } | Refusal, next?: () => HTMLElement | undefined): void {
    this.#desk.note(this.#notice, 'reason' in result ? refusal(result, this.#desk) : '');
    this.#desk.changed(this.root, next);
  }
}

/** What a person reads when an act did not count. */
function refusal({ reason }: Refusal, { say }: Desk): string {
  switch (reason) {
    case 'changed':
      return say('queue.changed');
    case 'already-answered':
    case 'expired':
    case 'superseded':
    case 'gone':
    case 'unreachable':
      return say('error.late');
    default:
      return say('queue.refused');
  }
}

/** A time that changes each second only near its end: before that it would only unsettle. */
export function calm(ms: number): number {
  const unit = ms > 120_000 ? 60_000 : 1_000;
  return Math.ceil(Math.max(ms, 0) / unit) * unit;
}
