// Makes visible what a person would not see in a text, and what would change how the text around it is
// displayed.

/** A piece of a text. */
export interface Token {
  /**
   * The text to show. For a hidden piece these are its code points: `⟦U+200B⟧`, or `⟦U+200B × 40⟧` for a run. The
   * bracket `⟦` itself is always written out (`⟦U+27E6⟧`), so only a hidden piece begins with it.
   */
  text: string;
  /** `plain`: as in the text. `hidden`: written out, because nobody would see it, or see it correctly. */
  kind: 'plain' | 'hidden';
}

/** The options of {@link escapeTokens} and {@link escapeInvisible}. */
export interface EscapeOptions {
  /**
   * Whether line breaks and tabs are kept. With `false` they are written out as well, which
   * suits texts of one line, such as a title.
   *
   * @default true
   * @see `docs/queue.md#showing-untrusted-text-yourself`
   */
  lines?: boolean;
}

/**
 * Finds characters that need a closer look: everything except letters and signs of the most common scripts
 * that are always harmless, and white space at an end or in a long run. A text without such characters is
 * plain.
 */
const ODD =
  /[^\n\t -~\xa1-\xac\xae-\u02ff\u0400-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u3001-\u3029\u30a1-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[ \t\n]{5}|^[ \t]|[ \t]$/;

/**
 * Finds everything that has to be written out, and the sequences in which it may stay: a mark at the
 * beginning; a stack of marks and joiners, five in a row being more than any script uses; in the first group,
 * a sequence in which an invisible character is legitimate; in the second group, the beginning of white space
 * that may be too much; and invisible characters, with the bracket that begins a piece that is written out.
 *
 * The sequences are those of UTS 51: the three flags spelled with tags, an emoji with one selector or a skin
 * tone, joined emoji, keycaps. By the Unicode Standard, section 23.2, a joiner is legitimate in a word of a
 * script in which it changes the form of its neighbours: the scripts from Arabic to Sinhala, Myanmar, Khmer,
 * Mongolian, Phags-pa, Hanifi Rohingya and Adlam.
 *
 * Every repetition is bounded, so that the time is linear and the engine's stack suffices for any text.
 */
const FIND =
  /^\p{M}|[\p{Mn}\p{Me}\u200c\u200d]{5}|(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|(?=\p{Emoji})\p{ExtPict}(?:\ufe0e(?!\p{VS})|(?:\ufe0f(?!\p{VS})|\p{EMod})?(?:\u200d(?=\p{Emoji})(?=\p{ExtPict}))?)|[#*0-9]\ufe0f\u20e3|(?=[\p{L}\p{M}])[\u0600-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17d3\u1820-\u18aa\ua840-\ua873\u{10d00}-\u{10d27}\u{1e900}-\u{1e94b}][\u200c\u200d](?=[\p{L}\p{M}])(?=[\u0600-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17d3\u1820-\u18aa\ua840-\ua873\u{10d00}-\u{10d27}\u{1e900}-\u{1e94b}]))|(^[ \t]|[ \t]{1,4}$|[ \t\r\n]{5})|\r\n|(?! )[\p{C}\p{Z}\p{DI}\u27e6\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;

/** A mark, which would be drawn over the character before it. */
const MARK = /\p{M}/uy;

/** The characters that are kept with `lines`. */
export const LINES = /^(?:\t|\r?\n)$/;
export const NOTHING = /(?!)/;

/** Splits a text into tokens. Characters (or CR LF) that match `stays` are kept. */
export function tokensOf(text: string, stays: RegExp): Token[] {
  // Most texts are plain, and the expressions that read the others take a millisecond to compile.
  if (!ODD.test(text) && (stays.test('\n') || !/[\t\n]/.test(text))) {
    return text === '' ? [] : [{ text, kind: 'plain' }];
  }
  const tokens: Token[] = [];
  /** Everything before this place is in the tokens, or in the open run of hidden characters. */
  let done = 0;
  let unit = '';
  let times = 0;

  const flush = (to: number) => {
    if (times > 0) {
      const points = Array.from(unit, (char) => (char.codePointAt(0) ?? 0).toString(16).toUpperCase());
      const names = points.map((point) => `U+${point.padStart(4, '0')}`).join(' ');
      tokens.push({ text: `⟦${names}${times > 1 ? ` × ${times}` : ''}⟧`, kind: 'hidden' });
    }
    if (to > done) tokens.push({ text: text.slice(done, to), kind: 'plain' });
    times = 0;
  };
  const hide = (from: number, to: number) => {
    for (let at = from; at < to; at = done) {
      const next = text.startsWith('\r\n', at) ? '\r\n' : String.fromCodePoint(text.codePointAt(at) ?? 0);
      if (at > done || next !== unit) flush(at);
      unit = next;
      times++;
      done = at + next.length;
    }
  };
  /** Hides white space that a person would overlook: long runs, and white space at an end of the text. */
  const hideBlank = (from: number, to: number) => {
    const lines = stays.test('\n');
    const pieces = text.slice(from, to).match(/\r?\n|[ \t]+|\r/g) ?? [];
    const breaks = pieces.filter((piece) => piece.endsWith('\n')).length;
    let at = from;
    for (const piece of pieces) {
      const next = at + piece.length;
      // An indentation may be longer, because it is where a person looks.
      const wide = lines && at > from ? 4 : 1;
      const isTooMuch = piece.length > 8 * wide || piece.split('\t').length > (lines ? 4 * wide : 0) + 1;
      const hidden = /[ \t]/.test(piece) ? isTooMuch || at === 0 || next === text.length : !stays.test(piece);
      if (hidden || breaks > 4) hide(at, next);
      at = next;
    }
  };

  FIND.lastIndex = 0;
  for (let match; (match = FIND.exec(text));) {
    const [found, sequence, blank] = match;
    if (sequence || (!blank && stays.test(found))) continue;
    let end = match.index + found.length;
    if (blank) {
      while (/[ \t\r\n]/.test(text[end] ?? '')) end++;
      hideBlank(match.index, end);
    } else hide(match.index, end);
    // Marks that would now be drawn over a token are written out too.
    for (MARK.lastIndex = end; done === end && MARK.test(text); MARK.lastIndex = end) {
      hide(end, MARK.lastIndex);
      end = done;
    }
    FIND.lastIndex = end;
  }
  flush(text.length);
  return tokens;
}

/** The text of those tokens. */
export const joined = (text: string, stays: RegExp) =>
  tokensOf(text, stays)
    .map((token) => token.text)
    .join('');

/**
 * Makes a text safe to show to a person who decides by it. It writes out controls, formatting and bidirectional
 * characters, unusual spaces, and joiners, selectors and tags outside of legitimate sequences. It also writes out
 * unassigned characters, lone surrogates, blank letters, stacks of marks, and white space at the ends or in long runs.
 * Letters of all scripts stay unchanged.
 *
 * @param text any text
 * @param options each has a default
 * @returns the tokens in order, which stand for the whole text; empty for an empty text
 */
export function escapeTokens(text: string, { lines = true }: EscapeOptions = {}): readonly Token[] {
  return tokensOf(text, lines ? LINES : NOTHING);
}

/** The first 100 characters of a name, and an ellipsis if there are more: whoever makes names may not stop. */
export function shorten(name: string): [head: string, more: '' | '…'] {
  const [head = ''] = /^[^]{0,100}/u.exec(name) ?? [];
  return [head, head === name ? '' : '…'];
}

/**
 * The tokens of {@link escapeTokens}, joined.
 *
 * @param text any text
 * @param options each has a default
 * @returns a text in which a person sees every character
 */
export function escapeInvisible(text: string, { lines = true }: EscapeOptions = {}): string {
  return joined(text, lines ? LINES : NOTHING);
}
