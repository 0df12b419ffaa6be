// The body of a complete card, below its title: all of the input, and the choices.
import type { CallView, Choice, Covers, DangerSource, DecideOptions, Refusal } from '../prompt.js';
import { escapeInvisible } from '../escape-invisible.js';
import type { CallWords } from '../text/prompts.js';
import { button, outcomeOf, setLabel, type CallGroup, type CardContext } from './context.js';
import { h, setAttribute, setChildren, setHidden, setText } from './dom.js';
import type { Editor, EditorHost } from './editor.js';
import { InputView, toolName } from './input.js';
import { LongText } from './long-text.js';
import type { Press } from './press.js';

/** The longest reason that a guard accepts. */
const LONGEST_REASON = 500;

/** A lasting choice: what it covers, and the waiting calls that it would answer. */
interface Offer {
  covers: Covers;
  covered: readonly string[];
}

const AUTOMATIC = ['allowed-automatically', 'denied-automatically'];

/** Whether a grant has answered the call. It may have been revoked since. */
export const isAutomatic = ({ outcome }: CallView): boolean => AUTOMATIC.includes(outcome ?? '');

/** The sentence about a dangerous call, by the source of its mark. */
const DANGER = {
  application: 'queue.dangerous',
  server: 'queue.dangerousServer',
  name: 'queue.dangerousName',
} as const satisfies Record<DangerSource, string>;

export class CardBody {
  /** The calls as they are shown. An answer is for exactly these. */
  #calls: CallGroup;
  readonly #context: CardContext;
  readonly #root: HTMLElement;
  readonly #danger = h('p', { part: 'danger' });
  readonly #sounds = h('p', { part: 'sounds-dangerous' });
  readonly #readOnly = h('p', { part: 'read-only' });
  readonly #input: InputView;
  /** Opens the editor, and closes it again. */
  readonly #edit: HTMLButtonElement;
  /** The editor of the input. It stays while the call is decided, because that may be undone. */
  #editor: Editor | undefined;
  /** The input that the editor was opened for. */
  #editedInput = '';
  readonly #why: LongText;
  readonly #named: LongText;
  readonly #namedLine: HTMLElement;
  readonly #deadline = h('span', { role: 'timer' });
  readonly #extend: HTMLButtonElement;
  readonly #time: HTMLElement;
  readonly #choices: HTMLElement;
  readonly #deny: HTMLButtonElement;
  readonly #allow: HTMLButtonElement;
  /** Gives {@link #lastingOffer}. */
  readonly #allowChat: HTMLButtonElement;
  #lastingOffer: Offer | undefined;
  readonly #more: HTMLButtonElement;
  readonly #moreChoices: HTMLElement;
  readonly #reason: HTMLTextAreaElement;
  readonly #lasting = h('div', { part: 'lasting' });
  readonly #reasons = h('div', { part: 'why' });
  readonly #outcome = h('p', { part: 'outcome' });
  readonly #undo: HTMLButtonElement;
  readonly #revoke: HTMLButtonElement;
  readonly #answer: HTMLElement;
  readonly #notice = h('p', { part: 'notice' });
  /** The texts of the lasting choices follow from this; they are written again when any of it changes. */
  #offered: readonly unknown[] = [];

  /** Appends the body to the root of a card. */
  constructor(context: CardContext, root: HTMLElement, calls: CallGroup) {
    const { translate } = context;
    const [call] = calls;
    const { id } = root;
    const tool = toolName(call);
    this.#context = context;
    this.#root = root;
    this.#calls = calls;
    this.#input = new InputView(translate, () =>
      this.#showResult(context.guard.unmask(this.#call), () => this.#input.root),
    );
    this.#why = new LongText(translate);
    this.#named = new LongText(translate);
    this.#namedLine = h('div', { part: 'named' }, this.#named.root);

    this.#deny = button('choice deny', ' ', tool);
    this.#allow = button('choice allow', ' ', tool);
    this.#edit = button('edit', ' ', tool);
    this.#edit.hidden = true;
    this.#allowChat = button('choice allow-chat', '');
    this.#more = button('more', translate('queue.more'), tool);
    this.#more.setAttribute('aria-controls', `${id}-more`);
    this.#more.setAttribute('aria-expanded', 'false');
    this.#undo = button('undo', translate('action.undo'), tool);
    this.#revoke = button('revoke', '');
    this.#extend = button('extend', translate('action.extend'), tool);
    this.#reason = h('textarea', { part: 'reason', rows: '2', maxlength: `${LONGEST_REASON}`, dir: 'auto' });
    this.#reason.id = `${id}-reason`;
    this.#choices = h('div', { part: 'choices' }, this.#deny, this.#allow, this.#allowChat, this.#more);
    this.#moreChoices = h(
      'div',
      { part: 'more-choices', id: `${id}-more`, hidden: '' },
      h('label', { for: this.#reason.id }, translate('queue.reason')),
      this.#reason,
      this.#lasting,
    );
    this.#answer = h('div', { part: 'answer' }, this.#outcome, this.#undo, this.#revoke);
    this.#time = h('p', { part: 'deadline', hidden: '' }, this.#deadline, ' ', this.#extend);
    setText(this.#sounds, translate('queue.soundsDangerous'));
    setText(this.#readOnly, translate('queue.readOnly'));

    root.append(
      this.#danger,
      this.#sounds,
      this.#readOnly,
      this.#input.root,
      this.#edit,
      this.#reasons,
      this.#namedLine,
      this.#time,
      // The answer takes the place of the choices, so that no button below moves.
      h('div', { part: 'act' }, this.#choices, this.#answer),
      this.#moreChoices,
      this.#notice,
    );
    this.#reasons.append(this.#why.root);

    this.#guarded(this.#deny, (press) => this.#decide('deny', press));
    this.#guarded(this.#allow, (press) => this.#allowOnce(press));
    this.#guarded(this.#allowChat, (press) => {
      if (this.#lastingOffer) this.#decide('allow-chat', press, { covers: this.#lastingOffer.covers });
    });
    this.#guarded(this.#undo, () => this.#showResult(context.guard.undo(this.#calls), () => this.nextFocus));
    this.#more.addEventListener('click', () => this.#toggle(this.#moreChoices.hidden));
    this.#edit.addEventListener('click', () => void this.#toggleEditor());
    this.#guarded(this.#extend, () =>
      this.#showResult(worst(this.#calls.map((each) => context.guard.extend(each)))),
    );
    this.#guarded(this.#revoke, () => this.#showResult(context.guard.revoke(this.#call.grant?.id ?? '')));
    onEscape(this.#moreChoices, () => {
      this.#toggle(false);
      this.#more.focus();
    });
  }

  /** Whether it can be allowed: all of the input is visible, and the server has the tool. */
  get isShown(): boolean {
    return this.#input.isShown && !this.#call.unavailable;
  }

  /** Whether a person has typed another input, which is not allowed yet. */
  get isChanged(): boolean {
    return this.#openEditor?.isChanged === true;
  }

  /** The editor, while it is shown. */
  get #openEditor(): Editor | undefined {
    return this.#call.can.edit ? this.#editor : undefined;
  }

  /** The reason for a denial; empty while its field is closed. */
  get reason(): string {
    const typed = this.#moreChoices.hidden ? '' : this.#reason.value;
    // Pasted text may contain control characters, which a reason cannot.
    return typed.replace(/(?![\n\t])\p{Cc}/gu, ' ').trim();
  }

  /** The first of its calls. All of them ask the same. */
  get #call(): CallView {
    return this.#calls[0];
  }

  get #asks(): boolean {
    return this.#call.waiting;
  }

  /**
   * Shows the calls.
   *
   * @param isOpen whether a person is or was asked
   * @returns whether the input is now another one
   */
  update(calls: CallGroup, words: CallWords, isOpen: boolean, now: number): boolean {
    const { translate } = this.#context;
    const [call] = calls;
    const asked = this.#asks;
    this.#calls = calls;
    const { title = '' } = call;

    const n = calls.length;
    setLabel(this.#deny, translate(n === 1 ? 'action.deny' : 'action.denyEqual', { n }));
    const { dangerous, dangerousBy = 'application' } = call;
    if (dangerous) setText(this.#danger, translate(DANGER[dangerousBy], { n }));
    setHidden(this.#danger, !dangerous || !isOpen);
    setHidden(this.#sounds, !call.soundsDangerous || !isOpen);
    setHidden(this.#readOnly, !call.readOnly || !isOpen);
    setHidden(this.#reasons, !isOpen);
    setHidden(this.#choices, !isOpen);
    const isOther = this.#renderInput();
    this.#why.set(words.why);
    // The tool or the model may have written the title, so it comes last and is marked as such.
    this.#named.set(translate('queue.named', { title }));
    setHidden(
      this.#namedLine,
      title === '' || words.title.includes(escapeInvisible(title, { lines: false })) || !isOpen,
    );
    this.#tick(now);

    if (asked && !this.#asks) {
      this.#toggle(false);
      setText(this.#notice, '');
    }
    setAttribute(this.#choices, 'data-off', this.#asks ? undefined : '');
    setAttribute(this.#answer, 'data-off', this.#asks ? '' : undefined);
    setHidden(this.#allow, !this.isShown);
    this.#offer();

    const { grants, verdict } = this.#context.guard.getSnapshot();
    const isUnanswerable = call.status === 'asking' && !call.waiting && verdict.reason === 'unavailable';
    const outcome = isUnanswerable ? translate('queue.unavailable') : outcomeOf(call, words, translate);
    const scope = outcome.includes(words.scope) ? '' : words.scope;
    setText(this.#outcome, scope === '' ? outcome : `${outcome}: ${scope}`);
    setHidden(this.#undo, !call.can.undo);
    const allowed = call.outcome === 'allowed-automatically';
    setText(this.#revoke, translate(allowed ? 'action.revoke' : 'action.revokeDeny'));
    // Before the grant is active, Undo has the same effect.
    const holds =
      isAutomatic(call) && grants.some(({ id, status }) => id === call.grant?.id && status === 'active');
    setHidden(this.#revoke, !holds);
    return isOther;
  }

  /** Shows what would run, or runs: in the editor what may be changed, and above it the rest. @returns whether it changed */
  #renderInput(): boolean {
    const { translate } = this.#context;
    const { can, changes, display, input } = this.#call;
    const wasOpen = this.#editor !== undefined && !this.#editor.root.hidden;
    // The typed text is about another input.
    if (this.#editor && can.edit && JSON.stringify(input) !== this.#editedInput) {
      this.#editor.root.remove();
      this.#editor = undefined;
      this.#context.showNotice(this.#notice, translate('queue.changed'));
    }
    const editor = this.#openEditor;
    if (this.#editor) setHidden(this.#editor.root, editor === undefined);
    setLabel(this.#edit, translate(editor ? 'queue.editCancel' : 'action.edit'));
    // Once it was offered, it keeps its place.
    if (can.edit) setHidden(this.#edit, false);
    setAttribute(this.#edit, 'data-off', can.edit ? undefined : '');
    editor?.update(this.#call);
    // Allow is for all calls as they are, or for one of them with what was changed.
    const n = this.#calls.length;
    const label = this.isChanged
      ? translate(n === 1 ? 'action.onceEdited' : 'queue.onlyOneEdited')
      : translate(n === 1 ? 'action.once' : 'action.allowEqual', { n });
    setLabel(this.#allow, label);
    const isOther =
      editor && display
        ? this.#input.update({ ...display, value: editor.over(display.value) }, [], editor.names)
        : this.#input.update(display, changes);
    return isOther || wasOpen !== (editor !== undefined);
  }

  async #toggleEditor(): Promise<void> {
    const context = this.#context;
    if (this.#editor) {
      this.#editor.root.remove();
      this.#editor = undefined;
    } else {
      let createEditor;
      try {
        ({ createEditor } = await context.loadEditor());
      } catch {
        context.showNotice(this.#notice, context.translate('queue.editFailed'));
        return;
      }
      // Meanwhile the call may have been decided, or the button pressed again.
      if (this.#editor !== undefined || !this.#call.can.edit) return;
      const host: EditorHost = {
        id: this.#root.id,
        show: (value) => this.#input.show(value),
        was: (value) => this.#input.was(value),
        changed: () => this.#changed(),
      };
      this.#editor = createEditor(host, context.guard.locale);
      this.#editedInput = JSON.stringify(this.#call.input);
      // No typed text is lost by a key.
      onEscape(this.#editor.root, () => {
        if (this.isChanged) return;
        this.#edit.focus();
        void this.#toggleEditor();
      });
      this.#edit.before(this.#editor.root);
    }
    context.showNotice(this.#notice, '');
    this.#changed();
    // A person who has gone on elsewhere while it was loaded stays there.
    context.refresh(this.#edit, () => this.#editor?.first ?? this.#edit);
  }

  /** Another input would run, so it has to be seen before a press counts. */
  #changed(): void {
    const wasShown = this.#root.dataset['changed'];
    this.#renderInput();
    this.#offer();
    this.#context.restart(this.#allow);
    setAttribute(this.#root, 'data-changed', this.isChanged ? '' : undefined);
    // Nobody allows all calls while one of them is about to be another one.
    if (wasShown !== this.#root.dataset['changed']) this.#context.refresh(this.#root);
  }

  #allowOnce(press: Press): void {
    const editor = this.#openEditor;
    if (!editor?.isChanged) {
      this.#decide('allow-once', press);
      return;
    }
    const read = editor.read();
    if (read) this.#decide('allow-once', press, read, [this.#call]);
    else this.#context.showNotice(this.#notice, editor.wrong);
  }

  /** Shows what changes though the call does not: the remaining time, and what the lasting choices cover. */
  refresh(now: number): void {
    this.#tick(now);
    this.#offer();
  }

  #tick(now: number): void {
    // That of the call which expires first.
    const { deadline, expiring } = this.#calls.reduce((first, call) =>
      (call.deadline ?? Infinity) < (first.deadline ?? Infinity) ? call : first,
    );
    setAttribute(this.#time, 'data-off', this.#asks ? undefined : '');
    // The time keeps its place when the call is decided.
    if (!this.#asks) return;
    setHidden(this.#time, deadline === undefined);
    if (deadline === undefined) return;
    setText(this.#deadline, this.#context.translate('warn.expiry', { time: roundTime(deadline - now) }));
    setHidden(this.#extend, !expiring);
    setAttribute(this.#time, 'data-expiring', expiring ? '' : undefined);
  }

  /** The next place of the focus after a decision or an undo: Undo, or Deny. */
  get nextFocus(): HTMLElement | undefined {
    return this.#asks ? this.#deny : this.#visibleUndo();
  }

  /** The next place of the focus if an update has removed its element: never a button that decides. */
  get fallbackFocus(): HTMLElement | undefined {
    return this.#asks ? this.#more : this.#visibleUndo();
  }

  #visibleUndo(): HTMLElement | undefined {
    return this.#undo.hidden ? undefined : this.#undo;
  }

  /** Says what the lasting choices cover. Those behind "More choices" are built once a person opens it. */
  #offer(): void {
    const { isShown } = this;
    const call = this.#call;
    if (!this.#asks) return;
    const { translate, guard, lasting } = this.#context;
    const { defaultCovers: own, ruling } = call;
    // If a rule always asks, a grant would have no effect.
    // A changed input is for this call alone.
    const { isChanged } = this;
    const once = call.dangerous || isChanged || (ruling?.always === true && !ruling.shadow);
    const isOpen = !this.#moreChoices.hidden;
    const sameInput = guard.covered(call, 'input');
    const offers: Offer[] = [];
    if (typeof own === 'object' && lasting.includes('input')) {
      offers.push({ covers: own, covered: guard.covered(call, own) });
    }
    if (lasting.includes('input')) offers.push({ covers: 'input', covered: sameInput });
    if (lasting.includes('tool')) offers.push({ covers: 'tool', covered: guard.covered(call, 'tool') });
    // Equal lists are the same objects.
    const offered = [
      sameInput,
      ...offers.map(({ covered }) => covered),
      own,
      isShown,
      once,
      isOpen,
      isChanged,
      this.#calls.length,
    ];
    if (offered.length === this.#offered.length && offered.every((fact, i) => fact === this.#offered[i]))
      return;
    this.#offered = offered;
    const [only, ...rest] = this.#calls;
    // A choice that answers only some of the calls of this card is not offered.
    const isWhole = ({ covered }: Offer) =>
      covered.length > 0 && rest.every(({ key }) => covered.includes(key));
    const possible = once || !isShown ? [] : offers.filter(isWhole);
    const first = possible.find(({ covers }) => covers === own) ?? possible[0];
    setHidden(this.#allowChat, first === undefined);
    if (first) this.#label(this.#allowChat, this.#wordsOf(first.covers), first.covered);
    const { covers, covered } = this.#lastingOffer ?? {};
    if (first?.covers !== covers || first?.covered !== covered) this.#context.restart(this.#allowChat);
    this.#lastingOffer = first;

    this.#context.release(this.#lasting);
    if (!isOpen) return;
    const buttons: HTMLElement[] = [];
    const choice = (label: string, covered: readonly string[], act: (press: Press) => void) => {
      const element = button('choice lasting-choice', '');
      this.#label(element, label, covered);
      this.#guarded(element, act);
      buttons.push(element);
    };
    if (rest.length > 0 && isShown && !isChanged) {
      const element = button('choice only-one', translate('queue.onlyOne'));
      this.#guarded(element, (press) => {
        // The denials come first, so that nothing runs if they are refused.
        if (this.#decide('deny', press, {}, rest)) this.#decide('allow-once', press, {}, [only]);
      });
      buttons.push(element);
    }
    const deny = (press: Press) => this.#decide('deny-chat', press, { covers: 'input' });
    if (sameInput.length > 0 && lasting.length > 0) choice(translate('action.denyChat'), sameInput, deny);
    for (const { covers, covered } of possible.filter(({ covers }) => covers !== first?.covers))
      choice(this.#wordsOf(covers), covered, (press) => this.#decide('allow-chat', press, { covers }));
    setChildren(this.#lasting, buttons);
  }

  /** Says on a button what it does, and how many waiting calls it answers as well. The latter keeps its place. */
  #label(element: HTMLElement, label: string, { length }: readonly string[]): void {
    const also = element.querySelector('[part="also"]') ?? h('span', { part: 'also' });
    const n = length - this.#calls.length;
    if (n > 0) setText(also, this.#context.translate('grant.covers', { n }));
    setAttribute(also, 'data-off', n > 0 ? undefined : '');
    element.replaceChildren(h('bdi', {}, label), ...(also.firstChild ? [' ', also] : []));
  }

  #wordsOf(covers: Covers): string {
    const { translate } = this.#context;
    const tool = this.#call.label;
    if (covers === 'input') return translate('action.chatInput');
    if (covers === 'tool') return translate('action.chatTool', { tool });
    return translate('action.chatFields', { tool, fields: covers.join(', ') });
  }

  #guarded(element: HTMLElement, act: (press: Press) => void): void {
    this.#context.onPress(element, act, () =>
      this.#context.showNotice(this.#notice, this.#context.translate('queue.early')),
    );
  }

  #toggle(open: boolean): void {
    setHidden(this.#moreChoices, !open);
    this.#offer();
    this.#more.setAttribute('aria-expanded', String(open));
  }

  /** @returns whether it was done */
  #decide(
    choice: Choice,
    { occluded }: Press,
    options: DecideOptions = {},
    calls: readonly CallView[] = this.#calls,
  ): boolean {
    const { input } = options;
    const isEdit = input !== undefined;
    if (!this.#context.dispatchDecide({ calls, choice, occluded, ...(isEdit && { input }) })) return false;
    const { reason } = this;
    const { guard } = this.#context;
    if (choice.startsWith('deny') && reason !== '') options.reason = reason;
    // A lasting choice about the first call answers the others, too, and a changed input is for the first one.
    const results =
      (choice === 'allow-once' || choice === 'deny') && !isEdit
        ? guard.decideAll(calls, choice, options)
        : [guard.decide(this.#call, choice, options)];
    const result = worst(results);
    const said = isEdit && 'reason' in result ? this.#openEditor?.refuse(result) : '';
    if (said) this.#context.showNotice(this.#notice, said);
    else this.#showResult(result, () => this.nextFocus);
    return !('reason' in result);
  }

  /** Shows the result of an action. */
  #showResult(result: { type: string } | Refusal, next?: () => HTMLElement | undefined): void {
    this.#context.showNotice(this.#notice, 'reason' in result ? refusal(result, this.#context) : '');
    this.#context.refresh(this.#root, next);
  }
}

/** Escape closes only this, not a dialog around it. */
function onEscape(root: HTMLElement, close: () => void): void {
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
}

/** The result of several that a person has to know: the refusal, if there is one. */
const worst = <T extends { type: string }>(results: readonly T[]): T | Refusal =>
  results.find((result): result is T & Refusal => result.type === 'refused') ?? (results[0] as T);

/** The text for an action that did not count. */
function refusal({ reason }: Refusal, { translate }: CardContext): string {
  switch (reason) {
    case 'changed':
      return translate('queue.changed');
    case 'already-answered':
    case 'expired':
    case 'superseded':
    case 'gone':
    case 'unreachable':
      return translate('error.late');
    default:
      return translate('queue.refused');
  }
}

/**
 * Rounds a time up to minutes, and near its end to seconds, because a clock that ticks for minutes would only
 * distract.
 */
export function roundTime(ms: number): number {
  const unit = ms > 120_000 ? 60_000 : 1_000;
  return Math.ceil(Math.max(ms, 0) / unit) * unit;
}
