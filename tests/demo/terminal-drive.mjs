// A terminal that a test types into, as a person does: in front of a real pseudo-terminal, which `script` of
// util-linux opens (it is essential on Debian, so nothing has to be installed).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../www/terminal/main.mjs', import.meta.url));
const PATIENCE = 15_000;

const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Without the commands of the program itself. @param {string} text */
export const plain = (text) => text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').replaceAll('\r', '');

export class Terminal {
  #child;
  #raw = '';
  /** How much of the screen the test has read. */
  #read = 0;

  /**
   * @param {string[]} args of the program
   * @param {{ columns?: number, env?: Record<string, string> }} [options]
   */
  constructor(args, { columns = 100, env = {} } = {}) {
    const program = [process.execPath, MAIN, ...args].map(quoted).join(' ');
    const command = `stty cols ${columns} rows 40; exec ${program}`;
    this.#child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      env: { ...process.env, AI_GATEWAY_API_KEY: '', NO_COLOR: '', ...env },
      // `script` says there that it was ended; what the program says there is on the screen.
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child.stdout.setEncoding('utf8').on('data', (chunk) => (this.#raw += chunk));
    this.exited = once(this.#child, 'exit').then(([code]) => code);
  }

  /** Everything that was ever printed, as it was. */
  get raw() {
    return this.#raw;
  }

  /** The same as a person reads it. */
  get screen() {
    return plain(this.#raw);
  }

  /** What was printed since the test has read last. */
  get news() {
    return this.screen.slice(this.#read);
  }

  /**
   * Waits until this is printed, and reads up to its end.
   *
   * @param {string} text
   * @returns {Promise<string>} what was read
   */
  async reads(text) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const at = this.news.indexOf(text);
      if (at >= 0) {
        const read = this.news.slice(0, at + text.length);
        this.#read += read.length;
        return read;
      }
      if (Date.now() > end)
        assert.fail(`“${text}” was not printed. After what was read there is:\n${this.news}`);
      await delay(20);
    }
  }

  /** Sends this at once, whatever the program does. @param {string} keys */
  press(keys) {
    this.#child.stdin.write(keys);
  }

  /** Types this where the program listens, waits until it is seen, and presses Enter. @param {string} text */
  async type(text) {
    if (text) {
      this.press(text);
      await this.reads(text);
    }
    this.press('\r');
  }

  /** Answers the question that comes next. @param {string} text @returns {Promise<string>} what was printed before */
  async answer(text, prompt = 'Your choice: ') {
    const read = await this.reads(prompt);
    await this.type(text);
    return read;
  }

  /** @param {string} text */
  message(text) {
    return this.answer(text, 'You: ');
  }

  async close() {
    if (this.#child.exitCode === null) this.#child.kill();
    await this.exited;
  }
}

/**
 * The program with piped input, until it ends.
 *
 * @param {string[]} args
 * @param {string} input
 */
export async function piped(args, input) {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, AI_GATEWAY_API_KEY: '' } });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (stderr += chunk));
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
