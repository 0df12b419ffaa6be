// What a person types, and when it counts. The terminal itself would keep what is typed before a question
// is shown, and hand it over as the answer; so it is in raw mode, where nothing is kept.
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';

/** @import { ReadStream } from 'node:tty' */
/** @import { Printer } from './print.mjs' */

/** How long nobody must have typed before a question listens: as long as the buttons of a page wait. */
const SETTLE_MS = 500;

const CTRL_C = '\x03';

/** The person goes: with Ctrl+C, or because the input has ended. Nothing is decided by it. */
export class Left extends Error {
  /** @param {'interrupted' | 'ended'} how */
  constructor(how) {
    super(how);
    this.how = how;
  }
}

export class Keyboard {
  #input;
  #printer;
  #onInterrupt;
  /** Something was typed while nothing was asked. */
  #ignored = false;
  /** @type {Left | undefined} */
  #left;
  /** The receiver of the keys. @type {{ keys(chunk: string): void, leave(left: Left): void } | undefined} */
  #listener;

  /**
   * @param {ReadStream} input
   * @param {Printer} printer
   * @param {() => boolean} onInterrupt Ctrl+C while nothing is asked; `false` when there is nothing to stop
   */
  constructor(input, printer, onInterrupt) {
    this.#input = input;
    this.#printer = printer;
    this.#onInterrupt = onInterrupt;
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', (chunk) => this.#hear(String(chunk)));
    input.on('end', () => this.#leave(new Left('ended')));
  }

  close() {
    this.#input.setRawMode(false);
    this.#input.destroy();
  }

  /**
   * One line, typed after the question was shown.
   *
   * @param {string} prompt
   * @param {{ signal: AbortSignal, decides?: boolean }} options `decides`: the answer can let something run
   * @returns {Promise<string | undefined>} nothing when the signal was aborted
   * @throws {Left}
   */
  async ask(prompt, { signal, decides = false }) {
    if (decides) await this.#silence(signal);
    if (this.#ignored) this.#printer.line('What you typed before does not count.', 'quiet');
    this.#ignored = false;

    const keys = new PassThrough();
    const editor = createInterface({
      input: keys,
      output: process.stdout,
      terminal: true,
      historySize: 0,
      prompt,
    });
    this.#printer.opened();
    try {
      return await this.#listen(signal, (done, leave) => {
        editor.on('line', (line) => {
          this.#printer.closed();
          done(line);
        });
        editor.on('close', () => leave(new Left('ended')));
        editor.prompt();
        // A line end counts when it comes alone, as from a key. In a paste it is a space.
        return (chunk) => void keys.write(chunk.length > 1 ? chunk.replace(/[\r\n]+/g, ' ') : chunk);
      });
    } finally {
      editor.close();
      this.#printer.end();
    }
  }

  /** Until nobody has typed for a while. @param {AbortSignal} signal */
  async #silence(signal) {
    await this.#listen(signal, (done) => {
      const timer = setTimeout(done, SETTLE_MS, '');
      return () => {
        this.#ignored = true;
        timer.refresh();
      };
    });
  }

  /**
   * @param {AbortSignal} signal
   * @param {(done: (line: string) => void, leave: (left: Left) => void) => (chunk: string) => void} begin
   * @returns {Promise<string | undefined>}
   */
  async #listen(signal, begin) {
    if (signal.aborted) return undefined;
    if (this.#left) throw this.#left;
    try {
      return await new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
        this.#listener = { keys: begin(resolve, reject), leave: reject };
      });
    } finally {
      this.#listener = undefined;
    }
  }

  /** @param {string} chunk */
  #hear(chunk) {
    if (chunk.includes(CTRL_C)) {
      if (this.#listener || !this.#onInterrupt()) this.#leave(new Left('interrupted'));
    } else if (this.#listener) this.#listener.keys(chunk);
    else this.#ignored = true;
  }

  /** @param {Left} left */
  #leave(left) {
    this.#left ??= left;
    this.#listener?.leave(left);
  }
}
