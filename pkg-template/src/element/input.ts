// The input of a call as a person reads it.
import { inspect, type Field, type Inspection, type Place } from '../inspect.js';
import { escapeInvisible, type Token } from '../escape-invisible.js';
import type { CallView, Display, InputChange } from '../prompt.js';
import { h, setHidden, setText, shown, shownAsCode } from './dom.js';
import type { Translate } from './context.js';

/** The number of fields that are shown; the others are folded behind their count. */
const FIELDS = 24;

/** The ending of the name of a field that contains code. */
const CODE_NAME = /(?:command|cmd|shell|bash|script|code|sql|query|args?)s?$/i;

const LIKE_JSON = /^(?:true|false|null|undefined|-?\d[\d.eE+-]*|".*|\{.*\}|\[.*\])$/;

const UNSHOWABLE: Inspection = { type: 'unshowable', why: 'not-json' };

/** No field is shown elsewhere. */
const NOWHERE: ReadonlySet<string | undefined> = new Set();

let ids = 0;

/** The input of a call: its places, each field, and the invisible characters in it. */
export class InputView {
  readonly root = h('div', { part: 'arguments', tabindex: '-1' });
  readonly #translate: Translate;
  /** Unmasks the secrets; `undefined` if this view does not offer it. */
  readonly #unmask: (() => void) | undefined;
  #shown: readonly unknown[] = [];
  #read = '';
  #inspection: Inspection | undefined;

  constructor(translate: Translate, unmask?: () => void) {
    this.#translate = translate;
    this.#unmask = unmask;
  }

  /** Whether it could be shown: an input may be too large, too deep or not JSON. */
  get isShown(): boolean {
    return this.#inspection?.type === 'shown';
  }

  /**
   * Shows an input.
   *
   * @param changes a person's changes of it: shown as it is now, beside the model's own values
   * @param elsewhere the names of fields that something else shows
   * @returns whether the content changed
   */
  update(
    display: Display | undefined,
    changes: readonly InputChange[] = [],
    elsewhere: ReadonlySet<string | undefined> = NOWHERE,
  ): boolean {
    const shown = [display, changes, elsewhere];
    if (shown.every((each, i) => each === this.#shown[i])) return false;
    this.#shown = shown;
    const value = changes.reduce(withChange, display?.value);
    this.#inspection = display === undefined ? UNSHOWABLE : inspect(value);
    // A chat that copies its messages has a new object for the same input. Unfolded texts then stay unfolded.
    const read = JSON.stringify([this.#inspection, display?.hidden, changes, [...elsewhere]]);
    if (read === this.#read) return false;
    this.#read = read;
    const names = isFields(value) ? Object.keys(value) : [undefined];
    this.root.replaceChildren(
      ...this.#content(this.#inspection, display?.hidden ?? 0, names, changes, elsewhere),
    );
    return true;
  }

  /** A value as a field shows it. */
  show(value: unknown): HTMLElement {
    const inspection = inspect({ value });
    const [field] = inspection.type === 'shown' && value !== undefined ? inspection.fields : [];
    return h('span', { part: 'one' }, ...(field ? this.#detail(field) : [this.#blank()]));
  }

  /** The model's own value in the place of one that a person has changed. */
  was(value: unknown): HTMLElement {
    return h(
      'div',
      { part: 'was' },
      h('span', { part: 'label' }, this.#translate('queue.editWas')),
      ' ',
      this.show(value),
    );
  }

  #content(
    inspection: Inspection,
    masks: number,
    names: readonly (string | undefined)[],
    changes: readonly InputChange[],
    elsewhere: ReadonlySet<string | undefined>,
  ): Node[] {
    if (inspection.type === 'unshowable') {
      return [h('p', { part: 'unshowable' }, this.#translate('queue.unshowable'))];
    }
    const { more } = inspection;
    const changed = new Map(
      inspection.fields.map((field, i) => [field, changes.find((change) => change.field === names[i])]),
    );
    const fields = inspection.fields.filter((_, i) => !elsewhere.has(names[i]));
    const list = h('dl', { part: 'input' });
    // A path that is all of a field is shown there, first and whole, and not a second time above.
    const paths = new Set(
      inspection.places.flatMap((place) => (place.kind === 'path' ? [textOf(place.tokens)] : [])),
    );
    const isPath = ({ kind, head, rest }: Field) => kind === 'text' && paths.has(textOf(head) + textOf(rest));
    const main = paths.size > 0 ? fields.filter(isPath) : [];
    const whole = main.map((field) => ({
      ...field,
      head: [...field.head, ...field.rest],
      rest: [],
      folded: 0,
    }));
    const texts = new Set(whole.map(({ head }) => textOf(head)));
    const places = inspection.places.filter(
      ({ kind, tokens }) => kind === 'host' || !texts.has(textOf(tokens)),
    );
    const rows = [
      ...whole.map((field, i) => this.#row(field, changed.get(main[i] ?? field), ' path')),
      ...fields.flatMap((field) => (main.includes(field) ? [] : [this.#row(field, changed.get(field))])),
    ];
    list.append(...rows.slice(0, FIELDS).flat());
    const content: Node[] = [...this.#places(places, more.host + more.path), list];
    if (inspection.fields.length === 0)
      content.push(h('p', { part: 'empty' }, this.#translate('queue.noInput')));
    const folded = rows.slice(FIELDS);
    if (folded.length > 0) {
      const rest = h('dl', { part: 'input', id: `fields-${ids++}` });
      rest.append(...folded.flat());
      content.push(rest, this.#fold(rest, this.#translate('queue.foldFields', { n: folded.length })));
    }
    const example = firstHidden(inspection);
    if (masks > 0) content.push(this.#masked(masks));
    if (example) content.push(h('p', { part: 'invisible' }, this.#translate('queue.hidden', { example })));
    return content;
  }

  /** The number of masked values, and the button that unmasks them. */
  #masked(n: number): HTMLElement {
    const line = h('p', { part: 'masked' }, this.#translate('queue.masked', { n }));
    if (this.#unmask) {
      const show = h(
        'button',
        { type: 'button', part: 'button unmask' },
        this.#translate('queue.unmask', { n }),
      );
      show.addEventListener('click', this.#unmask);
      line.append(' ', show);
    }
    return line;
  }

  #row(field: Field, change: InputChange | undefined, part = ''): Node[] {
    const { name } = field;
    const detail = h('dd', {}, ...this.#detail(field, part));
    if (change) detail.append(this.was(change.from));
    const term = name === undefined ? [this.#translate('queue.input')] : [h('bdi', {}, ...shown(name))];
    return [h('dt', {}, ...term), detail];
  }

  #blank(): HTMLElement {
    return h('span', { part: 'empty' }, this.#translate('queue.blank'));
  }

  /** The value of a field, and what unfolds it. */
  #detail({ name, kind, head, rest, folded }: Field, part = ''): Node[] {
    // A value is code if it is JSON, has no space, or is in a field with a name for code or at a place for a path.
    const isCode =
      kind === 'json' || !/\s/.test(textOf(head)) || CODE_NAME.test(textOf(name ?? [])) || part !== '';
    const nodes = isCode ? shownAsCode : shown;
    const value = h('bdi', { part: `value ${kind}${part}`, dir: isCode ? 'ltr' : 'auto' }, ...nodes(head));
    // A text that looks like a value of another kind is put in quotes, as in JSON.
    if (kind === 'text' && folded === 0 && LIKE_JSON.test(value.textContent ?? '')) {
      value.textContent = JSON.stringify(value.textContent);
    }
    if (head.length === 0) value.append(this.#blank());
    if (folded === 0) return [value];
    const more = h('span', { id: `rest-${ids++}` }, ...nodes(rest));
    value.append(more);
    return [value, this.#fold(more, this.#translate('queue.fold', { n: folded }))];
  }

  /** The button that unfolds the rest; its label says how much there is. */
  #fold(rest: HTMLElement, words: string): HTMLElement {
    const button = h(
      'button',
      { type: 'button', part: 'button fold', 'aria-expanded': 'false', 'aria-controls': rest.id },
      words,
    );
    rest.hidden = true;
    button.addEventListener('click', () => {
      setHidden(rest, !rest.hidden);
      button.setAttribute('aria-expanded', String(!rest.hidden));
      setText(button, rest.hidden ? words : this.#translate('queue.unfold'));
    });
    return button;
  }

  #places(places: readonly Place[], more: number): Node[] {
    const lines = (['host', 'path'] as const).flatMap((kind) => {
      const found = places.filter((place) => place.kind === kind);
      if (found.length === 0) return [];
      const line = h('p', { part: 'place' }, h('span', { part: 'label' }, this.#translate(`queue.${kind}`)));
      for (const { tokens } of found)
        line.append(' ', h('bdi', { part: kind, dir: 'ltr' }, ...shownAsCode(tokens)));
      return [line];
    });
    return more === 0
      ? lines
      : [...lines, h('p', { part: 'places' }, this.#translate('queue.places', { n: more }))];
  }
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An input with one change. A field that a person has removed is shown as empty. */
const withChange = (input: unknown, { field, to }: InputChange): unknown =>
  field === undefined || !isFields(input) ? to : { ...input, [field]: to ?? '' };

const textOf = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join('');

/** The first invisible character, as it is shown. */
function firstHidden(inspection: Inspection & { type: 'shown' }): string | undefined {
  const isHidden = ({ kind }: Token) => kind === 'hidden';
  for (const { name = [], head, rest } of inspection.fields) {
    const token = name.find(isHidden) ?? head.find(isHidden) ?? rest.find(isHidden);
    if (token) return token.text;
  }
  return undefined;
}

/** The name of a tool for the accessible name of a button. */
export function toolName({ toolName: name }: CallView): string {
  const text = [...escapeInvisible(name, { lines: false })];
  // The title contains more of it.
  return text.length > 80 ? `${text.slice(0, 80).join('')}…` : text.join('');
}
