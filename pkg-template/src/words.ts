// The words of prompts: a catalogue of ICU messages, which an application may replace.
import { GuardError } from './error.js';
import { joined, NOTHING } from './reveal.js';

/** Every message by its id. Those under `reason.` are read by the model, the others by a person. */
export const ENGLISH = {
  'prompt.title': 'Allow {tool} from {server}?',
  'prompt.titleNoServer': 'Allow {tool}?',
  'prompt.name': '{tool} from {server}',
  'prompt.nameNoServer': '{tool}',
  'prompt.count': '{index} of {total}',
  'prompt.summary': '{waiting, plural, one {# decision needed} other {# decisions needed}}',

  'action.deny': 'Deny',
  'action.once': 'Allow once',
  'action.chatTool': 'Allow every {tool} call in this chat',
  'action.chatInput': 'Allow exactly this call again in this chat',
  'action.chatFields': 'Allow every {tool} call with this {fields} in this chat',
  'action.timed': '{action}, for {duration}',
  'action.denyChat': "Deny, and don't ask again in this chat",
  'action.undo': 'Undo',
  'action.undoAll': 'Undo all',
  'action.send': 'Send {n, plural, one {# decision} other {# decisions}}',
  'action.extend': 'Keep waiting',
  'action.revoke': 'Stop allowing',
  'action.revokeDeny': 'Ask again',

  'done.once': 'Allowed once',
  'done.chat': 'Allowed in this chat',
  'done.denied': 'Denied',
  'done.deniedChat': 'Denied in this chat',
  'done.auto': 'Allowed automatically: {why}',
  'done.autoDenied': 'Denied automatically: {why}',
  'done.expired': 'Expired with no answer. It was not run.',
  'done.unattended': 'Not run: nobody was there to answer.',
  'done.superseded': 'Not run: you sent a new message.',
  'done.elsewhereAllowed': 'Allowed outside this page',
  'done.elsewhereDenied': 'Denied outside this page',
  'done.tabAllowed': 'Allowed in another tab',
  'done.tabDenied': 'Denied in another tab',
  'done.rule': 'Allowed by a rule',
  'done.ruleWhy': 'Allowed by a rule: {note}',
  'done.ruleDenied': 'Denied by a rule. It was not run.',
  'done.ruleDeniedWhy': 'Denied by a rule: {note}',

  'scope.input': 'exactly this call, in this chat',
  'scope.inputTimed': 'exactly this call, in this chat, for {duration}',
  'scope.tool': 'every {tool} call, in this chat',
  'scope.toolTimed': 'every {tool} call, in this chat, for {duration}',
  'scope.fields': 'every {tool} call with the same {fields}, in this chat',
  'scope.fieldsTimed': 'every {tool} call with the same {fields}, in this chat, for {duration}',

  'why.server': 'The server asks before it runs this tool.',
  'why.reason': 'The server says: {reason}',
  'why.rule': 'A rule asks before this tool runs.',
  'why.ruleWhy': 'A rule asks: {note}',
  'why.brokenRules': 'The rules of this page could not be read in full, so they allow nothing.',
  'why.unreadable': 'Its input cannot be read, so no rule can allow it.',
  'why.hint': 'Its server says that it may destroy something.',
  'why.grant': 'you allowed {scope}',
  'why.grantDeny': 'you denied {scope}',

  'grant.covers': 'Also covers {n, plural, one {# waiting call} other {# waiting calls}}',
  'warn.expiry': 'Expires in {time}. Nothing runs if it expires.',
  'loop.note': 'Denied {n, plural, one {# time} other {# times}} in this chat. Stop the assistant?',
  'error.late': 'This request is no longer open. Nothing was run.',
  'error.send': 'Your decisions were not sent. They are kept. Try again.',

  'reason.expired': 'No one answered before the request expired. This is not a refusal by the user.',
  'reason.unattended': 'Nobody was there to answer. This is not a refusal by the user.',
  'reason.denyChat': 'The user refuses this call for the whole chat. Do not ask for it again.',
  'reason.rule': 'A rule of the application denies this call. Do not ask for it again.',
  'reason.ruleWhy':
    'A rule of the application denies this call. Do not ask for it again. The rule says: {note}',
  'reason.superseded': 'Not a refusal by the user: the user moved on before this call was decided.',
  'reason.doubt':
    'Not a refusal by the user: the request that carried the approval broke off, so it is not known whether this call ran.',
} as const;

/** The id of a message. */
export type MessageId = keyof typeof ENGLISH;

/** The id of a message of the queue, whose English text its element brings along. */
export type QueueId = `queue.${string}`;

/** What a message may speak of. */
export type MessageValues = Readonly<Record<string, string | number>>;

/** Words in one language. What is left out is said in English. */
export interface Catalogue {
  /** A BCP 47 tag. */
  locale: string;
  /**
   * Texts in the syntax of ICU MessageFormat: `{name}`, and for numbers
   * `{name, plural, =0 {…} one {…} other {…#…}}`. Each may speak of what its English text speaks of.
   * Ids that begin with `queue.` are not known here: one that speaks of something else is said in English.
   */
  messages: Readonly<Partial<Record<MessageId | QueueId, string>>>;
}

/** The placeholders that are numbers; the others are texts. */
const NUMBERS = ['index', 'total', 'waiting', 'n'];
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** A literal text, or a placeholder with, in a plural, the texts from which its number chooses. */
type Part = string | { name: string; forms?: ReadonlyMap<string, readonly Part[]> };

interface Message {
  parts: readonly Part[];
  /** The placeholders that stand in it. */
  names: ReadonlySet<string>;
  language: Language;
}

const invalid = (message: string) => new GuardError('invalid-catalogue', message);

/** Reads a text, which may have the placeholders that are `known`, as the English text says; or any. */
function parse(id: string, text: string, language: Language, known?: ReadonlySet<string>): Message {
  const names = new Set<string>();
  let at = 0;

  const fail = (place: number, why: string): never => {
    throw invalid(`The message ${id} is wrong at character ${place + 1}: ${why}.`);
  };

  /** What the group of a sticky pattern finds here. */
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found?.[1];
  };
  const takeWord = () => take(/\s*([^\s{},]*)\s*/y) ?? '';

  /** What stands after an opening brace, to the closing one. */
  const placeholder = (open: number): Part => {
    const name = takeWord();
    if (known ? !known.has(name) : !name) {
      fail(open, `{${name}} is none of its placeholders (${[...(known ?? [])].join(', ') || 'none'})`);
    }
    names.add(name);
    if (take(/(})/y)) return { name };
    if (!take(/,\s*(plural)\s*,/y)) fail(open, `write {${name}} or {${name}, plural, …}`);
    if (known && !NUMBERS.includes(name)) fail(open, `{${name}} is no number`);
    const forms = new Map<string, readonly Part[]>();
    for (;;) {
      const form = takeWord();
      const start = at++;
      if (!form && text[start] === '}') break;
      if (text[start] !== '{' || !(CATEGORIES.includes(form) || /^=(0|[1-9]\d*)$/.test(form))) {
        fail(start, `write ${CATEGORIES.join(', ')} or =1 with a text in braces, or }`);
      }
      if (forms.has(form)) fail(start, `${form} stands there twice`);
      forms.set(form, sequence(start, name));
    }
    if (!forms.has('other')) fail(open, 'a plural needs other {…}');
    return { name, forms };
  };

  /** What stands to the end of the text or, in a plural over this number, to the closing brace. */
  const sequence = (open: number, number?: string): Part[] => {
    const parts: Part[] = [];
    for (;;) {
      const start = at;
      const char = text[at++];
      if (char === '}' || char === undefined) {
        if (number && !char) fail(open, 'this { is not closed');
        if (!number && char) fail(start, "this } closes nothing, write '}' to show one");
        return parts;
      }
      if (char === '{') parts.push(placeholder(start));
      else if (char === '#' && number) parts.push({ name: number });
      else if (char !== "'") parts.push(char + (take(/([^{}#']+)/y) ?? ''));
      else if (!(number ? /[{}#]/ : /[{}]/).test(text[at] ?? '')) parts.push(take(/(')/y) ?? char);
      else {
        // It ends with a single apostrophe: two of them are one in the quoted text.
        const quoted =
          take(/([^']*(?:''[^']*)*)'(?!')/y) ?? fail(start, "this ' quotes to no end, write '' to show one");
        parts.push(quoted.replaceAll("''", "'"));
      }
    }
  };

  return { parts: sequence(0), names, language };
}

const FSI = '\u2068';
const PDI = '\u2069';

/** How one locale says things. What it needs is made when it is needed, because that takes its time. */
class Language {
  /** Where the engine does not know the locale, English, and not the language of the engine. */
  readonly #locales: string[];
  #number: Intl.NumberFormat | undefined;
  #plural: Intl.PluralRules | undefined;
  #isRightToLeft: boolean | undefined;

  constructor(locale: string) {
    this.#locales = [locale, 'en'];
  }

  number(value: number): string {
    return (this.#number ??= new Intl.NumberFormat(this.#locales)).format(value);
  }

  category(value: number): string {
    return (this.#plural ??= new Intl.PluralRules(this.#locales)).select(value);
  }

  amount(value: number, unit: string): string {
    return new Intl.NumberFormat(this.#locales, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  }

  list(items: readonly string[], options?: Intl.ListFormatOptions): string {
    return new Intl.ListFormat(this.#locales, options).format(items);
  }

  isRightToLeft(): boolean {
    return (this.#isRightToLeft ??= /Adlm|Arab|Hebr|Mand|Mend|Nkoo|Rohg|Samr|Syrc|Thaa|Yezi/.test(
      new Intl.Locale(this.#locales[0] ?? 'en').maximize().script ?? '',
    ));
  }

  /** A text from elsewhere, so that all of it is seen and it changes the direction of nothing around it. */
  isolate(value: string, isWords?: boolean): string {
    const safe = joined(value, isWords ? IN_WORDS : NOTHING);
    return /^[ -~]*$/.test(safe) && !this.isRightToLeft() ? safe : FSI + safe + PDI;
  }
}

/** The built-in English, which says the same without `Intl`: to make its objects takes longer than all the rest. */
class English extends Language {
  override number(value: number): string {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) return super.number(value);
    return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
  }

  override category(value: number): string {
    if (!Number.isInteger(value)) return super.category(value);
    return Math.abs(value) === 1 ? 'one' : 'other';
  }

  override amount(value: number, unit: string): string {
    return `${this.number(value)} ${unit}${this.category(value) === 'one' ? '' : 's'}`;
  }

  override list(items: readonly string[], options?: Intl.ListFormatOptions): string {
    if (options?.type === 'unit') return items.join(' ');
    const last = items.length - 1;
    return last < 1
      ? items.join('')
      : `${items.slice(0, -1).join(', ')}${last > 1 ? ',' : ''} and ${items[last]}`;
  }

  override isRightToLeft(): boolean {
    return false;
  }
}

/** The placeholders for words of a guard. */
const WORDS = new Set(['action', 'duration', 'fields', 'scope', 'time', 'why']);

/** What stays in them: isolates, and what some languages write numbers with. */
const IN_WORDS = /^[\xa0\u061c\u200e\u200f\u202f\u2068\u2069]$/;

const english = new English('en');
const englishMessages = new Map<string, { text: string; message: Message }>();
/** More ids than the package has. Those of an application may come without end. */
const MOST_MESSAGES = 500;

/** The English message, or the one that is given for it, read when it is first needed. */
function englishMessage(id: string, given?: string): Message {
  const text = given ?? (Object.hasOwn(ENGLISH, id) ? ENGLISH[id as MessageId] : undefined);
  if (typeof text !== 'string') throw invalid(`There is no message ${String(id)}.`);
  const known = englishMessages.get(id);
  if (known?.text === text) return known.message;
  const message = parse(id, text, english);
  if (englishMessages.size >= MOST_MESSAGES) englishMessages.clear();
  englishMessages.set(id, { text, message });
  return message;
}

function isTag(locale: unknown): boolean {
  try {
    return typeof locale === 'string' && Intl.getCanonicalLocales(locale).length > 0;
  } catch {
    return false;
  }
}

/** The units of a time, in seconds. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** What is a time: a number is its milliseconds. */
const TIMES = new Set(['time', 'duration']);

/** The words of one guard. */
export class Words {
  readonly #language: Language = english;
  readonly #messages = new Map<string, Message>();

  /** @throws GuardError `invalid-catalogue`, naming the message, the place and what to do */
  constructor(catalogue: Catalogue | undefined) {
    if (catalogue === undefined) return;
    const { locale, messages } = catalogue ?? {};
    if (typeof messages !== 'object' || messages === null) {
      throw invalid('A catalogue must be an object { locale, messages }, with texts by id in messages.');
    }
    if (!isTag(locale)) {
      throw invalid("The locale of a catalogue must be a BCP 47 tag, such as 'en' or 'pt-BR'.");
    }
    this.#language = new Language(locale);
    for (const [id, text] of Object.entries(messages)) {
      const known = id.startsWith('queue.') ? undefined : englishMessage(id).names;
      if (text === undefined) continue;
      if (typeof text !== 'string') throw invalid(`The message ${id} must be a string.`);
      this.#messages.set(id, parse(id, text, this.#language, known));
    }
  }

  /**
   * The message with its values: numbers as the language writes them, texts revealed and isolated.
   *
   * @param given the English text, in the place of that of the catalogue's id. It is said too where the
   * catalogue's text needs a value that is not there.
   * @throws GuardError `invalid-catalogue` for an id that has no text, or a value that is missing
   */
  text(id: MessageId | QueueId, values?: MessageValues, given?: string): string {
    const own = this.#messages.get(id);
    try {
      if (own) return this.#say(id, own, values);
    } catch (error) {
      if (given === undefined) throw error;
    }
    return this.#say(id, englishMessage(id, given), values);
  }

  #say(id: string, { parts, language }: Message, values?: MessageValues): string {
    const say = (part: Part): string => {
      if (typeof part === 'string') return part;
      const { name, forms } = part;
      const value = values && Object.hasOwn(values, name) ? values[name] : undefined;
      if (typeof value === 'number') {
        const form = forms?.get(`=${value}`) ?? forms?.get(language.category(value)) ?? forms?.get('other');
        if (form) return form.map(say).join('');
        return TIMES.has(name) ? this.duration(value) : language.number(value);
      }
      if (typeof value !== 'string' || forms) throw invalid(`The message ${id} needs a value for {${name}}.`);
      return language.isolate(value, WORDS.has(name));
    };
    return parts.map(say).join('');
  }

  /** A time in its two largest units, cut off and not rounded: "1 hour 30 minutes". */
  duration(ms: number): string {
    // Up, so that a time that is not over never reads as none.
    let seconds = Math.ceil(Math.max(ms, 0) / 1000);
    let first = UNITS.findIndex(([, size]) => seconds >= size);
    if (first < 0) first = UNITS.length - 1;
    const amounts: string[] = [];
    for (const [unit, size] of UNITS.slice(first, first + 2)) {
      const amount = Math.floor(seconds / size);
      seconds %= size;
      if (amount > 0 || amounts.length === 0) amounts.push(this.#language.amount(amount, unit));
    }
    return this.#language.list(amounts, { type: 'unit', style: 'narrow' });
  }

  /** "path, mode, and owner" */
  list(items: readonly string[]): string {
    return this.#language.list(items.map((item) => this.#language.isolate(item)));
  }
}
