// Where the scenes of the demo are played: its server, a browser, and what can be read afterwards.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { browserName, launchBrowser } from '../support/browsers.mjs';
import { Demo } from './drive.mjs';

/**
 * @import { SessionState } from '../../www/shared/protocol.ts'
 * @typedef {{ width?: number, expected?: string[], clock?: boolean, path?: string }} SceneOptions
 */

/**
 * For a `describe` of scenes, which wait most of the time. In some of them a person has five seconds for an undo, so there
 * are only two at a time; and only in Chromium can two pages have the focus.
 */
export const together = { concurrency: browserName === 'chromium' ? 2 : 1 };

const START = fileURLToPath(new URL('../../www/start.mjs', import.meta.url));

/** Starts the demo as `npm start` does. @param {Record<string, string>} [env] */
export async function startServer(env) {
  const child = spawn(process.execPath, [START], {
    env: { ...process.env, AI_GATEWAY_API_KEY: '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^(http\S+)/.exec(line)?.[1];
    if (url) return { child, url };
  }
  throw new Error('the demo did not start');
}

/** @param {Awaited<ReturnType<typeof startServer>>} server */
export async function stopServer({ child }) {
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
}

/**
 * One server and one browser for all scenes of a `describe`.
 *
 * @param {() => Promise<{ env: Record<string, string>, stop: () => Promise<void> }>} [prepare] starts what the server
 *   needs
 */
export function stage(prepare = async () => ({ env: {}, stop: async () => {} })) {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {Awaited<ReturnType<typeof launchBrowser>>} */
  let browser;

  /** @type {Awaited<ReturnType<typeof prepare>>} */
  let prepared;

  before(async () => {
    prepared = await prepare();
    [server, browser] = await Promise.all([startServer(prepared.env), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await stopServer(server);
    await prepared.stop();
  });

  const own = {
    /** @param {string} [url] of another server @param {SceneOptions} [options] */
    open: (url = server.url, { width = 1280, clock = false, path = '' } = {}) =>
      Demo.open(browser, url, { viewport: { width, height: 900 }, clock, path }),

    /**
     * Plays a scene in a page of its own, where nothing unexpected may reach the console.
     *
     * @param {(demo: Demo) => Promise<void>} scene
     * @param {SceneOptions} [options]
     */
    async play(scene, options = {}) {
      const demo = await own.open(undefined, options);
      try {
        await scene(demo);
        assert.deepEqual(demo.errors, options.expected ?? []);
      } finally {
        await demo.close();
      }
    },
  };
  return own;
}

/** What the server received in its last request about a file. @param {SessionState} state @param {string} file */
export function lastSent(state, file) {
  const call = state.requests.at(-1)?.calls.findLast(({ target }) => target === file);
  return call && { state: call.state, approved: call.approved, output: call.output };
}

/** What the model read last about a file. @param {SessionState} state @param {string} file */
export function lastTold(state, file) {
  return state.requests.at(-1)?.told.findLast(({ target }) => target === file);
}

/** @param {SessionState} state */
export function runs(state) {
  return state.runs
    .filter(({ toolName }) => toolName !== 'list_files')
    .map(({ toolName, target, times }) => `${toolName} ${target} ${times}`);
}

/** @param {SessionState} state @param {string} file */
export function lines(state, file) {
  return state.files.find(({ name }) => name === file)?.lines;
}
