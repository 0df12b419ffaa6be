// Lets a person change the input of a call in its card: a control for each field that may be changed, what was asked for, and
// what is wrong. It is a file of its own, because it is loaded with the first change.
import type { CallView, EditProblem, Refusal } from '../prompt.js';
import { h, setAttribute, setChildren, setHidden, setText } from './dom.js';
import { editFields, readField, sameJson, withValues, type EditField, type EditorWords } from './fields.js';

/** The card that an editor belongs to. */
export interface EditorHost {
  /** The id of the card. */
  readonly id: string;
  /** A value as the card shows it. */
  show(value: unknown): HTMLElement;
  /** The value that the model asked for, as the card says it. */
  was(value: unknown): HTMLElement;
  /** Is told that what would run is another input. */
  changed(): void;
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** A longer text, or one with several lines, gets a control with several lines. */
const ONE_LINE = 60;
const MOST_ROWS = 12;

/** Edits the input of one call. */
export class Editor {
  readonly root: HTMLElement;
  /** The names of the fields that it shows; `undefined` is an input that is no object. */
  names: ReadonlySet<string | undefined> = new Set();
  readonly #host: EditorHost;
  readonly #words: EditorWords;
  readonly #nothing: HTMLElement;
  readonly #problem = h('p', { part: 'problem' });
  #fields: readonly Field[] = [];
  #call: CallView | undefined;

  constructor(host: EditorHost, words: EditorWords) {
    this.#host = host;
    this.#words = words;
    this.#nothing = h('p', { part: 'empty' }, words.text('queue.editNothing'));
    this.root = h('div', { part: 'editor', role: 'group', 'aria-label': words.text('action.edit') });
  }

  /** Whether something else than what the model asked for would run, or is typed. */
  get isChanged(): boolean {
    return this.#fields.some((field) => field.isChanged);
  }

  /** Shows the fields of a call. What was typed stays. */
  update(call: CallView): void {
    if (call === this.#call) return;
    this.#call = call;
    const known = new Map(this.#fields.map((field) => [field.name, field]));
    this.#fields = editFields(call).map(
      (field) => known.get(field.name) ?? new Field(field, this.#host, this.#words),
    );
    this.names = new Set(this.#fields.map(({ name }) => name));
    setHidden(this.#nothing, this.#fields.length > 0);
    setChildren(this.root, [...this.#fields.map(({ root }) => root), this.#nothing, this.#problem]);
  }

  /** The first control; `undefined` if nothing can be changed. */
  get first(): HTMLElement | undefined {
    return this.#fields[0]?.control;
  }

  /** An input, or what may be shown of it, with what is typed in its place, where that is a value. */
  over(input: unknown): unknown {
    const values = this.#fields.flatMap(({ name, content, isChanged }): [string | undefined, unknown][] =>
      isChanged && 'value' in content ? [[name, content.value]] : [],
    );
    return withValues(input, values);
  }

  /** The changed input; `undefined` if something in it is wrong, which is then said beside the fields. */
  read(): { input: unknown } | undefined {
    const problems = this.#fields.flatMap(({ name, content }) =>
      'problem' in content ? [{ ...(name !== undefined && { field: name }), message: content.problem }] : [],
    );
    this.#say(problems);
    return problems.length > 0 ? undefined : { input: this.over(this.#call?.input) };
  }

  /** That something has to be corrected, in words. */
  get wrong(): string {
    return this.#words.text('queue.editWrong');
  }

  /** Shows why a changed input was refused. @returns the notice; empty if it was not refused for the change */
  refuse({ reason, problems = [] }: Refusal): string {
    if (reason === 'denied-by-rule') return this.#words.text('queue.editRule');
    if (reason !== 'invalid-input') return '';
    this.#say(problems);
    return this.wrong;
  }

  /** Says what is wrong: beside the fields, and below them what is about none. The first field with a problem has the focus. */
  #say(problems: readonly EditProblem[]): void {
    const said = (about: (field: string | undefined) => boolean) =>
      problems
        .filter(({ field }) => about(field))
        .map(({ message }) => message || this.#words.text('queue.editRefused'))
        .join(' ');
    for (const field of this.#fields) field.complain(said((name) => name === field.name));
    setText(
      this.#problem,
      said((name) => !this.names.has(name)),
    );
    this.#fields.find(({ isWrong }) => isWrong)?.control.focus();
  }
}

let ids = 0;

/** One field of an input. */
class Field {
  readonly root: HTMLElement;
  readonly control: Control;
  readonly name: string | undefined;
  /** The content of its control: a value, or the reason why it is none. */
  content: ReturnType<typeof readField>;
  readonly #field: EditField;
  readonly #host: EditorHost;
  readonly #words: EditorWords;
  /** The first text of the control. A browser may write it otherwise than it was given. */
  readonly #first: string;
  readonly #was: HTMLElement;
  readonly #now: HTMLElement;
  readonly #problem: HTMLElement;

  constructor(field: EditField, host: EditorHost, words: EditorWords) {
    const { text } = words;
    const id = `${host.id}-edit-${ids++}`;
    const { name, value } = field;
    this.#field = field;
    this.#host = host;
    this.#words = words;
    this.name = name;
    this.content = { value };
    this.control = controlOf(field, id, (choice) => host.show(choice).textContent ?? '');
    this.#first = this.control.value;
    this.#was = host.was(value);
    this.#was.id = `${id}-was`;
    this.#now = h('p', { part: 'now', id: `${id}-now` }, h('span', { part: 'label' }, text('queue.editNow')));
    this.#problem = h('p', { part: 'problem', id: `${id}-problem` });
    const label = h('label', { for: id }, name === undefined ? text('action.edit') : host.show(name));
    this.root = h('div', {}, label, this.control, this.#problem, this.#now, this.#was);
    this.#look();
    this.control.addEventListener('input', () => {
      setText(this.#problem, '');
      this.#look();
      host.changed();
    });
  }

  get isWrong(): boolean {
    return this.#problem.textContent !== '';
  }

  get isChanged(): boolean {
    const { content } = this;
    return 'problem' in content || !sameJson(content.value, this.#field.value);
  }

  /** Says what is wrong with it; an empty text is nothing. */
  complain(problem: string): void {
    setText(this.#problem, problem);
    this.#describe();
  }

  /** Shows what was asked for, if it is another value now, and what nobody would see in it. */
  #look(): void {
    const { value } = this.control;
    const { text } = this.#field;
    this.content = readField(this.#field, value === this.#first ? text : value, this.#words);
    setHidden(this.#was, !this.isChanged);
    const seen = 'value' in this.content ? this.#host.show(this.content.value) : undefined;
    const isHidden = seen?.querySelector('[part="hidden"]') == null;
    setHidden(this.#now, isHidden);
    this.#now.querySelector('[part="one"]')?.remove();
    if (seen && !isHidden) this.#now.append(' ', seen);
    setAttribute(this.root, 'part', this.isChanged ? 'field changed' : 'field');
    this.#describe();
  }

  #describe(): void {
    const said = [this.#problem, this.#now, this.#was].filter(
      (element) => !element.hidden && element.textContent !== '',
    );
    setAttribute(this.control, 'aria-invalid', this.isWrong ? 'true' : undefined);
    setAttribute(this.control, 'aria-describedby', said.map(({ id }) => id).join(' ') || undefined);
  }
}

function controlOf(
  { kind, text, choices }: EditField,
  id: string,
  said: (choice: unknown) => string,
): Control {
  if (kind === 'choice') {
    const options = choices.map((choice, i) =>
      h('option', { value: `${i}` }, choice === undefined ? '' : said(choice)),
    );
    const control = h('select', { id, part: 'control', dir: 'auto' }, ...options);
    control.value = text;
    return control;
  }
  const attributes = {
    id,
    part: 'control',
    autocomplete: 'off',
    ...(kind === 'text' ? { dir: 'auto' } : { dir: 'ltr', spellcheck: 'false' }),
  };
  const isLong = kind === 'json' || (kind === 'text' && (text.length > ONE_LINE || /[\r\n]/.test(text)));
  const rows = Math.min(text.split('\n').length + 1, MOST_ROWS);
  const control = isLong
    ? h('textarea', { ...attributes, rows: `${rows}` })
    : h('input', { ...attributes, ...(kind === 'number' && { inputmode: 'decimal' }) });
  control.value = text;
  return control;
}
