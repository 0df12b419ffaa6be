// The messages of a catalogue, and in their places the English ones: with values put into them.
import { GuardError } from '../error.js';
import { ENGLISH, type Catalogue } from './catalogue.js';
import { English, Language } from './language.js';
import type { Messages } from './message.js';

const invalid = (message: string, options?: { cause: unknown }) =>
  new GuardError('invalid-catalogue', message, options);

/** The values that contain words of the guard. */
const WORDS = new Set(['action', 'duration', 'fields', 'scope', 'time', 'why']);

/** Characters that stay in them: isolates, and characters with which some languages write numbers. */
const IN_WORDS = /^[\xa0\u061c\u200e\u200f\u202f\u2068\u2069⟦]$/;

/** The values that are texts in which what nobody would see is written out already. */
const WRITTEN_OUT = new Set(['tool', 'example']);
const BRACKET = /^⟦$/;

const staysIn = (name: string): RegExp | undefined =>
  WORDS.has(name) ? IN_WORDS : WRITTEN_OUT.has(name) ? BRACKET : undefined;

/** The values that are times. Their numbers are milliseconds. */
const TIMES = new Set(['time', 'duration']);

function isTag(locale: unknown): boolean {
  try {
    return typeof locale === 'string' && Intl.getCanonicalLocales(locale).length > 0;
  } catch {
    return false;
  }
}

type Message = Messages[string];

/** The message itself, or an error if it is none. */
function checked(id: string, message: unknown): Message {
  if (typeof message === 'string' || typeof message === 'function') return message as Message;
  throw invalid(`The message ${id} must be a text, or a function that returns one.`);
}

const english = new English('en');

/** The texts of one catalogue. */
export class Texts {
  /** The language of the catalogue. */
  readonly language: Language = english;
  readonly #messages = new Map<string, Message>();
  readonly #own: Messages;

  /**
   * @param own English messages beside those of prompts
   * @throws GuardError `invalid-catalogue`, naming the message and the remedy
   */
  constructor(catalogue: Catalogue | undefined, own: Messages = {}) {
    this.#own = own;
    if (catalogue === undefined) return;
    const { locale, messages } = catalogue ?? {};
    if (typeof messages !== 'object' || messages === null) {
      throw invalid('A catalogue must be an object { locale, messages }, with messages by their ids.');
    }
    if (!isTag(locale)) {
      throw invalid("The locale of a catalogue must be a BCP 47 tag, such as 'en' or 'pt-BR'.");
    }
    this.language = new Language(locale);
    for (const [id, message] of Object.entries(messages)) {
      // The English texts of the queue come with its element.
      if (!id.startsWith('queue.')) this.#english(id);
      if (message !== undefined) this.#messages.set(id, checked(id, message));
    }
  }

  #english(id: string): Message {
    const from = Object.hasOwn(this.#own, id) ? this.#own : ENGLISH;
    if (!Object.hasOwn(from, id)) throw invalid(`There is no message ${String(id)}.`);
    return checked(id, (from as Messages)[id]);
  }

  /**
   * The message with its values. Numbers are written as in its language; texts are made visible and isolated.
   *
   * @throws GuardError `invalid-catalogue` for an id without a message, a missing value, or a message that fails
   */
  text(id: string, values?: Readonly<Record<string, string | number>>): string {
    const own = this.#messages.get(id);
    const message = own ?? this.#english(id);
    if (typeof message === 'string') return message;
    const language = own === undefined ? english : this.language;
    const put = (_: object, name: string | symbol): unknown => {
      const value =
        values && typeof name === 'string' && Object.hasOwn(values, name) ? values[name] : undefined;
      if (typeof value === 'string') return language.isolate(value, staysIn(String(name)));
      if (typeof value !== 'number') throw invalid(`The message ${id} needs a value for ${String(name)}.`);
      return TIMES.has(String(name)) ? this.language.duration(value) : language.count(value);
    };
    return said(id, message, new Proxy({}, { get: put }) as never);
  }

  /** "path, mode, and owner" */
  list(items: readonly string[]): string {
    return this.language.list(items.map((item) => this.language.isolate(item)));
  }
}

/** The text of a message. Those of a catalogue may be wrong. */
function said(id: string, message: (values: never) => string, values: never): string {
  let text: unknown;
  try {
    text = message(values);
  } catch (cause) {
    throw cause instanceof GuardError ? cause : invalid(`The message ${id} has failed.`, { cause });
  }
  if (typeof text === 'string') return text;
  throw invalid(`The message ${id} must be a text, or a function that returns one.`);
}
