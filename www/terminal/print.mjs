// The only way to the screen. Whatever is printed passes `escapeInvisible`: no text of a message, a tool or a
// server can move the cursor, set a colour or turn the direction of what stands around it. Texts of the package
// have passed it before. Its mark `⟦U+200B⟧` therefore stays, and a text from elsewhere goes through `literal`.
import { escapeInvisible } from '../../pkg/escape.js';

/** @import { WriteStream } from 'node:tty' */

const STYLES = { plain: '', bold: '\x1b[1m', danger: '\x1b[1;31m', quiet: '\x1b[2m' };

/** Before each line of a text from elsewhere, so that none of it can look like the program's own words. */
const GUTTER = '│ ';

/** The mark of the printer, which a text from elsewhere could imitate, and how it is written out. */
const MARK = '⟦';
const WRITTEN_OUT = '⟦U+27E6⟧';

/** A text from elsewhere, in which nothing looks like a mark of the printer. @param {string} text */
export const literal = (text) => text.replaceAll(MARK, WRITTEN_OUT);

export class Printer {
  #stream;
  #colours;
  /** Where the last line ends; not 0 while it is open. */
  #column = 0;

  /** @param {WriteStream} stream */
  constructor(stream) {
    this.#stream = stream;
    this.#colours = stream.isTTY && !process.env.NO_COLOR;
  }

  /** A line of the program. @param {string} [text] @param {keyof typeof STYLES} [style] */
  line(text = '', style = 'plain') {
    this.end();
    const begin = this.#colours ? STYLES[style] : '';
    // The catalogue isolates names with characters that a terminal does not know.
    this.#stream.write(
      begin + this.#laid(text.replace(/[\u2068\u2069]/g, '').replace(/\s*\n\s*/g, ' '), '', '    '),
    );
    this.#stream.write(`${begin && '\x1b[0m'}\n`);
    this.#column = 0;
  }

  /** A text behind a mark at each line, or its next piece. @param {string} text @param {string} [indent] */
  quote(text, indent = '') {
    this.#stream.write(this.#laid(text, indent + GUTTER, indent + GUTTER));
  }

  /** Somebody else has begun a line. */
  opened() {
    this.#column = 1;
  }

  /** Somebody else has ended it. */
  closed() {
    this.#column = 0;
  }

  /** Ends the line that is open. */
  end() {
    if (this.#column > 0) this.#stream.write('\n');
    this.#column = 0;
  }

  /**
   * The text made visible and broken into lines, because what the terminal breaks by itself goes on at its
   * very edge.
   *
   * @param {string} text
   * @param {string} first before the first line
   * @param {string} next before the others
   */
  #laid(text, first, next) {
    const width = (this.#stream.columns || Infinity) - 1;
    let out = '';
    /** @param {string} lead */
    const begin = (lead) => {
      out += lead;
      this.#column = lead.length;
    };
    for (const piece of text.split(/(\r?\n| +)/)) {
      if (piece === '') continue;
      if (this.#column === 0) begin(out ? next : first);
      if (piece.endsWith('\n')) {
        out += '\n';
        this.#column = 0;
        continue;
      }
      const shown = piece.startsWith(' ')
        ? piece
        : escapeInvisible(piece, { lines: false }).replaceAll(WRITTEN_OUT, MARK);
      if (this.#column + widthOf(shown) > width && this.#column > next.length) {
        out += '\n';
        begin(next);
        if (piece.startsWith(' ')) continue;
      }
      for (const char of shown) {
        if (this.#column + widthOf(char) > width) {
          out += '\n';
          begin(next);
        }
        out += char;
        this.#column += widthOf(char);
      }
    }
    return out;
  }
}

/** Never less than the columns that a terminal gives it. @param {string} text */
function widthOf(text) {
  let width = 0;
  for (const char of text) width += char <= '~' ? 1 : 2;
  return width;
}
