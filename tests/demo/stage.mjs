// Where the scenes of the demo are played: its page, its server and a browser, each of them once for a process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../www/server/http.mjs';
import { buildPage } from '../../www/server/page.mjs';
import { browserName, launchBrowser } from '../support/browsers.mjs';
import { Demo } from './drive.mjs';

/**
 * @typedef {{ width?: number, expected?: string[], clock?: boolean, path?: string }} SceneOptions
 * @typedef {{ env?: Record<string, string>, slowTool?: () => Promise<void>, stop?: () => Promise<void> }} Prepared what
 *   a server needs
 */

/** For a `describe` of scenes, which wait most of the time. Only in Chromium can several pages have the focus. */
export const together = { concurrency: browserName === 'chromium' ? 4 : 1 };

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

/** @type {ReturnType<typeof buildPage> | undefined} */
let page;

/** Serves the page, which is built once. The model does not dawdle. @param {Prepared} [prepared] */
async function serveDemo({ env, slowTool } = {}) {
  page ??= buildPage();
  const pace = { firstWordMs: 20, nextWordMs: 0, ...(slowTool && { slowTool }) };
  return serve({ port: 0, host: '127.0.0.1', page: await page, pace, ...(env && { env }) });
}

/** @type {Awaited<ReturnType<typeof serve>>} */
let common;
/** @type {Awaited<ReturnType<typeof launchBrowser>>} */
let browser;
before(async () => void ([common, browser] = await Promise.all([serveDemo(), launchBrowser()])));
after(async () => {
  await browser?.close();
  await common?.close();
});

/**
 * Pages that a scene has left for another one. Making one costs as much as all that many a scene does.
 *
 * @type {import('playwright-core').Page[]}
 */
const idle = [];

/**
 * The place for all scenes of a `describe`.
 *
 * @param {() => Promise<Prepared>} [prepare] makes what a server of its own needs; without it they share one with all
 *   others
 */
export function stage(prepare) {
  /** @type {Awaited<ReturnType<typeof serve>> | undefined} */
  let server;
  /** @type {Prepared | undefined} */
  let prepared;

  if (prepare) {
    before(async () => {
      prepared = await prepare();
      server = await serveDemo(prepared);
    });
    after(async () => {
      await server?.close();
      await prepared?.stop?.();
    });
  }

  const own = {
    /** @param {string} [url] of another server @param {SceneOptions} [options] */
    open: (url = (server ?? common).url, { width = 1280, clock = false, path = '' } = {}) =>
      Demo.open(
        browser,
        url,
        { viewport: { width, height: 900 }, clock, path },
        clock ? undefined : idle.pop(),
      ),

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
      } catch (error) {
        await demo.close();
        throw error;
      }
      if (options.clock || browserName !== 'chromium') await demo.close();
      else idle.push(await demo.leave());
    },
  };
  return own;
}
