// A browser that nobody tells that its tabs are in front: the driver of the other tests says so to each of its pages,
// and with it no page is ever hidden, and none is kept for the way back.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { chromiumPath, WITHOUT } from './chromium.mjs';

/** A browser, and what it answers to the commands of the DevTools protocol. */
export async function openPlainBrowser() {
  const profile = mkdtempSync(path.join(tmpdir(), 'plain-browser-'));
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--no-first-run',
    `--disable-features=${WITHOUT}`,
    '--remote-debugging-pipe',
  ];
  /** @type {Map<number, (message: any) => void>} */
  const answers = new Map();
  let ids = 0;
  const start = () => {
    const program = spawn(chromiumPath() ?? 'chromium', [...args, `--user-data-dir=${profile}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    const [, , , to, from] = /** @type {any} */ (program.stdio);
    let rest = '';
    from.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages.map((text) => JSON.parse(text))) answers.get(message.id)?.(message);
    });
    return { program, to };
  };
  let browser = start();

  /** @param {string} method @param {object} [params] @param {string} [sessionId] @returns {Promise<any>} */
  const send = async (method, params = {}, sessionId) => {
    const id = ++ids;
    const { error, result } = await new Promise((resolve) => {
      answers.set(id, resolve);
      browser.to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
    answers.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };

  return {
    send,
    /** A new tab, in front of the others. */
    async open(url = 'about:blank') {
      const { targetId } = await send('Target.createTarget', { url });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      return {
        /** @param {string} method @param {object} [params] */
        send: (method, params) => send(method, params, sessionId),
        /** @param {string} expression */
        async run(expression) {
          const options = { expression, returnByValue: true, awaitPromise: true };
          return (await send('Runtime.evaluate', options, sessionId)).result.value;
        },
        /** Brings the tab to the front, so that the one there is hidden. */
        activate: () => send('Target.activateTarget', { targetId }),
        close: () => send('Target.closeTarget', { targetId }),
      };
    },
    /** Kills all of it, and starts it again with what is on the disk. */
    async restart() {
      const exit = once(browser.program, 'exit');
      browser.program.kill('SIGKILL');
      await exit;
      answers.clear();
      browser = start();
    },
    async close() {
      const exit = once(browser.program, 'exit');
      await send('Browser.close');
      await exit;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
