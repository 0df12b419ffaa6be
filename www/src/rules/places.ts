import type { RuleProblem } from 'tool-approval-guard/rules';

/** A part of a text. */
export interface Span {
  from: number;
  to: number;
}

/** Where a text is no JSON. Each browser says this in its own words, and not all of them say where. */
export class JsonError extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

const BLANK = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** What is one character of a text, as it is written in JSON. */
const CHARACTER = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^]/gu;

/**
 * Where everything stands in the JSON of rules, by the names that problems use: `rules[3].allow`.
 *
 * @throws JsonError
 */
export function placesIn(text: string): ReadonlyMap<string, Span> {
  const places = new Map<string, Span>();
  let at = 0;

  const eat = (token: RegExp): string | undefined => {
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    at += found?.length ?? 0;
    return found || undefined;
  };
  const next = () => {
    eat(BLANK);
    return text[at];
  };
  const expect = (sign: string, what: string) => {
    if (next() !== sign) throw new JsonError(at, `Here should be ${what}.`);
    at += 1;
  };
  /** Reads what stands between two brackets, one after the other. */
  const list = (end: string, item: (index: number) => void) => {
    at += 1;
    if (next() !== end) {
      for (let index = 0; index === 0 || text[at] === ','; index++) {
        if (index > 0) at += 1;
        item(index);
        next();
      }
    }
    expect(end, `a comma, or ${end}`);
  };
  const value = (place: string) => {
    const first = next();
    const from = at;
    if (first === '{') {
      list('}', () => {
        next();
        const name = eat(STRING);
        if (name === undefined) throw new JsonError(at, 'Here should be a name in double quotes.');
        expect(':', 'a colon');
        value(below(place, JSON.parse(name)));
      });
    } else if (first === '[') {
      list(']', (index) => value(`${place}[${index}]`));
    } else if (eat(first === '"' ? STRING : SCALAR) === undefined) {
      throw new JsonError(
        at,
        'Here should be a value: a text in double quotes, a number, a list or an object.',
      );
    }
    places.set(place, { from, to: at });
  };

  value('config');
  if (next() !== undefined) throw new JsonError(at, 'Here should be the end.');
  return places;
}

function below(place: string, name: string): string {
  return place === 'config' ? name : `${place}.${name}`;
}

/** Where a problem is, or the nearest thing around it that was written. */
export function spanOf(
  { place, at }: Pick<RuleProblem, 'place' | 'at'>,
  text: string,
  places: ReadonlyMap<string, Span>,
): Span {
  let near = place;
  while (!places.has(near) && near !== 'config') near = near.replace(/(?:^|\.|\[)[^.[]*$/, '') || 'config';
  const { from, to } = places.get(near) ?? { from: 0, to: text.length };
  const written = text.slice(from, to);
  if (near === place && at !== undefined && written.startsWith('"')) {
    const characters = written.slice(1, -1).match(CHARACTER) ?? [];
    return { from: from + 1 + characters.slice(0, at).join('').length, to };
  }
  // What has much in it is shown by its beginning, so that what is marked in it can still be seen.
  return { from, to: near.endsWith(']') ? to : from + written.search(/\n|$/) };
}

/** The place of a rule, by its name. */
export function placeOfRule(id: string, text: string, places: ReadonlyMap<string, Span>): string {
  for (const [place, { from, to }] of places) {
    if (/\]\.id$/.test(place) && text.slice(from, to) === JSON.stringify(id)) return place.slice(0, -3);
  }
  return id;
}

/** Line and column, both from 1. */
export function lineAndColumn(text: string, at: number): [line: number, column: number] {
  const lines = text.slice(0, at).split('\n');
  return [lines.length, [...(lines.at(-1) ?? '')].length + 1];
}
