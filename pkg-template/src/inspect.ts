// The input of a call as a person reads it: complete, without invisible characters, and with the places that
// it goes to listed separately.
import { faultOf } from './showable.js';
import { LINES, escapeTokens, tokensOf, type Token } from './escape-invisible.js';

/** The input of a call, safe to show, or why it cannot be shown. */
export type Inspection =
  | {
      type: 'shown';
      /**
       * The fields in the order of the input. An input that is not an object has one field, without a name.
       */
      fields: readonly Field[];
      /** The places that the call goes to, without duplicates; at most 8 hosts and 8 paths. */
      places: readonly Place[];
      /** At least how many more places of each kind there are. Show this number beside the places. */
      more: Readonly<Record<Place['kind'], number>>;
      /** Whether any token in it is hidden. */
      hidden: boolean;
    }
  | {
      type: 'unshowable';
      /**
       * The reason why the input cannot be shown. `display` and `inputText` of a call are `undefined` for the same inputs.
       *
       * - `too-large`: more than 262,144 characters of JSON, 10,000 values or 1,000 top-level fields, a name of
       *   more than 200 characters, or 10,000 pieces that had to be written out.
       * - `too-deep`: objects and lists nested more than 64 deep, or in themselves.
       * - `not-json`: JSON could not express the value exactly as it is.
       */
      why: 'too-large' | 'too-deep' | 'not-json';
    };

/** One field of an input. */
export interface Field {
  /** Its name; `undefined` for an input that is not an object. */
  name: readonly Token[] | undefined;
  /** `text`: a string as it is. `json`: anything else, as indented JSON; `undefined` is kept. */
  kind: 'text' | 'json';
  /** The part that is shown at once: at most about 600 characters and 12 lines. */
  head: readonly Token[];
  /** The part that is folded. */
  rest: readonly Token[];
  /** The number of characters (code points of the string or the JSON) that are folded; 0 for none. */
  folded: number;
}

/** A place that a call goes to, according to its input. */
export interface Place {
  /**
   * `host`: the host of a URL, in its ASCII form and with its port. `path`: the path of a file or a
   * directory.
   */
  kind: 'host' | 'path';
  /** Its text, safe to show. */
  tokens: readonly Token[];
}

const HEAD = 600;
const HEAD_LINES = 12;
/** A rest that is no longer than this is not folded. */
const TAIL = 80;

const PLACES = 8;
/** The number of characters of a value that are searched for places. */
const PLACE_LENGTH = 1_024;
const CANDIDATES = 1_000;

const FAULTS = ['not-json', 'too-large', 'too-deep'] as const;

/** A sequence of tokens. */
class Tokens {
  readonly all: Token[] = [];

  text(text: string): void {
    this.add(tokensOf(text, LINES));
  }

  plain(text: string): void {
    this.add([{ text, kind: 'plain' }]);
  }

  add(tokens: readonly Token[]): void {
    for (const token of tokens) {
      const last = this.all.at(-1);
      // A new object, because the tokens of `escapeTokens` may be in use elsewhere.
      if (last?.kind === 'plain' && token.kind === 'plain') {
        this.all[this.all.length - 1] = { text: last.text + token.text, kind: 'plain' };
      } else this.all.push(token);
    }
  }
}

/** Reads an input that can be shown. */
class Reader {
  readonly #places = new Places();

  read(input: unknown): Inspection & { type: 'shown' } {
    const fields =
      typeof input === 'object' && input !== null && !Array.isArray(input)
        ? Object.entries(input).map(([name, value]) => this.#field(value, name))
        : [this.#field(input)];
    const { found: places, more } = this.#places;
    const isHidden = ({ kind }: Token) => kind === 'hidden';
    const hidden = fields.some(({ name, head, rest }) => [...(name ?? []), ...head, ...rest].some(isHidden));
    return { type: 'shown', fields, places, more, hidden };
  }

  #field(value: unknown, name?: string): Field {
    const tokens = new Tokens();
    const isText = typeof value === 'string';
    if (isText) tokens.text(this.#text(value, name));
    else this.#write(tokens, value, name, '');
    return {
      name: name === undefined ? undefined : escapeTokens(name, { lines: false }),
      kind: isText ? 'text' : 'json',
      ...fold(tokens.all),
    };
  }

  #text(value: string, name: string | undefined): string {
    this.#places.find(value, name);
    return value;
  }

  /** Writes a value as JSON. */
  #write(to: Tokens, value: unknown, name: string | undefined, indent: string): void {
    if (typeof value === 'string') writeString(to, this.#text(value, name));
    else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      const inner = `${indent}  `;
      let before = isList ? '[' : '{';
      for (const [key, item] of Object.entries(value)) {
        to.plain(`${before}\n${inner}`);
        if (!isList) {
          writeString(to, key);
          to.plain(': ');
        }
        this.#write(to, item, isList ? name : key, inner);
        before = ',';
      }
      to.plain(before === ',' ? `\n${indent}` : before);
      to.plain(isList ? ']' : '}');
    } else to.plain(String(value));
  }
}

/** A JSON string whose quotes are sure to be quotes, because nothing can be drawn over them. */
function writeString(to: Tokens, text: string): void {
  to.plain('"');
  to.text(JSON.stringify(text).slice(1, -1));
  to.plain('"');
}

/** Characters that continue the one before them: marks, skin tones, joiners and the letters of a flag. */
const CONTINUES = /[\p{M}\p{EMod}\u200c\u200d\u{e0020}-\u{e007f}]/u;

/** Whether a cut here would split what a reader sees as one character. */
function cuts(text: string, at: number): boolean {
  if (/[\u200c\u200d\r]/.test(text[at - 1] ?? '') || /[\udc00-\udfff]/.test(text[at] ?? '')) return true;
  const next = String.fromCodePoint(text.codePointAt(at) ?? 0);
  // Two regional indicators form a flag; the pairs are counted from the first.
  const isOdd = (/(\p{RI}*)$/u.exec(text.slice(0, at))?.[1]?.length ?? 0) % 4 > 0;
  return CONTINUES.test(next) || (isOdd && /\p{RI}/u.test(next));
}

/** The number of code points of the text that the tokens stand for. */
const sizeOf = (tokens: readonly Token[]): number =>
  tokens.reduce((size, { text, kind }) => {
    if (kind === 'plain') return size + Array.from(text).length;
    const times = Number(/× (\d+)/.exec(text)?.[1] ?? 1);
    return size + times * (text.split('U+').length - 1);
  }, 0);

/** Folds everything beyond what a person reads at a glance. */
function fold(tokens: readonly Token[]): Pick<Field, 'head' | 'rest' | 'folded'> {
  const head: Token[] = [];
  const rest: Token[] = [];
  let room = HEAD;
  let lines = HEAD_LINES;
  for (const token of tokens) {
    const { text, kind } = token;
    let end = Math.min(text.length, room);
    if (kind === 'plain') {
      for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) {
        if (--lines === 0) end = at + 1;
      }
      const most = end;
      while (end > 0 && end < text.length && cuts(text, end)) end--;
      // A run without any boundary is cut between two code points.
      if (end === 0 && most > 0 && head.length === 0)
        end = /[\udc00-\udfff]/.test(text[most] ?? '') ? most - 1 : most;
    } else if (end < text.length) end = 0;
    if (end > 0) head.push(end < text.length ? { text: text.slice(0, end), kind } : token);
    if (end < text.length) rest.push(end > 0 ? { text: text.slice(end), kind } : token);
    room = end < text.length || lines === 0 ? 0 : room - end;
  }
  const folded = sizeOf(rest);
  return folded < TAIL ? { head: tokens, rest: [], folded: 0 } : { head, rest, folded };
}

/** Names whose last word says that the value is a path, and those where it only may be one. */
const PATH_NAME =
  /^(?:path|file|filename|filepath|pathname|dir|dirname|directory|folder|cwd|root|workdir)s?$|^directories$/;
const ENDS_NAME = /^(?:from|to|source|src|destination|dest|target)s?$/;

/** A value that looks like a path whatever its name is. */
const PATH = /^(?:~?\/(?![/*\s])|\.{1,2}(?:[\\/]|$)|[a-z]:[\\/]|\\\\[\w.]|file:\/)/i;

/** The places named by values. */
class Places {
  readonly found: Place[] = [];
  /** At least how many places are not listed. */
  readonly more: Record<Place['kind'], number> = { host: 0, path: 0 };
  readonly #seen = new Set<string>();
  #candidates = 0;

  #add(kind: Place['kind'], text: string): void {
    const key = `${kind} ${text}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const full = this.found.filter((place) => place.kind === kind).length === PLACES;
    if (full || text.length > PLACE_LENGTH) this.more[kind]++;
    else this.found.push({ kind, tokens: escapeTokens(text, { lines: false }) });
  }

  /** Finds the places in a value. `name` is the name of its field, or of the list around it. */
  find(text: string, name: string | undefined): void {
    this.#findHosts(text);
    if (text === '' || /^(?!file:)[a-z][a-z0-9+.-]+:\/\/|^data:/i.test(text)) return;
    const words =
      (name ?? '')
        .slice(-200)
        .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .match(/[a-z]+/g) ?? [];
    const last = words.at(-1) ?? '';
    const isPath = PATH_NAME.test(last) || PATH_NAME.test(words.slice(-2).join(''));
    const looks = text.length <= PLACE_LENGTH && !/[\n\r]/.test(text) && PATH.test(text);
    const isEnd =
      text.length <= PLACE_LENGTH &&
      ENDS_NAME.test(last) &&
      /^[^@\n\r]*(?:[\\/][^@\n\r]*|\.\w{1,8})$/.test(text);
    if (looks || isEnd || isPath) this.#add('path', text);
  }

  #findHosts(text: string): void {
    const whole = text.length <= PLACE_LENGTH;
    // Two leading slashes may begin a host without a scheme, and a host in a network has a dot.
    if (whole && /^[\\/]{2}[^\\/\s]*[.:]/.test(text)) this.#addHost(`https:${text}`);
    // The whole value as a URL parser reads it: without line breaks, and even without slashes.
    if (whole && /^[\0- ]*[a-z][a-z0-9+.\-\t\n\r]+:/i.test(text)) this.#addHost(text);

    const mark = /:[\\/]/g;
    for (let match; (match = mark.exec(text));) {
      const { index } = match;
      const scheme = /[a-z][a-z0-9+.-]+$/i
        .exec(text.slice(Math.max(index - 32, 0), index))?.[0]
        .toLowerCase();
      const isSpecial = /^(?:https?|wss?|ftp)$/.test(scheme ?? '');
      const rest = text.slice(index + 1, index + 1 + PLACE_LENGTH);
      const [, url = ''] =
        (isSpecial ? /^[\\/]+([^\0- \s]*)/ : /^\/\/([^\0- \s\\/][^\0- \s]*)/).exec(rest) ?? [];
      if (scheme === undefined || url === '') continue;
      if (++this.#candidates > CANDIDATES) {
        this.more.host++;
        return;
      }
      // The host name may go on beyond the part that is searched.
      if (rest.endsWith(url) && rest.length === PLACE_LENGTH && !/[\\/?#]/.test(url)) this.more.host++;
      // In a sentence or a command the host may end at a quote, a bracket or a comma, or contain it.
      const before = `${isSpecial ? scheme : 'ftp'}://`;
      const found = [url, /^[^\0-$&-,;-?[-^`{-~]*/.exec(url)?.[0] ?? ''].filter((part) =>
        this.#addHost(before + part),
      );
      if (found.length === 0) this.#addHost(before + (/^[\w.%:-]*/.exec(url)?.[0] ?? ''));
    }
  }

  /** Adds the host of a URL, if it has one. */
  #addHost(url: string): boolean {
    let host;
    try {
      ({ host } = new URL(url));
    } catch {
      return false;
    }
    const isHost = /^[\w.:[\]-]+$/.test(host);
    if (isHost) this.#add('host', host.replace(/\.+(?=:|$)/, ''));
    return isHost;
  }
}

/**
 * Prepares the input of a call for display. It neither runs code of the input nor changes it. Every character
 * is in the fields, safe to show. A long field is folded, and says how much is folded.
 *
 * It never throws: an input that cannot be shown is `unshowable`, and can only be denied. Allowed are the
 * values of JSON, and fields with the value `undefined`. The input is `not-json` if it is or contains anything else:
 * a function, a date, an instance of another class, a bigint, a symbol, `NaN`, a getter, a field that is not
 * enumerable, a list with holes or a `toJSON`. Reactive proxies of JSON (Vue, Svelte) are read like their targets.
 *
 * @param input the `display.value` of a call, or any other value
 * @returns the part of it that can be shown, or the reason why it cannot be shown
 */
export function inspect(input: unknown): Inspection {
  const fault = faultOf(input);
  return fault === undefined
    ? new Reader().read(input)
    : { type: 'unshowable', why: FAULTS[fault] ?? 'not-json' };
}
