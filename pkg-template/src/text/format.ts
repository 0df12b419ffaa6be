// Reads the texts of a catalogue, which are ICU messages, and puts values into them.
import { GuardError } from '../error.js';
import { joined, NOTHING } from '../escape-invisible.js';
import { ENGLISH, type Catalogue, type MessageId, type MessageValues, type QueueId } from './catalogue.js';

/** The placeholders that are numbers; all others are texts. */
const NUMBERS = ['index', 'total', 'waiting', 'n'];
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** A literal text or a placeholder. A plural has the texts from which its number chooses. */
type Part = string | { name: string; forms?: ReadonlyMap<string, readonly Part[]> };

interface Message {
  parts: readonly Part[];
  /** The names of its placeholders. */
  names: ReadonlySet<string>;
  language: Language;
}

const invalid = (message: string) => new GuardError('invalid-catalogue', message);

/** Reads a text. If `known` is given, the text may only use those placeholders. */
function parse(id: string, text: string, language: Language, known?: ReadonlySet<string>): Message {
  const names = new Set<string>();
  let at = 0;

  const fail = (place: number, why: string): never => {
    throw invalid(`The message ${id} has a mistake at character ${place + 1}: ${why}.`);
  };

  /** Returns the group that a sticky pattern matches here. */
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found?.[1];
  };
  const takeWord = () => take(/\s*([^\s{},]*)\s*/y) ?? '';

  /** Reads a placeholder, from its opening brace to the closing one. */
  const placeholder = (open: number): Part => {
    const name = takeWord();
    if (known ? !known.has(name) : !name) {
      fail(open, `{${name}} is not one of its placeholders (${[...(known ?? [])].join(', ') || 'none'})`);
    }
    names.add(name);
    if (take(/(})/y)) return { name };
    if (!take(/,\s*(plural)\s*,/y)) fail(open, `write {${name}} or {${name}, plural, …}`);
    if (known && !NUMBERS.includes(name)) fail(open, `{${name}} is not a number`);
    const forms = new Map<string, readonly Part[]>();
    for (;;) {
      const form = takeWord();
      const start = at++;
      if (!form && text[start] === '}') break;
      if (text[start] !== '{' || !(CATEGORIES.includes(form) || /^=(0|[1-9]\d*)$/.test(form))) {
        fail(start, `write ${CATEGORIES.join(', ')} or =1 with a text in braces, or }`);
      }
      if (forms.has(form)) fail(start, `${form} occurs twice`);
      forms.set(form, sequence(start, name));
    }
    if (!forms.has('other')) fail(open, 'a plural needs other {…}');
    return { name, forms };
  };

  /** Reads a sequence, up to the end of the text or, in a plural over `number`, up to the closing brace. */
  const sequence = (open: number, number?: string): Part[] => {
    const parts: Part[] = [];
    for (;;) {
      const start = at;
      const char = text[at++];
      if (char === '}' || char === undefined) {
        if (number && !char) fail(open, 'this { is not closed');
        if (!number && char) fail(start, "this } closes nothing; write '}' to show a brace");
        return parts;
      }
      if (char === '{') parts.push(placeholder(start));
      else if (char === '#' && number) parts.push({ name: number });
      else if (char !== "'") parts.push(char + (take(/([^{}#']+)/y) ?? ''));
      else if (!(number ? /[{}#]/ : /[{}]/).test(text[at] ?? '')) parts.push(take(/(')/y) ?? char);
      else {
        // The quotation ends with a single apostrophe; two of them stand for one.
        const quoted =
          take(/([^']*(?:''[^']*)*)'(?!')/y) ??
          fail(start, "this ' opens a quotation that is never closed; write '' to show an apostrophe");
        parts.push(quoted.replaceAll("''", "'"));
      }
    }
  };

  return { parts: sequence(0), names, language };
}

const FSI = '\u2068';
const PDI = '\u2069';

/** The formats of one locale. They are created when first needed, because that takes time. */
class Language {
  /** If the engine does not know the locale, English is used, not the language of the engine. */
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

  /** An untrusted text: all of it is visible, and it does not change the direction of the text around it. */
  isolate(value: string, stays = NOTHING): string {
    const safe = joined(value, stays);
    return /^[ -~]*$/.test(safe) && !this.isRightToLeft() ? safe : FSI + safe + PDI;
  }
}

/**
 * The built-in English, which gives the same results without `Intl`. Creating `Intl` objects takes longer
 * than everything else.
 */
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

/** The placeholders that contain words of the guard. */
const WORDS = new Set(['action', 'duration', 'fields', 'scope', 'time', 'why']);

/** Characters that stay in them: isolates, and characters with which some languages write numbers. */
const IN_WORDS = /^[\xa0\u061c\u200e\u200f\u202f\u2068\u2069⟦]$/;

/** The placeholders for texts in which what nobody would see is written out already. */
const WRITTEN_OUT = new Set(['tool', 'example']);
const BRACKET = /^⟦$/;

const staysIn = (name: string): RegExp | undefined =>
  WORDS.has(name) ? IN_WORDS : WRITTEN_OUT.has(name) ? BRACKET : undefined;

const english = new English('en');
const englishMessages = new Map<string, { text: string; message: Message }>();
/** More ids than the package has. Applications may use any number of their own. */
const MOST_MESSAGES = 500;

/** The English message, or `given` in its place, parsed when first needed. */
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

/** Placeholders for times. Their numbers are milliseconds. */
const TIMES = new Set(['time', 'duration']);

/** The texts of one catalogue. */
export class MessageFormatter {
  readonly #language: Language = english;
  readonly #messages = new Map<string, Message>();

  /** @throws GuardError `invalid-catalogue`, naming the message, the place and the remedy */
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
   * The message with its values. Numbers are written as in the language; texts are made visible and isolated.
   *
   * @param given an English text that replaces the built-in one. It is also used if the catalogue's text
   * needs a value that is missing.
   * @throws GuardError `invalid-catalogue` for an id without a text, or a missing value
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
      return language.isolate(value, staysIn(name));
    };
    return parts.map(say).join('');
  }

  /** A duration in its two largest units, not rounded: "1 hour 30 minutes". */
  duration(ms: number): string {
    // Rounded up, so that a time that is not over is never shown as zero.
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
