import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, readFile, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** @import { FolderFile, ReceivedRequest, Run, SessionState } from '../shared/protocol.ts' */

const FILES = {
  '.env': 'TOKEN=not-a-real-one\n',
  'cache.log': 'hit\nmiss\nhit\n',
  'draft.md': '# Draft\n\nSome words that nobody needs.\n',
  'notes.md': '# Notes\n\nThe only copy.\n',
};

/** Old sessions go when there are more than this, so that a long-lived server stays small. */
const MAX_SESSIONS = 40;

/**
 * @typedef {object} Pace how long the model and its tools take
 * @property {() => Promise<void>} slowTool what a tool waits for where a page has time to reload meanwhile
 * @property {number} firstWordMs until the model says something
 * @property {number} nextWordMs from one word to the next one
 */

/** @type {Pace} */
const PACE = { slowTool: () => setTimeout(4_000), firstWordMs: 120, nextWordMs: 12 };

/** One chat: a folder of its own, and a record of what really ran in it. */
export class Session {
  #dir = mkdtempSync(join(tmpdir(), 'approval-demo-'));
  /** @type {Set<string>} */
  #names = new Set();
  /** @type {Map<string, Run>} */
  #runs = new Map();
  /** @type {Set<() => void>} */
  #listeners = new Set();
  /** @type {ReceivedRequest[]} */
  requests = [];
  pace = PACE;

  /** @param {Partial<Pace>} [pace] @returns {Promise<Session>} */
  static async open(pace) {
    const session = new Session();
    session.pace = { ...PACE, ...pace };
    for (const [name, text] of Object.entries(FILES)) {
      session.#names.add(name);
      await writeFile(join(session.#dir, name), text);
    }
    return session;
  }

  close() {
    rmSync(this.#dir, { recursive: true, force: true });
    this.#listeners.clear();
  }

  /** @param {() => void} listener */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  changed() {
    for (const listener of this.#listeners) listener();
  }

  /** @param {string} model @returns {Promise<SessionState>} */
  async state(model) {
    return { model, files: await this.#files(), runs: [...this.#runs.values()], requests: this.requests };
  }

  list() {
    return readdir(this.#dir);
  }

  /** @param {string} path */
  async delete(path) {
    await unlink(this.#inside(path));
    return { deleted: path };
  }

  /** @param {string} from @param {string} to */
  async rename(from, to) {
    await rename(this.#inside(from), this.#inside(to));
    this.#names.add(to);
    return { renamed: from, to };
  }

  /** @param {string} path @param {string} text */
  async append(path, text) {
    await appendFile(this.#inside(path), `${text}\n`);
    this.#names.add(path);
    return { wrote: path };
  }

  /**
   * Counts an execution before it happens: one that fails half way has run as well.
   *
   * @template T
   * @param {Pick<Run, 'toolCallId' | 'toolName' | 'target'>} call
   * @param {() => Promise<T>} work
   */
  async run(call, work) {
    const run = this.#runs.get(call.toolCallId) ?? { ...call, times: 0 };
    this.#runs.set(call.toolCallId, { ...run, times: run.times + 1 });
    try {
      return await work();
    } finally {
      this.changed();
    }
  }

  /** @returns {Promise<FolderFile[]>} */
  async #files() {
    return Promise.all(
      [...this.#names].sort().map(async (name) => {
        // A tool may take the file away at any moment, so only reading it tells whether it is there.
        const text = await readFile(join(this.#dir, name), 'utf8').catch(() => undefined);
        return { name, lines: text === undefined ? undefined : text.split('\n').length - 1 };
      }),
    );
  }

  /** @param {string} name */
  #inside(name) {
    // A model chooses these names, so nothing but a plain file name may reach the disk.
    if (basename(name) !== name || name === '' || name === '.' || name === '..') {
      throw new Error(`"${name}" is not a file of this folder`);
    }
    return join(this.#dir, name);
  }
}

export class Sessions {
  /** @type {Map<string, Promise<Session>>} */
  #byChat = new Map();
  #pace;

  /** @param {Partial<Pace>} pace of all chats */
  constructor(pace) {
    this.#pace = pace;
  }

  /** @param {string} chatId */
  get(chatId) {
    let session = this.#byChat.get(chatId);
    if (!session) {
      session = Session.open(this.#pace);
      this.#byChat.set(chatId, session);
      const [oldest] = this.#byChat.keys();
      if (this.#byChat.size > MAX_SESSIONS && oldest !== undefined) void this.drop(oldest);
    }
    return session;
  }

  /** @param {string} chatId */
  async drop(chatId) {
    const session = await this.#byChat.get(chatId);
    this.#byChat.delete(chatId);
    session?.close();
  }

  async close() {
    await Promise.all([...this.#byChat.keys()].map((chatId) => this.drop(chatId)));
  }
}
